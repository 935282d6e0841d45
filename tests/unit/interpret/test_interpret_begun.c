/*
 * Lists of data-dependent length after known tensors and other lists.
 */
#include "lists_fixture.h"

/* ---- behind a tensor that is known ----------------------------------------------------------- */

UNIT_TEST(the_known_tensor_counts_too)
{
    begun_gives(arena, "[2] [2]",
                "  %r:int = aten::len.t(%l)\n"
                "  -> %r\n",
                "%4 int = aten::size.int(%1, 0)\n"
                "%5 int = aten::add.int(%4, 1)\n"
                "=> %5");
}

UNIT_TEST(the_known_tensor_is_the_first_row)
{
    begun_gives(arena, "[2] [2]",
                "  %r = aten::__getitem__.t(%l, %0)\n"
                "  -> %r\n",
                "%4[1,2] = aten::unsqueeze(y, 0)\n"
                "%5[?,2] = aten::cat((%4, %1), 0)\n"
                "%6[2] = aten::select.int(%5, 0, 0)\n"
                "=> %6");
}

UNIT_TEST(it_is_stacked_in_front)
{
    begun_gives(arena, "[2] [2]",
                "  %r = aten::stack(%l, %1)\n"
                "  -> %r\n",
                "%4[2,?] = aten::movedim.int(%1, 0, 1)\n"
                "%5[2,1] = aten::unsqueeze(y, 1)\n"
                "%6[2,?] = aten::cat((%5, %4), 1)\n"
                "=> %6");
}

UNIT_TEST(it_is_joined_in_front)
{
    begun_gives(arena, "[2] [2]",
                "  %r = aten::cat(%l, %0)\n"
                "  -> %r\n",
                "%4[?,2] = aten::movedim.int(%1, 0, 0)\n"
                "%5[?] = aten::flatten.using_ints(%4, 0, 1)\n"
                "%6[?] = aten::cat((y, %5), 0)\n"
                "=> %6");
}

UNIT_TEST(all_are_given_back)
{
    begun_gives(arena, "[2] [2]", "  -> %l\n",
                "%4[1,2] = aten::unsqueeze(y, 0)\n"
                "%5[?,2] = aten::cat((%4, %1), 0)\n"
                "%6 sequence[2] = aten::unbind.int(%5, 0)\n"
                "=> %6");
}

UNIT_TEST(pop_may_take_the_known_tensor)
{
    begun_gives(arena, "[2] [2]",
                "  %r = aten::pop.t(%l, %0)\n"
                "  %s = aten::stack(%l, %0)\n"
                "  -> %r, %s\n",
                "%4[1,2] = aten::unsqueeze(y, 0)\n"
                "%5[?,2] = aten::cat((%4, %1), 0)\n"
                "%6[2] = aten::select.int(%5, 0, 0)\n"
                "%7[?,2] = aten::slice.Tensor(%5, 0, 1, None, 1)\n"
                "%8[?,2] = aten::movedim.int(%7, 0, 0)\n"
                "=> %6, %8");
}

UNIT_TEST(reversed_the_known_tensor_comes_last)
{
    begun_gives(arena, "[2] [2]",
                "  aten::reverse.t(%l)\n"
                "  %s = aten::stack(%l, %0)\n"
                "  -> %s\n",
                "%4[1,2] = aten::unsqueeze(y, 0)\n"
                "%5[?,2] = aten::cat((%4, %1), 0)\n"
                "%6[?,2] = aten::flip(%5, (0))\n"
                "%7[?,2] = aten::movedim.int(%6, 0, 0)\n"
                "=> %7");
}

UNIT_TEST(another_one_is_appended_behind_all)
{
    begun_gives(arena, "[2] [2]",
                "  %q:list = aten::append.t(%l, %x)\n"
                "  %s = aten::stack(%l, %0)\n"
                "  -> %s\n",
                "%4[1,2] = aten::unsqueeze(y, 0)\n"
                "%5[?,2] = aten::cat((%4, %1), 0)\n"
                "%6[1,2] = aten::unsqueeze(x, 0)\n"
                "%7[?,2] = aten::cat((%5, %6), 0)\n"
                "%8[?,2] = aten::movedim.int(%7, 0, 0)\n"
                "=> %8");
}

UNIT_TEST(the_known_tensor_is_replaced)
{
    begun_gives(arena, "[2] [2]",
                "  %q:list = aten::_set_item.t(%l, %0, %x)\n"
                "  %s = aten::stack(%l, %0)\n"
                "  -> %s\n",
                "%4[1,2] = aten::unsqueeze(y, 0)\n"
                "%5[?,2] = aten::cat((%4, %1), 0)\n"
                "%6[1,2] = aten::unsqueeze(x, 0)\n"
                "%7[2] = aten::select.int(%6, 0, 0)\n"
                "%8[?,2] = aten::select_scatter(%5, %7, 0, 0)\n"
                "%9[?,2] = aten::movedim.int(%8, 0, 0)\n"
                "=> %9");
}

