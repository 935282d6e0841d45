/*
 * Sizes that the root reads from computed tensors, and that inputs also have.
 */
#include "onnx_fixture.h"

#include "lower/passes/asked_inputs.h"
#include "lower/passes/shared_sizes.h"
#include "onnx/shape_inference/infer.h"

static onnx_fixture f;

static htp_tensor_id add(uint32_t scope, const char *op, htp_tensor_id x,
                         const htp_attribute *attributes, size_t count)
{
    htp_tensor_id y;
    f.model->origin.scope = scope;
    htp_builder_add_node(f.model, op, &x, 1, attributes, count, &y, 1);
    return y;
}

static htp_tensor_id ask(uint32_t scope, htp_tensor_id x, int64_t start, int64_t end)
{
    const htp_attribute range[] = {htp_attribute_int("start", start),
                                   htp_attribute_int("end", end)};
    return add(scope, "Shape", x, range, 2);
}

/* An output of the root that reads a size. */
static void read_size(htp_tensor_id size)
{
    htp_builder_add_output(f.model, add(ROOT, "Neg", size, NULL, 0), "y");
}

/* The node that reads a reader's size. */
static const htp_onnx_node *question(const htp_onnx_node *reader)
{
    return &f.model->nodes.items[f.model->tensors.items[reader->inputs[0]].index];
}

static htp_tensor_id begin(htp_arena *arena)
{
    const htp_dim dims[] = {
        {.symbol = "batch", .size = 2}, {.symbol = "length", .size = 3}, {.size = 6}};
    fixture_begin(&f, arena);
    return htp_builder_add_input(f.model, "x", HTP_DTYPE_FLOAT32, 3, dims);
}

/* A transposed tensor's last dim is the input's second one. */
UNIT_TEST(inputs_are_asked)
{
    htp_tensor_id x = begin(arena);
    htp_tensor_id turned = add(ROOT, "Transpose", x, NULL, 0);
    read_size(ask(ROOT, turned, 1, 2));
    read_size(ask(ROOT, turned, 2, 3));
    read_size(ask(ROOT, x, 1, 2));
    (void)htp_builder_infer_types(f.model);
    htp_lower_ask_inputs(f.model);
    const htp_onnx_node *nodes = f.model->nodes.items;
    const htp_onnx_node *length = question(&nodes[2]);
    const htp_onnx_node *batch = question(&nodes[4]);
    ck_assert_uint_eq(length->inputs[0], x);
    ck_assert_int_eq(htp_builder_attribute(length, "start")->i, 1);
    ck_assert_int_eq(htp_builder_attribute(length, "end")->i, 2);
    ck_assert_uint_eq(batch->inputs[0], x);
    ck_assert_int_eq(htp_builder_attribute(batch, "start")->i, 0);
    htp_lower_share_sizes(f.model, NULL);
    ck_assert_ptr_eq(question(&nodes[6]), length); /* read once */
}

/* Dims that are not consecutive in an input, numbers, and sizes read in other modules. */
UNIT_TEST(other_questions_stay)
{
    htp_tensor_id x = begin(arena);
    htp_tensor_id turned = add(ROOT, "Transpose", x, NULL, 0);
    read_size(ask(ROOT, turned, 1, 3));
    read_size(ask(ROOT, turned, 0, 1));
    read_size(ask(LAYER, turned, 1, 2));
    read_size(ask(ROOT, turned, 1, 2));
    HTP_PUSH(arena, &f.model->nodes.items[7].more_scopes, LAYER);
    (void)htp_builder_infer_types(f.model);
    htp_lower_ask_inputs(f.model);
    for (size_t n = 2; n < 10; n += 2) {
        ck_assert_uint_eq(question(&f.model->nodes.items[n])->inputs[0], turned);
    }
}

UNIT_MAIN("lower_asked_inputs", inputs_are_asked, other_questions_stay)
