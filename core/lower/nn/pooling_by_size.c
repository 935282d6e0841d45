/*
 * Pooling whose windows follow the sizes of the input: F.avg_pool2d(x, x.size()[2:]).
 *
 * A window that spans an axis is a reduction. Others are gathered by positions that the model
 * computes from window starts and offsets.
 */
#include "lower/nn/pooling.h"

#include "lower/compose/compose.h"
#include "lower/emit/constant.h"
#include "lower/emit/ort_dtypes.h"
#include "lower/emit/same_size.h"
#include "lower/emit/sizes.h"
#include "lower/nn/windows.h"

/** How a window slides along one axis; [1] tensors. */
typedef struct sliding {
    htp_tensor_id kernel;
    htp_tensor_id stride;
    htp_tensor_id dilation;
    htp_tensor_id padding;
    bool is_whole;  /* the one window is the whole axis */
    bool is_single; /* each element is a window */
    bool is_padded;
} sliding;

static const char *const arguments[] = {"kernel_size", "stride", "padding", "dilation"};

bool htp_pooling_follows_sizes(htp_lowering *l)
{
    bool follows = false;
    for (size_t i = 0; i < sizeof(arguments) / sizeof(arguments[0]); i++) {
        follows =
            follows || (htp_arg_present(l, arguments[i]) && !htp_arg_is_constant(l, arguments[i]));
    }
    return follows;
}

/** The number for an axis in a list argument, or HTP_NONE. */
static htp_value_id number_of(htp_lowering *l, const char *name, size_t axis)
{
    size_t count = 0;
    const htp_value_id *values = htp_arg_present(l, name) ? htp_arg_list(l, name, &count) : NULL;
    if (count == 0 || l->failure) {
        return HTP_NONE;
    }
    if (count > 1 && axis >= count) {
        htp_lower_fail(l, "argument '%s' has %zu numbers", name, count);
        return HTP_NONE;
    }
    return values[count > 1 ? axis : 0];
}

static bool is_number(htp_lowering *l, htp_value_id id, int64_t number)
{
    return htp_value_is_constant(l, id) && htp_graph_value(l->graph, id)->i[0] == number;
}

static htp_tensor_id vector_of(htp_lowering *l, htp_value_id id, htp_tensor_id otherwise)
{
    return id == HTP_NONE || l->failure ? otherwise : htp_value_vector(l, id);
}

static sliding read_sliding(htp_lowering *l, size_t axes, size_t axis)
{
    htp_value_id self = htp_arg_value(l, "self");
    uint32_t dim = htp_arg_rank(l, "self") - (uint32_t)(axes - axis);
    htp_value_id kernel = number_of(l, "kernel_size", axis);
    htp_value_id padding = number_of(l, "padding", axis);
    htp_value_id dilation = number_of(l, "dilation", axis);
    htp_value_id stride = number_of(l, "stride", axis);
    if (kernel == HTP_NONE) {
        htp_lower_fail(l, "argument 'kernel_size' is missing");
        return (sliding){0};
    }
    sliding s = {.kernel = htp_value_vector(l, kernel),
                 .is_padded = padding != HTP_NONE && !is_number(l, padding, 0)};
    s.stride = vector_of(l, stride, s.kernel);
    s.padding = vector_of(l, padding, htp_emit_int(l, 0));
    s.dilation = vector_of(l, dilation, htp_emit_int(l, 1));
    s.is_whole = !s.is_padded && (dilation == HTP_NONE || is_number(l, dilation, 1)) &&
                 htp_number_is_size_of(l, kernel, self, dim);
    s.is_single = !s.is_padded && is_number(l, kernel, 1) &&
                  is_number(l, stride == HTP_NONE ? kernel : stride, 1);
    if (!s.is_whole && !s.is_single && htp_arg_bool(l, "ceil_mode")) {
        htp_lower_fail(l, "ceil_mode is not supported with a window that depends on the input");
    }
    return s;
}

/** A pooling: its input [N, C, ...] in @p dtype, and its windows. */
typedef struct pool {
    size_t axes;
    htp_dtype dtype;
    htp_tensor_id x;
    sliding axis[3];
} pool;

static pool read_pool(htp_lowering *l, htp_dtype dtype)
{
    pool p = {.axes = htp_row_axes(l), .dtype = dtype};
    p.x = htp_arg_batched(l, "self", p.axes, dtype);
    for (size_t i = 0; i < p.axes && !l->failure; i++) {
        p.axis[i] = read_sliding(l, p.axes, i);
    }
    return p;
}

