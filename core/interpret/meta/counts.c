/* Sizes of data-dependent sums and counts. */
#include "interpret/meta/kernels.h"
#include "interpret/meta/outputs.h"

#include <inttypes.h>
#include <string.h>

#define MAX_BINS (INT64_C(1) << 40)
#define MAX_COORDINATES (INT64_C(1) << 16)

/* ---- segments of one dim, by lengths or offsets ---- */

/* Whether @p cuts covers all dims before @p axis. */
static bool fits_cuts(const htp_runner_tensor *data, const htp_runner_tensor *cuts, int64_t axis)
{
    return axis == (int64_t)cuts->rank - 1 && data->rank >= cuts->rank &&
           memcmp(cuts->dims, data->dims, (size_t)axis * sizeof(*cuts->dims)) == 0;
}

bool htp_meta_segment_reduce(htp_meta_call *call)
{
    const htp_runner_tensor *data = htp_meta_tensor(call, 0);
    const htp_runner_tensor *lengths = htp_meta_optional(call, 2);
    const htp_runner_tensor *offsets = htp_meta_optional(call, 4);
    const htp_runner_tensor *cuts = offsets ? offsets : lengths;
    int64_t axis = htp_meta_int(call, 5);
    if (htp_meta_optional(call, 3)) {
        return htp_meta_refuse(call, "segment_reduce(): indices are not supported yet");
    }
    if (!cuts) {
        return htp_meta_refuse(call, "segment_reduce(): either lengths or offsets must be defined");
    }
    htp_meta_sizes sizes;
    if (!htp_meta_wrap(call, data->rank, &axis) || !htp_meta_sizes_of(call, data, &sizes)) {
        return false;
    }
    if (!fits_cuts(data, cuts, axis)) {
        htp_meta_text given;
        htp_meta_text told;
        return htp_meta_refuse(call,
                               "segment_reduce(): expected lengths or offsets of the dims up to "
                               "axis %" PRId64 " of %s, got %s",
                               axis, htp_meta_sizes_text(&given, data),
                               htp_meta_sizes_text(&told, cuts));
    }
    sizes.dims[axis] = cuts->dims[axis] - (offsets ? 1 : 0);
    if (sizes.dims[axis] < 0) {
        return htp_meta_refuse(call, "segment_reduce(): expected one offset at least");
    }
    return htp_meta_give(call, data->type, &sizes);
}

/* ---- counts of points (rows of a tensor) in boxes of bins ---- */

/* Whether points have as many coordinates as there are bin counts. */
static bool check_points(htp_meta_call *call, const htp_runner_tensor *points, uint32_t count)
{
    if (points->rank < 2) {
        htp_meta_text text;
        return htp_meta_refuse(call, "histogramdd: expected points of 2 dims at least, got %s",
                               htp_meta_sizes_text(&text, points));
    }
    if (htp_meta_dim(points, -1) != count) {
        return htp_meta_refuse(
            call, "histogramdd: expected bins for each of %" PRId64 " coordinates, got %u",
            htp_meta_dim(points, -1), (unsigned)count);
    }
    return count <= HTP_MAX_RANK ||
           htp_meta_refuse(call, "its output has more than %u dims", HTP_MAX_RANK);
}

/* Counts, and the bin edges of each coordinate. */
static bool give_histogram(htp_meta_call *call, const htp_meta_sizes *bins)
{
    int32_t type = htp_meta_tensor(call, 0)->type;
    htp_meta_sizes edges = {.rank = bins->rank};
    for (uint32_t i = 0; i < bins->rank; i++) {
        if (bins->dims[i] <= 0 || bins->dims[i] > MAX_BINS) {
            return htp_meta_refuse(call,
                                   "histogramdd: expected bins to be positive, and not above "
                                   "2^40, got %" PRId64,
                                   bins->dims[i]);
        }
        edges.dims[i] = bins->dims[i] + 1;
    }
    bool is_given = htp_meta_give(call, type, bins) && htp_meta_begin_list(call, edges.rank);
    for (uint32_t i = 0; i < edges.rank && is_given; i++) {
        const htp_meta_sizes edge = {.dims = {edges.dims[i]}, .rank = 1};
        is_given = htp_meta_give(call, type, &edge);
    }
    return is_given;
}

bool htp_meta_histogram(htp_meta_call *call)
{
    htp_meta_sizes bins = {.rank = htp_meta_length(call, 1)};
    if (!check_points(call, htp_meta_tensor(call, 0), bins.rank)) {
        return false;
    }
    for (uint32_t i = 0; i < bins.rank; i++) {
        bins.dims[i] = htp_meta_item(call, 1, i);
    }
    return give_histogram(call, &bins);
}

bool htp_meta_histogram_alike(htp_meta_call *call)
{
    const htp_runner_tensor *points = htp_meta_tensor(call, 0);
    if (points->rank < 2 || htp_meta_dim(points, -1) > MAX_COORDINATES) {
        htp_meta_text text;
        return htp_meta_refuse(call,
                               "histogramdd: expected points of 2 dims at least, with up to 65536 "
                               "coordinates, got %s",
                               htp_meta_sizes_text(&text, points));
    }
    htp_meta_sizes bins = {.rank = (uint32_t)htp_meta_dim(points, -1)};
    if (!check_points(call, points, bins.rank)) {
        return false;
    }
    for (uint32_t i = 0; i < bins.rank; i++) {
        bins.dims[i] = htp_meta_int(call, 1);
    }
    return give_histogram(call, &bins);
}

bool htp_meta_histogram_between(htp_meta_call *call)
{
    const htp_operand *edges = &call->operands[1];
    htp_meta_sizes bins = {.rank = edges->count};
    for (uint32_t i = 0; i < edges->count; i++) {
        const htp_runner_tensor *tensor = edges->as.elements[i].as.tensor;
        if (tensor->rank != 1) {
            htp_meta_text text;
            return htp_meta_refuse(call, "histogramdd: expected edges of one dim, got %s",
                                   htp_meta_sizes_text(&text, tensor));
        }
        if (i < HTP_MAX_RANK) {
            bins.dims[i] = tensor->dims[0] - 1;
        }
    }
    return check_points(call, htp_meta_tensor(call, 0), bins.rank) && give_histogram(call, &bins);
}

/* ---- losses ---- */

/* One loss per sequence, or a single one. */
bool htp_meta_ctc_loss(htp_meta_call *call)
{
    const htp_runner_tensor *log_probabilities = htp_meta_tensor(call, 0);
    const uint32_t batched = 3;
    bool is_reduced = htp_meta_int(call, 5) != 0;
    if (log_probabilities->rank != 2 && log_probabilities->rank != batched) {
        htp_meta_text text;
        return htp_meta_refuse(call, "ctc_loss: expected log_probs of 2 or 3 dims, got %s",
                               htp_meta_sizes_text(&text, log_probabilities));
    }
    const htp_meta_sizes sizes = {.dims = {log_probabilities->dims[1]},
                                  .rank =
                                      !is_reduced && log_probabilities->rank == batched ? 1 : 0};
    return htp_meta_give(call, log_probabilities->type, &sizes);
}
