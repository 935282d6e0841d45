/* Sizes of losses and distances. */
#include "interpret/meta/iterator.h"
#include "interpret/meta/kernels.h"
#include "interpret/meta/layout.h"

#include <inttypes.h>
#include <string.h>

static const htp_meta_sizes no_dims = {.rank = 0};

static bool is_floating(htp_meta_call *call, int32_t type)
{
    return htp_scalar_type_is_floating(type) ||
           htp_meta_refuse(call, "it is not implemented for '%s'", htp_scalar_type_name(type));
}

/* at::Reduction: 0 is no reduction. */
static bool is_reduced(const htp_meta_call *call, uint32_t index)
{
    return htp_meta_int(call, index) != 0;
}

/* ---- element-wise losses ---- */

/* Losses created like the input, possibly reduced. */
static bool give_loss_like_first(htp_meta_call *call, uint32_t count, uint32_t reduction)
{
    const htp_runner_tensor *input = htp_meta_tensor(call, 0);
    htp_iteration loop = htp_iteration_begin();
    int64_t strides[HTP_MAX_RANK];
    for (uint32_t i = 0; i < count; i++) {
        const htp_operand *operand = &call->operands[i];
        if (operand->kind == HTP_OPERAND_TENSOR && !htp_iteration_add(call, &loop, operand)) {
            return false;
        }
    }
    if (is_reduced(call, reduction)) {
        return htp_meta_give(call, input->type, &no_dims);
    }
    bool is_wider = loop.shape.rank != input->rank ||
                    memcmp(loop.shape.dims, input->dims, input->rank * sizeof(int64_t)) != 0;
    if (is_wider) {
        return htp_iteration_give(call, &loop, input->type);
    }
    htp_layout_preserved(input, strides);
    return htp_meta_give_strided(call, input->type, &loop.shape, strides);
}

static bool have_same_types(htp_meta_call *call, const htp_runner_tensor *one,
                            const htp_runner_tensor *other)
{
    return one->type == other->type ||
           htp_meta_refuse(call, "Found dtype %s but expected %s",
                           htp_scalar_type_name(other->type), htp_scalar_type_name(one->type));
}

/* The dims of a tensor other than 1. */
static htp_meta_sizes squeezed(const htp_runner_tensor *tensor)
{
    htp_meta_sizes sizes = {.rank = 0};
    for (uint32_t dim = 0; dim < tensor->rank; dim++) {
        if (tensor->dims[dim] != 1) {
            sizes.dims[sizes.rank++] = tensor->dims[dim];
        }
    }
    return sizes;
}

/* Whether sizes broadcast to others without changing them. */
static bool expands_to(const int64_t *dims, uint32_t rank, const int64_t *others, uint32_t count)
{
    bool expands = rank <= count;
    for (uint32_t i = 1; i <= rank && expands; i++) {
        expands = dims[rank - i] == 1 || dims[rank - i] == others[count - i];
    }
    return expands;
}

/* The kernel compares only dims other than 1, and returns a tensor like its input for any target.
 */
static bool check_target(htp_meta_call *call)
{
    const htp_runner_tensor *input = htp_meta_tensor(call, 0);
    const htp_runner_tensor *target = htp_meta_tensor(call, 1);
    const htp_runner_tensor *weight = htp_meta_optional(call, 2);
    const htp_meta_sizes own = squeezed(input);
    const htp_meta_sizes given = squeezed(target);
    bool fits = expands_to(given.dims, given.rank, own.dims, own.rank);
    if (!fits || (weight && !expands_to(weight->dims, weight->rank, input->dims, input->rank))) {
        htp_meta_text texts[2];
        return htp_meta_refuse(call, "a target%s of %s does not fit the input of %s",
                               fits ? "'s weight" : "",
                               htp_meta_sizes_text(&texts[0], fits ? weight : target),
                               htp_meta_sizes_text(&texts[1], input));
    }
    return true;
}

bool htp_meta_binary_cross_entropy(htp_meta_call *call)
{
    const htp_runner_tensor *input = htp_meta_tensor(call, 0);
    return is_floating(call, input->type) &&
           have_same_types(call, input, htp_meta_tensor(call, 1)) && check_target(call) &&
           (is_reduced(call, 3) ? htp_meta_give(call, input->type, &no_dims)
                                : htp_meta_give_like(call, input));
}

