/*
 * Tensors, lists and tuples in attributes that one call leaves to the next.
 */
#include "effects_fixture.h"

/* ---- tensors --------------------------------------------------------------------------------- */

UNIT_TEST(a_tensor_is_given_to_the_next_call)
{
    second_gives(arena, "class Net h=tensor[1,3]\n",
                 "%h = prim::GetAttr<h>(%self)\n"
                 "%s = aten::add.Tensor(%h, %x, %1)\n"
                 "prim::SetAttr<h>(%self, %s)\n"
                 "-> %s\n",
                 "h=in",
                 "%1[?,3] = aten::add.Tensor(h, x, 1)\n"
                 "=> %1\n"
                 "state h: h to %1");
}

UNIT_TEST(it_has_the_sizes_that_the_last_call_left)
{
    second_gives(arena, "class Net h=tensor[1,3]\n",
                 "%h = prim::GetAttr<h>(%self)\n"
                 "%k = prim::Constant<tensor[2,3]>()\n"
                 "%l:list = prim::ListConstruct(%h, %k)\n"
                 "%a = aten::cat(%l, %0)\n"
                 "prim::SetAttr<h>(%self, %a)\n"
                 "-> %a\n",
                 "h=in",
                 "%1[5,3] = aten::cat((h, data1[2,3]), 0)\n"
                 "=> %1\n"
                 "state h: h to %1");
}

UNIT_TEST(so_has_that_of_a_third_call)
{
    third_gives(arena, "class Net h=tensor[1,3]\n",
                "%h = prim::GetAttr<h>(%self)\n"
                "%k = prim::Constant<tensor[2,3]>()\n"
                "%l:list = prim::ListConstruct(%h, %k)\n"
                "%a = aten::cat(%l, %0)\n"
                "prim::SetAttr<h>(%self, %a)\n"
                "-> %a\n",
                "h=in",
                "%1[7,3] = aten::cat((h, data1[2,3]), 0)\n"
                "=> %1\n"
                "state h: h to %1");
}

UNIT_TEST(an_open_dim_may_have_any_size)
{
    second_gives(arena, "class Net h=tensor[1,3]\n",
                 "%h = prim::GetAttr<h>(%self)\n"
                 "%k = prim::Constant<tensor[2,3]>()\n"
                 "%l:list = prim::ListConstruct(%h, %k)\n"
                 "%a = aten::cat(%l, %0)\n"
                 "prim::SetAttr<h>(%self, %a)\n"
                 "-> %a\n",
                 "h=in[1]",
                 "%1[?,3] = aten::cat((h, data1[2,3]), 0)\n"
                 "=> %1\n"
                 "state h: h to %1");
}

UNIT_TEST(open_dims_of_one_number_have_one_size)
{
    second_gives(arena, "class Net h=tensor[1,3] g=tensor[1,3]\n",
                 "%h = prim::GetAttr<h>(%self)\n"
                 "%g = prim::GetAttr<g>(%self)\n"
                 "%l:list = prim::ListConstruct(%h, %x)\n"
                 "%a = aten::cat(%l, %0)\n"
                 "%m:list = prim::ListConstruct(%g, %x)\n"
                 "%b = aten::cat(%m, %0)\n"
                 "prim::SetAttr<h>(%self, %a)\n"
                 "prim::SetAttr<g>(%self, %b)\n"
                 "%p:list = prim::ListConstruct(%h, %g)\n"
                 "%s = aten::stack(%p, %0)\n"
                 "-> %s\n",
                 "h=in[1] g=in[1]",
                 "%1[?,3] = aten::cat((h, x), 0)\n"
                 "%2[?,3] = aten::cat((g, x), 0)\n"
                 "%3[2,?,3] = aten::stack((h, g), 0)\n"
                 "=> %3\n"
                 "state h: h to %1\n"
                 "state g: g to %2");
}

UNIT_TEST(open_dims_of_two_numbers_have_two)
{
    second_gives(arena, "class Net h=tensor[1,3] g=tensor[1,3]\n",
                 "%h = prim::GetAttr<h>(%self)\n"
                 "%g = prim::GetAttr<g>(%self)\n"
                 "%l:list = prim::ListConstruct(%h, %x)\n"
                 "%a = aten::cat(%l, %0)\n"
                 "%m:list = prim::ListConstruct(%g, %x)\n"
                 "%b = aten::cat(%m, %0)\n"
                 "prim::SetAttr<h>(%self, %a)\n"
                 "prim::SetAttr<g>(%self, %b)\n"
                 "%p:list = prim::ListConstruct(%h, %g)\n"
                 "%s = aten::stack(%p, %0)\n"
                 "-> %s\n",
                 "h=in[1] g=in[2]",
                 "%1[?,3] = aten::cat((h, x), 0)\n"
                 "%2[?,3] = aten::cat((g, x), 0)\n"
                 "%3 unknown = aten::stack((h, g), 0) ! sizes that depend on the data do not fit: "
                 "Sizes of tensors must match\n"
                 "=> %3\n"
                 "state h: h to %1\n"
                 "state g: g to %2");
}

