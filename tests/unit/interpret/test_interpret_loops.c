/*
 * Loops: unrolled if the number of iterations is known, otherwise recorded with their body.
 */
#include "named_trace.h"

/* ---- loops without an end ---- */

/* Continues a hundred times. */
static bool tick(void *user, uint64_t done, uint64_t total)
{
    uint32_t *count = user;
    (void)total;
    ck_assert_uint_gt(done, 0);
    return ++*count < 100;
}

UNIT_TEST(a_loop_without_an_end_is_stopped_by_the_caller)
{
    interpretation *i = named_open(arena, "class Net n=1\n",
                                   "%r = prim::Loop(%many, %true, %x) { (%i:int, %z)\n"
                                   "  %u = aten::relu(%z) -> %true, %u }\n"
                                   "-> %r\n");
    htp_input given[8];
    uint32_t count = interpret_inputs(NAMED_INPUTS, given);
    uint32_t ticks = 0;
    const htp_trace_request request = {.inputs = given,
                                       .input_count = count,
                                       .lane_count = HTP_MAX_LANES,
                                       .tick = tick,
                                       .user = &ticks};
    interpret_run(i, &request);
    ck_assert_int_eq(i->code, HTP_CODE_INTERNAL);
    ck_assert_str_eq(i->message, "interrupted");
    ck_assert_uint_eq(ticks, 100);
    htp_interpreter_close(i->interpreter);
}

/* ---- lanes ---- */

static interpretation *open_loop(htp_arena *arena)
{
    return named_open(arena, "class Net n=1\n",
                      "%r = prim::Loop(%n, %true, %x) { (%i:int, %z)\n"
                      "  %u = aten::add.Scalar(%z, %i, %1) -> %true, %u }\n"
                      "-> %r\n");
}

UNIT_TEST(a_loop_on_the_data_asks_for_several_lanes)
{
    interpretation *i = open_loop(arena);
    interpret_run_carried(i, NAMED_INPUTS, 1, NULL, 0);
    ck_assert(i->needs_lanes);
    htp_interpreter_close(i->interpreter);
}

UNIT_TEST(a_loop_on_the_data_is_the_same_in_two_lanes)
{
    interpretation *i = open_loop(arena);
    interpret_run_carried(i, NAMED_INPUTS, 2, NULL, 0);
    const char *two = htp_arena_strdup(arena, named_text(i));
    interpret_run_carried(i, NAMED_INPUTS, HTP_MAX_LANES, NULL, 0);
    ck_assert_str_eq(named_text(i), two);
    htp_interpreter_close(i->interpreter);
}

/* ---- traces ---- */

UNIT_TEST(a_counted_loop_is_unrolled)
{
    gives(arena,
          "%r = prim::Loop(%3, %true, %x) { (%i:int, %z)\n"
          "  %u = aten::add.Scalar(%z, %i, %1)\n"
          "  -> %true, %u }\n"
          "-> %r\n",
          "%1[?,3] = aten::add.Scalar(x, 0, 1)\n"
          "%2[?,3] = aten::add.Scalar(%1, 1, 1)\n"
          "%3[?,3] = aten::add.Scalar(%2, 2, 1)\n"
          "=> %3");
}

UNIT_TEST(a_loop_that_runs_no_time_gives_what_it_is_given)
{
    gives(arena,
          "%r = prim::Loop(%0, %true, %x) { (%i:int, %z) %u = aten::relu(%z) -> %true, %u }\n"
          "-> %r\n",
          "=> x");
}

UNIT_TEST(a_loop_that_does_not_begin_gives_what_it_is_given)
{
    gives(arena,
          "%r = prim::Loop(%3, %false, %x) { (%i:int, %z) %u = aten::relu(%z) -> %true, %u }\n"
          "-> %r\n",
          "=> x");
}

UNIT_TEST(a_loop_that_is_decided_at_each_end_is_unrolled)
{
    gives(arena,
          "%r = prim::Loop(%many, %true, %x) { (%i:int, %z)\n"
          "  %u = aten::relu(%z)\n"
          "  %b:bool = aten::lt.int(%i, %1)\n"
          "  -> %b, %u }\n"
          "-> %r\n",
          "%1[?,3] = aten::relu(x)\n"
          "True = aten::lt.int(0, 1)\n"
          "%2[?,3] = aten::relu(%1)\n"
          "False = aten::lt.int(1, 1)\n"
          "=> %2");
}

