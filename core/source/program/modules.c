#include "source/program/modules.h"

#include "base/map.h"
#include "interpret/machine/instances.h"
#include "source/program/program.h"

#include <string.h>

/* The attribute that holds a module. */
typedef struct visit {
    uint32_t object;
    const char *name;
    const char *path;
    uint32_t parent; /* HTP_NONE for the root */
} visit;

typedef HTP_VECTOR(const char *) paths;

typedef struct walk {
    htp_arena *arena;
    const htp_program *program;
    htp_instances *instances;
    HTP_VECTOR(visit) pending; /* the next one last */
    HTP_VECTOR(paths) aliases; /* by module */
    htp_map class_numbers;     /* by name: of classes without a package */
    HTP_VECTOR(const char *) class_names;
} walk;

/* A class without a package belongs to the script that wrote the file. Its modules share the name.
 */
static const char *class_name(walk *w, const htp_program_class *of)
{
    if (!*of->name) {
        return "Module";
    }
    if (strchr(of->plain_name, '.')) {
        return of->plain_name;
    }
    uint32_t number = (uint32_t)w->class_names.count;
    const void **place = htp_map_add_bytes(w->arena, &w->class_numbers, of->plain_name,
                                           strlen(of->plain_name), &number);
    if (place) {
        *place = of->plain_name;
        HTP_PUSH(w->arena, &w->class_names,
                 htp_arena_join(w->arena, "__main__", ".", of->plain_name));
    }
    return w->class_names.items[number];
}

static const char *path_below(htp_arena *arena, const char *path, const char *name)
{
    return *path ? htp_arena_join(arena, path, ".", name) : name;
}

/* @param of  class of the visited object */
static uint32_t add_module(walk *w, const visit *at, const htp_program_class *of)
{
    const htp_instance module = {
        .name = at->name,
        .path = at->path,
        .qualified_class = class_name(w, of),
        .parent = at->parent,
        .is_frozen = of->attribute_count == 0,
    };
    HTP_PUSH_FREEING(w->arena, &w->aliases, (paths){0});
    return htp_instances_add_module(w->arena, w->instances, &module, at->object);
}

/* Adds an attribute's weight, or schedules its module. */
static htp_status read_attribute(walk *w, const visit *at, uint32_t module, uint32_t slot)
{
    const htp_program *program = w->program;
    const htp_program_class of = program->classes[program->objects[at->object].class_number];
    const char *name = of.attributes[slot];
    uint32_t number = HTP_NONE;
    HTP_TRY(htp_program_load_slot(program, at->object, slot, &number));
    const htp_program_data *data = &program->data[number];
    if (of.roles[slot] == HTP_SLOT_MODULE) {
        if (data->kind != HTP_DATA_OBJECT) {
            return htp_status_make(HTP_CODE_BAD_INPUT,
                                   "damaged archive: attribute \"%s\" holds no module", name);
        }
        const visit child = {data->object, name, path_below(w->arena, at->path, name), module};
        HTP_PUSH(w->arena, &w->pending, child);
    } else if (data->kind == HTP_DATA_TENSOR) {
        bool is_parameter = of.roles[slot] == HTP_SLOT_PARAMETER;
        const htp_weight named = {
            .name = path_below(w->arena, at->path, name),
            .module = module,
            .is_parameter = is_parameter,
            .is_buffer = !is_parameter,
        };
        htp_instances_add_weight(w->arena, w->instances, &named, number, data->tensor);
    }
    return HTP_OK;
}

/* Reads a module; its children are visited next, in order. */
static htp_status read_module(walk *w, const visit *at)
{
    const htp_program *program = w->program;
    const htp_program_class of = program->classes[program->objects[at->object].class_number];
    uint32_t module = add_module(w, at, &of);
    size_t first = w->pending.count;
    for (uint32_t slot = 0; slot < of.attribute_count; slot++) {
        if (of.roles[slot] != HTP_SLOT_OTHER) {
            HTP_TRY(read_attribute(w, at, module, slot));
        }
    }
    for (size_t last = w->pending.count; first + 1 < last; first++) {
        visit moved = w->pending.items[first];
        w->pending.items[first] = w->pending.items[--last];
        w->pending.items[last] = moved;
    }
    return HTP_OK;
}

static void set_aliases(const walk *w)
{
    for (size_t i = 0; i < w->aliases.count; i++) {
        htp_instance *module = &w->instances->modules.items[i];
        module->aliases = w->aliases.items[i].items;
        module->alias_count = (uint32_t)w->aliases.items[i].count;
    }
    htp_arena_release(w->arena, w->aliases.items, w->aliases.capacity * sizeof(paths));
}

htp_status htp_modules_find(htp_arena *arena, const htp_program *program, htp_instances *instances)
{
    walk w = {.arena = arena, .program = program, .instances = instances};
    HTP_PUSH(arena, &w.pending, (visit){0, "", "", HTP_NONE});
    while (w.pending.count > 0) {
        const visit next = w.pending.items[--w.pending.count];
        uint32_t known = htp_instances_module(instances, next.object);
        paths *further = w.aliases.items;
        if (further && known != HTP_NONE) {
            HTP_PUSH(arena, &further[known], next.path);
            continue;
        }
        HTP_TRY(read_module(&w, &next));
    }
    set_aliases(&w);
    return HTP_OK;
}
