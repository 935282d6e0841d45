/* Sizes of reductions, scans, and counts. */
#include "interpret/meta/elements.h"
#include "interpret/meta/kernels.h"
#include "interpret/meta/layout.h"
#include "interpret/meta/outputs.h"
#include "interpret/meta/types.h"

#include <inttypes.h>

/* ---- dims ---- */

/* Marks the dims in a list; all if it is empty or missing. */
static bool mark_dims(htp_meta_call *call, uint32_t rank, uint32_t list, bool *is_reduced)
{
    uint32_t count = htp_meta_length(call, list);
    for (uint32_t dim = 0; dim < rank; dim++) {
        is_reduced[dim] = count == 0;
    }
    for (uint32_t i = 0; i < count; i++) {
        int64_t dim = htp_meta_item(call, list, i);
        if (!htp_meta_wrap(call, rank, &dim)) {
            return false;
        }
        if (rank > 0 && is_reduced[dim]) {
            return htp_meta_refuse(
                call, "dim %" PRId64 " appears multiple times in the list of dims", dim);
        }
        is_reduced[dim] = true;
    }
    return true;
}

/* The remaining dims of a tensor. */
static void remove_dims(const htp_runner_tensor *tensor, const bool *is_reduced, bool keeps,
                        htp_meta_sizes *sizes)
{
    sizes->rank = 0;
    for (uint32_t dim = 0; dim < tensor->rank; dim++) {
        if (!is_reduced[dim] || keeps) {
            sizes->dims[sizes->rank++] = is_reduced[dim] ? 1 : tensor->dims[dim];
        }
    }
}

/* Sizes without the dims in operand @p list. */
static bool reduce(htp_meta_call *call, uint32_t list, bool keeps, htp_meta_sizes *sizes)
{
    const htp_runner_tensor *tensor = htp_meta_tensor(call, 0);
    bool is_reduced[HTP_MAX_RANK] = {false};
    if (!mark_dims(call, tensor->rank, list, is_reduced)) {
        return false;
    }
    remove_dims(tensor, is_reduced, keeps, sizes);
    return true;
}

static const htp_meta_sizes no_dims = {.rank = 0};

/* Refuses types that the row excludes. */
static bool check_type(htp_meta_call *call)
{
    int32_t type = htp_meta_tensor(call, 0)->type;
    uint32_t how = call->parameter;
    bool is_refused =
        (type == HTP_SCALAR_BOOL && (how & HTP_ELEMENTS_NO_BOOL)) ||
        (htp_scalar_type_is_integral(type, true) && (how & HTP_ELEMENTS_NO_INTEGER)) ||
        (htp_scalar_type_is_complex(type) && (how & HTP_ELEMENTS_NO_COMPLEX));
    return !is_refused ||
           htp_meta_refuse(call, "it is not implemented for '%s'", htp_scalar_type_name(type));
}

/* ---- sums, deviations, extremes ---- */

static bool check_statistics(htp_meta_call *call, const char *name, int32_t type)
{
    return htp_scalar_type_is_floating(type) || htp_scalar_type_is_complex(type) ||
           htp_meta_refuse(call, "%s only support floating point and complex dtypes", name);
}

/* Variances and deviations are real. */
static bool give_variance(htp_meta_call *call, bool with_mean)
{
    int32_t type = htp_meta_tensor(call, 0)->type;
    htp_meta_sizes sizes;
    return check_statistics(call, "std and var", type) &&
           reduce(call, 1, htp_meta_bool(call, 3), &sizes) &&
           htp_meta_give(call, htp_scalar_type_real(type), &sizes) &&
           (!with_mean || htp_meta_give(call, type, &sizes));
}

bool htp_meta_variance(htp_meta_call *call)
{
    return give_variance(call, false);
}

bool htp_meta_variance_and_mean(htp_meta_call *call)
{
    return give_variance(call, true);
}

/* The type of a sum: integers and bools give int64. */
static int32_t sum_type(const htp_meta_call *call, uint32_t dtype)
{
    int32_t type = htp_meta_tensor(call, 0)->type;
    bool is_integral = htp_scalar_type_is_integral(type, true);
    return (int32_t)htp_meta_int_or(call, dtype, is_integral ? HTP_SCALAR_LONG : type);
}

