/*
 * Slices whose bounds are constants and have the same size at all sampled sizes: at smaller ones,
 * the dim may end before the slice does.
 */
#ifndef HTP_SOURCE_SLICE_BOUNDS_H
#define HTP_SOURCE_SLICE_BOUNDS_H

#include "source/inputs/inputs.h"

/** A size of an axis at which a dim ends before a slice does. */
typedef struct htp_cut {
    uint32_t axis;
    int64_t size;
} htp_cut;

/**
 * Finds the largest size, above those in @p refused (by axis), at which a slice with constant
 * bounds is smaller than at the sampled sizes; among several slices, the smallest of these.
 * @return false if there is none
 */
bool htp_slice_bounds_find(const htp_trace *trace, const htp_inputs *inputs, const int64_t *refused,
                           htp_cut *cut);

#endif
