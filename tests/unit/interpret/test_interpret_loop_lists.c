/*
 * Lists in loops: appended elements, and carried lists.
 */
#include "named_trace.h"

UNIT_TEST(what_each_iteration_appends_is_stacked)
{
    gives(arena,
          "%l:list = prim::ListConstruct()\n"
          "prim::Loop(%n, %true) { (%i:int)\n"
          "  %u = aten::add.Scalar(%x, %i, %1)\n"
          "  %k:list = aten::append(%l, %u)\n"
          "  -> %true }\n"
          "%z = aten::stack(%l, %0)\n"
          "-> %z\n",
          "%1[?,?,3] = prim::Loop(n, True) { (%2 int) %3[?,3] = aten::add.Scalar(x, %2, 1); "
          "-> True, %3 }\n"
          "%4[?,?,3] = aten::movedim.int(%1, 0, 0)\n"
          "=> %4");
}

UNIT_TEST(the_length_of_the_stack_is_that_of_the_loop)
{
    gives(arena,
          "%k:int = aten::size.int(%x, %0)\n"
          "%l:list = prim::ListConstruct()\n"
          "prim::Loop(%k, %true) { (%i:int)\n"
          "  %u = aten::select.int(%x, %0, %i)\n"
          "  %m:list = aten::append(%l, %u)\n"
          "  -> %true }\n"
          "%z = aten::stack(%l, %0)\n"
          "%w = aten::add.Tensor(%z, %x, %1)\n"
          "-> %w\n",
          "%1 int = aten::size.int(x, 0)\n"
          "%2[?,3] = prim::Loop(%1, True) { (%3 int) %4[3] = aten::select.int(x, 0, %3); "
          "-> True, %4 }\n"
          "%5[?,3] = aten::movedim.int(%2, 0, 0)\n"
          "%6[?,3] = aten::add.Tensor(%5, x, 1)\n"
          "=> %6");
}

UNIT_TEST(numbers_are_stacked_as_well)
{
    gives(arena,
          "%l:list = prim::ListConstruct()\n"
          "prim::Loop(%n, %true) { (%i:int)\n"
          "  %u:int = aten::mul.int(%i, %2)\n"
          "  %k:list = aten::append(%l, %u)\n"
          "  -> %true }\n"
          "%e:int = aten::__getitem__.t(%l, %0)\n"
          "%z = aten::add.Scalar(%x, %e, %1)\n"
          "-> %z\n",
          "%1[?] = prim::Loop(n, True) { (%2 int) %3 int = aten::mul.int(%2, 2); -> True, %3 }\n"
          "%4[] = aten::select.int(%1, 0, 0)\n"
          "%5 int = aten::Int.Tensor(%4)\n"
          "%6[?,3] = aten::add.Scalar(x, %5, 1)\n"
          "=> %6");
}

UNIT_TEST(known_elements_stay_in_front_of_the_stack)
{
    gives(arena,
          "%l:list = prim::ListConstruct(%x)\n"
          "prim::Loop(%n, %true) { (%i:int)\n"
          "  %u = aten::add.Scalar(%x, %i, %1)\n"
          "  %k:list = aten::append(%l, %u)\n"
          "  -> %true }\n"
          "%z = aten::stack(%l, %0)\n"
          "-> %z\n",
          "%1[?,?,3] = prim::Loop(n, True) { (%2 int) %3[?,3] = aten::add.Scalar(x, %2, 1); "
          "-> True, %3 }\n"
          "%4[?,?,3] = aten::movedim.int(%1, 0, 0)\n"
          "%5[1,?,3] = aten::unsqueeze(x, 0)\n"
          "%6[?,?,3] = aten::cat((%5, %4), 0)\n"
          "=> %6");
}

UNIT_TEST(known_elements_count)
{
    gives(arena,
          "%l:list = prim::ListConstruct(%x, %y)\n"
          "prim::Loop(%n, %true) { (%i:int) %k:list = aten::append(%l, %x) -> %true }\n"
          "%k2:int = aten::len.t(%l)\n"
          "%z = aten::add.Scalar(%x, %k2, %1)\n"
          "-> %z\n",
          "%1[?,?,3] = prim::Loop(n, True) { (%2 int) -> True, x }\n"
          "%3 int = aten::size.int(%1, 0)\n"
          "%4 int = aten::add.int(%3, 2)\n"
          "%5[?,3] = aten::add.Scalar(x, %4, 1)\n"
          "=> %5");
}

