#include "onnx/builder/names.h"
#include "onnx/reader/literals.h"
#include "query/replace/replace_parts.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Reference: onnx.proto. */
enum {
    GRAPH_NODE = 1,
    NODE_INPUT = 1,
    NODE_OUTPUT = 2,
    NODE_NAME = 3,
    NODE_OP_TYPE = 4,
    NODE_ATTRIBUTE = 5,
    NODE_DOMAIN = 7,
    ATTRIBUTE_NAME = 1,
    ATTRIBUTE_F = 2,
    ATTRIBUTE_I = 3,
    ATTRIBUTE_FLOATS = 7,
    ATTRIBUTE_INTS = 8,
    ATTRIBUTE_TYPE = 20,
    FLOAT32 = 1, /* TensorProto.DataType */
    INT64 = 7,
    BOOL = 9,
};

/* ---- the operator's name ---- */

/* Whether @p length bytes are a letter or _, and then letters, digits or _. */
static bool is_identifier(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        unsigned char byte = (unsigned char)text[i];
        if (byte >= 0x80 || !(byte == '_' || (i > 0 ? isalnum(byte) : isalpha(byte)))) {
            return false;
        }
    }
    return length > 0;
}

/* Identifiers with dots between them. */
static bool is_domain(const char *text)
{
    const char *at = text;
    for (const char *dot = strchr(at, '.'); dot; at = dot + 1, dot = strchr(at, '.')) {
        if (!is_identifier(at, (size_t)(dot - at))) {
            return false;
        }
    }
    return is_identifier(at, strlen(at));
}

htp_status htp_replace_read_operator(htp_arena *arena, const char *text, htp_replacing_operator *op)
{
    enum { LONGEST_VERSION = 9 };
    char *domain = htp_arena_strdup(arena, text);
    char *name = strchr(domain, ':');
    char *version = strchr(domain, '@');
    const char *digits = version ? version + 1 : "1";
    if (name) {
        *name++ = '\0';
    }
    if (version) {
        *version = '\0';
    }
    size_t count = strspn(digits, "0123456789");
    bool is_number = count > 0 && count <= LONGEST_VERSION && !digits[count];
    if (!name || !is_domain(domain) || !is_identifier(name, strlen(name)) || !is_number ||
        strtol(digits, NULL, 10) < 1) {
        return htp_status_make(HTP_CODE_USAGE,
                               "'%s' is no operator: pass DOMAIN:NAME or DOMAIN:NAME@VERSION, for "
                               "example my.domain:Layer@2; names consist of letters, digits and _",
                               text);
    }
    if (strncmp(domain, "ai.onnx", strlen("ai.onnx")) == 0) {
        return htp_status_make(HTP_CODE_USAGE,
                               "'%s' is in a domain of ONNX, which has no operators of others; "
                               "choose a domain of your own",
                               text);
    }
    *op = (htp_replacing_operator){domain, name, strtol(digits, NULL, 10)};
    return HTP_OK;
}

/* ---- constants ---- */

/* What is made of the reads of one module. */
struct reading {
    htp_arena *arena;
    htp_replacement *r;
    htp_replaced *replaced;
    uint32_t number;       /* of it */
    uint32_t *mark;        /* by value: number plus one: it is an input, or a constant */
    htp_map op_types;      /* of this module: how many nodes have one */
    const char *node_name; /* in names of attributes */
};

/* Whether a module owns an initializer: it is a parameter or a buffer, and no constant of the code.
 */
static bool is_owned(const struct reading *reading, uint32_t tensor)
{
    const htp_view *view = reading->r->view;
    const htp_view_tensor *weight = &view->tensors.items[tensor];
    const char *name = htp_view_text(view, weight->name);
    htp_slice path = reading->r->tree->modules[reading->replaced->module].path;
    bool is_below =
        path.length > 0 && strncmp(name, path.at, path.length) == 0 && name[path.length] == '.';
    return is_below || htp_tree_made_of(reading->r->tree, view, tensor).count > 0 ||
           htp_view_find_property(view, weight->properties,
                                  htp_view_find_name(view, "name_scopes"));
}

