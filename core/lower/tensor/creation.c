/*
 * Creation of tensors: arange, zeros, full and the like, and masks by position.
 */
#include "base/checked.h"
#include "lower/compose/compose.h"
#include "lower/emit/means.h"
#include "lower/emit/ort_dtypes.h"
#include "lower/emit/rows.h"
#include "lower/emit/sizes.h"

#include <math.h>
#include <string.h>

/** A bound of aten::arange, or @p otherwise where the overload has none. */
static htp_tensor_id range_bound(htp_lowering *l, const char *name, htp_dtype dtype,
                                 double otherwise)
{
    return htp_arg_present(l, name) ? htp_arg_tensor_as(l, name, dtype)
                                    : htp_emit_scalar(l, dtype, otherwise);
}

/** Whether a bound may be fractional. */
static bool is_float_number(htp_lowering *l, const char *name)
{
    if (!htp_arg_present(l, name) || !htp_dtype_is_float(htp_arg_dtype(l, name))) {
        return false;
    }
    if (!htp_arg_is_constant(l, name)) {
        return true;
    }
    const double most = 0x1p53;
    double value = htp_arg_float(l, name);
    return !(value == trunc(value) && fabs(value) < most);
}

/** aten::arange. With a fractional bound or step it is start + i * step: ONNX Range adds the steps
 * one by one, which accumulates rounding errors. */
void htp_lower_arange(htp_lowering *l)
{
    htp_dtype dtype = htp_output_dtype(l, 0);
    if (!is_float_number(l, "start") && !is_float_number(l, "end") && !is_float_number(l, "step")) {
        htp_tensor_id range = htp_emit(l, "Range",
                                       HTP_IN(range_bound(l, "start", HTP_DTYPE_INT64, 0),
                                              range_bound(l, "end", HTP_DTYPE_INT64, 0),
                                              range_bound(l, "step", HTP_DTYPE_INT64, 1)),
                                       HTP_NO_AT);
        htp_bind_cast(l, 0, range, HTP_DTYPE_INT64);
        return;
    }
    if (!htp_dtype_is_float(dtype)) {
        htp_lower_fail(l, "integers between bounds that are floats are not counted");
    }
    htp_dtype wide = HTP_DTYPE_FLOAT64;
    htp_tensor_id start = range_bound(l, "start", wide, 0);
    htp_tensor_id step = range_bound(l, "step", wide, 1);
    htp_tensor_id length = htp_emit_binary(l, "Sub", range_bound(l, "end", wide, 0), start);
    length = htp_emit_unary(l, "Ceil", htp_emit_binary(l, "Div", length, step));
    length = htp_emit_cast(l, length, wide, HTP_DTYPE_INT64);
    htp_tensor_id count =
        htp_emit_count_up(l, htp_emit_unsqueeze(l, length, (const int64_t[]){0}, 1));
    htp_tensor_id offset =
        htp_emit_binary(l, "Mul", htp_emit_cast(l, count, HTP_DTYPE_INT64, wide), step);
    htp_bind_cast(l, 0, htp_emit_binary(l, "Add", start, offset), wide);
}

enum { MOST_WRITTEN = 1 << 20 }; /* bytes, as for results computed from weights */

/**
 * A constant in the static dims of the output. Constant folding cannot do it: to it, new_ones() and
 * the like read self.
 * @return HTP_NONE if @p value is no constant, or the result would be too large
 */
static htp_tensor_id fill_constant(htp_lowering *l, htp_tensor_id value)
{
    const htp_builder *model = l->model;
    const htp_tensor *tensor = &model->tensors.items[value];
    const htp_initializer *constant = tensor->source == HTP_TENSOR_FROM_INITIALIZER
                                          ? &model->initializers.items[tensor->index]
                                          : NULL;
    uint32_t rank = htp_output_rank(l, 0);
    size_t size = htp_dtype_size(htp_output_dtype(l, 0));
    int64_t dims[HTP_MAX_RANK + 1];
    uint64_t bytes = size;
    if (!l->means->folds || !constant || !constant->data || constant->bytes != size) {
        return HTP_NONE;
    }
    for (uint32_t i = 0; i < rank; i++) {
        dims[i] = htp_output_dims(l, 0)[i].size;
        if (!htp_checked_mul(bytes, (uint64_t)dims[i], &bytes) || bytes > MOST_WRITTEN) {
            return HTP_NONE;
        }
    }
    char *contents = htp_arena_alloc(l->arena, (size_t)bytes + 1);
    for (size_t at = 0; at < bytes; at += size) {
        memcpy(contents + at, constant->data, size);
    }
    htp_tensor_id made =
        htp_builder_constant(l->model, htp_output_dtype(l, 0), rank, dims, contents);
    htp_arena_release(l->arena, contents, (size_t)bytes + 1);
    return made;
}

