/*
 * Rules for layers with more operands than a tensor and its weight.
 *
 * Reference: the checks of libtorch's RNN.cpp, GridSampler.cpp, LossNLL.cpp, Linear.cpp (einsum),
 * TensorAdvancedIndexing.cpp and Distance.cpp.
 */
#include "source/input_search/derive_reading.h"

#include "base/dtype.h"

#include <ctype.h>

/* The state of a layer: layers, batch, features. */
static void read_state(struct reading *r, const htp_trace_value *state, int64_t layers,
                       int64_t batch, int64_t features)
{
    add_ranks(r, state->rank, 3);
    add_sizes(r, dim(r, state, 0), layers);
    add_sizes(r, dim(r, state, 1), batch);
    add_sizes(r, dim(r, state, 2), features);
}

/* Counts a tensor, or those in a list. */
static uint32_t count_tensors(const htp_trace_value *value)
{
    return !value                            ? 0
           : value->kind == HTP_TRACE_TENSOR ? 1
           : value->kind == HTP_TRACE_LIST   ? value->element_count
                                             : 0;
}

static const htp_trace_value *tensor_at(const struct reading *r, const htp_trace_value *value,
                                        uint32_t index)
{
    return value->kind == HTP_TRACE_TENSOR ? value : element(r, value, index);
}

void htp_read_recurrent(struct reading *r)
{
    const htp_trace_value *input = tensor(r, "input");
    const htp_trace_value *weights = operand(r, "params");
    const htp_trace_value *state = operand(r, "hx");
    if (!input || !weights || weights->kind != HTP_TRACE_LIST || weights->element_count < 2) {
        return;
    }
    const htp_trace_value *batch_first = operand(r, "batch_first");
    const htp_trace_value *bidirectional = operand(r, "bidirectional");
    int64_t layers = 1;
    (void)number(r, "num_layers", &layers);
    layers *= bidirectional && bidirectional->i[0] ? 2 : 1;
    add_ranks(r, input->rank, input->rank < 2 ? 2 : 3);
    add_sizes(r, dim(r, input, -1), dim(r, element(r, weights, 0), 1));
    for (uint32_t i = 0; input->rank == 3 && i < count_tensors(state); i++) {
        read_state(r, tensor_at(r, state, i), layers,
                   dim(r, input, batch_first && batch_first->i[0] ? 0 : 1),
                   dim(r, element(r, weights, 1), 1));
    }
}

void htp_read_cell(struct reading *r)
{
    const htp_trace_value *input = tensor(r, "input");
    const htp_trace_value *states = operand(r, "hx");
    const htp_trace_value *weight = tensor(r, "w_ih");
    const htp_trace_value *carried = tensor(r, "w_hh");
    if (!input || !weight || !carried) {
        return;
    }
    add_ranks(r, input->rank, 2);
    add_sizes(r, dim(r, input, -1), dim(r, weight, 1));
    for (uint32_t i = 0; i < count_tensors(states); i++) {
        const htp_trace_value *state = tensor_at(r, states, i);
        add_ranks(r, state->rank, 2);
        add_sizes(r, dim(r, state, 0), dim(r, input, 0));
        add_sizes(r, dim(r, state, -1), dim(r, carried, 1));
    }
}

void htp_read_ids(struct reading *r)
{
    const htp_trace_value *indices = tensor(r, "indices");
    r->refusal->is_dtype = indices && htp_dtype_is_float(indices->dtype);
}

void htp_read_permutation(struct reading *r)
{
    const htp_trace_value *self = tensor(r, "self");
    const htp_trace_value *dims = operand(r, "dims");
    if (self && dims && dims->kind == HTP_TRACE_LIST) {
        add_ranks(r, self->rank, dims->element_count);
    }
}

void htp_read_grid(struct reading *r)
{
    const htp_trace_value *input = tensor(r, "input");
    const htp_trace_value *grid = tensor(r, "grid");
    if (input && grid) {
        add_ranks(r, grid->rank, input->rank);
        add_ranks(r, input->rank, grid->rank);
        add_sizes(r, dim(r, grid, -1), (int64_t)input->rank - 2);
        add_sizes(r, dim(r, grid, 0), dim(r, input, 0));
    }
}

void htp_read_target(struct reading *r)
{
    const htp_trace_value *self = tensor(r, "self");
    const htp_trace_value *target = tensor(r, "target");
    if (!self || !target || self->rank == 0) {
        return;
    }
    add_ranks(r, target->rank, (int64_t)self->rank - 1);
    for (int64_t d = 0; d < target->rank && self->rank > 1; d++) {
        add_sizes(r, dim(r, target, d), dim(r, self, d == 0 ? 0 : d + 1));
    }
}

void htp_read_attention(struct reading *r)
{
    const htp_trace_value *query = tensor(r, "query");
    const htp_trace_value *key = tensor(r, "key");
    const htp_trace_value *value = tensor(r, "value");
    const htp_trace_value *mask = tensor(r, "attn_mask");
    if (!query || !key || !value) {
        return;
    }
    add_sizes(r, dim(r, query, -1), dim(r, key, -1));
    add_sizes(r, dim(r, key, -2), dim(r, value, -2));
    if (mask) {
        add_broadcast(r, dim(r, mask, -1), dim(r, key, -2), false);
        add_broadcast(r, dim(r, mask, -2), dim(r, query, -2), false);
        for (int64_t d = 3; d <= mask->rank && d <= query->rank; d++) {
            add_broadcast(r, dim(r, mask, -d), dim(r, query, -d), false);
        }
    }
}

