/*
 * Peeled iterations, long loops, and branches and exceptions within loops.
 */
#include "named_trace.h"

UNIT_TEST(an_iteration_that_changes_the_type_is_apart)
{
    gives(arena,
          "%r = prim::Loop(%n, %true, %none) { (%i:int, %z)\n"
          "  %b:bool = aten::__is__(%z, %none)\n"
          "  %u = prim::If(%b) { -> %x } {\n"
          "    %v = prim::unchecked_unwrap_optional(%z)\n"
          "    %w = aten::add.Scalar(%v, %i, %1)\n"
          "    -> %w }\n"
          "  -> %true, %u }\n"
          "%b2:bool = aten::__is__(%r, %none)\n"
          "%q = prim::If(%b2) { -> %y } { -> %r }\n"
          "-> %q\n",
          "%1 bool = aten::gt.int(n, 0)\n"
          "%2[?,3] = prim::If(%1) { %3 int = aten::sub.int(n, 1); "
          "%4[?,3] = prim::Loop(%3, True, x) { (%5 int, %6[?,3]) %7 int = aten::add.int(%5, 1); "
          "%8[?,3] = aten::add.Scalar(%6, %7, 1); -> True, %8 }; -> %4 } { -> y }\n"
          "=> %2");
}

UNIT_TEST(it_is_run_where_the_condition_lets_it)
{
    gives(arena,
          "%r = prim::Loop(%many, %c, %none) { (%i:int, %z)\n"
          "  %b:bool = aten::__is__(%z, %none)\n"
          "  %u = prim::If(%b) { -> %x } { %w = aten::relu(%z) -> %w }\n"
          "  -> %d, %u }\n"
          "%b2:bool = aten::__is__(%r, %none)\n"
          "%q = prim::If(%b2) { -> %y } { -> %r }\n"
          "-> %q\n",
          "%1[?,3] = prim::If(c) { %2[?,3] = prim::Loop(None, d, x) { "
          "(%3 int, %4[?,3]) %5 int = aten::add.int(%3, 1); %6[?,3] = aten::relu(%4); "
          "-> d, %6 }; -> %2 } { -> y }\n"
          "=> %1");
}

UNIT_TEST(it_is_run_where_both_let_it)
{
    gives(arena,
          "%r = prim::Loop(%n, %c, %none) { (%i:int, %z)\n"
          "  %b:bool = aten::__is__(%z, %none)\n"
          "  %u = prim::If(%b) { -> %x } { %w = aten::relu(%z) -> %w }\n"
          "  -> %d, %u }\n"
          "%b2:bool = aten::__is__(%r, %none)\n"
          "%q = prim::If(%b2) { -> %y } { -> %r }\n"
          "-> %q\n",
          "%1 bool = aten::gt.int(n, 0)\n"
          "%2 bool = aten::__and__.bool(%1, c)\n"
          "%3[?,3] = prim::If(%2) { %4 int = aten::sub.int(n, 1); "
          "%5[?,3] = prim::Loop(%4, d, x) { (%6 int, %7[?,3]) %8 int = aten::add.int(%6, 1); "
          "%9[?,3] = aten::relu(%7); -> d, %9 }; -> %5 } { -> y }\n"
          "=> %3");
}

UNIT_TEST(nothing_is_left_of_a_loop_that_its_first_iteration_ends)
{
    gives(arena,
          "%r = prim::Loop(%n, %true, %none) { (%i:int, %z)\n"
          "  %b:bool = aten::__is__(%z, %none)\n"
          "  %u = prim::If(%b) { -> %x } { %w = aten::relu(%z) -> %w }\n"
          "  -> %false, %u }\n"
          "%b2:bool = aten::__is__(%r, %none)\n"
          "%q = prim::If(%b2) { -> %y } { -> %r }\n"
          "-> %q\n",
          "%1 bool = aten::gt.int(n, 0)\n"
          "%2[?,3] = prim::If(%1) { %3 int = aten::sub.int(n, 1); -> x } { -> y }\n"
          "=> %2");
}

UNIT_TEST(a_loop_that_does_not_begin_has_no_first_iteration)
{
    gives(arena,
          "%r = prim::Loop(%n, %false, %none) { (%i:int, %z)\n"
          "  %b:bool = aten::__is__(%z, %none)\n"
          "  %u = prim::If(%b) { -> %x } { %w = aten::relu(%z) -> %w }\n"
          "  -> %true, %u }\n"
          "%b2:bool = aten::__is__(%r, %none)\n"
          "%q = prim::If(%b2) { -> %y } { -> %r }\n"
          "-> %q\n",
          "=> y");
}

