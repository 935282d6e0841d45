/*
 * Operators element by element, with broadcasting; and those that choose or convert elements.
 *
 * Reference: https://onnx.ai/onnx/repo-docs/Broadcasting.html
 */
#include "lower/evaluate/blocks.h"
#include "lower/evaluate/kernel.h"

#include <math.h>
#include <string.h>

/* ---- broadcasting ---- */

/* Finds the shape to which all operands are broadcast. @return false if they do not broadcast */
static bool broadcast(const htp_kernel *kernel, htp_stride_walk *walk)
{
    walk->rank = 0;
    for (uint32_t k = 0; k < kernel->input_count; k++) {
        const htp_known *x = kernel->inputs[k];
        walk->rank = x && x->rank > walk->rank ? x->rank : walk->rank;
    }
    for (uint32_t i = 0; i < walk->rank; i++) {
        walk->dims[i] = 1;
    }
    for (uint32_t k = 0; k < kernel->input_count; k++) {
        const htp_known *x = kernel->inputs[k];
        for (uint32_t i = 0; x && i < x->rank; i++) {
            int64_t *dim = &walk->dims[walk->rank - x->rank + i];
            if (x->dims[i] != 1 && *dim != 1 && *dim != x->dims[i]) {
                return false;
            }
            *dim = x->dims[i] != 1 ? x->dims[i] : *dim;
        }
    }
    return true;
}

/* Sets strides; operands repeat along axes where they have one element. */
static void set_strides(const htp_kernel *kernel, htp_stride_walk *walk)
{
    int64_t own[HTP_MAX_RANK];
    for (uint32_t k = 0; k < kernel->input_count; k++) {
        const htp_known *x = kernel->inputs[k];
        if (!x) {
            continue;
        }
        uint32_t front = walk->rank - x->rank;
        htp_strides_contiguous(x->rank, x->dims, own);
        for (uint32_t i = 0; i < x->rank; i++) {
            walk->strides[k][front + i] = x->dims[i] == 1 ? 0 : own[i];
        }
    }
}

/* Begins a walk over the operands, and makes the output of their common shape. */
static bool begin(htp_kernel *kernel, htp_stride_walk *walk, htp_dtype dtype, void **data)
{
    if (kernel->input_count > HTP_WALKED || !broadcast(kernel, walk) ||
        !htp_kernel_output(kernel, 0, dtype, walk->rank, walk->dims, data)) {
        return false;
    }
    set_strides(kernel, walk);
    htp_stride_walk_begin(walk);
    return true;
}

/* ---- arithmetic ---- */

/* Whether the row takes this number of operands, and all have one dtype; only an exponent's may
 * differ. */
static bool are_alike(const htp_kernel *kernel, const htp_elementwise *row)
{
    const htp_known *x = htp_kernel_input(kernel, 0);
    if (!x || kernel->input_count < row->least || kernel->input_count > row->most) {
        return false;
    }
    bool may_differ = strcmp(row->op, "Pow") == 0 && htp_dtype_is_float(x->dtype);
    for (uint32_t k = 1; k < kernel->input_count; k++) {
        const htp_known *other = kernel->inputs[k];
        if (other ? other->dtype != x->dtype && !may_differ : k < row->least) {
            return false;
        }
    }
    return true;
}

static bool compute_ints(htp_kernel *kernel, const htp_elementwise *row, htp_stride_walk *walk,
                         htp_dtype to, char *data)
{
    int64_t blocks[HTP_WALKED][HTP_KERNEL_BLOCK];
    int64_t made[HTP_KERNEL_BLOCK];
    const int64_t *x[HTP_WALKED] = {NULL};
    int64_t first[HTP_WALKED];
    size_t size = htp_dtype_size(to);
    for (size_t n = htp_stride_walk_next(walk, first); n > 0;
         n = htp_stride_walk_next(walk, first)) {
        for (uint32_t k = 0; k < row->most; k++) {
            const htp_known *known = htp_kernel_input(kernel, k);
            x[k] = known ? blocks[k] : NULL;
            if (!known && k < row->least) {
                return false;
            }
            if (known && !htp_numbers_ints(known->dtype, known->data, first[k], walk->step[k], n,
                                           blocks[k])) {
                return false;
            }
        }
        if (!row->ints(x, n, made) || !htp_numbers_put_ints(to, made, n, data)) {
            return false;
        }
        data += n * size;
    }
    return true;
}

