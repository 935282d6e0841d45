#include "onnx/inliner/flat_recipe.h"

#include "base/map.h"
#include "onnx/shape_inference/infer_view.h"

#include <string.h>

/* Reference: onnx.proto. */
enum {
    MODEL_GRAPH = 7,
    MODEL_IMPORT = 8,
    MODEL_FUNCTION = 25,
    GRAPH_NODE = 1,
    GRAPH_INITIALIZER = 5,
    GRAPH_INFO = 13,
    TENSOR_NAME = 8,
    TENSOR_PROPERTY = 16,
};

/* State of building a flat model. */
struct flat_maker {
    htp_arena *arena;
    const htp_view *view;
    htp_view_types *types;
    htp_edit_list *edits; /* of bodies */
};

static void add(htp_arena *arena, htp_recipe *recipe, htp_span span)
{
    HTP_PUSH(arena, &recipe->items, (htp_recipe_item){.bytes = span});
}

/* ---- the graph ---- */

/* The file has only its data, without name and metadata. Fields are ordered by number, as in an
 * export. */
void htp_flat_recipe_add_lifted(htp_arena *arena, htp_recipe *graph, const htp_view_lifted *lifted)
{
    htp_recipe *tensor = HTP_NEW(arena, htp_recipe);
    htp_wire wire = htp_wire_begin(htp_wire_content(lifted->whole));
    htp_wire added = htp_wire_begin(lifted->fields);
    htp_wire_field field;
    htp_wire_field name;
    bool has_name = htp_wire_next(&added, &name);
    tensor->number = GRAPH_INITIALIZER;
    while (htp_wire_next(&wire, &field)) {
        if (has_name && field.number > TENSOR_NAME) {
            add(arena, tensor, name.whole);
            has_name = false;
        }
        if (field.number != TENSOR_NAME && field.number != TENSOR_PROPERTY) {
            add(arena, tensor, field.whole);
        }
    }
    if (has_name) {
        add(arena, tensor, name.whole);
    }
    while (htp_wire_next(&added, &field)) {
        add(arena, tensor, field.whole);
    }
    HTP_PUSH(arena, &graph->items, (htp_recipe_item){.message = tensor});
}

static void add_spans(htp_arena *arena, htp_recipe *recipe, const htp_view_spans *spans)
{
    for (size_t i = 0; i < spans->count; i++) {
        add(arena, recipe, spans->items[i]);
    }
}

static void add_nodes(const struct flat_maker *m, htp_recipe *graph)
{
    add_spans(m->arena, graph, &m->view->flat->nodes);
}

static void add_initializers(const struct flat_maker *m, htp_recipe *graph)
{
    const htp_view_flat *flat = m->view->flat;
    for (size_t i = 0; i < flat->initializers.count; i++) {
        const htp_view_lifted *lifted = &flat->initializers.items[i];
        if (lifted->fields.at) {
            htp_flat_recipe_add_lifted(m->arena, graph, lifted);
        } else {
            add(m->arena, graph, lifted->whole);
        }
    }
}

/* ---- types ---- */

/* A ValueInfoProto as a field of a graph. */
static htp_span make_field(htp_arena *arena, htp_span content)
{
    unsigned char prefix[HTP_WIRE_PREFIX_SIZE];
    size_t count = htp_wire_put_prefix(GRAPH_INFO, content.bytes, prefix);
    unsigned char *field = htp_arena_alloc(arena, count + content.bytes);
    memcpy(field, prefix, count);
    memcpy(field + count, content.at, content.bytes);
    return (htp_span){field, count + content.bytes};
}

/* The declared type of a function's value leaves dims open that differ between calls, so the type
 * inferred in the model is preferred. */
static htp_span choose_info(const struct flat_maker *m, uint32_t value, htp_span told)
{
    htp_span inferred = htp_view_types_info(m->types, m->arena, value);
    return inferred.at ? make_field(m->arena, inferred) : told;
}

/* Whether a type belongs to a graph input or output, which has it itself. */
static bool is_border(htp_span info)
{
    htp_wire wire = htp_wire_begin(info);
    htp_wire_field field;
    return htp_wire_next(&wire, &field) && field.number != GRAPH_INFO;
}

/* Lists the types of a graph as an export does: first values that no node makes, then node outputs
 * in order. Only types in the file are listed. */
static void list_infos(const struct flat_maker *m, uint32_t graph, htp_view_spans *list)
{
    htp_arena *arena = m->arena;
    const htp_view *view = m->view;
    htp_view_range infos = view->graphs.items[graph].infos;
    htp_view_range nodes = view->graphs.items[graph].nodes;
    htp_view_spans made = {0};
    htp_map told = {0};
    for (uint32_t i = infos.first; i < infos.first + infos.count; i++) {
        if (!is_border(view->infos.items[i].whole)) {
            htp_map_set(arena, &told, htp_view_text(view, view->infos.items[i].name), i);
        }
    }
    bool *is_made = HTP_NEW_ARRAY(arena, bool, infos.count + 1U);
    for (uint32_t n = nodes.first; n < nodes.first + nodes.count; n++) {
        htp_view_range outputs = view->nodes.items[n].outputs;
        for (uint32_t k = outputs.first; k < outputs.first + outputs.count; k++) {
            uint32_t value = view->operands.items[k];
            uint32_t i;
            if (value != HTP_NONE &&
                htp_map_get(&told, htp_view_text(view, view->values.items[value].name), &i) &&
                !is_made[i - infos.first]) {
                is_made[i - infos.first] = true;
                HTP_PUSH(arena, &made, choose_info(m, value, view->infos.items[i].whole));
            }
        }
    }
    for (uint32_t i = 0; i < infos.count; i++) {
        htp_span whole = view->infos.items[infos.first + i].whole;
        if (!is_made[i] && !is_border(whole)) {
            HTP_PUSH(arena, list, whole);
        }
    }
    for (size_t i = 0; i < made.count; i++) {
        HTP_PUSH(arena, list, made.items[i]);
    }
}

