/*
 * Normalizations in inference.
 *
 * Reference: ONNX LayerNormalization, BatchNormalization, InstanceNormalization. Their epsilon is a
 * float32 attribute, so float64 is always decomposed. GroupNormalization is not used: its meaning
 * changed between opsets 18 and 21, and runtimes compute the variance as E[x²] - E[x]², which
 * cancels if the mean is large. InstanceNormalization over the groups has neither problem.
 * RMSNormalization exists since opset 23.
 */
#include "lower/compose/compose.h"
#include "lower/emit/ort_dtypes.h"
#include "lower/emit/sizes.h"

#include <float.h>
#include <string.h>

/** The dtype to compute in: float16 is kept only when all parameters have it. */
static htp_dtype normalization_dtype(htp_lowering *l)
{
    static const char *const parameters[] = {"weight", "bias", "running_mean", "running_var"};
    htp_dtype dtype = htp_arg_dtype(l, "input");
    unsigned keep = HTP_MATH_KEEP_HALF;
    for (size_t i = 0; i < sizeof(parameters) / sizeof(parameters[0]); i++) {
        if (htp_arg_present(l, parameters[i]) && htp_arg_dtype(l, parameters[i]) != dtype) {
            keep = 0;
        }
    }
    return htp_arg_math_dtype(l, "input", keep | HTP_MATH_ALLOW_DOUBLE);
}

static htp_normalized read_normalized(htp_lowering *l, htp_dtype dtype)
{
    return (htp_normalized){.dtype = dtype,
                            .rank = htp_arg_rank(l, "input"),
                            .x = htp_arg_tensor_as(l, "input", dtype),
                            .weight = htp_arg_optional_as(l, "weight", dtype),
                            .bias = htp_arg_optional_as(l, "bias", dtype)};
}

/** centered / sqrt(var + eps) */
static htp_tensor_id scale_down(htp_lowering *l, const htp_normalized *n, htp_tensor_id centered,
                                htp_tensor_id var)
{
    htp_tensor_id padded = htp_emit_binary_scalar(l, "Add", var, n->dtype, n->eps);
    return htp_emit_binary(l, "Div", centered, htp_emit_unary(l, "Sqrt", padded));
}

/** (x - mean) / sqrt(var + eps), with the (biased) statistics over some axes. */
static htp_tensor_id standardize(htp_lowering *l, const htp_normalized *n, const int64_t *axes,
                                 size_t count)
{
    htp_tensor_id mean = htp_emit_reduce(l, "ReduceMean", n->x, axes, count, true);
    htp_tensor_id centered = htp_emit_binary(l, "Sub", n->x, mean);
    htp_tensor_id square = htp_emit_binary(l, "Mul", centered, centered);
    return scale_down(l, n, centered, htp_emit_reduce(l, "ReduceMean", square, axes, count, true));
}

/** Binds the second and third output of native operators: the mean over some axes of n's x, and the
 * reciprocal square root of the variance. Unused nodes are removed later. For 16-bit floats the
 * outputs are not bound, since libtorch's dtype depends on the device. */
static void bind_statistics(htp_lowering *l, const htp_normalized *n, const int64_t *axes,
                            size_t count, bool keepdims)
{
    if (l->node->output_count < 3 || htp_output_dtype(l, 1) != htp_arg_dtype(l, "input")) {
        return;
    }
    htp_dtype dtype = htp_composite_dtype(n->dtype);
    htp_tensor_id x = htp_emit_cast(l, n->x, n->dtype, dtype);
    htp_tensor_id mean = htp_emit_reduce(l, "ReduceMean", x, axes, count, true);
    htp_tensor_id centered = htp_emit_binary(l, "Sub", x, mean);
    htp_tensor_id square = htp_emit_binary(l, "Mul", centered, centered);
    htp_tensor_id var = htp_emit_reduce(l, "ReduceMean", square, axes, count, true);
    htp_tensor_id padded = htp_emit_binary_scalar(l, "Add", var, dtype, n->eps);
    htp_tensor_id inverse = htp_emit_unary(l, "Reciprocal", htp_emit_unary(l, "Sqrt", padded));
    if (!keepdims) {
        mean = htp_emit_squeeze(l, mean, axes, count);
        inverse = htp_emit_squeeze(l, inverse, axes, count);
    }
    htp_bind_cast(l, 1, mean, dtype);
    htp_bind_cast(l, 2, inverse, dtype);
}

