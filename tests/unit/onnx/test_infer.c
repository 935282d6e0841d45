/*
 * Types of intermediate tensors: element-wise rules, contents of shapes, and untyped values.
 */
#include "infer_fixture.h"

#include "onnx/shape_inference/infer_rule.h"

/* ---- the walk ---- */

UNIT_TEST(what_has_a_type_keeps_it)
{
    static const htp_dim dims[] = {{.size = 7}};
    fixture_begin(&f, arena);
    htp_tensor_id y = add("Relu", IN(floats("batch, 8")), NO_AT);
    htp_builder_set_type(f.model, y, HTP_DTYPE_FLOAT64, 1, dims);
    CHECK_TYPE(add("Neg", IN(y), NO_AT), "float64[7]");
    CHECK_TYPE(y, "float64[7]");
}

UNIT_TEST(what_cannot_be_told_stays_untyped)
{
    fixture_begin(&f, arena);
    htp_tensor_id x = floats("batch, 8");
    htp_tensor_id odd = add("NoSuchOperator", IN(x), NO_AT);
    CHECK_TYPE(odd, "none");
    CHECK_TYPE(add("Relu", IN(odd), NO_AT), "none");
    CHECK_TYPE(add("Add", IN(x, odd), NO_AT), "none");
    CHECK_TYPE(add("Add", IN(x, floats("7")), NO_AT), "none");
    CHECK_TYPE(add("Squeeze", IN(x), NO_AT), "none");
    CHECK_TYPE(add("Squeeze", IN(x, ints("n")), NO_AT), "none");
    CHECK_TYPE(add("Reshape", IN(x, ints("n")), NO_AT), "none");
    CHECK_TYPE(add("Unsqueeze", IN(x, VECTOR(1, 1)), NO_AT), "none");
    CHECK_TYPE(add("Softmax", IN(HTP_NONE), NO_AT), "none");
    CHECK_TYPE(add("Transpose", IN(x), AT(INTS("perm", 0, 2))), "none");
    CHECK_TYPE(add("Gather", IN(x, scalar(0)), AT(INT("axis", 2))), "none");
    CHECK_TYPE(add("ReduceSum", IN(x, VECTOR(-3)), NO_AT), "none");
    CHECK_TYPE(add("Cast", IN(x), AT(INT("to", 8))), "other[batch, 8]"); /* strings */
    CHECK_TYPE(add("QuantizeLinear", IN(x, scalar(1)), NO_AT), "uint8[batch, 8]");
    CHECK_TYPE(add("Unique", IN(x), AT(INT("axis", -9))), "none");
}

UNIT_TEST(unknown_dims_have_no_names)
{
    fixture_begin(&f, arena);
    htp_tensor_id sum = add("Add", IN(floats("unknown_0, n"), floats("a, b")), NO_AT);
    for (int run = 0; run < 2; run++) {
        CHECK_TYPE(sum, "float32[?, ?]");
    }
    CHECK_TYPE(add("Concat", IN(sum, sum), AT(INT("axis", 0))), "float32[?, ?]");
}

/* ---- formulas ---- */

UNIT_TEST(sizes_follow_from_operators)
{
    fixture_begin(&f, arena);
    htp_attribute strides = INTS("strides", 2, 2);
    htp_attribute pads = INTS("pads", 1, 1, 1, 1);
    htp_tensor_id x = floats("batch, 3, h, w");
    htp_tensor_id weight = floats("3, 3, 3, 3");
    htp_tensor_id half = add("Conv", IN(x, weight), AT(strides, pads));
    CHECK_TYPE(half, "float32[batch, 3, (h + 1)//2, (w + 1)//2]");
    htp_tensor_id quarter = add("Conv", IN(half, weight), AT(strides, pads));
    CHECK_TYPE(quarter, "float32[batch, 3, (h + 3)//4, (w + 3)//4]");
    htp_tensor_id patches = add("Reshape", IN(quarter, VECTOR(0, 3, -1)), NO_AT);
    CHECK_TYPE(patches, "float32[batch, 3, ((h + 3)//4)*((w + 3)//4)]");
    htp_tensor_id joined = add("Concat", IN(floats("batch, 3, 1"), patches), AT(INT("axis", 2)));
    CHECK_TYPE(joined, "float32[batch, 3, ((h + 3)//4)*((w + 3)//4) + 1]");
    CHECK_TYPE(add("Slice", IN(joined, VECTOR(1), VECTOR(INT64_MAX), VECTOR(2)), NO_AT),
               "float32[batch, 3, ((h + 3)//4)*((w + 3)//4)]");
    CHECK_TYPE(add("Reshape", IN(joined, VECTOR(-1, 3)), NO_AT),
               "float32[batch*(((h + 3)//4)*((w + 3)//4) + 1), 3]");
    CHECK_TYPE(add("MaxPool", IN(x), AT(INTS("kernel_shape", 3, 2), strides, INT("ceil_mode", 1))),
               "float32[batch, 3, h//2, (w + 1)//2]");
    CHECK_TYPE(add("ConvTranspose", IN(half, weight), AT(strides)),
               "float32[batch, 3, ((h + 1)//2)*2 + 1, ((w + 1)//2)*2 + 1]");
}

