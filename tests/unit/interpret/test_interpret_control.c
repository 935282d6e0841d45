/*
 * Branches: taken if the condition is known, otherwise recorded with both sides.
 */
#include "named_trace.h"

UNIT_TEST(a_branch_on_the_data_is_recorded_with_both_sides)
{
    gives(arena,
          "%r = prim::If(%c) { %u = aten::relu(%x) -> %u } { -> %y }\n"
          "-> %r\n",
          "%1[?,3] = prim::If(c) { %2[?,3] = aten::relu(x); -> %2 } { -> y }\n"
          "=> %1");
}

UNIT_TEST(a_branch_on_a_constant_is_taken)
{
    gives(arena,
          "%r = prim::If(%true) { %u = aten::relu(%x) -> %u } { %v = aten::neg(%x) -> %v }\n"
          "-> %r\n",
          "%1[?,3] = aten::relu(x)\n"
          "=> %1");
}

UNIT_TEST(the_other_side_of_a_constant_is_taken_where_it_is_false)
{
    gives(arena,
          "%r = prim::If(%false) { %u = aten::relu(%x) -> %u } { %v = aten::neg(%x) -> %v }\n"
          "-> %r\n",
          "%1[?,3] = aten::neg(x)\n"
          "=> %1");
}

UNIT_TEST(a_branch_on_a_rank_is_taken)
{
    gives(arena,
          "%k:int = aten::dim(%x)\n"
          "%b:bool = aten::eq.int(%k, %2)\n"
          "%r = prim::If(%b) { %u = aten::relu(%x) -> %u } { -> %x }\n"
          "-> %r\n",
          "2 = aten::dim(x)\n"
          "True = aten::eq.int(2, 2)\n"
          "%1[?,3] = aten::relu(x)\n"
          "=> %1");
}

UNIT_TEST(a_branch_on_a_fixed_size_is_taken)
{
    gives(arena,
          "%k:int = aten::size.int(%x, %1)\n"
          "%b:bool = aten::eq.int(%k, %2)\n"
          "%r = prim::If(%b) { %u = aten::relu(%x) -> %u } { -> %x }\n"
          "-> %r\n",
          "3 = aten::size.int(x, 1)\n"
          "False = aten::eq.int(3, 2)\n"
          "=> x");
}

UNIT_TEST(a_branch_on_a_dynamic_size_is_recorded)
{
    gives(arena,
          "%k:int = aten::size.int(%x, %0)\n"
          "%b:bool = aten::gt.int(%k, %6)\n"
          "%r = prim::If(%b) { %u = aten::relu(%x) -> %u } { -> %x }\n"
          "-> %r\n",
          "%1 int = aten::size.int(x, 0)\n"
          "%2 bool = aten::gt.int(%1, 6)\n"
          "%3[?,3] = prim::If(%2) { %4[?,3] = aten::relu(x); -> %4 } { -> x }\n"
          "=> %3");
}

UNIT_TEST(a_branch_on_a_dynamic_size_is_recorded_though_all_lanes_take_one_side)
{
    gives(arena,
          "%k:int = aten::size.int(%x, %0)\n"
          "%b:bool = aten::gt.int(%k, %2)\n"
          "%r = prim::If(%b) { %u = aten::relu(%x) -> %u } { -> %x }\n"
          "-> %r\n",
          "%1 int = aten::size.int(x, 0)\n"
          "%2 bool = aten::gt.int(%1, 2)\n"
          "%3[?,3] = prim::If(%2) { %4[?,3] = aten::relu(x); -> %4 } { -> x }\n"
          "=> %3");
}

UNIT_TEST(a_branch_that_reads_a_tensor_is_recorded)
{
    gives(arena,
          "%s = aten::sum(%x, %none)\n"
          "%b:bool = aten::Bool.Tensor(%s)\n"
          "%r = prim::If(%b) { %u = aten::relu(%x) -> %u } { -> %x }\n"
          "-> %r\n",
          "%1[] = aten::sum(x, None)\n"
          "%2 bool = aten::Bool.Tensor(%1)\n"
          "%3[?,3] = prim::If(%2) { %4[?,3] = aten::relu(x); -> %4 } { -> x }\n"
          "=> %3");
}

