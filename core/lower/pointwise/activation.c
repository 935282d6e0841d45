/*
 * Activation functions and the softmax family.
 *
 * Reference: the ONNX operators of the same names. Their constants are float32 attributes, and ONNX
 * Runtime lacks float64 kernels for many, so float64 is composed of elementary operators.
 */
#include "lower/compose/compose.h"
#include "lower/compose/elementary.h"
#include "lower/emit/ort_dtypes.h"
#include "lower/pointwise/error_function.h"

#include <math.h>
#include <string.h>

/** x > 0 ? positive : negative */
static htp_tensor_id select_by_sign(htp_lowering *l, htp_tensor_id x, htp_dtype dtype,
                                    htp_tensor_id positive, htp_tensor_id negative)
{
    htp_tensor_id is_positive = htp_emit_binary_scalar(l, "Greater", x, dtype, 0);
    return htp_emit(l, "Where", HTP_IN(is_positive, positive, negative), HTP_NO_AT);
}

static htp_tensor_id clip(htp_lowering *l, htp_tensor_id x, htp_dtype dtype, double low,
                          double high)
{
    return htp_emit(l, "Clip",
                    HTP_IN(x, htp_emit_scalar(l, dtype, low), htp_emit_scalar(l, dtype, high)),
                    HTP_NO_AT);
}

/* ---- piecewise linear ---- */

void htp_lower_relu(htp_lowering *l)
{
    htp_dtype dtype = htp_output_dtype(l, 0);
    htp_tensor_id x = htp_arg_tensor(l, "self");
    htp_bind(l, 0,
             htp_dtype_is_integer(dtype)
                 ? htp_typed_extreme(l, "Max", dtype, x, htp_emit_scalar_int(l, dtype, 0))
                 : htp_typed_unary(l, "Relu", dtype, x));
}

/** relu6 */
void htp_lower_relu6(htp_lowering *l)
{
    htp_dtype dtype = htp_output_dtype(l, 0);
    htp_tensor_id x = htp_arg_tensor(l, "self");
    htp_tensor_id low = htp_emit_scalar_int(l, dtype, 0);
    htp_tensor_id high = htp_emit_scalar_int(l, dtype, 6);
    if (dtype == HTP_DTYPE_INT64) {
        x = htp_typed_extreme(l, "Max", dtype, x, low);
        htp_bind(l, 0, htp_typed_extreme(l, "Min", dtype, x, high));
        return;
    }
    htp_bind(l, 0, htp_emit_typed(l, "Clip", dtype, HTP_IN(x, low, high), HTP_NO_AT));
}

static void bind_leaky(htp_lowering *l, double slope)
{
    htp_dtype dtype = htp_arg_math_dtype(l, "self", HTP_MATH_KEEP_HALF | HTP_MATH_ALLOW_DOUBLE);
    htp_tensor_id x = htp_arg_tensor_as(l, "self", dtype);
    if (dtype == HTP_DTYPE_FLOAT64) {
        htp_tensor_id negative = htp_emit_binary_scalar(l, "Mul", x, dtype, slope);
        x = select_by_sign(l, x, dtype, x, negative);
    } else {
        x = htp_emit(l, "LeakyRelu", HTP_IN(x), HTP_AT(htp_attribute_float("alpha", slope)));
    }
    htp_bind_cast(l, 0, x, dtype);
}

void htp_lower_leaky_relu(htp_lowering *l)
{
    bind_leaky(l, htp_arg_float(l, "negative_slope"));
}

/** In inference the slope is the middle of its range. */
void htp_lower_rrelu(htp_lowering *l)
{
    if (htp_arg_bool(l, "training")) {
        htp_lower_fail_training(l);
    }
    bind_leaky(l, (htp_arg_float(l, "lower") + htp_arg_float(l, "upper")) / 2);
}

