/*
 * Scans along a dim, for which ONNX only has CumSum: products, logarithms of sums of exponentials,
 * maxima and minima.
 *
 * Every element gets a row with the elements up to it, which is reduced. So the work is quadratic
 * in the dim's size.
 */
#include "lower/compose/compose.h"
#include "lower/emit/ort_dtypes.h"
#include "lower/emit/rows.h"
#include "lower/emit/sizes.h"
#include "lower/reduction/reduce.h"

#include <math.h>
#include <string.h>

enum { MAX_ELEMENTS = 4096 };

/** self with a new axis before the scanned one: dims [..., n of results, n of elements, ...]. An
 * element counts for results from its own index on. */
typedef struct rows {
    htp_dtype dtype;
    int64_t axis; /* of the elements */
    htp_tensor_id x;
    htp_tensor_id counts; /* [n of results, n of elements, 1...] */
    htp_tensor_id place;  /* indices of the elements: [n, 1...] */
    htp_tensor_id size;   /* n, as [1] */
} rows;

static rows read_rows(htp_lowering *l, htp_dtype dtype, int64_t axis)
{
    rows r = {.dtype = dtype, .axis = axis + 1};
    uint32_t rank = htp_arg_rank(l, "self");
    const htp_dim *dim = &htp_arg_dims(l, "self")[axis];
    if (!dim->symbol && dim->size > MAX_ELEMENTS) {
        htp_lower_fail(l, "a dim of %lld elements is too large", (long long)dim->size);
    }
    htp_tensor_id x = htp_arg_tensor_as(l, "self", dtype);
    r.size = htp_emit_dim(l, x, htp_arg_dims(l, "self"), axis);
    htp_tensor_id place = htp_emit_count_up(l, r.size);
    int64_t axes[HTP_MAX_RANK];
    size_t behind = rank - (size_t)axis - 1;
    for (size_t i = 0; i < behind; i++) {
        axes[i] = (int64_t)i + 1;
    }
    r.place = htp_emit_unsqueeze(l, place, axes, behind);
    const int64_t first = 1;
    htp_tensor_id result = htp_emit_unsqueeze(l, r.place, &first, 1);
    r.counts = htp_emit_binary(l, "LessOrEqual", r.place, result);
    r.x = htp_emit_unsqueeze(l, x, &axis, 1);
    return r;
}

/** The rows, with @p neutral in place of elements that do not count. */
static htp_tensor_id emit_counted(htp_lowering *l, const rows *r, htp_tensor_id neutral)
{
    return htp_typed_where(l, r->dtype, r->counts, r->x, neutral);
}

/** A scan by the reduction that the operator's row names. */
static void lower_scan(htp_lowering *l, double neutral)
{
    htp_dtype dtype = htp_composite_dtype(htp_output_dtype(l, 0));
    uint32_t rank = htp_arg_rank(l, "self");
    int64_t axis = htp_arg_dim(l, "dim", rank);
    if (rank == 0) {
        htp_bind_cast(l, 0, htp_arg_tensor_as(l, "self", dtype), dtype);
        return;
    }
    rows r = read_rows(l, dtype, axis);
    htp_tensor_id x = emit_counted(l, &r, htp_emit_scalar(l, dtype, neutral));
    htp_bind_cast(l, 0, htp_typed_reduce(l, l->row->op, dtype, x, &r.axis, 1, false), dtype);
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

/* ---- extremes ---- */

/** The index of each row's extreme: the last NaN, or else the last extreme number. The operator's
 * row names the reduction. */
static htp_tensor_id emit_extreme_place(htp_lowering *l, const rows *r)
{
    bool is_largest = strcmp(l->row->op, "ReduceMax") == 0;
    htp_tensor_id neutral =
        is_largest ? htp_emit_lowest(l, r->dtype) : htp_emit_highest(l, r->dtype);
    htp_tensor_id x = emit_counted(l, r, neutral);
    htp_tensor_id none = htp_emit_scalar_int(l, HTP_DTYPE_INT64, -1);
    bool has_nan = htp_dtype_is_float(r->dtype);
    htp_tensor_id is_nan =
        has_nan ? htp_typed_predicate(l, "IsNaN", r->dtype, x, HTP_NONE) : HTP_NONE;
    htp_tensor_id numbers = has_nan ? htp_typed_where(l, r->dtype, is_nan, neutral, x) : x;
    htp_tensor_id extreme = htp_typed_reduce(l, l->row->op, r->dtype, numbers, &r->axis, 1, true);
    htp_tensor_id found = htp_typed_predicate(l, "Equal", r->dtype, r->x, extreme);
    found = htp_emit_binary(l, "And", found, r->counts);
    htp_tensor_id place = htp_emit(l, "Where", HTP_IN(found, r->place, none), HTP_NO_AT);
    if (!has_nan) {
        return htp_emit_reduce(l, "ReduceMax", place, &r->axis, 1, false);
    }
    /* NaNs get larger indices than all numbers. */
    htp_tensor_id behind = htp_emit_binary(l, "Add", r->place, r->size);
    place = htp_emit(l, "Where", HTP_IN(is_nan, behind, place), HTP_NO_AT);
    place = htp_emit_reduce(l, "ReduceMax", place, &r->axis, 1, false);
    return htp_emit_binary(l, "Mod", place, r->size);
}

/** aten::cummax, aten::cummin: the largest or smallest elements, and their indices. */
void htp_lower_running_extreme(htp_lowering *l)
{
    htp_dtype dtype = htp_composite_dtype(htp_output_dtype(l, 0));
    uint32_t rank = htp_arg_rank(l, "self");
    int64_t axis = htp_arg_dim(l, "dim", rank);
    if (rank == 0) {
        htp_bind_cast(l, 0, htp_arg_tensor_as(l, "self", dtype), dtype);
        htp_bind(l, 1, htp_emit_scalar_int(l, HTP_DTYPE_INT64, 0));
        return;
    }
    rows r = read_rows(l, dtype, axis);
    htp_tensor_id place = emit_extreme_place(l, &r);
    htp_bind(l, 0,
             htp_emit(l, "GatherElements", HTP_IN(htp_arg_tensor(l, "self"), place),
                      HTP_AT(htp_attribute_int("axis", axis))));
    htp_bind(l, 1, place);
}
