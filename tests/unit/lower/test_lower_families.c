#include "lower_fixture.h"

static lower_fixture begin(htp_arena *arena)
{
    return (lower_fixture){.arena = arena};
}

/** "aten::size.int" of @p x. */
static uint32_t size_of(lower_fixture *f, uint32_t x, int64_t dim)
{
    return fixture_node(f, "aten::size.int", ROOT,
                        ARGUMENTS({"self", x}, {"dim", fixture_int(f, dim)}),
                        fixture_dynamic(f, HTP_TRACE_INT));
}

UNIT_TEST(operands_are_promoted)
{
    lower_fixture f = begin(arena);
    uint32_t x = fixture_input(&f, HTP_DTYPE_INT32, DIMS(BATCH));
    uint32_t y = fixture_node(
        &f, "aten::add.Scalar", ROOT,
        ARGUMENTS({"self", x}, {"other", fixture_float(&f, 0.5)}, {"alpha", fixture_int(&f, 1)}),
        fixture_tensor(&f, HTP_DTYPE_FLOAT32, DIMS(BATCH)));
    fixture_output(&f, y);
    fixture_lower_ok(&f);
    ck_assert_str_eq(fixture_ops(&f), "Cast Add");
    ck_assert_float_eq(*(const float *)fixture_constant(&f, 1, 1), 0.5F);
}

UNIT_TEST(tensors_without_dims_do_not_promote)
{
    lower_fixture f = begin(arena);
    uint32_t x = fixture_input(&f, HTP_DTYPE_FLOAT32, DIMS(BATCH));
    uint32_t scalar = fixture_input(&f, HTP_DTYPE_FLOAT64, 0, NULL);
    uint32_t y =
        fixture_node(&f, "aten::mul.Tensor", ROOT, ARGUMENTS({"self", x}, {"other", scalar}),
                     fixture_tensor(&f, HTP_DTYPE_FLOAT32, DIMS(BATCH)));
    fixture_output(&f, y);
    fixture_lower_ok(&f);
    ck_assert_str_eq(fixture_ops(&f), "Cast Mul");
}

UNIT_TEST(alpha_is_a_factor)
{
    lower_fixture f = begin(arena);
    uint32_t x = fixture_input(&f, HTP_DTYPE_FLOAT32, DIMS(BATCH));
    uint32_t y =
        fixture_node(&f, "aten::sub_.Tensor", ROOT,
                     ARGUMENTS({"self", x}, {"other", x}, {"alpha", fixture_float(&f, 0.25)}),
                     fixture_tensor(&f, HTP_DTYPE_FLOAT32, DIMS(BATCH)));
    fixture_output(&f, y);
    fixture_lower_ok(&f);
    ck_assert_str_eq(fixture_ops(&f), "Mul Sub");
}

UNIT_TEST(dtypes_without_kernel_are_computed_in_wider_ones)
{
    lower_fixture f = begin(arena);
    uint32_t x = fixture_input(&f, HTP_DTYPE_INT16, DIMS(BATCH));
    uint32_t y = fixture_node(&f, "aten::maximum", ROOT, ARGUMENTS({"self", x}, {"other", x}),
                              fixture_tensor(&f, HTP_DTYPE_INT16, DIMS(BATCH)));
    fixture_output(&f, y);
    fixture_lower_ok(&f);
    ck_assert_str_eq(fixture_ops(&f), "Cast Max Cast");
}

UNIT_TEST(functions_without_float64_kernel_are_composed)
{
    lower_fixture f = begin(arena);
    uint32_t x = fixture_input(&f, HTP_DTYPE_FLOAT64, DIMS(BATCH));
    uint32_t y = fixture_node(&f, "aten::tan", ROOT, ARGUMENTS({"self", x}),
                              fixture_tensor(&f, HTP_DTYPE_FLOAT64, DIMS(BATCH)));
    fixture_output(&f, y);
    fixture_lower_ok(&f);
    ck_assert_str_eq(fixture_ops(&f), "Sin Cos Div");
}

/** A view of [BATCH, 4, 6] with @p dims and the given sizes. */
static void view(lower_fixture *f, uint32_t count, const uint32_t *sizes, uint32_t rank,
                 const int64_t *dims)
{
    uint32_t y = fixture_node(
        f, "aten::view", ROOT,
        ARGUMENTS({"self", f->inputs.items[0]}, {"size", fixture_list(f, count, sizes)}),
        fixture_tensor(f, HTP_DTYPE_FLOAT32, rank, dims));
    fixture_output(f, y);
    fixture_lower_ok(f);
}

