/*
 * Matrix products: aten::matmul and its special cases, aten::addmm and its kin, aten::linear.
 *
 * Reference: ONNX MatMul, Gemm. PyTorch's products of small integers wrap around, as does a product
 * in int32 that is cast back.
 */
#include "lower/compose/compose.h"
#include "lower/emit/ort_dtypes.h"
#include "lower/emit/sizes.h"

/** The dtype in which a product of @p dtype is computed. */
static htp_dtype product_dtype(htp_lowering *l, htp_dtype dtype)
{
    switch (dtype) {
    case HTP_DTYPE_FLOAT16:
    case HTP_DTYPE_FLOAT32:
    case HTP_DTYPE_FLOAT64:
    case HTP_DTYPE_INT32:
    case HTP_DTYPE_INT64:
        return dtype;
    case HTP_DTYPE_BFLOAT16:
        return HTP_DTYPE_FLOAT32;
    case HTP_DTYPE_UINT8:
    case HTP_DTYPE_INT8:
    case HTP_DTYPE_INT16:
        return HTP_DTYPE_INT32;
    default:
        htp_lower_fail(l, "products of %s are not supported", htp_dtype_name(dtype));
        return dtype;
    }
}

/** The name of argument @p index: each product names its operands differently. */
static const char *operand(htp_lowering *l, uint32_t index)
{
    if (index >= l->node->input_count) {
        htp_lower_fail(l, "it has %u arguments here", l->node->input_count);
        return "";
    }
    return l->node->input_names[index];
}

/** Whether an operand's matrices may be empty at run time. */
static bool may_be_empty(htp_lowering *l, const char *matrix)
{
    const htp_dim *dims = htp_arg_dims(l, matrix);
    const uint32_t rank = htp_arg_rank(l, matrix);
    bool may = false;
    for (uint32_t i = 0; i < rank; i++) {
        may = may || dims[i].symbol;
    }
    return may && rank > 1;
}

/** Operands @p first and the one after it, multiplied as matrices. ONNX Runtime 1.31 refuses the
 * product of an empty matrix and a vector, or forgets its shape: the vector becomes a matrix. */
static htp_tensor_id product(htp_lowering *l, uint32_t first, htp_dtype dtype)
{
    static const int64_t row = -2;
    static const int64_t column = -1;
    const char *left = operand(l, first);
    const char *right = operand(l, first + 1);
    htp_tensor_id a = htp_arg_tensor_as(l, left, dtype);
    htp_tensor_id b = htp_arg_tensor_as(l, right, dtype);
    if (l->failure) {
        return HTP_NONE;
    }
    if (htp_arg_rank(l, right) == 1 && may_be_empty(l, left)) {
        b = htp_emit_unsqueeze(l, b, &column, 1);
        return htp_emit_squeeze(l, htp_emit_binary(l, "MatMul", a, b), &column, 1);
    }
    if (htp_arg_rank(l, left) == 1 && may_be_empty(l, right)) {
        a = htp_emit_unsqueeze(l, a, &row, 1);
        return htp_emit_squeeze(l, htp_emit_binary(l, "MatMul", a, b), &row, 1);
    }
    return htp_emit_binary(l, "MatMul", a, b);
}

/** matmul, mm, bmm, mv, dot, vdot */
void htp_lower_matmul(htp_lowering *l)
{
    htp_dtype dtype = product_dtype(l, htp_output_dtype(l, 0));
    htp_bind_cast(l, 0, product(l, 0, dtype), dtype);
}

/** [n, 1] times [1, m], element by element. */
static htp_tensor_id outer_product(htp_lowering *l, uint32_t first, htp_dtype dtype)
{
    const int64_t row = 0;
    const int64_t column = 1;
    htp_tensor_id x = htp_arg_tensor_as(l, operand(l, first), dtype);
    htp_tensor_id y = htp_arg_tensor_as(l, operand(l, first + 1), dtype);
    return htp_emit_binary(l, dtype == HTP_DTYPE_BOOL ? "And" : "Mul",
                           htp_emit_unsqueeze(l, x, &column, 1), htp_emit_unsqueeze(l, y, &row, 1));
}

/** outer, ger */
void htp_lower_outer(htp_lowering *l)
{
    htp_dtype dtype = htp_output_dtype(l, 0);
    if (dtype != HTP_DTYPE_BOOL) {
        dtype = product_dtype(l, dtype);
    }
    htp_bind_cast(l, 0, outer_product(l, 0, dtype), dtype);
}

/** @p x times the number argument @p factor. */
static htp_tensor_id scaled(htp_lowering *l, htp_tensor_id x, const char *factor, htp_dtype dtype)
{
    if (htp_arg_is_constant(l, factor) && htp_arg_float(l, factor) == 1) {
        return x;
    }
    return htp_emit_binary(l, "Mul", x, htp_arg_tensor_as(l, factor, dtype));
}

/** Binds beta · self + alpha · @p x; self does not count when beta is 0, even if it is NaN. */
static void bind_sum(htp_lowering *l, htp_tensor_id x, htp_dtype dtype)
{
    x = scaled(l, x, "alpha", dtype);
    if (!htp_arg_is_constant(l, "beta") || htp_arg_float(l, "beta") != 0) {
        htp_tensor_id self = scaled(l, htp_arg_tensor_as(l, "self", dtype), "beta", dtype);
        x = htp_emit_binary(l, "Add", self, x);
    } else if (htp_arg_rank(l, "self") > htp_output_rank(l, 0)) {
        htp_lower_fail(l, "its first argument has too many dims");
    }
    htp_bind_cast(l, 0, x, dtype);
}

