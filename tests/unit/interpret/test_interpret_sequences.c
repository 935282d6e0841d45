/*
 * Lists of a data-dependent number of tensors of different sizes.
 */
#include "lists_fixture.h"

/* ---- queries of a sequence ------------------------------------------------------------- */

UNIT_TEST(it_has_a_length)
{
    sequence_gives(arena,
                   "  %r:int = aten::len.t(%l)\n"
                   "  -> %r\n",
                   "%7 int = aten::len.t(%2)\n"
                   "=> %7");
}

UNIT_TEST(it_is_given_back_as_it_is)
{
    sequence_gives(arena, "  -> %l\n", "=> %2");
}

UNIT_TEST(its_elements_have_sizes_of_their_own)
{
    sequence_gives(arena,
                   "  %r = aten::__getitem__.t(%l, %0)\n"
                   "  %s = aten::__getitem__.t(%l, %k)\n"
                   "  -> %r, %s\n",
                   "%7[?] = aten::__getitem__.t(%2, 0)\n"
                   "%8[?] = aten::__getitem__.t(%2, k)\n"
                   "=> %7, %8");
}

UNIT_TEST(its_elements_are_joined_along_their_dim)
{
    sequence_gives(arena,
                   "  %r = aten::cat(%l, %0)\n"
                   "  -> %r\n",
                   "%7[?] = aten::cat(%2, 0)\n"
                   "=> %7");
}

UNIT_TEST(its_elements_are_joined_along_a_dim_that_they_have)
{
    sequence_gives(arena,
                   "  %r = aten::cat(%l, %1)\n"
                   "  -> %r\n",
                   "a dim that cat() or stack() joins is out of range, in the root module");
}

UNIT_TEST(stacked_its_elements_are_alike)
{
    sequence_gives(arena,
                   "  %r = aten::stack(%l, %1)\n"
                   "  -> %r\n",
                   "%7[?,?] = aten::stack(%2, 1)\n"
                   "=> %7");
}

UNIT_TEST(it_is_not_sliced)
{
    sequence_gives(arena,
                   "  %r:list = aten::slice.t(%l, %1, %none, %1)\n"
                   "  -> %r\n",
                   "aten::slice on a list whose length depends on the data, in the root module");
}

UNIT_TEST(it_is_not_reversed)
{
    sequence_gives(arena,
                   "  aten::reverse.t(%l)\n"
                   "  -> %l\n",
                   "aten::reverse on a list whose length depends on the data, in the root "
                   "module");
}

UNIT_TEST(a_copy_of_it_does_not_follow)
{
    sequence_gives(arena,
                   "  %m:list = aten::copy.t(%l)\n"
                   "  %q:list = aten::append.t(%m, %y)\n"
                   "  -> %l, %m\n",
                   "%7 sequence[?] = aten::append.t(%2, y)\n"
                   "=> %2, %7");
}

/* ---- changes of a sequence ----------------------------------------------------------------- */

UNIT_TEST(a_tensor_is_appended)
{
    sequence_gives(arena,
                   "  %q:list = aten::append.t(%l, %y)\n"
                   "  -> %l\n",
                   "%7 sequence[?] = aten::append.t(%2, y)\n"
                   "=> %7");
}

UNIT_TEST(tensors_are_appended_one_by_one)
{
    sequence_gives(arena,
                   "  %m:list = prim::ListConstruct(%x, %y)\n"
                   "  aten::extend.t(%l, %m)\n"
                   "  -> %l\n",
                   "%7 sequence[?] = aten::append.t(%2, x)\n"
                   "%8 sequence[?] = aten::append.t(%7, y)\n"
                   "=> %8");
}

UNIT_TEST(nothing_is_appended)
{
    sequence_gives(arena,
                   "  %m:list = prim::ListConstruct()\n"
                   "  aten::extend.t(%l, %m)\n"
                   "  -> %l\n",
                   "=> %2");
}

