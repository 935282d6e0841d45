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

/* What is ordered: by node of the graph, a node that stays, or, at the last node of a module, what
 * takes its place, or, at the last node of a call that stays, the call. */
struct sorter {
    htp_arena *arena;
    htp_replacement *r;
    uint32_t graph;
    uint32_t first_node, count;
    const uint32_t *top;    /* by node of the view: the node of the graph, see htp_view_tops() */
    uint32_t *reader_first; /* by unit, and one more: of `readers` */
    uint32_t *readers;      /* units */
    uint32_t *used;         /* by unit: slots of `readers`; NULL while they are counted */
    uint32_t *missing;      /* by unit: edges from units that are not in the order yet */
    bool *is_passed;        /* by unit: its place in the file */
    bool *is_done;          /* by unit */
    uint32_t reader;        /* whose edges are noted */
    htp_numbers queue;
};

/* The unit of a node of the graph; HTP_NONE if nothing reads it any longer. */
static uint32_t unit_of(const struct sorter *s, uint32_t node)
{
    uint32_t replaced = s->r->replaced_by[node];
    uint32_t call = s->r->call_of[node];
    if (s->r->is_unread_node[node]) {
        return HTP_NONE;
    }
    if (call != HTP_NONE && s->r->calls.items[call].graph == s->graph) {
        return s->r->calls.items[call].last - s->first_node;
    }
    return (replaced == HTP_NONE ? node : s->r->list.items[replaced].last) - s->first_node;
}

static void note_edge(struct sorter *s, uint32_t reader, uint32_t value)
{
    const htp_view_value *read = &s->r->view->values.items[value];
    if (read->maker != HTP_VIEW_BY_NODE || read->graph != s->graph) {
        return;
    }
    uint32_t source = unit_of(s, read->node);
    if (source == HTP_NONE || source == reader) {
        return;
    }
    if (!s->used) {
        s->reader_first[source + 1]++;
        s->missing[reader]++;
    } else {
        s->readers[s->reader_first[source] + s->used[source]++] = reader;
    }
}

static void note_node_edge(void *user, uint32_t node, uint32_t value)
{
    struct sorter *s = user;
    note_edge(s, s->top[node] - s->first_node, value);
}

static void note_edges(struct sorter *s)
{
    const htp_replacement *r = s->r;
    for (uint32_t n = 0; n < r->view->nodes.count; n++) {
        if (s->top[n] != HTP_NONE && htp_replace_is_written(r, n)) {
            htp_flow_each_read(r->view, n, note_node_edge, s);
        }
    }
    for (size_t i = 0; i < r->calls.count; i++) {
        const htp_staying_call *call = &r->calls.items[i];
        uint32_t top = call->place ? s->top[call->last] : HTP_NONE;
        for (size_t k = 0; k < call->inputs.count && top != HTP_NONE; k++) {
            note_edge(s, unit_of(s, top), call->inputs.items[k]);
        }
    }
    for (size_t i = 0; i < r->list.count; i++) {
        const htp_replaced *replaced = &r->list.items[i];
        for (size_t k = 0; k < replaced->inputs.count && replaced->graph == s->graph; k++) {
            note_edge(s, replaced->last - s->first_node, replaced->inputs.items[k]);
        }
    }
}

static void find_edges(struct sorter *s)
{
    note_edges(s);
    for (uint32_t i = 0; i < s->count; i++) {
        s->reader_first[i + 1] += s->reader_first[i];
    }
    s->readers = HTP_NEW_ARRAY(s->arena, uint32_t, (size_t)s->reader_first[s->count] + 1);
    s->used = HTP_NEW_ARRAY(s->arena, uint32_t, (size_t)s->count + 1);
    note_edges(s);
}

/* Appends a unit to the order, and units after it that waited for it alone. */
static void put(struct sorter *s, uint32_t unit)
{
    htp_numbers *order = &s->r->orders[s->graph];
    size_t next = s->queue.count;
    HTP_PUSH(s->arena, &s->queue, unit);
    for (; next < s->queue.count; next++) {
        unit = s->queue.items[next];
        uint32_t replaced = s->r->replaced_by[s->first_node + unit];
        s->is_done[unit] = true;
        HTP_PUSH(s->arena, order,
                 replaced == HTP_NONE ? s->first_node + unit : HTP_REPLACED_BIT | replaced);
        for (uint32_t i = s->reader_first[unit]; i < s->reader_first[unit + 1]; i++) {
            uint32_t reader = s->readers[i];
            if (--s->missing[reader] == 0 && s->is_passed[reader]) {
                HTP_PUSH(s->arena, &s->queue, reader);
            }
        }
    }
}

