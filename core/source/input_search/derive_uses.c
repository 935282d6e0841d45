/*
 * Interprets the uses of an argument. Every rule is a row.
 *
 * Reference: the argument names and weight layouts of libtorch's native_functions.yaml.
 */
#include "source/input_search/derive.h"

#include "base/dtype.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

/* Larger weights are ignored. */
enum { FEATURE_LIMIT = 1 << 24, PICKED_LIMIT = 64 };

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* A use that decides an argument; earlier rows are more reliable. */
static const struct rule {
    const char *kind;
    const char *position;
    uint32_t weight_rank; /* 0: any */
    uint32_t feature_dim; /* of the argument's weight */
    htp_family family;
    const char *ranks;
} rules[] = {
    {"aten::view", "self", 1, 0, HTP_FAMILY_FEATURES, "2"},
    {"aten::reshape", "self", 1, 0, HTP_FAMILY_FEATURES, "2"},
    {"aten::embedding", "indices", 0, 0, HTP_FAMILY_IDS, "213"},
    {"aten::embedding_bag", "indices", 0, 0, HTP_FAMILY_IDS, "12"},
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
    {"aten::lstm", "input", 2, 1, HTP_FAMILY_FEATURES, "32"},
    {"aten::gru", "input", 2, 1, HTP_FAMILY_FEATURES, "32"},
    {"aten::rnn_tanh", "input", 2, 1, HTP_FAMILY_FEATURES, "32"},
    {"aten::rnn_relu", "input", 2, 1, HTP_FAMILY_FEATURES, "32"},
    {"aten::_transformer_encoder_layer_fwd", "src", 2, 1, HTP_FAMILY_FEATURES, "3"},
    {"aten::_native_multi_head_attention", "query", 2, 1, HTP_FAMILY_FEATURES, "3"},
    {"aten::_native_multi_head_attention", "key", 2, 1, HTP_FAMILY_FEATURES, "3"},
    {"aten::_native_multi_head_attention", "value", 2, 1, HTP_FAMILY_FEATURES, "3"},
    {"aten::_transformer_encoder_layer_fwd", "mask", 0, 0, HTP_FAMILY_PLAIN, "24"},
    {"aten::_native_multi_head_attention", "mask", 0, 0, HTP_FAMILY_PLAIN, "24"},
    {"aten::linear", "input", 2, 1, HTP_FAMILY_FEATURES, "234"},
    {"aten::addmm", "mat1", 2, 0, HTP_FAMILY_FEATURES, "23"},
    {"aten::mm", "self", 2, 0, HTP_FAMILY_FEATURES, "2"},
    {"aten::matmul", "self", 2, 0, HTP_FAMILY_FEATURES, "234"},
    {"aten::layer_norm", "input", 1, 0, HTP_FAMILY_FEATURES, "324"},
    {"aten::batch_norm", "input", 1, 0, HTP_FAMILY_CHANNELS, "2435"},
    {"aten::group_norm", "input", 1, 0, HTP_FAMILY_CHANNELS, "432"},
    {"aten::instance_norm", "input", 1, 0, HTP_FAMILY_CHANNELS, "43"},
    {"aten::lstm", "hx", 3, 2, HTP_FAMILY_STATES, "3"},
    {"aten::gru", "hx", 3, 2, HTP_FAMILY_STATES, "3"},
    {"aten::rnn_tanh", "hx", 3, 2, HTP_FAMILY_STATES, "3"},
    {"aten::rnn_relu", "hx", 3, 2, HTP_FAMILY_STATES, "3"},
    {"aten::lstm_cell", "input", 2, 1, HTP_FAMILY_FEATURES, "2"},
    {"aten::gru_cell", "input", 2, 1, HTP_FAMILY_FEATURES, "2"},
    {"aten::rnn_tanh_cell", "input", 2, 1, HTP_FAMILY_FEATURES, "2"},
    {"aten::rnn_relu_cell", "input", 2, 1, HTP_FAMILY_FEATURES, "2"},
    {"aten::lstm_cell", "hx", 2, 1, HTP_FAMILY_STATES, "2"},
    {"aten::gru_cell", "hx", 2, 1, HTP_FAMILY_STATES, "2"},
    {"aten::rnn_tanh_cell", "hx", 2, 1, HTP_FAMILY_STATES, "2"},
    {"aten::rnn_relu_cell", "hx", 2, 1, HTP_FAMILY_STATES, "2"},
    {"aten::bilinear", "input1", 3, 1, HTP_FAMILY_FEATURES, "2"},
    {"aten::bilinear", "input2", 3, 2, HTP_FAMILY_FEATURES, "2"},
    {"quantized::linear_dynamic", "X", 0, 0, HTP_FAMILY_FEATURES, "23"},
    {"aten::embedding_bag", "offsets", 0, 0, HTP_FAMILY_COUNTS, "1"},
    {"aten::_pack_padded_sequence", "lengths", 0, 0, HTP_FAMILY_COUNTS, "1"},
    {"positions", "", 0, 0, HTP_FAMILY_COUNTS, "1"},
    {"aten::ctc_loss", "input_lengths", 0, 0, HTP_FAMILY_COUNTS, "1"},
    {"aten::ctc_loss", "target_lengths", 0, 0, HTP_FAMILY_COUNTS, "1"},
    {"aten::ctc_loss", "targets", 0, 0, HTP_FAMILY_IDS, "21"},
    {"aten::index", "indices", 0, 0, HTP_FAMILY_INDICES, "12"},
    {"aten::index_select", "index", 0, 0, HTP_FAMILY_INDICES, "1"},
    {"aten::gather", "index", 0, 0, HTP_FAMILY_INDICES, "23"},
    {"aten::index_add", "index", 0, 0, HTP_FAMILY_COUNTS, "1"},
    {"aten::index_copy", "index", 0, 0, HTP_FAMILY_COUNTS, "1"},
    {"aten::index_fill", "index", 0, 0, HTP_FAMILY_COUNTS, "1"},
    {"aten::scatter", "index", 0, 0, HTP_FAMILY_INDICES, "21"},
    {"aten::scatter_add", "index", 0, 0, HTP_FAMILY_INDICES, "21"},
    {"aten::scatter_reduce", "index", 0, 0, HTP_FAMILY_INDICES, "21"},
    {"aten::take_along_dim", "indices", 0, 0, HTP_FAMILY_INDICES, "32"},
    {"aten::cross_entropy_loss", "target", 0, 0, HTP_FAMILY_COUNTS, "1"},
    {"aten::nll_loss_nd", "target", 0, 0, HTP_FAMILY_COUNTS, "1"},
    {"aten::scaled_dot_product_attention", "query", 0, 0, HTP_FAMILY_PLAIN, "43"},
    {"aten::scaled_dot_product_attention", "key", 0, 0, HTP_FAMILY_PLAIN, "43"},
    {"aten::scaled_dot_product_attention", "value", 0, 0, HTP_FAMILY_PLAIN, "43"},
    {"aten::scaled_dot_product_attention", "attn_mask", 0, 0, HTP_FAMILY_PLAIN, "24"},
    {"aten::bmm", "self", 0, 0, HTP_FAMILY_PLAIN, "3"},
    {"aten::bmm", "mat2", 0, 0, HTP_FAMILY_PLAIN, "3"},
    {"aten::baddbmm", "batch1", 0, 0, HTP_FAMILY_PLAIN, "3"},
    {"aten::baddbmm", "batch2", 0, 0, HTP_FAMILY_PLAIN, "3"},
    {"aten::outer", "self", 0, 0, HTP_FAMILY_PLAIN, "1"},
    {"aten::outer", "vec2", 0, 0, HTP_FAMILY_PLAIN, "1"},
    {"aten::dot", "self", 0, 0, HTP_FAMILY_PLAIN, "1"},
    {"aten::dot", "tensor", 0, 0, HTP_FAMILY_PLAIN, "1"},
    {"aten::grid_sampler", "input", 0, 0, HTP_FAMILY_IMAGES, "45"},
    {"aten::grid_sampler", "grid", 0, 0, HTP_FAMILY_FEATURES, "45"},
    {"aten::stft", "self", 0, 0, HTP_FAMILY_SIGNALS, "2"},
    {"aten::avg_pool2d", "self", 0, 0, HTP_FAMILY_IMAGES, "4"},
    {"aten::max_pool2d", "self", 0, 0, HTP_FAMILY_IMAGES, "4"},
    {"aten::adaptive_avg_pool2d", "self", 0, 0, HTP_FAMILY_IMAGES, "4"},
    {"aten::upsample_bilinear2d", "input", 0, 0, HTP_FAMILY_IMAGES, "4"},
    {"aten::upsample_nearest2d", "input", 0, 0, HTP_FAMILY_IMAGES, "4"},
    {"aten::pixel_shuffle", "self", 0, 0, HTP_FAMILY_IMAGES, "4"},
    {"aten::pixel_unshuffle", "self", 0, 0, HTP_FAMILY_IMAGES, "4"},
    {"aten::unfold", "self", 0, 0, HTP_FAMILY_SIGNALS, "234"},
    {"aten::Int", "a", 0, 0, HTP_FAMILY_COUNTS, "0"},
    {"aten::IntImplicit", "a", 0, 0, HTP_FAMILY_COUNTS, "0"},
    {"aten::Float", "a", 0, 0, HTP_FAMILY_PLAIN, "0"},
    {"aten::FloatImplicit", "a", 0, 0, HTP_FAMILY_PLAIN, "0"},
    {"aten::Bool", "a", 0, 0, HTP_FAMILY_PLAIN, "0"},
    {"aten::Complex", "x", 0, 0, HTP_FAMILY_PLAIN, "0"},
    {"aten::Complex", "y", 0, 0, HTP_FAMILY_PLAIN, "0"},
    {"aten::ComplexImplicit", "a", 0, 0, HTP_FAMILY_PLAIN, "0"},
    {"aten::ScalarImplicit", "a", 0, 0, HTP_FAMILY_PLAIN, "0"},
    {"aten::item", "self", 0, 0, HTP_FAMILY_PLAIN, "0"},
};

