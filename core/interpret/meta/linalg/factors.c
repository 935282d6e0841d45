/* Sizes of LAPACK's results, for matrices or batches of them. They are column-major. */
#include "interpret/meta/kernels.h"
#include "interpret/meta/layout.h"
#include "interpret/meta/outputs.h"
#include "interpret/meta/types.h"

#include <inttypes.h>
#include <string.h>

/* ---- common checks ---- */

static bool is_computed(int32_t type)
{
    return type == HTP_SCALAR_FLOAT || type == HTP_SCALAR_DOUBLE ||
           type == HTP_SCALAR_COMPLEX_FLOAT || type == HTP_SCALAR_COMPLEX_DOUBLE;
}

static bool check_matrix(htp_meta_call *call, const char *name, const htp_runner_tensor *tensor)
{
    if (tensor->rank < 2) {
        return htp_meta_refuse(call, "%s: The input tensor must have at least 2 dimensions.", name);
    }
    return is_computed(tensor->type) ||
           htp_meta_refuse(call, "%s: Expected a floating point or complex tensor as input. Got %s",
                           name, htp_scalar_type_name(tensor->type));
}

static bool check_square(htp_meta_call *call, const char *name, const htp_runner_tensor *tensor)
{
    htp_meta_text text;
    return check_matrix(call, name, tensor) &&
           (htp_meta_dim(tensor, -1) == htp_meta_dim(tensor, -2) ||
            htp_meta_refuse(call, "%s: A must be batches of square matrices, but got %s", name,
                            htp_meta_sizes_text(&text, tensor)));
}

static bool check_types(htp_meta_call *call, const char *name, const htp_runner_tensor *one,
                        const htp_runner_tensor *other)
{
    return one->type == other->type ||
           htp_meta_refuse(call, "%s: expected operands of the same dtype, but got %s and %s", name,
                           htp_scalar_type_name(one->type), htp_scalar_type_name(other->type));
}

/* Whether two tensors have equal first @p count dims. */
static bool have_batch(const htp_runner_tensor *one, const htp_runner_tensor *other, uint32_t count)
{
    return memcmp(one->dims, other->dims, count * sizeof(*one->dims)) == 0;
}

static bool give_columns(htp_meta_call *call, int32_t type, const htp_meta_sizes *sizes)
{
    int64_t dims[HTP_MAX_RANK];
    int64_t strides[HTP_MAX_RANK];
    uint32_t last = sizes->rank - 1;
    memcpy(dims, sizes->dims, sizes->rank * sizeof(*dims));
    dims[last] = sizes->dims[last - 1];
    dims[last - 1] = sizes->dims[last];
    htp_layout_contiguous(dims, sizes->rank, strides);
    int64_t step = strides[last - 1];
    strides[last - 1] = strides[last];
    strides[last] = step;
    return htp_meta_give_strided(call, type, sizes, strides);
}

static bool give_columns_like(htp_meta_call *call, const htp_runner_tensor *tensor)
{
    htp_meta_sizes sizes;
    return htp_meta_sizes_of(call, tensor, &sizes) && give_columns(call, tensor->type, &sizes);
}

/* ---- factors ---- */

bool htp_meta_cholesky(htp_meta_call *call)
{
    const htp_runner_tensor *self = htp_meta_tensor(call, 0);
    if (self->elements == 0) {
        return htp_meta_give_plain(call, self);
    }
    return check_square(call, "cholesky", self) && give_columns_like(call, self);
}

bool htp_meta_cholesky_inverse(htp_meta_call *call)
{
    const htp_runner_tensor *self = htp_meta_tensor(call, 0);
    return check_square(call, "cholesky_inverse", self) && give_columns_like(call, self);
}

bool htp_meta_cholesky_solve(htp_meta_call *call)
{
    const htp_runner_tensor *self = htp_meta_tensor(call, 0);
    return check_matrix(call, "cholesky_solve", self) && give_columns_like(call, self);
}

