/*
 * Sizes of Fourier transforms.
 *
 * Their layout depends on the build of libtorch: results of pocketfft are contiguous; those of MKL
 * have the transformed dims innermost, and batch dims in the order of the input's strides
 * (libtorch's SpectralOps.cpp).
 */
#include "interpret/meta/kernels.h"
#include "interpret/meta/outputs.h"
#include "interpret/meta/types.h"

#include <inttypes.h>
#include <string.h>

enum { SELF, DIMS };

/* A transform, or a step of one. */
typedef struct transform {
    uint32_t rank;
    int64_t sizes[HTP_MAX_RANK];
    int64_t strides[HTP_MAX_RANK];
    uint32_t dims[HTP_MAX_RANK]; /* transformed dims */
    uint32_t count;              /* of these */
} transform;

static bool read_dims(htp_meta_call *call, transform *of)
{
    const htp_runner_tensor *self = htp_meta_tensor(call, SELF);
    bool is_taken[HTP_MAX_RANK] = {false};
    of->rank = self->rank;
    of->count = htp_meta_length(call, DIMS);
    memcpy(of->sizes, self->dims, self->rank * sizeof(*of->sizes));
    memcpy(of->strides, self->strides, self->rank * sizeof(*of->strides));
    if (call->has_mkl && self->elements == 0 && of->count > 0) {
        return htp_meta_refuse(call, "MKL FFT error: there are no elements");
    }
    for (uint32_t i = 0; i < of->count && i < HTP_MAX_RANK; i++) {
        int64_t dim = htp_meta_item(call, DIMS, i);
        if (dim < 0 || dim >= (int64_t)self->rank || is_taken[dim]) {
            return htp_meta_refuse(call, "FFT dims must be unique, and dims of the tensor");
        }
        is_taken[dim] = true;
        of->dims[i] = (uint32_t)dim;
    }
    return true;
}

/* Sorts dims by descending stride; stable. */
static void sort_by_strides(const transform *of, uint32_t *dims, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        uint32_t moved = dims[i];
        uint32_t at = i;
        for (; at > 0 && of->strides[dims[at - 1]] < of->strides[moved]; at--) {
            dims[at] = dims[at - 1];
        }
        dims[at] = moved;
    }
}

static bool is_transformed(const transform *of, uint32_t dim)
{
    bool is = false;
    for (uint32_t i = 0; i < of->count; i++) {
        is = is || of->dims[i] == dim;
    }
    return is;
}

/* Batch dims, then transformed dims. Batch dims with equal strides keep the order of
 * std::partition(). */
static uint32_t order_dims(const transform *of, uint32_t *order)
{
    uint32_t first = 0;
    uint32_t last = of->rank;
    for (uint32_t dim = 0; dim < of->rank; dim++) {
        order[dim] = dim;
    }
    while (first < last) {
        if (!is_transformed(of, order[first])) {
            first++;
        } else if (is_transformed(of, order[--last])) {
            continue;
        } else if (first < last) {
            uint32_t moved = order[first];
            order[first++] = order[last];
            order[last] = moved;
        }
    }
    sort_by_strides(of, order, first);
    memcpy(&order[first], of->dims, of->count * sizeof(*order));
    return first;
}

/* Strides of an output with these sizes; transformed dims are in order. */
static void lay_out(transform *of, const int64_t *sizes)
{
    uint32_t order[HTP_MAX_RANK];
    uint32_t batch = order_dims(of, order);
    int64_t step = 1;
    for (uint32_t i = of->rank; i-- > 0;) {
        int64_t size = sizes[order[i]];
        of->sizes[order[i]] = size;
        of->strides[order[i]] = step;
        step = htp_meta_times(step, i < batch || size > 1 ? size : 1);
    }
}

static bool give(htp_meta_call *call, int32_t type, const transform *of)
{
    htp_meta_sizes sizes = {.rank = of->rank};
    memcpy(sizes.dims, of->sizes, of->rank * sizeof(*sizes.dims));
    return call->has_mkl ? htp_meta_give_strided(call, type, &sizes, of->strides)
                         : htp_meta_give(call, type, &sizes);
}