/* Rolls, and padding to windows: the parts of an axis add up to it. */
UNIT_TEST(parts_add_up)
{
    fixture_begin(&f, arena);
    htp_tensor_id x = floats("n");
    htp_tensor_id place = ints("1");
    htp_tensor_id end = VECTOR(INT64_MAX);
    htp_tensor_id back = add("Slice", IN(x, place, end), NO_AT);
    htp_tensor_id front = add("Slice", IN(x, VECTOR(0), place), NO_AT);
    htp_tensor_id all = add("Concat", IN(back, front), AT(INT("axis", 0)));
    htp_tensor_id other = add("Slice", IN(floats("m"), VECTOR(0), place), NO_AT);
    htp_tensor_id mixed = add("Concat", IN(back, other), AT(INT("axis", 0)));
    CHECK_TYPE(back, "float32[?]");
    CHECK_TYPE(all, "float32[n]");
    CHECK_TYPE(mixed, "float32[?]");
    htp_tensor_id n = add("Shape", IN(x), NO_AT);
    htp_tensor_id rest = add("Mod", IN(n, VECTOR(7)), NO_AT);
    htp_tensor_id more = add("Mod", IN(add("Sub", IN(VECTOR(7), rest), NO_AT), VECTOR(7)), NO_AT);
    htp_tensor_id pads = add("Concat", IN(VECTOR(0), more), AT(INT("axis", 0)));
    htp_tensor_id padded = add("Pad", IN(x, pads), NO_AT);
    CHECK_TYPE(padded, "float32[((n + 6)//7)*7]");
    CHECK_TYPE(add("Reshape", IN(padded, VECTOR(-1, 7)), NO_AT), "float32[(n + 6)//7, 7]");
}

/* Integer division has a correction for negative numbers, which sizes never are. */
UNIT_TEST(floors_of_sizes)
{
    fixture_begin(&f, arena);
    htp_tensor_id n = add("Shape", IN(floats("n")), NO_AT);
    htp_tensor_id by = VECTOR(4);
    htp_tensor_id zero = VECTOR(0);
    htp_tensor_id quotient = add("Div", IN(n, by), NO_AT);
    htp_tensor_id rest = add("Sub", IN(n, add("Mul", IN(quotient, by), NO_AT)), NO_AT);
    htp_tensor_id differ =
        add("Xor", IN(add("Less", IN(rest, zero), NO_AT), add("Less", IN(by, zero), NO_AT)), NO_AT);
    htp_tensor_id is_zero = add("Equal", IN(rest, zero), NO_AT);
    htp_tensor_id fix = add("And", IN(add("Not", IN(is_zero), NO_AT), differ), NO_AT);
    htp_tensor_id less = add("Cast", IN(fix), AT(INT("to", 7)));
    htp_tensor_id result = add("Sub", IN(quotient, less), NO_AT);
    CHECK_TYPE(add("Expand", IN(floats("1"), result), NO_AT), "float32[n//4]");
    htp_tensor_id below = add("Sub", IN(n, by), NO_AT);
    CHECK_TYPE(add("Expand", IN(floats("1"), add("Div", IN(below, by), NO_AT)), NO_AT),
               "float32[?]");
    htp_tensor_id truth = add("Cast", IN(by), AT(INT("to", 9)));
    CHECK_TYPE(add("Expand", IN(floats("1"), add("Cast", IN(truth), AT(INT("to", 7)))), NO_AT),
               "float32[?]");
}

/* ---- elementwise ---- */

