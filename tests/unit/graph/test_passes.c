#include "graph/passes.h"
#include "graph/verify.h"
#include "unit.h"

#include <string.h>

#define MADE_BY(node) .producer = (node), .weight = HTP_NONE
#define TENSOR                                                                                     \
    .kind = HTP_TRACE_TENSOR, .dtype = HTP_DTYPE_INT64, .rank = 1, .dims = {two, two, two}
#define IDS(...)                                                                                   \
    (const uint32_t[])                                                                             \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }

static const int64_t two[] = {2};
static const int64_t numbers[] = {1, -2};
static const char *const names[] = {"self", "other"};
static const htp_instance modules[] = {
    {.name = "", .path = "", .qualified_class = "pkg.Net", .parent = HTP_NONE}};
/* 0 input, 1 = add_(0, 0), 2 known = ones(), 3 = mul(1, 2), 4 = neg(0) without readers, 5 = [3] */
static const htp_trace_value values[] = {
    {TENSOR, MADE_BY(HTP_NONE)},
    {TENSOR, MADE_BY(0)},
    {TENSOR, MADE_BY(1), .data = numbers, .data_bytes = sizeof(numbers), .is_constant = true},
    {TENSOR, MADE_BY(2)},
    {TENSOR, MADE_BY(3)},
    {HTP_TRACE_LIST, MADE_BY(HTP_NONE), .elements = IDS(3), .element_count = 1},
};

#define NODE(operator, count, in, out)                                                             \
    {                                                                                              \
        .kind = (operator), .inputs = (in), .input_names = names, .input_count = (count),          \
        .outputs = (out), .output_count = 1, .source_file = ""                                     \
    }

static const htp_trace_node nodes[] = {
    NODE("aten::add_.Tensor", 2, IDS(0, 0), IDS(1)),
    NODE("aten::ones", 0, NULL, IDS(2)),
    NODE("aten::mul.Tensor", 2, IDS(1, 2), IDS(3)),
    NODE("aten::__and__.Tensor", 2, IDS(0, 0), IDS(4)),
};

static const uint32_t inputs[] = {0};
static const uint32_t outputs[] = {5};

typedef struct program {
    htp_trace_value values[6];
    htp_trace_node nodes[4];
    htp_trace_scope scope;
    htp_trace trace;
    htp_graph *graph;
} program;

static void build(htp_arena *arena, program *p)
{
    memcpy(p->nodes, nodes, sizeof(nodes));
    memcpy(p->values, values, sizeof(values));
    p->scope = (htp_trace_scope){.parent = HTP_NONE};
    p->trace = (htp_trace){.values = p->values,
                           .value_count = 6,
                           .nodes = p->nodes,
                           .node_count = 4,
                           .scopes = &p->scope,
                           .scope_count = 1,
                           .inputs = inputs,
                           .input_count = 1,
                           .outputs = outputs,
                           .output_count = 1};
    p->graph = htp_graph_build(arena, &p->trace, 1, modules, 1, NULL, 0, NULL, 0);
}

static uint32_t live_count(const htp_graph *graph)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < graph->node_count; i++) {
        count += graph->is_live[i];
    }
    return count;
}

static void check_ok(htp_status status)
{
    ck_assert_msg(!status, "%s", status ? htp_status_message(status) : "");
}

static void check_refused(program *p, const char *words)
{
    htp_status status = htp_graph_verify(p->graph, "trace");
    ck_assert(status != HTP_OK);
    ck_assert_int_eq(htp_status_code(status), HTP_CODE_INTERNAL);
    ck_assert_msg(strstr(htp_status_message(status), words), "%s", htp_status_message(status));
    htp_status_free(status);
}

UNIT_TEST(passes_have_names)
{
    ck_assert_str_eq(htp_pass_name(0), "trace");
    for (size_t i = 0; i < htp_pass_count(); i++) {
        ck_assert(htp_pass_exists(htp_pass_name(i)));
    }
    ck_assert_ptr_null(htp_pass_name(htp_pass_count()));
    ck_assert(!htp_pass_exists("no such pass"));
}

UNIT_TEST(each_pass_does_its_part)
{
    program p;
    build(arena, &p);
    check_ok(htp_passes_run(p.graph, "trace"));
    ck_assert_str_eq(p.graph->nodes[0].kind, "aten::add_.Tensor");
    ck_assert_uint_eq(live_count(p.graph), 4);
    check_ok(htp_passes_run(p.graph, "aliases"));
    ck_assert_str_eq(p.graph->nodes[0].kind, "aten::add.Tensor");
    ck_assert_str_eq(p.graph->nodes[3].kind, "aten::__and__.Tensor");
    check_ok(htp_passes_run(p.graph, "constants"));
    ck_assert(!p.graph->is_live[1]);
    ck_assert_uint_eq(live_count(p.graph), 3);
    check_ok(htp_passes_run(p.graph, NULL));
    ck_assert(!p.graph->is_live[3]);
    ck_assert_uint_eq(live_count(p.graph), 2);
}

UNIT_TEST(verifier_finds_what_is_read_too_early)
{
    program p;
    build(arena, &p);
    p.graph->nodes[0].inputs = IDS(3, 0);
    check_refused(&p, "read before it is made");
}

UNIT_TEST(verifier_finds_what_is_gone)
{
    program p;
    build(arena, &p);
    p.graph->is_live[2] = false;
    check_refused(&p, "made by a node that is gone");
}

/* An argument of a call may be a value without a live producer. */
UNIT_TEST(verifier_finds_calls_with_what_does_not_exist)
{
    program p;
    build(arena, &p);
    htp_trace_passed passed = {"x", 4};
    p.scope.passed = &passed;
    p.scope.passed_count = 1;
    p.graph->is_live[3] = false;
    check_ok(htp_graph_verify(p.graph, "trace"));
    passed.value = 6;
    check_refused(&p, "with a missing value");
    passed = (htp_trace_passed){NULL, 4};
    check_refused(&p, "with a missing value");
    p.scope.passed_count = 0;
    p.scope.site = 1;
    check_refused(&p, "called nowhere");
}

UNIT_TEST(verifier_finds_wrong_ids)
{
    program p;
    build(arena, &p);
    p.graph->nodes[0].inputs = IDS(0, 77);
    check_refused(&p, "does not exist");
    p.graph->nodes[0].inputs = IDS(0, 0);
    p.graph->nodes[0].outputs = IDS(3);
    check_refused(&p, "made by another node");
    p.graph->nodes[0].outputs = IDS(1);
    p.graph->nodes[0].scope = 9;
    check_refused(&p, "scope");
}

UNIT_TEST(verifier_finds_negative_dims)
{
    program p;
    build(arena, &p);
    static const htp_dim below[] = {{.size = -1}};
    p.graph->values[1].dims = below;
    check_refused(&p, "dim below 0");
}

UNIT_MAIN("passes", passes_have_names, each_pass_does_its_part,
          verifier_finds_what_is_read_too_early, verifier_finds_what_is_gone,
          verifier_finds_calls_with_what_does_not_exist, verifier_finds_wrong_ids,
          verifier_finds_negative_dims)
