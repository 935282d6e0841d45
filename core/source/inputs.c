/*
 * Specifications matched with forward()'s arguments, and the sizes of the other lanes.
 */
#include "source/inputs.h"

#include "base/checked.h"
#include "graph/dtype.h"
#include "source/specification.h"

#include <string.h>

enum {
    /* Sizes from here on have room to move down without becoming tiny. */
    ROOM_TO_MOVE_DOWN = 16,
    /* Networks halve sizes up to five times, and cut images into patches of up to 32. */
    LARGEST_STEP = 32,
    SMALLEST_MOVED_SIZE = 2,
    ATTEMPT_COUNT = 6,
};

/* ---- lanes ---- */

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

/* ---- matching ---- */

static htp_inputs all_left_out(htp_arena *arena, uint32_t count)
{
    htp_inputs inputs = {
        .items = HTP_NEW_ARRAY(arena, htp_shim_input, count),
        .count = count,
        .lane_count = 1,
        .dim_axes = HTP_NEW_ARRAY(arena, uint32_t *, count),
    };
    for (uint32_t i = 0; i < count; i++) {
        inputs.items[i].is_none = true;
    }
    return inputs;
}

static const char *argument_names(htp_arena *arena, const htp_shim_argument *arguments,
                                  uint32_t count)
{
    htp_text text = {.arena = arena};
    for (uint32_t i = 0; i < count; i++) {
        htp_text_addf(&text, "%s%s", i ? ", " : "", arguments[i].name);
    }
    return count ? htp_text_string(&text) : "none";
}

static htp_status find_argument(htp_arena *arena, const htp_specification *specification,
                                size_t position, const htp_shim_argument *arguments, uint32_t count,
                                uint32_t *index)
{
    if (*specification->name == '\0') {
        *index = (uint32_t)position;
        return position < count
                   ? HTP_OK
                   : htp_status_make(HTP_CODE_USAGE,
                                     "input \"%s\": forward has no more arguments; they are: %s",
                                     specification->text, argument_names(arena, arguments, count));
    }
    for (uint32_t i = 0; i < count; i++) {
        if (strcmp(arguments[i].name, specification->name) == 0) {
            *index = i;
            return HTP_OK;
        }
    }
    return htp_status_make(
        HTP_CODE_USAGE, "input \"%s\": forward has no argument \"%s\"; its arguments are: %s",
        specification->text, specification->name, argument_names(arena, arguments, count));
}

static bool accepts_scalar(htp_shim_kind kind, htp_dtype dtype)
{
    return (kind == HTP_SHIM_INT && dtype == HTP_DTYPE_INT64) ||
           (kind == HTP_SHIM_FLOAT && dtype != HTP_DTYPE_BOOL) ||
           (kind == HTP_SHIM_BOOL && dtype == HTP_DTYPE_BOOL);
}

static htp_status check_kind(const htp_specification *specification,
                             const htp_shim_argument *argument)
{
    bool fits = specification->is_scalar ? accepts_scalar(argument->kind, specification->dtype)
                                         : argument->kind == HTP_SHIM_TENSOR;
    if (fits) {
        return HTP_OK;
    }
    return htp_status_make(HTP_CODE_USAGE, "input \"%s\": argument \"%s\" of forward has type %s",
                           specification->text, argument->name, argument->type);
}

/* The axis named @p symbol, made when it is new. */
static htp_status find_axis(htp_arena *arena, htp_inputs *inputs, htp_map *symbols,
                            const htp_dim *dim, uint32_t *index)
{
    if (!htp_map_get(symbols, dim->symbol, index)) {
        *index = inputs->axis_count;
        inputs->axes = htp_arena_grow(arena, inputs->axes, inputs->axis_count,
                                      (size_t)inputs->axis_count + 1, sizeof(*inputs->axes));
        inputs->axes[inputs->axis_count++] = (htp_axis){dim->symbol, {dim->size}};
        htp_map_set(arena, symbols, dim->symbol, *index);
    }
    int64_t size = inputs->axes[*index].sizes[0];
    if (size != dim->size) {
        return htp_status_make(HTP_CODE_USAGE,
                               "axis \"%s\" has sizes %lld and %lld; one name has one size",
                               dim->symbol, (long long)size, (long long)dim->size);
    }
    return HTP_OK;
}

static htp_status fill(htp_arena *arena, const htp_specification *specification, htp_inputs *inputs,
                       uint32_t index, htp_map *symbols)
{
    htp_shim_input *input = &inputs->items[index];
    input->is_none = false;
    input->is_scalar = specification->is_scalar;
    input->scalar = specification->scalar;
    input->dtype = specification->dtype;
    input->rank = specification->rank;
    inputs->dim_axes[index] = HTP_NEW_ARRAY(arena, uint32_t, input->rank);
    for (uint32_t d = 0; d < input->rank; d++) {
        const htp_dim *dim = &specification->dims[d];
        input->dims[0][d] = dim->size;
        inputs->dim_axes[index][d] = HTP_NONE;
        if (dim->symbol) {
            HTP_TRY(find_axis(arena, inputs, symbols, dim, &inputs->dim_axes[index][d]));
        }
    }
    return HTP_OK;
}

