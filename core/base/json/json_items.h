/*
 * The items of a JSON list, one after the other. A list of any length takes the memory of its
 * largest item.
 */
#ifndef HTP_BASE_JSON_ITEMS_H
#define HTP_BASE_JSON_ITEMS_H

#include "base/arena.h"

#include <stdbool.h>

struct cJSON;

/** The deepest nesting of lists and objects in an item. */
#define HTP_JSON_ITEMS_DEEPEST 64

/** Bytes of the largest item. */
#define HTP_JSON_ITEMS_LARGEST ((size_t)1 << 24)

/** A list that is being read. */
typedef struct htp_json_items {
    htp_arena_guard guard;
    const char *at, *end;
    bool is_begun;
    const char *wrong;  /* the error at `at`, without its place; NULL: none */
    struct cJSON *item; /* the last one */
    htp_arena *arena;
} htp_json_items;

/** Begins to read a list, which htp_json_items_end() must end. The text is borrowed until then.
 * Memory that runs out in @p arena meanwhile frees the last item, too. */
void htp_json_items_begin(htp_json_items *items, htp_arena *arena, const char *text, size_t bytes);

/** The next item, in items->item until the next call. @return false after the last one, and after
 * an error. */
bool htp_json_items_next(htp_json_items *items);

/** Frees the last item. Called once. */
void htp_json_items_end(htp_json_items *items);

#endif