/** The size of an axis of the input, as [1]. */
static htp_tensor_id size_of(htp_lowering *l, const pool *p, size_t axis)
{
    const int64_t dim = (int64_t)axis + 2;
    return htp_emit(l, "Shape", HTP_IN(p->x),
                    HTP_AT(htp_attribute_int("start", dim), htp_attribute_int("end", dim + 1)));
}

/** Pads @p x, which is [1, 1, ...] or [N, C, ...], where the windows have padding. */
static htp_tensor_id emit_padding(htp_lowering *l, const pool *p, htp_tensor_id x, htp_dtype dtype,
                                  htp_tensor_id fill)
{
    bool is_padded = false;
    htp_sizes pads = htp_sizes_begin(l);
    for (size_t side = 0; side < 2; side++) {
        htp_sizes_add_int(&pads, 0);
        htp_sizes_add_int(&pads, 0);
        for (size_t i = 0; i < p->axes; i++) {
            htp_sizes_add_tensor(&pads, p->axis[i].padding);
            is_padded = is_padded || p->axis[i].is_padded;
        }
    }
    if (!is_padded) {
        return x;
    }
    htp_dtype wide = htp_kernel_dtype(l, "Pad", dtype);
    x = htp_emit(l, "Pad",
                 HTP_IN(htp_emit_cast(l, x, dtype, wide), htp_sizes_end(&pads),
                        htp_emit_cast(l, fill, dtype, wide)),
                 HTP_NO_AT);
    return htp_emit_cast(l, x, wide, dtype);
}

/** The positions of the windows' elements along an axis, counting padding: [kernel, windows] */
static htp_tensor_id emit_positions(htp_lowering *l, const pool *p, size_t axis)
{
    const int64_t first = 0;
    const int64_t column = 1;
    const sliding *s = &p->axis[axis];
    htp_tensor_id one = htp_emit_int(l, 1);
    htp_tensor_id reach =
        htp_emit_binary(l, "Mul", s->dilation, htp_emit_binary(l, "Sub", s->kernel, one));
    htp_tensor_id padding = htp_emit_binary(l, "Add", s->padding, s->padding);
    htp_tensor_id padded = htp_emit_binary(l, "Add", size_of(l, p, axis), padding);
    htp_tensor_id starts =
        htp_emit(l, "Range",
                 HTP_IN(htp_emit_scalar_int(l, HTP_DTYPE_INT64, 0),
                        htp_emit_squeeze(l, htp_emit_binary(l, "Sub", padded, reach), &first, 1),
                        htp_emit_squeeze(l, s->stride, &first, 1)),
                 HTP_NO_AT);
    htp_tensor_id offsets = htp_emit_binary(l, "Mul", htp_emit_count_up(l, s->kernel), s->dilation);
    return htp_emit_binary(l, "Add", htp_emit_unsqueeze(l, offsets, &column, 1), starts);
}

static htp_tensor_id gather_axis(htp_lowering *l, const pool *p, htp_tensor_id x, size_t axis,
                                 int64_t dim)
{
    return htp_emit(l, "Gather", HTP_IN(x, emit_positions(l, p, axis)),
                    HTP_AT(htp_attribute_int("axis", dim)));
}

/** Reduces the axes that are one window each; they keep size 1. */
static htp_tensor_id reduce_whole(htp_lowering *l, const pool *p, const char *op, htp_tensor_id x)
{
    int64_t whole[3];
    size_t count = 0;
    for (size_t i = 0; i < p->axes; i++) {
        if (p->axis[i].is_whole) {
            whole[count++] = (int64_t)i + 2;
        }
    }
    return count ? htp_typed_reduce(l, op, p->dtype, x, whole, count, true) : x;
}

/** Reduces the windows of the other axes, one axis at a time. */
static htp_tensor_id reduce_windows(htp_lowering *l, const pool *p, const char *op, htp_tensor_id x)
{
    for (size_t i = 0; i < p->axes && !l->failure; i++) {
        const int64_t dim = (int64_t)i + 2;
        if (!p->axis[i].is_whole && !p->axis[i].is_single) {
            x = gather_axis(l, p, x, i, dim);
            x = htp_typed_reduce(l, op, p->dtype, x, &dim, 1, false);
        }
    }
    return x;
}

/* ---- maxima ---- */

