/*
 * JSON lists, read item by item.
 */
#include "base/json/json_items.h"
#include "unit.h"

#include <cjson/cJSON.h>
#include <string.h>

/* The number of items; the list must be valid, or fail with @p wrong. */
static size_t count_items(htp_arena *arena, const char *text, size_t bytes, const char *wrong)
{
    size_t count = 0;
    htp_json_items items;
    htp_json_items_begin(&items, arena, text, bytes);
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
    htp_json_items_end(&items);
    return count;
}

static size_t count_of(htp_arena *arena, const char *text, const char *wrong)
{
    return count_items(arena, text, strlen(text), wrong);
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
        ck_assert_uint_eq(count_of(arena, rows[i].text, NULL), rows[i].count);
    }
}

UNIT_TEST(items_are_those_of_the_list)
{
    static const char text[] = "[{\"n\": 0}, {\"n\": 1}, {\"n\": 2}]";
    htp_json_items items;
    htp_json_items_begin(&items, arena, text, strlen(text));
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
        ck_assert_uint_eq(count_of(arena, rows[i].text, rows[i].wrong), rows[i].count);
    }
    ck_assert_uint_eq(count_items(arena, "[1]\0", 4, "behind its end"), 1);
}

UNIT_TEST(nothing_nests_without_end)
{
    char text[2 * HTP_JSON_ITEMS_DEEPEST + 8];
    for (size_t depth = HTP_JSON_ITEMS_DEEPEST; depth <= HTP_JSON_ITEMS_DEEPEST + 1U; depth++) {
        size_t length = 2 * depth + 2;
        memset(text, '[', depth + 1);
        memset(text + depth + 1, ']', depth + 1);
        bool is_deep = depth > HTP_JSON_ITEMS_DEEPEST;
        ck_assert_uint_eq(count_items(arena, text, length, is_deep ? "too deep" : NULL), !is_deep);
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
    ck_assert_uint_eq(count_items(arena, text, bytes, "too large"), 1);
    text[1000] = '"';
    text[1001] = ']';
    ck_assert_uint_eq(count_items(arena, text, 1002, NULL), 2);
    free(text);
}

/* ---- without memory ---- */

static size_t allocations, left, held;

static void *allocate(size_t bytes)
{
    void *memory = left > 0 ? malloc(bytes) : NULL;
    left -= left > 0;
    allocations++;
    held += memory != NULL;
    return memory;
}

static void release(void *memory)
{
    held -= memory != NULL;
    free(memory);
}

/* @return whether memory lasts for so many allocations of cJSON */
static bool reads_with(htp_arena *arena, size_t count)
{
    static const char text[] = "[{\"a\": [1, \"b\"]}, \"c\", {}]";
    htp_json_items items;
    left = count;
    if (htp_arena_recover(arena)) {
        return false;
    }
    htp_json_items_begin(&items, arena, text, strlen(text));
    while (htp_json_items_next(&items)) {
    }
    ck_assert_ptr_null(items.wrong);
    htp_json_items_end(&items);
    return true;
}

UNIT_TEST(no_memory_is_no_wrong_text)
{
    cJSON_Hooks hooks = {allocate, release};
    cJSON_InitHooks(&hooks);
    ck_assert(reads_with(arena, SIZE_MAX));
    const size_t needed = allocations;
    for (size_t count = 0; count < needed; count++) {
        ck_assert(!reads_with(arena, count));
        ck_assert_uint_eq(held, 0);
        ck_assert_ptr_null(arena->guards);
    }
    ck_assert(reads_with(arena, needed));
    cJSON_InitHooks(NULL);
}

UNIT_TEST(no_memory_frees_the_item)
{
    static const char text[] = "[1, 2]";
    cJSON_Hooks hooks = {allocate, release};
    cJSON_InitHooks(&hooks);
    left = SIZE_MAX;
    htp_json_items items;
    if (!htp_arena_recover(arena)) {
        htp_json_items_begin(&items, arena, text, strlen(text));
        ck_assert(htp_json_items_next(&items));
        ck_assert_uint_gt(held, 0);
        htp_arena_exhaust(arena);
    }
    ck_assert_uint_eq(held, 0);
    cJSON_InitHooks(NULL);
}

UNIT_MAIN("json_items", lists, items_are_those_of_the_list, what_is_wrong,
          nothing_nests_without_end, items_have_a_largest_size, no_memory_is_no_wrong_text,
          no_memory_frees_the_item)
