/*
 * What becomes of the elements up to each one along a dim, for which ONNX has CumSum alone:
 * products, logarithms of sums of exponentials, largest and smallest.
 *
 * Every element gets a row of its own with the elements up to it, which is then reduced. So the
 * work grows with the square of the dim's size.
 */
#include "lower/compose.h"
#include "lower/kernels.h"
#include "lower/reduce.h"
#include "lower/sizes.h"
#include "lower/table.h"

#include <math.h>

enum { MOST_ELEMENTS = 4096 };

/** self with an axis before axis @p axis, along which the elements behind each one are replaced by
 * @p neutral: dims [..., n of results, n of elements, ...]. */
static htp_tensor_id emit_rows(htp_lowering *l, htp_dtype dtype, int64_t axis, double neutral)
{
    uint32_t rank = htp_arg_rank(l, "self");
    const htp_dim *dim = &htp_arg_dims(l, "self")[axis];
    if (!dim->symbol && dim->size > MOST_ELEMENTS) {
        htp_lower_fail(l, "a dim of %lld elements is too large", (long long)dim->size);
    }
    htp_tensor_id x = htp_arg_tensor_as(l, "self", dtype);
    htp_tensor_id place = htp_emit_count_up(l, htp_emit_dim(l, x, htp_arg_dims(l, "self"), axis));
    int64_t axes[HTP_SHIM_MAX_RANK];
    size_t behind = rank - (size_t)axis - 1;
    for (size_t i = 0; i < behind; i++) {
        axes[i] = (int64_t)i + 1;
    }
    htp_tensor_id element = htp_emit_unsqueeze(l, place, axes, behind);
    const int64_t first = 1;
    htp_tensor_id result = htp_emit_unsqueeze(l, element, &first, 1);
    htp_tensor_id counts = htp_emit_binary(l, "LessOrEqual", element, result);
    x = htp_emit_unsqueeze(l, x, &axis, 1);
    return htp_typed_where(l, dtype, counts, x, htp_emit_scalar(l, dtype, neutral));
}

/** The row's parameter is the reduction. */
static void lower_scan(htp_lowering *l, double neutral)
{
    htp_dtype dtype = htp_composite_dtype(htp_output_dtype(l, 0));
    uint32_t rank = htp_arg_rank(l, "self");
    int64_t axis = htp_arg_dim(l, "dim", rank);
    if (rank == 0) {
        htp_bind_cast(l, 0, htp_arg_tensor_as(l, "self", dtype), dtype);
        return;
    }
    htp_tensor_id x = emit_rows(l, dtype, axis, neutral);
    axis++;
    htp_bind_cast(l, 0, htp_typed_reduce(l, l->row->op, dtype, x, &axis, 1, false), dtype);
}

/** aten::cumprod */
void htp_lower_cumprod(htp_lowering *l)
{
    lower_scan(l, 1);
}

/** aten::logcumsumexp */
void htp_lower_logcumsumexp(htp_lowering *l)
{
    lower_scan(l, -INFINITY);
}
