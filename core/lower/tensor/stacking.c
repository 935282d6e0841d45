/*
 * Concatenations, flips and rotations: aten::hstack, atleast_2d, broadcast_tensors, rot90 and the
 * like.
 */
#include "lower/compose/compose.h"
#include "lower/emit/ort_dtypes.h"
#include "lower/emit/rows.h"
#include "lower/emit/sizes.h"

#include <string.h>

/** @p x with at least @p wanted dims: for 3, a vector gets one on either side and a matrix one at
 * the end; for 2, a vector gets one in front. */
static htp_tensor_id at_least(htp_lowering *l, htp_tensor_id x, uint32_t rank, uint32_t wanted)
{
    static const struct {
        int64_t axes[3];
        size_t count;
    } added[4][3] = {
        [1] = {{{0}, 1}},
        [2] = {{{0, 1}, 2}, {{0}, 1}},
        [3] = {{{0, 1, 2}, 3}, {{0, 2}, 2}, {{2}, 1}},
    };
    return rank < wanted
               ? htp_emit_unsqueeze(l, x, added[wanted][rank].axes, added[wanted][rank].count)
               : x;
}

/** The row's parameter: the least rank ("1" to "3") of tensors. */
static uint32_t least_rank(htp_lowering *l)
{
    return (uint32_t)(l->row->op[0] - '0');
}

/** aten::atleast_1d, 2d, 3d of a tensor */
void htp_lower_atleast(htp_lowering *l)
{
    uint32_t rank = htp_arg_rank(l, "self");
    htp_bind(l, 0, at_least(l, htp_arg_tensor(l, "self"), rank, least_rank(l)));
}

/** The output's elements, one for each of @p count tensors. */
static const htp_value_id *output_elements(htp_lowering *l, size_t count)
{
    const htp_trace_value *list = htp_graph_value(l->graph, htp_output_value(l, 0));
    if (list->kind != HTP_TRACE_LIST || list->element_count != count) {
        htp_lower_fail(l, "its result is not a list of %zu tensors", count);
        return NULL;
    }
    return list->elements;
}

/** aten::atleast_1d, 2d, 3d of a list */
void htp_lower_atleast_list(htp_lowering *l)
{
    size_t count = 0;
    const htp_value_id *values = htp_arg_list(l, "tensors", &count);
    const htp_value_id *outputs = output_elements(l, count);
    for (size_t i = 0; outputs && i < count && !l->failure; i++) {
        uint32_t rank = htp_graph_value(l->graph, values[i])->rank;
        htp_tensor_id x = htp_value_tensor(l, values[i]);
        htp_bind_value(l, outputs[i], at_least(l, x, rank, least_rank(l)));
    }
}

/** aten::hstack, vstack, dstack: joined along the second, first and third dim. The row's parameter
 * is the least number of dims. */
void htp_lower_stack_along(htp_lowering *l)
{
    size_t count = 0;
    const htp_value_id *values = htp_arg_list(l, "tensors", &count);
    uint32_t wanted = least_rank(l);
    int64_t axis = wanted == 3 ? 2 : wanted == 2 ? 0 : htp_output_rank(l, 0) > 1;
    htp_tensor_id *parts = HTP_NEW_ARRAY(l->arena, htp_tensor_id, count + 1);
    for (size_t i = 0; i < count; i++) {
        uint32_t rank = htp_graph_value(l->graph, values[i])->rank;
        htp_tensor_id x = htp_value_tensor_as(l, values[i], htp_output_dtype(l, 0));
        parts[i] = at_least(l, x, rank, wanted);
    }
    if (count == 0) {
        htp_lower_fail(l, "there is nothing to stack");
        return;
    }
    htp_bind(l, 0, htp_emit_concat(l, (htp_emit_inputs){parts, count}, axis));
}

