/*
 * Windows as columns and back (aten::im2col, col2im), and unpooling (aten::max_unpool*d).
 *
 * Reference: ONNX Col2Im, since opset 18; runtimes have it in float32 only. Otherwise columns are
 * scattered and added.
 */
#include "lower/compose/compose.h"
#include "lower/emit/ort_dtypes.h"
#include "lower/emit/rows.h"
#include "lower/emit/sizes.h"
#include "lower/nn/windows.h"

static const int64_t zeros[] = {0, 0};
static const int64_t ones[] = {1, 1};

/** Reads the windows of both axes. */
static void read_windows(htp_lowering *l, htp_window *windows)
{
    const int64_t *kernel = htp_arg_spatial(l, "kernel_size", 2, NULL);
    const int64_t *stride = htp_arg_spatial(l, "stride", 2, ones);
    const int64_t *dilation = htp_arg_spatial(l, "dilation", 2, ones);
    const int64_t *padding = htp_arg_spatial(l, "padding", 2, zeros);
    for (size_t i = 0; i < 2; i++) {
        windows[i] = (htp_window){kernel[i], stride[i], dilation[i], padding[i], padding[i]};
    }
}

/** A size as [1]: @p vector, or a constant where the dim is a number. */
static htp_tensor_id size_of(htp_lowering *l, htp_dim dim, htp_tensor_id vector)
{
    return dim.symbol ? vector : htp_emit_int(l, dim.size);
}

/** @p size + @p more. */
static htp_tensor_id plus(htp_lowering *l, htp_tensor_id size, int64_t more)
{
    return more ? htp_emit_binary(l, "Add", size, htp_emit_int(l, more)) : size;
}

/** aten::im2col: [N, C, H, W] to [N, C · kernels, windows] */
void htp_lower_im2col(htp_lowering *l)
{
    static const int64_t order[] = {0, 1, 2, 4, 3, 5};
    htp_dtype dtype = htp_arg_dtype(l, "self");
    uint32_t rank = htp_arg_rank(l, "self");
    htp_tensor_id x = htp_arg_batched(l, "self", 2, dtype);
    htp_window windows[2];
    read_windows(l, windows);
    if (l->failure || !htp_window_check(l, windows, 2)) {
        return;
    }
    const htp_dim *dims = htp_arg_dims(l, "self") + (rank - 3);
    int64_t kernels = windows[0].kernel * windows[1].kernel;
    htp_sizes shape = htp_sizes_begin(l);
    htp_sizes_add_int(&shape, 0);
    if (dims[0].symbol) {
        htp_tensor_id channels = htp_emit_dim(l, x, (const htp_dim[]){{0}, dims[0]}, 1);
        htp_sizes_add_tensor(&shape, htp_emit_binary(l, "Mul", channels, htp_emit_int(l, kernels)));
    } else if (__builtin_mul_overflow(dims[0].size, kernels, &kernels)) {
        htp_lower_fail(l, "its dims are too large");
    } else {
        htp_sizes_add_int(&shape, kernels);
    }
    htp_sizes_add_int(&shape, -1);
    x = htp_emit_windows(l, x, dtype, 2, dims + 1, windows, htp_emit_scalar(l, dtype, 0));
    x = htp_emit_binary(l, "Reshape", htp_emit_transpose(l, x, order, 6), htp_sizes_end(&shape));
    htp_bind_batched(l, 0, 1, x, dtype);
}

/* ---- columns that are added up ---- */

/** The image to which columns are added; all sizes are [1]. */
typedef struct image {
    htp_tensor_id channels;
    htp_tensor_id size[2];
    htp_tensor_id padded[2];
} image;

