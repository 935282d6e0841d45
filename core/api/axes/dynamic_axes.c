#include "api/axes/dynamic_axes.h"

#include "api/axes/axis_search.h"

/* The effort for a trial of all dynamic axes. */
enum effort {
    EFFORT_ONE, /* one choice of sizes */
    EFFORT_ALL, /* all choices of sizes */
    EFFORT_END, /* all choices; without a hint, drops the last axis */
};

/* The last dynamic axis, or HTP_NONE. */
static uint32_t last_moving(const htp_axis_search *search)
{
    uint32_t axis = search->axes.count;
    while (axis > 0 && !htp_axes_moves(&search->axes, axis - 1)) {
        axis--;
    }
    return axis > 0 ? axis - 1 : HTP_NONE;
}

/* Applies a refusal to the axes. If it names none, drops the last one, as @p effort allows. @return
 * whether there is something else to try */
static bool learn(htp_axis_search *search, enum effort effort, const htp_shape_conflict *conflict)
{
    if (htp_axis_search_apply(search, conflict)) {
        return true;
    }
    bool is_last =
        effort == EFFORT_END || (effort == EFFORT_ALL && htp_axes_count_moving(&search->axes) == 1);
    uint32_t axis = is_last ? last_moving(search) : HTP_NONE;
    if (axis != HTP_NONE) {
        htp_axis_search_fix(search, axis, conflict->message, conflict);
    }
    return axis != HTP_NONE;
}

/* Traces with all dynamic axes, and applies refusals. */
static htp_status trace_moving(htp_axis_search *search, enum effort effort,
                               htp_shape_conflict *conflict)
{
    htp_arena *arena = &search->session->arena;
    htp_status status = HTP_OK;
    bool goes_on = true;
    while (goes_on) {
        htp_held_status held;
        htp_status_free(status);
        status = htp_axis_search_trace(search, &search->axes, effort == EFFORT_ONE, conflict);
        htp_status_hold(&held, arena, status);
        goes_on = status && !htp_axis_search_is_final(status) &&
                  (search->trials < HTP_AXIS_TRIALS || effort == EFFORT_END) &&
                  learn(search, effort, conflict);
        status = htp_status_let_go(&held, arena);
    }
    search->is_done = !status;
    return status;
}

/* Like trace_moving(); a refusal is no failure. */
static htp_status try_moving(htp_axis_search *search, enum effort effort,
                             htp_shape_conflict *conflict)
{
    htp_status status = trace_moving(search, effort, conflict);
    if (htp_axis_search_is_final(status)) {
        return status;
    }
    htp_status_free(status);
    return HTP_OK;
}

/* ---- axes of one size ---- */

/* Whether dims of two axes lie in one input, or at different positions. */
static bool are_apart(const htp_axes *axes, uint32_t a, uint32_t b)
{
    bool are_apart = axes->dims[a].dim != axes->dims[b].dim;
    for (uint32_t i = 0; i < axes->count && !are_apart; i++) {
        are_apart = axes->axis_of[i] == a && axes->dims[i].input == axes->dims[b].input;
    }
    return are_apart;
}

/* Joins axes of equal size at one position of several inputs. @return whether there are any */
static bool join_by_place(htp_axes *axes)
{
    bool has_joined = false;
    for (uint32_t b = 0; b < axes->count; b++) {
        for (uint32_t a = 0; a < b && htp_axes_moves(axes, b); a++) {
            bool may_join = htp_axes_size(axes, a) == htp_axes_size(axes, b) &&
                            htp_axes_moves(axes, a) && !are_apart(axes, a, b);
            has_joined = (may_join && htp_axes_join(axes, a, b)) || has_joined;
        }
    }
    return has_joined;
}

/* The axes before and after those of equal size were joined. */
struct joined {
    htp_axes apart;
    htp_axes after;
};

/* A refusal without a hint: perhaps some axes must be equal. */
static htp_status try_joined(htp_axis_search *search, struct joined *joined,
                             htp_shape_conflict *conflict)
{
    if (!join_by_place(&search->axes)) {
        search->axes = joined->apart;
        return HTP_OK;
    }
    joined->after = htp_axes_copy(&search->axes);
    return try_moving(search, EFFORT_ALL, conflict);
}

/* ---- one by one ---- */

/* Traces with a single axis of @p axes. */
static htp_status trace_alone(htp_axis_search *search, const htp_axes *axes, uint32_t axis,
                              htp_shape_conflict *conflict)
{
    htp_axes alone = htp_axes_copy(axes);
    for (uint32_t i = 0; i < alone.count; i++) {
        alone.is_fixed[i] = alone.is_fixed[i] || (i != axis && !alone.formulas[i]);
    }
    alone.is_fixed[axis] = false;
    search->is_done = false;
    return htp_axis_search_trace(search, &alone, false, conflict);
}

