/*
 * Visibility of changes to lists, tuples, and None.
 */
#include "lists_fixture.h"

/* ---- which list it is ------------------------------------------------------------------------ */

UNIT_TEST(a_list_is_itself_under_another_name)
{
    list_gives(arena,
               "  %same:list = prim::unchecked_cast(%all)\n"
               "  %s:bool = aten::__is__(%same, %all)\n"
               "  -> %s\n",
               "=> True");
}

UNIT_TEST(equal_lists_are_not_one)
{
    list_gives(arena,
               "  %other:list = prim::ListConstruct(%a, %b, %c)\n"
               "  %s:bool = aten::__is__(%other, %all)\n"
               "  %t:bool = aten::__isnot__(%other, %all)\n"
               "  -> %s, %t\n",
               "=> False, True");
}

UNIT_TEST(an_element_is_the_tensor_that_was_put_there)
{
    list_gives(arena,
               "  %r = aten::__getitem__.t(%all, %1)\n"
               "  %s:bool = aten::__is__(%r, %b)\n"
               "  -> %s\n",
               "=> True");
}

UNIT_TEST(a_copy_is_another_list_of_the_same_elements)
{
    list_gives(arena,
               "  %copy:list = aten::list.t(%all)\n"
               "  %s:bool = aten::__is__(%copy, %all)\n"
               "  %q:list = aten::append.t(%copy, %a)\n"
               "  -> %s, %copy, %all\n",
               "=> False, a, b, c, a, a, b, c");
}

UNIT_TEST(copy_makes_another_list_too)
{
    list_gives(arena,
               "  %copy:list = aten::copy.t(%all)\n"
               "  aten::clear.t(%all)\n"
               "  -> %copy\n",
               "=> a, b, c");
}

UNIT_TEST(who_holds_a_list_sees_it_change)
{
    list_gives(arena,
               "  %holder:list = prim::ListConstruct(%all)\n"
               "  %q:list = aten::append.t(%all, %a)\n"
               "  -> %holder\n",
               "=> a, b, c, a");
}

UNIT_TEST(a_list_within_a_list_is_changed_through_it)
{
    list_gives(arena,
               "  %holder:list = prim::ListConstruct(%all, %all)\n"
               "  %inner:list = aten::__getitem__.t(%holder, %1)\n"
               "  %r = aten::pop.t(%inner, %0)\n"
               "  -> %all, %holder\n",
               "=> b, c, b, c, b, c");
}

UNIT_TEST(a_copy_shares_the_lists_within)
{
    list_gives(arena,
               "  %holder:list = prim::ListConstruct(%all)\n"
               "  %copy:list = aten::list.t(%holder)\n"
               "  %inner:list = aten::__getitem__.t(%copy, %0)\n"
               "  aten::clear.t(%inner)\n"
               "  %n:int = aten::len.t(%all)\n"
               "  -> %n\n",
               "=> 0");
}

UNIT_TEST(a_slice_shares_the_lists_within)
{
    list_gives(arena,
               "  %holder:list = prim::ListConstruct(%all)\n"
               "  %part:list = aten::slice.t(%holder, %0, %1, %1)\n"
               "  %inner:list = aten::__getitem__.t(%part, %minus)\n"
               "  aten::reverse.t(%inner)\n"
               "  -> %all\n",
               "=> c, b, a");
}

UNIT_TEST(a_tuple_shares_the_list_that_it_holds)
{
    list_gives(arena,
               "  %t:tuple = prim::TupleConstruct(%a, %all)\n"
               "  %inner:list = prim::TupleIndex(%t, %1)\n"
               "  aten::insert.t(%inner, %0, %c)\n"
               "  -> %all\n",
               "=> c, a, b, c");
}

UNIT_TEST(an_operator_is_given_what_a_list_held_at_that_time)
{
    list_gives(arena,
               "  %before = aten::stack(%all, %0)\n"
               "  %q:list = aten::append.t(%all, %a)\n"
               "  %after = aten::stack(%all, %0)\n"
               "  -> %before, %after\n",
               "%1[3,2] = aten::stack((a, b, c), 0)\n"
               "%2[4,2] = aten::stack((a, b, c, a), 0)\n"
               "=> %1, %2");
}

UNIT_TEST(an_operator_is_given_the_elements_in_their_order)
{
    list_gives(arena,
               "  aten::reverse.t(%all)\n"
               "  %r = aten::cat(%all, %0)\n"
               "  -> %r\n",
               "%1[6] = aten::cat((c, b, a), 0)\n"
               "=> %1");
}

UNIT_TEST(a_tensor_that_is_changed_in_place_is_changed_in_its_list)
{
    list_gives(arena,
               "  %r = aten::relu_(%a)\n"
               "  %q = aten::__getitem__.t(%all, %0)\n"
               "  -> %q\n",
               "%1[2] = aten::relu_(a)\n"
               "=> %1");
}

