/*
 * A pass over a lowered model: rewrites patterns that a runtime's optimiser would break. Private to
 * core/lower.
 */
#ifndef HTP_LOWER_FUSION_H
#define HTP_LOWER_FUSION_H

#include "lower/emit/lowering.h"
#include "lower/refusal/report.h"

/**
 * Call it once, when all nodes and outputs exist. It also removes dead nodes.
 *
 * ONNX Runtime merges an activation into the Gemm (or the MatMul and Add of matrices) before it and
 * carries the activation's attributes over under new names, which it then refuses to load: a tagged
 * model would not run. If the product has no other reader, it gets a form that is not merged: Gemm
 * without a bias, then Add; or MatMul if there is no bias, or a bias of zeros, which model
 * simplifiers drop. Arithmetic with a constant may stand between the two; ONNX Runtime removes it
 * if it has no effect.
 *
 * ONNX Runtime also merges a Pad with zeros into the MaxPool after it, which pads with the least
 * number. It does not merge a Pad with listed axes (opset 18); in earlier opsets the MaxPool's node
 * is added to @p unsupported.
 *
 * ONNX Runtime 1.31 merges scaling into a MatMul. If a tensor is scaled twice and the first scaling
 * is merged into another MatMul, its node is lost and the model does not load. A constant factor
 * before or after a MatMul is merged as float32, even in float64, which loses half of the digits
 * unless it is a power of two. So a barrier separates the two: the maximum of a tensor and itself,
 * which no tool removes.
 */
void htp_lower_guard_fusions(htp_lowering *l, htp_unsupported *unsupported);

#endif
