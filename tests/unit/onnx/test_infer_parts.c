/*
 * Types of tensors between nodes: parts of tensors, reductions, products and windows.
 */
#include "infer_fixture.h"

/* ---- parts ---- */

UNIT_TEST(concatenation_and_splitting)
{
    fixture_begin(&f, arena);
    htp_tensor_id x = floats("batch, 7");
    CHECK_TYPE(add("Concat", IN(x, floats("batch, 2"), x), AT(INT("axis", -1))),
               "float32[batch, 16]");
    CHECK_TYPE(add("Concat", IN(floats("n, 3"), floats("2, n")), AT(INT("axis", 0))),
               "float32[n + 2, 3]");
    CHECK_TYPE(add("Concat", IN(floats("n"), floats("0")), AT(INT("axis", 0))), "float32[n]");
    add_many("Split", IN(x), AT(INT("axis", 1), INT("num_outputs", 3)), 3);
    CHECK_TYPE(outputs[0], "float32[batch, 3]");
    CHECK_TYPE(outputs[2], "float32[batch, 1]");
    add_many("Split", IN(x, VECTOR(2, 5)), AT(INT("axis", -1)), 2);
    CHECK_TYPE(outputs[1], "float32[batch, 5]");
    add_many("Split", IN(x), NO_AT, 2);
    CHECK_TYPE(outputs[1], "float32[batch - (batch + 1)//2, 7]");
    CHECK_TYPE(add("Pad", IN(x, VECTOR(0, 1, 0, -3), scalar(0)), NO_AT), "float32[batch, 5]");
    CHECK_TYPE(add("Pad", IN(x, VECTOR(1, 0, 0, 0)), NO_AT), "float32[batch + 1, 7]");
    CHECK_TYPE(add("Pad", IN(x, VECTOR(0, 0), scalar(0), VECTOR(0)), NO_AT), "float32[batch, 7]");
}

UNIT_TEST(slices)
{
    static const struct {
        int64_t start, end, step;
        const char *number; /* of 7 */
        const char *symbol; /* of n */
    } table[] = {
        {0, INT64_MAX, 1, "float32[7]", "float32[n]"},
        {2, INT64_MAX, 1, "float32[5]", "float32[max(n - 2, 0)]"},
        {-3, -1, 1, "float32[2]", "float32[max(min(n - 1, 2), 0)]"},
        {-9, 99, 1, "float32[7]", "float32[max(min(n - max(n - 99, 0), 9 - max(n - 99, 0)), 0)]"},
        {5, 2, 1, "float32[0]", "float32[0]"},
        {0, 7, 3, "float32[3]", "float32[(n + 2 - max(n - 7, 0))//3]"},
        {-1, INT64_MIN, -1, "float32[7]", "float32[n]"},
        {5, 1, -2, "float32[2]", "float32[?]"},
        {0, 5, INT64_MAX / 2, "float32[1]",
         "float32[(n + 4611686018427387902 - max(n - 5, 0))//4611686018427387903]"},
    };
    fixture_begin(&f, arena);
    htp_tensor_id number = floats("7");
    htp_tensor_id symbol = floats("n");
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        htp_tensor_id start = vector(&table[i].start, 1);
        htp_tensor_id end = vector(&table[i].end, 1);
        htp_tensor_id step = vector(&table[i].step, 1);
        CHECK_TYPE(add("Slice", IN(number, start, end, VECTOR(0), step), NO_AT), table[i].number);
        CHECK_TYPE(add("Slice", IN(symbol, start, end, VECTOR(-1), step), NO_AT), table[i].symbol);
    }
    htp_tensor_id n = add("Shape", IN(symbol), NO_AT);
    CHECK_TYPE(add("Slice", IN(symbol, VECTOR(0), n), NO_AT), "float32[n]");
    CHECK_TYPE(add("Slice", IN(floats("2, 3"), VECTOR(1), VECTOR(3), VECTOR(1)), NO_AT),
               "float32[2, 2]");
    CHECK_TYPE(add("Slice", IN(number, VECTOR(0), n, VECTOR(0), VECTOR(0)), NO_AT), "float32[?]");
}

