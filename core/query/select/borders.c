/*
 * The borders of all modules, in one pass over the model.
 */
#include "query/select/region.h"

#include "query/dataflow/flow.h"

/* An output of a module, before all its readers are known. */
struct leaving {
    uint32_t module;
    uint32_t next; /* of the same value; HTP_NONE: the last */
    htp_region_modules readers;
};

typedef HTP_VECTOR(uint32_t) node_list;

struct finding {
    htp_arena *arena;
    const htp_view *view;
    const htp_tree *tree;
    htp_module_border *found;
    uint32_t *shown; /* by module: it, or the nearest above it that has a border */
    htp_tree_order order;
    uint32_t *first;         /* by node and one more: into `behind_shared` */
    uint32_t *behind_shared; /* readers of each shared node */
    uint32_t *seen_by;       /* by node: the last shared node whose readers it was among */
    node_list readers;       /* where a node's operands go: itself, or behind shared nodes */
    node_list open;          /* shared nodes whose readers are to be followed */
    htp_map entered;         /* value, module: it is an input */
    htp_map left;            /* value, module: place in `leavings` */
    htp_map told;            /* value, reading module, module: it is an output; and a module
                                further up, below which all are known to have it */
    HTP_VECTOR(struct leaving) leavings;
    uint32_t *last_leaving; /* by value: place in `leavings`; HTP_NONE */
};

/* ---- modules ---- */

/* The module above that has a border. */
static uint32_t above(const struct finding *f, uint32_t module)
{
    uint32_t parent = f->tree->modules[module].parent;
    return parent == HTP_NONE ? HTP_NONE : f->shown[parent];
}

/* Parents precede children in the tree. */
static void find_shown(struct finding *f, int depth)
{
    const htp_tree *tree = f->tree;
    f->order = htp_tree_order_find(f->arena, tree);
    f->shown = HTP_NEW_ARRAY(f->arena, uint32_t, tree->module_count + 1U);
    for (uint32_t m = 0; m < tree->module_count; m++) {
        const htp_tree_module *module = &tree->modules[m];
        bool is_shown = module->has_tag && (depth < 0 || module->depth <= (uint32_t)depth);
        f->shown[m] = is_shown ? m : above(f, m);
    }
}

/* The node in whose body a node lies. */
static uint32_t around(const struct finding *f, uint32_t node)
{
    return f->view->graphs.items[f->view->nodes.items[node].graph].node;
}

/* Whether a module has a node, or one around it. */
static bool contains(const struct finding *f, uint32_t module, uint32_t node)
{
    for (; node != HTP_NONE; node = around(f, node)) {
        htp_view_range tags = f->tree->places[node].tags;
        for (uint32_t i = tags.first; i < tags.first + tags.count; i++) {
            if (htp_tree_order_contains(&f->order, module, f->tree->owners.items[i])) {
                return true;
            }
        }
    }
    return false;
}

static uint32_t first_module(const struct finding *f, uint32_t node)
{
    htp_view_range tags = node == HTP_NONE ? (htp_view_range){0, 0} : f->tree->places[node].tags;
    return tags.count > 0 ? f->tree->owners.items[tags.first] : HTP_NONE;
}

/* Adds a key of numbers. @return whether it is new; else @p value is the known one. */
static bool add_key(htp_arena *arena, htp_map *map, const uint32_t *numbers, size_t count,
                    uint32_t *value)
{
    const void **key = htp_map_add_bytes(arena, map, numbers, count * sizeof(*numbers), value);
    if (key) {
        uint32_t *kept = HTP_NEW_ARRAY(arena, uint32_t, count);
        for (size_t i = 0; i < count; i++) {
            kept[i] = numbers[i];
        }
        *key = kept;
    }
    return key != NULL;
}

/* ---- shared nodes ---- */

/* Two passes: readers are counted, then stored. */
struct edges {
    struct finding *f;
    uint32_t *used; /* by node; NULL in the first pass */
};

