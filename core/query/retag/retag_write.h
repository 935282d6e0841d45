/*
 * What retagging changes in a file.
 */
#ifndef HTP_QUERY_RETAG_WRITE_H
#define HTP_QUERY_RETAG_WRITE_H

#include "onnx/rewriter/rewrite.h"
#include "query/retag/retag.h"

/** The key of what a node's module was found by; of the model, where nodes have it. */
#define HTP_RETAGGED_KEY "htp.retagged"

/**
 * Adds the edits that give the changed model the tags of the tagged one, where that has them:
 * nodes, initializers, records of modules. A node that has all of them keeps its bytes, and so does
 * the file where all do. What is written refers to the mapped file of the tagged model, too.
 * @return HTP_CODE_BAD_INPUT for a node without an operator.
 */
HTP_MUST_USE htp_status htp_retag_edits(htp_arena *arena, const htp_retagging *retagging,
                                        htp_edit_list *edits);

#endif
