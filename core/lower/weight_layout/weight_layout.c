#include "lower/weight_layout/laying.h"

#include "base/dtype.h"
#include "lower/tensor/layout.h"
#include "onnx/serialize/payload.h"

#include <string.h>

/* Keeps sums of byte counts within 64 bits. */
#define MAX_BYTES (UINT64_C(1) << 60)

/* ---- what nodes say ---- */

int64_t htp_laying_int(const htp_laying *d, const char *name, int64_t otherwise)
{
    const htp_attribute *found = htp_builder_attribute(d->node, name);
    return found && found->kind == HTP_ATTRIBUTE_INT ? found->i : otherwise;
}

bool htp_laying_has_input(const htp_laying *d, uint32_t index)
{
    return index < d->node->input_count && d->node->inputs[index] != HTP_NONE;
}

bool htp_laying_read_ints(const htp_laying *d, uint32_t index, const int64_t **values,
                          size_t *count)
{
    if (!htp_laying_has_input(d, index)) {
        return false;
    }
    const htp_tensor *tensor = &d->model->tensors.items[d->node->inputs[index]];
    if (tensor->source != HTP_TENSOR_FROM_INITIALIZER || tensor->dtype != HTP_DTYPE_INT64 ||
        tensor->rank > 1) {
        return false;
    }
    const htp_initializer *constant = &d->model->initializers.items[tensor->index];
    *values = constant->data;
    *count = tensor->rank ? (size_t)tensor->dims[0].size : 1;
    return htp_initializer_is_constant(constant) && *values;
}

bool htp_laying_axis(int64_t given, uint32_t rank, uint32_t *axis)
{
    int64_t counted = given < 0 ? given + (int64_t)rank : given;
    *axis = (uint32_t)counted;
    return counted >= 0 && counted < (int64_t)rank;
}

/* ---- shapes ---- */

int64_t htp_laying_count(uint32_t rank, const int64_t *dims)
{
    int64_t count = 1;
    for (uint32_t i = 0; i < rank; i++) {
        if (__builtin_mul_overflow(count, dims[i], &count)) {
            return -1;
        }
    }
    return count;
}

const int64_t *htp_laying_copy(const htp_laying *d, const int64_t *values, uint32_t count)
{
    return htp_arena_grow(d->arena, values, count, count, sizeof(*values));
}

/* The stride of an axis of size one is arbitrary. */
void htp_laying_set_strided(const htp_laying *d, const htp_laid *x, uint32_t rank,
                            const int64_t *dims, const int64_t *strides, int64_t offset,
                            htp_laid *y)
{
    htp_box *box = HTP_NEW(d->arena, htp_box);
    int64_t *kept = HTP_NEW_ARRAY(d->arena, int64_t, rank);
    for (uint32_t i = 0; i < rank; i++) {
        kept[i] = dims[i] == 1 ? 0 : strides[i];
    }
    *y = *x;
    y->rank = rank;
    y->dims = htp_laying_copy(d, dims, rank);
    *box = (htp_box){.weight = x->boxes->weight,
                     .offset = offset,
                     .rank = rank,
                     .dims = y->dims,
                     .strides = kept};
    y->boxes = box;
    y->box_count = 1;
    y->is_strided = true;
}

bool htp_laying_reshape(const htp_laying *d, const htp_laid *x, uint32_t rank, const int64_t *dims,
                        htp_laid *y)
{
    int64_t strides[HTP_MAX_RANK];
    if (rank > HTP_MAX_RANK || htp_laying_count(rank, dims) != htp_laying_count(x->rank, x->dims)) {
        return false;
    }
    if (x->is_strided && htp_layout_reshape_strides(x->boxes->rank, x->boxes->dims,
                                                    x->boxes->strides, rank, dims, strides)) {
        htp_laying_set_strided(d, x, rank, dims, strides, x->boxes->offset, y);
        return true;
    }
    *y = *x;
    y->rank = rank;
    y->dims = htp_laying_copy(d, dims, rank);
    y->is_strided = false;
    return true;
}

/* ---- operators of one tensor; a table has them all below ---- */

static bool identity(const htp_laying *d, const htp_laid *x)
{
    d->outputs[0] = *x;
    return true;
}

