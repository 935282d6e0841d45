/*
 * Side effects of the sides of a branch: memory, lists, dicts and attributes.
 */
#include "named_trace.h"

UNIT_TEST(a_tensor_changed_in_place_on_one_side_is_an_output)
{
    gives(arena,
          "prim::If(%c) { %u = aten::relu_(%x) -> } { -> }\n"
          "%z = aten::neg(%x)\n"
          "-> %z\n",
          "%1[?,3] = prim::If(c) { %2[?,3] = aten::relu_(x); -> %2 } { -> x }\n"
          "%3[?,3] = aten::neg(%1)\n"
          "=> %3");
}

UNIT_TEST(a_tensor_changed_on_both_sides_is_one_output)
{
    gives(arena,
          "prim::If(%c) { %u = aten::relu_(%x) -> } { %v = aten::add_.Tensor(%x, %y, %1) -> }\n"
          "%z = aten::neg(%x)\n"
          "-> %z\n",
          "%1[?,3] = prim::If(c) { %2[?,3] = aten::relu_(x); -> %2 } { "
          "%3[?,3] = aten::add_.Tensor(x, y, 1); -> %3 }\n"
          "%4[?,3] = aten::neg(%1)\n"
          "=> %4");
}

UNIT_TEST(the_other_side_reads_the_tensor_as_it_was)
{
    gives(arena,
          "%r = prim::If(%c) { %u = aten::relu_(%x) -> %y } { %v = aten::neg(%x) -> %v }\n"
          "-> %r, %x\n",
          "%1[?,3], %2[?,3] = prim::If(c) { %3[?,3] = aten::relu_(x); -> %3, y } { "
          "%4[?,3] = aten::neg(x); -> x, %4 }\n"
          "=> %2, %1");
}

UNIT_TEST(a_side_reads_the_tensor_as_it_left_it)
{
    gives(arena,
          "%r = prim::If(%c) {\n"
          "  %u = aten::relu_(%x)\n"
          "  %v = aten::neg(%x)\n"
          "  -> %v } { -> %y }\n"
          "-> %r\n",
          "%1[?,3], %2[?,3] = prim::If(c) { %3[?,3] = aten::relu_(x); %4[?,3] = aten::neg(%3); "
          "-> %3, %4 } { -> x, y }\n"
          "=> %2");
}

UNIT_TEST(a_view_changed_on_one_side_changes_what_it_looks_at)
{
    gives(arena,
          "%w = aten::select.int(%x, %1, %0)\n"
          "prim::If(%c) { %u = aten::relu_(%w) -> } { -> }\n"
          "%z = aten::neg(%x)\n"
          "-> %z\n",
          "%1[?] = aten::select.int(x, 1, 0)\n"
          "%2[?,3] = prim::If(c) { %3[?] = aten::relu_(%1); "
          "%4[?,3] = aten::select_scatter(x, %3, 1, 0); -> %4 } { -> x }\n"
          "%5[?,3] = aten::neg(%2)\n"
          "=> %5");
}

UNIT_TEST(a_view_is_looked_at_anew_behind_a_branch)
{
    gives(arena,
          "%w = aten::select.int(%x, %1, %0)\n"
          "prim::If(%c) { %u = aten::relu_(%x) -> } { -> }\n"
          "%z = aten::neg(%w)\n"
          "-> %z\n",
          "%1[?] = aten::select.int(x, 1, 0)\n"
          "%2[?,3] = prim::If(c) { %3[?,3] = aten::relu_(x); -> %3 } { -> x }\n"
          "%4[?] = aten::select.int(%2, 1, 0)\n"
          "%5[?] = aten::neg(%4)\n"
          "=> %5");
}

