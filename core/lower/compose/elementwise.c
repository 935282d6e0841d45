/*
 * Functions of one tensor, element by element.
 */
#include "lower/compose/arithmetic.h"
#include "lower/compose/compose.h"
#include "lower/compose/elementary.h"
#include "lower/emit/ort_dtypes.h"
#include "lower/emit/promote.h"
#include "lower/emit/rows.h"

#include <math.h>

/** One ONNX operator in the dtype of self: aten::abs, aten::neg, ... */
void htp_lower_unary(htp_lowering *l)
{
    htp_dtype dtype = htp_arg_dtype(l, "self");
    htp_tensor_id x = htp_arg_tensor(l, "self");
    htp_bind_cast(l, 0, htp_typed_unary(l, l->row->op, dtype, x), dtype);
}

/** One ONNX operator in floating point, whatever the dtype of self: aten::exp, ... */
void htp_lower_unary_float(htp_lowering *l)
{
    htp_dtype dtype = htp_promote_to_float(htp_arg_dtype(l, "self"));
    htp_tensor_id x = htp_arg_tensor_as(l, "self", dtype);
    htp_bind_cast(l, 0, htp_typed_unary(l, l->row->op, dtype, x), dtype);
}

/** Rounding, which leaves integers as they are: aten::floor, aten::ceil. */
void htp_lower_rounding(htp_lowering *l)
{
    if (htp_dtype_is_float(htp_arg_dtype(l, "self"))) {
        htp_lower_unary(l);
    } else {
        htp_bind(l, 0, htp_arg_tensor(l, "self"));
    }
}

/** The argument self as floating point, in the dtype of a composite. */
static htp_tensor_id composite_self(htp_lowering *l, htp_dtype *dtype)
{
    *dtype = htp_composite_dtype(htp_promote_to_float(htp_arg_dtype(l, "self")));
    return htp_arg_tensor_as(l, "self", *dtype);
}

/** aten::round, half to even, to a number of decimals. */
void htp_lower_round(htp_lowering *l)
{
    int64_t decimals = htp_arg_int_or(l, "decimals", 0);
    if (decimals == 0 || !htp_dtype_is_float(htp_arg_dtype(l, "self"))) {
        htp_lower_rounding(l);
        return;
    }
    htp_dtype dtype;
    htp_tensor_id x = composite_self(l, &dtype);
    double power = pow(10, fabs((double)decimals));
    x = htp_typed_scalar(l, decimals > 0 ? "Mul" : "Div", dtype, x, power);
    x = htp_typed_unary(l, "Round", dtype, x);
    x = htp_typed_scalar(l, decimals > 0 ? "Div" : "Mul", dtype, x, power);
    htp_bind_cast(l, 0, x, dtype);
}

/** aten::trunc */
void htp_lower_truncate(htp_lowering *l)
{
    htp_dtype dtype = htp_arg_dtype(l, "self");
    htp_bind_cast(l, 0, htp_emit_truncate(l, dtype, htp_arg_tensor(l, "self")), dtype);
}

/** aten::frac: the fractional part */
void htp_lower_frac(htp_lowering *l)
{
    htp_dtype dtype;
    htp_tensor_id x = composite_self(l, &dtype);
    htp_tensor_id whole = htp_emit_truncate(l, dtype, x);
    htp_bind_cast(l, 0, htp_typed_binary(l, "Sub", dtype, x, whole), dtype);
}

/** aten::rsqrt */
void htp_lower_rsqrt(htp_lowering *l)
{
    htp_dtype dtype;
    htp_tensor_id x = composite_self(l, &dtype);
    htp_bind_cast(l, 0, htp_emit_power(l, dtype, x, -0.5), dtype);
}

/** aten::sign: 0 for NaN, which ONNX Sign keeps. */
void htp_lower_sign(htp_lowering *l)
{
    htp_dtype dtype = htp_arg_dtype(l, "self");
    htp_tensor_id x = htp_arg_tensor(l, "self");
    if (dtype == HTP_DTYPE_INT64) { /* see htp_typed_extreme() */
        htp_tensor_id above = htp_typed_predicate_scalar(l, "Greater", dtype, x, 0);
        htp_tensor_id below = htp_typed_predicate_scalar(l, "Less", dtype, x, 0);
        htp_bind(l, 0,
                 htp_typed_binary(l, "Sub", dtype, htp_emit_cast(l, above, HTP_DTYPE_BOOL, dtype),
                                  htp_emit_cast(l, below, HTP_DTYPE_BOOL, dtype)));
        return;
    }
    htp_tensor_id sign = htp_typed_unary(l, "Sign", dtype, x);
    if (htp_dtype_is_float(dtype)) {
        htp_tensor_id is_nan = htp_typed_predicate(l, "IsNaN", dtype, x, HTP_NONE);
        sign = htp_typed_where(l, dtype, is_nan, htp_emit_scalar(l, dtype, 0), sign);
    }
    htp_bind(l, 0, sign);
}

