/*
 * Tensors whose layout depends on the build of libtorch, and programs that use them.
 */
#include "effects_fixture.h"

/* Contiguous in this build, and reversed in another one. */
#define SPECTRUM "%f = aten::fft_fft(%x, %none, %minus, %none)\n"

#define SPECTRUM_OF "%1[?,3] = aten::fft_fft(x, None, -1, None)\n"

#define REASON "MKL puts the dims that are transformed last, pocketfft leaves them in order"

#define COPY "; copy it first, with .clone(memory_format=torch.contiguous_format)"
#define TOLD "the result of aten::stride.int depends on how libtorch was built: " REASON COPY
#define PLACES                                                                                     \
    "it takes elements by their places in memory, which depend on how libtorch was built: " REASON \
        COPY
#define LOST                                                                                       \
    "the tensor that it changes is read under another name, and whether that shares its memory "   \
    "depends on how libtorch was built: " REASON "; change a copy, made with .clone()"

UNIT_TEST(a_stride_that_is_another_elsewhere_is_not_told)
{
    body_gives(arena,
               SPECTRUM "%s:int = aten::stride.int(%f, %1)\n"
                        "%r = aten::mul.Scalar(%x, %s)\n"
                        "-> %r\n",
               SPECTRUM_OF "%2 unknown = aten::stride.int(%1, 1) ! " TOLD "\n"
                           "%3 unknown = aten::mul.Scalar(x, %2)\n"
                           "=> %3");
}

UNIT_TEST(a_stride_that_is_the_same_is)
{
    body_gives(arena,
               SPECTRUM "%c = aten::relu(%f)\n"
                        "%s:int = aten::stride.int(%c, %1)\n"
                        "%r = aten::mul.Scalar(%x, %s)\n"
                        "-> %r\n",
               SPECTRUM_OF "%2[?,3] = aten::relu(%1)\n"
                           "1 = aten::stride.int(%2, 1)\n"
                           "%3[?,3] = aten::mul.Scalar(x, 1)\n"
                           "=> %3");
}

UNIT_TEST(views_lie_as_what_they_look_at)
{
    body_gives(arena,
               SPECTRUM "%t = aten::t(%f)\n"
                        "%d = aten::detach(%t)\n"
                        "%s:int = aten::stride.int(%d, %0)\n"
                        "%r = aten::mul.Scalar(%x, %s)\n"
                        "-> %r\n",
               SPECTRUM_OF "%2[3,?] = aten::t(%1)\n"
                           "%3[3,?] = aten::detach(%2)\n"
                           "%4 unknown = aten::stride.int(%3, 0) ! " TOLD "\n"
                           "%5 unknown = aten::mul.Scalar(x, %4)\n"
                           "=> %5");
}

UNIT_TEST(a_change_of_what_may_be_a_copy_is_not_told)
{
    body_gives(arena,
               SPECTRUM "%c = aten::contiguous(%f, %0)\n"
                        "%z = aten::relu_(%c)\n"
                        "%r = aten::neg(%f)\n"
                        "-> %r\n",
               SPECTRUM_OF "%2[?,3] = aten::contiguous(%1, 0)\n"
                           "%3[?,3] = aten::relu_(%2)\n"
                           "%4 unknown = aten::relu_() ! " LOST "\n"
                           "%5 unknown = aten::neg(%4)\n"
                           "=> %5");
}

UNIT_TEST(nor_is_one_of_what_was_copied)
{
    body_gives(arena,
               SPECTRUM "%c = aten::contiguous(%f, %0)\n"
                        "%z = aten::relu_(%f)\n"
                        "%r = aten::neg(%c)\n"
                        "-> %r\n",
               SPECTRUM_OF "%2[?,3] = aten::contiguous(%1, 0)\n"
                           "%3[?,3] = aten::relu_(%1)\n"
                           "%4 unknown = aten::relu_() ! " LOST "\n"
                           "%5 unknown = aten::neg(%4)\n"
                           "=> %5");
}

