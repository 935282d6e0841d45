/*
 * aten::scaled_dot_product_attention and the functions behind it.
 *
 * softmax(query · keyᵀ · scale + mask) · value, over the last two dims. Since libtorch 2.5 a fully
 * masked row gives zeros; earlier versions, which have an argument need_attn_weights, give NaN. In
 * a boolean mask, true means attend.
 *
 * Fully masked rows are found by counting (htp_emit_kept()): their softmax ignores the mask, and
 * the result is multiplied by 0.
 *
 * Reference: ONNX Attention, of opset 23, for which runtimes have a float32 kernel. It gives zeros
 * for fully masked rows, too. It is not used with an additive mask: runtimes treat the lowest
 * number as minus infinity, which PyTorch does not.
 */
#include "lower/compose/compose.h"
#include "lower/emit/sizes.h"

#include <math.h>
#include <string.h>

typedef struct attention {
    htp_dtype dtype;
    htp_tensor_id query;
    htp_tensor_id key;
    htp_tensor_id value;
    uint32_t key_rank;
    double scale;       /* 0: 1 / √E with the heads' size E found at run time */
    htp_tensor_id bias; /* added to the products; HTP_NONE: nothing */
    htp_tensor_id kept; /* [.., rows, 1]: 0 where a row is fully masked, else 1; or HTP_NONE */
} attention;

/** The given scale, or 1 / √E; 0 if E is dynamic. */
static double read_scale(htp_lowering *l)
{
    if (htp_arg_present(l, "scale")) {
        return htp_arg_float(l, "scale");
    }
    const htp_dim *dims = htp_arg_dims(l, "query");
    uint32_t rank = htp_arg_rank(l, "query");
    if (rank < 2 || (!dims[rank - 1].symbol && dims[rank - 1].size < 1)) {
        htp_lower_fail(l, "the size of its heads is not valid");
        return 1;
    }
    return dims[rank - 1].symbol ? 0 : 1 / sqrt((double)dims[rank - 1].size);
}

/** Whether the scale is the default, 1 / √E. */
static bool is_by_size(htp_lowering *l, const attention *a)
{
    return a->scale == 0 && !htp_arg_present(l, "scale");
}

/** The query times the scale. */
static htp_tensor_id scaled_query(htp_lowering *l, const attention *a)
{
    if (!is_by_size(l, a)) {
        return htp_emit_binary_scalar(l, "Mul", a->query, a->dtype, a->scale);
    }
    uint32_t rank = htp_arg_rank(l, "query");
    htp_tensor_id size = htp_emit_dim(l, a->query, htp_arg_dims(l, "query"), rank - 1);
    size = htp_emit_cast(l, size, HTP_DTYPE_INT64, a->dtype);
    return htp_emit_binary(l, "Div", a->query, htp_emit_unary(l, "Sqrt", size));
}

/** 0 where @p allowed, -inf elsewhere. */
static htp_tensor_id emit_bias(htp_lowering *l, htp_tensor_id allowed, htp_dtype dtype)
{
    htp_tensor_id zero = htp_emit_scalar(l, dtype, 0);
    htp_tensor_id infinity = htp_emit_scalar(l, dtype, -INFINITY);
    return htp_emit(l, "Where", HTP_IN(allowed, zero, infinity), HTP_NO_AT);
}

/** 0, 1, ... up to the size of the second-last dim of an argument. */
static htp_tensor_id emit_positions(htp_lowering *l, const char *name)
{
    const int64_t first = 0;
    uint32_t rank = htp_arg_rank(l, name);
    if (rank < 2) {
        htp_lower_fail(l, "argument '%s' has %u dims", name, rank);
        return HTP_NONE;
    }
    const htp_dim *dims = htp_arg_dims(l, name);
    htp_tensor_id size = htp_emit_scalar_int(l, HTP_DTYPE_INT64, dims[rank - 2].size);
    if (dims[rank - 2].symbol) {
        size = htp_emit_dim(l, htp_arg_tensor(l, name), dims, rank - 2);
        size = htp_emit_squeeze(l, size, &first, 1);
    }
    return htp_emit(l, "Range",
                    HTP_IN(htp_emit_scalar_int(l, HTP_DTYPE_INT64, 0), size,
                           htp_emit_scalar_int(l, HTP_DTYPE_INT64, 1)),
                    HTP_NO_AT);
}

