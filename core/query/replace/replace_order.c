/*
 * What a model with replaced modules still reads, and the order of its nodes.
 */
#include "query/replace/replace_parts.h"

/* ---- what is no longer read ---- */

/* How often each value is read in the new model. */
struct reading {
    htp_replacement *r;
    uint32_t *counts; /* by value */
};

static void note_read(void *user, uint32_t node, uint32_t value)
{
    struct reading *reading = user;
    (void)node;
    reading->counts[value]++;
}

static void note_unread(void *user, uint32_t node, uint32_t value)
{
    struct reading *reading = user;
    (void)node;
    reading->counts[value]--;
}

static void count_reads(struct reading *reading)
{
    htp_replacement *r = reading->r;
    const htp_view *view = r->view;
    for (uint32_t n = 0; n < view->nodes.count; n++) {
        if (r->replaced_by[n] == HTP_NONE && r->call_of[n] == HTP_NONE) {
            htp_flow_each_read(view, n, note_read, reading);
        }
    }
    for (size_t i = 0; i < r->list.count; i++) {
        for (size_t k = 0; k < r->list.items[i].inputs.count; k++) {
            reading->counts[r->list.items[i].inputs.items[k]]++;
        }
    }
    for (size_t i = 0; i < r->calls.count; i++) {
        const htp_staying_call *call = &r->calls.items[i];
        for (size_t k = 0; k < call->inputs.count && call->place; k++) {
            reading->counts[call->inputs.items[k]]++;
        }
    }
    for (uint32_t g = 0; g < view->graphs.count; g++) {
        htp_view_range returned = view->graphs.items[g].outputs;
        for (uint32_t k = 0; k < returned.count && view->graphs.items[g].node == HTP_NONE; k++) {
            reading->counts[view->operands.items[returned.first + k]]++;
        }
    }
}

static bool is_read(const struct reading *reading, uint32_t node)
{
    const htp_view *view = reading->r->view;
    htp_view_range made = view->nodes.items[node].outputs;
    for (uint32_t k = 0; k < made.count; k++) {
        uint32_t value = view->operands.items[made.first + k];
        if (value != HTP_NONE && reading->counts[value] > 0) {
            return true;
        }
    }
    return false;
}

/* Constants of functions are initializers of the flat view: only nodes that are inlined need them.
 */
static void find_unread_constants(const struct reading *reading)
{
    htp_replacement *r = reading->r;
    const htp_view *view = r->view;
    for (uint32_t v = 0; v < view->values.count && r->file; v++) {
        uint32_t tensor = view->values.items[v].initializer;
        if (tensor != HTP_NONE && view->tensors.items[tensor].fields.at) {
            r->is_unread_weight[v] = reading->counts[v] == 0;
        }
    }
}

/* Only what a module read can be unread now: constants and shared nodes after their readers, then
 * initializers. */
static void find_unread(htp_arena *arena, htp_replacement *r)
{
    const htp_view *view = r->view;
    struct reading reading = {r, HTP_NEW_ARRAY(arena, uint32_t, view->values.count + 1)};
    htp_numbers nodes = {0};
    htp_numbers weights = {0};
    count_reads(&reading);
    for (size_t i = 0; i < r->list.count; i++) {
        const htp_part *part = &r->list.items[i].part;
        for (size_t k = 0; k < part->constants.count; k++) {
            HTP_PUSH(arena, &nodes, part->constants.items[k]);
        }
        for (size_t k = 0; k < part->weights.count; k++) {
            HTP_PUSH(arena, &weights, part->weights.items[k]);
        }
    }
    htp_numbers_sort_unique(&nodes);
    htp_numbers_sort_unique(&weights);
    for (size_t k = nodes.count; k-- > 0;) {
        uint32_t node = nodes.items[k];
        r->is_unread_node[node] = r->replaced_by[node] == HTP_NONE && !is_read(&reading, node);
        if (r->is_unread_node[node]) {
            htp_flow_each_read(view, node, note_unread, &reading);
        }
    }
    for (size_t k = 0; k < weights.count; k++) {
        uint32_t value = weights.items[k];
        r->is_unread_weight[value] = reading.counts[value] == 0 &&
                                     view->values.items[value].maker == HTP_VIEW_BY_INITIALIZER;
    }
    find_unread_constants(&reading);
}

/* ---- the order ---- */

/* Edges of the graphs in which nodes are replaced. Units are numbered as nodes of the view: a node
 * that stays, or, at the last node of a module, what takes its place, or, at the last node of a
 * call that stays, the call. Each edge lies in one graph. */
struct sorter {
    htp_arena *arena;
    htp_replacement *r;
    const bool *is_sorted; /* by graph */
    uint32_t count;        /* of units */
    htp_edges edges;       /* from units to those that read them */
    uint32_t *used;        /* by unit: edges that are noted; NULL while they are counted */
    uint32_t *missing;     /* by unit: edges from units that are not in the order yet */
    bool *is_passed;       /* by unit: its place in the file */
    bool *is_done;         /* by unit */
    htp_numbers queue;
};

