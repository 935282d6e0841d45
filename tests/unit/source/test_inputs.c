#include "arguments_fixture.h"
#include "unit.h"

UNIT_TEST(static_dims_have_one_lane)
{
    const htp_argument arguments[] = {argument_tensor("x")};
    htp_inputs inputs;
    expect_ok(PARSE(arena, &inputs, arguments, "x:float32[2, 8]"));
    ck_assert_uint_eq(inputs.count, 1);
    ck_assert_uint_eq(inputs.lane_count, 1);
    ck_assert_uint_eq(inputs.axis_count, 0);
    ck_assert(!inputs.items[0].is_none);
    ck_assert_int_eq(inputs.items[0].dtype, HTP_DTYPE_FLOAT32);
    ck_assert_uint_eq(inputs.items[0].rank, 2);
    ck_assert_int_eq(inputs.items[0].dims[0][0], 2);
    ck_assert_int_eq(inputs.items[0].dims[0][1], 8);
}

UNIT_TEST(no_dims_is_rank_zero)
{
    const htp_argument arguments[] = {argument_tensor("x")};
    htp_inputs inputs;
    expect_ok(PARSE(arena, &inputs, arguments, "x:bool[]"));
    ck_assert_uint_eq(inputs.items[0].rank, 0);
    ck_assert(!inputs.items[0].is_scalar);
    ck_assert_str_eq(htp_inputs_describe(arena, &inputs, 0), "x:bool[]");
}

UNIT_TEST(order_is_by_name_or_position)
{
    const htp_argument arguments[] = {argument_tensor("a"), argument_tensor("b")};
    htp_inputs inputs;
    expect_ok(PARSE(arena, &inputs, arguments, "b:int64[3]", "a:int64[5]"));
    ck_assert_int_eq(inputs.items[0].dims[0][0], 5);
    ck_assert_int_eq(inputs.items[1].dims[0][0], 3);
    expect_ok(PARSE(arena, &inputs, arguments, ":int64[3]", ":int64[5]"));
    ck_assert_int_eq(inputs.items[0].dims[0][0], 3);
    ck_assert_int_eq(inputs.items[1].dims[0][0], 5);
}

UNIT_TEST(numbers)
{
    const htp_argument arguments[] = {argument_other("n", HTP_TRACE_INT, "int"),
                                      argument_other("f", HTP_TRACE_FLOAT, "float"),
                                      argument_other("b", HTP_TRACE_BOOL, "bool")};
    htp_inputs inputs;
    expect_ok(PARSE(arena, &inputs, arguments, "n:int=-3", "f:float=0.5", "b:bool=true"));
    ck_assert(inputs.items[0].is_scalar && inputs.items[1].is_scalar && inputs.items[2].is_scalar);
    ck_assert_double_eq(inputs.items[0].scalar, -3);
    ck_assert_double_eq(inputs.items[1].scalar, 0.5);
    ck_assert_double_eq(inputs.items[2].scalar, 1);
    ck_assert_str_eq(htp_inputs_describe(arena, &inputs, 0), "n:int=-3");
    ck_assert_str_eq(htp_inputs_describe(arena, &inputs, 1), "f:float=0.5");
    ck_assert_str_eq(htp_inputs_describe(arena, &inputs, 2), "b:bool=true");
    expect_ok(PARSE(arena, &inputs, arguments, "n:int=1", "f:int=2", "b:bool=0"));
    ck_assert_double_eq(inputs.items[1].scalar, 2);
}

