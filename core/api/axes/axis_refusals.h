/*
 * Refused trials of axes, kept so that the same sizes are not traced again. Private to core/api.
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
    htp_shape_conflict conflict; /**< with the requested sizes; its conditions name dims */
    htp_code code;
    const char *message; /**< of the status */
} htp_axis_refusal;

typedef HTP_VECTOR(htp_axis_refusal) htp_axis_refusals;

/** Finds a refused trial of the same sizes, chosen as @p conflict requests. @return NULL: none */
const htp_axis_refusal *htp_axis_refusals_find(const htp_axis_refusals *known, const htp_axes *axes,
                                               const htp_shape_conflict *conflict);

/** Keeps a refused trial. The message is copied, @p status stays the caller's, who holds it:
 * htp_status_hold(). */
void htp_axis_refusals_keep(htp_axis_refusals *known, const htp_axes *axes,
                            const htp_shape_conflict *conflict, htp_status status);

#endif
