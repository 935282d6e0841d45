/* Sizes of element-wise operators; elements.def has their rows. */
#include "interpret/meta/elements.h"

#include "interpret/meta/iterator.h"
#include "interpret/meta/kernels.h"
#include "interpret/meta/layout.h"

#include <inttypes.h>
#include <string.h>

/* Checks operands' types by the row. */
static bool check_type(htp_meta_call *call, int32_t type)
{
    uint32_t how = call->parameter;
    bool is_integral = htp_scalar_type_is_integral(type, false);
    bool is_refused =
        (type == HTP_SCALAR_BOOL && (how & (HTP_ELEMENTS_NO_BOOL | HTP_ELEMENTS_NO_INTEGER))) ||
        (is_integral && (how & HTP_ELEMENTS_NO_INTEGER)) ||
        (htp_scalar_type_is_floating(type) && (how & HTP_ELEMENTS_NO_FLOAT)) ||
        (type == HTP_SCALAR_BFLOAT16 && (how & HTP_ELEMENTS_NO_BFLOAT)) ||
        (htp_scalar_type_is_complex(type) && (how & HTP_ELEMENTS_NO_COMPLEX));
    return !is_refused ||
           htp_meta_refuse(call, "it is not implemented for '%s'", htp_scalar_type_name(type));
}

static int32_t output_type(const htp_meta_call *call, int32_t type)
{
    uint32_t how = call->parameter;
    int32_t made = how & HTP_ELEMENTS_FLOAT ? htp_scalar_type_float(type) : type;
    return how & HTP_ELEMENTS_BOOL      ? HTP_SCALAR_BOOL
           : how & HTP_ELEMENTS_REAL    ? htp_scalar_type_real(made)
           : how & HTP_ELEMENTS_COMPLEX ? htp_scalar_type_complex(made)
                                        : made;
}

static bool check_operands(htp_meta_call *call, const htp_iteration *loop)
{
    for (uint32_t i = 0; i < loop->count; i++) {
        int32_t type = loop->tensors[i].type;
        if ((call->parameter & HTP_ELEMENTS_SAME) && type != loop->tensors[0].type) {
            return htp_meta_refuse(call, "Expected object of scalar type %s but got scalar type %s",
                                   htp_scalar_type_name(loop->tensors[0].type),
                                   htp_scalar_type_name(type));
        }
        if ((call->parameter & HTP_ELEMENTS_REVERSED) && type == HTP_SCALAR_BOOL) {
            return htp_meta_refuse(call, "Subtraction with a bool tensor is not supported");
        }
    }
    return true;
}

/* Outputs that torch.empty() or empty_like() made before the loop; they are resized if operands are
 * broadcast. */
static bool give_made(htp_meta_call *call, const htp_iteration *loop, int32_t type)
{
    int64_t strides[HTP_MAX_RANK];
    if (call->parameter & HTP_ELEMENTS_PLAIN) {
        return htp_meta_give(call, type, &loop->shape);
    }
    if (loop->shape.rank != loop->tensors[0].rank ||
        memcmp(loop->shape.dims, loop->tensors[0].dims, loop->shape.rank * sizeof(int64_t)) != 0) {
        return htp_iteration_give(call, loop, type);
    }
    htp_layout_preserved(&loop->tensors[0], strides);
    return htp_meta_give_strided(call, type, &loop->shape, strides);
}

bool htp_meta_elements(htp_meta_call *call)
{
    uint32_t how = call->parameter;
    uint32_t count = how & HTP_ELEMENTS_COUNT;
    htp_iteration loop = htp_iteration_begin();
    for (uint32_t i = 0; i < count; i++) {
        uint32_t index = how & HTP_ELEMENTS_REVERSED ? count - 1 - i : i;
        if (!htp_iteration_add(call, &loop, &call->operands[index])) {
            return false;
        }
    }
    int32_t type = htp_type_state_result(&loop.types);
    if (!check_type(call, type) || !check_operands(call, &loop)) {
        return false;
    }
    if (how & (HTP_ELEMENTS_LIKE | HTP_ELEMENTS_PLAIN)) {
        return give_made(call, &loop, output_type(call, type));
    }
    htp_iteration_convert(&loop, how & HTP_ELEMENTS_FLOAT ? htp_scalar_type_float(type) : type);
    return htp_iteration_give(call, &loop, output_type(call, type));
}

bool htp_meta_hardtanh(htp_meta_call *call)
{
    bool is_below = htp_meta_float(call, 1) < 0 || htp_meta_float(call, 2) < 0;
    return htp_meta_tensor(call, 0)->type == HTP_SCALAR_BYTE && is_below
               ? htp_meta_refuse(call,
                                 "cannot do hardtanh on an unsigned type with negative limits")
               : htp_meta_elements(call);
}

