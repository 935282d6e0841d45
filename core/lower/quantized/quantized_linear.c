/*
 * Layers with packed weights: integers are multiplied and added exactly, and sums are rounded to
 * levels as in FBGEMM.
 *
 * Sums of integers are exact in float32 below 2^24, in any order, and in float64 below 2^53. A Cast
 * follows each product: otherwise runtimes would fuse it with the bias or the scale and round in
 * another order.
 */
#include "lower/compose/compose.h"
#include "lower/emit/rows.h"
#include "lower/quantized/quantized.h"

#include <math.h>

typedef struct layer {
    int64_t outputs;
    int64_t inputs;
    bool has_channels; /* a scale for each output */
    double largest;    /* possible sum of products of 8-bit levels */
    htp_dtype dtype;   /* to multiply in */
    htp_tensor_id weight;
} layer;

/** A number of the constant argument @p name, which has one number, or one per output. */
static double read_of(htp_lowering *l, const char *name, int64_t output)
{
    htp_value_id id = htp_arg_value(l, name);
    const htp_trace_value *value = htp_graph_value(l->graph, id);
    htp_number number = htp_number_int(0);
    if (!htp_value_read(l, id, value->rank ? (size_t)output : 0, &number)) {
        htp_lower_fail(l, "its %s is not known", name);
    }
    return number.is_float ? number.f : (double)number.i;
}

/** The largest possible sum of an output's products with centred levels. */
static double largest_sum(htp_lowering *l, const layer *of)
{
    htp_value_id id = htp_arg_value(l, "weight");
    double largest = 0;
    for (int64_t o = 0; o < of->outputs && !l->failure; o++) {
        double zero = read_of(l, "weight_zero_point", o);
        double sum = 0;
        for (int64_t i = 0; i < of->inputs; i++) {
            htp_number number = htp_number_int(0);
            if (!htp_value_read(l, id, (size_t)(o * of->inputs + i), &number)) {
                htp_lower_fail(l, "its weight is not known");
                break;
            }
            sum += fabs((double)number.i - zero);
        }
        largest = fmax(largest, 255 * sum);
    }
    return largest;
}

static layer read_layer(htp_lowering *l)
{
    const int64_t swapped[] = {1, 0};
    const htp_trace_value *weight = htp_graph_value(l->graph, htp_arg_value(l, "weight"));
    const htp_trace_value *scale = htp_graph_value(l->graph, htp_arg_value(l, "weight_scale"));
    layer of = {.outputs = weight->dims[0][0], .inputs = weight->dims[0][1]};
    of.has_channels = scale->rank == 1;
    of.largest = largest_sum(l, &of);
    of.dtype = of.largest < 0x1p24 ? HTP_DTYPE_FLOAT32 : HTP_DTYPE_FLOAT64;
    htp_tensor_id zero = htp_arg_tensor_as(l, "weight_zero_point", of.dtype);
    of.weight = htp_arg_tensor_as(l, "weight", of.dtype);
    zero = of.has_channels ? htp_emit_channels(l, zero, 1) : zero;
    of.weight = htp_emit_binary(l, "Sub", of.weight, zero);
    of.weight = htp_emit_transpose(l, of.weight, swapped, 2);
    return of;
}

/** x · weightᵀ as float32, rounded once. @param x  whole numbers, float32 */
static htp_tensor_id multiply(htp_lowering *l, const layer *of, htp_tensor_id x)
{
    x = htp_emit_cast(l, x, HTP_DTYPE_FLOAT32, of->dtype);
    return htp_emit_cast(l, htp_emit_binary(l, "MatMul", x, of->weight), of->dtype,
                         HTP_DTYPE_FLOAT32);
}

/** A constant with a number per output. */
static htp_tensor_id constant_of(htp_lowering *l, const layer *of, htp_dtype dtype,
                                 const htp_number *numbers)
{
    return htp_emit_numbers(l, dtype, 1, &of->outputs, numbers);
}

/* FBGEMM divides the bias by the scales if each output has its own; otherwise it multiplies by the
 * inverse as part of one rounded sum. */
static htp_number scaled_bias(const layer *of, float bias, float scale)
{
    double product = (double)bias * (double)(1.0F / scale);
    return htp_number_float(of->has_channels ? (double)(bias / scale) : product);
}