UNIT_TEST(a_change_in_place_reaches_lists_within_lists)
{
    list_gives(arena,
               "  %holder:list = prim::ListConstruct(%all)\n"
               "  %r = aten::relu_(%c)\n"
               "  -> %holder\n",
               "%1[2] = aten::relu_(c)\n"
               "=> a, b, %1");
}

/* ---- tuples ---------------------------------------------------------------------------------- */

UNIT_TEST(a_tuple_is_indexed_from_either_end)
{
    list_gives(arena,
               "  %t:tuple = prim::TupleConstruct(%a, %2, %b)\n"
               "  %p:int = prim::TupleIndex(%t, %1)\n"
               "  %q = prim::TupleIndex(%t, %minus)\n"
               "  -> %p, %q\n",
               "=> 2, b");
}

UNIT_TEST(an_index_out_of_the_range_of_a_tuple_is_refused)
{
    list_gives(arena,
               "  %t:tuple = prim::TupleConstruct(%a, %b)\n"
               "  %q = prim::TupleIndex(%t, %2)\n"
               "  -> %q\n",
               "an index is out of the range of its list, in the root module");
}

UNIT_TEST(a_tuple_is_sliced)
{
    list_gives(arena,
               "  %t:tuple = prim::TupleConstruct(%a, %b, %c)\n"
               "  %r:tuple = prim::TupleSlice<1 3>(%t)\n"
               "  -> %r\n",
               "=> b, c");
}

UNIT_TEST(a_slice_of_a_tuple_may_be_empty)
{
    list_gives(arena,
               "  %t:tuple = prim::TupleConstruct(%a, %b, %c)\n"
               "  %r:tuple = prim::TupleSlice<3 3>(%t)\n"
               "  %u:tuple = prim::TupleConstruct(%r, %a)\n"
               "  -> %u\n",
               "=> a");
}

UNIT_TEST(a_slice_behind_the_end_of_a_tuple_is_refused)
{
    list_gives(arena,
               "  %t:tuple = prim::TupleConstruct(%a, %b)\n"
               "  %r:tuple = prim::TupleSlice<1 3>(%t)\n"
               "  -> %r\n",
               "a slice of a tuple is out of range");
}

UNIT_TEST(a_tuple_is_unpacked)
{
    list_gives(arena,
               "  %t:tuple = prim::TupleConstruct(%a, %all)\n"
               "  %p, %l:list = prim::TupleUnpack(%t)\n"
               "  %q:list = aten::append.t(%l, %p)\n"
               "  -> %all\n",
               "=> a, b, c, a");
}

UNIT_TEST(a_tuple_of_another_size_is_not_unpacked)
{
    list_gives(arena,
               "  %t:tuple = prim::TupleConstruct(%a)\n"
               "  %p, %q = prim::TupleUnpack(%t)\n"
               "  -> %p\n",
               "a sequence of 1 is unpacked into 2 in the root module");
}

/* ---- unpacking ------------------------------------------------------------------------------- */

UNIT_TEST(a_list_is_unpacked_into_its_elements)
{
    list_gives(arena,
               "  %p, %q, %r = prim::ListUnpack(%all)\n"
               "  -> %r, %q, %p\n",
               "=> c, b, a");
}

UNIT_TEST(fewer_elements_than_names_are_refused)
{
    list_gives(arena,
               "  %p, %q, %r, %s = prim::ListUnpack(%all)\n"
               "  -> %p\n",
               "a sequence of 3 is unpacked into 4 in the root module");
}

UNIT_TEST(more_elements_than_names_are_refused)
{
    list_gives(arena,
               "  %p, %q = prim::ListUnpack(%all)\n"
               "  -> %p\n",
               "a sequence of 3 is unpacked into 2 in the root module");
}

UNIT_TEST(what_is_unpacked_does_not_follow_the_list)
{
    list_gives(arena,
               "  %p, %q, %r = prim::ListUnpack(%all)\n"
               "  %l:list = aten::_set_item.t(%all, %0, %c)\n"
               "  -> %p\n",
               "=> a");
}

UNIT_TEST(parts_of_what_failed_are_unknown)
{
    list_gives(arena,
               "  %l:list = aten::ldl_solve(%a)\n"
               "  %p, %q = prim::ListUnpack(%l)\n"
               "  -> %p, %q\n",
               "%1 unknown = aten::ldl_solve(a) ! it is not run, because its kernel does not "
               "check its operands\n"
               "=> %1, %1");
}

UNIT_TEST(an_element_of_what_failed_is_unknown)
{
    list_gives(arena,
               "  %l:list = aten::ldl_solve(%a)\n"
               "  %p = aten::__getitem__.t(%l, %0)\n"
               "  -> %p\n",
               "%1 unknown = aten::ldl_solve(a) ! it is not run, because its kernel does not "
               "check its operands\n"
               "=> %1");
}

/* ---- None, and missing values ------------------------------------------------------------- */

UNIT_TEST(none_is_none)
{
    list_gives(arena,
               "  %other:NoneType = prim::Constant<None>()\n"
               "  %s:bool = aten::__is__(%none, %other)\n"
               "  %t:bool = aten::__isnot__(%none, %other)\n"
               "  -> %s, %t\n",
               "=> True, False");
}

