/*
 * Contents of attributes and of Constant nodes.
 */
#include "query/compare/fingerprint.h"

#include "onnx/rewriter/strip.h"

#include <string.h>

/* Reference: onnx.proto, and the operator Constant. */
enum {
    ATTRIBUTE_NAME = 1,
    ATTRIBUTE_FLOATS = 7,
    ATTRIBUTE_INTS = 8,
    ATTRIBUTE_DOC_STRING = 13,

    TYPE_FLOAT = 1,
    TYPE_INT64 = 7,
};

typedef HTP_VECTOR(uint64_t) number_list;

/* Numbers of a list, packed or not. Floats are their bits. */
static void read_numbers(htp_arena *arena, const htp_view_attribute *attribute, number_list *list)
{
    uint32_t number = attribute->kind == HTP_VIEW_FLOATS ? ATTRIBUTE_FLOATS : ATTRIBUTE_INTS;
    htp_wire wire = htp_wire_begin(htp_wire_content(attribute->whole));
    htp_wire_field field;
    while (htp_wire_next(&wire, &field)) {
        if (field.number != number) {
            continue;
        }
        if (field.type != HTP_WIRE_BYTES) {
            HTP_PUSH(arena, list, field.value);
            continue;
        }
        htp_wire inner = htp_wire_begin(field.content);
        uint64_t value;
        while (number == ATTRIBUTE_INTS && htp_wire_next_varint(&inner, &value)) {
            HTP_PUSH(arena, list, value);
        }
        for (size_t at = 0; number == ATTRIBUTE_FLOATS && at + 4 <= field.content.bytes; at += 4) {
            uint32_t bits;
            memcpy(&bits, field.content.at + at, sizeof(bits));
            HTP_PUSH(arena, list, bits);
        }
    }
}

htp_digest htp_fingerprint_name(const htp_view *view, uint64_t seed, htp_view_name name)
{
    const char *text = htp_view_text(view, name);
    return htp_digest_of(seed, text, strlen(text));
}

static htp_digest digest_tensors(uint64_t seed, const htp_content *contents, htp_view_range tensors)
{
    htp_digest all = {tensors.count, 0};
    for (uint32_t i = 0; i < tensors.count; i++) {
        all = htp_digest_mix(seed, i, all, contents[tensors.first + i].value);
    }
    return all;
}

/* All fields but the name and the doc string, of kinds that are not decoded. */
static htp_digest digest_fields(uint64_t seed, const htp_view_attribute *attribute)
{
    htp_digest all = {0, 0};
    htp_wire wire = htp_wire_begin(htp_wire_content(attribute->whole));
    htp_wire_field field;
    while (htp_wire_next(&wire, &field)) {
        if (field.number != ATTRIBUTE_NAME && field.number != ATTRIBUTE_DOC_STRING) {
            all = htp_digest_mix(seed, field.number, all,
                                 htp_digest_of(seed, field.whole.at, field.whole.bytes));
        }
    }
    return all;
}

static htp_digest digest_strings(htp_arena *arena, uint64_t seed,
                                 const htp_view_attribute *attribute)
{
    const htp_span *strings;
    size_t count = htp_view_attribute_strings(attribute, arena, &strings);
    return htp_content_of_strings(seed, true, strings, count).value;
}

static htp_digest digest_list(htp_arena *arena, uint64_t seed, const htp_view_attribute *attribute)
{
    number_list list = {0};
    read_numbers(arena, attribute, &list);
    return htp_digest_of(seed, list.items, list.count * sizeof(*list.items));
}

static htp_digest digest_value(htp_arena *arena, uint64_t seed, const htp_content *contents,
                               const htp_view_attribute *attribute)
{
    switch (attribute->kind) {
    case HTP_VIEW_FLOAT:
        return htp_digest_of(seed, &attribute->f, sizeof(attribute->f));
    case HTP_VIEW_INT:
        return htp_digest_of(seed, &attribute->i, sizeof(attribute->i));
    case HTP_VIEW_STRING:
        return htp_digest_of(seed, attribute->s.at, attribute->s.bytes);
    case HTP_VIEW_FLOATS:
    case HTP_VIEW_INTS:
        return digest_list(arena, seed, attribute);
    case HTP_VIEW_STRINGS:
        return digest_strings(arena, seed, attribute);
    case HTP_VIEW_TENSOR:
    case HTP_VIEW_TENSORS:
    case HTP_VIEW_SPARSE:
    case HTP_VIEW_SPARSES:
        return digest_tensors(seed, contents, attribute->tensors);
    case HTP_VIEW_GRAPH: /* nodes of the body link to this node */
    case HTP_VIEW_GRAPHS:
        return (htp_digest){attribute->graphs.count, 0};
    default:
        return digest_fields(seed, attribute);
    }
}

