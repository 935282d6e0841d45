/*
 * Table look-ups: aten::embedding, aten::embedding_bag, aten::one_hot, aten::embedding_renorm.
 *
 * Reference: ONNX Gather, ScatterND, OneHot.
 */
#include "lower/compose/compose.h"
#include "lower/emit/ort_dtypes.h"
#include "lower/emit/sizes.h"
#include "lower/reduction/reduce.h"

#include <math.h>

void htp_lower_embedding(htp_lowering *l)
{
    htp_bind(
        l, 0,
        htp_emit_binary(l, "Gather", htp_arg_tensor(l, "weight"), htp_arg_tensor(l, "indices")));
}

/** aten::embedding_renorm: scales looked-up rows down if their norm exceeds max_norm. As in
 * libtorch, only the norms are computed in the table's dtype. */
void htp_lower_embedding_renorm(htp_lowering *l)
{
    static const int64_t flattened[] = {-1};
    const int64_t second = 1;
    htp_formula f = htp_formula_of_kernel(l, htp_arg_dtype(l, "self"));
    htp_formula steps = htp_formula_of_steps(l, htp_arg_dtype(l, "self"));
    if (htp_arg_rank(l, "self") != 2) {
        htp_lower_fail(l, "its table has no 2 dims");
        return;
    }
    double most = htp_arg_float(l, "max_norm");
    htp_tensor_id table = htp_step_arg(&f, "self");
    htp_tensor_id index = htp_arg_tensor_as(l, "indices", HTP_DTYPE_INT64);
    index = htp_emit_reshape(l, index, flattened, 1);
    htp_reduction r = {.dtype = f.dtype, .axes = &second, .axis_count = 1, .keepdims = true};
    r.x = htp_emit_binary(l, "Gather", table, index);
    htp_tensor_id norm = htp_emit_norm(l, &r, htp_arg_float(l, "norm_type"));
    norm = htp_step_round(&steps, norm);
    htp_tensor_id scale = htp_step_from(&f, most, "Div", htp_step_scalar(&f, "Add", norm, 1e-7));
    htp_tensor_id is_long = htp_step_compare_scalar(&f, "Greater", norm, most);
    htp_tensor_id rows = htp_step_binary(&f, "Mul", r.x, scale);
    rows = htp_step_where(&f, is_long, rows, r.x);
    index = htp_emit_unsqueeze(l, index, &second, 1);
    htp_formula_bind(&f, 0, htp_emit(l, "ScatterND", HTP_IN(table, index, rows), HTP_NO_AT));
}

/** The number of classes as [1]; by default one more than the largest index. */
static htp_tensor_id count_classes(htp_lowering *l, htp_tensor_id x)
{
    static const int64_t flattened[] = {-1};
    const int64_t first = 0;
    if (htp_arg_present(l, "num_classes") && !htp_arg_is_constant(l, "num_classes")) {
        return htp_arg_vector(l, "num_classes");
    }
    int64_t classes = htp_arg_int(l, "num_classes");
    if (classes >= 1) {
        return htp_emit_int(l, classes);
    }
    if (classes != -1) {
        htp_lower_fail(l, "%lld classes are not valid", (long long)classes);
    }
    x = htp_emit_reshape(l, x, flattened, 1);
    x = htp_typed_reduce(l, "ReduceMax", HTP_DTYPE_INT64, x, &first, 1, true);
    return htp_emit_binary(l, "Add", x, htp_emit_int(l, 1));
}

/** Classes are the last dim. PyTorch requires indices from 0 up to num_classes, so none wraps. */
void htp_lower_one_hot(htp_lowering *l)
{
    static const int64_t off_and_on[] = {0, 1};
    const int64_t first = 0;
    bool has_dims = htp_arg_rank(l, "self") > 0;
    htp_tensor_id x = htp_arg_tensor_as(l, "self", HTP_DTYPE_INT64);
    htp_tensor_id classes = count_classes(l, x);
    x = has_dims ? x : htp_emit_unsqueeze(l, x, &first, 1);
    x = htp_emit(l, "OneHot", HTP_IN(x, classes, htp_emit_ints(l, off_and_on, 2)),
                 HTP_AT(htp_attribute_int("axis", -1)));
    htp_bind(l, 0, has_dims ? x : htp_emit_squeeze(l, x, &first, 1));
}

