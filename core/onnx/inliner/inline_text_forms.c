/*
 * Builds texts of metadata: tags, lists and call numbers.
 */
#include "onnx/inliner/inline_texts.h"

#include "base/json/json_scan.h"
#include "onnx/inliner/inline_spans.h"

#include <inttypes.h>
#include <string.h>

static bool is_text(htp_span span, const char *text)
{
    return span.bytes == strlen(text) && memcmp(span.at, text, span.bytes) == 0;
}

/* ---- tags ---- */

void htp_inline_join_tag(htp_text *text, htp_span above, htp_span tag)
{
    bool is_absolute = tag.bytes > 0 && tag.at[0] == '/';
    if (!is_absolute) {
        htp_span_add(text, above);
    }
    if (!is_text(tag, ".")) {
        htp_text_add(text, is_absolute ? "" : "/");
        htp_span_add(text, tag);
    }
}

/* The end of the quoted text at @p at, after its closing quote; 0 if unterminated. */
static size_t end_of_quoted(htp_span text, size_t at)
{
    unsigned char quote = text.at[at];
    for (size_t i = at + 1; i < text.bytes; i++) {
        if (text.at[i] == quote) {
            return i + 1;
        }
        i += text.at[i] == '\\';
    }
    return 0;
}

void htp_inline_join_tags(htp_text *text, htp_span above, htp_span list, size_t limit)
{
    for (size_t at = 0; at < list.bytes && text->length < limit; at++) {
        size_t end = list.at[at] == '"' ? end_of_quoted(list, at) : 0;
        if (end == 0) {
            htp_span_add(text, htp_span_part(list, at, at + 1));
            continue;
        }
        htp_span tag = htp_span_part(list, at + 1, end - 1);
        if (tag.bytes > 0 && tag.at[0] == '/') {
            htp_span_add(text, htp_span_part(list, at, end));
        } else {
            htp_text_add_json_part(text, (const char *)above.at, above.bytes);
            text->length--; /* the quote */
            htp_inline_join_tag(text, (htp_span){above.at, 0}, tag);
            htp_text_add(text, "\"");
        }
        at = end - 1;
    }
}

/* The next quoted text of a list. @return false at the end */
static bool next_item(htp_span list, size_t *at, htp_span *item)
{
    while (*at < list.bytes && list.at[*at] != '\'' && list.at[*at] != '"') {
        ++*at;
    }
    size_t end = *at < list.bytes ? end_of_quoted(list, *at) : 0;
    if (end == 0) {
        return false;
    }
    *item = htp_span_part(list, *at, end);
    *at = end;
    return true;
}

void htp_inline_last_of_list(htp_span list, htp_span *last)
{
    htp_span item;
    *last = (htp_span){NULL, 0};
    for (size_t at = 0; next_item(list, &at, &item);) {
        *last = item;
    }
}

void htp_inline_split_list(htp_span list, htp_span *begun, htp_span *last_but_one)
{
    htp_span item;
    htp_span before = {NULL, 0};
    htp_span last = {NULL, 0};
    for (size_t at = 0; next_item(list, &at, &item);) {
        before = last;
        last = item;
    }
    *begun = last.at ? htp_span_part(list, 0, (size_t)(last.at - list.at)) : (htp_span){NULL, 0};
    *last_but_one = before;
}

/* Appends the contents of a quoted text, escaped for @p quote; a quote that was escaped before
 * stays so. */
static void add_quoted(htp_text *text, htp_span item, unsigned char quote)
{
    for (size_t i = 1; i + 1 < item.bytes; i++) {
        if (item.at[i] == quote && item.at[i - 1] != '\\') {
            htp_text_add(text, "\\");
        }
        htp_span_add(text, htp_span_part(item, i, i + 1));
    }
}

void htp_inline_join_list(htp_text *text, htp_span begun, htp_span path, htp_span list,
                          size_t limit)
{
    htp_span item, next;
    size_t at = 0;
    bool has_item = next_item(list, &at, &item);
    htp_span_add(text, begun);
    htp_text_add(text, has_item ? "" : "]");
    while (has_item && text->length < limit) {
        bool has_next = next_item(list, &at, &next);
        if (has_next && path.bytes > 2) {
            const char quote[] = {(char)item.at[0], '\0'};
            htp_text_add(text, quote);
            add_quoted(text, path, item.at[0]);
            htp_text_add(text, ".");
            htp_span_add(text, htp_span_part(item, 1, item.bytes));
        } else {
            htp_span_add(text, item);
        }
        htp_text_add(text, has_next ? ", " : "]");
        item = next;
        has_item = has_next;
    }
}

