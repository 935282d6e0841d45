/*
 * Memory whose contents are unknown because an operator that changes it failed, and all memory that
 * it may alias.
 */
#include "named_trace.h"

/* An unknown tensor, and its trace. */
#define LOST                                                                                       \
    "%j = aten::nonzero(%x)\n"                                                                     \
    "%w = aten::select.int(%j, %0, %many)\n"

#define LOST_TRACE                                                                                 \
    "%1[?,2] = aten::nonzero(x)\n"                                                                 \
    "%2 unknown = aten::select.int(%1, 0, 9223372036854775807) ! sizes that depend on the data "   \
    "do not fit: index out of range\n"

/* The reason that is reported for a tensor to which it was written. */
#define LOST_CAUSE(line)                                                                           \
    "aten::select.int in the root module (model.py:" line                                          \
    "): sizes that depend on the data do not fit: index out of range"

UNIT_TEST(what_a_failed_operator_changes_is_unknown)
{
    gives(arena,
          LOST "%u = aten::add_.Tensor(%x, %w, %1)\n"
               "%z = aten::neg(%x)\n"
               "-> %z\n",
          LOST_TRACE "%3 unknown = aten::add_.Tensor(x, %2, 1)\n"
                     "%4 unknown = aten::neg(unknown)\n"
                     "=> %4");
}

UNIT_TEST(what_it_does_not_change_stays_known)
{
    gives(arena,
          LOST "%u = aten::add_.Tensor(%x, %w, %1)\n"
               "%z = aten::neg(%y)\n"
               "-> %z\n",
          LOST_TRACE "%3 unknown = aten::add_.Tensor(x, %2, 1)\n"
                     "%4[?,3] = aten::neg(y)\n"
                     "=> %4");
}

UNIT_TEST(what_it_gives_is_unknown)
{
    gives(arena,
          LOST "%u = aten::add_.Tensor(%x, %w, %1)\n"
               "%z = aten::neg(%u)\n"
               "-> %z\n",
          LOST_TRACE "%3 unknown = aten::add_.Tensor(x, %2, 1)\n"
                     "%4 unknown = aten::neg(%3)\n"
                     "=> %4");
}

UNIT_TEST(a_view_of_what_it_changes_is_unknown)
{
    gives(arena,
          LOST "%v = aten::select.int(%y, %1, %0)\n"
               "%u = aten::add_.Tensor(%y, %w, %1)\n"
               "%z = aten::neg(%v)\n"
               "-> %z\n",
          LOST_TRACE "%3[?] = aten::select.int(y, 1, 0)\n"
                     "%4 unknown = aten::add_.Tensor(y, %2, 1)\n"
                     "%5 unknown = aten::neg(unknown)\n"
                     "=> %5");
}

UNIT_TEST(what_a_view_that_it_changes_looks_at_is_unknown)
{
    gives(arena,
          LOST "%v = aten::select.int(%y, %1, %0)\n"
               "%u = aten::add_.Tensor(%v, %w, %1)\n"
               "%z = aten::neg(%y)\n"
               "-> %z\n",
          LOST_TRACE "%3[?] = aten::select.int(y, 1, 0)\n"
                     "%4 unknown = aten::add_.Tensor(%3, %2, 1)\n"
                     "%5 unknown = aten::neg(unknown)\n"
                     "=> %5");
}

UNIT_TEST(what_a_failed_view_may_look_at_is_unknown_once_that_is_changed)
{
    gives(arena,
          LOST "%u = aten::relu_(%w)\n"
               "%z = aten::neg(%j)\n"
               "-> %z\n",
          LOST_TRACE "%3 unknown = aten::relu_(%2)\n"
                     "%4 unknown = aten::relu_() ! " LOST_CAUSE("14") "\n"
                                                                      "%5 unknown = aten::neg(%4)\n"
                                                                      "=> %5");
}

UNIT_TEST(what_a_failed_operator_makes_is_nobody_else_s)
{
    gives(arena,
          LOST "%v = aten::relu(%w)\n"
               "%u = aten::relu_(%v)\n"
               "%z = aten::neg(%j)\n"
               "-> %z\n",
          LOST_TRACE "%3 unknown = aten::relu(%2)\n"
                     "%4 unknown = aten::relu_(%3)\n"
                     "%5[?,2] = aten::neg(%1)\n"
                     "=> %5");
}

UNIT_TEST(what_may_be_what_it_changes_is_unknown)
{
    gives(arena,
          LOST "%r = prim::If(%c) { -> %x } { -> %y }\n"
               "%u = aten::add_.Tensor(%x, %w, %1)\n"
               "%z = aten::neg(%r)\n"
               "-> %z\n",
          LOST_TRACE
          "%3[?,3] = prim::If(c) { -> x } { -> y }\n"
          "%4 unknown = aten::add_.Tensor(x, %2, 1)\n"
          "%5 unknown = aten::add_.Tensor() ! " LOST_CAUSE("14") "\n"
                                                                 "%6 unknown = aten::neg(%5)\n"
                                                                 "=> %6");
}