/** The bias of a causal mask: position i of the query attends to keys up to i. */
static htp_tensor_id emit_causal_bias(htp_lowering *l, htp_dtype dtype)
{
    const int64_t column = 1;
    htp_tensor_id rows = htp_emit_unsqueeze(l, emit_positions(l, "query"), &column, 1);
    htp_tensor_id allowed = htp_emit_binary(l, "LessOrEqual", emit_positions(l, "key"), rows);
    return emit_bias(l, allowed, dtype);
}

/** Reads attn_mask and is_causal. */
static void read_mask(htp_lowering *l, attention *a)
{
    bool is_causal = htp_arg_bool(l, "is_causal");
    if (!htp_arg_present(l, "attn_mask")) {
        if (is_causal) {
            a->bias = emit_causal_bias(l, a->dtype);
        }
        return;
    }
    if (is_causal || htp_arg_rank(l, "attn_mask") == 0) {
        htp_lower_fail(l, "its mask is not valid");
    }
    htp_tensor_id allowed = HTP_NONE;
    bool gives_zeros = !htp_arg_present(l, "need_attn_weights");
    if (htp_arg_dtype(l, "attn_mask") == HTP_DTYPE_BOOL) {
        allowed = htp_arg_tensor(l, "attn_mask");
        a->bias = emit_bias(l, allowed, a->dtype);
    } else {
        a->bias = htp_arg_tensor_as(l, "attn_mask", a->dtype);
        allowed = htp_emit_above_infinity(l, a->bias, a->dtype);
    }
    if (gives_zeros) {
        const int64_t last = (int64_t)htp_arg_rank(l, "attn_mask") - 1;
        a->kept = htp_emit_kept(l, &a->bias, allowed, last, a->dtype);
    }
}

/** Key or value with each head repeated, to match the number of query heads: [..., heads, S, E]. */
static htp_tensor_id repeat_heads(htp_lowering *l, htp_tensor_id x, uint32_t rank,
                                  const htp_dim *dims)
{
    const int64_t axis = (int64_t)rank - 2;
    const htp_dim *heads = &dims[rank - 3];
    const htp_dim *query = htp_arg_dims(l, "query");
    uint32_t wanted = htp_arg_rank(l, "query") - 3;
    htp_sizes repeats = htp_sizes_begin(l);
    if (heads->symbol || query[wanted].symbol) {
        htp_tensor_id count = htp_emit_dim(l, htp_arg_tensor(l, "query"), query, wanted);
        htp_tensor_id own = htp_emit_dim(l, x, dims, (int64_t)rank - 3);
        htp_sizes_add_tensor(&repeats, htp_emit_binary(l, "Div", count, own));
    } else {
        htp_sizes_add_int(&repeats, query[wanted].size / heads->size);
    }
    htp_sizes_add_int(&repeats, 1);
    htp_sizes_add_int(&repeats, 1);
    htp_sizes shape = htp_sizes_begin(l);
    for (uint32_t i = 0; i + 3 < rank; i++) {
        htp_sizes_add_int(&shape, 0);
    }
    htp_sizes_add_dims(&shape, htp_arg_tensor(l, "query"), query, wanted, wanted + 1);
    htp_sizes_add_int(&shape, -1);
    htp_sizes_add_dims(&shape, x, dims, rank - 1, rank);
    x = htp_emit_unsqueeze(l, x, &axis, 1);
    x = htp_emit_binary(l, "Expand", x, htp_sizes_end(&repeats));
    return htp_emit_binary(l, "Reshape", x, htp_sizes_end(&shape));
}

