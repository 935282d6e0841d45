/*
 * Traces of a program, and their graphs.
 */
#include "source/tracing/tracing.h"

#include "source/input_search/bounds.h"
#include "source/tracing/first_call.h"
#include "source/tracing/slice_bounds.h"
#include "source/tracing/states.h"

/* A trace's parameters and outcome. */
struct tracing {
    htp_arena *arena;
    htp_source *source;
    const htp_inputs *inputs;
    htp_watch watch;
    bool freezes_state;
    bool has_last_lanes, flags_are_inputs; /* as in a htp_tracer */
    htp_states states;
    bool lacked_memory;      /* any call */
    uint32_t flat_choice;    /* the first choice of lanes with flats; HTP_NONE: none had any */
    htp_trace_result result; /* of the last call */
    htp_code code;           /* its outcome */
    const char *message;     /* the reason; "" without a failure */
};

static htp_code run(struct tracing *tracing, uint32_t lane_count)
{
    const htp_inputs *inputs = tracing->inputs;
    const htp_tracer tracer = {
        .arena = tracing->arena,
        .source = tracing->source,
        .inputs = htp_inputs_nest(tracing->arena, inputs, NULL),
        .input_count = inputs->argument_count,
        .tick = htp_watch_tick,
        .user = &tracing->watch,
        .has_last_lanes = tracing->has_last_lanes,
        .flags_are_inputs = tracing->flags_are_inputs,
        .calls_once = tracing->freezes_state,
    };
    htp_status status = htp_states_settle(&tracer, lane_count, &tracing->states, &tracing->result);
    tracing->code = htp_status_code(status);
    tracing->lacked_memory = tracing->lacked_memory || tracing->result.lacks_memory;
    if (tracing->result.has_flats && tracing->flat_choice == HTP_NONE) {
        tracing->flat_choice = inputs->choice;
    }
    tracing->message = htp_status_keep_message(tracing->arena, status);
    return tracing->code;
}

/* The outcome of the last call as a status. */
static htp_status end(const struct tracing *tracing)
{
    return tracing->code == HTP_CODE_OK
               ? HTP_OK
               : htp_status_make(tracing->code, "%s: %s", tracing->source->path, tracing->message);
}

/* Adds the conditions on axes for an operator to run. */
static htp_status explain_condition(const struct tracing *tracing, const htp_condition *condition)
{
    const htp_inputs *inputs = tracing->inputs;
    const htp_equation *equation = &condition->equation;
    uint32_t term = htp_equation_solve(equation);
    const char *axis = inputs->axes[equation->terms[term].axis].symbol;
    htp_size_formula formula = htp_equation_solution(equation, term);
    const char *text = htp_inputs_write_formula(tracing->arena, inputs, &formula);
    return htp_status_make(HTP_CODE_USAGE,
                           "%s: forward() takes axis %s as long as %s alone; write %s in its "
                           "place, or do not name it: %s",
                           tracing->source->path, axis, text ? text : "others",
                           text ? text : "that", condition->message);
}

/* forward() refused every choice of sizes: finds out whether the requested ones are to blame, or
 * the others. @p tracing holds the first refusal in all lanes, @p conflict its explanation. */
static htp_status explain_refusal(struct tracing *tracing, const htp_shape_conflict *conflict)
{
    const char *path = tracing->source->path;
    const char *refusal = tracing->message;
    htp_code code = run(tracing, 1);
    if (tracing->result.needs_lanes) { /* one lane cannot decide that */
        return htp_status_make(HTP_CODE_USAGE, "%s: %s", path, refusal);
    }
    if (code != HTP_CODE_OK) {
        return end(tracing);
    }
    const htp_inputs *inputs = tracing->inputs;
    const htp_equation *equation = &conflict->conditions[0].equation;
    if (conflict->condition_count > 0 && htp_equation_solve(equation) != HTP_NONE) {
        return explain_condition(tracing, &conflict->conditions[0]);
    }
    uint32_t axis = inputs->axis_count == 1 ? 0
                    : conflict->condition_count > 0 && equation->count == 1
                        ? equation->terms[0].axis
                        : HTP_NONE;
    if (axis < inputs->axis_count) {
        return htp_status_make(HTP_CODE_USAGE,
                               "%s: forward() takes the sizes given, but refuses others than %lld "
                               "for axis %s; do not name it: %s",
                               path, (long long)inputs->axes[axis].sizes[0],
                               inputs->axes[axis].symbol, refusal);
    }
    return htp_status_make(HTP_CODE_USAGE,
                           "%s: forward() takes the sizes given, but refuses others on the named "
                           "axes; name fewer of them: %s",
                           path, refusal);
}