bool htp_meta_geqrf(htp_meta_call *call)
{
    const htp_runner_tensor *self = htp_meta_tensor(call, 0);
    htp_meta_sizes sizes;
    if (!check_matrix(call, "torch.geqrf", self) || !htp_meta_sizes_of(call, self, &sizes) ||
        !give_columns(call, self->type, &sizes)) {
        return false;
    }
    int64_t rows = htp_meta_dim(self, -2);
    int64_t columns = htp_meta_dim(self, -1);
    sizes.rank--;
    sizes.dims[sizes.rank - 1] = rows < columns ? rows : columns;
    return htp_meta_give(call, self->type, &sizes);
}

/* Whether Householder reflectors and their factors fit. */
static bool check_reflectors(htp_meta_call *call, const char *name, const htp_runner_tensor *input,
                             const htp_runner_tensor *factors)
{
    if (!check_matrix(call, name, input)) {
        return false;
    }
    bool fits = input->rank == factors->rank + 1 && have_batch(input, factors, factors->rank - 1) &&
                htp_meta_dim(input, -1) >= htp_meta_dim(factors, -1);
    htp_meta_text one;
    htp_meta_text two;
    return (fits || htp_meta_refuse(
                        call, "%s: expected tau with a number for each column, got %s and %s", name,
                        htp_meta_sizes_text(&one, input), htp_meta_sizes_text(&two, factors))) &&
           check_types(call, name, input, factors);
}

bool htp_meta_householder_product(htp_meta_call *call)
{
    const char *name = "torch.linalg.householder_product";
    const htp_runner_tensor *input = htp_meta_tensor(call, 0);
    if (!check_reflectors(call, name, input, htp_meta_tensor(call, 1))) {
        return false;
    }
    return htp_meta_dim(input, -2) < htp_meta_dim(input, -1)
               ? htp_meta_refuse(
                     call, "%s: input.shape[-2] must be greater than or equal to input.shape[-1]",
                     name)
               : give_columns_like(call, input);
}

bool htp_meta_ormqr(htp_meta_call *call)
{
    enum { INPUT, FACTORS, OTHER, LEFT };
    const char *name = "torch.ormqr";
    const htp_runner_tensor *input = htp_meta_tensor(call, INPUT);
    const htp_runner_tensor *factors = htp_meta_tensor(call, FACTORS);
    const htp_runner_tensor *other = htp_meta_tensor(call, OTHER);
    if (!check_reflectors(call, name, input, factors) || !check_matrix(call, name, other) ||
        !check_types(call, name, input, other)) {
        return false;
    }
    int64_t size = htp_meta_dim(other, htp_meta_bool(call, LEFT) ? -2 : -1);
    int64_t most = htp_meta_dim(input, -1) < size ? htp_meta_dim(input, -1) : size;
    bool fits = input->rank == other->rank && have_batch(input, other, input->rank - 2) &&
                size >= htp_meta_dim(factors, -1) && size == htp_meta_dim(input, -2) &&
                (call->major < 2 || htp_meta_dim(factors, -1) == most);
    htp_meta_text text;
    return fits ? give_columns_like(call, other)
                : htp_meta_refuse(call,
                                  "%s: expected another operand that can be multiplied, got "
                                  "%s",
                                  name, htp_meta_sizes_text(&text, other));
}

/* ---- eigenvalues ---- */

bool htp_meta_eigenvalues(htp_meta_call *call)
{
    const htp_runner_tensor *self = htp_meta_tensor(call, 0);
    htp_meta_sizes sizes;
    if (!check_square(call, "torch.linalg.eigvals", self) ||
        !htp_meta_sizes_of(call, self, &sizes)) {
        return false;
    }
    sizes.rank--;
    return htp_meta_give(call, htp_scalar_type_complex(self->type), &sizes);
}

bool htp_meta_eigenvectors(htp_meta_call *call)
{
    const htp_runner_tensor *self = htp_meta_tensor(call, 0);
    htp_meta_sizes sizes;
    return htp_meta_eigenvalues(call) && htp_meta_sizes_of(call, self, &sizes) &&
           give_columns(call, htp_scalar_type_complex(self->type), &sizes);
}

/* Whether the batch dims of a tensor form one dim in memory. */
static bool has_one_batch(const htp_runner_tensor *tensor)
{
    int64_t step = 0;
    bool has = true;
    for (uint32_t dim = tensor->rank - 2; dim-- > 0;) {
        if (tensor->dims[dim] != 1) {
            has = has && (step == 0 || tensor->strides[dim] == step);
            step = htp_meta_times(tensor->strides[dim], tensor->dims[dim]);
        }
    }
    return has;
}