static bool refuse_type(htp_meta_call *call, const char *wanted)
{
    return htp_meta_refuse(call, "FFT expects a tensor of %s numbers, got %s", wanted,
                           htp_scalar_type_name(htp_meta_tensor(call, SELF)->type));
}

/* Reads the dims of a tensor, and checks its dtype. */
static bool begin(htp_meta_call *call, bool is_wanted, const char *wanted, transform *of)
{
    return is_wanted ? read_dims(call, of) : refuse_type(call, wanted);
}

static bool is_real(int32_t type)
{
    return type == HTP_SCALAR_FLOAT || type == HTP_SCALAR_DOUBLE;
}

static bool is_complex(int32_t type)
{
    return type == HTP_SCALAR_COMPLEX_FLOAT || type == HTP_SCALAR_COMPLEX_DOUBLE;
}

bool htp_meta_fft_r2c(htp_meta_call *call)
{
    enum { ONE_SIDED = 3 };
    const htp_runner_tensor *self = htp_meta_tensor(call, SELF);
    int64_t sizes[HTP_MAX_RANK];
    transform of = {.rank = 0};
    if (!begin(call, is_real(self->type), "real", &of)) {
        return false;
    }
    if (of.count == 0) {
        return htp_meta_refuse(call, "FFT of real numbers needs a dim");
    }
    memcpy(sizes, of.sizes, sizeof(sizes));
    if (htp_meta_bool(call, ONE_SIDED)) {
        uint32_t last = of.dims[of.count - 1];
        sizes[last] = sizes[last] / 2 + 1;
    }
    sort_by_strides(&of, of.dims, of.count - 1);
    lay_out(&of, sizes);
    return give(call, htp_scalar_type_complex(self->type), &of);
}

bool htp_meta_fft_c2c(htp_meta_call *call)
{
    const htp_runner_tensor *self = htp_meta_tensor(call, SELF);
    transform of = {.rank = 0};
    if (!begin(call, is_complex(self->type), "complex", &of)) {
        return false;
    }
    if (of.count == 0) {
        return call->has_mkl ? htp_meta_give_like(call, self) : htp_meta_give_plain(call, self);
    }
    sort_by_strides(&of, of.dims, of.count);
    int64_t sizes[HTP_MAX_RANK];
    memcpy(sizes, of.sizes, sizeof(sizes));
    lay_out(&of, sizes);
    return give(call, self->type, &of);
}

/* The number of complex bins for @p size real numbers: half of them, plus one. For other numbers
 * MKL raises, or returns uninitialised memory. */
static bool check_bins(htp_meta_call *call, int64_t bins, int64_t size)
{
    if (size < 1) {
        return htp_meta_refuse(call, "Invalid number of data points (%" PRId64 ") specified", size);
    }
    return !call->has_mkl || bins == size / 2 + 1 ||
           htp_meta_refuse(call,
                           "FFT to %" PRId64 " real numbers expects %" PRId64 ", got %" PRId64,
                           size, size / 2 + 1, bins);
}

/* All dims except the last have a complex transform first. */
bool htp_meta_fft_c2r(htp_meta_call *call)
{
    enum { LAST_SIZE = 3 };
    const htp_runner_tensor *self = htp_meta_tensor(call, SELF);
    int64_t sizes[HTP_MAX_RANK];
    transform of = {.rank = 0};
    if (!begin(call, is_complex(self->type), "complex", &of)) {
        return false;
    }
    if (of.count == 0) {
        return htp_meta_refuse(call, "FFT to real numbers needs a dim");
    }
    uint32_t last = of.dims[of.count - 1];
    memcpy(sizes, of.sizes, sizeof(sizes));
    if (of.count > 1) {
        of.count--;
        sort_by_strides(&of, of.dims, of.count);
        lay_out(&of, sizes);
    }
    of.count = 1;
    of.dims[0] = last;
    int64_t bins = sizes[last];
    sizes[last] = htp_meta_int(call, LAST_SIZE);
    lay_out(&of, sizes);
    return check_bins(call, bins, sizes[last]) && give(call, htp_scalar_type_real(self->type), &of);
}
