#include "lower/emit/ort_dtypes.h"

#include "base/text.h"

#include <stdlib.h>
#include <string.h>

#define BIT(dtype) (1U << HTP_DTYPE_##dtype)
#define FLOATS (BIT(FLOAT16) | BIT(FLOAT32) | BIT(FLOAT64))
#define SINGLE (BIT(FLOAT16) | BIT(FLOAT32))
#define WIDE (FLOATS | BIT(INT64) | BIT(INT32))
#define BYTES (BIT(INT8) | BIT(UINT8))
#define ALL (WIDE | BIT(INT16) | BYTES)

typedef struct kernel {
    const char *op;
    uint32_t dtypes;
} kernel;

/* In order of name. */
static const kernel kernels[] = {
    {"Abs", ALL},
    {"Acos", SINGLE},
    {"Acosh", SINGLE},
    {"Add", ALL},
    {"ArgMax", WIDE | BYTES},
    {"ArgMin", WIDE | BYTES},
    {"Asin", SINGLE},
    {"Asinh", SINGLE},
    {"Atan", SINGLE},
    {"Atanh", SINGLE},
    {"Ceil", FLOATS},
    {"Clip", WIDE | BYTES},
    {"Cos", FLOATS},
    {"Cosh", SINGLE},
    {"CumSum", WIDE},
    {"DepthToSpace", FLOATS | BYTES},
    {"Div", ALL},
    {"Equal", ALL | BIT(BOOL)},
    {"Erf", SINGLE},
    {"Exp", FLOATS},
    {"Expand", ALL | BIT(BOOL)},
    {"Floor", FLOATS},
    {"Greater", ALL},
    {"GreaterOrEqual", ALL},
    {"IsInf", BIT(FLOAT32) | BIT(FLOAT64)},
    {"IsNaN", FLOATS},
    {"Less", ALL},
    {"LessOrEqual", ALL},
    {"Log", FLOATS},
    {"Max", WIDE | BYTES},
    {"Min", WIDE | BYTES},
    {"Mod", ALL},
    {"Mul", ALL},
    {"Neg", WIDE | BIT(INT16) | BIT(INT8)},
    {"Pad", WIDE | BYTES | BIT(BOOL)},
    {"Pow", FLOATS},
    {"Reciprocal", FLOATS},
    {"ReduceL1", WIDE},
    {"ReduceL2", FLOATS},
    {"ReduceLogSumExp", FLOATS},
    {"ReduceMax", WIDE | BYTES},
    {"ReduceMean", FLOATS},
    {"ReduceMin", WIDE | BYTES},
    {"ReduceProd", WIDE},
    {"ReduceSum", WIDE},
    {"Relu", FLOATS | BIT(INT32) | BIT(INT8)},
    {"Round", FLOATS},
    {"Sigmoid", FLOATS},
    {"Sign", ALL},
    {"Sin", FLOATS},
    {"Sinh", SINGLE},
    {"Sqrt", FLOATS},
    {"Sub", ALL},
    {"Tan", SINGLE},
    {"Tanh", FLOATS},
    {"Tile", ALL | BIT(BOOL)},
    {"TopK", ALL},
    {"Trilu", WIDE | BIT(BOOL)},
    {"Where", WIDE | BYTES},
};

/** The next wider dtype, or HTP_DTYPE_OTHER. */
static htp_dtype widen(htp_dtype dtype)
{
    switch (dtype) {
    case HTP_DTYPE_BOOL:
        return HTP_DTYPE_UINT8;
    case HTP_DTYPE_UINT8:
    case HTP_DTYPE_INT8:
        return HTP_DTYPE_INT16;
    case HTP_DTYPE_INT16:
        return HTP_DTYPE_INT32;
    case HTP_DTYPE_INT32:
        return HTP_DTYPE_INT64;
    case HTP_DTYPE_FLOAT16:
    case HTP_DTYPE_BFLOAT16:
        return HTP_DTYPE_FLOAT32;
    default:
        return HTP_DTYPE_OTHER;
    }
}

htp_dtype htp_kernel_dtype(htp_lowering *l, const char *op, htp_dtype dtype)
{
    const kernel *row = bsearch(op, kernels, sizeof(kernels) / sizeof(kernels[0]),
                                sizeof(kernels[0]), htp_row_compare);
    htp_dtype wide = dtype;
    while (row && wide != HTP_DTYPE_OTHER && !(row->dtypes >> wide & 1)) {
        wide = widen(wide);
    }
    if (!row || wide == HTP_DTYPE_OTHER) {
        htp_lower_fail(l, "runtimes do not compute ONNX %s in %s", op, htp_dtype_name(dtype));
        return dtype;
    }
    return wide;
}

htp_tensor_id htp_emit_typed(htp_lowering *l, const char *op, htp_dtype dtype,
                             htp_emit_inputs inputs, htp_emit_attributes attributes)
{
    htp_dtype wide = htp_kernel_dtype(l, op, dtype);
    htp_tensor_id *cast = HTP_NEW_ARRAY(l->arena, htp_tensor_id, inputs.count);
    for (size_t i = 0; i < inputs.count; i++) {
        cast[i] =
            inputs.items[i] == HTP_NONE ? HTP_NONE : htp_emit_cast(l, inputs.items[i], dtype, wide);
    }
    htp_tensor_id result = htp_emit(l, op, (htp_emit_inputs){cast, inputs.count}, attributes);
    return htp_emit_cast(l, result, wide, dtype);
}

