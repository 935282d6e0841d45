#include "interpret/meta/layout.h"

#include "interpret/meta/arithmetic.h"

#include <assert.h>
#include <string.h>

enum { PICTURE = 4, VOLUME = 5 };

/* Dims of images and volumes by ascending stride: channels, width, height, depth, batch. */
static uint32_t closest_dim(uint32_t rank, uint32_t at)
{
    return at == 0 ? 1 : at + 1 == rank ? 0 : rank - at;
}

static int64_t step_over(int64_t step, int64_t size)
{
    return htp_meta_times(step, size > 1 ? size : 1);
}

void htp_layout_contiguous(const int64_t *dims, uint32_t rank, int64_t *strides)
{
    int64_t step = 1;
    for (uint32_t i = rank; i-- > 0;) {
        strides[i] = step;
        step = step_over(step, dims[i]);
    }
}

void htp_layout_channels_last(const int64_t *dims, uint32_t rank, int64_t *strides)
{
    assert(rank == PICTURE || rank == VOLUME);
    int64_t step = 1;
    for (uint32_t at = 0; at < rank; at++) {
        uint32_t dim = closest_dim(rank, at);
        strides[dim] = step;
        step = htp_meta_times(step, dims[dim]); /* also over empty dims, unlike contiguous() */
    }
}

bool htp_layout_is_contiguous(const htp_runner_tensor *tensor)
{
    int64_t step = 1;
    bool is = true;
    for (uint32_t i = tensor->rank; i-- > 0 && tensor->elements != 0;) {
        is = is && (tensor->dims[i] == 1 || tensor->strides[i] == step);
        step = htp_meta_times(step, tensor->dims[i]);
    }
    return is;
}

static bool has_channels_last(const htp_runner_tensor *tensor)
{
    int64_t step = 1;
    bool has = true;
    for (uint32_t at = 0; at < tensor->rank; at++) {
        uint32_t dim = closest_dim(tensor->rank, at);
        has = has && (tensor->dims[dim] == 1 || tensor->strides[dim] == step);
        step = tensor->dims[dim] == 1 ? step : htp_meta_times(step, tensor->dims[dim]);
    }
    return has;
}

bool htp_layout_is_channels_last(const htp_runner_tensor *tensor)
{
    return tensor->rank == PICTURE && has_channels_last(tensor);
}

/* Dims with more than one element, sorted by stride. */
static uint32_t order_by_strides(const htp_runner_tensor *tensor, uint32_t *order)
{
    uint32_t count = 0;
    for (uint32_t dim = 0; dim < tensor->rank; dim++) {
        uint32_t at = count;
        if (tensor->dims[dim] < 2) {
            continue;
        }
        for (; at > 0 && tensor->strides[order[at - 1]] > tensor->strides[dim]; at--) {
            order[at] = order[at - 1];
        }
        order[at] = dim;
        count++;
    }
    return count;
}

bool htp_layout_is_dense(const htp_runner_tensor *tensor)
{
    uint32_t order[HTP_MAX_RANK];
    int64_t step = 1;
    if (htp_layout_is_contiguous(tensor) || tensor->rank > HTP_MAX_RANK) {
        return tensor->rank <= HTP_MAX_RANK;
    }
    uint32_t count = order_by_strides(tensor, order);
    for (uint32_t i = 0; i < count; i++) {
        if (tensor->strides[order[i]] != step) {
            return false;
        }
        step = htp_meta_times(step, tensor->dims[order[i]]);
    }
    return true;
}

static int compare_dims(const void *of, uint32_t a, uint32_t b)
{
    const htp_runner_tensor *tensor = of;
    int64_t one = tensor->strides[a];
    int64_t other = tensor->strides[b];
    if (one == 0 || other == 0) {
        return 0;
    }
    return one < other ? -1 : one > other || tensor->dims[a] > tensor->dims[b] ? 1 : 0;
}

void htp_layout_sort_dims(uint32_t rank, htp_layout_compare *compare, const void *of,
                          uint32_t *order)
{
    for (uint32_t i = 0; i < rank; i++) {
        order[i] = rank - 1 - i;
    }
    for (uint32_t i = 1; i < rank; i++) {
        uint32_t at = i;
        for (uint32_t before = i; before-- > 0;) {
            int comparison = compare(of, order[before], order[at]);
            if (comparison < 0) {
                break;
            }
            if (comparison > 0) {
                uint32_t moved = order[before];
                order[before] = order[at];
                order[at] = moved;
                at = before;
            }
        }
    }
}

void htp_layout_preserved(const htp_runner_tensor *tensor, int64_t *strides)
{
    uint32_t order[HTP_MAX_RANK];
    int64_t step = 1;
    if (htp_layout_is_dense(tensor)) {
        memcpy(strides, tensor->strides, tensor->rank * sizeof(*strides));
        return;
    }
    htp_layout_sort_dims(tensor->rank, compare_dims, tensor, order);
    for (uint32_t i = 0; i < tensor->rank; i++) {
        strides[order[i]] = step;
        step = step_over(step, tensor->dims[order[i]]);
    }
}

/* is_channels_last_strides_2d() and _3d(). */
static bool suggests_channels_last(const htp_runner_tensor *tensor)
{
    int64_t least = 0;
    for (uint32_t at = 0; at < tensor->rank; at++) {
        uint32_t dim = closest_dim(tensor->rank, at);
        bool is_ambiguous = dim == 0 && least == tensor->strides[1];
        if (tensor->dims[dim] == 0 || tensor->strides[dim] < least || is_ambiguous) {
            return false;
        }
        least = step_over(tensor->strides[dim], tensor->dims[dim]);
    }
    return true;
}

htp_memory_format htp_layout_suggested(const htp_runner_tensor *tensor)
{
    bool may = (tensor->rank == PICTURE || tensor->rank == VOLUME) && tensor->strides[1] != 0;
    return !may || !suggests_channels_last(tensor) ? HTP_MEMORY_CONTIGUOUS
           : tensor->rank == PICTURE               ? HTP_MEMORY_CHANNELS_LAST
                                                   : HTP_MEMORY_CHANNELS_LAST_3D;
}
