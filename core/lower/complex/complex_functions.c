/*
 * Functions of complex numbers: roots, logarithms, powers, trigonometry.
 *
 * Values on branch cuts follow the signs of zeros, as those of C's functions do.
 */
#include "lower/compose/complex.h"
#include "lower/compose/elementary.h"
#include "lower/emit/ort_dtypes.h"
#include "lower/pointwise/special.h"

#include <math.h>
#include <string.h>

enum { LARGEST_WHOLE_POWER = 64 };

static htp_formula formula_of_output(htp_lowering *l)
{
    return htp_formula_of_kernel(l, htp_dtype_real(htp_output_dtype(l, 0)));
}

static void bind(const htp_formula *f, htp_complex z)
{
    htp_bind_complex(f->l, 0, z, f->dtype);
}

static htp_tensor_id add(const htp_formula *f, htp_tensor_id a, htp_tensor_id b)
{
    return htp_step_binary(f, "Add", a, b);
}

static htp_tensor_id times(const htp_formula *f, htp_tensor_id a, htp_tensor_id b)
{
    return htp_step_binary(f, "Mul", a, b);
}

static htp_tensor_id negate(const htp_formula *f, htp_tensor_id a)
{
    return htp_step_unary(f, "Neg", a);
}

static htp_complex times_real(const htp_formula *f, htp_complex z, double factor)
{
    return (htp_complex){htp_step_scalar(f, "Mul", z.re, factor),
                         htp_step_scalar(f, "Mul", z.im, factor)};
}

/* ---- roots ---- */

/** With t = √((|a| + |z|) / 2), which does not cancel: t + ib / 2t for a >= 0, |b| / 2t ± it for a
 * < 0. */
static htp_complex square_root(const htp_formula *f, htp_complex z)
{
    htp_tensor_id width = htp_step_unary(f, "Abs", z.re);
    htp_tensor_id height = htp_step_unary(f, "Abs", z.im);
    htp_tensor_id length = htp_emit_hypot(f, z.re, z.im);
    htp_tensor_id half =
        add(f, htp_step_scalar(f, "Mul", width, 0.5), htp_step_scalar(f, "Mul", length, 0.5));
    htp_tensor_id t = htp_step_unary(f, "Sqrt", half);
    htp_tensor_id other = htp_step_binary(f, "Div", htp_step_scalar(f, "Mul", height, 0.5), t);
    htp_tensor_id is_zero = htp_step_compare_scalar(f, "Equal", t, 0);
    htp_tensor_id is_infinite = htp_step_compare_scalar(f, "Equal", height, INFINITY);
    other = htp_step_where_number(f, is_zero, 0, other);
    other = htp_step_where(f, is_infinite, height, other);
    htp_tensor_id is_right = htp_step_compare_scalar(f, "GreaterOrEqual", z.re, 0);
    htp_tensor_id re = htp_step_where(f, is_right, t, other);
    htp_tensor_id im = htp_step_where(f, is_right, other, t);
    htp_tensor_id sign = htp_emit_sign_bit(f, z.im);
    return (htp_complex){re, htp_step_where(f, sign, negate(f, im), im)};
}

/** aten::sqrt, and aten::rsqrt where the row says "Reciprocal" */
void htp_lower_complex_sqrt(htp_lowering *l)
{
    htp_complex_check_angle(l, "self");
    htp_formula f = formula_of_output(l);
    htp_complex root = square_root(&f, htp_arg_complex(l, "self", f.dtype));
    bind(&f, l->row->op ? htp_complex_invert(&f, root) : root);
}

/* ---- logarithms and powers ---- */

static htp_complex logarithm(const htp_formula *f, htp_complex z)
{
    return (htp_complex){htp_step_unary(f, "Log", htp_emit_hypot(f, z.re, z.im)),
                         htp_emit_atan2(f, z.im, z.re)};
}

/** aten::log, and aten::log2, aten::log10 where the row says which */
void htp_lower_complex_log(htp_lowering *l)
{
    htp_complex_check_angle(l, "self");
    htp_formula f = formula_of_output(l);
    htp_complex z = logarithm(&f, htp_arg_complex(l, "self", f.dtype));
    if (l->row->op) {
        z = times_real(&f, z, 1 / log(strcmp(l->row->op, "2") == 0 ? 2 : 10));
    }
    bind(&f, z);
}

