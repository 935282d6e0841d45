#include "api/axes/axis_bounds.h"

/* Whether a dim's axis is dynamic, alone or joined with others. */
static bool moves(const htp_axes *axes, uint32_t dim)
{
    return !axes->is_fixed[axes->axis_of[dim]];
}

/* Whether all dynamic dims were dynamic in an earlier trial, and dims joined there still are. */
static bool moves_no_more(const htp_axes *axes, const htp_axes *before)
{
    bool is_like = true;
    for (uint32_t i = 0; i < axes->count && is_like; i++) {
        uint32_t first = before->axis_of[i];
        const htp_size_formula *formula = before->formulas[first];
        is_like = (!moves(axes, i) && !moves(axes, first)) ||
                  (moves(before, i) && axes->axis_of[i] == axes->axis_of[first] &&
                   (!formula || formula == axes->formulas[axes->axis_of[i]]));
    }
    return is_like;
}

/* Whether the axis of a bound is part of this one, with all its dims. */
static bool is_within(const htp_axes *axes, uint32_t axis, const htp_axis_bound *bound)
{
    return axes->axis_of[bound->axis] == axis;
}

bool htp_axis_bounds_recall(const htp_axis_bounds *known, const htp_axes *axes,
                            const uint32_t *moving, htp_inputs *inputs)
{
    bool has_any = false;
    inputs->bounds = HTP_NEW_ARRAY(axes->arena, htp_bound, (size_t)inputs->axis_count + 1);
    for (size_t k = 0; k < known->count; k++) {
        const htp_axis_bound *of = &known->items[k];
        bool counts = moves_no_more(axes, &of->axes);
        for (uint32_t i = 0; counts && i < inputs->axis_count; i++) {
            if (!inputs->axes[i].formula && is_within(axes, moving[i], of)) {
                htp_bound_narrow(&inputs->bounds[i], &of->bound);
                has_any = true;
            }
        }
    }
    return has_any;
}

void htp_axis_bounds_keep(htp_axis_bounds *known, const htp_axes *axes, const uint32_t *moving,
                          const htp_inputs *inputs, const htp_bound *before)
{
    for (uint32_t i = 0; i < inputs->axis_count; i++) {
        const htp_bound *bound = &inputs->bounds[i];
        if (bound->least != before[i].least || bound->most != before[i].most) {
            const htp_axis_bound kept = {htp_axes_copy(axes), moving[i], *bound};
            HTP_PUSH(axes->arena, known, kept);
        }
    }
}
