/*
 * Tensors that programs change in place, and values that see the changes: traces have no in-place
 * changes, except of the first operand of an operator whose result replaces it.
 */
#include "effects_fixture.h"

/* ---- names ----------------------------------------------------------------------------------- */

UNIT_TEST(a_read_behind_a_change_is_of_what_was_written)
{
    body_gives(arena,
               "%z = aten::add_.Tensor(%x, %y, %1)\n"
               "%r = aten::relu(%x)\n"
               "-> %r\n",
               "%1[?,3] = aten::add_.Tensor(x, y, 1)\n"
               "%2[?,3] = aten::relu(%1)\n"
               "=> %2");
}

UNIT_TEST(what_was_computed_before_a_change_stays)
{
    body_gives(arena,
               "%r = aten::relu(%x)\n"
               "%z = aten::add_.Tensor(%x, %y, %1)\n"
               "-> %r\n",
               "%1[?,3] = aten::relu(x)\n"
               "%2[?,3] = aten::add_.Tensor(x, y, 1)\n"
               "=> %1");
}

UNIT_TEST(the_result_of_a_change_is_the_tensor)
{
    body_gives(arena,
               "%z = aten::add_.Tensor(%x, %y, %1)\n"
               "%w = aten::relu_(%z)\n"
               "-> %x %z %w\n",
               "%1[?,3] = aten::add_.Tensor(x, y, 1)\n"
               "%2[?,3] = aten::relu_(%1)\n"
               "=> %2, %2, %2");
}

UNIT_TEST(what_is_added_is_read_before_it_is_changed)
{
    body_gives(arena,
               "%z = aten::add_.Tensor(%x, %x, %1)\n"
               "%w = aten::add_.Tensor(%y, %x, %1)\n"
               "-> %y\n",
               "%1[?,3] = aten::add_.Tensor(x, x, 1)\n"
               "%2[?,3] = aten::add_.Tensor(y, %1, 1)\n"
               "=> %2");
}

UNIT_TEST(a_copy_does_not_change_with_its_tensor)
{
    body_gives(arena,
               "%r = aten::clone(%x)\n"
               "%z = aten::relu_(%x)\n"
               "%w = aten::add_.Tensor(%r, %y, %1)\n"
               "-> %x %r\n",
               "%1[?,3] = aten::clone(x)\n"
               "%2[?,3] = aten::relu_(x)\n"
               "%3[?,3] = aten::add_.Tensor(%1, y, 1)\n"
               "=> %2, %3");
}

UNIT_TEST(a_called_function_changes_what_it_is_given)
{
    lanes_give(arena,
               "class Net n=1\n"
               "def Net.forward(%self:Net, %x)\n"
               "  %z = prim::CallFunction<change>(%self, %x)\n"
               "  -> %x\n"
               "def change(%x)\n"
               "  %y = aten::relu_(%x)\n"
               "  %z = aten::neg(%x)\n"
               "  -> %z\n",
               "[?]", 4,
               "%1[?] = aten::relu_(x)\n"
               "%2[?] = aten::neg(%1)\n"
               "=> %1");
}

/* ---- views ----------------------------------------------------------------------------------- */

UNIT_TEST(a_view_sees_a_change_of_its_tensor)
{
    body_gives(arena,
               "%v = aten::select.int(%x, %1, %0)\n"
               "%z = aten::add_.Tensor(%x, %y, %1)\n"
               "%r = aten::relu(%v)\n"
               "-> %r\n",
               "%1[?] = aten::select.int(x, 1, 0)\n"
               "%2[?,3] = aten::add_.Tensor(x, y, 1)\n"
               "%3[?] = aten::select.int(%2, 1, 0)\n"
               "%4[?] = aten::relu(%3)\n"
               "=> %4");
}

