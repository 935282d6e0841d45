/*
 * Arithmetic on weights alone: a pass over the lowered model. libtorch computes it at export, and
 * its result becomes an initializer. Private to core/lower.
 */
#ifndef HTP_LOWER_WEIGHT_ARITHMETIC_H
#define HTP_LOWER_WEIGHT_ARITHMETIC_H

#include "lower/emit/lowering.h"

/**
 * Computes tensors that depend on weights and constants alone, unless they are a mere layout of a
 * weight; their transposes are computed as well. A result is kept if it is at most 1 MiB, or 1.1
 * times the initializers that lose their last reader.
 * @param kept  receives the larger ones, which stay in the graph; or NULL
 */
void htp_lower_weight_arithmetic(htp_lowering *l, htp_kept_arithmetic *kept);

#endif
