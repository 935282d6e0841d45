/*
 * Slices that are cut short at all sampled sizes: at smaller sizes they need not be, and then their
 * outputs have other sizes.
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
 * Finds the smallest size, above those in @p refused (by axis), at which a slice with constant
 * bounds has another size than at the sampled ones.
 * @return false if there is none
 */
bool htp_slice_bounds_find(const htp_trace *trace, const htp_inputs *inputs, const int64_t *refused,
                           htp_cut *cut);

#endif
