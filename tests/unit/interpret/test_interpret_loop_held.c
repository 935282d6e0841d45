/*
 * Lists, dicts and attributes that loops carry.
 */
#include "named_trace.h"

UNIT_TEST(a_list_is_carried_by_its_elements_where_its_length_stays)
{
    gives(arena,
          "%l:list = prim::ListConstruct(%x, %y)\n"
          "%r:list = prim::Loop(%n, %true, %l) { (%i:int, %m:list)\n"
          "  %a, %b = prim::ListUnpack(%m)\n"
          "  %o:list = prim::ListConstruct(%b, %a)\n"
          "  -> %true, %o }\n"
          "%z = aten::stack(%r, %0)\n"
          "-> %z\n",
          "%1[?,3], %2[?,3] = prim::Loop(n, True, x, y) { (%3 int, %4[?,3], %5[?,3]) "
          "-> True, %5, %4 }\n"
          "%6[2,?,3] = aten::stack((%1, %2), 0)\n"
          "=> %6");
}

UNIT_TEST(a_list_is_carried_as_a_stack_where_its_length_changes)
{
    gives(arena,
          "%l:list = prim::ListConstruct(%x)\n"
          "%r:list = prim::Loop(%n, %true, %l) { (%i:int, %m:list)\n"
          "  %o:list = prim::ListConstruct(%y)\n"
          "  %p:list = aten::add.t(%m, %o)\n"
          "  -> %true, %p }\n"
          "%z = aten::stack(%r, %0)\n"
          "-> %z\n",
          "%1[1,?,3] = aten::unsqueeze(x, 0)\n"
          "%2[?,?,3] = prim::Loop(n, True, %1) { (%3 int, %4[?,?,3]) "
          "%5[1,?,3] = aten::unsqueeze(y, 0); %6[?,?,3] = aten::cat((%4, %5), 0); -> True, %6 }\n"
          "%7[?,?,3] = aten::movedim.int(%2, 0, 0)\n"
          "=> %7");
}

UNIT_TEST(a_list_that_the_body_gives_back_is_the_same_list)
{
    gives(arena,
          "%l:list = prim::ListConstruct(%x)\n"
          "%r:list = prim::Loop(%n, %true, %l) { (%i:int, %m:list)\n"
          "  %k:list = aten::append(%m, %y)\n"
          "  -> %true, %m }\n"
          "%z = aten::stack(%l, %0)\n"
          "-> %z\n",
          "%1[?,?,3] = prim::Loop(n, True) { (%2 int) -> True, y }\n"
          "%3[?,?,3] = aten::movedim.int(%1, 0, 0)\n"
          "%4[1,?,3] = aten::unsqueeze(x, 0)\n"
          "%5[?,?,3] = aten::cat((%4, %3), 0)\n"
          "=> %5");
}

UNIT_TEST(an_element_that_the_body_sets_is_carried)
{
    gives(arena,
          "%l:list = prim::ListConstruct(%x, %y)\n"
          "prim::Loop(%n, %true) { (%i:int)\n"
          "  %a = aten::__getitem__.t(%l, %0)\n"
          "  %u = aten::relu(%a)\n"
          "  %k:list = aten::_set_item(%l, %0, %u)\n"
          "  -> %true }\n"
          "%z = aten::stack(%l, %0)\n"
          "-> %z\n",
          "%1[?,3], %2[?,3] = prim::Loop(n, True, x, y) { (%3 int, %4[?,3], %5[?,3]) "
          "%6[?,3] = aten::relu(%4); -> True, %6, %5 }\n"
          "%7[2,?,3] = aten::stack((%1, %2), 0)\n"
          "=> %7");
}