static void note_edge(void *user, uint32_t node, uint32_t value)
{
    struct edges *edges = user;
    struct finding *f = edges->f;
    const htp_view_value *made = value == HTP_NONE ? NULL : &f->view->values.items[value];
    if (!made || made->maker != HTP_VIEW_BY_NODE || !f->tree->is_shared[made->node]) {
        return;
    }
    if (edges->used) {
        f->behind_shared[f->first[made->node] + edges->used[made->node]++] = node;
    } else {
        f->first[made->node + 1]++;
    }
}

static void find_edges(struct finding *f)
{
    size_t count = f->view->nodes.count;
    struct edges edges = {.f = f};
    f->first = HTP_NEW_ARRAY(f->arena, uint32_t, count + 2);
    f->seen_by = HTP_NEW_ARRAY(f->arena, uint32_t, count + 1);
    for (uint32_t n = 0; n < count; n++) {
        htp_flow_each_read(f->view, n, note_edge, &edges);
    }
    for (size_t n = 0; n < count; n++) {
        f->first[n + 1] += f->first[n];
        f->seen_by[n] = HTP_NONE;
    }
    f->behind_shared = HTP_NEW_ARRAY(f->arena, uint32_t, (size_t)f->first[count] + 1);
    edges.used = HTP_NEW_ARRAY(f->arena, uint32_t, count + 1);
    for (uint32_t n = 0; n < count; n++) {
        htp_flow_each_read(f->view, n, note_edge, &edges);
    }
}

/* The nodes that a node's reads count for: those behind a shared node. */
static void find_readers(struct finding *f, uint32_t node)
{
    f->readers.count = 0;
    f->open.count = 0;
    if (!f->tree->is_shared[node]) {
        HTP_PUSH(f->arena, &f->readers, node);
        return;
    }
    HTP_PUSH(f->arena, &f->open, node);
    while (f->open.count > 0) {
        uint32_t shared = f->open.items[--f->open.count];
        for (uint32_t i = f->first[shared]; i < f->first[shared + 1]; i++) {
            uint32_t reader = f->behind_shared[i];
            if (f->seen_by[reader] == node) {
                continue;
            }
            f->seen_by[reader] = node;
            if (f->tree->is_shared[reader]) {
                HTP_PUSH(f->arena, &f->open, reader);
            } else {
                HTP_PUSH(f->arena, &f->readers, reader);
            }
        }
    }
}

/* ---- crossing ---- */

/* The node that a value belongs to: its producer, or that of whose body it is an input. */
static uint32_t home_of(const struct finding *f, uint32_t value)
{
    const htp_view_value *made = &f->view->values.items[value];
    return made->maker == HTP_VIEW_BY_NODE ? made->node : f->view->graphs.items[made->graph].node;
}

/* A value enters the modules of a reader, innermost first, up to one that has its producer. What is
 * known to have entered a module has entered those further up. */
static void enter(struct finding *f, uint32_t value, uint32_t reader)
{
    uint32_t home = home_of(f, value);
    for (uint32_t n = reader; n != HTP_NONE; n = around(f, n)) {
        htp_view_range tags = f->tree->places[n].tags;
        for (uint32_t i = tags.first; i < tags.first + tags.count; i++) {
            uint32_t m = f->shown[f->tree->owners.items[i]];
            for (; m != HTP_NONE && !contains(f, m, home); m = above(f, m)) {
                uint32_t is_known = 0;
                if (!add_key(f->arena, &f->entered, (uint32_t[]){value, m}, 2, &is_known)) {
                    break;
                }
                htp_region_value input = {.value = value};
                HTP_PUSH(f->arena, &input.others,
                         first_module(f, f->view->values.items[value].node));
                HTP_PUSH(f->arena, &f->found[m].inputs, input);
            }
        }
    }
}

static struct leaving *leaving_of(struct finding *f, uint32_t value, uint32_t module)
{
    uint32_t place = (uint32_t)f->leavings.count;
    if (add_key(f->arena, &f->left, (uint32_t[]){value, module}, 2, &place)) {
        HTP_PUSH(f->arena, &f->leavings,
                 (struct leaving){.module = module, .next = f->last_leaving[value]});
        f->last_leaving[value] = place;
    }
    return &f->leavings.items[place];
}

/* A value leaves the modules of its producer, innermost first, up to one that has the reader. A
 * reader outside of all modules is HTP_NONE. */
