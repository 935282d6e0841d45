/*
 * Formulas of sizes: each case is a text and its value, as computed by Python and torch's functions
 * of sympy. s and n are 7, t and a size of x are 12, u0 is unknown.
 */
#include "base/text.h"
#include "exported/expression/expression.h"
#include "unit.h"

#include <stdio.h>

#define S "Symbol('s', positive=True, integer=True)"
#define T "Symbol('t')"
#define U "Symbol('u0', integer=True)"

typedef htp_status (*read_fn)(htp_interned *symbols, const char *text, htp_exported_formula *made);

struct given {
    const char *text;
    const char *value; /* "5", "1/2", "0.5r", "true", "?" */
};

static const struct given formulas[] = {
    {"Integer(-3)", "-3"},
    {"Rational(6, -4)", "-3/2"},
    {"Float('0.1', precision=53)", "0.1r"},
    {S, "7"},
    {U, "?"},
    {"true", "true"},
    {"Add(" S ", Mul(Integer(2), " T "), Integer(-1))", "30"},
    {"Mul(Rational(1, 2), " T ")", "6"},
    {"Mul(" T ", Pow(" S ", Integer(-1)))", "12/7"},
    {"Pow(" S ", Integer(3))", "343"},
    {"Pow(Integer(2), Integer(62))", "4611686018427387904"},
    {"Pow(Integer(2), Integer(64))", "?"},
    {"Pow(" S ", Integer(9223372036854775807))", "?"},
    {"Pow(Integer(-1), Integer(9223372036854775807))", "-1"},
    {"Pow(Integer(-1), Integer(9223372036854775806))", "1"},
    {"Pow(Integer(0), Integer(-1))", "?"},
    {"Pow(Integer(0), Integer(0))", "1"},
    {"PowByNatural(" S ", Integer(2))", "49"},
    {"Mul(Integer(9223372036854775807), Integer(2))", "?"},
    {"Add(Integer(9223372036854775807), Integer(1))", "?"},
    {"FloorDiv(" S ", Integer(2))", "3"},
    {"FloorDiv(Mul(Integer(-1), " S "), Integer(2))", "-4"},
    {"FloorDiv(" S ", Add(" T ", Mul(Integer(-1), " T ")))", "?"},
    {"CleanDiv(" T ", Integer(4))", "3"},
    {"CeilDiv(" S ", Integer(2))", "4"},
    {"Mod(" T ", " S ")", "5"},
    {"PythonMod(Mul(Integer(-1), " S "), Integer(4))", "1"},
    {"ModularIndexing(" T ", Integer(2), Integer(4))", "2"},
    {"Max(" S ", Integer(9), " T ")", "12"},
    {"Min(" S ", " T ", Integer(9))", "7"},
    {"Max(" S ")", "7"},
    {"LShift(" S ", Integer(2))", "28"},
    {"RShift(" T ", Integer(2))", "3"},
    {"LShift(" S ", Integer(64))", "?"},
    {"ToFloat(" S ")", "7.0r"},
    {"IntTrueDiv(" S ", Integer(2))", "3.5r"},
    {"IntTrueDiv(" S ", Integer(0))", "?"},
    {"FloatTrueDiv(Float('1.0', precision=53), ToFloat(" S "))", "0.14285714285714285r"},
    {"FloatPow(ToFloat(" S "), Float('0.5', precision=53))", "2.6457513110645907r"},
    {"TruncToInt(Mul(Float('1.5', precision=53), ToFloat(" S ")))", "10"},
    {"TruncToInt(Float('-1.5', precision=53))", "-1"},
    {"TruncToInt(Float('1e300', precision=53))", "?"},
    {"TruncToFloat(Float('2.75', precision=53))", "2.0r"},
    {"FloorToInt(Float('-1.5', precision=53))", "-2"},
    {"CeilToInt(IntTrueDiv(" S ", Integer(2)))", "4"},
    {"floor(Rational(-1, 2))", "-1"},
    {"ceiling(Rational(1, 2))", "1"},
    {"RoundToInt(Float('2.5', precision=53))", "2"},
    {"RoundToInt(Float('3.5', precision=53))", "4"},
    {"RoundDecimal(Float('2.675', precision=53), Integer(2))", "2.67r"},
    {"RoundDecimal(Float('2.675', precision=53), Integer(400))", "?"},
    {"OpaqueUnaryFn_sqrt(Integer(16))", "4.0r"},
    {"OpaqueUnaryFn_log2(Integer(8))", "3.0r"},
    {"OpaqueUnaryFn_log(Integer(0))", "?"},
    {"Identity(" S ")", "7"},
    {"Abs(Integer(-5))", "5"},
    {"GreaterThan(" S ", " T ")", "false"},
    {"LessThan(" S ", " T ")", "true"},
    {"StrictLessThan(" S ", Integer(7))", "false"},
    {"StrictGreaterThan(" T ", " S ")", "true"},
    {"Equality(Rational(14, 2), " S ")", "true"},
    {"Unequality(" S ", Integer(7))", "false"},
    {"Equality(" U ", Integer(1))", "?"},
    {"And(Equality(" U ", Integer(1)), Equality(" S ", Integer(1)))", "false"},
    {"Or(Equality(" U ", Integer(1)), Equality(" S ", Integer(7)))", "true"},
    {"Or(Equality(" U ", Integer(1)), Equality(" S ", Integer(8)))", "?"},
    {"Not(Equality(" S ", Integer(7)))", "false"},
    {"Where(LessThan(" S ", " T "), " S ", " U ")", "7"},
    {"Piecewise(ExprCondPair(" U ", LessThan(" T ", " S ")), ExprCondPair(" S ", true))", "7"},
    {"Piecewise(ExprCondPair(" T ", LessThan(" T ", " S ")))", "?"},
};

