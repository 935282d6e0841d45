/*
 * Emitters of ONNX nodes. The driver has set the model's origin, so every emitted node carries the
 * scope and source line of the current aten node.
 *
 * Reference: https://onnx.ai/onnx/operators/
 */
#include "lower/emit/constant.h"

#include <string.h>

void htp_emit_many(htp_lowering *l, const char *op, htp_emit_inputs inputs,
                   htp_emit_attributes attributes, htp_tensor_id *outputs, size_t output_count)
{
    for (size_t i = 0; i < output_count; i++) {
        outputs[i] = HTP_NONE;
    }
    if (l->failure) {
        return;
    }
    size_t count = inputs.count;
    while (count > 0 && inputs.items[count - 1] == HTP_NONE) {
        count--;
    }
    htp_builder_add_node(l->model, op, inputs.items, count, attributes.items, attributes.count,
                         outputs, output_count);
}

htp_tensor_id htp_emit(htp_lowering *l, const char *op, htp_emit_inputs inputs,
                       htp_emit_attributes attributes)
{
    htp_tensor_id output = HTP_NONE;
    htp_emit_many(l, op, inputs, attributes, &output, 1);
    return output;
}

htp_tensor_id htp_emit_cast(htp_lowering *l, htp_tensor_id x, htp_dtype from, htp_dtype to)
{
    if (from == to) {
        return x;
    }
    int32_t type = htp_onnx_data_type(to);
    if (type == 0 || htp_dtype_is_complex(to) || htp_dtype_is_complex(from)) {
        htp_lower_fail(l, "a cast from %s to %s cannot be exported", htp_dtype_name(from),
                       htp_dtype_name(to));
        return HTP_NONE;
    }
    return htp_emit(l, "Cast", HTP_IN(x), HTP_AT(htp_attribute_int("to", type)));
}

htp_tensor_id htp_emit_reduce(htp_lowering *l, const char *op, htp_tensor_id x, const int64_t *axes,
                              size_t axis_count, bool keepdims)
{
    htp_attribute keep = htp_attribute_int("keepdims", keepdims);
    if (axis_count == 0) {
        return htp_emit(l, op, HTP_IN(x), HTP_AT(keep));
    }
    /* Before opset 18 only ReduceSum had its axes as an input. */
    if (l->model->opset < 18 && strcmp(op, "ReduceSum") != 0) {
        return htp_emit(l, op, HTP_IN(x),
                        HTP_AT(htp_attribute_ints("axes", axes, axis_count), keep));
    }
    return htp_emit(l, op, HTP_IN(x, htp_emit_ints(l, axes, axis_count)), HTP_AT(keep));
}

htp_tensor_id htp_emit_squeeze(htp_lowering *l, htp_tensor_id x, const int64_t *axes, size_t n)
{
    return n ? htp_emit(l, "Squeeze", HTP_IN(x, htp_emit_ints(l, axes, n)), HTP_NO_AT) : x;
}

htp_tensor_id htp_emit_unsqueeze(htp_lowering *l, htp_tensor_id x, const int64_t *axes, size_t n)
{
    return n ? htp_emit(l, "Unsqueeze", HTP_IN(x, htp_emit_ints(l, axes, n)), HTP_NO_AT) : x;
}

htp_tensor_id htp_emit_transpose(htp_lowering *l, htp_tensor_id x, const int64_t *perm, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (perm[i] != (int64_t)i) {
            return htp_emit(l, "Transpose", HTP_IN(x), HTP_AT(htp_attribute_ints("perm", perm, n)));
        }
    }
    return x;
}

htp_tensor_id htp_emit_dim(htp_lowering *l, htp_tensor_id x, const htp_dim *dims, int64_t axis)
{
    if (!dims[axis].symbol) {
        return htp_emit_int(l, dims[axis].size);
    }
    return htp_emit(l, "Shape", HTP_IN(x),
                    HTP_AT(htp_attribute_int("start", axis), htp_attribute_int("end", axis + 1)));
}

htp_tensor_id htp_emit_shape(htp_lowering *l, htp_tensor_id x, uint32_t rank, const htp_dim *dims)
{
    int64_t sizes[HTP_MAX_RANK] = {0};
    for (uint32_t i = 0; i < rank; i++) {
        if (dims[i].symbol) {
            return htp_emit(l, "Shape", HTP_IN(x), HTP_NO_AT);
        }
        sizes[i] = dims[i].size;
    }
    return htp_emit_ints(l, sizes, rank);
}

htp_tensor_id htp_emit_unary(htp_lowering *l, const char *op, htp_tensor_id x)
{
    return htp_emit(l, op, HTP_IN(x), HTP_NO_AT);
}

htp_tensor_id htp_emit_binary(htp_lowering *l, const char *op, htp_tensor_id x, htp_tensor_id y)
{
    return htp_emit(l, op, HTP_IN(x, y), HTP_NO_AT);
}

htp_tensor_id htp_emit_binary_scalar(htp_lowering *l, const char *op, htp_tensor_id x,
                                     htp_dtype dtype, double value)
{
    return htp_emit_binary(l, op, x, htp_emit_scalar(l, dtype, value));
}

htp_tensor_id htp_emit_reshape(htp_lowering *l, htp_tensor_id x, const int64_t *dims, size_t n)
{
    return htp_emit_binary(l, "Reshape", x, htp_emit_ints(l, dims, n));
}

htp_tensor_id htp_emit_slice(htp_lowering *l, htp_tensor_id x, int64_t axis, int64_t start,
                             int64_t end)
{
    return htp_emit(l, "Slice",
                    HTP_IN(x, htp_emit_int(l, start), htp_emit_int(l, end), htp_emit_int(l, axis)),
                    HTP_NO_AT);
}

htp_tensor_id htp_emit_concat(htp_lowering *l, htp_emit_inputs parts, int64_t axis)
{
    return htp_emit(l, "Concat", parts, HTP_AT(htp_attribute_int("axis", axis)));
}

void htp_emit_split(htp_lowering *l, htp_tensor_id x, int64_t axis, htp_tensor_id *parts,
                    size_t count)
{
    htp_attribute attributes[] = {htp_attribute_int("axis", axis),
                                  htp_attribute_int("num_outputs", (int64_t)count)};
    /* Before opset 18 the number of outputs alone gave the number of parts. */
    size_t attribute_count = l->model->opset < 18 ? 1 : 2;
    htp_emit_many(l, "Split", HTP_IN(x), (htp_emit_attributes){attributes, attribute_count}, parts,
                  count);
}

htp_tensor_id htp_emit_channels(htp_lowering *l, htp_tensor_id x, size_t trailing)
{
    int64_t axes[HTP_MAX_RANK];
    for (size_t i = 0; i < trailing; i++) {
        axes[i] = (int64_t)i + 1;
    }
    return htp_emit_unsqueeze(l, x, axes, trailing);
}