/** prelu with a slope per channel (axis 1) or one for all; _prelu_kernel has it broadcastable */
void htp_lower_prelu(htp_lowering *l)
{
    htp_dtype dtype = htp_arg_math_dtype(l, "self", HTP_MATH_KEEP_HALF | HTP_MATH_ALLOW_DOUBLE);
    htp_tensor_id x = htp_arg_tensor_as(l, "self", dtype);
    htp_tensor_id slope = htp_arg_tensor_as(l, "weight", dtype);
    uint32_t rank = htp_arg_rank(l, "self");
    if (htp_arg_rank(l, "weight") == 1 && rank > 2) {
        slope = htp_emit_channels(l, slope, rank - 2);
    } else if (rank == 0) {
        slope = htp_emit_reshape(l, slope, NULL, 0);
    }
    if (dtype == HTP_DTYPE_FLOAT64 || (rank > 0 && htp_arg_rank(l, "weight") > rank)) {
        x = select_by_sign(l, x, dtype, x, htp_emit_binary(l, "Mul", x, slope));
    } else {
        x = htp_emit_binary(l, "PRelu", x, slope);
    }
    htp_bind_cast(l, 0, x, dtype);
}

/** x <= threshold ? value : x */
void htp_lower_threshold(htp_lowering *l)
{
    htp_dtype dtype = htp_output_dtype(l, 0);
    htp_tensor_id x = htp_arg_tensor(l, "self");
    htp_tensor_id below =
        htp_typed_predicate(l, "LessOrEqual", dtype, x, htp_arg_tensor_as(l, "threshold", dtype));
    htp_tensor_id value = htp_arg_tensor_as(l, "value", dtype);
    htp_bind(l, 0, htp_typed_where(l, dtype, below, value, x));
}

/** |x| <= lambd ? 0 : x */
void htp_lower_hardshrink(htp_lowering *l)
{
    htp_dtype dtype = htp_output_dtype(l, 0);
    htp_tensor_id x = htp_arg_tensor(l, "self");
    htp_tensor_id is_small =
        htp_typed_predicate(l, "LessOrEqual", dtype, htp_typed_unary(l, "Abs", dtype, x),
                            htp_arg_tensor_as(l, "lambd", dtype));
    htp_bind(l, 0, htp_typed_where(l, dtype, is_small, htp_emit_scalar_int(l, dtype, 0), x));
}

/** x - clamp(x, -lambd, lambd) */
void htp_lower_softshrink(htp_lowering *l)
{
    htp_dtype dtype = htp_arg_math_dtype(l, "self", HTP_MATH_ALLOW_DOUBLE);
    htp_tensor_id x = htp_arg_tensor_as(l, "self", dtype);
    double bound = htp_arg_float(l, "lambd");
    htp_bind_cast(l, 0, htp_emit_binary(l, "Sub", x, clip(l, x, dtype, -bound, bound)), dtype);
}

/** clamp(x + 3, 0, 6) / 6, times x for hardswish, as the row says. */
void htp_lower_hard_gate(htp_lowering *l)
{
    bool times_x = strcmp(l->row->op, "HardSwish") == 0;
    htp_dtype dtype = htp_arg_math_dtype(l, "self", HTP_MATH_KEEP_HALF | HTP_MATH_ALLOW_DOUBLE);
    htp_tensor_id x = htp_arg_tensor_as(l, "self", dtype);
    htp_tensor_id y = HTP_NONE;
    if (dtype == HTP_DTYPE_FLOAT64) {
        y = clip(l, htp_emit_binary_scalar(l, "Add", x, dtype, 3), dtype, 0, 6);
        y = times_x ? htp_emit_binary(l, "Mul", x, y) : y;
        y = htp_emit_binary_scalar(l, "Div", y, dtype, 6);
    } else if (times_x) {
        y = htp_emit_unary(l, "HardSwish", x);
    } else {
        /* beta is 0.5, the default: OpenCV fuses the node wrongly if it is written. */
        y = htp_emit(l, "HardSigmoid", HTP_IN(x), HTP_AT(htp_attribute_float("alpha", 1.0 / 6)));
    }
    htp_bind_cast(l, 0, y, dtype);
}

