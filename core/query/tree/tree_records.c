/*
 * Modules by htp.module_tree, the records in files that this program exports.
 */
#include "query/tree/tree_find.h"

#include "base/json/json_parse.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

/* ---- one record ---- */

/* A text without its quotes, decoded if it has escapes. */
static htp_slice decode_text(htp_arena *arena, htp_json_part value)
{
    if (!memchr(value.at, '\\', value.length)) {
        return (htp_slice){value.at + 1, value.length - 2};
    }
    char *text = htp_arena_alloc(arena, value.length);           /* never longer than its JSON */
    cJSON *json = htp_json_parse(arena, value.at, value.length); /* checked before */
    size_t length = strlen(json->valuestring);
    memcpy(text, json->valuestring, length);
    cJSON_Delete(json);
    return (htp_slice){text, length};
}

/* A count; 0 if the value is not one. */
static uint64_t decode_count(htp_json_part value)
{
    enum { LONGEST = 32, LONGEST_WHOLE = 18 };
    char text[LONGEST];
    if (value.length >= LONGEST || *value.at < '0' || *value.at > '9') {
        return 0;
    }
    memcpy(text, value.at, value.length);
    text[value.length] = '\0';
    char *end;
    uint64_t count = strtoull(text, &end, 10);
    if (*end == '\0' && value.length <= LONGEST_WHOLE) {
        return count;
    }
    double number = strtod(text, NULL);
    return number < 1e18 ? (uint64_t)number : 0;
}

/* Where the members of a record and of its objects are stored. */
static const struct member {
    const char *name;
    size_t length;
    const char *inside; /* this object; or NULL */
    bool is_text;
    size_t place;
} members[] = {
#define MEMBER(name, inside, is_text, field)                                                       \
    {                                                                                              \
        name, sizeof(name) - 1, inside, is_text, offsetof(htp_tree_record, field)                  \
    }
    MEMBER("tag", NULL, true, tag),
    MEMBER("full_tag", NULL, true, full_tag),
    MEMBER("path", NULL, true, path),
    MEMBER("class", NULL, true, class_name),
    MEMBER("qualified_class", NULL, true, qualified_class),
    MEMBER("parent", NULL, true, parent),
    MEMBER("calls", NULL, false, calls),
    MEMBER("total", "parameters", false, parameters),
    MEMBER("bytes", "parameters", false, bytes),
    MEMBER("tagged", "nodes", false, nodes_tagged),
    MEMBER("total", "nodes", false, nodes_total),
#undef MEMBER
};

/* A record that is being read. */
struct reading {
    htp_arena *arena;
    htp_tree_record *record;
    unsigned seen; /* a bit by member */
};

static void take_member(struct reading *r, const char *inside, htp_json_part key,
                        htp_json_part value)
{
    for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
        const struct member *member = &members[i];
        if (member->length + 2 != key.length || member->inside != inside ||
            memcmp(key.at + 1, member->name, member->length) != 0) {
            continue;
        }
        void *place = (char *)r->record + member->place;
        bool is_first = !(r->seen & 1U << i);
        r->seen |= 1U << i;
        if (is_first && member->is_text && *value.at == '"') {
            *(htp_slice *)place = decode_text(r->arena, value);
        } else if (is_first && !member->is_text) {
            *(uint64_t *)place = decode_count(value);
        }
        if (is_first && *value.at == 'n') {
            r->record->is_root = r->record->is_root || place == &r->record->parent;
            r->record->has_no_calls = r->record->has_no_calls || place == &r->record->calls;
        }
        return;
    }
}

/* The object of this name whose members are wanted, or NULL. */
static const char *find_inside(htp_json_part key)
{
    for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
        if (members[i].inside && htp_json_part_is(key, members[i].inside)) {
            return members[i].inside;
        }
    }
    return NULL;
}

static void read_inside(struct reading *r, htp_json_scan *scan, const char *inside)
{
    htp_json_part key, value;
    (void)htp_json_scan_enter(scan, '{');
    while (htp_json_scan_next(scan, &key, &value)) {
        take_member(r, inside, key, value);
    }
}

void htp_tree_read_record(htp_arena *arena, htp_json_scan *scan, htp_tree_record *record)
{
    struct reading r = {.arena = arena, .record = record};
    htp_json_part key, value;
    *record = (htp_tree_record){0};
    if (htp_json_scan_peek(scan) != '{') {
        (void)htp_json_scan_value(scan, &record->whole);
        return;
    }
    record->whole.at = scan->at;
    (void)htp_json_scan_enter(scan, '{');
    while (htp_json_scan_name(scan, &key)) {
        const char *inside = htp_json_scan_peek(scan) == '{' ? find_inside(key) : NULL;
        if (inside) {
            read_inside(&r, scan, inside);
        } else if (htp_json_scan_value(scan, &value)) {
            take_member(&r, NULL, key, value);
        }
    }
    record->whole.length = (size_t)(scan->at - record->whole.at);
}

