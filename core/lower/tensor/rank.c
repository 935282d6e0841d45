/*
 * Order statistics: medians, the k-th smallest element, quantiles, and the mode.
 *
 * PyTorch sorts NaN last, runtimes anywhere, so it is replaced first. Which of equal elements gives
 * a result's index is undefined; here it is the first.
 */
#include "lower/compose/compose.h"
#include "lower/emit/ort_dtypes.h"
#include "lower/emit/rows.h"

#include <math.h>
#include <string.h>

/** Elements along one axis, in ascending order. */
typedef struct ranked {
    htp_dtype dtype;
    int64_t axis;
    bool has_nan;         /* may have NaN: the dtype is floating point */
    bool by_row;          /* ranks differ from row to row */
    htp_tensor_id x;      /* rank at least 1 */
    htp_tensor_id is_nan; /* bool; where has_nan */
    htp_tensor_id sorted; /* with infinity in place of NaN */
    htp_tensor_id size;   /* of the axis, [1] */
} ranked;

static const int64_t first_axis = 0;

/** The argument self along the argument dim; flattened if that is missing or None. */
static ranked read_ranked(htp_lowering *l, htp_dtype dtype)
{
    uint32_t rank = htp_arg_rank(l, "self");
    ranked r = {.dtype = dtype, .has_nan = htp_dtype_is_float(dtype)};
    r.x = htp_arg_tensor_as(l, "self", dtype);
    if (htp_arg_present(l, "dim") && rank > 0) {
        r.axis = htp_arg_dim(l, "dim", rank);
        r.size = htp_emit_dim(l, r.x, htp_arg_dims(l, "self"), r.axis);
    } else {
        r.x = htp_emit_reshape(l, r.x, (const int64_t[]){-1}, 1);
        r.size = htp_emit_unary(l, "Shape", r.x);
    }
    htp_tensor_id keys = r.x;
    if (r.has_nan) {
        r.is_nan = htp_typed_predicate(l, "IsNaN", dtype, r.x, HTP_NONE);
        keys = htp_typed_where(l, dtype, r.is_nan, htp_emit_scalar(l, dtype, INFINITY), keys);
    }
    htp_dtype wide = htp_kernel_dtype(l, "TopK", dtype);
    htp_tensor_id outputs[2];
    htp_emit_many(l, "TopK", HTP_IN(htp_emit_cast(l, keys, dtype, wide), r.size),
                  HTP_AT(htp_attribute_int("axis", r.axis), htp_attribute_int("largest", 0)),
                  outputs, 2);
    r.sorted = htp_emit_cast(l, outputs[0], wide, dtype);
    return r;
}

/** The number of NaN in each row; the axis keeps size 1. */
static htp_tensor_id count_nan(htp_lowering *l, const ranked *r)
{
    htp_tensor_id flags = htp_emit_cast(l, r->is_nan, HTP_DTYPE_BOOL, HTP_DTYPE_INT64);
    return htp_emit_reduce(l, "ReduceSum", flags, &r->axis, 1, true);
}

/** The elements of rank @p k; the axis keeps size 1. @param k  [1], or one per row if by_row */
static htp_tensor_id pick(htp_lowering *l, const ranked *r, htp_tensor_id k)
{
    return htp_emit(l, r->by_row ? "GatherElements" : "Gather", HTP_IN(r->sorted, k),
                    HTP_AT(htp_attribute_int("axis", r->axis)));
}

/** @p values where @p is_number, NaN elsewhere. */
static htp_tensor_id or_nan(htp_lowering *l, const ranked *r, htp_tensor_id is_number,
                            htp_tensor_id values)
{
    return htp_typed_where(l, r->dtype, is_number, values, htp_emit_scalar(l, r->dtype, NAN));
}

