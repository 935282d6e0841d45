/*
 * Pooling to a given size: aten::adaptive_avg_pool*d, aten::adaptive_max_pool*d.
 *
 * Window o of an axis reaches from floor(o · in / out) to ceil((o + 1) · in / out). Where out
 * divides in, that is ordinary pooling. Otherwise windows are gathered one axis at a time, which is
 * exact because they are boxes. For an axis of unknown size they are computed at run time.
 *
 * Reference: ONNX GlobalAveragePool, AveragePool, MaxPool.
 */
#include "graph/symbols.h"
#include "lower/compose/compose.h"
#include "lower/emit/ort_dtypes.h"
#include "lower/emit/sizes.h"
#include "lower/nn/windows.h"

#include <string.h>

/** How an axis is pooled. */
typedef enum fate {
    AXIS_KEPT,    /* out = in */
    AXIS_REDUCED, /* out = 1, in is not known */
    AXIS_POOLED,  /* out divides in */
    AXIS_UNEVEN,  /* it does not, or runtimes have no average pooling: in float64 */
    AXIS_OPEN,    /* in or out is not known */
    AXIS_INVALID, /* no elements */
} fate;

typedef struct adaptive {
    size_t axes;
    bool is_max;
    htp_dtype dtype;
    const htp_dim *in; /* spatial dims */
    const htp_dim *out;
    fate fates[3];
    bool to_ones; /* all output sizes are 1 */
} adaptive;

static fate axis_fate(const htp_dim *in, const htp_dim *out)
{
    if (in->symbol || out->symbol) {
        if (in->symbol && out->symbol) {
            return strcmp(in->symbol, out->symbol) == 0 ? AXIS_KEPT : AXIS_OPEN;
        }
        return !out->symbol && out->size == 1 ? AXIS_REDUCED : AXIS_OPEN;
    }
    if (in->size == out->size) {
        return AXIS_KEPT;
    }
    if (out->size < 1 || in->size < 1) {
        return AXIS_INVALID;
    }
    return in->size % out->size == 0 ? AXIS_POOLED : AXIS_UNEVEN;
}

static size_t count_fates(const adaptive *a, fate wanted)
{
    size_t count = 0;
    for (size_t i = 0; i < a->axes; i++) {
        count += a->fates[i] == wanted;
    }
    return count;
}

static adaptive read_adaptive(htp_lowering *l)
{
    static const htp_dim unknown[3];
    adaptive a = {.axes = htp_row_axes(l),
                  .is_max = strcmp(l->row->op, "Max") == 0,
                  .in = unknown,
                  .out = unknown};
    uint32_t rank = htp_arg_rank(l, "self");
    if ((rank != a.axes + 1 && rank != a.axes + 2) || htp_output_rank(l, 0) != rank) {
        htp_lower_fail(l, "an input of rank %u is not supported", rank);
        return a;
    }
    a.in = htp_arg_dims(l, "self") + (rank - a.axes);
    a.out = htp_output_dims(l, 0) + (rank - a.axes);
    a.to_ones = true;
    for (size_t i = 0; i < a.axes; i++) {
        a.fates[i] = axis_fate(&a.in[i], &a.out[i]);
        a.to_ones = a.to_ones && !a.out[i].symbol && a.out[i].size == 1;
    }
    if (count_fates(&a, AXIS_INVALID)) {
        htp_lower_fail(l, "it pools nothing, or to nothing");
    }
    size_t composed = count_fates(&a, AXIS_UNEVEN) + count_fates(&a, AXIS_REDUCED);
    bool one_node = a.to_ones || composed + count_fates(&a, AXIS_OPEN) == 0;
    a.dtype = htp_arg_math_dtype(
        l, "self", HTP_MATH_ALLOW_DOUBLE | (a.is_max || one_node ? HTP_MATH_KEEP_HALF : 0));
    for (size_t i = 0; i < a.axes && !a.is_max && a.dtype == HTP_DTYPE_FLOAT64; i++) {
        a.fates[i] = a.fates[i] == AXIS_POOLED ? AXIS_UNEVEN : a.fates[i];
    }
    return a;
}

static htp_tensor_id reduce_axes(htp_lowering *l, const adaptive *a, htp_tensor_id x)
{
    int64_t axes[3];
    size_t count = 0;
    for (size_t i = 0; i < a->axes; i++) {
        if (a->fates[i] == AXIS_REDUCED) {
            axes[count++] = (int64_t)i + 2;
        }
    }
    return count ? htp_emit_reduce(l, a->is_max ? "ReduceMax" : "ReduceMean", x, axes, count, true)
                 : x;
}