/** Key or value; with enable_gqa it may have fewer heads than the query. */
static htp_tensor_id read_heads(htp_lowering *l, const char *name, htp_dtype dtype)
{
    htp_tensor_id x = htp_arg_tensor_as(l, name, dtype);
    uint32_t rank = htp_arg_rank(l, name);
    uint32_t query_rank = htp_arg_rank(l, "query");
    if (!htp_arg_bool_or(l, "enable_gqa", false) || rank < 3 || query_rank < 3) {
        return x;
    }
    const htp_dim *dims = htp_arg_dims(l, name);
    const htp_dim *heads = &dims[rank - 3];
    const htp_dim *wanted = &htp_arg_dims(l, "query")[query_rank - 3];
    if (heads->symbol || wanted->symbol) {
        bool is_same =
            heads->symbol && wanted->symbol && strcmp(heads->symbol, wanted->symbol) == 0;
        return is_same ? x : repeat_heads(l, x, rank, dims);
    }
    if (heads->size < 1 || wanted->size % heads->size != 0) {
        htp_lower_fail(l, "%lld heads do not divide %lld", (long long)heads->size,
                       (long long)wanted->size);
        return x;
    }
    return wanted->size == heads->size ? x : repeat_heads(l, x, rank, dims);
}

/** The weights: softmax over the keys. */
static htp_tensor_id emit_weights(htp_lowering *l, const attention *a)
{
    int64_t swapped[HTP_MAX_RANK];
    for (uint32_t i = 0; i < a->key_rank; i++) {
        swapped[i] = i;
    }
    swapped[a->key_rank - 1] = a->key_rank - 2;
    swapped[a->key_rank - 2] = a->key_rank - 1;
    htp_tensor_id query = scaled_query(l, a);
    htp_tensor_id key = htp_emit_transpose(l, a->key, swapped, a->key_rank);
    htp_tensor_id x = htp_emit_binary(l, "MatMul", query, key);
    if (a->bias != HTP_NONE) {
        x = htp_emit_binary(l, "Add", x, a->bias);
    }
    return htp_emit(l, "Softmax", HTP_IN(x), HTP_AT(htp_attribute_int("axis", -1)));
}

/** @p x with zeros in fully masked rows; NaN stays NaN, as in libtorch. */
static htp_tensor_id emit_with_zeros(htp_lowering *l, const attention *a, htp_tensor_id x)
{
    return a->kept == HTP_NONE ? x : htp_emit_binary(l, "Mul", x, a->kept);
}

/* ---- as one operator ---- */

static bool is_same_dim(const htp_dim *a, const htp_dim *b)
{
    return a->symbol || b->symbol ? a->symbol && b->symbol && strcmp(a->symbol, b->symbol) == 0
                                  : a->size == b->size;
}

/** Whether query, key and value are [batch, heads, length, size] with equal batch and heads; with
 * enable_gqa the query may have a multiple of the heads. */
static bool has_attention_heads(htp_lowering *l)
{
    static const char *const names[] = {"query", "key", "value"};
    const htp_dim *dims[3];
    for (size_t i = 0; i < 3; i++) {
        if (htp_arg_rank(l, names[i]) != 4) {
            return false;
        }
        dims[i] = htp_arg_dims(l, names[i]);
        if (!is_same_dim(&dims[0][0], &dims[i][0])) {
            return false;
        }
    }
    const htp_dim *heads = &dims[1][1];
    const htp_dim *wanted = &dims[0][1];
    bool is_grouped = htp_arg_bool_or(l, "enable_gqa", false) && !heads->symbol &&
                      !wanted->symbol && heads->size > 0 && wanted->size % heads->size == 0;
    return is_same_dim(heads, &dims[2][1]) && (is_same_dim(heads, wanted) || is_grouped);
}

static bool is_attention_operator(htp_lowering *l, const attention *a)
{
    if (l->failure || l->model->opset < 23 || a->dtype != HTP_DTYPE_FLOAT32 || l->row->op ||
        !(a->scale > 0 || is_by_size(l, a)) || !has_attention_heads(l)) {
        return false;
    }
    if (!htp_arg_present(l, "attn_mask")) {
        return true;
    }
    uint32_t rank = htp_arg_rank(l, "attn_mask");
    return htp_arg_dtype(l, "attn_mask") == HTP_DTYPE_BOOL && rank >= 2 && rank <= 4 &&
           !htp_arg_present(l, "need_attn_weights") && !htp_arg_bool(l, "is_causal");
}

