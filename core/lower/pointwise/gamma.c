/*
 * The gamma function's logarithm and its derivatives: aten::lgamma, digamma, polygamma, mvlgamma.
 *
 * All is computed in float64 and rounded once: by Stirling's series above 10, by recurrence below,
 * and by reflection left of zero. Source: Abramowitz and Stegun, Handbook of Mathematical
 * Functions, chapters 6 and 23.2.
 */
#include "lower/emit/rows.h"
#include "lower/pointwise/special.h"

#include <math.h>

enum { STEPS = 10, MAX_ORDER = 30, BERNOULLI_COUNT = 8, MAX_DIMENSION = 256 };

/** B2, B4, ... */
static const double bernoulli[BERNOULLI_COUNT] = {1.0 / 6,  -1.0 / 30,     1.0 / 42, -1.0 / 30,
                                                  5.0 / 66, -691.0 / 2730, 7.0 / 6,  -3617.0 / 510};

static htp_formula in_double(htp_lowering *l)
{
    htp_dtype dtype = htp_arg_dtype(l, "self");
    if (dtype != HTP_DTYPE_BOOL && !htp_dtype_is_integer(dtype) && !htp_dtype_is_float(dtype)) {
        htp_lower_fail(l, "it is not supported on %s", htp_dtype_name(dtype));
    }
    return (htp_formula){l, HTP_DTYPE_FLOAT64, HTP_DTYPE_FLOAT64};
}

/** A positive number, shifted if it is small. */
typedef struct shifted {
    htp_tensor_id is_small;
    htp_tensor_id small;   /* the number if it is small, otherwise 1 */
    htp_tensor_id shifted; /* the number, plus the recurrence's steps if it is small */
} shifted;

static shifted shift_up(const htp_formula *f, htp_tensor_id x, double steps)
{
    shifted s;
    s.is_small = htp_step_compare_scalar(f, "Less", x, steps);
    s.small = htp_step_where(f, s.is_small, x, htp_step_number(f, 1));
    s.shifted = htp_step_where(f, s.is_small, htp_step_scalar(f, "Add", x, steps), x);
    return s;
}

/** @p x - @p y where the number is small, @p x elsewhere. */
static htp_tensor_id shift_down(const htp_formula *f, const shifted *s, htp_tensor_id x,
                                htp_tensor_id y)
{
    return htp_step_where(f, s->is_small, htp_step_binary(f, "Sub", x, y), x);
}

/** The signed distance of @p x to the nearest integer. */
static htp_tensor_id emit_distance(const htp_formula *f, htp_tensor_id x)
{
    return htp_step_binary(f, "Sub", x, htp_step_unary(f, "Round", x));
}

/** The sum of c[i] / y^(2 i + 1). */
static htp_tensor_id emit_tail(const htp_formula *f, htp_tensor_id y,
                               const double c[BERNOULLI_COUNT])
{
    htp_tensor_id inverse = htp_step_unary(f, "Reciprocal", y);
    htp_tensor_id square = htp_step_binary(f, "Mul", inverse, inverse);
    return htp_step_binary(f, "Mul", htp_step_polynomial(f, square, c, BERNOULLI_COUNT), inverse);
}

/* ---- log Γ ---- */

/** log Γ(x) for x >= 0.5 */
static htp_tensor_id emit_stirling(const htp_formula *f, htp_tensor_id x)
{
    shifted s = shift_up(f, x, STEPS);
    htp_tensor_id product = s.small;
    for (int i = 1; i < STEPS; i++) {
        product = htp_step_binary(f, "Mul", product, htp_step_scalar(f, "Add", s.small, i));
    }
    double c[BERNOULLI_COUNT];
    for (int i = 0; i < BERNOULLI_COUNT; i++) {
        c[i] = bernoulli[i] / ((2.0 * i + 2) * (2.0 * i + 1));
    }
    htp_tensor_id y = s.shifted;
    htp_tensor_id tail = emit_tail(f, y, c);
    htp_tensor_id logarithm = htp_step_unary(f, "Log", y);
    htp_tensor_id sum = htp_step_binary(f, "Mul", htp_step_scalar(f, "Sub", y, 0.5), logarithm);
    sum = htp_step_binary(f, "Sub", sum, y);
    sum = htp_step_scalar(f, "Add", sum, 0.5 * log(2 * acos(-1)));
    sum = htp_step_binary(f, "Add", sum, tail);
    return shift_down(f, &s, sum, htp_step_unary(f, "Log", product));
}

