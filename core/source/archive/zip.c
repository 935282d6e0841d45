#include "source/archive/zip.h"

#include <errno.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

enum {
    END_BYTES = 22,
    ZIP64_LOCATOR_BYTES = 20,
    ZIP64_END_BYTES = 56,
    ENTRY_BYTES = 46,
    LOCAL_BYTES = 30,
    EXTRA_HEAD_BYTES = 4,
    FIELD_LIMIT = 65535, /* names, extra fields and comments have 16-bit lengths */
};

/* Little-endian fields of a zip record. */
static uint64_t field(const unsigned char *record, size_t offset, size_t bytes)
{
    uint64_t value = 0;
    for (size_t i = bytes; i-- > 0;) {
        value = value << 8 | record[offset + i];
    }
    return value;
}

static bool has_signature(const unsigned char *record, uint32_t signature)
{
    return field(record, 0, 4) == signature;
}

bool htp_zip_read_at(int file, uint64_t offset, void *bytes, size_t count)
{
    size_t done = 0;
    ssize_t got = 1;
    while (done < count && got != 0 && offset <= INT64_MAX - done) {
        got = pread(file, (char *)bytes + done, count - done, (off_t)(offset + done));
        if (got < 0 && errno != EINTR) {
            return false;
        }
        done += got > 0 ? (size_t)got : 0;
    }
    return done == count && offset <= INT64_MAX;
}

bool htp_zip_begins(const void *bytes, size_t count)
{
    return count >= 4 && has_signature(bytes, 0x04034b50);
}

/* ---- the directory ---- */

struct directory {
    uint64_t offset;
    uint64_t bytes;
    uint64_t count; /* number of members */
    uint64_t limit; /* its end */
};

/* Reads a part of an archive. That is a range of the file, so sums of positions fit into 64 bits.
 */
static bool read_within(const htp_zip_range *range, uint64_t offset, void *bytes, size_t count)
{
    return offset <= range->bytes && count <= range->bytes - offset &&
           htp_zip_read_at(fileno(range->file), range->begin + offset, bytes, count);
}

/* The end record precedes a comment of unknown length, so the search begins at the end. */
static bool find_end_record(const htp_zip_range *range, uint64_t *offset)
{
    static const unsigned char signature[4] = {'P', 'K', 5, 6};
    unsigned char tail[FIELD_LIMIT + END_BYTES];
    size_t count = range->bytes < sizeof(tail) ? (size_t)range->bytes : sizeof(tail);
    if (count < END_BYTES || !read_within(range, range->bytes - count, tail, count)) {
        return false;
    }
    for (size_t at = count - END_BYTES + 1; at-- > 0;) {
        if (memcmp(tail + at, signature, sizeof(signature)) == 0) {
            *offset = range->bytes - count + at;
            return true;
        }
    }
    return false;
}

static struct directory read_end(const unsigned char *record, uint64_t offset)
{
    return (struct directory){.offset = field(record, 16, 4),
                              .bytes = field(record, 12, 4),
                              .count = field(record, 10, 2),
                              .limit = offset};
}

static struct directory read_zip64_end(const unsigned char *record, uint64_t offset)
{
    return (struct directory){.offset = field(record, 48, 8),
                              .bytes = field(record, 40, 8),
                              .count = field(record, 32, 8),
                              .limit = offset};
}

/* Readers differ in which end record they trust: the old one must agree with the new one, or be
 * marked as unknown. */
static bool agree(uint64_t old, uint64_t unknown, uint64_t value)
{
    return old == value || old == unknown;
}

/*
 * Finds the end record of a zip64 archive by its locator, which precedes the other end record.
 * @return false if it is damaged.
 */
static bool find_zip64_end(const htp_zip_range *range, uint64_t end, struct directory *directory)
{
    unsigned char locator[ZIP64_LOCATOR_BYTES];
    unsigned char record[ZIP64_END_BYTES];
    if (end < ZIP64_LOCATOR_BYTES ||
        !read_within(range, end - ZIP64_LOCATOR_BYTES, locator, sizeof(locator)) ||
        !has_signature(locator, 0x07064b50)) {
        return directory->bytes != UINT32_MAX && directory->offset != UINT32_MAX;
    }
    uint64_t offset = field(locator, 8, 8);
    if (!read_within(range, offset, record, sizeof(record)) || !has_signature(record, 0x06064b50) ||
        field(record, 16, 8) != 0 || field(record, 24, 8) != field(record, 32, 8)) {
        return false;
    }
    const struct directory wide = read_zip64_end(record, offset);
    bool is_one = agree(directory->offset, UINT32_MAX, wide.offset) &&
                  agree(directory->bytes, UINT32_MAX, wide.bytes) &&
                  agree(directory->count, UINT16_MAX, wide.count);
    *directory = wide;
    return is_one;
}

