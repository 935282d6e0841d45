/*
 * The search from a guess to inputs that forward() accepts. A refusal shows two numbers that
 * differ, and the arguments that they depend on. Sizes are changed and tried until the numbers are
 * equal. A step is kept if the program gets further with it.
 */
#include "source/input_search/derive_search.h"

#include "base/dtype.h"

#include <string.h>

/* How often sizes are adjusted after a change of rank. */
enum { REPAIR_LIMIT = 3 };

/* ---- ranks and dtypes ---- */

/* Tries one number per batch element instead of one per step. */
static bool try_vector(htp_search *search, htp_state *state, uint32_t leaf, const htp_guess *guess)
{
    htp_guess other = htp_guess_copy(search->arena, guess);
    return htp_guess_set_batch(&other, leaf) && htp_search_improves(search, state, &other);
}

/* Gives the dims of a leaf the sizes that a refusal requires, last dims first. @return whether
 * there are any */
static bool repair(htp_guess *guess, uint32_t leaf, const htp_refusal *refusal)
{
    htp_guessed *guessed = &guess->leaves[leaf];
    bool is_repaired[HTP_GUESS_RANK] = {false};
    bool has_changed = false;
    for (uint32_t f = 0; f < refusal->fact_count; f++) {
        const htp_fact *fact = &refusal->facts[f];
        uint32_t d = fact->is_rank || fact->is_guess ? 0 : guessed->rank;
        while (d > 0 && (is_repaired[d - 1] || guess->sizes[guessed->slots[d - 1]] != fact->have)) {
            d--;
        }
        if (d > 0) {
            uint32_t slot = htp_guess_own_slot(leaf, d - 1);
            guess->roles[slot] = guess->roles[guessed->slots[d - 1]];
            guess->sizes[slot] = fact->want;
            guessed->slots[d - 1] = slot;
            is_repaired[d - 1] = true;
            has_changed = true;
        }
    }
    return has_changed;
}

/* A new rank brings new sizes, which may need adjustment. */
static bool try_repaired(htp_search *search, htp_state *state, uint32_t leaf,
                         const htp_guess *guess)
{
    htp_guess other = htp_guess_copy(search->arena, guess);
    htp_refusal refusal;
    htp_outcome result = htp_search_attempt(search, state, &other, &refusal);
    for (uint32_t i = 0; i < REPAIR_LIMIT && result != HTP_OUTCOME_KEPT; i++) {
        if (!repair(&other, leaf, &refusal)) {
            break;
        }
        result = htp_search_attempt(search, state, &other, &refusal);
        other = htp_guess_copy(search->arena, &other);
    }
    return result == HTP_OUTCOME_KEPT;
}

/*
 * Tries a rank; the last dim may keep its size, as features do.
 * @param repairs  whether sizes may be adjusted
 */
static bool try_rank(htp_search *search, htp_state *state, uint32_t leaf, int64_t rank,
                     bool repairs)
{
    htp_guess guess = htp_guess_copy(search->arena, &state->guess);
    const htp_guessed before = state->guess.leaves[leaf];
    if (rank < 0 || rank > HTP_GUESS_RANK ||
        !htp_guess_set_rank(&guess, search->uses, leaf, (uint32_t)rank)) {
        return false;
    }
    if (htp_search_improves(search, state, &guess) ||
        (repairs && try_repaired(search, state, leaf, &guess))) {
        return true;
    }
    if (rank == 1 && try_vector(search, state, leaf, &guess)) {
        return true;
    }
    uint32_t last = before.is_given && before.rank > 1 ? before.slots[before.rank - 1] : 0;
    if (rank < 2 || last == 0 || state->guess.roles[last] == HTP_ROLE_EXTENT) {
        return false;
    }
    htp_guess kept = htp_guess_copy(search->arena, &guess);
    uint32_t slot = htp_guess_own_slot(leaf, (uint32_t)rank - 1);
    kept.leaves[leaf].slots[rank - 1] = slot;
    kept.sizes[slot] = state->guess.sizes[last];
    kept.roles[slot] = HTP_ROLE_FEATURES;
    return htp_search_improves(search, state, &kept);
}

