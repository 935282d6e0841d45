/*
 * Pooling with given windows: aten::max_pool*d, aten::avg_pool*d.
 *
 * Reference: ONNX MaxPool, AveragePool. With ceil_mode PyTorch drops a last window that would begin
 * in the padding at the end; ONNX defines that only since opset 22, and runtimes differ. Such
 * windows do not exist if stride <= window - padding; otherwise, for dynamic sizes, they are cut
 * off. Averages count the given padding, but not what ceil_mode adds. ONNX cannot express that:
 * then the padding becomes a node. Averages of float64 and int64, for which runtimes have no
 * kernel, are sums of windows gathered one axis at a time. Windows that depend on the input are in
 * pooling_by_size.c.
 */
#include "lower/nn/pooling.h"
#include "lower/compose/compose.h"
#include "lower/emit/constant.h"
#include "lower/emit/ort_dtypes.h"
#include "lower/emit/sizes.h"
#include "lower/nn/windows.h"

#include <string.h>

typedef struct pooling {
    size_t axes;
    const htp_dim *dims; /* spatial dims of the input */
    const int64_t *kernel;
    const int64_t *stride;
    const int64_t *padding;
    const int64_t *dilation;
    bool ceil_mode;   /* ONNX's attribute */
    int64_t *more;    /* padding at the ends in place of ceil_mode */
    bool is_gathered; /* ONNX cannot express it: windows are gathered */
    int64_t reach[3]; /* padding + stride - 1 if a last window may begin in the end padding and is
                         cut off; otherwise 0 */
} pooling;

static const int64_t zeros[HTP_MAX_RANK];
static const int64_t ones[] = {1, 1, 1};

/** How the number of windows on one axis is rounded. */
typedef enum rounding { ROUNDS_EITHER, ROUNDS_DOWN, ROUNDS_UP } rounding;

static int64_t window_of(const pooling *p, size_t i)
{
    return p->dilation[i] * (p->kernel[i] - 1) + 1;
}

/** The remainder after the last whole stride on an axis of known size. */
static int64_t remainder_of(const pooling *p, size_t i)
{
    return (p->dims[i].size + 2 * p->padding[i] - window_of(p, i)) % p->stride[i];
}

static rounding axis_rounding(const pooling *p, size_t i)
{
    bool known = !p->dims[i].symbol;
    if (known && remainder_of(p, i) == 0) {
        return ROUNDS_EITHER;
    }
    if (p->stride[i] <= window_of(p, i) - p->padding[i]) {
        return ROUNDS_UP;
    }
    if (!known) {
        return ROUNDS_UP;
    }
    int64_t room = p->dims[i].size + 2 * p->padding[i] - window_of(p, i);
    int64_t last = room / p->stride[i] + 1;
    return last * p->stride[i] >= p->dims[i].size + p->padding[i] ? ROUNDS_DOWN : ROUNDS_UP;
}

/** The end padding that gives the rounded-up size, except for windows beyond the last element.
 * Together with the given padding it is less than a window. */
static int64_t more_of(const pooling *p, size_t i)
{
    int64_t remainder = p->dims[i].symbol ? 1 : remainder_of(p, i);
    int64_t more = remainder ? p->stride[i] - remainder : 0;
    int64_t most = window_of(p, i) - 1 - p->padding[i];
    return more < most ? more : most;
}

/** Sets ONNX's ceil_mode. If only some axes must round up, these are padded instead. The padding of
 * an axis of unknown size is unknown, so then all axes round up. */
