/*
 * Data-dependent sizes: chosen in every lane, and propagated from there on. stack() shows whether
 * two are equal, since it requires equal sizes.
 */
#include "effects_fixture.h"

/* ---- selections by masks --------------------------------------------------------------------- */

UNIT_TEST(what_a_mask_selects_has_a_size_of_its_own)
{
    body_gives(arena, EFFECTS_SELECT "-> %a\n", EFFECTS_SELECTED "=> %2");
}

UNIT_TEST(a_mask_selects_as_many_of_two_tensors)
{
    body_gives(arena,
               EFFECTS_SELECT "%b = aten::masked_select(%y, %m)\n" EFFECTS_COMPARE("%a", "%b"),
               EFFECTS_SELECTED "%3[?] = aten::masked_select(y, %1)\n"
                                "%4[2,?] = aten::stack((%2, %3), 0)\n"
                                "=> %4");
}

UNIT_TEST(a_mask_that_is_written_down_again_is_the_same)
{
    body_gives(arena,
               EFFECTS_SELECT "%o = aten::gt.Scalar(%x, %0)\n"
                              "%b = aten::masked_select(%y, %o)\n" EFFECTS_COMPARE("%a", "%b"),
               EFFECTS_SELECTED "%3[?,3] = aten::gt.Scalar(x, 0)\n"
                                "%4[?] = aten::masked_select(y, %3)\n"
                                "%5[2,?] = aten::stack((%2, %4), 0)\n"
                                "=> %5");
}

UNIT_TEST(another_mask_selects_another_number)
{
    body_gives(arena,
               EFFECTS_SELECT "%o = aten::gt.Scalar(%y, %0)\n"
                              "%b = aten::masked_select(%y, %o)\n" EFFECTS_COMPARE("%a", "%b"),
               EFFECTS_SELECTED "%3[?,3] = aten::gt.Scalar(y, 0)\n"
                                "%4[?] = aten::masked_select(y, %3)\n"
                                "%5 unknown = aten::stack((%2, %4), 0) ! " EFFECTS_UNEQUAL "=> %5");
}

UNIT_TEST(another_bound_makes_another_mask)
{
    body_gives(arena,
               EFFECTS_SELECT "%o = aten::gt.Scalar(%x, %1)\n"
                              "%b = aten::masked_select(%y, %o)\n" EFFECTS_COMPARE("%a", "%b"),
               EFFECTS_SELECTED "%3[?,3] = aten::gt.Scalar(x, 1)\n"
                                "%4[?] = aten::masked_select(y, %3)\n"
                                "%5 unknown = aten::stack((%2, %4), 0) ! " EFFECTS_UNEQUAL "=> %5");
}

UNIT_TEST(a_mask_that_is_known_selects_a_known_number)
{
    body_gives(arena,
               "%k = prim::Constant<tensor[2,3]>()\n"
               "%m = aten::gt.Scalar(%k, %0)\n"
               "%a = aten::slice.Tensor(%x, %0, %0, %2, %1)\n"
               "%b = aten::masked_select(%a, %m)\n"
               "-> %b\n",
               "%1[2,3] = aten::gt.Scalar(data1[2,3], 0)\n"
               "%2[2,3] = aten::slice.Tensor(x, 0, 0, 2, 1)\n"
               "%3[0] = aten::masked_select(%2, %1)\n"
               "=> %3");
}

UNIT_TEST(a_mask_that_is_broadcast_is_not_counted)
{
    body_gives(arena,
               "%v = aten::select.int(%x, %0, %0)\n"
               "%m = aten::gt.Scalar(%v, %0)\n"
               "%a = aten::masked_select(%x, %m)\n"
               "%b = aten::masked_select(%x, %m)\n" EFFECTS_COMPARE("%a", "%b"),
               "%1[3] = aten::select.int(x, 0, 0)\n"
               "%2[3] = aten::gt.Scalar(%1, 0)\n"
               "%3[?] = aten::masked_select(x, %2)\n"
               "%4[?] = aten::masked_select(x, %2)\n"
               "%5 unknown = aten::stack((%3, %4), 0) ! sizes that depend on the data do not "
               "fit: Sizes of tensors must match\n"
               "=> %5");
}