UNIT_TEST(a_view_of_one_side_is_read_by_both_names_within_it)
{
    gives(arena,
          "%r = prim::If(%c) {\n"
          "  %w = aten::select.int(%x, %1, %0)\n"
          "  %u = aten::relu_(%w)\n"
          "  %t = aten::sum(%x, %none)\n"
          "  -> %t } { %s = aten::sum(%x, %none) -> %s }\n"
          "-> %r\n",
          "%1[?,3], %2[] = prim::If(c) { %3[?] = aten::select.int(x, 1, 0); "
          "%4[?] = aten::relu_(%3); %5[?,3] = aten::select_scatter(x, %4, 1, 0); "
          "%6[] = aten::sum(%5, None); -> %5, %6 } { %7[] = aten::sum(x, None); -> x, %7 }\n"
          "=> %2");
}

UNIT_TEST(a_tensor_of_one_side_alone_is_no_output)
{
    gives(arena,
          "%r = prim::If(%c) {\n"
          "  %u = aten::clone(%x)\n"
          "  %v = aten::relu_(%u)\n"
          "  -> %u } { -> %y }\n"
          "%z = aten::neg(%x)\n"
          "-> %r, %z\n",
          "%1[?,3] = prim::If(c) { %2[?,3] = aten::clone(x); %3[?,3] = aten::relu_(%2); "
          "-> %3 } { -> y }\n"
          "%4[?,3] = aten::neg(x)\n"
          "=> %1, %4");
}

UNIT_TEST(what_comes_out_changed_is_current)
{
    gives(arena,
          "%u = aten::clone(%x)\n"
          "%r = prim::If(%c) { %v = aten::relu_(%u) -> %u } { -> %u }\n"
          "%z = aten::neg(%r)\n"
          "%w = aten::neg(%u)\n"
          "-> %z, %w\n",
          "%1[?,3] = aten::clone(x)\n"
          "%2[?,3] = prim::If(c) { %3[?,3] = aten::relu_(%1); -> %3 } { -> %1 }\n"
          "%4[?,3] = aten::neg(%2)\n"
          "%5[?,3] = aten::neg(%2)\n"
          "=> %4, %5");
}

UNIT_TEST(the_output_of_a_branch_is_changed_as_itself)
{
    gives(arena,
          "%r = prim::If(%c) { -> %x } { -> %y }\n"
          "%u = aten::relu_(%r)\n"
          "%z = aten::neg(%r)\n"
          "-> %z\n",
          "%1[?,3] = prim::If(c) { -> x } { -> y }\n"
          "%2[?,3] = aten::relu_(%1)\n"
          "%3[?,3] = aten::neg(%2)\n"
          "=> %3");
}

UNIT_TEST(what_the_output_of_a_branch_may_be_is_unknown_once_it_is_changed)
{
    gives(arena,
          "%r = prim::If(%c) { -> %x } { -> %y }\n"
          "%u = aten::relu_(%r)\n"
          "%z = aten::neg(%y)\n"
          "-> %z\n",
          "%1[?,3] = prim::If(c) { -> x } { -> y }\n"
          "%2[?,3] = aten::relu_(%1)\n"
          "%3 unknown = aten::relu_() ! the tensor that it changes is read under another name, "
          "which shares its memory only on one side of a branch, in some iterations of a loop, "
          "or for some sizes\n"
          "%4 unknown = aten::neg(%3)\n"
          "=> %4");
}

UNIT_TEST(the_output_of_a_branch_is_unknown_once_what_it_may_be_is_changed)
{
    gives(arena,
          "%r = prim::If(%c) { -> %x } { -> %y }\n"
          "%u = aten::relu_(%x)\n"
          "%z = aten::neg(%r)\n"
          "-> %z\n",
          "%1[?,3] = prim::If(c) { -> x } { -> y }\n"
          "%2[?,3] = aten::relu_(x)\n"
          "%3 unknown = aten::relu_() ! the tensor that it changes is read under another name, "
          "which shares its memory only on one side of a branch, in some iterations of a loop, "
          "or for some sizes\n"
          "%4 unknown = aten::neg(%3)\n"
          "=> %4");
}

