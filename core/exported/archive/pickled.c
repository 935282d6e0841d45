#include "exported/archive/pickled.h"

#include "exported/archive/byte_order.h"
#include "source/pickle/pickle.h"

#include <string.h>

#define PICKLE "data.pkl"
#define STORAGES "data/"

typedef struct reading {
    htp_arena *arena;
    const char *where; /* path of the file, and name of the record */
    const char *record;
    htp_exported_file file; /* of the inner archive; its bytes are those of the whole file */
    htp_exported_weights *weights;
} reading;

static htp_status damaged(const reading *r, const char *name, const char *wrong)
{
    return htp_status_make(HTP_CODE_BAD_INPUT, "%s: damaged archive: %s: %s; copy or save it again",
                           r->where, name, wrong);
}

static htp_status add_tensor(const reading *r, const char *pickle, const htp_pickle_tensor *tensor)
{
    const char *record = htp_arena_join(
        r->arena, STORAGES, "", htp_arena_copy(r->arena, pickle + tensor->key, tensor->key_bytes));
    const htp_weight weight = {
        .name = htp_arena_copy(r->arena, pickle + tensor->name, tensor->name_bytes),
        .module = HTP_NONE,
        .is_parameter = tensor->is_parameter,
        .is_buffer = !tensor->is_parameter,
        .requires_grad = tensor->requires_grad,
        .dtype = tensor->dtype,
        .rank = tensor->rank,
        .dims = tensor->sizes,
        .strides = tensor->strides,
        .storage_offset = tensor->offset};
    const char *wrong =
        htp_exported_weights_add(r->arena, r->weights, &r->file, r->record, record, weight);
    return wrong ? damaged(r, htp_archive_printable(r->arena, weight.name, strlen(weight.name)),
                           wrong)
                 : HTP_OK;
}

static htp_status read_pickle(const reading *r, htp_arena *scratch)
{
    size_t bytes;
    htp_pickle_contents contents = {.cost = 0};
    const char *text = htp_exported_file_record(&r->file, PICKLE, &bytes);
    if (!text || bytes > UINT32_MAX) {
        return damaged(r, PICKLE, "compressed, not there, or too large");
    }
    const htp_pickle pickle = {.path = r->where,
                               .name = PICKLE,
                               .record = htp_archive_find(r->file.archive, PICKLE, strlen(PICKLE)),
                               .bytes = (const unsigned char *)text,
                               .count = (uint32_t)bytes,
                               .archive = r->file.archive,
                               .storages = STORAGES,
                               .role = HTP_PICKLE_OF_STATE,
                               .kept = r->arena};
    HTP_TRY(htp_pickle_check(scratch, &pickle, &contents));
    for (size_t i = 0; i < contents.tensors.count; i++) {
        HTP_TRY(add_tensor(r, text, &contents.tensors.items[i]));
    }
    return HTP_OK;
}

htp_status htp_exported_pickled_read(htp_arena *arena, htp_arena *scratch, const char *path,
                                     const htp_exported_file *file, const char *record,
                                     htp_archive *inner, htp_exported_weights *weights)
{
    const htp_archive_record *found = htp_archive_find(file->archive, record, strlen(record));
    const reading r = {.arena = arena,
                       .where = htp_arena_join(arena, path, ": ", record),
                       .record = record,
                       .file = {.archive = inner, .bytes = file->bytes, .count = file->count},
                       .weights = weights};
    if (!found->is_stored) {
        return damaged(&r, "the record", "it is compressed");
    }
    if (found->bytes == 0) {
        return HTP_OK;
    }
    HTP_TRY(htp_archive_list_inner(arena, r.where, file->archive, found, inner));
    HTP_TRY(htp_status_prefix(htp_exported_check_order(&r.file), r.where));
    return read_pickle(&r, scratch);
}
