/*
 * Sizes, positions and masks of several scopes that become one node: only equal values, by
 * operators that may be shared.
 */
#include "lower_fixture.h"
#include "onnx/reader/shared.h"

#include <string.h>

/** Zeros as long as @p x, in a scope. */
static uint32_t zeros_like(lower_fixture *f, uint32_t scope, uint32_t x)
{
    uint32_t size =
        fixture_node(f, "aten::size.int", scope, ARGUMENTS({"self", x}, {"dim", fixture_int(f, 1)}),
                     fixture_dynamic(f, HTP_TRACE_INT));
    return fixture_node(f, "aten::zeros", scope,
                        ARGUMENTS({"size", fixture_list(f, 1, (const uint32_t[]){size})}),
                        fixture_tensor(f, HTP_DTYPE_FLOAT32, DIMS(LENGTH)));
}

static void give(lower_fixture *f, const char *kind, uint32_t scope, uint32_t x)
{
    fixture_output(f, fixture_node(f, kind, scope, ARGUMENTS({"self", x}),
                                   fixture_tensor(f, HTP_DTYPE_FLOAT32, DIMS(LENGTH))));
}

/** Two scopes compute the same value and use it separately. */
static const char *compute_twice(lower_fixture *f)
{
    uint32_t x = fixture_input(f, HTP_DTYPE_FLOAT32, DIMS(BATCH, LENGTH));
    give(f, "aten::exp", ROOT, zeros_like(f, ROOT, x));
    give(f, "aten::tanh", BLOCK, zeros_like(f, BLOCK, x));
    fixture_lower_ok(f);
    return fixture_ops(f);
}

UNIT_TEST(equal_sizes_are_one_node)
{
    lower_fixture f = {.arena = arena};
    ck_assert_str_eq(compute_twice(&f), "Shape Expand Exp Tanh");
    for (size_t i = 0; i < 2; i++) {
        const htp_onnx_node *node = &f.model->nodes.items[i];
        ck_assert_uint_eq(node->origin.scope, ROOT);
        ck_assert_uint_eq(node->more_scopes.count, 1);
        ck_assert_uint_eq(node->more_scopes.items[0], BLOCK);
    }
    ck_assert_uint_eq(f.model->nodes.items[2].more_scopes.count, 0);
}

UNIT_TEST(scopes_of_two_groups_share_nothing)
{
    static const uint32_t groups[] = {[ROOT] = 0, [BLOCK] = 1};
    lower_fixture f = {.arena = arena, .groups = groups};
    ck_assert_str_eq(compute_twice(&f), "Shape Expand Exp Shape Expand Tanh");
}

UNIT_TEST(what_is_done_with_values_is_not_shared)
{
    lower_fixture f = {.arena = arena};
    uint32_t x = fixture_input(&f, HTP_DTYPE_FLOAT32, DIMS(LENGTH));
    for (uint32_t scope = ROOT; scope <= BLOCK; scope++) {
        uint32_t absolute = fixture_node(&f, "aten::abs", scope, ARGUMENTS({"self", x}),
                                         fixture_tensor(&f, HTP_DTYPE_FLOAT32, DIMS(LENGTH)));
        give(&f, scope == ROOT ? "aten::exp" : "aten::tanh", scope, absolute);
    }
    fixture_lower_ok(&f);
    ck_assert_str_eq(fixture_ops(&f), "Abs Exp Abs Tanh");
}

UNIT_TEST(masks_of_whole_numbers_are_shared)
{
    lower_fixture f = {.arena = arena};
    uint32_t x = fixture_input(&f, HTP_DTYPE_INT64, DIMS(LENGTH));
    for (uint32_t scope = ROOT; scope <= BLOCK; scope++) {
        uint32_t absolute = fixture_node(&f, "aten::abs", scope, ARGUMENTS({"self", x}),
                                         fixture_tensor(&f, HTP_DTYPE_INT64, DIMS(LENGTH)));
        give(&f, scope == ROOT ? "aten::exp" : "aten::tanh", scope, absolute);
    }
    fixture_lower_ok(&f);
    ck_assert_str_eq(fixture_ops(&f), "Abs Cast Exp Tanh");
}

/* Each result of the model has its own name. */
UNIT_TEST(outputs_stay_apart)
{
    lower_fixture f = {.arena = arena};
    uint32_t x = fixture_input(&f, HTP_DTYPE_INT64, DIMS(LENGTH));
    for (uint32_t scope = ROOT; scope <= BLOCK; scope++) {
        fixture_output(&f, fixture_node(&f, "aten::neg", scope, ARGUMENTS({"self", x}),
                                        fixture_tensor(&f, HTP_DTYPE_INT64, DIMS(LENGTH))));
    }
    fixture_lower_ok(&f);
    ck_assert_str_eq(fixture_ops(&f), "Neg Neg");
}

UNIT_TEST(operators_have_rules)
{
    ck_assert_int_eq(htp_shareable_rule("Shape"), HTP_SHAREABLE_ALWAYS);
    ck_assert_int_eq(htp_shareable_rule("Abs"), HTP_SHAREABLE_WITH_OPERANDS);
    ck_assert_int_eq(htp_shareable_rule("Xor"), HTP_SHAREABLE_WITH_OPERANDS);
    ck_assert_int_eq(htp_shareable_rule("ConstantOfShape"), HTP_SHAREABLE_WITH_OPERANDS);
    ck_assert_int_eq(htp_shareable_rule("GreaterOrEqual"), HTP_SHAREABLE_WITH_OPERANDS);
    ck_assert_int_eq(htp_shareable_rule("MatMul"), HTP_SHAREABLE_NEVER);
    ck_assert_int_eq(htp_shareable_rule("RandomUniform"), HTP_SHAREABLE_NEVER);
    ck_assert_int_eq(htp_shareable_rule("If"), HTP_SHAREABLE_NEVER);
}

UNIT_MAIN("lower/shared_sizes", equal_sizes_are_one_node, scopes_of_two_groups_share_nothing,
          what_is_done_with_values_is_not_shared, masks_of_whole_numbers_are_shared,
          outputs_stay_apart, operators_have_rules)
