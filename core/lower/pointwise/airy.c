/*
 * The Airy function: aten::special_airy_ai.
 *
 * Between the bounds it is the power series, beyond them a rational approximation in the inverse of
 * 2/3 |x|^1.5. Operations are in libtorch's order: for large negative arguments, only equal
 * rounding gives equal angles. As in libtorch, their denominators lack the leading 1 of Cephes
 * (airy.c), which is an error of up to 3e-6.
 */
#include "lower/compose/formula.h"
#include "lower/emit/rows.h"

#include <math.h>

enum { TERMS = 13 };

/* The bound of the series on both sides, and where the function vanishes. */
static const double BOUND = 2.09;
static const double VANISHES = 103.892;

/* Ai(0), -Ai'(0), 1 / sqrt(pi). */
static const double AT_ZERO = 0.355028053887817239260;
static const double SLOPE = 0.258819403792806798405;
static const double ROOT = 5.64189583547756286948e-01;

/* Numerators and denominators, constant terms first: for Ai above the bound, and for the factors of
 * sine and cosine below. */
static const double above[] = {9.99999999999999995305e-01, 1.40264691163389668864e+01,
                               7.05360906840444183113e+01, 1.59756391350164413639e+02,
                               1.68089224934630576269e+02, 7.62796053615234516538e+01,
                               1.20075952739645805542e+01, 3.46538101525629032477e-01};
static const double under_above[] = {1.0,
                                     1.40959135607834029598e+01,
                                     7.14778400825575695274e+01,
                                     1.64234692871529701831e+02,
                                     1.77318088145400459522e+02,
                                     8.45138970141474626562e+01,
                                     1.47562562584847203173e+01,
                                     5.67594532638770212846e-01};
static const double sine[] = {
    -1.67787698489114633780e-08, -2.77649108155232920844e-06, -1.59276496239262096340e-04,
    -4.06265923594885404393e-03, -4.91900132609500318020e-02, -2.79779981545119124951e-01,
    -6.93158036036933542233e-01, -6.26456544431912369773e-01, -1.31696323418331795333e-01};
static const double under_sine[] = {
    4.51850092970580378464e-07, 7.54720348287414296618e-05, 4.40291641615211203805e-03,
    1.15687173795188044134e-01, 1.47529146771666414581e+00, 9.18707402907259625840e+00,
    2.67367040941499554804e+01, 3.26825032795224613948e+01, 1.33560420706553243746e+01};
static const double cosine[] = {
    3.41551784765923618484e-10, 8.11789239554389293311e-08, 6.98793669997260967291e-06,
    2.82851600836737019778e-04, 5.85804113048388458567e-03, 6.33888919628925490927e-02,
    3.51465656105547619242e-01, 9.39169229816650230044e-01, 1.06579897599595591108e+00,
    3.91103029615688277255e-01, 1.97339932091685679179e-02};
static const double under_cosine[] = {4.91834570062930015649e-09, 1.17166733214413521882e-06,
                                      1.01259085116509135510e-04, 4.12656523824222607191e-03,
                                      8.64580826352392193095e-02, 9.54293611618961883998e-01,
                                      5.47686069422975497931e+00, 1.55646628932864612953e+01,
                                      1.98352928718312140417e+01, 9.30892908077441974853e+00};

#define COUNT(numbers) (sizeof(numbers) / sizeof((numbers)[0]))

/** 2/3 · x^1.5, x being @p factor times @p size. */
static htp_tensor_id emit_angle(const htp_formula *f, htp_tensor_id x, htp_tensor_id size,
                                double factor)
{
    htp_tensor_id angle = htp_step_scalar(f, "Mul", x, factor);
    angle = htp_step_binary(f, "Mul", angle, htp_step_unary(f, "Sqrt", size));
    return htp_step_scalar(f, "Div", angle, 3);
}

static htp_tensor_id emit_fourth_root(const htp_formula *f, htp_tensor_id x)
{
    return htp_step_unary(f, "Sqrt", htp_step_unary(f, "Sqrt", x));
}