UNIT_TEST(a_bound_may_be_a_float)
{
    body_gives(arena,
               "%f:float = prim::Constant<0.5>()\n"
               "%m = aten::gt.Scalar(%x, %f)\n"
               "%o = aten::gt.Scalar(%x, %f)\n"
               "%a = aten::masked_select(%x, %m)\n"
               "%b = aten::masked_select(%x, %o)\n" EFFECTS_COMPARE("%a", "%b"),
               "%1[?,3] = aten::gt.Scalar(x, 0.5)\n"
               "%2[?,3] = aten::gt.Scalar(x, 0.5)\n"
               "%3[?] = aten::masked_select(x, %1)\n"
               "%4[?] = aten::masked_select(x, %2)\n"
               "%5[2,?] = aten::stack((%3, %4), 0)\n"
               "=> %5");
}

UNIT_TEST(positions_without_a_mask_select_as_many_rows)
{
    body_gives(arena,
               "%p = aten::nonzero(%x)\n"
               "%i = aten::select.int(%p, %1, %0)\n"
               "%l:list = prim::ListConstruct(%i)\n"
               "%a = aten::index.Tensor(%x, %l)\n"
               "-> %a\n",
               "%1[?,2] = aten::nonzero(x)\n"
               "%2[?] = aten::select.int(%1, 1, 0)\n"
               "%3[?,3] = aten::index.Tensor(x, (%2))\n"
               "=> %3");
}

UNIT_TEST(positions_are_as_many_as_a_mask_selects)
{
    body_gives(arena,
               EFFECTS_SELECT "%p = aten::nonzero(%m)\n"
                              "%b = aten::select.int(%p, %1, %0)\n" EFFECTS_COMPARE("%a", "%b"),
               EFFECTS_SELECTED "%3[?,2] = aten::nonzero(%1)\n"
                                "%4[?] = aten::select.int(%3, 1, 0)\n"
                                "%5[2,?] = aten::stack((%2, %4), 0)\n"
                                "=> %5");
}

UNIT_TEST(an_index_selects_as_many_as_its_mask)
{
    body_gives(arena,
               EFFECTS_SELECT "%l:list = prim::ListConstruct(%m)\n"
                              "%b = aten::index.Tensor(%y, %l)\n" EFFECTS_COMPARE("%a", "%b"),
               EFFECTS_SELECTED "%3[?] = aten::index.Tensor(y, (%1))\n"
                                "%4[2,?] = aten::stack((%2, %3), 0)\n"
                                "=> %4");
}

UNIT_TEST(what_a_mask_puts_back_leaves_the_sizes)
{
    body_gives(arena,
               EFFECTS_SELECT "%l:list = prim::ListConstruct(%m)\n"
                              "%p = aten::index_put_(%y, %l, %a, %false)\n"
                              "-> %y\n",
               EFFECTS_SELECTED "%3[?,3] = aten::index_put_(y, (%1), %2, False)\n"
                                "=> %3");
}

UNIT_TEST(a_mask_that_changed_selects_another_number)
{
    body_gives(arena,
               EFFECTS_SELECT "%z = aten::relu_(%x)\n"
                              "%o = aten::gt.Scalar(%x, %0)\n"
                              "%b = aten::masked_select(%x, %o)\n" EFFECTS_COMPARE("%a", "%b"),
               EFFECTS_SELECTED "%3[?,3] = aten::relu_(x)\n"
                                "%4[?,3] = aten::gt.Scalar(%3, 0)\n"
                                "%5[?] = aten::masked_select(%3, %4)\n"
                                "%6 unknown = aten::stack((%2, %5), 0) ! " EFFECTS_UNEQUAL "=> %6");
}

/* ---- numbers --------------------------------------------------------------------------------- */