/** x · weight + bias, each if present; with @p channels they are [C] and aligned with axis 1. */
static htp_tensor_id apply_affine(htp_lowering *l, const htp_normalized *n, htp_tensor_id x,
                                  bool channels)
{
    size_t trailing = channels && n->rank > 2 ? n->rank - 2 : 0;
    if (n->weight != HTP_NONE) {
        x = htp_emit_binary(l, "Mul", x, htp_emit_channels(l, n->weight, trailing));
    }
    if (n->bias != HTP_NONE) {
        x = htp_emit_binary(l, "Add", x, htp_emit_channels(l, n->bias, trailing));
    }
    return x;
}

/** Lists the axes from @p first on. @return their number */
static size_t list_axes(uint32_t first, uint32_t rank, int64_t *axes)
{
    size_t count = 0;
    for (uint32_t i = first; i < rank && count < HTP_MAX_RANK; i++) {
        axes[count++] = i;
    }
    return count;
}

/** A vector of C equal numbers, in place of an absent parameter. */
static htp_tensor_id channel_fill(htp_lowering *l, const htp_normalized *n, double value)
{
    if (n->rank < 2) {
        htp_lower_fail(l, "an input of rank %u is not supported", n->rank);
        return HTP_NONE;
    }
    const htp_dim *dims = htp_arg_dims(l, "input");
    if (dims[1].symbol) {
        return htp_typed_expand(l, n->dtype, htp_emit_scalar(l, n->dtype, value),
                                htp_emit_dim(l, n->x, dims, 1));
    }
    return htp_emit_fill(l, n->dtype, dims[1].size, value);
}

/* ---- layer norm ---- */

/** Ones in the shape of the last @p axis_count dims of x. */
static htp_tensor_id emit_ones(htp_lowering *l, const htp_normalized *n, size_t axis_count,
                               const htp_dim *dims)
{
    htp_sizes shape = htp_sizes_begin(l);
    htp_sizes_add_dims(&shape, n->x, dims, n->rank - (uint32_t)axis_count, n->rank);
    return htp_emit_binary(l, "Expand", htp_emit_scalar(l, n->dtype, 1), htp_sizes_end(&shape));
}

htp_tensor_id htp_emit_layer_norm(htp_lowering *l, const htp_normalized *n, size_t axis_count,
                                  const htp_dim *dims)
{
    if (axis_count == 0 || axis_count > n->rank) {
        htp_lower_fail(l, "it normalizes %zu dims of %u", axis_count, n->rank);
        return HTP_NONE;
    }
    if (n->dtype == HTP_DTYPE_FLOAT64) {
        int64_t axes[HTP_MAX_RANK];
        size_t count = list_axes(n->rank - (uint32_t)axis_count, n->rank, axes);
        return apply_affine(l, n, standardize(l, n, axes, count), false);
    }
    htp_tensor_id weight = n->weight == HTP_NONE ? emit_ones(l, n, axis_count, dims) : n->weight;
    return htp_emit(l, "LayerNormalization", HTP_IN(n->x, weight, n->bias),
                    HTP_AT(htp_attribute_int("axis", -(int64_t)axis_count),
                           htp_attribute_float("epsilon", n->eps)));
}

/** layer_norm, native_layer_norm */
void htp_lower_layer_norm(htp_lowering *l)
{
    size_t count = 0;
    htp_arg_list(l, "normalized_shape", &count);
    htp_normalized n = read_normalized(l, normalization_dtype(l));
    n.eps = htp_arg_float(l, "eps");
    htp_tensor_id y = htp_emit_layer_norm(l, &n, count, htp_arg_dims(l, "input"));
    htp_bind_cast(l, 0, y, n.dtype);
    int64_t axes[HTP_MAX_RANK];
    size_t axis_count = list_axes(n.rank - (uint32_t)count, n.rank, axes);
    bind_statistics(l, &n, axes, axis_count, true);
}

