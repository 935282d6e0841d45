/*
 * Forms that a runtime's optimiser does not break. Private to core/lower.
 */
#ifndef HTP_LOWER_FUSION_H
#define HTP_LOWER_FUSION_H

#include "lower/lowering.h"

/**
 * Called before a node @p op that reads @p x is emitted. ONNX Runtime merges an activation into
 * the Gemm (or the MatMul and Add of matrices) before it and carries the activation's attributes
 * over under new names, which it then refuses to load: a tagged model would not run. Where that
 * would happen, @p x is computed in a form that is not merged: Gemm without a bias, then Add; or
 * MatMul where there is no bias. Between the two may be arithmetic with a constant number, which
 * ONNX Runtime removes where it changes nothing.
 *
 * ONNX Runtime also merges a Pad with zeroes into the MaxPool behind it, which pads with the least
 * number there is. It leaves a Pad alone that names its axes (opset 18); before, this fails.
 */
void htp_lower_guard_fusion(htp_lowering *l, const char *op, htp_tensor_id x);

/**
 * Called with what a node has just made: @p x, or the same in a form that is not merged. ONNX
 * Runtime 1.31 merges the scaling of a scaled tensor into a MatMul, and loses the node that scaled
 * it first when that is merged into another MatMul: the model does not load. The maximum of one
 * tensor is that tensor, and no scaling.
 */
htp_tensor_id htp_lower_guard_scale(htp_lowering *l, htp_tensor_id x);

/**
 * Called with the inputs of a node @p op before it is emitted: @p inputs, or others that give the
 * same. ONNX Runtime merges a constant factor before or behind a MatMul into it as a float32, also
 * in float64, where that gives up half of the digits. Between the two stands the maximum of one
 * tensor then, but for powers of two, which lose nothing.
 */
htp_emit_inputs htp_lower_guard_digits(htp_lowering *l, const char *op, htp_emit_inputs inputs);

#endif