UNIT_TEST(a_number_is_the_same_however_often_it_is_read)
{
    body_gives(
        arena,
        "%s = aten::sum(%x, %none)\n"
        "%i:int = aten::Int.Tensor(%s)\n"
        "%j:int = aten::Int.Tensor(%s)\n"
        "%l_a:list = prim::ListConstruct(%i)\n"
        "%z_a = aten::zeros(%l_a, %none, %none, %none, %none)\n"
        "%l_b:list = prim::ListConstruct(%j)\n"
        "%z_b = aten::zeros(%l_b, %none, %none, %none, %none)\n" EFFECTS_COMPARE("%z_a", "%z_b"),
        "%1[] = aten::sum(x, None)\n"
        "%2 int = aten::Int.Tensor(%1)\n"
        "%3 int = aten::Int.Tensor(%1)\n"
        "%4[?] = aten::zeros((%2), None, None, None, None)\n"
        "%5[?] = aten::zeros((%3), None, None, None, None)\n"
        "%6[2,?] = aten::stack((%4, %5), 0)\n"
        "=> %6");
}

UNIT_TEST(two_numbers_are_two_sizes)
{
    body_gives(
        arena,
        "%s = aten::sum(%x, %none)\n"
        "%t = aten::sum(%y, %none)\n"
        "%i:int = aten::Int.Tensor(%s)\n"
        "%j:int = aten::Int.Tensor(%t)\n"
        "%l_a:list = prim::ListConstruct(%i)\n"
        "%z_a = aten::zeros(%l_a, %none, %none, %none, %none)\n"
        "%l_b:list = prim::ListConstruct(%j)\n"
        "%z_b = aten::zeros(%l_b, %none, %none, %none, %none)\n" EFFECTS_COMPARE("%z_a", "%z_b"),
        "%1[] = aten::sum(x, None)\n"
        "%2[] = aten::sum(y, None)\n"
        "%3 int = aten::Int.Tensor(%1)\n"
        "%4 int = aten::Int.Tensor(%2)\n"
        "%5[?] = aten::zeros((%3), None, None, None, None)\n"
        "%6[?] = aten::zeros((%4), None, None, None, None)\n"
        "%7 unknown = aten::stack((%5, %6), 0) ! " EFFECTS_UNEQUAL "=> %7");
}

UNIT_TEST(the_sum_of_a_mask_is_what_it_selects)
{
    body_gives(
        arena,
        EFFECTS_SELECT
        "%s = aten::sum(%m, %none)\n"
        "%i:int = aten::Int.Tensor(%s)\n"
        "%l_b:list = prim::ListConstruct(%i)\n"
        "%z_b = aten::zeros(%l_b, %none, %none, %none, %none)\n" EFFECTS_COMPARE("%a", "%z_b"),
        EFFECTS_SELECTED "%3[] = aten::sum(%1, None)\n"
                         "%4 int = aten::Int.Tensor(%3)\n"
                         "%5[?] = aten::zeros((%4), None, None, None, None)\n"
                         "%6[2,?] = aten::stack((%2, %5), 0)\n"
                         "=> %6");
}

UNIT_TEST(sums_of_made_up_sizes_are_followed)
{
    body_gives(
        arena,
        EFFECTS_SELECT
        "%l:list = prim::ListConstruct(%a, %a)\n"
        "%b = aten::cat(%l, %0)\n"
        "%i:int = aten::numel(%a)\n"
        "%j:int = aten::add.int(%i, %i)\n"
        "%l_b:list = prim::ListConstruct(%j)\n"
        "%z_b = aten::zeros(%l_b, %none, %none, %none, %none)\n" EFFECTS_COMPARE("%b", "%z_b"),
        EFFECTS_SELECTED "%3[?] = aten::cat((%2, %2), 0)\n"
                         "%4 int = aten::numel(%2)\n"
                         "%5 int = aten::add.int(%4, %4)\n"
                         "%6[?] = aten::zeros((%5), None, None, None, None)\n"
                         "%7[2,?] = aten::stack((%3, %6), 0)\n"
                         "=> %7");
}

