/*
 * Integers as bits: shifts, greatest common divisors.
 *
 * Shifts multiply and divide by powers of two in int64, which holds all narrower integers; casting
 * back drops the bits shifted out. libtorch treats a negative or too large count as shifting out
 * all bits.
 */
#include "lower/compose/arithmetic.h"
#include "lower/compose/compose.h"
#include "lower/emit/ort_dtypes.h"
#include "lower/emit/promote.h"
#include "lower/emit/rows.h"

enum { BITS = 64 };

/** The arguments in their common dtype, which must be an integer's, as int64. */
static htp_operands arg_integers(htp_lowering *l)
{
    htp_operands o = htp_arg_operands(l, "self", "other");
    if (!htp_dtype_is_integer(o.dtype)) {
        htp_lower_fail(l, "%s has no bits to shift", htp_dtype_name(o.dtype));
    }
    o.a = htp_emit_cast(l, o.a, o.dtype, HTP_DTYPE_INT64);
    o.b = htp_emit_cast(l, o.b, o.dtype, HTP_DTYPE_INT64);
    return o;
}

/** 2^0, 2^1, ... up to @p count, then @p beyond: int64 [BITS + 1] */
static htp_tensor_id emit_powers(htp_lowering *l, int count, int64_t beyond)
{
    int64_t powers[BITS + 1];
    for (int i = 0; i <= BITS; i++) {
        powers[i] = i < count ? (int64_t)(UINT64_C(1) << i) : beyond;
    }
    return htp_emit_ints(l, powers, BITS + 1);
}

/** The shift count, from 0 to BITS; negative counts become BITS. */
static htp_tensor_id emit_distance(htp_lowering *l, htp_tensor_id count)
{
    htp_tensor_id most = htp_emit_scalar_int(l, HTP_DTYPE_INT64, BITS);
    htp_tensor_id zero = htp_emit_scalar_int(l, HTP_DTYPE_INT64, 0);
    htp_tensor_id is_negative = htp_emit_binary(l, "Less", count, zero);
    count = htp_emit(l, "Where", HTP_IN(is_negative, most, count), HTP_NO_AT);
    return htp_emit_binary(l, "Min", count, most);
}

htp_tensor_id htp_emit_left_shift(htp_lowering *l, htp_tensor_id x, htp_tensor_id count)
{
    htp_tensor_id powers = emit_powers(l, BITS, 0);
    return htp_emit_binary(l, "Mul", x, htp_emit_binary(l, "Gather", powers, count));
}

/** The quotient rounded down. For negative x it is -1 - (-1 - x) / 2^n, whose division has no
 * negative operand. */
htp_tensor_id htp_emit_right_shift(htp_lowering *l, htp_tensor_id x, htp_tensor_id count)
{
    htp_tensor_id zero = htp_emit_scalar_int(l, HTP_DTYPE_INT64, 0);
    htp_tensor_id minus_one = htp_emit_scalar_int(l, HTP_DTYPE_INT64, -1);
    htp_tensor_id is_negative = htp_emit_binary(l, "Less", x, zero);
    htp_tensor_id mirrored = htp_emit_binary(l, "Sub", minus_one, x);
    x = htp_emit(l, "Where", HTP_IN(is_negative, mirrored, x), HTP_NO_AT);
    htp_tensor_id powers = emit_powers(l, BITS - 1, 1);
    x = htp_emit_binary(l, "Div", x, htp_emit_binary(l, "Gather", powers, count));
    htp_tensor_id last = htp_emit_scalar_int(l, HTP_DTYPE_INT64, BITS - 2);
    htp_tensor_id is_all = htp_emit_binary(l, "Greater", count, last);
    x = htp_emit(l, "Where", HTP_IN(is_all, zero, x), HTP_NO_AT);
    mirrored = htp_emit_binary(l, "Sub", minus_one, x);
    return htp_emit(l, "Where", HTP_IN(is_negative, mirrored, x), HTP_NO_AT);
}

/** __lshift__, bitwise_left_shift */
void htp_lower_left_shift(htp_lowering *l)
{
    htp_operands o = arg_integers(l);
    htp_bind_cast(l, 0, htp_emit_left_shift(l, o.a, emit_distance(l, o.b)), HTP_DTYPE_INT64);
}

/** __rshift__, bitwise_right_shift */
void htp_lower_right_shift(htp_lowering *l)
{
    htp_operands o = arg_integers(l);
    htp_bind_cast(l, 0, htp_emit_right_shift(l, o.a, emit_distance(l, o.b)), HTP_DTYPE_INT64);
}

/* ---- greatest common divisors ---- */

