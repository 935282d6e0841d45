#include "api/axes/axis_refusals.h"

/* Whether the same dims are dynamic, and joined in the same way. */
static bool move_alike(const htp_axes *a, const htp_axes *b)
{
    bool are_alike = true;
    for (uint32_t i = 0; i < a->count && are_alike; i++) {
        uint32_t of_a = a->axis_of[i];
        uint32_t of_b = b->axis_of[i];
        bool moves = !a->is_fixed[of_a];
        are_alike = moves == !b->is_fixed[of_b] &&
                    (!moves || (of_a == of_b && a->formulas[of_a] == b->formulas[of_b]));
    }
    return are_alike;
}

/* Whether two trials choose sizes in the same way. A single axis has no order. */
static bool ask_alike(const htp_axes *axes, const htp_shape_conflict *a,
                      const htp_shape_conflict *b)
{
    return a->tries_one == b->tries_one &&
           (a->one_order == b->one_order || htp_axes_count_moving(axes) == 1);
}

const htp_axis_refusal *htp_axis_refusals_find(const htp_axis_refusals *known, const htp_axes *axes,
                                               const htp_shape_conflict *conflict)
{
    for (size_t i = 0; i < known->count; i++) {
        const htp_axis_refusal *refusal = &known->items[i];
        if (ask_alike(axes, &refusal->conflict, conflict) && move_alike(&refusal->axes, axes)) {
            return refusal;
        }
    }
    return NULL;
}

void htp_axis_refusals_keep(htp_axis_refusals *known, const htp_axes *axes,
                            const htp_shape_conflict *conflict, htp_status status)
{
    const htp_axis_refusal refusal = {
        .axes = htp_axes_copy(axes),
        .conflict = *conflict,
        .code = htp_status_code(status),
        .message = htp_arena_strdup(axes->arena, htp_status_message(status)),
    };
    HTP_PUSH(axes->arena, known, refusal);
}
