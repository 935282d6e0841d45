/*
 * Arithmetic on weights alone: a pass over what was lowered. libtorch computes it while the model
 * is exported, and its result is an initializer. Private to core/lower.
 */
#ifndef HTP_LOWER_WEIGHT_ARITHMETIC_H
#define HTP_LOWER_WEIGHT_ARITHMETIC_H

#include "lower/emit/lowering.h"

/**
 * Computes the values of the graph that nodes take from weights and constants alone, where that is
 * more than a layout of a weight, as far as lower/passes/fixed.h lets them be kept. What it leaves
 * is for htp_lower_fold_constants(), which tells what is too large. Without libtorch it does
 * nothing.
 */
void htp_lower_weight_arithmetic(htp_lowering *l);

#endif
