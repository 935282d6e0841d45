/*
 * Finds sizes that make two numbers equal. The dependence on a size is not derived but observed:
 * the size is changed, and the operator's reaction decides how to go on.
 */
#include "source/input_search/derive_search.h"

enum {
    LARGEST_SIZE = 1 << 17,
    FACTS_SOLVED = 4,
    PROBE_LIMIT = 16, /* per size */
};

/* Another dim of the leaf with this slot; the rank if there is none. */
static uint32_t find_other(const htp_guessed *guessed, uint32_t dim, uint32_t slot)
{
    uint32_t d = 0;
    while (d < guessed->rank && (d == dim || guessed->slots[d] != slot)) {
        d++;
    }
    return d;
}

/* Gives a dim its own slot. @return false if it has one already */
static bool separate(htp_search *search, htp_state *state, uint32_t leaf, uint32_t dim)
{
    htp_guess guess = htp_guess_copy(search->arena, &state->guess);
    htp_guessed *guessed = &guess.leaves[leaf];
    uint32_t before = guessed->slots[dim];
    uint32_t own = htp_guess_own_slot(leaf, dim);
    uint32_t other = find_other(guessed, dim, own);
    bool is_shared = before != own || other < guessed->rank;
    if (other < guessed->rank) { /* the others keep sharing theirs */
        uint32_t moved = htp_guess_own_slot(leaf, other);
        guess.sizes[moved] = guess.sizes[own];
        guess.roles[moved] = guess.roles[own];
        for (uint32_t d = other; d < guessed->rank; d = find_other(guessed, dim, own)) {
            guessed->slots[d] = moved;
        }
    }
    guessed->slots[dim] = own;
    guess.sizes[own] = state->guess.sizes[before];
    guess.roles[own] = state->guess.roles[before];
    state->guess = guess;
    return is_shared;
}

/* Sets the size of a dim, with all dims that share it, or alone. */
static bool set_size(htp_search *search, htp_state *state, uint32_t leaf, uint32_t dim,
                     int64_t size, bool alone)
{
    htp_state other = *state;
    if (alone && !separate(search, &other, leaf, dim)) {
        return false;
    }
    htp_guess guess = htp_guess_copy(search->arena, &other.guess);
    guess.sizes[guess.leaves[leaf].slots[dim]] = size;
    return htp_search_improves(search, state, &guess);
}

/* Which dims get another size: those of leaves with open sizes (also of ids beyond a sequence), one
 * by one; sides of images, one by one, since one may turn out to be channels; others together with
 * all that share the size. */
enum moved { OPEN_ONES, EXTENTS, TOGETHER, MOVED_COUNT };

/* Whether a leaf has this many features. Then an equal size of another dim is a coincidence. */
static bool has_features(const htp_state *state, uint32_t leaf, int64_t size)
{
    const htp_guessed *guessed = &state->guess.leaves[leaf];
    bool has = false;
    for (uint32_t d = 0; d < guessed->rank; d++) {
        has = has || (state->guess.roles[guessed->slots[d]] == HTP_ROLE_FEATURES &&
                      state->guess.sizes[guessed->slots[d]] == size);
    }
    return has;
}

/* One dim. A batch is changed alone unless requested otherwise. */
static bool replace_size(htp_search *search, htp_state *state, uint32_t leaf, uint32_t dim,
                         int64_t want, enum moved moved, bool batches)
{
    const htp_guessed *guessed = &state->guess.leaves[leaf];
    htp_role role = state->guess.roles[guessed->slots[dim]];
    bool is_open = htp_uses_are_open(&search->uses[leaf]) ||
                   (search->uses[leaf].family == HTP_FAMILY_IDS && guessed->rank > 2);
    if (moved != TOGETHER) {
        return (moved == OPEN_ONES ? is_open : role == HTP_ROLE_EXTENT) &&
               set_size(search, state, leaf, dim, want, true);
    }
    bool may_share = role != HTP_ROLE_BATCH || batches;
    bool may_be_alone = role != HTP_ROLE_EXTENT && (may_share || !has_features(state, leaf, want));
    return (may_share && set_size(search, state, leaf, dim, want, false)) ||
           (may_be_alone && set_size(search, state, leaf, dim, want, true));
}

/* Dims equal to one of the two differing numbers get the other one. */
static bool replace(htp_search *search, htp_state *state, int64_t have, int64_t want,
                    enum moved moved, bool batches)
{
    const htp_refusal refusal = state->refusal;
    for (uint32_t i = 0; i < refusal.suspect_count; i++) {
        uint32_t leaf = refusal.suspects[i];
        const htp_guessed guessed = state->guess.leaves[leaf];
        for (uint32_t d = 0; guessed.is_given && d < guessed.rank; d++) {
            if (state->guess.sizes[guessed.slots[d]] == have &&
                replace_size(search, state, leaf, d, want, moved, batches)) {
                return true;
            }
        }
    }
    return false;
}

