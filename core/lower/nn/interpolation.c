/*
 * Interpolation in float64, for which runtimes have no Resize.
 *
 * One axis at a time, every element is a weighted sum of two neighbours, or four for cubic
 * interpolation. For static sizes both positions and weights are constants; otherwise they are
 * computed at run time. With antialiasing, every element is the weighted mean of all elements that
 * it covers and their neighbours.
 */
#include "lower/emit/constant.h"
#include "lower/emit/sizes.h"
#include "lower/nn/resize.h"

#include <math.h>

enum { MAX_TAPS = 4 };

/** The parameter a of PyTorch's cubic convolution kernels: plain, and antialiased. */
#define STEEPNESS (-0.75)
#define STEEPNESS_OF_MEANS (-0.5)

/** Each output element's source elements along an axis. */
typedef struct taps {
    size_t count;
    htp_tensor_id places[MAX_TAPS];  /* int64 [out] */
    htp_tensor_id weights[MAX_TAPS]; /* [out, 1...], to broadcast with the axes after */
} taps;

/* ---- sizes that are known ---- */

/** The distance between output elements, in input elements. */
static double known_ratio(const htp_resizing *r, size_t axis, bool align_corners)
{
    double in = (double)r->in[axis].size;
    double out = (double)r->out[axis].size;
    if (align_corners) {
        return out > 1 ? (in - 1) / (out - 1) : 0;
    }
    return r->scales[axis] > 0 ? 1.0 / r->scales[axis] : in / out;
}

/** The weight of a neighbour at a distance of at most 1, and from 1 to 2. */
static double cubic_near(double x, double steepness)
{
    return ((steepness + 2) * x - (steepness + 3)) * x * x + 1;
}

static double cubic_far(double x, double steepness)
{
    return ((steepness * x - 5 * steepness) * x + 8 * steepness) * x - 4 * steepness;
}

/** The source elements and weights of output element @p i. */
static void weigh(double place, int64_t in, bool is_cubic, int64_t *places, double *weights)
{
    double last = (double)(in - 1);
    double base = fmin(floor(is_cubic ? place : fmax(place, 0)), last);
    double rest = fmin(fmax((is_cubic ? place : fmax(place, 0)) - base, 0), 1);
    if (!is_cubic) {
        places[0] = (int64_t)base;
        places[1] = (int64_t)fmin(base + 1, last);
        weights[0] = 1 - rest;
        weights[1] = rest;
        return;
    }
    for (int k = 0; k < MAX_TAPS; k++) {
        places[k] = (int64_t)fmin(fmax(base - 1 + k, 0), last);
    }
    weights[0] = cubic_far(rest + 1, STEEPNESS);
    weights[1] = cubic_near(rest, STEEPNESS);
    weights[2] = cubic_near(1 - rest, STEEPNESS);
    weights[3] = cubic_far(2 - rest, STEEPNESS);
}

static taps known_taps(htp_lowering *l, const htp_resizing *r, size_t axis, bool is_cubic,
                       bool align_corners)
{
    const int64_t most = INT64_C(1) << 20;
    int64_t in = r->in[axis].size;
    int64_t out = r->out[axis].size;
    taps t = {.count = is_cubic ? 4 : 2};
    int64_t *places[MAX_TAPS];
    htp_number *weights[MAX_TAPS];
    if (in < 1 || out < 1 || in > most || out > most) {
        htp_lower_fail(l, "its sizes are not supported");
        return t;
    }
    for (size_t k = 0; k < MAX_TAPS; k++) {
        places[k] = HTP_NEW_ARRAY(l->arena, int64_t, (size_t)out);
        weights[k] = HTP_NEW_ARRAY(l->arena, htp_number, (size_t)out);
    }
    double ratio = known_ratio(r, axis, align_corners);
    bool is_same = in == out && !is_cubic; /* whatever the scale */
    for (int64_t i = 0; i < out; i++) {
        int64_t place[MAX_TAPS] = {i, i};
        double weight[MAX_TAPS] = {1, 0};
        double at = align_corners ? ratio * (double)i : ratio * ((double)i + 0.5) - 0.5;
        if (!is_same) {
            weigh(at, in, is_cubic, place, weight);
        }
        for (size_t k = 0; k < t.count; k++) {
            places[k][i] = place[k];
            weights[k][i] = htp_number_float(weight[k]);
        }
    }
    const int64_t dims[3] = {out, 1, 1};
    for (size_t k = 0; k < t.count; k++) {
        t.places[k] = htp_emit_ints(l, places[k], (size_t)out);
        t.weights[k] =
            htp_emit_numbers(l, HTP_DTYPE_FLOAT64, (uint32_t)(r->axes - axis), dims, weights[k]);
    }
    return t;
}

