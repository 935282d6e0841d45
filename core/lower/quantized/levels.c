/*
 * quantized_decomposed: numbers to levels (quantised integers) and back, as in programs of
 * torch.export that are quantised (pt2e).
 *
 * PyTorch's definitions are Python, torch.ao.quantization.fx._decomposed; the lowerings repeat
 * their arithmetic. ONNX QuantizeLinear divides by the scale, where PyTorch multiplies by its
 * inverse, which sometimes gives the neighbouring level. DequantizeLinear computes the same, but
 * ONNX Runtime may fuse it into MatMulNBits, which quantises the other operand, too.
 */
#include "lower/compose/compose.h"
#include "lower/emit/ort_dtypes.h"
#include "lower/emit/promote.h"
#include "lower/emit/rows.h"
#include "lower/quantized/quantized.h"

#include <math.h>

static bool is_wide(htp_dtype dtype)
{
    return dtype == HTP_DTYPE_FLOAT32 || dtype == HTP_DTYPE_FLOAT64;
}

static bool is_number(htp_lowering *l, const char *name)
{
    htp_value_id id = htp_arg_value(l, name);
    return id != HTP_NONE && htp_value_is_number(htp_graph_value(l->graph, id));
}

/** A number, or a tensor of one element, as a 0-d tensor. */
static htp_tensor_id read_one(htp_lowering *l, const char *name, htp_dtype dtype)
{
    htp_tensor_id x = htp_arg_tensor_as(l, name, dtype);
    return is_number(l, name) || htp_arg_rank(l, name) == 0 ? x : htp_emit_reshape(l, x, NULL, 0);
}

static void check_scales(htp_lowering *l)
{
    if (!is_wide(htp_arg_dtype(l, "scales"))) {
        htp_lower_fail(l, "scales of %s are not supported",
                       htp_dtype_name(htp_arg_dtype(l, "scales")));
    }
}

/* ---- to levels ---- */

/** Numbers to be rounded to levels: tensors of @p dtype. */
typedef struct rounding {
    htp_dtype dtype;
    htp_tensor_id x;
    htp_tensor_id inverse; /* 1 / scale */
    htp_tensor_id zero_point;
    bool adds_first; /* the zero point is added before it is rounded */
} rounding;

static htp_tensor_id emit_rounded(htp_lowering *l, const rounding *r)
{
    htp_tensor_id x = htp_emit_binary(l, "Mul", r->x, r->inverse);
    if (r->adds_first) {
        x = htp_emit_unary(l, "Round", htp_emit_binary(l, "Add", x, r->zero_point));
    } else {
        x = htp_emit_binary(l, "Add", htp_emit_unary(l, "Round", x), r->zero_point);
    }
    htp_tensor_id low = read_one(l, "quant_min", r->dtype);
    htp_tensor_id high = read_one(l, "quant_max", r->dtype);
    return htp_emit(l, "Clip", HTP_IN(x, low, high), HTP_NO_AT);
}

/** 1 / scale of a single scale: divided in double, then rounded to float32. */
static htp_tensor_id read_inverse(htp_lowering *l)
{
    const htp_dtype wide = HTP_DTYPE_FLOAT64;
    if (!is_number(l, "scale")) {
        htp_tensor_id inverse =
            htp_emit_binary(l, "Div", htp_emit_scalar(l, wide, 1), read_one(l, "scale", wide));
        return htp_emit_cast(l, inverse, wide, HTP_DTYPE_FLOAT32);
    }
    double inverse = 1 / htp_arg_float(l, "scale");
    if (!isfinite(inverse)) {
        htp_lower_fail(l, "its scale is 0");
        return HTP_NONE;
    }
    return htp_emit_scalar(l, HTP_DTYPE_FLOAT32, inverse);
}

/** quantized_decomposed::quantize_per_tensor */
void htp_lower_levels(htp_lowering *l)
{
    const htp_dtype dtype = HTP_DTYPE_FLOAT32;
    if (htp_arg_math_dtype(l, "input", 0) != dtype) {
        return;
    }
    const rounding r = {
        .dtype = dtype,
        .x = htp_arg_tensor_as(l, "input", dtype),
        .inverse = read_inverse(l),
        .zero_point = read_one(l, "zero_point", dtype),
    };
    htp_bind_cast(l, 0, emit_rounded(l, &r), dtype);
}

