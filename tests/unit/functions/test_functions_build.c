/*
 * Modules as functions: contiguous calls, frames, sharing, and the resulting model.
 */
#include "functions/annotate.h"
#include "functions/build.h"
#include "onnx/builder/order_nodes.h"
#include "unit.h"

#include <string.h>

enum { NET, LAYERS, LAYER0, LAYER1, INNER0, INNER1, HELD, MODULES };

#define MODULE(own_name, dotted, class_name, above)                                                \
    {                                                                                              \
        .name = (own_name), .path = (dotted), .qualified_class = (class_name), .parent = (above)   \
    }

static const htp_instance modules[] = {
    [NET] = MODULE("", "", "pkg.Net", HTP_NONE),
    [LAYERS] = MODULE("layers", "layers", "torch.nn.modules.container.ModuleList", NET),
    [LAYER0] = MODULE("0", "layers.0", "pkg.Layer", LAYERS),
    [LAYER1] = MODULE("1", "layers.1", "pkg.Layer", LAYERS),
    [INNER0] = MODULE("inner", "layers.0.inner", "pkg.sub.Inner", LAYER0),
    [INNER1] = MODULE("inner", "layers.1.inner", "pkg.sub.Inner", LAYER1),
    [HELD] = MODULE("held", "held", "pkg.Held", NET),
};

static const uint32_t module_calls[MODULES] = {
    [NET] = 1, [LAYER0] = 1, [LAYER1] = 1, [INNER0] = 1, [INNER1] = 1, [HELD] = 2};

enum { ROOT, FIRST, FIRST_INNER, SECOND, SECOND_INNER, HELD_ONCE, HELD_TWICE, SCOPES };

static const htp_trace_scope scopes[] = {
    [ROOT] = {.parent = HTP_NONE, .module = NET},
    [FIRST] = {.parent = ROOT, .module = LAYER0},
    [FIRST_INNER] = {.parent = FIRST, .module = INNER0},
    [SECOND] = {.parent = ROOT, .module = LAYER1},
    [SECOND_INNER] = {.parent = SECOND, .module = INNER1},
    [HELD_ONCE] = {.parent = ROOT, .module = HELD},
    [HELD_TWICE] = {.parent = ROOT, .module = HELD, .call = 1},
};

static const int64_t four[] = {4};
static const int64_t dense[] = {1};

#define VECTOR                                                                                     \
    .is_parameter = true, .dtype = HTP_DTYPE_FLOAT32, .rank = 1, .dims = four, .strides = dense,   \
    .data = four, .storage_bytes = 16

static const htp_weight weights[] = {
    {.name = "layers.0.scale", .module = LAYER0, VECTOR, .storage = 1},
    {.name = "layers.1.scale", .module = LAYER1, VECTOR, .storage = 2},
};

static const htp_trace trace = {.scopes = scopes,
                                .scope_count = SCOPES,
                                .module_calls = module_calls,
                                .weights = weights,
                                .weight_count = 2};

/* A model under construction, and its result. */
typedef struct subject {
    htp_arena *arena;
    htp_builder *flat;
    const htp_frames *frames;
    const htp_functions *made;
    const htp_builder *model;
} subject;

static subject begin(htp_arena *arena)
{
    htp_graph *graph = htp_graph_build(arena, &trace, 1, modules, MODULES, NULL, 0, NULL, 0);
    return (subject){.arena = arena, .flat = htp_builder_new(arena, graph, 18)};
}

static htp_tensor_id add_input(const subject *s)
{
    static const htp_dim dims[] = {{2, "batch"}, {4, NULL}};
    return htp_builder_add_input(s->flat, "x", HTP_DTYPE_FLOAT32, 2, dims);
}

/* A node whose output has @p width columns. */
static htp_tensor_id add(const subject *s, uint32_t scope, const char *op_type, htp_tensor_id a,
                         htp_tensor_id b, int64_t width)
{
    const htp_dim dims[] = {{2, "batch"}, {width, NULL}};
    const htp_tensor_id inputs[] = {a, b};
    htp_tensor_id output;
    s->flat->origin = (htp_origin){scope, HTP_NONE};
    htp_builder_add_node(s->flat, op_type, inputs, b == HTP_NONE ? 1 : 2, NULL, 0, &output, 1);
    htp_builder_set_type(s->flat, output, HTP_DTYPE_FLOAT32, 2, dims);
    return output;
}