UNIT_TEST(what_the_output_of_a_branch_cannot_be_stays_known)
{
    gives(arena,
          "%u = aten::clone(%y)\n"
          "%r = prim::If(%c) { -> %x } { -> %y }\n"
          "%v = aten::relu_(%r)\n"
          "%z = aten::neg(%u)\n"
          "-> %z\n",
          "%1[?,3] = aten::clone(y)\n"
          "%2[?,3] = prim::If(c) { -> x } { -> y }\n"
          "%3[?,3] = aten::relu_(%2)\n"
          "%4[?,3] = aten::neg(%1)\n"
          "=> %4");
}

UNIT_TEST(nested_branches_hand_on_what_they_changed)
{
    gives(arena,
          "prim::If(%c) {\n"
          "  prim::If(%d) { %u = aten::relu_(%x) -> } { -> }\n"
          "  -> } { -> }\n"
          "%z = aten::neg(%x)\n"
          "-> %z\n",
          "%1[?,3] = prim::If(c) { %2[?,3] = prim::If(d) { %3[?,3] = aten::relu_(x); -> %3 } { "
          "-> x }; -> %2 } { -> x }\n"
          "%4[?,3] = aten::neg(%1)\n"
          "=> %4");
}

UNIT_TEST(an_element_of_a_list_set_on_one_side_is_an_output)
{
    gives(arena,
          "%l:list = prim::ListConstruct(%x, %y)\n"
          "prim::If(%c) { %k:list = aten::_set_item(%l, %0, %y) -> } { -> }\n"
          "%z = aten::stack(%l, %0)\n"
          "-> %z\n",
          "%1[?,3] = prim::If(c) { -> y } { -> x }\n"
          "%2[2,?,3] = aten::stack((%1, y), 0)\n"
          "=> %2");
}

UNIT_TEST(a_list_that_is_as_long_on_both_sides_is_the_same_list)
{
    gives(arena,
          "%l:list = prim::ListConstruct(%x)\n"
          "prim::If(%c) { %k:list = aten::append(%l, %y) -> } { "
          "%m:list = aten::append(%l, %x) -> }\n"
          "%k2:list = aten::append(%l, %x)\n"
          "%z = aten::stack(%l, %0)\n"
          "-> %z\n",
          "%1[?,3] = prim::If(c) { -> y } { -> x }\n"
          "%2[3,?,3] = aten::stack((x, %1, x), 0)\n"
          "=> %2");
}

UNIT_TEST(a_list_that_both_sides_empty_is_empty)
{
    gives(arena,
          "%l:list = prim::ListConstruct(%x)\n"
          "prim::If(%c) { %a = aten::pop.t(%l, %0) -> } { aten::clear(%l) -> }\n"
          "%k:int = aten::len.t(%l)\n"
          "%z = aten::add.Scalar(%x, %k, %1)\n"
          "-> %z\n",
          "prim::If(c) { -> } { -> }\n"
          "%1[?,3] = aten::add.Scalar(x, 0, 1)\n"
          "=> %1");
}

UNIT_TEST(an_operator_keeps_what_a_list_held_before_a_side_changed_it)
{
    gives(arena,
          "%l:list = prim::ListConstruct(%x, %y)\n"
          "%a = aten::stack(%l, %0)\n"
          "prim::If(%c) { %k:list = aten::_set_item(%l, %0, %y) -> } { -> }\n"
          "%b = aten::stack(%l, %0)\n"
          "%z = aten::add.Tensor(%a, %b, %1)\n"
          "-> %z\n",
          "%1[2,?,3] = aten::stack((x, y), 0)\n"
          "%2[?,3] = prim::If(c) { -> y } { -> x }\n"
          "%3[2,?,3] = aten::stack((%2, y), 0)\n"
          "%4[2,?,3] = aten::add.Tensor(%1, %3, 1)\n"
          "=> %4");
}

