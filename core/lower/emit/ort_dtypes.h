/*
 * Which dtypes an ONNX operator can be run in: its type constraint in opsets 17 to 23, and the
 * kernels of ONNX Runtime's CPU provider. An operator is emitted in a dtype that has both; other
 * dtypes are computed in a wider one, which gives the same numbers. Private to core/lower.
 *
 * float16 counts as present wherever ONNX allows it, because ONNX Runtime computes it in float32
 * by itself.
 */
#ifndef HTP_LOWER_ORT_DTYPES_H
#define HTP_LOWER_ORT_DTYPES_H

#include "lower/emit/lowering.h"

/** The dtype to run @p op in for operands of @p dtype: @p dtype itself or a wider one that holds
 * all its values; fails if there is none. */
htp_dtype htp_kernel_dtype(htp_lowering *l, const char *op, htp_dtype dtype);

/** A node whose inputs and output are all of @p dtype; casts around it where needed. */
htp_tensor_id htp_emit_typed(htp_lowering *l, const char *op, htp_dtype dtype,
                             htp_emit_inputs inputs, htp_emit_attributes attributes);

/** htp_emit_typed() for operators of two operands without attributes. For those of one operand see
 * lower/compose/elementary.h. */
htp_tensor_id htp_typed_binary(htp_lowering *l, const char *op, htp_dtype dtype, htp_tensor_id a,
                               htp_tensor_id b);

/** As htp_typed_binary() with a constant second operand. */
htp_tensor_id htp_typed_scalar(htp_lowering *l, const char *op, htp_dtype dtype, htp_tensor_id a,
                               double b);

/** The larger ("Max") or smaller ("Min") of two. For vectors of int64 ONNX Runtime's Max, Min,
 * Clip, Sign, ReduceMax and ReduceMin mistake bit 31 for a sign, so these are composed of
 * comparisons. */
htp_tensor_id htp_typed_extreme(htp_lowering *l, const char *op, htp_dtype dtype, htp_tensor_id a,
                                htp_tensor_id b);

/** A node with one or two inputs (@p b may be HTP_NONE) of @p dtype and a bool output. */
htp_tensor_id htp_typed_predicate(htp_lowering *l, const char *op, htp_dtype dtype, htp_tensor_id a,
                                  htp_tensor_id b);

/** As htp_typed_predicate() with a constant second operand. */
htp_tensor_id htp_typed_predicate_scalar(htp_lowering *l, const char *op, htp_dtype dtype,
                                         htp_tensor_id a, double b);

/** A Where with a bool condition and branches of @p dtype. */
htp_tensor_id htp_typed_where(htp_lowering *l, htp_dtype dtype, htp_tensor_id condition,
                              htp_tensor_id then, htp_tensor_id otherwise);

/** An Expand of a tensor of @p dtype: it is broadcast with @p shape. */
htp_tensor_id htp_typed_expand(htp_lowering *l, htp_dtype dtype, htp_tensor_id x,
                               htp_tensor_id shape);

/** A reduction (see htp_emit_reduce()) with input and output of @p dtype. Without axes none are
 * kept in ReduceMax and ReduceMin. */
htp_tensor_id htp_typed_reduce(htp_lowering *l, const char *op, htp_dtype dtype, htp_tensor_id x,
                               const int64_t *axes, size_t axis_count, bool keepdims);

/** The dtype for a composite: float32 for 16-bit floats, because PyTorch's CPU kernels round these
 * once, at the end; otherwise @p dtype. */
htp_dtype htp_composite_dtype(htp_dtype dtype);

#endif
