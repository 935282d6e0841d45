/*
 * A pass over a lowered model: leaves nothing to rewrite for runtimes' basic optimisations. Private
 * to core/lower.
 */
#ifndef HTP_LOWER_SETTLED_H
#define HTP_LOWER_SETTLED_H

#include "lower/emit/lowering.h"

/**
 * Call it once, when all nodes exist. ONNX Runtime's basic level repeats its passes until nothing
 * changes, and infers all types again after each pass that changed something. So the model is
 * written in the form that these passes would leave. Readers of neutral operations read the
 * operand:
 *
 * - a product with 1, a quotient by 1, a sum or difference of integers with 0, Expand to a single
 *   element's shape;
 * - two Transposes in a row that undo each other.
 *
 * Within one call of a module:
 *
 * - adjacent sizes of one tensor that only a Concat reads become one Shape;
 * - two Transposes in a row become one;
 * - sizes of a transposed tensor are taken from its operand;
 * - x · (1 / sqrt(y)) is x / sqrt(y), which has one rounding less. Not in half precision, where
 *   PyTorch rounds between the two.
 *
 * Dead nodes stay in the builder without readers.
 */
void htp_lower_settle(htp_lowering *l);

#endif
