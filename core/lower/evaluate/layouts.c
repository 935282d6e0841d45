/*
 * Operators that rearrange the elements of one tensor.
 *
 * Reference: ONNX Identity, Reshape, Flatten, Squeeze, Unsqueeze, Transpose, Expand, Tile, Slice,
 * Split, Pad, Trilu.
 */
#include "lower/evaluate/kernel.h"

#include <string.h>

/* ---- the same elements in another shape ---- */

static bool give(htp_kernel *kernel, const htp_known *x, uint32_t rank, const int64_t *dims)
{
    void *data;
    uint64_t count;
    uint64_t own;
    if (!htp_kernel_count(rank, dims, &count) || !htp_kernel_count(x->rank, x->dims, &own) ||
        count != own || !htp_kernel_output(kernel, 0, x->dtype, rank, dims, &data)) {
        return false;
    }
    memcpy(data, x->data, (size_t)x->bytes);
    return true;
}

bool htp_kernel_identity(htp_kernel *kernel)
{
    const htp_known *x = htp_kernel_input(kernel, 0);
    return x && give(kernel, x, x->rank, x->dims);
}

bool htp_kernel_reshape(htp_kernel *kernel)
{
    const htp_known *x = htp_kernel_input(kernel, 0);
    int64_t dims[HTP_MAX_RANK] = {0};
    uint64_t known;
    uint64_t all;
    size_t count;
    size_t open = SIZE_MAX;
    bool copies = htp_kernel_int(kernel, "allowzero", 0) == 0;
    if (!x || !htp_kernel_ints(kernel, 1, dims, &count) ||
        !htp_kernel_count(x->rank, x->dims, &all)) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        if (dims[i] == -1 && open == SIZE_MAX) {
            open = i;
            dims[i] = 1;
        } else if (dims[i] == 0 && copies) {
            if (i >= x->rank) {
                return false;
            }
            dims[i] = x->dims[i];
        }
    }
    if (!htp_kernel_count((uint32_t)count, dims, &known)) {
        return false;
    }
    if (open != SIZE_MAX) {
        if (known == 0 || all % known != 0) {
            return false;
        }
        dims[open] = (int64_t)(all / known);
    }
    return give(kernel, x, (uint32_t)count, dims);
}

bool htp_kernel_flatten(htp_kernel *kernel)
{
    const htp_known *x = htp_kernel_input(kernel, 0);
    int64_t axis = htp_kernel_int(kernel, "axis", 1);
    int64_t dims[2] = {1, 1};
    uint64_t all;
    axis = x && axis < 0 ? axis + (int64_t)x->rank : axis;
    if (!x || axis < 0 || axis > (int64_t)x->rank || !htp_kernel_count(x->rank, x->dims, &all)) {
        return false;
    }
    for (uint32_t i = 0; i < x->rank && all > 0; i++) {
        dims[i >= axis] *= x->dims[i];
    }
    return all > 0 && give(kernel, x, 2, dims);
}

bool htp_kernel_squeeze(htp_kernel *kernel)
{
    const htp_known *x = htp_kernel_input(kernel, 0);
    int64_t dims[HTP_MAX_RANK] = {0};
    bool is_gone[HTP_MAX_RANK] = {false};
    bool has_axes = false;
    uint32_t rank = 0;
    if (!x || !htp_kernel_axes(kernel, 1, x->rank, is_gone, &has_axes)) {
        return false;
    }
    for (uint32_t i = 0; i < x->rank; i++) {
        if (has_axes ? !is_gone[i] : x->dims[i] != 1) {
            dims[rank++] = x->dims[i];
        }
    }
    return give(kernel, x, rank, dims);
}

bool htp_kernel_unsqueeze(htp_kernel *kernel)
{
    const htp_known *x = htp_kernel_input(kernel, 0);
    int64_t axes[HTP_MAX_RANK];
    int64_t dims[HTP_MAX_RANK] = {0};
    bool is_new[HTP_MAX_RANK] = {false};
    bool has_axes = false;
    size_t count;
    if (!x || !htp_kernel_ints(kernel, 1, axes, &count) || x->rank + count > HTP_MAX_RANK) {
        return false;
    }
    uint32_t rank = x->rank + (uint32_t)count;
    if (!htp_kernel_axes(kernel, 1, rank, is_new, &has_axes)) {
        return false;
    }
    for (uint32_t i = 0, from = 0; i < rank; i++) {
        dims[i] = is_new[i] ? 1 : x->dims[from++];
    }
    return give(kernel, x, rank, dims);
}

