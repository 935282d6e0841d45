/*
 * Traces made by hand for the tests of core/lower: values and nodes are added one by one, lowered,
 * and the ONNX nodes looked at.
 */
#ifndef HTP_TESTS_LOWER_FIXTURE_H
#define HTP_TESTS_LOWER_FIXTURE_H

#include "base/vector.h"
#include "graph/passes.h"
#include "lower/driver/lower.h"
#include "unit.h"

#include <string.h>

typedef struct lower_fixture {
    htp_arena *arena;
    HTP_VECTOR(htp_trace_value) values;
    HTP_VECTOR(htp_trace_node) nodes;
    HTP_VECTOR(uint32_t) inputs;
    HTP_VECTOR(uint32_t) outputs;
    HTP_VECTOR(htp_trace_passed) passed; /* to "block" */
    htp_trace_scope scopes[2];
    htp_trace trace;
    const uint32_t *groups; /* by scope: which share sizes; NULL: all */
    htp_draft *model;       /* after fixture_lower() */
} lower_fixture;

/** Scopes of the fixture: the root's, and that of its child "block". */
enum { ROOT, BLOCK };

/** One argument of a node. */
typedef struct fixture_argument {
    const char *name;
    uint32_t value;
} fixture_argument;

#define ARGUMENTS(...)                                                                             \
    (const fixture_argument[]){__VA_ARGS__},                                                       \
        sizeof((const fixture_argument[]){__VA_ARGS__}) / sizeof(fixture_argument)

static const htp_instance fixture_modules[] = {
    {.name = "", .path = "", .qualified_class = "pkg.Net", .parent = HTP_NONE},
    {.name = "block", .path = "block", .qualified_class = "pkg.Block", .parent = 0},
};

static const htp_axis fixture_axes[] = {{"batch", {2, 3, 5}, NULL}, {"length", {7, 11, 13}, NULL}};

/** Sizes of a dim that stands for an axis above. */
enum { BATCH = -1, LENGTH = -2 };

static inline uint32_t fixture_value(lower_fixture *f, htp_trace_value value)
{
    HTP_PUSH(f->arena, &f->values, value);
    return (uint32_t)f->values.count - 1;
}

/** A tensor that nothing produces yet. */
static inline uint32_t fixture_tensor(lower_fixture *f, htp_dtype dtype, uint32_t rank,
                                      const int64_t *dims)
{
    htp_trace_value value = {.kind = HTP_TRACE_TENSOR, .dtype = dtype, .rank = rank};
    value.producer = value.weight = HTP_NONE;
    for (uint32_t lane = 0; lane < 3; lane++) {
        int64_t *sizes = HTP_NEW_ARRAY(f->arena, int64_t, rank + 1);
        for (uint32_t i = 0; i < rank; i++) {
            sizes[i] = dims[i] < 0 ? fixture_axes[-1 - dims[i]].sizes[lane] : dims[i];
        }
        value.dims[lane] = sizes;
    }
    return fixture_value(f, value);
}

#define DIMS(...)                                                                                  \
    sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t), (const int64_t[])                    \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }

/** A tensor that is an argument of forward(). */
static inline uint32_t fixture_input(lower_fixture *f, htp_dtype dtype, uint32_t rank,
                                     const int64_t *dims)
{
    uint32_t value = fixture_tensor(f, dtype, rank, dims);
    HTP_PUSH(f->arena, &f->inputs, value);
    return value;
}

static inline uint32_t fixture_none(lower_fixture *f)
{
    return fixture_value(f, (htp_trace_value){.producer = HTP_NONE, .weight = HTP_NONE});
}

/** Constant numbers and strings. */
static inline uint32_t fixture_int(lower_fixture *f, int64_t number)
{
    return fixture_value(f, (htp_trace_value){.kind = HTP_TRACE_INT,
                                              .producer = HTP_NONE,
                                              .weight = HTP_NONE,
                                              .is_constant = true,
                                              .i = {number, number, number}});
}

static inline uint32_t fixture_float(lower_fixture *f, double number)
{
    return fixture_value(f, (htp_trace_value){.kind = HTP_TRACE_FLOAT,
                                              .producer = HTP_NONE,
                                              .weight = HTP_NONE,
                                              .is_constant = true,
                                              .f = {number, number, number}});
}

static inline uint32_t fixture_bool(lower_fixture *f, bool truth)
{
    return fixture_value(f, (htp_trace_value){.kind = HTP_TRACE_BOOL,
                                              .producer = HTP_NONE,
                                              .weight = HTP_NONE,
                                              .is_constant = true,
                                              .i = {truth, truth, truth}});
}

static inline uint32_t fixture_string(lower_fixture *f, const char *string)
{
    return fixture_value(f, (htp_trace_value){.kind = HTP_TRACE_STRING,
                                              .producer = HTP_NONE,
                                              .weight = HTP_NONE,
                                              .is_constant = true,
                                              .s = string,
                                              .s_bytes = strlen(string)});
}

/** A number that a node will compute. */
static inline uint32_t fixture_dynamic(lower_fixture *f, htp_trace_kind kind)
{
    return fixture_value(f,
                         (htp_trace_value){.kind = kind, .producer = HTP_NONE, .weight = HTP_NONE});
}

static inline uint32_t fixture_list(lower_fixture *f, uint32_t count, const uint32_t *elements)
{
    uint32_t *copy = HTP_NEW_ARRAY(f->arena, uint32_t, count + 1);
    for (uint32_t i = 0; i < count; i++) {
        copy[i] = elements[i];
    }
    return fixture_value(f, (htp_trace_value){.kind = HTP_TRACE_LIST,
                                              .producer = HTP_NONE,
                                              .weight = HTP_NONE,
                                              .elements = copy,
                                              .element_count = count});
}

