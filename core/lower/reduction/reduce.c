/*
 * Reductions along some dims, or all of them.
 */
#include "lower/reduction/reduce.h"
#include "graph/symbols.h"
#include "lower/compose/compose.h"
#include "lower/compose/elementary.h"
#include "lower/emit/ort_dtypes.h"
#include "lower/emit/promote.h"
#include "lower/emit/rows.h"
#include "lower/emit/sizes.h"

#include <math.h>
#include <string.h>

htp_reduction htp_arg_reduction(htp_lowering *l, const char *name, htp_dtype dtype)
{
    htp_reduction r = {.dtype = dtype, .x = htp_arg_tensor_as(l, name, dtype)};
    uint32_t rank = htp_arg_rank(l, name);
    r.axes = htp_arg_dims_list(l, "dim", rank, true, &r.axis_count);
    r.axis_count = rank ? r.axis_count : 0;
    r.takes_all = r.axis_count == rank;
    r.keepdims = htp_arg_bool_or(l, "keepdim", false);
    return r;
}

htp_tensor_id htp_emit_reduced(htp_lowering *l, const char *op, const htp_reduction *r,
                               htp_tensor_id x, bool keepdims)
{
    /* OpenCV returns one dim if all axes are named. Extremes of int64 need names, because they are
     * picked axis by axis. */
    bool is_named = !r->takes_all || keepdims || r->dtype == HTP_DTYPE_INT64;
    return htp_typed_reduce(l, op, r->dtype, x, r->axes, is_named ? r->axis_count : 0, keepdims);
}

/** The number of elements that are reduced to one, 0-d. */
static htp_tensor_id reduced_count(htp_lowering *l, const htp_reduction *r)
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

static bool may_be_zero(const htp_lowering *l, htp_dim dim)
{
    return htp_symbols_may_be_zero(l->graph->symbols, dim);
}

htp_tensor_id htp_emit_mean(htp_lowering *l, const htp_reduction *r, bool keepdims)
{
    const htp_dim *dims = htp_arg_dims(l, "self");
    bool is_empty = false;
    for (size_t i = 0; i < r->axis_count; i++) {
        is_empty = is_empty || may_be_zero(l, dims[r->axes[i]]);
    }
    if (!is_empty) {
        return htp_emit_reduced(l, "ReduceMean", r, r->x, keepdims);
    }
    htp_reduction wide = *r;
    wide.dtype = htp_composite_dtype(r->dtype);
    wide.x = htp_emit_cast(l, r->x, r->dtype, wide.dtype);
    htp_tensor_id sum = htp_emit_reduced(l, "ReduceSum", &wide, wide.x, keepdims);
    htp_tensor_id mean = htp_typed_binary(l, "Div", wide.dtype, sum, reduced_count(l, &wide));
    return htp_emit_cast(l, mean, wide.dtype, r->dtype);
}

bool htp_args_may_be_empty(const htp_lowering *l)
{
    bool is_empty = false;
    for (uint32_t i = 0; i < l->node->input_count && !is_empty; i++) {
        htp_value_id id = l->node->inputs[i];
        const htp_value *value = id == HTP_NONE ? NULL : &l->graph->values[id];
        uint32_t rank = value && value->traced->kind == HTP_TRACE_TENSOR ? value->traced->rank : 0;
        for (uint32_t d = 0; d < rank && !is_empty; d++) {
            is_empty = may_be_zero(l, value->dims[d]);
        }
    }
    return is_empty;
}

/** aten::mean */
void htp_lower_mean(htp_lowering *l)
{
    htp_reduction r = htp_arg_reduction(l, "self", htp_output_dtype(l, 0));
    htp_bind(l, 0, htp_emit_mean(l, &r, r.keepdims));
}

/** One ONNX reduction, in the dtype of the output: aten::sum, prod, amax, ... */
void htp_lower_reduce(htp_lowering *l)
{
    htp_reduction r = htp_arg_reduction(l, "self", htp_output_dtype(l, 0));
    htp_bind(l, 0, htp_emit_reduced(l, l->row->op, &r, r.x, r.keepdims));
}

/* ---- reductions of nothing ---- */

/* Results of reductions over no elements, by operator name without overload. */
static const struct {
    const char *name;
    double value;
} values_of_nothing[] = {
    {"aten::all", 1},           {"aten::any", 0},
    {"aten::count_nonzero", 0}, {"aten::logsumexp", -INFINITY},
    {"aten::mean", NAN},        {"aten::nansum", 0},
    {"aten::prod", 1},          {"aten::special_logsumexp", -INFINITY},
    {"aten::std", NAN},         {"aten::sum", 0},
    {"aten::var", NAN},
};