/* The matrix exponential. In libtorch 1 it has the matrix's layout. Later versions flatten batches,
 * and treat 1x1 matrices as numbers. */
bool htp_meta_matrix_exp(htp_meta_call *call)
{
    const htp_runner_tensor *self = htp_meta_tensor(call, 0);
    bool is_half = self->type == HTP_SCALAR_HALF || self->type == HTP_SCALAR_BFLOAT16;
    if (self->rank < 2 || (!is_half && !is_computed(self->type)) ||
        htp_meta_dim(self, -1) != htp_meta_dim(self, -2)) {
        return htp_meta_refuse(call, "linalg.matrix_exp: A must be batches of square matrices of "
                                     "floating or complex numbers");
    }
    if (self->elements == 0) {
        return htp_meta_give_like(call, self);
    }
    if (htp_meta_dim(self, -1) == 1) {
        return htp_layout_is_contiguous(self) ? htp_meta_give_plain(call, self)
                                              : htp_meta_give_like(call, self);
    }
    if (has_one_batch(self)) {
        return call->major < 2 ? htp_meta_give_like(call, self) : htp_meta_give_plain(call, self);
    }
    return htp_meta_refuse(call, "linalg.matrix_exp: view size is not compatible with input "
                                 "tensor's size and stride");
}

/* ---- systems of equations ---- */

/* Broadcasts the batch dims of two matrices: all but the last two. */
static bool broadcast_batch(htp_meta_call *call, const htp_runner_tensor *one,
                            const htp_runner_tensor *other, htp_meta_sizes *sizes)
{
    sizes->rank = one->rank > other->rank ? one->rank : other->rank;
    for (uint32_t i = 3; i <= sizes->rank; i++) {
        int64_t a = i <= one->rank ? one->dims[one->rank - i] : 1;
        int64_t b = i <= other->rank ? other->dims[other->rank - i] : 1;
        if (a != b && a != 1 && b != 1) {
            htp_meta_text first;
            htp_meta_text second;
            return htp_meta_refuse(
                call, "The batch dimensions of the tensors must be broadcastable, got %s and %s",
                htp_meta_sizes_text(&first, one), htp_meta_sizes_text(&second, other));
        }
        sizes->dims[sizes->rank - i] = a == 1 ? b : a;
    }
    return true;
}

static void set_matrix(htp_meta_sizes *sizes, int64_t rows, int64_t columns)
{
    sizes->dims[sizes->rank - 2] = rows;
    sizes->dims[sizes->rank - 1] = columns;
}

bool htp_meta_solve_triangular(htp_meta_call *call)
{
    enum { MATRIX, RIGHT, UPPER, LEFT };
    const char *name = "linalg.solve_triangular";
    const htp_runner_tensor *matrix = htp_meta_tensor(call, MATRIX);
    const htp_runner_tensor *right = htp_meta_tensor(call, RIGHT);
    htp_meta_sizes sizes;
    if (!check_square(call, name, matrix) || !check_matrix(call, name, right) ||
        !check_types(call, name, matrix, right)) {
        return false;
    }
    if (htp_meta_dim(matrix, -1) != htp_meta_dim(right, htp_meta_bool(call, LEFT) ? -2 : -1)) {
        htp_meta_text one;
        htp_meta_text two;
        return htp_meta_refuse(call, "%s: Incompatible shapes of A and B: %s and %s", name,
                               htp_meta_sizes_text(&one, matrix), htp_meta_sizes_text(&two, right));
    }
    if (!broadcast_batch(call, right, matrix, &sizes)) {
        return false;
    }
    set_matrix(&sizes, htp_meta_dim(right, -2), htp_meta_dim(right, -1));
    return give_columns(call, matrix->type, &sizes);
}

/* The least squares of aten::linalg_lstsq. */
typedef struct least_squares {
    const htp_runner_tensor *input;
    const htp_runner_tensor *other;
    bool is_vector; /* `other` is one vector per matrix */
    int64_t rows;
    int64_t columns;
    int64_t right;        /* columns of `other` */
    htp_meta_sizes batch; /* broadcast batch dims, and two dims of a matrix */
} least_squares;