UNIT_TEST(one_symbol_moves_everywhere)
{
    const htp_argument arguments[] = {argument_tensor("a"), argument_tensor("b")};
    htp_inputs inputs;
    expect_ok(PARSE(arena, &inputs, arguments, "a:int64[batch=2,seq=8]", "b:float32[batch=2,64]"));
    ck_assert_uint_eq(inputs.lane_count, 4);
    ck_assert_uint_eq(inputs.axis_count, 2);
    ck_assert_str_eq(inputs.axes[0].symbol, "batch");
    for (uint32_t lane = 0; lane < 4; lane++) {
        ck_assert_int_eq(inputs.items[0].dims[lane][0], inputs.axes[0].sizes[lane]);
        ck_assert_int_eq(inputs.items[1].dims[lane][0], inputs.axes[0].sizes[lane]);
        ck_assert_int_eq(inputs.items[0].dims[lane][1], inputs.axes[1].sizes[lane]);
        ck_assert_int_eq(inputs.items[1].dims[lane][1], 64);
    }
    ck_assert_str_eq(htp_inputs_describe(arena, &inputs, 0), "a:int64[batch=2,seq=8]");
}

static void check_moves(const htp_inputs *inputs)
{
    for (uint32_t i = 0; i < inputs->axis_count; i++) {
        const int64_t *a = inputs->axes[i].sizes;
        int64_t a1 = a[1] - a[0];
        int64_t a2 = a[2] - a[0];
        ck_assert_int_ge(a[1], 2);
        ck_assert_int_ge(a[2], 1);
        ck_assert(inputs->lane_count == 3 || a[3] == 1);
        ck_assert_int_ne(a1, 0);
        ck_assert_int_ne(a2, 0);
        ck_assert_int_ne(a1, a2);
        for (uint32_t j = 0; j < i; j++) {
            const int64_t *b = inputs->axes[j].sizes;
            ck_assert_int_ne(a[1], b[1]);
            /* No axis is another one times a constant, or plus a constant. */
            ck_assert_int_ne(a1 * (b[2] - b[0]), a2 * (b[1] - b[0]));
        }
    }
}

UNIT_TEST(no_two_axes_move_alike)
{
    const htp_argument arguments[] = {argument_tensor("x")};
    htp_inputs inputs;
    for (int size = 1; size < 400; size = size * 5 / 4 + 1) {
        const char *text = htp_arena_printf(arena, "x:float32[a=%d,b=%d,c=%d,d=%d,e=%d,f=%d]", size,
                                            size, size, size + 1, size + 2, size + 3);
        expect_ok(PARSE(arena, &inputs, arguments, text));
        ck_assert_uint_eq(inputs.axis_count, 6);
        for (uint32_t attempt = 0; htp_inputs_choose_lanes(arena, &inputs, attempt); attempt++) {
            check_moves(&inputs);
        }
    }
}

UNIT_TEST(further_attempts_choose_other_sizes)
{
    const htp_argument arguments[] = {argument_tensor("x")};
    htp_inputs inputs;
    static const struct {
        int64_t least[2], most[2]; /* of lanes 1 and 2, for a size of 224 */
    } expected[] = {
        {{2017, 1}, {2200, 2}},   {{2017, 100}, {2200, 223}}, {{449, 100}, {600, 223}},
        {{449, 225}, {600, 300}}, {{225, 50}, {300, 112}},    {{449, 32}, {1200, 223}},
        {{100, 50}, {223, 112}},  {{225, 100}, {300, 223}},   {{100, 100}, {223, 223}},
        {{225, 225}, {300, 300}}, {{32, 32}, {223, 223}},     {{737, 225}, {900, 300}},
    };
    const uint32_t count = sizeof(expected) / sizeof(expected[0]);
    expect_ok(PARSE(arena, &inputs, arguments, "x:float32[1,3,h=224,w=64]"));
    for (uint32_t attempt = 0; attempt < count; attempt++) {
        ck_assert(htp_inputs_choose_lanes(arena, &inputs, attempt));
        for (uint32_t lane = 1; lane < 3; lane++) {
            ck_assert_int_ge(inputs.axes[0].sizes[lane], expected[attempt].least[lane - 1]);
            ck_assert_int_le(inputs.axes[0].sizes[lane], expected[attempt].most[lane - 1]);
            ck_assert_int_eq(inputs.items[0].dims[lane][2], inputs.axes[0].sizes[lane]);
            ck_assert((attempt != 5 && attempt != 10) || inputs.axes[0].sizes[lane] % 32 == 0);
            ck_assert((attempt != 5 && attempt != 10) || inputs.axes[1].sizes[lane] % 32 == 0);
        }
    }
    ck_assert(!htp_inputs_choose_lanes(arena, &inputs, count));
}