UNIT_TEST(what_is_appended_while_the_data_says_is_stacked)
{
    gives(arena,
          "%l:list = prim::ListConstruct()\n"
          "%r = prim::Loop(%many, %c, %x) { (%i:int, %w)\n"
          "  %u = aten::relu(%w)\n"
          "  %k:list = aten::append(%l, %u)\n"
          "  -> %d, %u }\n"
          "%z = aten::stack(%l, %0)\n"
          "-> %z\n",
          "%1[?,3], %2[?,?,3] = prim::Loop(None, c, x) { (%3 int, %4[?,3]) "
          "%5[?,3] = aten::relu(%4); -> d, %5, %5 }\n"
          "%6[?,?,3] = aten::movedim.int(%2, 0, 0)\n"
          "=> %6");
}

UNIT_TEST(several_lists_are_stacked_by_one_loop)
{
    gives(arena,
          "%l:list = prim::ListConstruct()\n"
          "%m:list = prim::ListConstruct()\n"
          "prim::Loop(%n, %true) { (%i:int)\n"
          "  %k:list = aten::append(%l, %x)\n"
          "  %o:list = aten::append(%m, %i)\n"
          "  -> %true }\n"
          "%z = aten::stack(%l, %0)\n"
          "%e:int = aten::__getitem__.t(%m, %0)\n"
          "%w = aten::add.Scalar(%z, %e, %1)\n"
          "-> %w\n",
          "%1[?,?,3], %2[?] = prim::Loop(n, True) { (%3 int) -> True, x, %3 }\n"
          "%4[?,?,3] = aten::movedim.int(%1, 0, 0)\n"
          "%5[] = aten::select.int(%2, 0, 0)\n"
          "%6 int = aten::Int.Tensor(%5)\n"
          "%7[?,?,3] = aten::add.Scalar(%4, %6, 1)\n"
          "=> %7");
}

UNIT_TEST(what_was_carried_into_an_iteration_is_appended)
{
    gives(arena,
          "%l:list = prim::ListConstruct()\n"
          "%r = prim::Loop(%n, %true, %x) { (%i:int, %a)\n"
          "  %k:list = aten::append(%l, %a)\n"
          "  %u = aten::relu(%a)\n"
          "  -> %true, %u }\n"
          "%z = aten::stack(%l, %0)\n"
          "-> %z\n",
          "%1[?,3], %2[?,?,3] = prim::Loop(n, True, x) { (%3 int, %4[?,3]) "
          "%5[?,3] = aten::relu(%4); -> True, %5, %4 }\n"
          "%6[?,?,3] = aten::movedim.int(%2, 0, 0)\n"
          "=> %6");
}

UNIT_TEST(a_list_that_is_appended_to_on_one_side_is_carried)
{
    gives(arena,
          "%l:list = prim::ListConstruct()\n"
          "prim::Loop(%n, %true) { (%i:int)\n"
          "  prim::If(%c) { %k:list = aten::append(%l, %x) -> } { -> }\n"
          "  -> %true }\n"
          "%z = aten::stack(%l, %0)\n"
          "-> %z\n",
          "%1 int = aten::size.int(x, 0)\n"
          "%2[0,?,3] = aten::zeros((0, %1, 3), 6, None, None, None)\n"
          "%3[?,?,3] = prim::Loop(n, True, %2) { (%4 int, %5[?,?,3]) %6[?,?,3] = prim::If(c) { "
          "%7[1,?,3] = aten::unsqueeze(x, 0); %8[?,?,3] = aten::cat((%5, %7), 0); -> %8 } { "
          "-> %5 }; -> True, %6 }\n"
          "%9[?,?,3] = aten::movedim.int(%3, 0, 0)\n"
          "=> %9");
}

UNIT_TEST(a_list_that_is_appended_to_twice_is_carried)
{
    gives(arena,
          "%l:list = prim::ListConstruct()\n"
          "prim::Loop(%n, %true) { (%i:int)\n"
          "  %k:list = aten::append(%l, %x)\n"
          "  %m:list = aten::append(%l, %y)\n"
          "  -> %true }\n"
          "%z = aten::stack(%l, %0)\n"
          "-> %z\n",
          "%1 int = aten::size.int(x, 0)\n"
          "%2[0,?,3] = aten::zeros((0, %1, 3), 6, None, None, None)\n"
          "%3[?,?,3] = prim::Loop(n, True, %2) { (%4 int, %5[?,?,3]) "
          "%6[1,?,3] = aten::unsqueeze(x, 0); %7[?,?,3] = aten::cat((%5, %6), 0); "
          "%8[1,?,3] = aten::unsqueeze(y, 0); %9[?,?,3] = aten::cat((%7, %8), 0); -> True, %9 }\n"
          "%10[?,?,3] = aten::movedim.int(%3, 0, 0)\n"
          "=> %10");
}