/** Sums of products plus the bias, in units of the output's scale. */
static htp_tensor_id rescale(htp_lowering *l, const layer *of, htp_tensor_id sums, float x_scale)
{
    const htp_dtype wide = HTP_DTYPE_FLOAT64;
    bool has_bias = htp_arg_present(l, "bias");
    float y_scale = (float)htp_arg_float(l, "Y_scale_i");
    htp_number *factors = HTP_NEW_ARRAY(l->arena, htp_number, (size_t)of->outputs + 1);
    htp_number *biases = HTP_NEW_ARRAY(l->arena, htp_number, (size_t)of->outputs + 1);
    for (int64_t o = 0; o < of->outputs && !l->failure; o++) {
        float scale = x_scale * (float)read_of(l, "weight_scale", o);
        float bias = has_bias ? (float)read_of(l, "bias", o) : 0;
        float factor = scale / y_scale;
        factors[o] = htp_number_float((double)factor);
        biases[o] = scaled_bias(of, bias, scale);
        if (!((of->largest + fabs(biases[o].f)) * (double)factor < 0x1p31)) {
            htp_lower_fail(l, "with these scales its sums can exceed an int32");
        }
    }
    sums = htp_emit_cast(l, sums, HTP_DTYPE_FLOAT32, wide);
    if (has_bias) {
        sums = htp_emit_binary(l, "Add", sums, constant_of(l, of, wide, biases));
        sums = htp_emit_cast(l, sums, wide, HTP_DTYPE_FLOAT32);
        return htp_emit_binary(l, "Mul", sums, constant_of(l, of, HTP_DTYPE_FLOAT32, factors));
    }
    sums = htp_emit_binary(l, "Mul", sums, constant_of(l, of, wide, factors));
    return htp_emit_cast(l, sums, wide, HTP_DTYPE_FLOAT32);
}

/** quantized::linear, linear_relu: the row says whether no level lies below the zero point. */
void htp_lower_quantized_linear(htp_lowering *l)
{
    const htp_scale from = htp_value_scale(l, htp_arg_value(l, "X"));
    if (htp_arg_dtype(l, "X") != HTP_DTYPE_UINT8) {
        htp_lower_fail(l, "it takes levels of quint8 only");
        return;
    }
    const layer of = read_layer(l);
    htp_tensor_id sums = multiply(l, &of, htp_value_centered(l, htp_arg_value(l, "X")));
    htp_tensor_id x = rescale(l, &of, sums, (float)from.scale);
    double zero_point = (double)htp_arg_int(l, "Y_zero_point_i");
    htp_tensor_id y = htp_emit_binary(l, "Add", htp_emit_unary(l, "Round", x),
                                      htp_emit_scalar(l, HTP_DTYPE_FLOAT32, zero_point));
    y = htp_emit(l, "Clip",
                 HTP_IN(y, htp_emit_scalar(l, HTP_DTYPE_FLOAT32, l->row->op ? zero_point : 0),
                        htp_emit_scalar(l, HTP_DTYPE_FLOAT32, 255)),
                 HTP_NO_AT);
    htp_bind_cast(l, 0, y, HTP_DTYPE_FLOAT32);
}

/* ---- levels that the input itself decides ---- */

/* FBGEMM's least scale. */
#define LEAST_SCALE 6.1e-5F

/** The range of a tensor's levels. */
typedef struct range {
    htp_tensor_id scale;      /* float32 */
    htp_tensor_id zero_point; /* float64 */
} range;

static htp_tensor_id compute(htp_lowering *l, const char *op, htp_tensor_id x, htp_tensor_id y)
{
    return htp_emit_binary(l, op, x, y);
}

static htp_tensor_id choose(htp_lowering *l, htp_tensor_id condition, htp_tensor_id then,
                            htp_tensor_id otherwise)
{
    return htp_emit(l, "Where", HTP_IN(condition, then, otherwise), HTP_NO_AT);
}

/** An end of the range, float32, after a scale below LEAST_SCALE was raised. */
static htp_tensor_id widen(htp_lowering *l, htp_tensor_id end, htp_tensor_id other,
                           htp_tensor_id growth, double alone)
{
    const htp_dtype dtype = HTP_DTYPE_FLOAT32;
    htp_tensor_id zero = htp_emit_scalar(l, dtype, 0);
    htp_tensor_id grown = compute(l, "Mul", end, growth);
    htp_tensor_id is_alone = compute(l, "Equal", other, zero);
    return choose(l, is_alone, htp_emit_scalar(l, dtype, alone), grown);
}

/** The zero point that makes the smaller error at the ends. @param scale  float64 */
static htp_tensor_id choose_zero_point(htp_lowering *l, htp_tensor_id least, htp_tensor_id most,
                                       htp_tensor_id scale, double highest)
{
    const htp_dtype wide = HTP_DTYPE_FLOAT64;
    htp_tensor_id top = htp_emit_scalar(l, wide, highest);
    least = compute(l, "Div", htp_emit_cast(l, least, HTP_DTYPE_FLOAT32, wide), scale);
    most = compute(l, "Div", htp_emit_cast(l, most, HTP_DTYPE_FLOAT32, wide), scale);
    htp_tensor_id low_error = htp_emit_unary(l, "Neg", htp_emit_unary(l, "Abs", least));
    htp_tensor_id high_error = compute(l, "Sub", top, htp_emit_unary(l, "Abs", most));
    htp_tensor_id zero_point =
        choose(l, compute(l, "Less", low_error, high_error), htp_emit_unary(l, "Neg", least),
               compute(l, "Sub", top, most));
    return htp_emit(
        l, "Clip", HTP_IN(htp_emit_unary(l, "Round", zero_point), htp_emit_scalar(l, wide, 0), top),
        HTP_NO_AT);
}

