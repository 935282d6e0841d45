/*
 * Arguments of the resizing operators, aten::upsample_*. Private to core/lower.
 */
#ifndef HTP_LOWER_RESIZE_H
#define HTP_LOWER_RESIZE_H

#include "lower/emit/lowering.h"

/** Dynamic sizes are checked for rounding up to this size. */
enum { HTP_RESIZING_LARGEST = 1 << 16 };

/** An input [N, C, spatial...] and its new sizes. */
typedef struct htp_resizing {
    const char *input; /* the argument's name */
    size_t axes;       /* spatial ones: 1 to 3 */
    const htp_dim *in;
    const htp_dim *out;
    double scales[3]; /* by axis; 0 if not given */
} htp_resizing;

/** Reads the arguments of any aten::upsample_*; fails if they are not supported. */
htp_resizing htp_resizing_read(htp_lowering *l);

/** Whether a given factor makes the new size of spatial axis @p axis, in every lane: libtorch also
 * takes sizes that do not follow from the factor. */
bool htp_resizing_scale_fits(htp_lowering *l, const htp_resizing *r, size_t axis);

/** The new size of spatial axis @p axis as [1]. */
htp_tensor_id htp_resizing_size(htp_lowering *l, const htp_resizing *r, size_t axis);

/** A constant with the factor of each dim of the input, those of N and C being 1. */
htp_tensor_id htp_resizing_scales(htp_lowering *l, const htp_resizing *r, const double *factors);

/** Linear or cubic interpolation of @p x, which is float64. */
htp_tensor_id htp_emit_interpolated(htp_lowering *l, const htp_resizing *r, htp_tensor_id x,
                                    bool is_cubic, bool align_corners);

/** As htp_emit_interpolated() with antialiasing; sizes must be known. */
htp_tensor_id htp_emit_antialiased(htp_lowering *l, const htp_resizing *r, htp_tensor_id x,
                                   bool is_cubic);

#endif
