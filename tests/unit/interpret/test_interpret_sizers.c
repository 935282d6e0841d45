/*
 * Operators with outputs of data-dependent sizes.
 */
#include "effects_fixture.h"

/* ---- different elements ---------------------------------------------------------------------- */

UNIT_TEST(different_elements_are_as_many_as_their_counts)
{
    body_gives(arena,
               "%a, %i, %k = aten::_unique2(%x, %true, %true, %true)\n" EFFECTS_COMPARE("%a", "%k"),
               "%1[?], %2[?,3], %3[?] = aten::_unique2(x, True, True, True)\n"
               "%4[2,?] = aten::stack((%1, %3), 0)\n"
               "=> %4");
}

UNIT_TEST(the_inverse_has_the_sizes_of_what_was_given)
{
    body_gives(arena,
               "%a, %i, %k = aten::_unique2(%x, %true, %true, %true)\n"
               "%l:list = prim::ListConstruct(%i, %x)\n"
               "%s = aten::stack(%l, %0)\n"
               "-> %s\n",
               "%1[?], %2[?,3], %3[?] = aten::_unique2(x, True, True, True)\n"
               "%4[2,?,3] = aten::stack((%2, x), 0)\n"
               "=> %4");
}

UNIT_TEST(an_inverse_that_nobody_asks_for_is_empty)
{
    body_gives(arena,
               "%a, %i, %k = aten::_unique2(%x, %true, %false, %false)\n"
               "-> %a %i %k\n",
               "%1[?], %2[0], %3[0] = aten::_unique2(x, True, False, False)\n"
               "=> %1, %2, %3");
}

UNIT_TEST(without_an_order_they_are_not_told)
{
    body_gives(arena,
               "%a, %i, %k = aten::_unique2(%x, %false, %false, %false)\n"
               "-> %a\n",
               "%1 unknown, %2 unknown, %3 unknown = aten::_unique2(x, False, False, False) ! "
               "without sorted=True the order of its output is not defined\n"
               "=> %1");
}

UNIT_TEST(different_rows_keep_the_other_sizes)
{
    body_gives(arena,
               "%a, %i, %k = aten::unique_dim(%x, %0, %true, %true, %true)\n"
               "-> %a %i %k\n",
               "%1[?,3], %2[?], %3[?] = aten::unique_dim(x, 0, True, True, True)\n"
               "=> %1, %2, %3");
}

UNIT_TEST(different_columns_keep_the_other_sizes)
{
    body_gives(arena,
               "%a, %i, %k = aten::unique_dim(%x, %minus, %true, %true, %false)\n"
               "-> %a %i %k\n",
               "%1[?,?], %2[3], %3[0] = aten::unique_dim(x, -1, True, True, False)\n"
               "=> %1, %2, %3");
}

UNIT_TEST(there_are_no_different_parts_along_no_dim)
{
    body_gives(arena,
               "%a, %i, %k = aten::unique_dim(%x, %5, %true, %true, %false)\n"
               "-> %a\n",
               "aten::unique_dim raised in the root module (model.py:12): Dimension out of "
               "range (expected to be in range of [-2, 1], but got 5)");
}

UNIT_TEST(runs_of_elements_are_as_many_as_their_lengths)
{
    body_gives(arena,
               "%a, %i, %k = aten::unique_consecutive(%x, %true, %true, %none)\n" EFFECTS_COMPARE(
                   "%a", "%k"),
               "%1[?], %2[?,3], %3[?] = aten::unique_consecutive(x, True, True, None)\n"
               "%4[2,?] = aten::stack((%1, %3), 0)\n"
               "=> %4");
}

UNIT_TEST(runs_of_rows_keep_the_other_sizes)
{
    body_gives(arena,
               "%a, %i, %k = aten::unique_consecutive(%x, %false, %true, %0)\n"
               "-> %a %i %k\n",
               "%1[?,3], %2[0], %3[?] = aten::unique_consecutive(x, False, True, 0)\n"
               "=> %1, %2, %3");
}

UNIT_TEST(a_dim_that_the_data_decides_is_none)
{
    body_gives(arena,
               "%a, %i, %k = aten::unique_dim(%x, %n, %true, %true, %false)\n"
               "-> %a\n",
               "%1 unknown, %2 unknown, %3 unknown = aten::unique_dim(x, n, True, True, False) "
               "! a number that it needs depends on the data\n"
               "=> %1");
}

/* ---- counts and positions -------------------------------------------------------------------- */

UNIT_TEST(bins_are_as_many_as_the_data_says)
{
    body_gives(arena,
               "%a = aten::bincount(%x, %none, %0)\n"
               "-> %a\n",
               "%1[?] = aten::bincount(x, None, 0)\n"
               "=> %1");
}

