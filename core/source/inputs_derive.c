/*
 * Inputs derived from what forward() does first with its arguments. Every rule is a row: a use,
 * and the specifications that it suggests, likeliest first.
 *
 * Reference: the argument names and weight layouts of ATen's native_functions.yaml.
 */
#include "source/inputs.h"

#include <string.h>

enum { CANDIDATE_LIMIT = 6 };

/* A use that decides an argument. In a shape, F stands for the dim of the weight beside it that
 * carries the argument's features. */
static const struct rule {
    const char *kind;
    const char *position;
    uint32_t weight_rank; /* 0: any */
    uint32_t feature_dim; /* of the weight */
    const char *shapes[CANDIDATE_LIMIT];
} rules[] = {
#define IDS "int64[2,8]", "int64[1,8]", "int64[8]"
#define IMAGES                                                                                     \
    "float32[1,F,224,224]", "float32[1,F,32,32]", "float32[1,F,28,28]", "float32[1,F,64,64]",      \
        "float32[1,F,128,128]", "float32[1,F,256,256]"
#define SIGNALS "float32[1,F,128]", "float32[1,F,16]", "float32[1,F,1024]"
#define VOLUMES "float32[1,F,32,32,32]", "float32[1,F,16,64,64]", "float32[1,F,16,112,112]"
#define FEATURES "float32[2,F]", "float32[2,8,F]", "float32[2,8,8,F]"
#define SEQUENCES "float32[2,8,F]", "float32[8,F]"
#define CHANNELS "float32[2,F]", "float32[2,F,8,8]", "float32[2,F,8]", "float32[2,F,8,8,8]"
    {"aten::embedding", "indices", 0, 0, {IDS}},
    {"aten::embedding_bag", "indices", 0, 0, {IDS}},
    {"aten::one_hot", "self", 0, 0, {IDS}},
    {"aten::conv1d", "input", 3, 1, {SIGNALS}},
    {"aten::conv2d", "input", 4, 1, {IMAGES}},
    {"aten::conv3d", "input", 5, 1, {VOLUMES}},
    {"aten::conv_transpose1d", "input", 3, 0, {SIGNALS}},
    {"aten::conv_transpose2d", "input", 4, 0, {"float32[1,F,8,8]", "float32[1,F,1,1]"}},
    {"aten::conv_transpose3d", "input", 5, 0, {"float32[1,F,8,8,8]"}},
    {"aten::convolution", "input", 3, 1, {SIGNALS}},
    {"aten::convolution", "input", 4, 1, {IMAGES}},
    {"aten::convolution", "input", 5, 1, {VOLUMES}},
    {"aten::_convolution", "input", 3, 1, {SIGNALS}},
    {"aten::_convolution", "input", 4, 1, {IMAGES}},
    {"aten::_convolution", "input", 5, 1, {VOLUMES}},
    {"aten::linear", "input", 2, 1, {FEATURES}},
    {"aten::addmm", "mat1", 2, 0, {"float32[2,F]"}},
    {"aten::mm", "self", 2, 0, {"float32[2,F]"}},
    {"aten::matmul", "self", 2, 0, {FEATURES}},
    {"aten::lstm", "input", 2, 1, {SEQUENCES}},
    {"aten::gru", "input", 2, 1, {SEQUENCES}},
    {"aten::rnn_tanh", "input", 2, 1, {SEQUENCES}},
    {"aten::rnn_relu", "input", 2, 1, {SEQUENCES}},
    {"aten::layer_norm", "input", 1, 0, {SEQUENCES}},
    {"aten::batch_norm", "input", 1, 0, {CHANNELS}},
    {"aten::group_norm", "input", 1, 0, {"float32[2,F,8,8]", "float32[2,F,8]", "float32[2,F]"}},
    {"aten::instance_norm", "input", 1, 0, {"float32[2,F,8,8]", "float32[2,F,8]"}},
};

/* Uses that a mask beside token ids is put to, and the dtype that goes with them; it has the ids'
 * shape. */
