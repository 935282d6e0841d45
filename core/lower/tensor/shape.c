/*
 * Operators that change the shape of a tensor, or the order of its dims.
 */
#include "lower/compose/compose.h"
#include "lower/emit/ort_dtypes.h"
#include "lower/emit/rows.h"
#include "lower/emit/sizes.h"

#include <string.h>

/* ---- reshaping ---- */

/** Reshape; with @p allow_zero a 0 in the shape means no elements. */
static htp_tensor_id reshape(htp_lowering *l, htp_tensor_id x, htp_tensor_id shape, bool allow_zero)
{
    htp_attribute allow = htp_attribute_int("allowzero", 1);
    return htp_emit(l, "Reshape", HTP_IN(x, shape), (htp_emit_attributes){&allow, allow_zero});
}

/**
 * Reshapes self to the output's dims by a constant, if at most one of them is dynamic (inferred).
 * @return false if several are
 */
static bool bind_constant_reshape(htp_lowering *l, htp_tensor_id x)
{
    uint32_t rank = htp_output_rank(l, 0);
    const htp_dim *dims = htp_output_dims(l, 0);
    int64_t sizes[HTP_MAX_RANK];
    uint32_t symbols = 0;
    bool has_zero = false;
    for (uint32_t i = 0; i < rank; i++) {
        symbols += dims[i].symbol != NULL;
        sizes[i] = dims[i].symbol ? -1 : dims[i].size;
        has_zero = has_zero || sizes[i] == 0;
    }
    if (symbols > 1 || (symbols == 1 && has_zero)) {
        return false;
    }
    htp_bind(l, 0, reshape(l, x, htp_emit_ints(l, sizes, rank), has_zero));
    return true;
}

/** aten::view, aten::reshape: the row names the argument with the shape. */
void htp_lower_reshape(htp_lowering *l)
{
    htp_tensor_id x = htp_arg_tensor(l, "self");
    if (!bind_constant_reshape(l, x)) {
        htp_bind(l, 0, reshape(l, x, htp_arg_shape(l, l->row->op), true));
    }
}

/** aten::view_as, aten::reshape_as */
void htp_lower_reshape_as(htp_lowering *l)
{
    htp_tensor_id x = htp_arg_tensor(l, "self");
    if (!bind_constant_reshape(l, x)) {
        htp_tensor_id shape = htp_emit_unary(l, "Shape", htp_arg_tensor(l, "other"));
        htp_bind(l, 0, reshape(l, x, shape, true));
    }
}

/** aten::flatten: the dims from start_dim to end_dim become one. */
void htp_lower_flatten(htp_lowering *l)
{
    htp_tensor_id x = htp_arg_tensor(l, "self");
    uint32_t rank = htp_arg_rank(l, "self");
    bool has_range = htp_arg_present(l, "start_dim");
    uint32_t start = has_range ? (uint32_t)htp_arg_dim(l, "start_dim", rank) : 0;
    uint32_t count = has_range ? (uint32_t)htp_arg_dim(l, "end_dim", rank) + 1 - start : rank;
    if (has_range && rank && count == 1) {
        htp_bind(l, 0, x);
    } else if (!bind_constant_reshape(l, x)) {
        const htp_dim *dims = htp_arg_dims(l, "self");
        htp_sizes sizes = htp_sizes_begin(l);
        htp_sizes_add_dims(&sizes, x, dims, 0, start);
        htp_sizes_add_tensor(&sizes, htp_emit_dim_product(l, x, dims, start, start + count));
        htp_sizes_add_dims(&sizes, x, dims, start + count, rank);
        htp_bind(l, 0, reshape(l, x, htp_sizes_end(&sizes), true));
    }
}

/** The sizes of aten::unflatten; -1 is inferred. */
static void add_unflattened(htp_lowering *l, htp_sizes *sizes, htp_tensor_id dim)
{
    size_t count = 0;
    const htp_value_id *elements = htp_arg_list(l, "sizes", &count);
    for (size_t i = 0; i < count; i++) {
        const htp_trace_value *size = htp_graph_value(l->graph, elements[i]);
        if (!size->is_constant || size->i[0] != -1) {
            htp_sizes_add_value(sizes, elements[i]);
            continue;
        }
        htp_tensor_id rest = dim;
        for (size_t j = 0; j < count; j++) {
            if (j != i) {
                rest = htp_emit_binary(l, "Div", rest, htp_value_vector(l, elements[j]));
            }
        }
        htp_sizes_add_tensor(sizes, rest);
    }
}

