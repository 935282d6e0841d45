/*
 * Several runs of one interpreter, and runs that end early: whatever fails, the next run equals the
 * first.
 */
#include "effects_fixture.h"

/* ---- programs -------------------------------------------------------------------------------- */

/* It adds to a state. */
static const char *adding(htp_arena *arena)
{
    return effects_program(arena, "class Net h=tensor[1,3]\n",
                           "%h = prim::GetAttr<h>(%self)\n"
                           "%s = aten::add.Tensor(%h, %x, %1)\n"
                           "prim::SetAttr<h>(%self, %s)\n"
                           "-> %s\n");
}

#define ADDED                                                                                      \
    "%1[?,3] = aten::add.Tensor(Net.h, x, 1)\n"                                                    \
    "=> %1\n"                                                                                      \
    "state h: Net.h to %1"
#define ADDED_AGAIN                                                                                \
    "%1[?,3] = aten::add.Tensor(h, x, 1)\n"                                                        \
    "=> %1\n"                                                                                      \
    "state h: h to %1"

/* A bit of everything. */
static const char *of_all_kinds(htp_arena *arena)
{
    return effects_program(arena, "class Net h=tensor[1,3] l=list[tensor[2]] n=1 c=tensor[]\n",
                           "%c = prim::GetAttr<c>(%self)\n"
                           "%u = aten::add_.Scalar(%c, %1, %1)\n"
                           "%k = prim::Constant<tensor[2]>()\n"
                           "%s = aten::sum(%x, %none)\n"
                           "%b:bool = aten::Bool.Tensor(%s)\n"
                           "%i:int = aten::Int.Tensor(%s)\n"
                           "%l:list = prim::GetAttr<l>(%self)\n"
                           "%p:list = prim::ListConstruct()\n"
                           "prim::If(%b)\n"
                           "{ %h = prim::GetAttr<h>(%self)\n %z = aten::relu_(%h)\n -> }\n"
                           "{ %w = aten::_set_item(%l, %0, %k)\n -> }\n"
                           "prim::Loop(%i, %true)\n"
                           "{ (%j:int)\n %v = aten::select.int(%x, %1, %0)\n"
                           "  %z = aten::relu_(%v)\n"
                           "  %g = aten::neg(%z)\n %q:list = aten::append(%p, %g)\n -> %true }\n"
                           "%m = aten::gt.Scalar(%x, %0)\n"
                           "%a = aten::masked_select(%x, %m)\n"
                           "%e = aten::slice.Tensor(%a, %0, %i, %none, %1)\n"
                           "%f:int = aten::numel(%e)\n"
                           "prim::SetAttr<n>(%self, %f)\n"
                           "%t = aten::stack(%p, %0)\n"
                           "-> %t %x\n");
}

/* ---- one after the other --------------------------------------------------------------------- */

UNIT_TEST(a_run_gives_the_same_again)
{
    interpretation *i = interpret_open_program(arena, of_all_kinds(arena));
    effects_call(i, "[?,3]", "");
    const char *first = effects_text(i);
    ck_assert_int_eq(i->code, HTP_CODE_OK);
    effects_call(i, "[?,3]", "");
    ck_assert_str_eq(effects_text(i), first);
    htp_interpreter_close(i->interpreter);
}

UNIT_TEST(runs_may_be_given_other_sizes)
{
    interpretation *i = interpret_open_program(arena, adding(arena));
    effects_call(i, "[2,3]", "");
    ck_assert_str_eq(effects_text(i), "%1[2,3] = aten::add.Tensor(Net.h, x, 1)\n"
                                      "=> %1\n"
                                      "state h: Net.h to %1");
    effects_call(i, "[?,3]", "");
    ck_assert_str_eq(effects_text(i), ADDED);
    htp_interpreter_close(i->interpreter);
}

UNIT_TEST(a_first_call_after_others_finds_the_archive)
{
    interpretation *i = interpret_open_program(arena, adding(arena));
    effects_call(i, "[?,3]", "");
    effects_call(i, "[?,3]", "h=in");
    ck_assert_str_eq(effects_text(i), ADDED_AGAIN);
    effects_call(i, "[?,3]", "");
    ck_assert_str_eq(effects_text(i), ADDED);
    htp_interpreter_close(i->interpreter);
}

