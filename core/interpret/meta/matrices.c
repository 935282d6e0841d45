/* Sizes of products of vectors and matrices. */
#include "interpret/meta/kernels.h"
#include "interpret/meta/outputs.h"
#include "interpret/meta/types.h"

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

/* The products of all pairs of matrices, added up. */
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
