/*
 * The largest and smallest elements, their indices, and sorting.
 */
#include "lower/emit/constant.h"
#include "lower/emit/ort_dtypes.h"
#include "lower/emit/rows.h"

#include <string.h>

/** The index of the largest or smallest element along an axis; the first of several. */
static htp_tensor_id arg_extreme(htp_lowering *l, const char *op, htp_tensor_id x, int64_t axis,
                                 bool keepdims)
{
    htp_dtype dtype = htp_arg_dtype(l, "self");
    x = htp_emit_cast(l, x, dtype, htp_kernel_dtype(l, op, dtype));
    return htp_emit(
        l, op, HTP_IN(x),
        HTP_AT(htp_attribute_int("axis", axis), htp_attribute_int("keepdims", keepdims)));
}

/** aten::argmax, aten::argmin; without dim over the flattened tensor. */
void htp_lower_arg_extreme(htp_lowering *l)
{
    uint32_t rank = htp_arg_rank(l, "self");
    bool keepdims = htp_arg_bool_or(l, "keepdim", false);
    htp_tensor_id x = htp_arg_tensor(l, "self");
    if (htp_arg_present(l, "dim") && rank > 0) {
        int64_t axis = htp_arg_dim(l, "dim", rank);
        htp_bind(l, 0, arg_extreme(l, l->row->op, x, axis, keepdims));
        return;
    }
    x = htp_emit_reshape(l, x, (const int64_t[]){-1}, 1);
    htp_tensor_id index = arg_extreme(l, l->row->op, x, 0, false);
    if (keepdims && rank > 0) {
        index = htp_emit(l, "Reshape", HTP_IN(index, htp_emit_fill(l, HTP_DTYPE_INT64, rank, 1)),
                         HTP_NO_AT);
    }
    htp_bind(l, 0, index);
}

/** aten::max, aten::min of a whole tensor */
void htp_lower_extreme(htp_lowering *l)
{
    htp_dtype dtype = htp_arg_dtype(l, "self");
    htp_tensor_id x = htp_arg_tensor(l, "self");
    const char *op = htp_arena_printf(l->arena, "Reduce%s", l->row->op);
    htp_bind(l, 0, htp_typed_reduce(l, op, dtype, x, NULL, 0, false));
}

/** aten::max.dim, aten::min.dim: the values and their indices. */
void htp_lower_extreme_dim(htp_lowering *l)
{
    htp_dtype dtype = htp_arg_dtype(l, "self");
    uint32_t rank = htp_arg_rank(l, "self");
    htp_tensor_id x = htp_arg_tensor(l, "self");
    int64_t axis = htp_arg_dim(l, "dim", rank);
    bool keepdims = htp_arg_bool_or(l, "keepdim", false);
    if (rank == 0) {
        htp_bind(l, 0, x);
        htp_bind(l, 1, htp_emit_scalar_int(l, HTP_DTYPE_INT64, 0));
        return;
    }
    const char *reduce = htp_arena_printf(l->arena, "Reduce%s", l->row->op);
    const char *arg = htp_arena_printf(l->arena, "Arg%s", l->row->op);
    htp_bind(l, 0, htp_typed_reduce(l, reduce, dtype, x, &axis, 1, keepdims));
    htp_bind(l, 1, arg_extreme(l, arg, x, axis, keepdims));
}

/** aten::aminmax */
void htp_lower_aminmax(htp_lowering *l)
{
    htp_dtype dtype = htp_arg_dtype(l, "self");
    uint32_t rank = htp_arg_rank(l, "self");
    htp_tensor_id x = htp_arg_tensor(l, "self");
    bool keepdims = htp_arg_bool_or(l, "keepdim", false);
    bool along_dim = htp_arg_present(l, "dim");
    int64_t axis = along_dim ? htp_arg_dim(l, "dim", rank) : 0;
    if (rank == 0) {
        /* With keepdim, libtorch before 2.0 returns [1] for a 0-d tensor. */
        static const int64_t one[] = {1};
        x = htp_output_rank(l, 0) == 1 ? htp_emit_reshape(l, x, one, 1) : x;
        htp_bind(l, 0, x);
        htp_bind(l, 1, x);
        return;
    }
    htp_bind(l, 0, htp_typed_reduce(l, "ReduceMin", dtype, x, &axis, along_dim, keepdims));
    htp_bind(l, 1, htp_typed_reduce(l, "ReduceMax", dtype, x, &axis, along_dim, keepdims));
}

/** Values and indices of ONNX TopK; equal elements keep their order. */
static void top(htp_lowering *l, int64_t axis, htp_tensor_id count, bool largest,
                htp_tensor_id outputs[2])
{
    htp_dtype dtype = htp_arg_dtype(l, "self");
    htp_dtype wide = htp_kernel_dtype(l, "TopK", dtype);
    htp_tensor_id x = htp_arg_tensor_as(l, "self", wide);
    if (htp_arg_rank(l, "self") == 0) {
        x = htp_emit_reshape(l, x, (const int64_t[]){1}, 1);
    }
    htp_emit_many(l, "TopK", HTP_IN(x, count),
                  HTP_AT(htp_attribute_int("axis", axis), htp_attribute_int("largest", largest)),
                  outputs, 2);
    outputs[0] = htp_emit_cast(l, outputs[0], wide, dtype);
    for (size_t i = 0; i < 2 && htp_arg_rank(l, "self") == 0; i++) {
        outputs[i] = htp_emit_reshape(l, outputs[i], NULL, 0);
    }
}

/** aten::topk */
void htp_lower_topk(htp_lowering *l)
{
    htp_tensor_id outputs[2];
    int64_t axis = htp_arg_dim(l, "dim", htp_arg_rank(l, "self"));
    top(l, axis, htp_arg_vector(l, "k"), htp_arg_bool_or(l, "largest", true), outputs);
    htp_bind(l, 0, outputs[0]);
    htp_bind(l, 1, outputs[1]);
}

/** Sorts along the argument dim; along the first dim if there is no such argument. */
static void sort(htp_lowering *l, htp_tensor_id outputs[2])
{
    uint32_t rank = htp_arg_rank(l, "self");
    int64_t axis = htp_arg_present(l, "dim") ? htp_arg_dim(l, "dim", rank) : 0;
    htp_tensor_id count = htp_emit_int(l, 1);
    if (rank > 0) {
        count = htp_emit_dim(l, htp_arg_tensor(l, "self"), htp_arg_dims(l, "self"), axis);
    }
    top(l, axis, count, htp_arg_bool_or(l, "descending", false), outputs);
}

/** aten::sort, aten::msort (only the first output) */
void htp_lower_sort(htp_lowering *l)
{
    htp_tensor_id outputs[2];
    sort(l, outputs);
    for (size_t i = 0; i < l->node->output_count; i++) {
        htp_bind(l, i, outputs[i]);
    }
}

/** aten::argsort */
void htp_lower_argsort(htp_lowering *l)
{
    htp_tensor_id outputs[2];
    sort(l, outputs);
    htp_bind(l, 0, outputs[1]);
}
