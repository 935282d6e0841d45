/*
 * Layers: modules of equal structure below one tagged module. With records of all modules,
 * structure means the classes of the whole subtree, including torch.nn's. Otherwise it means the
 * class of the module. Without classes, names that differ in their final number count as equal.
 */
#include "quality/parts.h"

#include <stdlib.h>
#include <string.h>

struct grouping {
    htp_measuring *m;
    uint64_t seed;
    htp_digest *structure; /* by module; all zeroes: not a layer */
    double *middle;        /* by module: the middle of its nodes in the file */
};

static htp_digest digest_of(const struct grouping *g, htp_slice text)
{
    return htp_digest_of(g->seed, text.at ? text.at : "", text.length);
}

/* The label of a module without its descendants. */
static htp_digest label_of(const struct grouping *g, const htp_tree_module *module)
{
    bool is_qualified = module->qualified_class.length > 0;
    return digest_of(g, is_qualified ? module->qualified_class : module->class_name);
}

/* Runs backwards: children follow parents, so all descendants of a module are complete. */
static void digest_records(struct grouping *g)
{
    const htp_tree *tree = g->m->subject->tree;
    htp_digest *below = HTP_NEW_ARRAY(g->m->arena, htp_digest, tree->module_count + 1U);
    for (uint32_t i = tree->module_count; i-- > 0;) {
        const htp_tree_module *module = &tree->modules[i];
        g->structure[i] = htp_digest_mix(g->seed, 1, label_of(g, module), below[i]);
        if (module->parent != HTP_NONE) { /* keeps the order of children */
            htp_digest *above = &below[module->parent];
            *above = htp_digest_mix(g->seed, 2, *above, g->structure[i]);
        }
    }
}

/* "layer." of "/encoder/layer.3"; empty without a number. */
static htp_slice name_without_number(const htp_tree_module *module)
{
    htp_slice segment = htp_tree_segment(module);
    size_t length = segment.length;
    while (length > 0 && segment.at[length - 1] >= '0' && segment.at[length - 1] <= '9') {
        length--;
    }
    return (htp_slice){segment.at, length < segment.length ? length : 0};
}

static void digest_names(struct grouping *g)
{
    const htp_tree *tree = g->m->subject->tree;
    for (uint32_t i = 0; i < tree->module_count; i++) {
        const htp_tree_module *module = &tree->modules[i];
        htp_slice name = module->class_name.length > 0 ? module->class_name
                         : tree->are_paths_in_tags     ? name_without_number(module)
                                                       : htp_slice_of("");
        if (name.length > 0) {
            g->structure[i] = digest_of(g, name);
        }
    }
}

/* ---- groups ---- */

static void find_middles(struct grouping *g)
{
    const htp_subject *s = g->m->subject;
    double *count = HTP_NEW_ARRAY(g->m->arena, double, s->module_count + 1U);
    for (uint32_t n = 0; n < s->node_count; n++) {
        if (s->module_of[n] != HTP_NONE) {
            g->middle[s->module_of[n]] += n;
            count[s->module_of[n]]++;
        }
    }
    for (uint32_t i = s->module_count; i-- > 0;) {
        uint32_t parent = s->tree->modules[i].parent;
        if (parent != HTP_NONE) {
            g->middle[parent] += g->middle[i];
            count[parent] += count[i];
        }
    }
    for (uint32_t i = 0; i < s->module_count; i++) { /* modules without nodes come last */
        g->middle[i] = count[i] > 0 ? g->middle[i] / count[i] : (double)s->node_count + i;
    }
}

struct member {
    double middle;
    uint32_t module;
};

static int compare_members(const void *a, const void *b)
{
    const struct member *first = a;
    const struct member *second = b;
    if (first->middle < second->middle || first->middle > second->middle) {
        return first->middle < second->middle ? -1 : 1;
    }
    return first->module < second->module ? -1 : first->module > second->module;
}

/* Sorts members in the order of the file. */
static void sort_members(struct grouping *g, htp_quality_layer *layer)
{
    struct member *list = HTP_NEW_ARRAY(g->m->arena, struct member, layer->count + 1U);
    for (uint32_t i = 0; i < layer->count; i++) {
        list[i] = (struct member){g->middle[layer->members[i]], layer->members[i]};
    }
    qsort(list, layer->count, sizeof(*list), compare_members);
    for (uint32_t i = 0; i < layer->count; i++) {
        layer->members[i] = list[i].module;
    }
}

/* The nearest tagged ancestor, or HTP_NONE. */
static uint32_t tagged_parent(const htp_subject *s, uint32_t module)
{
    uint32_t parent = s->tree->modules[module].parent;
    return parent == HTP_NONE ? HTP_NONE : s->eligible[parent];
}

/* The key of a group; hashed as bytes, so padding is zero. */
struct key {
    htp_digest structure;
    uint64_t parent;
};

static bool make_key(const struct grouping *g, uint32_t module, struct key *key)
{
    const htp_subject *s = g->m->subject;
    uint32_t parent = tagged_parent(s, module);
    *key = (struct key){g->structure[module], parent};
    return s->tree->modules[module].has_tag && parent != HTP_NONE &&
           (key->structure.low | key->structure.high) != 0;
}

static void group(struct grouping *g)
{
    const htp_subject *s = g->m->subject;
    htp_arena *arena = g->m->arena;
    struct key *keys = HTP_NEW_ARRAY(arena, struct key, s->module_count + 1U);
    htp_quality_layer *groups = HTP_NEW_ARRAY(arena, htp_quality_layer, s->module_count + 1U);
    uint32_t count = 0;
    htp_map known = {0};
    uint32_t *group_of = HTP_NEW_ARRAY(arena, uint32_t, s->module_count + 1U);
    for (uint32_t i = 0; i < s->module_count; i++) {
        uint32_t index = count;
        group_of[i] = HTP_NONE;
        if (!make_key(g, i, &keys[i])) {
            continue;
        }
        if (!htp_map_get_bytes(&known, &keys[i], sizeof(keys[i]), &index)) {
            htp_map_set_bytes(arena, &known, &keys[i], sizeof(keys[i]), index);
            groups[count++].parent = (uint32_t)keys[i].parent;
        }
        groups[index].count++;
        group_of[i] = index;
    }
    for (uint32_t k = 0; k < count; k++) {
        groups[k].members = HTP_NEW_ARRAY(arena, uint32_t, groups[k].count + 1U);
        groups[k].count = 0;
    }
    for (uint32_t i = 0; i < s->module_count; i++) {
        if (group_of[i] != HTP_NONE) {
            htp_quality_layer *layer = &groups[group_of[i]];
            layer->members[layer->count++] = i;
        }
    }
    for (uint32_t k = 0; k < count; k++) {
        htp_quality_layer *layer = &groups[k];
        if (layer->count > 1) {
            sort_members(g, layer);
            layer->is_judged = HTP_NEW_ARRAY(arena, bool, layer->count);
            layer->is_separate = HTP_NEW_ARRAY(arena, bool, layer->count);
            HTP_PUSH(arena, &g->m->quality->layers, *layer);
        }
    }
}

void htp_find_layers(htp_measuring *m)
{
    const htp_tree *tree = m->subject->tree;
    struct grouping g = {
        .m = m,
        .seed = htp_digest_seed(),
        .structure = HTP_NEW_ARRAY(m->arena, htp_digest, tree->module_count + 1U),
        .middle = HTP_NEW_ARRAY(m->arena, double, tree->module_count + 1U),
    };
    if (tree->has_records) {
        digest_records(&g);
    } else {
        digest_names(&g);
    }
    find_middles(&g);
    group(&g);
}