/* Whether no choice of sizes avoids a refusal. */
static bool is_certain(const htp_shape_conflict *conflict)
{
    return conflict->is_fixed || conflict->condition_count > 0;
}

/* Interprets a refusal, together with earlier ones. */
static htp_shape_conflict read_refusal(struct tracing *tracing)
{
    const htp_inputs *inputs = tracing->inputs;
    htp_shape_conflict conflict = htp_shape_conflict_read(
        tracing->arena, tracing->result.trace, tracing->message, inputs, tracing->source->modules);
    htp_bounds_read(tracing->arena, tracing->result.trace, tracing->message, inputs);
    if (inputs->keeps_bounds) {
        htp_shape_conflict_bound(tracing->arena, &conflict, inputs);
    }
    return conflict;
}

/* Notes the first refusal, or a later one that no sizes can avoid. */
static void note_refusal(struct tracing *tracing, htp_shape_conflict *conflict)
{
    htp_shape_conflict read = read_refusal(tracing);
    if (!conflict->message || is_certain(&read)) {
        *conflict = read;
    }
}

/* The first node whose operator failed, although the program did not; or NULL. */
static const htp_trace_node *find_failed(const htp_trace *trace)
{
    for (uint32_t i = 0; i < trace->node_count; i++) {
        if (trace->nodes[i].failure) {
            return &trace->nodes[i];
        }
    }
    return NULL;
}

/* Why a program cannot be exported at tiny sizes; NULL if it runs there, or raises as in libtorch.
 * A failure in a branch may never be reached. */
static const char *find_reason(const struct tracing *tracing, htp_code code)
{
    const htp_trace *trace = tracing->result.trace;
    if (code == HTP_CODE_UNSUPPORTED) {
        return tracing->message;
    }
    const htp_trace_node *failed = trace ? find_failed(trace) : NULL;
    if (!failed || (code == HTP_CODE_USAGE && failed->block == 0)) {
        return NULL;
    }
    return htp_arena_printf(tracing->arena, "%s: %s", failed->kind, failed->failure);
}

/* Runs with the first choice of lanes, two of which are tiny; with the second if the program
 * refuses these, or cannot be exported with them. */
static htp_code run_smallest(struct tracing *tracing, htp_inputs *inputs,
                             htp_shape_conflict *conflict)
{
    inputs->failure_when_small = NULL;
    inputs->largest_failing = 1;
    htp_code code = run(tracing, inputs->lane_count);
    if (inputs->lane_count == 1 || inputs->choice != 0) {
        return code;
    }
    const char *reason = find_reason(tracing, code);
    if (code == HTP_CODE_USAGE) {
        const htp_shape_conflict read = read_refusal(tracing);
        *conflict = read.condition_count > 0 ? read : *conflict;
    }
    bool is_done = conflict->condition_count > 0 || (!reason && code != HTP_CODE_USAGE);
    if (is_done || !htp_inputs_choose_lanes(tracing->arena, inputs, 1)) {
        return code;
    }
    code = run(tracing, inputs->lane_count);
    bool is_larger = code == HTP_CODE_OK && !find_failed(tracing->result.trace);
    inputs->failure_when_small = is_larger ? reason : NULL;
    return code;
}

/* ---- smaller sizes, for slices ---- */

enum { MAX_CUTS = 8 }; /* traces */

/* An additional lane, with sizes at which dims may end before slices do. */
struct below {
    int64_t *sizes;   /* of that lane, by axis */
    int64_t *refused; /* the largest refused one, by axis */
    bool has_lane;    /* some were accepted */
    uint32_t trials;
};

/* The cuts of a trace in the order of trials. Later ones are tried only if earlier ones are
 * refused. */
static uint32_t list_cuts(const struct tracing *tracing, const struct below *below,
                          htp_cut cuts[MAX_CUTS])
{
    const htp_inputs *inputs = tracing->inputs;
    int64_t *refused = htp_arena_grow(tracing->arena, below->refused, inputs->axis_count,
                                      (size_t)inputs->axis_count + 1, sizeof(*refused));
    uint32_t count = 0;
    while (below->trials + count < MAX_CUTS &&
           htp_slice_bounds_find(tracing->result.trace, inputs, refused, &cuts[count])) {
        refused[cuts[count].axis] = cuts[count].size;
        count++;
    }
    return count;
}

/* Tries the size of a cut in the additional lane. @p code receives the result of the trace, if
 * there was one. @return whether forward() accepts it; if not, the lanes are unchanged */
