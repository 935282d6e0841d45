/*
 * Evaluates formulas. Integers and ratios are exact, or unknown on overflow; real numbers are
 * Python's. Unknown operands give unknown results, except for the side of a choice that is not
 * taken.
 */
#include "exported/expression/expression.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- numbers ---- */

typedef htp_exported_number number;

/* Holds products of two 64-bit integers, and sums of these. */
__extension__ typedef __int128 wide;

static const number unknown = {.kind = HTP_EXPORTED_UNKNOWN};

static number truth_of(bool truth)
{
    return (number){.kind = HTP_EXPORTED_TRUTH, .whole = truth, .over = 1};
}

static number real_of(double real)
{
    return isfinite(real) ? (number){.kind = HTP_EXPORTED_REAL, .real = real} : unknown;
}

static wide magnitude(wide value)
{
    return value < 0 ? -value : value;
}

static number ratio_of(wide whole, wide over)
{
    if (over == 0) {
        return unknown;
    }
    wide a = magnitude(whole);
    wide b = magnitude(over);
    while (b != 0) {
        wide rest = a % b;
        a = b;
        b = rest;
    }
    whole /= over < 0 ? -a : a;
    over = magnitude(over) / a;
    bool fits = magnitude(whole) <= INT64_MAX && over <= INT64_MAX;
    return fits ? (number){HTP_EXPORTED_RATIO, (int64_t)whole, (int64_t)over, 0} : unknown;
}

static number integer_of(double real)
{
    return real > -0x1p63 && real < 0x1p63 ? htp_exported_integer((int64_t)real) : unknown;
}

/* The nearest double; unknown for a ratio of integers that are not exact as doubles. */
static bool to_real(const number *n, double *real)
{
    const int64_t exact = INT64_C(1) << 53;
    bool is_exact = n->over == 1 || (n->over <= exact && llabs(n->whole) <= exact);
    *real = n->kind == HTP_EXPORTED_REAL ? n->real : (double)n->whole / (double)n->over;
    return n->kind == HTP_EXPORTED_REAL || is_exact;
}

/* Bools count as 0 and 1. */
static number counted(number n)
{
    return n.kind == HTP_EXPORTED_TRUTH ? htp_exported_integer(n.whole) : n;
}

/* ---- operations on exact numbers ---- */

static number add(const number *a, const number *b)
{
    return ratio_of((wide)a->whole * b->over + (wide)b->whole * a->over, (wide)a->over * b->over);
}

static number subtract(const number *a, const number *b)
{
    const number negative = {b->kind, -b->whole, b->over, 0};
    return add(a, &negative);
}

static number multiply(const number *a, const number *b)
{
    return ratio_of((wide)a->whole * b->whole, (wide)a->over * b->over);
}

static number power(const number *a, const number *b)
{
    number result = htp_exported_integer(1);
    bool is_unit = a->over == 1 && a->whole >= -1 && a->whole <= 1;
    int64_t times = is_unit ? 2 - (b->whole & 1) : llabs(b->whole);
    if (b->over != 1 || times > 63) {
        return unknown;
    }
    times = b->whole == 0 ? 0 : times;
    for (int64_t i = 0; i < times && result.kind; i++) {
        result = multiply(&result, a);
    }
    return b->whole < 0 && result.kind ? ratio_of(result.over, result.whole) : result;
}

static number divide_down(const number *a, const number *b)
{
    wide above = (wide)a->whole * b->over;
    wide below = (wide)b->whole * a->over;
    if (below == 0) {
        return unknown;
    }
    wide quotient = above / below;
    bool is_inexact = above % below != 0;
    return ratio_of(quotient - (is_inexact && (above < 0) != (below < 0)), 1);
}

static number divide_up(const number *a, const number *b)
{
    const number negative = {a->kind, -a->whole, a->over, 0};
    number down = divide_down(&negative, b);
    down.whole = -down.whole;
    return down;
}

