#include "exported/archive/archive.h"

#include "base/text.h"
#include "exported/archive/byte_order.h"
#include "exported/archive/pickled.h"
#include "exported/document/document.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <zlib.h>

/* The name of a record: the name of the model is in between. */
typedef struct naming {
    const char *before;
    const char *behind; /* after it */
} naming;

/* The records of a model in an archive. */
typedef struct htp_exported_layout {
    naming program;
    const char *classes;
    struct {
        naming pickle;
        const char *folder; /* of records with tensors; NULL: none of this kind */
        const char *table_end;
    } tensors[2]; /* the state, and the constants */
} layout;

static const layout old_layout = {
    .program = {"serialized_exported_program", ".json"},
    .classes = "extra_files/modules.json",
    .tensors = {{.pickle = {"serialized_state_dict", ".pt"}},
                {.pickle = {"serialized_constants", ".pt"}}},
};

static const layout new_layout = {
    .program = {"models/", ".json"},
    .classes = "extra/modules.json",
    .tensors = {{{"data/weights/", ".pt"}, "data/weights/", "_weights_config.json"},
                {{"data/constants/", ".pt"}, "data/constants/", "_constants_config.json"}},
};

bool htp_exported_archive_is_one(const htp_archive *archive)
{
    return htp_archive_has(archive, "archive_format") ||
           htp_archive_has(archive, "serialized_exported_program.json");
}

static const char *name_of(htp_arena *arena, const htp_exported_archive *opened, naming naming)
{
    return htp_arena_join(arena, naming.before, opened->model, naming.behind);
}

/* The text of a record, if it is there. A flipped bit could be another program. Weights are not
 * checked: PyTorch may write them without their checksums. */
static htp_status read_text(const htp_exported_archive *opened, const char *name,
                            htp_exported_text *text)
{
    const htp_archive *archive = opened->file.archive;
    *text = (htp_exported_text){.name = name};
    text->at = htp_exported_file_record(&opened->file, name, &text->bytes);
    if (!text->at) {
        return HTP_OK;
    }
    const htp_archive_record *record = htp_archive_find(archive, name, strlen(name));
    uint32_t told = archive->checksums[record - archive->records];
    return told == 0 || told == crc32_z(0, (const Bytef *)text->at, text->bytes)
               ? HTP_OK
               : htp_status_make(HTP_CODE_BAD_INPUT,
                                 "damaged archive: the contents of %s do not have its checksum; "
                                 "copy or save it again",
                                 name);
}

/* ---- models ---- */

/* The name of the model, if a record is its program; or NULL. */
static const char *model_of(htp_arena *arena, const char *record)
{
    const naming of = new_layout.program;
    size_t before = strlen(of.before);
    size_t behind = strlen(of.behind);
    size_t length = strlen(record);
    bool is_one = strncmp(record, of.before, before) == 0 && length > before + behind &&
                  strcmp(record + length - behind, of.behind) == 0;
    return is_one ? htp_arena_copy(arena, record + before, length - before - behind) : NULL;
}

/* The refusal of an archive without a program. */
static htp_status refuse_archive(const htp_archive *archive)
{
    static const char compiled[] = "data/aotinductor/";
    for (uint32_t i = 0; i < archive->record_count; i++) {
        if (strncmp(archive->records[i].name, compiled, strlen(compiled)) == 0) {
            return htp_status_make(HTP_CODE_UNSUPPORTED,
                                   "a package of AOTInductor (.pt2): compiled code, in which the "
                                   "program is no more; save the program itself with "
                                   "torch.export.save(program, \"FILE.pt2\")");
        }
    }
    return htp_status_make(HTP_CODE_UNSUPPORTED,
                           "an archive of PyTorch (.pt2) without a program of torch.export; save "
                           "one with torch.export.save(program, \"FILE.pt2\")");
}

/* Chooses the requested model, or the only one. */
static htp_status choose_model(htp_arena *arena, const char *wanted, htp_exported_archive *opened)
{
    enum { SHOWN = 8 };
    const htp_archive *archive = opened->file.archive;
    htp_text names = {.arena = arena};
    uint32_t count = 0;
    for (uint32_t i = 0; i < archive->record_count; i++) {
        const char *name = model_of(arena, archive->records[i].name);
        if (!name) {
            continue;
        }
        if (count < SHOWN) {
            htp_text_add(&names, count ? ", " : "");
            htp_text_add(&names, htp_text_printable(arena, name));
        }
        if (!wanted || strcmp(name, wanted) == 0) {
            opened->model = name;
        }
        count++;
    }
    if (count == 0) {
        return refuse_archive(archive);
    }
    if (count > SHOWN) {
        htp_text_add(&names, ", ...");
    }
    if (wanted) {
        return opened->model
                   ? HTP_OK
                   : htp_status_make(HTP_CODE_USAGE, "there is no model \"%s\"; its models are: %s",
                                     wanted, htp_text_string(&names));
    }
    return count == 1 ? HTP_OK
                      : htp_status_make(HTP_CODE_USAGE,
                                        "it has several models; pass --model with one of them: %s",
                                        htp_text_string(&names));
}

