/*
 * Tensors changed in place, and lists that contain them.
 */
#include "lists_fixture.h"

/* ---- whose memory it is ---------------------------------------------------------------------- */

UNIT_TEST(a_row_that_is_changed_in_place_is_changed_in_the_tensor)
{
    method_gives(arena, "[?,2] [2]",
                 "  %l:list = aten::unbind.int(%x, %0)\n"
                 "  %e = aten::__getitem__.t(%l, %0)\n"
                 "  %w = aten::relu_(%e)\n"
                 "  -> %x\n",
                 "%1[?,2] = aten::movedim.int(x, 0, 0)\n"
                 "%2[2] = aten::select.int(%1, 0, 0)\n"
                 "%3[2] = aten::relu_(%2)\n"
                 "%4[?,2] = aten::select_scatter(%1, %3, 0, 0)\n"
                 "=> %4");
}

UNIT_TEST(a_tensor_that_is_changed_in_place_is_changed_in_its_rows)
{
    method_gives(arena, "[?,2] [2]",
                 "  %l:list = aten::unbind.int(%x, %0)\n"
                 "  %w = aten::relu_(%x)\n"
                 "  %e = aten::__getitem__.t(%l, %0)\n"
                 "  -> %e\n",
                 "%1[?,2] = aten::movedim.int(x, 0, 0)\n"
                 "%2[?,2] = aten::relu_(x)\n"
                 "%3[2] = aten::select.int(%2, 0, 0)\n"
                 "=> %3");
}

UNIT_TEST(a_stack_of_rows_is_a_copy_of_the_tensor)
{
    method_gives(arena, "[?,2] [2]",
                 "  %l:list = aten::unbind.int(%x, %0)\n"
                 "  %s = aten::stack(%l, %0)\n"
                 "  %w = aten::relu_(%s)\n"
                 "  -> %x, %s\n",
                 "%1[?,2] = aten::movedim.int(x, 0, 0)\n"
                 "%2[?,2] = aten::movedim.int(%1, 0, 0)\n"
                 "%3[?,2] = aten::relu_(%2)\n"
                 "=> x, %3");
}

UNIT_TEST(nobody_knows_which_part_of_a_sequence_was_changed)
{
    method_gives(arena, "[?,2] [2]",
                 "  %l:list = aten::split.Tensor(%x, %2, %0)\n"
                 "  %e = aten::__getitem__.t(%l, %0)\n"
                 "  %w = aten::relu_(%e)\n"
                 "  -> %x\n",
                 "%1 sequence[?,2] = aten::split.Tensor(x, 2, 0)\n"
                 "%2[?,2] = aten::__getitem__.t(%1, 0)\n"
                 "%3[?,2] = aten::relu_(%2)\n"
                 "%4 unknown = aten::relu_() ! the tensor that it changes is read under another "
                 "name, which shares its memory only on one side of a branch, in some iterations "
                 "of a loop, or for some sizes\n"
                 "=> %4");
}

UNIT_TEST(parts_of_what_was_changed_are_not_read)
{
    method_gives(arena, "[?,2] [2]",
                 "  %l:list = aten::split.Tensor(%x, %2, %0)\n"
                 "  %w = aten::relu_(%x)\n"
                 "  %e = aten::__getitem__.t(%l, %0)\n"
                 "  -> %e\n",
                 "a tensor is changed in place that a list holds whose length depends on "
                 "the data, in the root module");
}

UNIT_TEST(an_element_that_is_changed_in_place_is_changed_in_its_list)
{
    grown_gives(arena,
                "  %e = aten::__getitem__.t(%l, %0)\n"
                "  %w = aten::relu_(%e)\n"
                "  %r = aten::stack(%l, %0)\n"
                "  -> %r\n",
                "%4[2] = aten::select.int(%1, 0, 0)\n"
                "%5[2] = aten::relu_(%4)\n"
                "%6[?,2] = aten::select_scatter(%1, %5, 0, 0)\n"
                "%7[?,2] = aten::movedim.int(%6, 0, 0)\n"
                "=> %7");
}

UNIT_TEST(a_list_is_not_read_when_what_was_appended_has_changed)
{
    grown_gives(arena,
                "  %q:list = aten::append.t(%l, %y)\n"
                "  %w = aten::relu_(%y)\n"
                "  %r = aten::stack(%l, %0)\n"
                "  -> %r\n",
                "a tensor is changed in place that a list holds whose length depends on "
                "the data, in the root module");
}