UNIT_TEST(a_list_holds_memory_that_a_side_changes)
{
    gives(arena,
          "%u = aten::clone(%x)\n"
          "%l:list = prim::ListConstruct(%u, %y)\n"
          "prim::If(%c) { %v = aten::relu_(%u) -> } { -> }\n"
          "%z = aten::stack(%l, %0)\n"
          "-> %z\n",
          "%1[?,3] = aten::clone(x)\n"
          "%2[?,3] = prim::If(c) { %3[?,3] = aten::relu_(%1); -> %3 } { -> %1 }\n"
          "%4[2,?,3] = aten::stack((%2, y), 0)\n"
          "=> %4");
}

UNIT_TEST(a_view_in_a_list_whose_memory_one_side_changes_and_the_other_side_replaces_is_refused)
{
    gives(arena,
          "%u = aten::clone(%x)\n"
          "%v = aten::select.int(%u, %1, %0)\n"
          "%l:list = prim::ListConstruct(%v)\n"
          "prim::If(%c) { %w = aten::relu_(%u) -> } {\n"
          "  %t = aten::select.int(%y, %1, %0)\n"
          "  %k:list = aten::_set_item(%l, %0, %t)\n"
          "  -> }\n"
          "-> %x\n",
          "a list holds a view of a tensor that is changed on one side of a branch, or in a loop");
}

UNIT_TEST(a_value_of_a_dict_set_on_one_side_is_an_output)
{
    gives(arena,
          "%a:str = prim::Constant<\"a\">()\n"
          "%e:dict = prim::DictConstruct(%a, %x)\n"
          "prim::If(%c) { aten::_set_item(%e, %a, %y) -> } { -> }\n"
          "%z = aten::__getitem__.str(%e, %a)\n"
          "-> %z\n",
          "%1[?,3] = prim::If(c) { -> y } { -> x }\n"
          "=> %1");
}

UNIT_TEST(a_key_that_one_side_adds_parts_the_sides)
{
    gives(arena,
          "%a:str = prim::Constant<\"a\">()\n"
          "%e:dict = prim::DictConstruct()\n"
          "prim::If(%c) { aten::_set_item(%e, %a, %y) -> } { -> }\n"
          "%b:bool = aten::__contains__.str(%e, %a)\n"
          "%z = prim::If(%b) { %u = aten::__getitem__.str(%e, %a) -> %u } { -> %x }\n"
          "-> %z\n",
          "%1[?,3] = prim::If(c) { -> y } { -> x }\n"
          "=> %1");
}

UNIT_TEST(an_attribute_set_on_one_side_is_an_output_and_a_state)
{
    gives_in(arena, "class Net h=tensor[3]\n",
             "prim::If(%c) {\n"
             "  %h = prim::GetAttr<h>(%self)\n"
             "  %g = aten::relu(%h)\n"
             "  prim::SetAttr<h>(%self, %g)\n"
             "  -> } { -> }\n"
             "%k = prim::GetAttr<h>(%self)\n"
             "%z = aten::add.Tensor(%x, %k, %1)\n"
             "-> %z\n",
             "%1[3] = prim::If(c) { %2[3] = aten::relu(Net.h); -> %2 } { -> Net.h }\n"
             "%3[?,3] = aten::add.Tensor(x, %1, 1)\n"
             "=> %3\n"
             "state h: Net.h to %1");
}

UNIT_TEST(an_attribute_set_on_both_sides_is_one_output)
{
    gives_in(arena, "class Net h=tensor[3]\n",
             "%h = prim::GetAttr<h>(%self)\n"
             "prim::If(%c) {\n"
             "  %u = aten::relu(%h)\n"
             "  prim::SetAttr<h>(%self, %u)\n"
             "  -> } {\n"
             "  %v = aten::neg(%h)\n"
             "  prim::SetAttr<h>(%self, %v)\n"
             "  -> }\n"
             "-> %x\n",
             "%1[3] = prim::If(c) { %2[3] = aten::relu(Net.h); -> %2 } { "
             "%3[3] = aten::neg(Net.h); -> %3 }\n"
             "=> x\n"
             "state h: Net.h to %1");
}

