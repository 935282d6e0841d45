/*
 * Lists of a data-dependent number of numbers.
 */
#include "lists_fixture.h"

/* ---- numbers --------------------------------------------------------------------------------- */

UNIT_TEST(numbers_are_counted)
{
    counted_gives(arena,
                  "  %r:int = aten::len.t(%l)\n"
                  "  -> %r\n",
                  "%4 int = aten::size.int(%1, 0)\n"
                  "=> %4");
}

UNIT_TEST(a_number_is_read_off_its_row)
{
    counted_gives(arena,
                  "  %r:int = aten::__getitem__.t(%l, %0)\n"
                  "  -> %r\n",
                  "%4[] = aten::select.int(%1, 0, 0)\n"
                  "%5 int = aten::Int.Tensor(%4)\n"
                  "=> %5");
}

UNIT_TEST(numbers_are_given_back_as_a_tensor)
{
    counted_gives(arena, "  -> %l\n", "=> %1");
}

UNIT_TEST(numbers_are_summed)
{
    counted_gives(arena,
                  "  %r:int = aten::sum.int(%l)\n"
                  "  -> %r\n",
                  "%4[] = aten::sum(%1, None)\n"
                  "%5 int = aten::Int.Tensor(%4)\n"
                  "=> %5");
}

UNIT_TEST(a_tensor_of_numbers_has_their_type)
{
    counted_gives(arena,
                  "  %no:bool = prim::Constant<False>()\n"
                  "  %r = aten::tensor(%l, %none, %none, %no)\n"
                  "  -> %r\n",
                  "%4[?] = aten::to.dtype(%1, 4, False, False, None)\n"
                  "=> %4");
}

UNIT_TEST(a_tensor_of_numbers_has_the_type_that_is_asked_for)
{
    counted_gives(arena,
                  "  %no:bool = prim::Constant<False>()\n"
                  "  %6:int = prim::Constant<6>()\n"
                  "  %r = aten::tensor(%l, %6, %none, %no)\n"
                  "  -> %r\n",
                  "%4[?] = aten::to.dtype(%1, 6, False, False, None)\n"
                  "=> %4");
}

UNIT_TEST(a_number_is_appended)
{
    counted_gives(arena,
                  "  %q:list = aten::append.t(%l, %3)\n"
                  "  %r:int = aten::sum.int(%l)\n"
                  "  -> %r\n",
                  "%4[] = prim::NumToTensor.Scalar(3)\n"
                  "%5[1] = aten::unsqueeze(%4, 0)\n"
                  "%6[?] = aten::cat((%1, %5), 0)\n"
                  "%7[] = aten::sum(%6, None)\n"
                  "%8 int = aten::Int.Tensor(%7)\n"
                  "=> %8");
}

UNIT_TEST(a_number_is_popped)
{
    counted_gives(arena,
                  "  %p:int = aten::pop.t(%l, %minus)\n"
                  "  %r:int = aten::sum.int(%l)\n"
                  "  -> %p, %r\n",
                  "%4[] = aten::select.int(%1, 0, -1)\n"
                  "%5 int = aten::Int.Tensor(%4)\n"
                  "%6[?] = aten::slice.Tensor(%1, 0, None, -1, 1)\n"
                  "%7[] = aten::sum(%6, None)\n"
                  "%8 int = aten::Int.Tensor(%7)\n"
                  "=> %5, %8");
}

UNIT_TEST(a_slice_of_numbers_has_numbers)
{
    counted_gives(arena,
                  "  %p:list = aten::slice.t(%l, %1, %none, %1)\n"
                  "  %r:int = aten::__getitem__.t(%p, %0)\n"
                  "  -> %r\n",
                  "%4[?] = aten::slice.Tensor(%1, 0, 1, None, 1)\n"
                  "%5[] = aten::select.int(%4, 0, 0)\n"
                  "%6 int = aten::Int.Tensor(%5)\n"
                  "=> %6");
}

UNIT_TEST(a_reversed_slice_of_numbers_has_numbers)
{
    counted_gives(arena,
                  "  %p:list = aten::slice.t(%l, %none, %none, %minus)\n"
                  "  %r:int = aten::__getitem__.t(%p, %0)\n"
                  "  -> %r\n",
                  "%4[?] = aten::flip(%1, (0))\n"
                  "%5[] = aten::select.int(%4, 0, 0)\n"
                  "%6 int = aten::Int.Tensor(%5)\n"
                  "=> %6");
}

