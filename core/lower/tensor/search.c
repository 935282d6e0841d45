/*
 * Positions in sorted sequences (aten::searchsorted, aten::bucketize), in bins (aten::histc), and
 * of nonzero elements (aten::nonzero_static).
 *
 * The position of a value in a sequence is the number of elements before it.
 */
#include "lower/compose/compose.h"
#include "lower/emit/ort_dtypes.h"
#include "lower/emit/promote.h"
#include "lower/emit/rows.h"
#include "lower/emit/sizes.h"

#include <string.h>

/** Whether a value's position is after equal elements. */
static bool is_right(htp_lowering *l)
{
    return htp_arg_bool_or(l, "right", false) ||
           (htp_arg_present(l, "side") && strcmp(htp_arg_string(l, "side"), "right") == 0);
}

/** The sequence in the order of the argument sorter, if present. */
static htp_tensor_id in_order(htp_lowering *l, htp_tensor_id sequence)
{
    if (!htp_arg_present(l, "sorter")) {
        return sequence;
    }
    return htp_emit(l, "GatherElements",
                    HTP_IN(sequence, htp_arg_tensor_as(l, "sorter", HTP_DTYPE_INT64)),
                    HTP_AT(htp_attribute_int("axis", -1)));
}

/** Binds the positions of argument @p values in the last dim of argument @p sequence. */
static void search(htp_lowering *l, const char *sequence, const char *values)
{
    const int64_t last = htp_arg_rank(l, values); /* from the front: see htp_emit_reduce() */
    const int64_t before_last = -2;
    htp_operands o = htp_arg_operands(l, sequence, values);
    if (htp_arg_rank(l, sequence) == 0) {
        htp_lower_fail(l, "a sequence of rank 0 is not supported");
        return;
    }
    htp_tensor_id elements = in_order(l, o.a);
    if (htp_arg_rank(l, sequence) > 1) {
        elements = htp_emit_unsqueeze(l, elements, &before_last, 1);
    }
    htp_tensor_id value = htp_emit_unsqueeze(l, o.b, &last, 1);
    /* NaN counts as largest. The negated comparison gives that: all comparisons with NaN are false.
     */
    const char *stops = is_right(l) ? "Greater" : "GreaterOrEqual";
    htp_tensor_id is_before =
        htp_emit_unary(l, "Not", htp_typed_predicate(l, stops, o.dtype, elements, value));
    htp_tensor_id count = htp_emit_reduce(
        l, "ReduceSum", htp_emit_cast(l, is_before, HTP_DTYPE_BOOL, HTP_DTYPE_INT64), &last, 1,
        false);
    htp_bind_cast(l, 0, count, HTP_DTYPE_INT64);
}

/** searchsorted.Tensor, searchsorted.Scalar */
void htp_lower_searchsorted(htp_lowering *l)
{
    search(l, "sorted_sequence", "self");
}

/** bucketize.Tensor, bucketize.Scalar */
void htp_lower_bucketize(htp_lowering *l)
{
    search(l, "boundaries", "self");
}

/* ---- bins ---- */

/** The ends of the bins as 0-d tensors. */
typedef struct range {
    htp_tensor_id low;
    htp_tensor_id high;
} range;

/** The arguments min and max. If they are equal: the minimum and maximum of @p x; if these are
 * equal, one less and one more. */
static range read_range(htp_lowering *l, htp_tensor_id x, htp_dtype dtype)
{
    double low = htp_arg_float(l, "min");
    double high = htp_arg_float(l, "max");
    if (low != high) {
        return (range){htp_emit_scalar(l, dtype, low), htp_emit_scalar(l, dtype, high)};
    }
    htp_tensor_id least = htp_emit_reduce(l, "ReduceMin", x, NULL, 0, false);
    htp_tensor_id greatest = htp_emit_reduce(l, "ReduceMax", x, NULL, 0, false);
    htp_tensor_id is_one = htp_emit_binary(l, "Equal", least, greatest);
    htp_tensor_id less = htp_emit_binary_scalar(l, "Sub", least, dtype, 1);
    htp_tensor_id more = htp_emit_binary_scalar(l, "Add", greatest, dtype, 1);
    return (range){htp_emit(l, "Where", HTP_IN(is_one, less, least), HTP_NO_AT),
                   htp_emit(l, "Where", HTP_IN(is_one, more, greatest), HTP_NO_AT)};
}

