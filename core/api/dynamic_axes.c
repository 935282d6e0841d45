#include "api/dynamic_axes.h"

#include "source/axes.h"

/* What is known of the axes that were guessed. */
struct search {
    htp_session *session;
    const htp_inputs *guessed;
    bool *moves;            /* by axis */
    const char **obstacles; /* by axis: why it does not */
    bool *are_fixed;        /* by axis: an operator needs its size */
    uint32_t alone;         /* the axis that the last trace, which was not refused, had alone */
    bool is_done;           /* the last trace had all that move */
};

/* A status that does not tell of the sizes: out of memory, an interrupt. */
static bool is_final(htp_status status)
{
    htp_code code = htp_status_code(status);
    return status && code != HTP_CODE_USAGE && code != HTP_CODE_UNSUPPORTED;
}

/* Traces with some axes; @p obstacle tells of an axis of the guessed ones. */
static htp_status trace_selected(struct search *search, const bool *kept, bool tries_one,
                                 htp_obstacle *obstacle)
{
    htp_session *session = search->session;
    *obstacle = (htp_obstacle){.tries_one = tries_one, .axis = HTP_NONE};
    session->inputs = htp_axes_select(&session->arena, search->guessed, kept);
    (void)htp_inputs_choose_lanes(&session->inputs, 0);
    htp_status status = htp_session_trace_inputs(session, obstacle);
    uint32_t selected = 0;
    uint32_t found = HTP_NONE;
    for (uint32_t axis = 0; axis < search->guessed->axis_count; axis++) {
        found = kept[axis] && selected == obstacle->axis ? axis : found;
        selected += kept[axis];
    }
    obstacle->axis = found;
    return status;
}

/* The last axis that moves; HTP_NONE when none does. */
static uint32_t last_moving(const struct search *search)
{
    uint32_t axis = search->guessed->axis_count;
    while (axis > 0 && !search->moves[axis - 1]) {
        axis--;
    }
    return axis > 0 ? axis - 1 : HTP_NONE;
}

static uint32_t count_moving(const struct search *search)
{
    uint32_t count = 0;
    for (uint32_t axis = 0; axis < search->guessed->axis_count; axis++) {
        count += search->moves[axis];
    }
    return count;
}

static void fix_axis(struct search *search, uint32_t axis, const htp_obstacle *obstacle)
{
    search->moves[axis] = false;
    search->obstacles[axis] = obstacle->message;
    search->are_fixed[axis] = obstacle->is_fixed;
}

/* How much is made of a trial of all axes that move. */
enum effort {
    EFFORT_ONE, /* one choice of sizes */
    EFFORT_ALL, /* all of them */
    EFFORT_END, /* and where nothing tells which axis is at fault, the last one is left out */
};

/* Traces with all axes that move. Those that are seen to be at fault are left out. */
static htp_status trace_moving(struct search *search, enum effort effort)
{
    htp_obstacle obstacle;
    htp_status status = trace_selected(search, search->moves, effort == EFFORT_ONE, &obstacle);
    while (status && !is_final(status)) {
        bool is_last = effort == EFFORT_END || (effort == EFFORT_ALL && count_moving(search) == 1);
        uint32_t axis = obstacle.axis == HTP_NONE && is_last ? last_moving(search) : obstacle.axis;
        if (axis == HTP_NONE) {
            break;
        }
        htp_status_free(status);
        fix_axis(search, axis, &obstacle);
        status = trace_selected(search, search->moves, effort == EFFORT_ONE, &obstacle);
    }
    search->is_done = !status;
    return status;
}

/* As trace_moving(); a refusal is no failure. */
static htp_status try_moving(struct search *search, enum effort effort)
{
    htp_status status = trace_moving(search, effort);
    if (is_final(status)) {
        return status;
    }
    htp_status_free(status);
    return HTP_OK;
}

/* Tries one axis alone. */
static htp_status try_axis(struct search *search, uint32_t axis)
{
    bool *alone =
        HTP_NEW_ARRAY(&search->session->arena, bool, (size_t)search->guessed->axis_count + 1);
    alone[axis] = true;
    htp_obstacle obstacle;
    htp_status status = trace_selected(search, alone, false, &obstacle);
    if (is_final(status)) {
        return status;
    }
    search->is_done = false;
    search->alone = status ? HTP_NONE : axis;
    search->moves[axis] = true;
    if (status) {
        fix_axis(search, axis, &obstacle);
        htp_status_free(status);
    }
    return HTP_OK;
}

static bool is_at_dim(const htp_inputs *inputs, uint32_t axis, uint32_t dim)
{
    bool found = false;
    for (uint32_t i = 0; i < inputs->count && !found; i++) {
        found =
            dim < inputs->items[i].rank && inputs->dim_axes[i] && inputs->dim_axes[i][dim] == axis;
    }
    return found;
}

/* Tries axes alone, those of the last dims first: programs fix extents and features more often than
 * batches. Where one is fixed, the others may do. */
