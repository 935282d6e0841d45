/*
 * Side effects of loop bodies, and shared memory.
 */
#include "named_trace.h"

UNIT_TEST(a_tensor_of_outside_that_is_changed_in_place_is_carried)
{
    gives(arena,
          "%a = aten::clone(%x)\n"
          "prim::Loop(%n, %true) { (%i:int) %u = aten::relu_(%a) -> %true }\n"
          "%z = aten::neg(%a)\n"
          "-> %z\n",
          "%1[?,3] = aten::clone(x)\n"
          "%2[?,3] = prim::Loop(n, True, %1) { (%3 int, %4[?,3]) %5[?,3] = aten::relu_(%4); "
          "-> True, %5 }\n"
          "%6[?,3] = aten::neg(%2)\n"
          "=> %6");
}

UNIT_TEST(an_argument_that_is_changed_in_place_is_carried)
{
    gives(arena,
          "prim::Loop(%n, %true) { (%i:int) %u = aten::add_.Tensor(%x, %y, %1) -> %true }\n"
          "%z = aten::neg(%x)\n"
          "-> %z\n",
          "%1[?,3] = prim::Loop(n, True, x) { (%2 int, %3[?,3]) "
          "%4[?,3] = aten::add_.Tensor(%3, y, 1); -> True, %4 }\n"
          "%5[?,3] = aten::neg(%1)\n"
          "=> %5");
}

UNIT_TEST(a_view_that_is_changed_changes_what_it_looks_at)
{
    gives(arena,
          "%a = aten::clone(%x)\n"
          "prim::Loop(%n, %true) { (%i:int)\n"
          "  %w = aten::select.int(%a, %0, %i)\n"
          "  %u = aten::relu_(%w)\n"
          "  -> %true }\n"
          "%z = aten::neg(%a)\n"
          "-> %z\n",
          "%1[?,3] = aten::clone(x)\n"
          "%2[?,3] = prim::Loop(n, True, %1) { (%3 int, %4[?,3]) "
          "%5[3] = aten::select.int(%4, 0, %3); %6[3] = aten::relu_(%5); "
          "%7[?,3] = aten::select_scatter(%4, %6, 0, %3); -> True, %7 }\n"
          "%8[?,3] = aten::neg(%2)\n"
          "=> %8");
}

UNIT_TEST(rows_are_copied_one_by_one)
{
    gives(arena,
          "prim::Loop(%n, %true) { (%i:int)\n"
          "  %s = aten::select.int(%x, %0, %i)\n"
          "  %t = aten::select.int(%y, %0, %i)\n"
          "  %u = aten::copy_(%s, %t, %false)\n"
          "  -> %true }\n"
          "-> %x\n",
          "%1[?,3] = prim::Loop(n, True, x) { (%2 int, %3[?,3]) "
          "%4[3] = aten::select.int(%3, 0, %2); %5[3] = aten::select.int(y, 0, %2); "
          "%6[3] = aten::copy_(%4, %5, False); %7[?,3] = aten::select_scatter(%3, %6, 0, %2); "
          "-> True, %7 }\n"
          "=> %1");
}

UNIT_TEST(a_view_of_outside_is_looked_at_anew_behind_the_loop)
{
    gives(arena,
          "%a = aten::clone(%x)\n"
          "%v = aten::select.int(%a, %1, %0)\n"
          "prim::Loop(%n, %true) { (%i:int) %u = aten::relu_(%a) -> %true }\n"
          "%z = aten::neg(%v)\n"
          "-> %z\n",
          "%1[?,3] = aten::clone(x)\n"
          "%2[?] = aten::select.int(%1, 1, 0)\n"
          "%3[?,3] = prim::Loop(n, True, %1) { (%4 int, %5[?,3]) %6[?,3] = aten::relu_(%5); "
          "-> True, %6 }\n"
          "%7[?] = aten::select.int(%3, 1, 0)\n"
          "%8[?] = aten::neg(%7)\n"
          "=> %8");
}

