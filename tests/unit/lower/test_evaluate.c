/*
 * Operators on known tensors: which are computed, and which are declined.
 * tests/cases/exports/test_exported.py shows that the numbers equal libtorch's.
 */
#include "onnx_fixture.h"

#include "base/dtype.h"
#include "base/text.h"
#include "lower/evaluate/evaluate.h"

#include <inttypes.h>
#include <math.h>

static onnx_fixture f;

#define IN(...)                                                                                    \
    (const htp_tensor_id[]){__VA_ARGS__},                                                          \
        sizeof((const htp_tensor_id[]){__VA_ARGS__}) / sizeof(htp_tensor_id)
#define AT(...)                                                                                    \
    (const htp_attribute[]){__VA_ARGS__},                                                          \
        sizeof((const htp_attribute[]){__VA_ARGS__}) / sizeof(htp_attribute)
#define NO_AT NULL, 0
#define INT(name, value) htp_attribute_int(name, value)
#define INTS(...)                                                                                  \
    of_ints((const int64_t[]){__VA_ARGS__},                                                        \
            sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t))

static htp_tensor_id of_ints(const int64_t *values, size_t count)
{
    const int64_t dims[] = {(int64_t)count};
    return htp_builder_constant(f.model, HTP_DTYPE_INT64, 1, dims, values);
}

static htp_tensor_id number(int64_t value)
{
    return htp_builder_constant(f.model, HTP_DTYPE_INT64, 0, NULL, &value);
}

static htp_tensor_id matrix(int64_t rows, int64_t columns)
{
    int64_t values[64];
    const int64_t dims[] = {rows, columns};
    for (int64_t i = 0; i < rows * columns; i++) {
        values[i] = i;
    }
    return htp_builder_constant(f.model, HTP_DTYPE_INT64, 2, dims, values);
}

static htp_tensor_id zeroes(int64_t rows, int64_t columns)
{
    const int64_t dims[] = {rows, columns};
    const float *values = HTP_NEW_ARRAY(f.arena, float, (size_t)(rows * columns));
    return htp_builder_constant(f.model, HTP_DTYPE_FLOAT32, 2, dims, values);
}

static htp_tensor_id column(const int64_t *values, int64_t rows)
{
    const int64_t dims[] = {rows, 1};
    return htp_builder_constant(f.model, HTP_DTYPE_INT64, 2, dims, values);
}

static htp_tensor_id floats(float a, float b)
{
    const int64_t dims[] = {2};
    const float values[] = {a, b};
    return htp_builder_constant(f.model, HTP_DTYPE_FLOAT32, 1, dims, values);
}

/* Results as text, "2x2 0 1 2 3", with "|" before further outputs; "-" if declined. */
static const char *evaluate(const char *op, const htp_tensor_id *inputs, size_t input_count,
                            const htp_attribute *attributes, size_t attribute_count,
                            size_t output_count, uint64_t most)
{
    htp_tensor_id outputs[3];
    htp_evaluator_limit limit;
    htp_builder_add_node(f.model, op, inputs, input_count, attributes, attribute_count, outputs,
                         output_count);
    htp_evaluator *evaluator = htp_evaluator_new(f.model);
    const htp_onnx_node *node = &f.model->nodes.items[f.model->nodes.count - 1];
    if (!htp_evaluate(evaluator, node, most, &limit)) {
        for (size_t i = 0; i < output_count; i++) {
            ck_assert_ptr_null(htp_evaluator_find(evaluator, outputs[i]));
        }
        return limit.bytes > 0 ? "too large" : limit.is_work ? "too much" : "-";
    }
    htp_text text = {.arena = f.arena};
    for (size_t k = 0; k < output_count; k++) {
        const htp_known *y = htp_evaluator_find(evaluator, outputs[k]);
        htp_text_add(&text, k > 0 ? " | " : "");
        for (uint32_t i = 0; i < y->rank; i++) {
            htp_text_addf(&text, "%s%" PRId64, i > 0 ? "x" : "", y->dims[i]);
        }
        size_t size = htp_dtype_size(y->dtype);
        for (uint64_t i = 0; i < y->bytes / size; i++) {
            int64_t wide = 0;
            float single = 0;
            memcpy(htp_dtype_is_float(y->dtype) ? (void *)&single : (void *)&wide,
                   (const char *)y->data + i * size, size);
            htp_text_addf(&text, " %g",
                          htp_dtype_is_float(y->dtype) ? (double)single : (double)wide);
        }
    }
    return htp_text_string(&text);
}

