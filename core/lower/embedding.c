/*
 * Look-ups in tables: aten::embedding, aten::embedding_bag, aten::one_hot.
 *
 * Reference: ONNX Gather, ScatterND, OneHot.
 */
#include "lower/compose.h"
#include "lower/sizes.h"

#include <math.h>

void htp_lower_embedding(htp_lowering *l)
{
    htp_bind(
        l, 0,
        htp_emit_binary(l, "Gather", htp_arg_tensor(l, "weight"), htp_arg_tensor(l, "indices")));
}

/** The dim of ones and zeros is the last; the indices are as PyTorch demands: 0 to num_classes. */
void htp_lower_one_hot(htp_lowering *l)
{
    static const int64_t off_and_on[] = {0, 1};
    int64_t classes = htp_arg_int(l, "num_classes");
    if (classes < 1) {
        htp_lower_fail(l, "its number of classes depends on the contents of its input");
    }
    htp_bind(l, 0,
             htp_emit(l, "OneHot",
                      HTP_IN(htp_arg_tensor_as(l, "self", HTP_DTYPE_INT64),
                             htp_emit_int(l, classes), htp_emit_ints(l, off_and_on, 2)),
                      HTP_AT(htp_attribute_int("axis", -1))));
}

/* ---- bags ---- */

enum { MODE_SUM = 0, MODE_MEAN = 1, MODE_MAX = 2 };

typedef struct bags {
    htp_dtype dtype;
    htp_tensor_id rows;   /* [n, width]: what was looked up */
    htp_tensor_id begins; /* [bags] int64: the first row of each bag */
    htp_tensor_id ends;   /* [bags] int64: the row behind its last one */
} bags;

/** Begins and ends of the bags. With include_last_offset the last offset is the number of rows. */
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
    b->ends = htp_emit(l, "Concat", HTP_IN(b->ends, length), HTP_AT(htp_attribute_int("axis", 0)));
}

/** The bag of each row, [n, 1]: the last one that begins at or before it. */
static htp_tensor_id emit_targets(htp_lowering *l, const bags *b)
{
    const int64_t first = 0;
    const int64_t second = 1;
    htp_tensor_id length =
        htp_emit_dim(l, htp_arg_tensor(l, "indices"), htp_arg_dims(l, "indices"), 0);
    htp_tensor_id rows = htp_emit(l, "Range",
                                  HTP_IN(htp_emit_scalar_int(l, HTP_DTYPE_INT64, 0),
                                         htp_emit_squeeze(l, length, &first, 1),
                                         htp_emit_scalar_int(l, HTP_DTYPE_INT64, 1)),
                                  HTP_NO_AT);
    rows = htp_emit_unsqueeze(l, rows, &second, 1);
    htp_tensor_id begun = htp_emit_binary(l, "LessOrEqual", b->begins, rows);
    begun = htp_emit_cast(l, begun, HTP_DTYPE_BOOL, HTP_DTYPE_INT64);
    begun = htp_emit_reduce(l, "ReduceSum", begun, &second, 1, true);
    return htp_emit_binary(l, "Sub", begun, htp_emit_int(l, 1));
}

/** The rows, combined by bag; @p start is what an empty bag gives. */
static htp_tensor_id combine(htp_lowering *l, const bags *b, const char *reduction, double start)
{
    htp_sizes shape = htp_sizes_begin(l);
    htp_sizes_add_tensor(&shape, htp_emit_unary(l, "Shape", b->begins));
    htp_sizes_add_dims(&shape, htp_arg_tensor(l, "weight"), htp_arg_dims(l, "weight"), 1, 2);
    htp_tensor_id empty =
        htp_emit_binary(l, "Expand", htp_emit_scalar(l, b->dtype, start), htp_sizes_end(&shape));
    return htp_emit(l, "ScatterND", HTP_IN(empty, emit_targets(l, b), b->rows),
                    HTP_AT(htp_attribute_string("reduction", reduction)));
}

static htp_tensor_id combine_by_mode(htp_lowering *l, const bags *b, int64_t mode)
{
    const int64_t second = 1;
    if (mode == MODE_SUM) {
        return combine(l, b, "add", 0);
    }
    htp_tensor_id sizes = htp_emit_binary(l, "Sub", b->ends, b->begins);
    sizes = htp_emit_unsqueeze(l, sizes, &second, 1);
    if (mode == MODE_MEAN) {
        sizes = htp_emit_binary_scalar(l, "Max", sizes, HTP_DTYPE_INT64, 1);
        sizes = htp_emit_cast(l, sizes, HTP_DTYPE_INT64, b->dtype);
        return htp_emit_binary(l, "Div", combine(l, b, "add", 0), sizes);
    }
    if (mode != MODE_MAX || l->model->opset < 18) {
        htp_lower_fail(l, "its mode needs opset 18");
    }
    htp_tensor_id is_empty = htp_emit_binary_scalar(l, "Equal", sizes, HTP_DTYPE_INT64, 0);
    return htp_emit(
        l, "Where",
        HTP_IN(is_empty, htp_emit_scalar(l, b->dtype, 0), combine(l, b, "max", -INFINITY)),
        HTP_NO_AT);
}

/** embedding_bag and its forms, of which only the first output is made */
void htp_lower_embedding_bag(htp_lowering *l)
{
    const int64_t second = 1;
    if (htp_arg_int_or(l, "padding_idx", -1) != -1) {
        htp_lower_fail(l, "a padding_idx is not supported");
    }
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
    read_offsets(l, &b);
    htp_bind_cast(l, 0, combine_by_mode(l, &b, htp_arg_int(l, "mode")), b.dtype);
}
