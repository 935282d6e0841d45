#include "source/zip.h"

#include <string.h>
#include <sys/types.h>

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

bool htp_zip_read_at(FILE *file, uint64_t offset, void *bytes, size_t count)
{
    return offset <= INT64_MAX && fseeko(file, (off_t)offset, SEEK_SET) == 0 &&
           fread(bytes, 1, count, file) == count;
}

bool htp_zip_begins(const void *bytes, size_t count)
{
    return count >= 4 && has_signature(bytes, 0x04034b50);
}

/* ---- the directory ---- */

struct directory {
    uint64_t offset;
    uint64_t bytes;
};

/* The end record lies in front of a comment of unknown length: it is looked for from the end. */
static bool find_end_record(FILE *file, uint64_t file_bytes, uint64_t *offset)
{
    static const unsigned char signature[4] = {'P', 'K', 5, 6};
    unsigned char tail[FIELD_LIMIT + END_BYTES];
    size_t count = file_bytes < sizeof(tail) ? (size_t)file_bytes : sizeof(tail);
    if (count < END_BYTES || !htp_zip_read_at(file, file_bytes - count, tail, count)) {
        return false;
    }
    for (size_t at = count - END_BYTES + 1; at-- > 0;) {
        if (memcmp(tail + at, signature, sizeof(signature)) == 0) {
            *offset = file_bytes - count + at;
            return true;
        }
    }
    return false;
}

static bool read_zip64_end(FILE *file, uint64_t end, struct directory *directory)
{
    unsigned char locator[ZIP64_LOCATOR_BYTES];
    unsigned char record[ZIP64_END_BYTES];
    if (end < ZIP64_LOCATOR_BYTES ||
        !htp_zip_read_at(file, end - ZIP64_LOCATOR_BYTES, locator, sizeof(locator)) ||
        !has_signature(locator, 0x07064b50) ||
        !htp_zip_read_at(file, field(locator, 8, 8), record, sizeof(record)) ||
        !has_signature(record, 0x06064b50)) {
        return false;
    }
    directory->bytes = field(record, 40, 8);
    directory->offset = field(record, 48, 8);
    return true;
}

static bool find_directory(FILE *file, uint64_t file_bytes, struct directory *directory)
{
    uint64_t end = 0;
    unsigned char record[END_BYTES];
    if (!find_end_record(file, file_bytes, &end) ||
        !htp_zip_read_at(file, end, record, sizeof(record))) {
        return false;
    }
    directory->bytes = field(record, 12, 4);
    directory->offset = field(record, 16, 4);
    bool is_zip64 = directory->bytes == UINT32_MAX || directory->offset == UINT32_MAX;
    if (is_zip64 && !read_zip64_end(file, end, directory)) {
        return false;
    }
    return directory->offset <= file_bytes && directory->bytes <= file_bytes - directory->offset;
}

/* ---- its entries ---- */

/* Sizes and offsets that do not fit into 32 bits lie in an extra field, those alone. Of a damaged
 * one nothing is taken: what is asked for then lies beyond the file. */
static void read_zip64(const unsigned char *extra, size_t count, uint64_t size,
                       htp_zip_entry *entry)
{
    uint64_t *const wide[] = {&size, &entry->bytes, &entry->header};
    while (count >= EXTRA_HEAD_BYTES) {
        size_t length = (size_t)field(extra, 2, 2);
        if (length > count - EXTRA_HEAD_BYTES) {
            return;
        }
        size_t at = 0;
        for (size_t i = 0; i < 3 && field(extra, 0, 2) == 1; i++) {
            if (*wide[i] != UINT32_MAX) {
                continue;
            }
            if (length - at < 8) {
                return;
            }
            *wide[i] = field(extra + EXTRA_HEAD_BYTES, at, 8);
            at += 8;
        }
        extra += EXTRA_HEAD_BYTES + length;
        count -= EXTRA_HEAD_BYTES + length;
    }
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
                             .is_encrypted = field(fixed, 8, 2) & 1,
                             .method = (unsigned)field(fixed, 10, 2),
                             .bytes = field(fixed, 20, 4),
                             .header = field(fixed, 42, 4)};
    read_zip64(rest, extra, field(fixed, 24, 4), entry);
    return fread(rest, 1, comment, file) == comment;
}

bool htp_zip_read(FILE *file, uint64_t file_bytes, htp_zip_visit visit, void *user)
{
    struct directory directory;
    char name[FIELD_LIMIT + 1];
    unsigned char rest[FIELD_LIMIT];
    unsigned char fixed[ENTRY_BYTES];
    if (!find_directory(file, file_bytes, &directory) ||
        fseeko(file, (off_t)directory.offset, SEEK_SET) != 0) {
        return false;
    }
    uint64_t used = 0;
    for (uint64_t left = directory.bytes; left >= ENTRY_BYTES; left -= used) {
        htp_zip_entry entry;
        if (fread(fixed, 1, ENTRY_BYTES, file) != ENTRY_BYTES ||
            !has_signature(fixed, 0x02014b50) ||
            !read_entry(file, fixed, left, name, rest, &entry, &used) || !visit(user, &entry)) {
            return false;
        }
    }
    return true;
}

bool htp_zip_find(FILE *file, uint64_t file_bytes, const htp_zip_entry *entry, uint64_t *offset)
{
    unsigned char local[LOCAL_BYTES];
    if (!htp_zip_read_at(file, entry->header, local, sizeof(local)) ||
        !has_signature(local, 0x04034b50)) {
        return false;
    }
    *offset = entry->header + LOCAL_BYTES + field(local, 26, 2) + field(local, 28, 2);
    return *offset <= file_bytes && entry->bytes <= file_bytes - *offset;
}
