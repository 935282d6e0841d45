/*
 * Comparisons, logical and bitwise operators.
 */
#include "lower/compose/arithmetic.h"
#include "lower/compose/compose.h"
#include "lower/emit/ort_dtypes.h"
#include "lower/emit/promote.h"
#include "lower/emit/rows.h"

#include <string.h>

/** aten::eq, lt, le, gt, ge */
void htp_lower_compare(htp_lowering *l)
{
    htp_operands o = htp_arg_operands(l, "self", "other");
    htp_tensor_id result = htp_typed_predicate(l, l->row->op, o.dtype, o.a, o.b);
    htp_bind_cast(l, 0, result, HTP_DTYPE_BOOL);
}

/** aten::ne */
void htp_lower_not_equal(htp_lowering *l)
{
    htp_operands o = htp_arg_operands(l, "self", "other");
    htp_tensor_id equal = htp_typed_predicate(l, "Equal", o.dtype, o.a, o.b);
    htp_bind_cast(l, 0, htp_emit_unary(l, "Not", equal), HTP_DTYPE_BOOL);
}

/** aten::logical_and, or, xor: nonzero is true. */
void htp_lower_logical(htp_lowering *l)
{
    htp_tensor_id a = htp_arg_tensor_as(l, "self", HTP_DTYPE_BOOL);
    htp_tensor_id b = htp_arg_tensor_as(l, "other", HTP_DTYPE_BOOL);
    htp_bind_cast(l, 0, htp_emit_binary(l, l->row->op, a, b), HTP_DTYPE_BOOL);
}

/** aten::logical_not */
void htp_lower_logical_not(htp_lowering *l)
{
    htp_tensor_id x = htp_arg_tensor_as(l, "self", HTP_DTYPE_BOOL);
    htp_bind_cast(l, 0, htp_emit_unary(l, "Not", x), HTP_DTYPE_BOOL);
}

htp_tensor_id htp_emit_bitwise(htp_lowering *l, const char *op, htp_dtype dtype, htp_tensor_id a,
                               htp_tensor_id b)
{
    if (dtype != HTP_DTYPE_BOOL) {
        op = htp_arena_printf(l->arena, "Bitwise%s", op);
        (void)htp_lower_needs_opset(l, 18, "on integers it");
    }
    return htp_emit_binary(l, op, a, b);
}

/** aten::bitwise_and, or, xor: ONNX And, ... on bool, BitwiseAnd, ... on integers. */
void htp_lower_bitwise(htp_lowering *l)
{
    htp_operands o = htp_arg_operands(l, "self", "other");
    htp_bind_cast(l, 0, htp_emit_bitwise(l, l->row->op, o.dtype, o.a, o.b), o.dtype);
}

/** aten::bitwise_not: of an integer -1 - x */
void htp_lower_bitwise_not(htp_lowering *l)
{
    htp_dtype dtype = htp_arg_dtype(l, "self");
    htp_tensor_id x = htp_arg_tensor(l, "self");
    if (dtype == HTP_DTYPE_BOOL) {
        htp_bind(l, 0, htp_emit_unary(l, "Not", x));
        return;
    }
    htp_tensor_id all_ones = htp_emit_scalar_int(l, dtype, -1);
    htp_bind(l, 0, htp_typed_binary(l, "Sub", dtype, all_ones, x));
}

/** How many elements are true along the axes of the argument dim; along all without it. */
static htp_tensor_id count_true(htp_lowering *l, htp_tensor_id is_true)
{
    uint32_t rank = htp_arg_rank(l, "self");
    size_t count = 0;
    const int64_t *axes = htp_arg_dims_list(l, "dim", rank, true, &count);
    bool keepdims = htp_arg_bool_or(l, "keepdim", false);
    htp_tensor_id ones = htp_emit_cast(l, is_true, HTP_DTYPE_BOOL, HTP_DTYPE_INT64);
    return rank == 0 ? ones : htp_emit_reduce(l, "ReduceSum", ones, axes, count, keepdims);
}

/** aten::any: some element is not zero. It counts, because ReduceMax of no elements is not
 * false. */
void htp_lower_any(htp_lowering *l)
{
    htp_tensor_id count = count_true(l, htp_arg_tensor_as(l, "self", HTP_DTYPE_BOOL));
    htp_tensor_id result = htp_emit_cast(l, count, HTP_DTYPE_INT64, HTP_DTYPE_BOOL);
    htp_bind_cast(l, 0, result, HTP_DTYPE_BOOL);
}

/** aten::all: no element is zero. */
void htp_lower_all(htp_lowering *l)
{
    htp_tensor_id is_true = htp_arg_tensor_as(l, "self", HTP_DTYPE_BOOL);
    htp_tensor_id count = count_true(l, htp_emit_unary(l, "Not", is_true));
    htp_tensor_id is_none =
        htp_emit_binary(l, "Equal", count, htp_emit_scalar_int(l, HTP_DTYPE_INT64, 0));
    htp_bind_cast(l, 0, is_none, HTP_DTYPE_BOOL);
}
