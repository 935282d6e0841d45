/*
 * Slices of data-dependent sizes, or with data-dependent bounds, and such sizes in broadcasts.
 */
#include "effects_fixture.h"

/* ---- slices ---------------------------------------------------------------------------------- */

UNIT_TEST(a_slice_by_the_data_has_a_size_of_its_own)
{
    body_gives(arena,
               "%a = aten::slice.Tensor(%x, %0, %0, %n, %1)\n"
               "-> %a\n",
               "%1[?,3] = aten::slice.Tensor(x, 0, 0, n, 1)\n"
               "=> %1");
}

UNIT_TEST(a_slice_from_the_data_on_has_one_too)
{
    body_gives(arena,
               "%a = aten::slice.Tensor(%x, %0, %n, %none, %1)\n"
               "-> %a\n",
               "%1[?,3] = aten::slice.Tensor(x, 0, n, None, 1)\n"
               "=> %1");
}

UNIT_TEST(as_many_are_left_without_the_first_as_without_the_last)
{
    body_gives(arena,
               EFFECTS_SELECT
               "%b = aten::slice.Tensor(%a, %0, %1, %none, %1)\n"
               "%d = aten::slice.Tensor(%a, %0, %none, %minus, %1)\n" EFFECTS_COMPARE("%b", "%d"),
               EFFECTS_SELECTED "%3[?] = aten::slice.Tensor(%2, 0, 1, None, 1)\n"
                                "%4[?] = aten::slice.Tensor(%2, 0, None, -1, 1)\n"
                                "%5[2,?] = aten::stack((%3, %4), 0)\n"
                                "=> %5");
}

UNIT_TEST(fewer_are_left_without_the_first_two)
{
    body_gives(arena,
               EFFECTS_SELECT
               "%b = aten::slice.Tensor(%a, %0, %1, %none, %1)\n"
               "%d = aten::slice.Tensor(%a, %0, %2, %none, %1)\n" EFFECTS_COMPARE("%b", "%d"),
               EFFECTS_SELECTED "%3[?] = aten::slice.Tensor(%2, 0, 1, None, 1)\n"
                                "%4[?] = aten::slice.Tensor(%2, 0, 2, None, 1)\n"
                                "%5 unknown = aten::stack((%3, %4), 0) ! " EFFECTS_UNEQUAL "=> %5");
}

UNIT_TEST(a_slice_of_all_is_as_long)
{
    body_gives(arena,
               EFFECTS_SELECT
               "%b = aten::slice.Tensor(%a, %0, %0, %many, %1)\n" EFFECTS_COMPARE("%a", "%b"),
               EFFECTS_SELECTED "%3[?] = aten::slice.Tensor(%2, 0, 0, 9223372036854775807, 1)\n"
                                "%4[2,?] = aten::stack((%2, %3), 0)\n"
                                "=> %4");
}

UNIT_TEST(a_slice_along_another_dim_keeps_the_size)
{
    body_gives(arena,
               "%m = aten::gt.Scalar(%x, %0)\n"
               "%p = aten::nonzero(%m)\n"
               "%b = aten::slice.Tensor(%p, %1, %0, %1, %1)\n"
               "%d = aten::slice.Tensor(%p, %1, %1, %2, %1)\n" EFFECTS_COMPARE("%b", "%d"),
               "%1[?,3] = aten::gt.Scalar(x, 0)\n"
               "%2[?,2] = aten::nonzero(%1)\n"
               "%3[?,1] = aten::slice.Tensor(%2, 1, 0, 1, 1)\n"
               "%4[?,1] = aten::slice.Tensor(%2, 1, 1, 2, 1)\n"
               "%5[2,?,1] = aten::stack((%3, %4), 0)\n"
               "=> %5");
}

UNIT_TEST(a_slice_along_no_dim_is_unknown)
{
    body_gives(arena,
               "%s = aten::slice.Tensor(%x, %5, %0, %n, %1)\n"
               "-> %s\n",
               "%1 unknown = aten::slice.Tensor(x, 5, 0, n, 1) ! sizes that depend on the data "
               "do not fit: Dimension out of range (expected to be in range of [-2, 1], but got "
               "5)\n"
               "=> %1");
}