UNIT_TEST(a_loop_that_a_flag_of_its_own_ends_is_unrolled)
{
    gives(arena,
          "%r = prim::Loop(%3, %true, %x) { (%i:int, %z) %u = aten::relu(%z) -> %false, %u }\n"
          "-> %r\n",
          "%1[?,3] = aten::relu(x)\n"
          "=> %1");
}

UNIT_TEST(as_often_as_the_data_says_is_recorded)
{
    gives(arena,
          "%r = prim::Loop(%n, %true, %x) { (%i:int, %z) %u = aten::relu(%z) -> %true, %u }\n"
          "-> %r\n",
          "%1[?,3] = prim::Loop(n, True, x) { (%2 int, %3[?,3]) %4[?,3] = aten::relu(%3); "
          "-> True, %4 }\n"
          "=> %1");
}

UNIT_TEST(as_often_as_an_axis_is_long_is_recorded)
{
    gives(arena,
          "%k:int = aten::size.int(%x, %0)\n"
          "%r = prim::Loop(%k, %true, %x) { (%i:int, %z) %u = aten::relu(%z) -> %true, %u }\n"
          "-> %r\n",
          "%1 int = aten::size.int(x, 0)\n"
          "%2[?,3] = prim::Loop(%1, True, x) { (%3 int, %4[?,3]) %5[?,3] = aten::relu(%4); "
          "-> True, %5 }\n"
          "=> %2");
}

UNIT_TEST(as_often_as_a_fixed_axis_is_long_is_unrolled)
{
    gives(arena,
          "%k:int = aten::size.int(%x, %1)\n"
          "%r = prim::Loop(%k, %true, %x) { (%i:int, %z) %u = aten::relu(%z) -> %true, %u }\n"
          "-> %r\n",
          "3 = aten::size.int(x, 1)\n"
          "%1[?,3] = aten::relu(x)\n"
          "%2[?,3] = aten::relu(%1)\n"
          "%3[?,3] = aten::relu(%2)\n"
          "=> %3");
}

UNIT_TEST(while_the_data_says_is_recorded_without_a_limit)
{
    gives(arena,
          "%r = prim::Loop(%many, %c, %x) { (%i:int, %z)\n"
          "  %u = aten::relu(%z)\n"
          "  %s = aten::sum(%u, %none)\n"
          "  %b:bool = aten::Bool.Tensor(%s)\n"
          "  -> %b, %u }\n"
          "-> %r\n",
          "%1[?,3] = prim::Loop(None, c, x) { (%2 int, %3[?,3]) %4[?,3] = aten::relu(%3); "
          "%5[] = aten::sum(%4, None); %6 bool = aten::Bool.Tensor(%5); -> %6, %4 }\n"
          "=> %1");
}

UNIT_TEST(a_limit_and_a_condition_of_the_data_are_both_recorded)
{
    gives(arena,
          "%r = prim::Loop(%n, %c, %x) { (%i:int, %z) %u = aten::relu(%z) -> %d, %u }\n"
          "-> %r\n",
          "%1[?,3] = prim::Loop(n, c, x) { (%2 int, %3[?,3]) %4[?,3] = aten::relu(%3); -> d, %4 }\n"
          "=> %1");
}

UNIT_TEST(while_a_number_is_below_another_is_recorded)
{
    gives(arena,
          "%begin:bool = aten::lt.int(%0, %n)\n"
          "%k:int, %r = prim::Loop(%many, %begin, %0, %x) { (%i:int, %j:int, %z)\n"
          "  %u = aten::relu(%z)\n"
          "  %next:int = aten::add.int(%j, %1)\n"
          "  %b:bool = aten::lt.int(%next, %n)\n"
          "  -> %b, %next, %u }\n"
          "-> %r\n",
          "%1 bool = aten::lt.int(0, n)\n"
          "%2 int, %3[?,3] = prim::Loop(None, %1, 0, x) { (%4 int, %5 int, %6[?,3]) "
          "%7[?,3] = aten::relu(%6); %8 int = aten::add.int(%5, 1); "
          "%9 bool = aten::lt.int(%8, n); -> %9, %8, %7 }\n"
          "=> %3");
}

