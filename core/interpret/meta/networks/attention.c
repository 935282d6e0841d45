/* Sizes and layouts of scaled_dot_product_attention() and its kernel. */
#include "interpret/meta/kernels.h"
#include "interpret/meta/outputs.h"

#include <inttypes.h>

/* Its operands. */
enum { QUERY, KEY, VALUE, MASK, DROPOUT, IS_CAUSAL, SCALE, IS_GROUPED };

/* ---- operands ---- */

static bool check_types(htp_meta_call *call)
{
    const htp_runner_tensor *query = htp_meta_tensor(call, QUERY);
    const htp_runner_tensor *mask = htp_meta_optional(call, MASK);
    for (uint32_t i = KEY; i <= VALUE; i++) {
        const htp_runner_tensor *other = htp_meta_tensor(call, i);
        if (other->type != query->type) {
            return htp_meta_refuse(
                call, "Expected query, key, and value to have the same dtype, but got %s and %s",
                htp_scalar_type_name(query->type), htp_scalar_type_name(other->type));
        }
    }
    if (mask && mask->type != HTP_SCALAR_BOOL && mask->type != HTP_SCALAR_FLOAT &&
        mask->type != query->type) {
        return htp_meta_refuse(call,
                               "Expected attn_mask dtype to be bool or float or to match query "
                               "dtype, but got %s and query of %s",
                               htp_scalar_type_name(mask->type), htp_scalar_type_name(query->type));
    }
    return true;
}

static bool check_dims(htp_meta_call *call)
{
    const htp_runner_tensor *query = htp_meta_tensor(call, QUERY);
    const htp_runner_tensor *key = htp_meta_tensor(call, KEY);
    const htp_runner_tensor *value = htp_meta_tensor(call, VALUE);
    if (query->rank < 2 || key->rank < 2 || value->rank < 2) {
        return htp_meta_refuse(
            call,
            "Expected query, key, and value to all be at least 2 dimensional, but got %u, %u "
            "and %u",
            (unsigned)query->rank, (unsigned)key->rank, (unsigned)value->rank);
    }
    if (htp_meta_dim(query, -1) != htp_meta_dim(key, -1) ||
        htp_meta_dim(key, -2) != htp_meta_dim(value, -2)) {
        htp_meta_text texts[3];
        return htp_meta_refuse(call, "query of %s, key of %s and value of %s do not fit",
                               htp_meta_sizes_text(&texts[0], query),
                               htp_meta_sizes_text(&texts[1], key),
                               htp_meta_sizes_text(&texts[2], value));
    }
    const htp_runner_tensor *mask = htp_meta_optional(call, MASK);
    if (mask && htp_meta_bool(call, IS_CAUSAL)) {
        return htp_meta_refuse(call, "Explicit attn_mask should not be set when is_causal=True");
    }
    /* The CPU's kernel reads the last two dims without checking the rank. */
    return !mask || mask->rank >= 2 ||
           htp_meta_refuse(call, "expected an attn_mask of at least 2 dims, got %u",
                           (unsigned)mask->rank);
}

static bool is_grouped(const htp_meta_call *call)
{
    return htp_meta_has(call, IS_GROUPED) && htp_meta_bool(call, IS_GROUPED);
}

/* Checks that the key's heads divide the query's: several query heads share a key head. */
static bool check_groups(htp_meta_call *call)
{
    for (uint32_t i = QUERY; i <= VALUE && is_grouped(call); i++) {
        if (htp_meta_tensor(call, i)->rank < 3) {
            return htp_meta_refuse(call, "expected heads, which enable_gqa is about");
        }
    }
    for (uint32_t i = KEY; i <= VALUE && is_grouped(call); i++) {
        int64_t heads = htp_meta_dim(htp_meta_tensor(call, QUERY), -3);
        int64_t shared = htp_meta_dim(htp_meta_tensor(call, i), -3);
        if (shared == 0 || heads % shared != 0) {
            return htp_meta_refuse(
                call,
                "Number of heads in key and value must divide the number of heads in query, "
                "got %" PRId64 " and %" PRId64,
                shared, heads);
        }
    }
    return true;
}

/* ---- the fused kernel ---- */

static bool fits(int64_t size, int64_t wanted)
{
    return size == 1 || size == wanted;
}