/* The unit of a node; HTP_NONE if nothing reads it any longer. */
static uint32_t unit_of(const struct sorter *s, uint32_t node)
{
    const htp_replacement *r = s->r;
    uint32_t replaced = r->replaced_by[node];
    uint32_t call = r->call_of[node];
    if (r->is_unread_node[node]) {
        return HTP_NONE;
    }
    if (call != HTP_NONE && r->calls.items[call].graph == r->view->nodes.items[node].graph) {
        return r->calls.items[call].last;
    }
    return replaced == HTP_NONE ? node : r->list.items[replaced].last;
}

/* The unit of a graph that a node is, or that it lies in; HTP_NONE: none. */
static uint32_t unit_in(const struct sorter *s, uint32_t node, uint32_t graph)
{
    const htp_view *view = s->r->view;
    while (node != HTP_NONE && view->nodes.items[node].graph != graph) {
        node = view->graphs.items[view->nodes.items[node].graph].node;
    }
    return node == HTP_NONE ? HTP_NONE : unit_of(s, node);
}

static void note_edge(void *user, uint32_t node, uint32_t value)
{
    struct sorter *s = user;
    const htp_view_value *read = &s->r->view->values.items[value];
    if (read->maker != HTP_VIEW_BY_NODE || !s->is_sorted[read->graph]) {
        return;
    }
    uint32_t reader = unit_in(s, node, read->graph);
    uint32_t source = unit_of(s, read->node);
    if (source == HTP_NONE || reader == HTP_NONE || source == reader) {
        return;
    }
    if (!s->used) {
        s->edges.first[source + 1]++;
        s->missing[reader]++;
    } else {
        s->edges.to[s->edges.first[source] + s->used[source]++] = reader;
    }
}

static void note_edges(struct sorter *s)
{
    const htp_replacement *r = s->r;
    for (uint32_t n = 0; n < r->view->nodes.count; n++) {
        if (htp_replace_is_written(r, n)) {
            htp_flow_each_read(r->view, n, note_edge, s);
        }
    }
    for (size_t i = 0; i < r->calls.count; i++) {
        const htp_staying_call *call = &r->calls.items[i];
        for (size_t k = 0; k < call->inputs.count && call->place; k++) {
            note_edge(s, call->last, call->inputs.items[k]);
        }
    }
    for (size_t i = 0; i < r->list.count; i++) {
        const htp_replaced *replaced = &r->list.items[i];
        for (size_t k = 0; k < replaced->inputs.count; k++) {
            note_edge(s, replaced->last, replaced->inputs.items[k]);
        }
    }
}

static void find_edges(struct sorter *s)
{
    note_edges(s);
    for (uint32_t i = 0; i < s->count; i++) {
        s->edges.first[i + 1] += s->edges.first[i];
    }
    s->edges.to = HTP_NEW_ARRAY(s->arena, uint32_t, (size_t)s->edges.first[s->count] + 1);
    s->used = HTP_NEW_ARRAY(s->arena, uint32_t, (size_t)s->count + 1);
    note_edges(s);
}

/* Appends a unit to the order of its graph, and units after it that waited for it alone. */
static void put(struct sorter *s, uint32_t unit)
{
    const htp_replacement *r = s->r;
    htp_numbers *order = &r->orders[r->view->nodes.items[unit].graph];
    size_t next = s->queue.count;
    HTP_PUSH(s->arena, &s->queue, unit);
    for (; next < s->queue.count; next++) {
        unit = s->queue.items[next];
        uint32_t replaced = r->replaced_by[unit];
        s->is_done[unit] = true;
        HTP_PUSH(s->arena, order, replaced == HTP_NONE ? unit : HTP_REPLACED_BIT | replaced);
        for (uint32_t i = s->edges.first[unit]; i < s->edges.first[unit + 1]; i++) {
            uint32_t reader = s->edges.to[i];
            if (--s->missing[reader] == 0 && s->is_passed[reader]) {
                HTP_PUSH(s->arena, &s->queue, reader);
            }
        }
    }
}

/* ---- cycles ---- */

static bool is_waiting(const struct sorter *s, uint32_t unit)
{
    return s->is_passed[unit] && !s->is_done[unit];
}

/* By unit that waits: one that it waits for. */
static uint32_t *find_waits(const struct sorter *s)
{
    uint32_t *waits_for = HTP_NEW_ARRAY(s->arena, uint32_t, (size_t)s->count + 1);
    for (uint32_t unit = 0; unit < s->count; unit++) {
        for (uint32_t i = s->edges.first[unit]; i < s->edges.first[unit + 1]; i++) {
            if (is_waiting(s, unit)) {
                waits_for[s->edges.to[i]] = unit;
            }
        }
    }
    return waits_for;
}

