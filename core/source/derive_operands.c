/*
 * Which sizes of an operator's operands do not fit each other. No operator is run or modelled here:
 * the operands' sizes are compared by the rules for them.
 *
 * Reference: the checks that ATen's native functions make, TensorShape.cpp, Convolution.cpp,
 * LinearAlgebra.cpp, ExpandUtils.cpp.
 */
#include "source/derive.h"

#include "graph/dtype.h"

#include <string.h>

/* How far numbers of the program are looked at when it raised by itself. */
enum { COMPARISONS_LOOKED_AT = 6 };

/* The node that raised, and where its facts go. */
struct reading {
    const htp_shim_trace *trace;
    const htp_shim_node *node;
    htp_refusal *refusal;
    uint32_t compared; /* pairs of numbers so far */
};

static void add_fact(struct reading *r, htp_fact fact)
{
    htp_refusal *refusal = r->refusal;
    fact.id = r->compared++;
    bool differs = fact.is_least ? fact.have < fact.want : fact.have != fact.want;
    if (differs && fact.want > 0 && refusal->fact_count < HTP_FACT_LIMIT) {
        refusal->facts[refusal->fact_count++] = fact;
    }
}

static void add_sizes(struct reading *r, int64_t have, int64_t want)
{
    add_fact(r, (htp_fact){.have = have, .want = want});
}

static void add_guess(struct reading *r, int64_t have, int64_t want)
{
    add_fact(r, (htp_fact){.have = have, .want = want, .is_guess = true});
}

static void add_least(struct reading *r, int64_t have, int64_t want)
{
    add_fact(r, (htp_fact){.have = have, .want = want, .is_least = true});
}

static void add_ranks(struct reading *r, int64_t have, int64_t want)
{
    add_fact(r, (htp_fact){.have = have, .want = want, .is_rank = true});
}

/* ---- operands ---- */

static const htp_shim_value *operand(const struct reading *r, const char *name)
{
    for (uint32_t i = 0; i < r->node->input_count; i++) {
        if (strcmp(r->node->input_names[i], name) == 0) {
            return &r->trace->values[r->node->inputs[i]];
        }
    }
    return NULL;
}

static const htp_shim_value *tensor(const struct reading *r, const char *name)
{
    const htp_shim_value *value = operand(r, name);
    return value && value->kind == HTP_SHIM_TENSOR ? value : NULL;
}

static const htp_shim_value *element(const struct reading *r, const htp_shim_value *list,
                                     uint32_t index)
{
    return &r->trace->values[list->elements[index]];
}

/* A number among the operands: false when it is none, or only the data can tell it. */
static bool number(const struct reading *r, const char *name, int64_t *result)
{
    const htp_shim_value *value = operand(r, name);
    bool is_known = value && value->kind == HTP_SHIM_INT && value->has_lanes;
    *result = is_known ? value->i[0] : *result;
    return is_known;
}

/* Number @p index of a list that may be shorter: 1 is what most such lists have by default. */
static int64_t number_of(const struct reading *r, const char *name, uint32_t index)
{
    const htp_shim_value *list = operand(r, name);
    if (!list || list->kind != HTP_SHIM_LIST || list->element_count == 0) {
        return 1;
    }
    const htp_shim_value *value =
        element(r, list, index < list->element_count ? index : list->element_count - 1);
    return value->kind == HTP_SHIM_INT ? value->i[0] : 1;
}

/* Dim @p index, counted from the end when negative; 1 where there is none. */
static int64_t dim(const htp_shim_value *value, int64_t index)
{
    int64_t at = index < 0 ? index + value->rank : index;
    return at >= 0 && at < value->rank ? value->dims[0][at] : 1;
}

static int64_t count_elements(const htp_shim_value *value)
{
    int64_t count = 1;
    for (uint32_t d = 0; d < value->rank; d++) {
        if (__builtin_mul_overflow(count, value->dims[0][d], &count)) {
            return 0;
        }
    }
    return count;
}

/* ---- rules for operands ---- */

static void read_broadcast(struct reading *r, const htp_shim_value *a, const htp_shim_value *b)
{
    for (int64_t d = 1; d <= a->rank && d <= b->rank; d++) {
        if (dim(a, -d) != 1 && dim(b, -d) != 1) {
            add_sizes(r, dim(a, -d), dim(b, -d));
        }
    }
}

