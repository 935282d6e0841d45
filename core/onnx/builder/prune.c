
#include "onnx/builder/prune.h"

#include "onnx/builder/names.h"
#include "onnx/builder/order_nodes.h"

static void mark_tensors(const htp_tensor_id *ids, size_t count, bool *live_tensors)
{
    for (size_t i = 0; i < count; i++) {
        live_tensors[ids[i]] = true;
    }
}

/* Marks the outputs of a node's bodies; nodes of bodies precede it. */
static void mark_graphs(const htp_builder *model, const htp_onnx_node *node, bool *live_tensors)
{
    for (uint32_t i = 0; i < node->attribute_count; i++) {
        if (node->attributes[i].kind == HTP_ATTRIBUTE_GRAPH) {
            const htp_nested_graph *graph = &model->graphs.items[node->attributes[i].i - 1];
            mark_tensors(graph->inputs.items, graph->inputs.count, live_tensors);
            mark_tensors(graph->outputs.items, graph->outputs.count, live_tensors);
        }
    }
}

/* Nodes are in topological order, so one sweep from the last to the first sees every reader before
 * its producers. */
void htp_builder_mark_used(const htp_builder *model, bool *live_tensors, bool *live_nodes)
{
    mark_tensors(model->inputs.items, model->inputs.count, live_tensors);
    mark_tensors(model->outputs.items, model->outputs.count, live_tensors);
    for (size_t i = model->nodes.count; i-- > 0;) {
        const htp_onnx_node *node = &model->nodes.items[i];
        for (uint32_t k = 0; k < node->output_count; k++) {
            live_nodes[i] |= live_tensors[node->outputs[k]];
        }
        if (!live_nodes[i]) {
            continue;
        }
        for (uint32_t k = 0; k < node->input_count; k++) {
            if (node->inputs[k] != HTP_NONE) {
                live_tensors[node->inputs[k]] = true;
            }
        }
        for (uint32_t k = 0; k < node->output_count; k++) {
            live_tensors[node->outputs[k]] = true;
        }
        mark_graphs(model, node, live_tensors);
    }
}

const bool *htp_builder_count_uses(htp_builder *model)
{
    bool *live_tensors = HTP_NEW_ARRAY(model->arena, bool, model->tensors.count);
    bool *live_nodes = HTP_NEW_ARRAY(model->arena, bool, model->nodes.count);
    htp_builder_mark_used(model, live_tensors, live_nodes);
    for (size_t i = 0; i < model->tensors.count; i++) {
        model->tensors.items[i].uses = 0;
    }
    for (size_t i = 0; i < model->nodes.count; i++) {
        const htp_onnx_node *node = &model->nodes.items[i];
        for (uint32_t k = 0; live_nodes[i] && k < node->input_count; k++) {
            if (node->inputs[k] != HTP_NONE) {
                model->tensors.items[node->inputs[k]].uses++;
            }
        }
    }
    return live_nodes;
}

/* Compacts live tensors. @return new ids by old ones. */
static const htp_tensor_id *compact_tensors(htp_builder *model, const bool *live)
{
    htp_tensor_id *moved = HTP_NEW_ARRAY(model->arena, htp_tensor_id, model->tensors.count);
    size_t kept = 0;
    for (size_t i = 0; i < model->tensors.count; i++) {
        moved[i] = live[i] ? (htp_tensor_id)kept : HTP_NONE;
        if (live[i]) {
            model->tensors.items[kept++] = model->tensors.items[i];
        }
    }
    model->tensors.count = kept;
    return moved;
}

static const htp_tensor_id *renumber(htp_arena *arena, const htp_tensor_id *ids, size_t count,
                                     const htp_tensor_id *moved)
{
    htp_tensor_id *renumbered = HTP_NEW_ARRAY(arena, htp_tensor_id, count);
    for (size_t i = 0; i < count; i++) {
        renumbered[i] = ids[i] == HTP_NONE ? HTP_NONE : moved[ids[i]];
    }
    return renumbered;
}

