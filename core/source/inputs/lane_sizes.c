/*
 * Sizes of axes in lanes, and the dims of inputs that follow from them.
 */
#include "base/checked.h"
#include "base/dtype.h"
#include "source/inputs/lanes.h"

const htp_bound *htp_lanes_bound(const htp_inputs *inputs, uint32_t index)
{
    static const htp_bound none = {.least = 0};
    return inputs->bounds ? &inputs->bounds[index] : &none;
}

bool htp_lanes_is_prime(int64_t number)
{
    for (int64_t divisor = 2; divisor * divisor <= number; divisor++) {
        if (number % divisor == 0) {
            return false;
        }
    }
    return number >= 2;
}

bool htp_lanes_move_alike(const htp_axis *a, const htp_axis *b)
{
    return a->sizes[1] == b->sizes[1] ||
           (a->sizes[1] - a->sizes[0]) * (b->sizes[2] - b->sizes[0]) ==
               (a->sizes[2] - a->sizes[0]) * (b->sizes[1] - b->sizes[0]);
}

/* Computes sizes by formulas. @return whether they are at least 1 */
static bool set_formulas(htp_inputs *inputs)
{
    bool fits = true;
    for (uint32_t lane = 1; lane < inputs->lane_count; lane++) {
        for (uint32_t i = 0; i < inputs->axis_count; i++) {
            htp_axis *axis = &inputs->axes[i];
            if (axis->formula) {
                axis->sizes[lane] = htp_size_formula_value(axis->formula, inputs->axes, lane);
                fits = fits && axis->sizes[lane] >= 1;
            }
        }
    }
    return fits;
}

bool htp_lanes_set_dims(htp_inputs *inputs)
{
    bool fits = set_formulas(inputs);
    for (uint32_t i = 0; i < inputs->count; i++) {
        htp_input *input = &inputs->items[i];
        for (uint32_t d = 0; d < input->rank; d++) {
            uint32_t axis = inputs->dim_axes[i][d];
            for (uint32_t lane = 1; lane < HTP_MAX_LANES; lane++) {
                input->dims[lane][d] =
                    axis == HTP_NONE ? input->dims[0][d] : inputs->axes[axis].sizes[lane];
            }
        }
        fits = fits && htp_input_fits(input, inputs->lane_count);
    }
    return fits;
}

bool htp_lanes_bound_has(const htp_bound *bound, int64_t size)
{
    bool is_apart = bound->step <= 1 || (size - bound->rest) % bound->step == 0;
    return size >= bound->least && (bound->most == 0 || size <= bound->most) && is_apart;
}

bool htp_lanes_are_taken(const htp_inputs *inputs, uint32_t lane)
{
    return !inputs->takes || inputs->takes(inputs->taker, inputs, lane);
}

bool htp_inputs_take(htp_arena *arena, const htp_inputs *inputs, const int64_t *sizes)
{
    htp_inputs tried = *inputs;
    bool fits = true;
    tried.lane_count = 2;
    tried.items = HTP_NEW_ARRAY(arena, htp_input, (size_t)inputs->count + 1);
    tried.axes = HTP_NEW_ARRAY(arena, htp_axis, (size_t)inputs->axis_count + 1);
    for (uint32_t i = 0; i < inputs->count; i++) {
        tried.items[i] = inputs->items[i];
    }
    for (uint32_t i = 0; i < inputs->axis_count; i++) {
        tried.axes[i] = inputs->axes[i];
        tried.axes[i].sizes[1] = sizes[i];
        fits = fits && (inputs->axes[i].formula ||
                        htp_lanes_bound_has(htp_lanes_bound(inputs, i), sizes[i]));
    }
    return fits && htp_lanes_set_dims(&tried) && htp_lanes_are_taken(&tried, 1);
}

bool htp_input_fits(const htp_input *input, uint32_t lane_count)
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
    return fits;
}
