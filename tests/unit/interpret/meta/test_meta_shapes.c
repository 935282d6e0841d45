/*
 * Meta kernels of padding, columns, moves, lookups, matrices, transforms and recurrent layers.
 */
#include "meta_fixture.h"

/* Images or volumes in channels-last layout. */
static htp_operand channels_last(htp_arena *arena, const int64_t *dims, uint32_t rank)
{
    int64_t strides[5];
    int64_t step = dims[1];
    strides[1] = 1;
    for (uint32_t dim = rank; dim-- > 0;) {
        if (dim != 1) {
            strides[dim] = step;
            step *= dims[dim];
        }
    }
    return strided(arena, HTP_SCALAR_FLOAT, dims, strides, rank);
}

#define LAST(...) channels_last(arena, NUMBERS(__VA_ARGS__))

/* ---- padding, columns, pools ---- */

UNIT_TEST(borders_are_padded_where_channels_stay_last)
{
    const char *name = "aten::reflection_pad2d";
    GIVES(name, "", "Float[2,3,8,7]", FLOATS(2, 3, 5, 4), INTS(1, 2, 3, 0));
    GIVES(name, "", "Float[3,5,4]", FLOATS(3, 5, 4), INTS(0, 0, 1, -1));
    GIVES(name, "", "Float[2,3,7,6] by [126,1,18,3]", LAST(2, 3, 5, 4), INTS(1, 1, 1, 1));
    GIVES("aten::replication_pad3d", "", "Float[1,2,5,5,7] by [350,1,70,14,2]", LAST(1, 2, 3, 3, 5),
          INTS(1, 1, 1, 1, 1, 1));
    GIVES_BY(1, false, "aten::replication_pad2d", "", "Float[2,3,7,6]", LAST(2, 3, 5, 4),
             INTS(1, 1, 1, 1));
    GIVES_BY(1, false, name, "", "Float[2,3,7,6]", LAST(2, 3, 5, 4), INTS(1, 1, 1, 1));
    GIVES("aten::replication_pad2d", "", "Float[3,9,0]", FLOATS(3, 5, 4), INTS(-2, -2, 2, 2));
    REFUSES(name, "",
            "reflection_pad: padding size should be less than the corresponding input dimension, "
            "but got padding (4, 0) at a dimension of 4",
            FLOATS(3, 5, 4), INTS(4, 0, 0, 0));
    REFUSES(name, "", "reflection_pad: calculated output size -1 is too small", FLOATS(3, 5, 4),
            INTS(-2, -3, 0, 0));
    REFUSES(name, "", "reflection_pad: calculated output sizes are too small", FLOATS(3, 5, 4),
            INTS(-2, -2, -5, 0));
    REFUSES(name, "", "reflection_pad: padding size is expected to be 4, but got 2",
            FLOATS(3, 5, 4), INTS(1, 1));
    REFUSES(name, "",
            "reflection_pad: expected 3D or 4D (batch mode) tensor with possibly 0 batch size and "
            "other non-zero dimensions for input, but got [2, 0, 5, 4]",
            FLOATS(2, 0, 5, 4), INTS(1, 1, 1, 1));
}

#define WINDOW(kernel, dilation, padding, stride)                                                  \
    INTS(kernel, kernel), INTS(dilation, dilation), INTS(padding, padding), INTS(stride, stride)