static void compact_nodes(htp_builder *model, const bool *live, const htp_tensor_id *moved)
{
    size_t kept = 0;
    for (size_t i = 0; i < model->nodes.count; i++) {
        if (!live[i]) {
            continue;
        }
        htp_onnx_node node = model->nodes.items[i];
        node.inputs = renumber(model->arena, node.inputs, node.input_count, moved);
        node.outputs = renumber(model->arena, node.outputs, node.output_count, moved);
        for (uint32_t k = 0; k < node.output_count; k++) {
            model->tensors.items[node.outputs[k]].index = (uint32_t)kept;
        }
        model->nodes.items[kept++] = node;
    }
    model->nodes.count = kept;
}

/* Compacts initializers, weights before embedded constants, so that constants that move into
 * functions leave the others' positions unchanged. */
static void compact_initializers(htp_builder *model, const htp_tensor_id *moved)
{
    size_t count = model->initializers.count;
    htp_initializer *kept = HTP_NEW_ARRAY(model->arena, htp_initializer, count);
    size_t kept_count = 0;
    for (unsigned are_constants = 0; are_constants < 2; are_constants++) {
        for (size_t i = 0; i < count; i++) {
            htp_initializer initializer = model->initializers.items[i];
            initializer.tensor = moved[initializer.tensor];
            if (initializer.tensor != HTP_NONE &&
                htp_initializer_is_constant(&initializer) == are_constants) {
                model->tensors.items[initializer.tensor].index = (uint32_t)kept_count;
                kept[kept_count++] = initializer;
            }
        }
    }
    model->initializers.items = kept;
    model->initializers.count = kept_count;
    model->initializers.capacity = count;
    model->weights = (htp_map){0}; /* its indices are stale */
    model->constants = (htp_map){0};
}

static void compact_passed(htp_builder *model, const htp_tensor_id *moved)
{
    size_t kept = 0;
    for (size_t i = 0; i < model->passed.count; i++) {
        htp_passed_tensor passed = model->passed.items[i];
        passed.tensor = moved[passed.tensor];
        if (passed.tensor != HTP_NONE) {
            model->passed.items[kept++] = passed;
        }
    }
    model->passed.count = kept;
    kept = 0;
    for (size_t i = 0; i < model->recorded.count; i++) {
        htp_recorded_tensor recorded = model->recorded.items[i];
        recorded.tensor = moved[recorded.tensor];
        if (recorded.tensor != HTP_NONE) {
            model->recorded.items[kept++] = recorded;
        }
    }
    model->recorded.count = kept;
}

static void move_tensors(htp_tensor_id *ids, size_t count, const htp_tensor_id *moved)
{
    for (size_t i = 0; i < count; i++) {
        ids[i] = moved[ids[i]];
    }
}

void htp_builder_remove_unused(htp_builder *model)
{
    bool *live_tensors = HTP_NEW_ARRAY(model->arena, bool, model->tensors.count);
    bool *live_nodes = HTP_NEW_ARRAY(model->arena, bool, model->nodes.count);
    htp_builder_mark_used(model, live_tensors, live_nodes);
    const htp_tensor_id *moved = compact_tensors(model, live_tensors);
    compact_nodes(model, live_nodes, moved);
    compact_initializers(model, moved);
    compact_passed(model, moved);
    move_tensors(model->inputs.items, model->inputs.count, moved);
    move_tensors(model->outputs.items, model->outputs.count, moved);
    for (size_t i = 0; i < model->graphs.count; i++) {
        htp_nested_graph *graph = &model->graphs.items[i];
        move_tensors(graph->inputs.items, graph->inputs.count, moved);
        move_tensors(graph->outputs.items, graph->outputs.count, moved);
    }
    htp_builder_gather_calls(model);
    htp_name_model(model);
}