UNIT_TEST(a_row_that_the_data_selects_has_the_other_sizes)
{
    body_gives(arena,
               "%a = aten::select.int(%x, %0, %n)\n"
               "-> %a\n",
               "%1[3] = aten::select.int(x, 0, n)\n"
               "=> %1");
}

UNIT_TEST(the_last_two_are_the_same_again)
{
    body_gives(arena,
               EFFECTS_SELECT
               "%m2:int = prim::Constant<-2>()\n"
               "%b = aten::slice.Tensor(%a, %0, %m2, %none, %1)\n"
               "%d2 = aten::slice.Tensor(%a, %0, %m2, %none, %1)\n" EFFECTS_COMPARE("%b", "%d2"),
               "%1[?,3] = aten::gt.Scalar(x, 0)\n"
               "%2[?] = aten::masked_select(x, %1)\n"
               "%3[?] = aten::slice.Tensor(%2, 0, -2, None, 1)\n"
               "%4[?] = aten::slice.Tensor(%2, 0, -2, None, 1)\n"
               "%5[2,?] = aten::stack((%3, %4), 0)\n"
               "=> %5");
}

/* ---- sizes that meet ------------------------------------------------------------------------- */

UNIT_TEST(a_made_up_size_that_meets_a_fixed_one_has_it_or_is_1)
{
    body_gives(arena,
               EFFECTS_SELECT "%k = prim::Constant<tensor[5]>()\n"
                              "%r = aten::add.Tensor(%a, %k, %1)\n"
                              "-> %r\n",
               EFFECTS_SELECTED "%3[5] = aten::expand(%2, (5), False)\n"
                                "%4[5] = aten::add.Tensor(%3, data1[5], 1)\n"
                                "=> %4");
}

UNIT_TEST(a_made_up_size_that_meets_1_stays)
{
    body_gives(arena,
               EFFECTS_SELECT "%b = aten::unsqueeze(%a, %1)\n"
                              "%o = aten::gt.Scalar(%y, %0)\n"
                              "%d2 = aten::masked_select(%y, %o)\n"
                              "%e = aten::add.Tensor(%b, %d2, %1)\n"
                              "%k = prim::Constant<tensor[1,5]>()\n"
                              "%r = aten::add.Tensor(%e, %k, %1)\n"
                              "-> %r\n",
               "%1[?,3] = aten::gt.Scalar(x, 0)\n"
               "%2[?] = aten::masked_select(x, %1)\n"
               "%3[?,1] = aten::unsqueeze(%2, 1)\n"
               "%4[?,3] = aten::gt.Scalar(y, 0)\n"
               "%5[?] = aten::masked_select(y, %4)\n"
               "%6[?,?] = aten::add.Tensor(%3, %5, 1)\n"
               "%7[?,5] = aten::expand(%6, (-1, 5), False)\n"
               "%8[?,5] = aten::add.Tensor(%7, data1[1,5], 1)\n"
               "=> %8");
}

UNIT_TEST(two_made_up_sizes_meet_at_one)
{
    body_gives(arena,
               EFFECTS_SELECT "%o = aten::gt.Scalar(%y, %0)\n"
                              "%b = aten::masked_select(%y, %o)\n"
                              "%r = aten::add.Tensor(%a, %b, %1)\n"
                              "%t = aten::add.Tensor(%a, %b, %1)\n" EFFECTS_COMPARE("%r", "%t"),
               EFFECTS_SELECTED "%3[?,3] = aten::gt.Scalar(y, 0)\n"
                                "%4[?] = aten::masked_select(y, %3)\n"
                                "%5[?] = aten::add.Tensor(%2, %4, 1)\n"
                                "%6[?] = aten::add.Tensor(%2, %4, 1)\n"
                                "%7[2,?] = aten::stack((%5, %6), 0)\n"
                                "=> %7");
}

UNIT_TEST(a_made_up_size_meets_that_of_an_axis)
{
    body_gives(arena,
               EFFECTS_SELECT "%u = aten::select.int(%x, %1, %0)\n"
                              "%r = aten::add.Tensor(%a, %u, %1)\n"
                              "-> %r\n",
               EFFECTS_SELECTED "%3[?] = aten::select.int(x, 1, 0)\n"
                                "%4[?] = aten::add.Tensor(%2, %3, 1)\n"
                                "=> %4");
}

