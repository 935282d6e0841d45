/*
 * Padding: aten::constant_pad_nd, reflection_pad*d, replication_pad*d, aten::pad.
 *
 * PyTorch lists begin and end of the last axis first; ONNX Pad all begins, then all ends, in order
 * of the axes. Negative numbers crop in both.
 *
 * Reference: ONNX Pad.
 */
#include "lower/compose/compose.h"
#include "lower/emit/ort_dtypes.h"
#include "lower/emit/sizes.h"

#include <string.h>

/** Constant pads in ONNX's order. @return 2 · rank numbers */
static const int64_t *order_pads(htp_lowering *l, const int64_t *given, size_t count, uint32_t rank)
{
    int64_t *pads = HTP_NEW_ARRAY(l->arena, int64_t, 2 * (size_t)rank + 1);
    for (size_t i = 0; i < count / 2; i++) {
        size_t axis = rank - 1 - i;
        pads[axis] = given[2 * i];
        pads[rank + axis] = given[2 * i + 1];
    }
    return pads;
}

/** The same for pads that depend on the input. */
static htp_tensor_id order_dynamic_pads(htp_lowering *l, const uint32_t *values, size_t count,
                                        uint32_t rank)
{
    htp_sizes pads = htp_sizes_begin(l);
    for (size_t side = 0; side < 2; side++) {
        for (size_t i = count / 2; i < rank; i++) {
            htp_sizes_add_int(&pads, 0);
        }
        for (size_t i = count / 2; i-- > 0;) {
            htp_sizes_add_value(&pads, values[2 * i + side]);
        }
    }
    return htp_sizes_end(&pads);
}

/** Argument @p name as the pads of ONNX. */
static htp_tensor_id read_pads(htp_lowering *l, const char *name, bool may_cut)
{
    uint32_t rank = htp_arg_rank(l, "self");
    size_t count = 0;
    const uint32_t *values = htp_arg_list(l, name, &count);
    if (count % 2 != 0 || count / 2 > rank) {
        htp_lower_fail(l, "%zu pads do not fit %u dims", count, rank);
        return HTP_NONE;
    }
    if (!htp_arg_is_constant(l, name)) {
        return order_dynamic_pads(l, values, count, rank);
    }
    const int64_t *pads = order_pads(l, htp_arg_ints(l, name, &count), count, rank);
    int64_t *kept = HTP_NEW_ARRAY(l->arena, int64_t, 2 * (size_t)rank + 1);
    for (size_t i = 0; i < 2 * (size_t)rank; i++) {
        kept[i] = pads[i] < 0 && !may_cut ? 0 : pads[i];
    }
    return htp_emit_ints(l, kept, 2 * (size_t)rank);
}

/** @p x after cropping by the negative numbers of argument @p name. */
static htp_tensor_id cut_ends(htp_lowering *l, const char *name, htp_tensor_id x)
{
    size_t count = 0;
    if (!htp_arg_is_constant(l, name)) {
        return x;
    }
    const int64_t *pads = htp_arg_ints(l, name, &count);
    for (size_t i = 0; i < count / 2; i++) {
        int64_t begin = pads[2 * i] < 0 ? -pads[2 * i] : 0;
        int64_t end = pads[2 * i + 1] < 0 ? pads[2 * i + 1] : INT64_MAX;
        if (begin > 0 || end < 0) {
            x = htp_emit_slice(l, x, (int64_t)(htp_arg_rank(l, "self") - 1 - i), begin, end);
        }
    }
    return x;
}

static void bind_constant_pad(htp_lowering *l)
{
    htp_dtype dtype = htp_kernel_dtype(l, "Pad", htp_output_dtype(l, 0));
    htp_tensor_id value = htp_arg_present(l, "value") ? htp_arg_tensor_as(l, "value", dtype)
                                                      : htp_emit_scalar_int(l, dtype, 0);
    htp_tensor_id x = htp_arg_tensor_as(l, "self", dtype);
    x = htp_emit(l, "Pad", HTP_IN(x, read_pads(l, "pad", true), value), HTP_NO_AT);
    htp_bind_cast(l, 0, x, dtype);
}

/** Reflection and replication. Cropped elements are still mirrored at the other end, but circular
 * padding does not wrap them. */
