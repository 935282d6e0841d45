/* Sizes of operators on images and volumes: shuffles, samples, regions. */
#include "interpret/meta/kernels.h"
#include "interpret/meta/layout.h"
#include "interpret/meta/outputs.h"

#include <inttypes.h>

/* ---- shuffles: channels become pixels, or pixels channels ---- */

static bool check_shuffled(htp_meta_call *call, int64_t area, bool is_to_pixels)
{
    const htp_runner_tensor *self = htp_meta_tensor(call, 0);
    int64_t factor = htp_meta_int(call, 1);
    htp_meta_text text;
    if (self->rank < 3 || factor <= 0) {
        return htp_meta_refuse(call,
                               "pixel_shuffle and pixel_unshuffle expect at least 3 dims and a "
                               "positive factor, got %s and %" PRId64,
                               htp_meta_sizes_text(&text, self), factor);
    }
    if (htp_layout_suggested(self) == HTP_MEMORY_CHANNELS_LAST_3D) {
        return htp_meta_refuse(call,
                               "Unsupported memory format. Supports only ChannelsLast, Contiguous");
    }
    bool is_divisible =
        is_to_pixels ? htp_meta_dim(self, -3) % area == 0
                     : htp_meta_dim(self, -2) % factor == 0 && htp_meta_dim(self, -1) % factor == 0;
    return is_divisible ||
           htp_meta_refuse(call,
                           "expected channels, or height and width, divisible by the factor "
                           "%" PRId64 ", got %s",
                           factor, htp_meta_sizes_text(&text, self));
}

static bool give_shuffled(htp_meta_call *call, bool is_to_pixels)
{
    const htp_runner_tensor *self = htp_meta_tensor(call, 0);
    int64_t factor = htp_meta_int(call, 1);
    int64_t area = htp_meta_times(factor, factor);
    htp_meta_sizes sizes;
    if (!check_shuffled(call, area, is_to_pixels) || !htp_meta_sizes_of(call, self, &sizes)) {
        return false;
    }
    if (!is_to_pixels && self->elements == 0) {
        return htp_meta_give_like(call, self); /* unchanged for any factor */
    }
    int64_t *last = &sizes.dims[sizes.rank - 3];
    last[0] = is_to_pixels ? last[0] / area : htp_meta_times(last[0], area);
    for (int i = 1; i < 3; i++) {
        last[i] = is_to_pixels ? htp_meta_times(last[i], factor) : last[i] / factor;
    }
    return htp_meta_give_formatted(call, self, &sizes);
}

bool htp_meta_pixel_shuffle(htp_meta_call *call)
{
    return give_shuffled(call, true);
}

bool htp_meta_pixel_unshuffle(htp_meta_call *call)
{
    return give_shuffled(call, false);
}

/* ---- volumes of another size ---- */

/* One factor per axis, of three. */
static bool scale_volume(htp_meta_call *call, htp_meta_sizes *sizes)
{
    enum { FACTORS = 2 };
    const htp_operand *factors = &call->operands[FACTORS];
    bool has = factors->kind == HTP_OPERAND_LIST && factors->count == 3;
    for (uint32_t axis = 0; axis < 3 && has; axis++) {
        const htp_operand *factor = &factors->as.elements[axis];
        double size =
            factor->kind == HTP_OPERAND_FLOAT ? (double)sizes->dims[2 + axis] * factor->as.f : -1;
        has = size >= 0 && size < 0x1p62;
        sizes->dims[2 + axis] = has ? (int64_t)size : 0;
    }
    return has ||
           htp_meta_refuse(call, "Must specify exactly one of output_size and scale_factors, "
                                 "for each of three dims");
}

bool htp_meta_upsample_volume(htp_meta_call *call)
{
    enum { SELF, SIZE, FACTORS };
    const htp_runner_tensor *self = htp_meta_tensor(call, SELF);
    const uint32_t rank = 5;
    htp_meta_text text;
    htp_meta_sizes sizes;
    bool is_sized = htp_meta_has(call, SIZE);
    if (self->rank != rank || (self->elements == 0 && self->dims[0] != 0)) {
        return htp_meta_refuse(call,
                               "Non-empty 5D data tensor expected but got a tensor with sizes %s",
                               htp_meta_sizes_text(&text, self));
    }
    if (is_sized && (htp_meta_has(call, FACTORS) || htp_meta_length(call, SIZE) != 3)) {
        return htp_meta_refuse(call, "Must specify exactly one of output_size and scale_factors, "
                                     "for each of three dims");
    }
    if (!htp_meta_sizes_of(call, self, &sizes) || (!is_sized && !scale_volume(call, &sizes))) {
        return false;
    }
    bool is_valid = true;
    for (uint32_t axis = 0; axis < 3; axis++) {
        int64_t *size = &sizes.dims[2 + axis];
        *size = is_sized ? htp_meta_item(call, SIZE, axis) : *size;
        is_valid = is_valid && *size > 0 && self->dims[2 + axis] > 0;
    }
    return is_valid ? htp_meta_give_formatted(call, self, &sizes)
                    : htp_meta_refuse(call, "Input and output sizes should be greater than 0");
}

/* ---- samples at the points of a grid ---- */