UNIT_TEST(elementwise)
{
    fixture_begin(&f, arena);
    htp_tensor_id x = floats("batch, 1, 8");
    CHECK_TYPE(add("Relu", IN(x), NO_AT), "float32[batch, 1, 8]");
    CHECK_TYPE(add("Add", IN(x, floats("batch, 4, 1")), NO_AT), "float32[batch, 4, 8]");
    CHECK_TYPE(add("Add", IN(floats("8"), x), NO_AT), "float32[batch, 1, 8]");
    CHECK_TYPE(add("Mul", IN(x, floats("")), NO_AT), "float32[batch, 1, 8]");
    CHECK_TYPE(add("Pow", IN(x, ints("seq, 1")), NO_AT), "float32[batch, seq, 8]");
    CHECK_TYPE(add("Sub", IN(floats("n"), floats("5")), NO_AT), "float32[5]");
    CHECK_TYPE(add("Mul", IN(floats("n"), floats("0")), NO_AT), "float32[0]");
    CHECK_TYPE(add("Max", IN(floats("1"), floats("2, 1"), floats("n, 1, 1")), NO_AT),
               "float32[n, 2, 1]");
    CHECK_TYPE(add("Less", IN(x, x), NO_AT), "bool[batch, 1, 8]");
    CHECK_TYPE(add("IsNaN", IN(x), NO_AT), "bool[batch, 1, 8]");
    CHECK_TYPE(add("Cast", IN(x), AT(INT("to", 16))), "bfloat16[batch, 1, 8]");
    htp_tensor_id mask = input_of(HTP_DTYPE_BOOL, "4, 1");
    CHECK_TYPE(add("Where", IN(mask, x, floats("")), NO_AT), "float32[batch, 4, 8]");
    CHECK_TYPE(add("Not", IN(mask), NO_AT), "bool[4, 1]");
    CHECK_TYPE(add("RMSNormalization", IN(x, floats("8")), NO_AT), "float32[batch, 1, 8]");
}

/* ---- shapes ---- */

UNIT_TEST(shapes)
{
    fixture_begin(&f, arena);
    htp_tensor_id x = floats("batch, 1, 8");
    CHECK_TYPE(add("Shape", IN(x), NO_AT), "int64[3]");
    CHECK_TYPE(add("Shape", IN(x), AT(INT("start", -2), INT("end", 9))), "int64[2]");
    CHECK_TYPE(add("Shape", IN(x), AT(INT("start", 2), INT("end", 1))), "int64[0]");
    CHECK_TYPE(add("Size", IN(x), NO_AT), "int64[]");
    CHECK_TYPE(add("Transpose", IN(x), AT(INTS("perm", 2, 0, 1))), "float32[8, batch, 1]");
    CHECK_TYPE(add("Transpose", IN(x), NO_AT), "float32[8, 1, batch]");
    CHECK_TYPE(add("Squeeze", IN(x, VECTOR(-2)), NO_AT), "float32[batch, 8]");
    CHECK_TYPE(add("Squeeze", IN(floats("1, 4, 1")), NO_AT), "float32[4]");
    CHECK_TYPE(add("Unsqueeze", IN(x, VECTOR(0, -1)), NO_AT), "float32[1, batch, 1, 8, 1]");
    CHECK_TYPE(add("Unsqueeze", IN(floats("5"), ints("1")), NO_AT), "float32[?, ?]");
    CHECK_TYPE(add("Expand", IN(x, VECTOR(2, 1, 5, 1)), NO_AT), "float32[2, batch, 5, 8]");
    CHECK_TYPE(add("Expand", IN(x, ints("2")), NO_AT), "float32[batch, ?, 8]");
    CHECK_TYPE(add("Tile", IN(x, VECTOR(1, 3, 2)), NO_AT), "float32[batch, 3, 16]");
    CHECK_TYPE(add("Tile", IN(x, VECTOR(2, 1, 0)), NO_AT), "float32[batch*2, 1, 0]");
    CHECK_TYPE(add("Range", IN(scalar(1), scalar(8), scalar(3)), NO_AT), "int64[3]");
    CHECK_TYPE(add("Range", IN(scalar(8), scalar(1), scalar(3)), NO_AT), "int64[0]");
    CHECK_TYPE(add("Range", IN(scalar(8), scalar(1), scalar(-3)), NO_AT), "int64[3]");
    CHECK_TYPE(add("Range", IN(scalar(1), scalar(8), scalar(-3)), NO_AT), "int64[0]");
    CHECK_TYPE(add("Range", IN(scalar(1), scalar(8), scalar(0)), NO_AT), "int64[?]");
    CHECK_TYPE(add("Range", IN(floats(""), floats(""), floats("")), NO_AT), "float32[?]");
}