static const struct given guards[] = {
    {"L['n'] == 7", "true"},
    {"L['x']['k'].size()[1] - L['n'] * 2", "-2"},
    {"2 + 3 * 4 - 1", "13"},
    {"(2 + 3) * 4", "20"},
    {"7 // 2 * 2", "6"},
    {"-7 // 2", "-4"},
    {"-7 % 4", "1"},
    {"7 / 2", "3.5r"},
    {"-2 ** 2", "-4"},
    {"2 ** -1", "1/2"},
    {"2 ** 3 ** 2", "512"},
    {"1.5e1 + 1", "16.0r"},
    {"1.0 // 0.1", "9.0r"},
    {"-7.5 % 2.0", "0.5r"},
    {"(L['x']['k'].size()[1] // 2) != L['x']['k'].size()[1]", "true"},
    {"2 <= L['n'] <= 7", "true"},
    {"2 <= L['n'] < 7", "false"},
    {"9 > L['n'] > 5 > 1", "true"},
    {"not L['n'] == 7", "false"},
    {"not (L['n'] == 7) or 1 < 2", "true"},
    {"1 < 2 and 2 < 1 or 3 == 3", "true"},
    {"1 > 2 and (2 < 1 or 3 == 3)", "false"},
    {"(1 if 2 < 1 else 5 if 1 < 2 else 7)", "5"},
    {"max(L['n'], 3, L['x']['k'].size()[1])", "12"},
    {"min(5, L['n'])", "5"},
    {"math.floor(torch.sym_float(L['n']) / 2)", "3"},
    {"math.trunc(1.9) + math.ceil(1.1)", "3"},
    {"round(2.5)", "2"},
    {"round(2.675, 2)", "2.67r"},
    {"torch._sym_sqrt(16)", "4.0r"},
    {"L['nobody']['a b'].size()[0] == 1", "?"},
    {"True", "true"},
};

/* Refused texts and their messages. */
struct refused {
    const char *text;
    htp_code code;
    const char *words;
};

static const struct refused no_formulas[] = {
    {"", HTP_CODE_BAD_INPUT, "a function"},
    {"Symbol(", HTP_CODE_BAD_INPUT, "a string"},
    {"Symbol('a", HTP_CODE_BAD_INPUT, "a string that ends"},
    {"Symbol('a', x)", HTP_CODE_BAD_INPUT, "="},
    {"Integer(1", HTP_CODE_BAD_INPUT, ")"},
    {"Integer(99999999999999999999)", HTP_CODE_BAD_INPUT, "64 bits"},
    {"Integer(-9223372036854775808)", HTP_CODE_BAD_INPUT, "64 bits"},
    {"Integer(1) Integer(2)", HTP_CODE_BAD_INPUT, "its end"},
    {"Float('x', precision=53)", HTP_CODE_BAD_INPUT, "a number"},
    {"Mod(Integer(1))", HTP_CODE_BAD_INPUT, "gives Mod 1 arguments"},
    {"Add()", HTP_CODE_BAD_INPUT, "gives Add 0 arguments"},
    {"Gamma(Integer(1))", HTP_CODE_UNSUPPORTED, "\"Gamma\""},
};

static const struct refused no_guards[] = {
    {"", HTP_CODE_BAD_INPUT, "a name"},
    {"L['x'", HTP_CODE_BAD_INPUT, "]"},
    {"L[x]", HTP_CODE_BAD_INPUT, "an integer"},
    {"L['x'].size(1)", HTP_CODE_BAD_INPUT, ")"},
    {"1 +", HTP_CODE_BAD_INPUT, "a name"},
    {"1 if 2", HTP_CODE_BAD_INPUT, "else"},
    {"(1", HTP_CODE_BAD_INPUT, ")"},
    {"1 2", HTP_CODE_BAD_INPUT, "its end"},
    {"1x", HTP_CODE_BAD_INPUT, "an integer"},
    {"__import__('os')", HTP_CODE_UNSUPPORTED, "\"__import__\""},
};

/* A number in the tables' notation. */
static const char *write_number(const htp_exported_number *number, char text[64])
{
    if (number->kind == HTP_EXPORTED_RATIO) {
        (void)snprintf(text, 64, number->over == 1 ? "%lld" : "%lld/%lld", (long long)number->whole,
                       (long long)number->over);
    } else if (number->kind == HTP_EXPORTED_REAL) {
        (void)snprintf(text, 64, "%.17g", number->real);
    } else {
        (void)snprintf(text, 64, "%s",
                       number->kind == HTP_EXPORTED_UNKNOWN ? "?"
                       : number->whole                      ? "true"
                                                            : "false");
    }
    return text;
}

