/*
 * Operators by their schemas: whether the opset has them, how many operands, which attributes.
 */
#include "query/validate/validate_onnx.h"

#include <inttypes.h>
#include <string.h>

/* ---- opsets ---- */

enum { FUNCTION_IMPORT = 9, IMPORT_DOMAIN = 1, IMPORT_VERSION = 2 };

/* The model's import; 0: it has none, or two. */
static int64_t opset_of_model(const htp_view *view)
{
    int64_t opset = 0;
    for (size_t i = 0; i < view->imports.count; i++) {
        const htp_view_import *import = &view->imports.items[i];
        if (htp_view_is_own_domain(view, import->domain)) {
            opset = opset == 0 || opset == import->version ? import->version : INT64_MAX;
        }
    }
    return opset == INT64_MAX ? 0 : opset;
}

/* A function has imports of its own. */
static int64_t opset_of_function(const htp_view *view, uint32_t graph)
{
    int64_t opset = 0;
    htp_wire wire = htp_wire_begin(htp_wire_content(view->graphs.items[graph].whole));
    htp_wire_field field;
    while (htp_wire_next(&wire, &field)) {
        htp_wire inner = htp_wire_begin(field.content);
        htp_span domain = {NULL, 0};
        int64_t version = 0;
        if (!htp_wire_is_bytes(&field, FUNCTION_IMPORT)) {
            continue;
        }
        while (htp_wire_next(&inner, &field)) {
            domain = htp_wire_is_bytes(&field, IMPORT_DOMAIN) ? field.content : domain;
            version = htp_wire_is_varint(&field, IMPORT_VERSION) ? (int64_t)field.value : version;
        }
        bool is_onnx = domain.bytes == 0 ||
                       (domain.bytes == 7 && memcmp(domain.at, "ai.onnx", domain.bytes) == 0);
        opset = is_onnx ? version : opset;
    }
    return opset;
}

/* By graph; 0: no schemas for this opset. */
static const int64_t *find_opsets(const htp_validator *v)
{
    const htp_view *view = v->view;
    int64_t *opsets = HTP_NEW_ARRAY(v->arena, int64_t, view->graphs.count);
    for (uint32_t g = 0; g < view->graphs.count; g++) { /* a body follows the graph around it */
        uint32_t root = v->roots[g];
        int64_t opset = root != g                                    ? opsets[root]
                        : view->graphs.items[g].function != HTP_NONE ? opset_of_function(view, g)
                                                                     : opset_of_model(view);
        bool is_known = opset >= HTP_SCHEMA_FIRST_OPSET && opset <= HTP_SCHEMA_LAST_OPSET;
        opsets[g] = is_known ? opset : 0;
    }
    return opsets;
}

/* By name: whether a function of the model replaces the operator. */
static const bool *find_redefined(const htp_validator *v)
{
    const htp_view *view = v->view;
    bool *is_redefined = HTP_NEW_ARRAY(v->arena, bool, view->names.count);
    for (size_t i = 0; i < view->functions.count; i++) {
        const htp_view_function *function = &view->functions.items[i];
        is_redefined[function->name] |= htp_view_is_own_domain(view, function->domain);
    }
    return is_redefined;
}

static void check_operator(htp_validator *v, uint32_t node, int64_t opset)
{
    const char *op_type = htp_view_text(v->view, v->view->nodes.items[node].op_type);
    const htp_schema *schema = htp_schemas_find(v->schemas, op_type, opset);
    int64_t first = htp_schemas_first_opset(v->schemas, op_type);
    if (!schema && first == 0) {
        htp_validate_node(v, node, "there is no such operator in ONNX");
    } else if (!schema) {
        htp_validate_node(v, node, "the operator came with opset %" PRId64 ", and this is %" PRId64,
                          first, opset);
    } else if (schema->is_deprecated) {
        htp_validate_node(v, node, "the operator is gone since opset %" PRId64, schema->since);
    } else {
        v->schema[node] = schema;
    }
}

/* ---- operands ---- */

static bool is_missing(const htp_validator *v, htp_view_range operands, uint32_t index)
{
    return index >= operands.count || v->view->operands.items[operands.first + index] == HTP_NONE;
}