UNIT_TEST(gathering)
{
    fixture_begin(&f, arena);
    htp_tensor_id x = floats("batch, 7, 8");
    CHECK_TYPE(add("Gather", IN(x, ints("a, b")), AT(INT("axis", 1))), "float32[batch, a, b, 8]");
    CHECK_TYPE(add("Gather", IN(x, scalar(0)), AT(INT("axis", -1))), "float32[batch, 7]");
    CHECK_TYPE(add("GatherElements", IN(x, ints("2, n, 8")), AT(INT("axis", 1))),
               "float32[2, n, 8]");
    CHECK_TYPE(add("GatherND", IN(x, ints("n, 2")), NO_AT), "float32[n, 8]");
    CHECK_TYPE(add("GatherND", IN(x, ints("batch, 3, 1")), AT(INT("batch_dims", 1))),
               "float32[batch, 3, 8]");
    CHECK_TYPE(add("GatherND", IN(x, ints("n, 4")), NO_AT), "none");
    CHECK_TYPE(add("ScatterND", IN(x, ints("n, 3"), floats("n")), NO_AT), "float32[batch, 7, 8]");
}

/* ---- reductions and products ---- */

UNIT_TEST(reductions)
{
    fixture_begin(&f, arena);
    htp_tensor_id x = floats("batch, 7, 8");
    htp_attribute drop = INT("keepdims", 0);
    CHECK_TYPE(add("ReduceSum", IN(x, VECTOR(-1)), NO_AT), "float32[batch, 7, 1]");
    CHECK_TYPE(add("ReduceMean", IN(x), AT(INTS("axes", 0, 2), drop)), "float32[7]");
    CHECK_TYPE(add("ReduceMax", IN(x), AT(drop)), "float32[]");
    CHECK_TYPE(add("ReduceMax", IN(x), AT(INT("noop_with_empty_axes", 1))), "float32[batch, 7, 8]");
    CHECK_TYPE(add("ArgMax", IN(x), AT(INT("axis", 1), drop)), "int64[batch, 8]");
    CHECK_TYPE(add("ArgMin", IN(x), NO_AT), "int64[1, 7, 8]");
    add_many("TopK", IN(x, VECTOR(3)), AT(INT("axis", 1)), 2);
    CHECK_TYPE(outputs[0], "float32[batch, 3, 8]");
    CHECK_TYPE(outputs[1], "int64[batch, 3, 8]");
    CHECK_TYPE(add("OneHot", IN(ints("n, 2"), VECTOR(9), floats("2")), AT(INT("axis", 1))),
               "float32[n, 9, 2]");
}

UNIT_TEST(products)
{
    fixture_begin(&f, arena);
    htp_tensor_id x = floats("batch, 1, 7, 8");
    CHECK_TYPE(add("MatMul", IN(x, floats("3, 8, n")), NO_AT), "float32[batch, 3, 7, n]");
    CHECK_TYPE(add("MatMul", IN(floats("8"), floats("b, 8, 4")), NO_AT), "float32[b, 4]");
    CHECK_TYPE(add("MatMul", IN(x, floats("8")), NO_AT), "float32[batch, 1, 7]");
    CHECK_TYPE(add("MatMul", IN(floats("8"), floats("8")), NO_AT), "float32[]");
    CHECK_TYPE(
        add("Gemm", IN(floats("7, n"), floats("3, 7")), AT(INT("transA", 1), INT("transB", 1))),
        "float32[n, 3]");
    htp_tensor_id a = floats("batch, 7, 8");
    htp_tensor_id b = floats("8, n");
    CHECK_TYPE(add("Einsum", IN(a, b), AT(htp_attribute_string("equation", "bij,jk->kbi"))),
               "float32[n, batch, 7]");
    CHECK_TYPE(add("Einsum", IN(a, b), AT(htp_attribute_string("equation", "...j,jk->...k"))),
               "float32[batch, 7, n]");
    CHECK_TYPE(add("Einsum", IN(a, b), AT(htp_attribute_string("equation", "...,...->..."))),
               "none");
    CHECK_TYPE(add("Einsum", IN(a), AT(htp_attribute_string("equation", "ij->i"))), "none");
    CHECK_TYPE(add("Einsum", IN(a), AT(htp_attribute_string("equation", "ijk->l"))), "none");
    CHECK_TYPE(add("Einsum", IN(a), AT(htp_attribute_string("equation", "ijk"))), "none");
}

/* ---- windows ---- */

