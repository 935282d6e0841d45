#include "arguments_fixture.h"
#include "unit.h"

/* Derives candidate @p candidate, and describes the inputs in one line. */
static const char *derive(htp_arena *arena, const htp_shim_hint *hints, uint32_t hint_count,
                          const htp_shim_argument *arguments, uint32_t argument_count,
                          uint32_t candidate, bool *more)
{
    htp_inputs inputs;
    expect_ok(htp_inputs_derive(arena, hints, hint_count, arguments, argument_count, candidate,
                                &inputs, more));
    htp_text text = {.arena = arena};
    for (uint32_t i = 0; i < inputs.count; i++) {
        const char *input = htp_inputs_describe(arena, &inputs, i, arguments[i].name);
        htp_text_addf(&text, "%s%s", i ? " " : "", input ? input : "-");
    }
    return htp_text_string(&text);
}

UNIT_TEST(one_use_decides)
{
    static const struct {
        htp_shim_hint hint;
        const char *input;
    } uses[] = {
        {{0, "aten::embedding", "indices", 2, {1000, 64}}, "x:int64[2,8]"},
        {{0, "aten::conv2d", "input", 4, {64, 3, 7, 7}}, "x:float32[1,3,224,224]"},
        {{0, "aten::_convolution", "input", 4, {64, 12, 7, 7}}, "x:float32[1,12,224,224]"},
        {{0, "aten::_convolution", "input", 3, {64, 12, 7}}, "x:float32[1,12,128]"},
        {{0, "aten::conv1d", "input", 3, {64, 80, 3}}, "x:float32[1,80,128]"},
        {{0, "aten::conv_transpose2d", "input", 4, {100, 64, 4, 4}}, "x:float32[1,100,8,8]"},
        {{0, "aten::linear", "input", 2, {10, 784}}, "x:float32[2,784]"},
        {{0, "aten::matmul", "self", 2, {784, 10}}, "x:float32[2,784]"},
        {{0, "aten::layer_norm", "input", 1, {64}}, "x:float32[2,8,64]"},
    };
    const htp_shim_argument arguments[] = {argument_tensor("x")};
    for (size_t i = 0; i < sizeof(uses) / sizeof(uses[0]); i++) {
        bool more = false;
        ck_assert_str_eq(derive(arena, &uses[i].hint, 1, arguments, 1, 0, &more), uses[i].input);
    }
}

UNIT_TEST(candidates_follow_one_another)
{
    const htp_shim_hint hint = {0, "aten::linear", "input", 2, {10, 784}};
    const htp_shim_argument arguments[] = {argument_tensor("x")};
    bool more = false;
    ck_assert_str_eq(derive(arena, &hint, 1, arguments, 1, 0, &more), "x:float32[2,784]");
    ck_assert(more);
    ck_assert_str_eq(derive(arena, &hint, 1, arguments, 1, 1, &more), "x:float32[2,8,784]");
    ck_assert(more);
    ck_assert_str_eq(derive(arena, &hint, 1, arguments, 1, 2, &more), "x:float32[2,8,8,784]");
    ck_assert(!more);
}

UNIT_TEST(candidates_differ)
{
    const htp_shim_hint hint = {0, "aten::conv2d", "input", 4, {8, 3, 3, 3}};
    const htp_shim_argument arguments[] = {argument_tensor("x")};
    const char *before[16];
    bool more = true;
    uint32_t count = 0;
    for (; more; count++) {
        ck_assert_uint_lt(count, 16);
        before[count] = derive(arena, &hint, 1, arguments, 1, count, &more);
        for (uint32_t i = 0; i < count; i++) {
            ck_assert_str_ne(before[i], before[count]);
        }
    }
    ck_assert_uint_gt(count, 1);
}

UNIT_TEST(a_mask_follows_its_ids)
{
    const htp_shim_argument arguments[] = {argument_tensor("ids"), argument_tensor("mask"),
                                           argument_tensor("types"), argument_tensor("unused"),
                                           argument_tensor("padding")};
    const htp_shim_hint hints[] = {
        {1, "aten::unsqueeze", "self", 0, {0}},         {0, "aten::size", "self", 0, {0}},
        {0, "aten::embedding", "indices", 2, {100, 8}}, {1, "aten::slice", "self", 0, {0}},
        {2, "aten::embedding", "indices", 2, {2, 8}},   {4, "aten::masked_fill", "mask", 0, {0}},
    };
    bool more = false;
    ck_assert_str_eq(derive(arena, hints, 6, arguments, 5, 0, &more),
                     "ids:int64[2,8] mask:int64[2,8] types:int64[2,8] unused:int64[2,8] "
                     "padding:bool[2,8]");
    ck_assert(more);
    ck_assert_str_eq(derive(arena, hints, 6, arguments, 5, 1, &more),
                     "ids:int64[1,8] mask:int64[1,8] types:int64[1,8] unused:int64[1,8] "
                     "padding:bool[1,8]");
}

