#include "query/partition/split.h"

#include "query/partition/cut.h"
#include "query/select/calls.h"

/* A unit of scheduling: a module, one of its calls, or a node in none of these. */
struct unit {
    htp_split_part part;
    uint32_t first_node; /* in the order of the file; others follow in next_node */
    uint32_t last_node;
    uint32_t missing; /* edges from units that have not run yet */
    bool has_run;
};

struct splitter {
    htp_arena *arena;
    const htp_view *view;
    const htp_tree *tree;
    uint32_t *chosen;   /* by module: the chosen ancestor or the module itself, or HTP_NONE */
    struct unit *units; /* at most one per node */
    size_t unit_count;
    uint32_t *unit_of;   /* by node of the graph; HTP_NONE for constants */
    uint32_t *next_node; /* by node of the graph: the next one of its unit */
    htp_flow flow;
    uint32_t *reader_first; /* by node of the graph, and one more: of `readers` */
    uint32_t *readers;      /* nodes of the graph */
    HTP_VECTOR(uint32_t) ready_modules, ready_nodes; /* units */
    size_t modules_taken, nodes_taken;
    htp_split *split;
};

/* ---- units ---- */

static htp_status choose(struct splitter *s, const bool *is_chosen)
{
    const htp_tree *tree = s->tree;
    s->chosen = HTP_NEW_ARRAY(s->arena, uint32_t, tree->module_count);
    for (uint32_t i = 0; i < tree->module_count; i++) {
        uint32_t parent = tree->modules[i].parent;
        uint32_t above = parent == HTP_NONE ? HTP_NONE : s->chosen[parent];
        s->chosen[i] = is_chosen[i] ? i : above;
        if (is_chosen[i] && above != HTP_NONE) {
            htp_slice inner = htp_tree_address(&tree->modules[i]);
            htp_slice outer = htp_tree_address(&tree->modules[above]);
            return htp_status_make(HTP_CODE_USAGE,
                                   "%s: '%.*s' lies in '%.*s': both cannot be parts", s->view->path,
                                   (int)inner.length, inner.at, (int)outer.length, outer.at);
        }
    }
    return HTP_OK;
}

static uint32_t add_node(struct splitter *s, uint32_t unit, htp_split_part part, uint32_t node)
{
    if (unit == HTP_NONE) {
        unit = (uint32_t)s->unit_count++;
        s->units[unit] = (struct unit){.part = part, .first_node = node, .last_node = node};
    } else {
        s->next_node[s->units[unit].last_node] = node;
        s->units[unit].last_node = node;
    }
    s->next_node[node] = HTP_NONE;
    s->unit_of[node] = unit;
    return unit;
}

/* By node: whether it makes an output of the model. */
static bool *find_returned(const struct splitter *s)
{
    const htp_view *view = s->view;
    bool *is_returned = HTP_NEW_ARRAY(s->arena, bool, view->nodes.count + 1);
    htp_view_range returned = view->graphs.items[0].outputs;
    for (uint32_t i = 0; i < returned.count; i++) {
        const htp_view_value *value = &view->values.items[view->operands.items[returned.first + i]];
        if (value->maker == HTP_VIEW_BY_NODE) {
            is_returned[value->node] = true;
        }
    }
    return is_returned;
}

static void make_units(struct splitter *s)
{
    const htp_view *view = s->view;
    htp_view_range nodes = view->graphs.items[0].nodes;
    htp_map known = {0};
    const bool *is_returned = find_returned(s);
    s->units = HTP_NEW_ARRAY(s->arena, struct unit, (size_t)nodes.count + 1);
    s->unit_of = HTP_NEW_ARRAY(s->arena, uint32_t, (size_t)nodes.count + 1);
    s->next_node = HTP_NEW_ARRAY(s->arena, uint32_t, (size_t)nodes.count + 1);
    for (uint32_t i = 0; i < nodes.count; i++) {
        uint32_t node = nodes.first + i;
        uint32_t innermost = s->tree->places[node].innermost;
        uint32_t key[2] = {innermost == HTP_NONE ? HTP_NONE : s->chosen[innermost], HTP_NONE};
        s->unit_of[i] = HTP_NONE;
        if (s->tree->is_shared[node] || (htp_flow_is_constant(view, node) && !is_returned[node])) {
            continue;
        }
        key[1] = key[0] == HTP_NONE ? HTP_NONE : htp_calls_of_node(s->tree, view, node, key[0]);
        uint32_t unit = HTP_NONE;
        if (key[0] != HTP_NONE) {
            (void)htp_map_get_bytes(&known, key, sizeof(key), &unit);
        }
        uint32_t added = add_node(s, unit, (htp_split_part){.module = key[0], .call = key[1]}, i);
        if (unit == HTP_NONE && key[0] != HTP_NONE) {
            htp_map_set_bytes(s->arena, &known, key, sizeof(key), added);
        }
    }
}