UNIT_TEST(a_second_iteration_is_not_run_where_the_limit_is_one)
{
    gives(arena,
          "%r = prim::Loop(%1, %c, %none) { (%i:int, %z)\n"
          "  %b:bool = aten::__is__(%z, %none)\n"
          "  %u = prim::If(%b) { %s = aten::sum(%x, %none) -> %s } { "
          "%t = aten::unsqueeze(%z, %0) -> %t }\n"
          "  -> %d, %u }\n"
          "-> %x\n",
          "prim::If(c) { %1[] = aten::sum(x, None); 0 = aten::sub.int(1, 1); -> } { -> }\n"
          "=> x");
}

UNIT_TEST(two_iterations_may_be_apart)
{
    gives(arena,
          "%r = prim::Loop(%n, %true, %none) { (%i:int, %z)\n"
          "  %b:bool = aten::__is__(%z, %none)\n"
          "  %u = prim::If(%b) { %p = aten::sum(%x, %none) -> %p } {\n"
          "    %k:int = aten::dim(%z)\n"
          "    %e:bool = aten::eq.int(%k, %0)\n"
          "    %w = prim::If(%e) { -> %x } { %v = aten::relu(%z) -> %v }\n"
          "    -> %w }\n"
          "  -> %true, %u }\n"
          "%b2:bool = aten::__is__(%r, %none)\n"
          "%q = prim::If(%b2) { %t = aten::sum(%y, %none) -> %t } { "
          "%s = aten::sum(%r, %none) -> %s }\n"
          "-> %q\n",
          "%1 bool = aten::gt.int(n, 0)\n"
          "%2[] = prim::If(%1) { %3[] = aten::sum(x, None); %4 int = aten::sub.int(n, 1); "
          "%5 bool = aten::gt.int(%4, 0); %6[] = prim::If(%5) { 0 = aten::dim(%3); "
          "True = aten::eq.int(0, 0); %7 int = aten::sub.int(%4, 1); "
          "%8[?,3] = prim::Loop(%7, True, x) { (%9 int, %10[?,3]) "
          "%11 int = aten::add.int(%9, 2); 2 = aten::dim(%10); False = aten::eq.int(2, 0); "
          "%12[?,3] = aten::relu(%10); -> True, %12 }; %13[] = aten::sum(%8, None); -> %13 } { "
          "%14[] = aten::sum(%3, None); -> %14 }; -> %6 } { %15[] = aten::sum(y, None); -> %15 }\n"
          "=> %2");
}

UNIT_TEST(a_rank_that_each_iteration_changes_is_refused)
{
    gives(arena,
          "%r = prim::Loop(%n, %true, %x) { (%i:int, %z) %u = aten::unsqueeze(%z, %0) "
          "-> %true, %u }\n"
          "%s = aten::sum(%r, %none)\n"
          "-> %s\n",
          "a loop on the data changes the rank or dtype of a tensor that it carries, in the root "
          "module");
}

UNIT_TEST(a_loop_of_more_than_256_iterations_stays_one)
{
    gives(arena,
          "%r = prim::Loop(%257, %true, %x) { (%i:int, %z)\n"
          "  %u = aten::add.Scalar(%z, %i, %1)\n"
          "  -> %true, %u }\n"
          "-> %r\n",
          "%1[?,3] = prim::Loop(257, True, x) { (%2 int, %3[?,3]) "
          "%4[?,3] = aten::add.Scalar(%3, %2, 1); -> True, %4 }\n"
          "=> %1");
}

UNIT_TEST(its_first_iteration_is_apart_where_that_changes_the_type)
{
    gives(arena,
          "%r = prim::Loop(%257, %true, %none) { (%i:int, %z)\n"
          "  %b:bool = aten::__is__(%z, %none)\n"
          "  %u = prim::If(%b) { -> %x } { %w = aten::add.Scalar(%z, %i, %1) -> %w }\n"
          "  -> %true, %u }\n"
          "-> %r\n",
          "256 = aten::sub.int(257, 1)\n"
          "%1[?,3] = prim::Loop(256, True, x) { (%2 int, %3[?,3]) %4 int = aten::add.int(%2, 1); "
          "%5[?,3] = aten::add.Scalar(%3, %4, 1); -> True, %5 }\n"
          "=> %1");
}

