/*
 * Vectors of dynamic length: windows of signal processing (aten::hann_window and the like), and the
 * frequencies of a Fourier transform. PyTorch composes them of operators that round one by one.
 */
#include "lower/compose/formula.h"
#include "lower/emit/rows.h"
#include "lower/emit/sizes.h"
#include "lower/pointwise/special.h"

#include <math.h>
#include <string.h>

/** A window under construction. */
typedef struct taper {
    htp_formula f;
    htp_tensor_id length;    /* [1], int64 */
    htp_tensor_id index;     /* 0, 1, ... as int64 */
    htp_tensor_id position;  /* the same in the formula's dtype */
    htp_tensor_id intervals; /* [1], float64: number of intervals between the first and the last
                                point; a periodic window omits the last point */
} taper;

/** An integer, rounded as the formula's results are. */
static htp_tensor_id counted(const htp_formula *f, htp_tensor_id x)
{
    x = htp_emit_cast(f->l, x, HTP_DTYPE_INT64, f->rounded);
    return htp_emit_cast(f->l, x, f->rounded, f->dtype);
}

/** Reads the arguments window_length and periodic, which is true if absent. */
static taper arg_taper(htp_lowering *l)
{
    taper t = {.f = htp_formula_of_steps(l, htp_output_dtype(l, 0)),
               .length = htp_arg_vector(l, "window_length")};
    bool is_periodic = htp_arg_bool_or(l, "periodic", true);
    t.index = htp_emit_count_up(l, t.length);
    t.position = counted(&t.f, t.index);
    htp_tensor_id intervals =
        is_periodic ? t.length : htp_emit_binary(l, "Sub", t.length, htp_emit_int(l, 1));
    t.intervals = htp_emit_cast(l, intervals, HTP_DTYPE_INT64, HTP_DTYPE_FLOAT64);
    return t;
}

/** A number divided by the number of intervals, in float64 as in PyTorch. */
static htp_tensor_id over_intervals(const taper *t, double number)
{
    htp_tensor_id quotient = htp_emit_binary(
        t->f.l, "Div", htp_emit_scalar(t->f.l, HTP_DTYPE_FLOAT64, number), t->intervals);
    return htp_emit_cast(t->f.l, quotient, HTP_DTYPE_FLOAT64, t->f.dtype);
}

/** Binds the window. A window of length 1 is 1. */
static void bind_taper(const taper *t, htp_tensor_id x)
{
    htp_lowering *l = t->f.l;
    htp_tensor_id is_single = htp_emit_binary(l, "Equal", t->length, htp_emit_int(l, 1));
    htp_formula_bind(&t->f, 0, htp_step_where_number(&t->f, is_single, 1, x));
}

/** aten::hann_window, hamming_window: alpha - beta · cos(2πn / N). "hann" in the row means that
 * alpha and beta are 1/2. */
void htp_lower_cosine_window(htp_lowering *l)
{
    taper t = arg_taper(l);
    bool is_hann = strcmp(l->row->op, "hann") == 0;
    double alpha = is_hann ? 0.5 : htp_arg_float_or(l, "alpha", 0.54);
    double beta = is_hann ? 0.5 : htp_arg_float_or(l, "beta", 0.46);
    htp_tensor_id angle =
        htp_step_binary(&t.f, "Mul", t.position, over_intervals(&t, acos(-1) * 2.0));
    htp_tensor_id x = htp_step_scalar(&t.f, "Mul", htp_step_unary(&t.f, "Cos", angle), -beta);
    bind_taper(&t, htp_step_scalar(&t.f, "Add", x, alpha));
}

/** cos(@p x · @p factor) · @p weight */
static htp_tensor_id emit_wave(const taper *t, htp_tensor_id x, double factor, double weight)
{
    htp_tensor_id angle = htp_step_scalar(&t->f, "Mul", x, factor);
    return htp_step_scalar(&t->f, "Mul", htp_step_unary(&t->f, "Cos", angle), weight);
}

/** aten::blackman_window: 0.42 - cos(2πn / N) / 2 + 0.08 · cos(4πn / N) */
void htp_lower_blackman_window(htp_lowering *l)
{
    taper t = arg_taper(l);
    htp_tensor_id x = htp_step_binary(&t.f, "Mul", t.position, over_intervals(&t, acos(-1)));
    htp_tensor_id waves =
        htp_step_binary(&t.f, "Sub", emit_wave(&t, x, 4, 0.08), emit_wave(&t, x, 2, 0.5));
    bind_taper(&t, htp_step_scalar(&t.f, "Add", waves, 0.42));
}

