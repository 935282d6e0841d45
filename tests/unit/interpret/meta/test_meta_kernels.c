/*
 * Meta kernels of elements, normalisations, windows and images: sizes, types, aliasing, and
 * refusals.
 */
#include "meta_fixture.h"

/* Images in channels-last layout. */
static htp_operand pictures(htp_arena *arena, int64_t batch, int64_t channels, int64_t height,
                            int64_t width)
{
    const int64_t dims[] = {batch, channels, height, width};
    const int64_t strides[] = {height * width * channels, 1, width * channels, channels};
    return strided(arena, HTP_SCALAR_FLOAT, dims, strides, 4);
}

/* ---- elements ---- */

UNIT_TEST(what_changes_elements_alone_is_like_its_input)
{
    GIVES("aten::relu", "", "Float[2,3] by [3,1]", FLOATS(2, 3));
    GIVES("aten::embedding_renorm", "", "like 0", FLOATS(5, 2), OF(LONG, 3), INT(1), INT(2));
    GIVES("aten::flip", "", "like 0", FLOATS(2, 3), INTS(-1, 0));
    GIVES("aten::flip", "", "like 0", SCALAR, INTS(-1));
    REFUSES("aten::flip", "",
            "Dimension out of range (expected to be in range of [-2, 1], but got 2)", FLOATS(2, 3),
            INTS(2));
    REFUSES("aten::flip", "", "dim 0 appears multiple times in the list of dims", SCALAR,
            INTS(0, -1));
}

UNIT_TEST(elements_are_chosen_along_a_dim)
{
    GIVES("aten::index_select", "", "Float[2,7]", FLOATS(2, 3), INT(-1), OF(LONG, 7));
    GIVES("aten::index_select", "", "Float[1,3]", FLOATS(2, 3), INT(0),
          tensor_of(arena, HTP_SCALAR_LONG, NULL, 0));
    GIVES("aten::index_select", "", "Float[]", SCALAR, INT(-1), OF(INT, 1));
    GIVES_BY(1, false, "aten::index_select", "", "Float[]", SCALAR, INT(0), OF(LONG, 2));
    REFUSES("aten::index_select", "",
            "index_select(): Index to scalar can have only 1 value, got 2 value(s)", SCALAR, INT(0),
            OF(LONG, 2));
    GIVES("aten::index_select", "", "Float[0,3]", FLOATS(0, 3), INT(0), OF(LONG, 0));
    REFUSES("aten::index_select", "", "index_select(): self indexing axis dim should be positive",
            FLOATS(0, 3), INT(0), OF(LONG, 1));
    REFUSES("aten::index_select", "", "index_select(): Expected dtype int32 or int64 for index",
            FLOATS(2, 3), INT(0), OF(BYTE, 1));
    REFUSES("aten::index_select", "", "index_select(): index is supposed to be a vector",
            FLOATS(2, 3), INT(0), OF(LONG, 1, 2));
    REFUSES("aten::index_select", "",
            "Dimension out of range (expected to be in range of [-2, 1], but got -3)", FLOATS(2, 3),
            INT(-3), OF(LONG, 1));
}

UNIT_TEST(a_part_is_a_view_from_the_beginning)
{
    const htp_operand start = tensor_of(arena, HTP_SCALAR_LONG, NULL, 0);
    GIVES("aten::narrow", "Tensor", "Float[2,2] by [3,1] from 0 of 0", FLOATS(2, 3), INT(1), start,
          INT(2));
    REFUSES("aten::narrow", "Tensor", "start (0) + length (4) exceeds dimension size (3).",
            FLOATS(2, 3), INT(-1), start, INT(4));
    REFUSES("aten::narrow", "Tensor", "narrow(): length must be non-negative.", FLOATS(2, 3),
            INT(0), start, INT(-1));
    REFUSES("aten::narrow", "Tensor", "narrow() cannot be applied to a 0-dim tensor.", SCALAR,
            INT(0), start, INT(0));
    REFUSES("aten::narrow", "Tensor", "start must be an 0-dim integral Tensor.", FLOATS(2, 3),
            INT(0), OF(LONG, 1), INT(1));
}

