/*
 * Links names to values.
 *
 * A name is looked up in the node's own graph, then in the enclosing ones. All definitions are
 * collected before look-ups; the order of nodes is checked after that.
 */
#include "onnx/reader/view_read.h"

#include <string.h>

enum { KEY_BYTES = 2 * sizeof(uint32_t) };

/* The first two fields are the look-up key. */
_Static_assert(offsetof(htp_view_value, graph) == 0 &&
                   offsetof(htp_view_value, name) == sizeof(uint32_t),
               "a value begins with its key");

/* State of linking. Most names have one value; the map has the others. */
typedef struct linker {
    htp_view *view;
    uint32_t *first; /* by name: its first value, or HTP_NONE */
    htp_map others;  /* by graph and name */
} linker;

static void note_flaw(linker *l, htp_view_flaw flaw)
{
    HTP_PUSH(l->view->arena, &l->view->flaws, flaw);
}

static uint32_t find_value(const linker *l, uint32_t graph, htp_view_name name)
{
    const uint32_t key[] = {graph, name};
    uint32_t value = l->first[name];
    if (value == HTP_NONE || l->view->values.items[value].graph == graph) {
        return value;
    }
    return htp_map_get_bytes(&l->others, key, KEY_BYTES, &value) ? value : HTP_NONE;
}

/* ---- definitions ---- */

/* Adds a value. The list was reserved in full, so pointers in the map stay valid. */
static uint32_t add_value(linker *l, htp_view_value value)
{
    htp_view *view = l->view;
    uint32_t index = (uint32_t)view->values.count;
    HTP_PUSH(view->arena, &view->values, value);
    if (l->first[value.name] == HTP_NONE) {
        l->first[value.name] = index;
    } else {
        htp_map_set_bytes(view->arena, &l->others, &view->values.items[index], KEY_BYTES, index);
    }
    return index;
}

/* @return the value; its first maker counts */
static uint32_t define(linker *l, uint32_t graph, htp_view_name name, htp_view_maker maker,
                       uint32_t node)
{
    uint32_t known = find_value(l, graph, name);
    if (known != HTP_NONE) {
        note_flaw(l, (htp_view_flaw){HTP_VIEW_NAME_TWICE, graph, node, known});
        return known;
    }
    return add_value(
        l,
        (htp_view_value){
            .graph = graph, .name = name, .maker = maker, .node = node, .initializer = HTP_NONE});
}

static void define_inputs(linker *l, uint32_t graph)
{
    htp_view *view = l->view;
    htp_view_range inputs = view->graphs.items[graph].inputs;
    for (uint32_t i = 0; i < inputs.count; i++) {
        uint32_t *operand = &view->operands.items[inputs.first + i];
        *operand = define(l, graph, *operand, HTP_VIEW_BY_INPUT, HTP_NONE);
    }
}

/* An input may share its name with an initializer; old versions required that. */
static void define_initializers(linker *l, uint32_t graph)
{
    htp_view *view = l->view;
    htp_view_range tensors = view->graphs.items[graph].initializers;
    for (uint32_t i = tensors.first; i < tensors.first + tensors.count; i++) {
        const htp_view_tensor *tensor = &view->tensors.items[i];
        bool is_indices = tensor->sparse.at && i > tensors.first &&
                          view->tensors.items[i - 1].sparse.at == tensor->sparse.at;
        if (is_indices) {
            continue;
        }
        uint32_t value = find_value(l, graph, tensor->name);
        if (value == HTP_NONE || view->values.items[value].maker != HTP_VIEW_BY_INPUT ||
            view->values.items[value].initializer != HTP_NONE) {
            value = define(l, graph, tensor->name, HTP_VIEW_BY_INITIALIZER, HTP_NONE);
        }
        if (view->values.items[value].initializer == HTP_NONE) {
            view->values.items[value].initializer = i;
        }
    }
}

static void define_outputs_of_nodes(linker *l, uint32_t graph)
{
    htp_view *view = l->view;
    htp_view_range nodes = view->graphs.items[graph].nodes;
    for (uint32_t n = nodes.first; n < nodes.first + nodes.count; n++) {
        htp_view_range outputs = view->nodes.items[n].outputs;
        for (uint32_t i = 0; i < outputs.count; i++) {
            uint32_t *operand = &view->operands.items[outputs.first + i];
            *operand = *operand == 0 ? HTP_NONE : define(l, graph, *operand, HTP_VIEW_BY_NODE, n);
        }
    }
}