static bool try_cut(struct tracing *tracing, htp_inputs *inputs, struct below *below, htp_cut cut,
                    htp_code *code)
{
    int64_t before = below->sizes[cut.axis];
    const char *reason = NULL;
    below->trials++;
    below->sizes[cut.axis] = cut.size;
    if (htp_inputs_set_last_lane(inputs, below->sizes)) {
        *code = run(tracing, inputs->lane_count);
        reason = find_reason(tracing, *code);
        if (*code == HTP_CODE_OK && !reason) {
            below->has_lane = true;
            return true;
        }
    }
    if (reason) {
        inputs->failure_when_small = reason;
        inputs->largest_failing = cut.size;
    }
    below->refused[cut.axis] = cut.size;
    below->sizes[cut.axis] = before;
    (void)htp_inputs_set_last_lane(inputs, below->has_lane ? below->sizes : NULL);
    return false;
}

/* Adds a lane with sizes at which dims end before slices do, if forward() accepts such sizes. */
static htp_code run_below_cuts(struct tracing *tracing, htp_inputs *inputs)
{
    struct below below = {
        .sizes = HTP_NEW_ARRAY(tracing->arena, int64_t, (size_t)inputs->axis_count + 1),
        .refused = HTP_NEW_ARRAY(tracing->arena, int64_t, (size_t)inputs->axis_count + 1),
    };
    /* where tiny sizes are refused, those of the example are not */
    const uint32_t from = inputs->choice == 0 ? 0 : HTP_INPUTS_LANES - 1;
    for (uint32_t i = 0; i < inputs->axis_count; i++) {
        below.sizes[i] = inputs->axes[i].sizes[from];
    }
    htp_code code = HTP_CODE_OK;
    bool is_taken = true;
    while (is_taken) {
        htp_cut cuts[MAX_CUTS];
        uint32_t count = list_cuts(tracing, &below, cuts);
        is_taken = false;
        for (uint32_t i = 0; i < count && !is_taken && !tracing->watch.is_interrupted; i++) {
            is_taken = try_cut(tracing, inputs, &below, cuts[i], &code);
        }
    }
    /* the last trace is that of accepted sizes */
    return code == HTP_CODE_OK && !find_failed(tracing->result.trace)
               ? code
               : run(tracing, inputs->lane_count);
}

/* Whether tiny sizes were tried, and no operator under a condition raised at them. */
static bool shows_small_sizes(const htp_trace *trace, const htp_inputs *inputs)
{
    bool shows = inputs->lane_count != HTP_INPUTS_LANES;
    for (uint32_t i = 0; i < trace->value_count && shows; i++) {
        shows = trace->values[i].absent == 0;
    }
    return shows;
}

/* ---- all lanes ---- */

/* Chooses lanes again if the file declares bounds. */
static htp_status choose_declared_lanes(const struct tracing *tracing, htp_inputs *inputs)
{
    if (!htp_source_find_bounds(tracing->source, inputs)) {
        return HTP_OK;
    }
    inputs->keeps_bounds = true;
    return inputs->axis_count == 0 || htp_inputs_choose_lanes(tracing->arena, inputs, 0)
               ? HTP_OK
               : htp_status_make(HTP_CODE_USAGE,
                                 "%s: the program accepts too few sizes for dynamic axes; leave "
                                 "their names out",
                                 tracing->source->path);
}

/* Traces with the first choice of lanes that had flats as the last one. @return whether forward()
 * takes it; else it stays refused */
static bool run_last_lanes(struct tracing *tracing, htp_inputs *inputs)
{
    tracing->has_last_lanes = true;
    const bool is_taken = htp_inputs_choose_lanes(tracing->arena, inputs, tracing->flat_choice) &&
                          run(tracing, inputs->lane_count) == HTP_CODE_OK;
    tracing->has_last_lanes = is_taken; /* other traces of the same lanes follow */
    tracing->code = is_taken ? HTP_CODE_OK : HTP_CODE_USAGE;
    return is_taken;
}

