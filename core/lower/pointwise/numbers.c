/*
 * TorchScript's arithmetic on ints, floats and bools that depend on inputs, usually sizes. Ints are
 * int64 and floats float64, as vectors of one element, which can be parts of ONNX shape operands.
 */
#include "lower/compose/arithmetic.h"
#include "lower/compose/elementary.h"
#include "lower/emit/ort_dtypes.h"
#include "lower/emit/promote.h"
#include "lower/emit/rows.h"

#include <string.h>

/** A number as [1] in @p dtype. */
static htp_tensor_id vector_as(htp_lowering *l, htp_value_id value, htp_dtype dtype)
{
    return htp_emit_cast(l, htp_value_vector(l, value), htp_value_dtype(l, value), dtype);
}

/** The first arguments of an operator on two numbers, in @p dtype. */
static htp_operands number_operands(htp_lowering *l, htp_dtype dtype)
{
    if (l->node->input_count < 2) {
        htp_lower_fail(l, "it has fewer than two arguments here");
        return (htp_operands){HTP_NONE, HTP_NONE, dtype};
    }
    return (htp_operands){vector_as(l, l->node->inputs[0], dtype),
                          vector_as(l, l->node->inputs[1], dtype), dtype};
}

/** Binds the one output to a [1] tensor of @p dtype. */
static void bind_number(htp_lowering *l, htp_tensor_id vector, htp_dtype dtype)
{
    vector = htp_emit_cast(l, vector, dtype, htp_output_dtype(l, 0));
    htp_value_id output = htp_output_value(l, 0);
    if (output != HTP_NONE) {
        htp_bind_value_vector(l, output, vector);
    }
}

/** The dtype in which two numbers are compared. */
static htp_dtype common_dtype(htp_lowering *l)
{
    for (uint32_t i = 0; i < l->node->input_count; i++) {
        if (htp_value_dtype(l, l->node->inputs[i]) == HTP_DTYPE_FLOAT64) {
            return HTP_DTYPE_FLOAT64;
        }
    }
    return HTP_DTYPE_INT64;
}

/** a OP b in the dtype of the result: aten::add.int, aten::mul.float, prim::max.int, ... */
void htp_lower_number_binary(htp_lowering *l)
{
    htp_operands o = number_operands(l, htp_output_dtype(l, 0));
    bind_number(l, htp_typed_binary(l, l->row->op, o.dtype, o.a, o.b), o.dtype);
}

/** aten::div: always a float */
void htp_lower_number_divide(htp_lowering *l)
{
    htp_operands o = number_operands(l, HTP_DTYPE_FLOAT64);
    bind_number(l, htp_emit_binary(l, "Div", o.a, o.b), o.dtype);
}

/** Whether an int is a size, and so never negative. */
static bool is_size(htp_lowering *l, htp_value_id id)
{
    const htp_trace_value *value = htp_graph_value(l->graph, id);
    if (value->producer == HTP_NONE) {
        return false;
    }
    const char *kind = htp_graph_node(l->graph, value->producer)->kind;
    return strcmp(kind, "aten::size.int") == 0 || strcmp(kind, "aten::size") == 0 ||
           strcmp(kind, "aten::numel") == 0 || strcmp(kind, "aten::len.Tensor") == 0;
}

/** aten::floordiv */
void htp_lower_number_floordiv(htp_lowering *l)
{
    htp_operands o = number_operands(l, htp_output_dtype(l, 0));
    htp_tensor_id quotient;
    if (o.dtype != HTP_DTYPE_INT64) {
        quotient = htp_emit_unary(l, "Floor", htp_emit_binary(l, "Div", o.a, o.b));
    } else if (l->failure == NULL && is_size(l, l->node->inputs[0]) &&
               htp_value_is_constant(l, l->node->inputs[1]) &&
               htp_graph_value(l->graph, l->node->inputs[1])->i[0] > 0) {
        quotient = htp_emit_binary(l, "Div", o.a, o.b);
    } else {
        quotient = htp_emit_floor_divide(l, o.dtype, o.a, o.b);
    }
    bind_number(l, quotient, o.dtype);
}

/** aten::__range_length: the length of range(lo, hi, step). */
void htp_lower_range_length(htp_lowering *l)
{
    if (l->node->input_count < 3) {
        htp_lower_fail(l, "it has fewer than three arguments here");
        return;
    }
    htp_operands o = number_operands(l, HTP_DTYPE_INT64);
    htp_tensor_id step = vector_as(l, l->node->inputs[2], o.dtype);
    htp_tensor_id way = htp_emit_binary(l, "Sub", o.a, o.b);
    htp_tensor_id less = htp_emit_floor_divide(l, o.dtype, way, step);
    htp_tensor_id none = htp_emit_binary(l, "Sub", less, less);
    bind_number(l, htp_emit_binary(l, "Max", htp_emit_unary(l, "Neg", less), none), o.dtype);
}

