/*
 * Lists of a data-dependent number of tensors: the rows of one tensor.
 */
#include "lists_fixture.h"

/* ---- queries of a list ----------------------------------------------------------------- */

UNIT_TEST(its_length_is_the_number_of_rows)
{
    grown_gives(arena,
                "  %r:int = aten::len.t(%l)\n"
                "  -> %r\n",
                "%4 int = aten::size.int(%1, 0)\n"
                "=> %4");
}

UNIT_TEST(its_last_element_is_the_last_row)
{
    grown_gives(arena,
                "  %r = aten::__getitem__.t(%l, %minus)\n"
                "  -> %r\n",
                "%4[2] = aten::select.int(%1, 0, -1)\n"
                "=> %4");
}

UNIT_TEST(an_index_of_the_data_selects_a_row)
{
    grown_gives(arena,
                "  %r = aten::__getitem__.t(%l, %k)\n"
                "  -> %r\n",
                "%4[2] = aten::select.int(%1, 0, k)\n"
                "=> %4");
}

UNIT_TEST(it_is_given_back_as_a_sequence)
{
    grown_gives(arena, "  -> %l\n",
                "%4 sequence[2] = aten::unbind.int(%1, 0)\n"
                "=> %4");
}

UNIT_TEST(in_a_tuple_too)
{
    grown_gives(arena,
                "  %t:tuple = prim::TupleConstruct(%y, %l)\n"
                "  -> %t\n",
                "%4 sequence[2] = aten::unbind.int(%1, 0)\n"
                "=> y, %4");
}

UNIT_TEST(it_is_itself_under_another_name)
{
    grown_gives(arena,
                "  %same:list = prim::unchecked_cast(%l)\n"
                "  %other:list = aten::list.t(%l)\n"
                "  %r:bool = aten::__is__(%l, %same)\n"
                "  %s:bool = aten::__is__(%l, %other)\n"
                "  -> %r, %s\n",
                "=> True, False");
}

UNIT_TEST(it_is_not_unpacked)
{
    grown_gives(arena,
                "  %p, %q = prim::ListUnpack(%l)\n"
                "  -> %p\n",
                "prim::ListUnpack on a list whose length depends on the data, in the root "
                "module");
}

UNIT_TEST(no_other_operator_takes_it)
{
    grown_gives(arena,
                "  %r = aten::relu(%l)\n"
                "  -> %r\n",
                "aten::relu on a list whose length depends on the data, in the root module");
}

UNIT_TEST(it_is_not_written_as_a_text)
{
    grown_gives(arena,
                "  %r:str = aten::str(%l)\n"
                "  -> %r\n",
                "aten::str on a list whose length depends on the data, in the root module");
}

UNIT_TEST(it_is_passed_to_functions)
{
    grown_gives(arena,
                "  %r = prim::CallFunction<last>(%none, %l)\n"
                "  -> %r\n"
                "def last(%m:list)\n"
                "  %at:int = prim::Constant<-1>()\n"
                "  %r = aten::__getitem__.t(%m, %at)\n"
                "  -> %r\n",
                "%4[2] = aten::select.int(%1, 0, -1)\n"
                "=> %4");
}

/* ---- tensors made of it ---------------------------------------------------------------------- */

UNIT_TEST(stacked_along_the_first_dim_its_rows_are_the_tensor)
{
    grown_gives(arena,
                "  %r = aten::stack(%l, %0)\n"
                "  -> %r\n",
                "%4[?,2] = aten::movedim.int(%1, 0, 0)\n"
                "=> %4");
}

UNIT_TEST(stacked_along_another_dim_rows_are_moved_there)
{
    grown_gives(arena,
                "  %r = aten::stack(%l, %1)\n"
                "  -> %r\n",
                "%4[2,?] = aten::movedim.int(%1, 0, 1)\n"
                "=> %4");
}

UNIT_TEST(the_dim_of_a_stack_counts_from_the_end)
{
    grown_gives(arena,
                "  %r = aten::stack(%l, %minus)\n"
                "  -> %r\n",
                "%4[2,?] = aten::movedim.int(%1, 0, 1)\n"
                "=> %4");
}

