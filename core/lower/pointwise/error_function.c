/*
 * The error function and its relatives: aten::erf, erfc, special_erfcx, special_ndtr and
 * special_log_ndtr.
 *
 * Runtimes have Erf for float32 only, so float64 is approximated. Source of the coefficients: Cody,
 * Rational Chebyshev Approximations for the Error Function, Mathematics of Computation 23 (1969):
 * rational functions on three intervals, with relative errors below 1e-17.
 */
#include "lower/pointwise/error_function.h"

#include "lower/compose/compose.h"
#include "lower/compose/elementary.h"
#include "lower/compose/formula.h"
#include "lower/emit/ort_dtypes.h"
#include "lower/emit/promote.h"
#include "lower/emit/rows.h"

#include <math.h>

/** 16-bit floats are rounded once. */
static htp_formula formula_of_self(htp_lowering *l)
{
    return htp_formula_of_kernel(l, htp_promote_to_float(htp_arg_dtype(l, "self")));
}

/* ---- float64 ---- */

enum { MAX_TERMS = 9 };

/** The ends of the first and the second interval. */
#define MIDDLE 0.46875
#define FAR 4.0

/** From here on erfc(x) is 0 and exp(x²) is infinite. */
#define BEYOND 30.0

/** A quotient of polynomials. */
typedef struct rational {
    size_t terms;
    double above[MAX_TERMS];
    double below[MAX_TERMS];
} rational;

/** erf(x) / x, in x² */
static const rational near_zero = {5,
                                   {3.20937758913846947e3, 3.77485237685302021e2,
                                    1.13864154151050156e2, 3.16112374387056560e0,
                                    1.85777706184603153e-1},
                                   {2.84423683343917062e3, 1.28261652607737228e3,
                                    2.44024637934444173e2, 2.36012909523441209e1, 1}};

/** exp(x²) · erfc(x), in x */
static const rational in_middle = {
    9,
    {1.23033935479799725e3, 2.05107837782607147e3, 1.71204761263407058e3, 8.81952221241769090e2,
     2.98635138197400131e2, 6.61191906371416295e1, 8.88314979438837594e0, 5.64188496988670089e-1,
     2.15311535474403846e-8},
    {1.23033935480374942e3, 3.43936767414372164e3, 4.36261909014324716e3, 3.29079923573345963e3,
     1.62138957456669019e3, 5.37181101862009858e2, 1.17693950891312499e2, 1.57449261107098347e1,
     1}};

/** (1/√π - exp(x²) · erfc(x) · x) · x², in 1/x² */
static const rational far_away = {
    6,
    {6.58749161529837803e-4, 1.60837851487422766e-2, 1.25781726111229246e-1, 3.60344899949804439e-1,
     3.05326634961232344e-1, 1.63153871373020978e-2},
    {2.33520497626869185e-3, 6.05183413124413191e-2, 5.27905102951428412e-1, 1.87295284992346725e0,
     2.56852019228982242e0, 1}};

static htp_tensor_id emit_rational(const htp_formula *f, htp_tensor_id x, const rational *r)
{
    return htp_step_binary(f, "Div", htp_step_polynomial(f, x, r->above, r->terms),
                           htp_step_polynomial(f, x, r->below, r->terms));
}

/** erf(x) for |x| <= MIDDLE */
static htp_tensor_id erf_near_zero(const htp_formula *f, htp_tensor_id x)
{
    htp_tensor_id square = htp_step_binary(f, "Mul", x, x);
    return htp_step_binary(f, "Mul", x, emit_rational(f, square, &near_zero));
}

/** exp(z²) · erfc(z) for z >= MIDDLE */
static htp_tensor_id scaled_tail_double(const htp_formula *f, htp_tensor_id z)
{
    htp_tensor_id middle = emit_rational(f, z, &in_middle);
    htp_tensor_id inverse = htp_step_unary(f, "Reciprocal", htp_step_binary(f, "Mul", z, z));
    htp_tensor_id less = htp_step_binary(f, "Mul", inverse, emit_rational(f, inverse, &far_away));
    htp_tensor_id far = htp_step_binary(f, "Div", htp_step_from(f, M_2_SQRTPI / 2, "Sub", less), z);
    return htp_step_where(f, htp_step_compare_scalar(f, "LessOrEqual", z, FAR), middle, far);
}

