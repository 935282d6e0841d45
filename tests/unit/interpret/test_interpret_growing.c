/*
 * Data-dependent loops that append to lists, and the code after them.
 */
#include "lists_fixture.h"

/* ---- loops that append ----------------------------------------------------------------------- */

UNIT_TEST(a_loop_that_is_known_to_end_is_unrolled)
{
    method_gives(arena, "[2] [2]",
                 "  %l:list = prim::ListConstruct()\n"
                 "  prim::Loop(%3, %true)\n"
                 "  { (%i:int)\n"
                 "    %q:list = aten::append.t(%l, %i)\n"
                 "    -> %true\n"
                 "  }\n"
                 "  -> %l\n",
                 "=> 0, 1, 2");
}

UNIT_TEST(a_dynamic_axis_decides_the_length_as_data_does)
{
    method_gives(arena, "[?,3] [2]",
                 "  %h:int = aten::size.int(%x, %0)\n"
                 "  %l:list = prim::ListConstruct()\n"
                 "  prim::Loop(%h, %true)\n"
                 "  { (%i:int)\n"
                 "    %e = aten::select.int(%x, %0, %i)\n"
                 "    %q:list = aten::append.t(%l, %e)\n"
                 "    -> %true\n"
                 "  }\n"
                 "  %r = aten::stack(%l, %1)\n"
                 "  -> %r\n",
                 "%1 int = aten::size.int(x, 0)\n"
                 "%2[?,3] = prim::Loop(%1, True) { (%3 int) %4[3] = aten::select.int(x, 0, "
                 "%3); -> True, %4 }\n"
                 "%5[3,?] = aten::movedim.int(%2, 0, 1)\n"
                 "=> %5");
}

UNIT_TEST(a_loop_without_a_limit_gives_a_length_of_its_own)
{
    method_gives(arena, "[2] [2]",
                 "  %l:list = prim::ListConstruct()\n"
                 "  prim::Loop(%many, %f)\n"
                 "  { (%i:int)\n"
                 "    %q:list = aten::append.t(%l, %x)\n"
                 "    %t:int = aten::Int.Tensor(%x)\n"
                 "    %c:bool = aten::lt.int(%t, %i)\n"
                 "    -> %c\n"
                 "  }\n"
                 "  %r:int = aten::len.t(%l)\n"
                 "  -> %r\n",
                 "%1[?,2] = prim::Loop(None, f) { (%2 int) %3 int = aten::Int.Tensor(x); %4 "
                 "bool = aten::lt.int(%3, %2); -> %4, x }\n"
                 "%5 int = aten::size.int(%1, 0)\n"
                 "=> %5");
}

UNIT_TEST(what_may_not_be_appended_is_carried_as_rows)
{
    method_gives(arena, "[2] [2]",
                 "  %l:list = prim::ListConstruct()\n"
                 "  prim::Loop(%n, %true)\n"
                 "  { (%i:int)\n"
                 "    %c:bool = aten::gt.int(%i, %k)\n"
                 "    prim::If(%c)\n"
                 "    {\n"
                 "      %q:list = aten::append.t(%l, %x)\n"
                 "      ->\n"
                 "    }\n"
                 "    {\n"
                 "      ->\n"
                 "    }\n"
                 "    -> %true\n"
                 "  }\n"
                 "  %r = aten::stack(%l, %0)\n"
                 "  -> %r\n",
                 "%1[0,2] = aten::zeros((0, 2), 6, None, None, None)\n"
                 "%2[?,2] = prim::Loop(n, True, %1) { (%3 int, %4[?,2]) %5 bool = "
                 "aten::gt.int(%3, k); %6[?,2] = prim::If(%5) { %7[1,2] = "
                 "aten::unsqueeze(x, 0); %8[?,2] = aten::cat((%4, %7), 0); -> %8 } { -> %4 "
                 "}; -> True, %6 }\n"
                 "%9[?,2] = aten::movedim.int(%2, 0, 0)\n"
                 "=> %9");
}