UNIT_TEST(what_cannot_be_what_it_changes_stays_known)
{
    gives(arena,
          LOST "%v = aten::clone(%x)\n"
               "%r = prim::If(%c) { -> %v } { -> %y }\n"
               "%u = aten::add_.Tensor(%x, %w, %1)\n"
               "%z = aten::neg(%r)\n"
               "-> %z\n",
          LOST_TRACE "%3[?,3] = aten::clone(x)\n"
                     "%4[?,3] = prim::If(c) { -> %3 } { -> y }\n"
                     "%5 unknown = aten::add_.Tensor(x, %2, 1)\n"
                     "%6[?,3] = aten::neg(%4)\n"
                     "=> %6");
}

UNIT_TEST(what_a_branch_may_give_is_unknown_once_what_is_unknown_is_changed)
{
    gives(arena,
          LOST "%r = prim::If(%c) { -> %w } { -> %y }\n"
               "%u = aten::relu_(%r)\n"
               "%z = aten::neg(%y)\n"
               "-> %z\n",
          LOST_TRACE "prim::If(c) { -> } { -> }\n"
                     "%3 unknown = aten::relu_(unknown)\n"
                     "%4 unknown = aten::relu_() ! " LOST_CAUSE("14") "\n"
                                                                      "%5 unknown = aten::neg(%4)\n"
                                                                      "=> %5");
}

UNIT_TEST(what_may_be_a_memory_that_was_lost_is_unknown_once_that_is_changed_again)
{
    gives(arena,
          LOST "%r = prim::If(%c) {\n"
               "  %u = aten::add_.Tensor(%x, %w, %1)\n"
               "  -> %y } { -> %x }\n"
               "%v = aten::relu_(%x)\n"
               "%z = aten::neg(%r)\n"
               "-> %z\n",
          LOST_TRACE
          "%3[?,3] = prim::If(c) { %4 unknown = aten::add_.Tensor(x, %2, 1); -> y } { -> x }\n"
          "%5 unknown = aten::relu_(unknown)\n"
          "%6 unknown = aten::relu_() ! " LOST_CAUSE("14") "\n"
                                                           "%7 unknown = aten::neg(%6)\n"
                                                           "=> %7");
}

UNIT_TEST(a_side_that_loses_a_memory_loses_it_for_both)
{
    gives(arena,
          LOST "prim::If(%c) { %u = aten::add_.Tensor(%y, %w, %1) -> } { -> }\n"
               "%z = aten::neg(%y)\n"
               "-> %z\n",
          LOST_TRACE "prim::If(c) { %3 unknown = aten::add_.Tensor(y, %2, 1); -> } { -> }\n"
                     "%4 unknown = aten::neg(unknown)\n"
                     "=> %4");
}

UNIT_TEST(the_other_side_reads_it_as_it_was)
{
    gives(arena,
          LOST "%r = prim::If(%c) {\n"
               "  %u = aten::add_.Tensor(%y, %w, %1)\n"
               "  -> %x } { %v = aten::neg(%y) -> %v }\n"
               "-> %r\n",
          LOST_TRACE "%3[?,3] = prim::If(c) { %4 unknown = aten::add_.Tensor(y, %2, 1); -> x } { "
                     "%5[?,3] = aten::neg(y); -> %5 }\n"
                     "=> %3");
}

UNIT_TEST(a_loop_that_loses_a_memory_has_lost_it_when_it_begins)
{
    gives(arena,
          LOST "%r = prim::Loop(%n, %true, %0) { (%i:int, %k:int)\n"
               "  %s = aten::sum(%y, %none)\n"
               "  %b:int = aten::Int.Tensor(%s)\n"
               "  %u = aten::add_.Tensor(%y, %w, %1)\n"
               "  -> %true, %b }\n"
               "-> %r\n",
          LOST_TRACE "prim::Loop(n, True) { (%3 int) %4 unknown = prim::Loop() ! " LOST_CAUSE(
              "14") "; "
                    "%5 unknown = aten::sum(%4, None); %6 unknown = aten::Int.Tensor(%5); "
                    "%7 unknown = aten::add_.Tensor(%4, %2, 1); -> True }\n"
                    "=> unknown");
}

UNIT_TEST(what_may_be_a_memory_that_a_loop_changes_is_unknown_behind_it)
{
    gives(arena,
          "%a = aten::clone(%x)\n"
          "%b = aten::clone(%y)\n"
          "%r = prim::Loop(%n, %true, %a) { (%i:int, %q) -> %true, %b }\n"
          "prim::Loop(%n, %true) { (%k:int) %u = aten::add_.Tensor(%b, %a, %1) -> %true }\n"
          "%z = aten::neg(%r)\n"
          "-> %z\n",
          "%1[?,3] = aten::clone(x)\n"
          "%2[?,3] = aten::clone(y)\n"
          "%3[?,3] = prim::Loop(n, True, %1) { (%4 int, %5[?,3]) -> True, %2 }\n"
          "prim::Loop(n, True) { (%6 int) %7 unknown = prim::Loop() ! the tensor that it changes "
          "is read under another name, which shares its memory only on one side of a branch, in "
          "some iterations of a loop, or for some sizes; %8 unknown = prim::Loop() ! the tensor "
          "that it changes is read under another name, which shares its memory only on one side "
          "of a branch, in some iterations of a loop, or for some sizes; %9 unknown = "
          "aten::add_.Tensor(%8, %7, 1); -> True }\n"
          "%10 unknown = prim::Loop() ! the tensor that it changes is read under another name, "
          "which shares its memory only on one side of a branch, in some iterations of a loop, "
          "or for some sizes\n"
          "%11 unknown = aten::neg(%10)\n"
          "=> %11");
}