/* Uses that require a bool; also for in-place operators. */
static const struct {
    const char *kind;
    const char *position; /* NULL: any */
} bool_uses[] = {
    {"aten::masked_fill", "mask"},
    {"aten::where", "condition"},
    {"aten::bitwise_not", NULL},
    {"aten::logical_not", NULL},
    {"aten::__and__", NULL},
    {"aten::bitwise_and", NULL},
    {"aten::masked_select", "mask"},
    {"aten::Bool", "a"},
    {"aten::scaled_dot_product_attention", "attn_mask"},
    {"aten::_transformer_encoder_layer_fwd", "mask"},
    {"aten::_native_multi_head_attention", "mask"},
};

/* Facts from hints, by leaf. */
struct gathering {
    htp_arena *arena;
    const htp_plan *plan;
    const htp_hint *hints;
    uint32_t hint_count;
    htp_uses *uses;
    const struct rule **best;
    bool *is_bool;
    uint64_t (*picked)[HTP_GUESS_RANK + 1]; /* picked elements of each dim, then of the last one */
    int64_t (*sliced)[HTP_GUESS_RANK + 1];  /* the last start of a slice of each, likewise */
};

/* A parsed hint. */
struct use {
    const htp_hint *hint;
    uint32_t leaf;     /* HTP_NONE: it is not about a tensor */
    int64_t shift;     /* dims of the operand beyond the leaf's */
    int64_t joined;    /* equal leaves whose features are joined */
    bool is_converted; /* perhaps converted to another dtype */
};

