/*
 * Numbers and sizes that coincide in all lanes.
 */
#include "effects_fixture.h"

/* ---- values that lanes do not separate ------------------------------------------------------- */

UNIT_TEST(a_quotient_alike_in_all_lanes_is_not_known)
{
    body_gives(arena,
               "%h:int = prim::Constant<100>()\n"
               "%s:int = aten::size.int(%x, %0)\n"
               "%f:int = aten::floordiv.int(%s, %h)\n"
               "%l_a:list = prim::ListConstruct(%f)\n"
               "%z_a = aten::zeros(%l_a, %none, %none, %none, %none)\n"
               "-> %z_a\n",
               "%1 int = aten::size.int(x, 0)\n"
               "%2 int = aten::floordiv.int(%1, 100)\n"
               "%3[?] = aten::zeros((%2), None, None, None, None)\n"
               "=> %3");
}

UNIT_TEST(it_is_the_same_when_it_is_computed_again)
{
    body_gives(
        arena,
        "%h:int = prim::Constant<100>()\n"
        "%s:int = aten::size.int(%x, %0)\n"
        "%f:int = aten::floordiv.int(%s, %h)\n"
        "%g:int = aten::floordiv.int(%s, %h)\n"
        "%l_a:list = prim::ListConstruct(%f)\n"
        "%z_a = aten::zeros(%l_a, %none, %none, %none, %none)\n"
        "%l_b:list = prim::ListConstruct(%g)\n"
        "%z_b = aten::zeros(%l_b, %none, %none, %none, %none)\n" EFFECTS_COMPARE("%z_a", "%z_b"),
        "%1 int = aten::size.int(x, 0)\n"
        "%2 int = aten::floordiv.int(%1, 100)\n"
        "%3 int = aten::floordiv.int(%1, 100)\n"
        "%4[?] = aten::zeros((%2), None, None, None, None)\n"
        "%5[?] = aten::zeros((%3), None, None, None, None)\n"
        "%6[2,?] = aten::stack((%4, %5), 0)\n"
        "=> %6");
}

UNIT_TEST(where_it_does_not_fit_other_sizes_are_to_be_tried)
{
    body_gives(arena,
               "%h:int = prim::Constant<100>()\n"
               "%s:int = aten::size.int(%x, %0)\n"
               "%f:int = aten::floordiv.int(%s, %h)\n"
               "%l_a:list = prim::ListConstruct(%f)\n"
               "%z_a = aten::zeros(%l_a, %none, %none, %none, %none)\n"
               "%u = aten::select.int(%x, %1, %0)\n"
               "%r = aten::add.Tensor(%z_a, %u, %1)\n"
               "-> %r\n",
               "aten::add.Tensor raised in the root module (model.py:18): sizes that depend on "
               "the data do not fit: The size of tensor a (?) must match the size of tensor b "
               "(10) at dimension 0");
}

UNIT_TEST(a_quotient_without_remainder_is_known)
{
    body_gives(arena,
               "%s:int = aten::size.int(%x, %0)\n"
               "%d:int = aten::mul.int(%s, %2)\n"
               "%f:int = aten::floordiv.int(%d, %2)\n"
               "%l_a:list = prim::ListConstruct(%f)\n"
               "%z_a = aten::zeros(%l_a, %none, %none, %none, %none)\n"
               "%u = aten::select.int(%x, %1, %0)\n" EFFECTS_COMPARE("%z_a", "%u"),
               "%1 int = aten::size.int(x, 0)\n"
               "%2 int = aten::mul.int(%1, 2)\n"
               "%3 int = aten::floordiv.int(%2, 2)\n"
               "%4[?] = aten::zeros((%3), None, None, None, None)\n"
               "%5[?] = aten::select.int(x, 1, 0)\n"
               "%6[2,?] = aten::stack((%4, %5), 0)\n"
               "=> %6");
}

UNIT_TEST(a_quotient_of_multiples_is_known)
{
    body_gives(arena,
               "%s:int = aten::size.int(%x, %0)\n"
               "%d2:int = aten::mul.int(%s, %2)\n"
               "%f:int = aten::floordiv.int(%d2, %s)\n"
               "%l:list = prim::ListConstruct(%f)\n"
               "%z = aten::zeros(%l, %none, %none, %none, %none)\n"
               "-> %z\n",
               "%1 int = aten::size.int(x, 0)\n"
               "%2 int = aten::mul.int(%1, 2)\n"
               "%3 int = aten::floordiv.int(%2, %1)\n"
               "%4[2] = aten::zeros((%3), None, None, None, None)\n"
               "=> %4");
}

