/*
 * Memory written in branches and loops, and memory that tensors share on one side of a branch, in
 * some iterations of a loop, or for some sizes.
 */
#include "effects_fixture.h"

/* ---- branches and loops ---------------------------------------------------------------------- */

UNIT_TEST(what_one_side_writes_is_an_output_of_the_branch)
{
    body_gives(arena,
               "prim::If(%c)\n{\n %z = aten::add_.Tensor(%x, %y, %1)\n ->\n}\n{\n ->\n}\n"
               "-> %x\n",
               "%1[?,3] = prim::If(c) { %2[?,3] = aten::add_.Tensor(x, y, 1); -> %2 } { -> x }\n"
               "=> %1");
}

UNIT_TEST(what_both_sides_write_is_one_output)
{
    body_gives(arena,
               "prim::If(%c)\n"
               "{\n %z = aten::add_.Tensor(%x, %y, %1)\n ->\n}\n"
               "{\n %w = aten::relu_(%x)\n ->\n}\n"
               "-> %x\n",
               "%1[?,3] = prim::If(c) { %2[?,3] = aten::add_.Tensor(x, y, 1); -> %2 } { %3[?,3] "
               "= aten::relu_(x); -> %3 }\n"
               "=> %1");
}

UNIT_TEST(the_sides_do_not_see_what_the_other_one_writes)
{
    body_gives(arena,
               "%r = prim::If(%c)\n"
               "{\n %z = aten::relu_(%x)\n %u = aten::neg(%x)\n -> %u\n}\n"
               "{\n %w = aten::neg(%x)\n -> %w\n}\n"
               "-> %r\n",
               "%1[?,3], %2[?,3] = prim::If(c) { %3[?,3] = aten::relu_(x); %4[?,3] = "
               "aten::neg(%3); -> %3, %4 } { %5[?,3] = aten::neg(x); -> x, %5 }\n"
               "=> %2");
}

UNIT_TEST(a_side_sees_what_was_written_before_the_branch)
{
    body_gives(arena,
               "%v = aten::select.int(%x, %1, %0)\n"
               "%z = aten::relu_(%x)\n"
               "%r = prim::If(%c)\n{\n -> %v\n}\n{\n %w = aten::neg(%v)\n -> %w\n}\n"
               "%s = aten::relu(%v)\n"
               "-> %r %s\n",
               "%1[?] = aten::select.int(x, 1, 0)\n"
               "%2[?,3] = aten::relu_(x)\n"
               "%3[?] = prim::If(c) { %4[?] = aten::select.int(%2, 1, 0); -> %4 } { %5[?] = "
               "aten::select.int(%2, 1, 0); %6[?] = aten::neg(%5); -> %6 }\n"
               "%7[?] = aten::select.int(%2, 1, 0)\n"
               "%8[?] = aten::relu(%7)\n"
               "=> %3, %8");
}

UNIT_TEST(a_view_from_before_a_branch_sees_what_the_branch_leaves)
{
    body_gives(arena,
               "%v = aten::select.int(%x, %1, %0)\n"
               "prim::If(%c)\n{\n %z = aten::relu_(%x)\n ->\n}\n{\n ->\n}\n"
               "-> %v\n",
               "%1[?] = aten::select.int(x, 1, 0)\n"
               "%2[?,3] = prim::If(c) { %3[?,3] = aten::relu_(x); -> %3 } { -> x }\n"
               "%4[?] = aten::select.int(%2, 1, 0)\n"
               "=> %4");
}

UNIT_TEST(a_side_writes_through_a_view_of_outside)
{
    body_gives(arena,
               "%v = aten::select.int(%x, %1, %0)\n"
               "prim::If(%c)\n{\n %z = aten::relu_(%v)\n ->\n}\n{\n ->\n}\n"
               "-> %x\n",
               "%1[?] = aten::select.int(x, 1, 0)\n"
               "%2[?,3] = prim::If(c) { %3[?] = aten::relu_(%1); %4[?,3] = "
               "aten::select_scatter(x, %3, 1, 0); -> %4 } { -> x }\n"
               "=> %2");
}