static bool is_mask_fused(const htp_meta_call *call)
{
    const htp_runner_tensor *mask = htp_meta_optional(call, MASK);
    const htp_runner_tensor *query = htp_meta_tensor(call, QUERY);
    if (!mask) {
        return true;
    }
    bool is_fit = fits(htp_meta_dim(mask, -2), query->dims[2]) &&
                  fits(htp_meta_dim(mask, -1), htp_meta_tensor(call, KEY)->dims[2]);
    bool has_heads = mask->rank == 4 && fits(mask->dims[0], query->dims[0]) &&
                     fits(mask->dims[1], query->dims[1]);
    return is_fit && (mask->rank == 2 || has_heads);
}

static bool is_like_query(const htp_meta_call *call, const htp_runner_tensor *other)
{
    const htp_runner_tensor *query = htp_meta_tensor(call, QUERY);
    return other->rank == 4 && other->elements > 0 && other->dims[0] == query->dims[0] &&
           other->dims[3] == query->dims[3] && other->strides[3] == 1 &&
           (is_grouped(call) || other->dims[1] == query->dims[1]);
}

/* Whether libtorch uses the fused CPU kernel: use_flash_attention_cpp() in
 * native/transformers/sdp_utils_cpp.cpp. */
static bool is_fused(const htp_meta_call *call)
{
    const htp_runner_tensor *key = htp_meta_tensor(call, KEY);
    const htp_runner_tensor *value = htp_meta_tensor(call, VALUE);
    int32_t type = key->type;
    bool has_type = type == HTP_SCALAR_FLOAT || type == HTP_SCALAR_DOUBLE ||
                    type == HTP_SCALAR_BFLOAT16 || type == HTP_SCALAR_HALF;
    return has_type && htp_meta_float(call, DROPOUT) <= 0 &&
           is_like_query(call, htp_meta_tensor(call, QUERY)) && is_like_query(call, key) &&
           is_like_query(call, value) && key->dims[1] == value->dims[1] && is_mask_fused(call);
}

/* ---- products of matrices ---- */

/* Broadcasts the dims of a tensor into sizes: all, or those before the last two. */
static bool broadcast(htp_meta_call *call, const htp_runner_tensor *tensor, bool is_grouped_tensor,
                      htp_meta_sizes *sizes)
{
    htp_meta_sizes wide = {.rank = tensor->rank > sizes->rank ? tensor->rank : sizes->rank};
    for (uint32_t i = 0; i < wide.rank; i++) {
        int64_t size = i < sizes->rank ? sizes->dims[sizes->rank - 1 - i] : 1;
        int64_t other = i < tensor->rank && i >= 2 ? tensor->dims[tensor->rank - 1 - i] : 1;
        bool is_shared = is_grouped_tensor && i == 2;
        if (size != other && size != 1 && other != 1 && !is_shared) {
            htp_meta_text text;
            return htp_meta_refuse(call, "query, key and value do not broadcast: %s",
                                   htp_meta_sizes_text(&text, tensor));
        }
        wide.dims[wide.rank - 1 - i] = size == 1 && !is_shared ? other : size;
    }
    *sizes = wide;
    return true;
}

static bool check_mask(htp_meta_call *call, const htp_meta_sizes *scores)
{
    const htp_runner_tensor *mask = htp_meta_optional(call, MASK);
    for (uint32_t i = 0; mask && i < mask->rank; i++) {
        int64_t size = mask->dims[mask->rank - 1 - i];
        if (i >= scores->rank || !fits(size, scores->dims[scores->rank - 1 - i])) {
            htp_meta_text text;
            return htp_meta_refuse(call, "an attn_mask of %s does not broadcast to the scores",
                                   htp_meta_sizes_text(&text, mask));
        }
    }
    return true;
}

static bool give_product(htp_meta_call *call)
{
    const htp_runner_tensor *query = htp_meta_tensor(call, QUERY);
    const htp_runner_tensor *key = htp_meta_tensor(call, KEY);
    const htp_runner_tensor *value = htp_meta_tensor(call, VALUE);
    htp_meta_sizes sizes;
    if (!htp_meta_sizes_of(call, query, &sizes) ||
        !broadcast(call, key, is_grouped(call), &sizes)) {
        return false;
    }
    sizes.dims[sizes.rank - 1] = htp_meta_dim(key, -2);
    if (!check_mask(call, &sizes) || !broadcast(call, value, is_grouped(call), &sizes)) {
        return false;
    }
    sizes.dims[sizes.rank - 1] = htp_meta_dim(value, -1);
    return htp_meta_give(call, query->type, &sizes);
}