UNIT_TEST(factors_are_of_square_matrices)
{
    GIVES("aten::cholesky", "", "Double[5,3,3] by [9,1,3]", OF(DOUBLE, 5, 3, 3), BOOL(false));
    GIVES("aten::cholesky", "", "Double[0,3,3]", OF(DOUBLE, 0, 3, 3), BOOL(false));
    REFUSES("aten::cholesky", "", "cholesky: A must be batches of square matrices, but got [3, 2]",
            FLOATS(3, 2), BOOL(false));
    REFUSES("aten::cholesky", "", "cholesky: The input tensor must have at least 2 dimensions.",
            SCALAR, BOOL(false));
}

/* ---- normalizations ---- */

UNIT_TEST(batches_are_normalized_by_channel)
{
    GIVES("aten::native_batch_norm", "", "Float[2,3,4]; Float[0]; Float[0]", FLOATS(2, 3, 4),
          FLOATS(3), FLOATS(3), FLOATS(3), NONE, BOOL(false));
    GIVES("aten::native_batch_norm", "", "Half[2,3]; Float[3]; Float[3]", OF(HALF, 2, 3), FLOATS(3),
          NONE, NONE, NONE, BOOL(true));
    GIVES("aten::native_batch_norm", "", "Half[2,3]; Float[3]; Float[3]", OF(HALF, 2, 3), NONE,
          FLOATS(3), NONE, NONE, BOOL(true));
    GIVES("aten::native_batch_norm", "", "Half[2,3]; Half[3]; Half[3]", OF(HALF, 2, 3), NONE, NONE,
          NONE, NONE, BOOL(true));
    GIVES("aten::native_batch_norm", "", "Float[0,3]; Float[0]; Float[0]", FLOATS(0, 3), NONE, NONE,
          FLOATS(3), FLOATS(3), BOOL(false));
    REFUSES("aten::native_batch_norm", "",
            "input tensor must have at least one element, but got input_sizes = [0, 3]",
            FLOATS(0, 3), NONE, NONE, NONE, NONE, BOOL(true));
    REFUSES("aten::native_batch_norm", "", "expected scalar type Float but found Half",
            OF(HALF, 2, 3), FLOATS(3), OF(HALF, 3), NONE, NONE, BOOL(true));
    REFUSES("aten::native_batch_norm", "",
            "mixed dtype (CPU): parameters are of Double, and the input is of Float", FLOATS(2, 3),
            NONE, NONE, OF(DOUBLE, 3), OF(DOUBLE, 3), BOOL(false));
    GIVES("aten::_native_batch_norm_legit", "", "Float[2,3,4]; Float[0]; Float[0]", FLOATS(2, 3, 4),
          NONE, NONE, FLOATS(3), FLOATS(3), BOOL(false));
    GIVES("aten::_native_batch_norm_legit", "no_stats", "Float[2,3,4]; Float[3]; Float[3]",
          FLOATS(2, 3, 4), FLOATS(3), NONE, BOOL(true));
    REFUSES("aten::native_batch_norm", "",
            "batch_norm: expected 3 elements for each channel, got 4", FLOATS(2, 3), NONE, NONE,
            NONE, FLOATS(4), BOOL(true));
    REFUSES("aten::native_batch_norm", "", "batch_norm: expected at least 2 dims, got 1", FLOATS(2),
            NONE, NONE, NONE, NONE, BOOL(true));
}