#define ELEMENTS(...)                                                                              \
    sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t), (const uint32_t[])                 \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }

static inline void fixture_set_producer(lower_fixture *f, uint32_t value, uint32_t node)
{
    f->values.items[value].producer = node;
    for (uint32_t i = 0; i < f->values.items[value].element_count; i++) {
        f->values.items[f->values.items[value].elements[i]].producer = node;
    }
}

/** A node with one output, whose producer (and whose elements' producer) it becomes. */
static inline uint32_t fixture_node(lower_fixture *f, const char *kind, uint32_t scope,
                                    const fixture_argument *arguments, size_t count,
                                    uint32_t output)
{
    uint32_t *inputs = HTP_NEW_ARRAY(f->arena, uint32_t, count);
    const char **names = HTP_NEW_ARRAY(f->arena, const char *, count);
    for (size_t i = 0; i < count; i++) {
        inputs[i] = arguments[i].value;
        names[i] = arguments[i].name;
    }
    uint32_t *outputs = HTP_NEW(f->arena, uint32_t);
    *outputs = output;
    uint32_t node = (uint32_t)f->nodes.count;
    HTP_PUSH(f->arena, &f->nodes,
             (htp_trace_node){.kind = kind,
                              .inputs = inputs,
                              .input_names = names,
                              .input_count = (uint32_t)count,
                              .outputs = outputs,
                              .output_count = 1,
                              .scope = scope,
                              .source_file = "net.py",
                              .source_line = 10 + node});
    fixture_set_producer(f, output, node);
    return output;
}

/** What forward() returns. */
static inline void fixture_output(lower_fixture *f, uint32_t value)
{
    HTP_PUSH(f->arena, &f->outputs, value);
}

/** Lowers the trace with 3 lanes, and prunes the model as an export does. */
static inline htp_status fixture_lower(lower_fixture *f, int opset)
{
    static const htp_argument arguments[] = {
        {.name = "x", .kind = HTP_TRACE_TENSOR, .type = "Tensor"},
        {.name = "y", .kind = HTP_TRACE_TENSOR, .type = "Tensor"},
        {.name = "z", .kind = HTP_TRACE_TENSOR, .type = "Tensor"},
    };
    f->scopes[ROOT] = (htp_trace_scope){.parent = HTP_NONE};
    f->scopes[BLOCK] = (htp_trace_scope){.parent = ROOT,
                                         .module = 1,
                                         .passed = f->passed.items,
                                         .passed_count = (uint32_t)f->passed.count};
    f->trace = (htp_trace){.values = f->values.items,
                           .value_count = (uint32_t)f->values.count,
                           .nodes = f->nodes.items,
                           .node_count = (uint32_t)f->nodes.count,
                           .scopes = f->scopes,
                           .scope_count = 2,
                           .inputs = f->inputs.items,
                           .input_count = (uint32_t)f->inputs.count,
                           .outputs = f->outputs.items,
                           .output_count = (uint32_t)f->outputs.count};
    htp_graph *graph = htp_graph_build(f->arena, &f->trace, 3, fixture_modules, 2, arguments,
                                       (uint32_t)f->inputs.count, fixture_axes, 2);
    f->model = htp_draft_new(f->arena, graph, opset);
    htp_status status = htp_passes_run(graph, NULL);
    if (status == HTP_OK) {
        status = htp_lower_graph(f->model, &(htp_lower_means){.groups = f->groups}, NULL, NULL);
    }
    if (status == HTP_OK) {
        htp_draft_remove_unused(f->model);
    }
    return status;
}

/** Lowers a trace that can be lowered. */
static inline void fixture_lower_ok(lower_fixture *f)
{
    htp_status status = fixture_lower(f, 18);
    ck_assert_msg(status == HTP_OK, "%s", htp_status_message(status));
}

/** The ONNX operators in order: "Shape Concat Reshape". */
static inline const char *fixture_ops(lower_fixture *f)
{
    htp_text ops = {.arena = f->arena};
    for (size_t i = 0; i < f->model->nodes.count; i++) {
        htp_text_addf(&ops, "%s%s", i ? " " : "", f->model->nodes.items[i].op_type);
    }
    return htp_text_string(&ops);
}

/** Attribute @p name of node @p index; fails the test when there is none. */
static inline const htp_attribute *fixture_attribute(lower_fixture *f, size_t index,
                                                     const char *name)
{
    const htp_onnx_node *node = &f->model->nodes.items[index];
    for (uint32_t i = 0; i < node->attribute_count; i++) {
        if (strcmp(node->attributes[i].name, name) == 0) {
            return &node->attributes[i];
        }
    }
    ck_abort_msg("%s has no attribute %s", node->op_type, name);
    return NULL;
}

/** Contents of the initializer that is input @p input of node @p index. */
static inline const void *fixture_constant(lower_fixture *f, size_t index, uint32_t input)
{
    const htp_onnx_node *node = &f->model->nodes.items[index];
    ck_assert_uint_lt(input, node->input_count);
    const htp_tensor *tensor = &f->model->tensors.items[node->inputs[input]];
    ck_assert_int_eq(tensor->source, HTP_TENSOR_FROM_INITIALIZER);
    return f->model->initializers.items[tensor->index].data;
}

#endif