static bool is_value(const htp_exported_number *number, const char *expected)
{
    char text[64];
    if (expected[strlen(expected) - 1] == 'r') {
        return number->kind == HTP_EXPORTED_REAL && number->real == strtod(expected, NULL);
    }
    return strcmp(write_number(number, text), expected) == 0 && number->kind != HTP_EXPORTED_REAL;
}

static void expect_values(htp_arena *arena, read_fn read, const struct given *given, size_t count)
{
    htp_interned symbols = {.arena = arena};
    htp_exported_number numbers[3] = {htp_exported_integer(7), htp_exported_integer(12),
                                      htp_exported_integer(7)};
    const char *const names[] = {"s", "t", "L.n", "L.x.k.size.1"};
    for (uint32_t i = 0; i < 4; i++) {
        ck_assert_uint_eq(htp_exported_symbol(&symbols, names[i], strlen(names[i])), i);
    }
    for (size_t i = 0; i < count; i++) {
        char text[64];
        htp_exported_formula formula;
        htp_exported_number all[4] = {numbers[0], numbers[1], numbers[0], numbers[1]};
        expect_ok(read(&symbols, given[i].text, &formula));
        htp_exported_number value = htp_exported_formula_value(&formula, all, 4);
        ck_assert_msg(is_value(&value, given[i].value), "%s is %s, not %s", given[i].text,
                      write_number(&value, text), given[i].value);
    }
}

static void expect_refusals(htp_arena *arena, read_fn read, const struct refused *refused,
                            size_t count)
{
    for (size_t i = 0; i < count; i++) {
        htp_interned symbols = {.arena = arena};
        htp_exported_formula formula;
        expect_failure(read(&symbols, refused[i].text, &formula), refused[i].code,
                       refused[i].words);
    }
}

#define COUNT(table) (sizeof(table) / sizeof(*(table)))

UNIT_TEST(formulas_give_what_sympy_does)
{
    expect_values(arena, htp_exported_formula_read, formulas, COUNT(formulas));
}

UNIT_TEST(guards_give_what_python_does)
{
    expect_values(arena, htp_exported_guard_read, guards, COUNT(guards));
}

UNIT_TEST(other_texts_are_refused)
{
    expect_refusals(arena, htp_exported_formula_read, no_formulas, COUNT(no_formulas));
    expect_refusals(arena, htp_exported_guard_read, no_guards, COUNT(no_guards));
}

/* A text of @p count times @p before, then @p middle, then as often @p after. */
static const char *nest(htp_arena *arena, size_t count, const char *before, const char *middle,
                        const char *after)
{
    htp_text text = {.arena = arena};
    for (size_t i = 0; i < count; i++) {
        htp_text_add(&text, before);
    }
    htp_text_add(&text, middle);
    for (size_t i = 0; i < count; i++) {
        htp_text_add(&text, after);
    }
    return text.bytes;
}

/* However deep, long or wide a text is, reading it ends in time and within the stack. */
UNIT_TEST(hostile_texts_end)
{
    htp_interned symbols = {.arena = arena};
    htp_exported_formula formula;
    const char *deep = nest(arena, 1000000, "Abs(", "Integer(1)", ")");
    const char *waiting = nest(arena, 100000, "Max(Integer(1), ", "Integer(2)", ")");
    const char *wide = nest(arena, 100000, "", "Add(Integer(1)", ", Integer(1)");
    const char *pieces = nest(arena, 100000, "", "Piecewise(ExprCondPair(Integer(1), false)",
                              ", ExprCondPair(Integer(1), false)");
    expect_failure(htp_exported_formula_read(&symbols, deep, &formula), HTP_CODE_UNSUPPORTED,
                   "too deep");
    expect_failure(htp_exported_formula_read(&symbols, waiting, &formula), HTP_CODE_UNSUPPORTED,
                   "too deep");
    expect_failure(htp_exported_formula_read(&symbols, wide, &formula), HTP_CODE_UNSUPPORTED,
                   "parts");
    expect_failure(htp_exported_formula_read(&symbols, pieces, &formula), HTP_CODE_UNSUPPORTED,
                   "too deep");
    const char *const guard_texts[] = {
        nest(arena, 1000000, "(", "1", ")"),    nest(arena, 1000000, "-", "1", ""),
        nest(arena, 1000000, "not ", "1", ""),  nest(arena, 100000, "1 ** ", "1", ""),
        nest(arena, 60, "1 < (", "1", ") < 2"), nest(arena, 100000, "1 if 1 else ", "1", ""),
    };
    for (size_t i = 0; i < COUNT(guard_texts); i++) {
        htp_status status = htp_exported_guard_read(&symbols, guard_texts[i], &formula);
        ck_assert_int_eq(htp_status_code(status), HTP_CODE_UNSUPPORTED);
        htp_status_free(status);
    }
}

UNIT_MAIN("expression", formulas_give_what_sympy_does, guards_give_what_python_does,
          other_texts_are_refused, hostile_texts_end)
