/* Sizes of convolutions, and whether they are channels last. */
#include "interpret/meta/kernels.h"
#include "interpret/meta/layout.h"
#include "interpret/meta/outputs.h"

#include <inttypes.h>

/* ---- sizes ---- */

/* The operands of aten::convolution_overrideable. */
enum { INPUT, WEIGHT, BIAS, STRIDE, PADDING, DILATION, TRANSPOSED, OUTPUT_PADDING, GROUPS };

/* Computes one dim of a convolution's output; the lists have a number per dim. */
static bool find_convolved(htp_meta_call *call, uint32_t dim, int64_t *size)
{
    uint32_t at = dim - 2;
    int64_t input = htp_meta_tensor(call, INPUT)->dims[dim];
    int64_t stride = htp_meta_item(call, STRIDE, at);
    int64_t margin = htp_meta_times(2, htp_meta_item(call, PADDING, at));
    int64_t extent = htp_meta_extent(htp_meta_tensor(call, WEIGHT)->dims[dim],
                                     htp_meta_item(call, DILATION, at));
    if (htp_meta_bool(call, TRANSPOSED)) {
        int64_t last = htp_meta_times(htp_meta_minus(input, 1), stride);
        *size = htp_meta_plus(htp_meta_plus(htp_meta_minus(last, margin), extent),
                              htp_meta_item(call, OUTPUT_PADDING, at));
        return true;
    }
    int64_t padded = htp_meta_plus(input, margin);
    if (stride <= 0) {
        return htp_meta_refuse(call, "non-positive stride is not supported");
    }
    if (padded < extent) {
        return htp_meta_refuse(call,
                               "Calculated padded input size per channel: %" PRId64
                               ". Kernel size: %" PRId64
                               ". Kernel size can't be greater than actual input size",
                               padded, extent);
    }
    *size = htp_meta_plus(htp_meta_minus(padded, extent) / stride, 1);
    return true;
}

/* Checks that input and weight fit; finds the number of output channels. */
static bool find_channels(htp_meta_call *call, int64_t *outputs)
{
    const htp_runner_tensor *input = htp_meta_tensor(call, INPUT);
    const htp_runner_tensor *weight = htp_meta_tensor(call, WEIGHT);
    bool is_transposed = htp_meta_bool(call, TRANSPOSED);
    int64_t groups = htp_meta_int(call, GROUPS);
    int64_t own = 0;
    int64_t given = 0;
    if (!htp_meta_find_dim(call, weight, is_transposed ? 0 : 1, &own)) {
        return false;
    }
    int64_t channels = htp_meta_times(own, is_transposed ? 1 : groups);
    bool is_alike = input->rank == weight->rank;
    if (is_alike && !htp_meta_find_dim(call, input, 1, &given)) {
        return false;
    }
    if (!is_alike || given != channels) {
        htp_meta_text inputs;
        htp_meta_text weights;
        return htp_meta_refuse(
            call, "expected input%s to have %" PRId64 " channels, weight of size %s",
            htp_meta_sizes_text(&inputs, input), channels, htp_meta_sizes_text(&weights, weight));
    }
    if (input->type != weight->type) {
        return htp_meta_refuse(call, "Input type (%s) and weight type (%s) should be the same",
                               htp_scalar_type_name(input->type),
                               htp_scalar_type_name(weight->type));
    }
    *outputs = is_transposed ? htp_meta_times(weight->dims[1], groups) : weight->dims[0];
    return true;
}

static bool have_numbers(htp_meta_call *call, uint32_t dims)
{
    static const uint32_t lists[] = {STRIDE, PADDING, DILATION, OUTPUT_PADDING};
    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
        if (htp_meta_length(call, lists[i]) < dims) {
            htp_meta_text text;
            return htp_meta_refuse(call, "expected a number for each of %u dims, got %s",
                                   (unsigned)dims, htp_meta_list_text(&text, call, lists[i]));
        }
    }
    return true;
}

/* ---- layouts ---- */

/* The product of some dims of a tensor, saturated. */
static int64_t product_of(const htp_runner_tensor *tensor, uint32_t first, uint32_t count)
{
    int64_t product = 1;
    for (uint32_t dim = first; dim < first + count; dim++) {
        product = htp_meta_times(product, tensor->dims[dim]);
    }
    return product;
}

static bool any_other(const htp_meta_call *call, uint32_t list, int64_t number)
{
    bool any = false;
    for (uint32_t i = 0; i < htp_meta_length(call, list); i++) {
        any = any || htp_meta_item(call, list, i) != number;
    }
    return any;
}

/* Whether the output padding of a transposed convolution exceeds its stride or dilation. */
static bool is_padded_wide(const htp_meta_call *call, uint32_t dims)
{
    bool is_wide = false;
    for (uint32_t i = 0; i < dims && htp_meta_bool(call, TRANSPOSED); i++) {
        int64_t more = htp_meta_item(call, OUTPUT_PADDING, i);
        is_wide = is_wide || more >= htp_meta_item(call, STRIDE, i);
    }
    return is_wide;
}

static bool is_of_floats(const htp_runner_tensor *input)
{
    return input->type == HTP_SCALAR_FLOAT || input->type == HTP_SCALAR_COMPLEX_FLOAT;
}

