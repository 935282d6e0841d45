#include "onnx/move_data.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    TENSOR_EXTERNAL_DATA = 13, /* of TensorProto */
    ENTRY_KEY = 1,             /* of StringStringEntryProto */
    ENTRY_VALUE = 2,
    ALIGNMENT = 64, /* as in htp_draft_write() */
    LONGEST_NUMBER = 20,
    ENTRY_SIZE = 2 * HTP_WIRE_PREFIX_SIZE + HTP_WIRE_PREFIX_SIZE + 8, /* but for the value */
    ENTRIES_SIZE = 3 * ENTRY_SIZE + NAME_MAX + 2 * LONGEST_NUMBER,
};

static int compare_edits(const void *a, const void *b)
{
    uintptr_t x = (uintptr_t)((const htp_edit *)a)->field.at;
    uintptr_t y = (uintptr_t)((const htp_edit *)b)->field.at;
    return (x > y) - (x < y);
}

void htp_edits_sort(htp_edit_list *edits)
{
    if (edits->count > 0) {
        qsort(edits->items, edits->count, sizeof(*edits->items), compare_edits);
    }
}

/* ---- which bytes ---- */

/* Whether an edit takes the place of a field that holds @p part. */
static bool is_dropped(const htp_edit_list *edits, htp_span part)
{
    size_t low = 0;
    size_t high = edits->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (edits->items[middle].field.at <= part.at) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if (low == 0) {
        return false;
    }
    htp_span before = edits->items[low - 1].field;
    return part.at < before.at + before.bytes;
}

/* Copies the old data file as it is. */
static void keep_offsets(const htp_view *view, htp_moved_data *moved)
{
    uint64_t end = 0;
    moved->keeps_offsets = true;
    for (size_t i = 0; i < moved->tensors.count; i++) {
        htp_moved_tensor *kept = &moved->tensors.items[i];
        const htp_view_tensor *tensor = &view->tensors.items[kept->tensor];
        kept->to = tensor->offset;
        end = tensor->offset + tensor->bytes > end ? tensor->offset + tensor->bytes : end;
    }
    HTP_PUSH(view->arena, &moved->ranges, (htp_moved_range){.bytes = end});
    moved->bytes = end;
}