UNIT_TEST(what_is_changed_in_place_keeps_its_size)
{
    body_gives(arena,
               EFFECTS_SELECT "%u = aten::select.int(%x, %1, %0)\n"
                              "%v = aten::clone(%u)\n"
                              "%r = aten::add_.Tensor(%v, %a, %1)\n"
                              "%s = aten::relu(%v)\n" EFFECTS_COMPARE("%s", "%u"),
               EFFECTS_SELECTED "%3[?] = aten::select.int(x, 1, 0)\n"
                                "%4[?] = aten::clone(%3)\n"
                                "%5[?] = aten::add_.Tensor(%4, %2, 1)\n"
                                "%6[?] = aten::relu(%5)\n"
                                "%7[2,?] = aten::stack((%6, %3), 0)\n"
                                "=> %7");
}

UNIT_TEST(what_has_more_dims_is_not_written)
{
    body_gives(arena,
               EFFECTS_SELECT "%r = aten::add_.Tensor(%a, %x, %1)\n"
                              "-> %r\n",
               EFFECTS_SELECTED
               "%3 unknown = aten::add_.Tensor(%2, x, 1) ! sizes that depend on the data do not "
               "fit: The size of tensor a (?) must match the size of tensor b (3) at dimension 1\n"
               "=> %3");
}

UNIT_TEST(as_many_are_left_by_equal_bounds)
{
    body_gives(arena,
               "%k:int = aten::mul.int(%n, %2)\n"
               "%l:int = aten::mul.int(%n, %2)\n"
               "%a = aten::slice.Tensor(%x, %0, %n, %k, %1)\n"
               "%b = aten::slice.Tensor(%y, %0, %n, %l, %1)\n" EFFECTS_COMPARE("%a", "%b"),

               "%1 int = aten::mul.int(n, 2)\n"
               "%2 int = aten::mul.int(n, 2)\n"
               "%3[?,3] = aten::slice.Tensor(x, 0, n, %1, 1)\n"
               "%4[?,3] = aten::slice.Tensor(y, 0, n, %2, 1)\n"
               "%5[2,?,3] = aten::stack((%3, %4), 0)\n"
               "=> %5");
}

UNIT_TEST(others_leave_others)
{
    body_gives(arena,
               "%a = aten::slice.Tensor(%x, %0, %n, %none, %1)\n"
               "%b = aten::slice.Tensor(%y, %0, %none, %n, %1)\n" EFFECTS_COMPARE("%a", "%b"),

               "%1[?,3] = aten::slice.Tensor(x, 0, n, None, 1)\n"
               "%2[?,3] = aten::slice.Tensor(y, 0, None, n, 1)\n"
               "%3 unknown = aten::stack((%1, %2), 0) ! " EFFECTS_UNEQUAL "=> %3");
}

UNIT_TEST(cat_tells_the_sizes_beside_the_joined_ones)
{
    body_gives(arena,
               EFFECTS_SELECT "%b = aten::unsqueeze(%a, %0)\n"
                              "%u = aten::select.int(%x, %1, %0)\n"
                              "%v = aten::unsqueeze(%u, %0)\n"
                              "%l:list = prim::ListConstruct(%b, %v)\n"
                              "%r = aten::cat(%l, %0)\n"
                              "%e = aten::select.int(%r, %0, %0)\n" EFFECTS_COMPARE("%e", "%u"),
               EFFECTS_SELECTED "%3[1,?] = aten::unsqueeze(%2, 0)\n"
                                "%4[?] = aten::select.int(x, 1, 0)\n"
                                "%5[1,?] = aten::unsqueeze(%4, 0)\n"
                                "%6[2,?] = aten::cat((%3, %5), 0)\n"
                                "%7[?] = aten::select.int(%6, 0, 0)\n"
                                "%8[2,?] = aten::stack((%7, %4), 0)\n"
                                "=> %8");
}

UNIT_TEST(a_made_up_size_is_divided_into_equal_parts)
{
    body_gives(arena,
               EFFECTS_SELECT "%l:list = prim::ListConstruct(%minus, %5)\n"
                              "%r = aten::reshape(%a, %l)\n"
                              "-> %r\n",
               EFFECTS_SELECTED "%3[?,5] = aten::reshape(%2, (-1, 5))\n"
                                "=> %3");
}