UNIT_TEST(a_tensor_is_not_none)
{
    list_gives(arena,
               "  %s:bool = aten::__is__(%a, %none)\n"
               "  %t:bool = aten::__isnot__(%a, %none)\n"
               "  -> %s, %t\n",
               "=> False, True");
}

UNIT_TEST(an_empty_list_is_not_none)
{
    list_gives(arena,
               "  %empty:list = prim::ListConstruct()\n"
               "  %s:bool = aten::__is__(%empty, %none)\n"
               "  -> %s\n",
               "=> False");
}

UNIT_TEST(only_the_side_for_none_is_followed)
{
    list_gives(arena,
               "  %s:bool = aten::__is__(%none, %none)\n"
               "  %r = prim::If(%s)\n"
               "  {\n"
               "    %p = aten::relu(%a)\n"
               "    -> %p\n"
               "  }\n"
               "  {\n"
               "    %q = aten::neg(%b)\n"
               "    -> %q\n"
               "  }\n"
               "  -> %r\n",
               "%1[2] = aten::relu(a)\n"
               "=> %1");
}

UNIT_TEST(whether_what_failed_is_none_is_not_told)
{
    list_gives(arena,
               "  %u = aten::ldl_solve(%a)\n"
               "  %s:bool = aten::__is__(%u, %none)\n"
               "  -> %s\n",
               "a branch depends on the data, in the root module");
}

UNIT_TEST(a_value_is_unwrapped_as_itself)
{
    list_gives(arena,
               "  %r:list = prim::unchecked_unwrap_optional(%all)\n"
               "  %s:bool = aten::__is__(%r, %all)\n"
               "  %q = aten::_unwrap_optional(%b)\n"
               "  -> %s, %q\n",
               "=> True, b");
}

UNIT_TEST(none_is_not_unwrapped)
{
    list_gives(arena,
               "  %r = aten::_unwrap_optional(%none)\n"
               "  -> %r\n",
               "None instead of a value, in the root module");
}

UNIT_TEST(an_element_may_be_none)
{
    list_gives(arena,
               "  %l:list = prim::ListConstruct(%none, %a)\n"
               "  %r = aten::__getitem__.t(%l, %0)\n"
               "  %s:bool = aten::__is__(%r, %none)\n"
               "  -> %s\n",
               "=> True");
}

UNIT_TEST(what_passes_values_on_gives_them_as_they_are)
{
    list_gives(arena,
               "  %p = prim::unchecked_cast(%a)\n"
               "  %q = prim::data(%p)\n"
               "  %r = aten::cpu(%q)\n"
               "  %s = prim::profile(%r)\n"
               "  %t:bool = aten::__is__(%s, %a)\n"
               "  -> %t\n",
               "=> True");
}

UNIT_TEST(an_unset_value_that_nobody_reads_does_no_harm)
{
    list_gives(arena,
               "  %u = prim::Uninitialized()\n"
               "  %t:tuple = prim::TupleConstruct(%u, %b)\n"
               "  %p, %q = prim::TupleUnpack(%t)\n"
               "  -> %q\n",
               "=> b");
}

UNIT_MAIN("interpret: sharing", a_list_is_itself_under_another_name, equal_lists_are_not_one,
          an_element_is_the_tensor_that_was_put_there, a_copy_is_another_list_of_the_same_elements,
          copy_makes_another_list_too, who_holds_a_list_sees_it_change,
          a_list_within_a_list_is_changed_through_it, a_copy_shares_the_lists_within,
          a_slice_shares_the_lists_within, a_tuple_shares_the_list_that_it_holds,
          an_operator_is_given_what_a_list_held_at_that_time,
          an_operator_is_given_the_elements_in_their_order,
          a_tensor_that_is_changed_in_place_is_changed_in_its_list,
          a_change_in_place_reaches_lists_within_lists, a_tuple_is_indexed_from_either_end,
          an_index_out_of_the_range_of_a_tuple_is_refused, a_tuple_is_sliced,
          a_slice_of_a_tuple_may_be_empty, a_slice_behind_the_end_of_a_tuple_is_refused,
          a_tuple_is_unpacked, a_tuple_of_another_size_is_not_unpacked,
          a_list_is_unpacked_into_its_elements, fewer_elements_than_names_are_refused,
          more_elements_than_names_are_refused, what_is_unpacked_does_not_follow_the_list,
          parts_of_what_failed_are_unknown, an_element_of_what_failed_is_unknown, none_is_none,
          a_tensor_is_not_none, an_empty_list_is_not_none, only_the_side_for_none_is_followed,
          whether_what_failed_is_none_is_not_told, a_value_is_unwrapped_as_itself,
          none_is_not_unwrapped, an_element_may_be_none,
          what_passes_values_on_gives_them_as_they_are,
          an_unset_value_that_nobody_reads_does_no_harm)