UNIT_TEST(a_stack_has_one_dim_more_and_no_further_one)
{
    grown_gives(arena,
                "  %r = aten::stack(%l, %2)\n"
                "  -> %r\n",
                "a dim that cat() or stack() joins is out of range, in the root module");
}

UNIT_TEST(joined_its_rows_lie_one_behind_the_other)
{
    grown_gives(arena,
                "  %r = aten::cat(%l, %0)\n"
                "  -> %r\n",
                "%4[?,2] = aten::movedim.int(%1, 0, 0)\n"
                "%5[?] = aten::flatten.using_ints(%4, 0, 1)\n"
                "=> %5");
}

UNIT_TEST(joining_needs_a_dim_that_elements_have)
{
    grown_gives(arena,
                "  %r = aten::cat(%l, %1)\n"
                "  -> %r\n",
                "a dim that cat() or stack() joins is out of range, in the root module");
}

UNIT_TEST(a_dim_of_the_data_joins_nothing)
{
    grown_gives(arena,
                "  %r = aten::stack(%l, %k)\n"
                "  -> %r\n",
                "a count or index depends on the data, in the root module");
}

/* ---- parts of it ----------------------------------------------------------------------------- */

UNIT_TEST(a_slice_is_one_of_the_rows)
{
    grown_gives(arena,
                "  %p:list = aten::slice.t(%l, %1, %minus, %2)\n"
                "  %r = aten::__getitem__.t(%p, %0)\n"
                "  -> %r\n",
                "%4[?,2] = aten::slice.Tensor(%1, 0, 1, -1, 2)\n"
                "%5[2] = aten::select.int(%4, 0, 0)\n"
                "=> %5");
}

UNIT_TEST(a_slice_may_begin_where_the_data_says)
{
    grown_gives(arena,
                "  %p:list = aten::slice.t(%l, %k, %none, %1)\n"
                "  %r:int = aten::len.t(%p)\n"
                "  -> %r\n",
                "%4[?,2] = aten::slice.Tensor(%1, 0, k, None, 1)\n"
                "%5 int = aten::size.int(%4, 0)\n"
                "=> %5");
}

UNIT_TEST(backwards_all_of_it_is_flipped)
{
    grown_gives(arena,
                "  %p:list = aten::slice.t(%l, %none, %none, %minus)\n"
                "  %r = aten::__getitem__.t(%p, %0)\n"
                "  -> %r\n",
                "%4[?,2] = aten::flip(%1, (0))\n"
                "%5[2] = aten::select.int(%4, 0, 0)\n"
                "=> %5");
}

UNIT_TEST(backwards_no_part_is_taken)
{
    grown_gives(arena,
                "  %p:list = aten::slice.t(%l, %1, %none, %minus)\n"
                "  -> %p\n",
                "a part of a list whose length depends on the data is taken backwards, in "
                "the root module");
}

UNIT_TEST(no_step_but_one_goes_backwards)
{
    grown_gives(arena,
                "  %s:int = prim::Constant<-2>()\n"
                "  %p:list = aten::slice.t(%l, %none, %none, %s)\n"
                "  -> %p\n",
                "a part of a list whose length depends on the data is taken backwards, in "
                "the root module");
}

UNIT_TEST(a_copy_does_not_follow_the_list)
{
    grown_gives(arena,
                "  %m:list = aten::list.t(%l)\n"
                "  %q:list = aten::append.t(%m, %y)\n"
                "  %r = aten::stack(%l, %0)\n"
                "  %s = aten::stack(%m, %0)\n"
                "  -> %r, %s\n",
                "%4[1,2] = aten::unsqueeze(y, 0)\n"
                "%5[?,2] = aten::cat((%1, %4), 0)\n"
                "%6[?,2] = aten::movedim.int(%1, 0, 0)\n"
                "%7[?,2] = aten::movedim.int(%5, 0, 0)\n"
                "=> %6, %7");
}

/* ---- changes ------------------------------------------------------------------------- */