static htp_tensor_id one(const subject *s, float value)
{
    return htp_builder_constant(s->flat, HTP_DTYPE_FLOAT32, 0, NULL, &value);
}

/* x * scale + constant */
static htp_tensor_id add_layer(const subject *s, uint32_t scope, uint32_t weight, htp_tensor_id x,
                               float constant)
{
    x = add(s, scope, "Mul", x, htp_builder_weight(s->flat, weight), 4);
    return add(s, scope, "Add", x, one(s, constant), 4);
}

/* Makes modules functions: all called ones, or the chosen ones. */
static void finish(subject *s, htp_tensor_id output, const bool *chosen, bool per_instance)
{
    static const bool all[MODULES] = {
        [LAYER0] = true, [LAYER1] = true, [INNER0] = true, [INNER1] = true, [HELD] = true};
    const htp_hierarchy_options options = {.include_torch_nn = false};
    htp_builder_add_output(s->flat, output, "y");
    htp_builder_remove_unused(s->flat);
    const htp_hierarchy *hierarchy = htp_hierarchy_build(s->arena, modules, MODULES, &options);
    const uint32_t *owners = htp_hierarchy_tag_scopes(s->arena, hierarchy, scopes, SCOPES);
    const htp_stacks *stacks = htp_stacks_find(s->arena, s->flat->graph);
    s->frames = htp_frames_find(s->flat, chosen ? chosen : all);
    const htp_sharing *sharing =
        htp_sharing_find(s->arena, s->frames, hierarchy, owners, stacks, per_instance);
    s->made = htp_functions_build(s->arena, s->frames, sharing, stacks);
    s->model = s->made->model;
}

static const htp_nested_graph *body_of(const subject *s, size_t function)
{
    return &s->model->graphs.items[s->model->functions.items[function].graph - 1];
}

static const char *name_of(const subject *s, htp_tensor_id id)
{
    return s->model->tensors.items[id].name;
}

/* Node @p index of the model's own graph, or of a function's. */
static const htp_onnx_node *node_of(const subject *s, uint32_t graph, size_t index)
{
    for (size_t i = 0; i < s->model->nodes.count; i++) {
        if (s->model->nodes.items[i].graph == graph && index-- == 0) {
            return &s->model->nodes.items[i];
        }
    }
    ck_abort_msg("no such node");
    return NULL;
}

static subject finish_two_layers(htp_arena *arena)
{
    subject s = begin(arena);
    htp_tensor_id x = add_layer(&s, FIRST, 0, add_input(&s), 1);
    finish(&s, add_layer(&s, SECOND, 1, x, 1), NULL, false);
    return s;
}

UNIT_TEST(equal_bodies_share_a_function)
{
    subject s = finish_two_layers(arena);
    ck_assert_uint_eq(s.model->functions.count, 1);
    ck_assert_str_eq(s.model->functions.items[0].domain, "pkg");
    ck_assert_str_eq(s.model->functions.items[0].name, "Layer");
    ck_assert(s.model->functions.items[0].is_shared);
    ck_assert_uint_eq(s.made->calls, 2);
    const htp_nested_graph *body = body_of(&s, 0);
    ck_assert_uint_eq(body->inputs.count, 2);
    ck_assert_str_eq(name_of(&s, body->inputs.items[0]), "x");
    ck_assert_str_eq(name_of(&s, body->inputs.items[1]), "scale");
    ck_assert_uint_eq(body->outputs.count, 1);
    ck_assert_str_eq(name_of(&s, body->outputs.items[0]), "output");
}

UNIT_TEST(calls_bear_the_names_of_modules)
{
    subject s = finish_two_layers(arena);
    const htp_onnx_node *call = node_of(&s, 0, 1);
    ck_assert_str_eq(call->name, "/layers.1");
    ck_assert_str_eq(call->op_type, "Layer");
    ck_assert_str_eq(name_of(&s, call->inputs[0]), "/layers.0/Add_output_0");
    ck_assert_str_eq(name_of(&s, call->inputs[1]), "layers.1.scale");
    ck_assert_str_eq(name_of(&s, call->outputs[0]), "y");
}

