/*
 * Meta kernels of layers and of data-dependent sums and counts; properties of all meta kernels.
 */
#include "meta_fixture.h"

/* ---- layers ---- */

#define ATTENTION(features, heads, needs_weights, is_averaged)                                     \
    NONE, INT(features), INT(heads), NONE, NONE, NONE, NONE, NONE, BOOL(needs_weights),            \
        BOOL(is_averaged)

/* The operands of an encoder layer after its source, with a mask and the mask's type. */
#define ENCODER(features, heads, mask, type)                                                       \
    INT(features), INT(heads), NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE,   \
        NONE, NONE, NONE, NONE, mask, type

UNIT_TEST(attention_gives_weights_where_they_are_asked_for)
{
    const char *name = "aten::_native_multi_head_attention";
    GIVES(name, "", "Float[2,5,8]; none", FLOATS(2, 5, 8), FLOATS(2, 7, 8),
          ATTENTION(8, 4, false, true));
    GIVES(name, "", "Float[2,5,8]; Float[2,5,7]", FLOATS(2, 5, 8), FLOATS(2, 7, 8),
          ATTENTION(8, 4, true, true));
    GIVES(name, "", "Float[2,5,8]; Float[2,4,5,7]", FLOATS(2, 5, 8), FLOATS(2, 7, 8),
          ATTENTION(8, 4, true, false));
    REFUSES(name, "", "expected query and key of 3 dims and 9 features, got [2, 5, 8]",
            FLOATS(2, 5, 8), FLOATS(2, 7, 8), ATTENTION(9, 4, true, false));
    name = "aten::_transformer_encoder_layer_fwd";
    GIVES(name, "", "Float[2,5,8]", FLOATS(2, 5, 8), ENCODER(8, 4, NONE, NONE));
    REFUSES(name, "", "expected a source of 3 dims and 8 features, got [5, 8]", FLOATS(5, 8),
            ENCODER(8, 4, NONE, NONE));
    GIVES(name, "", "Float[2,5,8]", FLOATS(2, 5, 8), ENCODER(8, 4, FLOATS(5, 5), INT(0)));
    GIVES(name, "", "Float[2,5,8]", FLOATS(2, 5, 8), ENCODER(8, 4, FLOATS(2, 5), INT(1)));
    GIVES(name, "", "Float[2,5,8]", FLOATS(2, 5, 8), ENCODER(8, 4, FLOATS(2, 4, 5, 5), INT(2)));
    REFUSES(name, "", "a mask of type 1 has other sizes than the scores: [5, 5]", FLOATS(2, 5, 8),
            ENCODER(8, 4, FLOATS(5, 5), INT(1)));
}

UNIT_TEST(groups_are_multiplied)
{
    const char *name = "aten::_grouped_mm";
    GIVES(name, "", "Float[3,4,6]", FLOATS(3, 4, 5), FLOATS(3, 5, 6), NONE, NONE, NONE);
    GIVES(name, "", "BFloat16[4,6]", FLOATS(4, 5), FLOATS(3, 5, 6), OF(INT, 3), NONE,
          INT(HTP_SCALAR_BFLOAT16));
    GIVES(name, "", "Float[7,4,6]", FLOATS(4, 5), FLOATS(5, 6), OF(INT, 7), NONE, NONE);
    REFUSES(name, "", "grouped_mm: offs is needed where an operand has 2 dims", FLOATS(4, 5),
            FLOATS(3, 5, 6), NONE, NONE, NONE);
    REFUSES(name, "", "grouped_mm: [4, 5] and [6, 5] cannot be multiplied", FLOATS(4, 5),
            FLOATS(6, 5), OF(INT, 7), NONE, NONE);
    REFUSES(name, "", "grouped_mm: expected operands of 2 or 3 dims, got [5] and [5, 6]", FLOATS(5),
            FLOATS(5, 6), OF(INT, 7), NONE, NONE);
    REFUSES(name, "", "Dimension specified as 0 but tensor has no dimensions", FLOATS(4, 5),
            FLOATS(5, 6), SCALAR, NONE, NONE);
}

#define RECURRENT(is_bidirectional)                                                                \
    TENSORS(FLOATS(1)), BOOL(true), INT(1), NONE, BOOL(false), BOOL(is_bidirectional)

