/*
 * Lists with known elements: operations on them are not in the trace.
 */
#include "lists_fixture.h"

/* ---- indices --------------------------------------------------------------------------------- */

UNIT_TEST(an_index_counts_from_the_front)
{
    list_gives(arena,
               "  %r = aten::__getitem__.t(%all, %1)\n"
               "  -> %r\n",
               "=> b");
}

UNIT_TEST(a_negative_index_counts_from_the_end)
{
    list_gives(arena,
               "  %r = aten::__getitem__.t(%all, %minus)\n"
               "  -> %r\n",
               "=> c");
}

UNIT_TEST(minus_the_length_is_the_first_element)
{
    list_gives(arena,
               "  %k:int = prim::Constant<-3>()\n"
               "  %r = aten::__getitem__.t(%all, %k)\n"
               "  -> %r\n",
               "=> a");
}

UNIT_TEST(an_index_behind_the_end_is_refused)
{
    list_gives(arena,
               "  %r = aten::__getitem__.t(%all, %3)\n"
               "  -> %r\n",
               "an index is out of the range of its list, in the root module");
}

UNIT_TEST(an_index_before_the_front_is_refused)
{
    list_gives(arena,
               "  %k:int = prim::Constant<-4>()\n"
               "  %r = aten::__getitem__.t(%all, %k)\n"
               "  -> %r\n",
               "an index is out of the range of its list, in the root module");
}

UNIT_TEST(an_empty_list_has_no_element)
{
    list_gives(arena,
               "  %none_yet:list = prim::ListConstruct()\n"
               "  %r = aten::__getitem__.t(%none_yet, %0)\n"
               "  -> %r\n",
               "an index is out of the range of its list, in the root module");
}

UNIT_TEST(the_smallest_index_is_out_of_range)
{
    list_gives(arena,
               "  %k:int = prim::Constant<-9223372036854775808>()\n"
               "  %r = aten::__getitem__.t(%all, %k)\n"
               "  -> %r\n",
               "an index is out of the range of its list, in the root module");
}

UNIT_TEST(an_element_is_replaced)
{
    list_gives(arena,
               "  %r:list = aten::_set_item.t(%all, %1, %a)\n"
               "  -> %all\n",
               "=> a, a, c");
}

UNIT_TEST(a_negative_index_replaces_from_the_end)
{
    list_gives(arena,
               "  %r:list = aten::_set_item.t(%all, %minus, %a)\n"
               "  -> %all\n",
               "=> a, b, a");
}

UNIT_TEST(what_is_replaced_must_be_there)
{
    list_gives(arena,
               "  %r:list = aten::_set_item.t(%all, %3, %a)\n"
               "  -> %all\n",
               "an index is out of the range of its list, in the root module");
}

UNIT_TEST(replacing_gives_the_list_itself)
{
    list_gives(arena,
               "  %r:list = aten::_set_item.t(%all, %0, %b)\n"
               "  %s:bool = aten::__is__(%r, %all)\n"
               "  -> %s\n",
               "=> True");
}

/* ---- changes of lists ---------------------------------------------------------------------- */

UNIT_TEST(a_list_has_a_length)
{
    list_gives(arena,
               "  %n:int = aten::len.t(%all)\n"
               "  %empty:list = prim::ListConstruct()\n"
               "  %k:int = aten::len.t(%empty)\n"
               "  -> %n, %k\n",
               "=> 3, 0");
}

UNIT_TEST(an_element_is_appended)
{
    list_gives(arena,
               "  %r:list = aten::append.t(%all, %a)\n"
               "  -> %all\n",
               "=> a, b, c, a");
}

UNIT_TEST(appending_gives_the_list_itself)
{
    list_gives(arena,
               "  %r:list = aten::append.t(%all, %a)\n"
               "  %q:list = aten::append.t(%r, %b)\n"
               "  -> %all\n",
               "=> a, b, c, a, b");
}

