/*
 * Splits of tensors: aten::split, chunk, tensor_split, unbind and their kin. Lists of unknown
 * length are sequences (sequence.c).
 */
#include "lower/emit/rows.h"
#include "lower/emit/sequence.h"
#include "lower/emit/sizes.h"

/** The tensors of a list output. */
static const htp_value_id *output_list(htp_lowering *l, size_t *count)
{
    const htp_trace_value *list = htp_graph_value(l->graph, htp_output_value(l, 0));
    *count = list->element_count;
    if (list->kind != HTP_TRACE_LIST || list->element_count == 0) {
        htp_lower_fail(l, "its result is not a list of known length");
    }
    return list->elements;
}

/** Splits self into the outputs by sizes. */
static void bind_split(htp_lowering *l, int64_t axis, htp_tensor_id sizes)
{
    size_t count = 0;
    const htp_value_id *outputs = output_list(l, &count);
    htp_tensor_id x = htp_arg_tensor(l, "self");
    htp_tensor_id *parts = HTP_NEW_ARRAY(l->arena, htp_tensor_id, count + 1);
    parts[0] = x;
    if (count > 1) {
        htp_emit_many(l, "Split", HTP_IN(x, sizes), HTP_AT(htp_attribute_int("axis", axis)), parts,
                      count);
    }
    for (size_t i = 0; i < count && !l->failure; i++) {
        htp_bind_value(l, outputs[i], parts[i]);
    }
}

/** Splits self by constant sizes, if those of all outputs are known. */
static bool bind_constant_split(htp_lowering *l, int64_t axis)
{
    size_t count = 0;
    const htp_value_id *outputs = output_list(l, &count);
    htp_sizes sizes = htp_sizes_begin(l);
    for (size_t i = 0; i < count; i++) {
        const htp_trace_value *part = htp_graph_value(l->graph, outputs[i]);
        if (part->kind != HTP_TRACE_TENSOR || axis >= part->rank) {
            htp_lower_fail(l, "its results are not tensors of the same rank");
            return true;
        }
        const htp_dim *dim = &l->graph->values[outputs[i]].dims[axis];
        if (dim->symbol) {
            return false;
        }
        htp_sizes_add_int(&sizes, dim->size);
    }
    bind_split(l, axis, htp_sizes_end(&sizes));
    return true;
}

/** Splits self into parts of @p size ([1]); the last one gets the rest. If an input size gives
 * another number of parts than in the trace, a runtime refuses to split. */
static void bind_equal_split(htp_lowering *l, int64_t axis, htp_tensor_id size)
{
    size_t count = 0;
    output_list(l, &count);
    htp_tensor_id total = htp_emit_dim(l, htp_arg_tensor(l, "self"), htp_arg_dims(l, "self"), axis);
    htp_tensor_id full = htp_emit_binary(l, "Mul", size, htp_emit_int(l, (int64_t)count - 1));
    htp_sizes sizes = htp_sizes_begin(l);
    for (size_t i = 1; i < count; i++) {
        htp_sizes_add_tensor(&sizes, size);
    }
    htp_tensor_id rest = htp_emit_binary(l, "Sub", total, full);
    htp_sizes_add_tensor(&sizes, htp_emit_binary(l, "Min", rest, size));
    bind_split(l, axis, htp_sizes_end(&sizes));
}

/** aten::split.Tensor: parts of one size */
void htp_lower_split(htp_lowering *l)
{
    if (htp_value_is_sequence(l, htp_output_value(l, 0))) {
        htp_lower_sequence_split(l);
        return;
    }
    int64_t axis = htp_arg_dim(l, "dim", htp_arg_rank(l, "self"));
    if (!bind_constant_split(l, axis)) {
        bind_equal_split(l, axis, htp_arg_vector(l, "split_size"));
    }
}

/** aten::split_with_sizes; the row's parameter is the name of the sizes. */
void htp_lower_split_with_sizes(htp_lowering *l)
{
    int64_t axis = htp_arg_dim(l, "dim", htp_arg_rank(l, "self"));
    if (!bind_constant_split(l, axis)) {
        bind_split(l, axis, htp_arg_shape(l, l->row->op));
    }
}