UNIT_TEST(products_of_made_up_sizes_are_followed)
{
    body_gives(
        arena,
        "%m = aten::gt.Scalar(%x, %0)\n"
        "%p = aten::nonzero(%m)\n"
        "%f:list = prim::ListConstruct(%minus)\n"
        "%b = aten::reshape(%p, %f)\n"
        "%i:int = aten::size.int(%p, %0)\n"
        "%j:int = aten::mul.int(%i, %2)\n"
        "%l_b:list = prim::ListConstruct(%j)\n"
        "%z_b = aten::zeros(%l_b, %none, %none, %none, %none)\n" EFFECTS_COMPARE("%b", "%z_b"),
        "%1[?,3] = aten::gt.Scalar(x, 0)\n"
        "%2[?,2] = aten::nonzero(%1)\n"
        "%3[?] = aten::reshape(%2, (-1))\n"
        "%4 int = aten::size.int(%2, 0)\n"
        "%5 int = aten::mul.int(%4, 2)\n"
        "%6[?] = aten::zeros((%5), None, None, None, None)\n"
        "%7[2,?] = aten::stack((%3, %6), 0)\n"
        "=> %7");
}

UNIT_TEST(a_half_is_the_same_when_it_is_computed_again)
{
    body_gives(
        arena,
        "%i:int = aten::floordiv.int(%n, %2)\n"
        "%j:int = aten::floordiv.int(%n, %2)\n"
        "%l_a:list = prim::ListConstruct(%i)\n"
        "%z_a = aten::zeros(%l_a, %none, %none, %none, %none)\n"
        "%l_b:list = prim::ListConstruct(%j)\n"
        "%z_b = aten::zeros(%l_b, %none, %none, %none, %none)\n" EFFECTS_COMPARE("%z_a", "%z_b"),
        "%1 int = aten::floordiv.int(n, 2)\n"
        "%2 int = aten::floordiv.int(n, 2)\n"
        "%3[?] = aten::zeros((%1), None, None, None, None)\n"
        "%4[?] = aten::zeros((%2), None, None, None, None)\n"
        "%5[2,?] = aten::stack((%3, %4), 0)\n"
        "=> %5");
}

UNIT_TEST(a_half_and_a_third_are_two_sizes)
{
    body_gives(
        arena,
        "%i:int = aten::floordiv.int(%n, %2)\n"
        "%j:int = aten::floordiv.int(%n, %3)\n"
        "%l_a:list = prim::ListConstruct(%i)\n"
        "%z_a = aten::zeros(%l_a, %none, %none, %none, %none)\n"
        "%l_b:list = prim::ListConstruct(%j)\n"
        "%z_b = aten::zeros(%l_b, %none, %none, %none, %none)\n" EFFECTS_COMPARE("%z_a", "%z_b"),
        "%1 int = aten::floordiv.int(n, 2)\n"
        "%2 int = aten::floordiv.int(n, 3)\n"
        "%3[?] = aten::zeros((%1), None, None, None, None)\n"
        "%4[?] = aten::zeros((%2), None, None, None, None)\n"
        "%5 unknown = aten::stack((%3, %4), 0) ! " EFFECTS_UNEQUAL "=> %5");
}

UNIT_TEST(a_number_of_the_data_is_an_operand)
{
    body_gives(arena,
               "%s = aten::sum(%x, %none)\n"
               "%f:float = aten::Float.Tensor(%s)\n"
               "%r = aten::mul.Scalar(%x, %f)\n"
               "-> %r\n",
               "%1[] = aten::sum(x, None)\n"
               "%2 float = aten::Float.Tensor(%1)\n"
               "%3[?,3] = aten::mul.Scalar(x, %2)\n"
               "=> %3");
}

UNIT_TEST(a_flag_of_the_data_decides_in_the_run)
{
    body_gives(arena,
               "%s = aten::sum(%x, %none)\n"
               "%b:bool = aten::Bool.Tensor(%s)\n"
               "%r = prim::If(%b)\n"
               "{ -> %x }\n"
               "{ -> %y }\n"
               "-> %r\n",
               "%1[] = aten::sum(x, None)\n"
               "%2 bool = aten::Bool.Tensor(%1)\n"
               "%3[?,3] = prim::If(%2) { -> x } { -> y }\n"
               "=> %3");
}