htp_digest htp_fingerprint_attribute(htp_arena *arena, const htp_view *view, uint64_t seed,
                                     const htp_content *contents,
                                     const htp_view_attribute *attribute)
{
    bool is_reference = attribute->reference != 0;
    htp_digest value = is_reference ? htp_fingerprint_name(view, seed, attribute->reference)
                                    : digest_value(arena, seed, contents, attribute);
    return htp_digest_mix(seed, (uint64_t)attribute->kind << 1 | is_reference,
                          htp_fingerprint_name(view, seed, attribute->name), value);
}

/* ---- constants ---- */

static htp_content list_content(htp_arena *arena, uint64_t seed,
                                const htp_view_attribute *attribute)
{
    number_list list = {0};
    read_numbers(arena, attribute, &list);
    size_t width = attribute->kind == HTP_VIEW_FLOATS ? 4 : 8;
    unsigned char *bytes = htp_arena_calloc(arena, list.count + 1, width);
    for (size_t i = 0; i < list.count; i++) {
        memcpy(bytes + i * width, &list.items[i], width); /* targets are little-endian */
    }
    return htp_content_of(seed, width == 4 ? TYPE_FLOAT : TYPE_INT64, true, list.count, bytes,
                          list.count * width);
}

static htp_content strings_content(htp_arena *arena, uint64_t seed,
                                   const htp_view_attribute *attribute)
{
    const htp_span *strings;
    size_t count = htp_view_attribute_strings(attribute, arena, &strings);
    return htp_content_of_strings(seed, true, strings, count);
}

static bool read_constant(htp_arena *arena, uint64_t seed, const htp_content *contents,
                          const htp_view_attribute *attribute, htp_content *content)
{
    switch (attribute->kind) {
    case HTP_VIEW_TENSOR:
    case HTP_VIEW_SPARSE:
        if (attribute->tensors.count == 0) {
            return false;
        }
        *content = contents[attribute->tensors.first];
        return true;
    case HTP_VIEW_FLOAT:
        *content = htp_content_of(seed, TYPE_FLOAT, false, 1, &attribute->f, sizeof(attribute->f));
        return true;
    case HTP_VIEW_INT:
        *content = htp_content_of(seed, TYPE_INT64, false, 1, &attribute->i, sizeof(attribute->i));
        return true;
    case HTP_VIEW_FLOATS:
    case HTP_VIEW_INTS:
        *content = list_content(arena, seed, attribute);
        return true;
    case HTP_VIEW_STRING:
        *content = htp_content_of_strings(seed, false, &attribute->s, 1);
        return true;
    case HTP_VIEW_STRINGS:
        *content = strings_content(arena, seed, attribute);
        return true;
    default:
        return false;
    }
}

bool htp_fingerprint_constant(htp_arena *arena, const htp_view *view, uint64_t seed,
                              const htp_content *contents, uint32_t node, htp_content *content)
{
    static const char value[] = "value";
    static const char sparse[] = "sparse_value";
    const htp_view_node *made = &view->nodes.items[node];
    bool is_constant = strcmp(htp_view_text(view, made->op_type), "Constant") == 0 &&
                       htp_view_is_own_domain(view, made->domain) && made->inputs.count == 0 &&
                       made->outputs.count == 1;
    const htp_view_attribute *found = NULL;
    for (uint32_t i = 0; is_constant && i < made->attributes.count; i++) {
        const htp_view_attribute *attribute = &view->attributes.items[made->attributes.first + i];
        const char *name = htp_view_text(view, attribute->name);
        if (strncmp(name, value, strlen(value)) == 0 || strcmp(name, sparse) == 0) {
            is_constant = !found && attribute->reference == 0;
            found = attribute;
        } else {
            is_constant = htp_strip_is_tag(view, attribute);
        }
    }
    return is_constant && found && read_constant(arena, seed, contents, found, content);
}
