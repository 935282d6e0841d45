/*
 * Derives inputs from the uses of arguments in forward().
 */
#include "base/dtype.h"
#include "source/input_search/derive.h"

#include <string.h>

/* Lengths to try for a list of unknown length. */
static const uint32_t list_lengths[] = {2, 4, 12, 24};

/* ---- numbers, which only the user knows ---- */

static bool is_needed_number(const htp_leaf *leaf)
{
    bool is_number = leaf->type->kind == HTP_TRACE_INT || leaf->type->kind == HTP_TRACE_FLOAT;
    return is_number && !leaf->type->is_optional;
}

static const char *leaf_name(htp_arena *arena, const htp_plan *plan, const htp_leaf *leaf)
{
    const char *name = plan->arguments[leaf->argument].name;
    return *leaf->path ? htp_arena_printf(arena, "%s.%s", name, leaf->path) : name;
}

/* Adds the flag for a leaf, unless that is left out. */
static void add_flag(htp_text *text, const htp_plan *plan, const htp_guess *guess, uint32_t index)
{
    const htp_leaf *leaf = &plan->leaves[index];
    const htp_guessed *guessed = &guess->leaves[index];
    const char *name = leaf_name(text->arena, plan, leaf);
    if (is_needed_number(leaf)) {
        bool is_int = leaf->type->kind == HTP_TRACE_INT;
        htp_text_addf(text, " --input %s:%s=VALUE", name, is_int ? "int" : "float");
    } else if (guessed->is_flag) {
        htp_text_addf(text, " --input %s:bool=false", name);
    } else if (guessed->is_given) {
        htp_text_addf(text, " --input %s:%s[", name, htp_dtype_name(guessed->dtype));
        for (uint32_t d = 0; d < guessed->rank; d++) {
            htp_text_addf(text, "%s%lld", d ? "," : "", (long long)guess->sizes[guessed->slots[d]]);
        }
        htp_text_add(text, "]");
    }
}

static bool can_all_be_given(htp_arena *arena, const htp_plan *plan)
{
    bool can_be = true;
    for (uint32_t i = 0; i < plan->argument_count && can_be; i++) {
        const htp_argument *argument = &plan->arguments[i];
        can_be = argument->is_optional || htp_inputs_form(arena, argument, argument->name);
    }
    return can_be;
}

/* Required numbers cannot be derived: names one, and shows the flags for all arguments. */
static htp_status ask_for_numbers(htp_arena *arena, const htp_plan *plan, const htp_guess *guess)
{
    const htp_leaf *missing = NULL;
    htp_text text = {.arena = arena};
    for (uint32_t i = 0; i < plan->leaf_count; i++) {
        bool is_first = !missing && is_needed_number(&plan->leaves[i]);
        missing = is_first ? &plan->leaves[i] : missing;
        add_flag(&text, plan, guess, i);
    }
    if (!missing || !can_all_be_given(arena, plan)) {
        return HTP_OK;
    }
    return htp_status_make(HTP_CODE_USAGE, "argument \"%s\" is missing, a number; pass%s",
                           leaf_name(arena, plan, missing), htp_text_string(&text));
}

/* ---- the search ---- */

htp_status htp_inputs_derive(htp_arena *arena, const htp_hint *hints, uint32_t hint_count,
                             const htp_argument *arguments, uint32_t argument_count,
                             htp_derive_try attempt, void *user, htp_inputs *inputs,
                             htp_input_derivation *result)
{
    const size_t count = sizeof(list_lengths) / sizeof(list_lengths[0]);
    *result = (htp_input_derivation){0};
    for (size_t i = 0; i < count && !result->are_taken; i++) {
        const htp_plan *plan =
            htp_plan_make(arena, hints, hint_count, arguments, argument_count, list_lengths[i]);
        const htp_uses *uses = htp_uses_find(arena, hints, hint_count, plan);
        htp_guess guess = htp_guess_first(arena, uses, plan);
        HTP_TRY(ask_for_numbers(arena, plan, &guess));
        uint32_t suspect = HTP_NONE;
        result->are_taken =
            htp_derive_search(arena, uses, plan, attempt, user, &guess, &result->tried, &suspect);
        if (i == 0 || result->are_taken) {
            HTP_TRY(htp_guess_inputs(arena, &guess, plan, inputs));
            result->suspect = suspect == HTP_NONE || result->are_taken
                                  ? NULL
                                  : leaf_name(arena, plan, &plan->leaves[suspect]);
        }
        if (!plan->is_open) {
            break;
        }
    }
    return HTP_OK;
}