static number remainder_of(const number *a, const number *b)
{
    const number quotient = divide_down(a, b);
    const number whole = multiply(&quotient, b);
    return quotient.kind && whole.kind ? subtract(a, &whole) : unknown;
}

static number shift(const number *a, int64_t by)
{
    bool fits = a->over == 1 && by > -63 && by < 63;
    const number step = htp_exported_integer(INT64_C(1) << (fits ? llabs(by) : 0));
    return !fits ? unknown : by < 0 ? divide_down(a, &step) : multiply(a, &step);
}

static number shift_left(const number *a, const number *b)
{
    return b->over == 1 && b->whole >= 0 ? shift(a, b->whole) : unknown;
}

static number shift_right(const number *a, const number *b)
{
    return b->over == 1 && b->whole >= 0 ? shift(a, -b->whole) : unknown;
}

/* ---- operations on real numbers ---- */

static double real_add(double a, double b)
{
    return a + b;
}

static double real_subtract(double a, double b)
{
    return a - b;
}

static double real_multiply(double a, double b)
{
    return a * b;
}

static double real_divide(double a, double b)
{
    return a / b;
}

/* As in Python: with the sign of the divisor. */
static double real_remainder(double a, double b)
{
    double rest = fmod(a, b);
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

static double real_divide_down(double a, double b)
{
    double quotient = (a - real_remainder(a, b)) / b;
    return floor(quotient + 0.5);
}

/* Binary operations other than comparisons. Some have no exact form (NULL). */
struct arithmetic {
    number (*exact)(const number *a, const number *b);
    double (*real)(double a, double b);
};

static const struct arithmetic arithmetics[HTP_EXPORTED_OPERATIONS] = {
    [HTP_EXPORTED_ADD] = {add, real_add},
    [HTP_EXPORTED_SUBTRACT] = {subtract, real_subtract},
    [HTP_EXPORTED_MULTIPLY] = {multiply, real_multiply},
    [HTP_EXPORTED_POWER] = {power, pow},
    [HTP_EXPORTED_REAL_POWER] = {NULL, pow},
    [HTP_EXPORTED_FLOOR_DIVIDE] = {divide_down, real_divide_down},
    [HTP_EXPORTED_CEIL_DIVIDE] = {divide_up, NULL},
    [HTP_EXPORTED_REMAINDER] = {remainder_of, real_remainder},
    [HTP_EXPORTED_TRUE_DIVIDE] = {NULL, real_divide},
    [HTP_EXPORTED_SHIFT_LEFT] = {shift_left, NULL},
    [HTP_EXPORTED_SHIFT_RIGHT] = {shift_right, NULL},
};

static bool are_exact(const number *a, const number *b)
{
    return a->kind == HTP_EXPORTED_RATIO && b->kind == HTP_EXPORTED_RATIO;
}

static number compute(const struct arithmetic *arithmetic, const number *a, const number *b)
{
    double real_a = 0;
    double real_b = 0;
    if (arithmetic->exact && are_exact(a, b)) {
        return arithmetic->exact(a, b);
    }
    return arithmetic->real && to_real(a, &real_a) && to_real(b, &real_b)
               ? real_of(arithmetic->real(real_a, real_b))
               : unknown;
}

/* ---- comparisons ---- */

/* The sign of the difference; false if it is unknown. */
static bool compare(const number *a, const number *b, int *sign)
{
    double real_a = 0;
    double real_b = 0;
    if (are_exact(a, b)) {
        wide left = (wide)a->whole * b->over;
        wide right = (wide)b->whole * a->over;
        *sign = (left > right) - (left < right);
        return true;
    }
    bool are_real = to_real(a, &real_a) && to_real(b, &real_b);
    *sign = (real_a > real_b) - (real_a < real_b);
    return are_real;
}

static number order(htp_exported_operation operation, const number *a, const number *b)
{
    int sign = 0;
    if (!compare(a, b, &sign)) {
        return unknown;
    }
    switch (operation) {
    case HTP_EXPORTED_LARGER:
        return sign >= 0 ? *a : *b;
    case HTP_EXPORTED_SMALLER:
        return sign <= 0 ? *a : *b;
    case HTP_EXPORTED_EQUAL:
        return truth_of(sign == 0);
    case HTP_EXPORTED_UNEQUAL:
        return truth_of(sign != 0);
    case HTP_EXPORTED_LESS:
        return truth_of(sign < 0);
    case HTP_EXPORTED_LESS_EQUAL:
        return truth_of(sign <= 0);
    case HTP_EXPORTED_GREATER:
        return truth_of(sign > 0);
    default:
        return truth_of(sign >= 0);
    }
}

/* ---- one operand ---- */

static const struct {
    htp_exported_operation operation;
    double (*real)(double);
} functions[] = {
    {HTP_EXPORTED_SQRT, sqrt}, {HTP_EXPORTED_EXP, exp},     {HTP_EXPORTED_LOG, log},
    {HTP_EXPORTED_LOG2, log2}, {HTP_EXPORTED_SIN, sin},     {HTP_EXPORTED_COS, cos},
    {HTP_EXPORTED_TAN, tan},   {HTP_EXPORTED_SINH, sinh},   {HTP_EXPORTED_COSH, cosh},
    {HTP_EXPORTED_TANH, tanh}, {HTP_EXPORTED_ASIN, asin},   {HTP_EXPORTED_ACOS, acos},
    {HTP_EXPORTED_ATAN, atan}, {HTP_EXPORTED_ASINH, asinh},
};

static number apply_function(htp_exported_operation operation, const number *a)
{
    double real = 0;
    for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++) {
        if (functions[i].operation == operation && to_real(a, &real)) {
            return real_of(functions[i].real(real));
        }
    }
    return unknown;
}