UNIT_TEST(pop_leaves_all_rows_but_the_last)
{
    grown_gives(arena,
                "  %r = aten::pop.t(%l, %minus)\n"
                "  %s = aten::stack(%l, %0)\n"
                "  -> %r, %s\n",
                "%4[2] = aten::select.int(%1, 0, -1)\n"
                "%5[?,2] = aten::slice.Tensor(%1, 0, None, -1, 1)\n"
                "%6[?,2] = aten::movedim.int(%5, 0, 0)\n"
                "=> %4, %6");
}

UNIT_TEST(pop_leaves_all_rows_but_the_first)
{
    grown_gives(arena,
                "  %r = aten::pop.t(%l, %0)\n"
                "  %s = aten::stack(%l, %0)\n"
                "  -> %r, %s\n",
                "%4[2] = aten::select.int(%1, 0, 0)\n"
                "%5[?,2] = aten::slice.Tensor(%1, 0, 1, None, 1)\n"
                "%6[?,2] = aten::movedim.int(%5, 0, 0)\n"
                "=> %4, %6");
}

UNIT_TEST(pop_in_between_joins_what_is_left)
{
    grown_gives(arena,
                "  %r = aten::pop.t(%l, %1)\n"
                "  %s = aten::stack(%l, %0)\n"
                "  -> %r, %s\n",
                "%4[2] = aten::select.int(%1, 0, 1)\n"
                "%5[?,2] = aten::slice.Tensor(%1, 0, None, 1, 1)\n"
                "%6[?,2] = aten::slice.Tensor(%1, 0, 2, None, 1)\n"
                "%7[?,2] = aten::cat((%5, %6), 0)\n"
                "%8[?,2] = aten::movedim.int(%7, 0, 0)\n"
                "=> %4, %8");
}

UNIT_TEST(pop_counts_from_the_end)
{
    grown_gives(arena,
                "  %at:int = prim::Constant<-2>()\n"
                "  %r = aten::pop.t(%l, %at)\n"
                "  %s = aten::stack(%l, %0)\n"
                "  -> %r, %s\n",
                "%4[2] = aten::select.int(%1, 0, -2)\n"
                "%5[?,2] = aten::slice.Tensor(%1, 0, None, -2, 1)\n"
                "%6[?,2] = aten::slice.Tensor(%1, 0, -1, None, 1)\n"
                "%7[?,2] = aten::cat((%5, %6), 0)\n"
                "%8[?,2] = aten::movedim.int(%7, 0, 0)\n"
                "=> %4, %8");
}

UNIT_TEST(what_pop_takes_is_not_decided_by_the_data)
{
    grown_gives(arena,
                "  %r = aten::pop.t(%l, %k)\n"
                "  -> %r\n",
                "a count or index depends on the data, in the root module");
}

UNIT_TEST(a_row_is_inserted_in_front)
{
    grown_gives(arena,
                "  aten::insert.t(%l, %0, %y)\n"
                "  %r = aten::stack(%l, %0)\n"
                "  -> %r\n",
                "%4[1,2] = aten::unsqueeze(y, 0)\n"
                "%5[?,2] = aten::cat((%4, %1), 0)\n"
                "%6[?,2] = aten::movedim.int(%5, 0, 0)\n"
                "=> %6");
}

UNIT_TEST(a_row_is_inserted_before_the_last_one)
{
    grown_gives(arena,
                "  aten::insert.t(%l, %minus, %y)\n"
                "  %r = aten::stack(%l, %0)\n"
                "  -> %r\n",
                "%4[1,2] = aten::unsqueeze(y, 0)\n"
                "%5[?,2] = aten::slice.Tensor(%1, 0, None, -1, 1)\n"
                "%6[?,2] = aten::slice.Tensor(%1, 0, -1, None, 1)\n"
                "%7[?,2] = aten::cat((%5, %4, %6), 0)\n"
                "%8[?,2] = aten::movedim.int(%7, 0, 0)\n"
                "=> %8");
}

UNIT_TEST(where_it_is_inserted_is_not_decided_by_the_data)
{
    grown_gives(arena,
                "  aten::insert.t(%l, %k, %y)\n"
                "  -> %l\n",
                "a count or index depends on the data, in the root module");
}

