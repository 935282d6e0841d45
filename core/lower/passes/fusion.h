/*
 * A pass over a lowered model: forms that a runtime's optimiser does not break. Private to
 * core/lower.
 */
#ifndef HTP_LOWER_FUSION_H
#define HTP_LOWER_FUSION_H

#include "lower/emit/lowering.h"
#include "lower/refusal/report.h"

/**
 * Called once, when all nodes and outputs exist; removes dead nodes.
 *
 * ONNX Runtime merges an activation into the Gemm (or the MatMul and Add of matrices) before it and
 * carries the activation's attributes over under new names, which it then refuses to load: a tagged
 * model would not run. If the product has no other reader, it gets a form that is not merged: Gemm
 * without a bias, then Add; or MatMul if there is no bias, or one of zeros, which model simplifiers
 * drop. Arithmetic with a constant may stand between the two; ONNX Runtime removes it if it has no
 * effect.
 *
 * ONNX Runtime also merges a Pad with zeroes into the MaxPool behind it, which pads with the least
 * number there is. It does not merge a Pad with listed axes (opset 18); before, the MaxPool's node
 * is noted in @p unsupported.
 *
 * ONNX Runtime 1.31 merges the scaling of a scaled tensor into a MatMul, and loses the node that
 * scaled it first when that is merged into another MatMul: the model does not load. It also merges
 * a constant factor before or behind a MatMul as a float32, even in float64, which loses half of
 * the digits, except for powers of two. So a barrier separates the two: the maximum of a tensor and
 * itself, which no tool removes.
 */
void htp_lower_guard_fusions(htp_lowering *l, htp_unsupported *unsupported);

#endif