/** x / sqrt(mean(x²) + eps) · weight over the last @p count dims. @param root  sqrt(...) */
static htp_tensor_id emit_rms_norm(htp_lowering *l, const htp_normalized *n, size_t count,
                                   htp_tensor_id root)
{
    if (l->model->opset < 23 || n->dtype == HTP_DTYPE_FLOAT64) {
        return apply_affine(l, n, htp_emit_binary(l, "Div", n->x, root), false);
    }
    htp_tensor_id weight =
        n->weight == HTP_NONE ? emit_ones(l, n, count, htp_arg_dims(l, "input")) : n->weight;
    return htp_emit(
        l, "RMSNormalization", HTP_IN(n->x, weight),
        HTP_AT(htp_attribute_int("axis", -(int64_t)count), htp_attribute_float("epsilon", n->eps)));
}

/** rms_norm, _fused_rms_norm. The default eps is the machine epsilon of the dtype computed in. */
void htp_lower_rms_norm(htp_lowering *l)
{
    size_t count = 0;
    htp_arg_list(l, "normalized_shape", &count);
    htp_normalized n = read_normalized(l, htp_arg_math_dtype(l, "input", HTP_MATH_ALLOW_DOUBLE));
    if (count == 0 || count > n.rank) {
        htp_lower_fail(l, "it normalizes %zu dims of %u", count, n.rank);
        return;
    }
    n.eps = htp_arg_float_or(l, "eps",
                             n.dtype == HTP_DTYPE_FLOAT64 ? DBL_EPSILON : (double)FLT_EPSILON);
    int64_t axes[HTP_MAX_RANK];
    list_axes(n.rank - (uint32_t)count, n.rank, axes);
    htp_tensor_id square = htp_emit_binary_scalar(l, "Pow", n.x, n.dtype, 2);
    htp_tensor_id mean = htp_emit_reduce(l, "ReduceMean", square, axes, count, true);
    htp_tensor_id root =
        htp_emit_unary(l, "Sqrt", htp_emit_binary_scalar(l, "Add", mean, n.dtype, n.eps));
    htp_bind_cast(l, 0, emit_rms_norm(l, &n, count, root), n.dtype);
    if (l->node->output_count == 2) {
        htp_bind_cast(l, 1, htp_emit_unary(l, "Reciprocal", root), n.dtype);
    }
}

/* ---- batch, instance, group norm ---- */

/** Batch norm with running statistics, [C] each. */
static htp_tensor_id emit_batch_norm(htp_lowering *l, htp_normalized *n)
{
    htp_tensor_id mean = htp_arg_tensor_as(l, "running_mean", n->dtype);
    htp_tensor_id var = htp_arg_tensor_as(l, "running_var", n->dtype);
    if (n->dtype == HTP_DTYPE_FLOAT64) {
        size_t trailing = n->rank > 2 ? n->rank - 2 : 0;
        htp_tensor_id centered =
            htp_emit_binary(l, "Sub", n->x, htp_emit_channels(l, mean, trailing));
        htp_tensor_id y = scale_down(l, n, centered, htp_emit_channels(l, var, trailing));
        return apply_affine(l, n, y, true);
    }
    if (n->weight == HTP_NONE) {
        n->weight = channel_fill(l, n, 1);
    }
    if (n->bias == HTP_NONE) {
        n->bias = channel_fill(l, n, 0);
    }
    return htp_emit(l, "BatchNormalization", HTP_IN(n->x, n->weight, n->bias, mean, var),
                    HTP_AT(htp_attribute_float("epsilon", n->eps)));
}

/** (1 - momentum) · running + momentum · of_batch */
static htp_tensor_id emit_moved(htp_lowering *l, const char *running, htp_tensor_id of_batch,
                                htp_dtype dtype)
{
    double momentum = htp_arg_float(l, "momentum");
    htp_tensor_id kept =
        htp_emit_binary_scalar(l, "Mul", htp_arg_tensor_as(l, running, dtype), dtype, 1 - momentum);
    return htp_emit_binary(l, "Add", kept,
                           htp_emit_binary_scalar(l, "Mul", of_batch, dtype, momentum));
}

/** Binds the last two outputs: running statistics, moved towards the mean and the unbiased variance
 * over some axes; with @p by_instance, towards their means over the instances. */
