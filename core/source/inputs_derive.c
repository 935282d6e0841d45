/*
 * Inputs derived from what forward() does with its arguments.
 */
#include "source/derive.h"

htp_status htp_inputs_derive(htp_arena *arena, const htp_shim_hint *hints, uint32_t hint_count,
                             const htp_shim_argument *arguments, uint32_t argument_count,
                             htp_derive_try attempt, void *user, htp_inputs *inputs,
                             bool *are_taken)
{
    const htp_plan *plan = htp_plan_make(arena, hints, hint_count, arguments, argument_count);
    const htp_uses *uses = htp_uses_find(arena, hints, hint_count, plan);
    htp_guess guess = htp_guess_first(arena, uses, plan);
    HTP_TRY(htp_guess_inputs(arena, &guess, plan, inputs));
    *are_taken = htp_derive_search(arena, uses, plan, attempt, user, &guess);
    return htp_guess_inputs(arena, &guess, plan, inputs);
}
