/*
 * Which nodes of a finished model are told to compute constants alone.
 */
#include "onnx_fixture.h"

#include "lower/passes/kept_constants.h"

static onnx_fixture f;

static htp_tensor_id add(htp_node_id node, const char *op, htp_tensor_id x)
{
    htp_tensor_id y;
    f.model->origin = (htp_origin){ROOT, node};
    htp_builder_add_node(f.model, op, &x, 1, NULL, 0, &y, 1);
    return y;
}

static htp_tensor_id constant(float value)
{
    const int64_t dims[] = {1};
    return htp_builder_constant(f.model, HTP_DTYPE_FLOAT32, 1, dims, &value);
}

/* The root reads it, beside an input. */
static void read_beside(htp_tensor_id tensor, htp_tensor_id x)
{
    const htp_tensor_id operands[] = {x, tensor};
    htp_tensor_id sum;
    htp_builder_add_node(f.model, "Add", operands, 2, NULL, 0, &sum, 1);
    htp_builder_add_output(f.model, sum, "y");
}

static htp_tensor_id begin(htp_arena *arena)
{
    const htp_dim dims[] = {{.size = 1}};
    fixture_begin(&f, arena);
    f.graph->node_count = 3;
    return htp_builder_add_input(f.model, "x", HTP_DTYPE_FLOAT32, 1, dims);
}

UNIT_TEST(each_trace_node_once)
{
    htp_tensor_id x = begin(arena);
    read_beside(add(0, "Softmax", add(0, "Neg", constant(1))), x);
    read_beside(add(1, "Cast", constant(2)), x);
    read_beside(add(0, "Exp", constant(3)), x);
    (void)add(2, "Exp", constant(4)); /* dead */
    read_beside(add(2, "Neg", x), x);
    htp_kept_arithmetic kept = {0};
    htp_lower_find_kept(f.model, &kept);
    ck_assert_uint_eq(kept.count, 2);
    ck_assert_uint_eq(kept.items[0].node, 0);
    ck_assert_uint_eq(kept.items[1].node, 1);
    ck_assert_int_eq(kept.items[1].reason, HTP_KEPT_OTHER);
    htp_lower_find_kept(f.model, &kept);
    ck_assert_uint_eq(kept.count, 2);
}

UNIT_TEST(those_that_must_stay)
{
    htp_tensor_id x = begin(arena);
    htp_tensor_id tied = constant(1);
    read_beside(add(0, "Transpose", tied), x);
    read_beside(tied, x);
    htp_builder_add_output(f.model, add(1, "Neg", constant(2)), "z");
    htp_kept_arithmetic kept = {0};
    htp_lower_find_kept(f.model, &kept);
    ck_assert_uint_eq(kept.count, 0);
}

UNIT_MAIN("lower_kept_constants", each_trace_node_once, those_that_must_stay)
