/*
 * Copies of a part's nodes in the place of modules.
 */
#include "query/replace/replace_graft.h"
#include "onnx/builder/names.h"

#include <string.h>

/* Reference: onnx.proto. */
enum {
    GRAPH_NODE = 1,
    GRAPH_INITIALIZER = 5,
    GRAPH_INPUT = 11,
    GRAPH_INFO = 13,
    NODE_INPUT = 1,
    NODE_OUTPUT = 2,
    NODE_NAME = 3,
    NODE_OP_TYPE = 4,
    INFO_NAME = 1,
    TENSOR_NAME = 8,
    TENSOR_PROPERTY = 16,
};

static const char hierarchy_tags[] = "hierarchy_tags";

/* ---- names ---- */

static void take_name(htp_grafter *g, htp_map *names, const char *name)
{
    if (*name) {
        htp_map_set(g->arena, names, name, 1);
    }
}

/* Whether a graph lies in something that goes. */
static bool is_gone(const htp_replacement *r, uint32_t graph)
{
    uint32_t owner = r->view->graphs.items[graph].node;
    return owner != HTP_NONE && htp_replace_is_left_out(r, owner);
}

/* Names of all that stays. */
static void take_names(htp_grafter *g)
{
    const htp_replacement *r = g->r;
    const htp_view *view = r->view;
    for (uint32_t v = 0; v < view->values.count; v++) {
        const htp_view_value *value = &view->values.items[v];
        bool is_left_out = value->maker == HTP_VIEW_BY_NODE
                               ? htp_replace_is_left_out(r, value->node)
                               : is_gone(r, value->graph) || r->is_unread_weight[v];
        if (!is_left_out) {
            take_name(g, &g->value_names, htp_graft_name(view, v));
        }
    }
    for (size_t i = 0; i < r->list.count; i++) {
        const htp_numbers *outputs = &r->list.items[i].part.outputs;
        for (size_t k = 0; k < outputs->count; k++) {
            take_name(g, &g->value_names, htp_graft_name(view, outputs->items[k]));
        }
    }
    for (uint32_t n = 0; n < view->nodes.count; n++) {
        if (!htp_replace_is_left_out(r, n)) {
            take_name(g, &g->node_names, htp_view_text(view, view->nodes.items[n].name));
        }
    }
    htp_replace_take_call_names(g->arena, r, &g->node_names);
}

/* All copies share the weights of the part. */
static const char *name_weight(htp_grafter *g, uint32_t value)
{
    if (!g->weights[value]) {
        g->weights[value] =
            htp_name_unique(g->arena, &g->value_names, htp_graft_name(g->part, value));
    }
    return g->weights[value];
}

static const char *name_value(htp_grafter *g, uint32_t value)
{
    const htp_view_value *named = &g->part->values.items[value];
    uint32_t same = g->replaced->same[value];
    const char *name = htp_graft_name(g->part, value);
    if (same != HTP_NONE) {
        return htp_graft_name(g->r->view, same);
    }
    if (named->graph == 0 && named->initializer != HTP_NONE) {
        return name_weight(g, value);
    }
    return *name ? htp_name_unique(g->arena, &g->value_names, htp_graft_move_name(g, name)) : name;
}

/* Outputs of the part have the names of the border. One that no node of the part makes, or that is
 * two outputs, needs a node. @return by output: whether it does */
static bool *name_values(htp_grafter *g)
{
    htp_view_range outputs = g->part->graphs.items[0].outputs;
    bool *needs_node = HTP_NEW_ARRAY(g->arena, bool, outputs.count + 1);
    memset((void *)g->names, 0, g->part->values.count * sizeof(*g->names));
    for (uint32_t k = 0; k < outputs.count; k++) {
        uint32_t value = g->part->operands.items[outputs.first + k];
        needs_node[k] = g->names[value] || g->replaced->same[value] != HTP_NONE ||
                        g->part->values.items[value].maker != HTP_VIEW_BY_NODE;
        if (!needs_node[k]) {
            g->names[value] = htp_graft_name(g->r->view, g->replaced->part_outputs[k]);
        }
    }
    for (uint32_t v = 0; v < g->part->values.count; v++) {
        g->names[v] = g->names[v] ? g->names[v] : name_value(g, v);
    }
    return needs_node;
}

