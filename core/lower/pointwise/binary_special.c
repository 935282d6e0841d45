/*
 * Element-wise functions of two tensors for which ONNX has no operator.
 */
#include "lower/compose/compose.h"
#include "lower/compose/elementary.h"
#include "lower/emit/ort_dtypes.h"
#include "lower/emit/promote.h"
#include "lower/emit/rows.h"
#include "lower/pointwise/special.h"

#include <math.h>

/** The common floating-point dtype of self and other. */
static htp_dtype float_dtype(htp_lowering *l)
{
    static const char *const names[] = {"self", "other"};
    return htp_promote_to_float(htp_promote_arguments(l, names, 2));
}

/** aten::xlogy, aten::special_xlog1py: the row's parameter is "1" for the latter. */
void htp_lower_xlogy(htp_lowering *l)
{
    htp_formula f = htp_formula_of_steps(l, float_dtype(l));
    htp_tensor_id a = htp_step_arg(&f, "self");
    htp_tensor_id b = htp_step_arg(&f, "other");
    htp_formula_bind(&f, 0, htp_emit_xlogy(&f, a, b, l->row->op != NULL));
}

/** aten::copysign */
void htp_lower_copysign(htp_lowering *l)
{
    htp_formula f = htp_formula_of_kernel(l, float_dtype(l));
    htp_tensor_id size = htp_step_unary(&f, "Abs", htp_step_arg(&f, "self"));
    htp_tensor_id is_negative = htp_emit_sign_bit(&f, htp_step_arg(&f, "other"));
    htp_tensor_id negative = htp_step_unary(&f, "Neg", size);
    htp_formula_bind(&f, 0, htp_step_where(&f, is_negative, negative, size));
}

/** aten::heaviside: 1 above 0; 0 below and for NaN; the argument values at 0 */
void htp_lower_heaviside(htp_lowering *l)
{
    static const char *const names[] = {"self", "values"};
    htp_dtype dtype = htp_promote_arguments(l, names, 2);
    htp_tensor_id x = htp_arg_tensor_as(l, "self", dtype);
    htp_tensor_id is_zero = htp_typed_predicate_scalar(l, "Equal", dtype, x, 0);
    htp_tensor_id step =
        dtype == HTP_DTYPE_BOOL ? x : htp_typed_predicate_scalar(l, "Greater", dtype, x, 0);
    step = htp_emit_cast(l, step, HTP_DTYPE_BOOL, dtype);
    htp_tensor_id values = htp_arg_tensor_as(l, "values", dtype);
    htp_bind_cast(l, 0, htp_typed_where(l, dtype, is_zero, values, step), dtype);
}

/** aten::ldexp: self · 2^other. The power is computed first, in float32 for integers */
void htp_lower_ldexp(htp_lowering *l)
{
    htp_dtype exponent = htp_promote_to_float(htp_arg_dtype(l, "other"));
    htp_formula power = htp_formula_of_steps(l, exponent);
    htp_tensor_id factor = htp_step_from(&power, 2, "Pow", htp_step_arg(&power, "other"));
    htp_formula f = htp_formula_of_kernel(l, htp_output_dtype(l, 0));
    factor = htp_emit_cast(l, factor, power.dtype, f.dtype);
    htp_formula_bind(&f, 0, htp_step_binary(&f, "Mul", htp_step_arg(&f, "self"), factor));
}

/** aten::hypot */
void htp_lower_hypot(htp_lowering *l)
{
    htp_formula f = htp_formula_of_kernel(l, float_dtype(l));
    htp_tensor_id x = htp_step_arg(&f, "self");
    htp_tensor_id y = htp_step_arg(&f, "other");
    htp_formula_bind(&f, 0, htp_emit_hypot(&f, x, y));
}

/** aten::logaddexp, and to base 2: the row's parameter is "2". The larger one, and the logarithm of
 * one plus a power that is at most one. */
