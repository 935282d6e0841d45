#include "source/contents/contents.h"

#include "source/archive/zip.h"
#include "source/code/code.h"
#include "source/code/code_tokens.h"
#include "source/code/code_tuples.h"
#include "source/code/code_values.h"
#include "source/contents/devices.h"
#include "source/pickle/pickle.h"

#include <ctype.h>
#include <limits.h>
#include <string.h>
#include <strings.h>
#include <zlib.h>

/* Records larger than this are not inflated: a file of some megabytes could ask for gigabytes. */
static const uint64_t inflated_limit = (uint64_t)512 << 20;

static const char code_folder[] = "code/";
static const char code_ending[] = ".py";

/* libtorch looks records up regardless of case. */
static const struct place {
    const char *name;
    const char *storages;
    bool are_storages_left_out;
    bool are_weights;
    bool are_constants; /* constants of the code */
} places[] = {
    {"data.pkl", "data/", false, true, false},
    {"constants.pkl", "constants/", false, false, true},
    {"traced_inputs.pkl", "traced_inputs/", true, false, false},
};

/* State of the checks. */
typedef struct checking {
    htp_arena *arena; /* for results */
    const char *path;
    htp_archive *archive;
    HTP_VECTOR(htp_syntax_module) modules; /* trees and texts, in archive->code */
    htp_code_token_list tokens;            /* of the current record, also there */
    uint64_t code_bytes;                   /* so far */
    htp_code_counts counts;                /* of code, so far */
    double exits;                          /* work for those of functions, so far */
    double constant;                       /* cost of the most expensive constant */
} checking;

/* Whether a record is code. */
static bool is_code(const char *name)
{
    size_t length = strlen(name);
    return strncasecmp(name, code_folder, strlen(code_folder)) == 0 &&
           length >= strlen(code_folder) + strlen(code_ending) &&
           strcasecmp(name + length - strlen(code_ending), code_ending) == 0;
}

/* The kind of pickle that libtorch reads here, or NULL. Debug records are only read by
 * debug_info.c, which checks them. */
static const struct place *find_place(const char *name)
{
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
        if (strcasecmp(name, places[i].name) == 0) {
            return &places[i];
        }
    }
    return NULL;
}

/* ---- bytes ---- */

/* A record in memory. */
typedef struct record {
    const char *name; /* for messages */
    const unsigned char *bytes;
    uint32_t count;
} record;

/* Inflates @p packed bytes at @p offset to exactly @p count bytes. @param is_exhausted  receives
 * whether memory ran out */
static bool inflate_stream(int file, uint64_t offset, uint64_t packed, unsigned char *bytes,
                           uint32_t count, z_stream *stream, bool *is_exhausted)
{
    unsigned char chunk[16384];
    int state = Z_OK;
    stream->next_out = bytes;
    stream->avail_out = count;
    while (packed > 0 && state == Z_OK) {
        size_t wanted = packed < sizeof(chunk) ? (size_t)packed : sizeof(chunk);
        if (!htp_zip_read_at(file, offset, chunk, wanted)) {
            return false;
        }
        offset += wanted;
        packed -= wanted;
        stream->next_in = chunk;
        stream->avail_in = (uInt)wanted;
        state = inflate(stream, Z_NO_FLUSH);
    }
    *is_exhausted = state == Z_MEM_ERROR;
    return state == Z_STREAM_END && stream->avail_out == 0;
}

static bool read_inflated(htp_arena *arena, int file, uint64_t offset, uint64_t packed,
                          unsigned char *bytes, uint32_t count)
{
    z_stream stream = {.next_in = NULL};
    if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) {
        htp_arena_exhaust(arena);
    }
    bool is_exhausted = false;
    bool is_whole = inflate_stream(file, offset, packed, bytes, count, &stream, &is_exhausted);
    (void)inflateEnd(&stream);
    if (is_exhausted) {
        htp_arena_exhaust(arena);
    }
    return is_whole;
}

/* Reads record @p index of an open file into @p arena, inflating it. Refuses one that is too large
 * or truncated. */
