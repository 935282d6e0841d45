/*
 * JSON lists, read item by item.
 */
#include "base/json/json_items.h"
#include "unit.h"

#include <cjson/cJSON.h>
#include <string.h>

/* The number of items; the list must be valid, or fail with @p wrong. */
static size_t count_items(const char *text, size_t bytes, const char *wrong)
{
    size_t count = 0;
    htp_json_items items = htp_json_items_begin(text, bytes);
    while (htp_json_items_next(&items)) {
        ck_assert_ptr_nonnull(items.item);
        ck_assert(items.at <= items.end);
        count++;
    }
    ck_assert_ptr_null(items.item);
    ck_assert_msg((items.wrong == NULL) == (wrong == NULL), "%s: %s", text,
                  items.wrong ? items.wrong : "nothing wrong");
    ck_assert(!wrong || strstr(items.wrong, wrong));
    ck_assert(!htp_json_items_next(&items)); /* and it stays so */
    return count;
}

static size_t count_of(const char *text, const char *wrong)
{
    return count_items(text, strlen(text), wrong);
}

UNIT_TEST(lists)
{
    static const struct {
        const char *text;
        size_t count;
    } rows[] = {
        {"[]", 0},
        {" [ ] \n", 0},
        {"[1]", 1},
        {"[1, 2 ,3]", 3},
        {"[\n{\"a\": [1, {\"b\": \"]}\"}]},\n{}\n]\n", 2},
        {"[\"a,b\", \"\\\"]\", \"\\\\\", null, true, -1e3]", 6},
        {"[[[],[]],[]]", 2},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        ck_assert_uint_eq(count_of(rows[i].text, NULL), rows[i].count);
    }
}

UNIT_TEST(items_are_those_of_the_list)
{
    static const char text[] = "[{\"n\": 0}, {\"n\": 1}, {\"n\": 2}]";
    htp_json_items items = htp_json_items_begin(text, strlen(text));
    for (int i = 0; i < 3; i++) {
        ck_assert(htp_json_items_next(&items));
        ck_assert_int_eq(cJSON_GetObjectItem(items.item, "n")->valueint, i);
    }
    htp_json_items_end(&items); /* in the middle */
    ck_assert_ptr_null(items.item);
}

UNIT_TEST(what_is_wrong)
{
    static const struct {
        const char *text, *wrong;
        size_t count;
    } rows[] = {
        {"", "no JSON list", 0},
        {"   ", "no JSON list", 0},
        {"{}", "no JSON list", 0},
        {"[", "cut short", 0},
        {"[1", "cut short", 0},
        {"[1,", "cut short", 1},
        {"[1, \"a", "cut short", 1},
        {"[1, \"a\\", "cut short", 1},
        {"[1, {\"a\": [2", "cut short", 1},
        {"[1 2]", "no JSON", 0},
        {"[1,]", "no JSON", 1},
        {"[,1]", "no JSON", 0},
        {"[1] x", "behind its end", 1},
        {"[1][2]", "behind its end", 1},
        {"[{]}]", "no JSON", 0},
        {"[nothing]", "no JSON", 0},
        {"[1}", "cut short", 0},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        ck_assert_uint_eq(count_of(rows[i].text, rows[i].wrong), rows[i].count);
    }
    ck_assert_uint_eq(count_items("[1]\0", 4, "behind its end"), 1);
}

UNIT_TEST(nothing_nests_without_end)
{
    char text[2 * HTP_JSON_ITEMS_DEEPEST + 8];
    for (size_t depth = HTP_JSON_ITEMS_DEEPEST; depth <= HTP_JSON_ITEMS_DEEPEST + 1U; depth++) {
        size_t length = 2 * depth + 2;
        memset(text, '[', depth + 1);
        memset(text + depth + 1, ']', depth + 1);
        bool is_deep = depth > HTP_JSON_ITEMS_DEEPEST;
        ck_assert_uint_eq(count_items(text, length, is_deep ? "too deep" : NULL), !is_deep);
    }
}

UNIT_TEST(items_have_a_largest_size)
{
    size_t bytes = HTP_JSON_ITEMS_LARGEST + 64;
    char *text = malloc(bytes);
    ck_assert_ptr_nonnull(text);
    memset(text, 'x', bytes);
    static const char begin[] = {'[', '1', ',', '"'};
    memcpy(text, begin, sizeof(begin));
    ck_assert_uint_eq(count_items(text, bytes, "too large"), 1);
    text[1000] = '"';
    text[1001] = ']';
    ck_assert_uint_eq(count_items(text, 1002, NULL), 2);
    free(text);
}

UNIT_MAIN("json_items", lists, items_are_those_of_the_list, what_is_wrong,
          nothing_nests_without_end, items_have_a_largest_size)
