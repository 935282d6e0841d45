/* Sizes of layers that are one operator: attention, transformer encoder, fake quantisation, weight
 * norm. */
#include "interpret/meta/kernels.h"
#include "interpret/meta/layout.h"
#include "interpret/meta/outputs.h"

#include <inttypes.h>
#include <string.h>

/* Mask types: one for all pairs of a batch; others are for keys, or for everything. */
enum { MASK_OF_PAIRS };

/* The sizes of the attention scores. */
struct scores {
    int64_t batch, heads, queries, keys;
};

/* libtorch does not broadcast masks. The last operand is the mask's type. */
static bool check_mask(htp_meta_call *call, uint32_t number, struct scores s)
{
    const htp_runner_tensor *mask = htp_meta_optional(call, number);
    const htp_operand *type = &call->operands[call->operand_count - 1];
    if (!mask || type->kind != HTP_OPERAND_INT) {
        return true;
    }
    const htp_meta_sizes of_pairs = {.dims = {s.queries, s.keys}, .rank = 2};
    const htp_meta_sizes of_keys = {.dims = {s.batch, s.keys}, .rank = 2};
    const htp_meta_sizes of_all = {.dims = {s.batch, s.heads, s.queries, s.keys}, .rank = 4};
    const htp_meta_sizes *expected = mask->rank == of_all.rank     ? &of_all
                                     : type->as.i == MASK_OF_PAIRS ? &of_pairs
                                                                   : &of_keys;
    htp_meta_text text;
    return (mask->rank == expected->rank &&
            memcmp(mask->dims, expected->dims, mask->rank * sizeof(*mask->dims)) == 0) ||
           htp_meta_refuse(call, "a mask of type %" PRId64 " has other sizes than the scores: %s",
                           type->as.i, htp_meta_sizes_text(&text, mask));
}

/* Called by nn.MultiheadAttention in inference; weights may be averaged over heads. */
bool htp_meta_attention(htp_meta_call *call)
{
    const htp_runner_tensor *query = htp_meta_tensor(call, 0);
    const htp_runner_tensor *key = htp_meta_tensor(call, 1);
    int64_t features = htp_meta_int(call, 3);
    bool needs_weights = htp_meta_bool(call, 10);
    bool is_averaged = htp_meta_bool(call, 11);
    if (query->rank != 3 || key->rank != 3 || query->dims[2] != features) {
        htp_meta_text text;
        return htp_meta_refuse(call,
                               "expected query and key of 3 dims and %" PRId64 " features, got %s",
                               features, htp_meta_sizes_text(&text, query));
    }
    const struct scores scores = {query->dims[0], htp_meta_int(call, 4), query->dims[1],
                                  key->dims[1]};
    if (!check_mask(call, 9, scores)) {
        return false;
    }
    const htp_meta_sizes averaged = {.dims = {query->dims[0], query->dims[1], key->dims[1]},
                                     .rank = 3};
    const htp_meta_sizes by_head = {
        .dims = {query->dims[0], htp_meta_int(call, 4), query->dims[1], key->dims[1]}, .rank = 4};
    return htp_meta_give_plain(call, query) &&
           (needs_weights ? htp_meta_give(call, query->type, is_averaged ? &averaged : &by_head)
                          : htp_meta_give_none(call));
}

/* Called by nn.TransformerEncoderLayer in inference: the output has the source's sizes. */
bool htp_meta_encoder_layer(htp_meta_call *call)
{
    const htp_runner_tensor *source = htp_meta_tensor(call, 0);
    int64_t features = htp_meta_int(call, 1);
    if (source->rank != 3 || source->dims[2] != features) {
        htp_meta_text text;
        return htp_meta_refuse(call, "expected a source of 3 dims and %" PRId64 " features, got %s",
                               features, htp_meta_sizes_text(&text, source));
    }
    const struct scores scores = {source->dims[0], htp_meta_int(call, 2), source->dims[1],
                                  source->dims[1]};
    return check_mask(call, 18, scores) && htp_meta_give_plain(call, source);
}

/* ---- products of groups of rows, of columns, or of the summed axis ---- */

static bool check_factors(htp_meta_call *call, const htp_runner_tensor *self,
                          const htp_runner_tensor *other)
{
    htp_meta_text first;
    htp_meta_text second;
    if (self->rank < 2 || self->rank > 3 || other->rank < 2 || other->rank > 3) {
        return htp_meta_refuse(call, "grouped_mm: expected operands of 2 or 3 dims, got %s and %s",
                               htp_meta_sizes_text(&first, self),
                               htp_meta_sizes_text(&second, other));
    }
    return htp_meta_dim(self, -1) == htp_meta_dim(other, -2) ||
           htp_meta_refuse(call, "grouped_mm: %s and %s cannot be multiplied",
                           htp_meta_sizes_text(&first, self), htp_meta_sizes_text(&second, other));
}

