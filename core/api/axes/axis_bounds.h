/*
 * Bounds of axes, learned in one trial and kept for later ones. Private to core/api.
 */
#ifndef HTP_API_AXIS_BOUNDS_H
#define HTP_API_AXIS_BOUNDS_H

#include "base/vector.h"
#include "source/input_search/axes.h"
#include "source/input_search/bounds.h"

/** Facts about an axis from a trial. */
typedef struct htp_axis_bound {
    htp_axes axes;   /**< of the trial */
    uint32_t axis;   /**< one of these, by its first dim */
    htp_bound bound; /**< with all that was known before */
} htp_axis_bound;

typedef HTP_VECTOR(htp_axis_bound) htp_axis_bounds;

/**
 * Gives the axes of a trial's inputs the bounds of earlier trials. A bound may depend on an axis
 * that was fixed there, or on two that were joined. So it holds only if no further axis is dynamic,
 * and none is split.
 * @param moving  the dims of the inputs' axes, as of htp_axes_apply()
 * @return whether any bound is known
 */
bool htp_axis_bounds_recall(const htp_axis_bounds *known, const htp_axes *axes,
                            const uint32_t *moving, htp_inputs *inputs);

/** Keeps the bounds learned in a trial beyond its initial ones (@p before, by axis). */
void htp_axis_bounds_keep(htp_axis_bounds *known, const htp_axes *axes, const uint32_t *moving,
                          const htp_inputs *inputs, const htp_bound *before);

#endif