UNIT_TEST(it_is_unrolled_where_it_cannot_be_recorded)
{
    gives(arena,
          "%l:list = prim::ListConstruct()\n"
          "prim::Loop(%257, %true) { (%i:int) %k:list = aten::append(%l, %text) -> %true }\n"
          "%k:int = aten::len.t(%l)\n"
          "%r = aten::add.Scalar(%x, %k, %1)\n"
          "-> %r\n",
          "%1[?,3] = aten::add.Scalar(x, 257, 1)\n"
          "=> %1");
}

UNIT_TEST(sides_that_cannot_meet_do_so_at_the_end_of_a_body)
{
    gives(arena,
          "%r = prim::Loop(%n, %true, %x) { (%i:int, %z)\n"
          "  %u = prim::If(%c) { -> %z } { %v = aten::sum(%z, %none) -> %v }\n"
          "  %s = aten::sum(%u, %none)\n"
          "  %w = aten::add.Tensor(%z, %s, %1)\n"
          "  -> %true, %w }\n"
          "-> %r\n",
          "%1[?,3] = prim::Loop(n, True, x) { (%2 int, %3[?,3]) %4[?,3] = prim::If(c) { "
          "%5[] = aten::sum(%3, None); %6[?,3] = aten::add.Tensor(%3, %5, 1); -> %6 } { "
          "%7[] = aten::sum(%3, None); %8[] = aten::sum(%7, None); "
          "%9[?,3] = aten::add.Tensor(%3, %8, 1); -> %9 }; -> True, %4 }\n"
          "=> %1");
}

UNIT_TEST(sides_that_are_apart_at_the_end_of_a_body_are_refused)
{
    gives(arena,
          "%r = prim::Loop(%n, %true, %none) { (%i:int, %z)\n"
          "  %u = prim::If(%c) { -> %x } { -> %none }\n"
          "  -> %true, %u }\n"
          "-> %x\n",
          "the sides of a branch on the data give values of different kinds, in the root module");
}

UNIT_TEST(sides_that_are_apart_at_the_end_of_an_unrolled_body_part_the_loop)
{
    gives(arena,
          "%r = prim::Loop(%2, %true, %x) { (%i:int, %z)\n"
          "  %u = prim::If(%c) { %w = aten::relu(%z) -> %w } { %v = aten::sum(%z, %none) -> %v }\n"
          "  -> %true, %u }\n"
          "%s = aten::sum(%r, %none)\n"
          "-> %s\n",
          "%1[] = prim::If(c) { %2[?,3] = aten::relu(x); %3[] = prim::If(c) { "
          "%4[?,3] = aten::relu(%2); %5[] = aten::sum(%4, None); -> %5 } { "
          "%6[] = aten::sum(%2, None); %7[] = aten::sum(%6, None); -> %7 }; -> %3 } { "
          "%8[] = aten::sum(x, None); %9[] = prim::If(c) { %10[] = aten::relu(%8); -> %10 } { "
          "%11[] = aten::sum(%8, None); -> %11 }; %12[] = aten::sum(%9, None); -> %12 }\n"
          "=> %1");
}

UNIT_TEST(a_loop_is_recorded_rather_than_unrolled_where_its_sides_part_too_often)
{
    gives(arena,
          "%l:list = prim::ListConstruct(%y)\n"
          "prim::Loop(%8, %true) { (%i:int)\n"
          "  prim::If(%c) { %k:list = aten::append(%l, %x) -> } { -> }\n"
          "  -> %true }\n"
          "%z = aten::stack(%l, %0)\n"
          "-> %z\n",
          "%1[1,?,3] = aten::unsqueeze(y, 0)\n"
          "%2[?,?,3] = prim::Loop(8, True, %1) { (%3 int, %4[?,?,3]) %5[?,?,3] = prim::If(c) { "
          "%6[1,?,3] = aten::unsqueeze(x, 0); %7[?,?,3] = aten::cat((%4, %6), 0); -> %7 } { "
          "-> %4 }; -> True, %5 }\n"
          "%8[?,?,3] = aten::movedim.int(%2, 0, 0)\n"
          "=> %8");
}

