#include "hierarchy/parameters.h"

#include "base/checked.h"
#include "base/dtype.h"
#include "base/map.h"

#include <string.h>

/* The module tree with jump pointers: each leads to an ancestor such that any ancestor is reached
 * in logarithmic time (E. Myers, An applicative random-access stack, 1983). */
typedef struct tree {
    const htp_instance *modules;
    uint32_t *levels;
    uint32_t *jumps;
} tree;

static tree make_tree(htp_arena *arena, const htp_instance *modules, uint32_t module_count)
{
    tree t = {modules, HTP_NEW_ARRAY(arena, uint32_t, module_count),
              HTP_NEW_ARRAY(arena, uint32_t, module_count)};
    for (uint32_t i = 1; i < module_count; i++) {
        uint32_t parent = modules[i].parent;
        uint32_t jump = t.jumps[parent];
        bool is_doubled =
            t.levels[parent] - t.levels[jump] == t.levels[jump] - t.levels[t.jumps[jump]];
        t.levels[i] = t.levels[parent] + 1;
        t.jumps[i] = is_doubled ? t.jumps[jump] : parent;
    }
    return t;
}

static uint32_t common_ancestor(const tree *t, uint32_t a, uint32_t b)
{
    if (t->levels[a] < t->levels[b]) {
        uint32_t swapped = a;
        a = b;
        b = swapped;
    }
    while (t->levels[a] > t->levels[b]) {
        bool is_above = t->levels[t->jumps[a]] < t->levels[b];
        a = is_above ? t->modules[a].parent : t->jumps[a];
    }
    while (a != b) {
        bool is_common = t->jumps[a] == t->jumps[b];
        a = is_common ? t->modules[a].parent : t->jumps[a];
        b = is_common ? t->modules[b].parent : t->jumps[b];
    }
    return a;
}

/* Storage, geometry and dtype as the key of a map. */
static const void *identity_key(htp_arena *arena, const htp_weight *weight, size_t *bytes)
{
    size_t rank = weight->rank;
    size_t words = 4 + 2 * rank;
    int64_t *key = HTP_NEW_ARRAY(arena, int64_t, words);
    key[0] = (int64_t)weight->storage;
    key[1] = weight->storage_offset;
    key[2] = (int64_t)weight->dtype;
    key[3] = (int64_t)rank;
    if (rank) {
        memcpy(key + 4, weight->dims, rank * sizeof(*key));
        memcpy(key + 4 + rank, weight->strides, rank * sizeof(*key));
    }
    *bytes = words * sizeof(*key);
    return key;
}

static const uint32_t *find_same(htp_arena *arena, const htp_weight *weights, uint32_t count)
{
    uint32_t *same_as = HTP_NEW_ARRAY(arena, uint32_t, count);
    htp_map first = {0};
    for (uint32_t i = 0; i < count; i++) {
        size_t bytes;
        if (weights[i].dtype == HTP_DTYPE_OTHER) { /* its storage is unknown */
            same_as[i] = i;
            continue;
        }
        const void *key = identity_key(arena, &weights[i], &bytes);
        if (!htp_map_get_bytes(&first, key, bytes, &same_as[i])) {
            same_as[i] = i;
            htp_map_set_bytes(arena, &first, key, bytes, i);
        }
    }
    return same_as;
}

static void list_weights(htp_arena *arena, uint32_t module_count, const htp_weight *weights,
                         uint32_t weight_count, htp_parameters *parameters)
{
    uint32_t *first = HTP_NEW_ARRAY(arena, uint32_t, module_count);
    uint32_t *next = HTP_NEW_ARRAY(arena, uint32_t, weight_count);
    for (uint32_t i = 0; i < module_count; i++) {
        first[i] = HTP_NONE;
    }
    for (uint32_t i = weight_count; i-- > 0;) {
        if (weights[i].module < module_count) {
            next[i] = first[weights[i].module];
            first[weights[i].module] = i;
        }
    }
    parameters->first_weight = first;
    parameters->next_weight = next;
}