static void bind_mirrored_pad(htp_lowering *l, const char *name, const char *mode)
{
    htp_dtype dtype = htp_kernel_dtype(l, "Pad", htp_output_dtype(l, 0));
    htp_tensor_id x = htp_arg_tensor_as(l, "self", dtype);
    bool wraps = strcmp(mode, "wrap") == 0;
    x = wraps ? cut_ends(l, name, x) : x;
    x = htp_emit(l, "Pad", HTP_IN(x, read_pads(l, name, false)),
                 HTP_AT(htp_attribute_string("mode", mode)));
    htp_bind_cast(l, 0, wraps ? x : cut_ends(l, name, x), dtype);
}

/** Fails unless the wrapped elements exist after cropping the other end. */
static void check_wrapped_ends(htp_lowering *l, const int64_t *pads, size_t count)
{
    const htp_dim *dims = htp_arg_dims(l, "self");
    for (size_t i = 0; i < count / 2; i++) {
        int64_t cut = pads[2 * i] < pads[2 * i + 1] ? pads[2 * i] : pads[2 * i + 1];
        int64_t added = pads[2 * i] + pads[2 * i + 1] - cut;
        const htp_dim *dim = &dims[htp_arg_rank(l, "self") - 1 - i];
        if (cut < 0 && added > 0 && (dim->symbol || added > dim->size + cut)) {
            htp_lower_fail(l, "a dim is cut at one end, and wraps around at the other by more than "
                              "its rest may hold");
        }
    }
}

/** Circular padding. Before opset 19, which has a mode for it, a copy of each end is joined to the
 * other. */
static void bind_circular_pad(htp_lowering *l)
{
    uint32_t rank = htp_arg_rank(l, "self");
    size_t count = 0;
    const int64_t *pads = NULL;
    if (htp_arg_is_constant(l, "pad")) {
        pads = htp_arg_ints(l, "pad", &count);
    }
    if (!pads) {
        if (htp_lower_needs_opset(l, 19, "padding whose width depends on the input")) {
            bind_mirrored_pad(l, "pad", "wrap");
        }
        return;
    }
    if (count % 2 != 0 || count / 2 > rank) {
        htp_lower_fail(l, "%zu pads do not fit %u dims", count, rank);
        return;
    }
    check_wrapped_ends(l, pads, count);
    if (l->model->opset >= 19) {
        bind_mirrored_pad(l, "pad", "wrap");
        return;
    }
    htp_tensor_id x = cut_ends(l, "pad", htp_arg_tensor(l, "self"));
    for (size_t i = 0; i < count / 2; i++) {
        int64_t axis = (int64_t)(rank - 1 - i);
        htp_tensor_id parts[3];
        size_t part_count = 0;
        if (pads[2 * i] > 0) {
            parts[part_count++] = htp_emit_slice(l, x, axis, -pads[2 * i], INT64_MAX);
        }
        parts[part_count++] = x;
        if (pads[2 * i + 1] > 0) {
            parts[part_count++] = htp_emit_slice(l, x, axis, 0, pads[2 * i + 1]);
        }
        x = part_count == 1 ? x : htp_emit_concat(l, (htp_emit_inputs){parts, part_count}, axis);
    }
    htp_bind(l, 0, x);
}

/** constant_pad_nd */
void htp_lower_constant_pad(htp_lowering *l)
{
    bind_constant_pad(l);
}

/** reflection_pad and replication_pad: the row has ONNX's mode. */
void htp_lower_mirrored_pad(htp_lowering *l)
{
    bind_mirrored_pad(l, "padding", l->row->op);
}

void htp_lower_circular_pad(htp_lowering *l)
{
    bind_circular_pad(l);
}

/** aten::pad, which names its mode */
void htp_lower_pad(htp_lowering *l)
{
    const char *mode = htp_arg_string(l, "mode");
    if (strcmp(mode, "constant") == 0) {
        bind_constant_pad(l);
    } else if (strcmp(mode, "reflect") == 0) {
        bind_mirrored_pad(l, "pad", "reflect");
    } else if (strcmp(mode, "replicate") == 0) {
        bind_mirrored_pad(l, "pad", "edge");
    } else if (strcmp(mode, "circular") == 0) {
        bind_circular_pad(l);
    } else {
        htp_lower_fail(l, "the mode '%s' is not known", mode);
    }
}
