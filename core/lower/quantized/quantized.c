/*
 * Quantised tensors: numbers to levels and back.
 *
 * libtorch multiplies by the scale's inverse, a float32, and rounds half to even before it adds the
 * zero point: ONNX QuantizeLinear divides, which sometimes gives the neighbouring level. So this is
 * composed of other nodes.
 */
#include "lower/quantized/quantized.h"

#include "lower/compose/compose.h"
#include "lower/emit/rows.h"

static bool is_quantized(const htp_trace_value *value)
{
    return value->kind == HTP_TRACE_TENSOR && value->is_quantized;
}

bool htp_value_is_quantized(const htp_graph *graph, htp_value_id id)
{
    return htp_graph_any(graph, &id, 1, is_quantized);
}

bool htp_node_is_quantized(const htp_lowering *l)
{
    const htp_trace_node *node = l->node;
    bool found = htp_graph_node_any(l->graph, node, is_quantized);
    for (uint32_t i = 0; i < node->block_count && !found; i++) {
        const htp_trace_block *block = &l->graph->trace->blocks[node->blocks[i]];
        found = htp_graph_any(l->graph, block->inputs, block->input_count, is_quantized) ||
                htp_graph_any(l->graph, block->outputs, block->output_count, is_quantized);
    }
    return found;
}

/* ---- known numbers ---- */

bool htp_value_read(htp_lowering *l, htp_value_id id, size_t index, htp_number *number)
{
    const htp_trace_value *value = htp_graph_value(l->graph, id);
    if (htp_value_is_number(value)) {
        *number = value->kind == HTP_TRACE_FLOAT ? htp_number_float(value->f[0])
                                                 : htp_number_int(value->i[0]);
        return value->is_constant;
    }
    const char *data = value->data;
    size_t bytes = (size_t)value->data_bytes;
    size_t size = htp_dtype_size(value->dtype);
    if (value->kind == HTP_TRACE_TENSOR && value->weight != HTP_NONE) {
        const htp_weight *weight = &l->graph->trace->weights[value->weight];
        data = weight->data;
        bytes = (size_t)weight->storage_bytes;
        index += (size_t)weight->storage_offset;
    }
    return value->kind == HTP_TRACE_TENSOR && data && size > 0 && index < bytes / size &&
           htp_number_read(value->dtype, data + index * size, number);
}

static double as_double(htp_number number)
{
    return number.is_float ? number.f : (double)number.i;
}

htp_scale htp_value_scale(htp_lowering *l, htp_value_id id)
{
    const htp_trace_value *value = htp_graph_value(l->graph, id);
    htp_number scale;
    htp_number zero_point;
    if (!value->is_quantized || value->axis >= 0 || !htp_value_read(l, value->scale, 0, &scale) ||
        !htp_value_read(l, value->zero_point, 0, &zero_point)) {
        htp_lower_fail(l, "the scale of a tensor is not one known number");
        return (htp_scale){1, 0, HTP_DTYPE_UINT8};
    }
    return (htp_scale){as_double(scale), (int64_t)as_double(zero_point), value->dtype};
}

double htp_lowest_level(htp_dtype dtype)
{
    return dtype == HTP_DTYPE_INT8 ? -128 : 0;
}

double htp_highest_level(htp_dtype dtype)
{
    return dtype == HTP_DTYPE_INT8 ? 127 : 255;
}

/* ---- to levels ---- */

static htp_tensor_id single(htp_lowering *l, double value)
{
    return htp_emit_scalar(l, HTP_DTYPE_FLOAT32, value);
}

htp_tensor_id htp_emit_inverse_scale(htp_lowering *l, htp_tensor_id scale, htp_dtype dtype)
{
    /* ONNX Runtime rewrites x · (1 / scale) as x / scale, which rounds differently. */
    htp_tensor_id inverse = htp_emit_binary(l, "Div", htp_emit_scalar(l, dtype, 2), scale);
    return htp_emit_binary_scalar(l, "Mul", inverse, dtype, 0.5);
}

/** Numbers to be rounded to levels: tensors of float32. */
typedef struct quantizer {
    htp_tensor_id x;
    htp_tensor_id inverse; /* 1 / scale */
    htp_tensor_id zero_point;
    htp_dtype dtype; /* of the levels */
} quantizer;

/** x · inverse before clipping. */
static htp_tensor_id emit_level(htp_lowering *l, const quantizer *q, htp_rounding_way way)
{
    const htp_dtype dtype = HTP_DTYPE_FLOAT32;
    const htp_dtype wide = HTP_DTYPE_FLOAT64;
    if (way == HTP_ROUNDING_ZERO_IN_ONE) {
        /* The product of two float32 is exact in float64. */
        htp_tensor_id x = htp_emit_binary(l, "Mul", htp_emit_cast(l, q->x, dtype, wide),
                                          htp_emit_cast(l, q->inverse, dtype, wide));
        x = htp_emit_binary(l, "Add", x, htp_emit_cast(l, q->zero_point, dtype, wide));
        return htp_emit_unary(l, "Round", htp_emit_cast(l, x, wide, dtype));
    }
    htp_tensor_id scaled = htp_emit_binary(l, "Mul", q->x, q->inverse);
    if (way == HTP_ROUNDING_ZERO_BEHIND) {
        return htp_emit_binary(l, "Add", htp_emit_unary(l, "Round", scaled), q->zero_point);
    }
    return htp_emit_unary(l, "Round", htp_emit_binary(l, "Add", scaled, q->zero_point));
}

static htp_tensor_id clip(htp_lowering *l, htp_tensor_id level, htp_dtype dtype)
{
    return htp_emit(
        l, "Clip",
        HTP_IN(level, single(l, htp_lowest_level(dtype)), single(l, htp_highest_level(dtype))),
        HTP_NO_AT);
}

