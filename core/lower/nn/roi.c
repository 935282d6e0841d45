/*
 * torchvision's operators on regions of images, and its deformable convolution.
 *
 * A region is [image, x1, y1, x2, y2]. Reference: ONNX NonMaxSuppression, RoiAlign, MaxRoiPool,
 * DeformConv (of opset 19).
 */
#include "lower/compose/compose.h"
#include "lower/emit/constant.h"
#include "lower/emit/rows.h"

#include <math.h>

/* ---- pooling ---- */

typedef struct regions {
    htp_dtype dtype;
    htp_tensor_id x;    /* [N, C, H, W] */
    htp_tensor_id rois; /* [K, 5] */
    double scale;
    int64_t height; /* of the pooled output */
    int64_t width;
} regions;

static regions read_regions(htp_lowering *l, unsigned flags)
{
    regions r = {.dtype = htp_arg_math_dtype(l, "input", flags),
                 .scale = htp_arg_float(l, "spatial_scale"),
                 .height = htp_arg_int(l, "pooled_height"),
                 .width = htp_arg_int(l, "pooled_width")};
    if (htp_arg_rank(l, "input") != 4 || htp_arg_rank(l, "rois") != 2) {
        htp_lower_fail(l, "an input of rank %u with rois of rank %u is not supported",
                       htp_arg_rank(l, "input"), htp_arg_rank(l, "rois"));
    }
    r.x = htp_arg_tensor_as(l, "input", r.dtype);
    r.rois = htp_arg_tensor_as(l, "rois", r.dtype);
    return r;
}

/** The mean of each bin of a region: [K, C, height, width]. Coordinates refer to pixel centres, or
 * half a pixel before them if @p aligned. */
static htp_tensor_id emit_roi_align(htp_lowering *l, const regions *r, bool aligned)
{
    const int64_t last = 1;
    int64_t ratio = htp_arg_int(l, "sampling_ratio");
    htp_tensor_id image = htp_emit_slice(l, r->rois, 1, 0, 1);
    image = htp_emit_cast(l, htp_emit_squeeze(l, image, &last, 1), r->dtype, HTP_DTYPE_INT64);
    htp_tensor_id corners = htp_emit_slice(l, r->rois, 1, 1, 5);
    return htp_emit(l, "RoiAlign", HTP_IN(r->x, corners, image),
                    HTP_AT(htp_attribute_string("coordinate_transformation_mode",
                                                aligned ? "half_pixel" : "output_half_pixel"),
                           htp_attribute_string("mode", "avg"),
                           htp_attribute_int("output_height", r->height),
                           htp_attribute_int("output_width", r->width),
                           htp_attribute_int("sampling_ratio", ratio > 0 ? ratio : 0),
                           htp_attribute_float("spatial_scale", r->scale)));
}

/** torchvision::roi_align */
void htp_lower_roi_align(htp_lowering *l)
{
    regions r = read_regions(l, HTP_MATH_ALLOW_DOUBLE);
    htp_bind_cast(l, 0, emit_roi_align(l, &r, htp_arg_bool(l, "aligned")), r.dtype);
}

/** torchvision::ps_roi_align: each bin of a region has its own channels. The second output, the
 * channel mapping, is not bound. */
void htp_lower_ps_roi_align(htp_lowering *l)
{
    const int64_t most = INT64_C(1) << 24;
    regions r = read_regions(l, HTP_MATH_ALLOW_DOUBLE);
    const htp_dim *dims = htp_arg_dims(l, "input");
    if (l->failure || dims[1].symbol || dims[1].size > most || r.height > most || r.width > most) {
        htp_lower_fail(l, "its number of channels is not known");
        return;
    }
    if (htp_arg_int(l, "sampling_ratio") <= 0) {
        htp_lower_fail(l,
                       "the mean of an empty region is not a number here, but 0 for runtimes: set "
                       "sampling_ratio");
    }
    int64_t parts = r.height * r.width;
    int64_t channels = dims[1].size;
    int64_t *places = HTP_NEW_ARRAY(l->arena, int64_t, (size_t)channels + 1);
    for (int64_t i = 0; i < channels; i++) {
        places[i] = i * parts + i % parts;
    }
    htp_tensor_id y =
        htp_emit_reshape(l, emit_roi_align(l, &r, true), (const int64_t[]){0, channels * parts}, 2);
    y = htp_emit(l, "Gather", HTP_IN(y, htp_emit_ints(l, places, (size_t)channels)),
                 HTP_AT(htp_attribute_int("axis", 1)));
    y = htp_emit_reshape(l, y, (const int64_t[]){0, channels / parts, r.height, r.width}, 4);
    htp_bind_cast(l, 0, y, r.dtype);
}

