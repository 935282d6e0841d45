/*
 * Operators that join tensors, gather elements, or generate numbers.
 *
 * Reference: ONNX Concat, Gather, GatherElements, Range, Shape, Size.
 */
#include "lower/evaluate/kernel.h"

#include <math.h>
#include <string.h>

/* The number of elements of the axes before, and after, @p axis. */
static uint64_t outer_count(const htp_known *x, uint32_t axis)
{
    uint64_t count = 1;
    for (uint32_t i = 0; i < axis; i++) {
        count *= (uint64_t)x->dims[i];
    }
    return count;
}

static uint64_t inner_count(const htp_known *x, uint32_t axis)
{
    uint64_t count = 1;
    for (uint32_t i = axis + 1; i < x->rank; i++) {
        count *= (uint64_t)x->dims[i];
    }
    return count;
}

/* ---- joining ---- */

static bool fit(const htp_known *a, const htp_known *b, uint32_t axis)
{
    bool fits = a && b && a->dtype == b->dtype && a->rank == b->rank;
    for (uint32_t i = 0; fits && i < a->rank; i++) {
        fits = i == axis || a->dims[i] == b->dims[i];
    }
    return fits;
}

bool htp_kernel_concat(htp_kernel *kernel)
{
    const htp_known *x = htp_kernel_input(kernel, 0);
    int64_t dims[HTP_MAX_RANK] = {0};
    uint32_t axis;
    void *data;
    if (!x || !htp_kernel_axis(htp_kernel_int(kernel, "axis", 0), x->rank, &axis)) {
        return false;
    }
    memcpy(dims, x->dims, x->rank * sizeof(*dims));
    dims[axis] = 0;
    for (uint32_t k = 0; k < kernel->input_count; k++) {
        if (!fit(x, kernel->inputs[k], axis) ||
            __builtin_add_overflow(dims[axis], kernel->inputs[k]->dims[axis], &dims[axis])) {
            return false;
        }
    }
    if (!htp_kernel_output(kernel, 0, x->dtype, x->rank, dims, &data)) {
        return false;
    }
    char *to = data;
    uint64_t size = inner_count(x, axis) * htp_dtype_size(x->dtype);
    for (uint64_t o = 0; o < outer_count(x, axis); o++) {
        for (uint32_t k = 0; k < kernel->input_count; k++) {
            size_t bytes = (size_t)((uint64_t)kernel->inputs[k]->dims[axis] * size);
            memcpy(to, (const char *)kernel->inputs[k]->data + o * bytes, bytes);
            to += bytes;
        }
    }
    return true;
}

/* ---- picking ---- */

bool htp_kernel_gather(htp_kernel *kernel)
{
    const htp_known *x = htp_kernel_input(kernel, 0);
    const htp_known *indices = htp_kernel_input(kernel, 1);
    int64_t dims[HTP_MAX_RANK] = {0};
    uint32_t axis;
    uint32_t rank = 0;
    uint64_t count;
    void *data;
    if (!x || !indices || x->rank + indices->rank > HTP_MAX_RANK ||
        !htp_kernel_axis(htp_kernel_int(kernel, "axis", 0), x->rank, &axis) ||
        !htp_kernel_count(indices->rank, indices->dims, &count)) {
        return false;
    }
    for (uint32_t i = 0; i < x->rank; i++) {
        if (i != axis) {
            dims[rank++] = x->dims[i];
            continue;
        }
        for (uint32_t k = 0; k < indices->rank; k++) {
            dims[rank++] = indices->dims[k];
        }
    }
    if (!htp_kernel_output(kernel, 0, x->dtype, rank, dims, &data)) {
        return false;
    }
    char *to = data;
    int64_t size = x->dims[axis];
    size_t bytes = (size_t)(inner_count(x, axis) * htp_dtype_size(x->dtype));
    for (uint64_t o = 0; o < outer_count(x, axis); o++) {
        for (uint64_t i = 0; i < count; i++) {
            int64_t index;
            if (!htp_numbers_index(indices, i, size, &index)) {
                return false;
            }
            memcpy(to, (const char *)x->data + (o * (uint64_t)size + (uint64_t)index) * bytes,
                   bytes);
            to += bytes;
        }
    }
    return true;
}

bool htp_kernel_gather_elements(htp_kernel *kernel)
{
    const htp_known *x = htp_kernel_input(kernel, 0);
    const htp_known *indices = htp_kernel_input(kernel, 1);
    htp_stride_walk walk = {0};
    int64_t first[HTP_WALKED];
    uint32_t axis;
    void *data;
    if (!x || !indices || x->rank != indices->rank ||
        !htp_kernel_axis(htp_kernel_int(kernel, "axis", 0), x->rank, &axis)) {
        return false;
    }
    walk.rank = x->rank;
    htp_strides_contiguous(x->rank, x->dims, walk.strides[0]);
    for (uint32_t i = 0; i < x->rank; i++) {
        walk.dims[i] = indices->dims[i];
        if (i != axis && indices->dims[i] > x->dims[i]) {
            return false;
        }
    }
    int64_t stride = walk.strides[0][axis];
    walk.strides[0][axis] = 0;
    if (!htp_kernel_output(kernel, 0, x->dtype, x->rank, indices->dims, &data)) {
        return false;
    }
    htp_stride_walk_begin(&walk);
    size_t size = htp_dtype_size(x->dtype);
    char *to = data;
    uint64_t at = 0;
    for (size_t n = htp_stride_walk_next(&walk, first); n > 0;
         n = htp_stride_walk_next(&walk, first)) {
        for (size_t i = 0; i < n; i++) {
            int64_t index;
            if (!htp_numbers_index(indices, at++, x->dims[axis], &index)) {
                return false;
            }
            int64_t from = first[0] + (int64_t)i * walk.step[0] + index * stride;
            memcpy(to, (const char *)x->data + from * (int64_t)size, size);
            to += size;
        }
    }
    return true;
}