UNIT_TEST(a_view_with_one_dynamic_dim_has_a_constant_shape)
{
    lower_fixture f = begin(arena);
    uint32_t x = fixture_input(&f, HTP_DTYPE_FLOAT32, DIMS(BATCH, 4, 6));
    uint32_t batch = size_of(&f, x, 0);
    view(&f, ELEMENTS(batch, fixture_int(&f, 24)), DIMS(BATCH, 24));
    ck_assert_str_eq(fixture_ops(&f), "Reshape");
    const int64_t *shape = fixture_constant(&f, 0, 1);
    ck_assert_int_eq(shape[0], -1);
    ck_assert_int_eq(shape[1], 24);
}

UNIT_TEST(a_view_with_two_dynamic_dims_reads_its_sizes)
{
    lower_fixture f = begin(arena);
    uint32_t x = fixture_input(&f, HTP_DTYPE_FLOAT32, DIMS(BATCH, LENGTH, 6));
    uint32_t batch = size_of(&f, x, 0);
    uint32_t length = size_of(&f, x, 1);
    view(&f, ELEMENTS(length, batch, fixture_int(&f, 2), fixture_int(&f, -1)),
         DIMS(LENGTH, BATCH, 2, 3));
    ck_assert_str_eq(fixture_ops(&f), "Shape Shape Concat Reshape");
    ck_assert_int_eq(fixture_attribute(&f, 0, "start")->i, 0);
    ck_assert_int_eq(fixture_attribute(&f, 1, "start")->i, 1);
    ck_assert_int_eq(fixture_attribute(&f, 3, "allowzero")->i, 1);
}

UNIT_TEST(a_view_without_elements_allows_zero)
{
    lower_fixture f = begin(arena);
    fixture_input(&f, HTP_DTYPE_FLOAT32, DIMS(0, 4, 6));
    view(&f, ELEMENTS(fixture_int(&f, 0), fixture_int(&f, 24)), DIMS(0, 24));
    ck_assert_int_eq(fixture_attribute(&f, 0, "allowzero")->i, 1);
}

UNIT_TEST(a_slice_of_everything_is_nothing)
{
    lower_fixture f = begin(arena);
    uint32_t x = fixture_input(&f, HTP_DTYPE_FLOAT32, DIMS(BATCH, 4));
    uint32_t zero = fixture_int(&f, 0);
    uint32_t one = fixture_int(&f, 1);
    uint32_t end = fixture_int(&f, INT64_MAX);
    uint32_t all = fixture_node(
        &f, "aten::slice.Tensor", ROOT,
        ARGUMENTS({"self", x}, {"dim", zero}, {"start", zero}, {"end", end}, {"step", one}),
        fixture_tensor(&f, HTP_DTYPE_FLOAT32, DIMS(BATCH, 4)));
    uint32_t some = fixture_node(
        &f, "aten::slice.Tensor", ROOT,
        ARGUMENTS({"self", all}, {"dim", one}, {"start", one}, {"end", end}, {"step", one}),
        fixture_tensor(&f, HTP_DTYPE_FLOAT32, DIMS(BATCH, 3)));
    fixture_output(&f, some);
    fixture_lower_ok(&f);
    ck_assert_str_eq(fixture_ops(&f), "Slice");
    ck_assert_int_eq(*(const int64_t *)fixture_constant(&f, 0, 3), 1);
}

/** A sum over dim 1 at @p opset. */
static void mean(lower_fixture *f, htp_arena *arena, int opset)
{
    *f = begin(arena);
    uint32_t x = fixture_input(f, HTP_DTYPE_FLOAT32, DIMS(BATCH, 4));
    uint32_t y =
        fixture_node(f, "aten::mean.dim", ROOT,
                     ARGUMENTS({"self", x}, {"dim", fixture_list(f, ELEMENTS(fixture_int(f, 1)))},
                               {"keepdim", fixture_bool(f, true)}),
                     fixture_tensor(f, HTP_DTYPE_FLOAT32, DIMS(BATCH, 1)));
    fixture_output(f, y);
    ck_assert_ptr_null(fixture_lower(f, opset));
}

UNIT_TEST(axes_are_where_the_opset_has_them)
{
    lower_fixture f;
    mean(&f, arena, 17);
    ck_assert_int_eq(fixture_attribute(&f, 0, "axes")->ints[0], 1);
    ck_assert_int_eq(fixture_attribute(&f, 0, "keepdims")->i, 1);
    mean(&f, arena, 18);
    ck_assert_int_eq(*(const int64_t *)fixture_constant(&f, 0, 1), 1);
}