static void bind_moved(htp_lowering *l, const htp_normalized *n, const int64_t *axes, size_t count,
                       bool by_instance)
{
    static const int64_t instances[] = {0};
    size_t first = l->node->output_count - 2;
    htp_dtype dtype = htp_composite_dtype(htp_arg_dtype(l, "running_mean"));
    htp_tensor_id x = htp_emit_cast(l, n->x, n->dtype, dtype);
    htp_tensor_id mean = htp_emit_reduce(l, "ReduceMean", x, axes, count, true);
    htp_tensor_id centered = htp_emit_binary(l, "Sub", x, mean);
    htp_tensor_id square = htp_emit_binary(l, "Mul", centered, centered);
    htp_tensor_id number =
        htp_emit_binary(l, "Div", htp_emit_unary(l, "Size", x), htp_emit_unary(l, "Size", mean));
    number = htp_emit_binary(l, "Sub", number, htp_emit_scalar_int(l, HTP_DTYPE_INT64, 1));
    htp_tensor_id var =
        htp_emit_binary(l, "Div", htp_emit_reduce(l, "ReduceSum", square, axes, count, true),
                        htp_emit_cast(l, number, HTP_DTYPE_INT64, dtype));
    mean = htp_emit_squeeze(l, mean, axes, count);
    var = htp_emit_squeeze(l, var, axes, count);
    if (by_instance) {
        mean = htp_emit_reduce(l, "ReduceMean", mean, instances, 1, false);
        var = htp_emit_reduce(l, "ReduceMean", var, instances, 1, false);
    }
    htp_bind_cast(l, first, emit_moved(l, "running_mean", mean, dtype), dtype);
    htp_bind_cast(l, first + 1, emit_moved(l, "running_var", var, dtype), dtype);
}

/** The number of the operator's own outputs, by the row's parameter; a node that updates running
 * statistics has two more. */
static uint32_t own_outputs(const htp_lowering *l)
{
    bool has_reserve = l->row->op && strcmp(l->row->op, "reserve") == 0;
    return l->row->op ? 3 + has_reserve : 1;
}

/** Normalizes with running statistics. Further outputs are empty, or those statistics. */
static htp_tensor_id emit_evaluated(htp_lowering *l, htp_normalized *n, bool gives_running)
{
    uint32_t own = own_outputs(l);
    htp_tensor_id y = emit_batch_norm(l, n);
    for (size_t i = 1; i < l->node->output_count && i < own; i++) {
        htp_bind_cast(l, i, htp_emit_fill(l, n->dtype, 0, 0), n->dtype);
    }
    if (gives_running) {
        htp_bind(l, own, htp_arg_tensor(l, "running_mean"));
        htp_bind(l, own + 1, htp_arg_tensor(l, "running_var"));
    }
    return y;
}

/** batch_norm and its native forms. With running statistics the further outputs are empty; in
 * training it normalizes with the batch's, and updates the running ones. */
void htp_lower_batch_norm(htp_lowering *l)
{
    enum { WITH_STATISTICS = 3, WITH_RESERVE };
    uint32_t own = own_outputs(l);
    bool has_statistics = htp_arg_present(l, "running_mean") && htp_arg_present(l, "running_var");
    bool trains = own == WITH_RESERVE || htp_arg_bool_or(l, "training", false);
    bool gives_running = l->node->output_count == own + 2;
    if (has_statistics && trains && !gives_running) {
        htp_lower_fail_training(l);
        return;
    }
    htp_normalized n = read_normalized(l, normalization_dtype(l));
    n.eps = htp_arg_float(l, "eps");
    htp_tensor_id y = HTP_NONE;
    if (has_statistics && !trains) {
        y = emit_evaluated(l, &n, gives_running);
    } else {
        int64_t axes[HTP_MAX_RANK] = {0};
        size_t count = 1 + list_axes(2, n.rank, axes + 1);
        y = apply_affine(l, &n, standardize(l, &n, axes, count), true);
        if (own >= WITH_STATISTICS) {
            bind_statistics(l, &n, axes, count, false);
        }
        if (gives_running) {
            bind_moved(l, &n, axes, count, false);
        }
    }
    if (own == WITH_RESERVE) {
        htp_bind(l, WITH_STATISTICS, htp_emit_fill(l, HTP_DTYPE_UINT8, 0, 0));
    }
    htp_bind_cast(l, 0, y, n.dtype);
}