/** z to an integer from 1 on, by repeated squaring. */
static htp_complex whole_power(const htp_formula *f, htp_complex z, int exponent)
{
    htp_complex power = z;
    bool has_power = false;
    for (; exponent > 0; exponent /= 2) {
        if (exponent % 2 == 1) {
            power = has_power ? htp_complex_multiply(f, power, z) : z;
            has_power = true;
        }
        if (exponent > 1) {
            z = htp_complex_multiply(f, z, z);
        }
    }
    return power;
}

/** exp(w · log(z)). Powers of 0 have no angle: they are 0 or infinite, or NaN for the exponent
 * 0. */
static htp_complex any_power(const htp_formula *f, htp_complex z, htp_complex w)
{
    htp_complex logged = logarithm(f, z);
    htp_complex product = htp_complex_multiply(f, w, logged);
    htp_tensor_id is_zero = htp_step_compare_scalar(f, "Equal", logged.re, -INFINITY);
    htp_tensor_id length = htp_step_where(f, is_zero, times(f, w.re, logged.re), product.re);
    length = htp_step_unary(f, "Exp", length);
    htp_tensor_id cosine = htp_step_unary(f, "Cos", product.im);
    htp_tensor_id sine = htp_step_unary(f, "Sin", product.im);
    return (htp_complex){times(f, length, htp_step_where_number(f, is_zero, 1, cosine)),
                         times(f, length, htp_step_where_number(f, is_zero, 0, sine))};
}

static bool is_whole(double number)
{
    return fabs(number) >= 1 && fabs(number) <= LARGEST_WHOLE_POWER && number == floor(number);
}

/** z to a number other than 0. Integers and halves are computed by arithmetic, which keeps more
 * digits; negative ones give the inverse. */
static htp_complex power_of_number(const htp_formula *f, htp_complex z, double exponent)
{
    if (is_whole(exponent)) {
        return whole_power(f, z, (int)fabs(exponent));
    }
    if (fabs(exponent) == 0.5) {
        return square_root(f, z);
    }
    const htp_complex w = {htp_step_number(f, exponent), htp_step_number(f, 0)};
    return any_power(f, z, w);
}

/** aten::pow of tensors, and of a number */
void htp_lower_complex_powers(htp_lowering *l)
{
    htp_complex_check_angle(l, "self");
    htp_formula f = formula_of_output(l);
    bind(&f, any_power(&f, htp_arg_complex(l, "self", f.dtype),
                       htp_arg_complex(l, "exponent", f.dtype)));
}

/** z to a real number. */
static htp_complex real_power(const htp_formula *f, htp_complex z, double exponent)
{
    if (exponent == 0) {
        htp_tensor_id zero = htp_emit_zeros_like(f->l, f->dtype, z.re);
        return (htp_complex){htp_step_scalar(f, "Add", zero, 1), zero};
    }
    if (!is_whole(exponent)) {
        htp_complex_check_angle(f->l, "self");
    }
    htp_complex power = power_of_number(f, z, exponent);
    bool is_inverse = exponent < 0 && (is_whole(exponent) || exponent == -0.5);
    return is_inverse ? htp_complex_invert(f, power) : power;
}

/** aten::square, and aten::pow to a number */
void htp_lower_complex_power(htp_lowering *l)
{
    htp_formula f = formula_of_output(l);
    htp_complex z = htp_arg_complex(l, "self", f.dtype);
    htp_complex_number exponent = {2, 0};
    if (!l->row->op) {
        exponent = htp_arg_complex_number(l, "exponent");
    }
    if (l->failure) {
        return;
    }
    if (exponent.im == 0) {
        bind(&f, real_power(&f, z, exponent.re));
    } else {
        htp_lower_complex_powers(l);
    }
}

/* ---- trigonometry ---- */

/** sinh(a + ib) = sinh(a) cos(b) + i cosh(a) sin(b) */
static htp_complex sinh_of(const htp_formula *f, htp_complex z)
{
    return (htp_complex){times(f, htp_step_unary(f, "Sinh", z.re), htp_step_unary(f, "Cos", z.im)),
                         times(f, htp_step_unary(f, "Cosh", z.re), htp_step_unary(f, "Sin", z.im))};
}