/* A shared node can be copied once the values that it reads exist: after the last unit that makes
 * one. Without such reads, it can be copied anywhere. */
static void place_shared(struct splitter *s)
{
    const htp_flow *flow = &s->flow;
    for (uint32_t node = 0; node < flow->node_count; node++) {
        uint32_t last = HTP_NONE;
        uint32_t unit = HTP_NONE;
        if (!s->tree->is_shared[flow->first_node + node]) {
            continue;
        }
        for (uint32_t i = flow->first[node]; i < flow->first[node + 1]; i++) {
            uint32_t source = flow->sources[i] - flow->first_node;
            if (s->unit_of[source] != HTP_NONE && (last == HTP_NONE || source > last)) {
                last = source;
                unit = s->unit_of[source];
            }
        }
        if (unit != HTP_NONE) {
            (void)add_node(s, unit, s->units[unit].part, node);
        }
    }
}

/* By module: one of its nodes that is shared or lies in a body, plus one; 0: none. */
struct elsewhere {
    uint32_t *shared;
    uint32_t *in_body;
};

static struct elsewhere find_elsewhere(const struct splitter *s)
{
    const htp_tree *tree = s->tree;
    struct elsewhere found = {HTP_NEW_ARRAY(s->arena, uint32_t, tree->module_count),
                              HTP_NEW_ARRAY(s->arena, uint32_t, tree->module_count)};
    for (uint32_t n = 0; n < s->view->nodes.count; n++) {
        uint32_t innermost = tree->places[n].innermost;
        uint32_t module = innermost == HTP_NONE ? HTP_NONE : s->chosen[innermost];
        if (s->view->nodes.items[n].graph != 0 && module != HTP_NONE) {
            found.in_body[module] = n + 1;
        }
        htp_view_range tags = tree->places[n].tags;
        for (uint32_t i = 0; i < tags.count && tree->is_shared[n]; i++) {
            module = s->chosen[tree->owners.items[tags.first + i]];
            if (module != HTP_NONE) {
                found.shared[module] = n + 1;
            }
        }
    }
    return found;
}

/* Why a chosen module cannot be a part: all of its nodes are shared, or lie in bodies. */
static htp_status check_elsewhere(const struct splitter *s, const struct elsewhere *found,
                                  uint32_t module)
{
    const htp_view *view = s->view;
    htp_slice tag = htp_tree_address(&s->tree->modules[module]);
    if (found->in_body[module] != 0) {
        uint32_t graph = view->nodes.items[found->in_body[module] - 1].graph;
        return htp_status_make(HTP_CODE_USAGE,
                               "%s: '%.*s' lies in %s: parts consist of nodes of the model's "
                               "own graph; choose a module around that node, or extract this "
                               "one",
                               view->path, (int)tag.length, tag.at,
                               htp_cut_graph_text(s->arena, view, graph));
    }
    if (found->shared[module] != 0) {
        return htp_status_make(HTP_CODE_USAGE,
                               "%s: '%.*s' cannot be a part: all that it computes, as %s, other "
                               "modules share, and each part gets its own; an export with --share "
                               "module keeps it apart",
                               view->path, (int)tag.length, tag.at,
                               htp_view_call_node(view, found->shared[module] - 1));
    }
    return HTP_OK;
}

