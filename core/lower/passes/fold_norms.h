/*
 * Folds BatchNormalization into the layer before it: a pass over the lowered model.
 *
 * A convolution or a linear layer whose result is normalised by statistics that are weights
 * computes the same with a weight and a bias of its own: w' = w · s and b' = (b - mean) · s + bias
 * by channel, where s = scale / sqrt(var + epsilon). Both are computed in float64 and rounded once,
 * b' here, w' while the model is written. Reference: ONNX BatchNormalization, Conv, ConvTranspose,
 * Gemm.
 */
#ifndef HTP_LOWER_FOLD_NORMS_H
#define HTP_LOWER_FOLD_NORMS_H

#include "onnx/builder/builder.h"

/**
 * Folds norms of float32 if nothing else reads the layer's result or its weight, and all results
 * are finite. The node serves both modules: it belongs to the layer, and the norm is among its
 * further scopes.
 * @param bodies  by scope: the function body that contains it; nothing is folded across bodies.
 * NULL: one body
 */
void htp_norms_fold(htp_builder *model, const uint32_t *bodies);

#endif