/* A number as an integer. */
static number round_to(htp_exported_operation operation, const number *a)
{
    const number one = htp_exported_integer(1);
    double real = a->real;
    bool is_exact = a->kind == HTP_EXPORTED_RATIO;
    switch (operation) {
    case HTP_EXPORTED_FLOOR:
        return is_exact ? divide_down(a, &one) : integer_of(floor(real));
    case HTP_EXPORTED_CEIL:
        return is_exact ? divide_up(a, &one) : integer_of(ceil(real));
    case HTP_EXPORTED_TRUNCATE:
        return is_exact ? (a->whole < 0 ? divide_up(a, &one) : divide_down(a, &one))
                        : integer_of(trunc(real));
    default:
        return to_real(a, &real) ? integer_of(nearbyint(real)) : unknown;
    }
}

static number change(htp_exported_operation operation, const number *a)
{
    double real = 0;
    const number zero = htp_exported_integer(0);
    switch (operation) {
    case HTP_EXPORTED_SAME:
        return *a;
    case HTP_EXPORTED_NEGATE:
        return a->kind == HTP_EXPORTED_REAL ? real_of(-a->real) : subtract(&zero, a);
    case HTP_EXPORTED_ABSOLUTE:
        return a->kind == HTP_EXPORTED_REAL ? real_of(fabs(a->real))
                                            : ratio_of(magnitude(a->whole), a->over);
    case HTP_EXPORTED_TO_REAL:
        return to_real(a, &real) ? real_of(real) : unknown;
    case HTP_EXPORTED_TRUNCATE_REAL:
        return to_real(a, &real) ? real_of(trunc(real)) : unknown;
    case HTP_EXPORTED_FLOOR:
    case HTP_EXPORTED_CEIL:
    case HTP_EXPORTED_TRUNCATE:
    case HTP_EXPORTED_ROUND:
        return round_to(operation, a);
    default:
        return apply_function(operation, a);
    }
}

/* As in Python: by the correctly rounded decimal form. */
static number round_decimal(const number *a, const number *digits)
{
    enum { MOST_DIGITS = 22, ROOM = 400 };
    char text[ROOM];
    double real = 0;
    if (!htp_exported_is_integer(digits) || digits->whole < 0 || digits->whole > MOST_DIGITS ||
        !to_real(a, &real)) {
        return unknown;
    }
    (void)snprintf(text, sizeof(text), "%.*f", (int)digits->whole, real);
    return real_of(strtod(text, NULL));
}

