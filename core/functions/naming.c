#include "functions/naming.h"

#include "base/text.h"
#include "hierarchy/relation.h"
#include "onnx/builder/names.h"

#include <stdlib.h>
#include <string.h>

/* Domains of runtimes, which functions must not be added to. */
static const char *const reserved_domains[] = {"ai.onnx", "com.microsoft"};

#define RESERVED_PREFIX "functions."

static const char *const onnx_operators[] = {
#define HTP_ONNX_OPERATOR(name) name,
#include "functions/operators.def"
#undef HTP_ONNX_OPERATOR
};

/* ---- functions ---- */

static bool is_reserved(const char *domain)
{
    for (size_t i = 0; i < sizeof(reserved_domains) / sizeof(*reserved_domains); i++) {
        size_t length = strlen(reserved_domains[i]);
        if (strncmp(domain, reserved_domains[i], length) == 0 &&
            (domain[length] == '\0' || domain[length] == '.')) {
            return true;
        }
    }
    return *domain == '\0';
}

static htp_function_name split_class(htp_arena *arena, const char *qualified_class)
{
    const char *name = htp_text_printable(arena, qualified_class);
    const char *dot = strrchr(name, '.');
    const char *domain = dot ? htp_arena_copy(arena, name, (size_t)(dot - name)) : "";
    if (is_reserved(domain)) {
        domain = htp_arena_printf(arena, RESERVED_PREFIX "%s", domain);
    }
    return (htp_function_name){domain, dot ? dot + 1 : name};
}

/* Domain and name of an operator as one text. */
static const char *join(htp_arena *arena, const char *domain, const char *name)
{
    return htp_arena_printf(arena, "%s\n%s", domain, name);
}

/* Reserves the names of the model's operators. */
static void take_operators(htp_arena *arena, const htp_builder *model, htp_map *taken)
{
    for (size_t n = 0; n < model->nodes.count; n++) {
        const htp_onnx_node *node = &model->nodes.items[n];
        if (*node->domain) {
            htp_map_set(arena, taken, join(arena, node->domain, node->op_type), 1);
        }
    }
}

static bool is_onnx_operator(const char *name)
{
    return bsearch(name, onnx_operators, sizeof(onnx_operators) / sizeof(*onnx_operators),
                   sizeof(*onnx_operators), htp_row_compare) != NULL;
}

/* class_2, class_3... @p last is the class's last number. */
static const char *name_further(htp_arena *arena, const htp_function_name *name, htp_map *taken,
                                uint32_t *last)
{
    const char *numbered;
    const char *key;
    do {
        numbered = htp_arena_printf(arena, "%s_%u", name->name, (unsigned)++*last);
        key = join(arena, name->domain, numbered);
    } while (htp_map_get(taken, key, NULL));
    htp_map_set(arena, taken, key, 1);
    return numbered;
}

/* The first function of a class takes the name of the class, unless an operator has it; further
 * ones are numbered. */
const htp_function_name *htp_naming_functions(htp_arena *arena, const htp_frames *frames,
                                              const htp_sharing *sharing)
{
    size_t count = sharing->functions.count;
    const htp_builder *model = frames->model;
    htp_function_name *names = HTP_NEW_ARRAY(arena, htp_function_name, count);
    bool *is_named = HTP_NEW_ARRAY(arena, bool, count);
    htp_map taken = {0};
    htp_map last = {0}; /* by class */
    take_operators(arena, model, &taken);
    for (size_t i = 0; i < count; i++) {
        uint32_t module = frames->frames.items[sharing->functions.items[i].frames.items[0]].module;
        names[i] = split_class(arena, model->graph->modules[module].instance->qualified_class);
        const char *key = join(arena, names[i].domain, names[i].name);
        is_named[i] = !htp_map_get(&taken, key, NULL) && !is_onnx_operator(names[i].name);
        htp_map_set(arena, &taken, key, 1);
    }
    for (size_t i = 0; i < count; i++) {
        const char *key = join(arena, names[i].domain, names[i].name);
        uint32_t number = is_onnx_operator(names[i].name) ? 0 : 1;
        (void)htp_map_get(&last, key, &number);
        if (!is_named[i]) {
            names[i].name = name_further(arena, &names[i], &taken, &number);
            htp_map_set(arena, &last, key, number);
        }
    }
    return names;
}

/* ---- within ---- */

const char *htp_naming_local(const htp_frames *frames, uint32_t frame, const char *name)
{
    if (frame == HTP_NONE) {
        return name;
    }
    const char *prefix = frames->model->scope_names[frames->frames.items[frame].scope];
    size_t length = strlen(prefix);
    bool is_within = strncmp(name, prefix, length) == 0 && name[length] == '/';
    return is_within ? name + length + 1 : name;
}

/* ---- nodes ---- */

typedef struct naming {
    htp_arena *arena;
    const htp_frames *frames;
    htp_builder *model;
    uint32_t frame;
    htp_map *values;     /* names in use */
    htp_map nodes;       /* the same */
    htp_numbers *graphs; /* by graph, from the function's first on: its nodes */
    uint32_t first_graph;
    htp_numbers pending; /* nodes to name, the next one last */
} naming;

static void push_graph(naming *n, uint32_t graph)
{
    const htp_numbers *nodes = &n->graphs[graph - n->first_graph];
    for (size_t i = nodes->count; i-- > 0;) {
        HTP_PUSH(n->arena, &n->pending, nodes->items[i]);
    }
}

