#include "lower/weight_layout.h"

#include "base/dtype.h"
#include "onnx/payload.h"

#include <string.h>

/* Each of them is read on its own: more are left to the graph. */
enum { MOST_BOXES = 64 };

/* Elements are counted in 64 bits, with room for sums. */
#define MOST_BYTES (UINT64_C(1) << 60)

/* A node, and the layouts of what it reads. */
typedef struct derivation {
    const htp_draft *model;
    htp_arena *arena;
    const htp_onnx_node *node;
    const htp_laid *const *laid;
    htp_laid *outputs;
} derivation;

/* ---- what nodes say ---- */

static const htp_attribute *find_attribute(const derivation *d, const char *name)
{
    for (uint32_t i = 0; i < d->node->attribute_count; i++) {
        if (strcmp(d->node->attributes[i].name, name) == 0) {
            return &d->node->attributes[i];
        }
    }
    return NULL;
}

static int64_t int_attribute(const derivation *d, const char *name, int64_t otherwise)
{
    const htp_attribute *found = find_attribute(d, name);
    return found && found->kind == HTP_ATTRIBUTE_INT ? found->i : otherwise;
}

static bool has_input(const derivation *d, uint32_t index)
{
    return index < d->node->input_count && d->node->inputs[index] != HTP_TENSOR_NONE;
}

