/*
 * The fused operators of transformer encoders, which nn.MultiheadAttention and
 * nn.TransformerEncoderLayer call in inference.
 *
 * Their mask is true (or not zero) at masked positions; a fully masked row gives NaN. Sizes are
 * [batch, length, embed_dim]. The packed weight holds the projections of query, key and value.
 */
#include "lower/compose/compose.h"

#include <math.h>

typedef struct multihead {
    htp_dtype dtype;
    int64_t embed_dim;
    int64_t heads;
    htp_tensor_id inputs[3]; /* query, key, value */
    bool is_self;            /* all three are the same tensor */
} multihead;

/** A linear layer with the arguments @p weight and @p bias. */
static htp_tensor_id linear(htp_lowering *l, htp_tensor_id x, const char *weight, const char *bias,
                            htp_dtype dtype)
{
    return htp_emit_linear(l, x, 3, htp_arg_tensor_as(l, weight, dtype),
                           htp_arg_optional_as(l, bias, dtype), dtype);
}

/** Projects query, key and value: [batch, length, embed_dim] each */
static void project(htp_lowering *l, const multihead *m, htp_tensor_id projected[3])
{
    if (m->is_self) {
        htp_tensor_id packed = linear(l, m->inputs[0], "qkv_weight", "qkv_bias", m->dtype);
        htp_emit_split(l, packed, 2, projected, 3);
        return;
    }
    htp_tensor_id weights[3];
    htp_tensor_id biases[3];
    htp_emit_split(l, htp_arg_tensor_as(l, "qkv_weight", m->dtype), 0, weights, 3);
    htp_emit_split(l, htp_arg_tensor_as(l, "qkv_bias", m->dtype), 0, biases, 3);
    for (size_t i = 0; i < 3; i++) {
        projected[i] = htp_emit_linear(l, m->inputs[i], 3, weights[i], biases[i], m->dtype);
    }
}

/** Puts -inf where the mask is set. Its form follows mask_type: 0 is [length, length], 1 is [batch,
 * length], 2 is the shape of the scores. */
static htp_tensor_id apply_mask(htp_lowering *l, htp_tensor_id x, htp_dtype dtype)
{
    const int64_t axes[] = {1, 2};
    htp_tensor_id mask = htp_arg_tensor_as(l, "mask", HTP_DTYPE_BOOL);
    if (htp_arg_int_or(l, "mask_type", 0) == 1 && htp_arg_rank(l, "mask") == 2) {
        mask = htp_emit_unsqueeze(l, mask, axes, 2);
    }
    return htp_emit(l, "Where", HTP_IN(mask, htp_emit_scalar(l, dtype, -INFINITY), x), HTP_NO_AT);
}

/** @param weights  receives the attention weights: [batch, heads, length, length] */
static htp_tensor_id emit_multihead(htp_lowering *l, const multihead *m, htp_tensor_id *weights)
{
    const int64_t by_head[] = {0, 2, 1, 3};
    const int64_t transposed[] = {0, 2, 3, 1};
    int64_t head_size = m->embed_dim / m->heads;
    htp_tensor_id projected[3];
    project(l, m, projected);
    for (size_t i = 0; i < 3; i++) {
        const int64_t split[] = {0, 0, m->heads, head_size};
        projected[i] = htp_emit_reshape(l, projected[i], split, 4);
        projected[i] = htp_emit_transpose(l, projected[i], i == 1 ? transposed : by_head, 4);
    }
    htp_tensor_id query =
        htp_emit_binary_scalar(l, "Mul", projected[0], m->dtype, 1 / sqrt((double)head_size));
    htp_tensor_id x = htp_emit_binary(l, "MatMul", query, projected[1]);
    x = htp_arg_present(l, "mask") ? apply_mask(l, x, m->dtype) : x;
    *weights = htp_emit(l, "Softmax", HTP_IN(x), HTP_AT(htp_attribute_int("axis", -1)));
    x = htp_emit_binary(l, "MatMul", *weights, projected[2]);
    x = htp_emit_transpose(l, x, by_head, 4);
    x = htp_emit_reshape(l, x, (const int64_t[]){0, 0, m->embed_dim}, 3);
    return linear(l, x, "proj_weight", "proj_bias", m->dtype);
}