/** aten::__derive_index: number @c index of a range, start + index * step. */
void htp_lower_range_element(htp_lowering *l)
{
    if (l->node->input_count < 3) {
        htp_lower_fail(l, "it has fewer than three arguments here");
        return;
    }
    htp_operands o = number_operands(l, HTP_DTYPE_INT64);
    htp_tensor_id step = vector_as(l, l->node->inputs[2], o.dtype);
    htp_tensor_id way = htp_emit_binary(l, "Mul", o.a, step);
    bind_number(l, htp_emit_binary(l, "Add", o.b, way), o.dtype);
}

static htp_tensor_id fmod_of(htp_lowering *l, htp_tensor_id a, htp_tensor_id b)
{
    return htp_emit(l, "Mod", HTP_IN(a, b), HTP_AT(htp_attribute_int("fmod", 1)));
}

/** aten::remainder: for floats fmod(b + fmod(a, b), b), as in TorchScript. */
void htp_lower_number_remainder(htp_lowering *l)
{
    htp_operands o = number_operands(l, htp_output_dtype(l, 0));
    htp_tensor_id result;
    if (o.dtype == HTP_DTYPE_INT64) {
        result = htp_emit_remainder(l, o.dtype, o.a, o.b);
    } else {
        result = fmod_of(l, htp_emit_binary(l, "Add", o.b, fmod_of(l, o.a, o.b)), o.b);
    }
    bind_number(l, result, o.dtype);
}

/** aten::pow; integers only with a constant exponent, because ONNX Runtime's Pow computes them in
 * double. */
void htp_lower_number_power(htp_lowering *l)
{
    htp_operands o = number_operands(l, htp_output_dtype(l, 0));
    if (l->failure == NULL && htp_value_is_constant(l, l->node->inputs[1])) {
        const htp_trace_value *exponent = htp_graph_value(l->graph, l->node->inputs[1]);
        double power = exponent->kind == HTP_TRACE_FLOAT ? exponent->f[0] : (double)exponent->i[0];
        bind_number(l, htp_emit_power(l, o.dtype, o.a, power), o.dtype);
    } else if (o.dtype == HTP_DTYPE_FLOAT64) {
        bind_number(l, htp_emit_binary(l, "Pow", o.a, o.b), o.dtype);
    } else {
        htp_lower_fail(l, "integers are not raised to powers that depend on the model's input");
    }
}

/** aten::eq, lt, le, gt, ge */
void htp_lower_number_compare(htp_lowering *l)
{
    htp_operands o = number_operands(l, common_dtype(l));
    bind_number(l, htp_emit_binary(l, l->row->op, o.a, o.b), HTP_DTYPE_BOOL);
}

/** aten::ne */
void htp_lower_number_not_equal(htp_lowering *l)
{
    htp_operands o = number_operands(l, common_dtype(l));
    htp_tensor_id equal = htp_emit_binary(l, "Equal", o.a, o.b);
    bind_number(l, htp_emit_unary(l, "Not", equal), HTP_DTYPE_BOOL);
}

/** aten::__and__.bool, aten::__xor__.int, ... */
void htp_lower_number_bitwise(htp_lowering *l)
{
    htp_operands o = number_operands(l, htp_output_dtype(l, 0));
    bind_number(l, htp_emit_bitwise(l, l->row->op, o.dtype, o.a, o.b), o.dtype);
}

/** The shift count: processors use its last six bits. */
static htp_tensor_id shift_count(htp_lowering *l, htp_tensor_id count)
{
    enum { BITS = 64 };
    return htp_emit_binary_scalar(l, "Mod", count, HTP_DTYPE_INT64, BITS);
}

/** aten::__lshift__.int */
void htp_lower_number_left_shift(htp_lowering *l)
{
    htp_operands o = number_operands(l, HTP_DTYPE_INT64);
    bind_number(l, htp_emit_left_shift(l, o.a, shift_count(l, o.b)), o.dtype);
}

/** aten::__rshift__.int */
void htp_lower_number_right_shift(htp_lowering *l)
{
    htp_operands o = number_operands(l, HTP_DTYPE_INT64);
    bind_number(l, htp_emit_right_shift(l, o.a, shift_count(l, o.b)), o.dtype);
}

/** aten::__not__ */
void htp_lower_number_not(htp_lowering *l)
{
    htp_tensor_id x = vector_as(l, l->node->inputs[0], HTP_DTYPE_BOOL);
    bind_number(l, htp_emit_unary(l, "Not", x), HTP_DTYPE_BOOL);
}