UNIT_TEST(a_list_is_extended_by_another_one)
{
    list_gives(arena,
               "  %more:list = prim::ListConstruct(%c, %a)\n"
               "  aten::extend.t(%all, %more)\n"
               "  %n:int = aten::len.t(%more)\n"
               "  -> %all, %n\n",
               "=> a, b, c, c, a, 2");
}

UNIT_TEST(a_list_is_extended_by_itself_once)
{
    list_gives(arena,
               "  aten::extend.t(%all, %all)\n"
               "  -> %all\n",
               "=> a, b, c, a, b, c");
}

UNIT_TEST(adding_in_place_extends_the_list_that_others_see)
{
    list_gives(arena,
               "  %same:list = prim::unchecked_cast(%all)\n"
               "  %more:list = prim::ListConstruct(%a)\n"
               "  %r:list = aten::add_.t(%all, %more)\n"
               "  -> %same\n",
               "=> a, b, c, a");
}

UNIT_TEST(pop_takes_the_last_element)
{
    list_gives(arena,
               "  %r = aten::pop.t(%all, %minus)\n"
               "  -> %r, %all\n",
               "=> c, a, b");
}

UNIT_TEST(pop_takes_the_element_at_an_index)
{
    list_gives(arena,
               "  %r = aten::pop.t(%all, %0)\n"
               "  -> %r, %all\n",
               "=> a, b, c");
}

UNIT_TEST(pop_takes_from_the_middle)
{
    list_gives(arena,
               "  %r = aten::pop.t(%all, %1)\n"
               "  -> %r, %all\n",
               "=> b, a, c");
}

UNIT_TEST(pop_behind_the_end_is_refused)
{
    list_gives(arena,
               "  %r = aten::pop.t(%all, %3)\n"
               "  -> %r\n",
               "an index is out of the range of its list, in the root module");
}

UNIT_TEST(pop_of_an_empty_list_is_refused)
{
    list_gives(arena,
               "  %empty:list = prim::ListConstruct()\n"
               "  %r = aten::pop.t(%empty, %minus)\n"
               "  -> %r\n",
               "an index is out of the range of its list, in the root module");
}

UNIT_TEST(an_element_is_inserted_in_front)
{
    list_gives(arena,
               "  aten::insert.t(%all, %0, %c)\n"
               "  -> %all\n",
               "=> c, a, b, c");
}

UNIT_TEST(an_element_is_inserted_before_the_last_one)
{
    list_gives(arena,
               "  aten::insert.t(%all, %minus, %a)\n"
               "  -> %all\n",
               "=> a, b, a, c");
}

UNIT_TEST(inserting_at_the_length_appends)
{
    list_gives(arena,
               "  aten::insert.t(%all, %3, %a)\n"
               "  -> %all\n",
               "=> a, b, c, a");
}

UNIT_TEST(inserting_far_behind_the_end_appends)
{
    list_gives(arena,
               "  aten::insert.t(%all, %many, %a)\n"
               "  -> %all\n",
               "=> a, b, c, a");
}

UNIT_TEST(inserting_far_before_the_front_puts_it_there)
{
    list_gives(arena,
               "  %k:int = prim::Constant<-9223372036854775808>()\n"
               "  aten::insert.t(%all, %k, %c)\n"
               "  -> %all\n",
               "=> c, a, b, c");
}

UNIT_TEST(a_cleared_list_is_empty_and_can_grow_again)
{
    list_gives(arena,
               "  aten::clear.t(%all)\n"
               "  %n:int = aten::len.t(%all)\n"
               "  %r:list = aten::append.t(%all, %b)\n"
               "  -> %n, %all\n",
               "=> 0, b");
}

UNIT_TEST(a_list_is_reversed_in_place)
{
    list_gives(arena,
               "  aten::reverse.t(%all)\n"
               "  -> %all\n",
               "=> c, b, a");
}

UNIT_TEST(an_even_number_of_elements_is_reversed)
{
    list_gives(arena,
               "  %l:list = prim::ListConstruct(%a, %b, %c, %a)\n"
               "  aten::reverse.t(%l)\n"
               "  -> %l\n",
               "=> a, c, b, a");
}

