/*
 * Data-dependent control flow: branches and loops with their blocks as nested graphs.
 *
 * Reference: ONNX If, Loop.
 */
#include "lower/compose/complex.h"
#include "lower/emit/ort_dtypes.h"
#include "lower/emit/rows.h"
#include "lower/emit/sequence.h"

#include <string.h>

void htp_bindings_keep(htp_lowering *l, htp_kept_bindings *kept, uint32_t block,
                       const htp_value_id *ids, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (ids[i] == HTP_NONE) {
            continue;
        }
        const htp_trace_value *value = htp_graph_value(l->graph, ids[i]);
        if (value->kind == HTP_TRACE_LIST) {
            htp_bindings_keep(l, kept, block, value->elements, value->element_count);
        }
        bool is_own = value->producer != HTP_NONE &&
                      htp_graph_node(l->graph, value->producer)->block == block;
        if (!is_own) {
            HTP_PUSH(l->arena, &kept->ids, ids[i]);
            HTP_PUSH(l->arena, &kept->bindings, l->bindings[ids[i]]);
        }
    }
}

void htp_bindings_restore(htp_lowering *l, const htp_kept_bindings *kept)
{
    for (size_t i = 0; i < kept->ids.count; i++) {
        l->bindings[kept->ids.items[i]] = kept->bindings.items[i];
    }
}

/** The type of a value where it enters or leaves a block: complex numbers are pairs. */
typedef struct carried_type {
    htp_dtype dtype;
    uint32_t rank;
    htp_dim dims[HTP_MAX_RANK + 1];
} carried_type;

static carried_type find_carried_type(htp_lowering *l, htp_value_id id)
{
    const htp_trace_value *value = htp_graph_value(l->graph, id);
    carried_type type = {.dtype = htp_value_dtype(l, id), .rank = value->rank};
    for (uint32_t i = 0; i < value->rank && i < HTP_MAX_RANK; i++) {
        type.dims[i] = l->graph->values[id].dims[i];
    }
    if (htp_value_is_complex(l->graph, id)) {
        type.dtype = htp_dtype_real(type.dtype);
        type.dims[type.rank++].size = 2;
    }
    return type;
}

static htp_tensor_id carried_tensor(htp_lowering *l, htp_value_id id)
{
    return htp_value_is_complex(l->graph, id) ? htp_value_pairs(l, id) : htp_value_tensor(l, id);
}

/** A placeholder with the type of @p like; its symbolic dims have size 1. */
static htp_tensor_id emit_nothing(htp_lowering *l, htp_value_id like)
{
    const htp_trace_value *value = htp_graph_value(l->graph, like);
    const carried_type type = find_carried_type(l, like);
    htp_dtype dtype = type.dtype;
    if (value->kind == HTP_TRACE_SEQUENCE) {
        return htp_emit_empty_sequence(l, like);
    }
    htp_tensor_id zero = htp_emit_scalar_int(l, dtype, 0);
    if (value->kind != HTP_TRACE_TENSOR || type.rank == 0) {
        return zero;
    }
    int64_t sizes[HTP_MAX_RANK + 1] = {0};
    for (uint32_t i = 0; i < type.rank; i++) {
        sizes[i] = type.dims[i].symbol ? 1 : type.dims[i].size;
    }
    htp_tensor_id made = htp_typed_expand(l, dtype, zero, htp_emit_ints(l, sizes, type.rank));
    htp_builder_set_type(l->model, made, dtype, type.rank, type.dims);
    return made;
}

/** Ends the graph of block @p block with its outputs. @p like gives the types of missing values:
 * the node's outputs, from output @p first of the block on. */
static void end_block(htp_lowering *l, uint32_t block, uint32_t first)
{
    const htp_trace_block *ended = &l->graph->trace->blocks[block];
    uint32_t around = l->model->current_graph;
    htp_kept_bindings kept = {0};
    htp_bindings_keep(l, &kept, block, ended->outputs, ended->output_count);
    l->model->current_graph = l->graphs[block];
    for (uint32_t i = 0; i < ended->output_count && !l->failure; i++) {
        htp_value_id id = ended->outputs[i];
        htp_tensor_id tensor =
            id == HTP_NONE ? emit_nothing(l, l->node->outputs[i - first]) : carried_tensor(l, id);
        if (!l->failure) {
            htp_builder_add_graph_output(l->model, tensor);
        }
    }
    l->model->current_graph = around;
    htp_bindings_restore(l, &kept);
}

