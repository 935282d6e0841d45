#include "onnx/rewriter/move_data.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    TENSOR_RAW_DATA = 9, /* of TensorProto */
    TENSOR_EXTERNAL_DATA = 13,
    TENSOR_LOCATION = 14,
    LOCATION_EXTERNAL = 1,
    ENTRY_KEY = 1, /* of StringStringEntryProto */
    ENTRY_VALUE = 2,
    ALIGNMENT = 64, /* as in htp_builder_write() */
    LONGEST_NUMBER = 20,
    ENTRY_SIZE = 2 * HTP_WIRE_PREFIX_SIZE + HTP_WIRE_PREFIX_SIZE + 8, /* without the value */
    ENTRIES_SIZE = 3 * ENTRY_SIZE + NAME_MAX + 2 * LONGEST_NUMBER + 2,
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

/* ---- byte ranges ---- */

/* Whether an edit replaces a field around @p part. */
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

/* Copies the old data file unchanged. */
static void keep_offsets(const htp_move_request *request, htp_moved_data *moved)
{
    uint64_t end = 0;
    moved->keeps_offsets = true;
    for (size_t i = 0; i < moved->tensors.count; i++) {
        htp_moved_tensor *kept = &moved->tensors.items[i];
        const htp_view_tensor *tensor = &request->view->tensors.items[kept->tensor];
        kept->to = tensor->offset;
        end = tensor->offset + tensor->bytes > end ? tensor->offset + tensor->bytes : end;
    }
    HTP_PUSH(request->arena, &moved->ranges,
             (htp_moved_range){.view = request->view, .bytes = end});
    moved->bytes = end;
}

/* The storage of a tensor's data. */
static htp_moved_range source_of(const htp_view *view, const htp_view_tensor *tensor)
{
    htp_moved_range range = {.view = view, .data_file = HTP_NONE, .bytes = tensor->bytes};
    if (tensor->location != 0) {
        (void)htp_map_get(&view->data_numbers, htp_view_text(view, tensor->location),
                          &range.data_file);
        range.from = tensor->offset;
    } else {
        range.from = (uint64_t)(tensor->data.at - view->bytes.at);
    }
    return range;
}

/* The same of any model. A flat view and its file have the same data files. */
static htp_moved_range find_source(const htp_move_request *request, const htp_moved_tensor *of)
{
    const htp_view_tensor *tensor = &of->view->tensors.items[of->tensor];
    htp_moved_range range = source_of(of->view, tensor);
    uint32_t number = HTP_NONE;
    bool is_of_file = request->verbatim && of->view == request->verbatim->view;
    if (is_of_file && htp_map_get(&request->view->data_numbers,
                                  htp_view_text(of->view, tensor->location), &number)) {
        range.view = request->view;
        range.data_file = number;
    }
    return range;
}

