/*
 * quantized_decomposed: scales and zero points computed from the data, as in programs of
 * torch.export with dynamic quantisation (pt2e).
 *
 * PyTorch's definitions are Python: torch.ao.quantization.fx._decomposed, and determine_qparams()
 * of torch.ao.quantization.utils.
 */
#include "lower/compose/compose.h"
#include "lower/emit/rows.h"

#include <float.h>

/** The range of the data: 0-d float32, or one per token along a last dim of 1. */
typedef struct span {
    htp_tensor_id low;  /* at most 0 */
    htp_tensor_id high; /* at least 0 */
} span;

static htp_tensor_id with_number(htp_lowering *l, const char *op, htp_tensor_id x, double number)
{
    return htp_emit_binary_scalar(l, op, x, HTP_DTYPE_FLOAT32, number);
}

/** The range of the input and 0: of all of it, or reduced along @p axes. */
static span emit_span(htp_lowering *l, const int64_t *axes, size_t count)
{
    if (htp_arg_dtype(l, "input") != HTP_DTYPE_FLOAT32) {
        htp_lower_fail(l, "numbers of %s are not supported",
                       htp_dtype_name(htp_arg_dtype(l, "input")));
    }
    htp_tensor_id x = htp_arg_tensor(l, "input");
    return (span){
        .low = with_number(l, "Min", htp_emit_reduce(l, "ReduceMin", x, axes, count, count > 0), 0),
        .high =
            with_number(l, "Max", htp_emit_reduce(l, "ReduceMax", x, axes, count, count > 0), 0),
    };
}

/** Binds a scale and a zero point, which are float32. */
static void bind_scale(htp_lowering *l, htp_tensor_id scale, htp_tensor_id zero_point)
{
    htp_bind_cast(l, 0, scale, HTP_DTYPE_FLOAT32);
    htp_bind_cast(l, 1, zero_point, HTP_DTYPE_FLOAT32);
}

/** Reads the bounds of levels; fails unless float32 holds them. */
static void read_bounds(htp_lowering *l, double *low, double *high)
{
    const int64_t most = INT64_C(1) << 24;
    int64_t least_level = htp_arg_int(l, "quant_min");
    int64_t most_level = htp_arg_int(l, "quant_max");
    if (least_level >= most_level || least_level < -most || most_level > most) {
        htp_lower_fail(l, "levels from %lld to %lld are not supported", (long long)least_level,
                       (long long)most_level);
    }
    *low = (double)least_level;
    *high = (double)most_level;
}

/** quantized_decomposed::choose_qparams.tensor */
void htp_lower_choose_scale(htp_lowering *l)
{
    static const int64_t one[] = {1};
    double low;
    double high;
    read_bounds(l, &low, &high);
    const span s = emit_span(l, NULL, 0);
    htp_tensor_id scale =
        with_number(l, "Div", htp_emit_binary(l, "Sub", s.high, s.low), high - low);
    scale = with_number(l, "Max", scale, htp_arg_float(l, "eps"));
    htp_tensor_id zero = htp_emit_unary(l, "Round", htp_emit_binary(l, "Div", s.low, scale));
    zero = htp_emit_binary(l, "Sub", htp_emit_scalar(l, HTP_DTYPE_FLOAT32, low), zero);
    zero = with_number(l, "Min", with_number(l, "Max", zero, low), high);
    bind_scale(l, htp_emit_reshape(l, scale, one, 1), htp_emit_reshape(l, zero, one, 1));
}

/** quantized_decomposed::choose_qparams_symmetric.tensor: the range is symmetric about 0. */
void htp_lower_choose_symmetric_scale(htp_lowering *l)
{
    static const int64_t one[] = {1};
    enum { MIDDLE = 128 }; /* of uint8 */
    htp_dtype dtype = HTP_DTYPE_OTHER;
    double low;
    double high;
    read_bounds(l, &low, &high);
    const span s = emit_span(l, NULL, 0);
    htp_tensor_id most = htp_emit_binary(l, "Max", htp_emit_unary(l, "Neg", s.low), s.high);
    htp_tensor_id scale = with_number(l, "Div", most, (high - low) / 2);
    scale = with_number(l, "Max", scale, htp_arg_float(l, "eps"));
    bool is_unsigned =
        htp_dtype_from_scalar_type(htp_arg_int(l, "dtype"), &dtype) && dtype == HTP_DTYPE_UINT8;
    htp_tensor_id zero = htp_emit_scalar(l, HTP_DTYPE_FLOAT32, is_unsigned ? MIDDLE : 0);
    bind_scale(l, htp_emit_reshape(l, scale, one, 1), htp_emit_reshape(l, zero, one, 1));
}

/** quantized_decomposed::choose_qparams_per_token_asymmetric: levels of int8, whatever dtype the
 * argument names. */
void htp_lower_choose_token_scales(htp_lowering *l)
{
    const double low = -128;
    const double high = 127;
    const htp_dtype dtype = HTP_DTYPE_FLOAT32;
    uint32_t rank = htp_arg_rank(l, "input");
    const int64_t axis[] = {(int64_t)rank - 1};
    if (rank == 0) {
        htp_lower_fail(l, "a tensor without dims has no tokens");
        return;
    }
    const span s = emit_span(l, axis, 1);
    htp_tensor_id scale =
        with_number(l, "Div", htp_emit_binary(l, "Sub", s.high, s.low), high - low);
    scale = with_number(l, "Max", scale, (double)FLT_EPSILON);
    htp_tensor_id least = htp_emit_binary(l, "Div", s.low, scale);
    htp_tensor_id most = htp_emit_binary(l, "Div", s.high, scale);
    htp_tensor_id errors = htp_emit_binary(l, "Add", with_number(l, "Add", least, low),
                                           with_number(l, "Add", most, high));
    htp_tensor_id from_low = htp_emit_binary(l, "Sub", htp_emit_scalar(l, dtype, low), least);
    htp_tensor_id from_high = htp_emit_binary(l, "Sub", htp_emit_scalar(l, dtype, high), most);
    htp_tensor_id zero = htp_emit(
        l, "Where", HTP_IN(with_number(l, "Greater", errors, 0), from_low, from_high), HTP_NO_AT);
    zero = with_number(l, "Min", with_number(l, "Max", zero, low), high);
    bind_scale(l, scale, htp_emit_unary(l, "Round", zero));
}
