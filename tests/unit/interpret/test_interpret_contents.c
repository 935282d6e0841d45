/*
 * Contents of tensors, as flags, numbers and lists of the program.
 */
#include "lists_fixture.h"

/* ---- probes ------------------------------------------------------------------------------- */

/* A kernel may return the same for ones and zeros, and something else for the real contents. */
UNIT_TEST(a_flag_that_is_read_off_a_probe_is_unknown)
{
    method_gives(
        arena, "[?,3] [2]",
        "  %r:bool = aten::equal(%x, %x)\n"
        "  -> %r\n",
        "%1 unknown = aten::equal(x, x) ! it returns something other than a tensor, which may "
        "depend on the data\n"
        "=> %1");
}

UNIT_TEST(so_are_the_flags_in_a_list)
{
    method_gives(arena, "[2] [2]",
                 "  %r:list = prim::tolist(%x, %1, %0)\n"
                 "  -> %r\n",
                 "%1 unknown = prim::tolist(x, 1, 0) ! it returns something other than a tensor, "
                 "which may depend on the data\n"
                 "=> %1");
}

UNIT_TEST(such_a_flag_decides_nothing)
{
    method_gives(arena, "[2] [2]",
                 "  %b:bool = aten::equal(%x, %x)\n"
                 "  %r = prim::If(%b)\n"
                 "  { -> %x }\n"
                 "  { -> %y }\n"
                 "  -> %r\n",
                 "aten::equal, which decides what runs: it returns something other than a "
                 "tensor, which may depend on the data, in the root module");
}

/* ---- comparisons ----------------------------------------------------------------------------- */

#define EQUAL                                                                                      \
    "  %r:bool = aten::equal(%x, %y)\n"                                                            \
    "  -> %r\n"

UNIT_TEST(tensors_of_one_size_are_equal_where_all_elements_are)
{
    method_gives(arena, "[2,3] [2,3]", EQUAL,
                 "%1[2,3] = aten::eq.Tensor(x, y)\n"
                 "%2[] = aten::all(%1)\n"
                 "%3 bool = aten::Bool.Tensor(%2)\n"
                 "=> %3");
}

UNIT_TEST(a_dynamic_axis_of_both_is_one_size)
{
    method_gives(arena, "[?] [?]", EQUAL,
                 "%1[?] = aten::eq.Tensor(x, y)\n"
                 "%2[] = aten::all(%1)\n"
                 "%3 bool = aten::Bool.Tensor(%2)\n"
                 "=> %3");
}

UNIT_TEST(tensors_of_other_sizes_are_not_equal)
{
    method_gives(arena, "[2] [3]", EQUAL, "=> False");
}

UNIT_TEST(one_other_size_is_enough)
{
    method_gives(arena, "[?,2] [4,3]", EQUAL, "=> False");
}

UNIT_TEST(tensors_of_other_ranks_are_not_equal)
{
    method_gives(arena, "[?] [3,1]", EQUAL, "=> False");
}

UNIT_TEST(an_axis_may_make_two_sizes_one)
{
    method_gives(
        arena, "[?] [3]", EQUAL,
        "%1 unknown = aten::equal(x, y) ! it returns something other than a tensor, which may "
        "depend on the data\n"
        "=> %1");
}

UNIT_TEST(dtypes_are_not_mixed)
{
    method_gives(
        arena, "[2] long[3]", EQUAL,
        "%1 unknown = aten::equal(x, y) ! it returns something other than a tensor, which may "
        "depend on the data\n"
        "=> %1");
}

UNIT_TEST(whole_numbers_of_one_memory_are_compared)
{
    method_gives(arena, "long[3] [2]",
                 "  %v = aten::detach(%x)\n"
                 "  %r:bool = aten::equal(%x, %v)\n"
                 "  -> %r\n",
                 "%1[3] = aten::detach(x)\n"
                 "%2[3] = aten::eq.Tensor(x, %1)\n"
                 "%3[] = aten::all(%2)\n"
                 "%4 bool = aten::Bool.Tensor(%3)\n"
                 "=> %4");
}

UNIT_TEST(closeness_broadcasts)
{
    method_gives(arena, "[2,3] [3]",
                 "  %t:float = prim::Constant<0.5>()\n"
                 "  %r:bool = aten::allclose(%x, %y, %t, %t, %true)\n"
                 "  -> %r\n",
                 "%1[2,3] = aten::isclose(x, y, 0.5, 0.5, True)\n"
                 "%2[] = aten::all(%1)\n"
                 "%3 bool = aten::Bool.Tensor(%2)\n"
                 "=> %3");
}