/** quantized_decomposed::quantize_per_channel */
void htp_lower_levels_by_channel(htp_lowering *l)
{
    const htp_dtype dtype = htp_arg_dtype(l, "scales");
    uint32_t rank = htp_arg_rank(l, "input");
    check_scales(l);
    if (rank == 0 || htp_arg_math_dtype(l, "input", 0) != HTP_DTYPE_FLOAT32) {
        htp_lower_fail(l, "a tensor without dims has no channels");
        return;
    }
    size_t trailing = rank - 1 - (size_t)htp_arg_dim(l, "axis", rank);
    htp_tensor_id inverse = htp_emit_inverse_scale(l, htp_arg_tensor(l, "scales"), dtype);
    const rounding r = {
        .dtype = dtype,
        .x = htp_arg_tensor_as(l, "input", dtype),
        .inverse = htp_emit_channels(l, inverse, trailing),
        .zero_point = htp_emit_channels(l, htp_arg_tensor_as(l, "zero_points", dtype), trailing),
    };
    htp_bind_cast(l, 0, emit_rounded(l, &r), dtype);
}

/** Levels by token (all dims but the last) or by group: the zero point is added before rounding.
 * @param x  its argument "input", in a shape that broadcasts with the scales */
static htp_tensor_id emit_token_levels(htp_lowering *l, htp_tensor_id x, htp_tensor_id scales,
                                       htp_tensor_id zero_points, htp_dtype dtype)
{
    const htp_dtype given = htp_arg_dtype(l, "scales");
    htp_tensor_id inverse = htp_emit_inverse_scale(l, scales, given);
    const rounding r = {
        .dtype = dtype,
        .x = x,
        .inverse = htp_emit_cast(l, inverse, given, dtype),
        .zero_point = zero_points,
        .adds_first = true,
    };
    return emit_rounded(l, &r);
}

/** The dtype in which tokens and groups are computed. */
static htp_dtype token_dtype(htp_lowering *l)
{
    static const char *const names[] = {"input", "scales", "zero_points"};
    htp_dtype dtype = htp_promote_arguments(l, names, 2);
    check_scales(l);
    if (!is_wide(dtype) || htp_promote_arguments(l, names, 3) != dtype) {
        htp_lower_fail(l, "scales of %s with zero points of %s are not supported",
                       htp_dtype_name(htp_arg_dtype(l, "scales")),
                       htp_dtype_name(htp_arg_dtype(l, "zero_points")));
    }
    return dtype;
}

/** quantized_decomposed::quantize_per_token */
void htp_lower_levels_by_token(htp_lowering *l)
{
    const htp_dtype dtype = token_dtype(l);
    htp_tensor_id x = htp_arg_tensor_as(l, "input", dtype);
    htp_tensor_id zero_points = htp_arg_tensor_as(l, "zero_points", dtype);
    x = emit_token_levels(l, x, htp_arg_tensor(l, "scales"), zero_points, dtype);
    htp_bind_cast(l, 0, x, dtype);
}

/** A matrix reshaped to rows with one scale each. */
static htp_tensor_id emit_groups(htp_lowering *l, htp_tensor_id x)
{
    int64_t group = htp_arg_int(l, "group_size");
    bool is_matrix = htp_arg_rank(l, "input") == 2;
    const htp_dim *dims = htp_arg_dims(l, "input");
    if (!is_matrix || !htp_dims_are_static(dims + 1, 1) || group < 1) {
        htp_lower_fail(l, "groups of %lld in what is no matrix of a known width are not supported",
                       (long long)group);
        return x;
    }
    const int64_t shape[] = {-1, group > dims[1].size ? dims[1].size : group};
    return htp_emit_reshape(l, x, shape, 2);
}

/** An argument with an element per group, as a column. */
static htp_tensor_id read_of_groups(htp_lowering *l, const char *name, htp_dtype dtype)
{
    static const int64_t column[] = {-1, 1};
    return htp_emit_reshape(l, htp_arg_tensor_as(l, name, dtype), column, 2);
}

static void bind_ungrouped(htp_lowering *l, htp_tensor_id x, htp_dtype dtype)
{
    htp_tensor_id shape =
        htp_emit_shape(l, htp_arg_tensor(l, "input"), 2, htp_arg_dims(l, "input"));
    htp_bind_cast(l, 0, htp_emit_binary(l, "Reshape", x, shape), dtype);
}

/** quantized_decomposed::quantize_per_channel_group */
void htp_lower_levels_by_group(htp_lowering *l)
{
    const htp_dtype dtype = token_dtype(l);
    htp_tensor_id x = emit_groups(l, htp_arg_tensor_as(l, "input", dtype));
    htp_tensor_id scales = read_of_groups(l, "scales", htp_arg_dtype(l, "scales"));
    htp_tensor_id zero_points = read_of_groups(l, "zero_points", dtype);
    bind_ungrouped(l, emit_token_levels(l, x, scales, zero_points, dtype), dtype);
}

/* ---- from levels ---- */