UNIT_TEST(a_tensor_sees_a_change_through_a_selected_row)
{
    body_gives(arena,
               "%v = aten::select.int(%x, %1, %2)\n"
               "%z = aten::relu_(%v)\n"
               "-> %x %v\n",
               "%1[?] = aten::select.int(x, 1, 2)\n"
               "%2[?] = aten::relu_(%1)\n"
               "%3[?,3] = aten::select_scatter(x, %2, 1, 2)\n"
               "%4[?] = aten::select.int(%3, 1, 2)\n"
               "=> %3, %4");
}

UNIT_TEST(a_tensor_sees_a_change_through_a_slice)
{
    body_gives(arena,
               "%v = aten::slice.Tensor(%x, %1, %1, %3, %1)\n"
               "%z = aten::relu_(%v)\n"
               "-> %x\n",
               "%1[?,2] = aten::slice.Tensor(x, 1, 1, 3, 1)\n"
               "%2[?,2] = aten::relu_(%1)\n"
               "%3[?,3] = aten::slice_scatter(x, %2, 1, 1, 3, 1)\n"
               "=> %3");
}

UNIT_TEST(a_tensor_sees_a_change_through_a_transposition)
{
    body_gives(arena,
               "%v = aten::transpose.int(%x, %0, %1)\n"
               "%z = aten::relu_(%v)\n"
               "-> %x\n",
               "%1[3,?] = aten::transpose.int(x, 0, 1)\n"
               "%2[3,?] = aten::relu_(%1)\n"
               "%3[?,3] = aten::transpose.int(%2, 0, 1)\n"
               "=> %3");
}

UNIT_TEST(a_tensor_sees_a_change_through_t)
{
    body_gives(arena,
               "%v = aten::t(%x)\n"
               "%z = aten::relu_(%v)\n"
               "-> %x\n",
               "%1[3,?] = aten::t(x)\n"
               "%2[3,?] = aten::relu_(%1)\n"
               "%3[?,3] = aten::t(%2)\n"
               "=> %3");
}

/* Dims 1, 2, 0 become 0, 1, 2 again by 2, 0, 1. */
UNIT_TEST(a_tensor_sees_a_change_through_a_permutation)
{
    tensor_gives(arena, "class Net n=1\n",
                 "  %dims:list = prim::ListConstruct(%1, %2, %0)\n"
                 "  %v = aten::permute(%x, %dims)\n"
                 "  %z = aten::relu_(%v)\n"
                 "  -> %x\n",
                 "[2,?,3]",
                 "%1[?,3,2] = aten::permute(x, (1, 2, 0))\n"
                 "%2[?,3,2] = aten::relu_(%1)\n"
                 "%3[2,?,3] = aten::permute(%2, (2, 0, 1))\n"
                 "=> %3");
}

UNIT_TEST(a_tensor_sees_a_change_through_another_shape)
{
    body_gives(arena,
               "%m:int = prim::Constant<-1>()\n"
               "%s:list = prim::ListConstruct(%m)\n"
               "%v = aten::view(%x, %s)\n"
               "%z = aten::relu_(%v)\n"
               "-> %x\n",
               "%1[?] = aten::view(x, (-1))\n"
               "%2[?] = aten::relu_(%1)\n"
               "%3[?,3] = aten::reshape_as(%2, x)\n"
               "=> %3");
}

UNIT_TEST(a_tensor_sees_a_change_through_another_dim)
{
    body_gives(arena,
               "%v = aten::unsqueeze(%x, %0)\n"
               "%z = aten::relu_(%v)\n"
               "-> %x\n",
               "%1[1,?,3] = aten::unsqueeze(x, 0)\n"
               "%2[1,?,3] = aten::relu_(%1)\n"
               "%3[?,3] = aten::reshape_as(%2, x)\n"
               "=> %3");
}