static htp_status try_alone(htp_axis_search *search, uint32_t axis)
{
    htp_shape_conflict conflict;
    htp_status status = trace_alone(search, &search->axes, axis, &conflict);
    if (htp_axis_search_is_final(status)) {
        return status;
    }
    if (status) {
        htp_axis_search_fix(search, axis, conflict.message, &conflict);
    }
    search->is_done = !status && htp_axes_count_moving(&search->axes) == 1;
    htp_status_free(status);
    return HTP_OK;
}

/* Tries axes one by one, last dims first: programs fix image sizes and features more often than
 * batches. */
static htp_status try_each(htp_axis_search *search)
{
    const htp_axes *axes = &search->axes;
    for (uint32_t dim = HTP_MAX_RANK; dim-- > 0;) {
        for (uint32_t i = 0; i < axes->count && !search->is_done; i++) {
            bool is_next = axes->dims[i].dim == dim && htp_axes_moves(axes, i) &&
                           !search->findings[i].is_tried && search->trials < HTP_AXIS_TRIALS;
            if (!is_next) {
                continue;
            }
            search->findings[i].is_tried = true;
            HTP_TRY(try_alone(search, i));
            if (axes->is_fixed[i]) {
                htp_shape_conflict conflict;
                HTP_TRY(try_moving(search, EFFORT_ONE, &conflict));
            }
        }
    }
    return HTP_OK;
}

/* Whether two axes of equal size are compared by an operator. */
static bool may_be_pair(const htp_axis_search *search, uint32_t a, uint32_t b)
{
    const htp_axes *axes = &search->axes;
    const htp_axis_finding *of_a = &search->findings[a];
    const htp_axis_finding *of_b = &search->findings[b];
    return axes->axis_of[a] == a && axes->axis_of[b] == b && axes->is_fixed[a] &&
           axes->is_fixed[b] && of_a->conflict && of_b->conflict &&
           htp_axes_size(axes, a) == htp_axes_size(axes, b) &&
           (of_a->is_operators || of_b->is_operators);
}

/* Axes that cannot be dynamic alone may be so together, like both sides of a square. */
static htp_status try_pairs(htp_axis_search *search)
{
    for (uint32_t a = 0; a < search->axes.count; a++) {
        for (uint32_t b = a + 1; b < search->axes.count; b++) {
            if (!may_be_pair(search, a, b) || search->trials >= HTP_AXIS_TRIALS) {
                continue;
            }
            htp_shape_conflict conflict;
            htp_axes joined = htp_axes_copy(&search->axes);
            (void)htp_axes_join(&joined, a, b);
            htp_status status = trace_alone(search, &joined, a, &conflict);
            if (htp_axis_search_is_final(status)) {
                return status;
            }
            if (!status) {
                search->axes = joined;
                search->axes.is_fixed[a] = false;
                search->findings[a].conflict = NULL;
                search->is_done = htp_axes_count_moving(&search->axes) == 1;
            }
            htp_status_free(status);
        }
    }
    return HTP_OK;
}

/* ---- apart again ---- */

/* Whether an axis was joined because of its size. */
static bool is_joined(const struct joined *joined, const htp_axes *axes, uint32_t axis)
{
    bool is_joined = false;
    for (uint32_t i = axis; i < axes->count && !is_joined; i++) {
        uint32_t part = joined->apart.axis_of[i];
        is_joined = axes->axis_of[i] == axis && part != axis && joined->after.axis_of[i] != part;
    }
    return is_joined;
}

/* The axes with a joined one split again. */
static htp_axes split(const struct joined *joined, uint32_t axis, const htp_axes *axes)
{
    htp_axes parts = htp_axes_copy(axes);
    for (uint32_t i = axis; i < axes->count; i++) {
        bool is_part = axes->axis_of[i] == axis;
        parts.axis_of[i] = is_part ? joined->apart.axis_of[i] : axes->axis_of[i];
        parts.is_fixed[i] = is_part ? axes->is_fixed[axis] : axes->is_fixed[i];
    }
    return parts;
}

/* Whether all dynamic dims of some axes are dynamic in others. */
static bool keeps_moving(const htp_axes *axes, const htp_axes *others)
{
    bool keeps = true;
    for (uint32_t i = 0; i < axes->count && keeps; i++) {
        keeps = axes->is_fixed[axes->axis_of[i]] || !others->is_fixed[others->axis_of[i]];
    }
    return keeps;
}

