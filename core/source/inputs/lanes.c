/*
 * Sizes of the named axes in the other lanes.
 */
#include "source/inputs/lanes.h"
#include "source/inputs/apart.h"

#include <stdlib.h>

enum {
    /* sizes from this one on can shrink without becoming tiny */
    ROOM_TO_MOVE_DOWN = 16,
    /* networks halve sizes up to five times, and use patches of up to 32 */
    LARGEST_STEP = 32,
    SMALLEST_MOVED_SIZE = 2,
    /* windows of up to 16 after five halvings: at a larger distance their number differs */
    FARTHEST = 9,
    /* sequences are split into parts of up to 256: from this size on there are at least two */
    BEYOND_PARTS = 512,
};

/* Sizes beyond move from here instead: no memory holds them, and their multiples must not overflow.
 */
static const int64_t LARGEST_SIZE = INT64_C(1) << 48;

/* How far axis @p index moves in lanes 1 and 2, in steps: different for every axis. */
static void axis_moves(uint32_t index, int64_t moves[HTP_INPUTS_LANES])
{
    moves[0] = 0;
    moves[1] = 2 * (int64_t)index + 1;
    moves[2] = 3 * (int64_t)index + 5;
}

/* How far axis @p index grows. If order matters, lane 2 has the opposite order: of two axes of
 * equal size, each is larger in some lane, since one may only have to be large enough. */
static int64_t move_up(const htp_inputs *inputs, uint32_t index, uint32_t lane)
{
    int64_t moves[HTP_INPUTS_LANES];
    bool is_turned = inputs->tells_order && lane == HTP_INPUTS_LANES - 1;
    axis_moves(is_turned ? inputs->axis_count - 1 - index : index, moves);
    return moves[lane];
}

/* A lane's size: near the example's, twice, a multiple or half of it, tiny, or large enough for
 * many parts. */
enum move { UP, FAR_UP, FARTHEST_UP, DOWN, FAR_DOWN, SMALLEST, BEYOND };

/* A strategy for the sizes of the other lanes. */
struct way {
    enum move moves[2]; /* of lanes 1 and 2 */
    bool by_room;       /* small sizes grow instead of shrinking, and the reverse */
    bool in_steps;      /* sizes keep their powers of two */
};

/* In the order of trials. A distant lane shows dims that change rarely, after strides and windows;
 * one above and one below show what is cut off. With tiny sizes the order of axes is reversed, so
 * that slices by other tensors' sizes are empty in one lane only. Steps come before nearby lanes:
 * an image of few patches may have equally many in all nearby ones. */
static const struct way ways[] = {
    {{FARTHEST_UP, SMALLEST}, false, false},
    {{FARTHEST_UP, DOWN}, false, false},
    {{FAR_UP, DOWN}, false, false},
    {{FAR_UP, UP}, false, false},
    {{UP, FAR_DOWN}, false, false},
    {{FAR_UP, DOWN}, true, true},
    {{DOWN, FAR_DOWN}, true, false},
    {{UP, DOWN}, false, false},
    {{DOWN, DOWN}, true, false},
    {{UP, UP}, true, false},
    {{DOWN, DOWN}, true, true},
    {{BEYOND, UP}, false, false},
};

enum { ATTEMPT_COUNT = sizeof(ways) / sizeof(ways[0]) };

/* The next valid size from one on, by step and least size. */
static int64_t fit_step(const htp_bound *bound, int64_t size)
{
    int64_t least = size < bound->least ? bound->least : size;
    int64_t away = bound->step > 1 ? (bound->rest - least) % bound->step : 0;
    return bound->step > 1 ? least + (away < 0 ? away + bound->step : away) : size;
}

/* The least size of an axis that the file declares. */
static int64_t least_of(const htp_bound *bound)
{
    return bound->is_declared && bound->least > 1 ? fit_step(bound, bound->least)
                                                  : fit_step(bound, 1);
}

/* The least distance of sizes. A file that declares the sizes that it accepts declares it, too. */
static int64_t step_of(const htp_bound *bound, int64_t size, uint32_t attempt)
{
    if (bound->step > 1) {
        return bound->step;
    }
    if (!ways[attempt].in_steps || size <= 0) { /* an axis may be empty in the example */
        return 1;
    }
    int64_t step = size & -size;
    return step < LARGEST_STEP ? step : LARGEST_STEP;
}

/* The nearest size in a direction that is a prime number of steps, so that nothing unrelated
 * divides it by chance. Otherwise the given size. */
static int64_t find_prime(int64_t size, int64_t step, bool down)
{
    int64_t count = size / step;
    while (count >= SMALLEST_MOVED_SIZE && !htp_lanes_is_prime(count)) {
        count += down ? -1 : 1;
    }
    return count >= SMALLEST_MOVED_SIZE ? count * step : size;
}