UNIT_TEST(a_value_that_the_body_puts_into_a_dict_is_carried)
{
    gives(arena,
          "%a:str = prim::Constant<\"a\">()\n"
          "%e:dict = prim::DictConstruct(%a, %x)\n"
          "prim::Loop(%n, %true) { (%i:int)\n"
          "  %v = aten::__getitem__.str(%e, %a)\n"
          "  %w = aten::relu(%v)\n"
          "  aten::_set_item(%e, %a, %w)\n"
          "  -> %true }\n"
          "%z = aten::__getitem__.str(%e, %a)\n"
          "-> %z\n",
          "%1[?,3] = prim::Loop(n, True, x) { (%2 int, %3[?,3]) %4[?,3] = aten::relu(%3); "
          "-> True, %4 }\n"
          "=> %1");
}

UNIT_TEST(a_dict_that_the_body_makes_larger_is_refused)
{
    gives(arena,
          "%a:str = prim::Constant<\"a\">()\n"
          "%e:dict = prim::DictConstruct()\n"
          "prim::Loop(%n, %true) { (%i:int) aten::_set_item(%e, %a, %x) -> %true }\n"
          "-> %x\n",
          "a loop on the data changes the length of a dict, or of a list of other than tensors "
          "and numbers, in the root module");
}

UNIT_TEST(a_list_of_lists_that_the_body_makes_longer_is_refused)
{
    gives(arena,
          "%l:list = prim::ListConstruct()\n"
          "prim::Loop(%n, %true) { (%i:int)\n"
          "  %m:list = prim::ListConstruct(%x)\n"
          "  %k:list = aten::append(%l, %m)\n"
          "  -> %true }\n"
          "-> %x\n",
          "a loop on the data changes the length of a dict, or of a list of other than tensors "
          "and numbers, in the root module");
}

UNIT_TEST(tensors_of_different_ranks_do_not_go_into_one_list)
{
    gives(arena,
          "%l:list = prim::ListConstruct()\n"
          "prim::Loop(%n, %true) { (%i:int)\n"
          "  %s = aten::sum(%x, %none)\n"
          "  %k:list = aten::append(%l, %x)\n"
          "  %m:list = aten::append(%l, %s)\n"
          "  -> %true }\n"
          "-> %x\n",
          "a list whose length depends on the data holds tensors of different ranks or dtypes, "
          "or elements that ONNX sequences cannot hold, in the root module");
}

UNIT_TEST(a_list_of_an_attribute_whose_length_the_data_decides_is_refused)
{
    gives_in(arena, "class Net l=list[tensor[3]]\n",
             "%l:list = prim::GetAttr<l>(%self)\n"
             "%a = aten::__getitem__.t(%l, %0)\n"
             "prim::Loop(%n, %true) { (%i:int) %k:list = aten::append(%l, %a) -> %true }\n"
             "-> %x\n",
             "the attribute \"l\", which the next call reads, is a list whose length the data "
             "decides");
}

UNIT_TEST(a_list_holds_memory_that_the_body_changes)
{
    gives(arena,
          "%a = aten::clone(%x)\n"
          "%l:list = prim::ListConstruct(%a, %y)\n"
          "prim::Loop(%n, %true) { (%i:int) %u = aten::relu_(%a) -> %true }\n"
          "%z = aten::stack(%l, %0)\n"
          "-> %z\n",
          "%1[?,3] = aten::clone(x)\n"
          "%2[?,3] = prim::Loop(n, True, %1) { (%3 int, %4[?,3]) %5[?,3] = aten::relu_(%4); "
          "-> True, %5 }\n"
          "%6[2,?,3] = aten::stack((%2, y), 0)\n"
          "=> %6");
}

UNIT_TEST(an_attribute_that_the_body_sets_is_carried_and_a_state)
{
    gives_in(arena, "class Net h=tensor[3]\n",
             "prim::Loop(%n, %true) { (%i:int)\n"
             "  %h = prim::GetAttr<h>(%self)\n"
             "  %g = aten::relu(%h)\n"
             "  prim::SetAttr<h>(%self, %g)\n"
             "  -> %true }\n"
             "%k = prim::GetAttr<h>(%self)\n"
             "%z = aten::add.Tensor(%x, %k, %1)\n"
             "-> %z\n",
             "%1[3] = prim::Loop(n, True, Net.h) { (%2 int, %3[3]) %4[3] = aten::relu(%3); "
             "-> True, %4 }\n"
             "%5[?,3] = aten::add.Tensor(x, %1, 1)\n"
             "=> %5\n"
             "state h: Net.h to %1");
}

