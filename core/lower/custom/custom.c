#include "lower/custom/custom.h"

#include "lower/emit/lowering.h"

#include <stdlib.h>
#include <string.h>

/* ---- what the caller says ---- */

static const char *const letters =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-";

static bool starts_with(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

static bool is_name(const char *text)
{
    return *text && strspn(text, letters) == strlen(text);
}

static bool is_kind(const char *text)
{
    const char *colons = strstr(text, "::");
    return colons && colons > text && strspn(text, letters) == (size_t)(colons - text) &&
           is_name(colons + 2);
}

/** Reads "DOMAIN" or "DOMAIN@VERSION". */
static bool read_domain(char *text, htp_domain *domain)
{
    char *at = strchr(text, '@');
    domain->version = 1;
    if (at) {
        char *end = NULL;
        *at = '\0';
        domain->version = strtol(at + 1, &end, 10);
        if (at[1] < '1' || at[1] > '9' || *end || domain->version > INT32_MAX) {
            return false;
        }
    }
    bool is_onnx = strcmp(text, "ai.onnx") == 0;
    domain->name = is_onnx ? "" : text;
    return is_name(text) && !(is_onnx && at);
}

static bool read_operator(htp_arena *arena, const char *text, htp_custom_operator *item)
{
    char *kind = htp_arena_strdup(arena, text);
    char *domain = strchr(kind, '=');
    char *op = domain ? strrchr(domain, ':') : NULL;
    if (!op) {
        return false;
    }
    *domain++ = '\0';
    *op++ = '\0';
    item->kind = kind;
    item->op = op;
    return is_kind(kind) && is_name(op) && read_domain(domain, &item->domain);
}

/** Whether two of the caller's operators contradict each other. */
static bool is_contradiction(const htp_custom_operator *a, const htp_custom_operator *b)
{
    bool is_same_domain = strcmp(a->domain.name, b->domain.name) == 0;
    return strcmp(a->kind, b->kind) == 0 ||
           (is_same_domain && a->domain.version != b->domain.version);
}

htp_status htp_custom_read(htp_arena *arena, const char *const *texts, size_t count,
                           htp_custom_operators *operators)
{
    *operators =
        (htp_custom_operators){HTP_NEW_ARRAY(arena, htp_custom_operator, count + 1), count};
    for (size_t i = 0; i < count; i++) {
        htp_custom_operator *item = &operators->items[i];
        if (!texts[i] || !read_operator(arena, texts[i], item)) {
            return htp_status_make(HTP_CODE_USAGE,
                                   "custom operator \"%s\": it is written NS::NAME=DOMAIN:OP or "
                                   "NS::NAME=DOMAIN@VERSION:OP",
                                   texts[i] ? texts[i] : "");
        }
        if (!htp_custom_is_foreign(item->kind)) {
            return htp_status_make(HTP_CODE_USAGE,
                                   "custom operator \"%s\": operators of libtorch itself cannot "
                                   "be replaced",
                                   texts[i]);
        }
        for (size_t k = 0; k < i; k++) {
            if (is_contradiction(item, &operators->items[k])) {
                return htp_status_make(HTP_CODE_USAGE,
                                       "custom operators \"%s\" and \"%s\" contradict each other",
                                       texts[k], texts[i]);
            }
        }
    }
    return HTP_OK;
}

const htp_custom_operator *htp_custom_find(const htp_custom_operators *operators, const char *kind)
{
    const htp_custom_operator *found = NULL;
    for (size_t i = 0; operators && i < operators->count; i++) {
        const htp_custom_operator *item = &operators->items[i];
        size_t length = strlen(item->kind);
        if (strcmp(item->kind, kind) == 0) {
            return item;
        }
        if (starts_with(kind, item->kind) && kind[length] == '.') {
            found = item;
        }
    }
    return found;
}

bool htp_custom_is_foreign(const char *kind)
{
    static const char *const own[] = {"aten::", "prim::", "prims::", "quantized::"};
    for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++) {
        if (starts_with(kind, own[i])) {
            return false;
        }
    }
    return true;
}

/* ---- the node ---- */

/** A node under construction. */
typedef struct custom_node {
    htp_lowering *l;
    HTP_VECTOR(htp_tensor_id) inputs;
    HTP_VECTOR(htp_attribute) attributes;
    bool has_list; /* a list of tensors was added: no tensor may follow */
} custom_node;

static void add_input(custom_node *node, htp_value_id id)
{
    bool is_none = htp_graph_value(node->l->graph, id)->kind == HTP_TRACE_NOTHING;
    htp_tensor_id tensor = is_none ? HTP_NONE : htp_value_tensor(node->l, id);
    HTP_PUSH(node->l->arena, &node->inputs, tensor);
}