/* The possible move of an axis of this size: there may be no room for the requested one. */
static enum move possible_move(enum move move, int64_t size, bool by_room, int64_t distance)
{
    bool has_room = size >= ROOM_TO_MOVE_DOWN;
    if (by_room && !has_room && move != FAR_UP && move != FARTHEST_UP && move != BEYOND) {
        move = move == UP ? DOWN : UP;
    }
    if (move == FAR_DOWN && size / 2 - distance < SMALLEST_MOVED_SIZE) {
        move = DOWN;
    }
    return move == DOWN && size - distance < SMALLEST_MOVED_SIZE ? UP : move;
}

static void move_axis(htp_inputs *inputs, uint32_t index, uint32_t attempt)
{
    htp_axis *axis = &inputs->axes[index];
    int64_t moves[HTP_INPUTS_LANES];
    axis_moves(index, moves);
    const struct way *way = &ways[attempt];
    const htp_bound *bound = htp_lanes_bound(inputs, index);
    int64_t size = axis->sizes[0] < LARGEST_SIZE ? axis->sizes[0] : LARGEST_SIZE;
    int64_t step = step_of(bound, size, attempt);
    for (uint32_t lane = 1; lane < HTP_INPUTS_LANES; lane++) {
        enum move move = possible_move(way->moves[lane - 1], size, way->by_room, step * moves[2]);
        bool down = move == DOWN || move == FAR_DOWN;
        int64_t base = move == BEYOND        ? BEYOND_PARTS + size
                       : move == FARTHEST_UP ? FARTHEST * size
                       : move == FAR_UP      ? 2 * size
                       : move == FAR_DOWN    ? size / 2
                                             : size;
        int64_t distance = down ? -moves[lane] : move_up(inputs, index, lane);
        axis->sizes[lane] = fit_step(bound, find_prime(base + step * distance, step, down));
    }
}

/* The choice of lanes for one attempt. */
struct choice {
    htp_inputs *inputs;
    uint32_t attempt;
    htp_apart apart;    /* the axes that are done */
    struct skip *skips; /* by axis that is done */
};

/* Where to go on if the size of an axis is taken: beyond sizes in the same steps that are taken. */
struct skip {
    int64_t step;
    int64_t size;
};

/* The next size to try for an axis in lane 1. @param taken  the axis that has its size, or HTP_NONE
 * @param before  the axis that had the size before, or HTP_NONE. It learns to skip further. */
static int64_t next_size(struct choice *choice, const htp_axis *axis, int64_t step, uint32_t taken,
                         uint32_t before)
{
    struct skip *skip = taken != HTP_NONE ? &choice->skips[taken] : NULL;
    bool can_skip = skip && skip->step == step;
    if (can_skip && before != HTP_NONE && choice->skips[before].step == step) {
        choice->skips[before].size = skip->size;
    }
    int64_t size = can_skip && skip->size > axis->sizes[1] ? skip->size : axis->sizes[1];
    int64_t next = find_prime(size + step, step, false);
    return next == axis->sizes[0] ? find_prime(next + step, step, false) : next;
}

/* Moves an axis on in lane 1 until it is told apart from those before it. @return whether it is */
static bool tell_apart(struct choice *choice, uint32_t index)
{
    enum { TRIES = 256 };
    htp_inputs *inputs = choice->inputs;
    htp_axis *axis = &inputs->axes[index];
    const htp_bound *bound = htp_lanes_bound(inputs, index);
    const int64_t step = step_of(bound, axis->sizes[0], choice->attempt);
    uint32_t before = HTP_NONE;
    bool is_apart = false;
    for (uint32_t tries = 0; !is_apart && tries < TRIES + inputs->axis_count; tries++) {
        uint32_t taken = HTP_NONE;
        is_apart = axis->sizes[1] != axis->sizes[2] && htp_apart_tells(&choice->apart, axis);
        if (!is_apart) {
            (void)htp_apart_has_size(&choice->apart, axis->sizes[1], &taken);
            axis->sizes[1] = fit_step(bound, next_size(choice, axis, step, taken, before));
        }
        before = taken;
    }
    choice->skips[index] = (struct skip){step, axis->sizes[1]};
    htp_apart_add(&choice->apart, axis, index);
    return is_apart;
}

/* An axis in the order of sizes. */
struct place {
    int64_t size;
    uint32_t index;
};

/* Larger sizes first. */
static int compare_places(const void *left, const void *right)
{
    const struct place *a = left;
    const struct place *b = right;
    return a->size != b->size ? (a->size < b->size ? 1 : -1)
                              : (a->index > b->index) - (a->index < b->index);
}

/* Gives lane 2 tiny sizes, in the opposite order of lane 1. */
static void make_smallest(htp_arena *arena, htp_inputs *inputs)
{
    struct place *places = HTP_NEW_ARRAY(arena, struct place, (size_t)inputs->axis_count + 1);
    uint32_t count = 0;
    for (uint32_t i = 0; i < inputs->axis_count; i++) {
        if (!inputs->axes[i].formula) {
            places[count++] = (struct place){inputs->axes[i].sizes[1], i};
        }
    }
    qsort(places, count, sizeof(*places), compare_places);
    int64_t size = 0;
    for (uint32_t i = 0; i < count; i++) {
        htp_axis *axis = &inputs->axes[places[i].index];
        const htp_bound *bound = htp_lanes_bound(inputs, places[i].index);
        int64_t least = least_of(bound);
        size = size + 1 < least ? least - 1 : size;
        do {
            size++;
        } while (size == axis->sizes[0] || (size > 1 && !htp_lanes_is_prime(size)));
        axis->sizes[2] = fit_step(bound, size);
    }
}