UNIT_TEST(a_number_in_an_attribute_is_carried)
{
    gives_in(arena, "class Net k=3\n",
             "prim::Loop(%n, %true) { (%i:int)\n"
             "  %k:int = prim::GetAttr<k>(%self)\n"
             "  %j:int = aten::add.int(%k, %1)\n"
             "  prim::SetAttr<k>(%self, %j)\n"
             "  -> %true }\n"
             "%m:int = prim::GetAttr<k>(%self)\n"
             "%z = aten::add.Scalar(%x, %m, %1)\n"
             "-> %z\n",
             "%1 int = prim::Loop(n, True, 3) { (%2 int, %3 int) %4 int = aten::add.int(%3, 1); "
             "-> True, %4 }\n"
             "%5[?,3] = aten::add.Scalar(x, %1, 1)\n"
             "=> %5\n"
             "state k: 3 to %1");
}

UNIT_TEST(a_weight_that_the_body_changes_in_place_is_carried_and_a_state)
{
    gives_in(arena, "class Net h=tensor[3]\n",
             "prim::Loop(%n, %true) { (%i:int)\n"
             "  %h = prim::GetAttr<h>(%self)\n"
             "  %g = aten::relu_(%h)\n"
             "  -> %true }\n"
             "-> %x\n",
             "%1[3] = prim::Loop(n, True, Net.h) { (%2 int, %3[3]) %4[3] = aten::relu_(%3); "
             "-> True, %4 }\n"
             "=> x\n"
             "state h: Net.h to %1");
}

UNIT_TEST(an_attribute_of_an_object_that_the_call_made_is_carried)
{
    gives_in(arena,
             "class Net n=1\n"
             "class Pair v=3\n",
             "%p:Pair = prim::CreateObject()\n"
             "prim::SetAttr<v>(%p, %x)\n"
             "prim::Loop(%n, %true) { (%i:int)\n"
             "  %v = prim::GetAttr<v>(%p)\n"
             "  %w = aten::relu(%v)\n"
             "  prim::SetAttr<v>(%p, %w)\n"
             "  -> %true }\n"
             "%u = prim::GetAttr<v>(%p)\n"
             "%z = aten::neg(%u)\n"
             "-> %z\n",
             "%1[?,3] = prim::Loop(n, True, x) { (%2 int, %3[?,3]) %4[?,3] = aten::relu(%3); "
             "-> True, %4 }\n"
             "%5[?,3] = aten::neg(%1)\n"
             "=> %5");
}

UNIT_TEST(an_attribute_that_only_reads_is_not_carried)
{
    gives_in(arena, "class Net h=tensor[3]\n",
             "%r = prim::Loop(%n, %true, %x) { (%i:int, %q)\n"
             "  %h = prim::GetAttr<h>(%self)\n"
             "  %g = aten::add.Tensor(%q, %h, %1)\n"
             "  -> %true, %g }\n"
             "-> %r\n",
             "%1[?,3] = prim::Loop(n, True, x) { (%2 int, %3[?,3]) "
             "%4[?,3] = aten::add.Tensor(%3, Net.h, 1); -> True, %4 }\n"
             "=> %1");
}

