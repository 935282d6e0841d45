/*
 * The graphs of a model with its modules replaced: fields of the file, in their order, and new ones
 * behind others of their kind.
 */
#include "query/replace/replace.h"

#include "onnx/inliner/flat_recipe.h"
#include "query/replace/replace_parts.h"

#include <string.h>

/* Reference: onnx.proto. */
enum {
    MODEL_GRAPH = 7,
    GRAPH_NODE = 1,
    GRAPH_INITIALIZER = 5,
    GRAPH_INFO = 13,
    GRAPH_SPARSE = 15,
    NODE_ATTRIBUTE = 5,
    TENSOR_NAME = 8,
    SPARSE_VALUES = 1,
    INFO_NAME = 1,
};

/* State of building the recipe. */
struct maker {
    htp_arena *arena;
    const htp_replacement *r;
    bool *is_changed;    /* by graph: it is not copied as it is */
    bool *is_output;     /* by value: what takes the place of a module makes it, or a call */
    const bool *is_gone; /* by tensor */
    htp_recipe **graphs; /* by changed graph */
};

static void add(const struct maker *m, htp_recipe *recipe, htp_span span)
{
    if (span.bytes > 0) {
        HTP_PUSH(m->arena, &recipe->items, (htp_recipe_item){.bytes = span});
    }
}

static void add_message(const struct maker *m, htp_recipe *recipe, const htp_recipe *message)
{
    HTP_PUSH(m->arena, &recipe->items, (htp_recipe_item){.message = message});
}

static htp_span make_field(const struct maker *m, uint32_t number, htp_span content)
{
    htp_text field = {.arena = m->arena};
    htp_wire_add_bytes(&field, number, content.at, content.bytes);
    return htp_wire_span(&field);
}

/* ---- what changes ---- */

static void mark_outputs(const struct maker *m, const htp_numbers *outputs)
{
    for (size_t k = 0; k < outputs->count; k++) {
        m->is_output[outputs->items[k]] = true;
    }
}

static void find_changed(struct maker *m)
{
    const htp_view *view = m->r->view;
    m->is_changed[0] = true;
    for (uint32_t n = 0; n < view->nodes.count; n++) {
        uint32_t graph = view->nodes.items[n].graph;
        uint32_t owner = view->graphs.items[graph].node;
        m->is_changed[graph] =
            m->is_changed[graph] || (htp_replace_is_left_out(m->r, n) &&
                                     (owner == HTP_NONE || m->r->replaced_by[owner] == HTP_NONE));
    }
    for (size_t i = 0; i < m->r->calls.count; i++) {
        const htp_staying_call *call = &m->r->calls.items[i];
        m->is_changed[call->graph] = m->is_changed[call->graph] || call->place;
    }
    for (uint32_t v = 0; v < view->values.count; v++) {
        if (m->r->is_unread_weight[v]) {
            m->is_changed[view->values.items[v].graph] = true;
        }
    }
    for (uint32_t g = (uint32_t)view->graphs.count;
         g-- > 1;) { /* inner graphs have higher numbers */
        if (m->is_changed[g] && view->graphs.items[g].parent != HTP_NONE) {
            m->is_changed[view->graphs.items[g].parent] = true;
        }
    }
}

/* ---- names that go ---- */

/* The name of an initializer or a type; empty for other fields. */
static htp_span name_of(const htp_wire_field *field)
{
    switch (field->number) {
    case GRAPH_INITIALIZER:
        return htp_replace_text_of(field->content, TENSOR_NAME);
    case GRAPH_INFO:
        return htp_replace_text_of(field->content, INFO_NAME);
    case GRAPH_SPARSE:
        return htp_replace_text_of(htp_replace_text_of(field->content, SPARSE_VALUES), TENSOR_NAME);
    default:
        return (htp_span){NULL, 0};
    }
}

static void add_name(const struct maker *m, htp_map *names, htp_view_name name)
{
    htp_map_set(m->arena, names, htp_view_text(m->r->view, name), 0);
}

/* Values of a graph that the new one does not have: made by nodes that go or are in a function,
 * unless what takes their place makes them, and weights that nothing reads. */
static htp_map find_gone(const struct maker *m, uint32_t graph)
{
    const htp_view *view = m->r->view;
    htp_view_range nodes = view->graphs.items[graph].nodes;
    htp_view_range weights = view->graphs.items[graph].initializers;
    htp_map gone = {0};
    for (uint32_t n = nodes.first; n < nodes.first + nodes.count; n++) {
        htp_view_range made = view->nodes.items[n].outputs;
        for (uint32_t k = made.first;
             k < made.first + made.count && !htp_replace_is_written(m->r, n); k++) {
            uint32_t value = view->operands.items[k];
            if (value != HTP_NONE && !m->is_output[value]) {
                add_name(m, &gone, view->values.items[value].name);
            }
        }
    }
    for (uint32_t t = weights.first; t < weights.first + weights.count; t++) {
        if (m->is_gone[t] && view->tensors.items[t].name != 0) {
            add_name(m, &gone, view->tensors.items[t].name);
        }
    }
    return gone;
}

/* ---- nodes ---- */

