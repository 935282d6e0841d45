/*
 * Writes fields whose length is not known in advance.
 */
#include "onnx/inliner/inline_parts.h"

static size_t varint_size(uint64_t value)
{
    size_t size = 1;
    for (; value >= 0x80; value >>= 7) {
        size++;
    }
    return size;
}

/* The position of a length field that is reserved for the expected length; the low bits hold its
 * size. */
enum { LENGTH_BITS = 4 };

size_t htp_inline_begin(htp_text *out, uint32_t number, size_t expected)
{
    unsigned char prefix[HTP_WIRE_PREFIX_SIZE];
    size_t size = htp_wire_put_prefix(number, expected, prefix);
    size_t length = varint_size(expected);
    htp_text_add_bytes(out, (const char *)prefix, size);
    return (out->length - length) << LENGTH_BITS | length;
}

void htp_inline_end(htp_text *out, size_t begin)
{
    unsigned char prefix[HTP_WIRE_PREFIX_SIZE];
    size_t at = begin >> LENGTH_BITS;
    size_t reserved = begin & ((1U << LENGTH_BITS) - 1);
    size_t bytes = out->length - at - reserved;
    size_t size = htp_wire_put_prefix(1, bytes, prefix) - 1; /* a tag takes one byte */
    if (size > reserved) {
        htp_text_add_bytes(out, (const char *)prefix, size - reserved); /* resizes the field */
    }
    if (size != reserved) {
        memmove(out->bytes + at + size, out->bytes + at + reserved, bytes);
    }
    memcpy(out->bytes + at, prefix + 1, size);
    out->length = at + size + bytes;
}

void htp_inline_put(htp_text *out, uint32_t number, const void *bytes, size_t count)
{
    unsigned char prefix[HTP_WIRE_PREFIX_SIZE];
    size_t size = htp_wire_put_prefix(number, count, prefix);
    htp_text_add_bytes(out, (const char *)prefix, size);
    htp_text_add_bytes(out, bytes, count);
}
