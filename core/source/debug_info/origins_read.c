/*
 * Reads a debug record (see pickle_debug.c for its form) from the results of the checking machine.
 */
#include "source/debug_info/origins.h"
#include "source/pickle/pickle_machine.h"

/* State of reading. Growing lists live in scratch memory, others are allocated in full. */
struct reading {
    htp_arena *arena;
    htp_arena *scratch;
    const htp_pickle_machine *machine;
    htp_code_texts *texts;
    htp_code_origins *origins;
    uint32_t count;    /* texts of the record's table */
    uint32_t *table;   /* their numbers among all texts */
    uint32_t *sources; /* by node of a source's tuple: 1 + its number; 0: not read yet */
};

static htp_status no_debug_record(const struct reading *r)
{
    return htp_pickle_damaged(r->machine, "it is not in PyTorch's form");
}

/* Opens a tuple or list, which must have at least @p count parts. */
static bool take_apart(const struct reading *r, const htp_pickle_value *value, htp_pickle_kind kind,
                       uint32_t count, const htp_pickle_node **node)
{
    *node = value->kind == (uint32_t)kind ? htp_pickle_node_of(r->machine, value) : NULL;
    return *node && (*node)->count >= count && !(*node)->is_scattered;
}

/* The number of a text. */
static uint32_t add_text(const struct reading *r, const htp_pickle_value *value)
{
    const char *bytes = (const char *)r->machine->pickle->bytes;
    return htp_code_texts_add(r->texts, bytes + value->string.offset, value->string.bytes);
}

/* Adds a text to a source. */
static void add_part(const struct reading *r, uint32_t text, htp_code_origin_source *source)
{
    HTP_PUSH(r->arena, &r->origins->parts, text);
    source->part_count++;
    source->bytes += r->texts->pieces.items[text].count;
}

/* The parts of a source: indices of texts, or a text itself. */
static bool read_parts(const struct reading *r, const htp_pickle_value *value,
                       htp_code_origin_source *source)
{
    source->first_part = (uint32_t)r->origins->parts.count;
    if (value->kind == HTP_PICKLE_STRING) {
        add_part(r, add_text(r, value), source);
        return true;
    }
    const htp_pickle_node *list;
    if (!take_apart(r, value, HTP_PICKLE_LIST, 0, &list) ||
        (list->kinds & ~(1U << HTP_PICKLE_INT)) != 0) {
        return false;
    }
    for (uint32_t i = 0; i < list->count; i++) {
        const int64_t number = r->machine->numbers.items[list->first + i];
        if (number < 0 || number >= r->count) {
            return false;
        }
        add_part(r, r->table[number], source);
    }
    return true;
}

/* A file: the index of its name in the table, or the name. */
static bool read_file(const struct reading *r, const htp_pickle_value *value, const char **file)
{
    *file = NULL;
    if (value->kind == HTP_PICKLE_NONE) {
        return true;
    }
    const bool is_text = value->kind == HTP_PICKLE_STRING;
    if (!is_text &&
        (value->kind != HTP_PICKLE_INT || value->number < 0 || value->number >= r->count)) {
        return false;
    }
    const uint32_t number = is_text ? add_text(r, value) : r->table[value->number];
    *file = r->texts->pieces.items[number].bytes;
    return true;
}

/* A source: (texts, file, first line). Many ranges share one. */
static htp_status read_source(const struct reading *r, const htp_pickle_value *value,
                              uint32_t *number)
{
    const htp_pickle_node *node;
    if (!take_apart(r, value, HTP_PICKLE_TUPLE, 3, &node)) {
        return no_debug_record(r);
    }
    uint32_t *known = &r->sources[value->node];
    if (*known == 0) {
        const htp_pickle_value *first_line = htp_pickle_part(r->machine, node, 2);
        htp_code_origin_source source = {.first_line = (uint64_t)first_line->number};
        if (first_line->kind != HTP_PICKLE_INT ||
            !read_parts(r, htp_pickle_part(r->machine, node, 0), &source) ||
            !read_file(r, htp_pickle_part(r->machine, node, 1), &source.file)) {
            return no_debug_record(r);
        }
        HTP_PUSH(r->scratch, &r->origins->sources, source);
        *known = (uint32_t)r->origins->sources.count;
    }
    *number = *known - 1;
    return HTP_OK;
}