UNIT_TEST(a_branch_on_no_contents_is_taken)
{
    gives(arena,
          "%b:bool = aten::__isnot__(%x, %none)\n"
          "%r = prim::If(%b) { %u = aten::relu(%x) -> %u } { -> %x }\n"
          "-> %r\n",
          "%1[?,3] = aten::relu(x)\n"
          "=> %1");
}

UNIT_TEST(what_both_sides_give_is_no_output)
{
    gives(arena,
          "%r = prim::If(%c) { -> %x } { -> %x }\n"
          "-> %r\n",
          "prim::If(c) { -> } { -> }\n"
          "=> x");
}

UNIT_TEST(numbers_that_are_equal_are_one)
{
    gives(arena,
          "%r:int = prim::If(%c) { -> %1 } { %o:int = prim::Constant<1>() -> %o }\n"
          "%z = aten::add.Scalar(%x, %r, %1)\n"
          "-> %z\n",
          "prim::If(c) { -> } { -> }\n"
          "%1[?,3] = aten::add.Scalar(x, 1, 1)\n"
          "=> %1");
}

UNIT_TEST(numbers_that_differ_are_an_output)
{
    gives(arena,
          "%r:int = prim::If(%c) { -> %1 } { -> %2 }\n"
          "%z = aten::add.Scalar(%x, %r, %1)\n"
          "-> %z\n",
          "%1 int = prim::If(c) { -> 1 } { -> 2 }\n"
          "%2[?,3] = aten::add.Scalar(x, %1, 1)\n"
          "=> %2");
}

UNIT_TEST(sizes_that_are_alike_in_all_lanes_are_an_output)
{
    gives(arena,
          "%k:int = aten::size.int(%x, %0)\n"
          "%l:int = aten::size.int(%y, %0)\n"
          "%r:int = prim::If(%c) { -> %k } { -> %l }\n"
          "%z = aten::add.Scalar(%x, %r, %1)\n"
          "-> %z\n",
          "%1 int = aten::size.int(x, 0)\n"
          "%2 int = aten::size.int(y, 0)\n"
          "%3 int = prim::If(c) { -> %1 } { -> %2 }\n"
          "%4[?,3] = aten::add.Scalar(x, %3, 1)\n"
          "=> %4");
}

UNIT_TEST(flags_are_an_output_that_decides_other_branches)
{
    gives(arena,
          "%f:bool = prim::If(%c) { -> %true } { -> %d }\n"
          "%r = prim::If(%f) { -> %x } { -> %y }\n"
          "-> %r\n",
          "%1 bool = prim::If(c) { -> True } { -> d }\n"
          "%2[?,3] = prim::If(%1) { -> x } { -> y }\n"
          "=> %2");
}

UNIT_TEST(floats_are_an_output)
{
    gives(arena,
          "%s = aten::sum(%x, %none)\n"
          "%f:float = aten::Float.Tensor(%s)\n"
          "%half:float = prim::Constant<0.5>()\n"
          "%r:float = prim::If(%c) { -> %f } { -> %half }\n"
          "%z = aten::add.Scalar(%x, %r, %1)\n"
          "-> %z\n",
          "%1[] = aten::sum(x, None)\n"
          "%2 float = aten::Float.Tensor(%1)\n"
          "%3 float = prim::If(c) { -> %2 } { -> 0.5 }\n"
          "%4[?,3] = aten::add.Scalar(x, %3, 1)\n"
          "=> %4");
}

UNIT_TEST(a_number_that_the_data_decides_becomes_a_size)
{
    gives(arena,
          "%k:int = prim::If(%c) { -> %1 } { -> %n }\n"
          "%l:list = prim::ListConstruct(%k, %3)\n"
          "%z = aten::zeros(%l, %none, %none, %none, %none)\n"
          "-> %z\n",
          "%1 int = prim::If(c) { -> 1 } { -> n }\n"
          "%2[?,3] = aten::zeros((%1, 3), None, None, None, None)\n"
          "=> %2");
}