UNIT_TEST(windows_become_columns_and_columns_pictures)
{
    GIVES("aten::im2col", "", "Float[2,27,20]", FLOATS(2, 3, 5, 4), WINDOW(3, 1, 1, 1));
    GIVES("aten::im2col", "", "Float[12,2]", FLOATS(3, 5, 4), WINDOW(2, 2, 0, 2));
    GIVES("aten::im2col", "", "Float[0,27,20]", FLOATS(0, 3, 5, 4), WINDOW(3, 1, 1, 1));
    REFUSES("aten::im2col", "", "expected two numbers of at least 1 for a window, got [0, 0]",
            FLOATS(3, 5, 4), WINDOW(2, 1, 0, 0));
    REFUSES("aten::im2col", "",
            "Given an input of spatial size (5, 4), calculated shape of the array of sliding "
            "blocks as (0, -1), but its components must be at least one",
            FLOATS(3, 5, 4), WINDOW(6, 1, 0, 1));
    REFUSES("aten::im2col", "",
            "Expected 3D or 4D (batch mode) tensor with possibly 0 batch size and other non-zero "
            "dimensions, but got [5, 4]",
            FLOATS(5, 4), WINDOW(3, 1, 1, 1));
    GIVES("aten::col2im", "", "Float[2,3,5,6]", FLOATS(2, 12, 20), INTS(5, 6), WINDOW(2, 1, 0, 1));
    GIVES("aten::col2im", "", "Float[3,5,6]", FLOATS(12, 20), INTS(5, 6), WINDOW(2, 1, 0, 1));
    REFUSES("aten::col2im", "",
            "expected rows divisible by 4 and 20 columns, for output_size of at least 1, but got "
            "input of [2, 12, 19]",
            FLOATS(2, 12, 19), INTS(5, 6), WINDOW(2, 1, 0, 1));
    REFUSES("aten::col2im", "", "It is expected output_size equals to 2, but got size 1",
            FLOATS(2, 12, 20), INTS(5), WINDOW(2, 1, 0, 1));
}

UNIT_TEST(what_was_pooled_is_put_back)
{
    GIVES("aten::max_unpool2d", "", "Float[2,3,4,6]", FLOATS(2, 3, 2, 3), OF(LONG, 2, 3, 2, 3),
          INTS(4, 6));
    GIVES("aten::max_unpool2d", "", "Float[2,3,4,6] by [72,1,18,3]", LAST(2, 3, 2, 3),
          OF(LONG, 2, 3, 2, 3), INTS(4, 6));
    GIVES("aten::max_unpool3d", "", "Float[3,4,6,8]", FLOATS(3, 2, 3, 4), OF(LONG, 3, 2, 3, 4),
          INTS(4, 6, 8), INTS(2, 2, 2), INTS(0, 0, 0));
    REFUSES("aten::max_unpool2d", "", "expected indices of int64, and an output_size of 2 numbers",
            FLOATS(3, 2, 3), OF(INT, 3, 2, 3), INTS(4, 6));
    REFUSES("aten::max_unpool2d", "",
            "expected input and indices of the same 3 or 4 dims, of which no one but the batch is "
            "0, got [3, 2, 3] and [3, 2, 2]",
            FLOATS(3, 2, 3), OF(LONG, 3, 2, 2), INTS(4, 6));
    REFUSES("aten::max_unpool3d", "",
            "strides should be greater than zero, and there should be three of them, and of "
            "paddings",
            FLOATS(3, 2, 3, 4), OF(LONG, 3, 2, 3, 4), INTS(4, 6, 8), INTS(2, 0, 2), INTS(0, 0, 0));
}

#define POOL(kernel) INTS(kernel), NO_INTS, INTS(0), INTS(1), BOOL(false)

UNIT_TEST(pools_lie_as_each_version_has_them)
{
    GIVES("aten::max_pool1d", "", "Float[2,3,4]", FLOATS(2, 3, 8), POOL(2));
    REFUSES("aten::max_pool1d", "", "max_pool: given input of [2, 3, 8], output size is too small",
            FLOATS(2, 3, 8), POOL(9));
    const char *name = "aten::max_pool3d_with_indices";
    GIVES(name, "", "Float[1,2,2,1,3] by [12,1,6,6,2]; Long[1,2,2,1,3] by [12,1,6,6,2]",
          LAST(1, 2, 4, 3, 6), POOL(2));
    GIVES_BY(1, false, name, "", "Float[1,2,2,1,3]; Long[1,2,2,1,3]", LAST(1, 2, 4, 3, 6), POOL(2));
    GIVES_BY(1, false, name, "", "Float[3,2,2,3]; Long[3,2,2,3]", LAST(3, 4, 5, 6), POOL(2));
    REFUSES(name, "", "Unsupported memory format. Supports only ChannelsLast3d, Contiguous",
            LAST(3, 4, 5, 6), POOL(2));
}