UNIT_TEST(the_trace_of_a_first_call_stays)
{
    interpretation *i = interpret_open_program(arena, adding(arena));
    effects_call(i, "[?,3]", "");
    interpretation first = *i;
    for (int call = 0; call < 3; call++) {
        effects_call(i, "[?,3]", "h=in");
    }
    ck_assert_str_eq(effects_text(&first), ADDED);
    ck_assert_str_eq(effects_text(i), ADDED_AGAIN);
    htp_interpreter_close(i->interpreter);
}

UNIT_TEST(what_the_archive_has_is_told_beside_what_was_found)
{
    interpretation *i = interpret_open_program(arena, adding(arena));
    effects_call(i, "[?,3]", "");
    effects_call(i, "[?,3]", "h=in");
    const htp_trace_state *state = &i->trace->states[0];
    ck_assert_uint_eq(i->trace->values[state->before].weight, HTP_NONE);
    ck_assert_uint_ne(i->trace->values[state->loaded].weight, HTP_NONE);
    ck_assert_uint_eq(state->module, 0);
    htp_interpreter_close(i->interpreter);
}

UNIT_TEST(nodes_and_calls_stand_for_those_of_the_program)
{
    const char *program = "class Net n=1\n"
                          "def Net.forward(%self:Net, %x)\n"
                          "  %y = aten::neg(%x)\n"
                          "  %z = prim::CallFunction<twice>(%self, %y)\n"
                          "  -> %z\n"
                          "def twice(%x)\n"
                          "  %y = aten::relu(%x)\n"
                          "  -> %y\n";
    interpretation *i = interpret_open_program(arena, program);
    effects_call(i, "[2]", "");
    const htp_trace_stand *calls = NULL;
    const htp_trace_stand *nodes = NULL;
    uint32_t call_count = 0;
    uint32_t node_count = 0;
    htp_interpreter_stands(i->interpreter, &calls, &call_count, &nodes, &node_count);
    ck_assert_uint_eq(call_count, 1);
    ck_assert_uint_eq(node_count, 2);
    ck_assert_uint_eq(calls[0].function, 0);
    ck_assert_uint_eq(calls[0].node, 1);
    ck_assert_uint_eq(nodes[1].function, 1);
    ck_assert_uint_eq(nodes[1].node, 0);
    ck_assert_uint_eq(nodes[1].call, 1);
    htp_interpreter_close(i->interpreter);
}

UNIT_TEST(nothing_stands_for_anything_before_the_first_run)
{
    interpretation *i = interpret_open_program(arena, adding(arena));
    const htp_trace_stand *stands = NULL;
    uint32_t call_count = 1;
    uint32_t node_count = 1;
    htp_interpreter_stands(i->interpreter, &stands, &call_count, &stands, &node_count);
    ck_assert_uint_eq(call_count, 0);
    ck_assert_uint_eq(node_count, 0);
    htp_interpreter_close(i->interpreter);
    htp_interpreter_close(NULL);
}

/* ---- refusals ------------------------------------------------------------------------- */

UNIT_TEST(nothing_is_carried_into_a_first_call)
{
    interpretation *i = interpret_open_program(arena, adding(arena));
    effects_call(i, "[?,3]", "h=in");
    ck_assert_int_eq(i->code, HTP_CODE_INTERNAL);
    ck_assert_ptr_null(i->trace);
    ck_assert_str_eq(i->message, "a state is carried that the last trace did not have");
    htp_interpreter_close(i->interpreter);
}

UNIT_TEST(a_state_of_another_name_leaves_the_last_call)
{
    interpretation *i = interpret_open_program(arena, adding(arena));
    effects_call(i, "[?,3]", "");
    effects_call(i, "[?,3]", "g=in");
    ck_assert_int_eq(i->code, HTP_CODE_INTERNAL);
    effects_call(i, "[?,3]", "h=in");
    ck_assert_str_eq(effects_text(i), ADDED_AGAIN);
    htp_interpreter_close(i->interpreter);
}

