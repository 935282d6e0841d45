#include "base/json/json.h"
#include "base/text.h"
#include "unit.h"

#include <math.h>
#include <string.h>

typedef void (*add_fn)(htp_text *text, const char *string);

static const char *made(htp_arena *arena, add_fn add, const char *string)
{
    htp_text text = {.arena = arena};
    add(&text, string);
    return htp_text_string(&text);
}

UNIT_TEST(empty_text_is_an_empty_string)
{
    htp_text text = {.arena = arena};
    ck_assert_str_eq(htp_text_string(&text), "");
    htp_text_add(&text, "");
    ck_assert_str_eq(htp_text_string(&text), "");
}

UNIT_TEST(appending_grows)
{
    htp_text text = {.arena = arena};
    for (int i = 0; i < 5000; i++) {
        htp_text_addf(&text, "%04d", i);
    }
    htp_text_addf(&text, "%*d", 1000, 5);
    ck_assert_uint_eq(text.length, 21000);
    ck_assert_uint_eq(strlen(text.bytes), 21000);
    ck_assert_int_eq(strncmp(text.bytes + 17284, "4321", 4), 0);
    ck_assert_str_eq(text.bytes + 20998, " 5");
}

UNIT_TEST(formats_of_every_length)
{
    for (int length = 250; length < 260; length++) {
        htp_text text = {.arena = arena};
        htp_text_addf(&text, "%*d", length, 1);
        ck_assert_uint_eq(strlen(htp_text_string(&text)), (size_t)length);
    }
}

UNIT_TEST(json_strings)
{
    static const char *const pairs[][2] = {
        {"", "\"\""},
        {"a/b", "\"a/b\""},
        {"\"\\", "\"\\\"\\\\\""},
        {"\b\t\n\v\f\r\x01\x1f", "\"\\b\\t\\n\\u000b\\f\\r\\u0001\\u001f\""},
        {"gr\xc3\xb6\xc3\x9f\x65 \xf0\x9f\x99\x82", "\"gr\xc3\xb6\xc3\x9f\x65 \xf0\x9f\x99\x82\""},
        {"a\xffz", "\"a\xef\xbf\xbdz\""},
        {"\xc3", "\"\xef\xbf\xbd\""},
        {"\xc0\xaf", "\"\xef\xbf\xbd\xef\xbf\xbd\""},
    };
    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
        ck_assert_str_eq(made(arena, htp_text_add_json, pairs[i][0]), pairs[i][1]);
    }
}

/* Right sides: repr() of CPython 3.11 for the bytes decoded with surrogateescape. */
UNIT_TEST(python_strings)
{
    static const char *const pairs[][2] = {
        {"", "''"},
        {"encoder.layer.0", "'encoder.layer.0'"},
        {"it's", "\"it's\""},
        {"say \"x\"", "'say \"x\"'"},
        {"'\"", "'\\'\"'"},
        {"a\\b", "'a\\\\b'"},
        {"\t\n\r\x01\x7f", "'\\t\\n\\r\\x01\\x7f'"},
        {"\xc2\x85\xc2\xa0\xc2\xad\xc3\xb6", "'\\x85\\xa0\\xad\xc3\xb6'"},
        {"a\xffz", "'a\\udcffz'"},
    };
    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
        ck_assert_str_eq(made(arena, htp_text_add_repr, pairs[i][0]), pairs[i][1]);
    }
}

UNIT_TEST(plain_utf8)
{
    ck_assert_str_eq(made(arena, htp_text_add_utf8, "a\n\xc3\xb6"), "a\n\xc3\xb6");
    ck_assert_str_eq(made(arena, htp_text_add_utf8, "a\x80z"), "a\xef\xbf\xbdz");
}

UNIT_TEST(utf8_sequences)
{
    static const struct {
        const char *bytes;
        size_t length;
        uint32_t code;
    } cases[] = {
        {"", 1, 0},
        {"a", 1, 'a'},
        {"\xc2\x80", 2, 0x80},
        {"\xe2\x82\xac", 3, 0x20ac},
        {"\xf4\x8f\xbf\xbf", 4, 0x10ffff},
        {"\xf4\x90\x80\x80", 0, 0}, /* above Unicode */
        {"\xed\xa0\x80", 0, 0},     /* a surrogate */
        {"\xc1\xbf", 0, 0},         /* overlong */
        {"\xe0\x9f\xbf", 0, 0},
        {"\xf0\x8f\xbf\xbf", 0, 0},
        {"\x80", 0, 0},
        {"\xe2\x82", 0, 0}, /* cut short */
        {"\xf8\x88\x80\x80\x80", 0, 0},
        {"\xff", 0, 0},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        uint32_t code = 0;
        ck_assert_uint_eq(htp_text_utf8(cases[i].bytes, &code), cases[i].length);
        ck_assert_uint_eq(code, cases[i].code);
    }
}

