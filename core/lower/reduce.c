/*
 * Reductions along some dims, or all of them.
 */
#include "lower/compose.h"
#include "lower/kernels.h"
#include "lower/promote.h"
#include "lower/sizes.h"
#include "lower/table.h"

#include <math.h>
#include <string.h>

/** What a reduction works on: self in a dtype, the axes of the argument dim, and keepdim. */
typedef struct reduction {
    htp_tensor_id x;
    htp_dtype dtype;
    const int64_t *axes;
    size_t axis_count; /* 0 for a tensor without dims */
    bool keepdims;
} reduction;

static reduction reduction_of_self(htp_lowering *l, htp_dtype dtype)
{
    reduction r = {.dtype = dtype, .x = htp_arg_tensor_as(l, "self", dtype)};
    uint32_t rank = htp_arg_rank(l, "self");
    r.axes = htp_arg_dims_list(l, "dim", rank, true, &r.axis_count);
    r.axis_count = rank ? r.axis_count : 0;
    r.keepdims = htp_arg_bool_or(l, "keepdim", false);
    return r;
}

static htp_tensor_id reduce(htp_lowering *l, const char *op, const reduction *r, htp_tensor_id x,
                            bool keepdims)
{
    return htp_typed_reduce(l, op, r->dtype, x, r->axes, r->axis_count, keepdims);
}

/** One ONNX reduction, in the dtype of the output: aten::sum, mean, prod, amax, ... */
void htp_lower_reduce(htp_lowering *l)
{
    reduction r = reduction_of_self(l, htp_output_dtype(l, 0));
    htp_bind(l, 0, reduce(l, l->row->op, &r, r.x, r.keepdims));
}

/** aten::logsumexp */
void htp_lower_logsumexp(htp_lowering *l)
{
    reduction r = reduction_of_self(l, htp_composite_dtype(htp_output_dtype(l, 0)));
    htp_bind_cast(l, 0, reduce(l, "ReduceLogSumExp", &r, r.x, r.keepdims), r.dtype);
}

/** aten::count_nonzero */
void htp_lower_count_nonzero(htp_lowering *l)
{
    reduction r = reduction_of_self(l, HTP_DTYPE_BOOL);
    htp_tensor_id ones = htp_emit_cast(l, r.x, HTP_DTYPE_BOOL, HTP_DTYPE_INT64);
    htp_bind(l, 0, htp_emit_reduce(l, "ReduceSum", ones, r.axes, r.axis_count, false));
}

/** The number of elements that are reduced to one, without dims. */
static htp_tensor_id reduced_count(htp_lowering *l, const reduction *r)
{
    const htp_dim *dims = htp_arg_dims(l, "self");
    htp_sizes sizes = htp_sizes_begin(l);
    double product = 1;
    bool is_constant = true;
    for (size_t i = 0; i < r->axis_count; i++) {
        uint32_t axis = (uint32_t)r->axes[i];
        is_constant = is_constant && !dims[axis].symbol;
        product *= (double)dims[axis].size;
        htp_sizes_add_dims(&sizes, r->x, dims, axis, axis + 1);
    }
    if (is_constant) {
        return htp_emit_scalar(l, r->dtype, product);
    }
    htp_tensor_id count =
        htp_emit_reduce(l, "ReduceProd", htp_sizes_end(&sizes), (const int64_t[]){0}, 1, false);
    return htp_emit_cast(l, count, HTP_DTYPE_INT64, r->dtype);
}

/** What is taken from the number of elements: the argument correction or unbiased; 1 without. */
static double correction(htp_lowering *l)
{
    if (htp_arg_present(l, "unbiased")) {
        return htp_arg_bool(l, "unbiased") ? 1 : 0;
    }
    return htp_arg_float_or(l, "correction", 1);
}

