/*
 * Arithmetic on weights alone: a pass over the lowered model. libtorch computes it at export, and
 * the result becomes an initializer. Private to core/lower.
 */
#ifndef HTP_LOWER_WEIGHT_ARITHMETIC_H
#define HTP_LOWER_WEIGHT_ARITHMETIC_H

#include "lower/emit/lowering.h"

/**
 * Computes the graph's values that follow from weights and constants alone and are not just layouts
 * of a weight, within the sizes of lower/passes/fixed.h. The rest is left to
 * htp_lower_fold_constants(), which reports what is too large. Without libtorch it does nothing.
 */
void htp_lower_weight_arithmetic(htp_lowering *l);

#endif
