/*
 * Packed sequences: sequences of different lengths, longest first, without padding. Steps follow
 * each other, and batch_sizes has the number of sequences in each step.
 *
 * Data and batch_sizes equal PyTorch's, so other operators on them are right, too. Recurrent layers
 * pad again and pass the lengths to ONNX's operators.
 */
#include "lower/compose/compose.h"
#include "lower/emit/ort_dtypes.h"
#include "lower/emit/rows.h"
#include "lower/emit/sizes.h"
#include "lower/nn/recurrent.h"

/** The steps of all sequences. */
typedef struct steps {
    htp_tensor_id mask;   /* bool [time, batch] */
    htp_tensor_id places; /* int64 [steps, 2]: time and sequence, in order of time */
} steps;

static steps locate(htp_lowering *l, htp_tensor_id mask)
{
    static const int64_t swapped[] = {1, 0};
    htp_tensor_id places = htp_emit_unary(l, "NonZero", mask);
    return (steps){mask, htp_emit_transpose(l, places, swapped, 2)};
}

/** The number of true elements of @p mask along an axis. */
static htp_tensor_id count_along(htp_lowering *l, htp_tensor_id mask, int64_t axis)
{
    htp_tensor_id ones = htp_emit_cast(l, mask, HTP_DTYPE_BOOL, HTP_DTYPE_INT64);
    return htp_emit_reduce(l, "ReduceSum", ones, &axis, 1, false);
}

/** @p x with time before the batch. */
static htp_tensor_id swap_first(htp_lowering *l, htp_tensor_id x, uint32_t rank)
{
    int64_t perm[HTP_MAX_RANK] = {1, 0};
    for (uint32_t i = 2; i < rank; i++) {
        perm[i] = i;
    }
    return htp_emit_transpose(l, x, perm, rank);
}

/** aten::_pack_padded_sequence */
void htp_lower_pack(htp_lowering *l)
{
    const int64_t column = 1;
    uint32_t rank = htp_arg_rank(l, "input");
    bool batch_first = htp_arg_bool(l, "batch_first");
    htp_tensor_id x = htp_arg_tensor(l, "input");
    htp_tensor_id lengths = htp_arg_tensor_as(l, "lengths", HTP_DTYPE_INT64);
    if (rank < 2 || htp_arg_rank(l, "lengths") != 1) {
        htp_lower_fail(l, "an input of rank %u cannot be packed", rank);
        return;
    }
    htp_tensor_id time =
        htp_emit_count_up(l, htp_emit_dim(l, x, htp_arg_dims(l, "input"), batch_first));
    x = batch_first ? swap_first(l, x, rank) : x;
    htp_tensor_id mask =
        htp_emit_binary(l, "Less", htp_emit_unsqueeze(l, time, &column, 1), lengths);
    steps s = locate(l, mask);
    htp_bind(l, 0, htp_emit_binary(l, "GatherND", x, s.places));
    htp_tensor_id longest = htp_emit_slice(l, lengths, 0, 0, 1);
    htp_bind(
        l, 1,
        htp_emit(l, "Slice",
                 HTP_IN(count_along(l, mask, 1), htp_emit_int(l, 0), longest, htp_emit_int(l, 0)),
                 HTP_NO_AT));
}

/** Reads the steps from the argument batch_sizes. */
static steps arg_steps(htp_lowering *l)
{
    const int64_t column = 1;
    htp_tensor_id sizes = htp_arg_tensor_as(l, "batch_sizes", HTP_DTYPE_INT64);
    htp_tensor_id sequence = htp_emit_count_up(l, htp_emit_slice(l, sizes, 0, 0, 1));
    return locate(l,
                  htp_emit_binary(l, "Less", sequence, htp_emit_unsqueeze(l, sizes, &column, 1)));
}

/** The argument data, padded with @p fill (0-d): [time, batch, ...]
 * @param time  its size as [1] */
static htp_tensor_id emit_padded(htp_lowering *l, const steps *s, htp_dtype dtype,
                                 htp_tensor_id time, htp_tensor_id fill)
{
    htp_tensor_id x = htp_arg_tensor_as(l, "data", dtype);
    htp_sizes shape = htp_sizes_begin(l);
    htp_sizes_add_tensor(&shape, time);
    htp_sizes_add_tensor(&shape, htp_emit_slice(l, htp_emit_unary(l, "Shape", s->mask), 0, 1, 2));
    htp_sizes_add_dims(&shape, x, htp_arg_dims(l, "data"), 1, htp_arg_rank(l, "data"));
    htp_tensor_id all = htp_emit_binary(l, "Expand", fill, htp_sizes_end(&shape));
    return htp_emit(l, "ScatterND", HTP_IN(all, s->places, x), HTP_NO_AT);
}

/** aten::_pad_packed_sequence */
void htp_lower_pad_packed(htp_lowering *l)
{
    htp_dtype dtype = htp_composite_dtype(htp_arg_dtype(l, "data"));
    steps s = arg_steps(l);
    htp_tensor_id time = htp_emit_slice(l, htp_emit_unary(l, "Shape", s.mask), 0, 0, 1);
    if (!htp_arg_is_constant(l, "total_length") || htp_arg_int(l, "total_length") > 0) {
        time = htp_arg_vector(l, "total_length");
    }
    htp_tensor_id x = emit_padded(l, &s, dtype, time, htp_arg_tensor_as(l, "padding_value", dtype));
    x = htp_arg_bool(l, "batch_first") ? swap_first(l, x, htp_output_rank(l, 0)) : x;
    htp_bind_cast(l, 0, x, dtype);
    htp_bind(l, 1, count_along(l, s.mask, 0));
}

/** lstm.data, gru.data, rnn_tanh.data, rnn_relu.data */
void htp_lower_packed_recurrent(htp_lowering *l)
{
    htp_dtype dtype = htp_arg_math_dtype(l, "data", HTP_MATH_ALLOW_DOUBLE);
    if (htp_arg_rank(l, "data") != 2) {
        htp_lower_fail(l, "data of rank %u is not supported", htp_arg_rank(l, "data"));
        return;
    }
    steps s = arg_steps(l);
    htp_tensor_id time = htp_emit_slice(l, htp_emit_unary(l, "Shape", s.mask), 0, 0, 1);
    htp_tensor_id x = emit_padded(l, &s, dtype, time, htp_emit_scalar(l, dtype, 0));
    htp_tensor_id lengths = count_along(l, s.mask, 0);
    x = htp_recurrent_needs_steps(l, dtype)
            ? htp_emit_recurrent_steps(l, dtype, x, lengths)
            : htp_emit_recurrent(l, dtype, x,
                                 htp_emit_cast(l, lengths, HTP_DTYPE_INT64, HTP_DTYPE_INT32));
    htp_bind_cast(l, 0, htp_emit_binary(l, "GatherND", x, s.places), dtype);
}
