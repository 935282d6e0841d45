/*
 * Where the elements of a value lie in memory, which aten::as_strided reads. Private to core/lower.
 */
#ifndef HTP_LOWER_LAYOUT_H
#define HTP_LOWER_LAYOUT_H

#include "lower/emit/lowering.h"

/** A value as a view of another one, its base, which is contiguous. */
typedef struct htp_layout {
    htp_value_id base;
    int64_t offset;     /* of the first element, counted in elements */
    bool is_contiguous; /* same order as the base; strides are not set then */
    uint32_t rank;
    int64_t sizes[HTP_MAX_RANK]; /* like strides, set if all dims are static */
    int64_t strides[HTP_MAX_RANK];
} htp_layout;

/** Finds the layout of @p value in memory, at all of its sizes. @return false if it is unknown */
bool htp_layout_find(const htp_lowering *l, htp_value_id value, htp_layout *layout);

/**
 * The strides of another shape for the same elements with strides @p from.
 * @return false if there are none: then elements would have to move. Reference: computeStride() in
 *         libtorch's TensorUtils.h
 */
bool htp_layout_reshape_strides(uint32_t from_rank, const int64_t *sizes, const int64_t *from,
                                uint32_t rank, const int64_t *dims, int64_t *strides);

#endif
