/*
 * Guards: conditions on the arguments of forward(), in Python as torch's PythonPrinter writes it.
 * Precedences are Python's.
 */
#include "exported/expression/expression.h"
#include "exported/expression/expression_reader.h"

#include <string.h>

/* A binary operator of a level; longer ones first. */
struct infix {
    const char *token;
    htp_exported_operation operation;
};

/* Left-associative; chained comparisons must all hold. */
struct level {
    struct infix infixes[6];
    bool is_comparison;
};

static const struct level levels[] = {
    {{{"or", HTP_EXPORTED_OR}}, false},
    {{{"and", HTP_EXPORTED_AND}}, false},
    {{{"==", HTP_EXPORTED_EQUAL},
      {"!=", HTP_EXPORTED_UNEQUAL},
      {"<=", HTP_EXPORTED_LESS_EQUAL},
      {">=", HTP_EXPORTED_GREATER_EQUAL},
      {"<", HTP_EXPORTED_LESS},
      {">", HTP_EXPORTED_GREATER}},
     true},
    {{{"+", HTP_EXPORTED_ADD}, {"-", HTP_EXPORTED_SUBTRACT}}, false},
    {{{"//", HTP_EXPORTED_FLOOR_DIVIDE},
      {"/", HTP_EXPORTED_TRUE_DIVIDE},
      {"%", HTP_EXPORTED_REMAINDER},
      {"*", HTP_EXPORTED_MULTIPLY}},
     false},
};

enum {
    LEVELS = sizeof(levels) / sizeof(*levels),
    INFIXES = sizeof(levels[0].infixes) / sizeof(*levels[0].infixes),
    COMPARISONS = 2, /* higher levels are boolean, with "not" */
};

static htp_status read_level(htp_formula_reader *reader, uint32_t level);

/* A whole or bracketed condition, including "a if b else c". */
static htp_status read_condition(htp_formula_reader *reader)
{
    HTP_TRY(htp_formula_reader_enter(reader));
    HTP_TRY(read_level(reader, 0));
    if (htp_formula_reader_takes(reader, "if")) {
        /* its steps come before those of the condition, and must follow them */
        HTP_TRY(read_level(reader, 0));
        HTP_TRY(htp_formula_reader_expect(reader, "else"));
        HTP_TRY(read_condition(reader));
        HTP_TRY(htp_formula_reader_add(reader, HTP_EXPORTED_CHOOSE));
    }
    reader->depth--;
    return HTP_OK;
}

/* ---- places in arguments ---- */

static htp_status add_subscript(htp_formula_reader *reader, htp_text *place)
{
    int64_t number = 0;
    const char *key = NULL;
    size_t length = 0;
    bool is_string =
        htp_formula_reader_takes(reader, "'") || htp_formula_reader_takes(reader, "\"");
    htp_text_add(place, ".");
    if (is_string) {
        reader->at--;
        HTP_TRY(htp_formula_reader_string(reader, &key, &length));
        htp_text_add_bytes(place, key, length);
    } else {
        HTP_TRY(htp_formula_reader_integer(reader, &number));
        htp_text_addf(place, "%lld", (long long)number);
    }
    return htp_formula_reader_expect(reader, "]");
}

static htp_status add_attribute(htp_formula_reader *reader, htp_text *place)
{
    size_t length = htp_formula_reader_name(reader);
    HTP_TRY(length > 0 ? HTP_OK : htp_formula_reader_fail(reader, "an attribute"));
    htp_text_add(place, ".");
    htp_text_add_bytes(place, reader->at, length);
    reader->at += length;
    return htp_formula_reader_takes(reader, "(") ? htp_formula_reader_expect(reader, ")") : HTP_OK;
}

/* Reads a place after its "L[". */
static htp_status collect_place(htp_formula_reader *reader, htp_text *place)
{
    bool goes_on = true;
    htp_text_add(place, "L");
    HTP_TRY(add_subscript(reader, place));
    while (goes_on) {
        if (htp_formula_reader_takes(reader, "[")) {
            HTP_TRY(add_subscript(reader, place));
        } else if (htp_formula_reader_takes(reader, ".")) {
            HTP_TRY(add_attribute(reader, place));
        } else {
            goes_on = false;
        }
    }
    return HTP_OK;
}

static htp_status read_place(htp_formula_reader *reader)
{
    htp_text place = {.arena = reader->arena};
    HTP_TRY(collect_place(reader, &place));
    return htp_formula_reader_add_symbol(reader, htp_text_string(&place), place.length);
}

const char *htp_exported_guard_place(htp_arena *arena, const char **at)
{
    htp_interned none = {.arena = arena};
    htp_formula_reader reader = htp_formula_reader_begin(&none, *at);
    htp_text place = {.arena = arena};
    if (strncmp(*at, "L[", 2) != 0) {
        return NULL;
    }
    reader.at += 2;
    htp_status status = collect_place(&reader, &place);
    bool is_place = !status;
    htp_status_free(status);
    /* Blanks after it belong to the condition. */
    while (is_place && reader.at > *at && reader.at[-1] == ' ') {
        reader.at--;
    }
    *at = is_place ? reader.at : *at;
    return is_place ? htp_text_string(&place) : NULL;
}