/* Adds a number of an attribute, as its field's type requires. */
static void add_number(htp_text *out, uint32_t number, int32_t data_type, const unsigned char *at)
{
    enum { FIXED = HTP_WIRE_FIXED32 };
    if (data_type == FLOAT32) {
        char field[1 + sizeof(float)] = {(char)(number << 3 | FIXED)};
        memcpy(field + 1, at, sizeof(float));
        htp_text_add_bytes(out, field, sizeof(field));
        return;
    }
    int64_t value = *at;
    if (data_type == INT64) {
        memcpy(&value, at, sizeof(value));
    }
    htp_wire_add_varint(out, number, (uint64_t)value);
}

/* A tensor as an attribute, without a field around it; false if it has to be an input. */
static bool make_constant(const struct reading *reading, uint32_t tensor, htp_text *out)
{
    static const size_t sizes[] = {
        [FLOAT32] = sizeof(float), [INT64] = sizeof(int64_t), [BOOL] = 1};
    const htp_view *view = reading->r->view;
    const htp_view_tensor *constant = &view->tensors.items[tensor];
    uint64_t count = htp_tree_elements(view, constant);
    const unsigned char *at = htp_view_literals(reading->arena, view, tensor);
    bool is_float = constant->data_type == FLOAT32;
    bool is_known = is_float || constant->data_type == INT64 || constant->data_type == BOOL;
    if (!at || !is_known || constant->sparse.at || (is_float && count != 1)) {
        return false;
    }
    bool is_list = constant->dims.count > 0;
    uint32_t field = is_float ? (is_list ? ATTRIBUTE_FLOATS : ATTRIBUTE_F)
                              : (is_list ? ATTRIBUTE_INTS : ATTRIBUTE_I);
    htp_view_kind kind = is_float ? (is_list ? HTP_VIEW_FLOATS : HTP_VIEW_FLOAT)
                                  : (is_list ? HTP_VIEW_INTS : HTP_VIEW_INT);
    for (uint64_t i = 0; i < count; i++) {
        add_number(out, field, constant->data_type, at + i * sizes[constant->data_type]);
    }
    htp_wire_add_varint(out, ATTRIBUTE_TYPE, kind);
    return true;
}

/* The contents of a Constant that are no tensor: its attribute without the name. */
static bool copy_constant(const htp_view_attribute *attribute, htp_text *out)
{
    htp_wire wire = htp_wire_begin(htp_wire_content(attribute->whole));
    htp_wire_field field;
    bool is_number = attribute->kind == HTP_VIEW_INT || attribute->kind == HTP_VIEW_INTS ||
                     attribute->kind == HTP_VIEW_FLOAT;
    while (is_number && htp_wire_next(&wire, &field)) {
        if (field.number != ATTRIBUTE_NAME) {
            htp_text_add_bytes(out, (const char *)field.whole.at, field.whole.bytes);
        }
    }
    return is_number;
}

static bool find_constant(const struct reading *reading, uint32_t value, htp_text *out)
{
    const htp_view *view = reading->r->view;
    const htp_view_value *read = &view->values.items[value];
    if (read->maker == HTP_VIEW_BY_INITIALIZER) {
        return !is_owned(reading, read->initializer) &&
               make_constant(reading, read->initializer, out);
    }
    if (read->maker != HTP_VIEW_BY_NODE) {
        return false;
    }
    htp_view_range attributes = view->nodes.items[read->node].attributes;
    for (uint32_t i = attributes.first; i < attributes.first + attributes.count; i++) {
        const htp_view_attribute *attribute = &view->attributes.items[i];
        if (attribute->kind == HTP_VIEW_TENSOR && attribute->tensors.count == 1) {
            return make_constant(reading, attribute->tensors.first, out);
        }
        if (copy_constant(attribute, out)) {
            return true;
        }
    }
    return false;
}

static void add_constant(struct reading *reading, const char *name, const htp_text *contents)
{
    htp_text attribute = {.arena = reading->arena};
    htp_text field = {.arena = reading->arena};
    htp_wire_add_text(&attribute, ATTRIBUTE_NAME, name);
    htp_text_add_bytes(&attribute, contents->bytes, contents->length);
    htp_wire_add_bytes(&field, NODE_ATTRIBUTE, attribute.bytes, attribute.length);
    const htp_replaced_constant made = {name, htp_wire_span(&field)};
    HTP_PUSH(reading->arena, &reading->replaced->constants, made);
}

/* ---- what a module reads ---- */

