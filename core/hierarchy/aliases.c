#include "hierarchy/aliases.h"

#include "base/map.h"
#include "base/vector.h"

#include <stdlib.h>
#include <string.h>

/* An edge of the attribute tree. */
typedef struct edge {
    uint32_t parent;
    uint32_t name; /* number of the attribute's name */
    uint32_t child;
} edge;

/* How the program uses a module. */
typedef enum use {
    USE_NONE,
    USE_BELOW, /* it calls modules below */
    USE_CALLED,
} use;

typedef struct finder {
    htp_arena *arena;
    const htp_instance *modules;
    uint32_t module_count;
    const uint32_t *calls; /* by module; NULL */
    const htp_weight *weights;
    const htp_parameters *parameters;
    htp_map names;    /* to numbers */
    htp_map contents; /* from class and contents of a module, to their number */
    HTP_VECTOR(edge) edges;
    bool *has_tensors;       /* by module: whether it or a module below has tensors */
    uint32_t *first_edges;   /* by module, and one more */
    uint32_t *content;       /* by module: equal numbers for twins */
    uint32_t *first_of_twin; /* by content: its first module; HTP_NONE: none */
    uint32_t *next_twin;     /* by module */
    use *uses;
    HTP_VECTOR(uint32_t) key;
} finder;

static uint32_t number_of(finder *f, const char *name, size_t length)
{
    uint32_t number = (uint32_t)f->names.count;
    if (!htp_map_get_bytes(&f->names, name, length, &number)) {
        htp_map_set_bytes(f->arena, &f->names, name, length, number);
    }
    return number;
}

static int compare_edges(const void *first, const void *second)
{
    const edge *a = first;
    const edge *b = second;
    if (a->parent != b->parent) {
        return a->parent < b->parent ? -1 : 1;
    }
    return (a->name > b->name) - (a->name < b->name);
}

/* Adds the further attributes of objects with several names. */
static void add_further_edges(finder *f)
{
    htp_map paths = {0};
    htp_map_reserve(f->arena, &paths, f->module_count);
    for (uint32_t i = 0; i < f->module_count; i++) {
        htp_map_set(f->arena, &paths, f->modules[i].path, i);
    }
    for (uint32_t i = 0; i < f->module_count; i++) {
        for (size_t k = 0; k < f->modules[i].alias_count; k++) {
            const char *path = f->modules[i].aliases[k];
            const char *dot = strrchr(path, '.');
            const char *name = dot ? dot + 1 : path;
            uint32_t parent;
            if (htp_map_get_bytes(&paths, path, dot ? (size_t)(dot - path) : 0, &parent)) {
                HTP_PUSH(f->arena, &f->edges, (edge){parent, number_of(f, name, strlen(name)), i});
            }
        }
    }
    htp_map_release(f->arena, &paths);
}

static void list_edges(finder *f)
{
    for (uint32_t i = 1; i < f->module_count; i++) {
        const char *name = f->modules[i].name;
        HTP_PUSH_FREEING(f->arena, &f->edges,
                         (edge){f->modules[i].parent, number_of(f, name, strlen(name)), i});
    }
    add_further_edges(f);
    HTP_PUSH(f->arena, &f->edges, (edge){.parent = f->module_count}); /* an id after all modules */
    qsort(f->edges.items, f->edges.count, sizeof(edge), compare_edges);
    f->first_edges = HTP_NEW_ARRAY(f->arena, uint32_t, (size_t)f->module_count + 1);
    uint32_t at = 0;
    for (uint32_t i = 0; i < f->module_count; i++) {
        f->first_edges[i] = at;
        while (f->edges.items[at].parent == i) {
            at++;
        }
    }
    f->first_edges[f->module_count] = at;
}

static void look_below(finder *f)
{
    for (uint32_t i = f->module_count; i-- > 0;) {
        f->has_tensors[i] |= f->parameters->first_weight[i] != HTP_NONE;
        f->uses[i] = f->calls && f->calls[i] > 0 ? USE_CALLED : f->uses[i];
        if (i > 0) {
            uint32_t parent = f->modules[i].parent;
            f->has_tensors[parent] |= f->has_tensors[i];
            f->uses[parent] = f->uses[i] != USE_NONE ? USE_BELOW : f->uses[parent];
        }
    }
}

static void add_to_key(finder *f, uint32_t a, uint32_t b, uint32_t c)
{
    HTP_PUSH(f->arena, &f->key, a);
    HTP_PUSH(f->arena, &f->key, b);
    HTP_PUSH(f->arena, &f->key, c);
}

enum { KEY_CLASS, KEY_TENSOR, KEY_MODULE, KEY_OBJECT };

/* A module's class and contents as numbers: the names and contents of its tensors and modules. An
 * object with several names in the file counts as itself. */
