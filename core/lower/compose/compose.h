/*
 * Shared by the families of operators: the dtype to compute in, helpers for common nodes, and
 * composites. Private to core/lower.
 *
 * PyTorch's CPU kernels compute 16-bit floats in float32 and round once, at the end. A lowering of
 * several nodes does the same by casting around them. A lowering that is one ONNX node keeps
 * float16 (runtimes round once, too); ONNX Runtime has hardly any kernels for bfloat16, so that is
 * always computed in float32.
 */
#ifndef HTP_LOWER_COMPOSE_H
#define HTP_LOWER_COMPOSE_H

#include "lower/emit/lowering.h"

/** How htp_arg_math_dtype() treats the dtypes at the edges. */
enum {
    HTP_MATH_KEEP_HALF = 1 << 0,    /**< float16 is computed as float16 */
    HTP_MATH_ALLOW_DOUBLE = 1 << 1, /**< float64 is computed as float64 rather than refused */
};

/**
 * The dtype to compute floating-point argument @p name in; fails for other dtypes.
 * @param flags  HTP_MATH_...
 */
htp_dtype htp_arg_math_dtype(htp_lowering *l, const char *name, unsigned flags);

/** Binds output @p index to @p x, cast from @p dtype to the output's. */
void htp_bind_cast(htp_lowering *l, size_t index, htp_tensor_id x, htp_dtype dtype);

/** Like htp_arg_tensor_as(); HTP_NONE if the argument is None. */
htp_tensor_id htp_arg_optional_as(htp_lowering *l, const char *name, htp_dtype dtype);

/** The number of spatial axes in the operator's name: 2 for aten::max_pool2d. */
size_t htp_row_axes(htp_lowering *l);

/** A spatial operator's input @p name as @p dtype, with a batch of one if it has none: @p axes
 * spatial dims, channels, and perhaps a batch. Fails for other ranks. */
htp_tensor_id htp_arg_batched(htp_lowering *l, const char *name, size_t axes, htp_dtype dtype);

/** Binds output @p index; removes the batch if the output's rank is @p axes + 1. */
void htp_bind_batched(htp_lowering *l, size_t index, size_t axes, htp_tensor_id x, htp_dtype dtype);

/** Whether all dims are numbers. */
bool htp_dims_are_static(const htp_dim *dims, size_t count);

/** The constant list @p name with one number for each of @p count spatial axes; a list of one holds
 * for all; None and empty give @p otherwise (NULL: fails). @return arena memory. */
const int64_t *htp_arg_spatial(htp_lowering *l, const char *name, size_t count,
                               const int64_t *otherwise);

/**
 * x · weightᵀ + bias: aten::linear.
 * @param x       [..., in] of @p x_rank dims
 * @param weight  [out, in]
 * @param bias    [out], or HTP_NONE
 * @param dtype   of all of them: a floating-point dtype, int32 or int64
 */
htp_tensor_id htp_emit_linear(htp_lowering *l, htp_tensor_id x, uint32_t x_rank,
                              htp_tensor_id weight, htp_tensor_id bias, htp_dtype dtype);

/** The operands of a normalisation: x of @p dtype and @p rank, optional scale and shift. */
typedef struct htp_normalized {
    htp_tensor_id x;
    htp_tensor_id weight; /* or HTP_NONE */
    htp_tensor_id bias;   /* or HTP_NONE */
    htp_dtype dtype;
    uint32_t rank;
    double eps;
} htp_normalized;

/** aten::layer_norm over the last @p axis_count dims.
 * @param dims  of x */
htp_tensor_id htp_emit_layer_norm(htp_lowering *l, const htp_normalized *n, size_t axis_count,
                                  const htp_dim *dims);

/** log(1 + exp(x)), without overflow. */
htp_tensor_id htp_emit_softplus(htp_lowering *l, htp_tensor_id x, htp_dtype dtype);

/**
 * For a softmax of @p x, of @p dtype, that gives zeros where nothing along @p axis is @p allowed
 * (booleans that broadcast with x). Runtimes disagree on the softmax of a row of -inf, some also on
 * its maximum. So such rows are found by counting, and x becomes 0 there.
 * @return the factor for the softmax's result: 0 for such rows, else 1; NaN stays NaN
 */
htp_tensor_id htp_emit_kept(htp_lowering *l, htp_tensor_id *x, htp_tensor_id allowed, int64_t axis,
                            htp_dtype dtype);

/** Whether @p x is not -inf, which counts as allowed there. */
htp_tensor_id htp_emit_above_infinity(htp_lowering *l, htp_tensor_id x, htp_dtype dtype);

/** aten::gelu: x · Φ(x), or its approximation by tanh. */
htp_tensor_id htp_emit_gelu(htp_lowering *l, htp_tensor_id x, htp_dtype dtype, bool use_tanh);

#endif
