/*
 * What uses say of an argument, and the guesses made of that. Every rule is a row.
 *
 * Reference: the argument names and weight layouts of ATen's native_functions.yaml.
 */
#include "source/derive.h"

#include "graph/dtype.h"

#include <string.h>

enum { BATCH_SLOT, SEQUENCE_SLOT, LENGTH_SLOT, SHARED_SLOT_COUNT };

/* Weights beyond this are not believed. */
enum { FEATURE_LIMIT = 1 << 24 };

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* ---- shapes ---- */

/* A letter is a dim: see dim_kinds. */
static const char *const shapes[HTP_FAMILY_COUNT][HTP_GUESS_RANK + 1] = {
    [HTP_FAMILY_IDS] = {"", "s", "bs", "bsp", "bspp"},
    [HTP_FAMILY_PLAIN] = {"", "l", "bl", "blm", "bfii", "bpfii"},
    [HTP_FAMILY_FEATURES] = {"", "f", "bf", "blf", "blmf", "blmmf"},
    [HTP_FAMILY_CHANNELS] = {"", "f", "bf", "bft", "bfii", "bfiii"},
    [HTP_FAMILY_SIGNALS] = {"", "t", "bt", "bft", "bpft"},
    [HTP_FAMILY_IMAGES] = {"", "t", "bt", "btt", "bfii", "bpfii", "bppfii"},
    [HTP_FAMILY_VOLUMES] = {"", "", "bt", "btt", "bftt", "bfiii"},
};

/* Batch, sequence and length are one size each everywhere; i is one within an argument. */
static const struct dim_kind {
    char letter;
    htp_role role;
    int64_t size;
} dim_kinds[] = {
    {'b', HTP_ROLE_BATCH, 2},   {'s', HTP_ROLE_SEQUENCE, 8}, {'l', HTP_ROLE_LENGTH, 8},
    {'m', HTP_ROLE_LENGTH, 8},  {'p', HTP_ROLE_LENGTH, 4},   {'f', HTP_ROLE_FEATURES, 3},
    {'i', HTP_ROLE_EXTENT, 32}, {'t', HTP_ROLE_EXTENT, 64},
};

/* ---- uses ---- */

