#include "base/vector.h"
#include "source/archive/archive.h"
#include "source/archive/zip.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum {
    DEFLATE_RATIO = 1032, /* upper limit: 258 bytes from two bits */
    SHOWN_BYTES = 120,
};

#define COPY_ADVICE "copy or save it again"

typedef HTP_VECTOR(htp_zip_entry) entry_vector;

struct listing {
    htp_arena *arena; /* for names and records */
    htp_arena *scratch;
    entry_vector entries; /* all members */
};

void htp_archive_close(htp_archive *archive)
{
    if (archive->file) {
        (void)fclose(archive->file);
        archive->file = NULL;
    }
    htp_arena_free(&archive->scratch);
    htp_arena_free(&archive->code);
}

const htp_archive_record *htp_archive_find(const htp_archive *archive, const char *name,
                                           size_t name_bytes)
{
    uint32_t index = 0;
    return htp_map_get_bytes(&archive->by_name, name, name_bytes, &index) ? &archive->records[index]
                                                                          : NULL;
}

const char *htp_archive_printable(htp_arena *arena, const char *name, size_t bytes)
{
    size_t shown = bytes < SHOWN_BYTES ? bytes : SHOWN_BYTES;
    const char *rest = shown < bytes ? "..." : "";
    char *text = htp_arena_alloc(arena, shown + strlen(rest) + 1);
    for (size_t i = 0; i < shown; i++) {
        text[i] = name[i];
        if (iscntrl((unsigned char)name[i])) {
            text[i] = '?';
        }
    }
    memcpy(text + shown, rest, strlen(rest) + 1);
    return text;
}

static htp_status damaged(htp_arena *arena, const char *path, const htp_zip_entry *entry,
                          const char *problem)
{
    return htp_status_make(HTP_CODE_BAD_INPUT, "%s: damaged archive: record %s %s; " COPY_ADVICE,
                           path, htp_archive_printable(arena, entry->name, entry->name_bytes),
                           problem);
}

/* ---- members ---- */

static bool note_entry(void *user, const htp_zip_entry *entry)
{
    struct listing *listing = user;
    htp_zip_entry kept = *entry;
    kept.name = htp_arena_copy(listing->arena, entry->name, entry->name_bytes);
    HTP_PUSH(listing->scratch, &listing->entries, kept);
    return listing->entries.count < UINT32_MAX;
}

struct extent {
    uint64_t begin; /* position of the local header */
    uint64_t end;
    const htp_zip_entry *entry;
};

static int compare_extents(const void *a, const void *b)
{
    uint64_t left = ((const struct extent *)a)->begin;
    uint64_t right = ((const struct extent *)b)->begin;
    return (left > right) - (left < right);
}

/* Finds the bytes of the members, which must not overlap. */
static htp_status find_members(htp_arena *scratch, const char *path, const htp_zip_range *range,
                               const entry_vector *entries, uint64_t *offsets)
{
    struct extent *extents = HTP_NEW_ARRAY(scratch, struct extent, entries->count);
    for (size_t i = 0; i < entries->count; i++) {
        const htp_zip_entry *entry = &entries->items[i];
        if (!htp_zip_find(range, entry, &offsets[i])) {
            return damaged(scratch, path, entry, "does not lie in the file");
        }
        extents[i] = (struct extent){.begin = range->begin + entry->header,
                                     .end = offsets[i] + entry->bytes,
                                     .entry = entry};
    }
    qsort(extents, entries->count, sizeof(*extents), compare_extents);
    for (size_t i = 1; i < entries->count; i++) {
        if (extents[i].begin < extents[i - 1].end) {
            return damaged(scratch, path, extents[i].entry, "overlaps another one");
        }
    }
    return HTP_OK;
}

/* The error of a member that libtorch would read, or NULL. */
static const char *judge(const htp_zip_entry *entry)
{
    if (memchr(entry->name, '\0', entry->name_bytes)) {
        return "has a NUL in its name";
    }
    if (entry->is_encrypted) {
        return "is encrypted";
    }
    if (entry->method != HTP_ZIP_STORED && entry->method != HTP_ZIP_DEFLATED) {
        return "is compressed in another way than libtorch reads";
    }
    if (entry->method == HTP_ZIP_STORED && entry->bytes != entry->unpacked) {
        return "is said to have two sizes";
    }
    return entry->unpacked / DEFLATE_RATIO > entry->bytes
               ? "is said to unpack to more than it can hold"
               : NULL;
}

/* ---- records ---- */

static const char *folded(htp_arena *arena, const char *name, size_t bytes)
{
    char *folded = htp_arena_copy(arena, name, bytes);
    for (size_t i = 0; i < bytes; i++) {
        folded[i] = (char)tolower((unsigned char)folded[i]);
    }
    return folded;
}

