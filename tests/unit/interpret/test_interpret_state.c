/*
 * Attributes that a call reads and sets, also in branches and loops: their final values are its
 * state.
 */
#include "effects_fixture.h"

/* ---- set ------------------------------------------------------------------------------------- */

UNIT_TEST(an_attribute_that_is_read_is_no_state)
{
    state_gives(arena,
                "%h = prim::GetAttr<h>(%self)\n"
                "%r = aten::relu(%h)\n"
                "-> %r\n",
                "%1[2,3] = aten::relu(Net.h)\n"
                "=> %1");
}

UNIT_TEST(an_attribute_that_is_set_is_a_state)
{
    state_gives(arena,
                "%h = prim::GetAttr<h>(%self)\n"
                "%r = aten::add.Tensor(%h, %x, %1)\n"
                "prim::SetAttr<h>(%self, %r)\n"
                "-> %r\n",
                "%1[2,3] = aten::add.Tensor(Net.h, x, 1)\n"
                "=> %1\n"
                "state h: Net.h to %1");
}

UNIT_TEST(it_is_a_state_although_nobody_reads_it)
{
    state_gives(arena,
                "prim::SetAttr<h>(%self, %x)\n"
                "-> %x\n",
                "=> x\n"
                "state h: Net.h to x");
}

UNIT_TEST(an_attribute_that_is_set_to_itself_is_none)
{
    state_gives(arena,
                "%h = prim::GetAttr<h>(%self)\n"
                "prim::SetAttr<h>(%self, %h)\n"
                "-> %x\n",
                "=> x");
}

UNIT_TEST(an_attribute_reads_as_it_was_set_last)
{
    state_gives(arena,
                "%a = aten::neg(%x)\n"
                "prim::SetAttr<h>(%self, %a)\n"
                "%b = prim::GetAttr<h>(%self)\n"
                "%d2 = aten::relu(%b)\n"
                "prim::SetAttr<h>(%self, %d2)\n"
                "-> %b\n",
                "%1[2,3] = aten::neg(x)\n"
                "%2[2,3] = aten::relu(%1)\n"
                "=> %1\n"
                "state h: Net.h to %2");
}

UNIT_TEST(a_counter_is_a_state)
{
    state_gives(arena,
                "%k:int = prim::GetAttr<n>(%self)\n"
                "%l:int = aten::add.int(%k, %1)\n"
                "prim::SetAttr<n>(%self, %l)\n"
                "-> %l\n",
                "2 = aten::add.int(1, 1)\n"
                "=> 2\n"
                "state n: 1 to 2");
}

UNIT_TEST(a_number_that_is_set_to_an_equal_one_is_none)
{
    state_gives(arena,
                "prim::SetAttr<n>(%self, %1)\n"
                "-> %x\n",
                "=> x");
}

UNIT_TEST(a_number_may_be_the_data)
{
    state_gives(arena,
                "prim::SetAttr<n>(%self, %n)\n"
                "-> %x\n",
                "=> x\n"
                "state n: 1 to n");
}

UNIT_TEST(a_flag_is_a_state)
{
    state_gives(arena,
                "prim::SetAttr<f>(%self, %false)\n"
                "-> %x\n",
                "=> x\n"
                "state f: True to False");
}

UNIT_TEST(a_text_is_a_state)
{
    state_gives(arena,
                "prim::SetAttr<t>(%self, %text)\n"
                "-> %x\n",
                "=> x\n"
                "state t: \"now\" to \"it is wrong\"");
}

UNIT_TEST(none_may_become_a_tensor)
{
    state_gives(arena,
                "prim::SetAttr<e>(%self, %x)\n"
                "-> %x\n",
                "=> x\n"
                "state e: None to x");
}

UNIT_TEST(a_tensor_may_become_none)
{
    state_gives(arena,
                "prim::SetAttr<h>(%self, %none)\n"
                "-> %x\n",
                "=> x\n"
                "state h: Net.h to None");
}

