/*
 * Tensors of a program of which its export has none.
 */
#include "api/reference/reference.h"

#include "query/dataflow/flow.h"

/* A walk over the nodes, in the order in which they ran. */
struct walk {
    htp_verify_program *program;
    bool *depends; /* by value of the graph: on the contents of an input or a state */
    bool *is_read; /* by value of the graph: by a node, a body's end, a caller or the next call */
    htp_map paths; /* of modules: their numbers in the tree */
};

/* Whether a value depends on contents: numbers that are known, or depend on sizes alone, do not. */
static bool depends(const struct walk *walk, htp_value_id id)
{
    const htp_graph *graph = walk->program->fresh.work.graph;
    const htp_trace_value *value = htp_graph_value(graph, id);
    bool is_number = value->kind != HTP_TRACE_TENSOR;
    bool is_known = is_number ? value->is_constant || value->has_lanes : value->data != NULL;
    if (value->kind != HTP_TRACE_LIST) {
        return walk->depends[id] && !is_known;
    }
    bool any = walk->depends[id];
    for (uint32_t i = 0; i < value->element_count && !any; i++) {
        any = walk->depends[value->elements[i]];
    }
    return any;
}

static bool any_depends(const struct walk *walk, const htp_value_id *ids, uint32_t count)
{
    bool any = false;
    for (uint32_t i = 0; i < count && !any; i++) {
        any = ids[i] != HTP_NONE && depends(walk, ids[i]);
    }
    return any;
}

static void set_all(const struct walk *walk, const htp_value_id *ids, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (ids[i] != HTP_NONE) {
            walk->depends[ids[i]] = true;
        }
    }
}

/* Inputs, states, and what bodies take: bodies precede their owners. */
static void begin(const struct walk *walk)
{
    const htp_graph *graph = walk->program->fresh.work.graph;
    const htp_trace *trace = graph->trace;
    set_all(walk, trace->inputs, trace->input_count);
    for (uint32_t i = 0; i < graph->state_count; i++) {
        set_all(walk, &graph->states[i].before, 1);
    }
    for (uint32_t b = 1; b < trace->block_count; b++) {
        set_all(walk, trace->blocks[b].inputs, trace->blocks[b].input_count);
    }
    for (uint32_t i = 0; i < trace->input_count; i++) { /* lists of tensors */
        const htp_trace_value *value = htp_graph_value(graph, trace->inputs[i]);
        if (value->kind == HTP_TRACE_LIST) {
            set_all(walk, value->elements, value->element_count);
        }
    }
}

static bool node_depends(const struct walk *walk, const htp_trace_node *node)
{
    const htp_trace *trace = walk->program->fresh.work.graph->trace;
    bool any = any_depends(walk, node->inputs, node->input_count);
    for (uint32_t i = 0; i < node->block_count && !any; i++) {
        const htp_trace_block *block = &trace->blocks[node->blocks[i]];
        any = any_depends(walk, block->outputs, block->output_count);
    }
    return any;
}

static void set_read(const struct walk *walk, const htp_value_id *ids, uint32_t count)
{
    const htp_graph *graph = walk->program->fresh.work.graph;
    for (uint32_t i = 0; i < count; i++) {
        const htp_trace_value *value =
            ids[i] == HTP_NONE || walk->is_read[ids[i]] ? NULL : htp_graph_value(graph, ids[i]);
        if (value) {
            walk->is_read[ids[i]] = true;
            if (value->kind == HTP_TRACE_LIST) {
                set_read(walk, value->elements, value->element_count);
            }
        }
    }
}

