#include "interpret/meta/iterator.h"

#include "interpret/meta/layout.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

static const int64_t no_dims[1] = {0};

htp_iteration htp_iteration_begin(void)
{
    return (htp_iteration){.has_one_shape = true, .types = HTP_TYPE_STATE_EMPTY};
}

/* ---- shapes ---- */

static bool refuse_sizes(htp_meta_call *call, int64_t one, int64_t other, uint32_t dim)
{
    return htp_meta_refuse(call,
                           "The size of tensor a (%" PRId64
                           ") must match the size of tensor b (%" PRId64
                           ") at non-singleton dimension %u",
                           one, other, (unsigned)dim);
}

static bool broadcast(htp_meta_call *call, htp_meta_sizes *shape, const htp_runner_tensor *tensor)
{
    htp_meta_sizes wider = {.rank = shape->rank > tensor->rank ? shape->rank : tensor->rank};
    for (uint32_t i = 0; i < wider.rank; i++) {
        uint32_t behind = wider.rank - i; /* dims from this one to the last */
        int64_t one = behind <= shape->rank ? shape->dims[shape->rank - behind] : 1;
        int64_t other = behind <= tensor->rank ? tensor->dims[tensor->rank - behind] : 1;
        if (one != other && one != 1 && other != 1) {
            return refuse_sizes(call, one, other, i);
        }
        wider.dims[i] = one == 1 ? other : one;
    }
    *shape = wider;
    return true;
}

static bool has_shape(const htp_runner_tensor *tensor, const htp_meta_sizes *shape)
{
    return tensor->rank == shape->rank &&
           memcmp(tensor->dims, shape->dims, shape->rank * sizeof(*shape->dims)) == 0;
}

bool htp_iteration_add(htp_meta_call *call, htp_iteration *iteration, const htp_operand *operand)
{
    assert(iteration->count < HTP_ITERATION_MAX_OPERANDS);
    htp_runner_tensor *tensor = &iteration->tensors[iteration->count];
    *tensor = operand->kind == HTP_OPERAND_TENSOR
                  ? *operand->as.tensor
                  : (htp_runner_tensor){.type = htp_operand_scalar_type(operand),
                                        .dims = no_dims,
                                        .strides = no_dims,
                                        .elements = 1};
    if (!iteration->has_shape) {
        (void)htp_meta_sizes_of(call, tensor, &iteration->shape);
    } else if (!has_shape(tensor, &iteration->shape)) {
        iteration->has_one_shape = false;
        if (!broadcast(call, &iteration->shape, tensor)) {
            return false;
        }
    }
    iteration->has_shape = true;
    iteration->count++;
    htp_type_state_add(&iteration->types, operand);
    return true;
}

void htp_iteration_convert(htp_iteration *iteration, int32_t type)
{
    for (uint32_t i = 0; i < iteration->count; i++) {
        htp_runner_tensor *tensor = &iteration->tensors[i];
        if (tensor->type != type) {
            htp_layout_preserved(tensor, iteration->strides[i]);
            tensor->strides = iteration->strides[i];
            tensor->type = type;
        }
    }
}

/* ---- layouts: fast paths for operands of one layout ---- */

static bool are_all(const htp_iteration *iteration, bool (*is)(const htp_runner_tensor *tensor))
{
    bool are = true;
    for (uint32_t i = 0; i < iteration->count && are; i++) {
        are = is(&iteration->tensors[i]);
    }
    return are;
}

static bool have_same_strides(const htp_iteration *iteration)
{
    const htp_runner_tensor *first = &iteration->tensors[0];
    bool have = true;
    for (uint32_t i = 1; i < iteration->count && have; i++) {
        have = memcmp(first->strides, iteration->tensors[i].strides,
                      first->rank * sizeof(*first->strides)) == 0;
    }
    return have;
}

static bool lay_out_alike(const htp_iteration *iteration, int64_t *strides)
{
    const htp_meta_sizes *shape = &iteration->shape;
    if (!iteration->has_one_shape) {
        return false;
    }
    if (are_all(iteration, htp_layout_is_contiguous)) {
        htp_layout_contiguous(shape->dims, shape->rank, strides);
        return true;
    }
    if (are_all(iteration, htp_layout_is_channels_last)) {
        htp_layout_channels_last(shape->dims, shape->rank, strides);
        return true;
    }
    if (are_all(iteration, htp_layout_is_dense) && have_same_strides(iteration)) {
        memcpy(strides, iteration->tensors[0].strides, shape->rank * sizeof(*strides));
        return true;
    }
    return false;
}

/* ---- layouts: dims in the order of the first operand that distinguishes them ---- */

/* The stride of an operand along a dim of the shape: 0 if it is broadcast. */
static int64_t stride_over(const htp_iteration *iteration, uint32_t operand, uint32_t dim)
{
    const htp_runner_tensor *tensor = &iteration->tensors[operand];
    uint32_t behind = iteration->shape.rank - dim;
    if (behind > tensor->rank) {
        return 0;
    }
    uint32_t own = tensor->rank - behind;
    bool is_broadcast = tensor->dims[own] == 1 && iteration->shape.dims[dim] != 1;
    return is_broadcast ? 0 : tensor->strides[own];
}

static int compare_dims(const void *of, uint32_t a, uint32_t b)
{
    const htp_iteration *iteration = of;
    for (uint32_t i = 0; i < iteration->count; i++) {
        int64_t one = stride_over(iteration, i, a);
        int64_t other = stride_over(iteration, i, b);
        if (one == 0 || other == 0) {
            continue;
        }
        if (one != other) {
            return one < other ? -1 : 1;
        }
        if (iteration->shape.dims[a] > iteration->shape.dims[b]) {
            return 1;
        }
    }
    return 0;
}

void htp_iteration_lay_out(const htp_iteration *iteration, int64_t *strides)
{
    const htp_meta_sizes *shape = &iteration->shape;
    uint32_t order[HTP_MAX_RANK];
    bool is_plain = true;
    int64_t step = 1;
    if (lay_out_alike(iteration, strides)) {
        return;
    }
    htp_layout_sort_dims(shape->rank, compare_dims, iteration, order);
    for (uint32_t i = 0; i < shape->rank; i++) {
        is_plain = is_plain && order[i] == shape->rank - 1 - i;
    }
    if (is_plain) {
        htp_layout_contiguous(shape->dims, shape->rank, strides);
        return;
    }
    for (uint32_t i = 0; i < shape->rank; i++) {
        strides[order[i]] = step;
        step = htp_meta_times(step, shape->dims[order[i]]);
    }
}

bool htp_iteration_give(htp_meta_call *call, const htp_iteration *iteration, int32_t type)
{
    int64_t strides[HTP_MAX_RANK];
    htp_iteration_lay_out(iteration, strides);
    return htp_meta_give_strided(call, type, &iteration->shape, strides);
}
