/*
 * Joining tensors and taking parts of them: cat, stack, slice, select and the like.
 */
#include "lower/compose/formula.h"
#include "lower/emit/ort_dtypes.h"
#include "lower/emit/rows.h"
#include "lower/emit/sequence.h"
#include "lower/emit/sizes.h"

#include <string.h>

/** A slice along one axis; bounds and step are [1]. */
static htp_tensor_id slice(htp_lowering *l, htp_tensor_id x, int64_t axis, htp_tensor_id begin,
                           htp_tensor_id end, htp_tensor_id step)
{
    return htp_emit(l, "Slice", HTP_IN(x, begin, end, htp_emit_int(l, axis), step), HTP_NO_AT);
}

static htp_tensor_id concatenate(htp_lowering *l, const htp_tensor_id *parts, size_t count,
                                 int64_t axis)
{
    if (count == 1) {
        return parts[0];
    }
    return htp_emit_concat(l, (htp_emit_inputs){parts, count}, axis);
}

/* ---- together ---- */

/** aten::cat. An empty vector may stand beside tensors of any rank; it is ignored. */
void htp_lower_cat(htp_lowering *l)
{
    if (htp_value_is_sequence(l, htp_arg_value(l, "tensors"))) {
        htp_lower_sequence_join(l, false);
        return;
    }
    size_t count = 0;
    const htp_value_id *values = htp_arg_list(l, "tensors", &count);
    uint32_t rank = htp_output_rank(l, 0);
    int64_t axis = htp_arg_dim(l, "dim", rank);
    htp_tensor_id *parts = HTP_NEW_ARRAY(l->arena, htp_tensor_id, count + 1);
    size_t part_count = 0;
    for (size_t i = 0; i < count; i++) {
        const htp_trace_value *value = htp_graph_value(l->graph, values[i]);
        if (value->kind == HTP_TRACE_TENSOR && value->rank == 1 && rank != 1) {
            continue;
        }
        parts[part_count++] = htp_value_tensor_as(l, values[i], htp_output_dtype(l, 0));
    }
    if (part_count == 0) {
        htp_lower_fail(l, "there is nothing to concatenate");
        return;
    }
    htp_bind(l, 0, concatenate(l, parts, part_count, axis));
}

/** aten::stack */
void htp_lower_stack(htp_lowering *l)
{
    if (htp_value_is_sequence(l, htp_arg_value(l, "tensors"))) {
        htp_lower_sequence_join(l, true);
        return;
    }
    size_t count = 0;
    const htp_value_id *values = htp_arg_list(l, "tensors", &count);
    int64_t axis = htp_arg_dim(l, "dim", htp_output_rank(l, 0));
    htp_tensor_id *parts = HTP_NEW_ARRAY(l->arena, htp_tensor_id, count + 1);
    for (size_t i = 0; i < count; i++) {
        htp_tensor_id part = htp_value_tensor_as(l, values[i], htp_output_dtype(l, 0));
        parts[i] = htp_emit_unsqueeze(l, part, &axis, 1);
    }
    if (count == 0) {
        htp_lower_fail(l, "there is nothing to stack");
        return;
    }
    htp_bind(l, 0, concatenate(l, parts, count, axis));
}

/** aten::meshgrid: every vector along an axis of its own, broadcast over the others. */
void htp_lower_meshgrid(htp_lowering *l)
{
    size_t count = 0;
    size_t output_count = 0;
    const htp_value_id *values = htp_arg_list(l, "tensors", &count);
    const htp_trace_value *list = htp_graph_value(l->graph, htp_output_value(l, 0));
    output_count = list->element_count;
    bool swapped = htp_arg_present(l, "indexing") &&
                   strcmp(htp_arg_string(l, "indexing"), "xy") == 0 && count >= 2;
    if (count != output_count || count > HTP_MAX_RANK) {
        htp_lower_fail(l, "it has %zu results for %zu tensors", output_count, count);
        return;
    }
    htp_sizes shape = htp_sizes_begin(l);
    for (size_t i = 0; i < count; i++) {
        size_t at = swapped && i < 2 ? 1 - i : i;
        htp_tensor_id x = htp_value_tensor(l, values[at]);
        uint32_t rank = htp_graph_value(l->graph, values[at])->rank;
        if (rank) {
            htp_sizes_add_dims(&shape, x, l->graph->values[values[at]].dims, 0, 1);
        } else {
            htp_sizes_add_int(&shape, 1);
        }
    }
    htp_tensor_id grid = htp_sizes_end(&shape);
    for (size_t i = 0; i < count; i++) {
        size_t at = swapped && i < 2 ? 1 - i : i;
        int64_t line[HTP_MAX_RANK];
        for (size_t j = 0; j < count; j++) {
            line[j] = j == at ? -1 : 1;
        }
        htp_tensor_id x = htp_emit_reshape(l, htp_value_tensor(l, values[i]), line, count);
        htp_dtype dtype = htp_value_dtype(l, values[i]);
        htp_bind_value(l, list->elements[i], htp_typed_expand(l, dtype, x, grid));
    }
}

/* ---- parts ---- */

