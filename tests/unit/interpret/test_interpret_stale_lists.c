/*
 * Lists of views whose tensors were changed before a branch or loop that reads them.
 */
#include "lists_fixture.h"

/** The columns are read again before a block. */
#define READ_BEFORE                                                                                \
    "%1[?] = aten::select.int(x, 1, 0)\n"                                                          \
    "%2[?] = aten::select.int(x, 1, 1)\n"                                                          \
    "%3[?,2] = aten::relu_(x)\n"                                                                   \
    "%4[?] = aten::select.int(%3, 1, 0)\n"                                                         \
    "%5[?] = aten::select.int(%3, 1, 1)\n"

/** A list of two columns of x, which is changed, and a body. */
static void columns_give(htp_arena *arena, const char *body, const char *expected)
{
    method_gives(arena, "[?,2] [?]",
                 htp_arena_printf(arena,
                                  "  %%v = aten::select.int(%%x, %%1, %%0)\n"
                                  "  %%w = aten::select.int(%%x, %%1, %%1)\n"
                                  "  %%l:list = prim::ListConstruct(%%v, %%w)\n"
                                  "  %%u = aten::relu_(%%x)\n%s",
                                  body),
                 expected);
}

UNIT_TEST(a_loop_reads_them)
{
    columns_give(arena,
                 "  %r = prim::Loop(%n, %true, %y)\n"
                 "  { (%i:int, %s)\n"
                 "    %t = aten::stack(%l, %1)\n"
                 "    %e = aten::select.int(%t, %1, %1)\n"
                 "    -> %true, %e\n"
                 "  }\n"
                 "  -> %r\n",
                 READ_BEFORE
                 "%6[?] = prim::Loop(n, True, y) { (%7 int, %8[?]) %9[?,2] = aten::stack((%4, %5), "
                 "1); %10[?] = aten::select.int(%9, 1, 1); -> True, %10 }\n"
                 "=> %6");
}

UNIT_TEST(a_side_of_a_branch_reads_them)
{
    columns_give(arena,
                 "  %r = prim::If(%f)\n"
                 "  {\n"
                 "    %e = aten::__getitem__.t(%l, %1)\n"
                 "    %s = aten::neg(%e)\n"
                 "    -> %s\n"
                 "  }\n"
                 "  {\n"
                 "    -> %y\n"
                 "  }\n"
                 "  -> %r\n",
                 READ_BEFORE "%6[?] = prim::If(f) { %7[?] = aten::neg(%5); -> %7 } { -> y }\n"
                             "=> %6");
}

UNIT_TEST(each_side_reads_another_list)
{
    columns_give(arena,
                 "  %m:list = prim::ListConstruct(%w)\n"
                 "  %q = aten::relu_(%x)\n"
                 "  %r = prim::If(%f)\n"
                 "  {\n"
                 "    %e = aten::__getitem__.t(%l, %0)\n"
                 "    -> %e\n"
                 "  }\n"
                 "  {\n"
                 "    %e = aten::__getitem__.t(%m, %0)\n"
                 "    -> %e\n"
                 "  }\n"
                 "  -> %r\n",
                 "%1[?] = aten::select.int(x, 1, 0)\n"
                 "%2[?] = aten::select.int(x, 1, 1)\n"
                 "%3[?,2] = aten::relu_(x)\n"
                 "%4[?] = aten::select.int(%3, 1, 1)\n"
                 "%5[?,2] = aten::relu_(%3)\n"
                 "%6[?] = aten::select.int(%5, 1, 0)\n"
                 "%7[?] = aten::select.int(%5, 1, 1)\n"
                 "%8[?] = aten::select.int(%5, 1, 1)\n"
                 "%9[?] = prim::If(f) { -> %6 } { -> %8 }\n"
                 "=> %9");
}