static bool try_dtype(htp_search *search, htp_state *state, uint32_t leaf, htp_dtype dtype)
{
    if (search->uses[leaf].is_flag) {
        return false;
    }
    htp_guess guess = htp_guess_copy(search->arena, &state->guess);
    guess.leaves[leaf].dtype = dtype;
    return htp_search_improves(search, state, &guess);
}

static bool is_given(const htp_state *state, uint32_t leaf)
{
    return state->guess.leaves[leaf].is_given;
}

static bool fit_ranks(htp_search *search, htp_state *state)
{
    const htp_refusal refusal = state->refusal;
    for (uint32_t f = 0; f < refusal.fact_count; f++) {
        const htp_fact *fact = &refusal.facts[f];
        for (uint32_t i = 0; fact->is_rank && i < refusal.suspect_count; i++) {
            uint32_t leaf = refusal.suspects[i];
            int64_t rank = (int64_t)state->guess.leaves[leaf].rank;
            if (is_given(state, leaf) &&
                try_rank(search, state, leaf, rank + fact->want - fact->have, true)) {
                return true;
            }
        }
    }
    return false;
}

/* If all inputs are floats in one tensor, it has at least two dims, unless nothing else works. */
static char least_rank(const htp_search *search, const htp_state *state, uint32_t leaf,
                       bool repairs)
{
    bool is_alone = search->plan->leaf_count == 1;
    return is_alone && htp_dtype_is_float(state->guess.leaves[leaf].dtype) && !repairs ? '2' : '1';
}

/* Tries other ranks allowed by uses, with sizes adjusted or not. */
static bool move_ranks_as_used(htp_search *search, htp_state *state, bool open_ones, bool repairs)
{
    const htp_refusal refusal = state->refusal;
    bool has_moved = false;
    search->is_strict = true;
    for (uint32_t i = 0; i < refusal.suspect_count && !has_moved; i++) {
        uint32_t leaf = refusal.suspects[i];
        const htp_uses *uses = &search->uses[leaf];
        bool may_move = is_given(state, leaf) && htp_uses_are_open(uses) == open_ones;
        for (const char *rank = may_move ? uses->ranks : ""; *rank && !has_moved; rank++) {
            has_moved = *rank >= least_rank(search, state, leaf, repairs) &&
                        try_rank(search, state, leaf, *rank - '0', repairs);
        }
    }
    search->is_strict = false;
    return has_moved;
}

static bool move_ranks(htp_search *search, htp_state *state)
{
    const htp_refusal refusal = state->refusal;
    for (uint32_t i = 0; i < refusal.suspect_count; i++) {
        uint32_t leaf = refusal.suspects[i];
        int64_t rank = (int64_t)state->guess.leaves[leaf].rank;
        if (is_given(state, leaf) &&
            (try_rank(search, state, leaf, rank + 1, true) ||
             (rank > 1 && try_rank(search, state, leaf, rank - 1, true)))) {
            return true;
        }
    }
    return false;
}

/* Few arguments are 0-d tensors. */
static bool move_ranks_to_none(htp_search *search, htp_state *state)
{
    const htp_refusal refusal = state->refusal;
    for (uint32_t i = 0; i < refusal.suspect_count; i++) {
        if (is_given(state, refusal.suspects[i]) &&
            try_rank(search, state, refusal.suspects[i], 0, false)) {
            return true;
        }
    }
    return false;
}

/* Tries the dtypes of the operands, one of which may be a weight's. */
static bool fit_dtypes(htp_search *search, htp_state *state)
{
    const htp_refusal refusal = state->refusal;
    for (uint32_t i = 0; i < refusal.suspect_count; i++) {
        for (uint32_t k = 0; k < refusal.dtype_count; k++) {
            if (is_given(state, refusal.suspects[i]) &&
                refusal.dtypes[k] != state->guess.leaves[refusal.suspects[i]].dtype &&
                try_dtype(search, state, refusal.suspects[i], refusal.dtypes[k])) {
                return true;
            }
        }
    }
    return false;
}

