#include "api/axes/lowered_axes.h"

#include "api/axes/axis_search.h"
#include "lower/driver/lower.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_TRIALS = 24, /* each is a trace and a lowering */
    MAX_ROUNDS = 8,  /* operators that each need an axis of their own */
};

struct dropping {
    htp_axis_search *search;
    const htp_lowerer *lowerer;
    htp_builder **model;
    uint32_t trials;
};

/* ---- which axes reach an operator ---- */

/* State of the search for axes that reach an operator. */
struct reach {
    htp_arena *arena;
    const htp_graph *graph;
    htp_map axes; /* by name: the dim */
    bool *found;  /* by dim */
    bool *is_seen;
    HTP_VECTOR(htp_value_id) open;
};

static void look_at(struct reach *r, const uint32_t *values, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (values[i] != HTP_NONE && !r->is_seen[values[i]]) {
            r->is_seen[values[i]] = true;
            HTP_PUSH(r->arena, &r->open, values[i]);
        }
    }
}

/* Marks the axes in a formula. @return whether it has unknown names */
static bool read_symbol(struct reach *r, const char *symbol)
{
    bool has_other = *symbol == '\0';
    while (*symbol) {
        size_t length = 0;
        while (isalnum((unsigned char)symbol[length]) || symbol[length] == '_') {
            length++;
        }
        uint32_t dim = 0;
        bool is_name = length > 0 && !isdigit((unsigned char)*symbol);
        if (is_name && htp_map_get_bytes(&r->axes, symbol, length, &dim)) {
            r->found[dim] = true;
        } else {
            has_other = has_other || is_name;
        }
        symbol += length > 0 ? length : 1;
    }
    return has_other;
}

/* A size without a formula depends on the operands of its operator. */
static void look_behind(struct reach *r, htp_value_id id)
{
    const htp_trace_value *value = htp_graph_value(r->graph, id);
    bool is_open = value->kind != HTP_TRACE_TENSOR && htp_graph_is_computed(r->graph, id);
    look_at(r, value->elements, value->kind == HTP_TRACE_LIST ? value->element_count : 0);
    for (uint32_t d = 0; value->kind == HTP_TRACE_TENSOR && d < value->rank; d++) {
        const char *symbol = r->graph->values[id].dims[d].symbol;
        is_open = (symbol && read_symbol(r, symbol)) || is_open;
    }
    if (is_open && value->producer < r->graph->node_count) {
        const htp_trace_node *node = &r->graph->trace->nodes[value->producer];
        look_at(r, node->inputs, node->input_count);
    }
}

/* By dim: whether its axis reaches a refused operator. All do if nothing is known. */
static bool *find_reaching(const struct dropping *d)
{
    const htp_axes *axes = &d->search->axes;
    const htp_builder *model = *d->model;
    const char *const *names = htp_axes_find_names(axes);
    struct reach r = {.arena = axes->arena, .graph = d->search->session->graph};
    r.found = HTP_NEW_ARRAY(axes->arena, bool, (size_t)axes->count + 1);
    r.is_seen = HTP_NEW_ARRAY(axes->arena, bool, (size_t)r.graph->value_count + 1);
    for (uint32_t i = 0; i < axes->count; i++) {
        if (htp_axes_moves(axes, i)) {
            htp_map_set_bytes(axes->arena, &r.axes, names[i], strlen(names[i]), i);
        }
    }
    for (size_t i = 0; model && i < model->refused.count; i++) {
        const htp_trace_node *node = &r.graph->trace->nodes[model->refused.items[i].node];
        look_at(&r, node->inputs, node->input_count);
        look_at(&r, node->outputs, node->output_count);
    }
    for (size_t i = 0; i < r.open.count; i++) {
        look_behind(&r, r.open.items[i]);
    }
    bool has_any = false;
    for (uint32_t i = 0; i < axes->count; i++) {
        r.found[i] = r.found[i] && htp_axes_moves(axes, i);
        has_any = has_any || r.found[i];
    }
    for (uint32_t i = 0; i < axes->count && !has_any; i++) {
        r.found[i] = htp_axes_moves(axes, i);
    }
    return r.found;
}

