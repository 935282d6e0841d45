/*
 * Orthogonal polynomials of data-dependent degree: those of Chebyshev, Hermite, Laguerre and
 * Legendre in torch.special.
 *
 * Degree j + 1 follows from the two below it: (A·q - B·p) / C, whose factors depend on j. A Loop
 * runs until each element has its degree, in PyTorch's order of operations, so that overflow
 * agrees. Between -1 and 1, Chebyshev polynomials of high degree are cosines and sines of multiples
 * of an angle; at the ends they have known values. Source: Abramowitz and Stegun, Handbook of
 * Mathematical Functions, chapter 22.
 */
#include "lower/compose/emit_loop.h"
#include "lower/compose/formula.h"
#include "lower/emit/ort_dtypes.h"
#include "lower/emit/promote.h"
#include "lower/emit/rows.h"

#include <math.h>
#include <string.h>

/** The recurrence for the next degree. */
typedef enum recurrence { CHEBYSHEV, HERMITE, HERMITE_E, LAGUERRE, LEGENDRE } recurrence;

typedef struct polynomial {
    const char *name; /* the row's parameter */
    recurrence next;
    bool is_shifted; /* evaluated at 2x - 1 */
    double factor;   /* degree 1 is factor · x + offset */
    double offset;
    bool has_top;    /* its value at the upper end is top · n + 1 */
    bool has_bottom; /* at the lower end it is bottom · n + 1, negated for odd n */
    double top;
    double bottom;
    double highest;   /* degree that is computed by recurrence between the ends */
    const char *wave; /* above, it is wave((n + shift) · angle) */
    double shift;
    const char *divisor; /* divided by divisor(angle_part · angle); NULL: by 1 */
    double angle_part;
} polynomial;

static const polynomial polynomials[] = {
    {"T", CHEBYSHEV, false, 1, 0, true, true, 0, 0, 6, "Cos", 0, NULL, 1},
    {"U", CHEBYSHEV, false, 2, 0, true, true, 1, 1, 8, "Sin", 1, "Sin", 1},
    {"V", CHEBYSHEV, false, 2, -1, true, true, 0, 2, 8, "Cos", 0.5, "Cos", 0.5},
    {"W", CHEBYSHEV, false, 2, 1, true, true, 2, 0, 8, "Sin", 0.5, "Sin", 0.5},
    {"shifted T", CHEBYSHEV, true, 1, 0, true, true, 0, 0, 6, "Cos", 0, NULL, 1},
    {"shifted U", CHEBYSHEV, true, 2, 0, true, true, 1, 1, 6, "Sin", 1, "Sin", 1},
    {"shifted V", CHEBYSHEV, true, 2, -1, true, true, 0, 2, 6, "Cos", 0.5, "Cos", 0.5},
    {"shifted W", CHEBYSHEV, true, 2, 1, true, true, 2, 0, 4, "Sin", 0.5, "Sin", 0.5},
    {.name = "H", .next = HERMITE, .factor = 2},
    {.name = "He", .next = HERMITE_E, .factor = 1},
    {.name = "L", .next = LAGUERRE, .factor = -1, .offset = 1, .has_top = true},
    {.name = "P", .next = LEGENDRE, .factor = 1, .has_top = true, .has_bottom = true},
};

/** The operands; all tensors have one shape. */
typedef struct work {
    htp_formula f;
    const polynomial *of;
    htp_tensor_id x;      /* the argument x */
    htp_tensor_id s;      /* the polynomial's argument */
    htp_tensor_id degree; /* int64 */
    htp_tensor_id n;      /* the degree in the formula's dtype */
} work;

static const polynomial *find_polynomial(const char *name)
{
    size_t i = 0;
    while (strcmp(polynomials[i].name, name) != 0) {
        i++;
    }
    return &polynomials[i];
}

/** The arguments x and n; the degree is truncated to an integer. */
static work read_arguments(htp_lowering *l)
{
    htp_operands both = htp_arg_float_operands(l, "x", "n");
    work w = {.f = htp_formula_of_kernel(l, both.dtype), .of = find_polynomial(l->row->op)};
    if (both.dtype != HTP_DTYPE_FLOAT32 && both.dtype != HTP_DTYPE_FLOAT64) {
        htp_lower_fail(l, "it is not supported on %s", htp_dtype_name(both.dtype));
        return w;
    }
    htp_tensor_id sum = htp_step_binary(&w.f, "Add", both.a, both.b);
    htp_tensor_id shape = htp_emit_unary(l, "Shape", sum);
    w.x = htp_emit_binary(l, "Expand", both.a, shape);
    w.degree = htp_emit_cast(l, both.b, both.dtype, HTP_DTYPE_INT64);
    w.degree = htp_emit_binary(l, "Expand", w.degree, shape);
    w.n = htp_emit_cast(l, w.degree, HTP_DTYPE_INT64, both.dtype);
    w.s = w.x;
    if (w.of->is_shifted) {
        w.s = htp_step_scalar(&w.f, "Sub", htp_step_binary(&w.f, "Add", w.x, w.x), 1);
    }
    return w;
}