UNIT_TEST(a_loop_in_a_branch_reads_them)
{
    columns_give(arena,
                 "  %r = prim::If(%f)\n"
                 "  {\n"
                 "    %z = prim::Loop(%n, %true, %y)\n"
                 "    { (%i:int, %s)\n"
                 "      %e = aten::__getitem__.t(%l, %1)\n"
                 "      %t = aten::add.Tensor(%s, %e, %1)\n"
                 "      -> %true, %t\n"
                 "    }\n"
                 "    -> %z\n"
                 "  }\n"
                 "  {\n"
                 "    -> %y\n"
                 "  }\n"
                 "  -> %r\n",
                 READ_BEFORE
                 "%6[?] = prim::If(f) { %7[?] = prim::Loop(n, True, y) { (%8 int, %9[?]) %10[?] = "
                 "aten::add.Tensor(%9, %5, 1); -> True, %10 }; -> %7 } { -> y }\n"
                 "=> %6");
}

UNIT_TEST(what_the_block_itself_changes_is_read_in_it)
{
    columns_give(arena,
                 "  %r = prim::Loop(%n, %true, %y)\n"
                 "  { (%i:int, %s)\n"
                 "    %c = aten::relu_(%x)\n"
                 "    %e = aten::__getitem__.t(%l, %1)\n"
                 "    -> %true, %e\n"
                 "  }\n"
                 "  %g = aten::__getitem__.t(%l, %0)\n"
                 "  -> %r, %g\n",
                 "%1[?] = aten::select.int(x, 1, 0)\n"
                 "%2[?] = aten::select.int(x, 1, 1)\n"
                 "%3[?,2] = aten::relu_(x)\n"
                 "%4[?,2] = prim::Loop(n, True, %3) { (%5 int, %6[?,2]) %7[?,2] = aten::relu_(%6); "
                 "-> True, %7 }\n"
                 "=> unknown, unknown");
}

UNIT_TEST(what_is_read_and_then_changed_is_carried)
{
    columns_give(
        arena,
        "  prim::Loop(%n, %true)\n"
        "  { (%i:int)\n"
        "    %e = aten::__getitem__.t(%l, %1)\n"
        "    %c = aten::relu_(%e)\n"
        "    -> %true\n"
        "  }\n"
        "  %g = aten::__getitem__.t(%l, %1)\n"
        "  -> %g, %x\n",
        READ_BEFORE
        "%6[?] = prim::Loop(n, True, %5) { (%7 int, %8[?]) %9[?] = aten::relu_(%8); -> True, %9 "
        "}\n"
        "%10 unknown = prim::Loop() ! the tensor that it changes is read under another name, "
        "which shares its memory only on one side of a branch, in some iterations of a loop, or "
        "for some sizes\n"
        "=> %6, %10");
}

UNIT_TEST(a_list_that_the_block_changes_as_well_is_read)
{
    columns_give(arena,
                 "  %r = prim::If(%f)\n"
                 "  {\n"
                 "    %e = aten::__getitem__.t(%l, %0)\n"
                 "    %q:list = aten::append.t(%l, %e)\n"
                 "    -> %e\n"
                 "  }\n"
                 "  {\n"
                 "    -> %y\n"
                 "  }\n"
                 "  -> %r\n",
                 READ_BEFORE "%6[?] = prim::If(f) { -> %4 } { -> y }\n"
                             "=> %6");
}

UNIT_TEST(a_side_that_raises_reads_them)
{
    columns_give(arena,
                 "  %r = prim::If(%f)\n"
                 "  {\n"
                 "    %e = aten::__getitem__.t(%l, %0)\n"
                 "    prim::RaiseException(%none, %none)\n"
                 "    -> %e\n"
                 "  }\n"
                 "  {\n"
                 "    %e = aten::__getitem__.t(%l, %1)\n"
                 "    -> %e\n"
                 "  }\n"
                 "  -> %r\n",
                 READ_BEFORE "=> %5");
}

UNIT_MAIN("interpret: stale lists", a_loop_reads_them, a_side_of_a_branch_reads_them,
          each_side_reads_another_list, a_loop_in_a_branch_reads_them,
          what_the_block_itself_changes_is_read_in_it, what_is_read_and_then_changed_is_carried,
          a_list_that_the_block_changes_as_well_is_read, a_side_that_raises_reads_them)
