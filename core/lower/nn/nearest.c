/*
 * Nearest neighbours: aten::upsample_nearest*d, aten::_upsample_nearest_exact*d.
 *
 * The nearest neighbour depends on the rounding of a float32 product, and runtimes round ONNX
 * Resize differently (14 to 2 is wrong). Resize is used only for integer factors, on which all
 * agree; otherwise each axis gathers the positions that PyTorch computes.
 *
 * PyTorch's kernels of the "exact" operators disagree for some sizes (2 to 41; 94 of the 262144
 * pairs up to 512). For dynamic sizes, the model computes the positions in all ways and moves
 * disputed ones out of range, so that the runtime fails instead of returning another result.
 */
#include "lower/nn/resize.h"

#include <math.h>
#include <string.h>

/** Factors of dynamic sizes are checked up to this size. */
#define LARGEST_SIZE (1 << 16)

/** How an axis is resized. */
typedef struct axis_plan {
    int64_t factor;     /* integer factor, 1 if the size stays; 0: by positions */
    int64_t *positions; /* [out]; NULL: to be computed by the model */
} axis_plan;

/** The position that PyTorch's kernels find for element @p i; -1 if they differ. */
static int64_t nearest_position(int64_t i, double scale, int64_t in, int64_t out)
{
    float ratio = scale > 0 ? (float)(1.0 / scale) : (float)in / (float)out;
    float place = floorf((float)i * ratio);
    if (!(place >= 0)) {
        return -1; /* a scale close to 0 */
    }
    int64_t position = place < (float)in ? (int64_t)place : in - 1;
    /* Only some kernels have a shortcut for these sizes. */
    int64_t direct = out == in ? i : out == 2 * in ? i / 2 : position;
    return direct == position ? position : -1;
}

/** The same for the "exact" operators, whose kernels are compiled with or without fused
 * multiply-add. */
static int64_t exact_position(int64_t i, double scale, int64_t in, int64_t out)
{
    float ratio = scale > 0 ? (float)(1.0 / scale) : (float)in / (float)out;
    volatile float product = ratio * ((float)i + 0.5F); /* rounded here, not fused */
    float separate = floorf(fmaxf(product - 0.5F, 0) + 0.5F);
    float fused = floorf(fmaxf(fmaf(ratio, (float)i + 0.5F, -0.5F), 0) + 0.5F);
    float direct = floorf((float)(((double)i + 0.5) * (double)ratio));
    if (separate != fused || separate != direct) {
        return -1;
    }
    return separate < (float)in ? (int64_t)separate : in - 1;
}

static bool is_exact(htp_lowering *l)
{
    return strstr(l->row->kind, "exact") != NULL;
}

static int64_t position(htp_lowering *l, int64_t i, double scale, int64_t in, int64_t out)
{
    return is_exact(l) ? exact_position(i, scale, in, out) : nearest_position(i, scale, in, out);
}

/** An axis whose sizes are known. */
static axis_plan plan_known(htp_lowering *l, const htp_resizing *r, size_t axis)
{
    const int64_t most = INT64_C(1) << 20;
    int64_t in = r->in[axis].size;
    int64_t out = r->out[axis].size;
    axis_plan plan = {.factor = 1};
    if (in < 1 || out < 1 || in > most || out > most) {
        htp_lower_fail(l, "its sizes are not supported");
        return plan;
    }
    plan.factor = out % in == 0 ? out / in : 0;
    plan.positions = HTP_NEW_ARRAY(l->arena, int64_t, (size_t)out);
    for (int64_t i = 0; i < out; i++) {
        plan.positions[i] = position(l, i, r->scales[axis], in, out);
        if (plan.positions[i] < 0) {
            htp_lower_fail(l,
                           "which neighbour is nearest depends on the machine for a size of "
                           "%lld from %lld",
                           (long long)out, (long long)in);
            return plan;
        }
        if (plan.factor && plan.positions[i] != i / plan.factor) {
            plan.factor = 0;
        }
    }
    return plan;
}

/** The same for the "exact" operators, whose kernels have no shortcuts: whether rounding never
 * matters.
 */
static bool exact_scale_is_certain(double scale)
{
    float ratio = (float)(1.0 / scale);
    for (int64_t i = 0; i < LARGEST_SIZE; i++) {
        float place = floorf(ratio * ((float)i + 0.5F));
        if (place < (float)LARGEST_SIZE &&
            exact_position(i, scale, LARGEST_SIZE, LARGEST_SIZE) != (int64_t)place) {
            return false;
        }
    }
    return true;
}