/* Whether kinds are equal, except for the trailing underscore of in-place operators. */
static bool is_kind(const char *kind, const char *wanted)
{
    size_t length = strlen(wanted);
    return strncmp(kind, wanted, length) == 0 &&
           (kind[length] == '\0' || strcmp(kind + length, "_") == 0);
}

static bool rule_fits(const struct rule *rule, const htp_hint *hint)
{
    return is_kind(hint->kind, rule->kind) && strcmp(rule->position, hint->position) == 0 &&
           (rule->weight_rank == 0 || rule->weight_rank == hint->weight_rank);
}

static bool needs_bool(const htp_hint *hint)
{
    for (size_t i = 0; i < COUNT(bool_uses); i++) {
        if (is_kind(hint->kind, bool_uses[i].kind) &&
            (!bool_uses[i].position || strcmp(bool_uses[i].position, hint->position) == 0)) {
            return true;
        }
    }
    return false;
}

static struct use read_use(const struct gathering *g, uint32_t index)
{
    const htp_hint *hint = &g->hints[index];
    bool is_part = index > 0 && htp_hint_is_part(hint - 1) && hint[-1].argument == hint->argument;
    struct use use = {
        .hint = hint,
        .leaf = htp_plan_find(g->plan, hint->argument, is_part ? hint[-1].position : ""),
        .shift = is_part ? hint[-1].weight_dims[0] : 0,
        .is_converted = is_part && hint[-1].weight_dims[2] != 0,
        .joined = is_part && hint[-1].weight_dims[1] > 1 ? hint[-1].weight_dims[1] : 1,
    };
    if (htp_hint_is_part(hint) ||
        (use.leaf != HTP_NONE && g->plan->leaves[use.leaf].type->kind != HTP_TRACE_TENSOR)) {
        use.leaf = HTP_NONE;
    }
    return use;
}

