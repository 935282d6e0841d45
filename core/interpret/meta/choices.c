/* Sizes of look-ups of elements and rows, and of diagonals. */
#include "interpret/meta/kernels.h"
#include "interpret/meta/outputs.h"

#include <inttypes.h>

/* ---- elements ---- */

bool htp_meta_take(htp_meta_call *call)
{
    const htp_runner_tensor *self = htp_meta_tensor(call, 0);
    const htp_runner_tensor *index = htp_meta_tensor(call, 1);
    htp_meta_sizes sizes;
    if (index->type != HTP_SCALAR_LONG) {
        return htp_meta_refuse(call, "take(): Expected a long tensor for index, but got %s",
                               htp_scalar_type_name(index->type));
    }
    if (self->elements == 0 && index->elements != 0) {
        return htp_meta_refuse(call, "take(): tried to take from an empty tensor");
    }
    return htp_meta_sizes_of(call, index, &sizes) && htp_meta_give(call, self->type, &sizes);
}

/* The requested number of positions, with a coordinate per dim; column-major. */
bool htp_meta_nonzero_static(htp_meta_call *call)
{
    const htp_runner_tensor *self = htp_meta_tensor(call, 0);
    int64_t count = htp_meta_int(call, 1);
    if (count < 0) {
        return htp_meta_refuse(call, "nonzero_static: 'size' must be an non-negative integer");
    }
    const htp_meta_sizes sizes = {.dims = {count, self->rank}, .rank = 2};
    return htp_meta_give(call, HTP_SCALAR_LONG, &sizes);
}

/* The sum of all repeats, which depends on data unless it is given. */
bool htp_meta_repeat_interleave(htp_meta_call *call)
{
    const htp_runner_tensor *repeats = htp_meta_tensor(call, 0);
    if (repeats->rank != 1) {
        return htp_meta_refuse(call, "repeat_interleave only accept 1D vector as repeat");
    }
    if (repeats->type != HTP_SCALAR_LONG && repeats->type != HTP_SCALAR_INT) {
        return htp_meta_refuse(call, "repeats has to be Long or Int tensor");
    }
    if (!htp_meta_has(call, 1) && repeats->elements != 0) {
        return htp_meta_refuse(call, "its output's size depends on the data");
    }
    const htp_meta_sizes sizes = {.dims = {htp_meta_int_or(call, 1, 0)}, .rank = 1};
    return htp_meta_give(call, repeats->type, &sizes);
}

/* A vector becomes a matrix, and a matrix becomes a vector. */
bool htp_meta_diagonal(htp_meta_call *call)
{
    const htp_runner_tensor *self = htp_meta_tensor(call, 0);
    int64_t diagonal = htp_meta_int(call, 1);
    int64_t above = diagonal > 0 ? diagonal : 0;
    int64_t below = diagonal < 0 ? htp_meta_minus(0, diagonal) : 0;
    if (self->rank == 1) {
        int64_t size = htp_meta_plus(self->dims[0], above + below);
        const htp_meta_sizes square = {.dims = {size, size}, .rank = 2};
        return htp_meta_give(call, self->type, &square);
    }
    if (self->rank != 2) {
        return htp_meta_refuse(call, "matrix or a vector expected");
    }
    int64_t rows = htp_meta_minus(self->dims[0], below);
    int64_t columns = htp_meta_minus(self->dims[1], above);
    int64_t size = rows < columns ? rows : columns;
    if (size < 0) {
        return htp_meta_refuse(call, "diag: there is no diagonal %" PRId64, diagonal);
    }
    const htp_meta_sizes vector = {.dims = {size}, .rank = 1};
    return htp_meta_give(call, self->type, &vector);
}

/* ---- bags of rows ---- */

/* The operands of aten::_embedding_bag. */
enum { WEIGHT, INDICES, OFFSETS, BY_FREQUENCY, MODE, SPARSE, WEIGHTS, WITH_LAST, PADDING };

enum { SUM, MEAN, MAX };

