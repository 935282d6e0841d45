/*
 * What lies at a path, told from its first bytes and from the names in its zip directory, so that
 * everything that is not TorchScript gets a clear answer before libtorch is opened.
 */
#include "source/archive.h"

#include "base/input_file.h"
#include "source/contents.h"
#include "source/torchscript.h"
#include "source/zip.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define SAVE_ADVICE "save the module with torch.jit.trace(module, inputs).save(\"FILE.pt\")"

/* ---- things that are no zip archive ---- */

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

static bool note_member(void *user, const htp_zip_entry *entry)
{
    unsigned *members = user;
    *members |= member_of(entry->name);
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

/* What libtorch needs must lie where it looks. An archive with the old loader's record is loaded by
 * that one, which runs what it finds. */
static htp_status check_records(const char *path, const htp_archive *archive)
{
    static const char *const needed[] = {"data.pkl", "constants.pkl"};
    if (htp_map_get(&archive->by_name, "model.json", NULL)) {
        return htp_status_make(HTP_CODE_BAD_INPUT,
                               "%s: saved in the format of very old PyTorch versions (model.json), "
                               "which is not read; load it with torch.jit.load and save it again "
                               "with torch.jit.save",
                               path);
    }
    for (size_t i = 0; i < sizeof(needed) / sizeof(needed[0]); i++) {
        if (!htp_map_get(&archive->by_name, needed[i], NULL)) {
            return htp_status_make(HTP_CODE_BAD_INPUT,
                                   "%s: damaged archive: %s is not in the folder that the archive "
                                   "begins with; save it again",
                                   path, needed[i]);
        }
    }
    return HTP_OK;
}

static htp_status check_contents(htp_arena *arena, const char *path, htp_archive *archive)
{
    FILE *file = archive->file;
    unsigned char head[32];
    size_t count = fread(head, 1, sizeof(head), file);
    if (ferror(file)) {
        return htp_status_make(HTP_CODE_BAD_INPUT, "%s: cannot be read: %s", path, strerror(errno));
    }
    if (!htp_zip_begins(head, count)) {
        return no_archive(path, head, count);
    }
    unsigned members = 0;
    if (!htp_zip_read(file, archive->file_bytes, note_member, &members)) {
        return truncated(path);
    }
    HTP_TRY(judge_members(path, members));
    HTP_TRY(htp_archive_list(arena, path, archive));
    HTP_TRY(check_records(path, archive));
    return htp_contents_check(arena, path, archive);
}

htp_status htp_torchscript_check(htp_arena *arena, const char *path, htp_archive *archive)
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
    archive->file_bytes = (uint64_t)facts.st_size;
    archive->file = fopen(path, "rbe");
    if (!archive->file) {
        return htp_status_make(HTP_CODE_BAD_INPUT, "%s: cannot be opened: %s", path,
                               strerror(errno));
    }
    htp_status status = check_contents(arena, path, archive);
    htp_archive_close(archive);
    return status;
}
