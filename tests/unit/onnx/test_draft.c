/*
 * The ONNX model under construction: names, sharing, outputs, pruning.
 */
#include "onnx_fixture.h"

#include "onnx/builder/ir_version.h"
#include "onnx/builder/names.h"

#include <string.h>

static onnx_fixture f;

static const htp_dim two_by_n[] = {{.size = 2}, {.size = 3, .symbol = "n"}};

static const char *node_name(size_t index)
{
    ck_assert_uint_lt(index, f.model->nodes.count);
    return f.model->nodes.items[index].name;
}

static htp_tensor_id add_input(const char *name)
{
    return htp_builder_add_input(f.model, name, HTP_DTYPE_FLOAT32, 2, two_by_n);
}

static void set_weight(uint32_t index, const char *name, uint64_t storage, int64_t offset)
{
    static const int64_t dims[] = {2, 3};
    static const int64_t strides[] = {3, 1};
    static const float data[32];
    f.weights[index] = (htp_weight){
        .name = name,
        .dtype = HTP_DTYPE_FLOAT32,
        .rank = 2,
        .dims = dims,
        .strides = strides,
        .storage = storage,
        .storage_offset = offset,
        .data = data,
        .storage_bytes = sizeof(data),
    };
}

UNIT_TEST(nodes_are_named_by_the_chain_of_calls)
{
    static const char *const expected[SCOPE_COUNT] = {
        [ROOT] = "/MatMul",
        [ENCODER] = "/encoder/MatMul",
        [LAYER] = "/encoder/layer.0/MatMul",
        [ATTENTION] = "/encoder/layer.0/attention/MatMul",
        [OWN] = "/encoder/layer.0/attention/MatMul_1",
        [SHARED] = "/encoder/layer.0/attention/shared/MatMul",
        [SIMILAR] = "/encoder/encoder_2/MatMul",
        [ODD] = "/a%2Fb%0A%FF\xc3\xa9/MatMul",
    };
    fixture_begin(&f, arena);
    htp_tensor_id x = add_input("x");
    for (uint32_t scope = 0; scope < SCOPE_COUNT; scope++) {
        htp_tensor_id y = fixture_node(&f, scope, "MatMul", x, x);
        ck_assert_str_eq(node_name(scope), expected[scope]);
        ck_assert_str_eq(fixture_name(&f, y),
                         htp_arena_printf(f.arena, "%s_output_0", expected[scope]));
        ck_assert_uint_eq(f.model->nodes.items[scope].origin.scope, scope);
    }
}

UNIT_TEST(equal_names_get_numbers)
{
    fixture_begin(&f, arena);
    htp_tensor_id x = add_input("x");
    (void)fixture_node(&f, ROOT, "Add", x, x);
    (void)fixture_node(&f, ROOT, "Add", x, x);
    (void)fixture_node(&f, ROOT, "Add_2", x, x);
    htp_tensor_id last = fixture_node(&f, ROOT, "Add", x, x);
    ck_assert_str_eq(node_name(0), "/Add");
    ck_assert_str_eq(node_name(1), "/Add_1");
    ck_assert_str_eq(node_name(2), "/Add_2");
    ck_assert_str_eq(node_name(3), "/Add_3");
    (void)fixture_node(&f, ROOT, "Add_1", x, x);
    ck_assert_str_eq(node_name(4), "/Add_1_1");
    ck_assert_str_eq(fixture_name(&f, last), "/Add_3_output_0");
}

/* Every tried name takes memory, so trying each number from 1 would take gigabytes. */
UNIT_TEST(many_equal_names_are_found_at_once)
{
    fixture_begin(&f, arena);
    htp_tensor_id x = add_input("x");
    for (int i = 0; i < 10000; i++) {
        (void)fixture_node(&f, ROOT, "Add", x, x);
    }
    ck_assert_str_eq(node_name(9999), "/Add_9999");
    ck_assert_uint_lt(f.arena->total, 10000 * 2048UL);
}

UNIT_TEST(names_are_escaped)
{
    fixture_begin(&f, arena);
    const char *plain = "a.b/c d\xe2\x82\xac%";
    ck_assert_ptr_eq(htp_text_printable(f.arena, plain), plain);
    ck_assert_str_eq(htp_text_printable(f.arena, "\x01"), "%01");
    ck_assert_str_eq(htp_text_printable(f.arena, "a\x7f\tb"), "a%7F%09b");
    ck_assert_str_eq(htp_text_printable(f.arena, "\xe2\x82"), "%E2%82");
    ck_assert_str_eq(htp_text_printable(f.arena, ""), "");
}

