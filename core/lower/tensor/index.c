/*
 * Reads and writes by index tensors, or along one dim by an index vector.
 */
#include "lower/emit/ort_dtypes.h"
#include "lower/emit/rows.h"
#include "lower/emit/sizes.h"
#include "lower/tensor/indexing.h"

/** aten::index.Tensor */
void htp_lower_index(htp_lowering *l)
{
    htp_indexing indexing = htp_arg_indexing(l);
    htp_bind(l, 0, htp_emit_indexed(l, &indexing));
}

/** The single mask in the list argument indices; HTP_NONE if there is anything else. */
static htp_value_id only_mask(htp_lowering *l)
{
    size_t count = 0;
    const htp_value_id *elements = htp_arg_list(l, "indices", &count);
    if (count != 1) {
        return HTP_NONE;
    }
    const htp_trace_value *value = htp_graph_value(l->graph, elements[0]);
    return htp_index_is_mask(value) ? elements[0] : HTP_NONE;
}

/** Whether a tensor argument has one element. */
static bool is_single(htp_lowering *l, const char *name)
{
    uint32_t rank = htp_arg_rank(l, name);
    const htp_dim *dims = htp_arg_dims(l, name);
    for (uint32_t i = 0; i < rank; i++) {
        if (dims[i].symbol || dims[i].size != 1) {
            return false;
        }
    }
    return true;
}

/** x[mask] = value, where the mask covers the first dims of self. */
static void put_masked(htp_lowering *l, htp_value_id mask_value)
{
    htp_dtype dtype = htp_arg_dtype(l, "self");
    uint32_t rank = htp_arg_rank(l, "self");
    uint32_t mask_rank = htp_graph_value(l->graph, mask_value)->rank;
    int64_t axes[HTP_MAX_RANK];
    for (uint32_t i = mask_rank; i < rank; i++) {
        axes[i - mask_rank] = i;
    }
    htp_tensor_id mask = htp_value_tensor_as(l, mask_value, HTP_DTYPE_BOOL);
    mask = htp_emit_unsqueeze(l, mask, axes, rank - mask_rank);
    htp_tensor_id value = htp_arg_tensor_as(l, "values", dtype);
    value = htp_emit_reshape(l, value, NULL, 0);
    htp_bind(l, 0, htp_typed_where(l, dtype, mask, value, htp_arg_tensor(l, "self")));
}

/** aten::index_put */
void htp_lower_index_put(htp_lowering *l)
{
    htp_value_id mask = only_mask(l);
    if (mask != HTP_NONE && is_single(l, "values") && !htp_arg_bool_or(l, "accumulate", false) &&
        htp_graph_value(l->graph, mask)->rank <= htp_arg_rank(l, "self")) {
        put_masked(l, mask);
        return;
    }
    htp_indexing indexing = htp_arg_indexing(l);
    if (indexing.count == 0) {
        htp_lower_fail(l, "it has no index");
        return;
    }
    htp_tensor_id values = htp_arg_tensor_as(l, "values", indexing.dtype);
    htp_bind(l, 0,
             htp_emit_index_put(l, &indexing, values, htp_arg_bool_or(l, "accumulate", false)));
}

/** The arguments self and indices, with indices clamped to their axes, since they may be out of
 * range where the mask is false. */
static htp_indexing clamped_indexing(htp_lowering *l)
{
    htp_indexing n = htp_arg_indexing(l);
    for (uint32_t i = 0; i < n.count && !l->failure; i++) {
        htp_tensor_id size = htp_emit_dim(l, n.x, n.x_dims, n.axes[i]);
        size = htp_emit_reshape(l, size, NULL, 0);
        htp_tensor_id last = htp_emit_binary_scalar(l, "Sub", size, HTP_DTYPE_INT64, 1);
        htp_tensor_id first = htp_emit_unary(l, "Neg", size);
        n.indices[i] = htp_typed_extreme(l, "Max", HTP_DTYPE_INT64, n.indices[i], first);
        n.indices[i] = htp_typed_extreme(l, "Min", HTP_DTYPE_INT64, n.indices[i], last);
    }
    if (n.count == 0) {
        htp_lower_fail(l, "it has no index");
    }
    return n;
}

/** aten::_unsafe_masked_index: self[indices] where the mask is true, a number elsewhere */
void htp_lower_masked_index(htp_lowering *l)
{
    htp_indexing n = clamped_indexing(l);
    if (l->failure) {
        return;
    }
    htp_tensor_id mask = htp_arg_tensor_as(l, "mask", HTP_DTYPE_BOOL);
    htp_tensor_id fill = htp_arg_tensor_as(l, "fill", n.dtype);
    htp_bind(l, 0, htp_typed_where(l, n.dtype, mask, htp_emit_indexed(l, &n), fill));
}

