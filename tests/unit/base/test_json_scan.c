#include "base/json/json_scan.h"
#include "unit.h"

#include <string.h>

static htp_json_part part_of(const char *text)
{
    return (htp_json_part){text, strlen(text)};
}

/* Whether a text is one JSON value; it is copied to memory of exactly its size. */
static bool is_json(const char *text)
{
    size_t length = strlen(text);
    char *copy = malloc(length + 1); /* whose last byte differs from the text's */
    ck_assert_ptr_nonnull(copy);
    memset(copy, '!', length + 1);
    for (size_t i = 0; i < length; i++) {
        copy[i] = text[i];
    }
    htp_json_scan scan = htp_json_scan_of((htp_json_part){copy, length});
    htp_json_part value;
    bool is_value = htp_json_scan_value(&scan, &value) && htp_json_scan_end(&scan);
    free(copy);
    return is_value;
}

UNIT_TEST(what_is_json)
{
    static const char *const texts[] = {"0",
                                        "-0",
                                        "12",
                                        "1.5",
                                        "-1.5e+7",
                                        "2E-3",
                                        "true",
                                        "false",
                                        "null",
                                        "\"\"",
                                        "\"a\\n\"",
                                        "\"\\u00e9\\\"\"",
                                        "\"\\ud83d\\uDE00\"",
                                        "\"12345678\\\\12345678\\\"12345678\"",
                                        "[]",
                                        "{}",
                                        " [ ] ",
                                        "[1, 2]",
                                        "[[],[{}]]",
                                        "{\"a\":1}",
                                        "\t7",
                                        "[\"]\"]",
                                        "{\"}\":{}} ",
                                        "{\"\": []}"};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        ck_assert_msg(is_json(texts[i]), "%s", texts[i]);
    }
}

UNIT_TEST(what_is_no_json)
{
    static const char *const texts[] = {
        "",
        " ",
        "-",
        "01",
        "-01",
        "1.",
        ".5",
        "1e",
        "1e+",
        "+1",
        "tru",
        "nulL",
        "True",
        "\"",
        "\"\\\"",
        "\"\\x\"",
        "\"\\u12\"",
        "\"\\u000g\"",
        "\"\\u0000\"",
        "\"\\ud800\"",
        "\"\\ud83d\\n00\"",
        "\"\\ud83d\\u0041\"",
        "\"\\udc00\"",
        "\"12345678\t\"",
        "0.0000000000000000000000000000000000000000000000000000000000000001",
        "\"12345678",
        "\"\n\"",
        "[",
        "]",
        "[1",
        "[1,]",
        "[,1]",
        "[1 2]",
        "{",
        "{]",
        "{\"a\"}",
        "{\"a\":}",
        "{a:1}",
        "{1:1}",
        "{\"a\":1,}",
        "{\"a\":1 \"b\":2}",
        "{,}",
        "[}",
        "1 2",
        "[]]",
        "{}}",
        "nan"};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        ck_assert_msg(!is_json(texts[i]), "%s", texts[i]);
    }
}

UNIT_TEST(depth_has_a_bound)
{
    char text[2 * HTP_JSON_DEEPEST + 3] = {0};
    memset(text, '[', HTP_JSON_DEEPEST);
    memset(text + HTP_JSON_DEEPEST, ']', HTP_JSON_DEEPEST);
    ck_assert(is_json(text));
    memset(text, '[', HTP_JSON_DEEPEST + 1);
    memset(text + HTP_JSON_DEEPEST + 1, ']', HTP_JSON_DEEPEST + 1);
    ck_assert(!is_json(text));
}

static bool equals(htp_json_part part, const char *text)
{
    return part.length == strlen(text) && memcmp(part.at, text, part.length) == 0;
}

UNIT_TEST(members_and_items)
{
    htp_json_part key, value;
    htp_json_scan scan = htp_json_scan_of(part_of(" {\"a\" : [1, {}] , \"b\":\"x\"} "));
    ck_assert(htp_json_scan_enter(&scan, '{'));
    ck_assert(htp_json_scan_next(&scan, &key, &value));
    ck_assert(equals(key, "\"a\"") && equals(value, "[1, {}]"));
    htp_json_scan inner = htp_json_scan_of(value);
    ck_assert(htp_json_scan_enter(&inner, '['));
    ck_assert(htp_json_scan_next(&inner, NULL, &value) && equals(value, "1"));
    ck_assert(htp_json_scan_next(&inner, NULL, &value) && equals(value, "{}"));
    ck_assert(!htp_json_scan_next(&inner, NULL, &value) && htp_json_scan_end(&inner));
    ck_assert(htp_json_scan_next(&scan, &key, &value));
    ck_assert(equals(key, "\"b\"") && equals(value, "\"x\""));
    ck_assert(!htp_json_scan_next(&scan, &key, &value) && htp_json_scan_end(&scan));
}

UNIT_TEST(failures_stay)
{
    htp_json_part key, value;
    htp_json_scan scan = htp_json_scan_of(part_of("{\"a\": 1 \"b\": 2}"));
    ck_assert(!htp_json_scan_enter(&scan, '['));
    ck_assert_ptr_nonnull(scan.failure);
    scan = htp_json_scan_of(part_of("{\"a\": 1 \"b\": 2}"));
    ck_assert(htp_json_scan_enter(&scan, '{') && htp_json_scan_next(&scan, &key, &value));
    ck_assert(!htp_json_scan_next(&scan, &key, &value));
    ck_assert(!htp_json_scan_next(&scan, &key, &value) && !htp_json_scan_end(&scan));
    ck_assert_str_eq(scan.failure, "no comma and no bracket where one must be");
}

UNIT_MAIN("json_scan", what_is_json, what_is_no_json, depth_has_a_bound, members_and_items,
          failures_stay)