/* Tensors among the operands broadcast with each other. */
static void read_elementwise(struct reading *r)
{
    const htp_shim_value *first = NULL;
    for (uint32_t i = 0; i < r->node->input_count; i++) {
        const htp_shim_value *value = &r->trace->values[r->node->inputs[i]];
        if (value->kind == HTP_SHIM_TENSOR) {
            if (first) {
                read_broadcast(r, first, value);
                read_broadcast(r, value, first);
            }
            first = first ? first : value;
        }
    }
}

/* Sizes that stand at one place before and behind, then the numbers of elements. */
static void read_view(struct reading *r)
{
    const htp_shim_value *self = tensor(r, "self");
    const htp_shim_value *size = operand(r, "size");
    size = size ? size : operand(r, "shape");
    if (!self || !size || size->kind != HTP_SHIM_LIST) {
        return;
    }
    int64_t product = 1;
    bool is_open = false;
    for (uint32_t i = 0; i < size->element_count; i++) {
        int64_t wanted = element(r, size, i)->i[0];
        is_open = is_open || wanted < 0;
        product = wanted < 0 || product > INT32_MAX ? product : product * wanted;
    }
    if (!is_open) {
        add_sizes(r, count_elements(self), product);
    }
    for (uint32_t i = 0; i < size->element_count && i < self->rank; i++) {
        add_guess(r, self->dims[0][i], element(r, size, i)->i[0]);
    }
    if (self->rank > 0 && size->element_count > 0) {
        add_guess(r, dim(self, -1), element(r, size, size->element_count - 1)->i[0]);
        add_guess(r, dim(self, -1), product);
    }
}

static void read_expand(struct reading *r)
{
    const htp_shim_value *self = tensor(r, "self");
    const htp_shim_value *size = operand(r, "size");
    if (!self || !size || size->kind != HTP_SHIM_LIST) {
        return;
    }
    if (self->rank > size->element_count) {
        add_ranks(r, self->rank, size->element_count);
    }
    for (uint32_t d = 1; d <= self->rank && d <= size->element_count; d++) {
        int64_t wanted = element(r, size, size->element_count - d)->i[0];
        if (dim(self, -(int64_t)d) != 1 && wanted > 0) {
            add_sizes(r, dim(self, -(int64_t)d), wanted);
        }
    }
}

/* Products of matrices, by whatever names their operands go. */
static void read_product(struct reading *r)
{
    const htp_shim_value *first = tensor(r, "mat1");
    const htp_shim_value *second = tensor(r, "mat2");
    const htp_shim_value *a = first ? first : tensor(r, "self");
    const htp_shim_value *b = second ? second : tensor(r, "other");
    if (!a || !b) {
        return;
    }
    if (second) { /* matmul() alone takes any rank */
        add_ranks(r, a->rank, b->rank);
    }
    add_sizes(r, dim(a, -1), dim(b, b->rank > 1 ? -2 : -1));
    for (int64_t d = 3; d <= a->rank && d <= b->rank; d++) {
        add_sizes(r, dim(a, -d), dim(b, -d));
    }
}

static void read_linear(struct reading *r)
{
    const htp_shim_value *input = tensor(r, "input");
    const htp_shim_value *weight = tensor(r, "weight");
    if (input && weight) {
        add_sizes(r, dim(input, -1), dim(weight, -1));
    }
}

static void read_convolution(struct reading *r)
{
    const htp_shim_value *input = tensor(r, "input");
    const htp_shim_value *weight = tensor(r, "weight");
    if (!input || !weight) {
        return;
    }
    add_ranks(r, input->rank, weight->rank);
    if (input->rank != weight->rank) {
        return;
    }
    const htp_shim_value *transposed = operand(r, "transposed");
    bool is_transposed = strstr(r->node->kind, "transpose") || (transposed && transposed->i[0]);
    int64_t groups = 1;
    (void)number(r, "groups", &groups);
    add_sizes(r, dim(input, 1), is_transposed ? dim(weight, 0) : dim(weight, 1) * groups);
    for (uint32_t d = 2; d < weight->rank && !is_transposed; d++) {
        int64_t window = number_of(r, "dilation", d - 2) * (dim(weight, d) - 1) + 1;
        const htp_shim_value *padding = operand(r, "padding");
        int64_t padded =
            padding && padding->kind == HTP_SHIM_LIST ? 2 * number_of(r, "padding", d - 2) : 0;
        add_least(r, dim(input, d), window - padded);
    }
}