UNIT_TEST(indices_that_are_apart_come_first)
{
    lower_fixture f = begin(arena);
    uint32_t x = fixture_input(&f, HTP_DTYPE_FLOAT32, DIMS(3, 4, 5));
    uint32_t i = fixture_input(&f, HTP_DTYPE_INT64, DIMS(2));
    uint32_t list = fixture_list(&f, ELEMENTS(i, fixture_none(&f), i));
    uint32_t y =
        fixture_node(&f, "aten::index.Tensor", ROOT, ARGUMENTS({"self", x}, {"indices", list}),
                     fixture_tensor(&f, HTP_DTYPE_FLOAT32, DIMS(2, 4)));
    fixture_output(&f, y);
    fixture_lower_ok(&f);
    const htp_onnx_node *transpose = NULL;
    for (size_t n = 0; n < f.model->nodes.count; n++) {
        if (strcmp(f.model->nodes.items[n].op_type, "Transpose") == 0) {
            ck_assert_ptr_null(transpose);
            transpose = &f.model->nodes.items[n];
        }
    }
    ck_assert_ptr_nonnull(transpose);
    const int64_t front[] = {0, 2, 1};
    for (size_t n = 0; n < 3; n++) {
        ck_assert_int_eq(transpose->attributes[0].ints[n], front[n]);
    }
}

UNIT_TEST(one_index_is_a_gather)
{
    lower_fixture f = begin(arena);
    uint32_t x = fixture_input(&f, HTP_DTYPE_FLOAT32, DIMS(3, 4));
    uint32_t i = fixture_input(&f, HTP_DTYPE_INT64, DIMS(2, 2));
    uint32_t list = fixture_list(&f, ELEMENTS(fixture_none(&f), i));
    uint32_t y =
        fixture_node(&f, "aten::index.Tensor", ROOT, ARGUMENTS({"self", x}, {"indices", list}),
                     fixture_tensor(&f, HTP_DTYPE_FLOAT32, DIMS(3, 2, 2)));
    fixture_output(&f, y);
    fixture_lower_ok(&f);
    ck_assert_str_eq(fixture_ops(&f), "Gather");
    ck_assert_int_eq(fixture_attribute(&f, 0, "axis")->i, 1);
}

UNIT_TEST(numbers_stay_vectors_between_operators)
{
    lower_fixture f = begin(arena);
    uint32_t x = fixture_input(&f, HTP_DTYPE_FLOAT32, DIMS(BATCH, LENGTH));
    uint32_t tensor =
        fixture_node(&f, "prim::NumToTensor.Scalar", ROOT, ARGUMENTS({"a", size_of(&f, x, 0)}),
                     fixture_tensor(&f, HTP_DTYPE_INT64, 0, NULL));
    uint32_t number = fixture_node(&f, "aten::Int.Tensor", ROOT, ARGUMENTS({"a", tensor}),
                                   fixture_dynamic(&f, HTP_TRACE_INT));
    uint32_t half = fixture_node(&f, "aten::floordiv.int", ROOT,
                                 ARGUMENTS({"a", number}, {"b", size_of(&f, x, 1)}),
                                 fixture_dynamic(&f, HTP_TRACE_INT));
    uint32_t y = fixture_node(&f, "aten::zeros", ROOT,
                              ARGUMENTS({"size", fixture_list(&f, ELEMENTS(half, number))}),
                              fixture_tensor(&f, HTP_DTYPE_FLOAT32, DIMS(BATCH, LENGTH)));
    fixture_output(&f, y);
    fixture_lower_ok(&f);
    ck_assert_ptr_null(strstr(fixture_ops(&f), "queeze"));
}

UNIT_MAIN("lower/families", operands_are_promoted, tensors_without_dims_do_not_promote,
          alpha_is_a_factor, dtypes_without_kernel_are_computed_in_wider_ones,
          functions_without_float64_kernel_are_composed,
          a_view_with_one_dynamic_dim_has_a_constant_shape,
          a_view_with_two_dynamic_dims_reads_its_sizes, a_view_without_elements_allows_zero,
          a_slice_of_everything_is_nothing, axes_are_where_the_opset_has_them,
          indices_that_are_apart_come_first, one_index_is_a_gather,
          numbers_stay_vectors_between_operators)