/** cosh(a + ib) = cosh(a) cos(b) + i sinh(a) sin(b) */
static htp_complex cosh_of(const htp_formula *f, htp_complex z)
{
    return (htp_complex){times(f, htp_step_unary(f, "Cosh", z.re), htp_step_unary(f, "Cos", z.im)),
                         times(f, htp_step_unary(f, "Sinh", z.re), htp_step_unary(f, "Sin", z.im))};
}

/** With t = tanh(a), u = tan(b): (t (1 + u²) + iu (1 - t²)) / (1 + t²u²), with 1 - t² computed as 1
 * / cosh²(a), which does not cancel. */
static htp_complex tanh_of(const htp_formula *f, htp_complex z)
{
    htp_tensor_id t = htp_step_unary(f, "Tanh", z.re);
    htp_tensor_id u = htp_step_unary(f, "Tan", z.im);
    htp_tensor_id cosh = htp_step_unary(f, "Cosh", z.re);
    htp_tensor_id product = times(f, t, u);
    htp_tensor_id below = htp_step_scalar(f, "Add", times(f, product, product), 1);
    htp_tensor_id re = times(f, t, htp_step_scalar(f, "Add", times(f, u, u), 1));
    htp_tensor_id im = htp_step_binary(f, "Div", htp_step_binary(f, "Div", u, cosh), cosh);
    return (htp_complex){htp_step_binary(f, "Div", re, below),
                         htp_step_binary(f, "Div", im, below)};
}

/** √(1 + z) and √(1 - z), of which the inverse functions are made. */
typedef struct two_roots {
    htp_complex plus;
    htp_complex minus;
} two_roots;

static two_roots roots_of(const htp_formula *f, htp_complex z)
{
    const htp_complex plus = {htp_step_scalar(f, "Add", z.re, 1), z.im};
    const htp_complex minus = {htp_step_from(f, 1, "Sub", z.re), negate(f, z.im)};
    return (two_roots){square_root(f, plus), square_root(f, minus)};
}

/** Kahan's: atan2(x, re(√(1 - z) √(1 + z))), asinh(im(conj(√(1 - z)) √(1 + z))) */
static htp_complex asin_of(const htp_formula *f, htp_complex z)
{
    two_roots r = roots_of(f, z);
    htp_complex product = htp_complex_multiply(f, r.minus, r.plus);
    r.minus.im = negate(f, r.minus.im);
    htp_complex other = htp_complex_multiply(f, r.minus, r.plus);
    return (htp_complex){htp_emit_atan2(f, z.re, product.re), htp_step_unary(f, "Asinh", other.im)};
}

/** Kahan's: 2 atan2(re(√(1 - z)), re(√(1 + z))), asinh(im(conj(√(1 + z)) √(1 - z))) */
static htp_complex acos_of(const htp_formula *f, htp_complex z)
{
    two_roots r = roots_of(f, z);
    htp_tensor_id re = htp_emit_atan2(f, r.minus.re, r.plus.re);
    r.plus.im = negate(f, r.plus.im);
    htp_complex product = htp_complex_multiply(f, r.plus, r.minus);
    return (htp_complex){htp_step_scalar(f, "Mul", re, 2), htp_step_unary(f, "Asinh", product.im)};
}

/** Kahan's: asinh(re(conj(√(z - 1)) √(z + 1))), 2 atan2(im(√(z - 1)), re(√(z + 1))) */
static htp_complex acosh_of(const htp_formula *f, htp_complex z)
{
    const htp_complex above = {htp_step_scalar(f, "Add", z.re, 1), z.im};
    const htp_complex below = {htp_step_scalar(f, "Sub", z.re, 1), z.im};
    htp_complex plus = square_root(f, above);
    htp_complex minus = square_root(f, below);
    htp_tensor_id im = htp_emit_atan2(f, minus.im, plus.re);
    minus.im = negate(f, minus.im);
    htp_complex product = htp_complex_multiply(f, minus, plus);
    return (htp_complex){htp_step_unary(f, "Asinh", product.re), htp_step_scalar(f, "Mul", im, 2)};
}