UNIT_TEST(what_a_side_makes_and_writes_is_its_own)
{
    body_gives(arena,
               "%r = prim::If(%c)\n"
               "{\n %u = aten::clone(%x)\n %z = aten::relu_(%u)\n -> %u\n}\n"
               "{\n -> %y\n}\n"
               "-> %x %r\n",
               "%1[?,3] = prim::If(c) { %2[?,3] = aten::clone(x); %3[?,3] = aten::relu_(%2); -> "
               "%3 } { -> y }\n"
               "=> x, %1");
}

UNIT_TEST(sides_within_sides_hand_on_what_they_write)
{
    body_gives(arena,
               "prim::If(%c)\n"
               "{\n prim::If(%d)\n {\n %z = aten::relu_(%x)\n ->\n }\n {\n ->\n }\n ->\n}\n"
               "{\n ->\n}\n"
               "-> %x\n",
               "%1[?,3] = prim::If(c) { %2[?,3] = prim::If(d) { %3[?,3] = aten::relu_(x); -> %3 "
               "} { -> x }; -> %2 } { -> x }\n"
               "=> %1");
}

/* On one side x is changed after the branch, on the other one a value made there. */
UNIT_TEST(what_may_be_a_tensor_on_one_side_may_change_it)
{
    body_gives(arena,
               "%r = prim::If(%c)\n{\n -> %x\n}\n{\n %w = aten::neg(%y)\n -> %w\n}\n"
               "%z = aten::relu_(%r)\n"
               "%u = aten::neg(%x)\n"
               "-> %u\n",
               "%1[?,3] = prim::If(c) { -> x } { %2[?,3] = aten::neg(y); -> %2 }\n"
               "%3[?,3] = aten::relu_(%1)\n"
               "%4 unknown = aten::relu_() ! " EFFECTS_LOST "\n"
               "%5 unknown = aten::neg(%4)\n"
               "=> %5");
}

UNIT_TEST(what_is_copied_on_both_sides_is_nobody_elses)
{
    body_gives(arena,
               "%r = prim::If(%c)\n"
               "{\n %v = aten::clone(%x)\n -> %v\n}\n{\n %w = aten::neg(%y)\n -> %w\n}\n"
               "%z = aten::relu_(%r)\n"
               "-> %x %z\n",
               "%1[?,3] = prim::If(c) { %2[?,3] = aten::clone(x); -> %2 } { %3[?,3] = "
               "aten::neg(y); -> %3 }\n"
               "%4[?,3] = aten::relu_(%1)\n"
               "=> x, %4");
}

UNIT_TEST(a_side_reads_a_view_anew_for_itself)
{
    body_gives(arena,
               "%v = aten::select.int(%x, %1, %0)\n"
               "%r = prim::If(%c)\n"
               "{\n %z = aten::relu_(%x)\n %w = aten::neg(%v)\n -> %w\n}\n"
               "{\n -> %v\n}\n"
               "-> %r %v\n",
               "%1[?] = aten::select.int(x, 1, 0)\n"
               "%2[?,3], %3[?] = prim::If(c) { %4[?,3] = aten::relu_(x); %5[?] = "
               "aten::select.int(%4, 1, 0); %6[?] = aten::neg(%5); -> %4, %6 } { -> x, %1 }\n"
               "%7[?] = aten::select.int(%2, 1, 0)\n"
               "=> %3, %7");
}

UNIT_TEST(what_a_side_that_raises_wrote_is_forgotten)
{
    body_gives(arena,
               "prim::If(%c)\n"
               "{\n %z = aten::relu_(%x)\n prim::RaiseException(%text, %none)\n ->\n}\n"
               "{\n %z = aten::add_.Tensor(%x, %y, %1)\n ->\n}\n"
               "-> %x\n",
               "%1[?,3] = aten::add_.Tensor(x, y, 1)\n"
               "=> %1");
}

