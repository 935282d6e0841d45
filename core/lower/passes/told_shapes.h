/*
 * A pass over a model whose types are known: shapes that need not be computed, and needless
 * Reshapes.
 */
#ifndef HTP_LOWER_TOLD_SHAPES_H
#define HTP_LOWER_TOLD_SHAPES_H

#include "onnx/builder/builder.h"

/**
 * Call it once, after htp_builder_infer_types(). If each size of a Reshape's shape is a number, or
 * by proven types the operand's size at the same position, the shape becomes a constant: 0 there,
 * which copies the size. Nodes that computed the shape stay without readers, for
 * htp_builder_remove_unused().
 *
 * Type inference proves more than htp_lower_copy_sizes(), which follows single operands:
 * broadcasting keeps sizes that both operands have.
 *
 * A Gemm of a tensor that was flattened to a matrix, whose result gets the flattened axes back,
 * becomes a MatMul of the original tensor and an Add: the form that quantisers and fusions expect.
 */
void htp_lower_tell_shapes(htp_builder *model);

#endif
