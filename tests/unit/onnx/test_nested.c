/*
 * Graphs in attributes of nodes: their inputs and outputs, pruning, types, messages.
 */
#include "onnx/proto/onnx.pb-c.h"
#include "onnx/serialize/encode.h"
#include "onnx/shape_inference/infer.h"
#include "onnx_fixture.h"

#include <string.h>

static onnx_fixture f;

/* An If over x: relu(x) on one side, x itself on the other; and an unneeded node. */
typedef struct branches {
    htp_tensor_id x;
    htp_tensor_id dead;
    htp_tensor_id output;
    uint32_t sides[2];
} branches;

static void begin_side(branches *b, int side)
{
    b->sides[side] = htp_builder_add_graph(f.model);
    f.model->current_graph = b->sides[side];
}

static branches build(htp_arena *arena)
{
    static const htp_dim dims[] = {{.size = 3, .symbol = "batch"}, {.size = 8}};
    branches b;
    fixture_begin(&f, arena);
    b.x = htp_builder_add_input(f.model, "x", HTP_DTYPE_FLOAT32, 2, dims);
    htp_tensor_id condition = htp_builder_add_input(f.model, "c", HTP_DTYPE_BOOL, 0, NULL);
    begin_side(&b, 0);
    b.dead = fixture_node(&f, LAYER, "Neg", b.x, HTP_NONE);
    htp_tensor_id relu = fixture_node(&f, LAYER, "Relu", b.x, HTP_NONE);
    htp_builder_set_type(f.model, relu, HTP_DTYPE_FLOAT32, 2, dims);
    htp_builder_add_graph_output(f.model, relu);
    begin_side(&b, 1);
    htp_builder_add_graph_output(f.model, b.x);
    f.model->current_graph = 0;
    const htp_attribute attributes[] = {htp_attribute_graph("then_branch", b.sides[0]),
                                        htp_attribute_graph("else_branch", b.sides[1])};
    htp_builder_add_node(f.model, "If", &condition, 1, attributes, 2, &b.output, 1);
    return b;
}

static const htp_onnx_node *last_node(void)
{
    return &f.model->nodes.items[f.model->nodes.count - 1];
}

UNIT_TEST(what_is_made_outside_goes_through_an_identity)
{
    branches b = build(arena);
    const htp_nested_graph *otherwise = &f.model->graphs.items[b.sides[1] - 1];
    ck_assert_uint_eq(otherwise->outputs.count, 1);
    htp_tensor_id output = otherwise->outputs.items[0];
    ck_assert_uint_ne(output, b.x);
    ck_assert_uint_eq(htp_builder_graph_of(f.model, output), b.sides[1]);
    ck_assert_uint_eq(htp_builder_graph_of(f.model, b.x), 0);
    ck_assert_str_eq(f.model->nodes.items[f.model->tensors.items[output].index].op_type,
                     "Identity");
}

UNIT_TEST(an_input_belongs_to_its_graph)
{
    fixture_begin(&f, arena);
    uint32_t graph = htp_builder_add_graph(f.model);
    htp_tensor_id a =
        htp_builder_add_graph_input(f.model, graph, "value", HTP_DTYPE_INT64, 0, NULL);
    htp_tensor_id b = htp_builder_add_graph_input(f.model, graph, "", HTP_DTYPE_BOOL, 0, NULL);
    ck_assert_str_ne(f.model->tensors.items[a].name, f.model->tensors.items[b].name);
    ck_assert_uint_eq(htp_builder_graph_of(f.model, a), graph);
    ck_assert_uint_eq(f.model->graphs.items[graph - 1].inputs.count, 2);
}

UNIT_TEST(unused_nodes_are_removed_in_all_graphs)
{
    branches b = build(arena);
    htp_builder_add_output(f.model, b.output, "y");
    ck_assert_uint_eq(f.model->nodes.count, 4);
    htp_builder_remove_unused(f.model);
    ck_assert_uint_eq(f.model->nodes.count, 3); /* Relu, Identity, If */
    ck_assert_str_eq(last_node()->op_type, "If");
    for (size_t i = 0; i < 2; i++) {
        const htp_nested_graph *graph = &f.model->graphs.items[i];
        ck_assert_uint_eq(htp_builder_graph_of(f.model, graph->outputs.items[0]), i + 1);
    }
}

UNIT_TEST(a_graph_that_nobody_needs_goes_with_its_node)
{
    branches b = build(arena);
    htp_builder_add_output(f.model, fixture_node(&f, ROOT, "Abs", b.x, HTP_NONE), "y");
    htp_builder_remove_unused(f.model);
    ck_assert_uint_eq(f.model->nodes.count, 1);
}

UNIT_TEST(a_branch_has_the_type_of_both_sides)
{
    branches b = build(arena);
    (void)htp_builder_infer_types(f.model);
    const htp_tensor *output = &f.model->tensors.items[b.output];
    ck_assert(output->has_type);
    ck_assert_int_eq(output->dtype, HTP_DTYPE_FLOAT32);
    ck_assert_uint_eq(output->rank, 2);
    ck_assert_str_eq(output->dims[0].symbol, "batch");
    ck_assert_int_eq(output->dims[1].size, 8);
}

UNIT_TEST(messages_hold_the_graphs)
{
    branches b = build(arena);
    htp_builder_add_output(f.model, b.output, "y");
    htp_builder_remove_unused(f.model);
    htp_encoder *encoder = htp_encoder_new(f.model, NULL);
    const ProtobufCMessage *message = htp_encode_node(encoder, (uint32_t)f.model->nodes.count - 1);
    uint8_t *packed = htp_arena_alloc(arena, protobuf_c_message_get_packed_size(message));
    Htp__Onnx__GraphProto *graph =
        htp__onnx__graph_proto__unpack(NULL, protobuf_c_message_pack(message, packed), packed);
    ck_assert_ptr_nonnull(graph);
    ck_assert_uint_eq(graph->n_node, 1);
    const Htp__Onnx__NodeProto *node = graph->node[0];
    ck_assert_str_eq(node->op_type, "If");
    ck_assert_uint_eq(node->n_attribute, 2);
    const Htp__Onnx__GraphProto *side = node->attribute[0]->g;
    ck_assert_ptr_nonnull(side);
    ck_assert_uint_eq(side->n_node, 1);
    ck_assert_str_eq(side->node[0]->op_type, "Relu");
    ck_assert_uint_eq(side->n_output, 1);
    ck_assert_str_eq(side->output[0]->name, side->node[0]->output[0]);
    ck_assert_str_eq(node->attribute[1]->g->node[0]->op_type, "Identity");
    htp__onnx__graph_proto__free_unpacked(graph, NULL);
}

UNIT_MAIN("nested", what_is_made_outside_goes_through_an_identity, an_input_belongs_to_its_graph,
          unused_nodes_are_removed_in_all_graphs, a_graph_that_nobody_needs_goes_with_its_node,
          a_branch_has_the_type_of_both_sides, messages_hold_the_graphs)