/* Products of hostile dims may overflow: they saturate. */
static uint64_t element_count(const htp_weight *weight)
{
    uint64_t elements = 1;
    for (uint32_t axis = 0; axis < weight->rank; axis++) {
        uint64_t size = weight->dims[axis] > 0 ? (uint64_t)weight->dims[axis] : 0;
        if (!htp_checked_mul(elements, size, &elements)) {
            return UINT64_MAX;
        }
    }
    return elements;
}

static htp_parameter_count count_of(const htp_weight *weight)
{
    htp_parameter_count count = {.own = element_count(weight)};
    count.total = count.own;
    count.trainable = weight->requires_grad ? count.own : 0;
    if (!htp_checked_mul(count.own, htp_dtype_size(weight->dtype), &count.bytes)) {
        count.bytes = UINT64_MAX;
    }
    return count;
}

static void add_total(htp_parameter_count *sum, const htp_parameter_count *count)
{
    sum->total += count->total;
    sum->trainable += count->trainable;
    sum->bytes += count->bytes;
}

static void subtract_total(htp_parameter_count *sum, const htp_parameter_count *count)
{
    sum->total -= count->total;
    sum->trainable -= count->trainable;
    sum->bytes -= count->bytes;
}

/* Occurrences of identical tensors among parameters. */
typedef struct occurrence {
    uint32_t first_weight; /* HTP_NONE: none yet */
    uint32_t last_module;
} occurrence;

/* Every occurrence adds to its module. Every later one subtracts at the common ancestor of its
 * module and that of the previous one, in depth-first order. So the sum over any subtree counts the
 * tensor once. */
static void count_occurrence(const tree *t, const htp_weight *weights, uint32_t weight,
                             occurrence *seen, htp_parameter_count *counts)
{
    uint32_t module = weights[weight].module;
    bool is_first = seen->first_weight == HTP_NONE;
    if (is_first) {
        seen->first_weight = weight;
    } else if (seen->last_module == module) {
        return;
    }
    htp_parameter_count count = count_of(&weights[seen->first_weight]);
    counts[module].own += count.own;
    add_total(&counts[module], &count);
    if (!is_first) {
        subtract_total(&counts[common_ancestor(t, seen->last_module, module)], &count);
    }
    seen->last_module = module;
}

static void count_own(const tree *t, uint32_t module_count, const htp_weight *weights,
                      const htp_parameters *parameters, occurrence *occurrences,
                      htp_parameter_count *counts)
{
    for (uint32_t module = 0; module < module_count; module++) {
        for (uint32_t w = parameters->first_weight[module]; w != HTP_NONE;
             w = parameters->next_weight[w]) {
            if (weights[w].is_parameter) {
                count_occurrence(t, weights, w, &occurrences[parameters->same_as[w]], counts);
            }
        }
    }
}

htp_parameters *htp_parameters_count(htp_arena *arena, const htp_instance *modules,
                                     uint32_t module_count, const htp_weight *weights,
                                     uint32_t weight_count)
{
    htp_parameters *parameters = HTP_NEW(arena, htp_parameters);
    htp_parameter_count *counts = HTP_NEW_ARRAY(arena, htp_parameter_count, module_count);
    occurrence *occurrences = HTP_NEW_ARRAY(arena, occurrence, weight_count);
    for (uint32_t i = 0; i < weight_count; i++) {
        occurrences[i].first_weight = HTP_NONE;
    }
    tree t = make_tree(arena, modules, module_count);
    list_weights(arena, module_count, weights, weight_count, parameters);
    parameters->same_as = find_same(arena, weights, weight_count);
    count_own(&t, module_count, weights, parameters, occurrences, counts);
    for (uint32_t i = module_count; i-- > 1;) {
        add_total(&counts[modules[i].parent], &counts[i]);
    }
    htp_arena_release(arena, t.levels, module_count * sizeof(*t.levels));
    htp_arena_release(arena, t.jumps, module_count * sizeof(*t.jumps));
    parameters->modules = counts;
    return parameters;
}

const char *htp_parameters_local_name(const char *module_path, const htp_weight *weight)
{
    size_t length = strlen(module_path);
    bool is_below =
        length && strncmp(weight->name, module_path, length) == 0 && weight->name[length] == '.';
    return is_below ? weight->name + length + 1 : weight->name;
}
