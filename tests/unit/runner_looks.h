/*
 * Operators of the made-up runner that look at the memory of their first operand.
 */
#ifndef HTP_TESTS_RUNNER_LOOKS_H
#define HTP_TESTS_RUNNER_LOOKS_H

#include "runner_rules.h"

/** How far an element is from the first one. */
static inline int64_t runner_reach(const htp_runner_tensor *tensor, int64_t element)
{
    int64_t at = 0;
    for (size_t i = tensor->rank; i-- > 0; element /= tensor->dims[i]) {
        at += element % tensor->dims[i] * tensor->strides[i];
    }
    return at;
}

/** A look at the memory of the first operand. */
static inline htp_run_code runner_look(runner_call *c, const int64_t *dims, size_t rank,
                                       const int64_t *strides, int64_t offset)
{
    const htp_runner_tensor *x = runner_given(c, 0);
    runner_tensor *made = runner_new(c->runner, x->type, dims, rank, strides, runner_all_real(c));
    made->view.storage = x->storage;
    made->view.offset = x->offset + offset;
    for (int64_t i = 0; made->view.is_real && x->is_contiguous && i < made->view.elements; i++) {
        made->numbers[i] = runner_of(x)->numbers[offset + runner_reach(&made->view, i)];
    }
    return runner_give(c, &made->view);
}

static inline htp_run_code runner_unsqueeze(runner_call *c)
{
    const htp_runner_tensor *x = runner_given(c, 0);
    int64_t at = x ? runner_dim(c, 1, (int64_t)x->rank + 1) : -1;
    if (at < 0) {
        return runner_raise(c, "Dimension out of range");
    }
    int64_t dims[HTP_MAX_RANK + 1];
    int64_t strides[HTP_MAX_RANK + 1];
    for (uint32_t i = 0, k = 0; i <= x->rank; i++) {
        dims[i] = i == at ? 1 : x->dims[k];
        strides[i] = i == at ? 1 : x->strides[k];
        k += i != at;
    }
    return runner_look(c, dims, (size_t)x->rank + 1, strides, 0);
}

/** squeeze(dim): a dim of 1 goes. */
static inline htp_run_code runner_squeeze(runner_call *c)
{
    const htp_runner_tensor *x = runner_given(c, 0);
    int64_t at = x ? runner_dim(c, 1, x->rank) : -1;
    if (at < 0) {
        return runner_raise(c, "Dimension out of range");
    }
    int64_t dims[HTP_MAX_RANK];
    int64_t strides[HTP_MAX_RANK];
    uint32_t rank = 0;
    for (uint32_t i = 0; i < x->rank; i++) {
        if (i != at || x->dims[i] != 1) {
            dims[rank] = x->dims[i];
            strides[rank++] = x->strides[i];
        }
    }
    return runner_look(c, dims, rank, strides, 0);
}

static inline htp_run_code runner_select(runner_call *c)
{
    const htp_runner_tensor *x = runner_given(c, 0);
    int64_t at = x ? runner_dim(c, 1, x->rank) : -1;
    int64_t index = runner_number(c, 2);
    if (at < 0 || index >= x->dims[at] || index < -x->dims[at]) {
        return runner_raise(c, "index out of range");
    }
    int64_t dims[HTP_MAX_RANK];
    int64_t strides[HTP_MAX_RANK];
    for (uint32_t i = 0, k = 0; i < x->rank; i++) {
        if (i != at) {
            dims[k] = x->dims[i];
            strides[k++] = x->strides[i];
        }
    }
    return runner_look(c, dims, x->rank - 1, strides, index * x->strides[at]);
}

/** A bound of a slice, from the end where it is negative. */
static inline int64_t runner_bound(int64_t bound, int64_t size)
{
    bound += bound < 0 ? size : 0;
    return bound < 0 ? 0 : bound > size ? size : bound;
}

static inline htp_run_code runner_slice(runner_call *c)
{
    const htp_runner_tensor *x = runner_given(c, 0);
    int64_t at = x ? runner_dim(c, 1, x->rank) : -1;
    if (at < 0) {
        return runner_raise(c, "Dimension out of range");
    }
    int64_t size = x->dims[at];
    int64_t begin = runner_bound(runner_number(c, 2), size);
    int64_t end = c->inputs[3].kind == HTP_OPERAND_INT ? c->inputs[3].as.i : size;
    int64_t step = c->count > 4 && runner_number(c, 4) > 0 ? runner_number(c, 4) : 1;
    end = runner_bound(end, size);
    int64_t dims[HTP_MAX_RANK];
    int64_t strides[HTP_MAX_RANK];
    memcpy(dims, x->dims, x->rank * sizeof(int64_t));
    memcpy(strides, x->strides, x->rank * sizeof(int64_t));
    dims[at] = end > begin ? (end - begin + step - 1) / step : 0;
    strides[at] *= step;
    return runner_look(c, dims, x->rank, strides, begin * x->strides[at]);
}

/** movedim() and transpose(): a look with dims in another order. */
static inline htp_run_code runner_move(runner_call *c, bool swaps)
{
    const htp_runner_tensor *x = runner_given(c, 0);
    int64_t from = x ? runner_dim(c, 1, x->rank) : -1;
    int64_t to = x ? runner_dim(c, 2, x->rank) : -1;
    if (from < 0 || to < 0) {
        return runner_raise(c, "Dimension out of range");
    }
    int64_t order[HTP_MAX_RANK];
    for (int64_t i = 0, k = 0; i < x->rank; i++) {
        k += k == from && !swaps;
        order[i] = swaps ? (i == from ? to : i == to ? from : i) : i == to ? from : k++;
    }
    int64_t dims[HTP_MAX_RANK];
    int64_t strides[HTP_MAX_RANK];
    for (uint32_t i = 0; i < x->rank; i++) {
        dims[i] = x->dims[order[i]];
        strides[i] = x->strides[order[i]];
    }
    return runner_look(c, dims, x->rank, strides, 0);
}

