#include "onnx/stack_trace.h"
#include "unit.h"

#include <string.h>

/* A forward() that calls a helper, which calls another module; and one call of the unknown. */
static const htp_shim_call calls[] = {
    {0, "net.py", 20, "     return self.tiny(x) * 2\n", "forward", 0},
    {1, "net.py", 12, "   y = self.helper(x)", "forward1", 1},
    {1, "net.py", 8, "   return self.linear(x)", "helper", 2},
    {0, "code/__torch__.py", 5, "", "forward", 0},
    {2, "code/__torch__.py", 9, NULL, "forward", 4},
};

static const htp_shim_trace trace = {.calls = calls, .call_count = 5};

static const char *made(htp_arena *arena, htp_shim_node node)
{
    return htp_stack_trace_make(arena, &trace, &node);
}

#define PLACE(in_scope, line, text, in_function, in_call)                                          \
    (htp_shim_node)                                                                                \
    {                                                                                              \
        .scope = (in_scope), .source_file = "linear.py", .source_line = (line),                    \
        .source_text = (text), .function = (in_function), .call = (in_call)                        \
    }

UNIT_TEST(the_lines_of_all_forwards)
{
    ck_assert_str_eq(made(arena, PLACE(2, 134, "  return F.linear(x)", "forward", 3)),
                     "File \"net.py\", line 20, in forward\n"
                     "    return self.tiny(x) * 2\n"
                     "  File \"net.py\", line 12, in forward\n"
                     "    y = self.helper(x)\n"
                     "  File \"linear.py\", line 134, in forward\n"
                     "    return F.linear(x)");
    ck_assert_str_eq(made(arena, PLACE(1, 9, " return x", "helper", 2)),
                     "File \"net.py\", line 20, in forward\n"
                     "    return self.tiny(x) * 2\n"
                     "  File \"net.py\", line 12, in forward\n"
                     "    y = self.helper(x)");
}

UNIT_TEST(what_is_not_known_is_left_out)
{
    ck_assert_str_eq(made(arena, PLACE(0, 7, NULL, NULL, 0)),
                     "File \"linear.py\", line 7, in forward");
    ck_assert_str_eq(made(arena, PLACE(3, 7, " x + 1", "encode", 5)),
                     "File \"linear.py\", line 7, in encode\n    x + 1");
    ck_assert_ptr_null(made(arena, (htp_shim_node){.source_file = ""}));
    ck_assert_str_eq(made(arena, PLACE(3, 7, "", "forward", 5)),
                     "File \"linear.py\", line 7, in forward");
}

#define TRACED                                                                                     \
    "fun.py(3): relu\nact.py(143): forward\nmodule.py(1): _call_impl\nhelp.py(4): run\n"           \
    "a (b): c.py(20): forward\n/x/torch/jit/_trace.py(9): trace\nmain.py(1): forward\n"

UNIT_TEST(stacks_of_traced_files)
{
    ck_assert_str_eq(made(arena, PLACE(3, 3, TRACED, "forward", 5)),
                     "File \"a (b): c.py\", line 20, in forward\n"
                     "  File \"act.py\", line 143, in forward");
    ck_assert_str_eq(made(arena, PLACE(2, 3, TRACED, "forward", 1)),
                     "File \"net.py\", line 20, in forward\n"
                     "    return self.tiny(x) * 2\n"
                     "  File \"a (b): c.py\", line 20, in forward\n"
                     "  File \"act.py\", line 143, in forward");
    ck_assert_str_eq(made(arena, PLACE(0, 3, "f.py(3): f\ng.py(4): g", "forward", 0)),
                     "File \"f.py\", line 3, in f");
    ck_assert_str_eq(made(arena, PLACE(0, 3, "f.py(3): f\ng.py(4): encode", "encode", 0)),
                     "File \"g.py\", line 4, in encode");
    ck_assert_ptr_null(
        made(arena, PLACE(0, 3, "(3): f\nf.py(): g\nf.py3): g\n): \n", "forward", 0)));
}

UNIT_TEST(odd_bytes)
{
    ck_assert_str_eq(made(arena, PLACE(0, 7, " \xff\t\n", "f\n", 0)),
                     "File \"linear.py\", line 7, in f%0A\n    \xef\xbf\xbd");
    ck_assert_str_eq(made(arena, PLACE(0, 7, "a\nb.py(3): f", "f", 0)),
                     "File \"b.py\", line 3, in f");
    char line[5000] = " ";
    memset(line + 1, 'x', sizeof(line) - 2);
    ck_assert_uint_lt(strlen(made(arena, PLACE(0, 7, line, "f", 0))), 1100);
}

UNIT_TEST(long_stacks_lose_what_is_outermost)
{
    enum { DEEP = 1000 };
    htp_shim_call *deep = HTP_NEW_ARRAY(arena, htp_shim_call, DEEP);
    for (uint32_t i = 0; i < DEEP; i++) {
        deep[i] = (htp_shim_call){i, "f.py", i, " f()", "forward", i};
    }
    const htp_shim_trace long_trace = {.calls = deep, .call_count = DEEP};
    const htp_shim_node node = PLACE(DEEP, 1, " x", "forward", DEEP);
    const char *text = htp_stack_trace_make(arena, &long_trace, &node);
    ck_assert_ptr_eq(strstr(text, "File \"f.py\", line 745, in forward"), text);
}

UNIT_MAIN("stack_trace", the_lines_of_all_forwards, what_is_not_known_is_left_out,
          stacks_of_traced_files, odd_bytes, long_stacks_lose_what_is_outermost)