UNIT_TEST(the_largest_axis_is_the_smallest_elsewhere)
{
    const htp_argument arguments[] = {argument_tensor("x")};
    htp_inputs inputs;
    expect_ok(PARSE(arena, &inputs, arguments, "x:float32[a=3,b=4,c=2]"));
    for (uint32_t i = 0; i < 3; i++) {
        const int64_t *a = inputs.axes[i].sizes;
        for (uint32_t j = 0; j < 3; j++) {
            const int64_t *b = inputs.axes[j].sizes;
            ck_assert(i == j || (a[1] > b[1]) == (a[2] < b[2]));
        }
    }
}

UNIT_TEST(without_axes_there_is_one_attempt)
{
    const htp_argument arguments[] = {argument_tensor("x")};
    htp_inputs inputs;
    expect_ok(PARSE(arena, &inputs, arguments, "x:float32[4]"));
    ck_assert(htp_inputs_choose_lanes(arena, &inputs, 0));
    ck_assert(!htp_inputs_choose_lanes(arena, &inputs, 1));
}

UNIT_TEST(what_has_a_default_may_stay_out)
{
    const htp_argument arguments[] = {argument_tensor("x"), argument_optional("mask")};
    htp_inputs inputs;
    expect_ok(PARSE(arena, &inputs, arguments, "x:float32[4]"));
    ck_assert_uint_eq(inputs.count, 2);
    ck_assert(inputs.items[1].is_none);
    ck_assert_ptr_null(htp_inputs_describe(arena, &inputs, 1));
}

static const struct {
    const char *text;
    const char *words;
} malformed[] = {
    {"x", "NAME:DTYPE[DIMS] is expected"},
    {"", "NAME:DTYPE[DIMS] is expected"},
    {"x:float32", "NAME:DTYPE[DIMS] is expected"},
    {"x:float33[2]", "unknown dtype \"float33\""},
    {"x:[2]", "unknown dtype \"\""},
    {"x:float32[2", "] is missing"},
    {"x:float32[2]]", "may follow"},
    {"x:float32[", "] is missing"},
    {"x:float32[2,]", "a dim is"},
    {"x:float32[,2]", "a dim is"},
    {"x:float32[2,,2]", "a dim is"},
    {"x:float32[-2]", "a dim is"},
    {"x:float32[+2]", "a dim is"},
    {"x:float32[batch=0]", "a dim is"},
    {"x:float32[-1]", "a dim is"},
    {"x:float32[2]3", "may follow"},
    {"x:float32[2]=", "the value is no number"},
    {"x:float32[2]=a", "the value is no number"},
    {"x:int64[2]=0.5", "no whole number"},
    {"x:uint8[2]=256", "no whole number"},
    {"x:uint8[2]=-1", "no whole number"},
    {"x:int64[2]=9223372036854775808", "no whole number"},
    {"x:bool[2]=2", "neither true nor false"},
    {"x:bool[2]=arange", "cannot count that far"},
    {"x:int8[129]=arange", "cannot count that far"},
    {"x:int8[2147483647,2147483647,2147483647]=arange", "cannot count"},
    {"x:float32[2]=@no.npy", "no.npy"},
    {"x:@no.npy", "no.npy"},
    {"x:@/dev/null", "not a regular file"},
    {"x:[]", "has type Tensor"},
    {"x.0:float32[2]", "has type Tensor"},
    {"x.:float32[2]", "a part of the name is missing"},
    {"x..0:float32[2]", "a part of the name is missing"},
    {".0:float32[2]", "a part of the name is missing"},
    {"x:complex32[2]", "next to nothing with complex32"},
    {"x:float32[2.5]", "a dim is"},
    {"x:float32[2147483648]", "a dim is"},
    {"x:float32[99999999999999999999]", "a dim is"},
    {"x:float32[batch]", "axis \"batch\" has no size; write batch=NUMBER"},
    {"x:float32[a=2,a+b]", "axis \"b\" has no size"},
    {"x:float32[a=2,a+]", "a formula is made of"},
    {"x:float32[a=2,(a]", "a formula is made of"},
    {"x:float32[a=2,a)]", "a formula is made of"},
    {"x:float32[a=2,a//0]", "divides by numbers from 1 on"},
    {"x:float32[a=2,a//a]", "a formula is made of"},
    {"x:float32[a=2,a*9999999999]", "above 2147483647"},
    {"x:float32[a=2,a-2]", "no size from 1"},
    {"x:float32[a=2,a*2147483647*2147483647*2147483647]", "no size from 1"},
    {"x:float32[a=2,a+1=4]", "a+1 is 3, not 4"},
    {"x:float32[a=2,max(a)]", "a formula is made of"},
    {"x:float32[a=2,2*((((((((((((((((a))))))))))))))))]", "nested too deep"},
    {"x:float32[a=2,b=9,b-a*4]", "below 1"},
    {"x:float32[2+3]", "a dim is"},
    {"x:float32[batch=]", "a dim is"},
    {"x:float32[=2]", "a dim is"},
    {"x:float32[3a=2]", "a dim is"},
    {"x:float32[a b=2]", "a dim is"},
    {"x:float32[2147483647,2147483647,2147483647]", "too large"},
    {"x:float32[a=2147483647,2147483647,1]", "too large"},
    {"x:int=3", "has type Tensor; pass --input x:DTYPE[DIMS]"},
    {"x:complex=3", "type int, float or bool"},
    {"x:int=", "whole number"},
    {"x:int=3.5", "whole number"},
    {"x:int=99999999999999999999", "whole number"},
    {"x:int=9007199254740993", "whole number"},
    {"x:float=a", "no number"},
    {"x:bool=2", "neither true nor false"},
    {"y:float32[2]", "the arguments are: x"},
};

