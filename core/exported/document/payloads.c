#include "exported/document/payloads.h"

#include "base/checked.h"
#include "base/dtype.h"
#include "exported/document/document_values.h"

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

/* ---- one tensor ---- */

typedef struct reading {
    htp_document d;
    const htp_exported_file *file;
    htp_exported_weights *weights;
    const char *folder;
} reading;

/* Known sizes of a weight. */
static const int64_t *numbers_of(htp_document *d, const htp_json_node *node, uint32_t *count)
{
    const htp_exported_size *sizes = htp_document_sizes(d, node, count);
    int64_t *numbers = HTP_NEW_ARRAY(d->arena, int64_t, (size_t)*count + 1);
    for (uint32_t i = 0; i < *count; i++) {
        numbers[i] = sizes[i].number;
        if (sizes[i].expression != HTP_NONE || numbers[i] < 0) {
            htp_document_fail(d, "a size or stride is no number of 0 or more");
        }
    }
    return numbers;
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

static uint32_t storage_of(reading *r, const char *name)
{
    uint32_t number = (uint32_t)r->weights->storages.count;
    const void **place =
        htp_map_add_bytes(r->d.arena, &r->weights->storages, name, strlen(name), &number);
    if (place) {
        *place = name;
    }
    return number;
}

static void find_bytes(reading *r, const htp_json_node *payload, htp_weight *weight)
{
    htp_document *d = &r->d;
    size_t bytes;
    const char *path = htp_document_text(d, htp_document_member(d, payload, "path_name"));
    const char *name = htp_arena_join(d->arena, r->folder, "", path);
    const char *data = htp_exported_file_record(r->file, name, &bytes);
    if (!data) {
        htp_document_fail(d, "its record is not there, or compressed");
        return;
    }
    weight->storage = storage_of(r, name);
    weight->data = data;
    weight->storage_bytes = bytes;
    weight->is_mapped = true;
    weight->file_offset = (uint64_t)(data - r->file->bytes);
    if (!lies_within(weight)) {
        htp_document_fail(d, "it does not lie in its record");
    }
}

/* @param payload  entry of the table: the tensor's record and geometry */
static void read_weight(reading *r, const char *name, const htp_json_node *payload)
{
    htp_document *d = &r->d;
    const htp_json_node *meta = htp_document_optional(payload, "tensor_meta");
    if (!meta || htp_document_truth(d, htp_document_member(d, payload, "use_pickle"))) {
        return; /* an object or special tensor: its readers are refused */
    }
    uint32_t stride_count;
    htp_exported_value said = htp_document_tensor(d, meta);
    htp_weight weight = {
        .name = name,
        .module = HTP_NONE,
        .is_parameter = htp_document_truth(d, htp_document_member(d, payload, "is_param")),
        .requires_grad = htp_document_truth(d, htp_document_member(d, meta, "requires_grad")),
        .dtype = said.dtype,
        .rank = said.rank};
    weight.is_buffer = !weight.is_parameter;
    weight.dims = numbers_of(d, htp_document_member(d, meta, "sizes"), &weight.rank);
    weight.strides = numbers_of(d, htp_document_member(d, meta, "strides"), &stride_count);
    weight.storage_offset =
        htp_document_size(d, htp_document_member(d, meta, "storage_offset")).number;
    if (stride_count != weight.rank || weight.rank != said.rank) {
        htp_document_fail(d, "it has another number of strides than of sizes");
    }
    if (d->failure || !said.is_dense) {
        return;
    }
    find_bytes(r, payload, &weight);
    htp_map_set(d->arena, &r->weights->by_name, name, (uint32_t)r->weights->all.count);
    HTP_PUSH(d->arena, &r->weights->all, weight);
}

/* ---- the table ---- */

htp_status htp_exported_weights_read(htp_arena *arena, htp_arena *scratch,
                                     const htp_exported_file *file, const char *folder,
                                     const char *config, htp_exported_weights *weights)
{
    htp_json_failure failure;
    htp_exported_program unused = {.major = 0};
    reading r = {
        .d = {.arena = arena, .scratch = scratch, .program = &unused, .texts = {.arena = arena}},
        .file = file,
        .weights = weights,
        .folder = folder};
    size_t bytes;
    uint32_t count;
    const char *text = htp_exported_file_record(file, config, &bytes);
    const htp_json_node *root = text ? htp_json_tree_read(scratch, text, bytes, &failure) : NULL;
    if (!root) {
        return text ? htp_status_make(HTP_CODE_BAD_INPUT,
                                      "damaged archive: %s is no JSON: byte %zu: %s; export it "
                                      "again",
                                      config, failure.at, failure.what)
                    : HTP_OK;
    }
    const htp_json_node *key =
        htp_document_object(&r.d, htp_document_member(&r.d, root, "config"), &count);
    for (uint32_t i = 0; i < count && !r.d.failure; i++, key = htp_json_end_of(key + 1)) {
        r.d.where = NULL;
        r.d.where = htp_document_text(&r.d, key);
        read_weight(&r, r.d.where, key + 1);
    }
    return htp_document_status(&r.d);
}