/* A constant operand of int64, 0-d or 1-d. */
static bool read_ints(const derivation *d, uint32_t index, const int64_t **values, size_t *count)
{
    if (!has_input(d, index)) {
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

/* An axis, counted from the front. */
static bool take_axis(int64_t given, uint32_t rank, uint32_t *axis)
{
    int64_t counted = given < 0 ? given + (int64_t)rank : given;
    *axis = (uint32_t)counted;
    return counted >= 0 && counted < (int64_t)rank;
}

/* ---- shapes ---- */

static int64_t count_elements(uint32_t rank, const int64_t *dims)
{
    int64_t count = 1;
    for (uint32_t i = 0; i < rank; i++) {
        if (__builtin_mul_overflow(count, dims[i], &count)) {
            return -1;
        }
    }
    return count;
}

static const int64_t *copy_ints(const derivation *d, const int64_t *values, uint32_t count)
{
    return htp_arena_grow(d->arena, values, count, count, sizeof(*values));
}

/* One strided box of a weight. What an axis of one element has for a stride tells nothing. */
static void set_strided(const derivation *d, const htp_laid *x, uint32_t rank, const int64_t *dims,
                        const int64_t *strides, int64_t offset, htp_laid *y)
{
    htp_box *box = HTP_NEW(d->arena, htp_box);
    int64_t *kept = HTP_NEW_ARRAY(d->arena, int64_t, rank);
    for (uint32_t i = 0; i < rank; i++) {
        kept[i] = dims[i] == 1 ? 0 : strides[i];
    }
    *y = *x;
    y->rank = rank;
    y->dims = copy_ints(d, dims, rank);
    *box = (htp_box){.weight = x->boxes->weight,
                     .offset = offset,
                     .rank = rank,
                     .dims = y->dims,
                     .strides = kept};
    y->boxes = box;
    y->box_count = 1;
    y->is_strided = true;
}

/* The strides of another shape of the same elements in their order. @return false when there are
 * none. Reference: computeStride() of libtorch's TensorUtils.h. */
static bool reshape_strides(const htp_box *from, uint32_t rank, const int64_t *dims,
                            int64_t *strides)
{
    int64_t next = (int64_t)rank - 1;
    int64_t base = from->rank ? from->strides[from->rank - 1] : 1;
    int64_t elements = 1; /* of the run of dims of the old shape, and of the new one */
    int64_t covered = 1;
    for (int64_t i = (int64_t)from->rank - 1; i >= 0; i--) {
        elements *= from->dims[i];
        bool ends = i == 0 || (from->dims[i - 1] != 1 && from->strides[i - 1] != elements * base);
        if (!ends) {
            continue;
        }
        while (next >= 0 && (covered < elements || dims[next] == 1)) {
            strides[next] = covered * base;
            covered *= dims[next--];
        }
        if (covered != elements) {
            return false;
        }
        if (i > 0) {
            base = from->strides[i - 1];
            elements = covered = 1;
        }
    }
    for (; next >= 0 && from->rank == 0; next--) {
        strides[next] = 1;
    }
    return next < 0;
}

/* The same elements in another shape. */
static bool reshape(const derivation *d, const htp_laid *x, uint32_t rank, const int64_t *dims,
                    htp_laid *y)
{
    int64_t strides[HTP_SHIM_MAX_RANK];
    if (rank > HTP_SHIM_MAX_RANK ||
        count_elements(rank, dims) != count_elements(x->rank, x->dims)) {
        return false;
    }
    if (x->is_strided && reshape_strides(x->boxes, rank, dims, strides)) {
        set_strided(d, x, rank, dims, strides, x->boxes->offset, y);
        return true;
    }
    *y = *x;
    y->rank = rank;
    y->dims = copy_ints(d, dims, rank);
    y->is_strided = false;
    return true;
}

/* ---- operators of one tensor; a table has them all below ---- */

static bool identity(const derivation *d, const htp_laid *x)
{
    d->outputs[0] = *x;
    return true;
}

static bool cast(const derivation *d, const htp_laid *x)
{
    htp_dtype to;
    if (!htp_dtype_of_onnx(int_attribute(d, "to", 0), &to) || htp_dtype_is_complex(to) ||
        (x->cast != x->dtype && x->cast != to)) {
        return false;
    }
    d->outputs[0] = *x;
    d->outputs[0].cast = to;
    return true;
}

static bool transpose(const derivation *d, const htp_laid *x)
{
    int64_t dims[HTP_SHIM_MAX_RANK];
    int64_t strides[HTP_SHIM_MAX_RANK];
    const htp_attribute *order = find_attribute(d, "perm");
    if (!x->is_strided || (order && order->count != x->rank)) {
        return false;
    }
    for (uint32_t i = 0; i < x->rank; i++) {
        uint32_t axis;
        if (!take_axis(order ? order->ints[i] : x->rank - 1 - (int64_t)i, x->rank, &axis)) {
            return false;
        }
        dims[i] = x->dims[axis];
        strides[i] = x->boxes->strides[axis];
    }
    set_strided(d, x, x->rank, dims, strides, x->boxes->offset, d->outputs);
    return true;
}

static bool reshape_to(const derivation *d, const htp_laid *x)
{
    const int64_t *given;
    size_t count;
    int64_t dims[HTP_SHIM_MAX_RANK];
    int64_t known = 1;
    size_t open = SIZE_MAX;
    if (!read_ints(d, 1, &given, &count) || count > HTP_SHIM_MAX_RANK ||
        int_attribute(d, "allowzero", 0)) {
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
        dims[open] = count_elements(x->rank, x->dims) / known;
    }
    return reshape(d, x, (uint32_t)count, dims, d->outputs);
}

static bool flatten(const derivation *d, const htp_laid *x)
{
    int64_t axis = int_attribute(d, "axis", 1);
    axis = axis < 0 ? axis + (int64_t)x->rank : axis;
    if (axis < 0 || axis > (int64_t)x->rank) {
        return false;
    }
    const int64_t dims[] = {count_elements((uint32_t)axis, x->dims),
                            count_elements(x->rank - (uint32_t)axis, x->dims + axis)};
    return reshape(d, x, 2, dims, d->outputs);
}

/* Marks the axes that operand 1 names, of @p rank. */
static bool mark_axes(const derivation *d, uint32_t rank, bool *is_marked)
{
    const int64_t *axes;
    size_t count;
    if (!read_ints(d, 1, &axes, &count)) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        uint32_t axis;
        if (!take_axis(axes[i], rank, &axis) || is_marked[axis]) {
            return false;
        }
        is_marked[axis] = true;
    }
    return true;
}

static bool squeeze(const derivation *d, const htp_laid *x)
{
    bool is_gone[HTP_SHIM_MAX_RANK] = {false};
    int64_t dims[HTP_SHIM_MAX_RANK];
    uint32_t rank = 0;
    bool has_axes = has_input(d, 1);
    if (has_axes && !mark_axes(d, x->rank, is_gone)) {
        return false;
    }
    for (uint32_t i = 0; i < x->rank; i++) {
        if (has_axes ? !is_gone[i] : x->dims[i] != 1) {
            dims[rank++] = x->dims[i];
        }
    }
    return reshape(d, x, rank, dims, d->outputs);
}

static bool unsqueeze(const derivation *d, const htp_laid *x)
{
    bool is_new[HTP_SHIM_MAX_RANK] = {false};
    int64_t dims[HTP_SHIM_MAX_RANK];
    const int64_t *axes;
    size_t count;
    if (!read_ints(d, 1, &axes, &count) || x->rank + count > HTP_SHIM_MAX_RANK) {
        return false;
    }
    uint32_t rank = x->rank + (uint32_t)count;
    if (!mark_axes(d, rank, is_new)) {
        return false;
    }
    for (uint32_t i = 0, from = 0; i < rank; i++) {
        dims[i] = is_new[i] ? 1 : x->dims[from++];
    }
    return reshape(d, x, rank, dims, d->outputs);
}

/* New dims of size 1 in front, and none that grows. */
static bool expand(const derivation *d, const htp_laid *x)
{
    const int64_t *given;
    size_t count;
    int64_t dims[HTP_SHIM_MAX_RANK];
    if (!read_ints(d, 1, &given, &count) || count > HTP_SHIM_MAX_RANK) {
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
    return reshape(d, x, rank, dims, d->outputs);
}

/* ---- parts ---- */

/* Elements @p begin, @p begin + @p step... of an axis, @p count of them. */
static void cut(const derivation *d, const htp_laid *x, uint32_t axis, int64_t begin, int64_t step,
                int64_t count, htp_laid *y)
{
    int64_t dims[HTP_SHIM_MAX_RANK];
    int64_t strides[HTP_SHIM_MAX_RANK];
    memcpy(dims, x->dims, x->rank * sizeof(*dims));
    memcpy(strides, x->boxes->strides, x->rank * sizeof(*strides));
    int64_t offset = x->boxes->offset + begin * strides[axis];
    dims[axis] = count;
    strides[axis] *= step;
    set_strided(d, x, x->rank, dims, strides, offset, y);
}

static int64_t clamp(int64_t value, int64_t size)
{
    value = value < 0 ? (value < -size ? 0 : value + size) : value;
    return value > size ? size : value;
}

static bool slice(const derivation *d, const htp_laid *x)
{
    const int64_t *begins;
    const int64_t *ends;
    const int64_t *axes = NULL;
    const int64_t *steps = NULL;
    size_t counts[4];
    htp_laid y = *x;
    if (!x->is_strided || !read_ints(d, 1, &begins, &counts[0]) ||
        !read_ints(d, 2, &ends, &counts[1]) || counts[1] != counts[0] ||
        (has_input(d, 3) && (!read_ints(d, 3, &axes, &counts[2]) || counts[2] != counts[0])) ||
        (has_input(d, 4) && (!read_ints(d, 4, &steps, &counts[3]) || counts[3] != counts[0]))) {
        return false;
    }
    for (size_t i = 0; i < counts[0]; i++) {
        uint32_t axis;
        int64_t step = steps ? steps[i] : 1;
        if (!take_axis(axes ? axes[i] : (int64_t)i, x->rank, &axis) || step < 1) {
            return false;
        }
        int64_t begin = clamp(begins[i], y.dims[axis]);
        int64_t length = clamp(ends[i], y.dims[axis]) - begin;
        step = step < y.dims[axis] ? step : y.dims[axis];
        if (length < 1) {
            return false;
        }
        htp_laid whole = y;
        cut(d, &whole, axis, begin, step, (length + step - 1) / step, &y);
    }
    d->outputs[0] = y;
    return true;
}

/* One element of an axis. */
static bool gather(const derivation *d, const htp_laid *x)
{
    const int64_t *index;
    size_t count;
    uint32_t axis;
    int64_t dims[HTP_SHIM_MAX_RANK];
    uint32_t rank = 0;
    if (!x->is_strided || !read_ints(d, 1, &index, &count) || count != 1 ||
        !take_axis(int_attribute(d, "axis", 0), x->rank, &axis)) {
        return false;
    }
    int64_t at = *index < 0 ? *index + x->dims[axis] : *index;
    if (at < 0 || at >= x->dims[axis]) {
        return false;
    }
    htp_laid one;
    cut(d, x, axis, at, 1, 1, &one);
    bool is_kept = d->model->tensors.items[d->node->inputs[1]].rank == 1;
    for (uint32_t i = 0; i < x->rank; i++) {
        if (i != axis || is_kept) {
            dims[rank++] = one.dims[i];
        }
    }
    return reshape(d, &one, rank, dims, d->outputs);
}

static bool split(const derivation *d, const htp_laid *x)
{
    const int64_t *sizes = NULL;
    size_t count = d->node->output_count;
    uint32_t axis;
    int64_t begin = 0;
    if (!x->is_strided || !take_axis(int_attribute(d, "axis", 0), x->rank, &axis) ||
        (has_input(d, 1) && (!read_ints(d, 1, &sizes, &count) || count != d->node->output_count))) {
        return false;
    }
    int64_t all = x->dims[axis];
    int64_t equal = (all + (int64_t)count - 1) / (int64_t)count;
    for (size_t i = 0; i < count; i++) {
        int64_t left = all - begin;
        int64_t size = sizes ? sizes[i] : left < equal ? left : equal;
        if (size < 1 || size > left) {
            return false;
        }
        cut(d, x, axis, begin, 1, size, &d->outputs[i]);
        begin += size;
    }
    return begin == all;
}

/* ---- several tensors ---- */

/* Appends the boxes of a tensor's part at the place @p outer of the axes before @p axis. */
static bool append(const htp_laid *x, uint32_t axis, int64_t outer, htp_box *boxes, uint32_t *count)
{
    if (axis == 0 || !x->is_strided) {
        for (uint32_t i = 0; i < x->box_count; i++) {
            if (*count == MOST_BOXES) {
                return false;
            }
            boxes[(*count)++] = x->boxes[i];
        }
        return true;
    }
    htp_box box = *x->boxes;
    for (uint32_t i = axis; i-- > 0;) {
        box.offset += outer % x->dims[i] * box.strides[i];
        outer /= x->dims[i];
    }
    box.rank -= axis;
    box.dims += axis;
    box.strides += axis;
    if (*count == MOST_BOXES) {
        return false;
    }
    boxes[(*count)++] = box;
    return true;
}

/* Whether two tensors may be joined along an axis. */
static bool fit(const htp_laid *a, const htp_laid *b, uint32_t axis)
{
    bool fits = a->rank == b->rank && a->dtype == b->dtype && a->cast == b->cast;
    for (uint32_t i = 0; i < a->rank && fits; i++) {
        fits = i == axis || a->dims[i] == b->dims[i];
    }
    return fits;
}

static bool concat(const derivation *d, const htp_laid *x)
{
    htp_box boxes[MOST_BOXES];
    uint32_t count = 0;
    uint32_t axis;
    int64_t dims[HTP_SHIM_MAX_RANK];
    if (d->node->input_count > MOST_BOXES ||
        !take_axis(int_attribute(d, "axis", 0), x->rank, &axis)) {
        return false;
    }
    int64_t outer = count_elements(axis, x->dims);
    memcpy(dims, x->dims, x->rank * sizeof(*dims));
    dims[axis] = 0;
    for (uint32_t i = 0; i < d->node->input_count; i++) {
        const htp_laid *other = d->laid[d->node->inputs[i]];
        if (!other || !fit(x, other, axis) || (outer > 1 && !other->is_strided) ||
            __builtin_add_overflow(dims[axis], other->dims[axis], &dims[axis])) {
            return false;
        }
    }
    for (int64_t o = 0; o < outer; o++) {
        for (uint32_t i = 0; i < d->node->input_count; i++) {
            if (!append(d->laid[d->node->inputs[i]], outer > 1 ? axis : 0, o, boxes, &count)) {
                return false;
            }
        }
    }
    htp_laid *y = &d->outputs[0];
    *y = *x;
    y->dims = copy_ints(d, dims, x->rank);
    y->boxes = htp_arena_grow(d->arena, boxes, count, count, sizeof(*boxes));
    y->box_count = count;
    y->is_strided = false;
    return count_elements(y->rank, y->dims) > 0;
}

/* ---- the table ---- */

static const struct {
    const char *op;
    bool (*derive)(const derivation *d, const htp_laid *x);
} operators[] = {
    {"Cast", cast},     {"Concat", concat},     {"Expand", expand},       {"Flatten", flatten},
    {"Gather", gather}, {"Identity", identity}, {"Reshape", reshape_to},  {"Slice", slice},
    {"Split", split},   {"Squeeze", squeeze},   {"Transpose", transpose}, {"Unsqueeze", unsqueeze},
};

bool htp_laid_derive(const htp_draft *model, const htp_onnx_node *node, const htp_laid *const *laid,
                     htp_laid *outputs)
{
    const derivation d = {model, model->arena, node, laid, outputs};
    if (*node->domain || !has_input(&d, 0) || !laid[node->inputs[0]]) {
        return false;
    }
    for (size_t i = 0; i < sizeof(operators) / sizeof(operators[0]); i++) {
        if (strcmp(node->op_type, operators[i].op) == 0) {
            return operators[i].derive(&d, laid[node->inputs[0]]);
        }
    }
    return false;
}

bool htp_laid_swap(const htp_draft *model, const htp_laid *laid, htp_laid *swapped)
{
    const derivation d = {.model = model, .arena = model->arena};
    if (!laid->is_strided || laid->rank != 2) {
        return false;
    }
    const int64_t dims[] = {laid->dims[1], laid->dims[0]};
    const int64_t strides[] = {laid->boxes->strides[1], laid->boxes->strides[0]};
    set_strided(&d, laid, 2, dims, strides, laid->boxes->offset, swapped);
    return true;
}

bool htp_laid_begin(const htp_draft *model, const htp_initializer *initializer, htp_laid *laid)
{
    const derivation d = {.model = model, .arena = model->arena};
    const htp_tensor *tensor = &model->tensors.items[initializer->tensor];
    const htp_weight *weight = &model->graph->trace->weights[initializer->weight];
    bool is_complex = htp_dtype_is_complex(weight->dtype);
    int64_t dims[HTP_SHIM_MAX_RANK + 1];
    int64_t strides[HTP_SHIM_MAX_RANK + 1];
    uint64_t bytes = 0;
    htp_status status = htp_payload_check(model, initializer, &bytes);
    bool is_sound = !status && bytes > 0 && bytes < MOST_BYTES && tensor->rank <= HTP_SHIM_MAX_RANK;
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
    set_strided(&d, &of, tensor->rank, dims, strides, 0, laid);
    return true;
}