/* ---- exponential ---- */

/** x > 0 ? scale · x : alpha · scale · (exp(input_scale · x) - 1) */
static void bind_elu(htp_lowering *l, double alpha, double scale, double input_scale)
{
    htp_dtype dtype = htp_arg_math_dtype(l, "self", HTP_MATH_ALLOW_DOUBLE);
    htp_tensor_id x = htp_arg_tensor_as(l, "self", dtype);
    htp_tensor_id y = HTP_NONE;
    if (dtype == HTP_DTYPE_FLOAT32 && scale == 1 && input_scale == 1) {
        y = htp_emit(l, "Elu", HTP_IN(x), HTP_AT(htp_attribute_float("alpha", alpha)));
    } else if (dtype == HTP_DTYPE_FLOAT32 && input_scale == 1) {
        y = htp_emit(
            l, "Selu", HTP_IN(x),
            HTP_AT(htp_attribute_float("alpha", alpha), htp_attribute_float("gamma", scale)));
    } else {
        htp_tensor_id positive = scale == 1 ? x : htp_emit_binary_scalar(l, "Mul", x, dtype, scale);
        htp_tensor_id inner =
            input_scale == 1 ? x : htp_emit_binary_scalar(l, "Mul", x, dtype, input_scale);
        htp_tensor_id grown = htp_emit_unary(l, "Exp", inner);
        grown = htp_emit_binary_scalar(l, "Sub", grown, dtype, 1);
        y = select_by_sign(l, x, dtype, positive,
                           htp_emit_binary_scalar(l, "Mul", grown, dtype, alpha * scale));
    }
    htp_bind_cast(l, 0, y, dtype);
}

void htp_lower_elu(htp_lowering *l)
{
    bind_elu(l, htp_arg_float(l, "alpha"), htp_arg_float(l, "scale"),
             htp_arg_float(l, "input_scale"));
}

void htp_lower_celu(htp_lowering *l)
{
    double alpha = htp_arg_float(l, "alpha");
    if (alpha == 0) {
        htp_lower_fail(l, "alpha is 0");
    } else {
        bind_elu(l, alpha, 1, 1 / alpha);
    }
}

void htp_lower_selu(htp_lowering *l)
{
    bind_elu(l, 1.6732632423543772848170429916717, 1.0507009873554804934193349852946, 1);
}

void htp_lower_silu(htp_lowering *l)
{
    htp_dtype dtype = htp_arg_math_dtype(l, "self", HTP_MATH_ALLOW_DOUBLE);
    htp_tensor_id x = htp_arg_tensor_as(l, "self", dtype);
    htp_bind_cast(l, 0, htp_emit_binary(l, "Mul", x, htp_emit_unary(l, "Sigmoid", x)), dtype);
}

/** The first half, gated by the second. */
void htp_lower_glu(htp_lowering *l)
{
    htp_dtype dtype = htp_arg_math_dtype(l, "self", HTP_MATH_ALLOW_DOUBLE);
    htp_tensor_id halves[2];
    htp_emit_split(l, htp_arg_tensor_as(l, "self", dtype),
                   htp_arg_dim(l, "dim", htp_arg_rank(l, "self")), halves, 2);
    htp_tensor_id y = htp_emit_binary(l, "Mul", halves[0], htp_emit_unary(l, "Sigmoid", halves[1]));
    htp_bind_cast(l, 0, y, dtype);
}