/* The range of a tensor's bytes, made at first use. */
static uint32_t find_range(htp_view *view, htp_moved_data *moved, htp_map *known,
                           const htp_view_tensor *tensor)
{
    uint32_t file = 0;
    uint32_t range;
    (void)htp_map_get(&view->data_numbers, htp_view_text(view, tensor->location), &file);
    uint64_t *key = HTP_NEW_ARRAY(view->arena, uint64_t, 3);
    key[0] = file;
    key[1] = tensor->offset;
    key[2] = tensor->bytes;
    if (htp_map_get_bytes(known, key, 3 * sizeof(*key), &range)) {
        return range;
    }
    range = (uint32_t)moved->ranges.count;
    uint64_t to = tensor->bytes == 0 ? 0 : (moved->bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    HTP_PUSH(view->arena, &moved->ranges,
             (htp_moved_range){file, tensor->offset, tensor->bytes, to});
    htp_map_set_bytes(view->arena, known, key, 3 * sizeof(*key), range);
    moved->bytes = tensor->bytes == 0 ? moved->bytes : to + tensor->bytes;
    return range;
}

static void lay_out(htp_view *view, htp_moved_data *moved)
{
    htp_map known = {0};
    for (size_t i = 0; i < moved->tensors.count; i++) {
        htp_moved_tensor *kept = &moved->tensors.items[i];
        uint32_t range = find_range(view, moved, &known, &view->tensors.items[kept->tensor]);
        kept->to = moved->ranges.items[range].to;
    }
}

/* ---- what tensors say ---- */

static htp_span span_of(const char *text)
{
    return (htp_span){(const unsigned char *)text, strlen(text)};
}

static size_t put_field(unsigned char *at, uint32_t number, htp_span content)
{
    size_t prefix = htp_wire_put_prefix(number, content.bytes, at);
    memcpy(at + prefix, content.at, content.bytes);
    return prefix + content.bytes;
}

/* A key and its value as a field of a TensorProto. */
static size_t put_entry(unsigned char *at, const char *key, const char *value)
{
    unsigned char entry[ENTRY_SIZE + NAME_MAX];
    size_t bytes = put_field(entry, ENTRY_KEY, span_of(key));
    bytes += put_field(entry + bytes, ENTRY_VALUE, span_of(value));
    return put_field(at, TENSOR_EXTERNAL_DATA, (htp_span){entry, bytes});
}

static bool has_key(htp_span entry, const char *key)
{
    htp_wire wire = htp_wire_begin(entry);
    htp_wire_field field;
    bool is_it = false;
    while (htp_wire_next(&wire, &field)) {
        if (htp_wire_is_bytes(&field, ENTRY_KEY)) {
            is_it = field.content.bytes == strlen(key) &&
                    memcmp(field.content.at, key, field.content.bytes) == 0;
        }
    }
    return is_it;
}

/* The last entry of the location is replaced by all that is to be said; others of what is said
 * anew are dropped. */
static void edit_tensor(const htp_view *view, const htp_view_tensor *tensor,
                        const unsigned char *entries, bool keeps_offset, htp_edit_list *edits)
{
    htp_wire wire = htp_wire_begin(htp_wire_content(tensor->whole));
    htp_wire_field field;
    size_t location = SIZE_MAX;
    while (htp_wire_next(&wire, &field)) {
        if (!htp_wire_is_bytes(&field, TENSOR_EXTERNAL_DATA)) {
            continue;
        }
        bool is_location = has_key(field.content, "location");
        bool is_place = has_key(field.content, "offset") || has_key(field.content, "length");
        if (is_location || (is_place && !keeps_offset)) {
            location = is_location ? edits->count : location;
            HTP_PUSH(view->arena, edits, (htp_edit){.field = field.whole});
        }
    }
    if (location != SIZE_MAX) {
        edits->items[location].bytes.at = entries;
    }
}

void htp_moved_data_plan(htp_view *view, htp_edit_list *edits, htp_moved_data *moved)
{
    bool keeps_all = view->data_files.count == 1;
    for (size_t i = 0; i < view->tensors.count; i++) {
        const htp_view_tensor *tensor = &view->tensors.items[i];
        bool is_kept = tensor->location != 0 && !is_dropped(edits, tensor->whole);
        keeps_all = keeps_all && (is_kept || tensor->location == 0);
        if (is_kept) {
            HTP_PUSH(view->arena, &moved->tensors, (htp_moved_tensor){.tensor = (uint32_t)i});
        }
    }
    if (moved->tensors.count == 0) {
        return;
    }
    if (keeps_all) {
        keep_offsets(view, moved);
    } else {
        lay_out(view, moved);
    }
    if (moved->bytes == 0) {
        moved->bytes = 1; /* a file that tensors without elements may name */
    }
    moved->entries = htp_arena_calloc(view->arena, moved->tensors.count, ENTRIES_SIZE);
    for (size_t i = 0; i < moved->tensors.count; i++) {
        edit_tensor(view, &view->tensors.items[moved->tensors.items[i].tensor],
                    moved->entries + i * ENTRIES_SIZE, moved->keeps_offsets, edits);
    }
    htp_edits_sort(edits);
}

void htp_moved_data_name(const htp_view *view, htp_edit_list *edits, htp_moved_data *moved,
                         const char *location)
{
    if (!moved->entries) {
        return;
    }
    const unsigned char *end = moved->entries + moved->tensors.count * ENTRIES_SIZE;
    for (size_t i = 0; i < edits->count; i++) {
        htp_span *bytes = &edits->items[i].bytes;
        if (bytes->at < moved->entries || bytes->at >= end) {
            continue;
        }
        size_t index = (size_t)(bytes->at - moved->entries) / ENTRIES_SIZE;
        const htp_moved_tensor *kept = &moved->tensors.items[index];
        unsigned char *entries = moved->entries + index * ENTRIES_SIZE;
        char number[LONGEST_NUMBER + 1];
        bytes->bytes = put_entry(entries, "location", location);
        if (!moved->keeps_offsets) {
            (void)snprintf(number, sizeof(number), "%" PRIu64, kept->to);
            bytes->bytes += put_entry(entries + bytes->bytes, "offset", number);
            (void)snprintf(number, sizeof(number), "%" PRIu64,
                           view->tensors.items[kept->tensor].bytes);
            bytes->bytes += put_entry(entries + bytes->bytes, "length", number);
        }
    }
}
