/*
 * The model with its modules replaced: fields of the file, in their order, and new ones behind
 * others of their kind.
 */
#include "query/replace/replace.h"

#include "onnx/inliner/flat_recipe.h"
#include "query/replace/replace_parts.h"

#include <string.h>

/* Reference: onnx.proto. */
enum {
    MODEL_GRAPH = 7,
    MODEL_IMPORT = 8,
    MODEL_PROPERTY = 14,
    GRAPH_NODE = 1,
    GRAPH_INITIALIZER = 5,
    GRAPH_INFO = 13,
    GRAPH_SPARSE = 15,
    NODE_ATTRIBUTE = 5,
    IMPORT_DOMAIN = 1,
    IMPORT_VERSION = 2,
    TENSOR_NAME = 8,
    SPARSE_VALUES = 1,
    INFO_NAME = 1,
};

/* State of building the recipe. */
struct maker {
    htp_arena *arena;
    const htp_replacement *r;
    bool *is_changed;       /* by graph: it is not copied as it is */
    bool *is_output;        /* by value: what takes the place of a module makes it */
    const bool *is_gone;    /* by tensor */
    htp_recipe **graphs;    /* by changed graph */
    const htp_recipe *flat; /* the model without functions; NULL: the file is the model */
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

/* Values of a graph that the new one does not have: made by nodes that go, unless what takes their
 * place makes them, and weights that nothing reads. */
static htp_map find_gone(const struct maker *m, uint32_t graph)
{
    const htp_view *view = m->r->view;
    htp_view_range nodes = view->graphs.items[graph].nodes;
    htp_view_range weights = view->graphs.items[graph].initializers;
    htp_map gone = {0};
    for (uint32_t n = nodes.first; n < nodes.first + nodes.count; n++) {
        htp_view_range made = view->nodes.items[n].outputs;
        for (uint32_t k = made.first;
             k < made.first + made.count && htp_replace_is_left_out(m->r, n); k++) {
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
    htp_span whole = m->r->view->nodes.items[node].whole;
    if (!find_changed_attribute(m, node, NULL)) {
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
            add_node(m, recipe, number);
        }
        for (size_t k = 0; replaced && k < replaced->nodes.count; k++) {
            HTP_PUSH(m->arena, &recipe->items, replaced->nodes.items[k]);
        }
    }
    for (uint32_t n = nodes.first; n < nodes.first + nodes.count && order->count == 0; n++) {
        if (!htp_replace_is_left_out(r, n)) {
            add_node(m, recipe, n);
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

/* A constant of a function, which has its name in memory. */
static void take_message(const struct maker *m, struct graph_state *state,
                         const htp_recipe *message)
{
    htp_span name = {NULL, 0};
    for (size_t i = 0; i < message->items.count; i++) {
        htp_span text = htp_replace_text_of(message->items.items[i].bytes, TENSOR_NAME);
        name = text.at ? text : name;
    }
    if (!name.at || !htp_map_get_bytes(&state->gone, name.at, name.bytes, NULL)) {
        add_message(m, state->recipe, message);
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

/* @param base  of the flat model; NULL: the graph of the file */
static htp_recipe *make_graph(const struct maker *m, uint32_t graph, const htp_recipe *base)
{
    struct graph_state state = {.graph = graph, .recipe = HTP_NEW(m->arena, htp_recipe)};
    state.gone = find_gone(m, graph);
    state.recipe->number = MODEL_GRAPH;
    if (!base) {
        take_fields(m, &state, htp_wire_content(m->r->view->graphs.items[graph].whole));
    }
    for (size_t i = 0; base && i < base->items.count; i++) {
        if (base->items.items[i].message) {
            take_message(m, &state, base->items.items[i].message);
        } else {
            take_fields(m, &state, base->items.items[i].bytes);
        }
    }
    for (size_t i = 0; graph == 0 && i < m->r->initializers.count; i++) {
        HTP_PUSH(m->arena, &state.recipe->items, m->r->initializers.items[i]);
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
            m->graphs[g] = make_graph(m, g, NULL);
        }
    }
}

/* ---- the model ---- */

static void add_imports(const struct maker *m, htp_recipe *model)
{
    for (size_t i = 0; i < m->r->imports.count; i++) {
        add(m, model, m->r->imports.items[i]);
    }
}

void htp_replace_add_import(htp_arena *arena, htp_replacement *r, const char *domain,
                            int64_t version)
{
    htp_text import = {.arena = arena};
    htp_text field = {.arena = arena};
    for (size_t i = 0; i < r->view->imports.count; i++) {
        if (strcmp(htp_view_text(r->view, r->view->imports.items[i].domain), domain) == 0) {
            return;
        }
    }
    htp_wire_add_text(&import, IMPORT_DOMAIN, domain);
    htp_wire_add_varint(&import, IMPORT_VERSION, (uint64_t)version);
    htp_wire_add_bytes(&field, MODEL_IMPORT, import.bytes, import.length);
    HTP_PUSH(arena, &r->imports, htp_wire_span(&field));
}

/* Takes a field of the model. */
static void take_model_field(const struct maker *m, htp_recipe *model, const htp_wire_field *field,
                             bool *has_import)
{
    bool is_import = htp_wire_is_bytes(field, MODEL_IMPORT);
    if (htp_wire_is_bytes(field, MODEL_GRAPH)) {
        add_message(m, model, make_graph(m, 0, NULL));
        return;
    }
    add(m, model, field->whole);
    if (is_import && !*has_import) {
        add_imports(m, model);
        *has_import = true;
    }
}

static htp_recipe *make_model(const struct maker *m)
{
    const htp_recipe whole = {.number = 0};
    const htp_recipe *base = m->flat ? m->flat : &whole;
    htp_recipe *model = HTP_NEW(m->arena, htp_recipe);
    htp_text note = {.arena = m->arena};
    bool has_import = false;
    for (size_t i = 0; i <= base->items.count; i++) {
        bool is_end = i == base->items.count;
        if (!is_end && base->items.items[i].message) {
            add_message(m, model, make_graph(m, 0, base->items.items[i].message));
            continue;
        }
        htp_span fields = !is_end ? base->items.items[i].bytes : (htp_span){NULL, 0};
        htp_wire wire = htp_wire_begin(is_end && !m->flat ? m->r->view->bytes : fields);
        htp_wire_field field;
        while (htp_wire_next(&wire, &field)) {
            take_model_field(m, model, &field, &has_import);
        }
    }
    if (!has_import) {
        add_imports(m, model);
    }
    htp_wire_add_entry(&note, MODEL_PROPERTY, HTP_REPLACED_KEY, m->r->note, strlen(m->r->note));
    add(m, model, htp_wire_span(&note));
    return model;
}

/* ---- the whole ---- */

htp_status htp_replace_recipe(htp_arena *arena, const htp_replacement *r,
                              htp_rewrite_options *options, htp_edit_list *edits)
{
    struct maker m = {
        .arena = arena,
        .r = r,
        .is_changed = HTP_NEW_ARRAY(arena, bool, r->view->graphs.count + 1),
        .is_output = HTP_NEW_ARRAY(arena, bool, r->view->values.count + 1),
        .graphs = HTP_NEW_ARRAY(arena, htp_recipe *, r->view->graphs.count + 1),
    };
    HTP_TRY(htp_flat_recipe_make(arena, r->view, options, NULL));
    m.flat = options->recipe;
    m.is_gone = htp_replace_list_tensors(arena, r, options);
    for (size_t i = 0; i < r->list.count; i++) {
        const htp_numbers *outputs = &r->list.items[i].part.outputs;
        for (size_t k = 0; k < outputs->count; k++) {
            m.is_output[outputs->items[k]] = true;
        }
    }
    find_changed(&m);
    make_bodies(&m);
    options->recipe = make_model(&m);
    options->second = r->second.view ? &r->second : NULL;
    htp_replace_add_readers(arena, r, edits);
    return HTP_OK;
}