UNIT_TEST(classes_are_as_many_as_the_data_says)
{
    body_gives(arena,
               "%a = aten::one_hot(%x, %minus)\n"
               "-> %a\n",
               "%1[?,3,?] = aten::one_hot(x, -1)\n"
               "=> %1");
}

UNIT_TEST(positions_have_a_number_for_each_dim)
{
    body_gives(arena,
               "%a = aten::argwhere(%x)\n"
               "-> %a\n",
               "%1[?,2] = aten::argwhere(x)\n"
               "=> %1");
}

UNIT_TEST(positions_come_as_one_row_for_each_dim)
{
    body_gives(arena,
               "%r:list = aten::where(%x)\n"
               "%a = aten::__getitem__(%r, %0)\n"
               "%b = aten::__getitem__(%r, %1)\n" EFFECTS_COMPARE("%a", "%b"),
               "(%1[?], %2[?]) = aten::where(x)\n"
               "%3[2,?] = aten::stack((%1, %2), 0)\n"
               "=> %3");
}

/* ---- repeats --------------------------------------------------------------------------------- */

UNIT_TEST(repeats_add_up)
{
    body_gives(arena,
               "%v = aten::select.int(%x, %1, %0)\n"
               "%a = aten::repeat_interleave.Tensor(%v, %none)\n"
               "%b = aten::repeat_interleave.Tensor(%v, %none)\n" EFFECTS_COMPARE("%a", "%b"),
               "%1[?] = aten::select.int(x, 1, 0)\n"
               "%2[?] = aten::repeat_interleave.Tensor(%1, None)\n"
               "%3[?] = aten::repeat_interleave.Tensor(%1, None)\n"
               "%4[2,?] = aten::stack((%2, %3), 0)\n"
               "=> %4");
}

UNIT_TEST(rows_are_repeated_as_often_as_repeats_add_up)
{
    body_gives(arena,
               "%v = aten::select.int(%x, %1, %0)\n"
               "%a = aten::repeat_interleave.self_Tensor(%y, %v, %0, %none)\n"
               "-> %a\n",
               "%1[?] = aten::select.int(x, 1, 0)\n"
               "%2[?,3] = aten::repeat_interleave.self_Tensor(y, %1, 0, None)\n"
               "=> %2");
}

UNIT_TEST(a_size_that_is_given_is_that_of_the_output)
{
    body_gives(arena,
               "%v = aten::select.int(%x, %1, %0)\n"
               "%a = aten::repeat_interleave.self_Tensor(%y, %v, %0, %5)\n"
               "-> %a\n",
               "%1[?] = aten::select.int(x, 1, 0)\n"
               "%2[5,3] = aten::repeat_interleave.self_Tensor(y, %1, 0, 5)\n"
               "=> %2");
}

UNIT_TEST(other_repeats_make_another_size)
{
    body_gives(arena,
               "%v = aten::select.int(%x, %1, %0)\n"
               "%w = aten::select.int(%x, %1, %1)\n"
               "%a = aten::repeat_interleave.Tensor(%v, %none)\n"
               "%b = aten::repeat_interleave.Tensor(%w, %none)\n" EFFECTS_COMPARE("%a", "%b"),
               "%1[?] = aten::select.int(x, 1, 0)\n"
               "%2[?] = aten::select.int(x, 1, 1)\n"
               "%3[?] = aten::repeat_interleave.Tensor(%1, None)\n"
               "%4[?] = aten::repeat_interleave.Tensor(%2, None)\n"
               "%5 unknown = aten::stack((%3, %4), 0) ! sizes that depend on the data do not "
               "fit: Sizes of tensors must match\n"
               "=> %5");
}

UNIT_TEST(repeats_that_are_known_tell_the_size)
{
    body_gives(arena,
               "%k = prim::Constant<tensor[3]>()\n"
               "%long:int = prim::Constant<4>()\n"
               "%t = aten::to.dtype(%k, %long, %false, %false, %none)\n"
               "%a = aten::repeat_interleave.self_Tensor(%y, %t, %1, %none)\n"
               "-> %a\n",
               "%1[3] = aten::to.dtype(data1[3], 4, False, False, None)\n"
               "%2[?,0] = aten::repeat_interleave.self_Tensor(y, %1, 1, None)\n"
               "=> %2");
}

UNIT_TEST(repeats_are_whole_numbers)
{
    body_gives(arena,
               "%k = prim::Constant<tensor[3]>()\n"
               "%a = aten::repeat_interleave.self_Tensor(%y, %k, %1, %none)\n"
               "-> %a\n",
               "aten::repeat_interleave.self_Tensor raised in the root module (model.py:13): "
               "repeats has to be Long or Int tensor");
}