/** aten::unflatten: one dim becomes several. */
void htp_lower_unflatten(htp_lowering *l)
{
    htp_tensor_id x = htp_arg_tensor(l, "self");
    if (!bind_constant_reshape(l, x)) {
        uint32_t rank = htp_arg_rank(l, "self");
        const htp_dim *dims = htp_arg_dims(l, "self");
        uint32_t dim = (uint32_t)htp_arg_dim(l, "dim", rank);
        htp_sizes sizes = htp_sizes_begin(l);
        htp_sizes_add_dims(&sizes, x, dims, 0, dim);
        add_unflattened(l, &sizes, htp_emit_dim(l, x, dims, dim));
        htp_sizes_add_dims(&sizes, x, dims, dim + 1, rank);
        htp_bind(l, 0, reshape(l, x, htp_sizes_end(&sizes), true));
    }
}

/** aten::squeeze: removes dims of size 1. A dynamic dim is kept, since it had several sizes. */
void htp_lower_squeeze(htp_lowering *l)
{
    uint32_t rank = htp_arg_rank(l, "self");
    const htp_dim *dims = htp_arg_dims(l, "self");
    size_t count = 0;
    const int64_t *given = htp_arg_dims_list(l, "dim", rank, !htp_arg_present(l, "dim"), &count);
    int64_t axes[HTP_MAX_RANK];
    size_t axis_count = 0;
    for (size_t i = 0; i < count && rank > 0; i++) {
        if (!dims[given[i]].symbol && dims[given[i]].size == 1) {
            axes[axis_count++] = given[i];
        }
    }
    htp_bind(l, 0, htp_emit_squeeze(l, htp_arg_tensor(l, "self"), axes, axis_count));
}

/** aten::unsqueeze */
void htp_lower_unsqueeze(htp_lowering *l)
{
    int64_t axis = htp_arg_dim(l, "dim", htp_arg_rank(l, "self") + 1);
    htp_bind(l, 0, htp_emit_unsqueeze(l, htp_arg_tensor(l, "self"), &axis, 1));
}

/* ---- broadcasting ---- */

static bool same_static_dims(const htp_dim *a, uint32_t a_rank, const htp_dim *b, uint32_t b_rank)
{
    bool same = a_rank == b_rank;
    for (uint32_t i = 0; i < a_rank && same; i++) {
        same = !a[i].symbol && !b[i].symbol && a[i].size == b[i].size;
    }
    return same;
}

/** Self with the output's rank, cropped where the output is empty. ONNX Runtime's optimiser takes
 * an Expand to 0 for one to 1 and removes it. */
static htp_tensor_id cut_to_nothing(htp_lowering *l, htp_tensor_id x)
{
    uint32_t rank = htp_output_rank(l, 0);
    uint32_t missing = rank - htp_arg_rank(l, "self");
    int64_t axes[HTP_MAX_RANK];
    size_t count = 0;
    for (uint32_t i = 0; i < rank; i++) {
        const htp_dim *dim = &htp_output_dims(l, 0)[i];
        if (!dim->symbol && dim->size == 0) {
            axes[count++] = i;
        }
    }
    if (count == 0) {
        return x;
    }
    int64_t added[HTP_MAX_RANK];
    for (uint32_t i = 0; i < missing; i++) {
        added[i] = i;
    }
    x = missing ? htp_emit_unsqueeze(l, x, added, missing) : x;
    for (size_t i = 0; i < count; i++) {
        x = htp_emit_slice(l, x, axes[i], 0, 0);
    }
    return x;
}

/** Broadcasts self to the output's dims; @p shape is used where these depend on the input. */
static void bind_expanded(htp_lowering *l, htp_tensor_id x, htp_tensor_id shape)
{
    htp_dtype dtype = htp_arg_dtype(l, "self");
    htp_bind(l, 0, htp_typed_expand(l, dtype, cut_to_nothing(l, x), shape));
}