static void check(int line, const char *given, const char *expected)
{
    if (strcmp(given, expected) != 0) {
        ck_abort_msg("line %d: %s, not %s", line, given, expected);
    }
}

#define CHECK(expected, op, ...) CHECK_MANY(1, expected, op, __VA_ARGS__)
#define CHECK_MANY(count, expected, op, ...)                                                       \
    check(__LINE__, evaluate(op, __VA_ARGS__, count, HTP_EVALUATE_MAX_BYTES), expected)

UNIT_TEST(integers_that_overflow_are_declined)
{
    fixture_begin(&f, arena);
    htp_tensor_id most = number(INT64_MAX);
    htp_tensor_id least = number(INT64_MIN);
    CHECK("-", "Add", IN(most, number(1)), NO_AT);
    CHECK("-", "Sub", IN(least, number(1)), NO_AT);
    CHECK("-", "Mul", IN(most, number(2)), NO_AT);
    CHECK("-", "Neg", IN(least), NO_AT);
    CHECK("-", "Abs", IN(least), NO_AT);
    CHECK("-", "Div", IN(least, number(-1)), NO_AT);
    CHECK("-", "ReduceSum", IN(INTS(INT64_MAX, 1)), NO_AT);
    CHECK("-", "ReduceProd", IN(INTS(INT64_MAX, 2)), NO_AT);
    CHECK("-", "CumSum", IN(INTS(INT64_MAX, 1), number(0)), NO_AT);
    CHECK("-", "Cast", IN(INTS(3000000000)), AT(INT("to", 6)));
    CHECK("-", "Range", IN(least, most, number(1)), NO_AT);
}

UNIT_TEST(quotients)
{
    fixture_begin(&f, arena);
    htp_tensor_id x = INTS(7, -7);
    CHECK("2 2 -2", "Div", IN(x, number(3)), NO_AT);
    CHECK("2 1 2", "Mod", IN(x, number(3)), NO_AT);
    CHECK("2 1 -1", "Mod", IN(x, number(3)), AT(INT("fmod", 1)));
    CHECK("-", "Div", IN(x, number(0)), NO_AT);
    CHECK("-", "Mod", IN(x, number(0)), NO_AT);
    CHECK("-", "Mod", IN(x, number(-3)), NO_AT);
}

UNIT_TEST(shapes_that_do_not_fit)
{
    fixture_begin(&f, arena);
    htp_tensor_id x = matrix(2, 3);
    CHECK("-", "Add", IN(x, INTS(1, 2)), NO_AT);
    CHECK("-", "Add", IN(x, floats(1, 2)), NO_AT);
    CHECK("-", "Pow", IN(floats(1, 2), HTP_NONE), NO_AT);
    CHECK("-", "Add", IN(x), NO_AT);
    CHECK("-", "Not", IN(x, x), NO_AT);
    CHECK("-", "Reshape", IN(x, INTS(4, -1)), NO_AT);
    CHECK("-", "Reshape", IN(x, INTS(-1, -1)), NO_AT);
    CHECK("-", "Reshape", IN(x, INTS(6, 1, 0)), NO_AT);
    CHECK("-", "Expand", IN(x, INTS(4, 3)), NO_AT);
    CHECK("-", "Gather", IN(x, INTS(2)), NO_AT);
    CHECK("-", "GatherElements", IN(x, matrix(1, 3)), AT(INT("axis", 2)));
    CHECK("-", "GatherND", IN(x, INTS(2)), NO_AT);
    CHECK("-", "GatherND", IN(x, INTS(0, 0, 0)), NO_AT);
    CHECK("-", "GatherND", IN(x, matrix(2, 1)), AT(INT("batch_dims", 2)));
    CHECK("-", "GatherND", IN(x, matrix(0, 1)), NO_AT);
    CHECK("-", "ScatterND", IN(x, INTS(1), INTS(7)), NO_AT);
    CHECK("-", "ScatterND", IN(x, INTS(1, 3), number(7)), NO_AT);
    CHECK("-", "ScatterND", IN(x, INTS(1, 2), number(7)),
          AT(htp_attribute_string("reduction", "add")));
    CHECK("-", "Concat", IN(x, INTS(2)), AT(INT("axis", 0)));
    CHECK("-", "Transpose", IN(x), AT(htp_attribute_ints("perm", (int64_t[]){0, 0}, 2)));
    CHECK("-", "Squeeze", IN(x, INTS(0, 0)), NO_AT);
    CHECK("-", "Slice", IN(x, INTS(0), INTS(1), INTS(5)), NO_AT);
    CHECK("-", "Slice", IN(x, INTS(0), INTS(1), INTS(0), INTS(0)), NO_AT);
    CHECK("-", "Tile", IN(x, INTS(2)), NO_AT);
    CHECK("-", "Tile", IN(x, INTS(-1, 2)), NO_AT);
    CHECK("-", "Range", IN(number(0), number(3), number(0)), NO_AT);
    CHECK("-", "MatMul", IN(floats(1, 2), INTS(1, 2)), NO_AT);
    CHECK_MANY(2, "-", "Split", IN(x, INTS(1, 3)), AT(INT("axis", 1)));
    CHECK("-", "Conv", IN(x, x), NO_AT);
}

