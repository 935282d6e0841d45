/* Sizes of tensors made from numbers, random numbers, or positions. */
#include "interpret/meta/iterator.h"
#include "interpret/meta/kernels.h"
#include "interpret/meta/layout.h"

#include <inttypes.h>
#include <string.h>

/* ---- of numbers ---- */

bool htp_meta_permutation(htp_meta_call *call)
{
    const uint32_t dtype = call->parameter;
    const htp_meta_sizes sizes = {.dims = {htp_meta_int(call, 0)}, .rank = 1};
    if (sizes.dims[0] < 0) {
        return htp_meta_refuse(call, "n must be non-negative, got%" PRId64, sizes.dims[0]);
    }
    return htp_meta_give(call, (int32_t)htp_meta_int_or(call, dtype, HTP_SCALAR_LONG), &sizes);
}

/* Numbers between two bounds, which are tensors. */
bool htp_meta_numbers_between(htp_meta_call *call)
{
    const uint32_t dtype = call->parameter;
    const htp_meta_sizes sizes = {.dims = {htp_meta_int(call, 2)}, .rank = 1};
    bool is_complex = false;
    for (uint32_t i = 0; i < 2; i++) {
        const htp_runner_tensor *tensor = htp_meta_optional(call, i);
        int32_t type = tensor ? tensor->type : htp_operand_scalar_type(&call->operands[i]);
        is_complex = is_complex || htp_scalar_type_is_complex(type);
        if (tensor && tensor->rank > 0) {
            return htp_meta_refuse(call, "it only supports 0-dimensional start and end tensors");
        }
    }
    if (sizes.dims[0] < 0) {
        return htp_meta_refuse(call, "number of steps must be non-negative");
    }
    int32_t type = (int32_t)htp_meta_int_or(
        call, dtype, is_complex ? HTP_SCALAR_COMPLEX_FLOAT : HTP_SCALAR_FLOAT);
    return !is_complex || htp_scalar_type_is_complex(type)
               ? htp_meta_give(call, type, &sizes)
               : htp_meta_refuse(call, "complex numbers can't be safely cast to dtype %s",
                                 htp_scalar_type_name(type));
}

/* ---- at random ---- */

bool htp_meta_multinomial(htp_meta_call *call)
{
    const htp_runner_tensor *self = htp_meta_tensor(call, 0);
    int64_t count = htp_meta_int(call, 1);
    htp_meta_text text;
    if (self->rank < 1 || self->rank > 2) {
        return htp_meta_refuse(call, "prob_dist must be 1 or 2 dim, got %s",
                               htp_meta_sizes_text(&text, self));
    }
    if (!htp_scalar_type_is_floating(self->type)) {
        return htp_meta_refuse(call, "multinomial only supports floating-point dtypes for input");
    }
    if (count <= 0 || (!htp_meta_bool(call, 2) && count > htp_meta_dim(self, -1))) {
        return htp_meta_refuse(call,
                               "cannot sample n_sample %" PRId64
                               " > prob_dist.size(-1) samples without replacement, or <= 0",
                               count);
    }
    htp_meta_sizes sizes = {.rank = self->rank};
    sizes.dims[0] = self->dims[0];
    sizes.dims[sizes.rank - 1] = count;
    return htp_meta_give(call, HTP_SCALAR_LONG, &sizes);
}

/* The input with elements zeroed, and the mask of those kept. */
bool htp_meta_dropout(htp_meta_call *call)
{
    const htp_runner_tensor *input = htp_meta_tensor(call, 0);
    bool is_training = !htp_meta_has(call, 2) || htp_meta_bool(call, 2);
    htp_meta_sizes sizes;
    int64_t strides[HTP_MAX_RANK];
    if (input->elements == 0) {
        return htp_meta_give_operand(call, 0) && htp_meta_give_like(call, input);
    }
    if (is_training && htp_scalar_type_is_integral(input->type, true)) {
        return htp_meta_refuse(call,
                               "result type Float can't be cast to the desired output type %s",
                               htp_scalar_type_name(input->type));
    }
    htp_layout_preserved(input, strides);
    htp_runner_tensor mask = *input;
    mask.strides = strides;
    const htp_operand of_mask = {.kind = HTP_OPERAND_TENSOR, .as.tensor = &mask};
    htp_iteration loop = htp_iteration_begin();
    if (!htp_meta_sizes_of(call, input, &sizes) ||
        !htp_iteration_add(call, &loop, &call->operands[0]) ||
        !htp_iteration_add(call, &loop, &of_mask)) {
        return false;
    }
    return (is_training ? htp_iteration_give(call, &loop, input->type)
                        : htp_meta_give_like(call, input)) &&
           htp_meta_give_strided(call, HTP_SCALAR_BOOL, &sizes, strides);
}

/* ---- positions ---- */

/* The positions of one or more numbers in a sorted tensor. */
static bool give_positions(htp_meta_call *call, const htp_runner_tensor *sorted,
                           const htp_runner_tensor *numbers, bool is_int)
{
    htp_meta_sizes sizes = {.rank = 0};
    int32_t type = htp_scalar_type_promote(sorted->type, numbers ? numbers->type : sorted->type);
    if (htp_scalar_type_is_complex(type) && (!numbers || numbers->elements > 0)) {
        return htp_meta_refuse(call, "it is not implemented for '%s'", htp_scalar_type_name(type));
    }
    return (!numbers || htp_meta_sizes_of(call, numbers, &sizes)) &&
           htp_meta_give(call, is_int ? HTP_SCALAR_INT : HTP_SCALAR_LONG, &sizes);
}