static bool is_of_halves(const htp_runner_tensor *input)
{
    return input->type == HTP_SCALAR_HALF || input->type == HTP_SCALAR_BFLOAT16;
}

/*
 * Whether libtorch leaves a 3-d convolution to oneDNN: ConvParams::use_mkldnn() in
 * native/Convolution.cpp. It computes small ones itself.
 * @param has_threads  it runs on several
 */
static bool is_left_to_onednn(const htp_meta_call *call, bool has_threads)
{
    const int64_t most_of_native = 20480;
    const htp_runner_tensor *input = htp_meta_tensor(call, INPUT);
    const htp_runner_tensor *weight = htp_meta_tensor(call, WEIGHT);
    int64_t width = htp_meta_dim(weight, -1);
    int64_t height = htp_meta_dim(weight, -2);
    if (is_padded_wide(call, input->rank - 2)) {
        return false;
    }
    if (input->type == HTP_SCALAR_BFLOAT16) {
        return true;
    }
    bool is_more_than_product = has_threads || any_other(call, STRIDE, 1) ||
                                any_other(call, DILATION, 1) || input->dims[0] >= 16 ||
                                width != 1 || height != 1;
    bool is_large = htp_meta_int(call, GROUPS) > 1 || (width > 3 && height > 3) ||
                    input->dims[0] > 1 || product_of(input, 0, 4) > most_of_native;
    return is_of_floats(input) && is_more_than_product && is_large;
}

/* Whether a libtorch without oneDNN may leave a 2-d convolution to NNPACK:
 * ConvParams::use_nnpack(). That takes batches of 16 and more, and a dynamic batch may be one. */
static bool may_be_left_to_nnpack(const htp_meta_call *call)
{
    const int64_t too_wide = 17;
    const htp_runner_tensor *weight = htp_meta_tensor(call, WEIGHT);
    return is_of_floats(htp_meta_tensor(call, INPUT)) && !htp_meta_bool(call, TRANSPOSED) &&
           !any_other(call, DILATION, 1) && htp_meta_dim(weight, -1) < too_wide &&
           htp_meta_dim(weight, -2) < too_wide;
}

static bool is_picture(const htp_meta_call *call)
{
    const uint32_t picture = 4;
    return htp_meta_tensor(call, INPUT)->rank == picture;
}

/* CPU kernels return channels last if input or weight suggests it. libtorch before 2.0 does so only
 * for images, and not for transposed convolutions. */
static bool follows_channels_last(const htp_meta_call *call)
{
    const htp_runner_tensor *input = htp_meta_tensor(call, INPUT);
    if (call->major < 2) {
        return is_picture(call) &&
               (!htp_meta_bool(call, TRANSPOSED) || input->type == HTP_SCALAR_BFLOAT16);
    }
    return is_picture(call) || is_left_to_onednn(call, false);
}

/* The same for a libtorch without oneDNN, on several threads, or on another processor: the
 * opposite, if any of these makes a difference. */
static bool follows_elsewhere(const htp_meta_call *call)
{
    const htp_runner_tensor *input = htp_meta_tensor(call, INPUT);
    if (is_picture(call)) {
        bool is_onednn_alone = call->major < 2 && htp_meta_bool(call, TRANSPOSED);
        return follows_channels_last(call) && !is_onednn_alone && !may_be_left_to_nnpack(call);
    }
    bool may_be_left = is_left_to_onednn(call, true) ||
                       (is_of_halves(input) && !is_padded_wide(call, input->rank - 2));
    return call->major >= 2 && may_be_left && !is_left_to_onednn(call, false);
}

static bool has_channels_last(const htp_meta_call *call)
{
    if (htp_layout_suggested(htp_meta_tensor(call, INPUT)) == HTP_MEMORY_CONTIGUOUS &&
        htp_layout_suggested(htp_meta_tensor(call, WEIGHT)) == HTP_MEMORY_CONTIGUOUS) {
        return false;
    }
    return call->is_elsewhere ? follows_elsewhere(call) : follows_channels_last(call);
}

bool htp_meta_convolution(htp_meta_call *call)
{
    const htp_runner_tensor *input = htp_meta_tensor(call, INPUT);
    const htp_runner_tensor *bias = htp_meta_optional(call, BIAS);
    htp_meta_sizes sizes;
    int64_t outputs = 0;
    if (!find_channels(call, &outputs)) {
        return false;
    }
    if (bias && bias->elements != outputs) {
        return htp_meta_refuse(call, "bias does not have one element for each output channel");
    }
    if (!htp_meta_sizes_of(call, input, &sizes) || !have_numbers(call, input->rank - 2)) {
        return false;
    }
    sizes.dims[1] = outputs;
    for (uint32_t dim = 2; dim < input->rank; dim++) {
        if (!find_convolved(call, dim, &sizes.dims[dim])) {
            return false;
        }
    }
    if (!has_channels_last(call)) {
        return htp_meta_give(call, input->type, &sizes);
    }
    int64_t strides[HTP_MAX_RANK];
    htp_layout_channels_last(sizes.dims, sizes.rank, strides);
    return htp_meta_give_strided(call, input->type, &sizes, strides);
}
