/*
 * Arguments of resizing operators: sizes and factors.
 */
#include "lower/nn/resize.h"

#include "graph/symbols.h"
#include "lower/compose/compose.h"
#include "lower/emit/sizes.h"

#include <math.h>
#include <string.h>

/** Reads the scales: a list, or an argument per axis. */
static void read_scales(htp_lowering *l, htp_resizing *r)
{
    static const char *const names[3][3] = {
        {"scales"}, {"scales_h", "scales_w"}, {"scales_d", "scales_h", "scales_w"}};
    if (htp_arg_present(l, "scale_factors")) {
        size_t count = 0;
        const double *factors = htp_arg_floats(l, "scale_factors", &count);
        if (count != r->axes) {
            htp_lower_fail(l, "%zu scale factors do not fit %zu axes", count, r->axes);
            return;
        }
        memcpy(r->scales, factors, count * sizeof(*factors));
    } else {
        for (size_t i = 0; i < r->axes; i++) {
            r->scales[i] = htp_arg_float_or(l, names[r->axes - 1][i], 0);
        }
    }
    for (size_t i = 0; i < r->axes; i++) {
        if (!(r->scales[i] >= 0) || r->scales[i] > HTP_RESIZING_LARGEST) {
            htp_lower_fail(l, "a scale factor of %g is not supported", r->scales[i]);
        }
    }
}

htp_resizing htp_resizing_read(htp_lowering *l)
{
    static const htp_dim unknown[3];
    htp_resizing r = {.input = htp_arg_present(l, "input") ? "input" : "self",
                      .axes = htp_row_axes(l),
                      .in = unknown,
                      .out = unknown};
    uint32_t rank = htp_arg_rank(l, r.input);
    if (rank != r.axes + 2 || htp_output_rank(l, 0) != rank) {
        htp_lower_fail(l, "an input of rank %u is not supported", rank);
        return r;
    }
    r.in = htp_arg_dims(l, r.input) + 2;
    r.out = htp_output_dims(l, 0) + 2;
    read_scales(l, &r);
    return r;
}

bool htp_resizing_scale_fits(htp_lowering *l, const htp_resizing *r, size_t axis)
{
    const htp_trace_value *in = l->graph->values[htp_arg_value(l, r->input)].traced;
    const htp_trace_value *out = l->graph->values[htp_output_value(l, 0)].traced;
    bool fits = true;
    for (uint32_t lane = 0; lane < l->graph->symbols->lane_count && fits; lane++) {
        double size = floor((double)in->dims[lane][axis + 2] * r->scales[axis]);
        fits = size == (double)out->dims[lane][axis + 2];
    }
    return fits;
}

htp_tensor_id htp_resizing_size(htp_lowering *l, const htp_resizing *r, size_t axis)
{
    if (!r->out[axis].symbol) {
        return htp_emit_int(l, r->out[axis].size);
    }
    if (htp_arg_present(l, "output_size")) {
        size_t count = 0;
        const uint32_t *sizes = htp_arg_list(l, "output_size", &count);
        if (count == r->axes) {
            return htp_value_vector(l, sizes[axis]);
        }
    }
    htp_tensor_id size =
        htp_emit_dim(l, htp_arg_tensor(l, r->input), htp_arg_dims(l, r->input), (int64_t)axis + 2);
    size = htp_emit_cast(l, size, HTP_DTYPE_INT64, HTP_DTYPE_FLOAT64);
    size = htp_emit_binary_scalar(l, "Mul", size, HTP_DTYPE_FLOAT64, r->scales[axis]);
    size = htp_emit_unary(l, "Floor", size);
    return htp_emit_cast(l, size, HTP_DTYPE_FLOAT64, HTP_DTYPE_INT64);
}

htp_tensor_id htp_resizing_scales(htp_lowering *l, const htp_resizing *r, const double *factors)
{
    htp_number numbers[5] = {htp_number_float(1), htp_number_float(1)};
    for (size_t i = 0; i < r->axes; i++) {
        numbers[i + 2] = htp_number_float(factors[i]);
    }
    const int64_t count = (int64_t)r->axes + 2;
    return htp_emit_numbers(l, HTP_DTYPE_FLOAT32, 1, &count, numbers);
}