UNIT_TEST(attributes_of_other_modules_have_paths)
{
    state_gives(arena,
                "%b:Block = prim::GetAttr<b>(%self)\n"
                "prim::SetAttr<h>(%b, %x)\n"
                "-> %x\n",
                "=> x\n"
                "state b.h: Block.h to x");
}

UNIT_TEST(states_come_in_the_order_of_slots_and_names)
{
    state_gives(arena,
                "%b:Block = prim::GetAttr<b>(%self)\n"
                "prim::SetAttr<h>(%b, %x)\n"
                "prim::SetAttr<n>(%self, %3)\n"
                "prim::SetAttr<h>(%self, %x)\n"
                "-> %x\n",
                "=> x\n"
                "state b.h: Block.h to x\n"
                "state h: Net.h to x\n"
                "state n: 1 to 3");
}

UNIT_TEST(an_object_under_two_names_is_one)
{
    state_gives(arena,
                "%b:Block = prim::GetAttr<b>(%self)\n"
                "%d2:Block = prim::GetAttr<c>(%self)\n"
                "prim::SetAttr<h>(%b, %x)\n"
                "%r = prim::GetAttr<h>(%d2)\n"
                "-> %r\n",
                "=> x\n"
                "state b.h: Block.h to x");
}

UNIT_TEST(two_attributes_may_hold_one_tensor)
{
    state_gives(arena,
                "%a = aten::neg(%x)\n"
                "prim::SetAttr<h>(%self, %a)\n"
                "prim::SetAttr<g>(%self, %a)\n"
                "-> %x\n",
                "%1[2,3] = aten::neg(x)\n"
                "=> x\n"
                "state h: Net.h to %1\n"
                "state g: Net.g to %1");
}

UNIT_TEST(an_attribute_may_hold_what_another_one_holds)
{
    state_gives(arena,
                "%g = prim::GetAttr<g>(%self)\n"
                "prim::SetAttr<h>(%self, %g)\n"
                "-> %x\n",
                "=> x\n"
                "state h: Net.h to Net.g");
}

UNIT_TEST(an_attribute_that_does_not_exist_is_told)
{
    state_gives(arena,
                "%q = prim::GetAttr<q>(%self)\n"
                "-> %q\n",
                "Net does not have an attribute with name 'q'");
}

UNIT_TEST(an_attribute_is_given_no_other_object)
{
    state_gives(arena,
                "%b:Block = prim::GetAttr<b>(%self)\n"
                "prim::SetAttr<h>(%self, %b)\n"
                "-> %x\n",
                "the attribute \"h\", which the next call reads, is given another object");
}

/* ---- branches and loops ---------------------------------------------------------------------- */

UNIT_TEST(one_side_sets_an_attribute)
{
    state_gives(arena,
                "prim::If(%c)\n"
                "{ prim::SetAttr<h>(%self, %x)\n -> }\n"
                "{ -> }\n"
                "-> %x\n",
                "%1[2,3] = prim::If(c) { -> x } { -> Net.h }\n"
                "=> x\n"
                "state h: Net.h to %1");
}

UNIT_TEST(both_sides_set_an_attribute)
{
    state_gives(arena,
                "prim::If(%c)\n"
                "{ %a = aten::neg(%x)\n prim::SetAttr<h>(%self, %a)\n -> }\n"
                "{ prim::SetAttr<h>(%self, %x)\n -> }\n"
                "%r = prim::GetAttr<h>(%self)\n"
                "-> %r\n",
                "%1[2,3] = prim::If(c) { %2[2,3] = aten::neg(x); -> %2 } { -> x }\n"
                "=> %1\n"
                "state h: Net.h to %1");
}

UNIT_TEST(a_side_reads_what_it_set)
{
    state_gives(arena,
                "%r = prim::If(%c)\n"
                "{ prim::SetAttr<h>(%self, %x)\n %a = prim::GetAttr<h>(%self)\n -> %a }\n"
                "{ %b = prim::GetAttr<h>(%self)\n -> %b }\n"
                "-> %r\n",
                "%1[2,3], %2[2,3] = prim::If(c) { -> x, x } { -> Net.h, Net.h }\n"
                "=> %1\n"
                "state h: Net.h to %2");
}