UNIT_TEST(reshape)
{
    fixture_begin(&f, arena);
    htp_tensor_id x = floats("batch, 6, 8");
    CHECK_TYPE(add("Reshape", IN(x, VECTOR(0, -1)), NO_AT), "float32[batch, 48]");
    CHECK_TYPE(add("Reshape", IN(x, VECTOR(-1, 48)), NO_AT), "float32[batch, 48]");
    CHECK_TYPE(add("Reshape", IN(x, VECTOR(-1, 8)), NO_AT), "float32[batch*6, 8]");
    CHECK_TYPE(add("Reshape", IN(x, VECTOR(2, 3, -1)), NO_AT), "float32[2, 3, batch*8]");
    CHECK_TYPE(add("Reshape", IN(floats("0, 5"), VECTOR(0, 5)), AT(INT("allowzero", 1))),
               "float32[0, 5]");
    CHECK_TYPE(add("Reshape", IN(floats("2, 5"), VECTOR(-1)), NO_AT), "float32[10]");
    CHECK_TYPE(add("Reshape", IN(floats("1"), vector(NULL, 0)), NO_AT), "float32[]");
    CHECK_TYPE(add("Reshape", IN(floats("0, 5"), VECTOR(-1, 0)), AT(INT("allowzero", 1))),
               "float32[?, 0]");
    CHECK_TYPE(add("Reshape", IN(x, ints("2")), NO_AT), "float32[?, ?]");
    CHECK_TYPE(
        add("Reshape", IN(floats("4611686018427387904, 4611686018427387904"), VECTOR(-1)), NO_AT),
        "float32[?]");
}

UNIT_TEST(shapes_are_followed)
{
    fixture_begin(&f, arena);
    htp_tensor_id x = floats("batch, seq, 8");
    htp_tensor_id shape = add("Shape", IN(x), NO_AT);
    CHECK_CONTENTS(shape, "float32[batch, seq, 8]");
    htp_tensor_id batch = add("Gather", IN(shape, scalar(0)), NO_AT);
    htp_tensor_id eight = add("Gather", IN(shape, VECTOR(-1)), NO_AT);
    htp_tensor_id seq = add("Shape", IN(x), AT(INT("start", 1), INT("end", 2)));
    htp_tensor_id batches = add("Unsqueeze", IN(batch, VECTOR(0)), NO_AT);
    CHECK_CONTENTS(eight, "float32[8]");
    htp_tensor_id joined = add("Concat", IN(batches, VECTOR(5), seq), AT(INT("axis", 0)));
    CHECK_CONTENTS(joined, "float32[batch, 5, seq]");
    CHECK_TYPE(add("Expand", IN(floats("5, 1"), joined), NO_AT), "float32[batch, 5, seq]");
    htp_tensor_id flipped =
        add("Slice", IN(joined, VECTOR(-1), VECTOR(INT64_MIN), VECTOR(0), VECTOR(-2)), NO_AT);
    CHECK_CONTENTS(flipped, "float32[seq, batch]");
    htp_tensor_id middle = add("Slice", IN(joined, VECTOR(1), VECTOR(2)), NO_AT);
    CHECK_CONTENTS(middle, "float32[5]");
    htp_tensor_id count = add("Squeeze", IN(seq, VECTOR(0)), NO_AT);
    CHECK_TYPE(add("Range", IN(scalar(0), count, scalar(1)), NO_AT), "int64[seq]");
    CHECK_TYPE(add("Range", IN(count, add("Neg", IN(count), NO_AT), scalar(-1)), NO_AT),
               "int64[seq*2]");
    CHECK_TYPE(add("Range", IN(scalar(1), count, scalar(1)), NO_AT), "int64[max(seq - 1, 0)]");
    CHECK_TYPE(
        add("Range", IN(scalar(0), add("Size", IN(floats("n, 1")), NO_AT), scalar(1)), NO_AT),
        "int64[n]");
    htp_tensor_id narrow = add("Cast", IN(joined), AT(INT("to", 6)));
    htp_tensor_id wide = add("Cast", IN(narrow), AT(INT("to", 7)));
    CHECK_CONTENTS(wide, "float32[?, ?, ?]");
}

/* -1 for a dim that stays, as other exporters write it. */
UNIT_TEST(shapes_with_holes)
{
    fixture_begin(&f, arena);
    htp_tensor_id shape = VECTOR(-1, 4);
    htp_tensor_id ones = add("ConstantOfShape", IN(VECTOR(2)),
                             AT(INT(HTP_INFER_VALUE_TYPE, 7), INTS(HTP_INFER_VALUE, 1)));
    htp_tensor_id holes = add("Mul", IN(ones, scalar(-1)), NO_AT);
    htp_tensor_id is_hole = add("Equal", IN(shape, holes), NO_AT);
    htp_tensor_id filled = add("Where", IN(is_hole, ones, shape), NO_AT);
    CHECK_TYPE(ones, "int64[2]");
    CHECK_TYPE(add("Expand", IN(floats("batch, 1"), filled), NO_AT), "float32[batch, 4]");
}

