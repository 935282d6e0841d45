#include "exported/archive/weights.h"

#include "base/checked.h"
#include "base/dtype.h"

#include <string.h>

const char *htp_exported_file_record(const htp_exported_file *file, const char *name, size_t *bytes)
{
    const htp_archive_record *record = htp_archive_find(file->archive, name, strlen(name));
    *bytes = 0;
    if (!record || !record->is_stored || record->offset > file->count ||
        record->bytes > file->count - record->offset) {
        return NULL;
    }
    *bytes = (size_t)record->bytes;
    return file->bytes + record->offset;
}

/* Whether all elements are within the record. */
static bool lies_within(const htp_weight *weight)
{
    uint64_t last = (uint64_t)weight->storage_offset;
    uint64_t step;
    bool fits = weight->storage_offset >= 0;
    bool is_empty = false;
    for (uint32_t i = 0; i < weight->rank; i++) {
        is_empty = is_empty || weight->dims[i] == 0;
    }
    for (uint32_t i = 0; i < weight->rank && !is_empty && fits; i++) {
        fits =
            htp_checked_mul((uint64_t)weight->dims[i] - 1, (uint64_t)weight->strides[i], &step) &&
            htp_checked_add(last, step, &last);
    }
    uint64_t size = htp_dtype_size(weight->dtype);
    return fits && (is_empty || size == 0 ||
                    (htp_checked_add(last, 1, &last) && htp_checked_mul(last, size, &last) &&
                     last <= weight->storage_bytes));
}

static uint32_t storage_of(htp_arena *arena, htp_exported_weights *weights, const char *name)
{
    uint32_t number = (uint32_t)weights->storages.count;
    const void **place = htp_map_add_bytes(arena, &weights->storages, name, strlen(name), &number);
    if (place) {
        *place = name;
    }
    return number;
}

const char *htp_exported_weights_add(htp_arena *arena, htp_exported_weights *weights,
                                     const htp_exported_file *file, const char *folder,
                                     const char *record, htp_weight weight)
{
    size_t bytes;
    const char *data = htp_exported_file_record(file, record, &bytes);
    if (!data) {
        return "its record is not there, or compressed";
    }
    weight.storage = storage_of(arena, weights, htp_arena_join(arena, folder, "", record));
    weight.data = data;
    weight.storage_bytes = bytes;
    weight.is_mapped = true;
    weight.file_offset = (uint64_t)(data - file->bytes);
    if (!lies_within(&weight)) {
        return "it does not lie in its record";
    }
    htp_map_set(arena, &weights->by_name, weight.name, (uint32_t)weights->all.count);
    HTP_PUSH(arena, &weights->all, weight);
    return NULL;
}
