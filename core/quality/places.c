#include "quality/places.h"

#include <cjson/cJSON.h>
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
    return parent == HTP_NONE ? HTP_NONE : eligible[parent];
}

/* ---- by paths ---- */

static void match_paths(const struct matching *x)
{
    const htp_reference *reference = x->m->reference;
    for (uint32_t r = 0; r < x->tree->module_count; r++) {
        uint32_t parent = x->tree->modules[r].parent;
        uint32_t module;
        htp_place above = parent == HTP_NONE ? (htp_place){HTP_NONE, false} : x->places[parent];
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

/* The module of a segment, with or without its suffix. */
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
        htp_place above = parent == HTP_NONE ? (htp_place){HTP_NONE, true} : x->places[parent];
        uint32_t found;
        if (!module->has_tag) { /* a module without a tag counts as its parent */
            x->places[r] = above;
        } else if (above.is_exact &&
                   find_segment(x, above.module, htp_tree_segment(module), &found)) {
            x->places[r] = (htp_place){found, true};
        } else {
            x->places[r] = (htp_place){above.module, false};
        }
    }
}

/* ---- several places ---- */

static void add_place(htp_measuring *m, uint32_t named, htp_place place)
{
    htp_places *places = m->places;
    uint32_t *first = &places->first[places->instance[named]];
    if (places->names[places->instance[named]]++ >= HTP_QUALITY_MAX_NAMES) {
        return;
    }
    HTP_PUSH(m->arena, &places->more, (htp_more_place){place, named, *first});
    *first = (uint32_t)places->more.count - 1;
}

/* The representative of a module: its first name known so far. */
static uint32_t find_first(uint32_t *instance, uint32_t module)
{
    while (instance[module] != module) {
        instance[module] = instance[instance[module]];
        module = instance[module];
    }
    return module;
}

static void join(uint32_t *instance, uint32_t module, uint32_t other)
{
    uint32_t a = find_first(instance, module);
    uint32_t b = find_first(instance, other);
    instance[a < b ? b : a] = a < b ? a : b;
}

/* Joins modules of the reference that are aliases. Each may list all others. */
static void find_instances(htp_measuring *m)
{
    const htp_tree *tree = m->reference->tree;
    uint32_t *instance = m->places->instance;
    for (uint32_t r = 0; m->reference->has_paths && r < tree->module_count; r++) {
        const cJSON *record = htp_tree_hold_record(m->arena, tree, r);
        const cJSON *alias;
        cJSON_ArrayForEach(alias, cJSON_GetObjectItemCaseSensitive(record, "aliases"))
        {
            uint32_t other;
            if (cJSON_IsString(alias) &&
                htp_map_get(&m->places->by_path, alias->valuestring, &other)) {
                join(instance, r, other);
            }
        }
    }
    for (uint32_t r = 0; r < tree->module_count; r++) {
        instance[r] = find_first(instance, r);
    }
}

/* A path without the number that PyTorch's older exporter adds to repeated scopes,
 * "layer1.relu_1"; the path itself, if it has none. */
static htp_slice without_repeat(htp_slice path)
{
    size_t length = path.length;
    while (length > 0 && path.at[length - 1] >= '0' && path.at[length - 1] <= '9') {
        length--;
    }
    bool has_number = length > 1 && length < path.length && path.at[length - 1] == '_';
    return has_number ? (htp_slice){path.at, length - 1} : path;
}

/* Adds scopes of node names that belong to a module besides its path. */
static void add_scopes(htp_measuring *m)
{
    const htp_subject *s = m->subject;
    if (s->tree->source != HTP_TREE_NODE_NAMES || !m->reference->has_paths) {
        return;
    }
    for (uint32_t i = 1; i < s->module_count; i++) {
        uint32_t r;
        htp_slice path = s->paths[i];
        htp_slice once = without_repeat(path);
        if ((htp_map_get_bytes(&m->places->by_path, path.at, path.length, &r) ||
             htp_map_get_bytes(&m->places->by_path, once.at, once.length, &r)) &&
            m->places->of[r].module != i) {
            add_place(m, r, (htp_place){i, true});
        }
    }
}