UNIT_TEST(it_is_not_extended_by_itself)
{
    sequence_gives(arena,
                   "  aten::extend.t(%l, %l)\n"
                   "  -> %l\n",
                   "a list of tensors of different sizes is extended by one whose length "
                   "depends on the data, in the root module");
}

UNIT_TEST(an_empty_list_becomes_it)
{
    sequence_gives(arena,
                   "  %m:list = prim::ListConstruct()\n"
                   "  aten::extend.t(%m, %l)\n"
                   "  %q:list = aten::append.t(%m, %y)\n"
                   "  -> %l, %m\n",
                   "%7 sequence[?] = aten::append.t(%2, y)\n"
                   "=> %2, %7");
}

UNIT_TEST(a_sum_with_it_leaves_it)
{
    sequence_gives(arena,
                   "  %m:list = prim::ListConstruct(%x)\n"
                   "  %p:list = aten::add.t(%l, %m)\n"
                   "  -> %p, %l\n",
                   "%7 sequence[?] = aten::append.t(%2, x)\n"
                   "=> %7, %2");
}

UNIT_TEST(it_is_not_put_behind_known_tensors)
{
    sequence_gives(arena,
                   "  %m:list = prim::ListConstruct(%x, %y)\n"
                   "  %p:list = aten::add.t(%m, %l)\n"
                   "  -> %p\n",
                   "a list of tensors of different sizes is extended by one whose length "
                   "depends on the data, in the root module");
}

UNIT_TEST(an_element_is_replaced)
{
    sequence_gives(arena,
                   "  %q:list = aten::_set_item.t(%l, %k, %y)\n"
                   "  -> %l\n",
                   "%7 sequence[?] = aten::_set_item.t(%2, k, y)\n"
                   "=> %7");
}

UNIT_TEST(an_element_is_inserted)
{
    sequence_gives(arena,
                   "  aten::insert.t(%l, %1, %y)\n"
                   "  -> %l\n",
                   "%7 sequence[?] = aten::insert.t(%2, 1, y)\n"
                   "=> %7");
}

UNIT_TEST(pop_takes_what_is_at_an_index)
{
    sequence_gives(arena,
                   "  %r = aten::pop.t(%l, %k)\n"
                   "  -> %r, %l\n",
                   "%7[?] = aten::__getitem__.t(%2, k)\n"
                   "%8 sequence[?] = aten::Delete.t(%2, k)\n"
                   "=> %7, %8");
}

UNIT_TEST(a_cleared_sequence_is_an_empty_list)
{
    sequence_gives(arena,
                   "  aten::clear.t(%l)\n"
                   "  %h:int = aten::len.t(%l)\n"
                   "  %q:list = aten::append.t(%l, %y)\n"
                   "  -> %h, %l\n",
                   "=> 0, y");
}

UNIT_TEST(tensors_of_other_ranks_do_not_fit)
{
    sequence_gives(arena,
                   "  %z = aten::unsqueeze(%y, %0)\n"
                   "  %q:list = aten::append.t(%l, %z)\n"
                   "  -> %l\n",
                   "a list whose length depends on the data holds tensors of different ranks or "
                   "dtypes, or elements that ONNX sequences cannot hold, in the root module");
}

UNIT_TEST(what_failed_does_not_fit)
{
    sequence_gives(arena,
                   "  %z = aten::ldl_solve(%y)\n"
                   "  %q:list = aten::append.t(%l, %z)\n"
                   "  -> %l\n",
                   "a list whose length depends on the data holds tensors of different ranks or "
                   "dtypes, or elements that ONNX sequences cannot hold, in the root module");
}

UNIT_TEST(numbers_do_not_fit)
{
    sequence_gives(arena,
                   "  aten::insert.t(%l, %0, %k)\n"
                   "  -> %l\n",
                   "a list whose length depends on the data holds tensors of different ranks or "
                   "dtypes, or elements that ONNX sequences cannot hold, in the root module");
}

/* ---- loops and branches ---------------------------------------------------------------------- */

