/*
 * Products of matrices.
 *
 * Reference: ONNX MatMul, Gemm.
 */
#include "lower/evaluate/exact_sum.h"
#include "lower/evaluate/kernel.h"

#include <string.h>

/* Two matrices and a summand, with the steps between their rows and columns. */
typedef struct product {
    const htp_known *a, *b;
    const htp_known *c; /* or NULL */
    int64_t rows, inner, columns;
    int64_t a_steps[2], b_steps[2], c_steps[2];
} product;

/* An element of the product, rounded once. */
static bool multiply_one(const product *p, int64_t a, int64_t b, int64_t c, void *to)
{
    double left[HTP_KERNEL_BLOCK];
    double right[HTP_KERNEL_BLOCK];
    htp_sum sum = {0};
    htp_dtype dtype = p->a->dtype;
    for (int64_t k = 0; k < p->inner; k += (int64_t)HTP_KERNEL_BLOCK) {
        int64_t more = p->inner - k;
        size_t n = more < (int64_t)HTP_KERNEL_BLOCK ? (size_t)more : HTP_KERNEL_BLOCK;
        (void)htp_numbers_floats(dtype, p->a->data, a + k * p->a_steps[1], p->a_steps[1], n, left);
        (void)htp_numbers_floats(dtype, p->b->data, b + k * p->b_steps[0], p->b_steps[0], n, right);
        for (size_t i = 0; i < n; i++) {
            htp_sum_add(&sum, left[i] * right[i]);
        }
    }
    if (p->c) {
        double added;
        (void)htp_numbers_floats(dtype, p->c->data, c, 1, 1, &added);
        htp_sum_add(&sum, added);
    }
    double result = htp_sum_total(&sum);
    return htp_sum_is_safe(&sum, dtype) && htp_numbers_put_floats(dtype, &result, 1, to);
}

/* A product of two matrices whose first elements are at @p a and @p b. */
static bool multiply(const product *p, int64_t a, int64_t b, char *to)
{
    size_t size = htp_dtype_size(p->a->dtype);
    for (int64_t i = 0; i < p->rows; i++) {
        for (int64_t j = 0; j < p->columns; j++) {
            if (!multiply_one(p, a + i * p->a_steps[0], b + j * p->b_steps[1],
                              i * p->c_steps[0] + j * p->c_steps[1], to)) {
                return false;
            }
            to += size;
        }
    }
    return true;
}

/* Reads both operands, which must be float32 or float64. */
static bool find_operands(const htp_kernel *kernel, product *p)
{
    p->a = htp_kernel_input(kernel, 0);
    p->b = htp_kernel_input(kernel, 1);
    return p->a && p->b && p->a->dtype == p->b->dtype && p->a->rank > 0 && p->b->rank > 0 &&
           htp_dtype_is_float(p->a->dtype) && !htp_kernel_is_narrow(p->a->dtype);
}

/* Allocates the output if the work budget allows the product. */
static bool begin(htp_kernel *kernel, const product *p, uint32_t rank, const int64_t *dims,
                  void **data)
{
    uint64_t count;
    uint64_t work;
    return htp_kernel_count(rank, dims, &count) && p->inner > 0 &&
           !__builtin_mul_overflow(count, (uint64_t)p->inner, &work) &&
           htp_kernel_work(kernel, work) &&
           htp_kernel_output(kernel, 0, p->a->dtype, rank, dims, data);
}

/* ---- stacks of matrices ---- */

/* A walk over the batch axes, broadcast: it yields the first element of each matrix. 1-d operands
 * are a row and a column. */
static bool find_stack(const product *p, htp_stride_walk *walk)
{
    const htp_known *both[2] = {p->a, p->b};
    uint32_t ranks[2];
    for (int k = 0; k < 2; k++) {
        ranks[k] = both[k]->rank > 2 ? both[k]->rank - 2 : 0;
        walk->rank = ranks[k] > walk->rank ? ranks[k] : walk->rank;
    }
    for (uint32_t i = 0; i < walk->rank; i++) {
        walk->dims[i] = 1;
    }
    for (int k = 0; k < 2; k++) {
        int64_t strides[HTP_MAX_RANK];
        htp_strides_contiguous(both[k]->rank, both[k]->dims, strides);
        for (uint32_t i = 0; i < ranks[k]; i++) {
            uint32_t to = walk->rank - ranks[k] + i;
            int64_t size = both[k]->dims[i];
            if (size != 1 && walk->dims[to] != 1 && walk->dims[to] != size) {
                return false;
            }
            walk->dims[to] = size != 1 ? size : walk->dims[to];
            walk->strides[k][to] = size == 1 ? 0 : strides[i];
        }
    }
    return true;
}