static bool cast(const htp_laying *d, const htp_laid *x)
{
    htp_dtype to;
    if (!htp_dtype_of_onnx(htp_laying_int(d, "to", 0), &to) || htp_dtype_is_complex(to) ||
        (x->cast != x->dtype && x->cast != to)) {
        return false;
    }
    d->outputs[0] = *x;
    d->outputs[0].cast = to;
    return true;
}

static bool transpose(const htp_laying *d, const htp_laid *x)
{
    int64_t dims[HTP_MAX_RANK] = {0};
    int64_t strides[HTP_MAX_RANK];
    const htp_attribute *order = htp_builder_attribute(d->node, "perm");
    if (!x->is_strided || (order && order->count != x->rank)) {
        return false;
    }
    for (uint32_t i = 0; i < x->rank; i++) {
        uint32_t axis;
        if (!htp_laying_axis(order ? order->ints[i] : x->rank - 1 - (int64_t)i, x->rank, &axis)) {
            return false;
        }
        dims[i] = x->dims[axis];
        strides[i] = x->boxes->strides[axis];
    }
    htp_laying_set_strided(d, x, x->rank, dims, strides, x->boxes->offset, d->outputs);
    return true;
}

static bool reshape_to(const htp_laying *d, const htp_laid *x)
{
    const int64_t *given;
    size_t count;
    int64_t dims[HTP_MAX_RANK] = {0};
    int64_t known = 1;
    size_t open = SIZE_MAX;
    if (!htp_laying_read_ints(d, 1, &given, &count) || count > HTP_MAX_RANK ||
        htp_laying_int(d, "allowzero", 0)) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        dims[i] = given[i] == 0 && i < x->rank ? x->dims[i] : given[i];
        open = given[i] == -1 ? i : open;
        if (given[i] != -1 && (dims[i] <= 0 || __builtin_mul_overflow(known, dims[i], &known))) {
            return false;
        }
    }
    if (open != SIZE_MAX) {
        dims[open] = htp_laying_count(x->rank, x->dims) / known;
    }
    return htp_laying_reshape(d, x, (uint32_t)count, dims, d->outputs);
}

/* Marks the axes that operand 1 names. */
static bool mark_axes(const htp_laying *d, uint32_t rank, bool *is_marked)
{
    const int64_t *axes;
    size_t count;
    if (!htp_laying_read_ints(d, 1, &axes, &count)) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        uint32_t axis;
        if (!htp_laying_axis(axes[i], rank, &axis) || is_marked[axis]) {
            return false;
        }
        is_marked[axis] = true;
    }
    return true;
}

static bool squeeze(const htp_laying *d, const htp_laid *x)
{
    bool is_gone[HTP_MAX_RANK] = {false};
    int64_t dims[HTP_MAX_RANK] = {0};
    uint32_t rank = 0;
    bool has_axes = htp_laying_has_input(d, 1);
    if (has_axes && !mark_axes(d, x->rank, is_gone)) {
        return false;
    }
    for (uint32_t i = 0; i < x->rank; i++) {
        if (has_axes ? !is_gone[i] : x->dims[i] != 1) {
            dims[rank++] = x->dims[i];
        }
    }
    return htp_laying_reshape(d, x, rank, dims, d->outputs);
}

static bool unsqueeze(const htp_laying *d, const htp_laid *x)
{
    bool is_new[HTP_MAX_RANK] = {false};
    int64_t dims[HTP_MAX_RANK] = {0};
    const int64_t *axes;
    size_t count;
    if (!htp_laying_read_ints(d, 1, &axes, &count) || x->rank + count > HTP_MAX_RANK) {
        return false;
    }
    uint32_t rank = x->rank + (uint32_t)count;
    if (!mark_axes(d, rank, is_new)) {
        return false;
    }
    for (uint32_t i = 0, from = 0; i < rank; i++) {
        dims[i] = is_new[i] ? 1 : x->dims[from++];
    }
    return htp_laying_reshape(d, x, rank, dims, d->outputs);
}