UNIT_TEST(a_view_of_outside_is_looked_at_anew_in_each_iteration)
{
    gives(arena,
          "%a = aten::clone(%x)\n"
          "%v = aten::select.int(%a, %1, %0)\n"
          "%r:int = prim::Loop(%n, %true, %0) { (%i:int, %k:int)\n"
          "  %u = aten::relu_(%a)\n"
          "  %s = aten::sum(%v, %none)\n"
          "  %b:int = aten::Int.Tensor(%s)\n"
          "  -> %true, %b }\n"
          "%z = aten::add.Scalar(%y, %r, %1)\n"
          "-> %z\n",
          "%1[?,3] = aten::clone(x)\n"
          "%2[?] = aten::select.int(%1, 1, 0)\n"
          "%3 int, %4[?,3] = prim::Loop(n, True, 0, %1) { (%5 int, %6 int, %7[?,3]) "
          "%8[?,3] = aten::relu_(%7); %9[?] = aten::select.int(%8, 1, 0); "
          "%10[] = aten::sum(%9, None); %11 int = aten::Int.Tensor(%10); -> True, %11, %8 }\n"
          "%12[?,3] = aten::add.Scalar(y, %3, 1)\n"
          "=> %12");
}

UNIT_TEST(two_memories_are_carried_in_the_order_in_which_they_were_made)
{
    gives(arena,
          "%a = aten::clone(%x)\n"
          "%b = aten::clone(%y)\n"
          "prim::Loop(%n, %true) { (%i:int)\n"
          "  %u = aten::add_.Tensor(%b, %a, %1)\n"
          "  %v = aten::add_.Tensor(%a, %b, %1)\n"
          "  -> %true }\n"
          "-> %a, %b\n",
          "%1[?,3] = aten::clone(x)\n"
          "%2[?,3] = aten::clone(y)\n"
          "%3[?,3], %4[?,3] = prim::Loop(n, True, %1, %2) { (%5 int, %6[?,3], %7[?,3]) "
          "%8[?,3] = aten::add_.Tensor(%7, %6, 1); %9[?,3] = aten::add_.Tensor(%6, %8, 1); "
          "-> True, %9, %8 }\n"
          "=> %3, %4");
}

UNIT_TEST(what_is_carried_comes_before_memories)
{
    gives(arena,
          "%a = aten::clone(%x)\n"
          "%k:int = prim::Loop(%n, %true, %0) { (%i:int, %j:int)\n"
          "  %u = aten::relu_(%a)\n"
          "  %j2:int = aten::add.int(%j, %2)\n"
          "  -> %true, %j2 }\n"
          "%z = aten::add.Scalar(%a, %k, %1)\n"
          "-> %z\n",
          "%1[?,3] = aten::clone(x)\n"
          "%2 int, %3[?,3] = prim::Loop(n, True, 0, %1) { (%4 int, %5 int, %6[?,3]) "
          "%7[?,3] = aten::relu_(%6); %8 int = aten::add.int(%5, 2); -> True, %8, %7 }\n"
          "%9[?,3] = aten::add.Scalar(%3, %2, 1)\n"
          "=> %9");
}

UNIT_TEST(a_tensor_that_is_carried_and_changed_in_place_is_both_names_behind_the_loop)
{
    gives(arena,
          "%a = aten::clone(%x)\n"
          "%r = prim::Loop(%n, %true, %a) { (%i:int, %q) %u = aten::relu_(%q) -> %true, %q }\n"
          "%z = aten::neg(%a)\n"
          "%w = aten::add.Tensor(%z, %r, %1)\n"
          "-> %w\n",
          "%1[?,3] = aten::clone(x)\n"
          "%2[?,3] = prim::Loop(n, True, %1) { (%3 int, %4[?,3]) %5[?,3] = aten::relu_(%4); "
          "-> True, %5 }\n"
          "%6[?,3] = aten::neg(%2)\n"
          "%7[?,3] = aten::add.Tensor(%6, %2, 1)\n"
          "=> %7");
}

