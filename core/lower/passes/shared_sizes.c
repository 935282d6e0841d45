#include "lower/passes/shared_sizes.h"

#include "base/dtype.h"
#include "base/numbers.h"
#include "onnx/builder/prune.h"
#include "onnx/reader/shared.h"

#include <string.h>

typedef struct sharer {
    htp_builder *model;
    htp_arena *arena;
    const uint32_t *groups; /* by scope; NULL: one group */
    uint32_t *around;       /* by graph: the graph that contains it; 0 for the main graph */
    bool *is_shareable;     /* by tensor */
    htp_tensor_id *instead; /* by tensor: an equal one to read instead, or HTP_NONE */
    htp_map keys;           /* key -> index in `first` */
    htp_numbers first;      /* nodes */
    htp_text key;           /* the current node's */
} sharer;

/* ---- what may be shared ---- */

static bool is_operand_shareable(const sharer *s, htp_tensor_id id)
{
    const htp_tensor *tensor = &s->model->tensors.items[id];
    switch (tensor->source) {
    case HTP_TENSOR_FROM_INITIALIZER:
        return htp_initializer_is_constant(&s->model->initializers.items[tensor->index]);
    case HTP_TENSOR_FROM_INPUT:
        return tensor->has_type && !tensor->is_sequence && !htp_dtype_is_float(tensor->dtype);
    case HTP_TENSOR_FROM_NODE:
        return s->is_shareable[id];
    case HTP_TENSOR_FROM_GRAPH:
        break;
    }
    return false;
}

static bool is_node_shareable(const sharer *s, const htp_onnx_node *node)
{
    htp_shareable rule = *node->domain ? HTP_SHAREABLE_NEVER : htp_shareable_rule(node->op_type);
    if (rule != HTP_SHAREABLE_WITH_OPERANDS || node->output_count != 1) {
        return rule == HTP_SHAREABLE_ALWAYS;
    }
    bool is_shareable = true;
    for (uint32_t i = 0; i < node->input_count && is_shareable; i++) {
        is_shareable = node->inputs[i] == HTP_NONE || is_operand_shareable(s, node->inputs[i]);
    }
    return is_shareable;
}

/* ---- which nodes are equal ---- */

static void add_bytes(sharer *s, const void *bytes, size_t count)
{
    htp_text_add_bytes(&s->key, (const char *)&count, sizeof(count));
    htp_text_add_bytes(&s->key, bytes, count);
}

static void add_text(sharer *s, const char *text)
{
    add_bytes(s, text, strlen(text));
}

/* Appends an attribute to the key. @return false if it cannot be a key */
static bool add_attribute(sharer *s, const htp_attribute *attribute)
{
    add_text(s, attribute->name);
    switch (attribute->kind) {
    case HTP_ATTRIBUTE_INT:
        add_bytes(s, &attribute->i, sizeof(attribute->i));
        return true;
    case HTP_ATTRIBUTE_FLOAT:
        add_bytes(s, &attribute->f, sizeof(attribute->f));
        return true;
    case HTP_ATTRIBUTE_STRING:
        add_text(s, attribute->s);
        return true;
    case HTP_ATTRIBUTE_INTS:
        add_bytes(s, attribute->ints, attribute->count * sizeof(*attribute->ints));
        return true;
    case HTP_ATTRIBUTE_FLOATS:
    case HTP_ATTRIBUTE_STRINGS:
    case HTP_ATTRIBUTE_GRAPH:
    case HTP_ATTRIBUTE_TENSOR:
        break;
    }
    return false;
}

/* Makes the key of a node. @return false if it has none */
static bool make_key(sharer *s, const htp_onnx_node *node)
{
    bool has_key = true;
    s->key.length = 0;
    if (s->groups) {
        add_bytes(s, &s->groups[node->origin.scope], sizeof(*s->groups));
    }
    add_text(s, node->op_type);
    for (uint32_t i = 0; i < node->attribute_count && has_key; i++) {
        has_key = add_attribute(s, &node->attributes[i]);
    }
    for (uint32_t i = 0; i < node->input_count; i++) {
        htp_tensor_id id = node->inputs[i];
        bool is_equal = id != HTP_NONE && s->instead[id] != HTP_NONE;
        htp_tensor_id read = is_equal ? s->instead[id] : id;
        htp_text_add_bytes(&s->key, (const char *)&read, sizeof(read));
    }
    return has_key;
}