UNIT_TEST(the_first_of_counted_ones_that_the_data_may_end_is_apart)
{
    gives(arena,
          "%r = prim::Loop(%8, %true, %x) { (%i:int, %z)\n"
          "  %u = aten::add.Scalar(%z, %i, %1)\n"
          "  %s = aten::sum(%u, %none)\n"
          "  %b:bool = aten::Bool.Tensor(%s)\n"
          "  -> %b, %u }\n"
          "-> %r\n",
          "%1[?,3] = aten::add.Scalar(x, 0, 1)\n"
          "%2[] = aten::sum(%1, None)\n"
          "%3 bool = aten::Bool.Tensor(%2)\n"
          "%4[?,3] = prim::Loop(7, %3, %1) { (%5 int, %6[?,3]) %7 int = aten::add.int(%5, 1); "
          "%8[?,3] = aten::add.Scalar(%6, %7, 1); %9[] = aten::sum(%8, None); "
          "%10 bool = aten::Bool.Tensor(%9); -> %10, %8 }\n"
          "=> %4");
}

UNIT_TEST(the_number_of_an_iteration_is_its_input)
{
    gives(arena,
          "%r = prim::Loop(%n, %true, %x) { (%i:int, %z)\n"
          "  %u = aten::add.Scalar(%z, %i, %1)\n"
          "  -> %true, %u }\n"
          "-> %r\n",
          "%1[?,3] = prim::Loop(n, True, x) { (%2 int, %3[?,3]) "
          "%4[?,3] = aten::add.Scalar(%3, %2, 1); -> True, %4 }\n"
          "=> %1");
}

UNIT_TEST(numbers_are_carried)
{
    gives(arena,
          "%r:int = prim::Loop(%n, %true, %0) { (%i:int, %k:int)\n"
          "  %u:int = aten::add.int(%k, %i)\n"
          "  -> %true, %u }\n"
          "%z = aten::add.Scalar(%x, %r, %1)\n"
          "-> %z\n",
          "%1 int = prim::Loop(n, True, 0) { (%2 int, %3 int) %4 int = aten::add.int(%3, %2); "
          "-> True, %4 }\n"
          "%5[?,3] = aten::add.Scalar(x, %1, 1)\n"
          "=> %5");
}

UNIT_TEST(flags_are_carried)
{
    gives(arena,
          "%r:bool = prim::Loop(%n, %true, %true) { (%i:int, %k:bool)\n"
          "  %u:bool = aten::__not__(%k)\n"
          "  -> %true, %u }\n"
          "%z = prim::If(%r) { -> %x } { -> %y }\n"
          "-> %z\n",
          "%1 bool = prim::Loop(n, True, True) { (%2 int, %3 bool) %4 bool = aten::__not__(%3); "
          "-> True, %4 }\n"
          "%5[?,3] = prim::If(%1) { -> x } { -> y }\n"
          "=> %5");
}

UNIT_TEST(a_number_that_is_carried_is_a_size)
{
    gives(arena,
          "%k:int = prim::Loop(%n, %true, %1) { (%i:int, %j:int)\n"
          "  %u:int = aten::add.int(%j, %2)\n"
          "  -> %true, %u }\n"
          "%l:list = prim::ListConstruct(%k, %3)\n"
          "%z = aten::zeros(%l, %none, %none, %none, %none)\n"
          "-> %z\n",
          "%1 int = prim::Loop(n, True, 1) { (%2 int, %3 int) %4 int = aten::add.int(%3, 2); "
          "-> True, %4 }\n"
          "%5[?,3] = aten::zeros((%1, 3), None, None, None, None)\n"
          "=> %5");
}

