/*
 * Products of a flattened tensor, once types are known; and similar ones that must stay.
 */
#include "lower/passes/told_shapes.h"
#include "lower_fixture.h"
#include "onnx/shape_inference/infer.h"

/** A matrix of as many rows as an input has in its first two axes, times @p factor. */
static uint32_t matrix(lower_fixture *f, int64_t factor, int64_t columns)
{
    uint32_t value = fixture_tensor(f, HTP_DTYPE_FLOAT32, DIMS(1, columns));
    for (uint32_t lane = 0; lane < 3; lane++) {
        int64_t *sizes = HTP_NEW_ARRAY(f->arena, int64_t, 2);
        sizes[0] = fixture_axes[0].sizes[lane] * fixture_axes[1].sizes[lane] * factor;
        sizes[1] = columns;
        f->values.items[value].dims[lane] = sizes;
    }
    return value;
}

static uint32_t size_of(lower_fixture *f, uint32_t x, int64_t axis)
{
    return fixture_node(f, "aten::size.int", ROOT,
                        ARGUMENTS({"self", x}, {"dim", fixture_int(f, axis)}),
                        fixture_dynamic(f, HTP_TRACE_INT));
}

static uint32_t viewed(lower_fixture *f, uint32_t x, uint32_t count, const uint32_t *sizes,
                       uint32_t y)
{
    return fixture_node(f, "aten::view", ROOT,
                        ARGUMENTS({"self", x}, {"size", fixture_list(f, count, sizes)}), y);
}

typedef struct product {
    uint32_t x;      /* [batch, length, 6] */
    uint32_t result; /* of a bias and x · weight, a matrix of four columns */
} product;

/** x in rows of @p columns, times a weight. */
static product multiplied(lower_fixture *f, int64_t columns)
{
    product p = {.x = fixture_input(f, HTP_DTYPE_FLOAT32, DIMS(BATCH, LENGTH, 6))};
    uint32_t weight = fixture_input(f, HTP_DTYPE_FLOAT32, DIMS(columns, 4));
    uint32_t bias = fixture_input(f, HTP_DTYPE_FLOAT32, DIMS(4));
    const uint32_t flat[] = {fixture_int(f, -1), fixture_int(f, columns)};
    uint32_t rows = viewed(f, p.x, 2, flat, matrix(f, 6 / columns, columns));
    uint32_t one = fixture_int(f, 1);
    p.result = fixture_node(
        f, "aten::addmm", ROOT,
        ARGUMENTS({"self", bias}, {"mat1", rows}, {"mat2", weight}, {"beta", one}, {"alpha", one}),
        matrix(f, 6 / columns, 4));
    return p;
}

/** The model's operators after the pass. */
static const char *ops(lower_fixture *f, uint32_t output)
{
    fixture_output(f, output);
    fixture_lower_ok(f);
    (void)htp_builder_infer_types(f->model);
    htp_lower_tell_shapes(f->model);
    htp_builder_remove_unused(f->model);
    return fixture_ops(f);
}

UNIT_TEST(flattened_axes_that_come_back_stay)
{
    lower_fixture f = {.arena = arena};
    product p = multiplied(&f, 6);
    const uint32_t sizes[] = {size_of(&f, p.x, 0), size_of(&f, p.x, 1), fixture_int(&f, 4)};
    uint32_t y = viewed(&f, p.result, 3, sizes,
                        fixture_tensor(&f, HTP_DTYPE_FLOAT32, DIMS(BATCH, LENGTH, 4)));
    ck_assert_str_eq(ops(&f, y), "MatMul Add");
    ck_assert_uint_eq(f.model->nodes.items[0].inputs[0], f.model->inputs.items[0]);
    const htp_tensor *made = &f.model->tensors.items[f.model->nodes.items[0].outputs[0]];
    ck_assert_uint_eq(made->rank, 3);
}

UNIT_TEST(axes_in_another_order_are_laid_out)
{
    lower_fixture f = {.arena = arena};
    product p = multiplied(&f, 6);
    const uint32_t sizes[] = {size_of(&f, p.x, 1), size_of(&f, p.x, 0), fixture_int(&f, 4)};
    uint32_t y = viewed(&f, p.result, 3, sizes,
                        fixture_tensor(&f, HTP_DTYPE_FLOAT32, DIMS(LENGTH, BATCH, 4)));
    ck_assert_ptr_nonnull(strstr(ops(&f, y), "Reshape Gemm"));
}

UNIT_TEST(rows_that_are_cut_stay_cut)
{
    lower_fixture f = {.arena = arena};
    product p = multiplied(&f, 3);
    const uint32_t sizes[] = {size_of(&f, p.x, 0), size_of(&f, p.x, 1), fixture_int(&f, 8)};
    uint32_t y = viewed(&f, p.result, 3, sizes,
                        fixture_tensor(&f, HTP_DTYPE_FLOAT32, DIMS(BATCH, LENGTH, 8)));
    ck_assert_ptr_nonnull(strstr(ops(&f, y), "Reshape Gemm"));
}

UNIT_TEST(a_product_that_others_read_stays)
{
    lower_fixture f = {.arena = arena};
    product p = multiplied(&f, 6);
    const uint32_t sizes[] = {size_of(&f, p.x, 0), size_of(&f, p.x, 1), fixture_int(&f, 4)};
    uint32_t y = viewed(&f, p.result, 3, sizes,
                        fixture_tensor(&f, HTP_DTYPE_FLOAT32, DIMS(BATCH, LENGTH, 4)));
    fixture_output(
        &f, fixture_node(&f, "aten::exp", ROOT, ARGUMENTS({"self", p.result}), matrix(&f, 1, 4)));
    ck_assert_ptr_nonnull(strstr(ops(&f, y), "Reshape Gemm"));
}

UNIT_MAIN("lower/told_shapes", flattened_axes_that_come_back_stay,
          axes_in_another_order_are_laid_out, rows_that_are_cut_stay_cut,
          a_product_that_others_read_stays)