UNIT_TEST(a_view_stays_as_it_was_read_where_a_side_raises)
{
    body_gives(arena,
               "%e:list = prim::ListConstruct()\n"
               "%v = aten::select.int(%x, %1, %0)\n"
               "%z = aten::relu_(%x)\n"
               "%r = aten::neg(%v)\n"
               "prim::If(%c)\n"
               "{ %u = aten::relu_(%x)\n %w = aten::cat(%e, %0)\n -> }\n"
               "{ -> }\n"
               "%s = aten::relu(%v)\n"
               "-> %r %s\n",
               "%1[?] = aten::select.int(x, 1, 0)\n"
               "%2[?,3] = aten::relu_(x)\n"
               "%3[?] = aten::select.int(%2, 1, 0)\n"
               "%4[?] = aten::neg(%3)\n"
               "%5[?] = aten::relu(%3)\n"
               "=> %4, %5");
}

UNIT_TEST(a_view_of_one_of_two_tensors_may_change_either)
{
    body_gives(arena,
               "%r = prim::If(%c)\n"
               "{\n %a = aten::select.int(%x, %1, %0)\n -> %a\n}\n"
               "{\n %b = aten::select.int(%y, %1, %0)\n -> %b\n}\n"
               "%z = aten::relu_(%r)\n"
               "%u = aten::add.Tensor(%x, %y, %1)\n"
               "-> %u\n",
               "%1[?] = prim::If(c) { %2[?] = aten::select.int(x, 1, 0); -> %2 } { %3[?] = "
               "aten::select.int(y, 1, 0); -> %3 }\n"
               "%4[?] = aten::relu_(%1)\n"
               "%5 unknown = aten::relu_() ! " EFFECTS_LOST "\n"
               "%6 unknown = aten::relu_() ! " EFFECTS_LOST "\n"
               "%7 unknown = aten::add.Tensor(%5, %6, 1)\n"
               "=> %7");
}

UNIT_TEST(what_may_be_a_view_may_change_with_its_tensor)
{
    body_gives(arena,
               "%r = prim::If(%c)\n"
               "{ %a = aten::select.int(%x, %1, %0)\n -> %a }\n"
               "{ %b = aten::select.int(%y, %1, %0)\n -> %b }\n"
               "%z = aten::relu_(%x)\n"
               "%u = aten::neg(%r)\n"
               "-> %x %u\n",
               "%1[?] = prim::If(c) { %2[?] = aten::select.int(x, 1, 0); -> %2 } { %3[?] = "
               "aten::select.int(y, 1, 0); -> %3 }\n"
               "%4[?,3] = aten::relu_(x)\n"
               "%5 unknown = aten::relu_() ! " EFFECTS_LOST "\n"
               "%6 unknown = aten::neg(%5)\n"
               "=> %4, %6");
}

UNIT_TEST(a_tensor_that_both_sides_give_is_the_tensor)
{
    body_gives(arena,
               "%r = prim::If(%c)\n"
               "{\n %z = aten::relu_(%x)\n -> %z\n}\n"
               "{\n -> %x\n}\n"
               "%z = aten::add_.Tensor(%r, %y, %1)\n"
               "-> %x\n",
               "%1[?,3] = prim::If(c) { %2[?,3] = aten::relu_(x); -> %2 } { -> x }\n"
               "%3[?,3] = aten::add_.Tensor(%1, y, 1)\n"
               "=> %3");
}

UNIT_TEST(what_is_written_behind_sides_that_cannot_meet_is_written_on_both)
{
    body_gives(arena,
               "%r:list = prim::If(%c)\n"
               "{\n %z = aten::relu_(%x)\n %a:list = prim::ListConstruct(%x)\n -> %a\n}\n"
               "{\n %b:list = prim::ListConstruct(%x, %y)\n -> %b\n}\n"
               "%w = aten::add_.Tensor(%x, %y, %1)\n"
               "%s = aten::cat(%r, %0)\n"
               "-> %s %x\n",
               "%1[?,3], %2[?,3] = prim::If(c) { %3[?,3] = aten::relu_(x); %4[?,3] = "
               "aten::add_.Tensor(%3, y, 1); %5[?,3] = aten::cat((%4), 0); -> %4, %5 } { "
               "%6[?,3] = aten::add_.Tensor(x, y, 1); %7[?,3] = aten::cat((%6, y), 0); -> %6, "
               "%7 }\n"
               "=> %2, %1");
}

