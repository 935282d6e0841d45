#include "arguments_fixture.h"
#include "source/input_search/derive.h"
#include "unit.h"

/* ---- uses ---- */

static htp_trial take(void *user __attribute__((unused)), const htp_inputs *inputs,
                      const htp_trace **trace)
{
    ck_assert_uint_eq(inputs->lane_count, 1);
    *trace = NULL;
    return HTP_TRIAL_TAKEN;
}

static htp_trial refuse(void *user, const htp_inputs *inputs __attribute__((unused)),
                        const htp_trace **trace)
{
    uint32_t *count = user;
    (*count)++;
    *trace = NULL;
    return HTP_TRIAL_REFUSED;
}

static const char *describe(htp_arena *arena, const htp_inputs *inputs)
{
    htp_text text = {.arena = arena};
    for (uint32_t i = 0; i < inputs->count; i++) {
        const char *input = htp_inputs_describe(arena, inputs, i);
        htp_text_addf(&text, "%s%s", i ? " " : "", input ? input : "-");
    }
    return inputs->count ? htp_text_string(&text) : "";
}

/* The likeliest inputs, as one line. */
static const char *derive(htp_arena *arena, const htp_hint *hints, uint32_t hint_count,
                          const htp_argument *arguments, uint32_t argument_count)
{
    htp_inputs inputs;
    htp_input_derivation result;
    expect_ok(htp_inputs_derive(arena, hints, hint_count, arguments, argument_count, take, NULL,
                                &inputs, &result));
    ck_assert(result.are_taken);
    return describe(arena, &inputs);
}

UNIT_TEST(one_use_decides)
{
    static const struct {
        htp_hint hint;
        const char *input;
    } uses[] = {
        {{0, "aten::embedding", "indices", 2, {1000, 64}}, "x:int64[2,8]"},
        {{0, "aten::conv2d", "input", 4, {64, 3, 7, 7}}, "x:float32[2,3,32,32]"},
        {{0, "aten::_convolution", "input", 4, {64, 12, 7, 7}}, "x:float32[2,12,32,32]"},
        {{0, "aten::_convolution", "input", 3, {64, 12, 7}}, "x:float32[2,12,64]"},
        {{0, "aten::conv1d", "input", 3, {64, 80, 3}}, "x:float32[2,80,64]"},
        {{0, "aten::conv3d", "input", 5, {64, 2, 3, 3, 3}}, "x:float32[2,2,32,32,32]"},
        {{0, "aten::conv_transpose2d", "input", 4, {100, 64, 4, 4}}, "x:float32[2,100,32,32]"},
        {{0, "aten::linear", "input", 2, {10, 784}}, "x:float32[2,784]"},
        {{0, "aten::matmul", "self", 2, {784, 10}}, "x:float32[2,784]"},
        {{0, "aten::lstm", "input", 2, {40, 7}}, "x:float32[2,8,7]"},
        {{0, "aten::layer_norm", "input", 1, {64}}, "x:float32[2,8,64]"},
        {{0, "aten::batch_norm", "input", 1, {64}}, "x:float32[2,64]"},
        {{0, "aten::relu", "self", 0, {0}}, "x:float32[2,8]"},
        {{0, "aten::bitwise_not", "self", 0, {0}}, "x:bool[2,8]"},
        {{0, "aten::linear", "input", 2, {10, 0}}, "x:float32[2,3]"},
        {{0, "aten::linear", "input", 2, {10, INT64_MAX}}, "x:float32[2,3]"},
        {{7, "aten::linear", "input", 2, {10, 64}}, "x:float32[2,8]"},
    };
    const htp_argument arguments[] = {argument_tensor("x")};
    for (size_t i = 0; i < sizeof(uses) / sizeof(uses[0]); i++) {
        ck_assert_str_eq(derive(arena, &uses[i].hint, 1, arguments, 1), uses[i].input);
    }
}

UNIT_TEST(a_mask_follows_its_ids)
{
    const htp_argument arguments[] = {argument_tensor("ids"), argument_tensor("mask"),
                                      argument_tensor("types"), argument_tensor("unused"),
                                      argument_tensor("padding")};
    const htp_hint hints[] = {
        {1, "aten::unsqueeze", "self", 0, {0}},         {0, "aten::size", "self", 0, {0}},
        {0, "aten::embedding", "indices", 2, {100, 8}}, {1, "aten::slice", "self", 0, {0}},
        {2, "aten::embedding", "indices", 2, {2, 8}},   {4, "aten::masked_fill", "mask", 0, {0}},
    };
    ck_assert_str_eq(derive(arena, hints, 6, arguments, 5),
                     "ids:int64[2,8] mask:int64[2,8] types:int64[2,8] unused:int64[2,8] "
                     "padding:bool[2,8]");
}

