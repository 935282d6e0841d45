#include "lower/passes/kept_constants.h"

#include "onnx/builder/prune.h"

#include <string.h>

static const htp_tensor *tensor_at(const htp_builder *model, htp_tensor_id id)
{
    return &model->tensors.items[id];
}

static bool reads_initializers_alone(const htp_builder *model, const htp_onnx_node *node)
{
    uint32_t read = 0;
    for (uint32_t i = 0; i < node->input_count; i++) {
        if (node->inputs[i] == HTP_NONE) {
            continue;
        }
        if (tensor_at(model, node->inputs[i])->source != HTP_TENSOR_FROM_INITIALIZER) {
            return false;
        }
        read++;
    }
    return read > 0;
}

static bool gives_output(const htp_builder *model, const htp_onnx_node *node)
{
    bool gives = false;
    for (uint32_t i = 0; i < node->output_count; i++) {
        gives = gives || tensor_at(model, node->outputs[i])->is_output;
    }
    return gives;
}

static bool is_exempt(const htp_builder *model, const htp_onnx_node *node)
{
    bool is_tied =
        strcmp(node->op_type, "Transpose") == 0 && tensor_at(model, node->inputs[0])->uses > 1;
    return is_tied || htp_builder_has_body(node) || gives_output(model, node);
}

void htp_lower_find_kept(htp_builder *model, htp_kept_arithmetic *kept)
{
    const bool *live = htp_builder_count_uses(model);
    bool *is_there = HTP_NEW_ARRAY(model->arena, bool, model->graph->node_count + 1);
    for (size_t i = 0; i < kept->count; i++) {
        is_there[kept->items[i].node] = true;
    }
    for (size_t n = 0; n < model->nodes.count; n++) {
        const htp_onnx_node *node = &model->nodes.items[n];
        htp_node_id origin = node->origin.node;
        if (live[n] && origin != HTP_NONE && !is_there[origin] &&
            reads_initializers_alone(model, node) && !is_exempt(model, node)) {
            is_there[origin] = true;
            HTP_PUSH(model->arena, kept, (htp_kept_result){origin, HTP_KEPT_OTHER, 0});
        }
    }
}