UNIT_TEST(wrong_specifications)
{
    const htp_argument arguments[] = {argument_tensor("x")};
    for (size_t i = 0; i < sizeof(malformed) / sizeof(malformed[0]); i++) {
        htp_inputs inputs;
        expect_failure(PARSE(arena, &inputs, arguments, malformed[i].text), HTP_CODE_USAGE,
                       malformed[i].words);
    }
}

UNIT_TEST(rank_is_limited)
{
    const htp_argument arguments[] = {argument_tensor("x")};
    htp_inputs inputs;
    htp_text text = {.arena = arena};
    htp_text_add(&text, "x:float32[1");
    for (uint32_t i = 1; i < HTP_MAX_RANK; i++) {
        htp_text_add(&text, ",1");
    }
    expect_ok(
        PARSE(arena, &inputs, arguments, htp_arena_printf(arena, "%s]", htp_text_string(&text))));
    ck_assert_uint_eq(inputs.items[0].rank, HTP_MAX_RANK);
    expect_failure(
        PARSE(arena, &inputs, arguments, htp_arena_printf(arena, "%s,1]", htp_text_string(&text))),
        HTP_CODE_USAGE, "more dims");
}

UNIT_TEST(specifications_that_do_not_fit)
{
    const htp_argument arguments[] = {argument_tensor("a"), argument_tensor("b")};
    htp_inputs inputs;
    expect_failure(PARSE(arena, &inputs, arguments, "a:int64[2]"), HTP_CODE_USAGE,
                   "argument \"b\" is missing; pass --input b:DTYPE[DIMS]");
    expect_failure(PARSE(arena, &inputs, arguments, "a:int64[2]", "a:int64[2]"), HTP_CODE_USAGE,
                   "given twice");
    expect_failure(PARSE(arena, &inputs, arguments, "b:int64[2]", ":int64[2]"), HTP_CODE_USAGE,
                   "given twice");
    expect_failure(PARSE(arena, &inputs, arguments, ":int64[2]", ":int64[2]", ":int64[2]"),
                   HTP_CODE_USAGE, "no more arguments");
    expect_failure(PARSE(arena, &inputs, arguments, "a:int64[n=2]", "b:int64[n=3]"), HTP_CODE_USAGE,
                   "axis \"n\" has sizes 2 and 3");
}