static void set_infos(linker *l, uint32_t graph)
{
    htp_view *view = l->view;
    htp_view_range infos = view->graphs.items[graph].infos;
    for (uint32_t i = infos.first; i < infos.first + infos.count; i++) {
        const htp_view_info *info = &view->infos.items[i];
        uint32_t value = find_value(l, graph, info->name);
        if (value != HTP_NONE && !view->values.items[value].info.at) {
            view->values.items[value].info = info->whole;
        }
    }
}

/* ---- uses ---- */

/* The value of a name; an undefined one is recorded once per graph. */
static uint32_t resolve(linker *l, uint32_t graph, htp_view_name name, uint32_t node)
{
    htp_view *view = l->view;
    for (uint32_t g = graph; g != HTP_NONE; g = view->graphs.items[g].parent) {
        uint32_t value = find_value(l, g, name);
        if (value != HTP_NONE && view->values.items[value].maker != HTP_VIEW_BY_NOBODY) {
            return value;
        }
    }
    uint32_t value = find_value(l, graph, name);
    if (value == HTP_NONE) {
        value = add_value(l, (htp_view_value){.graph = graph,
                                              .name = name,
                                              .maker = HTP_VIEW_BY_NOBODY,
                                              .node = HTP_NONE,
                                              .initializer = HTP_NONE});
        note_flaw(l, (htp_view_flaw){HTP_VIEW_NOT_MADE, graph, node, value});
    }
    return value;
}

/* Whether a node follows the maker of a value, in the value's graph. */
static bool is_made_before(const htp_view *view, uint32_t value, uint32_t node)
{
    const htp_view_value *read = &view->values.items[value];
    while (node != HTP_NONE && view->nodes.items[node].graph != read->graph) {
        node = view->graphs.items[view->nodes.items[node].graph].node;
    }
    return read->maker != HTP_VIEW_BY_NODE || (node != HTP_NONE && read->node < node);
}

static void resolve_nodes(linker *l, uint32_t graph)
{
    htp_view *view = l->view;
    htp_view_range nodes = view->graphs.items[graph].nodes;
    for (uint32_t n = nodes.first; n < nodes.first + nodes.count; n++) {
        htp_view_range inputs = view->nodes.items[n].inputs;
        for (uint32_t i = inputs.first; i < inputs.first + inputs.count; i++) {
            htp_view_name name = view->operands.items[i];
            uint32_t value = name == 0 ? HTP_NONE : resolve(l, graph, name, n);
            view->operands.items[i] = value;
            if (value != HTP_NONE && !is_made_before(view, value, n)) {
                note_flaw(l, (htp_view_flaw){HTP_VIEW_MADE_LATER, graph, n, value});
            }
        }
    }
}

static void resolve_outputs(linker *l, uint32_t graph)
{
    htp_view *view = l->view;
    htp_view_range outputs = view->graphs.items[graph].outputs;
    const uint32_t around = view->graphs.items[graph].node;
    for (uint32_t i = outputs.first; i < outputs.first + outputs.count; i++) {
        uint32_t value = resolve(l, graph, view->operands.items[i], HTP_NONE);
        view->operands.items[i] = value;
        /* A body may return what lies outside of it, as its node reads it. */
        if (view->values.items[value].graph != graph && !is_made_before(view, value, around)) {
            note_flaw(l, (htp_view_flaw){HTP_VIEW_MADE_LATER, graph, around, value});
        }
    }
}

/* An upper bound on the number of values, except undefined names. */
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
    linker l = {.view = view, .first = HTP_NEW_ARRAY(view->arena, uint32_t, view->names.count)};
    memset(l.first, 0xff, view->names.count * sizeof(*l.first)); /* HTP_NONE */
    view->values.items = htp_arena_calloc(view->arena, room, sizeof(*view->values.items));
    view->values.capacity = room;
    for (uint32_t g = 0; g < graph_count; g++) {
        define_inputs(&l, g);
        define_initializers(&l, g);
        define_outputs_of_nodes(&l, g);
        set_infos(&l, g);
    }
    for (uint32_t g = 0; g < graph_count; g++) {
        resolve_nodes(&l, g);
        resolve_outputs(&l, g);
    }
}
