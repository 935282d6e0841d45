/* Sizes of operators that move elements. */
#include "interpret/meta/kernels.h"
#include "interpret/meta/layout.h"
#include "interpret/meta/outputs.h"

#include <inttypes.h>
#include <string.h>

/* ---- roll: the end and the beginning of a dim, joined ---- */

/* The geometry of a tensor that is rolled along one dim after another. */
typedef struct rolled {
    htp_runner_tensor tensor;
    int64_t dims[HTP_MAX_RANK];
    int64_t strides[HTP_MAX_RANK];
} rolled;

static void begin_rolling(rolled *of, const htp_runner_tensor *self)
{
    memcpy(of->dims, self->dims, self->rank * sizeof(*self->dims));
    memcpy(of->strides, self->strides, self->rank * sizeof(*self->strides));
    of->tensor = *self;
    of->tensor.dims = of->dims;
    of->tensor.strides = of->strides;
}

/* The memory format that a part along @p dim suggests. */
static htp_memory_format part_suggests(rolled *of, int64_t dim, int64_t size)
{
    int64_t whole = of->dims[dim];
    of->dims[dim] = size;
    htp_memory_format format = htp_layout_suggested(&of->tensor);
    of->dims[dim] = whole;
    return format;
}

/* cat() keeps channels last if all parts have it; an empty part does not. */
static bool roll_dim(htp_meta_call *call, rolled *of, int64_t shift, int64_t dim)
{
    if (of->tensor.rank == 0) {
        return htp_meta_refuse(
            call, "Dimension specified as %" PRId64 " but tensor has no dimensions", dim);
    }
    if (!htp_meta_wrap(call, of->tensor.rank, &dim)) {
        return false;
    }
    int64_t size = of->dims[dim];
    int64_t start = (size - shift % size) % size;
    htp_memory_format format = part_suggests(of, dim, size - start);
    if (format == HTP_MEMORY_CONTIGUOUS || part_suggests(of, dim, start) != format) {
        htp_layout_contiguous(of->dims, of->tensor.rank, of->strides);
    } else {
        htp_layout_channels_last(of->dims, of->tensor.rank, of->strides);
    }
    return true;
}

bool htp_meta_roll(htp_meta_call *call)
{
    enum { SELF, SHIFTS, DIMS };
    const htp_runner_tensor *self = htp_meta_tensor(call, SELF);
    uint32_t shifts = htp_meta_length(call, SHIFTS);
    uint32_t dims = htp_meta_length(call, DIMS);
    if (shifts == 0) {
        return htp_meta_refuse(call, "`shifts` required");
    }
    if (dims == 0 && shifts == 1) {
        return htp_meta_give_plain(call, self);
    }
    if (shifts != dims) {
        return htp_meta_refuse(call, "shifts and dimensions must align. shifts: %u, dims:%u",
                               (unsigned)shifts, (unsigned)dims);
    }
    if (self->elements == 0) {
        return htp_meta_give_like(call, self);
    }
    rolled result;
    begin_rolling(&result, self);
    for (uint32_t i = 0; i < dims; i++) {
        if (!roll_dim(call, &result, htp_meta_item(call, SHIFTS, i),
                      htp_meta_item(call, DIMS, i))) {
            return false;
        }
    }
    htp_meta_sizes sizes;
    return htp_meta_sizes_of(call, self, &sizes) &&
           htp_meta_give_strided(call, self->type, &sizes, result.strides);
}

/* ---- channel shuffle ---- */

/* Parameter: whether all versions copy, or only PyTorch 2. */
bool htp_meta_channel_shuffle(htp_meta_call *call)
{
    const htp_runner_tensor *self = htp_meta_tensor(call, 0);
    int64_t groups = htp_meta_int(call, 1);
    htp_meta_text text;
    htp_meta_sizes sizes;
    if (self->rank < 3 || groups <= 0 || self->dims[1] % groups != 0) {
        return htp_meta_refuse(call,
                               "channel_shuffle expects an input of more than 2 dims, and channels "
                               "divisible by groups above 0, got %s and %" PRId64,
                               htp_meta_sizes_text(&text, self), groups);
    }
    if (!htp_meta_sizes_of(call, self, &sizes)) {
        return false;
    }
    return self->elements == 0 && (call->parameter != 0 || call->major >= 2)
               ? htp_meta_give_view(call, self, &sizes)
               : htp_meta_give_formatted(call, self, &sizes);
}

/* ---- triangles ---- */

static bool refuse_triangle(htp_meta_call *call)
{
    return htp_meta_refuse(call, "row and col must be non-negative, and their triangle of a size "
                                 "that a tensor may have");
}

/* The number of elements on or below diagonal @p offset of a matrix: partial rows, then whole ones.
 */
static bool count_below(int64_t rows, int64_t columns, int64_t offset, int64_t *count)
{
    int64_t first = offset >= 0 ? (offset < columns ? offset + 1 : columns) : 0;
    int64_t skipped = offset < 0 ? htp_meta_minus(0, offset) : 0;
    int64_t used = skipped < rows ? rows - skipped : 0;
    first = offset < 0 ? (columns > 0 ? 1 : 0) : first;
    int64_t growing = columns - first < used ? columns - first : used;
    int64_t twice = 0;
    int64_t whole = 0;
    if (used == 0 || columns == 0) {
        *count = 0;
        return true;
    }
    return !__builtin_mul_overflow(growing, 2 * first + growing - 1, &twice) &&
           !__builtin_mul_overflow(used - growing, columns, &whole) &&
           !__builtin_add_overflow(twice / 2, whole, count);
}

/* Parameter: whether the upper triangle is meant. */
bool htp_meta_triangle_indices(htp_meta_call *call)
{
    enum { ROWS, COLUMNS, OFFSET, TYPE, LAYOUT };
    const int64_t most = INT64_C(1) << 31;
    int64_t rows = htp_meta_int(call, ROWS);
    int64_t columns = htp_meta_int(call, COLUMNS);
    int64_t offset = htp_meta_int(call, OFFSET);
    bool is_above = call->parameter != 0;
    int64_t count = 0;
    if (rows < 0 || columns < 0 || rows >= most || columns >= most) {
        return refuse_triangle(call);
    }
    if (!count_below(rows, columns, is_above ? htp_meta_minus(offset, 1) : offset, &count)) {
        return refuse_triangle(call);
    }
    const htp_meta_sizes sizes = {.dims = {2, is_above ? rows * columns - count : count},
                                  .rank = 2};
    return htp_meta_give(call, (int32_t)htp_meta_int_or(call, TYPE, HTP_SCALAR_LONG), &sizes);
}
