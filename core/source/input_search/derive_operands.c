/*
 * Finds the operand sizes that do not fit, by the rules of the operator. No operator runs here.
 *
 * Reference: the checks that libtorch's native functions make, TensorShape.cpp, Convolution.cpp,
 * LinearAlgebra.cpp, ExpandUtils.cpp.
 */
#include "source/input_search/derive_reading.h"

#include "base/dtype.h"

#include <stdlib.h>
#include <string.h>

/* ---- rules for operands ---- */

static void read_broadcast(struct reading *r, const htp_trace_value *a, const htp_trace_value *b)
{
    for (int64_t d = 1; d <= a->rank && d <= b->rank; d++) {
        add_broadcast(r, dim(r, a, -d), dim(r, b, -d), true);
    }
}

/* Tensor operands must broadcast. */
static void read_elementwise(struct reading *r)
{
    const htp_trace_value *first = NULL;
    for (uint32_t i = 0; i < r->node->input_count; i++) {
        const htp_trace_value *value = &r->trace->values[r->node->inputs[i]];
        if (value->kind == HTP_TRACE_TENSOR) {
            if (first) {
                read_broadcast(r, first, value);
                read_broadcast(r, value, first);
            }
            first = first ? first : value;
        }
    }
}

/* Compares sizes at equal positions, then numbers of elements. */
static void read_view(struct reading *r)
{
    const htp_trace_value *self = tensor(r, "self");
    const htp_trace_value *size = operand(r, "size");
    size = size ? size : operand(r, "shape");
    if (!self || !size || size->kind != HTP_TRACE_LIST) {
        return;
    }
    int64_t product = 1;
    bool is_open = false;
    for (uint32_t i = 0; i < size->element_count; i++) {
        int64_t wanted = element(r, size, i)->i[r->lane];
        is_open = is_open || wanted < 0;
        product = wanted < 0 || product > INT32_MAX ? product : product * wanted;
    }
    if (!is_open) {
        add_sizes(r, count_elements(r, self), product);
    }
    for (uint32_t i = 0; i < size->element_count && i < self->rank; i++) {
        add_guess(r, self->dims[r->lane][i], element(r, size, i)->i[r->lane]);
    }
    for (uint32_t d = 1; d <= self->rank && d <= size->element_count; d++) {
        add_guess(r, dim(r, self, -(int64_t)d),
                  element(r, size, size->element_count - d)->i[r->lane]);
    }
    if (self->rank > 0 && size->element_count > 0) {
        add_guess(r, dim(r, self, -1), product);
    }
}

static void read_expand(struct reading *r)
{
    const htp_trace_value *self = tensor(r, "self");
    const htp_trace_value *size = operand(r, "size");
    if (!self || !size || size->kind != HTP_TRACE_LIST) {
        return;
    }
    if (self->rank > size->element_count) {
        add_ranks(r, self->rank, size->element_count);
    }
    for (uint32_t d = 1; d <= self->rank && d <= size->element_count; d++) {
        int64_t wanted = element(r, size, size->element_count - d)->i[r->lane];
        if (wanted > 0) {
            add_broadcast(r, dim(r, self, -(int64_t)d), wanted, false);
        }
    }
}

/* The tensor operand with the first of two names that exists. */
static const htp_trace_value *first_of(const struct reading *r, const char *name, const char *other)
{
    const htp_trace_value *value = tensor(r, name);
    return value ? value : tensor(r, other);
}

/* Matrix products, under any operand names. */
static void read_product(struct reading *r)
{
    const htp_trace_value *first = first_of(r, "mat1", "batch1");
    const htp_trace_value *second = first_of(r, "mat2", "batch2");
    const htp_trace_value *a = first ? first : first_of(r, "self", "mat");
    const htp_trace_value *b = second ? second : first_of(r, "other", "vec");
    b = b ? b : tensor(r, "tensor");
    if (!a || !b) {
        return;
    }
    if (second) { /* only matmul() takes any rank */
        add_ranks(r, a->rank, b->rank);
    }
    add_sizes(r, dim(r, a, -1), dim(r, b, b->rank > 1 ? -2 : -1));
    for (int64_t d = 3; d <= a->rank && d <= b->rank; d++) {
        if (second) {
            add_sizes(r, dim(r, a, -d), dim(r, b, -d));
        } else {
            add_broadcast(r, dim(r, a, -d), dim(r, b, -d), true);
        }
    }
}