/* No operator inverts movedim(); the same view of positions shows where elements go. */
UNIT_TEST(a_tensor_sees_a_change_through_any_view_by_positions)
{
    body_gives(arena,
               "%v = aten::movedim.int(%x, %0, %1)\n"
               "%z = aten::relu_(%v)\n"
               "-> %x\n",
               "%1[3,?] = aten::movedim.int(x, 0, 1)\n"
               "%2[3,?] = aten::relu_(%1)\n"
               "%3 int = aten::numel(x)\n"
               "%4[?] = aten::arange(%3, 4, None, None, None)\n"
               "%5[?,3] = aten::reshape_as(%4, x)\n"
               "%6[3,?] = aten::movedim.int(%5, 0, 1)\n"
               "%7[?] = aten::reshape(x, (-1))\n"
               "%8[?] = aten::reshape(%6, (-1))\n"
               "%9[?] = aten::reshape(%2, (-1))\n"
               "%10[?] = aten::scatter.src(%7, 0, %8, %9)\n"
               "%11[?,3] = aten::reshape_as(%10, x)\n"
               "=> %11");
}

UNIT_TEST(a_tensor_sees_a_change_through_a_part_of_a_list)
{
    body_gives(arena,
               "%p:list = aten::tensor_split.sections(%x, %3, %1)\n"
               "%a = aten::__getitem__(%p, %1)\n"
               "%z = aten::relu_(%a)\n"
               "-> %x\n",
               "(%1[?,1], %2[?,1], %3[?,1]) = aten::tensor_split.sections(x, 3, 1)\n"
               "%4[?,1] = aten::relu_(%2)\n"
               "%5 int = aten::numel(x)\n"
               "%6[?] = aten::arange(%5, 4, None, None, None)\n"
               "%7[?,3] = aten::reshape_as(%6, x)\n"
               "(%8[?,1], %9[?,1], %10[?,1]) = aten::tensor_split.sections(%7, 3, 1)\n"
               "%11[?] = aten::reshape(x, (-1))\n"
               "%12[?] = aten::reshape(%9, (-1))\n"
               "%13[?] = aten::reshape(%4, (-1))\n"
               "%14[?] = aten::scatter.src(%11, 0, %12, %13)\n"
               "%15[?,3] = aten::reshape_as(%14, x)\n"
               "=> %15");
}

UNIT_TEST(a_part_of_a_list_sees_a_change_of_its_tensor)
{
    body_gives(arena,
               "%p:list = aten::tensor_split.sections(%x, %3, %1)\n"
               "%a = aten::__getitem__(%p, %1)\n"
               "%z = aten::relu_(%x)\n"
               "%r = aten::neg(%a)\n"
               "-> %r\n",
               "(%1[?,1], %2[?,1], %3[?,1]) = aten::tensor_split.sections(x, 3, 1)\n"
               "%4[?,3] = aten::relu_(x)\n"
               "(%5[?,1], %6[?,1], %7[?,1]) = aten::tensor_split.sections(%4, 3, 1)\n"
               "%8[?,1] = aten::neg(%6)\n"
               "=> %8");
}

UNIT_TEST(a_view_that_is_all_of_its_tensor_is_the_tensor)
{
    body_gives(arena,
               "%v = aten::detach(%x)\n"
               "%z = aten::relu_(%v)\n"
               "%w = aten::add_.Tensor(%x, %y, %1)\n"
               "-> %v\n",
               "%1[?,3] = aten::detach(x)\n"
               "%2[?,3] = aten::relu_(%1)\n"
               "%3[?,3] = aten::add_.Tensor(%2, y, 1)\n"
               "=> %3");
}

UNIT_TEST(a_view_of_a_view_is_written_through_both)
{
    body_gives(arena,
               "%v = aten::slice.Tensor(%x, %1, %1, %3, %1)\n"
               "%w = aten::select.int(%v, %1, %0)\n"
               "%z = aten::relu_(%w)\n"
               "-> %x\n",
               "%1[?,2] = aten::slice.Tensor(x, 1, 1, 3, 1)\n"
               "%2[?] = aten::select.int(%1, 1, 0)\n"
               "%3[?] = aten::relu_(%2)\n"
               "%4[?,2] = aten::select_scatter(%1, %3, 1, 0)\n"
               "%5[?,3] = aten::slice_scatter(x, %4, 1, 1, 3, 1)\n"
               "=> %5");
}

