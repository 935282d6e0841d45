/*
 * Bessel functions of order 0 and 1: aten::i0, special_i0e, special_bessel_j0 and others.
 *
 * Small arguments use integral representations, as sums over equidistant points on an additional
 * axis, which converge faster than any power. Large ones use Hankel's asymptotic series. All is
 * computed in float64 and rounded once. Source: Abramowitz and Stegun, Handbook of Mathematical
 * Functions, 9.1.11, 9.1.21, 9.2.5, 9.2.6, 9.6.19, 9.6.24, 9.7.1, 9.7.2.
 */
#include "lower/compose/formula.h"
#include "lower/emit/constant.h"
#include "lower/emit/rows.h"
#include "lower/pointwise/special.h"

#include <math.h>

enum { POINTS = 32, LONG_POINTS = 40, MAX_POINTS = 72, TERMS = 20, SMALL_TERMS = 12, ORDERS = 32 };

/* From here on the asymptotic series has full precision. */
static const double LARGE = 30;

/** One function's argument. */
typedef struct bessel {
    htp_formula f;
    int order;
    htp_tensor_id x;
    htp_tensor_id size;     /* |x| */
    htp_tensor_id is_large; /* |x| > LARGE */
    htp_tensor_id near;     /* |x|, or LARGE where it is large */
    htp_tensor_id far;      /* |x|, or LARGE where it is not */
} bessel;

static bessel bessel_of(htp_lowering *l, htp_tensor_id x, int order)
{
    bessel b = {.f = {l, HTP_DTYPE_FLOAT64, HTP_DTYPE_FLOAT64}, .order = order, .x = x};
    b.size = htp_step_unary(&b.f, "Abs", b.x);
    b.is_large = htp_step_compare_scalar(&b.f, "Greater", b.size, LARGE);
    htp_tensor_id limit = htp_step_number(&b.f, LARGE);
    b.near = htp_step_where(&b.f, b.is_large, limit, b.size);
    b.far = htp_step_where(&b.f, b.is_large, b.size, limit);
    return b;
}

/** The argument self; the row's parameter begins with the order. */
static bessel arg_bessel(htp_lowering *l, const char *name)
{
    return bessel_of(l, htp_arg_tensor_as(l, name, HTP_DTYPE_FLOAT64), l->row->op[0] - '0');
}

static htp_tensor_id emit_vector(const htp_formula *f, const double *values, int64_t count)
{
    htp_number numbers[MAX_POINTS];
    for (int64_t i = 0; i < count; i++) {
        numbers[i] = htp_number_float(values[i]);
    }
    return htp_emit_numbers(f->l, f->dtype, 1, &count, numbers);
}

/** The sum of weights[k] · OP(x · points[k]) */
static htp_tensor_id sum_points(const htp_formula *f, const char *op, htp_tensor_id x,
                                const double *points, const double *weights, int64_t count)
{
    const int64_t last = htp_output_rank(f->l, 0);
    x = htp_emit_unsqueeze(f->l, x, &last, 1);
    x = htp_step_binary(f, "Mul", x, emit_vector(f, points, count));
    x = htp_step_unary(f, op, x);
    x = htp_step_binary(f, "Mul", x, emit_vector(f, weights, count));
    return htp_step_reduce(f, "ReduceSum", x, &last, 1, false);
}

/** Hankel's coefficients: (4n² - 1)(4n² - 9)... / (k! 8^k) */
static void list_coefficients(int order, double *c)
{
    double square = 4.0 * order * order;
    c[0] = 1;
    for (int k = 1; k < TERMS; k++) {
        c[k] = c[k - 1] * (square - (2.0 * k - 1) * (2.0 * k - 1)) / (8.0 * k);
    }
}

/** The series in 1 / far, times √(factor / far); every second term's sign is @p sign. */
static htp_tensor_id emit_series(const bessel *b, double sign, double factor)
{
    double c[TERMS];
    list_coefficients(b->order, c);
    for (int k = 1; k < TERMS; k += 2) {
        c[k] *= sign;
    }
    htp_tensor_id inverse = htp_step_unary(&b->f, "Reciprocal", b->far);
    htp_tensor_id root =
        htp_step_unary(&b->f, "Sqrt", htp_step_scalar(&b->f, "Mul", inverse, factor));
    return htp_step_binary(&b->f, "Mul", htp_step_polynomial(&b->f, inverse, c, TERMS), root);
}