static const struct follower {
    const char *kind;
    const char *position; /* NULL: any */
    const char *dtype;
} followers[] = {
    {"aten::masked_fill", "mask", "bool"}, {"aten::where", "condition", "bool"},
    {"aten::bitwise_not", NULL, "bool"},   {"aten::logical_not", NULL, "bool"},
    {"aten::unsqueeze", "self", "int64"},  {"aten::slice", "self", "int64"},
    {"aten::select", "self", "int64"},     {"aten::index", "self", "int64"},
    {"aten::to", "self", "int64"},         {"aten::_to_copy", "self", "int64"},
    {"aten::type_as", "self", "int64"},    {"aten::view", "self", "int64"},
    {"aten::reshape", "self", "int64"},    {"aten::expand", "self", "int64"},
    {"aten::size", "self", "int64"},       {"aten::dim", "self", "int64"},
    {"aten::eq", NULL, "int64"},           {"aten::ne", NULL, "int64"},
    {"aten::gt", NULL, "int64"},           {"aten::ge", NULL, "int64"},
    {"aten::lt", NULL, "int64"},           {"aten::le", NULL, "int64"},
    {"aten::add", NULL, "int64"},          {"aten::sub", NULL, "int64"},
    {"aten::rsub", NULL, "int64"},         {"aten::mul", NULL, "int64"},
    {"aten::cumsum", "self", "int64"},     {"aten::sum", "self", "int64"},
    {"aten::all", "self", "int64"},
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* What the uses of one argument say. */
struct derivation {
    const struct rule *rule; /* the most telling one, or NULL */
    int64_t features;
    const char *follower_dtype; /* of the first use as a mask, or NULL */
    bool is_no_follower;        /* some use is not a mask's */
};

static bool rule_fits(const struct rule *rule, const htp_shim_hint *hint)
{
    return strcmp(rule->kind, hint->kind) == 0 && strcmp(rule->position, hint->position) == 0 &&
           (rule->weight_rank == 0 || rule->weight_rank == hint->weight_rank);
}

/* Earlier rules are more telling than later ones. */
static void note_rule(struct derivation *derivation, const htp_shim_hint *hint)
{
    const struct rule *end = derivation->rule ? derivation->rule : rules + COUNT(rules);
    for (const struct rule *rule = rules; rule < end; rule++) {
        if (rule_fits(rule, hint)) {
            derivation->rule = rule;
            derivation->features = hint->weight_dims[rule->feature_dim];
            return;
        }
    }
}

static void note_follower(struct derivation *derivation, const htp_shim_hint *hint)
{
    for (size_t i = 0; i < COUNT(followers); i++) {
        const struct follower *follower = &followers[i];
        if (strcmp(follower->kind, hint->kind) == 0 &&
            (!follower->position || strcmp(follower->position, hint->position) == 0)) {
            if (!derivation->follower_dtype) {
                derivation->follower_dtype = follower->dtype;
            }
            return;
        }
    }
    derivation->is_no_follower = true;
}

static struct derivation *note_uses(htp_arena *arena, const htp_shim_hint *hints,
                                    uint32_t hint_count, const htp_shim_argument *arguments,
                                    uint32_t argument_count)
{
    struct derivation *derivations = HTP_NEW_ARRAY(arena, struct derivation, argument_count);
    for (uint32_t i = 0; i < hint_count; i++) {
        const htp_shim_hint *hint = &hints[i];
        if (hint->argument < argument_count && arguments[hint->argument].kind == HTP_SHIM_TENSOR) {
            note_rule(&derivations[hint->argument], hint);
            note_follower(&derivations[hint->argument], hint);
        }
    }
    return derivations;
}

/* The shape of candidate @p candidate, or of the last one before it. */
static const char *pick(const struct rule *rule, uint32_t candidate, bool *more)
{
    uint32_t count = 1;
    while (count < CANDIDATE_LIMIT && rule->shapes[count]) {
        count++;
    }
    *more = *more || candidate + 1 < count;
    return rule->shapes[candidate < count ? candidate : count - 1];
}

static const char *fill_features(htp_arena *arena, const char *shape, int64_t features)
{
    const char *mark = strchr(shape, 'F');
    if (!mark) {
        return shape;
    }
    return htp_arena_printf(arena, "%.*s%lld%s", (int)(mark - shape), shape, (long long)features,
                            mark + 1);
}

/* Token ids are the integers among what is derived; the first decides the shape of masks. */
static const char *find_ids(const struct derivation *derivations, uint32_t count,
                            uint32_t candidate)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct rule *rule = derivations[i].rule;
        if (rule && strncmp(rule->shapes[0], "int64[", 6) == 0) {
            bool more = false;
            return strchr(pick(rule, candidate, &more), '[');
        }
    }
    return NULL;
}

htp_status htp_inputs_derive(htp_arena *arena, const htp_shim_hint *hints, uint32_t hint_count,
                             const htp_shim_argument *arguments, uint32_t argument_count,
                             uint32_t candidate, htp_inputs *inputs, bool *more)
{
    const struct derivation *derivations =
        note_uses(arena, hints, hint_count, arguments, argument_count);
    const char *ids = find_ids(derivations, argument_count, candidate);
    const char **specifications = HTP_NEW_ARRAY(arena, const char *, argument_count);
    size_t count = 0;
    *more = false;
    for (uint32_t i = 0; i < argument_count; i++) {
        const struct derivation *derivation = &derivations[i];
        const char *name = arguments[i].name;
        if (arguments[i].is_optional || arguments[i].kind != HTP_SHIM_TENSOR) {
            continue; /* htp_inputs_parse() judges what is left out */
        }
        if (derivation->rule) {
            const char *shape = pick(derivation->rule, candidate, more);
            specifications[count++] = htp_arena_printf(
                arena, "%s:%s", name, fill_features(arena, shape, derivation->features));
        } else if (ids && !derivation->is_no_follower) {
            const char *dtype = derivation->follower_dtype ? derivation->follower_dtype : "int64";
            specifications[count++] = htp_arena_printf(arena, "%s:%s%s", name, dtype, ids);
        } else {
            return htp_status_make(HTP_CODE_USAGE,
                                   "argument \"%s\" of forward: shape not derivable; pass --input "
                                   "%s:float32[2,8]",
                                   name, name);
        }
    }
    return htp_inputs_parse(arena, specifications, count, arguments, argument_count, inputs);
}