static htp_tensor_id pool_axes(htp_lowering *l, const adaptive *a, htp_tensor_id x)
{
    int64_t *kernel = HTP_NEW_ARRAY(l->arena, int64_t, a->axes);
    for (size_t i = 0; i < a->axes; i++) {
        kernel[i] = a->fates[i] == AXIS_POOLED ? a->in[i].size / a->out[i].size : 1;
    }
    return htp_emit(l, a->is_max ? "MaxPool" : "AveragePool", HTP_IN(x),
                    HTP_AT(htp_attribute_ints("kernel_shape", kernel, a->axes),
                           htp_attribute_ints("strides", kernel, a->axes)));
}

/** The windows of an axis: positions [out, width], and the weight of each. Shorter windows repeat
 * their last position, with weight 0. */
typedef struct windows {
    htp_tensor_id positions;
    htp_tensor_id
        weights; /* [out, width, 1...], to broadcast with the axes after; HTP_NONE for maxima */
} windows;

/** Windows of an axis whose sizes are known. */
static windows known_windows(htp_lowering *l, const adaptive *a, size_t axis)
{
    const int64_t most = INT64_C(1) << 20;
    int64_t in = a->in[axis].size;
    int64_t out = a->out[axis].size;
    if (in > most || out > most) {
        htp_lower_fail(l, "its sizes are too large");
        return (windows){HTP_NONE, HTP_NONE};
    }
    int64_t width = in % out == 0 ? in / out : in / out + 2;
    int64_t *positions = HTP_NEW_ARRAY(l->arena, int64_t, (size_t)(out * width));
    htp_number *weights = HTP_NEW_ARRAY(l->arena, htp_number, (size_t)(out * width));
    for (int64_t o = 0; o < out; o++) {
        int64_t start = o * in / out;
        int64_t end = ((o + 1) * in + out - 1) / out;
        for (int64_t j = 0; j < width; j++) {
            bool inside = start + j < end;
            positions[o * width + j] = inside ? start + j : end - 1;
            weights[o * width + j] = htp_number_float(inside ? 1.0 / (double)(end - start) : 0.0);
        }
    }
    const int64_t dims[4] = {out, width, 1, 1};
    uint32_t rank = 2 + (uint32_t)(a->axes - axis - 1);
    return (windows){htp_builder_constant(l->model, HTP_DTYPE_INT64, 2, dims, positions),
                     a->is_max ? HTP_NONE : htp_emit_numbers(l, a->dtype, rank, dims, weights)};
}

/** @p a OP @p b, with a number. */
static htp_tensor_id count_with(htp_lowering *l, const char *op, htp_tensor_id a, int64_t b)
{
    return htp_emit_binary(l, op, a, htp_emit_int(l, b));
}

/** The output size of an axis, as [1]. */
static htp_tensor_id emit_out(htp_lowering *l, const adaptive *a, size_t axis)
{
    size_t count = 0;
    if (!a->out[axis].symbol) {
        return htp_emit_int(l, a->out[axis].size);
    }
    const htp_value_id *sizes = htp_arg_list(l, "output_size", &count);
    if (count != a->axes || sizes[axis] == HTP_NONE) {
        htp_lower_fail(l, "its output's size is not known");
        return HTP_NONE;
    }
    return htp_value_vector(l, sizes[axis]);
}

/** Windows of any axis, computed at run time. @param x  [batch, channels, in, ...] */
static windows open_windows(htp_lowering *l, const adaptive *a, size_t axis, htp_tensor_id x,
                            int64_t x_axis)
{
    static const int64_t behind[] = {2, 3};
    const int64_t second = 1;
    htp_tensor_id in =
        htp_emit(l, "Shape", HTP_IN(x),
                 HTP_AT(htp_attribute_int("start", x_axis), htp_attribute_int("end", x_axis + 1)));
    htp_tensor_id out = emit_out(l, a, axis);
    htp_tensor_id o = htp_emit_unsqueeze(l, htp_emit_count_up(l, out), &second, 1);
    if (htp_symbols_may_be_zero(l->graph->symbols, a->out[axis])) {
        out = htp_typed_extreme(l, "Max", HTP_DTYPE_INT64, out, htp_emit_int(l, 1));
    }
    htp_tensor_id start = htp_emit_binary(l, "Div", htp_emit_binary(l, "Mul", o, in), out);
    htp_tensor_id end = htp_emit_binary(l, "Mul", count_with(l, "Add", o, 1), in);
    end = htp_emit_binary(l, "Add", end, count_with(l, "Sub", out, 1));
    end = htp_emit_binary(l, "Div", end, out);
    htp_tensor_id width = count_with(l, "Add", htp_emit_binary(l, "Div", in, out), 2);
    htp_tensor_id place = htp_emit_binary(l, "Add", start, htp_emit_count_up(l, width));
    htp_tensor_id is_inside = htp_emit_binary(l, "Less", place, end);
    htp_tensor_id last = count_with(l, "Sub", end, 1);
    windows w = {htp_emit(l, "Where", HTP_IN(is_inside, place, last), HTP_NO_AT), HTP_NONE};
    if (!a->is_max) {
        htp_tensor_id size = htp_emit_binary(l, "Sub", end, start);
        size = htp_emit_cast(l, size, HTP_DTYPE_INT64, a->dtype);
        htp_tensor_id counts = htp_emit_cast(l, is_inside, HTP_DTYPE_BOOL, a->dtype);
        w.weights = htp_emit_binary(l, "Div", counts, size);
        w.weights = htp_emit_unsqueeze(l, w.weights, behind, a->axes - axis - 1);
    }
    return w;
}