UNIT_TEST(a_number_of_the_data_is_no_dim)
{
    body_gives(arena,
               "%a = aten::movedim.int(%x, %n, %0)\n"
               "-> %a\n",
               "%1 unknown = aten::movedim.int(x, n, 0) ! a number that it needs depends on the "
               "data\n"
               "=> %1");
}

UNIT_TEST(a_number_of_the_data_names_no_dim)
{
    body_gives(arena,
               "%s:int = aten::size.int(%x, %n)\n"
               "-> %s\n",
               "%1 unknown = aten::size.int(x, n) ! a number that it needs depends on the data\n"
               "=> %1");
}

/* ---- lanes ----------------------------------------------------------------------------------- */

/* A program's result in one lane. */
static void one_lane_gives(htp_arena *arena, const char *body, const char *expected)
{
    const char *program = htp_arena_printf(
        arena, "class Net n=1\ndef Net.forward(%%self:Net, %%x)\n%s%s", EFFECTS_CONSTANTS, body);
    lanes_give(arena, program, "[4,3]", 1, expected);
}

UNIT_TEST(one_lane_does_not_tell_what_the_data_decides)
{
    one_lane_gives(arena, EFFECTS_SELECT "-> %a\n", "a size depends on the data");
}

UNIT_TEST(one_lane_tells_all_others)
{
    one_lane_gives(arena,
                   "%s:int = aten::size.int(%x, %0)\n"
                   "%f:int = aten::floordiv.int(%s, %3)\n"
                   "%l:list = prim::ListConstruct(%f)\n"
                   "%z = aten::zeros(%l, %none, %none, %none, %none)\n"
                   "-> %z\n",
                   "4 = aten::size.int(x, 0)\n"
                   "1 = aten::floordiv.int(4, 3)\n"
                   "%1[1] = aten::zeros((1), None, None, None, None)\n"
                   "=> %1");
}

UNIT_TEST(one_lane_follows_both_sides_of_a_branch)
{
    one_lane_gives(arena,
                   "%s = aten::sum(%x, %none)\n"
                   "%b:bool = aten::Bool.Tensor(%s)\n"
                   "%r = prim::If(%b)\n{ -> %x }\n{ %w = aten::neg(%x)\n -> %w }\n"
                   "-> %r\n",
                   "%1[] = aten::sum(x, None)\n"
                   "%2 bool = aten::Bool.Tensor(%1)\n"
                   "%3[4,3] = prim::If(%2) { -> x } { %4[4,3] = aten::neg(x); -> %4 }\n"
                   "=> %3");
}

UNIT_MAIN("interpret: data sizes", what_a_mask_selects_has_a_size_of_its_own,
          a_mask_selects_as_many_of_two_tensors, a_mask_that_is_written_down_again_is_the_same,
          another_mask_selects_another_number, another_bound_makes_another_mask,
          a_mask_that_is_known_selects_a_known_number, a_mask_that_is_broadcast_is_not_counted,
          a_bound_may_be_a_float, positions_without_a_mask_select_as_many_rows,
          positions_are_as_many_as_a_mask_selects, an_index_selects_as_many_as_its_mask,
          what_a_mask_puts_back_leaves_the_sizes, a_mask_that_changed_selects_another_number,
          a_number_is_the_same_however_often_it_is_read, two_numbers_are_two_sizes,
          the_sum_of_a_mask_is_what_it_selects, sums_of_made_up_sizes_are_followed,
          products_of_made_up_sizes_are_followed, a_half_is_the_same_when_it_is_computed_again,
          a_half_and_a_third_are_two_sizes, a_number_of_the_data_is_an_operand,
          a_flag_of_the_data_decides_in_the_run, a_number_of_the_data_is_no_dim,
          a_number_of_the_data_names_no_dim, one_lane_does_not_tell_what_the_data_decides,
          one_lane_tells_all_others, one_lane_follows_both_sides_of_a_branch)
