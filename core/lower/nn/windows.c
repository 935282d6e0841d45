#include "lower/nn/windows.h"

#include "lower/emit/ort_dtypes.h"
#include "lower/emit/sizes.h"

bool htp_window_check(htp_lowering *l, const htp_window *windows, size_t axes)
{
    const int64_t most = INT64_C(1) << 20;
    for (size_t i = 0; i < axes; i++) {
        const htp_window *w = &windows[i];
        bool fits = w->kernel >= 1 && w->kernel <= most && w->stride >= 1 && w->stride <= most &&
                    w->dilation >= 1 && w->dilation <= most && w->padding >= 0 &&
                    w->padding <= most && w->end_padding >= 0 && w->end_padding <= most;
        if (!fits) {
            htp_lower_fail(l, "its window is not valid");
            return false;
        }
    }
    return true;
}

/** Positions on an axis of known size, as a constant. */
static htp_tensor_id constant_positions(htp_lowering *l, int64_t size, const htp_window *w)
{
    const int64_t most = INT64_C(1) << 24;
    int64_t room = size + w->padding + w->end_padding - w->dilation * (w->kernel - 1) - 1;
    int64_t dims[] = {w->kernel, room < 0 ? 0 : room / w->stride + 1};
    if (size > INT64_C(1) << 40 || dims[1] > most / w->kernel) {
        htp_lower_fail(l, "its windows are too many");
        return HTP_NONE;
    }
    int64_t *positions = HTP_NEW_ARRAY(l->arena, int64_t, (size_t)(dims[0] * dims[1]) + 1);
    for (int64_t k = 0; k < dims[0]; k++) {
        for (int64_t i = 0; i < dims[1]; i++) {
            positions[k * dims[1] + i] = k * w->dilation + i * w->stride;
        }
    }
    return htp_builder_constant(l->model, HTP_DTYPE_INT64, 2, dims, positions);
}

htp_tensor_id htp_emit_positions(htp_lowering *l, htp_tensor_id x, int64_t axis, htp_dim size,
                                 const htp_window *window)
{
    if (!size.symbol) {
        return constant_positions(l, size.size, window);
    }
    htp_tensor_id length =
        htp_emit(l, "Shape", HTP_IN(x),
                 HTP_AT(htp_attribute_int("start", axis), htp_attribute_int("end", axis + 1)));
    return htp_emit_positions_within(l, length, window);
}

htp_tensor_id htp_emit_positions_within(htp_lowering *l, htp_tensor_id length,
                                        const htp_window *window)
{
    const int64_t first = 0;
    const int64_t last = 1;
    int64_t reach = window->dilation * (window->kernel - 1);
    htp_tensor_id end = htp_emit_binary(
        l, "Add", htp_emit_squeeze(l, length, &first, 1),
        htp_emit_scalar_int(l, HTP_DTYPE_INT64, window->padding + window->end_padding - reach));
    htp_tensor_id starts = htp_emit(l, "Range",
                                    HTP_IN(htp_emit_scalar_int(l, HTP_DTYPE_INT64, 0), end,
                                           htp_emit_scalar_int(l, HTP_DTYPE_INT64, window->stride)),
                                    HTP_NO_AT);
    int64_t *offsets = HTP_NEW_ARRAY(l->arena, int64_t, (size_t)window->kernel);
    for (int64_t i = 0; i < window->kernel; i++) {
        offsets[i] = i * window->dilation;
    }
    htp_tensor_id column =
        htp_emit_unsqueeze(l, htp_emit_ints(l, offsets, (size_t)window->kernel), &last, 1);
    return htp_emit_binary(l, "Add", column, starts);
}

static htp_tensor_id emit_padding(htp_lowering *l, htp_tensor_id x, htp_dtype dtype, size_t axes,
                                  const htp_window *windows, htp_tensor_id fill)
{
    int64_t pads[2 * HTP_MAX_RANK] = {0};
    size_t rank = axes + 2;
    bool is_padded = false;
    for (size_t i = 0; i < axes; i++) {
        pads[2 + i] = windows[i].padding;
        pads[rank + 2 + i] = windows[i].end_padding;
        is_padded = is_padded || windows[i].padding || windows[i].end_padding;
    }
    if (!is_padded) {
        return x;
    }
    htp_dtype wide = htp_kernel_dtype(l, "Pad", dtype);
    x = htp_emit(l, "Pad",
                 HTP_IN(htp_emit_cast(l, x, dtype, wide), htp_emit_ints(l, pads, 2 * rank),
                        htp_emit_cast(l, fill, dtype, wide)),
                 HTP_NO_AT);
    return htp_emit_cast(l, x, wide, dtype);
}