htp_tensor_id htp_emit_gelu(htp_lowering *l, htp_tensor_id x, htp_dtype dtype, bool use_tanh)
{
    if (dtype != HTP_DTYPE_FLOAT64 && l->model->opset >= 20) {
        return htp_emit(l, "Gelu", HTP_IN(x),
                        HTP_AT(htp_attribute_string("approximate", use_tanh ? "tanh" : "none")));
    }
    htp_tensor_id inner = HTP_NONE;
    if (use_tanh) {
        htp_tensor_id cube = htp_emit_binary(l, "Mul", htp_emit_binary(l, "Mul", x, x), x);
        inner =
            htp_emit_binary(l, "Add", x, htp_emit_binary_scalar(l, "Mul", cube, dtype, 0.044715));
        inner = htp_emit_binary_scalar(l, "Mul", inner, dtype, M_2_SQRTPI * M_SQRT1_2);
        inner = htp_emit_unary(l, "Tanh", inner);
    } else {
        inner = htp_emit_erf(l, dtype, htp_emit_binary_scalar(l, "Div", x, dtype, M_SQRT2));
    }
    htp_tensor_id factor = htp_emit_binary_scalar(l, "Add", inner, dtype, 1);
    if (use_tanh) { /* as in libtorch, where nothing overflows */
        x = htp_emit_binary_scalar(l, "Mul", x, dtype, 0.5);
        return htp_emit_binary(l, "Mul", x, factor);
    }
    return htp_emit_binary_scalar(l, "Mul", htp_emit_binary(l, "Mul", x, factor), dtype, 0.5);
}

void htp_lower_gelu(htp_lowering *l)
{
    htp_dtype dtype = htp_arg_math_dtype(l, "self", HTP_MATH_ALLOW_DOUBLE);
    bool use_tanh = false;
    if (htp_arg_present(l, "approximate")) {
        const char *approximate = htp_arg_string(l, "approximate");
        use_tanh = strcmp(approximate, "tanh") == 0;
        if (!use_tanh && strcmp(approximate, "none") != 0) {
            htp_lower_fail(l, "the approximation '%s' is not known", approximate);
        }
    }
    htp_bind_cast(l, 0, htp_emit_gelu(l, htp_arg_tensor_as(l, "self", dtype), dtype, use_tanh),
                  dtype);
}

htp_tensor_id htp_emit_softplus(htp_lowering *l, htp_tensor_id x, htp_dtype dtype)
{
    if (dtype != HTP_DTYPE_FLOAT64) {
        return htp_emit_unary(l, "Softplus", x);
    }
    htp_tensor_id small = htp_emit_unary(l, "Neg", htp_emit_unary(l, "Abs", x));
    return htp_emit_binary(l, "Add", htp_emit_binary_scalar(l, "Max", x, dtype, 0),
                           htp_emit_log1p(l, dtype, htp_emit_unary(l, "Exp", small)));
}

/** log(1 + exp(beta · x)) / beta, and x itself where beta · x > threshold. From 20 on, float32
 * cannot represent the difference of the two. */
void htp_lower_softplus(htp_lowering *l)
{
    htp_dtype dtype = htp_arg_math_dtype(l, "self", HTP_MATH_ALLOW_DOUBLE);
    double beta = htp_arg_float(l, "beta");
    double threshold = htp_arg_float(l, "threshold");
    htp_tensor_id x = htp_arg_tensor_as(l, "self", dtype);
    htp_tensor_id scaled = beta == 1 ? x : htp_emit_binary_scalar(l, "Mul", x, dtype, beta);
    htp_tensor_id y = htp_emit_softplus(l, scaled, dtype);
    y = beta == 1 ? y : htp_emit_binary_scalar(l, "Div", y, dtype, beta);
    if (threshold < 20 || dtype == HTP_DTYPE_FLOAT64) {
        htp_tensor_id is_large = htp_emit_binary_scalar(l, "Greater", scaled, dtype, threshold);
        y = htp_emit(l, "Where", HTP_IN(is_large, x, y), HTP_NO_AT);
    }
    htp_bind_cast(l, 0, y, dtype);
}

/** log_sigmoid, log_sigmoid_forward (first output only) */
void htp_lower_log_sigmoid(htp_lowering *l)
{
    htp_dtype dtype = htp_arg_math_dtype(l, "self", HTP_MATH_ALLOW_DOUBLE);
    htp_tensor_id x = htp_emit_unary(l, "Neg", htp_arg_tensor_as(l, "self", dtype));
    htp_bind_cast(l, 0, htp_emit_unary(l, "Neg", htp_emit_softplus(l, x, dtype)), dtype);
}