/* Only names of code and of the user's files may differ in nothing but case. */
static bool may_differ_in_case(const char *name)
{
    static const char *const folders[] = {"code/", "extra/", "extra_files/"};
    bool may = false;
    for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
        may = may || strncmp(name, folders[i], strlen(folders[i])) == 0;
    }
    return may;
}

static htp_status add_record(htp_arena *arena, const char *path, htp_archive *archive,
                             htp_map *by_folded, const htp_zip_entry *entry,
                             const htp_archive_record *record)
{
    size_t bytes = strlen(record->name);
    const char *key = folded(&archive->scratch, record->name, bytes);
    bool is_known = may_differ_in_case(record->name)
                        ? htp_map_get_bytes(&archive->by_name, record->name, bytes, NULL)
                        : htp_map_get_bytes(by_folded, key, bytes, NULL);
    if (is_known) {
        return damaged(arena, path, entry, "is there twice");
    }
    htp_map_set_bytes(arena, &archive->by_name, record->name, bytes, archive->record_count);
    htp_map_set_bytes(&archive->scratch, by_folded, key, bytes, archive->record_count);
    archive->record_count++;
    return HTP_OK;
}

/* The members in the first one's folder, or all of a flat archive, without subfolders. */
static htp_status take_records(htp_arena *arena, const char *path, const entry_vector *entries,
                               const uint64_t *offsets, htp_archive *archive)
{
    htp_archive_record *records = HTP_NEW_ARRAY(arena, htp_archive_record, entries->count);
    uint64_t *packed = HTP_NEW_ARRAY(arena, uint64_t, entries->count);
    uint32_t *checksums = HTP_NEW_ARRAY(arena, uint32_t, entries->count);
    htp_map by_folded = {.slots = NULL};
    const char *first = entries->items[0].name;
    const char *slash = archive->is_flat ? NULL : strchr(first, '/');
    if (!slash && !archive->is_flat) {
        return htp_status_make(HTP_CODE_BAD_INPUT,
                               "%s: no TorchScript: %s, its first record, is in no folder", path,
                               htp_archive_printable(arena, first, entries->items[0].name_bytes));
    }
    size_t prefix = slash ? (size_t)(slash - first) + 1 : 0;
    archive->records = records;
    archive->packed = packed;
    archive->checksums = checksums;
    htp_map_reserve(arena, &archive->by_name, entries->count);
    htp_map_reserve(&archive->scratch, &by_folded, entries->count);
    for (size_t i = 0; i < entries->count; i++) {
        const htp_zip_entry *entry = &entries->items[i];
        if (entry->name_bytes <= prefix || memcmp(entry->name, first, prefix) != 0 ||
            entry->name[entry->name_bytes - 1] == '/') {
            continue;
        }
        const char *problem = judge(entry);
        if (problem) {
            return damaged(arena, path, entry, problem);
        }
        packed[archive->record_count] = entry->bytes;
        checksums[archive->record_count] = entry->checksum;
        records[archive->record_count] =
            (htp_archive_record){.name = entry->name + prefix,
                                 .offset = offsets[i],
                                 .bytes = entry->unpacked,
                                 .is_stored = entry->method == HTP_ZIP_STORED};
        HTP_TRY(
            add_record(arena, path, archive, &by_folded, entry, &records[archive->record_count]));
    }
    return HTP_OK;
}

static htp_status list_all(htp_arena *arena, const char *path, htp_archive *archive)
{
    htp_arena *scratch = &archive->scratch;
    struct listing listing = {.arena = arena, .scratch = scratch};
    if (htp_arena_recover(scratch) != 0) {
        return htp_status_make(HTP_CODE_INTERNAL, "%s: out of memory", path);
    }
    const htp_zip_range range = {archive->file, archive->begin, archive->bytes};
    if (!htp_zip_read(&range, note_entry, &listing) || listing.entries.count == 0) {
        return htp_status_make(HTP_CODE_BAD_INPUT,
                               "%s: damaged archive: its directory cannot be read; " COPY_ADVICE,
                               path);
    }
    const entry_vector *entries = &listing.entries;
    uint64_t *offsets = HTP_NEW_ARRAY(scratch, uint64_t, entries->count);
    HTP_TRY(find_members(scratch, path, &range, entries, offsets));
    return take_records(arena, path, entries, offsets, archive);
}

htp_status htp_archive_list(htp_arena *arena, const char *path, htp_archive *archive)
{
    htp_status status = list_all(arena, path, archive);
    htp_arena_free(&archive->scratch);
    return status;
}

htp_status htp_archive_list_inner(htp_arena *arena, const char *path, const htp_archive *outer,
                                  const htp_archive_record *record, htp_archive *inner)
{
    *inner = (htp_archive){.file = outer->file, .begin = record->offset, .bytes = record->bytes};
    htp_status status = htp_archive_list(arena, path, inner);
    inner->file = NULL;
    return status;
}