/** Whether float32 holds a number argument exactly. */
static bool fits_attribute(htp_lowering *l, const char *name)
{
    return htp_arg_is_constant(l, name) &&
           (double)(float)htp_arg_float(l, name) == htp_arg_float(l, name);
}

/** addmm as Gemm, which takes factors as float32 attributes. */
static void lower_gemm(htp_lowering *l, htp_dtype dtype)
{
    htp_tensor_id self = HTP_NONE;
    double alpha = htp_arg_float(l, "alpha");
    double beta = htp_arg_float(l, "beta");
    if (beta != 0) {
        self = htp_arg_tensor_as(l, "self", dtype);
    }
    htp_attribute attributes[2];
    size_t count = 0;
    if (alpha != 1) {
        attributes[count++] = htp_attribute_float("alpha", alpha);
    }
    if (beta != 1 && beta != 0) {
        attributes[count++] = htp_attribute_float("beta", beta);
    }
    htp_tensor_id sum = htp_emit(l, "Gemm",
                                 HTP_IN(htp_arg_tensor_as(l, operand(l, 1), dtype),
                                        htp_arg_tensor_as(l, operand(l, 2), dtype), self),
                                 (htp_emit_attributes){attributes, count});
    htp_bind_cast(l, 0, sum, dtype);
}

void htp_lower_addmm(htp_lowering *l)
{
    htp_dtype dtype = product_dtype(l, htp_output_dtype(l, 0));
    const htp_dim *inner = &htp_arg_dims(l, "mat1")[1];
    if (!inner->symbol && inner->size == 0) { /* The product is zero. */
        htp_tensor_id zero = htp_emit_scalar(l, dtype, 0);
        htp_sizes shape = htp_sizes_begin(l);
        htp_sizes_add_dims(&shape, htp_arg_tensor(l, "mat1"), htp_arg_dims(l, "mat1"), 0, 1);
        htp_sizes_add_dims(&shape, htp_arg_tensor(l, "mat2"), htp_arg_dims(l, "mat2"), 1, 2);
        bind_sum(l, htp_typed_expand(l, dtype, zero, htp_sizes_end(&shape)), dtype);
        return;
    }
    bool exact =
        dtype != HTP_DTYPE_FLOAT64 || (fits_attribute(l, "alpha") && fits_attribute(l, "beta"));
    if (htp_dtype_is_float(dtype) && exact && htp_arg_is_constant(l, "alpha") &&
        htp_arg_is_constant(l, "beta")) {
        lower_gemm(l, dtype);
    } else {
        bind_sum(l, product(l, 1, dtype), dtype);
    }
}

/** addmv, baddbmm; addbmm sums over the batch. */
void htp_lower_add_product(htp_lowering *l)
{
    const int64_t batch = 0;
    htp_dtype dtype = product_dtype(l, htp_output_dtype(l, 0));
    htp_tensor_id x = product(l, 1, dtype);
    if (l->row->op) {
        x = htp_emit_reduce(l, l->row->op, x, &batch, 1, false);
    }
    bind_sum(l, x, dtype);
}

/** addr of bools: (beta and self) or (alpha and both) */
static void lower_bool_addr(htp_lowering *l)
{
    htp_tensor_id x = outer_product(l, 1, HTP_DTYPE_BOOL);
    x = htp_emit_binary(l, "And", x, htp_arg_tensor_as(l, "alpha", HTP_DTYPE_BOOL));
    htp_tensor_id self = htp_arg_tensor_as(l, "self", HTP_DTYPE_BOOL);
    self = htp_emit_binary(l, "And", self, htp_arg_tensor_as(l, "beta", HTP_DTYPE_BOOL));
    htp_bind(l, 0, htp_emit_binary(l, "Or", self, x));
}

void htp_lower_addr(htp_lowering *l)
{
    if (htp_output_dtype(l, 0) == HTP_DTYPE_BOOL) {
        lower_bool_addr(l);
        return;
    }
    htp_dtype dtype = product_dtype(l, htp_output_dtype(l, 0));
    bind_sum(l, outer_product(l, 1, dtype), dtype);
}

htp_tensor_id htp_emit_linear(htp_lowering *l, htp_tensor_id x, uint32_t x_rank,
                              htp_tensor_id weight, htp_tensor_id bias, htp_dtype dtype)
{
    const int64_t swap[] = {1, 0};
    if (x_rank == 2 && htp_dtype_is_float(dtype)) {
        return htp_emit(l, "Gemm", HTP_IN(x, weight, bias), HTP_AT(htp_attribute_int("transB", 1)));
    }
    x = htp_emit_binary(l, "MatMul", x, htp_emit_transpose(l, weight, swap, 2));
    return bias == HTP_NONE ? x : htp_emit_binary(l, "Add", x, bias);
}

void htp_lower_linear(htp_lowering *l)
{
    htp_dtype dtype = product_dtype(l, htp_output_dtype(l, 0));
    htp_tensor_id x = htp_arg_tensor_as(l, "input", dtype);
    htp_tensor_id weight = htp_arg_tensor_as(l, "weight", dtype);
    htp_tensor_id bias = htp_arg_optional_as(l, "bias", dtype);
    if (htp_arg_rank(l, "weight") == 2) {
        x = htp_emit_linear(l, x, htp_arg_rank(l, "input"), weight, bias, dtype);
    } else {
        x = htp_emit_binary(l, "MatMul", x, weight);
        x = bias == HTP_NONE ? x : htp_emit_binary(l, "Add", x, bias);
    }
    htp_bind_cast(l, 0, x, dtype);
}
