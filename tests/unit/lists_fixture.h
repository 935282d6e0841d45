/*
 * Programs that work on lists, and what becomes of them.
 */
#ifndef HTP_TESTS_LISTS_FIXTURE_H
#define HTP_TESTS_LISTS_FIXTURE_H

#include "named_trace.h"

/** An operator that is not run, so that nothing is known of what it gives, and a class. */
#define LISTS_BEGIN                                                                                \
    "schema aten::ldl_solve self\n"                                                                \
    "class Net n=1\n"

/** What all bodies may name. */
#define LISTS_CONSTANTS                                                                            \
    "  %minus:int = prim::Constant<-1>()\n"                                                        \
    "  %0:int = prim::Constant<0>()\n"                                                             \
    "  %1:int = prim::Constant<1>()\n"                                                             \
    "  %2:int = prim::Constant<2>()\n"                                                             \
    "  %3:int = prim::Constant<3>()\n"                                                             \
    "  %many:int = prim::Constant<9223372036854775807>()\n"                                        \
    "  %none:NoneType = prim::Constant<None>()\n"                                                  \
    "  %true:bool = prim::Constant<True>()\n"

/** What a program does on some inputs, or why it is refused. */
static inline const char *lists_text(htp_arena *arena, const char *program, const char *inputs)
{
    interpretation *i = interpret_open_program(arena, program);
    interpret_run_carried(i, inputs, HTP_MAX_LANES, NULL, 0);
    const char *text = htp_arena_strdup(arena, named_text(i));
    htp_interpreter_close(i->interpreter);
    return text;
}

/** A method of three tensors that are alike, a number and a flag, and of a list of the tensors: its
 * body, from line 10 on. */
static inline void list_gives(htp_arena *arena, const char *body, const char *expected)
{
    const char *program = htp_arena_printf(
        arena,
        LISTS_BEGIN "def Net.forward(%%self:Net, %%a, %%b, %%c, %%n:int, %%f:bool)\n%s"
                    "  %%all:list = prim::ListConstruct(%%a, %%b, %%c)\n%s",
        LISTS_CONSTANTS, body);
    ck_assert_str_eq(lists_text(arena, program, "[2] [2] [2] int bool"), expected);
}

/** A method of two tensors, which @p inputs begin with, two numbers and a flag: its body, from line
 * 9 on. */
static inline void method_gives(htp_arena *arena, const char *inputs, const char *body,
                                const char *expected)
{
    const char *program = htp_arena_printf(
        arena,
        LISTS_BEGIN "def Net.forward(%%self:Net, %%x, %%y, %%n:int, %%k:int, %%f:bool)\n%s%s",
        LISTS_CONSTANTS, body);
    ck_assert_str_eq(lists_text(arena, program, htp_arena_printf(arena, "%s int int bool", inputs)),
                     expected);
}

/** A list to which a loop on the data appends, and a body, from line 11 on.
 * @param begins  what it holds before
 * @param element  makes what is appended
 * @param head  the loop in the trace, which @p expected does not have */
static inline void loop_gives(htp_arena *arena, const char *inputs, const char *begins,
                              const char *element, const char *head, const char *body,
                              const char *expected)
{
    const char *program =
        htp_arena_printf(arena,
                         LISTS_BEGIN "def Net.forward(%%self:Net, %%x, %%y, %%n:int, %%k:int)\n%s"
                                     "  %%l:list = prim::ListConstruct(%s)\n"
                                     "  prim::Loop(%%n, %%true)\n"
                                     "  { (%%i:int)\n"
                                     "    %%e%s\n"
                                     "    %%appended:list = aten::append.t(%%l, %%e)\n"
                                     "    -> %%true\n"
                                     "  }\n%s",
                         LISTS_CONSTANTS, begins, element, body);
    const char *text = lists_text(arena, program, inputs);
    size_t length = strlen(head);
    ck_assert_str_eq(text + (strncmp(text, head, length) == 0 ? length : 0), expected);
}

/** A list of n tensors, which %1 has as its rows. */
static inline void grown_gives(htp_arena *arena, const char *body, const char *expected)
{
    loop_gives(arena, "[2] [2] int int", "", " = aten::relu(%x)",
               "%1[?,2] = prim::Loop(n, True)"
               " { (%2 int) %3[2] = aten::relu(x); -> True, %3 }\n",
               body, expected);
}

/** The same behind a tensor that is known. */
static inline void begun_gives(htp_arena *arena, const char *inputs, const char *body,
                               const char *expected)
{
    loop_gives(arena, htp_arena_printf(arena, "%s int int", inputs), "%y", " = aten::relu(%x)",
               "%1[?,2] = prim::Loop(n, True)"
               " { (%2 int) %3[2] = aten::relu(x); -> True, %3 }\n",
               body, expected);
}

/** A list of n numbers, which are those of %1. */
static inline void counted_gives(htp_arena *arena, const char *body, const char *expected)
{
    loop_gives(arena, "[2] [2] int int", "", ":int = aten::add.int(%i, %k)",
               "%1[?] = prim::Loop(n, True)"
               " { (%2 int) %3 int = aten::add.int(%2, k); -> True, %3 }\n",
               body, expected);
}

/** A list of n tensors of different sizes, which are those of %2. */
static inline void sequence_gives(htp_arena *arena, const char *body, const char *expected)
{
    loop_gives(arena, "[8] [2] int int", "", " = aten::slice.Tensor(%x, %0, %0, %i, %1)",
               "%1 sequence[?] = prim::ListConstruct()\n"
               "%2 sequence[?] = prim::Loop(n, True, %1)"
               " { (%3 int, %4 sequence[?]) %5[?] = aten::slice.Tensor(x, 0, 0, %3, 1);"
               " %6 sequence[?] = aten::append.t(%4, %5); -> True, %6 }\n",
               body, expected);
}

#endif