/** Whether the output has constant dims; then it is bound. */
static bool bind_constant_expanded(htp_lowering *l, htp_tensor_id x)
{
    uint32_t rank = htp_output_rank(l, 0);
    const htp_dim *dims = htp_output_dims(l, 0);
    if (!htp_dims_are_static(dims, rank)) {
        return false;
    }
    if (same_static_dims(dims, rank, htp_arg_dims(l, "self"), htp_arg_rank(l, "self"))) {
        htp_bind(l, 0, x);
    } else {
        bind_expanded(l, x, htp_emit_shape(l, x, rank, dims));
    }
    return true;
}

/** aten::expand: -1 keeps a dim, which ONNX writes as 1. */
void htp_lower_expand(htp_lowering *l)
{
    htp_tensor_id x = htp_arg_tensor(l, "self");
    if (bind_constant_expanded(l, x)) {
        return;
    }
    size_t count = 0;
    const htp_value_id *elements = htp_arg_list(l, "size", &count);
    htp_sizes sizes = htp_sizes_begin(l);
    for (size_t i = 0; i < count; i++) {
        const htp_trace_value *size = htp_graph_value(l->graph, elements[i]);
        if (size->is_constant && size->i[0] == -1) {
            htp_sizes_add_int(&sizes, 1);
        } else {
            htp_sizes_add_value(&sizes, elements[i]);
        }
    }
    bind_expanded(l, x, htp_sizes_end(&sizes));
}

/** aten::expand_as */
void htp_lower_expand_as(htp_lowering *l)
{
    htp_tensor_id x = htp_arg_tensor(l, "self");
    if (!bind_constant_expanded(l, x)) {
        bind_expanded(l, x, htp_emit_unary(l, "Shape", htp_arg_tensor(l, "other")));
    }
}

/** aten::repeat, aten::tile: the shorter of dims and repeats is padded with ones on the left. */
void htp_lower_repeat(htp_lowering *l)
{
    const char *name = l->row->op;
    uint32_t rank = htp_arg_rank(l, "self");
    size_t count = 0;
    const htp_value_id *elements = htp_arg_list(l, name, &count);
    htp_tensor_id x = htp_arg_tensor(l, "self");
    if (count > HTP_MAX_RANK) {
        htp_lower_fail(l, "its result has %zu dims", count);
        return;
    }
    if (count > rank) {
        int64_t axes[HTP_MAX_RANK];
        for (uint32_t i = 0; i < count - rank; i++) {
            axes[i] = i;
        }
        x = htp_emit_unsqueeze(l, x, axes, count - rank);
    }
    htp_sizes repeats = htp_sizes_begin(l);
    bool repeats_nothing = true;
    for (size_t i = count; i < rank; i++) {
        htp_sizes_add_int(&repeats, 1);
    }
    for (size_t i = 0; i < count; i++) {
        const htp_trace_value *repeat = htp_graph_value(l->graph, elements[i]);
        repeats_nothing = repeats_nothing && repeat->is_constant && repeat->i[0] == 1;
        htp_sizes_add_value(&repeats, elements[i]);
    }
    if (!repeats_nothing) {
        htp_dtype dtype = htp_arg_dtype(l, "self");
        htp_dtype wide = htp_kernel_dtype(l, "Tile", dtype);
        x = htp_emit_binary(l, "Tile", htp_emit_cast(l, x, dtype, wide), htp_sizes_end(&repeats));
        x = htp_emit_cast(l, x, wide, dtype);
    }
    htp_bind(l, 0, x);
}

/** aten::repeat_interleave with one number of repeats. */
void htp_lower_repeat_interleave(htp_lowering *l)
{
    uint32_t rank = htp_arg_rank(l, "self");
    const htp_dim *dims = htp_arg_dims(l, "self");
    htp_tensor_id x = htp_arg_tensor(l, "self");
    htp_tensor_id repeats = htp_arg_vector(l, "repeats");
    bool flat = !htp_arg_present(l, "dim");
    uint32_t dim = flat ? 0 : (uint32_t)htp_arg_dim(l, "dim", rank);
    htp_dim line = {.size = 0, .symbol = ""};
    if (flat || rank == 0) {
        x = htp_emit_reshape(l, x, (const int64_t[]){-1}, 1);
        rank = 1;
        dims = &line;
    }
    int64_t axis = dim + 1;
    htp_tensor_id column = htp_emit_unsqueeze(l, x, &axis, 1);
    htp_sizes shape = htp_sizes_begin(l);
    htp_sizes_add_dims(&shape, x, dims, 0, dim + 1);
    htp_sizes_add_tensor(&shape, repeats);
    htp_sizes_add_dims(&shape, x, dims, dim + 1, rank);
    htp_dtype dtype = htp_arg_dtype(l, "self");
    column = htp_typed_expand(l, dtype, column, htp_sizes_end(&shape));
    if (bind_constant_reshape(l, column)) {
        return;
    }
    htp_sizes merged = htp_sizes_begin(l);
    htp_sizes_add_dims(&merged, x, dims, 0, dim);
    htp_sizes_add_tensor(&merged,
                         htp_emit_binary(l, "Mul", htp_emit_dim(l, x, dims, dim), repeats));
    htp_sizes_add_dims(&merged, x, dims, dim + 1, rank);
    htp_bind(l, 0, reshape(l, column, htp_sizes_end(&merged), true));
}

