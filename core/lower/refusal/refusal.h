/*
 * Why there is no lowering for an operator. Private to core/lower.
 */
#ifndef HTP_LOWER_REFUSAL_H
#define HTP_LOWER_REFUSAL_H

#include <stdbool.h>

/** Whether an operator returns a fact about memory layout, as a number or bool: such operators have
 * no row: their result is known from the trace, or the node carries the reason. */
bool htp_refusal_is_of_layout(const char *kind);

/** Why no exporter can write an operator, in place or not. @param kind  "aten::rand"
 * @return NULL where there is no such reason */
const char *htp_refusal_find(const char *kind);

/** The reason to give for an operator without a row in the table. @param kind  "aten::rand" */
const char *htp_refusal_reason(const char *kind);

/** Whether an operator is deterministic linear algebra without an ONNX counterpart, at least for
 * some operands. @param kind  "aten::linalg_eigh" */
bool htp_refusal_is_of_matrices(const char *kind);

#endif