UNIT_TEST(the_other_side_reads_the_attribute_as_it_was)
{
    gives_in(arena, "class Net h=tensor[3]\n",
             "%r = prim::If(%c) {\n"
             "  prim::SetAttr<h>(%self, %y)\n"
             "  -> %x } {\n"
             "  %h = prim::GetAttr<h>(%self)\n"
             "  prim::SetAttr<h>(%self, %y)\n"
             "  %v = aten::add.Tensor(%y, %h, %1)\n"
             "  -> %v }\n"
             "-> %r\n",
             "%1[?,3] = prim::If(c) { -> x } { %2[?,3] = aten::add.Tensor(y, Net.h, 1); -> %2 }\n"
             "=> %1\n"
             "state h: Net.h to y");
}

UNIT_TEST(a_number_in_an_attribute_is_an_output)
{
    gives_in(arena, "class Net k=3\n",
             "prim::If(%c) { prim::SetAttr<k>(%self, %1) -> } { -> }\n"
             "%k:int = prim::GetAttr<k>(%self)\n"
             "%z = aten::add.Scalar(%x, %k, %1)\n"
             "-> %z\n",
             "%1 int = prim::If(c) { -> 1 } { -> 3 }\n"
             "%2[?,3] = aten::add.Scalar(x, %1, 1)\n"
             "=> %2\n"
             "state k: 3 to %1");
}

UNIT_TEST(an_attribute_that_a_side_sets_to_what_it_was_is_no_output)
{
    gives_in(arena, "class Net h=tensor[3]\n",
             "%h = prim::GetAttr<h>(%self)\n"
             "prim::If(%c) { prim::SetAttr<h>(%self, %h) -> } { -> }\n"
             "-> %x\n",
             "prim::If(c) { -> } { -> }\n"
             "=> x");
}

UNIT_TEST(a_weight_changed_in_place_on_one_side_is_a_state)
{
    gives_in(arena, "class Net h=tensor[3]\n",
             "prim::If(%c) {\n"
             "  %h = prim::GetAttr<h>(%self)\n"
             "  %g = aten::relu_(%h)\n"
             "  -> } { -> }\n"
             "-> %x\n",
             "%1[3] = prim::If(c) { %2[3] = aten::relu_(Net.h); -> %2 } { -> Net.h }\n"
             "=> x\n"
             "state h: Net.h to %1");
}

UNIT_TEST(attributes_that_cannot_meet_part_what_follows)
{
    gives_in(arena, "class Net h=tensor[3]\n",
             "prim::If(%c) { prim::SetAttr<h>(%self, %none) -> } { -> }\n"
             "%k = prim::GetAttr<h>(%self)\n"
             "%b:bool = aten::__is__(%k, %none)\n"
             "%z = prim::If(%b) { -> %x } { %v = aten::add.Tensor(%x, %k, %1) -> %v }\n"
             "prim::SetAttr<h>(%self, %z)\n"
             "-> %z\n",
             "%1[?,3], %2[?,3] = prim::If(c) { -> x, x } { "
             "%3[?,3] = aten::add.Tensor(x, Net.h, 1); -> %3, %3 }\n"
             "=> %1\n"
             "state h: Net.h to %2");
}

UNIT_TEST(an_object_keeps_what_a_side_set)
{
    gives_in(arena,
             "class Net n=1\n"
             "class Pair v=3\n",
             "%p:Pair = prim::CreateObject()\n"
             "prim::SetAttr<v>(%p, %x)\n"
             "prim::If(%c) { prim::SetAttr<v>(%p, %y) -> } { -> }\n"
             "%v = prim::GetAttr<v>(%p)\n"
             "%z = aten::relu(%v)\n"
             "-> %z\n",
             "%1[?,3] = prim::If(c) { -> y } { -> x }\n"
             "%2[?,3] = aten::relu(%1)\n"
             "=> %2");
}

