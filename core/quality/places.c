#include "quality/places.h"

#include <string.h>

struct matching {
    htp_measuring *m;
    const htp_tree *tree; /* of the reference */
    htp_place *places;
    htp_map children; /* of the subject, by parent and segment */
};

static uint32_t tagged_parent(const htp_tree *tree, const uint32_t *eligible, uint32_t module)
{
    uint32_t parent = tree->modules[module].parent;
    return parent == HTP_VIEW_NONE ? HTP_VIEW_NONE : eligible[parent];
}

/* ---- by paths ---- */

static void match_paths(const struct matching *x)
{
    const htp_reference *reference = x->m->reference;
    for (uint32_t r = 0; r < x->tree->module_count; r++) {
        uint32_t parent = x->tree->modules[r].parent;
        uint32_t module;
        htp_place above =
            parent == HTP_VIEW_NONE ? (htp_place){HTP_VIEW_NONE, false} : x->places[parent];
        bool is_there = htp_subject_find_path(x->m->subject, reference->paths[r], &module);
        x->places[r] = is_there ? (htp_place){module, true} : (htp_place){above.module, false};
    }
}

/* ---- by tags ---- */

/* "NUMBER\nSegment" */
static htp_slice key_of(htp_arena *arena, uint32_t parent, htp_slice segment, const char *end,
                        htp_slice more)
{
    const char *key = htp_arena_printf(arena, "%u\n%.*s%s%.*s", parent, (int)segment.length,
                                       segment.at, end, (int)more.length, more.at);
    return htp_slice_of(key);
}

static void list_children(struct matching *x)
{
    const htp_subject *s = x->m->subject;
    const htp_slice nothing = {"", 0};
    for (uint32_t i = 0; i < s->module_count; i++) {
        if (s->tree->modules[i].has_tag) {
            uint32_t parent = tagged_parent(s->tree, s->eligible, i);
            htp_slice key =
                key_of(x->m->arena, parent, htp_tree_segment(&s->tree->modules[i]), "", nothing);
            if (!htp_map_get_bytes(&x->children, key.at, key.length, NULL)) {
                htp_map_set_bytes(x->m->arena, &x->children, key.at, key.length, i);
            }
        }
    }
}

static bool find_child(const struct matching *x, uint32_t parent, htp_slice segment,
                       const char *end, htp_slice more, uint32_t *module)
{
    htp_slice key = key_of(x->m->arena, parent, segment, end, more);
    return htp_map_get_bytes(&x->children, key.at, key.length, module);
}

/* The module that a segment names, or one that leaves out what tells it from others. */
static bool find_segment(const struct matching *x, uint32_t parent, htp_slice segment,
                         uint32_t *module)
{
    const htp_slice nothing = {"", 0};
    if (find_child(x, parent, segment, "", nothing, module)) {
        return true;
    }
    const char *dot = memchr(segment.at, '.', segment.length);
    const char *last = memrchr(segment.at, '.', segment.length);
    if (!dot) {
        return false;
    }
    const char *end = segment.at + segment.length;
    htp_slice name = {segment.at, (size_t)(dot - segment.at)};
    return find_child(x, parent, name, ".", (htp_slice){last + 1, (size_t)(end - last) - 1},
                      module) ||
           find_child(x, parent, name, "", nothing, module);
}

static void match_tags(struct matching *x, const uint32_t *eligible)
{
    list_children(x);
    for (uint32_t r = 0; r < x->tree->module_count; r++) {
        const htp_tree_module *module = &x->tree->modules[r];
        uint32_t parent = tagged_parent(x->tree, eligible, r);
        htp_place above =
            parent == HTP_VIEW_NONE ? (htp_place){HTP_VIEW_NONE, true} : x->places[parent];
        uint32_t found;
        if (!module->has_tag) { /* what has no tag is where the one above is */
            x->places[r] = above;
        } else if (above.is_exact &&
                   find_segment(x, above.module, htp_tree_segment(module), &found)) {
            x->places[r] = (htp_place){found, true};
        } else {
            x->places[r] = (htp_place){above.module, false};
        }
    }
}

/* ---- both ---- */

void htp_places_make(htp_measuring *m)
{
    const htp_tree *tree = m->reference->tree;
    htp_places *places = HTP_NEW(m->arena, htp_places);
    uint32_t *eligible = HTP_NEW_ARRAY(m->arena, uint32_t, tree->module_count + 1U);
    struct matching x = {
        .m = m,
        .tree = tree,
        .places = HTP_NEW_ARRAY(m->arena, htp_place, tree->module_count + 1U),
    };
    for (uint32_t r = 0; r < tree->module_count; r++) {
        uint32_t parent = tree->modules[r].parent;
        bool is_own = tree->modules[r].has_tag || parent == HTP_VIEW_NONE;
        eligible[r] = is_own ? r : eligible[parent];
        htp_slice path = m->reference->has_paths ? m->reference->paths[r] : htp_slice_of("");
        if (path.length > 0 || r == 0) {
            htp_map_set_bytes(m->arena, &places->by_path, path.at, path.length, r);
        }
    }
    if (m->subject->has_paths && m->reference->has_paths) {
        match_paths(&x);
    } else {
        match_tags(&x, eligible);
    }
    places->of = x.places;
    places->eligible = eligible;
    m->places = places;
}

bool htp_places_find(const htp_measuring *m, htp_slice path, uint32_t *module)
{
    uint32_t r;
    if (m->subject->has_paths || !m->places) {
        return htp_subject_find_path(m->subject, path, module);
    }
    if (!htp_map_get_bytes(&m->places->by_path, path.at, path.length, &r)) {
        return false;
    }
    *module = m->places->of[r].module;
    return *module != HTP_VIEW_NONE && m->places->of[r].is_exact;
}