static htp_status read_record(htp_arena *arena, const char *path, const htp_archive *archive,
                              int file, uint32_t index, record *read)
{
    const htp_archive_record *listed = &archive->records[index];
    read->name = htp_archive_printable(arena, listed->name, strlen(listed->name));
    if (listed->bytes > UINT32_MAX || (!listed->is_stored && listed->bytes > inflated_limit)) {
        return htp_status_make(HTP_CODE_BAD_INPUT,
                               "%s: cannot be read: %s has %llu bytes, more than are read of it",
                               path, read->name, (unsigned long long)listed->bytes);
    }
    read->count = (uint32_t)listed->bytes;
    unsigned char *bytes = htp_arena_alloc(arena, (size_t)read->count + 1);
    read->bytes = bytes;
    bool is_whole = listed->is_stored ? htp_zip_read_at(file, listed->offset, bytes, read->count)
                                      : read_inflated(arena, file, listed->offset,
                                                      archive->packed[index], bytes, read->count);
    if (!is_whole) {
        return htp_status_make(HTP_CODE_BAD_INPUT,
                               "%s: damaged archive: %s cannot be read to its end; copy or save it "
                               "again",
                               path, read->name);
    }
    return HTP_OK;
}

/* ---- all of them ---- */

static htp_archive_made made_by(htp_arena *arena, const htp_pickle *pickle,
                                const htp_pickle_made *made)
{
    const char *bytes = (const char *)pickle->bytes;
    htp_archive_made result = {
        .pickle = pickle->record->name,
        .qualified_class =
            htp_arena_printf(arena, "%.*s.%.*s", (int)made->module_bytes, bytes + made->module,
                             (int)made->name_bytes, bytes + made->name),
        .kind = made->kind,
        .number = made->number,
        .text = htp_arena_copy(arena, bytes + made->text, made->text_bytes),
        .text_bytes = made->text_bytes,
    };
    if (made->kind == HTP_ARCHIVE_MADE_OF_FLOAT) {
        memcpy(&result.real, &made->number, sizeof(result.real));
    }
    return result;
}

/* Lists objects that a pickle makes: one per class, since there may be many. */
static void list_made(htp_arena *arena, htp_archive *archive, const htp_pickle *pickle,
                      const htp_pickle_made_list *made)
{
    htp_map classes = {0}; /* classes with objects, by the lines that name them */
    for (size_t i = 0; i < made->count; i++) {
        const htp_pickle_made *one = &made->items[i];
        const char *lines = (const char *)pickle->bytes + one->module;
        const size_t length = (size_t)one->module_bytes + 1 + one->name_bytes;
        if (one->kind == HTP_ARCHIVE_MADE_OF_OTHER) {
            if (htp_map_get_bytes(&classes, lines, length, NULL)) {
                continue;
            }
            htp_map_set_bytes(&archive->scratch, &classes, lines, length, 0);
        }
        HTP_PUSH(arena, &archive->made, made_by(arena, pickle, one));
    }
}

static htp_status check_pickle(checking *all, uint32_t index, const struct place *place)
{
    htp_archive *archive = all->archive;
    htp_arena *scratch = &archive->scratch;
    if (htp_arena_recover(scratch) != 0) {
        return htp_status_make(HTP_CODE_INTERNAL, "%s: out of memory", all->path);
    }
    record read = {.name = archive->records[index].name};
    HTP_TRY(read_record(scratch, all->path, archive, fileno(archive->file), index, &read));
    const htp_pickle pickle = {.path = all->path,
                               .name = read.name,
                               .record = &archive->records[index],
                               .bytes = read.bytes,
                               .count = read.count,
                               .archive = archive,
                               .storages = place->storages,
                               .are_storages_left_out = place->are_storages_left_out};
    htp_pickle_contents contents = {.cost = 0};
    HTP_TRY(htp_pickle_check(scratch, &pickle, &contents));
    list_made(all->arena, archive, &pickle, &contents.made);
    HTP_TRY(htp_devices_take_pickle(all->arena, archive, &pickle, &contents, place->are_weights));
    all->constant = place->are_constants ? contents.cost : all->constant;
    return HTP_OK;
}

/* "__torch__.model" of "code/__torch__/model.py". */
static const char *qualifier_of(htp_arena *arena, const char *record)
{
    const char *begin = record + strlen(code_folder);
    char *qualifier = htp_arena_copy(arena, begin, strlen(begin) - strlen(code_ending));
    for (char *at = strchr(qualifier, '/'); at; at = strchr(at, '/')) {
        *at = '.';
    }
    return qualifier;
}

/* libtorch takes about 200 bytes of memory for one byte of code. */
static htp_status count_code(checking *all, uint64_t bytes)
{
    const htp_limits *limits = all->archive->limits;
    uint64_t most = htp_limit_value(limits, HTP_LIMIT_CODE);
    bool fits = bytes <= most && all->code_bytes <= most - bytes;
    all->code_bytes += bytes;
    return fits ? HTP_OK
                : htp_status_make(HTP_CODE_UNSUPPORTED, "%s: it has " HTP_LIMIT_FORMAT, all->path,
                                  HTP_LIMIT_ARGUMENTS(limits, HTP_LIMIT_CODE));
}

