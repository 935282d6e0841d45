/* Sizes of operators that move, select or change single elements. */
#include "interpret/meta/kernels.h"
#include "interpret/meta/outputs.h"
#include "interpret/meta/types.h"

#include <inttypes.h>

bool htp_meta_like_first(htp_meta_call *call)
{
    return htp_meta_give_like(call, htp_meta_tensor(call, 0));
}

bool htp_meta_flip(htp_meta_call *call)
{
    const htp_runner_tensor *self = htp_meta_tensor(call, 0);
    bool is_flipped[HTP_MAX_RANK] = {false};
    for (uint32_t i = 0; i < htp_meta_length(call, 1); i++) {
        int64_t dim = htp_meta_item(call, 1, i);
        if (!htp_meta_wrap(call, self->rank, &dim)) {
            return false;
        }
        if (is_flipped[dim]) {
            return htp_meta_refuse(
                call, "dim %" PRId64 " appears multiple times in the list of dims", dim);
        }
        is_flipped[dim] = true;
    }
    return htp_meta_give_like(call, self);
}

bool htp_meta_index_select(htp_meta_call *call)
{
    const htp_runner_tensor *self = htp_meta_tensor(call, 0);
    const htp_runner_tensor *index = htp_meta_tensor(call, 2);
    int64_t dim = htp_meta_int(call, 1);
    htp_meta_sizes sizes;
    if (index->rank > 1) {
        return htp_meta_refuse(call, "index_select(): index is supposed to be a vector");
    }
    if (index->type != HTP_SCALAR_LONG && index->type != HTP_SCALAR_INT) {
        return htp_meta_refuse(call, "index_select(): Expected dtype int32 or int64 for index");
    }
    if (!htp_meta_sizes_of(call, self, &sizes) || !htp_meta_wrap(call, self->rank, &dim)) {
        return false;
    }
    if (call->major >= 2 && self->rank == 0 && index->elements != 1) {
        return htp_meta_refuse(
            call, "index_select(): Index to scalar can have only 1 value, got %" PRId64 " value(s)",
            index->elements);
    }
    if (self->rank > 0) {
        if (sizes.dims[dim] == 0 && index->elements > 0) {
            return htp_meta_refuse(call,
                                   "index_select(): self indexing axis dim should be positive");
        }
        sizes.dims[dim] = index->elements;
    }
    return htp_meta_give(call, self->type, &sizes);
}

/* Whether source has self's sizes except along @p dim. PyTorch 1 does not check that. */
static bool have_same_rows(htp_meta_call *call, const htp_runner_tensor *self,
                           const htp_runner_tensor *source, int64_t dim)
{
    bool is_same = self->rank == source->rank;
    for (uint32_t i = 0; is_same && i < self->rank; i++) {
        is_same = i == dim || self->dims[i] == source->dims[i];
    }
    htp_meta_text own;
    htp_meta_text other;
    return is_same || call->major < 2 ||
           htp_meta_refuse(call,
                           "source tensor shape must match self tensor shape, excluding the "
                           "specified dimension. Got self.shape = %s source.shape = %s",
                           htp_meta_sizes_text(&own, self), htp_meta_sizes_text(&other, source));
}

bool htp_meta_index_written(htp_meta_call *call)
{
    const htp_runner_tensor *self = htp_meta_tensor(call, 0);
    const htp_runner_tensor *index = htp_meta_tensor(call, 2);
    const htp_runner_tensor *source = htp_meta_tensor(call, 3);
    int64_t dim = htp_meta_int(call, 1);
    if (!htp_meta_wrap(call, self->rank, &dim)) {
        return false;
    }
    if (index->rank > 1) {
        return htp_meta_refuse(call, "Index is supposed to be a vector, but got dim: %" PRIu32,
                               index->rank);
    }
    if (index->type != HTP_SCALAR_LONG && index->type != HTP_SCALAR_INT) {
        return htp_meta_refuse(call, "Expected dtype int32/int64 for index");
    }
    if (self->type != source->type) {
        return htp_meta_refuse(call, "self (%s) and source (%s) must have the same scalar type",
                               htp_scalar_type_name(self->type),
                               htp_scalar_type_name(source->type));
    }
    if (dim > 0 && dim >= (int64_t)source->rank) {
        return htp_meta_refuse(call,
                               "Indexing dim %" PRId64
                               " is out of bounds of the source tensor with dim %" PRIu32,
                               dim, source->rank);
    }
    int64_t rows = source->rank == 0 ? 1 : source->dims[dim];
    if (index->elements != rows) {
        return htp_meta_refuse(call,
                               "Number of indices (%" PRId64
                               ") should be equal to source.size(dim): (%" PRId64 ")",
                               index->elements, rows);
    }
    return have_same_rows(call, self, source, dim) && htp_meta_give_plain(call, self);
}

/* narrow(): the sizes do not depend on the start, so a view from the beginning represents all. */
bool htp_meta_narrow(htp_meta_call *call)
{
    const htp_runner_tensor *self = htp_meta_tensor(call, 0);
    int64_t dim = htp_meta_int(call, 1);
    int64_t length = htp_meta_int(call, 3);
    if (htp_meta_tensor(call, 2)->rank != 0) {
        return htp_meta_refuse(call, "start must be an 0-dim integral Tensor.");
    }
    if (self->rank == 0) {
        return htp_meta_refuse(call, "narrow() cannot be applied to a 0-dim tensor.");
    }
    if (length < 0) {
        return htp_meta_refuse(call, "narrow(): length must be non-negative.");
    }
    htp_meta_sizes sizes;
    if (!htp_meta_wrap(call, self->rank, &dim) || !htp_meta_sizes_of(call, self, &sizes)) {
        return false;
    }
    if (length > sizes.dims[dim]) {
        return htp_meta_refuse(
            call, "start (0) + length (%" PRId64 ") exceeds dimension size (%" PRId64 ").", length,
            sizes.dims[dim]);
    }
    sizes.dims[dim] = length;
    return htp_meta_give_view(call, self, &sizes);
}

/* Whether a number is among others. */
bool htp_meta_one_truth(htp_meta_call *call)
{
    const htp_meta_sizes none = {.rank = 0};
    int32_t type = htp_meta_tensor(call, 1)->type;
    if (type == HTP_SCALAR_BOOL || htp_scalar_type_is_complex(type)) {
        return htp_meta_refuse(call, "Unsupported input type encountered for isin(): %s",
                               htp_scalar_type_name(type));
    }
    return htp_meta_give(call, HTP_SCALAR_BOOL, &none);
}
