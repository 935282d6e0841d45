/*
 * Reads protobuf's wire format in memory: the fields of one message, in order. Nothing is copied,
 * nothing is allocated, and no length is trusted. Writes small messages into texts.
 *
 * Reference: https://protobuf.dev/programming-guides/encoding/
 */
#ifndef HTP_ONNX_WIRE_H
#define HTP_ONNX_WIRE_H

#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Bytes owned by someone else. */
typedef struct htp_span {
    const unsigned char *at;
    size_t bytes;
} htp_span;

typedef enum htp_wire_type {
    HTP_WIRE_VARINT = 0,
    HTP_WIRE_FIXED64 = 1,
    HTP_WIRE_BYTES = 2,
    HTP_WIRE_FIXED32 = 5,
} htp_wire_type;

/** One field of a message. */
typedef struct htp_wire_field {
    uint32_t number;
    htp_wire_type type;
    uint64_t value;   /* of all types but HTP_WIRE_BYTES */
    htp_span content; /* of HTP_WIRE_BYTES */
    htp_span whole;   /* with its tag and length */
} htp_wire_field;

/** A message that is being read. */
typedef struct htp_wire {
    const unsigned char *at;
    const unsigned char *end;
    bool is_broken; /* the bytes at `at` are no field, or exceed the message */
} htp_wire;

/** Begins to read a message. */
static inline htp_wire htp_wire_begin(htp_span message)
{
    return (htp_wire){.at = message.at, .end = message.at ? message.at + message.bytes : NULL};
}

/** As htp_wire_next(), without its fast path. */
bool htp_wire_next_any(htp_wire *wire, htp_wire_field *field);

/** Reads the next field. @return false after the last one, or if the message is broken. */
static inline bool htp_wire_next(htp_wire *wire, htp_wire_field *field)
{
    /* Fast path for most fields: a tag of one byte, and a length of one or two bytes. */
    const unsigned char *at = wire->at;
    size_t left = (size_t)(wire->end - at);
    if (wire->is_broken || left < 3 || (at[0] & 0x87) != HTP_WIRE_BYTES || at[0] < 8) {
        return htp_wire_next_any(wire, field);
    }
    size_t prefix = at[1] < 0x80 ? 2 : 3;
    size_t bytes = at[1] < 0x80 ? at[1] : (at[1] & 0x7fU) | (size_t)at[2] << 7;
    if ((prefix == 3 && at[2] >= 0x80) || bytes > left - prefix) {
        return htp_wire_next_any(wire, field);
    }
    *field = (htp_wire_field){.number = at[0] >> 3,
                              .type = HTP_WIRE_BYTES,
                              .value = bytes,
                              .content = {at + prefix, bytes},
                              .whole = {at, prefix + bytes}};
    wire->at = at + prefix + bytes;
    return true;
}

/** Reads the next varint of a packed field. @return as htp_wire_next(). */
bool htp_wire_next_varint(htp_wire *wire, uint64_t *value);

/** Whether a field has number @p number and type HTP_WIRE_BYTES; a field of the wrong type counts
 * as unknown. */
static inline bool htp_wire_is_bytes(const htp_wire_field *field, uint32_t number)
{
    return field->number == number && field->type == HTP_WIRE_BYTES;
}

/** Whether a field is number @p number and a varint. */
static inline bool htp_wire_is_varint(const htp_wire_field *field, uint32_t number)
{
    return field->number == number && field->type == HTP_WIRE_VARINT;
}

/** The range of a message's fields by number, from the first to the last with it, so that a pass
 * over the fields of one number need not walk over all others. */
enum { HTP_WIRE_RUNS = 17 };
typedef struct htp_wire_runs {
    htp_span of[HTP_WIRE_RUNS]; /* by number; empty: none */
    size_t counts[HTP_WIRE_RUNS];
} htp_wire_runs;

/** Records a field. Numbers from HTP_WIRE_RUNS on are ignored. */
static inline void htp_wire_runs_add(htp_wire_runs *runs, const htp_wire_field *field)
{
    if (field->number < HTP_WIRE_RUNS) {
        htp_span *run = &runs->of[field->number];
        run->at = run->at ? run->at : field->whole.at;
        runs->counts[field->number]++;
        run->bytes = (size_t)(field->whole.at + field->whole.bytes - run->at);
    }
}

/** The contents of a field of type HTP_WIRE_BYTES; empty for other fields. */
htp_span htp_wire_content(htp_span whole);

/** Writes the tag and the length of @p bytes bytes of field @p number. @return their size. */
enum { HTP_WIRE_PREFIX_SIZE = 15 };
size_t htp_wire_put_prefix(uint32_t number, uint64_t bytes,
                           unsigned char prefix[HTP_WIRE_PREFIX_SIZE]);

/** Appends a field of bytes: a message, a text, packed numbers. */
void htp_wire_add_bytes(htp_text *out, uint32_t number, const void *bytes, size_t count);

/** Appends a field that is a string. */
void htp_wire_add_text(htp_text *out, uint32_t number, const char *text);

/** Appends a field that is a varint. */
void htp_wire_add_varint(htp_text *out, uint32_t number, uint64_t value);

/** Appends a StringStringEntryProto, an entry of metadata_props. */
void htp_wire_add_entry(htp_text *out, uint32_t number, const char *key, const void *value,
                        size_t count);

/** The bytes of a text that holds fields. */
static inline htp_span htp_wire_span(const htp_text *fields)
{
    return (htp_span){(const unsigned char *)fields->bytes, fields->length};
}

#endif