UNIT_TEST(a_check_within_a_body_is_taken_to_pass)
{
    gives(arena,
          "%r = prim::Loop(%n, %true, %x) { (%i:int, %z)\n"
          "  prim::If(%c) { -> } { prim::RaiseException(%text) -> }\n"
          "  %u = aten::relu(%z)\n"
          "  -> %true, %u }\n"
          "-> %r\n",
          "%1[?,3] = prim::Loop(n, True, x) { (%2 int, %3[?,3]) %4[?,3] = aten::relu(%3); "
          "-> True, %4 }\n"
          "=> %1");
}

UNIT_TEST(a_loop_whose_body_always_raises_does_not_run_in_a_model_that_is_exported)
{
    gives(arena,
          "%r = prim::Loop(%n, %true, %x) { (%i:int, %z)\n"
          "  %u = aten::relu_(%z)\n"
          "  prim::RaiseException(%text)\n"
          "  -> %true, %u }\n"
          "-> %r\n",
          "=> x");
}

UNIT_TEST(it_refuses_the_inputs_where_sizes_say_that_it_runs)
{
    gives(arena,
          "%k:int = aten::size.int(%x, %0)\n"
          "%r = prim::Loop(%k, %true, %x) { (%i:int, %z)\n"
          "  prim::RaiseException(%text)\n"
          "  -> %true, %z }\n"
          "-> %r\n",
          "forward() raised on these inputs in the root module: it is wrong");
}

UNIT_TEST(what_a_side_does_beside_such_a_loop_has_happened)
{
    gives_in(arena, "class Net k=2\n",
             "prim::If(%c) {\n"
             "  prim::SetAttr<k>(%self, %3)\n"
             "  prim::Loop(%n, %true) { (%i:int) prim::RaiseException(%text) -> %true }\n"
             "  -> } { -> }\n"
             "-> %x\n",
             "%1 int = prim::If(c) { -> 3 } { -> 2 }\n"
             "=> x\n"
             "state k: 2 to %1");
}

UNIT_TEST(a_body_that_fails_is_blamed)
{
    gives(arena,
          "%r = prim::Loop(%n, %true, %x) { (%i:int, %z)\n"
          "  %u = aten::select.int(%z, %3, %0)\n"
          "  -> %true, %u }\n"
          "-> %r\n",
          "aten::select.int raised in the root module: index out of range");
}

UNIT_TEST(an_unknown_limit_is_blamed_on_what_failed)
{
    gives(arena,
          "%i = aten::nonzero(%x)\n"
          "%w = aten::select.int(%i, %0, %many)\n"
          "%k:int = aten::Int.Tensor(%w)\n"
          "%r = prim::Loop(%k, %true, %x) { (%j:int, %z) -> %true, %z }\n"
          "-> %r\n",
          "aten::select.int, which decides what runs: sizes that depend on the data do not fit: "
          "index out of range, in the root module");
}

UNIT_TEST(an_unknown_value_that_is_carried_is_unknown_behind_the_loop)
{
    gives(arena,
          "%j = aten::nonzero(%x)\n"
          "%r = prim::Loop(%n, %true, %y) { (%i:int, %z)\n"
          "  %w = aten::select.int(%j, %0, %many)\n"
          "  -> %true, %w }\n"
          "%s = aten::relu(%r)\n"
          "-> %s\n",
          "%1[?,2] = aten::nonzero(x)\n"
          "prim::Loop(n, True) { (%2 int) %3 unknown = aten::select.int(%1, 0, "
          "9223372036854775807) ! sizes that depend on the data do not fit: index out of range; "
          "-> True }\n"
          "%4 unknown = aten::relu(unknown)\n"
          "=> %4");
}

UNIT_TEST(what_is_unknown_before_a_loop_stays_so_where_a_branch_of_the_body_changes_it)
{
    gives(arena,
          "%j = aten::nonzero(%x)\n"
          "%w = aten::select.int(%j, %0, %many)\n"
          "%r, %k = prim::Loop(%n, %true, %w, %y) { (%i:int, %z, %v)\n"
          "  %c:bool = aten::Bool.Tensor(%v)\n"
          "  %u = prim::If(%c) { %a = aten::relu(%v) -> %a } { -> %z }\n"
          "  %o = aten::neg(%v)\n"
          "  -> %true, %u, %o }\n"
          "-> %k\n",
          "%1[?,2] = aten::nonzero(x)\n"
          "%2 unknown = aten::select.int(%1, 0, 9223372036854775807) "
          "! sizes that depend on the data do not fit: index out of range\n"
          "%3[?,3] = prim::Loop(n, True, y) { (%4 int, %5[?,3]) "
          "%6 bool = aten::Bool.Tensor(%5); prim::If(%6) { %7[?,3] = aten::relu(%5); -> } { -> }; "
          "%8[?,3] = aten::neg(%5); -> True, %8 }\n"
          "=> %3");
}