void htp_lower_instance_norm(htp_lowering *l)
{
    bool has_statistics = htp_arg_present(l, "running_mean") && htp_arg_present(l, "running_var");
    bool use_input = htp_arg_bool(l, "use_input_stats");
    bool gives_running = l->node->output_count == own_outputs(l) + 2;
    if (has_statistics && use_input && !gives_running) {
        htp_lower_fail_training(l);
        return;
    }
    htp_normalized n = read_normalized(l, normalization_dtype(l));
    n.eps = htp_arg_float(l, "eps");
    htp_tensor_id y = HTP_NONE;
    if (!use_input) {
        y = emit_batch_norm(l, &n);
    } else if (n.dtype == HTP_DTYPE_FLOAT64) {
        int64_t axes[HTP_MAX_RANK];
        size_t count = list_axes(2, n.rank, axes);
        y = apply_affine(l, &n, standardize(l, &n, axes, count), true);
    } else {
        n.weight = n.weight == HTP_NONE ? channel_fill(l, &n, 1) : n.weight;
        n.bias = n.bias == HTP_NONE ? channel_fill(l, &n, 0) : n.bias;
        y = htp_emit(l, "InstanceNormalization", HTP_IN(n.x, n.weight, n.bias),
                     HTP_AT(htp_attribute_float("epsilon", n.eps)));
    }
    if (gives_running) {
        int64_t axes[HTP_MAX_RANK];
        bind_moved(l, &n, axes, list_axes(2, n.rank, axes), true);
    }
    htp_bind_cast(l, 0, y, n.dtype);
}

/** group_norm, native_group_norm: the row names the argument that holds the number of groups. */
void htp_lower_group_norm(htp_lowering *l)
{
    int64_t groups = htp_arg_int(l, l->row->op);
    htp_normalized n = read_normalized(l, normalization_dtype(l));
    n.eps = htp_arg_float(l, "eps");
    if (groups < 1 || groups > INT64_C(1) << 24) {
        htp_lower_fail(l, "%lld groups are not valid", (long long)groups);
        return;
    }
    const int64_t axis = 2;
    htp_tensor_id shape = htp_emit_shape(l, n.x, n.rank, htp_arg_dims(l, "input"));
    htp_normalized grouped = n;
    grouped.x = htp_emit_reshape(l, n.x, (const int64_t[]){0, groups, -1}, 3);
    htp_tensor_id y = n.dtype == HTP_DTYPE_FLOAT64
                          ? standardize(l, &grouped, &axis, 1)
                          : htp_emit(l, "InstanceNormalization",
                                     HTP_IN(grouped.x, htp_emit_fill(l, n.dtype, groups, 1),
                                            htp_emit_fill(l, n.dtype, groups, 0)),
                                     HTP_AT(htp_attribute_float("epsilon", n.eps)));
    y = apply_affine(l, &n, htp_emit_binary(l, "Reshape", y, shape), true);
    htp_bind_cast(l, 0, y, n.dtype);
    bind_statistics(l, &grouped, &axis, 1, false);
}

/** v · (g / ‖v‖), with the norm over all dims but one; over all for dim -1. */
void htp_lower_weight_norm(htp_lowering *l)
{
    htp_dtype dtype = htp_arg_math_dtype(l, "v", HTP_MATH_ALLOW_DOUBLE);
    htp_tensor_id v = htp_arg_tensor_as(l, "v", dtype);
    htp_tensor_id g = htp_arg_tensor_as(l, "g", dtype);
    int64_t kept = htp_arg_int(l, "dim");
    uint32_t rank = htp_arg_rank(l, "v");
    int64_t axes[HTP_MAX_RANK];
    size_t count = 0;
    for (uint32_t i = 0; i < rank; i++) {
        if ((int64_t)i != kept) {
            axes[count++] = i;
        }
    }
    htp_tensor_id norm = count ? htp_emit_reduce(l, "ReduceL2", v, axes, count, kept >= 0)
                               : htp_emit_unary(l, "Abs", v);
    htp_tensor_id y = htp_emit_binary(l, "Mul", v, htp_emit_binary(l, "Div", g, norm));
    htp_bind_cast(l, 0, y, dtype);
}
