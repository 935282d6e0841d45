#include "onnx/payload.h"

#include "base/checked.h"
#include "base/dtype.h"

#include <stddef.h>
#include <string.h>

enum { SMALLEST_LONG_RUN = 1024 }; /* bytes; fewer are gathered */

/* Bytes of all elements. @return whether the dims are sizes, and the bytes can be counted. */
static bool count_bytes(const htp_weight *weight, uint64_t element, uint64_t *bytes)
{
    bool fits = true;
    bool is_empty = false;
    *bytes = element;
    for (uint32_t i = 0; i < weight->rank; i++) {
        if (weight->dims[i] < 0) {
            return false;
        }
        is_empty = is_empty || weight->dims[i] == 0;
        fits = fits && htp_checked_mul(*bytes, (uint64_t)weight->dims[i], bytes);
    }
    if (is_empty) {
        *bytes = 0;
    }
    return fits || is_empty;
}

/* Whether the last element of a weight that has elements ends within its storage. */
static bool lies_in_storage(const htp_weight *weight, uint64_t element)
{
    if (!weight->data || weight->storage_offset < 0) {
        return false;
    }
    uint64_t last = (uint64_t)weight->storage_offset;
    for (uint32_t i = 0; i < weight->rank; i++) {
        uint64_t reach;
        if (weight->strides[i] < 0 ||
            !htp_checked_mul((uint64_t)weight->dims[i] - 1, (uint64_t)weight->strides[i], &reach) ||
            !htp_checked_add(last, reach, &last)) {
            return false;
        }
    }
    return last < weight->storage_bytes / element;
}

htp_status htp_payload_check(const htp_draft *model, const htp_initializer *initializer,
                             uint64_t *bytes)
{
    const htp_tensor *tensor = &model->tensors.items[initializer->tensor];
    if (htp_onnx_data_type(tensor->dtype) == 0 || htp_dtype_is_complex(tensor->dtype)) {
        return htp_status_make(HTP_CODE_UNSUPPORTED,
                               "weight '%s' has dtype %s, which cannot be exported: convert it "
                               "before the model is saved",
                               tensor->name, htp_dtype_name(tensor->dtype));
    }
    *bytes = initializer->bytes;
    if (initializer->weight == HTP_NONE) {
        return HTP_OK;
    }
    const htp_weight *weight = &model->graph->trace->weights[initializer->weight];
    uint64_t element = htp_dtype_size(weight->dtype);
    if (weight->rank > HTP_SHIM_MAX_RANK || !count_bytes(weight, element, bytes) ||
        (*bytes > 0 && !lies_in_storage(weight, element))) {
        return htp_status_make(HTP_CODE_BAD_INPUT,
                               "weight '%s' reaches beyond its storage of %llu bytes: the archive "
                               "is damaged, save the model again",
                               tensor->name, (unsigned long long)weight->storage_bytes);
    }
    return HTP_OK;
}

/* Splits a weight into runs: dims of size 1 are left out, neighbours that can be walked as one are
 * merged, and an innermost dim without gaps becomes the run. */
static void split_into_runs(htp_payload *payload, const htp_weight *weight)
{
    uint64_t element = htp_dtype_size(weight->dtype);
    uint32_t rank = 0;
    payload->runs_left = 1;
    for (uint32_t i = 0; i < weight->rank; i++) {
        uint64_t size = (uint64_t)weight->dims[i];
        uint64_t step = (uint64_t)weight->strides[i] * element;
        payload->runs_left *= size;
        if (size == 1) {
            continue;
        }
        if (rank > 0 && payload->steps[rank - 1] == step * size) {
            payload->sizes[rank - 1] *= size;
            payload->steps[rank - 1] = step;
        } else {
            payload->sizes[rank] = size;
            payload->steps[rank] = step;
            rank++;
        }
    }
    payload->run_bytes = element;
    if (rank > 0 && payload->steps[rank - 1] == element) {
        uint64_t size = payload->sizes[--rank];
        payload->run_bytes *= size;
        payload->runs_left /= size;
    }
    payload->rank = rank;
}

void htp_payload_begin(htp_payload *payload, const htp_draft *model,
                       const htp_initializer *initializer)
{
    memset(payload, 0, offsetof(htp_payload, gathered));
    if (initializer->weight == HTP_NONE) {
        payload->run_bytes = initializer->bytes;
        payload->runs_left = initializer->bytes > 0;
        payload->first = initializer->data;
        return;
    }
    const htp_weight *weight = &model->graph->trace->weights[initializer->weight];
    for (uint32_t i = 0; i < weight->rank; i++) {
        if (weight->dims[i] == 0) {
            return;
        }
    }
    payload->is_mapped = weight->is_mapped;
    payload->first = (const unsigned char *)weight->data +
                     (uint64_t)weight->storage_offset * htp_dtype_size(weight->dtype);
    split_into_runs(payload, weight);
}

/* Goes on by @p count runs along the innermost dim, which has that many left. */
static void advance(htp_payload *payload, uint64_t count)
{
    payload->runs_left -= count;
    for (uint32_t i = payload->rank; i-- > 0; count = 1) {
        payload->offset += payload->steps[i] * count;
        payload->index[i] += count;
        if (payload->index[i] < payload->sizes[i]) {
            return;
        }
        payload->offset -= payload->steps[i] * payload->sizes[i];
        payload->index[i] = 0;
    }
}

/* Expanded where the size is a constant, so that each copy is one load and one store. */
static inline void copy_runs_of(size_t size, unsigned char *to, const unsigned char *from,
                                uint64_t step, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        memcpy(to + i * size, from + i * step, size);
    }
}

static void copy_runs(size_t size, unsigned char *to, const unsigned char *from, uint64_t step,
                      uint64_t count)
{
    switch (size) {
    case 1:
        copy_runs_of(1, to, from, step, count);
        break;
    case 2:
        copy_runs_of(2, to, from, step, count);
        break;
    case 4:
        copy_runs_of(4, to, from, step, count);
        break;
    case 8:
        copy_runs_of(8, to, from, step, count);
        break;
    default:
        copy_runs_of(size, to, from, step, count);
        break;
    }
}

uint64_t htp_payload_next(htp_payload *payload, const unsigned char **bytes)
{
    size_t run = (size_t)payload->run_bytes;
    uint32_t rank = payload->rank;
    if (rank == 0 || run > SMALLEST_LONG_RUN) {
        uint64_t left = payload->runs_left;
        *bytes = payload->first + payload->offset;
        if (left > 0) {
            advance(payload, 1);
        }
        return left > 0 ? run : 0;
    }
    size_t used = 0;
    while (payload->runs_left > 0 && sizeof(payload->gathered) - used >= run) {
        uint64_t fit = (sizeof(payload->gathered) - used) / run;
        uint64_t left = payload->sizes[rank - 1] - payload->index[rank - 1];
        uint64_t count = left < fit ? left : fit;
        copy_runs(run, payload->gathered + used, payload->first + payload->offset,
                  payload->steps[rank - 1], count);
        used += (size_t)count * run;
        advance(payload, count);
    }
    *bytes = payload->gathered;
    return used;
}
