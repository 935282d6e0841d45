/*
 * Multiply-adds of recurrent layers and of attention.
 */
#include "query/cost/multiply_adds.h"

/* ONNX LSTM, GRU, RNN: each step multiplies a batch of inputs and states by all elements of W and
 * R, which hold both directions. X is [steps, batch, input]. */
htp_polynomial_id htp_count_recurrent(const htp_counting *counting)
{
    const htp_tensor *x = htp_counting_input(counting, 0);
    htp_polynomial_id weights = htp_counting_plus(
        counting, htp_counting_elements(counting, htp_counting_input(counting, 1)),
        htp_counting_elements(counting, htp_counting_input(counting, 2)));
    return htp_counting_times(counting, htp_counting_product(counting, x, 0, 2), weights);
}

/* Scores of all queries and keys, and sums of values: rows (queries of all heads) x keys x the
 * widths of a key and of a value. */
static htp_polynomial_id scores(const htp_counting *counting, htp_polynomial_id rows,
                                htp_polynomial_id keys, htp_polynomial_id widths)
{
    return htp_counting_times(counting, htp_counting_times(counting, rows, keys), widths);
}

/* The number of keys: those of this call, and those of a past. */
static htp_polynomial_id all_keys(const htp_counting *counting, htp_polynomial_id keys,
                                  uint32_t past, uint32_t axis)
{
    bool has_past = past < counting->node->inputs.count &&
                    counting->view->operands.items[counting->node->inputs.first + past] != HTP_NONE;
    return has_past ? htp_counting_plus(
                          counting, keys,
                          htp_counting_dim(counting, htp_counting_input(counting, past), axis))
                    : keys;
}

/* ONNX Attention. Four dims: [batch, heads, length, width]. Three: [batch, length, heads * width];
 * the value's width is repeated for query heads that share it. */
htp_polynomial_id htp_count_attention(const htp_counting *counting)
{
    enum { PAST_KEY = 4 };
    const htp_tensor *query = htp_counting_input(counting, 0);
    const htp_tensor *key = htp_counting_input(counting, 1);
    const htp_tensor *value = htp_counting_input(counting, 2);
    if (!query || !key || !value || query->rank != key->rank || query->rank != value->rank ||
        query->rank < 3 || query->rank > 4) {
        return HTP_NONE;
    }
    uint32_t rank = query->rank;
    htp_polynomial_id keys =
        all_keys(counting, htp_counting_dim(counting, key, rank - 2), PAST_KEY, 2);
    htp_polynomial_id rows = htp_counting_product(counting, query, 0, rank - 1);
    htp_polynomial_id width = htp_counting_dim(counting, value, rank - 1);
    int64_t heads = htp_counting_int(counting, "q_num_heads", 1);
    int64_t shared = htp_counting_int(counting, "kv_num_heads", heads);
    if (rank == 3 && heads != shared) {
        int64_t all;
        bool is_number = shared > 0 && heads > 0 && width != HTP_NONE &&
                         htp_polynomial_is_number(&counting->symbols->algebra, width, &all) &&
                         all % shared == 0 && !__builtin_mul_overflow(all / shared, heads, &all);
        width = is_number ? htp_polynomial_number(&counting->symbols->algebra, all) : HTP_NONE;
    }
    return scores(counting, rows, keys,
                  htp_counting_plus(counting, htp_counting_dim(counting, query, rank - 1), width));
}

/* com.microsoft Attention and QAttention: input [batch, length, width], weight [width, 3 * hidden].
 * The past is [2, batch, heads, length, width]. Other widths of keys and values are an attribute.
 */
htp_polynomial_id htp_count_packed_attention(const htp_counting *counting)
{
    enum { PAST_LENGTH = 3, PARTS = 3, PRODUCTS = 2 };
    const htp_tensor *x = htp_counting_input(counting, 0);
    const htp_tensor *weight = htp_counting_input(counting, 1);
    htp_view_name widths = htp_view_find_name(counting->view, "qkv_hidden_sizes");
    int64_t hidden;
    htp_polynomial_id all = htp_counting_dim(counting, weight, 1);
    if (!x || x->rank != 3 || all == HTP_NONE ||
        !htp_polynomial_is_number(&counting->symbols->algebra, all, &hidden) ||
        hidden % PARTS != 0 || hidden / PARTS > INT64_MAX / PRODUCTS ||
        (widths && htp_view_find_attribute(counting->view, counting->number, widths))) {
        return HTP_NONE;
    }
    htp_polynomial_id keys =
        all_keys(counting, htp_counting_dim(counting, x, 1), counting->a, PAST_LENGTH);
    htp_polynomial_id attended =
        scores(counting, htp_counting_product(counting, x, 0, 2), keys,
               htp_polynomial_number(&counting->symbols->algebra, hidden / PARTS * PRODUCTS));
    return htp_counting_plus(counting, attended,
                             htp_counting_times(counting, htp_counting_elements(counting, x), all));
}

/* com.microsoft MultiHeadAttention: query [batch, length, width], key and value alike, or as a
 * past: [batch, heads, length, width]. */
htp_polynomial_id htp_count_split_attention(const htp_counting *counting)
{
    const htp_tensor *query = htp_counting_input(counting, 0);
    const htp_tensor *key = htp_counting_input(counting, 1);
    const htp_tensor *value = htp_counting_input(counting, 2);
    if (!query || !key || !value || query->rank != 3 || key->rank != value->rank || key->rank < 3 ||
        key->rank > 4) {
        return HTP_NONE;
    }
    bool is_past = key->rank == 4;
    htp_polynomial_id width = htp_counting_dim(counting, value, value->rank - 1);
    htp_polynomial_id keys = htp_counting_dim(counting, key, key->rank - 2);
    if (is_past) {
        width = htp_counting_times(counting, width, htp_counting_dim(counting, value, 1));
    } else {
        keys = all_keys(counting, keys, counting->a, 2);
    }
    return scores(counting, htp_counting_product(counting, query, 0, 2), keys,
                  htp_counting_plus(counting, htp_counting_dim(counting, query, 2), width));
}