UNIT_TEST(recurrent_layers_give_their_steps_and_states)
{
    GIVES("aten::gru", "data", "Float[9,6]; like 2", FLOATS(9, 4), OF(LONG, 3), FLOATS(2, 3, 6),
          RECURRENT(false));
    GIVES("aten::rnn_tanh", "data", "Float[9,12]; like 2", FLOATS(9, 4), OF(LONG, 3),
          FLOATS(2, 3, 6), RECURRENT(true));
    GIVES("aten::lstm", "data", "Float[9,6]; like 2.0; like 2.1", FLOATS(9, 4), OF(LONG, 3),
          TENSORS(FLOATS(2, 3, 6), FLOATS(2, 3, 5)), RECURRENT(false));
    REFUSES("aten::lstm", "data", "lstm expects two hidden states", FLOATS(9, 4), OF(LONG, 3),
            TENSORS(FLOATS(2, 3, 6)), RECURRENT(false));
    REFUSES("aten::rnn_relu", "data",
            "expected packed data of 2 dims and states of 3, got [9, 4] and [3, 6]", FLOATS(9, 4),
            OF(LONG, 3), FLOATS(3, 6), RECURRENT(false));
}

/* ---- data-dependent sums and counts ---- */

UNIT_TEST(segments_are_as_many_as_they_are_told)
{
    const char *name = "aten::segment_reduce";
    GIVES(name, "", "Float[3,5]", FLOATS(9, 5), NONE, OF(LONG, 3), NONE, NONE, INT(0));
    GIVES(name, "", "Float[9,2]", FLOATS(9, 5), NONE, NONE, NONE, OF(LONG, 9, 3), INT(-1));
    REFUSES(name, "", "segment_reduce(): indices are not supported yet", FLOATS(9, 5), NONE,
            OF(LONG, 3), OF(LONG, 3), NONE, INT(0));
    REFUSES(name, "", "segment_reduce(): either lengths or offsets must be defined", FLOATS(9, 5),
            NONE, NONE, NONE, NONE, INT(0));
    REFUSES(name, "",
            "segment_reduce(): expected lengths or offsets of the dims up to axis 1 of [9, 5], got "
            "[8, 3]",
            FLOATS(9, 5), NONE, OF(LONG, 8, 3), NONE, NONE, INT(1));
    REFUSES(name, "", "segment_reduce(): expected one offset at least", FLOATS(9, 5), NONE, NONE,
            NONE, OF(LONG, 0), INT(0));
    REFUSES(name, "", "Dimension out of range (expected to be in range of [-2, 1], but got 2)",
            FLOATS(9, 5), NONE, OF(LONG, 3), NONE, NONE, INT(2));
}

UNIT_TEST(histograms_have_edges_for_each_coordinate)
{
    const char *name = "aten::histogramdd";
    GIVES(name, "", "Float[3,4]; 2: Float[4] Float[5]", FLOATS(9, 2), INTS(3, 4));
    GIVES(name, "int_bins", "Float[6,6]; 2: Float[7] Float[7]", FLOATS(9, 2), INT(6));
    GIVES(name, "TensorList_bins", "Float[2,3]; 2: Float[3] Float[4]", FLOATS(9, 2),
          TENSORS(FLOATS(3), FLOATS(4)));
    REFUSES(name, "", "histogramdd: expected bins for each of 2 coordinates, got 1", FLOATS(9, 2),
            INTS(3));
    REFUSES(name, "", "histogramdd: expected points of 2 dims at least, got [9]", FLOATS(9),
            INTS(3));
    REFUSES(name, "",
            "histogramdd: expected bins to be positive, and not above 2^40, got 1099511627777",
            FLOATS(9, 1), INTS((INT64_C(1) << 40) + 1));
    REFUSES(name, "int_bins",
            "histogramdd: expected bins to be positive, and not above 2^40, got 0", FLOATS(9, 1),
            INT(0));
    REFUSES(name, "int_bins",
            "histogramdd: expected points of 2 dims at least, with up to 65536 coordinates, got "
            "[9, 65537]",
            FLOATS(9, 65537), INT(2));
    REFUSES(name, "int_bins", "its output has more than 64 dims", FLOATS(9, 65), INT(2));
    REFUSES(name, "TensorList_bins", "histogramdd: expected edges of one dim, got [4, 1]",
            FLOATS(9, 2), TENSORS(FLOATS(3), FLOATS(4, 1)));
}

UNIT_TEST(many_edges_do_not_fit_and_are_refused)
{
    enum { MANY = 70 };
    htp_operand edges[MANY];
    for (size_t i = 0; i < MANY; i++) {
        edges[i] = FLOATS(3);
    }
    REFUSES("aten::histogramdd", "TensorList_bins", "its output has more than 64 dims",
            FLOATS(9, MANY), tensors_of(arena, edges, MANY));
}

#define CTC(reduction) NONE, NONE, NONE, NONE, INT(reduction)

