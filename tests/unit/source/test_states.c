/*
 * Consecutive calls of a model that only has state.
 */
#include "source/tracing/states.h"
#include "unit.h"

#include <string.h>

enum { STATES = 3, LANES = 2 };

/* A program with up to three states: 1-d tensors or numbers. Each call finds the state that the
 * last one left, unless a size or number is planned to be free, and changes it. */
typedef struct fake {
    uint32_t count;
    bool are_numbers;
    bool alternates; /* a tensor has another rank after each call */
    bool returns_nothing;
    bool fails; /* its final value is unknown */
    int64_t begins[STATES];
    int64_t grows[STATES]; /* by this much in each call */
    int64_t most[STATES];  /* up to this */
    unsigned traces;
    uint32_t open[STATES]; /* in the last call: numbers of open sizes, or 1 for a number */
    int64_t left[STATES][LANES];
    int64_t dims[2 * STATES][LANES][1];
    htp_trace_value values[2 * STATES];
    htp_trace_state states[STATES];
    uint32_t node_inputs[STATES];
    htp_trace_node node; /* reads all of them */
    htp_trace_block block;
    htp_trace trace;
} fake;

static const char *const names[STATES] = {"a", "b", "c"};

static void set_value(fake *model, uint32_t id, const int64_t *sizes, bool is_constant)
{
    htp_trace_value *value = &model->values[id];
    *value = (htp_trace_value){.kind = model->are_numbers ? HTP_TRACE_INT : HTP_TRACE_TENSOR,
                               .producer = HTP_NONE,
                               .dtype = HTP_DTYPE_FLOAT32,
                               .rank = 1,
                               .weight = HTP_NONE,
                               .has_lanes = true,
                               .is_constant = is_constant};
    for (uint32_t lane = 0; lane < LANES; lane++) {
        model->dims[id][lane][0] = sizes[lane];
        value->dims[lane] = model->dims[id][lane];
        value->i[lane] = sizes[lane];
    }
}

/* The initial and final value of a state in a call. */
static void run_state(fake *model, uint32_t index, const htp_trace_carry *carry)
{
    int64_t before[LANES];
    int64_t after[LANES];
    bool is_any = carry && (model->are_numbers ? carry->is_input : carry->open_dims[0] != 0);
    model->open[index] = !is_any ? 0 : model->are_numbers ? 1 : carry->open_dims[0];
    for (uint32_t lane = 0; lane < LANES; lane++) {
        before[lane] = !carry   ? model->begins[index]
                       : is_any ? 1000 * (int64_t)(model->open[index] + lane)
                                : model->left[index][lane];
        int64_t most = model->most[index];
        after[lane] = before[lane] + model->grows[index];
        after[lane] = after[lane] > most && before[lane] <= most ? most : after[lane];
        model->left[index][lane] = after[lane];
    }
    set_value(model, index, before, !is_any);
    set_value(model, STATES + index, after, !is_any);
    if (model->alternates) {
        model->values[STATES + index].rank = model->traces % 2;
        model->values[index].rank = 1 - model->traces % 2;
    }
    if (model->fails) {
        model->values[STATES + index].kind = HTP_TRACE_UNKNOWN;
    }
    model->states[index] = (htp_trace_state){
        .name = names[index], .loaded = index, .before = index, .after = STATES + index};
    model->node_inputs[index] = index;
}

static htp_status call(htp_source *source, const htp_trace_request *request,
                       htp_trace_result *result)
{
    fake *model = source->self;
    ck_assert_uint_eq(request->lane_count, LANES);
    ck_assert_uint_eq(request->carried_count, model->traces == 0 ? 0 : model->count);
    for (uint32_t i = 0; i < model->count && i < STATES; i++) {
        const htp_trace_carry *carry = request->carried_count ? request->carried[i].parts : NULL;
        ck_assert(!carry || strcmp(request->carried[i].name, names[i]) == 0);
        run_state(model, i, carry);
    }
    model->traces++;
    model->node = (htp_trace_node){
        .kind = "aten::sum", .inputs = model->node_inputs, .input_count = model->count};
    model->trace = (htp_trace){.values = model->values,
                               .value_count = 2 * STATES,
                               .nodes = &model->node,
                               .node_count = 1,
                               .blocks = &model->block,
                               .block_count = 1,
                               .outputs = model->node_inputs,
                               .output_count = model->count > 0 && !model->returns_nothing,
                               .states = model->states,
                               .state_count = model->count};
    *result = (htp_trace_result){.trace = &model->trace};
    return HTP_OK;
}