UNIT_TEST(so_it_is_where_what_was_made_up_is_no_multiple)
{
    body_gives(arena,
               EFFECTS_SELECT "%e:int = prim::Constant<17>()\n"
                              "%l:list = prim::ListConstruct(%minus, %e)\n"
                              "%r = aten::reshape(%a, %l)\n"
                              "%s = aten::reshape(%a, %l)\n" EFFECTS_COMPARE("%r", "%s"),
               EFFECTS_SELECTED "%3[?,17] = aten::reshape(%2, (-1, 17))\n"
                                "%4[?,17] = aten::reshape(%2, (-1, 17))\n"
                                "%5[2,?,17] = aten::stack((%3, %4), 0)\n"
                                "=> %5");
}

UNIT_TEST(what_lies_apart_in_memory_is_reshaped)
{
    body_gives(arena,
               "%p = aten::nonzero(%x)\n"
               "%e:int = prim::Constant<17>()\n"
               "%l:list = prim::ListConstruct(%minus, %e)\n"
               "%r = aten::reshape(%p, %l)\n"
               "-> %r\n",
               "%1[?,2] = aten::nonzero(x)\n"
               "%2[?,17] = aten::reshape(%1, (-1, 17))\n"
               "=> %2");
}

UNIT_TEST(what_lies_apart_in_memory_is_not_viewed)
{
    body_gives(arena,
               "%p = aten::nonzero(%x)\n"
               "%e:int = prim::Constant<17>()\n"
               "%l:list = prim::ListConstruct(%minus, %e)\n"
               "%r = aten::view(%p, %l)\n"
               "-> %r\n",
               "%1[?,2] = aten::nonzero(x)\n"
               "%2 unknown = aten::view(%1, (-1, 17)) ! sizes that depend on the data do not "
               "fit: shape is invalid for the number of elements\n"
               "=> %2");
}

UNIT_TEST(a_check_tells_a_made_up_size)
{
    body_gives(arena,
               EFFECTS_SELECT "%i:int = aten::size.int(%a, %0)\n"
                              "%g:bool = aten::ne.int(%i, %5)\n"
                              "prim::If(%g)\n"
                              "{ prim::RaiseException(%text, %none)\n"
                              "-> }\n"
                              "{ -> }\n"
                              "%k = prim::Constant<tensor[5]>()\n"
                              "%r = aten::add.Tensor(%a, %k, %1)\n"
                              "-> %r\n",
               "%1[?,3] = aten::gt.Scalar(x, 0)\n"
               "%2[5] = aten::masked_select(x, %1)\n"
               "%3 int = aten::size.int(%2, 0)\n"
               "%4 bool = aten::ne.int(%3, 5)\n"
               "%5[5] = aten::add.Tensor(%2, data1[5], 1)\n"
               "=> %5");
}

UNIT_TEST(a_check_that_others_pass_tells_none)
{
    body_gives(arena,
               EFFECTS_SELECT "%i:int = aten::size.int(%a, %0)\n"
                              "%g:bool = aten::gt.int(%i, %5)\n"
                              "prim::If(%g)\n"
                              "{ prim::RaiseException(%text, %none)\n"
                              "-> }\n"
                              "{ -> }\n"
                              "%k = prim::Constant<tensor[5]>()\n"
                              "%r = aten::add.Tensor(%a, %k, %1)\n"
                              "-> %r\n",
               EFFECTS_SELECTED "%3 int = aten::size.int(%2, 0)\n"
                                "%4 bool = aten::gt.int(%3, 5)\n"
                                "%5[5] = aten::expand(%2, (5), False)\n"
                                "%6[5] = aten::add.Tensor(%5, data1[5], 1)\n"
                                "=> %6");
}

UNIT_TEST(a_check_of_all_sizes_at_once_tells_one)
{
    body_gives(arena,
               EFFECTS_SELECT "%sizes:list = aten::size(%a)\n"
                              "%i:int = aten::__getitem__(%sizes, %0)\n"
                              "%g:bool = aten::ne.int(%i, %5)\n"
                              "prim::If(%g)\n"
                              "{ prim::RaiseException(%text, %none)\n"
                              "-> }\n"
                              "{ -> }\n"
                              "%k = prim::Constant<tensor[5]>()\n"
                              "%r = aten::add.Tensor(%a, %k, %1)\n"
                              "-> %r\n",
               "%1[?,3] = aten::gt.Scalar(x, 0)\n"
               "%2[5] = aten::masked_select(x, %1)\n"
               "(%3 int) = aten::size(%2)\n"
               "%4 bool = aten::ne.int(%3, 5)\n"
               "%5[5] = aten::add.Tensor(%2, data1[5], 1)\n"
               "=> %5");
}

