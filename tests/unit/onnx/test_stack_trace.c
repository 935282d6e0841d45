#include "onnx/metadata/stack_trace.h"
#include "unit.h"

#include <string.h>

/* A forward() that calls a helper, which calls another module; and one call without a known
 * place. */
static const htp_trace_call calls[] = {
    {0, "net.py", 20, "     return self.tiny(x) * 2\n", "forward", 0},
    {1, "net.py", 12, "   y = self.helper(x)", "forward1", 1},
    {1, "net.py", 8, "   return self.linear(x)", "helper", 2},
    {0, "code/__torch__.py", 5, "", "forward", 0},
    {2, "code/__torch__.py", 9, NULL, "forward", 4},
};

static const htp_trace trace = {.calls = calls, .call_count = 5};

static const char *made(htp_arena *arena, htp_trace_node node)
{
    htp_stack_memo memo = {.key = {0}};
    return htp_stack_trace_make(arena, &memo, &trace, &node);
}

#define PLACE(in_scope, line, text, in_function, in_call)                                          \
    (htp_trace_node)                                                                               \
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
    ck_assert_ptr_null(made(arena, (htp_trace_node){.source_file = ""}));
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

UNIT_TEST(nodes_of_equal_places_share_a_text)
{
    const char *const traced = TRACED;
    const htp_trace_node nodes[] = {
        PLACE(3, 3, traced, "forward", 5), PLACE(3, 9, traced, "forward", 5),
        PLACE(3, 3, " x", "forward", 5), PLACE(3, 9, " x", "forward", 5)};
    const char *texts[4];
    htp_stack_memo memo = {.key = {0}};
    for (size_t i = 0; i < 4; i++) {
        texts[i] = htp_stack_trace_make(arena, &memo, &trace, &nodes[i]);
    }
    ck_assert_ptr_eq(texts[0], texts[1]);
    ck_assert_str_eq(texts[2], "File \"linear.py\", line 3, in forward\n    x");
    ck_assert_str_eq(texts[3], "File \"linear.py\", line 9, in forward\n    x");
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
    htp_trace_call *deep = HTP_NEW_ARRAY(arena, htp_trace_call, DEEP);
    for (uint32_t i = 0; i < DEEP; i++) {
        deep[i] = (htp_trace_call){i, "f.py", i, " f()", "forward", i};
    }
    const htp_trace long_trace = {.calls = deep, .call_count = DEEP};
    const htp_trace_node node = PLACE(DEEP, 1, " x", "forward", DEEP);
    htp_stack_memo memo = {.key = {0}};
    const char *text = htp_stack_trace_make(arena, &memo, &long_trace, &node);
    ck_assert_ptr_eq(strstr(text, "File \"f.py\", line 745, in forward"), text);
}

static htp_graph graph_of(htp_arena *arena, const htp_trace *of)
{
    htp_graph graph = {.arena = arena, .trace = of, .node_count = of->node_count};
    graph.is_live = HTP_NEW_ARRAY(arena, bool, (size_t)of->node_count + 1);
    memset(graph.is_live, true, of->node_count);
    return graph;
}

static const char *join(htp_arena *arena, const char *outer, const char *inner)
{
    return outer && inner ? htp_arena_printf(arena, "%s\n  %s", outer, inner)
                          : (outer ? outer : inner);
}

static void check_same(const char *got, const char *wanted)
{
    ck_assert_msg(got == wanted || (got && wanted && strcmp(got, wanted) == 0), "%s\nnot\n%s", got,
                  wanted);
}

/* Every stack equals the concatenation of its parts, wherever it is split. @return the stacks */
static const htp_stacks *check_parts(htp_arena *arena, const htp_graph *graph)
{
    const htp_trace_scope *scopes = graph->trace->scopes;
    const htp_stacks *stacks = htp_stacks_find(arena, graph);
    htp_stack_memo memo = {.key = {0}};
    for (uint32_t i = 0; i < graph->node_count; i++) {
        const htp_trace_node *node = &graph->trace->nodes[i];
        const char *whole = htp_stack_trace_make(arena, &memo, graph->trace, node);
        for (uint32_t scope = node->scope; scope != HTP_NONE; scope = scopes[scope].parent) {
            const char *call = htp_stack_trace_of_call(arena, stacks, scope, 0);
            const char *inner = htp_stack_trace_within(arena, stacks, i, scope);
            ck_assert((inner != NULL) == (whole != NULL));
            check_same(inner ? join(arena, call, inner) : NULL, whole);
            uint32_t around = scope == 0 ? 0 : scopes[scope].parent;
            check_same(join(arena, htp_stack_trace_of_call(arena, stacks, around, 0),
                            htp_stack_trace_of_call(arena, stacks, scope, around)),
                       call);
        }
    }
    return stacks;
}

