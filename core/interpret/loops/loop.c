/*
 * Loops: unrolled if the trip count is known, otherwise recorded with their body.
 *
 * The state of a loop is its condition and its carried values: the results of the body.
 */
#include "interpret/loops/loops.h"
#include "interpret/machine/costs.h"

enum { MAX_ATTEMPTS = 32 }; /* to find all changes of a body */
enum { MAX_PEELS = 2 };     /* iterations split off the loop */

#define NO_LIMIT INT64_MAX

static bool has_no_limit(const htp_item *limit)
{
    return htp_is_int(limit) && limit->lane[0].as.i == NO_LIMIT;
}

/* The largest known trip count. */
static htp_outcome most_iterations(htp_machine *m, const htp_item *limit, int64_t *count)
{
    *count = NO_LIMIT;
    if (htp_is_decided(limit)) {
        if (!htp_is_int(limit)) {
            return htp_machine_stop(m, HTP_FAILS, "the limit of a loop is no int");
        }
        *count = limit->lane[0].as.i;
    }
    return HTP_GOES_ON;
}

/* A known flag. */
static htp_outcome flag_of(htp_machine *m, const htp_item *condition, bool *flag)
{
    *flag = htp_is_bool(condition) && condition->lane[0].as.b;
    return htp_is_bool(condition)
               ? HTP_GOES_ON
               : htp_machine_stop(m, HTP_FAILS, "the condition of a loop is no bool");
}

static const htp_program_block *body_of(const htp_step *step)
{
    return &step->frame->code->function.blocks[step->node->blocks[0]];
}

/* A copy of the step with a frame of its own, since it may run again. */
static htp_step own_step(htp_machine *m, const htp_step *step)
{
    htp_step own = *step;
    own.frame = htp_control_copy_frame(m, step->frame);
    return own;
}

/* The carried values. */
static htp_items carried_of(htp_machine *m, const htp_items *state)
{
    return htp_items_of(m, state->items + 1, state->count - 1);
}

/* Runs the body once. */
static htp_outcome run_once(htp_machine *m, const htp_step *step, int64_t i, const htp_items *state,
                            htp_items *results)
{
    const htp_program_block *body = body_of(step);
    step->frame->values[body->inputs[0]] = htp_item_int(m, i);
    for (size_t k = 1; k < state->count; k++) {
        step->frame->values[body->inputs[k]] = state->items[k];
    }
    return htp_control_run_block(m, step->frame, step->node->blocks[0], &step->place, results);
}

/* The rest of a loop after a branch whose sides cannot be merged, or after its first iteration. */
typedef struct rest {
    htp_step step; /* with the frame of that point */
    htp_item *limit;
    int64_t done; /* iterations */
    htp_items state;
} rest;

static rest *make_rest(htp_machine *m, const htp_step *step, htp_item *limit, int64_t done,
                       const htp_items *state)
{
    rest *made = HTP_NEW(m->arena, rest);
    *made = (rest){
        .step = own_step(m, step), .limit = limit, .done = done, .state = htp_items_copy(m, state)};
    return made;
}

static htp_outcome resume(htp_machine *m, htp_next_run *run, const rest *data, htp_items *outputs)
{
    htp_path_split *split =
        HTP_NEW(m->arena, htp_path_split); /* an outer branch may run its sides again */
    *split = m->split;
    htp_next next = {run, data};
    return htp_branch_resume(m, split, next, HTP_ALL_LIVE, outputs);
}

/* ---- loops that are recorded ---- */

/* @param state  before the loop */
static htp_outcome peel(htp_machine *m, const htp_step *step, htp_item *limit,
                        const htp_items *state, int64_t done, htp_items *outputs);

static htp_outcome attempt(htp_machine *m, htp_loop *loop, htp_item *limit, htp_item *condition,
                           htp_items *outputs)
{
    HTP_DO(htp_loop_run_body(m, loop));
    return loop->run.is_stable ? htp_loop_finish(m, loop, limit, condition, outputs) : HTP_GOES_ON;
}

/* Whether sizes alone decide that a loop runs, in some lane. */
static bool must_run(const htp_machine *m, const htp_item *limit, const htp_item *condition)
{
    bool is_known = htp_is_int(limit) && htp_is_bool(condition) && htp_has_lanes(limit) &&
                    htp_has_lanes(condition) && !htp_is_data(limit) && !htp_is_data(condition);
    bool must = false;
    for (uint32_t lane = 0; is_known && lane < m->lane_count; lane++) {
        must = must || (condition->lane[lane].as.b && limit->lane[lane].as.i > 0);
    }
    return must;
}

