/*
 * The regularised incomplete gamma functions: aten::igamma (P) and aten::igammac (Q) of a and x.
 *
 * For a up to LARGE, P is its power series if x is below a + 1; otherwise Q is its continued
 * fraction, evaluated from the end. Beyond, Temme's uniform expansion in powers of 1 / a around the
 * error function is used. All is computed in float64; the other function is 1 minus the first.
 * Source: NIST Digital Library of Mathematical Functions, 8.11.4, 8.9.2, 8.12.3, 8.12.4, 6.6.2.
 */
#include "lower/emit/rows.h"
#include "lower/emit/steps.h"
#include "lower/pointwise/error_function.h"
#include "lower/pointwise/special.h"

#include <math.h>

enum { TERMS = 120, POWERS = 20, ORDERS = 4, LEAST_POWER = 2, MAX_POWER = 14, NUMBERS = 32 };

/* From here on Temme's expansion has full precision. */
static const double LARGE = 200;
/* Farther from the middle, it is 0 or 1. */
static const double FARTHEST = 1.1;
/* Below, Q is a · E1(x); computed as 1 - P, all digits would cancel. */
static const double TINY = 1e-9;

/** Operands and results, all of one shape. */
typedef struct integral {
    htp_formula f;
    uint32_t rank;
    htp_tensor_id a; /* positive and finite, as is x */
    htp_tensor_id x;
    htp_tensor_id below; /* P */
    htp_tensor_id above; /* Q */
} integral;

/** 1 - x */
static htp_tensor_id missing(const htp_formula *f, htp_tensor_id x)
{
    return htp_step_from(f, 1, "Sub", x);
}

/** x^a · exp(-x) / Γ(a + 1) */
static htp_tensor_id emit_factor(const htp_formula *f, htp_tensor_id a, htp_tensor_id x)
{
    htp_tensor_id power = htp_step_binary(f, "Mul", a, htp_step_unary(f, "Log", x));
    power = htp_step_binary(f, "Sub", power, x);
    htp_tensor_id gamma = htp_emit_log_gamma(f, htp_step_scalar(f, "Add", a, 1));
    return htp_step_unary(f, "Exp", htp_step_binary(f, "Sub", power, gamma));
}

/** The sum of x^n / ((a + 1) ... (a + n)). */
static htp_tensor_id emit_series(const integral *g, htp_tensor_id a, htp_tensor_id x)
{
    const htp_formula *f = &g->f;
    htp_lowering *l = f->l;
    htp_tensor_id one = htp_step_where_number(f, htp_step_compare(f, "Equal", x, x), 1, x);
    htp_steps steps = {
        .l = l, .count = 2, .state = {{one, f->dtype, g->rank}, {one, f->dtype, g->rank}}};
    htp_tensor_id trips = htp_emit_int(l, TERMS);
    htp_steps_begin(&steps);
    htp_tensor_id n = htp_emit_cast(l, steps.number, HTP_DTYPE_INT64, f->dtype);
    n = htp_step_scalar(f, "Add", n, 1);
    htp_tensor_id ratio = htp_step_binary(f, "Div", x, htp_step_binary(f, "Add", a, n));
    htp_tensor_id term = htp_step_binary(f, "Mul", steps.state[0].tensor, ratio);
    const htp_tensor_id next[] = {term, htp_step_binary(f, "Add", steps.state[1].tensor, term)};
    htp_steps_end(&steps, trips, next);
    return steps.state[1].tensor;
}

/** x + 1 - a - 1 (1 - a) / (x + 3 - a - 2 (2 - a) / (x + 5 - a - ...)) */
static htp_tensor_id emit_fraction(const integral *g, htp_tensor_id a, htp_tensor_id x)
{
    const htp_formula *f = &g->f;
    htp_lowering *l = f->l;
    htp_tensor_id difference = htp_step_scalar(f, "Add", htp_step_binary(f, "Sub", x, a), -1);
    htp_tensor_id last = htp_step_scalar(f, "Add", difference, 2 * (TERMS + 1));
    htp_steps steps = {.l = l, .count = 1, .state = {{last, f->dtype, g->rank}}};
    htp_tensor_id trips = htp_emit_int(l, TERMS);
    htp_steps_begin(&steps);
    htp_tensor_id k = htp_emit_cast(l, steps.number, HTP_DTYPE_INT64, f->dtype);
    k = htp_step_from(f, TERMS, "Sub", k);
    htp_tensor_id above = htp_step_binary(f, "Mul", htp_step_binary(f, "Sub", k, a), k);
    htp_tensor_id next = htp_step_binary(f, "Add", difference, htp_step_scalar(f, "Mul", k, 2));
    next = htp_step_binary(f, "Sub", next, htp_step_binary(f, "Div", above, steps.state[0].tensor));
    htp_steps_end(&steps, trips, &next);
    return steps.state[0].tensor;
}

