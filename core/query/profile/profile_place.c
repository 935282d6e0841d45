/*
 * Places of kernels, by their names and by the optimised model of ONNX Runtime.
 */
#include "query/profile/profile.h"

#include "base/text.h"
#include "query/compare/name_parts.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Several nodes, or none that is certain. */
#define SEVERAL (HTP_NONE - 1)

/* The node and module of something. */
struct place {
    uint32_t node; /* of the model; HTP_NONE, or SEVERAL */
    uint32_t module, innermost;
    htp_kernel_evidence evidence;
};

static const struct place nowhere = {HTP_NONE, HTP_NONE, HTP_NONE, HTP_KERNEL_LOST};

/* Look-up state. */
struct finder {
    htp_arena *arena;
    const htp_profile_model *model;
    const htp_profile_model *optimized; /* NULL: none */
    htp_map nodes;                      /* from the model's names of nodes to places */
    htp_map makers;                     /* from the model's names of tensors to places */
    htp_map tags;                       /* from the model's tags to modules */
    HTP_VECTOR(struct place) places;
    struct place *optimized_places; /* by node of the optimised model */
    htp_map optimized_nodes;        /* from names, and from NAME, NUL, OPERATOR, to places */
};

/* ---- places of the model's nodes ---- */

static struct place place_of(const htp_profile_model *model, uint32_t node)
{
    const htp_tree_place *place = &model->tree->places[node];
    uint32_t module =
        place->tags.count > 0 ? model->tree->owners.items[place->tags.first] : HTP_NONE;
    return (struct place){node, module, place->innermost, HTP_KERNEL_BY_NAME};
}

/* The common part of two places: nothing if their modules differ. */
static struct place join(struct place a, struct place b)
{
    if (a.module != b.module) {
        return nowhere;
    }
    return (struct place){a.node == b.node ? a.node : SEVERAL, a.module,
                          a.innermost == b.innermost ? a.innermost : a.module,
                          a.evidence > b.evidence ? a.evidence : b.evidence};
}

/* Notes a place under a key, joined with the one that is there. */
static void note_place(struct finder *f, htp_map *map, const char *key, size_t length,
                       struct place place)
{
    uint32_t number;
    if (length == 0) {
        return;
    }
    if (f->places.count > 0 && htp_map_get_bytes(map, key, length, &number)) {
        f->places.items[number] = join(f->places.items[number], place);
        return;
    }
    htp_map_set_bytes(f->arena, map, key, length, (uint32_t)f->places.count);
    HTP_PUSH(f->arena, &f->places, place);
}

/* @return whether the key is known. Its place may be empty. */
static bool find_place(const struct finder *f, const htp_map *map, const char *key, size_t length,
                       struct place *place)
{
    uint32_t number;
    bool is_known =
        length > 0 && f->places.count > 0 && htp_map_get_bytes(map, key, length, &number);
    *place = is_known ? f->places.items[number] : nowhere;
    return is_known;
}

static void note_model(struct finder *f)
{
    const htp_view *view = f->model->view;
    const htp_tree *tree = f->model->tree;
    for (uint32_t n = 0; n < view->nodes.count; n++) {
        const htp_view_node *node = &view->nodes.items[n];
        struct place place = place_of(f->model, n);
        const char *name = htp_view_text(view, node->name);
        note_place(f, &f->nodes, name, strlen(name), place);
        for (uint32_t i = 0; i < node->outputs.count; i++) {
            uint32_t value = view->operands.items[node->outputs.first + i];
            if (value != HTP_NONE) {
                const char *made = htp_view_text(view, view->values.items[value].name);
                note_place(f, &f->makers, made, strlen(made), place);
            }
        }
    }
    for (uint32_t i = tree->module_count; i-- > 0;) {
        if (tree->modules[i].has_tag) {
            htp_slice tag = tree->modules[i].tag;
            htp_map_set_bytes(f->arena, &f->tags, tag.at, tag.length, i);
        }
    }
}

/* ---- places of the optimised model's nodes ---- */

/* The place of a node's outputs in the model, by name. */
static struct place find_made(const struct finder *f, const htp_view_node *node)
{
    const htp_view *view = f->optimized->view;
    for (uint32_t i = 0; i < node->outputs.count; i++) {
        uint32_t value = view->operands.items[node->outputs.first + i];
        struct place place;
        if (value != HTP_NONE) {
            const char *name = htp_view_text(view, view->values.items[value].name);
            if (find_place(f, &f->makers, name, strlen(name), &place) && place.module != HTP_NONE) {
                return place;
            }
        }
    }
    return nowhere;
}

/* The module of the model with the tag of an optimised node. */
static uint32_t find_tagged(const struct finder *f, uint32_t node)
{
    uint32_t module = HTP_NONE;
    const htp_tree *tree = f->optimized->tree;
    uint32_t tagged = place_of(f->optimized, node).module;
    if (tagged == HTP_NONE || tree->are_paths_in_tags) { /* names have been tried */
        return HTP_NONE;
    }
    htp_slice tag = tree->modules[tagged].tag;
    return htp_map_get_bytes(&f->tags, tag.at, tag.length, &module) ? module : HTP_NONE;
}

static void place_optimized(struct finder *f, uint32_t n)
{
    struct place made = find_made(f, &f->optimized->view->nodes.items[n]);
    uint32_t module = find_tagged(f, n);
    if (module != HTP_NONE && made.module != module) {
        made = (struct place){HTP_NONE, module, module, HTP_KERNEL_BY_TAG};
    } else if (made.module != HTP_NONE) {
        made.evidence = module == HTP_NONE ? HTP_KERNEL_BY_TENSOR : HTP_KERNEL_BY_TAG;
    }
    f->optimized_places[n] = made;
}

