/*
 * Types of operators on image regions.
 */
#include "onnx/shape_inference/infer_rule.h"

/* [N, C, H, W] and K rois to [K, C, height, width]. */
static void set_pooled(htp_infer *infer, int64_t height, int64_t width)
{
    const htp_tensor *x = htp_infer_input(infer, 0);
    const htp_tensor *rois = htp_infer_input(infer, 1);
    if (!x || !rois || x->rank != 4 || rois->rank != 2) {
        return;
    }
    htp_dim *dims = htp_infer_dims(infer, 4);
    dims[0] = rois->dims[0];
    dims[1] = x->dims[1];
    dims[2] = htp_infer_size(infer, height);
    dims[3] = htp_infer_size(infer, width);
    htp_infer_set(infer, 0, x->dtype, 4, dims);
}

void htp_infer_roi_align(htp_infer *infer)
{
    set_pooled(infer, htp_infer_int(infer, "output_height", 1),
               htp_infer_int(infer, "output_width", 1));
}

void htp_infer_max_roi_pool(htp_infer *infer)
{
    set_pooled(infer, htp_infer_int_at(infer, "pooled_shape", 0, -1),
               htp_infer_int_at(infer, "pooled_shape", 1, -1));
}

/* The shape of the offset gives the number of windows. */
void htp_infer_deform_conv(htp_infer *infer)
{
    const htp_tensor *x = htp_infer_input(infer, 0);
    const htp_tensor *weight = htp_infer_input(infer, 1);
    const htp_tensor *offset = htp_infer_input(infer, 2);
    if (!x || !weight || !offset || x->rank != 4 || weight->rank != 4 || offset->rank != 4) {
        return;
    }
    htp_dim *dims = htp_infer_dims(infer, 4);
    dims[0] = x->dims[0];
    dims[1] = weight->dims[0];
    dims[2] = offset->dims[2];
    dims[3] = offset->dims[3];
    htp_infer_set(infer, 0, x->dtype, 4, dims);
}

void htp_infer_non_max_suppression(htp_infer *infer)
{
    htp_dim *dims = htp_infer_dims(infer, 2);
    dims[0] = htp_infer_unknown(infer);
    dims[1].size = 3;
    htp_infer_set(infer, 0, HTP_DTYPE_INT64, 2, dims);
}