UNIT_TEST(a_tensor_that_is_changed_in_place_and_then_replaced_is_the_loop_s_own)
{
    gives(arena,
          "%a = aten::clone(%x)\n"
          "%r = prim::Loop(%n, %true, %a) { (%i:int, %q)\n"
          "  %u = aten::relu_(%q)\n"
          "  %v = aten::neg(%u)\n"
          "  -> %true, %v }\n"
          "%z = aten::neg(%r)\n"
          "-> %z\n",
          "%1[?,3] = aten::clone(x)\n"
          "%2[?,3] = prim::Loop(n, True, %1) { (%3 int, %4[?,3]) %5[?,3] = aten::relu_(%4); "
          "%6[?,3] = aten::neg(%5); -> True, %6 }\n"
          "%7[?,3] = aten::neg(%2)\n"
          "=> %7");
}

UNIT_TEST(what_it_was_before_the_loop_is_unknown_then)
{
    gives(arena,
          "%a = aten::clone(%x)\n"
          "%r = prim::Loop(%n, %true, %a) { (%i:int, %q)\n"
          "  %u = aten::relu_(%q)\n"
          "  %v = aten::neg(%u)\n"
          "  -> %true, %v }\n"
          "%z = aten::neg(%a)\n"
          "-> %z\n",
          "%1[?,3] = aten::clone(x)\n"
          "%2[?,3] = prim::Loop(n, True, %1) { (%3 int, %4[?,3]) %5[?,3] = aten::relu_(%4); "
          "%6[?,3] = aten::neg(%5); -> True, %6 }\n"
          "%7 unknown = prim::Loop() ! the tensor that it changes is read under another name, "
          "which shares its memory only on one side of a branch, in some iterations of a loop, "
          "or for some sizes\n"
          "%8 unknown = aten::neg(%7)\n"
          "=> %8");
}

UNIT_TEST(what_a_loop_gives_is_changed_as_itself)
{
    gives(arena,
          "%a = aten::clone(%x)\n"
          "%r = prim::Loop(%n, %true, %a) { (%i:int, %q) %v = aten::neg(%q) -> %true, %v }\n"
          "%u = aten::relu_(%r)\n"
          "%z = aten::neg(%r)\n"
          "-> %z\n",
          "%1[?,3] = aten::clone(x)\n"
          "%2[?,3] = prim::Loop(n, True, %1) { (%3 int, %4[?,3]) %5[?,3] = aten::neg(%4); "
          "-> True, %5 }\n"
          "%6[?,3] = aten::relu_(%2)\n"
          "%7[?,3] = aten::neg(%6)\n"
          "=> %7");
}

UNIT_TEST(what_a_loop_may_not_have_run_on_is_unknown_once_its_result_is_changed)
{
    gives(arena,
          "%a = aten::clone(%x)\n"
          "%r = prim::Loop(%n, %true, %a) { (%i:int, %q) %v = aten::neg(%q) -> %true, %v }\n"
          "%u = aten::relu_(%r)\n"
          "%z = aten::neg(%a)\n"
          "-> %z\n",
          "%1[?,3] = aten::clone(x)\n"
          "%2[?,3] = prim::Loop(n, True, %1) { (%3 int, %4[?,3]) %5[?,3] = aten::neg(%4); -> "
          "True, %5 }\n"
          "%6[?,3] = aten::relu_(%2)\n"
          "%7 unknown = aten::relu_() ! the tensor that it changes is read under another name, "
          "which shares its memory only on one side of a branch, in some iterations of a loop, "
          "or for some sizes\n"
          "%8 unknown = aten::neg(%7)\n"
          "=> %8");
}

