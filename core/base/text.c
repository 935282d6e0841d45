#include "base/text.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_CAPACITY = 64 };

#define REPLACEMENT_CHARACTER "\xef\xbf\xbd" /* U+FFFD */

void htp_text_add_bytes(htp_text *text, const char *bytes, size_t length)
{
    if (text->capacity - text->length <= length) {
        size_t capacity = text->capacity ? text->capacity : FIRST_CAPACITY;
        while (capacity - text->length <= length) {
            capacity = capacity > SIZE_MAX / 2 ? SIZE_MAX : capacity * 2;
        }
        text->bytes = htp_arena_grow(text->arena, text->bytes, text->length, capacity, 1);
        text->capacity = capacity;
    }
    if (length) {
        memcpy(text->bytes + text->length, bytes, length);
    }
    text->length += length;
    text->bytes[text->length] = '\0';
}

void htp_text_expect(htp_text *text, size_t more)
{
    if (text->capacity - text->length <= more) {
        const size_t capacity = text->length + more + 1;
        text->bytes = htp_arena_grow(text->arena, text->bytes, text->length, capacity, 1);
        text->capacity = capacity;
    }
}

void htp_text_add(htp_text *text, const char *string)
{
    htp_text_add_bytes(text, string, strlen(string));
}

void htp_text_addf(htp_text *text, const char *format, ...)
{
    char buffer[256];
    va_list arguments;
    va_start(arguments, format);
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(buffer, sizeof(buffer), format, arguments);
    if (length >= 0 && (size_t)length < sizeof(buffer)) {
        htp_text_add_bytes(text, buffer, (size_t)length);
    } else {
        htp_text_add(text, htp_arena_vprintf(text->arena, format, again));
    }
    va_end(again);
    va_end(arguments);
}

void htp_text_add_number(htp_text *text, uint64_t number)
{
    char digits[20]; /* of the largest number */
    size_t at = sizeof(digits);
    do {
        digits[--at] = (char)('0' + number % 10);
        number /= 10;
    } while (number);
    htp_text_add_bytes(text, digits + at, sizeof(digits) - at);
}

size_t htp_text_utf8(const char *at, uint32_t *code)
{
    static const struct {
        unsigned char mask, lead;
        uint32_t smallest;
    } forms[] = {{0x80, 0x00, 0}, {0xe0, 0xc0, 0x80}, {0xf0, 0xe0, 0x800}, {0xf8, 0xf0, 0x10000}};
    const unsigned char *byte = (const unsigned char *)at;
    for (size_t extra = 0; extra < sizeof(forms) / sizeof(forms[0]); extra++) {
        if ((byte[0] & forms[extra].mask) != forms[extra].lead) {
            continue;
        }
        uint32_t value = byte[0] & (unsigned char)~forms[extra].mask;
        for (size_t i = 1; i <= extra; i++) {
            if ((byte[i] & 0xc0) != 0x80) { /* also stops at the closing NUL */
                return 0;
            }
            value = value << 6 | (byte[i] & 0x3f);
        }
        if (value < forms[extra].smallest || value > 0x10ffff ||
            (value >= 0xd800 && value <= 0xdfff)) {
            return 0;
        }
        *code = value;
        return extra + 1;
    }
    return 0;
}

/* Whether 8 bytes are ASCII without a NUL: no high bit is set, and subtracting 1 from each byte
 * borrows from none. */
static bool are_ascii(const char *bytes)
{
    uint64_t word;
    memcpy(&word, bytes, sizeof(word));
    return ((word | (word - UINT64_C(0x0101010101010101))) & UINT64_C(0x8080808080808080)) == 0;
}

/* C0 and C1 control codes, ends of lines and paragraphs, and embeddings of other directions. */
static bool is_obeyed(uint32_t code)
{
    return code < 0x20 || (code >= 0x7f && code <= 0x9f) || (code >= 0x2028 && code <= 0x202e) ||
           (code >= 0x2066 && code <= 0x2069);
}