/* Whether a value is a weight or a Constant from outside of the module. */
static bool is_constant(const struct reading *reading, uint32_t value)
{
    const htp_view *view = reading->r->view;
    const htp_view_value *read = &view->values.items[value];
    bool is_made = read->maker == HTP_VIEW_BY_NODE;
    uint32_t maker = is_made ? read->node : view->graphs.items[read->graph].node;
    bool is_inside = maker != HTP_NONE && reading->r->replaced_by[maker] == reading->number;
    return !is_inside &&
           (is_made ? htp_flow_is_constant(view, read->node) : read->initializer != HTP_NONE);
}

static void take_read(struct reading *reading, uint32_t value, uint32_t input)
{
    htp_text contents = {.arena = reading->arena};
    if (value == HTP_NONE || reading->mark[value] == reading->number + 1 ||
        !is_constant(reading, value)) {
        return;
    }
    reading->mark[value] = reading->number + 1;
    if (find_constant(reading, value, &contents)) {
        add_constant(reading,
                     htp_arena_printf(reading->arena, "%s_input_%u", reading->node_name, input),
                     &contents);
    } else {
        HTP_PUSH(reading->arena, &reading->replaced->inputs, value);
    }
}

/* A body may return a weight as it is. */
static void take_returned(struct reading *reading, uint32_t graph)
{
    const htp_view *view = reading->r->view;
    htp_view_range returned = view->graphs.items[graph].outputs;
    for (uint32_t i = 0; i < returned.count; i++) {
        take_read(reading, view->operands.items[returned.first + i], i);
    }
}

static void take_node(struct reading *reading, uint32_t node)
{
    const htp_view *view = reading->r->view;
    const char *op_type = htp_view_text(view, view->nodes.items[node].op_type);
    htp_view_range inputs = view->nodes.items[node].inputs;
    uint32_t count = 0;
    (void)htp_map_get(&reading->op_types, op_type, &count);
    htp_map_set(reading->arena, &reading->op_types, op_type, count + 1);
    reading->node_name =
        count == 0 ? op_type : htp_name_numbered(reading->arena, op_type, "_", count);
    for (uint32_t i = 0; i < inputs.count; i++) {
        take_read(reading, view->operands.items[inputs.first + i], i);
    }
    htp_view_range attributes = view->nodes.items[node].attributes;
    for (uint32_t a = attributes.first; a < attributes.first + attributes.count; a++) {
        htp_view_range bodies = view->attributes.items[a].graphs;
        for (uint32_t g = bodies.first; g < bodies.first + bodies.count; g++) {
            take_returned(reading, g);
        }
    }
}

/* By module: its nodes, those of bodies included, in the order of the file, and then the shared
 * ones: these lie in one module of several that read them, and numbers should be the same in all.
 */
static htp_numbers *list_nodes(htp_arena *arena, const htp_replacement *r)
{
    htp_numbers *nodes = HTP_NEW_ARRAY(arena, htp_numbers, r->list.count + 1);
    for (uint32_t n = 0; n < r->view->nodes.count; n++) {
        if (r->replaced_by[n] != HTP_NONE) {
            HTP_PUSH(arena, &nodes[r->replaced_by[n]], n);
        }
    }
    for (size_t i = 0; i < r->list.count; i++) {
        const htp_numbers *constants = &r->list.items[i].part.constants;
        for (size_t k = 0; k < constants->count; k++) {
            if (r->tree->is_shared[constants->items[k]]) {
                HTP_PUSH(arena, &nodes[i], constants->items[k]);
            }
        }
    }
    return nodes;
}

static void find_inputs(struct reading *reading, const htp_numbers *nodes)
{
    htp_replaced *replaced = reading->replaced;
    for (size_t i = 0; i < replaced->part.inputs.count; i++) {
        HTP_PUSH(reading->arena, &replaced->inputs, replaced->part.inputs.items[i]);
    }
    replaced->border_count = replaced->inputs.count;
    for (size_t i = 0; i < nodes->count; i++) {
        take_node(reading, nodes->items[i]);
    }
}

/* ---- the node ---- */

static void add_values(const htp_view *view, htp_text *out, uint32_t number,
                       const htp_numbers *values)
{
    for (size_t i = 0; i < values->count; i++) {
        htp_wire_add_text(out, number,
                          htp_view_text(view, view->values.items[values->items[i]].name));
    }
}

