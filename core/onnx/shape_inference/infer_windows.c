/*
 * Types of convolutions, pooling, and resizing.
 *
 * Tensors are [batch, channels, spatial axes...].
 */
#include "onnx/shape_inference/infer_rule.h"

#include <math.h>
#include <string.h>

/* Larger sizes are left unknown, so that nothing below overflows. */
#define MAX_SIZE (INT64_C(1) << 30)

enum {
    MAX_SCALE = 1 << 10,
    MAX_HALVES = 10,
};

/** A window that moves along one axis. */
typedef struct window {
    int64_t kernel; /* below 1: unknown */
    int64_t stride;
    int64_t dilation;
    int64_t pad_begin;
    int64_t pad_end;
    bool ceil_mode;
} window;

/* The window on spatial axis @p axis of @p axes, by the node's attributes. */
static window read_window(const htp_infer *infer, uint32_t axis, uint32_t axes, int64_t kernel)
{
    return (window){
        .kernel = htp_infer_int_at(infer, "kernel_shape", axis, kernel),
        .stride = htp_infer_int_at(infer, "strides", axis, 1),
        .dilation = htp_infer_int_at(infer, "dilations", axis, 1),
        .pad_begin = htp_infer_int_at(infer, "pads", axis, 0),
        .pad_end = htp_infer_int_at(infer, "pads", (size_t)axes + axis, 0),
        .ceil_mode = htp_infer_int(infer, "ceil_mode", 0) != 0,
    };
}

static bool is_sane(const window *w)
{
    return w->kernel >= 1 && w->kernel <= MAX_SIZE && w->stride >= 1 && w->stride <= MAX_SIZE &&
           w->dilation >= 1 && w->dilation <= MAX_SIZE && w->pad_begin >= 0 &&
           w->pad_begin <= MAX_SIZE && w->pad_end >= 0 && w->pad_end <= MAX_SIZE;
}

static int64_t span_of(const window *w)
{
    return w->dilation * (w->kernel - 1) + 1;
}

/* The number of windows. With ceil_mode runtimes disagree on a last window that begins in the
 * padding; then the size is unknown. */
static htp_dim fitting_dim(htp_infer *infer, const window *w, htp_dim dim)
{
    if (!is_sane(w) || (!dim.symbol && dim.size > MAX_SIZE)) {
        return htp_infer_unknown(infer);
    }
    int64_t pads = w->pad_begin + w->pad_end;
    if (dim.symbol) {
        /* the last window must begin in the tensor */
        bool is_told = !w->ceil_mode || w->pad_end + w->stride <= span_of(w);
        htp_dim last = htp_infer_sum(infer, dim, (htp_dim){.size = pads - span_of(w)}, 1);
        last = w->ceil_mode ? htp_infer_ceil(infer, last, w->stride)
                            : htp_infer_floor(infer, last, w->stride);
        return is_told ? htp_infer_sum(infer, last, (htp_dim){.size = 1}, 1)
                       : htp_infer_unknown(infer);
    }
    int64_t room = dim.size + pads - span_of(w);
    if (room < 0) {
        return htp_infer_unknown(infer);
    }
    int64_t last = room / w->stride;
    if (w->ceil_mode && room % w->stride != 0) {
        last++;
        if (last * w->stride >= dim.size + w->pad_begin) {
            return htp_infer_unknown(infer);
        }
    }
    return htp_infer_size(infer, last + 1);
}

/* The output size of a transposed convolution along an axis. */
static htp_dim spread_dim(htp_infer *infer, const window *w, htp_dim dim, int64_t more)
{
    if (!is_sane(w) || more < 0 || more > MAX_SIZE || (!dim.symbol && dim.size > MAX_SIZE)) {
        return htp_infer_unknown(infer);
    }
    int64_t added = span_of(w) + more - w->pad_begin - w->pad_end;
    if (dim.symbol) {
        return htp_infer_sum(infer, htp_infer_product(infer, dim, (htp_dim){.size = w->stride}),
                             (htp_dim){.size = added - w->stride}, 1);
    }
    return htp_infer_size(infer, w->stride * (dim.size - 1) + added);
}