UNIT_TEST(the_most_telling_use_counts)
{
    const htp_argument arguments[] = {argument_tensor("x")};
    const htp_hint hints[] = {
        {0, "aten::layer_norm", "input", 1, {64}},
        {0, "aten::linear", "input", 2, {10, 64}},
        {0, "aten::embedding", "indices", 2, {100, 8}},
    };
    ck_assert_str_eq(derive(arena, hints, 2, arguments, 1), "x:float32[2,64]");
    ck_assert_str_eq(derive(arena, hints, 3, arguments, 1), "x:int64[2,8]");
}

/* The argument has fewer dims than the operand; elements are selected from it; it is concatenated
 * to another. */
UNIT_TEST(uses_of_what_is_made_of_an_argument)
{
    const htp_argument one[] = {argument_tensor("x")};
    const htp_argument two[] = {argument_tensor("x"), argument_tensor("y")};
    const htp_hint image[] = {{0, "part", "", 0, {1, 1}},
                              {0, "aten::conv2d", "input", 4, {8, 1, 3, 3}}};
    const htp_hint edges[] = {{0, "pick", "", 2, {0, 0}},
                              {0, "pick", "", 2, {0, 1}},
                              {0, "part", "", 0, {-1, 1}},
                              {0, "aten::index", "indices", 0, {0}}};
    const htp_hint alike[] = {{0, "aten::conv2d", "input", 4, {8, 3, 3, 3}},
                              {1, "beside", "", 2, {0, 0}}};
    const htp_hint joined[] = {{0, "part", "", 0, {0, 2}},
                               {0, "aten::conv2d", "input", 4, {8, 4, 3, 3}},
                               {1, "beside", "", 2, {0, 0}}};
    const htp_hint weights[] = {{0, "part", "", 0, {1, 1}}, {0, "beside", "", 2, {1, 0}}};
    const htp_hint state = {0, "aten::lstm", "hx", 3, {2, 0, 5}};
    ck_assert_str_eq(derive(arena, image, 2, one, 1), "x:float32[2,64,64]");
    ck_assert_str_eq(derive(arena, edges, 4, one, 1), "x:int64[2,8]");
    ck_assert_str_eq(derive(arena, alike, 2, two, 2), "x:float32[2,3,32,32] y:float32[2,3,32,32]");
    ck_assert_str_eq(derive(arena, joined, 3, two, 2), "x:float32[2,2,32,32] y:float32[2,2,32,32]");
    ck_assert_str_eq(derive(arena, weights, 2, two, 2), "x:float32[2,8] y:float32[2,8,8]");
    ck_assert_str_eq(derive(arena, &state, 1, one, 1), "x:float32[2,2,5]");
}

UNIT_TEST(a_flag_is_false)
{
    const htp_argument flag[] = {argument_other("on", HTP_TRACE_BOOL, "bool")};
    ck_assert_str_eq(derive(arena, NULL, 0, flag, 1), "on:bool=false");
}

UNIT_TEST(what_has_a_default_stays_out)
{
    const htp_argument arguments[] = {argument_tensor("ids"), argument_optional("mask")};
    const htp_hint hint = {0, "aten::embedding", "indices", 2, {100, 8}};
    ck_assert_str_eq(derive(arena, &hint, 1, arguments, 2), "ids:int64[2,8] -");
    ck_assert_str_eq(derive(arena, NULL, 0, arguments, 0), "");
}

UNIT_TEST(what_is_no_tensor_cannot_be_derived)
{
    const htp_argument number[] = {argument_other("n", HTP_TRACE_INT, "int")};
    const htp_argument other[] = {argument_other("xs", HTP_TRACE_OPAQUE, "Device")};
    htp_inputs inputs;
    htp_input_derivation result;
    expect_failure(htp_inputs_derive(arena, NULL, 0, number, 1, take, NULL, &inputs, &result),
                   HTP_CODE_USAGE, "pass --input n:int=VALUE");
    expect_failure(htp_inputs_derive(arena, NULL, 0, other, 1, take, NULL, &inputs, &result),
                   HTP_CODE_UNSUPPORTED, "has type Device");
}