UNIT_TEST(a_list_that_the_body_reads_is_carried)
{
    gives(arena,
          "%l:list = prim::ListConstruct(%x)\n"
          "prim::Loop(%n, %true) { (%i:int)\n"
          "  %u = aten::__getitem__.t(%l, %i)\n"
          "  %v = aten::relu(%u)\n"
          "  %k:list = aten::append(%l, %v)\n"
          "  -> %true }\n"
          "%z = aten::stack(%l, %0)\n"
          "-> %z\n",
          "%1[1,?,3] = aten::unsqueeze(x, 0)\n"
          "%2[?,?,3] = prim::Loop(n, True, %1) { (%3 int, %4[?,?,3]) "
          "%5[?,3] = aten::select.int(%4, 0, %3); %6[?,3] = aten::relu(%5); "
          "%7[1,?,3] = aten::unsqueeze(%6, 0); %8[?,?,3] = aten::cat((%4, %7), 0); -> True, %8 }\n"
          "%9[?,?,3] = aten::movedim.int(%2, 0, 0)\n"
          "=> %9");
}

UNIT_TEST(a_list_that_the_body_counts_is_carried)
{
    gives(arena,
          "%l:list = prim::ListConstruct(%x)\n"
          "prim::Loop(%n, %true) { (%i:int)\n"
          "  %e:int = aten::len.t(%l)\n"
          "  %v = aten::add.Scalar(%x, %e, %1)\n"
          "  %k:list = aten::append(%l, %v)\n"
          "  -> %true }\n"
          "%z = aten::stack(%l, %0)\n"
          "-> %z\n",
          "%1[1,?,3] = aten::unsqueeze(x, 0)\n"
          "%2[?,?,3] = prim::Loop(n, True, %1) { (%3 int, %4[?,?,3]) "
          "%5 int = aten::size.int(%4, 0); %6[?,3] = aten::add.Scalar(x, %5, 1); "
          "%7[1,?,3] = aten::unsqueeze(%6, 0); %8[?,?,3] = aten::cat((%4, %7), 0); -> True, %8 }\n"
          "%9[?,?,3] = aten::movedim.int(%2, 0, 0)\n"
          "=> %9");
}

UNIT_TEST(a_list_that_the_body_shortens_is_carried)
{
    gives(arena,
          "%l:list = prim::ListConstruct(%x, %y)\n"
          "prim::Loop(%n, %true) { (%i:int) %a = aten::pop.t(%l, %0) -> %true }\n"
          "%z = aten::stack(%l, %0)\n"
          "-> %z\n",
          "%1[1,?,3] = aten::unsqueeze(x, 0)\n"
          "%2[1,?,3] = aten::unsqueeze(y, 0)\n"
          "%3[2,?,3] = aten::cat((%1, %2), 0)\n"
          "%4[?,?,3] = prim::Loop(n, True, %3) { (%5 int, %6[?,?,3]) "
          "%7[?,3] = aten::select.int(%6, 0, 0); %8[?,?,3] = aten::slice.Tensor(%6, 0, 1, None, "
          "1); -> True, %8 }\n"
          "%9[?,?,3] = aten::movedim.int(%4, 0, 0)\n"
          "=> %9");
}

UNIT_TEST(a_list_that_a_loop_within_appends_to_is_carried_by_both)
{
    gives(arena,
          "%l:list = prim::ListConstruct()\n"
          "prim::Loop(%n, %true) { (%i:int)\n"
          "  prim::Loop(%i, %true) { (%j:int)\n"
          "    %u = aten::add.Scalar(%x, %j, %1)\n"
          "    %k:list = aten::append(%l, %u)\n"
          "    -> %true }\n"
          "  -> %true }\n"
          "%z = aten::stack(%l, %0)\n"
          "-> %z\n",
          "%1 int = aten::size.int(x, 0)\n"
          "%2[0,?,3] = aten::zeros((0, %1, 3), 6, None, None, None)\n"
          "%3[?,?,3] = prim::Loop(n, True, %2) { (%4 int, %5[?,?,3]) "
          "%6[?,?,3] = prim::Loop(%4, True, %5) { (%7 int, %8[?,?,3]) "
          "%9[?,3] = aten::add.Scalar(x, %7, 1); %10[1,?,3] = aten::unsqueeze(%9, 0); "
          "%11[?,?,3] = aten::cat((%8, %10), 0); -> True, %11 }; -> True, %6 }\n"
          "%12[?,?,3] = aten::movedim.int(%3, 0, 0)\n"
          "=> %12");
}

