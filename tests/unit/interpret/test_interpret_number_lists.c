/*
 * Computations on lists of numbers, and changes of lists of numbers and dicts.
 */
#include "lists_fixture.h"

/** A method of a tensor, two numbers and a flag. */
static void numbers_give(htp_arena *arena, const char *body, const char *expected)
{
    method_gives(arena, "[?,2] [?,2]", body, expected);
}

/* ---- of one list ---- */

UNIT_TEST(a_sum_is_added_up)
{
    numbers_give(arena,
                 "  %l:list = prim::ListConstruct(%n, %k, %2)\n"
                 "  %s:int = aten::sum.int(%l)\n"
                 "  -> %s\n",
                 "%1 int = aten::add.int(n, k)\n"
                 "%2 int = aten::add.int(%1, 2)\n"
                 "=> %2");
}

UNIT_TEST(the_sum_of_one_number_is_itself)
{
    numbers_give(arena,
                 "  %l:list = prim::ListConstruct(%n)\n"
                 "  %s:int = aten::sum.int(%l)\n"
                 "  -> %s\n",
                 "=> n");
}

UNIT_TEST(flags_are_joined)
{
    numbers_give(arena,
                 "  %l:list = prim::ListConstruct(%f, %true, %f)\n"
                 "  %all:bool = aten::all.bool(%l)\n"
                 "  %any:bool = aten::any.bool(%l)\n"
                 "  -> %all, %any\n",
                 "%1 bool = aten::__and__.bool(f, f)\n"
                 "=> %1, True");
}

UNIT_TEST(one_flag_may_decide)
{
    numbers_give(arena,
                 "  %no:bool = aten::__not__(%true)\n"
                 "  %l:list = prim::ListConstruct(%f, %no)\n"
                 "  %all:bool = aten::all.bool(%l)\n"
                 "  %m:list = prim::ListConstruct(%f, %true)\n"
                 "  %any:bool = aten::any.bool(%m)\n"
                 "  -> %all, %any\n",
                 "False = aten::__not__(True)\n"
                 "=> False, True");
}

UNIT_TEST(numbers_are_flags_where_they_are_not_0)
{
    numbers_give(arena,
                 "  %l:list = prim::ListConstruct(%n, %k)\n"
                 "  %all:bool = aten::all.int(%l)\n"
                 "  -> %all\n",
                 "%1 bool = aten::Bool.int(n)\n"
                 "%2 bool = aten::Bool.int(k)\n"
                 "%3 bool = aten::__and__.bool(%1, %2)\n"
                 "=> %3");
}

/* ---- of a list and a number, or of two lists ---- */

UNIT_TEST(a_number_is_looked_for)
{
    numbers_give(arena,
                 "  %l:list = prim::ListConstruct(%n, %2)\n"
                 "  %has:bool = aten::__contains__.int_list(%l, %k)\n"
                 "  %count:int = aten::count.int(%l, %k)\n"
                 "  -> %has, %count\n",
                 "%1 bool = aten::eq.int(n, k)\n"
                 "%2 bool = aten::eq.int(2, k)\n"
                 "%3 bool = aten::__or__.bool(%1, %2)\n"
                 "%4 bool = aten::eq.int(n, k)\n"
                 "%5 bool = aten::eq.int(2, k)\n"
                 "%6 int = aten::Int.bool(%4)\n"
                 "%7 int = aten::add.int(0, %6)\n"
                 "%8 int = aten::Int.bool(%5)\n"
                 "%9 int = aten::add.int(%7, %8)\n"
                 "=> %3, %9");
}

UNIT_TEST(shapes_are_compared_size_by_size)
{
    numbers_give(arena,
                 "  %a:list = aten::size(%x)\n"
                 "  %b:list = prim::ListConstruct(%n, %2)\n"
                 "  %same:bool = aten::eq.int_list(%a, %b)\n"
                 "  %other:bool = aten::ne.int_list(%a, %b)\n"
                 "  -> %same, %other\n",
                 "(%1 int, 2) = aten::size(x)\n"
                 "%2 bool = aten::eq.int(%1, n)\n"
                 "True = aten::eq.int(2, 2)\n"
                 "%3 bool = aten::eq.int(%1, n)\n"
                 "True = aten::eq.int(2, 2)\n"
                 "%4 bool = aten::__not__(%3)\n"
                 "=> %2, %4");
}

UNIT_TEST(lists_of_two_lengths_differ)
{
    numbers_give(arena,
                 "  %a:list = prim::ListConstruct(%n, %k, %2)\n"
                 "  %b:list = prim::ListConstruct(%n, %k)\n"
                 "  %same:bool = aten::eq.int_list(%a, %b)\n"
                 "  %other:bool = aten::ne.int_list(%a, %b)\n"
                 "  -> %same, %other\n",
                 "True = aten::__not__(False)\n"
                 "=> False, True");
}

UNIT_TEST(a_division_gives_two_numbers)
{
    numbers_give(arena,
                 "  %q:int, %r:int = aten::divmod.int(%n, %k)\n"
                 "  -> %q, %r\n",
                 "%1 int = aten::floordiv.int(n, k)\n"
                 "%2 int = aten::remainder.int(n, k)\n"
                 "=> %1, %2");
}

/* The trace of a search among this many numbers. */
static const char *search_text(htp_arena *arena, size_t count)
{
    htp_text text = {.arena = arena};
    htp_text_add(&text, LISTS_BEGIN "def Net.forward(%self:Net, %n:int, %k:int)\n"
                                    "  %l:list = prim::ListConstruct(%n");
    for (size_t i = 1; i < count; i++) {
        htp_text_add(&text, ", %n");
    }
    htp_text_add(&text, ")\n  %has:bool = aten::__contains__.int_list(%l, %k)\n  -> %has\n");
    return lists_text(arena, htp_text_string(&text), "int int");
}