/** Levels as float32, with the treatment of infinity and NaN. */
static htp_tensor_id emit_levels(htp_lowering *l, const quantizer *q,
                                 const htp_trace_rounding *rounding)
{
    htp_tensor_id low = single(l, htp_lowest_level(q->dtype));
    htp_tensor_id level = clip(l, emit_level(l, q, rounding->way), q->dtype);
    if (rounding->way == HTP_ROUNDING_UNKNOWN ||
        (rounding->infinity_is_lowest && rounding->nan_is_highest)) {
        htp_lower_fail(l, "how this libtorch rounds is not known");
    }
    if (rounding->infinity_is_lowest) {
        htp_tensor_id scaled = htp_emit_binary(l, "Mul", q->x, q->inverse);
        htp_tensor_id fits = htp_emit_binary_scalar(l, "Less", scaled, HTP_DTYPE_FLOAT32, 0x1p63);
        return htp_emit(l, "Where", HTP_IN(fits, level, low), HTP_NO_AT);
    }
    htp_tensor_id odd = rounding->nan_is_highest ? single(l, htp_highest_level(q->dtype)) : low;
    return htp_emit(l, "Where", HTP_IN(htp_emit_unary(l, "IsNaN", q->x), odd, level), HTP_NO_AT);
}

/** A scale or zero point as float32, shaped to broadcast with a tensor of @p rank dims. */
static htp_tensor_id beside(htp_lowering *l, htp_value_id id, int32_t axis, uint32_t rank)
{
    htp_tensor_id x = htp_value_tensor_as(l, id, HTP_DTYPE_FLOAT32);
    if (axis >= 0) {
        return htp_emit_channels(l, x, rank - 1 - (uint32_t)axis);
    }
    bool is_tensor = htp_graph_value(l->graph, id)->kind == HTP_TRACE_TENSOR;
    return is_tensor ? htp_emit_reshape(l, x, NULL, 0) : x;
}

/** Whether zero points are integers; those of channels need not be. */
static bool has_whole_zero_point(htp_lowering *l, const htp_trace_value *value)
{
    return htp_dtype_is_integer(htp_value_dtype(l, value->zero_point));
}

/** aten::quantize_per_tensor, quantize_per_channel */
void htp_lower_quantize(htp_lowering *l)
{
    const htp_trace_value *made = htp_graph_value(l->graph, htp_output_value(l, 0));
    const htp_trace *trace = l->graph->trace;
    uint32_t rank = htp_arg_rank(l, "self");
    if (!has_whole_zero_point(l, made) || (made->axis >= 0 && (uint32_t)made->axis >= rank)) {
        htp_lower_fail(l, "zero points that are no whole numbers are not supported");
        return;
    }
    htp_number scale;
    bool is_known = made->axis < 0 && htp_value_read(l, made->scale, 0, &scale);
    const quantizer q = {
        .x = htp_arg_tensor(l, "self"),
        .inverse = is_known ? single(l, (double)(1.0F / (float)as_double(scale)))
                            : htp_emit_inverse_scale(l, beside(l, made->scale, made->axis, rank),
                                                     HTP_DTYPE_FLOAT32),
        .zero_point = beside(l, made->zero_point, made->axis, rank),
        .dtype = made->dtype,
    };
    htp_tensor_id level =
        emit_levels(l, &q, made->axis < 0 ? &trace->tensor_rounding : &trace->channel_rounding);
    htp_bind_cast(l, 0, level, HTP_DTYPE_FLOAT32);
}

htp_tensor_id htp_emit_quantized(htp_lowering *l, htp_tensor_id x, htp_scale to)
{
    const quantizer q = {
        .x = x,
        .inverse = single(l, (double)(1.0F / (float)to.scale)),
        .zero_point = single(l, (double)to.zero_point),
        .dtype = to.dtype,
    };
    htp_tensor_id level = clip(l, emit_level(l, &q, HTP_ROUNDING_ZERO_BEHIND), to.dtype);
    return htp_emit_cast(l, level, HTP_DTYPE_FLOAT32, to.dtype);
}

/* ---- from levels ---- */

htp_tensor_id htp_value_centered(htp_lowering *l, htp_value_id id)
{
    const htp_trace_value *value = htp_graph_value(l->graph, id);
    if (!has_whole_zero_point(l, value)) {
        htp_lower_fail(l, "zero points that are no whole numbers are not supported");
    }
    htp_tensor_id x = htp_value_tensor_as(l, id, HTP_DTYPE_FLOAT32);
    return htp_emit_binary(l, "Sub", x, beside(l, value->zero_point, value->axis, value->rank));
}

htp_tensor_id htp_value_dequantized(htp_lowering *l, htp_value_id id)
{
    const htp_trace_value *value = htp_graph_value(l->graph, id);
    htp_tensor_id scale = beside(l, value->scale, value->axis, value->rank);
    return htp_emit_binary(l, "Mul", htp_value_centered(l, id), scale);
}

/** aten::dequantize.self */
void htp_lower_dequantize(htp_lowering *l)
{
    htp_bind(l, 0, htp_value_dequantized(l, htp_arg_value(l, "self")));
}

/** aten::relu: levels are clipped at the zero point. */
void htp_lower_level_relu(htp_lowering *l)
{
    const htp_scale own = htp_value_scale(l, htp_arg_value(l, "self"));
    htp_tensor_id x = htp_arg_tensor_as(l, "self", HTP_DTYPE_INT32);
    x = htp_emit_binary(l, "Max", x, htp_emit_scalar_int(l, HTP_DTYPE_INT32, own.zero_point));
    htp_bind_cast(l, 0, x, HTP_DTYPE_INT32);
}