static void find_root(htp_grafter *g)
{
    bool has_root = false;
    for (uint32_t n = 0; n < g->part->nodes.count; n++) {
        bool is_inner = g->is_inner[g->part->nodes.items[n].graph];
        htp_slice tag = is_inner ? (htp_slice){NULL, 0} : htp_graft_tag_of(g, n);
        if (!has_root) {
            g->root = tag;
            has_root = tag.at != NULL;
        }
        while (tag.at && !htp_graft_is_below(tag, g->root)) {
            const char *slash = memrchr(g->root.at, '/', g->root.length);
            g->root.length = slash ? (size_t)(slash - g->root.at) : 0;
        }
    }
}

/* ---- types ---- */

/* Whether all names in a formula of dims mean the same in the model: "(height + 1)//2". */
static bool keeps_formula(const htp_grafter *g, const char *formula)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
    static const char digits[] = "0123456789.";
    bool has_name = false;
    for (const char *at = formula + strcspn(formula, letters); *at; at += strcspn(at, letters)) {
        size_t length = strspn(at, letters);
        for (size_t more = 1; more > 0; length += more) {
            more = strspn(at + length, digits);
            more += strspn(at + length + more, letters);
        }
        const char *name = htp_arena_copy(g->arena, at, length);
        at += length;
        bool is_function = *at == '(';
        has_name = has_name || !is_function;
        if (!is_function && !htp_map_get(&g->replaced->kept_symbols, name, NULL)) {
            return false;
        }
    }
    return has_name;
}

/* A type holds in the model if its names of dims mean the same there. */
static bool keeps_type(const htp_grafter *g, uint32_t value)
{
    htp_value_type type = htp_value_type_find(g->arena, g->part, value);
    for (size_t i = 0; type.has_dims && i < type.rank; i++) {
        const char *symbol = type.dims[i].symbol;
        if (symbol && !htp_map_get(&g->replaced->kept_symbols, symbol, NULL) &&
            !keeps_formula(g, symbol)) {
            return false;
        }
    }
    return true;
}

static void copy_infos(htp_grafter *g, const htp_map *values)
{
    htp_view_range infos = g->part->graphs.items[0].infos;
    for (uint32_t i = infos.first; i < infos.first + infos.count; i++) {
        htp_wire wire = htp_wire_begin(g->part->infos.items[i].whole);
        htp_wire_field field;
        if (!htp_wire_next(&wire, &field) || field.number != GRAPH_INFO) {
            continue;
        }
        uint32_t value = htp_graft_find_value(values, field.content, INFO_NAME);
        bool is_inner = value != HTP_NONE && g->replaced->same[value] == HTP_NONE &&
                        g->part->values.items[value].maker == HTP_VIEW_BY_NODE;
        if (is_inner && keeps_type(g, value)) {
            HTP_PUSH(g->arena, &g->replaced->infos,
                     htp_graft_rename(g, &field, INFO_NAME, g->names[value]));
        }
    }
}

/* ---- one module ---- */

static bool is_model_s(const htp_grafter *g, uint32_t node)
{
    htp_view_range outputs = g->part->nodes.items[node].outputs;
    uint32_t value = outputs.count > 0 ? g->part->operands.items[outputs.first] : HTP_NONE;
    return value != HTP_NONE && g->replaced->same[value] != HTP_NONE;
}

