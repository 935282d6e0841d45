#include "exported/modules/modules.h"

#include "base/json/json_tree.h"
#include "base/text.h"

#include <string.h>

enum { MOST_PARENTS = 1000 }; /* of a module with unlisted ancestors */

#define UNKNOWN_CLASS "torch.nn.modules.module.Module"

typedef struct finding {
    htp_arena *arena;
    htp_exported_modules *modules;
    bool is_too_deep;
} finding;

static uint32_t add(finding *f, const char *path, size_t bytes, uint32_t parent)
{
    htp_exported_modules *modules = f->modules;
    const char *copy = htp_arena_copy(f->arena, path, bytes);
    const char *dot = strrchr(copy, '.');
    uint32_t number = (uint32_t)modules->all.count;
    HTP_PUSH(f->arena, &modules->all,
             (htp_instance){.name = dot ? dot + 1 : copy,
                            .path = copy,
                            .qualified_class = UNKNOWN_CLASS,
                            .parent = parent});
    htp_map_set_bytes(f->arena, &modules->by_path, copy, bytes, number);
    return number;
}

/* The length up to the last dot; 0 without a dot. */
static size_t parent_bytes(const char *path, size_t bytes)
{
    while (bytes > 0 && path[bytes - 1] != '.') {
        bytes--;
    }
    return bytes > 0 ? bytes - 1 : 0;
}

/* The module at a path, added with its ancestors if missing. */
static uint32_t module_at(finding *f, const char *path, size_t bytes)
{
    uint32_t parent = htp_exported_modules_at(f->modules, path, bytes);
    if (parent != HTP_NONE) {
        return parent;
    }
    size_t ends[MOST_PARENTS];
    size_t count = 0;
    for (size_t end = bytes; parent == HTP_NONE && count < MOST_PARENTS;
         end = parent_bytes(path, end)) {
        parent = htp_exported_modules_at(f->modules, path, end);
        if (parent == HTP_NONE) {
            ends[count++] = end;
        }
    }
    f->is_too_deep = f->is_too_deep || parent == HTP_NONE;
    while (count > 0 && parent != HTP_NONE) {
        parent = add(f, path, ends[--count], parent);
    }
    return parent;
}

/* Takes classes from the stacks of nodes. Equal texts share a pointer. */
static void read_stacks(finding *f, const htp_exported_program *program)
{
    const char *before = NULL;
    for (size_t g = 0; g < program->graphs.count; g++) {
        const htp_exported_graph *graph = &program->graphs.items[g];
        for (uint32_t i = 0; i < graph->node_count; i++) {
            const char *at = graph->nodes[i].stack;
            if (!at || at == before) {
                continue;
            }
            before = at;
            htp_stack_entry entry;
            while (htp_stack_next(&at, &entry)) {
                uint32_t module = module_at(f, entry.path, entry.path_bytes);
                htp_instance *all = f->modules->all.items;
                if (module != HTP_NONE && entry.class_bytes > 0 &&
                    strcmp(all[module].qualified_class, UNKNOWN_CLASS) == 0) {
                    all[module].qualified_class =
                        htp_arena_copy(f->arena, entry.class_name, entry.class_bytes);
                }
            }
        }
    }
}

/* Takes classes of known modules from the record. */
static htp_status read_classes(finding *f, const htp_exported_text *classes)
{
    htp_json_failure failure;
    const htp_json_node *root = htp_json_tree_read(f->arena, classes->at, classes->bytes, &failure);
    if (!root || root->kind != '{' || !htp_text_is_utf8(classes->at, classes->bytes)) {
        return htp_status_make(HTP_CODE_BAD_INPUT,
                               "damaged archive: %s is no JSON object; write it again",
                               classes->name);
    }
    const htp_json_node *end = htp_json_end_of(root);
    for (const htp_json_node *key = htp_json_first(root); key < end;
         key = htp_json_end_of(key + 1)) {
        size_t length;
        size_t class_length;
        const char *path = htp_json_node_text(f->arena, key, &length);
        if (key[1].kind != '"') {
            return htp_status_make(HTP_CODE_BAD_INPUT,
                                   "damaged archive: %s: the class of a module is no text; write "
                                   "it again",
                                   classes->name);
        }
        const char *class_name = htp_json_node_text(f->arena, key + 1, &class_length);
        uint32_t module = htp_exported_modules_at(f->modules, path, length);
        if (module != HTP_NONE && class_length > 0) {
            f->modules->all.items[module].qualified_class = class_name;
        }
    }
    return HTP_OK;
}

/* A class without a package belongs to the script that wrote the file. */
static void name_package(finding *f)
{
    for (size_t i = 0; i < f->modules->all.count; i++) {
        htp_instance *module = &f->modules->all.items[i];
        if (!strchr(module->qualified_class, '.')) {
            module->qualified_class =
                htp_arena_join(f->arena, "__main__", ".", module->qualified_class);
        }
    }
}

htp_status htp_exported_modules_find(htp_arena *arena, const htp_exported_program *program,
                                     const htp_exported_text *classes,
                                     htp_exported_modules *modules)
{
    finding f = {.arena = arena, .modules = modules};
    (void)add(&f, "", 0, HTP_NONE);
    for (uint32_t i = 0; i < program->module_count; i++) {
        (void)module_at(&f, program->modules[i], strlen(program->modules[i]));
    }
    read_stacks(&f, program);
    if (f.is_too_deep) {
        return htp_status_make(HTP_CODE_UNSUPPORTED,
                               "a module lies in more than %d others that the program does not "
                               "list",
                               MOST_PARENTS);
    }
    if (classes->at) {
        HTP_TRY(read_classes(&f, classes));
    }
    name_package(&f);
    return HTP_OK;
}

uint32_t htp_exported_modules_at(const htp_exported_modules *modules, const char *path,
                                 size_t bytes)
{
    uint32_t module;
    return htp_map_get_bytes(&modules->by_path, path, bytes, &module) ? module : HTP_NONE;
}

void htp_exported_modules_own(const htp_exported_modules *modules, htp_exported_weights *weights)
{
    for (size_t i = 0; i < weights->all.count; i++) {
        const char *path = weights->all.items[i].name;
        weights->all.items[i].module =
            htp_exported_modules_at(modules, path, parent_bytes(path, strlen(path)));
    }
}
