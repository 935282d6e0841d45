/*
 * A pass over a model whose types are known: shapes that a Reshape need not compute, and Reshapes
 * that are not needed.
 */
#ifndef HTP_LOWER_TOLD_SHAPES_H
#define HTP_LOWER_TOLD_SHAPES_H

#include "onnx/builder/builder.h"

/**
 * Called once, behind htp_builder_infer_types(). Where a Reshape computes a shape of which each
 * size is a number, or that of what is reshaped in the same place, as the proven types of both say,
 * it is told a constant: 0 there, which copies it. What computed the shape stays without a reader,
 * for htp_builder_remove_unused().
 *
 * It knows more than htp_lower_copy_sizes(), which goes from operand to operand: what is broadcast
 * keeps its sizes where both operands have them.
 *
 * A Gemm of a tensor that was flattened to a matrix, whose result gets the flattened axes back, is
 * a MatMul of the tensor as it was, and an Add: what quantisers and fusions look for, without the
 * shapes.
 */
void htp_lower_tell_shapes(htp_builder *model);

#endif