UNIT_TEST(a_flag_that_is_carried_decides_branches_of_the_body)
{
    gives(arena,
          "%r, %f:bool = prim::Loop(%n, %true, %x, %true) { (%i:int, %z, %first:bool)\n"
          "  %u = prim::If(%first) { %a = aten::relu(%z) -> %a } { %b = aten::neg(%z) -> %b }\n"
          "  -> %true, %u, %false }\n"
          "-> %r\n",
          "%1[?,3], %2 bool = prim::Loop(n, True, x, True) { "
          "(%3 int, %4[?,3], %5 bool) %6[?,3] = prim::If(%5) { %7[?,3] = aten::relu(%4); "
          "-> %7 } { %8[?,3] = aten::neg(%4); -> %8 }; -> True, %6, False }\n"
          "=> %1");
}

UNIT_TEST(a_return_from_a_loop_is_a_flag_and_a_value)
{
    gives(arena,
          "%is_done:bool, %value = prim::Loop(%n, %true, %false, %x) { (%i:int, %was:bool, %z)\n"
          "  %u = aten::relu(%z)\n"
          "  %go:bool, %is:bool = prim::If(%c) { -> %false, %true } { -> %true, %false }\n"
          "  -> %go, %is, %u }\n"
          "%r = prim::If(%is_done) { -> %value } { -> %y }\n"
          "-> %r\n",
          "%1 bool, %2[?,3] = prim::Loop(n, True, False, x) { "
          "(%3 int, %4 bool, %5[?,3]) %6[?,3] = aten::relu(%5); %7 bool, %8 bool = prim::If(c) { "
          "-> False, True } { -> True, False }; -> %7, %8, %6 }\n"
          "%9[?,3] = prim::If(%1) { -> %2 } { -> y }\n"
          "=> %9");
}

UNIT_TEST(what_has_no_value_before_a_loop_begins_with_noughts)
{
    gives(arena,
          "%q = prim::Uninitialized()\n"
          "%is_done:bool, %value = prim::Loop(%n, %true, %false, %q) { (%i:int, %was:bool, %z)\n"
          "  %go:bool, %is:bool, %v = prim::If(%c) {\n"
          "    %u = aten::add.Scalar(%x, %i, %1)\n"
          "    -> %false, %true, %u } {\n"
          "    %p = prim::Uninitialized()\n"
          "    -> %true, %false, %p }\n"
          "  -> %go, %is, %v }\n"
          "%r = prim::If(%is_done) { -> %value } { -> %y }\n"
          "-> %r\n",
          "%1[1,3] = aten::zeros((1, 3), 6, None, None, None)\n"
          "%2 bool, %3[?,3] = prim::Loop(n, True, False, %1) { "
          "(%4 int, %5 bool, %6[?,3]) %7 bool, %8 bool, %9[?,3] = prim::If(c) { "
          "%10[?,3] = aten::add.Scalar(x, %4, 1); -> False, True, %10 } { "
          "-> True, False, nothing }; -> %7, %8, %9 }\n"
          "%11[?,3] = prim::If(%2) { -> %3 } { -> y }\n"
          "=> %11");
}

UNIT_TEST(a_list_that_has_no_value_before_a_loop_begins_with_noughts)
{
    gives(arena,
          "%q:list = prim::Uninitialized()\n"
          "%is_done:bool, %value:list = prim::Loop(%n, %true, %false, %q) { "
          "(%i:int, %was:bool, %m:list)\n"
          "  %go:bool, %is:bool, %v:list = prim::If(%c) {\n"
          "    %l:list = prim::ListConstruct(%x, %y)\n"
          "    -> %false, %true, %l } {\n"
          "    %p:list = prim::Uninitialized()\n"
          "    -> %true, %false, %p }\n"
          "  -> %go, %is, %v }\n"
          "%r:list = prim::If(%is_done) { -> %value } {\n"
          "  %o:list = prim::ListConstruct(%y, %x)\n"
          "  -> %o }\n"
          "%z = aten::stack(%r, %0)\n"
          "-> %z\n",
          "%1[1,3] = aten::zeros((1, 3), 6, None, None, None)\n"
          "%2[1,3] = aten::zeros((1, 3), 6, None, None, None)\n"
          "%3 bool, %4[?,3], %5[?,3] = prim::Loop(n, True, False, %1, %2) { "
          "(%6 int, %7 bool, %8[?,3], %9[?,3]) %10 bool, %11 bool, %12[?,3], %13[?,3] = "
          "prim::If(c) { -> False, True, x, y } { -> True, False, nothing, nothing }; "
          "-> %10, %11, %12, %13 }\n"
          "%14[?,3], %15[?,3] = prim::If(%3) { -> %4, %5 } { -> y, x }\n"
          "%16[2,?,3] = aten::stack((%14, %15), 0)\n"
          "=> %16");
}

