#include "lower/tensor/indexing.h"

#include "lower/emit/ort_dtypes.h"
#include "lower/emit/sizes.h"

#include <string.h>

static htp_indexing indexing_of_self(htp_lowering *l)
{
    return (htp_indexing){
        .x = htp_arg_tensor(l, "self"),
        .dtype = htp_arg_dtype(l, "self"),
        .x_rank = htp_arg_rank(l, "self"),
        .x_dims = htp_arg_dims(l, "self"),
    };
}

/** Broadcasts the dims of an index tensor into @p dims, from the right. @return false if a dynamic
 * one has another symbol. */
static bool broadcast_dims(const htp_dim *from, uint32_t from_rank, htp_dim *dims, uint32_t rank)
{
    for (uint32_t i = 0; i < from_rank; i++) {
        const htp_dim *source = &from[from_rank - 1 - i];
        htp_dim *target = &dims[rank - 1 - i];
        if (source->symbol || target->symbol) {
            return false;
        }
        if (target->size == 1) {
            *target = *source;
        }
    }
    return true;
}

static void expand_indices(htp_lowering *l, htp_indexing *n, htp_tensor_id shape)
{
    for (uint32_t i = 0; i < n->count; i++) {
        n->indices[i] = htp_typed_expand(l, HTP_DTYPE_INT64, n->indices[i], shape);
    }
}

/** Broadcasts open index tensors to one shape. */
static void close_indices(htp_lowering *l, htp_indexing *n)
{
    if (n->are_open) {
        htp_tensor_id sum = n->indices[0];
        for (uint32_t i = 1; i < n->count; i++) {
            sum = htp_emit_binary(l, "Add", sum, n->indices[i]);
        }
        expand_indices(l, n, htp_emit_unary(l, "Shape", sum));
        n->are_open = false;
    }
}

/** Broadcasts all index tensors to one shape, if it is known. Values that are HTP_NONE are columns
 * of a mask, whose length only the run knows. */
static void broadcast_indices(htp_lowering *l, htp_indexing *n, const htp_value_id *values)
{
    bool all_columns = true;
    bool is_static = true;
    for (uint32_t i = 0; i < n->count; i++) {
        all_columns = all_columns && values[i] == HTP_NONE;
        is_static = is_static && values[i] != HTP_NONE;
    }
    if (n->count == 1 || all_columns) {
        n->dims = all_columns ? NULL : l->graph->values[values[0]].dims;
        return;
    }
    htp_dim *dims = HTP_NEW_ARRAY(l->arena, htp_dim, (size_t)n->rank + 1);
    for (uint32_t i = 0; i < n->rank; i++) {
        dims[i].size = 1;
    }
    for (uint32_t i = 0; i < n->count && is_static; i++) {
        is_static = broadcast_dims(l->graph->values[values[i]].dims,
                                   htp_graph_value(l->graph, values[i])->rank, dims, n->rank);
    }
    n->are_open = !is_static;
    if (is_static) {
        n->dims = dims;
        expand_indices(l, n, htp_emit_shape(l, n->indices[0], n->rank, dims));
    }
}

void htp_emit_place_columns(htp_lowering *l, htp_tensor_id mask, uint32_t rank,
                            htp_tensor_id *columns)
{
    htp_tensor_id places = htp_emit_unary(l, "NonZero", mask);
    for (uint32_t i = 0; i < rank; i++) {
        columns[i] =
            htp_emit(l, "Gather", HTP_IN(places, htp_emit_scalar_int(l, HTP_DTYPE_INT64, i)),
                     HTP_AT(htp_attribute_int("axis", 0)));
    }
}

bool htp_index_is_mask(const htp_trace_value *index)
{
    return index->kind == HTP_TRACE_TENSOR &&
           (index->dtype == HTP_DTYPE_BOOL || index->dtype == HTP_DTYPE_UINT8);
}

/** The axes of self that an index takes: as many as a mask has dims, or one. */
static uint32_t axes_taken(const htp_trace_value *value)
{
    return htp_index_is_mask(value) ? value->rank : 1;
}

/** Adds the index @p id of axis @p axis; for a mask, of several axes. @p values receives the value
 * of each, HTP_NONE for a mask. */