static void make_node(htp_arena *arena, htp_replacement *r, htp_replaced *replaced,
                      const htp_replacing_operator *op, htp_map *names)
{
    htp_text node = {.arena = arena};
    htp_text field = {.arena = arena};
    const char *const what[] = {op->name, htp_arena_printf(arena, "%s.%s", op->domain, op->name)};
    const char *scope = htp_replace_find_scope(arena, r, replaced);
    const char *name = *scope ? htp_arena_printf(arena, "%s/%s", scope, op->name) : op->name;
    replaced->name = htp_name_unique(arena, names, name);
    add_values(r->view, &node, NODE_INPUT, &replaced->inputs);
    add_values(r->view, &node, NODE_OUTPUT, &replaced->part.outputs);
    htp_wire_add_text(&node, NODE_NAME, replaced->name);
    htp_wire_add_text(&node, NODE_OP_TYPE, op->name);
    for (size_t i = 0; i < replaced->constants.count; i++) {
        htp_span constant = replaced->constants.items[i].field;
        htp_text_add_bytes(&node, (const char *)constant.at, constant.bytes);
    }
    htp_wire_add_text(&node, NODE_DOMAIN, op->domain);
    htp_replace_add_tags(r, replaced->module, replaced->first, what, &node);
    htp_wire_add_bytes(&field, GRAPH_NODE, node.bytes, node.length);
    replaced->node_count = 1;
    HTP_PUSH(arena, &replaced->nodes, (htp_recipe_item){.bytes = htp_wire_span(&field)});
}

static void note_readers(htp_arena *arena, htp_replacement *r, const htp_replaced *replaced)
{
    for (size_t k = replaced->border_count; k < replaced->inputs.count; k++) {
        uint32_t tensor = r->view->values.items[replaced->inputs.items[k]].initializer;
        if (tensor != HTP_NONE) {
            const htp_replaced_reader reader = {tensor, r->tree->modules[replaced->module].tag};
            HTP_PUSH(arena, &r->readers, reader);
        }
    }
}

/* ---- the whole ---- */

static htp_status check_model(htp_arena *arena, const htp_replacement *r,
                              const htp_replacing_operator *op)
{
    const htp_view *file = r->file ? r->file : r->view;
    int64_t version = htp_replace_find_import(r, op->domain);
    const htp_map functions = htp_replace_name_functions(arena, file);
    const char *name = htp_arena_printf(arena, "%s::%s", op->domain, op->name);
    if (htp_map_get(&functions, name, NULL)) {
        return htp_status_make(HTP_CODE_USAGE,
                               "%s: %s:%s is a function of the model; choose another name",
                               file->path, op->domain, op->name);
    }
    if (version == 0 || version == op->version) {
        return HTP_OK;
    }
    return htp_status_make(HTP_CODE_USAGE,
                           "%s: the model imports version %lld of '%s', not %lld; pass --op "
                           "%s:%s@%lld",
                           file->path, (long long)version, op->domain, (long long)op->version,
                           op->domain, op->name, (long long)version);
}

htp_status htp_replace_by_operator(htp_arena *arena, htp_replacement *r,
                                   const htp_replacing_operator *op)
{
    const htp_view *view = r->view;
    const htp_numbers *nodes = list_nodes(arena, r);
    uint32_t *mark = HTP_NEW_ARRAY(arena, uint32_t, view->values.count + 1);
    htp_map names = {0};
    HTP_TRY(check_model(arena, r, op));
    for (size_t n = 0; n < view->nodes.count; n++) {
        htp_map_set(arena, &names, htp_view_text(view, view->nodes.items[n].name), 1);
    }
    htp_replace_take_call_names(arena, r, &names);
    for (size_t i = 0; i < r->list.count; i++) {
        struct reading reading = {.arena = arena,
                                  .r = r,
                                  .replaced = &r->list.items[i],
                                  .number = (uint32_t)i,
                                  .mark = mark};
        find_inputs(&reading, &nodes[i]);
        note_readers(arena, r, &r->list.items[i]);
        make_node(arena, r, &r->list.items[i], op, &names);
    }
    htp_replace_add_import(arena, r, op->domain, op->version);
    return HTP_OK;
}