UNIT_TEST(what_a_loop_writes_is_carried)
{
    body_gives(arena,
               "prim::Loop(%n, %true)\n"
               "{ (%i:int)\n %z = aten::add_.Tensor(%x, %y, %1)\n -> %true\n}\n"
               "-> %x\n",
               "%1[?,3] = prim::Loop(n, True, x) { (%2 int, %3[?,3]) %4[?,3] = "
               "aten::add_.Tensor(%3, y, 1); -> True, %4 }\n"
               "=> %1");
}

UNIT_TEST(a_loop_reads_what_its_last_iteration_wrote)
{
    body_gives(arena,
               "%v = aten::select.int(%x, %1, %0)\n"
               "prim::Loop(%n, %true)\n"
               "{ (%i:int)\n %u = aten::select.int(%x, %1, %1)\n"
               " %z = aten::add_.Tensor(%v, %u, %1)\n -> %true\n}\n"
               "-> %x %v\n",
               "%1[?] = aten::select.int(x, 1, 0)\n"
               "%2[?,3] = prim::Loop(n, True, x) { (%3 int, %4[?,3]) %5[?] = "
               "aten::select.int(%4, 1, 1); %6[?] = aten::select.int(%4, 1, 0); %7[?] = "
               "aten::add_.Tensor(%6, %5, 1); %8[?,3] = aten::select_scatter(%4, %7, 1, 0); -> "
               "True, %8 }\n"
               "%9[?] = aten::select.int(%2, 1, 0)\n"
               "=> %2, %9");
}

UNIT_TEST(iterations_that_are_known_write_one_after_the_other)
{
    body_gives(
        arena,
        "prim::Loop(%2, %true)\n"
        "{ (%i:int)\n %v = aten::select.int(%x, %1, %i)\n %z = aten::relu_(%v)\n -> %true\n}\n"
        "-> %x\n",
        "%1[?] = aten::select.int(x, 1, 0)\n"
        "%2[?] = aten::relu_(%1)\n"
        "%3[?,3] = aten::select_scatter(x, %2, 1, 0)\n"
        "%4[?] = aten::select.int(%3, 1, 1)\n"
        "%5[?] = aten::relu_(%4)\n"
        "%6[?,3] = aten::select_scatter(%3, %5, 1, 1)\n"
        "=> %6");
}

UNIT_TEST(a_loop_writes_a_row_that_its_number_says)
{
    body_gives(
        arena,
        "%s:int = aten::size.int(%x, %0)\n"
        "prim::Loop(%s, %true)\n"
        "{ (%i:int)\n %v = aten::select.int(%x, %0, %i)\n %z = aten::relu_(%v)\n -> %true\n}\n"
        "-> %x\n",
        "%1 int = aten::size.int(x, 0)\n"
        "%2[?,3] = prim::Loop(%1, True, x) { (%3 int, %4[?,3]) %5[3] = "
        "aten::select.int(%4, 0, %3); %6[3] = aten::relu_(%5); %7[?,3] = "
        "aten::select_scatter(%4, %6, 0, %3); -> True, %7 }\n"
        "=> %2");
}

UNIT_TEST(a_tensor_that_a_loop_carries_and_writes_is_the_tensor)
{
    body_gives(arena,
               "%r = prim::Loop(%n, %true, %x)\n"
               "{ (%i:int, %a)\n %b = aten::add_.Tensor(%a, %y, %1)\n -> %true %b\n}\n"
               "-> %x %r\n",
               "%1[?,3] = prim::Loop(n, True, x) { (%2 int, %3[?,3]) %4[?,3] = "
               "aten::add_.Tensor(%3, y, 1); -> True, %4 }\n"
               "=> %1, %1");
}

