#include "lower_fixture.h"

static lower_fixture begin(htp_arena *arena)
{
    return (lower_fixture){.arena = arena};
}

static uint32_t matrix(lower_fixture *f)
{
    return fixture_tensor(f, HTP_DTYPE_FLOAT32, DIMS(BATCH, 4));
}

static uint32_t tanh_of(lower_fixture *f, uint32_t scope, uint32_t x)
{
    return fixture_node(f, "aten::tanh", scope, ARGUMENTS({"self", x}), matrix(f));
}

UNIT_TEST(inputs_and_outputs_are_declared)
{
    lower_fixture f = begin(arena);
    uint32_t x = fixture_input(&f, HTP_DTYPE_FLOAT32, DIMS(BATCH, 4));
    fixture_output(&f, tanh_of(&f, ROOT, x));
    fixture_lower_ok(&f);
    ck_assert_uint_eq(f.model->inputs.count, 1);
    const htp_tensor *input = &f.model->tensors.items[f.model->inputs.items[0]];
    ck_assert_str_eq(input->name, "x");
    ck_assert_int_eq(input->dtype, HTP_DTYPE_FLOAT32);
    ck_assert_str_eq(input->dims[0].symbol, "batch");
    ck_assert_uint_eq(f.model->outputs.count, 1);
    const htp_tensor *output = &f.model->tensors.items[f.model->outputs.items[0]];
    ck_assert_str_eq(output->name, "output");
    ck_assert(output->has_type);
    ck_assert_str_eq(output->dims[0].symbol, "batch");
}

UNIT_TEST(several_outputs_are_numbered_and_none_left_out)
{
    lower_fixture f = begin(arena);
    uint32_t x = fixture_input(&f, HTP_DTYPE_FLOAT32, DIMS(BATCH, 4));
    fixture_output(&f, tanh_of(&f, ROOT, x));
    fixture_output(&f, fixture_none(&f));
    fixture_output(&f, x);
    fixture_output(&f, fixture_int(&f, 7));
    fixture_lower_ok(&f);
    ck_assert_uint_eq(f.model->outputs.count, 3);
    const htp_tensor *last = &f.model->tensors.items[f.model->outputs.items[2]];
    ck_assert_str_eq(last->name, "output_2");
    ck_assert_int_eq(last->dtype, HTP_DTYPE_INT64);
    ck_assert_uint_eq(last->rank, 0);
    ck_assert_str_eq(fixture_ops(&f), "Tanh Identity Identity");
}

UNIT_TEST(nodes_have_the_origin_of_their_operation)
{
    lower_fixture f = begin(arena);
    uint32_t x = fixture_input(&f, HTP_DTYPE_FLOAT32, DIMS(BATCH, 4));
    uint32_t y = tanh_of(&f, BLOCK, tanh_of(&f, ROOT, x));
    fixture_output(&f, y);
    fixture_lower_ok(&f);
    ck_assert_uint_eq(f.model->nodes.items[0].origin.scope, ROOT);
    ck_assert_uint_eq(f.model->nodes.items[0].origin.node, 0);
    ck_assert_uint_eq(f.model->nodes.items[1].origin.scope, BLOCK);
    ck_assert_uint_eq(f.model->nodes.items[1].origin.node, 1);
}

UNIT_TEST(forms_of_a_number_belong_to_its_producer)
{
    lower_fixture f = begin(arena);
    uint32_t x = fixture_input(&f, HTP_DTYPE_FLOAT32, DIMS(BATCH, 4));
    uint32_t size = fixture_node(&f, "aten::size.int", BLOCK,
                                 ARGUMENTS({"self", x}, {"dim", fixture_int(&f, 0)}),
                                 fixture_dynamic(&f, HTP_TRACE_INT));
    uint32_t y = fixture_node(&f, "aten::mul.Tensor", ROOT, ARGUMENTS({"self", x}, {"other", size}),
                              matrix(&f));
    fixture_output(&f, y);
    fixture_lower_ok(&f);
    ck_assert_str_eq(fixture_ops(&f), "Shape Squeeze Cast Mul");
    ck_assert_uint_eq(f.model->nodes.items[0].origin.scope, BLOCK);
    ck_assert_uint_eq(f.model->nodes.items[1].origin.scope, BLOCK);
    ck_assert_uint_eq(f.model->nodes.items[2].origin.scope, ROOT);
}

UNIT_TEST(dead_and_constant_nodes_are_left_out)
{
    lower_fixture f = begin(arena);
    uint32_t x = fixture_input(&f, HTP_DTYPE_FLOAT32, DIMS(BATCH, 4));
    fixture_node(&f, "custom::dead", ROOT, ARGUMENTS({"x", x}), matrix(&f));
    uint32_t width =
        fixture_node(&f, "custom::known", ROOT, ARGUMENTS({"self", x}), fixture_int(&f, 4));
    uint32_t y = fixture_node(&f, "aten::mul.Scalar", ROOT,
                              ARGUMENTS({"self", x}, {"other", width}), matrix(&f));
    fixture_output(&f, y);
    fixture_lower_ok(&f);
    ck_assert_str_eq(fixture_ops(&f), "Mul");
    ck_assert_float_eq(*(const float *)fixture_constant(&f, 0, 1), 4);
}