static htp_status refuse(const struct sorter *s, uint32_t unit)
{
    const htp_replacement *r = s->r;
    const uint32_t *waits_for = find_waits(s);
    bool *is_seen = HTP_NEW_ARRAY(s->arena, bool, (size_t)s->count + 1);
    uint32_t ends[2] = {HTP_NONE, HTP_NONE}; /* of the list: the first and the last on the cycle */
    for (; !is_seen[unit]; unit = waits_for[unit]) {
        is_seen[unit] = true;
    }
    uint32_t begin = unit;
    do {
        uint32_t replaced = r->replaced_by[unit];
        if (replaced != HTP_NONE) {
            HTP_TRY(htp_replace_refusal(s->arena, r, r->list.items[replaced].module,
                                        r->list.items[replaced].call));
            ends[ends[0] == HTP_NONE ? 0 : 1] = replaced;
        }
        unit = waits_for[unit];
    } while (unit != begin);
    htp_slice first = htp_tree_address(&r->tree->modules[r->list.items[ends[0]].module]);
    uint32_t second = ends[1] == HTP_NONE ? ends[0] : ends[1];
    htp_slice last = htp_tree_address(&r->tree->modules[r->list.items[second].module]);
    return htp_status_make(HTP_CODE_USAGE,
                           "%s: '%.*s' and '%.*s' cannot both be replaced: each needs a value of "
                           "the other; choose a module around them",
                           r->view->path, (int)first.length, first.at, (int)last.length, last.at);
}

/* A call of a function waits for all of its inputs at once, and may be on a cycle that its nodes
 * are not on. @return whether calls on cycles are inlined now: those of a graph, and in its bodies
 */
static bool inline_calls(const struct sorter *s)
{
    htp_replacement *r = s->r;
    bool *is_waiting_unit = HTP_NEW_ARRAY(s->arena, bool, (size_t)s->count + 1);
    bool is_any = false;
    for (uint32_t unit = 0; unit < s->count; unit++) {
        is_waiting_unit[unit] = is_waiting(s, unit);
    }
    const bool *is_on_cycle =
        htp_replace_find_cycles(s->arena, s->count, &s->edges, is_waiting_unit);
    for (uint32_t i = 0; i < r->calls.count; i++) {
        uint32_t node = r->calls.items[i].place ? r->calls.items[i].last : HTP_NONE;
        bool is_in_cycle = false;
        while (node != HTP_NONE && !is_in_cycle) {
            is_in_cycle = is_on_cycle[node];
            node = r->view->graphs.items[r->view->nodes.items[node].graph].node;
        }
        if (is_in_cycle) {
            htp_replace_inline_call(r, i);
            is_any = true;
        }
    }
    return is_any;
}

/* ---- the whole ---- */

/* Sorts all graphs. @param is_again  whether calls are inlined: then what is read has changed */
static htp_status sort(htp_arena *arena, htp_replacement *r, const bool *is_sorted, bool *is_again)
{
    size_t room = r->view->nodes.count + 1;
    struct sorter s = {
        .arena = arena,
        .r = r,
        .is_sorted = is_sorted,
        .count = (uint32_t)r->view->nodes.count,
        .edges.first = HTP_NEW_ARRAY(arena, uint32_t, room),
        .missing = HTP_NEW_ARRAY(arena, uint32_t, room),
        .is_passed = HTP_NEW_ARRAY(arena, bool, room),
        .is_done = HTP_NEW_ARRAY(arena, bool, room),
    };
    uint32_t waiting = HTP_NONE;
    find_edges(&s);
    for (uint32_t unit = 0; unit < s.count; unit++) {
        uint32_t graph = r->view->nodes.items[unit].graph;
        s.is_passed[unit] = is_sorted[graph] && unit_of(&s, unit) == unit;
        if (s.is_passed[unit] && s.missing[unit] == 0) {
            put(&s, unit);
        }
    }
    for (uint32_t unit = 0; unit < s.count && waiting == HTP_NONE; unit++) {
        waiting = is_waiting(&s, unit) ? unit : HTP_NONE;
    }
    *is_again = waiting != HTP_NONE && inline_calls(&s);
    return waiting == HTP_NONE || *is_again ? HTP_OK : refuse(&s, waiting);
}

htp_status htp_replace_order(htp_arena *arena, htp_replacement *r)
{
    bool *is_sorted = HTP_NEW_ARRAY(arena, bool, r->view->graphs.count + 1);
    bool is_again;
    for (size_t i = 0; i < r->list.count; i++) {
        is_sorted[r->list.items[i].graph] = true;
    }
    do { /* at most twice: no call is left that could be on a cycle */
        for (size_t i = 0; i < r->list.count; i++) {
            r->orders[r->list.items[i].graph].count = 0;
        }
        find_unread(arena, r);
        HTP_TRY(sort(arena, r, is_sorted, &is_again));
    } while (is_again);
    htp_replace_list_functions(arena, r);
    return HTP_OK;
}
