/*
 * Arithmetic on two tensors, or a tensor and a number: aten::add, sub, mul, div, pow, fmod,
 * remainder and composites of them. Both operands are cast to their common dtype first.
 */
#include "lower/compose/arithmetic.h"

#include "lower/compose/compose.h"
#include "lower/compose/elementary.h"
#include "lower/compose/formula.h"
#include "lower/emit/constant.h"
#include "lower/emit/ort_dtypes.h"
#include "lower/emit/promote.h"
#include "lower/emit/rows.h"

#include <math.h>
#include <string.h>

/** @p x times the argument alpha, which is usually 1. */
static htp_tensor_id scale(htp_lowering *l, const char *alpha, htp_dtype dtype, htp_tensor_id x)
{
    if (!htp_arg_present(l, alpha) ||
        (htp_arg_is_constant(l, alpha) && htp_arg_float(l, alpha) == 1)) {
        return x;
    }
    return htp_typed_binary(l, "Mul", dtype, x, htp_arg_tensor_as(l, alpha, dtype));
}

/** Both operands in the dtype of a composite. */
static htp_operands composite_operands(htp_lowering *l, htp_operands o)
{
    htp_dtype dtype = htp_composite_dtype(o.dtype);
    return (htp_operands){htp_emit_cast(l, o.a, o.dtype, dtype),
                          htp_emit_cast(l, o.b, o.dtype, dtype), dtype};
}

static bool has_dims(htp_lowering *l, const char *name)
{
    const htp_trace_value *value = htp_graph_value(l->graph, htp_arg_value(l, name));
    return value->kind == HTP_TRACE_TENSOR && value->rank > 0;
}

/** Both operands in the dtype of a composite. A 0-d divisor is not rounded to 16 bits; nor is it in
 * PyTorch's division kernels, where 1 // 0.1 is 9. */
static htp_operands division_operands(htp_lowering *l)
{
    htp_operands o = htp_arg_operands(l, "self", "other");
    htp_operands wide = composite_operands(l, o);
    if (wide.dtype != o.dtype && !has_dims(l, "other")) {
        wide.b = htp_arg_tensor_as(l, "other", wide.dtype);
    }
    return wide;
}

/** Whether argument other is a 0-d number that float16 cannot hold: too large, or so small that
 * digits are lost. */
static bool exceeds_float16(htp_lowering *l)
{
    const double most = 65504;
    const double least = 0x1p-14;
    if (has_dims(l, "other")) {
        return false;
    }
    htp_value_id id = htp_arg_value(l, "other");
    if (htp_graph_value(l->graph, id)->kind == HTP_TRACE_TENSOR) {
        htp_dtype dtype = htp_value_dtype(l, id);
        return dtype != HTP_DTYPE_FLOAT16 && dtype != HTP_DTYPE_BOOL;
    }
    if (!htp_arg_is_constant(l, "other")) {
        return true;
    }
    double size = fabs(htp_arg_float(l, "other"));
    return isfinite(size) && (size > most || (size > 0 && size < least));
}

/** Operands of a product or a quotient. As in PyTorch's kernels, a number is not rounded to 16
 * bits, where 0 times -1e9 would be NaN. */
static htp_operands product_operands(htp_lowering *l, htp_operands o)
{
    if (o.dtype != HTP_DTYPE_FLOAT16 || !exceeds_float16(l)) {
        return o;
    }
    htp_dtype wide = htp_composite_dtype(o.dtype);
    return (htp_operands){htp_emit_cast(l, o.a, o.dtype, wide), htp_arg_tensor_as(l, "other", wide),
                          wide};
}

/** Operands in the dtype of a composite where there is a factor, so that a product is not rounded
 * to a narrow dtype. */
static htp_operands scaled_operands(htp_lowering *l)
{
    htp_operands o = htp_arg_operands(l, "self", "other");
    bool has_factor = htp_arg_present(l, "alpha") &&
                      !(htp_arg_is_constant(l, "alpha") && htp_arg_float(l, "alpha") == 1);
    return has_factor ? composite_operands(l, o) : o;
}