UNIT_TEST(constants_are_in_functions_and_weights_are_not)
{
    subject s = begin(arena);
    finish(&s, add_layer(&s, FIRST, 0, add_input(&s), 1), NULL, false);
    ck_assert_uint_eq(s.model->initializers.count, 1);
    ck_assert_str_eq(name_of(&s, s.model->initializers.items[0].tensor), "layers.0.scale");
    uint32_t graph = s.model->functions.items[0].graph;
    ck_assert_str_eq(node_of(&s, graph, 0)->name, "Mul");
    ck_assert_str_eq(node_of(&s, graph, 1)->op_type, "Constant");
    ck_assert_str_eq(node_of(&s, graph, 1)->name, "/Constant");
    ck_assert_uint_eq(s.model->constants_within.count, 1);
    ck_assert_uint_eq(s.model->constants_within.items[0].bytes, sizeof(float));
    ck_assert(!s.model->functions.items[0].is_shared);
}

UNIT_TEST(other_constants_make_another_function)
{
    subject s = begin(arena);
    htp_tensor_id x = add_layer(&s, FIRST, 0, add_input(&s), 1);
    finish(&s, add_layer(&s, SECOND, 1, x, 2), NULL, false);
    ck_assert_uint_eq(s.model->functions.count, 2);
    ck_assert_str_eq(node_of(&s, 0, 0)->op_type, "Layer");
    ck_assert_str_eq(node_of(&s, 0, 1)->op_type, "Layer_2");
}

UNIT_TEST(each_instance_may_have_its_own)
{
    subject s = begin(arena);
    htp_tensor_id x = add_layer(&s, FIRST, 0, add_input(&s), 1);
    x = add_layer(&s, SECOND, 1, x, 1);
    x = add(&s, HELD_ONCE, "Relu", x, HTP_NONE, 4);
    finish(&s, add(&s, HELD_TWICE, "Relu", x, HTP_NONE, 4), NULL, true);
    ck_assert_uint_eq(s.model->functions.count, 3); /* two calls of one module use one function */
    ck_assert_str_eq(node_of(&s, 0, 2)->name, "/held");
    ck_assert_str_eq(node_of(&s, 0, 3)->name, "/held#1");
    for (size_t i = 0; i < 3; i++) {
        ck_assert(!s.model->functions.items[i].is_shared);
    }
}

UNIT_TEST(edges_tell_bodies_apart)
{
    subject s = begin(arena);
    htp_tensor_id x = add_input(&s);
    htp_tensor_id y = add(&s, ROOT, "Neg", x, HTP_NONE, 4);
    htp_tensor_id a = add(&s, FIRST, "Add", x, x, 4);
    htp_tensor_id b = add(&s, SECOND, "Add", x, y, 4);
    finish(&s, add(&s, ROOT, "Add", a, b, 4), NULL, false);
    ck_assert_uint_eq(s.model->functions.count, 2);
}

UNIT_TEST(widths_that_differ_are_left_open)
{
    subject s = begin(arena);
    htp_tensor_id x = add_input(&s);
    htp_tensor_id a = add(&s, FIRST, "Relu", x, HTP_NONE, 4);
    a = add(&s, FIRST, "Neg", a, HTP_NONE, 4);
    htp_tensor_id wide = add(&s, ROOT, "Concat", a, a, 8);
    htp_tensor_id b = add(&s, SECOND, "Relu", wide, HTP_NONE, 8);
    finish(&s, add(&s, SECOND, "Neg", b, HTP_NONE, 8), NULL, false);
    ck_assert_uint_eq(s.model->functions.count, 1);
    const htp_onnx_node *relu = node_of(&s, s.model->functions.items[0].graph, 0);
    const htp_tensor *value = &s.model->tensors.items[relu->outputs[0]];
    ck_assert(value->has_type);
    ck_assert_str_eq(value->dims[0].symbol, "batch");
    ck_assert_str_eq(value->dims[1].symbol, "");
}