/** aten::square */
void htp_lower_square(htp_lowering *l)
{
    htp_dtype dtype = htp_arg_dtype(l, "self");
    htp_bind_cast(l, 0, htp_emit_power(l, dtype, htp_arg_tensor(l, "self"), 2), dtype);
}

/** aten::exp2 */
void htp_lower_exp2(htp_lowering *l)
{
    htp_dtype dtype;
    htp_tensor_id x = composite_self(l, &dtype);
    htp_tensor_id two = htp_emit_scalar(l, dtype, 2);
    htp_bind_cast(l, 0, htp_typed_binary(l, "Pow", dtype, two, x), dtype);
}

/** A logarithm to another base: in float64, so that powers of the base give exact integers. */
static void lower_log(htp_lowering *l, double base)
{
    htp_tensor_id x = htp_arg_tensor_as(l, "self", HTP_DTYPE_FLOAT64);
    x = htp_typed_unary(l, "Log", HTP_DTYPE_FLOAT64, x);
    htp_bind_cast(l, 0, htp_typed_scalar(l, "Div", HTP_DTYPE_FLOAT64, x, log(base)),
                  HTP_DTYPE_FLOAT64);
}

/** aten::log2 */
void htp_lower_log2(htp_lowering *l)
{
    lower_log(l, 2);
}

/** aten::log10 */
void htp_lower_log10(htp_lowering *l)
{
    lower_log(l, 10);
}

/** aten::log1p: log(1 + x) */
void htp_lower_log1p(htp_lowering *l)
{
    htp_dtype dtype;
    htp_tensor_id x = composite_self(l, &dtype);
    htp_bind_cast(l, 0, htp_emit_log1p(l, dtype, x), dtype);
}

/** aten::expm1: exp(x) - 1 */
void htp_lower_expm1(htp_lowering *l)
{
    htp_dtype dtype;
    htp_tensor_id x = composite_self(l, &dtype);
    htp_bind_cast(l, 0, htp_emit_expm1(l, dtype, x), dtype);
}

/** aten::logit: log(x / (1 - x)), with x kept eps away from 0 and 1. */
void htp_lower_logit(htp_lowering *l)
{
    htp_dtype dtype;
    htp_tensor_id x = composite_self(l, &dtype);
    if (htp_arg_present(l, "eps")) {
        double eps = htp_arg_float(l, "eps");
        x = htp_typed_scalar(l, "Max", dtype, x, eps);
        x = htp_typed_scalar(l, "Min", dtype, x, 1 - eps);
    }
    htp_tensor_id rest = htp_typed_binary(l, "Sub", dtype, htp_emit_scalar(l, dtype, 1), x);
    x = htp_typed_unary(l, "Log", dtype, htp_typed_binary(l, "Div", dtype, x, rest));
    htp_bind_cast(l, 0, x, dtype);
}

static void lower_factor(htp_lowering *l, double factor)
{
    htp_dtype dtype;
    htp_tensor_id x = composite_self(l, &dtype);
    htp_bind_cast(l, 0, htp_typed_scalar(l, "Mul", dtype, x, factor), dtype);
}

/** aten::deg2rad */
void htp_lower_deg2rad(htp_lowering *l)
{
    lower_factor(l, acos(-1) / 180);
}

/** aten::rad2deg */
void htp_lower_rad2deg(htp_lowering *l)
{
    lower_factor(l, 180 / acos(-1));
}

/** aten::isnan, aten::isinf, aten::isfinite (neither of them). Integers are always finite. */
void htp_lower_is_special(htp_lowering *l)
{
    htp_dtype dtype = htp_arg_dtype(l, "self");
    htp_tensor_id x = htp_arg_tensor(l, "self");
    bool wants_finite = l->row->op == NULL;
    htp_tensor_id result;
    if (!htp_dtype_is_float(dtype)) {
        result = htp_typed_predicate(l, "Equal", dtype, x, x);
        result = wants_finite ? result : htp_emit_unary(l, "Not", result);
    } else if (wants_finite) {
        htp_tensor_id is_nan = htp_typed_predicate(l, "IsNaN", dtype, x, HTP_NONE);
        htp_tensor_id is_inf = htp_typed_predicate(l, "IsInf", dtype, x, HTP_NONE);
        result = htp_emit_unary(l, "Not", htp_emit_binary(l, "Or", is_nan, is_inf));
    } else {
        result = htp_typed_predicate(l, l->row->op, dtype, x, HTP_NONE);
    }
    htp_bind(l, 0, result);
}

static void lower_is_infinity(htp_lowering *l, double infinity)
{
    htp_dtype dtype = htp_promote_to_float(htp_arg_dtype(l, "self"));
    htp_tensor_id x = htp_arg_tensor_as(l, "self", dtype);
    htp_bind(l, 0, htp_typed_predicate_scalar(l, "Equal", dtype, x, infinity));
}