UNIT_TEST(sizes_that_differ_are_decided_by_the_data)
{
    gives(arena,
          "%r = prim::If(%c) {\n"
          "  %l:list = prim::ListConstruct(%x, %y)\n"
          "  %u = aten::cat(%l, %0)\n"
          "  -> %u } { -> %x }\n"
          "%z = aten::add.Scalar(%r, %1, %1)\n"
          "-> %z\n",
          "%1[?,3] = prim::If(c) { %2[?,3] = aten::cat((x, y), 0); -> %2 } { -> x }\n"
          "%3[?,3] = aten::add.Scalar(%1, 1, 1)\n"
          "=> %3");
}

UNIT_TEST(a_fixed_size_that_differs_is_decided_by_the_data)
{
    gives(arena,
          "%u = aten::unsqueeze(%x, %0)\n"
          "%l:list = prim::ListConstruct(%u, %u)\n"
          "%v = aten::cat(%l, %0)\n"
          "%r = prim::If(%c) { -> %u } { -> %v }\n"
          "-> %r\n",
          "%1[1,?,3] = aten::unsqueeze(x, 0)\n"
          "%2[2,?,3] = aten::cat((%1, %1), 0)\n"
          "%3[?,?,3] = prim::If(c) { -> %1 } { -> %2 }\n"
          "=> %3");
}

UNIT_TEST(several_outputs_keep_their_order)
{
    gives(arena,
          "%r, %s = prim::If(%c) { -> %x, %y } { %u = aten::relu(%x) -> %y, %u }\n"
          "-> %s, %r\n",
          "%1[?,3], %2[?,3] = prim::If(c) { -> x, y } { %3[?,3] = aten::relu(x); -> y, %3 }\n"
          "=> %2, %1");
}

UNIT_TEST(what_a_side_made_is_seen_within_it_alone)
{
    gives(arena,
          "prim::If(%c) { %u = aten::relu(%x) -> } { %v = aten::neg(%x) -> }\n"
          "-> %x\n",
          "prim::If(c) { %1[?,3] = aten::relu(x); -> } { %2[?,3] = aten::neg(x); -> }\n"
          "=> x");
}

UNIT_TEST(sides_read_what_was_made_before)
{
    gives(arena,
          "%u = aten::relu(%x)\n"
          "%r = prim::If(%c) { %v = aten::neg(%u) -> %v } { -> %u }\n"
          "-> %r\n",
          "%1[?,3] = aten::relu(x)\n"
          "%2[?,3] = prim::If(c) { %3[?,3] = aten::neg(%1); -> %3 } { -> %1 }\n"
          "=> %2");
}

UNIT_TEST(branches_stand_in_branches)
{
    gives(arena,
          "%r = prim::If(%c) {\n"
          "  %s = prim::If(%d) { %u = aten::relu(%x) -> %u } { -> %y }\n"
          "  %t = aten::neg(%s)\n"
          "  -> %t } { -> %x }\n"
          "-> %r\n",
          "%1[?,3] = prim::If(c) { %2[?,3] = prim::If(d) { %3[?,3] = aten::relu(x); -> %3 } { "
          "-> y }; %4[?,3] = aten::neg(%2); -> %4 } { -> x }\n"
          "=> %1");
}

UNIT_TEST(a_side_that_is_decided_stands_in_a_branch_without_a_node)
{
    gives(arena,
          "%r = prim::If(%c) {\n"
          "  %s = prim::If(%true) { %u = aten::relu(%x) -> %u } { -> %y }\n"
          "  -> %s } { -> %x }\n"
          "-> %r\n",
          "%1[?,3] = prim::If(c) { %2[?,3] = aten::relu(x); -> %2 } { -> x }\n"
          "=> %1");
}