/* An output that is an input, a weight, or another output. */
static void add_identity(htp_grafter *g, uint32_t index)
{
    uint32_t value = g->part->operands.items[g->part->graphs.items[0].outputs.first + index];
    htp_slice tag = g->r->tree->modules[g->replaced->module].tag;
    htp_text node = {.arena = g->arena};
    htp_text field = {.arena = g->arena};
    htp_wire_add_text(&node, NODE_INPUT, g->names[value]);
    htp_wire_add_text(&node, NODE_OUTPUT,
                      htp_graft_name(g->r->view, g->replaced->part_outputs[index]));
    htp_wire_add_text(
        &node, NODE_NAME,
        htp_name_unique(g->arena, &g->node_names,
                        htp_arena_printf(g->arena, "%.*s/Identity", (int)tag.length, tag.at)));
    htp_wire_add_text(&node, NODE_OP_TYPE, "Identity");
    htp_replace_add_tag(g->r, tag, g->replaced->first, &node);
    htp_wire_add_bytes(&field, GRAPH_NODE, node.bytes, node.length);
    HTP_PUSH(g->arena, &g->replaced->nodes, (htp_recipe_item){.bytes = htp_wire_span(&field)});
    g->replaced->node_count++;
}

/* Names of nodes that did not come from the module go to its scope. */
static void find_scopes(htp_grafter *g)
{
    htp_view_range nodes = g->part->graphs.items[0].nodes;
    htp_numbers moved = {0};
    for (uint32_t n = nodes.first; n < nodes.first + nodes.count; n++) {
        htp_slice tag;
        if (!is_model_s(g, n) && !htp_graft_renew_tag(g, n, &tag) &&
            !htp_flow_is_constant(g->part, n)) {
            HTP_PUSH(g->arena, &moved, n);
        }
    }
    g->scope = (htp_slice){NULL, 0};
    if (moved.count > 0) {
        g->scope = htp_replace_common_scope(g->part, moved.items, moved.count);
        g->moved = htp_replace_find_scope(g->arena, g->r, g->replaced);
    }
}

static void copy_part(htp_grafter *g, const htp_map *values)
{
    find_scopes(g);
    const bool *needs_node = name_values(g);
    htp_view_range nodes = g->part->graphs.items[0].nodes;
    for (uint32_t graph = (uint32_t)g->part->graphs.count; graph-- > 1;) {
        if (!g->is_inner[graph]) { /* inner graphs have higher numbers */
            g->bodies[graph] = htp_graft_copy_body(g, graph);
        }
    }
    for (uint32_t n = nodes.first; n < nodes.first + nodes.count; n++) {
        if (!is_model_s(g, n)) {
            HTP_PUSH(g->arena, &g->replaced->nodes,
                     (htp_recipe_item){.message = htp_graft_copy_node(g, n)});
        }
    }
    for (uint32_t k = 0; k < g->part->graphs.items[0].outputs.count; k++) {
        if (needs_node[k]) {
            add_identity(g, k);
        }
    }
    copy_infos(g, values);
}

/* ---- weights ---- */

/* Before version 4, each initializer is the default of an input. */
static void add_input(const htp_grafter *g, uint32_t value)
{
    enum { OF_NO_INPUT = 4, TYPE = 2, TENSOR = 1, ELEMENTS = 1, SHAPE = 2, DIM = 1, SIZE = 1 };
    const htp_view_tensor *tensor =
        &g->part->tensors.items[g->part->values.items[value].initializer];
    htp_text shape = {.arena = g->arena}, type = {.arena = g->arena};
    htp_text any = {.arena = g->arena}, info = {.arena = g->arena}, field = {.arena = g->arena};
    if (g->r->view->ir_version >= OF_NO_INPUT) {
        return;
    }
    htp_text_add(&shape, "");
    for (uint32_t i = 0; i < tensor->dims.count; i++) {
        htp_text dim = {.arena = g->arena};
        htp_wire_add_varint(&dim, SIZE, (uint64_t)g->part->dims.items[tensor->dims.first + i]);
        htp_wire_add_bytes(&shape, DIM, dim.bytes, dim.length);
    }
    htp_wire_add_varint(&type, ELEMENTS, (uint64_t)tensor->data_type);
    htp_wire_add_bytes(&type, SHAPE, shape.bytes, shape.length);
    htp_wire_add_bytes(&any, TENSOR, type.bytes, type.length);
    htp_wire_add_text(&info, INFO_NAME, g->weights[value]);
    htp_wire_add_bytes(&info, TYPE, any.bytes, any.length);
    htp_wire_add_bytes(&field, GRAPH_INPUT, info.bytes, info.length);
    HTP_PUSH(g->arena, &g->r->initializers, (htp_recipe_item){.bytes = htp_wire_span(&field)});
}