/* A loop whose body raises, with its message. An exported model does not raise, so it does not run,
 * unless it does at sizes that an axis may have: these are refused. */
static htp_outcome leave_raised(htp_machine *m, const htp_item *limit, const htp_item *condition,
                                const htp_mark *mark, const htp_items *state, htp_items *outputs)
{
    if (must_run(m, limit, condition)) {
        bool is_always = htp_is_decided(limit) && htp_is_decided(condition);
        return is_always ? HTP_RAISES : HTP_BAD_INPUTS;
    }
    htp_recording_discard(m, mark);
    *outputs = carried_of(m, state);
    return HTP_GOES_ON;
}

static htp_outcome repeat(htp_machine *m, const htp_step *step, htp_item *limit,
                          const htp_items *state, int64_t done, htp_items *outputs)
{
    htp_item *condition = state->items[0];
    HTP_DO(htp_item_require_known(m, limit));
    HTP_DO(htp_item_require_known(m, condition));
    htp_loop *loop = htp_loop_make(m, step, state, done);
    htp_mark mark = htp_recording_mark(m);
    const char *reason = "a loop changes the types of its carried values";
    for (int i = 0; i < MAX_ATTEMPTS; i++) {
        htp_outcome outcome = attempt(m, loop, limit, condition, outputs);
        if (outcome == HTP_RAISES) {
            return leave_raised(m, limit, condition, &mark, state, outputs);
        }
        bool is_done = outcome == HTP_GOES_ON && loop->run.is_stable;
        if (is_done ||
            (outcome != HTP_GOES_ON && outcome != HTP_GROWS && outcome != HTP_COMES_APART)) {
            return outcome;
        }
        htp_recording_discard(m, &mark);
        if (loop->stale.count != 0) {
            HTP_DO(htp_block_renew(m, &loop->stale, &loop->place));
            loop->first_item = m->recording.items.count;
            mark = htp_recording_mark(m);
        } else if (outcome == HTP_GROWS) {
            htp_growth growth = m->growth;
            HTP_DO(htp_loop_note_growth(m, loop, &growth));
        } else if (outcome == HTP_COMES_APART) {
            if (m->control.peels < MAX_PEELS) {
                return peel(m, step, limit, state, done, outputs);
            }
            reason = m->message;
            break;
        }
    }
    return htp_machine_refuse(m, &loop->place, "%s", reason);
}

/* The loop after its first iteration, whose results are @p state. */
static htp_outcome run_others(htp_machine *m, const rest *first, const htp_items *state,
                              htp_items *outputs)
{
    htp_item *left = first->limit;
    if (!has_no_limit(left)) {
        htp_items operands = HTP_ITEMS(m, left, htp_item_int(m, 1));
        HTP_DO(htp_execute(m, "aten::sub", "int", &operands, &first->step.place, &left));
    }
    if (htp_is_decided(state->items[0])) {
        bool goes_on;
        HTP_DO(flag_of(m, state->items[0], &goes_on));
        if (!goes_on) {
            *outputs = carried_of(m, state);
            return HTP_GOES_ON;
        }
    }
    htp_step own = own_step(m, &first->step);
    return repeat(m, &own, left, state, first->done + 1, outputs);
}

static htp_outcome go_on_behind_first(htp_machine *m, const void *data, const htp_items *given,
                                      htp_items *outputs)
{
    m->control.peels++;
    htp_outcome outcome = run_others(m, data, given, outputs);
    m->control.peels--;
    return outcome;
}

/* The whole loop, as a side of the branch on whether it runs. */
static htp_outcome run_side(htp_machine *m, const void *data, bool runs, htp_items *outputs)
{
    const rest *whole = data;
    if (!runs) {
        *outputs = carried_of(m, &whole->state);
        return HTP_GOES_ON;
    }
    htp_step own = own_step(m, &whole->step);
    htp_items results = {0};
    htp_outcome outcome = run_once(m, &own, whole->done, &whole->state, &results);
    if (outcome == HTP_PATH_SPLITS) {
        return resume(m, go_on_behind_first, whole, outputs);
    }
    HTP_DO(outcome);
    return go_on_behind_first(m, whole, &results, outputs);
}

/* Peels the first iteration off the loop, so that its results can be carried: None becomes a
 * tensor. */
