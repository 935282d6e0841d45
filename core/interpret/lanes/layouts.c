/*
 * Layouts of tensors that are created like others with other sizes.
 */
#include "interpret/lanes/execute.h"

#include <string.h>

void htp_tensor_order(const htp_runner_tensor *tensor, uint32_t *order)
{
    for (uint32_t dim = 0; dim < tensor->rank; dim++) {
        uint32_t at = dim;
        while (at > 0 && tensor->strides[order[at - 1]] < tensor->strides[dim]) {
            order[at] = order[at - 1];
            at--;
        }
        order[at] = dim;
    }
}

/* The stride after a dense dim. Unsigned, since sizes may be anything. */
static uint64_t step_over(uint64_t step, int64_t size)
{
    return step * (size > 1 ? (uint64_t)size : 1);
}

htp_outcome htp_tensor_ordered(htp_machine *m, const htp_runner_tensor *tensor,
                               const uint32_t *order, const htp_runner_tensor **made)
{
    int64_t *strides = HTP_NEW_ARRAY(m->arena, int64_t, tensor->rank);
    uint64_t step = 1;
    for (uint32_t i = tensor->rank; i-- > 0;) {
        strides[order[i]] = (int64_t)step;
        step = step_over(step, tensor->dims[order[i]]);
    }
    const htp_making making = {.way = HTP_MAKE_EMPTY,
                               .type = tensor->type,
                               .rank = tensor->rank,
                               .dims = tensor->dims,
                               .strides = strides};
    return htp_tensor_make(m, &making, made);
}

static htp_outcome stretch(htp_machine *m, const htp_runner_tensor *tensor, const int64_t *dims,
                           size_t rank, const int64_t *strides, const htp_runner_tensor **made)
{
    const htp_making making = {.way = HTP_MAKE_STRETCHED,
                               .of = tensor,
                               .rank = (uint32_t)rank,
                               .dims = dims,
                               .strides = strides};
    return htp_tensor_make(m, &making, made);
}

htp_outcome htp_tensor_resized(htp_machine *m, const htp_runner_tensor *tensor, int64_t dim,
                               int64_t size, const htp_runner_tensor **made)
{
    if (dim < 0 || dim >= (int64_t)tensor->rank) {
        return htp_machine_stop(m, HTP_FAILS, "a tensor of %u dims has no dim %lld",
                                (unsigned)tensor->rank, (long long)dim);
    }
    int64_t *dims = HTP_NEW_ARRAY(m->arena, int64_t, tensor->rank);
    memcpy(dims, tensor->dims, tensor->rank * sizeof(*dims));
    dims[dim] = size;
    return stretch(m, tensor, dims, tensor->rank, tensor->strides, made);
}

htp_outcome htp_tensor_reshaped(htp_machine *m, const htp_runner_tensor *tensor,
                                const int64_t *dims, size_t rank, const htp_runner_tensor **made)
{
    int64_t *strides = HTP_NEW_ARRAY(m->arena, int64_t, rank);
    uint64_t step = 1;
    for (size_t i = rank; i-- > 0;) {
        strides[i] = (int64_t)step;
        step = step_over(step, dims[i]);
    }
    return stretch(m, tensor, dims, rank, strides, made);
}
