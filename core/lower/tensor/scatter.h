/*
 * Scatters and reductions of elements along one dim. Private to core/lower.
 */
#ifndef HTP_LOWER_SCATTER_H
#define HTP_LOWER_SCATTER_H

#include "lower/emit/lowering.h"

/** Operands of a scatter: x, index and updates have one rank, at least 1. */
typedef struct htp_scattering {
    htp_dtype dtype;
    int64_t axis;
    htp_tensor_id x;
    htp_tensor_id index;
    htp_tensor_id updates; /* of index's shape */
} htp_scattering;

/** ScatterElements of @p updates into @p x. @param reduction  ONNX's; "" overwrites */
htp_tensor_id htp_emit_scatter(htp_lowering *l, const htp_scattering *s, htp_tensor_id x,
                               htp_tensor_id updates, const char *reduction);

/**
 * @p x, the extremes computed by s, with NaN wherever a reduced element is NaN, which ONNX ignores.
 * @param begin  the initial value of the reduction
 */
htp_tensor_id htp_emit_scattered_nan(htp_lowering *l, const htp_scattering *s, htp_tensor_id begin,
                                     htp_tensor_id x);

#endif