/** aten::isposinf */
void htp_lower_isposinf(htp_lowering *l)
{
    lower_is_infinity(l, INFINITY);
}

/** aten::isneginf */
void htp_lower_isneginf(htp_lowering *l)
{
    lower_is_infinity(l, -INFINITY);
}

/** The largest finite number of a floating-point dtype. */
static double largest(htp_dtype dtype)
{
    switch (dtype) {
    case HTP_DTYPE_FLOAT16:
        return 65504;
    case HTP_DTYPE_BFLOAT16:
        return 0x1.fep127;
    case HTP_DTYPE_FLOAT32:
        return 0x1.fffffep127;
    default:
        return 0x1.fffffffffffffp1023;
    }
}

/** aten::nan_to_num */
void htp_lower_nan_to_num(htp_lowering *l)
{
    htp_dtype dtype = htp_arg_dtype(l, "self");
    htp_tensor_id x = htp_arg_tensor(l, "self");
    if (htp_dtype_is_float(dtype)) {
        double positive = htp_arg_float_or(l, "posinf", largest(dtype));
        double negative = htp_arg_float_or(l, "neginf", -largest(dtype));
        htp_tensor_id nan = htp_emit_scalar(l, dtype, htp_arg_float_or(l, "nan", 0));
        htp_tensor_id is_nan = htp_typed_predicate(l, "IsNaN", dtype, x, HTP_NONE);
        htp_tensor_id is_positive = htp_typed_predicate_scalar(l, "Equal", dtype, x, INFINITY);
        htp_tensor_id is_negative = htp_typed_predicate_scalar(l, "Equal", dtype, x, -INFINITY);
        x = htp_typed_where(l, dtype, is_nan, nan, x);
        x = htp_typed_where(l, dtype, is_positive, htp_emit_scalar(l, dtype, positive), x);
        x = htp_typed_where(l, dtype, is_negative, htp_emit_scalar(l, dtype, negative), x);
    }
    htp_bind(l, 0, x);
}

/** Whether a bound is known and not NaN. A NaN bound makes all elements NaN in PyTorch, but not in
 * ONNX Clip. */
static bool is_plain_bound(htp_lowering *l, const char *name)
{
    const htp_trace_value *value = htp_graph_value(l->graph, htp_arg_value(l, name));
    return htp_value_is_number(value) && htp_arg_is_constant(l, name) &&
           !isnan(htp_arg_float(l, name));
}

/** self clamped to bounds, which are optional. Clip is not used with one bound: ONNX Runtime takes
 * the largest finite number for the missing one, which would clip infinities. */
static void bind_between(htp_lowering *l, htp_dtype dtype, const char *min, const char *max)
{
    htp_tensor_id x = htp_arg_tensor_as(l, "self", dtype);
    htp_tensor_id low = htp_arg_optional_as(l, min, dtype);
    htp_tensor_id high = htp_arg_optional_as(l, max, dtype);
    if (low != HTP_NONE && high != HTP_NONE && dtype != HTP_DTYPE_INT64 && is_plain_bound(l, min) &&
        is_plain_bound(l, max)) {
        x = htp_emit_typed(l, "Clip", dtype, HTP_IN(x, low, high), HTP_NO_AT);
    } else {
        x = low == HTP_NONE ? x : htp_typed_extreme(l, "Max", dtype, x, low);
        x = high == HTP_NONE ? x : htp_typed_extreme(l, "Min", dtype, x, high);
    }
    htp_bind_cast(l, 0, x, dtype);
}

/** aten::clamp, clamp_min, clamp_max; the bounds are numbers or tensors. */
void htp_lower_clamp(htp_lowering *l)
{
    static const char *const names[] = {"self", "min", "max"};
    bind_between(l, htp_promote_arguments(l, names, 3), "min", "max");
}

/** aten::hardtanh */
void htp_lower_hardtanh(htp_lowering *l)
{
    bind_between(l, htp_output_dtype(l, 0), "min_val", "max_val");
}

/** aten::where with three arguments. */
void htp_lower_where(htp_lowering *l)
{
    htp_operands o = htp_arg_operands(l, "self", "other");
    htp_tensor_id condition = htp_arg_tensor_as(l, "condition", HTP_DTYPE_BOOL);
    htp_bind_cast(l, 0, htp_typed_where(l, o.dtype, condition, o.a, o.b), o.dtype);
}

/** aten::masked_fill */
void htp_lower_masked_fill(htp_lowering *l)
{
    htp_dtype dtype = htp_arg_dtype(l, "self");
    htp_tensor_id mask = htp_arg_tensor_as(l, "mask", HTP_DTYPE_BOOL);
    htp_tensor_id value = htp_arg_tensor_as(l, "value", dtype);
    htp_bind(l, 0, htp_typed_where(l, dtype, mask, value, htp_arg_tensor(l, "self")));
}