UNIT_TEST(the_view_between_sees_the_change_through_its_own)
{
    body_gives(arena,
               "%v = aten::slice.Tensor(%x, %1, %1, %3, %1)\n"
               "%w = aten::select.int(%v, %1, %0)\n"
               "%z = aten::relu_(%w)\n"
               "%r = aten::neg(%v)\n"
               "-> %r\n",
               "%1[?,2] = aten::slice.Tensor(x, 1, 1, 3, 1)\n"
               "%2[?] = aten::select.int(%1, 1, 0)\n"
               "%3[?] = aten::relu_(%2)\n"
               "%4[?,2] = aten::select_scatter(%1, %3, 1, 0)\n"
               "%5[?,3] = aten::slice_scatter(x, %4, 1, 1, 3, 1)\n"
               "%6[?,2] = aten::slice.Tensor(%5, 1, 1, 3, 1)\n"
               "%7[?,2] = aten::neg(%6)\n"
               "=> %7");
}

UNIT_TEST(a_view_sees_a_change_through_its_sibling)
{
    body_gives(arena,
               "%v = aten::slice.Tensor(%x, %1, %0, %2, %1)\n"
               "%w = aten::slice.Tensor(%x, %1, %1, %3, %1)\n"
               "%z = aten::relu_(%v)\n"
               "%r = aten::neg(%w)\n"
               "-> %r\n",
               "%1[?,2] = aten::slice.Tensor(x, 1, 0, 2, 1)\n"
               "%2[?,2] = aten::slice.Tensor(x, 1, 1, 3, 1)\n"
               "%3[?,2] = aten::relu_(%1)\n"
               "%4[?,3] = aten::slice_scatter(x, %3, 1, 0, 2, 1)\n"
               "%5[?,2] = aten::slice.Tensor(%4, 1, 1, 3, 1)\n"
               "%6[?,2] = aten::neg(%5)\n"
               "=> %6");
}

UNIT_TEST(a_view_of_a_view_sees_a_change_of_all)
{
    body_gives(arena,
               "%v = aten::slice.Tensor(%x, %1, %1, %3, %1)\n"
               "%w = aten::select.int(%v, %1, %0)\n"
               "%z = aten::relu_(%x)\n"
               "-> %w\n",
               "%1[?,2] = aten::slice.Tensor(x, 1, 1, 3, 1)\n"
               "%2[?] = aten::select.int(%1, 1, 0)\n"
               "%3[?,3] = aten::relu_(x)\n"
               "%4[?,2] = aten::slice.Tensor(%3, 1, 1, 3, 1)\n"
               "%5[?] = aten::select.int(%4, 1, 0)\n"
               "=> %5");
}

UNIT_TEST(a_view_is_read_anew_once_for_each_change)
{
    body_gives(arena,
               "%v = aten::select.int(%x, %1, %0)\n"
               "%z = aten::relu_(%x)\n"
               "%r = aten::neg(%v)\n"
               "%s = aten::relu(%v)\n"
               "%w = aten::add_.Tensor(%x, %y, %1)\n"
               "-> %v %r %s\n",
               "%1[?] = aten::select.int(x, 1, 0)\n"
               "%2[?,3] = aten::relu_(x)\n"
               "%3[?] = aten::select.int(%2, 1, 0)\n"
               "%4[?] = aten::neg(%3)\n"
               "%5[?] = aten::relu(%3)\n"
               "%6[?,3] = aten::add_.Tensor(%2, y, 1)\n"
               "%7[?] = aten::select.int(%6, 1, 0)\n"
               "=> %7, %4, %5");
}