UNIT_TEST(one_of_another_size_counts_too)
{
    begun_gives(arena, "[2] [3]",
                "  %r:int = aten::len.t(%l)\n"
                "  -> %r\n",
                "%4 int = aten::size.int(%1, 0)\n"
                "%5 int = aten::add.int(%4, 1)\n"
                "=> %5");
}

UNIT_TEST(one_of_another_size_is_joined_in_front)
{
    begun_gives(arena, "[2] [3]",
                "  %r = aten::cat(%l, %0)\n"
                "  -> %r\n",
                "%4[?,2] = aten::movedim.int(%1, 0, 0)\n"
                "%5[?] = aten::flatten.using_ints(%4, 0, 1)\n"
                "%6[?] = aten::cat((y, %5), 0)\n"
                "=> %6");
}

UNIT_TEST(with_one_of_another_size_elements_are_those_of_a_sequence)
{
    begun_gives(arena, "[2] [3]",
                "  %r = aten::__getitem__.t(%l, %0)\n"
                "  -> %r\n",
                "%4 sequence[2] = aten::unbind.int(%1, 0)\n"
                "%5 sequence[?] = aten::insert.t(%4, 0, y)\n"
                "%6[?] = aten::__getitem__.t(%5, 0)\n"
                "=> %6");
}

UNIT_TEST(with_one_of_another_size_all_are_given_back_in_order)
{
    begun_gives(arena, "[2] [3]", "  -> %l\n",
                "%4 sequence[2] = aten::unbind.int(%1, 0)\n"
                "%5 sequence[?] = aten::insert.t(%4, 0, y)\n"
                "=> %5");
}

UNIT_TEST(with_one_of_another_size_pop_takes_from_a_sequence)
{
    begun_gives(arena, "[2] [3]",
                "  %r = aten::pop.t(%l, %0)\n"
                "  -> %r, %l\n",
                "%4 sequence[2] = aten::unbind.int(%1, 0)\n"
                "%5 sequence[?] = aten::insert.t(%4, 0, y)\n"
                "%6[?] = aten::__getitem__.t(%5, 0)\n"
                "%7 sequence[?] = aten::Delete.t(%5, 0)\n"
                "=> %6, %7");
}

UNIT_TEST(with_one_of_another_size_nothing_is_sliced)
{
    begun_gives(arena, "[2] [3]",
                "  %r:list = aten::slice.t(%l, %1, %none, %1)\n"
                "  -> %r\n",
                "a list whose length depends on the data holds tensors of different sizes, "
                "and is sliced or reversed, in the root module");
}

UNIT_TEST(one_of_another_rank_cannot_be_in_a_sequence)
{
    begun_gives(arena, "[2] [3,1]",
                "  %r = aten::__getitem__.t(%l, %0)\n"
                "  -> %r\n",
                "a list whose length depends on the data holds tensors of different ranks or "
                "dtypes, or elements that ONNX sequences cannot hold, in the root module");
}

/* ---- behind other lists, and before them ----------------------------------------------------- */

UNIT_TEST(it_is_extended_by_known_tensors)
{
    grown_gives(arena,
                "  %m:list = prim::ListConstruct(%y, %y)\n"
                "  aten::extend.t(%l, %m)\n"
                "  %r = aten::stack(%l, %0)\n"
                "  -> %r\n",
                "%4[1,2] = aten::unsqueeze(y, 0)\n"
                "%5[1,2] = aten::unsqueeze(y, 0)\n"
                "%6[2,2] = aten::cat((%4, %5), 0)\n"
                "%7[?,2] = aten::cat((%1, %6), 0)\n"
                "%8[?,2] = aten::movedim.int(%7, 0, 0)\n"
                "=> %8");
}

UNIT_TEST(extended_by_itself_it_is_twice_as_long)
{
    grown_gives(arena,
                "  aten::extend.t(%l, %l)\n"
                "  %r = aten::stack(%l, %0)\n"
                "  -> %r\n",
                "%4[?,2] = aten::cat((%1, %1), 0)\n"
                "%5[?,2] = aten::movedim.int(%4, 0, 0)\n"
                "=> %5");
}

UNIT_TEST(extended_by_nothing_it_stays)
{
    grown_gives(arena,
                "  %m:list = prim::ListConstruct()\n"
                "  aten::extend.t(%l, %m)\n"
                "  %r = aten::stack(%l, %0)\n"
                "  -> %r\n",
                "%4[?,2] = aten::movedim.int(%1, 0, 0)\n"
                "=> %4");
}