htp_tensor_id htp_emit_log_gamma(const htp_formula *f, htp_tensor_id x)
{
    const double pi = acos(-1);
    htp_tensor_id is_left = htp_step_compare_scalar(f, "Less", x, 0.5);
    htp_tensor_id mirrored = htp_step_from(f, 1, "Sub", x);
    htp_tensor_id right = emit_stirling(f, htp_step_where(f, is_left, mirrored, x));
    htp_tensor_id sine =
        htp_step_unary(f, "Sin", htp_step_scalar(f, "Mul", emit_distance(f, x), pi));
    htp_tensor_id left = htp_step_from(f, pi, "Div", htp_step_unary(f, "Abs", sine));
    left = htp_step_binary(f, "Sub", htp_step_unary(f, "Log", left), right);
    htp_tensor_id result = htp_step_where(f, is_left, left, right);
    htp_tensor_id is_infinite =
        htp_step_compare_scalar(f, "Equal", htp_step_unary(f, "Abs", x), INFINITY);
    return htp_step_where_number(f, is_infinite, INFINITY, result);
}

/** aten::lgamma, special_gammaln */
void htp_lower_log_gamma(htp_lowering *l)
{
    htp_formula f = in_double(l);
    htp_formula_bind(&f, 0, htp_emit_log_gamma(&f, htp_step_arg(&f, "self")));
}

/** aten::mvlgamma: the sum of log Γ(x - j / 2) over j < p, plus p (p - 1) / 4 · log π */
void htp_lower_multivariate_log_gamma(htp_lowering *l)
{
    htp_formula f = in_double(l);
    int64_t p = htp_arg_int(l, "p");
    if (p < 1 || p > MAX_DIMENSION) {
        htp_lower_fail(l, "%lld dimensions are not valid, or too many", (long long)p);
        return;
    }
    htp_tensor_id x = htp_step_arg(&f, "self");
    htp_tensor_id sum = htp_step_number(&f, 0.25 * (double)(p * (p - 1)) * log(acos(-1)));
    for (int64_t j = 0; j < p; j++) {
        htp_tensor_id term = htp_emit_log_gamma(&f, htp_step_scalar(&f, "Sub", x, 0.5 * (double)j));
        sum = htp_step_binary(&f, "Add", sum, term);
    }
    htp_formula_bind(&f, 0, sum);
}

/* ---- its derivatives ---- */

/** ψ(x) for x > 0 */
static htp_tensor_id emit_right_digamma(const htp_formula *f, htp_tensor_id x)
{
    shifted s = shift_up(f, x, STEPS);
    htp_tensor_id steps = htp_step_unary(f, "Reciprocal", s.small);
    for (int i = 1; i < STEPS; i++) {
        htp_tensor_id next = htp_step_unary(f, "Reciprocal", htp_step_scalar(f, "Add", s.small, i));
        steps = htp_step_binary(f, "Add", steps, next);
    }
    double c[BERNOULLI_COUNT];
    for (int i = 0; i < BERNOULLI_COUNT; i++) {
        c[i] = bernoulli[i] / (2.0 * i + 2);
    }
    htp_tensor_id inverse = htp_step_unary(f, "Reciprocal", s.shifted);
    htp_tensor_id square = htp_step_binary(f, "Mul", inverse, inverse);
    htp_tensor_id tail =
        htp_step_binary(f, "Mul", htp_step_polynomial(f, square, c, BERNOULLI_COUNT), square);
    htp_tensor_id sum = htp_step_binary(f, "Sub", htp_step_unary(f, "Log", s.shifted),
                                        htp_step_scalar(f, "Mul", inverse, 0.5));
    return shift_down(f, &s, htp_step_binary(f, "Sub", sum, tail), steps);
}