/* A tuple has the parts of its type; lists and dicts have those that the program reads. */
UNIT_TEST(nested_arguments)
{
    const htp_argument element = argument_tensor("");
    const htp_argument pair[] = {argument_tensor("0"), argument_tensor("1")};
    htp_argument tuple = argument_other("t", HTP_TRACE_LIST, "Tuple[Tensor, Tensor]");
    tuple.items = pair;
    tuple.item_count = 2;
    htp_argument list = argument_other("l", HTP_TRACE_LIST, "List[Tensor]");
    list.items = &element;
    list.item_count = 1;
    list.is_open = true;
    htp_argument dict = list;
    dict.name = "d";
    dict.is_dict = true;
    const htp_hint hints[] = {
        {1, "part", "2", 0, {0}},
        {2, "part", "key", 0, {0}},
        {2, "aten::embedding", "indices", 2, {100, 8}},
        {0, "part", "1", 0, {0}},
        {0, "aten::linear", "input", 2, {10, 64}},
        {2, "part", "other", 0, {0}},
    };
    const htp_argument arguments[] = {tuple, list, dict};
    ck_assert_str_eq(derive(arena, hints, 6, arguments, 3),
                     "t.0:float32[2,8] t.1:float32[2,64] l.0:float32[2,8] l.1:float32[2,8] "
                     "l.2:float32[2,8] d.key:int64[2,8] d.other:float32[2,8]");
    ck_assert_str_eq(derive(arena, NULL, 0, &list, 1), "l.0:float32[2,8] l.1:float32[2,8]");
}

UNIT_TEST(attempts_are_bounded)
{
    const htp_argument arguments[] = {argument_tensor("x"), argument_tensor("y"),
                                      argument_optional("z")};
    const htp_hint hint = {0, "aten::conv2d", "input", 4, {8, 3, 3, 3}};
    htp_inputs inputs;
    htp_input_derivation result;
    uint32_t count = 0;
    expect_ok(htp_inputs_derive(arena, &hint, 1, arguments, 3, refuse, &count, &inputs, &result));
    ck_assert(!result.are_taken);
    ck_assert_uint_gt(count, 5);
    ck_assert_uint_le(count, 100);
    ck_assert_str_eq(describe(arena, &inputs), "x:float32[2,3,32,32] y:float32[2,8] -");
}

/* ---- refusals ---- */

enum { VALUE_LIMIT = 24 };

/* A trace of a few values and one node that raises. */
struct program {
    htp_trace_value values[VALUE_LIMIT];
    uint32_t value_count;
    htp_trace_node nodes[2];
    uint32_t operands[VALUE_LIMIT];
    const char *names[VALUE_LIMIT];
    uint32_t inputs[4];
    int64_t dims[VALUE_LIMIT][4];
    uint32_t elements[VALUE_LIMIT];
    htp_trace trace;
};

static uint32_t add_tensor(struct program *program, uint32_t rank, const int64_t *dims)
{
    uint32_t id = program->value_count++;
    memcpy(program->dims[id], dims, rank * sizeof(*dims));
    program->values[id] = (htp_trace_value){.kind = HTP_TRACE_TENSOR,
                                            .producer = HTP_NONE,
                                            .dtype = HTP_DTYPE_FLOAT32,
                                            .rank = rank,
                                            .dims = {program->dims[id]}};
    return id;
}

static uint32_t add_int(struct program *program, int64_t number)
{
    program->values[program->value_count] = (htp_trace_value){
        .kind = HTP_TRACE_INT, .producer = HTP_NONE, .has_lanes = true, .i = {number}};
    return program->value_count++;
}

static uint32_t add_list(struct program *program, uint32_t first, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        program->elements[first + i] = first + i;
    }
    program->values[program->value_count] = (htp_trace_value){.kind = HTP_TRACE_LIST,
                                                              .producer = HTP_NONE,
                                                              .elements = &program->elements[first],
                                                              .element_count = count};
    return program->value_count++;
}

static void add_operand(struct program *program, const char *name, uint32_t value)
{
    htp_trace_node *node = &program->nodes[0];
    program->operands[node->input_count] = value;
    program->names[node->input_count++] = name;
}