/* The ranks of a rule for an operand with @p shift fewer dims, without impossible ones. 0-d comes
 * last. */
static const char *shift_ranks(htp_arena *arena, const char *ranks, int64_t shift)
{
    htp_text shifted = {.arena = arena};
    bool may_be_number = false;
    for (const char *rank = ranks; *rank; rank++) {
        int64_t moved = *rank - '0' - shift;
        may_be_number = may_be_number || moved == 0;
        if (moved > 0 && moved <= HTP_GUESS_RANK) {
            htp_text_addf(&shifted, "%d", (int)moved);
        }
    }
    htp_text_add(&shifted, may_be_number ? "0" : "");
    return shifted.length > 0 ? htp_text_string(&shifted) : ranks;
}

static void take_rule(const struct gathering *g, const struct rule *rule, const struct use *use)
{
    const htp_hint *hint = use->hint;
    htp_uses *uses = &g->uses[use->leaf];
    int64_t features = rule->weight_rank > 0 ? hint->weight_dims[rule->feature_dim] : 0;
    bool is_number = rule->family == HTP_FAMILY_IDS || rule->family == HTP_FAMILY_INDICES ||
                     rule->family == HTP_FAMILY_COUNTS;
    uses->family = htp_hint_has_steps_first(hint) ? HTP_FAMILY_STEPS : rule->family;
    uses->dtype = is_number ? HTP_DTYPE_INT64 : HTP_DTYPE_FLOAT32;
    uses->ranks = shift_ranks(g->arena, rule->ranks, use->shift);
    uses->features = features > 0 && features < FEATURE_LIMIT ? features / use->joined : 0;
    uses->layers =
        rule->family == HTP_FAMILY_STATES && hint->weight_rank == 3 ? hint->weight_dims[0] : 0;
    uses->is_telling = true;
}

static void gather_rule(const struct gathering *g, const struct use *use)
{
    const struct rule **best = &g->best[use->leaf];
    const struct rule *end = *best ? *best : rules + COUNT(rules);
    for (const struct rule *rule = rules; rule < end; rule++) {
        if (rule_fits(rule, use->hint)) {
            *best = rule;
            take_rule(g, rule, use);
            break;
        }
    }
}