UNIT_TEST(groups_are_normalized_where_their_input_lies)
{
    GIVES("aten::native_group_norm", "", "Float[2,4,3,5]; Float[2,2]; Float[2,2]",
          FLOATS(2, 4, 3, 5), FLOATS(4), NONE, INT(2), INT(4), INT(15), INT(2));
    GIVES("aten::native_group_norm", "", "Float[2,4,3,5] by [60,1,20,4]; Float[2,2]; Float[2,2]",
          pictures(arena, 2, 4, 3, 5), NONE, NONE, INT(2), INT(4), INT(15), INT(2));
    REFUSES("aten::native_group_norm", "",
            "group_norm: expected 3 groups of 4 channels, got [2, 4]", FLOATS(2, 4), NONE, NONE,
            INT(2), INT(4), INT(1), INT(3));
    REFUSES("aten::native_group_norm", "",
            "group_norm: expected 1 groups of 4611686018427387904 channels, got [2, 4]",
            FLOATS(2, 4), NONE, NONE, INT(8), INT(INT64_C(1) << 62), INT(1), INT(1));
    REFUSES("aten::native_group_norm", "",
            "group_norm: expected 0 groups of 4 channels, got [2, 4]", FLOATS(2, 4), NONE, NONE,
            INT(2), INT(4), INT(1), INT(0));
    REFUSES("aten::native_group_norm", "",
            "group_norm: expected 4 elements for each channel, got 5", FLOATS(2, 4), NONE,
            FLOATS(5), INT(2), INT(4), INT(1), INT(2));
}

UNIT_TEST(layers_keep_dims_of_one_for_statistics)
{
    GIVES("aten::native_layer_norm", "", "Float[2,3,4]; Float[2,1,1]; Float[2,1,1]",
          FLOATS(2, 3, 4), INTS(3, 4), FLOATS(3, 4), NONE);
    GIVES("aten::native_layer_norm", "", "Half[2,4]; Float[2,1]; Float[2,1]", OF(HALF, 2, 4),
          INTS(4), NONE, FLOATS(4));
    check_call(arena, (htp_meta_call){.major = 1}, "aten::native_layer_norm", "",
               "refused: mixed dtype (CPU): parameters are of Float, and the input is of BFloat16",
               (const htp_operand[]){OF(BFLOAT16, 2, 4), INTS(4), NONE, FLOATS(4)}, 4);
    REFUSES("aten::native_layer_norm", "",
            "layer_norm: expected input of sizes that end in [5, 4], got [2, 3, 4]",
            FLOATS(2, 3, 4), INTS(5, 4), NONE, NONE);
    REFUSES("aten::native_layer_norm", "",
            "layer_norm: expected input of sizes that end in [], got [2]", FLOATS(2), NO_INTS, NONE,
            NONE);
    REFUSES("aten::native_layer_norm", "",
            "layer_norm: expected input of sizes that end in [2, 2], got [2]", FLOATS(2),
            INTS(2, 2), NONE, NONE);
    REFUSES("aten::native_layer_norm", "", "layer_norm: expected a weight or bias of sizes [4]",
            FLOATS(2, 4), INTS(4), FLOATS(1, 4), NONE);
}

/* ---- windows ---- */

#define CONVOLVED(stride, padding, dilation, transposed, more, groups)                             \
    INTS(stride), INTS(padding), INTS(dilation), BOOL(transposed), INTS(more), INT(groups)