/** One ONNX operator in the dtype of the result: aten::neg.int, prim::abs.float, ... */
void htp_lower_number_unary(htp_lowering *l)
{
    htp_dtype dtype = htp_output_dtype(l, 0);
    htp_tensor_id x = vector_as(l, l->node->inputs[0], dtype);
    bind_number(l, htp_typed_unary(l, l->row->op, dtype, x), dtype);
}

/** One ONNX operator in float64, perhaps converted to int: aten::sqrt.int, aten::floor.float */
void htp_lower_number_float(htp_lowering *l)
{
    htp_tensor_id x = vector_as(l, l->node->inputs[0], HTP_DTYPE_FLOAT64);
    bind_number(l, htp_typed_unary(l, l->row->op, HTP_DTYPE_FLOAT64, x), HTP_DTYPE_FLOAT64);
}

/** aten::Int, Float, Bool of a number: floats are truncated. */
void htp_lower_number_cast(htp_lowering *l)
{
    htp_dtype dtype = htp_output_dtype(l, 0);
    bind_number(l, vector_as(l, l->node->inputs[0], dtype), dtype);
}

/** The number in a tensor of one element: aten::Int.Tensor, aten::item, ... */
void htp_lower_item(htp_lowering *l)
{
    htp_value_id id = l->node->inputs[0];
    const htp_trace_value *value = htp_graph_value(l->graph, id);
    if (value->kind != HTP_TRACE_TENSOR) {
        htp_lower_number_cast(l);
    } else if (value->rank == 0 && l->bindings[id].vector == HTP_NONE) {
        htp_bind(l, 0, htp_value_tensor_as(l, id, htp_output_dtype(l, 0)));
    } else {
        bind_number(l, htp_value_vector(l, id), value->dtype);
    }
}

/** prim::NumToTensor, aten::scalar_tensor, aten::tensor of numbers, or of a list of numbers. A
 * number's tensor stays a vector until it is read, because it often becomes a number again at
 * once. */
void htp_lower_number_tensor(htp_lowering *l)
{
    htp_value_id id = l->node->inputs[0];
    if (l->bindings[id].vector != HTP_NONE && htp_output_rank(l, 0) == 0) {
        bind_number(l, htp_value_vector(l, id), htp_value_dtype(l, id));
    } else {
        htp_bind(l, 0, htp_value_tensor_as(l, id, htp_output_dtype(l, 0)));
    }
}

/** prim::max, prim::min of a list of numbers */
void htp_lower_number_extreme(htp_lowering *l)
{
    htp_dtype dtype = htp_output_dtype(l, 0);
    htp_tensor_id list = htp_value_tensor_as(l, l->node->inputs[0], dtype);
    htp_bind(l, 0, htp_emit_reduce(l, l->row->op, list, NULL, 0, false));
}

/* ---- sizes ---- */

/** One dim of the first argument, as [1]. */
static htp_tensor_id size_vector(htp_lowering *l, int64_t dim)
{
    htp_tensor_id x = htp_value_tensor(l, l->node->inputs[0]);
    return htp_emit(l, "Shape", HTP_IN(x),
                    HTP_AT(htp_attribute_int("start", dim), htp_attribute_int("end", dim + 1)));
}

/** aten::size.int */
void htp_lower_size(htp_lowering *l)
{
    int64_t dim = htp_arg_dim(l, "dim", htp_arg_rank(l, "self"));
    bind_number(l, size_vector(l, dim), HTP_DTYPE_INT64);
}

/** aten::len of a tensor: its first dim */
void htp_lower_length(htp_lowering *l)
{
    bind_number(l, size_vector(l, 0), HTP_DTYPE_INT64);
}

/** aten::size: all dims. Each gets a node of its own; unused ones are removed. */
void htp_lower_sizes(htp_lowering *l)
{
    const htp_trace_value *list = htp_graph_value(l->graph, htp_output_value(l, 0));
    l->bindings[htp_output_value(l, 0)].tensor =
        htp_emit_unary(l, "Shape", htp_arg_tensor(l, "self"));
    for (uint32_t i = 0; i < list->element_count; i++) {
        if (!htp_value_is_constant(l, list->elements[i])) {
            htp_bind_value_vector(l, list->elements[i], size_vector(l, i));
        }
    }
}

/** aten::_shape_as_tensor: all dims in one tensor */
void htp_lower_shape_tensor(htp_lowering *l)
{
    htp_bind(l, 0, htp_emit_unary(l, "Shape", htp_arg_tensor(l, "self")));
}

/** aten::numel: the number of elements */
void htp_lower_element_count(htp_lowering *l)
{
    htp_bind(l, 0, htp_emit_unary(l, "Size", htp_arg_tensor(l, "self")));
}