UNIT_TEST(known_tensors_come_first)
{
    method_gives(arena, "[8] [3]",
                 "  %l:list = prim::ListConstruct(%y, %x)\n"
                 "  prim::Loop(%n, %true)\n"
                 "  { (%i:int)\n"
                 "    %e = aten::slice.Tensor(%x, %0, %0, %i, %1)\n"
                 "    %q:list = aten::append.t(%l, %e)\n"
                 "    -> %true\n"
                 "  }\n"
                 "  -> %l\n",
                 "%1 sequence[?] = prim::ListConstruct(y, x)\n"
                 "%2 sequence[?] = prim::Loop(n, True, %1) { (%3 int, %4 sequence[?]) %5[?] "
                 "= aten::slice.Tensor(x, 0, 0, %3, 1); %6 sequence[?] = aten::append.t(%4, "
                 "%5); -> True, %6 }\n"
                 "=> %2");
}

UNIT_TEST(a_loop_reads_elements)
{
    sequence_gives(arena,
                   "  %r = prim::Loop(%n, %true, %x)\n"
                   "  { (%j:int, %acc)\n"
                   "    %p = aten::__getitem__.t(%l, %j)\n"
                   "    -> %true, %p\n"
                   "  }\n"
                   "  -> %r\n",
                   "%7[?] = prim::Loop(n, True, x) { (%8 int, %9[?]) %10[?] = "
                   "aten::__getitem__.t(%2, %8); -> True, %10 }\n"
                   "=> %7");
}

UNIT_TEST(a_loop_takes_elements_out)
{
    sequence_gives(arena,
                   "  prim::Loop(%k, %true)\n"
                   "  { (%j:int)\n"
                   "    %p = aten::pop.t(%l, %minus)\n"
                   "    -> %true\n"
                   "  }\n"
                   "  %r:int = aten::len.t(%l)\n"
                   "  -> %r\n",
                   "%7 sequence[?] = prim::Loop(k, True, %2) { (%8 int, %9 sequence[?]) "
                   "%10[?] = aten::__getitem__.t(%9, -1); %11 sequence[?] = "
                   "aten::Delete.t(%9, -1); -> True, %11 }\n"
                   "%12 int = aten::len.t(%7)\n"
                   "=> %12");
}

UNIT_TEST(one_side_of_a_branch_appends_to_a_sequence)
{
    sequence_gives(arena,
                   "  %c:bool = aten::gt.int(%k, %3)\n"
                   "  prim::If(%c)\n"
                   "  {\n"
                   "    %q:list = aten::append.t(%l, %y)\n"
                   "    ->\n"
                   "  }\n"
                   "  {\n"
                   "    ->\n"
                   "  }\n"
                   "  -> %l\n",
                   "%7 bool = aten::gt.int(k, 3)\n"
                   "%8 sequence[?] = prim::If(%7) { %9 sequence[?] = aten::append.t(%2, y); "
                   "-> %9 } { -> %2 }\n"
                   "=> %8");
}

UNIT_TEST(tensors_of_known_sizes_are_taken_out_of_a_sequence)
{
    method_gives(arena, "[8] [3]",
                 "  %l:list = prim::ListConstruct(%y, %x)\n"
                 "  prim::Loop(%n, %true)\n"
                 "  { (%i:int)\n"
                 "    %e = aten::pop.t(%l, %minus)\n"
                 "    -> %true\n"
                 "  }\n"
                 "  %r:int = aten::len.t(%l)\n"
                 "  -> %r\n",
                 "%1 sequence[?] = prim::ListConstruct(y, x)\n"
                 "%2 sequence[?] = prim::Loop(n, True, %1) { (%3 int, %4 sequence[?]) %5[?] "
                 "= aten::__getitem__.t(%4, -1); %6 sequence[?] = aten::Delete.t(%4, -1); "
                 "-> True, %6 }\n"
                 "%7 int = aten::len.t(%2)\n"
                 "=> %7");
}