UNIT_TEST(nor_when_what_was_put_into_it_has_changed)
{
    grown_gives(arena,
                "  %q:list = aten::_set_item.t(%l, %0, %y)\n"
                "  %w = aten::relu_(%y)\n"
                "  %r = aten::stack(%l, %0)\n"
                "  -> %r\n",
                "a tensor is changed in place that a list holds whose length depends on "
                "the data, in the root module");
}

UNIT_TEST(nor_when_what_a_loop_appended_has_changed)
{
    method_gives(arena, "[2] [2]",
                 "  %l:list = prim::ListConstruct()\n"
                 "  prim::Loop(%n, %true)\n"
                 "  { (%i:int)\n"
                 "    %q:list = aten::append.t(%l, %x)\n"
                 "    -> %true\n"
                 "  }\n"
                 "  %w = aten::relu_(%x)\n"
                 "  %r = aten::stack(%l, %0)\n"
                 "  -> %r\n",
                 "a tensor is changed in place that a list holds whose length depends on "
                 "the data, in the root module");
}

UNIT_TEST(a_known_element_that_has_changed_is_read)
{
    begun_gives(arena, "[2] [2]",
                "  %w = aten::relu_(%y)\n"
                "  %r = aten::stack(%l, %0)\n"
                "  -> %r\n",
                "%4[2] = aten::relu_(y)\n"
                "%5[?,2] = aten::movedim.int(%1, 0, 0)\n"
                "%6[1,2] = aten::unsqueeze(%4, 0)\n"
                "%7[?,2] = aten::cat((%6, %5), 0)\n"
                "=> %7");
}

UNIT_TEST(what_an_appended_tensor_was_made_of_may_change)
{
    grown_gives(arena,
                "  %w = aten::relu_(%x)\n"
                "  %r = aten::stack(%l, %0)\n"
                "  -> %r\n",
                "%4[2] = aten::relu_(x)\n"
                "%5[?,2] = aten::movedim.int(%1, 0, 0)\n"
                "=> %5");
}

UNIT_TEST(a_stack_that_is_changed_in_place_is_not_the_list)
{
    grown_gives(arena,
                "  %s = aten::stack(%l, %1)\n"
                "  %w = aten::relu_(%s)\n"
                "  %r = aten::stack(%l, %0)\n"
                "  -> %s, %r\n",
                "%4[2,?] = aten::movedim.int(%1, 0, 1)\n"
                "%5[2,?] = aten::relu_(%4)\n"
                "%6[?,2] = aten::movedim.int(%1, 0, 0)\n"
                "=> %5, %6");
}

UNIT_TEST(nor_is_what_was_joined)
{
    grown_gives(arena,
                "  %s = aten::cat(%l, %0)\n"
                "  %w = aten::relu_(%s)\n"
                "  %r = aten::stack(%l, %0)\n"
                "  -> %s, %r\n",
                "%4[?,2] = aten::movedim.int(%1, 0, 0)\n"
                "%5[?] = aten::flatten.using_ints(%4, 0, 1)\n"
                "%6[?] = aten::relu_(%5)\n"
                "%7[?,2] = aten::movedim.int(%1, 0, 0)\n"
                "=> %6, %7");
}

UNIT_TEST(a_stack_keeps_what_the_list_held)
{
    grown_gives(arena,
                "  %s = aten::stack(%l, %0)\n"
                "  %e = aten::__getitem__.t(%l, %0)\n"
                "  %w = aten::relu_(%e)\n"
                "  -> %s\n",
                "%4[?,2] = aten::movedim.int(%1, 0, 0)\n"
                "%5[2] = aten::select.int(%1, 0, 0)\n"
                "%6[2] = aten::relu_(%5)\n"
                "%7[?,2] = aten::select_scatter(%1, %6, 0, 0)\n"
                "=> %4");
}

UNIT_TEST(what_was_chosen_by_the_data_may_be_any_element)
{
    method_gives(arena, "[2] [2]",
                 "  %l:list = prim::ListConstruct(%x, %y)\n"
                 "  %e = aten::__getitem__.t(%l, %n)\n"
                 "  %w = aten::relu_(%e)\n"
                 "  -> %x\n",
                 "%1[1,2] = aten::unsqueeze(x, 0)\n"
                 "%2[1,2] = aten::unsqueeze(y, 0)\n"
                 "%3[2,2] = aten::cat((%1, %2), 0)\n"
                 "%4[2] = aten::select.int(%3, 0, n)\n"
                 "%5[2] = aten::relu_(%4)\n"
                 "%6[2,2] = aten::select_scatter(%3, %5, 0, n)\n"
                 "%7 unknown = aten::relu_() ! the tensor that it changes is read under another "
                 "name, which shares its memory only on one side of a branch, in some iterations "
                 "of a loop, or for some sizes\n"
                 "=> %7");
}