/** The mask, if any, broadcast to a row per position of the query and a column per position of the
 * key. */
static htp_tensor_id emit_full_mask(htp_lowering *l)
{
    if (!htp_arg_present(l, "attn_mask")) {
        return HTP_NONE;
    }
    uint32_t rank = htp_arg_rank(l, "attn_mask");
    const htp_dim *dims = htp_arg_dims(l, "attn_mask");
    const htp_dim *rows = &htp_arg_dims(l, "query")[2];
    const htp_dim *columns = &htp_arg_dims(l, "key")[2];
    htp_tensor_id mask = htp_arg_tensor(l, "attn_mask");
    if (is_same_dim(&dims[rank - 2], rows) && is_same_dim(&dims[rank - 1], columns)) {
        return mask;
    }
    htp_sizes shape = htp_sizes_begin(l);
    htp_sizes_add_dims(&shape, htp_arg_tensor(l, "query"), htp_arg_dims(l, "query"), 2, 3);
    htp_sizes_add_dims(&shape, htp_arg_tensor(l, "key"), htp_arg_dims(l, "key"), 2, 3);
    return htp_emit_binary(l, "Expand", mask, htp_sizes_end(&shape));
}

static void bind_attention_operator(htp_lowering *l, const attention *a)
{
    htp_tensor_id inputs[] = {htp_arg_tensor_as(l, "query", a->dtype),
                              htp_arg_tensor_as(l, "key", a->dtype),
                              htp_arg_tensor_as(l, "value", a->dtype), emit_full_mask(l)};
    htp_attribute attributes[2];
    size_t attribute_count = 0;
    if (!is_by_size(l, a)) { /* which is the default */
        attributes[attribute_count++] = htp_attribute_float("scale", a->scale);
    }
    if (htp_arg_bool(l, "is_causal")) {
        attributes[attribute_count++] = htp_attribute_int("is_causal", 1);
    }
    htp_tensor_id y = htp_emit(l, "Attention", (htp_emit_inputs){inputs, 4},
                               (htp_emit_attributes){attributes, attribute_count});
    htp_bind_cast(l, 0, y, a->dtype);
}

/** All attention operators. If the row says "Weights", the second output is the weights; other
 * second outputs are not bound. */
void htp_lower_attention(htp_lowering *l)
{
    attention a = {.dtype = htp_arg_math_dtype(l, "query", HTP_MATH_ALLOW_DOUBLE),
                   .key_rank = htp_arg_rank(l, "key"),
                   .scale = read_scale(l),
                   .bias = HTP_NONE,
                   .kept = HTP_NONE};
    if (htp_arg_float(l, "dropout_p") != 0) {
        htp_lower_fail_training(l);
    }
    if (a.key_rank < 2) {
        htp_lower_fail(l, "a key of rank %u is not supported", a.key_rank);
        return;
    }
    if (is_attention_operator(l, &a)) {
        bind_attention_operator(l, &a);
        return;
    }
    a.query = htp_arg_tensor_as(l, "query", a.dtype);
    a.key = read_heads(l, "key", a.dtype);
    a.value = read_heads(l, "value", a.dtype);
    read_mask(l, &a);
    htp_tensor_id weights = emit_weights(l, &a);
    bool gives_weights = l->row->op && strcmp(l->row->op, "Weights") == 0;
    weights = gives_weights ? emit_with_zeros(l, &a, weights) : weights;
    htp_tensor_id y = htp_emit_binary(l, "MatMul", weights, a.value);
    htp_bind_cast(l, 0, gives_weights ? y : emit_with_zeros(l, &a, y), a.dtype);
    if (gives_weights) {
        htp_bind_cast(l, 1, weights, a.dtype);
    }
}
