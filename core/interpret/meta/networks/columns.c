/* Sizes of im2col and col2im, and of pooling and unpooling. */
#include "interpret/meta/kernels.h"
#include "interpret/meta/outputs.h"

#include <inttypes.h>

/* The lists of two numbers per window, and the index of the first of them among the operands. */
enum { KERNEL, DILATION, PADDING, STRIDE, NUMBERS };

static bool check_window(htp_meta_call *call, uint32_t first)
{
    for (uint32_t list = 0; list < NUMBERS; list++) {
        htp_meta_text text;
        int64_t least = list == PADDING ? 0 : 1;
        if (htp_meta_length(call, first + list) != 2 ||
            htp_meta_item(call, first + list, 0) < least ||
            htp_meta_item(call, first + list, 1) < least) {
            return htp_meta_refuse(
                call, "expected two numbers of at least %" PRId64 " for a window, got %s", least,
                htp_meta_list_text(&text, call, first + list));
        }
    }
    return true;
}

static int64_t divide_down(int64_t a, int64_t b)
{
    return a / b - (a % b < 0 ? 1 : 0);
}

/* The number of windows along axis @p at of @p size. */
static int64_t count_blocks(const htp_meta_call *call, uint32_t first, uint32_t at, int64_t size)
{
    int64_t margins = htp_meta_times(2, htp_meta_item(call, first + PADDING, at));
    int64_t extent = htp_meta_extent(htp_meta_item(call, first + KERNEL, at),
                                     htp_meta_item(call, first + DILATION, at));
    int64_t room = htp_meta_minus(htp_meta_plus(size, margins), extent);
    return htp_meta_plus(divide_down(room, htp_meta_item(call, first + STRIDE, at)), 1);
}

static bool count_columns(htp_meta_call *call, uint32_t first, int64_t height, int64_t width,
                          int64_t *columns)
{
    int64_t rows = count_blocks(call, first, 0, height);
    int64_t across = count_blocks(call, first, 1, width);
    *columns = htp_meta_times(rows, across);
    return (rows >= 1 && across >= 1) ||
           htp_meta_refuse(call,
                           "Given an input of spatial size (%" PRId64 ", %" PRId64
                           "), calculated shape of the array of sliding blocks as (%" PRId64
                           ", %" PRId64 "), but its components must be at least one",
                           height, width, rows, across);
}

static int64_t window_area(const htp_meta_call *call, uint32_t first)
{
    return htp_meta_times(htp_meta_item(call, first + KERNEL, 0),
                          htp_meta_item(call, first + KERNEL, 1));
}

/* Only the batch may be empty; @p rank is that with a batch. */
static bool check_input(htp_meta_call *call, const htp_runner_tensor *self, uint32_t rank)
{
    bool is_valid = self->rank == rank || self->rank + 1 == rank;
    htp_meta_text text;
    for (uint32_t dim = self->rank == rank ? 1 : 0; dim < self->rank; dim++) {
        is_valid = is_valid && self->dims[dim] != 0;
    }
    return is_valid ||
           htp_meta_refuse(call,
                           "Expected %uD or %uD (batch mode) tensor with possibly 0 batch size and "
                           "other non-zero dimensions, but got %s",
                           (unsigned)rank - 1, (unsigned)rank, htp_meta_sizes_text(&text, self));
}

bool htp_meta_im2col(htp_meta_call *call)
{
    const htp_runner_tensor *self = htp_meta_tensor(call, 0);
    const uint32_t first = 1;
    int64_t columns = 0;
    if (!check_window(call, first) || !check_input(call, self, 4) ||
        !count_columns(call, first, htp_meta_dim(self, -2), htp_meta_dim(self, -1), &columns)) {
        return false;
    }
    int64_t rows = htp_meta_times(htp_meta_dim(self, -3), window_area(call, first));
    const htp_meta_sizes one = {.dims = {rows, columns}, .rank = 2};
    const htp_meta_sizes batch = {.dims = {self->dims[0], rows, columns}, .rank = 3};
    return htp_meta_give(call, self->type, self->rank == 3 ? &one : &batch);
}