UNIT_TEST(losses_are_reduced_or_one_for_each_sequence)
{
    GIVES("aten::ctc_loss", "IntList", "Float[3]", FLOATS(9, 3, 20), CTC(0));
    GIVES("aten::ctc_loss", "Tensor", "Float[]", FLOATS(9, 3, 20), CTC(1));
    GIVES("aten::ctc_loss", "Tensor", "Float[]", FLOATS(9, 20), CTC(0));
    REFUSES("aten::ctc_loss", "Tensor", "ctc_loss: expected log_probs of 2 or 3 dims, got [9]",
            FLOATS(9), CTC(0));
}

/* ---- all meta kernels ---- */

UNIT_TEST(operands_of_other_kinds_are_refused)
{
    REFUSES("aten::relu", "", "aten::relu: argument 0 is missing, or of another type", NONE);
    REFUSES("aten::flip", "", "aten::flip: argument 1 is missing, or of another type",
            FLOATS(2, 3));
    REFUSES("aten::flip", "", "aten::flip: argument 1 is missing, or of another type", FLOATS(2, 3),
            TENSORS(FLOATS(2)));
    REFUSES("aten::lstm", "data", "aten::lstm: argument 2 is missing, or of another type",
            FLOATS(9, 4), NONE, TENSORS(FLOATS(2), NONE), RECURRENT(false));
    REFUSES("aten::pixel_shuffle", "",
            "aten::pixel_shuffle: argument 1 is missing, or of another type", FLOATS(2, 3, 4),
            BOOL(true));
}

UNIT_TEST(more_dims_than_anybody_exports_are_refused)
{
    enum { RANK = 65 };
    int64_t dims[RANK];
    for (size_t i = 0; i < RANK; i++) {
        dims[i] = 1;
    }
    const htp_operand deep = tensor_of(arena, HTP_SCALAR_FLOAT, dims, RANK);
    REFUSES("aten::relu", "", "aten::relu: argument 0 has more than 64 dims", deep);
    REFUSES("aten::lstm", "data", "aten::lstm: argument 2 has more than 64 dims", FLOATS(9, 4),
            NONE, TENSORS(FLOATS(2), deep), RECURRENT(false));
}

UNIT_TEST(long_messages_are_cut)
{
    enum { COUNT = 500 };
    int64_t numbers[COUNT];
    for (size_t i = 0; i < COUNT; i++) {
        numbers[i] = 1000000 + (int64_t)i;
    }
    const htp_operand list = list_of(arena, numbers, COUNT);
    htp_operand operands[] = {FLOATS(2, 3, 4, 5), list, list, list, list, BOOL(false)};
    htp_meta_call call = {.operands = operands, .operand_count = 6};
    uint32_t kernel = find_kernel("aten::max_pool3d_with_indices", "");
    ck_assert(!htp_meta_kernels_all()->run(kernel, &call));
    ck_assert_uint_eq(strlen(call.error.message), sizeof(call.error.message) - 1);
    ck_assert_ptr_nonnull(strstr(call.error.message, "got [1000000, 1000001, "));
}

UNIT_TEST(no_operator_has_two_kernels)
{
    const htp_meta_kernels *all = htp_meta_kernels_all();
    for (uint32_t i = 0; i < all->count; i++) {
        ck_assert_uint_eq(find_kernel(all->operators[i].name, all->operators[i].overload), i);
        ck_assert_ptr_nonnull(strstr(all->operators[i].name, "::"));
    }
}

UNIT_TEST(types_have_the_names_that_libtorch_gives_them)
{
    ck_assert_str_eq(htp_scalar_type_name(HTP_SCALAR_COMPLEX_DOUBLE), "ComplexDouble");
    ck_assert_str_eq(htp_scalar_type_name(HTP_SCALAR_QINT32), "QInt32");
    ck_assert_str_eq(htp_scalar_type_name(28), "UInt32");
    ck_assert_str_eq(htp_scalar_type_name(-1), "UNKNOWN_SCALAR");
    ck_assert_str_eq(htp_scalar_type_name(INT32_MAX), "UNKNOWN_SCALAR");
}

UNIT_MAIN("meta kernels of layers", attention_gives_weights_where_they_are_asked_for,
          groups_are_multiplied, recurrent_layers_give_their_steps_and_states,
          segments_are_as_many_as_they_are_told, histograms_have_edges_for_each_coordinate,
          many_edges_do_not_fit_and_are_refused, losses_are_reduced_or_one_for_each_sequence,
          operands_of_other_kinds_are_refused, more_dims_than_anybody_exports_are_refused,
          long_messages_are_cut, no_operator_has_two_kernels,
          types_have_the_names_that_libtorch_gives_them)
