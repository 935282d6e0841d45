/* Sizes of sliding windows over images and volumes. */
#include "interpret/meta/kernels.h"
#include "interpret/meta/layout.h"
#include "interpret/meta/outputs.h"

#include <inttypes.h>

/* ---- deformed convolutions ---- */

enum { INPUT, WEIGHT };

/* The number of windows in dim @p dim. Operands from @p first on hold two each of stride, padding
 * and dilation. */
static bool find_windows(htp_meta_call *call, uint32_t dim, int64_t *count)
{
    const uint32_t first = 5;
    uint32_t at = first + dim - 2;
    int64_t stride = htp_meta_int(call, at);
    int64_t pad = htp_meta_int(call, at + 2);
    int64_t dilation = htp_meta_int(call, at + 4);
    if (stride <= 0 || dilation <= 0 || pad < 0) {
        return htp_meta_refuse(call, "the window is not valid");
    }
    int64_t padded = htp_meta_plus(htp_meta_tensor(call, INPUT)->dims[dim], htp_meta_times(2, pad));
    int64_t extent = htp_meta_extent(htp_meta_tensor(call, WEIGHT)->dims[dim], dilation);
    *count = htp_meta_plus(htp_meta_minus(padded, extent) / stride, 1);
    return *count > 0 ||
           htp_meta_refuse(call, "Calculated output size too small: %" PRId64, *count);
}

bool htp_meta_deformed_convolution(htp_meta_call *call)
{
    const htp_runner_tensor *input = htp_meta_tensor(call, INPUT);
    const htp_runner_tensor *weight = htp_meta_tensor(call, WEIGHT);
    const htp_runner_tensor *offset = htp_meta_tensor(call, 2);
    const uint32_t rank = 4;
    if (input->rank != rank || weight->rank != rank || offset->rank != rank) {
        return htp_meta_refuse(call, "expected an input, a weight and an offset of 4 dims");
    }
    htp_meta_sizes sizes = {.dims = {input->dims[0], weight->dims[0]}, .rank = rank};
    if (!find_windows(call, 2, &sizes.dims[2]) || !find_windows(call, 3, &sizes.dims[3])) {
        return false;
    }
    if (offset->dims[2] != sizes.dims[2] || offset->dims[3] != sizes.dims[3]) {
        htp_meta_text text;
        return htp_meta_refuse(call, "expected an offset of %" PRId64 " by %" PRId64 ", got %s",
                               sizes.dims[2], sizes.dims[3], htp_meta_sizes_text(&text, offset));
    }
    return htp_meta_give(call, input->type, &sizes);
}

/* ---- pools ---- */

/* Element @p axis of a list with one number per axis, or one for all. */
static bool find_number(htp_meta_call *call, uint32_t list, uint32_t axis, int64_t *number)
{
    uint32_t length = htp_meta_length(call, list);
    if (length != 1 && length != call->parameter) {
        htp_meta_text text;
        return htp_meta_refuse(call, "max_pool: expected one number or %u, got %s",
                               (unsigned)call->parameter, htp_meta_list_text(&text, call, list));
    }
    *number = htp_meta_item(call, list, length == 1 ? 0 : axis);
    return true;
}

typedef struct window {
    int64_t kernel;
    int64_t stride;
    int64_t padding;
    int64_t dilation;
} window;

static bool find_window(htp_meta_call *call, uint32_t axis, window *found)
{
    enum { KERNEL = 1, STEP, MARGIN, SPACING };
    if (!find_number(call, KERNEL, axis, &found->kernel)) {
        return false;
    }
    found->stride = found->kernel;
    if ((htp_meta_length(call, STEP) > 0 && !find_number(call, STEP, axis, &found->stride)) ||
        !find_number(call, MARGIN, axis, &found->padding) ||
        !find_number(call, SPACING, axis, &found->dilation)) {
        return false;
    }
    if (found->kernel <= 0 || found->stride <= 0 || found->dilation <= 0 ||
        htp_meta_times(2, found->padding) > found->kernel) {
        return htp_meta_refuse(
            call, "max_pool: kernel_size, stride and dilation must be greater than zero, and "
                  "padding at most half of kernel_size");
    }
    return found->padding >= 0 ||
           htp_meta_refuse(call, "pad must be non-negative, but got pad: %" PRId64, found->padding);
}

static int64_t divide_down(int64_t a, int64_t b)
{
    return a / b - (a % b < 0 ? 1 : 0);
}

/* The number of windows. With @p is_ceiling, the last may exceed the padding, but must not begin
 * there. */