UNIT_TEST(what_has_no_value_on_one_side_goes_with_the_other_one)
{
    gives(arena,
          "%r = prim::If(%c) { -> %x } { %q = prim::Uninitialized() -> %q }\n"
          "%z = aten::relu(%r)\n"
          "-> %z\n",
          "%1[?,3] = prim::If(c) { -> x } { -> nothing }\n"
          "%2[?,3] = aten::relu(%1)\n"
          "=> %2");
}

UNIT_TEST(what_is_unknown_on_one_side_is_unknown_behind_it)
{
    gives(arena,
          "%i = aten::nonzero(%x)\n"
          "%r = prim::If(%c) { %w = aten::select.int(%i, %0, %many) -> %w } { -> %y }\n"
          "%z = aten::relu(%r)\n"
          "-> %z\n",
          "%1[?,2] = aten::nonzero(x)\n"
          "prim::If(c) { %2 unknown = aten::select.int(%1, 0, 9223372036854775807) "
          "! sizes that depend on the data do not fit: index out of range; -> } { -> }\n"
          "%3 unknown = aten::relu(unknown)\n"
          "=> %3");
}

UNIT_TEST(an_unknown_condition_is_blamed_on_what_failed)
{
    gives(arena,
          "%i = aten::nonzero(%x)\n"
          "%w = aten::select.int(%i, %0, %many)\n"
          "%b:bool = aten::Bool.Tensor(%w)\n"
          "%r = prim::If(%b) { -> %x } { -> %y }\n"
          "-> %r\n",
          "aten::select.int, which decides what runs: sizes that depend on the data do not fit: "
          "index out of range, in the root module");
}

UNIT_TEST(a_condition_that_is_a_tensor_is_refused)
{
    gives(arena,
          "%r = prim::If(%x) { -> %x } { -> %y }\n"
          "-> %r\n",
          "a branch or loop depends on the data, in the root module");
}

UNIT_TEST(a_condition_that_is_a_number_is_no_program)
{
    gives(arena,
          "%r = prim::If(%1) { -> %x } { -> %y }\n"
          "-> %r\n",
          "a bool is expected");
}

UNIT_TEST(a_branch_without_sides_is_no_program)
{
    gives(arena,
          "prim::If(%c)\n"
          "-> %x\n",
          "a branch has no condition or no sides");
}

UNIT_TEST(sides_that_give_other_counts_of_values_are_no_program)
{
    gives(arena,
          "%r = prim::If(%c) { -> %x, %y } { -> %x }\n"
          "-> %r\n",
          "the sides of a branch give more or fewer values");
}

UNIT_TEST(tensors_within_tuples_are_outputs_of_their_own)
{
    gives(arena,
          "%r:tuple = prim::If(%c) {\n"
          "  %t:tuple = prim::TupleConstruct(%x, %1)\n"
          "  -> %t } {\n"
          "  %u:tuple = prim::TupleConstruct(%y, %2)\n"
          "  -> %u }\n"
          "%a, %k:int = prim::TupleUnpack(%r)\n"
          "%z = aten::add.Scalar(%a, %k, %1)\n"
          "-> %z\n",
          "%1[?,3], %2 int = prim::If(c) { -> x, 1 } { -> y, 2 }\n"
          "%3[?,3] = aten::add.Scalar(%1, %2, 1)\n"
          "=> %3");
}

UNIT_TEST(tensors_within_lists_are_outputs_of_their_own)
{
    gives(arena,
          "%r:list = prim::If(%c) {\n"
          "  %l:list = prim::ListConstruct(%x, %y)\n"
          "  -> %l } {\n"
          "  %m:list = prim::ListConstruct(%y, %y)\n"
          "  -> %m }\n"
          "%z = aten::stack(%r, %0)\n"
          "-> %z\n",
          "%1[?,3] = prim::If(c) { -> x } { -> y }\n"
          "%2[2,?,3] = aten::stack((%1, y), 0)\n"
          "=> %2");
}