UNIT_TEST(a_copy_of_numbers_has_numbers)
{
    counted_gives(arena,
                  "  %p:list = aten::list.t(%l)\n"
                  "  %r:int = aten::__getitem__.t(%p, %0)\n"
                  "  -> %r\n",
                  "%4[] = aten::select.int(%1, 0, 0)\n"
                  "%5 int = aten::Int.Tensor(%4)\n"
                  "=> %5");
}

UNIT_TEST(numbers_behind_known_ones_are_numbers)
{
    counted_gives(arena,
                  "  %m:list = prim::ListConstruct(%3)\n"
                  "  %p:list = aten::add.t(%m, %l)\n"
                  "  %r:int = aten::__getitem__.t(%p, %0)\n"
                  "  -> %r\n",
                  "%4[] = prim::NumToTensor.Scalar(3)\n"
                  "%5[1] = aten::unsqueeze(%4, 0)\n"
                  "%6[?] = aten::cat((%5, %1), 0)\n"
                  "%7[] = aten::select.int(%6, 0, 0)\n"
                  "%8 int = aten::Int.Tensor(%7)\n"
                  "=> %8");
}

UNIT_TEST(a_known_list_that_is_extended_by_numbers_has_numbers)
{
    counted_gives(arena,
                  "  %m:list = prim::ListConstruct(%3)\n"
                  "  aten::extend.t(%m, %l)\n"
                  "  %r:int = aten::__getitem__.t(%m, %k)\n"
                  "  -> %r\n",
                  "%4[] = prim::NumToTensor.Scalar(3)\n"
                  "%5[1] = aten::unsqueeze(%4, 0)\n"
                  "%6[?] = aten::cat((%5, %1), 0)\n"
                  "%7[] = aten::select.int(%6, 0, k)\n"
                  "%8 int = aten::Int.Tensor(%7)\n"
                  "=> %8");
}

UNIT_TEST(a_number_is_replaced)
{
    counted_gives(arena,
                  "  %q:list = aten::_set_item.t(%l, %k, %3)\n"
                  "  %r:int = aten::__getitem__.t(%l, %0)\n"
                  "  -> %r\n",
                  "%4[] = prim::NumToTensor.Scalar(3)\n"
                  "%5[1] = aten::unsqueeze(%4, 0)\n"
                  "%6[] = aten::select.int(%5, 0, 0)\n"
                  "%7[?] = aten::select_scatter(%1, %6, 0, k)\n"
                  "%8[] = aten::select.int(%7, 0, 0)\n"
                  "%9 int = aten::Int.Tensor(%8)\n"
                  "=> %9");
}

UNIT_TEST(a_cleared_list_of_numbers_takes_known_ones)
{
    counted_gives(arena,
                  "  aten::clear.t(%l)\n"
                  "  %q:list = aten::append.t(%l, %3)\n"
                  "  %r:int = aten::__getitem__.t(%l, %0)\n"
                  "  -> %r\n",
                  "=> 3");
}

UNIT_TEST(tensors_are_not_summed_as_numbers)
{
    grown_gives(arena,
                "  %r = aten::sum.int(%l)\n"
                "  -> %r\n",
                "aten::sum on a list whose length depends on the data, in the root module");
}

UNIT_TEST(a_tensor_of_numbers_is_a_copy_of_them)
{
    counted_gives(arena,
                  "  %no:bool = prim::Constant<False>()\n"
                  "  %r = aten::tensor(%l, %none, %none, %no)\n"
                  "  %w = aten::relu_(%r)\n"
                  "  %s:int = aten::sum.int(%l)\n"
                  "  -> %r, %s\n",
                  "%4[?] = aten::to.dtype(%1, 4, False, False, None)\n"
                  "%5[?] = aten::relu_(%4)\n"
                  "%6[] = aten::sum(%1, None)\n"
                  "%7 int = aten::Int.Tensor(%6)\n"
                  "=> %5, %7");
}

/* ---- of other types, and behind known ones --------------------------------------------------- */

UNIT_TEST(floats_are_read_and_summed_as_such)
{
    method_gives(arena, "[2] [2]",
                 "  %l:list = prim::ListConstruct()\n"
                 "  prim::Loop(%n, %true)\n"
                 "  { (%i:int)\n"
                 "    %e:float = aten::Float.Tensor(%x)\n"
                 "    %q:list = aten::append.t(%l, %e)\n"
                 "    -> %true\n"
                 "  }\n"
                 "  %no:bool = prim::Constant<False>()\n"
                 "  %r:float = aten::__getitem__.t(%l, %0)\n"
                 "  %s:float = aten::sum.float(%l)\n"
                 "  %t = aten::tensor(%l, %none, %none, %no)\n"
                 "  -> %r, %s, %t\n",
                 "%1[?] = prim::Loop(n, True) { (%2 int) %3 float = aten::Float.Tensor(x); "
                 "-> True, %3 }\n"
                 "%4[] = aten::select.int(%1, 0, 0)\n"
                 "%5 float = aten::Float.Tensor(%4)\n"
                 "%6[] = aten::sum(%1, None)\n"
                 "%7 float = aten::Float.Tensor(%6)\n"
                 "%8[?] = aten::to.dtype(%1, 6, False, False, None)\n"
                 "=> %5, %7, %8");
}

