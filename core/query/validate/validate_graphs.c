/*
 * Names, inputs and outputs of graphs and bodies.
 */
#include "query/validate/validate_onnx.h"

#include <inttypes.h>
#include <string.h>

/* ---- names ---- */

/* The value from outside that a body sees under a name: it must be made before the body's node. */
static uint32_t find_outer(const htp_validator *v, const htp_map *known, uint32_t graph,
                           htp_view_name name)
{
    const htp_view *view = v->view;
    uint32_t node = view->graphs.items[graph].node;
    for (uint32_t g = view->graphs.items[graph].parent; g != HTP_NONE;
         node = view->graphs.items[g].node, g = view->graphs.items[g].parent) {
        const uint32_t key[] = {g, name};
        uint32_t value;
        if (htp_map_get_bytes(known, key, sizeof(key), &value) &&
            (view->values.items[value].maker != HTP_VIEW_BY_NODE ||
             view->values.items[value].node < node)) {
            return value;
        }
    }
    return HTP_NONE;
}

/* Inputs of bodies may hide outer names; node outputs may not. */
static void check_shadows(htp_validator *v)
{
    const htp_view *view = v->view;
    htp_map known = {0};
    for (uint32_t i = 0; i < view->values.count; i++) {
        const htp_view_value *value = &view->values.items[i];
        const uint32_t key[] = {value->graph, value->name};
        if (value->maker != HTP_VIEW_BY_NOBODY) {
            htp_map_set_bytes(v->arena, &known, key, sizeof(key), i);
        }
    }
    for (uint32_t i = 0; i < view->values.count; i++) {
        const htp_view_value *value = &view->values.items[i];
        bool is_inner = view->graphs.items[value->graph].parent != HTP_NONE;
        if (is_inner && value->maker == HTP_VIEW_BY_NODE &&
            find_outer(v, &known, value->graph, value->name) != HTP_NONE) {
            htp_validate_node(v, value->node, "makes '%s' in a body, a name that is taken outside",
                              htp_view_text(view, value->name));
        }
    }
}

/* ---- inputs and outputs ---- */

/* The name of a body: "body", "then_branch". */
static const char *call_body(const htp_view *view, uint32_t graph)
{
    uint32_t attribute = view->graphs.items[graph].attribute;
    return htp_view_text(view, view->attributes.items[attribute].name);
}

static void check_outputs(htp_validator *v, uint32_t graph)
{
    const htp_view *view = v->view;
    const htp_view_graph *body = &view->graphs.items[graph];
    for (uint32_t i = 0; i < body->outputs.count; i++) {
        uint32_t value = view->operands.items[body->outputs.first + i];
        if (value != HTP_NONE && view->values.items[value].graph != graph) {
            htp_validate_node(
                v, body->node, "the output '%s' of its %s is made outside; an Identity would do",
                htp_view_text(view, view->values.items[value].name), call_body(view, graph));
        }
    }
}

/* How a node's operands match the inputs and outputs of its body. */
static const struct body_row {
    const char *op_type;
    uint32_t more_outputs; /* of the body */
    bool has_inputs;       /* as many as the node has, or fewer if they are optional */
} body_rows[] = {
    {"If", 0, false},
    {"Loop", 1, true}, /* the condition */
    {"Scan", 0, true},
};

static const struct body_row *find_row(const htp_validator *v, uint32_t node)
{
    const char *op_type = htp_view_text(v->view, v->view->nodes.items[node].op_type);
    for (size_t i = 0; v->schema[node] && i < sizeof(body_rows) / sizeof(body_rows[0]); i++) {
        if (strcmp(body_rows[i].op_type, op_type) == 0) {
            return &body_rows[i];
        }
    }
    return NULL;
}

static void check_counts(htp_validator *v, uint32_t graph)
{
    const htp_view *view = v->view;
    const htp_view_graph *body = &view->graphs.items[graph];
    const struct body_row *row = find_row(v, body->node);
    const htp_view_node *node = &view->nodes.items[body->node];
    if (!row) {
        return;
    }
    if (body->outputs.count != node->outputs.count + row->more_outputs) {
        htp_validate_node(v, body->node,
                          "its %s gives %" PRIu32 " values, and it has %" PRIu32 " outputs",
                          call_body(view, graph), body->outputs.count, node->outputs.count);
    }
    bool is_first_scan = strcmp(row->op_type, "Scan") == 0 && v->schema[body->node]->since == 8;
    uint32_t given = node->inputs.count - (is_first_scan && node->inputs.count > 0);
    if (row->has_inputs && body->inputs.count != given) {
        htp_validate_node(v, body->node, "its %s takes %" PRIu32 " values, and is given %" PRIu32,
                          call_body(view, graph), body->inputs.count, given);
    }
}

static void check_name(htp_validator *v, uint32_t graph)
{
    const htp_view_graph *named = &v->view->graphs.items[graph];
    if (named->name == 0 && named->parent == HTP_NONE) {
        htp_finding_add(v->findings, "the graph has no name");
    } else if (named->name == 0) {
        htp_validate_node(v, named->node, "its %s has no name", call_body(v->view, graph));
    }
}

enum { INFO_TYPE = 2 };

static bool has_type(const htp_view_value *value)
{
    htp_wire wire = htp_wire_begin(htp_wire_content(value->info));
    htp_wire_field field;
    bool has_type = false;
    while (htp_wire_next(&wire, &field)) {
        has_type = has_type || (htp_wire_is_bytes(&field, INFO_TYPE) && field.content.bytes > 0);
    }
    return has_type;
}

/* An input of the model must have a type. */
static void check_input_types(htp_validator *v)
{
    const htp_view *view = v->view;
    htp_view_range inputs = view->graphs.items[0].inputs;
    for (uint32_t i = 0; i < inputs.count; i++) {
        uint32_t input = view->operands.items[inputs.first + i];
        const htp_view_value *value = &view->values.items[input];
        if (value->info.at && !has_type(value)) {
            htp_finding_add(v->findings, "input '%s' has no type",
                            htp_view_text(view, value->name));
        }
    }
}

void htp_validate_graphs(htp_validator *v)
{
    check_shadows(v);
    for (uint32_t g = 0; g < v->view->graphs.count; g++) {
        bool is_body = v->view->graphs.items[g].parent != HTP_NONE;
        if (v->view->graphs.items[g].function == HTP_NONE) {
            check_name(v, g);
        }
        if (is_body) {
            check_outputs(v, g);
            check_counts(v, g);
        }
    }
    check_input_types(v);
}