/* libtorch counts bytes in signed 64 bits. */
static htp_status check_bytes(const htp_shim_input *input, uint32_t lane_count, const char *name)
{
    bool fits = true;
    for (uint32_t lane = 0; lane < lane_count; lane++) {
        uint64_t bytes = htp_dtype_size(input->dtype);
        for (uint32_t d = 0; fits && d < input->rank; d++) {
            int64_t size = input->dims[lane][d];
            fits = size >= 0 && htp_checked_mul(bytes, (uint64_t)size, &bytes);
        }
        fits = fits && bytes <= INT64_MAX;
    }
    return fits ? HTP_OK : htp_status_make(HTP_CODE_USAGE, "input \"%s\" is too large", name);
}

static htp_status check_left_out(const htp_shim_argument *argument)
{
    if (argument->is_optional) {
        return HTP_OK;
    }
    switch (argument->kind) {
    case HTP_SHIM_TENSOR:
        return htp_status_make(HTP_CODE_USAGE,
                               "argument \"%s\" of forward is missing; pass --input "
                               "%s:DTYPE[DIMS], for example %s:float32[2,8]",
                               argument->name, argument->name, argument->name);
    case HTP_SHIM_INT:
    case HTP_SHIM_FLOAT:
    case HTP_SHIM_BOOL:
        return htp_status_make(HTP_CODE_USAGE,
                               "argument \"%s\" of forward is missing; pass --input %s:%s=VALUE",
                               argument->name, argument->name, argument->type);
    default:
        return htp_status_make(HTP_CODE_UNSUPPORTED,
                               "argument \"%s\" of forward has type %s, which cannot be a model's "
                               "input; wrap the module in one that takes tensors",
                               argument->name, argument->type);
    }
}

/* Chooses the lanes of what was given, and checks that it is all that forward() needs. */
static htp_status complete(htp_inputs *inputs, const htp_shim_argument *arguments)
{
    (void)htp_inputs_choose_lanes(inputs, 0);
    for (uint32_t i = 0; i < inputs->count; i++) {
        const htp_shim_input *input = &inputs->items[i];
        HTP_TRY(input->is_none ? check_left_out(&arguments[i])
                               : check_bytes(input, inputs->lane_count, arguments[i].name));
    }
    return HTP_OK;
}

htp_status htp_inputs_parse(htp_arena *arena, const char *const *specifications, size_t count,
                            const htp_shim_argument *arguments, uint32_t argument_count,
                            htp_inputs *inputs)
{
    htp_map symbols = {0};
    *inputs = all_left_out(arena, argument_count);
    for (size_t i = 0; i < count; i++) {
        htp_specification specification;
        uint32_t index = 0;
        HTP_TRY(htp_specification_parse(arena, specifications[i], &specification));
        HTP_TRY(find_argument(arena, &specification, i, arguments, argument_count, &index));
        HTP_TRY(check_kind(&specification, &arguments[index]));
        if (!inputs->items[index].is_none) {
            return htp_status_make(HTP_CODE_USAGE,
                                   "input \"%s\": argument \"%s\" of forward is given twice",
                                   specification.text, arguments[index].name);
        }
        HTP_TRY(fill(arena, &specification, inputs, index, &symbols));
    }
    return complete(inputs, arguments);
}

htp_status htp_inputs_archived(htp_arena *arena, const htp_shim_input *archived,
                               uint32_t archived_count, const htp_shim_argument *arguments,
                               uint32_t argument_count, htp_inputs *inputs)
{
    *inputs = all_left_out(arena, argument_count);
    if (archived_count > argument_count) {
        return htp_status_make(HTP_CODE_USAGE,
                               "the archive holds %u inputs, but forward has %u arguments; pass "
                               "--input",
                               archived_count, argument_count);
    }
    for (uint32_t i = 0; i < archived_count; i++) {
        inputs->items[i] = archived[i];
        inputs->dim_axes[i] = HTP_NEW_ARRAY(arena, uint32_t, archived[i].rank);
        memset(inputs->dim_axes[i], 0xff, archived[i].rank * sizeof(uint32_t));
    }
    return complete(inputs, arguments);
}

/* ---- describing ---- */

static const char *describe_scalar(htp_arena *arena, const htp_shim_input *input, const char *name)
{
    if (input->dtype == HTP_DTYPE_BOOL) {
        return htp_arena_printf(arena, "%s:bool=%s", name, input->scalar != 0 ? "true" : "false");
    }
    const char *type = input->dtype == HTP_DTYPE_INT64 ? "int" : "float";
    return htp_arena_printf(arena, "%s:%s=%.17g", name, type, input->scalar);
}

const char *htp_inputs_describe(htp_arena *arena, const htp_inputs *inputs, uint32_t index,
                                const char *name)
{
    const htp_shim_input *input = &inputs->items[index];
    if (input->is_none) {
        return NULL;
    }
    if (input->is_scalar) {
        return describe_scalar(arena, input, name);
    }
    htp_text text = {.arena = arena};
    htp_text_addf(&text, "%s:%s[", name, htp_dtype_name(input->dtype));
    for (uint32_t d = 0; d < input->rank; d++) {
        uint32_t axis = inputs->dim_axes[index][d];
        htp_text_add(&text, d ? "," : "");
        if (axis != HTP_NONE) {
            htp_text_addf(&text, "%s=", inputs->axes[axis].symbol);
        }
        htp_text_addf(&text, "%lld", (long long)input->dims[0][d]);
    }
    htp_text_add(&text, "]");
    return htp_text_string(&text);
}