/* ---- operands ---- */

static htp_status read_word(htp_formula_reader *reader)
{
    static const struct {
        const char *name;
        htp_exported_number number;
    } words[] = {{"True", {HTP_EXPORTED_TRUTH, 1, 1, 0}}, {"False", {HTP_EXPORTED_TRUTH, 0, 1, 0}}};
    for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
        if (htp_formula_reader_takes(reader, words[i].name)) {
            return htp_formula_reader_add_number(reader, words[i].number);
        }
    }
    size_t length = htp_formula_reader_name(reader);
    const char *name = reader->at;
    HTP_TRY(length > 0 ? HTP_OK : htp_formula_reader_fail(reader, "a name"));
    reader->at += length;
    HTP_TRY(htp_formula_reader_expect(reader, "("));
    return htp_formula_reader_call(reader, name, length, read_condition);
}

static htp_status read_operand(htp_formula_reader *reader)
{
    htp_exported_number number;
    if (htp_formula_reader_takes(reader, "(")) {
        HTP_TRY(read_condition(reader));
        return htp_formula_reader_expect(reader, ")");
    }
    if (*reader->at == 'L' && reader->at[1] == '[') {
        reader->at += 2;
        return read_place(reader);
    }
    if (*reader->at == '.' || (*reader->at >= '0' && *reader->at <= '9')) {
        HTP_TRY(htp_formula_reader_number(reader, &number));
        return htp_formula_reader_add_number(reader, number);
    }
    return read_word(reader);
}

/* A power binds stronger than a sign before it, and weaker than one after it. */
static htp_status read_signed(htp_formula_reader *reader)
{
    HTP_TRY(htp_formula_reader_enter(reader));
    if (htp_formula_reader_takes(reader, "-")) {
        HTP_TRY(read_signed(reader));
        HTP_TRY(htp_formula_reader_add(reader, HTP_EXPORTED_NEGATE));
    } else {
        HTP_TRY(read_operand(reader));
        if (htp_formula_reader_takes(reader, "**")) {
            HTP_TRY(read_signed(reader));
            HTP_TRY(htp_formula_reader_add(reader, HTP_EXPORTED_POWER));
        }
    }
    reader->depth--;
    return HTP_OK;
}

/* ---- levels ---- */

static const struct infix *take_infix(htp_formula_reader *reader, const struct level *level)
{
    for (uint32_t i = 0; i < INFIXES && level->infixes[i].token; i++) {
        if (htp_formula_reader_takes(reader, level->infixes[i].token)) {
            return &level->infixes[i];
        }
    }
    return NULL;
}

/* Compares the last operand with the following ones: "a <= b <= c" uses b twice. */
static htp_status read_comparisons(htp_formula_reader *reader, const struct level *level)
{
    const struct infix *infix = take_infix(reader, level);
    for (uint32_t count = 0; infix; count++) {
        size_t first = reader->steps.count;
        HTP_TRY(read_level(reader, COMPARISONS + 1));
        size_t end = reader->steps.count;
        HTP_TRY(htp_formula_reader_add(reader, infix->operation));
        if (count > 0) {
            HTP_TRY(htp_formula_reader_add(reader, HTP_EXPORTED_AND));
        }
        infix = take_infix(reader, level);
        for (size_t i = first; infix && i < end; i++) {
            HTP_TRY(htp_formula_reader_repeat(reader, i));
        }
    }
    return HTP_OK;
}

static htp_status read_infixes(htp_formula_reader *reader, uint32_t level)
{
    const struct infix *infix = NULL;
    while ((infix = take_infix(reader, &levels[level])) != NULL) {
        HTP_TRY(read_level(reader, level + 1));
        HTP_TRY(htp_formula_reader_add(reader, infix->operation));
    }
    return HTP_OK;
}

static htp_status read_level(htp_formula_reader *reader, uint32_t level)
{
    if (level == LEVELS) {
        return read_signed(reader);
    }
    if (level == COMPARISONS && htp_formula_reader_takes(reader, "not")) {
        HTP_TRY(htp_formula_reader_enter(reader));
        HTP_TRY(read_level(reader, COMPARISONS));
        reader->depth--;
        return htp_formula_reader_add(reader, HTP_EXPORTED_NOT);
    }
    HTP_TRY(read_level(reader, level + 1));
    return levels[level].is_comparison ? read_comparisons(reader, &levels[level])
                                       : read_infixes(reader, level);
}

htp_status htp_exported_guard_read(htp_interned *symbols, const char *text,
                                   htp_exported_formula *formula)
{
    htp_formula_reader reader = htp_formula_reader_begin(symbols, text);
    HTP_TRY(read_condition(&reader));
    return htp_formula_reader_end(&reader, formula);
}
