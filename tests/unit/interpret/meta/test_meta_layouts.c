/*
 * Meta kernels whose output layouts follow the CPU's kernels.
 */
#include "meta_fixture.h"

#define FLOAT_OF(value) ((htp_operand){.kind = HTP_OPERAND_FLOAT, .as.f = (value)})

#define LIST(...) ((const int64_t[]){__VA_ARGS__})
#define STRIDED(type, dims, strides)                                                               \
    strided(arena, HTP_SCALAR_##type, dims, strides, (uint32_t)(sizeof(dims) / sizeof(int64_t)))

/* ---- convolutions ---- */

#define CONVOLUTION "aten::convolution_overrideable"

#define LAST STRIDED(FLOAT, LIST(2, 3, 8, 8), LIST(192, 1, 24, 3))
#define VOLUME(type, batch, channels) volume_of(arena, HTP_SCALAR_##type, batch, channels)

/* Volumes of 8 by 8 by 8 in channels-last layout. */
static htp_operand volume_of(htp_arena *arena, int32_t type, int64_t batch, int64_t channels)
{
    const int64_t dims[] = {batch, channels, 8, 8, 8};
    const int64_t strides[] = {512 * channels, 1, 64 * channels, 8 * channels, channels};
    return strided(arena, type, dims, strides, 5);
}

static htp_operand zeroes(htp_arena *arena, uint32_t count)
{
    const int64_t numbers[] = {0, 0, 0};
    return list_of(arena, numbers, count);
}

static htp_operand ones(htp_arena *arena, uint32_t count)
{
    const int64_t numbers[] = {1, 1, 1};
    return list_of(arena, numbers, count);
}

#define STEPS(dims, is_transposed, groups)                                                         \
    NONE, ones(arena, dims), zeroes(arena, dims), ones(arena, dims), BOOL(is_transposed),          \
        zeroes(arena, dims), INT(groups)

UNIT_TEST(pictures_keep_channels_last)
{
    GIVES(CONVOLUTION, "", "Float[2,4,6,6]", FLOATS(2, 3, 8, 8), FLOATS(4, 3, 3, 3),
          STEPS(2, false, 1));
    GIVES(CONVOLUTION, "", "Float[2,4,6,6] by [144,1,24,4]", LAST, FLOATS(4, 3, 3, 3),
          STEPS(2, false, 1));
    GIVES(CONVOLUTION, "", "Float[2,4,6,6] by [144,1,24,4]", FLOATS(2, 3, 8, 8),
          STRIDED(FLOAT, LIST(4, 3, 3, 3), LIST(27, 1, 9, 3)), STEPS(2, false, 1));
    GIVES(CONVOLUTION, "", "Float[2,5,10,10] by [500,1,50,5]", LAST, FLOATS(3, 5, 3, 3),
          STEPS(2, true, 1));
}

UNIT_TEST(volumes_keep_them_where_they_are_left_to_onednn)
{
    const char *last = "Float[2,4,6,6,6] by [864,1,144,24,4]";
    GIVES(CONVOLUTION, "", last, VOLUME(FLOAT, 2, 3), FLOATS(4, 3, 3, 3, 3), STEPS(3, false, 1));
    GIVES(CONVOLUTION, "", "Float[1,4,6,6,6]", VOLUME(FLOAT, 1, 3), FLOATS(4, 3, 3, 3, 3),
          STEPS(3, false, 1));
    GIVES(CONVOLUTION, "", "Float[2,4,8,8,8]", VOLUME(FLOAT, 2, 3), FLOATS(4, 3, 1, 1, 1),
          STEPS(3, false, 1));
    GIVES(CONVOLUTION, "", "Float[1,4,6,6,6] by [864,1,144,24,4]", VOLUME(FLOAT, 1, 4),
          FLOATS(4, 2, 3, 3, 3), STEPS(3, false, 2));
    GIVES(CONVOLUTION, "", "Double[2,4,6,6,6]", VOLUME(DOUBLE, 2, 3), OF(DOUBLE, 4, 3, 3, 3, 3),
          STEPS(3, false, 1));
    GIVES(CONVOLUTION, "", "BFloat16[1,4,6,6,6] by [864,1,144,24,4]", VOLUME(BFLOAT16, 1, 3),
          OF(BFLOAT16, 4, 3, 3, 3, 3), STEPS(3, false, 1));
}

UNIT_TEST(the_first_libtorch_keeps_fewer)
{
    GIVES_BY(1, false, CONVOLUTION, "", "Float[2,4,6,6] by [144,1,24,4]", LAST, FLOATS(4, 3, 3, 3),
             STEPS(2, false, 1));
    GIVES_BY(1, false, CONVOLUTION, "", "Float[2,5,10,10]", LAST, FLOATS(3, 5, 3, 3),
             STEPS(2, true, 1));
    GIVES_BY(1, false, CONVOLUTION, "", "Float[2,4,6,6,6]", VOLUME(FLOAT, 2, 3),
             FLOATS(4, 3, 3, 3, 3), STEPS(3, false, 1));
}

/* ---- other builds ---- */

UNIT_TEST(pictures_lie_in_order_where_nnpack_may_convolve_them)
{
    GIVES_ELSEWHERE(2, CONVOLUTION, "", "Float[2,4,6,6]", LAST, FLOATS(4, 3, 3, 3),
                    STEPS(2, false, 1));
    GIVES_ELSEWHERE(1, CONVOLUTION, "", "Float[2,4,6,6]", LAST, FLOATS(4, 3, 3, 3),
                    STEPS(2, false, 1));
    GIVES_ELSEWHERE(2, CONVOLUTION, "", "Float[2,5,10,10] by [500,1,50,5]", LAST,
                    FLOATS(3, 5, 3, 3), STEPS(2, true, 1));
    GIVES_ELSEWHERE(2, CONVOLUTION, "", "Double[2,4,6,6] by [144,1,24,4]",
                    STRIDED(DOUBLE, LIST(2, 3, 8, 8), LIST(192, 1, 24, 3)), OF(DOUBLE, 4, 3, 3, 3),
                    STEPS(2, false, 1));
    GIVES_ELSEWHERE(2, CONVOLUTION, "", "Float[2,4,4,4] by [64,1,16,4]", LAST, FLOATS(4, 3, 3, 3),
                    NONE, ones(arena, 2), zeroes(arena, 2), INTS(2, 2), BOOL(false),
                    zeroes(arena, 2), INT(1));
    GIVES_ELSEWHERE(2, CONVOLUTION, "", "Float[2,4,6,6]", FLOATS(2, 3, 8, 8), FLOATS(4, 3, 3, 3),
                    STEPS(2, false, 1));
}

UNIT_TEST(the_first_libtorch_transposes_them_with_onednn_alone)
{
    GIVES_BY(1, false, CONVOLUTION, "", "BFloat16[2,5,10,10] by [500,1,50,5]",
             STRIDED(BFLOAT16, LIST(2, 3, 8, 8), LIST(192, 1, 24, 3)), OF(BFLOAT16, 3, 5, 3, 3),
             STEPS(2, true, 1));
    GIVES_ELSEWHERE(1, CONVOLUTION, "", "BFloat16[2,5,10,10]",
                    STRIDED(BFLOAT16, LIST(2, 3, 8, 8), LIST(192, 1, 24, 3)),
                    OF(BFLOAT16, 3, 5, 3, 3), STEPS(2, true, 1));
}

UNIT_TEST(volumes_lie_otherwise_as_far_as_onednn_takes_them)
{
    GIVES_ELSEWHERE(2, CONVOLUTION, "", "Float[2,4,6,6,6]", VOLUME(FLOAT, 2, 3),
                    FLOATS(4, 3, 3, 3, 3), STEPS(3, false, 1));
    GIVES_ELSEWHERE(2, CONVOLUTION, "", "Float[1,4,6,6,6]", VOLUME(FLOAT, 1, 3),
                    FLOATS(4, 3, 3, 3, 3), STEPS(3, false, 1));
    GIVES_ELSEWHERE(2, CONVOLUTION, "", "Float[2,4,8,8,8] by [2048,1,256,32,4]",
                    VOLUME(FLOAT, 2, 3), FLOATS(4, 3, 1, 1, 1), STEPS(3, false, 1));
    GIVES_ELSEWHERE(2, CONVOLUTION, "", "Half[1,4,6,6,6] by [864,1,144,24,4]", VOLUME(HALF, 1, 3),
                    OF(HALF, 4, 3, 3, 3, 3), STEPS(3, false, 1));
    GIVES_ELSEWHERE(2, CONVOLUTION, "", "Double[2,4,6,6,6]", VOLUME(DOUBLE, 2, 3),
                    OF(DOUBLE, 4, 3, 3, 3, 3), STEPS(3, false, 1));
    GIVES_ELSEWHERE(1, CONVOLUTION, "", "Float[2,4,6,6,6]", VOLUME(FLOAT, 2, 3),
                    FLOATS(4, 3, 3, 3, 3), STEPS(3, false, 1));
}

/* ---- norms ---- */

UNIT_TEST(norms_keep_formats_that_are_suggested)
{
    GIVES("aten::group_norm", "", "Float[2,3,8,8] by [192,1,24,3]", LAST, INT(3), NONE, NONE,
          FLOAT_OF(1e-5), BOOL(true));
    REFUSES("aten::group_norm", "",
            "Expected number of channels in input to be divisible by num_groups, but got 3 "
            "channels and num_groups=2",
            LAST, INT(2), NONE, NONE, FLOAT_OF(1e-5), BOOL(true));
    REFUSES("aten::group_norm", "", "Expected at least 2 dimensions for input tensor, got 1",
            FLOATS(3), INT(1), NONE, NONE, FLOAT_OF(1e-5), BOOL(true));
    REFUSES("aten::native_group_norm", "", "Expected X.is_contiguous(memory_format) to be true",
            STRIDED(FLOAT, LIST(2, 3, 8, 8), LIST(192, 64, 1, 8)), NONE, NONE, INT(2), INT(3),
            INT(64), INT(3));
    GIVES("aten::native_batch_norm", "", "Float[2,3,8,8] by [192,1,24,3]; Float[0]; Float[0]", LAST,
          NONE, NONE, NONE, NONE, BOOL(false));
    GIVES("aten::native_batch_norm", "", "Float[2,3,4]; Float[0]; Float[0]",
          STRIDED(FLOAT, LIST(2, 3, 4), LIST(12, 1, 3)), NONE, NONE, NONE, NONE, BOOL(false));
}

/* ---- attention ---- */

#define ATTENTION "aten::scaled_dot_product_attention"
#define MORE(mask) mask, FLOAT_OF(0), BOOL(false), NONE, BOOL(false)
#define QUERY STRIDED(FLOAT, LIST(2, 4, 5, 6), LIST(120, 6, 24, 1))

UNIT_TEST(attention_lies_as_its_queries_do_or_as_a_product)
{
    GIVES(ATTENTION, "", "like 0", QUERY, FLOATS(2, 4, 7, 6), FLOATS(2, 4, 7, 6), MORE(NONE));
    GIVES(ATTENTION, "", "like 0", QUERY, FLOATS(2, 4, 7, 6), FLOATS(2, 4, 7, 6),
          MORE(FLOATS(5, 7)));
    GIVES(ATTENTION, "", "Float[2,4,5,6]", QUERY, FLOATS(2, 4, 7, 6), FLOATS(2, 4, 7, 6),
          MORE(FLOATS(4, 5, 7)));
    GIVES(ATTENTION, "", "Float[2,4,5,8]", QUERY, FLOATS(2, 4, 7, 6), FLOATS(2, 4, 7, 8),
          MORE(NONE));
    GIVES(ATTENTION, "", "Float[2,4,5,6]", QUERY, FLOATS(2, 1, 7, 6), FLOATS(2, 1, 7, 6),
          MORE(NONE));
    GIVES(ATTENTION, "", "Float[4,5,6]", FLOATS(4, 5, 6), FLOATS(4, 7, 6), FLOATS(4, 7, 6),
          MORE(NONE));
    GIVES(ATTENTION, "", "like 0", FLOATS(2, 8, 5, 6), FLOATS(2, 4, 7, 6), FLOATS(2, 4, 7, 6), NONE,
          FLOAT_OF(0), BOOL(false), NONE, BOOL(true));
    GIVES(ATTENTION, "", "Float[2,4,5,8]", FLOATS(2, 4, 5, 6), FLOATS(2, 4, 0, 6),
          FLOATS(2, 4, 0, 8), MORE(NONE));
    REFUSES(ATTENTION, "", "a tensor without elements is not broadcast", FLOATS(2, 1, 0, 6),
            FLOATS(2, 4, 7, 6), FLOATS(2, 4, 7, 8), MORE(NONE));
    GIVES(ATTENTION, "", "Float[2,4,5,8]", FLOATS(2, 1, 5, 0), FLOATS(2, 4, 7, 0),
          FLOATS(2, 4, 7, 8), MORE(NONE));
}

#define KERNEL "aten::_scaled_dot_product_flash_attention_for_cpu"
#define KEYS FLOATS(2, 4, 7, 6), FLOATS(2, 4, 7, 6)
#define NO_FIT                                                                                     \
    "the kernel checks less than it needs: expected query, key and value of 4 dims that fit, "     \
    "with "                                                                                        \
    "elements and without dropout"

UNIT_TEST(the_kernel_of_attention_gives_a_number_for_each_query_too)
{
    GIVES(KERNEL, "", "like 0; Float[2,4,5] by [20,1,4]", QUERY, KEYS, FLOAT_OF(0), BOOL(true),
          NONE, NONE);
    GIVES(KERNEL, "", "like 0; Float[2,4,5] by [20,1,4]", OF(HALF, 2, 4, 5, 6),
          OF(HALF, 2, 4, 7, 6), OF(HALF, 2, 4, 7, 6), FLOAT_OF(0), BOOL(false), FLOATS(5, 7), NONE);
    GIVES(KERNEL, "", "like 0; Double[2,4,5] by [20,1,4]", OF(DOUBLE, 2, 4, 5, 6),
          OF(DOUBLE, 2, 4, 7, 6), OF(DOUBLE, 2, 4, 7, 6), FLOAT_OF(0), BOOL(false), NONE, NONE);
    REFUSES(KERNEL, "", "expected an attn_mask of floats or of Float, got Bool", QUERY, KEYS,
            FLOAT_OF(0), BOOL(false), OF(BOOL, 5, 7), NONE);
    REFUSES(KERNEL, "",
            "Expected query, key, and value to have the same dtype, but got Float and Double",
            QUERY, OF(DOUBLE, 2, 4, 7, 6), FLOATS(2, 4, 7, 6), FLOAT_OF(0), BOOL(false), NONE,
            NONE);
    REFUSES(KERNEL, "", NO_FIT, QUERY, KEYS, FLOAT_OF(0.5), BOOL(false), NONE, NONE);
    REFUSES(KERNEL, "", NO_FIT, FLOATS(2, 4, 0, 6), KEYS, FLOAT_OF(0), BOOL(false), NONE, NONE);
    REFUSES(KERNEL, "", NO_FIT, STRIDED(FLOAT, LIST(2, 4, 5, 6), LIST(120, 30, 1, 5)), KEYS,
            FLOAT_OF(0), BOOL(false), NONE, NONE);
}

UNIT_TEST(attention_refuses_what_does_not_fit)
{
    REFUSES(ATTENTION, "",
            "query of [2, 4, 5, 6], key of [2, 4, 7, 5] and value of [2, 4, 7, 6] do "
            "not fit",
            QUERY, FLOATS(2, 4, 7, 5), FLOATS(2, 4, 7, 6), MORE(NONE));
    REFUSES(ATTENTION, "",
            "Expected query, key, and value to have the same dtype, but got Float and Double",
            QUERY, OF(DOUBLE, 2, 4, 7, 6), FLOATS(2, 4, 7, 6), MORE(NONE));
    REFUSES(ATTENTION, "", "query, key and value do not broadcast: [2, 3, 7, 6]", QUERY,
            FLOATS(2, 3, 7, 6), FLOATS(2, 3, 7, 6), MORE(NONE));
    REFUSES(ATTENTION, "", "an attn_mask of [3, 7] does not broadcast to the scores", QUERY,
            FLOATS(2, 4, 7, 6), FLOATS(2, 4, 7, 6), MORE(FLOATS(3, 7)));
    REFUSES(ATTENTION, "", "Explicit attn_mask should not be set when is_causal=True", QUERY,
            FLOATS(2, 4, 7, 6), FLOATS(2, 4, 7, 6), FLOATS(5, 7), FLOAT_OF(0), BOOL(true), NONE,
            BOOL(false));
    REFUSES(ATTENTION, "",
            "Number of heads in key and value must divide the number of heads in query, got 3 and "
            "4",
            QUERY, FLOATS(2, 3, 7, 6), FLOATS(2, 3, 7, 6), NONE, FLOAT_OF(0), BOOL(false), NONE,
            BOOL(true));
}

UNIT_TEST(pads_keep_channels_last_but_in_the_first_libtorch)
{
    GIVES("aten::reflection_pad2d", "", "Float[2,3,8,10] by [240,1,30,3]", LAST, INTS(1, 1, 0, 0));
    GIVES_BY(1, false, "aten::reflection_pad2d", "", "Float[2,3,8,10]", LAST, INTS(1, 1, 0, 0));
}

UNIT_TEST(all_elements_are_repeated_alike)
{
    const char *name = "aten::repeat_interleave";
    GIVES(name, "self_int", "Float[12]", FLOATS(2, 3), INT(2), NONE, NONE);
    GIVES(name, "self_int", "Float[2,6]", FLOATS(2, 3), INT(2), INT(-1), NONE);
    REFUSES(name, "self_int", "Repeats must be non-negative", FLOATS(2, 3), INT(-2), NONE, NONE);
    REFUSES(name, "self_int",
            "Dimension out of range (expected to be in range of [-2, 1], but got 2)", FLOATS(2, 3),
            INT(2), INT(2), NONE);
    GIVES(name, "self_int", "Float[2]", SCALAR, INT(2), NONE, NONE);
    REFUSES(name, "self_int", "Dimension specified as 0 but tensor has no dimensions", SCALAR,
            INT(2), INT(0), NONE);
}

UNIT_TEST(weights_with_other_norms_are_contiguous)
{
    GIVES("aten::_weight_norm_interface", "", "Float[4,3,5]; Float[4,1,1] by [1,1,1]",
          FLOATS(4, 3, 5), FLOATS(4, 1, 1), INT(0));
    GIVES("aten::_weight_norm_interface", "", "BFloat16[4,3]; Float[1,3] by [3,1]",
          STRIDED(BFLOAT16, LIST(4, 3), LIST(1, 4)), OF(BFLOAT16, 1, 3), INT(1));
    REFUSES("aten::_weight_norm_interface", "", "expected scalar type BFloat16 but found Float",
            OF(BFLOAT16, 4, 3), FLOATS(1, 3), INT(1));
    REFUSES("aten::_weight_norm_interface", "",
            "fused kernels can only be applied for first or last dim", FLOATS(4, 3, 5),
            FLOATS(1, 3, 1), INT(1));
}

UNIT_TEST(levels_are_one_for_each_channel)
{
    const char *name = "aten::fake_quantize_per_channel_affine_cachemask";
    GIVES(name, "", "like 0; Bool[2,3] by [1,2]", STRIDED(FLOAT, LIST(2, 3), LIST(1, 2)), FLOATS(3),
          OF(INT, 3), INT(1), INT(0), INT(255));
    REFUSES(name, "", "dimensions of scale and zero-point are not consistent with input tensor",
            FLOATS(2, 3), FLOATS(2), OF(INT, 3), INT(1), INT(0), INT(255));
    REFUSES(name, "", "`axis` must be between 0 and number of dimensions of input", FLOATS(2, 3),
            FLOATS(3), OF(INT, 3), INT(-1), INT(0), INT(255));
    REFUSES(name, "",
            "Scale must be Float, and Zero-point Int32, Float or Half, found Float and Long",
            FLOATS(2, 3), FLOATS(3), OF(LONG, 3), INT(1), INT(0), INT(255));
}

UNIT_TEST(a_number_is_among_others_or_not)
{
    GIVES("aten::isin", "Scalar_Tensor", "Bool[]", INT(5), OF(LONG, 10), BOOL(false), BOOL(false));
    REFUSES("aten::isin", "Scalar_Tensor", "Unsupported input type encountered for isin(): Bool",
            INT(5), OF(BOOL, 10), BOOL(false), BOOL(false));
}

UNIT_MAIN("meta kernels of layouts", all_elements_are_repeated_alike,
          pads_keep_channels_last_but_in_the_first_libtorch,
          weights_with_other_norms_are_contiguous, levels_are_one_for_each_channel,
          a_number_is_among_others_or_not, pictures_keep_channels_last,
          volumes_keep_them_where_they_are_left_to_onednn, the_first_libtorch_keeps_fewer,
          pictures_lie_in_order_where_nnpack_may_convolve_them,
          the_first_libtorch_transposes_them_with_onednn_alone,
          volumes_lie_otherwise_as_far_as_onednn_takes_them, norms_keep_formats_that_are_suggested,
          attention_lies_as_its_queries_do_or_as_a_product,
          the_kernel_of_attention_gives_a_number_for_each_query_too,
          attention_refuses_what_does_not_fit)
