/* Sizes of products of vectors and matrices. */
#include "interpret/meta/iterator.h"
#include "interpret/meta/kernels.h"
#include "interpret/meta/outputs.h"
#include "interpret/meta/types.h"

#include <inttypes.h>
#include <string.h>

bool htp_meta_dot(htp_meta_call *call)
{
    const htp_runner_tensor *self = htp_meta_tensor(call, 0);
    const htp_runner_tensor *other = htp_meta_tensor(call, 1);
    const htp_meta_sizes sizes = {.rank = 0};
    htp_meta_text one;
    htp_meta_text two;
    if (self->rank != 1 || other->rank != 1 || self->dims[0] != other->dims[0]) {
        return htp_meta_refuse(call, "1D tensors of one size expected, but got %s and %s",
                               htp_meta_sizes_text(&one, self), htp_meta_sizes_text(&two, other));
    }
    if (self->type != other->type) {
        return htp_meta_refuse(
            call, "dot : expected both vectors to have same dtype, but found %s and %s",
            htp_scalar_type_name(self->type), htp_scalar_type_name(other->type));
    }
    return htp_meta_give(call, self->type, &sizes);
}

bool htp_meta_trace(htp_meta_call *call)
{
    const htp_runner_tensor *self = htp_meta_tensor(call, 0);
    const htp_meta_sizes sizes = {.rank = 0};
    if (self->rank != 2) {
        return htp_meta_refuse(call, "trace: expected a matrix, but got tensor with dim %u",
                               (unsigned)self->rank);
    }
    bool is_counted = htp_scalar_type_is_integral(self->type, true);
    return htp_meta_give(call, is_counted ? HTP_SCALAR_LONG : self->type, &sizes);
}

static bool expands_to(const htp_runner_tensor *tensor, const htp_meta_sizes *sizes)
{
    bool expands = tensor->rank <= sizes->rank;
    for (uint32_t i = 1; i <= tensor->rank && expands; i++) {
        int64_t size = tensor->dims[tensor->rank - i];
        expands = size == 1 || size == sizes->dims[sizes->rank - i];
    }
    return expands;
}

static bool check_factor(htp_meta_call *call, const htp_operand *factor, int32_t type)
{
    int32_t own = htp_operand_scalar_type(factor);
    if (own == HTP_SCALAR_BOOL && type != HTP_SCALAR_BOOL) {
        return htp_meta_refuse(call, "Boolean beta and alpha only supported for Boolean results.");
    }
    return !htp_scalar_type_is_integral(type, true) || htp_scalar_type_is_integral(own, true) ||
           htp_meta_refuse(call, "For integral input tensors, argument beta and alpha must not be "
                                 "floating point numbers.");
}

/* A matrix plus the outer product of two vectors: a loop over the expanded matrix, a column and a
 * row. */
bool htp_meta_outer_sum(htp_meta_call *call)
{
    enum { SELF, ROWS, COLUMNS, BETA, ALPHA };
    const htp_runner_tensor *rows = htp_meta_tensor(call, ROWS);
    const htp_runner_tensor *columns = htp_meta_tensor(call, COLUMNS);
    if (rows->rank != 1 || columns->rank != 1) {
        return htp_meta_refuse(call,
                               "addr: Expected 1-D arguments vec1 and vec2, but got %u-D and "
                               "%u-D",
                               (unsigned)rows->rank, (unsigned)columns->rank);
    }
    const htp_runner_tensor *self = htp_meta_tensor(call, SELF);
    const htp_meta_sizes sizes = {.dims = {rows->dims[0], columns->dims[0]}, .rank = 2};
    if (!expands_to(self, &sizes)) {
        htp_meta_text text;
        return htp_meta_refuse(call, "addr: %s does not expand to the sizes of the product",
                               htp_meta_sizes_text(&text, self));
    }
    const int64_t column_strides[] = {rows->strides[0], 1};
    const int64_t column_dims[] = {rows->dims[0], 1};
    int64_t strides[] = {0, 0};
    for (uint32_t i = 0; i < self->rank; i++) {
        strides[2 - self->rank + i] = self->dims[i] == 1 ? 0 : self->strides[i];
    }
    htp_runner_tensor expanded = *self;
    htp_runner_tensor column = *rows;
    expanded.rank = column.rank = 2;
    expanded.dims = sizes.dims;
    expanded.strides = strides;
    expanded.elements = htp_meta_times(sizes.dims[0], sizes.dims[1]);
    column.dims = column_dims;
    column.strides = column_strides;
    htp_iteration loop = htp_iteration_begin();
    const htp_operand operands[] = {{.kind = HTP_OPERAND_TENSOR, .as.tensor = &expanded},
                                    {.kind = HTP_OPERAND_TENSOR, .as.tensor = &column},
                                    call->operands[COLUMNS]};
    for (uint32_t i = 0; i < 3; i++) {
        if (!htp_iteration_add(call, &loop, &operands[i])) {
            return false;
        }
    }
    int32_t type = htp_type_state_result(&loop.types);
    htp_iteration_convert(&loop, type);
    return check_factor(call, &call->operands[BETA], type) &&
           check_factor(call, &call->operands[ALPHA], type) &&
           htp_iteration_give(call, &loop, type);
}