/** cot(πx) */
static htp_tensor_id emit_cotangent(const htp_formula *f, htp_tensor_id x)
{
    htp_tensor_id angle = htp_step_scalar(f, "Mul", emit_distance(f, x), acos(-1));
    return htp_step_binary(f, "Div", htp_step_unary(f, "Cos", angle),
                           htp_step_unary(f, "Sin", angle));
}

static htp_tensor_id is_whole(const htp_formula *f, htp_tensor_id x)
{
    return htp_step_compare(f, "Equal", x, htp_step_unary(f, "Floor", x));
}

/** ψ(x): NaN for negative integers, and infinity of the opposite sign for ±0 */
static htp_tensor_id emit_digamma(const htp_formula *f, htp_tensor_id x)
{
    htp_tensor_id is_left = htp_step_compare_scalar(f, "Less", x, 0);
    htp_tensor_id mirrored = htp_step_from(f, 1, "Sub", x);
    htp_tensor_id right = emit_right_digamma(f, htp_step_where(f, is_left, mirrored, x));
    htp_tensor_id cotangent = htp_step_scalar(f, "Mul", emit_cotangent(f, x), acos(-1));
    htp_tensor_id left = htp_step_binary(f, "Sub", right, cotangent);
    left = htp_step_where_number(f, is_whole(f, x), NAN, left);
    htp_tensor_id result = htp_step_where(f, is_left, left, right);
    htp_tensor_id pole = htp_step_unary(f, "Neg", htp_step_unary(f, "Reciprocal", x));
    return htp_step_where(f, htp_step_compare_scalar(f, "Equal", x, 0), pole, result);
}

/** aten::digamma, special_psi */
void htp_lower_digamma(htp_lowering *l)
{
    htp_formula f = in_double(l);
    htp_formula_bind(&f, 0, emit_digamma(&f, htp_step_arg(&f, "self")));
}

static htp_tensor_id emit_power(const htp_formula *f, htp_tensor_id x, double exponent)
{
    return htp_step_scalar(f, "Pow", x, exponent);
}

/** The sum of (x + k)^-s over k >= 0, for x > 0 and s >= 2: Euler-Maclaurin, after some explicit
 * terms if x is small. */
static htp_tensor_id emit_zeta(const htp_formula *f, htp_tensor_id x, int64_t s)
{
    int64_t count = STEPS + s;
    htp_tensor_id sum = emit_power(f, x, -(double)s);
    for (int64_t i = 1; i < count; i++) {
        htp_tensor_id next = htp_step_scalar(f, "Add", x, (double)i);
        sum = htp_step_binary(f, "Add", sum, emit_power(f, next, -(double)s));
    }
    htp_tensor_id y = htp_step_scalar(f, "Add", x, (double)count);
    double c[BERNOULLI_COUNT];
    double factor = (double)s / 2;
    for (int64_t i = 0; i < BERNOULLI_COUNT; i++) {
        c[i] = bernoulli[i] * factor;
        double next = (double)(s + 2 * i + 1) * (double)(s + 2 * i + 2);
        factor *= next / (double)((2 * i + 3) * (2 * i + 4));
    }
    htp_tensor_id tail = emit_tail(f, y, c);
    tail = htp_step_scalar(f, "Add", tail, 0.5);
    htp_tensor_id line = htp_step_scalar(f, "Mul", y, 1 / (double)(s - 1));
    tail = htp_step_binary(f, "Add", tail, line);
    return htp_step_binary(f, "Add", sum,
                           htp_step_binary(f, "Mul", tail, emit_power(f, y, -(double)s)));
}

/** The derivative of order @p n of cot(πx), as a polynomial in the cotangent: each is -π (1 + c²)
 * times the derivative of the previous one. */