UNIT_TEST(arguments_that_no_specification_fills)
{
    const htp_argument list[] = {argument_other("xs", HTP_TRACE_LIST, "List[Tensor]")};
    const htp_argument number[] = {argument_other("n", HTP_TRACE_INT, "int")};
    htp_inputs inputs;
    expect_failure(htp_inputs_parse(arena, NULL, 0, list, 1, &inputs), HTP_CODE_UNSUPPORTED,
                   "argument \"xs\" has type List[Tensor]");
    expect_failure(htp_inputs_parse(arena, NULL, 0, number, 1, &inputs), HTP_CODE_USAGE,
                   "pass --input n:int=VALUE");
    expect_failure(
        PARSE(arena, &inputs, number, "n:int64[2]"), HTP_CODE_USAGE,
        "input \"n:int64[2]\": argument \"n\" has type int; pass --input n:int=VALUE, or "
        "without =VALUE to keep it an input");
    expect_failure(PARSE(arena, &inputs, number, "n:float=2"), HTP_CODE_USAGE,
                   "has type int; pass --input n:int=VALUE");
}

/* Tuple[Tensor, Dict[str, Tensor], List[int]] */
static const htp_argument any_tensor = {.name = "", .kind = HTP_TRACE_TENSOR, .type = "Tensor"};
static const htp_argument any_number = {.name = "", .kind = HTP_TRACE_INT, .type = "int"};
static const htp_argument tuple_parts[] = {
    {.name = "0", .kind = HTP_TRACE_TENSOR, .type = "Tensor"},
    {.name = "1",
     .kind = HTP_TRACE_LIST,
     .type = "Dict[str, Tensor]",
     .items = &any_tensor,
     .item_count = 1,
     .is_open = true,
     .is_dict = true},
    {.name = "2",
     .kind = HTP_TRACE_LIST,
     .type = "List[int]",
     .items = &any_number,
     .item_count = 1,
     .is_open = true},
};
static const htp_argument tuple_arguments[] = {
    {.name = "x", .kind = HTP_TRACE_TENSOR, .type = "Tensor"},
    {.name = "past",
     .kind = HTP_TRACE_LIST,
     .type = "Tuple[Tensor, Dict[str, Tensor], List[int]]",
     .items = tuple_parts,
     .item_count = 3},
    {.name = "y", .kind = HTP_TRACE_TENSOR, .type = "Tensor", .is_optional = true},
};

UNIT_TEST(parts_have_names_with_dots)
{
    htp_inputs inputs;
    expect_ok(PARSE(arena, &inputs, tuple_arguments, "past.2.0:int=3", "past.1.a:float32[n=2]",
                    "x:float32[n=2]", "past.0:bool[]", "past.1.b:float32[3]"));
    static const char *const described[] = {
        "x:float32[n=2]", "past.2.0:int=3",      "past.1.a:float32[n=2]",
        "past.0:bool[]",  "past.1.b:float32[3]",
    };
    ck_assert_uint_eq(inputs.count, 6);
    ck_assert_uint_eq(inputs.argument_count, 3);
    for (uint32_t i = 0; i < 5; i++) {
        ck_assert_str_eq(htp_inputs_describe(arena, &inputs, i), described[i]);
    }
    const htp_input *nested = htp_inputs_nest(arena, &inputs, NULL);
    ck_assert(!nested[0].is_nested && nested[1].is_nested && nested[2].is_none);
    ck_assert_uint_eq(nested[1].count, 3);
    ck_assert_str_eq(nested[1].items[1].name, "1");
    ck_assert_uint_eq(nested[1].items[1].count, 2);
    ck_assert_str_eq(nested[1].items[1].items[1].name, "b");
    ck_assert_int_eq(nested[1].items[1].items[0].dims[1][0], inputs.axes[0].sizes[1]);
    ck_assert_double_eq(nested[1].items[0].items[0].scalar, 3);
}