bool htp_meta_bucketize(htp_meta_call *call)
{
    const htp_runner_tensor *numbers = htp_meta_optional(call, 0);
    const htp_runner_tensor *boundaries = htp_meta_tensor(call, 1);
    if (boundaries->rank != 1) {
        return htp_meta_refuse(call, "boundaries tensor must be 1 dimension, but got dim(%u)",
                               (unsigned)boundaries->rank);
    }
    return give_positions(call, boundaries, numbers, htp_meta_bool(call, 2));
}

static bool check_sorted(htp_meta_call *call, const htp_runner_tensor *sorted,
                         const htp_runner_tensor *numbers)
{
    const htp_runner_tensor *sorter = htp_meta_optional(call, 5);
    uint32_t rank = sorted->rank;
    htp_meta_text first;
    htp_meta_text second;
    if (rank == 0) {
        return htp_meta_refuse(call, "boundaries tensor should have positive dimension");
    }
    bool fits = numbers ? rank == 1 || (numbers->rank == rank &&
                                        memcmp(numbers->dims, sorted->dims,
                                               (rank - 1) * sizeof(*sorted->dims)) == 0)
                        : rank == 1;
    if (!fits) {
        return htp_meta_refuse(
            call,
            "boundaries tensor should be 1 dimension or the first N-1 dimensions "
            "of boundaries tensor and input value tensor must match, but we got "
            "boundaries tensor %s and input value tensor %s",
            htp_meta_sizes_text(&first, sorted),
            numbers ? htp_meta_sizes_text(&second, numbers) : "[]");
    }
    if (sorter && (sorter->type != HTP_SCALAR_LONG || sorter->rank != rank ||
                   memcmp(sorter->dims, sorted->dims, rank * sizeof(*sorted->dims)) != 0)) {
        return htp_meta_refuse(call, "sorter must be of dtype long, and of the boundaries' sizes");
    }
    return true;
}

bool htp_meta_searchsorted(htp_meta_call *call)
{
    const htp_runner_tensor *numbers = htp_meta_optional(call, 1);
    if (htp_meta_is_text(call, 4, "left") && htp_meta_bool(call, 3)) {
        return htp_meta_refuse(call, "torch.searchsorted(): side and right can't be set to "
                                     "opposites, got side of left while right was True");
    }
    if (htp_meta_has(call, 4) && !htp_meta_is_text(call, 4, "left") &&
        !htp_meta_is_text(call, 4, "right")) {
        return htp_meta_refuse(call, "torch.searchsorted(): side can only be 'left' or 'right'");
    }
    return check_sorted(call, htp_meta_tensor(call, 0), numbers) &&
           give_positions(call, htp_meta_tensor(call, 0), numbers, htp_meta_bool(call, 2));
}

/* ---- classes, and choices of elements ---- */

bool htp_meta_one_hot(htp_meta_call *call)
{
    const htp_runner_tensor *self = htp_meta_tensor(call, 0);
    int64_t classes = htp_meta_int(call, 1);
    htp_meta_sizes sizes;
    if (self->type != HTP_SCALAR_LONG) {
        return htp_meta_refuse(call, "one_hot is only applicable to index tensor.");
    }
    if (classes < 0) {
        return htp_meta_refuse(call,
                               "num_classes is needed: its output's size depends on the data");
    }
    if (classes == 0) {
        return htp_meta_refuse(call, "Class values must be smaller than num_classes.");
    }
    if (!htp_meta_sizes_of(call, self, &sizes)) {
        return false;
    }
    if (sizes.rank == HTP_MAX_RANK) {
        return htp_meta_refuse(call, "its output has more than %u dims", HTP_MAX_RANK);
    }
    sizes.dims[sizes.rank++] = classes;
    return htp_meta_give(call, HTP_SCALAR_LONG, &sizes);
}

/* The binomial coefficient of @p size and @p chosen, saturated. */
static int64_t count_choices(int64_t size, int64_t chosen, bool is_repeating)
{
    int64_t all = is_repeating ? htp_meta_minus(htp_meta_plus(size, chosen), 1) : size;
    int64_t count = 1;
    if (size == 0 || chosen > all) {
        return 0;
    }
    for (int64_t i = 0; i < chosen && count < INT64_MAX; i++) {
        count = htp_meta_times(count, all - i);
        count = count == INT64_MAX ? count : count / (i + 1);
    }
    return count;
}

bool htp_meta_combinations(htp_meta_call *call)
{
    const htp_runner_tensor *self = htp_meta_tensor(call, 0);
    int64_t chosen = htp_meta_int(call, 1);
    if (self->rank != 1) {
        return htp_meta_refuse(call, "Expect a 1D vector, but got %uD", (unsigned)self->rank);
    }
    if (chosen < 0) {
        return htp_meta_refuse(call, "Expect a non-negative number, but got %" PRId64, chosen);
    }
    htp_meta_sizes sizes = {.dims = {0}, .rank = 1};
    if (chosen > 0) {
        sizes = (htp_meta_sizes){
            .dims = {count_choices(self->dims[0], chosen, htp_meta_bool(call, 2)), chosen},
            .rank = 2};
    }
    return htp_meta_give(call, self->type, &sizes);
}