/* An old archive has one model, without a name. */
static htp_status take_old_model(const char *wanted, htp_exported_archive *opened)
{
    opened->model = "";
    return wanted ? htp_status_make(HTP_CODE_USAGE,
                                    "there is no model \"%s\"; it has one without a name: leave "
                                    "--model out",
                                    wanted)
                  : HTP_OK;
}

static htp_status find_model(htp_arena *arena, const char *wanted, htp_exported_archive *opened)
{
    HTP_TRY(htp_exported_check_order(&opened->file));
    HTP_TRY(opened->layout == &old_layout ? take_old_model(wanted, opened)
                                          : choose_model(arena, wanted, opened));
    HTP_TRY(read_text(opened, name_of(arena, opened, opened->layout->program), &opened->program));
    HTP_TRY(read_text(opened, opened->layout->classes, &opened->classes));
    return opened->program.at
               ? HTP_OK
               : htp_status_make(HTP_CODE_BAD_INPUT,
                                 "damaged archive: %s is compressed, or not there; save it again",
                                 opened->program.name);
}

/* ---- the file ---- */

static htp_status map_file(const htp_input_file *file, htp_exported_archive *opened)
{
    const void *bytes = htp_input_file_map(file);
    if (!bytes) {
        return htp_status_make(htp_input_file_code(errno, HTP_CODE_BAD_INPUT),
                               "%s: cannot be mapped: %s", opened->path, strerror(errno));
    }
    opened->file.bytes = bytes;
    opened->file.count = file->bytes;
    return HTP_OK;
}

htp_status htp_exported_archive_open(htp_arena *arena, const char *path, htp_archive *listed,
                                     htp_input_file *file, const char *model,
                                     htp_exported_archive *opened)
{
    const bool is_new = htp_archive_has(listed, "archive_format");
    opened->path = path;
    opened->layout = is_new ? &new_layout : &old_layout;
    opened->file.archive = listed;
    listed->is_flat = !is_new;
    HTP_TRY(htp_archive_list(arena, path, listed));
    HTP_TRY(htp_input_file_open(file, path));
    HTP_TRY(map_file(file, opened));
    return htp_status_prefix(find_model(arena, model, opened), path);
}

/* ---- tensors ---- */

/* Reads the tensors of a table, each in a record. */
static htp_status read_table(htp_arena *arena, htp_arena *scratch,
                             const htp_exported_archive *archive, const char *folder,
                             const char *table, htp_exported_weights *weights)
{
    htp_exported_payloads payloads = {.count = 0};
    htp_exported_text text;
    HTP_TRY(read_text(archive, table, &text));
    if (!text.at) {
        return htp_status_make(HTP_CODE_BAD_INPUT,
                               "damaged archive: %s is compressed; save it again", table);
    }
    HTP_TRY(htp_exported_payloads_read(arena, scratch, table, text.at, text.bytes, &payloads));
    for (size_t i = 0; i < payloads.count; i++) {
        const htp_exported_payload *payload = &payloads.items[i];
        const char *record = htp_arena_join(arena, folder, "", payload->record);
        const char *wrong =
            htp_exported_weights_add(arena, weights, &archive->file, "", record, payload->weight);
        if (wrong) {
            return htp_status_make(HTP_CODE_BAD_INPUT, "damaged archive: %s: %s; export it again",
                                   htp_text_printable(arena, payload->weight.name), wrong);
        }
    }
    return HTP_OK;
}

htp_status htp_exported_archive_weights(htp_arena *arena, htp_arena *scratch,
                                        htp_exported_archive *archive,
                                        htp_exported_weights *weights)
{
    const htp_archive *listed = archive->file.archive;
    for (size_t i = 0; i < sizeof(archive->inner) / sizeof(archive->inner[0]); i++) {
        const char *pickle = name_of(arena, archive, archive->layout->tensors[i].pickle);
        const char *folder = archive->layout->tensors[i].folder;
        const char *table = folder ? htp_arena_join(arena, folder, archive->model,
                                                    archive->layout->tensors[i].table_end)
                                   : "";
        if (htp_archive_find(listed, table, strlen(table))) {
            HTP_TRY(htp_status_prefix(read_table(arena, scratch, archive, folder, table, weights),
                                      archive->path));
        } else if (htp_archive_find(listed, pickle, strlen(pickle))) {
            HTP_TRY(htp_exported_pickled_read(arena, scratch, archive->path, &archive->file, pickle,
                                              &archive->inner[i], weights));
        }
    }
    return HTP_OK;
}

void htp_exported_archive_close(htp_exported_archive *archive)
{
    if (archive->file.bytes) {
        (void)munmap((void *)archive->file.bytes, archive->file.count);
    }
    for (size_t i = 0; i < sizeof(archive->inner) / sizeof(archive->inner[0]); i++) {
        htp_archive_close(&archive->inner[i]);
    }
    *archive = (htp_exported_archive){.path = NULL};
}