UNIT_TEST(parts_that_do_not_fit)
{
    htp_inputs inputs;
    expect_failure(PARSE(arena, &inputs, tuple_arguments, "x:float32[2]"), HTP_CODE_USAGE,
                   "argument \"past\" is missing; pass --input past.0:DTYPE[DIMS] --input "
                   "past.1.KEY:DTYPE[DIMS] --input past.2.0:int=VALUE");
    expect_failure(PARSE(arena, &inputs, tuple_arguments, "past:float32[2]"), HTP_CODE_USAGE,
                   "List[int]]; pass --input past.0:DTYPE[DIMS]");
    expect_failure(
        PARSE(arena, &inputs, tuple_arguments, "x:bool[]", "past.0:bool[]", "past.0:bool[]"),
        HTP_CODE_USAGE, "input \"past.0\" is given twice");
    expect_failure(
        PARSE(arena, &inputs, tuple_arguments, "x:bool[]", "past.1:bool[]", "past.1.a:bool[]"),
        HTP_CODE_USAGE, "input \"past.1.a\" is given twice");
    expect_failure(
        PARSE(arena, &inputs, tuple_arguments, "x:bool[]", "past.1.a:bool[]", "past.1:bool[]"),
        HTP_CODE_USAGE, "input \"past.1\" is given twice");
    htp_text deep = {.arena = arena};
    htp_text_add(&deep, "past");
    for (int i = 0; i < 40; i++) {
        htp_text_add(&deep, ".0");
    }
    htp_text_add(&deep, ":bool[]");
    expect_failure(PARSE(arena, &inputs, tuple_arguments, htp_text_string(&deep)), HTP_CODE_USAGE,
                   "too many parts");
}

UNIT_TEST(values_change_nothing)
{
    static const char *const values[] = {"0", "1", "-1e9", "inf", "arange"};
    const htp_argument arguments[] = {argument_tensor("x")};
    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
        htp_inputs inputs;
        const char *text = htp_arena_printf(arena, "x:float32[n=2]=%s", values[i]);
        expect_ok(PARSE(arena, &inputs, arguments, text));
        ck_assert_str_eq(htp_inputs_describe(arena, &inputs, 0), "x:float32[n=2]");
    }
}

UNIT_TEST(archived_parts_keep_their_places)
{
    const htp_input leaves[] = {
        {.dtype = HTP_DTYPE_FLOAT32, .rank = 1, .dims = {{2}}, .name = "a.b"},
        {.dtype = HTP_DTYPE_FLOAT32, .rank = 1, .dims = {{3}}, .name = "c"},
    };
    const htp_input parts[] = {
        {.dtype = HTP_DTYPE_BOOL, .name = "0"},
        {.is_nested = true, .items = leaves, .count = 2, .name = "1"},
        {.is_nested = true, .name = "2"},
    };
    const htp_input archived[] = {
        {.dtype = HTP_DTYPE_FLOAT32},
        {.is_nested = true, .items = parts, .count = 3},
    };
    htp_inputs inputs;
    expect_ok(htp_inputs_archived(arena, archived, 2, tuple_arguments, 3, &inputs));
    ck_assert_uint_eq(inputs.count, 6);
    ck_assert_str_eq(htp_inputs_describe(arena, &inputs, 3), "past.1.c:float32[3]");
    ck_assert_str_eq(htp_inputs_describe(arena, &inputs, 4), "past.2:[]");
    const htp_input *nested = htp_inputs_nest(arena, &inputs, NULL);
    ck_assert_str_eq(nested[1].items[1].items[0].name, "a.b");
    ck_assert(nested[1].items[2].is_nested && nested[1].items[2].count == 0);
    const htp_input twice[] = {leaves[0], leaves[0]};
    const htp_input unclear[] = {{.dtype = HTP_DTYPE_FLOAT32},
                                 {.is_nested = true, .items = twice, .count = 2}};
    expect_failure(htp_inputs_archived(arena, unclear, 2, tuple_arguments, 3, &inputs),
                   HTP_CODE_USAGE, "is given twice");
}