static const htp_trace *raise(struct program *program, const char *kind, uint32_t input_count)
{
    program->nodes[0].kind = kind;
    program->nodes[0].inputs = program->operands;
    program->nodes[0].input_names = program->names;
    program->nodes[0].failure = "raised";
    program->trace = (htp_trace){.values = program->values,
                                 .value_count = program->value_count,
                                 .nodes = program->nodes,
                                 .node_count = 1,
                                 .inputs = program->inputs,
                                 .input_count = input_count};
    return &program->trace;
}

static const htp_plan *plan_one(htp_arena *arena)
{
    static const htp_argument argument = {.name = "x", .kind = HTP_TRACE_TENSOR, .type = "Tensor"};
    return htp_plan_make(arena, NULL, 0, &argument, 1, 2);
}

static bool has_fact(const htp_refusal *refusal, int64_t have, int64_t want, bool is_rank)
{
    for (uint32_t i = 0; i < refusal->fact_count; i++) {
        const htp_fact *fact = &refusal->facts[i];
        if (fact->have == have && fact->want == want && fact->is_rank == is_rank) {
            return true;
        }
    }
    return false;
}

/* Two tensors, and two numbers that must differ. */
UNIT_TEST(operands_that_do_not_fit)
{
    static const struct {
        const char *kind;
        const char *names[2];
        uint32_t ranks[2];
        int64_t dims[2][4];
        int64_t have;
        int64_t want;
        bool is_rank;
    } cases[] = {
        {"aten::add.Tensor", {"self", "other"}, {3, 2}, {{2, 8, 6}, {5, 6}}, 8, 5, false},
        {"aten::linear", {"input", "weight"}, {2, 2}, {{2, 8}, {10, 64}}, 8, 64, false},
        {"aten::matmul", {"self", "other"}, {2, 2}, {{2, 8}, {64, 10}}, 8, 64, false},
        {"aten::addmm", {"mat1", "mat2"}, {3, 2}, {{2, 2, 8}, {8, 10}}, 3, 2, true},
        {"aten::conv2d", {"input", "weight"}, {3, 4}, {{2, 8, 8}, {4, 1, 3, 3}}, 3, 4, true},
        {"aten::conv2d", {"input", "weight"}, {4, 4}, {{2, 3, 8, 8}, {4, 5, 3, 3}}, 3, 5, false},
        {"aten::conv2d", {"input", "weight"}, {4, 4}, {{2, 5, 8, 8}, {4, 5, 9, 3}}, 8, 9, false},
        {"aten::batch_norm", {"input", "weight"}, {2, 1}, {{2, 8}, {64}}, 8, 64, false},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct program program = {.value_count = 0};
        for (uint32_t k = 0; k < 2; k++) {
            uint32_t id = add_tensor(&program, cases[i].ranks[k], cases[i].dims[k]);
            add_operand(&program, cases[i].names[k], id);
        }
        htp_refusal refusal;
        htp_refusal_read(arena, raise(&program, cases[i].kind, 1), plan_one(arena), &refusal);
        ck_assert_msg(has_fact(&refusal, cases[i].have, cases[i].want, cases[i].is_rank), "%s",
                      cases[i].kind);
        ck_assert_uint_eq(refusal.suspect_count, 1);
        ck_assert(!refusal.is_dtype);
    }
}

UNIT_TEST(a_view_of_other_sizes)
{
    struct program program = {.value_count = 0};
    uint32_t self = add_tensor(&program, 2, (const int64_t[]){2, 8});
    uint32_t first = add_int(&program, 3);
    (void)add_int(&program, 5);
    (void)add_int(&program, 2);
    uint32_t size = add_list(&program, first, 3);
    add_operand(&program, "self", self);
    add_operand(&program, "size", size);
    htp_refusal refusal;
    htp_refusal_read(arena, raise(&program, "aten::view", 1), plan_one(arena), &refusal);
    ck_assert(has_fact(&refusal, 16, 30, false));
    ck_assert(has_fact(&refusal, 2, 3, false));
    ck_assert(has_fact(&refusal, 8, 5, false));
}