UNIT_TEST(tensors_of_other_sizes_are_appended_to_the_rows_of_a_loop)
{
    method_gives(arena, "[8] [3]",
                 "  %l:list = prim::ListConstruct()\n"
                 "  prim::Loop(%n, %true)\n"
                 "  { (%i:int)\n"
                 "    %p:list = aten::append.t(%l, %x)\n"
                 "    %q:list = aten::append.t(%l, %y)\n"
                 "    -> %true\n"
                 "  }\n"
                 "  -> %l\n",
                 "%1 sequence[?] = prim::ListConstruct()\n"
                 "%2 sequence[?] = prim::Loop(n, True, %1) { (%3 int, %4 sequence[?]) %5 "
                 "sequence[?] = aten::append.t(%4, x); %6 sequence[?] = aten::append.t(%5, "
                 "y); -> True, %6 }\n"
                 "=> %2");
}

/* ---- known lists of different sizes ---------------------------------------------------------- */

UNIT_TEST(an_index_of_the_data_takes_one_of_a_sequence)
{
    method_gives(arena, "[8] [3]",
                 "  %l:list = prim::ListConstruct(%y, %x)\n"
                 "  %r = aten::__getitem__.t(%l, %n)\n"
                 "  -> %r\n",
                 "%1 sequence[?] = prim::ListConstruct(y, x)\n"
                 "%2[?] = aten::__getitem__.t(%1, n)\n"
                 "=> %2");
}

UNIT_TEST(tensors_that_are_alike_are_rows)
{
    method_gives(arena, "[3] [3]",
                 "  %l:list = prim::ListConstruct(%y, %x)\n"
                 "  %r = aten::__getitem__.t(%l, %n)\n"
                 "  -> %r\n",
                 "%1[1,3] = aten::unsqueeze(y, 0)\n"
                 "%2[1,3] = aten::unsqueeze(x, 0)\n"
                 "%3[2,3] = aten::cat((%1, %2), 0)\n"
                 "%4[3] = aten::select.int(%3, 0, n)\n"
                 "=> %4");
}

UNIT_TEST(a_single_tensor_is_the_only_row)
{
    method_gives(arena, "[3] [3]",
                 "  %l:list = prim::ListConstruct(%x)\n"
                 "  %r = aten::__getitem__.t(%l, %n)\n"
                 "  -> %r\n",
                 "%1[1,3] = aten::unsqueeze(x, 0)\n"
                 "%2[3] = aten::select.int(%1, 0, n)\n"
                 "=> %2");
}

UNIT_TEST(tensors_of_different_ranks_are_not_chosen_from)
{
    method_gives(arena, "[3] [3,1]",
                 "  %l:list = prim::ListConstruct(%y, %x)\n"
                 "  %r = aten::__getitem__.t(%l, %n)\n"
                 "  -> %r\n",
                 "a list whose length depends on the data holds tensors of different ranks or "
                 "dtypes, or elements that ONNX sequences cannot hold, in the root module");
}

UNIT_TEST(an_index_of_the_data_takes_one_of_known_numbers)
{
    method_gives(arena, "[3] [3]",
                 "  %l:list = prim::ListConstruct(%3, %k)\n"
                 "  %r:int = aten::__getitem__.t(%l, %n)\n"
                 "  -> %r\n",
                 "%1[] = prim::NumToTensor.Scalar(3)\n"
                 "%2[1] = aten::unsqueeze(%1, 0)\n"
                 "%3[] = prim::NumToTensor.Scalar(k)\n"
                 "%4[1] = aten::unsqueeze(%3, 0)\n"
                 "%5[2] = aten::cat((%2, %4), 0)\n"
                 "%6[] = aten::select.int(%5, 0, n)\n"
                 "%7 int = aten::Int.Tensor(%6)\n"
                 "=> %7");
}