static void add_inputs(custom_node *node, const char *name, htp_value_id id)
{
    const htp_trace_value *value = htp_graph_value(node->l->graph, id);
    if (node->has_list) {
        htp_lower_fail(node->l, "the tensor '%s' follows a list of tensors", name);
    }
    if (value->kind != HTP_TRACE_LIST) {
        add_input(node, id);
        return;
    }
    node->has_list = true;
    for (uint32_t i = 0; i < value->element_count; i++) {
        add_input(node, value->elements[i]);
    }
}

/** A constant list of numbers or strings, by its schema type. */
static htp_attribute list_attribute(htp_lowering *l, const char *name, const char *type,
                                    const htp_trace_value *list)
{
    size_t count = list->element_count;
    int64_t *ints = HTP_NEW_ARRAY(l->arena, int64_t, count + 1);
    float *floats = HTP_NEW_ARRAY(l->arena, float, count + 1);
    const char **strings = HTP_NEW_ARRAY(l->arena, const char *, count + 1);
    for (size_t i = 0; i < count; i++) {
        const htp_trace_value *item = htp_graph_value(l->graph, list->elements[i]);
        ints[i] = item->i[0];
        floats[i] = (float)item->f[0];
        strings[i] = item->s ? item->s : "";
    }
    if (starts_with(type, "float")) {
        return htp_attribute_floats(name, floats, count);
    }
    if (starts_with(type, "str")) {
        return htp_attribute_strings(name, strings, count);
    }
    if (!starts_with(type, "int") && !starts_with(type, "bool")) {
        htp_lower_fail(l, "argument '%s' of type %s can be no attribute", name, type);
    }
    return htp_attribute_ints(name, ints, count);
}

static bool is_constant(htp_lowering *l, const htp_trace_value *value, htp_value_id id)
{
    if (value->kind == HTP_TRACE_STRING) {
        return true;
    }
    for (uint32_t i = 0; value->kind == HTP_TRACE_LIST && i < value->element_count; i++) {
        const htp_trace_value *item = htp_graph_value(l->graph, value->elements[i]);
        if (!is_constant(l, item, value->elements[i])) {
            return false;
        }
    }
    return value->kind == HTP_TRACE_LIST || htp_value_is_constant(l, id);
}

/** Adds a constant argument as attribute. None and devices or the like are left out. */
static void add_attribute(custom_node *node, const char *name, const char *type, htp_value_id id)
{
    htp_lowering *l = node->l;
    const htp_trace_value *value = htp_graph_value(l->graph, id);
    if (value->kind == HTP_TRACE_NOTHING || value->kind == HTP_TRACE_OPAQUE) {
        return;
    }
    if (!is_constant(l, value, id)) {
        htp_lower_fail(l, "argument '%s' depends on the input, and attributes are constant", name);
        return;
    }
    htp_attribute attribute = htp_attribute_int(name, value->i[0]);
    if (value->kind == HTP_TRACE_FLOAT) {
        attribute = htp_attribute_float(name, value->f[0]);
    } else if (value->kind == HTP_TRACE_STRING) {
        attribute = htp_attribute_string(name, value->s);
    } else if (value->kind == HTP_TRACE_LIST) {
        attribute = list_attribute(l, name, type, value);
    }
    HTP_PUSH(l->arena, &node->attributes, attribute);
}

/** Binds the outputs; None has no tensor. */
static void bind_outputs(htp_lowering *l, const htp_tensor_id *outputs)
{
    for (uint32_t i = 0; i < l->node->output_count; i++) {
        htp_trace_kind kind = htp_graph_value(l->graph, l->node->outputs[i])->kind;
        if (kind == HTP_TRACE_TENSOR) {
            htp_bind(l, i, outputs[i]);
        } else if (kind != HTP_TRACE_NOTHING) {
            htp_lower_fail(l, "an output that is no tensor cannot be exported");
        }
    }
}

void htp_lower_custom(htp_lowering *l)
{
    custom_node node = {.l = l};
    const htp_trace_node *from = l->node;
    if (!from->input_types) {
        htp_lower_fail(l, "the library that registers it was not opened with --load-library");
        return;
    }
    for (uint32_t i = 0; i < from->input_count; i++) {
        if (starts_with(from->input_types[i], "Tensor")) {
            add_inputs(&node, from->input_names[i], from->inputs[i]);
        } else {
            add_attribute(&node, from->input_names[i], from->input_types[i], from->inputs[i]);
        }
    }
    while (node.inputs.count > 0 && node.inputs.items[node.inputs.count - 1] == HTP_NONE) {
        node.inputs.count--;
    }
    if (l->failure) {
        return;
    }
    htp_tensor_id *outputs = HTP_NEW_ARRAY(l->arena, htp_tensor_id, from->output_count + 1);
    htp_builder_add_foreign_node(l->model, l->custom->domain, l->custom->op, node.inputs.items,
                                 node.inputs.count, node.attributes.items, node.attributes.count,
                                 outputs, from->output_count);
    bind_outputs(l, outputs);
}