UNIT_TEST(volumes_are_scaled)
{
    const htp_operand factors[] = {FLOAT(2), FLOAT(0.5), FLOAT(1.5)};
    const htp_operand scales = tensors_of(arena, factors, 3);
    GIVES("aten::upsample_nearest3d", "vec", "Float[1,2,6,2,7]", FLOATS(1, 2, 3, 4, 5), NONE,
          scales);
    GIVES("aten::_upsample_nearest_exact3d", "vec", "Float[1,2,1,2,3] by [12,1,12,6,2]",
          LAST(1, 2, 3, 4, 5), INTS(1, 2, 3), NONE);
    REFUSES("aten::upsample_nearest3d", "vec",
            "Must specify exactly one of output_size and scale_factors, for each of three dims",
            FLOATS(1, 2, 3, 4, 5), INTS(1, 2, 3), scales);
    REFUSES("aten::upsample_nearest3d", "vec",
            "Must specify exactly one of output_size and scale_factors, for each of three dims",
            FLOATS(1, 2, 3, 4, 5), NONE, NONE);
    REFUSES("aten::upsample_nearest3d", "vec", "Input and output sizes should be greater than 0",
            FLOATS(1, 2, 3, 4, 5), INTS(1, 0, 3), NONE);
    REFUSES("aten::upsample_nearest3d", "vec",
            "Non-empty 5D data tensor expected but got a tensor with sizes [2, 3, 4, 5]",
            FLOATS(2, 3, 4, 5), INTS(1, 2, 3), NONE);
}

/* ---- moves ---- */

UNIT_TEST(rolled_parts_are_joined_as_cat_joins_them)
{
    GIVES("aten::roll", "", "Float[2,3] by [3,1]", FLOATS(2, 3), INTS(1, -2), INTS(0, -1));
    GIVES("aten::roll", "", "Float[2,3]", FLOATS(2, 3), INTS(1), NO_INTS);
    GIVES("aten::roll", "", "Float[2,3,4,5] by [60,1,15,3]", LAST(2, 3, 4, 5), INTS(1), INTS(2));
    /* An empty part has no channels-last layout. */
    GIVES("aten::roll", "", "Float[2,3,4,5] by [60,20,5,1]", LAST(2, 3, 4, 5), INTS(4), INTS(2));
    GIVES("aten::roll", "", "like 0", FLOATS(0, 3), INTS(1), INTS(7));
    REFUSES("aten::roll", "", "`shifts` required", FLOATS(2, 3), NO_INTS, NO_INTS);
    REFUSES("aten::roll", "", "shifts and dimensions must align. shifts: 2, dims:1", FLOATS(2, 3),
            INTS(1, 2), INTS(1));
    REFUSES("aten::roll", "",
            "Dimension out of range (expected to be in range of [-2, 1], but got 2)", FLOATS(2, 3),
            INTS(1), INTS(2));
    REFUSES("aten::roll", "", "Dimension specified as 0 but tensor has no dimensions", SCALAR,
            INTS(1), INTS(0));
}

UNIT_TEST(shuffled_channels_stay_where_they_are_last)
{
    GIVES("aten::channel_shuffle", "", "Float[2,4,3]", FLOATS(2, 4, 3), INT(2));
    GIVES("aten::native_channel_shuffle", "", "Float[2,4,3,5] by [60,1,20,4]", LAST(2, 4, 3, 5),
          INT(2));
    GIVES("aten::channel_shuffle", "", "Float[0,4,3] by [12,3,1] from 0 of 0", FLOATS(0, 4, 3),
          INT(2));
    GIVES("aten::native_channel_shuffle", "", "Float[0,4,3] by [12,3,1] from 0 of 0",
          FLOATS(0, 4, 3), INT(2));
    GIVES_BY(1, false, "aten::native_channel_shuffle", "", "Float[0,4,3]", FLOATS(0, 4, 3), INT(2));
    REFUSES("aten::channel_shuffle", "",
            "channel_shuffle expects an input of more than 2 dims, and channels divisible by "
            "groups above 0, got [2, 4, 3] and 3",
            FLOATS(2, 4, 3), INT(3));
}

UNIT_TEST(triangles_are_counted)
{
    const char *below = "aten::tril_indices";
    const char *above = "aten::triu_indices";
    GIVES(below, "", "Long[2,6]", INT(3), INT(3), INT(0), NONE);
    GIVES(above, "", "Int[2,3]", INT(3), INT(3), INT(1), INT(HTP_SCALAR_INT));
    GIVES(below, "", "Long[2,1]", INT(3), INT(4), INT(-2), NONE);
    GIVES(below, "", "Long[2,12]", INT(3), INT(4), INT(9), NONE);
    GIVES(above, "", "Long[2,0]", INT(3), INT(4), INT(INT64_MAX), NONE);
    GIVES(above, "", "Long[2,12]", INT(3), INT(4), INT(INT64_MIN), NONE);
    GIVES(below, "", "Long[2,0]", INT(0), INT(4), INT(0), NONE);
    REFUSES(below, "",
            "row and col must be non-negative, and their triangle of a size that a tensor may have",
            INT(-1), INT(4), INT(0), NONE);
}

