/*
 * Memory of constants of the code, and of tensors in lists and attributes.
 */
#include "effects_fixture.h"

/* ---- constants ------------------------------------------------------------------------------- */

#define KEPT                                                                                       \
    "aten::relu_ changes a constant of the code, or a tensor that several attributes hold, which " \
    "the next call would read, in the root module (model.py:"

UNIT_TEST(a_constant_is_not_changed)
{
    body_gives(arena, "%k = prim::Constant<tensor[3]>()\n%z = aten::relu_(%k)\n-> %z\n",
               KEPT "13)");
}

UNIT_TEST(a_constant_is_not_changed_through_a_view)
{
    body_gives(arena,
               "%k = prim::Constant<tensor[3]>()\n"
               "%v = aten::select.int(%k, %0, %0)\n"
               "%z = aten::relu_(%v)\n"
               "-> %z\n",
               KEPT "14)");
}

UNIT_TEST(a_copy_of_a_constant_is_changed)
{
    body_gives(arena,
               "%k = prim::Constant<tensor[3]>()\n"
               "%v = aten::clone(%k)\n"
               "%z = aten::relu_(%v)\n"
               "-> %k %z\n",
               "%1[3] = aten::clone(data1[3])\n"
               "%2[3] = aten::relu_(%1)\n"
               "=> data1, %2");
}

UNIT_TEST(what_may_be_a_constant_is_not_changed)
{
    body_gives(arena,
               "%k = prim::Constant<tensor[2,3]>()\n"
               "%r = prim::If(%c)\n{\n -> %k\n}\n{\n -> %x\n}\n"
               "%z = aten::relu_(%r)\n"
               "-> %z\n",
               "%1[?,3] = prim::If(c) { -> data1[2,3] } { -> x }\n"
               "%2[?,3] = aten::relu_(%1)\n"
               "%3 unknown = aten::relu_(%1) ! it may change a constant of the code, or a "
               "tensor that several attributes hold, which the next call would read\n"
               "=> %3");
}

UNIT_TEST(a_side_that_changes_a_constant_is_refused)
{
    body_gives(arena,
               "%k = prim::Constant<tensor[3]>()\n"
               "prim::If(%c)\n{\n %z = aten::relu_(%k)\n ->\n}\n{\n ->\n}\n-> %x\n",
               KEPT "14)");
}

UNIT_TEST(a_constant_is_copied_into_what_is_changed)
{
    body_gives(arena,
               "%k = prim::Constant<tensor[3]>()\n"
               "%u = aten::copy_(%x, %k, %false)\n"
               "%z = aten::relu_(%x)\n"
               "-> %x\n",
               "%1[?,3] = aten::copy_(x, data1[3], False)\n"
               "%2[?,3] = aten::relu_(%1)\n"
               "=> %2");
}

UNIT_TEST(a_large_constant_is_a_weight)
{
    body_gives(arena,
               "%k = prim::Constant<tensor[70000]>()\n"
               "%r = aten::relu(%k)\n"
               "-> %r\n",
               "%1[70000] = aten::relu(constant_13)\n"
               "=> %1");
}

UNIT_TEST(a_large_constant_is_not_changed)
{
    body_gives(arena,
               "%k = prim::Constant<tensor[70000]>()\n"
               "%r = aten::relu_(%k)\n"
               "-> %r\n",
               "aten::relu_ changes a constant of the code, or a tensor that several attributes "
               "hold, which the next call would read, in the root module (model.py:13)");
}

UNIT_TEST(a_constant_without_dims_is_a_number)
{
    body_gives(arena,
               "%k = prim::Constant<tensor[]>()\n"
               "%r = aten::add.Tensor(%x, %k, %1)\n"
               "-> %r\n",
               "%1[?,3] = aten::add.Scalar(x, 0, 1)\n"
               "=> %1");
}

/* ---- lists ----------------------------------------------------------------------------------- */

UNIT_TEST(a_list_holds_what_its_tensors_are_now)
{
    body_gives(arena,
               "%l:list = prim::ListConstruct(%x, %y)\n"
               "%z = aten::relu_(%x)\n"
               "%s = aten::stack(%l, %0)\n"
               "-> %s\n",
               "%1[?,3] = aten::relu_(x)\n"
               "%2[2,?,3] = aten::stack((%1, y), 0)\n"
               "=> %2");
}

