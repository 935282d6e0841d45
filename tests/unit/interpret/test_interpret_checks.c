/*
 * Checks, which are branches that raise on one side, and exceptions.
 */
#include "named_trace.h"

UNIT_TEST(a_check_of_the_data_is_taken_to_pass)
{
    gives(arena,
          "prim::If(%c) { -> } { prim::RaiseException(%text) -> }\n"
          "%z = aten::relu(%x)\n"
          "-> %z\n",
          "%1[?,3] = aten::relu(x)\n"
          "=> %1");
}

UNIT_TEST(a_check_that_raises_first_is_taken_to_pass)
{
    gives(arena,
          "prim::If(%c) { prim::RaiseException(%text) -> } { %u = aten::neg(%x) -> }\n"
          "%z = aten::relu(%x)\n"
          "-> %z\n",
          "%1[?,3] = aten::neg(x)\n"
          "%2[?,3] = aten::relu(x)\n"
          "=> %2");
}

UNIT_TEST(the_value_of_a_check_is_that_of_the_side_that_goes_on)
{
    gives(arena,
          "%r = prim::If(%c) { %u = aten::relu(%x) -> %u } {\n"
          "  prim::RaiseException(%text)\n"
          "  %q = prim::Uninitialized()\n"
          "  -> %q }\n"
          "-> %r\n",
          "%1[?,3] = aten::relu(x)\n"
          "=> %1");
}

UNIT_TEST(a_check_of_a_size_that_passes_in_all_lanes_is_taken)
{
    gives(arena,
          "%k:int = aten::size.int(%x, %0)\n"
          "%b:bool = aten::gt.int(%k, %3)\n"
          "prim::If(%b) { -> } { prim::RaiseException(%text) -> }\n"
          "-> %x\n",
          "%1 int = aten::size.int(x, 0)\n"
          "%2 bool = aten::gt.int(%1, 3)\n"
          "=> x");
}

UNIT_TEST(a_check_of_a_size_that_fails_in_a_lane_refuses_the_inputs)
{
    gives(arena,
          "%k:int = aten::size.int(%x, %0)\n"
          "%b:bool = aten::gt.int(%k, %6)\n"
          "prim::If(%b) { -> } { prim::RaiseException(%text) -> }\n"
          "-> %x\n",
          "forward() raised on these inputs in the root module: it is wrong");
}

UNIT_TEST(a_check_that_is_known_to_fail_refuses_the_inputs)
{
    gives(arena,
          "%k:int = aten::dim(%x)\n"
          "%b:bool = aten::ne.int(%k, %2)\n"
          "prim::If(%b) { -> } { prim::RaiseException(%text) -> }\n"
          "-> %x\n",
          "forward() raised on these inputs in the root module: it is wrong");
}

UNIT_TEST(an_exception_that_nothing_guards_refuses_the_inputs)
{
    gives(arena,
          "prim::RaiseException(%text)\n"
          "-> %x\n",
          "forward() raised on these inputs in the root module: it is wrong");
}

UNIT_TEST(a_branch_that_raises_on_both_sides_refuses_the_inputs)
{
    gives(arena,
          "%other:str = prim::Constant<\"the other one\">()\n"
          "prim::If(%c) { prim::RaiseException(%text) -> } { prim::RaiseException(%other) -> }\n"
          "-> %x\n",
          "forward() raised on these inputs in the root module: it is wrong");
}

UNIT_TEST(a_side_that_raises_in_a_call_is_not_what_a_model_computes)
{
    gives(arena,
          "%r = prim::If(%c) { %u = prim::CallFunction<fail>(%x, %x) -> %u } { "
          "%v = aten::neg(%x) -> %v }\n"
          "-> %r\n"
          "def fail(%z)\n" NAMED_CONSTANTS "prim::RaiseException(%text)\n"
          "-> %z\n",
          "%1[?,3] = aten::neg(x)\n"
          "=> %1");
}

UNIT_TEST(what_a_side_did_before_it_raised_has_not_happened)
{
    gives(arena,
          "%l:list = prim::ListConstruct(%x)\n"
          "prim::If(%c) {\n"
          "  %k:list = aten::append(%l, %y)\n"
          "  %u = aten::relu_(%x)\n"
          "  %v = prim::CallFunction<fail>(%u, %u)\n"
          "  -> } { -> }\n"
          "%z = aten::stack(%l, %0)\n"
          "-> %z\n"
          "def fail(%z)\n" NAMED_CONSTANTS "prim::RaiseException(%text)\n"
          "-> %z\n",
          "%1[1,?,3] = aten::stack((x), 0)\n"
          "=> %1");
}