static void read_linear(struct reading *r)
{
    const htp_trace_value *input = tensor(r, "input");
    const htp_trace_value *weight = tensor(r, "weight");
    if (input && weight) {
        add_sizes(r, dim(r, input, -1), dim(r, weight, -1));
    }
}

static void read_convolution(struct reading *r)
{
    const htp_trace_value *input = tensor(r, "input");
    const htp_trace_value *weight = tensor(r, "weight");
    if (!input || !weight) {
        return;
    }
    add_ranks(r, input->rank, weight->rank);
    if (input->rank != weight->rank) {
        return;
    }
    const htp_trace_value *transposed = operand(r, "transposed");
    bool is_transposed =
        strstr(r->node->kind, "transpose") || (transposed && transposed->i[r->lane]);
    int64_t groups = 1;
    (void)number(r, "groups", &groups);
    add_sizes(r, dim(r, input, 1), is_transposed ? dim(r, weight, 0) : dim(r, weight, 1) * groups);
    for (uint32_t d = 2; d < weight->rank && !is_transposed; d++) {
        int64_t window = number_of(r, "dilation", d - 2) * (dim(r, weight, d) - 1) + 1;
        const htp_trace_value *padding = operand(r, "padding");
        int64_t padded =
            padding && padding->kind == HTP_TRACE_LIST ? 2 * number_of(r, "padding", d - 2) : 0;
        add_least(r, dim(r, input, d), window - padded);
    }
}

static void read_concatenation(struct reading *r)
{
    const htp_trace_value *list = operand(r, "tensors");
    int64_t along = 0;
    (void)number(r, "dim", &along);
    if (!list || list->kind != HTP_TRACE_LIST || list->element_count == 0) {
        return;
    }
    bool is_stack = strstr(r->node->kind, "stack") != NULL;
    const htp_trace_value *first = element(r, list, 0);
    for (uint32_t i = 1; i < list->element_count && first->kind == HTP_TRACE_TENSOR; i++) {
        const htp_trace_value *other = element(r, list, i);
        if (other->kind != HTP_TRACE_TENSOR) {
            continue;
        }
        add_ranks(r, first->rank, other->rank);
        add_ranks(r, other->rank, first->rank);
        int64_t skipped = along < 0 ? along + first->rank : along;
        for (int64_t d = 0; d < first->rank && first->rank == other->rank; d++) {
            if (is_stack || d != skipped) {
                add_sizes(r, dim(r, first, d), dim(r, other, d));
                add_sizes(r, dim(r, other, d), dim(r, first, d));
            }
        }
    }
}

static void read_last_dims(struct reading *r)
{
    const htp_trace_value *input = tensor(r, "input");
    const htp_trace_value *shape = operand(r, "normalized_shape");
    if (!input || !shape || shape->kind != HTP_TRACE_LIST) {
        return;
    }
    for (uint32_t d = 1; d <= shape->element_count; d++) {
        add_sizes(r, dim(r, input, -(int64_t)d),
                  element(r, shape, shape->element_count - d)->i[r->lane]);
    }
}

static void read_channels(struct reading *r)
{
    const htp_trace_value *input = tensor(r, "input");
    static const char *const names[] = {"weight", "running_mean", "bias"};
    for (size_t i = 0; input && i < sizeof(names) / sizeof(names[0]); i++) {
        const htp_trace_value *weight = tensor(r, names[i]);
        if (weight) {
            add_sizes(r, dim(r, input, 1), dim(r, weight, 0));
        }
    }
}