UNIT_TEST(two_lists_are_added_to_a_new_one)
{
    list_gives(arena,
               "  %more:list = prim::ListConstruct(%c)\n"
               "  %sum:list = aten::add.t(%all, %more)\n"
               "  %r:list = aten::append.t(%sum, %a)\n"
               "  -> %sum, %all, %more\n",
               "=> a, b, c, c, a, a, b, c, c");
}

UNIT_TEST(a_list_is_added_to_itself)
{
    list_gives(arena,
               "  %sum:list = aten::add.t(%all, %all)\n"
               "  -> %sum\n",
               "=> a, b, c, a, b, c");
}

/* ---- slices ---------------------------------------------------------------------------------- */

UNIT_TEST(a_slice_without_bounds_is_all_of_a_list)
{
    list_gives(arena,
               "  %r:list = aten::slice.t(%all, %none, %none, %1)\n"
               "  -> %r\n",
               "=> a, b, c");
}

UNIT_TEST(a_slice_begins_and_ends_within_the_list)
{
    list_gives(arena,
               "  %r:list = aten::slice.t(%all, %1, %2, %1)\n"
               "  -> %r\n",
               "=> b");
}

UNIT_TEST(the_bounds_of_a_slice_count_from_the_end)
{
    list_gives(arena,
               "  %k:int = prim::Constant<-2>()\n"
               "  %r:list = aten::slice.t(%all, %k, %minus, %1)\n"
               "  -> %r\n",
               "=> b");
}

UNIT_TEST(a_slice_ends_where_the_list_does)
{
    list_gives(arena,
               "  %r:list = aten::slice.t(%all, %1, %many, %1)\n"
               "  -> %r\n",
               "=> b, c");
}

UNIT_TEST(a_slice_begins_where_the_list_does)
{
    list_gives(arena,
               "  %k:int = prim::Constant<-9>()\n"
               "  %r:list = aten::slice.t(%all, %k, %2, %1)\n"
               "  -> %r\n",
               "=> a, b");
}

UNIT_TEST(a_slice_that_ends_before_it_begins_is_empty)
{
    list_gives(arena,
               "  %r:list = aten::slice.t(%all, %2, %1, %1)\n"
               "  %n:int = aten::len.t(%r)\n"
               "  -> %n\n",
               "=> 0");
}

UNIT_TEST(a_slice_behind_the_end_is_empty)
{
    list_gives(arena,
               "  %r:list = aten::slice.t(%all, %3, %many, %1)\n"
               "  %n:int = aten::len.t(%r)\n"
               "  -> %n\n",
               "=> 0");
}

UNIT_TEST(a_slice_takes_every_second_element)
{
    list_gives(arena,
               "  %r:list = aten::slice.t(%all, %none, %none, %2)\n"
               "  -> %r\n",
               "=> a, c");
}

UNIT_TEST(the_longest_step_takes_one_element)
{
    list_gives(arena,
               "  %r:list = aten::slice.t(%all, %1, %none, %many)\n"
               "  -> %r\n",
               "=> b");
}

UNIT_TEST(a_slice_goes_backwards)
{
    list_gives(arena,
               "  %r:list = aten::slice.t(%all, %none, %none, %minus)\n"
               "  -> %r\n",
               "=> c, b, a");
}

UNIT_TEST(backwards_a_slice_ends_behind_its_bound)
{
    list_gives(arena,
               "  %r:list = aten::slice.t(%all, %2, %0, %minus)\n"
               "  -> %r\n",
               "=> c, b");
}

UNIT_TEST(backwards_a_bound_before_the_front_takes_the_first_element)
{
    list_gives(arena,
               "  %k:int = prim::Constant<-9>()\n"
               "  %r:list = aten::slice.t(%all, %1, %k, %minus)\n"
               "  -> %r\n",
               "=> b, a");
}

