#include "zip_maker.h"

#include "fuzz.h"

#include <string.h>

enum { LOCAL_BYTES = 30, ENTRY_BYTES = 46, END_BYTES = 22 };

static uint8_t *put(uint8_t *at, uint64_t value, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        at[i] = (uint8_t)(i < sizeof(value) ? value >> 8 * i : 0);
    }
    return at + bytes;
}

static uint8_t *put_bytes(uint8_t *at, const void *bytes, size_t count)
{
    if (count > 0) {
        memcpy(at, bytes, count);
    }
    return at + count;
}

/* The fields that a member's local header and its directory entry share. */
static uint8_t *put_facts(uint8_t *at, const fuzz_member *member)
{
    at = put(at, 0, 14); /* no flags, stored, no time, no checksum */
    at = put(at, member->count, 4);
    at = put(at, member->count, 4);
    at = put(at, strlen(member->name), 2);
    return put(at, 0, 2);
}

uint8_t *fuzz_zip(const fuzz_member *members, size_t count, size_t *size)
{
    size_t bytes = END_BYTES;
    for (size_t i = 0; i < count; i++) {
        bytes += LOCAL_BYTES + ENTRY_BYTES + 2 * strlen(members[i].name) + members[i].count;
    }
    uint8_t *archive = malloc(bytes);
    FUZZ_CHECK(archive);
    uint8_t *at = archive;
    for (size_t i = 0; i < count; i++) {
        at = put(at, 0x04034b50, 4);
        at = put_facts(at, &members[i]);
        at = put_bytes(at, members[i].name, strlen(members[i].name));
        at = put_bytes(at, members[i].bytes, members[i].count);
    }
    const uint8_t *directory = at;
    size_t header = 0;
    for (size_t i = 0; i < count; i++) {
        at = put(at, 0x02014b50, 4);
        at = put(at, 0, 2);
        at = put_facts(at, &members[i]);
        at = put(at, 0, 10);
        at = put(at, header, 4);
        at = put_bytes(at, members[i].name, strlen(members[i].name));
        header += LOCAL_BYTES + strlen(members[i].name) + members[i].count;
    }
    const size_t directory_bytes = (size_t)(at - directory);
    at = put(put(at, 0x06054b50, 4), 0, 4);
    at = put(put(at, count, 2), count, 2);
    at = put(put(at, directory_bytes, 4), header, 4);
    at = put(at, 0, 2);
    *size = (size_t)(at - archive);
    FUZZ_CHECK(*size == bytes);
    return archive;
}
