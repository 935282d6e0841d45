/*
 * Chains of running modules, "path: Class/path: Class/operation": absolute ones, and those in
 * functions, which are relative to the call.
 */
#include "onnx/inliner/inline_spans.h"
#include "onnx/inliner/inline_texts.h"

#include <string.h>

bool htp_inline_next_element(htp_span *rest, htp_span *element, bool *is_last)
{
    const unsigned char *slash = rest->bytes > 0 ? memchr(rest->at, '/', rest->bytes) : NULL;
    if (!rest->at) {
        return false;
    }
    size_t length = slash ? (size_t)(slash - rest->at) : rest->bytes;
    *element = htp_span_part(*rest, 0, length);
    *is_last = !slash;
    *rest = slash ? htp_span_part(*rest, length + 1, rest->bytes) : (htp_span){NULL, 0};
    return true;
}

bool htp_inline_is_whole_chain(htp_span chain)
{
    return htp_span_begins(chain, htp_inline_span(": "));
}

htp_span htp_inline_element_path(htp_span element)
{
    const unsigned char *colon =
        element.at && element.bytes > 1 ? memmem(element.at, element.bytes, ": ", 2) : NULL;
    return htp_span_part(element, 0, colon ? (size_t)(colon - element.at) : element.bytes);
}

void htp_inline_split_chain(htp_span chain, htp_span *begun, htp_span *path)
{
    const unsigned char *slash = chain.bytes > 0 ? memrchr(chain.at, '/', chain.bytes) : NULL;
    *begun = (htp_span){NULL, 0};
    *path = (htp_span){NULL, 0};
    if (slash) {
        *begun = htp_span_part(chain, 0, (size_t)(slash - chain.at) + 1);
        const unsigned char *before = memrchr(chain.at, '/', begun->bytes - 1);
        size_t first = before ? (size_t)(before - chain.at) + 1 : 0;
        *path = htp_inline_element_path(htp_span_part(chain, first, begun->bytes - 1));
    }
}

void htp_inline_join_chain(htp_text *text, const htp_inline_texts *call, htp_span chain,
                           size_t limit)
{
    htp_span element;
    bool is_last = false;
    htp_span_add(text, call->chain);
    while (htp_inline_next_element(&chain, &element, &is_last) && text->length < limit) {
        if (!is_last && call->chain_path.bytes > 0) {
            htp_span_add(text, call->chain_path);
            htp_text_add(text, ".");
        }
        htp_span_add(text, element);
        htp_text_add(text, is_last ? "" : "/");
    }
}

/* The part of a tag below the call's; empty if it is not below it. */
static htp_span tag_below(const htp_inline_texts *call, htp_span tag)
{
    if (tag.bytes == 0 || tag.at[0] != '/') {
        return tag;
    }
    bool is_below = htp_span_begins(tag, call->tag) && tag.bytes > call->tag.bytes + 1 &&
                    tag.at[call->tag.bytes] == '/';
    return is_below ? htp_span_part(tag, call->tag.bytes + 1, tag.bytes) : (htp_span){NULL, 0};
}

/* The part after the last @p separator, or all of it. */
static htp_span behind_last(htp_span text, unsigned char separator)
{
    size_t begin = text.bytes;
    while (begin > 0 && text.at[begin - 1] != separator) {
        begin--;
    }
    return htp_span_part(text, begin, text.bytes);
}

/* "Class" of a tag's last segment, "Class.SUFFIX". */
static htp_span class_of_tag(htp_span tag)
{
    htp_span segment = behind_last(tag, '/');
    const unsigned char *dot = segment.bytes > 0 ? memchr(segment.at, '.', segment.bytes) : NULL;
    return htp_span_part(segment, 0, dot ? (size_t)(dot - segment.at) : segment.bytes);
}

/* Whether an element of a chain, "path: package.Class", is of a class. */
static bool is_of_class(htp_span element, htp_span name)
{
    htp_span path = htp_inline_element_path(element);
    htp_span found = behind_last(htp_span_part(element, path.bytes, element.bytes), '.');
    return name.bytes > 0 && found.bytes == name.bytes &&
           memcmp(found.at, name.at, name.bytes) == 0;
}

/* The end of a chain: [0] of all modules, [1] of those outside torch.nn. */
struct chain_end {
    htp_span last[2]; /* its last elements */
    size_t counts[2];
};

