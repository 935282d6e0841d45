/*
 * Guesses from uses of arguments: a shape for every family and rank.
 */
#include "source/input_search/derive.h"

#include <string.h>

enum { BATCH_SLOT, SEQUENCE_SLOT, LENGTH_SLOT, SHARED_SLOT_COUNT };

/* ---- shapes ---- */

/* A letter is a dim: see dim_kinds. */
static const char *const shapes[HTP_FAMILY_COUNT][HTP_GUESS_RANK + 1] = {
    [HTP_FAMILY_IDS] = {"", "s", "bs", "bsp", "bspp"},
    [HTP_FAMILY_INDICES] = {"", "s", "bs", "bsp", "bspp"},
    [HTP_FAMILY_PLAIN] = {"", "l", "bl", "blm", "bfii", "bpfii", "ppbfii"},
    [HTP_FAMILY_FEATURES] = {"", "f", "bf", "blf", "blmf", "blmmf"},
    [HTP_FAMILY_STEPS] = {"", "f", "lf", "lbf"},
    [HTP_FAMILY_CHANNELS] = {"", "f", "bf", "bft", "bfii", "bfiii"},
    [HTP_FAMILY_SIGNALS] = {"", "t", "bt", "bft", "bpft"},
    [HTP_FAMILY_IMAGES] = {"", "t", "bt", "btt", "bfii", "bpfii", "bppfii"},
    [HTP_FAMILY_VOLUMES] = {"", "", "bt", "btt", "bftt", "bfiii"},
    [HTP_FAMILY_STATES] = {"", "f", "bf", "nbf"},
    [HTP_FAMILY_COUNTS] = {"", "b", "bl", "bii", "biii"},
};

/* Batch, sequence and length have one size each everywhere; i has one within an argument. */
static const struct dim_kind {
    char letter;
    htp_role role;
    int64_t size;
} dim_kinds[] = {
    {'b', HTP_ROLE_BATCH, 2},   {'s', HTP_ROLE_SEQUENCE, 8}, {'l', HTP_ROLE_LENGTH, 8},
    {'m', HTP_ROLE_LENGTH, 8},  {'p', HTP_ROLE_LENGTH, 4},   {'f', HTP_ROLE_FEATURES, 3},
    {'i', HTP_ROLE_EXTENT, 32}, {'t', HTP_ROLE_EXTENT, 64},  {'n', HTP_ROLE_FEATURES, 1},
};

/* ---- guesses ---- */

static const struct dim_kind *find_kind(char letter)
{
    const struct dim_kind *kind = dim_kinds;
    while (kind->letter != letter) {
        kind++;
    }
    return kind;
}

uint32_t htp_guess_own_slot(uint32_t leaf, uint32_t dim)
{
    return SHARED_SLOT_COUNT + leaf * HTP_GUESS_RANK + dim;
}

static uint32_t find_slot(uint32_t leaf, const char *shape, uint32_t dim)
{
    switch (shape[dim]) {
    case 'b':
        return BATCH_SLOT;
    case 's':
        return SEQUENCE_SLOT;
    case 'l':
        return LENGTH_SLOT;
    case 'i':
        return htp_guess_own_slot(leaf, (uint32_t)(strchr(shape, 'i') - shape));
    default:
        return htp_guess_own_slot(leaf, dim);
    }
}

/* The size of a letter, by uses; 0: unknown. */
static int64_t known_size(const htp_uses *uses, char letter)
{
    return letter == 'f' ? uses->features : letter == 'n' ? uses->layers : 0;
}

/* A dim whose elements are picked one by one has the size that picking requires. */
static void set_picked(htp_guess *guess, const htp_uses *uses, uint32_t leaf)
{
    htp_guessed *guessed = &guess->leaves[leaf];
    for (uint32_t d = 0; d < guessed->rank; d++) {
        int64_t count = uses->picked[d];
        if (uses->picked_last > 0 && d + 1 == guessed->rank) {
            count = uses->picked_last;
        }
        if (count > 0) {
            uint32_t slot = htp_guess_own_slot(leaf, d);
            guessed->slots[d] = slot;
            guess->sizes[slot] = count;
            guess->roles[slot] = HTP_ROLE_FEATURES;
        }
    }
}