/** aten::add, aten::sub: self OP alpha * other */
void htp_lower_add(htp_lowering *l)
{
    htp_operands o = scaled_operands(l);
    htp_tensor_id other = scale(l, "alpha", o.dtype, o.b);
    htp_bind_cast(l, 0, htp_typed_binary(l, l->row->op, o.dtype, o.a, other), o.dtype);
}

/** aten::rsub: other - alpha * self */
void htp_lower_rsub(htp_lowering *l)
{
    htp_operands o = scaled_operands(l);
    htp_tensor_id self = scale(l, "alpha", o.dtype, o.a);
    htp_bind_cast(l, 0, htp_typed_binary(l, "Sub", o.dtype, o.b, self), o.dtype);
}

/** aten::mul */
void htp_lower_multiply(htp_lowering *l)
{
    htp_operands o = product_operands(l, htp_arg_operands(l, "self", "other"));
    htp_bind_cast(l, 0, htp_typed_binary(l, l->row->op, o.dtype, o.a, o.b), o.dtype);
}

/** aten::maximum, aten::minimum */
void htp_lower_extreme_of_two(htp_lowering *l)
{
    htp_operands o = htp_arg_operands(l, "self", "other");
    htp_bind_cast(l, 0, htp_typed_extreme(l, l->row->op, o.dtype, o.a, o.b), o.dtype);
}

/** aten::fmax, aten::fmin: as Max and Min, but a NaN counts only when both are. */
void htp_lower_fmax(htp_lowering *l)
{
    htp_operands o = htp_arg_operands(l, "self", "other");
    htp_tensor_id result = htp_typed_extreme(l, l->row->op, o.dtype, o.a, o.b);
    if (htp_dtype_is_float(o.dtype)) {
        htp_tensor_id a_is_nan = htp_typed_predicate(l, "IsNaN", o.dtype, o.a, HTP_NONE);
        htp_tensor_id b_is_nan = htp_typed_predicate(l, "IsNaN", o.dtype, o.b, HTP_NONE);
        result = htp_typed_where(l, o.dtype, b_is_nan, o.a, result);
        result = htp_typed_where(l, o.dtype, a_is_nan, o.b, result);
    }
    htp_bind_cast(l, 0, result, o.dtype);
}

htp_tensor_id htp_emit_truncate(htp_lowering *l, htp_dtype dtype, htp_tensor_id x)
{
    if (!htp_dtype_is_float(dtype)) {
        return x;
    }
    /* ONNX Runtime's Where would lose the sign of a zero. */
    htp_tensor_id size = htp_typed_unary(l, "Floor", dtype, htp_typed_unary(l, "Abs", dtype, x));
    return htp_typed_binary(l, "Mul", dtype, htp_typed_unary(l, "Sign", dtype, x), size);
}

static htp_tensor_id fmod_of(htp_lowering *l, htp_dtype dtype, htp_tensor_id a, htp_tensor_id b)
{
    return htp_emit_typed(l, "Mod", dtype, HTP_IN(a, b), HTP_AT(htp_attribute_int("fmod", 1)));
}

/** Whether a remainder is not zero and has another sign than the divisor. */
static htp_tensor_id signs_differ(htp_lowering *l, htp_dtype dtype, htp_tensor_id remainder,
                                  htp_tensor_id divisor)
{
    htp_tensor_id is_zero = htp_typed_predicate_scalar(l, "Equal", dtype, remainder, 0);
    htp_tensor_id differ =
        htp_emit_binary(l, "Xor", htp_typed_predicate_scalar(l, "Less", dtype, remainder, 0),
                        htp_typed_predicate_scalar(l, "Less", dtype, divisor, 0));
    return htp_emit_binary(l, "And", htp_emit_unary(l, "Not", is_zero), differ);
}

/** Integers: ONNX Div truncates, so one is subtracted where the remainder's sign differs from the
 * divisor's. */