UNIT_TEST(a_side_does_not_read_what_the_other_one_set_on_its_way)
{
    state_gives(arena,
                "%r = prim::If(%c)\n"
                "{ prim::SetAttr<h>(%self, %x)\n"
                " %a = aten::neg(%x)\n"
                " prim::SetAttr<h>(%self, %a)\n"
                " -> %a }\n"
                "{ %b = prim::GetAttr<h>(%self)\n -> %b }\n"
                "-> %r\n",
                "%1[2,3], %2[2,3] = prim::If(c) { %3[2,3] = aten::neg(x); -> %3, %3 } { -> "
                "Net.h, Net.h }\n"
                "=> %1\n"
                "state h: Net.h to %2");
}

UNIT_TEST(sides_that_set_the_same_give_it)
{
    state_gives(arena,
                "prim::If(%c)\n"
                "{ prim::SetAttr<h>(%self, %x)\n -> }\n"
                "{ prim::SetAttr<h>(%self, %x)\n -> }\n"
                "-> %x\n",
                "prim::If(c) { -> } { -> }\n"
                "=> x\n"
                "state h: Net.h to x");
}

UNIT_TEST(sides_set_numbers)
{
    state_gives(arena,
                "prim::If(%c)\n"
                "{ prim::SetAttr<n>(%self, %3)\n -> }\n"
                "{ -> }\n"
                "%k:int = prim::GetAttr<n>(%self)\n"
                "-> %k\n",
                "%1 int = prim::If(c) { -> 3 } { -> 1 }\n"
                "=> %1\n"
                "state n: 1 to %1");
}

UNIT_TEST(what_a_side_that_raises_set_is_forgotten)
{
    state_gives(arena,
                "prim::If(%c)\n"
                "{ prim::SetAttr<h>(%self, %x)\n prim::RaiseException(%text, %none)\n -> }\n"
                "{ -> }\n"
                "-> %x\n",
                "=> x");
}

UNIT_TEST(one_side_changes_in_place_what_nobody_read_before)
{
    state_gives(arena,
                "prim::If(%c)\n"
                "{ %h = prim::GetAttr<h>(%self)\n %z = aten::relu_(%h)\n -> }\n"
                "{ -> }\n"
                "-> %x\n",
                "%1[2,3] = prim::If(c) { %2[2,3] = aten::relu_(Net.h); -> %2 } { -> Net.h }\n"
                "=> x\n"
                "state h: Net.h to %1");
}

UNIT_TEST(so_it_does_within_a_branch_of_a_branch)
{
    state_gives(arena,
                "prim::If(%c)\n"
                "{\n"
                "prim::If(%d)\n"
                "{ %h = prim::GetAttr<h>(%self)\n %z = aten::relu_(%h)\n -> }\n"
                "{ -> }\n"
                "->\n"
                "}\n"
                "{ -> }\n"
                "-> %x\n",
                "%1[2,3] = prim::If(c) { %2[2,3] = prim::If(d) { %3[2,3] = aten::relu_(Net.h); "
                "-> %3 } { -> Net.h }; -> %2 } { -> Net.h }\n"
                "=> x\n"
                "state h: Net.h to %1");
}

UNIT_TEST(an_iteration_changes_in_place_what_nobody_read_before)
{
    state_gives(arena,
                "prim::Loop(%n, %true)\n"
                "{ (%i:int)\n %h = prim::GetAttr<h>(%self)\n %z = aten::add_.Tensor(%h, %x, %1)\n "
                "-> %true }\n"
                "-> %x\n",
                "%1[2,3] = prim::Loop(n, True, Net.h) { (%2 int, %3[2,3]) %4[2,3] = "
                "aten::add_.Tensor(%3, x, 1); -> True, %4 }\n"
                "=> x\n"
                "state h: Net.h to %1");
}