bool htp_sizes_replace(htp_search *search, htp_state *state, bool batches)
{
    const htp_refusal refusal = state->refusal;
    for (uint32_t k = 0; k < MOVED_COUNT * refusal.fact_count; k++) {
        const htp_fact *fact = &refusal.facts[k % refusal.fact_count];
        enum moved moved = (enum moved)(k / refusal.fact_count);
        if (!fact->is_rank && fact->want <= LARGEST_SIZE &&
            (replace(search, state, fact->have, fact->want, moved, batches) ||
             (!fact->is_least && fact->have > 0 &&
              replace(search, state, fact->want, fact->have, moved, batches)))) {
            return true;
        }
    }
    return false;
}

/* A size that is changed until two numbers are equal. */
struct probe {
    htp_search *search;
    htp_state *state;
    uint32_t fact; /* id of the fact */
    uint32_t slot;
    uint32_t count;
};

/* The difference of the numbers at size @p size. */
static htp_outcome probe(struct probe *p, int64_t size, int64_t *difference)
{
    if (size < 1 || size > LARGEST_SIZE || p->count++ >= PROBE_LIMIT) {
        return HTP_OUTCOME_LOST;
    }
    htp_refusal refusal = {.kind = ""};
    htp_guess guess = htp_guess_copy(p->search->arena, &p->state->guess);
    guess.sizes[p->slot] = size;
    htp_outcome result = htp_search_attempt(p->search, p->state, &guess, &refusal);
    *difference = 0;
    for (uint32_t f = 0; f < refusal.fact_count; f++) {
        if (refusal.facts[f].id == p->fact) {
            *difference = refusal.facts[f].have - refusal.facts[f].want;
        }
    }
    return result;
}