UNIT_TEST(inputs_keep_their_names)
{
    fixture_begin(&f, arena);
    set_weight(0, "bias", 1, 0);
    htp_tensor_id a = add_input("bias");
    htp_tensor_id b = add_input("bias");
    htp_tensor_id unnamed = add_input("");
    htp_tensor_id weight = htp_builder_weight(f.model, 0);
    htp_tensor_id sum = fixture_node(&f, ROOT, "Add", a, weight);
    htp_builder_add_output(f.model, sum, "bias");
    ck_assert_str_eq(fixture_name(&f, a), "bias");
    ck_assert_str_eq(fixture_name(&f, b), "bias_1");
    ck_assert_str_eq(fixture_name(&f, unnamed), "input");
    ck_assert_str_eq(fixture_name(&f, weight), "bias_2");
    ck_assert_str_eq(fixture_name(&f, sum), "bias_3");
}

UNIT_TEST(complex_weights_are_pairs)
{
    fixture_begin(&f, arena);
    set_weight(0, "phase", 1, 0);
    f.weights[0].dtype = HTP_DTYPE_COMPLEX64;
    htp_tensor_id phase = htp_builder_weight(f.model, 0);
    const htp_tensor *pairs = &f.model->tensors.items[phase];
    ck_assert_int_eq(pairs->dtype, HTP_DTYPE_FLOAT32);
    ck_assert_uint_eq(pairs->rank, 3);
    ck_assert_int_eq(pairs->dims[1].size, 3);
    ck_assert_int_eq(pairs->dims[2].size, 2);
}

UNIT_TEST(tied_weights_are_one_initializer)
{
    fixture_begin(&f, arena);
    set_weight(0, "embedding.weight", 7, 0);
    set_weight(1, "head.weight", 7, 0);
    set_weight(2, "part.weight", 7, 6);
    set_weight(3, "other.weight", 8, 0);
    set_weight(4, "turned.weight", 7, 0);
    static const int64_t turned[] = {1, 2};
    f.weights[4].strides = turned;
    set_weight(5, "narrow.weight", 7, 0);
    f.weights[5].dtype = HTP_DTYPE_INT32;
    htp_tensor_id embedding = htp_builder_weight(f.model, 0);
    ck_assert_uint_eq(htp_builder_weight(f.model, 1), embedding);
    ck_assert_uint_eq(htp_builder_weight(f.model, 0), embedding);
    for (uint32_t i = 2; i < 6; i++) {
        ck_assert_uint_ne(htp_builder_weight(f.model, i), embedding);
    }
    ck_assert_uint_eq(f.model->initializers.count, 5);
    ck_assert_str_eq(fixture_name(&f, embedding), "embedding.weight");
    const htp_tensor *tensor = &f.model->tensors.items[embedding];
    ck_assert(tensor->has_type && tensor->dtype == HTP_DTYPE_FLOAT32);
    ck_assert_uint_eq(tensor->rank, 2);
    ck_assert_int_eq(tensor->dims[1].size, 3);
    ck_assert_uint_eq(f.model->initializers.items[tensor->index].weight, 0);
}

UNIT_TEST(equal_constants_are_one_initializer)
{
    fixture_begin(&f, arena);
    int64_t values[] = {1, 2, 3, 4};
    const int64_t four[] = {4};
    const int64_t square[] = {2, 2};
    const int64_t none[] = {0};
    htp_tensor_id a = htp_builder_constant(f.model, HTP_DTYPE_INT64, 1, four, values);
    ck_assert_uint_eq(htp_builder_constant(f.model, HTP_DTYPE_INT64, 1, four, values), a);
    htp_tensor_id others[] = {
        htp_builder_constant(f.model, HTP_DTYPE_INT64, 2, square, values),
        htp_builder_constant(f.model, HTP_DTYPE_FLOAT64, 1, four, values),
        htp_builder_constant(f.model, HTP_DTYPE_INT64, 0, NULL, values),
        htp_builder_constant(f.model, HTP_DTYPE_INT64, 1, none, NULL),
    };
    values[0] = 9; /* the model has a copy */
    htp_tensor_id changed = htp_builder_constant(f.model, HTP_DTYPE_INT64, 1, four, values);
    ck_assert_uint_ne(changed, a);
    for (size_t i = 0; i < 4; i++) {
        ck_assert_uint_ne(others[i], a);
        ck_assert_uint_ne(others[i], others[(i + 1) % 4]);
    }
    ck_assert_uint_eq(f.model->initializers.count, 6);
    const htp_initializer *first = &f.model->initializers.items[0];
    ck_assert_uint_eq(first->bytes, sizeof(values));
    ck_assert_int_eq(((const int64_t *)first->data)[0], 1);
    ck_assert_uint_eq(f.model->initializers.items[4].bytes, 0);
    ck_assert_str_eq(fixture_name(&f, a), "/Constant");
    ck_assert_str_eq(fixture_name(&f, changed), "/Constant_5");
}

