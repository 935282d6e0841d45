#include "exported/document/payloads.h"

#include "exported/document/document_values.h"

/* ---- one tensor ---- */

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

/* @param payload  entry of the table: the tensor's record and geometry */
static void read_weight(htp_document *d, const char *name, const htp_json_node *payload,
                        htp_exported_payloads *payloads)
{
    const htp_json_node *meta = htp_document_optional(payload, "tensor_meta");
    if (!meta || htp_document_truth(d, htp_document_member(d, payload, "use_pickle"))) {
        return; /* an object or a special tensor, whose readers are refused */
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
    const char *record = htp_document_text(d, htp_document_member(d, payload, "path_name"));
    if (!d->failure && said.is_dense) {
        HTP_PUSH(d->arena, payloads, (htp_exported_payload){record, weight});
    }
}

/* ---- the table ---- */

htp_status htp_exported_payloads_read(htp_arena *arena, htp_arena *scratch, const char *name,
                                      const char *text, size_t bytes,
                                      htp_exported_payloads *payloads)
{
    htp_json_failure failure;
    htp_exported_program unused = {.major = 0};
    htp_document d = {
        .arena = arena, .scratch = scratch, .program = &unused, .texts = {.arena = arena}};
    uint32_t count;
    const htp_json_node *root = htp_json_tree_read(scratch, text, bytes, &failure);
    if (!root) {
        return htp_status_make(HTP_CODE_BAD_INPUT,
                               "damaged archive: %s is no JSON: byte %zu: %s; export it again",
                               name, failure.at, failure.what);
    }
    const htp_json_node *key =
        htp_document_object(&d, htp_document_member(&d, root, "config"), &count);
    for (uint32_t i = 0; i < count && !d.failure; i++, key = htp_json_end_of(key + 1)) {
        d.where = NULL;
        d.where = htp_document_text(&d, key);
        read_weight(&d, d.where, key + 1, payloads);
    }
    return htp_document_status(&d);
}