static void leave(struct finding *f, uint32_t value, uint32_t reader, uint32_t reading_module)
{
    bool is_made = f->view->values.items[value].maker == HTP_VIEW_BY_NODE;
    uint32_t home = is_made ? home_of(f, value) : HTP_NONE;
    for (uint32_t n = home; n != HTP_NONE; n = around(f, n)) {
        htp_view_range tags = f->tree->places[n].tags;
        for (uint32_t i = tags.first; i < tags.first + tags.count; i++) {
            uint32_t innermost = f->shown[f->tree->owners.items[i]];
            if (innermost == HTP_NONE || contains(f, innermost, reader)) {
                continue;
            }
            uint32_t key[3] = {value, reading_module, innermost}, m = innermost;
            htp_map_get_bytes(&f->told, key, sizeof(key), &m);
            for (; m != HTP_NONE && !contains(f, m, reader); m = above(f, m)) {
                uint32_t is_known = above(f, m);
                uint32_t at[3] = {value, reading_module, m};
                if (add_key(f->arena, &f->told, at, 3, &is_known)) {
                    struct leaving *leaving = leaving_of(f, value, m);
                    HTP_PUSH(f->arena, &leaving->readers, reading_module);
                }
            }
            htp_map_set_bytes(f->arena, &f->told, key, sizeof(key), m); /* it was added */
        }
    }
}

/* ---- the pass ---- */

static void look_at_node(struct finding *f, uint32_t node)
{
    const htp_view *view = f->view;
    htp_view_range read = view->nodes.items[node].inputs;
    bool are_readers_known = false;
    for (uint32_t i = read.first; i < read.first + read.count; i++) {
        uint32_t value = view->operands.items[i];
        const htp_view_value *made = value == HTP_NONE ? NULL : &view->values.items[value];
        if (!made || htp_region_is_weight(view, f->tree, value)) {
            continue;
        }
        if (!are_readers_known) {
            find_readers(f, node);
            are_readers_known = true;
        }
        for (size_t k = 0; k < f->readers.count; k++) {
            enter(f, value, f->readers.items[k]);
            leave(f, value, f->readers.items[k], first_module(f, node));
        }
    }
}

/* Outputs of graphs are read by the nodes whose bodies these are, or outside of the model. */
static void look_at_outputs(struct finding *f)
{
    for (size_t g = 0; g < f->view->graphs.count; g++) {
        const htp_view_graph *graph = &f->view->graphs.items[g];
        for (uint32_t i = 0; i < graph->outputs.count; i++) {
            uint32_t value = f->view->operands.items[graph->outputs.first + i];
            if (value != HTP_NONE) {
                leave(f, value, graph->node, first_module(f, graph->node));
            }
        }
    }
}

static void list_outputs(struct finding *f)
{
    for (size_t n = 0; n < f->view->nodes.count; n++) {
        htp_view_range made = f->view->nodes.items[n].outputs;
        for (uint32_t i = 0; i < made.count; i++) {
            uint32_t value = f->view->operands.items[made.first + i];
            uint32_t next = value == HTP_NONE ? HTP_NONE : f->last_leaving[value];
            for (; next != HTP_NONE; next = f->leavings.items[next].next) {
                const struct leaving *leaving = &f->leavings.items[next];
                HTP_PUSH(f->arena, &f->found[leaving->module].outputs,
                         (htp_region_value){value, leaving->readers});
            }
        }
    }
}

const htp_module_border *htp_borders_find(htp_arena *arena, const htp_view *view,
                                          const htp_tree *tree, int depth)
{
    struct finding f = {
        .arena = arena,
        .view = view,
        .tree = tree,
        .found = HTP_NEW_ARRAY(arena, htp_module_border, tree->module_count + 1U),
        .last_leaving = HTP_NEW_ARRAY(arena, uint32_t, view->values.count + 1),
    };
    for (size_t v = 0; v < view->values.count; v++) {
        f.last_leaving[v] = HTP_NONE;
    }
    find_shown(&f, depth);
    find_edges(&f);
    for (uint32_t n = 0; n < view->nodes.count; n++) {
        look_at_node(&f, n);
    }
    look_at_outputs(&f);
    list_outputs(&f);
    return f.found;
}