/** The range of the float32 @p x in levels from 0 to @p highest, as FBGEMM chooses it. */
static range choose_range(htp_lowering *l, htp_tensor_id x, double highest)
{
    const htp_dtype dtype = HTP_DTYPE_FLOAT32;
    const htp_dtype wide = HTP_DTYPE_FLOAT64;
    const double alone = (double)(LEAST_SCALE * (float)highest);
    htp_tensor_id zero = htp_emit_scalar(l, dtype, 0);
    x = htp_emit_reshape(l, x, (const int64_t[]){-1}, 1);
    htp_tensor_id least = htp_emit_reduce(l, "ReduceMin", x, (const int64_t[]){0}, 1, false);
    htp_tensor_id most = htp_emit_reduce(l, "ReduceMax", x, (const int64_t[]){0}, 1, false);
    least = compute(l, "Min", least, zero);
    most = compute(l, "Max", most, zero);
    htp_tensor_id scale = compute(l, "Sub", htp_emit_cast(l, most, dtype, wide),
                                  htp_emit_cast(l, least, dtype, wide));
    scale = htp_emit_binary_scalar(l, "Div", scale, wide, highest);
    /* The inverse of such a scale is infinite in float32. */
    htp_tensor_id is_none = htp_emit_binary_scalar(l, "LessOrEqual", scale, wide, 0x1.000004p-128);
    scale = choose(l, is_none, htp_emit_scalar(l, wide, 0.1), scale);
    htp_tensor_id limit = htp_emit_scalar(l, wide, (double)LEAST_SCALE);
    htp_tensor_id is_small = compute(l, "Less", scale, limit);
    htp_tensor_id growth = compute(l, "Div", htp_emit_scalar(l, dtype, (double)LEAST_SCALE),
                                   htp_emit_cast(l, scale, wide, dtype));
    htp_tensor_id wider = widen(l, most, least, growth, alone);
    least = choose(l, is_small, widen(l, least, most, growth, -alone), least);
    most = choose(l, is_small, wider, most);
    scale = choose(l, is_small, limit, scale);
    return (range){htp_emit_cast(l, scale, wide, dtype),
                   choose_zero_point(l, least, most, scale, highest)};
}

/** Levels minus the zero point, as float32. FBGEMM adds the zero point before it rounds, in one
 * fused sum. */
static htp_tensor_id center(htp_lowering *l, htp_tensor_id x, const range *r)
{
    const htp_dtype dtype = HTP_DTYPE_FLOAT32;
    const htp_dtype wide = HTP_DTYPE_FLOAT64;
    htp_tensor_id inverse =
        htp_emit_cast(l, htp_emit_inverse_scale(l, r->scale, dtype), dtype, wide);
    x = compute(l, "Mul", htp_emit_cast(l, x, dtype, wide), inverse);
    x = htp_emit_cast(l, compute(l, "Add", x, r->zero_point), wide, dtype);
    x = htp_emit(l, "Clip",
                 HTP_IN(htp_emit_unary(l, "Round", x), htp_emit_scalar(l, dtype, 0),
                        htp_emit_scalar(l, dtype, 255)),
                 HTP_NO_AT);
    return compute(l, "Sub", x, htp_emit_cast(l, r->zero_point, wide, dtype));
}

/** quantized::linear_dynamic, linear_relu_dynamic */
void htp_lower_dynamic_linear(htp_lowering *l)
{
    const htp_dtype dtype = HTP_DTYPE_FLOAT32;
    const htp_dtype wide = HTP_DTYPE_FLOAT64;
    const layer of = read_layer(l);
    htp_tensor_id x = htp_arg_tensor(l, "X");
    const range r = choose_range(l, x, htp_arg_bool_or(l, "reduce_range", false) ? 127 : 255);
    htp_tensor_id scale = compute(l, "Mul", r.scale, htp_arg_tensor(l, "weight_scale"));
    htp_tensor_id y = multiply(l, &of, center(l, x, &r));
    y = compute(l, "Mul", htp_emit_cast(l, y, dtype, wide), htp_emit_cast(l, scale, dtype, wide));
    if (htp_arg_present(l, "bias")) {
        y = compute(l, "Add", y, htp_arg_tensor_as(l, "bias", wide));
    }
    y = htp_emit_cast(l, y, wide, dtype);
    htp_bind(l, 0, l->row->op ? htp_emit_unary(l, l->row->op, y) : y);
}