/** Whether all kernels find the same positions with this scale, whatever the size. */
static bool scale_is_certain(double scale)
{
    for (int64_t in = 1; in < LARGEST_SIZE; in++) {
        int64_t out = (int64_t)floor((double)in * scale);
        if (out != in && out != 2 * in) {
            continue; /* no shortcut */
        }
        for (int64_t i = 0; i < out; i++) {
            if (nearest_position(i, scale, in, out) < 0) {
                return false;
            }
        }
    }
    return true;
}

/** An axis of unknown size: an integer factor, or positions computed by the model. */
static axis_plan plan_unknown(htp_lowering *l, const htp_resizing *r, size_t axis)
{
    const htp_dim *in = &r->in[axis];
    const htp_dim *out = &r->out[axis];
    double scale = r->scales[axis];
    if (scale > 0 && !htp_resizing_scale_fits(l, r, axis)) {
        htp_lower_fail(l, "a scale factor of %g does not give the size of its output", scale);
        return (axis_plan){.factor = 1};
    }
    bool whole = scale >= 1 && floor(scale) == scale;
    bool same = in->symbol && out->symbol && strcmp(in->symbol, out->symbol) == 0;
    int64_t factor = whole ? (int64_t)scale : 1;
    for (int64_t i = 0; whole && i < LARGEST_SIZE; i++) {
        whole = position(l, i, scale, LARGEST_SIZE, factor * LARGEST_SIZE) == i / factor;
    }
    if (whole || (scale == 0 && same)) {
        return (axis_plan){.factor = factor};
    }
    bool is_certain = !(scale > 0);
    if (is_exact(l)) {
        is_certain = is_certain ? htp_arg_dtype(l, r->input) != HTP_DTYPE_FLOAT64
                                : exact_scale_is_certain(scale);
    } else if (!is_certain) {
        is_certain = scale_is_certain(scale);
    }
    if (!is_certain) {
        htp_lower_fail(l, "which neighbour is nearest depends on the machine for some sizes; give "
                          "that axis a fixed one");
    }
    return (axis_plan){.factor = 0};
}

/** in / out in float32, or 1 / scale where that was given. */
static htp_tensor_id emit_ratio(htp_lowering *l, const htp_resizing *r, size_t axis,
                                htp_tensor_id in, htp_tensor_id out)
{
    if (r->scales[axis] > 0) {
        return htp_emit_scalar(l, HTP_DTYPE_FLOAT32, 1.0 / r->scales[axis]);
    }
    in = htp_emit_cast(l, in, HTP_DTYPE_INT64, HTP_DTYPE_FLOAT32);
    out = htp_emit_cast(l, out, HTP_DTYPE_INT64, HTP_DTYPE_FLOAT32);
    return htp_emit_binary(l, "Div", in, out);
}

static htp_tensor_id add_number(htp_lowering *l, htp_tensor_id x, htp_dtype dtype, double number)
{
    return htp_emit_binary_scalar(l, "Add", x, dtype, number);
}

/** floor(max(x, 0) + 1/2) of float32 */
static htp_tensor_id round_half(htp_lowering *l, htp_tensor_id x)
{
    x = htp_emit_binary_scalar(l, "Max", x, HTP_DTYPE_FLOAT32, 0);
    return htp_emit_unary(l, "Floor", add_number(l, x, HTP_DTYPE_FLOAT32, 0.5));
}

/** Whether all of exact_position()'s ways agree on floor(i · ratio), where @p i includes the
 * 1/2. */
static htp_tensor_id positions_agree(htp_lowering *l, htp_tensor_id i, htp_tensor_id ratio)
{
    const htp_dtype narrow = HTP_DTYPE_FLOAT32;
    const htp_dtype wide = HTP_DTYPE_FLOAT64;
    htp_tensor_id product = htp_emit_binary(l, "Mul", i, ratio);
    htp_tensor_id direct = htp_emit_unary(l, "Floor", product);
    htp_tensor_id separate = round_half(l, add_number(l, product, narrow, -0.5));
    /* Fused: exact in float64, then rounded once. */
    htp_tensor_id fused = htp_emit_binary(l, "Mul", htp_emit_cast(l, i, narrow, wide),
                                          htp_emit_cast(l, ratio, narrow, wide));
    fused = htp_emit_cast(l, add_number(l, fused, wide, -0.5), wide, narrow);
    fused = round_half(l, fused);
    return htp_emit_binary(l, "And", htp_emit_binary(l, "Equal", direct, separate),
                           htp_emit_binary(l, "Equal", direct, fused));
}