/** Binds the output to @p value (0-d, of the output's dtype) in the shape of the argument size, or
 * of self. */
static void bind_full(htp_lowering *l, htp_tensor_id value)
{
    uint32_t rank = htp_output_rank(l, 0);
    const htp_dim *dims = htp_output_dims(l, 0);
    htp_tensor_id shape;
    bool is_static = htp_dims_are_static(dims, rank);
    htp_tensor_id constant = is_static ? fill_constant(l, value) : HTP_NONE;
    if (constant != HTP_NONE) {
        htp_bind(l, 0, constant);
        return;
    }
    if (is_static) {
        shape = htp_emit_shape(l, value, rank, dims);
    } else if (htp_arg_present(l, "size")) {
        shape = htp_arg_shape(l, "size");
    } else {
        shape = htp_emit_unary(l, "Shape", htp_arg_tensor(l, "self"));
    }
    htp_bind(l, 0, htp_typed_expand(l, htp_output_dtype(l, 0), value, shape));
}

/** aten::zeros, and aten::empty, whose contents nobody may rely on. */
void htp_lower_zeros(htp_lowering *l)
{
    bind_full(l, htp_emit_scalar_int(l, htp_output_dtype(l, 0), 0));
}

/** aten::ones */
void htp_lower_ones(htp_lowering *l)
{
    bind_full(l, htp_emit_scalar_int(l, htp_output_dtype(l, 0), 1));
}

/** aten::full */
void htp_lower_full(htp_lowering *l)
{
    bind_full(l, htp_arg_tensor_as(l, "fill_value", htp_output_dtype(l, 0)));
}

/** aten::eye: whether row and column are the same */
void htp_lower_eye(htp_lowering *l)
{
    htp_tensor_id rows = htp_emit_count_up(l, htp_arg_vector(l, "n"));
    htp_tensor_id columns =
        htp_emit_count_up(l, htp_arg_vector(l, htp_arg_present(l, "m") ? "m" : "n"));
    rows = htp_emit_unsqueeze(l, rows, (const int64_t[]){1}, 1);
    htp_bind_cast(l, 0, htp_emit_binary(l, "Equal", rows, columns), HTP_DTYPE_BOOL);
}

static void lower_triangle(htp_lowering *l, bool upper)
{
    htp_dtype dtype = htp_arg_dtype(l, "self");
    htp_dtype wide = htp_kernel_dtype(l, "Trilu", dtype);
    htp_tensor_id x = htp_arg_tensor_as(l, "self", wide);
    htp_tensor_id diagonal = htp_arg_tensor_as(l, "diagonal", HTP_DTYPE_INT64);
    htp_bind_cast(
        l, 0, htp_emit(l, "Trilu", HTP_IN(x, diagonal), HTP_AT(htp_attribute_int("upper", upper))),
        wide);
}

/** aten::tril */
void htp_lower_tril(htp_lowering *l)
{
    lower_triangle(l, false);
}

/** aten::triu */
void htp_lower_triu(htp_lowering *l)
{
    lower_triangle(l, true);
}

/** aten::tril_indices, triu_indices: the indices below a diagonal, or above it, row by row. The
 * row's parameter compares column - row with the argument offset.
 */
void htp_lower_triangle_indices(htp_lowering *l)
{
    htp_tensor_id rows = htp_emit_count_up(l, htp_arg_vector(l, "row"));
    htp_tensor_id columns = htp_emit_count_up(l, htp_arg_vector(l, "col"));
    rows = htp_emit_unsqueeze(l, rows, (const int64_t[]){1}, 1);
    htp_tensor_id distance = htp_emit_binary(l, "Sub", columns, rows);
    htp_tensor_id mask = htp_emit_binary(l, l->row->op, distance, htp_arg_vector(l, "offset"));
    htp_bind_cast(l, 0, htp_emit_unary(l, "NonZero", mask), HTP_DTYPE_INT64);
}