UNIT_TEST(an_object_of_a_side_is_read_within_it)
{
    gives_in(arena,
             "class Net n=1\n"
             "class Pair v=3\n",
             "%r = prim::If(%c) {\n"
             "  %p:Pair = prim::CreateObject()\n"
             "  prim::SetAttr<v>(%p, %x)\n"
             "  %v = prim::GetAttr<v>(%p)\n"
             "  %u = aten::relu(%v)\n"
             "  -> %u } { -> %y }\n"
             "-> %r\n",
             "%1[?,3] = prim::If(c) { %2[?,3] = aten::relu(x); -> %2 } { -> y }\n"
             "=> %1");
}

UNIT_TEST(objects_that_differ_part_what_follows)
{
    gives_in(arena,
             "class Net n=1\n"
             "class Pair v=3\n",
             "%r:Pair = prim::If(%c) {\n"
             "  %p:Pair = prim::CreateObject()\n"
             "  prim::SetAttr<v>(%p, %x)\n"
             "  -> %p } {\n"
             "  %q:Pair = prim::CreateObject()\n"
             "  prim::SetAttr<v>(%q, %y)\n"
             "  -> %q }\n"
             "%v = prim::GetAttr<v>(%r)\n"
             "%u = aten::relu(%v)\n"
             "-> %u\n",
             "%1[?,3] = prim::If(c) { %2[?,3] = aten::relu(x); -> %2 } { "
             "%3[?,3] = aten::relu(y); -> %3 }\n"
             "=> %1");
}

UNIT_TEST(an_attribute_that_sides_alone_have_set_is_not_read)
{
    gives_in(arena,
             "class Net n=1\n"
             "class Pair v=3\n",
             "%p:Pair = prim::CreateObject()\n"
             "prim::If(%c) { prim::SetAttr<v>(%p, %x) -> } { prim::SetAttr<v>(%p, %y) -> }\n"
             "%v = prim::GetAttr<v>(%p)\n"
             "-> %v\n",
             "an attribute is read that was set in a branch or loop first, in the root module");
}

UNIT_MAIN(
    "interpret: changes on the sides of a branch",
    a_tensor_changed_in_place_on_one_side_is_an_output,
    a_tensor_changed_on_both_sides_is_one_output, the_other_side_reads_the_tensor_as_it_was,
    a_side_reads_the_tensor_as_it_left_it, a_view_changed_on_one_side_changes_what_it_looks_at,
    a_view_is_looked_at_anew_behind_a_branch, a_view_of_one_side_is_read_by_both_names_within_it,
    a_tensor_of_one_side_alone_is_no_output, what_comes_out_changed_is_current,
    the_output_of_a_branch_is_changed_as_itself,
    what_the_output_of_a_branch_may_be_is_unknown_once_it_is_changed,
    the_output_of_a_branch_is_unknown_once_what_it_may_be_is_changed,
    what_the_output_of_a_branch_cannot_be_stays_known, nested_branches_hand_on_what_they_changed,
    an_element_of_a_list_set_on_one_side_is_an_output,
    a_list_that_is_as_long_on_both_sides_is_the_same_list, a_list_that_both_sides_empty_is_empty,
    an_operator_keeps_what_a_list_held_before_a_side_changed_it,
    a_list_holds_memory_that_a_side_changes,
    a_view_in_a_list_whose_memory_one_side_changes_and_the_other_side_replaces_is_refused,
    a_value_of_a_dict_set_on_one_side_is_an_output, a_key_that_one_side_adds_parts_the_sides,
    an_attribute_set_on_one_side_is_an_output_and_a_state,
    an_attribute_set_on_both_sides_is_one_output, the_other_side_reads_the_attribute_as_it_was,
    a_number_in_an_attribute_is_an_output,
    an_attribute_that_a_side_sets_to_what_it_was_is_no_output,
    a_weight_changed_in_place_on_one_side_is_a_state, attributes_that_cannot_meet_part_what_follows,
    an_object_keeps_what_a_side_set, an_object_of_a_side_is_read_within_it,
    objects_that_differ_part_what_follows, an_attribute_that_sides_alone_have_set_is_not_read)