/* ---- sizes that depend on the input ---- */

static htp_tensor_id with(htp_lowering *l, const char *op, htp_tensor_id x, double number)
{
    return htp_emit_binary_scalar(l, op, x, HTP_DTYPE_FLOAT64, number);
}

static htp_tensor_id from(htp_lowering *l, double number, const char *op, htp_tensor_id x)
{
    return htp_emit_binary(l, op, htp_emit_scalar(l, HTP_DTYPE_FLOAT64, number), x);
}

/** An axis at run time: sizes of float64, [1]. */
typedef struct open_axis {
    htp_tensor_id in;
    htp_tensor_id out;
    htp_tensor_id last;    /* in - 1 */
    htp_tensor_id is_same; /* in = out */
} open_axis;

/** known_ratio() at run time. Linear interpolation copies elements where the size stays, whatever
 * the scale. */
static htp_tensor_id open_ratio(htp_lowering *l, const open_axis *a, double scale, bool is_cubic,
                                bool align_corners)
{
    if (align_corners) {
        htp_tensor_id steps = with(l, "Max", with(l, "Sub", a->out, 1), 1);
        htp_tensor_id has_steps = with(l, "Greater", a->out, 1);
        return htp_emit(l, "Where",
                        HTP_IN(has_steps, htp_emit_binary(l, "Div", a->last, steps),
                               htp_emit_scalar(l, HTP_DTYPE_FLOAT64, 0)),
                        HTP_NO_AT);
    }
    if (!(scale > 0)) {
        return htp_emit_binary(l, "Div", a->in, a->out);
    }
    htp_tensor_id ratio = htp_emit_scalar(l, HTP_DTYPE_FLOAT64, 1.0 / scale);
    if (is_cubic) {
        return ratio;
    }
    htp_tensor_id one = htp_emit_scalar(l, HTP_DTYPE_FLOAT64, 1);
    return htp_emit(l, "Where", HTP_IN(a->is_same, one, ratio), HTP_NO_AT);
}

static htp_tensor_id open_cubic_near(htp_lowering *l, htp_tensor_id x)
{
    htp_tensor_id sum = with(l, "Sub", with(l, "Mul", x, STEEPNESS + 2), STEEPNESS + 3);
    sum = htp_emit_binary(l, "Mul", htp_emit_binary(l, "Mul", sum, x), x);
    return with(l, "Add", sum, 1);
}

static htp_tensor_id open_cubic_far(htp_lowering *l, htp_tensor_id x)
{
    htp_tensor_id sum = with(l, "Sub", with(l, "Mul", x, STEEPNESS), 5 * STEEPNESS);
    sum = with(l, "Add", htp_emit_binary(l, "Mul", sum, x), 8 * STEEPNESS);
    return with(l, "Sub", htp_emit_binary(l, "Mul", sum, x), 4 * STEEPNESS);
}