/** aten::column_stack: vectors and numbers become columns. */
void htp_lower_column_stack(htp_lowering *l)
{
    static const int64_t axes[] = {0, 1};
    size_t count = 0;
    const htp_value_id *values = htp_arg_list(l, "tensors", &count);
    htp_tensor_id *parts = HTP_NEW_ARRAY(l->arena, htp_tensor_id, count + 1);
    for (size_t i = 0; i < count; i++) {
        uint32_t rank = htp_graph_value(l->graph, values[i])->rank;
        htp_tensor_id x = htp_value_tensor_as(l, values[i], htp_output_dtype(l, 0));
        parts[i] = rank < 2 ? htp_emit_unsqueeze(l, x, axes + rank, 2 - rank) : x;
    }
    if (count == 0) {
        htp_lower_fail(l, "there is nothing to stack");
        return;
    }
    htp_bind(l, 0, htp_emit_concat(l, (htp_emit_inputs){parts, count}, 1));
}

/** aten::block_diag: every tensor is a block on the diagonal, with zeros left and right. */
void htp_lower_block_diag(htp_lowering *l)
{
    size_t count = 0;
    const htp_value_id *values = htp_arg_list(l, "tensors", &count);
    htp_dtype dtype = htp_output_dtype(l, 0);
    htp_dtype wide = htp_kernel_dtype(l, "Pad", dtype);
    htp_tensor_id *parts = HTP_NEW_ARRAY(l->arena, htp_tensor_id, count + 1);
    htp_tensor_id *widths = HTP_NEW_ARRAY(l->arena, htp_tensor_id, count + 1);
    htp_tensor_id total = htp_emit_int(l, 0);
    for (size_t i = 0; i < count; i++) {
        uint32_t rank = htp_graph_value(l->graph, values[i])->rank;
        parts[i] = at_least(l, htp_value_tensor_as(l, values[i], wide), rank, 2);
        widths[i] = rank ? htp_emit_dim(l, htp_value_tensor(l, values[i]),
                                        l->graph->values[values[i]].dims, (int64_t)rank - 1)
                         : htp_emit_int(l, 1);
        total = htp_emit_binary(l, "Add", total, widths[i]);
    }
    htp_tensor_id left = htp_emit_int(l, 0);
    for (size_t i = 0; i < count; i++) {
        htp_tensor_id right = htp_emit_binary(l, "Add", left, widths[i]);
        htp_sizes pads = htp_sizes_begin(l);
        htp_sizes_add_int(&pads, 0);
        htp_sizes_add_tensor(&pads, left);
        htp_sizes_add_int(&pads, 0);
        htp_sizes_add_tensor(&pads, htp_emit_binary(l, "Sub", total, right));
        parts[i] = htp_emit_binary(l, "Pad", parts[i], htp_sizes_end(&pads));
        left = right;
    }
    htp_tensor_id joined = htp_emit_concat(l, (htp_emit_inputs){parts, count}, 0);
    htp_bind(l, 0, htp_emit_cast(l, joined, wide, dtype));
}

/** aten::broadcast_tensors: each is expanded to the common shape */
void htp_lower_broadcast_tensors(htp_lowering *l)
{
    size_t count = 0;
    const htp_value_id *values = htp_arg_list(l, "tensors", &count);
    const htp_value_id *outputs = output_elements(l, count);
    for (size_t i = 0; outputs && i < count && !l->failure; i++) {
        htp_tensor_id x = htp_value_tensor(l, values[i]);
        htp_dtype dtype = htp_value_dtype(l, values[i]);
        for (size_t j = 0; j < count; j++) {
            if (j != i) {
                htp_tensor_id other = htp_value_tensor(l, values[j]);
                uint32_t rank = htp_graph_value(l->graph, values[j])->rank;
                htp_tensor_id shape =
                    htp_emit_shape(l, other, rank, l->graph->values[values[j]].dims);
                x = htp_typed_expand(l, dtype, x, shape);
            }
        }
        htp_bind_value(l, outputs[i], x);
    }
}