UNIT_TEST(an_attribute_is_what_the_last_iteration_that_ran_has_left)
{
    gives_in(arena, "class Net h=tensor[3]\n",
             "%h = prim::GetAttr<h>(%self)\n"
             "%r = prim::Loop(%many, %c, %h) { (%i:int, %q)\n"
             "  %g = aten::relu(%q)\n"
             "  prim::If(%d) { prim::SetAttr<h>(%self, %g) -> } { -> }\n"
             "  -> %d, %g }\n"
             "%k = prim::GetAttr<h>(%self)\n"
             "-> %r, %k\n",
             "%1[3], %2[3] = prim::Loop(None, c, Net.h, Net.h) { "
             "(%3 int, %4[3], %5[3]) %6[3] = aten::relu(%4); %7[3] = prim::If(d) { -> %6 } { "
             "-> %5 }; -> d, %6, %7 }\n"
             "=> %1, %2\n"
             "state h: Net.h to %2");
}

UNIT_TEST(an_attribute_that_becomes_None_in_a_loop_is_refused)
{
    gives_in(arena, "class Net h=tensor[3]\n",
             "prim::Loop(%n, %true) { (%i:int) prim::SetAttr<h>(%self, %none) -> %true }\n"
             "%k = prim::GetAttr<h>(%self)\n"
             "-> %x\n",
             "the sides of a branch on the data give values of different kinds, in the root "
             "module");
}

UNIT_TEST(tuples_within_lists_are_carried_by_their_parts)
{
    gives(arena,
          "%t:tuple = prim::TupleConstruct(%x, %0)\n"
          "%l:list = prim::ListConstruct(%t)\n"
          "%r:list = prim::Loop(%n, %true, %l) { (%i:int, %m:list)\n"
          "  %e:tuple = aten::__getitem__.t(%m, %0)\n"
          "  %a, %k:int = prim::TupleUnpack(%e)\n"
          "  %u = aten::relu(%a)\n"
          "  %o:tuple = prim::TupleConstruct(%u, %i)\n"
          "  %p:list = prim::ListConstruct(%o)\n"
          "  -> %true, %p }\n"
          "%e2:tuple = aten::__getitem__.t(%r, %0)\n"
          "%b, %j:int = prim::TupleUnpack(%e2)\n"
          "%z = aten::add.Scalar(%b, %j, %1)\n"
          "-> %z\n",
          "%1[?,3], %2 int = prim::Loop(n, True, x, 0) { (%3 int, %4[?,3], %5 int) "
          "%6[?,3] = aten::relu(%4); -> True, %6, %3 }\n"
          "%7[?,3] = aten::add.Scalar(%1, %2, 1)\n"
          "=> %7");
}

UNIT_TEST(a_list_that_a_loop_carries_is_not_changed_behind_it)
{
    gives(arena,
          "%l:list = prim::ListConstruct(%x)\n"
          "%r:list = prim::Loop(%n, %true, %l) { (%i:int, %m:list)\n"
          "  %o:list = prim::ListConstruct(%y)\n"
          "  -> %true, %o }\n"
          "%k:list = aten::append(%r, %x)\n"
          "-> %x\n",
          "a list that comes out of a branch or loop on the data is changed");
}

UNIT_TEST(a_list_that_grows_in_the_loop_is_given_whole_to_the_next_iteration)
{
    gives(arena,
          "%l:list = prim::ListConstruct(%x)\n"
          "%m:list = prim::ListConstruct(%y)\n"
          "%r:list = prim::Loop(%n, %true, %m) { (%i:int, %o:list)\n"
          "  %k:list = aten::append(%l, %y)\n"
          "  -> %true, %l }\n"
          "%z = aten::stack(%r, %0)\n"
          "-> %z\n",
          "%1 bool = aten::gt.int(n, 0)\n"
          "%2[?,?,3] = prim::If(%1) { %3 int = aten::sub.int(n, 1); "
          "%4[?,?,3] = prim::Loop(%3, True) { (%5 int) %6 int = aten::add.int(%5, 1); "
          "-> True, y }; %7[?,?,3] = aten::movedim.int(%4, 0, 0); "
          "%8[1,?,3] = aten::unsqueeze(x, 0); %9[1,?,3] = aten::unsqueeze(y, 0); "
          "%10[?,?,3] = aten::cat((%8, %9, %7), 0); -> %10 } { %11[1,?,3] = aten::stack((y), 0); "
          "-> %11 }\n"
          "=> %2");
}