static inline htp_run_code runner_movedim(runner_call *c)
{
    return runner_move(c, false);
}

static inline htp_run_code runner_transpose(runner_call *c)
{
    return runner_move(c, true);
}

/** t(), of two dims. */
static inline htp_run_code runner_t(runner_call *c)
{
    const htp_runner_tensor *x = runner_given(c, 0);
    if (!x || x->rank != 2) {
        return runner_raise(c, "t() expects a tensor with two dims");
    }
    const int64_t dims[] = {x->dims[1], x->dims[0]};
    const int64_t strides[] = {x->strides[1], x->strides[0]};
    return runner_look(c, dims, 2, strides, 0);
}

static inline htp_run_code runner_permute(runner_call *c)
{
    const htp_runner_tensor *x = runner_given(c, 0);
    int64_t order[HTP_MAX_RANK] = {0};
    int64_t dims[HTP_MAX_RANK];
    int64_t strides[HTP_MAX_RANK];
    if (!x || runner_numbers(c, 1, order) != x->rank) {
        return runner_raise(c, "permute() expects as many dims as there are");
    }
    for (uint32_t i = 0; i < x->rank; i++) {
        int64_t from = order[i] + (order[i] < 0 ? x->rank : 0);
        if (from < 0 || from >= x->rank) {
            return runner_raise(c, "Dimension out of range");
        }
        dims[i] = x->dims[from];
        strides[i] = x->strides[from];
    }
    return runner_look(c, dims, x->rank, strides, 0);
}

/** expand() of dims of 1; -1 leaves a dim as it is. */
static inline htp_run_code runner_expand(runner_call *c)
{
    const htp_runner_tensor *x = runner_given(c, 0);
    int64_t dims[HTP_MAX_RANK];
    int64_t strides[HTP_MAX_RANK];
    if (!x || runner_numbers(c, 1, dims) != x->rank) {
        return runner_raise(c, "expand() expects as many sizes as there are dims");
    }
    for (uint32_t i = 0; i < x->rank; i++) {
        bool stays = dims[i] == -1 || dims[i] == x->dims[i];
        if (!stays && x->dims[i] != 1) {
            return runner_raise(c, "the expanded size must match the existing size");
        }
        strides[i] = stays ? x->strides[i] : 0;
        dims[i] = stays ? x->dims[i] : dims[i];
    }
    return runner_look(c, dims, x->rank, strides, 0);
}

/** contiguous(), detach(): the operand itself where that is so already. */
static inline htp_run_code runner_contiguous(runner_call *c)
{
    const htp_runner_tensor *x = runner_given(c, 0);
    return x->is_contiguous ? runner_look(c, x->dims, x->rank, x->strides, 0) : runner_same(c);
}

/** A new tensor of the same sizes, whose dims lie in order here, and the other way round where
 * libtorch was built otherwise. */
static inline htp_run_code runner_as_built(runner_call *c)
{
    const htp_runner_tensor *x = runner_given(c, 0);
    int64_t strides[HTP_MAX_RANK];
    int64_t step = 1;
    for (uint32_t i = 0; i < x->rank; i++) {
        strides[i] = step;
        step *= x->dims[i];
    }
    const int64_t *other = c->mode == HTP_RUN_ELSEWHERE ? strides : NULL;
    return runner_give(c, &runner_new(c->runner, x->type, x->dims, x->rank, other, false)->view);
}

static inline htp_run_code runner_stride(runner_call *c)
{
    const htp_runner_tensor *x = runner_given(c, 0);
    int64_t at = x ? runner_dim(c, 1, x->rank) : -1;
    return at < 0 ? runner_raise(c, "Dimension out of range") : runner_give_int(c, x->strides[at]);
}

static inline htp_run_code runner_detach(runner_call *c)
{
    const htp_runner_tensor *x = runner_given(c, 0);
    return runner_look(c, x->dims, x->rank, x->strides, 0);
}

/** view(), reshape(): a look where the operand is dense. */
static inline htp_run_code runner_view(runner_call *c)
{
    const htp_runner_tensor *x = runner_given(c, 0);
    int64_t dims[HTP_MAX_RANK];
    size_t rank = runner_numbers(c, 1, dims);
    int64_t known = 1;
    for (size_t i = 0; i < rank; i++) {
        known *= dims[i] < 0 ? 1 : dims[i];
    }
    for (size_t i = 0; i < rank; i++) {
        dims[i] = dims[i] < 0 && known > 0 ? x->elements / known : dims[i];
    }
    if (runner_count(dims, rank) != x->elements) {
        return runner_raise(c, "shape is invalid for the number of elements");
    }
    return x->is_contiguous ? runner_look(c, dims, rank, NULL, 0)
                            : runner_give_sizes(c, x->type, dims, rank);
}

static inline htp_run_code runner_reshape_as(runner_call *c)
{
    const htp_runner_tensor *other = runner_given(c, 1);
    if (other->elements != runner_given(c, 0)->elements) {
        return runner_raise(c, "shape is invalid for the number of elements");
    }
    return runner_look(c, other->dims, other->rank, NULL, 0);
}

#endif