UNIT_TEST(elements_and_rows_are_looked_up)
{
    GIVES("aten::take", "", "Float[4,5]", FLOATS(2, 3), OF(LONG, 4, 5));
    REFUSES("aten::take", "", "take(): Expected a long tensor for index, but got Int", FLOATS(2, 3),
            OF(INT, 4));
    REFUSES("aten::take", "", "take(): tried to take from an empty tensor", FLOATS(0, 3),
            OF(LONG, 4));
    GIVES("aten::nonzero_static", "", "Long[5,2]", FLOATS(2, 3), INT(5));
    GIVES("aten::repeat_interleave", "Tensor", "Int[9]", OF(INT, 3), INT(9));
    REFUSES("aten::repeat_interleave", "Tensor", "its output's size depends on the data",
            OF(INT, 3), NONE);
    GIVES("aten::diag", "out", "operand 2 as Float[5,5]", FLOATS(3), INT(-2), FLOATS(0));
    GIVES("aten::diag", "out", "operand 2", FLOATS(3, 5), INT(1), FLOATS(3));
    GIVES("aten::diag", "out", "operand 2", FLOATS(3, 5), INT(5), FLOATS(0));
    REFUSES("aten::diag", "out", "diag: there is no diagonal 9223372036854775807", FLOATS(3, 5),
            INT(INT64_MAX), FLOATS(0));
}

#define BAGS(mode, with_last, padding)                                                             \
    BOOL(false), INT(mode), BOOL(false), NONE, BOOL(with_last), INT(padding)

UNIT_TEST(bags_are_told_apart_where_their_sum_needs_it)
{
    const char *name = "aten::_embedding_bag_forward_only";
    GIVES(name, "", "Float[3,4]; Long[0]; Long[3]; Long[3]", FLOATS(5, 4), OF(LONG, 6), OF(INT, 3),
          BAGS(0, false, -1));
    GIVES(name, "", "Float[3,4]; Int[6]; Int[4]; Int[4]", FLOATS(5, 4), OF(INT, 6), OF(INT, 4),
          BAGS(0, true, 0));
    GIVES(name, "", "Double[3,4]; Long[6]; Long[3]; Long[3,4]", OF(DOUBLE, 5, 4), OF(LONG, 6),
          OF(LONG, 4), BAGS(2, true, -1));
    GIVES("aten::_embedding_bag", "", "Float[3,4]; Long[0]; Long[3]; Long[3]", FLOATS(5, 4),
          OF(LONG, 6), OF(LONG, 4), BAGS(0, true, -1));
    REFUSES(name, "", "embedding_bag: a weight of Long is not supported", OF(LONG, 5, 4),
            OF(LONG, 6), OF(LONG, 3), BAGS(0, false, -1));
    REFUSES(name, "", "include_last_offset: number of offset should be at least 1", FLOATS(5, 4),
            OF(LONG, 6), OF(LONG, 0), BAGS(0, true, -1));
}

/* ---- matrices ---- */