static void add_index(htp_lowering *l, htp_indexing *n, htp_value_id id, uint32_t axis,
                      htp_value_id *values)
{
    const htp_trace_value *value = htp_graph_value(l->graph, id);
    if (value->kind == HTP_TRACE_NOTHING) {
        return;
    }
    bool is_mask = htp_index_is_mask(value);
    if (value->kind != HTP_TRACE_TENSOR || (!is_mask && !htp_dtype_is_integer(value->dtype)) ||
        (is_mask && value->rank == 0)) {
        htp_lower_fail(l, "an index is no tensor of integers or mask with dims");
        return;
    }
    if (is_mask) {
        htp_emit_place_columns(l, htp_value_tensor_as(l, id, HTP_DTYPE_BOOL), value->rank,
                               &n->indices[n->count]);
    } else {
        n->indices[n->count] = htp_value_tensor_as(l, id, HTP_DTYPE_INT64);
    }
    uint32_t rank = is_mask ? 1 : value->rank;
    n->rank = rank > n->rank ? rank : n->rank;
    for (uint32_t i = 0; i < axes_taken(value); i++) {
        values[n->count] = is_mask ? HTP_NONE : id;
        n->ranks[n->count] = rank;
        n->axes[n->count++] = axis + i;
    }
}

htp_indexing htp_arg_indexing(htp_lowering *l)
{
    htp_indexing n = indexing_of_self(l);
    size_t count = 0;
    const htp_value_id *elements = htp_arg_list(l, "indices", &count);
    htp_value_id values[HTP_MAX_RANK];
    uint32_t axis = 0;
    for (size_t i = 0; i < count && !l->failure; i++) {
        uint32_t taken = axes_taken(htp_graph_value(l->graph, elements[i]));
        if (axis + taken > n.x_rank) {
            htp_lower_fail(l, "it has more indices than rank %u", n.x_rank);
            return n;
        }
        add_index(l, &n, elements[i], axis, values);
        axis += taken;
    }
    if (n.count) {
        broadcast_indices(l, &n, values);
    }
    return n;
}

htp_indexing htp_indexing_along(htp_lowering *l, int64_t axis, htp_tensor_id vector)
{
    htp_indexing n = indexing_of_self(l);
    n.count = 1;
    n.axes[0] = axis;
    n.indices[0] = vector;
    n.rank = 1;
    if (n.x_rank == 0) {
        n.x = htp_emit_reshape(l, n.x, (const int64_t[]){1}, 1);
        n.x_rank = 1;
        n.x_dims = HTP_NEW(l->arena, htp_dim);
        ((htp_dim *)n.x_dims)->size = 1;
    }
    return n;
}

/** The position of the indices' dims in the result: that of the axes if these are adjacent,
 * otherwise in front. */
static uint32_t position(const htp_indexing *n)
{
    bool adjacent = n->axes[n->count - 1] - n->axes[0] == (int64_t)n->count - 1;
    return adjacent ? (uint32_t)n->axes[0] : 0;
}

/** The permutation that brings the axes to the front. @p rest receives the other axes. */
static void front_permutation(const htp_indexing *n, int64_t *perm, uint32_t *rest)
{
    uint32_t next = 0;
    uint32_t rest_count = 0;
    for (uint32_t i = 0; i < n->count; i++) {
        perm[i] = n->axes[i];
    }
    for (uint32_t i = 0; i < n->x_rank; i++) {
        if (next < n->count && n->axes[next] == (int64_t)i) {
            next++;
        } else {
            perm[n->count + rest_count] = i;
            rest[rest_count++] = i;
        }
    }
}

static void invert(const int64_t *perm, uint32_t rank, int64_t *inverse)
{
    for (uint32_t i = 0; i < rank; i++) {
        inverse[perm[i]] = i;
    }
}

/** Permutes [indices, other axes], the result of ONNX GatherND, to the result's order. */
static void result_permutation(const htp_indexing *n, int64_t *perm)
{
    uint32_t at = position(n);
    uint32_t rank = n->rank + n->x_rank - n->count;
    for (uint32_t i = 0; i < rank; i++) {
        if (i < at) {
            perm[i] = n->rank + i;
        } else {
            perm[i] = i < at + n->rank ? (int64_t)(i - at) : (int64_t)i;
        }
    }
}

/** Stacks open index tensors: [..., count]. Each gets zeros in place of the others; adding them
 * broadcasts all. */
static htp_tensor_id join_open_indices(htp_lowering *l, const htp_indexing *n)
{
    htp_tensor_id joined = HTP_NONE;
    for (uint32_t i = 0; i < n->count; i++) {
        int64_t place[HTP_MAX_RANK] = {0};
        place[i] = 1;
        int64_t axis = n->ranks[i];
        htp_tensor_id column = htp_emit_unsqueeze(l, n->indices[i], &axis, 1);
        column = htp_emit_binary(l, "Mul", column, htp_emit_ints(l, place, n->count));
        joined = i ? htp_emit_binary(l, "Add", joined, column) : column;
    }
    return joined;
}