/* ---- convolution and pooling ---- */

/* Sets the type of an output. A window that does not fit is an error, so sizes are at least 1. */
static void set_windows(htp_infer *infer, uint32_t index, htp_dtype dtype, uint32_t rank,
                        const htp_dim *dims)
{
    htp_infer_set(infer, index, dtype, rank, dims);
    for (uint32_t i = 2; i < rank; i++) {
        htp_infer_note_least(infer, dims[i], 1);
    }
}

/* Whether sizes depend on attributes that these rules do not read. */
static bool is_automatic(const htp_infer *infer)
{
    const htp_attribute *pad = htp_infer_attribute(infer, "auto_pad");
    return (pad && strcmp(pad->s, "NOTSET") != 0) || htp_infer_attribute(infer, "output_shape");
}

/* Drops sizes that depend on such attributes. */
static void forget_automatic(htp_infer *infer, uint32_t rank, htp_dim *dims)
{
    for (uint32_t i = 2; i < rank && is_automatic(infer); i++) {
        dims[i] = htp_infer_unknown(infer);
    }
}

/* The operands of a convolution, if they exist and fit. */
static bool read_operands(const htp_infer *infer, const htp_tensor **x, const htp_tensor **weight)
{
    *x = htp_infer_input(infer, 0);
    *weight = htp_infer_input(infer, 1);
    return *x && *weight && (*x)->rank >= 3 && (*weight)->rank == (*x)->rank;
}

static window kernel_window(const htp_infer *infer, const htp_tensor *weight, uint32_t axis)
{
    htp_dim kernel = weight->dims[axis];
    return read_window(infer, axis - 2, weight->rank - 2, kernel.symbol ? 0 : kernel.size);
}

void htp_infer_convolution(htp_infer *infer)
{
    const htp_tensor *x;
    const htp_tensor *weight;
    if (!read_operands(infer, &x, &weight)) {
        return;
    }
    htp_dim *dims = htp_infer_dims(infer, x->rank);
    dims[0] = x->dims[0];
    dims[1] = weight->dims[0];
    for (uint32_t i = 2; i < x->rank; i++) {
        window w = kernel_window(infer, weight, i);
        dims[i] = fitting_dim(infer, &w, x->dims[i]);
    }
    forget_automatic(infer, x->rank, dims);
    set_windows(infer, 0, x->dtype, x->rank, dims);
}

void htp_infer_transposed_convolution(htp_infer *infer)
{
    const htp_tensor *x;
    const htp_tensor *weight;
    if (!read_operands(infer, &x, &weight)) {
        return;
    }
    int64_t groups = htp_infer_int(infer, "group", 1);
    int64_t channels;
    bool told =
        !weight->dims[1].symbol && !__builtin_mul_overflow(weight->dims[1].size, groups, &channels);
    htp_dim *dims = htp_infer_dims(infer, x->rank);
    dims[0] = x->dims[0];
    dims[1] = told ? htp_infer_size(infer, channels) : htp_infer_unknown(infer);
    for (uint32_t i = 2; i < x->rank; i++) {
        window w = kernel_window(infer, weight, i);
        int64_t more = htp_infer_int_at(infer, "output_padding", i - 2, 0);
        dims[i] = spread_dim(infer, &w, x->dims[i], more);
    }
    forget_automatic(infer, x->rank, dims);
    htp_infer_set(infer, 0, x->dtype, x->rank, dims);
}

void htp_infer_pool(htp_infer *infer)
{
    const htp_tensor *x = htp_infer_input(infer, 0);
    if (!x || x->rank < 3) {
        return;
    }
    htp_dim *dims = htp_infer_dims(infer, x->rank);
    memcpy(dims, x->dims, 2 * sizeof(*dims));
    for (uint32_t i = 2; i < x->rank; i++) {
        window w = read_window(infer, i - 2, x->rank - 2, 0);
        dims[i] = fitting_dim(infer, &w, x->dims[i]);
    }
    forget_automatic(infer, x->rank, dims);
    set_windows(infer, 0, x->dtype, x->rank, dims);
    set_windows(infer, 1, HTP_DTYPE_INT64, x->rank, dims);
}