/** ¼ log1p(4x / ((1 - x)² + y²)), ½ atan2(2y, (1 - x)(1 + x) - y²) */
static htp_complex atanh_of(const htp_formula *f, htp_complex z)
{
    htp_tensor_id minus = htp_step_from(f, 1, "Sub", z.re);
    htp_tensor_id square = times(f, z.im, z.im);
    htp_tensor_id below = add(f, times(f, minus, minus), square);
    htp_tensor_id ratio = htp_step_binary(f, "Div", htp_step_scalar(f, "Mul", z.re, 4), below);
    htp_tensor_id across =
        htp_step_binary(f, "Sub", times(f, minus, htp_step_scalar(f, "Add", z.re, 1)), square);
    htp_tensor_id angle = htp_emit_atan2(f, htp_step_scalar(f, "Mul", z.im, 2), across);
    return (htp_complex){htp_step_scalar(f, "Mul", htp_emit_log1p(f->l, f->dtype, ratio), 0.25),
                         htp_step_scalar(f, "Mul", angle, 0.5)};
}

/* How a function follows from another one of iz: f(z) = g(iz) (IN), or -i g(iz) (BACK). */
typedef enum turn { TURN_NONE, TURN_IN, TURN_BACK } turn;

static const struct trigonometric {
    const char *name;
    htp_complex (*function)(const htp_formula *f, htp_complex z);
    turn turn;
    bool has_cut; /* a branch cut, across which the function jumps */
} functions[] = {
    {"sinh", sinh_of, TURN_NONE, false},  {"cosh", cosh_of, TURN_NONE, false},
    {"tanh", tanh_of, TURN_NONE, false},  {"sin", sinh_of, TURN_BACK, false},
    {"cos", cosh_of, TURN_IN, false},     {"tan", tanh_of, TURN_BACK, false},
    {"asin", asin_of, TURN_NONE, true},   {"acos", acos_of, TURN_NONE, true},
    {"acosh", acosh_of, TURN_NONE, true}, {"atanh", atanh_of, TURN_NONE, true},
    {"asinh", asin_of, TURN_BACK, true},  {"atan", atanh_of, TURN_BACK, true},
};

/** Trigonometry: the row says which function. */
void htp_lower_complex_trigonometric(htp_lowering *l)
{
    htp_formula f = formula_of_output(l);
    htp_complex z = htp_arg_complex(l, "self", f.dtype);
    size_t i = 0;
    while (strcmp(functions[i].name, l->row->op) != 0) {
        i++;
    }
    if (functions[i].has_cut) {
        htp_complex_check_angle(l, "self");
    }
    if (functions[i].turn != TURN_NONE) {
        z = (htp_complex){negate(&f, z.im), z.re};
    }
    z = functions[i].function(&f, z);
    if (functions[i].turn == TURN_BACK) {
        z = (htp_complex){z.im, negate(&f, z.re)};
    }
    bind(&f, z);
}

/** aten::sigmoid: 1 / (1 + exp(-z)) */
void htp_lower_complex_sigmoid(htp_lowering *l)
{
    htp_formula f = formula_of_output(l);
    htp_complex z = htp_arg_complex(l, "self", f.dtype);
    htp_tensor_id length = htp_step_unary(&f, "Exp", negate(&f, z.re));
    htp_tensor_id cosine = times(&f, length, htp_step_unary(&f, "Cos", z.im));
    htp_tensor_id sine = times(&f, length, htp_step_unary(&f, "Sin", z.im));
    const htp_complex below = {htp_step_scalar(&f, "Add", cosine, 1), negate(&f, sine)};
    bind(&f, htp_complex_invert(&f, below));
}

/** aten::sgn: z / |z|, and 0 of 0 */
void htp_lower_complex_sgn(htp_lowering *l)
{
    htp_formula f = formula_of_output(l);
    htp_complex z = htp_arg_complex(l, "self", f.dtype);
    htp_tensor_id length = htp_emit_hypot(&f, z.re, z.im);
    htp_tensor_id is_zero = htp_step_compare_scalar(&f, "Equal", length, 0);
    bind(&f, (htp_complex){
                 htp_step_where_number(&f, is_zero, 0, htp_step_binary(&f, "Div", z.re, length)),
                 htp_step_where_number(&f, is_zero, 0, htp_step_binary(&f, "Div", z.im, length))});
}