/**
 * @param input  the argument that gives dtype and rank
 * @param heads     the argument with the number of heads
 */
static multihead read_multihead(htp_lowering *l, const char *input, const char *heads)
{
    multihead m = {.dtype = htp_arg_math_dtype(l, input, HTP_MATH_ALLOW_DOUBLE),
                   .embed_dim = htp_arg_int(l, "embed_dim"),
                   .heads = htp_arg_int(l, heads)};
    if (m.heads < 1 || m.embed_dim < m.heads || m.embed_dim % m.heads != 0) {
        htp_lower_fail(l, "%lld heads do not divide %lld", (long long)m.heads,
                       (long long)m.embed_dim);
        m.heads = 1;
    }
    if (htp_arg_rank(l, input) != 3) {
        htp_lower_fail(l, "an input of rank %u is not supported", htp_arg_rank(l, input));
    }
    if (htp_arg_present(l, "mask") && !htp_arg_present(l, "mask_type")) {
        htp_lower_fail(l, "it has a mask of no known form");
    }
    return m;
}

/** _native_multi_head_attention */
void htp_lower_multihead(htp_lowering *l)
{
    static const char *const names[] = {"query", "key", "value"};
    const int64_t heads = 1;
    multihead m = read_multihead(l, "query", "num_head");
    for (size_t i = 0; i < 3; i++) {
        m.inputs[i] = htp_arg_tensor_as(l, names[i], m.dtype);
    }
    htp_value_id query = htp_arg_value(l, "query");
    m.is_self = htp_arg_value(l, "key") == query && htp_arg_value(l, "value") == query;
    htp_tensor_id weights = HTP_NONE;
    htp_bind_cast(l, 0, emit_multihead(l, &m, &weights), m.dtype);
    if (htp_arg_bool(l, "need_weights")) {
        if (htp_arg_bool(l, "average_attn_weights")) {
            weights = htp_emit_reduce(l, "ReduceMean", weights, &heads, 1, false);
        }
        htp_bind_cast(l, 1, weights, m.dtype);
    }
}

static htp_tensor_id normalize(htp_lowering *l, htp_tensor_id x, const char *weight,
                               const char *bias, htp_dtype dtype)
{
    htp_normalized n = {.x = x,
                        .weight = htp_arg_tensor_as(l, weight, dtype),
                        .bias = htp_arg_tensor_as(l, bias, dtype),
                        .dtype = dtype,
                        .rank = 3,
                        .eps = htp_arg_float(l, "eps")};
    return htp_emit_layer_norm(l, &n, 1, htp_arg_dims(l, "src"));
}

static htp_tensor_id feed_forward(htp_lowering *l, htp_tensor_id x, htp_dtype dtype)
{
    x = linear(l, x, "ffn_weight_1", "ffn_bias_1", dtype);
    x = htp_arg_bool(l, "use_gelu") ? htp_emit_gelu(l, x, dtype, false)
                                    : htp_emit_unary(l, "Relu", x);
    return linear(l, x, "ffn_weight_2", "ffn_bias_2", dtype);
}

/** _transformer_encoder_layer_fwd */
void htp_lower_encoder_layer(htp_lowering *l)
{
    multihead m = read_multihead(l, "src", "num_heads");
    bool norm_first = htp_arg_bool(l, "norm_first");
    htp_tensor_id source = htp_arg_tensor_as(l, "src", m.dtype);
    htp_tensor_id x = source;
    if (norm_first) {
        x = normalize(l, x, "norm_weight_1", "norm_bias_1", m.dtype);
    }
    m.inputs[0] = x;
    m.is_self = true;
    htp_tensor_id weights = HTP_NONE;
    x = htp_emit_binary(l, "Add", emit_multihead(l, &m, &weights), source);
    if (!norm_first) {
        x = normalize(l, x, "norm_weight_1", "norm_bias_1", m.dtype);
    }
    htp_tensor_id middle = x;
    if (norm_first) {
        x = normalize(l, x, "norm_weight_2", "norm_bias_2", m.dtype);
    }
    x = htp_emit_binary(l, "Add", feed_forward(l, x, m.dtype), middle);
    if (!norm_first) {
        x = normalize(l, x, "norm_weight_2", "norm_bias_2", m.dtype);
    }
    htp_bind_cast(l, 0, x, m.dtype);
}