/* Sizes chosen for lanes are not multiplied. */
UNIT_TEST(one_number_repeats_all_rows)
{
    body_gives(
        arena,
        "%v = aten::slice.Tensor(%x, %0, %0, %1, %1)\n"
        "%w = aten::select.int(%v, %1, %0)\n"
        "%a = aten::repeat_interleave.self_Tensor(%y, %w, %0, %none)\n"
        "%b = aten::repeat_interleave.self_Tensor(%y, %w, %0, %none)\n" EFFECTS_COMPARE("%a", "%b"),
        "%1[1,3] = aten::slice.Tensor(x, 0, 0, 1, 1)\n"
        "%2[1] = aten::select.int(%1, 1, 0)\n"
        "%3[?,3] = aten::repeat_interleave.self_Tensor(y, %2, 0, None)\n"
        "%4[?,3] = aten::repeat_interleave.self_Tensor(y, %2, 0, None)\n"
        "%5 unknown = aten::stack((%3, %4), 0) ! sizes that depend on the data do not "
        "fit: Sizes of tensors must match\n"
        "=> %5");
}

UNIT_TEST(the_most_of_a_dim_are_as_many_as_the_data_says)
{
    body_gives(arena,
               "%v, %i = aten::topk(%x, %n, %0, %true, %true)\n"
               "%s:int = aten::size.int(%v, %0)\n"
               "%l_a:list = prim::ListConstruct(%n)\n"
               "%z_a = aten::zeros(%l_a, %none, %none, %none, %none)\n"
               "%c2 = aten::select.int(%i, %1, %0)\n" EFFECTS_COMPARE("%z_a", "%c2"),
               "%1[?,3], %2[?,3] = aten::topk(x, n, 0, True, True)\n"
               "%3 int = aten::size.int(%1, 0)\n"
               "%4[?] = aten::zeros((n), None, None, None, None)\n"
               "%5[?] = aten::select.int(%2, 1, 0)\n"
               "%6[2,?] = aten::stack((%4, %5), 0)\n"
               "=> %6");
}

/* ---- padding --------------------------------------------------------------------------------- */

UNIT_TEST(widths_of_the_data_pad_by_as_much)
{
    body_gives(arena,
               "%how:str = prim::Constant<\"reflect\">()\n"
               "%w:list = prim::ListConstruct(%n, %n)\n"
               "%a = aten::pad(%x, %w, %how, %none)\n"
               "%k:int = aten::mul.int(%n, %2)\n"
               "%j:int = aten::add.int(%k, %3)\n"
               "%l:list = prim::ListConstruct(%j)\n"
               "%z = aten::zeros(%l, %none, %none, %none, %none)\n"
               "%r = aten::select.int(%a, %0, %0)\n" EFFECTS_COMPARE("%z", "%r"),
               "%1[?,?] = aten::pad(x, (n, n), \"reflect\", None)\n"
               "%2 int = aten::mul.int(n, 2)\n"
               "%3 int = aten::add.int(%2, 3)\n"
               "%4[?] = aten::zeros((%3), None, None, None, None)\n"
               "%5[?] = aten::select.int(%1, 0, 0)\n"
               "%6[2,?] = aten::stack((%4, %5), 0)\n"
               "=> %6");
}

UNIT_TEST(widths_that_are_too_large_are_told)
{
    body_gives(arena,
               "%how:str = prim::Constant<\"reflect\">()\n"
               "%w:list = prim::ListConstruct(%5, %5)\n"
               "%a = aten::pad(%x, %w, %how, %none)\n"
               "-> %a\n",
               "aten::pad raised in the root module (model.py:14): Padding size should be less "
               "than the input dimension");
}

UNIT_MAIN("interpret: sizers", different_elements_are_as_many_as_their_counts,
          the_inverse_has_the_sizes_of_what_was_given, an_inverse_that_nobody_asks_for_is_empty,
          without_an_order_they_are_not_told, different_rows_keep_the_other_sizes,
          different_columns_keep_the_other_sizes, there_are_no_different_parts_along_no_dim,
          runs_of_elements_are_as_many_as_their_lengths, runs_of_rows_keep_the_other_sizes,
          a_dim_that_the_data_decides_is_none, bins_are_as_many_as_the_data_says,
          classes_are_as_many_as_the_data_says, positions_have_a_number_for_each_dim,
          positions_come_as_one_row_for_each_dim, repeats_add_up,
          rows_are_repeated_as_often_as_repeats_add_up, a_size_that_is_given_is_that_of_the_output,
          other_repeats_make_another_size, repeats_that_are_known_tell_the_size,
          repeats_are_whole_numbers, one_number_repeats_all_rows,
          the_most_of_a_dim_are_as_many_as_the_data_says, widths_of_the_data_pad_by_as_much,
          widths_that_are_too_large_are_told)