UNIT_TEST(the_sizes_of_no_rows_yet_are_those_of_the_input)
{
    method_gives(arena, "[?] [2]",
                 "  %l:list = prim::ListConstruct()\n"
                 "  prim::Loop(%n, %true)\n"
                 "  { (%i:int)\n"
                 "    %c:bool = aten::gt.int(%i, %k)\n"
                 "    prim::If(%c)\n"
                 "    {\n"
                 "      %q:list = aten::append.t(%l, %x)\n"
                 "      ->\n"
                 "    }\n"
                 "    {\n"
                 "      ->\n"
                 "    }\n"
                 "    -> %true\n"
                 "  }\n"
                 "  %r = aten::stack(%l, %0)\n"
                 "  -> %r\n",
                 "%1 int = aten::size.int(x, 0)\n"
                 "%2[0,?] = aten::zeros((0, %1), 6, None, None, None)\n"
                 "%3[?,?] = prim::Loop(n, True, %2) { (%4 int, %5[?,?]) %6 bool = "
                 "aten::gt.int(%4, k); %7[?,?] = prim::If(%6) { %8[1,?] = "
                 "aten::unsqueeze(x, 0); %9[?,?] = aten::cat((%5, %8), 0); -> %9 } { -> %5 "
                 "}; -> True, %7 }\n"
                 "%10[?,?] = aten::movedim.int(%3, 0, 0)\n"
                 "=> %10");
}

UNIT_TEST(two_rows_in_each_iteration_are_carried)
{
    method_gives(arena, "[2] [2]",
                 "  %l:list = prim::ListConstruct()\n"
                 "  prim::Loop(%n, %true)\n"
                 "  { (%i:int)\n"
                 "    %p:list = aten::append.t(%l, %x)\n"
                 "    %q:list = aten::append.t(%l, %y)\n"
                 "    -> %true\n"
                 "  }\n"
                 "  %r = aten::stack(%l, %0)\n"
                 "  -> %r\n",
                 "%1[0,2] = aten::zeros((0, 2), 6, None, None, None)\n"
                 "%2[?,2] = prim::Loop(n, True, %1) { (%3 int, %4[?,2]) %5[1,2] = "
                 "aten::unsqueeze(x, 0); %6[?,2] = aten::cat((%4, %5), 0); %7[1,2] = "
                 "aten::unsqueeze(y, 0); %8[?,2] = aten::cat((%6, %7), 0); -> True, %8 }\n"
                 "%9[?,2] = aten::movedim.int(%2, 0, 0)\n"
                 "=> %9");
}

UNIT_TEST(the_length_so_far_may_end_the_loop)
{
    method_gives(arena, "[2] [2]",
                 "  %l:list = prim::ListConstruct(%y)\n"
                 "  prim::Loop(%n, %true)\n"
                 "  { (%i:int)\n"
                 "    %q:list = aten::append.t(%l, %x)\n"
                 "    %h:int = aten::len.t(%l)\n"
                 "    %c:bool = aten::lt.int(%h, %k)\n"
                 "    -> %c\n"
                 "  }\n"
                 "  %r = aten::stack(%l, %0)\n"
                 "  -> %r\n",
                 "%1[1,2] = aten::unsqueeze(y, 0)\n"
                 "%2[?,2] = prim::Loop(n, True, %1) { (%3 int, %4[?,2]) %5[1,2] = "
                 "aten::unsqueeze(x, 0); %6[?,2] = aten::cat((%4, %5), 0); %7 int = "
                 "aten::size.int(%6, 0); %8 bool = aten::lt.int(%7, k); -> %8, %6 }\n"
                 "%9[?,2] = aten::movedim.int(%2, 0, 0)\n"
                 "=> %9");
}

UNIT_TEST(a_list_that_is_replaced_by_a_longer_one_is_carried)
{
    method_gives(arena, "[2] [2]",
                 "  %l:list = prim::ListConstruct()\n"
                 "  %z:list = prim::Loop(%n, %true, %l)\n"
                 "  { (%i:int, %a:list)\n"
                 "    %m:list = prim::ListConstruct(%x)\n"
                 "    %s:list = aten::add.t(%a, %m)\n"
                 "    -> %true, %s\n"
                 "  }\n"
                 "  %r = aten::stack(%z, %0)\n"
                 "  %h:int = aten::len.t(%l)\n"
                 "  -> %r, %h\n",
                 "%1[0,2] = aten::zeros((0, 2), 6, None, None, None)\n"
                 "%2[?,2] = prim::Loop(n, True, %1) { (%3 int, %4[?,2]) %5[1,2] = "
                 "aten::unsqueeze(x, 0); %6[?,2] = aten::cat((%4, %5), 0); -> True, %6 }\n"
                 "%7[?,2] = aten::movedim.int(%2, 0, 0)\n"
                 "=> %7, 0");
}