/* ---- elements of a tensor in steps ---- */

/* A strided view of a tensor; @p first is the offset of its element 0. */
typedef struct view {
    uint32_t rank;
    int64_t dims[HTP_MAX_RANK];
    int64_t strides[HTP_MAX_RANK];
    int64_t first;
} view;

static bool copy_view(htp_kernel *kernel, uint32_t index, const htp_known *x, const view *v)
{
    htp_stride_walk walk = {.rank = v->rank};
    int64_t first[HTP_WALKED];
    void *data;
    if (!htp_kernel_output(kernel, index, x->dtype, v->rank, v->dims, &data)) {
        return false;
    }
    memcpy(walk.dims, v->dims, v->rank * sizeof(*v->dims));
    memcpy(walk.strides[0], v->strides, v->rank * sizeof(*v->strides));
    walk.first[0] = v->first;
    htp_stride_walk_begin(&walk);
    size_t size = htp_dtype_size(x->dtype);
    char *to = data;
    for (size_t n = htp_stride_walk_next(&walk, first); n > 0;
         n = htp_stride_walk_next(&walk, first)) {
        htp_numbers_copy(size, x->data, first[0], walk.step[0], n, to);
        to += n * size;
    }
    return true;
}

/* The view of a whole tensor. */
static view whole(const htp_known *x)
{
    view v = {.rank = x->rank};
    memcpy(v.dims, x->dims, x->rank * sizeof(*x->dims));
    htp_strides_contiguous(x->rank, x->dims, v.strides);
    return v;
}

bool htp_kernel_transpose(htp_kernel *kernel)
{
    const htp_known *x = htp_kernel_input(kernel, 0);
    const htp_attribute *order = htp_builder_attribute(kernel->node, "perm");
    if (!x || (order && (order->kind != HTP_ATTRIBUTE_INTS || order->count != x->rank))) {
        return false;
    }
    const view from = whole(x);
    view v = from;
    bool is_taken[HTP_MAX_RANK] = {false};
    for (uint32_t i = 0; i < x->rank; i++) {
        uint32_t axis;
        if (!htp_kernel_axis(order ? order->ints[i] : x->rank - 1 - (int64_t)i, x->rank, &axis) ||
            is_taken[axis]) {
            return false;
        }
        is_taken[axis] = true;
        v.dims[i] = from.dims[axis];
        v.strides[i] = from.strides[axis];
    }
    return copy_view(kernel, 0, x, &v);
}

bool htp_kernel_expand(htp_kernel *kernel)
{
    const htp_known *x = htp_kernel_input(kernel, 0);
    int64_t given[HTP_MAX_RANK];
    size_t count;
    if (!x || !htp_kernel_ints(kernel, 1, given, &count)) {
        return false;
    }
    const view from = whole(x);
    view v = {.rank = count > x->rank ? (uint32_t)count : x->rank};
    for (uint32_t i = 0; i < v.rank; i++) {
        bool is_own = i + x->rank >= v.rank;
        uint32_t own = i + x->rank - v.rank;
        int64_t has = is_own ? from.dims[own] : 1;
        int64_t wanted = i + count < v.rank ? 1 : given[i + count - v.rank];
        if (wanted != has && wanted != 1 && has != 1) {
            return false;
        }
        v.dims[i] = has == 1 ? wanted : has;
        v.strides[i] = has == 1 ? 0 : from.strides[own];
    }
    return copy_view(kernel, 0, x, &v);
}