UNIT_TEST(what_never_has_a_value_is_not_carried)
{
    gives(arena,
          "%q = prim::Uninitialized()\n"
          "%value, %r = prim::Loop(%n, %true, %q, %x) { (%i:int, %z, %w)\n"
          "  %u = aten::relu(%w)\n"
          "  %p = prim::Uninitialized()\n"
          "  -> %true, %p, %u }\n"
          "-> %r\n",
          "%1[?,3] = prim::Loop(n, True, x) { (%2 int, %3[?,3]) %4[?,3] = aten::relu(%3); "
          "-> True, %4 }\n"
          "=> %1");
}

UNIT_TEST(a_loop_whose_limit_is_no_number_is_no_program)
{
    gives(arena,
          "prim::Loop(%true, %true) { (%i:int) -> %true }\n"
          "-> %x\n",
          "the limit of a loop is no int");
}

UNIT_TEST(a_loop_whose_condition_is_no_flag_is_no_program)
{
    gives(arena,
          "prim::Loop(%3, %none) { (%i:int) -> %true }\n"
          "-> %x\n",
          "the condition of a loop is no bool");
}

UNIT_TEST(a_loop_without_a_body_is_no_program)
{
    gives(arena,
          "prim::Loop(%n, %true)\n"
          "-> %x\n",
          "the body of a loop does not fit it");
}

UNIT_TEST(a_body_that_gives_fewer_values_than_it_takes_is_no_program)
{
    gives(arena,
          "%r = prim::Loop(%n, %true, %x) { (%i:int, %z) -> %true }\n"
          "-> %r\n",
          "the body of a loop does not fit it");
}

UNIT_MAIN("interpret: bodies of loops", an_iteration_that_changes_the_type_is_apart,
          it_is_run_where_the_condition_lets_it, it_is_run_where_both_let_it,
          nothing_is_left_of_a_loop_that_its_first_iteration_ends,
          a_loop_that_does_not_begin_has_no_first_iteration,
          a_second_iteration_is_not_run_where_the_limit_is_one, two_iterations_may_be_apart,
          a_rank_that_each_iteration_changes_is_refused,
          a_loop_of_more_than_256_iterations_stays_one,
          its_first_iteration_is_apart_where_that_changes_the_type,
          it_is_unrolled_where_it_cannot_be_recorded,
          sides_that_cannot_meet_do_so_at_the_end_of_a_body,
          sides_that_are_apart_at_the_end_of_a_body_are_refused,
          sides_that_are_apart_at_the_end_of_an_unrolled_body_part_the_loop,
          a_loop_is_recorded_rather_than_unrolled_where_its_sides_part_too_often,
          a_check_within_a_body_is_taken_to_pass,
          a_loop_whose_body_always_raises_does_not_run_in_a_model_that_is_exported,
          it_refuses_the_inputs_where_sizes_say_that_it_runs,
          what_a_side_does_beside_such_a_loop_has_happened, a_body_that_fails_is_blamed,
          an_unknown_limit_is_blamed_on_what_failed,
          an_unknown_value_that_is_carried_is_unknown_behind_the_loop,
          what_is_unknown_before_a_loop_stays_so_where_a_branch_of_the_body_changes_it,
          a_flag_that_is_carried_decides_branches_of_the_body,
          a_return_from_a_loop_is_a_flag_and_a_value,
          what_has_no_value_before_a_loop_begins_with_noughts,
          a_list_that_has_no_value_before_a_loop_begins_with_noughts,
          what_never_has_a_value_is_not_carried, a_loop_whose_limit_is_no_number_is_no_program,
          a_loop_whose_condition_is_no_flag_is_no_program, a_loop_without_a_body_is_no_program,
          a_body_that_gives_fewer_values_than_it_takes_is_no_program)