bool htp_meta_huber_loss(htp_meta_call *call)
{
    htp_type_state types = HTP_TYPE_STATE_EMPTY;
    htp_type_state_add(&types, &call->operands[0]);
    htp_type_state_add(&types, &call->operands[1]);
    if (htp_meta_float(call, 3) <= 0) {
        return htp_meta_refuse(call, "huber_loss does not support non-positive values for delta.");
    }
    return is_floating(call, htp_type_state_result(&types)) &&
           is_floating(call, htp_meta_tensor(call, 0)->type) && give_loss_like_first(call, 2, 2);
}

/* The logarithm, and a buffer for its gradient. */
bool htp_meta_log_sigmoid(htp_meta_call *call)
{
    const htp_runner_tensor *input = htp_meta_tensor(call, 0);
    return is_floating(call, input->type) && htp_meta_give_plain(call, input) &&
           htp_meta_give_plain(call, input);
}

/* ---- losses of classes ---- */

static bool has_type(htp_meta_call *call, const htp_runner_tensor *tensor, int32_t type)
{
    return !tensor || tensor->type == type ||
           htp_meta_refuse(call, "expected scalar type %s but found %s", htp_scalar_type_name(type),
                           htp_scalar_type_name(tensor->type));
}

/* Whether classes are integers, and their weights have the type of the scores. */
static bool are_classes(htp_meta_call *call, const htp_runner_tensor *target,
                        const htp_runner_tensor *weight)
{
    return has_type(call, target, HTP_SCALAR_LONG) &&
           has_type(call, weight, htp_meta_tensor(call, 0)->type);
}

/* For images: a class per position. */
bool htp_meta_class_loss_of_pictures(htp_meta_call *call)
{
    const htp_runner_tensor *input = htp_meta_tensor(call, 0);
    const htp_runner_tensor *target = htp_meta_tensor(call, 1);
    const htp_runner_tensor *weight = htp_meta_optional(call, 2);
    htp_meta_text first;
    htp_meta_text second;
    if (target->rank != 3 || input->rank != 4) {
        return htp_meta_refuse(call,
                               "only batches of spatial targets supported (3D tensors) and batches "
                               "of spatial inputs (4D tensors), got %s and %s",
                               htp_meta_sizes_text(&first, target),
                               htp_meta_sizes_text(&second, input));
    }
    if (weight && weight->elements != input->dims[1]) {
        return htp_meta_refuse(call,
                               "weight tensor should be defined either for all or no classes");
    }
    if (input->dims[0] != target->dims[0] || input->dims[2] != target->dims[1] ||
        input->dims[3] != target->dims[2]) {
        return htp_meta_refuse(call, "size mismatch (got input: %s , target: %s)",
                               htp_meta_sizes_text(&first, input),
                               htp_meta_sizes_text(&second, target));
    }
    const htp_meta_sizes places = {.dims = {target->dims[0], target->dims[1], target->dims[2]},
                                   .rank = 3};
    return is_floating(call, input->type) && are_classes(call, target, weight) &&
           htp_meta_give(call, input->type, is_reduced(call, 3) ? &no_dims : &places) &&
           htp_meta_give(call, input->type, &no_dims);
}

/* Rows of scores: a batch, or a single one. */
static bool find_rows(htp_meta_call *call, int64_t *rows, int64_t *classes)
{
    const htp_runner_tensor *input = htp_meta_tensor(call, 0);
    htp_meta_text text;
    *rows = input->rank == 2 ? input->dims[0] : 1;
    *classes = input->rank == 0 ? 1 : input->dims[input->rank - 1];
    if (input->rank > 2 || *classes == 0) {
        return htp_meta_refuse(
            call,
            "Expected non-empty vector or matrix with optional 0-dim batch size, "
            "but got: %s",
            htp_meta_sizes_text(&text, input));
    }
    return input->elements == 0 || is_floating(call, input->type);
}

bool htp_meta_multi_margin_loss(htp_meta_call *call)
{
    const htp_runner_tensor *target = htp_meta_tensor(call, 1);
    const htp_runner_tensor *weight = htp_meta_optional(call, 4);
    int64_t rows = 0;
    int64_t classes = 0;
    htp_meta_text text;
    if (!find_rows(call, &rows, &classes)) {
        return false;
    }
    if (target->rank > 1 || target->elements != rows) {
        return htp_meta_refuse(call, "inconsistent target size, expected %" PRId64 " but got %s",
                               rows, htp_meta_sizes_text(&text, target));
    }
    if (weight && weight->elements != classes) {
        return htp_meta_refuse(call, "inconsistent weight size, expected %" PRId64 " but got %s",
                               classes, htp_meta_sizes_text(&text, weight));
    }
    if (htp_meta_float(call, 2) != 1 && htp_meta_float(call, 2) != 2) {
        return htp_meta_refuse(call, "only p == 1 and p == 2 supported");
    }
    const htp_meta_sizes each = {.dims = {rows}, .rank = 1};
    bool is_one = is_reduced(call, 5) || target->rank == 0;
    return are_classes(call, target, weight) &&
           htp_meta_give(call, htp_meta_tensor(call, 0)->type, is_one ? &no_dims : &each);
}