/* ---- trials ---- */

static htp_status attempt(struct dropping *d, const htp_axes *axes)
{
    htp_shape_conflict conflict;
    d->trials++;
    *d->model = NULL;
    HTP_TRY(htp_axis_search_trace(d->search, axes, false, &conflict));
    return d->lowerer->lower(d->search->session, d->lowerer->user, d->model);
}

/* The order in which axes are dropped: by kind, then last first. */
static uint32_t order_axes(const htp_axes *axes, const bool *is_wanted, uint32_t *order)
{
    uint32_t count = 0;
    for (int kind = HTP_AXES_FEATURE; kind >= HTP_AXES_BATCH; kind--) {
        for (uint32_t i = axes->count; i-- > 0;) {
            if (is_wanted[i] && (int)htp_axes_find_kind(axes, i) == kind) {
                order[count++] = i;
            }
        }
    }
    return count;
}

/* The first refused operator, its place, and the reason. */
static const char *describe(const struct dropping *d, htp_status refusal)
{
    htp_text text = {.arena = d->search->axes.arena};
    if (!*d->model || (*d->model)->refused.count == 0) {
        return htp_arena_strdup(text.arena, htp_status_message(refusal));
    }
    const htp_graph *graph = (*d->model)->graph;
    const htp_refused *first = &(*d->model)->refused.items[0];
    const htp_trace_node *node = &graph->trace->nodes[first->node];
    const char *path = htp_graph_scope_path(graph, node->scope);
    htp_text_addf(&text, "%s in %s", node->kind, *path ? path : "the root module");
    if (node->source_line) {
        htp_text_addf(&text, " (%s:%u)", node->source_file, node->source_line);
    }
    htp_text_addf(&text, ": %s", first->reason);
    return htp_text_string(&text);
}

static void leave_out(struct dropping *d, uint32_t axis, const char *reason)
{
    static const htp_shape_conflict exported = {.is_export = true};
    htp_axis_search_fix(d->search, axis, reason, &exported);
}

/* Whether the refusal is another one now. */
static bool is_further(const struct dropping *d, htp_status status, const char *reason)
{
    return htp_status_code(status) == HTP_CODE_UNSUPPORTED && *d->model &&
           (*d->model)->refused.count > 0 && strcmp(describe(d, status), reason) != 0;
}

/* Drops one of the axes that reach a refused operator, if that changes the refusal or ends it.
 * @return whether it does; @p refusal, which is held, is replaced then */
static bool drop_one(struct dropping *d, htp_held_status *refusal)
{
    htp_arena *arena = d->search->axes.arena;
    uint32_t *order = HTP_NEW_ARRAY(arena, uint32_t, d->search->axes.count);
    uint32_t count = order_axes(&d->search->axes, find_reaching(d), order);
    const char *reason = describe(d, refusal->status);
    bool helps = false;
    for (uint32_t i = 0; i < count && d->trials < MAX_TRIALS && !helps; i++) {
        htp_axes fewer = htp_axes_copy(&d->search->axes);
        fewer.is_fixed[order[i]] = true;
        htp_held_status trial;
        htp_status_hold(&trial, arena, attempt(d, &fewer));
        helps = !trial.status || htp_axis_search_is_final(trial.status) ||
                is_further(d, trial.status, reason);
        if (helps) {
            leave_out(d, order[i], reason);
        }
        htp_status status = htp_status_let_go(&trial, arena);
        htp_status_free(helps ? refusal->status : status);
        refusal->status = helps ? status : refusal->status;
    }
    return helps;
}

/* Drops all axes, then restores as many as possible, the batch first. @return the refusal without
 * any axis */