UNIT_TEST(flags_are_read_as_such)
{
    method_gives(arena, "[2] [2]",
                 "  %l:list = prim::ListConstruct()\n"
                 "  prim::Loop(%n, %true)\n"
                 "  { (%i:int)\n"
                 "    %e:bool = aten::Bool.Tensor(%x)\n"
                 "    %q:list = aten::append.t(%l, %e)\n"
                 "    -> %true\n"
                 "  }\n"
                 "  %r:bool = aten::__getitem__.t(%l, %0)\n"
                 "  %p:list = aten::append.t(%l, %f)\n"
                 "  %no:bool = prim::Constant<False>()\n"
                 "  %t = aten::tensor(%l, %none, %none, %no)\n"
                 "  -> %r, %t\n",
                 "%1[?] = prim::Loop(n, True) { (%2 int) %3 bool = aten::Bool.Tensor(x); -> "
                 "True, %3 }\n"
                 "%4[] = aten::select.int(%1, 0, 0)\n"
                 "%5 bool = aten::Bool.Tensor(%4)\n"
                 "%6[] = prim::NumToTensor.bool(f)\n"
                 "%7[1] = aten::unsqueeze(%6, 0)\n"
                 "%8[?] = aten::cat((%1, %7), 0)\n"
                 "%9[?] = aten::to.dtype(%8, 11, False, False, None)\n"
                 "=> %5, %9");
}

UNIT_TEST(flags_are_not_summed)
{
    method_gives(arena, "[2] [2]",
                 "  %l:list = prim::ListConstruct()\n"
                 "  prim::Loop(%n, %true)\n"
                 "  { (%i:int)\n"
                 "    %e:bool = aten::Bool.Tensor(%x)\n"
                 "    %q:list = aten::append.t(%l, %e)\n"
                 "    -> %true\n"
                 "  }\n"
                 "  %s:int = aten::sum.bool(%l)\n"
                 "  -> %s\n",
                 "aten::sum on a list whose length depends on the data, in the root module");
}

UNIT_TEST(numbers_behind_known_ones_are_summed_with_them)
{
    method_gives(arena, "[2] [2]",
                 "  %l:list = prim::ListConstruct(%3, %k)\n"
                 "  prim::Loop(%n, %true)\n"
                 "  { (%i:int)\n"
                 "    %q:list = aten::append.t(%l, %i)\n"
                 "    -> %true\n"
                 "  }\n"
                 "  %s:int = aten::sum.int(%l)\n"
                 "  -> %s\n",
                 "%1[?] = prim::Loop(n, True) { (%2 int) -> True, %2 }\n"
                 "%3[] = prim::NumToTensor.Scalar(3)\n"
                 "%4[1] = aten::unsqueeze(%3, 0)\n"
                 "%5[] = prim::NumToTensor.Scalar(k)\n"
                 "%6[1] = aten::unsqueeze(%5, 0)\n"
                 "%7[?] = aten::cat((%4, %6, %1), 0)\n"
                 "%8[] = aten::sum(%7, None)\n"
                 "%9 int = aten::Int.Tensor(%8)\n"
                 "=> %9");
}

UNIT_MAIN("interpret: lists of numbers", numbers_are_counted, a_number_is_read_off_its_row,
          numbers_are_given_back_as_a_tensor, numbers_are_summed,
          a_tensor_of_numbers_has_their_type, a_tensor_of_numbers_has_the_type_that_is_asked_for,
          a_number_is_appended, a_number_is_popped, a_slice_of_numbers_has_numbers,
          a_reversed_slice_of_numbers_has_numbers, a_copy_of_numbers_has_numbers,
          numbers_behind_known_ones_are_numbers,
          a_known_list_that_is_extended_by_numbers_has_numbers, a_number_is_replaced,
          a_cleared_list_of_numbers_takes_known_ones, tensors_are_not_summed_as_numbers,
          a_tensor_of_numbers_is_a_copy_of_them, floats_are_read_and_summed_as_such,
          flags_are_read_as_such, flags_are_not_summed,
          numbers_behind_known_ones_are_summed_with_them)
