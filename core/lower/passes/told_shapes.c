#include "lower/passes/told_shapes.h"

#include <string.h>

static bool has_dims(const htp_tensor *tensor)
{
    return tensor->has_type && !tensor->is_sequence && tensor->rank <= HTP_MAX_RANK;
}

/* The size in a shape that @p to has of @p from, where 0 copies; -1 where it is neither. */
static int64_t told_size(const htp_tensor *from, const htp_tensor *to, uint32_t place)
{
    const htp_dim *dim = &to->dims[place];
    if (!dim->symbol) {
        return dim->size > 0 ? dim->size : -1;
    }
    const char *own = place < from->rank ? from->dims[place].symbol : NULL;
    return own && *own && strcmp(own, dim->symbol) == 0 ? 0 : -1;
}

/* The constant shape of a Reshape; HTP_NONE where it is none. */
static htp_tensor_id told_shape(htp_builder *model, const htp_onnx_node *node)
{
    const htp_tensor *from = &model->tensors.items[node->inputs[0]];
    const htp_tensor *to = &model->tensors.items[node->outputs[0]];
    int64_t sizes[HTP_MAX_RANK] = {0};
    if (!has_dims(from) || !has_dims(to)) {
        return HTP_NONE;
    }
    for (uint32_t i = 0; i < to->rank; i++) {
        sizes[i] = told_size(from, to, i);
        if (sizes[i] < 0) {
            return HTP_NONE;
        }
    }
    const int64_t rank = to->rank;
    return htp_builder_constant(model, HTP_DTYPE_INT64, 1, &rank, sizes);
}

static bool is_computed(const htp_builder *model, htp_tensor_id tensor)
{
    return model->tensors.items[tensor].source == HTP_TENSOR_FROM_NODE;
}

void htp_lower_tell_shapes(htp_builder *model)
{
    for (size_t i = 0; i < model->nodes.count; i++) {
        htp_onnx_node *node = &model->nodes.items[i];
        if (strcmp(node->op_type, "Reshape") != 0 || *node->domain ||
            !is_computed(model, node->inputs[1])) {
            continue;
        }
        htp_tensor_id shape = told_shape(model, node);
        if (shape != HTP_NONE) {
            htp_tensor_id *inputs = HTP_NEW_ARRAY(model->arena, htp_tensor_id, 2);
            inputs[0] = node->inputs[0];
            inputs[1] = shape;
            node->inputs = inputs;
            node->attribute_count = 0; /* allowzero was the only one */
        }
    }
}
