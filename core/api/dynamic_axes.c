#include "api/dynamic_axes.h"

#include "source/axes.h"

/* What is known of the axes that were guessed. */
struct search {
    htp_session *session;
    const htp_inputs *guessed;
    bool *moves;            /* by axis */
    const char **obstacles; /* by axis: why it does not */
};

/* A status that does not tell of the sizes: out of memory, an interrupt. */
static bool is_final(htp_status status)
{
    htp_code code = htp_status_code(status);
    return status && code != HTP_CODE_USAGE && code != HTP_CODE_UNSUPPORTED;
}

static htp_status trace_selected(struct search *search, const bool *kept)
{
    htp_session *session = search->session;
    session->inputs = htp_axes_select(&session->arena, search->guessed, kept);
    (void)htp_inputs_choose_lanes(&session->inputs, 0);
    return htp_session_trace_inputs(session);
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

/* Takes note of why an axis does not move, which it frees. */
static void fix_axis(struct search *search, uint32_t axis, htp_status obstacle)
{
    search->moves[axis] = false;
    search->obstacles[axis] =
        htp_arena_strdup(&search->session->arena, htp_status_message(obstacle));
    htp_status_free(obstacle);
}

/* Tries one axis alone. */
static htp_status try_axis(struct search *search, uint32_t axis)
{
    bool *alone =
        HTP_NEW_ARRAY(&search->session->arena, bool, (size_t)search->guessed->axis_count + 1);
    alone[axis] = true;
    htp_status status = trace_selected(search, alone);
    if (is_final(status)) {
        return status;
    }
    search->moves[axis] = true;
    if (status) {
        fix_axis(search, axis, status);
    }
    return HTP_OK;
}

/* Axes that cannot move alone may do so together, as both sides of a square mask. */
static htp_status try_pairs(struct search *search, htp_inputs *guessed)
{
    for (uint32_t a = 0; a < guessed->axis_count; a++) {
        for (uint32_t b = a + 1; b < guessed->axis_count; b++) {
            if (search->moves[a] || search->moves[b] ||
                guessed->axes[a].sizes[0] != guessed->axes[b].sizes[0]) {
                continue;
            }
            htp_inputs joined = htp_axes_copy(&search->session->arena, guessed);
            htp_axes_join(&joined, a, b);
            search->guessed = &joined;
            htp_status status = try_axis(search, a);
            search->guessed = guessed;
            HTP_TRY(status);
            if (search->moves[a]) {
                htp_axes_join(guessed, a, b);
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

/* Traces with all axes that move alone; leaves out one after the other while that fails. */
static htp_status trace_moving(struct search *search)
{
    htp_status status = trace_selected(search, search->moves);
    uint32_t last = last_moving(search);
    while (status && !is_final(status) && last != HTP_NONE) {
        fix_axis(search, last, status);
        status = trace_selected(search, search->moves);
        last = last_moving(search);
    }
    return status;
}

htp_status htp_session_trace_dynamic(htp_session *session)
{
    htp_inputs guessed = htp_axes_copy(&session->arena, &session->inputs);
    htp_axes_guess(&session->arena, &guessed);
    struct search search = {
        .session = session,
        .guessed = &guessed,
        .moves = HTP_NEW_ARRAY(&session->arena, bool, (size_t)guessed.axis_count + 1),
        .obstacles = HTP_NEW_ARRAY(&session->arena, const char *, (size_t)guessed.axis_count + 1),
    };
    for (uint32_t i = 0; i < guessed.axis_count; i++) {
        search.moves[i] = true;
    }
    htp_status status = trace_selected(&search, search.moves);
    if (!status || is_final(status)) {
        return status;
    }
    htp_status_free(status);
    for (uint32_t i = 0; i < guessed.axis_count; i++) {
        HTP_TRY(try_axis(&search, i));
    }
    HTP_TRY(try_pairs(&search, &guessed));
    HTP_TRY(trace_moving(&search));
    note_obstacles(&search);
    return HTP_OK;
}

htp_status htp_session_trace_static(htp_session *session)
{
    bool *none = HTP_NEW_ARRAY(&session->arena, bool, (size_t)session->inputs.axis_count + 1);
    session->inputs = htp_axes_select(&session->arena, &session->inputs, none);
    (void)htp_inputs_choose_lanes(&session->inputs, 0);
    return htp_session_trace_inputs(session);
}