static htp_status settle(htp_arena *arena, fake *model, htp_states *states)
{
    static const htp_reader reader = {.name = "fake", .trace = call};
    htp_source source = {.reader = &reader, .self = model};
    const htp_tracer tracer = {.arena = arena, .source = &source};
    htp_trace_result last;
    return htp_states_settle(&tracer, LANES, states, &last);
}

static fake model_of(uint32_t count, bool are_numbers)
{
    fake model = {.count = count, .are_numbers = are_numbers};
    for (uint32_t i = 0; i < STATES; i++) {
        model.begins[i] = 1;
        model.most[i] = INT32_MAX;
    }
    return model;
}

UNIT_TEST(a_model_without_state_is_called_once)
{
    fake model = model_of(0, false);
    htp_states states;
    expect_ok(settle(arena, &model, &states));
    ck_assert_uint_eq(model.traces, 1);
    ck_assert_uint_eq(states.parts.count, 0);
}

UNIT_TEST(a_tensor_that_keeps_its_size_takes_two_calls)
{
    fake model = model_of(1, false);
    htp_states states;
    expect_ok(settle(arena, &model, &states));
    ck_assert_uint_eq(model.traces, 2);
    ck_assert_uint_eq(states.parts.count, 1);
    ck_assert_str_eq(states.parts.items[0].name, "a");
    ck_assert_uint_eq(states.parts.items[0].open_dims[0], 0);
}

UNIT_TEST(sizes_that_grow_alike_are_one)
{
    fake model = model_of(3, false);
    model.grows[0] = model.grows[1] = 2;
    model.grows[2] = 3;
    htp_states states;
    expect_ok(settle(arena, &model, &states));
    ck_assert_uint_eq(states.parts.count, 3);
    ck_assert_uint_ne(model.open[0], 0);
    ck_assert_uint_eq(model.open[0], model.open[1]);
    ck_assert_uint_ne(model.open[0], model.open[2]);
    ck_assert_uint_eq(states.parts.items[2].open_dims[0], model.open[2]);
}

UNIT_TEST(sizes_that_part_later_are_two)
{
    fake model = model_of(2, false);
    model.grows[0] = model.grows[1] = 2;
    model.most[1] = 3; /* the second call keeps it; any larger size grows */
    htp_states states;
    expect_ok(settle(arena, &model, &states));
    ck_assert_uint_ne(model.open[0], 0);
    ck_assert_uint_ne(model.open[0], model.open[1]);
}

UNIT_TEST(a_counter_becomes_an_input)
{
    fake model = model_of(2, true);
    model.grows[0] = 1;
    model.grows[1] = 1;
    model.most[1] = 2; /* only set once */
    htp_states states;
    expect_ok(settle(arena, &model, &states));
    ck_assert_uint_eq(model.open[0], 1);
    ck_assert_uint_eq(model.open[1], 0);
    ck_assert(states.has_known);
    ck_assert_uint_eq(states.parts.count, 1);
    ck_assert_str_eq(states.parts.items[0].name, "a");
}

UNIT_TEST(a_method_that_returns_nothing_gives_all_that_it_leaves)
{
    fake model = model_of(2, true);
    model.grows[0] = 1;
    model.most[0] = 2;
    model.returns_nothing = true;
    htp_states states;
    expect_ok(settle(arena, &model, &states));
    ck_assert_uint_eq(states.parts.count, 2);
}

UNIT_TEST(what_never_settles_is_refused)
{
    fake model = model_of(1, false);
    model.alternates = true;
    htp_states states;
    expect_failure(settle(arena, &model, &states), HTP_CODE_UNSUPPORTED, "the attribute \"a\"");
    ck_assert_uint_le(model.traces, 10);
}

UNIT_TEST(what_nobody_knows_is_carried_no_further)
{
    fake model = model_of(1, false);
    model.fails = true;
    htp_states states;
    expect_ok(settle(arena, &model, &states));
    ck_assert_uint_eq(model.traces, 1);
    ck_assert(states.is_unknown);
}

UNIT_MAIN("states", a_model_without_state_is_called_once,
          a_tensor_that_keeps_its_size_takes_two_calls, sizes_that_grow_alike_are_one,
          sizes_that_part_later_are_two, a_counter_becomes_an_input,
          a_method_that_returns_nothing_gives_all_that_it_leaves, what_never_settles_is_refused,
          what_nobody_knows_is_carried_no_further)