/** weigh() at run time. @param at  [out] */
static taps open_taps_at(htp_lowering *l, const open_axis *a, htp_tensor_id at, bool is_cubic)
{
    taps t = {.count = is_cubic ? 4 : 2};
    at = is_cubic ? at : with(l, "Max", at, 0);
    htp_tensor_id base = htp_emit_binary(l, "Min", htp_emit_unary(l, "Floor", at), a->last);
    htp_tensor_id rest = htp_emit_binary(l, "Sub", at, base);
    rest = with(l, "Min", with(l, "Max", rest, 0), 1);
    for (size_t k = 0; k < t.count; k++) {
        htp_tensor_id place = with(l, "Add", base, (double)k - (is_cubic ? 1 : 0));
        place = htp_emit_binary(l, "Min", with(l, "Max", place, 0), a->last);
        if (!is_cubic && k == 1) {
            place = htp_emit(l, "Where", HTP_IN(a->is_same, base, place), HTP_NO_AT);
        }
        t.places[k] = htp_emit_cast(l, place, HTP_DTYPE_FLOAT64, HTP_DTYPE_INT64);
    }
    if (!is_cubic) {
        t.weights[0] = from(l, 1, "Sub", rest);
        t.weights[1] = rest;
        return t;
    }
    t.weights[0] = open_cubic_far(l, with(l, "Add", rest, 1));
    t.weights[1] = open_cubic_near(l, rest);
    t.weights[2] = open_cubic_near(l, from(l, 1, "Sub", rest));
    t.weights[3] = open_cubic_far(l, from(l, 2, "Sub", rest));
    return t;
}

static taps open_taps(htp_lowering *l, const htp_resizing *r, size_t axis, bool is_cubic,
                      bool align_corners)
{
    static const int64_t behind[] = {1, 2};
    htp_tensor_id in =
        htp_emit_dim(l, htp_arg_tensor(l, r->input), htp_arg_dims(l, r->input), (int64_t)axis + 2);
    htp_tensor_id out = htp_resizing_size(l, r, axis);
    open_axis a = {.in = htp_emit_cast(l, in, HTP_DTYPE_INT64, HTP_DTYPE_FLOAT64),
                   .out = htp_emit_cast(l, out, HTP_DTYPE_INT64, HTP_DTYPE_FLOAT64),
                   .is_same = htp_emit_binary(l, "Equal", in, out)};
    a.last = with(l, "Sub", a.in, 1);
    htp_tensor_id at =
        htp_emit_cast(l, htp_emit_count_up(l, out), HTP_DTYPE_INT64, HTP_DTYPE_FLOAT64);
    htp_tensor_id ratio = open_ratio(l, &a, r->scales[axis], is_cubic, align_corners);
    at = align_corners ? at : with(l, "Add", at, 0.5);
    at = htp_emit_binary(l, "Mul", at, ratio);
    at = align_corners ? at : with(l, "Sub", at, 0.5);
    taps t = open_taps_at(l, &a, at, is_cubic);
    for (size_t k = 0; k < t.count && axis + 1 < r->axes; k++) {
        t.weights[k] = htp_emit_unsqueeze(l, t.weights[k], behind, r->axes - axis - 1);
    }
    return t;
}

/* ---- antialiased ---- */

/** The weight at a distance from the centre. */
static double weight_at(double distance, bool is_cubic)
{
    double x = fabs(distance);
    if (!is_cubic) {
        return x < 1 ? 1 - x : 0;
    }
    return x < 1 ? cubic_near(x, STEEPNESS_OF_MEANS) : x < 2 ? cubic_far(x, STEEPNESS_OF_MEANS) : 0;
}

/** The sources of element @p i, at most @p width: positions, and weights, which are 0 after the
 * actual number. */
static void weigh_mean(double ratio, int64_t i, int64_t in, bool is_cubic, int64_t width,
                       int64_t *places, htp_number *weights)
{
    double stretch = fmax(ratio, 1);
    double reach = (is_cubic ? 2 : 1) * stretch;
    double middle = ratio * ((double)i + 0.5);
    int64_t first = (int64_t)fmax(middle - reach + 0.5, 0);
    int64_t end = (int64_t)fmin(middle + reach + 0.5, (double)in);
    double sum = 0;
    for (int64_t j = first; j < end; j++) {
        sum += weight_at(((double)j - middle + 0.5) / stretch, is_cubic);
    }
    for (int64_t k = 0; k < width; k++) {
        bool is_inside = first + k < end;
        double weight =
            is_inside ? weight_at(((double)(first + k) - middle + 0.5) / stretch, is_cubic) : 0;
        places[k] = is_inside ? first + k : in;
        weights[k] = htp_number_float(sum != 0 ? weight / sum : weight);
    }
}