/* Single-disk archives have disk number 0, or the mark for zip64. */
static bool is_one_disk(const unsigned char *record)
{
    return field(record, 8, 2) == field(record, 10, 2) && agree(field(record, 4, 4), UINT32_MAX, 0);
}

/* The directory must precede its end record. */
static bool find_directory(const htp_zip_range *range, struct directory *directory)
{
    uint64_t end = 0;
    unsigned char record[END_BYTES];
    if (!find_end_record(range, &end) || !read_within(range, end, record, sizeof(record)) ||
        !is_one_disk(record)) {
        return false;
    }
    *directory = read_end(record, end);
    return find_zip64_end(range, end, directory) && directory->offset <= directory->limit &&
           directory->bytes <= directory->limit - directory->offset;
}

/* ---- its entries ---- */

/* Takes a value that exceeds 32 bits from a zip64 extra field. */
static bool widen(const unsigned char *extra, size_t length, htp_zip_entry *entry)
{
    uint64_t *const wide[] = {&entry->unpacked, &entry->bytes, &entry->header};
    size_t at = 0;
    for (size_t i = 0; i < 3; i++) {
        if (*wide[i] != UINT32_MAX) {
            continue;
        }
        if (length - at < 8) {
            return false;
        }
        *wide[i] = field(extra, at, 8);
        at += 8;
    }
    return true;
}

/* An extra field has the sizes and offsets that exceed 32 bits. Without any, it is ignored, even if
 * damaged. */
static bool read_zip64(const unsigned char *extra, size_t count, htp_zip_entry *entry)
{
    if (entry->unpacked != UINT32_MAX && entry->bytes != UINT32_MAX &&
        entry->header != UINT32_MAX) {
        return true;
    }
    while (count >= EXTRA_HEAD_BYTES) {
        size_t length = (size_t)field(extra, 2, 2);
        if (length > count - EXTRA_HEAD_BYTES) {
            return false;
        }
        if (field(extra, 0, 2) == 1) {
            return widen(extra + EXTRA_HEAD_BYTES, length, entry);
        }
        extra += EXTRA_HEAD_BYTES + length;
        count -= EXTRA_HEAD_BYTES + length;
    }
    return false;
}

/* Reads one entry: @p fixed, then the name, the extra fields and a comment. */
static bool read_entry(FILE *file, const unsigned char *fixed, uint64_t left, char *name,
                       unsigned char *rest, htp_zip_entry *entry, uint64_t *used)
{
    size_t name_bytes = (size_t)field(fixed, 28, 2);
    size_t extra = (size_t)field(fixed, 30, 2);
    size_t comment = (size_t)field(fixed, 32, 2);
    *used = ENTRY_BYTES + name_bytes + extra + comment;
    if (left < *used || fread(name, 1, name_bytes, file) != name_bytes ||
        fread(rest, 1, extra, file) != extra) {
        return false;
    }
    name[name_bytes] = '\0';
    *entry = (htp_zip_entry){.name = name,
                             .name_bytes = name_bytes,
                             .is_encrypted = field(fixed, 8, 2) & 1,
                             .method = (unsigned)field(fixed, 10, 2),
                             .checksum = (uint32_t)field(fixed, 16, 4),
                             .bytes = field(fixed, 20, 4),
                             .unpacked = field(fixed, 24, 4),
                             .header = field(fixed, 42, 4)};
    return read_zip64(rest, extra, entry) && fread(rest, 1, comment, file) == comment;
}

bool htp_zip_read(const htp_zip_range *range, htp_zip_visit visit, void *user)
{
    FILE *file = range->file;
    struct directory directory;
    char name[FIELD_LIMIT + 1];
    unsigned char rest[FIELD_LIMIT];
    unsigned char fixed[ENTRY_BYTES];
    if (!find_directory(range, &directory) ||
        fseeko(file, (off_t)(range->begin + directory.offset), SEEK_SET) != 0) {
        return false;
    }
    uint64_t used = 0;
    uint64_t left = directory.bytes;
    for (uint64_t i = 0; i < directory.count; i++, left -= used) {
        htp_zip_entry entry;
        if (left < ENTRY_BYTES || fread(fixed, 1, ENTRY_BYTES, file) != ENTRY_BYTES ||
            !has_signature(fixed, 0x02014b50) ||
            !read_entry(file, fixed, left, name, rest, &entry, &used)) {
            return false;
        }
        entry.limit = directory.offset;
        if (!visit(user, &entry)) {
            return false;
        }
    }
    return left == 0;
}

bool htp_zip_find(const htp_zip_range *range, const htp_zip_entry *entry, uint64_t *offset)
{
    unsigned char local[LOCAL_BYTES];
    if (!read_within(range, entry->header, local, sizeof(local)) ||
        !has_signature(local, 0x04034b50)) {
        return false;
    }
    const uint64_t first = entry->header + LOCAL_BYTES + field(local, 26, 2) + field(local, 28, 2);
    *offset = range->begin + first;
    return first <= entry->limit && entry->bytes <= entry->limit - first;
}
