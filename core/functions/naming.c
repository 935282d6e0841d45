#include "functions/naming.h"

#include "hierarchy/relation.h"
#include "onnx/names.h"

#include <string.h>

/* Domains that runtimes fill themselves: no package's functions go there. */
static const char *const reserved_domains[] = {"ai.onnx", "com.microsoft"};

#define RESERVED_PREFIX "functions."

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
    const char *name = htp_name_escape(arena, qualified_class);
    const char *dot = strrchr(name, '.');
    const char *domain = dot ? htp_arena_copy(arena, name, (size_t)(dot - name)) : "";
    if (is_reserved(domain)) {
        domain = htp_arena_printf(arena, RESERVED_PREFIX "%s", domain);
    }
    return (htp_function_name){domain, dot ? dot + 1 : name};
}

/* One text for both names of an operator. */
static const char *join(htp_arena *arena, const char *domain, const char *name)
{
    return htp_arena_printf(arena, "%s\n%s", domain, name);
}

const htp_function_name *htp_naming_functions(htp_arena *arena, const htp_frames *frames,
                                              const htp_sharing *sharing)
{
    size_t count = sharing->functions.count;
    const htp_draft *model = frames->model;
    htp_function_name *names = HTP_NEW_ARRAY(arena, htp_function_name, count);
    htp_map taken = {0}; /* to the number of the last function of a class */
    for (size_t n = 0; n < model->nodes.count; n++) {
        const htp_onnx_node *node = &model->nodes.items[n];
        if (*node->domain) {
            htp_map_set(arena, &taken, join(arena, node->domain, node->op_type), 1);
        }
    }
    for (size_t i = 0; i < count; i++) {
        uint32_t module = frames->frames.items[sharing->functions.items[i].frames.items[0]].module;
        const htp_shim_module *callee = model->graph->modules[module].shim;
        names[i] = split_class(arena, callee->qualified_class);
        const char *class_name = join(arena, names[i].domain, names[i].name);
        const char *base = names[i].name;
        uint32_t number = 0;
        if (htp_map_get(&taken, class_name, &number)) {
            do {
                names[i].name = htp_arena_printf(arena, "%s_%u", base, (unsigned)++number);
            } while (htp_map_get(&taken, join(arena, names[i].domain, names[i].name), NULL));
            htp_map_set(arena, &taken, join(arena, names[i].domain, names[i].name), 1);
        }
        htp_map_set(arena, &taken, class_name, number ? number : 1);
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

const uint32_t *htp_naming_passed(htp_arena *arena, const htp_draft *model)
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

static const htp_shim_weight *weight_of(const htp_draft *model, htp_tensor_id id)
{
    const htp_tensor *tensor = &model->tensors.items[id];
    if (tensor->source != HTP_TENSOR_FROM_INITIALIZER) {
        return NULL;
    }
    uint32_t weight = model->initializers.items[tensor->index].weight;
    return weight == HTP_NONE ? NULL : &model->graph->trace->weights[weight];
}

/* What an input is called that forward() was not given. */
static const char *name_input(const htp_draft *model, const char *path, htp_tensor_id id)
{
    const htp_shim_weight *weight = weight_of(model, id);
    const char *name = model->tensors.items[id].name;
    if (weight) {
        const char *below = htp_relation_path(name, path);
        return below && *below ? below : name;
    }
    const char *slash = strrchr(name, '/');
    return slash ? slash + 1 : name;
}

/* The names that are under way. */
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
    const char *printable = *name ? htp_name_escape(list->arena, name) : "input";
    list->items[list->count++] =
        (htp_formal_input){htp_name_unique(list->arena, list->taken, printable), index};
}

const htp_formal_input *htp_naming_inputs(htp_arena *arena, const htp_frames *frames,
                                          const htp_sharing *sharing, uint32_t frame,
                                          const uint32_t *passed, htp_map *taken)
{
    const htp_draft *model = frames->model;
    const htp_body *body = &sharing->bodies[frame];
    const htp_frame *first = &frames->frames.items[frame];
    const char *path = model->graph->modules[first->module].shim->path;
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
            if (!list.is_named[i] && (weight_of(model, id) != NULL) == are_weights) {
                add_input(&list, i, name_input(model, path, id));
            }
        }
    }
    return list.items;
}