/** x · tanh(softplus(x)) */
void htp_lower_mish(htp_lowering *l)
{
    htp_dtype dtype = htp_arg_math_dtype(l, "self", HTP_MATH_ALLOW_DOUBLE);
    htp_tensor_id x = htp_arg_tensor_as(l, "self", dtype);
    if (dtype != HTP_DTYPE_FLOAT64 && l->model->opset >= 18) {
        x = htp_emit_unary(l, "Mish", x);
    } else {
        x = htp_emit_binary(l, "Mul", x, htp_emit_unary(l, "Tanh", htp_emit_softplus(l, x, dtype)));
    }
    htp_bind_cast(l, 0, x, dtype);
}

/* ---- softmax ---- */

/** The row says Softmax or LogSoftmax. The input is cast to the output's dtype first. */
void htp_lower_softmax(htp_lowering *l)
{
    const int64_t first = 0;
    htp_dtype wanted = htp_output_dtype(l, 0);
    if (!htp_dtype_is_float(wanted)) {
        htp_lower_fail(l, "it is not supported for %s", htp_dtype_name(wanted));
    }
    htp_dtype dtype = wanted == HTP_DTYPE_BFLOAT16 ? HTP_DTYPE_FLOAT32 : wanted;
    uint32_t rank = htp_arg_rank(l, "self");
    int64_t axis = htp_arg_dim(l, "dim", rank);
    htp_tensor_id x = htp_emit_cast(l, htp_arg_tensor_as(l, "self", wanted), wanted, dtype);
    x = rank ? x : htp_emit_unsqueeze(l, x, &first, 1);
    x = htp_emit(l, l->row->op, HTP_IN(x), HTP_AT(htp_attribute_int("axis", axis)));
    htp_bind_cast(l, 0, rank ? x : htp_emit_squeeze(l, x, &first, 1), dtype);
}

htp_tensor_id htp_emit_kept(htp_lowering *l, htp_tensor_id *x, htp_tensor_id allowed, int64_t axis,
                            htp_dtype dtype)
{
    htp_tensor_id count = htp_emit_cast(l, allowed, HTP_DTYPE_BOOL, HTP_DTYPE_INT32);
    count = htp_emit_reduce(l, "ReduceSum", count, &axis, 1, true);
    htp_tensor_id sees =
        htp_emit_binary(l, "Greater", count, htp_emit_scalar_int(l, HTP_DTYPE_INT32, 0));
    *x = htp_typed_where(l, dtype, sees, *x, htp_emit_scalar(l, dtype, 0));
    return htp_emit_cast(l, sees, HTP_DTYPE_BOOL, dtype);
}

htp_tensor_id htp_emit_above_infinity(htp_lowering *l, htp_tensor_id x, htp_dtype dtype)
{
    return htp_emit_unary(l, "Not", htp_typed_predicate_scalar(l, "Equal", dtype, x, -INFINITY));
}

/** aten::_safe_softmax: 0 where all of a dim is minus infinity */
void htp_lower_safe_softmax(htp_lowering *l)
{
    htp_dtype dtype = htp_composite_dtype(htp_output_dtype(l, 0));
    uint32_t rank = htp_arg_rank(l, "self");
    int64_t axis = htp_arg_dim(l, "dim", rank);
    htp_tensor_id x = htp_arg_tensor_as(l, "self", dtype);
    if (rank == 0) {
        htp_lower_fail(l, "a tensor without dims is not supported");
        return;
    }
    htp_tensor_id allowed = htp_emit_above_infinity(l, x, dtype);
    htp_tensor_id kept = htp_emit_kept(l, &x, allowed, axis, dtype);
    x = htp_emit(l, "Softmax", HTP_IN(x), HTP_AT(htp_attribute_int("axis", axis)));
    htp_bind_cast(l, 0, htp_emit_binary(l, "Mul", x, kept), dtype);
}