/** Levels minus their zero points, as @p dtype. Integers are subtracted in their common dtype. */
static htp_tensor_id emit_centered(htp_lowering *l, htp_tensor_id x, htp_tensor_id zero_points,
                                   htp_dtype dtype)
{
    const htp_dtype given = htp_arg_dtype(l, "input");
    if (zero_points == HTP_NONE) {
        return htp_emit_cast(l, x, given, dtype);
    }
    htp_dtype both = htp_dtype_promote(given, htp_arg_dtype(l, "zero_points"));
    if (both != HTP_DTYPE_INT32 && both != HTP_DTYPE_INT64 && !is_wide(both)) {
        htp_lower_fail(l, "zero points of %s are not supported",
                       htp_dtype_name(htp_arg_dtype(l, "zero_points")));
        return x;
    }
    x = htp_emit_binary(l, "Sub", htp_emit_cast(l, x, given, both), zero_points);
    return htp_emit_cast(l, x, both, dtype);
}

/** The dtype in which zero points are subtracted. */
static htp_dtype centered_dtype(htp_lowering *l)
{
    return htp_arg_present(l, "zero_points")
               ? htp_dtype_promote(htp_arg_dtype(l, "input"), htp_arg_dtype(l, "zero_points"))
               : htp_arg_dtype(l, "input");
}

/** quantized_decomposed::dequantize_per_channel */
void htp_lower_unlevel_by_channel(htp_lowering *l)
{
    uint32_t rank = htp_arg_rank(l, "input");
    int64_t axis = htp_arg_dim(l, "axis", rank);
    htp_tensor_id x = htp_arg_tensor(l, "input");
    check_scales(l);
    if (rank == 0) {
        htp_lower_fail(l, "a tensor without dims has no channels");
        return;
    }
    const htp_dtype dtype = htp_arg_dtype(l, "scales");
    size_t trailing = rank - 1 - (size_t)axis;
    htp_tensor_id zero_points = htp_arg_optional_as(l, "zero_points", centered_dtype(l));
    if (zero_points != HTP_NONE) {
        zero_points = htp_emit_channels(l, zero_points, trailing);
    }
    x = emit_centered(l, x, zero_points, dtype);
    htp_tensor_id scales = htp_emit_channels(l, htp_arg_tensor(l, "scales"), trailing);
    htp_bind_cast(l, 0, htp_emit_binary(l, "Mul", x, scales), dtype);
}

/** quantized_decomposed::dequantize_per_token */
void htp_lower_unlevel_by_token(htp_lowering *l)
{
    const htp_dtype dtype = htp_arg_dtype(l, "scales");
    check_scales(l);
    htp_tensor_id zero_points = htp_arg_optional_as(l, "zero_points", centered_dtype(l));
    htp_tensor_id x = emit_centered(l, htp_arg_tensor(l, "input"), zero_points, dtype);
    htp_bind_cast(l, 0, htp_emit_binary(l, "Mul", x, htp_arg_tensor(l, "scales")), dtype);
}

/** quantized_decomposed::dequantize_per_channel_group */
void htp_lower_unlevel_by_group(htp_lowering *l)
{
    const htp_dtype dtype = htp_arg_dtype(l, "scales");
    check_scales(l);
    htp_tensor_id zero_points = htp_arg_present(l, "zero_points")
                                    ? read_of_groups(l, "zero_points", centered_dtype(l))
                                    : HTP_NONE;
    htp_tensor_id x = emit_groups(l, htp_arg_tensor(l, "input"));
    x = emit_centered(l, x, zero_points, dtype);
    bind_ungrouped(l, htp_emit_binary(l, "Mul", x, read_of_groups(l, "scales", dtype)), dtype);
}

/** Rounds to @p to if that is narrower than @p dtype, as each of PyTorch's operators does. */
static htp_tensor_id emit_narrowed(htp_lowering *l, htp_tensor_id x, htp_dtype dtype, htp_dtype to)
{
    return htp_emit_cast(l, htp_emit_cast(l, x, dtype, to), to, dtype);
}

/** quantized_decomposed::dequantize_per_tensor: computed in the dtype that it gives. */
void htp_lower_unlevel(htp_lowering *l)
{
    const htp_dtype levels = htp_arg_dtype(l, "input");
    const htp_dtype to = htp_output_dtype(l, 0);
    const htp_dtype dtype = htp_composite_dtype(to);
    htp_tensor_id x = htp_arg_tensor(l, "input");
    if (!is_wide(dtype)) {
        htp_lower_fail(l, "numbers of %s are not supported", htp_dtype_name(to));
        return;
    }
    x = emit_narrowed(l, htp_emit_cast(l, x, levels, dtype), dtype, to);
    x = htp_emit_binary(l, "Sub", x, read_one(l, "zero_point", dtype));
    x = htp_emit_binary(l, "Mul", emit_narrowed(l, x, dtype, to), read_one(l, "scale", dtype));
    htp_bind_cast(l, 0, x, dtype);
}
