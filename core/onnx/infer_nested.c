/*
 * Rules for operators that hold graphs. The nodes of these come first, so their outputs have types.
 */
#include "onnx/infer_rule.h"

static const htp_nested_graph *find_graph(const htp_infer *infer, const char *name)
{
    const htp_attribute *attribute = htp_infer_attribute(infer, name);
    return attribute && attribute->kind == HTP_ATTRIBUTE_GRAPH
               ? &infer->model->graphs.items[attribute->i - 1]
               : NULL;
}

static const htp_tensor *output_of(const htp_infer *infer, const htp_nested_graph *graph, size_t at)
{
    if (!graph || at >= graph->outputs.count) {
        return NULL;
    }
    const htp_tensor *tensor = &infer->model->tensors.items[graph->outputs.items[at]];
    return tensor->has_type ? tensor : NULL;
}

/* ONNX If: what both branches give; a dim that differs between them cannot be told. */
void htp_infer_if(htp_infer *infer)
{
    const htp_nested_graph *then_graph = find_graph(infer, "then_branch");
    const htp_nested_graph *else_graph = find_graph(infer, "else_branch");
    for (uint32_t i = 0; i < infer->node->output_count; i++) {
        const htp_tensor *a = output_of(infer, then_graph, i);
        const htp_tensor *b = output_of(infer, else_graph, i);
        if (!a || !b || a->dtype != b->dtype || a->rank != b->rank) {
            continue;
        }
        htp_dim *dims = htp_infer_dims(infer, a->rank);
        for (uint32_t d = 0; d < a->rank; d++) {
            dims[d] =
                htp_infer_is_same(a->dims[d], b->dims[d]) ? a->dims[d] : htp_infer_unknown(infer);
        }
        htp_infer_set(infer, i, a->dtype, a->rank, dims);
    }
}

/* ONNX Loop: what is carried, whose numbers may move from one iteration to the next, and then
 * what iterations add, stacked. */
void htp_infer_loop(htp_infer *infer)
{
    const htp_nested_graph *body = find_graph(infer, "body");
    uint32_t carried = infer->node->input_count > 2 ? infer->node->input_count - 2 : 0;
    for (uint32_t i = 0; i < infer->node->output_count; i++) {
        const htp_tensor *inner = output_of(infer, body, (size_t)i + 1);
        if (!inner) {
            continue;
        }
        uint32_t stacked = i >= carried;
        htp_dim *dims = htp_infer_dims(infer, inner->rank + stacked);
        for (uint32_t d = 0; d < inner->rank + stacked; d++) {
            bool is_kept = stacked && d > 0 && !inner->dims[d - 1].symbol;
            dims[d] = is_kept ? inner->dims[d - 1] : htp_infer_unknown(infer);
        }
        htp_infer_set(infer, i, inner->dtype, inner->rank + stacked, dims);
    }
}
