/*
 * core/lower, the neural-network families: ONNX operators for each operator and opset, and
 * refusals.
 */
#include "lower_fixture.h"

#define FLOAT HTP_DTYPE_FLOAT32

/** Lowers one node of @p kind whose output has @p dims; the arguments exist already. */
static htp_status lower_one(lower_fixture *f, int opset, const char *kind,
                            const fixture_argument *arguments, size_t count, htp_dtype dtype,
                            uint32_t rank, const int64_t *dims)
{
    uint32_t output = fixture_tensor(f, dtype, rank, dims);
    fixture_output(f, fixture_node(f, kind, ROOT, arguments, count, output));
    return fixture_lower(f, opset);
}

static void check_ops(lower_fixture *f, htp_status status, const char *ops)
{
    ck_assert_msg(status == HTP_OK, "%s", htp_status_message(status));
    ck_assert_str_eq(fixture_ops(f), ops);
}

static void check_refused(htp_status status, const char *reason)
{
    ck_assert_ptr_nonnull(status);
    ck_assert_int_eq(htp_status_code(status), HTP_CODE_UNSUPPORTED);
    ck_assert_uint_ge(htp_status_detail_count(status), 1);
    const char *detail = htp_status_detail_line(status, 0);
    ck_assert_msg(strstr(detail, reason) != NULL, "%s", detail);
    htp_status_free(status);
}

static uint32_t ints(lower_fixture *f, int64_t a, int64_t b)
{
    return fixture_list(f, ELEMENTS(fixture_int(f, a), fixture_int(f, b)));
}

/* ---- products ---- */

static htp_status lower_linear(lower_fixture *f, htp_dtype dtype, uint32_t rank,
                               const int64_t *dims)
{
    uint32_t x = fixture_input(f, dtype, rank, dims);
    uint32_t weight = fixture_input(f, dtype, DIMS(5, 4));
    uint32_t bias = fixture_input(f, dtype, DIMS(5));
    int64_t *out = HTP_NEW_ARRAY(f->arena, int64_t, rank);
    memcpy(out, dims, rank * sizeof(*dims));
    out[rank - 1] = 5;
    return lower_one(f, 18, "aten::linear",
                     ARGUMENTS({"input", x}, {"weight", weight}, {"bias", bias}), dtype, rank, out);
}

UNIT_TEST(linear_of_a_matrix_is_gemm)
{
    lower_fixture f = {.arena = arena};
    check_ops(&f, lower_linear(&f, FLOAT, DIMS(BATCH, 4)), "Gemm");
    ck_assert_int_eq(fixture_attribute(&f, 0, "transB")->i, 1);
}

UNIT_TEST(linear_of_more_dims_is_a_product_and_a_sum)
{
    lower_fixture f = {.arena = arena};
    check_ops(&f, lower_linear(&f, FLOAT, DIMS(BATCH, LENGTH, 4)), "Transpose MatMul Add");
}

UNIT_TEST(bfloat16_is_computed_in_float32)
{
    lower_fixture f = {.arena = arena};
    check_ops(&f, lower_linear(&f, HTP_DTYPE_BFLOAT16, DIMS(BATCH, 4)), "Cast Cast Cast Gemm Cast");
}

UNIT_TEST(float16_is_kept_by_one_node)
{
    lower_fixture f = {.arena = arena};
    check_ops(&f, lower_linear(&f, HTP_DTYPE_FLOAT16, DIMS(BATCH, 4)), "Gemm");
}

UNIT_TEST(integers_have_no_gemm)
{
    lower_fixture f = {.arena = arena};
    check_ops(&f, lower_linear(&f, HTP_DTYPE_INT64, DIMS(BATCH, 4)), "Transpose MatMul Add");
}

UNIT_TEST(einsum_always_names_its_output)
{
    lower_fixture f = {.arena = arena};
    uint32_t x = fixture_input(&f, FLOAT, DIMS(BATCH, 3, 4));
    uint32_t y = fixture_input(&f, FLOAT, DIMS(4, 5));
    htp_status status = lower_one(&f, 18, "aten::einsum",
                                  ARGUMENTS({"equation", fixture_string(&f, " ...bA , Ac")},
                                            {"tensors", fixture_list(&f, ELEMENTS(x, y))}),
                                  FLOAT, DIMS(BATCH, 3, 5));
    check_ops(&f, status, "Einsum");
    ck_assert_str_eq(fixture_attribute(&f, 0, "equation")->s, "zbA,Ac->zbc");
}