bool htp_meta_nansum(htp_meta_call *call)
{
    htp_meta_sizes sizes;
    if (htp_scalar_type_is_complex(htp_meta_tensor(call, 0)->type)) {
        return htp_meta_refuse(call, "nansum does not support complex inputs");
    }
    return reduce(call, 1, htp_meta_bool(call, 2), &sizes) &&
           htp_meta_give(call, sum_type(call, 3), &sizes);
}

bool htp_meta_product_of_all(htp_meta_call *call)
{
    return htp_meta_give(call, sum_type(call, 1), &no_dims);
}

bool htp_meta_extreme(htp_meta_call *call)
{
    const htp_runner_tensor *tensor = htp_meta_tensor(call, 0);
    if (tensor->elements == 0) {
        return htp_meta_refuse(call, "Expected reduction dim to be specified for input.numel() == "
                                     "0. Specify the reduction dim with the 'dim' argument.");
    }
    return check_type(call) && htp_meta_give(call, tensor->type, &no_dims);
}

/* Minimum and maximum, of all elements or along a dim. libtorch before 2.0 keeps a dim even for a
 * 0-d tensor. */
bool htp_meta_extremes(htp_meta_call *call)
{
    const htp_runner_tensor *tensor = htp_meta_tensor(call, 0);
    bool is_reduced[HTP_MAX_RANK] = {false};
    bool has_dim = htp_meta_has(call, 1);
    int64_t dim = htp_meta_int_or(call, 1, 0);
    htp_meta_sizes sizes;
    if (!check_type(call) || !htp_meta_wrap(call, tensor->rank, &dim)) {
        return false;
    }
    for (uint32_t i = 0; i < tensor->rank; i++) {
        is_reduced[i] = !has_dim || (int64_t)i == dim;
    }
    bool is_empty = has_dim ? tensor->rank > 0 && tensor->dims[dim] == 0 : tensor->elements == 0;
    if (is_empty) {
        return htp_meta_refuse(call, "aminmax(): cannot compute aminmax over an empty dimension as "
                                     "the operation has no identity");
    }
    bool keeps = htp_meta_bool(call, 2);
    remove_dims(tensor, is_reduced, keeps, &sizes);
    if (call->major < 2 && tensor->rank == 0 && has_dim && keeps) {
        sizes = (htp_meta_sizes){.dims = {1}, .rank = 1};
    }
    return htp_meta_give(call, tensor->type, &sizes) && htp_meta_give(call, tensor->type, &sizes);
}

bool htp_meta_median(htp_meta_call *call)
{
    const htp_runner_tensor *tensor = htp_meta_tensor(call, 0);
    bool is_empty = tensor->elements == 0; /* no element is read */
    return (is_empty || check_type(call)) && htp_meta_give(call, tensor->type, &no_dims);
}

bool htp_meta_count_nonzero(htp_meta_call *call)
{
    htp_meta_sizes sizes;
    return reduce(call, 1, false, &sizes) && htp_meta_give(call, HTP_SCALAR_LONG, &sizes);
}

/* ---- one element along a dim, and its index ---- */

/* Values and positions along the dim in operand @p index; operand @p keeps keeps the dim. */
static bool give_places(htp_meta_call *call, uint32_t index, uint32_t keeps)
{
    const htp_runner_tensor *tensor = htp_meta_tensor(call, 0);
    bool is_reduced[HTP_MAX_RANK] = {false};
    int64_t dim = htp_meta_int(call, index);
    htp_meta_sizes sizes;
    if (!htp_meta_wrap(call, tensor->rank, &dim)) {
        return false;
    }
    if (tensor->rank > 0 && tensor->dims[dim] == 0) {
        return htp_meta_refuse(call, "Expected reduction dim %" PRId64 " to have non-zero size.",
                               dim);
    }
    is_reduced[dim] = true;
    remove_dims(tensor, is_reduced, htp_meta_bool(call, keeps), &sizes);
    bool is_given = htp_meta_give(call, tensor->type, &sizes);
    return is_given && htp_meta_give(call, HTP_SCALAR_LONG, &sizes);
}