static void read_split(struct reading *r)
{
    const htp_trace_value *self = tensor(r, "self");
    const htp_trace_value *sizes = operand(r, "split_sizes");
    int64_t along = 0;
    (void)number(r, "dim", &along);
    if (!self || !sizes || sizes->kind != HTP_TRACE_LIST) {
        return;
    }
    int64_t sum = 0;
    for (uint32_t i = 0; i < sizes->element_count; i++) {
        sum += element(r, sizes, i)->i[r->lane];
    }
    add_sizes(r, dim(r, self, along), sum);
}

static void read_index(struct reading *r)
{
    const htp_trace_value *self = tensor(r, "self");
    int64_t along = 0;
    int64_t index = 0;
    if (self && number(r, "dim", &along) && number(r, "index", &index)) {
        add_sure_least(r, dim(r, self, along), index < 0 ? -index : index + 1);
    }
}

/* Whether an index out of range may belong to dim @p d, by the message. */
static bool may_be_out(const struct reading *r, uint32_t d)
{
    static const char before[] = "is out of bounds for dimension ";
    const char *found = r->node->failure ? strstr(r->node->failure, before) : NULL;
    return !found || strtoul(found + sizeof(before) - 1, NULL, 10) == d;
}

/* The number of indices, and the size of the indexed dim. Counting positions need as many
 * places. */
static void read_indices(struct reading *r)
{
    const htp_trace_value *self = tensor(r, "self");
    const htp_trace_value *indices = operand(r, "indices");
    if (self && indices && indices->kind == HTP_TRACE_LIST && self->rank < indices->element_count) {
        add_ranks(r, self->rank, indices->element_count);
        return;
    }
    for (uint32_t d = 0; self && indices && indices->kind == HTP_TRACE_LIST && d < self->rank &&
                         d < indices->element_count;
         d++) {
        const htp_trace_value *index = element(r, indices, d);
        bool is_position =
            index->kind == HTP_TRACE_TENSOR && index->dtype == HTP_DTYPE_INT64 && may_be_out(r, d);
        for (uint32_t i = 0; is_position && i < index->rank; i++) {
            int64_t count = dim(r, index, i);
            add_fact(r, (htp_fact){count, dim(r, self, d), .is_one = count == 1, .is_limit = true});
        }
    }
}

/* Windows and paddings larger than their dim. */
static void read_windows(struct reading *r)
{
    const htp_trace_value *self = tensor(r, "self");
    static const char *const windows[] = {"kernel_size", "padding", "pad"};
    for (size_t i = 0; self && i < sizeof(windows) / sizeof(windows[0]); i++) {
        const htp_trace_value *window = operand(r, windows[i]);
        for (uint32_t k = 0; window && window->kind == HTP_TRACE_LIST && k < window->element_count;
             k++) {
            add_least(r, dim(r, self, -1), element(r, window, k)->i[r->lane] + (i > 0));
        }
    }
}

/* A list, or the list of a tensor's sizes, has not as many elements as the program unpacks. */
static void read_unpacking(struct reading *r)
{
    const htp_trace_value *list = &r->trace->values[r->node->inputs[0]];
    if (list->kind != HTP_TRACE_LIST) {
        return;
    }
    bool is_sizes = list->element_count > 0 && element(r, list, 0)->kind == HTP_TRACE_INT;
    add_fact(r, (htp_fact){.have = list->element_count,
                           .want = r->node->output_count,
                           .is_rank = is_sizes});
}

