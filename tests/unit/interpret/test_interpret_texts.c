/*
 * Texts, queries of types, and values that only one side of a branch has.
 */
#include "lists_fixture.h"

/* ---- queries of types ------------------------------------------------------------------ */

UNIT_TEST(a_tensor_is_of_its_type)
{
    list_gives(arena,
               "  %s:bool = prim::isinstance(%a)\n"
               "  %t:bool = prim::isinstance(%n)\n"
               "  -> %s, %t\n",
               "=> True, False");
}

UNIT_TEST(the_type_of_what_failed_is_not_told)
{
    list_gives(arena,
               "  %u = aten::ldl_solve(%a)\n"
               "  %s:bool = prim::isinstance(%u)\n"
               "  -> %s\n",
               "a branch depends on the data");
}

/* ---- texts ----------------------------------------------------------------------------------- */

UNIT_TEST(numbers_are_written_as_texts)
{
    list_gives(arena,
               "  %k:int = prim::Constant<-12>()\n"
               "  %s:str = aten::str(%k)\n"
               "  -> %s\n",
               "=> \"-12\"");
}

UNIT_TEST(a_pattern_is_filled_in)
{
    list_gives(arena,
               "  %p:str = prim::Constant<\"{} of {}: {}\">()\n"
               "  %w:str = prim::Constant<\"them\">()\n"
               "  %s:str = aten::format(%p, %2, %3, %w)\n"
               "  -> %s\n",
               "=> \"2 of 3: them\"");
}

UNIT_TEST(a_pattern_without_places_stays)
{
    list_gives(arena,
               "  %p:str = prim::Constant<\"nothing\">()\n"
               "  %s:str = aten::format(%p)\n"
               "  -> %s\n",
               "=> \"nothing\"");
}

UNIT_TEST(what_percents_stand_for_is_not_known)
{
    list_gives(arena,
               "  %p:str = prim::Constant<\"%d\">()\n"
               "  %w:str = prim::Constant<\"2\">()\n"
               "  %s:str = aten::percentFormat(%p, %2)\n"
               "  %is:bool = aten::eq.str(%s, %w)\n"
               "  %r = prim::If(%is)\n"
               "  {\n"
               "    -> %a\n"
               "  }\n"
               "  {\n"
               "    -> %b\n"
               "  }\n"
               "  -> %r\n",
               "%1 bool = aten::eq.str(\"%d\", \"2\")\n"
               "%2[2] = prim::If(%1) { -> a } { -> b }\n"
               "=> %2");
}

UNIT_TEST(operands_without_places_are_left_out)
{
    list_gives(arena,
               "  %p:str = prim::Constant<\"only {}!\">()\n"
               "  %s:str = aten::format(%p, %1, %2)\n"
               "  -> %s\n",
               "=> \"only 1!\"");
}

UNIT_TEST(what_is_filled_in_is_no_pattern)
{
    list_gives(arena,
               "  %p:str = prim::Constant<\"{}{}\">()\n"
               "  %w:str = prim::Constant<\"{}\">()\n"
               "  %s:str = aten::format(%p, %w, %2)\n"
               "  -> %s\n",
               "=> \"{}2\"");
}

UNIT_TEST(lists_and_tensors_are_written_by_what_they_hold)
{
    list_gives(arena,
               "  %t:tuple = prim::TupleConstruct(%1, %a)\n"
               "  %l:list = prim::ListConstruct(%t, %2)\n"
               "  %s:str = aten::str(%l)\n"
               "  -> %s\n",
               "=> \"[[1, a tensor of [2]], 2]\"");
}

UNIT_TEST(a_number_that_only_a_run_knows_is_written_as_such)
{
    list_gives(arena,
               "  %p:str = prim::Constant<\"{}\">()\n"
               "  %s:str = aten::format(%p, %f)\n"
               "  -> %s\n",
               "=> \"?\"");
}

UNIT_TEST(a_branch_may_depend_on_a_text_of_whole_numbers)
{
    list_gives(arena,
               "  %p:str = prim::Constant<\"layer {}\">()\n"
               "  %w:str = prim::Constant<\"layer 2\">()\n"
               "  %s:str = aten::format(%p, %2)\n"
               "  %is:bool = aten::eq.str(%s, %w)\n"
               "  %r = prim::If(%is)\n"
               "  {\n"
               "    -> %a\n"
               "  }\n"
               "  {\n"
               "    -> %b\n"
               "  }\n"
               "  -> %r\n",
               "True = aten::eq.str(\"layer 2\", \"layer 2\")\n"
               "=> a");
}

UNIT_TEST(how_a_tensor_is_written_decides_nothing)
{
    list_gives(arena,
               "  %w:str = prim::Constant<\"layer 2\">()\n"
               "  %s:str = aten::str(%a)\n"
               "  %is:bool = aten::eq.str(%s, %w)\n"
               "  %r = prim::If(%is)\n"
               "  {\n"
               "    -> %a\n"
               "  }\n"
               "  {\n"
               "    -> %b\n"
               "  }\n"
               "  -> %r\n",
               "%1 bool = aten::eq.str(\"a tensor of [2]\", \"layer 2\")\n"
               "%2[2] = prim::If(%1) { -> a } { -> b }\n"
               "=> %2");
}

