/*
 * Reductions and running sums.
 *
 * Sums are computed in float64 and rounded once; those of float64 are compensated. They are
 * declined where libtorch's, in the dtype itself, could overflow or underflow.
 *
 * Reference: ONNX ReduceSum and its kin, ArgMax, ArgMin, CumSum.
 */
#include "lower/evaluate/exact_sum.h"
#include "lower/evaluate/kernel.h"

#include <math.h>
#include <string.h>

/* ---- what is reduced ---- */

typedef enum reduction {
    REDUCE_SUM,
    REDUCE_MEAN,
    REDUCE_ABSOLUTE,
    REDUCE_LENGTH,
    REDUCE_PRODUCT,
    REDUCE_MAX,
    REDUCE_MIN,
} reduction;

static const struct {
    const char *op;
    reduction how;
} reductions[] = {
    {"ReduceL1", REDUCE_ABSOLUTE}, {"ReduceL2", REDUCE_LENGTH}, {"ReduceMax", REDUCE_MAX},
    {"ReduceMean", REDUCE_MEAN},   {"ReduceMin", REDUCE_MIN},   {"ReduceProd", REDUCE_PRODUCT},
    {"ReduceSum", REDUCE_SUM},
};

static bool find_reduction(const char *op, reduction *how)
{
    for (size_t i = 0; i < sizeof(reductions) / sizeof(reductions[0]); i++) {
        if (strcmp(reductions[i].op, op) == 0) {
            *how = reductions[i].how;
            return true;
        }
    }
    return false;
}

/* ---- a row of numbers ---- */

typedef struct row {
    reduction how;
    htp_dtype dtype;
    uint64_t count; /* numbers in the row */
    htp_sum sum;
    double number; /* product, maximum or minimum */
    int64_t whole; /* the same of integers, or their sum */
} row;

static void begin_row(row *r)
{
    r->sum = (htp_sum){0};
    r->number = r->how == REDUCE_MAX ? -INFINITY : r->how == REDUCE_MIN ? INFINITY : 1;
    r->whole = r->how == REDUCE_MAX   ? INT64_MIN
               : r->how == REDUCE_MIN ? INT64_MAX
                                      : r->how == REDUCE_PRODUCT;
}

static bool take_float(row *r, double x)
{
    switch (r->how) {
    case REDUCE_ABSOLUTE:
        htp_sum_add(&r->sum, fabs(x));
        return true;
    case REDUCE_LENGTH:
        htp_sum_add(&r->sum, x * x);
        return true;
    case REDUCE_PRODUCT:
        r->number *= x;
        return true;
    case REDUCE_MAX:
        r->number = x > r->number ? x : r->number;
        return x == x;
    case REDUCE_MIN:
        r->number = x < r->number ? x : r->number;
        return x == x;
    default:
        htp_sum_add(&r->sum, x);
        return true;
    }
}

static bool end_floats(const row *r, double *result)
{
    switch (r->how) {
    case REDUCE_MAX:
    case REDUCE_MIN:
        *result = r->number;
        return true;
    case REDUCE_PRODUCT:
        *result = r->number;
        return isnormal((float)r->number);
    case REDUCE_MEAN:
        *result = htp_sum_total(&r->sum) / (double)r->count;
        break;
    case REDUCE_LENGTH:
        *result = sqrt(htp_sum_total(&r->sum));
        break;
    default:
        *result = htp_sum_total(&r->sum);
        break;
    }
    return htp_sum_is_safe(&r->sum, r->dtype);
}

static bool take_int(row *r, int64_t x)
{
    switch (r->how) {
    case REDUCE_SUM:
        return !__builtin_add_overflow(r->whole, x, &r->whole);
    case REDUCE_ABSOLUTE:
        return x != INT64_MIN && !__builtin_add_overflow(r->whole, x < 0 ? -x : x, &r->whole);
    case REDUCE_PRODUCT:
        return !__builtin_mul_overflow(r->whole, x, &r->whole);
    case REDUCE_MAX:
        r->whole = x > r->whole ? x : r->whole;
        return true;
    case REDUCE_MIN:
        r->whole = x < r->whole ? x : r->whole;
        return true;
    default:
        return false;
    }
}

/* ---- reductions ---- */

/* A walk over the operand with the reduced axes last, and the output's shape. */
typedef struct layout {
    htp_stride_walk walk;
    uint64_t count; /* numbers in a row */
    uint32_t rank;
    int64_t dims[HTP_MAX_RANK];
} layout;

