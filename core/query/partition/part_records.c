/*
 * Records of modules in parts: those of modules with nodes in the part, and of their ancestors,
 * unchanged. The records of a thousand layers take megabytes, so a part keeps only its own.
 */
#include "query/partition/part_maker.h"

#include "base/text.h"

#include <stdlib.h>
#include <string.h>

#define RECORDS_KEY "htp.module_tree"

/* Scans JSON that is known to be valid. */
struct scanner {
    const char *at;
    const char *end;
};

/* Skips a string; @p s is after its first quote. */
static void skip_string(struct scanner *s)
{
    while (s->at < s->end && *s->at != '"') {
        s->at += *s->at == '\\' && s->end - s->at > 1 ? 2 : 1;
    }
    s->at += s->at < s->end;
}

/* Skips to the next comma or closing bracket of this level. */
static void skip_value(struct scanner *s)
{
    uint32_t depth = 0;
    while (s->at < s->end) {
        char byte = *s->at;
        if (depth == 0 && (byte == ',' || byte == ']' || byte == '}')) {
            return;
        }
        s->at++;
        if (byte == '"') {
            skip_string(s);
        } else if (byte == '[' || byte == '{') {
            depth++;
        } else if (byte == ']' || byte == '}') {
            depth--;
        }
    }
}

/* Enters the list of modules. @return whether there is one */
static bool find_list(struct scanner *s)
{
    static const char key[] = "\"modules\"";
    while (s->at < s->end && *s->at != '{') {
        s->at++;
    }
    while (s->at < s->end && *s->at != '}') {
        s->at++; /* the bracket or a comma */
        while (s->at < s->end && *s->at != '"') {
            s->at++;
        }
        bool is_it = (size_t)(s->end - s->at) > strlen(key) && memcmp(s->at, key, strlen(key)) == 0;
        const char *list = is_it ? memchr(s->at, '[', (size_t)(s->end - s->at)) : NULL;
        if (is_it) {
            s->at = list ? list + 1 : s->end;
            return list != NULL;
        }
        skip_value(s);
    }
    return false;
}

void htp_part_find_records(htp_part_maker *maker, htp_arena *arena)
{
    const htp_view *view = maker->view;
    const htp_view_property *property =
        htp_view_find_property(view, view->properties, htp_view_find_name(view, RECORDS_KEY));
    if (!property || !maker->tree->has_records) {
        return;
    }
    struct scanner s = {(const char *)property->value.at,
                        (const char *)property->value.at + property->value.bytes};
    const char *begin = s.at;
    bool has_list = find_list(&s);
    maker->before_records = (htp_slice){begin, (size_t)(s.at - begin)};
    while (has_list && s.at < s.end && *s.at != ']') {
        s.at += maker->records.count > 0; /* a comma */
        const char *record = s.at;
        skip_value(&s);
        HTP_PUSH(arena, &maker->records, (htp_slice){record, (size_t)(s.at - record)});
    }
    maker->behind_records = (htp_slice){s.at, (size_t)(s.end - s.at)};
    uint32_t record_count = 0;
    while (record_count < maker->tree->module_count &&
           maker->tree->modules[record_count].is_record) {
        record_count++;
    }
    if (maker->records.count == record_count) { /* one record per module */
        maker->record_property = property->whole;
        maker->module_mark = HTP_NEW_ARRAY(arena, uint32_t, record_count + 1);
    }
}

/* ---- one part ---- */

static void note_module(htp_part_maker *maker, htp_arena *arena, uint32_t module, uint32_t mark,
                        htp_numbers *modules)
{
    while (module < maker->records.count && maker->module_mark[module] != mark) {
        maker->module_mark[module] = mark;
        HTP_PUSH(arena, modules, module);
        module = maker->tree->modules[module].parent;
    }
}

static void note_node(htp_part_maker *maker, htp_arena *arena, uint32_t node, uint32_t mark,
                      htp_numbers *modules)
{
    const htp_tree_place *place = &maker->tree->places[node];
    note_module(maker, arena, place->innermost, mark, modules);
    for (uint32_t i = 0; i < place->tags.count; i++) {
        note_module(maker, arena, maker->tree->owners.items[place->tags.first + i], mark, modules);
    }
}

static int compare(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a;
    uint32_t y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static htp_numbers find_modules(htp_part_maker *maker, htp_arena *arena, const htp_part *part)
{
    const htp_division *division = maker->division;
    htp_numbers modules = {0};
    uint32_t mark = part->mark;
    note_module(maker, arena, 0, mark, &modules);
    for (uint32_t i = division->first[part->number]; i < division->first[part->number + 1]; i++) {
        note_node(maker, arena, division->nodes[i], mark, &modules);
    }
    for (size_t i = 0; i < part->constants.count; i++) {
        note_node(maker, arena, part->constants.items[i], mark, &modules);
    }
    if (modules.count > 0) {
        qsort(modules.items, modules.count, sizeof(*modules.items), compare);
    }
    return modules;
}

static void add_slice(htp_text *text, htp_slice slice)
{
    htp_text_add_bytes(text, slice.at, slice.length);
}

htp_part_entry htp_part_records(htp_part_maker *maker, htp_arena *arena, const htp_part *part)
{
    htp_numbers modules = find_modules(maker, arena, part);
    htp_text text = {.arena = arena};
    add_slice(&text, maker->before_records);
    for (size_t i = 0; i < modules.count; i++) {
        htp_text_add(&text, i ? "," : "");
        add_slice(&text, maker->records.items[modules.items[i]]);
    }
    add_slice(&text, maker->behind_records);
    return (htp_part_entry){RECORDS_KEY, htp_text_string(&text)};
}