/** exp(-z²), or exp(z²) with @p grows. The square of z truncated to sixteenths is exact; the rest
 * is so small that its rounding does no harm. @param z  at least 0 */
static htp_tensor_id gauss_double(const htp_formula *f, htp_tensor_id z, bool grows)
{
    htp_tensor_id is_beyond = htp_step_compare_scalar(f, "Greater", z, BEYOND);
    z = htp_step_where_number(f, is_beyond, BEYOND, z);
    htp_tensor_id cut = htp_step_unary(f, "Floor", htp_step_scalar(f, "Mul", z, 16));
    cut = htp_step_scalar(f, "Div", cut, 16);
    htp_tensor_id rest = htp_step_binary(f, "Mul", htp_step_binary(f, "Sub", z, cut),
                                         htp_step_binary(f, "Add", z, cut));
    cut = htp_step_binary(f, "Mul", cut, cut);
    cut = grows ? cut : htp_step_unary(f, "Neg", cut);
    rest = grows ? rest : htp_step_unary(f, "Neg", rest);
    return htp_step_binary(f, "Mul", htp_step_unary(f, "Exp", cut), htp_step_unary(f, "Exp", rest));
}

/** @p inner for |x| <= MIDDLE, @p outer elsewhere. */
static htp_tensor_id choose(const htp_formula *f, htp_tensor_id x, htp_tensor_id inner,
                            htp_tensor_id outer)
{
    htp_tensor_id z = htp_step_unary(f, "Abs", x);
    return htp_step_where(f, htp_step_compare_scalar(f, "LessOrEqual", z, MIDDLE), inner, outer);
}

static htp_tensor_id erf_double(const htp_formula *f, htp_tensor_id x)
{
    htp_tensor_id z = htp_step_unary(f, "Abs", x);
    htp_tensor_id tail =
        htp_step_binary(f, "Mul", scaled_tail_double(f, z), gauss_double(f, z, false));
    htp_tensor_id above = htp_step_from(f, 1, "Sub", tail);
    htp_tensor_id outer = htp_step_where(f, htp_step_compare_scalar(f, "Less", x, 0),
                                         htp_step_unary(f, "Neg", above), above);
    return choose(f, x, erf_near_zero(f, x), outer);
}

/* ---- float32 ---- */

/**
 * exp(z²) · erfc(z) for z >= 0, to float32's precision. Source: Press et al., Numerical Recipes,
 * 2nd edition, 6.2: a Chebyshev fit with a relative error below 1.2e-7.
 */
static htp_tensor_id scaled_tail_single(const htp_formula *f, htp_tensor_id z)
{
    static const double coefficients[] = {-1.26551223, 1.00002368, 0.37409196,  0.09678418,
                                          -0.18628806, 0.27886807, -1.13520398, 1.48851587,
                                          -0.82215223, 0.17087277};
    htp_tensor_id t = htp_step_scalar(f, "Add", htp_step_scalar(f, "Mul", z, 0.5), 1);
    t = htp_step_unary(f, "Reciprocal", t);
    htp_tensor_id sum =
        htp_step_polynomial(f, t, coefficients, sizeof(coefficients) / sizeof(*coefficients));
    return htp_step_binary(f, "Mul", t, htp_step_unary(f, "Exp", sum));
}

/* ---- of both ---- */

htp_tensor_id htp_emit_scaled_tail(const htp_formula *f, htp_tensor_id z)
{
    return f->dtype == HTP_DTYPE_FLOAT64 ? scaled_tail_double(f, z) : scaled_tail_single(f, z);
}

/** exp(-x²) or, where @p grows, exp(x²) */
static htp_tensor_id gauss(const htp_formula *f, htp_tensor_id x, bool grows)
{
    if (f->dtype == HTP_DTYPE_FLOAT64) {
        return gauss_double(f, htp_step_unary(f, "Abs", x), grows);
    }
    htp_tensor_id square = htp_step_binary(f, "Mul", x, x);
    return htp_step_unary(f, "Exp", grows ? square : htp_step_unary(f, "Neg", square));
}