UNIT_TEST(an_element_of_a_sequence_may_be_any_that_was_appended)
{
    sequence_gives(arena,
                   "  %q:list = aten::append.t(%l, %y)\n"
                   "  %e = aten::__getitem__.t(%l, %0)\n"
                   "  %w = aten::relu_(%e)\n"
                   "  -> %y\n",
                   "%7 sequence[?] = aten::append.t(%2, y)\n"
                   "%8[?] = aten::__getitem__.t(%7, 0)\n"
                   "%9[?] = aten::relu_(%8)\n"
                   "%10 unknown = aten::relu_() ! the tensor that it changes is read under "
                   "another name, which shares its memory only on one side of a branch, in some "
                   "iterations of a loop, or for some sizes\n"
                   "=> %10");
}

UNIT_TEST(a_joined_sequence_is_a_copy)
{
    sequence_gives(arena,
                   "  %s = aten::cat(%l, %0)\n"
                   "  %w = aten::relu_(%s)\n"
                   "  -> %l\n",
                   "%7[?] = aten::cat(%2, 0)\n"
                   "%8[?] = aten::relu_(%7)\n"
                   "=> %2");
}

/* ---- tensors that are in a list more than once ----------------------------------------------- */

UNIT_TEST(one_that_a_loop_appends_again_and_again_is_all_rows)
{
    method_gives(arena, "[2] [2]",
                 "  %l:list = prim::ListConstruct()\n"
                 "  prim::Loop(%n, %true)\n"
                 "  { (%i:int)\n"
                 "    %q:list = aten::append.t(%l, %x)\n"
                 "    -> %true\n"
                 "  }\n"
                 "  %e = aten::__getitem__.t(%l, %0)\n"
                 "  %w = aten::relu_(%e)\n"
                 "  %r = aten::stack(%l, %0)\n"
                 "  -> %r\n",
                 "a tensor is changed in place that a list holds whose length depends on "
                 "the data, in the root module");
}

UNIT_TEST(one_that_is_appended_twice_is_two_rows)
{
    grown_gives(arena,
                "  %p:list = aten::append.t(%l, %y)\n"
                "  %q:list = aten::append.t(%l, %y)\n"
                "  %e = aten::__getitem__.t(%l, %minus)\n"
                "  %w = aten::relu_(%e)\n"
                "  %r = aten::stack(%l, %0)\n"
                "  -> %r\n",
                "a tensor is changed in place that a list holds whose length depends on "
                "the data, in the root module");
}

UNIT_TEST(one_that_is_appended_once_is_one_row)
{
    grown_gives(arena,
                "  %q:list = aten::append.t(%l, %y)\n"
                "  %e = aten::__getitem__.t(%l, %0)\n"
                "  %w = aten::relu_(%e)\n"
                "  %r = aten::stack(%l, %0)\n"
                "  -> %r\n",
                "%4[1,2] = aten::unsqueeze(y, 0)\n"
                "%5[?,2] = aten::cat((%1, %4), 0)\n"
                "%6[2] = aten::select.int(%5, 0, 0)\n"
                "%7[2] = aten::relu_(%6)\n"
                "%8[?,2] = aten::select_scatter(%5, %7, 0, 0)\n"
                "%9[?,2] = aten::movedim.int(%8, 0, 0)\n"
                "=> %9");
}

UNIT_TEST(a_list_that_is_extended_by_itself_has_all_twice)
{
    grown_gives(arena,
                "  aten::extend.t(%l, %l)\n"
                "  %e = aten::__getitem__.t(%l, %0)\n"
                "  %w = aten::relu_(%e)\n"
                "  %r = aten::stack(%l, %0)\n"
                "  -> %r\n",
                "a tensor is changed in place that a list holds whose length depends on "
                "the data, in the root module");
}

UNIT_TEST(a_row_that_takes_the_place_of_another_is_there_twice)
{
    grown_gives(arena,
                "  %d = aten::__getitem__.t(%l, %0)\n"
                "  %q:list = aten::_set_item.t(%l, %1, %d)\n"
                "  %e = aten::__getitem__.t(%l, %0)\n"
                "  %w = aten::relu_(%e)\n"
                "  %r = aten::stack(%l, %0)\n"
                "  -> %r\n",
                "a tensor is changed in place that a list holds whose length depends on "
                "the data, in the root module");
}

