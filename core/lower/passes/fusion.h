/*
 * A pass over a lowered model: forms that a runtime's optimiser does not break. Private to
 * core/lower.
 */
#ifndef HTP_LOWER_FUSION_H
#define HTP_LOWER_FUSION_H

#include "lower/emit/lowering.h"
#include "lower/refusal/report.h"

/**
 * Called once, when all nodes and outputs are there; nodes that no output depends on go.
 *
 * ONNX Runtime merges an activation into the Gemm (or the MatMul and Add of matrices) before it and
 * carries the activation's attributes over under new names, which it then refuses to load: a tagged
 * model would not run. Where nothing else reads what is merged, it is computed in a form that is
 * not: Gemm without a bias, then Add; or MatMul where there is no bias, or one of zeros, which what
 * simplifies models takes away. Between the two may be arithmetic with a constant number, which
 * ONNX Runtime removes where it changes nothing.
 *
 * ONNX Runtime also merges a Pad with zeroes into the MaxPool behind it, which pads with the least
 * number there is. It leaves a Pad alone that names its axes (opset 18); before, the MaxPool's node
 * is noted in @p unsupported.
 *
 * ONNX Runtime 1.31 merges the scaling of a scaled tensor into a MatMul, and loses the node that
 * scaled it first when that is merged into another MatMul: the model does not load. And it merges a
 * constant factor before or behind a MatMul into it as a float32, also in float64, where that gives
 * up half of the digits, but for powers of two. Between the two stands a barrier then: the maximum
 * of a tensor and itself, which no tool takes away.
 */
void htp_lower_guard_fusions(htp_lowering *l, htp_unsupported *unsupported);

#endif
