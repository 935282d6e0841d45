#include "lower/passes/joined_sizes.h"

#include "onnx/builder/prune.h"

#include <string.h>

/* Sizes of a tensor, from one axis up to another. */
typedef struct asked {
    htp_tensor_id tensor; /* HTP_NONE: it is no such thing */
    int64_t start;
    int64_t end;
} asked;

/* What a part of a Concat asks for, where it is a Shape of @p scope that the Concat alone reads. */
static asked read_part(const htp_builder *model, htp_tensor_id part, uint32_t scope)
{
    asked found = {.tensor = HTP_NONE};
    const htp_tensor *tensor = &model->tensors.items[part];
    if (tensor->source != HTP_TENSOR_FROM_NODE || tensor->uses != 1 || tensor->is_output) {
        return found;
    }
    const htp_onnx_node *node = &model->nodes.items[tensor->index];
    if (strcmp(node->op_type, "Shape") != 0 || node->origin.scope != scope ||
        node->attribute_count != 2) {
        return found;
    }
    for (uint32_t i = 0; i < 2; i++) {
        bool is_start = strcmp(node->attributes[i].name, "start") == 0;
        *(is_start ? &found.start : &found.end) = node->attributes[i].i;
    }
    found.tensor = node->inputs[0];
    return found;
}

/* Makes a node the Shape that gives some sizes. */
static void ask(htp_lowering *l, htp_onnx_node *node, asked sizes)
{
    htp_attribute *attributes = HTP_NEW_ARRAY(l->arena, htp_attribute, 2);
    htp_tensor_id *input = HTP_NEW_ARRAY(l->arena, htp_tensor_id, 1);
    attributes[0] = htp_attribute_int("start", sizes.start);
    attributes[1] = htp_attribute_int("end", sizes.end);
    input[0] = sizes.tensor;
    node->op_type = "Shape";
    node->inputs = input;
    node->input_count = 1;
    node->attributes = attributes;
    node->attribute_count = 2;
}

/* Joins the parts of a Concat. */
static void join_parts(htp_lowering *l, htp_onnx_node *concat)
{
    htp_builder *model = l->model;
    htp_tensor_id *kept = HTP_NEW_ARRAY(l->arena, htp_tensor_id, concat->input_count);
    uint32_t count = 0;
    asked last = {.tensor = HTP_NONE};
    for (uint32_t i = 0; i < concat->input_count; i++) {
        asked next = read_part(model, concat->inputs[i], concat->origin.scope);
        if (next.tensor != HTP_NONE && next.tensor == last.tensor && next.start == last.end) {
            last.end = next.end;
            ask(l, &model->nodes.items[model->tensors.items[kept[count - 1]].index], last);
            continue;
        }
        last = next;
        kept[count++] = concat->inputs[i];
    }
    bool is_joined = count < concat->input_count;
    concat->inputs = kept;
    concat->input_count = count;
    if (is_joined && count == 1) {
        ask(l, concat, last);
    }
}

void htp_lower_join_sizes(htp_lowering *l)
{
    htp_builder *model = l->model;
    const bool *live = htp_builder_count_uses(model);
    for (size_t i = 0; i < model->nodes.count; i++) {
        htp_onnx_node *node = &model->nodes.items[i];
        if (live[i] && strcmp(node->op_type, "Concat") == 0 && *node->domain == '\0') {
            join_parts(l, node);
        }
    }
}