/* ---- making ---- */

static bool range_of_ints(htp_kernel *kernel, const int64_t *given)
{
    htp_dtype dtype = kernel->inputs[0]->dtype;
    int64_t span;
    void *data;
    if (given[2] == 0 || given[2] == INT64_MIN ||
        __builtin_sub_overflow(given[1], given[0], &span)) {
        return false;
    }
    bool is_empty = given[2] > 0 ? span <= 0 : span >= 0;
    int64_t count = is_empty ? 0 : (span - (given[2] > 0 ? 1 : -1)) / given[2] + 1;
    if (!htp_kernel_output(kernel, 0, dtype, 1, &count, &data)) {
        return false;
    }
    for (int64_t i = 0; i < count; i++) {
        int64_t number = given[0] + i * given[2];
        if (!htp_numbers_put_ints(dtype, &number, 1,
                                  (char *)data + i * (int64_t)htp_dtype_size(dtype))) {
            return false;
        }
    }
    return true;
}

/* Only for small integers, whose sums are exact: some runtimes add steps, others multiply. */
static bool range_of_floats(htp_kernel *kernel, const double *given)
{
    int64_t ints[3];
    htp_dtype dtype = kernel->inputs[0]->dtype;
    void *data;
    for (int k = 0; k < 3; k++) {
        if (given[k] != floor(given[k]) || fabs(given[k]) > 1 << 20) {
            return false;
        }
        ints[k] = (int64_t)given[k];
    }
    if (ints[2] == 0 || dtype == HTP_DTYPE_FLOAT16 || dtype == HTP_DTYPE_BFLOAT16) {
        return false;
    }
    int64_t span = ints[1] - ints[0];
    bool is_empty = ints[2] > 0 ? span <= 0 : span >= 0;
    int64_t count = is_empty ? 0 : (span - (ints[2] > 0 ? 1 : -1)) / ints[2] + 1;
    if (!htp_kernel_output(kernel, 0, dtype, 1, &count, &data)) {
        return false;
    }
    for (int64_t i = 0; i < count; i++) {
        double number = (double)(ints[0] + i * ints[2]);
        (void)htp_numbers_put_floats(dtype, &number, 1,
                                     (char *)data + i * (int64_t)htp_dtype_size(dtype));
    }
    return true;
}

bool htp_kernel_range(htp_kernel *kernel)
{
    int64_t ints[3];
    double floats[3];
    bool is_float = false;
    for (uint32_t k = 0; k < 3; k++) {
        const htp_known *x = htp_kernel_input(kernel, k);
        if (!x || x->dtype != kernel->inputs[0]->dtype || x->bytes != htp_dtype_size(x->dtype)) {
            return false;
        }
        is_float = htp_dtype_is_float(x->dtype);
        if (is_float ? !htp_numbers_floats(x->dtype, x->data, 0, 1, 1, &floats[k])
                     : !htp_numbers_ints(x->dtype, x->data, 0, 1, 1, &ints[k])) {
            return false;
        }
    }
    return is_float ? range_of_floats(kernel, floats) : range_of_ints(kernel, ints);
}

bool htp_kernel_shape(htp_kernel *kernel)
{
    const htp_known *x = htp_kernel_input(kernel, 0);
    void *data;
    if (!x) {
        return false;
    }
    int64_t rank = x->rank;
    int64_t begin = htp_kernel_int(kernel, "start", 0);
    int64_t end = htp_kernel_int(kernel, "end", rank);
    begin = begin < 0 ? begin + rank : begin;
    end = end < 0 ? end + rank : end;
    begin = begin < 0 ? 0 : begin > rank ? rank : begin;
    end = end < begin ? begin : end > rank ? rank : end;
    int64_t count = end - begin;
    if (!htp_kernel_output(kernel, 0, HTP_DTYPE_INT64, 1, &count, &data)) {
        return false;
    }
    memcpy(data, x->dims + begin, (size_t)count * sizeof(*x->dims));
    return true;
}

bool htp_kernel_size(htp_kernel *kernel)
{
    const htp_known *x = htp_kernel_input(kernel, 0);
    uint64_t count;
    void *data;
    if (!x || !htp_kernel_count(x->rank, x->dims, &count) ||
        !htp_kernel_output(kernel, 0, HTP_DTYPE_INT64, 0, NULL, &data)) {
        return false;
    }
    int64_t size = (int64_t)count;
    memcpy(data, &size, sizeof(size));
    return true;
}