UNIT_TEST(a_text_that_grows_too_long_is_refused)
{
    list_gives(
        arena,
        "  %p:str = prim::Constant<\"{}{}{}{}{}{}{}{}{}{}{}\">()\n"
        "  %q:str = aten::format(%p, %p, %p, %p, %p, %p, %p, %p, %p, %p, %p, %p)\n"
        "  %r:str = aten::format(%p, %q, %q, %q, %q, %q, %q, %q, %q, %q, %q, %q)\n"
        "  %s:str = aten::format(%p, %r, %r, %r, %r, %r, %r, %r, %r, %r, %r, %r)\n"
        "  %t:str = aten::format(%p, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s)\n"
        "  %u:str = aten::format(%p, %t, %t, %t, %t, %t, %t, %t, %t, %t, %t, %t)\n"
        "  -> %u\n",
        "aten::format makes a long text, in the root module: more than 1048576 characters of one "
        "string (--limit characters=N raises this limit)");
}

UNIT_TEST(what_is_printed_leaves_no_trace)
{
    list_gives(arena,
               "  %w:str = prim::Constant<\"here\">()\n"
               "  prim::Print(%w, %a)\n"
               "  aten::warn(%w, %2)\n"
               "  -> %a\n",
               "=> a");
}

UNIT_TEST(what_a_list_has_is_asked_of_known_numbers)
{
    list_gives(arena,
               "  %l:list = prim::ListConstruct(%1, %3)\n"
               "  %p:bool = aten::__contains__.int_list(%l, %3)\n"
               "  %q:bool = aten::__contains__.int_list(%l, %2)\n"
               "  -> %p, %q\n",
               "True = aten::__contains__.int_list((1, 3), 3)\n"
               "False = aten::__contains__.int_list((1, 3), 2)\n"
               "=> True, False");
}

/* ---- values that only one side of a branch has ----------------------------------------------- */

UNIT_TEST(a_value_that_one_side_has_is_the_value_behind_it)
{
    list_gives(arena,
               "  %r = prim::If(%f)\n"
               "  {\n"
               "    %p = aten::relu(%a)\n"
               "    -> %p\n"
               "  }\n"
               "  {\n"
               "    %u = prim::Uninitialized()\n"
               "    -> %u\n"
               "  }\n"
               "  -> %r\n",
               "%1[2] = prim::If(f) { %2[2] = aten::relu(a); -> %2 } { -> nothing }\n"
               "=> %1");
}

UNIT_TEST(so_it_is_with_a_number)
{
    list_gives(arena,
               "  %r:int = prim::If(%f)\n"
               "  {\n"
               "    %u:int = prim::Uninitialized()\n"
               "    -> %u\n"
               "  }\n"
               "  {\n"
               "    -> %n\n"
               "  }\n"
               "  -> %r\n",
               "%1 int = prim::If(f) { -> nothing } { -> n }\n"
               "=> %1");
}

UNIT_TEST(so_it_is_with_a_list)
{
    list_gives(arena,
               "  %r:list = prim::If(%f)\n"
               "  {\n"
               "    %u:list = prim::Uninitialized()\n"
               "    -> %u\n"
               "  }\n"
               "  {\n"
               "    -> %all\n"
               "  }\n"
               "  %s = aten::__getitem__.t(%r, %minus)\n"
               "  -> %s\n",
               "%1[2], %2[2], %3[2] = prim::If(f) { -> nothing, nothing, nothing } { -> "
               "a, b, c }\n"
               "=> %3");
}

UNIT_TEST(a_text_that_one_side_has_is_no_output_of_the_branch)
{
    list_gives(arena,
               "  %w:str = prim::Constant<\"here\">()\n"
               "  %r:str = prim::If(%f)\n"
               "  {\n"
               "    -> %w\n"
               "  }\n"
               "  {\n"
               "    %u:str = prim::Uninitialized()\n"
               "    -> %u\n"
               "  }\n"
               "  -> %r\n",
               "prim::If(f) { -> } { -> }\n"
               "=> \"here\"");
}

UNIT_MAIN("interpret: texts", a_tensor_is_of_its_type, the_type_of_what_failed_is_not_told,
          numbers_are_written_as_texts, a_pattern_is_filled_in, a_pattern_without_places_stays,
          what_percents_stand_for_is_not_known, operands_without_places_are_left_out,
          what_is_filled_in_is_no_pattern, lists_and_tensors_are_written_by_what_they_hold,
          a_number_that_only_a_run_knows_is_written_as_such,
          a_branch_may_depend_on_a_text_of_whole_numbers, how_a_tensor_is_written_decides_nothing,
          a_text_that_grows_too_long_is_refused, what_is_printed_leaves_no_trace,
          what_a_list_has_is_asked_of_known_numbers,
          a_value_that_one_side_has_is_the_value_behind_it, so_it_is_with_a_number,
          so_it_is_with_a_list, a_text_that_one_side_has_is_no_output_of_the_branch)