UNIT_TEST(doubles_read_back)
{
    static const struct {
        double value;
        const char *text;
    } cases[] = {
        {0.1, "0.1"},
        {1, "1.0"},
        {-2.5, "-2.5"},
        {1e20, "1e+20"},
        {1.0 / 3, "0.3333333333333333"},
        {INFINITY, "inf"},
        {-INFINITY, "-inf"},
        {(double)NAN, "nan"},
        {5e-324, "4.94065645841247e-324"},
        {-0.0, "-0.0"},
        {123456789012345.0, "123456789012345.0"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        htp_text text = {.arena = arena};
        htp_text_add_double(&text, cases[i].value);
        ck_assert_str_eq(htp_text_string(&text), cases[i].text);
        if (!isnan(cases[i].value)) {
            ck_assert(strtod(htp_text_string(&text), NULL) == cases[i].value);
        }
    }
}

UNIT_TEST(what_is_utf8)
{
    ck_assert(htp_text_is_utf8("", 0) && htp_text_is_utf8("a\xc3\xa9\xf0\x9f\x98\x80", 7));
    ck_assert(!htp_text_is_utf8("a\xc3\xa9", 2)); /* truncated within a character */
    ck_assert(!htp_text_is_utf8("\xff", 1) && !htp_text_is_utf8("a\0b", 3));
}

UNIT_TEST(json_piece_by_piece)
{
    htp_json json = {.text.arena = arena};
    htp_json_begin(&json, NULL, '{');
    htp_json_string(&json, "a", "x\"y");
    htp_json_begin(&json, "list", '[');
    htp_json_number(&json, NULL, -3);
    htp_json_begin(&json, NULL, '[');
    htp_json_end(&json, ']');
    htp_json_string_part(&json, NULL, "abc", 2);
    htp_json_end(&json, ']');
    htp_json_count(&json, "n", UINT64_MAX);
    htp_json_bool(&json, "yes", true);
    htp_json_string(&json, "none", NULL);
    htp_json_end(&json, '}');
    ck_assert_str_eq(htp_text_string(&json.text),
                     "{\"a\": \"x\\\"y\", \"list\": [-3, [], \"ab\"], "
                     "\"n\": 18446744073709551615, \"yes\": true, \"none\": null}");
}

static void take_piece(void *user, const char *bytes, size_t length)
{
    htp_text_add_bytes(user, bytes, length);
}

/* The streamed pieces equal the whole text, and only part of it is buffered. */
UNIT_TEST(json_that_is_handed_on)
{
    htp_text all = {.arena = arena};
    htp_json whole = {.text.arena = arena};
    htp_json parts = {.text.arena = arena, .write = take_piece, .user = &all};
    htp_json *const both[] = {&whole, &parts};
    for (int k = 0; k < 2; k++) {
        htp_json_begin(both[k], NULL, '{');
        for (int i = 0; i < 20000; i++) {
            htp_json_line(both[k]);
            htp_json_begin(both[k], "a key of some length", '[');
            htp_json_double(both[k], NULL, 0.5);
            htp_json_raw(both[k], NULL, "{}");
            htp_json_end(both[k], ']');
            ck_assert_uint_lt(parts.text.length, 100000);
        }
        htp_json_line(both[k]);
        htp_json_end(both[k], '}');
    }
    htp_json_flush(&parts);
    ck_assert_uint_eq(all.length, whole.text.length);
    ck_assert_str_eq(htp_text_string(&all), htp_text_string(&whole.text));
    ck_assert_ptr_nonnull(strstr(all.bytes, "{\n\"a key of some length\": [0.5, {}],\n\"a key"));
    ck_assert_ptr_nonnull(strstr(all.bytes, "[0.5, {}]\n}"));
}

UNIT_TEST(json_strings_with_nuls)
{
    htp_text text = {.arena = arena};
    htp_text_add_json_part(&text, "a\0b\xc3\xa9\xc3", 6); /* the last character is truncated */
    ck_assert_str_eq(htp_text_string(&text), "\"a\\u0000b\xc3\xa9\xef\xbf\xbd\"");
}

UNIT_MAIN("text", what_is_utf8, json_piece_by_piece, json_that_is_handed_on, json_strings_with_nuls,
          empty_text_is_an_empty_string, appending_grows, formats_of_every_length, json_strings,
          python_strings, plain_utf8, utf8_sequences, doubles_read_back)