static image read_image(htp_lowering *l, htp_tensor_id x, const htp_window *windows)
{
    image made;
    size_t count = 0;
    const htp_value_id *sizes = htp_arg_list(l, "output_size", &count);
    const htp_dim *dims = htp_output_dims(l, 0) + htp_output_rank(l, 0) - 3;
    int64_t kernels = windows[0].kernel * windows[1].kernel;
    htp_tensor_id rows = htp_emit_dim(l, x, (const htp_dim[]){{0}, {.symbol = ""}}, 1);
    made.channels = size_of(l, dims[0], htp_emit_binary(l, "Div", rows, htp_emit_int(l, kernels)));
    if (count != 2) {
        htp_lower_fail(l, "its output has %zu sizes", count);
    }
    for (size_t i = 0; i < 2; i++) {
        htp_tensor_id size = l->failure ? HTP_NONE : htp_value_vector(l, sizes[i]);
        made.size[i] = size_of(l, dims[1 + i], size);
        made.padded[i] = plus(l, made.size[i], 2 * windows[i].padding);
    }
    return made;
}

/** The position in the padded image of each element of one channel's columns: [elements] */
static htp_tensor_id column_positions(htp_lowering *l, const image *image,
                                      const htp_window *windows)
{
    static const int64_t row_axes[] = {1, 3};
    static const int64_t column_axes[] = {0, 2};
    htp_tensor_id rows = htp_emit_positions_within(l, image->size[0], &windows[0]);
    htp_tensor_id columns = htp_emit_positions_within(l, image->size[1], &windows[1]);
    rows = htp_emit_binary(l, "Mul", rows, image->padded[1]);
    htp_tensor_id sum = htp_emit_binary(l, "Add", htp_emit_unsqueeze(l, rows, row_axes, 2),
                                        htp_emit_unsqueeze(l, columns, column_axes, 2));
    return htp_emit_reshape(l, sum, (const int64_t[]){-1}, 1);
}

/** @p x reshaped to [N, C, last..]; @p last are [1] tensors, one of which may be -1. */
static htp_tensor_id with_channels(htp_lowering *l, htp_tensor_id x, const image *image,
                                   const htp_tensor_id *last, size_t count)
{
    htp_sizes shape = htp_sizes_begin(l);
    htp_sizes_add_int(&shape, 0);
    htp_sizes_add_tensor(&shape, image->channels);
    for (size_t i = 0; i < count; i++) {
        htp_sizes_add_tensor(&shape, last[i]);
    }
    return htp_emit_binary(l, "Reshape", x, htp_sizes_end(&shape));
}

/** The image without its padding. */
static htp_tensor_id cut_padding(htp_lowering *l, htp_tensor_id x, const image *image,
                                 const htp_window *windows)
{
    for (int64_t i = 0; i < 2; i++) {
        int64_t padding = windows[i].padding;
        if (padding) {
            x = htp_emit(l, "Slice",
                         HTP_IN(x, htp_emit_int(l, padding), plus(l, image->size[i], padding),
                                htp_emit_int(l, 2 + i)),
                         HTP_NO_AT);
        }
    }
    return x;
}

/** Adds the columns of @p x, [N, C · kernels, windows], to an image of zeros. */
static htp_tensor_id add_columns(htp_lowering *l, htp_tensor_id x, htp_dtype dtype,
                                 const htp_window *windows)
{
    const htp_tensor_id rest = htp_emit_int(l, -1);
    image made = read_image(l, x, windows);
    htp_tensor_id elements = with_channels(l, x, &made, &rest, 1);
    htp_tensor_id positions = column_positions(l, &made, windows);
    positions = htp_emit_binary(l, "Expand", positions, htp_emit_unary(l, "Shape", elements));
    htp_sizes shape = htp_sizes_begin(l);
    htp_sizes_add_tensor(
        &shape, htp_emit(l, "Shape", HTP_IN(x),
                         HTP_AT(htp_attribute_int("start", 0), htp_attribute_int("end", 1))));
    htp_sizes_add_tensor(&shape, made.channels);
    htp_sizes_add_tensor(&shape, htp_emit_binary(l, "Mul", made.padded[0], made.padded[1]));
    htp_tensor_id image =
        htp_typed_expand(l, dtype, htp_emit_scalar(l, dtype, 0), htp_sizes_end(&shape));
    image =
        htp_emit(l, "ScatterElements", HTP_IN(image, positions, elements),
                 HTP_AT(htp_attribute_int("axis", 2), htp_attribute_string("reduction", "add")));
    return cut_padding(l, with_channels(l, image, &made, made.padded, 2), &made, windows);
}