/** aten::select.int: like PyTorch, ONNX Gather counts negative indices from the end. */
void htp_lower_select(htp_lowering *l)
{
    int64_t axis = htp_arg_dim(l, "dim", htp_arg_rank(l, "self"));
    htp_tensor_id index = htp_arg_tensor_as(l, "index", HTP_DTYPE_INT64);
    htp_bind(l, 0,
             htp_emit(l, "Gather", HTP_IN(htp_arg_tensor(l, "self"), index),
                      HTP_AT(htp_attribute_int("axis", axis))));
}

/** A bound of aten::slice as [1]; @p otherwise for None. */
static htp_tensor_id slice_bound(htp_lowering *l, const char *name, int64_t otherwise)
{
    return htp_arg_present(l, name) ? htp_arg_vector(l, name) : htp_emit_int(l, otherwise);
}

/** Whether a slice takes all of a dim. */
static bool takes_all(htp_lowering *l, const htp_dim *dim)
{
    bool from_start = !htp_arg_present(l, "start") ||
                      (htp_arg_is_constant(l, "start") && htp_arg_int(l, "start") == 0);
    bool to_end = !htp_arg_present(l, "end") ||
                  (htp_arg_is_constant(l, "end") &&
                   htp_arg_int(l, "end") >= (dim->symbol ? INT64_MAX : dim->size));
    return from_start && to_end && htp_arg_is_constant(l, "step") && htp_arg_int(l, "step") == 1;
}

/** aten::slice.Tensor: ONNX Slice wraps and clamps bounds in the same way. */
void htp_lower_slice(htp_lowering *l)
{
    int64_t axis = htp_arg_dim(l, "dim", htp_arg_rank(l, "self"));
    htp_tensor_id x = htp_arg_tensor(l, "self");
    if (takes_all(l, &htp_arg_dims(l, "self")[axis])) {
        htp_bind(l, 0, x);
        return;
    }
    htp_tensor_id begin = slice_bound(l, "start", 0);
    htp_tensor_id end = slice_bound(l, "end", INT64_MAX);
    bool by_one = htp_arg_is_constant(l, "step") && htp_arg_int(l, "step") == 1;
    htp_tensor_id step = by_one ? HTP_NONE : htp_arg_vector(l, "step");
    htp_bind(l, 0, slice(l, x, axis, begin, end, step));
}

/** aten::narrow: length elements from start, which counts from the end if negative. */
void htp_lower_narrow(htp_lowering *l)
{
    int64_t axis = htp_arg_dim(l, "dim", htp_arg_rank(l, "self"));
    htp_tensor_id x = htp_arg_tensor(l, "self");
    htp_tensor_id begin = htp_arg_vector(l, "start");
    bool not_negative = htp_arg_is_constant(l, "start") && htp_arg_int(l, "start") >= 0;
    if (!not_negative) {
        htp_tensor_id zero = htp_emit_int(l, 0);
        htp_tensor_id size = htp_emit_dim(l, x, htp_arg_dims(l, "self"), axis);
        htp_tensor_id wrapped = htp_emit_binary(l, "Add", begin, size);
        htp_tensor_id is_negative = htp_emit_binary(l, "Less", begin, zero);
        begin = htp_emit(l, "Where", HTP_IN(is_negative, wrapped, begin), HTP_NO_AT);
    }
    htp_tensor_id end = htp_emit_binary(l, "Add", begin, htp_arg_vector(l, "length"));
    htp_bind(l, 0, slice(l, x, axis, begin, end, HTP_NONE));
}

/** aten::unfold: sliding windows along a dim; their elements become a new last dim. */
void htp_lower_unfold(htp_lowering *l)
{
    static const int64_t first = 0;
    static const int64_t second = 1;
    uint32_t rank = htp_arg_rank(l, "self");
    int64_t axis = htp_arg_dim(l, "dimension", rank);
    int64_t size = htp_arg_int(l, "size");
    int64_t step = htp_arg_int(l, "step");
    htp_tensor_id x = htp_arg_tensor(l, "self");
    if (size < 1 || step < 1) {
        htp_lower_fail(l, "windows of %lld elements are not supported", (long long)size);
        return;
    }
    if (rank == 0) {
        htp_bind(l, 0, htp_emit_unsqueeze(l, x, &first, 1));
        return;
    }
    htp_tensor_id count = htp_emit_dim(l, x, htp_arg_dims(l, "self"), axis);
    count = htp_emit_binary(l, "Sub", count, htp_emit_int(l, size));
    count = htp_emit_binary(l, "Div", count, htp_emit_int(l, step));
    count = htp_emit_count_up(l, htp_emit_binary(l, "Add", count, htp_emit_int(l, 1)));
    htp_tensor_id start = htp_emit_binary(l, "Mul", count, htp_emit_int(l, step));
    htp_tensor_id index = htp_emit_binary(l, "Add", htp_emit_unsqueeze(l, start, &second, 1),
                                          htp_emit_count_up(l, htp_emit_int(l, size)));
    x = htp_emit(l, "Gather", HTP_IN(x, index), HTP_AT(htp_attribute_int("axis", axis)));
    int64_t perm[HTP_MAX_RANK + 1];
    for (int64_t i = 0; i < (int64_t)rank; i++) {
        perm[i] = i <= axis ? i : i + 1;
    }
    perm[rank] = axis + 1;
    htp_bind(l, 0, htp_emit_transpose(l, x, perm, rank + 1));
}

