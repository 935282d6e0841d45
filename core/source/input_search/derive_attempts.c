/*
 * Attempts: runs a guess, and compares the outcome with the previous one.
 */
#include "source/input_search/derive_search.h"

#include "base/text.h"

#include <string.h>

static const char *describe(htp_arena *arena, const htp_inputs *inputs)
{
    htp_text text = {.arena = arena};
    for (uint32_t i = 0; i < inputs->count; i++) {
        const char *input = htp_inputs_describe(arena, inputs, i);
        htp_text_addf(&text, "%s ", input ? input : "-");
    }
    return htp_text_string(&text);
}

/* The index of an earlier attempt with this guess; the number of attempts if there is none. */
static uint32_t find_tried(const htp_search *search, const char *description)
{
    uint32_t i = 0;
    while (i < search->tried_count && strcmp(search->tried[i], description) != 0) {
        i++;
    }
    return i;
}

bool htp_search_run(htp_search *search, const htp_guess *guess, htp_refusal *refusal)
{
    htp_inputs inputs;
    *refusal = (htp_refusal){.kind = ""};
    if (search->is_over || search->tried_count >= HTP_ATTEMPT_LIMIT) {
        return false;
    }
    htp_status status = htp_guess_inputs(search->arena, guess, search->plan, &inputs);
    bool is_possible = !status;
    htp_status_free(status);
    if (!is_possible) {
        return false;
    }
    const char *description = describe(search->arena, &inputs);
    uint32_t index = find_tried(search, description);
    if (index < search->tried_count) {
        *refusal = search->refusals[index];
        return false;
    }
    search->tried[search->tried_count++] = description;
    search->refusals[index] = *refusal;
    const htp_trace *trace = NULL;
    htp_trial trial = search->attempt(search->user, &inputs, &trace);
    search->is_over = trial != HTP_TRIAL_REFUSED;
    if (search->is_over) {
        search->found = *guess;
        return true;
    }
    htp_refusal_read(search->arena, trace, search->plan, refusal);
    search->refusals[index] = *refusal;
    return true;
}

/* The number of definite reasons of a refusal: dtypes and ranks come first. */
static uint32_t count_reasons(const htp_refusal *refusal)
{
    uint32_t count = refusal->is_dtype ? (HTP_FACT_LIMIT + 1) * HTP_FACT_LIMIT : 0;
    for (uint32_t i = 0; i < refusal->fact_count; i++) {
        const htp_fact *fact = &refusal->facts[i];
        count += fact->is_rank ? HTP_FACT_LIMIT : (uint32_t)!fact->is_guess;
    }
    return count;
}

/* Whether the same operator raises for fewer, known reasons. */
static bool is_less_wrong(const htp_refusal *refusal, const htp_refusal *before)
{
    uint32_t count = count_reasons(refusal);
    uint32_t count_before = count_reasons(before);
    return count < count_before && (count > 0 || count_before >= HTP_FACT_LIMIT);
}

htp_outcome htp_search_attempt(htp_search *search, htp_state *state, const htp_guess *guess,
                               htp_refusal *refusal)
{
    if (!htp_search_run(search, guess, refusal)) {
        return HTP_OUTCOME_LOST;
    }
    bool is_same = refusal->node_count == state->refusal.node_count &&
                   strcmp(refusal->kind, state->refusal.kind) == 0;
    if (search->is_over || refusal->node_count > state->refusal.node_count ||
        (is_same && !search->is_strict && is_less_wrong(refusal, &state->refusal))) {
        *state = (htp_state){*guess, *refusal};
        return HTP_OUTCOME_KEPT;
    }
    return is_same ? HTP_OUTCOME_LIKE : HTP_OUTCOME_LOST;
}

bool htp_search_improves(htp_search *search, htp_state *state, const htp_guess *guess)
{
    htp_refusal refusal;
    return htp_search_attempt(search, state, guess, &refusal) == HTP_OUTCOME_KEPT;
}