UNIT_TEST(backwards_a_bound_behind_the_end_begins_with_the_last_element)
{
    list_gives(arena,
               "  %r:list = aten::slice.t(%all, %many, %none, %minus)\n"
               "  -> %r\n",
               "=> c, b, a");
}

UNIT_TEST(backwards_every_second_element_is_taken)
{
    list_gives(arena,
               "  %k:int = prim::Constant<-2>()\n"
               "  %r:list = aten::slice.t(%all, %none, %none, %k)\n"
               "  -> %r\n",
               "=> c, a");
}

UNIT_TEST(the_longest_step_backwards_takes_one_element)
{
    list_gives(arena,
               "  %k:int = prim::Constant<-9223372036854775808>()\n"
               "  %r:list = aten::slice.t(%all, %none, %none, %k)\n"
               "  -> %r\n",
               "=> c");
}

UNIT_TEST(a_slice_of_an_empty_list_is_empty_backwards_too)
{
    list_gives(arena,
               "  %empty:list = prim::ListConstruct()\n"
               "  %r:list = aten::slice.t(%empty, %none, %none, %minus)\n"
               "  %n:int = aten::len.t(%r)\n"
               "  -> %n\n",
               "=> 0");
}

UNIT_TEST(a_step_of_nought_is_refused)
{
    list_gives(arena,
               "  %r:list = aten::slice.t(%all, %none, %none, %0)\n"
               "  -> %r\n",
               "a slice of a list has a step of 0, in the root module");
}

UNIT_TEST(a_slice_is_a_list_of_its_own)
{
    list_gives(arena,
               "  %r:list = aten::slice.t(%all, %none, %none, %1)\n"
               "  %q:list = aten::append.t(%r, %a)\n"
               "  -> %all\n",
               "=> a, b, c");
}

UNIT_MAIN("interpret: lists", an_index_counts_from_the_front, a_negative_index_counts_from_the_end,
          minus_the_length_is_the_first_element, an_index_behind_the_end_is_refused,
          an_index_before_the_front_is_refused, an_empty_list_has_no_element,
          the_smallest_index_is_out_of_range, an_element_is_replaced,
          a_negative_index_replaces_from_the_end, what_is_replaced_must_be_there,
          replacing_gives_the_list_itself, a_list_has_a_length, an_element_is_appended,
          appending_gives_the_list_itself, a_list_is_extended_by_another_one,
          a_list_is_extended_by_itself_once, adding_in_place_extends_the_list_that_others_see,
          pop_takes_the_last_element, pop_takes_the_element_at_an_index, pop_takes_from_the_middle,
          pop_behind_the_end_is_refused, pop_of_an_empty_list_is_refused,
          an_element_is_inserted_in_front, an_element_is_inserted_before_the_last_one,
          inserting_at_the_length_appends, inserting_far_behind_the_end_appends,
          inserting_far_before_the_front_puts_it_there, a_cleared_list_is_empty_and_can_grow_again,
          a_list_is_reversed_in_place, an_even_number_of_elements_is_reversed,
          two_lists_are_added_to_a_new_one, a_list_is_added_to_itself,
          a_slice_without_bounds_is_all_of_a_list, a_slice_begins_and_ends_within_the_list,
          the_bounds_of_a_slice_count_from_the_end, a_slice_ends_where_the_list_does,
          a_slice_begins_where_the_list_does, a_slice_that_ends_before_it_begins_is_empty,
          a_slice_behind_the_end_is_empty, a_slice_takes_every_second_element,
          the_longest_step_takes_one_element, a_slice_goes_backwards,
          backwards_a_slice_ends_behind_its_bound,
          backwards_a_bound_before_the_front_takes_the_first_element,
          backwards_a_bound_behind_the_end_begins_with_the_last_element,
          backwards_every_second_element_is_taken, the_longest_step_backwards_takes_one_element,
          a_slice_of_an_empty_list_is_empty_backwards_too, a_step_of_nought_is_refused,
          a_slice_is_a_list_of_its_own)