static htp_tensor_id floor_divide_integers(htp_lowering *l, htp_dtype dtype, htp_tensor_id a,
                                           htp_tensor_id b)
{
    htp_tensor_id quotient = htp_typed_binary(l, "Div", dtype, a, b);
    if (dtype == HTP_DTYPE_UINT8) {
        return quotient;
    }
    htp_tensor_id product = htp_typed_binary(l, "Mul", dtype, quotient, b);
    htp_tensor_id remainder = htp_typed_binary(l, "Sub", dtype, a, product);
    htp_tensor_id fix = signs_differ(l, dtype, remainder, b);
    return htp_typed_binary(l, "Sub", dtype, quotient,
                            htp_emit_cast(l, fix, HTP_DTYPE_BOOL, dtype));
}

/** Floating-point numbers: by fmod, which is exact. A rounded quotient can be one too large (1 //
 * 0.1 is 9). Division by zero gives an infinity or NaN. */
static htp_tensor_id floor_divide_floats(htp_lowering *l, htp_dtype dtype, htp_tensor_id a,
                                         htp_tensor_id b)
{
    htp_tensor_id remainder = fmod_of(l, dtype, a, b);
    htp_tensor_id quotient =
        htp_typed_binary(l, "Div", dtype, htp_typed_binary(l, "Sub", dtype, a, remainder), b);
    htp_tensor_id fix =
        htp_emit_cast(l, signs_differ(l, dtype, remainder, b), HTP_DTYPE_BOOL, dtype);
    quotient = htp_typed_binary(l, "Sub", dtype, quotient, fix);
    htp_tensor_id floored = htp_typed_unary(l, "Floor", dtype, quotient);
    htp_tensor_id rest = htp_typed_binary(l, "Sub", dtype, quotient, floored);
    htp_tensor_id carry = htp_emit_cast(
        l, htp_typed_predicate_scalar(l, "Greater", dtype, rest, 0.5), HTP_DTYPE_BOOL, dtype);
    floored = htp_typed_binary(l, "Add", dtype, floored, carry);
    return htp_typed_where(l, dtype, htp_typed_predicate_scalar(l, "Equal", dtype, b, 0),
                           htp_typed_binary(l, "Div", dtype, a, b), floored);
}

htp_tensor_id htp_emit_floor_divide(htp_lowering *l, htp_dtype dtype, htp_tensor_id a,
                                    htp_tensor_id b)
{
    return htp_dtype_is_float(dtype) ? floor_divide_floats(l, dtype, a, b)
                                     : floor_divide_integers(l, dtype, a, b);
}

/** aten::floor_divide */
void htp_lower_floor_divide(htp_lowering *l)
{
    htp_operands o = division_operands(l);
    htp_bind_cast(l, 0, htp_emit_floor_divide(l, o.dtype, o.a, o.b), o.dtype);
}

/** A quotient. ONNX Runtime rewrites (1 / x) · y as y / x, even for integers: dividing -1 instead
 * of 1 avoids that. */
static htp_tensor_id quotient_of(const htp_formula *f, htp_operands o)
{
    htp_value_id self = htp_arg_value(f->l, "self");
    bool has_sign = !htp_dtype_is_float(o.dtype) && o.dtype != HTP_DTYPE_UINT8;
    if (!has_sign || htp_graph_is_computed(f->l->graph, self)) {
        return htp_step_binary(f, "Div", o.a, o.b);
    }
    htp_tensor_id minus = htp_step_binary(f, "Div", htp_step_unary(f, "Neg", o.a), o.b);
    return htp_step_unary(f, "Neg", minus);
}

/** aten::div with its three rounding modes. */
void htp_lower_divide(htp_lowering *l)
{
    const char *mode =
        htp_arg_present(l, "rounding_mode") ? htp_arg_string(l, "rounding_mode") : "";
    if (strcmp(mode, "floor") == 0) {
        htp_lower_floor_divide(l);
    } else if (strcmp(mode, "trunc") == 0) {
        /* PyTorch rounds a quotient of 16-bit floats before truncating it, unless the divisor is
         * one number. */
        htp_operands o = division_operands(l);
        htp_dtype given = htp_output_dtype(l, 0);
        htp_formula f =
            has_dims(l, "other") ? htp_formula_of_steps(l, given) : htp_formula_of_kernel(l, given);
        htp_tensor_id quotient = quotient_of(&f, o);
        htp_formula_bind(&f, 0, htp_emit_truncate(l, f.dtype, quotient));
    } else if (*mode == '\0') {
        htp_operands o = product_operands(l, htp_arg_float_operands(l, "self", "other"));
        htp_bind_cast(l, 0, htp_typed_binary(l, "Div", o.dtype, o.a, o.b), o.dtype);
    } else {
        htp_lower_fail(l, "rounding mode '%s' is not known", mode);
    }
}

