/*
 * Pooling with unevenly spaced windows: aten::fractional_max_pool2d, fractional_max_pool3d.
 *
 * A sample in [0, 1) for each channel and axis places the windows. The last one ends where the
 * input does.
 */
#include "lower/compose/compose.h"
#include "lower/compose/formula.h"
#include "lower/emit/ort_dtypes.h"
#include "lower/emit/rows.h"
#include "lower/emit/sizes.h"

#include <math.h>

enum { MAX_AXES = 3, MAX_WINDOWS = 1 << 24 };

typedef struct windows {
    htp_formula f;
    size_t axes;
    htp_tensor_id x;               /* [batch, channels, spatial...] */
    htp_tensor_id sizes[MAX_AXES]; /* of the spatial dims, int64 [1] */
    const int64_t *outputs;        /* number of windows along each axis */
    const int64_t *window;         /* their sizes */
} windows;

/** The starts of the windows along one axis, [batch, channels, windows]. */
static htp_tensor_id emit_begins(const windows *w, size_t axis)
{
    const int64_t last_dim = 2;
    const htp_formula *f = &w->f;
    htp_lowering *l = f->l;
    int64_t count = w->outputs[axis];
    /* In 2d the sample of the width comes first. */
    size_t number = w->axes == 2 ? 1 - axis : axis;
    htp_tensor_id sample = htp_step_arg(f, "random_samples");
    sample = htp_emit_slice(l, sample, last_dim, (int64_t)number, (int64_t)number + 1);
    htp_tensor_id end = htp_emit_binary(l, "Sub", w->sizes[axis], htp_emit_int(l, w->window[axis]));
    htp_tensor_id shape = htp_emit_unary(l, "Shape", sample);
    htp_tensor_id last = htp_emit_binary(l, "Expand", end, shape);
    if (count == 1) {
        return last;
    }
    htp_tensor_id room = htp_step_round(f, htp_emit_cast(l, end, HTP_DTYPE_INT64, f->dtype));
    htp_tensor_id alpha = htp_step_scalar(f, "Div", room, (double)(count - 1));
    htp_tensor_id places = htp_emit_count_up(l, htp_emit_int(l, count - 1));
    places = htp_emit_cast(l, places, HTP_DTYPE_INT64, f->dtype);
    htp_tensor_id begins = htp_step_binary(f, "Add", places, sample);
    begins = htp_step_binary(f, "Mul", begins, alpha);
    begins = htp_emit_cast(l, begins, f->dtype, HTP_DTYPE_INT64);
    htp_tensor_id first = htp_step_binary(f, "Mul", sample, alpha);
    first = htp_emit_cast(l, first, f->dtype, HTP_DTYPE_INT64);
    return htp_emit_concat(l, HTP_IN(htp_emit_binary(l, "Sub", begins, first), last), last_dim);
}

/** The positions of all windows' elements in the flattened channel, [batch, channels, windows,
 * elements]. */
static htp_tensor_id emit_places(const windows *w)
{
    const int64_t behind = 3;
    htp_lowering *l = w->f.l;
    htp_tensor_id places = HTP_NONE;
    int64_t shape[] = {0, 0, 1, 1};
    for (size_t i = 0; i < w->axes; i++) {
        htp_tensor_id begins = htp_emit_unsqueeze(l, emit_begins(w, i), &behind, 1);
        htp_tensor_id steps = htp_emit_count_up(l, htp_emit_int(l, w->window[i]));
        htp_tensor_id along = htp_emit_binary(l, "Add", begins, steps);
        int64_t ones[2 * MAX_AXES];
        size_t count = 0;
        for (size_t k = 0; k < 2 * w->axes; k++) {
            if (k % w->axes != i) {
                ones[count++] = (int64_t)k + 2;
            }
        }
        along = htp_emit_unsqueeze(l, along, ones, count);
        places = i ? htp_emit_binary(l, "Mul", places, w->sizes[i]) : along;
        places = i ? htp_emit_binary(l, "Add", places, along) : places;
        shape[2] *= w->outputs[i];
        shape[3] *= w->window[i];
    }
    return htp_emit_reshape(l, places, shape, 4);
}

