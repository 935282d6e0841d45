#include "base/json/json_items.h"

#include "base/json/json_parse.h"

#include <string.h>

static void free_item(htp_json_items *items)
{
    cJSON_Delete(items->item);
    items->item = NULL;
}

static void release(htp_arena_guard *guard)
{
    free_item((htp_json_items *)guard);
}

void htp_json_items_begin(htp_json_items *items, htp_arena *arena, const char *text, size_t bytes)
{
    *items = (htp_json_items){.at = text,
                              .end = bytes > 0 ? text + bytes : text,
                              .arena = arena,
                              .guard.release = release};
    htp_arena_guard_begin(arena, &items->guard);
}

void htp_json_items_end(htp_json_items *items)
{
    free_item(items);
    htp_arena_guard_end(items->arena);
}

static bool fail(htp_json_items *items, const char *wrong)
{
    free_item(items);
    items->wrong = wrong;
    return false;
}

static void skip_space(htp_json_items *items)
{
    while (items->at < items->end && *items->at && strchr(" \t\r\n", *items->at)) {
        items->at++;
    }
}

static bool take(htp_json_items *items, char byte)
{
    skip_space(items);
    bool is_there = items->at < items->end && *items->at == byte;
    items->at += is_there;
    return is_there;
}

/* The end of the string that begins at @p at; NULL if it is unterminated. */
static const char *end_of_string(const char *at, const char *end)
{
    for (at++; at < end && *at != '"'; at++) {
        at += *at == '\\';
    }
    return at < end ? at + 1 : NULL;
}

/* Finds the end of the item at `at`, by brackets and strings alone. */
static bool find_end(htp_json_items *items, const char **found)
{
    static const char cut[] = "it is cut short";
    size_t depth = 0;
    size_t room = (size_t)(items->end - items->at);
    const char *end =
        room > HTP_JSON_ITEMS_LARGEST ? items->at + HTP_JSON_ITEMS_LARGEST : items->end;
    for (const char *at = items->at; at < end; at++) {
        if (*at == '"') {
            at = end_of_string(at, end);
            if (!at) {
                break;
            }
            at--;
        } else if (*at == '{' || *at == '[') {
            depth++;
        } else if (depth > 0 && (*at == '}' || *at == ']')) {
            depth--;
        } else if (depth == 0 && (*at == ',' || *at == ']')) {
            *found = at;
            return true;
        }
        if (depth > HTP_JSON_ITEMS_DEEPEST) {
            return fail(items, "it nests too deep");
        }
    }
    return fail(items, end == items->end ? cut : "an item of its list is too large");
}

static bool parse(htp_json_items *items, const char *end)
{
    const char *parsed = NULL;
    size_t bytes = (size_t)(end - items->at);
    items->item = htp_json_parse_first(items->arena, items->at, bytes, &parsed);
    if (!items->item) {
        return fail(items, "it is no JSON");
    }
    items->at = parsed;
    skip_space(items);
    return items->at == end || fail(items, "it is no JSON");
}

bool htp_json_items_next(htp_json_items *items)
{
    const char *end;
    free_item(items);
    if (items->wrong) {
        return false;
    }
    bool is_first = !items->is_begun;
    if (is_first && !take(items, '[')) {
        return fail(items, "it is no JSON list");
    }
    items->is_begun = true;
    if (take(items, ']')) {
        skip_space(items);
        return items->at < items->end ? fail(items, "there is more behind its end") : false;
    }
    if (!is_first && !take(items, ',')) {
        return fail(items, items->at < items->end ? "it is no JSON" : "it is cut short");
    }
    skip_space(items);
    return find_end(items, &end) && parse(items, end);
}
