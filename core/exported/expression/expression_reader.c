#include "exported/expression/expression_reader.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_STEPS = 1 << 14,
    DEEPEST = 128,
    SHOWN = 40, /* bytes of a text in a message */
};

struct named {
    const char *name;
    htp_exported_operation operation;
};

static const struct named names[] = {
#define NAME(text, operation) {text, HTP_EXPORTED_##operation},
#include "exported/expression/expression_names.def"
#undef NAME
};

struct operation {
    uint32_t arguments;
    bool is_folded;
};

static const struct operation operations[] = {
    [HTP_EXPORTED_NUMBER] = {0, false},
    [HTP_EXPORTED_SYMBOL] = {0, false},
#define OPERATION(name, arguments, is_folded) [HTP_EXPORTED_##name] = {arguments, is_folded},
#include "exported/expression/expression_operations.def"
#undef OPERATION
};

uint32_t htp_exported_symbol(htp_interned *symbols, const char *name, size_t length)
{
    uint32_t number = 0;
    (void)htp_intern(symbols, name, length);
    (void)htp_map_get_bytes(&symbols->known, name, length, &number);
    return number;
}

htp_formula_reader htp_formula_reader_begin(htp_interned *symbols, const char *text)
{
    return (htp_formula_reader){
        .arena = symbols->arena, .symbols = symbols, .text = text, .at = text};
}

/* The next part of the text, for a message. */
static const char *shown(const htp_formula_reader *reader)
{
    size_t length = strnlen(reader->at, SHOWN);
    return htp_text_printable(reader->arena, htp_arena_copy(reader->arena, reader->at, length));
}

htp_status htp_formula_reader_fail(const htp_formula_reader *reader, const char *wanted)
{
    return htp_status_make(HTP_CODE_BAD_INPUT, "a formula of sizes has \"%s\" where %s is expected",
                           shown(reader), wanted);
}

static void skip_blanks(htp_formula_reader *reader)
{
    while (isspace((unsigned char)*reader->at)) {
        reader->at++;
    }
}

htp_status htp_formula_reader_end(htp_formula_reader *reader, htp_exported_formula *formula)
{
    skip_blanks(reader);
    if (*reader->at) {
        return htp_formula_reader_fail(reader, "its end");
    }
    *formula = (htp_exported_formula){reader->steps.items, (uint32_t)reader->steps.count};
    return HTP_OK;
}