htp_tensor_id htp_typed_binary(htp_lowering *l, const char *op, htp_dtype dtype, htp_tensor_id a,
                               htp_tensor_id b)
{
    return htp_emit_typed(l, op, dtype, HTP_IN(a, b), HTP_NO_AT);
}

htp_tensor_id htp_typed_scalar(htp_lowering *l, const char *op, htp_dtype dtype, htp_tensor_id a,
                               double b)
{
    htp_dtype wide = htp_kernel_dtype(l, op, dtype);
    htp_tensor_id result = htp_emit(
        l, op, HTP_IN(htp_emit_cast(l, a, dtype, wide), htp_emit_scalar(l, wide, b)), HTP_NO_AT);
    return htp_emit_cast(l, result, wide, dtype);
}

/** Whether a tensor is known to have a single element, such as a size. */
static bool is_single(const htp_builder *model, htp_tensor_id x)
{
    return x != HTP_NONE && model->tensors.items[x].has_type && model->tensors.items[x].rank == 0;
}

htp_tensor_id htp_typed_extreme(htp_lowering *l, const char *op, htp_dtype dtype, htp_tensor_id a,
                                htp_tensor_id b)
{
    if (dtype != HTP_DTYPE_INT64 || (is_single(l->model, a) && is_single(l->model, b))) {
        return htp_typed_binary(l, op, dtype, a, b);
    }
    const char *is_beaten = strcmp(op, "Max") == 0 ? "Less" : "Greater";
    return htp_typed_where(l, dtype, htp_typed_predicate(l, is_beaten, dtype, a, b), b, a);
}

htp_tensor_id htp_typed_predicate(htp_lowering *l, const char *op, htp_dtype dtype, htp_tensor_id a,
                                  htp_tensor_id b)
{
    htp_dtype wide = htp_kernel_dtype(l, op, dtype);
    a = htp_emit_cast(l, a, dtype, wide);
    b = b == HTP_NONE ? b : htp_emit_cast(l, b, dtype, wide);
    return htp_emit(l, op, HTP_IN(a, b), HTP_NO_AT);
}

htp_tensor_id htp_typed_predicate_scalar(htp_lowering *l, const char *op, htp_dtype dtype,
                                         htp_tensor_id a, double b)
{
    htp_dtype wide = htp_kernel_dtype(l, op, dtype);
    a = htp_emit_cast(l, a, dtype, wide);
    return htp_emit(l, op, HTP_IN(a, htp_emit_scalar(l, wide, b)), HTP_NO_AT);
}

htp_tensor_id htp_typed_where(htp_lowering *l, htp_dtype dtype, htp_tensor_id condition,
                              htp_tensor_id then, htp_tensor_id otherwise)
{
    htp_dtype wide = htp_kernel_dtype(l, "Where", dtype);
    then = htp_emit_cast(l, then, dtype, wide);
    otherwise = htp_emit_cast(l, otherwise, dtype, wide);
    htp_tensor_id result = htp_emit(l, "Where", HTP_IN(condition, then, otherwise), HTP_NO_AT);
    return htp_emit_cast(l, result, wide, dtype);
}

htp_tensor_id htp_typed_expand(htp_lowering *l, htp_dtype dtype, htp_tensor_id x,
                               htp_tensor_id shape)
{
    htp_dtype wide = htp_kernel_dtype(l, "Expand", dtype);
    x = htp_emit_cast(l, x, dtype, wide);
    return htp_emit_cast(l, htp_emit(l, "Expand", HTP_IN(x, shape), HTP_NO_AT), wide, dtype);
}

/** The largest or smallest element of int64, by its index: see htp_typed_extreme(). */
static htp_tensor_id pick_extreme(htp_lowering *l, const char *arg, htp_tensor_id x,
                                  const int64_t *axes, size_t axis_count, bool keepdims)
{
    for (size_t i = 0; i < axis_count; i++) {
        htp_attribute axis = htp_attribute_int("axis", axes[i]);
        htp_tensor_id index = htp_emit(l, arg, HTP_IN(x), HTP_AT(axis));
        x = htp_emit(l, "GatherElements", HTP_IN(x, index), HTP_AT(axis));
    }
    return keepdims ? x : htp_emit_squeeze(l, x, axes, axis_count);
}

htp_tensor_id htp_typed_reduce(htp_lowering *l, const char *op, htp_dtype dtype, htp_tensor_id x,
                               const int64_t *axes, size_t axis_count, bool keepdims)
{
    static const int64_t first = 0;
    bool is_max = strcmp(op, "ReduceMax") == 0;
    if (dtype == HTP_DTYPE_INT64 && (is_max || strcmp(op, "ReduceMin") == 0)) {
        if (axis_count == 0) {
            x = htp_emit(l, "Reshape", HTP_IN(x, htp_emit_int(l, -1)), HTP_NO_AT);
            axes = &first;
            axis_count = 1;
            keepdims = false; /* the reshape has made the dim */
        }
        return pick_extreme(l, is_max ? "ArgMax" : "ArgMin", x, axes, axis_count, keepdims);
    }
    htp_dtype wide = htp_kernel_dtype(l, op, dtype);
    x = htp_emit_cast(l, x, dtype, wide);
    return htp_emit_cast(l, htp_emit_reduce(l, op, x, axes, axis_count, keepdims), wide, dtype);
}

htp_dtype htp_composite_dtype(htp_dtype dtype)
{
    return dtype == HTP_DTYPE_FLOAT16 || dtype == HTP_DTYPE_BFLOAT16 ? HTP_DTYPE_FLOAT32 : dtype;
}