UNIT_TEST(a_loop_within_a_loop_appends_to_what_is_carried)
{
    method_gives(arena, "[2] [2]",
                 "  %l:list = prim::ListConstruct()\n"
                 "  prim::Loop(%n, %true)\n"
                 "  { (%i:int)\n"
                 "    prim::Loop(%k, %true)\n"
                 "    { (%j:int)\n"
                 "      %q:list = aten::append.t(%l, %x)\n"
                 "      -> %true\n"
                 "    }\n"
                 "    -> %true\n"
                 "  }\n"
                 "  %r = aten::stack(%l, %0)\n"
                 "  -> %r\n",
                 "%1[0,2] = aten::zeros((0, 2), 6, None, None, None)\n"
                 "%2[?,2] = prim::Loop(n, True, %1) { (%3 int, %4[?,2]) %5[?,2] = "
                 "prim::Loop(k, True, %4) { (%6 int, %7[?,2]) %8[1,2] = aten::unsqueeze(x, "
                 "0); %9[?,2] = aten::cat((%7, %8), 0); -> True, %9 }; -> True, %5 }\n"
                 "%10[?,2] = aten::movedim.int(%2, 0, 0)\n"
                 "=> %10");
}

UNIT_TEST(an_alias_of_the_list_is_appended_to)
{
    method_gives(arena, "[2] [2]",
                 "  %l:list = prim::ListConstruct()\n"
                 "  %t:tuple = prim::TupleConstruct(%x, %l)\n"
                 "  prim::Loop(%n, %true)\n"
                 "  { (%i:int)\n"
                 "    %m:list = prim::TupleIndex(%t, %1)\n"
                 "    %q:list = aten::append.t(%m, %y)\n"
                 "    -> %true\n"
                 "  }\n"
                 "  %r:int = aten::len.t(%l)\n"
                 "  -> %r\n",
                 "%1[?,2] = prim::Loop(n, True) { (%2 int) -> True, y }\n"
                 "%3 int = aten::size.int(%1, 0)\n"
                 "=> %3");
}

UNIT_TEST(a_list_is_extended_in_each_iteration)
{
    method_gives(arena, "[2] [2]",
                 "  %l:list = prim::ListConstruct(%x)\n"
                 "  %m:list = prim::ListConstruct(%x, %y)\n"
                 "  prim::Loop(%n, %true)\n"
                 "  { (%i:int)\n"
                 "    aten::extend.t(%l, %m)\n"
                 "    -> %true\n"
                 "  }\n"
                 "  %r = aten::stack(%l, %0)\n"
                 "  -> %r\n",
                 "%1[1,2] = aten::unsqueeze(x, 0)\n"
                 "%2[?,2] = prim::Loop(n, True, %1) { (%3 int, %4[?,2]) %5[1,2] = "
                 "aten::unsqueeze(x, 0); %6[1,2] = aten::unsqueeze(y, 0); %7[2,2] = "
                 "aten::cat((%5, %6), 0); %8[?,2] = aten::cat((%4, %7), 0); -> True, %8 }\n"
                 "%9[?,2] = aten::movedim.int(%2, 0, 0)\n"
                 "=> %9");
}

UNIT_TEST(a_list_that_stays_as_long_is_carried_by_its_elements)
{
    method_gives(arena, "[2] [2]",
                 "  %l:list = prim::ListConstruct(%x, %y)\n"
                 "  prim::Loop(%n, %true)\n"
                 "  { (%i:int)\n"
                 "    %o = aten::__getitem__.t(%l, %0)\n"
                 "    %p = aten::relu(%o)\n"
                 "    %q:list = aten::_set_item.t(%l, %0, %p)\n"
                 "    -> %true\n"
                 "  }\n"
                 "  -> %l\n",
                 "%1[2], %2[2] = prim::Loop(n, True, x, y) { (%3 int, %4[2], %5[2]) %6[2] = "
                 "aten::relu(%4); -> True, %6, %5 }\n"
                 "=> %1, %2");
}

UNIT_TEST(lists_are_not_appended_to_a_list)
{
    method_gives(arena, "[2] [2]",
                 "  %l:list = prim::ListConstruct()\n"
                 "  prim::Loop(%n, %true)\n"
                 "  { (%i:int)\n"
                 "    %m:list = prim::ListConstruct(%x)\n"
                 "    %q:list = aten::append.t(%l, %m)\n"
                 "    -> %true\n"
                 "  }\n"
                 "  -> %x\n",
                 "a loop on the data changes the length of a dict, or of a list of other "
                 "than tensors and numbers, in the root module");
}

