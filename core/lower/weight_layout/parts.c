#include "lower/weight_layout/laying.h"

#include <string.h>

/* Each box is read on its own, so tensors with more are left to nodes. */
enum { MAX_BOXES = 64 };

/* Elements @p begin, @p begin + @p step... of an axis, @p count of them. */
static void cut(const htp_laying *d, const htp_laid *x, uint32_t axis, int64_t begin, int64_t step,
                int64_t count, htp_laid *y)
{
    int64_t dims[HTP_MAX_RANK] = {0};
    int64_t strides[HTP_MAX_RANK];
    memcpy(dims, x->dims, x->rank * sizeof(*dims));
    memcpy(strides, x->boxes->strides, x->rank * sizeof(*strides));
    int64_t offset = x->boxes->offset + begin * strides[axis];
    dims[axis] = count;
    strides[axis] *= step;
    htp_laying_set_strided(d, x, x->rank, dims, strides, offset, y);
}

static int64_t clamp(int64_t value, int64_t size)
{
    value = value < 0 ? (value < -size ? 0 : value + size) : value;
    return value > size ? size : value;
}

bool htp_laying_slice(const htp_laying *d, const htp_laid *x)
{
    const int64_t *begins;
    const int64_t *ends;
    const int64_t *axes = NULL;
    const int64_t *steps = NULL;
    size_t counts[4];
    htp_laid y = *x;
    if (!x->is_strided || !htp_laying_read_ints(d, 1, &begins, &counts[0]) ||
        !htp_laying_read_ints(d, 2, &ends, &counts[1]) || counts[1] != counts[0] ||
        (htp_laying_has_input(d, 3) &&
         (!htp_laying_read_ints(d, 3, &axes, &counts[2]) || counts[2] != counts[0])) ||
        (htp_laying_has_input(d, 4) &&
         (!htp_laying_read_ints(d, 4, &steps, &counts[3]) || counts[3] != counts[0]))) {
        return false;
    }
    for (size_t i = 0; i < counts[0]; i++) {
        uint32_t axis;
        int64_t step = steps ? steps[i] : 1;
        if (!htp_laying_axis(axes ? axes[i] : (int64_t)i, x->rank, &axis) || step < 1) {
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

/* Whether indices of an axis are begin, begin + step..., upwards. */
static bool read_steps(const int64_t *indices, size_t count, int64_t size, int64_t *begin,
                       int64_t *step)
{
    for (size_t i = 0; i < count; i++) {
        int64_t at = indices[i] < 0 ? indices[i] + size : indices[i];
        if (i == 0) {
            *begin = at;
        } else if (i == 1) {
            *step = at - *begin;
        }
        if (at < 0 || at >= size || *step < 1 || at != *begin + (int64_t)i * *step) {
            return false;
        }
    }
    return count > 0;
}

/* Gather: one element of an axis, or several in equal steps. */
bool htp_laying_gather(const htp_laying *d, const htp_laid *x)
{
    const int64_t *indices;
    size_t count;
    uint32_t axis;
    int64_t begin = 0;
    int64_t step = 1;
    int64_t dims[HTP_MAX_RANK] = {0};
    uint32_t rank = 0;
    const htp_tensor *index = &d->model->tensors.items[d->node->inputs[1]];
    if (!x->is_strided || !htp_laying_read_ints(d, 1, &indices, &count) ||
        !htp_laying_axis(htp_laying_int(d, "axis", 0), x->rank, &axis) ||
        !read_steps(indices, count, x->dims[axis], &begin, &step) ||
        x->rank + index->rank > HTP_MAX_RANK) {
        return false;
    }
    htp_laid part;
    cut(d, x, axis, begin, step, (int64_t)count, &part);
    for (uint32_t i = 0; i < x->rank; i++) {
        if (i != axis) {
            dims[rank++] = part.dims[i];
            continue;
        }
        for (uint32_t k = 0; k < index->rank; k++) {
            dims[rank++] = index->dims[k].size;
        }
    }
    return htp_laying_reshape(d, &part, rank, dims, d->outputs);
}

bool htp_laying_split(const htp_laying *d, const htp_laid *x)
{
    const int64_t *sizes = NULL;
    size_t count = d->node->output_count;
    uint32_t axis;
    int64_t begin = 0;
    if (!x->is_strided || !htp_laying_axis(htp_laying_int(d, "axis", 0), x->rank, &axis) ||
        (htp_laying_has_input(d, 1) &&
         (!htp_laying_read_ints(d, 1, &sizes, &count) || count != d->node->output_count))) {
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

/* Appends the boxes of a tensor's slice at index @p outer of the axes before @p axis. */
static bool append(const htp_laid *x, uint32_t axis, int64_t outer, htp_box *boxes, uint32_t *count)
{
    if (axis == 0 || !x->is_strided) {
        for (uint32_t i = 0; i < x->box_count; i++) {
            if (*count == MAX_BOXES) {
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
    if (*count == MAX_BOXES) {
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

bool htp_laying_concat(const htp_laying *d, const htp_laid *x)
{
    htp_box boxes[MAX_BOXES];
    uint32_t count = 0;
    uint32_t axis;
    int64_t dims[HTP_MAX_RANK] = {0};
    if (d->node->input_count > MAX_BOXES ||
        !htp_laying_axis(htp_laying_int(d, "axis", 0), x->rank, &axis)) {
        return false;
    }
    int64_t outer = htp_laying_count(axis, x->dims);
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
    y->dims = htp_laying_copy(d, dims, x->rank);
    y->boxes = htp_arena_grow(d->arena, boxes, count, count, sizeof(*boxes));
    y->box_count = count;
    y->is_strided = false;
    return htp_laying_count(y->rank, y->dims) > 0;
}