/** An upper bound of the divisions in Euclid's algorithm for numbers of @p bits bits, by Lamé's
 * theorem, plus one for the case that the first number is larger. */
static unsigned division_count(unsigned bits)
{
    return (unsigned)(1.4405 * bits + 1.67) + 1;
}

/** |x| with wrap-around: the dtype's least number stays. */
static htp_tensor_id emit_size(htp_lowering *l, htp_dtype dtype, htp_dtype wide, htp_tensor_id x)
{
    x = htp_emit_unary(l, "Abs", htp_emit_cast(l, x, dtype, wide));
    return htp_emit_cast(l, htp_emit_cast(l, x, wide, dtype), dtype, wide);
}

/** The remainder in @p dtype, int32 or int64, with the sign of @p a. ONNX Runtime computes Mod with
 * that sign in float64, which does not hold all int64. */
static htp_tensor_id emit_rest(htp_lowering *l, htp_dtype dtype, htp_tensor_id a, htp_tensor_id b)
{
    if (dtype == HTP_DTYPE_INT32) {
        return htp_emit(l, "Mod", HTP_IN(a, b), HTP_AT(htp_attribute_int("fmod", 1)));
    }
    /* ONNX Runtime rewrites (1 / x) · y as y / x, even for integers: the Neg prevents that. */
    htp_tensor_id minus = htp_emit_unary(l, "Neg", htp_emit_binary(l, "Div", a, b));
    return htp_emit_binary(l, "Add", a, htp_emit_binary(l, "Mul", minus, b));
}

/** Euclid's algorithm, unrolled for the worst case. @p dtype is that of @p a and @p b */
static htp_tensor_id emit_gcd(htp_lowering *l, htp_dtype dtype, htp_tensor_id a, htp_tensor_id b)
{
    bool is_long = dtype == HTP_DTYPE_INT64;
    htp_dtype wide = is_long ? HTP_DTYPE_INT64 : HTP_DTYPE_INT32;
    a = emit_size(l, dtype, wide, a);
    b = emit_size(l, dtype, wide, b);
    htp_tensor_id zero = htp_emit_scalar_int(l, wide, 0);
    htp_tensor_id one = htp_emit_scalar_int(l, wide, 1);
    unsigned bits = 8 * htp_dtype_size(dtype) - (dtype != HTP_DTYPE_UINT8);
    for (unsigned i = division_count(bits); i > 0; i--) {
        /* x mod 1 is 0: a stays 0 from then on. */
        htp_tensor_id is_zero = htp_emit_binary(l, "Equal", a, zero);
        htp_tensor_id divisor = htp_emit(l, "Where", HTP_IN(is_zero, one, a), HTP_NO_AT);
        htp_tensor_id rest = emit_rest(l, wide, b, divisor);
        b = htp_emit(l, "Where", HTP_IN(is_zero, b, a), HTP_NO_AT);
        a = rest;
    }
    return htp_emit_cast(l, b, wide, dtype);
}

static htp_operands arg_numbers(htp_lowering *l)
{
    htp_operands o = htp_arg_operands(l, "self", "other");
    if (!htp_dtype_is_integer(o.dtype)) {
        htp_lower_fail(l, "%s has no divisors", htp_dtype_name(o.dtype));
    }
    return o;
}

/** aten::gcd */
void htp_lower_gcd(htp_lowering *l)
{
    htp_operands o = arg_numbers(l);
    htp_bind_cast(l, 0, l->failure ? o.a : emit_gcd(l, o.dtype, o.a, o.b), o.dtype);
}

/** aten::lcm: |a / gcd · b|, and 0 for two zeros; narrow integers wrap once, at the end */
void htp_lower_lcm(htp_lowering *l)
{
    htp_operands o = arg_numbers(l);
    htp_tensor_id divisor = l->failure ? o.a : emit_gcd(l, o.dtype, o.a, o.b);
    htp_tensor_id is_zero = htp_typed_predicate_scalar(l, "Equal", o.dtype, divisor, 0);
    htp_tensor_id one = htp_emit_scalar_int(l, o.dtype, 1);
    divisor = htp_typed_where(l, o.dtype, is_zero, one, divisor);
    htp_dtype wide = o.dtype == HTP_DTYPE_INT64 ? HTP_DTYPE_INT64 : HTP_DTYPE_INT32;
    htp_tensor_id x = htp_typed_binary(l, "Div", o.dtype, o.a, divisor);
    x = htp_emit_binary(l, "Mul", htp_emit_cast(l, x, o.dtype, wide),
                        htp_emit_cast(l, o.b, o.dtype, wide));
    htp_bind_cast(l, 0, htp_emit_unary(l, "Abs", x), wide);
}