static struct chain_end end_of_chain(htp_span chain)
{
    struct chain_end end = {.counts = {0, 0}};
    htp_span element;
    bool is_last = false;
    while (htp_inline_next_element(&chain, &element, &is_last) && !is_last) {
        htp_span path = htp_inline_element_path(element);
        htp_span name = htp_span_part(element, path.bytes, element.bytes);
        bool is_own = name.bytes > 2 && !htp_span_begins(htp_span_part(name, 2, name.bytes),
                                                         htp_inline_span("torch.nn."));
        for (int k = 0; k <= (int)is_own; k++) {
            end.last[k] = element;
            end.counts[k]++;
        }
    }
    return end;
}

/* The element of a tag's module. There is one per segment, unless a module is called from elsewhere
 * than its parent's forward(): then the class decides. */
static htp_span element_of_tag(const struct chain_end *end, htp_span tag)
{
    htp_span name = class_of_tag(tag);
    htp_span found = {NULL, 0};
    size_t segments = 1;
    int best = 0;
    for (size_t i = 0; i < tag.bytes; i++) {
        segments += tag.at[i] == '/';
    }
    for (int k = 1; k >= 0; k--) {
        bool is_counted = end->counts[k] == segments;
        int rank = 2 * (int)is_of_class(end->last[k], name) + (int)is_counted;
        found = rank > best ? end->last[k] : found;
        best = rank > best ? rank : best;
    }
    return found;
}

htp_span htp_inline_tagged_path(const htp_inline_texts *call, htp_span tag, htp_span chain)
{
    htp_span below = tag_below(call, tag);
    bool is_whole = htp_inline_is_whole_chain(chain);
    if (!below.at) {
        return below;
    }
    if (is_whole && htp_span_begins(chain, call->chain)) {
        chain = htp_span_part(chain, call->chain.bytes, chain.bytes);
    }
    const struct chain_end end = end_of_chain(chain);
    htp_span found = htp_inline_element_path(element_of_tag(&end, below));
    bool is_long = is_whole && found.at && call->chain_path.bytes > 0 &&
                   htp_span_begins(found, call->chain_path) &&
                   found.bytes > call->chain_path.bytes + 1;
    return is_long ? htp_span_part(found, call->chain_path.bytes + 1, found.bytes) : found;
}

htp_span htp_inline_elsewhere_path(htp_span tag, htp_span chain)
{
    htp_span found = {NULL, 0};
    htp_span element;
    bool is_last = false;
    if (tag.bytes == 0 || tag.at[0] != '/' || !htp_inline_is_whole_chain(chain)) {
        return found;
    }
    while (htp_inline_next_element(&chain, &element, &is_last) && !is_last) {
        found = is_of_class(element, class_of_tag(tag)) ? htp_inline_element_path(element) : found;
    }
    return found;
}

/* ---- Python's lists ---- */

/* ---- as lists ---- */

void htp_inline_add_plain(htp_text *plain, htp_span encoded)
{
    for (size_t i = 0; i < encoded.bytes; i++) {
        unsigned code = 0;
        bool is_code = encoded.at[i] == '%' && encoded.bytes - i > 2;
        for (size_t k = 1; is_code && k <= 2; k++) {
            unsigned char c = encoded.at[i + k];
            unsigned digit = (unsigned)(c >= '0' && c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
            is_code = digit < 16;
            code = code * 16 + digit;
        }
        char byte = (char)(is_code && code > 0 ? code : encoded.at[i]);
        htp_text_add_bytes(plain, &byte, 1);
        i += is_code && code > 0 ? 2 : 0;
    }
}

/* Decodes a text into Python's form. */
static void add_decoded(htp_text *text, htp_span encoded)
{
    htp_text plain = {.arena = text->arena};
    htp_inline_add_plain(&plain, encoded);
    htp_text_add_repr(text, htp_text_string(&plain));
}

void htp_inline_lists_of_chain(htp_text *classes, htp_text *scopes, htp_span chain)
{
    htp_span element;
    bool is_last = false;
    htp_text_add(classes, "[");
    htp_text_add(scopes, "[");
    while (htp_inline_next_element(&chain, &element, &is_last) && !is_last) {
        htp_span path = htp_inline_element_path(element);
        size_t behind = path.bytes + 2 <= element.bytes ? path.bytes + 2 : element.bytes;
        add_decoded(classes, htp_span_part(element, behind, element.bytes));
        add_decoded(scopes, path);
        htp_text_add(classes, ", ");
        htp_text_add(scopes, ", ");
    }
}