bool htp_meta_median_of_dim(htp_meta_call *call)
{
    return check_type(call) && give_places(call, 1, 2);
}

/* Checks the type, unless there is a single element, which may have any. */
static bool check_type_of_many(htp_meta_call *call)
{
    return htp_meta_tensor(call, 0)->rank == 0 || check_type(call);
}

bool htp_meta_mode(htp_meta_call *call)
{
    return check_type_of_many(call) && give_places(call, 1, 2);
}

bool htp_meta_kth_value(htp_meta_call *call)
{
    const htp_runner_tensor *tensor = htp_meta_tensor(call, 0);
    int64_t k = htp_meta_int(call, 1);
    int64_t dim = htp_meta_int(call, 2);
    if (!htp_meta_wrap(call, tensor->rank, &dim)) {
        return false;
    }
    int64_t size = tensor->rank > 0 ? tensor->dims[dim] : 1;
    if (k < 1 || k > size) {
        return htp_meta_refuse(
            call, "kthvalue(): selected number k out of range for dimension %" PRId64, dim);
    }
    return check_type_of_many(call) && give_places(call, 2, 3);
}

/* ---- along a dim ---- */

/* The positions of sorted elements, in their layout. */
bool htp_meta_sorted_places(htp_meta_call *call)
{
    const htp_runner_tensor *tensor = htp_meta_tensor(call, 0);
    int64_t dim = htp_meta_int(call, 2);
    int64_t strides[HTP_MAX_RANK];
    htp_meta_sizes sizes;
    htp_layout_preserved(tensor, strides);
    return htp_meta_wrap(call, tensor->rank, &dim) && check_type(call) &&
           htp_meta_sizes_of(call, tensor, &sizes) &&
           htp_meta_give_strided(call, HTP_SCALAR_LONG, &sizes, strides);
}

bool htp_meta_extreme_so_far(htp_meta_call *call)
{
    const htp_runner_tensor *tensor = htp_meta_tensor(call, 0);
    int64_t dim = htp_meta_int(call, 1);
    htp_meta_sizes sizes;
    bool is_empty = tensor->elements == 0; /* no element is read */
    return (is_empty || (htp_meta_wrap(call, tensor->rank, &dim) && check_type_of_many(call))) &&
           htp_meta_sizes_of(call, tensor, &sizes) && htp_meta_give(call, tensor->type, &sizes) &&
           htp_meta_give(call, HTP_SCALAR_LONG, &sizes);
}

bool htp_meta_sum_of_exponentials_so_far(htp_meta_call *call)
{
    const htp_runner_tensor *tensor = htp_meta_tensor(call, 0);
    int64_t dim = htp_meta_int(call, 1);
    return htp_meta_wrap(call, tensor->rank, &dim) && check_type(call) &&
           htp_meta_give_plain(call, tensor);
}

/* ---- counts in bins ---- */

static bool check_bins(htp_meta_call *call, int64_t bins)
{
    return bins > 0 || htp_meta_refuse(call, "bins must be > 0, but got %" PRId64, bins);
}

static bool check_real_floats(htp_meta_call *call, const htp_runner_tensor *tensor)
{
    return htp_scalar_type_is_floating(tensor->type) ||
           htp_meta_refuse(call, "it is not implemented for '%s'",
                           htp_scalar_type_name(tensor->type));
}

bool htp_meta_histc(htp_meta_call *call)
{
    const htp_runner_tensor *tensor = htp_meta_tensor(call, 0);
    const htp_meta_sizes sizes = {.dims = {htp_meta_int(call, 1)}, .rank = 1};
    return check_real_floats(call, tensor) && check_bins(call, sizes.dims[0]) &&
           htp_meta_give(call, tensor->type, &sizes);
}

