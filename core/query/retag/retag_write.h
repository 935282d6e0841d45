/*
 * The edits of retagging.
 */
#ifndef HTP_QUERY_RETAG_WRITE_H
#define HTP_QUERY_RETAG_WRITE_H

#include "onnx/rewriter/rewrite.h"
#include "query/retag/retag.h"

/** The metadata key of the rule that placed a node; in the model's metadata if any node has it. */
#define HTP_RETAGGED_KEY "htp.retagged"

/**
 * Adds the edits that give the changed model the tags of the tagged one, in the same places: nodes,
 * initializers, records of modules. A complete node keeps its bytes, and so does a complete file.
 * Edits refer to the mapped file of the tagged model, too.
 * @return HTP_CODE_BAD_INPUT for a node without an operator.
 */
HTP_MUST_USE htp_status htp_retag_edits(htp_arena *arena, const htp_retagging *retagging,
                                        htp_edit_list *edits);

#endif
