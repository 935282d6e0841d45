/*
 * The JSON of programs: a complete one, and messages when a part of it is replaced.
 */
#include "base/text.h"
#include "exported/document/document.h"
#include "unit.h"

#include <string.h>

#define META(sizes)                                                                                \
    "{\"dtype\": 7, \"sizes\": " sizes ", \"requires_grad\": false, \"device\": {\"type\": "       \
    "\"cpu\"}, \"strides\": [{\"as_int\": 4}, {\"as_int\": 1}], \"storage_offset\": {\"as_int\": " \
    "0}, \"layout\": 7}"

static const char whole[] =
    "{\"graph_module\": {\"graph\": {"
    "\"inputs\": [{\"as_tensor\": {\"name\": \"w\"}}, {\"as_tensor\": {\"name\": \"x\"}}], "
    "\"outputs\": [{\"as_tensor\": {\"name\": \"y\"}}, {\"as_none\": true}], "
    "\"nodes\": [{\"target\": \"torch.ops.aten.add.Tensor\", \"inputs\": ["
    "{\"name\": \"self\", \"arg\": {\"as_tensor\": {\"name\": \"x\"}}, \"kind\": 1}, "
    "{\"name\": \"other\", \"arg\": {\"as_tensor\": {\"name\": \"w\"}}, \"kind\": 1}, "
    "{\"name\": \"alpha\", \"arg\": {\"as_float\": \"Infinity\"}, \"kind\": 2}, "
    "{\"name\": \"more\", \"arg\": {\"as_sym_ints\": [{\"as_name\": \"n\"}, {\"as_int\": -1}]}}, "
    "{\"name\": \"type\", \"arg\": {\"as_scalar_type\": 13}}, "
    "{\"name\": \"new\", \"arg\": {\"as_news\": []}}], "
    "\"outputs\": [{\"as_tensor\": {\"name\": \"y\"}}], "
    "\"metadata\": {\"nn_module_stack\": \"k,,M\", \"stack_trace\": \"t\"}}], "
    "\"tensor_values\": {\"w\": " META(
        "[{\"as_int\": 3}, {\"as_int\": 4}]") ", "
                                              "\"x\": " META(
                                                  "[{\"as_expr\": {\"expr_str\": \"Symbol('s')\", "
                                                  "\"hint\": {\"as_int\": 3}}}, "
                                                  "{\"as_int\": 4}]") ", "
                                                                      "\"y\": " META(
                                                                          "[{\"as_expr\": "
                                                                          "{\"expr_str\": "
                                                                          "\"Symbol('s')\", "
                                                                          "\"hint\": null}}, "
                                                                          "{\"as_int\": "
                                                                          "4}]") "}, "
                                                                                 "\"sym_int_"
                                                                                 "values\": "
                                                                                 "{\"n\": "
                                                                                 "{\"as_int\": "
                                                                                 "5}}, "
                                                                                 "\"sym_bool_"
                                                                                 "values\": {}}, "
                                                                                 "\"signature\": "
                                                                                 "{\"input_specs\":"
                                                                                 " ["
                                                                                 "{\"parameter\": "
                                                                                 "{\"arg\": "
                                                                                 "{\"name\": "
                                                                                 "\"w\"}, "
                                                                                 "\"parameter_"
                                                                                 "name\": "
                                                                                 "\"a.w\"}}, "
                                                                                 "{\"user_input\": "
                                                                                 "{\"arg\": "
                                                                                 "{\"as_tensor\": "
                                                                                 "{\"name\": "
                                                                                 "\"x\"}}}}], "
                                                                                 "\"output_specs\":"
                                                                                 " [{\"user_"
                                                                                 "output\": "
                                                                                 "{\"arg\": "
                                                                                 "{\"as_tensor\": "
                                                                                 "{\"name\": "
                                                                                 "\"y\"}}}}, "
                                                                                 "{\"user_output\":"
                                                                                 " {\"arg\": "
                                                                                 "{\"as_none\": "
                                                                                 "true}}}]}, "
                                                                                 "\"module_call_"
                                                                                 "graph\": "
                                                                                 "[{\"fqn\": \"\", "
                                                                                 "\"signature\": "
                                                                                 "null}, {\"fqn\": "
                                                                                 "\"a\"}]}, "
                                                                                 "\"range_"
                                                                                 "constraints\": "
                                                                                 "{\"s\": "
                                                                                 "{\"min_val\": 2, "
                                                                                 "\"max_val\": "
                                                                                 "null}}, "
                                                                                 "\"schema_"
                                                                                 "version\": "
                                                                                 "{\"major\": 8, "
                                                                                 "\"minor\": 20}, "
                                                                                 "\"guards_code\": "
                                                                                 "[\"s > 1\"], "
                                                                                 "\"torch_"
                                                                                 "version\": "
                                                                                 "\"2.13.0\"}";

static htp_status read(htp_arena *arena, const char *text, htp_exported_program *program)
{
    *program = (htp_exported_program){.major = 0};
    return htp_document_read(arena, arena, text, strlen(text), NULL, program);
}

static void check_node(const htp_exported_program *program, const htp_exported_graph *graph)
{
    ck_assert_uint_eq(graph->node_count, 1);
    const htp_exported_node *node = &graph->nodes[0];
    ck_assert_str_eq(node->target, "torch.ops.aten.add.Tensor");
    ck_assert_str_eq(node->stack, "k,,M");
    ck_assert_int_eq(node->inputs[0].kind, HTP_EXPORTED_VALUE);
    ck_assert_str_eq(program->values.items[node->inputs[0].value].name, "x");
    ck_assert_int_eq(node->inputs[2].kind, HTP_EXPORTED_FLOAT);
    ck_assert(node->inputs[2].f > 1e308);
    ck_assert_int_eq(node->inputs[3].kind, HTP_EXPORTED_LIST);
    ck_assert_int_eq(node->inputs[3].items[1].i, -1);
    ck_assert_int_eq(node->inputs[4].i, 15); /* bfloat16 */
    ck_assert_int_eq(node->inputs[5].kind, HTP_EXPORTED_OTHER);
    ck_assert_str_eq(node->inputs[5].s, "as_news");
}