UNIT_TEST(what_is_read_of_the_changed_alone_is_told)
{
    body_gives(arena,
               SPECTRUM "%c = aten::contiguous(%f, %0)\n"
                        "%z = aten::relu_(%c)\n"
                        "%r = aten::neg(%c)\n"
                        "-> %r\n",
               SPECTRUM_OF "%2[?,3] = aten::contiguous(%1, 0)\n"
                           "%3[?,3] = aten::relu_(%2)\n"
                           "%4[?,3] = aten::neg(%3)\n"
                           "=> %4");
}

UNIT_TEST(a_copy_that_is_one_everywhere_is_another_tensor)
{
    body_gives(arena,
               SPECTRUM "%c = aten::clone(%f)\n"
                        "%d = aten::contiguous(%c, %0)\n"
                        "%z = aten::relu_(%d)\n"
                        "%r = aten::neg(%f)\n"
                        "-> %r\n",
               SPECTRUM_OF "%2[?,3] = aten::clone(%1)\n"
                           "%3[?,3] = aten::contiguous(%2, 0)\n"
                           "%4[?,3] = aten::relu_(%3)\n"
                           "%5[?,3] = aten::neg(%1)\n"
                           "=> %5");
}

UNIT_TEST(places_in_memory_are_not_looked_at)
{
    body_gives(arena,
               SPECTRUM "%l:list = prim::ListConstruct(%1)\n"
                        "%r = aten::as_strided(%f, %l, %l)\n"
                        "-> %r\n",
               SPECTRUM_OF "%2 unknown = aten::as_strided(%1, (1), (1)) ! " PLACES "\n"
                           "=> %2");
}

UNIT_TEST(a_side_of_a_branch_is_enough)
{
    body_gives(arena,
               "%f = prim::If(%c)\n"
               "{ %g = aten::fft_fft(%x, %none, %minus, %none)\n -> %g }\n"
               "{ %h = aten::neg(%x)\n -> %h }\n"
               "%s:int = aten::stride.int(%f, %1)\n"
               "%r = aten::mul.Scalar(%x, %s)\n"
               "-> %r\n",
               "%1[?,3] = prim::If(c) { %2[?,3] = aten::fft_fft(x, None, -1, None); -> %2 } { "
               "%3[?,3] = aten::neg(x); -> %3 }\n"
               "%4 unknown = aten::stride.int(%1, 1) ! " TOLD "\n"
               "%5 unknown = aten::mul.Scalar(x, %4)\n"
               "=> %5");
}

UNIT_TEST(so_is_what_a_loop_makes_of_a_tensor)
{
    body_gives(arena,
               "%f %k:int = prim::Loop(%n, %true, %x, %0) { (%i:int, %g, %j:int)\n"
               "  %s:int = aten::stride.int(%g, %1)\n"
               "  %m:int = aten::add.int(%j, %s)\n"
               "  %h = aten::fft_fft(%g, %none, %minus, %none)\n"
               "  -> %true, %h, %m }\n"
               "%r = aten::mul.Scalar(%x, %k)\n"
               "-> %r\n",
               "%1[?,3], %2 unknown = prim::Loop(n, True, x, 0) { (%3 int, %4[?,3], %5 int) %6 "
               "unknown = aten::stride.int(%4, 1) ! " TOLD
               "; %7 unknown = aten::add.int(%5, %6); %8[?,3] = aten::fft_fft(%4, None, -1, None); "
               "-> True, %8, %7 }\n"
               "%9 unknown = aten::mul.Scalar(x, unknown)\n"
               "=> %9");
}

UNIT_MAIN("interpret: other builds", a_stride_that_is_another_elsewhere_is_not_told,
          a_stride_that_is_the_same_is, views_lie_as_what_they_look_at,
          a_change_of_what_may_be_a_copy_is_not_told, nor_is_one_of_what_was_copied,
          what_is_read_of_the_changed_alone_is_told,
          a_copy_that_is_one_everywhere_is_another_tensor, places_in_memory_are_not_looked_at,
          a_side_of_a_branch_is_enough, so_is_what_a_loop_makes_of_a_tensor)