/** Q for a below TINY: a times the exponential integral. */
static htp_tensor_id emit_tiny(const htp_formula *f, htp_tensor_id a, htp_tensor_id x)
{
    double c[POWERS] = {0.577215664901532860607};
    double factorial = 1;
    for (int n = 1; n < POWERS; n++) {
        factorial *= n;
        c[n] = (n % 2 ? -1 : 1) / (n * factorial);
    }
    htp_tensor_id sum = htp_step_polynomial(f, x, c, POWERS);
    sum = htp_step_binary(f, "Add", sum, htp_step_unary(f, "Log", x));
    return htp_step_binary(f, "Mul", a, htp_step_unary(f, "Neg", sum));
}

/** Sets P and Q where a is not LARGE. */
static void integrate_small(integral *g)
{
    const htp_formula *f = &g->f;
    htp_tensor_id a = htp_step_scalar(f, "Min", g->a, LARGE);
    htp_tensor_id middle = htp_step_scalar(f, "Add", a, 1);
    htp_tensor_id is_left = htp_step_compare(f, "Less", g->x, middle);
    htp_tensor_id left = htp_step_where(f, is_left, g->x, middle);
    htp_tensor_id right = htp_step_where(f, is_left, middle, g->x);
    htp_tensor_id factor = emit_factor(f, a, g->x);
    htp_tensor_id below = htp_step_binary(f, "Mul", factor, emit_series(g, a, left));
    htp_tensor_id above = htp_step_binary(f, "Mul", factor, a);
    above = htp_step_binary(f, "Div", above, emit_fraction(g, a, right));
    htp_tensor_id is_tiny = htp_step_compare_scalar(f, "Less", a, TINY);
    htp_tensor_id rest = htp_step_where(f, is_tiny, emit_tiny(f, a, left), missing(f, below));
    g->below = htp_step_where(f, is_left, below, missing(f, above));
    g->above = htp_step_where(f, is_left, rest, above);
}

/* ---- Temme's expansion ---- */

/** Coefficients of the expansion's functions of eta. With mu = x / a - 1 and eta²/2 = mu - log(1 +
 * mu), mu is eta + eta²/3 + ..., since mu mu' = eta (1 + mu). The first function is 1 / mu - 1 /
 * eta, each next one is c'/eta - c'(0) / mu of the one before. */
static void find_coefficients(double c[ORDERS][POWERS])
{
    long double mu[NUMBERS + 1] = {0, 1};
    long double inverse[NUMBERS] = {1};
    long double now[NUMBERS];
    for (int k = 2; k <= NUMBERS; k++) {
        long double sum = 0;
        for (int i = 2; i < k; i++) {
            sum += mu[i] * (k + 1 - i) * mu[k + 1 - i];
        }
        mu[k] = (mu[k - 1] - sum) / (k + 1);
    }
    for (int k = 1; k < NUMBERS; k++) {
        for (int i = 1; i <= k; i++) {
            inverse[k] -= mu[i + 1] * inverse[k - i];
        }
        now[k - 1] = inverse[k];
    }
    for (int order = 0, count = NUMBERS - 1; order < ORDERS; order++, count -= 2) {
        for (int i = 0; i < POWERS; i++) {
            c[order][i] = (double)now[i];
        }
        long double slope = now[1];
        for (int i = 0; i < count - 2; i++) {
            now[i] = (i + 2) * now[i + 2] - slope * inverse[i + 1];
        }
    }
}

/** mu - log(1 + mu), accurate for small mu, too. */
static htp_tensor_id emit_half_square(const htp_formula *f, htp_tensor_id mu)
{
    double c[MAX_POWER + 1] = {0};
    for (int k = LEAST_POWER; k <= MAX_POWER; k++) {
        c[k] = (k % 2 ? -1.0 : 1.0) / k;
    }
    htp_tensor_id near = htp_step_polynomial(f, mu, c, MAX_POWER + 1);
    htp_tensor_id far = htp_step_unary(f, "Log", htp_step_scalar(f, "Add", mu, 1));
    far = htp_step_binary(f, "Sub", mu, far);
    htp_tensor_id size = htp_step_unary(f, "Abs", mu);
    return htp_step_where(f, htp_step_compare_scalar(f, "Less", size, 0.1), near, far);
}

/** The expansion's sum over all orders. */
static htp_tensor_id emit_orders(const htp_formula *f, htp_tensor_id a, htp_tensor_id eta)
{
    double c[ORDERS][POWERS];
    find_coefficients(c);
    htp_tensor_id sum = htp_step_polynomial(f, eta, c[ORDERS - 1], POWERS);
    for (int k = ORDERS - 1; k-- > 0;) {
        sum = htp_step_binary(f, "Div", sum, a);
        sum = htp_step_binary(f, "Add", sum, htp_step_polynomial(f, eta, c[k], POWERS));
    }
    return sum;
}