htp_tensor_id htp_emit_windows(htp_lowering *l, htp_tensor_id x, htp_dtype dtype, size_t axes,
                               const htp_dim *dims, const htp_window *windows, htp_tensor_id fill)
{
    if (!htp_window_check(l, windows, axes)) {
        return x;
    }
    htp_tensor_id unpadded = x;
    x = emit_padding(l, x, dtype, axes, windows, fill);
    for (size_t i = 0; i < axes; i++) {
        htp_tensor_id positions =
            htp_emit_positions(l, unpadded, (int64_t)i + 2, dims[i], &windows[i]);
        x = htp_emit(l, "Gather", HTP_IN(x, positions),
                     HTP_AT(htp_attribute_int("axis", 2 + 2 * (int64_t)i)));
    }
    return x;
}

htp_tensor_id htp_emit_window_sum(htp_lowering *l, htp_tensor_id x, htp_dtype dtype, int64_t axis,
                                  int64_t size)
{
    const int64_t most = 1 << 12;
    if (size == 1) {
        return htp_emit_squeeze(l, x, &axis, 1);
    }
    if (htp_dtype_is_float(dtype)) {
        return htp_emit_reduce(l, "ReduceSum", x, &axis, 1, false);
    }
    if (size > most) {
        htp_lower_fail(l, "a window of %lld is not supported for %s", (long long)size,
                       htp_dtype_name(dtype));
        return x;
    }
    htp_tensor_id *parts = HTP_NEW_ARRAY(l->arena, htp_tensor_id, (size_t)size);
    htp_emit_split(l, x, axis, parts, (size_t)size);
    for (int64_t i = 1; i < size && !l->failure; i++) {
        parts[0] = htp_typed_binary(l, "Add", dtype, parts[0], parts[i]);
    }
    return htp_emit_squeeze(l, parts[0], &axis, 1);
}

htp_tensor_id htp_emit_window_sums(htp_lowering *l, htp_tensor_id x, htp_dtype dtype, size_t axes,
                                   const htp_dim *dims, const htp_window *windows)
{
    if (l->failure || !htp_window_check(l, windows, axes)) {
        return x;
    }
    htp_tensor_id unpadded = x;
    x = emit_padding(l, x, dtype, axes, windows, htp_emit_scalar(l, dtype, 0));
    for (size_t i = 0; i < axes; i++) {
        const int64_t axis = (int64_t)i + 2;
        htp_tensor_id positions = htp_emit_positions(l, unpadded, axis, dims[i], &windows[i]);
        x = htp_emit(l, "Gather", HTP_IN(x, positions), HTP_AT(htp_attribute_int("axis", axis)));
        x = htp_emit_window_sum(l, x, dtype, axis, windows[i].kernel);
    }
    return x;
}

htp_tensor_id htp_emit_plane(htp_lowering *l, htp_tensor_id x, size_t axes, const htp_dim *dims)
{
    const int64_t first = 0;
    htp_sizes shape = htp_sizes_begin(l);
    htp_sizes_add_int(&shape, 1);
    htp_sizes_add_int(&shape, 1);
    htp_tensor_id count = htp_emit_int(l, 1);
    for (size_t i = 0; i < axes; i++) {
        htp_tensor_id size = dims[i].symbol
                                 ? htp_emit(l, "Shape", HTP_IN(x),
                                            HTP_AT(htp_attribute_int("start", (int64_t)i + 2),
                                                   htp_attribute_int("end", (int64_t)i + 3)))
                                 : htp_emit_int(l, dims[i].size);
        htp_sizes_add_tensor(&shape, size);
        count = i ? htp_emit_binary(l, "Mul", count, size) : size;
    }
    htp_tensor_id numbers = htp_emit(l, "Range",
                                     HTP_IN(htp_emit_scalar_int(l, HTP_DTYPE_INT64, 0),
                                            htp_emit_squeeze(l, count, &first, 1),
                                            htp_emit_scalar_int(l, HTP_DTYPE_INT64, 1)),
                                     HTP_NO_AT);
    return htp_emit_binary(l, "Reshape", numbers, htp_sizes_end(&shape));
}

htp_tensor_id htp_emit_first_equal(htp_lowering *l, htp_dtype dtype, htp_tensor_id windows,
                                   htp_tensor_id largest, htp_tensor_id plane,
                                   const int64_t *reduced, size_t count)
{
    htp_tensor_id is_largest = htp_typed_predicate(l, "Equal", dtype, windows, largest);
    htp_tensor_id found =
        htp_emit(l, "Where",
                 HTP_IN(is_largest, plane, htp_emit_scalar_int(l, HTP_DTYPE_INT64, HTP_NO_INDEX)),
                 HTP_NO_AT);
    return htp_emit_reduce(l, "ReduceMin", found, reduced, count, false);
}