/** aten::_unsafe_masked_index_put_accumulate: values are added where the mask is true. */
void htp_lower_masked_index_put(htp_lowering *l)
{
    htp_indexing n = clamped_indexing(l);
    if (l->failure) {
        return;
    }
    htp_tensor_id mask = htp_arg_tensor_as(l, "mask", HTP_DTYPE_BOOL);
    htp_tensor_id values = htp_arg_tensor_as(l, "values", n.dtype);
    values = htp_typed_where(l, n.dtype, mask, values, htp_emit_scalar_int(l, n.dtype, 0));
    htp_bind(l, 0, htp_emit_index_put(l, &n, values, true));
}

/** The indices of argument index, a vector or a number, along the argument dim. */
static htp_indexing indexing_along_dim(htp_lowering *l)
{
    int64_t axis = htp_arg_dim(l, "dim", htp_arg_rank(l, "self"));
    htp_tensor_id index = htp_arg_tensor_as(l, "index", HTP_DTYPE_INT64);
    if (htp_arg_rank(l, "index") == 0) {
        index = htp_emit_reshape(l, index, (const int64_t[]){1}, 1);
    }
    return htp_indexing_along(l, axis, index);
}

/** Binds the output to @p x, which has rank 1 if self is 0-d. */
static void bind_like_self(htp_lowering *l, htp_tensor_id x)
{
    htp_bind(l, 0, htp_arg_rank(l, "self") ? x : htp_emit_reshape(l, x, NULL, 0));
}

/** aten::index_select */
void htp_lower_index_select(htp_lowering *l)
{
    htp_indexing indexing = indexing_along_dim(l);
    bind_like_self(l, htp_emit_indexed(l, &indexing));
}

/** aten::index_fill */
void htp_lower_index_fill(htp_lowering *l)
{
    htp_indexing indexing = indexing_along_dim(l);
    htp_tensor_id value = htp_arg_tensor_as(l, "value", indexing.dtype);
    bind_like_self(l, htp_emit_index_put(l, &indexing, value, false));
}

/** aten::index_copy */
void htp_lower_index_copy(htp_lowering *l)
{
    htp_indexing indexing = indexing_along_dim(l);
    htp_tensor_id source = htp_arg_tensor_as(l, "source", indexing.dtype);
    bind_like_self(l, htp_emit_index_put(l, &indexing, source, false));
}

/** aten::index_add */
void htp_lower_index_add(htp_lowering *l)
{
    htp_indexing indexing = indexing_along_dim(l);
    htp_tensor_id source = htp_arg_tensor_as(l, "source", indexing.dtype);
    if (!htp_arg_is_constant(l, "alpha") || htp_arg_float(l, "alpha") != 1) {
        htp_tensor_id alpha = htp_arg_tensor_as(l, "alpha", indexing.dtype);
        source = htp_typed_binary(l, "Mul", indexing.dtype, source, alpha);
    }
    bind_like_self(l, htp_emit_index_put(l, &indexing, source, true));
}

/** aten::select_scatter: one index of a dim is replaced. */
void htp_lower_select_scatter(htp_lowering *l)
{
    int64_t axis = htp_arg_dim(l, "dim", htp_arg_rank(l, "self"));
    htp_indexing indexing = htp_indexing_along(l, axis, htp_arg_vector(l, "index"));
    htp_tensor_id source = htp_arg_tensor_as(l, "src", indexing.dtype);
    source = htp_emit_unsqueeze(l, source, &axis, 1);
    htp_bind(l, 0, htp_emit_index_put(l, &indexing, source, false));
}

/** aten::slice_scatter: a slice of a dim is replaced. */
void htp_lower_slice_scatter(htp_lowering *l)
{
    int64_t axis = htp_arg_dim(l, "dim", htp_arg_rank(l, "self"));
    const htp_dim *dims = htp_arg_dims(l, "self");
    htp_tensor_id size = htp_emit_dim(l, htp_arg_tensor(l, "self"), dims, axis);
    htp_tensor_id all = htp_emit_count_up(l, size);
    htp_tensor_id begin =
        htp_arg_present(l, "start") ? htp_arg_vector(l, "start") : htp_emit_int(l, 0);
    htp_tensor_id end =
        htp_arg_present(l, "end") ? htp_arg_vector(l, "end") : htp_emit_int(l, INT64_MAX);
    htp_tensor_id vector =
        htp_emit(l, "Slice", HTP_IN(all, begin, end, htp_emit_int(l, 0), htp_arg_vector(l, "step")),
                 HTP_NO_AT);
    htp_indexing indexing = htp_indexing_along(l, axis, vector);
    htp_tensor_id source = htp_arg_tensor_as(l, "src", indexing.dtype);
    htp_bind(l, 0, htp_emit_index_put(l, &indexing, source, false));
}
