/*
 * The parser of formulas in either syntax: a position in a text, and the steps so far. Private to
 * core/exported/expression.
 */
#ifndef HTP_EXPORTED_EXPRESSION_READER_H
#define HTP_EXPORTED_EXPRESSION_READER_H

#include "base/text.h"
#include "base/vector.h"
#include "exported/expression/expression.h"

typedef struct htp_formula_reader {
    htp_arena *arena;
    htp_interned *symbols;
    const char *text;
    const char *at;
    uint32_t depth;
    uint32_t height; /* of the stack of operands after the steps so far */
    HTP_VECTOR(htp_exported_step) steps;
} htp_formula_reader;

/** Begins with a text. */
htp_formula_reader htp_formula_reader_begin(htp_interned *symbols, const char *text);

/** Returns the parsed formula. The text must end here. */
HTP_MUST_USE htp_status htp_formula_reader_end(htp_formula_reader *reader,
                                               htp_exported_formula *formula);

/** Skips blanks, and @p token if it comes next. @return whether it did */
bool htp_formula_reader_takes(htp_formula_reader *reader, const char *token);

/** Skips a token, which must come next. */
HTP_MUST_USE htp_status htp_formula_reader_expect(htp_formula_reader *reader, const char *token);

/** The length of a dotted name here; 0 if there is none. */
size_t htp_formula_reader_name(htp_formula_reader *reader);

/** Reads a string. @param value  receives its bytes, with escapes unchanged */
HTP_MUST_USE htp_status htp_formula_reader_string(htp_formula_reader *reader, const char **value,
                                                  size_t *length);

/** Reads an integer, or a real number with a sign. */
HTP_MUST_USE htp_status htp_formula_reader_integer(htp_formula_reader *reader, int64_t *number);
HTP_MUST_USE htp_status htp_formula_reader_number(htp_formula_reader *reader,
                                                  htp_exported_number *number);

/** Adds a step; fails if there are too many steps, or too many operands on the stack. */
HTP_MUST_USE htp_status htp_formula_reader_add(htp_formula_reader *reader,
                                               htp_exported_operation operation);
HTP_MUST_USE htp_status htp_formula_reader_add_number(htp_formula_reader *reader,
                                                      htp_exported_number number);
HTP_MUST_USE htp_status htp_formula_reader_add_symbol(htp_formula_reader *reader, const char *name,
                                                      size_t length);

/** Adds a copy of a step. */
HTP_MUST_USE htp_status htp_formula_reader_repeat(htp_formula_reader *reader, size_t step);

/** Enters a level of nesting. The caller leaves it by reader->depth--. */
HTP_MUST_USE htp_status htp_formula_reader_enter(htp_formula_reader *reader);

/** Reads an argument of a function. */
typedef htp_status (*htp_formula_argument_fn)(htp_formula_reader *reader);

/** Parses the arguments of a function after its opening bracket, and adds its operation. */
HTP_MUST_USE htp_status htp_formula_reader_call(htp_formula_reader *reader, const char *name,
                                                size_t length, htp_formula_argument_fn argument);

/** Makes the failure of malformed text. */
HTP_MUST_USE htp_status htp_formula_reader_fail(const htp_formula_reader *reader,
                                                const char *wanted);

#endif