UNIT_TEST(what_is_changed_in_place_is_given_to_the_next_call)
{
    second_gives(arena, "class Net h=tensor[1,3]\n",
                 "%h = prim::GetAttr<h>(%self)\n"
                 "%z = aten::add_.Tensor(%h, %h, %1)\n"
                 "-> %z\n",
                 "h=in",
                 "%1[1,3] = aten::add_.Tensor(h, h, 1)\n"
                 "=> %1\n"
                 "state h: h to %1");
}

UNIT_TEST(what_a_call_found_may_be_changed_in_place)
{
    second_gives(arena, "class Net h=tensor[1,3]\n",
                 "%h = prim::GetAttr<h>(%self)\n"
                 "%s = aten::add.Tensor(%h, %x, %1)\n"
                 "%z = aten::relu_(%s)\n"
                 "%u = aten::mul_.Tensor(%h, %h)\n"
                 "prim::SetAttr<h>(%self, %s)\n"
                 "-> %u\n",
                 "h=in",
                 "%1[?,3] = aten::add.Tensor(h, x, 1)\n"
                 "%2[?,3] = aten::relu_(%1)\n"
                 "%3[?,3] = aten::mul_.Tensor(h, h)\n"
                 "=> %3\n"
                 "state h: h to %2");
}

UNIT_TEST(a_view_of_it_may_be_changed_in_place)
{
    second_gives(arena, "class Net h=tensor[1,3]\n",
                 "%h = prim::GetAttr<h>(%self)\n"
                 "%v = aten::select.int(%h, %0, %0)\n"
                 "%z = aten::relu_(%v)\n"
                 "%s = aten::neg(%h)\n"
                 "prim::SetAttr<h>(%self, %s)\n"
                 "-> %s\n",
                 "h=in",
                 "%1[3] = aten::select.int(h, 0, 0)\n"
                 "%2[3] = aten::relu_(%1)\n"
                 "%3[1,3] = aten::select_scatter(h, %2, 0, 0)\n"
                 "%4[1,3] = aten::neg(%3)\n"
                 "=> %4\n"
                 "state h: h to %4");
}

UNIT_TEST(a_side_changes_it_in_place)
{
    second_gives(arena, "class Net h=tensor[1,3]\n",
                 "%t = aten::sum(%x, %none)\n"
                 "%b:bool = aten::Bool.Tensor(%t)\n"
                 "prim::If(%b)\n"
                 "{ %h = prim::GetAttr<h>(%self)\n %z = aten::add_.Tensor(%h, %h, %1)\n -> }\n"
                 "{ -> }\n"
                 "-> %x\n",
                 "h=in",
                 "%1[] = aten::sum(x, None)\n"
                 "%2 bool = aten::Bool.Tensor(%1)\n"
                 "%3[1,3] = prim::If(%2) { %4[1,3] = aten::add_.Tensor(h, h, 1); -> %4 } { -> h }\n"
                 "=> x\n"
                 "state h: h to %3");
}

/* Only the archive would know which is which. */
UNIT_TEST(what_two_attributes_hold_is_not_changed_in_place)
{
    second_gives(arena, "class Net h=tensor[1,3] g=tensor[1,3]\n",
                 "%h = prim::GetAttr<h>(%self)\n"
                 "%z = aten::relu_(%h)\n"
                 "%a = aten::neg(%x)\n"
                 "prim::SetAttr<h>(%self, %a)\n"
                 "prim::SetAttr<g>(%self, %a)\n"
                 "-> %z\n",
                 "h=in g=in",
                 "aten::relu_ changes a constant of the code, or a tensor that several attributes "
                 "hold, which the next call would read, in the root module (model.py:13)");
}