/* The product of the other dims does not fit. */
UNIT_TEST(a_constant_without_elements_has_no_bytes)
{
    fixture_begin(&f, arena);
    const int64_t dims[] = {INT32_MAX, 5, INT32_MAX, 0};
    htp_builder_constant(f.model, HTP_DTYPE_FLOAT32, 4, dims, NULL);
    ck_assert_uint_eq(f.model->initializers.items[0].bytes, 0);
}

UNIT_TEST(what_a_caller_passes_is_copied)
{
    fixture_begin(&f, arena);
    htp_dim dims[] = {{.size = 5}};
    htp_tensor_id x = htp_builder_add_input(f.model, "x", HTP_DTYPE_FLOAT32, 1, dims);
    int64_t ints[] = {1, 2};
    float floats[] = {0.5F};
    char s[] = "left";
    const char *strings[] = {s, "right"};
    htp_attribute attributes[] = {
        htp_attribute_int("i", 3),
        htp_attribute_ints("ints", ints, 2),
        htp_attribute_string("s", s),
        {.name = "floats", .kind = HTP_ATTRIBUTE_FLOATS, .floats = floats, .count = 1},
        {.name = "strings", .kind = HTP_ATTRIBUTE_STRINGS, .strings = strings, .count = 2},
    };
    htp_tensor_id outputs[2];
    htp_builder_add_node(f.model, "Op", &x, 1, attributes, 5, outputs, 2);
    dims[0].size = 0;
    ints[0] = 0;
    floats[0] = 0;
    s[0] = 'h';
    strings[1] = NULL;
    attributes[0].i = 0;
    const htp_onnx_node *node = &f.model->nodes.items[0];
    ck_assert_uint_eq(node->attribute_count, 5);
    ck_assert_int_eq(node->attributes[0].i, 3);
    ck_assert_int_eq(node->attributes[1].ints[0], 1);
    ck_assert_str_eq(node->attributes[2].s, "left");
    ck_assert(node->attributes[3].floats[0] == 0.5F);
    ck_assert_str_eq(node->attributes[4].strings[0], "left");
    ck_assert_str_eq(node->attributes[4].strings[1], "right");
    ck_assert_int_eq(f.model->tensors.items[x].dims[0].size, 5);
    ck_assert_str_eq(fixture_name(&f, outputs[1]), "/Op_output_1");
    ck_assert(!f.model->tensors.items[outputs[1]].has_type);
}

UNIT_TEST(outputs_rename_or_copy)
{
    fixture_begin(&f, arena);
    set_weight(0, "weight", 1, 0);
    htp_tensor_id x = add_input("x");
    htp_tensor_id weight = htp_builder_weight(f.model, 0);
    htp_tensor_id sum = fixture_node(&f, LAYER, "Add", x, weight);
    htp_builder_set_type(f.model, sum, HTP_DTYPE_FLOAT32, 2, two_by_n);
    htp_builder_add_output(f.model, sum, "logits");
    htp_builder_add_output(f.model, sum, "again");
    htp_builder_add_output(f.model, x, "x");
    htp_builder_add_output(f.model, weight, "");
    static const char *const names[] = {"logits", "again", "x_1", "output"};
    ck_assert_uint_eq(f.model->outputs.count, 4);
    ck_assert_uint_eq(f.model->nodes.count, 4);
    for (size_t i = 0; i < 4; i++) {
        const htp_tensor *output = &f.model->tensors.items[f.model->outputs.items[i]];
        ck_assert_str_eq(output->name, names[i]);
        ck_assert(output->is_output && output->has_type);
        ck_assert_int_eq(output->source, HTP_TENSOR_FROM_NODE);
        ck_assert_uint_eq(output->index, i);
        ck_assert_uint_eq(output->rank, 2);
    }
    ck_assert_str_eq(f.model->tensors.items[f.model->outputs.items[1]].dims[1].symbol, "n");
    ck_assert_uint_eq(f.model->outputs.items[0], sum);
    ck_assert_str_eq(fixture_name(&f, x), "x");
    ck_assert_str_eq(node_name(1), "/Identity");
    ck_assert_uint_eq(f.model->nodes.items[1].origin.scope, ROOT);
    ck_assert_uint_eq(f.model->origin.scope, LAYER); /* as it was */
}