/* The range of a tensor's bytes, created on first use. */
static uint32_t find_range(const htp_move_request *request, htp_moved_data *moved, htp_map *known,
                           const htp_moved_tensor *of)
{
    enum { KEY_NUMBERS = 4 };
    htp_moved_range range = find_source(request, of);
    uint32_t number;
    uint64_t *key = HTP_NEW_ARRAY(request->arena, uint64_t, KEY_NUMBERS);
    key[0] = range.data_file;
    key[1] = range.from;
    key[2] = range.bytes;
    key[3] = (uintptr_t)range.view;
    if (htp_map_get_bytes(known, key, KEY_NUMBERS * sizeof(*key), &number)) {
        return number;
    }
    number = (uint32_t)moved->ranges.count;
    range.to = range.bytes == 0 ? 0 : (moved->bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    HTP_PUSH(request->arena, &moved->ranges, range);
    htp_map_set_bytes(request->arena, known, key, KEY_NUMBERS * sizeof(*key), number);
    moved->bytes = range.bytes == 0 ? moved->bytes : range.to + range.bytes;
    return number;
}

static void lay_out(const htp_move_request *request, htp_moved_data *moved)
{
    htp_map known = {0};
    for (size_t i = 0; i < moved->tensors.count; i++) {
        htp_moved_tensor *kept = &moved->tensors.items[i];
        if (request->shared) {
            kept->to = request->shared->offsets[kept->tensor];
        } else {
            uint32_t range = find_range(request, moved, &known, kept);
            kept->to = moved->ranges.items[range].to;
        }
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

/* A tensor's new location replaces the last field that gave the old one; the other such fields are
 * dropped. */
static void edit_tensor(const htp_move_request *request, const htp_view_tensor *tensor,
                        const htp_edit *what, bool keeps_offset, htp_edit_list *edits)
{
    htp_wire wire = htp_wire_begin(htp_wire_content(tensor->whole));
    htp_wire_field field;
    bool moves =
        tensor->location == 0 || what->data; /* the data move into the model, or out of it */
    size_t place = SIZE_MAX;
    while (htp_wire_next(&wire, &field)) {
        bool is_entry = htp_wire_is_bytes(&field, TENSOR_EXTERNAL_DATA);
        bool is_data = htp_wire_is_bytes(&field, TENSOR_RAW_DATA);
        bool is_where = field.number == TENSOR_LOCATION;
        bool is_main =
            tensor->location != 0 ? is_entry && has_key(field.content, "location") : is_data;
        bool is_told =
            is_entry && (has_key(field.content, "offset") || has_key(field.content, "length"));
        bool is_other = is_entry ? is_told || moves : is_data || (is_where && moves);
        if (is_main || (is_other && !keeps_offset)) {
            place = is_main ? edits->count : place;
            HTP_PUSH(request->arena, edits, (htp_edit){.field = field.whole});
        }
    }
    if (place != SIZE_MAX) {
        edits->items[place].bytes = what->bytes;
        edits->items[place].data = what->data;
    }
}

/* Moves the data of a tensor into the model. */
static void move_inside(const htp_move_request *request, const htp_view_tensor *tensor,
                        htp_edit_list *edits, htp_moved_data *moved)
{
    htp_moved_range *range = HTP_NEW(request->arena, htp_moved_range);
    unsigned char *prefix = htp_arena_alloc(request->arena, HTP_WIRE_PREFIX_SIZE);
    *range = source_of(request->view, tensor);
    size_t bytes = htp_wire_put_prefix(TENSOR_RAW_DATA, range->bytes, prefix);
    const htp_edit what = {.bytes = {prefix, bytes}, .data = range};
    HTP_PUSH(request->arena, &moved->inlined, range);
    edit_tensor(request, tensor, &what, false, edits);
}

bool htp_moved_data_is_in_file(const htp_view *view, htp_span data)
{
    return data.at >= view->bytes.at && data.at < view->bytes.at + view->bytes.bytes;
}

/* Whether a tensor's data go to the data file. */
static bool goes_beside(const htp_move_request *request, const htp_view_tensor *tensor)
{
    if (request->keeps_places || (request->is_beside && tensor->attribute != HTP_NONE)) {
        return tensor->location != 0;
    }
    bool can_move =
        tensor->location != 0 || (tensor->data_field == TENSOR_RAW_DATA &&
                                  htp_moved_data_is_in_file(request->view, tensor->data));
    return request->is_beside && can_move && !tensor->sparse.at &&
           tensor->bytes >= HTP_REWRITE_SMALLEST_BESIDE;
}

/* Decides the place of one tensor. */
static void place_tensor(const htp_move_request *request, uint32_t number, htp_edit_list *edits,
                         htp_moved_data *moved)
{
    const htp_view_tensor *tensor = &request->view->tensors.items[number];
    bool is_beside = goes_beside(request, tensor);
    bool is_shared = !request->shared || request->shared->offsets[number] != UINT64_MAX;
    if (is_beside && is_shared) {
        HTP_PUSH(request->arena, &moved->tensors,
                 (htp_moved_tensor){.view = request->view, .tensor = number});
    } else if (tensor->location != 0) {
        move_inside(request, tensor, edits, moved);
    }
}

/* Tensors of another model, or of functions that stay, beside it stay beside. @return whether there
 * are some */
static bool place_others(const htp_move_request *request, const htp_second_model *others,
                         htp_moved_data *moved)
{
    size_t before = moved->tensors.count;
    for (size_t i = 0; others && i < others->tensor_count; i++) {
        if (others->view->tensors.items[others->tensors[i]].location != 0) {
            HTP_PUSH(request->arena, &moved->tensors,
                     (htp_moved_tensor){.view = others->view, .tensor = others->tensors[i]});
        }
    }
    return moved->tensors.count > before;
}

static void place_tensors(const htp_move_request *request, htp_edit_list *edits,
                          htp_moved_data *moved)
{
    const htp_view *view = request->view;
    size_t external = 0;
    for (size_t i = 0; i < view->tensors.count; i++) {
        external += view->tensors.items[i].location != 0;
    }
    size_t dropping = edits->count;
    for (size_t i = 0; !request->has_tensors && i < view->tensors.count; i++) {
        const htp_edit_list droppers = {edits->items, dropping, dropping};
        bool is_kept = !is_dropped(&droppers, view->tensors.items[i].whole);
        if (is_kept) {
            place_tensor(request, (uint32_t)i, edits, moved);
        }
    }
    for (size_t i = 0; request->has_tensors && i < request->tensor_count; i++) {
        place_tensor(request, request->tensors[i], edits, moved);
    }
    bool keeps_all =
        request->keeps_places && view->data_files.count == 1 && moved->tensors.count == external;
    keeps_all = !place_others(request, request->second, moved) && keeps_all;
    keeps_all = !place_others(request, request->verbatim, moved) && keeps_all;
    if (moved->tensors.count > 0 && keeps_all) {
        keep_offsets(request, moved);
    } else {
        lay_out(request, moved);
    }
}

/* A constant of a function that stays, and is inlined elsewhere, is edited alike as a tensor of the
 * file and of the flat view. */
static void drop_repeated(htp_edit_list *edits)
{
    size_t kept = 0;
    for (size_t i = 0; i < edits->count; i++) {
        if (kept == 0 || edits->items[kept - 1].field.at != edits->items[i].field.at) {
            edits->items[kept++] = edits->items[i];
        }
    }
    edits->count = kept;
}

void htp_moved_data_plan(const htp_move_request *request, htp_edit_list *edits,
                         htp_moved_data *moved)
{
    place_tensors(request, edits, moved);
    if (moved->tensors.count > 0 && moved->bytes == 0 && !request->shared) {
        moved->bytes = 1; /* tensors without elements may still name the file */
    }
    moved->entries = htp_arena_calloc(request->arena, moved->tensors.count + 1, ENTRIES_SIZE);
    for (size_t i = 0; i < moved->tensors.count; i++) {
        const htp_edit what = {.bytes.at = moved->entries + i * ENTRIES_SIZE};
        const htp_moved_tensor *kept = &moved->tensors.items[i];
        edit_tensor(request, &kept->view->tensors.items[kept->tensor], &what, moved->keeps_offsets,
                    edits);
    }
    htp_edits_sort(edits);
    if (request->verbatim) {
        drop_repeated(edits);
    }
}

void htp_moved_data_name(htp_edit_list *edits, htp_moved_data *moved, const char *location)
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
        const htp_view_tensor *tensor = &kept->view->tensors.items[kept->tensor];
        if (!moved->keeps_offsets) {
            (void)snprintf(number, sizeof(number), "%" PRIu64, kept->to);
            bytes->bytes += put_entry(entries + bytes->bytes, "offset", number);
            (void)snprintf(number, sizeof(number), "%" PRIu64, tensor->bytes);
            bytes->bytes += put_entry(entries + bytes->bytes, "length", number);
        }
        if (tensor->location == 0) {
            entries[bytes->bytes++] = TENSOR_LOCATION << 3 | HTP_WIRE_VARINT;
            entries[bytes->bytes++] = LOCATION_EXTERNAL;
        }
    }
}
