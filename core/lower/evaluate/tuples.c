/*
 * Operators that find slices of a tensor by tuples of indices.
 *
 * Reference: ONNX GatherND, ScatterND.
 */
#include "lower/evaluate/kernel.h"

#include <string.h>

/* Tuples of indices into the first axes of a tensor, behind the batch axes that both share. */
typedef struct tuples {
    const htp_known *x;
    const htp_known *indices;
    uint32_t batch;                /* axes that both share */
    uint32_t length;               /* of a tuple */
    uint64_t count;                /* of tuples */
    uint64_t each;                 /* tuples of a batch */
    int64_t strides[HTP_MAX_RANK]; /* of the tensor, in elements */
    uint64_t bytes;                /* of a slice */
} tuples;

static uint64_t product(const int64_t *dims, uint32_t from, uint32_t to)
{
    uint64_t count = 1;
    for (uint32_t i = from; i < to; i++) {
        count *= (uint64_t)dims[i];
    }
    return count;
}

/* @return false where indices and tensor do not fit, or one is empty */
static bool find_tuples(const htp_kernel *kernel, tuples *t)
{
    const htp_known *x = htp_kernel_input(kernel, 0);
    const htp_known *indices = htp_kernel_input(kernel, 1);
    int64_t batch = htp_kernel_int(kernel, "batch_dims", 0);
    if (!x || !indices || x->bytes == 0 || indices->bytes == 0 || indices->rank == 0 || batch < 0 ||
        batch >= (int64_t)indices->rank || batch > (int64_t)x->rank) {
        return false;
    }
    int64_t length = indices->dims[indices->rank - 1];
    if (length > (int64_t)x->rank - batch) {
        return false;
    }
    *t = (tuples){.x = x,
                  .indices = indices,
                  .batch = (uint32_t)batch,
                  .length = (uint32_t)length,
                  .count = product(indices->dims, 0, indices->rank - 1),
                  .each = product(indices->dims, (uint32_t)batch, indices->rank - 1)};
    for (uint32_t i = 0; i < t->batch; i++) {
        if (x->dims[i] != indices->dims[i]) {
            return false;
        }
    }
    htp_strides_contiguous(x->rank, x->dims, t->strides);
    t->bytes = product(x->dims, t->batch + t->length, x->rank) * htp_dtype_size(x->dtype);
    return true;
}

/* The byte at which the slice of a tuple begins. @return false if it is out of range */
static bool find_slice(const tuples *t, uint64_t number, uint64_t *place)
{
    uint64_t batch_size = product(t->x->dims, t->batch, t->x->rank);
    uint64_t element = number / t->each * batch_size;
    for (uint32_t k = 0; k < t->length; k++) {
        int64_t index;
        if (!htp_numbers_index(t->indices, number * t->length + k, t->x->dims[t->batch + k],
                               &index)) {
            return false;
        }
        element += (uint64_t)index * (uint64_t)t->strides[t->batch + k];
    }
    *place = element * htp_dtype_size(t->x->dtype);
    return true;
}

/* The dims of the slices together: of the indices without the last, then of a slice.
 * @return false where there are too many */
static bool slice_dims(const tuples *t, uint32_t *rank, int64_t *dims)
{
    uint32_t outer = t->indices->rank - 1;
    uint32_t first = t->batch + t->length;
    *rank = outer + t->x->rank - first;
    if (*rank > HTP_MAX_RANK) {
        return false;
    }
    memcpy(dims, t->indices->dims, outer * sizeof(*dims));
    memcpy(dims + outer, t->x->dims + first, (t->x->rank - first) * sizeof(*dims));
    return true;
}

bool htp_kernel_gather_slices(htp_kernel *kernel)
{
    tuples t;
    int64_t dims[HTP_MAX_RANK] = {0};
    uint32_t rank;
    void *data;
    if (!find_tuples(kernel, &t) || !slice_dims(&t, &rank, dims) ||
        !htp_kernel_work(kernel, t.count * t.length) ||
        !htp_kernel_output(kernel, 0, t.x->dtype, rank, dims, &data)) {
        return false;
    }
    for (uint64_t n = 0; n < t.count; n++) {
        uint64_t place;
        if (!find_slice(&t, n, &place)) {
            return false;
        }
        memcpy((char *)data + n * t.bytes, (const char *)t.x->data + place, (size_t)t.bytes);
    }
    return true;
}

/* Where a slice is written twice, the later one stays, as in every runtime that goes one by one. */
bool htp_kernel_scatter_slices(htp_kernel *kernel)
{
    tuples t;
    const htp_known *updates = htp_kernel_input(kernel, 2);
    const htp_attribute *reduction = htp_builder_attribute(kernel->node, "reduction");
    int64_t dims[HTP_MAX_RANK] = {0};
    uint32_t rank;
    void *data;
    bool adds =
        reduction && (reduction->kind != HTP_ATTRIBUTE_STRING || strcmp(reduction->s, "none") != 0);
    if (!updates || adds || !find_tuples(kernel, &t) || !slice_dims(&t, &rank, dims) ||
        updates->dtype != t.x->dtype || updates->rank != rank ||
        memcmp(updates->dims, dims, rank * sizeof(*dims)) != 0 ||
        !htp_kernel_work(kernel, t.count * t.length) ||
        !htp_kernel_output(kernel, 0, t.x->dtype, t.x->rank, t.x->dims, &data)) {
        return false;
    }
    memcpy(data, t.x->data, (size_t)t.x->bytes);
    for (uint64_t n = 0; n < t.count; n++) {
        uint64_t place;
        if (!find_slice(&t, n, &place)) {
            return false;
        }
        memcpy((char *)data + place, (const char *)updates->data + n * t.bytes, (size_t)t.bytes);
    }
    return true;
}