/* x goes through four nodes to the one output; two more nodes, a weight and an input lead nowhere.
 */
static void make_model_with_dead_ends(htp_arena *arena)
{
    fixture_begin(&f, arena);
    for (uint32_t i = 0; i < 3; i++) {
        static const char *const names[] = {"dead", "a", "b"};
        set_weight(i, names[i], i, 0);
    }
    htp_tensor_id x = add_input("x");
    htp_tensor_id unused_input = add_input("unused");
    htp_tensor_id dead = fixture_node(&f, ROOT, "Dead", x, htp_builder_weight(f.model, 0));
    (void)fixture_node(&f, ROOT, "Dead", dead, HTP_NONE);
    htp_tensor_id first = fixture_node(&f, ROOT, "Mul", x, htp_builder_weight(f.model, 1));
    htp_tensor_id split[2];
    htp_builder_add_node(f.model, "Split", &first, 1, NULL, 0, split, 2);
    htp_tensor_id last = fixture_node(&f, ROOT, "Clip", split[1], HTP_NONE);
    last = fixture_node(&f, ROOT, "Add", last, htp_builder_weight(f.model, 2));
    htp_builder_add_output(f.model, last, "y");
    (void)unused_input;
    HTP_PUSH(arena, &f.model->passed, (htp_passed_tensor){ENCODER, "gone", dead});
    HTP_PUSH(arena, &f.model->passed, (htp_passed_tensor){LAYER, "kept", split[1]});
}

UNIT_TEST(what_no_output_needs_goes)
{
    make_model_with_dead_ends(arena);
    htp_builder_remove_unused(f.model);
    static const char *const nodes[] = {"/Mul", "/Split", "/Clip", "/Add"};
    ck_assert_uint_eq(f.model->nodes.count, 4);
    for (size_t i = 0; i < 4; i++) {
        const htp_onnx_node *node = &f.model->nodes.items[i];
        ck_assert_str_eq(node->name, nodes[i]);
        for (uint32_t k = 0; k < node->output_count; k++) {
            ck_assert_uint_eq(f.model->tensors.items[node->outputs[k]].index, i);
        }
    }
    const htp_onnx_node *clip = &f.model->nodes.items[2];
    ck_assert_str_eq(fixture_name(&f, clip->inputs[0]), "/Split_output_1");
    ck_assert_uint_eq(clip->inputs[1], HTP_NONE);
    ck_assert_uint_eq(f.model->tensors.count, 2 + 2 + 5);
}

UNIT_TEST(ends_and_weights_of_what_stays_stay)
{
    make_model_with_dead_ends(arena);
    htp_builder_remove_unused(f.model);
    ck_assert_uint_eq(f.model->inputs.count, 2);
    ck_assert_str_eq(fixture_name(&f, f.model->inputs.items[1]), "unused");
    ck_assert_uint_eq(f.model->initializers.count, 2);
    for (uint32_t i = 0; i < 2; i++) {
        const htp_initializer *initializer = &f.model->initializers.items[i];
        ck_assert_uint_eq(initializer->weight, i + 1);
        ck_assert_uint_eq(f.model->tensors.items[initializer->tensor].index, i);
        ck_assert_str_eq(fixture_name(&f, initializer->tensor), i == 0 ? "a" : "b");
    }
    ck_assert_str_eq(fixture_name(&f, f.model->outputs.items[0]), "y");
    ck_assert_uint_eq(f.model->passed.count, 1);
    ck_assert_uint_eq(f.model->passed.items[0].scope, LAYER);
    ck_assert_str_eq(f.model->passed.items[0].name, "kept");
    ck_assert_str_eq(fixture_name(&f, f.model->passed.items[0].tensor), "/Split_output_1");
}