UNIT_TEST(convolutions_count_windows)
{
    const char *name = "aten::convolution_overrideable";
    GIVES(name, "", "Float[2,8,5]", FLOATS(2, 3, 9), FLOATS(8, 3, 3), NONE,
          CONVOLVED(2, 1, 1, false, 0, 1));
    GIVES(name, "", "Float[2,8,5]", FLOATS(2, 6, 9), FLOATS(8, 3, 3), FLOATS(8),
          CONVOLVED(1, 0, 2, false, 0, 2));
    GIVES(name, "", "Float[2,6,20]", FLOATS(2, 4, 9), FLOATS(4, 3, 4), NONE,
          CONVOLVED(2, 1, 1, true, 2, 2));
    REFUSES(name, "", "expected input[2, 3, 9] to have 4 channels, weight of size [8, 4, 3]",
            FLOATS(2, 3, 9), FLOATS(8, 4, 3), NONE, CONVOLVED(1, 0, 1, false, 0, 1));
    REFUSES(name, "", "Input type (Float) and weight type (Half) should be the same",
            FLOATS(2, 3, 9), OF(HALF, 8, 3, 3), NONE, CONVOLVED(1, 0, 1, false, 0, 1));
    REFUSES(name, "", "bias does not have one element for each output channel", FLOATS(2, 3, 9),
            FLOATS(8, 3, 3), FLOATS(7), CONVOLVED(1, 0, 1, false, 0, 1));
    REFUSES(name, "", "non-positive stride is not supported", FLOATS(2, 3, 9), FLOATS(8, 3, 3),
            NONE, CONVOLVED(0, 0, 1, false, 0, 1));
    REFUSES(name, "",
            "Calculated padded input size per channel: 2. Kernel size: 3. Kernel size can't be "
            "greater than actual input size",
            FLOATS(2, 3, 2), FLOATS(8, 3, 3), NONE, CONVOLVED(1, 0, 1, false, 0, 1));
    REFUSES(name, "", "Dimension out of range (expected to be in range of [-1, 0], but got 1)",
            FLOATS(2), FLOATS(2), NONE, CONVOLVED(1, 0, 1, false, 0, 1));
    REFUSES(name, "", "Dimension specified as 0 but tensor has no dimensions", SCALAR, SCALAR, NONE,
            CONVOLVED(1, 0, 1, true, 0, 1));
    REFUSES(name, "", "expected a number for each of 2 dims, got [1]", FLOATS(2, 3, 9, 9),
            FLOATS(8, 3, 3, 3), NONE, CONVOLVED(1, 0, 1, false, 0, 1));
}

UNIT_TEST(convolutions_stop_at_the_largest_number)
{
    const char *name = "aten::convolution_overrideable";
    GIVES(name, "", "Float[2,8,9223372036854775807]", FLOATS(2, 3, 9), FLOATS(3, 8, 3), NONE,
          CONVOLVED(INT64_MAX, 0, 1, true, 0, 1));
    REFUSES(name, "",
            "Calculated padded input size per channel: 9. Kernel size: 9223372036854775807. Kernel "
            "size can't be greater than actual input size",
            FLOATS(2, 3, 9), FLOATS(8, 3, 4), NONE, CONVOLVED(1, 0, INT64_MAX, false, 0, 1));
}

#define DEFORMED(stride, padding, dilation)                                                        \
    NONE, NONE, INT(stride), INT(stride), INT(padding), INT(padding), INT(dilation), INT(dilation)

UNIT_TEST(deformed_convolutions_have_an_offset_for_each_window)
{
    const char *name = "torchvision::deform_conv2d";
    GIVES(name, "", "Float[2,8,5,7]", FLOATS(2, 3, 5, 7), FLOATS(8, 3, 3, 3), FLOATS(2, 18, 5, 7),
          DEFORMED(1, 1, 1));
    REFUSES(name, "", "expected an offset of 5 by 7, got [2, 18, 5, 6]", FLOATS(2, 3, 5, 7),
            FLOATS(8, 3, 3, 3), FLOATS(2, 18, 5, 6), DEFORMED(1, 1, 1));
    REFUSES(name, "", "expected an input, a weight and an offset of 4 dims", FLOATS(3, 5, 7),
            FLOATS(8, 3, 3, 3), FLOATS(2, 18, 5, 7), DEFORMED(1, 1, 1));
    REFUSES(name, "", "the window is not valid", FLOATS(2, 3, 5, 7), FLOATS(8, 3, 3, 3),
            FLOATS(2, 18, 5, 7), DEFORMED(0, 1, 1));
    REFUSES(name, "", "Calculated output size too small: -1", FLOATS(2, 3, 5, 7),
            FLOATS(8, 3, 7, 3), FLOATS(2, 18, 5, 7), DEFORMED(1, 0, 1));
}