static htp_status try_alone(struct search *search)
{
    const htp_inputs *guessed = search->guessed;
    bool *is_tried = HTP_NEW_ARRAY(&search->session->arena, bool, (size_t)guessed->axis_count + 1);
    for (uint32_t dim = HTP_SHIM_MAX_RANK; dim-- > 0;) {
        for (uint32_t i = 0; i < guessed->axis_count && !search->is_done; i++) {
            if (!search->moves[i] || is_tried[i] || !is_at_dim(guessed, i, dim)) {
                continue;
            }
            is_tried[i] = true;
            HTP_TRY(try_axis(search, i));
            if (!search->moves[i]) {
                HTP_TRY(try_moving(search, EFFORT_ONE));
            }
        }
    }
    return HTP_OK;
}

/* Axes of one size that an operator compares with each other. */
static bool may_be_pair(const struct search *search, uint32_t a, uint32_t b)
{
    const htp_axis *axes = search->guessed->axes;
    return !search->moves[a] && !search->moves[b] && search->obstacles[a] && search->obstacles[b] &&
           axes[a].sizes[0] == axes[b].sizes[0] && (search->are_fixed[a] || search->are_fixed[b]);
}

/* Tries axis @p b as a part of axis @p a. */
static htp_status try_pair(struct search *search, htp_inputs *guessed, uint32_t a, uint32_t b)
{
    htp_inputs joined = htp_axes_copy(&search->session->arena, guessed);
    const char *obstacle = search->obstacles[a];
    htp_axes_join(&joined, a, b);
    search->guessed = &joined;
    htp_status status = try_axis(search, a);
    search->guessed = guessed;
    search->obstacles[a] = obstacle;
    if (search->moves[a]) {
        htp_axes_join(guessed, a, b);
        search->obstacles[b] = NULL;
    }
    return status;
}

/* Axes that cannot move alone may do so together, as both sides of a square mask. */
static htp_status try_pairs(struct search *search, htp_inputs *guessed)
{
    for (uint32_t a = 0; a < guessed->axis_count; a++) {
        for (uint32_t b = a + 1; b < guessed->axis_count; b++) {
            if (may_be_pair(search, a, b)) {
                HTP_TRY(try_pair(search, guessed, a, b));
            }
        }
    }
    return HTP_OK;
}

static void note_obstacles(const struct search *search)
{
    for (uint32_t i = 0; i < search->guessed->axis_count; i++) {
        if (!search->moves[i] && search->obstacles[i]) {
            htp_session_detail(search->session, "%s is fixed to %lld: %s",
                               search->guessed->axes[i].symbol,
                               (long long)search->guessed->axes[i].sizes[0], search->obstacles[i]);
        }
    }
}

static htp_status find_moving(struct search *search, htp_inputs *guessed)
{
    HTP_TRY(try_moving(search, EFFORT_ALL));
    HTP_TRY(try_alone(search));
    HTP_TRY(try_pairs(search, guessed));
    bool was_alone = count_moving(search) == 1 && search->alone == last_moving(search);
    return search->is_done || was_alone ? HTP_OK : trace_moving(search, EFFORT_END);
}

/* Traces with the axes that move of those that @p order makes of @p given. */
static htp_status search_axes(htp_session *session, const htp_inputs *given, htp_axes_order order,
                              struct search *search)
{
    htp_arena *arena = &session->arena;
    htp_inputs *guessed = HTP_NEW_ARRAY(arena, htp_inputs, 1);
    *guessed = htp_axes_copy(arena, given);
    htp_axes_guess(arena, guessed, order);
    *search = (struct search){
        .session = session,
        .guessed = guessed,
        .moves = HTP_NEW_ARRAY(arena, bool, (size_t)guessed->axis_count + 1),
        .obstacles = HTP_NEW_ARRAY(arena, const char *, (size_t)guessed->axis_count + 1),
        .are_fixed = HTP_NEW_ARRAY(arena, bool, (size_t)guessed->axis_count + 1),
        .alone = HTP_NONE,
    };
    for (uint32_t i = 0; i < guessed->axis_count; i++) {
        search->moves[i] = true;
    }
    return find_moving(search, guessed);
}

/* Dims that have one size by chance were taken for one axis where none moves: as of states beside a
 * sequence of batches. */
htp_status htp_session_trace_dynamic(htp_session *session)
{
    const htp_inputs given = session->inputs;
    struct search search;
    HTP_TRY(search_axes(session, &given, HTP_AXES_BY_SIZE, &search));
    if (count_moving(&search) == 0 && given.count > 1) {
        struct search other;
        HTP_TRY(search_axes(session, &given, HTP_AXES_FROM_END, &other));
        search = count_moving(&other) > 0 ? other : search;
    }
    note_obstacles(&search);
    return HTP_OK;
}

htp_status htp_session_trace_static(htp_session *session)
{
    bool *none = HTP_NEW_ARRAY(&session->arena, bool, (size_t)session->inputs.axis_count + 1);
    session->inputs = htp_axes_select(&session->arena, &session->inputs, none);
    (void)htp_inputs_choose_lanes(&session->inputs, 0);
    return htp_session_trace_inputs(session, NULL);
}