void htp_text_disarm(char *string, char with)
{
    uint32_t code = 0;
    while (*string) {
        size_t length = htp_text_utf8(string, &code);
        if (length == 0 || is_obeyed(code)) {
            length = length > 0 ? length : 1;
            memset(string, with, length);
        }
        string += length;
    }
}

bool htp_text_is_utf8(const char *bytes, size_t length)
{
    enum { LONGEST = 4 };
    for (size_t at = 0; at < length;) {
        if (length - at >= sizeof(uint64_t) && are_ascii(bytes + at)) {
            at += sizeof(uint64_t);
            continue;
        }
        char last[LONGEST + 1] = {0}; /* ends sequences that exceed the bytes */
        size_t left = length - at < LONGEST ? length - at : LONGEST;
        uint32_t code;
        memcpy(last, bytes + at, left);
        size_t taken = htp_text_utf8(last, &code);
        if (taken == 0 || code == 0) {
            return false;
        }
        at += taken;
    }
    return true;
}

void htp_text_add_utf8(htp_text *text, const char *string)
{
    while (*string) {
        uint32_t code;
        size_t length = htp_text_utf8(string, &code);
        if (length) {
            htp_text_add_bytes(text, string, length);
            string += length;
        } else {
            htp_text_add(text, REPLACEMENT_CHARACTER);
            string++;
        }
    }
}

static void add_json_character(htp_text *text, const char *at, size_t length, uint32_t code)
{
    static const char short_names[] = "btn\0fr"; /* of 8 to 13; 11 has none */
    if (length == 0) {
        htp_text_add(text, REPLACEMENT_CHARACTER);
    } else if (code >= 0x20) {
        htp_text_add(text, code == '"' || code == '\\' ? "\\" : "");
        htp_text_add_bytes(text, at, length);
    } else if (code >= 8 && code <= 13 && short_names[code - 8]) {
        htp_text_addf(text, "\\%c", short_names[code - 8]);
    } else {
        htp_text_addf(text, "\\u%04x", (unsigned)code);
    }
}

/* The number of bytes that JSON needs not escape. */
static size_t plain_bytes(const char *bytes, size_t length)
{
    size_t count = 0;
    while (count < length && (unsigned char)bytes[count] >= 0x20 &&
           (unsigned char)bytes[count] < 0x7f && bytes[count] != '"' && bytes[count] != '\\') {
        count++;
    }
    return count;
}

void htp_text_add_json_part(htp_text *text, const char *bytes, size_t length)
{
    enum { LONGEST = 4 };
    htp_text_add(text, "\"");
    for (size_t at = 0; at < length;) {
        size_t plain = plain_bytes(bytes + at, length - at);
        htp_text_add_bytes(text, bytes + at, plain);
        at += plain;
        if (at < length) {
            char next[LONGEST + 1] = {0}; /* ends a sequence that exceeds the bytes */
            uint32_t code = 0;
            memcpy(next, bytes + at, length - at < LONGEST ? length - at : LONGEST);
            size_t taken = htp_text_utf8(next, &code);
            add_json_character(text, next, taken, code);
            at += taken ? taken : 1;
        }
    }
    htp_text_add(text, "\"");
}

void htp_text_add_json(htp_text *text, const char *string)
{
    htp_text_add_json_part(text, string, strlen(string));
}

static void add_repr_character(htp_text *text, const char *at, size_t length, uint32_t code,
                               char quote)
{
    if (length == 0) {
        htp_text_addf(text, "\\udc%02x", (unsigned)(unsigned char)*at);
    } else if (code == (uint32_t)quote || code == '\\') {
        htp_text_addf(text, "\\%c", (int)code);
    } else if (code == '\n' || code == '\r' || code == '\t') {
        htp_text_add(text, code == '\n' ? "\\n" : code == '\r' ? "\\r" : "\\t");
    } else if (code < 0x20 || (code >= 0x7f && code <= 0xa0) || code == 0xad) {
        htp_text_addf(text, "\\x%02x", (unsigned)code);
    } else {
        htp_text_add_bytes(text, at, length);
    }
}

