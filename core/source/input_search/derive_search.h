/*
 * The state that the steps of the search share. Private to core/source.
 */
#ifndef HTP_SOURCE_DERIVE_SEARCH_H
#define HTP_SOURCE_DERIVE_SEARCH_H

#include "source/input_search/derive.h"

enum { HTP_ATTEMPT_LIMIT = 80 };

/** A guess and its outcome. */
typedef struct htp_state {
    htp_guess guess;
    htp_refusal refusal;
} htp_state;

/** A search. */
typedef struct htp_search {
    htp_arena *arena;
    const htp_uses *uses;
    const htp_plan *plan;
    htp_derive_try attempt;
    void *user;
    const char *tried[HTP_ATTEMPT_LIMIT];
    htp_refusal refusals[HTP_ATTEMPT_LIMIT]; /**< of the tried ones that were refused */
    uint32_t tried_count;
    bool is_strict; /**< a guess is kept only if the program gets further with it */
    bool is_over;   /**< found, or stopped */
    htp_guess found;
    htp_state furthest;
} htp_search;

/** Whether uses leave the sizes of a leaf open: none decided, or only about ranks. */
static inline bool htp_uses_are_open(const htp_uses *uses)
{
    return !uses->is_telling || uses->family == HTP_FAMILY_PLAIN;
}

/** The outcome of an attempt, compared with the state that it started from. */
typedef enum htp_outcome {
    HTP_OUTCOME_KEPT, /**< accepted, or further than before: the guess is the new state */
    HTP_OUTCOME_LIKE, /**< the same operator raised */
    HTP_OUTCOME_LOST,
} htp_outcome;

/** Runs a guess. @return false if nothing can be learned: it was tried before (@p refusal is that
 * of the earlier attempt), or is impossible */
bool htp_search_run(htp_search *search, const htp_guess *guess, htp_refusal *refusal);

/** Tries a guess derived from @p state; @p refusal receives the outcome. */
htp_outcome htp_search_attempt(htp_search *search, htp_state *state, const htp_guess *guess,
                               htp_refusal *refusal);

/** Tries a guess. @return whether it was kept */
bool htp_search_improves(htp_search *search, htp_state *state, const htp_guess *guess);

/** Gives dims that equal one number of a fact the other number; the batch, which all share, only
 * with
 * @p batches. @return whether the state changed */
bool htp_sizes_replace(htp_search *search, htp_state *state, bool batches);

/** Moves sizes until the numbers of one of the refusal's facts are equal. @return whether the state
 * was changed */
bool htp_sizes_solve(htp_search *search, htp_state *state);

/** Gives windows more room. @return whether the state was changed */
bool htp_sizes_grow(htp_search *search, htp_state *state);

#endif