/* ---- numbers of calls ---- */

/* Appends the path of a module below a call. */
static void add_path(htp_text *text, htp_span above, htp_span path)
{
    htp_span_add(text, above);
    htp_text_add(text, above.bytes > 0 ? "." : "");
    htp_span_add(text, path);
}

/* The text between quotes. */
static htp_span inner(htp_span quoted)
{
    return quoted.bytes > 2 ? htp_span_part(quoted, 1, quoted.bytes - 1) : (htp_span){quoted.at, 0};
}

/* The part of a module's path below a call's callee. */
static htp_span below_call(const htp_inline_texts *call, htp_span path)
{
    htp_span above = inner(call->path);
    bool is_below = above.at && above.bytes > 0 && path.bytes > above.bytes + 1 &&
                    path.at[above.bytes] == '.' && memcmp(path.at, above.at, above.bytes) == 0;
    return is_below ? htp_span_part(path, above.bytes + 1, path.bytes) : path;
}

static bool find_first(const htp_inline_texts *call, htp_span path, uint64_t *number)
{
    htp_span below = below_call(call, path);
    uint32_t index;
    bool is_told = htp_map_get_bytes(&call->first, below.at, below.bytes, &index);
    *number = is_told ? call->numbers.items[index] : 0;
    return is_told;
}

static uint64_t first_number(htp_span list)
{
    uint64_t number = 0;
    size_t i = 0;
    while (i < list.bytes && (list.at[i] < '0' || list.at[i] > '9')) {
        i++;
    }
    for (size_t end = i + 9; i < list.bytes && i < end && list.at[i] >= '0' && list.at[i] <= '9';
         i++) {
        number = number * 10 + (list.at[i] - '0');
    }
    return number;
}

/* The number of calls of a module before, or at, a call. */
static uint64_t number_in(const htp_inline_texts *call, htp_span path)
{
    uint32_t index;
    uint64_t number;
    if (htp_map_get_bytes(&call->calls, path.at, path.bytes, &index)) {
        return first_number(call->lists.items[index]);
    }
    (void)find_first(call, path, &number);
    return number;
}

/* Appends all numbers of a text, each increased by @p more, with the text between them. */
static void add_numbers(htp_text *text, htp_span numbers, uint64_t more, size_t limit)
{
    for (size_t i = 0; i < numbers.bytes && text->length < limit;) {
        uint64_t number = 0;
        size_t begin = i;
        while (i < numbers.bytes && numbers.at[i] >= '0' && numbers.at[i] <= '9') {
            number = number * 10 + (numbers.at[i++] - '0');
        }
        if (i == begin) {
            htp_span_add(text, htp_span_part(numbers, i, i + 1));
            i++;
        } else if (i - begin > 9) { /* too long for a call number */
            htp_span_add(text, htp_span_part(numbers, begin, i));
        } else {
            htp_text_addf(text, "%" PRIu64, number + more);
        }
    }
}

/* The text between brackets. */
static htp_span in_brackets(htp_span list)
{
    size_t begin = 0;
    size_t end = list.bytes;
    while (begin < end && (list.at[begin] == '[' || list.at[begin] == ' ')) {
        begin++;
    }
    while (end > begin && (list.at[end - 1] == ']' || list.at[end - 1] == ' ')) {
        end--;
    }
    return htp_span_part(list, begin, end);
}

bool htp_inline_add_calls(htp_text *text, const htp_inline_texts *call, const htp_inline_own *own,
                          htp_span path, size_t limit)
{
    const htp_inline_texts *outermost = call;
    uint64_t before = 0;
    uint64_t first = 0;
    uint32_t index;
    for (; outermost->caller; outermost = outermost->caller) {
        before += number_in(outermost, path);
    }
    if (htp_map_get_bytes(&outermost->calls, path.at, path.bytes, &index)) {
        htp_span_add(text, in_brackets(outermost->lists.items[index]));
        return true;
    }
    if (!find_first(outermost, path, &first)) {
        return false;
    }
    htp_span key = own->is_relative ? below_call(call, path) : path;
    bool is_told = htp_map_get_bytes(&own->calls, key.at, key.bytes, &index);
    add_numbers(text, is_told ? in_brackets(own->lists.items[index]) : htp_inline_span("0"),
                before + first, limit);
    return true;
}