static htp_status take_back(struct dropping *d, const char *reason)
{
    htp_axes *axes = &d->search->axes;
    uint32_t *order = HTP_NEW_ARRAY(axes->arena, uint32_t, axes->count);
    bool *moved = HTP_NEW_ARRAY(axes->arena, bool, axes->count);
    for (uint32_t i = 0; i < axes->count; i++) {
        moved[i] = htp_axes_moves(axes, i);
    }
    uint32_t count = order_axes(axes, moved, order);
    htp_axes kept = htp_axes_copy(axes);
    for (uint32_t i = 0; i < count; i++) {
        kept.is_fixed[order[i]] = true;
    }
    HTP_TRY(attempt(d, &kept));
    bool is_last = true;
    for (uint32_t i = count; i-- > 0 && d->trials < MAX_TRIALS;) {
        htp_axes more = htp_axes_copy(&kept);
        more.is_fixed[order[i]] = false;
        htp_status status = attempt(d, &more);
        if (htp_axis_search_is_final(status)) {
            return status;
        }
        is_last = !status;
        kept = is_last ? more : kept;
        htp_status_free(status);
    }
    for (uint32_t i = 0; i < count; i++) {
        if (kept.is_fixed[order[i]]) {
            leave_out(d, order[i], reason);
        }
    }
    return is_last ? HTP_OK : attempt(d, &kept);
}

/* Whether an operator can never be exported, at any sizes. */
static bool is_hopeless(const struct dropping *d)
{
    bool is_hopeless = false;
    for (size_t i = 0; *d->model && i < (*d->model)->refused.count; i++) {
        is_hopeless = is_hopeless || (*d->model)->refused.items[i].is_unknown;
    }
    return is_hopeless;
}

/* @return HTP_OK if the export works with the remaining axes */
static htp_status drop(struct dropping *d, htp_status first)
{
    htp_arena *arena = d->search->axes.arena;
    const htp_axes before = htp_axes_copy(&d->search->axes);
    const char *reason = describe(d, first);
    htp_held_status held;
    htp_status_hold(&held, arena,
                    htp_status_make(htp_status_code(first), "%s", htp_status_message(first)));
    bool helps = true;
    for (uint32_t i = 0; helps && i < MAX_ROUNDS; i++) {
        helps = held.status && !htp_axis_search_is_final(held.status) && !is_hopeless(d) &&
                htp_axes_count_moving(&d->search->axes) > 0 && drop_one(d, &held);
    }
    htp_status refusal = htp_status_let_go(&held, arena);
    if (!refusal || htp_axis_search_is_final(refusal)) {
        return refusal;
    }
    htp_status_free(refusal);
    d->search->axes = before;
    d->trials = 0;
    return take_back(d, reason);
}

/* Adds the names to leave out. */
static void advise(const htp_axis_search *search, htp_status refusal)
{
    const char *const *names = htp_axes_find_names(&search->axes);
    htp_text text = {.arena = search->axes.arena};
    uint32_t count = 0;
    for (uint32_t i = 0; i < search->axes.count; i++) {
        if (search->findings[i].is_refused && search->axes.is_fixed[i]) {
            htp_text_addf(&text, "%s%s", count > 0 ? ", " : "", names[i]);
            count++;
        }
    }
    htp_status_add_detail(refusal, "it can be exported where ax%s %s %s no name",
                          count == 1 ? "is" : "es", htp_text_string(&text),
                          count == 1 ? "has" : "have");
}

htp_status htp_lowered_axes_drop(htp_session *session, const htp_lowerer *lowerer,
                                 htp_status refusal, htp_builder **model)
{
    htp_axis_search *search = session->search;
    if (!search) {
        const htp_axes named = htp_axes_named(&session->arena, &session->inputs);
        search = htp_axis_search_new(session, &named);
    }
    const htp_inputs inputs = session->inputs;
    struct dropping d = {search, lowerer, model, 0};
    htp_held_status held;
    htp_status_hold(&held, &session->arena, refusal);
    htp_status status = drop(&d, refusal);
    bool is_final = htp_axis_search_is_final(status);
    if (!status && !session->search) {
        advise(search, refusal);
    }
    refusal = htp_status_let_go(&held, &session->arena);
    if (is_final || (!status && session->search)) {
        htp_status_free(refusal);
        return status;
    }
    session->inputs = inputs;
    htp_status_free(status);
    return refusal;
}
