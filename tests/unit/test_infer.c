/*
 * Types of tensors between nodes: rules of operators, contents of shapes, and what stays untyped.
 */
#include "onnx_fixture.h"

#include "base/dtype.h"
#include "base/text.h"
#include "onnx/infer.h"
#include "onnx/infer_rule.h"

#include <inttypes.h>
#include <string.h>

static onnx_fixture f;

#define IN(...)                                                                                    \
    (const htp_tensor_id[]){__VA_ARGS__},                                                          \
        sizeof((const htp_tensor_id[]){__VA_ARGS__}) / sizeof(htp_tensor_id)
#define AT(...)                                                                                    \
    (const htp_attribute[]){__VA_ARGS__},                                                          \
        sizeof((const htp_attribute[]){__VA_ARGS__}) / sizeof(htp_attribute)
#define NO_AT NULL, 0
#define INTS(name, ...)                                                                            \
    htp_attribute_ints(name, (const int64_t[]){__VA_ARGS__},                                       \
                       sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t))
#define INT(name, value) htp_attribute_int(name, value)

/* The most outputs of a node here. */
enum { OUTPUTS = 3 };

/* ---- building ---- */

/* An input of the model. @p shape is as in a type's text: "batch, 8", or "". */
static htp_tensor_id input_of(htp_dtype dtype, const char *shape)
{
    htp_dim dims[8] = {{0}};
    uint32_t rank = 0;
    char *rest = htp_arena_strdup(f.arena, shape);
    for (char *part = strtok_r(rest, ", ", &rest); part; part = strtok_r(NULL, ", ", &rest)) {
        bool is_number = *part >= '0' && *part <= '9';
        dims[rank].size = is_number ? strtoll(part, NULL, 10) : 3;
        dims[rank++].symbol = is_number ? NULL : part;
    }
    return htp_draft_add_input(f.model, "x", dtype, rank, dims);
}

static htp_tensor_id floats(const char *shape)
{
    return input_of(HTP_DTYPE_FLOAT32, shape);
}

static htp_tensor_id ints(const char *shape)
{
    return input_of(HTP_DTYPE_INT64, shape);
}

static htp_tensor_id vector(const int64_t *values, size_t count)
{
    const int64_t dims[] = {(int64_t)count};
    return htp_draft_constant(f.model, HTP_DTYPE_INT64, 1, dims, values);
}

#define VECTOR(...)                                                                                \
    vector((const int64_t[]){__VA_ARGS__}, sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t))

static htp_tensor_id scalar(int64_t value)
{
    return htp_draft_constant(f.model, HTP_DTYPE_INT64, 0, NULL, &value);
}

static htp_tensor_id outputs[OUTPUTS];

static htp_tensor_id add_many(const char *op, const htp_tensor_id *inputs, size_t input_count,
                              const htp_attribute *attributes, size_t attribute_count,
                              size_t output_count)
{
    htp_draft_add_node(f.model, op, inputs, input_count, attributes, attribute_count, outputs,
                       output_count);
    return outputs[0];
}

static htp_tensor_id add(const char *op, const htp_tensor_id *inputs, size_t input_count,
                         const htp_attribute *attributes, size_t attribute_count)
{
    return add_many(op, inputs, input_count, attributes, attribute_count, 1);
}

/* ---- looking ---- */

/* "float32[batch, 8]", or "none"; a dim that could not be told is "?". */
static const char *type_of(htp_tensor_id id)
{
    htp_draft_infer_types(f.model);
    const htp_tensor *tensor = &f.model->tensors.items[id];
    if (!tensor->has_type) {
        return "none";
    }
    htp_text text = {.arena = f.arena};
    htp_text_addf(&text, "%s[", htp_dtype_name(tensor->dtype));
    for (uint32_t i = 0; i < tensor->rank; i++) {
        htp_text_add(&text, i > 0 ? ", " : "");
        const char *symbol = tensor->dims[i].symbol;
        if (symbol) {
            htp_text_add(&text, *symbol ? symbol : "?");
        } else {
            htp_text_addf(&text, "%" PRId64, tensor->dims[i].size);
        }
    }
    htp_text_add(&text, "]");
    return htp_text_string(&text);
}