/* ---- bags ---- */

enum { MODE_SUM = 0, MODE_MEAN = 1, MODE_MAX = 2 };

typedef struct bags {
    htp_dtype dtype;
    htp_tensor_id rows;   /* [n, width]: looked-up rows */
    htp_tensor_id begins; /* [bags] int64: the first row of each bag */
    htp_tensor_id ends;   /* [bags] int64: the row after its last one */
    htp_tensor_id
        counts; /* [n, 1] of dtype: 0 for rows that are padding, else 1; HTP_NONE: all count */
} bags;

/** Reads begins and ends of the bags. With include_last_offset the last offset is the number of
 * rows. */
static void read_offsets(htp_lowering *l, bags *b)
{
    htp_tensor_id offsets = htp_arg_tensor_as(l, "offsets", HTP_DTYPE_INT64);
    b->ends = htp_emit_slice(l, offsets, 0, 1, INT64_MAX);
    if (htp_arg_bool(l, "include_last_offset")) {
        b->begins = htp_emit_slice(l, offsets, 0, 0, -1);
        return;
    }
    b->begins = offsets;
    htp_tensor_id length =
        htp_emit_dim(l, htp_arg_tensor(l, "indices"), htp_arg_dims(l, "indices"), 0);
    b->ends = htp_emit_concat(l, HTP_IN(b->ends, length), 0);
}

/** The bag of each row, [n, 1]: the last one that begins at or before it. */
static htp_tensor_id emit_targets(htp_lowering *l, const bags *b)
{
    const int64_t second = 1;
    htp_tensor_id length =
        htp_emit_dim(l, htp_arg_tensor(l, "indices"), htp_arg_dims(l, "indices"), 0);
    htp_tensor_id rows = htp_emit_unsqueeze(l, htp_emit_count_up(l, length), &second, 1);
    htp_tensor_id begun = htp_emit_binary(l, "LessOrEqual", b->begins, rows);
    begun = htp_emit_cast(l, begun, HTP_DTYPE_BOOL, HTP_DTYPE_INT64);
    begun = htp_emit_reduce(l, "ReduceSum", begun, &second, 1, true);
    return htp_emit_binary(l, "Sub", begun, htp_emit_int(l, 1));
}

/**
 * Combines the rows @p rows by bag; @p start is the result of an empty bag.
 * @param width  the size of a row, as [1]
 */
static htp_tensor_id combine(htp_lowering *l, const bags *b, htp_tensor_id rows,
                             htp_tensor_id width, const char *reduction, double start)
{
    htp_sizes shape = htp_sizes_begin(l);
    htp_sizes_add_tensor(&shape, htp_emit_unary(l, "Shape", b->begins));
    htp_sizes_add_tensor(&shape, width);
    htp_tensor_id empty =
        htp_emit_binary(l, "Expand", htp_emit_scalar(l, b->dtype, start), htp_sizes_end(&shape));
    return htp_emit(l, "ScatterND", HTP_IN(empty, emit_targets(l, b), rows),
                    HTP_AT(htp_attribute_string("reduction", reduction)));
}

/** The number of rows in each bag that count, [bags, 1] of its dtype. */
static htp_tensor_id emit_sizes(htp_lowering *l, const bags *b)
{
    const int64_t second = 1;
    if (b->counts != HTP_NONE) {
        return combine(l, b, b->counts, htp_emit_int(l, 1), "add", 0);
    }
    htp_tensor_id sizes = htp_emit_binary(l, "Sub", b->ends, b->begins);
    sizes = htp_emit_unsqueeze(l, sizes, &second, 1);
    return htp_emit_cast(l, sizes, HTP_DTYPE_INT64, b->dtype);
}