static void choose_ceil_mode(pooling *p)
{
    rounding rounds[3] = {ROUNDS_EITHER, ROUNDS_EITHER, ROUNDS_EITHER};
    bool up = false;
    bool down = false;
    bool any_unknown = false;
    for (size_t i = 0; i < p->axes; i++) {
        rounds[i] = axis_rounding(p, i);
        up = up || rounds[i] == ROUNDS_UP;
        down = down || rounds[i] == ROUNDS_DOWN;
        any_unknown = any_unknown || p->dims[i].symbol;
        if (p->dims[i].symbol && p->stride[i] > window_of(p, i) - p->padding[i]) {
            p->reach[i] = p->padding[i] + p->stride[i] - 1;
        }
    }
    p->ceil_mode = up && (!down || any_unknown);
    for (size_t i = 0; up && down && i < p->axes; i++) {
        if (any_unknown && rounds[i] == ROUNDS_DOWN) {
            p->reach[i] = p->padding[i] + p->stride[i] - 1;
        } else if (!any_unknown && rounds[i] == ROUNDS_UP) {
            p->is_gathered = p->is_gathered || p->dilation[i] != 1;
            p->more[i] = more_of(p, i);
        }
    }
}

/** An output [N, C, ...] without the windows that begin in the end padding. */
static htp_tensor_id cut_windows(htp_lowering *l, const pooling *p, htp_tensor_id pooled)
{
    uint32_t rank = htp_arg_rank(l, "self");
    for (size_t i = 0; i < p->axes && !l->failure; i++) {
        if (p->reach[i] == 0) {
            continue;
        }
        int64_t axis = (int64_t)(rank - p->axes + i);
        htp_tensor_id size =
            htp_emit_dim(l, htp_arg_tensor(l, "self"), htp_arg_dims(l, "self"), axis);
        htp_tensor_id reach = htp_emit_binary(l, "Add", size, htp_emit_int(l, p->reach[i]));
        htp_tensor_id count = htp_emit_binary(l, "Div", reach, htp_emit_int(l, p->stride[i]));
        pooled = htp_emit(
            l, "Slice", HTP_IN(pooled, htp_emit_int(l, 0), count, htp_emit_int(l, (int64_t)i + 2)),
            HTP_NO_AT);
    }
    return pooled;
}

/** Whether sizes are small enough for the arithmetic above not to overflow. */
static bool sizes_are_sane(const pooling *p)
{
    const int64_t most = INT64_C(1) << 30;
    for (size_t i = 0; i < p->axes; i++) {
        bool fits = p->kernel[i] >= 1 && p->kernel[i] <= most && p->stride[i] >= 1 &&
                    p->stride[i] <= most && p->dilation[i] >= 1 && p->dilation[i] <= most &&
                    p->padding[i] >= 0 && p->padding[i] <= most;
        if (!fits) {
            return false;
        }
    }
    return true;
}

static pooling read_pooling(htp_lowering *l)
{
    pooling p = {.axes = htp_row_axes(l)};
    uint32_t rank = htp_arg_rank(l, "self");
    if (rank != p.axes + 1 && rank != p.axes + 2) {
        htp_lower_fail(l, "an input of rank %u is not supported", rank);
        rank = (uint32_t)p.axes;
    }
    p.dims = htp_arg_dims(l, "self") + (rank - p.axes);
    p.kernel = htp_arg_spatial(l, "kernel_size", p.axes, NULL);
    p.stride = htp_arg_spatial(l, "stride", p.axes, p.kernel);
    p.padding = htp_arg_spatial(l, "padding", p.axes, zeros);
    p.dilation = htp_arg_spatial(l, "dilation", p.axes, ones);
    if (!l->failure && !sizes_are_sane(&p)) {
        htp_lower_fail(l, "its window is not valid");
    }
    p.more = HTP_NEW_ARRAY(l->arena, int64_t, p.axes);
    if (!l->failure && htp_arg_bool(l, "ceil_mode")) {
        choose_ceil_mode(&p);
    }
    return p;
}