UNIT_TEST(what_an_iteration_may_give_of_outside_is_unknown_once_that_is_changed)
{
    gives(arena,
          "%a = aten::clone(%x)\n"
          "%b = aten::clone(%y)\n"
          "%r = prim::Loop(%n, %true, %a) { (%i:int, %q) -> %true, %b }\n"
          "%u = aten::relu_(%b)\n"
          "%z = aten::neg(%r)\n"
          "-> %z\n",
          "%1[?,3] = aten::clone(x)\n"
          "%2[?,3] = aten::clone(y)\n"
          "%3[?,3] = prim::Loop(n, True, %1) { (%4 int, %5[?,3]) -> True, %2 }\n"
          "%6[?,3] = aten::relu_(%2)\n"
          "%7 unknown = aten::relu_() ! the tensor that it changes is read under another name, "
          "which shares its memory only on one side of a branch, in some iterations of a loop, "
          "or for some sizes\n"
          "%8 unknown = aten::neg(%7)\n"
          "=> %8");
}

UNIT_TEST(two_results_that_may_be_one_are_unknown_once_the_other_is_changed)
{
    gives(arena,
          "%a = aten::clone(%x)\n"
          "%b = aten::clone(%y)\n"
          "%r, %s = prim::Loop(%n, %true, %a, %b) { (%i:int, %p, %q)\n"
          "  %t = aten::neg(%p)\n"
          "  -> %true, %t, %t }\n"
          "%u = aten::relu_(%r)\n"
          "%z = aten::neg(%s)\n"
          "-> %z\n",
          "%1[?,3] = aten::clone(x)\n"
          "%2[?,3] = aten::clone(y)\n"
          "%3[?,3], %4[?,3] = prim::Loop(n, True, %1, %2) { (%5 int, %6[?,3], %7[?,3]) %8[?,3] = "
          "aten::neg(%6); -> True, %8, %8 }\n"
          "%9[?,3] = aten::relu_(%3)\n"
          "%10 unknown = aten::relu_() ! the tensor that it changes is read under another name, "
          "which shares its memory only on one side of a branch, in some iterations of a loop, "
          "or for some sizes\n"
          "%11 unknown = aten::neg(%10)\n"
          "=> %11");
}

UNIT_TEST(two_results_that_cannot_be_one_stay_known)
{
    gives(arena,
          "%a = aten::clone(%x)\n"
          "%b = aten::clone(%y)\n"
          "%r, %s = prim::Loop(%n, %true, %a, %b) { (%i:int, %p, %q)\n"
          "  %t = aten::neg(%p)\n"
          "  %v = aten::relu(%q)\n"
          "  -> %true, %t, %v }\n"
          "%u = aten::relu_(%r)\n"
          "%z = aten::neg(%s)\n"
          "-> %z\n",
          "%1[?,3] = aten::clone(x)\n"
          "%2[?,3] = aten::clone(y)\n"
          "%3[?,3], %4[?,3] = prim::Loop(n, True, %1, %2) { (%5 int, %6[?,3], %7[?,3]) "
          "%8[?,3] = aten::neg(%6); %9[?,3] = aten::relu(%7); -> True, %8, %9 }\n"
          "%10[?,3] = aten::relu_(%3)\n"
          "%11[?,3] = aten::neg(%4)\n"
          "=> %11");
}

UNIT_TEST(a_tensor_that_was_appended_may_not_be_changed_in_place)
{
    gives(arena,
          "%l:list = prim::ListConstruct()\n"
          "%a = aten::clone(%x)\n"
          "prim::Loop(%n, %true) { (%i:int)\n"
          "  %u = aten::relu_(%a)\n"
          "  %k:list = aten::append(%l, %a)\n"
          "  -> %true }\n"
          "%z = aten::stack(%l, %0)\n"
          "-> %z\n",
          "a tensor is changed in place that a list holds whose length depends on the data, in "
          "the root module");
}