/** The rows, with @p otherwise in those that do not count. */
static htp_tensor_id blank_padding(htp_lowering *l, const bags *b, double otherwise)
{
    if (b->counts == HTP_NONE) {
        return b->rows;
    }
    htp_tensor_id counts = htp_emit_cast(l, b->counts, b->dtype, HTP_DTYPE_BOOL);
    return htp_emit(l, "Where", HTP_IN(counts, b->rows, htp_emit_scalar(l, b->dtype, otherwise)),
                    HTP_NO_AT);
}

static htp_tensor_id combine_by_mode(htp_lowering *l, const bags *b, int64_t mode)
{
    htp_tensor_id width =
        htp_emit_dim(l, htp_arg_tensor(l, "weight"), htp_arg_dims(l, "weight"), 1);
    if (mode == MODE_SUM) {
        return combine(l, b, blank_padding(l, b, 0), width, "add", 0);
    }
    htp_tensor_id sizes = emit_sizes(l, b);
    if (mode == MODE_MEAN) {
        sizes = htp_emit_binary_scalar(l, "Max", sizes, b->dtype, 1);
        htp_tensor_id sum = combine(l, b, blank_padding(l, b, 0), width, "add", 0);
        return htp_emit_binary(l, "Div", sum, sizes);
    }
    if (mode != MODE_MAX) {
        htp_lower_fail(l, "its mode is not valid");
    }
    (void)htp_lower_needs_opset(l, 18, "its mode");
    htp_tensor_id largest = combine(l, b, blank_padding(l, b, -INFINITY), width, "max", -INFINITY);
    htp_tensor_id is_empty = htp_emit_binary_scalar(l, "Equal", sizes, b->dtype, 0);
    return htp_emit(l, "Where", HTP_IN(is_empty, htp_emit_scalar(l, b->dtype, 0), largest),
                    HTP_NO_AT);
}

/** The mask of rows other than padding_idx, which may be negative. */
static htp_tensor_id read_padding(htp_lowering *l, htp_dtype dtype)
{
    const int64_t second = 1;
    if (!htp_arg_present(l, "padding_idx")) {
        return HTP_NONE;
    }
    int64_t padding = htp_arg_int(l, "padding_idx");
    const htp_dim *dims = htp_arg_dims(l, "weight");
    /* The operators that implement embedding_bag use -1 for none. */
    if (padding < 0 && l->row->op) {
        return HTP_NONE;
    }
    if (padding < 0 && dims[0].symbol) {
        htp_lower_fail(l, "its padding_idx counts from an end that depends on the model's input");
    }
    padding += padding < 0 ? dims[0].size : 0;
    htp_tensor_id is_padding = htp_emit_binary(
        l, "Equal", htp_arg_tensor_as(l, "indices", HTP_DTYPE_INT64), htp_emit_int(l, padding));
    htp_tensor_id counts = htp_emit_unary(l, "Not", is_padding);
    return htp_emit_unsqueeze(l, htp_emit_cast(l, counts, HTP_DTYPE_BOOL, dtype), &second, 1);
}

/** embedding_bag and its forms (first output only) */
void htp_lower_embedding_bag(htp_lowering *l)
{
    const int64_t second = 1;
    if (htp_arg_rank(l, "weight") != 2 || htp_arg_rank(l, "indices") != 1) {
        htp_lower_fail(l, "only a list of indices with offsets is supported");
        return;
    }
    bags b = {.dtype = htp_arg_math_dtype(l, "weight", HTP_MATH_ALLOW_DOUBLE)};
    b.rows = htp_emit_binary(l, "Gather", htp_arg_tensor_as(l, "weight", b.dtype),
                             htp_arg_tensor(l, "indices"));
    if (htp_arg_present(l, "per_sample_weights")) {
        htp_tensor_id factors = htp_arg_tensor_as(l, "per_sample_weights", b.dtype);
        b.rows = htp_emit_binary(l, "Mul", b.rows, htp_emit_unsqueeze(l, factors, &second, 1));
    }
    b.counts = read_padding(l, b.dtype);
    read_offsets(l, &b);
    htp_bind_cast(l, 0, combine_by_mode(l, &b, htp_arg_int(l, "mode")), b.dtype);
}