UNIT_TEST(what_is_carried_twice_may_swap)
{
    gives(arena,
          "%r, %s = prim::Loop(%n, %true, %x, %y) { (%i:int, %a, %b) -> %true, %b, %a }\n"
          "-> %r, %s\n",
          "%1[?,3], %2[?,3] = prim::Loop(n, True, x, y) { (%3 int, %4[?,3], %5[?,3]) "
          "-> True, %5, %4 }\n"
          "=> %1, %2");
}

UNIT_TEST(what_a_body_does_not_change_is_carried)
{
    gives(arena,
          "%r = prim::Loop(%n, %true, %x) { (%i:int, %z) -> %true, %z }\n"
          "-> %r\n",
          "%1[?,3] = prim::Loop(n, True, x) { (%2 int, %3[?,3]) -> True, %3 }\n"
          "=> %1");
}

UNIT_TEST(what_a_body_reads_of_outside_is_no_input)
{
    gives(arena,
          "%v = aten::relu(%y)\n"
          "%r = prim::Loop(%n, %true, %x) { (%i:int, %z)\n"
          "  %u = aten::add.Tensor(%z, %v, %1)\n"
          "  -> %true, %u }\n"
          "-> %r\n",
          "%1[?,3] = aten::relu(y)\n"
          "%2[?,3] = prim::Loop(n, True, x) { (%3 int, %4[?,3]) "
          "%5[?,3] = aten::add.Tensor(%4, %1, 1); -> True, %5 }\n"
          "=> %2");
}

UNIT_TEST(None_and_text_are_carried_as_they_are)
{
    gives(arena,
          "%r, %s, %t:str = prim::Loop(%n, %true, %x, %none, %text) { (%i:int, %a, %b, %e:str)\n"
          "  %u = aten::relu(%a)\n"
          "  -> %true, %u, %b, %e }\n"
          "%b2:bool = aten::__is__(%s, %none)\n"
          "%z = prim::If(%b2) { -> %r } { -> %y }\n"
          "-> %z\n",
          "%1[?,3] = prim::Loop(n, True, x) { (%2 int, %3[?,3]) %4[?,3] = aten::relu(%3); "
          "-> True, %4 }\n"
          "=> %1");
}

UNIT_TEST(tuples_are_carried_by_their_parts)
{
    gives(arena,
          "%t:tuple = prim::TupleConstruct(%x, %0)\n"
          "%r:tuple = prim::Loop(%n, %true, %t) { (%i:int, %m:tuple)\n"
          "  %a, %k:int = prim::TupleUnpack(%m)\n"
          "  %u = aten::relu(%a)\n"
          "  %j:int = aten::add.int(%k, %i)\n"
          "  %o:tuple = prim::TupleConstruct(%u, %j)\n"
          "  -> %true, %o }\n"
          "%f, %g:int = prim::TupleUnpack(%r)\n"
          "%z = aten::add.Scalar(%f, %g, %1)\n"
          "-> %z\n",
          "%1[?,3], %2 int = prim::Loop(n, True, x, 0) { (%3 int, %4[?,3], %5 int) "
          "%6[?,3] = aten::relu(%4); %7 int = aten::add.int(%5, %3); -> True, %6, %7 }\n"
          "%8[?,3] = aten::add.Scalar(%1, %2, 1)\n"
          "=> %8");
}

UNIT_TEST(sizes_that_change_are_decided_by_the_data)
{
    gives(arena,
          "%u = aten::unsqueeze(%x, %0)\n"
          "%r = prim::Loop(%n, %true, %u) { (%i:int, %z)\n"
          "  %l:list = prim::ListConstruct(%z, %u)\n"
          "  %v = aten::cat(%l, %0)\n"
          "  -> %true, %v }\n"
          "%s = aten::relu(%r)\n"
          "-> %s\n",
          "%1[1,?,3] = aten::unsqueeze(x, 0)\n"
          "%2[?,?,3] = prim::Loop(n, True, %1) { (%3 int, %4[?,?,3]) "
          "%5[?,?,3] = aten::cat((%4, %1), 0); -> True, %5 }\n"
          "%6[?,?,3] = aten::relu(%2)\n"
          "=> %6");
}

