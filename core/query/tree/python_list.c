#include "query/tree/python_list.h"

#include "base/text.h"

#include <string.h>

/* The text and the strings decoded from it, which are never longer. */
struct reader {
    const unsigned char *at, *end;
    char *to;
};

static const struct escape {
    unsigned char letter;
    char meaning;
} escapes[] = {{'n', '\n'}, {'t', '\t'}, {'r', '\r'}, {'\\', '\\'}, {'\'', '\''}, {'"', '"'}};

static bool take(struct reader *r, char expected)
{
    while (r->at < r->end && *r->at == ' ') {
        r->at++;
    }
    if (r->at == r->end || *r->at != (unsigned char)expected) {
        return false;
    }
    r->at++;
    return true;
}

static bool read_hex(struct reader *r, unsigned digits, uint32_t *code)
{
    *code = 0;
    for (unsigned i = 0; i < digits; i++, r->at++) {
        unsigned char c = r->at < r->end ? *r->at : 0;
        unsigned digit = (unsigned)(c >= '0' && c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
        if (digit > 15) {
            return false;
        }
        *code = *code << 4 | digit;
    }
    return true;
}

/* A code point as UTF-8. */
static void put_code(struct reader *r, uint32_t code)
{
    if (code < 0x80) {
        *r->to++ = (char)code;
    } else if (code < 0x800) {
        *r->to++ = (char)(0xc0 | code >> 6);
        *r->to++ = (char)(0x80 | (code & 0x3f));
    } else if (code < 0x10000) {
        *r->to++ = (char)(0xe0 | code >> 12);
        *r->to++ = (char)(0x80 | (code >> 6 & 0x3f));
        *r->to++ = (char)(0x80 | (code & 0x3f));
    } else {
        *r->to++ = (char)(0xf0 | (code >> 18 & 7));
        *r->to++ = (char)(0x80 | (code >> 12 & 0x3f));
        *r->to++ = (char)(0x80 | (code >> 6 & 0x3f));
        *r->to++ = (char)(0x80 | (code & 0x3f));
    }
}

static bool read_escape(struct reader *r)
{
    unsigned char letter = r->at < r->end ? *r->at++ : 0;
    for (size_t i = 0; i < sizeof(escapes) / sizeof(escapes[0]); i++) {
        if (escapes[i].letter == letter) {
            *r->to++ = escapes[i].meaning;
            return true;
        }
    }
    unsigned digits = letter == 'x' ? 2 : letter == 'u' ? 4 : letter == 'U' ? 8 : 0;
    uint32_t code;
    if (digits == 0 || !read_hex(r, digits, &code) || code == 0 || code > 0x10ffff) {
        return false;
    }
    put_code(r, code);
    return true;
}

static bool read_string(struct reader *r, htp_slice *string)
{
    unsigned char quote = r->at < r->end ? *r->at : 0;
    if (quote != '\'' && quote != '"') {
        return false;
    }
    r->at++;
    string->at = r->to;
    while (r->at < r->end && *r->at != quote) {
        char byte = (char)*r->at++;
        if (byte != '\\') {
            *r->to++ = byte;
        } else if (!read_escape(r)) {
            return false;
        }
    }
    string->length = (size_t)(r->to - string->at);
    return take(r, (char)quote);
}

size_t htp_python_list_read(htp_arena *arena, htp_span text, const htp_slice **strings)
{
    HTP_VECTOR(htp_slice) list = {0};
    *strings = NULL;
    if (text.bytes == 0) {
        return 0;
    }
    struct reader r = {
        .at = text.at, .end = text.at + text.bytes, .to = htp_arena_alloc(arena, text.bytes + 1)};
    bool is_list = take(&r, '[');
    while (is_list && !take(&r, ']')) {
        htp_slice string;
        while (r.at < r.end && *r.at == ' ') {
            r.at++;
        }
        is_list = read_string(&r, &string);
        if (is_list) {
            HTP_PUSH(arena, &list, string);
            (void)take(&r, ',');
        }
    }
    *strings = list.items;
    return is_list ? list.count : 0;
}