/** Writes the attributes that both operators have. @return their number */
static size_t write_attributes(htp_lowering *l, const pooling *p, htp_attribute *attributes)
{
    int64_t *pads = HTP_NEW_ARRAY(l->arena, int64_t, 2 * p->axes);
    for (size_t i = 0; i < p->axes; i++) {
        pads[i] = p->padding[i];
        pads[p->axes + i] = p->padding[i] + p->more[i];
    }
    attributes[0] = htp_attribute_ints("kernel_shape", p->kernel, p->axes);
    attributes[1] = htp_attribute_ints("strides", p->stride, p->axes);
    attributes[2] = htp_attribute_ints("pads", pads, 2 * p->axes);
    attributes[3] = htp_attribute_int("ceil_mode", p->ceil_mode);
    return 4;
}

/** The kernel axes in the result of htp_emit_windows(). */
static const int64_t kernel_axes[] = {2, 4, 6};

/** The windows, including those that ceil_mode adds at the ends. */
static void write_windows(const pooling *p, htp_window *w)
{
    for (size_t i = 0; i < p->axes; i++) {
        int64_t more = p->ceil_mode ? more_of(p, i) : p->more[i];
        w[i] = (htp_window){p->kernel[i], p->stride[i], p->dilation[i], p->padding[i],
                            p->padding[i] + more};
    }
}

/** Gathers the windows and reduces them. */
static void max_pool_gathered(htp_lowering *l, const pooling *p, htp_dtype dtype)
{
    htp_window w[3];
    write_windows(p, w);
    htp_tensor_id x = htp_arg_batched(l, "self", p->axes, dtype);
    htp_tensor_id windows =
        htp_emit_windows(l, x, dtype, p->axes, p->dims, w, htp_emit_lowest(l, dtype));
    htp_tensor_id largest =
        htp_typed_reduce(l, "ReduceMax", dtype, windows, kernel_axes, p->axes, true);
    htp_bind_batched(l, 0, p->axes,
                     cut_windows(l, p, htp_emit_squeeze(l, largest, kernel_axes, p->axes)), dtype);
    if (l->node->output_count == 2) {
        htp_tensor_id plane = htp_emit_plane(l, x, p->axes, p->dims);
        plane = htp_emit_windows(l, plane, HTP_DTYPE_INT64, p->axes, p->dims, w,
                                 htp_emit_scalar_int(l, HTP_DTYPE_INT64, HTP_NO_INDEX));
        htp_tensor_id indices =
            htp_emit_first_equal(l, dtype, windows, largest, plane, kernel_axes, p->axes);
        htp_bind_batched(l, 1, p->axes, cut_windows(l, p, indices), HTP_DTYPE_INT64);
    }
}

/** The dtype to take maxima in: float64 holds int32 and narrower integers exactly. It does not hold
 * int64, whose windows are gathered. */
static htp_dtype max_dtype(htp_lowering *l)
{
    htp_dtype dtype = htp_arg_dtype(l, "self");
    if (dtype == HTP_DTYPE_INT16 || dtype == HTP_DTYPE_INT32) {
        return HTP_DTYPE_FLOAT64;
    }
    if (dtype == HTP_DTYPE_INT8 || dtype == HTP_DTYPE_UINT8 || dtype == HTP_DTYPE_INT64) {
        return dtype;
    }
    return htp_arg_math_dtype(l, "self", HTP_MATH_KEEP_HALF | HTP_MATH_ALLOW_DOUBLE);
}

/** max_poolNd, max_poolNd_with_indices. ONNX's indices count through the whole tensor, PyTorch's
 * within a channel. */