static bool find_layout(const htp_kernel *kernel, const htp_known *x, layout *l)
{
    bool is_reduced[HTP_MAX_RANK] = {false};
    bool has_axes = false;
    int64_t strides[HTP_MAX_RANK];
    bool keeps = htp_kernel_int(kernel, "keepdims", 1) != 0;
    if (!htp_kernel_axes(kernel, 1, x->rank, is_reduced, &has_axes) ||
        (!has_axes && htp_kernel_int(kernel, "noop_with_empty_axes", 0))) {
        return false;
    }
    htp_strides_contiguous(x->rank, x->dims, strides);
    for (unsigned inner = 0; inner < 2; inner++) {
        for (uint32_t i = 0; i < x->rank; i++) {
            if ((is_reduced[i] || !has_axes) == inner) {
                l->walk.dims[l->walk.rank] = x->dims[i];
                l->walk.strides[0][l->walk.rank++] = strides[i];
            }
        }
    }
    l->count = 1;
    for (uint32_t i = 0; i < x->rank; i++) {
        bool is_gone = is_reduced[i] || !has_axes;
        l->count *= is_gone ? (uint64_t)x->dims[i] : 1;
        if (!is_gone || keeps) {
            l->dims[l->rank++] = is_gone ? 1 : x->dims[i];
        }
    }
    return x->bytes > 0;
}

/* Reduces all rows. @return false if one is declined */
static bool reduce_rows(const htp_known *x, layout *l, row *r, char *to)
{
    double floats[HTP_KERNEL_BLOCK];
    int64_t ints[HTP_KERNEL_BLOCK];
    int64_t first[HTP_WALKED];
    bool is_float = htp_dtype_is_float(r->dtype);
    uint64_t taken = 0;
    begin_row(r);
    htp_stride_walk_begin(&l->walk);
    for (size_t n = htp_stride_walk_next(&l->walk, first); n > 0;
         n = htp_stride_walk_next(&l->walk, first)) {
        if (is_float ? !htp_numbers_floats(x->dtype, x->data, first[0], l->walk.step[0], n, floats)
                     : !htp_numbers_ints(x->dtype, x->data, first[0], l->walk.step[0], n, ints)) {
            return false;
        }
        for (size_t i = 0; i < n; i++) {
            double result = 0;
            if (is_float ? !take_float(r, floats[i]) : !take_int(r, ints[i])) {
                return false;
            }
            if (++taken < r->count) {
                continue;
            }
            if (is_float
                    ? !end_floats(r, &result) || !htp_numbers_put_floats(r->dtype, &result, 1, to)
                    : !htp_numbers_put_ints(r->dtype, &r->whole, 1, to)) {
                return false;
            }
            to += htp_dtype_size(r->dtype);
            taken = 0;
            begin_row(r);
        }
    }
    return true;
}

bool htp_kernel_reduce(htp_kernel *kernel)
{
    const htp_known *x = htp_kernel_input(kernel, 0);
    layout l = {.rank = 0};
    row r = {.how = REDUCE_SUM};
    uint64_t count = 0;
    void *data;
    if (!x || !find_reduction(kernel->node->op_type, &r.how) || x->dtype == HTP_DTYPE_BOOL ||
        (htp_kernel_is_narrow(x->dtype) && r.how != REDUCE_MAX && r.how != REDUCE_MIN) ||
        !find_layout(kernel, x, &l) || !htp_kernel_count(x->rank, x->dims, &count) ||
        !htp_kernel_work(kernel, count) ||
        !htp_kernel_output(kernel, 0, x->dtype, l.rank, l.dims, &data)) {
        return false;
    }
    r.dtype = x->dtype;
    r.count = l.count;
    return reduce_rows(x, &l, &r, data);
}

/* The running sum of integers. @return false where one overflows */
static bool run_ints(const htp_known *x, int64_t first, int64_t step, int64_t count, char *to)
{
    int64_t sum = 0;
    int64_t size = htp_dtype_size(x->dtype);
    for (int64_t i = 0; i < count; i++) {
        int64_t number;
        if (!htp_numbers_ints(x->dtype, x->data, first + i * step, 1, 1, &number) ||
            __builtin_add_overflow(sum, number, &sum) ||
            !htp_numbers_put_ints(x->dtype, &sum, 1, to + (first + i * step) * size)) {
            return false;
        }
    }
    return true;
}