/* Writes truth values, as bytes. */
static bool put_truth(const double *from, size_t count, void *data)
{
    unsigned char *to = data;
    for (size_t i = 0; i < count; i++) {
        to[i] = from[i] != 0;
    }
    return true;
}

static bool compute_floats(htp_kernel *kernel, const htp_elementwise *row, htp_stride_walk *walk,
                           htp_dtype to, char *data)
{
    double blocks[HTP_WALKED][HTP_KERNEL_BLOCK];
    double made[HTP_KERNEL_BLOCK];
    const double *x[HTP_WALKED] = {NULL};
    int64_t first[HTP_WALKED];
    size_t size = htp_dtype_size(to);
    for (size_t n = htp_stride_walk_next(walk, first); n > 0;
         n = htp_stride_walk_next(walk, first)) {
        for (uint32_t k = 0; k < row->most; k++) {
            const htp_known *known = htp_kernel_input(kernel, k);
            x[k] = known ? blocks[k] : NULL;
            if (!known && k < row->least) {
                return false;
            }
            if (known && !htp_numbers_floats(known->dtype, known->data, first[k], walk->step[k], n,
                                             blocks[k])) {
                return false;
            }
        }
        row->floats(x, n, made);
        if (!(to == HTP_DTYPE_BOOL ? put_truth(made, n, data)
                                   : htp_numbers_put_floats(to, made, n, data))) {
            return false;
        }
        data += n * size;
    }
    return true;
}

static bool compute(htp_kernel *kernel, const htp_elementwise *row)
{
    htp_stride_walk walk = {0};
    void *data;
    if (!are_alike(kernel, row)) {
        return false;
    }
    htp_dtype from = kernel->inputs[0]->dtype;
    htp_dtype to = row->is_truth ? HTP_DTYPE_BOOL : from;
    bool is_float = htp_dtype_is_float(from);
    if ((is_float ? !row->floats : !row->ints) || (row->is_rounded && htp_kernel_is_narrow(from)) ||
        !begin(kernel, &walk, to, &data)) {
        return false;
    }
    return is_float ? compute_floats(kernel, row, &walk, to, data)
                    : compute_ints(kernel, row, &walk, to, data);
}

bool htp_kernel_elementwise(htp_kernel *kernel)
{
    const htp_elementwise *row = htp_elementwise_find(kernel->node->op_type);
    return row && compute(kernel, row);
}

/* ---- remainders: which is told by an attribute ---- */

static bool floor_mod(const int64_t *const *x, size_t count, int64_t *y)
{
    for (size_t i = 0; i < count; i++) {
        if (x[1][i] <= 0) {
            return false;
        }
        int64_t rest = x[0][i] % x[1][i];
        y[i] = rest < 0 ? rest + x[1][i] : rest;
    }
    return true;
}

static bool c_mod(const int64_t *const *x, size_t count, int64_t *y)
{
    for (size_t i = 0; i < count; i++) {
        if (x[1][i] <= 0) {
            return false;
        }
        y[i] = x[0][i] % x[1][i];
    }
    return true;
}

static void c_mod_floats(const double *const *x, size_t count, double *y)
{
    for (size_t i = 0; i < count; i++) {
        y[i] = fmod(x[0][i], x[1][i]);
    }
}

bool htp_kernel_mod(htp_kernel *kernel)
{
    static const htp_elementwise floored = {"Mod", 2, 2, false, false, floor_mod, NULL};
    static const htp_elementwise truncated = {"Mod", 2, 2, false, false, c_mod, c_mod_floats};
    return compute(kernel, htp_kernel_int(kernel, "fmod", 0) ? &truncated : &floored);
}

/* ---- choices and conversions ---- */