bool htp_inline_join_calls(htp_text *text, htp_text *path, const htp_inline_texts *call,
                           const htp_inline_own *own, htp_span chain, size_t limit)
{
    htp_span element;
    bool is_last = false;
    bool is_any = false;
    htp_text_add(text, "{");
    while (htp_inline_next_element(&chain, &element, &is_last) && !is_last &&
           text->length < limit) {
        size_t begin = text->length;
        path->length = 0;
        htp_text_add(path, "");
        htp_inline_add_plain(path, htp_inline_element_path(element));
        const htp_span module = {(const unsigned char *)path->bytes, path->length};
        htp_text_add(text, is_any ? ", " : "");
        htp_text_add_json_part(text, path->bytes, path->length);
        htp_text_add(text, ": [");
        if (htp_inline_add_calls(text, call, own, module, limit)) {
            htp_text_add(text, "]");
            is_any = true;
        } else {
            text->length = begin;
        }
    }
    htp_text_add(text, "}");
    return is_any;
}

void htp_inline_read_calls(htp_arena *arena, htp_inline_own *own, htp_span above, htp_span json)
{
    htp_json_scan scan = htp_json_scan_of((htp_json_part){(const char *)json.at, json.bytes});
    htp_json_part key, value;
    bool is_object = htp_json_scan_enter(&scan, '{');
    while (is_object && htp_json_scan_next(&scan, &key, &value)) {
        htp_text path = {.arena = arena};
        add_path(&path, inner(above),
                 (htp_span){(const unsigned char *)key.at + 1, key.length - 2});
        htp_map_set_bytes(arena, &own->calls, htp_text_string(&path), path.length,
                          (uint32_t)own->lists.count);
        HTP_PUSH(arena, &own->lists, (htp_span){(const unsigned char *)value.at, value.length});
    }
}

void htp_inline_read_first(htp_arena *arena, htp_inline_texts *call, htp_span json)
{
    htp_json_scan scan = htp_json_scan_of((htp_json_part){(const char *)json.at, json.bytes});
    htp_json_part key, value;
    bool is_object = htp_json_scan_enter(&scan, '{');
    while (is_object && htp_json_scan_next(&scan, &key, &value)) {
        uint64_t number = 0;
        for (size_t i = 0; i < value.length && number < UINT32_MAX; i++) {
            unsigned digit = (unsigned)(unsigned char)value.at[i] - '0';
            number = digit <= 9 ? number * 10 + digit : number;
        }
        htp_map_set_bytes(arena, &call->first, key.at + 1, key.length - 2,
                          (uint32_t)call->numbers.count);
        HTP_PUSH(arena, &call->numbers, number);
    }
}

/* Adds the number of one module's first call in a call. @param path  its whole path */
static void add_first(htp_text *text, const htp_inline_texts *call, htp_span path, uint64_t first)
{
    htp_span below = below_call(call, path);
    for (; call->caller; call = call->caller) {
        first += number_in(call, path);
    }
    htp_text_add(text, text->length > 0 ? ", \"" : "{\"");
    htp_span_add(text, below);
    htp_text_addf(text, "\": %" PRIu64, first);
}

void htp_inline_join_first(htp_text *text, const htp_inline_texts *call)
{
    const htp_inline_texts *outermost = call;
    htp_json_part key, value;
    while (outermost->caller) {
        outermost = outermost->caller;
    }
    htp_span json = outermost->of[HTP_INLINE_FIRST];
    htp_span above = inner(outermost->path);
    htp_json_scan scan = htp_json_scan_of((htp_json_part){(const char *)json.at, json.bytes});
    bool is_object = json.at && htp_json_scan_enter(&scan, '{');
    for (size_t i = 0; is_object && htp_json_scan_next(&scan, &key, &value); i++) {
        htp_text path = {.arena = text->arena};
        const htp_span told = {(const unsigned char *)key.at + 1, key.length - 2};
        add_path(&path, above, told);
        add_first(text, call, htp_wire_span(&path), outermost->numbers.items[i]);
        if (above.bytes > 0) { /* it need not be below the callee */
            add_first(text, call, told, outermost->numbers.items[i]);
        }
    }
    htp_text_add(text, text->length > 0 ? "}" : "");
}