/* Constants and outputs of the function keep their names; calls are named already. */
static void name_node(naming *n, htp_onnx_node *node, bool is_call)
{
    htp_builder *model = n->model;
    bool is_constant = node->origin.node == HTP_NONE && node->attribute_count == 1 &&
                       node->attributes->kind == HTP_ATTRIBUTE_TENSOR;
    if (!is_constant && !is_call) {
        const char *name = htp_arena_printf(n->arena, "%s/%s",
                                            model->scope_names[node->origin.scope], node->op_type);
        node->name =
            htp_name_unique(n->arena, &n->nodes, htp_naming_local(n->frames, n->frame, name));
    }
    for (uint32_t i = 0; !is_constant && i < node->output_count; i++) {
        htp_tensor *tensor =
            node->outputs[i] == HTP_NONE ? NULL : &model->tensors.items[node->outputs[i]];
        if (tensor && !tensor->name) {
            const char *name = htp_arena_printf(n->arena, "%s_output_%u", node->name, (unsigned)i);
            tensor->name = htp_name_unique(n->arena, n->values, name);
        }
    }
    for (uint32_t i = node->attribute_count; i-- > 0;) {
        if (node->attributes[i].kind == HTP_ATTRIBUTE_GRAPH) {
            uint32_t graph = (uint32_t)node->attributes[i].i;
            htp_name_body_inputs(model, node->name, graph, n->values);
            push_graph(n, graph);
        }
    }
}

void htp_naming_nodes(const htp_frames *frames, htp_builder *model, const uint32_t *called,
                      uint32_t frame, size_t first_node, uint32_t graph, htp_map *values)
{
    htp_arena *arena = model->arena;
    size_t graph_count = model->graphs.count - graph + 1;
    naming n = {.arena = arena,
                .frames = frames,
                .model = model,
                .frame = frame,
                .values = values,
                .graphs = HTP_NEW_ARRAY(arena, htp_numbers, graph_count),
                .first_graph = graph};
    for (size_t i = first_node; i < model->nodes.count; i++) {
        HTP_PUSH(arena, &n.graphs[model->nodes.items[i].graph - graph], (uint32_t)i);
    }
    push_graph(&n, graph);
    while (n.pending.count > 0) {
        uint32_t next = n.pending.items[--n.pending.count];
        name_node(&n, &model->nodes.items[next], called[next] != HTP_NONE);
    }
}

const uint32_t *htp_naming_passed(htp_arena *arena, const htp_builder *model)
{
    uint32_t count = model->graph->trace->scope_count;
    uint32_t *first = HTP_NEW_ARRAY(arena, uint32_t, (size_t)count + 1);
    uint32_t next = 0;
    for (uint32_t scope = 0; scope <= count; scope++) {
        while (next < model->passed.count && model->passed.items[next].scope < scope) {
            next++;
        }
        first[scope] = next;
    }
    return first;
}

/* ---- inputs ---- */

static bool is_weight(const htp_builder *model, htp_tensor_id id)
{
    const htp_tensor *tensor = &model->tensors.items[id];
    return tensor->source == HTP_TENSOR_FROM_INITIALIZER &&
           !htp_initializer_is_constant(&model->initializers.items[tensor->index]);
}

/* The name of an input that is not an argument of forward(). Values keep the end of their name,
 * after "input_": no node of the body begins so. A node whose name was taken would be numbered, and
 * differ from that of the flat file. */
static const char *name_input(const htp_builder *model, const char *module, htp_tensor_id id)
{
    const char *name = model->tensors.items[id].name;
    if (is_weight(model, id)) {
        const char *below = htp_relation_path(name, module);
        return below && *below ? below : name;
    }
    const char *slash = strrchr(name, '/');
    return slash ? htp_arena_join(model->arena, "input_", "", slash + 1) : name;
}

/* The names under construction. */
typedef struct inputs {
    htp_arena *arena;
    htp_map *taken;
    htp_formal_input *items;
    size_t count;
    bool *is_named; /* by input of the body */
} inputs;

static void add_input(inputs *list, uint32_t index, const char *name)
{
    list->is_named[index] = true;
    const char *printable = *name ? htp_text_printable(list->arena, name) : "input";
    list->items[list->count++] =
        (htp_formal_input){htp_name_unique(list->arena, list->taken, printable), index};
}

const htp_formal_input *htp_naming_inputs(htp_arena *arena, const htp_frames *frames,
                                          const htp_sharing *sharing, uint32_t frame,
                                          const uint32_t *passed, htp_map *taken)
{
    const htp_builder *model = frames->model;
    const htp_body *body = &sharing->bodies[frame];
    const htp_frame *first = &frames->frames.items[frame];
    const char *path = model->graph->modules[first->module].instance->path;
    size_t count = body->inputs.count;
    htp_map places = {0};
    inputs list = {.arena = arena,
                   .taken = taken,
                   .items = HTP_NEW_ARRAY(arena, htp_formal_input, count),
                   .is_named = HTP_NEW_ARRAY(arena, bool, count)};
    for (uint32_t i = 0; i < count; i++) {
        htp_map_set_bytes(arena, &places, &body->inputs.items[i], sizeof(htp_tensor_id), i);
    }
    for (uint32_t i = passed[first->scope]; i < passed[first->scope + 1]; i++) {
        const htp_passed_tensor *given = &model->passed.items[i];
        uint32_t index;
        if (htp_map_get_bytes(&places, &given->tensor, sizeof(given->tensor), &index) &&
            !list.is_named[index]) {
            add_input(&list, index, given->name);
        }
    }
    for (unsigned are_weights = 0; are_weights < 2; are_weights++) {
        for (uint32_t i = 0; i < count; i++) {
            htp_tensor_id id = body->inputs.items[i];
            if (!list.is_named[i] && is_weight(model, id) == are_weights) {
                add_input(&list, i, name_input(model, path, id));
            }
        }
    }
    return list.items;
}