bool htp_kernel_product(htp_kernel *kernel)
{
    product p = {.c = NULL};
    htp_stride_walk walk = {0};
    int64_t dims[HTP_MAX_RANK] = {0};
    int64_t first[HTP_WALKED];
    void *data;
    if (!find_operands(kernel, &p)) {
        return false;
    }
    p.inner = p.a->dims[p.a->rank - 1];
    p.rows = p.a->rank > 1 ? p.a->dims[p.a->rank - 2] : 1;
    p.columns = p.b->rank > 1 ? p.b->dims[p.b->rank - 1] : 1;
    p.a_steps[0] = p.inner;
    p.a_steps[1] = 1;
    p.b_steps[0] = p.columns;
    p.b_steps[1] = 1;
    if (p.b->dims[p.b->rank > 1 ? p.b->rank - 2 : 0] != p.inner || !find_stack(&p, &walk)) {
        return false;
    }
    uint32_t rank = walk.rank;
    memcpy(dims, walk.dims, rank * sizeof(*dims));
    if (p.a->rank > 1) {
        dims[rank++] = p.rows;
    }
    if (p.b->rank > 1) {
        dims[rank++] = p.columns;
    }
    if (!begin(kernel, &p, rank, dims, &data)) {
        return false;
    }
    char *to = data;
    size_t bytes = (size_t)(p.rows * p.columns) * htp_dtype_size(p.a->dtype);
    htp_stride_walk_begin(&walk);
    for (size_t n = htp_stride_walk_next(&walk, first); n > 0;
         n = htp_stride_walk_next(&walk, first)) {
        for (size_t i = 0; i < n; i++) {
            if (!multiply(&p, first[0] + (int64_t)i * walk.step[0],
                          first[1] + (int64_t)i * walk.step[1], to)) {
                return false;
            }
            to += bytes;
        }
    }
    return true;
}

/* ---- two matrices, and a sum ---- */

static bool is_one(const htp_kernel *kernel, const char *name)
{
    const htp_attribute *found = htp_builder_attribute(kernel->node, name);
    return !found || (found->kind == HTP_ATTRIBUTE_FLOAT && found->f == 1.0F);
}

/* Sizes and steps of a matrix's rows and columns, exchanged if it is transposed. */
static void turn(const htp_known *x, bool is_turned, int64_t *sizes, int64_t *steps)
{
    int64_t own[2] = {x->dims[1], 1};
    for (int i = 0; i < 2; i++) {
        sizes[i] = x->dims[is_turned ? 1 - i : i];
        steps[i] = own[is_turned ? 1 - i : i];
    }
}

/* Reads the summand, which is broadcast to the product. */
static bool find_added(const htp_kernel *kernel, product *p)
{
    const int64_t sizes[2] = {p->rows, p->columns};
    p->c = htp_kernel_input(kernel, 2);
    if (!p->c) {
        return true;
    }
    if (p->c->rank > 2 || p->c->dtype != p->a->dtype) {
        return false;
    }
    int64_t strides[2];
    htp_strides_contiguous(p->c->rank, p->c->dims, strides);
    for (uint32_t i = 0; i < p->c->rank; i++) {
        uint32_t to = 2 - p->c->rank + i;
        if (p->c->dims[i] != 1 && p->c->dims[i] != sizes[to]) {
            return false;
        }
        p->c_steps[to] = p->c->dims[i] == 1 ? 0 : strides[i];
    }
    return true;
}

bool htp_kernel_scaled_product(htp_kernel *kernel)
{
    product p = {.c = NULL};
    int64_t a[2];
    int64_t b[2];
    void *data;
    if (!find_operands(kernel, &p) || p.a->rank != 2 || p.b->rank != 2 ||
        !is_one(kernel, "alpha") || !is_one(kernel, "beta")) {
        return false;
    }
    turn(p.a, htp_kernel_int(kernel, "transA", 0) != 0, a, p.a_steps);
    turn(p.b, htp_kernel_int(kernel, "transB", 0) != 0, b, p.b_steps);
    p.rows = a[0];
    p.inner = a[1];
    p.columns = b[1];
    const int64_t dims[2] = {p.rows, p.columns};
    return b[0] == p.inner && find_added(kernel, &p) && begin(kernel, &p, 2, dims, &data) &&
           multiply(&p, 0, 0, data);
}