/* Each axis becomes two: the copies, and the elements of one copy. */
bool htp_kernel_tile(htp_kernel *kernel)
{
    const htp_known *x = htp_kernel_input(kernel, 0);
    int64_t copies[HTP_MAX_RANK];
    int64_t dims[HTP_MAX_RANK] = {0};
    size_t count;
    if (!x || !htp_kernel_ints(kernel, 1, copies, &count) || count != x->rank ||
        2 * x->rank > HTP_MAX_RANK) {
        return false;
    }
    const view from = whole(x);
    view v = {.rank = 2 * x->rank};
    for (uint32_t i = 0; i < x->rank; i++) {
        size_t inner = 2 * (size_t)i + 1;
        v.dims[inner - 1] = copies[i];
        v.dims[inner] = from.dims[i];
        v.strides[inner] = from.strides[i];
        if (__builtin_mul_overflow(copies[i], from.dims[i], &dims[i])) {
            return false;
        }
    }
    if (!copy_view(kernel, 0, x, &v)) {
        return false;
    }
    kernel->outputs[0].rank = x->rank;
    kernel->outputs[0].dims = htp_arena_grow(kernel->arena, dims, x->rank, x->rank, sizeof(*dims));
    return true;
}

static int64_t clamp(int64_t value, int64_t least, int64_t greatest)
{
    return value < least ? least : value > greatest ? greatest : value;
}

/* Slices an axis from @p begin up to @p end in steps, with the clamping of ONNX Slice. */
static bool cut(view *v, uint32_t axis, int64_t begin, int64_t end, int64_t step)
{
    int64_t size = v->dims[axis];
    if (step == 0 || step == INT64_MIN) {
        return false;
    }
    begin = begin < 0 ? begin < -size ? -1 : begin + size : begin;
    end = end < 0 ? end < -size ? -1 : end + size : end;
    begin = step > 0 ? clamp(begin, 0, size) : clamp(begin, 0, size - 1);
    end = step > 0 ? clamp(end, 0, size) : clamp(end, -1, size - 1);
    int64_t length = step > 0 ? end - begin : begin - end;
    int64_t stride = step > 0 ? step : -step;
    int64_t count = length > 0 ? (length - 1) / stride + 1 : 0;
    v->dims[axis] = count;
    if (count > 0) {
        v->first += begin * v->strides[axis];
    }
    v->strides[axis] = count > 1 ? v->strides[axis] * step : 0;
    return true;
}

bool htp_kernel_slice(htp_kernel *kernel)
{
    enum { BEGINS, ENDS, AXES, STEPS, LISTS };
    const htp_known *x = htp_kernel_input(kernel, 0);
    int64_t lists[LISTS][HTP_MAX_RANK];
    bool is_cut[HTP_MAX_RANK] = {false};
    size_t count = 0;
    if (!x) {
        return false;
    }
    for (uint32_t k = 0; k < LISTS; k++) {
        size_t length = count;
        bool is_given = htp_kernel_input(kernel, k + 1) != NULL;
        if (is_given ? !htp_kernel_ints(kernel, k + 1, lists[k], &length) : k < AXES) {
            return false;
        }
        for (size_t i = 0; !is_given && i < count; i++) {
            lists[k][i] = k == AXES ? (int64_t)i : 1;
        }
        if (k > 0 && length != count) {
            return false;
        }
        count = length;
    }
    view v = whole(x);
    for (size_t i = 0; i < count; i++) {
        uint32_t axis;
        if (!htp_kernel_axis(lists[AXES][i], x->rank, &axis) || is_cut[axis] ||
            !cut(&v, axis, lists[BEGINS][i], lists[ENDS][i], lists[STEPS][i])) {
            return false;
        }
        is_cut[axis] = true;
    }
    return copy_view(kernel, 0, x, &v);
}

bool htp_kernel_split(htp_kernel *kernel)
{
    const htp_known *x = htp_kernel_input(kernel, 0);
    uint32_t parts = kernel->node->output_count;
    int64_t sizes[HTP_MAX_RANK];
    size_t count = parts;
    uint32_t axis;
    bool has_sizes = htp_kernel_input(kernel, 1) != NULL;
    if (!x || parts == 0 || parts > HTP_MAX_RANK ||
        !htp_kernel_axis(htp_kernel_int(kernel, "axis", 0), x->rank, &axis) ||
        (has_sizes && !htp_kernel_ints(kernel, 1, sizes, &count)) || count != parts) {
        return false;
    }
    int64_t left = x->dims[axis];
    int64_t equal = left / parts + (left % parts != 0);
    view v = whole(x);
    for (uint32_t i = 0; i < parts; i++) {
        int64_t size = has_sizes ? sizes[i] : left < equal ? left : equal;
        if (size < 0 || size > left) {
            return false;
        }
        v.dims[axis] = size;
        if (!copy_view(kernel, i, x, &v)) {
            return false;
        }
        v.first += size * v.strides[axis];
        left -= size;
    }
    return left == 0;
}

