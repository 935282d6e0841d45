#include "onnx/serialize/payload.h"

#include "base/checked.h"
#include "base/dtype.h"
#include "base/input_file.h"

#include <stddef.h>
#include <string.h>

/* A whole weight as a box. */
static htp_box box_of(const htp_builder *model, uint32_t weight)
{
    const htp_weight *of = &model->graph->trace->weights[weight];
    return (htp_box){.weight = weight, .rank = of->rank, .dims = of->dims, .strides = of->strides};
}

/* ---- checks ---- */

/* Counts the bytes of all elements. @return false if dims are negative, or the count overflows. */
static bool count_bytes(const htp_box *box, uint64_t element, uint64_t *bytes)
{
    bool fits = true;
    bool is_empty = false;
    *bytes = element;
    for (uint32_t i = 0; i < box->rank; i++) {
        if (box->dims[i] < 0) {
            return false;
        }
        is_empty = is_empty || box->dims[i] == 0;
        fits = fits && htp_checked_mul(*bytes, (uint64_t)box->dims[i], bytes);
    }
    if (is_empty) {
        *bytes = 0;
    }
    return fits || is_empty;
}

/* Whether a non-empty box ends within its weight's storage. */
static bool lies_in_storage(const htp_weight *weight, const htp_box *box, uint64_t element)
{
    uint64_t last;
    if (!weight->data || weight->storage_offset < 0 || box->offset < 0 ||
        !htp_checked_mul((uint64_t)weight->storage_offset, htp_dtype_size(weight->dtype), &last) ||
        last / element > UINT64_MAX - (uint64_t)box->offset) {
        return false;
    }
    last = last / element + (uint64_t)box->offset;
    for (uint32_t i = 0; i < box->rank; i++) {
        uint64_t reach;
        if (box->strides[i] < 0 ||
            !htp_checked_mul((uint64_t)box->dims[i] - 1, (uint64_t)box->strides[i], &reach) ||
            !htp_checked_add(last, reach, &last)) {
            return false;
        }
    }
    return last < weight->storage_bytes / element;
}

static htp_status check_box(const htp_builder *model, const htp_tensor *tensor, const htp_box *box,
                            uint64_t element, uint64_t *bytes)
{
    const htp_weight *weight = &model->graph->trace->weights[box->weight];
    if (box->rank > HTP_MAX_RANK || !count_bytes(box, element, bytes) ||
        (*bytes > 0 && !lies_in_storage(weight, box, element))) {
        return htp_status_make(HTP_CODE_BAD_INPUT,
                               "weight '%s' reaches beyond its storage of %llu bytes: the archive "
                               "is damaged, save the model again",
                               tensor->name, (unsigned long long)weight->storage_bytes);
    }
    return HTP_OK;
}

static htp_status check_boxes(const htp_builder *model, const htp_tensor *tensor,
                              const htp_derivation *derivation, uint64_t *bytes)
{
    uint64_t element = htp_dtype_size(derivation->dtype);
    *bytes = 0;
    for (uint32_t i = 0; i < derivation->box_count; i++) {
        uint64_t more = 0;
        HTP_TRY(check_box(model, tensor, &derivation->boxes[i], element, &more));
        if (!htp_checked_add(*bytes, more, bytes)) {
            return htp_status_make(HTP_CODE_BAD_INPUT, "weight '%s' is too large", tensor->name);
        }
    }
    *bytes = *bytes / element * htp_dtype_size(tensor->dtype);
    return HTP_OK;
}

htp_status htp_payload_check(const htp_builder *model, const htp_initializer *initializer,
                             uint64_t *bytes)
{
    const htp_tensor *tensor = &model->tensors.items[initializer->tensor];
    if (htp_onnx_data_type(tensor->dtype) == 0 || htp_dtype_is_complex(tensor->dtype)) {
        return htp_status_make(HTP_CODE_UNSUPPORTED,
                               "weight '%s' has dtype %s, which cannot be exported: convert it "
                               "before the model is saved",
                               tensor->name, htp_dtype_name(tensor->dtype));
    }
    if (initializer->weight != HTP_NONE) {
        const htp_box whole = box_of(model, initializer->weight);
        const htp_weight *weight = &model->graph->trace->weights[initializer->weight];
        return check_box(model, tensor, &whole, htp_dtype_size(weight->dtype), bytes);
    }
    if (initializer->derivation && initializer->derivation->box_count > 0) {
        return check_boxes(model, tensor, initializer->derivation, bytes);
    }
    *bytes = initializer->bytes;
    return HTP_OK;
}

/* ---- reading ---- */

static void begin_box(htp_payload *payload, const htp_box *box, uint64_t element)
{
    const htp_weight *weight = &payload->model->graph->trace->weights[box->weight];
    const unsigned char *first = (const unsigned char *)weight->data +
                                 (uint64_t)weight->storage_offset * htp_dtype_size(weight->dtype) +
                                 (uint64_t)box->offset * element;
    payload->weight = weight;
    payload->reads_mapped = weight->is_mapped;
    htp_strided_begin(&payload->strided, first, element, box->rank, box->dims, box->strides);
}

/* Begins the next non-empty box. @return false at the end */
static bool begin_next(htp_payload *payload)
{
    const htp_derivation *derivation = payload->derivation;
    while (derivation && payload->boxes_begun < derivation->box_count) {
        begin_box(payload, &derivation->boxes[payload->boxes_begun++],
                  htp_dtype_size(derivation->dtype));
        if (payload->strided.runs_left > 0) {
            return true;
        }
    }
    return false;
}