/* Operators by name, without overload; all others broadcast their operands. */
static const struct reader {
    const char *kind;
    void (*read)(struct reading *r);
    bool is_strict; /* all operands must have one dtype */
} readers[] = {
    {"aten::view", read_view, false},
    {"aten::reshape", read_view, false},
    {"aten::expand", read_expand, false},
    {"aten::matmul", read_product, true},
    {"aten::mm", read_product, true},
    {"aten::bmm", read_product, true},
    {"aten::addmm", read_product, true},
    {"aten::baddbmm", read_product, true},
    {"aten::addbmm", read_product, true},
    {"aten::mv", read_product, true},
    {"aten::dot", read_product, true},
    {"aten::vdot", read_product, true},
    {"aten::linear", read_linear, true},
    {"aten::conv1d", read_convolution, true},
    {"aten::conv2d", read_convolution, true},
    {"aten::conv3d", read_convolution, true},
    {"aten::conv_transpose1d", read_convolution, true},
    {"aten::conv_transpose2d", read_convolution, true},
    {"aten::conv_transpose3d", read_convolution, true},
    {"aten::convolution", read_convolution, true},
    {"aten::_convolution", read_convolution, true},
    {"aten::_convolution_mode", read_convolution, true},
    {"aten::cat", read_concatenation, false},
    {"aten::stack", read_concatenation, false},
    {"aten::layer_norm", read_last_dims, true},
    {"aten::rms_norm", read_last_dims, false},
    {"aten::batch_norm", read_channels, true},
    {"aten::group_norm", read_channels, true},
    {"aten::instance_norm", read_channels, false},
    {"aten::lstm", htp_read_recurrent, true},
    {"aten::gru", htp_read_recurrent, true},
    {"aten::rnn_tanh", htp_read_recurrent, true},
    {"aten::rnn_relu", htp_read_recurrent, true},
    {"aten::lstm_cell", htp_read_cell, true},
    {"aten::gru_cell", htp_read_cell, true},
    {"aten::rnn_tanh_cell", htp_read_cell, true},
    {"aten::rnn_relu_cell", htp_read_cell, true},
    {"aten::grid_sampler", htp_read_grid, true},
    {"aten::cross_entropy_loss", htp_read_target, false},
    {"aten::nll_loss_nd", htp_read_target, false},
    {"aten::einsum", htp_read_einsum, true},
    {"aten::scaled_dot_product_attention", htp_read_attention, false},
    {"aten::split_with_sizes", read_split, false},
    {"aten::split", read_split, false},
    {"aten::embedding", htp_read_ids, false},
    {"aten::select", read_index, false},
    {"aten::index", read_indices, false},
    {"aten::index_add", htp_read_indexed, false},
    {"aten::index_copy", htp_read_indexed, false},
    {"aten::index_reduce", htp_read_indexed, false},
    {"aten::cdist", htp_read_distance, false},
    {"aten::_native_multi_head_attention", htp_read_native_attention, false},
    {"aten::_transformer_encoder_layer_fwd", htp_read_encoder_layer, false},
    {"aten::_pack_padded_sequence", htp_read_packing, false},
    {"aten::binary_cross_entropy", htp_read_alike, false},
    {"aten::binary_cross_entropy_with_logits", htp_read_alike, false},
    {"aten::permute", htp_read_permutation, false},
    {"prim::ListUnpack", read_unpacking, false},
    {"prim::TupleUnpack", read_unpacking, false},
};

static const struct reader *find_reader(const htp_trace_node *node)
{
    for (size_t i = 0; i < sizeof(readers) / sizeof(readers[0]); i++) {
        if (htp_trace_node_runs(node, readers[i].kind)) {
            return &readers[i];
        }
    }
    return NULL;
}

/* Whether operands do not broadcast, by libtorch's only message for that. */
static bool is_broadcast(const htp_trace_node *node)
{
    return node->failure && strstr(node->failure, "at non-singleton dimension");
}

/* Whether the operands have several dtypes, which are listed, later ones first. */
static bool mixes_dtypes(const struct reading *r)
{
    htp_refusal *refusal = r->refusal;
    for (uint32_t i = r->node->input_count; i-- > 0;) {
        const htp_trace_value *value = &r->trace->values[r->node->inputs[i]];
        bool is_new = value->kind == HTP_TRACE_TENSOR;
        for (uint32_t k = 0; k < refusal->dtype_count; k++) {
            is_new = is_new && refusal->dtypes[k] != value->dtype;
        }
        if (is_new && refusal->dtype_count < HTP_DTYPE_LIMIT) {
            refusal->dtypes[refusal->dtype_count++] = value->dtype;
        }
    }
    return refusal->dtype_count > 1;
}

