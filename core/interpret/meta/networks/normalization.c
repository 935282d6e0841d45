/* Sizes of normalisations: those of the input, and of the statistics. */
#include "interpret/meta/kernels.h"
#include "interpret/meta/layout.h"
#include "interpret/meta/outputs.h"
#include "interpret/meta/types.h"

#include <inttypes.h>

/* Whether optional operands have one element per channel. */
static bool have_channels(htp_meta_call *call, const char *name, uint32_t first, uint32_t last,
                          int64_t channels)
{
    for (uint32_t i = first; i <= last; i++) {
        const htp_runner_tensor *tensor = htp_meta_optional(call, i);
        if (tensor && tensor->elements != channels) {
            return htp_meta_refuse(
                call, "%s: expected %" PRId64 " elements for each channel, got %" PRId64, name,
                channels, tensor->elements);
        }
    }
    return true;
}

/* The common type of optional operands, and of statistics: the input's; with @p may_mix, float
 * beside a narrow one. Refuses others. */
static bool find_type(htp_meta_call *call, uint32_t first, uint32_t last, bool may_mix,
                      int32_t *type)
{
    int32_t own = htp_meta_tensor(call, 0)->type;
    bool is_narrow = own == HTP_SCALAR_HALF || own == HTP_SCALAR_BFLOAT16;
    int32_t other = HTP_SCALAR_NONE;
    for (uint32_t i = first; i <= last; i++) {
        const htp_runner_tensor *tensor = htp_meta_optional(call, i);
        if (tensor && other != HTP_SCALAR_NONE && tensor->type != other) {
            return htp_meta_refuse(call, "expected scalar type %s but found %s",
                                   htp_scalar_type_name(other), htp_scalar_type_name(tensor->type));
        }
        other = tensor ? tensor->type : other;
    }
    *type = other == HTP_SCALAR_NONE ? own : other;
    bool is_mixed = may_mix && is_narrow && *type == HTP_SCALAR_FLOAT;
    return *type == own || is_mixed ||
           htp_meta_refuse(call, "mixed dtype (CPU): parameters are of %s, and the input is of %s",
                           htp_scalar_type_name(*type), htp_scalar_type_name(own));
}

/* Mean and deviation. */
static bool give_statistics(htp_meta_call *call, int32_t type, const htp_meta_sizes *sizes)
{
    bool has_mean = htp_meta_give(call, type, sizes);
    return has_mean && htp_meta_give(call, type, sizes);
}

/* A contiguous input gives a contiguous output, even if it suggests another format as well. */
static bool give_normalized(htp_meta_call *call, const htp_meta_sizes *sizes)
{
    const htp_runner_tensor *input = htp_meta_tensor(call, 0);
    return htp_layout_is_contiguous(input) ? htp_meta_give_plain(call, input)
                                           : htp_meta_give_formatted(call, input, sizes);
}

/* The row's parameter is the index of the training operand; weights and statistics precede it. */
bool htp_meta_batch_norm(htp_meta_call *call)
{
    const uint32_t weight = 1;
    const uint32_t training = call->parameter;
    const htp_runner_tensor *input = htp_meta_tensor(call, 0);
    if (input->rank < 2) {
        return htp_meta_refuse(call, "batch_norm: expected at least 2 dims, got %u",
                               (unsigned)input->rank);
    }
    int64_t channels = input->dims[1];
    bool is_training = htp_meta_bool(call, training);
    const htp_meta_sizes kept = {.dims = {is_training ? channels : 0}, .rank = 1};
    htp_meta_sizes sizes;
    int32_t type = HTP_SCALAR_NONE;
    if (call->major >= 2 && is_training && input->elements == 0) {
        htp_meta_text text;
        return htp_meta_refuse(
            call, "input tensor must have at least one element, but got input_sizes = %s",
            htp_meta_sizes_text(&text, input));
    }
    return have_channels(call, "batch_norm", weight, training - 1, channels) &&
           find_type(call, weight, training - 1, true, &type) &&
           htp_meta_sizes_of(call, input, &sizes) && give_normalized(call, &sizes) &&
           give_statistics(call, type, &kept);
}

/* Whether a tensor has the layout of its format, without gaps. */
static bool is_formatted(const htp_runner_tensor *tensor)
{
    int64_t strides[HTP_MAX_RANK];
    if (htp_layout_suggested(tensor) == HTP_MEMORY_CONTIGUOUS) {
        return htp_layout_is_contiguous(tensor);
    }
    bool is = true;
    htp_layout_channels_last(tensor->dims, tensor->rank, strides);
    for (uint32_t dim = 0; dim < tensor->rank; dim++) {
        is = is && (tensor->dims[dim] == 1 || tensor->strides[dim] == strides[dim]);
    }
    return is;
}

