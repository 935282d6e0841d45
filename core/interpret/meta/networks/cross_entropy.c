/*
 * Sizes of cross entropies: cross_entropy_loss() in libtorch's LossNLL.cpp, and its decomposition.
 * Targets are classes; or probabilities, if they have the sizes of the scores.
 */
#include "interpret/meta/kernels.h"
#include "interpret/meta/outputs.h"
#include "interpret/meta/types.h"

#include <inttypes.h>
#include <string.h>

enum { SELF, TARGET, WEIGHT, REDUCTION, IGNORED, SMOOTHING };

/* ---- operands ---- */

static bool are_probabilities(const htp_meta_call *call)
{
    const htp_runner_tensor *self = htp_meta_tensor(call, SELF);
    const htp_runner_tensor *target = htp_meta_tensor(call, TARGET);
    return self->rank == target->rank &&
           memcmp(self->dims, target->dims, self->rank * sizeof(*self->dims)) == 0;
}

static int64_t count_classes(const htp_meta_call *call)
{
    const htp_runner_tensor *self = htp_meta_tensor(call, SELF);
    return self->dims[self->rank == 1 ? 0 : 1];
}

static bool check_scores(htp_meta_call *call)
{
    const htp_runner_tensor *self = htp_meta_tensor(call, SELF);
    const htp_runner_tensor *weight = htp_meta_optional(call, WEIGHT);
    int64_t reduction = htp_meta_int(call, REDUCTION);
    double smoothing = htp_meta_float(call, SMOOTHING);
    if (self->rank == 0 || !htp_scalar_type_is_floating(self->type) || count_classes(call) == 0) {
        htp_meta_text text;
        return htp_meta_refuse(call,
                               "cross_entropy_loss: expected scores of classes, which are floats, "
                               "got %s of %s",
                               htp_scalar_type_name(self->type), htp_meta_sizes_text(&text, self));
    }
    if (weight && (weight->rank != 1 || weight->dims[0] != count_classes(call))) {
        htp_meta_text text;
        return htp_meta_refuse(call,
                               "cross_entropy: weight tensor should be defined either for all "
                               "%" PRId64 " classes or no classes but got weight tensor of shape: "
                               "%s",
                               count_classes(call), htp_meta_sizes_text(&text, weight));
    }
    if (reduction < 0 || reduction > 2) {
        return htp_meta_refuse(
            call, "Invalid reduction type encountered in cross_entropy: %" PRId64, reduction);
    }
    return !(smoothing > 1) ||
           htp_meta_refuse(call, "label_smoothing must be between 0.0 and 1.0. Got: %g", smoothing);
}

static bool check_probabilities(htp_meta_call *call)
{
    int32_t type = htp_meta_tensor(call, TARGET)->type;
    if (!htp_scalar_type_is_floating(type)) {
        return htp_meta_refuse(
            call, "Expected floating point type for target with class probabilities, got %s",
            htp_scalar_type_name(type));
    }
    return htp_meta_int(call, IGNORED) < 0 ||
           htp_meta_refuse(call, "ignore_index is not supported for floating point target");
}

/* Whether each position of the scores has a class: dims are equal except that of classes. */
static bool have_places(const htp_runner_tensor *self, const htp_runner_tensor *target)
{
    bool have = target->rank + 1 == self->rank;
    for (uint32_t i = 0; have && i < target->rank; i++) {
        have = target->dims[i] == self->dims[i == 0 ? 0 : i + 1];
    }
    return have;
}

/* Since PyTorch 2, scores without a batch may have a class in a dim of its own. */
static bool is_row_of_one(const htp_meta_call *call)
{
    const htp_runner_tensor *target = htp_meta_tensor(call, TARGET);
    return call->major >= 2 && htp_meta_tensor(call, SELF)->rank == 1 && target->rank == 1 &&
           target->dims[0] == 1 && !(htp_meta_float(call, SMOOTHING) > 0);
}

/* uint8 classes are accepted for rows of scores alone. */
static bool check_classes(htp_meta_call *call)
{
    const htp_runner_tensor *self = htp_meta_tensor(call, SELF);
    const htp_runner_tensor *target = htp_meta_tensor(call, TARGET);
    const htp_runner_tensor *weight = htp_meta_optional(call, WEIGHT);
    bool is_index =
        target->type == HTP_SCALAR_LONG || (target->type == HTP_SCALAR_BYTE && self->rank <= 2);
    if (!is_index || (weight && weight->type != self->type)) {
        return htp_meta_refuse(call,
                               "expected classes of scalar type Long and weights of %s, but found "
                               "%s and %s",
                               htp_scalar_type_name(self->type), htp_scalar_type_name(target->type),
                               htp_scalar_type_name(weight ? weight->type : self->type));
    }
    htp_meta_text first;
    htp_meta_text second;
    return have_places(self, target) || is_row_of_one(call) ||
           htp_meta_refuse(call, "Expected target of a class for each place of %s, got %s",
                           htp_meta_sizes_text(&first, self), htp_meta_sizes_text(&second, target));
}

/* ---- outputs ---- */

static int32_t output_type(const htp_meta_call *call)
{
    htp_type_state types = HTP_TYPE_STATE_EMPTY;
    htp_type_state_add(&types, &call->operands[SELF]);
    if (are_probabilities(call)) {
        htp_type_state_add(&types, &call->operands[TARGET]);
        htp_type_state_add(&types, &call->operands[WEIGHT]);
    }
    return htp_type_state_result(&types);
}

/* A loss per position, or the total. */
bool htp_meta_cross_entropy(htp_meta_call *call)
{
    const htp_runner_tensor *self = htp_meta_tensor(call, SELF);
    htp_meta_sizes sizes = {.rank = 0};
    if (!check_scores(call) ||
        !(are_probabilities(call) ? check_probabilities(call) : check_classes(call))) {
        return false;
    }
    uint32_t classes = self->rank == 1 ? 0 : 1;
    for (uint32_t dim = 0; htp_meta_int(call, REDUCTION) == 0 && dim < self->rank; dim++) {
        if (dim != classes) {
            sizes.dims[sizes.rank++] = self->dims[dim];
        }
    }
    return htp_meta_give(call, output_type(call), &sizes);
}