static void gather_picked(const struct gathering *g, const struct use *use)
{
    int64_t dim = use->hint->weight_dims[0];
    int64_t index = use->hint->weight_dims[1];
    if (use->shift != 0 || dim < -1 || dim >= HTP_GUESS_RANK || index < 0 ||
        index >= PICKED_LIMIT) {
        return;
    }
    int64_t place = dim < 0 ? HTP_GUESS_RANK : dim;
    int64_t *sliced = &g->sliced[use->leaf][place];
    if (strcmp(use->hint->kind, "pick") == 0) {
        g->picked[use->leaf][place] |= UINT64_C(1) << index;
    } else {
        *sliced = index > *sliced ? index : *sliced;
    }
}

/* The number of elements if each was picked; 0 if only one was, or one is missing. A slice after
 * them adds one. */
static int64_t count_picked(uint64_t picked, int64_t sliced)
{
    bool are_all = picked > 1 && (picked & (picked + 1)) == 0;
    int64_t count = are_all ? __builtin_popcountll(picked) : 0;
    return count > 0 && sliced >= count ? sliced + 1 : count;
}

/* Elements are probably picked from the last dim, unless it is the first. */
static void settle_picked(const struct gathering *g, uint32_t leaf)
{
    htp_uses *uses = &g->uses[leaf];
    for (uint32_t d = 0; d < HTP_GUESS_RANK; d++) {
        uses->picked[d] = count_picked(g->picked[leaf][d], g->sliced[leaf][d]);
        if (d > 0 && uses->picked[d] > 0) {
            bool is_ruled = uses->ranks != NULL;
            uses->ranks = htp_arena_printf(g->arena, "%u%s", d + 1, is_ruled ? uses->ranks : "23");
            uses->family = is_ruled ? uses->family : HTP_FAMILY_PLAIN;
            uses->dtype = is_ruled ? uses->dtype : HTP_DTYPE_FLOAT32;
        }
    }
    uses->picked_last =
        count_picked(g->picked[leaf][HTP_GUESS_RANK], g->sliced[leaf][HTP_GUESS_RANK]);
}

/* ---- leaves that no rule decides ---- */

/* A mask beside ids, or a matrix of numbers. */
static void take_rest(htp_uses *uses, bool beside_ids, bool is_bool)
{
    uses->family = beside_ids ? HTP_FAMILY_IDS : HTP_FAMILY_PLAIN;
    uses->dtype = is_bool ? HTP_DTYPE_BOOL : beside_ids ? HTP_DTYPE_INT64 : HTP_DTYPE_FLOAT32;
    uses->ranks = "2314";
}

/* Decides a leaf like another one that enters the same operator with @p more dims. */
static void look_alike(const struct gathering *g, uint32_t leaf, uint32_t like, int64_t more)
{
    htp_uses *uses = &g->uses[leaf];
    const htp_uses *other = &g->uses[like];
    bool is_number = other->family == HTP_FAMILY_IDS;
    uses->family = more == 0 || is_number ? other->family : HTP_FAMILY_PLAIN;
    uses->dtype = g->is_bool[leaf] ? HTP_DTYPE_BOOL
                  : is_number      ? HTP_DTYPE_INT64
                                   : HTP_DTYPE_FLOAT32;
    uses->ranks = shift_ranks(g->arena, other->ranks, -more);
    uses->features = more == 0 ? other->features : 0;
}

/* A tensor without dims enters an operator with any other one. */
static bool has_no_dims(const htp_uses *uses)
{
    return uses->ranks && uses->ranks[0] == '0';
}

