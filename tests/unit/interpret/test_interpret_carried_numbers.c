/*
 * Numbers, flags and texts in attributes that one call leaves to the next.
 */
#include "effects_fixture.h"

/* ---- numbers --------------------------------------------------------------------------------- */

UNIT_TEST(a_number_that_is_known_is_found)
{
    second_gives(arena, "class Net n=1\n",
                 "%k:int = prim::GetAttr<n>(%self)\n"
                 "%l:int = aten::add.int(%k, %1)\n"
                 "prim::SetAttr<n>(%self, %l)\n"
                 "-> %l\n",
                 "n=left",
                 "3 = aten::add.int(2, 1)\n"
                 "=> 3\n"
                 "state n: 2 to 3");
}

UNIT_TEST(it_is_found_in_a_third_call)
{
    third_gives(arena, "class Net n=1\n",
                "%k:int = prim::GetAttr<n>(%self)\n"
                "%l:int = aten::add.int(%k, %1)\n"
                "prim::SetAttr<n>(%self, %l)\n"
                "-> %l\n",
                "n=left",
                "4 = aten::add.int(3, 1)\n"
                "=> 4\n"
                "state n: 3 to 4");
}

UNIT_TEST(a_number_is_given_to_the_next_call)
{
    second_gives(arena, "class Net n=1\n",
                 "%k:int = prim::GetAttr<n>(%self)\n"
                 "%l:int = aten::add.int(%k, %1)\n"
                 "prim::SetAttr<n>(%self, %l)\n"
                 "-> %l\n",
                 "n=in",
                 "%1 int = aten::add.int(n, 1)\n"
                 "=> %1\n"
                 "state n: n to %1");
}

UNIT_TEST(a_number_that_is_given_may_be_a_size)
{
    second_gives(arena, "class Net n=1\n",
                 "%k:int = prim::GetAttr<n>(%self)\n"
                 "%l:int = aten::add.int(%k, %1)\n"
                 "prim::SetAttr<n>(%self, %l)\n"
                 "%p:list = prim::ListConstruct(%k)\n"
                 "%z = aten::zeros(%p, %none, %none, %none, %none)\n"
                 "-> %z\n",
                 "n=in",
                 "%1 int = aten::add.int(n, 1)\n"
                 "%2[?] = aten::zeros((n), None, None, None, None)\n"
                 "=> %2\n"
                 "state n: n to %1");
}

UNIT_TEST(a_flag_that_is_known_decides)
{
    second_gives(arena, "class Net f=True\n",
                 "%f:bool = prim::GetAttr<f>(%self)\n"
                 "prim::SetAttr<f>(%self, %false)\n"
                 "%r = prim::If(%f)\n"
                 "{ -> %x }\n"
                 "{ %a = aten::neg(%x)\n -> %a }\n"
                 "-> %r\n",
                 "f=left",
                 "%1[?,3] = aten::neg(x)\n"
                 "=> %1\n"
                 "state f: False to False");
}

UNIT_TEST(a_flag_that_is_given_decides_in_the_run)
{
    second_gives(arena, "class Net f=True\n",
                 "%f:bool = prim::GetAttr<f>(%self)\n"
                 "prim::SetAttr<f>(%self, %false)\n"
                 "%r = prim::If(%f)\n"
                 "{ -> %x }\n"
                 "{ %a = aten::neg(%x)\n -> %a }\n"
                 "-> %r\n",
                 "f=in",
                 "%1[?,3] = prim::If(f) { -> x } { %2[?,3] = aten::neg(x); -> %2 }\n"
                 "=> %1\n"
                 "state f: f to False");
}

UNIT_TEST(a_float_is_given_to_the_next_call)
{
    second_gives(arena, "class Net f=1.5\n",
                 "%f:float = prim::GetAttr<f>(%self)\n"
                 "%r = aten::mul.Scalar(%x, %f)\n"
                 "%s = aten::sum(%r, %none)\n"
                 "%g:float = aten::Float.Tensor(%s)\n"
                 "prim::SetAttr<f>(%self, %g)\n"
                 "-> %r\n",
                 "f=in",
                 "%1[?,3] = aten::mul.Scalar(x, f)\n"
                 "%2[] = aten::sum(%1, None)\n"
                 "%3 float = aten::Float.Tensor(%2)\n"
                 "=> %1\n"
                 "state f: f to %3");
}

UNIT_TEST(a_text_is_found)
{
    second_gives(arena, "class Net t=\"a\"\n",
                 "prim::SetAttr<t>(%self, %text)\n"
                 "%t:str = prim::GetAttr<t>(%self)\n"
                 "-> %t\n",
                 "t=left",
                 "=> \"it is wrong\"\n"
                 "state t: \"it is wrong\" to \"it is wrong\"");
}