static bool check_bags(htp_meta_call *call)
{
    const htp_runner_tensor *weight = htp_meta_tensor(call, WEIGHT);
    const htp_runner_tensor *indices = htp_meta_tensor(call, INDICES);
    const htp_runner_tensor *offsets = htp_meta_tensor(call, OFFSETS);
    const htp_runner_tensor *weights = htp_meta_optional(call, WEIGHTS);
    bool is_summed = weight->type == HTP_SCALAR_FLOAT || weight->type == HTP_SCALAR_DOUBLE ||
                     weight->type == HTP_SCALAR_HALF || weight->type == HTP_SCALAR_BFLOAT16;
    bool are_whole = (indices->type == HTP_SCALAR_LONG || indices->type == HTP_SCALAR_INT) &&
                     (offsets->type == HTP_SCALAR_LONG || offsets->type == HTP_SCALAR_INT);
    if (weight->rank != 2 || indices->rank != 1 || offsets->rank != 1 || !are_whole) {
        return htp_meta_refuse(call, "embedding_bag: expected a weight of 2 dims, and indices and "
                                     "offsets of 1 dim, which are int32 or int64");
    }
    if (!is_summed) {
        return htp_meta_refuse(call, "embedding_bag: a weight of %s is not supported",
                               htp_scalar_type_name(weight->type));
    }
    if (htp_meta_bool(call, WITH_LAST) && offsets->dims[0] < 1) {
        return htp_meta_refuse(call, "include_last_offset: number of offset should be at least 1");
    }
    bool fits = !weights || (htp_meta_int(call, MODE) == SUM && weights->type == weight->type &&
                             weights->rank == 1 && weights->elements == indices->elements);
    return fits || htp_meta_refuse(call, "embedding_bag: expected per_sample_weights of mode 'sum' "
                                         "with the weight's type and the indices' size");
}

/* Whether a call is summed by the kernel for dense rows, which needs no bag per row. */
static bool is_summed_directly(const htp_meta_call *call)
{
    const htp_runner_tensor *weight = htp_meta_tensor(call, WEIGHT);
    const htp_runner_tensor *weights = htp_meta_optional(call, WEIGHTS);
    bool has_kernel = weight->type == HTP_SCALAR_FLOAT || weight->type == HTP_SCALAR_HALF ||
                      weight->type == HTP_SCALAR_BFLOAT16;
    return has_kernel && htp_meta_int(call, MODE) == SUM && weight->strides[1] == 1 &&
           htp_meta_int(call, PADDING) < 0 && (!weights || weights->strides[0] == 1);
}

/* Parameter: whether sizes of summed bags are returned, for gradients; else there is a number per
 * offset. */
bool htp_meta_embedding_bag(htp_meta_call *call)
{
    const htp_runner_tensor *weight = htp_meta_tensor(call, WEIGHT);
    const htp_runner_tensor *indices = htp_meta_tensor(call, INDICES);
    const htp_runner_tensor *offsets = htp_meta_tensor(call, OFFSETS);
    if (!check_bags(call)) {
        return false;
    }
    bool is_long = indices->type == HTP_SCALAR_LONG || offsets->type == HTP_SCALAR_LONG;
    int32_t type = is_long ? HTP_SCALAR_LONG : HTP_SCALAR_INT;
    int64_t bags = offsets->dims[0] - (htp_meta_bool(call, WITH_LAST) ? 1 : 0);
    const htp_meta_sizes rows = {.dims = {bags, weight->dims[1]}, .rank = 2};
    const htp_meta_sizes found = {.dims = {is_summed_directly(call) ? 0 : indices->dims[0]},
                                  .rank = 1};
    bool counts = call->parameter != 0 || htp_meta_int(call, MODE) != SUM;
    const htp_meta_sizes each = {.dims = {counts ? bags : offsets->dims[0]}, .rank = 1};
    return htp_meta_give(call, weight->type, &rows) && htp_meta_give(call, type, &found) &&
           htp_meta_give(call, type, &each) &&
           htp_meta_give(call, type, htp_meta_int(call, MODE) == MAX ? &rows : &each);
}

/* One number of repeats for all elements of a dim, or of the flattened tensor. */
bool htp_meta_repeat_all(htp_meta_call *call)
{
    const htp_runner_tensor *self = htp_meta_tensor(call, 0);
    int64_t repeats = htp_meta_int(call, 1);
    int64_t dim = htp_meta_int_or(call, 2, 0);
    htp_meta_sizes sizes = {.dims = {self->elements}, .rank = 1};
    if (repeats < 0) {
        return htp_meta_refuse(call, "Repeats must be non-negative");
    }
    if (htp_meta_has(call, 2) &&
        (!htp_meta_find_dim(call, self, dim, &sizes.dims[0]) ||
         !htp_meta_wrap(call, self->rank, &dim) || !htp_meta_sizes_of(call, self, &sizes))) {
        return false;
    }
    sizes.dims[dim] = htp_meta_times(sizes.dims[dim], repeats);
    return htp_meta_give(call, self->type, &sizes);
}