/* Tries axes, with sizes in both orders, then in one: a value that is sliced to another's size must
 * be the larger one. Learns joins. Without success, the old axes stay. */
static htp_status try_axes(htp_axis_search *search, const htp_axes *axes)
{
    const htp_axes before = search->axes;
    const bool had_order = search->one_order;
    bool works = false;
    for (int order = had_order; order < 2 && !works; order++) {
        htp_shape_conflict conflict;
        search->one_order = order == 1;
        search->axes = htp_axes_copy(axes);
        HTP_TRY(try_moving(search, search->one_order ? EFFORT_ALL : EFFORT_ONE, &conflict));
        works = search->is_done && keeps_moving(axes, &search->axes);
    }
    if (!works) {
        search->is_done = false;
        search->axes = before;
        search->one_order = had_order;
    }
    return HTP_OK;
}

/* Tries each part of a joined axis alone: perhaps only the others are fixed. */
static htp_status free_parts(htp_axis_search *search, const htp_axes *parts, uint32_t axis)
{
    const htp_axes before = htp_axes_copy(&search->axes);
    search->axes = htp_axes_copy(parts);
    for (uint32_t i = axis; i < parts->count && search->trials < HTP_AXIS_TRIALS; i++) {
        if (before.axis_of[i] == axis && parts->axis_of[i] == i) {
            htp_axes more = htp_axes_copy(&search->axes);
            more.is_fixed[i] = false;
            search->findings[i] = search->findings[axis];
            HTP_TRY(try_axes(search, &more));
        }
    }
    return HTP_OK;
}

/* Tries the parts of each axis that was joined because of its size. */
static htp_status take_apart(htp_axis_search *search, const struct joined *joined)
{
    for (uint32_t i = 0; i < search->axes.count && search->trials < HTP_AXIS_TRIALS; i++) {
        const htp_axes *axes = &search->axes;
        if (axes->axis_of[i] != i || axes->formulas[i] || !is_joined(joined, axes, i)) {
            continue;
        }
        htp_axes parts = split(joined, i, axes);
        HTP_TRY(search->axes.is_fixed[i] ? free_parts(search, &parts, i)
                                         : try_axes(search, &parts));
    }
    return HTP_OK;
}

/* ---- the whole ---- */

/* Traces with all sizes fixed. */
static htp_status trace_fixed(htp_axis_search *search)
{
    htp_shape_conflict conflict;
    htp_axes none = htp_axes_copy(&search->axes);
    for (uint32_t i = 0; i < none.count; i++) {
        none.is_fixed[i] = true;
    }
    return htp_axis_search_trace(search, &none, false, &conflict);
}

static htp_status find_moving(htp_axis_search *search)
{
    htp_shape_conflict conflict;
    HTP_TRY(try_moving(search, EFFORT_ALL, &conflict));
    if (search->is_done) {
        return HTP_OK;
    }
    struct joined joined = {htp_axes_copy(&search->axes), htp_axes_copy(&search->axes)};
    if (conflict.is_export) { /* perhaps no sizes help */
        HTP_TRY(trace_fixed(search));
    } else {
        HTP_TRY(try_joined(search, &joined, &conflict));
    }
    HTP_TRY(try_each(search));
    HTP_TRY(try_pairs(search));
    HTP_TRY(take_apart(search, &joined));
    return search->is_done ? HTP_OK : trace_moving(search, EFFORT_END, &conflict);
}

/* Notes which inputs are images. */
static htp_status note_layouts(htp_session *session, htp_axes *axes)
{
    if (!htp_axes_need_hints(axes)) {
        return HTP_OK;
    }
    HTP_TRY(htp_session_find_hints(session));
    htp_axes_note_hints(axes, session->hints, session->hint_count);
    if (htp_axes_may_be_pictures(axes)) {
        const htp_named_operator *operators = NULL;
        uint32_t count = 0;
        HTP_TRY(htp_source_find_operators(&session->source, &operators, &count));
        htp_axes_note_operators(axes, operators, count);
    }
    return HTP_OK;
}

htp_status htp_session_trace_dynamic(htp_session *session)
{
    htp_axes apart = htp_axes_apart(&session->arena, &session->inputs);
    htp_source_find_axes(&session->source, &apart);
    HTP_TRY(note_layouts(session, &apart));
    session->search = htp_axis_search_new(session, &apart);
    HTP_TRY(find_moving(session->search));
    htp_axis_search_note(session->search);
    return HTP_OK;
}