UNIT_TEST(a_copy_of_it_may_be_appended)
{
    gives(arena,
          "%l:list = prim::ListConstruct()\n"
          "%a = aten::clone(%x)\n"
          "prim::Loop(%n, %true) { (%i:int)\n"
          "  %u = aten::relu_(%a)\n"
          "  %b = aten::clone(%a)\n"
          "  %k:list = aten::append(%l, %b)\n"
          "  -> %true }\n"
          "%z = aten::stack(%l, %0)\n"
          "-> %z\n",
          "%1[?,3] = aten::clone(x)\n"
          "%2[?,3], %3[?,?,3] = prim::Loop(n, True, %1) { (%4 int, %5[?,3]) "
          "%6[?,3] = aten::relu_(%5); %7[?,3] = aten::clone(%6); -> True, %6, %7 }\n"
          "%8[?,?,3] = aten::movedim.int(%3, 0, 0)\n"
          "=> %8");
}

UNIT_TEST(what_an_earlier_iteration_appended_may_not_be_changed_in_place)
{
    gives(arena,
          "%l:list = prim::ListConstruct()\n"
          "%a = aten::clone(%x)\n"
          "%r = prim::Loop(%n, %true, %a) { (%i:int, %q)\n"
          "  %u = aten::relu_(%q)\n"
          "  %v = aten::neg(%u)\n"
          "  %k:list = aten::append(%l, %v)\n"
          "  -> %true, %v }\n"
          "%z = aten::stack(%l, %0)\n"
          "-> %z\n",
          "a tensor is changed in place that a list holds whose length depends on the data, in "
          "the root module");
}

UNIT_TEST(what_a_stack_holds_may_not_be_changed_behind_its_loop)
{
    gives(arena,
          "%l:list = prim::ListConstruct()\n"
          "%a = aten::clone(%x)\n"
          "prim::Loop(%n, %true) { (%i:int)\n"
          "  %v = aten::select.int(%a, %0, %i)\n"
          "  %k:list = aten::append(%l, %v)\n"
          "  -> %true }\n"
          "%u = aten::relu_(%a)\n"
          "%z = aten::stack(%l, %0)\n"
          "-> %z\n",
          "a tensor is changed in place that a list holds whose length depends on the data, in "
          "the root module");
}

UNIT_TEST(memory_that_a_loop_within_changes_is_carried_by_both)
{
    gives(arena,
          "%a = aten::clone(%x)\n"
          "prim::Loop(%n, %true) { (%i:int)\n"
          "  %u = aten::relu_(%a)\n"
          "  prim::Loop(%i, %true) { (%j:int) %v = aten::add_.Tensor(%a, %y, %1) -> %true }\n"
          "  -> %true }\n"
          "%z = aten::neg(%a)\n"
          "-> %z\n",
          "%1[?,3] = aten::clone(x)\n"
          "%2[?,3] = prim::Loop(n, True, %1) { (%3 int, %4[?,3]) %5[?,3] = aten::relu_(%4); "
          "%6[?,3] = prim::Loop(%3, True, %5) { (%7 int, %8[?,3]) "
          "%9[?,3] = aten::add_.Tensor(%8, y, 1); -> True, %9 }; -> True, %6 }\n"
          "%10[?,3] = aten::neg(%2)\n"
          "=> %10");
}

UNIT_TEST(memory_that_a_loop_in_a_branch_changes_is_an_output_of_both)
{
    gives(arena,
          "%a = aten::clone(%x)\n"
          "prim::If(%c) {\n"
          "  prim::Loop(%n, %true) { (%i:int) %u = aten::relu_(%a) -> %true }\n"
          "  -> } { -> }\n"
          "%z = aten::neg(%a)\n"
          "-> %z\n",
          "%1[?,3] = aten::clone(x)\n"
          "%2[?,3] = prim::If(c) { %3[?,3] = prim::Loop(n, True, %1) { "
          "(%4 int, %5[?,3]) %6[?,3] = aten::relu_(%5); -> True, %6 }; -> %3 } { -> %1 }\n"
          "%7[?,3] = aten::neg(%2)\n"
          "=> %7");
}