UNIT_TEST(a_list_of_an_iteration_is_stacked_by_the_loop_within)
{
    gives(arena,
          "%r = prim::Loop(%n, %true, %x) { (%i:int, %a)\n"
          "  %l:list = prim::ListConstruct()\n"
          "  prim::Loop(%n, %true) { (%j:int)\n"
          "    %u = aten::add.Scalar(%a, %j, %1)\n"
          "    %k:list = aten::append(%l, %u)\n"
          "    -> %true }\n"
          "  %e = aten::__getitem__.t(%l, %0)\n"
          "  -> %true, %e }\n"
          "-> %r\n",
          "%1[?,3] = prim::Loop(n, True, x) { (%2 int, %3[?,3]) "
          "%4[?,?,3] = prim::Loop(n, True) { (%5 int) %6[?,3] = aten::add.Scalar(%3, %5, 1); "
          "-> True, %6 }; %7[?,3] = aten::select.int(%4, 0, 0); -> True, %7 }\n"
          "=> %1");
}

UNIT_TEST(a_stack_is_appended_to_behind_its_loop)
{
    gives(arena,
          "%l:list = prim::ListConstruct()\n"
          "prim::Loop(%n, %true) { (%i:int) %k:list = aten::append(%l, %x) -> %true }\n"
          "%m:list = aten::append(%l, %y)\n"
          "%z = aten::stack(%l, %0)\n"
          "-> %z\n",
          "%1[?,?,3] = prim::Loop(n, True) { (%2 int) -> True, x }\n"
          "%3[1,?,3] = aten::unsqueeze(y, 0)\n"
          "%4[?,?,3] = aten::cat((%1, %3), 0)\n"
          "%5[?,?,3] = aten::movedim.int(%4, 0, 0)\n"
          "=> %5");
}

UNIT_TEST(a_stack_is_carried_by_the_next_loop_that_appends_to_it)
{
    gives(arena,
          "%l:list = prim::ListConstruct()\n"
          "prim::Loop(%n, %true) { (%i:int) %k:list = aten::append(%l, %x) -> %true }\n"
          "prim::Loop(%n, %true) { (%j:int) %m:list = aten::append(%l, %y) -> %true }\n"
          "%z = aten::stack(%l, %0)\n"
          "-> %z\n",
          "%1[?,?,3] = prim::Loop(n, True) { (%2 int) -> True, x }\n"
          "%3[?,?,3] = prim::Loop(n, True, %1) { (%4 int, %5[?,?,3]) "
          "%6[1,?,3] = aten::unsqueeze(y, 0); %7[?,?,3] = aten::cat((%5, %6), 0); -> True, %7 }\n"
          "%8[?,?,3] = aten::movedim.int(%3, 0, 0)\n"
          "=> %8");
}

UNIT_TEST(a_stack_is_read_by_another_loop)
{
    gives(arena,
          "%l:list = prim::ListConstruct()\n"
          "prim::Loop(%n, %true) { (%i:int) %k:list = aten::append(%l, %x) -> %true }\n"
          "%count:int = aten::len.t(%l)\n"
          "%r = prim::Loop(%count, %true, %y) { (%j:int, %s)\n"
          "  %e = aten::__getitem__.t(%l, %j)\n"
          "  %t = aten::add.Tensor(%s, %e, %1)\n"
          "  -> %true, %t }\n"
          "-> %r\n",
          "%1[?,?,3] = prim::Loop(n, True) { (%2 int) -> True, x }\n"
          "%3 int = aten::size.int(%1, 0)\n"
          "%4[?,3] = prim::Loop(%3, True, y) { (%5 int, %6[?,3]) "
          "%7[?,3] = aten::select.int(%1, 0, %5); %8[?,3] = aten::add.Tensor(%6, %7, 1); "
          "-> True, %8 }\n"
          "=> %4");
}