UNIT_TEST(a_side_that_raises_in_a_call_for_some_sizes_refuses_the_inputs)
{
    gives(arena,
          "%k:int = aten::size.int(%x, %0)\n"
          "%b:bool = aten::gt.int(%k, %6)\n"
          "%r = prim::If(%b) { -> %x } { %u = prim::CallFunction<fail>(%x, %x) -> %u }\n"
          "-> %r\n"
          "def fail(%z)\n" NAMED_CONSTANTS "prim::RaiseException(%text)\n"
          "-> %z\n",
          "forward() raised on these inputs in the root module: it is wrong");
}

UNIT_TEST(a_side_that_raises_in_a_call_for_no_size_that_is_tried_is_left_out)
{
    gives(arena,
          "%k:int = aten::size.int(%x, %0)\n"
          "%b:bool = aten::gt.int(%k, %3)\n"
          "%r = prim::If(%b) { -> %x } { %u = prim::CallFunction<fail>(%x, %x) -> %u }\n"
          "-> %r\n"
          "def fail(%z)\n" NAMED_CONSTANTS "prim::RaiseException(%text)\n"
          "-> %z\n",
          "%1 int = aten::size.int(x, 0)\n"
          "%2 bool = aten::gt.int(%1, 3)\n"
          "=> x");
}

UNIT_TEST(an_operator_that_raises_whatever_it_is_given_raises_for_its_side)
{
    gives(arena,
          "%r = prim::If(%c) {\n"
          "  %l:list = prim::ListConstruct()\n"
          "  %u = aten::cat(%l, %0)\n"
          "  -> %u } { -> %x }\n"
          "-> %r\n",
          "=> x");
}

UNIT_TEST(an_operator_need_not_run_at_all_sizes_within_a_branch)
{
    gives(arena,
          "%k:int = aten::size.int(%x, %0)\n"
          "%b:bool = aten::gt.int(%k, %6)\n"
          "%r = prim::If(%b) {\n"
          "  %u = aten::select.int(%x, %0, %6)\n"
          "  %s = aten::sum(%u, %none)\n"
          "  -> %s } { %t = aten::sum(%x, %none) -> %t }\n"
          "-> %r\n",
          "%1 int = aten::size.int(x, 0)\n"
          "%2 bool = aten::gt.int(%1, 6)\n"
          "%3[] = prim::If(%2) { %4[3] = aten::select.int(x, 0, 6); %5[] = aten::sum(%4, None); "
          "-> %5 } { %6[] = aten::sum(x, None); -> %6 }\n"
          "=> %3");
}

UNIT_TEST(an_operator_must_run_at_all_sizes_outside_of_branches)
{
    gives(arena,
          "%u = aten::select.int(%x, %0, %6)\n"
          "-> %u\n",
          "aten::select.int raised in the root module: index out of range");
}

UNIT_TEST(a_check_teaches_the_size_that_it_asks_for)
{
    gives(arena,
          "%i = aten::nonzero(%x)\n"
          "%k:int = aten::size.int(%i, %0)\n"
          "%b:bool = aten::eq.int(%k, %3)\n"
          "prim::If(%b) { -> } { prim::RaiseException(%text) -> }\n"
          "%z = aten::relu(%i)\n"
          "-> %z\n",
          "%1[3,2] = aten::nonzero(x)\n"
          "%2 int = aten::size.int(%1, 0)\n"
          "%3 bool = aten::eq.int(%2, 3)\n"
          "%4[3,2] = aten::relu(%1)\n"
          "=> %4");
}

UNIT_TEST(a_check_that_raises_for_other_sizes_teaches_as_well)
{
    gives(arena,
          "%i = aten::nonzero(%x)\n"
          "%k:int = aten::size.int(%i, %0)\n"
          "%b:bool = aten::ne.int(%k, %3)\n"
          "prim::If(%b) { prim::RaiseException(%text) -> } { -> }\n"
          "%z = aten::relu(%i)\n"
          "-> %z\n",
          "%1[3,2] = aten::nonzero(x)\n"
          "%2 int = aten::size.int(%1, 0)\n"
          "%3 bool = aten::ne.int(%2, 3)\n"
          "%4[3,2] = aten::relu(%1)\n"
          "=> %4");
}