/* The number of bytes that repr() does not escape. */
static size_t plain_repr_bytes(const char *string)
{
    size_t count = 0;
    while ((unsigned char)string[count] >= 0x20 && (unsigned char)string[count] < 0x7f &&
           string[count] != '\'' && string[count] != '"' && string[count] != '\\') {
        count++;
    }
    return count;
}

void htp_text_add_repr(htp_text *text, const char *string)
{
    char quote = strchr(string, '\'') && !strchr(string, '"') ? '"' : '\'';
    htp_text_add_bytes(text, &quote, 1);
    for (;;) {
        size_t plain = plain_repr_bytes(string);
        htp_text_add_bytes(text, string, plain);
        string += plain;
        if (!*string) {
            break;
        }
        uint32_t code = 0;
        size_t length = htp_text_utf8(string, &code);
        add_repr_character(text, string, length, code, quote);
        string += length ? length : 1;
    }
    htp_text_add_bytes(text, &quote, 1);
}

void htp_text_add_double(htp_text *text, double value)
{
    if (!isfinite(value)) {
        htp_text_add(text, isnan(value) ? "nan" : value < 0 ? "-inf" : "inf");
        return;
    }
    char buffer[40];
    for (int digits = 15; digits <= 17; digits++) {
        (void)snprintf(buffer, sizeof(buffer), "%.*g", digits, value);
        if (strtod(buffer, NULL) == value) {
            break;
        }
    }
    char *point = buffer + strspn(buffer, "+-0123456789e");
    if (*point) {
        *point = '.'; /* the locale may use a comma */
    }
    htp_text_add(text, buffer);
    if (!strpbrk(buffer, ".e")) {
        htp_text_add(text, ".0");
    }
}

size_t htp_text_width(const char *string)
{
    size_t width = 0;
    for (; *string; string++) {
        width += ((unsigned char)*string & 0xc0) != 0x80;
    }
    return width;
}

bool htp_text_is_one_of(const char *string, const char *const *strings, size_t count)
{
    bool found = false;
    for (size_t i = 0; i < count && !found; i++) {
        found = strcmp(string, strings[i]) == 0;
    }
    return found;
}

const char *htp_text_string(const htp_text *text)
{
    return text->bytes ? text->bytes : "";
}

const char *htp_text_grouped(htp_arena *arena, uint64_t number)
{
    char digits[24];
    int length = snprintf(digits, sizeof(digits), "%" PRIu64, number);
    htp_text text = {.arena = arena};
    for (int i = 0; i < length; i++) {
        htp_text_add(&text, i && (length - i) % 3 == 0 ? "," : "");
        htp_text_add_bytes(&text, &digits[i], 1);
    }
    return htp_text_string(&text);
}

int htp_row_compare(const void *name, const void *row)
{
    return strcmp(name, *(const char *const *)row);
}

/* The length of the character at @p at; 0 if it must be escaped. */
static size_t printable_length(const char *at)
{
    uint32_t code;
    size_t length = htp_text_utf8(at, &code);
    return length > 0 && !is_obeyed(code) ? length : 0;
}

const char *htp_text_printable(htp_arena *arena, const char *name)
{
    const char *at = name;
    while (*at && printable_length(at)) {
        at += printable_length(at);
    }
    if (!*at) {
        return name;
    }
    htp_text text = {.arena = arena};
    htp_text_add_bytes(&text, name, (size_t)(at - name));
    while (*at) {
        size_t length = printable_length(at);
        if (length) {
            htp_text_add_bytes(&text, at, length);
            at += length;
        } else {
            htp_text_addf(&text, "%%%02X", (unsigned)(unsigned char)*at++);
        }
    }
    return htp_text_string(&text);
}

const char *htp_text_file_name(htp_arena *arena, const char *at, size_t length)
{
    char *name = htp_arena_copy(arena, at, length);
    for (size_t i = 0; i < length; i++) {
        unsigned char byte = (unsigned char)name[i];
        bool is_harmless = byte < 0x80 && (isalnum(byte) || (byte != 0 && strchr("._-", byte)));
        name[i] = (char)(is_harmless ? byte : '_');
    }
    return name;
}