UNIT_TEST(an_index_of_the_data_takes_one_of_known_flags)
{
    method_gives(arena, "[3] [3]",
                 "  %l:list = prim::ListConstruct(%true, %f)\n"
                 "  %r:bool = aten::__getitem__.t(%l, %n)\n"
                 "  -> %r\n",
                 "%1[] = prim::NumToTensor.bool(True)\n"
                 "%2[1] = aten::unsqueeze(%1, 0)\n"
                 "%3[] = prim::NumToTensor.bool(f)\n"
                 "%4[1] = aten::unsqueeze(%3, 0)\n"
                 "%5[2] = aten::cat((%2, %4), 0)\n"
                 "%6[] = aten::select.int(%5, 0, n)\n"
                 "%7 bool = aten::Bool.Tensor(%6)\n"
                 "=> %7");
}

UNIT_TEST(lists_are_not_chosen_by_the_data)
{
    method_gives(arena, "[3] [3]",
                 "  %a:list = prim::ListConstruct(%x)\n"
                 "  %l:list = prim::ListConstruct(%a, %a)\n"
                 "  %r:list = aten::__getitem__.t(%l, %n)\n"
                 "  -> %r\n",
                 "a list whose length depends on the data holds something that is no tensor "
                 "and no number, in the root module");
}

UNIT_TEST(parts_of_a_tuple_are_not_chosen_by_the_data)
{
    method_gives(arena, "[3] [3]",
                 "  %l:tuple = prim::TupleConstruct(%x, %y)\n"
                 "  %r = prim::TupleIndex(%l, %n)\n"
                 "  -> %r\n",
                 "a count or index depends on the data, in the root module");
}

UNIT_TEST(an_element_of_a_known_list_is_not_replaced_by_the_data)
{
    method_gives(arena, "[3] [3]",
                 "  %l:list = prim::ListConstruct(%x, %y)\n"
                 "  %q:list = aten::_set_item.t(%l, %n, %x)\n"
                 "  -> %l\n",
                 "a count or index depends on the data, in the root module");
}

UNIT_TEST(a_known_list_is_not_sliced_by_the_data)
{
    method_gives(arena, "[3] [3]",
                 "  %l:list = prim::ListConstruct(%x, %y)\n"
                 "  %q:list = aten::slice.t(%l, %n, %none, %1)\n"
                 "  -> %l\n",
                 "a count or index depends on the data, in the root module");
}

UNIT_MAIN("interpret: sequences", it_has_a_length, it_is_given_back_as_it_is,
          its_elements_have_sizes_of_their_own, its_elements_are_joined_along_their_dim,
          its_elements_are_joined_along_a_dim_that_they_have, stacked_its_elements_are_alike,
          it_is_not_sliced, it_is_not_reversed, a_copy_of_it_does_not_follow, a_tensor_is_appended,
          tensors_are_appended_one_by_one, nothing_is_appended, it_is_not_extended_by_itself,
          an_empty_list_becomes_it, a_sum_with_it_leaves_it, it_is_not_put_behind_known_tensors,
          an_element_is_replaced, an_element_is_inserted, pop_takes_what_is_at_an_index,
          a_cleared_sequence_is_an_empty_list, tensors_of_other_ranks_do_not_fit,
          what_failed_does_not_fit, numbers_do_not_fit, known_tensors_come_first,
          a_loop_reads_elements, a_loop_takes_elements_out,
          one_side_of_a_branch_appends_to_a_sequence,
          tensors_of_known_sizes_are_taken_out_of_a_sequence,
          tensors_of_other_sizes_are_appended_to_the_rows_of_a_loop,
          an_index_of_the_data_takes_one_of_a_sequence, tensors_that_are_alike_are_rows,
          a_single_tensor_is_the_only_row, tensors_of_different_ranks_are_not_chosen_from,
          an_index_of_the_data_takes_one_of_known_numbers,
          an_index_of_the_data_takes_one_of_known_flags, lists_are_not_chosen_by_the_data,
          parts_of_a_tuple_are_not_chosen_by_the_data,
          an_element_of_a_known_list_is_not_replaced_by_the_data,
          a_known_list_is_not_sliced_by_the_data)