/** Binds maxima and their indices; all windows are gathered. */
static void bind_with_indices(htp_lowering *l, const pool *p, htp_tensor_id lowest)
{
    static const int64_t kernels[] = {2, 4, 6};
    const htp_dtype whole = HTP_DTYPE_INT64;
    htp_tensor_id windows = emit_padding(l, p, p->x, p->dtype, lowest);
    htp_dim dims[3] = {{.symbol = ""}, {.symbol = ""}, {.symbol = ""}};
    htp_tensor_id plane = emit_padding(l, p, htp_emit_plane(l, p->x, p->axes, dims), whole,
                                       htp_emit_scalar_int(l, whole, HTP_NO_INDEX));
    for (size_t i = 0; i < p->axes && !l->failure; i++) {
        windows = gather_axis(l, p, windows, i, 2 + 2 * (int64_t)i);
        plane = gather_axis(l, p, plane, i, 2 + 2 * (int64_t)i);
    }
    htp_tensor_id largest =
        htp_typed_reduce(l, "ReduceMax", p->dtype, windows, kernels, p->axes, true);
    htp_tensor_id indices =
        htp_emit_first_equal(l, p->dtype, windows, largest, plane, kernels, p->axes);
    htp_bind_batched(l, 0, p->axes, htp_emit_squeeze(l, largest, kernels, p->axes), p->dtype);
    htp_bind_batched(l, 1, p->axes, indices, whole);
}

void htp_lower_max_pool_by_size(htp_lowering *l, htp_dtype dtype)
{
    pool p = read_pool(l, dtype);
    if (l->failure) {
        return;
    }
    htp_tensor_id lowest = htp_emit_lowest(l, dtype);
    if (l->node->output_count == 2) {
        bind_with_indices(l, &p, lowest);
        return;
    }
    htp_tensor_id x = reduce_whole(l, &p, "ReduceMax", p.x);
    x = reduce_windows(l, &p, "ReduceMax", emit_padding(l, &p, x, dtype, lowest));
    htp_bind_batched(l, 0, p.axes, x, dtype);
}

/* ---- averages ---- */

/** The number of input elements in the windows of an axis, as [windows, 1, ...]; includes padding
 * with @p count_padding. */
static htp_tensor_id emit_count(htp_lowering *l, const pool *p, size_t axis, bool count_padding)
{
    const int64_t first = 0;
    const int64_t trailing[] = {1, 2};
    const sliding *s = &p->axis[axis];
    if (count_padding || !s->is_padded) {
        return htp_emit_cast(l, s->kernel, HTP_DTYPE_INT64, p->dtype);
    }
    htp_tensor_id positions = emit_positions(l, p, axis);
    positions = htp_emit_binary(l, "Sub", positions, s->padding);
    htp_tensor_id is_within = htp_emit_binary(
        l, "And", htp_emit_binary(l, "GreaterOrEqual", positions, htp_emit_int(l, 0)),
        htp_emit_binary(l, "Less", positions, size_of(l, p, axis)));
    htp_tensor_id count = htp_emit_reduce(
        l, "ReduceSum", htp_emit_cast(l, is_within, HTP_DTYPE_BOOL, p->dtype), &first, 1, false);
    return htp_emit_unsqueeze(l, count, trailing, p->axes - 1 - axis);
}

/** The divisor of the argument divisor_override in the pool's dtype, 0-d or [1]. */
static htp_tensor_id emit_divisor(htp_lowering *l, const pool *p)
{
    return htp_emit_cast(l, htp_arg_vector(l, "divisor_override"), HTP_DTYPE_INT64, p->dtype);
}

void htp_lower_avg_pool_by_size(htp_lowering *l)
{
    pool p = read_pool(l, htp_arg_math_dtype(l, "self", HTP_MATH_ALLOW_DOUBLE));
    bool is_divided = htp_arg_present(l, "divisor_override");
    bool count_padding = htp_arg_bool(l, "count_include_pad");
    if (l->failure) {
        return;
    }
    htp_tensor_id x = reduce_whole(l, &p, is_divided ? "ReduceSum" : "ReduceMean", p.x);
    x = emit_padding(l, &p, x, p.dtype, htp_emit_scalar(l, p.dtype, 0));
    x = reduce_windows(l, &p, "ReduceSum", x);
    for (size_t i = 0; i < p.axes && !is_divided; i++) {
        if (!p.axis[i].is_whole && !p.axis[i].is_single) {
            x = htp_emit_binary(l, "Div", x, emit_count(l, &p, i, count_padding));
        }
    }
    x = is_divided ? htp_emit_binary(l, "Div", x, emit_divisor(l, &p)) : x;
    htp_bind_batched(l, 0, p.axes, x, p.dtype);
}
