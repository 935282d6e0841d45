/*
 * Fake quantisation: rounding to levels, as in quantisation-aware training.
 *
 * libtorch multiplies by the scale's inverse, a float32, and rounds to even: ONNX QuantizeLinear
 * divides, which sometimes gives the neighbouring level. So this is composed of other nodes. NaN
 * becomes the lowest level, as do values beyond int64 with a scale per channel. With one scale, the
 * trace says whether its libtorch clips them.
 */
#include "lower/compose/compose.h"
#include "lower/emit/rows.h"

#include <math.h>

typedef struct quantizer {
    htp_tensor_id scale;      /* float32 */
    htp_tensor_id inverse;    /* 1 / scale */
    htp_tensor_id zero_point; /* float32 */
    double low;
    double high;
    double most; /* values up to this are clipped; larger ones are treated as NaN */
} quantizer;

/** Reads the levels' bounds. Integers up to 2^24 are exact in float32. */
static quantizer read_bounds(htp_lowering *l)
{
    const int64_t most = INT64_C(1) << 24;
    int64_t low = htp_arg_int(l, "quant_min");
    int64_t high = htp_arg_int(l, "quant_max");
    if (low > high || low < -most || high > most) {
        htp_lower_fail(l, "levels from %lld to %lld are not supported", (long long)low,
                       (long long)high);
    }
    bool is_clipped = !l->graph->trace->fake_rounding.infinity_is_lowest;
    return (quantizer){
        .low = (double)low, .high = (double)high, .most = is_clipped ? INFINITY : 0x1p63};
}

static htp_tensor_id single(htp_lowering *l, double value)
{
    return htp_emit_scalar(l, HTP_DTYPE_FLOAT32, value);
}

static void read_numbers(htp_lowering *l, quantizer *q)
{
    float scale = (float)htp_arg_float(l, "scale");
    int64_t zero_point = htp_arg_int(l, "zero_point");
    if (!(scale > 0) || zero_point < (int64_t)q->low || zero_point > (int64_t)q->high) {
        htp_lower_fail(l, "a scale of %g with zero point %lld is not supported", (double)scale,
                       (long long)zero_point);
    }
    q->scale = single(l, (double)scale);
    q->inverse = single(l, (double)(1.0F / scale));
    q->zero_point = single(l, (double)zero_point);
}

/** Reads scale and zero point: one for all, or one per channel. @param trailing  dims after the
 * channels */
static void read_tensors(htp_lowering *l, quantizer *q, bool per_channel, size_t trailing)
{
    if (htp_arg_dtype(l, "scale") != HTP_DTYPE_FLOAT32 ||
        !htp_dtype_is_integer(htp_arg_dtype(l, "zero_point"))) {
        htp_lower_fail(l, "a scale of %s with a zero point of %s is not supported",
                       htp_dtype_name(htp_arg_dtype(l, "scale")),
                       htp_dtype_name(htp_arg_dtype(l, "zero_point")));
    }
    q->scale = htp_arg_tensor(l, "scale");
    q->zero_point = htp_arg_tensor_as(l, "zero_point", HTP_DTYPE_FLOAT32);
    if (per_channel) {
        q->scale = htp_emit_channels(l, q->scale, trailing);
        q->zero_point = htp_emit_channels(l, q->zero_point, trailing);
        q->most = 0x1p63;
    } else {
        q->scale = htp_emit_reshape(l, q->scale, NULL, 0);
        q->zero_point = htp_emit_reshape(l, q->zero_point, NULL, 0);
    }
    /* ONNX Runtime rewrites x · (1 / scale) as x / scale, which rounds differently. */
    q->inverse = htp_emit_binary(l, "Div", single(l, 2), q->scale);
    q->inverse = htp_emit_binary_scalar(l, "Mul", q->inverse, HTP_DTYPE_FLOAT32, 0.5);
}

/** Binds the rounded tensor and, if there is a second output, the mask of elements within the
 * levels. */
static void bind_rounded(htp_lowering *l, const quantizer *q)
{
    const htp_dtype dtype = HTP_DTYPE_FLOAT32;
    if (htp_arg_math_dtype(l, "self", 0) != dtype) {
        return;
    }
    htp_tensor_id low = single(l, q->low);
    htp_tensor_id high = single(l, q->high);
    htp_tensor_id x = htp_emit_binary(l, "Mul", htp_arg_tensor_as(l, "self", dtype), q->inverse);
    htp_tensor_id level = htp_emit_binary(l, "Add", htp_emit_unary(l, "Round", x), q->zero_point);
    htp_tensor_id is_number = isinf(q->most)
                                  ? htp_emit_unary(l, "Not", htp_emit_unary(l, "IsNaN", x))
                                  : htp_emit_binary_scalar(l, "Less", x, dtype, q->most);
    htp_tensor_id clipped = htp_emit(l, "Clip", HTP_IN(level, low, high), HTP_NO_AT);
    clipped = htp_emit(l, "Where", HTP_IN(is_number, clipped, low), HTP_NO_AT);
    htp_tensor_id y = htp_emit_binary(l, "Sub", clipped, q->zero_point);
    htp_bind_cast(l, 0, htp_emit_binary(l, "Mul", y, q->scale), dtype);
    if (l->node->output_count == 2) {
        htp_tensor_id above = htp_emit_binary(l, "GreaterOrEqual", level, low);
        htp_tensor_id below = htp_emit_binary(l, "LessOrEqual", level, high);
        htp_bind(l, 1, htp_emit_binary(l, "And", above, below));
    }
}

/** fake_quantize_per_tensor_affine: the row says whether scale and zero point are tensors. */
void htp_lower_fake_quantize(htp_lowering *l)
{
    quantizer q = read_bounds(l);
    if (l->row->op) {
        read_tensors(l, &q, false, 0);
    } else {
        read_numbers(l, &q);
    }
    if (htp_arg_present(l, "fake_quant_enabled")) {
        htp_lower_fail(l, "whether it does anything depends on a tensor");
    }
    bind_rounded(l, &q);
}

/** fake_quantize_per_channel_affine */
void htp_lower_fake_quantize_channels(htp_lowering *l)
{
    quantizer q = read_bounds(l);
    uint32_t rank = htp_arg_rank(l, "self");
    int64_t axis = htp_arg_dim(l, "axis", rank);
    if (rank == 0) {
        htp_lower_fail(l, "a tensor without dims has no channels");
        return;
    }
    read_tensors(l, &q, true, (size_t)(rank - 1 - axis));
    bind_rounded(l, &q);
}