/** aten::cartesian_prod: all combinations of the vectors' elements, a row each */
void htp_lower_cartesian_product(htp_lowering *l)
{
    size_t count = 0;
    const htp_value_id *values = htp_arg_list(l, "tensors", &count);
    if (count == 0 || count > HTP_MAX_RANK) {
        htp_lower_fail(l, "it combines %zu vectors", count);
        return;
    }
    htp_dtype dtype = htp_output_dtype(l, 0);
    htp_sizes shape = htp_sizes_begin(l);
    for (size_t i = 0; i < count; i++) {
        htp_sizes_add_dims(&shape, htp_value_tensor(l, values[i]), l->graph->values[values[i]].dims,
                           0, htp_graph_value(l->graph, values[i])->rank);
    }
    htp_tensor_id grid = htp_sizes_end(&shape);
    htp_tensor_id columns[HTP_MAX_RANK];
    for (size_t i = 0; i < count; i++) {
        int64_t line[HTP_MAX_RANK];
        for (size_t j = 0; j < count; j++) {
            line[j] = j == i ? -1 : 1;
        }
        htp_tensor_id x = htp_emit_reshape(l, htp_value_tensor(l, values[i]), line, count);
        x = htp_typed_expand(l, dtype, x, grid);
        columns[i] = htp_emit_reshape(l, x, (const int64_t[]){-1, 1}, 2);
    }
    if (count == 1) {
        htp_bind(l, 0, htp_value_tensor(l, values[0]));
        return;
    }
    htp_bind(l, 0, htp_emit_concat(l, (htp_emit_inputs){columns, count}, 1));
}

/* ---- flips and turns ---- */

static htp_tensor_id flip(htp_lowering *l, htp_tensor_id x, int64_t axis)
{
    return htp_emit(l, "Slice",
                    HTP_IN(x, htp_emit_int(l, -1), htp_emit_int(l, INT64_MIN),
                           htp_emit_int(l, axis), htp_emit_int(l, -1)),
                    HTP_NO_AT);
}

/** aten::flipud, aten::fliplr: the row's parameter is the axis. */
void htp_lower_flip_axis(htp_lowering *l)
{
    htp_bind(l, 0, flip(l, htp_arg_tensor(l, "self"), l->row->op[0] - '0'));
}

/** aten::rot90: quarter turns in the plane of two dims, from the first to the second */
void htp_lower_rotate(htp_lowering *l)
{
    size_t count = 0;
    uint32_t rank = htp_arg_rank(l, "self");
    const int64_t *plane = htp_arg_dims_list(l, "dims", rank, false, &count);
    int64_t turns = (htp_arg_int(l, "k") % 4 + 4) % 4;
    htp_tensor_id x = htp_arg_tensor(l, "self");
    if (count != 2 || rank < 2) {
        htp_lower_fail(l, "its plane has %zu dims", count);
        return;
    }
    x = turns == 1 || turns == 2 ? flip(l, x, plane[1]) : x;
    x = turns == 2 || turns == 3 ? flip(l, x, plane[0]) : x;
    if (turns % 2 == 1) {
        int64_t perm[HTP_MAX_RANK];
        for (uint32_t i = 0; i < rank; i++) {
            perm[i] = i == plane[0] ? plane[1] : i == plane[1] ? plane[0] : (int64_t)i;
        }
        x = htp_emit_transpose(l, x, perm, rank);
    }
    htp_bind(l, 0, x);
}

/** aten::_chunk_cat: each tensor is padded with zeros and cut along a dim into equal chunks; then
 * the dims after are flattened, and the chunks of all tensors concatenated. */