bool htp_meta_grouped_product(htp_meta_call *call)
{
    const htp_runner_tensor *self = htp_meta_tensor(call, 0);
    const htp_runner_tensor *other = htp_meta_tensor(call, 1);
    const htp_runner_tensor *ends = htp_meta_optional(call, 2);
    const htp_operand *type = &call->operands[4];
    if (!check_factors(call, self, other)) {
        return false;
    }
    if (!ends && self->rank + other->rank != 6) {
        return htp_meta_refuse(call, "grouped_mm: offs is needed where an operand has 2 dims");
    }
    int64_t rows = htp_meta_dim(self, -2);
    int64_t columns = htp_meta_dim(other, -1);
    htp_meta_sizes sizes = {.dims = {rows, columns}, .rank = 2};
    if (self->rank == other->rank) {
        sizes = (htp_meta_sizes){.dims = {self->dims[0], rows, columns}, .rank = 3};
        if (self->rank == 2 && !htp_meta_find_dim(call, ends, 0, &sizes.dims[0])) {
            return false;
        }
    }
    return htp_meta_give(call, type->kind == HTP_OPERAND_INT ? (int32_t)type->as.i : self->type,
                         &sizes);
}

/* ---- levels and lengths ---- */

/* Fake-quantised values, and a mask of those within range; both have the input's layout. */
bool htp_meta_fake_quantize(htp_meta_call *call)
{
    const htp_runner_tensor *self = htp_meta_tensor(call, 0);
    htp_meta_sizes sizes;
    int64_t strides[HTP_MAX_RANK];
    htp_layout_preserved(self, strides);
    return htp_meta_sizes_of(call, self, &sizes) && htp_meta_give_like(call, self) &&
           htp_meta_give_strided(call, HTP_SCALAR_BOOL, &sizes, strides);
}

/* The same with a scale per element of a dim. */
bool htp_meta_fake_quantize_channels(htp_meta_call *call)
{
    enum { SELF, SCALE, ZERO_POINT, AXIS };
    const htp_runner_tensor *scale = htp_meta_tensor(call, SCALE);
    const htp_runner_tensor *zero_point = htp_meta_tensor(call, ZERO_POINT);
    int64_t axis = htp_meta_int(call, AXIS);
    int64_t size = 0;
    if (axis < 0 || !htp_meta_find_dim(call, htp_meta_tensor(call, SELF), axis, &size)) {
        return htp_meta_refuse(call, "`axis` must be between 0 and number of dimensions of input");
    }
    bool has_zero_point = zero_point->type == HTP_SCALAR_INT ||
                          zero_point->type == HTP_SCALAR_FLOAT ||
                          zero_point->type == HTP_SCALAR_HALF;
    if (scale->type != HTP_SCALAR_FLOAT || !has_zero_point) {
        return htp_meta_refuse(call,
                               "Scale must be Float, and Zero-point Int32, Float or Half, found %s "
                               "and %s",
                               htp_scalar_type_name(scale->type),
                               htp_scalar_type_name(zero_point->type));
    }
    return scale->rank == 1 && zero_point->rank == 1 && scale->dims[0] == size &&
                   zero_point->dims[0] == size
               ? htp_meta_fake_quantize(call)
               : htp_meta_refuse(call, "dimensions of scale and zero-point are not consistent with "
                                       "input tensor");
}

/* Dequantised values, in the layout of the quantised ones. */
bool htp_meta_dequantized(htp_meta_call *call)
{
    const htp_runner_tensor *self = htp_meta_tensor(call, 0);
    htp_meta_sizes sizes;
    int64_t strides[HTP_MAX_RANK];
    htp_layout_preserved(self, strides);
    return htp_meta_sizes_of(call, self, &sizes) &&
           htp_meta_give_strided(call, HTP_SCALAR_FLOAT, &sizes, strides);
}

/* A weight with the direction of the first operand and the length of the second; and the norm of
 * the first, in the layout of the second. */
bool htp_meta_weight_norm(htp_meta_call *call)
{
    const htp_runner_tensor *direction = htp_meta_tensor(call, 0);
    const htp_runner_tensor *length = htp_meta_tensor(call, 1);
    bool is_narrow = length->type == HTP_SCALAR_BFLOAT16 || length->type == HTP_SCALAR_HALF;
    int32_t type = is_narrow ? HTP_SCALAR_FLOAT : length->type;
    htp_meta_sizes sizes;
    int64_t dim = htp_meta_int(call, 2);
    if (dim != 0 && dim != (int64_t)direction->rank - 1) {
        return htp_meta_refuse(call, "fused kernels can only be applied for first or last dim");
    }
    if (direction->type != length->type) {
        return htp_meta_refuse(call, "expected scalar type %s but found %s",
                               htp_scalar_type_name(direction->type),
                               htp_scalar_type_name(length->type));
    }
    return htp_meta_sizes_of(call, length, &sizes) && htp_meta_give_plain(call, direction) &&
           htp_meta_give_strided(call, type, &sizes, length->strides);
}