/** torchvision::roi_pool: the maximum of each bin of a region. The second output, their positions,
 * is not bound. */
void htp_lower_roi_pool(htp_lowering *l)
{
    regions r = read_regions(l, 0);
    const int64_t shape[] = {r.height, r.width};
    htp_tensor_id y = htp_emit(l, "MaxRoiPool", HTP_IN(r.x, r.rois),
                               HTP_AT(htp_attribute_ints("pooled_shape", shape, 2),
                                      htp_attribute_float("spatial_scale", r.scale)));
    htp_bind_cast(l, 0, y, r.dtype);
}

/* ---- suppression ---- */

/** The largest float32 not above a double: a float32 number exceeds both or neither. */
static float round_down(double value)
{
    float rounded = (float)value;
    return (double)rounded > value ? nextafterf(rounded, -INFINITY) : rounded;
}

/** torchvision::nms: the indices of boxes that overlap no better box by more than a threshold, best
 * first. */
void htp_lower_nms(htp_lowering *l)
{
    const int64_t batch = 0;
    const int64_t outer[] = {0, 1};
    const int64_t column = 1;
    float threshold = round_down(htp_arg_float(l, "iou_threshold"));
    if (htp_arg_dtype(l, "dets") != HTP_DTYPE_FLOAT32 ||
        htp_arg_dtype(l, "scores") != HTP_DTYPE_FLOAT32) {
        htp_lower_fail(l, "runtimes suppress boxes in float32 only");
        return;
    }
    if (!(threshold >= 0 && threshold <= 1)) {
        htp_lower_fail(l, "a threshold of %g is not supported", (double)threshold);
        return;
    }
    htp_tensor_id boxes = htp_arg_tensor(l, "dets");
    htp_tensor_id most = htp_emit_dim(l, boxes, htp_arg_dims(l, "dets"), 0);
    htp_tensor_id scores = htp_emit_unsqueeze(l, htp_arg_tensor(l, "scores"), outer, 2);
    htp_tensor_id kept = htp_emit(l, "NonMaxSuppression",
                                  HTP_IN(htp_emit_unsqueeze(l, boxes, &batch, 1), scores, most,
                                         htp_emit_fill(l, HTP_DTYPE_FLOAT32, 1, threshold)),
                                  HTP_NO_AT);
    kept = htp_emit_slice(l, kept, 1, 2, 3);
    htp_bind(l, 0, htp_emit_squeeze(l, kept, &column, 1));
}

/* ---- convolution ---- */

/** torchvision::deform_conv2d: each kernel point is offset, and optionally weighted by a mask. */
void htp_lower_deform_conv(htp_lowering *l)
{
    htp_dtype dtype = htp_arg_math_dtype(l, "input", HTP_MATH_ALLOW_DOUBLE);
    const htp_dim *kernel = htp_arg_dims(l, "weight");
    if (!htp_lower_needs_opset(l, 19, "it")) {
        return;
    }
    if (htp_arg_rank(l, "weight") != 4 || kernel[2].symbol || kernel[3].symbol) {
        htp_lower_fail(l, "the size of its kernel is not known");
        return;
    }
    int64_t pad[] = {htp_arg_int(l, "pad_h"), htp_arg_int(l, "pad_w")};
    const int64_t pads[] = {pad[0], pad[1], pad[0], pad[1]};
    const int64_t strides[] = {htp_arg_int(l, "stride_h"), htp_arg_int(l, "stride_w")};
    const int64_t dilations[] = {htp_arg_int(l, "dilation_h"), htp_arg_int(l, "dilation_w")};
    const int64_t shape[] = {kernel[2].size, kernel[3].size};
    htp_tensor_id mask =
        htp_arg_bool(l, "use_mask") ? htp_arg_tensor_as(l, "mask", dtype) : HTP_NONE;
    htp_tensor_id y = htp_emit(
        l, "DeformConv",
        HTP_IN(htp_arg_tensor_as(l, "input", dtype), htp_arg_tensor_as(l, "weight", dtype),
               htp_arg_tensor_as(l, "offset", dtype), htp_arg_tensor_as(l, "bias", dtype), mask),
        HTP_AT(htp_attribute_ints("dilations", dilations, 2),
               htp_attribute_int("group", htp_arg_int(l, "groups")),
               htp_attribute_ints("kernel_shape", shape, 2),
               htp_attribute_int("offset_group", htp_arg_int(l, "offset_groups")),
               htp_attribute_ints("pads", pads, 4), htp_attribute_ints("strides", strides, 2)));
    htp_bind_cast(l, 0, y, dtype);
}