UNIT_TEST(what_nobody_reads_of_a_call_is_left_out)
{
    subject s = begin(arena);
    htp_tensor_id x = add_input(&s);
    htp_tensor_id half = add(&s, FIRST, "Relu", x, HTP_NONE, 4);
    htp_tensor_id a = add(&s, FIRST, "Neg", half, HTP_NONE, 4);
    x = add(&s, SECOND, "Relu", a, HTP_NONE, 4);
    x = add(&s, SECOND, "Neg", x, HTP_NONE, 4);
    finish(&s, add(&s, ROOT, "Add", x, half, 4), NULL, false);
    ck_assert_uint_eq(s.model->functions.count, 1);
    ck_assert_uint_eq(body_of(&s, 0)->outputs.count, 2);
    ck_assert_uint_eq(node_of(&s, 0, 0)->output_count, 2);
    ck_assert_uint_ne(node_of(&s, 0, 0)->outputs[0], HTP_NONE);
    ck_assert_uint_eq(node_of(&s, 0, 1)->output_count, 2);
    ck_assert_uint_eq(node_of(&s, 0, 1)->outputs[0], HTP_NONE);
}

/* The second layer returns a value of its inner module, the first does not. */
UNIT_TEST(an_inner_call_gives_what_another_call_of_the_function_needs)
{
    subject s = begin(arena);
    htp_tensor_id x = add_input(&s);
    x = add(&s, FIRST_INNER, "Relu", x, HTP_NONE, 4);
    x = add(&s, FIRST_INNER, "Exp", x, HTP_NONE, 4);
    x = add(&s, FIRST, "Neg", x, HTP_NONE, 4);
    htp_tensor_id inner = add(&s, SECOND_INNER, "Relu", x, HTP_NONE, 4);
    x = add(&s, SECOND_INNER, "Exp", inner, HTP_NONE, 4);
    x = add(&s, SECOND, "Neg", x, HTP_NONE, 4);
    finish(&s, add(&s, ROOT, "Add", x, inner, 4), NULL, false);
    ck_assert_uint_eq(s.model->functions.count, 2);
    ck_assert_str_eq(s.model->functions.items[0].name, "Inner"); /* called before its caller */
    ck_assert_str_eq(s.model->functions.items[0].domain, "pkg.sub");
    ck_assert_str_eq(s.model->functions.items[1].name, "Layer");
    ck_assert_uint_eq(body_of(&s, 1)->outputs.count, 2);
    const htp_onnx_node *call = node_of(&s, s.model->functions.items[1].graph, 0);
    ck_assert_str_eq(call->name, "inner");
    ck_assert_uint_eq(call->output_count, 2);
    ck_assert_str_eq(name_of(&s, call->outputs[0]), "output_0");
    ck_assert_uint_eq(s.model->functions.items[1].domains.count, 1);
    ck_assert_str_eq(s.model->functions.items[1].domains.items[0].name, "pkg.sub");
}

UNIT_TEST(modules_that_were_not_chosen_stay)
{
    static const bool chosen[MODULES] = {[INNER0] = true, [INNER1] = true};
    subject s = begin(arena);
    htp_tensor_id x = add(&s, FIRST_INNER, "Relu", add_input(&s), HTP_NONE, 4);
    x = add(&s, FIRST, "Neg", x, HTP_NONE, 4);
    x = add(&s, SECOND_INNER, "Relu", x, HTP_NONE, 4);
    finish(&s, add(&s, SECOND, "Neg", x, HTP_NONE, 4), chosen, false);
    ck_assert_uint_eq(s.model->functions.count, 1);
    ck_assert_str_eq(node_of(&s, 0, 0)->name, "/layers.0/inner");
    ck_assert_str_eq(node_of(&s, 0, 1)->name, "/layers.0/Neg");
}

/* ---- order ---- */

UNIT_TEST(what_was_made_late_moves_to_its_call)
{
    subject s = begin(arena);
    htp_tensor_id x = add_input(&s);
    htp_tensor_id a = add(&s, FIRST, "Relu", x, HTP_NONE, 4);
    htp_tensor_id b = add(&s, SECOND, "Exp", a, HTP_NONE, 4);
    htp_tensor_id late = add(&s, FIRST, "Neg", a, HTP_NONE, 4);
    finish(&s, add(&s, SECOND, "Add", b, late, 4), NULL, false);
    static const char *const order[] = {"Relu", "Neg", "Exp", "Add"};
    for (size_t i = 0; i < 4; i++) {
        ck_assert_str_eq(s.flat->nodes.items[i].op_type, order[i]);
        ck_assert_uint_eq(s.flat->tensors.items[s.flat->nodes.items[i].outputs[0]].index, i);
    }
    ck_assert_uint_eq(s.frames->scattered, 0);
    ck_assert_uint_eq(s.made->calls, 2);
}