static void copy_weight(const htp_grafter *g, uint32_t value)
{
    const htp_view_tensor *tensor =
        &g->part->tensors.items[g->part->values.items[value].initializer];
    htp_recipe *made = HTP_NEW(g->arena, htp_recipe);
    htp_wire wire = htp_wire_begin(htp_wire_content(tensor->whole));
    htp_wire_field field;
    bool has_tags = g->r->tree->has_records;
    made->number = GRAPH_INITIALIZER;
    while (htp_wire_next(&wire, &field)) {
        htp_span key = htp_wire_is_bytes(&field, TENSOR_PROPERTY)
                           ? htp_replace_text_of(field.content, 1)
                           : (htp_span){NULL, 0};
        bool is_list = key.at && key.bytes == strlen(hierarchy_tags) &&
                       memcmp(key.at, hierarchy_tags, key.bytes) == 0;
        has_tags = has_tags && !(is_list && !g->has_new_tags);
        if (htp_wire_is_bytes(&field, TENSOR_NAME)) {
            htp_graft_add_text(g, made, TENSOR_NAME, g->weights[value]);
        } else if (!is_list || !g->has_new_tags) {
            htp_graft_add(g, made, field.whole);
        }
    }
    if (has_tags) {
        htp_text property = {.arena = g->arena};
        const char *list = htp_arena_printf(g->arena, "[%s]", htp_text_string(&g->readers[value]));
        htp_wire_add_entry(&property, TENSOR_PROPERTY, hierarchy_tags, list, strlen(list));
        htp_graft_add(g, made, htp_wire_span(&property));
    }
    HTP_PUSH(g->arena, &g->r->initializers, (htp_recipe_item){.message = made});
}

/* Lists the tensors that come along: weights that copies read, and all of nodes and bodies. */
static htp_second_model list_tensors(const htp_grafter *g)
{
    const htp_view *part = g->part;
    uint32_t *tensors = HTP_NEW_ARRAY(g->arena, uint32_t, part->tensors.count + 1);
    bool *is_left_out = HTP_NEW_ARRAY(g->arena, bool, part->tensors.count + 1);
    htp_second_model second = {.view = part, .tensors = tensors};
    for (uint32_t v = 0; v < part->values.count; v++) {
        uint32_t first = part->values.items[v].initializer;
        if (first != HTP_NONE && part->values.items[v].graph == 0 && !g->weights[v]) {
            is_left_out[first] = true;
            is_left_out[first + (part->tensors.items[first].sparse.at ? 1 : 0)] = true;
        }
    }
    for (uint32_t t = 0; t < part->tensors.count; t++) {
        if (!is_left_out[t]) {
            tensors[second.tensor_count++] = t;
        }
    }
    return second;
}

void htp_replace_by_part(htp_arena *arena, htp_replacement *r, const htp_replacing_part *part)
{
    size_t values = part->view->values.count + 1;
    htp_grafter g = {
        .arena = arena,
        .r = r,
        .part = part->view,
        .tree = part->tree,
        .weights = HTP_NEW_ARRAY(arena, const char *, values),
        .readers = HTP_NEW_ARRAY(arena, htp_text, values),
        .names = HTP_NEW_ARRAY(arena, const char *, values),
        .bodies = HTP_NEW_ARRAY(arena, htp_recipe *, part->view->graphs.count + 1),
        .is_inner = htp_replace_list_inner_graphs(arena, part->view),
    };
    find_root(&g);
    take_names(&g);
    const htp_map by_name = htp_replace_list_values(arena, part->view, 0);
    for (size_t i = 0; i < r->list.count; i++) {
        g.replaced = &r->list.items[i];
        copy_part(&g, &by_name);
    }
    for (uint32_t v = 0; v < part->view->values.count; v++) {
        if (g.weights[v]) {
            copy_weight(&g, v);
            add_input(&g, v);
        }
    }
    r->second = list_tensors(&g);
}