static void read_concatenation(struct reading *r)
{
    const htp_shim_value *list = operand(r, "tensors");
    int64_t along = 0;
    (void)number(r, "dim", &along);
    if (!list || list->kind != HTP_SHIM_LIST || list->element_count == 0) {
        return;
    }
    bool is_stack = strstr(r->node->kind, "stack") != NULL;
    const htp_shim_value *first = element(r, list, 0);
    for (uint32_t i = 1; i < list->element_count && first->kind == HTP_SHIM_TENSOR; i++) {
        const htp_shim_value *other = element(r, list, i);
        if (other->kind != HTP_SHIM_TENSOR) {
            continue;
        }
        add_ranks(r, first->rank, other->rank);
        add_ranks(r, other->rank, first->rank);
        int64_t skipped = along < 0 ? along + first->rank : along;
        for (int64_t d = 0; d < first->rank && first->rank == other->rank; d++) {
            if (is_stack || d != skipped) {
                add_sizes(r, dim(first, d), dim(other, d));
                add_sizes(r, dim(other, d), dim(first, d));
            }
        }
    }
}

static void read_last_dims(struct reading *r)
{
    const htp_shim_value *input = tensor(r, "input");
    const htp_shim_value *shape = operand(r, "normalized_shape");
    if (!input || !shape || shape->kind != HTP_SHIM_LIST) {
        return;
    }
    for (uint32_t d = 1; d <= shape->element_count; d++) {
        add_sizes(r, dim(input, -(int64_t)d), element(r, shape, shape->element_count - d)->i[0]);
    }
}

static void read_channels(struct reading *r)
{
    const htp_shim_value *input = tensor(r, "input");
    static const char *const names[] = {"weight", "running_mean", "bias"};
    for (size_t i = 0; input && i < sizeof(names) / sizeof(names[0]); i++) {
        const htp_shim_value *weight = tensor(r, names[i]);
        if (weight) {
            add_sizes(r, dim(input, 1), dim(weight, 0));
        }
    }
}

static void read_recurrent(struct reading *r)
{
    const htp_shim_value *input = tensor(r, "input");
    const htp_shim_value *weights = operand(r, "params");
    if (input && weights && weights->kind == HTP_SHIM_LIST && weights->element_count > 0) {
        add_ranks(r, input->rank, input->rank < 2 ? 2 : 3);
        add_sizes(r, dim(input, -1), dim(element(r, weights, 0), 1));
    }
}

static void read_split(struct reading *r)
{
    const htp_shim_value *self = tensor(r, "self");
    const htp_shim_value *sizes = operand(r, "split_sizes");
    int64_t along = 0;
    (void)number(r, "dim", &along);
    if (!self || !sizes || sizes->kind != HTP_SHIM_LIST) {
        return;
    }
    int64_t sum = 0;
    for (uint32_t i = 0; i < sizes->element_count; i++) {
        sum += element(r, sizes, i)->i[0];
    }
    add_sizes(r, dim(self, along), sum);
}

static void read_index(struct reading *r)
{
    const htp_shim_value *self = tensor(r, "self");
    int64_t along = 0;
    int64_t index = 0;
    if (self && number(r, "dim", &along) && number(r, "index", &index)) {
        add_least(r, dim(self, along), index < 0 ? -index : index + 1);
    }
}

/* As many dims as there are indices. */
static void read_indices(struct reading *r)
{
    const htp_shim_value *self = tensor(r, "self");
    const htp_shim_value *indices = operand(r, "indices");
    if (self && indices && indices->kind == HTP_SHIM_LIST && self->rank < indices->element_count) {
        add_ranks(r, self->rank, indices->element_count);
    }
}

static void read_permutation(struct reading *r)
{
    const htp_shim_value *self = tensor(r, "self");
    const htp_shim_value *dims = operand(r, "dims");
    if (self && dims && dims->kind == HTP_SHIM_LIST) {
        add_ranks(r, self->rank, dims->element_count);
    }
}

/* Windows that are larger than what they move over, and paddings as large. */
static void read_windows(struct reading *r)
{
    const htp_shim_value *self = tensor(r, "self");
    static const char *const windows[] = {"kernel_size", "padding", "pad"};
    for (size_t i = 0; self && i < sizeof(windows) / sizeof(windows[0]); i++) {
        const htp_shim_value *window = operand(r, windows[i]);
        for (uint32_t k = 0; window && window->kind == HTP_SHIM_LIST && k < window->element_count;
             k++) {
            add_least(r, dim(self, -1), element(r, window, k)->i[0] + (i > 0));
        }
    }
}