static uint32_t clamp(int64_t number, uint32_t low, uint64_t high)
{
    uint64_t positive = number > 0 ? (uint64_t)number : 0;
    positive = positive < low ? low : positive;
    positive = positive < high ? positive : high;
    return positive < UINT32_MAX ? (uint32_t)positive : UINT32_MAX;
}

/* A position: (offset in the code, (source, begin, end), tag). */
static htp_status read_position(const struct reading *r, const htp_pickle_value *value)
{
    const htp_pickle_node *position;
    const htp_pickle_node *range;
    if (!take_apart(r, value, HTP_PICKLE_TUPLE, 2, &position) ||
        !take_apart(r, htp_pickle_part(r->machine, position, 1), HTP_PICKLE_TUPLE, 3, &range)) {
        return no_debug_record(r);
    }
    const htp_pickle_value *offset = htp_pickle_part(r->machine, position, 0);
    const htp_pickle_value *begin = htp_pickle_part(r->machine, range, 1);
    const htp_pickle_value *end = htp_pickle_part(r->machine, range, 2);
    if (offset->kind != HTP_PICKLE_INT || begin->kind != HTP_PICKLE_INT ||
        end->kind != HTP_PICKLE_INT) {
        return no_debug_record(r);
    }
    htp_code_origin origin = {.offset = clamp(offset->number, 0, UINT32_MAX)};
    HTP_TRY(read_source(r, htp_pickle_part(r->machine, range, 0), &origin.source));
    const htp_code_origin_source *source = &r->origins->sources.items[origin.source];
    origin.begin = clamp(begin->number, 0, source->bytes);
    origin.end = clamp(end->number, origin.begin, source->bytes);
    HTP_PUSH(r->arena, &r->origins->ranges, origin);
    return HTP_OK;
}

static htp_status read_texts(struct reading *r, const htp_pickle_node *table)
{
    r->table = HTP_NEW_ARRAY(r->scratch, uint32_t, table->count);
    for (uint32_t i = 0; i < table->count; i++) {
        const htp_pickle_value *text = htp_pickle_part(r->machine, table, i);
        if (text->kind != HTP_PICKLE_STRING) {
            return no_debug_record(r);
        }
        r->table[i] = add_text(r, text);
    }
    r->count = table->count;
    return HTP_OK;
}

/* Copies the sources into memory of the right size. */
static void keep_sources(const struct reading *r)
{
    htp_code_origins *all = r->origins;
    all->sources.items = htp_arena_grow(r->arena, all->sources.items, all->sources.count,
                                        all->sources.count, sizeof(*all->sources.items));
    all->sources.capacity = all->sources.count;
}

htp_status htp_code_origins_read(htp_code_texts *texts, htp_arena *scratch,
                                 const htp_pickle *pickle, htp_code_origins *origins)
{
    htp_arena *arena = texts->kept.arena;
    htp_pickle_machine machine = {.arena = scratch, .pickle = pickle};
    HTP_TRY(htp_pickle_run(&machine));
    struct reading r = {.arena = arena,
                        .scratch = scratch,
                        .machine = &machine,
                        .texts = texts,
                        .origins = origins};
    r.sources = HTP_NEW_ARRAY(scratch, uint32_t, machine.nodes.count);
    HTP_EXPECT(arena, &origins->parts, machine.numbers.count);
    const htp_pickle_node *positions = htp_pickle_node_of(&machine, &machine.stack.items[0]);
    if (htp_pickle_has_texts(&machine, positions)) {
        const htp_pickle_value *parts = htp_pickle_part(&machine, positions, 0);
        HTP_TRY(read_texts(&r, htp_pickle_node_of(&machine, &parts[1])));
        positions = htp_pickle_node_of(&machine, &parts[2]);
    }
    HTP_EXPECT(arena, &origins->ranges, positions->count);
    HTP_EXPECT(scratch, &origins->sources, positions->count);
    for (uint32_t i = 0; i < positions->count; i++) {
        HTP_TRY(read_position(&r, htp_pickle_part(&machine, positions, i)));
    }
    keep_sources(&r);
    return HTP_OK;
}