/* ---- in another order ---- */

/** aten::flip */
void htp_lower_flip(htp_lowering *l)
{
    size_t count = 0;
    uint32_t rank = htp_arg_rank(l, "self");
    const int64_t *axes = htp_arg_dims_list(l, "dims", rank, false, &count);
    htp_tensor_id x = htp_arg_tensor(l, "self");
    for (size_t i = 0; i < count && rank > 0; i++) {
        x = slice(l, x, axes[i], htp_emit_int(l, -1), htp_emit_int(l, INT64_MIN),
                  htp_emit_int(l, -1));
    }
    htp_bind(l, 0, x);
}

/** Rotates the elements of @p x by @p shift along an axis. */
static htp_tensor_id roll(htp_lowering *l, htp_tensor_id x, int64_t axis, htp_tensor_id size,
                          htp_tensor_id shift)
{
    htp_tensor_id zero = htp_emit_int(l, 0);
    htp_tensor_id whole = htp_emit_binary(l, "Max", size, htp_emit_int(l, 1));
    htp_tensor_id cut = htp_emit_binary(l, "Sub", size, htp_emit_binary(l, "Mod", shift, whole));
    htp_tensor_id parts[] = {
        slice(l, x, axis, cut, htp_emit_int(l, INT64_MAX), HTP_NONE),
        slice(l, x, axis, zero, cut, HTP_NONE),
    };
    return concatenate(l, parts, 2, axis);
}

/** aten::roll; without dims over the flattened tensor. */
void htp_lower_roll(htp_lowering *l)
{
    size_t count = 0;
    size_t shift_count = 0;
    uint32_t rank = htp_arg_rank(l, "self");
    const int64_t *axes = htp_arg_dims_list(l, "dims", rank, false, &count);
    const htp_value_id *shifts = htp_arg_list(l, "shifts", &shift_count);
    const htp_dim *dims = htp_arg_dims(l, "self");
    htp_tensor_id x = htp_arg_tensor(l, "self");
    if (rank == 0) {
        htp_bind(l, 0, x);
    } else if (count == 0 && shift_count == 1) {
        htp_tensor_id flat = htp_emit_reshape(l, x, (const int64_t[]){-1}, 1);
        htp_tensor_id size = htp_emit_unary(l, "Shape", flat);
        flat = roll(l, flat, 0, size, htp_value_vector(l, shifts[0]));
        htp_tensor_id shape = htp_emit_shape(l, x, rank, dims);
        htp_bind(
            l, 0,
            htp_emit(l, "Reshape", HTP_IN(flat, shape), HTP_AT(htp_attribute_int("allowzero", 1))));
    } else if (count == shift_count) {
        for (size_t i = 0; i < count; i++) {
            htp_tensor_id size = htp_emit_dim(l, x, dims, axes[i]);
            x = roll(l, x, axes[i], size, htp_value_vector(l, shifts[i]));
        }
        htp_bind(l, 0, x);
    } else {
        htp_lower_fail(l, "it has %zu shifts for %zu dims", shift_count, count);
    }
}

/** The operand of a difference: prepend, self and append joined. */
static htp_tensor_id extended_self(htp_lowering *l, const htp_formula *f, int64_t axis)
{
    static const char *const names[] = {"prepend", "self", "append"};
    htp_tensor_id parts[3];
    size_t count = 0;
    for (size_t i = 0; i < 3; i++) {
        if (htp_arg_present(l, names[i])) {
            parts[count++] = htp_step_arg(f, names[i]);
        }
    }
    if (count == 0) {
        htp_lower_fail(l, "it has no input");
        return HTP_NONE;
    }
    return concatenate(l, parts, count, axis);
}

/** aten::diff: differences of neighbours, n times; of bools, whether they differ. With n = 0 it is
 * self. */
void htp_lower_diff(htp_lowering *l)
{
    enum { MAX_TIMES = 64 };
    htp_formula f = htp_formula_of_steps(l, htp_output_dtype(l, 0));
    int64_t axis = htp_arg_dim(l, "dim", htp_arg_rank(l, "self"));
    int64_t n = htp_arg_int_or(l, "n", 1);
    if (n < 0 || n > MAX_TIMES) {
        htp_lower_fail(l, "differences are not taken %lld times", (long long)n);
        return;
    }
    htp_tensor_id x = n ? extended_self(l, &f, axis) : htp_step_arg(&f, "self");
    for (int64_t i = 0; i < n; i++) {
        htp_tensor_id later = htp_emit_slice(l, x, axis, 1, INT64_MAX);
        htp_tensor_id earlier = htp_emit_slice(l, x, axis, 0, -1);
        x = f.dtype == HTP_DTYPE_BOOL ? htp_emit_binary(l, "Xor", later, earlier)
                                      : htp_step_binary(&f, "Sub", later, earlier);
    }
    htp_formula_bind(&f, 0, x);
}
