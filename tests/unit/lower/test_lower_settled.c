/*
 * Nodes that a runtime would rewrite: neutral arithmetic, reciprocal roots, consecutive Transposes;
 * and similar ones that must stay.
 */
#include "lower_fixture.h"

#include <string.h>

static uint32_t floats(lower_fixture *f)
{
    return fixture_tensor(f, HTP_DTYPE_FLOAT32, DIMS(BATCH, LENGTH, 6));
}

/** An operator on a tensor and a number. */
static uint32_t with_number(lower_fixture *f, const char *kind, uint32_t x, uint32_t number,
                            htp_dtype dtype)
{
    return fixture_node(f, kind, ROOT, ARGUMENTS({"self", x}, {"other", number}),
                        fixture_tensor(f, dtype, DIMS(BATCH, LENGTH, 6)));
}

static uint32_t unary(lower_fixture *f, const char *kind, uint32_t scope, uint32_t x)
{
    return fixture_node(f, kind, scope, ARGUMENTS({"self", x}), floats(f));
}

/** The model's operators; exp of @p x is its result. */
static const char *ops_behind(lower_fixture *f, uint32_t x)
{
    fixture_output(f, unary(f, "aten::exp", ROOT, x));
    fixture_lower_ok(f);
    return fixture_ops(f);
}