/* A body's field: as it is, or changed. */
static void add_body(const struct maker *m, htp_recipe *attribute, const htp_wire_field *field,
                     const htp_view_attribute *of)
{
    const htp_view *view = m->r->view;
    for (uint32_t g = of->graphs.first; g < of->graphs.first + of->graphs.count; g++) {
        if (m->is_changed[g] && view->graphs.items[g].whole.at == field->whole.at) {
            m->graphs[g]->number = field->number;
            add_message(m, attribute, m->graphs[g]);
            return;
        }
    }
    add(m, attribute, field->whole);
}

static void add_attribute(const struct maker *m, htp_recipe *node, uint32_t number,
                          const htp_view_attribute *attribute)
{
    htp_recipe *made = HTP_NEW(m->arena, htp_recipe);
    htp_wire wire = htp_wire_begin(htp_wire_content(attribute->whole));
    htp_wire_field field;
    made->number = number;
    while (htp_wire_next(&wire, &field)) {
        add_body(m, made, &field, attribute);
    }
    add_message(m, node, made);
}

static const htp_view_attribute *find_changed_attribute(const struct maker *m, uint32_t node,
                                                        const unsigned char *at)
{
    const htp_view *view = m->r->view;
    htp_view_range attributes = view->nodes.items[node].attributes;
    for (uint32_t a = attributes.first; a < attributes.first + attributes.count; a++) {
        htp_view_range bodies = view->attributes.items[a].graphs;
        for (uint32_t g = bodies.first; g < bodies.first + bodies.count; g++) {
            if (m->is_changed[g] && (!at || view->attributes.items[a].whole.at == at)) {
                return &view->attributes.items[a];
            }
        }
    }
    return NULL;
}

static void add_node(const struct maker *m, htp_recipe *graph, uint32_t node)
{
    htp_span verbatim = m->r->verbatim[node];
    htp_span whole = verbatim.at ? verbatim : m->r->view->nodes.items[node].whole;
    if (verbatim.at || !find_changed_attribute(m, node, NULL)) {
        add(m, graph, whole);
        return;
    }
    htp_recipe *made = HTP_NEW(m->arena, htp_recipe);
    htp_wire wire = htp_wire_begin(htp_wire_content(whole));
    htp_wire_field field;
    made->number = GRAPH_NODE;
    while (htp_wire_next(&wire, &field)) {
        const htp_view_attribute *attribute = htp_wire_is_bytes(&field, NODE_ATTRIBUTE)
                                                  ? find_changed_attribute(m, node, field.whole.at)
                                                  : NULL;
        if (attribute) {
            add_attribute(m, made, field.number, attribute);
        } else {
            add(m, made, field.whole);
        }
    }
    add_message(m, graph, made);
}

/* A node of the view, or the call that it is the last node of. */
static void add_node_or_call(const struct maker *m, htp_recipe *recipe, uint32_t node)
{
    uint32_t number = m->r->call_of[node];
    const htp_staying_call *call = number == HTP_NONE ? NULL : &m->r->calls.items[number];
    if (!call) {
        add_node(m, recipe, node);
    } else if (call->last == node) {
        add(m, recipe, call->whole);
    }
}

static void add_nodes(const struct maker *m, htp_recipe *recipe, uint32_t graph)
{
    const htp_replacement *r = m->r;
    const htp_numbers *order = &r->orders[graph];
    htp_view_range nodes = r->view->graphs.items[graph].nodes;
    for (size_t i = 0; i < order->count; i++) {
        uint32_t number = order->items[i];
        const htp_replaced *replaced = NULL;
        if (number & HTP_REPLACED_BIT) {
            replaced = &r->list.items[number & ~HTP_REPLACED_BIT];
        } else {
            add_node_or_call(m, recipe, number);
        }
        for (size_t k = 0; replaced && k < replaced->nodes.count; k++) {
            HTP_PUSH(m->arena, &recipe->items, replaced->nodes.items[k]);
        }
    }
    for (uint32_t n = nodes.first; n < nodes.first + nodes.count && order->count == 0; n++) {
        if (!htp_replace_is_left_out(r, n)) {
            add_node_or_call(m, recipe, n);
        }
    }
}

/* ---- graphs ---- */

/* Types of what takes the place of modules, where the file declares none. */
static void add_types(const struct maker *m, htp_recipe *recipe, const htp_replaced *replaced)
{
    const htp_replacement *r = m->r;
    for (size_t k = 0; k < replaced->infos.count; k++) {
        HTP_PUSH(m->arena, &recipe->items, replaced->infos.items[k]);
    }
    for (size_t k = 0; k < replaced->part.outputs.count; k++) {
        uint32_t value = replaced->part.outputs.items[k];
        htp_span info = r->view->values.items[value].info.at
                            ? (htp_span){NULL, 0}
                            : htp_view_types_info(r->types, m->arena, value);
        if (info.at) {
            add(m, recipe, make_field(m, GRAPH_INFO, info));
        }
    }
}