static bool move_dtypes(htp_search *search, htp_state *state)
{
    static const htp_dtype dtypes[] = {HTP_DTYPE_FLOAT32, HTP_DTYPE_INT64, HTP_DTYPE_BOOL};
    const htp_refusal refusal = state->refusal;
    for (uint32_t i = 0; i < refusal.suspect_count; i++) {
        for (size_t k = 0; k < sizeof(dtypes) / sizeof(dtypes[0]); k++) {
            if (is_given(state, refusal.suspects[i]) &&
                try_dtype(search, state, refusal.suspects[i], dtypes[k])) {
                return true;
            }
        }
    }
    return false;
}

/* Whether an argument may get a rank together with others: an undecided one; or with @p
 * are_decided, one whose uses allow it. */
static bool may_have_rank(const htp_search *search, uint32_t leaf, uint32_t rank, bool are_decided)
{
    const htp_uses *uses = &search->uses[leaf];
    return are_decided ? uses->is_telling && strchr(uses->ranks, (int)('0' + rank))
                       : !uses->is_telling;
}

/* Several arguments may need another rank together: parts of one list, summands, or ids of joined
 * tensors. */
static bool move_ranks_together(htp_search *search, htp_state *state)
{
    const htp_refusal refusal = state->refusal;
    for (uint32_t k = 0; k < 2 * HTP_GUESS_RANK; k++) {
        uint32_t rank = 1 + k % HTP_GUESS_RANK;
        htp_guess guess = htp_guess_copy(search->arena, &state->guess);
        uint32_t moved = 0;
        for (uint32_t i = 0; i < refusal.suspect_count; i++) {
            uint32_t leaf = refusal.suspects[i];
            moved += is_given(state, leaf) &&
                     may_have_rank(search, leaf, rank, k >= HTP_GUESS_RANK) &&
                     htp_guess_set_rank(&guess, search->uses, leaf, rank);
        }
        if (moved > 1 && htp_search_improves(search, state, &guess)) {
            return true;
        }
    }
    return false;
}

static bool move_flags(htp_search *search, htp_state *state)
{
    for (uint32_t i = 0; i < state->guess.count; i++) {
        if (search->uses[i].is_flag) {
            htp_guess guess = htp_guess_copy(search->arena, &state->guess);
            guess.leaves[i].is_set = !guess.leaves[i].is_set;
            if (htp_search_improves(search, state, &guess)) {
                return true;
            }
        }
    }
    return false;
}

/* ---- optional arguments ---- */

static bool give_optional(htp_search *search, htp_state *state)
{
    for (uint32_t i = 0; i < state->guess.count; i++) {
        if (!is_given(state, i) && search->plan->leaves[i].type->kind == HTP_TRACE_TENSOR) {
            uint32_t rank = (uint32_t)(search->uses[i].ranks[0] - '0');
            if (try_rank(search, state, i, rank, false)) {
                return true;
            }
        }
    }
    return false;
}

/* ---- the search ---- */

/* Steps that follow from the refusal come before mere trials. */
static bool step(htp_search *search, htp_state *state)
{
    if (state->refusal.suspect_count == 0) { /* no suspects: any leaf may be one */
        uint32_t *all = HTP_NEW_ARRAY(search->arena, uint32_t, (size_t)state->guess.count + 1);
        for (uint32_t i = 0; i < state->guess.count; i++) {
            all[i] = i;
        }
        state->refusal.suspects = all;
        state->refusal.suspect_count = state->guess.count;
    }
    /* an operator raises because of its operands; a program may raise because one is missing */
    bool may_lack = !state->refusal.is_operator;
    return (state->refusal.is_dtype && (fit_dtypes(search, state) || move_dtypes(search, state))) ||
           fit_ranks(search, state) || move_ranks_as_used(search, state, true, false) ||
           htp_sizes_replace(search, state, false) ||
           move_ranks_as_used(search, state, false, false) ||
           move_ranks_as_used(search, state, true, true) ||
           move_ranks_as_used(search, state, false, true) ||
           htp_sizes_replace(search, state, true) || htp_sizes_solve(search, state) ||
           (may_lack && give_optional(search, state)) || move_ranks(search, state) ||
           move_ranks_together(search, state) || htp_sizes_grow(search, state) ||
           move_dtypes(search, state) || move_flags(search, state) ||
           give_optional(search, state) || move_ranks_to_none(search, state);
}

