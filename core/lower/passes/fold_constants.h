/*
 * Constant folding: a pass over the lowered model. Tensors that follow from constants and weights
 * alone are computed in plain C (lower/evaluate/evaluate.h) and become initializers. Private to
 * core/lower.
 */
#ifndef HTP_LOWER_FOLD_CONSTANTS_H
#define HTP_LOWER_FOLD_CONSTANTS_H

#include "lower/emit/lowering.h"

/**
 * Folds tensors that follow from initializers alone and are not just layouts of a weight, within
 * the sizes of lower/passes/fixed.h: index arithmetic on fixed sizes, positions, masks; and
 * arithmetic on weights that libtorch did not compute (htp_lower_weight_arithmetic()). Outputs of
 * graphs stay. Linear in the nodes, except for those that compute with weights.
 * @param kept  receives results that are too large and stay; or NULL
 */
void htp_lower_fold_constants(htp_lowering *l, htp_kept_arithmetic *kept);

#endif
