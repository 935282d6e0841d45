/*
 * Convolutions and transposed convolutions of one to three spatial axes.
 *
 * Reference: ONNX Conv, ConvTranspose. The weight's rank gives the number of spatial axes; an input
 * with one dim less has no batch. Dtypes for which runtimes have neither operator are unfolded: see
 * unfolded.c.
 */
#include "lower/nn/convolution.h"

#include "lower/compose/compose.h"

#include <string.h>

enum { MAX_OUTPUT_PADDING = 1 << 24 };

static const int64_t zeros[HTP_MAX_RANK];

/** padding="same" adds dilation · (kernel - 1) in total; if that is odd, one more at the end. */
static void pad_same(htp_lowering *l, htp_convolution *c)
{
    for (size_t i = 0; i < c->axes; i++) {
        const htp_dim *kernel = &c->weight_dims[i + 2];
        if (kernel->symbol) {
            htp_lower_fail(l, "padding='same' needs a kernel of known size");
            return;
        }
        int64_t total = 0;
        if (c->stride[i] != 1 || kernel->size < 1 ||
            __builtin_mul_overflow(c->dilation[i], kernel->size - 1, &total)) {
            htp_lower_fail(l, "padding='same' with these strides and sizes is not defined");
            return;
        }
        c->pads[i] = total / 2;
        c->pads[c->axes + i] = total - total / 2;
    }
}

/** Pads the input with zeros at the end for @p missing more elements of output, which hold the bias
 * alone. More padding at the end cuts off any excess. */
static void lengthen_input(htp_lowering *l, htp_convolution *c, size_t axis, int64_t missing)
{
    if (!c->zeros) {
        c->zeros = htp_arena_calloc(l->arena, 2 * (c->axes + 2), sizeof(int64_t));
    }
    int64_t count = (missing - 1) / c->stride[axis] + 1;
    c->zeros[2 * (c->axes + 2) - c->axes + axis] = count;
    c->pads[c->axes + axis] = count * c->stride[axis] - missing;
}

/** Runtimes require an output padding below the stride; PyTorch also takes one below the dilation.
 * So it is taken off the padding at the end, as far as possible. */
static void limit_output_padding(htp_lowering *l, htp_convolution *c)
{
    int64_t *limited = HTP_NEW_ARRAY(l->arena, int64_t, c->axes);
    for (size_t i = 0; i < c->axes && !l->failure; i++) {
        int64_t *end = &c->pads[c->axes + i];
        limited[i] = c->output_padding[i];
        if (limited[i] < c->stride[i]) {
            continue;
        }
        if (limited[i] > MAX_OUTPUT_PADDING || c->stride[i] < 1 || *end < 0) {
            htp_lower_fail(l, "its output_padding or stride is not valid");
        } else if (limited[i] > *end) {
            lengthen_input(l, c, i, limited[i] - *end);
        } else {
            *end -= limited[i];
        }
        limited[i] = 0;
    }
    c->output_padding = limited;
}

/** Reads padding: a list, or "same" or "valid". */
static void read_padding(htp_lowering *l, htp_convolution *c)
{
    c->pads = HTP_NEW_ARRAY(l->arena, int64_t, 2 * c->axes);
    htp_value_id value = htp_arg_value(l, "padding");
    if (value == HTP_NONE || htp_graph_value(l->graph, value)->kind != HTP_TRACE_STRING) {
        const int64_t *padding = htp_arg_spatial(l, "padding", c->axes, zeros);
        for (size_t i = 0; i < c->axes; i++) {
            c->pads[i] = padding[i];
            c->pads[c->axes + i] = padding[i];
        }
        return;
    }
    const char *mode = htp_arg_string(l, "padding");
    if (strcmp(mode, "same") == 0) {
        pad_same(l, c);
    } else if (strcmp(mode, "valid") != 0) {
        htp_lower_fail(l, "padding '%s' is not known", mode);
    }
}