/* Whether there are no keys, or no queries. */
static bool is_idle(const htp_meta_call *call)
{
    const htp_runner_tensor *query = htp_meta_tensor(call, QUERY);
    const htp_runner_tensor *value = htp_meta_tensor(call, VALUE);
    bool is = value->elements == 0;
    for (uint32_t dim = 0; dim + 1 < query->rank; dim++) {
        is = is || query->dims[dim] == 0;
    }
    return is && query->rank >= 2 && value->rank >= 2;
}

/* Zeros for each query, which libtorch does not broadcast. Refused if products would be broadcast,
 * since the exported model would do that. */
static bool give_nothing(htp_meta_call *call)
{
    const htp_runner_tensor *query = htp_meta_tensor(call, QUERY);
    const htp_runner_tensor *value = htp_meta_tensor(call, VALUE);
    htp_meta_sizes sizes;
    if (!htp_meta_sizes_of(call, query, &sizes) || !check_dims(call) || !check_groups(call)) {
        return false;
    }
    for (uint32_t dim = 0; dim + 2 < value->rank; dim++) {
        bool is_alike = value->rank == query->rank && value->dims[dim] == query->dims[dim];
        if (!is_alike && !is_grouped(call)) {
            return htp_meta_refuse(call, "a tensor without elements is not broadcast");
        }
    }
    sizes.dims[sizes.rank - 1] = htp_meta_dim(htp_meta_tensor(call, VALUE), -1);
    return htp_meta_give(call, query->type, &sizes);
}

bool htp_meta_dot_attention(htp_meta_call *call)
{
    if (!check_types(call)) {
        return false;
    }
    if (is_idle(call)) {
        return give_nothing(call);
    }
    if (!check_dims(call) || !check_groups(call)) {
        return false;
    }
    return is_fused(call) ? htp_meta_give_like(call, htp_meta_tensor(call, QUERY))
                          : give_product(call);
}

/* ---- direct calls of the fused kernel ---- */

static bool check_flash(htp_meta_call *call, const htp_meta_call *composed)
{
    const htp_runner_tensor *query = htp_meta_tensor(composed, QUERY);
    const htp_runner_tensor *mask = htp_meta_optional(composed, MASK);
    if (mask && mask->type != HTP_SCALAR_FLOAT && mask->type != query->type) {
        return htp_meta_refuse(call, "expected an attn_mask of floats or of %s, got %s",
                               htp_scalar_type_name(query->type), htp_scalar_type_name(mask->type));
    }
    return is_fused(composed) ||
           htp_meta_refuse(call, "the kernel checks less than it needs: expected query, key and "
                                 "value of 4 dims that fit, with elements and without dropout");
}

/* The kernel trusts sizes and strides that scaled_dot_product_attention() has checked; other ones
 * are refused. The second output has a number per query. */
bool htp_meta_flash_attention(htp_meta_call *call)
{
    enum { OWN_DROPOUT = 3, OWN_IS_CAUSAL, OWN_MASK, OWN_SCALE };
    const htp_operand operands[] = {
        [QUERY] = call->operands[QUERY],         [KEY] = call->operands[KEY],
        [VALUE] = call->operands[VALUE],         [MASK] = call->operands[OWN_MASK],
        [DROPOUT] = call->operands[OWN_DROPOUT], [IS_CAUSAL] = call->operands[OWN_IS_CAUSAL],
        [SCALE] = call->operands[OWN_SCALE]};
    htp_meta_call composed = {.operands = operands, .operand_count = IS_GROUPED};
    if (!check_types(&composed) || !check_dims(&composed)) {
        return htp_meta_refuse(call, "%s", composed.error.message);
    }
    if (!check_flash(call, &composed)) {
        return false;
    }
    const htp_runner_tensor *query = htp_meta_tensor(call, QUERY);
    const htp_meta_sizes rows = {.dims = {query->dims[0], query->dims[1], query->dims[2]},
                                 .rank = 3};
    const int64_t strides[] = {htp_meta_times(rows.dims[1], rows.dims[2]), 1, rows.dims[1]};
    bool is_double = query->type == HTP_SCALAR_DOUBLE;
    return htp_meta_give_like(call, query) &&
           htp_meta_give_strided(call, is_double ? HTP_SCALAR_DOUBLE : HTP_SCALAR_FLOAT, &rows,
                                 strides);
}