UNIT_TEST(a_known_list_is_extended_by_it)
{
    grown_gives(arena,
                "  %m:list = prim::ListConstruct(%y)\n"
                "  aten::extend.t(%m, %l)\n"
                "  %r = aten::stack(%m, %0)\n"
                "  -> %r\n",
                "%4[1,2] = aten::unsqueeze(y, 0)\n"
                "%5[?,2] = aten::cat((%4, %1), 0)\n"
                "%6[?,2] = aten::movedim.int(%5, 0, 0)\n"
                "=> %6");
}

UNIT_TEST(an_empty_list_that_is_extended_by_it_has_its_rows)
{
    grown_gives(arena,
                "  %m:list = prim::ListConstruct()\n"
                "  %q:list = aten::add_.t(%m, %l)\n"
                "  %r = aten::stack(%m, %0)\n"
                "  -> %r\n",
                "%4[?,2] = aten::movedim.int(%1, 0, 0)\n"
                "=> %4");
}

UNIT_TEST(added_to_another_one_both_stay)
{
    grown_gives(arena,
                "  %m:list = prim::ListConstruct(%y)\n"
                "  %s:list = aten::add.t(%l, %m)\n"
                "  %r = aten::stack(%s, %0)\n"
                "  %n1:int = aten::len.t(%m)\n"
                "  %t = aten::stack(%l, %0)\n"
                "  -> %r, %n1, %t\n",
                "%4[1,2] = aten::unsqueeze(y, 0)\n"
                "%5[?,2] = aten::cat((%1, %4), 0)\n"
                "%6[?,2] = aten::movedim.int(%5, 0, 0)\n"
                "%7[?,2] = aten::movedim.int(%1, 0, 0)\n"
                "=> %6, 1, %7");
}

UNIT_TEST(what_is_in_front_of_it_comes_first)
{
    grown_gives(arena,
                "  %m:list = prim::ListConstruct(%y)\n"
                "  %s:list = aten::add.t(%m, %l)\n"
                "  %r = aten::stack(%s, %0)\n"
                "  -> %r\n",
                "%4[1,2] = aten::unsqueeze(y, 0)\n"
                "%5[?,2] = aten::cat((%4, %1), 0)\n"
                "%6[?,2] = aten::movedim.int(%5, 0, 0)\n"
                "=> %6");
}

UNIT_TEST(a_tensor_of_another_size_makes_it_a_sequence)
{
    grown_gives(arena,
                "  %two:list = prim::ListConstruct(%x, %y)\n"
                "  %z = aten::cat(%two, %0)\n"
                "  %q:list = aten::append.t(%l, %z)\n"
                "  -> %l\n",
                "%4[4] = aten::cat((x, y), 0)\n"
                "%5 sequence[2] = aten::unbind.int(%1, 0)\n"
                "%6 sequence[?] = aten::append.t(%5, %4)\n"
                "=> %6");
}

UNIT_TEST(a_tensor_of_another_rank_is_none_of_its_elements)
{
    grown_gives(arena,
                "  %z = aten::unsqueeze(%y, %0)\n"
                "  %q:list = aten::append.t(%l, %z)\n"
                "  -> %l\n",
                "a list whose length depends on the data holds tensors of different ranks or "
                "dtypes, or elements that ONNX sequences cannot hold, in the root module");
}

UNIT_MAIN("interpret: begun lists", the_known_tensor_counts_too, the_known_tensor_is_the_first_row,
          it_is_stacked_in_front, it_is_joined_in_front, all_are_given_back,
          pop_may_take_the_known_tensor, reversed_the_known_tensor_comes_last,
          another_one_is_appended_behind_all, the_known_tensor_is_replaced,
          one_of_another_size_counts_too, one_of_another_size_is_joined_in_front,
          with_one_of_another_size_elements_are_those_of_a_sequence,
          with_one_of_another_size_all_are_given_back_in_order,
          with_one_of_another_size_pop_takes_from_a_sequence,
          with_one_of_another_size_nothing_is_sliced, one_of_another_rank_cannot_be_in_a_sequence,
          it_is_extended_by_known_tensors, extended_by_itself_it_is_twice_as_long,
          extended_by_nothing_it_stays, a_known_list_is_extended_by_it,
          an_empty_list_that_is_extended_by_it_has_its_rows, added_to_another_one_both_stay,
          what_is_in_front_of_it_comes_first, a_tensor_of_another_size_makes_it_a_sequence,
          a_tensor_of_another_rank_is_none_of_its_elements)