UNIT_TEST(a_quotient_of_constants_is_one)
{
    body_gives(arena,
               "%f:int = aten::floordiv.int(%5, %2)\n"
               "%l_a:list = prim::ListConstruct(%f)\n"
               "%z_a = aten::zeros(%l_a, %none, %none, %none, %none)\n"
               "-> %z_a\n",
               "2 = aten::floordiv.int(5, 2)\n"
               "%1[2] = aten::zeros((2), None, None, None, None)\n"
               "=> %1");
}

UNIT_TEST(a_limit_that_no_lane_is_below_is_not_known)
{
    body_gives(arena,
               "%s:int = aten::size.int(%x, %0)\n"
               "%f:int = prim::min.int(%s, %3)\n"
               "%l_a:list = prim::ListConstruct(%f)\n"
               "%z_a = aten::zeros(%l_a, %none, %none, %none, %none)\n"
               "-> %z_a\n",
               "%1 int = aten::size.int(x, 0)\n"
               "%2 int = prim::min.int(%1, 3)\n"
               "%3[?] = aten::zeros((%2), None, None, None, None)\n"
               "=> %3");
}

UNIT_TEST(a_limit_that_some_lane_is_below_is_known)
{
    body_gives(arena,
               "%e:int = prim::Constant<8>()\n"
               "%s:int = aten::size.int(%x, %0)\n"
               "%f:int = prim::min.int(%s, %e)\n"
               "%l_a:list = prim::ListConstruct(%f)\n"
               "%z_a = aten::zeros(%l_a, %none, %none, %none, %none)\n"
               "%b = aten::slice.Tensor(%x, %0, %0, %e, %1)\n"
               "%u = aten::select.int(%b, %1, %0)\n" EFFECTS_COMPARE("%z_a", "%u"),
               "%1 int = aten::size.int(x, 0)\n"
               "%2 int = prim::min.int(%1, 8)\n"
               "%3[?] = aten::zeros((%2), None, None, None, None)\n"
               "%4[?,3] = aten::slice.Tensor(x, 0, 0, 8, 1)\n"
               "%5[?] = aten::select.int(%4, 1, 0)\n"
               "%6[2,?] = aten::stack((%3, %5), 0)\n"
               "=> %6");
}

UNIT_TEST(a_slice_in_long_steps_may_have_any_size)
{
    body_gives(arena,
               "%h:int = prim::Constant<100>()\n"
               "%a = aten::slice.Tensor(%x, %0, %0, %many, %h)\n"
               "-> %a\n",
               "%1[?,3] = aten::slice.Tensor(x, 0, 0, 9223372036854775807, 100)\n"
               "=> %1");
}

UNIT_TEST(a_slice_that_begins_behind_all_lanes_may_have_elements)
{
    body_gives(arena,
               "%h:int = prim::Constant<100>()\n"
               "%a = aten::slice.Tensor(%x, %0, %h, %many, %1)\n"
               "-> %a\n",
               "%1[?,3] = aten::slice.Tensor(x, 0, 100, 9223372036854775807, 1)\n"
               "=> %1");
}

UNIT_TEST(a_slice_that_ends_where_it_begins_is_empty)
{
    body_gives(arena,
               "%a = aten::slice.Tensor(%x, %0, %0, %0, %1)\n"
               "-> %a\n",
               "%1[0,3] = aten::slice.Tensor(x, 0, 0, 0, 1)\n"
               "=> %1");
}

UNIT_TEST(a_slice_that_is_empty_up_to_a_limit_may_have_elements)
{
    body_gives(arena,
               "%e:int = prim::Constant<13>()\n"
               "%s:int = aten::size.int(%x, %0)\n"
               "%f:int = prim::min.int(%s, %e)\n"
               "%a = aten::slice.Tensor(%x, %0, %f, %many, %1)\n"
               "-> %a\n",
               "%1 int = aten::size.int(x, 0)\n"
               "%2 int = prim::min.int(%1, 13)\n"
               "%3[?,3] = aten::slice.Tensor(x, 0, %2, 9223372036854775807, 1)\n"
               "=> %3");
}

