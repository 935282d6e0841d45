/*
 * Programs that change tensors and attributes, and whose sizes the data decides: what becomes of
 * them.
 */
#ifndef HTP_TESTS_EFFECTS_FIXTURE_H
#define HTP_TESTS_EFFECTS_FIXTURE_H

#include "named_trace.h"

/** What all bodies may name: eleven lines. */
#define EFFECTS_CONSTANTS                                                                          \
    "  %0:int = prim::Constant<0>()\n"                                                             \
    "  %1:int = prim::Constant<1>()\n"                                                             \
    "  %2:int = prim::Constant<2>()\n"                                                             \
    "  %3:int = prim::Constant<3>()\n"                                                             \
    "  %5:int = prim::Constant<5>()\n"                                                             \
    "  %minus:int = prim::Constant<-1>()\n"                                                        \
    "  %many:int = prim::Constant<9223372036854775807>()\n"                                        \
    "  %true:bool = prim::Constant<True>()\n"                                                      \
    "  %false:bool = prim::Constant<False>()\n"                                                    \
    "  %none = prim::Constant<None>()\n"                                                           \
    "  %text:str = prim::Constant<\"it is wrong\">()\n"

/** What is read from a memory of which nobody knows whether it was changed. */
#define EFFECTS_LOST                                                                               \
    "what it changes is read under another name, which shares its memory on one side of a "        \
    "branch, in some iterations of a loop, or for some sizes, only"

/** What a mask selects of x as %a, and the trace of that. */
#define EFFECTS_SELECT                                                                             \
    "%m = aten::gt.Scalar(%x, %0)\n"                                                               \
    "%a = aten::masked_select(%x, %m)\n"
#define EFFECTS_SELECTED                                                                           \
    "%1[?,3] = aten::gt.Scalar(x, 0)\n"                                                            \
    "%2[?] = aten::masked_select(x, %1)\n"

/** stack() takes tensors of equal sizes alone: it tells whether two are. */
#define EFFECTS_COMPARE(a, b)                                                                      \
    "%pair:list = prim::ListConstruct(" a ", " b ")\n"                                             \
    "%stacked = aten::stack(%pair, %0)\n"                                                          \
    "-> %stacked\n"
#define EFFECTS_UNEQUAL "sizes that depend on the data do not fit: Sizes of tensors must match\n"

/** The trace of the last call, or why there is none. */
static inline const char *effects_text(const interpretation *i)
{
    const char *text = i->code == HTP_CODE_OK ? named_text(i) : i->message;
    return htp_arena_strdup(i->arena, text);
}

/** A program has this trace in so many lanes, or is refused with this message. */
static inline void lanes_give(htp_arena *arena, const char *program, const char *inputs,
                              uint32_t lanes, const char *expected)
{
    interpretation *i = interpret_open_program(arena, program);
    interpret_run_carried(i, inputs, lanes, NULL, 0);
    const char *text = effects_text(i);
    htp_interpreter_close(i->interpreter);
    ck_assert_str_eq(text, expected);
}

/** A method of one tensor, behind classes: its body begins in line 12. */
static inline const char *effects_program(htp_arena *arena, const char *classes, const char *body)
{
    return htp_arena_printf(arena, "%sdef Net.forward(%%self:Net, %%x)\n%s%s", classes,
                            EFFECTS_CONSTANTS, body);
}

static inline void tensor_gives(htp_arena *arena, const char *classes, const char *body,
                                const char *tensor, const char *expected)
{
    lanes_give(arena, effects_program(arena, classes, body), tensor, HTP_MAX_LANES, expected);
}

/** A method of two tensors, two flags and a number, which the data decides. */
static inline void body_gives(htp_arena *arena, const char *body, const char *expected)
{
    const char *program = htp_arena_printf(
        arena,
        "class Net n=1\ndef Net.forward(%%self:Net, %%x, %%y, %%c:bool, %%d:bool, %%n:int)\n%s%s",
        EFFECTS_CONSTANTS, body);
    lanes_give(arena, program, "[?,3] [?,3] bool bool int", HTP_MAX_LANES, expected);
}

/** A method of one tensor, two flags and a number, with attributes of all kinds. */
static inline void state_gives(htp_arena *arena, const char *body, const char *expected)
{
    const char *program =
        htp_arena_printf(arena,
                         "class Net h=tensor[2,3] g=tensor[2,3] n=1 b=Block c=Block t=\"now\" "
                         "e=None f=True k=tensor[]\n"
                         "class Block h=tensor[2,3]\n"
                         "def Net.forward(%%self:Net, %%x, %%c:bool, %%d:bool, %%n:int)\n%s%s",
                         EFFECTS_CONSTANTS, body);
    lanes_give(arena, program, "[2,3] bool bool int", HTP_MAX_LANES, expected);
}

/* ---- calls that follow one another ----------------------------------------------------------- */

/** What a part of a state is: "in" of one that is given to the call, with the numbers of its open
 * sizes where it has some ("in[1,0]"), or "left". */
static inline const char *effects_part(const char *at, htp_trace_carry *part)
{
    *part = (htp_trace_carry){.is_input = *at == 'i'};
    at += strcspn(at, "[, ");
    uint32_t dim = 0;
    while (*at == '[' || (dim && *at == ',')) {
        char *end = NULL;
        part->open_dims[dim++] = (uint32_t)strtoul(at + 1, &end, 10);
        at = end + (*end == ']');
        dim = end[0] == ']' ? 0 : dim;
    }
    return at;
}

/** "hidden=in[1] list=in,left": states. @return how many there are */
static inline uint32_t effects_carried(htp_arena *arena, const char *text, htp_trace_carried *all)
{
    uint32_t count = 0;
    for (const char *at = text; *at; at += strspn(at, " ")) {
        HTP_VECTOR(htp_trace_carry) parts = {0};
        htp_trace_carried *one = &all[count++];
        one->name = htp_arena_copy(arena, at, strcspn(at, "="));
        for (at += strcspn(at, "="); *at == '=' || *at == ',';) {
            htp_trace_carry part;
            at = effects_part(at + 1, &part);
            HTP_PUSH(arena, &parts, part);
        }
        one->parts = parts.items;
        one->part_count = (uint32_t)parts.count;
    }
    return count;
}

/** Calls it: for the first time where nothing is carried. */
static inline void effects_call(interpretation *i, const char *inputs, const char *carried)
{
    htp_trace_carried all[8];
    uint32_t count = effects_carried(i->arena, carried, all);
    interpret_run_carried(i, inputs, HTP_MAX_LANES, all, count);
}

/** The last of several calls has this trace. All but the first find the same states. */
static inline void calls_give(htp_arena *arena, const char *program, unsigned calls,
                              const char *carried, const char *expected)
{
    interpretation *i = interpret_open_program(arena, program);
    effects_call(i, "[?,3]", "");
    ck_assert_msg(i->code == HTP_CODE_OK, "%s", i->message);
    for (unsigned call = 1; call < calls; call++) {
        effects_call(i, "[?,3]", carried);
    }
    const char *text = effects_text(i);
    htp_interpreter_close(i->interpreter);
    ck_assert_str_eq(text, expected);
}

static inline void second_gives(htp_arena *arena, const char *classes, const char *body,
                                const char *carried, const char *expected)
{
    calls_give(arena, effects_program(arena, classes, body), 2, carried, expected);
}

static inline void third_gives(htp_arena *arena, const char *classes, const char *body,
                               const char *carried, const char *expected)
{
    calls_give(arena, effects_program(arena, classes, body), 3, carried, expected);
}

#endif