static bool check_grid(htp_meta_call *call)
{
    const htp_runner_tensor *input = htp_meta_tensor(call, 0);
    const htp_runner_tensor *grid = htp_meta_tensor(call, 1);
    int64_t axes = (int64_t)input->rank - 2;
    int64_t batch = 0;
    int64_t grids = 0;
    bool is_alike = input->rank == grid->rank;
    if (is_alike &&
        (!htp_meta_find_dim(call, input, 0, &batch) || !htp_meta_find_dim(call, grid, 0, &grids))) {
        return false;
    }
    if (!is_alike || batch != grids || htp_meta_dim(grid, -1) != axes) {
        htp_meta_text inputs;
        htp_meta_text grid_text;
        return htp_meta_refuse(call,
                               "grid_sampler(): expected a grid with the batch of the input, and "
                               "with %" PRId64 " coordinates, got input of %s and grid of %s",
                               axes, htp_meta_sizes_text(&inputs, input),
                               htp_meta_sizes_text(&grid_text, grid));
    }
    return input->type == grid->type ||
           htp_meta_refuse(call,
                           "grid_sampler(): expected input and grid to have same dtype, but input "
                           "has %s and grid has %s",
                           htp_scalar_type_name(input->type), htp_scalar_type_name(grid->type));
}

/* The row's parameter is the rank of the sampled tensor. */
static bool check_sampled(htp_meta_call *call)
{
    enum { BICUBIC = 2, PICTURE = 4 };
    const htp_runner_tensor *input = htp_meta_tensor(call, 0);
    if (input->rank != call->parameter) {
        return htp_meta_refuse(call, "grid_sampler(): expected an input of %u dims, got %u",
                               (unsigned)call->parameter, (unsigned)input->rank);
    }
    return input->rank == PICTURE || htp_meta_int(call, 2) != BICUBIC ||
           htp_meta_refuse(call, "grid_sampler(): bicubic interpolation only supports 4D input");
}

bool htp_meta_grid_sampler(htp_meta_call *call)
{
    const htp_runner_tensor *input = htp_meta_tensor(call, 0);
    const htp_runner_tensor *grid = htp_meta_tensor(call, 1);
    htp_meta_sizes sizes;
    if (!check_grid(call) || !check_sampled(call) || !htp_meta_sizes_of(call, input, &sizes)) {
        return false;
    }
    for (uint32_t dim = 2; dim < sizes.rank; dim++) {
        if (input->dims[dim] <= 0) {
            htp_meta_text text;
            return htp_meta_refuse(call,
                                   "grid_sampler(): expected input to have non-empty spatial "
                                   "dimensions, got %s",
                                   htp_meta_sizes_text(&text, input));
        }
        sizes.dims[dim] = grid->dims[dim - 1];
    }
    return htp_meta_give(call, input->type, &sizes);
}

bool htp_meta_grid_sampler_of_floats(htp_meta_call *call)
{
    int32_t type = htp_meta_tensor(call, 0)->type;
    return type == HTP_SCALAR_FLOAT
               ? htp_meta_grid_sampler(call)
               : htp_meta_refuse(call, "expected scalar type Float but found %s",
                                 htp_scalar_type_name(type));
}

/* ---- regions of interest, each pooled to one size ---- */

static bool check_regions(htp_meta_call *call)
{
    const htp_runner_tensor *input = htp_meta_tensor(call, 0);
    const htp_runner_tensor *regions = htp_meta_tensor(call, 1);
    const int64_t numbers = 5; /* per region: image index and box */
    htp_meta_text text;
    if (input->rank != 4) {
        return htp_meta_refuse(call, "expected an input of 4 dims, got %s",
                               htp_meta_sizes_text(&text, input));
    }
    if (regions->rank != 2 || regions->dims[1] != numbers) {
        return htp_meta_refuse(call, "expected rois of sizes [K, 5], got %s",
                               htp_meta_sizes_text(&text, regions));
    }
    if (input->type != regions->type) {
        return htp_meta_refuse(call, "expected input and rois of one dtype, got %s and %s",
                               htp_scalar_type_name(input->type),
                               htp_scalar_type_name(regions->type));
    }
    return (htp_meta_int(call, 3) > 0 && htp_meta_int(call, 4) > 0) ||
           htp_meta_refuse(call, "expected a pooled size above 0");
}

static htp_meta_sizes pooled_sizes(const htp_meta_call *call, int64_t channels)
{
    return (htp_meta_sizes){.dims = {htp_meta_tensor(call, 1)->dims[0], channels,
                                     htp_meta_int(call, 3), htp_meta_int(call, 4)},
                            .rank = 4};
}

bool htp_meta_roi_align(htp_meta_call *call)
{
    const htp_runner_tensor *input = htp_meta_tensor(call, 0);
    if (!check_regions(call)) {
        return false;
    }
    const htp_meta_sizes sizes = pooled_sizes(call, input->dims[1]);
    return htp_meta_give(call, input->type, &sizes);
}

/* The second output has the position of each pooled element. */
static bool give_found(htp_meta_call *call, int64_t channels)
{
    const htp_meta_sizes sizes = pooled_sizes(call, channels);
    return htp_meta_give(call, htp_meta_tensor(call, 0)->type, &sizes) &&
           htp_meta_give(call, HTP_SCALAR_INT, &sizes);
}

bool htp_meta_roi_pool(htp_meta_call *call)
{
    return check_regions(call) && give_found(call, htp_meta_tensor(call, 0)->dims[1]);
}

/* Each bin of a region has its own channels. */
bool htp_meta_ps_roi(htp_meta_call *call)
{
    if (!check_regions(call)) {
        return false;
    }
    int64_t channels = htp_meta_tensor(call, 0)->dims[1];
    int64_t area = htp_meta_times(htp_meta_int(call, 3), htp_meta_int(call, 4));
    if (channels % area != 0) {
        return htp_meta_refuse(
            call, "input channels must be a multiple of pooling height * pooling width");
    }
    return give_found(call, channels / area);
}