/** aten::histc: the number of elements in each of equal bins; others do not count. */
void htp_lower_histc(htp_lowering *l)
{
    const int64_t most = INT64_C(1) << 24;
    htp_dtype dtype = htp_arg_math_dtype(l, "self", HTP_MATH_ALLOW_DOUBLE);
    int64_t bins = htp_arg_int(l, "bins");
    if (bins < 1 || bins > most) {
        htp_lower_fail(l, "%lld bins are not valid, or too many", (long long)bins);
        return;
    }
    htp_tensor_id x =
        htp_emit_reshape(l, htp_arg_tensor_as(l, "self", dtype), (const int64_t[]){-1}, 1);
    range ends = read_range(l, x, dtype);
    htp_tensor_id is_inside =
        htp_emit_binary(l, "And", htp_emit_binary(l, "GreaterOrEqual", x, ends.low),
                        htp_emit_binary(l, "LessOrEqual", x, ends.high));
    htp_tensor_id from_low = htp_emit_binary(l, "Sub", x, ends.low);
    htp_tensor_id place = htp_emit_binary_scalar(l, "Mul", from_low, dtype, (double)bins);
    place = htp_emit_binary(l, "Div", place, htp_emit_binary(l, "Sub", ends.high, ends.low));
    place = htp_emit(l, "Where", HTP_IN(is_inside, place, htp_emit_scalar(l, dtype, 0)), HTP_NO_AT);
    place = htp_emit_cast(l, place, dtype, HTP_DTYPE_INT64);
    place = htp_emit_binary(l, "Min", place, htp_emit_scalar_int(l, HTP_DTYPE_INT64, bins - 1));
    htp_tensor_id counts =
        htp_emit(l, "ScatterElements",
                 HTP_IN(htp_emit_fill(l, HTP_DTYPE_INT64, bins, 0), place,
                        htp_emit_cast(l, is_inside, HTP_DTYPE_BOOL, HTP_DTYPE_INT64)),
                 HTP_AT(htp_attribute_int("axis", 0), htp_attribute_string("reduction", "add")));
    htp_bind_cast(l, 0, counts, HTP_DTYPE_INT64);
}

/* ---- what is not zero ---- */

/** aten::nonzero_static: the first indices, [size, rank], padded with rows of fill_value. */
void htp_lower_nonzero_static(htp_lowering *l)
{
    static const int64_t swapped[] = {1, 0};
    uint32_t rank = htp_arg_rank(l, "self");
    htp_tensor_id size = htp_arg_vector(l, "size");
    htp_tensor_id fill = htp_arg_tensor_as(l, "fill_value", HTP_DTYPE_INT64);
    if (rank == 0) {
        const int64_t none[] = {htp_arg_int(l, "size"), 0};
        htp_bind(l, 0, htp_emit_numbers(l, HTP_DTYPE_INT64, 2, none, NULL));
        return;
    }
    htp_tensor_id places =
        htp_emit_unary(l, "NonZero", htp_arg_tensor_as(l, "self", HTP_DTYPE_BOOL));
    htp_sizes shape = htp_sizes_begin(l);
    htp_sizes_add_tensor(&shape, size);
    htp_sizes_add_int(&shape, rank);
    htp_tensor_id rows = htp_emit_binary(l, "Expand", fill, htp_sizes_end(&shape));
    places = htp_emit_concat(l, HTP_IN(htp_emit_transpose(l, places, swapped, 2), rows), 0);
    htp_bind(l, 0,
             htp_emit(l, "Slice", HTP_IN(places, htp_emit_int(l, 0), size, htp_emit_int(l, 0)),
                      HTP_NO_AT));
}