/** The index of each row's value: the first equal element, or the first NaN. */
static htp_tensor_id find(htp_lowering *l, const ranked *r, htp_tensor_id values)
{
    htp_tensor_id found = htp_typed_predicate(l, "Equal", r->dtype, r->x, values);
    if (r->has_nan) {
        htp_tensor_id wants_nan = htp_typed_predicate(l, "IsNaN", r->dtype, values, HTP_NONE);
        found = htp_emit_binary(l, "Or", found, htp_emit_binary(l, "And", wants_nan, r->is_nan));
    }
    found = htp_emit_cast(l, found, HTP_DTYPE_BOOL, HTP_DTYPE_INT32);
    return htp_emit(l, "ArgMax", HTP_IN(found), HTP_AT(htp_attribute_int("axis", r->axis)));
}

/** Binds values, whose axis has size 1, and their indices if these are an output. */
static void bind_ranked(htp_lowering *l, const ranked *r, htp_tensor_id values)
{
    bool keepdims = htp_arg_bool_or(l, "keepdim", false) && htp_arg_rank(l, "self") > 0;
    htp_tensor_id outputs[2] = {values, HTP_NONE};
    if (l->node->output_count == 2) {
        outputs[1] = find(l, r, values);
    }
    for (size_t i = 0; i < l->node->output_count && i < 2; i++) {
        htp_bind(l, i, keepdims ? outputs[i] : htp_emit_squeeze(l, outputs[i], &r->axis, 1));
    }
}

/** The rank of the lower median of @p count elements: (count - 1) / 2, at least 0. */
static htp_tensor_id middle(htp_lowering *l, htp_tensor_id count)
{
    htp_tensor_id last = htp_emit_binary_scalar(l, "Sub", count, HTP_DTYPE_INT64, 1);
    last = htp_emit_binary(l, "Max", last, htp_emit_scalar_int(l, HTP_DTYPE_INT64, 0));
    return htp_emit_binary_scalar(l, "Div", last, HTP_DTYPE_INT64, 2);
}

/** aten::median: NaN if a row has one */
void htp_lower_median(htp_lowering *l)
{
    ranked r = read_ranked(l, htp_arg_dtype(l, "self"));
    htp_tensor_id values = pick(l, &r, middle(l, r.size));
    if (r.has_nan) {
        htp_tensor_id has_none =
            htp_emit_binary_scalar(l, "Equal", count_nan(l, &r), HTP_DTYPE_INT64, 0);
        values = or_nan(l, &r, has_none, values);
    }
    bind_ranked(l, &r, values);
}

/** aten::nanmedian: NaN if a row has nothing else */
void htp_lower_nanmedian(htp_lowering *l)
{
    ranked r = read_ranked(l, htp_arg_dtype(l, "self"));
    if (!r.has_nan) {
        bind_ranked(l, &r, pick(l, &r, middle(l, r.size)));
        return;
    }
    r.by_row = true;
    htp_tensor_id count = htp_emit_binary(l, "Sub", r.size, count_nan(l, &r));
    htp_tensor_id values = pick(l, &r, middle(l, count));
    htp_tensor_id is_number = htp_emit_binary_scalar(l, "Greater", count, HTP_DTYPE_INT64, 0);
    bind_ranked(l, &r, or_nan(l, &r, is_number, values));
}

/** aten::kthvalue, with k from 1 on */
void htp_lower_kthvalue(htp_lowering *l)
{
    ranked r = read_ranked(l, htp_arg_dtype(l, "self"));
    htp_tensor_id k = htp_arg_vector(l, "k");
    htp_tensor_id values = pick(l, &r, htp_emit_binary_scalar(l, "Sub", k, HTP_DTYPE_INT64, 1));
    if (r.has_nan) {
        htp_tensor_id numbers = htp_emit_binary(l, "Sub", r.size, count_nan(l, &r));
        values = or_nan(l, &r, htp_emit_binary(l, "LessOrEqual", k, numbers), values);
    }
    bind_ranked(l, &r, values);
}

/** aten::mode: the smallest of the most frequent elements, and its last index. All pairs of
 * elements in a row are compared. */