/* ---- truths ---- */

static bool is_truth(const number *n, bool truth)
{
    bool is_known = n->kind != HTP_EXPORTED_UNKNOWN;
    bool is_true = n->kind == HTP_EXPORTED_REAL ? n->real != 0 : n->whole != 0;
    return is_known && is_true == truth;
}

static number connect(htp_exported_operation operation, const number *a, const number *b)
{
    const bool deciding = operation == HTP_EXPORTED_OR;
    if (is_truth(a, deciding) || is_truth(b, deciding)) {
        return truth_of(deciding);
    }
    return a->kind && b->kind ? truth_of(!deciding) : unknown;
}

static number choose(const number *condition, const number *then, const number *other)
{
    return is_truth(condition, true) ? *then : is_truth(condition, false) ? *other : unknown;
}

/* ---- steps ---- */

static number apply_two(htp_exported_operation operation, const number *first, const number *second)
{
    if (operation == HTP_EXPORTED_AND || operation == HTP_EXPORTED_OR) {
        return connect(operation, first, second);
    }
    const number a = counted(*first);
    const number b = counted(*second);
    if (!a.kind || !b.kind) {
        return unknown;
    }
    if (operation == HTP_EXPORTED_ROUND_DECIMAL) {
        return round_decimal(&a, &b);
    }
    const struct arithmetic *arithmetic = &arithmetics[operation];
    return arithmetic->exact || arithmetic->real ? compute(arithmetic, &a, &b)
                                                 : order(operation, &a, &b);
}

static number apply_one(htp_exported_operation operation, const number *operand)
{
    if (!operand->kind) {
        return unknown;
    }
    if (operation == HTP_EXPORTED_NOT) {
        return truth_of(is_truth(operand, false));
    }
    const number a = counted(*operand);
    return operation == HTP_EXPORTED_SAME ? *operand : change(operation, &a);
}

/* Operands of each step. */
static const unsigned char arguments[] = {
    [HTP_EXPORTED_NUMBER] = 0,
    [HTP_EXPORTED_SYMBOL] = 0,
#define OPERATION(name, arguments, is_folded) [HTP_EXPORTED_##name] = (arguments),
#include "exported/expression/expression_operations.def"
#undef OPERATION
};

static number apply(const htp_exported_step *step, const number *operands)
{
    switch (step->operation) {
    case HTP_EXPORTED_SELECT:
        return choose(&operands[0], &operands[1], &operands[2]);
    case HTP_EXPORTED_CHOOSE:
        return choose(&operands[1], &operands[0], &operands[2]);
    default:
        return arguments[step->operation] == 2
                   ? apply_two(step->operation, &operands[0], &operands[1])
                   : apply_one(step->operation, &operands[0]);
    }
}

/* A symbol's number. INT64_MIN, which has no negation, counts as unknown. */
static number taken_as(const number *symbol)
{
    return symbol->kind == HTP_EXPORTED_REAL ? real_of(symbol->real)
           : symbol->whole == INT64_MIN      ? unknown
                                             : *symbol;
}

htp_exported_number htp_exported_formula_value(const htp_exported_formula *formula,
                                               const htp_exported_number *numbers, uint32_t count)
{
    number stack[HTP_EXPORTED_HIGHEST + 1];
    uint32_t height = 0;
    for (uint32_t i = 0; i < formula->count; i++) {
        const htp_exported_step *step = &formula->steps[i];
        uint32_t taken = arguments[step->operation];
        number *at = &stack[height - taken];
        if (step->operation == HTP_EXPORTED_NUMBER) {
            *at = step->number;
        } else if (step->operation == HTP_EXPORTED_SYMBOL) {
            *at = step->number.whole < count ? taken_as(&numbers[step->number.whole]) : unknown;
        } else {
            *at = apply(step, at);
        }
        height += 1 - taken;
    }
    return height == 1 ? stack[0] : unknown;
}