/* Computes complex numbers first, then copies angles to a contiguous tensor. */
bool htp_meta_angle(htp_meta_call *call)
{
    const htp_runner_tensor *tensor = htp_meta_tensor(call, 0);
    htp_meta_sizes sizes;
    return !htp_scalar_type_is_complex(tensor->type)
               ? htp_meta_elements(call)
               : htp_meta_sizes_of(call, tensor, &sizes) &&
                     htp_meta_give(call, htp_scalar_type_real(tensor->type), &sizes);
}

/* Fractions, and their exponents. */
bool htp_meta_frexp(htp_meta_call *call)
{
    const htp_runner_tensor *self = htp_meta_tensor(call, 0);
    htp_meta_sizes sizes;
    int64_t strides[HTP_MAX_RANK];
    if (!htp_scalar_type_is_floating(self->type)) {
        return htp_meta_refuse(call, "torch.frexp() only supports floating-point dtypes");
    }
    htp_layout_preserved(self, strides);
    return htp_meta_sizes_of(call, self, &sizes) &&
           htp_meta_give_strided(call, self->type, &sizes, strides) &&
           htp_meta_give_strided(call, HTP_SCALAR_INT, &sizes, strides);
}

/* Since PyTorch 2, the buffer for random slopes must have the input's sizes. */
bool htp_meta_random_slopes(htp_meta_call *call)
{
    const htp_runner_tensor *self = htp_meta_tensor(call, 0);
    const htp_runner_tensor *noise = htp_meta_tensor(call, 1);
    bool fits = self->rank == noise->rank &&
                memcmp(self->dims, noise->dims, self->rank * sizeof(*self->dims)) == 0;
    if (call->major >= 2 && !fits) {
        htp_meta_text own;
        htp_meta_text given;
        return htp_meta_refuse(call,
                               "noise tensor shape must match self tensor shape. Got self.shape = "
                               "%s noise.shape = %s",
                               htp_meta_sizes_text(&own, self), htp_meta_sizes_text(&given, noise));
    }
    return htp_meta_elements(call);
}

/* One slope per channel, or one for all. */
bool htp_meta_prelu(htp_meta_call *call)
{
    const htp_runner_tensor *self = htp_meta_tensor(call, 0);
    const htp_runner_tensor *weight = htp_meta_tensor(call, 1);
    int64_t channels = self->rank > 1 ? self->dims[1] : 1;
    if (self->type != weight->type) {
        return htp_meta_refuse(call, "prelu: Type promoting not supported. Got %s and %s",
                               htp_scalar_type_name(self->type),
                               htp_scalar_type_name(weight->type));
    }
    if (!htp_scalar_type_is_floating(self->type)) {
        return htp_meta_refuse(call, "it is not implemented for '%s'",
                               htp_scalar_type_name(self->type));
    }
    if (weight->elements != 1 && (self->rank == 0 || weight->elements != channels)) {
        return htp_meta_refuse(call,
                               "Mismatch of parameter numbers and input channel size. Found "
                               "parameter numbers = %" PRId64 " and channel size = %" PRId64,
                               weight->elements, channels);
    }
    htp_meta_sizes sizes;
    return htp_meta_sizes_of(call, self, &sizes) && htp_meta_give_formatted(call, self, &sizes);
}

/* Selects one of two by a condition. */
bool htp_meta_where(htp_meta_call *call)
{
    const htp_runner_tensor *condition = htp_meta_tensor(call, 0);
    htp_iteration choice = htp_iteration_begin();
    htp_iteration loop = htp_iteration_begin();
    if (condition->type != HTP_SCALAR_BOOL && condition->type != HTP_SCALAR_BYTE) {
        return htp_meta_refuse(call,
                               "where expected condition to be a boolean tensor, but got a tensor "
                               "with dtype %s",
                               htp_scalar_type_name(condition->type));
    }
    if (!htp_iteration_add(call, &choice, &call->operands[1]) ||
        !htp_iteration_add(call, &choice, &call->operands[2])) {
        return false;
    }
    int32_t type = htp_type_state_result(&choice.types);
    htp_iteration_convert(&choice, type);
    htp_operand converted[] = {call->operands[0],
                               {.kind = HTP_OPERAND_TENSOR, .as.tensor = &choice.tensors[0]},
                               {.kind = HTP_OPERAND_TENSOR, .as.tensor = &choice.tensors[1]}};
    for (uint32_t i = 0; i < 3; i++) {
        if (!htp_iteration_add(call, &loop, &converted[i])) {
            return false;
        }
    }
    return htp_iteration_give(call, &loop, type);
}