static void read_operands(struct reading *r)
{
    int64_t along = 0;
    const htp_trace_value *self = tensor(r, "self");
    static const char *const dims[] = {"dim", "dim0", "dim1", "start_dim"};
    for (size_t i = 0; self && i < sizeof(dims) / sizeof(dims[0]); i++) {
        if (number(r, dims[i], &along)) { /* no such dim */
            bool is_put_in = htp_trace_node_runs(r->node, "aten::unsqueeze");
            int64_t least = (along < 0 ? -along : along + 1) - is_put_in;
            add_fact(r, (htp_fact){self->rank, least, .is_rank = true, .is_least = true});
        }
    }
    read_windows(r);
    const struct reader *reader = find_reader(r->node);
    r->refusal->is_dtype = reader && reader->is_strict && mixes_dtypes(r);
    if (reader) {
        reader->read(r);
    } else {
        read_elementwise(r);
    }
}

static bool is_comparison(const htp_trace_node *node)
{
    static const char *const names[] = {"aten::eq", "aten::ne", "aten::lt",
                                        "aten::le", "aten::gt", "aten::ge"};
    bool is = false;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && !is; i++) {
        is = htp_trace_node_runs(node, names[i]);
    }
    return is;
}

/* Two numbers, or two lists of them: sizes of two tensors. */
static void read_compared(struct reading *r, const htp_trace_value *a, const htp_trace_value *b)
{
    if (a->kind == HTP_TRACE_INT && b->kind == HTP_TRACE_INT) {
        add_sizes(r, a->i[r->lane], b->i[r->lane]);
        add_sizes(r, b->i[r->lane], a->i[r->lane]);
    }
    if (a->kind != HTP_TRACE_LIST || b->kind != HTP_TRACE_LIST) {
        return;
    }
    add_ranks(r, a->element_count, b->element_count);
    for (uint32_t i = 0; i < a->element_count && a->element_count == b->element_count; i++) {
        const htp_trace_value *one = element(r, a, i);
        const htp_trace_value *other = element(r, b, i);
        if (one->kind == HTP_TRACE_INT && other->kind == HTP_TRACE_INT) {
            add_sizes(r, one->i[r->lane], other->i[r->lane]);
        }
    }
}

/* The program itself raised. Its last comparisons show why. */
static void read_comparisons(struct reading *r)
{
    const htp_trace_node *last = r->node;
    for (uint32_t i = 0; i < HTP_COMPARISONS_READ && last - r->trace->nodes >= (int64_t)i; i++) {
        r->node = last - i;
        const htp_trace_value *a = operand(r, "a");
        const htp_trace_value *b = operand(r, "b");
        if (is_comparison(r->node) && a && b) {
            read_compared(r, a, b);
        }
    }
    r->node = last;
}

void htp_operands_read(const htp_trace *trace, htp_refusal *refusal)
{
    struct reading r = {
        .trace = trace, .node = &trace->nodes[trace->node_count - 1], .refusal = refusal};
    if (r.node->failure) {
        read_operands(&r);
    } else {
        read_comparisons(&r);
    }
}

uint32_t htp_operands_compare(const htp_trace *trace, uint32_t lane, htp_fact pairs[HTP_PAIR_LIMIT])
{
    htp_refusal unread = {.kind = ""};
    struct reading r = {.trace = trace,
                        .node = &trace->nodes[trace->node_count - 1],
                        .refusal = &unread,
                        .lane = lane,
                        .pairs = pairs};
    if (!r.node->failure) {
        read_comparisons(&r);
    } else if (find_reader(r.node) || is_broadcast(r.node)) {
        read_operands(&r);
    }
    return r.compared < HTP_PAIR_LIMIT ? r.compared : HTP_PAIR_LIMIT;
}
