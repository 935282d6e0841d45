/*
 * The representation of floating-point numbers: aten::frexp, which decomposes them, and
 * aten::nextafter. ONNX has no access to bits, so this computes in float64 with powers of two,
 * exactly.
 */
#include "lower/compose/compose.h"
#include "lower/compose/formula.h"
#include "lower/emit/ort_dtypes.h"
#include "lower/emit/promote.h"
#include "lower/emit/rows.h"

#include <math.h>

/** The largest exponent of float64; the exponent that lifts numbers below 2^SMALL_EXPONENT before
 * they are decomposed. */
enum { LARGEST_EXPONENT = 1023, LIFT = 200, SMALL_EXPONENT = -800 };

/** |x| = mantissa · 2^exponent, for finite numbers other than 0. */
typedef struct number_parts {
    htp_tensor_id mantissa; /* from 0.5 up to 1 */
    htp_tensor_id exponent; /* an integer */
} number_parts;

static htp_tensor_id emit_power_of_two(const htp_formula *f, htp_tensor_id exponent)
{
    return htp_step_binary(f, "Pow", htp_step_number(f, 2), exponent);
}

/** The logarithm gives the exponent within one; the quotient shows whether it is one off. */
static number_parts take_apart(const htp_formula *f, htp_tensor_id size)
{
    htp_tensor_id is_small = htp_step_compare_scalar(f, "Less", size, ldexp(1, SMALL_EXPONENT));
    htp_tensor_id lifted = htp_step_scalar(f, "Mul", size, ldexp(1, LIFT));
    htp_tensor_id y = htp_step_where(f, is_small, lifted, size);
    htp_tensor_id guess = htp_step_scalar(f, "Div", htp_step_unary(f, "Log", y), log(2));
    guess = htp_step_scalar(f, "Min", htp_step_unary(f, "Floor", guess), LARGEST_EXPONENT);
    htp_tensor_id quotient = htp_step_binary(f, "Div", y, emit_power_of_two(f, guess));
    htp_tensor_id is_high = htp_step_compare_scalar(f, "GreaterOrEqual", quotient, 2);
    htp_tensor_id is_low = htp_step_compare_scalar(f, "Less", quotient, 1);
    htp_tensor_id half = htp_step_scalar(f, "Mul", quotient, 0.5);
    number_parts p;
    p.mantissa = htp_step_where(f, is_low, quotient, half);
    p.mantissa = htp_step_where(f, is_high, htp_step_scalar(f, "Mul", quotient, 0.25), p.mantissa);
    p.exponent = htp_step_where(f, is_low, guess, htp_step_scalar(f, "Add", guess, 1));
    p.exponent = htp_step_where(f, is_high, htp_step_scalar(f, "Add", guess, 2), p.exponent);
    htp_tensor_id sunk = htp_step_scalar(f, "Sub", p.exponent, LIFT);
    p.exponent = htp_step_where(f, is_small, sunk, p.exponent);
    return p;
}

static htp_formula in_double(htp_lowering *l)
{
    return (htp_formula){l, HTP_DTYPE_FLOAT64, HTP_DTYPE_FLOAT64};
}

/** aten::frexp: zero, infinity and NaN are their own mantissas, with exponent 0 */
void htp_lower_frexp(htp_lowering *l)
{
    htp_formula f = in_double(l);
    htp_tensor_id x = htp_step_arg(&f, "self");
    htp_tensor_id size = htp_step_unary(&f, "Abs", x);
    htp_tensor_id has_parts =
        htp_emit_binary(l, "And", htp_step_compare_scalar(&f, "Greater", size, 0),
                        htp_step_compare_scalar(&f, "Less", size, INFINITY));
    htp_tensor_id plain = htp_step_where(&f, has_parts, size, htp_step_number(&f, 1));
    number_parts p = take_apart(&f, plain);
    htp_tensor_id is_below = htp_step_compare_scalar(&f, "Less", x, 0);
    htp_tensor_id signed_part =
        htp_step_where(&f, is_below, htp_step_unary(&f, "Neg", p.mantissa), p.mantissa);
    htp_formula_bind(&f, 0, htp_step_where(&f, has_parts, signed_part, x));
    htp_tensor_id exponent = htp_step_where(&f, has_parts, p.exponent, htp_step_number(&f, 0));
    htp_bind_cast(l, 1, exponent, f.dtype);
}