UNIT_TEST(a_long_list_is_left_to_its_operator)
{
    ck_assert_ptr_null(strstr(search_text(arena, 4096), "aten::__contains__.int_list"));
    ck_assert_ptr_nonnull(strstr(search_text(arena, 4097), "aten::__contains__.int_list"));
}

/* ---- changes ---- */

UNIT_TEST(elements_are_deleted)
{
    numbers_give(arena,
                 "  %l:list = prim::ListConstruct(%x, %y, %x)\n"
                 "  aten::Delete.t(%l, %minus)\n"
                 "  aten::Delete.t(%l, %0)\n"
                 "  -> %l\n",
                 "=> y");
}

UNIT_TEST(rows_of_a_grown_list_are_deleted)
{
    grown_gives(arena,
                "  aten::Delete.t(%l, %0)\n"
                "  %r = aten::stack(%l, %0)\n"
                "  -> %r\n",
                "%4[2] = aten::select.int(%1, 0, 0)\n"
                "%5[?,2] = aten::slice.Tensor(%1, 0, 1, None, 1)\n"
                "%6[?,2] = aten::movedim.int(%5, 0, 0)\n"
                "=> %6");
}

UNIT_TEST(parts_of_a_sequence_are_deleted)
{
    sequence_gives(arena,
                   "  aten::Delete.t(%l, %1)\n"
                   "  %r = aten::cat(%l, %0)\n"
                   "  -> %r\n",
                   "%7[?] = aten::__getitem__.t(%2, 1)\n"
                   "%8 sequence[?] = aten::Delete.t(%2, 1)\n"
                   "%9[?] = aten::cat(%8, 0)\n"
                   "=> %9");
}

UNIT_TEST(what_is_not_there_is_not_deleted)
{
    numbers_give(arena,
                 "  %l:list = prim::ListConstruct(%x)\n"
                 "  aten::Delete.t(%l, %1)\n"
                 "  -> %l\n",
                 "an index is out of the range of its list, in the root module");
}

UNIT_TEST(a_key_gets_what_it_has_not)
{
    numbers_give(arena,
                 "  %d:dict = prim::DictConstruct(%0, %x)\n"
                 "  %a = aten::setdefault.int(%d, %0, %y)\n"
                 "  %b = aten::setdefault.int(%d, %1, %y)\n"
                 "  %c = aten::__getitem__.Dict_int(%d, %1)\n"
                 "  -> %a, %b, %c\n",
                 "=> x, y, y");
}

UNIT_TEST(the_first_item_is_taken_out_of_a_dict)
{
    numbers_give(arena,
                 "  %d:dict = prim::DictConstruct(%0, %x, %1, %y)\n"
                 "  %t:tuple = aten::popitem.int(%d)\n"
                 "  %k0:int, %v = prim::TupleUnpack(%t)\n"
                 "  aten::Delete.Dict_int(%d, %1)\n"
                 "  %length:int = aten::len.Dict_int(%d)\n"
                 "  -> %k0, %v, %length\n",
                 "=> 0, x, 0");
}

UNIT_TEST(nothing_is_taken_out_of_an_empty_dict)
{
    numbers_give(arena,
                 "  %d:dict = prim::DictConstruct()\n"
                 "  %t:tuple = aten::popitem.int(%d)\n"
                 "  -> %x\n",
                 "an item is taken out of an empty dict, in the root module");
}

UNIT_TEST(the_first_that_is_equal_is_removed)
{
    numbers_give(arena,
                 "  %l:list = prim::ListConstruct(%1, %2, %3, %2)\n"
                 "  aten::remove.int(%l, %2)\n"
                 "  -> %l\n",
                 "=> 1, 3, 2");
}

UNIT_TEST(what_is_not_there_is_not_removed)
{
    numbers_give(arena,
                 "  %l:list = prim::ListConstruct(%1, %2)\n"
                 "  aten::remove.int(%l, %3)\n"
                 "  -> %l\n",
                 "an element to remove is not in its list, in the root module");
}

UNIT_TEST(a_number_of_the_inputs_is_not_removed)
{
    numbers_give(arena,
                 "  %l:list = prim::ListConstruct(%1, %2)\n"
                 "  aten::remove.int(%l, %n)\n"
                 "  -> %l\n",
                 "aten::remove of an element that depends on the inputs, in the root module");
}

UNIT_TEST(numbers_of_the_inputs_are_not_sorted)
{
    numbers_give(arena,
                 "  %l:list = prim::ListConstruct(%n, %2)\n"
                 "  aten::sort.int(%l, %true)\n"
                 "  -> %l\n",
                 "aten::sort on a list whose elements depend on the inputs, in the root module");
}

UNIT_MAIN("interpret: lists of numbers", a_sum_is_added_up, the_sum_of_one_number_is_itself,
          flags_are_joined, one_flag_may_decide, numbers_are_flags_where_they_are_not_0,
          a_number_is_looked_for, shapes_are_compared_size_by_size, lists_of_two_lengths_differ,
          a_division_gives_two_numbers, a_long_list_is_left_to_its_operator, elements_are_deleted,
          rows_of_a_grown_list_are_deleted, parts_of_a_sequence_are_deleted,
          what_is_not_there_is_not_deleted, a_key_gets_what_it_has_not,
          the_first_item_is_taken_out_of_a_dict, nothing_is_taken_out_of_an_empty_dict,
          the_first_that_is_equal_is_removed, what_is_not_there_is_not_removed,
          a_number_of_the_inputs_is_not_removed, numbers_of_the_inputs_are_not_sorted)
