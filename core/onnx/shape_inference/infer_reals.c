/*
 * Contents of small tensors of floats in shape computations, such as ceil(height / 2). Only numbers
 * are followed: dims that are formulas become none.
 */
#include "base/text.h"
#include "onnx/shape_inference/infer_rule.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- operators ---- */

static double same(double x)
{
    return x;
}

static double negate(double x)
{
    return -x;
}

static double add(double a, double b)
{
    return a + b;
}

static double subtract(double a, double b)
{
    return a - b;
}

static double multiply(double a, double b)
{
    return a * b;
}

static double divide(double a, double b)
{
    return a / b;
}

/* As in NumPy, what is no number stays none. */
static double larger(double a, double b)
{
    return isnan(a) || isnan(b) ? (double)NAN : fmax(a, b);
}

static double smaller(double a, double b)
{
    return isnan(a) || isnan(b) ? (double)NAN : fmin(a, b);
}

/* Sorted by operator. Of one operand, or of two. */
static const struct real_rule {
    const char *op;
    double (*one)(double x);
    double (*two)(double a, double b);
} real_rules[] = {
    {"Add", NULL, add},        {"Cast", same, NULL},    {"Ceil", ceil, NULL},
    {"Div", NULL, divide},     {"Floor", floor, NULL},  {"Identity", same, NULL},
    {"Max", NULL, larger},     {"Min", NULL, smaller},  {"Mul", NULL, multiply},
    {"Neg", negate, NULL},     {"Reshape", same, NULL}, {"Round", rint, NULL},
    {"Sqrt", sqrt, NULL},      {"Squeeze", same, NULL}, {"Sub", NULL, subtract},
    {"Unsqueeze", same, NULL},
};

static const struct real_rule *find_rule(const char *op)
{
    return bsearch(op, real_rules, sizeof(real_rules) / sizeof(real_rules[0]),
                   sizeof(real_rules[0]), htp_row_compare);
}

/* ---- operands ---- */

static bool is_real(htp_dtype dtype)
{
    return dtype == HTP_DTYPE_FLOAT32 || dtype == HTP_DTYPE_FLOAT64;
}

static double rounded(double number, htp_dtype dtype)
{
    return dtype == HTP_DTYPE_FLOAT32 ? (double)(float)number : number;
}

/* An element of an operand; a single one stands for all. @return false if it is unknown */
static bool operand(const htp_infer *infer, uint32_t index, size_t at, double *number)
{
    size_t length;
    int64_t whole;
    if (!htp_infer_has_input(infer, index) || !htp_infer_length(infer, index, &length)) {
        return false;
    }
    at = length == 1 ? 0 : at;
    const double *reals = infer->reals[infer->node->inputs[index]];
    if (reals && at < length) {
        *number = reals[at];
        return true;
    }
    bool is_known = htp_infer_number(htp_infer_element(infer, index, at), &whole);
    *number = is_known ? (double)whole : 0;
    return is_known;
}

static bool compute(const htp_infer *infer, const struct real_rule *rule, size_t at, double *number)
{
    double a;
    double b;
    if (rule->one) {
        bool is_known = operand(infer, 0, at, &a);
        *number = is_known ? rule->one(a) : 0;
        return is_known;
    }
    bool are_known =
        infer->node->input_count == 2 && operand(infer, 0, at, &a) && operand(infer, 1, at, &b);
    *number = are_known ? rule->two(a, b) : 0;
    return are_known;
}

void htp_infer_note_reals(htp_infer *infer)
{
    const htp_tensor_id output = infer->node->outputs[0];
    const htp_tensor *tensor = &infer->model->tensors.items[output];
    size_t length;
    if (!tensor->has_type || !is_real(tensor->dtype) || !htp_infer_short(tensor, &length)) {
        return;
    }
    const struct real_rule *rule = find_rule(infer->node->op_type);
    double numbers[HTP_INFER_MAX_ELEMENTS];
    for (size_t i = 0; i < length; i++) {
        if (!rule || !compute(infer, rule, i, &numbers[i])) {
            return;
        }
        numbers[i] = rounded(numbers[i], tensor->dtype);
    }
    infer->reals[output] =
        htp_arena_grow(infer->arena, numbers, length, length + 1, sizeof(numbers[0]));
}

void htp_infer_read_reals(htp_infer *infer, htp_tensor_id tensor, const void *data)
{
    const htp_tensor *read = &infer->model->tensors.items[tensor];
    size_t length;
    if (!is_real(read->dtype) || !htp_infer_short(read, &length)) {
        return;
    }
    double *numbers = HTP_NEW_ARRAY(infer->arena, double, length + 1);
    for (size_t i = 0; i < length; i++) {
        float single;
        if (read->dtype == HTP_DTYPE_FLOAT64) {
            memcpy(&numbers[i], (const char *)data + i * sizeof(double), sizeof(double));
        } else {
            memcpy(&single, (const char *)data + i * sizeof(single), sizeof(single));
            numbers[i] = (double)single;
        }
    }
    infer->reals[tensor] = numbers;
}

bool htp_infer_truncated(const htp_infer *infer, uint32_t index, size_t at, int64_t *number)
{
    static const double most = 4611686018427387904.0; /* 2^62 */
    double real;
    bool is_known = htp_infer_has_input(infer, index) && infer->reals[infer->node->inputs[index]] &&
                    operand(infer, index, at, &real) && fabs(real) <= most;
    *number = is_known ? (int64_t)real : 0;
    return is_known;
}
