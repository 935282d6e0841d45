/*
 * Which bytes of the weights' storages initializers need: expanded weights and weights that overlap
 * need the same ones again.
 */
#include "onnx/builder/builder.h"

#include "base/dtype.h"

static uint64_t *left_of(htp_storage_reads *r, const htp_weight *weight)
{
    uint32_t place = 0;
    if (!htp_map_get_bytes(&r->places, &weight->storage, sizeof(weight->storage), &place)) {
        place = (uint32_t)r->left.count;
        htp_map_set_bytes(r->model->arena, &r->places, &weight->storage, sizeof(weight->storage),
                          place);
        HTP_PUSH(r->model->arena, &r->left, weight->storage_bytes);
    }
    return &r->left.items[place];
}

static void read_box(htp_storage_reads *r, const htp_weight *weight, uint64_t element,
                     uint32_t rank, const int64_t *dims, htp_read_bytes *read)
{
    uint64_t bytes = element;
    for (uint32_t i = 0; i < rank; i++) {
        bytes *= (uint64_t)dims[i];
    }
    uint64_t *left = left_of(r, weight);
    uint64_t fresh = bytes < *left ? bytes : *left;
    *left -= fresh;
    read->fresh += fresh;
    read->repeated += bytes - fresh;
}

htp_read_bytes htp_storage_reads_add(htp_storage_reads *r, const htp_initializer *initializer)
{
    const htp_weight *weights = r->model->graph->trace->weights;
    const htp_derivation *derivation = initializer->derivation;
    htp_read_bytes read = {.fresh = initializer->data ? initializer->bytes : 0};
    if (initializer->weight != HTP_NONE) {
        const htp_weight *weight = &weights[initializer->weight];
        read_box(r, weight, htp_dtype_size(weight->dtype), weight->rank, weight->dims, &read);
        return read;
    }
    for (uint32_t i = 0; derivation && i < derivation->box_count; i++) {
        const htp_box *box = &derivation->boxes[i];
        read_box(r, &weights[box->weight], htp_dtype_size(derivation->dtype), box->rank, box->dims,
                 &read);
    }
    return read;
}