const cJSON *htp_tree_hold_record(htp_arena *arena, const htp_tree *tree, uint32_t module)
{
    htp_json_part whole = tree->modules[module].record;
    cJSON **held = tree->held;
    cJSON_Delete(*held);
    *held = NULL; /* in case that memory runs out */
    *held = whole.at ? htp_json_parse(arena, whole.at, whole.length) : NULL;
    return *held;
}

/* ---- the tree ---- */

/* The module of the longest prefix of a path that is a module's path. */
static uint32_t find_parent(htp_tree_finder *finder, htp_slice path, htp_slice *rest)
{
    uint32_t at = 0;
    size_t begin = 0;
    for (;;) {
        const char *dot = memchr(path.at + begin, '.', path.length - begin);
        if (!dot) {
            break;
        }
        size_t end = (size_t)(dot - path.at);
        uint32_t child = htp_tree_find_child(finder, at, (htp_slice){path.at + begin, end - begin});
        if (child == HTP_NONE) {
            break;
        }
        at = child;
        begin = end + 1;
    }
    *rest = (htp_slice){path.at + begin, path.length - begin};
    return at;
}

static htp_slice text_or_none(htp_slice text)
{
    return text.at ? text : htp_slice_of("");
}

/* The parent of a module: by its record in a sidecar, else by its path. */
static uint32_t find_above(htp_tree_finder *finder, const htp_tree_record *record, htp_slice *name)
{
    uint32_t module;
    *name = (htp_slice){NULL, 0};
    if (finder->modules.count == 0 || record->is_root) {
        return HTP_NONE;
    }
    if (record->parent.at) {
        return htp_map_get_bytes(&finder->by_full_tag, record->parent.at, record->parent.length,
                                 &module)
                   ? module
                   : 0;
    }
    return find_parent(finder, text_or_none(record->path), name);
}

void htp_tree_add_record(htp_tree_finder *finder, const htp_tree_record *record)
{
    htp_tree_module module = {
        .record = record->whole,
        .is_record = true,
        .recorded_own = record->nodes_tagged,
        .recorded_total = record->nodes_total,
        .tag = text_or_none(record->tag),
        .full_tag = text_or_none(record->full_tag),
        .path = text_or_none(record->path),
        .has_path = record->path.at != NULL,
        .class_name = text_or_none(record->class_name),
        .qualified_class = text_or_none(record->qualified_class),
        .calls = record->has_no_calls ? HTP_TREE_CALLS_UNKNOWN : (uint32_t)record->calls,
        .parameters = record->parameters,
        .bytes = record->bytes,
    };
    htp_slice name;
    module.parent = find_above(finder, record, &name);
    module.has_tag = !htp_map_get_bytes(&finder->by_tag, module.tag.at, module.tag.length, NULL);
    uint32_t index = htp_tree_add_module(finder, module);
    if (name.at) {
        htp_tree_set_child(finder, module.parent, name, index);
    }
    if (module.has_tag) {
        htp_map_set_bytes(finder->arena, &finder->by_tag, module.tag.at, module.tag.length, index);
    }
    htp_map_set_bytes(finder->arena, &finder->by_full_tag, module.full_tag.at,
                      module.full_tag.length, index);
}

/* Goes to the list of modules. */
static bool find_list(htp_json_scan *scan)
{
    htp_json_part key, value;
    (void)htp_json_scan_enter(scan, '{');
    while (htp_json_scan_name(scan, &key)) {
        if (htp_json_part_is(key, "modules")) {
            return htp_json_scan_enter(scan, '[');
        }
        (void)htp_json_scan_value(scan, &value);
    }
    return false;
}

/* Checks that the rest after the list is JSON. */
static bool ends_well(htp_json_scan *scan)
{
    htp_json_part key, value;
    while (htp_json_scan_next(scan, &key, &value)) {
    }
    return htp_json_scan_end(scan);
}

htp_status htp_tree_read_records(htp_tree_finder *finder)
{
    const htp_view *view = finder->view;
    const htp_view_property *property =
        htp_view_find_property(view, view->properties, htp_view_find_name(view, "htp.module_tree"));
    if (!property) {
        return HTP_OK;
    }
    if (!htp_text_is_utf8((const char *)property->value.at, property->value.bytes)) {
        return htp_status_make(HTP_CODE_BAD_INPUT, "%s: the metadata htp.module_tree are not UTF-8",
                               view->path);
    }
    htp_json_scan scan =
        htp_json_scan_of((htp_json_part){(const char *)property->value.at, property->value.bytes});
    bool has_list = find_list(&scan);
    while (has_list && htp_json_scan_item(&scan)) {
        htp_tree_record record;
        htp_tree_read_record(finder->arena, &scan, &record);
        htp_tree_add_record(finder, &record);
    }
    if (!has_list || !ends_well(&scan)) {
        return htp_status_make(HTP_CODE_BAD_INPUT,
                               "%s: the metadata htp.module_tree are no JSON with a list of "
                               "modules",
                               view->path);
    }
    finder->tree->has_records = finder->modules.count > 0;
    return HTP_OK;
}