UNIT_TEST(the_result_of_a_change_through_a_view_is_what_was_written)
{
    body_gives(arena,
               "%v = aten::select.int(%x, %1, %0)\n"
               "%z = aten::relu_(%v)\n"
               "%r = aten::neg(%z)\n"
               "-> %r\n",
               "%1[?] = aten::select.int(x, 1, 0)\n"
               "%2[?] = aten::relu_(%1)\n"
               "%3[?,3] = aten::select_scatter(x, %2, 1, 0)\n"
               "%4[?] = aten::neg(%2)\n"
               "=> %4");
}

UNIT_TEST(a_change_of_another_tensor_is_none_of_a_view)
{
    body_gives(arena,
               "%v = aten::select.int(%x, %1, %0)\n"
               "%z = aten::relu_(%y)\n"
               "-> %v\n",
               "%1[?] = aten::select.int(x, 1, 0)\n"
               "%2[?,3] = aten::relu_(y)\n"
               "=> %1");
}

/* The addend is another row of the same tensor. */
UNIT_TEST(one_part_is_changed_by_another)
{
    body_gives(arena,
               "%v = aten::select.int(%x, %1, %0)\n"
               "%w = aten::select.int(%x, %1, %1)\n"
               "%z = aten::add_.Tensor(%v, %w, %1)\n"
               "%u = aten::add_.Tensor(%w, %v, %1)\n"
               "-> %x\n",
               "%1[?] = aten::select.int(x, 1, 0)\n"
               "%2[?] = aten::select.int(x, 1, 1)\n"
               "%3[?] = aten::add_.Tensor(%1, %2, 1)\n"
               "%4[?,3] = aten::select_scatter(x, %3, 1, 0)\n"
               "%5[?] = aten::select.int(%4, 1, 1)\n"
               "%6[?] = aten::select.int(%4, 1, 0)\n"
               "%7[?] = aten::add_.Tensor(%5, %6, 1)\n"
               "%8[?,3] = aten::select_scatter(%4, %7, 1, 1)\n"
               "=> %8");
}

UNIT_TEST(what_a_view_is_made_of_later_is_what_was_written)
{
    body_gives(arena,
               "%z = aten::relu_(%x)\n"
               "%v = aten::select.int(%x, %1, %0)\n"
               "%w = aten::neg(%v)\n"
               "%u = aten::relu_(%v)\n"
               "-> %x\n",
               "%1[?,3] = aten::relu_(x)\n"
               "%2[?] = aten::select.int(%1, 1, 0)\n"
               "%3[?] = aten::neg(%2)\n"
               "%4[?] = aten::relu_(%2)\n"
               "%5[?,3] = aten::select_scatter(%1, %4, 1, 0)\n"
               "=> %5");
}

UNIT_MAIN("interpret: memory", a_read_behind_a_change_is_of_what_was_written,
          what_was_computed_before_a_change_stays, the_result_of_a_change_is_the_tensor,
          what_is_added_is_read_before_it_is_changed, a_copy_does_not_change_with_its_tensor,
          a_called_function_changes_what_it_is_given, a_view_sees_a_change_of_its_tensor,
          a_tensor_sees_a_change_through_a_selected_row, a_tensor_sees_a_change_through_a_slice,
          a_tensor_sees_a_change_through_a_transposition, a_tensor_sees_a_change_through_t,
          a_tensor_sees_a_change_through_a_permutation,
          a_tensor_sees_a_change_through_another_shape, a_tensor_sees_a_change_through_another_dim,
          a_tensor_sees_a_change_through_any_view_by_positions,
          a_tensor_sees_a_change_through_a_part_of_a_list,
          a_part_of_a_list_sees_a_change_of_its_tensor,
          a_view_that_is_all_of_its_tensor_is_the_tensor, a_view_of_a_view_is_written_through_both,
          the_view_between_sees_the_change_through_its_own,
          a_view_sees_a_change_through_its_sibling, a_view_of_a_view_sees_a_change_of_all,
          a_view_is_read_anew_once_for_each_change,
          the_result_of_a_change_through_a_view_is_what_was_written,
          a_change_of_another_tensor_is_none_of_a_view, one_part_is_changed_by_another,
          what_a_view_is_made_of_later_is_what_was_written)