UNIT_TEST(a_copy_that_a_loop_carries_and_writes_is_a_copy)
{
    body_gives(arena,
               "%q = aten::clone(%x)\n"
               "%r = prim::Loop(%n, %true, %q)\n"
               "{ (%i:int, %a)\n %b = aten::add_.Tensor(%a, %y, %1)\n -> %true %b\n}\n"
               "-> %x %r\n",
               "%1[?,3] = aten::clone(x)\n"
               "%2[?,3] = prim::Loop(n, True, %1) { (%3 int, %4[?,3]) %5[?,3] = "
               "aten::add_.Tensor(%4, y, 1); -> True, %5 }\n"
               "=> x, %2");
}

/* The first iteration, if any, changes x; the others change a value made in the loop. */
UNIT_TEST(what_only_the_first_iteration_writes_is_not_known)
{
    body_gives(arena,
               "%r = prim::Loop(%n, %true, %x)\n"
               "{ (%i:int, %a)\n"
               "%b = aten::add_.Tensor(%a, %y, %1)\n"
               "%e = aten::neg(%b)\n"
               "-> %true %e\n"
               "}\n"
               "-> %x %r\n",
               "%1[?,3] = prim::Loop(n, True, x) { (%2 int, %3[?,3]) %4[?,3] = "
               "aten::add_.Tensor(%3, y, 1); %5[?,3] = aten::neg(%4); -> True, %5 }\n"
               "%6 unknown = prim::Loop() ! " EFFECTS_LOST "\n"
               "=> %6, %1");
}

UNIT_TEST(a_view_that_a_loop_gives_may_change_its_tensor)
{
    body_gives(arena,
               "%v = aten::select.int(%x, %1, %0)\n"
               "%r = prim::Loop(%n, %true, %v)\n"
               "{ (%i:int, %a)\n %b = aten::select.int(%x, %1, %1)\n -> %true %b\n}\n"
               "%z = aten::relu_(%r)\n"
               "-> %x\n",
               "%1[?] = aten::select.int(x, 1, 0)\n"
               "%2[?] = prim::Loop(n, True, %1) { (%3 int, %4[?]) %5[?] = aten::select.int(x, "
               "1, 1); -> True, %5 }\n"
               "%6[?] = aten::relu_(%2)\n"
               "%7 unknown = aten::relu_() ! " EFFECTS_LOST "\n"
               "=> %7");
}

UNIT_TEST(a_branch_in_a_loop_writes)
{
    body_gives(arena,
               "prim::Loop(%n, %true)\n"
               "{ (%i:int)\n"
               "prim::If(%c)\n"
               "{\n %z = aten::relu_(%x)\n ->\n}\n"
               "{\n ->\n}\n"
               "-> %true\n"
               "}\n"
               "-> %x\n",
               "%1[?,3] = prim::Loop(n, True, x) { (%2 int, %3[?,3]) %4[?,3] = prim::If(c) { "
               "%5[?,3] = aten::relu_(%3); -> %5 } { -> %3 }; -> True, %4 }\n"
               "=> %1");
}

/* ---- by chance ------------------------------------------------------------------------------- */

/* A slice up to 5 of a tensor with 5 elements, as in one lane, is the whole tensor, and no copy
 * there. */
UNIT_TEST(what_is_a_copy_for_some_sizes_only_may_be_changed_with_its_tensor)
{
    tensor_gives(arena, "class Net n=1\n",
                 "  %5:int = prim::Constant<5>()\n"
                 "  %v = aten::slice.Tensor(%x, %1, %0, %5, %1)\n"
                 "  %u = aten::contiguous(%v, %0)\n"
                 "  %z = aten::relu_(%u)\n"
                 "  -> %x %u\n",
                 "[3,?]",
                 "%1[3,5] = aten::slice.Tensor(x, 1, 0, 5, 1)\n"
                 "%2[3,5] = aten::contiguous(%1, 0)\n"
                 "%3[3,5] = aten::relu_(%2)\n"
                 "%4 unknown = aten::relu_() ! " EFFECTS_LOST "\n"
                 "=> %4, %3");
}

