#include "graph/graph.h"
#include "unit.h"

#include <string.h>

#define MADE_BY(node) .producer = (node), .weight = HTP_NONE
#define CONSTANT .producer = HTP_NONE, .weight = HTP_NONE, .is_constant = true

static const htp_instance modules[] = {
    {.name = "", .path = "", .qualified_class = "pkg.Net", .parent = HTP_NONE},
    {.name = "a", .path = "a", .qualified_class = "pkg.A", .parent = 0},
    {.name = "x", .path = "a.x", .qualified_class = "pkg.X", .parent = 1},
    {.name = "odd name", .path = "a.odd name", .qualified_class = "pkg.X", .parent = 1},
    {.name = "b", .path = "b", .qualified_class = "pkg.B", .parent = 0},
};

static const htp_trace_passed passed[] = {{"ids", 0}, {"table_a key", 1}, {"scale", 5}};

static const htp_trace_scope scopes[] = {
    {.parent = HTP_NONE, .passed = passed, .passed_count = 1},
    {.parent = 0, .module = 1, .site = 1},
    {.parent = 1, .module = 2, .call = 4, .site = 2, .passed = passed, .passed_count = 3},
    {.parent = 1, .module = 3, .site = 3}};

static const htp_trace_call calls[] = {{.scope = 0, .source_file = "net.py", .source_line = 31},
                                       {.scope = 1, .source_file = "my net.py", .source_line = 32},
                                       {.scope = 1, .source_file = "", .call = 1}};

static const int64_t lanes[3][2] = {{2, 8}, {3, 8}, {5, 8}};
static const int64_t matrix[] = {8, 4};
static const int64_t numbers[] = {1, -2};
static const int64_t two[] = {2};
static const htp_axis axes[] = {{"batch", {2, 3, 5}, NULL}};

static const htp_weight weights[] = {
    {.name = "a.x.weight", .module = 2, .dtype = HTP_DTYPE_FLOAT32, .rank = 2, .dims = matrix}};

static const uint32_t list_elements[] = {4, 5, 6, 7, 8};
static const uint32_t chunk_elements[] = {0, 0};
static const uint32_t self_elements[] = {13, 13};

static const htp_trace_value values[] = {
    {HTP_TRACE_TENSOR, .dtype = HTP_DTYPE_FLOAT32, .rank = 2,
     .dims = {lanes[0], lanes[1], lanes[2]}, MADE_BY(HTP_NONE)},
    {HTP_TRACE_TENSOR, .dtype = HTP_DTYPE_FLOAT32, .rank = 2, .dims = {matrix, matrix, matrix},
     .producer = HTP_NONE, .weight = 0},
    {HTP_TRACE_NOTHING, CONSTANT},
    {HTP_TRACE_TENSOR, .dtype = HTP_DTYPE_FLOAT32, .rank = 2,
     .dims = {lanes[0], lanes[1], lanes[2]}, MADE_BY(0)},
    {HTP_TRACE_INT, CONSTANT, .i = {-3}},
    {HTP_TRACE_FLOAT, CONSTANT, .f = {0.5}},
    {HTP_TRACE_BOOL, CONSTANT, .i = {1}},
    {HTP_TRACE_STRING, CONSTANT, .s = "tanh\n", .s_bytes = 5},
    {HTP_TRACE_INT, MADE_BY(1), .i = {2, 3, 5}, .has_lanes = true},
    {HTP_TRACE_LIST, MADE_BY(HTP_NONE), .elements = list_elements, .element_count = 5},
    {HTP_TRACE_LIST, MADE_BY(2), .elements = chunk_elements, .element_count = 2},
    {HTP_TRACE_TENSOR, .dtype = HTP_DTYPE_INT64, .rank = 1, .dims = {two, two, two},
     MADE_BY(HTP_NONE), .data = numbers, .data_bytes = sizeof(numbers)},
    {HTP_TRACE_OPAQUE, MADE_BY(HTP_NONE)},
    {HTP_TRACE_LIST, MADE_BY(HTP_NONE), .elements = self_elements, .element_count = 2},
    {HTP_TRACE_TENSOR, .dtype = HTP_DTYPE_BOOL, .rank = 0, MADE_BY(3)},
    {HTP_TRACE_UNKNOWN, MADE_BY(4)},
};

#define IDS(...)                                                                                   \
    (const uint32_t[])                                                                             \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }
#define NAMES(...)                                                                                 \
    (const char *const[])                                                                          \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }

#define NODE(operator, in, out, in_scope, file, line)                                              \
    .kind = (operator), .inputs = (in), .input_count = sizeof(in) / sizeof(uint32_t),              \
    .outputs = (out), .output_count = 1, .scope = (in_scope), .source_file = (file),               \
    .source_line = (line)

static const htp_trace_node nodes[] = {
    {NODE("aten::linear", IDS(0, 1, 2), IDS(3), 2, "net.py", 12)},
    {NODE("aten::size.int", IDS(3, 4), IDS(8), 0, "", 0)},
    {NODE("aten::chunk", IDS(3, 9, 12), IDS(10), 3, "my net.py", 7)},
    {NODE("aten::any", IDS(11, 13), IDS(14), 1, "net.py", 1)},
    {NODE("aten::odd", IDS(15), IDS(15), 0, "net.py", 2), .failure = "no \"kernel\""},
};

static const uint32_t inputs[] = {0};
static const uint32_t outputs[] = {14, 1};
static const htp_argument arguments[] = {
    {.name = "ids", .kind = HTP_TRACE_TENSOR, .type = "Tensor"}};