/* Parses code and checks all but its tuples, which may come from other records. The text is kept
 * for libtorch. */
static htp_status read_code(checking *all, uint32_t index)
{
    htp_archive *archive = all->archive;
    htp_arena *arena = &archive->code;
    record read = {.name = archive->records[index].name};
    htp_syntax_module module;
    HTP_TRY(count_code(all, archive->records[index].bytes));
    HTP_TRY(read_record(all->arena, all->path, archive, fileno(archive->file), index, &read));
    const htp_code_record code = {all->path, read.name, (const char *)read.bytes, read.count};
    HTP_TRY(htp_code_check(arena, &code, &all->tokens));
    HTP_TRY(htp_syntax_read(arena, &code, &all->tokens, &module));
    HTP_TRY(htp_code_count(&module, archive->limits, &all->counts));
    HTP_TRY(htp_code_check_exits(&module, archive->limits, &all->exits));
    HTP_TRY(htp_values_check(&module));
    HTP_TRY(htp_devices_take_code(all->arena, archive, archive->records[index].name, &module));
    module.qualifier = qualifier_of(arena, archive->records[index].name);
    HTP_PUSH(arena, &all->modules, module);
    return HTP_OK;
}

/* The version of the format: libtorch fails without a place if it is no number. */
static htp_status check_version(checking *all, uint32_t index)
{
    enum { MOST_BYTES = 10 };
    htp_archive *archive = all->archive;
    record read = {.name = archive->records[index].name};
    if (archive->records[index].bytes <= MOST_BYTES) {
        HTP_TRY(read_record(all->arena, all->path, archive, fileno(archive->file), index, &read));
    }
    size_t digits = 0;
    while (digits < read.count && isdigit(read.bytes[digits])) {
        digits++;
    }
    size_t end = digits;
    while (end < read.count && isspace(read.bytes[end])) {
        end++;
    }
    return digits > 0 && end == read.count
               ? HTP_OK
               : htp_status_make(HTP_CODE_BAD_INPUT,
                                 "%s: damaged archive: the version of its format, in %s, is no "
                                 "number; save the model again",
                                 all->path, read.name);
}

static bool is_version(const char *name)
{
    return strcasecmp(name, "version") == 0 || strcasecmp(name, ".data/version") == 0;
}

static htp_status check_record(checking *all, uint32_t index)
{
    const char *name = all->archive->records[index].name;
    if (is_version(name)) {
        return check_version(all, index);
    }
    const struct place *place = find_place(name);
    if (!place) {
        return is_code(name) ? read_code(all, index) : HTP_OK;
    }
    htp_arena_init(&all->archive->scratch);
    htp_status status = check_pickle(all, index, place);
    htp_arena_free(&all->archive->scratch);
    return status;
}

static htp_status check_records(checking *all)
{
    htp_archive *archive = all->archive;
    if (htp_arena_recover(&archive->code) != 0) {
        return htp_status_make(HTP_CODE_INTERNAL, "%s: out of memory", all->path);
    }
    for (uint32_t i = 0; i < archive->record_count; i++) {
        HTP_TRY(check_record(all, i));
    }
    HTP_TRY(htp_devices_check(all->path, archive));
    return htp_tuples_check(&archive->code, all->path, all->modules.items, all->modules.count,
                            all->constant);
}

htp_status htp_contents_check(htp_arena *arena, const char *path, htp_archive *archive)
{
    checking all = {.arena = arena, .path = path, .archive = archive};
    htp_arena_init(&archive->code);
    htp_status status = check_records(&all);
    htp_arena_free(&archive->code);
    return status;
}

const char *htp_archive_read(htp_arena *arena, const htp_archive *archive, int file,
                             const char *name, size_t *bytes)
{
    uint32_t index = 0;
    record read = {.bytes = NULL};
    *bytes = 0;
    if (!htp_map_get(&archive->by_name, name, &index)) {
        return NULL;
    }
    htp_status status = read_record(arena, "", archive, file, index, &read);
    bool is_whole = status == HTP_OK;
    htp_status_free(status);
    *bytes = is_whole ? read.count : 0;
    return is_whole ? (const char *)read.bytes : NULL;
}
