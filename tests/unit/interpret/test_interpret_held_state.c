/*
 * Attributes changed in place, lists and tuples in them, and objects made by a call.
 */
#include "effects_fixture.h"

/* ---- changed in place ------------------------------------------------------------------------ */

UNIT_TEST(an_attribute_is_what_is_in_its_memory_in_the_end)
{
    state_gives(arena,
                "%h = prim::GetAttr<h>(%self)\n"
                "%r = aten::relu_(%h)\n"
                "%s = aten::add_.Tensor(%h, %x, %1)\n"
                "-> %r\n",
                "%1[2,3] = aten::relu_(Net.h)\n"
                "%2[2,3] = aten::add_.Tensor(%1, x, 1)\n"
                "=> %2\n"
                "state h: Net.h to %2");
}

UNIT_TEST(a_view_in_an_attribute_is_what_it_shows_in_the_end)
{
    state_gives(arena,
                "%a = aten::neg(%x)\n"
                "%v = aten::slice.Tensor(%a, %0, %0, %1, %1)\n"
                "prim::SetAttr<e>(%self, %v)\n"
                "%z = aten::relu_(%a)\n"
                "-> %x\n",
                "%1[2,3] = aten::neg(x)\n"
                "%2[1,3] = aten::slice.Tensor(%1, 0, 0, 1, 1)\n"
                "%3[2,3] = aten::relu_(%1)\n"
                "%4[1,3] = aten::slice.Tensor(%3, 0, 0, 1, 1)\n"
                "=> x\n"
                "state e: None to %4");
}

UNIT_TEST(what_an_attribute_held_before_is_changed_alone)
{
    state_gives(arena,
                "%h = prim::GetAttr<h>(%self)\n"
                "%a = aten::neg(%x)\n"
                "prim::SetAttr<h>(%self, %a)\n"
                "%z = aten::relu_(%h)\n"
                "-> %z\n",
                "%1[2,3] = aten::neg(x)\n"
                "%2[2,3] = aten::relu_(Net.h)\n"
                "=> %2\n"
                "state h: Net.h to %1");
}

UNIT_TEST(the_input_that_an_attribute_holds_is_changed)
{
    state_gives(arena,
                "prim::SetAttr<h>(%self, %x)\n"
                "%z = aten::relu_(%x)\n"
                "-> %x\n",
                "%1[2,3] = aten::relu_(x)\n"
                "=> %1\n"
                "state h: Net.h to %1");
}

UNIT_TEST(a_counter_that_is_a_tensor_is_known)
{
    state_gives(arena,
                "%k = prim::GetAttr<k>(%self)\n"
                "%u = aten::add_.Scalar(%k, %1, %1)\n"
                "%i:int = aten::Int.Tensor(%k)\n"
                "-> %i\n",
                "%1[] = aten::add_.Scalar(Net.k, 1, 1)\n"
                "1 = aten::Int.Tensor(%1)\n"
                "=> 1\n"
                "state k: Net.k to %1");
}

UNIT_TEST(what_one_side_counts_the_other_one_does_not)
{
    state_gives(arena,
                "%k = prim::GetAttr<k>(%self)\n"
                "%i:int = prim::If(%c)\n"
                "{ %u = aten::add_.Scalar(%k, %1, %1)\n %a:int = aten::Int.Tensor(%k)\n -> %a }\n"
                "{ %b:int = aten::Int.Tensor(%k)\n -> %b }\n"
                "-> %i\n",
                "%1[], %2 int = prim::If(c) { %3[] = aten::add_.Scalar(Net.k, 1, 1); 1 = "
                "aten::Int.Tensor(%3); -> %3, 1 } { 0 = aten::Int.Tensor(Net.k); -> Net.k, 0 }\n"
                "=> %2\n"
                "state k: Net.k to %1");
}

/* ---- lists and tuples ------------------------------------------------------------------------ */

UNIT_TEST(a_list_that_grows_is_a_state)
{
    tensor_gives(arena, "class Net l=list[tensor[2,3]] p=list[1, 2] h=tensor[2]\n",
                 "%l:list = prim::GetAttr<l>(%self)\n"
                 "%z:list = aten::append(%l, %x)\n"
                 "-> %x\n",
                 "[2,3]",
                 "=> x\n"
                 "state l: (data1[2,3]) to (data1, x)");
}

UNIT_TEST(a_list_that_is_set_is_a_state)
{
    tensor_gives(arena, "class Net l=list[tensor[2,3]] p=list[1, 2] h=tensor[2]\n",
                 "%l:list = prim::ListConstruct(%x, %x)\n"
                 "prim::SetAttr<l>(%self, %l)\n"
                 "-> %x\n",
                 "[2,3]",
                 "=> x\n"
                 "state l: (data1[2,3]) to (x, x)");
}