/* Whether no axis that moves by itself has a size that is known to be refused. */
static bool keeps_bounds(const htp_inputs *inputs)
{
    bool keeps = true;
    for (uint32_t i = 0; inputs->keeps_bounds && i < inputs->axis_count && keeps; i++) {
        const htp_axis *axis = &inputs->axes[i];
        for (uint32_t lane = 1; lane < inputs->lane_count && !axis->formula; lane++) {
            keeps = keeps && htp_lanes_bound_has(&inputs->bounds[i], axis->sizes[lane]);
        }
    }
    return keeps;
}

/* Whether the file accepts all lanes. A lane of ones that it refuses is left out. */
static bool takes_lanes(htp_inputs *inputs)
{
    bool takes = true;
    for (uint32_t lane = 1; lane < HTP_INPUTS_LANES && lane < inputs->lane_count; lane++) {
        takes = takes && htp_lanes_are_taken(inputs, lane);
    }
    if (takes && inputs->lane_count > HTP_INPUTS_LANES &&
        !htp_lanes_are_taken(inputs, HTP_INPUTS_LANES)) {
        inputs->lane_count = HTP_INPUTS_LANES;
    }
    return takes;
}

/* @return whether no input is too large, and all sizes are within bounds and accepted */
static bool set_lanes(htp_arena *arena, htp_inputs *inputs, uint32_t attempt)
{
    const bool has_ones = ways[attempt].moves[1] == SMALLEST;
    struct choice choice = {
        .inputs = inputs,
        .attempt = attempt,
        .apart = {.arena = arena},
        .skips = HTP_NEW_ARRAY(arena, struct skip, (size_t)inputs->axis_count + 1),
    };
    bool are_apart = true;
    inputs->lane_count = inputs->axis_count == 0 ? 1 : HTP_INPUTS_LANES + has_ones;
    for (uint32_t i = 0; i < inputs->axis_count; i++) {
        if (!inputs->axes[i].formula) {
            move_axis(inputs, i, attempt);
        }
    }
    if (has_ones) {
        make_smallest(arena, inputs);
    }
    for (uint32_t i = 0; i < inputs->axis_count; i++) {
        if (!inputs->axes[i].formula) {
            are_apart = tell_apart(&choice, i) && are_apart;
            inputs->axes[i].sizes[HTP_INPUTS_LANES] = least_of(htp_lanes_bound(inputs, i));
        }
    }
    return htp_lanes_set_dims(inputs) && are_apart && keeps_bounds(inputs) && takes_lanes(inputs);
}

/* Whether the file declares the sizes that it accepts. */
static bool are_declared(const htp_inputs *inputs)
{
    bool are_declared = inputs->takes != NULL;
    for (uint32_t i = 0; i < inputs->axis_count && !are_declared; i++) {
        are_declared = htp_lanes_bound(inputs, i)->is_declared;
    }
    return are_declared;
}

/* The last attempt is a walk. */
static bool set_attempt(htp_arena *arena, htp_inputs *inputs, uint32_t attempt)
{
    return attempt < ATTEMPT_COUNT ? set_lanes(arena, inputs, attempt)
                                   : are_declared(inputs) && htp_lanes_walk(arena, inputs);
}

bool htp_inputs_choose_lanes(htp_arena *arena, htp_inputs *inputs, uint32_t attempt)
{
    if (attempt > ATTEMPT_COUNT || (attempt > 0 && inputs->axis_count == 0)) {
        return false;
    }
    bool fits = set_attempt(arena, inputs, attempt);
    while (!fits && attempt < ATTEMPT_COUNT) {
        fits = set_attempt(arena, inputs, ++attempt);
    }
    inputs->choice = fits ? attempt : inputs->choice;
    return fits;
}

bool htp_inputs_may_move(htp_arena *arena, const htp_inputs *inputs, uint32_t axis)
{
    htp_axis alone = {.sizes = {inputs->axes[axis].sizes[0]}};
    htp_inputs one = {
        .axes = &alone, .axis_count = 1, .bounds = &inputs->bounds[axis], .keeps_bounds = true};
    return htp_inputs_choose_lanes(arena, &one, 0);
}

bool htp_inputs_set_last_lane(htp_inputs *inputs, const int64_t *sizes)
{
    inputs->lane_count = HTP_INPUTS_LANES + (sizes != NULL);
    for (uint32_t i = 0; sizes && i < inputs->axis_count; i++) {
        inputs->axes[i].sizes[HTP_INPUTS_LANES] = sizes[i];
    }
    return htp_lanes_set_dims(inputs);
}