/* ---- the order of dims ---- */

static void bind_transposed(htp_lowering *l, const int64_t *perm, uint32_t rank)
{
    htp_bind(l, 0, htp_emit_transpose(l, htp_arg_tensor(l, "self"), perm, rank));
}

static void bind_swapped(htp_lowering *l, uint32_t rank, int64_t a, int64_t b)
{
    int64_t perm[HTP_MAX_RANK];
    for (uint32_t i = 0; i < rank; i++) {
        perm[i] = i == a ? b : i == b ? a : (int64_t)i;
    }
    bind_transposed(l, perm, rank);
}

/** aten::transpose.int */
void htp_lower_transpose(htp_lowering *l)
{
    uint32_t rank = htp_arg_rank(l, "self");
    bind_swapped(l, rank, htp_arg_dim(l, "dim0", rank), htp_arg_dim(l, "dim1", rank));
}

/** aten::swapaxes */
void htp_lower_swapaxes(htp_lowering *l)
{
    uint32_t rank = htp_arg_rank(l, "self");
    bind_swapped(l, rank, htp_arg_dim(l, "axis0", rank), htp_arg_dim(l, "axis1", rank));
}

/** aten::t, mT: exchanges the last two dims. */
void htp_lower_transpose_last(htp_lowering *l)
{
    uint32_t rank = htp_arg_rank(l, "self");
    bind_swapped(l, rank, rank < 2 ? 0 : (int64_t)rank - 1, rank < 2 ? 0 : (int64_t)rank - 2);
}

/** aten::numpy_T: reverses all dims. */
void htp_lower_reverse_dims(htp_lowering *l)
{
    uint32_t rank = htp_arg_rank(l, "self");
    int64_t perm[HTP_MAX_RANK];
    for (uint32_t i = 0; i < rank; i++) {
        perm[i] = (int64_t)(rank - 1 - i);
    }
    bind_transposed(l, perm, rank);
}

/** aten::permute */
void htp_lower_permute(htp_lowering *l)
{
    uint32_t rank = htp_arg_rank(l, "self");
    size_t count = 0;
    const int64_t *perm = htp_arg_dims_list(l, "dims", rank, false, &count);
    if (count != rank) {
        htp_lower_fail(l, "argument 'dims' has %zu dims for rank %u", count, rank);
    }
    bind_transposed(l, perm, rank);
}

/** aten::movedim: the dims of source go where destination says, the others keep their order. */
void htp_lower_movedim(htp_lowering *l)
{
    uint32_t rank = htp_arg_rank(l, "self");
    size_t count = 0;
    size_t destination_count = 0;
    const int64_t *source = htp_arg_dims_list(l, "source", rank, false, &count);
    const int64_t *destination =
        htp_arg_dims_list(l, "destination", rank, false, &destination_count);
    int64_t perm[HTP_MAX_RANK];
    bool moved[HTP_MAX_RANK] = {false};
    for (uint32_t i = 0; i < rank; i++) {
        perm[i] = -1;
    }
    for (size_t i = 0; i < count && i < destination_count && rank > 0; i++) {
        perm[destination[i]] = source[i];
        moved[source[i]] = true;
    }
    uint32_t next = 0;
    for (uint32_t i = 0; i < rank; i++) {
        while (perm[i] < 0 && moved[next]) {
            next++;
        }
        if (perm[i] < 0) {
            perm[i] = next++;
        }
    }
    bind_transposed(l, perm, rank);
}