bool htp_meta_col2im(htp_meta_call *call)
{
    const htp_runner_tensor *self = htp_meta_tensor(call, 0);
    const uint32_t picture = 1;
    const uint32_t first = 2;
    int64_t columns = 0;
    htp_meta_text text;
    if (htp_meta_length(call, picture) != 2) {
        return htp_meta_refuse(call, "It is expected output_size equals to 2, but got size %u",
                               (unsigned)htp_meta_length(call, picture));
    }
    int64_t height = htp_meta_item(call, picture, 0);
    int64_t width = htp_meta_item(call, picture, 1);
    if (!check_window(call, first) || !check_input(call, self, 3) ||
        !count_columns(call, first, height, width, &columns)) {
        return false;
    }
    int64_t area = window_area(call, first);
    if (htp_meta_dim(self, -2) % area != 0 || htp_meta_dim(self, -1) != columns || height < 1 ||
        width < 1) {
        return htp_meta_refuse(call,
                               "expected rows divisible by %" PRId64 " and %" PRId64
                               " columns, for output_size of at least 1, but got input of %s",
                               area, columns, htp_meta_sizes_text(&text, self));
    }
    int64_t channels = htp_meta_dim(self, -2) / area;
    const htp_meta_sizes one = {.dims = {channels, height, width}, .rank = 3};
    const htp_meta_sizes batch = {.dims = {self->dims[0], channels, height, width}, .rank = 4};
    return htp_meta_give(call, self->type, self->rank == 2 ? &one : &batch);
}

/* ---- unpooling ---- */

static bool check_found(htp_meta_call *call, uint32_t axes)
{
    enum { SELF, INDICES, SIZE };
    const htp_runner_tensor *self = htp_meta_tensor(call, SELF);
    const htp_runner_tensor *indices = htp_meta_tensor(call, INDICES);
    htp_meta_text text;
    htp_meta_text found;
    bool is_alike = indices->rank == self->rank;
    bool is_valid = self->rank == axes + 1 || self->rank == axes + 2;
    for (uint32_t dim = 0; dim < self->rank && is_alike; dim++) {
        is_alike = self->dims[dim] == indices->dims[dim];
        is_valid = is_valid && (dim == 0 || self->dims[dim] > 0);
    }
    if (indices->type != HTP_SCALAR_LONG || htp_meta_length(call, SIZE) != axes) {
        return htp_meta_refuse(call, "expected indices of int64, and an output_size of %u numbers",
                               (unsigned)axes);
    }
    return (is_alike && is_valid) ||
           htp_meta_refuse(call,
                           "expected input and indices of the same %u or %u dims, of which no "
                           "one but the batch is 0, got %s and %s",
                           (unsigned)axes + 1, (unsigned)axes + 2, htp_meta_sizes_text(&text, self),
                           htp_meta_sizes_text(&found, indices));
}

static void set_axes(const htp_meta_call *call, htp_meta_sizes *sizes, uint32_t axes)
{
    for (uint32_t axis = 0; axis < axes; axis++) {
        sizes->dims[sizes->rank - axes + axis] = htp_meta_item(call, 2, axis);
    }
}

bool htp_meta_max_unpool2d(htp_meta_call *call)
{
    const htp_runner_tensor *self = htp_meta_tensor(call, 0);
    htp_meta_sizes sizes;
    if (!check_found(call, 2) || !htp_meta_sizes_of(call, self, &sizes)) {
        return false;
    }
    set_axes(call, &sizes, 2);
    return htp_meta_give_formatted(call, self, &sizes);
}

bool htp_meta_max_unpool3d(htp_meta_call *call)
{
    const htp_runner_tensor *self = htp_meta_tensor(call, 0);
    const uint32_t axes = 3;
    const uint32_t stride = 3;
    const uint32_t padding = 4;
    htp_meta_sizes sizes;
    if (!check_found(call, axes) || !htp_meta_sizes_of(call, self, &sizes)) {
        return false;
    }
    if (htp_meta_length(call, stride) != axes || htp_meta_length(call, padding) != axes ||
        htp_meta_item(call, stride, 0) <= 0 || htp_meta_item(call, stride, 1) <= 0 ||
        htp_meta_item(call, stride, 2) <= 0) {
        return htp_meta_refuse(call, "strides should be greater than zero, and there should be "
                                     "three of them, and of paddings");
    }
    set_axes(call, &sizes, axes);
    return htp_meta_give(call, self->type, &sizes);
}