htp_tensor_id htp_emit_remainder(htp_lowering *l, htp_dtype dtype, htp_tensor_id a, htp_tensor_id b)
{
    if (!htp_dtype_is_float(dtype)) {
        return htp_typed_binary(l, "Mod", dtype, a, b);
    }
    htp_tensor_id remainder = fmod_of(l, dtype, a, b);
    return htp_typed_where(l, dtype, signs_differ(l, dtype, remainder, b),
                           htp_typed_binary(l, "Add", dtype, remainder, b), remainder);
}

/** aten::remainder */
void htp_lower_remainder(htp_lowering *l)
{
    htp_operands o = composite_operands(l, htp_arg_operands(l, "self", "other"));
    htp_bind_cast(l, 0, htp_emit_remainder(l, o.dtype, o.a, o.b), o.dtype);
}

/** aten::fmod: the remainder with the sign of the dividend. ONNX Runtime's Mod computes it for
 * integers in double. */
void htp_lower_fmod(htp_lowering *l)
{
    htp_operands o = composite_operands(l, htp_arg_operands(l, "self", "other"));
    htp_tensor_id result;
    if (htp_dtype_is_float(o.dtype)) {
        result = fmod_of(l, o.dtype, o.a, o.b);
    } else {
        htp_tensor_id quotient = htp_typed_binary(l, "Div", o.dtype, o.a, o.b);
        result = htp_typed_binary(l, "Sub", o.dtype, o.a,
                                  htp_typed_binary(l, "Mul", o.dtype, quotient, o.b));
    }
    htp_bind_cast(l, 0, result, o.dtype);
}

/** Integer powers by squaring. */
static htp_tensor_id integer_power(htp_lowering *l, htp_dtype dtype, htp_tensor_id x,
                                   double exponent)
{
    if (!(exponent >= 0 && exponent < 64) || exponent != trunc(exponent)) {
        htp_lower_fail(l, "integers are not raised to the power of %g", exponent);
        return x;
    }
    unsigned n = (unsigned)exponent;
    if (n == 0) {
        /* x * 0 + 1 has the shape of x. */
        return htp_typed_scalar(l, "Add", dtype, htp_typed_scalar(l, "Mul", dtype, x, 0), 1);
    }
    htp_tensor_id result = HTP_NONE;
    for (htp_tensor_id square = x;; square = htp_typed_binary(l, "Mul", dtype, square, square)) {
        if (n & 1) {
            result =
                result == HTP_NONE ? square : htp_typed_binary(l, "Mul", dtype, result, square);
        }
        n >>= 1;
        if (n == 0) {
            return result;
        }
    }
}

htp_tensor_id htp_emit_power(htp_lowering *l, htp_dtype dtype, htp_tensor_id x, double exponent)
{
    if (!htp_dtype_is_float(dtype)) {
        return integer_power(l, dtype, x, exponent);
    }
    if (exponent == 1) {
        return x;
    }
    if (exponent == 0.5) {
        return htp_typed_unary(l, "Sqrt", dtype, x);
    }
    if (exponent == -0.5) { /* optimisers recognise norms by it */
        htp_tensor_id root = htp_typed_unary(l, "Sqrt", dtype, x);
        return htp_typed_binary(l, "Div", dtype, htp_emit_scalar(l, dtype, 1), root);
    }
    if (exponent == -1) {
        return htp_typed_unary(l, "Reciprocal", dtype, x);
    }
    return htp_typed_scalar(l, "Pow", dtype, x, exponent);
}

/** x, x², x⁴, ...: @p bits repeated squares of @p x along its last axis, which has size 1. */
static htp_tensor_id repeated_squares(htp_lowering *l, htp_tensor_id x, size_t bits)
{
    htp_tensor_id squares[64];
    squares[0] = x;
    for (size_t i = 1; i < bits; i++) {
        squares[i] = htp_emit_binary(l, "Mul", squares[i - 1], squares[i - 1]);
    }
    return htp_emit_concat(l, (htp_emit_inputs){squares, bits}, -1);
}