static bool check_least_squares(htp_meta_call *call, least_squares *of)
{
    const char *name = "torch.linalg.lstsq";
    const htp_runner_tensor *input = of->input;
    const htp_runner_tensor *other = of->other;
    if (!check_matrix(call, name, input) || !check_types(call, name, input, other)) {
        return false;
    }
    of->rows = htp_meta_dim(input, -2);
    of->columns = htp_meta_dim(input, -1);
    of->is_vector = other->rank + 1 == input->rank && have_batch(input, other, other->rank);
    of->right = of->is_vector || other->rank == 0 ? 1 : htp_meta_dim(other, -1);
    if (of->is_vector) {
        return htp_meta_sizes_of(call, input, &of->batch);
    }
    if (other->rank == input->rank && htp_meta_dim(other, -2) == of->rows) {
        return broadcast_batch(call, input, other, &of->batch);
    }
    htp_meta_text one;
    htp_meta_text two;
    return htp_meta_refuse(call, "%s: input of %s and other of %s do not fit each other", name,
                           htp_meta_sizes_text(&one, input), htp_meta_sizes_text(&two, other));
}

/* The first rows of the matrix that LAPACK overwrites. */
static bool give_solution(htp_meta_call *call, const least_squares *of)
{
    htp_meta_sizes sizes = of->batch;
    int64_t strides[HTP_MAX_RANK];
    int64_t most = of->rows > of->columns ? of->rows : of->columns;
    set_matrix(&sizes, of->right, most);
    htp_layout_contiguous(sizes.dims, sizes.rank, strides);
    int64_t step = strides[sizes.rank - 2];
    set_matrix(&sizes, of->columns, of->right);
    strides[sizes.rank - 2] = 1;
    strides[sizes.rank - 1] = step;
    sizes.rank -= of->is_vector ? 1 : 0;
    return htp_meta_give_strided(call, of->input->type, &sizes, strides);
}

/* @p count numbers per matrix of a batch; NULL: none. */
static bool give_numbers(htp_meta_call *call, const least_squares *of, int64_t count,
                         const htp_meta_sizes *batch)
{
    htp_meta_sizes sizes = {.dims = {0}, .rank = 1};
    if (batch) {
        sizes = *batch;
        sizes.rank--;
        sizes.dims[sizes.rank - 1] = count;
    }
    return htp_meta_give(call, htp_scalar_type_real(of->input->type), &sizes);
}

static bool give_rank(htp_meta_call *call, const least_squares *of, bool is_told)
{
    htp_meta_sizes sizes = {.dims = {0}, .rank = 1};
    if (is_told) {
        if (!htp_meta_sizes_of(call, of->input, &sizes)) {
            return false;
        }
        sizes.rank -= 2;
    }
    return htp_meta_give(call, HTP_SCALAR_LONG, &sizes);
}

/* Drivers that compute a rank omit the residuals if it is deficient, which depends on data; no
 * lowering takes these. */
bool htp_meta_least_squares(htp_meta_call *call)
{
    enum { INPUT, OTHER, CONDITION, DRIVER };
    least_squares of = {.input = htp_meta_tensor(call, INPUT),
                        .other = htp_meta_tensor(call, OTHER)};
    bool is_full = htp_meta_is_text(call, DRIVER, "gels");
    bool is_default = !htp_meta_has(call, DRIVER) || htp_meta_is_text(call, DRIVER, "gelsy");
    bool has_values =
        htp_meta_is_text(call, DRIVER, "gelsd") || htp_meta_is_text(call, DRIVER, "gelss");
    if (!is_full && !is_default && !has_values) {
        return htp_meta_refuse(call, "torch.linalg.lstsq: parameter `driver` should be one of "
                                     "(gels, gelsy, gelsd, gelss)");
    }
    if (!check_least_squares(call, &of)) {
        return false;
    }
    htp_meta_sizes own;
    int64_t least = of.rows < of.columns ? of.rows : of.columns;
    bool has_rest = !is_default && of.rows > of.columns;
    return htp_meta_sizes_of(call, of.input, &own) && give_solution(call, &of) &&
           give_numbers(call, &of, of.right, has_rest ? &of.batch : NULL) &&
           give_rank(call, &of, !is_full) &&
           give_numbers(call, &of, least, has_values ? &own : NULL);
}