static void list_places(htp_measuring *m)
{
    const htp_tree *tree = m->reference->tree;
    find_instances(m);
    add_scopes(m);
    for (uint32_t r = tree->module_count; r-- > 0;) {
        if (m->places->of[r].module != HTP_NONE) {
            add_place(m, r, m->places->of[r]);
        }
    }
}

/* ---- shared places ---- */

struct claims {
    htp_measuring *m;
    uint64_t *nodes; /* by module of the reference: tagged nodes that ran in it or below */
    uint32_t *holder;
    bool *is_shared; /* by measured module */
};

static void count_nodes(struct claims *c)
{
    const htp_subject *s = c->m->subject;
    const htp_tree *tree = c->m->reference->tree;
    for (uint32_t n = 0; n < s->node_count; n++) {
        uint32_t ran = c->m->reference->modules[n];
        if (ran != HTP_NONE && s->module_of[n] != HTP_NONE) {
            c->nodes[ran]++;
        }
    }
    for (uint32_t r = tree->module_count; r-- > 1;) {
        if (tree->modules[r].parent != HTP_NONE) {
            c->nodes[tree->modules[r].parent] += c->nodes[r];
        }
    }
}

/* Whether the parent is also the holder of its tag. */
static bool has_holder_above(const struct claims *c, uint32_t r)
{
    const htp_places *places = c->m->places;
    uint32_t parent = tagged_parent(c->m->reference->tree, places->eligible, r);
    return parent != HTP_NONE && places->of[parent].is_exact &&
           c->holder[places->of[parent].module] == parent;
}

static void claim(struct claims *c, uint32_t r)
{
    const uint32_t *instance = c->m->places->instance;
    uint32_t place = c->m->places->of[r].module;
    uint32_t other = c->holder[place];
    if (other == HTP_NONE) {
        c->holder[place] = r;
    } else if (instance[other] != instance[r]) {
        c->is_shared[place] = true;
        bool is_same = c->nodes[r] == c->nodes[other];
        bool is_more = c->nodes[r] > c->nodes[other];
        if (is_more || (is_same && has_holder_above(c, r) && !has_holder_above(c, other))) {
            c->holder[place] = r;
        }
    }
}

/* A tag stands for one instance: among several at one place, the one with most nodes. */
static void find_holders(htp_measuring *m)
{
    const htp_tree *tree = m->reference->tree;
    uint32_t modules = m->subject->module_count;
    struct claims c = {
        .m = m,
        .nodes = HTP_NEW_ARRAY(m->arena, uint64_t, tree->module_count + 1U),
        .holder = HTP_NEW_ARRAY(m->arena, uint32_t, modules + 1U),
        .is_shared = HTP_NEW_ARRAY(m->arena, bool, modules + 1U),
    };
    memset(c.holder, 0xff, (modules + 1U) * sizeof(*c.holder));
    count_nodes(&c);
    for (uint32_t r = 0; r < tree->module_count; r++) { /* ancestors come first */
        if (tree->modules[r].has_tag && m->places->of[r].is_exact && c.nodes[r] > 0 &&
            m->places->of[r].module != HTP_NONE) {
            claim(&c, r);
        }
    }
    for (uint32_t i = 0; i < modules; i++) {
        c.holder[i] = c.is_shared[i] ? c.holder[i] : HTP_NONE;
    }
    m->places->holder = c.holder;
}

/* ---- all of it ---- */