/* The loss of each row, and a mask of its target classes. */
bool htp_meta_multilabel_margin_loss(htp_meta_call *call)
{
    const htp_runner_tensor *input = htp_meta_tensor(call, 0);
    const htp_runner_tensor *target = htp_meta_tensor(call, 1);
    int64_t rows = 0;
    int64_t classes = 0;
    htp_meta_text text;
    htp_meta_sizes targets;
    if (!find_rows(call, &rows, &classes) || !htp_meta_sizes_of(call, target, &targets)) {
        return false;
    }
    if (target->rank > 2 || target->elements != rows * classes ||
        (input->rank == 2) != (target->rank == 2) ||
        (target->rank == 2 && target->dims[0] != rows)) {
        return htp_meta_refuse(call, "inconsistent target size: %s",
                               htp_meta_sizes_text(&text, target));
    }
    const htp_meta_sizes each = {.dims = {rows}, .rank = 1};
    bool is_one = is_reduced(call, 2) || target->rank <= 1;
    return are_classes(call, target, NULL) &&
           htp_meta_give(call, input->type, is_one ? &no_dims : &each) &&
           htp_meta_give(call, input->type, &targets);
}

/* ---- distances ---- */

/* The distance of each row of one tensor to each row of another. */
bool htp_meta_distances(htp_meta_call *call)
{
    const htp_runner_tensor *one = htp_meta_tensor(call, 0);
    const htp_runner_tensor *other = htp_meta_tensor(call, 1);
    htp_iteration batches = htp_iteration_begin();
    if (one->rank < 2 || other->rank < 2) {
        return htp_meta_refuse(call, "cdist only supports at least 2D tensors, got %uD and %uD",
                               (unsigned)one->rank, (unsigned)other->rank);
    }
    if (htp_meta_dim(one, -1) != htp_meta_dim(other, -1)) {
        return htp_meta_refuse(
            call, "X1 and X2 must have the same number of columns. X1: %" PRId64 " X2: %" PRId64,
            htp_meta_dim(one, -1), htp_meta_dim(other, -1));
    }
    bool is_empty = one->elements == 0 || other->elements == 0;
    if (!is_floating(call, one->type) || !is_floating(call, other->type) ||
        (!is_empty && !have_same_types(call, one, other))) {
        return false;
    }
    if (htp_meta_float(call, 2) < 0) {
        return htp_meta_refuse(call, "cdist only supports non-negative p values");
    }
    htp_runner_tensor first = *one;
    htp_runner_tensor second = *other;
    first.rank -= 2;
    second.rank -= 2;
    const htp_operand operands[] = {{.kind = HTP_OPERAND_TENSOR, .as.tensor = &first},
                                    {.kind = HTP_OPERAND_TENSOR, .as.tensor = &second}};
    if (!htp_iteration_add(call, &batches, &operands[0]) ||
        !htp_iteration_add(call, &batches, &operands[1])) {
        return false;
    }
    htp_meta_sizes *sizes = &batches.shape;
    sizes->dims[sizes->rank++] = htp_meta_dim(one, -2);
    sizes->dims[sizes->rank++] = htp_meta_dim(other, -2);
    return htp_meta_give(call, one->type, sizes);
}

/* The distances of all pairs of rows. */
bool htp_meta_distances_of_pairs(htp_meta_call *call)
{
    const htp_runner_tensor *self = htp_meta_tensor(call, 0);
    if (!self->is_contiguous) {
        return htp_meta_refuse(call, "_pdist_forward requires contiguous input");
    }
    if (self->rank != 2) {
        return htp_meta_refuse(call, "pdist only supports 2D tensors, got: %uD",
                               (unsigned)self->rank);
    }
    int64_t rows = self->dims[0];
    const htp_meta_sizes sizes = {.dims = {rows <= 1 ? 0 : htp_meta_times(rows, rows - 1) / 2},
                                  .rank = 1};
    return (rows <= 1 || is_floating(call, self->type)) && htp_meta_give(call, self->type, &sizes);
}