void htp_lower_max_pool(htp_lowering *l)
{
    htp_dtype dtype = max_dtype(l);
    if (htp_pooling_follows_sizes(l)) {
        htp_lower_max_pool_by_size(l, dtype);
        return;
    }
    pooling p = read_pooling(l);
    if (dtype == HTP_DTYPE_INT64 || p.is_gathered) {
        max_pool_gathered(l, &p, dtype);
        return;
    }
    htp_attribute attributes[5];
    size_t count = write_attributes(l, &p, attributes);
    attributes[count++] = htp_attribute_ints("dilations", p.dilation, p.axes);
    htp_tensor_id x = htp_arg_batched(l, "self", p.axes, dtype);
    htp_tensor_id outputs[2];
    htp_emit_many(l, "MaxPool", HTP_IN(x), (htp_emit_attributes){attributes, count}, outputs,
                  l->node->output_count == 2 ? 2 : 1);
    htp_bind_batched(l, 0, p.axes, cut_windows(l, &p, outputs[0]), dtype);
    if (l->node->output_count == 2) {
        uint32_t rank = htp_arg_rank(l, "self");
        htp_tensor_id size = htp_emit_dim_product(
            l, htp_arg_tensor(l, "self"), htp_arg_dims(l, "self"), rank - (uint32_t)p.axes, rank);
        htp_tensor_id indices = htp_emit_binary(l, "Mod", outputs[1], size);
        htp_bind_batched(l, 1, p.axes, cut_windows(l, &p, indices), HTP_DTYPE_INT64);
    }
}

/** Emits the padding as a Pad node, with @p more zeros at the ends. */
static htp_tensor_id emit_padding(htp_lowering *l, htp_tensor_id x, pooling *p, const int64_t *more,
                                  htp_dtype dtype)
{
    size_t rank = p->axes + 2;
    int64_t *pads = HTP_NEW_ARRAY(l->arena, int64_t, 2 * rank);
    for (size_t i = 0; i < p->axes; i++) {
        pads[2 + i] = p->padding[i];
        pads[rank + 2 + i] = p->padding[i] + more[i];
    }
    p->padding = zeros;
    return htp_emit(l, "Pad",
                    HTP_IN(x, htp_emit_ints(l, pads, 2 * rank), htp_emit_scalar(l, dtype, 0)),
                    HTP_NO_AT);
}

static htp_tensor_id emit_average(htp_lowering *l, htp_tensor_id x, const pooling *p,
                                  bool count_padding)
{
    htp_attribute attributes[5];
    size_t count = write_attributes(l, p, attributes);
    attributes[count++] = htp_attribute_int("count_include_pad", count_padding);
    return htp_emit(l, "AveragePool", HTP_IN(x), (htp_emit_attributes){attributes, count});
}

/** The sum over each window, divided by a number: beyond the end are zeros. */
static htp_tensor_id emit_divided_sum(htp_lowering *l, htp_tensor_id x, pooling *p, htp_dtype dtype,
                                      int64_t divisor)
{
    double window = 1;
    bool reaches_out = p->ceil_mode;
    for (size_t i = 0; i < p->axes; i++) {
        window *= (double)p->kernel[i];
        p->more[i] = p->ceil_mode ? more_of(p, i) : p->more[i];
        reaches_out = reaches_out || p->more[i] > 0;
    }
    if (reaches_out) {
        x = emit_padding(l, x, p, p->more, dtype);
        memset(p->more, 0, p->axes * sizeof(*p->more));
        p->ceil_mode = false;
    }
    x = emit_average(l, x, p, true);
    return htp_emit_binary_scalar(l, "Mul", x, dtype, window / (double)divisor);
}

/** The number of elements in each window of @p x, as [1, 1, windows...]: sums of ones. Counts the
 * padding with @p count_padding, but never the part that ceil_mode adds. */
