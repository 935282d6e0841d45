/*
 * How outputs lie in memory, where libtorch's kernels for the CPU decide otherwise than those for
 * tensors without contents. view() is possible or not by that, and what reshape() and contiguous()
 * give is a copy or a view, which in-place changes tell apart.
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

/* How far apart elements are that lie densely. Unsigned: sizes may be anything. */
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

/* ---- what kernels decide ---- */

/* Attention of the first two queries to the first two keys is laid out as that of all is; a mask
 * has both as its last dims. What lies between them is left out, which is most. */
static htp_outcome take_first_two(htp_machine *m, size_t index, const htp_runner_tensor *tensor,
                                  const htp_runner_tensor **made)
{
    const size_t mask = 3;
    htp_runner_tensor first = *tensor;
    int64_t *dims = HTP_NEW_ARRAY(m->arena, int64_t, tensor->rank);
    bool is_expanded = false;
    for (uint32_t dim = 0; dim < tensor->rank; dim++) {
        bool is_cut = (index == mask || dim + 1 < tensor->rank) && tensor->dims[dim] > 2;
        dims[dim] = is_cut ? 2 : tensor->dims[dim];
        is_expanded = is_expanded || tensor->strides[dim] == 0;
    }
    first.dims = dims;
    if (!tensor->is_real && !is_expanded) {
        uint32_t *order = HTP_NEW_ARRAY(m->arena, uint32_t, tensor->rank);
        htp_tensor_order(&first, order);
        return htp_tensor_ordered(m, &first, order, made);
    }
    const htp_making making = {.way = HTP_MAKE_VIEW,
                               .of = tensor,
                               .rank = tensor->rank,
                               .dims = dims,
                               .strides = tensor->strides,
                               .offset = tensor->offset};
    return htp_tensor_make(m, &making, made);
}

static bool is_plain(const htp_item *item)
{
    return !htp_is_tensor(item) || htp_tensor_in(item, 0)->is_contiguous;
}

/* Gives an output the layout of another one. */
static htp_outcome lay_out_as(htp_machine *m, htp_operand *output, const htp_operand *real)
{
    if (output->kind != HTP_OPERAND_TENSOR || real->kind != HTP_OPERAND_TENSOR) {
        return HTP_GOES_ON;
    }
    if (output->as.tensor->rank != real->as.tensor->rank) {
        return htp_machine_stop(m, HTP_FAILS, "kernels differ in the rank of what they give");
    }
    uint32_t *order = HTP_NEW_ARRAY(m->arena, uint32_t, real->as.tensor->rank);
    htp_tensor_order(real->as.tensor, order);
    return htp_tensor_ordered(m, output->as.tensor, order, &output->as.tensor);
}

/* In all lanes that which the real kernel gives in lane 0. */
htp_outcome htp_call_lay_out(htp_machine *m, const htp_call *call, htp_lanes *results)
{
    if (!htp_has_fact(call->schema.name, HTP_FACT_DECIDES_LAYOUT) ||
        htp_items_all(&call->inputs, is_plain)) {
        return HTP_GOES_ON;
    }
    bool is_attention = strcmp(call->schema.name, "aten::scaled_dot_product_attention") == 0;
    htp_operand *real = NULL;
    size_t count = 0;
    htp_outcome refusal = HTP_GOES_ON;
    HTP_DO(htp_call_try_stand_ins(m, call, 0, HTP_RUN_ONES, is_attention ? take_first_two : NULL,
                                  &real, &count, &refusal));
    HTP_DO(refusal);
    for (uint32_t lane = 0; lane < m->lane_count; lane++) {
        for (size_t i = 0; i < results->count && i < count; i++) {
            HTP_DO(lay_out_as(m, &results->lane[lane][i], &real[i]));
        }
    }
    return HTP_GOES_ON;
}