uint64_t htp_payload_block(const htp_builder *model, const htp_initializer *initializer)
{
    uint64_t block = 0;
    htp_strided strided;
    const htp_derivation *derivation = initializer->derivation;
    if (initializer->weight != HTP_NONE) {
        const htp_weight *weight = &model->graph->trace->weights[initializer->weight];
        htp_strided_begin(&strided, NULL, htp_dtype_size(weight->dtype), weight->rank, weight->dims,
                          weight->strides);
        return htp_strided_block(&strided);
    }
    for (uint32_t i = 0; derivation && i < derivation->box_count; i++) {
        const htp_box *box = &derivation->boxes[i];
        htp_strided_begin(&strided, NULL, htp_dtype_size(derivation->dtype), box->rank, box->dims,
                          box->strides);
        uint64_t own = htp_strided_block(&strided);
        block = own > block ? own : block;
    }
    return block;
}

void htp_payload_begin(htp_payload *payload, const htp_builder *model,
                       const htp_initializer *initializer)
{
    memset(payload, 0, offsetof(htp_payload, gathered));
    payload->model = model;
    if (initializer->weight != HTP_NONE) {
        const htp_box whole = box_of(model, initializer->weight);
        const htp_weight *weight = &model->graph->trace->weights[initializer->weight];
        begin_box(payload, &whole, htp_dtype_size(weight->dtype));
    } else if (initializer->derivation && initializer->derivation->box_count > 0) {
        payload->derivation = initializer->derivation;
        payload->converted_size = htp_dtype_size(model->tensors.items[initializer->tensor].dtype);
        (void)begin_next(payload);
    } else {
        payload->strided = (htp_strided){.first = initializer->data,
                                         .run_bytes = initializer->bytes,
                                         .runs_left = initializer->bytes > 0};
    }
}

/* Ends a box; buffers handed out for it are no longer used. */
static void end_box(htp_payload *payload)
{
    if (payload->reads_mapped) {
        htp_input_file_drop(payload->strided.first, payload->strided.reach);
        payload->reads_mapped = false;
    }
}

/* The next bytes in storage order. */
static uint64_t next_raw(htp_payload *payload, const unsigned char **bytes)
{
    htp_strided *strided = &payload->strided;
    uint64_t count = 0;
    if (strided->runs_left == 0) {
        end_box(payload);
        if (!begin_next(payload)) {
            return 0;
        }
    }
    payload->is_mapped = payload->reads_mapped;
    if (htp_strided_next_run(strided, bytes, &count)) {
        return count;
    }
    payload->is_mapped = false;
    *bytes = payload->block;
    count =
        payload->block ? htp_strided_transpose(strided, payload->block, payload->block_bytes) : 0;
    if (count == 0) {
        *bytes = payload->gathered;
        count = htp_strided_gather(strided, payload->gathered, sizeof(payload->gathered));
    }
    return count;
}

static uint64_t next_converted(htp_payload *payload, const unsigned char **bytes)
{
    size_t to_size = payload->converted_size;
    size_t from_size = htp_dtype_size(payload->derivation->dtype);
    if (payload->raw_left == 0) {
        payload->raw_left = next_raw(payload, &payload->raw);
    }
    uint64_t elements = payload->raw_left / from_size;
    uint64_t fit = sizeof(payload->made) / to_size;
    elements = elements < fit ? elements : fit;
    payload->derivation->convert(payload->derivation->with, payload->converted, (size_t)elements,
                                 payload->raw, payload->made);
    payload->converted += elements;
    payload->raw += elements * from_size;
    payload->raw_left -= elements * from_size;
    payload->is_mapped = false;
    *bytes = payload->made;
    return elements * to_size;
}

uint64_t htp_payload_next(htp_payload *payload, const unsigned char **bytes)
{
    if (!payload->derivation || !payload->derivation->convert) {
        return next_raw(payload, bytes);
    }
    return next_converted(payload, bytes);
}

bool htp_payload_copy(htp_payload *payload, const htp_builder *model,
                      const htp_initializer *initializer, void *to, uint64_t bytes)
{
    uint64_t count = 0;
    const unsigned char *read = NULL;
    htp_status status = htp_payload_check(model, initializer, &count);
    bool is_right = !status && count == bytes;
    htp_status_free(status);
    if (is_right) {
        htp_payload_begin(payload, model, initializer);
    }
    for (uint64_t at = 0; is_right && at < bytes; at += count) {
        count = htp_payload_next(payload, &read);
        is_right = count > 0 && count <= bytes - at;
        if (is_right) {
            memcpy((char *)to + at, read, count);
        }
    }
    return is_right;
}

bool htp_payload_lies_in_file(const htp_payload *payload, uint64_t *offset)
{
    const htp_derivation *derivation = payload->derivation;
    const htp_strided *strided = &payload->strided;
    if (!payload->reads_mapped || strided->rank > 0 || strided->runs_left == 0 ||
        (derivation && (derivation->convert || derivation->box_count > 1))) {
        return false;
    }
    *offset = payload->weight->file_offset +
              (uint64_t)(strided->first - (const unsigned char *)payload->weight->data);
    return true;
}
