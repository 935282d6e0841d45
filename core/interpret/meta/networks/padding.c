/* Sizes of operators that reflect or replicate the border of images and volumes. */
#include "interpret/meta/kernels.h"
#include "interpret/meta/outputs.h"

#include <inttypes.h>

enum { INPUT, MARGINS };

/* Only the batch may be empty. */
static bool check_padded(htp_meta_call *call, const char *name, uint32_t axes)
{
    const htp_runner_tensor *input = htp_meta_tensor(call, INPUT);
    htp_meta_text text;
    bool is_batch = input->rank == axes + 2;
    bool is_valid = is_batch || input->rank == axes + 1;
    for (uint32_t dim = is_batch ? 1 : 0; dim < input->rank; dim++) {
        is_valid = is_valid && input->dims[dim] != 0;
    }
    if (htp_meta_length(call, MARGINS) != 2 * axes) {
        return htp_meta_refuse(call, "%s: padding size is expected to be %u, but got %u", name,
                               (unsigned)(2 * axes), (unsigned)htp_meta_length(call, MARGINS));
    }
    return is_valid ||
           htp_meta_refuse(call,
                           "%s: expected %uD or %uD (batch mode) tensor with possibly 0 batch size "
                           "and other non-zero dimensions for input, but got %s",
                           name, (unsigned)(axes + 1), (unsigned)(axes + 2),
                           htp_meta_sizes_text(&text, input));
}

/* Padding is listed from the last dim on. */
static bool pad_axis(htp_meta_call *call, const char *name, bool is_reflected, uint32_t axis,
                     int64_t *size)
{
    int64_t before = htp_meta_item(call, MARGINS, 2 * axis);
    int64_t behind = htp_meta_item(call, MARGINS, 2 * axis + 1);
    if (is_reflected && (before >= *size || behind >= *size)) {
        return htp_meta_refuse(call,
                               "%s: padding size should be less than the corresponding input "
                               "dimension, but got padding (%" PRId64 ", %" PRId64
                               ") at a dimension of %" PRId64,
                               name, before, behind, *size);
    }
    *size = htp_meta_plus(htp_meta_plus(*size, before), behind);
    return *size >= 0 ||
           htp_meta_refuse(call, "%s: calculated output size %" PRId64 " is too small", name,
                           *size);
}

static bool pad(htp_meta_call *call, const char *name, bool is_reflected)
{
    const htp_runner_tensor *input = htp_meta_tensor(call, INPUT);
    uint32_t axes = call->parameter;
    htp_meta_sizes sizes;
    if (!check_padded(call, name, axes) || !htp_meta_sizes_of(call, input, &sizes)) {
        return false;
    }
    int64_t most = 0;
    for (uint32_t axis = 0; axis < axes; axis++) {
        int64_t *size = &sizes.dims[sizes.rank - 1 - axis];
        if (!pad_axis(call, name, is_reflected, axis, size)) {
            return false;
        }
        most = *size > most ? *size : most;
    }
    if (most < 1) {
        return htp_meta_refuse(call, "%s: calculated output sizes are too small", name);
    }
    /* libtorch before 2.0 returns no channels last. */
    return call->major < 2 ? htp_meta_give(call, input->type, &sizes)
                           : htp_meta_give_formatted(call, input, &sizes);
}

bool htp_meta_reflection_pad(htp_meta_call *call)
{
    return pad(call, "reflection_pad", true);
}

bool htp_meta_replication_pad(htp_meta_call *call)
{
    return pad(call, "replication_pad", false);
}