static void find_read(const struct walk *walk)
{
    const htp_graph *graph = walk->program->fresh.work.graph;
    const htp_trace *trace = graph->trace;
    for (uint32_t n = 0; n < graph->node_count; n++) {
        const htp_trace_node *node = htp_graph_node(graph, n);
        if (graph->is_live[n]) {
            set_read(walk, node->inputs, node->input_count);
        }
    }
    for (uint32_t b = 1; b < trace->block_count; b++) {
        set_read(walk, trace->blocks[b].outputs, trace->blocks[b].output_count);
    }
    set_read(walk, trace->outputs, trace->output_count);
    for (uint32_t i = 0; i < graph->state_count; i++) {
        set_read(walk, &graph->states[i].after, 1);
    }
}

static htp_uncompared_reason find_reason(const struct walk *walk, htp_value_id id, bool is_made)
{
    if (!is_made && !walk->is_read[id]) {
        return HTP_UNCOMPARED_UNREAD;
    }
    return depends(walk, id) && !is_made ? HTP_UNCOMPARED_FOLDED : HTP_UNCOMPARED_KNOWN;
}

static void add(struct walk *walk, const htp_trace_node *node, htp_value_id id)
{
    htp_verify_program *program = walk->program;
    uint32_t at = program->values[id];
    const htp_view *view = &program->fresh.view;
    const htp_view_value *made = at == HTP_NONE ? NULL : &view->values.items[at];
    uint32_t module = HTP_NONE;
    if (made && (program->is_returned[at] ||
                 !(made->maker == HTP_VIEW_BY_NODE && htp_flow_is_constant(view, made->node)))) {
        return;
    }
    (void)htp_map_get(&walk->paths, htp_graph_scope_path(program->fresh.work.graph, node->scope),
                      &module);
    const htp_uncompared left = {
        .model = HTP_COMPARED_A,
        .kind = node->kind,
        .module = module,
        .source = *node->source_file ? htp_arena_printf(program->arena, "%s:%u", node->source_file,
                                                        node->source_line)
                                     : NULL,
        .reason = find_reason(walk, id, made != NULL),
    };
    HTP_PUSH(program->arena, &program->reference.absent, left);
}

static void add_outputs(struct walk *walk, const htp_trace_node *node)
{
    const htp_graph *graph = walk->program->fresh.work.graph;
    for (uint32_t i = 0; i < node->output_count; i++) {
        htp_value_id id = node->outputs[i];
        const htp_trace_value *value = id == HTP_NONE ? NULL : htp_graph_value(graph, id);
        if (value && (value->kind == HTP_TRACE_TENSOR || value->kind == HTP_TRACE_SEQUENCE)) {
            add(walk, node, id);
        }
        for (uint32_t k = 0; value && value->kind == HTP_TRACE_LIST && k < value->element_count;
             k++) {
            walk->depends[value->elements[k]] = walk->depends[id];
            if (htp_graph_value(graph, value->elements[k])->kind == HTP_TRACE_TENSOR) {
                add(walk, node, value->elements[k]);
            }
        }
    }
}

void htp_verify_program_find_absent(htp_verify_program *program)
{
    const htp_graph *graph = program->fresh.work.graph;
    const htp_tree *tree = &program->fresh.tree;
    struct walk walk = {
        .program = program,
        .depends = HTP_NEW_ARRAY(program->arena, bool, (size_t)graph->value_count + 1),
        .is_read = HTP_NEW_ARRAY(program->arena, bool, (size_t)graph->value_count + 1),
    };
    for (uint32_t m = tree->module_count; m-- > 0;) { /* the first of a path counts */
        const htp_slice *path = &tree->modules[m].path;
        htp_map_set(program->arena, &walk.paths,
                    htp_arena_copy(program->arena, path->length > 0 ? path->at : "", path->length),
                    m);
    }
    begin(&walk);
    find_read(&walk);
    for (uint32_t n = 0; n < graph->node_count; n++) {
        const htp_trace_node *node = htp_graph_node(graph, n);
        if (node_depends(&walk, node)) {
            set_all(&walk, node->outputs, node->output_count);
        }
        if (graph->is_live[n] && node->block == 0) { /* bodies have their tensors in the export */
            add_outputs(&walk, node);
        }
    }
}