/** Sets P and Q where a is LARGE. */
static void integrate_large(integral *g)
{
    const htp_formula *f = &g->f;
    htp_tensor_id a = htp_step_scalar(f, "Max", g->a, LARGE);
    htp_tensor_id mu = htp_step_binary(f, "Div", htp_step_binary(f, "Sub", g->x, a), a);
    htp_tensor_id half = emit_half_square(f, mu);
    half = htp_step_scalar(f, "Min", half, FARTHEST * FARTHEST / 2);
    htp_tensor_id size = htp_step_unary(f, "Sqrt", htp_step_scalar(f, "Mul", half, 2));
    htp_tensor_id is_right = htp_step_compare_scalar(f, "GreaterOrEqual", mu, 0);
    htp_tensor_id eta = htp_step_where(f, is_right, size, htp_step_unary(f, "Neg", size));
    htp_tensor_id power = htp_step_binary(f, "Mul", a, half);
    htp_tensor_id gauss = htp_step_unary(f, "Exp", htp_step_unary(f, "Neg", power));
    htp_tensor_id tail = htp_emit_scaled_tail(f, htp_step_unary(f, "Sqrt", power));
    tail = htp_step_scalar(f, "Mul", tail, 0.5);
    htp_tensor_id root = htp_step_unary(f, "Sqrt", htp_step_scalar(f, "Mul", a, 2 * acos(-1)));
    htp_tensor_id rest = htp_step_binary(f, "Div", emit_orders(f, a, eta), root);
    rest = htp_step_where(f, is_right, rest, htp_step_unary(f, "Neg", rest));
    htp_tensor_id part = htp_step_binary(f, "Mul", gauss, htp_step_binary(f, "Add", tail, rest));
    g->below = htp_step_where(f, is_right, missing(f, part), part);
    g->above = htp_step_where(f, is_right, part, missing(f, part));
}

/* ---- everything else ---- */

static htp_tensor_id is(const htp_formula *f, htp_tensor_id x, const char *op, double number)
{
    return htp_step_compare_scalar(f, op, x, number);
}

static htp_tensor_id both(const htp_formula *f, const char *op, htp_tensor_id x, htp_tensor_id y)
{
    return htp_emit(f->l, op, HTP_IN(x, y), HTP_NO_AT);
}

/** P where a or x is not positive and finite: 0, 1 or NaN. */
static htp_tensor_id emit_ends(const htp_formula *f, htp_tensor_id a, htp_tensor_id x)
{
    htp_tensor_id is_zero = is(f, a, "Equal", 0);
    htp_tensor_id full = both(f, "And", is_zero, is(f, x, "Greater", 0));
    full = both(f, "Or", full, is(f, x, "Equal", INFINITY));
    htp_tensor_id empty = htp_emit(f->l, "Not", HTP_IN(is_zero), HTP_NO_AT);
    empty = both(f, "And", empty, is(f, x, "Equal", 0));
    empty = both(f, "Or", empty, is(f, a, "Equal", INFINITY));
    htp_tensor_id wrong = both(f, "Or", is(f, a, "Less", 0), is(f, x, "Less", 0));
    wrong = both(f, "Or", wrong, both(f, "And", full, empty));
    htp_tensor_id ends = htp_step_where_number(f, empty, 0, htp_step_number(f, NAN));
    ends = htp_step_where_number(f, full, 1, ends);
    return htp_step_where_number(f, wrong, NAN, ends);
}

/** aten::igamma, igammac; the latter's row has the parameter "above". */
void htp_lower_incomplete_gamma(htp_lowering *l)
{
    htp_formula f = {l, HTP_DTYPE_FLOAT64, HTP_DTYPE_FLOAT64};
    if (htp_output_dtype(l, 0) == HTP_DTYPE_FLOAT64) {
        htp_lower_fail(l, "libtorch's own has errors up to 3e-6 in float64");
        return;
    }
    htp_tensor_id a = htp_step_arg(&f, "self");
    htp_tensor_id x = htp_step_arg(&f, "other");
    htp_tensor_id ends = emit_ends(&f, a, x);
    htp_tensor_id valid = both(&f, "And", is(&f, a, "Greater", 0), is(&f, x, "Greater", 0));
    valid = both(&f, "And", valid, is(&f, a, "Less", INFINITY));
    valid = both(&f, "And", valid, is(&f, x, "Less", INFINITY));
    htp_tensor_id one = htp_step_number(&f, 1);
    integral small = {.f = f, .rank = htp_output_rank(l, 0)};
    small.a = htp_step_where(&f, valid, a, one);
    small.x = htp_step_where(&f, valid, x, one);
    integral large = small;
    integrate_small(&small);
    integrate_large(&large);
    htp_tensor_id is_large = is(&f, small.a, "GreaterOrEqual", LARGE);
    htp_tensor_id part = l->row->op ? htp_step_where(&f, is_large, large.above, small.above)
                                    : htp_step_where(&f, is_large, large.below, small.below);
    ends = l->row->op ? missing(&f, ends) : ends;
    htp_formula_bind(&f, 0, htp_step_where(&f, valid, part, ends));
}