UNIT_TEST(a_check_against_the_data_tells_none)
{
    body_gives(
        arena,
        EFFECTS_SELECT
        "%i:int = aten::size.int(%a, %0)\n"
        "%g:bool = aten::ne.int(%i, %n)\n"
        "prim::If(%g)\n"
        "{ prim::RaiseException(%text, %none)\n"
        "-> }\n"
        "{ -> }\n"
        "%l_b:list = prim::ListConstruct(%n)\n"
        "%z_b = aten::zeros(%l_b, %none, %none, %none, %none)\n" EFFECTS_COMPARE("%a", "%z_b"),
        "%1[?,3] = aten::gt.Scalar(x, 0)\n"
        "%2[?] = aten::masked_select(x, %1)\n"
        "%3 int = aten::size.int(%2, 0)\n"
        "%4 bool = aten::ne.int(%3, n)\n"
        "%5[?] = aten::zeros((n), None, None, None, None)\n"
        "%6 unknown = aten::stack((%2, %5), 0) ! sizes that depend on the data do not "
        "fit: Sizes of tensors must match\n"
        "=> %6");
}

UNIT_TEST(sizes_that_sides_give_meet_at_one_that_is_made_up)
{
    body_gives(arena,
               EFFECTS_SELECT "%r = prim::If(%c)\n"
                              "{ -> %a }\n"
                              "{ %k = prim::Constant<tensor[5]>()\n"
                              "-> %k }\n"
                              "-> %r\n",
               EFFECTS_SELECTED "%3[?] = prim::If(c) { -> %2 } { -> data1[5] }\n"
                                "=> %3");
}

UNIT_TEST(a_dim_that_may_be_1_is_not_squeezed)
{
    body_gives(arena,
               EFFECTS_SELECT "%r = aten::squeeze.dim(%a, %0)\n"
                              "-> %r\n",
               EFFECTS_SELECTED
               "%3 unknown = aten::squeeze.dim(%2, 0) ! the data decides whether its output has "
               "that dim\n"
               "=> %3");
}

UNIT_TEST(a_dim_beside_it_is_squeezed)
{
    body_gives(arena,
               EFFECTS_SELECT "%b = aten::unsqueeze(%a, %0)\n"
                              "%r = aten::squeeze.dim(%b, %0)\n"
                              "-> %r\n",
               EFFECTS_SELECTED "%3[1,?] = aten::unsqueeze(%2, 0)\n"
                                "%4[?] = aten::squeeze.dim(%3, 0)\n"
                                "=> %4");
}

UNIT_MAIN("interpret: met sizes", a_slice_by_the_data_has_a_size_of_its_own,
          a_slice_from_the_data_on_has_one_too,
          as_many_are_left_without_the_first_as_without_the_last,
          fewer_are_left_without_the_first_two, a_slice_of_all_is_as_long,
          a_slice_along_another_dim_keeps_the_size, a_slice_along_no_dim_is_unknown,
          a_row_that_the_data_selects_has_the_other_sizes, the_last_two_are_the_same_again,
          a_made_up_size_that_meets_a_fixed_one_has_it_or_is_1, a_made_up_size_that_meets_1_stays,
          two_made_up_sizes_meet_at_one, a_made_up_size_meets_that_of_an_axis,
          what_is_changed_in_place_keeps_its_size, what_has_more_dims_is_not_written,
          as_many_are_left_by_equal_bounds, others_leave_others,
          cat_tells_the_sizes_beside_the_joined_ones, a_made_up_size_is_divided_into_equal_parts,
          so_it_is_where_what_was_made_up_is_no_multiple, what_lies_apart_in_memory_is_reshaped,
          what_lies_apart_in_memory_is_not_viewed, a_check_tells_a_made_up_size,
          a_check_that_others_pass_tells_none, a_check_of_all_sizes_at_once_tells_one,
          a_check_against_the_data_tells_none, sizes_that_sides_give_meet_at_one_that_is_made_up,
          a_dim_that_may_be_1_is_not_squeezed, a_dim_beside_it_is_squeezed)