/** @p x, with the argument's sign if the function is odd. */
static htp_tensor_id give_sign(const bessel *b, htp_tensor_id x)
{
    return b->order == 0 ? x
                         : htp_step_binary(&b->f, "Mul", x, htp_step_unary(&b->f, "Sign", b->x));
}

/* ---- I ---- */

/** exp(-|x|) · I(|x|) */
static htp_tensor_id emit_scaled_i(const bessel *b)
{
    double points[POINTS];
    double weights[POINTS];
    for (int k = 0; k < POINTS; k++) {
        double angle = acos(-1) * (k + 0.5) / POINTS;
        points[k] = cos(angle) - 1;
        weights[k] = (b->order ? sin(angle) * sin(angle) : 1) / POINTS;
    }
    htp_tensor_id near = sum_points(&b->f, "Exp", b->near, points, weights, POINTS);
    near = b->order ? htp_step_binary(&b->f, "Mul", near, b->near) : near;
    htp_tensor_id far = emit_series(b, -1, 1 / (2 * acos(-1)));
    return htp_step_where(&b->f, b->is_large, far, near);
}

/** aten::special_i0e, special_i1e */
void htp_lower_scaled_bessel_i(htp_lowering *l)
{
    bessel b = arg_bessel(l, "self");
    htp_formula_bind(&b.f, 0, give_sign(&b, emit_scaled_i(&b)));
}

htp_tensor_id htp_emit_bessel_i0(const htp_formula *f, htp_tensor_id x)
{
    bessel b = bessel_of(f->l, x, 0);
    return htp_step_binary(f, "Mul", htp_step_unary(f, "Exp", b.size), emit_scaled_i(&b));
}

/** aten::i0, special_i1, and so on: infinite where libtorch's exponential function is */
void htp_lower_bessel_i(htp_lowering *l)
{
    bessel b = arg_bessel(l, "self");
    bool is_double = htp_output_dtype(l, 0) == HTP_DTYPE_FLOAT64;
    double most = is_double ? log(1.7976931348623157e308) : log(3.4028234663852886e38);
    htp_tensor_id x = htp_step_unary(&b.f, "Exp", b.size);
    htp_tensor_id overflows = htp_step_compare_scalar(&b.f, "Greater", b.size, most);
    x = htp_step_where_number(&b.f, overflows, INFINITY, x);
    htp_formula_bind(&b.f, 0, give_sign(&b, htp_step_binary(&b.f, "Mul", x, emit_scaled_i(&b))));
}

/* ---- K ---- */

/** K(x) of 0 < x <= 2 by the ascending series */
static htp_tensor_id emit_small_k(const bessel *b, htp_tensor_id x)
{
    double own[SMALL_TERMS];  /* of I */
    double more[SMALL_TERMS]; /* with factors from the digamma function */
    double term = 1;
    double psi = -0.57721566490153286061;
    for (int k = 0; k < SMALL_TERMS; k++) {
        double next = psi + 1.0 / (k + 1);
        own[k] = b->order == 0 ? term : term / (k + 1);
        more[k] = b->order == 0 ? term * psi : own[k] * (psi + next) / 2;
        term /= (k + 1.0) * (k + 1.0);
        psi = next;
    }
    const htp_formula *f = &b->f;
    htp_tensor_id half = htp_step_scalar(f, "Mul", x, 0.5);
    htp_tensor_id t = htp_step_binary(f, "Mul", half, half);
    htp_tensor_id sum = htp_step_binary(f, "Mul", htp_step_unary(f, "Log", half),
                                        htp_step_polynomial(f, t, own, SMALL_TERMS));
    sum = htp_step_binary(f, "Sub", htp_step_polynomial(f, t, more, SMALL_TERMS), sum);
    if (b->order == 0) {
        return sum;
    }
    sum = htp_step_binary(f, "Mul", sum, half);
    return htp_step_binary(f, "Sub", htp_step_unary(f, "Reciprocal", x), sum);
}

