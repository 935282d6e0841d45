/*
 * Rearranging pixels and channels.
 *
 * Reference: ONNX DepthToSpace, SpaceToDepth. PyTorch's channel order is DepthToSpace's in mode
 * CRD; SpaceToDepth's differs, so channels are permuted after it.
 */
#include "lower/compose/compose.h"
#include "lower/emit/ort_dtypes.h"
#include "lower/emit/sizes.h"

#include <string.h>

/** The tensor argument "self" [..., C, H, W] as [N, C, H, W]. */
static htp_tensor_id read_images(htp_lowering *l, htp_dtype dtype)
{
    const int64_t batch = 0;
    uint32_t rank = htp_arg_rank(l, "self");
    htp_tensor_id x = htp_arg_tensor_as(l, "self", dtype);
    if (rank < 3) {
        htp_lower_fail(l, "an input of rank %u is not supported", rank);
        return x;
    }
    if (rank == 4) {
        return x;
    }
    if (rank == 3) {
        return htp_emit_unsqueeze(l, x, &batch, 1);
    }
    htp_sizes shape = htp_sizes_begin(l);
    htp_sizes_add_int(&shape, -1);
    htp_sizes_add_dims(&shape, x, htp_arg_dims(l, "self"), rank - 3, rank);
    return htp_emit_binary(l, "Reshape", x, htp_sizes_end(&shape));
}

/** Binds the output, with the dims before the channels as they were. @param x  [N, C, H, W] */
static void bind_images(htp_lowering *l, htp_tensor_id x, htp_dtype dtype)
{
    const int64_t batch = 0;
    uint32_t rank = htp_arg_rank(l, "self");
    if (rank == 3) {
        x = htp_emit_squeeze(l, x, &batch, 1);
    } else if (rank > 4) {
        htp_sizes shape = htp_sizes_begin(l);
        htp_sizes_add_dims(&shape, htp_arg_tensor(l, "self"), htp_arg_dims(l, "self"), 0, rank - 3);
        htp_sizes_add_tensor(
            &shape, htp_emit(l, "Shape", HTP_IN(x), HTP_AT(htp_attribute_int("start", 1))));
        x = htp_emit_binary(l, "Reshape", x, htp_sizes_end(&shape));
    }
    htp_bind_cast(l, 0, x, dtype);
}

/** The dtype to move pixels in. */
static htp_dtype pixel_dtype(htp_lowering *l)
{
    return htp_kernel_dtype(l, "DepthToSpace", htp_output_dtype(l, 0));
}

/** The number of channels, if it is small enough to list them; 0 if dynamic. */
static int64_t read_channels(htp_lowering *l, uint32_t axis)
{
    const int64_t most = INT64_C(1) << 24;
    const htp_dim *dims = htp_arg_dims(l, "self");
    if (axis >= htp_arg_rank(l, "self") || (!dims[axis].symbol && dims[axis].size > most)) {
        htp_lower_fail(l, "its number of channels is not supported");
        return 1;
    }
    return dims[axis].symbol ? 0 : dims[axis].size;
}

/** The channel indices of [N, C, ...] as a matrix of @p rows, read column by column. */
static htp_tensor_id transposed_order(htp_lowering *l, htp_tensor_id x, int64_t rows)
{
    const htp_dim channels[] = {{.symbol = ""}, {.symbol = ""}};
    htp_tensor_id order = htp_emit_count_up(l, htp_emit_dim(l, x, channels, 1));
    order = htp_emit_reshape(l, order, (const int64_t[]){rows, -1}, 2);
    order = htp_emit_transpose(l, order, (const int64_t[]){1, 0}, 2);
    return htp_emit_reshape(l, order, (const int64_t[]){-1}, 1);
}

/**
 * Transposes channels of [N, C, ...]: [rows, columns] become [columns, rows].
 * @param columns  0: the remaining number
 */
static htp_tensor_id transpose_channels(htp_lowering *l, htp_tensor_id x, int64_t rows,
                                        int64_t columns)
{
    int64_t *order = HTP_NEW_ARRAY(l->arena, int64_t, (size_t)(rows * columns) + 1);
    for (int64_t i = 0; i < rows * columns; i++) {
        order[i] = i % rows * columns + i / rows;
    }
    htp_tensor_id positions =
        columns ? htp_emit_ints(l, order, (size_t)(rows * columns)) : transposed_order(l, x, rows);
    return htp_emit(l, "Gather", HTP_IN(x, positions), HTP_AT(htp_attribute_int("axis", 1)));
}

