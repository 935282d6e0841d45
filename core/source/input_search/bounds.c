#include "source/input_search/bounds.h"

#include "source/input_search/pairs.h"

#include <string.h>

/* The least common multiple; on overflow the larger number. */
static int64_t join_steps(int64_t a, int64_t b)
{
    int64_t whole = a;
    while (whole % b != 0 && whole <= INT32_MAX) {
        whole += a;
    }
    return whole % b == 0 ? whole : a > b ? a : b;
}

void htp_bound_narrow(htp_bound *bound, const htp_bound *other)
{
    bound->least = other->least > bound->least ? other->least : bound->least;
    if (other->most > 0 && (bound->most == 0 || other->most < bound->most)) {
        bound->most = other->most;
    }
    if (other->step > 1) {
        bound->step = bound->step > 1 ? join_steps(bound->step, other->step) : other->step;
        bound->rest = other->rest;
    }
    bound->is_declared = bound->is_declared || other->is_declared;
    bound->message = bound->message ? bound->message : other->message;
}

/* The independent axis with these sizes in all lanes, or HTP_NONE. */
static uint32_t find_axis(const htp_inputs *inputs, const int64_t *sizes)
{
    for (uint32_t i = 0; i < inputs->axis_count; i++) {
        const htp_axis *axis = &inputs->axes[i];
        size_t bytes = inputs->lane_count * sizeof(*sizes);
        if (!axis->formula && memcmp(axis->sizes, sizes, bytes) == 0) {
            return i;
        }
    }
    return HTP_NONE;
}

/* Whether a number is the size of the axis, limited to that in the example: a slice by the axis. */
static bool is_cut(const htp_inputs *inputs, const htp_axis *axis, const int64_t *sizes)
{
    int64_t most = axis->sizes[0];
    bool is_cut = most > 1; /* a size of 1 is broadcast */
    bool is_above = false;
    for (uint32_t lane = 0; lane < inputs->lane_count; lane++) {
        int64_t size = axis->sizes[lane];
        is_cut = is_cut && sizes[lane] == (size < most ? size : most);
        is_above = is_above || size > most;
    }
    return is_cut && is_above;
}

static void learn_most(const htp_inputs *inputs, const int64_t *sizes, const int64_t *others,
                       const char *message)
{
    uint32_t axis = find_axis(inputs, sizes);
    if (axis != HTP_NONE && is_cut(inputs, &inputs->axes[axis], others)) {
        const htp_bound bound = {.most = inputs->axes[axis].sizes[0], .message = message};
        htp_bound_narrow(&inputs->bounds[axis], &bound);
    }
}

static void learn_least(const htp_inputs *inputs, const htp_pair *pair, const char *message)
{
    uint32_t axis = find_axis(inputs, pair->have);
    bool is_number = true;
    bool is_below = false;
    for (uint32_t lane = 0; lane < inputs->lane_count; lane++) {
        is_number = is_number && pair->want[lane] == pair->want[0];
        is_below = is_below || pair->have[lane] < pair->want[lane];
    }
    if (axis != HTP_NONE && is_number && is_below) {
        const htp_bound bound = {.least = pair->want[0], .message = message};
        htp_bound_narrow(&inputs->bounds[axis], &bound);
    }
}

void htp_bounds_read(htp_arena *arena, const htp_trace *trace, const char *message,
                     const htp_inputs *inputs)
{
    htp_pair pairs[HTP_PAIR_LIMIT];
    uint32_t count = htp_pairs_read(trace, inputs->lane_count, pairs);
    const htp_trace_node *last = count > 0 ? &trace->nodes[trace->node_count - 1] : NULL;
    if (!last || !last->failure || last->block != 0 || trace->has_control) {
        return;
    }
    const char *kept = htp_arena_strdup(arena, message);
    for (uint32_t i = 0; i < count; i++) {
        if (pairs[i].kind == HTP_PAIR_LEAST) {
            learn_least(inputs, &pairs[i], kept);
        } else if (pairs[i].kind == HTP_PAIR_EQUAL && !pairs[i].is_limit) {
            learn_most(inputs, pairs[i].have, pairs[i].want, kept);
            learn_most(inputs, pairs[i].want, pairs[i].have, kept);
        }
    }
}