/* An input since opset 13. */
UNIT_TEST(attributes_of_earlier_opsets)
{
    fixture_begin(&f, arena);
    htp_tensor_id x = floats("batch, 1, 8");
    CHECK_TYPE(add("Unsqueeze", IN(x), AT(INTS("axes", 0, -1))), "float32[1, batch, 1, 8, 1]");
    CHECK_TYPE(add("Squeeze", IN(x), AT(INTS("axes", 1))), "float32[batch, 8]");
    add_many("Split", IN(x), AT(INT("axis", 2), INTS("split", 3, 5)), 2);
    htp_tensor_id second = outputs[1];
    CHECK_TYPE(second, "float32[batch, 1, 5]");
}

/* Whatever a node contains, nothing is read out of bounds. */
UNIT_TEST(nodes_that_are_not_valid)
{
    fixture_begin(&f, arena);
    htp_tensor_id x = floats("batch, 1, 8");
    htp_tensor_id none = vector(NULL, 0);
    CHECK_TYPE(add("OneHot", IN(x, none, VECTOR(0, 1)), NO_AT), "int64[batch, 1, 8, ?]");
    CHECK_TYPE(add("TopK", IN(x, none), NO_AT), "float32[batch, 1, ?]");
    CHECK_TYPE(add("ReduceMean", IN(x, VECTOR(0, 1, 2)), AT(INTS("axes", 0), INT("keepdims", 0))),
               "float32[]");
    CHECK_TYPE(add("Flatten", IN(x), AT(INT("axis", 4))), "none");
    CHECK_TYPE(add("Loop", IN(scalar(1), scalar(1), x), NO_AT), "none");
}

UNIT_TEST(arithmetic_of_shapes)
{
    fixture_begin(&f, arena);
    htp_tensor_id shape = add("Shape", IN(floats("n, 8")), NO_AT);
    CHECK_CONTENTS(add("Mul", IN(shape, VECTOR(1, 3)), NO_AT), "float32[n, 24]");
    CHECK_CONTENTS(add("Mul", IN(VECTOR(1), shape), NO_AT), "float32[n, 8]");
    CHECK_CONTENTS(add("Add", IN(VECTOR(0, 3), shape), NO_AT), "float32[n, 11]");
    CHECK_CONTENTS(add("Sub", IN(shape, VECTOR(0, 3)), NO_AT), "float32[n, 5]");
    CHECK_CONTENTS(add("Div", IN(shape, VECTOR(1, 3)), NO_AT), "float32[n, 2]");
    CHECK_CONTENTS(add("Max", IN(shape, VECTOR(0, 9)), NO_AT), "float32[n, 9]");
    CHECK_CONTENTS(add("Min", IN(shape, VECTOR(INT64_MAX, 3)), NO_AT), "float32[n, 3]");
    CHECK_CONTENTS(add("Mod", IN(VECTOR(8), VECTOR(3)), NO_AT), "float32[2]");
    htp_tensor_id product = add("ReduceProd", IN(VECTOR(2, 3, 4), VECTOR(0)), NO_AT);
    CHECK_CONTENTS(product, "float32[24]");
    /* A number and a symbol; unknown quotients; floor division; overflow. */
    htp_tensor_id n = add("Shape", IN(floats("n")), NO_AT);
    CHECK_TYPE(add("Expand", IN(floats("1"), add("Mul", IN(n, VECTOR(2)), NO_AT)), NO_AT),
               "float32[n*2]");
    CHECK_TYPE(add("Expand", IN(floats("1"), add("Div", IN(VECTOR(4), n), NO_AT)), NO_AT),
               "float32[?]");
    CHECK_TYPE(add("Expand", IN(floats("1"), add("Div", IN(VECTOR(4), VECTOR(0)), NO_AT)), NO_AT),
               "float32[?]");
    CHECK_TYPE(add("Expand", IN(floats("1"), add("Mod", IN(VECTOR(-4), VECTOR(3)), NO_AT)), NO_AT),
               "float32[2]");
    CHECK_TYPE(
        add("Expand", IN(floats("1"), add("Add", IN(VECTOR(INT64_MAX), VECTOR(1)), NO_AT)), NO_AT),
        "float32[?]");
}

UNIT_MAIN("infer", what_has_a_type_keeps_it, what_cannot_be_told_stays_untyped,
          unknown_dims_have_no_names, sizes_follow_from_operators, parts_add_up, floors_of_sizes,
          elementwise, shapes, reshape, shapes_are_followed, shapes_with_holes,
          attributes_of_earlier_opsets, nodes_that_are_not_valid, arithmetic_of_shapes)
