/*
 * Protobuf's wire format: valid and invalid fields.
 */
#include "onnx/proto/wire.h"
#include "unit.h"

#include <string.h>

static htp_wire wire_of(const void *bytes, size_t count)
{
    return htp_wire_begin((htp_span){bytes, count});
}

#define WIRE(...)                                                                                  \
    wire_of((const unsigned char[]){__VA_ARGS__}, sizeof((unsigned char[]){__VA_ARGS__}))

static void assert_broken(htp_wire wire)
{
    htp_wire_field field;
    while (htp_wire_next(&wire, &field)) {
    }
    ck_assert(wire.is_broken);
    ck_assert(!htp_wire_next(&wire, &field));
}

UNIT_TEST(fields_of_every_type)
{
    htp_wire wire = WIRE(0x08, 0x96, 0x01,             /* 1: 150 */
                         0x12, 2, 'a', 'b',            /* 2: "ab" */
                         0x1d, 1, 2, 3, 4,             /* 3: 4 bytes */
                         0x21, 1, 0, 0, 0, 0, 0, 0, 0, /* 4: 8 bytes */
                         0x80, 0xba, 0x01, 7);         /* 2976: 7 */
    htp_wire_field field;
    ck_assert(htp_wire_next(&wire, &field));
    ck_assert(htp_wire_is_varint(&field, 1) && !htp_wire_is_bytes(&field, 1));
    ck_assert_uint_eq(field.value, 150);
    ck_assert_uint_eq(field.whole.bytes, 3);
    ck_assert(htp_wire_next(&wire, &field));
    ck_assert(htp_wire_is_bytes(&field, 2));
    ck_assert_mem_eq(field.content.at, "ab", 2);
    ck_assert_mem_eq(htp_wire_content(field.whole).at, "ab", 2);
    ck_assert(htp_wire_next(&wire, &field));
    ck_assert_uint_eq(field.type, HTP_WIRE_FIXED32);
    ck_assert_uint_eq(field.value, 0x04030201);
    ck_assert(htp_wire_next(&wire, &field));
    ck_assert_uint_eq(field.type, HTP_WIRE_FIXED64);
    ck_assert_uint_eq(field.value, 1);
    ck_assert(htp_wire_next(&wire, &field));
    ck_assert(htp_wire_is_varint(&field, 2976));
    ck_assert_uint_eq(field.value, 7);
    ck_assert(!htp_wire_next(&wire, &field) && !wire.is_broken);
}

UNIT_TEST(an_empty_message_has_no_fields)
{
    htp_wire wire = wire_of("", 0);
    htp_wire_field field;
    uint64_t value;
    ck_assert(!htp_wire_next(&wire, &field) && !wire.is_broken);
    ck_assert(!htp_wire_next_varint(&wire, &value) && !wire.is_broken);
}

UNIT_TEST(what_is_no_field_is_broken)
{
    assert_broken(WIRE(0x08));                                        /* no value */
    assert_broken(WIRE(0x08, 0x80));                                  /* half a varint */
    assert_broken(WIRE(0x12, 3, 'a', 'b'));                           /* truncated */
    assert_broken(WIRE(0x0d, 1, 2, 3));                               /* half a number */
    assert_broken(WIRE(0x09, 1, 2, 3, 4, 5, 6, 7));                   /* the same */
    assert_broken(WIRE(0x0b));                                        /* a group */
    assert_broken(WIRE(0x0e));                                        /* no type */
    assert_broken(WIRE(0x00, 0x01));                                  /* field 0 */
    assert_broken(WIRE(0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1)); /* too large a number */
    assert_broken(WIRE(0x12, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1));
    assert_broken(WIRE(0x08, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 1));
}

UNIT_TEST(prefixes_are_read_back)
{
    static const uint64_t sizes[] = {0, 1, 127, 128, 300, UINT32_MAX, UINT64_MAX / 2};
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        unsigned char prefix[HTP_WIRE_PREFIX_SIZE];
        htp_wire wire = wire_of(prefix, htp_wire_put_prefix(7, sizes[i], prefix));
        uint64_t tag, bytes;
        ck_assert(htp_wire_next_varint(&wire, &tag) && htp_wire_next_varint(&wire, &bytes));
        ck_assert_uint_eq(tag, 7 << 3 | HTP_WIRE_BYTES);
        ck_assert_uint_eq(bytes, sizes[i]);
        ck_assert_ptr_eq(wire.at, wire.end);
    }
}

UNIT_MAIN("wire", fields_of_every_type, an_empty_message_has_no_fields, what_is_no_field_is_broken,
          prefixes_are_read_back)