UNIT_TEST(parts_of_tensors)
{
    fixture_begin(&f, arena);
    htp_tensor_id x = matrix(2, 3);
    CHECK("2x2 2 1 5 4", "Slice", IN(x, INTS(-1), INTS(-3), INTS(1), INTS(-1)), NO_AT);
    CHECK("2x3 2 1 0 5 4 3", "Slice", IN(x, INTS(INT64_MAX), INTS(INT64_MIN), INTS(1), INTS(-1)),
          NO_AT);
    CHECK("0x3", "Slice", IN(x, INTS(2), INTS(9)), NO_AT);
    CHECK("2x2 2 0 5 3", "Gather", IN(x, INTS(-1, 0)), AT(INT("axis", 1)));
    CHECK_MANY(2, "2x2 0 1 3 4 | 2x1 2 5", "Split", IN(x), AT(INT("axis", 1)));
    CHECK("1x3 3 1 5", "GatherElements",
          IN(x, htp_builder_constant(f.model, HTP_DTYPE_INT64, 2, (int64_t[]){1, 3},
                                     (int64_t[]){1, 0, -1})),
          AT(INT("axis", 0)));
    CHECK("1x3 3 4 5", "GatherND", IN(x, column((int64_t[]){-1}, 1)), NO_AT);
    CHECK(" 5", "GatherND", IN(x, INTS(-1, 2)), NO_AT);
    CHECK("2 2 3", "GatherND", IN(x, column((int64_t[]){2, 0}, 2)), AT(INT("batch_dims", 1)));
    CHECK("2x3 0 1 2 7 8 9", "ScatterND", IN(x, INTS(1), INTS(7, 8, 9)), NO_AT);
    CHECK("2x3 0 1 7 3 4 5", "ScatterND", IN(x, INTS(0, -1), number(7)),
          AT(htp_attribute_string("reduction", "none")));
    CHECK("3x2 0 3 1 4 2 5", "Transpose", IN(x), NO_AT);
    CHECK("2x3 0 0 0 3 0 0", "Trilu", IN(x, number(-1)), AT(INT("upper", 0)));
    CHECK("2x3 0 1 2 0 4 5", "Trilu", IN(x), NO_AT);
    CHECK("2x3 0 1 2 3 5 7", "CumSum", IN(x, number(-2)), NO_AT);
    CHECK("2x3 0 1 3 3 7 12", "CumSum", IN(x, number(1)), NO_AT);
    CHECK("2 4 0", "BitwiseAnd", IN(INTS(5, 2), INTS(6, 4)), NO_AT);
    CHECK("2 7 -1", "BitwiseOr", IN(INTS(5, -2), INTS(6, 1)), NO_AT);
    CHECK("2 3 6", "BitwiseXor", IN(INTS(5, 2), INTS(6, 4)), NO_AT);
    CHECK("3 0 0 7", "Pad", IN(INTS(7), INTS(2, 0)), NO_AT);
    CHECK(
        "2x2 1 1 2 2", "Expand",
        IN(htp_builder_constant(f.model, HTP_DTYPE_INT64, 2, (int64_t[]){2, 1}, (int64_t[]){1, 2}),
           INTS(1, 2)),
        NO_AT);
    CHECK("2x6 0 1 2 0 1 2 3 4 5 3 4 5", "Tile", IN(x, INTS(1, 2)), NO_AT);
    CHECK("1 3", "Shape", IN(x), AT(INT("start", 1)));
    CHECK("3 5 3 1", "Range", IN(number(5), number(0), number(-2)), NO_AT);
    CHECK("2 3 12", "ReduceSum", IN(x, INTS(1)), AT(INT("keepdims", 0)));
    CHECK("1x3 3 4 5", "ReduceMax", IN(x, INTS(-2)), NO_AT);
}

