/*
 * The page of tag quality: its frame, and that text of the document cannot escape into markup.
 */
#include "report/page/page.h"
#include "unit.h"

#include <string.h>

/* A document that is streamed in pieces of some length. */
struct pieces {
    const char *text;
    size_t length;
};

static void write_pieces(void *user, htp_json *json)
{
    const struct pieces *pieces = user;
    size_t left = strlen(pieces->text);
    for (const char *at = pieces->text; left > 0;) {
        size_t length = left < pieces->length ? left : pieces->length;
        htp_text_add_bytes(&json->text, at, length);
        htp_json_flush(json);
        at += length;
        left -= length;
    }
}

static bool take(void *user, const void *bytes, size_t count)
{
    htp_text_add_bytes(user, bytes, count);
    return true;
}

static const char *page_of(htp_arena *arena, const char *document, size_t length)
{
    static htp_text page;
    page = (htp_text){.arena = arena};
    struct pieces pieces = {document, length};
    htp_stream stream = htp_stream_new(arena, take, &page);
    ck_assert(htp_page_write(&stream, write_pieces, &pieces));
    return htp_text_string(&page);
}

/* The text between the tags of the document. */
static const char *document_of(htp_arena *arena, const char *page)
{
    static const char begin[] = "<script type=\"application/json\" id=\"document\">\n";
    const char *at = strstr(page, begin);
    ck_assert_ptr_nonnull(at);
    at += strlen(begin);
    const char *end = strstr(at, "\n</script>\n<script>\n");
    ck_assert_ptr_nonnull(end);
    return htp_arena_printf(arena, "%.*s", (int)(end - at), at);
}

UNIT_TEST(documents_stay_in_their_place)
{
    static const char *const rows[][2] = {
        {"{}", "{}"},
        {"</script>", "\\u003c/script\\u003e"},
        {"<!--<script>&amp;", "\\u003c!--\\u003cscript\\u003e\\u0026amp;"},
        {"a\xe2\x80\xa8"
         "b\xe2\x80\xa9",
         "a\\u2028b\\u2029"},
        {"\xe2\x80\xa7\xe2\x80\xaf\xe2\x82\xa8", "\xe2\x80\xa7\xe2\x80\xaf\xe2\x82\xa8"},
        {"\xe2\xe2\x80\xe2\x80\xa8\xe2<\xe2\x80>", "\xe2\xe2\x80\\u2028\xe2\\u003c\xe2\x80\\u003e"},
        {"\xe2\x80", "\xe2\x80"},
        {"\xe2", "\xe2"},
        {"", ""},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        for (size_t length = 1; length <= strlen(rows[i][0]) + 1; length++) {
            const char *page = page_of(arena, rows[i][0], length);
            ck_assert_str_eq(document_of(arena, page), rows[i][1]);
        }
    }
}

UNIT_TEST(pages_are_whole)
{
    const char *page = page_of(arena, "{}", 1);
    ck_assert_ptr_eq(strstr(page, "<!DOCTYPE html>\n"), page);
    ck_assert_str_eq(strstr(page, "</html>"), "</html>\n");
    ck_assert_ptr_nonnull(strstr(page, "\"default-src 'none'; "));
    ck_assert_ptr_nonnull(strstr(page, "\n'use strict';\n"));
    ck_assert_ptr_nonnull(strstr(page, "\n@media print {\n"));
    ck_assert_ptr_null(strstr(page, "@STYLE"));
    ck_assert_ptr_null(strstr(page, "@SCRIPT"));
    ck_assert_ptr_null(strstr(page, "@DOCUMENT"));
}

static bool refuse(void *user, const void *bytes, size_t count)
{
    (void)bytes;
    (void)count;
    ++*(int *)user;
    return false;
}

UNIT_TEST(who_takes_no_more_is_not_asked_again)
{
    int calls = 0;
    htp_text document = {.arena = arena};
    for (int i = 0; i < 100000; i++) {
        htp_text_add(&document, "[1, 2], ");
    }
    struct pieces pieces = {htp_text_string(&document), 1000};
    htp_stream stream = htp_stream_new(arena, refuse, &calls);
    ck_assert(!htp_page_write(&stream, write_pieces, &pieces));
    ck_assert_int_eq(calls, 1);
    ck_assert_uint_lt(stream.text.capacity, 1 << 19);
}

UNIT_MAIN("page", documents_stay_in_their_place, pages_are_whole,
          who_takes_no_more_is_not_asked_again)
