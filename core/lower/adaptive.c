/*
 * Pooling to a given size: aten::adaptive_avg_pool*d, aten::adaptive_max_pool*d.
 *
 * Window o of an axis reaches from floor(o · in / out) to ceil((o + 1) · in / out). Where out
 * divides in, that is an ordinary pooling. Otherwise each axis by itself gathers its windows,
 * which is exact as windows are boxes. An axis of unknown size can stay as it is, or become 1.
 *
 * Reference: ONNX GlobalAveragePool, AveragePool, MaxPool.
 */
#include "lower/compose.h"
#include "lower/constant.h"
#include "lower/windows.h"

#include <string.h>

/** What becomes of an axis. */
typedef enum fate {
    AXIS_KEPT,    /* out = in */
    AXIS_REDUCED, /* out = 1, in is not known */
    AXIS_POOLED,  /* out divides in */
    AXIS_UNEVEN,
    AXIS_UNKNOWN,
} fate;

typedef struct adaptive {
    size_t axes;
    bool is_max;
    htp_dtype dtype;
    const htp_dim *in; /* spatial dims */
    const htp_dim *out;
    fate fates[3];
    bool to_ones; /* all of out is 1 */
} adaptive;

static fate axis_fate(const htp_dim *in, const htp_dim *out)
{
    if (in->symbol || out->symbol) {
        if (in->symbol && out->symbol) {
            return strcmp(in->symbol, out->symbol) == 0 ? AXIS_KEPT : AXIS_UNKNOWN;
        }
        return !out->symbol && out->size == 1 ? AXIS_REDUCED : AXIS_UNKNOWN;
    }
    if (in->size == out->size) {
        return AXIS_KEPT;
    }
    if (out->size < 1 || in->size < 1) {
        return AXIS_UNKNOWN;
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
    if (count_fates(&a, AXIS_UNKNOWN)) {
        htp_lower_fail(l, "its sizes are not known");
    }
    bool one_node = a.to_ones || count_fates(&a, AXIS_UNEVEN) + count_fates(&a, AXIS_REDUCED) == 0;
    a.dtype = htp_arg_math_dtype(l, "self",
                                 (a.is_max ? HTP_MATH_ALLOW_DOUBLE : 0) |
                                     (a.is_max || one_node ? HTP_MATH_KEEP_HALF : 0));
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

/** The windows of an uneven axis: positions [out, width], and the weight of each. Shorter windows
 * repeat their last position, with weight 0. */
typedef struct windows {
    int64_t width;
    int64_t *positions;
    htp_number *weights;
} windows;

static windows find_windows(htp_lowering *l, int64_t in, int64_t out)
{
    windows w = {.width = in / out + 2};
    w.positions = HTP_NEW_ARRAY(l->arena, int64_t, (size_t)(out * w.width));
    w.weights = HTP_NEW_ARRAY(l->arena, htp_number, (size_t)(out * w.width));
    for (int64_t o = 0; o < out; o++) {
        int64_t start = o * in / out;
        int64_t end = ((o + 1) * in + out - 1) / out;
        for (int64_t j = 0; j < w.width; j++) {
            bool inside = start + j < end;
            w.positions[o * w.width + j] = inside ? start + j : end - 1;
            w.weights[o * w.width + j] =
                htp_number_float(inside ? 1.0 / (double)(end - start) : 0.0);
        }
    }
    return w;
}

/** The elements of each window of an axis whose sizes are known: [out, width] positions. */
static htp_tensor_id emit_positions(htp_lowering *l, const adaptive *a, size_t i, windows *w)
{
    const int64_t most = INT64_C(1) << 20;
    if (a->in[i].size > most || a->out[i].size > most) {
        htp_lower_fail(l, "its sizes are too large");
        return HTP_TENSOR_NONE;
    }
    *w = find_windows(l, a->in[i].size, a->out[i].size);
    const int64_t dims[] = {a->out[i].size, w->width};
    return htp_draft_constant(l->model, HTP_DTYPE_INT64, 2, dims, w->positions);
}

/** One uneven axis: gathers its windows into an axis of their own and reduces that. */
static htp_tensor_id pool_uneven(htp_lowering *l, const adaptive *a, size_t i, htp_tensor_id x)
{
    windows w = {0};
    const int64_t axis = (int64_t)i + 2;
    const int64_t window_axis = axis + 1;
    htp_tensor_id positions = emit_positions(l, a, i, &w);
    x = htp_emit(l, "Gather", HTP_IN(x, positions), HTP_AT(htp_attribute_int("axis", axis)));
    if (l->failure || a->is_max) {
        return htp_emit_reduce(l, "ReduceMax", x, &window_axis, 1, false);
    }
    int64_t ones[4] = {a->out[i].size, w.width, 1, 1};
    htp_tensor_id weights =
        htp_emit_numbers(l, a->dtype, 2 + (uint32_t)(a->axes - i - 1), ones, w.weights);
    return htp_emit_reduce(l, "ReduceSum", htp_emit_binary(l, "Mul", x, weights), &window_axis, 1,
                           false);
}

/** Every axis of @p x as two: windows, and the elements of each. */
static htp_tensor_id gather_windows(htp_lowering *l, const adaptive *a, htp_tensor_id x)
{
    for (size_t i = 0; i < a->axes; i++) {
        const int64_t axis = 2 + 2 * (int64_t)i;
        const int64_t next = axis + 1;
        windows w = {0};
        if (a->fates[i] == AXIS_KEPT) {
            x = htp_emit_unsqueeze(l, x, &next, 1);
        } else if (a->fates[i] == AXIS_REDUCED) {
            x = htp_emit_unsqueeze(l, x, &axis, 1);
        } else {
            htp_tensor_id positions = emit_positions(l, a, i, &w);
            x = htp_emit(l, "Gather", HTP_IN(x, positions),
                         HTP_AT(htp_attribute_int("axis", axis)));
        }
    }
    return x;
}

/** Indices count within a channel, and tell the first maximum. */
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
    adaptive a = read_adaptive(l);
    if (l->failure) {
        return;
    }
    htp_tensor_id x = htp_arg_batched(l, "self", a.axes, a.dtype);
    size_t pooled = count_fates(&a, AXIS_POOLED);
    if (!a.is_max && a.to_ones) {
        x = htp_emit_unary(l, "GlobalAveragePool", x);
        htp_bind_batched(l, 0, a.axes, x, a.dtype);
        return;
    }
    if (l->node->output_count == 2) {
        bind_indices(l, &a, x);
    }
    x = reduce_axes(l, &a, x);
    x = pooled ? pool_axes(l, &a, x) : x;
    for (size_t i = 0; i < a.axes; i++) {
        x = a.fates[i] == AXIS_UNEVEN ? pool_uneven(l, &a, i, x) : x;
    }
    htp_bind_batched(l, 0, a.axes, x, a.dtype);
}