static void begin(htp_measuring *m, htp_places *places, uint32_t *eligible)
{
    const htp_tree *tree = m->reference->tree;
    places->instance = HTP_NEW_ARRAY(m->arena, uint32_t, tree->module_count + 1U);
    places->first = HTP_NEW_ARRAY(m->arena, uint32_t, tree->module_count + 1U);
    places->names = HTP_NEW_ARRAY(m->arena, uint32_t, tree->module_count + 1U);
    places->eligible = eligible;
    for (uint32_t r = 0; r < tree->module_count; r++) {
        uint32_t parent = tree->modules[r].parent;
        bool is_own = tree->modules[r].has_tag || parent == HTP_NONE;
        eligible[r] = is_own ? r : eligible[parent];
        places->instance[r] = r;
        places->first[r] = HTP_NONE;
        htp_slice path = m->reference->has_paths ? m->reference->paths[r] : htp_slice_of("");
        if (path.length > 0 || r == 0) {
            htp_map_set_bytes(m->arena, &places->by_path, path.at, path.length, r);
        }
    }
}

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
    begin(m, places, eligible);
    if (m->subject->has_paths && m->reference->has_paths) {
        match_paths(&x);
    } else {
        match_tags(&x, eligible);
    }
    places->of = x.places;
    m->places = places;
    list_places(m);
    find_holders(m);
}

/* ---- look-ups ---- */

/* Whether a shared tag stands for this module of the reference, or for an ancestor. */
static bool is_held(const htp_measuring *m, uint32_t tag, uint32_t ran)
{
    const htp_places *places = m->places;
    uint32_t holder = places->holder[tag];
    uint32_t at = holder == HTP_NONE ? HTP_NONE : ran;
    while (at != HTP_NONE && places->instance[at] != places->instance[holder]) {
        at = m->reference->tree->modules[at].parent;
    }
    return holder == HTP_NONE || at != HTP_NONE;
}

/* Whether a tag of a node names this place or an ancestor, and stands for its module. */
static bool is_tagged(const htp_measuring *m, uint32_t node, const htp_more_place *more)
{
    const htp_tree *tree = m->subject->tree;
    htp_view_range tags = tree->places[node].tags;
    for (uint32_t i = tags.first; i < tags.first + tags.count; i++) {
        uint32_t tag = tree->owners.items[i];
        if (htp_subject_is_above(m->subject, tag, more->place.module) &&
            is_held(m, tag, more->named)) {
            return true;
        }
    }
    return false;
}

bool htp_places_find_node(const htp_measuring *m, uint32_t node, uint32_t ran, htp_place *place)
{
    const htp_places *places = m->places;
    const htp_more_place *found = NULL;
    for (uint32_t i = places->first[places->instance[ran]]; i != HTP_NONE;
         i = places->more.items[i].next) {
        const htp_more_place *more = &places->more.items[i];
        if ((!found || !found->place.is_exact) && is_tagged(m, node, more) &&
            (!found || more->place.is_exact)) {
            found = more;
        }
    }
    *place = found ? found->place : places->of[ran];
    uint32_t named = found ? found->named : ran;
    place->is_exact = place->is_exact || places->of[places->eligible[named]].is_exact;
    if (!found && place->module != HTP_NONE && !is_held(m, place->module, ran)) {
        place->module = HTP_NONE;
    }
    return found;
}

bool htp_places_is_common(const htp_measuring *m, uint32_t node)
{
    unsigned calls = 1U << HTP_METRIC_CONTAMINATION_CALLS;
    uint32_t ran = m->reference ? m->reference->modules[node] : HTP_NONE;
    if (ran == HTP_NONE || !(m->judged[node] & calls) || (m->problems[node] & calls)) {
        return false;
    }
    uint32_t first = m->places->first[m->places->instance[ran]];
    return first != HTP_NONE && m->places->more.items[first].next != HTP_NONE;
}

bool htp_places_find(const htp_measuring *m, htp_slice path, uint32_t *module, uint32_t *ran)
{
    const htp_places *places = m->places;
    *ran = HTP_NONE;
    if (places && !htp_map_get_bytes(&places->by_path, path.at, path.length, ran)) {
        *ran = HTP_NONE;
    }
    if (htp_subject_find_path(m->subject, path, module)) {
        return true;
    }
    for (uint32_t i = *ran == HTP_NONE ? HTP_NONE : places->first[places->instance[*ran]];
         i != HTP_NONE; i = places->more.items[i].next) {
        if (places->more.items[i].place.is_exact) {
            *module = places->more.items[i].place.module;
            return true;
        }
    }
    return false;
}