UNIT_TEST(parts_of_stacks)
{
    static const htp_trace_scope scopes[] = {
        {.parent = HTP_NONE}, {.parent = 0, .site = 1}, {.parent = 1, .site = 3}};
    const htp_trace_node nodes[] = {PLACE(2, 134, "  return F.linear(x)", "forward", 3),
                                    PLACE(2, 135, "", "forward", 3),
                                    PLACE(1, 9, " return x", "helper", 2),
                                    PLACE(0, 21, " return y", "forward", 0),
                                    {.scope = 2, .source_file = ""}};
    const htp_trace of = {.calls = calls,
                          .call_count = 3,
                          .scopes = scopes,
                          .scope_count = 3,
                          .nodes = nodes,
                          .node_count = 5};
    const htp_graph graph = graph_of(arena, &of);
    const htp_stacks *stacks = check_parts(arena, &graph);
    check_same(htp_stack_trace_of_call(arena, stacks, 0, 0), NULL);
    check_same(htp_stack_trace_of_call(arena, stacks, 2, 0),
               "File \"net.py\", line 20, in forward\n"
               "    return self.tiny(x) * 2\n"
               "  File \"net.py\", line 12, in forward\n"
               "    y = self.helper(x)");
    check_same(htp_stack_trace_of_call(arena, stacks, 2, 1),
               "File \"net.py\", line 12, in forward\n    y = self.helper(x)");
    check_same(htp_stack_trace_within(arena, stacks, 0, 2),
               "File \"linear.py\", line 134, in forward\n    return F.linear(x)");
    check_same(htp_stack_trace_within(arena, stacks, 2, 2), NULL);
    check_same(htp_stack_trace_within(arena, stacks, 3, 1), NULL);
}

#define NET "net.py(9): forward\n/x/torch/jit/_trace.py(9): trace\n"

/* The calls are known from the nodes alone. One that was moved lacks a frame. */
UNIT_TEST(parts_of_stacks_of_traced_files)
{
    static const htp_trace_call bare[] = {{.source_file = "", .function = "forward"},
                                          {.scope = 1, .source_file = "", .call = 1}};
    static const htp_trace_scope scopes[] = {
        {.parent = HTP_NONE}, {.parent = 0, .site = 1}, {.parent = 1, .site = 2}};
    htp_trace_node nodes[] = {
        PLACE(2, 1, "f.py(3): relu\nb.py(5): forward\na.py(7): forward\n" NET, "forward", 2),
        PLACE(2, 1, "b.py(6): forward\na.py(7): forward\n" NET, "forward", 2),
        PLACE(1, 1, "a.py(8): forward\n" NET, "forward", 1),
        PLACE(2, 1, "a.py(8): forward\n" NET, "forward", 2)};
    const htp_trace of = {.calls = bare,
                          .call_count = 2,
                          .scopes = scopes,
                          .scope_count = 3,
                          .nodes = nodes,
                          .node_count = 4};
    htp_graph graph = graph_of(arena, &of);
    graph.is_live[3] = false;
    const htp_stacks *stacks = htp_stacks_find(arena, &graph);
    check_same(htp_stack_trace_of_call(arena, stacks, 1, 0), "File \"net.py\", line 9, in forward");
    check_same(htp_stack_trace_of_call(arena, stacks, 2, 1), "File \"a.py\", line 7, in forward");
    check_same(htp_stack_trace_within(arena, stacks, 0, 2), "File \"b.py\", line 5, in forward");
    graph.is_live[3] = true;
    stacks = check_parts(arena, &graph);
    check_same(htp_stack_trace_of_call(arena, stacks, 2, 0), "File \"net.py\", line 9, in forward");
    check_same(htp_stack_trace_of_call(arena, stacks, 2, 1), NULL);
}

/* A node without a place has the frames of its callers; one of these then counts as its own. */
UNIT_TEST(parts_of_stacks_without_places)
{
    static const htp_trace_scope scopes[] = {
        {.parent = HTP_NONE}, {.parent = 0, .site = 1}, {.parent = 1, .site = 3}};
    const htp_trace_node nodes[] = {{.scope = 2, .source_file = "", .call = 3}};
    const htp_trace of = {.calls = calls,
                          .call_count = 3,
                          .scopes = scopes,
                          .scope_count = 3,
                          .nodes = nodes,
                          .node_count = 1};
    const htp_graph graph = graph_of(arena, &of);
    const htp_stacks *stacks = check_parts(arena, &graph);
    check_same(htp_stack_trace_within(arena, stacks, 0, 2),
               "File \"net.py\", line 12, in forward\n    y = self.helper(x)");
}

UNIT_TEST(parts_of_long_stacks)
{
    enum { DEEP = 600, NODES = 3 };
    htp_trace_call *deep = HTP_NEW_ARRAY(arena, htp_trace_call, DEEP);
    htp_trace_scope *scopes = HTP_NEW_ARRAY(arena, htp_trace_scope, DEEP + 1);
    for (uint32_t i = 0; i <= DEEP; i++) {
        scopes[i] = (htp_trace_scope){.parent = i ? i - 1 : HTP_NONE, .site = i};
        if (i < DEEP) {
            deep[i] = (htp_trace_call){i, "f.py", i, " f()", "forward", i};
        }
    }
    const htp_trace_node nodes[NODES] = {PLACE(DEEP, 1, " x", "forward", DEEP),
                                         PLACE(100, 2, " x", "forward", 100),
                                         PLACE(300, 3, " x", "forward", 300)};
    const htp_trace of = {.calls = deep,
                          .call_count = DEEP,
                          .scopes = scopes,
                          .scope_count = DEEP + 1,
                          .nodes = nodes,
                          .node_count = NODES};
    const htp_graph graph = graph_of(arena, &of);
    (void)check_parts(arena, &graph);
}

UNIT_MAIN("stack_trace", the_lines_of_all_forwards, what_is_not_known_is_left_out,
          stacks_of_traced_files, nodes_of_equal_places_share_a_text, odd_bytes,
          long_stacks_lose_what_is_outermost, parts_of_stacks, parts_of_stacks_of_traced_files,
          parts_of_stacks_without_places, parts_of_long_stacks)