/** The lowest @p bits bits of an exponent, along its last axis. Bit 63 is 0 unless the exponent is
 * INT64_MIN. */
static htp_tensor_id bits_of(htp_lowering *l, htp_tensor_id exponent, size_t bits)
{
    int64_t weights[64];
    for (size_t i = 0; i < bits; i++) {
        weights[i] = i < 63 ? INT64_C(1) << i : INT64_MIN;
    }
    htp_tensor_id shifted = htp_emit_binary(l, "Div", exponent, htp_emit_ints(l, weights, bits));
    return htp_emit_binary(l, "Equal", htp_emit_binary(l, "Mod", shifted, htp_emit_int(l, 2)),
                           htp_emit_int(l, 1));
}

/** The product along a last axis of size @p count, a power of two. ONNX Runtime's ReduceProd is not
 * exact: it computes integers in float64. */
static htp_tensor_id exact_product(htp_lowering *l, htp_tensor_id x, size_t count)
{
    for (; count > 1; count /= 2) {
        htp_tensor_id halves[2];
        htp_emit_split(l, x, -1, halves, 2);
        x = htp_emit_binary(l, "Mul", halves[0], halves[1]);
    }
    return x;
}

/** x to a negative exponent: 0 unless x is 1 or -1. Both have a last axis of size 1. */
static htp_tensor_id inverse_power(htp_lowering *l, htp_tensor_id x, htp_tensor_id exponent)
{
    htp_tensor_id one = htp_emit_int(l, 1);
    htp_tensor_id is_unit = htp_emit_binary(l, "Equal", htp_emit_unary(l, "Abs", x), one);
    htp_tensor_id is_odd =
        htp_emit_binary(l, "Equal", htp_emit_binary(l, "Mod", exponent, htp_emit_int(l, 2)), one);
    htp_tensor_id unit = htp_typed_where(l, HTP_DTYPE_INT64, is_odd, x, one);
    return htp_typed_where(l, HTP_DTYPE_INT64, is_unit, unit, htp_emit_int(l, 0));
}

/** Integer powers with data-dependent exponents: the product of the repeated squares that the
 * exponent's bits select. It wraps around, as PyTorch's does. @return int64 */
static htp_tensor_id integer_power_of(htp_lowering *l, htp_operands o)
{
    const int64_t last = -1;
    size_t bits = 8 * (size_t)htp_dtype_size(o.dtype);
    htp_tensor_id x = htp_emit_cast(l, o.a, o.dtype, HTP_DTYPE_INT64);
    htp_tensor_id exponent = htp_emit_cast(l, o.b, o.dtype, HTP_DTYPE_INT64);
    x = htp_emit_unsqueeze(l, x, &last, 1);
    exponent = htp_emit_unsqueeze(l, exponent, &last, 1);
    htp_tensor_id factors = htp_typed_where(l, HTP_DTYPE_INT64, bits_of(l, exponent, bits),
                                            repeated_squares(l, x, bits), htp_emit_int(l, 1));
    htp_tensor_id result = exact_product(l, factors, bits);
    if (o.dtype != HTP_DTYPE_UINT8) {
        htp_tensor_id is_negative = htp_emit_binary(l, "Less", exponent, htp_emit_int(l, 0));
        result =
            htp_typed_where(l, HTP_DTYPE_INT64, is_negative, inverse_power(l, x, exponent), result);
    }
    return htp_emit_squeeze(l, result, &last, 1);
}

/** A number rounded to @p dtype. */
static double rounded_to(htp_dtype dtype, double value)
{
    char bytes[sizeof(double)];
    htp_number number = htp_number_float(value);
    bool is_read = htp_number_write(dtype, number, bytes) && htp_number_read(dtype, bytes, &number);
    return is_read && number.is_float ? number.f : value;
}

/** @param given  the operands' dtype, to which PyTorch rounds a constant exponent of 16-bit floats.
 * Exponents of 0.5 are no roots in float16, which matters for minus infinity */