/* A use that decides an argument; an earlier row is more telling than a later one. */
static const struct rule {
    const char *kind;
    const char *position;
    uint32_t weight_rank; /* 0: any */
    uint32_t feature_dim; /* of the weight beside the argument */
    htp_family family;
    const char *ranks;
} rules[] = {
    {"aten::view", "self", 1, 0, HTP_FAMILY_FEATURES, "2"},
    {"aten::reshape", "self", 1, 0, HTP_FAMILY_FEATURES, "2"},
    {"aten::embedding", "indices", 0, 0, HTP_FAMILY_IDS, "213"},
    {"aten::embedding_bag", "indices", 0, 0, HTP_FAMILY_IDS, "21"},
    {"aten::one_hot", "self", 0, 0, HTP_FAMILY_IDS, "213"},
    {"aten::conv1d", "input", 3, 1, HTP_FAMILY_SIGNALS, "324"},
    {"aten::conv2d", "input", 4, 1, HTP_FAMILY_IMAGES, "4352"},
    {"aten::conv3d", "input", 5, 1, HTP_FAMILY_VOLUMES, "543"},
    {"aten::conv_transpose1d", "input", 3, 0, HTP_FAMILY_SIGNALS, "32"},
    {"aten::conv_transpose2d", "input", 4, 0, HTP_FAMILY_CHANNELS, "423"},
    {"aten::conv_transpose3d", "input", 5, 0, HTP_FAMILY_VOLUMES, "5"},
    {"aten::convolution", "input", 3, 1, HTP_FAMILY_SIGNALS, "324"},
    {"aten::convolution", "input", 4, 1, HTP_FAMILY_IMAGES, "4352"},
    {"aten::convolution", "input", 5, 1, HTP_FAMILY_VOLUMES, "543"},
    {"aten::_convolution", "input", 3, 1, HTP_FAMILY_SIGNALS, "324"},
    {"aten::_convolution", "input", 4, 1, HTP_FAMILY_IMAGES, "4352"},
    {"aten::_convolution", "input", 5, 1, HTP_FAMILY_VOLUMES, "543"},
    {"aten::_convolution_mode", "input", 3, 1, HTP_FAMILY_SIGNALS, "324"},
    {"aten::_convolution_mode", "input", 4, 1, HTP_FAMILY_IMAGES, "4352"},
    {"aten::_convolution_mode", "input", 5, 1, HTP_FAMILY_VOLUMES, "543"},
    {"aten::linear", "input", 2, 1, HTP_FAMILY_FEATURES, "234"},
    {"aten::addmm", "mat1", 2, 0, HTP_FAMILY_FEATURES, "23"},
    {"aten::mm", "self", 2, 0, HTP_FAMILY_FEATURES, "2"},
    {"aten::matmul", "self", 2, 0, HTP_FAMILY_FEATURES, "234"},
    {"aten::lstm", "input", 2, 1, HTP_FAMILY_FEATURES, "32"},
    {"aten::gru", "input", 2, 1, HTP_FAMILY_FEATURES, "32"},
    {"aten::rnn_tanh", "input", 2, 1, HTP_FAMILY_FEATURES, "32"},
    {"aten::rnn_relu", "input", 2, 1, HTP_FAMILY_FEATURES, "32"},
    {"aten::layer_norm", "input", 1, 0, HTP_FAMILY_FEATURES, "324"},
    {"aten::batch_norm", "input", 1, 0, HTP_FAMILY_CHANNELS, "2435"},
    {"aten::group_norm", "input", 1, 0, HTP_FAMILY_CHANNELS, "432"},
    {"aten::instance_norm", "input", 1, 0, HTP_FAMILY_CHANNELS, "43"},
    {"aten::index", "indices", 0, 0, HTP_FAMILY_IDS, "12"},
    {"aten::index_select", "index", 0, 0, HTP_FAMILY_IDS, "1"},
    {"aten::gather", "index", 0, 0, HTP_FAMILY_IDS, "23"},
    {"aten::stft", "self", 0, 0, HTP_FAMILY_SIGNALS, "2"},
    {"aten::avg_pool2d", "self", 0, 0, HTP_FAMILY_IMAGES, "4"},
    {"aten::max_pool2d", "self", 0, 0, HTP_FAMILY_IMAGES, "4"},
    {"aten::adaptive_avg_pool2d", "self", 0, 0, HTP_FAMILY_IMAGES, "4"},
    {"aten::upsample_bilinear2d", "input", 0, 0, HTP_FAMILY_IMAGES, "4"},
    {"aten::upsample_nearest2d", "input", 0, 0, HTP_FAMILY_IMAGES, "4"},
    {"aten::pixel_shuffle", "self", 0, 0, HTP_FAMILY_IMAGES, "4"},
    {"aten::pixel_unshuffle", "self", 0, 0, HTP_FAMILY_IMAGES, "4"},
    {"aten::unfold", "self", 0, 0, HTP_FAMILY_SIGNALS, "234"},
};

/* Uses that need a bool. */
static const struct {
    const char *kind;
    const char *position; /* NULL: any */
} bool_uses[] = {
    {"aten::masked_fill", "mask"},   {"aten::where", "condition"}, {"aten::bitwise_not", NULL},
    {"aten::logical_not", NULL},     {"aten::__and__", NULL},      {"aten::bitwise_and", NULL},
    {"aten::masked_select", "mask"},
};

static bool rule_fits(const struct rule *rule, const htp_shim_hint *hint)
{
    return strcmp(rule->kind, hint->kind) == 0 && strcmp(rule->position, hint->position) == 0 &&
           (rule->weight_rank == 0 || rule->weight_rank == hint->weight_rank);
}

static bool needs_bool(const htp_shim_hint *hint)
{
    for (size_t i = 0; i < COUNT(bool_uses); i++) {
        if (strcmp(bool_uses[i].kind, hint->kind) == 0 &&
            (!bool_uses[i].position || strcmp(bool_uses[i].position, hint->position) == 0)) {
            return true;
        }
    }
    return false;
}

static void take_rule(htp_uses *uses, const struct rule *rule, const htp_shim_hint *hint)
{
    int64_t features = rule->weight_rank > 0 ? hint->weight_dims[rule->feature_dim] : 0;
    uses->family = rule->family;
    uses->dtype = rule->family == HTP_FAMILY_IDS ? HTP_DTYPE_INT64 : HTP_DTYPE_FLOAT32;
    uses->ranks = rule->ranks;
    uses->features = features > 0 && features < FEATURE_LIMIT ? features : 0;
    uses->is_telling = true;
}