UNIT_TEST(calls_that_follow_one_another_have_as_many_lanes)
{
    interpretation *i = interpret_open_program(arena, adding(arena));
    const htp_trace_carry part = {.is_input = true};
    const htp_trace_carried carried = {"h", &part, 1};
    effects_call(i, "[?,3]", "");
    interpret_run_carried(i, "[?,3]", 2, &carried, 1);
    ck_assert_int_eq(i->code, HTP_CODE_INTERNAL);
    ck_assert_str_eq(i->message, "a state is carried that the last trace did not have");
    htp_interpreter_close(i->interpreter);
}

UNIT_TEST(there_are_one_to_four_lanes)
{
    interpretation *i = interpret_open_program(arena, adding(arena));
    interpret_run_carried(i, "[?,3]", 0, NULL, 0);
    ck_assert_str_eq(i->message, "a trace has 1 to 4 lanes");
    interpret_run_carried(i, "[?,3]", 5, NULL, 0);
    ck_assert_int_eq(i->code, HTP_CODE_INTERNAL);
    ck_assert_str_eq(i->message, "a trace has 1 to 4 lanes");
    htp_interpreter_close(i->interpreter);
}

UNIT_TEST(what_ran_before_inputs_were_refused_is_told)
{
    interpretation *i =
        interpret_open_program(arena, effects_program(arena, "class Net h=tensor[4,3]\n",
                                                      "%y = aten::neg(%x)\n"
                                                      "prim::SetAttr<h>(%self, %y)\n"
                                                      "%k = prim::Constant<tensor[4,3]>()\n"
                                                      "%z = aten::add.Tensor(%y, %k, %1)\n"
                                                      "-> %z\n"));
    effects_call(i, "[?,3]", "");
    ck_assert_int_eq(i->code, HTP_CODE_USAGE);
    ck_assert_ptr_nonnull(i->trace);
    ck_assert_uint_eq(i->trace->node_count, 2);
    ck_assert_ptr_null(i->trace->nodes[0].failure);
    ck_assert_str_eq(
        i->trace->nodes[1].failure,
        "The size of tensor a (10) must match the size of tensor b (4) at dimension 0");
    ck_assert_uint_eq(i->trace->output_count, 0);
    ck_assert_uint_eq(i->trace->state_count, 0);
    htp_interpreter_close(i->interpreter);
}

UNIT_TEST(nothing_is_carried_behind_a_call_that_was_refused)
{
    interpretation *i = interpret_open_program(arena, adding(arena));
    effects_call(i, "[?,3]", "");
    effects_call(i, "[?,4]", "");
    ck_assert_int_eq(i->code, HTP_CODE_USAGE);
    effects_call(i, "[?,3]", "h=in");
    ck_assert_str_eq(effects_text(i), "a state is carried that the last trace did not have");
    effects_call(i, "[?,3]", "");
    ck_assert_str_eq(effects_text(i), ADDED);
    htp_interpreter_close(i->interpreter);
}

UNIT_TEST(a_later_call_may_refuse_its_inputs)
{
    interpretation *i = interpret_open_program(arena, adding(arena));
    effects_call(i, "[?,3]", "");
    interpretation first = *i;
    effects_call(i, "[?,4]", "h=in");
    ck_assert_int_eq(i->code, HTP_CODE_USAGE);
    ck_assert_uint_eq(i->trace->node_count, 1);
    ck_assert_str_eq(effects_text(&first), ADDED);
    effects_call(i, "[?,3]", "h=in");
    ck_assert_str_eq(effects_text(i), "a state is carried that the last trace did not have");
    effects_call(i, "[?,3]", "");
    ck_assert_str_eq(effects_text(i), ADDED);
    htp_interpreter_close(i->interpreter);
}

UNIT_TEST(what_cannot_be_followed_leaves_no_trace)
{
    interpretation *i = interpret_open_program(
        arena,
        effects_program(arena, "class Net b=Net\n",
                        "prim::SetAttr<b>(%self, %self)\n%y = aten::none_such(%x)\n-> %y\n"));
    effects_call(i, "[?,3]", "");
    ck_assert_int_eq(i->code, HTP_CODE_UNSUPPORTED);
    ck_assert_ptr_null(i->trace);
    htp_interpreter_close(i->interpreter);
}