static const htp_trace trace = {.values = values,
                                .value_count = 16,
                                .nodes = nodes,
                                .node_count = 5,
                                .scopes = scopes,
                                .scope_count = 4,
                                .calls = calls,
                                .call_count = 3,
                                .weights = weights,
                                .weight_count = 1,
                                .inputs = inputs,
                                .input_count = 1,
                                .outputs = outputs,
                                .output_count = 2};

static htp_graph *build(htp_arena *arena, uint32_t lane_count)
{
    return htp_graph_build(arena, &trace, lane_count, modules, 5, arguments, 1, axes, 1);
}

UNIT_TEST(dims_become_symbols)
{
    htp_graph *graph = build(arena, 3);
    ck_assert_uint_eq(graph->value_count, 16);
    ck_assert_str_eq(graph->values[0].dims[0].symbol, "batch");
    ck_assert_int_eq(graph->values[0].dims[0].size, 2);
    ck_assert_ptr_null(graph->values[0].dims[1].symbol);
    ck_assert_int_eq(graph->values[0].dims[1].size, 8);
    ck_assert_ptr_null(graph->values[4].dims);
    ck_assert_ptr_null(build(arena, 1)->values[0].dims[0].symbol);
}

UNIT_TEST(children_are_in_order)
{
    htp_graph *graph = build(arena, 3);
    ck_assert_uint_eq(graph->modules[0].first_child, 1);
    ck_assert_uint_eq(graph->modules[1].next_sibling, 4);
    ck_assert_uint_eq(graph->modules[4].next_sibling, HTP_NONE);
    ck_assert_uint_eq(graph->modules[1].first_child, 2);
    ck_assert_uint_eq(graph->modules[2].next_sibling, 3);
    ck_assert_uint_eq(graph->modules[2].first_child, HTP_NONE);
}

UNIT_TEST(scope_paths)
{
    htp_graph *graph = build(arena, 3);
    ck_assert_str_eq(htp_graph_scope_path(graph, 0), "");
    ck_assert_str_eq(htp_graph_scope_path(graph, 2), "a.x");
    ck_assert_ptr_null(htp_graph_scope_site(graph, 0));
    ck_assert_uint_eq(htp_graph_scope_site(graph, 2)->source_line, 32);
}

/* The list that contains itself is cut at 8 levels. */
UNIT_TEST(dump)
{
    htp_graph *graph = build(arena, 3);
    htp_text text = {.arena = arena};
    htp_graph_dump(graph, &text);
    const char *const beginning =
        "# input: %0 : float32[batch, 8]  name: ids\n"
        "# scope 0: .  call: 0  passed: ids = %0\n"
        "# scope 1: a  call: 0  caller: 0  source: net.py:31\n"
        "# scope 2: a.x  call: 4  caller: 1  source: \"my net.py\":32"
        "  passed: ids = %0, \"table_a key\" = a.x.weight, scale = 0.5\n"
        "# scope 3: \"a.odd name\"  call: 0  caller: 1\n"
        "%3 : float32[batch, 8] = aten::linear(%0, a.x.weight, None)"
        "  # scope: a.x  call: 4  source: net.py:12\n"
        "%8 : int = aten::size.int(%3, -3)  # scope: .  call: 0\n"
        "%10 : [%0 : float32[batch, 8], %0 : float32[batch, 8]] = "
        "aten::chunk(%3, [-3, 0.5, True, \"tanh\\n\", %8], object)"
        "  # scope: \"a.odd name\"  call: 0  source: \"my net.py\":7\n"
        "%14 : bool[] = aten::any(int64[2]{1, -2}, [[[[[[[[[...], [...]], ";
    const char *const end = "  # scope: a  call: 0  source: net.py:1\n"
                            "%15 : unknown = aten::odd(%15)  # scope: .  call: 0"
                            "  source: net.py:2  failure: \"no \\\"kernel\\\"\"\n"
                            "# output: %14\n"
                            "# output: a.x.weight\n";
    const char *dumped = htp_text_string(&text);
    ck_assert_uint_gt(strlen(dumped), strlen(beginning) + strlen(end));
    ck_assert_str_eq(dumped + strlen(dumped) - strlen(end), end);
    ck_assert_str_eq(htp_arena_copy(arena, dumped, strlen(beginning)), beginning);
}

UNIT_TEST(dump_of_a_wide_list_nested_in_itself_is_bounded)
{
    enum { WIDTH = 500 };
    uint32_t elements[WIDTH] = {0};
    htp_trace_value list = {HTP_TRACE_LIST, MADE_BY(0), .elements = elements,
                            .element_count = WIDTH};
    htp_trace_node node = {
        .kind = "aten::x", .outputs = elements, .output_count = 1, .source_file = ""};
    htp_trace wide = {.values = &list,
                      .value_count = 1,
                      .nodes = &node,
                      .node_count = 1,
                      .scopes = scopes,
                      .scope_count = 1};
    htp_graph *graph = htp_graph_build(arena, &wide, 1, modules, 1, NULL, 0, NULL, 0);
    htp_text text = {.arena = arena};
    htp_graph_dump(graph, &text);
    ck_assert_uint_lt(text.length, 20000);
}

UNIT_MAIN("graph", dims_become_symbols, children_are_in_order, scope_paths, dump,
          dump_of_a_wide_list_nested_in_itself_is_bounded)
