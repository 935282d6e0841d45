/*
 * Branches on unknown conditions: both sides are recorded.
 */
#include "interpret/control/merge.h"

/* ---- both sides ---- */

typedef struct sides {
    htp_block then;
    htp_block otherwise;
} sides;

/* A side as the body of a block. */
typedef struct side_body {
    htp_side side;
    bool taken;
} side_body;

static htp_outcome run_body(htp_machine *m, void *data, htp_items *outputs)
{
    const side_body *body = data;
    return body->side.run(m, body->side.data, body->taken, outputs);
}

/* Whether a condition on sizes alone is @p side in some lane. */
static bool is_taken(const htp_machine *m, const htp_item *condition, bool side)
{
    bool is_known = htp_has_lanes(condition) && !htp_is_data(condition);
    bool is_taken = false;
    for (uint32_t lane = 0; is_known && lane < m->lane_count; lane++) {
        is_taken = is_taken || htp_branch_is_side(condition, lane, side);
    }
    return is_taken;
}

/* An exported model does not raise. If one side raises, the branch becomes the other one. Sizes
 * that an axis may have, and at which that side is taken, are refused instead. That is no
 * HTP_RAISES: an enclosing branch raises at these sizes only, and must not become its other side.
 */
static htp_outcome run_sides(htp_machine *m, const htp_item *condition, htp_side side, sides *both)
{
    htp_block *then = &both->then;
    htp_block *otherwise = &both->otherwise;
    HTP_DO(htp_block_run(m, run_body, &(side_body){side, true}, then));
    HTP_DO(htp_block_run(m, run_body, &(side_body){side, false}, otherwise));
    if (!then->has_raised && !otherwise->has_raised) {
        return HTP_GOES_ON;
    }
    const char *message = then->has_raised ? then->message : otherwise->message;
    if (then->has_raised && otherwise->has_raised) {
        return htp_machine_stop(m, HTP_RAISES, "%s", message);
    }
    bool is_refused = is_taken(m, condition, then->has_raised);
    return is_refused ? htp_machine_stop(m, HTP_BAD_INPUTS, "%s", message) : HTP_GOES_ON;
}

/* Records a branch whose sides have been run. */
static htp_outcome join(htp_machine *m, htp_item *condition, const htp_place *place,
                        const sides *both, size_t first_local, htp_items *outputs)
{
    static const char *const names[] = {"condition"};
    const htp_block *then = &both->then;
    const htp_block *otherwise = &both->otherwise;
    if (then->outputs.count != otherwise->outputs.count) {
        return htp_machine_stop(m, HTP_FAILS, "the sides of a branch give more or fewer values");
    }
    htp_merge *all = HTP_NEW(m->arena, htp_merge);
    *all = (htp_merge){.then = then, .otherwise = otherwise, .first_local = first_local};
    if (first_local != HTP_ALL_LIVE) {
        HTP_DO(htp_merge_reach(m, all));
    }
    HTP_DO(htp_merge_memories(m, all));
    htp_items results = {0};
    for (size_t i = 0; i < then->outputs.count; i++) {
        htp_item *merged = NULL;
        HTP_DO(
            htp_merge_values(m, all, then->outputs.items[i], otherwise->outputs.items[i], &merged));
        htp_items_push(m, &results, merged);
    }
    HTP_DO(htp_merge_states(m, all));
    m->recording.blocks.items[then->id].outputs = all->then_ids;
    m->recording.blocks.items[otherwise->id].outputs = all->else_ids;
    htp_items inputs = HTP_ITEMS(m, condition);
    htp_recording_add_control(m, "prim::If", &inputs, names, &all->outputs,
                              (const uint32_t[]){then->id, otherwise->id}, 2, place);
    HTP_DO(htp_merge_apply(m, all));
    *outputs = results;
    return HTP_GOES_ON;
}

/*
 * Runs both sides, again whenever their lists turn out to need another form.
 * @param outcome  of the sides
 * @return another one than HTP_GOES_ON if that fails
 */
static htp_outcome run_fresh_sides(htp_machine *m, const htp_item *condition,
                                   const htp_place *place, htp_side side, htp_mark *mark,
                                   sides *both, htp_outcome *outcome)
{
    enum { MAX_RUNS = 16 };
    for (int i = 0; i < MAX_RUNS; i++) {
        *mark = htp_recording_mark(m);
        *both = (sides){{0}, {0}};
        *outcome = run_sides(m, condition, side, both);
        if (both->then.stale.count == 0 && both->otherwise.stale.count == 0) {
            return HTP_GOES_ON;
        }
        htp_recording_discard(m, mark);
        HTP_DO(htp_block_renew(m, &both->then.stale, place));
        HTP_DO(htp_block_renew(m, &both->otherwise.stale, place));
    }
    return htp_machine_refuse(m, place, "a branch keeps finding lists that were changed before it");
}

htp_outcome htp_branch_run(htp_machine *m, htp_item *condition, const htp_place *place,
                           htp_side side, size_t first_local, htp_items *outputs)
{
    htp_mark mark;
    sides *both = HTP_NEW(m->arena, sides);
    htp_outcome outcome = HTP_GOES_ON;
    HTP_DO(run_fresh_sides(m, condition, place, side, &mark, both, &outcome));
    bool has_raised = both->then.has_raised || both->otherwise.has_raised;
    if (outcome == HTP_GOES_ON && !has_raised) {
        outcome = join(m, condition, place, both, first_local, outputs);
    }
    if (outcome == HTP_COMES_APART || outcome == HTP_PATH_SPLITS) {
        const char *reason = outcome == HTP_PATH_SPLITS ? m->split.reason : m->message;
        htp_recording_discard(m, &mark);
        m->split = (htp_path_split){condition, *place, side, reason};
        return HTP_PATH_SPLITS;
    }
    if (outcome != HTP_GOES_ON || !has_raised) {
        return outcome;
    }
    htp_recording_discard(m, &mark);
    return side.run(m, side.data, both->otherwise.has_raised, outputs);
}

/* ---- sides that cannot be merged ---- */

/* The rest of the program after both sides. */
typedef struct resumption {
    htp_path_split split;
    htp_next next;
    size_t first_local;
} resumption;

static htp_outcome run_resumed(htp_machine *m, const void *data, bool side, htp_items *outputs)
{
    const resumption *behind = data;
    htp_items given = {0};
    htp_outcome outcome = behind->split.side.run(m, behind->split.side.data, side, &given);
    if (outcome == HTP_PATH_SPLITS) {
        return htp_branch_resume(m, &m->split, behind->next, behind->first_local, outputs);
    }
    HTP_DO(outcome);
    return behind->next.run(m, behind->next.data, &given, outputs);
}

htp_outcome htp_branch_resume(htp_machine *m, const htp_path_split *split, htp_next next,
                              size_t first_local, htp_items *outputs)
{
    if (m->control.path_splits == HTP_MAX_PATH_SPLITS) {
        return htp_machine_stop(m, HTP_TOO_MANY_PATH_SPLITS, "%s, %s", split->reason,
                                htp_place_describe(m, &split->place));
    }
    resumption *behind = HTP_NEW(m->arena, resumption);
    *behind = (resumption){*split, next, first_local};
    m->control.path_splits++;
    htp_outcome outcome = htp_branch_run(m, behind->split.condition, &behind->split.place,
                                         (htp_side){run_resumed, behind}, first_local, outputs);
    m->control.path_splits--;
    return outcome;
}