static htp_tensor_id emit_cotangent_derivative(const htp_formula *f, htp_tensor_id x, int64_t n)
{
    double c[MAX_ORDER + 3] = {0, 1};
    for (int64_t order = 0; order < n; order++) {
        double next[MAX_ORDER + 3] = {0};
        for (int64_t i = 1; i <= order + 1; i++) {
            double slope = -acos(-1) * (double)i * c[i];
            next[i - 1] += slope;
            next[i + 1] += slope;
        }
        for (int64_t i = 0; i < MAX_ORDER + 3; i++) {
            c[i] = next[i];
        }
    }
    /* Every second coefficient is zero. */
    double half[MAX_ORDER + 3];
    size_t count = 0;
    for (int64_t i = (n + 1) % 2; i <= n + 1; i += 2) {
        half[count++] = c[i];
    }
    htp_tensor_id cotangent = emit_cotangent(f, x);
    htp_tensor_id square = htp_step_binary(f, "Mul", cotangent, cotangent);
    htp_tensor_id sum = htp_step_polynomial(f, square, half, count);
    return (n + 1) % 2 ? htp_step_binary(f, "Mul", sum, cotangent) : sum;
}

/** libtorch's reflection for the first derivative. Its sine is computed in the operand's own dtype,
 * which decides how large the result is at integers. */
static htp_tensor_id emit_squared_sine(htp_lowering *l)
{
    htp_formula own = htp_formula_of_kernel(
        l, htp_arg_dtype(l, "self") == HTP_DTYPE_FLOAT64 ? HTP_DTYPE_FLOAT64 : HTP_DTYPE_FLOAT32);
    const double pi = acos(-1);
    htp_tensor_id angle = htp_step_scalar(&own, "Mul", htp_step_arg(&own, "self"), pi);
    htp_tensor_id sine = htp_step_unary(&own, "Sin", angle);
    htp_tensor_id square = htp_step_binary(&own, "Mul", sine, sine);
    square = htp_step_from(&own, pi * pi, "Div", square);
    return htp_emit_cast(l, square, own.dtype, HTP_DTYPE_FLOAT64);
}

/** aten::polygamma: the derivative of order n of ψ */
void htp_lower_polygamma(htp_lowering *l)
{
    htp_formula f = in_double(l);
    int64_t n = htp_arg_int(l, "n");
    htp_tensor_id x = htp_step_arg(&f, "self");
    if (n < 0 || n > MAX_ORDER) {
        htp_lower_fail(l, "the derivative of order %lld is not supported", (long long)n);
        return;
    }
    if (n == 0) {
        htp_formula_bind(&f, 0, emit_digamma(&f, x));
        return;
    }
    double sign = n % 2 ? 1 : -1;
    htp_tensor_id is_left = htp_step_compare_scalar(&f, "Less", x, n == 1 ? 0.5 : 0);
    htp_tensor_id mirrored = htp_step_from(&f, 1, "Sub", x);
    htp_tensor_id zeta = emit_zeta(&f, htp_step_where(&f, is_left, mirrored, x), n + 1);
    htp_tensor_id right = htp_step_scalar(&f, "Mul", zeta, sign * tgamma((double)n + 1));
    htp_tensor_id left;
    if (n == 1) {
        left = htp_step_binary(&f, "Sub", emit_squared_sine(l), right);
        htp_tensor_id is_infinite = htp_step_compare_scalar(&f, "Equal", x, INFINITY);
        right = htp_step_where_number(&f, is_infinite, 0, right);
    } else {
        htp_tensor_id derivative = emit_cotangent_derivative(&f, x, n);
        derivative = htp_step_scalar(&f, "Mul", derivative, -acos(-1));
        left = htp_step_binary(&f, "Add", derivative, htp_step_scalar(&f, "Mul", right, -sign));
        left = htp_step_where_number(&f, is_whole(&f, x), sign * INFINITY, left);
        is_left = htp_step_compare_scalar(&f, "LessOrEqual", x, 0);
    }
    htp_formula_bind(&f, 0, htp_step_where(&f, is_left, left, right));
}