/** Stacks index tensors of one shape: [..., count]. */
static htp_tensor_id join_indices(htp_lowering *l, const htp_indexing *n)
{
    htp_tensor_id columns[HTP_MAX_RANK];
    int64_t axis = n->rank;
    for (uint32_t i = 0; i < n->count; i++) {
        columns[i] = htp_emit_unsqueeze(l, n->indices[i], &axis, 1);
    }
    if (n->count == 1) {
        return columns[0];
    }
    return htp_emit_concat(l, (htp_emit_inputs){columns, n->count}, axis);
}

htp_tensor_id htp_emit_indexed(htp_lowering *l, const htp_indexing *n)
{
    if (n->count == 0) {
        return n->x;
    }
    if (n->count == 1) {
        return htp_emit(l, "Gather", HTP_IN(n->x, n->indices[0]),
                        HTP_AT(htp_attribute_int("axis", n->axes[0])));
    }
    int64_t front[HTP_MAX_RANK];
    uint32_t rest[HTP_MAX_RANK] = {0};
    int64_t order[2 * HTP_MAX_RANK];
    front_permutation(n, front, rest);
    result_permutation(n, order);
    htp_tensor_id indices = n->are_open ? join_open_indices(l, n) : join_indices(l, n);
    /* OpenCV rejects bools here, and MNN crashes on bytes. */
    htp_dtype dtype = n->dtype == HTP_DTYPE_BOOL ? HTP_DTYPE_INT32 : n->dtype;
    htp_tensor_id x = htp_emit_cast(l, n->x, n->dtype, dtype);
    x = htp_emit_transpose(l, x, front, n->x_rank);
    x = htp_emit_cast(l, htp_emit_binary(l, "GatherND", x, indices), dtype, n->dtype);
    return htp_emit_transpose(l, x, order, n->rank + n->x_rank - n->count);
}

/** The shape of x[...]. */
static htp_tensor_id result_shape(htp_lowering *l, const htp_indexing *n, const uint32_t *rest)
{
    uint32_t at = position(n);
    uint32_t rest_count = n->x_rank - n->count;
    htp_sizes shape = htp_sizes_begin(l);
    for (uint32_t i = 0; i < at; i++) {
        htp_sizes_add_dims(&shape, n->x, n->x_dims, rest[i], rest[i] + 1);
    }
    if (n->dims) {
        htp_sizes_add_dims(&shape, n->indices[0], n->dims, 0, n->rank);
    } else {
        htp_sizes_add_tensor(&shape, htp_emit_unary(l, "Shape", n->indices[0]));
    }
    for (uint32_t i = at; i < rest_count; i++) {
        htp_sizes_add_dims(&shape, n->x, n->x_dims, rest[i], rest[i] + 1);
    }
    return htp_sizes_end(&shape);
}

htp_tensor_id htp_emit_index_put(htp_lowering *l, htp_indexing *n, htp_tensor_id values,
                                 bool accumulate)
{
    close_indices(l, n);
    int64_t front[HTP_MAX_RANK];
    int64_t back[HTP_MAX_RANK];
    uint32_t rest[HTP_MAX_RANK] = {0};
    int64_t order[2 * HTP_MAX_RANK];
    int64_t unorder[2 * HTP_MAX_RANK];
    uint32_t rank = n->rank + n->x_rank - n->count;
    front_permutation(n, front, rest);
    invert(front, n->x_rank, back);
    result_permutation(n, order);
    invert(order, rank, unorder);
    values = htp_typed_expand(l, n->dtype, values, result_shape(l, n, rest));
    values = htp_emit_transpose(l, values, unorder, rank);
    htp_tensor_id x = htp_emit_transpose(l, n->x, front, n->x_rank);
    htp_dtype dtype = accumulate ? htp_composite_dtype(n->dtype) : n->dtype;
    htp_attribute add = htp_attribute_string("reduction", "add");
    x = htp_emit(l, "ScatterND",
                 HTP_IN(htp_emit_cast(l, x, n->dtype, dtype), join_indices(l, n),
                        htp_emit_cast(l, values, n->dtype, dtype)),
                 (htp_emit_attributes){&add, accumulate});
    return htp_emit_transpose(l, htp_emit_cast(l, x, dtype, n->dtype), back, n->x_rank);
}