/* @return whether this hint decided a leaf */
static bool gather_beside(const struct gathering *g, const struct use *use)
{
    const htp_hint *hint = use->hint;
    uint32_t other = htp_plan_find(g->plan, (uint32_t)hint->weight_dims[0], hint->position);
    if (other == HTP_NONE || g->plan->leaves[other].type->kind != HTP_TRACE_TENSOR ||
        (g->uses[use->leaf].ranks && g->uses[other].ranks) || has_no_dims(&g->uses[use->leaf]) ||
        has_no_dims(&g->uses[other])) {
        return false;
    }
    int64_t more = hint->weight_dims[1] - use->shift;
    if (!g->uses[use->leaf].ranks && !g->uses[other].ranks) {
        if (more != 0) { /* the one with more dims is decided now, the other in the next round */
            take_rest(&g->uses[more > 0 ? use->leaf : other], false, false);
            g->uses[more > 0 ? use->leaf : other].ranks = "342";
        }
        return more != 0;
    }
    if (g->uses[other].ranks) {
        look_alike(g, use->leaf, other, more);
    } else {
        look_alike(g, other, use->leaf, -more);
    }
    return true;
}

static void gather_besides(const struct gathering *g)
{
    bool is_going_on = true;
    while (is_going_on) { /* every round decides a leaf */
        is_going_on = false;
        for (uint32_t i = 0; i < g->hint_count; i++) {
            const struct use use = read_use(g, i);
            if (use.leaf != HTP_NONE && strcmp(use.hint->kind, "beside") == 0) {
                is_going_on = gather_beside(g, &use) || is_going_on;
            }
        }
    }
}

static void take_rests(const struct gathering *g)
{
    bool any_ids = false;
    for (uint32_t i = 0; i < g->plan->leaf_count; i++) {
        any_ids = any_ids || (g->best[i] && g->best[i]->family == HTP_FAMILY_IDS);
    }
    for (uint32_t i = 0; i < g->plan->leaf_count; i++) {
        const htp_leaf *leaf = &g->plan->leaves[i];
        g->uses[i].is_flag = leaf->type->kind == HTP_TRACE_BOOL && !leaf->type->is_optional;
        if (!g->uses[i].ranks) {
            take_rest(&g->uses[i], any_ids && leaf->path[0] == '\0', g->is_bool[i]);
        } else if (g->is_bool[i] && g->uses[i].family == HTP_FAMILY_PLAIN) {
            g->uses[i].dtype = HTP_DTYPE_BOOL;
        }
        g->uses[i].dtype = g->uses[i].is_flag ? HTP_DTYPE_BOOL : g->uses[i].dtype;
    }
}

htp_uses *htp_uses_find(htp_arena *arena, const htp_hint *hints, uint32_t hint_count,
                        const htp_plan *plan)
{
    size_t count = (size_t)plan->leaf_count + 1;
    struct gathering g = {
        .arena = arena,
        .plan = plan,
        .hints = hints,
        .hint_count = hint_count,
        .uses = HTP_NEW_ARRAY(arena, htp_uses, count),
        .best = HTP_NEW_ARRAY(arena, const struct rule *, count),
        .is_bool = HTP_NEW_ARRAY(arena, bool, count),
        .picked = htp_arena_alloc(arena, count * sizeof(*g.picked)),
        .sliced = htp_arena_alloc(arena, count * sizeof(*g.sliced)),
    };
    memset(g.picked, 0, count * sizeof(*g.picked));
    memset(g.sliced, 0, count * sizeof(*g.sliced));
    for (uint32_t i = 0; i < hint_count; i++) {
        const struct use use = read_use(&g, i);
        if (use.leaf == HTP_NONE) {
            continue;
        }
        g.is_bool[use.leaf] = g.is_bool[use.leaf] || (!use.is_converted && needs_bool(use.hint));
        if (strcmp(use.hint->kind, "pick") == 0 || strcmp(use.hint->kind, "slice") == 0) {
            gather_picked(&g, &use);
        } else {
            gather_rule(&g, &use);
        }
    }
    for (uint32_t i = 0; i < plan->leaf_count; i++) {
        settle_picked(&g, i);
    }
    gather_besides(&g);
    take_rests(&g);
    return g.uses;
}