/* @param what  "input" or "output" */
static void check_operands(htp_validator *v, uint32_t node, htp_view_range operands,
                           const htp_schema_parameter *parameters, size_t count, const char *what)
{
    bool goes_on = count > 0 && parameters[count - 1].option == HTP_SCHEMA_VARIADIC;
    if (operands.count > count && !goes_on) {
        htp_validate_node(v, node, "it has %" PRIu32 " %ss, and the operator %zu at most",
                          operands.count, what, count);
    }
    for (uint32_t i = 0; i < count; i++) {
        const htp_schema_parameter *parameter = &parameters[i];
        bool is_list = parameter->option == HTP_SCHEMA_VARIADIC;
        bool is_short = is_list && operands.count < i + (uint64_t)parameter->least;
        bool is_needed = parameter->option == HTP_SCHEMA_SINGLE ||
                         (is_list && !parameter->may_differ && i < operands.count);
        if (is_short || (is_needed && is_missing(v, operands, i))) {
            htp_validate_node(v, node, "%s %" PRIu32 " is missing", what, i);
        }
    }
}

/* ---- attributes ---- */

static const char *kind_name(uint32_t kind)
{
    static const char *const names[] = {
        "nothing", "a float",         "an int",         "a string", "a tensor",
        "a graph", "floats",          "ints",           "strings",  "tensors",
        "graphs",  "a sparse tensor", "sparse tensors", "a type",   "types",
    };
    return kind < sizeof(names) / sizeof(names[0]) ? names[kind] : "something else";
}

static void check_attribute(htp_validator *v, uint32_t node, const htp_view_attribute *attribute)
{
    const htp_schema *schema = v->schema[node];
    const char *name = htp_view_text(v->view, attribute->name);
    const htp_schema_attribute *known = htp_schema_find_attribute(schema, name);
    bool is_internal = strncmp(name, "__", 2) == 0; /* ONNX leaves such attributes to tools */
    if (!known && !is_internal && !schema->takes_any_attribute) {
        htp_validate_node(v, node,
                          "the operator, as it is since opset %" PRId64 ", has no attribute '%s'",
                          schema->since, name);
    } else if (known && attribute->kind != known->kind) {
        htp_validate_node(v, node, "the attribute '%s' is %s, and must be %s", name,
                          kind_name(attribute->kind), kind_name(known->kind));
    }
}

static bool has_attribute(const htp_validator *v, htp_view_range range, const char *name)
{
    const htp_view_attribute *attributes = HTP_FROM(&v->view->attributes, range.first);
    for (uint32_t i = 0; i < range.count; i++) {
        if (strcmp(htp_view_text(v->view, attributes[i].name), name) == 0) {
            return true;
        }
    }
    return false;
}

/* @param last  by name: one more than the last node with an attribute of that name */
static void check_attributes(htp_validator *v, uint32_t node, uint32_t *last)
{
    const htp_view *view = v->view;
    const htp_schema *schema = v->schema[node];
    htp_view_range range = view->nodes.items[node].attributes;
    for (uint32_t i = 0; i < range.count; i++) {
        const htp_view_attribute *attribute = &view->attributes.items[range.first + i];
        if (last[attribute->name] == node + 1) {
            htp_validate_node(v, node, "it has the attribute '%s' twice",
                              htp_view_text(view, attribute->name));
        }
        last[attribute->name] = node + 1;
        if (schema) {
            check_attribute(v, node, attribute);
        }
    }
    for (size_t i = 0; schema && i < schema->attributes.count; i++) {
        const htp_schema_attribute *wanted = &schema->attributes.items[i];
        if (wanted->is_required && !has_attribute(v, range, wanted->name)) {
            htp_validate_node(v, node, "the attribute '%s' is missing", wanted->name);
        }
    }
}

void htp_validate_operators(htp_validator *v)
{
    const htp_view *view = v->view;
    const int64_t *opsets = find_opsets(v);
    const bool *is_redefined = find_redefined(v);
    uint32_t *last = HTP_NEW_ARRAY(v->arena, uint32_t, view->names.count);
    for (uint32_t n = 0; n < view->nodes.count; n++) {
        const htp_view_node *node = &view->nodes.items[n];
        int64_t opset = opsets[node->graph];
        if (opset != 0 && htp_view_is_own_domain(view, node->domain) &&
            !is_redefined[node->op_type]) {
            check_operator(v, n, opset);
        }
        const htp_schema *schema = v->schema[n];
        if (schema) {
            check_operands(v, n, node->inputs, schema->inputs.items, schema->inputs.count, "input");
            check_operands(v, n, node->outputs, schema->outputs.items, schema->outputs.count,
                           "output");
        }
        check_attributes(v, n, last);
    }
}