/** Writes the node's attributes. @return their number */
static size_t write_attributes(htp_lowering *l, const htp_convolution *c, htp_attribute *attributes)
{
    size_t count = 0;
    if (htp_dims_are_static(c->weight_dims + 2, c->axes)) {
        int64_t *kernel = HTP_NEW_ARRAY(l->arena, int64_t, c->axes);
        for (size_t i = 0; i < c->axes; i++) {
            kernel[i] = c->weight_dims[i + 2].size;
        }
        attributes[count++] = htp_attribute_ints("kernel_shape", kernel, c->axes);
    }
    attributes[count++] = htp_attribute_ints("strides", c->stride, c->axes);
    attributes[count++] = htp_attribute_ints("pads", c->pads, 2 * c->axes);
    attributes[count++] = htp_attribute_ints("dilations", c->dilation, c->axes);
    attributes[count++] = htp_attribute_int("group", c->groups);
    if (c->transposed) {
        attributes[count++] = htp_attribute_ints("output_padding", c->output_padding, c->axes);
    }
    return count;
}

static void bind_convolution(htp_lowering *l, const htp_convolution *c)
{
    if (htp_convolution_is_unfolded(c->dtype)) {
        htp_bind_batched(l, 0, c->axes, htp_emit_unfolded(l, c), c->dtype);
        return;
    }
    htp_attribute attributes[6];
    size_t count = write_attributes(l, c, attributes);
    htp_tensor_id x =
        htp_emit(l, c->transposed ? "ConvTranspose" : "Conv", HTP_IN(c->x, c->weight, c->bias),
                 (htp_emit_attributes){attributes, count});
    htp_bind_batched(l, 0, c->axes, x, c->dtype);
}

/** The dtype to compute in. Narrow integers are computed in a wider dtype: sums wrap to the same
 * numbers. */
static htp_dtype math_dtype(htp_lowering *l)
{
    htp_dtype dtype = htp_arg_dtype(l, "input");
    switch (dtype) {
    case HTP_DTYPE_INT64:
    case HTP_DTYPE_INT32:
        return dtype;
    case HTP_DTYPE_INT16:
    case HTP_DTYPE_INT8:
    case HTP_DTYPE_UINT8:
        return HTP_DTYPE_INT32;
    default:
        return htp_arg_math_dtype(l, "input", HTP_MATH_KEEP_HALF | HTP_MATH_ALLOW_DOUBLE);
    }
}

/** All convolutions. The row, or an argument, chooses Conv or ConvTranspose. */
void htp_lower_convolution(htp_lowering *l)
{
    static const int64_t ones[] = {1, 1, 1};
    uint32_t weight_rank = htp_arg_rank(l, "weight");
    if (weight_rank < 3 || weight_rank > 5) {
        htp_lower_fail(l, "a weight of rank %u is not supported", weight_rank);
        return;
    }
    htp_convolution c = {.axes = weight_rank - 2};
    c.transposed =
        l->row->op ? strcmp(l->row->op, "ConvTranspose") == 0 : htp_arg_bool(l, "transposed");
    c.dtype = math_dtype(l);
    c.x = htp_arg_batched(l, "input", c.axes, c.dtype);
    if (l->failure) {
        return;
    }
    c.weight = htp_arg_tensor_as(l, "weight", c.dtype);
    c.bias = htp_arg_optional_as(l, "bias", c.dtype);
    c.weight_dims = htp_arg_dims(l, "weight");
    c.stride = htp_arg_spatial(l, "stride", c.axes, ones);
    c.dilation = htp_arg_spatial(l, "dilation", c.axes, ones);
    c.output_padding = htp_arg_spatial(l, "output_padding", c.axes, zeros);
    c.groups = htp_arg_int(l, "groups");
    c.in = htp_arg_dims(l, "input") + (htp_arg_rank(l, "input") - c.axes);
    read_padding(l, &c);
    if (c.transposed && !htp_convolution_is_unfolded(c.dtype)) {
        limit_output_padding(l, &c);
    }
    if (c.zeros) {
        htp_tensor_id ends = htp_emit_ints(l, c.zeros, 2 * (c.axes + 2));
        c.x = htp_emit_binary(l, "Pad", c.x, ends);
    }
    bind_convolution(l, &c);
}
