#include "onnx/serialize/repeated_bytes.h"

#include "base/dtype.h"
#include "base/map.h"

/* The reads so far. */
typedef struct reads {
    const htp_builder *model;
    htp_map places;            /* storage -> index in `left` */
    HTP_VECTOR(uint64_t) left; /* by storage: bytes that no initializer has read yet */
    uint64_t repeated;
} reads;

static uint64_t *left_of(reads *r, const htp_weight *weight)
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

/* Sizes are checked: their product fits. */
static void read_box(reads *r, const htp_weight *weight, uint64_t element, uint32_t rank,
                     const int64_t *dims)
{
    uint64_t bytes = element;
    for (uint32_t i = 0; i < rank; i++) {
        bytes *= (uint64_t)dims[i];
    }
    uint64_t *left = left_of(r, weight);
    uint64_t fresh = bytes < *left ? bytes : *left;
    *left -= fresh;
    r->repeated += bytes - fresh;
}

static void read_initializer(reads *r, const htp_initializer *initializer)
{
    const htp_weight *weights = r->model->graph->trace->weights;
    const htp_derivation *derivation = initializer->derivation;
    if (initializer->weight != HTP_NONE) {
        const htp_weight *weight = &weights[initializer->weight];
        read_box(r, weight, htp_dtype_size(weight->dtype), weight->rank, weight->dims);
        return;
    }
    for (uint32_t i = 0; derivation && i < derivation->box_count; i++) {
        const htp_box *box = &derivation->boxes[i];
        read_box(r, &weights[box->weight], htp_dtype_size(derivation->dtype), box->rank, box->dims);
    }
}

htp_status htp_repeated_bytes_check(const htp_builder *model)
{
    reads r = {.model = model};
    uint64_t limit = htp_limit_value(model->limits, HTP_LIMIT_REPEATED);
    for (size_t i = 0; i < model->initializers.count; i++) {
        const htp_initializer *initializer = &model->initializers.items[i];
        read_initializer(&r, initializer);
        if (r.repeated > limit) {
            return htp_status_make(HTP_CODE_UNSUPPORTED, "weight '%s' repeats: " HTP_LIMIT_FORMAT,
                                   model->tensors.items[initializer->tensor].name,
                                   HTP_LIMIT_ARGUMENTS(model->limits, HTP_LIMIT_REPEATED));
        }
    }
    return HTP_OK;
}
