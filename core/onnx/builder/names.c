#include "onnx/builder/names.h"

#include "hierarchy/hierarchy.h"

#include <stdbool.h>
#include <string.h>

const char *htp_name_numbered(htp_arena *arena, const char *base, const char *between,
                              uint32_t number)
{
    char digits[sizeof("4294967295")];
    char *at = digits + sizeof(digits) - 1;
    *at = '\0';
    do {
        *--at = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    return htp_arena_join(arena, base, between, at);
}

const char *htp_name_unique(htp_arena *arena, htp_map *taken, const char *base)
{
    uint32_t suffix = 1; /* by taken name: the first suffix that may still be free */
    const char *name = base;
    const void **key = htp_map_add_bytes(arena, taken, base, strlen(base), &suffix);
    bool is_free = key != NULL;
    while (!key) {
        uint32_t first = 1;
        name = htp_name_numbered(arena, base, "_", suffix++);
        key = htp_map_add_bytes(arena, taken, name, strlen(name), &first);
    }
    *key = name;
    if (!is_free) {
        htp_map_set(arena, taken, base, suffix);
    }
    return name;
}

/* @p path below @p above, or all of it: "layer.0" for "encoder.layer.0" below "encoder". */
static const char *relative_path(const char *path, const char *above)
{
    size_t length = strlen(above);
    if (length == 0 || strncmp(path, above, length) != 0) {
        return path;
    }
    return path[length] == '.' ? path + length + 1 : path[length] == '\0' ? "" : path;
}

/* The prefix of a scope's names. Dropped if it is longer than any real model's: a hostile chain of
 * calls would cost the square of its length. */
static const char *names_above(const char *names)
{
    enum { LONGEST = 4096 };
    return strlen(names) > LONGEST ? "" : names;
}

const char *const *htp_name_scopes(htp_arena *arena, const htp_graph *graph)
{
    uint32_t count = graph->trace->scope_count;
    const char **names = HTP_NEW_ARRAY(arena, const char *, count);
    for (uint32_t scope = 0; scope < count; scope++) {
        uint32_t parent = graph->trace->scopes[scope].parent;
        if (parent == HTP_NONE) {
            names[scope] = "";
            continue;
        }
        const char *relative =
            relative_path(htp_graph_scope_path(graph, scope), htp_graph_scope_path(graph, parent));
        htp_text name = {.arena = arena};
        htp_text_add(&name, names_above(names[parent]));
        htp_text_add(&name, *relative ? "/" : "");
        htp_hierarchy_add_encoded(&name, relative, true);
        names[scope] = *relative ? htp_text_string(&name) : names[parent];
    }
    return names;
}

/* ---- names of the whole model ---- */

typedef HTP_VECTOR(uint32_t) node_list;

typedef struct naming {
    htp_builder *model;
    htp_map nodes; /* names in use */
    htp_map tensors;
    node_list *graphs;            /* their nodes, in order; 0 is the model's own */
    HTP_VECTOR(uint32_t) pending; /* nodes to name, the next one last */
} naming;

/* Inputs, outputs and weights keep their names. */
static void keep_names(naming *n)
{
    htp_builder *model = n->model;
    htp_arena *arena = model->arena;
    bool *is_kept = HTP_NEW_ARRAY(arena, bool, model->tensors.count);
    for (size_t i = 0; i < model->outputs.count; i++) {
        is_kept[model->outputs.items[i]] = true;
    }
    for (size_t i = 0; i < model->tensors.count; i++) {
        htp_tensor *tensor = &model->tensors.items[i];
        bool is_constant = tensor->source == HTP_TENSOR_FROM_INITIALIZER &&
                           htp_initializer_is_constant(&model->initializers.items[tensor->index]);
        bool is_made =
            tensor->source == HTP_TENSOR_FROM_NODE || tensor->source == HTP_TENSOR_FROM_GRAPH;
        if (is_kept[i] || (!is_made && !is_constant)) {
            htp_map_set(arena, &n->tensors, tensor->name, 1);
        } else {
            tensor->name = NULL;
        }
    }
}

/* Schedules a node's body as the next graph. */
static void push_graph(naming *n, uint32_t graph)
{
    for (size_t i = n->graphs[graph].count; i-- > 0;) {
        HTP_PUSH(n->model->arena, &n->pending, n->graphs[graph].items[i]);
    }
}

void htp_name_body_inputs(htp_builder *model, const char *node, uint32_t graph, htp_map *taken)
{
    const htp_nested_graph *body = &model->graphs.items[graph - 1];
    for (size_t i = 0; i < body->inputs.count; i++) {
        const char *name = htp_arena_printf(model->arena, "%s_input_%zu", node, i);
        model->tensors.items[body->inputs.items[i]].name =
            htp_name_unique(model->arena, taken, name);
    }
}

static void name_node(naming *n, htp_onnx_node *node)
{
    htp_builder *model = n->model;
    htp_arena *arena = model->arena;
    node->name = htp_name_unique(
        arena, &n->nodes,
        htp_arena_join(arena, model->scope_names[node->origin.scope], "/", node->op_type));
    for (uint32_t i = 0; i < node->output_count; i++) {
        htp_tensor *tensor = &model->tensors.items[node->outputs[i]];
        if (!tensor->name) {
            const char *name = htp_name_numbered(arena, node->name, "_output_", i);
            tensor->name = htp_name_unique(arena, &n->tensors, name);
        }
    }
    for (uint32_t i = node->attribute_count; i-- > 0;) {
        if (node->attributes[i].kind == HTP_ATTRIBUTE_GRAPH) {
            uint32_t graph = (uint32_t)node->attributes[i].i;
            htp_name_body_inputs(model, node->name, graph, &n->tensors);
            push_graph(n, graph);
        }
    }
}

void htp_name_model(htp_builder *model)
{
    naming n = {.model = model,
                .graphs = HTP_NEW_ARRAY(model->arena, node_list, model->graphs.count + 1)};
    for (size_t i = 0; i < model->nodes.count; i++) {
        HTP_PUSH(model->arena, &n.graphs[model->nodes.items[i].graph], (uint32_t)i);
    }
    keep_names(&n);
    for (size_t i = 0; i < model->initializers.count; i++) {
        htp_tensor *tensor = &model->tensors.items[model->initializers.items[i].tensor];
        if (!tensor->name) {
            tensor->name = htp_name_unique(model->arena, &n.tensors, "/Constant");
        }
    }
    push_graph(&n, 0);
    while (n.pending.count > 0) {
        name_node(&n, &model->nodes.items[n.pending.items[--n.pending.count]]);
    }
}