static const double *value_of_nothing(const htp_lowering *l)
{
    const char *kind = l->node->kind;
    for (size_t i = 0; i < sizeof(values_of_nothing) / sizeof(values_of_nothing[0]); i++) {
        size_t length = strlen(values_of_nothing[i].name);
        if (strncmp(kind, values_of_nothing[i].name, length) == 0 &&
            (kind[length] == '\0' || kind[length] == '.')) {
            return &values_of_nothing[i].value;
        }
    }
    return NULL;
}

bool htp_reduces_nothing(const htp_lowering *l)
{
    return value_of_nothing(l) != NULL;
}

void htp_lower_reduction_of_nothing(htp_lowering *l)
{
    htp_dtype dtype = htp_output_dtype(l, 0);
    const htp_dim *dims = htp_arg_dims(l, "self");
    htp_reduction r = htp_arg_reduction(l, "self", htp_arg_dtype(l, "self"));
    htp_sizes shape = htp_sizes_begin(l);
    for (uint32_t axis = 0; axis < htp_arg_rank(l, "self"); axis++) {
        bool is_reduced = false;
        for (size_t i = 0; i < r.axis_count && !is_reduced; i++) {
            is_reduced = r.axes[i] == axis;
        }
        if (!is_reduced) {
            htp_sizes_add_dims(&shape, r.x, dims, axis, axis + 1);
        } else if (r.keepdims) {
            htp_sizes_add_int(&shape, 1);
        }
    }
    htp_tensor_id value = htp_emit_scalar(l, dtype, *value_of_nothing(l));
    htp_bind(l, 0, htp_typed_expand(l, dtype, value, htp_sizes_end(&shape)));
}

/** aten::logsumexp. ONNX Runtime overlooks a NaN beside an infinity; adding a sum that is 0 for all
 * other numbers restores it. */
void htp_lower_logsumexp(htp_lowering *l)
{
    htp_reduction r = htp_arg_reduction(l, "self", htp_composite_dtype(htp_output_dtype(l, 0)));
    htp_tensor_id result = htp_emit_reduced(l, "ReduceLogSumExp", &r, r.x, r.keepdims);
    htp_tensor_id zero = htp_emit_scalar(l, r.dtype, 0);
    htp_tensor_id zeros = htp_emit_typed(l, "Clip", r.dtype, HTP_IN(r.x, zero, zero), HTP_NO_AT);
    zeros = htp_emit_reduced(l, "ReduceSum", &r, zeros, r.keepdims);
    htp_bind_cast(l, 0, htp_typed_binary(l, "Add", r.dtype, result, zeros), r.dtype);
}

/** aten::count_nonzero */
void htp_lower_count_nonzero(htp_lowering *l)
{
    htp_reduction r = htp_arg_reduction(l, "self", HTP_DTYPE_BOOL);
    htp_tensor_id ones = htp_emit_cast(l, r.x, HTP_DTYPE_BOOL, HTP_DTYPE_INT64);
    htp_bind(l, 0, htp_emit_reduce(l, "ReduceSum", ones, r.axes, r.axis_count, false));
}

/** Bessel's correction: the argument correction or unbiased; 1 by default. */
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
    htp_reduction r = htp_arg_reduction(l, "self", htp_composite_dtype(htp_output_dtype(l, 0)));
    htp_tensor_id mean = htp_emit_reduced(l, "ReduceMean", &r, r.x, true);
    htp_tensor_id difference = htp_typed_binary(l, "Sub", r.dtype, r.x, mean);
    htp_tensor_id square = htp_typed_binary(l, "Mul", r.dtype, difference, difference);
    htp_tensor_id sum = htp_emit_reduced(l, "ReduceSum", &r, square, r.keepdims);
    htp_tensor_id count = reduced_count(l, &r);
    count = htp_typed_scalar(l, "Sub", r.dtype, count, correction(l));
    count = htp_typed_scalar(l, "Max", r.dtype, count, 0);
    htp_tensor_id result = htp_typed_binary(l, "Div", r.dtype, sum, count);
    if (l->row->op) {
        result = htp_typed_unary(l, l->row->op, r.dtype, result);
    }
    htp_bind_cast(l, 0, result, r.dtype);
    if (l->node->output_count == 2) {
        htp_bind_cast(l, 1, htp_emit_mean(l, &r, r.keepdims), r.dtype);
    }
}