static htp_outcome peel(htp_machine *m, const htp_step *step, htp_item *limit,
                        const htp_items *state, int64_t done, htp_items *outputs)
{
    htp_item *condition = state->items[0];
    htp_side side = {run_side, make_rest(m, step, limit, done, state)};
    bool is_decided = htp_is_decided(condition);
    bool goes_on = true;
    int64_t count;
    HTP_DO(most_iterations(m, limit, &count));
    if (is_decided) {
        HTP_DO(flag_of(m, condition, &goes_on));
    }
    bool is_over = !goes_on || count <= 0;
    if (is_over || (is_decided && htp_is_decided(limit))) {
        return side.run(m, side.data, !is_over, outputs);
    }
    if (htp_is_decided(limit)) {
        return htp_branch_run(m, condition, &step->place, side, HTP_ALL_LIVE, outputs);
    }
    htp_items operands = HTP_ITEMS(m, limit, htp_item_int(m, 0));
    htp_item *runs;
    HTP_DO(htp_execute(m, "aten::gt", "int", &operands, &step->place, &runs));
    if (!is_decided) {
        operands = HTP_ITEMS(m, runs, condition);
        HTP_DO(htp_execute(m, "aten::__and__", "bool", &operands, &step->place, &runs));
    }
    return htp_branch_run(m, runs, &step->place, side, HTP_ALL_LIVE, outputs);
}

/* ---- loops that are unrolled ---- */

static htp_outcome unroll(htp_machine *m, const htp_step *step, htp_item *limit, int64_t i,
                          const htp_items *state, htp_items *outputs);

static htp_outcome go_on_unrolling(htp_machine *m, const void *data, const htp_items *given,
                                   htp_items *outputs)
{
    const rest *left = data;
    htp_step own = own_step(m, &left->step);
    return unroll(m, &own, left->limit, left->done, given, outputs);
}

/* Unrolls a loop from iteration @p i on, as long as its condition is known. */
static htp_outcome unroll(htp_machine *m, const htp_step *step, htp_item *limit, int64_t i,
                          const htp_items *state, htp_items *outputs)
{
    int64_t count;
    HTP_DO(most_iterations(m, limit, &count));
    htp_items now = htp_items_copy(m, state);
    for (; i < count; i++) {
        HTP_DO(htp_machine_tick(m)); /* the body may be empty */
        bool is_counted = htp_is_decided(limit);
        if (!is_counted || !htp_is_decided(now.items[0])) {
            htp_item *left = is_counted ? htp_item_int(m, count - i) : limit;
            return repeat(m, step, left, &now, i, outputs);
        }
        bool goes_on;
        HTP_DO(flag_of(m, now.items[0], &goes_on));
        if (!goes_on) {
            break;
        }
        htp_items results = {0};
        htp_outcome outcome = run_once(m, step, i, &now, &results);
        if (outcome == HTP_PATH_SPLITS) {
            return resume(m, go_on_unrolling, make_rest(m, step, limit, i + 1, &now), outputs);
        }
        HTP_DO(outcome);
        now = results;
    }
    *outputs = carried_of(m, &now);
    return HTP_GOES_ON;
}

/* Whether the body takes and returns the carried values. */
static bool has_body(const htp_step *step)
{
    size_t count = step->inputs.count;
    return step->node->block_count != 0 && count >= 2 && body_of(step)->input_count == count - 1 &&
           body_of(step)->output_count == count - 1;
}

htp_outcome htp_do_loop(htp_machine *m, htp_step *step, htp_items *outputs)
{
    if (!has_body(step)) {
        return htp_machine_stop(m, HTP_FAILS, "the body of a loop does not fit it");
    }
    m->recording.has_control = true;
    htp_item *limit = step->inputs.items[0];
    htp_items state = htp_items_of(m, step->inputs.items + 1, step->inputs.count - 1);
    int64_t count;
    HTP_DO(most_iterations(m, limit, &count));
    if (count > m->longest_unrolled && count != NO_LIMIT && htp_is_decided(state.items[0])) {
        htp_mark mark = htp_recording_mark(m);
        htp_outcome outcome = repeat(m, step, limit, &state, 0, outputs);
        if (!HTP_IS_UNSUPPORTED(outcome)) {
            return outcome;
        }
        htp_recording_discard(m, &mark);
        *outputs = (htp_items){0};
    }
    return unroll(m, step, limit, 0, &state, outputs);
}