static void refine(htp_search *search, htp_state state)
{
    while (!search->is_over && step(search, &state)) {
    }
    if (state.refusal.node_count > search->furthest.refusal.node_count) {
        search->furthest = state;
    }
}

/* Restarts with another rank of a leaf. */
static void begin_otherwise(htp_search *search, const htp_guess *from)
{
    for (uint32_t i = 0; i < from->count; i++) {
        const char *ranks = from->leaves[i].is_given ? search->uses[i].ranks : "";
        for (size_t k = 0; k < strlen(ranks) && !search->is_over; k++) {
            htp_state state = {.guess = htp_guess_copy(search->arena, from)};
            (void)htp_guess_set_rank(&state.guess, search->uses, i, (uint32_t)(ranks[k] - '0'));
            if (htp_search_run(search, &state.guess, &state.refusal)) {
                refine(search, state);
            }
        }
    }
}

/* Whether a leaf has the sizes of another one that uses decided to be ids. */
static bool has_sizes_of_ids(const htp_search *search, const htp_guess *guess, uint32_t leaf)
{
    const htp_guessed *guessed = &guess->leaves[leaf];
    bool has_them = false;
    for (uint32_t i = 0; i < guess->count && !has_them; i++) {
        const htp_guessed *ids = &guess->leaves[i];
        bool is_ids = search->uses[i].is_telling && search->uses[i].family == HTP_FAMILY_IDS;
        has_them = is_ids && ids->is_given && ids->rank == guessed->rank;
        for (uint32_t d = 0; d < guessed->rank && has_them; d++) {
            has_them = guess->sizes[ids->slots[d]] == guess->sizes[guessed->slots[d]];
        }
    }
    return has_them;
}

/* Whether a leaf guessed to be ids, because of ids beside it, has other sizes. */
static bool is_unlike_ids(const htp_search *search, const htp_guess *guess, uint32_t leaf)
{
    const htp_guessed *guessed = &guess->leaves[leaf];
    return guessed->is_given && guessed->dtype == HTP_DTYPE_INT64 &&
           !search->uses[leaf].is_telling && !has_sizes_of_ids(search, guess, leaf);
}

/* Integers beside ids that have other sizes than these are measurements: tries floats. */
static void take_floats(htp_search *search)
{
    for (uint32_t i = 0; i < search->found.count; i++) {
        htp_guess guess = htp_guess_copy(search->arena, &search->found);
        htp_refusal refusal;
        if (is_unlike_ids(search, &guess, i)) {
            guess.leaves[i].dtype = HTP_DTYPE_FLOAT32;
            search->is_over = false;
            (void)htp_search_run(search, &guess, &refusal);
            search->is_over = true;
        }
    }
}

bool htp_derive_search(htp_arena *arena, const htp_uses *uses, const htp_plan *plan,
                       htp_derive_try attempt_inputs, void *user, htp_guess *guess, uint32_t *tried,
                       uint32_t *suspect)
{
    htp_search *search = HTP_NEW(arena, htp_search);
    *search = (htp_search){
        .arena = arena, .uses = uses, .plan = plan, .attempt = attempt_inputs, .user = user};
    htp_state state = {.guess = *guess};
    search->furthest = state;
    if (htp_search_run(search, guess, &state.refusal)) {
        search->furthest = state;
        refine(search, state);
        const htp_guess furthest = search->furthest.guess;
        begin_otherwise(search, &furthest);
        begin_otherwise(search, guess);
    }
    if (search->is_over) {
        take_floats(search);
    }
    *guess = search->is_over ? search->found : search->furthest.guess;
    *tried += search->tried_count;
    *suspect = search->furthest.refusal.suspect_count > 0 ? search->furthest.refusal.suspects[0]
                                                          : HTP_NONE;
    return search->is_over;
}
