/*
 * The sizes that the named axes have in the other lanes.
 */
#include "source/inputs.h"

enum {
    /* Sizes from here on have room to move down without becoming tiny. */
    ROOM_TO_MOVE_DOWN = 16,
    /* Networks halve sizes up to five times, and cut images into patches of up to 32. */
    LARGEST_STEP = 32,
    SMALLEST_MOVED_SIZE = 2,
    ATTEMPT_COUNT = 6,
};

/* How far axis @p index moves in lanes 1 and 2, in steps: differently for every axis. */
static void axis_moves(uint32_t index, int64_t moves[HTP_SHIM_MAX_LANES])
{
    moves[0] = 0;
    moves[1] = 2 * (int64_t)index + 1;
    moves[2] = 3 * (int64_t)index + 5;
}

/* The ways to choose the other lanes' sizes, in the order in which they are tried. A lane far away
 * shows dims that move only once in a while, as behind strides; one below shows what is cut off. */
enum { FAR_BOTH_WAYS, BOTH_WAYS, WITH_ROOM, AGAINST_ROOM, FAR_IN_STEPS, IN_STEPS };

static int64_t step_of(int64_t size, uint32_t attempt)
{
    if (attempt != FAR_IN_STEPS && attempt != IN_STEPS) {
        return 1;
    }
    int64_t step = size & -size;
    return step < LARGEST_STEP ? step : LARGEST_STEP;
}

static bool is_prime(int64_t number)
{
    for (int64_t divisor = 2; divisor * divisor <= number; divisor++) {
        if (number % divisor == 0) {
            return false;
        }
    }
    return number >= 2;
}

/* The nearest size in a direction that is a prime number of steps: what does not belong to the axis
 * does not divide it by chance. Without such a size, the one that is given. */
static int64_t find_prime(int64_t size, int64_t step, bool down)
{
    int64_t count = size / step;
    while (count >= SMALLEST_MOVED_SIZE && !is_prime(count)) {
        count += down ? -1 : 1;
    }
    return count >= SMALLEST_MOVED_SIZE ? count * step : size;
}

static void move_axis(htp_axis *axis, uint32_t index, uint32_t attempt)
{
    int64_t moves[HTP_SHIM_MAX_LANES];
    axis_moves(index, moves);
    int64_t size = axis->sizes[0];
    int64_t step = step_of(size, attempt);
    bool is_both = attempt == FAR_BOTH_WAYS || attempt == BOTH_WAYS;
    bool is_far = attempt == FAR_BOTH_WAYS || attempt == FAR_IN_STEPS;
    bool has_room = size >= ROOM_TO_MOVE_DOWN;
    bool down = size - step * moves[2] >= SMALLEST_MOVED_SIZE &&
                (is_both || has_room == (attempt != AGAINST_ROOM));
    for (uint32_t lane = 1; lane < HTP_SHIM_MAX_LANES; lane++) {
        bool lane_down = down && (lane == 2 || !(is_both || is_far));
        int64_t moved = size + (lane_down ? -step : step) * moves[lane];
        moved += is_far && lane == 1 ? size : 0;
        axis->sizes[lane] = find_prime(moved, step, lane_down);
    }
}

/* Whether one axis is the other one times or plus a constant, as far as the lanes show. */
static bool move_alike(const htp_axis *a, const htp_axis *b)
{
    return (a->sizes[1] - a->sizes[0]) * (b->sizes[2] - b->sizes[0]) ==
           (a->sizes[2] - a->sizes[0]) * (b->sizes[1] - b->sizes[0]);
}

static void tell_apart(htp_inputs *inputs, uint32_t index, uint32_t attempt)
{
    htp_axis *axis = &inputs->axes[index];
    bool is_apart = false;
    while (!is_apart) {
        is_apart = axis->sizes[1] != axis->sizes[2];
        for (uint32_t i = 0; i < index; i++) {
            is_apart = is_apart && !move_alike(axis, &inputs->axes[i]);
        }
        int64_t step = step_of(axis->sizes[0], attempt);
        int64_t next = find_prime(axis->sizes[1] + step, step, false);
        next = next == axis->sizes[0] ? find_prime(next + step, step, false) : next;
        axis->sizes[1] = is_apart ? axis->sizes[1] : next;
    }
}

bool htp_inputs_choose_lanes(htp_inputs *inputs, uint32_t attempt)
{
    if (attempt >= ATTEMPT_COUNT || (attempt > 0 && inputs->axis_count == 0)) {
        return false;
    }
    inputs->lane_count = inputs->axis_count > 0 ? HTP_SHIM_MAX_LANES : 1;
    for (uint32_t i = 0; i < inputs->axis_count; i++) {
        move_axis(&inputs->axes[i], i, attempt);
        tell_apart(inputs, i, attempt);
    }
    for (uint32_t i = 0; i < inputs->count; i++) {
        htp_shim_input *input = &inputs->items[i];
        for (uint32_t d = 0; d < input->rank; d++) {
            uint32_t axis = inputs->dim_axes[i][d];
            for (uint32_t lane = 1; lane < HTP_SHIM_MAX_LANES; lane++) {
                input->dims[lane][d] =
                    axis == HTP_NONE ? input->dims[0][d] : inputs->axes[axis].sizes[lane];
            }
        }
    }
    return true;
}