static bool check_weights(htp_meta_call *call, uint32_t index)
{
    const htp_runner_tensor *tensor = htp_meta_tensor(call, 0);
    const htp_runner_tensor *weights = htp_meta_optional(call, index);
    htp_meta_text text;
    if (weights && (weights->type != tensor->type || weights->elements != tensor->elements)) {
        return htp_meta_refuse(call, "histogram: weights do not fit the input of %s",
                               htp_meta_sizes_text(&text, tensor));
    }
    return check_real_floats(call, tensor);
}

static bool give_counts(htp_meta_call *call, int64_t bins)
{
    int32_t type = htp_meta_tensor(call, 0)->type;
    const htp_meta_sizes counts = {.dims = {bins}, .rank = 1};
    const htp_meta_sizes edges = {.dims = {htp_meta_plus(bins, 1)}, .rank = 1};
    return check_bins(call, bins) && htp_meta_give(call, type, &counts) &&
           htp_meta_give(call, type, &edges);
}

bool htp_meta_histogram_of_all(htp_meta_call *call)
{
    return check_weights(call, 3) && give_counts(call, htp_meta_int(call, 1));
}

bool htp_meta_histogram_by_edges(htp_meta_call *call)
{
    const htp_runner_tensor *edges = htp_meta_tensor(call, 1);
    htp_meta_text text;
    if (edges->rank != 1 || edges->type != htp_meta_tensor(call, 0)->type) {
        return htp_meta_refuse(call,
                               "histogram: expected edges of one dim and the input's type, "
                               "got %s",
                               htp_meta_sizes_text(&text, edges));
    }
    return check_weights(call, 2) && give_counts(call, edges->dims[0] - 1);
}

/* ---- statistics of rows ---- */

/* A matrix over pairs of rows, or a number for a single row. */
static bool give_of_pairs(htp_meta_call *call, int32_t type)
{
    const htp_runner_tensor *tensor = htp_meta_tensor(call, 0);
    htp_meta_text text;
    if (tensor->rank > 2) {
        return htp_meta_refuse(call, "expected input to have two or fewer dimensions, got %s",
                               htp_meta_sizes_text(&text, tensor));
    }
    if (type == HTP_SCALAR_BOOL) {
        return htp_meta_refuse(call, "bool dtype is not supported for input");
    }
    int64_t rows = tensor->rank == 2 ? tensor->dims[0] : 1;
    const htp_meta_sizes sizes = {.dims = {rows, rows}, .rank = rows == 1 ? 0 : 2};
    return htp_meta_give(call, htp_scalar_type_float(type), &sizes);
}

/* Whether an optional weight has one number per observation. */
static bool check_observed(htp_meta_call *call, uint32_t index, bool are_counts)
{
    const htp_runner_tensor *tensor = htp_meta_tensor(call, 0);
    const htp_runner_tensor *weights = htp_meta_optional(call, index);
    int64_t observations = tensor->rank == 0 ? 1 : tensor->dims[tensor->rank - 1];
    if (!weights) {
        return true;
    }
    bool has_type = are_counts ? htp_scalar_type_is_integral(weights->type, false)
                               : htp_scalar_type_is_floating(weights->type);
    htp_meta_text text;
    return (has_type && weights->rank <= 1 && weights->elements == observations) ||
           htp_meta_refuse(call,
                           "cov(): expected %s of one dim for each of %" PRId64 " observations, "
                           "got %s of %s",
                           are_counts ? "fweights, which are integers,"
                                      : "aweights, which are floats,",
                           observations, htp_scalar_type_name(weights->type),
                           htp_meta_sizes_text(&text, weights));
}

bool htp_meta_covariance(htp_meta_call *call)
{
    if (!check_observed(call, 2, true) || !check_observed(call, 3, false)) {
        return false;
    }
    htp_type_state types = HTP_TYPE_STATE_EMPTY;
    htp_type_state_add(&types, &call->operands[0]);
    htp_type_state_add(&types, &call->operands[3]);
    return give_of_pairs(call, htp_type_state_result(&types));
}

bool htp_meta_correlation(htp_meta_call *call)
{
    return give_of_pairs(call, htp_meta_tensor(call, 0)->type);
}