UNIT_TEST(known_contents_become_initializers)
{
    static const float contents[4] = {1, 2, 3, 4};
    lower_fixture f = begin(arena);
    uint32_t x = fixture_input(&f, HTP_DTYPE_FLOAT32, DIMS(BATCH, 4));
    uint32_t known = fixture_node(&f, "custom::made", ROOT, ARGUMENTS({"x", x}),
                                  fixture_tensor(&f, HTP_DTYPE_FLOAT32, DIMS(4)));
    f.values.items[known].data = contents;
    f.values.items[known].data_bytes = sizeof(contents);
    uint32_t y = fixture_node(&f, "aten::mul.Tensor", ROOT,
                              ARGUMENTS({"self", x}, {"other", known}), matrix(&f));
    fixture_output(&f, y);
    fixture_lower_ok(&f);
    ck_assert_str_eq(fixture_ops(&f), "Mul");
    ck_assert_mem_eq(fixture_constant(&f, 0, 1), contents, sizeof(contents));
}

UNIT_TEST(all_unsupported_operators_are_reported)
{
    lower_fixture f = begin(arena);
    uint32_t x = fixture_input(&f, HTP_DTYPE_FLOAT32, DIMS(BATCH, 4));
    uint32_t a = fixture_node(&f, "custom::a", BLOCK, ARGUMENTS({"x", x}), matrix(&f));
    uint32_t b =
        fixture_node(&f, "custom::b", ROOT, ARGUMENTS({"x", tanh_of(&f, ROOT, a)}), matrix(&f));
    uint32_t c = fixture_node(&f, "custom::a", ROOT, ARGUMENTS({"x", b}), matrix(&f));
    uint32_t d = fixture_node(
        &f, "aten::div.Tensor_mode", ROOT,
        ARGUMENTS({"self", c}, {"other", x}, {"rounding_mode", fixture_string(&f, "up")}),
        matrix(&f));
    fixture_output(&f, d);
    htp_status status = fixture_lower(&f, 18);
    ck_assert_int_eq(htp_status_code(status), HTP_CODE_UNSUPPORTED);
    ck_assert_str_eq(htp_status_message(status),
                     "3 operators cannot be exported: custom::a (2), custom::b (1), "
                     "aten::div.Tensor_mode (1)");
    ck_assert_uint_eq(htp_status_detail_count(status), 3);
    ck_assert_str_eq(htp_status_detail_line(status, 0),
                     "custom::a: there is no lowering for it: --custom-op names the ONNX operator "
                     "to write it as; 2 times, first in module block at net.py:10");
    ck_assert_str_eq(htp_status_detail_line(status, 2),
                     "aten::div.Tensor_mode: rounding mode 'up' is not known; 1 time, first in the "
                     "root module at net.py:14");
    htp_status_free(status);
}

UNIT_TEST(a_failed_trace_is_reported_once)
{
    lower_fixture f = begin(arena);
    uint32_t x = fixture_input(&f, HTP_DTYPE_FLOAT32, DIMS(BATCH, 4));
    uint32_t a = fixture_node(&f, "aten::tanh", ROOT, ARGUMENTS({"self", x}),
                              fixture_dynamic(&f, HTP_TRACE_UNKNOWN));
    f.nodes.items[0].failure = "there is no kernel";
    uint32_t b = fixture_node(&f, "aten::tanh", ROOT, ARGUMENTS({"self", a}),
                              fixture_dynamic(&f, HTP_TRACE_UNKNOWN));
    fixture_output(&f, b);
    htp_status status = fixture_lower(&f, 18);
    ck_assert_str_eq(htp_status_message(status), "1 operator cannot be exported: aten::tanh (1)");
    ck_assert_str_eq(htp_status_detail_line(status, 0),
                     "aten::tanh: there is no kernel; 1 time, first in the root module at "
                     "net.py:10");
    htp_status_free(status);
}

UNIT_TEST(complex_inputs_are_pairs)
{
    lower_fixture f = begin(arena);
    uint32_t x = fixture_input(&f, HTP_DTYPE_COMPLEX64, DIMS(4));
    uint32_t y = fixture_node(&f, "aten::abs", ROOT, ARGUMENTS({"self", x}),
                              fixture_tensor(&f, HTP_DTYPE_FLOAT32, DIMS(4)));
    fixture_output(&f, y);
    fixture_lower_ok(&f);
    const htp_tensor *pairs = &f.model->tensors.items[f.model->inputs.items[0]];
    ck_assert(pairs->is_complex);
    ck_assert_int_eq(pairs->dtype, HTP_DTYPE_FLOAT32);
    ck_assert_uint_eq(pairs->rank, 2);
    ck_assert_int_eq(pairs->dims[1].size, 2);
    ck_assert(!f.model->tensors.items[f.model->outputs.items[0]].is_complex);
}