/** exp(x) · K(x) of x > 0; infinite at 0, NaN below */
static htp_tensor_id emit_scaled_k(const bessel *b)
{
    const double step = 0.125;
    double points[LONG_POINTS];
    double weights[LONG_POINTS];
    for (int k = 0; k < LONG_POINTS; k++) {
        points[k] = 1 - cosh(k * step);
        weights[k] = cosh(b->order * k * step) * (k == 0 ? 0.5 : 1) * step;
    }
    const htp_formula *f = &b->f;
    htp_tensor_id is_small = htp_step_compare_scalar(f, "Less", b->x, 2);
    htp_tensor_id two = htp_step_number(f, 2);
    htp_tensor_id middle = htp_step_where(f, is_small, two, b->near);
    middle = sum_points(f, "Exp", middle, points, weights, LONG_POINTS);
    htp_tensor_id large = emit_series(b, 1, acos(-1) / 2);
    htp_tensor_id result = htp_step_where(f, b->is_large, large, middle);
    htp_tensor_id x = htp_step_where(f, is_small, b->x, two);
    htp_tensor_id small =
        htp_step_binary(f, "Mul", emit_small_k(b, x), htp_step_unary(f, "Exp", x));
    result = htp_step_where(f, is_small, small, result);
    htp_tensor_id is_zero = htp_step_compare_scalar(f, "Equal", b->x, 0);
    result = htp_step_where_number(f, is_zero, INFINITY, result);
    htp_tensor_id is_negative = htp_step_compare_scalar(f, "Less", b->x, 0);
    return htp_step_where_number(f, is_negative, NAN, result);
}

/** aten::special_scaled_modified_bessel_k0, k1 */
void htp_lower_scaled_bessel_k(htp_lowering *l)
{
    bessel b = arg_bessel(l, "x");
    htp_formula_bind(&b.f, 0, emit_scaled_k(&b));
}

/** aten::special_modified_bessel_k0, k1 */
void htp_lower_bessel_k(htp_lowering *l)
{
    bessel b = arg_bessel(l, "self");
    htp_tensor_id fall = htp_step_unary(&b.f, "Exp", htp_step_unary(&b.f, "Neg", b.x));
    htp_formula_bind(&b.f, 0, htp_step_binary(&b.f, "Mul", emit_scaled_k(&b), fall));
}

/* ---- J ---- */

/** One of the two series of an oscillation: the even or the odd terms, with alternating signs. */
static htp_tensor_id emit_wave(const bessel *b, int first)
{
    double all[TERMS];
    double c[TERMS / 2];
    list_coefficients(b->order, all);
    for (int k = 0; k < TERMS / 2; k++) {
        c[k] = all[2 * k + first] * (k % 2 ? -1 : 1);
    }
    htp_tensor_id inverse = htp_step_unary(&b->f, "Reciprocal", b->far);
    htp_tensor_id square = htp_step_binary(&b->f, "Mul", inverse, inverse);
    htp_tensor_id sum = htp_step_polynomial(&b->f, square, c, TERMS / 2);
    return first ? htp_step_binary(&b->f, "Mul", sum, inverse) : sum;
}

/** J or Y of large arguments: the even terms with one wave, the odd ones with the other. */
static htp_tensor_id emit_far(const bessel *b, const char *even_wave, const char *odd_wave,
                              const char *join)
{
    const htp_formula *f = &b->f;
    htp_tensor_id angle = htp_step_scalar(f, "Sub", b->far, acos(-1) * (2 * b->order + 1) / 4);
    htp_tensor_id even =
        htp_step_binary(f, "Mul", htp_step_unary(f, even_wave, angle), emit_wave(b, 0));
    htp_tensor_id odd =
        htp_step_binary(f, "Mul", htp_step_unary(f, odd_wave, angle), emit_wave(b, 1));
    htp_tensor_id height = htp_step_from(f, 2 / acos(-1), "Div", b->far);
    return htp_step_binary(f, "Mul", htp_step_binary(f, join, even, odd),
                           htp_step_unary(f, "Sqrt", height));
}

/** aten::special_bessel_j0, j1 */
void htp_lower_bessel_j(htp_lowering *l)
{
    bessel b = arg_bessel(l, "self");
    if (htp_output_dtype(l, 0) == HTP_DTYPE_FLOAT64) {
        htp_lower_fail(l, "libtorch's own has errors up to 1e-7 in float64");
    }
    const htp_formula *f = &b.f;
    double points[POINTS];
    double weights[POINTS];
    for (int k = 0; k < POINTS; k++) {
        double angle = acos(-1) * (k + 0.5) / POINTS;
        points[k] = cos(angle);
        weights[k] = (b.order ? sin(angle) * sin(angle) : 1) / POINTS;
    }
    htp_tensor_id near = sum_points(f, "Cos", b.near, points, weights, POINTS);
    near = b.order ? htp_step_binary(f, "Mul", near, b.near) : near;
    htp_tensor_id far = emit_far(&b, "Cos", "Sin", "Sub");
    htp_formula_bind(f, 0, give_sign(&b, htp_step_where(f, b.is_large, far, near)));
}