/* Checks that chosen modules have nodes: one of them, or all where @p is_strict. */
static htp_status check_units(const struct splitter *s, bool is_strict)
{
    const htp_tree *tree = s->tree;
    const struct elsewhere found = find_elsewhere(s);
    bool *has_unit = HTP_NEW_ARRAY(s->arena, bool, tree->module_count);
    bool has_any = false;
    for (size_t i = 0; i < s->unit_count; i++) {
        if (s->units[i].part.module != HTP_NONE) {
            has_unit[s->units[i].part.module] = true;
            has_any = true;
        }
    }
    for (uint32_t m = 0; m < tree->module_count && is_strict; m++) {
        if (s->chosen[m] == m && !has_unit[m]) {
            HTP_TRY(check_elsewhere(s, &found, m));
        }
    }
    return has_any ? HTP_OK
                   : htp_status_make(HTP_CODE_USAGE, "%s: no module that was chosen has nodes",
                                     s->view->path);
}

/* ---- order ---- */

static void find_readers(struct splitter *s)
{
    const htp_flow *flow = &s->flow;
    uint32_t count = flow->node_count;
    uint32_t *used = HTP_NEW_ARRAY(s->arena, uint32_t, (size_t)count + 1);
    s->reader_first = HTP_NEW_ARRAY(s->arena, uint32_t, (size_t)count + 1);
    s->readers = HTP_NEW_ARRAY(s->arena, uint32_t, (size_t)flow->first[count] + 1);
    for (uint32_t i = 0; i < flow->first[count]; i++) {
        s->reader_first[flow->sources[i] - flow->first_node + 1]++;
    }
    for (uint32_t i = 0; i < count; i++) {
        s->reader_first[i + 1] += s->reader_first[i];
    }
    for (uint32_t node = 0; node < count; node++) {
        for (uint32_t i = flow->first[node]; i < flow->first[node + 1]; i++) {
            uint32_t source = flow->sources[i] - flow->first_node;
            uint32_t unit = s->unit_of[node];
            s->readers[s->reader_first[source] + used[source]++] = node;
            if (s->unit_of[source] != HTP_NONE && unit != s->unit_of[source]) {
                s->units[unit].missing++;
            }
        }
    }
}

static void make_ready(struct splitter *s, uint32_t unit)
{
    if (s->units[unit].part.module == HTP_NONE) {
        HTP_PUSH(s->arena, &s->ready_nodes, unit);
    } else {
        HTP_PUSH(s->arena, &s->ready_modules, unit);
    }
}

/* Runs a unit in the last part, and shared nodes in the parts that read them. Units that waited for
 * it alone become ready. */
static void run(struct splitter *s, uint32_t number)
{
    uint32_t part = (uint32_t)s->split->parts.count - 1;
    s->units[number].has_run = true;
    for (uint32_t node = s->units[number].first_node; node != HTP_NONE; node = s->next_node[node]) {
        bool is_shared = s->tree->is_shared[s->flow.first_node + node];
        s->split->part_of[s->flow.first_node + node] = is_shared ? HTP_NONE : part;
        for (uint32_t i = s->reader_first[node]; i < s->reader_first[node + 1]; i++) {
            uint32_t reader = s->unit_of[s->readers[i]];
            if (reader != number && --s->units[reader].missing == 0) {
                make_ready(s, reader);
            }
        }
    }
}

/* Nodes between modules run as early as possible; those that are ready together share a part.
 * @return how many units have run */
static size_t run_all(struct splitter *s)
{
    const htp_split_part between = {.module = HTP_NONE, .call = HTP_NONE};
    for (uint32_t u = 0; u < s->unit_count; u++) {
        if (s->units[u].missing == 0) {
            make_ready(s, u);
        }
    }
    while (s->nodes_taken < s->ready_nodes.count || s->modules_taken < s->ready_modules.count) {
        if (s->nodes_taken < s->ready_nodes.count) {
            HTP_PUSH(s->arena, &s->split->parts, between);
        }
        while (s->nodes_taken < s->ready_nodes.count) {
            run(s, s->ready_nodes.items[s->nodes_taken++]);
        }
        if (s->modules_taken < s->ready_modules.count) {
            uint32_t unit = s->ready_modules.items[s->modules_taken++];
            HTP_PUSH(s->arena, &s->split->parts, s->units[unit].part);
            run(s, unit);
        }
    }
    return s->nodes_taken + s->modules_taken;
}