/* Bisects between a size that is too small and one that is too large. */
static bool bisect(struct probe *p, int64_t low, int64_t high, bool low_is_negative)
{
    while (high - low > 1) {
        int64_t middle = low + (high - low) / 2;
        int64_t difference = 0;
        htp_outcome result = probe(p, middle, &difference);
        if (result != HTP_OUTCOME_LIKE) {
            return result == HTP_OUTCOME_KEPT;
        }
        if ((difference < 0) == low_is_negative) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return false;
}

/* Doubles or halves a size while that brings the numbers closer. */
static bool approach(struct probe *p, int64_t size, int64_t difference, bool up)
{
    for (;;) {
        int64_t next = up ? size * 2 : size / 2;
        int64_t moved = 0;
        htp_outcome result = probe(p, next, &moved);
        if (result != HTP_OUTCOME_LIKE) {
            return result == HTP_OUTCOME_KEPT;
        }
        if ((moved < 0) != (difference < 0)) {
            return up ? bisect(p, size, next, difference < 0) : bisect(p, next, size, moved < 0);
        }
        size = next;
        difference = moved;
    }
}

static bool solve(htp_search *search, htp_state *state, const htp_fact *fact, uint32_t slot)
{
    struct probe p = {.search = search, .state = state, .fact = fact->id, .slot = slot};
    int64_t size = state->guess.sizes[slot];
    int64_t first = fact->have - fact->want;
    int64_t second = 0;
    int64_t step = size;
    htp_outcome result = probe(&p, size + step, &second);
    if (result == HTP_OUTCOME_LOST) {
        step = 1;
        result = probe(&p, size + step, &second);
    }
    if (result != HTP_OUTCOME_LIKE || second == first) {
        return result == HTP_OUTCOME_KEPT;
    }
    /* the intersection by linear interpolation */
    int64_t straight = size - first * step / (second - first);
    int64_t ignored = 0;
    if (first * step % (second - first) == 0 && probe(&p, straight, &ignored) == HTP_OUTCOME_KEPT) {
        return true;
    }
    if ((first < 0) != (second < 0)) {
        return bisect(&p, size, size + step, first < 0);
    }
    bool is_closer = second < 0 ? second > first : second < first;
    return is_closer ? approach(&p, size + step, second, true) : approach(&p, size, first, false);
}

/* Whether a suspect has a dim of this slot. */
static bool is_suspect(const htp_state *state, uint32_t slot)
{
    for (uint32_t i = 0; i < state->refusal.suspect_count; i++) {
        const htp_guessed *guessed = &state->guess.leaves[state->refusal.suspects[i]];
        for (uint32_t d = 0; guessed->is_given && d < guessed->rank; d++) {
            if (guessed->slots[d] == slot) {
                return true;
            }
        }
    }
    return false;
}

/* Separates dims that share a size if that helps; last dims first. */
static bool solve_dims(htp_search *search, htp_state *state)
{
    const htp_refusal refusal = state->refusal;
    for (uint32_t f = 0; f < refusal.fact_count && f < FACTS_SOLVED; f++) {
        for (uint32_t i = 0; !refusal.facts[f].is_rank && i < refusal.suspect_count; i++) {
            uint32_t leaf = refusal.suspects[i];
            const htp_guess before = state->guess;
            uint32_t rank = before.leaves[leaf].is_given ? before.leaves[leaf].rank : 0;
            for (uint32_t d = rank; d-- > 0;) {
                if (separate(search, state, leaf, d) &&
                    solve(search, state, &refusal.facts[f], htp_guess_own_slot(leaf, d))) {
                    return true;
                }
                state->guess = before;
            }
        }
    }
    return false;
}

static bool solve_sizes(htp_search *search, htp_state *state)
{
    static const htp_role order[] = {HTP_ROLE_EXTENT, HTP_ROLE_LENGTH, HTP_ROLE_SEQUENCE,
                                     HTP_ROLE_FEATURES, HTP_ROLE_BATCH};
    const htp_refusal refusal = state->refusal;
    for (uint32_t f = 0; f < refusal.fact_count && f < FACTS_SOLVED; f++) {
        for (size_t k = 0; !refusal.facts[f].is_rank && k < sizeof(order) / sizeof(order[0]); k++) {
            for (uint32_t slot = 0; slot < state->guess.slot_count; slot++) {
                if (state->guess.roles[slot] == order[k] && is_suspect(state, slot) &&
                    solve(search, state, &refusal.facts[f], slot)) {
                    return true;
                }
            }
        }
    }
    return false;
}

/* Gives one dim a common size, and adjusts another one of the same argument. */
static bool solve_beside(htp_search *search, htp_state *state, uint32_t leaf, uint32_t dim,
                         int64_t size)
{
    htp_state other = *state;
    (void)separate(search, &other, leaf, dim);
    htp_guess guess = htp_guess_copy(search->arena, &other.guess);
    guess.sizes[guess.leaves[leaf].slots[dim]] = size;
    htp_refusal refusal;
    htp_outcome result = htp_search_attempt(search, state, &guess, &refusal);
    if (result != HTP_OUTCOME_LIKE || refusal.fact_count == 0) {
        return result == HTP_OUTCOME_KEPT;
    }
    for (uint32_t d = 0; d < guess.leaves[leaf].rank; d++) {
        uint32_t slot = guess.leaves[leaf].slots[d];
        other = (htp_state){guess, refusal};
        if (d != dim && guess.roles[slot] == HTP_ROLE_EXTENT &&
            solve(search, &other, &refusal.facts[0], slot)) {
            *state = other;
            return true;
        }
    }
    return false;
}

/* A fixed number may be a product of two sizes, such as bands and frames of a spectrogram. */
static bool solve_products(htp_search *search, htp_state *state)
{
    static const int64_t common[] = {80, 128, 40, 20};
    const htp_refusal refusal = state->refusal;
    for (uint32_t i = 0; i < refusal.suspect_count; i++) {
        uint32_t leaf = refusal.suspects[i];
        const htp_guessed guessed = state->guess.leaves[leaf];
        for (size_t k = 0; k < sizeof(common) / sizeof(common[0]); k++) {
            for (uint32_t d = 0; guessed.is_given && d < guessed.rank; d++) {
                if (state->guess.roles[guessed.slots[d]] == HTP_ROLE_EXTENT &&
                    solve_beside(search, state, leaf, d, common[k])) {
                    return true;
                }
            }
        }
    }
    return false;
}

bool htp_sizes_solve(htp_search *search, htp_state *state)
{
    return solve_sizes(search, state) || solve_dims(search, state) || solve_products(search, state);
}

/* Multiplies all sizes of two roles. */
static bool multiply(htp_search *search, htp_state *state, const htp_role roles[2], int64_t factor)
{
    htp_guess guess = htp_guess_copy(search->arena, &state->guess);
    for (uint32_t slot = 0; slot < guess.slot_count; slot++) {
        bool grows = guess.roles[slot] == roles[0] || guess.roles[slot] == roles[1];
        guess.sizes[slot] *= grows && is_suspect(state, slot) ? factor : 1;
    }
    return htp_search_improves(search, state, &guess);
}

bool htp_sizes_grow(htp_search *search, htp_state *state)
{
    static const struct {
        htp_role roles[2];
        int64_t factor;
    } growths[] = {
        {{HTP_ROLE_EXTENT, HTP_ROLE_EXTENT}, 2},    {{HTP_ROLE_EXTENT, HTP_ROLE_EXTENT}, 4},
        {{HTP_ROLE_EXTENT, HTP_ROLE_EXTENT}, 7},    {{HTP_ROLE_EXTENT, HTP_ROLE_EXTENT}, 16},
        {{HTP_ROLE_EXTENT, HTP_ROLE_EXTENT}, 64},   {{HTP_ROLE_LENGTH, HTP_ROLE_SEQUENCE}, 4},
        {{HTP_ROLE_LENGTH, HTP_ROLE_SEQUENCE}, 16},
    };
    for (size_t k = 0; k < sizeof(growths) / sizeof(growths[0]); k++) {
        if (multiply(search, state, growths[k].roles, growths[k].factor)) {
            return true;
        }
    }
    return false;
}