static void lower_power(htp_lowering *l, htp_operands o, htp_dtype given)
{
    htp_tensor_id result;
    bool is_constant = htp_arg_is_constant(l, "exponent");
    double exponent = is_constant ? htp_arg_float(l, "exponent") : 0;
    exponent = given == o.dtype ? exponent : rounded_to(given, exponent);
    if (is_constant && given == HTP_DTYPE_FLOAT16 && fabs(exponent) == 0.5) {
        result = htp_typed_scalar(l, "Pow", o.dtype, o.a, exponent);
    } else if (is_constant) {
        result = htp_emit_power(l, o.dtype, o.a, exponent);
    } else if (htp_dtype_is_float(o.dtype)) {
        result = htp_typed_binary(l, "Pow", o.dtype, o.a, o.b);
    } else if (htp_dtype_is_integer(o.dtype)) {
        result = integer_power_of(l, o);
        o.dtype = HTP_DTYPE_INT64;
    } else {
        htp_lower_fail(l, "it is not supported for %s", htp_dtype_name(o.dtype));
        return;
    }
    htp_bind_cast(l, 0, result, o.dtype);
}

/** aten::pow */
void htp_lower_power(htp_lowering *l)
{
    htp_operands o = htp_arg_operands(l, "self", "exponent");
    lower_power(l, composite_operands(l, o), o.dtype);
}

/** aten::float_power: always in float64. */
void htp_lower_float_power(htp_lowering *l)
{
    htp_operands o = {htp_arg_tensor_as(l, "self", HTP_DTYPE_FLOAT64),
                      htp_arg_tensor_as(l, "exponent", HTP_DTYPE_FLOAT64), HTP_DTYPE_FLOAT64};
    lower_power(l, o, o.dtype);
}

/** aten::addcmul, aten::addcdiv: self + value * tensor1 OP tensor2 */
void htp_lower_addc(htp_lowering *l)
{
    static const char *const names[] = {"self", "tensor1", "tensor2"};
    htp_dtype common = htp_promote_arguments(l, names, 3);
    htp_dtype dtype = htp_composite_dtype(common);
    htp_tensor_id first = scale(l, "value", dtype, htp_arg_tensor_as(l, "tensor1", dtype));
    htp_tensor_id second = htp_arg_tensor_as(l, "tensor2", dtype);
    if (!htp_dtype_is_float(dtype) && strcmp(l->row->op, "Div") == 0) {
        htp_lower_fail(l, "it does not divide integers");
    }
    htp_tensor_id product = htp_typed_binary(l, l->row->op, dtype, first, second);
    htp_tensor_id self = htp_arg_tensor_as(l, "self", dtype);
    htp_bind_cast(l, 0, htp_typed_binary(l, "Add", dtype, self, product), dtype);
}

/** aten::lerp: from the nearer end, so that both ends are exact. */
void htp_lower_lerp(htp_lowering *l)
{
    static const char *const names[] = {"self", "end", "weight"};
    htp_dtype dtype = htp_composite_dtype(htp_promote_arguments(l, names, 3));
    htp_tensor_id start = htp_arg_tensor_as(l, "self", dtype);
    htp_tensor_id end = htp_arg_tensor_as(l, "end", dtype);
    htp_tensor_id weight = htp_arg_tensor_as(l, "weight", dtype);
    htp_tensor_id difference = htp_typed_binary(l, "Sub", dtype, end, start);
    htp_tensor_id from_start = htp_typed_binary(
        l, "Add", dtype, start, htp_typed_binary(l, "Mul", dtype, weight, difference));
    htp_tensor_id one = htp_emit_scalar(l, dtype, 1);
    htp_tensor_id rest = htp_typed_binary(l, "Sub", dtype, one, weight);
    htp_tensor_id from_end =
        htp_typed_binary(l, "Sub", dtype, end, htp_typed_binary(l, "Mul", dtype, difference, rest));
    htp_tensor_id is_near =
        htp_typed_predicate_scalar(l, "Less", dtype, htp_typed_unary(l, "Abs", dtype, weight), 0.5);
    htp_bind_cast(l, 0, htp_typed_where(l, dtype, is_near, from_start, from_end), dtype);
}