static htp_tensor_id compare_degree(const work *w, const char *op, double number)
{
    return htp_typed_predicate_scalar(w->f.l, op, HTP_DTYPE_INT64, w->degree, number);
}

/* ---- going up ---- */

/** a · x + b; a factor of 1 and a summand of 0 are omitted */
static htp_tensor_id emit_line(const htp_formula *f, double a, htp_tensor_id x, double b)
{
    x = a == 2 ? htp_step_binary(f, "Add", x, x) : a == -1 ? htp_step_unary(f, "Neg", x) : x;
    return b == 0 ? x : htp_step_scalar(f, "Add", x, b);
}

/** Degree @p j + 1 from degrees j, @p q, and j - 1, @p p. */
static htp_tensor_id emit_next(const work *w, htp_tensor_id j, htp_tensor_id p, htp_tensor_id q)
{
    const htp_formula *f = &w->f;
    recurrence next = w->of->next;
    htp_tensor_id a = next == HERMITE_E ? w->s : htp_step_binary(f, "Add", w->s, w->s);
    if (next == LAGUERRE) {
        a = htp_step_binary(f, "Add", htp_step_binary(f, "Add", j, j),
                            htp_step_from(f, 1, "Sub", w->s));
    } else if (next == LEGENDRE) {
        a = htp_step_scalar(f, "Add", htp_step_binary(f, "Add", j, j), 1);
        a = htp_step_binary(f, "Mul", a, w->s);
    }
    htp_tensor_id second = p;
    if (next != CHEBYSHEV) {
        htp_tensor_id b = next == HERMITE ? htp_step_binary(f, "Add", j, j) : j;
        second = htp_step_binary(f, "Mul", b, p);
    }
    htp_tensor_id made = htp_step_binary(f, "Sub", htp_step_binary(f, "Mul", a, q), second);
    return next == LAGUERRE || next == LEGENDRE
               ? htp_step_binary(f, "Div", made, htp_step_scalar(f, "Add", j, 1))
               : made;
}

/** Which elements continue from degree @p j: those below @p goal that are not NaN. */
static htp_tensor_id emit_goes_on(const work *w, htp_tensor_id j, htp_tensor_id goal,
                                  htp_tensor_id q)
{
    htp_tensor_id is_below = htp_emit_binary(w->f.l, "Less", j, goal);
    htp_tensor_id is_nan = htp_step_is_nan(&w->f, q);
    return htp_emit_binary(w->f.l, "And", is_below, htp_emit_unary(w->f.l, "Not", is_nan));
}

/** Degree @p goal for each element, but at least degree 1. */
static htp_tensor_id emit_degrees(const work *w, htp_tensor_id goal)
{
    htp_lowering *l = w->f.l;
    const htp_formula *f = &w->f;
    htp_tensor_id one = htp_emit_scalar_int(l, HTP_DTYPE_INT64, 1);
    htp_tensor_id q = emit_line(f, w->of->factor, w->s, w->of->offset);
    htp_tensor_id p =
        htp_emit_binary(l, "Expand", htp_step_number(f, 1), htp_emit_unary(l, "Shape", q));
    htp_tensor_id starts = htp_emit_any(l, emit_goes_on(w, one, goal, q));
    htp_emitted_loop t = htp_emit_loop_begin(f, starts, (const htp_tensor_id[]){p, q}, 2);
    p = t.carried[0];
    q = t.carried[1];
    htp_tensor_id j = htp_emit_binary(l, "Add", t.number, one);
    htp_tensor_id goes_on = emit_goes_on(w, j, goal, q);
    htp_tensor_id next = emit_next(w, htp_emit_cast(l, j, HTP_DTYPE_INT64, f->dtype), p, q);
    p = htp_step_where(f, goes_on, q, p);
    q = htp_step_where(f, goes_on, next, q);
    goes_on = emit_goes_on(w, htp_emit_binary(l, "Add", j, one), goal, q);
    htp_tensor_id last[2];
    htp_emit_loop_end(&t, htp_emit_any(l, goes_on), (const htp_tensor_id[]){p, q}, last);
    return last[1];
}

/* ---- what is known without ---- */