/* ---- cycles ---- */

/* By unit that has not run: one that it waits for. */
static const uint32_t *find_waits(const struct splitter *s)
{
    const htp_flow *flow = &s->flow;
    uint32_t *waits_for = HTP_NEW_ARRAY(s->arena, uint32_t, s->unit_count + 1);
    for (uint32_t node = 0; node < flow->node_count; node++) {
        for (uint32_t i = flow->first[node]; i < flow->first[node + 1]; i++) {
            uint32_t source = s->unit_of[flow->sources[i] - flow->first_node];
            if (source != HTP_NONE && source != s->unit_of[node] && !s->units[source].has_run) {
                waits_for[s->unit_of[node]] = source;
            }
        }
    }
    return waits_for;
}

static const char *call_unit(const struct splitter *s, const struct unit *unit)
{
    htp_slice tag = htp_tree_address(&s->tree->modules[unit->part.module]);
    return unit->part.call == HTP_NONE
               ? htp_arena_printf(s->arena, "'%.*s'", (int)tag.length, tag.at)
               : htp_arena_printf(s->arena, "call %u of '%.*s'", unit->part.call, (int)tag.length,
                                  tag.at);
}

/* Finds two modules on a cycle of waiting units; twice the same if there is only one. */
static void find_circle(const struct splitter *s, uint32_t ends[2])
{
    const uint32_t *waits_for = find_waits(s);
    bool *is_seen = HTP_NEW_ARRAY(s->arena, bool, s->unit_count + 1);
    uint32_t unit = 0;
    while (s->units[unit].has_run) {
        unit++;
    }
    for (; !is_seen[unit]; unit = waits_for[unit]) {
        is_seen[unit] = true;
    }
    uint32_t begin = unit;
    ends[0] = ends[1] = HTP_NONE;
    do {
        if (s->units[unit].part.module != HTP_NONE) {
            ends[1] = unit;
            ends[0] = ends[0] == HTP_NONE ? unit : ends[0];
        }
        unit = waits_for[unit];
    } while (unit != begin);
}

static htp_status refuse(struct splitter *s)
{
    uint32_t ends[2];
    find_circle(s, ends); /* a cycle always has a module */
    const char *name = call_unit(s, &s->units[ends[0]]);
    if (ends[0] != ends[1]) {
        return htp_status_make(HTP_CODE_USAGE,
                               "%s: %s and %s cannot both be parts: each needs a value of the "
                               "other; choose a module around them",
                               s->view->path, name, call_unit(s, &s->units[ends[1]]));
    }
    uint32_t *part_of = HTP_NEW_ARRAY(s->arena, uint32_t, s->view->nodes.count + 1);
    for (uint32_t i = 0; i < s->flow.node_count; i++) {
        part_of[s->flow.first_node + i] = s->unit_of[i];
    }
    htp_flow_path path;
    htp_flow_find_detour(s->arena, &s->flow, part_of, ends[0], &path);
    return htp_status_make(HTP_CODE_USAGE,
                           "%s: %s cannot be a part: a path leaves it and comes back, %s; choose a "
                           "module around it",
                           s->view->path, name, htp_flow_path_text(s->arena, s->view, &path));
}

htp_status htp_split_find(htp_arena *arena, const htp_view *view, const htp_tree *tree,
                          const bool *is_chosen, bool is_strict, htp_split *split)
{
    struct splitter s = {.arena = arena, .view = view, .tree = tree, .split = split};
    *split = (htp_split){.part_of = HTP_NEW_ARRAY(arena, uint32_t, view->nodes.count + 1)};
    for (size_t n = 0; n < view->nodes.count; n++) {
        split->part_of[n] = HTP_NONE;
    }
    HTP_TRY(choose(&s, is_chosen));
    make_units(&s);
    HTP_TRY(check_units(&s, is_strict));
    s.flow = htp_flow_find(arena, view, tree->is_shared, 0);
    place_shared(&s);
    find_readers(&s);
    return run_all(&s) == s.unit_count ? HTP_OK : refuse(&s);
}