/* ---- what is put around, or in the place of, elements ---- */

bool htp_kernel_pad(htp_kernel *kernel)
{
    const htp_known *x = htp_kernel_input(kernel, 0);
    const htp_known *value = htp_kernel_input(kernel, 2);
    const htp_attribute *mode = htp_builder_attribute(kernel->node, "mode");
    int64_t pads[HTP_MAX_RANK];
    int64_t dims[HTP_MAX_RANK] = {0};
    int64_t strides[HTP_MAX_RANK];
    size_t count;
    void *data;
    if (!x || htp_kernel_input(kernel, 3) ||
        (mode && (mode->kind != HTP_ATTRIBUTE_STRING || strcmp(mode->s, "constant") != 0)) ||
        (value && (value->dtype != x->dtype || value->bytes != htp_dtype_size(x->dtype))) ||
        !htp_kernel_ints(kernel, 1, pads, &count) || count != 2 * (size_t)x->rank) {
        return false;
    }
    int64_t offset = 0;
    for (uint32_t i = 0; i < x->rank; i++) {
        if (pads[i] < 0 || pads[(size_t)i + x->rank] < 0 ||
            __builtin_add_overflow(x->dims[i], pads[i], &dims[i]) ||
            __builtin_add_overflow(dims[i], pads[(size_t)i + x->rank], &dims[i])) {
            return false;
        }
    }
    if (!htp_kernel_output(kernel, 0, x->dtype, x->rank, dims, &data)) {
        return false;
    }
    size_t size = htp_dtype_size(x->dtype);
    char *to = data;
    for (uint64_t at = 0; value && at < kernel->outputs[0].bytes; at += size) {
        memcpy(to + at, value->data, size);
    }
    htp_strides_contiguous(x->rank, dims, strides);
    htp_stride_walk walk = {.rank = x->rank};
    int64_t first[HTP_WALKED];
    for (uint32_t i = 0; i < x->rank; i++) {
        offset += pads[i] * strides[i];
        walk.dims[i] = x->dims[i];
        walk.strides[1][i] = strides[i];
    }
    htp_strides_contiguous(x->rank, x->dims, walk.strides[0]);
    walk.first[1] = offset;
    htp_stride_walk_begin(&walk);
    for (size_t n = htp_stride_walk_next(&walk, first); n > 0;
         n = htp_stride_walk_next(&walk, first)) {
        for (size_t i = 0; i < n; i++) {
            int64_t from = first[0] + (int64_t)i * walk.step[0];
            int64_t into = first[1] + (int64_t)i * walk.step[1];
            memcpy(to + into * (int64_t)size, (const char *)x->data + from * (int64_t)size, size);
        }
    }
    return true;
}

bool htp_kernel_triangle(htp_kernel *kernel)
{
    const htp_known *x = htp_kernel_input(kernel, 0);
    int64_t shift[HTP_MAX_RANK] = {0};
    size_t count = 1;
    void *data;
    bool is_upper = htp_kernel_int(kernel, "upper", 1) != 0;
    if (!x || x->rank < 2 ||
        (htp_kernel_input(kernel, 1) && !htp_kernel_ints(kernel, 1, shift, &count)) || count != 1 ||
        shift[0] < -INT32_MAX || shift[0] > INT32_MAX ||
        !htp_kernel_output(kernel, 0, x->dtype, x->rank, x->dims, &data)) {
        return false;
    }
    int64_t rows = x->dims[x->rank - 2];
    int64_t columns = x->dims[x->rank - 1];
    int64_t size = htp_dtype_size(x->dtype);
    for (uint64_t at = 0, row = 0; at < x->bytes; at += (uint64_t)(columns * size), row++) {
        int64_t border = clamp((int64_t)row % rows + shift[0] + !is_upper, 0, columns);
        int64_t begin = is_upper ? border : 0;
        int64_t end = is_upper ? columns : border;
        memcpy((char *)data + at + (uint64_t)(begin * size),
               (const char *)x->data + at + (uint64_t)(begin * size),
               (size_t)((end - begin) * size));
    }
    return true;
}
