/*
 * A pass over a lowered model: forms that runtimes need not write anew. Private to core/lower.
 */
#ifndef HTP_LOWER_SETTLED_H
#define HTP_LOWER_SETTLED_H

#include "lower/emit/lowering.h"

/**
 * Called once, when all nodes are there. ONNX Runtime's basic level goes over a model until nothing
 * changes, and infers all types again after each pass that changed something: what it would change
 * is written as it would have it. Readers of what changes nothing read its operand:
 *
 * - a product with 1, a quotient by 1, a sum or difference of integers with 0, Expand to a single
 *   element's shape;
 * - two Transposes behind one another that undo each other.
 *
 * And within one call of a module
 *
 * - neighbouring sizes of one tensor that only a Concat reads are asked for at once;
 * - two Transposes behind one another are one;
 * - sizes of what was transposed are asked of what it was made of;
 * - x · (1 / sqrt(y)) is x / sqrt(y), which is rounded once less. Not of half precision, where
 *   PyTorch rounds between the two.
 *
 * What is not needed any more stays in the builder without a reader.
 */
void htp_lower_settle(htp_lowering *l);

#endif