UNIT_TEST(the_most_telling_use_counts)
{
    const htp_shim_argument arguments[] = {argument_tensor("x")};
    const htp_shim_hint hints[] = {
        {0, "aten::layer_norm", "input", 1, {64}},
        {0, "aten::linear", "input", 2, {10, 64}},
        {0, "aten::embedding", "indices", 2, {100, 8}},
    };
    bool more = false;
    ck_assert_str_eq(derive(arena, hints, 2, arguments, 1, 0, &more), "x:float32[2,64]");
    ck_assert_str_eq(derive(arena, hints, 3, arguments, 1, 0, &more), "x:int64[2,8]");
}

UNIT_TEST(what_has_a_default_stays_out)
{
    const htp_shim_argument arguments[] = {argument_tensor("ids"), argument_optional("mask")};
    const htp_shim_hint hint = {0, "aten::embedding", "indices", 2, {100, 8}};
    bool more = false;
    ck_assert_str_eq(derive(arena, &hint, 1, arguments, 2, 0, &more), "ids:int64[2,8] -");
}

UNIT_TEST(no_arguments_need_nothing)
{
    const htp_shim_argument arguments[] = {argument_tensor("x")};
    bool more = true;
    ck_assert_str_eq(derive(arena, NULL, 0, arguments, 0, 0, &more), "");
    ck_assert(!more);
}

UNIT_TEST(what_cannot_be_derived)
{
    const htp_shim_argument one[] = {argument_tensor("x")};
    const htp_shim_argument two[] = {argument_tensor("ids"), argument_tensor("state")};
    const htp_shim_argument number[] = {argument_other("n", HTP_SHIM_INT, "int")};
    const htp_shim_argument list[] = {argument_other("xs", HTP_SHIM_LIST, "List[Tensor]")};
    const htp_shim_hint hints[] = {
        {0, "aten::embedding", "indices", 2, {100, 8}},
        {1, "aten::matmul", "self", 0, {0}},
        {7, "aten::linear", "input", 2, {10, 64}},
    };
    const htp_shim_hint other_rank = {0, "aten::conv2d", "input", 1, {3}};
    htp_inputs inputs;
    bool more = false;
    expect_failure(htp_inputs_derive(arena, NULL, 0, one, 1, 0, &inputs, &more), HTP_CODE_USAGE,
                   "argument \"x\" of forward: shape not derivable; pass --input x:float32[2,8]");
    expect_failure(htp_inputs_derive(arena, &other_rank, 1, one, 1, 0, &inputs, &more),
                   HTP_CODE_USAGE, "argument \"x\" of forward");
    expect_failure(htp_inputs_derive(arena, hints, 3, two, 2, 0, &inputs, &more), HTP_CODE_USAGE,
                   "argument \"state\" of forward: shape not derivable");
    expect_failure(htp_inputs_derive(arena, NULL, 0, number, 1, 0, &inputs, &more), HTP_CODE_USAGE,
                   "pass --input n:int=VALUE");
    expect_failure(htp_inputs_derive(arena, NULL, 0, list, 1, 0, &inputs, &more),
                   HTP_CODE_UNSUPPORTED, "has type List[Tensor]");
}

UNIT_TEST(weights_of_a_damaged_file)
{
    const htp_shim_argument arguments[] = {argument_tensor("x")};
    const htp_shim_hint empty = {0, "aten::linear", "input", 2, {10, 0}};
    const htp_shim_hint huge = {0, "aten::linear", "input", 2, {10, INT64_MAX}};
    htp_inputs inputs;
    bool more = false;
    expect_ok(htp_inputs_derive(arena, &empty, 1, arguments, 1, 0, &inputs, &more));
    ck_assert_int_eq(inputs.items[0].dims[0][1], 0);
    expect_failure(htp_inputs_derive(arena, &huge, 1, arguments, 1, 0, &inputs, &more),
                   HTP_CODE_USAGE, "a dim is");
}

UNIT_MAIN("inputs_derive", one_use_decides, candidates_follow_one_another, candidates_differ,
          a_mask_follows_its_ids, the_most_telling_use_counts, what_has_a_default_stays_out,
          no_arguments_need_nothing, what_cannot_be_derived, weights_of_a_damaged_file)