UNIT_TEST(tensors_of_sizes_that_the_iteration_decides_are_a_sequence)
{
    gives(arena,
          "%l:list = prim::ListConstruct()\n"
          "prim::Loop(%n, %true) { (%i:int)\n"
          "  %p:list = prim::ListConstruct(%i)\n"
          "  %u = aten::zeros(%p, %none, %none, %none, %none)\n"
          "  %k:list = aten::append(%l, %u)\n"
          "  -> %true }\n"
          "%z = aten::cat(%l, %0)\n"
          "-> %z\n",
          "%1 sequence[?] = prim::ListConstruct()\n"
          "%2 sequence[?] = prim::Loop(n, True, %1) { (%3 int, %4 sequence[?]) "
          "%5[?] = aten::zeros((%3), None, None, None, None); "
          "%6 sequence[?] = aten::append.t(%4, %5); -> True, %6 }\n"
          "%7[?] = aten::cat(%2, 0)\n"
          "=> %7");
}

UNIT_TEST(tensors_of_sizes_that_the_data_decides_are_a_sequence)
{
    gives(arena,
          "%l:list = prim::ListConstruct()\n"
          "%r = prim::Loop(%n, %true, %x) { (%i:int, %w)\n"
          "  %u = aten::nonzero(%w)\n"
          "  %k:list = aten::append(%l, %u)\n"
          "  %v = aten::relu(%w)\n"
          "  -> %true, %v }\n"
          "%z = aten::cat(%l, %0)\n"
          "-> %z\n",
          "%1 sequence[?,2] = prim::ListConstruct()\n"
          "%2[?,3], %3 sequence[?,2] = prim::Loop(n, True, x, %1) { "
          "(%4 int, %5[?,3], %6 sequence[?,2]) %7[?,2] = aten::nonzero(%5); "
          "%8 sequence[?,2] = aten::append.t(%6, %7); %9[?,3] = aten::relu(%5); -> True, %9, %8 }\n"
          "%10[?,2] = aten::cat(%3, 0)\n"
          "=> %10");
}

UNIT_TEST(a_stack_that_is_returned_is_a_sequence)
{
    gives(arena,
          "%l:list = prim::ListConstruct()\n"
          "prim::Loop(%n, %true) { (%i:int)\n"
          "  %u = aten::add.Scalar(%x, %i, %1)\n"
          "  %k:list = aten::append(%l, %u)\n"
          "  -> %true }\n"
          "-> %l\n",
          "%1[?,?,3] = prim::Loop(n, True) { (%2 int) %3[?,3] = aten::add.Scalar(x, %2, 1); "
          "-> True, %3 }\n"
          "%4 sequence[?,3] = aten::unbind.int(%1, 0)\n"
          "=> %4");
}

UNIT_TEST(numbers_that_are_returned_are_a_tensor)
{
    gives(arena,
          "%l:list = prim::ListConstruct()\n"
          "prim::Loop(%n, %true) { (%i:int) %k:list = aten::append(%l, %i) -> %true }\n"
          "-> %l\n",
          "%1[?] = prim::Loop(n, True) { (%2 int) -> True, %2 }\n"
          "=> %1");
}

UNIT_MAIN("interpret: lists in loops", what_each_iteration_appends_is_stacked,
          the_length_of_the_stack_is_that_of_the_loop, numbers_are_stacked_as_well,
          known_elements_stay_in_front_of_the_stack, known_elements_count,
          what_is_appended_while_the_data_says_is_stacked, several_lists_are_stacked_by_one_loop,
          what_was_carried_into_an_iteration_is_appended,
          a_list_that_is_appended_to_on_one_side_is_carried,
          a_list_that_is_appended_to_twice_is_carried, a_list_that_the_body_reads_is_carried,
          a_list_that_the_body_counts_is_carried, a_list_that_the_body_shortens_is_carried,
          a_list_that_a_loop_within_appends_to_is_carried_by_both,
          a_list_of_an_iteration_is_stacked_by_the_loop_within,
          a_stack_is_appended_to_behind_its_loop,
          a_stack_is_carried_by_the_next_loop_that_appends_to_it, a_stack_is_read_by_another_loop,
          tensors_of_sizes_that_the_iteration_decides_are_a_sequence,
          tensors_of_sizes_that_the_data_decides_are_a_sequence,
          a_stack_that_is_returned_is_a_sequence, numbers_that_are_returned_are_a_tensor)