/* Whether nodes of graph @p reader can read values of graph @p maker. */
static bool is_visible(const sharer *s, uint32_t maker, uint32_t reader)
{
    while (reader != maker && reader != 0) {
        reader = s->around[reader];
    }
    return reader == maker;
}

/* The first equal node that can be read instead, or the node itself. */
static uint32_t find_first(sharer *s, uint32_t n)
{
    const htp_onnx_node *nodes = s->model->nodes.items;
    uint32_t number = (uint32_t)s->first.count;
    const void **place =
        htp_map_add_bytes(s->arena, &s->keys, s->key.bytes, s->key.length, &number);
    if (place) {
        *place = htp_arena_copy(s->arena, s->key.bytes, s->key.length);
        HTP_PUSH(s->arena, &s->first, n);
    } else if (!is_visible(s, nodes[s->first.items[number]].graph, nodes[n].graph)) {
        s->first.items[number] = n;
    }
    return s->first.items[number];
}

/* ---- sharing ---- */

static void add_scope(sharer *s, htp_onnx_node *node, uint32_t scope)
{
    uint32_t last = node->more_scopes.count ? node->more_scopes.items[node->more_scopes.count - 1]
                                            : node->origin.scope;
    if (scope != last) {
        HTP_PUSH(s->arena, &node->more_scopes, scope);
    }
}

/* Makes a node serve the scopes of an equal one. */
static void share(sharer *s, htp_onnx_node *node, const htp_onnx_node *equal)
{
    htp_tensor *made = &s->model->tensors.items[node->outputs[0]];
    const htp_tensor *other = &s->model->tensors.items[equal->outputs[0]];
    if (!made->has_type && other->has_type) {
        htp_builder_set_type(s->model, node->outputs[0], other->dtype, other->rank, other->dims);
    }
    add_scope(s, node, equal->origin.scope);
    for (size_t i = 0; i < equal->more_scopes.count; i++) {
        add_scope(s, node, equal->more_scopes.items[i]);
    }
    s->instead[equal->outputs[0]] = node->outputs[0];
}

static void look_at_node(sharer *s, uint32_t n)
{
    htp_onnx_node *node = &s->model->nodes.items[n];
    if (!is_node_shareable(s, node)) {
        return;
    }
    s->is_shareable[node->outputs[0]] = true;
    bool is_kept = s->model->tensors.items[node->outputs[0]].is_output;
    if (!is_kept && make_key(s, node)) {
        uint32_t first = find_first(s, n);
        if (first != n) {
            share(s, &s->model->nodes.items[first], node);
        }
    }
}

static void find_graphs(sharer *s)
{
    const htp_builder *model = s->model;
    s->around = HTP_NEW_ARRAY(s->arena, uint32_t, model->graphs.count + 1);
    for (size_t n = 0; n < model->nodes.count; n++) {
        const htp_onnx_node *node = &model->nodes.items[n];
        for (uint32_t k = 0; k < node->attribute_count; k++) {
            if (node->attributes[k].kind == HTP_ATTRIBUTE_GRAPH) {
                s->around[node->attributes[k].i] = node->graph;
            }
        }
    }
}

void htp_lower_share_sizes(htp_builder *model, const uint32_t *groups)
{
    htp_arena *arena = model->arena;
    sharer s = {.model = model,
                .arena = arena,
                .groups = groups,
                .is_shareable = HTP_NEW_ARRAY(arena, bool, model->tensors.count + 1),
                .instead = HTP_NEW_ARRAY(arena, htp_tensor_id, model->tensors.count + 1),
                .key = {.arena = arena}};
    const bool *live = htp_builder_count_uses(model);
    for (size_t i = 0; i < model->tensors.count; i++) {
        s.instead[i] = HTP_NONE;
    }
    find_graphs(&s);
    for (uint32_t n = 0; n < model->nodes.count; n++) {
        if (live[n]) {
            look_at_node(&s, n);
        }
    }
    htp_builder_replace(model, s.instead);
    htp_builder_replace_passed(model, s.instead);
}