/** Splits the last of @p rank dims in two; the second has size @p inner. */
static htp_tensor_id split_last(htp_lowering *l, htp_tensor_id x, size_t rank, int64_t inner)
{
    int64_t dims[HTP_MAX_RANK] = {0};
    dims[rank - 1] = -1;
    dims[rank] = inner;
    return htp_emit_reshape(l, x, dims, rank + 1);
}

/** Joins the last two of @p rank dims. */
static htp_tensor_id join_last(htp_lowering *l, htp_tensor_id x, size_t rank)
{
    int64_t dims[HTP_MAX_RANK] = {0};
    dims[rank - 2] = -1;
    return htp_emit_reshape(l, x, dims, rank - 1);
}

/** @param order  a digit for each dim */
static htp_tensor_id permute(htp_lowering *l, htp_tensor_id x, const char *order)
{
    int64_t permutation[HTP_MAX_RANK] = {0};
    size_t rank = strlen(order);
    for (size_t i = 0; i < rank; i++) {
        permutation[i] = order[i] - '0';
    }
    return htp_emit_transpose(l, x, permutation, rank);
}

/* Runtimes have DepthToSpace and SpaceToDepth for few dtypes that are not floating-point. */

/** Rearranges channels into squares of @p r * @p r pixels. @param x  [N, C·r·r, H, W] */
static htp_tensor_id spread_channels(htp_lowering *l, htp_tensor_id x, int64_t r)
{
    x = split_last(l, permute(l, x, "0231"), 4, r);  /* [N, H, W, C·r, r] */
    x = split_last(l, permute(l, x, "01243"), 5, r); /* [N, H, W, r, C, r] */
    x = join_last(l, permute(l, x, "041523"), 6);    /* [N, C, H, r, W·r] */
    x = join_last(l, permute(l, x, "01423"), 5);     /* [N, C, W·r, H·r] */
    return permute(l, x, "0132");
}

/** Rearranges squares of @p r * @p r pixels into channels. @param x  [N, C, H·r, W·r] */
static htp_tensor_id gather_channels(htp_lowering *l, htp_tensor_id x, int64_t r)
{
    x = split_last(l, x, 4, r);                      /* [N, C, H·r, W, r] */
    x = split_last(l, permute(l, x, "01342"), 5, r); /* [N, C, W, r, H, r] */
    x = join_last(l, permute(l, x, "042153"), 6);    /* [N, H, W, C, r·r] */
    return permute(l, join_last(l, x, 5), "0312");
}

void htp_lower_pixel_shuffle(htp_lowering *l)
{
    htp_dtype own = htp_output_dtype(l, 0);
    int64_t factor = htp_arg_int(l, "upscale_factor");
    if (!htp_dtype_is_float(own)) {
        bind_images(l, spread_channels(l, read_images(l, own), factor), own);
        return;
    }
    htp_dtype dtype = pixel_dtype(l);
    htp_tensor_id x = htp_emit(
        l, "DepthToSpace", HTP_IN(read_images(l, dtype)),
        HTP_AT(htp_attribute_int("blocksize", factor), htp_attribute_string("mode", "CRD")));
    bind_images(l, x, dtype);
}

void htp_lower_pixel_unshuffle(htp_lowering *l)
{
    const int64_t most = INT64_C(1) << 10;
    htp_dtype own = htp_output_dtype(l, 0);
    int64_t block = htp_arg_int(l, "downscale_factor");
    uint32_t rank = htp_arg_rank(l, "self");
    if (block < 1 || block > most) {
        htp_lower_fail(l, "a factor of %lld is not valid", (long long)block);
        return;
    }
    if (!htp_dtype_is_float(own)) {
        bind_images(l, gather_channels(l, read_images(l, own), block), own);
        return;
    }
    htp_dtype dtype = pixel_dtype(l);
    int64_t channels = read_channels(l, rank < 3 ? 0 : rank - 3);
    htp_tensor_id x = htp_emit(l, "SpaceToDepth", HTP_IN(read_images(l, dtype)),
                               HTP_AT(htp_attribute_int("blocksize", block)));
    bind_images(l, transpose_channels(l, x, block * block, channels), dtype);
}

/** channel_shuffle: groups of channels are interleaved. */
void htp_lower_channel_shuffle(htp_lowering *l)
{
    int64_t groups = htp_arg_int(l, "groups");
    int64_t channels = read_channels(l, 1);
    if (groups < 1 || groups > INT64_C(1) << 24 || channels % groups != 0) {
        htp_lower_fail(l, "%lld groups do not divide %lld channels", (long long)groups,
                       (long long)channels);
        return;
    }
    htp_bind(l, 0, transpose_channels(l, htp_arg_tensor(l, "self"), groups, channels / groups));
}
