/*
 * Helpers that the neural-network families share.
 */
#include "lower/compose/compose.h"
#include "lower/emit/constant.h"

#include <string.h>

htp_dtype htp_arg_math_dtype(htp_lowering *l, const char *name, unsigned flags)
{
    htp_dtype dtype = htp_arg_dtype(l, name);
    switch (dtype) {
    case HTP_DTYPE_FLOAT32:
        return dtype;
    case HTP_DTYPE_BFLOAT16:
        return HTP_DTYPE_FLOAT32;
    case HTP_DTYPE_FLOAT16:
        return flags & HTP_MATH_KEEP_HALF ? dtype : HTP_DTYPE_FLOAT32;
    case HTP_DTYPE_FLOAT64:
        if (!(flags & HTP_MATH_ALLOW_DOUBLE)) {
            htp_lower_fail(l, "runtimes do not compute it in float64");
        }
        return dtype;
    default:
        htp_lower_fail(l, "it is not supported for %s", htp_dtype_name(dtype));
        return dtype;
    }
}

void htp_bind_cast(htp_lowering *l, size_t index, htp_tensor_id x, htp_dtype dtype)
{
    htp_bind(l, index, htp_emit_cast(l, x, dtype, htp_output_dtype(l, index)));
}

htp_tensor_id htp_arg_optional_as(htp_lowering *l, const char *name, htp_dtype dtype)
{
    return htp_arg_present(l, name) ? htp_arg_tensor_as(l, name, dtype) : HTP_NONE;
}

size_t htp_row_axes(htp_lowering *l)
{
    const char *digit = strpbrk(l->row->kind, "123");
    if (!digit) {
        htp_lower_fail(l, "its name does not have the number of axes");
        return 1;
    }
    return (size_t)(*digit - '0');
}

htp_tensor_id htp_arg_batched(htp_lowering *l, const char *name, size_t axes, htp_dtype dtype)
{
    const int64_t batch = 0;
    uint32_t rank = htp_arg_rank(l, name);
    htp_tensor_id x = htp_arg_tensor_as(l, name, dtype);
    if (rank == axes + 2) {
        return x;
    }
    if (rank != axes + 1) {
        htp_lower_fail(l, "an input of rank %u is not supported", rank);
    }
    return htp_emit_unsqueeze(l, x, &batch, 1);
}

void htp_bind_batched(htp_lowering *l, size_t index, size_t axes, htp_tensor_id x, htp_dtype dtype)
{
    const int64_t batch = 0;
    if (htp_output_rank(l, index) == axes + 1) {
        x = htp_emit_squeeze(l, x, &batch, 1);
    }
    htp_bind_cast(l, index, x, dtype);
}

bool htp_dims_are_static(const htp_dim *dims, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (dims[i].symbol) {
            return false;
        }
    }
    return true;
}

const int64_t *htp_arg_spatial(htp_lowering *l, const char *name, size_t count,
                               const int64_t *otherwise)
{
    int64_t *list = HTP_NEW_ARRAY(l->arena, int64_t, count + 1);
    size_t given_count = 0;
    const int64_t *given = NULL;
    if (htp_arg_present(l, name)) {
        given = htp_arg_ints(l, name, &given_count);
    }
    if (given_count == 0 && otherwise) {
        return otherwise;
    }
    if (given_count != count && given_count != 1) {
        htp_lower_fail(l, "argument '%s' has %zu numbers for %zu axes", name, given_count, count);
        return list;
    }
    for (size_t i = 0; i < count; i++) {
        list[i] = given[given_count == 1 ? 0 : i];
    }
    return list;
}
