/*
 * Chooses lanes by moving away from the example, one axis after the other.
 */
#include "source/inputs/apart.h"
#include "source/inputs/lanes.h"

enum {
    FAR_TIMES = 8,        /* lane 1 begins at this multiple of the example's size */
    NEAR_TRIES = 64,      /* to both sides of the example; two more for each axis */
    MOST_ASKED = 1 << 13, /* the most lanes that one walk checks */
    MOST_TRIED = 1 << 21, /* the most sizes that one walk looks at */
};

/* A lane, while axes move in it. */
struct walk {
    htp_inputs *inputs;
    uint32_t lane;
    htp_apart apart; /* the axes that have moved */
    uint32_t asked;
    uint32_t tried;
};

/* The distance of the next size to try from the example's, in steps. Lane 1 begins far above it,
 * lane 2 near 0; then both try sizes near the example, above and below it.
 * @param count  the example's size, in steps */
static int64_t offset_of(int64_t count, uint32_t axis, uint32_t lane, uint32_t attempt)
{
    if (attempt < 2) {
        return lane == 1 ? (attempt == 0 ? FAR_TIMES : 1) * count + 2 * (int64_t)axis + 1
                         : (attempt == 0 ? 2 - count : -(count / 2)) + (int64_t)axis;
    }
    int64_t near = attempt / 2;
    return (attempt + lane) % 2 == 1 ? near : -near;
}

/* Whether its current size tells an axis apart from those that have moved. In lane 1 that is a size
 * of its own. */
static bool is_apart(const struct walk *walk, const htp_axis *axis)
{
    if (axis->sizes[walk->lane] == axis->sizes[0]) {
        return false;
    }
    return walk->lane == 1
               ? !htp_apart_has_size(&walk->apart, axis->sizes[1], NULL)
               : axis->sizes[2] != axis->sizes[1] && htp_apart_tells(&walk->apart, axis);
}

/* Whether the current sizes of a lane are possible, and the file accepts them. */
static bool is_taken(struct walk *walk)
{
    return ++walk->asked <= MOST_ASKED && htp_lanes_set_dims(walk->inputs) &&
           htp_lanes_are_taken(walk->inputs, walk->lane);
}

/* Moves an axis to the first size that fits. @param is_prime  only to prime numbers of steps, which
 * unrelated numbers do not divide by chance */
static bool move(struct walk *walk, uint32_t index, bool is_prime)
{
    const htp_inputs *inputs = walk->inputs;
    const uint32_t lane = walk->lane;
    htp_axis *axis = &inputs->axes[index];
    const htp_bound *bound = htp_lanes_bound(inputs, index);
    const int64_t step = bound->step > 1 ? bound->step : 1;
    const uint32_t tries = 2 * (NEAR_TRIES + inputs->axis_count);
    bool has_moved = false;
    for (uint32_t i = 0; i < tries && !has_moved && walk->asked <= MOST_ASKED; i++) {
        if (++walk->tried > MOST_TRIED) {
            break;
        }
        int64_t size = axis->sizes[0] + step * offset_of(axis->sizes[0] / step, index, lane, i);
        axis->sizes[lane] = size;
        has_moved = size >= 1 && htp_lanes_bound_has(bound, size) &&
                    (!is_prime || htp_lanes_is_prime(size / step)) && is_apart(walk, axis) &&
                    is_taken(walk);
    }
    axis->sizes[lane] = has_moved ? axis->sizes[lane] : axis->sizes[0];
    if (has_moved) {
        htp_apart_add(&walk->apart, axis, index);
    }
    return has_moved;
}

/* Moves all axes in a lane. An axis that cannot move is tried again after the others. */
static bool move_all(struct walk *walk)
{
    enum { ROUNDS = 4 };
    const htp_inputs *inputs = walk->inputs;
    bool have_moved = false;
    for (uint32_t round = 0; round < ROUNDS && !have_moved; round++) {
        have_moved = true;
        for (uint32_t i = 0; i < inputs->axis_count; i++) {
            uint32_t index = walk->lane == 1 ? i : inputs->axis_count - 1 - i;
            const htp_axis *axis = &inputs->axes[index];
            if (!axis->formula && axis->sizes[walk->lane] == axis->sizes[0]) {
                have_moved = move(walk, index, round % 2 == 0) && have_moved;
            }
        }
    }
    return have_moved;
}

bool htp_lanes_walk(htp_arena *arena, htp_inputs *inputs)
{
    inputs->lane_count = HTP_INPUTS_LANES;
    for (uint32_t i = 0; i < inputs->axis_count; i++) {
        for (uint32_t lane = 1; lane < HTP_MAX_LANES; lane++) {
            inputs->axes[i].sizes[lane] = inputs->axes[i].sizes[0];
        }
    }
    struct walk first = {.inputs = inputs, .lane = 1, .apart = {.arena = arena}};
    bool have_moved = move_all(&first);
    struct walk second = {.inputs = inputs,
                          .lane = 2,
                          .apart = {.arena = arena},
                          .asked = first.asked,
                          .tried = first.tried};
    have_moved = have_moved && move_all(&second);
    return htp_lanes_set_dims(inputs) && have_moved;
}