void htp_infer_global_pool(htp_infer *infer)
{
    const htp_tensor *x = htp_infer_input(infer, 0);
    if (!x || x->rank < 3) {
        return;
    }
    htp_dim *dims = htp_infer_dims(infer, x->rank);
    for (uint32_t i = 0; i < x->rank; i++) {
        dims[i] = i < 2 ? x->dims[i] : (htp_dim){.size = 1};
    }
    htp_infer_set(infer, 0, x->dtype, x->rank, dims);
}

/* ---- resolution ---- */

/* The scale of axis @p axis in an embedded float32 input; 0 if unknown. */
static float read_scale(const htp_infer *infer, uint32_t index, uint32_t rank, uint32_t axis)
{
    const htp_tensor *scales = htp_infer_input(infer, index);
    if (!scales || scales->source != HTP_TENSOR_FROM_INITIALIZER ||
        scales->dtype != HTP_DTYPE_FLOAT32 || scales->rank != 1 ||
        !htp_infer_is(scales->dims[0], rank)) {
        return 0;
    }
    const htp_initializer *initializer = &infer->model->initializers.items[scales->index];
    float scale = 0;
    if (initializer->data) {
        memcpy(&scale, (const char *)initializer->data + axis * sizeof(scale), sizeof(scale));
    }
    return scale;
}

/* floor(dim * scale) in float32, if that is exact: for integer scales and powers of two. */
static htp_dim scaled_dim(htp_infer *infer, htp_dim dim, float scale)
{
    if (scale == 1.0F) {
        return dim;
    }
    int exponent;
    float whole = rintf(scale);
    if (dim.symbol && scale == whole && whole >= 1 && whole < (float)MAX_SCALE) {
        return htp_infer_product(infer, dim, (htp_dim){.size = (int64_t)whole});
    }
    if (dim.symbol && scale > 0 && frexpf(scale, &exponent) == 0.5F && exponent <= 0 &&
        exponent > -MAX_HALVES) {
        return htp_infer_floor(infer, dim, INT64_C(1) << (1 - exponent));
    }
    float size = dim.symbol ? -1.0F : floorf((float)dim.size * scale);
    bool told = scale > 0 && size >= 0 && size <= (float)MAX_SIZE;
    return told ? htp_infer_size(infer, (int64_t)size) : htp_infer_unknown(infer);
}

/* Inputs: tensor, region, scales, sizes. */
void htp_infer_resize(htp_infer *infer)
{
    const htp_tensor *x = htp_infer_input(infer, 0);
    size_t length;
    if (!x) {
        return;
    }
    const htp_attribute *places = htp_infer_attribute(infer, "coordinate_transformation_mode");
    bool is_plain = !htp_infer_attribute(infer, "axes") &&
                    !htp_infer_attribute(infer, "keep_aspect_ratio_policy") &&
                    (!places || strcmp(places->s, "tf_crop_and_resize") != 0);
    bool has_sizes = htp_infer_has_input(infer, 3);
    is_plain =
        is_plain && (!has_sizes || (htp_infer_length(infer, 3, &length) && length == x->rank));
    htp_dim *dims = htp_infer_dims(infer, x->rank);
    for (uint32_t i = 0; i < x->rank; i++) {
        if (!is_plain) {
            dims[i] = htp_infer_unknown(infer);
        } else if (has_sizes) {
            dims[i] = htp_infer_element_dim(infer, htp_infer_element(infer, 3, i));
        } else {
            dims[i] = scaled_dim(infer, x->dims[i], read_scale(infer, 2, x->rank, i));
        }
    }
    htp_infer_set(infer, 0, x->dtype, x->rank, dims);
}

/* @p dim times @p factor, or divided by it if @p divides. */
static htp_dim blocked_dim(htp_infer *infer, htp_dim dim, int64_t factor, bool divides)
{
    if (factor == 1) {
        return dim;
    }
    if (dim.symbol) { /* the quotient has no remainder */
        return divides ? htp_infer_floor(infer, dim, factor)
                       : htp_infer_product(infer, dim, (htp_dim){.size = factor});
    }
    if (dim.size > MAX_SIZE || (divides && dim.size % factor != 0)) {
        return htp_infer_unknown(infer);
    }
    return htp_infer_size(infer, divides ? dim.size / factor : dim.size * factor);
}