/** aten::chunk: parts of the size divided by their number, rounded up */
void htp_lower_chunk(htp_lowering *l)
{
    if (htp_value_is_sequence(l, htp_output_value(l, 0))) {
        htp_lower_sequence_split(l);
        return;
    }
    int64_t axis = htp_arg_dim(l, "dim", htp_arg_rank(l, "self"));
    if (!bind_constant_split(l, axis)) {
        int64_t chunks = htp_arg_int(l, "chunks");
        htp_tensor_id total =
            htp_emit_dim(l, htp_arg_tensor(l, "self"), htp_arg_dims(l, "self"), axis);
        total = htp_emit_binary(l, "Add", total, htp_emit_int(l, chunks - 1));
        bind_equal_split(l, axis, htp_emit_binary(l, "Div", total, htp_emit_int(l, chunks)));
    }
}

/** Splits self into parts of nearly equal size; the first ones get one element more. Part number i
 * has (total + count - 1 - i) / count elements. */
static void bind_even_split(htp_lowering *l, int64_t axis)
{
    size_t count = 0;
    output_list(l, &count);
    int64_t *before = HTP_NEW_ARRAY(l->arena, int64_t, count + 1);
    for (size_t i = 0; i < count; i++) {
        before[i] = (int64_t)(count - 1 - i);
    }
    htp_tensor_id total = htp_emit_dim(l, htp_arg_tensor(l, "self"), htp_arg_dims(l, "self"), axis);
    htp_tensor_id sizes = htp_emit_binary(l, "Add", total, htp_emit_ints(l, before, count));
    bind_split(l, axis, htp_emit_binary(l, "Div", sizes, htp_emit_int(l, (int64_t)count)));
}

/** Binds the slices of self between positions, which may be negative; a slice that ends before it
 * begins is empty. */
static void bind_split_at(htp_lowering *l, int64_t axis, const htp_value_id *positions,
                          size_t position_count)
{
    size_t count = 0;
    const htp_value_id *outputs = output_list(l, &count);
    htp_tensor_id x = htp_arg_tensor(l, "self");
    htp_tensor_id begin = htp_emit_int(l, 0);
    for (size_t i = 0; i < count && !l->failure; i++) {
        htp_tensor_id end =
            i < position_count ? htp_value_vector(l, positions[i]) : htp_emit_int(l, INT64_MAX);
        htp_bind_value(
            l, outputs[i],
            htp_emit(l, "Slice", HTP_IN(x, begin, end, htp_emit_int(l, axis)), HTP_NO_AT));
        begin = end;
    }
}

/** Splits self evenly, or at the positions of the argument "indices". */
static void split_by_number(htp_lowering *l, int64_t axis)
{
    if (bind_constant_split(l, axis) || l->failure) {
        return;
    }
    if (!htp_arg_present(l, "indices")) {
        bind_even_split(l, axis);
        return;
    }
    size_t count = 0;
    const htp_value_id *positions = htp_arg_list(l, "indices", &count);
    bind_split_at(l, axis, positions, count);
}

/** aten::tensor_split */
void htp_lower_tensor_split(htp_lowering *l)
{
    int64_t axis = htp_arg_dim(l, "dim", htp_arg_rank(l, "self"));
    if (htp_arg_present(l, "tensor_indices_or_sections") && !bind_constant_split(l, axis)) {
        htp_lower_fail(l, "the sizes of its parts depend on the model's input");
        return;
    }
    split_by_number(l, axis);
}

/** aten::vsplit, hsplit, dsplit: along the axis in the row's parameter; hsplit splits a vector
 * along its only axis. */
void htp_lower_split_along(htp_lowering *l)
{
    split_by_number(l, htp_arg_rank(l, "self") > 1 ? l->row->op[0] - '0' : 0);
}

/** aten::unbind.int */
void htp_lower_unbind(htp_lowering *l)
{
    if (htp_value_is_sequence(l, htp_output_value(l, 0))) {
        htp_lower_sequence_split(l);
        return;
    }
    size_t count = 0;
    const htp_value_id *outputs = output_list(l, &count);
    int64_t axis = htp_arg_dim(l, "dim", htp_arg_rank(l, "self"));
    htp_tensor_id x = htp_arg_tensor(l, "self");
    for (size_t i = 0; i < count && !l->failure; i++) {
        htp_tensor_id index = htp_emit_scalar_int(l, HTP_DTYPE_INT64, (int64_t)i);
        htp_bind_value(
            l, outputs[i],
            htp_emit(l, "Gather", HTP_IN(x, index), HTP_AT(htp_attribute_int("axis", axis))));
    }
}
