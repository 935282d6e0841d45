#include "onnx/proto/wire.h"

#include <string.h>

enum { LONGEST_VARINT = 10, LARGEST_NUMBER = (1 << 29) - 1 };

bool htp_wire_next_varint(htp_wire *wire, uint64_t *value)
{
    uint64_t read = 0;
    const unsigned char *at = wire->at;
    if (at == wire->end) {
        return false;
    }
    for (unsigned i = 0; i < LONGEST_VARINT && at < wire->end; i++) {
        unsigned char byte = *at++;
        read |= (uint64_t)(byte & 0x7f) << (7 * i);
        if (byte < 0x80) {
            wire->at = at;
            *value = read;
            return true;
        }
    }
    wire->is_broken = true;
    return false;
}

/* Like htp_wire_next_varint(), but the value is required. */
static bool need_varint(htp_wire *wire, uint64_t *value)
{
    wire->is_broken = !htp_wire_next_varint(wire, value);
    return !wire->is_broken;
}

/* Consumes @p bytes bytes, the contents of the field. */
static bool take(htp_wire *wire, uint64_t bytes, htp_span *content)
{
    if (bytes > (uint64_t)(wire->end - wire->at)) {
        wire->is_broken = true;
        return false;
    }
    *content = (htp_span){wire->at, (size_t)bytes};
    wire->at += bytes;
    return true;
}

static bool take_fixed(htp_wire *wire, size_t bytes, uint64_t *value)
{
    htp_span content;
    if (!take(wire, bytes, &content)) {
        return false;
    }
    *value = 0;
    for (size_t i = 0; i < bytes; i++) {
        *value |= (uint64_t)content.at[i] << (8 * i);
    }
    return true;
}

static bool take_value(htp_wire *wire, htp_wire_field *field)
{
    switch (field->type) {
    case HTP_WIRE_VARINT:
        return need_varint(wire, &field->value);
    case HTP_WIRE_FIXED64:
        return take_fixed(wire, 8, &field->value);
    case HTP_WIRE_FIXED32:
        return take_fixed(wire, 4, &field->value);
    case HTP_WIRE_BYTES:
        return need_varint(wire, &field->value) && take(wire, field->value, &field->content);
    default: /* groups are deprecated */
        wire->is_broken = true;
        return false;
    }
}

bool htp_wire_next_any(htp_wire *wire, htp_wire_field *field)
{
    const unsigned char *begin = wire->at;
    uint64_t tag;
    if (wire->is_broken || !htp_wire_next_varint(wire, &tag)) {
        return false;
    }
    *field = (htp_wire_field){.number = (uint32_t)(tag >> 3), .type = (htp_wire_type)(tag & 7)};
    if (tag >> 3 == 0 || tag >> 3 > LARGEST_NUMBER) {
        wire->is_broken = true;
        return false;
    }
    if (!take_value(wire, field)) {
        return false;
    }
    field->whole = (htp_span){begin, (size_t)(wire->at - begin)};
    return true;
}

htp_span htp_wire_content(htp_span whole)
{
    htp_wire wire = htp_wire_begin(whole);
    htp_wire_field field;
    return htp_wire_next(&wire, &field) ? field.content : (htp_span){NULL, 0};
}

static size_t put_varint(uint64_t value, unsigned char *at)
{
    size_t size = 0;
    for (; value >= 0x80; value >>= 7) {
        at[size++] = (unsigned char)(value | 0x80);
    }
    at[size++] = (unsigned char)value;
    return size;
}

size_t htp_wire_put_prefix(uint32_t number, uint64_t bytes,
                           unsigned char prefix[HTP_WIRE_PREFIX_SIZE])
{
    size_t size = put_varint((uint64_t)number << 3 | HTP_WIRE_BYTES, prefix);
    return size + put_varint(bytes, prefix + size);
}

/* ---- writing ---- */

void htp_wire_add_bytes(htp_text *out, uint32_t number, const void *bytes, size_t count)
{
    unsigned char prefix[HTP_WIRE_PREFIX_SIZE];
    size_t length = htp_wire_put_prefix(number, count, prefix);
    htp_text_add_bytes(out, (const char *)prefix, length);
    htp_text_add_bytes(out, bytes, count);
}

void htp_wire_add_text(htp_text *out, uint32_t number, const char *text)
{
    htp_wire_add_bytes(out, number, text, strlen(text));
}

void htp_wire_add_varint(htp_text *out, uint32_t number, uint64_t value)
{
    unsigned char field[2 * HTP_WIRE_PREFIX_SIZE];
    size_t length = put_varint((uint64_t)number << 3 | HTP_WIRE_VARINT, field);
    length += put_varint(value, field + length);
    htp_text_add_bytes(out, (const char *)field, length);
}

void htp_wire_add_entry(htp_text *out, uint32_t number, const char *key, const void *value,
                        size_t count)
{
    enum { KEY = 1, VALUE = 2 }; /* of StringStringEntryProto */
    htp_text entry = {.arena = out->arena};
    htp_wire_add_text(&entry, KEY, key);
    htp_wire_add_bytes(&entry, VALUE, value, count);
    htp_wire_add_bytes(out, number, entry.bytes, entry.length);
}
