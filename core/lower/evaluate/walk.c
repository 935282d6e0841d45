/*
 * Walks several strided tensors in the order of one shape.
 */
#include "lower/evaluate/kernel.h"

void htp_strides_contiguous(uint32_t rank, const int64_t *dims, int64_t *strides)
{
    int64_t stride = 1;
    for (uint32_t i = rank; i-- > 0;) {
        strides[i] = stride;
        stride *= dims[i];
    }
}

/* Whether two neighbouring axes can be merged for all operands. */
static bool is_one_axis(const htp_stride_walk *walk, uint32_t outer, uint32_t inner)
{
    for (uint32_t k = 0; k < HTP_WALKED; k++) {
        if (walk->strides[k][outer] != walk->strides[k][inner] * walk->dims[inner]) {
            return false;
        }
    }
    return true;
}

/* Drops axes of size 1 and merges neighbours, so that rows are long. */
static void join_axes(htp_stride_walk *walk)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < walk->rank; i++) {
        if (walk->dims[i] == 1) {
            continue;
        }
        bool is_joined = kept > 0 && is_one_axis(walk, kept - 1, i);
        uint32_t to = is_joined ? kept - 1 : kept;
        walk->dims[to] = is_joined ? walk->dims[to] * walk->dims[i] : walk->dims[i];
        for (uint32_t k = 0; k < HTP_WALKED; k++) {
            walk->strides[k][to] = walk->strides[k][i];
        }
        kept = to + 1;
    }
    walk->rank = kept;
}

void htp_stride_walk_begin(htp_stride_walk *walk)
{
    walk->is_over = false;
    for (uint32_t i = 0; i < walk->rank; i++) {
        walk->is_over = walk->is_over || walk->dims[i] == 0;
    }
    if (walk->is_over) {
        return;
    }
    join_axes(walk);
    walk->done = 0;
    for (uint32_t i = 0; i < walk->rank; i++) {
        walk->index[i] = 0;
    }
    for (uint32_t k = 0; k < HTP_WALKED; k++) {
        walk->step[k] = walk->rank ? walk->strides[k][walk->rank - 1] : 0;
    }
}

/* Advances to the next row. */
static void next_row(htp_stride_walk *walk)
{
    walk->done = 0;
    walk->is_over = true;
    for (uint32_t i = walk->rank; i-- > 1 && walk->is_over;) {
        uint32_t axis = i - 1;
        walk->index[axis]++;
        walk->is_over = walk->index[axis] == walk->dims[axis];
        int64_t moved = walk->is_over ? 1 - walk->dims[axis] : 1;
        walk->index[axis] = walk->is_over ? 0 : walk->index[axis];
        for (uint32_t k = 0; k < HTP_WALKED; k++) {
            walk->first[k] += moved * walk->strides[k][axis];
        }
    }
}

size_t htp_stride_walk_next(htp_stride_walk *walk, int64_t *first)
{
    if (walk->is_over) {
        return 0;
    }
    int64_t row = walk->rank ? walk->dims[walk->rank - 1] : 1;
    int64_t left = row - walk->done;
    size_t count = left < (int64_t)HTP_KERNEL_BLOCK ? (size_t)left : HTP_KERNEL_BLOCK;
    for (uint32_t k = 0; k < HTP_WALKED; k++) {
        first[k] = walk->first[k] + walk->done * walk->step[k];
    }
    walk->done += (int64_t)count;
    if (walk->done == row) {
        next_row(walk);
    }
    return count;
}