UNIT_TEST(convolutions)
{
    fixture_begin(&f, arena);
    htp_tensor_id x = floats("batch, 4, 9, n");
    htp_tensor_id weight = floats("6, 2, 3, 3");
    htp_attribute pads = INTS("pads", 1, 1, 1, 1);
    CHECK_TYPE(add("Conv", IN(x, weight), AT(pads, INT("group", 2))), "float32[batch, 6, 9, n]");
    CHECK_TYPE(add("Conv", IN(x, weight), AT(pads, INTS("strides", 2, 1), INTS("dilations", 2, 1))),
               "float32[batch, 6, 4, n]");
    CHECK_TYPE(add("Conv", IN(x, weight), NO_AT), "float32[batch, 6, 7, n - 2]");
    htp_tensor_id spread = floats("4, 3, 3, 3");
    CHECK_TYPE(add("ConvTranspose", IN(x, spread),
                   AT(pads, INTS("strides", 2, 1), INTS("output_padding", 1, 0), INT("group", 2))),
               "float32[batch, 6, 18, n]");
    CHECK_TYPE(add("Conv", IN(x, floats("6, 4, 3")), NO_AT), "none");
}

UNIT_TEST(pooling)
{
    fixture_begin(&f, arena);
    htp_tensor_id x = floats("batch, 4, 8, n");
    htp_attribute kernel = INTS("kernel_shape", 3, 1);
    htp_attribute strides = INTS("strides", 2, 1);
    add_many("MaxPool", IN(x), AT(kernel, strides), 2);
    CHECK_TYPE(outputs[0], "float32[batch, 4, 3, n]");
    CHECK_TYPE(outputs[1], "int64[batch, 4, 3, n]");
    CHECK_TYPE(add("AveragePool", IN(x), AT(kernel, strides, INT("ceil_mode", 1))),
               "float32[batch, 4, 4, n]");
    CHECK_TYPE(add("MaxPool", IN(floats("1, 1, 3")),
                   AT(INTS("kernel_shape", 1), INTS("strides", 4), INT("ceil_mode", 1))),
               "float32[1, 1, ?]"); /* a window past the end: runtimes differ */
    CHECK_TYPE(add("GlobalAveragePool", IN(x), NO_AT), "float32[batch, 4, 1, 1]");
}

UNIT_TEST(resolution)
{
    static const float scales[] = {1, 1, 2.5F, 1};
    static const int64_t four[] = {4};
    fixture_begin(&f, arena);
    htp_tensor_id x = floats("batch, 12, 9, n");
    htp_tensor_id none = HTP_NONE;
    htp_tensor_id factors = htp_builder_constant(f.model, HTP_DTYPE_FLOAT32, 1, four, scales);
    CHECK_TYPE(add("Resize", IN(x, none, factors), NO_AT), "float32[batch, 12, 22, n]");
    CHECK_TYPE(add("Resize", IN(x, none, none, VECTOR(2, 12, 5, 6)), NO_AT),
               "float32[2, 12, 5, 6]");
    CHECK_TYPE(add("DepthToSpace", IN(x), AT(INT("blocksize", 2))), "float32[batch, 3, 18, n*2]");
    CHECK_TYPE(add("SpaceToDepth", IN(floats("1, 2, 6, 9")), AT(INT("blocksize", 3))),
               "float32[1, 18, 2, 3]");
}

/* Pads of all axes, of listed ones (opset 18), and as an attribute (before opset 11). */
UNIT_TEST(padding)
{
    fixture_begin(&f, arena);
    htp_tensor_id x = floats("batch, 3, 9, n");
    htp_tensor_id zero = htp_builder_constant(f.model, HTP_DTYPE_FLOAT32, 0, NULL, &(float){0});
    htp_tensor_id none = HTP_NONE;
    CHECK_TYPE(add("Pad", IN(x, VECTOR(0, 0, 1, 2, 0, 0, 1, -1), zero), NO_AT),
               "float32[batch, 3, 11, n + 1]");
    CHECK_TYPE(add("Pad", IN(x, VECTOR(1, 2, 1, 3), none, VECTOR(-1, 2)), NO_AT),
               "float32[batch, 3, 14, n + 2]");
    CHECK_TYPE(add("Pad", IN(x, VECTOR(1, 2, 1), none, VECTOR(-1, 2)), NO_AT),
               "float32[?, ?, ?, ?]");
    CHECK_TYPE(add("Pad", IN(x, VECTOR(1, 1), none, VECTOR(4)), NO_AT), "float32[?, ?, ?, ?]");
    CHECK_TYPE(add("Pad", IN(x), AT(INTS("pads", 0, 0, 1, 1, 0, 0, 1, 1))),
               "float32[batch, 3, 11, n + 2]");
}

UNIT_MAIN("infer_parts", concatenation_and_splitting, slices, gathering, reductions, products,
          convolutions, pooling, padding, resolution)