UNIT_TEST(a_node_keeps_what_its_list_held)
{
    body_gives(arena,
               "%l:list = prim::ListConstruct(%x, %y)\n"
               "%s = aten::stack(%l, %0)\n"
               "%z = aten::relu_(%x)\n"
               "%t = aten::stack(%l, %1)\n"
               "-> %s %t\n",
               "%1[2,?,3] = aten::stack((x, y), 0)\n"
               "%2[?,3] = aten::relu_(x)\n"
               "%3[?,2,3] = aten::stack((%2, y), 1)\n"
               "=> %1, %3");
}

UNIT_TEST(an_element_of_a_list_is_the_tensor)
{
    body_gives(arena,
               "%l:list = prim::ListConstruct(%x, %y)\n"
               "%e = aten::__getitem__(%l, %1)\n"
               "%z = aten::relu_(%e)\n"
               "-> %y %l\n",
               "%1[?,3] = aten::relu_(y)\n"
               "=> %1, x, %1");
}

UNIT_TEST(a_list_holds_views_of_what_is_changed)
{
    body_gives(arena,
               "%v = aten::select.int(%x, %1, %0)\n"
               "%l:list = prim::ListConstruct(%v)\n"
               "%z = aten::relu_(%x)\n"
               "%s = aten::cat(%l, %0)\n"
               "-> %s\n",
               "%1[?] = aten::select.int(x, 1, 0)\n"
               "%2[?,3] = aten::relu_(x)\n"
               "%3[?] = aten::select.int(%2, 1, 0)\n"
               "%4[?] = aten::cat((%3), 0)\n"
               "=> %4");
}

UNIT_TEST(a_list_holds_what_one_side_of_a_branch_wrote)
{
    body_gives(arena,
               "%l:list = prim::ListConstruct(%x, %y)\n"
               "prim::If(%c)\n{\n %z = aten::relu_(%x)\n ->\n}\n{\n ->\n}\n"
               "%s = aten::stack(%l, %0)\n"
               "-> %s\n",
               "%1[?,3] = prim::If(c) { %2[?,3] = aten::relu_(x); -> %2 } { -> x }\n"
               "%3[2,?,3] = aten::stack((%1, y), 0)\n"
               "=> %3");
}

UNIT_TEST(tensors_of_a_list_are_not_changed_all_at_once)
{
    body_gives(arena,
               "%l:list = prim::ListConstruct(%x, %y)\n"
               "aten::_foreach_neg_(%l)\n"
               "-> %x\n",
               "aten::_foreach_neg_ changes tensors of a list in place, in the root module "
               "(model.py:13)");
}

/* ---- attributes ------------------------------------------------------------------------------ */

#define ATTRIBUTES                                                                                 \
    "class Net w=tensor[4,3] b=Block\n"                                                            \
    "class Block h=tensor[3]\n"

static void attributes_give(htp_arena *arena, const char *body, const char *expected)
{
    tensor_gives(arena, ATTRIBUTES, body, "[?,3]", expected);
}

UNIT_TEST(an_attribute_is_changed_in_place)
{
    attributes_give(arena,
                    "%w = prim::GetAttr<w>(%self)\n"
                    "%z = aten::relu_(%w)\n"
                    "%u = prim::GetAttr<w>(%self)\n"
                    "-> %u\n",
                    "%1[4,3] = aten::relu_(Net.w)\n"
                    "=> %1\n"
                    "state w: Net.w to %1");
}

UNIT_TEST(an_attribute_is_changed_through_a_view)
{
    attributes_give(arena,
                    "%w = prim::GetAttr<w>(%self)\n"
                    "%v = aten::select.int(%w, %0, %1)\n"
                    "%z = aten::relu_(%v)\n"
                    "-> %w\n",
                    "%1[3] = aten::select.int(Net.w, 0, 1)\n"
                    "%2[3] = aten::relu_(%1)\n"
                    "%3[4,3] = aten::select_scatter(Net.w, %2, 0, 1)\n"
                    "=> %3\n"
                    "state w: Net.w to %3");
}

UNIT_TEST(an_attribute_of_another_object_is_changed_in_place)
{
    attributes_give(arena,
                    "%b:Block = prim::GetAttr<b>(%self)\n"
                    "%h = prim::GetAttr<h>(%b)\n"
                    "%z = aten::add_.Tensor(%x, %h, %1)\n"
                    "%u = aten::relu_(%h)\n"
                    "-> %x\n",
                    "%1[?,3] = aten::add_.Tensor(x, Block.h, 1)\n"
                    "%2[3] = aten::relu_(Block.h)\n"
                    "=> %1\n"
                    "state b.h: Block.h to %2");
}

