/*
 * The edits of retagging.
 */
#ifndef HTP_QUERY_RETAG_WRITE_H
#define HTP_QUERY_RETAG_WRITE_H

#include "onnx/rewriter/rewrite.h"
#include "query/retag/retag.h"

/** The metadata key of the rule that placed a node. The model's metadata have it, too, if a node
 * has. */
#define HTP_RETAGGED_KEY "htp.retagged"

/**
 * Adds the edits that give the changed model the tags of the tagged one, in the same places: nodes,
 * initializers, records of modules. A node that has them all keeps its bytes, as does such a file.
 * Edits borrow from both mapped files.
 * @return HTP_CODE_BAD_INPUT for a node without an operator.
 */
HTP_MUST_USE htp_status htp_retag_edits(htp_arena *arena, const htp_retagging *retagging,
                                        htp_edit_list *edits);

#endif
