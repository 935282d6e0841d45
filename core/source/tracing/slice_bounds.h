/*
 * Slices that cut something off at all sizes that were tried, read from a trace: at smaller ones
 * they need not, and their outputs have other sizes.
 */
#ifndef HTP_SOURCE_SLICE_BOUNDS_H
#define HTP_SOURCE_SLICE_BOUNDS_H

#include "source/inputs/inputs.h"

/** A size of an axis at which a slice cuts nothing off. */
typedef struct htp_cut {
    uint32_t axis;
    int64_t size;
} htp_cut;

/**
 * Finds the smallest size of all, above those that @p refused (by axis) holds, at which a slice
 * with constant bounds would have another size than at those tried.
 * @return false where there is none
 */
bool htp_slice_bounds_find(const htp_trace *trace, const htp_inputs *inputs, const int64_t *refused,
                           htp_cut *cut);

#endif