/* In every lane, a slice up to 100 is the whole tensor. */
UNIT_TEST(what_is_whole_in_all_lanes_by_chance_may_be_a_copy)
{
    tensor_gives(arena, "class Net n=1\n",
                 "  %100:int = prim::Constant<100>()\n"
                 "  %v = aten::slice.Tensor(%x, %1, %0, %100, %1)\n"
                 "  %u = aten::contiguous(%v, %0)\n"
                 "  %z = aten::relu_(%u)\n"
                 "  -> %x %u\n",
                 "[3,?]",
                 "%1[3,?] = aten::slice.Tensor(x, 1, 0, 100, 1)\n"
                 "%2[3,?] = aten::contiguous(%1, 0)\n"
                 "%3[3,?] = aten::relu_(%2)\n"
                 "%4 unknown = aten::relu_() ! " EFFECTS_LOST "\n"
                 "=> %4, %3");
}

UNIT_TEST(what_is_never_copied_is_its_tensor)
{
    body_gives(arena,
               "%u = aten::contiguous(%x, %0)\n"
               "%z = aten::relu_(%u)\n"
               "-> %x\n",
               "%1[?,3] = aten::contiguous(x, 0)\n"
               "%2[?,3] = aten::relu_(%1)\n"
               "=> %2");
}

UNIT_TEST(what_is_always_copied_is_another_tensor)
{
    body_gives(arena,
               "%v = aten::t(%x)\n"
               "%u = aten::contiguous(%v, %0)\n"
               "%z = aten::relu_(%u)\n"
               "-> %x %u\n",
               "%1[3,?] = aten::t(x)\n"
               "%2[3,?] = aten::contiguous(%1, 0)\n"
               "%3[3,?] = aten::relu_(%2)\n"
               "=> x, %3");
}

UNIT_TEST(what_may_be_shared_may_be_read_as_long_as_nobody_changes_it)
{
    tensor_gives(arena, "class Net n=1\n",
                 "  %5:int = prim::Constant<5>()\n"
                 "  %v = aten::slice.Tensor(%x, %1, %0, %5, %1)\n"
                 "  %u = aten::contiguous(%v, %0)\n"
                 "  %z = aten::relu(%u)\n"
                 "  -> %x %z\n",
                 "[3,?]",
                 "%1[3,5] = aten::slice.Tensor(x, 1, 0, 5, 1)\n"
                 "%2[3,5] = aten::contiguous(%1, 0)\n"
                 "%3[3,5] = aten::relu(%2)\n"
                 "=> x, %3");
}

UNIT_MAIN(
    "interpret: shared memory", what_one_side_writes_is_an_output_of_the_branch,
    what_both_sides_write_is_one_output, the_sides_do_not_see_what_the_other_one_writes,
    a_side_sees_what_was_written_before_the_branch,
    a_view_from_before_a_branch_sees_what_the_branch_leaves,
    a_side_writes_through_a_view_of_outside, what_a_side_makes_and_writes_is_its_own,
    sides_within_sides_hand_on_what_they_write, what_may_be_a_tensor_on_one_side_may_change_it,
    what_is_copied_on_both_sides_is_nobody_elses, a_side_reads_a_view_anew_for_itself,
    what_a_side_that_raises_wrote_is_forgotten, a_view_stays_as_it_was_read_where_a_side_raises,
    a_view_of_one_of_two_tensors_may_change_either, what_may_be_a_view_may_change_with_its_tensor,
    a_tensor_that_both_sides_give_is_the_tensor,
    what_is_written_behind_sides_that_cannot_meet_is_written_on_both, what_a_loop_writes_is_carried,
    a_loop_reads_what_its_last_iteration_wrote, iterations_that_are_known_write_one_after_the_other,
    a_loop_writes_a_row_that_its_number_says, a_tensor_that_a_loop_carries_and_writes_is_the_tensor,
    a_copy_that_a_loop_carries_and_writes_is_a_copy,
    what_only_the_first_iteration_writes_is_not_known,
    a_view_that_a_loop_gives_may_change_its_tensor, a_branch_in_a_loop_writes,
    what_is_a_copy_for_some_sizes_only_may_be_changed_with_its_tensor,
    what_is_whole_in_all_lanes_by_chance_may_be_a_copy, what_is_never_copied_is_its_tensor,
    what_is_always_copied_is_another_tensor,
    what_may_be_shared_may_be_read_as_long_as_nobody_changes_it)