UNIT_TEST(einsum_that_is_no_equation_is_refused)
{
    static const char *const equations[] = {"ab.,bc", "ab,bc->a..", "ab", "ab,bc,cd", "a?,bc"};
    for (size_t i = 0; i < sizeof(equations) / sizeof(equations[0]); i++) {
        lower_fixture f = {.arena = arena};
        uint32_t x = fixture_input(&f, FLOAT, DIMS(BATCH, 4));
        check_refused(lower_one(&f, 18, "aten::einsum",
                                ARGUMENTS({"equation", fixture_string(&f, equations[i])},
                                          {"tensors", fixture_list(&f, ELEMENTS(x, x))}),
                                FLOAT, DIMS(BATCH, 5)),
                      "its equation");
    }
}

/* ---- activations ---- */

static htp_status lower_unary(lower_fixture *f, int opset, const char *kind, htp_dtype dtype)
{
    uint32_t x = fixture_input(f, dtype, DIMS(BATCH, 4));
    return lower_one(f, opset, kind,
                     ARGUMENTS({"self", x}, {"approximate", fixture_string(f, "none")}), dtype,
                     DIMS(BATCH, 4));
}

UNIT_TEST(operators_are_used_from_the_opset_that_has_them)
{
    static const struct {
        const char *kind;
        int opset;
        const char *ops;
    } rows[] = {
        {"aten::gelu", 17, "Div Erf Add Mul Mul"},
        {"aten::gelu", 19, "Div Erf Add Mul Mul"},
        {"aten::gelu", 20, "Gelu"},
        {"aten::mish", 17, "Softplus Tanh Mul"},
        {"aten::mish", 18, "Mish"},
        {"aten::hardswish", 17, "HardSwish"},
        {"aten::silu", 21, "Sigmoid Mul"},
        {"aten::relu_", 21, "Relu"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        lower_fixture f = {.arena = arena};
        check_ops(&f, lower_unary(&f, rows[i].opset, rows[i].kind, FLOAT), rows[i].ops);
    }
}

UNIT_TEST(float64_is_decomposed)
{
    lower_fixture f = {.arena = arena};
    check_ops(&f, lower_unary(&f, 18, "aten::hardswish", HTP_DTYPE_FLOAT64), "Add Clip Mul Div");
    lower_fixture g = {.arena = arena};
    htp_status status = lower_unary(&g, 20, "aten::gelu", HTP_DTYPE_FLOAT64);
    ck_assert_msg(status == HTP_OK, "%s", htp_status_message(status));
    const char *ops = fixture_ops(&g);
    ck_assert_msg(!strstr(ops, "Erf") && !strstr(ops, "Gelu"), "%s", ops);
}

/* ---- normalization ---- */

static htp_status lower_batch_norm(lower_fixture *f, bool training, htp_dtype dtype)
{
    uint32_t x = fixture_input(f, dtype, DIMS(BATCH, 4, LENGTH));
    uint32_t mean = fixture_input(f, dtype, DIMS(4));
    uint32_t var = fixture_input(f, dtype, DIMS(4));
    return lower_one(f, 18, "aten::batch_norm",
                     ARGUMENTS({"input", x}, {"weight", fixture_none(f)}, {"bias", fixture_none(f)},
                               {"running_mean", mean}, {"running_var", var},
                               {"training", fixture_bool(f, training)},
                               {"eps", fixture_float(f, 1e-5)}),
                     dtype, DIMS(BATCH, 4, LENGTH));
}

UNIT_TEST(batch_norm_in_inference)
{
    lower_fixture f = {.arena = arena};
    check_ops(&f, lower_batch_norm(&f, false, FLOAT), "BatchNormalization");
    const float *ones = fixture_constant(&f, 0, 1);
    ck_assert(ones[0] == 1 && ones[3] == 1);
}

UNIT_TEST(batch_norm_in_training_is_refused)
{
    lower_fixture f = {.arena = arena};
    check_refused(lower_batch_norm(&f, true, FLOAT), "eval()");
}

UNIT_TEST(epsilon_of_float64_is_no_float32)
{
    lower_fixture f = {.arena = arena};
    check_ops(&f, lower_batch_norm(&f, false, HTP_DTYPE_FLOAT64),
              "Unsqueeze Sub Unsqueeze Add Sqrt Div");
    ck_assert_double_eq(*(const double *)fixture_constant(&f, 3, 1), 1e-5);
}

UNIT_TEST(group_norm_is_the_same_in_all_opsets)
{
    for (int opset = 17; opset <= 21; opset++) {
        lower_fixture f = {.arena = arena};
        uint32_t x = fixture_input(&f, FLOAT, DIMS(BATCH, 6, LENGTH));
        htp_status status =
            lower_one(&f, opset, "aten::group_norm",
                      ARGUMENTS({"input", x}, {"num_groups", fixture_int(&f, 3)},
                                {"weight", fixture_none(&f)}, {"eps", fixture_float(&f, 1e-5)}),
                      FLOAT, DIMS(BATCH, 6, LENGTH));
        check_ops(&f, status, "Shape Reshape InstanceNormalization Reshape");
    }
}

/* ---- windows ---- */

static htp_status lower_max_pool(lower_fixture *f, int64_t kernel, int64_t stride, int64_t height)
{
    uint32_t x = fixture_input(f, FLOAT, DIMS(BATCH, 3, height, 8));
    return lower_one(f, 18, "aten::max_pool2d",
                     ARGUMENTS({"self", x}, {"kernel_size", ints(f, kernel, kernel)},
                               {"stride", ints(f, stride, stride)}, {"padding", ints(f, 0, 0)},
                               {"dilation", ints(f, 1, 1)}, {"ceil_mode", fixture_bool(f, true)}),
                     FLOAT, DIMS(BATCH, 3, height, 4));
}

UNIT_TEST(ceil_mode_where_all_agree)
{
    lower_fixture f = {.arena = arena};
    check_ops(&f, lower_max_pool(&f, 3, 2, LENGTH), "MaxPool");
    ck_assert_int_eq(fixture_attribute(&f, 0, "ceil_mode")->i, 1);
}

UNIT_TEST(ceil_mode_of_unknown_effect_is_cut_off)
{
    lower_fixture f = {.arena = arena};
    check_ops(&f, lower_max_pool(&f, 2, 3, LENGTH), "MaxPool Shape Add Div Slice");
    ck_assert_int_eq(fixture_attribute(&f, 0, "ceil_mode")->i, 1);
}

UNIT_TEST(ceil_mode_without_effect_is_left_out)
{
    lower_fixture f = {.arena = arena};
    check_ops(&f, lower_max_pool(&f, 2, 3, 8), "MaxPool");
    ck_assert_int_eq(fixture_attribute(&f, 0, "ceil_mode")->i, 0);
}

static htp_status lower_adaptive(lower_fixture *f, int64_t height, int64_t to)
{
    uint32_t x = fixture_input(f, FLOAT, DIMS(BATCH, 3, height, 8));
    return lower_one(f, 18, "aten::adaptive_avg_pool2d",
                     ARGUMENTS({"self", x}, {"output_size", ints(f, to, to)}), FLOAT,
                     DIMS(BATCH, 3, to, to));
}

UNIT_TEST(adaptive_pooling)
{
    lower_fixture global = {.arena = arena};
    check_ops(&global, lower_adaptive(&global, LENGTH, 1), "GlobalAveragePool");
    lower_fixture even = {.arena = arena};
    check_ops(&even, lower_adaptive(&even, 8, 4), "AveragePool");
    lower_fixture uneven = {.arena = arena};
    check_ops(&uneven, lower_adaptive(&uneven, 8, 3), "Gather Mul ReduceSum Gather Mul ReduceSum");
    lower_fixture none = {.arena = arena};
    check_refused(lower_adaptive(&none, 8, 0), "it pools nothing, or to nothing");
}

UNIT_TEST(same_padding_puts_the_odd_one_last)
{
    lower_fixture f = {.arena = arena};
    uint32_t x = fixture_input(&f, FLOAT, DIMS(BATCH, 3, LENGTH));
    uint32_t weight = fixture_input(&f, FLOAT, DIMS(6, 3, 4));
    uint32_t one = fixture_list(&f, ELEMENTS(fixture_int(&f, 1)));
    htp_status status = lower_one(&f, 18, "aten::conv1d.padding",
                                  ARGUMENTS({"input", x}, {"weight", weight}, {"stride", one},
                                            {"padding", fixture_string(&f, "same")},
                                            {"dilation", one}, {"groups", fixture_int(&f, 1)}),
                                  FLOAT, DIMS(BATCH, 6, LENGTH));
    check_ops(&f, status, "Conv");
    const htp_attribute *pads = fixture_attribute(&f, 0, "pads");
    ck_assert_int_eq(pads->ints[0], 1);
    ck_assert_int_eq(pads->ints[1], 2);
}

/* ---- nearest neighbours ---- */

static htp_status lower_nearest(lower_fixture *f, int64_t from, int64_t to)
{
    uint32_t x = fixture_input(f, FLOAT, DIMS(BATCH, 3, from));
    uint32_t size = fixture_list(f, ELEMENTS(fixture_int(f, to)));
    return lower_one(f, 18, "aten::upsample_nearest1d",
                     ARGUMENTS({"self", x}, {"output_size", size}), FLOAT, DIMS(BATCH, 3, to));
}

UNIT_TEST(nearest_by_a_whole_factor_is_resize)
{
    lower_fixture f = {.arena = arena};
    check_ops(&f, lower_nearest(&f, 7, 21), "Resize");
}

UNIT_TEST(nearest_by_other_factors_gathers)
{
    lower_fixture f = {.arena = arena};
    check_ops(&f, lower_nearest(&f, 14, 2), "Gather");
    const int64_t *positions = fixture_constant(&f, 0, 1);
    ck_assert_int_eq(positions[0], 0);
    ck_assert_int_eq(positions[1], 7);
}

/* ---- attention ---- */

static htp_status lower_attention(lower_fixture *f, bool masked, bool causal, double dropout)
{
    uint32_t query = fixture_input(f, FLOAT, DIMS(BATCH, 2, LENGTH, 8));
    uint32_t key = fixture_input(f, FLOAT, DIMS(BATCH, 2, LENGTH, 8));
    uint32_t mask =
        masked ? fixture_input(f, HTP_DTYPE_BOOL, DIMS(LENGTH, LENGTH)) : fixture_none(f);
    return lower_one(f, 18, "aten::scaled_dot_product_attention",
                     ARGUMENTS({"query", query}, {"key", key}, {"value", key}, {"attn_mask", mask},
                               {"dropout_p", fixture_float(f, dropout)},
                               {"is_causal", fixture_bool(f, causal)}, {"scale", fixture_none(f)}),
                     FLOAT, DIMS(BATCH, 2, LENGTH, 8));
}

UNIT_TEST(attention_guards_rows_that_see_nothing)
{
    lower_fixture plain = {.arena = arena};
    check_ops(&plain, lower_attention(&plain, false, false, 0),
              "Mul Transpose MatMul Softmax MatMul");
    lower_fixture masked = {.arena = arena};
    check_ops(
        &masked, lower_attention(&masked, true, false, 0),
        "Where Cast ReduceSum Greater Where Cast Mul Transpose MatMul Add Softmax MatMul Mul");
}

UNIT_TEST(causal_attention_compares_positions)
{
    lower_fixture f = {.arena = arena};
    htp_status status = lower_attention(&f, false, true, 0);
    ck_assert_msg(status == HTP_OK, "%s", htp_status_message(status));
    ck_assert_ptr_nonnull(strstr(fixture_ops(&f), "LessOrEqual Where"));
    ck_assert_ptr_null(strstr(fixture_ops(&f), "ReduceSum"));
}

UNIT_TEST(attention_with_dropout_is_refused)
{
    lower_fixture f = {.arena = arena};
    check_refused(lower_attention(&f, false, false, 0.1), "training mode");
}

UNIT_MAIN("lower_nn", linear_of_a_matrix_is_gemm, linear_of_more_dims_is_a_product_and_a_sum,
          bfloat16_is_computed_in_float32, float16_is_kept_by_one_node, integers_have_no_gemm,
          einsum_always_names_its_output, einsum_that_is_no_equation_is_refused,
          operators_are_used_from_the_opset_that_has_them, float64_is_decomposed,
          batch_norm_in_inference, batch_norm_in_training_is_refused,
          epsilon_of_float64_is_no_float32, group_norm_is_the_same_in_all_opsets,
          ceil_mode_where_all_agree, ceil_mode_of_unknown_effect_is_cut_off,
          ceil_mode_without_effect_is_left_out, adaptive_pooling,
          same_padding_puts_the_odd_one_last, nearest_by_a_whole_factor_is_resize,
          nearest_by_other_factors_gathers, attention_guards_rows_that_see_nothing,
          causal_attention_compares_positions, attention_with_dropout_is_refused)