static void check_type(int line, const char *type, const char *expected)
{
    if (strcmp(type, expected) != 0) {
        ck_abort_msg("line %d: %s, not %s", line, type, expected);
    }
}

#define CHECK_TYPE(id, expected) check_type(__LINE__, type_of(id), expected)

/* The contents of @p shape, as what a tensor is reshaped to. */
#define CHECK_CONTENTS(shape, expected)                                                            \
    CHECK_TYPE(add("Reshape", IN(floats("other, 24"), shape), NO_AT), expected)

/* ---- the walk ---- */

UNIT_TEST(what_has_a_type_keeps_it)
{
    static const htp_dim dims[] = {{.size = 7}};
    fixture_begin(&f, arena);
    htp_tensor_id y = add("Relu", IN(floats("batch, 8")), NO_AT);
    htp_draft_set_type(f.model, y, HTP_DTYPE_FLOAT64, 1, dims);
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
    CHECK_TYPE(add("Softmax", IN(HTP_TENSOR_NONE), NO_AT), "none");
    CHECK_TYPE(add("Transpose", IN(x), AT(INTS("perm", 0, 2))), "none");
    CHECK_TYPE(add("Gather", IN(x, scalar(0)), AT(INT("axis", 2))), "none");
    CHECK_TYPE(add("ReduceSum", IN(x, VECTOR(-3)), NO_AT), "none");
    CHECK_TYPE(add("Cast", IN(x), AT(INT("to", 8))), "none"); /* strings */
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

/* What rolls, and what is padded to windows: the parts of an axis add up to it. */
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

/* Integers are divided with a correction for what is below 0, which no size is. */
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

/* What is an input since opset 13. */
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

/* Whatever a node holds, nothing is read that is not there. */
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
    /* A number and a symbol; quotients that are not told; what is rounded down; overflow. */
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
    CHECK_TYPE(add("Pad", IN(x, VECTOR(0, 0), scalar(0), VECTOR(0)), NO_AT), "float32[?, ?]");
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
               "float32[1, 1, ?]"); /* a window behind the end: runtimes differ */
    CHECK_TYPE(add("GlobalAveragePool", IN(x), NO_AT), "float32[batch, 4, 1, 1]");
}

UNIT_TEST(resolution)
{
    static const float scales[] = {1, 1, 2.5F, 1};
    static const int64_t four[] = {4};
    fixture_begin(&f, arena);
    htp_tensor_id x = floats("batch, 12, 9, n");
    htp_tensor_id none = HTP_TENSOR_NONE;
    htp_tensor_id factors = htp_draft_constant(f.model, HTP_DTYPE_FLOAT32, 1, four, scales);
    CHECK_TYPE(add("Resize", IN(x, none, factors), NO_AT), "float32[batch, 12, 22, n]");
    CHECK_TYPE(add("Resize", IN(x, none, none, VECTOR(2, 12, 5, 6)), NO_AT),
               "float32[2, 12, 5, 6]");
    CHECK_TYPE(add("DepthToSpace", IN(x), AT(INT("blocksize", 2))), "float32[batch, 3, 18, n*2]");
    CHECK_TYPE(add("SpaceToDepth", IN(floats("1, 2, 6, 9")), AT(INT("blocksize", 3))),
               "float32[1, 18, 2, 3]");
}

UNIT_MAIN("infer", what_has_a_type_keeps_it, what_cannot_be_told_stays_untyped,
          unknown_dims_have_no_names, sizes_follow_from_operators, parts_add_up, floors_of_sizes,
          elementwise, shapes, reshape, shapes_are_followed, shapes_with_holes,
          attributes_of_earlier_opsets, nodes_that_are_not_valid, arithmetic_of_shapes,
          concatenation_and_splitting, slices, gathering, reductions, products, convolutions,
          pooling, resolution)