void htp_lower_logaddexp(htp_lowering *l)
{
    htp_formula f = htp_formula_of_kernel(l, float_dtype(l));
    double base = l->row->op ? log(2) : 1;
    htp_tensor_id a = htp_step_arg(&f, "self");
    htp_tensor_id b = htp_step_arg(&f, "other");
    htp_tensor_id larger = htp_step_binary(&f, "Max", a, b);
    htp_tensor_id gap = htp_step_unary(&f, "Abs", htp_step_binary(&f, "Sub", a, b));
    htp_tensor_id power = htp_step_unary(&f, "Exp", htp_step_scalar(&f, "Mul", gap, -base));
    htp_tensor_id log = htp_emit_log1p(l, f.dtype, power);
    log = htp_step_scalar(&f, "Div", log, base);
    htp_tensor_id sum = htp_step_binary(&f, "Add", larger, log);
    /* The difference of two equal infinities is NaN. */
    htp_tensor_id is_infinite =
        htp_step_compare_scalar(&f, "Equal", htp_step_unary(&f, "Abs", a), INFINITY);
    htp_tensor_id is_same = htp_step_compare(&f, "Equal", a, b);
    is_same = htp_emit_binary(l, "And", is_same, is_infinite);
    htp_formula_bind(&f, 0, htp_step_where(&f, is_same, a, sum));
}

/** aten::isclose: equal, or |self - other| <= atol + |rtol · other| and finite */
void htp_lower_isclose(htp_lowering *l)
{
    htp_operands o = htp_arg_operands(l, "self", "other");
    htp_formula f = htp_formula_of_steps(l, htp_promote_to_float(o.dtype));
    double rtol = htp_arg_float(l, "rtol");
    double atol = htp_arg_float(l, "atol");
    htp_tensor_id close = htp_typed_predicate(l, "Equal", o.dtype, o.a, o.b);
    htp_tensor_id a = htp_step_arg(&f, "self");
    htp_tensor_id b = htp_step_arg(&f, "other");
    if (htp_arg_bool(l, "equal_nan")) {
        htp_tensor_id both =
            htp_emit_binary(l, "And", htp_step_is_nan(&f, a), htp_step_is_nan(&f, b));
        close = htp_emit_binary(l, "Or", close, both);
    }
    if (rtol != 0 || atol != 0) {
        htp_tensor_id allowed = htp_step_unary(&f, "Abs", htp_step_scalar(&f, "Mul", b, rtol));
        allowed = htp_step_scalar(&f, "Add", allowed, atol);
        htp_tensor_id error = htp_step_unary(&f, "Abs", htp_step_binary(&f, "Sub", a, b));
        htp_tensor_id is_finite = htp_step_compare_scalar(&f, "Less", error, INFINITY);
        htp_tensor_id is_near = htp_step_compare(&f, "LessOrEqual", error, allowed);
        close = htp_emit_binary(l, "Or", close, htp_emit_binary(l, "And", is_finite, is_near));
    }
    htp_bind(l, 0, close);
}

/** aten::isin: whether an element equals one of the test elements */
void htp_lower_isin(htp_lowering *l)
{
    const char *elements = htp_arg_present(l, "elements") ? "elements" : "element";
    const char *tests = htp_arg_present(l, "test_elements") ? "test_elements" : "test_element";
    htp_operands o = htp_arg_operands(l, elements, tests);
    int64_t last = htp_arg_rank(l, elements);
    if (htp_output_rank(l, 0) != (uint32_t)last) {
        htp_lower_fail(l, "libtorch gives its result another rank than its elements have");
        return;
    }
    htp_tensor_id column = htp_emit_unsqueeze(l, o.a, &last, 1);
    htp_tensor_id row = htp_emit_reshape(l, o.b, (const int64_t[]){-1}, 1);
    htp_tensor_id equal = htp_typed_predicate(l, "Equal", o.dtype, column, row);
    equal = htp_emit_cast(l, equal, HTP_DTYPE_BOOL, HTP_DTYPE_INT64);
    equal = htp_emit_reduce(l, "ReduceSum", equal, &last, 1, false);
    equal = htp_emit_cast(l, equal, HTP_DTYPE_INT64, HTP_DTYPE_BOOL);
    htp_bind(l, 0, htp_arg_bool(l, "invert") ? htp_emit_unary(l, "Not", equal) : equal);
}