/** The windows of axis @p axis, which is @p x_axis of @p x. */
static windows emit_windows(htp_lowering *l, const adaptive *a, size_t axis, htp_tensor_id x,
                            int64_t x_axis)
{
    return a->fates[axis] == AXIS_OPEN ? open_windows(l, a, axis, x, x_axis)
                                       : known_windows(l, a, axis);
}

/** Pools one uneven axis: gathers its windows along a new axis and reduces that. */
static htp_tensor_id pool_uneven(htp_lowering *l, const adaptive *a, size_t i, htp_tensor_id x)
{
    const int64_t axis = (int64_t)i + 2;
    const int64_t window_axis = axis + 1;
    windows w = emit_windows(l, a, i, x, axis);
    x = htp_emit(l, "Gather", HTP_IN(x, w.positions), HTP_AT(htp_attribute_int("axis", axis)));
    if (l->failure || a->is_max) {
        return htp_emit_reduce(l, "ReduceMax", x, &window_axis, 1, false);
    }
    return htp_emit_reduce(l, "ReduceSum", htp_emit_binary(l, "Mul", x, w.weights), &window_axis, 1,
                           false);
}

/** Gathers windows: every axis of @p x becomes two, the windows and the elements of each. */
static htp_tensor_id gather_windows(htp_lowering *l, const adaptive *a, htp_tensor_id x)
{
    for (size_t i = 0; i < a->axes; i++) {
        const int64_t axis = 2 + 2 * (int64_t)i;
        const int64_t next = axis + 1;
        if (a->fates[i] == AXIS_KEPT) {
            x = htp_emit_unsqueeze(l, x, &next, 1);
        } else if (a->fates[i] == AXIS_REDUCED) {
            x = htp_emit_unsqueeze(l, x, &axis, 1);
        } else {
            htp_tensor_id positions = emit_windows(l, a, i, x, axis).positions;
            x = htp_emit(l, "Gather", HTP_IN(x, positions),
                         HTP_AT(htp_attribute_int("axis", axis)));
        }
    }
    return x;
}

/** Binds the indices of the first maxima, counted within a channel. */
static void bind_indices(htp_lowering *l, const adaptive *a, htp_tensor_id x)
{
    static const int64_t window_axes[] = {3, 5, 7};
    htp_tensor_id elements = gather_windows(l, a, x);
    htp_tensor_id largest = htp_emit_reduce(l, "ReduceMax", elements, window_axes, a->axes, true);
    htp_tensor_id plane = gather_windows(l, a, htp_emit_plane(l, x, a->axes, a->in));
    htp_tensor_id indices =
        htp_emit_first_equal(l, a->dtype, elements, largest, plane, window_axes, a->axes);
    htp_bind_batched(l, 1, a->axes, indices, HTP_DTYPE_INT64);
}

/** The row says "Max" or "Average". */
void htp_lower_adaptive_pool(htp_lowering *l)
{
    static const int64_t spatial[] = {2, 3, 4};
    adaptive a = read_adaptive(l);
    if (l->failure) {
        return;
    }
    htp_tensor_id x = htp_arg_batched(l, "self", a.axes, a.dtype);
    size_t pooled = count_fates(&a, AXIS_POOLED);
    if (!a.is_max && a.to_ones) {
        x = a.dtype == HTP_DTYPE_FLOAT64
                ? htp_emit_reduce(l, "ReduceMean", x, spatial, a.axes, true)
                : htp_emit_unary(l, "GlobalAveragePool", x);
        htp_bind_batched(l, 0, a.axes, x, a.dtype);
        return;
    }
    if (l->node->output_count == 2) {
        bind_indices(l, &a, x);
    }
    x = reduce_axes(l, &a, x);
    x = pooled ? pool_axes(l, &a, x) : x;
    for (size_t i = 0; i < a.axes; i++) {
        bool is_gathered = a.fates[i] == AXIS_UNEVEN || a.fates[i] == AXIS_OPEN;
        x = is_gathered ? pool_uneven(l, &a, i, x) : x;
    }
    htp_bind_batched(l, 0, a.axes, x, a.dtype);
}