static htp_tensor_id emit_col2im(htp_lowering *l, htp_tensor_id x, const htp_window *w)
{
    const int64_t kernel[] = {w[0].kernel, w[1].kernel};
    const int64_t pads[] = {w[0].padding, w[1].padding, w[0].padding, w[1].padding};
    const int64_t strides[] = {w[0].stride, w[1].stride};
    const int64_t dilations[] = {w[0].dilation, w[1].dilation};
    return htp_emit(
        l, "Col2Im", HTP_IN(x, htp_arg_shape(l, "output_size"), htp_emit_ints(l, kernel, 2)),
        HTP_AT(htp_attribute_ints("pads", pads, 4), htp_attribute_ints("strides", strides, 2),
               htp_attribute_ints("dilations", dilations, 2)));
}

/** aten::col2im: [N, C · kernels, windows] to [N, C, H, W] */
void htp_lower_col2im(htp_lowering *l)
{
    htp_dtype dtype = htp_composite_dtype(htp_arg_dtype(l, "self"));
    htp_tensor_id x = htp_arg_batched(l, "self", 1, dtype);
    uint32_t rank = htp_output_rank(l, 0);
    htp_window windows[2];
    read_windows(l, windows);
    if (dtype == HTP_DTYPE_BOOL || rank < 3) {
        htp_lower_fail(l, "it is not supported for %s", htp_dtype_name(dtype));
    }
    if (l->failure || !htp_window_check(l, windows, 2)) {
        return;
    }
    bool is_one_node = l->model->opset >= 18 && dtype == HTP_DTYPE_FLOAT32;
    htp_tensor_id image =
        is_one_node ? emit_col2im(l, x, windows) : add_columns(l, x, dtype, windows);
    htp_bind_batched(l, 0, 2, image, dtype);
}

/** max_unpoolNd: scatters values by indices, which count within a channel; the rest is 0. */
void htp_lower_max_unpool(htp_lowering *l)
{
    const int64_t first = 0;
    size_t axes = htp_row_axes(l);
    htp_dtype dtype = htp_arg_dtype(l, "self");
    htp_tensor_id x = htp_arg_batched(l, "self", axes, dtype);
    htp_tensor_id indices = htp_arg_batched(l, "indices", axes, HTP_DTYPE_INT64);
    htp_tensor_id size = htp_arg_shape(l, "output_size");
    htp_sizes flat = htp_sizes_begin(l);
    htp_sizes_add_tensor(
        &flat, htp_emit(l, "Shape", HTP_IN(x),
                        HTP_AT(htp_attribute_int("start", 0), htp_attribute_int("end", 2))));
    htp_sizes_add_tensor(&flat, htp_emit_reduce(l, "ReduceProd", size, &first, 1, true));
    htp_sizes shape = htp_sizes_begin(l);
    htp_sizes_add_int(&shape, 0);
    htp_sizes_add_int(&shape, 0);
    htp_sizes_add_tensor(&shape, size);
    const int64_t flattened[] = {0, 0, -1};
    htp_tensor_id image =
        htp_typed_expand(l, dtype, htp_emit_scalar(l, dtype, 0), htp_sizes_end(&flat));
    image = htp_emit(l, "ScatterElements",
                     HTP_IN(image, htp_emit_reshape(l, indices, flattened, 3),
                            htp_emit_reshape(l, x, flattened, 3)),
                     HTP_AT(htp_attribute_int("axis", 2)));
    image = htp_emit_binary(l, "Reshape", image, htp_sizes_end(&shape));
    htp_bind_batched(l, 0, axes, image, dtype);
}
