/*
 * Operands and attributes of the node for kernels, and memory for outputs.
 */
#include "lower/evaluate/kernel.h"

#include "base/checked.h"

#include <string.h>

const htp_known *htp_kernel_input(const htp_kernel *kernel, uint32_t index)
{
    return index < kernel->input_count ? kernel->inputs[index] : NULL;
}

int64_t htp_kernel_int(const htp_kernel *kernel, const char *name, int64_t otherwise)
{
    const htp_attribute *found = htp_builder_attribute(kernel->node, name);
    return found && found->kind == HTP_ATTRIBUTE_INT ? found->i : otherwise;
}

bool htp_kernel_ints(const htp_kernel *kernel, uint32_t index, int64_t *values, size_t *count)
{
    const htp_known *x = htp_kernel_input(kernel, index);
    if (!x || x->rank > 1 || (x->rank == 1 && x->dims[0] > (int64_t)HTP_MAX_RANK)) {
        return false;
    }
    *count = x->rank ? (size_t)x->dims[0] : 1;
    return htp_numbers_ints(x->dtype, x->data, 0, 1, *count, values);
}

bool htp_kernel_axis(int64_t given, uint32_t rank, uint32_t *axis)
{
    int64_t counted = given < 0 ? given + (int64_t)rank : given;
    *axis = (uint32_t)counted;
    return counted >= 0 && counted < (int64_t)rank;
}

bool htp_kernel_axes(const htp_kernel *kernel, uint32_t index, uint32_t rank, bool *named,
                     bool *any)
{
    int64_t axes[HTP_MAX_RANK];
    size_t count = 0;
    const htp_attribute *attribute = htp_builder_attribute(kernel->node, "axes");
    if (attribute && attribute->kind == HTP_ATTRIBUTE_INTS && attribute->count <= HTP_MAX_RANK) {
        count = attribute->count;
        memcpy(axes, attribute->ints, count * sizeof(*axes));
    } else if (attribute ||
               (htp_kernel_input(kernel, index) && !htp_kernel_ints(kernel, index, axes, &count))) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        uint32_t axis;
        if (!htp_kernel_axis(axes[i], rank, &axis) || named[axis]) {
            return false;
        }
        named[axis] = true;
    }
    *any = count > 0;
    return true;
}

bool htp_kernel_count(uint32_t rank, const int64_t *dims, uint64_t *count)
{
    *count = 1;
    for (uint32_t i = 0; i < rank; i++) {
        if (dims[i] < 0 || !htp_checked_mul(*count, (uint64_t)dims[i], count)) {
            return false;
        }
    }
    return true;
}

bool htp_kernel_work(htp_kernel *kernel, uint64_t work)
{
    bool is_left = work <= kernel->work_left;
    kernel->work_left = is_left ? kernel->work_left - work : 0;
    kernel->limit.is_work = !is_left;
    return is_left;
}

bool htp_kernel_output(htp_kernel *kernel, uint32_t index, htp_dtype dtype, uint32_t rank,
                       const int64_t *dims, void **data)
{
    uint64_t count;
    uint64_t bytes;
    size_t size = htp_dtype_size(dtype);
    if (rank > HTP_MAX_RANK || size == 0 || !htp_kernel_count(rank, dims, &count) ||
        !htp_checked_mul(count, size, &bytes)) {
        return false;
    }
    if (bytes > kernel->most) {
        kernel->limit.bytes = bytes;
        return false;
    }
    if (!htp_kernel_work(kernel, count)) {
        return false;
    }
    *data = htp_arena_alloc(kernel->arena, (size_t)bytes + 1);
    kernel->outputs[index] =
        (htp_known){.dtype = dtype,
                    .rank = rank,
                    .dims = htp_arena_grow(kernel->arena, dims, rank, rank, sizeof(*dims)),
                    .data = *data,
                    .bytes = bytes,
                    .is_made = true};
    return true;
}