/** min(floor(i · ratio), in - 1) in float32, as PyTorch computes it; for the "exact" operators with
 * i + 1/2. */
static htp_tensor_id emit_positions(htp_lowering *l, const htp_resizing *r, size_t axis)
{
    const int64_t first = 0;
    const htp_dtype whole = HTP_DTYPE_INT64;
    htp_tensor_id in =
        htp_emit_dim(l, htp_arg_tensor(l, r->input), htp_arg_dims(l, r->input), (int64_t)axis + 2);
    htp_tensor_id out = htp_resizing_size(l, r, axis);
    htp_tensor_id ratio = emit_ratio(l, r, axis, in, out);
    htp_tensor_id x =
        htp_emit(l, "Range",
                 HTP_IN(htp_emit_scalar_int(l, whole, 0), htp_emit_squeeze(l, out, &first, 1),
                        htp_emit_scalar_int(l, whole, 1)),
                 HTP_NO_AT);
    x = htp_emit_cast(l, x, whole, HTP_DTYPE_FLOAT32);
    x = is_exact(l) ? add_number(l, x, HTP_DTYPE_FLOAT32, 0.5) : x;
    htp_tensor_id place = htp_emit_unary(l, "Floor", htp_emit_binary(l, "Mul", x, ratio));
    place = htp_emit_cast(l, place, HTP_DTYPE_FLOAT32, whole);
    place = htp_emit_binary(l, "Min", place, htp_emit_binary(l, "Sub", in, htp_emit_int(l, 1)));
    if (is_exact(l) && !(r->scales[axis] > 0)) {
        htp_tensor_id agree = positions_agree(l, x, ratio);
        return htp_emit(l, "Where", HTP_IN(agree, place, in), HTP_NO_AT);
    }
    return place;
}

static htp_tensor_id gather_axis(htp_lowering *l, const htp_resizing *r, const axis_plan *plan,
                                 size_t axis, htp_tensor_id x)
{
    htp_tensor_id positions = plan->positions
                                  ? htp_emit_ints(l, plan->positions, (size_t)r->out[axis].size)
                                  : emit_positions(l, r, axis);
    return htp_emit(l, "Gather", HTP_IN(x, positions),
                    HTP_AT(htp_attribute_int("axis", (int64_t)axis + 2)));
}

/** Repeats elements along axes with an integer factor. */
static htp_tensor_id repeat_axes(htp_lowering *l, const htp_resizing *r, const axis_plan *plans,
                                 htp_tensor_id x)
{
    double factors[3] = {1, 1, 1};
    for (size_t i = 0; i < r->axes; i++) {
        factors[i] = plans[i].factor ? (double)plans[i].factor : 1;
    }
    return htp_emit(l, "Resize", HTP_IN(x, HTP_NONE, htp_resizing_scales(l, r, factors)),
                    HTP_AT(htp_attribute_string("mode", "nearest"),
                           htp_attribute_string("coordinate_transformation_mode", "asymmetric"),
                           htp_attribute_string("nearest_mode", "floor")));
}

void htp_lower_upsample_nearest(htp_lowering *l)
{
    htp_resizing r = htp_resizing_read(l);
    htp_dtype dtype = htp_output_dtype(l, 0);
    bool has_kernel = dtype == HTP_DTYPE_FLOAT32 || dtype == HTP_DTYPE_FLOAT16;
    axis_plan plans[3] = {{0}};
    bool repeats = false;
    for (size_t i = 0; i < r.axes && !l->failure; i++) {
        bool known = !r.in[i].symbol && !r.out[i].symbol;
        plans[i] = known ? plan_known(l, &r, i) : plan_unknown(l, &r, i);
        if (plans[i].factor > 1 && !has_kernel) {
            if (!plans[i].positions) {
                htp_lower_fail(l, "runtimes do not compute it in %s", htp_dtype_name(dtype));
            }
            plans[i].factor = 0;
        }
        repeats = repeats || plans[i].factor > 1;
    }
    htp_tensor_id x = htp_arg_tensor(l, r.input);
    if (repeats) {
        x = repeat_axes(l, &r, plans, x);
    }
    for (size_t i = 0; i < r.axes && !l->failure; i++) {
        x = plans[i].factor == 0 ? gather_axis(l, &r, &plans[i], i, x) : x;
    }
    htp_bind(l, 0, x);
}
