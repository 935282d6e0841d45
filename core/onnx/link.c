/*
 * From names to values: what each name that a node reads stands for.
 *
 * A name is looked for in the node's own graph and in those around it, from the inside out. All
 * that graphs define is known before anything is looked up; the order of nodes is checked then.
 */
#include "onnx/view_read.h"

enum { KEY_BYTES = 2 * sizeof(uint32_t) };

/* Values are found by their first two fields, which are the key. */
_Static_assert(offsetof(htp_view_value, graph) == 0 &&
                   offsetof(htp_view_value, name) == sizeof(uint32_t),
               "a value begins with its key");

static void note_flaw(htp_view *view, htp_view_flaw flaw)
{
    HTP_PUSH(view->arena, &view->flaws, flaw);
}

static uint32_t find_value(const htp_view *view, uint32_t graph, htp_view_name name)
{
    const uint32_t key[] = {graph, name};
    uint32_t value;
    return htp_map_get_bytes(&view->value_numbers, key, KEY_BYTES, &value) ? value : HTP_VIEW_NONE;
}

/* ---- definitions ---- */

/* The list was given its room before: what the map borrows stays where it is. */
static uint32_t add_value(htp_view *view, htp_view_value value)
{
    uint32_t index = (uint32_t)view->values.count;
    HTP_PUSH(view->arena, &view->values, value);
    htp_map_set_bytes(view->arena, &view->value_numbers, &view->values.items[index], KEY_BYTES,
                      index);
    return index;
}

/* @return the value, which has the name's first maker */
static uint32_t define(htp_view *view, uint32_t graph, htp_view_name name, htp_view_maker maker,
                       uint32_t node)
{
    uint32_t known = find_value(view, graph, name);
    if (known != HTP_VIEW_NONE) {
        note_flaw(view, (htp_view_flaw){HTP_VIEW_NAME_TWICE, graph, node, known});
        return known;
    }
    return add_value(view, (htp_view_value){.graph = graph,
                                            .name = name,
                                            .maker = maker,
                                            .node = node,
                                            .initializer = HTP_VIEW_NONE});
}

static void define_inputs(htp_view *view, uint32_t graph)
{
    htp_view_range inputs = view->graphs.items[graph].inputs;
    for (uint32_t i = 0; i < inputs.count; i++) {
        uint32_t *operand = &view->operands.items[inputs.first + i];
        *operand = define(view, graph, *operand, HTP_VIEW_BY_INPUT, HTP_VIEW_NONE);
    }
}

/* An input may have an initializer of its name, as all of them once had to. */
static void define_initializers(htp_view *view, uint32_t graph)
{
    htp_view_range tensors = view->graphs.items[graph].initializers;
    for (uint32_t i = tensors.first; i < tensors.first + tensors.count; i++) {
        const htp_view_tensor *tensor = &view->tensors.items[i];
        bool is_indices = tensor->sparse.at && i > tensors.first &&
                          view->tensors.items[i - 1].sparse.at == tensor->sparse.at;
        if (is_indices) {
            continue;
        }
        uint32_t value = find_value(view, graph, tensor->name);
        if (value == HTP_VIEW_NONE || view->values.items[value].maker != HTP_VIEW_BY_INPUT ||
            view->values.items[value].initializer != HTP_VIEW_NONE) {
            value = define(view, graph, tensor->name, HTP_VIEW_BY_INITIALIZER, HTP_VIEW_NONE);
        }
        if (view->values.items[value].initializer == HTP_VIEW_NONE) {
            view->values.items[value].initializer = i;
        }
    }
}

static void define_outputs_of_nodes(htp_view *view, uint32_t graph)
{
    htp_view_range nodes = view->graphs.items[graph].nodes;
    for (uint32_t n = nodes.first; n < nodes.first + nodes.count; n++) {
        htp_view_range outputs = view->nodes.items[n].outputs;
        for (uint32_t i = 0; i < outputs.count; i++) {
            uint32_t *operand = &view->operands.items[outputs.first + i];
            *operand =
                *operand == 0 ? HTP_VIEW_NONE : define(view, graph, *operand, HTP_VIEW_BY_NODE, n);
        }
    }
}

