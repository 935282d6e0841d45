#include "base/json/json_tree.h"
#include "unit.h"

#include <math.h>
#include <string.h>

static const htp_json_node *read(htp_arena *arena, const char *text)
{
    htp_json_failure failure;
    return htp_json_tree_read(arena, text, strlen(text), &failure);
}

UNIT_TEST(nodes_have_spans)
{
    const htp_json_node *root = read(arena, " {\"a\": [1, {\"b\": null}], \"c\": \"x\"} ");
    ck_assert_ptr_nonnull(root);
    ck_assert_int_eq(root->kind, '{');
    ck_assert_uint_eq(root->count, 2);
    ck_assert_uint_eq(root->span, 9);
    const htp_json_node *list = htp_json_member(root, "a");
    ck_assert_ptr_nonnull(list);
    ck_assert_uint_eq(list->count, 2);
    const htp_json_node *second = htp_json_end_of(htp_json_first(list));
    ck_assert_int_eq(second->kind, '{');
    ck_assert_int_eq(htp_json_member(second, "b")->kind, 'n');
    ck_assert_ptr_eq(htp_json_end_of(second), htp_json_end_of(list));
    ck_assert(htp_json_node_is(htp_json_member(root, "c"), "x"));
    ck_assert(!htp_json_node_is(htp_json_member(root, "c"), "xy"));
    ck_assert_ptr_null(htp_json_member(root, "b"));
    ck_assert_ptr_null(htp_json_member(list, "a"));
}

UNIT_TEST(strings_are_decoded)
{
    static const char *const texts[][2] = {
        {"\"\"", ""},
        {"\"a b\"", "a b"},
        {"\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\/\b\f\n\r\t"},
        {"\"x\\u0041\\u00e9\\u20AC\"", "xA\xc3\xa9\xe2\x82\xac"},
        {"\"\\ud83d\\uDE00!\"", "\xf0\x9f\x98\x80!"},
    };
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        size_t bytes = 0;
        const char *text = htp_json_node_text(arena, read(arena, texts[i][0]), &bytes);
        ck_assert_str_eq(text, texts[i][1]);
        ck_assert_uint_eq(bytes, strlen(texts[i][1]));
    }
}

UNIT_TEST(numbers_are_what_they_are)
{
    int64_t whole = 0;
    double real = 0;
    ck_assert(htp_json_node_integer(read(arena, "-9223372036854775808"), &whole));
    ck_assert_int_eq(whole, INT64_MIN);
    ck_assert(!htp_json_node_integer(read(arena, "9223372036854775808"), &whole));
    ck_assert(!htp_json_node_integer(read(arena, "1.0"), &whole));
    ck_assert(!htp_json_node_integer(read(arena, "\"1\""), &whole));
    ck_assert(htp_json_node_real(read(arena, "1e-3"), &real));
    ck_assert_double_eq(real, 1e-3);
    ck_assert(htp_json_node_real(read(arena, "\"-Infinity\""), &real));
    ck_assert(isinf(real) && real < 0);
    ck_assert(htp_json_node_real(read(arena, "\"NaN\""), &real));
    ck_assert(isnan(real));
    ck_assert(!htp_json_node_real(read(arena, "\"1\""), &real));
    ck_assert(!htp_json_node_real(read(arena, "true"), &real));
}

UNIT_TEST(what_is_no_json_is_refused)
{
    static const char *const texts[] = {"",      "{",     "[1,]",   "{\"a\"}",     "{\"a\": }",
                                        "1 2",   "[1] ]", "{1: 2}", "\"\\u0000\"", "nul",
                                        "[\"a]", "{,}"};
    htp_json_failure failure = {.what = NULL};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        ck_assert_msg(!read(arena, texts[i]), "%s", texts[i]);
    }
    ck_assert_ptr_null(htp_json_tree_read(arena, "[1, x]", 6, &failure));
    ck_assert_uint_eq(failure.at, 4);
    ck_assert_ptr_nonnull(failure.what);
}

UNIT_TEST(depth_has_a_bound)
{
    char text[2 * HTP_JSON_TREE_DEEPEST + 2];
    for (size_t depth = HTP_JSON_TREE_DEEPEST; depth <= HTP_JSON_TREE_DEEPEST + 1; depth++) {
        htp_json_failure failure;
        memset(text, '[', depth);
        memset(text + depth, ']', depth);
        bool is_read = htp_json_tree_read(arena, text, 2 * depth, &failure) != NULL;
        ck_assert(is_read == (depth == HTP_JSON_TREE_DEEPEST));
    }
}

UNIT_MAIN("json_tree", nodes_have_spans, strings_are_decoded, numbers_are_what_they_are,
          what_is_no_json_is_refused, depth_has_a_bound)