/* What no use decides is a mask beside ids, or a matrix of numbers. */
static void take_rest(htp_uses *uses, bool beside_ids, bool is_bool)
{
    uses->family = beside_ids ? HTP_FAMILY_IDS : HTP_FAMILY_PLAIN;
    uses->dtype = is_bool ? HTP_DTYPE_BOOL : beside_ids ? HTP_DTYPE_INT64 : HTP_DTYPE_FLOAT32;
    uses->ranks = "2314";
}

htp_uses *htp_uses_find(htp_arena *arena, const htp_shim_hint *hints, uint32_t hint_count,
                        const htp_plan *plan)
{
    size_t count = (size_t)plan->leaf_count + 1;
    htp_uses *uses = HTP_NEW_ARRAY(arena, htp_uses, count);
    const struct rule **best = HTP_NEW_ARRAY(arena, const struct rule *, count);
    bool *is_bool = HTP_NEW_ARRAY(arena, bool, count);
    bool any_ids = false;
    for (uint32_t i = 0; i < hint_count; i++) {
        const htp_shim_hint *hint = &hints[i];
        bool is_part = i > 0 && htp_hint_is_part(hint - 1) && hint[-1].argument == hint->argument;
        uint32_t leaf = htp_plan_find(plan, hint->argument, is_part ? hint[-1].position : "");
        if (htp_hint_is_part(hint) || leaf == HTP_NONE ||
            plan->leaves[leaf].type->kind != HTP_SHIM_TENSOR) {
            continue;
        }
        is_bool[leaf] = is_bool[leaf] || needs_bool(hint);
        const struct rule *end = best[leaf] ? best[leaf] : rules + COUNT(rules);
        for (const struct rule *rule = rules; rule < end; rule++) {
            if (rule_fits(rule, hint)) {
                best[leaf] = rule;
                take_rule(&uses[leaf], rule, hint);
                break;
            }
        }
        any_ids = any_ids || (best[leaf] && best[leaf]->family == HTP_FAMILY_IDS);
    }
    for (uint32_t i = 0; i < plan->leaf_count; i++) {
        if (!best[i]) {
            take_rest(&uses[i], any_ids && plan->leaves[i].path[0] == '\0', is_bool[i]);
        }
    }
    return uses;
}

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

bool htp_guess_set_rank(htp_guess *guess, const htp_uses *uses, uint32_t leaf, uint32_t rank)
{
    const char *shape = rank <= HTP_GUESS_RANK ? shapes[uses[leaf].family][rank] : NULL;
    if (!shape || strlen(shape) != rank) {
        return false;
    }
    htp_guessed *guessed = &guess->leaves[leaf];
    guessed->is_given = true;
    guessed->rank = rank;
    for (uint32_t d = 0; d < rank; d++) {
        const struct dim_kind *kind = find_kind(shape[d]);
        uint32_t slot = find_slot(leaf, shape, d);
        guessed->slots[d] = slot;
        if (slot >= SHARED_SLOT_COUNT) {
            bool is_known = kind->role == HTP_ROLE_FEATURES && uses[leaf].features > 0;
            guess->sizes[slot] = is_known ? uses[leaf].features : kind->size;
            guess->roles[slot] = kind->role;
        }
    }
    return true;
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
        const htp_shim_argument *type = plan->leaves[i].type;
        guess.leaves[i].dtype = uses[i].dtype;
        if (type->kind == HTP_SHIM_TENSOR && !type->is_optional) {
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
    htp_shim_input *leaves = HTP_NEW_ARRAY(arena, htp_shim_input, (size_t)guess->count + 1);
    for (uint32_t i = 0; i < guess->count; i++) {
        const htp_guessed *guessed = &guess->leaves[i];
        leaves[i].is_none = !guessed->is_given;
        leaves[i].dtype = guessed->dtype;
        leaves[i].rank = guessed->is_given ? guessed->rank : 0;
        for (uint32_t d = 0; d < leaves[i].rank; d++) {
            leaves[i].dims[0][d] = guess->sizes[guessed->slots[d]];
        }
    }
    htp_shim_input *items = HTP_NEW_ARRAY(arena, htp_shim_input, (size_t)plan->argument_count + 1);
    for (uint32_t i = 0; i < plan->argument_count; i++) {
        items[i] = htp_plan_input(arena, &plan->parts[i], leaves);
    }
    return htp_inputs_archived(arena, items, plan->argument_count, plan->arguments,
                               plan->argument_count, inputs);
}
