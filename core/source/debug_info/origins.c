#include "source/debug_info/origins.h"

#include <string.h>

/* Sources share texts: a small file could expand to any size. */
static const uint64_t joined_limit = (uint64_t)1 << 30;

const htp_code_origin *htp_code_origins_find(const htp_code_origins *origins, uint64_t offset)
{
    const htp_code_origin *ranges = origins->ranges.items;
    size_t first = 0;
    size_t count = origins->ranges.count;
    while (count > 0) { /* the origins before `first` begin at or before the offset */
        size_t half = count / 2;
        bool is_behind = ranges[first + half].offset > offset;
        first = is_behind ? first : first + half + 1;
        count = is_behind ? half : count - half - 1;
    }
    return first > 0 ? &ranges[first - 1] : NULL;
}

htp_code_origin_source *htp_code_origins_source(const htp_code_origins *origins,
                                                const htp_code_origin *origin)
{
    return &origins->sources.items[origin->source];
}

htp_code_texts htp_code_texts_in(htp_arena *arena)
{
    return (htp_code_texts){.kept = {.arena = arena}, .join = {.arena = arena}};
}

uint32_t htp_code_texts_add(htp_code_texts *texts, const char *bytes, uint32_t count)
{
    htp_arena *arena = texts->kept.arena;
    uint32_t number = (uint32_t)texts->pieces.count;
    const void **key = htp_map_add_bytes(arena, &texts->by_bytes, bytes, count, &number);
    if (key) {
        const htp_code_text piece = {htp_arena_copy(arena, bytes, count), count};
        *key = piece.bytes;
        HTP_PUSH(arena, &texts->pieces, piece);
    }
    return number;
}

static const char *keep_joined(htp_code_texts *texts)
{
    return htp_intern(&texts->kept, htp_text_string(&texts->join), texts->join.length);
}

/* Joins parts that were not joined before. */
static const char *join_parts(htp_code_texts *texts, const uint32_t *parts, uint32_t count)
{
    texts->join.length = 0;
    for (uint32_t i = 0; i < count; i++) {
        const htp_code_text *piece = &texts->pieces.items[parts[i]];
        htp_text_add_bytes(&texts->join, piece->bytes, piece->count);
    }
    return keep_joined(texts);
}

/* The whole text of a source; NULL if it is too large. A line that was traced many times, in one
 * layer or in several, has stacks of the same parts, which are joined once. */
static const char *join(htp_code_texts *texts, const htp_code_origins *origins,
                        htp_code_origin_source *source)
{
    if (source->text || source->bytes > joined_limit - texts->joined_bytes) {
        return source->text;
    }
    if (source->bytes == 0) {
        source->text = "";
        return source->text;
    }
    const uint32_t *parts = &origins->parts.items[source->first_part];
    uint32_t number = (uint32_t)texts->joined.count;
    const void **place = htp_map_add_bytes(texts->kept.arena, &texts->by_parts, parts,
                                           source->part_count * sizeof(*parts), &number);
    if (place) {
        *place = parts;
        texts->joined_bytes += source->bytes;
        HTP_PUSH(texts->kept.arena, &texts->joined, join_parts(texts, parts, source->part_count));
    }
    source->text = texts->joined.items[number];
    return source->text;
}

/* Finds the starts of lines in a text. */
static void find_lines(htp_arena *arena, htp_code_origin_source *source)
{
    const char *text = source->text;
    const char *end = text + source->bytes;
    HTP_VECTOR(uint64_t) lines = {0};
    HTP_PUSH(arena, &lines, 0);
    for (const char *at = text; (at = memchr(at, '\n', (size_t)(end - at))) != NULL;) {
        at++;
        HTP_PUSH(arena, &lines, (uint64_t)(at - text));
    }
    source->lines = lines.items;
    source->line_count = lines.count;
}

/* The line at an offset. Texts and ranges of stacks begin with the first. */
static size_t line_at(htp_arena *arena, htp_code_origin_source *source, uint64_t offset)
{
    if (offset == 0) {
        return 0;
    }
    if (!source->lines) {
        find_lines(arena, source);
    }
    size_t first = 0;
    size_t count = source->line_count;
    while (count > 0) {
        size_t half = count / 2;
        bool is_behind = source->lines[first + half] > offset;
        first = is_behind ? first : first + half + 1;
        count = is_behind ? half : count - half - 1;
    }
    return first - 1; /* the first line begins at 0 */
}

uint32_t htp_code_origins_line(htp_code_texts *texts, const htp_code_origins *origins,
                               const htp_code_origin *origin)
{
    htp_code_origin_source *source = htp_code_origins_source(origins, origin);
    if (origin->begin > 0 && !join(texts, origins, source)) {
        return 0;
    }
    return (uint32_t)(source->first_line + line_at(texts->kept.arena, source, origin->begin));
}

const char *htp_code_origins_text(htp_code_texts *texts, const htp_code_origins *origins,
                                  const htp_code_origin *origin)
{
    htp_code_origin_source *source = htp_code_origins_source(origins, origin);
    const char *text = join(texts, origins, source);
    if (!text) {
        return "";
    }
    /* The tracer stores a stack as its own source, with a range over all of it. */
    if (origin->begin == 0 && origin->end == source->bytes) {
        return text;
    }
    if (!source->lines) {
        find_lines(texts->kept.arena, source);
    }
    size_t line = line_at(texts->kept.arena, source, origin->begin);
    uint64_t begin = source->lines[line];
    uint64_t end = line + 1 < source->line_count ? source->lines[line + 1] : source->bytes;
    texts->join.length = 0;
    htp_text_add_bytes(&texts->join, " ", 1);
    htp_text_add_bytes(&texts->join, text + begin, (size_t)(end - begin));
    return keep_joined(texts);
}