#define TIED "class Net a=tensor[2,3]@9 b=tensor[2,3]@9\n"

/* It is unknown whether they are the same. */
UNIT_TEST(tied_attributes_are_not_changed_in_place)
{
    tensor_gives(
        arena, TIED,
        "%a = prim::GetAttr<a>(%self)\n"
        "%b = prim::GetAttr<b>(%self)\n"
        "%z = aten::relu_(%a)\n"
        "-> %b\n",
        "[?,3]",
        "forward() changes the attribute \"a\" in place, and another attribute shares its memory");
}

UNIT_TEST(tied_attributes_are_read)
{
    tensor_gives(arena, TIED,
                 "%a = prim::GetAttr<a>(%self)\n"
                 "%b = prim::GetAttr<b>(%self)\n"
                 "%z = aten::add.Tensor(%a, %b, %1)\n"
                 "-> %z\n",
                 "[?,3]",
                 "%1[2,3] = aten::add.Tensor(Net.a, Net.b, 1)\n"
                 "=> %1");
}

UNIT_TEST(a_tied_attribute_that_is_read_alone_is_changed_in_place)
{
    tensor_gives(arena, TIED,
                 "%a = prim::GetAttr<a>(%self)\n"
                 "%z = aten::relu_(%a)\n"
                 "-> %z\n",
                 "[?,3]",
                 "%1[2,3] = aten::relu_(Net.a)\n"
                 "=> %1\n"
                 "state a: Net.a to %1");
}

/* ---- operators that fail --------------------------------------------------------------------- */

UNIT_TEST(what_gets_other_sizes_in_place_is_a_view)
{
    body_gives(arena,
               "%v = aten::t(%x)\n"
               "%z = aten::unsqueeze_(%x, %0)\n"
               "%r = aten::relu(%x)\n"
               "-> %r\n",
               "%1[3,?] = aten::t(x)\n"
               "%2[1,?,3] = aten::unsqueeze(x, 0)\n"
               "%3[1,?,3] = aten::relu(%2)\n"
               "=> %3");
}

UNIT_TEST(what_looks_at_it_sees_what_is_changed)
{
    body_gives(arena,
               "%v = aten::t(%x)\n"
               "%z = aten::unsqueeze_(%x, %0)\n"
               "%r = aten::relu_(%x)\n"
               "-> %v\n",
               "%1[3,?] = aten::t(x)\n"
               "%2[1,?,3] = aten::unsqueeze(x, 0)\n"
               "%3[1,?,3] = aten::relu_(%2)\n"
               "%4[?,3] = aten::reshape_as(%3, x)\n"
               "%5[3,?] = aten::t(%4)\n"
               "=> %5");
}

UNIT_TEST(another_name_of_it_is_not_read)
{
    body_gives(arena,
               "%y = aten::relu_(%x)\n"
               "%z = aten::unsqueeze_(%y, %0)\n"
               "%r = aten::relu(%x)\n"
               "-> %r\n",
               "a tensor is read that may alias one whose sizes or strides were changed in "
               "place, in the root module (model.py:14)");
}

UNIT_MAIN("interpret: kept memory", a_constant_is_not_changed,
          a_constant_is_not_changed_through_a_view, a_copy_of_a_constant_is_changed,
          what_may_be_a_constant_is_not_changed, a_side_that_changes_a_constant_is_refused,
          a_constant_is_copied_into_what_is_changed, a_large_constant_is_a_weight,
          a_large_constant_is_not_changed, a_constant_without_dims_is_a_number,
          a_list_holds_what_its_tensors_are_now, a_node_keeps_what_its_list_held,
          an_element_of_a_list_is_the_tensor, a_list_holds_views_of_what_is_changed,
          a_list_holds_what_one_side_of_a_branch_wrote,
          tensors_of_a_list_are_not_changed_all_at_once, an_attribute_is_changed_in_place,
          an_attribute_is_changed_through_a_view,
          an_attribute_of_another_object_is_changed_in_place,
          tied_attributes_are_not_changed_in_place, tied_attributes_are_read,
          a_tied_attribute_that_is_read_alone_is_changed_in_place,
          what_gets_other_sizes_in_place_is_a_view, what_looks_at_it_sees_what_is_changed,
          another_name_of_it_is_not_read)