void htp_lower_mode(htp_lowering *l)
{
    htp_dtype dtype = htp_arg_dtype(l, "self");
    uint32_t rank = htp_arg_rank(l, "self");
    int64_t axis = htp_arg_dim(l, "dim", rank);
    const int64_t next = axis + 1;
    htp_tensor_id x = htp_arg_tensor(l, "self");
    x = rank ? x : htp_emit_reshape(l, x, (const int64_t[]){1}, 1);
    htp_tensor_id equal = htp_typed_predicate(l, "Equal", dtype, htp_emit_unsqueeze(l, x, &axis, 1),
                                              htp_emit_unsqueeze(l, x, &next, 1));
    equal = htp_emit_cast(l, equal, HTP_DTYPE_BOOL, HTP_DTYPE_INT64);
    htp_tensor_id counts = htp_emit_reduce(l, "ReduceSum", equal, &next, 1, false);
    htp_tensor_id most = htp_emit_reduce(l, "ReduceMax", counts, &axis, 1, true);
    htp_tensor_id largest = htp_typed_reduce(l, "ReduceMax", dtype, x, &axis, 1, true);
    htp_tensor_id candidates =
        htp_typed_where(l, dtype, htp_emit_binary(l, "Equal", counts, most), x, largest);
    htp_tensor_id values = htp_typed_reduce(l, "ReduceMin", dtype, candidates, &axis, 1, true);
    htp_tensor_id found = htp_typed_predicate(l, "Equal", dtype, x, values);
    htp_tensor_id index = htp_emit(
        l, "ArgMax", HTP_IN(htp_emit_cast(l, found, HTP_DTYPE_BOOL, HTP_DTYPE_INT32)),
        HTP_AT(htp_attribute_int("axis", axis), htp_attribute_int("select_last_index", 1)));
    bool keepdims = htp_arg_bool_or(l, "keepdim", false) && rank > 0;
    htp_bind(l, 0, keepdims ? values : htp_emit_squeeze(l, values, &axis, 1));
    htp_bind(l, 1, keepdims ? index : htp_emit_squeeze(l, index, &axis, 1));
}

/* ---- quantiles ---- */

/** The position of the quantile @p q, 0-d, among @p count elements, rounded as the argument
 * interpolation says. */
static htp_tensor_id quantile_position(htp_lowering *l, const ranked *r, htp_tensor_id q,
                                       htp_tensor_id count, const char *interpolation)
{
    static const char *const roundings[][2] = {
        {"lower", "Floor"}, {"higher", "Ceil"}, {"nearest", "Round"}};
    htp_tensor_id last = htp_emit_binary_scalar(l, "Sub", count, HTP_DTYPE_INT64, 1);
    last = htp_emit_binary(l, "Max", last, htp_emit_scalar_int(l, HTP_DTYPE_INT64, 0));
    last = htp_emit_cast(l, last, HTP_DTYPE_INT64, r->dtype);
    htp_tensor_id position = htp_emit_binary(l, "Mul", q, last);
    for (size_t i = 0; i < sizeof(roundings) / sizeof(roundings[0]); i++) {
        if (strcmp(interpolation, roundings[i][0]) == 0) {
            return htp_emit_unary(l, roundings[i][1], position);
        }
    }
    return position;
}

static htp_tensor_id element_at(htp_lowering *l, const ranked *r, htp_tensor_id position)
{
    return pick(l, r, htp_emit_cast(l, position, r->dtype, HTP_DTYPE_INT64));
}

/** Interpolates between @p below and @p above, as torch.lerp does. */
static htp_tensor_id interpolate(htp_lowering *l, const ranked *r, htp_tensor_id below,
                                 htp_tensor_id above, htp_tensor_id weight)
{
    htp_tensor_id step = htp_emit_binary(l, "Sub", above, below);
    htp_tensor_id rest = htp_emit_binary(l, "Sub", htp_emit_scalar(l, r->dtype, 1), weight);
    htp_tensor_id is_low = htp_emit_binary_scalar(l, "Less", weight, r->dtype, 0.5);
    htp_tensor_id up = htp_emit_binary(l, "Add", below, htp_emit_binary(l, "Mul", weight, step));
    htp_tensor_id down = htp_emit_binary(l, "Sub", above, htp_emit_binary(l, "Mul", step, rest));
    return htp_emit(l, "Where", HTP_IN(is_low, up, down), HTP_NO_AT);
}