UNIT_TEST(a_dim_that_is_not_there)
{
    struct program program = {.value_count = 0};
    uint32_t self = add_tensor(&program, 2, (const int64_t[]){2, 8});
    add_operand(&program, "self", self);
    add_operand(&program, "dim", add_int(&program, 3));
    htp_refusal refusal;
    htp_refusal_read(arena, raise(&program, "aten::size.int", 1), plan_one(arena), &refusal);
    ck_assert(has_fact(&refusal, 2, 4, true));
}

UNIT_TEST(nothing_is_known)
{
    htp_refusal refusal;
    htp_refusal_read(arena, NULL, plan_one(arena), &refusal);
    ck_assert_uint_eq(refusal.fact_count, 0);
    ck_assert_uint_eq(refusal.suspect_count, 0);
    ck_assert_str_eq(refusal.kind, "");
}

/* ---- the search ---- */

/* forward()'s computation on its inputs' sizes, and the required result. */
struct forward {
    struct program program;
    int64_t (*have)(const htp_input *inputs);
    int64_t want;
    uint32_t count;
};

/* Adds a tensor of have() to a weight of want. */
static htp_trial add_weight(void *user, const htp_inputs *inputs, const htp_trace **trace)
{
    struct forward *forward = user;
    struct program *program = &forward->program;
    *program = (struct program){.value_count = 0};
    forward->count++;
    for (uint32_t i = 0; i < inputs->count; i++) {
        program->inputs[i] = add_tensor(program, 0, (const int64_t[]){0});
    }
    ck_assert(forward->have != NULL);
    int64_t have = forward->have(inputs->items);
    uint32_t made = add_tensor(program, 1, &have);
    program->nodes[1].inputs = program->inputs;
    program->nodes[1].input_count = inputs->count;
    program->values[made].producer = 1;
    add_operand(program, "self", made);
    add_operand(program, "other", add_tensor(program, 1, &forward->want));
    *trace = raise(program, "aten::add.Tensor", inputs->count);
    program->trace.node_count = 2; /* the last one raised */
    htp_trace_node producer = program->nodes[1];
    program->nodes[1] = program->nodes[0];
    program->nodes[0] = producer;
    program->values[made].producer = 0;
    return have == forward->want ? HTP_TRIAL_TAKEN : HTP_TRIAL_REFUSED;
}

static int64_t count_patches(const htp_input *inputs)
{
    int64_t rows = inputs[0].dims[0][2] / 14;
    int64_t columns = inputs[0].dims[0][3] / 14;
    return rows * columns + 1;
}

static int64_t count_frames(const htp_input *inputs)
{
    return (inputs[0].dims[0][2] - 1) / 2 + 1;
}

static int64_t last_dim(const htp_input *inputs)
{
    return inputs[0].dims[0][1] + 1000;
}

UNIT_TEST(sizes_are_solved_for)
{
    static const struct {
        htp_hint hint;
        int64_t (*have)(const htp_input *inputs);
        int64_t want;
    } cases[] = {
        {{0, "aten::conv2d", "input", 4, {8, 3, 14, 14}}, count_patches, 257},
        {{0, "aten::conv2d", "input", 4, {8, 3, 14, 14}}, count_patches, 2},
        {{0, "aten::conv1d", "input", 3, {8, 80, 3}}, count_frames, 1500},
        {{0, "aten::conv1d", "input", 3, {8, 80, 3}}, count_frames, 20},
        {{0, "aten::relu", "self", 0, {0}}, last_dim, 1077},
    };
    const htp_argument arguments[] = {argument_tensor("x")};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct forward forward = {.have = cases[i].have, .want = cases[i].want};
        htp_inputs inputs;
        htp_input_derivation result;
        expect_ok(htp_inputs_derive(arena, &cases[i].hint, 1, arguments, 1, add_weight, &forward,
                                    &inputs, &result));
        ck_assert_msg(result.are_taken, "case %zu: %s", i, describe(arena, &inputs));
        ck_assert_int_eq(cases[i].have(inputs.items), cases[i].want);
        ck_assert_uint_le(forward.count, 30);
    }
}

UNIT_MAIN("inputs_derive", one_use_decides, a_mask_follows_its_ids, the_most_telling_use_counts,
          what_has_a_default_stays_out, uses_of_what_is_made_of_an_argument, a_flag_is_false,
          nested_arguments, what_is_no_tensor_cannot_be_derived, attempts_are_bounded,
          operands_that_do_not_fit, a_view_of_other_sizes, a_dim_that_is_not_there,
          nothing_is_known, sizes_are_solved_for)