UNIT_TEST(loops_stand_in_loops)
{
    gives(arena,
          "%r = prim::Loop(%n, %true, %x) { (%i:int, %z)\n"
          "  %u = prim::Loop(%i, %true, %z) { (%j:int, %w)\n"
          "    %v = aten::add.Scalar(%w, %j, %1)\n"
          "    -> %true, %v }\n"
          "  -> %true, %u }\n"
          "-> %r\n",
          "%1[?,3] = prim::Loop(n, True, x) { (%2 int, %3[?,3]) "
          "%4[?,3] = prim::Loop(%2, True, %3) { (%5 int, %6[?,3]) "
          "%7[?,3] = aten::add.Scalar(%6, %5, 1); -> True, %7 }; -> True, %4 }\n"
          "=> %1");
}

UNIT_TEST(a_counted_loop_is_unrolled_within_another)
{
    gives(arena,
          "%r = prim::Loop(%n, %true, %x) { (%i:int, %z)\n"
          "  %u = prim::Loop(%2, %true, %z) { (%j:int, %w)\n"
          "    %v = aten::add.Scalar(%w, %j, %1)\n"
          "    -> %true, %v }\n"
          "  -> %true, %u }\n"
          "-> %r\n",
          "%1[?,3] = prim::Loop(n, True, x) { (%2 int, %3[?,3]) "
          "%4[?,3] = aten::add.Scalar(%3, 0, 1); %5[?,3] = aten::add.Scalar(%4, 1, 1); "
          "-> True, %5 }\n"
          "=> %1");
}

UNIT_TEST(loops_stand_in_branches)
{
    gives(arena,
          "%r = prim::If(%c) {\n"
          "  %u = prim::Loop(%n, %true, %x) { (%i:int, %z) %v = aten::relu(%z) -> %true, %v }\n"
          "  -> %u } { -> %y }\n"
          "-> %r\n",
          "%1[?,3] = prim::If(c) { %2[?,3] = prim::Loop(n, True, x) { "
          "(%3 int, %4[?,3]) %5[?,3] = aten::relu(%4); -> True, %5 }; -> %2 } { -> y }\n"
          "=> %1");
}

UNIT_TEST(branches_stand_in_loops)
{
    gives(arena,
          "%r = prim::Loop(%n, %true, %x) { (%i:int, %z)\n"
          "  %u = prim::If(%c) { %v = aten::relu(%z) -> %v } { -> %y }\n"
          "  -> %true, %u }\n"
          "-> %r\n",
          "%1[?,3] = prim::Loop(n, True, x) { (%2 int, %3[?,3]) %4[?,3] = prim::If(c) { "
          "%5[?,3] = aten::relu(%3); -> %5 } { -> y }; -> True, %4 }\n"
          "=> %1");
}

UNIT_MAIN("interpret: loops", a_loop_without_an_end_is_stopped_by_the_caller,
          a_loop_on_the_data_asks_for_several_lanes, a_loop_on_the_data_is_the_same_in_two_lanes,
          a_counted_loop_is_unrolled, a_loop_that_runs_no_time_gives_what_it_is_given,
          a_loop_that_does_not_begin_gives_what_it_is_given,
          a_loop_that_is_decided_at_each_end_is_unrolled,
          a_loop_that_a_flag_of_its_own_ends_is_unrolled, as_often_as_the_data_says_is_recorded,
          as_often_as_an_axis_is_long_is_recorded, as_often_as_a_fixed_axis_is_long_is_unrolled,
          while_the_data_says_is_recorded_without_a_limit,
          a_limit_and_a_condition_of_the_data_are_both_recorded,
          while_a_number_is_below_another_is_recorded,
          the_first_of_counted_ones_that_the_data_may_end_is_apart,
          the_number_of_an_iteration_is_its_input, numbers_are_carried, flags_are_carried,
          a_number_that_is_carried_is_a_size, what_is_carried_twice_may_swap,
          what_a_body_does_not_change_is_carried, what_a_body_reads_of_outside_is_no_input,
          None_and_text_are_carried_as_they_are, tuples_are_carried_by_their_parts,
          sizes_that_change_are_decided_by_the_data, loops_stand_in_loops,
          a_counted_loop_is_unrolled_within_another, loops_stand_in_branches,
          branches_stand_in_loops)