/* Sums whose intermediate results would overflow or underflow in libtorch stay in the graph; so do
 * NaN, and numbers out of an integer type's range. */
UNIT_TEST(floating_point)
{
    fixture_begin(&f, arena);
    CHECK("2 3 0.5", "Div", IN(floats(6, 1), floats(2, 2)), NO_AT);
    CHECK("2 inf -inf", "Div", IN(floats(6, -1), floats(0, 0)), NO_AT);
    CHECK("1 5", "ReduceL2", IN(floats(3, 4)), NO_AT);
    CHECK("-", "ReduceL2", IN(floats(1e30F, 4)), NO_AT);
    CHECK("-", "ReduceL2", IN(floats(1e-30F, 0)), NO_AT);
    CHECK("-", "ReduceSum", IN(floats(3e38F, -3e38F)), NO_AT);
    CHECK("-", "ReduceMax", IN(floats(NAN, 1)), NO_AT);
    CHECK("2 nan 1", "Max", IN(floats(NAN, 1), floats(0, 0)), NO_AT);
    CHECK("2 2 -2", "Cast", IN(floats(2.7F, -2.7F)), AT(INT("to", 7)));
    CHECK("-", "Cast", IN(floats(1e19F, 0)), AT(INT("to", 7)));
    CHECK("-", "Cast", IN(floats(NAN, 0)), AT(INT("to", 7)));
    CHECK("-", "Cast", IN(number((INT64_C(1) << 53) + 1)), AT(INT("to", 1)));
    CHECK(" 11", "MatMul", IN(floats(1, 2), floats(3, 4)), NO_AT);
    CHECK("-", "And", IN(floats(1, 2), floats(3, 4)), NO_AT);
    CHECK("2 1 -1", "CumSum", IN(floats(1, -2), number(0)), NO_AT);
}

/* Half precision is rounded by each operator, so its functions and sums are left to libtorch. */
UNIT_TEST(narrow_numbers)
{
    static const uint16_t halves[] = {0x3c00, 0x4000};
    const int64_t dims[] = {2};
    fixture_begin(&f, arena);
    htp_tensor_id x = htp_builder_constant(f.model, HTP_DTYPE_FLOAT16, 1, dims, halves);
    CHECK("-", "Exp", IN(x), NO_AT);
    CHECK("-", "ReduceSum", IN(x), NO_AT);
    CHECK("-", "MatMul", IN(x, x), NO_AT);
    CHECK("2 1 2", "Cast", IN(x), AT(INT("to", 1)));
}

UNIT_TEST(results_have_limits)
{
    fixture_begin(&f, arena);
    htp_tensor_id large = INTS(INT64_C(1) << 20, 1024);
    htp_tensor_id huge = INTS(INT64_C(1) << 40, INT64_C(1) << 40);
    CHECK("too large", "Expand", IN(number(0), large), NO_AT);
    CHECK("-", "Expand", IN(number(0), huge), NO_AT);
    CHECK("too large", "Range", IN(number(0), number(INT64_C(1) << 40), number(1)), NO_AT);
    htp_tensor_id wide = zeroes(4096, 512);
    CHECK("too much", "MatMul", IN(wide, zeroes(512, 4096)), NO_AT);
    const char *small = evaluate("Expand", IN(number(0), INTS(9)), NO_AT, 1, 64);
    ck_assert_str_eq(small, "too large");
    CHECK("0x5", "Expand", IN(number(0), INTS(0, 5)), NO_AT);
}

/* Released contents can be read again; a tensor that is no constant is unknown. */
UNIT_TEST(operands)
{
    fixture_begin(&f, arena);
    htp_dim dim = {.size = 2};
    htp_tensor_id given = htp_builder_add_input(f.model, "x", HTP_DTYPE_INT64, 1, &dim);
    htp_tensor_id x = INTS(1, 2);
    CHECK("-", "Add", IN(given, x), NO_AT);
    htp_evaluator *evaluator = htp_evaluator_new(f.model);
    ck_assert_ptr_nonnull(htp_evaluator_find(evaluator, x));
    htp_evaluator_forget(evaluator, x);
    ck_assert_ptr_nonnull(htp_evaluator_find(evaluator, x));
    ck_assert_ptr_null(htp_evaluator_find(evaluator, given));
    ck_assert_ptr_null(htp_evaluator_find(evaluator, HTP_NONE));
}

UNIT_MAIN("evaluate", integers_that_overflow_are_declined, quotients, shapes_that_do_not_fit,
          parts_of_tensors, floating_point, narrow_numbers, results_have_limits, operands)