UNIT_TEST(numbers_that_change_nothing_go)
{
    static const struct {
        const char *kind;
        double number;
        const char *ops;
    } cases[] = {
        {"aten::mul.Scalar", 1, "Exp"},      {"aten::mul.Scalar", 2, "Mul Exp"},
        {"aten::mul.Scalar", 0, "Mul Exp"},  {"aten::div.Scalar", 1, "Exp"},
        {"aten::div.Scalar", -1, "Div Exp"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        lower_fixture f = {.arena = arena};
        uint32_t x = fixture_input(&f, HTP_DTYPE_FLOAT32, DIMS(BATCH, LENGTH, 6));
        uint32_t number = fixture_float(&f, cases[i].number);
        uint32_t y = with_number(&f, cases[i].kind, x, number, HTP_DTYPE_FLOAT32);
        ck_assert_str_eq(ops_behind(&f, y), cases[i].ops);
    }
}

/* -0.0 + 0.0 is 0.0, which is not the operand. */
UNIT_TEST(zeros_that_are_added_go_of_integers_alone)
{
    lower_fixture f = {.arena = arena};
    uint32_t x = fixture_input(&f, HTP_DTYPE_INT64, DIMS(BATCH, LENGTH, 6));
    uint32_t zero = fixture_int(&f, 0);
    uint32_t one = fixture_int(&f, 1);
    uint32_t y = fixture_node(&f, "aten::add.Scalar", ROOT,
                              ARGUMENTS({"self", x}, {"other", zero}, {"alpha", one}),
                              fixture_tensor(&f, HTP_DTYPE_INT64, DIMS(BATCH, LENGTH, 6)));
    fixture_output(&f, fixture_node(&f, "aten::neg", ROOT, ARGUMENTS({"self", y}),
                                    fixture_tensor(&f, HTP_DTYPE_INT64, DIMS(BATCH, LENGTH, 6))));
    fixture_lower_ok(&f);
    ck_assert_str_eq(fixture_ops(&f), "Neg");

    lower_fixture g = {.arena = arena};
    x = fixture_input(&g, HTP_DTYPE_FLOAT32, DIMS(BATCH, LENGTH, 6));
    zero = fixture_float(&g, 0);
    one = fixture_int(&g, 1);
    y = fixture_node(&g, "aten::add.Scalar", ROOT,
                     ARGUMENTS({"self", x}, {"other", zero}, {"alpha", one}), floats(&g));
    ck_assert_str_eq(ops_behind(&g, y), "Add Exp");
}

/* It has a name of its own. */
UNIT_TEST(an_output_stays)
{
    lower_fixture f = {.arena = arena};
    uint32_t x = fixture_input(&f, HTP_DTYPE_FLOAT32, DIMS(BATCH, LENGTH, 6));
    fixture_output(&f,
                   with_number(&f, "aten::mul.Scalar", x, fixture_float(&f, 1), HTP_DTYPE_FLOAT32));
    fixture_lower_ok(&f);
    ck_assert_str_eq(fixture_ops(&f), "Mul");
}

static uint32_t product(lower_fixture *f, uint32_t x, uint32_t y)
{
    return fixture_node(f, "aten::mul.Tensor", ROOT, ARGUMENTS({"self", x}, {"other", y}),
                        floats(f));
}

UNIT_TEST(a_root_below_one_divides)
{
    lower_fixture f = {.arena = arena};
    uint32_t x = fixture_input(&f, HTP_DTYPE_FLOAT32, DIMS(BATCH, LENGTH, 6));
    ck_assert_str_eq(ops_behind(&f, product(&f, x, unary(&f, "aten::rsqrt", ROOT, x))),
                     "Sqrt Div Exp");
    ck_assert_uint_eq(f.model->nodes.items[1].inputs[0], f.model->inputs.items[0]);
}

UNIT_TEST(a_root_of_another_scope_stays)
{
    lower_fixture f = {.arena = arena};
    uint32_t x = fixture_input(&f, HTP_DTYPE_FLOAT32, DIMS(BATCH, LENGTH, 6));
    ck_assert_str_eq(ops_behind(&f, product(&f, x, unary(&f, "aten::rsqrt", BLOCK, x))),
                     "Sqrt Div Mul Exp");
}

UNIT_TEST(a_root_that_others_read_stays)
{
    lower_fixture f = {.arena = arena};
    uint32_t x = fixture_input(&f, HTP_DTYPE_FLOAT32, DIMS(BATCH, LENGTH, 6));
    uint32_t root = unary(&f, "aten::rsqrt", ROOT, x);
    fixture_output(&f, unary(&f, "aten::tanh", ROOT, root));
    ck_assert_str_eq(ops_behind(&f, product(&f, x, root)), "Sqrt Div Tanh Mul Exp");
}

/** @p x with two axes transposed, and its sizes. */
static uint32_t exchanged(lower_fixture *f, uint32_t scope, uint32_t x, int64_t a, int64_t b,
                          uint32_t y)
{
    return fixture_node(
        f, "aten::transpose.int", scope,
        ARGUMENTS({"self", x}, {"dim0", fixture_int(f, a)}, {"dim1", fixture_int(f, b)}), y);
}

UNIT_TEST(layouts_behind_one_another_are_one)
{
    static const int64_t axes[] = {1, 2, 0};
    lower_fixture f = {.arena = arena};
    uint32_t x = fixture_input(&f, HTP_DTYPE_FLOAT32, DIMS(BATCH, LENGTH, 6));
    uint32_t y =
        exchanged(&f, ROOT, x, 0, 1, fixture_tensor(&f, HTP_DTYPE_FLOAT32, DIMS(LENGTH, BATCH, 6)));
    uint32_t z =
        exchanged(&f, ROOT, y, 1, 2, fixture_tensor(&f, HTP_DTYPE_FLOAT32, DIMS(LENGTH, 6, BATCH)));
    ck_assert_str_eq(ops_behind(&f, z), "Transpose Exp");
    ck_assert_mem_eq(fixture_attribute(&f, 0, "perm")->ints, axes, sizeof(axes));
}

UNIT_TEST(layouts_that_undo_each_other_go)
{
    lower_fixture f = {.arena = arena};
    uint32_t x = fixture_input(&f, HTP_DTYPE_FLOAT32, DIMS(BATCH, LENGTH, 6));
    uint32_t y =
        exchanged(&f, ROOT, x, 0, 1, fixture_tensor(&f, HTP_DTYPE_FLOAT32, DIMS(LENGTH, BATCH, 6)));
    ck_assert_str_eq(ops_behind(&f, exchanged(&f, ROOT, y, 0, 1, floats(&f))), "Exp");
}

UNIT_TEST(layouts_of_two_scopes_stay)
{
    lower_fixture f = {.arena = arena};
    uint32_t x = fixture_input(&f, HTP_DTYPE_FLOAT32, DIMS(BATCH, LENGTH, 6));
    uint32_t y = exchanged(&f, BLOCK, x, 0, 1,
                           fixture_tensor(&f, HTP_DTYPE_FLOAT32, DIMS(LENGTH, BATCH, 6)));
    ck_assert_str_eq(ops_behind(&f, exchanged(&f, ROOT, y, 0, 1, floats(&f))),
                     "Transpose Transpose Exp");
}

UNIT_TEST(sizes_are_asked_of_what_was_transposed)
{
    lower_fixture f = {.arena = arena};
    uint32_t x = fixture_input(&f, HTP_DTYPE_FLOAT32, DIMS(BATCH, LENGTH, 6));
    uint32_t y = exchanged(&f, ROOT, unary(&f, "aten::exp", ROOT, x), 0, 1,
                           fixture_tensor(&f, HTP_DTYPE_FLOAT32, DIMS(LENGTH, BATCH, 6)));
    uint32_t size = fixture_node(&f, "aten::size.int", ROOT,
                                 ARGUMENTS({"self", y}, {"dim", fixture_int(&f, 1)}),
                                 fixture_dynamic(&f, HTP_TRACE_INT));
    fixture_output(&f,
                   fixture_node(&f, "aten::zeros", ROOT,
                                ARGUMENTS({"size", fixture_list(&f, 1, (const uint32_t[]){size})}),
                                fixture_tensor(&f, HTP_DTYPE_FLOAT32, DIMS(BATCH))));
    fixture_lower_ok(&f);
    ck_assert_str_eq(fixture_ops(&f), "Exp Shape Expand");
    ck_assert_int_eq(fixture_attribute(&f, 1, "start")->i, 0);
    ck_assert_int_eq(fixture_attribute(&f, 1, "end")->i, 1);
}

UNIT_MAIN("lower/settled", numbers_that_change_nothing_go,
          zeros_that_are_added_go_of_integers_alone, an_output_stays, a_root_below_one_divides,
          a_root_of_another_scope_stays, a_root_that_others_read_stays,
          layouts_behind_one_another_are_one, layouts_that_undo_each_other_go,
          layouts_of_two_scopes_stay, sizes_are_asked_of_what_was_transposed)