/** The sum of powers of magnitudes; for 0 the number of elements that are not 0. */
static htp_tensor_id emit_power_sum(htp_lowering *l, const htp_reduction *r, double p)
{
    htp_tensor_id x = htp_typed_unary(l, "Abs", r->dtype, r->x);
    if (p == 0) {
        x = htp_typed_predicate_scalar(l, "Equal", r->dtype, x, 0);
        x = htp_emit_cast(l, htp_emit_unary(l, "Not", x), HTP_DTYPE_BOOL, r->dtype);
    } else {
        x = htp_typed_scalar(l, "Pow", r->dtype, x, p);
    }
    return htp_emit_reduced(l, "ReduceSum", r, x, r->keepdims);
}

htp_tensor_id htp_emit_norm(htp_lowering *l, const htp_reduction *r, double p)
{
    if (p == 1) {
        return htp_emit_reduced(l, "ReduceL1", r, r->x, r->keepdims);
    }
    if (p == 2) {
        return htp_emit_reduced(l, "ReduceL2", r, r->x, r->keepdims);
    }
    if (isinf(p)) {
        htp_tensor_id magnitude = htp_typed_unary(l, "Abs", r->dtype, r->x);
        return htp_emit_reduced(l, p > 0 ? "ReduceMax" : "ReduceMin", r, magnitude, r->keepdims);
    }
    htp_tensor_id sum = emit_power_sum(l, r, p);
    return p == 0 ? sum : htp_typed_scalar(l, "Pow", r->dtype, sum, 1 / p);
}

/** aten::norm, aten::linalg_vector_norm; the row's parameter is the name of the order. */
void htp_lower_norm(htp_lowering *l)
{
    htp_reduction r = htp_arg_reduction(l, "self", htp_composite_dtype(htp_output_dtype(l, 0)));
    htp_bind_cast(l, 0, htp_emit_norm(l, &r, htp_arg_float_or(l, l->row->op, 2)), r.dtype);
}

/** aten::linalg__powsum: a norm before its root is taken. */
void htp_lower_power_sum(htp_lowering *l)
{
    htp_reduction r = htp_arg_reduction(l, "self", htp_composite_dtype(htp_output_dtype(l, 0)));
    htp_bind_cast(l, 0, emit_power_sum(l, &r, htp_arg_float_or(l, "ord", 2)), r.dtype);
}

/** aten::frobenius_norm */
void htp_lower_frobenius_norm(htp_lowering *l)
{
    htp_reduction r = htp_arg_reduction(l, "self", htp_composite_dtype(htp_output_dtype(l, 0)));
    htp_bind_cast(l, 0, htp_emit_norm(l, &r, 2), r.dtype);
}

/** aten::norm_except_dim: over all dims but one, with keepdim; for dim -1 over all, without. A
 * vector has no other dim, so its elements become rows of one element: in ONNX an empty list of
 * axes means all. */
void htp_lower_norm_except_dim(htp_lowering *l)
{
    htp_dtype dtype = htp_composite_dtype(htp_output_dtype(l, 0));
    uint32_t rank = htp_arg_rank(l, "v");
    const bool keeps_one = htp_arg_int(l, "dim") != -1;
    int64_t kept = keeps_one ? htp_arg_dim(l, "dim", rank) : -1;
    int64_t axes[HTP_MAX_RANK];
    htp_reduction r = {
        .dtype = dtype, .x = htp_arg_tensor_as(l, "v", dtype), .axes = axes, .keepdims = keeps_one};
    for (uint32_t i = 0; i < rank; i++) {
        if ((int64_t)i != kept) {
            axes[r.axis_count++] = i;
        }
    }
    if (keeps_one && r.axis_count == 0) {
        axes[r.axis_count++] = rank;
        r.x = htp_emit_unsqueeze(l, r.x, axes, 1);
        r.keepdims = false;
    }
    htp_bind_cast(l, 0, htp_emit_norm(l, &r, htp_arg_float(l, "pow")), dtype);
}

htp_tensor_id htp_emit_cumsum(htp_lowering *l, htp_dtype dtype, htp_tensor_id x, int64_t axis)
{
    htp_dtype wide = htp_kernel_dtype(l, "CumSum", dtype);
    x = htp_emit_binary(l, "CumSum", htp_emit_cast(l, x, dtype, wide),
                        htp_emit_scalar_int(l, HTP_DTYPE_INT64, axis));
    return htp_emit_cast(l, x, wide, dtype);
}

/** aten::cumsum */
void htp_lower_cumsum(htp_lowering *l)
{
    htp_dtype dtype = htp_output_dtype(l, 0);
    uint32_t rank = htp_arg_rank(l, "self");
    int64_t axis = htp_arg_dim(l, "dim", rank);
    htp_tensor_id x = htp_arg_tensor_as(l, "self", dtype);
    htp_bind(l, 0, rank ? htp_emit_cumsum(l, dtype, x, axis) : x);
}
