/*
 * Arithmetic on weights alone: a pass over what was lowered. libtorch computes it while the model
 * is exported, and its result is an initializer. Private to core/lower.
 */
#ifndef HTP_LOWER_WEIGHT_ARITHMETIC_H
#define HTP_LOWER_WEIGHT_ARITHMETIC_H

#include "lower/emit/lowering.h"

/**
 * Computes the tensors that nodes take from weights and constants alone, where that is more than a
 * layout of a weight; what only transposes them is computed as well. A result is kept that is no
 * larger than 1 MiB, or than 1.1 times the initializers that nothing reads any more because of it.
 * @param kept  receives those that are larger and stay in the graph; or NULL
 */
void htp_lower_weight_arithmetic(htp_lowering *l, htp_kept_arithmetic *kept);

#endif