/* Nodes whose outputs the model does not have belong to their readers. In one graph readers follow
 * makers. */
static void place_by_readers(struct finder *f)
{
    const htp_view *view = f->optimized->view;
    struct place *readers = HTP_NEW_ARRAY(f->arena, struct place, view->nodes.count + 1);
    bool *is_read = HTP_NEW_ARRAY(f->arena, bool, view->nodes.count + 1);
    for (uint32_t n = (uint32_t)view->nodes.count; n-- > 0;) {
        const htp_view_node *node = &view->nodes.items[n];
        bool is_lost = f->optimized_places[n].module == HTP_NONE;
        if (is_lost && is_read[n] && readers[n].module != HTP_NONE) {
            f->optimized_places[n] = (struct place){HTP_NONE, readers[n].module,
                                                    readers[n].innermost, HTP_KERNEL_BY_READERS};
        }
        for (uint32_t i = 0; i < node->inputs.count; i++) {
            uint32_t value = view->operands.items[node->inputs.first + i];
            uint32_t maker = value == HTP_NONE ? HTP_NONE : view->values.items[value].node;
            if (maker != HTP_NONE) {
                struct place reader = f->optimized_places[n];
                readers[maker] = is_read[maker] ? join(readers[maker], reader) : reader;
                is_read[maker] = true;
            }
        }
    }
}

static void note_optimized(struct finder *f)
{
    const htp_view *view = f->optimized->view;
    f->optimized_places = HTP_NEW_ARRAY(f->arena, struct place, view->nodes.count + 1);
    for (uint32_t n = 0; n < view->nodes.count; n++) {
        place_optimized(f, n);
    }
    place_by_readers(f);
    for (uint32_t n = 0; n < view->nodes.count; n++) {
        const char *name = htp_view_text(view, view->nodes.items[n].name);
        const char *op_type = htp_view_text(view, view->nodes.items[n].op_type);
        htp_text key = {.arena = f->arena};
        htp_text_addf(&key, "%s%c%s", name, '\0', op_type);
        note_place(f, &f->optimized_nodes, name, strlen(name), f->optimized_places[n]);
        note_place(f, &f->optimized_nodes, key.bytes, key.length, f->optimized_places[n]);
    }
}

/* ---- kernels ---- */

/* Optimised nodes with the kernel's name, and its operator if that is known: the profile appends
 * the operator to the name. */
static bool find_in_optimized(const struct finder *f, const htp_kernel *kernel, struct place *place)
{
    size_t length = strlen(kernel->name);
    length += *kernel->op_type ? strlen(kernel->op_type) + 1 : 0;
    return f->optimized && find_place(f, &f->optimized_nodes, kernel->name, length, place);
}

static bool is_node_name(void *user, const char *name, size_t length)
{
    const struct finder *f = user;
    struct place place;
    return find_place(f, &f->nodes, name, length, &place);
}

/* The longest part of a kernel's name that is the name of a node. Names of several nodes do not
 * count. */
static struct place find_part(struct finder *f, const char *name)
{
    struct place place;
    htp_slice part = htp_name_longest_part(name, is_node_name, f);
    (void)find_place(f, &f->nodes, part.at, part.length, &place);
    place.evidence = HTP_KERNEL_BY_PART_NAME;
    return place;
}

/* ONNX Runtime calls a node without a name by its operator and number. */
static struct place find_by_number(const struct finder *f, const htp_kernel *kernel)
{
    const htp_view *view = f->model->view;
    size_t length = strlen(kernel->op_type);
    bool has_number = length > 0 && strncmp(kernel->name, kernel->op_type, length) == 0 &&
                      kernel->name[length] == '_' &&
                      isdigit((unsigned char)kernel->name[length + 1]);
    char *end = NULL;
    unsigned long number = has_number ? strtoul(kernel->name + length + 1, &end, 10) : 0;
    if (!has_number || *end || number >= view->graphs.items[0].nodes.count) {
        return nowhere;
    }
    const htp_view_node *node =
        &view->nodes.items[view->graphs.items[0].nodes.first + (uint32_t)number];
    bool is_meant = !node->name && strcmp(htp_view_text(view, node->op_type), kernel->op_type) == 0;
    return is_meant ? place_of(f->model, view->graphs.items[0].nodes.first + (uint32_t)number)
                    : nowhere;
}

static void place_kernel(struct finder *f, htp_kernel *kernel)
{
    struct place place;
    bool is_known = find_place(f, &f->nodes, kernel->name, strlen(kernel->name), &place);
    if (place.module == HTP_NONE) {
        is_known = find_in_optimized(f, kernel, &place) || is_known;
    }
    if (place.module == HTP_NONE && !is_known) {
        place = find_by_number(f, kernel);
    }
    if (place.module == HTP_NONE) {
        place = find_part(f, kernel->name);
    }
    kernel->evidence = place.module == HTP_NONE ? HTP_KERNEL_LOST : place.evidence;
    kernel->node = place.node == SEVERAL ? HTP_NONE : place.node;
    kernel->module = place.module;
    kernel->innermost = place.innermost;
}

void htp_profile_place(htp_profile *profile, const htp_profile_model *model,
                       const htp_profile_model *optimized)
{
    struct finder f = {.arena = profile->arena, .model = model, .optimized = optimized};
    note_model(&f);
    if (optimized) {
        note_optimized(&f);
    }
    for (size_t i = 0; i < profile->kernels.count; i++) {
        place_kernel(&f, &profile->kernels.items[i]);
    }
}