/* The first call changes one of them, the second call reads the other, which is the same tensor. */
UNIT_TEST(what_was_changed_in_place_is_not_read_under_another_name)
{
    second_gives(arena, "class Net a=tensor[2,3]@9 b=tensor[2,3]@9 f=True\n",
                 "%f:bool = prim::GetAttr<f>(%self)\n"
                 "prim::SetAttr<f>(%self, %false)\n"
                 "%r = prim::If(%f)\n"
                 "{ %a = prim::GetAttr<a>(%self)\n %z = aten::relu_(%a)\n -> %z }\n"
                 "{ %b = prim::GetAttr<b>(%self)\n -> %b }\n"
                 "-> %r\n",
                 "a=in f=left",
                 "forward() changes the attribute \"a\" in place, and another attribute shares "
                 "its memory");
}

UNIT_TEST(what_is_none_once_is_given_when_it_is_a_tensor)
{
    second_gives(arena, "class Net e=None\n",
                 "%e = prim::GetAttr<e>(%self)\n"
                 "%i:bool = aten::__is__(%e, %none)\n"
                 "%r = prim::If(%i)\n"
                 "{ -> %x }\n"
                 "{ %a = aten::add.Tensor(%e, %x, %1)\n -> %a }\n"
                 "prim::SetAttr<e>(%self, %r)\n"
                 "-> %r\n",
                 "e=in",
                 "%1[?,3] = aten::add.Tensor(e, x, 1)\n"
                 "=> %1\n"
                 "state e: e to %1");
}

UNIT_TEST(a_counter_that_is_a_tensor_is_given)
{
    second_gives(arena, "class Net c=tensor[]\n",
                 "%c = prim::GetAttr<c>(%self)\n"
                 "%u = aten::add_.Scalar(%c, %1, %1)\n"
                 "%i:int = aten::Int.Tensor(%c)\n"
                 "-> %i\n",
                 "c=in",
                 "%1[] = aten::add_.Scalar(c, 1, 1)\n"
                 "%2 int = aten::Int.Tensor(%1)\n"
                 "=> %2\n"
                 "state c: c to %1");
}

UNIT_TEST(a_tensor_without_elements_is_known)
{
    second_gives(arena, "class Net h=tensor[1,3]\n",
                 "%h = prim::GetAttr<h>(%self)\n"
                 "%e = aten::slice.Tensor(%h, %0, %0, %0, %1)\n"
                 "prim::SetAttr<h>(%self, %e)\n"
                 "%s = aten::sum(%e, %none)\n"
                 "%b:bool = aten::Bool.Tensor(%s)\n"
                 "%r = prim::If(%b)\n"
                 "{ -> %x }\n"
                 "{ -> %e }\n"
                 "-> %r\n",
                 "h=in",
                 "%1[0,3] = aten::slice.Tensor(h, 0, 0, 0, 1)\n"
                 "%2[] = aten::sum(%1, None)\n"
                 "False = aten::Bool.Tensor(%2)\n"
                 "=> %1\n"
                 "state h: h to %1");
}

/* ---- lists and tuples ------------------------------------------------------------------------ */

UNIT_TEST(parts_of_a_list_have_names)
{
    second_gives(arena, "class Net l=list[tensor[1,3]] p=list[1, 2]\n",
                 "%l:list = prim::GetAttr<l>(%self)\n"
                 "%z:list = aten::append(%l, %x)\n"
                 "-> %x\n",
                 "l=in,in",
                 "=> x\n"
                 "state l: (l.0, l.1) to (l.0, l.1, x)");
}

UNIT_TEST(a_list_of_numbers_is_found)
{
    second_gives(arena, "class Net l=list[tensor[1,3]] p=list[1, 2]\n",
                 "%p:list = prim::GetAttr<p>(%self)\n"
                 "%e:int = aten::__getitem__(%p, %0)\n"
                 "%f:int = aten::add.int(%e, %1)\n"
                 "%z:list = aten::_set_item(%p, %0, %f)\n"
                 "-> %f\n",
                 "p=left,left",
                 "3 = aten::add.int(2, 1)\n"
                 "=> 3\n"
                 "state p: (2, 2) to (3, 2)");
}

UNIT_TEST(parts_of_it_are_given)
{
    second_gives(arena, "class Net l=list[tensor[1,3]] p=list[1, 2]\n",
                 "%p:list = prim::GetAttr<p>(%self)\n"
                 "%e:int = aten::__getitem__(%p, %0)\n"
                 "%f:int = aten::add.int(%e, %1)\n"
                 "%z:list = aten::_set_item(%p, %0, %f)\n"
                 "-> %f\n",
                 "p=in,left",
                 "%1 int = aten::add.int(p.0, 1)\n"
                 "=> %1\n"
                 "state p: (p.0, 2) to (%1, 2)");
}

