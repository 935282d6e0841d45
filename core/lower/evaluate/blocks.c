#include "lower/evaluate/blocks.h"

#include "base/text.h"

#include <math.h>
#include <stdlib.h>

/* ---- integers ---- */

/* Defines the function of a block of integers of @p a, @p b; it declines unless @p told holds. */
#define INTS(name, declares, told, result)                                                         \
    static bool name##_ints(const int64_t *const *x, size_t count, int64_t *y)                     \
    {                                                                                              \
        for (size_t i = 0; i < count; i++) {                                                       \
            declares if (!(told))                                                                  \
            {                                                                                      \
                return false;                                                                      \
            }                                                                                      \
            y[i] = result;                                                                         \
        }                                                                                          \
        return true;                                                                               \
    }
#define UNARY int64_t a = x[0][i];
#define BINARY                                                                                     \
    int64_t a = x[0][i];                                                                           \
    int64_t b = x[1][i];
#define BINARY_MADE BINARY int64_t made = 0;

INTS(add, BINARY_MADE, !__builtin_add_overflow(a, b, &made), made)
INTS(sub, BINARY_MADE, !__builtin_sub_overflow(a, b, &made), made)
INTS(mul, BINARY_MADE, !__builtin_mul_overflow(a, b, &made), made)
/* Rounds towards 0. */
INTS(div, BINARY, b != 0 && (a != INT64_MIN || b != -1), a / b)
INTS(abs, UNARY, a != INT64_MIN, a < 0 ? -a : a)
INTS(neg, UNARY, a != INT64_MIN, -a)
INTS(sign, UNARY, true, (a > 0) - (a < 0))
INTS(relu, UNARY, true, a > 0 ? a : 0)
INTS(max, BINARY, true, a > b ? a : b)
INTS(min, BINARY, true, a < b ? a : b)
INTS(equal, BINARY, true, a == b)
INTS(less, BINARY, true, a < b)
INTS(greater, BINARY, true, a > b)
INTS(at_most, BINARY, true, a <= b)
INTS(at_least, BINARY, true, a >= b)
INTS(and, BINARY, true, a &&b)
INTS(or, BINARY, true, a || b)
INTS(xor, BINARY, true, !a != !b)
INTS(not, UNARY, true, !a)
INTS(both_bits, BINARY, true, a &b)
INTS(any_bits, BINARY, true, a | b)
INTS(other_bits, BINARY, true, a ^ b)

static bool clip_ints(const int64_t *const *x, size_t count, int64_t *y)
{
    for (size_t i = 0; i < count; i++) {
        y[i] = x[1] && x[0][i] < x[1][i] ? x[1][i] : x[0][i];
        y[i] = x[2] && y[i] > x[2][i] ? x[2][i] : y[i];
    }
    return true;
}

static bool raise(int64_t base, int64_t exponent, int64_t *power)
{
    bool fits = exponent >= 0 && exponent < 64;
    *power = 1;
    for (int64_t i = 0; fits && i < exponent; i++) {
        fits = !__builtin_mul_overflow(*power, base, power);
    }
    return fits;
}

INTS(pow, BINARY_MADE, raise(a, b, &made), made)

/* ---- floating-point numbers ---- */

#define FLOATS(name, declares, result)                                                             \
    static void name##_floats(const double *const *x, size_t count, double *y)                     \
    {                                                                                              \
        for (size_t i = 0; i < count; i++) {                                                       \
            declares y[i] = result;                                                                \
        }                                                                                          \
    }
#define ONE double a = x[0][i];
#define TWO                                                                                        \
    double a = x[0][i];                                                                            \
    double b = x[1][i];

/* For two float32 rounding to float64 and then to float32 gives the same as rounding once. */
FLOATS(add, TWO, a + b)
FLOATS(sub, TWO, a - b)
FLOATS(mul, TWO, a *b)
FLOATS(div, TWO, a / b)
FLOATS(sqrt, ONE, sqrt(a))
FLOATS(reciprocal, ONE, 1 / a)
FLOATS(abs, ONE, fabs(a))
FLOATS(neg, ONE, -a)
FLOATS(ceil, ONE, ceil(a))
FLOATS(floor, ONE, floor(a))
FLOATS(round, ONE, nearbyint(a))
/* NaN stays NaN. */
FLOATS(sign, ONE, a != a ? a : (double)((a > 0) - (a < 0)))
FLOATS(relu, ONE, a > 0 || a != a ? a : 0)
FLOATS(max, TWO, a > b || a != a ? a : b)
FLOATS(min, TWO, a < b || a != a ? a : b)
FLOATS(equal, TWO, a == b)
FLOATS(less, TWO, a < b)
FLOATS(greater, TWO, a > b)
FLOATS(at_most, TWO, a <= b)
FLOATS(at_least, TWO, a >= b)
FLOATS(is_nan, ONE, a != a)

static void clip_floats(const double *const *x, size_t count, double *y)
{
    for (size_t i = 0; i < count; i++) {
        y[i] = x[1] && x[0][i] < x[1][i] ? x[1][i] : x[0][i];
        y[i] = x[2] && y[i] > x[2][i] ? x[2][i] : y[i];
    }
}

FLOATS(acos, ONE, acos(a))
FLOATS(acosh, ONE, acosh(a))
FLOATS(asin, ONE, asin(a))
FLOATS(asinh, ONE, asinh(a))
FLOATS(atan, ONE, atan(a))
FLOATS(atanh, ONE, atanh(a))
FLOATS(cos, ONE, cos(a))
FLOATS(cosh, ONE, cosh(a))
FLOATS(erf, ONE, erf(a))
FLOATS(exp, ONE, exp(a))
FLOATS(log, ONE, log(a))
FLOATS(pow, TWO, pow(a, b))
FLOATS(sigmoid, ONE, 1 / (1 + exp(-a)))
FLOATS(sin, ONE, sin(a))
FLOATS(sinh, ONE, sinh(a))
FLOATS(softplus, ONE, a > 0 ? a + log1p(exp(-a)) : log1p(exp(a)))
FLOATS(tan, ONE, tan(a))
FLOATS(tanh, ONE, tanh(a))

/* ---- the table ---- */

enum { TRUTH = 1, ROUNDED };

#define HTP_ELEMENTWISE(op, least, most, traits, ints, floats)                                     \
    {op, least, most, (traits) == TRUTH, (traits) == ROUNDED, ints, floats},
static const htp_elementwise rows[] = {
#include "lower/evaluate/elementwise.def"
};
#undef HTP_ELEMENTWISE

const htp_elementwise *htp_elementwise_find(const char *op_type)
{
    return bsearch(op_type, rows, sizeof(rows) / sizeof(rows[0]), sizeof(rows[0]), htp_row_compare);
}
