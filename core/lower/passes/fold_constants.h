/*
 * Constant folding: a pass over what was lowered. What constants and weights alone decide is
 * computed in plain C (lower/evaluate/evaluate.h) and becomes an initializer. Private to
 * core/lower.
 */
#ifndef HTP_LOWER_FOLD_CONSTANTS_H
#define HTP_LOWER_FOLD_CONSTANTS_H

#include "lower/emit/lowering.h"

/**
 * Computes the tensors that nodes take from initializers alone, where that is more than a layout
 * of a weight, as far as lower/passes/fixed.h lets them be kept: index arithmetic on fixed sizes,
 * positions, masks; and, where libtorch did not (htp_lower_weight_arithmetic()), arithmetic on
 * weights. Outputs of graphs stay. Linear in nodes, but for those that weights are computed by.
 * @param kept  receives what is larger and stays in the graph; or NULL
 */
void htp_lower_fold_constants(htp_lowering *l, htp_kept_arithmetic *kept);

#endif