UNIT_TEST(an_element_of_a_list_that_is_found_is_changed_in_place)
{
    second_gives(arena, "class Net l=list[tensor[1,3]] p=list[1, 2]\n",
                 "%l:list = prim::GetAttr<l>(%self)\n"
                 "%e = aten::__getitem__(%l, %0)\n"
                 "%z = aten::add_.Tensor(%e, %e, %1)\n"
                 "%a = aten::neg(%x)\n"
                 "%y:list = prim::ListConstruct(%a)\n"
                 "prim::SetAttr<l>(%self, %y)\n"
                 "-> %z\n",
                 "l=in",
                 "%1[?,3] = aten::add_.Tensor(l.0, l.0, 1)\n"
                 "%2[?,3] = aten::neg(x)\n"
                 "=> %1\n"
                 "state l: (l.0) to (%2)");
}

UNIT_TEST(a_tuple_is_found)
{
    second_gives(arena, "class Net e=None\n",
                 "%t:tuple = prim::TupleConstruct(%x, %1)\n"
                 "%e:tuple = prim::GetAttr<e>(%self)\n"
                 "prim::SetAttr<e>(%self, %t)\n"
                 "-> %e\n",
                 "e=in,left",
                 "=> e.0, 1\n"
                 "state e: (e.0, 1) to (x, 1)");
}

UNIT_TEST(a_dict_is_found_with_its_keys)
{
    second_gives(arena, "class Net e=None\n",
                 "%e:dict = prim::GetAttr<e>(%self)\n"
                 "%i:bool = aten::__is__(%e, %none)\n"
                 "%r = prim::If(%i)\n"
                 "{ -> %x }\n"
                 "{ %v = aten::__getitem__(%e, %text)\n -> %v }\n"
                 "%d:dict = prim::DictConstruct(%text, %x)\n"
                 "prim::SetAttr<e>(%self, %d)\n"
                 "-> %r\n",
                 "e=in",
                 "=> e.1\n"
                 "state e: (e.1) to (x)");
}

UNIT_TEST(fewer_parts_than_there_are_are_refused)
{
    second_gives(arena, "class Net l=list[tensor[1,3]] p=list[1, 2]\n",
                 "%l:list = prim::GetAttr<l>(%self)\n"
                 "%z:list = aten::append(%l, %x)\n"
                 "-> %x\n",
                 "l=in", "a state has more parts than were said");
}

UNIT_TEST(more_parts_than_there_are_are_refused)
{
    second_gives(arena, "class Net l=list[tensor[1,3]] p=list[1, 2]\n",
                 "%l:list = prim::GetAttr<l>(%self)\n"
                 "%z:list = aten::append(%l, %x)\n"
                 "-> %x\n",
                 "l=in,in,in", "a state has other parts than were said");
}

UNIT_TEST(a_state_that_the_last_call_did_not_leave_is_refused)
{
    second_gives(arena, "class Net h=tensor[1,3]\n",
                 "%h = prim::GetAttr<h>(%self)\n"
                 "%s = aten::add.Tensor(%h, %x, %1)\n"
                 "prim::SetAttr<h>(%self, %s)\n"
                 "-> %s\n",
                 "g=in", "a state is carried that the last trace did not have");
}

UNIT_MAIN("interpret: carried", a_tensor_is_given_to_the_next_call,
          it_has_the_sizes_that_the_last_call_left, so_has_that_of_a_third_call,
          an_open_dim_may_have_any_size, open_dims_of_one_number_have_one_size,
          open_dims_of_two_numbers_have_two, what_is_changed_in_place_is_given_to_the_next_call,
          what_a_call_found_may_be_changed_in_place, a_view_of_it_may_be_changed_in_place,
          a_side_changes_it_in_place, what_two_attributes_hold_is_not_changed_in_place,
          what_was_changed_in_place_is_not_read_under_another_name,
          what_is_none_once_is_given_when_it_is_a_tensor, a_counter_that_is_a_tensor_is_given,
          a_tensor_without_elements_is_known, parts_of_a_list_have_names,
          a_list_of_numbers_is_found, parts_of_it_are_given,
          an_element_of_a_list_that_is_found_is_changed_in_place, a_tuple_is_found,
          a_dict_is_found_with_its_keys, fewer_parts_than_there_are_are_refused,
          more_parts_than_there_are_are_refused,
          a_state_that_the_last_call_did_not_leave_is_refused)