UNIT_TEST(memory_that_a_side_in_a_loop_changes_is_carried)
{
    gives(arena,
          "%a = aten::clone(%x)\n"
          "prim::Loop(%n, %true) { (%i:int)\n"
          "  prim::If(%c) { %u = aten::relu_(%a) -> } { -> }\n"
          "  -> %true }\n"
          "%z = aten::neg(%a)\n"
          "-> %z\n",
          "%1[?,3] = aten::clone(x)\n"
          "%2[?,3] = prim::Loop(n, True, %1) { (%3 int, %4[?,3]) %5[?,3] = prim::If(c) { "
          "%6[?,3] = aten::relu_(%4); -> %6 } { -> %4 }; -> True, %5 }\n"
          "%7[?,3] = aten::neg(%2)\n"
          "=> %7");
}

UNIT_TEST(an_unrolled_loop_changes_memory_step_by_step)
{
    gives(arena,
          "%a = aten::clone(%x)\n"
          "prim::Loop(%2, %true) { (%i:int) %u = aten::relu_(%a) -> %true }\n"
          "%z = aten::neg(%a)\n"
          "-> %z\n",
          "%1[?,3] = aten::clone(x)\n"
          "%2[?,3] = aten::relu_(%1)\n"
          "%3[?,3] = aten::relu_(%2)\n"
          "%4[?,3] = aten::neg(%3)\n"
          "=> %4");
}

UNIT_TEST(a_tensor_of_two_names_is_carried_once)
{
    gives(arena,
          "%y1 = aten::neg(%x)\n"
          "%r = prim::Loop(%n, %true, %y1) { (%i:int, %z)\n"
          "  %a = aten::relu_(%z)\n"
          "  %b = aten::add_.Scalar(%y1, %1, %1)\n"
          "  -> %true, %a }\n"
          "-> %r, %y1\n",
          "%1[?,3] = aten::neg(x)\n"
          "%2[?,3] = prim::Loop(n, True, %1) { (%3 int, %4[?,3]) %5[?,3] = aten::relu_(%4); "
          "%6[?,3] = aten::add_.Scalar(%5, 1, 1); -> True, %6 }\n"
          "=> %2, %2");
}

UNIT_MAIN("interpret: changes in loops", a_tensor_of_outside_that_is_changed_in_place_is_carried,
          an_argument_that_is_changed_in_place_is_carried,
          a_view_that_is_changed_changes_what_it_looks_at, rows_are_copied_one_by_one,
          a_view_of_outside_is_looked_at_anew_behind_the_loop,
          a_view_of_outside_is_looked_at_anew_in_each_iteration,
          two_memories_are_carried_in_the_order_in_which_they_were_made,
          what_is_carried_comes_before_memories,
          a_tensor_that_is_carried_and_changed_in_place_is_both_names_behind_the_loop,
          a_tensor_that_is_changed_in_place_and_then_replaced_is_the_loop_s_own,
          what_it_was_before_the_loop_is_unknown_then, what_a_loop_gives_is_changed_as_itself,
          a_tensor_of_two_names_is_carried_once,
          what_a_loop_may_not_have_run_on_is_unknown_once_its_result_is_changed,
          what_an_iteration_may_give_of_outside_is_unknown_once_that_is_changed,
          two_results_that_may_be_one_are_unknown_once_the_other_is_changed,
          two_results_that_cannot_be_one_stay_known,
          a_tensor_that_was_appended_may_not_be_changed_in_place, a_copy_of_it_may_be_appended,
          what_an_earlier_iteration_appended_may_not_be_changed_in_place,
          what_a_stack_holds_may_not_be_changed_behind_its_loop,
          memory_that_a_loop_within_changes_is_carried_by_both,
          memory_that_a_loop_in_a_branch_changes_is_an_output_of_both,
          memory_that_a_side_in_a_loop_changes_is_carried,
          an_unrolled_loop_changes_memory_step_by_step)
