/*
 * Bounds of axes that one trial told, for those that follow. Private to core/api.
 */
#ifndef HTP_API_AXIS_BOUNDS_H
#define HTP_API_AXIS_BOUNDS_H

#include "base/vector.h"
#include "source/input_search/axes.h"
#include "source/input_search/bounds.h"

/** What a trial told of an axis. */
typedef struct htp_axis_bound {
    htp_axes axes;   /**< of the trial */
    uint32_t axis;   /**< of these: the first dim */
    htp_bound bound; /**< with all that was known before */
} htp_axis_bound;

typedef HTP_VECTOR(htp_axis_bound) htp_axis_bounds;

/**
 * Gives the axes of a trial's inputs the bounds that earlier trials told. What was alike in all
 * lanes of such a trial may follow an axis that was fixed there, or two that were one: it counts
 * where no more moves, and none moves apart.
 * @param moving  the dims of the inputs' axes, as of htp_axes_apply()
 * @return whether any is known
 */
bool htp_axis_bounds_recall(const htp_axis_bounds *known, const htp_axes *axes,
                            const uint32_t *moving, htp_inputs *inputs);

/** Keeps what a trial told beyond the bounds that it began with (@p before, by axis). */
void htp_axis_bounds_keep(htp_axis_bounds *known, const htp_axes *axes, const uint32_t *moving,
                          const htp_inputs *inputs, const htp_bound *before);

#endif