static void add_all_types(const struct maker *m, htp_recipe *recipe, uint32_t graph)
{
    const htp_numbers *order = &m->r->orders[graph];
    for (size_t i = 0; i < order->count; i++) {
        if (order->items[i] & HTP_REPLACED_BIT) {
            add_types(m, recipe, &m->r->list.items[order->items[i] & ~HTP_REPLACED_BIT]);
        }
    }
}

/* A graph under construction. */
struct graph_state {
    uint32_t graph;
    htp_recipe *recipe;
    htp_map gone;
    bool has_nodes;
};

static void take_field(const struct maker *m, struct graph_state *state,
                       const htp_wire_field *field)
{
    if (htp_wire_is_bytes(field, GRAPH_NODE)) {
        if (!state->has_nodes) {
            add_nodes(m, state->recipe, state->graph);
        }
        state->has_nodes = true;
        return;
    }
    htp_span name = name_of(field);
    if (!name.at || !htp_map_get_bytes(&state->gone, name.at, name.bytes, NULL)) {
        add(m, state->recipe, field->whole);
    }
}

static void take_fields(const struct maker *m, struct graph_state *state, htp_span fields)
{
    htp_wire wire = htp_wire_begin(fields);
    htp_wire_field field;
    while (htp_wire_next(&wire, &field)) {
        take_field(m, state, &field);
    }
}

static bool is_there(const struct graph_state *state, htp_span name)
{
    return name.at && !htp_map_get_bytes(&state->gone, name.at, name.bytes, NULL);
}

/* Constants and types of functions that are inlined. Types in a function leave dims open that
 * differ between calls, so inferred ones are preferred. */
static void add_inlined(const struct maker *m, struct graph_state *state)
{
    const htp_view *view = m->r->view;
    const htp_view_flat *flat = view->flat;
    for (size_t i = 0; i < flat->initializers.count; i++) {
        const htp_view_lifted *lifted = &flat->initializers.items[i];
        if (is_there(state, htp_replace_text_of(lifted->fields, TENSOR_NAME))) {
            htp_flat_recipe_add_lifted(m->arena, state->recipe, lifted);
        }
    }
    const htp_map values = htp_replace_list_values(m->arena, view, 0);
    for (size_t i = 0; i < flat->infos.count; i++) {
        htp_wire wire = htp_wire_begin(flat->infos.items[i]);
        htp_wire_field field;
        while (htp_wire_next(&wire, &field)) {
            htp_span name = name_of(&field);
            uint32_t value;
            if (is_there(state, name) && htp_map_get_bytes(&values, name.at, name.bytes, &value)) {
                htp_span inferred = htp_view_types_info(m->r->types, m->arena, value);
                add(m, state->recipe,
                    inferred.at ? make_field(m, GRAPH_INFO, inferred) : field.whole);
            }
        }
    }
}

static htp_recipe *make_graph(const struct maker *m, uint32_t graph)
{
    const htp_replacement *r = m->r;
    struct graph_state state = {.graph = graph, .recipe = HTP_NEW(m->arena, htp_recipe)};
    state.gone = find_gone(m, graph);
    state.recipe->number = MODEL_GRAPH;
    take_fields(m, &state, htp_wire_content(r->view->graphs.items[graph].whole));
    for (size_t i = 0; graph == 0 && i < r->initializers.count; i++) {
        HTP_PUSH(m->arena, &state.recipe->items, r->initializers.items[i]);
    }
    if (graph == 0 && r->file) {
        add_inlined(m, &state);
    }
    add_all_types(m, state.recipe, graph);
    return state.recipe;
}

/* Graphs that lie in what is replaced need none. */
static void make_bodies(const struct maker *m)
{
    const htp_view *view = m->r->view;
    for (uint32_t g = (uint32_t)view->graphs.count; g-- > 1;) {
        if (m->is_changed[g]) {
            m->graphs[g] = make_graph(m, g);
        }
    }
}

/* ---- the whole ---- */

htp_status htp_replace_recipe(htp_arena *arena, htp_replacement *r, htp_rewrite_options *options,
                              htp_edit_list *edits)
{
    struct maker m = {
        .arena = arena,
        .r = r,
        .is_changed = HTP_NEW_ARRAY(arena, bool, r->view->graphs.count + 1),
        .is_output = HTP_NEW_ARRAY(arena, bool, r->view->values.count + 1),
        .graphs = HTP_NEW_ARRAY(arena, htp_recipe *, r->view->graphs.count + 1),
    };
    m.is_gone = htp_replace_list_tensors(arena, r, options);
    for (size_t i = 0; i < r->list.count; i++) {
        mark_outputs(&m, &r->list.items[i].part.outputs);
    }
    for (size_t i = 0; i < r->calls.count; i++) {
        if (r->calls.items[i].place) {
            mark_outputs(&m, &r->calls.items[i].outputs);
        }
    }
    find_changed(&m);
    make_bodies(&m);
    options->recipe = htp_replace_make_model(arena, r, make_graph(&m, 0));
    options->second = r->second.view ? &r->second : NULL;
    if (r->file) {
        htp_replace_list_verbatim_data(arena, r);
        options->verbatim = &r->verbatim_data;
    }
    htp_replace_add_readers(arena, r, edits);
    return HTP_OK;
}