bool htp_guess_set_rank(htp_guess *guess, const htp_uses *uses, uint32_t leaf, uint32_t rank)
{
    htp_family family = uses[leaf].family;
    if (rank > HTP_GUESS_RANK || uses[leaf].is_flag) {
        return false;
    }
    /* inputs beside ids may differ from them */
    bool is_other = !shapes[family][rank] && !uses[leaf].is_telling;
    const char *shape = shapes[is_other ? HTP_FAMILY_PLAIN : family][rank];
    if (!shape || strlen(shape) != rank) {
        return false;
    }
    htp_guessed *guessed = &guess->leaves[leaf];
    guessed->is_given = true;
    guessed->dtype =
        is_other && guessed->dtype == HTP_DTYPE_INT64 ? HTP_DTYPE_FLOAT32 : guessed->dtype;
    guessed->rank = rank;
    for (uint32_t d = 0; d < rank; d++) {
        const struct dim_kind *kind = find_kind(shape[d]);
        uint32_t slot = find_slot(leaf, shape, d);
        guessed->slots[d] = slot;
        if (slot >= SHARED_SLOT_COUNT) {
            int64_t known = known_size(&uses[leaf], shape[d]);
            guess->sizes[slot] = known > 0 ? known : kind->size;
            guess->roles[slot] = kind->role;
        }
    }
    set_picked(guess, &uses[leaf], leaf);
    return true;
}

bool htp_guess_set_batch(htp_guess *guess, uint32_t leaf)
{
    htp_guessed *guessed = &guess->leaves[leaf];
    bool has_other = guessed->rank > 0 && guessed->slots[0] != BATCH_SLOT;
    guessed->slots[0] = BATCH_SLOT;
    return has_other;
}

htp_guess htp_guess_first(htp_arena *arena, const htp_uses *uses, const htp_plan *plan)
{
    uint32_t slot_count = SHARED_SLOT_COUNT + plan->leaf_count * HTP_GUESS_RANK;
    htp_guess guess = {
        .count = plan->leaf_count,
        .leaves = HTP_NEW_ARRAY(arena, htp_guessed, (size_t)plan->leaf_count + 1),
        .slot_count = slot_count,
        .sizes = HTP_NEW_ARRAY(arena, int64_t, slot_count),
        .roles = HTP_NEW_ARRAY(arena, htp_role, slot_count),
    };
    guess.sizes[BATCH_SLOT] = find_kind('b')->size;
    guess.roles[BATCH_SLOT] = HTP_ROLE_BATCH;
    guess.sizes[SEQUENCE_SLOT] = find_kind('s')->size;
    guess.roles[SEQUENCE_SLOT] = HTP_ROLE_SEQUENCE;
    guess.sizes[LENGTH_SLOT] = find_kind('l')->size;
    guess.roles[LENGTH_SLOT] = HTP_ROLE_LENGTH;
    for (uint32_t i = 0; i < plan->leaf_count; i++) {
        const htp_argument *type = plan->leaves[i].type;
        guess.leaves[i].dtype = uses[i].dtype;
        guess.leaves[i].is_flag = uses[i].is_flag;
        guess.leaves[i].is_given = uses[i].is_flag;
        if (type->kind == HTP_TRACE_TENSOR && !type->is_optional) {
            (void)htp_guess_set_rank(&guess, uses, i, (uint32_t)(uses[i].ranks[0] - '0'));
        }
    }
    return guess;
}

htp_guess htp_guess_copy(htp_arena *arena, const htp_guess *guess)
{
    htp_guess copy = *guess;
    copy.leaves = HTP_NEW_ARRAY(arena, htp_guessed, (size_t)guess->count + 1);
    copy.sizes = HTP_NEW_ARRAY(arena, int64_t, guess->slot_count);
    copy.roles = HTP_NEW_ARRAY(arena, htp_role, guess->slot_count);
    memcpy(copy.leaves, guess->leaves, guess->count * sizeof(*copy.leaves));
    memcpy(copy.sizes, guess->sizes, guess->slot_count * sizeof(*copy.sizes));
    memcpy(copy.roles, guess->roles, guess->slot_count * sizeof(*copy.roles));
    return copy;
}

htp_status htp_guess_inputs(htp_arena *arena, const htp_guess *guess, const htp_plan *plan,
                            htp_inputs *inputs)
{
    htp_input *leaves = HTP_NEW_ARRAY(arena, htp_input, (size_t)guess->count + 1);
    for (uint32_t i = 0; i < guess->count; i++) {
        const htp_guessed *guessed = &guess->leaves[i];
        leaves[i].is_none = !guessed->is_given;
        leaves[i].is_scalar = guessed->is_flag;
        leaves[i].scalar = guessed->is_set ? 1 : 0;
        leaves[i].dtype = guessed->dtype;
        leaves[i].rank = guessed->is_given ? guessed->rank : 0;
        for (uint32_t d = 0; d < leaves[i].rank; d++) {
            leaves[i].dims[0][d] = guess->sizes[guessed->slots[d]];
        }
    }
    htp_input *items = HTP_NEW_ARRAY(arena, htp_input, (size_t)plan->argument_count + 1);
    for (uint32_t i = 0; i < plan->argument_count; i++) {
        items[i] = htp_plan_input(arena, &plan->parts[i], leaves);
    }
    return htp_inputs_archived(arena, items, plan->argument_count, plan->arguments,
                               plan->argument_count, inputs);
}