UNIT_TEST(a_row_is_appended)
{
    grown_gives(arena,
                "  %q:list = aten::append.t(%l, %y)\n"
                "  %s:bool = aten::__is__(%q, %l)\n"
                "  %r = aten::stack(%l, %0)\n"
                "  -> %s, %r\n",
                "%4[1,2] = aten::unsqueeze(y, 0)\n"
                "%5[?,2] = aten::cat((%1, %4), 0)\n"
                "%6[?,2] = aten::movedim.int(%5, 0, 0)\n"
                "=> True, %6");
}

UNIT_TEST(a_row_is_replaced)
{
    grown_gives(arena,
                "  %q:list = aten::_set_item.t(%l, %minus, %y)\n"
                "  %r = aten::stack(%l, %0)\n"
                "  -> %r\n",
                "%4[1,2] = aten::unsqueeze(y, 0)\n"
                "%5[2] = aten::select.int(%4, 0, 0)\n"
                "%6[?,2] = aten::select_scatter(%1, %5, 0, -1)\n"
                "%7[?,2] = aten::movedim.int(%6, 0, 0)\n"
                "=> %7");
}

UNIT_TEST(which_row_is_replaced_may_be_decided_by_the_data)
{
    grown_gives(arena,
                "  %q:list = aten::_set_item.t(%l, %k, %y)\n"
                "  %r = aten::stack(%l, %0)\n"
                "  -> %r\n",
                "%4[1,2] = aten::unsqueeze(y, 0)\n"
                "%5[2] = aten::select.int(%4, 0, 0)\n"
                "%6[?,2] = aten::select_scatter(%1, %5, 0, k)\n"
                "%7[?,2] = aten::movedim.int(%6, 0, 0)\n"
                "=> %7");
}

UNIT_TEST(reversed_its_rows_are_flipped)
{
    grown_gives(arena,
                "  aten::reverse.t(%l)\n"
                "  %r = aten::stack(%l, %0)\n"
                "  -> %r\n",
                "%4[?,2] = aten::flip(%1, (0))\n"
                "%5[?,2] = aten::movedim.int(%4, 0, 0)\n"
                "=> %5");
}

UNIT_TEST(cleared_it_is_empty_and_of_a_known_length)
{
    grown_gives(arena,
                "  aten::clear.t(%l)\n"
                "  %n1:int = aten::len.t(%l)\n"
                "  %q:list = aten::append.t(%l, %y)\n"
                "  -> %n1, %l\n",
                "=> 0, y");
}

UNIT_MAIN("interpret: grown lists", its_length_is_the_number_of_rows,
          its_last_element_is_the_last_row, an_index_of_the_data_selects_a_row,
          it_is_given_back_as_a_sequence, in_a_tuple_too, it_is_itself_under_another_name,
          it_is_not_unpacked, no_other_operator_takes_it, it_is_not_written_as_a_text,
          it_is_passed_to_functions, stacked_along_the_first_dim_its_rows_are_the_tensor,
          stacked_along_another_dim_rows_are_moved_there, the_dim_of_a_stack_counts_from_the_end,
          a_stack_has_one_dim_more_and_no_further_one, joined_its_rows_lie_one_behind_the_other,
          joining_needs_a_dim_that_elements_have, a_dim_of_the_data_joins_nothing,
          a_slice_is_one_of_the_rows, a_slice_may_begin_where_the_data_says,
          backwards_all_of_it_is_flipped, backwards_no_part_is_taken,
          no_step_but_one_goes_backwards, a_copy_does_not_follow_the_list,
          pop_leaves_all_rows_but_the_last, pop_leaves_all_rows_but_the_first,
          pop_in_between_joins_what_is_left, pop_counts_from_the_end,
          what_pop_takes_is_not_decided_by_the_data, a_row_is_inserted_in_front,
          a_row_is_inserted_before_the_last_one, where_it_is_inserted_is_not_decided_by_the_data,
          a_row_is_appended, a_row_is_replaced, which_row_is_replaced_may_be_decided_by_the_data,
          reversed_its_rows_are_flipped, cleared_it_is_empty_and_of_a_known_length)