/** 1 - erf(x), also where erf(x) is nearly 1 */
static htp_tensor_id emit_erfc(const htp_formula *f, htp_tensor_id x)
{
    htp_tensor_id z = htp_step_unary(f, "Abs", x);
    htp_tensor_id tail = htp_step_binary(f, "Mul", htp_emit_scaled_tail(f, z), gauss(f, z, false));
    htp_tensor_id outer = htp_step_where(f, htp_step_compare_scalar(f, "Less", x, 0),
                                         htp_step_from(f, 2, "Sub", tail), tail);
    if (f->dtype != HTP_DTYPE_FLOAT64) {
        return outer;
    }
    return choose(f, x, htp_step_from(f, 1, "Sub", erf_near_zero(f, x)), outer);
}

/** exp(x²) · erfc(x) */
static htp_tensor_id emit_erfcx(const htp_formula *f, htp_tensor_id x)
{
    htp_tensor_id tail = htp_emit_scaled_tail(f, htp_step_unary(f, "Abs", x));
    htp_tensor_id growing = gauss(f, x, true);
    htp_tensor_id whole = htp_step_scalar(f, "Mul", growing, 2);
    htp_tensor_id outer = htp_step_where(f, htp_step_compare_scalar(f, "Less", x, 0),
                                         htp_step_binary(f, "Sub", whole, tail), tail);
    if (f->dtype != HTP_DTYPE_FLOAT64) {
        return outer;
    }
    htp_tensor_id inner = htp_step_from(f, 1, "Sub", erf_near_zero(f, x));
    return choose(f, x, htp_step_binary(f, "Mul", growing, inner), outer);
}

/* ---- operators ---- */

htp_tensor_id htp_emit_erf(htp_lowering *l, htp_dtype dtype, htp_tensor_id x)
{
    if (dtype != HTP_DTYPE_FLOAT64) {
        return htp_typed_unary(l, "Erf", dtype, x);
    }
    htp_formula f = {l, dtype, dtype};
    return erf_double(&f, x);
}

/** aten::erf, special_erf */
void htp_lower_erf(htp_lowering *l)
{
    htp_dtype dtype = htp_promote_to_float(htp_arg_dtype(l, "self"));
    htp_bind_cast(l, 0, htp_emit_erf(l, dtype, htp_arg_tensor_as(l, "self", dtype)), dtype);
}

/** aten::erfc */
void htp_lower_erfc(htp_lowering *l)
{
    htp_formula f = formula_of_self(l);
    htp_formula_bind(&f, 0, emit_erfc(&f, htp_step_arg(&f, "self")));
}

/** aten::special_erfcx */
void htp_lower_erfcx(htp_lowering *l)
{
    htp_formula f = formula_of_self(l);
    htp_formula_bind(&f, 0, emit_erfcx(&f, htp_step_arg(&f, "self")));
}

/** aten::special_ndtr: the normal distribution function, erfc(-x / √2) / 2 */
void htp_lower_normal_distribution(htp_lowering *l)
{
    htp_formula f = formula_of_self(l);
    htp_tensor_id x = htp_step_scalar(&f, "Mul", htp_step_arg(&f, "self"), -M_SQRT1_2);
    htp_formula_bind(&f, 0, htp_step_scalar(&f, "Mul", emit_erfc(&f, x), 0.5));
}

/** aten::special_log_ndtr: its logarithm, also where it is nearly 0 */
void htp_lower_log_normal_distribution(htp_lowering *l)
{
    htp_formula f = formula_of_self(l);
    htp_tensor_id x = htp_step_arg(&f, "self");
    htp_tensor_id t = htp_step_scalar(&f, "Mul", x, M_SQRT1_2);
    htp_tensor_id scaled =
        htp_step_scalar(&f, "Mul", emit_erfcx(&f, htp_step_unary(&f, "Neg", t)), 0.5);
    htp_tensor_id left = htp_step_binary(&f, "Sub", htp_step_unary(&f, "Log", scaled),
                                         htp_step_binary(&f, "Mul", t, t));
    htp_tensor_id right = htp_step_scalar(&f, "Mul", emit_erfc(&f, t), -0.5);
    right = htp_emit_log1p(l, f.dtype, right);
    htp_tensor_id is_left = htp_step_compare_scalar(&f, "Less", x, -1);
    htp_formula_bind(&f, 0, htp_step_where(&f, is_left, left, right));
}