/** One quantile of each row; the axis keeps size 1. @param count  of elements to choose from */
static htp_tensor_id emit_quantile(htp_lowering *l, const ranked *r, htp_tensor_id q,
                                   htp_tensor_id count)
{
    const char *interpolation = htp_arg_string(l, "interpolation");
    htp_tensor_id position = quantile_position(l, r, q, count, interpolation);
    htp_tensor_id below = element_at(l, r, htp_emit_unary(l, "Floor", position));
    bool is_middle = strcmp(interpolation, "midpoint") == 0;
    if (!is_middle && strcmp(interpolation, "linear") != 0) {
        return below;
    }
    htp_tensor_id weight =
        is_middle ? htp_emit_scalar(l, r->dtype, 0.5)
                  : htp_emit_binary(l, "Sub", position, htp_emit_unary(l, "Floor", position));
    htp_tensor_id above = element_at(l, r, htp_emit_unary(l, "Ceil", position));
    return interpolate(l, r, below, above, weight);
}

/** Quantiles for the vector q, along a new first axis, or for a single q. */
static htp_tensor_id emit_quantiles(htp_lowering *l, const ranked *r, htp_tensor_id count)
{
    htp_tensor_id q = htp_arg_tensor_as(l, "q", r->dtype);
    if (htp_arg_rank(l, "q") == 0) {
        return emit_quantile(l, r, q, count);
    }
    const htp_dim *dims = htp_arg_dims(l, "q");
    const int64_t most = 256;
    if (dims[0].symbol || dims[0].size < 1 || dims[0].size > most) {
        htp_lower_fail(l, "the number of quantiles is not known, or too large");
        return q;
    }
    size_t number = (size_t)dims[0].size;
    htp_tensor_id *parts = HTP_NEW_ARRAY(l->arena, htp_tensor_id, number);
    for (size_t i = 0; i < number; i++) {
        htp_tensor_id one =
            htp_emit_binary(l, "Gather", q, htp_emit_scalar_int(l, HTP_DTYPE_INT64, (int64_t)i));
        parts[i] = htp_emit_unsqueeze(l, emit_quantile(l, r, one, count), &first_axis, 1);
    }
    return htp_emit_concat(l, (htp_emit_inputs){parts, number}, 0);
}

/** aten::quantile, aten::nanquantile: the row says "nan" for the latter. */
void htp_lower_quantile(htp_lowering *l)
{
    uint32_t rank = htp_arg_rank(l, "self");
    bool is_flat = !htp_arg_present(l, "dim") || rank == 0;
    ranked r = read_ranked(l, htp_arg_math_dtype(l, "self", HTP_MATH_ALLOW_DOUBLE));
    r.by_row = l->row->op != NULL;
    htp_tensor_id numbers = htp_emit_binary(l, "Sub", r.size, count_nan(l, &r));
    htp_tensor_id values = emit_quantiles(l, &r, r.by_row ? numbers : r.size);
    htp_tensor_id enough = r.by_row ? htp_emit_int(l, 1) : r.size;
    values = or_nan(l, &r, htp_emit_binary(l, "GreaterOrEqual", numbers, enough), values);
    int64_t lead = htp_arg_rank(l, "q") > 0;
    const int64_t axis = r.axis + lead;
    if (!htp_arg_bool_or(l, "keepdim", false)) {
        values = htp_emit_squeeze(l, values, &axis, 1);
    } else if (is_flat && rank != 1) {
        int64_t shape[HTP_MAX_RANK] = {0};
        for (uint32_t i = 0; i < rank; i++) {
            shape[lead + i] = 1;
        }
        values = htp_emit_reshape(l, values, shape, rank + (size_t)lead);
    }
    htp_bind_cast(l, 0, values, r.dtype);
}