UNIT_TEST(a_list_that_grows_in_the_loop_is_not_part_of_a_tuple)
{
    gives(arena,
          "%l:list = prim::ListConstruct(%x)\n"
          "%t:tuple = prim::TupleConstruct(%l)\n"
          "%r:tuple = prim::Loop(%n, %true, %t) { (%i:int, %o:tuple)\n"
          "  %k:list = aten::append(%l, %y)\n"
          "  %p:tuple = prim::TupleConstruct(%l)\n"
          "  -> %true, %p }\n"
          "-> %x\n",
          "a loop on the data changes the length of a list or tuple that it carries, in the root "
          "module");
}

UNIT_TEST(a_list_that_grows_in_the_loop_is_given_whole_to_the_loop_within)
{
    gives(arena,
          "%l:list = prim::ListConstruct(%x)\n"
          "prim::Loop(%n, %true) { (%i:int)\n"
          "  %k:list = aten::append(%l, %y)\n"
          "  %m:list = prim::ListConstruct(%y)\n"
          "  %r:list = prim::Loop(%n, %true, %l) { (%j:int, %o:list) -> %true, %m }\n"
          "  %e = aten::stack(%r, %0)\n"
          "  -> %true }\n"
          "%z = aten::stack(%l, %0)\n"
          "-> %z\n",
          "%1[1,?,3] = aten::unsqueeze(x, 0)\n"
          "%2[?,?,3] = prim::Loop(n, True, %1) { (%3 int, %4[?,?,3]) "
          "%5[1,?,3] = aten::unsqueeze(y, 0); %6[?,?,3] = aten::cat((%4, %5), 0); "
          "%7[?,?,3] = prim::Loop(n, True, %6) { (%8 int, %9[?,?,3]) "
          "%10[1,?,3] = aten::unsqueeze(y, 0); -> True, %10 }; "
          "%11[?,?,3] = aten::movedim.int(%7, 0, 0); -> True, %6 }\n"
          "%12[?,?,3] = aten::movedim.int(%2, 0, 0)\n"
          "=> %12");
}

UNIT_MAIN("interpret: lists and attributes that loops carry",
          a_list_is_carried_by_its_elements_where_its_length_stays,
          a_list_is_carried_as_a_stack_where_its_length_changes,
          a_list_that_the_body_gives_back_is_the_same_list,
          an_element_that_the_body_sets_is_carried,
          a_value_that_the_body_puts_into_a_dict_is_carried,
          a_dict_that_the_body_makes_larger_is_refused,
          a_list_of_lists_that_the_body_makes_longer_is_refused,
          tensors_of_different_ranks_do_not_go_into_one_list,
          a_list_of_an_attribute_whose_length_the_data_decides_is_refused,
          a_list_holds_memory_that_the_body_changes,
          an_attribute_that_the_body_sets_is_carried_and_a_state,
          a_number_in_an_attribute_is_carried,
          a_weight_that_the_body_changes_in_place_is_carried_and_a_state,
          an_attribute_of_an_object_that_the_call_made_is_carried,
          an_attribute_that_only_reads_is_not_carried,
          an_attribute_is_what_the_last_iteration_that_ran_has_left,
          an_attribute_that_becomes_None_in_a_loop_is_refused,
          tuples_within_lists_are_carried_by_their_parts,
          a_list_that_a_loop_carries_is_not_changed_behind_it,
          a_list_that_grows_in_the_loop_is_given_whole_to_the_next_iteration,
          a_list_that_grows_in_the_loop_is_not_part_of_a_tuple,
          a_list_that_grows_in_the_loop_is_given_whole_to_the_loop_within)