UNIT_TEST(archived_inputs_are_fixed)
{
    const htp_argument arguments[] = {argument_tensor("x"), argument_optional("mask")};
    const htp_input archived[] = {
        {.dtype = HTP_DTYPE_FLOAT32, .rank = 2, .dims = {{2, 8}}},
        {.dtype = HTP_DTYPE_INT64, .rank = 1, .dims = {{8}}},
    };
    htp_inputs inputs;
    expect_ok(htp_inputs_archived(arena, archived, 1, arguments, 2, &inputs));
    ck_assert_uint_eq(inputs.lane_count, 1);
    ck_assert(inputs.items[1].is_none);
    ck_assert_str_eq(htp_inputs_describe(arena, &inputs, 0), "x:float32[2,8]");
    expect_ok(htp_inputs_archived(arena, archived, 2, arguments, 2, &inputs));
    ck_assert_str_eq(htp_inputs_describe(arena, &inputs, 1), "mask:int64[8]");
    expect_failure(htp_inputs_archived(arena, archived, 2, arguments, 1, &inputs), HTP_CODE_USAGE,
                   "holds 2 inputs");
    expect_failure(htp_inputs_archived(arena, archived, 0, arguments, 2, &inputs), HTP_CODE_USAGE,
                   "argument \"x\" is missing");
}

/* Two axes with sizes given by the file. */
static htp_inputs told_inputs(htp_axis *axes, htp_bound *bounds)
{
    axes[0] = (htp_axis){.symbol = "batch", .sizes = {4}};
    axes[1] = (htp_axis){.symbol = "height", .sizes = {32}};
    bounds[0] = (htp_bound){.least = 2, .is_declared = true};
    bounds[1] = (htp_bound){.least = 16, .most = 1024, .step = 16, .rest = 32, .is_declared = true};
    return (htp_inputs){.axes = axes, .axis_count = 2, .bounds = bounds, .keeps_bounds = true};
}

UNIT_TEST(lanes_keep_what_the_file_says)
{
    htp_axis axes[2];
    htp_bound bounds[2];
    htp_inputs inputs = told_inputs(axes, bounds);
    ck_assert(htp_inputs_choose_lanes(arena, &inputs, 0));
    ck_assert_uint_eq(inputs.lane_count, 4);
    for (uint32_t lane = 0; lane < inputs.lane_count; lane++) {
        ck_assert_int_ge(axes[0].sizes[lane], 2);
        ck_assert_int_eq(axes[1].sizes[lane] % 16, 0);
        ck_assert(axes[1].sizes[lane] >= 16 && axes[1].sizes[lane] <= 1024);
    }
    ck_assert_int_eq(axes[0].sizes[3], 2);
    ck_assert_int_eq(axes[1].sizes[3], 16);
    ck_assert_str_eq(htp_inputs_declared_sizes(arena, &inputs),
                     "batch from 2 on; height from 16 to 1024, a multiple of 16");
    bounds[1].most = 16;
    ck_assert(!htp_inputs_choose_lanes(arena, &inputs, 0));
    inputs.bounds = NULL;
    ck_assert_ptr_null(htp_inputs_declared_sizes(arena, &inputs));
}

UNIT_MAIN("inputs", static_dims_have_one_lane, no_dims_is_rank_zero, order_is_by_name_or_position,
          numbers, one_symbol_moves_everywhere, no_two_axes_move_alike,
          further_attempts_choose_other_sizes, the_largest_axis_is_the_smallest_elsewhere,
          without_axes_there_is_one_attempt, what_has_a_default_may_stay_out, wrong_specifications,
          rank_is_limited, specifications_that_do_not_fit, arguments_that_no_specification_fills,
          parts_have_names_with_dots, parts_that_do_not_fit, values_change_nothing,
          archived_parts_keep_their_places, archived_inputs_are_fixed,
          lanes_keep_what_the_file_says)