/** aten::var, std, var_mean, std_mean; the row's parameter is "Sqrt" for the deviation. */
void htp_lower_variance(htp_lowering *l)
{
    reduction r = reduction_of_self(l, htp_composite_dtype(htp_output_dtype(l, 0)));
    htp_tensor_id mean = reduce(l, "ReduceMean", &r, r.x, true);
    htp_tensor_id difference = htp_typed_binary(l, "Sub", r.dtype, r.x, mean);
    htp_tensor_id square = htp_typed_binary(l, "Mul", r.dtype, difference, difference);
    htp_tensor_id sum = reduce(l, "ReduceSum", &r, square, r.keepdims);
    htp_tensor_id count = reduced_count(l, &r);
    count = htp_typed_scalar(l, "Sub", r.dtype, count, correction(l));
    count = htp_typed_scalar(l, "Max", r.dtype, count, 0);
    htp_tensor_id result = htp_typed_binary(l, "Div", r.dtype, sum, count);
    if (l->row->op) {
        result = htp_typed_unary(l, l->row->op, r.dtype, result);
    }
    htp_bind_cast(l, 0, result, r.dtype);
    if (l->node->output_count == 2) {
        htp_bind_cast(l, 1, reduce(l, "ReduceMean", &r, r.x, r.keepdims), r.dtype);
    }
}

/** The norm of order @p p. */
static htp_tensor_id norm(htp_lowering *l, const reduction *r, double p)
{
    if (p == 1) {
        return reduce(l, "ReduceL1", r, r->x, r->keepdims);
    }
    if (p == 2) {
        return reduce(l, "ReduceL2", r, r->x, r->keepdims);
    }
    htp_tensor_id magnitude = htp_typed_unary(l, "Abs", r->dtype, r->x);
    if (isinf(p)) {
        return reduce(l, p > 0 ? "ReduceMax" : "ReduceMin", r, magnitude, r->keepdims);
    }
    if (p == 0) {
        htp_tensor_id is_zero = htp_typed_predicate_scalar(l, "Equal", r->dtype, magnitude, 0);
        htp_tensor_id ones =
            htp_emit_cast(l, htp_emit_unary(l, "Not", is_zero), HTP_DTYPE_BOOL, r->dtype);
        return reduce(l, "ReduceSum", r, ones, r->keepdims);
    }
    htp_tensor_id power = htp_typed_scalar(l, "Pow", r->dtype, magnitude, p);
    power = reduce(l, "ReduceSum", r, power, r->keepdims);
    return htp_typed_scalar(l, "Pow", r->dtype, power, 1 / p);
}

/** aten::norm, aten::linalg_vector_norm; the row's parameter is the name of the order. */
void htp_lower_norm(htp_lowering *l)
{
    reduction r = reduction_of_self(l, htp_composite_dtype(htp_output_dtype(l, 0)));
    htp_bind_cast(l, 0, norm(l, &r, htp_arg_float_or(l, l->row->op, 2)), r.dtype);
}

/** aten::frobenius_norm */
void htp_lower_frobenius_norm(htp_lowering *l)
{
    reduction r = reduction_of_self(l, htp_composite_dtype(htp_output_dtype(l, 0)));
    htp_bind_cast(l, 0, norm(l, &r, 2), r.dtype);
}

/** aten::cumsum */
void htp_lower_cumsum(htp_lowering *l)
{
    htp_dtype dtype = htp_output_dtype(l, 0);
    uint32_t rank = htp_arg_rank(l, "self");
    int64_t axis = htp_arg_dim(l, "dim", rank);
    htp_tensor_id x = htp_arg_tensor_as(l, "self", dtype);
    if (rank > 0) {
        htp_dtype wide = htp_kernel_dtype(l, "CumSum", dtype);
        x = htp_emit_binary(l, "CumSum", htp_emit_cast(l, x, dtype, wide),
                            htp_emit_scalar_int(l, HTP_DTYPE_INT64, axis));
        x = htp_emit_cast(l, x, wide, dtype);
    }
    htp_bind(l, 0, x);
}