UNIT_TEST(pools_of_volumes_give_values_and_where_they_were)
{
    const char *name = "aten::max_pool3d_with_indices";
    GIVES(name, "", "Float[1,2,4,4,4]; Long[1,2,4,4,4]", FLOATS(1, 2, 8, 9, 9), INTS(2), NO_INTS,
          INTS(0), INTS(1), BOOL(false));
    GIVES(name, "", "Float[2,4,5,3]; Long[2,4,5,3]", FLOATS(2, 8, 9, 9), INTS(2, 2, 3),
          INTS(2, 2, 3), INTS(0), INTS(1), BOOL(true));
    /* The last window would begin after the input. */
    GIVES(name, "", "Float[2,2,2,2]; Long[2,2,2,2]", FLOATS(2, 3, 3, 3), INTS(1), INTS(2), INTS(0),
          INTS(1), BOOL(true));
    GIVES(name, "", "Float[2,1,1,1]; Long[2,1,1,1]", FLOATS(2, 1, 1, 1), INTS(1), INTS(5), INTS(0),
          INTS(1), BOOL(true));
    REFUSES(name, "", "max_pool: expected one number or 3, got [2, 2]", FLOATS(2, 8, 9, 9),
            INTS(2, 2), NO_INTS, INTS(0), INTS(1), BOOL(false));
    REFUSES(name, "",
            "max_pool: kernel_size, stride and dilation must be greater than zero, and padding "
            "at most half of kernel_size",
            FLOATS(2, 8, 9, 9), INTS(2), NO_INTS, INTS(2), INTS(1), BOOL(false));
    REFUSES(name, "", "pad must be non-negative, but got pad: -1", FLOATS(2, 8, 9, 9), INTS(2),
            NO_INTS, INTS(-1), INTS(1), BOOL(false));
    REFUSES(name, "", "max_pool: given input of [2, 1, 9, 9], output size is too small",
            FLOATS(2, 1, 9, 9), INTS(2), NO_INTS, INTS(0), INTS(1), BOOL(false));
    REFUSES(name, "", "non-empty 4D or 5D (batch mode) tensor expected for input, got [8, 9, 9]",
            FLOATS(8, 9, 9), INTS(2), NO_INTS, INTS(0), INTS(1), BOOL(false));
}

UNIT_TEST(averages_have_the_sizes_that_are_asked_for)
{
    GIVES("aten::_adaptive_avg_pool2d", "", "Float[2,3,1,2]", FLOATS(2, 3, 8, 9), INTS(1, 2));
    GIVES("aten::_adaptive_avg_pool2d", "", "Float[2,3,1,2] by [6,1,6,3]",
          pictures(arena, 2, 3, 8, 9), INTS(1, 2));
    GIVES("aten::_adaptive_avg_pool3d", "", "Float[3,1,2,4]", FLOATS(3, 8, 9, 9), INTS(1, 2, 4));
    REFUSES("aten::_adaptive_avg_pool2d", "",
            "adaptive_avg_pool: expected an input of 3 or 4 dims, of which only a batch is empty, "
            "got [8, 9]",
            FLOATS(8, 9), INTS(1, 2));
    GIVES("aten::_adaptive_avg_pool2d", "", "Float[2,0,1,2]", FLOATS(2, 0, 8, 9), INTS(1, 2));
    REFUSES("aten::_adaptive_avg_pool3d", "",
            "adaptive_avg_pool: expected an input of 4 or 5 dims, of which only a batch is empty, "
            "got [2, 0, 8, 9, 9]",
            FLOATS(2, 0, 8, 9, 9), INTS(1, 2, 4));
}

/* ---- pictures ---- */