static void add_infos(const struct flat_maker *m, htp_recipe *graph)
{
    htp_view_spans list = {0};
    list_infos(m, 0, &list);
    add_spans(m->arena, graph, &list);
}

/* Replaces the types of a body in place. */
static void edit_body(const struct flat_maker *m, uint32_t graph)
{
    htp_view_range infos = m->view->graphs.items[graph].infos;
    htp_view_spans list = {0};
    size_t next = 0;
    list_infos(m, graph, &list);
    for (uint32_t i = infos.first; i < infos.first + infos.count; i++) {
        htp_span whole = m->view->infos.items[i].whole;
        if (!is_border(whole)) {
            HTP_PUSH(m->arena, m->edits, (htp_edit){.field = whole, .bytes = list.items[next++]});
        }
    }
}

/* Fields that the flat view replaces are written in place of the first old one, or in the order of
 * numbers. */
static const struct part {
    uint32_t number;
    void (*add)(const struct flat_maker *m, htp_recipe *graph);
} parts[] = {
    {GRAPH_NODE, add_nodes},
    {GRAPH_INITIALIZER, add_initializers},
    {GRAPH_INFO, add_infos},
};

enum { PARTS = sizeof(parts) / sizeof(parts[0]) };

static bool is_replaced(const htp_wire_field *field)
{
    for (size_t i = 0; i < PARTS; i++) {
        if (htp_wire_is_bytes(field, parts[i].number)) {
            return true;
        }
    }
    return false;
}

static htp_recipe *make_graph(const struct flat_maker *m)
{
    htp_recipe *graph = HTP_NEW(m->arena, htp_recipe);
    htp_wire wire = htp_wire_begin(htp_wire_content(m->view->graphs.items[0].whole));
    htp_wire_field field;
    size_t added = 0;
    graph->number = MODEL_GRAPH;
    while (htp_wire_next(&wire, &field)) {
        while (added < PARTS && parts[added].number <= field.number) {
            parts[added++].add(m, graph);
        }
        if (!is_replaced(&field)) {
            add(m->arena, graph, field.whole);
        }
    }
    while (added < PARTS) {
        parts[added++].add(m, graph);
    }
    return graph;
}

/* ---- the model ---- */

static const htp_recipe *make_model(const struct flat_maker *m)
{
    htp_arena *arena = m->arena;
    const htp_view *view = m->view;
    htp_recipe *model = HTP_NEW(arena, htp_recipe);
    htp_wire wire = htp_wire_begin(view->bytes);
    htp_wire_field field;
    bool has_imports = false;
    while (htp_wire_next(&wire, &field)) {
        if (field.number == MODEL_GRAPH) {
            HTP_PUSH(arena, &model->items, (htp_recipe_item){.message = make_graph(m)});
        } else if (field.number == MODEL_IMPORT && !has_imports) {
            has_imports = true;
            add_spans(arena, model, &view->flat->imports);
        } else if (field.number != MODEL_IMPORT && field.number != MODEL_FUNCTION) {
            add(arena, model, field.whole);
        }
    }
    if (!has_imports) {
        add_spans(arena, model, &view->flat->imports);
    }
    return model;
}

htp_status htp_flat_recipe_make(htp_arena *arena, const htp_view *view,
                                htp_rewrite_options *options, htp_edit_list *edits)
{
    if (!view->flat) {
        return HTP_OK;
    }
    if (view->functions.count > 0) {
        const htp_view_function *function = &view->functions.items[0];
        return htp_status_make(HTP_CODE_BAD_INPUT,
                               "%s: function %s::%s imports another version of operators than the "
                               "model, or has bodies as attributes: it cannot be written in the "
                               "places of its calls",
                               view->path, htp_view_text(view, function->domain),
                               htp_view_text(view, function->name));
    }
    uint32_t *tensors = HTP_NEW_ARRAY(arena, uint32_t, view->tensors.count + 1);
    for (uint32_t t = 0; t < view->tensors.count; t++) {
        tensors[t] = t;
    }
    const struct flat_maker m = {arena, view, htp_view_types_new(arena, view), edits};
    options->recipe = make_model(&m);
    for (uint32_t g = 1; edits && g < view->graphs.count; g++) {
        edit_body(&m, g);
    }
    options->tensors = tensors;
    options->tensor_count = view->tensors.count;
    return HTP_OK;
}
