#include "graph/graph.h"

#include "graph/symbols.h"

#include <inttypes.h>
#include <string.h>

/* A dim that is made up in some lanes: its name is left to what operators derive. */
static htp_dim find_in_part(htp_symbols *symbols, const htp_trace_value *value, uint32_t axis)
{
    bool is_same = true;
    for (uint32_t lane = 1; lane < symbols->lane_count; lane++) {
        const bool is_absent = (value->absent >> lane & 1) != 0;
        is_same = is_same && (is_absent || value->dims[lane][axis] == value->dims[0][axis]);
    }
    htp_dim dim = is_same ? (htp_dim){.symbol = NULL} : htp_symbols_unknown(symbols);
    dim.size = value->dims[0][axis];
    return dim;
}

static const htp_dim *build_dims(htp_symbols *symbols, const htp_trace_value *value)
{
    htp_dim *dims = HTP_NEW_ARRAY(symbols->arena, htp_dim, value->rank);
    for (uint32_t axis = 0; axis < value->rank; axis++) {
        int64_t sizes[HTP_MAX_LANES] = {0};
        if (value->varying >> axis & 1) {
            dims[axis].symbol = "";
            continue;
        }
        if (value->absent) {
            dims[axis] = find_in_part(symbols, value, axis);
            continue;
        }
        for (uint32_t lane = 0; lane < symbols->lane_count; lane++) {
            sizes[lane] = value->dims[lane][axis];
        }
        dims[axis] = htp_symbols_dim(symbols, sizes);
    }
    return dims;
}

static void build_values(htp_graph *graph, htp_symbols *symbols)
{
    const htp_trace *trace = graph->trace;
    graph->value_count = trace->value_count;
    graph->values = HTP_NEW_ARRAY(graph->arena, htp_value, trace->value_count);
    for (uint32_t i = 0; i < trace->value_count; i++) {
        const htp_trace_value *value = &trace->values[i];
        graph->values[i].traced = value;
        bool has_dims = value->kind == HTP_TRACE_TENSOR || value->kind == HTP_TRACE_SEQUENCE;
        if (has_dims && value->rank > 0) {
            graph->values[i].dims = build_dims(symbols, value);
        }
    }
}

/* Runs backwards, so that each list of children is in the order of definition. */
static void build_modules(htp_graph *graph, const htp_instance *modules, uint32_t count)
{
    graph->module_count = count;
    graph->modules = HTP_NEW_ARRAY(graph->arena, htp_module, count);
    for (uint32_t i = 0; i < count; i++) {
        graph->modules[i] = (htp_module){&modules[i], HTP_NONE, HTP_NONE};
    }
    for (uint32_t i = count; i-- > 1;) {
        htp_module *parent = &graph->modules[modules[i].parent];
        graph->modules[i].next_sibling = parent->first_child;
        parent->first_child = i;
    }
}

/* The named axes, and data-dependent sizes, which get names here. */
static const htp_axis *all_axes(htp_arena *arena, const htp_trace *trace, const htp_axis *axes,
                                uint32_t axis_count)
{
    htp_map taken = {0};
    htp_axis *all = HTP_NEW_ARRAY(arena, htp_axis, (size_t)axis_count + trace->data_size_count);
    for (uint32_t i = 0; i < axis_count; i++) {
        all[i] = axes[i];
        htp_map_set(arena, &taken, axes[i].symbol, 0);
    }
    for (uint32_t i = 0; i < trace->data_size_count; i++) {
        const htp_trace_size *size = &trace->data_sizes[i];
        htp_axis *axis = &all[axis_count + i];
        uint32_t number = i;
        do {
            axis->symbol = htp_arena_printf(arena, "%s_%" PRIu32, size->name, number++);
        } while (htp_map_get(&taken, axis->symbol, NULL));
        memcpy(axis->sizes, size->sizes, sizeof(size->sizes));
        htp_map_set(arena, &taken, axis->symbol, 0);
    }
    return all;
}

htp_graph *htp_graph_build(htp_arena *arena, const htp_trace *trace, uint32_t lane_count,
                           const htp_instance *modules, uint32_t module_count,
                           const htp_argument *arguments, uint32_t argument_count,
                           const htp_axis *axes, uint32_t axis_count)
{
    htp_graph *graph = HTP_NEW(arena, htp_graph);
    graph->arena = arena;
    graph->trace = trace;
    graph->arguments = arguments;
    graph->argument_count = argument_count;
    graph->node_count = trace->node_count;
    graph->is_live = HTP_NEW_ARRAY(arena, bool, (size_t)trace->node_count + 1);
    memset(graph->is_live, true, trace->node_count);
    graph->nodes = HTP_NEW_ARRAY(arena, htp_trace_node, (size_t)trace->node_count + 1);
    if (trace->node_count > 0) {
        memcpy(graph->nodes, trace->nodes, trace->node_count * sizeof(*trace->nodes));
    }
    graph->symbols = HTP_NEW(arena, htp_symbols);
    htp_symbols_init(graph->symbols, arena, all_axes(arena, trace, axes, axis_count),
                     axis_count + trace->data_size_count, lane_count);
    htp_symbols_set_data(graph->symbols, axis_count);
    build_values(graph, graph->symbols);
    build_modules(graph, modules, module_count);
    return graph;
}

bool htp_graph_any(const htp_graph *graph, const htp_value_id *ids, uint32_t count,
                   htp_value_test test)
{
    bool found = false;
    for (uint32_t i = 0; i < count && !found; i++) {
        const htp_trace_value *value = ids[i] == HTP_NONE ? NULL : htp_graph_value(graph, ids[i]);
        if (value && value->kind == HTP_TRACE_LIST) {
            found = htp_graph_any(graph, value->elements, value->element_count, test);
        } else if (value) {
            found = test(value);
        }
    }
    return found;
}

bool htp_graph_node_any(const htp_graph *graph, const htp_trace_node *node, htp_value_test test)
{
    return htp_graph_any(graph, node->inputs, node->input_count, test) ||
           htp_graph_any(graph, node->outputs, node->output_count, test);
}

static bool is_computed(const htp_trace_value *value)
{
    switch (value->kind) {
    case HTP_TRACE_TENSOR:
        return value->weight == HTP_NONE && !value->data;
    case HTP_TRACE_SEQUENCE:
        return true;
    case HTP_TRACE_INT:
    case HTP_TRACE_FLOAT:
    case HTP_TRACE_BOOL:
    case HTP_TRACE_COMPLEX:
        return !value->is_constant;
    case HTP_TRACE_UNKNOWN:
        return true;
    default:
        return false;
    }
}

bool htp_graph_is_computed(const htp_graph *graph, htp_value_id id)
{
    return htp_graph_any(graph, &id, 1, is_computed);
}

const htp_trace_call *htp_graph_scope_site(const htp_graph *graph, uint32_t scope)
{
    uint32_t site = graph->trace->scopes[scope].site;
    return site ? &graph->trace->calls[site - 1] : NULL;
}

const char *htp_graph_scope_path(const htp_graph *graph, uint32_t scope)
{
    return graph->modules[graph->trace->scopes[scope].module].instance->path;
}