UNIT_TEST(channels_and_pixels_become_each_other)
{
    GIVES("aten::pixel_shuffle", "", "Float[2,1,6,8]", FLOATS(2, 4, 3, 4), INT(2));
    GIVES("aten::pixel_unshuffle", "", "Float[8,2,2]", FLOATS(2, 4, 4), INT(2));
    GIVES("aten::pixel_unshuffle", "", "Float[2,12,2,1] by [24,1,12,12]",
          pictures(arena, 2, 3, 4, 2), INT(2));
    REFUSES("aten::pixel_shuffle", "",
            "expected channels, or height and width, divisible by the factor 2, got [2, 3, 3, 4]",
            FLOATS(2, 3, 3, 4), INT(2));
    REFUSES("aten::pixel_unshuffle", "",
            "expected channels, or height and width, divisible by the factor 2, got [2, 3, 3, 4]",
            FLOATS(2, 3, 3, 4), INT(2));
    REFUSES("aten::pixel_shuffle", "",
            "pixel_shuffle and pixel_unshuffle expect at least 3 dims and a positive factor, got "
            "[4, 3] and 2",
            FLOATS(4, 3), INT(2));
    REFUSES("aten::pixel_shuffle", "",
            "pixel_shuffle and pixel_unshuffle expect at least 3 dims and a positive factor, got "
            "[4, 3, 3] and 0",
            FLOATS(4, 3, 3), INT(0));
    /* Its square overflows. */
    REFUSES("aten::pixel_shuffle", "",
            "expected channels, or height and width, divisible by the factor 4294967296, got "
            "[4, 3, 3]",
            FLOATS(4, 3, 3), INT(INT64_C(1) << 32));
}

UNIT_TEST(a_format_is_told_by_strides)
{
    const int64_t dims[] = {2, 8, 3, 4, 5};
    const int64_t last[] = {480, 1, 160, 40, 8};
    REFUSES("aten::pixel_unshuffle", "",
            "Unsupported memory format. Supports only ChannelsLast, Contiguous",
            strided(arena, HTP_SCALAR_FLOAT, dims, last, 5), INT(1));
    /* With a single channel, both layouts are the same in memory. */
    const int64_t one[] = {1, 1, 3, 4};
    const int64_t expanded[] = {12, 0, 4, 1};
    GIVES("aten::pixel_unshuffle", "", "Float[1,1,3,4]",
          strided(arena, HTP_SCALAR_FLOAT, one, expanded, 4), INT(1));
    const int64_t batches[] = {3, 1, 1, 1};
    const int64_t ambiguous[] = {1, 1, 1, 1};
    GIVES("aten::pixel_unshuffle", "", "Float[3,1,1,1]",
          strided(arena, HTP_SCALAR_FLOAT, batches, ambiguous, 4), INT(1));
    GIVES("aten::pixel_unshuffle", "", "like 0", pictures(arena, 0, 3, 4, 2), INT(1));
}

UNIT_TEST(samples_are_where_the_grid_has_points)
{
    GIVES("aten::grid_sampler_2d", "", "Float[2,3,6,7]", FLOATS(2, 3, 4, 5), FLOATS(2, 6, 7, 2),
          INT(0));
    GIVES("aten::grid_sampler_3d", "", "Float[2,3,6,7,8]", FLOATS(2, 3, 4, 5, 5),
          FLOATS(2, 6, 7, 8, 3), INT(0));
    REFUSES("aten::grid_sampler_2d", "",
            "grid_sampler(): expected a grid with the batch of the input, and with 2 coordinates, "
            "got input of [2, 3, 4, 5] and grid of [2, 6, 7, 3]",
            FLOATS(2, 3, 4, 5), FLOATS(2, 6, 7, 3), INT(0));
    REFUSES("aten::grid_sampler_2d", "",
            "grid_sampler(): expected input and grid to have same dtype, but input has Float and "
            "grid has Double",
            FLOATS(2, 3, 4, 5), OF(DOUBLE, 2, 6, 7, 2), INT(0));
    REFUSES("aten::grid_sampler_2d", "",
            "grid_sampler(): expected input to have non-empty spatial dimensions, got [2, 3, 0, 5]",
            FLOATS(2, 3, 0, 5), FLOATS(2, 6, 7, 2), INT(0));
    REFUSES("aten::grid_sampler_2d", "", "Dimension specified as 0 but tensor has no dimensions",
            SCALAR, SCALAR, INT(0));
    REFUSES("aten::grid_sampler_2d", "", "grid_sampler(): expected an input of 4 dims, got 5",
            FLOATS(2, 3, 4, 5, 5), FLOATS(2, 6, 7, 8, 3), INT(0));
    REFUSES("aten::grid_sampler_3d", "",
            "grid_sampler(): bicubic interpolation only supports 4D input", FLOATS(2, 3, 4, 5, 5),
            FLOATS(2, 6, 7, 8, 3), INT(2));
    const char *floats = "aten::_grid_sampler_2d_cpu_fallback";
    GIVES(floats, "", "Float[2,3,6,7]", FLOATS(2, 3, 4, 5), FLOATS(2, 6, 7, 2), INT(2));
    REFUSES(floats, "", "expected scalar type Float but found Double", OF(DOUBLE, 2, 3, 4, 5),
            OF(DOUBLE, 2, 6, 7, 2), INT(0));
}