/** Replaces axis @p axis of @p x by weighted means. */
static htp_tensor_id emit_means(htp_lowering *l, const htp_resizing *r, htp_tensor_id x,
                                size_t axis, bool is_cubic)
{
    const int64_t most = INT64_C(1) << 20;
    const int64_t behind = (int64_t)axis + 3;
    int64_t in = r->in[axis].size;
    int64_t out = r->out[axis].size;
    double ratio = r->in[axis].symbol || r->out[axis].symbol ? 0 : known_ratio(r, axis, false);
    double width = ceil((is_cubic ? 2 : 1) * fmax(ratio, 1)) * 2 + 1;
    if (!(ratio > 0) || in < 1 || out < 1 || in > most || width * (double)out > (double)most) {
        htp_lower_fail(l, "antialiased float64 needs known sizes");
        return x;
    }
    const int64_t dims[4] = {out, (int64_t)width, 1, 1};
    int64_t *places = HTP_NEW_ARRAY(l->arena, int64_t, (size_t)(dims[0] * dims[1]));
    htp_number *weights = HTP_NEW_ARRAY(l->arena, htp_number, (size_t)(dims[0] * dims[1]));
    for (int64_t i = 0; i < out; i++) {
        weigh_mean(ratio, i, in, is_cubic, dims[1], places + i * dims[1], weights + i * dims[1]);
    }
    int64_t pads[10] = {0};
    size_t rank = r->axes + 2;
    pads[rank + axis + 2] = 1;
    x = htp_emit_binary(l, "Pad", x, htp_emit_ints(l, pads, 2 * rank));
    x = htp_emit(l, "Gather",
                 HTP_IN(x, htp_builder_constant(l->model, HTP_DTYPE_INT64, 2, dims, places)),
                 HTP_AT(htp_attribute_int("axis", (int64_t)axis + 2)));
    uint32_t weight_rank = 2 + (uint32_t)(r->axes - axis - 1);
    x = htp_emit_binary(l, "Mul", x,
                        htp_emit_numbers(l, HTP_DTYPE_FLOAT64, weight_rank, dims, weights));
    return htp_emit_reduce(l, "ReduceSum", x, &behind, 1, false);
}

htp_tensor_id htp_emit_antialiased(htp_lowering *l, const htp_resizing *r, htp_tensor_id x,
                                   bool is_cubic)
{
    for (size_t i = r->axes; i-- > 0 && !l->failure;) {
        x = emit_means(l, r, x, i, is_cubic);
    }
    return x;
}

htp_tensor_id htp_emit_interpolated(htp_lowering *l, const htp_resizing *r, htp_tensor_id x,
                                    bool is_cubic, bool align_corners)
{
    for (size_t i = 0; i < r->axes && !l->failure; i++) {
        bool is_known = !r->in[i].symbol && !r->out[i].symbol;
        taps t = is_known ? known_taps(l, r, i, is_cubic, align_corners)
                          : open_taps(l, r, i, is_cubic, align_corners);
        htp_tensor_id sum = HTP_NONE;
        for (size_t k = 0; k < t.count && !l->failure; k++) {
            htp_tensor_id part = htp_emit(l, "Gather", HTP_IN(x, t.places[k]),
                                          HTP_AT(htp_attribute_int("axis", (int64_t)i + 2)));
            part = htp_emit_binary(l, "Mul", part, t.weights[k]);
            sum = k ? htp_emit_binary(l, "Add", sum, part) : part;
        }
        x = sum;
    }
    return x;
}