UNIT_TEST(a_program_is_read)
{
    htp_exported_program program;
    expect_ok(read(arena, whole, &program));
    ck_assert_uint_eq(program.values.count, 4);
    ck_assert_uint_eq(program.expressions.count, 1);
    ck_assert(program.expressions.items[0].has_hint);
    const htp_exported_graph *graph = &program.graphs.items[0];
    check_node(&program, graph);
    ck_assert_int_eq(program.inputs[0].kind, HTP_EXPORTED_PARAMETER);
    ck_assert_str_eq(program.inputs[0].target, "a.w");
    ck_assert_int_eq(program.outputs[1].argument.kind, HTP_EXPORTED_NONE);
    ck_assert(program.ranges[0].has_least && !program.ranges[0].has_most);
    ck_assert_str_eq(program.guards[0], "s > 1");
    ck_assert_str_eq(program.modules[1], "a");
}

/* The program with one text replaced by another. */
static const char *with(htp_arena *arena, const char *from, const char *to)
{
    const char *at = strstr(whole, from);
    ck_assert_msg(at != NULL, "%s", from);
    return htp_arena_printf(arena, "%.*s%s%s", (int)(at - whole), whole, to, at + strlen(from));
}

UNIT_TEST(damage_is_told)
{
    static const struct {
        const char *from, *to;
        const char *says;
        htp_code code;
    } cases[] = {
        {"\"graph_module\"", "\"graph\"", "\"graph_module\" is not there", HTP_CODE_BAD_INPUT},
        {"\"major\": 8", "\"major\": 9", "schema 9.20, written by PyTorch 2.13.0",
         HTP_CODE_UNSUPPORTED},
        {"\"major\": 8", "\"major\": true", "an integer", HTP_CODE_BAD_INPUT},
        {"\"inputs\": [{\"as_tensor\"", "\"inputs\": 3, \"x\": [{\"as_tensor\"",
         "a list is missing", HTP_CODE_BAD_INPUT},
        {"{\"name\": \"w\"}}, \"kind\"", "{\"name\": \"v\"}}, \"kind\"",
         "add.Tensor: value v is not described", HTP_CODE_BAD_INPUT},
        {"{\"as_tensor\": {\"name\": \"x\"}}, \"kind\"",
         "{\"as_tensor\": {\"name\": \"x\"}, \"as_int\": 3}, \"kind\"",
         "a value of one kind is missing", HTP_CODE_BAD_INPUT},
        {"\"y\": {\"dtype\"", "\"x\": {\"dtype\"", "value x is there twice", HTP_CODE_BAD_INPUT},
        {"{\"name\": \"y\"}}], \"metadata\"", "{\"name\": \"x\"}}], \"metadata\"",
         "add.Tensor: value x is made twice", HTP_CODE_BAD_INPUT},
        {"{\"as_tensor\": {\"name\": \"x\"}}], \"outputs\"", "{\"as_int\": 3}], \"outputs\"",
         "input x of the signature is none of the graph", HTP_CODE_BAD_INPUT},
        {"\"n\": {\"as_int\": 5}", "\"n\": {\"as_int\": 5.5}", "an integer", HTP_CODE_BAD_INPUT},
        {"\"Infinity\"", "\"Infinite\"", "a number is missing", HTP_CODE_BAD_INPUT},
        {"{\"as_none\": true}], \"nodes\"", "{\"as_none\": true}, {\"as_int\": 1}], \"nodes\"",
         "its signature is not that of its graph", HTP_CODE_BAD_INPUT},
        {"{\"user_input\"", "{\"user_output\"", "an input is of no kind", HTP_CODE_BAD_INPUT},
        {"\"fqn\": \"a\"", "\"fqn\": 3", "a text is missing", HTP_CODE_BAD_INPUT},
        {"\"min_val\": 2", "\"min_val\": 99999999999999999999", "an integer of 64 bits",
         HTP_CODE_BAD_INPUT},
        {"{\"type\": \"cpu\"}", "\"cpu\"", "\"type\" is not there", HTP_CODE_BAD_INPUT},
        {"\"2.13.0\"}", "\"2.13.0\"", "no JSON", HTP_CODE_BAD_INPUT},
        {"\"k,,M\"", "\"\xff\"", "no UTF-8", HTP_CODE_BAD_INPUT},
    };
    htp_exported_program program;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        expect_failure(read(arena, with(arena, cases[i].from, cases[i].to), &program),
                       cases[i].code, cases[i].says);
    }
}

UNIT_TEST(dims_have_a_bound)
{
    htp_exported_program program;
    htp_text sizes = {.arena = arena};
    htp_text_add(&sizes, "[{\"as_int\": 3}, {\"as_int\": 4}");
    for (uint32_t i = 2; i <= HTP_MAX_RANK; i++) {
        htp_text_add(&sizes, ", {\"as_int\": 1}");
    }
    htp_text_add(&sizes, "]");
    expect_failure(
        read(arena, with(arena, "[{\"as_int\": 3}, {\"as_int\": 4}]", sizes.bytes), &program),
        HTP_CODE_BAD_INPUT, "w: a tensor has more than 64 dims");
}

UNIT_MAIN("document", a_program_is_read, damage_is_told, dims_have_a_bound)
