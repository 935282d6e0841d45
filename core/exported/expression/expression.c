/*
 * Parses the output of sympy's srepr(): nested calls, with symbols and numbers innermost.
 */
#include "exported/expression/expression.h"

#include "exported/expression/expression_reader.h"

#include <stdlib.h>
#include <string.h>

static htp_status read_formula(htp_formula_reader *reader);

/* Skips settings without meaning here: "positive=True", "precision=53". */
static htp_status skip_settings(htp_formula_reader *reader)
{
    while (htp_formula_reader_takes(reader, ",")) {
        size_t length = htp_formula_reader_name(reader);
        reader->at += length;
        HTP_TRY(length > 0 ? HTP_OK : htp_formula_reader_fail(reader, "a setting"));
        HTP_TRY(htp_formula_reader_expect(reader, "="));
        size_t value = strspn(reader->at, "TrueFalsNon0123456789");
        reader->at += value;
        HTP_TRY(value > 0 ? HTP_OK : htp_formula_reader_fail(reader, "a setting"));
    }
    return htp_formula_reader_expect(reader, ")");
}

static htp_status read_symbol(htp_formula_reader *reader)
{
    const char *name = NULL;
    size_t length = 0;
    HTP_TRY(htp_formula_reader_string(reader, &name, &length));
    HTP_TRY(htp_formula_reader_add_symbol(reader, name, length));
    return skip_settings(reader);
}

static htp_status read_integer(htp_formula_reader *reader)
{
    htp_exported_number number = htp_exported_integer(0);
    HTP_TRY(htp_formula_reader_integer(reader, &number.whole));
    HTP_TRY(htp_formula_reader_expect(reader, ")"));
    return htp_formula_reader_add_number(reader, number);
}

static htp_status read_rational(htp_formula_reader *reader)
{
    htp_exported_number above = htp_exported_integer(0);
    htp_exported_number below = htp_exported_integer(0);
    HTP_TRY(htp_formula_reader_integer(reader, &above.whole));
    HTP_TRY(htp_formula_reader_expect(reader, ","));
    HTP_TRY(htp_formula_reader_integer(reader, &below.whole));
    HTP_TRY(htp_formula_reader_expect(reader, ")"));
    HTP_TRY(htp_formula_reader_add_number(reader, above));
    HTP_TRY(htp_formula_reader_add_number(reader, below));
    HTP_TRY(htp_formula_reader_add_number(reader, htp_exported_integer(-1)));
    HTP_TRY(htp_formula_reader_add(reader, HTP_EXPORTED_POWER));
    return htp_formula_reader_add(reader, HTP_EXPORTED_MULTIPLY);
}

static htp_status read_float(htp_formula_reader *reader)
{
    const char *text = NULL;
    size_t length = 0;
    HTP_TRY(htp_formula_reader_string(reader, &text, &length));
    const char *copy = htp_arena_copy(reader->arena, text, length);
    char *end = NULL;
    double real = strtod(copy, &end);
    if (length == 0 || *end) {
        reader->at = copy;
        return htp_formula_reader_fail(reader, "a number");
    }
    HTP_TRY(htp_formula_reader_add_number(
        reader, (htp_exported_number){.kind = HTP_EXPORTED_REAL, .real = real}));
    return skip_settings(reader);
}

/* ModularIndexing(base, divisor, modulus) is base // divisor % modulus. */
static htp_status read_modular(htp_formula_reader *reader)
{
    HTP_TRY(read_formula(reader));
    HTP_TRY(htp_formula_reader_expect(reader, ","));
    HTP_TRY(read_formula(reader));
    HTP_TRY(htp_formula_reader_add(reader, HTP_EXPORTED_FLOOR_DIVIDE));
    HTP_TRY(htp_formula_reader_expect(reader, ","));
    HTP_TRY(read_formula(reader));
    HTP_TRY(htp_formula_reader_expect(reader, ")"));
    return htp_formula_reader_add(reader, HTP_EXPORTED_REMAINDER);
}

/* Piecewise(ExprCondPair(value, condition), ...): the first with a true condition. */
static htp_status read_pieces(htp_formula_reader *reader)
{
    uint32_t count = 0;
    do {
        HTP_TRY(htp_formula_reader_expect(reader, "ExprCondPair"));
        HTP_TRY(htp_formula_reader_expect(reader, "("));
        HTP_TRY(read_formula(reader));
        HTP_TRY(htp_formula_reader_expect(reader, ","));
        HTP_TRY(read_formula(reader));
        HTP_TRY(htp_formula_reader_expect(reader, ")"));
        count++;
    } while (htp_formula_reader_takes(reader, ","));
    HTP_TRY(htp_formula_reader_expect(reader, ")"));
    HTP_TRY(
        htp_formula_reader_add_number(reader, (htp_exported_number){.kind = HTP_EXPORTED_UNKNOWN}));
    for (uint32_t i = 0; i < count; i++) {
        HTP_TRY(htp_formula_reader_add(reader, HTP_EXPORTED_CHOOSE));
    }
    return HTP_OK;
}

/* Names other than plain calls. */
static const struct special {
    const char *name;
    htp_status (*read)(htp_formula_reader *reader);
} specials[] = {
    {"Float", read_float},      {"Integer", read_integer},   {"ModularIndexing", read_modular},
    {"Piecewise", read_pieces}, {"Rational", read_rational}, {"Symbol", read_symbol},
};

/* Names without arguments. */
static const struct word {
    const char *name;
    int64_t truth;
} words[] = {{"false", 0}, {"true", 1}};

static htp_status read_call(htp_formula_reader *reader, const char *name, size_t length)
{
    for (size_t i = 0; i < sizeof(specials) / sizeof(*specials); i++) {
        if (strlen(specials[i].name) == length && memcmp(specials[i].name, name, length) == 0) {
            return specials[i].read(reader);
        }
    }
    return htp_formula_reader_call(reader, name, length, read_formula);
}

static htp_status read_formula(htp_formula_reader *reader)
{
    HTP_TRY(htp_formula_reader_enter(reader));
    for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
        if (htp_formula_reader_takes(reader, words[i].name)) {
            reader->depth--;
            return htp_formula_reader_add_number(
                reader, (htp_exported_number){.kind = HTP_EXPORTED_TRUTH, .whole = words[i].truth});
        }
    }
    size_t length = htp_formula_reader_name(reader);
    const char *name = reader->at;
    reader->at += length;
    HTP_TRY(length > 0 ? HTP_OK : htp_formula_reader_fail(reader, "a function"));
    HTP_TRY(htp_formula_reader_expect(reader, "("));
    HTP_TRY(read_call(reader, name, length));
    reader->depth--;
    return HTP_OK;
}

htp_status htp_exported_formula_read(htp_interned *symbols, const char *text,
                                     htp_exported_formula *formula)
{
    htp_formula_reader reader = htp_formula_reader_begin(symbols, text);
    HTP_TRY(read_formula(&reader));
    return htp_formula_reader_end(&reader, formula);
}