/** @p slope · n + 1, negated for odd n. */
static htp_tensor_id emit_bottom(const work *w, double slope)
{
    const htp_formula *f = &w->f;
    htp_tensor_id two = htp_emit_scalar_int(f->l, HTP_DTYPE_INT64, 2);
    htp_tensor_id is_odd = htp_typed_predicate_scalar(
        f->l, "Equal", HTP_DTYPE_INT64, htp_emit_binary(f->l, "Mod", w->degree, two), 1);
    htp_tensor_id size = htp_step_scalar(f, "Add", htp_step_scalar(f, "Mul", w->n, slope), 1);
    return htp_step_where(f, is_odd, htp_step_unary(f, "Neg", size), size);
}

static htp_tensor_id emit_top(const work *w)
{
    return htp_step_scalar(&w->f, "Add", htp_step_scalar(&w->f, "Mul", w->n, w->of->top), 1);
}

/** Multiples of the angle whose cosine is the argument. If half of it is indistinguishable from
 * an end's, the value is that of the end: for W that of the upper one, which its shifted form
 * lacks. */
static htp_tensor_id emit_wave(const work *w)
{
    const htp_formula *f = &w->f;
    const polynomial *of = w->of;
    htp_tensor_id angle = htp_step_unary(f, "Acos", w->s);
    htp_tensor_id multiple = htp_step_scalar(f, "Add", w->n, of->shift);
    multiple = htp_step_unary(f, of->wave, htp_step_binary(f, "Mul", multiple, angle));
    if (!of->divisor) {
        return multiple;
    }
    htp_tensor_id part = htp_step_scalar(f, "Mul", angle, of->angle_part);
    htp_tensor_id made = htp_step_binary(f, "Div", multiple, htp_step_unary(f, of->divisor, part));
    if (of->angle_part == 1) {
        return made;
    }
    bool is_top = of->top > 0;
    htp_tensor_id other = htp_step_unary(f, is_top ? "Cos" : "Sin", part);
    htp_tensor_id is_end = htp_step_compare_scalar(f, "Equal", other, 1);
    htp_tensor_id end = is_top && !of->is_shifted ? emit_top(w) : emit_bottom(w, of->bottom);
    return htp_step_where(f, is_end, end, made);
}

/** Where the argument is at the upper or lower end; Laguerre polynomials have one at 0. */
static htp_tensor_id emit_is_at(const work *w, bool is_top)
{
    double top = w->of->next == LAGUERRE ? 0 : 1;
    double bottom = w->of->is_shifted ? 0 : -1;
    return htp_step_compare_scalar(&w->f, "Equal", w->x, is_top ? top : bottom);
}

/** Substitutes known values in @p made, and clears their degrees in @p goal, unless that is
 * NULL. */
static htp_tensor_id put(const work *w, htp_tensor_id where, htp_tensor_id known,
                         htp_tensor_id made, htp_tensor_id *goal)
{
    if (goal) {
        *goal = htp_typed_where(w->f.l, HTP_DTYPE_INT64, where,
                                htp_emit_scalar_int(w->f.l, HTP_DTYPE_INT64, 0), *goal);
        return made;
    }
    return htp_step_where(&w->f, where, known, made);
}

/** Substitutes all values known without the recurrence: see put(). */
static htp_tensor_id put_known(const work *w, htp_tensor_id made, htp_tensor_id *goal)
{
    const htp_formula *f = &w->f;
    const polynomial *of = w->of;
    htp_lowering *l = f->l;
    htp_tensor_id one = htp_step_number(f, 1);
    made = put(w, compare_degree(w, "Equal", 0), one, made, goal);
    if (of->next == HERMITE || of->next == HERMITE_E) {
        double most = f->dtype == HTP_DTYPE_FLOAT32 ? 128 : 512; /* PyTorch's limits */
        made = put(w, compare_degree(w, "Greater", most), htp_step_number(f, NAN), made, goal);
    }
    if (of->wave) {
        htp_tensor_id size = htp_step_unary(f, "Abs", w->s);
        htp_tensor_id is_between =
            htp_emit_binary(l, "And", htp_step_compare_scalar(f, "Less", size, 1),
                            compare_degree(w, "Greater", of->highest));
        made = put(w, is_between, goal ? HTP_NONE : emit_wave(w), made, goal);
    }
    if (of->has_bottom) {
        made = put(w, emit_is_at(w, false), goal ? one : emit_bottom(w, of->bottom), made, goal);
    }
    if (of->has_top) {
        made = put(w, emit_is_at(w, true), goal ? one : emit_top(w), made, goal);
    }
    return put(w, compare_degree(w, "Less", 0), htp_step_number(f, 0), made, goal);
}

/** aten::special_chebyshev_polynomial_t and the like: the row names the polynomial. */
void htp_lower_polynomial(htp_lowering *l)
{
    work w = read_arguments(l);
    if (l->failure) {
        return;
    }
    htp_tensor_id goal = w.degree;
    (void)put_known(&w, HTP_NONE, &goal);
    htp_formula_bind(&w.f, 0, put_known(&w, emit_degrees(&w, goal), NULL));
}