static void read_ids(struct reading *r)
{
    const htp_shim_value *indices = tensor(r, "indices");
    r->refusal->is_dtype = indices && htp_dtype_is_float(indices->dtype);
}

/* A list, or what tells a tensor's sizes, has another number of elements than the program says. */
static void read_unpacking(struct reading *r)
{
    const htp_shim_value *list = &r->trace->values[r->node->inputs[0]];
    if (list->kind != HTP_SHIM_LIST) {
        return;
    }
    bool is_sizes = list->element_count > 0 && element(r, list, 0)->kind == HTP_SHIM_INT;
    add_fact(r, (htp_fact){.have = list->element_count,
                           .want = r->node->output_count,
                           .is_rank = is_sizes});
}

/* Operators by name, without overload; others broadcast their operands. */
static const struct reader {
    const char *kind;
    void (*read)(struct reading *r);
    bool is_strict; /* takes operands of one dtype alone */
} readers[] = {
    {"aten::view", read_view, false},
    {"aten::reshape", read_view, false},
    {"aten::expand", read_expand, false},
    {"aten::matmul", read_product, true},
    {"aten::mm", read_product, true},
    {"aten::bmm", read_product, true},
    {"aten::addmm", read_product, true},
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
    {"aten::lstm", read_recurrent, true},
    {"aten::gru", read_recurrent, true},
    {"aten::rnn_tanh", read_recurrent, true},
    {"aten::rnn_relu", read_recurrent, true},
    {"aten::split_with_sizes", read_split, false},
    {"aten::split", read_split, false},
    {"aten::embedding", read_ids, false},
    {"aten::select", read_index, false},
    {"aten::index", read_indices, false},
    {"aten::permute", read_permutation, false},
    {"prim::ListUnpack", read_unpacking, false},
    {"prim::TupleUnpack", read_unpacking, false},
};

static const struct reader *find_reader(const htp_shim_node *node)
{
    for (size_t i = 0; i < sizeof(readers) / sizeof(readers[0]); i++) {
        size_t length = strlen(readers[i].kind);
        if (strncmp(node->kind, readers[i].kind, length) == 0 &&
            (node->kind[length] == '\0' || node->kind[length] == '.')) {
            return &readers[i];
        }
    }
    return NULL;
}

/* Floating point numbers beside integers. */
static bool mixes_dtypes(const struct reading *r)
{
    bool any_float = false;
    bool any_other = false;
    for (uint32_t i = 0; i < r->node->input_count; i++) {
        const htp_shim_value *value = &r->trace->values[r->node->inputs[i]];
        if (value->kind == HTP_SHIM_TENSOR) {
            bool is_float = htp_dtype_is_float(value->dtype);
            any_float = any_float || is_float;
            any_other = any_other || !is_float;
        }
    }
    return any_float && any_other;
}

static void read_operands(struct reading *r)
{
    int64_t along = 0;
    const htp_shim_value *self = tensor(r, "self");
    static const char *const dims[] = {"dim", "dim0", "dim1", "start_dim"};
    for (size_t i = 0; self && i < sizeof(dims) / sizeof(dims[0]); i++) {
        if (number(r, dims[i], &along)) { /* a dim that is not there */
            int64_t least = along < 0 ? -along : along + 1;
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

/* The program raised by itself: what it compared before tells why. */
static void read_comparisons(struct reading *r)
{
    const htp_shim_node *last = r->node;
    for (uint32_t i = 0; i < COMPARISONS_LOOKED_AT && last - r->trace->nodes >= (int64_t)i; i++) {
        r->node = last - i;
        const htp_shim_value *a = operand(r, "a");
        const htp_shim_value *b = operand(r, "b");
        if (a && b && a->kind == HTP_SHIM_INT && b->kind == HTP_SHIM_INT) {
            add_sizes(r, a->i[0], b->i[0]);
            add_sizes(r, b->i[0], a->i[0]);
        }
    }
    r->node = last;
}

void htp_operands_read(const htp_shim_trace *trace, htp_refusal *refusal)
{
    struct reading r = {
        .trace = trace, .node = &trace->nodes[trace->node_count - 1], .refusal = refusal};
    if (r.node->failure) {
        read_operands(&r);
    } else {
        read_comparisons(&r);
    }
}
