/*
 * The Hurwitz zeta function, aten::special_zeta: the sum of (q + k)^-x over k >= 0.
 *
 * The first terms are summed in a Loop until q + k is above 9; the rest is the Euler-Maclaurin
 * formula. All is computed in float64 and rounded once, except for the first term, which libtorch
 * rounds. Source: Abramowitz and Stegun, Handbook of Mathematical Functions, chapters 3.6 and 23.2.
 */
#include "lower/compose/emit_loop.h"
#include "lower/emit/ort_dtypes.h"
#include "lower/emit/promote.h"
#include "lower/emit/rows.h"

#include <float.h>
#include <math.h>

enum { LEAST_STEPS = 9, BERNOULLI_COUNT = 12 };

/** B2, B4, ... */
static const double bernoulli[BERNOULLI_COUNT] = {
    1.0 / 6, -1.0 / 30,     1.0 / 42,      -1.0 / 30,       5.0 / 66,       -691.0 / 2730,
    7.0 / 6, -3617.0 / 510, 43867.0 / 798, -174611.0 / 330, 854513.0 / 138, -236364091.0 / 2730};

/** The operands; all tensors have one shape and are float64. */
typedef struct zeta {
    htp_formula f;
    htp_tensor_id minus_x;
    htp_tensor_id x;
    htp_tensor_id q;
    htp_tensor_id steps; /* number of explicit terms after the first */
} zeta;

/** Where the sum is infinite or undefined. */
typedef struct exceptions {
    htp_tensor_id is_infinite;
    htp_tensor_id is_undefined;
} exceptions;

static exceptions find_exceptions(const zeta *z)
{
    const htp_formula *f = &z->f;
    htp_lowering *l = f->l;
    htp_tensor_id is_left = htp_step_compare_scalar(f, "LessOrEqual", z->q, 0);
    htp_tensor_id is_whole = htp_step_compare(f, "Equal", z->q, htp_step_unary(f, "Floor", z->q));
    htp_tensor_id is_power = htp_step_compare(f, "Equal", z->x, htp_step_unary(f, "Floor", z->x));
    htp_tensor_id is_below = htp_step_compare_scalar(f, "Less", z->x, 1);
    htp_tensor_id is_root = htp_emit_binary(l, "And", is_left, htp_emit_unary(l, "Not", is_power));
    htp_tensor_id is_pole = htp_emit_binary(l, "And", is_left, is_whole);
    is_pole = htp_emit_binary(l, "And", is_pole, htp_emit_unary(l, "Not", is_below));
    return (exceptions){.is_infinite = htp_emit_binary(
                            l, "Or", htp_step_compare_scalar(f, "Equal", z->x, 1), is_pole),
                        .is_undefined = htp_emit_binary(l, "Or", is_below, is_root)};
}

/** The number of explicit terms after the first; 0 for NaN. */
static htp_tensor_id emit_steps(const zeta *z, const exceptions *e)
{
    const htp_formula *f = &z->f;
    htp_lowering *l = f->l;
    htp_tensor_id distance = htp_step_from(f, LEAST_STEPS, "Sub", z->q);
    htp_tensor_id steps = htp_step_scalar(f, "Add", htp_step_unary(f, "Floor", distance), 1);
    htp_tensor_id least = htp_step_number(f, LEAST_STEPS);
    htp_tensor_id is_more = htp_step_compare(f, "Greater", steps, least);
    steps = htp_step_where(f, is_more, steps, least);
    htp_tensor_id is_known = htp_emit_binary(l, "Or", e->is_infinite, e->is_undefined);
    return htp_step_where_number(f, is_known, 0, steps);
}

