/*
 * Detects the kind of file at a path by its first bytes and its zip directory, so that an
 * unsupported file gets a clear answer before libtorch is opened.
 */
#include "source/archive/archive.h"

#include "base/input_file.h"
#include "source/archive/zip.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define SAVE_ADVICE "save the module with torch.jit.trace(module, inputs).save(\"FILE.pt\")"

/* ---- files that are not zip archives ---- */

static const struct known_beginning {
    const char *bytes;
    size_t count;
    const char *meaning;
} known_beginnings[] = {
    {"\x80\x02", 2, "a pickle made by an old torch.save, not TorchScript; " SAVE_ADVICE},
    {"\x80\x04", 2, "a Python pickle, not TorchScript; " SAVE_ADVICE},
    {"\x80\x05", 2, "a Python pickle, not TorchScript; " SAVE_ADVICE},
    {"\x89HDF\r\n", 6, "an HDF5 file, not TorchScript; " SAVE_ADVICE},
    {"GGUF", 4, "a GGUF file, not TorchScript; " SAVE_ADVICE},
    {"\x08", 1, /* the field ir_version, which every writer puts first */
     "an ONNX model, not TorchScript; htp-trace help lists the commands that read it"},
};

static htp_status no_archive(const char *path, const unsigned char *head, size_t count)
{
    const char *placeholder = htp_input_file_placeholder(head, count);
    if (placeholder) {
        return htp_status_make(HTP_CODE_BAD_INPUT, "%s: %s", path, placeholder);
    }
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

/* ---- kinds of archives, by their members ---- */

/* Names in the archive's own folder that identify kinds of files. */
static const char *const known_members[] = {
    "data.pkl",       "constants.pkl",        "model.json", "serialized_exported_program.json",
    "archive_format", ".data/extern_modules",
};

static unsigned bit_of(const char *name)
{
    for (size_t i = 0; i < sizeof(known_members) / sizeof(known_members[0]); i++) {
        if (strcmp(name, known_members[i]) == 0) {
            return 1u << i;
        }
    }
    return 0;
}

static bool note_member(void *user, const htp_zip_entry *entry)
{
    unsigned *members = user;
    const char *slash = strchr(entry->name, '/');
    *members |= bit_of(entry->name) | bit_of(slash ? slash + 1 : entry->name);
    return true;
}

bool htp_archive_has(const htp_archive *archive, const char *name)
{
    return (archive->members & bit_of(name)) != 0;
}

htp_status htp_archive_refuse(const char *path, const htp_archive *archive)
{
    static const struct {
        const char *member;
        const char *meaning;
    } kinds[] = {
        {".data/extern_modules", "a torch.package archive"},
        {"data.pkl", "made by torch.save (a state_dict or a pickled module)"},
    };
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        if (htp_archive_has(archive, kinds[i].member)) {
            return htp_status_make(HTP_CODE_BAD_INPUT, "%s: %s, not TorchScript; " SAVE_ADVICE,
                                   path, kinds[i].meaning);
        }
    }
    return htp_status_make(HTP_CODE_BAD_INPUT,
                           "%s: a zip archive, but not TorchScript; " SAVE_ADVICE, path);
}

static htp_status read_beginning(const char *path, htp_archive *archive)
{
    FILE *file = archive->file;
    unsigned char head[32];
    size_t count = fread(head, 1, sizeof(head), file);
    if (ferror(file)) {
        return htp_status_make(htp_input_file_code(errno, HTP_CODE_BAD_INPUT),
                               "%s: cannot be read: %s", path, strerror(errno));
    }
    if (!htp_zip_begins(head, count)) {
        return no_archive(path, head, count);
    }
    const htp_zip_range whole = {.file = file, .bytes = archive->bytes};
    return htp_zip_read(&whole, note_member, &archive->members) ? HTP_OK : truncated(path);
}

htp_status htp_archive_open(const char *path, htp_archive *archive)
{
    struct stat facts;
    if (stat(path, &facts) != 0) {
        return htp_status_make(HTP_CODE_BAD_INPUT, "%s: %s", path, strerror(errno));
    }
    if (S_ISDIR(facts.st_mode)) {
        return htp_status_make(HTP_CODE_BAD_INPUT, "%s: a directory; pass the model's file", path);
    }
    if (!S_ISREG(facts.st_mode)) {
        return htp_status_make(HTP_CODE_BAD_INPUT,
                               "%s: not a regular file; copy the model to one first", path);
    }
    if (facts.st_size == 0) {
        return htp_status_make(HTP_CODE_BAD_INPUT, "%s: the file is empty", path);
    }
    archive->bytes = (uint64_t)facts.st_size;
    archive->file = fopen(path, "rbe");
    if (!archive->file) {
        return htp_status_make(htp_input_file_code(errno, HTP_CODE_BAD_INPUT),
                               "%s: cannot be opened: %s", path, strerror(errno));
    }
    return read_beginning(path, archive);
}