UNIT_TEST(rows_that_are_carried_may_be_one)
{
    method_gives(arena, "[2] [2]",
                 "  %l:list = prim::ListConstruct()\n"
                 "  prim::Loop(%n, %true)\n"
                 "  { (%i:int)\n"
                 "    %z = aten::relu(%x)\n"
                 "    %p:list = aten::append.t(%l, %z)\n"
                 "    %q:list = aten::append.t(%l, %z)\n"
                 "    -> %true\n"
                 "  }\n"
                 "  %e = aten::__getitem__.t(%l, %0)\n"
                 "  %w = aten::relu_(%e)\n"
                 "  %r = aten::stack(%l, %0)\n"
                 "  -> %r\n",
                 "a tensor is changed in place that a list holds whose length depends on "
                 "the data, in the root module");
}

UNIT_TEST(so_may_those_of_either_side_of_a_branch)
{
    grown_gives(arena,
                "  %c:bool = aten::gt.int(%k, %3)\n"
                "  prim::If(%c)\n"
                "  {\n"
                "    aten::extend.t(%l, %l)\n"
                "    ->\n"
                "  }\n"
                "  {\n"
                "    ->\n"
                "  }\n"
                "  %e = aten::__getitem__.t(%l, %0)\n"
                "  %w = aten::relu_(%e)\n"
                "  %r = aten::stack(%l, %0)\n"
                "  -> %r\n",
                "a tensor is changed in place that a list holds whose length depends on "
                "the data, in the root module");
}

UNIT_TEST(what_is_turned_round_stays_twice)
{
    grown_gives(arena,
                "  aten::extend.t(%l, %l)\n"
                "  aten::reverse.t(%l)\n"
                "  %e = aten::__getitem__.t(%l, %0)\n"
                "  %w = aten::relu_(%e)\n"
                "  %r = aten::stack(%l, %0)\n"
                "  -> %r\n",
                "a tensor is changed in place that a list holds whose length depends on "
                "the data, in the root module");
}

UNIT_TEST(a_row_that_is_put_where_it_was_is_there_once)
{
    grown_gives(arena,
                "  %e = aten::__getitem__.t(%l, %0)\n"
                "  %v = aten::relu_(%e)\n"
                "  %q:list = aten::_set_item.t(%l, %0, %v)\n"
                "  %w = aten::__getitem__.t(%l, %1)\n"
                "  %z = aten::relu_(%w)\n"
                "  %r = aten::stack(%l, %0)\n"
                "  -> %r\n",
                "%4[2] = aten::select.int(%1, 0, 0)\n"
                "%5[2] = aten::relu_(%4)\n"
                "%6[?,2] = aten::select_scatter(%1, %5, 0, 0)\n"
                "%7[1,2] = aten::unsqueeze(%5, 0)\n"
                "%8[2] = aten::select.int(%7, 0, 0)\n"
                "%9[?,2] = aten::select_scatter(%6, %8, 0, 0)\n"
                "%10[2] = aten::select.int(%9, 0, 1)\n"
                "%11[2] = aten::relu_(%10)\n"
                "%12[?,2] = aten::select_scatter(%9, %11, 0, 1)\n"
                "%13[?,2] = aten::movedim.int(%12, 0, 0)\n"
                "=> %13");
}

UNIT_TEST(also_in_a_loop)
{
    method_gives(arena, "[2] [2]",
                 "  %l:list = prim::ListConstruct(%x)\n"
                 "  prim::Loop(%n, %true)\n"
                 "  { (%i:int)\n"
                 "    %m = aten::relu(%y)\n"
                 "    %q:list = aten::append.t(%l, %m)\n"
                 "    %e = aten::__getitem__.t(%l, %0)\n"
                 "    %v = aten::relu_(%e)\n"
                 "    %s:list = aten::_set_item.t(%l, %0, %v)\n"
                 "    -> %true\n"
                 "  }\n"
                 "  %r = aten::stack(%l, %0)\n"
                 "  -> %r\n",
                 "%1[1,2] = aten::unsqueeze(x, 0)\n"
                 "%2[?,2] = prim::Loop(n, True, %1) { (%3 int, %4[?,2]) %5[2] = aten::relu(y); "
                 "%6[1,2] = aten::unsqueeze(%5, 0); %7[?,2] = aten::cat((%4, %6), 0); "
                 "%8[2] = aten::select.int(%7, 0, 0); %9[2] = aten::relu_(%8); "
                 "%10[?,2] = aten::select_scatter(%7, %9, 0, 0); "
                 "%11[1,2] = aten::unsqueeze(%9, 0); %12[2] = aten::select.int(%11, 0, 0); "
                 "%13[?,2] = aten::select_scatter(%10, %12, 0, 0); -> True, %13 }\n"
                 "%14[?,2] = aten::movedim.int(%2, 0, 0)\n"
                 "=> %14");
}