/** The precision and range of a dtype. */
typedef struct precision {
    int digits;     /* of the mantissa, in bits */
    int least;      /* exponent of the least positive number */
    double largest; /* largest finite number */
} precision;

/** Fails for a dtype without a row. */
static precision precision_of(htp_lowering *l, htp_dtype dtype)
{
    switch (dtype) {
    case HTP_DTYPE_FLOAT64:
        return (precision){53, -1074, 0x1.fffffffffffffp1023};
    case HTP_DTYPE_FLOAT32:
        return (precision){24, -149, 0x1.fffffep127};
    case HTP_DTYPE_FLOAT16:
        return (precision){11, -24, 65504};
    case HTP_DTYPE_BFLOAT16:
        return (precision){8, -133, 0x1.fep127};
    default:
        htp_lower_fail(l, "%s is no floating-point number", htp_dtype_name(dtype));
        return (precision){1, 0, 0};
    }
}

/** The neighbour of @p size, which is positive: the next smaller one where the mask @p shrinks is
 * true, otherwise the next larger one. Below a power of two, steps are half as large. */
static htp_tensor_id emit_next(const htp_formula *f, const precision *stored, htp_tensor_id size,
                               htp_tensor_id shrinks)
{
    number_parts p = take_apart(f, size);
    htp_tensor_id is_power = htp_step_compare_scalar(f, "Equal", p.mantissa, 0.5);
    htp_tensor_id is_lower = htp_emit_binary(f->l, "And", is_power, shrinks);
    htp_tensor_id exponent = htp_step_scalar(f, "Sub", p.exponent, stored->digits);
    exponent = htp_step_where(f, is_lower, htp_step_scalar(f, "Sub", exponent, 1), exponent);
    exponent = htp_step_scalar(f, "Max", exponent, stored->least);
    htp_tensor_id step = emit_power_of_two(f, exponent);
    step = htp_step_where(f, shrinks, htp_step_unary(f, "Neg", step), step);
    return htp_step_binary(f, "Add", size, step);
}

/** aten::nextafter */
void htp_lower_nextafter(htp_lowering *l)
{
    static const char *const names[] = {"self", "other"};
    htp_dtype dtype = htp_promote_arguments(l, names, 2);
    htp_formula f = in_double(l);
    precision stored = precision_of(l, dtype);
    htp_tensor_id x = htp_emit_cast(l, htp_arg_tensor_as(l, "self", dtype), dtype, f.dtype);
    htp_tensor_id y = htp_emit_cast(l, htp_arg_tensor_as(l, "other", dtype), dtype, f.dtype);
    htp_tensor_id size = htp_step_unary(&f, "Abs", x);
    htp_tensor_id is_zero = htp_step_compare_scalar(&f, "Equal", size, 0);
    htp_tensor_id is_infinite = htp_step_compare_scalar(&f, "Equal", size, INFINITY);
    htp_tensor_id rises = htp_step_compare(&f, "Greater", y, x);
    htp_tensor_id is_below = htp_step_compare_scalar(&f, "Less", x, 0);
    /* A magnitude shrinks where a negative number goes up or a positive one goes down. */
    htp_tensor_id shrinks = htp_emit_binary(l, "Equal", rises, is_below);
    htp_tensor_id one = htp_step_number(&f, 1);
    htp_tensor_id plain =
        htp_step_where(&f, htp_emit_binary(l, "Or", is_zero, is_infinite), one, size);
    htp_tensor_id next = emit_next(&f, &stored, plain, shrinks);
    next = htp_step_where_number(&f, is_infinite, stored.largest, next);
    next = htp_step_where(&f, is_below, htp_step_unary(&f, "Neg", next), next);
    const double smallest = ldexp(1, stored.least);
    htp_tensor_id beside_zero =
        htp_step_where_number(&f, rises, smallest, htp_step_number(&f, -smallest));
    next = htp_step_where(&f, is_zero, beside_zero, next);
    next = htp_step_where(&f, htp_step_compare(&f, "Equal", x, y), y, next);
    htp_tensor_id sum = htp_step_binary(&f, "Add", x, y);
    htp_tensor_id has_nan =
        htp_emit_binary(l, "Or", htp_step_is_nan(&f, x), htp_step_is_nan(&f, y));
    htp_formula_bind(&f, 0, htp_step_where(&f, has_nan, sum, next));
}
