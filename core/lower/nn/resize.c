/*
 * Interpolation: aten::upsample_linear1d, _bilinear2d, _trilinear3d, _bicubic2d and the antialiased
 * ones.
 *
 * Reference: ONNX Resize. PyTorch's coordinates are half_pixel or align_corners. A given scale
 * factor is used even if the sizes have another ratio, as in ONNX when the input is scales, not
 * sizes. float64 is interpolated in interpolation.c.
 */
#include "lower/nn/resize.h"

#include "lower/compose/compose.h"
#include "lower/emit/sizes.h"

#include <math.h>
#include <string.h>

/** All dims of the result. */
static htp_tensor_id emit_sizes(htp_lowering *l, const htp_resizing *r)
{
    htp_sizes sizes = htp_sizes_begin(l);
    htp_sizes_add_dims(&sizes, htp_arg_tensor(l, r->input), htp_arg_dims(l, r->input), 0, 2);
    for (size_t i = 0; i < r->axes; i++) {
        htp_sizes_add_tensor(&sizes, htp_resizing_size(l, r, i));
    }
    return htp_sizes_end(&sizes);
}

/** Whether a float32 factor gives PyTorch's size: in a runtime, which multiplies in float32, and in
 * ONNX's shape inference, which multiplies in float64. */
static bool size_is_certain(int64_t in, double scale, float written)
{
    double size = floor((double)in * scale);
    return floorf((float)in * written) == (float)size &&
           floor((double)in * (double)written) == size;
}

/** Whether a factor gives the right size of an axis; for a dynamic size, all of them. */
static bool factor_fits(const htp_resizing *r, size_t i, float written)
{
    double scale = r->scales[i];
    if (!r->in[i].symbol) {
        return size_is_certain(r->in[i].size, scale, written);
    }
    for (int64_t size = 1; floor(scale) != scale && size <= HTP_RESIZING_LARGEST; size++) {
        if (!size_is_certain(size, scale, written)) {
            return false;
        }
    }
    return true;
}

/** The factor of an axis to write: the nearest float32, or an adjacent one that gives the same size
 * as the factor itself. */
static double written_factor(htp_lowering *l, const htp_resizing *r, size_t i)
{
    float nearest = (float)r->scales[i];
    const float candidates[] = {nearest, nextafterf(nearest, INFINITY), nextafterf(nearest, 0)};
    bool fits = htp_resizing_scale_fits(l, r, i);
    for (size_t k = 0; fits && k < 3; k++) {
        if (factor_fits(r, i, candidates[k])) {
            return (double)candidates[k];
        }
    }
    htp_lower_fail(l, "a scale factor of %g does not give certain sizes", r->scales[i]);
    return r->scales[i];
}

/** Whether given factors are used; then all axes must have them. */
static bool choose_factors(htp_lowering *l, const htp_resizing *r, double *factors)
{
    bool given = false;
    for (size_t i = 0; i < r->axes; i++) {
        given = given || r->scales[i] > 0;
    }
    for (size_t i = 0; given && i < r->axes; i++) {
        if (r->scales[i] > 0) {
            factors[i] = written_factor(l, r, i);
        } else if (r->in[i].symbol || r->out[i].symbol || r->in[i].size < 1) {
            htp_lower_fail(l, "it has scale factors for some axes only");
        } else {
            factors[i] = (double)r->out[i].size / (double)r->in[i].size;
        }
    }
    return given;
}

/** Writes the attributes of Resize. @return their number */
static size_t write_attributes(htp_lowering *l, htp_attribute *attributes, bool align_corners)
{
    bool antialias = strstr(l->row->kind, "_aa") != NULL;
    bool cubic = strcmp(l->row->op, "cubic") == 0;
    size_t count = 0;
    attributes[count++] = htp_attribute_string("mode", l->row->op);
    attributes[count++] = htp_attribute_string("coordinate_transformation_mode",
                                               align_corners ? "align_corners" : "half_pixel");
    if (cubic) {
        attributes[count++] = htp_attribute_float("cubic_coeff_a", antialias ? -0.5 : -0.75);
    }
    if (antialias) {
        attributes[count++] = htp_attribute_int("antialias", 1);
        attributes[count++] = htp_attribute_int("exclude_outside", 1);
        if (align_corners) {
            htp_lower_fail(l, "antialiasing needs opset 18, and align_corners=False");
        }
        (void)htp_lower_needs_opset(l, 18, "antialiasing");
    }
    return count;
}

/** Refuses a bug of libtorch: if an antialiased width becomes 1, its kernel gives every row the
 * weights of the first. */
static void refuse_repeated_rows(htp_lowering *l, const htp_resizing *r)
{
    bool is_narrow = r->axes == 2 && !r->out[1].symbol && r->out[1].size == 1;
    bool keeps_rows = !r->out[0].symbol && !r->in[0].symbol && r->out[0].size == r->in[0].size;
    bool is_row = !r->out[0].symbol && r->out[0].size == 1;
    if (strstr(l->row->kind, "_aa") && is_narrow && !keeps_rows && !is_row) {
        htp_lower_fail(l, "libtorch repeats the first row where an antialiased width becomes 1");
    }
}

static void bind_double(htp_lowering *l, const htp_resizing *r, bool align_corners)
{
    bool is_cubic = strcmp(l->row->op, "cubic") == 0;
    bool antialias = strstr(l->row->kind, "_aa") != NULL;
    refuse_repeated_rows(l, r);
    if (antialias && align_corners) {
        htp_lower_fail(l, "antialiasing needs align_corners=False");
    }
    if (l->failure) {
        return;
    }
    htp_tensor_id x = htp_arg_tensor_as(l, r->input, HTP_DTYPE_FLOAT64);
    htp_bind(l, 0,
             antialias ? htp_emit_antialiased(l, r, x, is_cubic)
                       : htp_emit_interpolated(l, r, x, is_cubic, align_corners));
}

/** The row has ONNX's mode: "linear" or "cubic". */
void htp_lower_upsample(htp_lowering *l)
{
    htp_resizing r = htp_resizing_read(l);
    htp_dtype dtype = htp_arg_math_dtype(l, r.input, HTP_MATH_KEEP_HALF | HTP_MATH_ALLOW_DOUBLE);
    bool align_corners = htp_arg_bool(l, "align_corners");
    if (dtype == HTP_DTYPE_FLOAT64) {
        bind_double(l, &r, align_corners);
        return;
    }
    htp_attribute attributes[5];
    size_t count = write_attributes(l, attributes, align_corners);
    refuse_repeated_rows(l, &r);
    if (l->failure) {
        return;
    }
    htp_tensor_id sizes = HTP_NONE;
    htp_tensor_id scales = HTP_NONE;
    double factors[3] = {1, 1, 1};
    if (!align_corners && choose_factors(l, &r, factors)) {
        scales = htp_resizing_scales(l, &r, factors);
    } else {
        sizes = emit_sizes(l, &r);
    }
    htp_tensor_id x = htp_arg_tensor_as(l, r.input, dtype);
    x = htp_emit(l, "Resize", HTP_IN(x, HTP_NONE, scales, sizes),
                 (htp_emit_attributes){attributes, count});
    htp_bind_cast(l, 0, x, dtype);
}