UNIT_TEST(a_row_that_a_loop_puts_elsewhere_is_there_twice)
{
    method_gives(arena, "[2] [2]",
                 "  %l:list = prim::ListConstruct(%x)\n"
                 "  prim::Loop(%n, %true)\n"
                 "  { (%i:int)\n"
                 "    %m = aten::relu(%y)\n"
                 "    %q:list = aten::append.t(%l, %m)\n"
                 "    %e = aten::__getitem__.t(%l, %0)\n"
                 "    %v = aten::relu_(%e)\n"
                 "    %s:list = aten::_set_item.t(%l, %1, %v)\n"
                 "    -> %true\n"
                 "  }\n"
                 "  %r = aten::stack(%l, %0)\n"
                 "  -> %r\n",
                 "a tensor is changed in place that a list holds whose length depends on "
                 "the data, in the root module");
}

UNIT_TEST(rows_of_outside_that_a_loop_changes_are_carried)
{
    method_gives(arena, "[2] [2]",
                 "  %a = aten::neg(%x)\n"
                 "  %l:list = prim::ListConstruct(%a)\n"
                 "  prim::Loop(%n, %true)\n"
                 "  { (%i:int)\n"
                 "    %m = aten::relu(%y)\n"
                 "    %q:list = aten::append.t(%l, %m)\n"
                 "    -> %true\n"
                 "  }\n"
                 "  %k:int = aten::len.t(%l)\n"
                 "  prim::Loop(%k, %true)\n"
                 "  { (%j:int)\n"
                 "    %e = aten::__getitem__.t(%l, %j)\n"
                 "    %v = aten::relu_(%e)\n"
                 "    -> %true\n"
                 "  }\n"
                 "  %r = aten::stack(%l, %0)\n"
                 "  -> %r\n",
                 "%1[2] = aten::neg(x)\n"
                 "%2[?,2] = prim::Loop(n, True) { (%3 int) %4[2] = aten::relu(y); -> True, %4 }\n"
                 "%5 int = aten::size.int(%2, 0)\n"
                 "%6 int = aten::add.int(%5, 1)\n"
                 "%7[1,2] = aten::unsqueeze(%1, 0)\n"
                 "%8[?,2] = aten::cat((%7, %2), 0)\n"
                 "%9[?,2] = prim::Loop(%6, True, %8) { (%10 int, %11[?,2]) "
                 "%12[2] = aten::select.int(%11, 0, %10); %13[2] = aten::relu_(%12); "
                 "%14[?,2] = aten::select_scatter(%11, %13, 0, %10); -> True, %14 }\n"
                 "%15[?,2] = aten::movedim.int(%9, 0, 0)\n"
                 "=> %15");
}

UNIT_MAIN("interpret: memory of lists", a_row_that_is_changed_in_place_is_changed_in_the_tensor,
          a_tensor_that_is_changed_in_place_is_changed_in_its_rows,
          a_stack_of_rows_is_a_copy_of_the_tensor,
          nobody_knows_which_part_of_a_sequence_was_changed, parts_of_what_was_changed_are_not_read,
          an_element_that_is_changed_in_place_is_changed_in_its_list,
          a_list_is_not_read_when_what_was_appended_has_changed,
          nor_when_what_was_put_into_it_has_changed, nor_when_what_a_loop_appended_has_changed,
          a_known_element_that_has_changed_is_read, what_an_appended_tensor_was_made_of_may_change,
          a_stack_that_is_changed_in_place_is_not_the_list, nor_is_what_was_joined,
          a_stack_keeps_what_the_list_held, what_was_chosen_by_the_data_may_be_any_element,
          an_element_of_a_sequence_may_be_any_that_was_appended, a_joined_sequence_is_a_copy,
          one_that_a_loop_appends_again_and_again_is_all_rows,
          one_that_is_appended_twice_is_two_rows, one_that_is_appended_once_is_one_row,
          a_list_that_is_extended_by_itself_has_all_twice,
          a_row_that_takes_the_place_of_another_is_there_twice, rows_that_are_carried_may_be_one,
          so_may_those_of_either_side_of_a_branch, what_is_turned_round_stays_twice,
          rows_of_outside_that_a_loop_changes_are_carried,
          a_row_that_is_put_where_it_was_is_there_once, also_in_a_loop,
          a_row_that_a_loop_puts_elsewhere_is_there_twice)