/* Tries one choice of lanes after another. */
static htp_status run_all_lanes(struct tracing *tracing, htp_inputs *inputs,
                                htp_shape_conflict *wanted)
{
    htp_shape_conflict conflict = {.message = NULL};
    tracing->flat_choice = HTP_NONE;
    inputs->tells_order = wanted && !wanted->one_order;
    inputs->keeps_bounds = !wanted || !wanted->tries_one;
    if (!inputs->bounds) {
        inputs->bounds = HTP_NEW_ARRAY(tracing->arena, htp_bound, (size_t)inputs->axis_count + 1);
    }
    HTP_TRY(choose_declared_lanes(tracing, inputs));
    htp_code code = run_smallest(tracing, inputs, &conflict);
    if (tracing->result.needs_lanes) {
        inputs->lane_count = HTP_INPUTS_LANES;
        code = run(tracing, inputs->lane_count);
    }
    const char *first = tracing->message;
    bool is_refused = false;
    while (code == HTP_CODE_USAGE && !is_refused) {
        note_refusal(tracing, &conflict);
        is_refused = is_certain(&conflict) || (wanted && wanted->tries_one) ||
                     !htp_inputs_choose_lanes(tracing->arena, inputs, inputs->choice + 1);
        code = is_refused ? code : run(tracing, inputs->lane_count);
    }
    if (is_refused && !is_certain(&conflict) && tracing->flat_choice != HTP_NONE) {
        is_refused = !run_last_lanes(tracing, inputs);
        code = tracing->code;
    }
    if (is_refused) {
        tracing->message = first;
    }
    if (code == HTP_CODE_OK && inputs->axis_count > 0 && !find_failed(tracing->result.trace) &&
        !shows_small_sizes(tracing->result.trace, inputs)) {
        (void)run_below_cuts(tracing, inputs);
    }
    if (wanted) {
        conflict.message = conflict.message && is_refused ? conflict.message : tracing->message;
        *wanted = conflict;
    }
    return is_refused && !wanted && inputs->axis_count > 0 ? explain_refusal(tracing, &conflict)
                                                           : end(tracing);
}

/* Traces again with flags as inputs, which separate the first call from others. */
static htp_status trace_flags(struct tracing *tracing, htp_inputs *inputs)
{
    tracing->flags_are_inputs = true;
    (void)run(tracing, inputs->lane_count);
    if (tracing->result.needs_lanes) {
        inputs->lane_count = HTP_INPUTS_LANES;
        (void)run(tracing, inputs->lane_count);
    }
    return end(tracing);
}

/* Finds the states of the model and their initial values. */
static htp_status find_states(struct tracing *tracing, htp_inputs *inputs, htp_graph_state **states,
                              uint32_t *count)
{
    htp_arena *arena = tracing->arena;
    htp_first *first = HTP_NEW_ARRAY(arena, htp_first, tracing->states.parts.count + 1);
    const char *unknown = htp_first_call_find(arena, &tracing->states, inputs->lane_count, first);
    if (unknown && tracing->states.has_known) {
        HTP_TRY(trace_flags(tracing, inputs));
        first = HTP_NEW_ARRAY(arena, htp_first, tracing->states.parts.count + 1);
        unknown = htp_first_call_find(arena, &tracing->states, inputs->lane_count, first);
    }
    if (unknown) {
        return htp_status_make(HTP_CODE_UNSUPPORTED,
                               "%s: the first call does something else than later ones, because "
                               "of the attribute \"%s\": call the model once before it is saved, "
                               "or export one call with --freeze-state",
                               tracing->source->path, unknown);
    }
    const htp_state_parts *parts = &tracing->states.parts;
    *count = (uint32_t)parts->count;
    *states = HTP_NEW_ARRAY(arena, htp_graph_state, parts->count + 1);
    for (size_t i = 0; i < parts->count; i++) {
        const htp_state_part *part = &parts->items[i];
        (*states)[i] =
            (htp_graph_state){part->name, part->module, part->before, part->after, first[i]};
    }
    return HTP_OK;
}

htp_status htp_graph_trace(htp_source *source, htp_inputs *inputs, bool freezes_state,
                           htp_shape_conflict *conflict, htp_progress_fn progress, void *user,
                           htp_arena *arena, htp_graph **graph)
{
    struct tracing tracing = {
        .arena = arena,
        .source = source,
        .inputs = inputs,
        .freezes_state = freezes_state,
        .watch = {.stage = HTP_STAGE_TRACED, .label = "nodes", .progress = progress, .user = user}};
    htp_status status = run_all_lanes(&tracing, inputs, conflict);
    if (status && tracing.watch.is_interrupted) {
        htp_status_free(status);
        return htp_status_make(HTP_CODE_INTERRUPTED, "interrupted");
    }
    if (tracing.lacked_memory) { /* a trial that lacks it says nothing about its sizes */
        htp_status_free(status);
        return htp_status_make(HTP_CODE_INTERNAL, "%s: out of memory", source->path);
    }
    HTP_TRY(status);
    htp_graph_state *states = NULL;
    uint32_t state_count = 0;
    HTP_TRY(find_states(&tracing, inputs, &states, &state_count));
    *graph = htp_graph_build(arena, tracing.result.trace, inputs->lane_count, source->modules,
                             source->module_count, source->arguments, source->argument_count,
                             inputs->axes, inputs->axis_count);
    (*graph)->states = states;
    (*graph)->state_count = state_count;
    (*graph)->is_unsettled = tracing.states.is_unknown;
    return HTP_OK;
}