/** Ai of numbers below minus the bound. */
static htp_tensor_id emit_below(const htp_formula *f, htp_tensor_id x)
{
    htp_tensor_id size = htp_step_unary(f, "Neg", x);
    htp_tensor_id angle = emit_angle(f, x, size, -2);
    htp_tensor_id z = htp_step_from(f, 1, "Div", angle);
    htp_tensor_id square = htp_step_binary(f, "Mul", z, z);
    htp_tensor_id first = htp_step_polynomial(f, square, sine, COUNT(sine));
    first = htp_step_binary(f, "Div", htp_step_binary(f, "Mul", square, first),
                            htp_step_polynomial(f, square, under_sine, COUNT(under_sine)));
    first = htp_step_scalar(f, "Add", first, 1);
    htp_tensor_id second = htp_step_polynomial(f, square, cosine, COUNT(cosine));
    second = htp_step_binary(f, "Div", htp_step_binary(f, "Mul", z, second),
                             htp_step_polynomial(f, square, under_cosine, COUNT(under_cosine)));
    angle = htp_step_scalar(f, "Add", angle, 0.25 * acos(-1));
    first = htp_step_binary(f, "Mul", htp_step_unary(f, "Sin", angle), first);
    second = htp_step_binary(f, "Mul", htp_step_unary(f, "Cos", angle), second);
    htp_tensor_id scale = htp_step_from(f, ROOT, "Div", emit_fourth_root(f, size));
    return htp_step_binary(f, "Mul", scale, htp_step_binary(f, "Sub", first, second));
}

/** Ai of numbers from the bound on. */
static htp_tensor_id emit_above(const htp_formula *f, htp_tensor_id x)
{
    htp_tensor_id angle = emit_angle(f, x, x, 2);
    htp_tensor_id z = htp_step_from(f, 1, "Div", angle);
    htp_tensor_id ratio =
        htp_step_binary(f, "Div", htp_step_polynomial(f, z, above, COUNT(above)),
                        htp_step_polynomial(f, z, under_above, COUNT(under_above)));
    htp_tensor_id under = htp_step_scalar(f, "Mul", emit_fourth_root(f, x), 2);
    under = htp_step_binary(f, "Mul", under, htp_step_unary(f, "Exp", angle));
    return htp_step_binary(f, "Div", htp_step_scalar(f, "Mul", ratio, ROOT), under);
}

/** The power series in x³. */
static htp_tensor_id emit_between(const htp_formula *f, htp_tensor_id x)
{
    htp_tensor_id cube = htp_step_binary(f, "Mul", htp_step_binary(f, "Mul", x, x), x);
    double even[TERMS] = {1};
    double odd[TERMS] = {1};
    for (int i = 1; i < TERMS; i++) {
        even[i] = even[i - 1] / ((3.0 * i - 1) * (3.0 * i));
        odd[i] = odd[i - 1] / ((3.0 * i) * (3.0 * i + 1));
    }
    htp_tensor_id first = htp_step_polynomial(f, cube, even, TERMS);
    htp_tensor_id second = htp_step_binary(f, "Mul", x, htp_step_polynomial(f, cube, odd, TERMS));
    return htp_step_binary(f, "Sub", htp_step_scalar(f, "Mul", first, AT_ZERO),
                           htp_step_scalar(f, "Mul", second, SLOPE));
}

/** aten::special_airy_ai: NaN at infinities */
void htp_lower_airy(htp_lowering *l)
{
    htp_formula f = htp_formula_of_kernel(l, htp_output_dtype(l, 0));
    htp_tensor_id x = htp_step_arg(&f, "x");
    htp_tensor_id is_above = htp_step_compare_scalar(&f, "GreaterOrEqual", x, BOUND);
    htp_tensor_id is_below = htp_step_compare_scalar(&f, "Less", x, -BOUND);
    htp_tensor_id y = htp_step_where(&f, is_above, emit_above(&f, x), emit_between(&f, x));
    y = htp_step_where(&f, is_below, emit_below(&f, x), y);
    htp_tensor_id vanishes = htp_step_compare_scalar(&f, "Greater", x, VANISHES);
    y = htp_step_where_number(&f, vanishes, 0, y);
    htp_tensor_id size = htp_step_unary(&f, "Abs", x);
    htp_tensor_id is_infinite = htp_step_compare_scalar(&f, "Equal", size, INFINITY);
    htp_formula_bind(&f, 0, htp_step_where_number(&f, is_infinite, NAN, y));
}