/* Expand: only if it just adds dims of size 1 in front. */
static bool expand(const htp_laying *d, const htp_laid *x)
{
    const int64_t *given;
    size_t count;
    int64_t dims[HTP_MAX_RANK] = {0};
    if (!htp_laying_read_ints(d, 1, &given, &count) || count > HTP_MAX_RANK) {
        return false;
    }
    uint32_t rank = count > x->rank ? (uint32_t)count : x->rank;
    for (uint32_t i = 0; i < rank; i++) {
        int64_t own = i + x->rank < rank ? 1 : x->dims[i + x->rank - rank];
        int64_t wanted = i + count < rank ? 1 : given[i + count - rank];
        if (wanted != own && wanted != 1) {
            return false;
        }
        dims[i] = own;
    }
    return htp_laying_reshape(d, x, rank, dims, d->outputs);
}

/* ---- the table ---- */

typedef struct layout_rule {
    const char *op;
    bool (*derive)(const htp_laying *d, const htp_laid *x);
} layout_rule;

static const layout_rule rules[] = {
    {"Cast", cast},
    {"Concat", htp_laying_concat},
    {"Expand", expand},
    {"Gather", htp_laying_gather},
    {"Identity", identity},
    {"Reshape", reshape_to},
    {"Slice", htp_laying_slice},
    {"Split", htp_laying_split},
    {"Squeeze", squeeze},
    {"Transpose", transpose},
    {"Unsqueeze", unsqueeze},
};

/* The rule of a node's operator, or NULL. */
static const layout_rule *rule_of(const htp_onnx_node *node)
{
    for (size_t i = 0; !*node->domain && i < sizeof(rules) / sizeof(rules[0]); i++) {
        if (strcmp(node->op_type, rules[i].op) == 0) {
            return &rules[i];
        }
    }
    return NULL;
}

bool htp_laid_derive(const htp_builder *model, const htp_onnx_node *node,
                     const htp_laid *const *laid, htp_laid *outputs)
{
    const htp_laying d = {model, model->arena, node, laid, outputs};
    const layout_rule *rule = rule_of(node);
    return rule && htp_laying_has_input(&d, 0) && laid[node->inputs[0]] &&
           rule->derive(&d, laid[node->inputs[0]]);
}

bool htp_laid_swap(const htp_builder *model, const htp_laid *laid, htp_laid *swapped)
{
    const htp_laying d = {.model = model, .arena = model->arena};
    if (!laid->is_strided || laid->rank != 2) {
        return false;
    }
    const int64_t dims[] = {laid->dims[1], laid->dims[0]};
    const int64_t strides[] = {laid->boxes->strides[1], laid->boxes->strides[0]};
    htp_laying_set_strided(&d, laid, 2, dims, strides, laid->boxes->offset, swapped);
    return true;
}

bool htp_laid_begin(const htp_builder *model, const htp_initializer *initializer, htp_laid *laid)
{
    const htp_laying d = {.model = model, .arena = model->arena};
    const htp_tensor *tensor = &model->tensors.items[initializer->tensor];
    const htp_weight *weight = &model->graph->trace->weights[initializer->weight];
    bool is_complex = htp_dtype_is_complex(weight->dtype);
    int64_t dims[HTP_MAX_RANK + 1] = {0};
    int64_t strides[HTP_MAX_RANK + 1] = {0};
    uint64_t bytes = 0;
    htp_status status = htp_payload_check(model, initializer, &bytes);
    bool is_sound = !status && bytes > 0 && bytes < MAX_BYTES && tensor->rank <= HTP_MAX_RANK;
    htp_status_free(status);
    if (!is_sound) {
        return false;
    }
    for (uint32_t i = 0; i < weight->rank; i++) {
        dims[i] = weight->dims[i];
        int64_t stride = dims[i] == 1 ? 0 : weight->strides[i];
        strides[i] = is_complex ? 2 * stride : stride;
    }
    if (is_complex) { /* pairs of parts */
        dims[weight->rank] = 2;
        strides[weight->rank] = 1;
    }
    const htp_box whole = {.weight = initializer->weight};
    const htp_laid of = {.dtype = tensor->dtype, .cast = tensor->dtype, .boxes = &whole};
    htp_laying_set_strided(&d, &of, tensor->rank, dims, strides, 0, laid);
    return true;
}