UNIT_TEST(products_have_the_sizes_of_their_factors)
{
    GIVES("aten::dot", "", "Float[]", FLOATS(5), FLOATS(5));
    REFUSES("aten::vdot", "", "1D tensors of one size expected, but got [5] and [4]", FLOATS(5),
            FLOATS(4));
    GIVES("aten::trace", "", "Long[]", OF(INT, 3, 4));
    REFUSES("aten::trace", "", "trace: expected a matrix, but got tensor with dim 1", FLOATS(3));
    const char *sum = "aten::addr";
    GIVES(sum, "", "Float[3,4] by [4,1]", SCALAR, FLOATS(3), FLOATS(4), INT(1), INT(1));
    GIVES(sum, "", "Bool[3,4] by [4,1]", OF(BOOL, 3, 1), OF(BOOL, 3), OF(BOOL, 4), BOOL(true),
          BOOL(true));
    GIVES(sum, "", "Double[3,4] by [1,3]",
          strided(arena, HTP_SCALAR_FLOAT, (const int64_t[]){3, 4}, (const int64_t[]){1, 3}, 2),
          FLOATS(3), OF(DOUBLE, 4), INT(1), FLOAT(0.5));
    REFUSES(sum, "", "addr: [4, 4] does not expand to the sizes of the product", FLOATS(4, 4),
            FLOATS(3), FLOATS(4), INT(1), INT(1));
    REFUSES(sum, "", "addr: Expected 1-D arguments vec1 and vec2, but got 2-D and 1-D", SCALAR,
            FLOATS(3, 1), FLOATS(4), INT(1), INT(1));
    REFUSES(sum, "", "Boolean beta and alpha only supported for Boolean results.", SCALAR,
            FLOATS(3), FLOATS(4), BOOL(true), INT(1));
    REFUSES(sum, "",
            "For integral input tensors, argument beta and alpha must not be floating point "
            "numbers.",
            OF(LONG, 4), OF(LONG, 3), OF(LONG, 4), INT(1), FLOAT(0.5));
    GIVES("aten::addbmm", "", "Float[3,5]", FLOATS(5), FLOATS(2, 3, 4), FLOATS(2, 4, 5));
    REFUSES("aten::addbmm", "", "addbmm: [4] does not expand to the sizes of the product",
            FLOATS(4), FLOATS(2, 3, 4), FLOATS(2, 4, 5));
    GIVES("aten::mm", "", "Float[3,5]", FLOATS(3, 4), FLOATS(4, 5));
    GIVES("aten::bmm", "", "Float[2,3,5]", FLOATS(2, 3, 4), FLOATS(2, 4, 5));
    REFUSES("aten::mm", "", "mat2 must be a matrix", FLOATS(3, 4), FLOATS(4));
    REFUSES("aten::mm", "", "mat1 and mat2 shapes cannot be multiplied (3x4 and 5x4)", FLOATS(3, 4),
            FLOATS(5, 4));
    REFUSES("aten::bmm", "",
            "Expected size for first two dimensions of batch2 tensor to be: [2, 4] but got: [2, "
            "5].",
            FLOATS(2, 3, 4), FLOATS(2, 5, 4));
    REFUSES("aten::mm", "",
            "expected matrices of the same dtype to multiply, but got Float and Long", FLOATS(3, 4),
            OF(LONG, 4, 5));
}

UNIT_TEST(lapack_gives_columns)
{
    GIVES("aten::geqrf", "", "Float[2,4,3] by [12,1,4]; Float[2,3]", FLOATS(2, 4, 3));
    GIVES("aten::linalg_householder_product", "", "Float[4,3] by [1,4]", FLOATS(4, 3), FLOATS(2));
    REFUSES("aten::linalg_householder_product", "",
            "torch.linalg.householder_product: input.shape[-2] must be greater than or equal to "
            "input.shape[-1]",
            FLOATS(3, 4), FLOATS(2));
    GIVES("aten::ormqr", "", "Float[4,2] by [1,4]", FLOATS(4, 3), FLOATS(3), FLOATS(4, 2),
          BOOL(true));
    GIVES("aten::linalg_eig", "", "ComplexFloat[2,3]; ComplexFloat[2,3,3] by [9,1,3]",
          FLOATS(2, 3, 3));
    GIVES("aten::linalg_matrix_exp", "", "Float[2,3,3]", FLOATS(2, 3, 3));
    GIVES_BY(1, false, "aten::linalg_matrix_exp", "", "like 0", FLOATS(2, 3, 3));
    GIVES("aten::linalg_solve_triangular", "", "Float[2,3,5] by [15,1,3]", FLOATS(2, 3, 3),
          FLOATS(3, 5), BOOL(true), BOOL(true));
    REFUSES("aten::linalg_solve_triangular", "",
            "linalg.solve_triangular: Incompatible shapes of A and B: [3, 3] and [3, 5]",
            FLOATS(3, 3), FLOATS(3, 5), BOOL(true), BOOL(false));
    REFUSES("aten::geqrf", "",
            "torch.geqrf: Expected a floating point or complex tensor as input. Got Long",
            OF(LONG, 3, 3));
}