/* ---- cycles ---- */

/* By unit that is not in the order: one that it waits for. */
static uint32_t *find_waits(const struct sorter *s)
{
    uint32_t *waits_for = HTP_NEW_ARRAY(s->arena, uint32_t, (size_t)s->count + 1);
    for (uint32_t unit = 0; unit < s->count; unit++) {
        for (uint32_t i = s->reader_first[unit]; i < s->reader_first[unit + 1]; i++) {
            if (s->is_passed[unit] && !s->is_done[unit]) {
                waits_for[s->readers[i]] = unit;
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
        uint32_t replaced = r->replaced_by[s->first_node + unit];
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

/* ---- the whole ---- */

/* A call of a function waits for all of its inputs at once, and may be on a cycle that its nodes
 * are not on. @return whether calls that are not in the order are inlined now */
static bool inline_calls(struct sorter *s)
{
    htp_replacement *r = s->r;
    bool is_any = false;
    for (uint32_t i = 0; i < r->calls.count; i++) {
        const htp_staying_call *call = &r->calls.items[i];
        uint32_t top = call->place ? s->top[call->last] : HTP_NONE;
        if (top != HTP_NONE && !s->is_done[unit_of(s, top)]) {
            htp_replace_inline_call(r, i);
            is_any = true;
        }
    }
    return is_any;
}

/* @param is_again  whether calls are inlined: then the model is ordered anew */
static htp_status sort(htp_arena *arena, htp_replacement *r, uint32_t graph, bool *is_again)
{
    htp_view_range nodes = r->view->graphs.items[graph].nodes;
    size_t room = (size_t)nodes.count + 1;
    struct sorter s = {
        .arena = arena,
        .r = r,
        .graph = graph,
        .first_node = nodes.first,
        .count = nodes.count,
        .top = htp_view_tops(arena, r->view, graph),
        .reader_first = HTP_NEW_ARRAY(arena, uint32_t, room),
        .missing = HTP_NEW_ARRAY(arena, uint32_t, room),
        .is_passed = HTP_NEW_ARRAY(arena, bool, room),
        .is_done = HTP_NEW_ARRAY(arena, bool, room),
    };
    uint32_t waiting = HTP_NONE;
    r->orders[graph].count = 0;
    find_edges(&s);
    for (uint32_t unit = 0; unit < s.count; unit++) {
        uint32_t is = unit_of(&s, nodes.first + unit);
        s.is_passed[unit] = is == unit;
        if (is == unit && s.missing[unit] == 0) {
            put(&s, unit);
        }
    }
    for (uint32_t unit = 0; unit < s.count && waiting == HTP_NONE; unit++) {
        waiting = s.is_passed[unit] && !s.is_done[unit] ? unit : HTP_NONE;
    }
    *is_again = waiting != HTP_NONE && inline_calls(&s);
    return waiting == HTP_NONE || *is_again ? HTP_OK : refuse(&s, waiting);
}

static htp_status sort_all(htp_arena *arena, htp_replacement *r, bool *is_again)
{
    bool *is_done = HTP_NEW_ARRAY(arena, bool, r->view->graphs.count + 1);
    *is_again = false;
    find_unread(arena, r);
    for (size_t i = 0; i < r->list.count && !*is_again; i++) {
        uint32_t graph = r->list.items[i].graph;
        if (!is_done[graph]) {
            is_done[graph] = true;
            HTP_TRY(sort(arena, r, graph, is_again));
        }
    }
    return HTP_OK;
}

htp_status htp_replace_order(htp_arena *arena, htp_replacement *r)
{
    bool is_again;
    do { /* at most twice for each graph: the calls that waited there are gone */
        HTP_TRY(sort_all(arena, r, &is_again));
    } while (is_again);
    htp_replace_list_functions(arena, r);
    return HTP_OK;
}