UNIT_TEST(a_check_of_one_of_all_sizes_teaches_it)
{
    gives(arena,
          "%i = aten::nonzero(%x)\n"
          "%l:list = aten::size(%i)\n"
          "%k:int = aten::__getitem__.t(%l, %0)\n"
          "%b:bool = aten::eq.int(%3, %k)\n"
          "prim::If(%b) { -> } { prim::RaiseException(%text) -> }\n"
          "%z = aten::relu(%i)\n"
          "-> %z\n",
          "%1[3,2] = aten::nonzero(x)\n"
          "(%2 int, 2) = aten::size(%1)\n"
          "%3 bool = aten::eq.int(3, %2)\n"
          "%4[3,2] = aten::relu(%1)\n"
          "=> %4");
}

UNIT_TEST(a_check_of_a_limit_teaches_nothing)
{
    gives(arena,
          "%i = aten::nonzero(%x)\n"
          "%k:int = aten::size.int(%i, %0)\n"
          "%b:bool = aten::gt.int(%k, %3)\n"
          "prim::If(%b) { -> } { prim::RaiseException(%text) -> }\n"
          "%z = aten::relu(%i)\n"
          "-> %z\n",
          "%1[?,2] = aten::nonzero(x)\n"
          "%2 int = aten::size.int(%1, 0)\n"
          "%3 bool = aten::gt.int(%2, 3)\n"
          "%4[?,2] = aten::relu(%1)\n"
          "=> %4");
}

UNIT_TEST(a_check_within_a_branch_teaches_nothing_of_what_was_made_outside)
{
    gives(arena,
          "%i = aten::nonzero(%x)\n"
          "%k:int = aten::size.int(%i, %0)\n"
          "%b:bool = aten::eq.int(%k, %3)\n"
          "%r = prim::If(%c) {\n"
          "  prim::If(%b) { -> } { prim::RaiseException(%text) -> }\n"
          "  %u = aten::relu(%i)\n"
          "  -> %u } { -> %i }\n"
          "-> %r\n",
          "%1[?,2] = aten::nonzero(x)\n"
          "%2 int = aten::size.int(%1, 0)\n"
          "%3 bool = aten::eq.int(%2, 3)\n"
          "%4[?,2] = prim::If(c) { %5[?,2] = aten::relu(%1); -> %5 } { -> %1 }\n"
          "=> %4");
}

UNIT_TEST(a_branch_that_is_no_check_teaches_nothing)
{
    gives(arena,
          "%i = aten::nonzero(%x)\n"
          "%k:int = aten::size.int(%i, %0)\n"
          "%b:bool = aten::eq.int(%k, %3)\n"
          "%z = prim::If(%b) { %u = aten::relu(%i) -> %u } { -> %i }\n"
          "-> %z\n",
          "%1[?,2] = aten::nonzero(x)\n"
          "%2 int = aten::size.int(%1, 0)\n"
          "%3 bool = aten::eq.int(%2, 3)\n"
          "%4[?,2] = prim::If(%3) { %5[?,2] = aten::relu(%1); -> %5 } { -> %1 }\n"
          "=> %4");
}

UNIT_MAIN("interpret: checks", a_check_of_the_data_is_taken_to_pass,
          a_check_that_raises_first_is_taken_to_pass,
          the_value_of_a_check_is_that_of_the_side_that_goes_on,
          a_check_of_a_size_that_passes_in_all_lanes_is_taken,
          a_check_of_a_size_that_fails_in_a_lane_refuses_the_inputs,
          a_check_that_is_known_to_fail_refuses_the_inputs,
          an_exception_that_nothing_guards_refuses_the_inputs,
          a_branch_that_raises_on_both_sides_refuses_the_inputs,
          a_side_that_raises_in_a_call_is_not_what_a_model_computes,
          what_a_side_did_before_it_raised_has_not_happened,
          a_side_that_raises_in_a_call_for_some_sizes_refuses_the_inputs,
          a_side_that_raises_in_a_call_for_no_size_that_is_tried_is_left_out,
          an_operator_that_raises_whatever_it_is_given_raises_for_its_side,
          an_operator_need_not_run_at_all_sizes_within_a_branch,
          an_operator_must_run_at_all_sizes_outside_of_branches,
          a_check_teaches_the_size_that_it_asks_for,
          a_check_that_raises_for_other_sizes_teaches_as_well,
          a_check_of_one_of_all_sizes_teaches_it, a_check_of_a_limit_teaches_nothing,
          a_check_within_a_branch_teaches_nothing_of_what_was_made_outside,
          a_branch_that_is_no_check_teaches_nothing)