bool htp_meta_group_norm(htp_meta_call *call)
{
    const uint32_t weight = 1;
    const uint32_t bias = 2;
    const htp_runner_tensor *input = htp_meta_tensor(call, 0);
    int64_t batch = htp_meta_int(call, 3);
    int64_t channels = htp_meta_int(call, 4);
    int64_t groups = htp_meta_int(call, 6);
    int64_t elements = htp_meta_times(htp_meta_times(batch, channels), htp_meta_int(call, 5));
    if (groups <= 0 || channels % groups != 0 || input->elements != elements) {
        htp_meta_text text;
        return htp_meta_refuse(
            call, "group_norm: expected %" PRId64 " groups of %" PRId64 " channels, got %s", groups,
            channels, htp_meta_sizes_text(&text, input));
    }
    if (!is_formatted(input)) {
        return htp_meta_refuse(call, "Expected X.is_contiguous(memory_format) to be true");
    }
    const htp_meta_sizes kept = {.dims = {batch, groups}, .rank = 2};
    htp_meta_sizes sizes;
    int32_t type = HTP_SCALAR_NONE;
    return have_channels(call, "group_norm", weight, bias, channels) &&
           find_type(call, weight, bias, call->major >= 2, &type) &&
           htp_meta_sizes_of(call, input, &sizes) && htp_meta_give_formatted(call, input, &sizes) &&
           give_statistics(call, type, &kept);
}

/* group_norm(). */
bool htp_meta_grouped_norm(htp_meta_call *call)
{
    const htp_runner_tensor *input = htp_meta_tensor(call, 0);
    int64_t groups = htp_meta_int(call, 1);
    if (input->rank < 2) {
        return htp_meta_refuse(call, "Expected at least 2 dimensions for input tensor, got %u",
                               (unsigned)input->rank);
    }
    if (groups <= 0 || input->dims[1] % groups != 0) {
        return htp_meta_refuse(call,
                               "Expected number of channels in input to be divisible by "
                               "num_groups, but got %" PRId64 " channels and num_groups=%" PRId64,
                               input->dims[1], groups);
    }
    htp_meta_sizes sizes;
    int32_t type = HTP_SCALAR_NONE;
    return have_channels(call, "group_norm", 2, 3, input->dims[1]) &&
           find_type(call, 2, 3, call->major >= 2, &type) &&
           htp_meta_sizes_of(call, input, &sizes) && htp_meta_give_formatted(call, input, &sizes);
}

/* Whether the last dims of a tensor equal a list. */
static bool ends_in(const htp_meta_call *call, const htp_runner_tensor *tensor, uint32_t list)
{
    uint32_t length = htp_meta_length(call, list);
    for (uint32_t i = 0; length <= tensor->rank && i < length; i++) {
        if (tensor->dims[tensor->rank - length + i] != htp_meta_item(call, list, i)) {
            return false;
        }
    }
    return length <= tensor->rank;
}

bool htp_meta_layer_norm(htp_meta_call *call)
{
    const uint32_t shape = 1;
    const uint32_t weight = 2;
    const uint32_t bias = 3;
    const htp_runner_tensor *input = htp_meta_tensor(call, 0);
    uint32_t length = htp_meta_length(call, shape);
    htp_meta_text normalized;
    htp_meta_text given;
    if (length == 0 || !ends_in(call, input, shape)) {
        return htp_meta_refuse(call, "layer_norm: expected input of sizes that end in %s, got %s",
                               htp_meta_list_text(&normalized, call, shape),
                               htp_meta_sizes_text(&given, input));
    }
    for (uint32_t i = weight; i <= bias; i++) {
        const htp_runner_tensor *tensor = htp_meta_optional(call, i);
        if (tensor && (tensor->rank != length || !ends_in(call, tensor, shape))) {
            return htp_meta_refuse(call, "layer_norm: expected a weight or bias of sizes %s",
                                   htp_meta_list_text(&normalized, call, shape));
        }
    }
    htp_meta_sizes kept;
    int32_t type = HTP_SCALAR_NONE;
    if (!find_type(call, weight, bias, call->major >= 2, &type) ||
        !htp_meta_sizes_of(call, input, &kept)) {
        return false;
    }
    for (uint32_t i = 0; i < length; i++) {
        kept.dims[kept.rank - length + i] = 1;
    }
    return htp_meta_give_plain(call, input) && give_statistics(call, type, &kept);
}