static int64_t count_windows(int64_t size, const window *of, bool is_ceiling)
{
    int64_t begun = htp_meta_plus(size, of->padding);
    int64_t room = htp_meta_minus(htp_meta_plus(begun, of->padding),
                                  htp_meta_extent(of->kernel, of->dilation));
    room = htp_meta_plus(room, is_ceiling ? of->stride - 1 : 0);
    int64_t last = divide_down(room, of->stride);
    bool is_behind = is_ceiling && htp_meta_times(last, of->stride) >= begun;
    return htp_meta_plus(last, is_behind ? 0 : 1);
}

/* The pooled sizes of an image or a volume; the parameter is the number of axes. Only the batch may
 * be empty. libtorch before 2.0 returns nothing if a dim is shorter than the window, which ONNX
 * cannot express. */
static bool find_pooled(htp_meta_call *call, htp_meta_sizes *sizes)
{
    const htp_runner_tensor *self = htp_meta_tensor(call, 0);
    uint32_t axes = call->parameter;
    htp_meta_text text;
    bool is_valid = self->rank == axes + 1 || self->rank == axes + 2;
    for (uint32_t dim = self->rank == axes + 1 ? 0 : 1; dim < self->rank; dim++) {
        is_valid = is_valid && self->dims[dim] != 0;
    }
    if (!is_valid) {
        return htp_meta_refuse(
            call, "non-empty %uD or %uD (batch mode) tensor expected for input, got %s",
            (unsigned)axes + 1, (unsigned)axes + 2, htp_meta_sizes_text(&text, self));
    }
    if (!htp_meta_sizes_of(call, self, sizes)) {
        return false;
    }
    for (uint32_t axis = 0; axis < axes; axis++) {
        int64_t *size = &sizes->dims[sizes->rank - axes + axis];
        window found = {0};
        if (!find_window(call, axis, &found)) {
            return false;
        }
        *size = count_windows(*size, &found, htp_meta_bool(call, 5));
        if (*size < 1) {
            return htp_meta_refuse(call, "max_pool: given input of %s, output size is too small",
                                   htp_meta_sizes_text(&text, self));
        }
    }
    return true;
}

bool htp_meta_max_pool1d(htp_meta_call *call)
{
    htp_meta_sizes sizes;
    return find_pooled(call, &sizes) && htp_meta_give(call, htp_meta_tensor(call, 0)->type, &sizes);
}

/* In PyTorch 2 volumes keep channels last. A volume without a batch has the rank of an image batch,
 * and must not be mistaken for one. */
bool htp_meta_max_pool3d(htp_meta_call *call)
{
    const htp_runner_tensor *self = htp_meta_tensor(call, 0);
    htp_meta_sizes sizes;
    if (!find_pooled(call, &sizes)) {
        return false;
    }
    if (call->major < 2) {
        return htp_meta_give(call, self->type, &sizes) &&
               htp_meta_give(call, HTP_SCALAR_LONG, &sizes);
    }
    if (htp_layout_suggested(self) == HTP_MEMORY_CHANNELS_LAST) {
        return htp_meta_refuse(
            call, "Unsupported memory format. Supports only ChannelsLast3d, Contiguous");
    }
    htp_runner_tensor found = *self;
    found.type = HTP_SCALAR_LONG;
    return htp_meta_give_formatted(call, self, &sizes) &&
           htp_meta_give_formatted(call, &found, &sizes);
}

/* A given number of average windows. 2-d ones keep channels last. */
bool htp_meta_adaptive_average(htp_meta_call *call)
{
    const htp_runner_tensor *self = htp_meta_tensor(call, 0);
    const uint32_t plane = 2;
    uint32_t axes = htp_meta_length(call, 1);
    htp_meta_sizes sizes;
    bool is_valid = self->rank == axes + 1 || self->rank == axes + 2;
    for (uint32_t dim = axes == plane ? self->rank - axes : 1; dim < self->rank && is_valid;
         dim++) {
        is_valid = self->dims[dim] != 0;
    }
    if (!is_valid) {
        htp_meta_text text;
        return htp_meta_refuse(
            call,
            "adaptive_avg_pool: expected an input of %u or %u dims, of which only a batch is "
            "empty, got %s",
            (unsigned)axes + 1, (unsigned)axes + 2, htp_meta_sizes_text(&text, self));
    }
    if (!htp_meta_sizes_of(call, self, &sizes)) {
        return false;
    }
    for (uint32_t axis = 0; axis < axes; axis++) {
        sizes.dims[sizes.rank - axes + axis] = htp_meta_item(call, 1, axis);
    }
    return axes == plane ? htp_meta_give_formatted(call, self, &sizes)
                         : htp_meta_give(call, self->type, &sizes);
}
