#include "source/inputs/arrays_npz.h"

#include "base/dtype.h"
#include "source/archive/zip.h"
#include "source/inputs/npy.h"

#include <string.h>

/* The most arrays of a file. */
enum { MOST_ARRAYS = 1 << 20 };

/* A directory that is being read. */
struct reading {
    htp_arena *arena;
    htp_npz_file *opened;
    htp_zip_range range;
    char *head; /* HTP_NPY_HEADER_LIMIT bytes */
    const char *name;
    const char *problem;
};

static const char *judge(const struct reading *r, const htp_zip_entry *entry)
{
    static const size_t suffix = sizeof(".npy") - 1;
    size_t length = strlen(entry->name);
    if (length != entry->name_bytes || length <= suffix ||
        strcmp(entry->name + length - suffix, ".npy") != 0) {
        return "not an array: its name does not end in .npy";
    }
    if (entry->is_encrypted) {
        return "encrypted";
    }
    if (entry->method != HTP_ZIP_STORED) {
        return "compressed; save the arrays with numpy.savez()";
    }
    return r->opened->entries.count == MOST_ARRAYS ? "one array too many" : NULL;
}

static const char *read_head(const struct reading *r, const htp_zip_entry *entry, htp_npy *header,
                             uint64_t *offset)
{
    size_t count =
        entry->bytes < HTP_NPY_HEADER_LIMIT ? (size_t)entry->bytes : HTP_NPY_HEADER_LIMIT;
    if (!htp_zip_find(&r->range, entry, offset) ||
        !htp_zip_read_at(fileno(r->range.file), *offset, r->head, count)) {
        return "damaged";
    }
    const char *problem = htp_npy_parse(r->head, count, entry->bytes, header);
    return !problem && header->is_fortran && header->rank > 1
               ? "in Fortran's order; save numpy.ascontiguousarray() of it"
               : problem;
}

static bool note_array(void *user, const htp_zip_entry *entry)
{
    struct reading *r = user;
    htp_npy header;
    uint64_t offset = 0;
    r->name = htp_arena_strdup(r->arena, entry->name);
    r->problem = judge(r, entry);
    r->problem = r->problem ? r->problem : read_head(r, entry, &header, &offset);
    if (r->problem) {
        return false;
    }
    htp_npz_entry made = {
        .name = htp_arena_copy(r->arena, r->name, strlen(r->name) - strlen(".npy")),
        .dtype = header.dtype,
        .rank = header.rank,
        .bytes = htp_dtype_size(header.dtype),
    };
    for (uint32_t i = 0; i < header.rank; i++) { /* the header's check says that they fit */
        made.dims[i] = header.dims[i];
        made.bytes *= (uint64_t)header.dims[i];
    }
    made.offset = offset + (entry->bytes - made.bytes);
    HTP_PUSH(r->arena, &r->opened->entries, made);
    return true;
}

htp_status htp_npz_open(htp_arena *arena, const char *path, htp_npz_file *opened)
{
    struct reading r = {
        .arena = arena, .opened = opened, .head = htp_arena_alloc(arena, HTP_NPY_HEADER_LIMIT)};
    *opened = (htp_npz_file){.path = path};
    HTP_TRY(htp_npy_open(path, &opened->file, &opened->identity));
    r.range = (htp_zip_range){.file = opened->file, .bytes = opened->identity.bytes};
    if (htp_zip_read(&r.range, note_array, &r)) {
        return HTP_OK;
    }
    return htp_npz_judge(
        opened, r.problem
                    ? htp_status_make(HTP_CODE_USAGE, "%s: %s: %s", path, r.name, r.problem)
                    : htp_status_make(HTP_CODE_USAGE, "%s: no .npz file, or a damaged one", path));
}

bool htp_npz_read(const htp_npz_file *opened, size_t index, void *elements)
{
    const htp_npz_entry *entry = &opened->entries.items[index];
    return htp_zip_read_at(fileno(opened->file), entry->offset, elements, (size_t)entry->bytes);
}

htp_status htp_npz_judge(const htp_npz_file *opened, htp_status status)
{
    return opened->file ? htp_input_file_judge(&opened->identity, opened->path, status) : status;
}

void htp_npz_close(htp_npz_file *opened)
{
    if (opened->file) {
        (void)fclose(opened->file);
    }
    opened->file = NULL;
}