UNIT_TEST(regions_have_one_size)
{
    GIVES("torchvision::roi_align", "", "Float[9,8,3,4]", FLOATS(2, 8, 20, 20), FLOATS(9, 5), NONE,
          INT(3), INT(4));
    GIVES("torchvision::roi_pool", "", "Half[9,8,3,4]; Int[9,8,3,4]", OF(HALF, 2, 8, 20, 20),
          OF(HALF, 9, 5), NONE, INT(3), INT(4));
    GIVES("torchvision::ps_roi_align", "", "Float[9,2,2,2]; Int[9,2,2,2]", FLOATS(2, 8, 20, 20),
          FLOATS(9, 5), NONE, INT(2), INT(2));
    REFUSES("torchvision::ps_roi_pool", "",
            "input channels must be a multiple of pooling height * pooling width",
            FLOATS(2, 8, 20, 20), FLOATS(9, 5), NONE, INT(3), INT(2));
    REFUSES("torchvision::ps_roi_pool", "",
            "input channels must be a multiple of pooling height * pooling width",
            FLOATS(2, 8, 20, 20), FLOATS(9, 5), NONE, INT(INT64_C(1) << 32), INT(INT64_C(1) << 32));
    REFUSES("torchvision::roi_align", "", "expected an input of 4 dims, got [8, 20, 20]",
            FLOATS(8, 20, 20), FLOATS(9, 5), NONE, INT(3), INT(4));
    REFUSES("torchvision::roi_align", "", "expected rois of sizes [K, 5], got [9, 4]",
            FLOATS(2, 8, 20, 20), FLOATS(9, 4), NONE, INT(3), INT(4));
    REFUSES("torchvision::roi_align", "",
            "expected input and rois of one dtype, got Float and BFloat16", FLOATS(2, 8, 20, 20),
            OF(BFLOAT16, 9, 5), NONE, INT(3), INT(4));
    REFUSES("torchvision::roi_align", "", "expected a pooled size above 0", FLOATS(2, 8, 20, 20),
            FLOATS(9, 5), NONE, INT(3), INT(0));
}

UNIT_MAIN("meta kernels", what_changes_elements_alone_is_like_its_input,
          elements_are_chosen_along_a_dim, a_part_is_a_view_from_the_beginning,
          factors_are_of_square_matrices, batches_are_normalized_by_channel,
          groups_are_normalized_where_their_input_lies, layers_keep_dims_of_one_for_statistics,
          convolutions_count_windows, convolutions_stop_at_the_largest_number,
          deformed_convolutions_have_an_offset_for_each_window,
          pools_of_volumes_give_values_and_where_they_were,
          averages_have_the_sizes_that_are_asked_for, channels_and_pixels_become_each_other,
          a_format_is_told_by_strides, samples_are_where_the_grid_has_points, regions_have_one_size)
