/*
 * Dims of inputs as formulas of other dims.
 */
#include "source/inputs/inputs.h"

#include <string.h>

uint32_t htp_inputs_add_axis(htp_arena *arena, htp_inputs *inputs, htp_axis axis)
{
    uint32_t index = inputs->axis_count;
    if ((index & (index - 1)) == 0) { /* full: room doubles at powers of two */
        inputs->axes =
            htp_arena_grow(arena, inputs->axes, index, 2 * (size_t)index + 1, sizeof(htp_axis));
    }
    inputs->axes[index] = axis;
    inputs->axis_count++;
    return index;
}

/* The axis with a name, or HTP_NONE. */
static uint32_t find_axis(const htp_inputs *inputs, const char *symbol)
{
    uint32_t found = HTP_NONE;
    for (uint32_t i = 0; i < inputs->axis_count && found == HTP_NONE; i++) {
        found = strcmp(inputs->axes[i].symbol, symbol) == 0 ? i : HTP_NONE;
    }
    return found;
}

/* The normal form of a formula. */
static htp_polynomial_id normalise(htp_algebra *algebra, const htp_inputs *inputs,
                                   const htp_size_formula *formula)
{
    htp_polynomial_id *axes =
        HTP_NEW_ARRAY(algebra->arena, htp_polynomial_id, (size_t)inputs->axis_count + 1);
    for (uint32_t i = 0; i < inputs->axis_count; i++) {
        axes[i] = htp_polynomial_symbol(algebra, inputs->axes[i].symbol, 1, NULL);
    }
    return htp_size_formula_polynomial(algebra, formula, axes);
}

const char *htp_inputs_write_formula(htp_arena *arena, const htp_inputs *inputs,
                                     const htp_size_formula *formula)
{
    htp_algebra algebra = {.arena = arena};
    htp_text text = {.arena = arena};
    htp_polynomial_id id = normalise(&algebra, inputs, formula);
    if (id == HTP_NONE) {
        return NULL;
    }
    htp_polynomial_write(&algebra, id, &text);
    return htp_text_string(&text);
}

const char *htp_inputs_set_formula(htp_arena *arena, htp_inputs *inputs,
                                   const htp_size_formula *formula, uint32_t input, uint32_t dim)
{
    htp_algebra algebra = {.arena = arena};
    htp_text text = {.arena = arena};
    int64_t number = 0;
    int64_t size = htp_size_formula_value(formula, inputs->axes, 0);
    htp_polynomial_id id = normalise(&algebra, inputs, formula);
    if (size < 1 || size > INT32_MAX) {
        return "the formula gives no size from 1 to 2147483647";
    }
    if (id == HTP_NONE) {
        return "the formula is too large";
    }
    inputs->items[input].dims[0][dim] = size;
    inputs->dim_axes[input][dim] = HTP_NONE;
    if (!htp_polynomial_is_number(&algebra, id, &number)) {
        htp_polynomial_write(&algebra, id, &text);
        const char *symbol = htp_text_string(&text);
        uint32_t axis = find_axis(inputs, symbol);
        inputs->dim_axes[input][dim] =
            axis != HTP_NONE
                ? axis
                : htp_inputs_add_axis(arena, inputs, (htp_axis){symbol, {size}, formula});
    }
    return NULL;
}
