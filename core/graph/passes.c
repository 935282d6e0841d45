#include "graph/passes.h"

#include "graph/verify.h"

#include <string.h>

/* ---- aliases ---- */

/* Whether an in-place operator has no functional form. */
static bool has_no_other_form(const char *kind)
{
    static const char *const kinds[] = {"aten::copy_.Tensor", "aten::copy_.float",
                                        "aten::copy_.int", "aten::requires_grad_"};
    return htp_text_is_one_of(kind, kinds, sizeof(kinds) / sizeof(kinds[0]));
}

/* Functional forms with another overload name. */
static const struct renamed {
    const char *in_place;
    const char *functional;
} renamed[] = {
    {"aten::float_power_.Scalar", "aten::float_power.Tensor_Scalar"},
    {"aten::float_power_.Tensor", "aten::float_power.Tensor_Tensor"},
    {"aten::floor_divide_.Tensor", "aten::floor_divide"},
    {"aten::ldexp_", "aten::ldexp.Tensor"},
    {"aten::pow_.Scalar", "aten::pow.Tensor_Scalar"},
    {"aten::pow_.Tensor", "aten::pow.Tensor_Tensor"},
    {"aten::transpose_", "aten::transpose.int"},
};

const char *htp_pass_functional_kind(htp_arena *arena, const char *kind)
{
    const char *dot = strchr(kind, '.');
    size_t length = dot ? (size_t)(dot - kind) : strlen(kind);
    if (length < 2 || kind[length - 1] != '_' || kind[length - 2] == '_' ||
        has_no_other_form(kind)) {
        return kind;
    }
    for (size_t i = 0; i < sizeof(renamed) / sizeof(renamed[0]); i++) {
        if (strcmp(kind, renamed[i].in_place) == 0) {
            return renamed[i].functional;
        }
    }
    return htp_arena_printf(arena, "%.*s%s", (int)length - 1, kind, kind + length);
}

/* The trace has resolved aliases: here, in-place operators only get their functional form. */
static void resolve_aliases(htp_graph *graph)
{
    for (uint32_t i = 0; i < graph->node_count; i++) {
        graph->nodes[i].kind = htp_pass_functional_kind(graph->arena, graph->nodes[i].kind);
    }
}

/* ---- constants ---- */

/* Removes nodes whose outputs are all known. */
static void drop_constants(htp_graph *graph)
{
    for (uint32_t i = 0; i < graph->node_count; i++) {
        const htp_trace_node *node = &graph->nodes[i];
        bool computes = node->output_count == 0;
        for (uint32_t k = 0; k < node->output_count && !computes; k++) {
            computes = htp_graph_is_computed(graph, node->outputs[k]);
        }
        graph->is_live[i] = graph->is_live[i] && computes;
    }
}

/* ---- dead code ---- */

/* Marks the producers of a value, or of a list's elements. Lists nest only as deep as types in the
 * code. */
static void mark_producers(const htp_graph *graph, htp_value_id id, bool *needed)
{
    const htp_trace_value *value = htp_graph_value(graph, id);
    if (value->kind == HTP_TRACE_LIST) {
        for (uint32_t i = 0; i < value->element_count; i++) {
            mark_producers(graph, value->elements[i], needed);
        }
    }
    if (value->producer != HTP_NONE && htp_graph_is_computed(graph, id)) {
        needed[value->producer] = true;
    }
}

static void mark_all(const htp_graph *graph, const uint32_t *ids, uint32_t count, bool *needed)
{
    for (uint32_t i = 0; i < count; i++) {
        if (ids[i] != HTP_NONE) {
            mark_producers(graph, ids[i], needed);
        }
    }
}

/* Marks the results of a node's blocks; nodes of blocks precede it. */
static void mark_blocks(const htp_graph *graph, const htp_trace_node *node, bool *needed)
{
    for (uint32_t i = 0; i < node->block_count; i++) {
        const htp_trace_block *block = &graph->trace->blocks[node->blocks[i]];
        mark_all(graph, block->outputs, block->output_count, needed);
    }
}

/* The node of each block; HTP_NONE for the outermost one. */
static htp_node_id *find_owners(const htp_graph *graph)
{
    uint32_t block_count = graph->trace->block_count;
    htp_node_id *owners = HTP_NEW_ARRAY(graph->arena, htp_node_id, (size_t)block_count + 1);
    for (uint32_t i = 0; i <= block_count; i++) {
        owners[i] = HTP_NONE;
    }
    for (uint32_t i = 0; i < graph->node_count; i++) {
        for (uint32_t k = 0; k < graph->nodes[i].block_count; k++) {
            owners[graph->nodes[i].blocks[k]] = i;
        }
    }
    return owners;
}

/* One backward sweep. @return whether a node of a block was found whose owner was dead so far: the
 * results of a failed loop are those of its body */
static bool sweep(const htp_graph *graph, const htp_node_id *owners, bool *needed)
{
    bool is_more = false;
    for (uint32_t i = graph->node_count; i-- > 0;) {
        const htp_trace_node *node = &graph->nodes[i];
        if (!graph->is_live[i] || !needed[i]) {
            continue;
        }
        mark_all(graph, node->inputs, node->input_count, needed);
        mark_blocks(graph, node, needed);
        htp_node_id owner = owners[node->block];
        if (owner != HTP_NONE && !needed[owner]) {
            needed[owner] = true;
            is_more = true;
        }
    }
    return is_more;
}

/* Dead code elimination. */
static void drop_dead_code(htp_graph *graph)
{
    const htp_trace *trace = graph->trace;
    const htp_node_id *owners = find_owners(graph);
    bool *needed = HTP_NEW_ARRAY(graph->arena, bool, (size_t)graph->node_count + 1);
    mark_all(graph, trace->outputs, trace->output_count, needed);
    for (uint32_t i = 0; i < graph->state_count; i++) {
        mark_all(graph, &graph->states[i].after, 1, needed);
    }
    for (uint32_t i = 0; graph->is_unsettled && i < trace->state_count; i++) {
        mark_all(graph, &trace->states[i].after, 1, needed); /* failures must be reported */
    }
    while (sweep(graph, owners, needed)) {
    }
    for (uint32_t i = 0; i < graph->node_count; i++) {
        graph->is_live[i] = graph->is_live[i] && needed[i];
    }
}

/* ---- all of them ---- */

static void change_nothing(htp_graph *graph)
{
    (void)graph;
}

static const struct {
    const char *name;
    void (*run)(htp_graph *graph);
} passes[] = {
    {"trace", change_nothing},
    {"aliases", resolve_aliases},
    {"constants", drop_constants},
    {"dead-code", drop_dead_code},
};

size_t htp_pass_count(void)
{
    return sizeof(passes) / sizeof(passes[0]);
}

const char *htp_pass_name(size_t index)
{
    return index < htp_pass_count() ? passes[index].name : NULL;
}

bool htp_pass_exists(const char *name)
{
    bool found = false;
    for (size_t i = 0; i < htp_pass_count() && !found; i++) {
        found = strcmp(passes[i].name, name) == 0;
    }
    return found;
}

htp_status htp_passes_run(htp_graph *graph, const char *last)
{
    for (size_t i = 0; i < htp_pass_count(); i++) {
        passes[i].run(graph);
        HTP_TRY(htp_graph_verify(graph, passes[i].name));
        if (last && strcmp(last, passes[i].name) == 0) {
            break;
        }
    }
    return HTP_OK;
}