/* A mask that is not broadcast: over pairs, over keys, or over all scores. */
static void read_whole_mask(struct reading *r, const htp_trace_value *input, const char *heads)
{
    const htp_trace_value *mask = tensor(r, "mask");
    int64_t type = 0;
    if (!input || !mask || !number(r, "mask_type", &type)) {
        return;
    }
    bool is_whole = mask->rank == 4;
    int64_t head_count = 0;
    (void)number(r, heads, &head_count);
    add_ranks(r, mask->rank, is_whole ? 4 : 2);
    add_sizes(r, dim(r, mask, 0), dim(r, input, !is_whole && type == 0 ? 1 : 0));
    add_sizes(r, dim(r, mask, -1), dim(r, input, 1));
    if (is_whole) {
        add_sizes(r, dim(r, mask, 1), head_count);
        add_sizes(r, dim(r, mask, 2), dim(r, input, 1));
    }
}

void htp_read_encoder_layer(struct reading *r)
{
    const htp_trace_value *source = tensor(r, "src");
    int64_t features = 0;
    if (source && number(r, "embed_dim", &features)) {
        add_ranks(r, source->rank, 3);
        add_sizes(r, dim(r, source, -1), features);
    }
    read_whole_mask(r, source, "num_heads");
}

void htp_read_packing(struct reading *r)
{
    const htp_trace_value *input = tensor(r, "input");
    const htp_trace_value *lengths = tensor(r, "lengths");
    const htp_trace_value *batch_first = operand(r, "batch_first");
    if (input && lengths) {
        r->refusal->is_dtype = lengths->dtype != HTP_DTYPE_INT64;
        add_ranks(r, lengths->rank, 1);
        add_sizes(r, dim(r, lengths, 0), dim(r, input, batch_first && batch_first->i[0] ? 0 : 1));
    }
}

void htp_read_alike(struct reading *r)
{
    const htp_trace_value *self = tensor(r, "self");
    const htp_trace_value *target = tensor(r, "target");
    if (self && target) {
        add_ranks(r, target->rank, self->rank);
        for (int64_t d = 0; d < self->rank && self->rank == target->rank; d++) {
            add_sizes(r, dim(r, target, d), dim(r, self, d));
        }
    }
}

void htp_read_native_attention(struct reading *r)
{
    static const char *const names[] = {"query", "key", "value"};
    int64_t features = 0;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && number(r, "embed_dim", &features);
         i++) {
        const htp_trace_value *value = tensor(r, names[i]);
        if (value) {
            add_sizes(r, dim(r, value, -1), features);
        }
    }
    read_whole_mask(r, tensor(r, "query"), "num_head");
}

void htp_read_indexed(struct reading *r)
{
    const htp_trace_value *self = tensor(r, "self");
    const htp_trace_value *index = tensor(r, "index");
    const htp_trace_value *source = tensor(r, "source");
    int64_t along = 0;
    (void)number(r, "dim", &along);
    if (!self || !index || !source || index->rank != 1 || source->rank != self->rank) {
        return;
    }
    along += along < 0 ? self->rank : 0;
    for (int64_t d = 0; d < self->rank; d++) {
        add_sizes(r, dim(r, source, d), d == along ? dim(r, index, 0) : dim(r, self, d));
    }
}

void htp_read_distance(struct reading *r)
{
    const htp_trace_value *a = tensor(r, "x1");
    const htp_trace_value *b = tensor(r, "x2");
    if (!a || !b) {
        return;
    }
    add_sizes(r, dim(r, a, -1), dim(r, b, -1));
    for (int64_t d = 3; d <= a->rank && d <= b->rank; d++) {
        add_broadcast(r, dim(r, a, -d), dim(r, b, -d), true);
    }
}

/* ---- sums of products: "bij,bjk->bik" ---- */

/* Sizes of letters, and the first operand with each. */
struct letters {
    int64_t sizes[256];
};

/* Compares the dims of one operand. @return the text after its letters */
static const char *read_letters(struct reading *r, const char *at, const htp_trace_value *value,
                                struct letters *letters)
{
    int64_t rank = 0;
    for (; *at && *at != ',' && *at != '-'; at++) {
        if (*at == '.') { /* an ellipsis: the operand cannot be compared */
            return at + strcspn(at, ",-");
        }
        if (!isalpha((unsigned char)*at)) {
            continue;
        }
        int64_t size = dim(r, value, rank++);
        int64_t *known = &letters->sizes[(unsigned char)*at];
        if (*known > 0) {
            add_sizes(r, size, *known);
            add_sizes(r, *known, size);
        }
        *known = size;
    }
    add_ranks(r, value->rank, rank);
    return at;
}

void htp_read_einsum(struct reading *r)
{
    const htp_trace_value *equation = operand(r, "equation");
    const htp_trace_value *list = operand(r, "tensors");
    if (!equation || !equation->s || !list || list->kind != HTP_TRACE_LIST) {
        return;
    }
    struct letters letters = {.sizes = {0}};
    const char *at = equation->s;
    for (uint32_t i = 0; i < list->element_count && *at; i++) {
        at = read_letters(r, at, element(r, list, i), &letters);
        if (*at != ',') {
            return;
        }
        at++;
    }
}