static bool is_in_name(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

bool htp_formula_reader_takes(htp_formula_reader *reader, const char *token)
{
    size_t length = strlen(token);
    skip_blanks(reader);
    bool is_next = strncmp(reader->at, token, length) == 0 &&
                   !(is_in_name(token[length - 1]) && is_in_name(reader->at[length]));
    reader->at += is_next ? length : 0;
    return is_next;
}

htp_status htp_formula_reader_expect(htp_formula_reader *reader, const char *token)
{
    return htp_formula_reader_takes(reader, token) ? HTP_OK
                                                   : htp_formula_reader_fail(reader, token);
}

size_t htp_formula_reader_name(htp_formula_reader *reader)
{
    skip_blanks(reader);
    size_t length = 0;
    bool begins = !isdigit((unsigned char)*reader->at) && is_in_name(*reader->at);
    while (begins && (is_in_name(reader->at[length]) ||
                      (reader->at[length] == '.' && is_in_name(reader->at[length + 1])))) {
        length++;
    }
    return length;
}

htp_status htp_formula_reader_string(htp_formula_reader *reader, const char **value, size_t *length)
{
    skip_blanks(reader);
    const char quote = *reader->at;
    if (quote != '\'' && quote != '"') {
        return htp_formula_reader_fail(reader, "a string");
    }
    const char *end = reader->at + 1;
    while (*end && *end != quote) {
        end += *end == '\\' && end[1] ? 2 : 1;
    }
    if (!*end) {
        return htp_formula_reader_fail(reader, "a string that ends");
    }
    *value = reader->at + 1;
    *length = (size_t)(end - *value);
    reader->at = end + 1;
    return HTP_OK;
}

htp_status htp_formula_reader_integer(htp_formula_reader *reader, int64_t *number)
{
    skip_blanks(reader);
    char *end = NULL;
    errno = 0;
    long long read = strtoll(reader->at, &end, 10);
    if (end == reader->at || is_in_name(*end)) {
        return htp_formula_reader_fail(reader, "an integer");
    }
    if (errno == ERANGE || read == INT64_MIN) { /* INT64_MIN has no negation */
        return htp_formula_reader_fail(reader, "an integer of 64 bits");
    }
    *number = read;
    reader->at = end;
    return HTP_OK;
}

htp_status htp_formula_reader_number(htp_formula_reader *reader, htp_exported_number *number)
{
    skip_blanks(reader);
    size_t digits = strspn(reader->at, "+-0123456789");
    if (reader->at[digits] != '.' && reader->at[digits] != 'e') {
        *number = htp_exported_integer(0);
        return htp_formula_reader_integer(reader, &number->whole);
    }
    char *end = NULL;
    double real = strtod(reader->at, &end);
    if (end == reader->at || is_in_name(*end) || !isfinite(real)) {
        return htp_formula_reader_fail(reader, "a number");
    }
    reader->at = end;
    *number = (htp_exported_number){.kind = HTP_EXPORTED_REAL, .real = real};
    return HTP_OK;
}

static htp_status too_deep(const htp_formula_reader *reader)
{
    return htp_status_make(HTP_CODE_UNSUPPORTED,
                           "a formula of sizes is nested too deep: \"%.*s...\"", SHOWN,
                           htp_text_printable(reader->arena, reader->text));
}

static htp_status add(htp_formula_reader *reader, htp_exported_step step)
{
    if (reader->steps.count >= MOST_STEPS) {
        return htp_status_make(HTP_CODE_UNSUPPORTED,
                               "a formula of sizes has more than %d parts: \"%.*s...\"", MOST_STEPS,
                               SHOWN, htp_text_printable(reader->arena, reader->text));
    }
    HTP_PUSH(reader->arena, &reader->steps, step);
    reader->height += 1 - operations[step.operation].arguments;
    return reader->height <= HTP_EXPORTED_HIGHEST ? HTP_OK : too_deep(reader);
}

htp_status htp_formula_reader_repeat(htp_formula_reader *reader, size_t step)
{
    return add(reader, reader->steps.items[step]);
}

htp_status htp_formula_reader_add(htp_formula_reader *reader, htp_exported_operation operation)
{
    return add(reader, (htp_exported_step){.operation = operation});
}

htp_status htp_formula_reader_add_number(htp_formula_reader *reader, htp_exported_number number)
{
    return add(reader, (htp_exported_step){HTP_EXPORTED_NUMBER, number});
}

htp_status htp_formula_reader_add_symbol(htp_formula_reader *reader, const char *name,
                                         size_t length)
{
    uint32_t index = htp_exported_symbol(reader->symbols, name, length);
    return add(reader, (htp_exported_step){HTP_EXPORTED_SYMBOL, htp_exported_integer(index)});
}

htp_status htp_formula_reader_enter(htp_formula_reader *reader)
{
    return ++reader->depth <= DEEPEST ? HTP_OK : too_deep(reader);
}

static int compare_name(const void *key, const void *row)
{
    return strcmp(key, ((const struct named *)row)->name);
}

static const struct named *find_name(const htp_formula_reader *reader, const char *name,
                                     size_t length)
{
    return bsearch(htp_arena_copy(reader->arena, name, length), names,
                   sizeof(names) / sizeof(*names), sizeof(*names), compare_name);
}

static htp_status read_arguments(htp_formula_reader *reader, const struct named *named,
                                 htp_formula_argument_fn argument, uint32_t *count)
{
    const bool is_folded = operations[named->operation].is_folded;
    bool goes_on = !htp_formula_reader_takes(reader, ")");
    while (goes_on) {
        HTP_TRY(argument(reader));
        if (++*count > 1 && is_folded) {
            HTP_TRY(htp_formula_reader_add(reader, named->operation));
        }
        goes_on = htp_formula_reader_takes(reader, ",");
        if (!goes_on) {
            HTP_TRY(htp_formula_reader_expect(reader, ")"));
        }
    }
    return HTP_OK;
}

htp_status htp_formula_reader_call(htp_formula_reader *reader, const char *name, size_t length,
                                   htp_formula_argument_fn argument)
{
    const struct named *named = find_name(reader, name, length);
    if (!named) {
        return htp_status_make(
            HTP_CODE_UNSUPPORTED, "a formula of sizes has a function that is not known: \"%s\"",
            htp_text_printable(reader->arena, htp_arena_copy(reader->arena, name, length)));
    }
    const struct operation *operation = &operations[named->operation];
    uint32_t count = 0;
    HTP_TRY(read_arguments(reader, named, argument, &count));
    bool is_decimal = named->operation == HTP_EXPORTED_ROUND && count == 2;
    if (is_decimal) {
        return htp_formula_reader_add(reader, HTP_EXPORTED_ROUND_DECIMAL);
    }
    if (operation->is_folded ? count == 0 : count != operation->arguments) {
        return htp_status_make(HTP_CODE_BAD_INPUT, "a formula of sizes gives %s %u arguments",
                               named->name, count);
    }
    return operation->is_folded ? HTP_OK : htp_formula_reader_add(reader, named->operation);
}