static void set_infos(htp_view *view, uint32_t graph)
{
    htp_view_range infos = view->graphs.items[graph].infos;
    for (uint32_t i = infos.first; i < infos.first + infos.count; i++) {
        const htp_view_info *info = &view->infos.items[i];
        uint32_t value = find_value(view, graph, info->name);
        if (value != HTP_VIEW_NONE && !view->values.items[value].info.at) {
            view->values.items[value].info = info->whole;
        }
    }
}

/* ---- uses ---- */

/* The value that a name stands for; one that nobody makes is noted, once for each graph. */
static uint32_t resolve(htp_view *view, uint32_t graph, htp_view_name name, uint32_t node)
{
    for (uint32_t g = graph; g != HTP_VIEW_NONE; g = view->graphs.items[g].parent) {
        uint32_t value = find_value(view, g, name);
        if (value != HTP_VIEW_NONE && view->values.items[value].maker != HTP_VIEW_BY_NOBODY) {
            return value;
        }
    }
    uint32_t value = find_value(view, graph, name);
    if (value == HTP_VIEW_NONE) {
        value = add_value(view, (htp_view_value){.graph = graph,
                                                 .name = name,
                                                 .maker = HTP_VIEW_BY_NOBODY,
                                                 .node = HTP_VIEW_NONE,
                                                 .initializer = HTP_VIEW_NONE});
        note_flaw(view, (htp_view_flaw){HTP_VIEW_NOT_MADE, graph, node, value});
    }
    return value;
}

/* Whether a node comes behind the one that makes a value, in the graph where that lies. */
static bool is_made_before(const htp_view *view, uint32_t value, uint32_t node)
{
    const htp_view_value *read = &view->values.items[value];
    while (node != HTP_VIEW_NONE && view->nodes.items[node].graph != read->graph) {
        node = view->graphs.items[view->nodes.items[node].graph].node;
    }
    return read->maker != HTP_VIEW_BY_NODE || (node != HTP_VIEW_NONE && read->node < node);
}

static void resolve_nodes(htp_view *view, uint32_t graph)
{
    htp_view_range nodes = view->graphs.items[graph].nodes;
    for (uint32_t n = nodes.first; n < nodes.first + nodes.count; n++) {
        htp_view_range inputs = view->nodes.items[n].inputs;
        for (uint32_t i = inputs.first; i < inputs.first + inputs.count; i++) {
            htp_view_name name = view->operands.items[i];
            uint32_t value = name == 0 ? HTP_VIEW_NONE : resolve(view, graph, name, n);
            view->operands.items[i] = value;
            if (value != HTP_VIEW_NONE && !is_made_before(view, value, n)) {
                note_flaw(view, (htp_view_flaw){HTP_VIEW_MADE_LATER, graph, n, value});
            }
        }
    }
}

static void resolve_outputs(htp_view *view, uint32_t graph)
{
    htp_view_range outputs = view->graphs.items[graph].outputs;
    for (uint32_t i = outputs.first; i < outputs.first + outputs.count; i++) {
        view->operands.items[i] = resolve(view, graph, view->operands.items[i], HTP_VIEW_NONE);
    }
}

/* What may become a value, but for names that nobody makes. */
static size_t count_definitions(const htp_view *view)
{
    size_t count = 0;
    for (size_t i = 0; i < view->graphs.count; i++) {
        const htp_view_graph *graph = &view->graphs.items[i];
        count += (size_t)graph->inputs.count + graph->initializers.count;
    }
    for (size_t i = 0; i < view->nodes.count; i++) {
        count += view->nodes.items[i].outputs.count;
    }
    return count;
}

void htp_view_link(htp_view *view)
{
    uint32_t graph_count = (uint32_t)view->graphs.count;
    size_t room = count_definitions(view) + 1;
    view->values.items = htp_arena_calloc(view->arena, room, sizeof(*view->values.items));
    view->values.capacity = room;
    htp_map_reserve(view->arena, &view->value_numbers, count_definitions(view));
    for (uint32_t g = 0; g < graph_count; g++) {
        define_inputs(view, g);
        define_initializers(view, g);
        define_outputs_of_nodes(view, g);
        set_infos(view, g);
    }
    for (uint32_t g = 0; g < graph_count; g++) {
        resolve_nodes(view, g);
        resolve_outputs(view, g);
    }
}