UNIT_TEST(an_element_of_a_list_is_changed_in_place)
{
    tensor_gives(arena, "class Net l=list[tensor[2,3]] p=list[1, 2] h=tensor[2]\n",
                 "%l:list = prim::GetAttr<l>(%self)\n"
                 "%e = aten::__getitem__(%l, %0)\n"
                 "%z = aten::add_.Tensor(%e, %x, %1)\n"
                 "-> %x\n",
                 "[2,3]",
                 "%1[2,3] = aten::add_.Tensor(data1[2,3], x, 1)\n"
                 "=> x\n"
                 "state l: (data1) to (%1)");
}

/* It is 0 before and after. */
UNIT_TEST(an_element_that_a_change_leaves_as_it_was_is_no_state)
{
    tensor_gives(arena, "class Net l=list[tensor[2,3]] p=list[1, 2] h=tensor[2]\n",
                 "%l:list = prim::GetAttr<l>(%self)\n"
                 "%e = aten::__getitem__(%l, %0)\n"
                 "%z = aten::relu_(%e)\n"
                 "-> %x\n",
                 "[2,3]",
                 "%1[2,3] = aten::relu_(data1[2,3])\n"
                 "=> x");
}

UNIT_TEST(a_number_in_a_list_is_changed)
{
    tensor_gives(arena, "class Net l=list[tensor[2,3]] p=list[1, 2] h=tensor[2]\n",
                 "%p:list = prim::GetAttr<p>(%self)\n"
                 "%z:list = aten::_set_item(%p, %0, %5)\n"
                 "-> %x\n",
                 "[2,3]",
                 "=> x\n"
                 "state p: (1, 2) to (5, 2)");
}

UNIT_TEST(a_number_in_a_list_that_stays_is_no_state)
{
    tensor_gives(arena, "class Net l=list[tensor[2,3]] p=list[1, 2] h=tensor[2]\n",
                 "%p:list = prim::GetAttr<p>(%self)\n"
                 "%z:list = aten::_set_item(%p, %0, %1)\n"
                 "-> %x\n",
                 "[2,3]", "=> x");
}

UNIT_TEST(a_list_is_read_as_it_was_left)
{
    tensor_gives(arena, "class Net l=list[tensor[2,3]] p=list[1, 2] h=tensor[2]\n",
                 "%l:list = prim::GetAttr<l>(%self)\n"
                 "%z:list = aten::append(%l, %x)\n"
                 "%m:list = prim::GetAttr<l>(%self)\n"
                 "%k:int = aten::len.t(%m)\n"
                 "-> %k\n",
                 "[2,3]",
                 "=> 2\n"
                 "state l: (data1[2,3]) to (data1, x)");
}

UNIT_TEST(a_branch_changes_a_list_of_an_attribute)
{
    tensor_gives(
        arena, "class Net l=list[tensor[2,3]] p=list[1, 2] h=tensor[2]\n",
        "%s = aten::sum(%x, %none)\n"
        "%b:bool = aten::Bool.Tensor(%s)\n"
        "prim::If(%b)\n"
        "{ %l:list = prim::GetAttr<p>(%self)\n %z:list = aten::_set_item(%l, %0, %5)\n -> }\n"
        "{ -> }\n"
        "-> %x\n",
        "[2,3]",
        "%1[] = aten::sum(x, None)\n"
        "%2 bool = aten::Bool.Tensor(%1)\n"
        "%3 int = prim::If(%2) { -> 5 } { -> 1 }\n"
        "=> x\n"
        "state p: (1, 2) to (%3, 2)");
}

UNIT_TEST(a_list_of_unknown_length_is_no_state)
{
    tensor_gives(arena, "class Net l=list[tensor[2,3]] p=list[1, 2] h=tensor[2]\n",
                 "%s = aten::sum(%x, %none)\n"
                 "%i:int = aten::Int.Tensor(%s)\n"
                 "%l:list = prim::ListConstruct()\n"
                 "prim::Loop(%i, %true)\n"
                 "{ (%k:int)\n %z:list = aten::append(%l, %x)\n -> %true }\n"
                 "prim::SetAttr<l>(%self, %l)\n"
                 "-> %x\n",
                 "[2,3]",
                 "the attribute \"l\", which the next call reads, is a list whose length the data "
                 "decides");
}

UNIT_TEST(a_tuple_is_a_state)
{
    tensor_gives(arena, "class Net e=None\n",
                 "%t:tuple = prim::TupleConstruct(%x, %1)\n"
                 "prim::SetAttr<e>(%self, %t)\n"
                 "-> %x\n",
                 "[2,3]",
                 "=> x\n"
                 "state e: None to (x, 1)");
}