UNIT_TEST(a_list_that_may_be_another_one_is_not_changed)
{
    gives(arena,
          "%l:list = prim::ListConstruct(%x)\n"
          "%m:list = prim::ListConstruct(%y)\n"
          "%r:list = prim::If(%c) { -> %l } { -> %m }\n"
          "%s:list = aten::append(%r, %x)\n"
          "-> %x\n",
          "a list that comes out of a branch or loop on the data is changed");
}

UNIT_TEST(a_list_that_became_an_output_of_a_branch_is_not_changed_either)
{
    gives(arena,
          "%l:list = prim::ListConstruct(%x)\n"
          "%m:list = prim::ListConstruct(%y)\n"
          "%r:list = prim::If(%c) { -> %l } { -> %m }\n"
          "%s:list = aten::append(%l, %x)\n"
          "-> %x\n",
          "a list that comes out of a branch or loop on the data is changed");
}

UNIT_TEST(a_list_that_both_sides_give_is_changed_as_itself)
{
    gives(arena,
          "%l:list = prim::ListConstruct(%x)\n"
          "%r:list = prim::If(%c) { -> %l } { -> %l }\n"
          "%s:list = aten::append(%r, %y)\n"
          "%z = aten::stack(%l, %0)\n"
          "-> %z\n",
          "prim::If(c) { -> } { -> }\n"
          "%1[2,?,3] = aten::stack((x, y), 0)\n"
          "=> %1");
}

UNIT_TEST(a_list_that_has_no_value_on_one_side_is_the_other_one)
{
    gives(arena,
          "%r:list = prim::If(%c) {\n"
          "  %l:list = prim::ListConstruct(%x, %y)\n"
          "  -> %l } {\n"
          "  %q:list = prim::Uninitialized()\n"
          "  -> %q }\n"
          "%z = aten::stack(%r, %0)\n"
          "-> %z\n",
          "%1[?,3], %2[?,3] = prim::If(c) { -> x, y } { -> nothing, nothing }\n"
          "%3[2,?,3] = aten::stack((%1, %2), 0)\n"
          "=> %3");
}

UNIT_MAIN("interpret: branches", a_branch_on_the_data_is_recorded_with_both_sides,
          a_branch_on_a_constant_is_taken, the_other_side_of_a_constant_is_taken_where_it_is_false,
          a_branch_on_a_rank_is_taken, a_branch_on_a_fixed_size_is_taken,
          a_branch_on_a_dynamic_size_is_recorded,
          a_branch_on_a_dynamic_size_is_recorded_though_all_lanes_take_one_side,
          a_branch_that_reads_a_tensor_is_recorded, a_branch_on_no_contents_is_taken,
          what_both_sides_give_is_no_output, numbers_that_are_equal_are_one,
          numbers_that_differ_are_an_output, sizes_that_are_alike_in_all_lanes_are_an_output,
          flags_are_an_output_that_decides_other_branches, floats_are_an_output,
          a_number_that_the_data_decides_becomes_a_size, sizes_that_differ_are_decided_by_the_data,
          a_fixed_size_that_differs_is_decided_by_the_data, several_outputs_keep_their_order,
          what_a_side_made_is_seen_within_it_alone, sides_read_what_was_made_before,
          branches_stand_in_branches, a_side_that_is_decided_stands_in_a_branch_without_a_node,
          what_has_no_value_on_one_side_goes_with_the_other_one,
          what_is_unknown_on_one_side_is_unknown_behind_it,
          an_unknown_condition_is_blamed_on_what_failed, a_condition_that_is_a_tensor_is_refused,
          a_condition_that_is_a_number_is_no_program, a_branch_without_sides_is_no_program,
          sides_that_give_other_counts_of_values_are_no_program,
          tensors_within_tuples_are_outputs_of_their_own,
          tensors_within_lists_are_outputs_of_their_own,
          a_list_that_may_be_another_one_is_not_changed,
          a_list_that_became_an_output_of_a_branch_is_not_changed_either,
          a_list_that_both_sides_give_is_changed_as_itself,
          a_list_that_has_no_value_on_one_side_is_the_other_one)
