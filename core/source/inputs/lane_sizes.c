/*
 * Sizes of axes in lanes, and the dims of inputs that follow from them.
 */
#include "base/checked.h"
#include "base/dtype.h"
#include "source/inputs/lanes.h"

__extension__ typedef unsigned __int128 wide;

const htp_bound *htp_lanes_bound(const htp_inputs *inputs, uint32_t index)
{
    static const htp_bound none = {.least = 0};
    return inputs->bounds ? &inputs->bounds[index] : &none;
}

/* base^exponent, modulo a number */
static uint64_t power(uint64_t base, uint64_t exponent, uint64_t modulus)
{
    uint64_t result = 1;
    for (; exponent > 0; exponent >>= 1) {
        result = exponent & 1 ? (uint64_t)((wide)result * base % modulus) : result;
        base = (uint64_t)((wide)base * base % modulus);
    }
    return result;
}

/* Whether a base does not show that an odd number is composite, by the test of Miller and Rabin. */
static bool passes(uint64_t number, uint64_t base)
{
    uint64_t odd = number - 1;
    uint32_t halvings = 0;
    for (; odd % 2 == 0; odd /= 2) {
        halvings++;
    }
    uint64_t value = power(base % number, odd, number);
    bool is_one = value == 1;
    for (uint32_t i = 1; i < halvings && value != number - 1; i++) {
        value = (uint64_t)((wide)value * value % number);
    }
    return is_one || value == number - 1;
}

/* By division: faster for small numbers. */
static bool has_divisor(int64_t number)
{
    bool has = false;
    for (int64_t divisor = 2; divisor * divisor <= number && !has; divisor++) {
        has = number % divisor == 0;
    }
    return has;
}

bool htp_lanes_is_prime(int64_t number)
{
    /* no composite number below 2^64 passes with all of these bases */
    static const uint8_t bases[] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37};
    static const int64_t small = 1 << 16;
    if (number < small) {
        return number >= 2 && !has_divisor(number);
    }
    bool is_prime = true;
    for (size_t i = 0; i < sizeof(bases) && is_prime; i++) {
        is_prime = number % bases[i] != 0 && passes((uint64_t)number, bases[i]);
    }
    return is_prime;
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