UNIT_TEST(one_lane_asks_for_more_of_them)
{
    interpretation *i = interpret_open_program(arena, of_all_kinds(arena));
    interpret_run_carried(i, "[4,3]", 1, NULL, 0);
    ck_assert(i->needs_lanes);
    ck_assert_ptr_null(i->trace);
    effects_call(i, "[?,3]", "");
    ck_assert_int_eq(i->code, HTP_CODE_OK);
    htp_interpreter_close(i->interpreter);
}

/* ---- stopping -------------------------------------------------------------------------------- */

static bool stop(void *user, uint64_t done, uint64_t total)
{
    uint64_t *calls = user;
    (void)done;
    (void)total;
    return --*calls > 0;
}

UNIT_TEST(a_run_is_stopped_by_its_caller)
{
    interpretation *i = interpret_open_program(
        arena, effects_program(arena, "class Net n=1\n",
                               "%h:int = prim::Constant<200>()\n"
                               "%r = prim::Loop(%h, %true, %x)\n"
                               "{ (%i:int, %a)\n %b = aten::relu(%a)\n -> %true %b }\n"
                               "-> %r\n"));
    htp_input input[1];
    uint64_t calls = 2;
    ck_assert_uint_eq(interpret_inputs("[?,3]", input), 1);
    const htp_trace_request request = {
        .inputs = input, .input_count = 1, .lane_count = 4, .tick = stop, .user = &calls};
    interpret_run(i, &request);
    ck_assert_int_eq(i->code, HTP_CODE_INTERNAL);
    ck_assert_uint_eq(calls, 0);
    ck_assert_ptr_null(i->trace);
    htp_interpreter_close(i->interpreter);
}

/* ---- runs that fail -------------------------------------------------------------------------- */

/* Every run of an operator ends with each code in turn: there is a message, and the next call is
 * unaffected. */
static void fail_everywhere(htp_arena *arena, const char *program, htp_run_code code)
{
    interpretation *i = interpret_open_program(arena, program);
    effects_call(i, "[?,3]", "");
    const char *whole = effects_text(i);
    ck_assert_msg(i->code == HTP_CODE_OK, "%s", whole);
    uint32_t runs = i->runner->runs;
    i->runner->fails_with = code;
    for (uint32_t at = 1; at <= runs; at++) {
        i->runner->runs = 0;
        i->runner->fails_at = at;
        effects_call(i, "[?,3]", "");
        ck_assert(i->code == HTP_CODE_OK || i->message[0] != '\0');
        ck_assert(i->code == HTP_CODE_OK || i->code == HTP_CODE_USAGE || !i->trace);
        i->runner->fails_at = 0;
        effects_call(i, "[?,3]", "");
        ck_assert_str_eq(effects_text(i), whole);
    }
    htp_interpreter_close(i->interpreter);
}

UNIT_TEST(an_operator_may_raise_anywhere)
{
    fail_everywhere(arena, of_all_kinds(arena), HTP_RUN_RAISED);
}

UNIT_TEST(a_kernel_may_be_missing_anywhere)
{
    fail_everywhere(arena, of_all_kinds(arena), HTP_RUN_NO_KERNEL);
}

UNIT_TEST(an_output_may_be_unsupported_anywhere)
{
    fail_everywhere(arena, of_all_kinds(arena), HTP_RUN_UNSUPPORTED);
}

UNIT_TEST(an_operator_may_ask_for_too_much_anywhere)
{
    fail_everywhere(arena, of_all_kinds(arena), HTP_RUN_TOO_LARGE);
}

UNIT_TEST(memory_may_run_out_in_any_operator)
{
    interpretation *i = interpret_open_program(arena, of_all_kinds(arena));
    effects_call(i, "[?,3]", "");
    uint32_t runs = i->runner->runs;
    i->runner->fails_with = HTP_RUN_NO_MEMORY;
    for (uint32_t at = 1; at <= runs; at++) {
        i->runner->runs = 0;
        i->runner->fails_at = at;
        effects_call(i, "[?,3]", "");
        ck_assert_int_eq(i->code, HTP_CODE_INTERNAL);
        ck_assert_str_eq(i->message, "out of memory");
        ck_assert_ptr_null(i->trace);
    }
    htp_interpreter_close(i->interpreter);
}