UNIT_TEST(objects_in_lists_have_paths)
{
    tensor_gives(arena, "class Net l=list[Block]\nclass Block h=tensor[2]\n",
                 "%l:list = prim::GetAttr<l>(%self)\n"
                 "%b:Block = aten::__getitem__(%l, %0)\n"
                 "prim::SetAttr<h>(%b, %x)\n"
                 "-> %x\n",
                 "[2,3]",
                 "=> x\n"
                 "state l.0.h: Block.h to x");
}

/* ---- objects that the call makes ------------------------------------------------------------- */

UNIT_TEST(an_object_that_is_set_to_itself_is_no_state)
{
    tensor_gives(arena, "class Net b=Block\nclass Block n=1\n",
                 "%b:Block = prim::GetAttr<b>(%self)\n"
                 "prim::SetAttr<b>(%self, %b)\n"
                 "-> %x\n",
                 "[2]", "=> x");
}

UNIT_TEST(an_object_that_the_call_makes_is_no_state)
{
    tensor_gives(arena,
                 "class Net n=1\n"
                 "class Pair a=None b=None\n",
                 "%p:Pair = prim::CreateObject()\n"
                 "prim::SetAttr<a>(%p, %x)\n"
                 "%y = aten::neg(%x)\n"
                 "prim::SetAttr<b>(%p, %y)\n"
                 "%r = prim::GetAttr<b>(%p)\n"
                 "-> %r\n",
                 "[2,3]",
                 "%1[2,3] = aten::neg(x)\n"
                 "=> %1");
}

UNIT_TEST(two_objects_of_a_class_are_two)
{
    tensor_gives(arena,
                 "class Net n=1\n"
                 "class Pair a=None\n",
                 "%p:Pair = prim::CreateObject()\n"
                 "%q:Pair = prim::CreateObject()\n"
                 "%y = aten::neg(%x)\n"
                 "prim::SetAttr<a>(%p, %x)\n"
                 "prim::SetAttr<a>(%q, %y)\n"
                 "%r = prim::GetAttr<a>(%p)\n"
                 "-> %r\n",
                 "[2,3]",
                 "%1[2,3] = aten::neg(x)\n"
                 "=> x");
}

UNIT_TEST(a_side_changes_an_object_of_outside)
{
    tensor_gives(arena,
                 "class Net n=1\n"
                 "class Pair a=None\n",
                 "%p:Pair = prim::CreateObject()\n"
                 "prim::SetAttr<a>(%p, %x)\n"
                 "%s = aten::sum(%x, %none)\n"
                 "%b:bool = aten::Bool.Tensor(%s)\n"
                 "prim::If(%b)\n"
                 "{ %y = aten::neg(%x)\n prim::SetAttr<a>(%p, %y)\n -> }\n"
                 "{ -> }\n"
                 "%r = prim::GetAttr<a>(%p)\n"
                 "-> %r\n",
                 "[2,3]",
                 "%1[] = aten::sum(x, None)\n"
                 "%2 bool = aten::Bool.Tensor(%1)\n"
                 "%3[2,3] = prim::If(%2) { %4[2,3] = aten::neg(x); -> %4 } { -> x }\n"
                 "=> %3");
}

UNIT_TEST(a_made_object_is_not_left)
{
    tensor_gives(arena,
                 "class Net e=None\n"
                 "class Pair a=None\n",
                 "%p:Pair = prim::CreateObject()\n"
                 "prim::SetAttr<e>(%self, %p)\n"
                 "-> %x\n",
                 "[2,3]",
                 "the attribute \"e\", which the next call reads, is given another object");
}

UNIT_MAIN("interpret: held state", an_attribute_is_what_is_in_its_memory_in_the_end,
          a_view_in_an_attribute_is_what_it_shows_in_the_end,
          what_an_attribute_held_before_is_changed_alone,
          the_input_that_an_attribute_holds_is_changed, a_counter_that_is_a_tensor_is_known,
          what_one_side_counts_the_other_one_does_not, a_list_that_grows_is_a_state,
          a_list_that_is_set_is_a_state, an_element_of_a_list_is_changed_in_place,
          an_element_that_a_change_leaves_as_it_was_is_no_state, a_number_in_a_list_is_changed,
          a_number_in_a_list_that_stays_is_no_state, a_list_is_read_as_it_was_left,
          a_branch_changes_a_list_of_an_attribute, a_list_of_unknown_length_is_no_state,
          a_tuple_is_a_state, objects_in_lists_have_paths,
          an_object_that_is_set_to_itself_is_no_state, an_object_that_the_call_makes_is_no_state,
          two_objects_of_a_class_are_two, a_side_changes_an_object_of_outside,
          a_made_object_is_not_left)