/* The running sum of float32, in float64 as libtorch has it. */
static bool run_floats(const htp_known *x, int64_t first, int64_t step, int64_t count, char *to)
{
    double sum = 0;
    int64_t size = htp_dtype_size(x->dtype);
    for (int64_t i = 0; i < count; i++) {
        double number;
        if (!htp_numbers_floats(x->dtype, x->data, first + i * step, 1, 1, &number)) {
            return false;
        }
        sum += number;
        if (!htp_numbers_put_floats(x->dtype, &sum, 1, to + (first + i * step) * size)) {
            return false;
        }
    }
    return true;
}

/* CumSum, of integers and float32. */
bool htp_kernel_running_sum(htp_kernel *kernel)
{
    const htp_known *x = htp_kernel_input(kernel, 0);
    int64_t given[HTP_MAX_RANK];
    int64_t strides[HTP_MAX_RANK];
    size_t count;
    uint32_t axis;
    void *data;
    if (!x || (htp_dtype_is_float(x->dtype) && x->dtype != HTP_DTYPE_FLOAT32) ||
        htp_kernel_int(kernel, "exclusive", 0) || htp_kernel_int(kernel, "reverse", 0) ||
        !htp_kernel_ints(kernel, 1, given, &count) || count != 1 ||
        !htp_kernel_axis(given[0], x->rank, &axis) ||
        !htp_kernel_output(kernel, 0, x->dtype, x->rank, x->dims, &data)) {
        return false;
    }
    htp_strides_contiguous(x->rank, x->dims, strides);
    int64_t step = strides[axis];
    int64_t size = x->dims[axis];
    int64_t all = (int64_t)(x->bytes / htp_dtype_size(x->dtype));
    bool is_float = htp_dtype_is_float(x->dtype);
    bool fits = true;
    for (int64_t row = 0; all > 0 && fits && row < all / size; row++) {
        int64_t first = row / step * step * size + row % step;
        fits = (is_float ? run_floats : run_ints)(x, first, step, size, data);
    }
    return fits;
}

/* ---- places ---- */

/* The index of the maximum or minimum of a row of integers: the first or the last one. */
static bool find_place(const htp_known *x, int64_t first, int64_t step, int64_t count,
                       const htp_kernel *kernel, int64_t *place)
{
    bool is_max = strcmp(kernel->node->op_type, "ArgMax") == 0;
    bool is_last = htp_kernel_int(kernel, "select_last_index", 0) != 0;
    int64_t best = 0;
    for (int64_t i = 0; i < count; i++) {
        int64_t number;
        if (!htp_numbers_ints(x->dtype, x->data, first + i * step, 1, 1, &number)) {
            return false;
        }
        bool is_better = is_max ? number > best : number < best;
        if (i == 0 || is_better || (is_last && number == best)) {
            best = number;
            *place = i;
        }
    }
    return true;
}

bool htp_kernel_place(htp_kernel *kernel)
{
    const htp_known *x = htp_kernel_input(kernel, 0);
    int64_t dims[HTP_MAX_RANK] = {0};
    uint32_t rank = 0;
    uint32_t axis;
    void *data;
    bool keeps = htp_kernel_int(kernel, "keepdims", 1) != 0;
    if (!x || x->bytes == 0 || htp_dtype_is_float(x->dtype) ||
        !htp_kernel_axis(htp_kernel_int(kernel, "axis", 0), x->rank, &axis) ||
        !htp_kernel_work(kernel, x->bytes)) {
        return false;
    }
    for (uint32_t i = 0; i < x->rank; i++) {
        if (i != axis || keeps) {
            dims[rank++] = i == axis ? 1 : x->dims[i];
        }
    }
    if (!htp_kernel_output(kernel, 0, HTP_DTYPE_INT64, rank, dims, &data)) {
        return false;
    }
    int64_t strides[HTP_MAX_RANK];
    htp_strides_contiguous(x->rank, x->dims, strides);
    int64_t step = strides[axis];
    int64_t size = x->dims[axis];
    int64_t *to = data;
    int64_t rows = (int64_t)(kernel->outputs[0].bytes / sizeof(*to));
    for (int64_t i = 0; i < rows; i++) {
        if (!find_place(x, i / step * step * size + i % step, step, size, kernel, &to[i])) {
            return false;
        }
    }
    return true;
}