static void bind_outputs(htp_lowering *l, const htp_tensor_id *outputs)
{
    for (uint32_t i = 0; i < l->node->output_count && !l->failure; i++) {
        if (htp_value_is_complex(l->graph, l->node->outputs[i])) {
            htp_bind_pairs(l, i, outputs[i]);
        } else {
            htp_bind(l, i, outputs[i]);
        }
    }
}

/** prim::If */
void htp_lower_if(htp_lowering *l)
{
    static const char *const names[] = {"then_branch", "else_branch"};
    htp_attribute branches[2];
    for (uint32_t i = 0; i < 2; i++) {
        end_block(l, l->node->blocks[i], 0);
        branches[i] = htp_attribute_graph(names[i], l->graphs[l->node->blocks[i]]);
    }
    htp_tensor_id *outputs = HTP_NEW_ARRAY(l->arena, htp_tensor_id, l->node->output_count + 1);
    htp_tensor_id condition = htp_value_tensor(l, l->node->inputs[0]);
    htp_emit_many(l, "If", HTP_IN(condition), (htp_emit_attributes){branches, 2}, outputs,
                  l->node->output_count);
    bind_outputs(l, outputs);
}

/** prim::Loop */
void htp_lower_loop(htp_lowering *l)
{
    const htp_trace_node *node = l->node;
    end_block(l, node->blocks[0], 1);
    htp_tensor_id *inputs = HTP_NEW_ARRAY(l->arena, htp_tensor_id, node->input_count);
    htp_tensor_id *outputs = HTP_NEW_ARRAY(l->arena, htp_tensor_id, node->output_count + 1);
    for (uint32_t i = 0; i < node->input_count && !l->failure; i++) {
        bool is_none = htp_graph_value(l->graph, node->inputs[i])->kind == HTP_TRACE_NOTHING;
        inputs[i] = is_none ? HTP_NONE : carried_tensor(l, node->inputs[i]);
    }
    htp_attribute body = htp_attribute_graph("body", l->graphs[node->blocks[0]]);
    htp_emit_many(l, "Loop", (htp_emit_inputs){inputs, node->input_count},
                  (htp_emit_attributes){&body, 1}, outputs, node->output_count);
    bind_outputs(l, outputs);
}

/** Declares the inputs of a block's graph. */
static void begin_block(htp_lowering *l, uint32_t block, bool is_loop)
{
    const htp_trace_block *begun = &l->graph->trace->blocks[block];
    uint32_t graph = l->graphs[block];
    for (uint32_t i = 0; i < begun->input_count; i++) {
        htp_value_id id = begun->inputs[i];
        const htp_trace_value *value = htp_graph_value(l->graph, id);
        const carried_type type = find_carried_type(l, id);
        l->bindings[id].tensor = htp_builder_add_graph_input(l->model, graph, value->name,
                                                             type.dtype, type.rank, type.dims);
        if (value->kind == HTP_TRACE_SEQUENCE) {
            htp_builder_set_sequence(l->model, l->bindings[id].tensor);
        }
        if (is_loop && i == 0) {
            (void)htp_builder_add_graph_input(l->model, graph, "condition", HTP_DTYPE_BOOL, 0,
                                              NULL);
        }
    }
}

void htp_lower_begin_blocks(htp_lowering *l)
{
    l->graphs = HTP_NEW_ARRAY(l->arena, uint32_t, (size_t)l->graph->trace->block_count + 1);
    for (uint32_t i = 0; i < l->graph->node_count; i++) {
        const htp_trace_node *node = htp_graph_node(l->graph, i);
        for (uint32_t k = 0; l->graph->is_live[i] && k < node->block_count; k++) {
            l->graphs[node->blocks[k]] = htp_builder_add_graph(l->model);
            begin_block(l, node->blocks[k], strcmp(node->kind, "prim::Loop") == 0);
        }
    }
}
