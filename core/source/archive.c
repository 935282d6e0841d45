/*
 * What lies at a path, told from its first bytes and from the names in its zip directory, so that
 * everything that is not TorchScript gets a clear answer before libtorch is opened.
 *
 * Reference: PKWARE APPNOTE.TXT, 4.3.12 to 4.3.16 (central directory, zip64 and end records).
 */
#include "source/torchscript.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define SAVE_ADVICE "save the module with torch.jit.trace(module, inputs).save(\"FILE.pt\")"

enum {
    END_BYTES = 22,
    ZIP64_LOCATOR_BYTES = 20,
    ZIP64_END_BYTES = 56,
    ENTRY_BYTES = 46,
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

static bool read_at(FILE *file, uint64_t offset, void *bytes, size_t count)
{
    return offset <= INT64_MAX && fseeko(file, (off_t)offset, SEEK_SET) == 0 &&
           fread(bytes, 1, count, file) == count;
}

/* ---- things that are no zip archive ---- */

static const struct known_beginning {
    const char *bytes;
    size_t count;
    const char *meaning;
} known_beginnings[] = {
    {"\x80\x02", 2, "a pickle made by an old torch.save, not TorchScript; " SAVE_ADVICE},
    {"\x80\x04", 2, "a Python pickle, not TorchScript; " SAVE_ADVICE},
    {"\x80\x05", 2, "a Python pickle, not TorchScript; " SAVE_ADVICE},
    {"version https://git-lfs", 23, "a Git LFS pointer; fetch the file itself with git lfs pull"},
    {"\x89HDF\r\n", 6, "an HDF5 file, not TorchScript; " SAVE_ADVICE},
    {"GGUF", 4, "a GGUF file, not TorchScript; " SAVE_ADVICE},
};

static htp_status no_archive(const char *path, const unsigned char *head, size_t count)
{
    for (size_t i = 0; i < sizeof(known_beginnings) / sizeof(known_beginnings[0]); i++) {
        const struct known_beginning *known = &known_beginnings[i];
        if (count >= known->count && memcmp(head, known->bytes, known->count) == 0) {
            return htp_status_make(HTP_CODE_BAD_INPUT, "%s: %s", path, known->meaning);
        }
    }
    return htp_status_make(HTP_CODE_BAD_INPUT,
                           "%s: not a TorchScript archive (no zip file); " SAVE_ADVICE, path);
}

static htp_status truncated(const char *path)
{
    return htp_status_make(HTP_CODE_BAD_INPUT,
                           "%s: damaged archive: it is cut short, or its directory is overwritten; "
                           "copy or save it again",
                           path);
}

/* ---- the directory of a zip archive ---- */

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
    if (count < END_BYTES || !read_at(file, file_bytes - count, tail, count)) {
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
        !read_at(file, end - ZIP64_LOCATOR_BYTES, locator, sizeof(locator)) ||
        !has_signature(locator, 0x07064b50) ||
        !read_at(file, field(locator, 8, 8), record, sizeof(record)) ||
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
    if (!find_end_record(file, file_bytes, &end) || !read_at(file, end, record, sizeof(record))) {
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

/* ---- what its names say ---- */

enum member {
    MEMBER_DATA = 1 << 0,
    MEMBER_CONSTANTS = 1 << 1,
    MEMBER_LEGACY_MODEL = 1 << 2,
    MEMBER_EXPORTED = 1 << 3,
    MEMBER_PACKAGE = 1 << 4,
};

/* Names below the archive's own folder. */
static const struct known_member {
    const char *name;
    enum member member;
} known_members[] = {
    {"data.pkl", MEMBER_DATA},
    {"constants.pkl", MEMBER_CONSTANTS},
    {"model.json", MEMBER_LEGACY_MODEL},
    {"archive_format", MEMBER_EXPORTED},
    {"serialized_exported_program.json", MEMBER_EXPORTED},
    {".data/extern_modules", MEMBER_PACKAGE},
};

static unsigned member_of(const char *name)
{
    const char *slash = strchr(name, '/');
    const char *inner = slash ? slash + 1 : name;
    for (size_t i = 0; i < sizeof(known_members) / sizeof(known_members[0]); i++) {
        if (strcmp(inner, known_members[i].name) == 0 || strcmp(name, known_members[i].name) == 0) {
            return known_members[i].member;
        }
    }
    return 0;
}

/* Reads the directory from entry to entry; false when it is damaged. */
static bool read_members(FILE *file, const struct directory *directory, unsigned *members)
{
    char bytes[FIELD_LIMIT + 1];
    unsigned char entry[ENTRY_BYTES];
    uint64_t left = directory->bytes;
    if (fseeko(file, (off_t)directory->offset, SEEK_SET) != 0) {
        return false;
    }
    while (left >= ENTRY_BYTES) {
        if (fread(entry, 1, ENTRY_BYTES, file) != ENTRY_BYTES ||
            !has_signature(entry, 0x02014b50)) {
            return false;
        }
        size_t name = (size_t)field(entry, 28, 2);
        size_t extra = (size_t)field(entry, 30, 2);
        size_t comment = (size_t)field(entry, 32, 2);
        if (left - ENTRY_BYTES < name + extra + comment || fread(bytes, 1, name, file) != name) {
            return false;
        }
        bytes[name] = '\0';
        *members |= member_of(bytes);
        if (fread(bytes, 1, extra, file) != extra || fread(bytes, 1, comment, file) != comment) {
            return false;
        }
        left -= ENTRY_BYTES + name + extra + comment;
    }
    return true;
}

static htp_status judge_members(const char *path, unsigned members)
{
    const unsigned torchscript = MEMBER_DATA | MEMBER_CONSTANTS;
    if ((members & torchscript) == torchscript || members & MEMBER_LEGACY_MODEL) {
        return HTP_OK;
    }
    const char *what = "a zip archive, but not TorchScript";
    if (members & MEMBER_EXPORTED) {
        what = "a program of torch.export (.pt2), not TorchScript";
    } else if (members & MEMBER_PACKAGE) {
        what = "a torch.package archive, not TorchScript";
    } else if (members & MEMBER_DATA) {
        what = "made by torch.save (a state_dict or a pickled module), not TorchScript";
    }
    return htp_status_make(HTP_CODE_BAD_INPUT, "%s: %s; " SAVE_ADVICE, path, what);
}

static htp_status check_contents(const char *path, FILE *file, uint64_t file_bytes)
{
    unsigned char head[32];
    size_t count = fread(head, 1, sizeof(head), file);
    if (ferror(file)) {
        return htp_status_make(HTP_CODE_BAD_INPUT, "%s: cannot be read: %s", path, strerror(errno));
    }
    if (count < 4 || !has_signature(head, 0x04034b50)) {
        return no_archive(path, head, count);
    }
    struct directory directory;
    unsigned members = 0;
    if (!find_directory(file, file_bytes, &directory) ||
        !read_members(file, &directory, &members)) {
        return truncated(path);
    }
    return judge_members(path, members);
}

htp_status htp_torchscript_check(const char *path)
{
    struct stat facts;
    if (stat(path, &facts) != 0) {
        return htp_status_make(HTP_CODE_BAD_INPUT, "%s: %s", path, strerror(errno));
    }
    if (S_ISDIR(facts.st_mode)) {
        return htp_status_make(HTP_CODE_BAD_INPUT,
                               "%s: a directory; pass the TorchScript file itself", path);
    }
    if (!S_ISREG(facts.st_mode)) {
        return htp_status_make(HTP_CODE_BAD_INPUT,
                               "%s: not a regular file; copy the model to one first", path);
    }
    if (facts.st_size == 0) {
        return htp_status_make(HTP_CODE_BAD_INPUT, "%s: the file is empty", path);
    }
    FILE *file = fopen(path, "rbe");
    if (!file) {
        return htp_status_make(HTP_CODE_BAD_INPUT, "%s: cannot be opened: %s", path,
                               strerror(errno));
    }
    htp_status status = check_contents(path, file, (uint64_t)facts.st_size);
    (void)fclose(file);
    return status;
}