static void write_key(finder *f, uint32_t module)
{
    const htp_instance *instance = &f->modules[module];
    f->key.count = 0;
    add_to_key(f, KEY_CLASS,
               number_of(f, instance->qualified_class, strlen(instance->qualified_class)), 0);
    for (uint32_t w = f->parameters->first_weight[module]; w != HTP_NONE;
         w = f->parameters->next_weight[w]) {
        const char *name = htp_parameters_local_name(instance->path, &f->weights[w]);
        add_to_key(f, KEY_TENSOR, number_of(f, name, strlen(name)), f->parameters->same_as[w]);
    }
    for (uint32_t e = f->first_edges[module]; e < f->first_edges[module + 1]; e++) {
        const edge *held = &f->edges.items[e];
        bool is_object = f->modules[held->child].alias_count > 0;
        f->has_tensors[module] |= f->has_tensors[held->child];
        add_to_key(f, is_object ? KEY_OBJECT : KEY_MODULE, held->name,
                   is_object ? held->child : f->content[held->child]);
    }
}

/* Numbers the contents of modules bottom-up. */
static void number_contents(finder *f)
{
    for (uint32_t i = f->module_count; i-- > 0;) {
        write_key(f, i);
        size_t bytes = f->key.count * sizeof(*f->key.items);
        uint32_t number = i;
        if (!htp_map_get_bytes(&f->contents, f->key.items, bytes, &number)) {
            const char *key = htp_arena_copy(f->arena, (const char *)f->key.items, bytes);
            htp_map_set_bytes(f->arena, &f->contents, key, bytes, number);
        }
        f->content[i] = number;
    }
}

static void group_twins(finder *f)
{
    for (uint32_t i = 0; i < f->module_count; i++) {
        f->first_of_twin[i] = HTP_NONE;
    }
    for (uint32_t i = f->module_count; i-- > 0;) {
        f->next_twin[i] = f->first_of_twin[f->content[i]];
        f->first_of_twin[f->content[i]] = i;
    }
}

/* All names of the twins from @p first on, except the path of @p own. */
static htp_alias_list list_names(finder *f, uint32_t first, uint32_t own)
{
    HTP_VECTOR(const char *) paths = {0};
    for (uint32_t i = first; i != HTP_NONE; i = f->next_twin[i]) {
        if (i != own) {
            HTP_PUSH(f->arena, &paths, f->modules[i].path);
        }
        for (size_t k = 0; k < f->modules[i].alias_count; k++) {
            HTP_PUSH(f->arena, &paths, f->modules[i].aliases[k]);
        }
    }
    return (htp_alias_list){paths.items, paths.count};
}

/* Gives the used ones of a group of twins the names of the others. */
static void join_twins(finder *f, uint32_t first, htp_alias_list *lists)
{
    use most = USE_NONE;
    size_t count = 0;
    for (uint32_t i = first; i != HTP_NONE; i = f->next_twin[i], count++) {
        most = f->uses[i] > most ? f->uses[i] : most;
    }
    bool lists_once = most == USE_NONE || count > HTP_TWINS_LISTED;
    bool is_listed = false;
    for (uint32_t i = first; i != HTP_NONE && !(lists_once && is_listed); i = f->next_twin[i]) {
        if (f->uses[i] == most) {
            lists[i] = list_names(f, first, i);
            is_listed = true;
        }
    }
}

/* Frees what only serves to find names; each array that was large. */
static void end(const finder *f)
{
    const size_t count = f->module_count;
    htp_arena_release(f->arena, f->edges.items, f->edges.capacity * sizeof(*f->edges.items));
    htp_arena_release(f->arena, f->has_tensors, count * sizeof(*f->has_tensors));
    htp_arena_release(f->arena, f->first_edges, (count + 1) * sizeof(*f->first_edges));
    htp_arena_release(f->arena, f->content, count * sizeof(*f->content));
    htp_arena_release(f->arena, f->first_of_twin, count * sizeof(*f->first_of_twin));
    htp_arena_release(f->arena, f->next_twin, count * sizeof(*f->next_twin));
    htp_arena_release(f->arena, f->uses, count * sizeof(*f->uses));
}

const htp_alias_list *htp_aliases_find(htp_arena *arena, const htp_instance *modules,
                                       uint32_t module_count, const uint32_t *calls,
                                       const htp_weight *weights, const htp_parameters *parameters)
{
    finder f = {.arena = arena,
                .modules = modules,
                .module_count = module_count,
                .calls = calls,
                .weights = weights,
                .parameters = parameters,
                .has_tensors = HTP_NEW_ARRAY(arena, bool, module_count),
                .content = HTP_NEW_ARRAY(arena, uint32_t, module_count),
                .first_of_twin = HTP_NEW_ARRAY(arena, uint32_t, module_count),
                .next_twin = HTP_NEW_ARRAY(arena, uint32_t, module_count),
                .uses = HTP_NEW_ARRAY(arena, use, module_count)};
    htp_alias_list *lists = HTP_NEW_ARRAY(arena, htp_alias_list, module_count);
    list_edges(&f);
    look_below(&f);
    number_contents(&f);
    group_twins(&f);
    htp_map_release(arena, &f.names);
    htp_map_release(arena, &f.contents);
    for (uint32_t i = 0; i < module_count; i++) {
        lists[i] = (htp_alias_list){modules[i].aliases, modules[i].alias_count};
    }
    for (uint32_t i = 0; i < module_count; i++) {
        uint32_t first = f.first_of_twin[i];
        if (first != HTP_NONE && f.next_twin[first] != HTP_NONE && f.has_tensors[first]) {
            join_twins(&f, first, lists);
        }
    }
    end(&f);
    return lists;
}