UNIT_TEST(nor_are_texts)
{
    method_gives(arena, "[2] [2]",
                 "  %w:str = prim::Constant<\"w\">()\n"
                 "  %l:list = prim::ListConstruct()\n"
                 "  prim::Loop(%n, %true)\n"
                 "  { (%i:int)\n"
                 "    %q:list = aten::append.t(%l, %w)\n"
                 "    -> %true\n"
                 "  }\n"
                 "  -> %x\n",
                 "a loop on the data changes the length of a dict, or of a list of other "
                 "than tensors and numbers, in the root module");
}

UNIT_TEST(what_failed_is_not_appended)
{
    method_gives(arena, "[2] [2]",
                 "  %l:list = prim::ListConstruct()\n"
                 "  prim::Loop(%n, %true)\n"
                 "  { (%i:int)\n"
                 "    %e = aten::ldl_solve(%x)\n"
                 "    %q:list = aten::append.t(%l, %e)\n"
                 "    -> %true\n"
                 "  }\n"
                 "  -> %x\n",
                 "aten::ldl_solve, which decides what runs: it is not run, because its kernel "
                 "does not check its operands, in the root module");
}

UNIT_TEST(behind_none_there_are_no_rows)
{
    method_gives(arena, "[2] [2]",
                 "  %l:list = prim::ListConstruct(%none)\n"
                 "  prim::Loop(%n, %true)\n"
                 "  { (%i:int)\n"
                 "    %q:list = aten::append.t(%l, %x)\n"
                 "    -> %true\n"
                 "  }\n"
                 "  %r = aten::__getitem__.t(%l, %0)\n"
                 "  -> %r\n",
                 "a list whose length depends on the data holds something that is no tensor "
                 "and no number, in the root module");
}

/* ---- loops and branches behind them ---------------------------------------------------------- */

UNIT_TEST(a_second_loop_appends_to_the_rows_of_the_first_one)
{
    grown_gives(arena,
                "  prim::Loop(%k, %true)\n"
                "  { (%j:int)\n"
                "    %p = aten::neg(%x)\n"
                "    %q:list = aten::append.t(%l, %p)\n"
                "    -> %true\n"
                "  }\n"
                "  %r = aten::stack(%l, %0)\n"
                "  -> %r\n",
                "%4[?,2] = prim::Loop(k, True, %1) { (%5 int, %6[?,2]) %7[2] = "
                "aten::neg(x); %8[1,2] = aten::unsqueeze(%7, 0); %9[?,2] = aten::cat((%6, "
                "%8), 0); -> True, %9 }\n"
                "%10[?,2] = aten::movedim.int(%4, 0, 0)\n"
                "=> %10");
}

UNIT_TEST(a_loop_reads_rows)
{
    grown_gives(arena,
                "  %r = prim::Loop(%n, %true, %x)\n"
                "  { (%j:int, %acc)\n"
                "    %p = aten::__getitem__.t(%l, %j)\n"
                "    %s = aten::mul.Tensor(%acc, %p)\n"
                "    -> %true, %s\n"
                "  }\n"
                "  -> %r\n",
                "%4[2] = prim::Loop(n, True, x) { (%5 int, %6[2]) %7[2] = "
                "aten::select.int(%1, 0, %5); %8[2] = aten::mul.Tensor(%6, %7); -> True, "
                "%8 }\n"
                "=> %4");
}

UNIT_TEST(a_loop_takes_rows_out)
{
    grown_gives(arena,
                "  prim::Loop(%k, %true)\n"
                "  { (%j:int)\n"
                "    %p = aten::pop.t(%l, %minus)\n"
                "    -> %true\n"
                "  }\n"
                "  %r:int = aten::len.t(%l)\n"
                "  -> %r\n",
                "%4[?,2] = prim::Loop(k, True, %1) { (%5 int, %6[?,2]) %7[2] = "
                "aten::select.int(%6, 0, -1); %8[?,2] = aten::slice.Tensor(%6, 0, None, "
                "-1, 1); -> True, %8 }\n"
                "%9 int = aten::size.int(%4, 0)\n"
                "=> %9");
}

UNIT_TEST(one_side_of_a_branch_appends)
{
    grown_gives(arena,
                "  %c:bool = aten::gt.int(%k, %3)\n"
                "  prim::If(%c)\n"
                "  {\n"
                "    %q:list = aten::append.t(%l, %y)\n"
                "    ->\n"
                "  }\n"
                "  {\n"
                "    ->\n"
                "  }\n"
                "  %r = aten::stack(%l, %0)\n"
                "  -> %r\n",
                "%4 bool = aten::gt.int(k, 3)\n"
                "%5[?,2] = prim::If(%4) { %6[1,2] = aten::unsqueeze(y, 0); %7[?,2] = "
                "aten::cat((%1, %6), 0); -> %7 } { -> %1 }\n"
                "%8[?,2] = aten::movedim.int(%5, 0, 0)\n"
                "=> %8");
}