UNIT_TEST(an_iteration_sets_what_the_next_one_reads)
{
    state_gives(arena,
                "prim::Loop(%n, %true)\n"
                "{ (%i:int)\n"
                "%h = prim::GetAttr<h>(%self)\n"
                "%a = aten::add.Tensor(%h, %x, %1)\n"
                "prim::SetAttr<h>(%self, %a)\n"
                "-> %true }\n"
                "-> %x\n",
                "%1[2,3] = prim::Loop(n, True, Net.h) { (%2 int, %3[2,3]) %4[2,3] = "
                "aten::add.Tensor(%3, x, 1); -> True, %4 }\n"
                "=> x\n"
                "state h: Net.h to %1");
}

UNIT_TEST(a_loop_counts_in_an_attribute)
{
    state_gives(arena,
                "prim::Loop(%n, %true)\n"
                "{ (%i:int)\n"
                "%k:int = prim::GetAttr<n>(%self)\n"
                "%l:int = aten::add.int(%k, %2)\n"
                "prim::SetAttr<n>(%self, %l)\n"
                "-> %true }\n"
                "-> %x\n",
                "%1 int = prim::Loop(n, True, 1) { (%2 int, %3 int) %4 int = aten::add.int(%3, "
                "2); -> True, %4 }\n"
                "=> x\n"
                "state n: 1 to %1");
}

/* The data decides which of them it is. */
UNIT_TEST(what_may_be_what_an_attribute_holds_changes_it)
{
    state_gives(arena,
                "%r = prim::If(%c)\n"
                "{ %h = prim::GetAttr<h>(%self)\n -> %h }\n"
                "{ -> %x }\n"
                "%z = aten::relu_(%r)\n"
                "-> %z\n",
                "%1[2,3] = prim::If(c) { -> Net.h } { -> x }\n"
                "%2[2,3] = aten::relu_(%1)\n"
                "%3 unknown = aten::relu_() ! " EFFECTS_LOST "\n"
                "=> %2\n"
                "state h: Net.h to %3");
}

UNIT_TEST(sides_that_cannot_meet_leave_one_state)
{
    state_gives(arena,
                "%r = prim::If(%c)\n"
                "{ prim::SetAttr<h>(%self, %x)\n %a = aten::sum(%x, %none)\n -> %a }\n"
                "{ -> %x }\n"
                "%s = aten::neg(%r)\n"
                "%t = aten::sum(%s, %none)\n"
                "-> %t\n",
                "%1[], %2[2,3] = prim::If(c) { %3[] = aten::sum(x, None); %4[] = aten::neg(%3); "
                "%5[] = aten::sum(%4, None); -> %5, x } { %6[2,3] = aten::neg(x); %7[] = "
                "aten::sum(%6, None); -> %7, Net.h }\n"
                "=> %1\n"
                "state h: Net.h to %2");
}

UNIT_MAIN("interpret: state", an_attribute_that_is_read_is_no_state,
          an_attribute_that_is_set_is_a_state, it_is_a_state_although_nobody_reads_it,
          an_attribute_that_is_set_to_itself_is_none, an_attribute_reads_as_it_was_set_last,
          a_counter_is_a_state, a_number_that_is_set_to_an_equal_one_is_none,
          a_number_may_be_the_data, a_flag_is_a_state, a_text_is_a_state, none_may_become_a_tensor,
          a_tensor_may_become_none, attributes_of_other_modules_have_paths,
          states_come_in_the_order_of_slots_and_names, an_object_under_two_names_is_one,
          two_attributes_may_hold_one_tensor, an_attribute_may_hold_what_another_one_holds,
          an_attribute_that_does_not_exist_is_told, an_attribute_is_given_no_other_object,
          one_side_sets_an_attribute, both_sides_set_an_attribute, a_side_reads_what_it_set,
          a_side_does_not_read_what_the_other_one_set_on_its_way, sides_that_set_the_same_give_it,
          sides_set_numbers, what_a_side_that_raises_set_is_forgotten,
          one_side_changes_in_place_what_nobody_read_before, so_it_does_within_a_branch_of_a_branch,
          an_iteration_changes_in_place_what_nobody_read_before,
          an_iteration_sets_what_the_next_one_reads, a_loop_counts_in_an_attribute,
          what_may_be_what_an_attribute_holds_changes_it, sides_that_cannot_meet_leave_one_state)