UNIT_TEST(complex_halves_are_refused)
{
    lower_fixture f = begin(arena);
    uint32_t x = fixture_input(&f, HTP_DTYPE_COMPLEX32, DIMS(4));
    fixture_output(&f, x);
    htp_status status = fixture_lower(&f, 18);
    ck_assert_int_eq(htp_status_code(status), HTP_CODE_UNSUPPORTED);
    htp_status_free(status);
}

UNIT_TEST(elements_of_lists_are_bound)
{
    lower_fixture f = begin(arena);
    uint32_t x = fixture_input(&f, HTP_DTYPE_FLOAT32, DIMS(BATCH, 5));
    uint32_t first = fixture_tensor(&f, HTP_DTYPE_FLOAT32, DIMS(BATCH, 3));
    uint32_t second = fixture_tensor(&f, HTP_DTYPE_FLOAT32, DIMS(BATCH, 2));
    fixture_node(
        &f, "aten::split.Tensor", ROOT,
        ARGUMENTS({"self", x}, {"split_size", fixture_int(&f, 3)}, {"dim", fixture_int(&f, -1)}),
        fixture_list(&f, ELEMENTS(first, second)));
    fixture_output(&f, second);
    fixture_output(&f, first);
    fixture_lower_ok(&f);
    ck_assert_str_eq(fixture_ops(&f), "Split");
    ck_assert_int_eq(fixture_attribute(&f, 0, "axis")->i, 1);
    const int64_t *sizes = fixture_constant(&f, 0, 1);
    ck_assert_int_eq(sizes[0], 3);
    ck_assert_int_eq(sizes[1], 2);
    const htp_onnx_node *split = &f.model->nodes.items[0];
    ck_assert_uint_eq(f.model->outputs.items[0], split->outputs[1]);
    ck_assert_uint_eq(f.model->outputs.items[1], split->outputs[0]);
}

static void pass(lower_fixture *f, const char *name, uint32_t value)
{
    HTP_PUSH(f->arena, &f->passed, (htp_trace_passed){name, value});
}

/* A number, both 0-d and as [1]. */
UNIT_TEST(what_a_call_was_given_is_known_by_name)
{
    lower_fixture f = begin(arena);
    uint32_t x = fixture_input(&f, HTP_DTYPE_FLOAT32, DIMS(BATCH, 4));
    uint32_t size = fixture_node(&f, "aten::size.int", ROOT,
                                 ARGUMENTS({"self", x}, {"dim", fixture_int(&f, 0)}),
                                 fixture_dynamic(&f, HTP_TRACE_INT));
    uint32_t dead = tanh_of(&f, ROOT, x);
    uint32_t scaled = fixture_node(&f, "aten::mul.Tensor", BLOCK,
                                   ARGUMENTS({"self", x}, {"other", size}), matrix(&f));
    pass(&f, "size", size);
    pass(&f, "dead", dead);
    pass(&f, "scale", fixture_float(&f, 0.5));
    pass(&f, "hidden", x);
    fixture_output(&f, scaled);
    fixture_lower_ok(&f);
    ck_assert_str_eq(fixture_ops(&f), "Shape Squeeze Cast Mul");
    static const char *const names[] = {"size", "size", "hidden"};
    const htp_tensor_id tensors[] = {f.model->nodes.items[1].outputs[0],
                                     f.model->nodes.items[0].outputs[0], f.model->inputs.items[0]};
    ck_assert_uint_eq(f.model->passed.count, 3);
    for (size_t i = 0; i < 3; i++) {
        ck_assert_uint_eq(f.model->passed.items[i].scope, BLOCK);
        ck_assert_str_eq(f.model->passed.items[i].name, names[i]);
        ck_assert_uint_eq(f.model->passed.items[i].tensor, tensors[i]);
    }
}

static bool stop(void *user, const htp_progress *progress)
{
    (void)user;
    (void)progress;
    return false;
}

UNIT_TEST(progress_can_stop_it)
{
    lower_fixture f = begin(arena);
    uint32_t x = fixture_input(&f, HTP_DTYPE_FLOAT32, DIMS(BATCH, 4));
    fixture_output(&f, tanh_of(&f, ROOT, x));
    fixture_lower_ok(&f);
    htp_builder *model = htp_builder_new(arena, f.model->graph, 18);
    htp_status status = htp_lower_graph(model, &(htp_lower_means){.customs = NULL}, stop, NULL);
    ck_assert_int_eq(htp_status_code(status), HTP_CODE_INTERRUPTED);
    htp_status_free(status);
}

UNIT_MAIN("lower/driver", inputs_and_outputs_are_declared,
          several_outputs_are_numbered_and_none_left_out, nodes_have_the_origin_of_their_operation,
          forms_of_a_number_belong_to_its_producer, dead_and_constant_nodes_are_left_out,
          known_contents_become_initializers, all_unsupported_operators_are_reported,
          a_failed_trace_is_reported_once, complex_inputs_are_pairs, complex_halves_are_refused,
          elements_of_lists_are_bound, what_a_call_was_given_is_known_by_name, progress_can_stop_it)