/* The sum of the products of all pairs of matrices. */
bool htp_meta_addbmm(htp_meta_call *call)
{
    const htp_runner_tensor *self = htp_meta_tensor(call, 0);
    const htp_runner_tensor *first = htp_meta_tensor(call, 1);
    const htp_runner_tensor *second = htp_meta_tensor(call, 2);
    htp_meta_text one;
    htp_meta_text two;
    if (first->rank != 3 || second->rank != 3 || first->dims[0] != second->dims[0] ||
        first->dims[2] != second->dims[1]) {
        return htp_meta_refuse(call,
                               "addbmm: expected batches of matrices that can be multiplied, but "
                               "got %s and %s",
                               htp_meta_sizes_text(&one, first), htp_meta_sizes_text(&two, second));
    }
    const htp_meta_sizes sizes = {.dims = {first->dims[1], second->dims[2]}, .rank = 2};
    if (!expands_to(self, &sizes)) {
        return htp_meta_refuse(call, "addbmm: %s does not expand to the sizes of the product",
                               htp_meta_sizes_text(&one, self));
    }
    if (self->type != first->type || self->type != second->type) {
        return htp_meta_refuse(call, "addbmm: expected operands of the same dtype");
    }
    return htp_meta_give(call, self->type, &sizes);
}

static bool check_matrices(htp_meta_call *call, const htp_runner_tensor *first,
                           const htp_runner_tensor *second)
{
    htp_meta_text got;
    htp_meta_text wanted;
    if (first->rank == 2 && first->dims[1] != second->dims[0]) {
        return htp_meta_refuse(call,
                               "mat1 and mat2 shapes cannot be multiplied (%" PRId64 "x%" PRId64
                               " and %" PRId64 "x%" PRId64 ")",
                               first->dims[0], first->dims[1], second->dims[0], second->dims[1]);
    }
    const int64_t dims[] = {first->dims[0], first->dims[first->rank - 1]};
    if (first->rank == 3 && (second->dims[0] != dims[0] || second->dims[1] != dims[1])) {
        return htp_meta_refuse(call,
                               "Expected size for first two dimensions of batch2 tensor to be: %s "
                               "but got: %s.",
                               htp_meta_dims_text(&wanted, dims, 2),
                               htp_meta_dims_text(&got, second->dims, 2));
    }
    return true;
}

/* A product of matrices of that rank, with batch dims in front. */
bool htp_meta_matrix_product(htp_meta_call *call)
{
    enum { MAX_RANK = 3 };
    const htp_runner_tensor *operands[] = {htp_meta_tensor(call, 0), htp_meta_tensor(call, 1)};
    const uint32_t rank = call->parameter;
    for (uint32_t i = 0; i < 2; i++) {
        if (operands[i]->rank != rank) {
            return rank == MAX_RANK
                       ? htp_meta_refuse(call, "batch%u must be a 3D tensor", (unsigned)i + 1)
                       : htp_meta_refuse(call, "%s must be a matrix", i == 0 ? "self" : "mat2");
        }
    }
    const htp_runner_tensor *first = operands[0];
    const htp_runner_tensor *second = operands[1];
    if (!check_matrices(call, first, second)) {
        return false;
    }
    if (first->type != second->type) {
        return htp_meta_refuse(
            call, "expected matrices of the same dtype to multiply, but got %s and %s",
            htp_scalar_type_name(first->type), htp_scalar_type_name(second->type));
    }
    htp_meta_sizes sizes = {.rank = rank};
    memcpy(sizes.dims, first->dims, rank * sizeof(*sizes.dims));
    sizes.dims[rank - 1] = second->dims[rank - 1];
    return htp_meta_give(call, first->type, &sizes);
}