/* ---- lists of numbers ------------------------------------------------------------------------ */

UNIT_TEST(a_tensor_without_dims_is_one_number)
{
    method_gives(arena, "[] [2]",
                 "  %r:float = prim::tolist(%x, %0, %1)\n"
                 "  -> %r\n",
                 "%1 float = aten::Float.Tensor(x)\n"
                 "=> %1");
}

UNIT_TEST(a_vector_is_as_many_numbers)
{
    method_gives(arena, "long[2] [2]",
                 "  %r:list = prim::tolist(%x, %1, %0)\n"
                 "  -> %r\n",
                 "%1[] = aten::select.int(x, 0, 0)\n"
                 "%2 int = aten::Int.Tensor(%1)\n"
                 "%3[] = aten::select.int(x, 0, 1)\n"
                 "%4 int = aten::Int.Tensor(%3)\n"
                 "=> %2, %4");
}

UNIT_TEST(a_matrix_is_a_list_of_lists)
{
    method_gives(arena, "mask[2,1] [2]",
                 "  %l:list = prim::tolist(%x, %2, %2)\n"
                 "  %r:list = aten::__getitem__.t(%l, %1)\n"
                 "  -> %r\n",
                 "%1[1] = aten::select.int(x, 0, 0)\n"
                 "%2[] = aten::select.int(%1, 0, 0)\n"
                 "%3 bool = aten::Bool.Tensor(%2)\n"
                 "%4[1] = aten::select.int(x, 0, 1)\n"
                 "%5[] = aten::select.int(%4, 0, 0)\n"
                 "%6 bool = aten::Bool.Tensor(%5)\n"
                 "=> %6");
}

UNIT_TEST(an_empty_vector_is_an_empty_list)
{
    method_gives(arena, "[0] [2]",
                 "  %l:list = prim::tolist(%x, %1, %1)\n"
                 "  %r:int = aten::len.t(%l)\n"
                 "  -> %r\n",
                 "=> 0");
}

UNIT_TEST(numbers_of_a_dynamic_axis_are_rows_of_a_copy)
{
    method_gives(arena, "[?] [2]",
                 "  %l:list = prim::tolist(%x, %1, %1)\n"
                 "  %c = aten::add_.Scalar(%x, %1, %1)\n"
                 "  %r:float = aten::__getitem__.t(%l, %k)\n"
                 "  -> %r\n",
                 "%1[?] = aten::to.dtype(x, 7, False, True, None)\n"
                 "%2[?] = aten::add_.Scalar(x, 1, 1)\n"
                 "%3[] = aten::select.int(%1, 0, k)\n"
                 "%4 float = aten::Float.Tensor(%3)\n"
                 "=> %4");
}

UNIT_TEST(lists_of_a_dynamic_axis_are_not_told)
{
    method_gives(arena, "[?,2] [2]",
                 "  %r:list = prim::tolist(%x, %2, %1)\n"
                 "  -> %r\n",
                 "%1 unknown = prim::tolist(x, 2, 1) ! it returns something other than a tensor, "
                 "which may depend on the data\n"
                 "=> %1");
}

UNIT_TEST(lists_of_another_depth_are_left_to_the_kernel)
{
    method_gives(arena, "[2] [2]",
                 "  %r:list = prim::tolist(%x, %2, %1)\n"
                 "  -> %r\n",
                 "%1 unknown = prim::tolist(x, 2, 1) ! it returns something other than a tensor, "
                 "which may depend on the data\n"
                 "=> %1");
}

UNIT_MAIN("interpret: contents", a_flag_that_is_read_off_a_probe_is_unknown,
          so_are_the_flags_in_a_list, such_a_flag_decides_nothing,
          tensors_of_one_size_are_equal_where_all_elements_are, a_dynamic_axis_of_both_is_one_size,
          tensors_of_other_sizes_are_not_equal, one_other_size_is_enough,
          tensors_of_other_ranks_are_not_equal, an_axis_may_make_two_sizes_one,
          dtypes_are_not_mixed, whole_numbers_of_one_memory_are_compared, closeness_broadcasts,
          a_tensor_without_dims_is_one_number, a_vector_is_as_many_numbers,
          a_matrix_is_a_list_of_lists, an_empty_vector_is_an_empty_list,
          numbers_of_a_dynamic_axis_are_rows_of_a_copy, lists_of_a_dynamic_axis_are_not_told,
          lists_of_another_depth_are_left_to_the_kernel)
