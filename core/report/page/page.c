#include "report/page/page.h"

#include "report/page/page_text.h"

#include <string.h>

enum {
    LINE_SEPARATOR = 0xA8, /* the last of the three bytes of U+2028 */
    PARAGRAPH_SEPARATOR = 0xA9,
};

/* State of escaping the document. */
struct escaping {
    htp_stream *stream;
    int matched; /* bytes of a possible U+2028 or U+2029 that are held back */
};

static const char separator[] = {'\xE2', '\x80'};

static const char *escape_of(char byte)
{
    switch (byte) {
    case '<':
        return "\\u003c";
    case '>':
        return "\\u003e";
    case '&':
        return "\\u0026";
    default:
        return NULL;
    }
}

/* Passes on held bytes that did not become a separator. */
static void give_back(struct escaping *e)
{
    htp_text_add_bytes(&e->stream->text, separator, (size_t)e->matched);
    e->matched = 0;
}

/* Whether a byte continues or ends a separator. */
static bool take_separator(struct escaping *e, char byte)
{
    unsigned char last = (unsigned char)byte;
    if (e->matched == sizeof(separator) &&
        (last == LINE_SEPARATOR || last == PARAGRAPH_SEPARATOR)) {
        htp_text_add(&e->stream->text, last == LINE_SEPARATOR ? "\\u2028" : "\\u2029");
        e->matched = 0;
        return true;
    }
    if (e->matched < (int)sizeof(separator) && byte == separator[e->matched]) {
        e->matched++;
        return true;
    }
    give_back(e);
    e->matched = byte == separator[0];
    return e->matched > 0;
}

/* Escapes are valid only in strings, and JSON has these characters only in strings. */
static void put_escaped(void *user, const char *bytes, size_t length)
{
    struct escaping *e = user;
    htp_text *text = &e->stream->text;
    size_t plain = 0; /* start of the bytes to pass on unescaped */
    for (size_t i = 0; i < length; i++) {
        bool is_separator = (e->matched > 0 || bytes[i] == separator[0]);
        const char *escape = escape_of(bytes[i]);
        if (!is_separator && !escape) {
            continue;
        }
        htp_text_add_bytes(text, bytes + plain, i - plain);
        plain = i + 1;
        if (is_separator && take_separator(e, bytes[i])) {
            continue;
        }
        htp_text_add_bytes(text, bytes + i, escape ? 0 : 1);
        htp_text_add(text, escape ? escape : "");
    }
    htp_text_add_bytes(text, bytes + plain, length - plain);
    (void)htp_stream_pass(e->stream);
}

bool htp_page_write(htp_stream *stream, htp_page_document_fn write_document, void *user)
{
    struct escaping escaping = {.stream = stream};
    htp_json json = {.text.arena = stream->text.arena, .write = put_escaped, .user = &escaping};
    htp_text_add(&stream->text, htp_page_head);
    write_document(user, &json);
    htp_json_flush(&json);
    give_back(&escaping);
    htp_text_add(&stream->text, "\n");
    htp_text_add(&stream->text, htp_page_tail);
    return htp_stream_end(stream);
}