UNIT_TEST(least_squares_are_the_first_rows_of_what_lapack_wrote)
{
    const char *name = "aten::linalg_lstsq";
    GIVES(name, "", "Float[3,2] by [1,4]; Float[2]; Long[0]; Float[0]", FLOATS(4, 3), FLOATS(4, 2),
          NONE, TEXT("gels"));
    GIVES(name, "", "Float[2,3] by [4,1]; Float[0]; Long[2]; Float[0]", FLOATS(2, 4, 3),
          FLOATS(2, 4), NONE, NONE);
    GIVES(name, "", "Float[2,4,2] by [8,1,4]; Float[0]; Long[2]; Float[2,3]", FLOATS(2, 3, 4),
          FLOATS(1, 3, 2), NONE, TEXT("gelsd"));
    REFUSES(name, "",
            "torch.linalg.lstsq: input of [4, 3] and other of [3, 2] do not fit each other",
            FLOATS(4, 3), FLOATS(3, 2), NONE, NONE);
}

/* ---- transforms ---- */

UNIT_TEST(signals_are_as_long_as_their_frames)
{
    const char *name = "aten::istft";
    const htp_operand spectra = OF(COMPLEX_FLOAT, 2, 9, 17);
    GIVES(name, "", "Float[2,64]", spectra, INT(16), INT(4), NONE, FLOATS(16), BOOL(true),
          BOOL(false), NONE, NONE, BOOL(false));
    GIVES(name, "", "Float[2,80]", spectra, INT(16), INT(4), NONE, NONE, BOOL(false), BOOL(false),
          NONE, NONE, BOOL(false));
    GIVES(name, "", "Double[100]", OF(COMPLEX_DOUBLE, 9, 17), INT(16), NONE, NONE, NONE, BOOL(true),
          BOOL(false), BOOL(true), INT(100), BOOL(false));
    GIVES(name, "", "ComplexFloat[2,24]", OF(COMPLEX_FLOAT, 2, 12, 9), INT(12), INT(3), NONE, NONE,
          BOOL(true), BOOL(false), BOOL(false), NONE, BOOL(true));
    REFUSES(name, "",
            "istft: expected the frequency dimension (3rd to the last) of the input tensor to be "
            "11, but got 9",
            spectra, INT(20), NONE, NONE, NONE, BOOL(true), BOOL(false), BOOL(true), NONE,
            BOOL(false));
    REFUSES(name, "", "istft: expected a signal of elements, got a length of 0",
            OF(COMPLEX_FLOAT, 9, 1), INT(16), INT(4), NONE, NONE, BOOL(true), BOOL(false), NONE,
            NONE, BOOL(false));
    REFUSES(name, "", "istft: expected 0 < hop_length <= win_length <= n_fft, but got 0, 16, 16",
            spectra, INT(16), INT(0), NONE, NONE, BOOL(true), BOOL(false), NONE, NONE, BOOL(false));
}

UNIT_TEST(transforms_lie_as_the_library_has_them)
{
    const htp_operand real = FLOATS(2, 3, 8, 5);
    const htp_operand complex = OF(COMPLEX_FLOAT, 2, 3, 8);
    GIVES("aten::_fft_r2c", "", "ComplexFloat[2,3,8,3]", real, INTS(1, 3), INT(0), BOOL(true));
    GIVES_BY(2, true, "aten::_fft_r2c", "", "ComplexFloat[2,3,8,3] by [72,3,9,1]", real, INTS(1, 3),
             INT(0), BOOL(true));
    GIVES_BY(2, true, "aten::_fft_c2c", "", "ComplexFloat[2,3,8] by [24,1,3]", complex, INTS(1),
             INT(0), BOOL(true));
    GIVES_BY(2, true, "aten::_fft_c2r", "", "Float[2,4,8] by [4,1,8]", complex, INTS(0, 1), INT(0),
             INT(4));
    check_call(arena, (htp_meta_call){.major = 2, .has_mkl = true}, "aten::_fft_c2r", "",
               "refused: FFT to 4 real numbers expects 3, got 8",
               (const htp_operand[]){complex, INTS(2), INT(0), INT(4)}, 4);
    check_call(arena, (htp_meta_call){.major = 2, .has_mkl = true}, "aten::_fft_c2r", "",
               "refused: FFT to 16 real numbers expects 9, got 8",
               (const htp_operand[]){complex, INTS(2), INT(0), INT(16)}, 4);
    GIVES("aten::_fft_c2r", "", "Float[2,3,14]", complex, INTS(2), INT(0), INT(14));
    GIVES("aten::_fft_c2c", "", "ComplexFloat[2,3,8]", complex, NO_INTS, INT(0), BOOL(true));
    GIVES_BY(2, true, "aten::_fft_c2c", "", "like 0", complex, NO_INTS, INT(0), BOOL(true));
    REFUSES("aten::_fft_c2r", "", "Invalid number of data points (0) specified", complex, INTS(2),
            INT(0), INT(0));
    REFUSES("aten::_fft_r2c", "", "FFT expects a tensor of real numbers, got ComplexFloat", complex,
            INTS(2), INT(0), BOOL(true));
    REFUSES("aten::_fft_c2c", "", "FFT dims must be unique, and dims of the tensor", complex,
            INTS(1, 1), INT(0), BOOL(true));
}