/** The index of each window's maximum: the first of several, or the last NaN. */
static htp_tensor_id emit_largest(const windows *w, htp_tensor_id elements)
{
    const int64_t last_dim = 3;
    const htp_formula *f = &w->f;
    htp_lowering *l = f->l;
    htp_tensor_id is_nan = htp_step_is_nan(f, elements);
    htp_tensor_id flags = htp_emit_cast(l, is_nan, HTP_DTYPE_BOOL, f->dtype);
    htp_tensor_id numbers = htp_step_where_number(f, is_nan, -INFINITY, elements);
    htp_attribute attributes[] = {htp_attribute_int("axis", last_dim),
                                  htp_attribute_int("select_last_index", 1)};
    htp_tensor_id largest =
        htp_emit(l, "ArgMax", HTP_IN(numbers), (htp_emit_attributes){attributes, 1});
    htp_tensor_id last = htp_emit(l, "ArgMax", HTP_IN(flags), (htp_emit_attributes){attributes, 2});
    htp_tensor_id any = htp_step_reduce(f, "ReduceMax", flags, &last_dim, 1, true);
    any = htp_step_compare_scalar(f, "Greater", any, 0);
    return htp_typed_where(l, HTP_DTYPE_INT64, any, last, largest);
}

static bool read_windows(htp_lowering *l, windows *w)
{
    w->axes = htp_row_axes(l);
    w->f = htp_formula_of_steps(l, htp_arg_math_dtype(l, "self", HTP_MATH_ALLOW_DOUBLE));
    w->x = htp_arg_batched(l, "self", w->axes, w->f.dtype);
    w->window = htp_arg_spatial(l, "kernel_size", w->axes, NULL);
    w->outputs = htp_arg_spatial(l, "output_size", w->axes, NULL);
    const htp_dim *dims = htp_arg_dims(l, "self") + (htp_arg_rank(l, "self") - w->axes);
    if (l->failure || w->axes < 2 || w->axes > MAX_AXES) {
        return false;
    }
    for (size_t i = 0; i < w->axes; i++) {
        if (w->outputs[i] < 1 || w->window[i] < 1 || w->outputs[i] > MAX_WINDOWS ||
            w->window[i] > MAX_WINDOWS) {
            htp_lower_fail(l, "its windows are not valid, or too many");
            return false;
        }
        int64_t axis = (int64_t)i + 2;
        w->sizes[i] = dims[i].symbol ? htp_emit(l, "Shape", HTP_IN(w->x),
                                                HTP_AT(htp_attribute_int("start", axis),
                                                       htp_attribute_int("end", axis + 1)))
                                     : htp_emit_int(l, dims[i].size);
    }
    return true;
}

void htp_lower_fractional_pool(htp_lowering *l)
{
    windows w = {.axes = 0};
    if (!read_windows(l, &w)) {
        return;
    }
    const htp_attribute along = htp_attribute_int("axis", 3);
    htp_tensor_id places = emit_places(&w);
    int64_t shape[2 + MAX_AXES] = {0, 0};
    int64_t count = 1;
    for (size_t i = 0; i < w.axes; i++) {
        shape[2 + i] = w.outputs[i];
        count *= w.outputs[i];
    }
    htp_tensor_id flat = htp_emit_reshape(l, w.x, (const int64_t[]){0, 0, -1}, 3);
    htp_tensor_id list = htp_emit_reshape(l, places, (const int64_t[]){0, 0, -1}, 3);
    htp_tensor_id elements =
        htp_emit(l, "GatherElements", HTP_IN(flat, list), HTP_AT(htp_attribute_int("axis", 2)));
    elements = htp_emit_reshape(l, elements, (const int64_t[]){0, 0, count, -1}, 4);
    htp_tensor_id largest = emit_largest(&w, elements);
    htp_tensor_id found = htp_emit(l, "GatherElements", HTP_IN(elements, largest), HTP_AT(along));
    htp_tensor_id place = htp_emit(l, "GatherElements", HTP_IN(places, largest), HTP_AT(along));
    htp_bind_batched(l, 0, w.axes, htp_emit_reshape(l, found, shape, 2 + w.axes), w.f.dtype);
    htp_bind_batched(l, 1, w.axes, htp_emit_reshape(l, place, shape, 2 + w.axes), HTP_DTYPE_INT64);
}