static void set_blocked(htp_infer *infer, bool to_space)
{
    const htp_tensor *x = htp_infer_input(infer, 0);
    int64_t block = htp_infer_int(infer, "blocksize", 0);
    if (!x || x->rank != 4 || block < 1 || block >= INT64_C(1) << 15) {
        return;
    }
    htp_dim *dims = htp_infer_dims(infer, 4);
    dims[0] = x->dims[0];
    dims[1] = blocked_dim(infer, x->dims[1], block * block, to_space);
    dims[2] = blocked_dim(infer, x->dims[2], block, !to_space);
    dims[3] = blocked_dim(infer, x->dims[3], block, !to_space);
    htp_infer_set(infer, 0, x->dtype, 4, dims);
}

/* ONNX GridSample: X [N, C, ...] sampled at a grid [N, outputs..., 2 or 3]. */
void htp_infer_grid_sample(htp_infer *infer)
{
    const htp_tensor *x = htp_infer_input(infer, 0);
    const htp_tensor *grid = htp_infer_input(infer, 1);
    if (!x || !grid || x->rank < 3 || x->rank != grid->rank) {
        return;
    }
    htp_dim *dims = htp_infer_dims(infer, x->rank);
    dims[0] = x->dims[0];
    dims[1] = x->dims[1];
    for (uint32_t i = 2; i < x->rank; i++) {
        dims[i] = grid->dims[i - 1];
    }
    htp_infer_set(infer, 0, x->dtype, x->rank, dims);
}

/* ONNX AffineGrid: [N, axes, axes + 1] and a size [N, C, spatial axes...] to [N, ..., axes]. */
void htp_infer_affine_grid(htp_infer *infer)
{
    const htp_tensor *theta = htp_infer_input(infer, 0);
    size_t count = 0;
    if (!theta || theta->rank != 3 || !htp_infer_length(infer, 1, &count) || count < 3 ||
        count > HTP_MAX_RANK) {
        return;
    }
    uint32_t rank = (uint32_t)count;
    htp_dim *dims = htp_infer_dims(infer, rank);
    dims[0] = theta->dims[0];
    for (uint32_t i = 2; i < rank; i++) {
        dims[i - 1] = htp_infer_element_dim(infer, htp_infer_element(infer, 1, i));
    }
    dims[rank - 1].size = rank - 2;
    htp_infer_set(infer, 0, theta->dtype, rank, dims);
}

/* ONNX Col2Im: [N, C * elements of a block, L] to [N, C, image...]. */
void htp_infer_col2im(htp_infer *infer)
{
    const htp_tensor *x = htp_infer_input(infer, 0);
    size_t rank = 0;
    size_t block_rank = 0;
    if (!x || x->rank != 3 || !htp_infer_length(infer, 1, &rank) || rank + 2 > HTP_MAX_RANK ||
        !htp_infer_length(infer, 2, &block_rank) || block_rank > HTP_MAX_RANK) {
        return;
    }
    htp_dim *dims = htp_infer_dims(infer, (uint32_t)rank + 2);
    dims[0] = x->dims[0];
    dims[1] = x->dims[1];
    for (size_t i = 0; i < block_rank; i++) {
        int64_t block = 0;
        bool is_known = htp_infer_number(htp_infer_element(infer, 2, i), &block) && block > 0;
        dims[1] = is_known ? blocked_dim(infer, dims[1], block, true) : htp_infer_unknown(infer);
    }
    for (size_t i = 0; i < rank; i++) {
        dims[i + 2] = htp_infer_element_dim(infer, htp_infer_element(infer, 1, i));
    }
    htp_infer_set(infer, 0, x->dtype, (uint32_t)rank + 2, dims);
}

void htp_infer_depth_to_space(htp_infer *infer)
{
    set_blocked(infer, true);
}

void htp_infer_space_to_depth(htp_infer *infer)
{
    set_blocked(infer, false);
}