/* ---- recurrent layers ---- */

#define LAYERS(count, is_bidirectional, is_batch_first)                                            \
    BOOL(true), INT(count), FLOAT(0), BOOL(false), BOOL(is_bidirectional), BOOL(is_batch_first)

UNIT_TEST(steps_lie_behind_each_other)
{
    const htp_operand weights = TENSORS(FLOATS(15, 4), FLOATS(15, 5), FLOATS(15), FLOATS(15));
    GIVES("aten::gru", "input", "Float[7,2,5] by [10,5,1]; Float[1,2,5]", FLOATS(7, 2, 4),
          FLOATS(1, 2, 5), weights, LAYERS(1, false, false));
    GIVES("aten::gru", "input", "Float[2,7,5] by [5,10,1]; Float[1,2,5]", FLOATS(2, 7, 4),
          FLOATS(1, 2, 5), weights, LAYERS(1, false, true));
    REFUSES("aten::gru", "input",
            "expected a hidden state of Float and sizes [1, 2, 5], got Float and [1, 3, 5]",
            FLOATS(7, 2, 4), FLOATS(1, 3, 5), weights, LAYERS(1, false, false));
    REFUSES("aten::gru", "input", "4 weights are not those of 2 layers", FLOATS(7, 2, 4),
            FLOATS(2, 2, 5), weights, LAYERS(2, false, false));
    REFUSES("aten::gru", "input",
            "a weight of Float and [15, 4] does not fit the input and the states", FLOATS(7, 2, 3),
            FLOATS(1, 2, 5), weights, LAYERS(1, false, false));
    REFUSES("aten::gru", "input", "Expected sequence length to be larger than 0 in RNN",
            FLOATS(0, 2, 4), FLOATS(1, 2, 5), weights, LAYERS(1, false, false));
    const htp_operand projected =
        TENSORS(FLOATS(20, 4), FLOATS(20, 3), FLOATS(20), FLOATS(20), FLOATS(3, 5));
    GIVES("aten::lstm", "input", "Float[7,2,3] by [6,3,1]; Float[1,2,3]; Float[1,2,5]",
          FLOATS(7, 2, 4), TENSORS(FLOATS(1, 2, 3), FLOATS(1, 2, 5)), projected,
          LAYERS(1, false, false));
    REFUSES("aten::lstm", "input", "lstm expects two hidden states", FLOATS(7, 2, 4),
            TENSORS(FLOATS(1, 2, 3)), projected, LAYERS(1, false, false));
}

UNIT_MAIN("meta kernels of shapes", borders_are_padded_where_channels_stay_last,
          windows_become_columns_and_columns_pictures, what_was_pooled_is_put_back,
          pools_lie_as_each_version_has_them, volumes_are_scaled,
          rolled_parts_are_joined_as_cat_joins_them, shuffled_channels_stay_where_they_are_last,
          triangles_are_counted, elements_and_rows_are_looked_up,
          bags_are_told_apart_where_their_sum_needs_it, products_have_the_sizes_of_their_factors,
          lapack_gives_columns, least_squares_are_the_first_rows_of_what_lapack_wrote,
          signals_are_as_long_as_their_frames, transforms_lie_as_the_library_has_them,
          steps_lie_behind_each_other)