/** The sum of the first term and the explicit ones after it. */
static htp_tensor_id emit_terms(const zeta *z, htp_dtype rounded)
{
    const htp_formula *f = &z->f;
    htp_lowering *l = f->l;
    htp_tensor_id first = htp_step_binary(f, "Pow", z->q, z->minus_x);
    first = htp_emit_cast(l, htp_emit_cast(l, first, f->dtype, rounded), rounded, f->dtype);
    htp_tensor_id starts = htp_emit_any(l, htp_step_compare_scalar(f, "Greater", z->steps, 0));
    htp_emitted_loop t = htp_emit_loop_begin(f, starts, &first, 1);
    htp_tensor_id number = htp_emit_cast(l, t.number, HTP_DTYPE_INT64, f->dtype);
    htp_tensor_id next = htp_step_scalar(f, "Add", number, 1);
    htp_tensor_id term =
        htp_step_binary(f, "Pow", htp_step_binary(f, "Add", z->q, next), z->minus_x);
    htp_tensor_id is_over = htp_step_compare(f, "Greater", next, z->steps);
    htp_tensor_id sum = htp_step_binary(f, "Add", t.carried[0], term);
    sum = htp_step_where(f, is_over, t.carried[0], sum);
    htp_tensor_id goes_on = htp_emit_any(l, htp_step_compare(f, "Less", next, z->steps));
    htp_tensor_id last;
    htp_emit_loop_end(&t, goes_on, &sum, &last);
    return last;
}

/** @p sum of the first terms plus the rest, unless that is too small to count. */
static htp_tensor_id add_rest(const zeta *z, htp_tensor_id sum)
{
    const htp_formula *f = &z->f;
    htp_tensor_id w = htp_step_binary(f, "Add", z->q, z->steps);
    htp_tensor_id power = htp_step_binary(f, "Pow", w, z->minus_x);
    htp_tensor_id least = htp_step_scalar(f, "Mul", sum, DBL_EPSILON / 2);
    htp_tensor_id is_small = htp_step_compare(f, "Less", power, least);
    htp_tensor_id line = htp_step_binary(f, "Div", htp_step_binary(f, "Mul", power, w),
                                         htp_step_scalar(f, "Sub", z->x, 1));
    htp_tensor_id all = htp_step_binary(f, "Add", sum, line);
    all = htp_step_binary(f, "Sub", all, htp_step_scalar(f, "Mul", power, 0.5));
    htp_tensor_id product = z->x;
    double factorial = 2;
    for (int i = 0; i < BERNOULLI_COUNT; i++) {
        power = htp_step_binary(f, "Div", power, w);
        htp_tensor_id term = htp_step_binary(f, "Mul", product, power);
        term = htp_step_scalar(f, "Mul", term, bernoulli[i] / factorial);
        all = htp_step_binary(f, "Add", all, term);
        for (int k = 2 * i + 1; k < 2 * i + 3; k++) {
            product = htp_step_binary(f, "Mul", product, htp_step_scalar(f, "Add", z->x, k));
        }
        power = htp_step_binary(f, "Div", power, w);
        factorial *= (2 * i + 3) * (2 * i + 4);
    }
    return htp_step_where(f, is_small, sum, all);
}

/** aten::special_zeta: "self" is x, "other" is q */
void htp_lower_zeta(htp_lowering *l)
{
    htp_operands both = htp_arg_float_operands(l, "self", "other");
    zeta z = {.f = {l, HTP_DTYPE_FLOAT64, HTP_DTYPE_FLOAT64}};
    z.x = htp_emit_cast(l, both.a, both.dtype, HTP_DTYPE_FLOAT64);
    z.q = htp_emit_cast(l, both.b, both.dtype, HTP_DTYPE_FLOAT64);
    htp_tensor_id shape = htp_emit_unary(l, "Shape", htp_step_binary(&z.f, "Add", z.x, z.q));
    z.x = htp_emit_binary(l, "Expand", z.x, shape);
    z.q = htp_emit_binary(l, "Expand", z.q, shape);
    z.minus_x = htp_step_unary(&z.f, "Neg", z.x);
    exceptions e = find_exceptions(&z);
    z.steps = emit_steps(&z, &e);
    htp_tensor_id sum = add_rest(&z, emit_terms(&z, both.dtype));
    sum = htp_step_where_number(&z.f, e.is_undefined, NAN, sum);
    htp_formula_bind(&z.f, 0, htp_step_where_number(&z.f, e.is_infinite, INFINITY, sum));
}
