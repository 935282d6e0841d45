/*
 * A growing string in an arena.
 */
#ifndef HTP_BASE_TEXT_H
#define HTP_BASE_TEXT_H

#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>

/** An empty text is {.arena = arena}. bytes is NUL-terminated once something was added. */
typedef struct htp_text {
    htp_arena *arena;
    char *bytes;
    size_t length;
    size_t capacity;
} htp_text;

/** Appends @p length bytes. */
void htp_text_add_bytes(htp_text *text, const char *bytes, size_t length);

/** Makes room for @p more bytes that may come. Unused room costs address space alone. */
void htp_text_expect(htp_text *text, size_t more);

/** Appends a string. */
void htp_text_add(htp_text *text, const char *string);

/** Appends a formatted string. */
void htp_text_addf(htp_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

/** Appends a number, faster than htp_text_addf(). */
void htp_text_add_number(htp_text *text, uint64_t number);

/** Appends a string; bytes that are not UTF-8 become U+FFFD. */
void htp_text_add_utf8(htp_text *text, const char *string);

/** Appends a string as a JSON string: quoted, escaped; bytes that are not UTF-8 become U+FFFD. */
void htp_text_add_json(htp_text *text, const char *string);

/** The same for @p length bytes, which may hold NULs. */
void htp_text_add_json_part(htp_text *text, const char *bytes, size_t length);

/** Appends a string as Python's repr() writes it: 'x', or "it's"; invalid bytes become surrogates,
 * as Python decodes them (\udcff). All characters beyond Latin-1 count as printable, which
 * ast.literal_eval() accepts. */
void htp_text_add_repr(htp_text *text, const char *string);

/** Appends a double so that it reads back the same, as Python writes it: 0.1, 1.0, 1e+20, inf. */
void htp_text_add_double(htp_text *text, double value);

/** A number for people: 1234567 as "1,234,567". */
const char *htp_text_grouped(htp_arena *arena, uint64_t number);

/** The length of the UTF-8 sequence at @p at, and its code point in @p code; 0 for invalid UTF-8
 * (including overlong forms and surrogates). "" gives 1 and code 0. */
size_t htp_text_utf8(const char *at, uint32_t *code);

/** Whether @p length bytes are UTF-8 without a NUL. */
bool htp_text_is_utf8(const char *bytes, size_t length);

/** Puts @p with in the place of each byte of what a terminal obeys or cannot show: control codes,
 * ends of lines, marks that turn the direction of text, and invalid UTF-8. */
void htp_text_disarm(char *string, char with);

/** The number of characters of a UTF-8 string, taken for columns. */
size_t htp_text_width(const char *string);

/** Whether @p string is one of @p count strings. */
bool htp_text_is_one_of(const char *string, const char *const *strings, size_t count);

/** The string; "" for an empty text. */
const char *htp_text_string(const htp_text *text);

/** Compares a name with that of a table's row, its first member, for bsearch(). */
int htp_row_compare(const void *name, const void *row);

/** @p name with control characters and bytes that are not UTF-8 percent-encoded; @p name itself if
 * there are none. */
const char *htp_text_printable(htp_arena *arena, const char *name);

/** A part of a file name: ASCII letters, digits and "._-" stay, all other bytes become "_". */
const char *htp_text_file_name(htp_arena *arena, const char *at, size_t length);

#endif