/** aten::bartlett_window: a triangle, 2n / N up to the middle and 2 - 2n / N after it */
void htp_lower_bartlett_window(htp_lowering *l)
{
    taper t = arg_taper(l);
    htp_tensor_id up = htp_step_binary(&t.f, "Mul", t.position, over_intervals(&t, 2));
    htp_tensor_id down = htp_step_scalar(&t.f, "Add", htp_step_unary(&t.f, "Neg", up), 2);
    htp_tensor_id whole = htp_emit_cast(l, t.intervals, HTP_DTYPE_FLOAT64, HTP_DTYPE_INT64);
    htp_tensor_id middle = htp_emit_binary(l, "Div", whole, htp_emit_int(l, 2));
    htp_tensor_id rises = htp_emit_binary(l, "LessOrEqual", t.index, middle);
    bind_taper(&t, htp_step_where(&t.f, rises, up, down));
}

/** aten::kaiser_window: I0(β √(1 - (n / α - 1)²)) / I0(β), where α is half of N */
void htp_lower_kaiser_window(htp_lowering *l)
{
    taper t = arg_taper(l);
    double beta = htp_arg_float_or(l, "beta", 12.0);
    htp_formula f = {l, HTP_DTYPE_FLOAT64, HTP_DTYPE_FLOAT64};
    htp_tensor_id half = htp_step_scalar(&f, "Mul", t.intervals, 0.5);
    htp_tensor_id n = htp_emit_cast(l, t.position, t.f.dtype, f.dtype);
    htp_tensor_id x = htp_step_binary(&f, "Div", htp_step_binary(&f, "Sub", n, half), half);
    x = htp_step_from(&f, 1, "Sub", htp_step_binary(&f, "Mul", x, x));
    x = htp_step_scalar(&f, "Mul", htp_step_unary(&f, "Sqrt", x), beta);
    htp_tensor_id most = htp_emit_fill(l, f.dtype, 1, beta);
    x = htp_step_binary(&f, "Div", htp_emit_bessel_i0(&f, x), htp_emit_bessel_i0(&f, most));
    bind_taper(&t, htp_emit_cast(l, x, f.dtype, t.f.dtype));
}

/** aten::fft_fftfreq, and fft_rfftfreq if the row's parameter is "half": integers times 1 / (n ·
 * d); the former has the negative ones last. */
void htp_lower_frequencies(htp_lowering *l)
{
    htp_formula f = htp_formula_of_steps(l, htp_output_dtype(l, 0));
    bool is_half = l->row->op != NULL;
    htp_tensor_id n = htp_arg_vector(l, "n");
    htp_tensor_id two = htp_emit_int(l, 2);
    htp_tensor_id one = htp_emit_int(l, 1);
    htp_tensor_id index;
    if (is_half) {
        htp_tensor_id half = htp_emit_binary(l, "Div", n, two);
        index = htp_emit_count_up(l, htp_emit_binary(l, "Add", half, one));
    } else {
        index = htp_emit_count_up(l, n);
        htp_tensor_id middle = htp_emit_binary(l, "Div", htp_emit_binary(l, "Add", n, one), two);
        htp_tensor_id is_left = htp_emit_binary(l, "Less", index, middle);
        htp_tensor_id below = htp_emit_binary(l, "Sub", index, n);
        index = htp_emit(l, "Where", HTP_IN(is_left, index, below), HTP_NO_AT);
    }
    htp_tensor_id spacing = htp_arg_tensor_as(l, "d", HTP_DTYPE_FLOAT64);
    htp_tensor_id span =
        htp_emit_binary(l, "Mul", htp_emit_cast(l, n, HTP_DTYPE_INT64, HTP_DTYPE_FLOAT64), spacing);
    htp_tensor_id factor =
        htp_emit_binary(l, "Div", htp_emit_scalar(l, HTP_DTYPE_FLOAT64, 1), span);
    factor = htp_emit_cast(l, factor, HTP_DTYPE_FLOAT64, f.dtype);
    htp_formula_bind(&f, 0, htp_step_binary(&f, "Mul", counted(&f, index), factor));
}