UNIT_TEST(a_text_is_not_given)
{
    second_gives(arena, "class Net t=\"a\"\n",
                 "prim::SetAttr<t>(%self, %text)\n"
                 "-> %x\n",
                 "t=in",
                 "the attribute \"t\", which the next call reads, is sometimes None or a string");
}

UNIT_TEST(a_size_is_read_from_the_input_that_has_it)
{
    second_gives(arena, "class Net n=1\n",
                 "%k:int = prim::GetAttr<n>(%self)\n"
                 "%s:int = aten::size.int(%x, %0)\n"
                 "prim::SetAttr<n>(%self, %s)\n"
                 "-> %k\n",
                 "n=left",
                 "%1 int = aten::size.int(x, 0)\n"
                 "%2 int = aten::size.int(x, 0)\n"
                 "=> %1\n"
                 "state n: %1 to %2");
}

/* Consecutive calls have the same sizes, so the branch is known. */
UNIT_TEST(it_is_the_size_that_this_call_has)
{
    second_gives(arena, "class Net n=1\n",
                 "%k:int = prim::GetAttr<n>(%self)\n"
                 "%s:int = aten::size.int(%x, %0)\n"
                 "prim::SetAttr<n>(%self, %s)\n"
                 "%b:bool = aten::eq.int(%k, %s)\n"
                 "%r = prim::If(%b)\n"
                 "{ -> %x }\n"
                 "{ %a = aten::neg(%x)\n -> %a }\n"
                 "-> %r\n",
                 "n=left",
                 "%1 int = aten::size.int(x, 0)\n"
                 "%2 int = aten::size.int(x, 0)\n"
                 "=> x\n"
                 "state n: %1 to %2");
}

UNIT_TEST(a_size_is_more_than_nought)
{
    second_gives(arena, "class Net n=1\n",
                 "%k:int = prim::GetAttr<n>(%self)\n"
                 "%s:int = aten::size.int(%x, %0)\n"
                 "prim::SetAttr<n>(%self, %s)\n"
                 "%b:bool = aten::gt.int(%k, %0)\n"
                 "%r = prim::If(%b)\n"
                 "{ -> %x }\n"
                 "{ %a = aten::neg(%x)\n -> %a }\n"
                 "-> %r\n",
                 "n=left",
                 "%1 int = aten::size.int(x, 0)\n"
                 "%2 int = aten::size.int(x, 0)\n"
                 "=> x\n"
                 "state n: %1 to %2");
}

UNIT_TEST(what_is_computed_of_sizes_is_not_found)
{
    second_gives(arena, "class Net n=1\n",
                 "%s:int = aten::size.int(%x, %0)\n"
                 "%d:int = aten::mul.int(%s, %2)\n"
                 "prim::SetAttr<n>(%self, %d)\n"
                 "-> %x\n",
                 "n=left",
                 "the attribute \"n\", which the next call reads, follows from the sizes of "
                 "dynamic axes; give these fixed sizes");
}

UNIT_TEST(the_size_of_a_tensor_that_is_found_is_that_of_its_call)
{
    second_gives(arena, "class Net h=tensor[1,3]\n",
                 "%h = prim::GetAttr<h>(%self)\n"
                 "prim::SetAttr<h>(%self, %x)\n"
                 "%k:int = aten::size.int(%h, %0)\n"
                 "%s:int = aten::size.int(%x, %0)\n"
                 "%b:bool = aten::eq.int(%k, %s)\n"
                 "%r = prim::If(%b)\n"
                 "{ -> %x }\n"
                 "{ %a = aten::neg(%x)\n -> %a }\n"
                 "-> %r\n",
                 "h=in",
                 "%1 int = aten::size.int(h, 0)\n"
                 "%2 int = aten::size.int(x, 0)\n"
                 "=> x\n"
                 "state h: h to x");
}

UNIT_MAIN("interpret: carried numbers", a_number_that_is_known_is_found,
          it_is_found_in_a_third_call, a_number_is_given_to_the_next_call,
          a_number_that_is_given_may_be_a_size, a_flag_that_is_known_decides,
          a_flag_that_is_given_decides_in_the_run, a_float_is_given_to_the_next_call,
          a_text_is_found, a_text_is_not_given, a_size_is_read_from_the_input_that_has_it,
          it_is_the_size_that_this_call_has, a_size_is_more_than_nought,
          what_is_computed_of_sizes_is_not_found,
          the_size_of_a_tensor_that_is_found_is_that_of_its_call)