void htp_lower_chunk_cat(htp_lowering *l)
{
    size_t count = 0;
    const htp_value_id *values = htp_arg_list(l, "tensors", &count);
    int64_t chunks = htp_arg_int(l, "num_chunks");
    htp_dtype dtype = htp_kernel_dtype(l, "Pad", htp_output_dtype(l, 0));
    htp_tensor_id *parts = HTP_NEW_ARRAY(l->arena, htp_tensor_id, count + 1);
    uint32_t first_rank = count ? htp_graph_value(l->graph, values[0])->rank : 0;
    int64_t axis = htp_arg_dim(l, "dim", first_rank);
    for (size_t i = 0; i < count && !l->failure; i++) {
        uint32_t rank = htp_graph_value(l->graph, values[i])->rank;
        const htp_dim *dim = &l->graph->values[values[i]].dims[axis];
        if (dim->symbol || (uint32_t)axis >= rank || chunks < 1) {
            htp_lower_fail(l, "a dynamic axis is cut into chunks");
            return;
        }
        int64_t pads[2 * HTP_MAX_RANK] = {0};
        pads[rank + (size_t)axis] = (chunks - dim->size % chunks) % chunks;
        htp_tensor_id x = htp_value_tensor_as(l, values[i], dtype);
        x = htp_emit_binary(l, "Pad", x, htp_emit_ints(l, pads, 2 * (size_t)rank));
        int64_t shape[HTP_MAX_RANK + 1] = {0}; /* 0: unchanged */
        shape[axis] = chunks;
        shape[axis + 1] = -1;
        parts[i] = htp_emit_reshape(l, x, shape, (size_t)axis + 2);
    }
    htp_tensor_id joined = htp_emit_concat(l, (htp_emit_inputs){parts, count}, axis + 1);
    htp_bind_cast(l, 0, joined, dtype);
}

/** The largest size of the first dim among some tensors, as [1]. */
static htp_tensor_id longest(htp_lowering *l, const htp_value_id *values, size_t count)
{
    htp_tensor_id *sizes = HTP_NEW_ARRAY(l->arena, htp_tensor_id, count + 1);
    for (size_t i = 0; i < count; i++) {
        sizes[i] =
            htp_emit_dim(l, htp_value_tensor(l, values[i]), l->graph->values[values[i]].dims, 0);
    }
    htp_tensor_id all = htp_emit_concat(l, (htp_emit_inputs){sizes, count}, 0);
    return htp_emit_reduce(l, "ReduceMax", all, (const int64_t[]){0}, 1, true);
}

/** aten::pad_sequence: stacks tensors, padding the shorter ones. */
void htp_lower_pad_sequence(htp_lowering *l)
{
    size_t count = 0;
    const htp_value_id *values = htp_arg_list(l, "sequences", &count);
    htp_dtype dtype = htp_output_dtype(l, 0);
    htp_dtype wide = htp_kernel_dtype(l, "Pad", dtype);
    uint32_t rank = htp_output_rank(l, 0) - 1;
    int64_t axis = htp_arg_bool(l, "batch_first") ? 0 : 1;
    const char *side =
        htp_arg_present(l, "padding_side") ? htp_arg_string(l, "padding_side") : "right";
    if (l->failure || count == 0) {
        htp_lower_fail(l, "there is nothing to stack");
        return;
    }
    bool is_left = strcmp(side, "left") == 0;
    htp_tensor_id most = longest(l, values, count);
    htp_tensor_id fill = htp_emit_scalar(l, dtype, htp_arg_float(l, "padding_value"));
    fill = htp_emit_cast(l, fill, dtype, wide);
    htp_tensor_id *parts = HTP_NEW_ARRAY(l->arena, htp_tensor_id, count);
    for (size_t i = 0; i < count && !l->failure; i++) {
        htp_tensor_id x = htp_value_tensor_as(l, values[i], wide);
        htp_tensor_id size = htp_emit_dim(l, x, l->graph->values[values[i]].dims, 0);
        htp_sizes pads = htp_sizes_begin(l);
        for (uint32_t k = 0; k < 2 * rank; k++) {
            if (k == (is_left ? 0 : rank)) {
                htp_sizes_add_tensor(&pads, htp_emit_binary(l, "Sub", most, size));
            } else {
                htp_sizes_add_int(&pads, 0);
            }
        }
        x = htp_emit(l, "Pad", HTP_IN(x, htp_sizes_end(&pads), fill), HTP_NO_AT);
        parts[i] = htp_emit_unsqueeze(l, x, &axis, 1);
    }
    htp_bind_cast(l, 0, htp_emit_concat(l, (htp_emit_inputs){parts, count}, axis), wide);
}