bool htp_kernel_where(htp_kernel *kernel)
{
    htp_stride_walk walk = {0};
    void *data;
    int64_t first[HTP_WALKED];
    unsigned char is_first[HTP_KERNEL_BLOCK];
    unsigned char chosen[2][HTP_KERNEL_BLOCK * sizeof(double)];
    if (kernel->input_count != 3 || !kernel->inputs[0] || !kernel->inputs[1] ||
        !kernel->inputs[2] || kernel->inputs[0]->dtype != HTP_DTYPE_BOOL ||
        kernel->inputs[1]->dtype != kernel->inputs[2]->dtype ||
        !begin(kernel, &walk, kernel->inputs[1]->dtype, &data)) {
        return false;
    }
    size_t size = htp_dtype_size(kernel->inputs[1]->dtype);
    unsigned char *to = data;
    for (size_t n = htp_stride_walk_next(&walk, first); n > 0;
         n = htp_stride_walk_next(&walk, first)) {
        htp_numbers_copy(1, kernel->inputs[0]->data, first[0], walk.step[0], n, is_first);
        for (uint32_t k = 0; k < 2; k++) {
            htp_numbers_copy(size, kernel->inputs[k + 1]->data, first[k + 1], walk.step[k + 1], n,
                             chosen[k]);
        }
        for (size_t i = 0; i < n; i++) {
            memcpy(to, chosen[is_first[i] ? 0 : 1] + i * size, size);
            to += size;
        }
    }
    return true;
}

/* Truncates floating-point numbers. @return false if int64 cannot hold one */
static bool truncate_floats(const double *from, size_t count, int64_t *to)
{
    for (size_t i = 0; i < count; i++) {
        if (!(from[i] > -0x1p63 && from[i] < 0x1p63)) {
            return false;
        }
        to[i] = (int64_t)from[i];
    }
    return true;
}

/* Whether float64 represents all @p count integers exactly. */
static bool are_exact(const int64_t *ints, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (ints[i] < -(INT64_C(1) << 53) || ints[i] > INT64_C(1) << 53) {
            return false;
        }
    }
    return true;
}

static bool cast_block(const htp_known *x, int64_t first, size_t n, htp_dtype to, void *data)
{
    double floats[HTP_KERNEL_BLOCK];
    int64_t ints[HTP_KERNEL_BLOCK];
    if (!htp_dtype_is_float(x->dtype)) {
        bool is_read = htp_numbers_ints(x->dtype, x->data, first, 1, n, ints);
        if (!is_read || !htp_dtype_is_float(to)) {
            return is_read && htp_numbers_put_ints(to, ints, n, data);
        }
        return are_exact(ints, n) && htp_numbers_floats(x->dtype, x->data, first, 1, n, floats) &&
               htp_numbers_put_floats(to, floats, n, data);
    }
    if (!htp_numbers_floats(x->dtype, x->data, first, 1, n, floats)) {
        return false;
    }
    if (to == HTP_DTYPE_BOOL) {
        return put_truth(floats, n, data);
    }
    return htp_dtype_is_float(to)
               ? htp_numbers_put_floats(to, floats, n, data)
               : truncate_floats(floats, n, ints) && htp_numbers_put_ints(to, ints, n, data);
}

bool htp_kernel_cast(htp_kernel *kernel)
{
    const htp_known *x = htp_kernel_input(kernel, 0);
    htp_dtype to;
    void *data;
    uint64_t count = 0;
    if (!x || !htp_dtype_of_onnx(htp_kernel_int(kernel, "to", 0), &to) ||
        htp_dtype_is_complex(to) || htp_dtype_is_complex(x->dtype) ||
        !htp_kernel_output(kernel, 0, to, x->rank, x->dims, &data) ||
        !htp_kernel_count(x->rank, x->dims, &count)) {
        return false;
    }
    char *at = data;
    for (uint64_t first = 0; first < count; first += HTP_KERNEL_BLOCK) {
        size_t n = count - first < HTP_KERNEL_BLOCK ? (size_t)(count - first) : HTP_KERNEL_BLOCK;
        if (!cast_block(x, (int64_t)first, n, to, at)) {
            return false;
        }
        at += n * htp_dtype_size(to);
    }
    return true;
}