/* Some nodes are removed; those of a branch are numbered after its node. */
UNIT_TEST(numbers_leave_none_out)
{
    fixture_begin(&f, arena);
    htp_tensor_id x = add_input("/Add");
    (void)fixture_node(&f, ROOT, "Add", x, x);
    htp_tensor_id first = fixture_node(&f, ROOT, "Add", x, x);
    uint32_t graph = htp_builder_add_graph(f.model);
    f.model->current_graph = graph;
    htp_tensor_id inner = fixture_node(&f, ROOT, "Add", first, x);
    (void)fixture_node(&f, ROOT, "Add", first, x);
    htp_builder_add_graph_output(f.model, inner);
    f.model->current_graph = 0;
    htp_tensor_id second = fixture_node(&f, ROOT, "Add", first, x);
    htp_attribute branch = htp_attribute_graph("then_branch", graph);
    htp_tensor_id chosen;
    htp_builder_add_node(f.model, "If", &second, 1, &branch, 1, &chosen, 1);
    (void)fixture_node(&f, ROOT, "Add", chosen, chosen);
    htp_builder_add_output(f.model, fixture_node(&f, ROOT, "Add", chosen, second), "y");
    htp_builder_remove_unused(f.model);

    static const char *const names[] = {"/Add", "/Add_2", "/Add_1", "/If", "/Add_3"};
    ck_assert_uint_eq(f.model->nodes.count, 5);
    for (size_t i = 0; i < 5; i++) {
        const htp_onnx_node *node = &f.model->nodes.items[i];
        const char *output = i == 4 ? "y" : htp_arena_printf(arena, "%s_output_0", names[i]);
        ck_assert_str_eq(node->name, names[i]);
        ck_assert_str_eq(fixture_name(&f, node->outputs[0]), output);
    }
    ck_assert_str_eq(fixture_name(&f, f.model->inputs.items[0]), "/Add");
}

UNIT_TEST(onnx_data_types)
{
    static const int32_t expected[HTP_DTYPE_COUNT] = {
        [HTP_DTYPE_UINT8] = 2,      [HTP_DTYPE_INT8] = 3,        [HTP_DTYPE_INT16] = 5,
        [HTP_DTYPE_INT32] = 6,      [HTP_DTYPE_INT64] = 7,       [HTP_DTYPE_FLOAT16] = 10,
        [HTP_DTYPE_FLOAT32] = 1,    [HTP_DTYPE_FLOAT64] = 11,    [HTP_DTYPE_COMPLEX32] = 0,
        [HTP_DTYPE_COMPLEX64] = 14, [HTP_DTYPE_COMPLEX128] = 15, [HTP_DTYPE_BOOL] = 9,
        [HTP_DTYPE_BFLOAT16] = 16,  [HTP_DTYPE_OTHER] = 0,
    };
    for (int i = 0; i < HTP_DTYPE_COUNT; i++) {
        ck_assert_int_eq(htp_onnx_data_type((htp_dtype)i), expected[i]);
    }
    ck_assert_int_eq(htp_onnx_data_type(HTP_DTYPE_COUNT), 0);
}

UNIT_TEST(the_ir_version_is_the_lowest_of_opset_and_types)
{
    fixture_begin(&f, arena);
    ck_assert_int_eq(htp_ir_version_needed(f.model), 8);
    f.model->opset = 21;
    ck_assert_int_eq(htp_ir_version_of(f.model), 10);
    f.model->ir_version = 12;
    ck_assert_int_eq(htp_ir_version_of(f.model), 12);
    ck_assert_int_eq(htp_ir_version_of_opset(17), 8);
    ck_assert_int_eq(htp_ir_version_of_opset(99), HTP_IR_VERSION_LATEST);
    ck_assert_int_eq(htp_ir_version_of_type(16), 8);  /* BFLOAT16 */
    ck_assert_int_eq(htp_ir_version_of_type(20), 9);  /* FLOAT8E5M2FNUZ */
    ck_assert_int_eq(htp_ir_version_of_type(21), 10); /* UINT4 */
}

UNIT_MAIN("builder", nodes_are_named_by_the_chain_of_calls, equal_names_get_numbers,
          many_equal_names_are_found_at_once, names_are_escaped, inputs_keep_their_names,
          complex_weights_are_pairs, tied_weights_are_one_initializer,
          equal_constants_are_one_initializer, a_constant_without_elements_has_no_bytes,
          what_a_caller_passes_is_copied, outputs_rename_or_copy, what_no_output_needs_goes,
          ends_and_weights_of_what_stays_stay, numbers_leave_none_out, onnx_data_types,
          the_ir_version_is_the_lowest_of_opset_and_types)
