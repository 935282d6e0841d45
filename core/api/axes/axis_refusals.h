/*
 * Trials of axes that were refused: the same sizes are refused again. Private to core/api.
 */
#ifndef HTP_API_AXIS_REFUSALS_H
#define HTP_API_AXIS_REFUSALS_H

#include "base/status.h"
#include "base/vector.h"
#include "source/input_search/axes.h"
#include "source/tracing/shape_conflict.h"

/** A trial that was refused. */
typedef struct htp_axis_refusal {
    htp_axes axes;
    htp_shape_conflict conflict; /** < with the requested sizes; its conditions are about dims */
    htp_code code;
    const char *message; /**< of the status */
} htp_axis_refusal;

typedef HTP_VECTOR(htp_axis_refusal) htp_axis_refusals;

/** A trial of the same sizes, asked for in the same way as @p conflict says; NULL without one. */
const htp_axis_refusal *htp_axis_refusals_find(const htp_axis_refusals *known, const htp_axes *axes,
                                               const htp_shape_conflict *conflict);

/** Keeps a trial. */
void htp_axis_refusals_keep(htp_axis_refusals *known, const htp_axes *axes,
                            const htp_shape_conflict *conflict, htp_status status);

#endif
