#include "query/select/nearest.h"

#include "base/map.h"
#include "base/text.h"

#include <string.h>

/* A module tree may be hostile: the length and number of candidates are bounded. */
enum { LONGEST = 200, MAX_CANDIDATES = 20000, SHOWN = 3 };

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

size_t htp_nearest_distance(htp_slice a, htp_slice b, size_t most)
{
    size_t row[LONGEST + 1];
    if (a.length > LONGEST || b.length > LONGEST) {
        return most;
    }
    for (size_t i = 0; i <= a.length; i++) {
        row[i] = i;
    }
    for (size_t j = 1; j <= b.length; j++) {
        size_t diagonal = row[0];
        size_t best = row[0] = j;
        for (size_t i = 1; i <= a.length; i++) {
            size_t replaced = diagonal + (a.at[i - 1] != b.at[j - 1]);
            diagonal = row[i];
            row[i] = least(replaced, least(row[i], row[i - 1]) + 1);
            best = least(best, row[i]);
        }
        if (best >= most) {
            return most;
        }
    }
    return least(row[a.length], most);
}

/* The best candidates so far, nearest first. */
struct nearest {
    htp_slice wanted;
    size_t dots; /* in it */
    htp_map seen;
    size_t tried;
    size_t count;
    htp_slice texts[SHOWN];
    size_t distances[SHOWN];
};

static void try_candidate(htp_arena *arena, struct nearest *nearest, htp_slice text)
{
    size_t most = nearest->wanted.length + 1; /* a larger distance is no similarity */
    if (text.length == 0 || nearest->tried == MAX_CANDIDATES ||
        htp_map_get_bytes(&nearest->seen, text.at, text.length, NULL)) {
        return;
    }
    nearest->tried++;
    htp_map_set_bytes(arena, &nearest->seen, text.at, text.length, 0);
    size_t distance = htp_nearest_distance(nearest->wanted, text, most);
    size_t place = nearest->count;
    while (place > 0 && nearest->distances[place - 1] > distance) {
        place--;
    }
    if (place == SHOWN || distance == most) {
        return;
    }
    size_t moved = least(nearest->count, SHOWN - 1) - place;
    memmove(&nearest->texts[place + 1], &nearest->texts[place], moved * sizeof(htp_slice));
    memmove(&nearest->distances[place + 1], &nearest->distances[place], moved * sizeof(size_t));
    nearest->texts[place] = text;
    nearest->distances[place] = distance;
    nearest->count = least(nearest->count + 1, SHOWN);
}

/* Compares with the class and as many names of its package as the wanted text has. */
static void try_qualified_class(htp_arena *arena, struct nearest *nearest, htp_slice qualified)
{
    const char *last = qualified.length > 0 ? memrchr(qualified.at, '.', qualified.length) : NULL;
    if (nearest->dots == 0 || nearest->tried == MAX_CANDIDATES || !last ||
        qualified.length > LONGEST) {
        return;
    }
    const char *cut = memchr(qualified.at, '.', qualified.length);
    for (size_t i = 1; i < nearest->dots && cut != last; i++) {
        cut = memchr(cut + 1, '.', (size_t)(last - cut));
    }
    size_t package = (size_t)(cut - qualified.at);
    size_t class_name = qualified.length - (size_t)(last - qualified.at);
    char *text = htp_arena_copy(arena, qualified.at, package + class_name);
    memcpy(text + package, last, class_name);
    try_candidate(arena, nearest, (htp_slice){text, package + class_name});
}

static void try_module(htp_arena *arena, struct nearest *nearest, const htp_tree_module *module)
{
    bool is_tag =
        nearest->wanted.length > 0 && memchr(nearest->wanted.at, '/', nearest->wanted.length);
    if (is_tag) {
        try_candidate(arena, nearest, module->has_tag ? module->tag : module->full_tag);
        return;
    }
    htp_slice segment = htp_tree_segment(module);
    try_candidate(arena, nearest, module->path);
    try_candidate(arena, nearest, module->class_name);
    if (segment.length > 1) {
        try_candidate(arena, nearest, (htp_slice){segment.at + 1, segment.length - 1});
    }
    try_qualified_class(arena, nearest, module->qualified_class);
}

const char *htp_nearest_text(htp_arena *arena, const htp_tree *tree, const char *address)
{
    struct nearest nearest = {.wanted = htp_slice_of(address)};
    htp_text text = {.arena = arena};
    for (const char *at = address; *at; at++) {
        nearest.dots += *at == '.';
    }
    for (uint32_t i = 0; i < tree->module_count; i++) {
        try_module(arena, &nearest, &tree->modules[i]);
    }
    for (size_t i = 0; i < nearest.count; i++) {
        const char *separator = i == 0 ? "" : i + 1 == nearest.count ? " and " : ", ";
        htp_text_addf(&text, "%s%.*s", separator, (int)nearest.texts[i].length,
                      nearest.texts[i].at);
    }
    if (nearest.count == 0) {
        return "";
    }
    return htp_arena_printf(arena,
                            nearest.count == 1 ? "; the nearest is %s" : "; the nearest are %s",
                            htp_text_string(&text));
}