UNIT_TEST(one_side_of_a_branch_clears)
{
    grown_gives(arena,
                "  %c:bool = aten::gt.int(%k, %3)\n"
                "  prim::If(%c)\n"
                "  {\n"
                "    aten::clear.t(%l)\n"
                "    ->\n"
                "  }\n"
                "  {\n"
                "    ->\n"
                "  }\n"
                "  %r:int = aten::len.t(%l)\n"
                "  -> %r\n",
                "%4 bool = aten::gt.int(k, 3)\n"
                "%5 int = prim::If(%4) { -> 0 } { %6 int = aten::size.int(%1, 0); -> %6 }\n"
                "=> %5");
}

UNIT_TEST(a_branch_that_appends_to_a_known_list_ends_the_method_twice)
{
    method_gives(arena, "[2] [2]",
                 "  %l:list = prim::ListConstruct(%x)\n"
                 "  prim::If(%f)\n"
                 "  {\n"
                 "    %q:list = aten::append.t(%l, %y)\n"
                 "    ->\n"
                 "  }\n"
                 "  {\n"
                 "    ->\n"
                 "  }\n"
                 "  %r = aten::stack(%l, %0)\n"
                 "  -> %r\n",
                 "%1[?,2] = prim::If(f) { %2[2,2] = aten::stack((x, y), 0); -> %2 } { "
                 "%3[1,2] = aten::stack((x), 0); -> %3 }\n"
                 "=> %1");
}

UNIT_TEST(lists_of_different_lengths_are_given_back_as_sequences)
{
    method_gives(arena, "[2] [2]",
                 "  %r:list = prim::If(%f)\n"
                 "  {\n"
                 "    %p:list = prim::ListConstruct(%x)\n"
                 "    -> %p\n"
                 "  }\n"
                 "  {\n"
                 "    %q:list = prim::ListConstruct(%y, %x)\n"
                 "    -> %q\n"
                 "  }\n"
                 "  -> %r\n",
                 "%1 sequence[2] = prim::If(f) { %2 sequence[2] = prim::ListConstruct(x); "
                 "-> %2 } { %3 sequence[2] = prim::ListConstruct(y, x); -> %3 }\n"
                 "=> %1");
}

UNIT_TEST(a_list_that_may_be_another_one_does_not_change)
{
    method_gives(arena, "[2] [2]",
                 "  %l:list = prim::ListConstruct(%y)\n"
                 "  %r:list = prim::If(%f)\n"
                 "  {\n"
                 "    %p:list = prim::ListConstruct(%x)\n"
                 "    -> %p\n"
                 "  }\n"
                 "  {\n"
                 "    -> %l\n"
                 "  }\n"
                 "  %q:list = aten::append.t(%l, %x)\n"
                 "  -> %r\n",
                 "a list that comes out of a branch or loop on the data is changed");
}

UNIT_MAIN("interpret: growing lists", a_loop_that_is_known_to_end_is_unrolled,
          a_dynamic_axis_decides_the_length_as_data_does,
          a_loop_without_a_limit_gives_a_length_of_its_own,
          what_may_not_be_appended_is_carried_as_rows,
          the_sizes_of_no_rows_yet_are_those_of_the_input, two_rows_in_each_iteration_are_carried,
          the_length_so_far_may_end_the_loop, a_list_that_is_replaced_by_a_longer_one_is_carried,
          a_loop_within_a_loop_appends_to_what_is_carried, an_alias_of_the_list_is_appended_to,
          a_list_is_extended_in_each_iteration,
          a_list_that_stays_as_long_is_carried_by_its_elements, lists_are_not_appended_to_a_list,
          nor_are_texts, what_failed_is_not_appended, behind_none_there_are_no_rows,
          a_second_loop_appends_to_the_rows_of_the_first_one, a_loop_reads_rows,
          a_loop_takes_rows_out, one_side_of_a_branch_appends, one_side_of_a_branch_clears,
          a_branch_that_appends_to_a_known_list_ends_the_method_twice,
          lists_of_different_lengths_are_given_back_as_sequences,
          a_list_that_may_be_another_one_does_not_change)