UNIT_TEST(memory_may_run_out_for_any_tensor)
{
    interpretation *i = interpret_open_program(arena, of_all_kinds(arena));
    effects_call(i, "[?,3]", "");
    uint32_t makes = i->runner->makes;
    ck_assert_uint_gt(makes, 0);
    for (uint32_t at = 1; at <= makes; at++) {
        i->runner->makes = 0;
        i->runner->ends_at = at;
        effects_call(i, "[?,3]", "");
        ck_assert_int_eq(i->code, HTP_CODE_INTERNAL);
        ck_assert_str_eq(i->message, "out of memory");
        ck_assert_ptr_null(i->trace);
    }
    htp_interpreter_close(i->interpreter);
}

/* A later call ends the chain: its initial state is dropped. */
UNIT_TEST(a_later_call_may_fail_anywhere)
{
    interpretation *i = interpret_open_program(arena, adding(arena));
    effects_call(i, "[?,3]", "");
    i->runner->runs = 0;
    effects_call(i, "[?,3]", "h=in");
    uint32_t runs = i->runner->runs;
    i->runner->fails_with = HTP_RUN_NO_MEMORY;
    for (uint32_t at = 1; at <= runs; at++) {
        i->runner->fails_at = 0;
        effects_call(i, "[?,3]", "");
        i->runner->runs = 0;
        i->runner->fails_at = at;
        effects_call(i, "[?,3]", "h=in");
        ck_assert_str_eq(effects_text(i), "out of memory");
        effects_call(i, "[?,3]", "h=in");
        ck_assert_str_eq(effects_text(i), "a state is carried that the last trace did not have");
    }
    htp_interpreter_close(i->interpreter);
}

/* A constant that claims to be larger than any memory. */
UNIT_TEST(memory_that_cannot_be_had_ends_a_run)
{
    interpretation *i = interpret_open_program(
        arena, effects_program(arena, "class Net t=\"now\"\n",
                               "%y = aten::neg(%x)\n%t:str = prim::GetAttr<t>(%self)\n-> %y %t\n"));
    htp_program_data *text = &i->runner->program->data.items[0];
    uint64_t bytes = text->bytes;
    for (int run = 0; run < 3; run++) {
        text->bytes = INT64_MAX;
        effects_call(i, "[?,3]", "");
        ck_assert_int_eq(i->code, HTP_CODE_INTERNAL);
        ck_assert_str_eq(i->message, "out of memory");
        ck_assert_ptr_null(i->trace);
        text->bytes = bytes;
        effects_call(i, "[?,3]", "");
        ck_assert_str_eq(effects_text(i), "%1[?,3] = aten::neg(x)\n=> %1, \"now\"");
    }
    htp_interpreter_close(i->interpreter);
}

UNIT_MAIN("interpret: runs", a_run_gives_the_same_again, runs_may_be_given_other_sizes,
          a_first_call_after_others_finds_the_archive, the_trace_of_a_first_call_stays,
          what_the_archive_has_is_told_beside_what_was_found,
          nodes_and_calls_stand_for_those_of_the_program,
          nothing_stands_for_anything_before_the_first_run, nothing_is_carried_into_a_first_call,
          a_state_of_another_name_leaves_the_last_call,
          calls_that_follow_one_another_have_as_many_lanes, there_are_one_to_four_lanes,
          what_ran_before_inputs_were_refused_is_told,
          nothing_is_carried_behind_a_call_that_was_refused, a_later_call_may_refuse_its_inputs,
          what_cannot_be_followed_leaves_no_trace, one_lane_asks_for_more_of_them,
          a_run_is_stopped_by_its_caller, an_operator_may_raise_anywhere,
          a_kernel_may_be_missing_anywhere, an_output_may_be_unsupported_anywhere,
          an_operator_may_ask_for_too_much_anywhere, memory_may_run_out_in_any_operator,
          memory_may_run_out_for_any_tensor, a_later_call_may_fail_anywhere,
          memory_that_cannot_be_had_ends_a_run)