/* ---- Y ---- */

static const double EULER = 0.57721566490153286061;

/** The sum over equidistant angles of OP(x · cos(angle)) times a sum of its harmonics: J of the
 * order @p first with weights[0], of that plus 2 with weights[1], and so on, without their signs.
 */
static htp_tensor_id sum_orders(const bessel *b, int first, const double *weights, int count)
{
    double points[MAX_POINTS];
    double sums[MAX_POINTS];
    for (int i = 0; i < MAX_POINTS; i++) {
        double angle = acos(-1) * (i + 0.5) / MAX_POINTS;
        points[i] = cos(angle);
        sums[i] = 0;
        for (int k = 0; k < count; k++) {
            sums[i] += weights[k] * cos((first + 2 * k) * angle) / MAX_POINTS;
        }
    }
    return sum_points(&b->f, first ? "Sin" : "Cos", b->near, points, sums, MAX_POINTS);
}

/** Y of arguments up to LARGE, by Neumann's series of J of all orders. */
static htp_tensor_id emit_near_y(const bessel *b)
{
    static const double one = 1;
    const htp_formula *f = &b->f;
    double weights[ORDERS] = {0};
    for (int k = 1; k < ORDERS; k++) {
        double n = b->order;
        weights[k] = -2 / acos(-1) * (n + 2 * k) / (k * (n + k));
    }
    htp_tensor_id log = htp_step_unary(f, "Log", htp_step_scalar(f, "Mul", b->near, 0.5));
    log = htp_step_scalar(f, "Add", log, EULER - b->order);
    log = htp_step_scalar(f, "Mul", log, 2 / acos(-1));
    htp_tensor_id sum = htp_step_binary(f, "Mul", log, sum_orders(b, b->order, &one, 1));
    sum = htp_step_binary(f, "Add", sum, sum_orders(b, b->order, weights, ORDERS));
    if (b->order == 0) {
        return sum;
    }
    htp_tensor_id pole = htp_step_from(f, 2 / acos(-1), "Div", b->near);
    return htp_step_binary(f, "Sub", sum,
                           htp_step_binary(f, "Mul", pole, sum_orders(b, 0, &one, 1)));
}

/** aten::special_bessel_y0, y1: minus infinity at 0, NaN below */
void htp_lower_bessel_y(htp_lowering *l)
{
    bessel b = arg_bessel(l, "self");
    if (htp_output_dtype(l, 0) == HTP_DTYPE_FLOAT64) {
        htp_lower_fail(l, "libtorch's own has errors up to 1e-7 in float64");
    }
    const htp_formula *f = &b.f;
    htp_tensor_id y =
        htp_step_where(f, b.is_large, emit_far(&b, "Sin", "Cos", "Add"), emit_near_y(&b));
    htp_tensor_id is_zero = htp_step_compare_scalar(f, "Equal", b.x, 0);
    y = htp_step_where_number(f, is_zero, -INFINITY, y);
    htp_tensor_id is_negative = htp_step_compare_scalar(f, "Less", b.x, 0);
    htp_formula_bind(f, 0, htp_step_where_number(f, is_negative, NAN, y));
}

/** aten::special_spherical_bessel_j0: sin(x) / x, and 1 near 0 */
void htp_lower_spherical_bessel(htp_lowering *l)
{
    bessel b = arg_bessel(l, "x");
    const htp_formula *f = &b.f;
    htp_tensor_id ratio = htp_step_binary(f, "Div", htp_step_unary(f, "Sin", b.x), b.x);
    htp_tensor_id is_zero = htp_step_compare_scalar(f, "Equal", b.x, 0);
    ratio = htp_step_where_number(f, is_zero, 1, ratio);
    htp_tensor_id is_infinite = htp_step_compare_scalar(f, "Equal", b.size, INFINITY);
    htp_formula_bind(f, 0, htp_step_where_number(f, is_infinite, 0, ratio));
}