UNIT_TEST(what_a_loop_begins_with_is_unknown_once_what_it_gives_is_changed)
{
    gives(arena,
          LOST "%a = aten::clone(%x)\n"
               "%r = prim::Loop(%n, %true, %a) { (%i:int, %q)\n"
               "  %v = aten::select.int(%j, %0, %many)\n"
               "  -> %true, %v }\n"
               "%u = aten::relu_(%r)\n"
               "%z = aten::neg(%a)\n"
               "-> %z\n",
          LOST_TRACE
          "%3[?,3] = aten::clone(x)\n"
          "prim::Loop(n, True) { (%4 int) %5 unknown = aten::select.int(%1, 0, "
          "9223372036854775807) ! sizes that depend on the data do not fit: index out of range; "
          "-> True }\n"
          "%6 unknown = aten::relu_(unknown)\n"
          "%7 unknown = aten::relu_() ! " LOST_CAUSE("19") "\n"
                                                           "%8 unknown = aten::neg(%7)\n"
                                                           "=> %8");
}

UNIT_TEST(what_a_side_alone_reads_is_carried_into_a_loop)
{
    gives(arena,
          "%l:list = prim::ListConstruct(%y)\n"
          "prim::Loop(%n, %true) { (%i:int)\n"
          "  prim::If(%c) { -> } { %k:list = aten::_set_item(%l, %0, %x) -> }\n"
          "  %u = aten::relu_(%x)\n"
          "  -> %true }\n"
          "-> %x\n",
          "%1 unknown, %2[?,3] = prim::Loop(n, True, y, x) { (%3 int, %4[?,3], %5[?,3]) %6[?,3] "
          "= prim::If(c) { -> %4 } { -> %5 }; %7[?,3] = aten::relu_(%5); %8 unknown = "
          "aten::relu_() ! the tensor that it changes is read under another name, which shares "
          "its memory only on one side of a branch, in some iterations of a loop, or for some "
          "sizes; -> True, %8, %7 }\n"
          "=> %2");
}

UNIT_TEST(a_weight_that_is_lost_on_one_side_is_a_state_that_is_lost)
{
    gives_in(arena, "class Net h=tensor[3]\n",
             LOST "prim::If(%c) {\n"
                  "  %h = prim::GetAttr<h>(%self)\n"
                  "  %u = aten::add_.Tensor(%h, %w, %1)\n"
                  "  -> } { -> }\n"
                  "-> %x\n",
             LOST_TRACE "prim::If(c) { %3 unknown = aten::add_.Tensor(Net.h, %2, 1); -> } { -> }\n"
                        "=> x\n"
                        "state h: Net.h to unknown");
}

UNIT_TEST(an_unknown_value_that_nothing_reads_does_no_harm)
{
    gives(arena,
          LOST "prim::If(%c) { %u = aten::add_.Tensor(%x, %w, %1) -> } { -> }\n"
               "-> %y\n",
          LOST_TRACE "prim::If(c) { %3 unknown = aten::add_.Tensor(x, %2, 1); -> } { -> }\n"
                     "=> y");
}

UNIT_MAIN("interpret: lost memory", what_a_failed_operator_changes_is_unknown,
          what_it_does_not_change_stays_known, what_it_gives_is_unknown,
          a_view_of_what_it_changes_is_unknown, what_a_view_that_it_changes_looks_at_is_unknown,
          what_a_failed_view_may_look_at_is_unknown_once_that_is_changed,
          what_a_failed_operator_makes_is_nobody_else_s, what_may_be_what_it_changes_is_unknown,
          what_cannot_be_what_it_changes_stays_known,
          what_a_branch_may_give_is_unknown_once_what_is_unknown_is_changed,
          what_may_be_a_memory_that_was_lost_is_unknown_once_that_is_changed_again,
          a_side_that_loses_a_memory_loses_it_for_both, the_other_side_reads_it_as_it_was,
          a_loop_that_loses_a_memory_has_lost_it_when_it_begins,
          what_may_be_a_memory_that_a_loop_changes_is_unknown_behind_it,
          what_a_loop_begins_with_is_unknown_once_what_it_gives_is_changed,
          what_a_side_alone_reads_is_carried_into_a_loop,
          a_weight_that_is_lost_on_one_side_is_a_state_that_is_lost,
          an_unknown_value_that_nothing_reads_does_no_harm)