static htp_tensor_id emit_counts(htp_lowering *l, htp_tensor_id x, const pooling *p,
                                 const htp_window *windows, bool count_padding, htp_dtype dtype)
{
    htp_window w[3];
    htp_dim dims[3];
    htp_sizes shape = htp_sizes_begin(l);
    htp_sizes_add_int(&shape, 1);
    htp_sizes_add_int(&shape, 1);
    for (size_t i = 0; i < p->axes; i++) {
        int64_t padding = count_padding ? 2 * p->padding[i] : 0;
        w[i] = windows[i];
        w[i].padding -= padding / 2;
        w[i].end_padding -= padding / 2;
        dims[i] = p->dims[i];
        if (!dims[i].symbol) {
            dims[i].size += padding;
            htp_sizes_add_int(&shape, dims[i].size);
            continue;
        }
        htp_tensor_id size = htp_emit(l, "Shape", HTP_IN(x),
                                      HTP_AT(htp_attribute_int("start", (int64_t)i + 2),
                                             htp_attribute_int("end", (int64_t)i + 3)));
        htp_sizes_add_tensor(&shape, htp_emit_binary(l, "Add", size, htp_emit_int(l, padding)));
    }
    htp_tensor_id ones =
        htp_typed_expand(l, dtype, htp_emit_scalar(l, dtype, 1), htp_sizes_end(&shape));
    return htp_emit_window_sums(l, ones, dtype, p->axes, dims, w);
}

/** Averages in dtypes for which runtimes have no AveragePool: sums, divided. */
static void bind_gathered_average(htp_lowering *l, const pooling *p, htp_dtype dtype)
{
    htp_window w[3];
    write_windows(p, w);
    htp_tensor_id x = htp_arg_batched(l, "self", p->axes, dtype);
    htp_tensor_id sum = htp_emit_window_sums(l, x, dtype, p->axes, p->dims, w);
    bool count_padding = htp_arg_bool(l, "count_include_pad");
    bool differ = false;
    int64_t size = 1;
    for (size_t i = 0; i < p->axes && !l->failure; i++) {
        size *= p->kernel[i]; /* small: see htp_emit_window_sums() */
        differ = differ || w[i].end_padding > p->padding[i] || (!count_padding && p->padding[i]);
    }
    htp_tensor_id count = HTP_NONE;
    if (htp_arg_present(l, "divisor_override")) {
        count = htp_emit_scalar_int(l, dtype, htp_arg_int(l, "divisor_override"));
    } else if (differ) {
        count = emit_counts(l, x, p, w, count_padding, dtype);
    } else {
        count = htp_emit_scalar_int(l, dtype, size);
    }
    htp_bind_batched(l, 0, p->axes, htp_typed_binary(l, "Div", dtype, sum, count), dtype);
}

void htp_lower_avg_pool(htp_lowering *l)
{
    if (htp_pooling_follows_sizes(l)) {
        htp_lower_avg_pool_by_size(l);
        return;
    }
    pooling p = read_pooling(l);
    bool divided = htp_arg_present(l, "divisor_override");
    if (htp_arg_dtype(l, "self") == HTP_DTYPE_FLOAT64 ||
        htp_arg_dtype(l, "self") == HTP_DTYPE_INT64) {
        bind_gathered_average(l, &p, htp_arg_dtype(l, "self"));
        return;
    }
    htp_dtype dtype = htp_arg_math_dtype(l, "self", divided ? 0 : HTP_MATH_KEEP_HALF);
    htp_tensor_id x = htp_arg_batched(l, "self", p.axes, dtype);
    if (divided) {
        x = emit_divided_sum(l, x, &p, dtype, htp_arg_int(l, "divisor_override"));
        htp_bind_batched(l, 0, p.axes, cut_windows(l, &p, x), dtype);
        return;
    }
    bool padded = false;
    bool reaches_out = p.ceil_mode;
    for (size_t i = 0; i < p.axes; i++) {
        padded = padded || p.padding[i] > 0;
        reaches_out = reaches_out || p.more[i] > 0;
    }
    bool count_padding = padded && htp_arg_bool(l, "count_include_pad");
    if (count_padding && reaches_out) {
        x = emit_padding(l, x, &p, zeros, dtype);
        count_padding = false;
    }
    x = emit_average(l, x, &p, count_padding);
    htp_bind_batched(l, 0, p.axes, cut_windows(l, &p, x), dtype);
}
