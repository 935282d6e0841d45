/*
 * Sizes that a Reshape copies, only if the operators in between prove them; and sizes that are read
 * together.
 */
#include "lower_fixture.h"

#include <string.h>

static uint32_t size_of(lower_fixture *f, uint32_t x, int64_t axis)
{
    return fixture_node(f, "aten::size.int", ROOT,
                        ARGUMENTS({"self", x}, {"dim", fixture_int(f, axis)}),
                        fixture_dynamic(f, HTP_TRACE_INT));
}

static uint32_t pointwise(lower_fixture *f, const char *kind, uint32_t x)
{
    return fixture_node(f, kind, ROOT, ARGUMENTS({"self", x}),
                        fixture_tensor(f, HTP_DTYPE_FLOAT32, DIMS(BATCH, LENGTH, 6)));
}

/** @p x in heads of three, by two sizes; the model ends with it. */
static const char *heads(lower_fixture *f, uint32_t x, uint32_t first, uint32_t second)
{
    const uint32_t sizes[] = {first, second, fixture_int(f, 2), fixture_int(f, -1)};
    uint32_t y = fixture_node(f, "aten::view", ROOT,
                              ARGUMENTS({"self", x}, {"size", fixture_list(f, 4, sizes)}),
                              fixture_tensor(f, HTP_DTYPE_FLOAT32, DIMS(BATCH, LENGTH, 2, 3)));
    fixture_output(f, y);
    fixture_lower_ok(f);
    return fixture_ops(f);
}

UNIT_TEST(sizes_of_the_tensor_itself_are_copied)
{
    lower_fixture f = {.arena = arena};
    uint32_t x = fixture_input(&f, HTP_DTYPE_FLOAT32, DIMS(BATCH, LENGTH, 6));
    ck_assert_str_eq(heads(&f, x, size_of(&f, x, 0), size_of(&f, x, 1)), "Reshape");
    static const int64_t shape[] = {0, 0, 2, -1};
    ck_assert_mem_eq(fixture_constant(&f, 0, 1), shape, sizeof(shape));
    ck_assert_uint_eq(f.model->nodes.items[0].attribute_count, 0);
}

UNIT_TEST(sizes_of_what_the_tensor_was_made_of_are_copied)
{
    lower_fixture f = {.arena = arena};
    uint32_t x = fixture_input(&f, HTP_DTYPE_FLOAT32, DIMS(BATCH, LENGTH, 6));
    uint32_t y = pointwise(&f, "aten::exp", pointwise(&f, "aten::relu", x));
    ck_assert_str_eq(heads(&f, y, size_of(&f, x, 0), size_of(&f, x, 1)), "Relu Exp Reshape");
}

UNIT_TEST(sizes_of_what_was_made_of_the_same_are_copied)
{
    lower_fixture f = {.arena = arena};
    uint32_t x = fixture_input(&f, HTP_DTYPE_FLOAT32, DIMS(BATCH, LENGTH, 6));
    uint32_t other = pointwise(&f, "aten::tanh", x);
    uint32_t y = pointwise(&f, "aten::relu", x);
    ck_assert_str_eq(heads(&f, y, size_of(&f, other, 0), size_of(&f, other, 1)), "Relu Reshape");
}

UNIT_TEST(sizes_in_other_places_are_asked_for)
{
    lower_fixture f = {.arena = arena};
    uint32_t x = fixture_input(&f, HTP_DTYPE_FLOAT32, DIMS(BATCH, LENGTH, 6));
    const char *ops = heads(&f, x, size_of(&f, x, 1), size_of(&f, x, 0));
    ck_assert_str_eq(ops, "Shape Shape Concat Reshape");
    ck_assert_int_eq(fixture_attribute(&f, 3, "allowzero")->i, 1);
}

UNIT_TEST(sizes_of_other_tensors_are_asked_for)
{
    lower_fixture f = {.arena = arena};
    uint32_t x = fixture_input(&f, HTP_DTYPE_FLOAT32, DIMS(BATCH, LENGTH, 6));
    uint32_t other = fixture_input(&f, HTP_DTYPE_FLOAT32, DIMS(BATCH, LENGTH, 6));
    const char *ops = heads(&f, x, size_of(&f, x, 0), size_of(&f, other, 1));
    ck_assert_str_eq(ops, "Shape Shape Concat Reshape");
}

/* A broadcast operand may have one row, unlike the tensor whose size is copied. */
UNIT_TEST(sums_of_two_tensors_prove_nothing)
{
    lower_fixture f = {.arena = arena};
    uint32_t x = fixture_input(&f, HTP_DTYPE_FLOAT32, DIMS(BATCH, LENGTH, 6));
    uint32_t other = fixture_input(&f, HTP_DTYPE_FLOAT32, DIMS(BATCH, LENGTH, 6));
    uint32_t sum =
        fixture_node(&f, "aten::add.Tensor", ROOT, ARGUMENTS({"self", x}, {"other", other}),
                     fixture_tensor(&f, HTP_DTYPE_FLOAT32, DIMS(BATCH, LENGTH, 6)));
    const char *ops = heads(&f, sum, size_of(&f, x, 0), size_of(&f, x, 1));
    ck_assert_ptr_nonnull(strstr(ops, "Concat Reshape"));
}

/** Zeros of two sizes; the model ends with them. */
static const char *zeros(lower_fixture *f, uint32_t first, uint32_t second)
{
    const uint32_t sizes[] = {first, second};
    uint32_t y =
        fixture_node(f, "aten::zeros", ROOT, ARGUMENTS({"size", fixture_list(f, 2, sizes)}),
                     fixture_tensor(f, HTP_DTYPE_FLOAT32, DIMS(BATCH, LENGTH)));
    fixture_output(f, y);
    fixture_lower_ok(f);
    return fixture_ops(f);
}

UNIT_TEST(neighbouring_sizes_are_asked_for_at_once)
{
    lower_fixture f = {.arena = arena};
    uint32_t x = fixture_input(&f, HTP_DTYPE_FLOAT32, DIMS(BATCH, LENGTH, 6));
    ck_assert_str_eq(zeros(&f, size_of(&f, x, 0), size_of(&f, x, 1)), "Shape Expand");
    ck_assert_int_eq(fixture_attribute(&f, 0, "start")->i, 0);
    ck_assert_int_eq(fixture_attribute(&f, 0, "end")->i, 2);
}

UNIT_TEST(sizes_that_others_read_stay_alone)
{
    lower_fixture f = {.arena = arena};
    uint32_t x = fixture_input(&f, HTP_DTYPE_FLOAT32, DIMS(BATCH, LENGTH, 6));
    uint32_t length = size_of(&f, x, 1);
    fixture_output(&f, length);
    ck_assert_ptr_nonnull(strstr(zeros(&f, size_of(&f, x, 0), length), "Concat"));
}

UNIT_MAIN("lower/copied_sizes", sizes_of_the_tensor_itself_are_copied,
          sizes_of_what_the_tensor_was_made_of_are_copied,
          sizes_of_what_was_made_of_the_same_are_copied, sizes_in_other_places_are_asked_for,
          sizes_of_other_tensors_are_asked_for, sums_of_two_tensors_prove_nothing,
          neighbouring_sizes_are_asked_for_at_once, sizes_that_others_read_stay_alone)