/* The first layer needs the second's result in between, so neither can be one call. The third call
 * is unrelated. */
UNIT_TEST(calls_that_need_each_other_stay_as_they_are)
{
    subject s = begin(arena);
    htp_tensor_id a = add(&s, FIRST, "Relu", add_input(&s), HTP_NONE, 4);
    htp_tensor_id b = add(&s, SECOND, "Exp", a, HTP_NONE, 4);
    htp_tensor_id c = add(&s, FIRST, "Neg", b, HTP_NONE, 4);
    htp_tensor_id d = add(&s, SECOND, "Abs", c, HTP_NONE, 4);
    finish(&s, add(&s, HELD_ONCE, "Tanh", d, HTP_NONE, 4), NULL, false);
    ck_assert_uint_ge(s.frames->scattered, 1);
    ck_assert_uint_ge(s.made->calls, 1);
    ck_assert_uint_eq(s.frames->scattered + s.made->calls, 3);
    const htp_onnx_node *held = &s.model->nodes.items[s.model->nodes.count - 1];
    ck_assert_str_eq(held->op_type, "Held");
}

/* ---- bodies of nodes ---- */

/* A loop whose body runs in the second layer, and reads a number of the first one. */
UNIT_TEST(what_a_body_makes_belongs_to_who_has_it)
{
    subject s = begin(arena);
    static const htp_dim dims[] = {{2, "batch"}, {4, NULL}};
    htp_tensor_id a = add(&s, FIRST, "Relu", add_input(&s), HTP_NONE, 4);
    uint32_t graph = htp_builder_add_graph(s.flat);
    s.flat->current_graph = graph;
    htp_tensor_id carried =
        htp_builder_add_graph_input(s.flat, graph, "carried", HTP_DTYPE_FLOAT32, 2, dims);
    htp_tensor_id foreign = add(&s, FIRST, "Neg", a, HTP_NONE, 4);
    htp_builder_add_graph_output(s.flat, add(&s, SECOND_INNER, "Add", carried, foreign, 4));
    s.flat->current_graph = 0;
    s.flat->origin = (htp_origin){SECOND, HTP_NONE};
    const htp_attribute body = htp_attribute_graph("body", graph);
    htp_tensor_id looped;
    htp_builder_add_node(s.flat, "Loop", (const htp_tensor_id[]){a}, 1, &body, 1, &looped, 1);
    htp_builder_set_type(s.flat, looped, HTP_DTYPE_FLOAT32, 2, dims);
    finish(&s, looped, NULL, false);
    ck_assert_uint_eq(s.frames->scattered, 0);
    ck_assert_uint_eq(s.made->calls, 3);
    ck_assert_uint_eq(s.model->functions.count, 3);
    ck_assert_str_eq(node_of(&s, 0, 1)->name, "/layers.1");
    const htp_builder_function *layer =
        &s.model->functions.items[1]; /* after Inner, which it calls */
    ck_assert_str_eq(layer->name, "Layer_2");
    const htp_onnx_node *loop = node_of(&s, layer->graph, 0);
    ck_assert_str_eq(loop->op_type, "Loop");
    const htp_onnx_node *neg = node_of(&s, (uint32_t)loop->attributes[0].i, 0);
    ck_assert_str_eq(neg->op_type, "Neg");
    const htp_onnx_node *call = node_of(&s, (uint32_t)loop->attributes[0].i, 1);
    ck_assert_str_eq(call->op_type, "Inner");
    ck_assert_str_eq(name_of(&s, call->inputs[0]), "Loop_input_0");
}

UNIT_MAIN("functions_build", equal_bodies_share_a_function, calls_bear_the_names_of_modules,
          constants_are_in_functions_and_weights_are_not, other_constants_make_another_function,
          each_instance_may_have_its_own, edges_tell_bodies_apart, widths_that_differ_are_left_open,
          what_nobody_reads_of_a_call_is_left_out,
          an_inner_call_gives_what_another_call_of_the_function_needs,
          modules_that_were_not_chosen_stay, what_was_made_late_moves_to_its_call,
          calls_that_need_each_other_stay_as_they_are, what_a_body_makes_belongs_to_who_has_it)