UNIT_TEST(a_tensor_alike_in_all_lanes_is_not_known)
{
    body_gives(
        arena,
        "%h:int = prim::Constant<100>()\n"
        "%s:int = aten::size.int(%x, %0)\n"
        "%t = prim::NumToTensor.Scalar(%s)\n"
        "%u = prim::NumToTensor.Scalar(%h)\n"
        "%d2 = aten::floor_divide(%t, %u)\n"
        "%i:int = aten::Int.Tensor(%d2)\n"
        "%e = aten::floor_divide(%t, %u)\n"
        "%j:int = aten::Int.Tensor(%e)\n"
        "%l_a:list = prim::ListConstruct(%i)\n"
        "%z_a = aten::zeros(%l_a, %none, %none, %none, %none)\n"
        "%l_b:list = prim::ListConstruct(%j)\n"
        "%z_b = aten::zeros(%l_b, %none, %none, %none, %none)\n" EFFECTS_COMPARE("%z_a", "%z_b"),
        "%1 int = aten::size.int(x, 0)\n"
        "%2[] = prim::NumToTensor.Scalar(%1)\n"
        "%3[] = prim::NumToTensor.Scalar(100)\n"
        "%4[] = aten::floor_divide(%2, %3)\n"
        "%5 int = aten::Int.Tensor(%4)\n"
        "%6[] = aten::floor_divide(%2, %3)\n"
        "%7 int = aten::Int.Tensor(%6)\n"
        "%8[?] = aten::zeros((%5), None, None, None, None)\n"
        "%9[?] = aten::zeros((%7), None, None, None, None)\n"
        "%10[2,?] = aten::stack((%8, %9), 0)\n"
        "=> %10");
}

UNIT_TEST(a_range_in_long_steps_may_have_any_size)
{
    body_gives(arena,
               "%h:int = prim::Constant<100>()\n"
               "%s:int = aten::size.int(%x, %0)\n"
               "%a = aten::arange.start_step(%0, %s, %h, %none, %none)\n"
               "-> %a\n",
               "%1 int = aten::size.int(x, 0)\n"
               "%2[?] = aten::arange.start_step(0, %1, 100, None, None)\n"
               "=> %2");
}

UNIT_TEST(a_range_in_short_steps_is_followed)
{
    body_gives(arena,
               "%s:int = aten::size.int(%x, %0)\n"
               "%a = aten::arange.start_step(%0, %s, %2, %none, %none)\n"
               "-> %a\n",
               "%1 int = aten::size.int(x, 0)\n"
               "%2[?] = aten::arange.start_step(0, %1, 2, None, None)\n"
               "=> %2");
}

UNIT_TEST(windows_that_do_not_move_are_refused)
{
    body_gives(arena,
               "%h:int = prim::Constant<100>()\n"
               "%l:list = prim::ListConstruct(%3)\n"
               "%k:list = prim::ListConstruct(%h)\n"
               "%t = aten::t(%x)\n"
               "%p = aten::avg_pool1d(%t, %l, %k)\n"
               "-> %p\n",
               "aten::avg_pool1d raised in the root module (model.py:16): dim 1 of its output "
               "has one size at all sizes that were tried");
}

UNIT_TEST(windows_that_move_are_followed)
{
    body_gives(arena,
               "%l:list = prim::ListConstruct(%3)\n"
               "%k:list = prim::ListConstruct(%2)\n"
               "%t = aten::t(%x)\n"
               "%p = aten::avg_pool1d(%t, %l, %k)\n"
               "-> %p\n",
               "%1[3,?] = aten::t(x)\n"
               "%2[3,?] = aten::avg_pool1d(%1, (3), (2))\n"
               "=> %2");
}

UNIT_MAIN("interpret: flat sizes", a_quotient_alike_in_all_lanes_is_not_known,
          it_is_the_same_when_it_is_computed_again,
          where_it_does_not_fit_other_sizes_are_to_be_tried, a_quotient_without_remainder_is_known,
          a_quotient_of_multiples_is_known, a_quotient_of_constants_is_one,
          a_limit_that_no_lane_is_below_is_not_known, a_limit_that_some_lane_is_below_is_known,
          a_slice_in_long_steps_may_have_any_size,
          a_slice_that_begins_behind_all_lanes_may_have_elements,
          a_slice_that_ends_where_it_begins_is_empty,
          a_slice_that_is_empty_up_to_a_limit_may_have_elements,
          a_tensor_alike_in_all_lanes_is_not_known, a_range_in_long_steps_may_have_any_size,
          a_range_in_short_steps_is_followed, windows_that_do_not_move_are_refused,
          windows_that_move_are_followed)
