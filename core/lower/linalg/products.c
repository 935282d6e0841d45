/*
 * Products of more than two matrices, Kronecker and cross products, Vandermonde matrices,
 * combinations.
 */
#include "lower/compose/compose.h"
#include "lower/compose/formula.h"
#include "lower/emit/constant.h"
#include "lower/emit/ort_dtypes.h"
#include "lower/emit/promote.h"
#include "lower/emit/rows.h"
#include "lower/emit/sizes.h"
#include "lower/linalg/matrices.h"

enum { MAX_COLUMNS = 1024 };

/** A formula for products of matrices: narrow integers in int32, which wrap around when they are
 * cast back. */
static htp_formula formula_of_matrices(htp_lowering *l, htp_dtype dtype)
{
    if (htp_dtype_is_float(dtype)) {
        return htp_formula_of_steps(l, dtype);
    }
    if (!htp_dtype_is_integer(dtype)) {
        htp_lower_fail(l, "products of %s are not supported", htp_dtype_name(dtype));
    }
    dtype = dtype == HTP_DTYPE_INT64 ? dtype : HTP_DTYPE_INT32;
    return (htp_formula){l, dtype, dtype};
}

static htp_tensor_id multiply(const htp_formula *f, htp_tensor_id a, htp_tensor_id b)
{
    return htp_step_round(f, htp_emit_binary(f->l, "MatMul", a, b));
}

/** aten::linalg_multi_dot, chain_matmul: the first and the last may be vectors. */
void htp_lower_multi_dot(htp_lowering *l)
{
    size_t count = 0;
    const htp_value_id *values = htp_arg_list(l, l->row->op, &count);
    if (count == 0) {
        htp_lower_fail(l, "it multiplies nothing");
        return;
    }
    htp_formula f = formula_of_matrices(l, htp_output_dtype(l, 0));
    htp_tensor_id x = htp_value_tensor_as(l, values[0], f.dtype);
    for (size_t i = 1; i < count; i++) {
        x = multiply(&f, x, htp_value_tensor_as(l, values[i], f.dtype));
    }
    htp_formula_bind(&f, 0, x);
}

/** Identity matrices of the shape of @p x, whose last two dims are equal. */
static htp_tensor_id emit_identity(const htp_formula *f, htp_tensor_id x, const htp_dim *dims,
                                   uint32_t rank)
{
    htp_lowering *l = f->l;
    const int64_t column = 1;
    htp_tensor_id places = htp_emit_count_up(l, htp_emit_dim(l, x, dims, (int64_t)rank - 1));
    htp_tensor_id is_same =
        htp_emit_binary(l, "Equal", places, htp_emit_unsqueeze(l, places, &column, 1));
    htp_tensor_id ones = htp_emit_cast(l, is_same, HTP_DTYPE_BOOL, f->dtype);
    return htp_typed_expand(l, f->dtype, ones, htp_emit_shape(l, x, rank, dims));
}

/** aten::linalg_matrix_power, matrix_power: by squaring */
void htp_lower_matrix_power(htp_lowering *l)
{
    htp_formula f = formula_of_matrices(l, htp_output_dtype(l, 0));
    int64_t power = htp_arg_int(l, "n");
    uint32_t rank = htp_arg_rank(l, "self");
    if (power < -INT32_MAX || power > INT32_MAX || rank < 2) {
        htp_lower_fail(l, "the power %lld of a matrix is not supported", (long long)power);
        return;
    }
    htp_tensor_id square = HTP_NONE;
    if (power < 0) {
        htp_matrices m = htp_arg_matrices(l, "self");
        square = htp_emit_cast(l, htp_emit_inverse(&m), m.f.dtype, f.dtype);
        power = -power;
    } else {
        square = htp_step_arg(&f, "self");
    }
    htp_tensor_id result = HTP_NONE;
    for (; power > 0; power /= 2) {
        if (power % 2) {
            result = result == HTP_NONE ? square : multiply(&f, result, square);
        }
        square = power > 1 ? multiply(&f, square, square) : square;
    }
    if (result == HTP_NONE) {
        result = emit_identity(&f, square, htp_arg_dims(l, "self"), rank);
    }
    htp_formula_bind(&f, 0, result);
}

/* ---- Kronecker and cross products ---- */

/** Argument @p name with an axis of size 1 after (@p after 1) or before each of its dims, padded
 * with dims of 1 to @p rank. */
static htp_tensor_id spread(htp_lowering *l, const char *name, htp_dtype dtype, uint32_t rank,
                            int64_t after)
{
    int64_t axes[HTP_MAX_RANK];
    uint32_t own = htp_arg_rank(l, name);
    uint32_t missing = rank - own;
    size_t count = 0;
    for (int64_t i = 0; i < rank; i++) {
        if (i < missing) {
            axes[count++] = 2 * i + 1 - after;
        }
        axes[count++] = 2 * i + after;
    }
    return htp_emit_unsqueeze(l, htp_arg_tensor_as(l, name, dtype), axes, count);
}

/** The size of dim @p i of @p rank of argument @p name, as [1]. */
static htp_tensor_id aligned_size(htp_lowering *l, const char *name, uint32_t rank, uint32_t i)
{
    uint32_t missing = rank - htp_arg_rank(l, name);
    return i < missing ? htp_emit_int(l, 1)
                       : htp_emit_dim(l, htp_arg_tensor(l, name), htp_arg_dims(l, name),
                                      (int64_t)i - missing);
}

/** aten::kron: every element of self times all of other */
void htp_lower_kron(htp_lowering *l)
{
    static const char *const names[] = {"self", "other"};
    htp_dtype dtype = htp_promote_arguments(l, names, 2);
    uint32_t rank = htp_output_rank(l, 0);
    if (2 * rank > HTP_MAX_RANK) {
        htp_lower_fail(l, "a product of rank %u is not supported", rank);
        return;
    }
    htp_tensor_id a = spread(l, "self", dtype, rank, 1);
    htp_tensor_id b = spread(l, "other", dtype, rank, 0);
    htp_tensor_id x = dtype == HTP_DTYPE_BOOL ? htp_emit_binary(l, "And", a, b)
                                              : htp_typed_binary(l, "Mul", dtype, a, b);
    htp_sizes shape = htp_sizes_begin(l);
    const htp_dim *dims = htp_output_dims(l, 0);
    for (uint32_t i = 0; i < rank; i++) {
        if (!dims[i].symbol) {
            htp_sizes_add_int(&shape, dims[i].size);
        } else {
            htp_sizes_add_tensor(&shape, htp_emit_binary(l, "Mul", aligned_size(l, "self", rank, i),
                                                         aligned_size(l, "other", rank, i)));
        }
    }
    x = htp_emit(l, "Reshape", HTP_IN(x, htp_sizes_end(&shape)),
                 HTP_AT(htp_attribute_int("allowzero", 1)));
    htp_bind_cast(l, 0, x, dtype);
}

/** The dim of three elements: the argument dim, or else the first dim of that size, as in
 * aten::cross. */
static int64_t find_axis(htp_lowering *l)
{
    uint32_t rank = htp_arg_rank(l, "self");
    const htp_dim *dims = htp_arg_dims(l, "self");
    if (htp_arg_present(l, "dim")) {
        return htp_arg_dim(l, "dim", rank);
    }
    for (uint32_t i = 0; i < rank; i++) {
        if (dims[i].symbol) {
            htp_lower_fail(l, "which dim has three elements depends on the input");
        }
        if (dims[i].size == 3) {
            return i;
        }
    }
    htp_lower_fail(l, "no dim has three elements");
    return 0;
}

/** Argument @p name, rotated along an axis by @p by elements. */
static htp_tensor_id turn(const htp_formula *f, const char *name, int64_t axis, int64_t by)
{
    const int64_t places[] = {(0 + by) % 3, (1 + by) % 3, (2 + by) % 3};
    return htp_emit(f->l, "Gather", HTP_IN(htp_step_arg(f, name), htp_emit_ints(f->l, places, 3)),
                    HTP_AT(htp_attribute_int("axis", axis)));
}

/** aten::cross, linalg_cross */
void htp_lower_cross(htp_lowering *l)
{
    htp_formula f = htp_formula_of_steps(l, htp_output_dtype(l, 0));
    int64_t axis = find_axis(l);
    if (htp_arg_rank(l, "self") != htp_arg_rank(l, "other")) {
        htp_lower_fail(l, "its operands have different ranks");
    }
    htp_tensor_id plus =
        htp_step_binary(&f, "Mul", turn(&f, "self", axis, 1), turn(&f, "other", axis, 2));
    htp_tensor_id minus =
        htp_step_binary(&f, "Mul", turn(&f, "self", axis, 2), turn(&f, "other", axis, 1));
    htp_formula_bind(&f, 0, htp_step_binary(&f, "Sub", plus, minus));
}

/* ---- convolution over time ---- */

/** aten::conv_tbc: time, batch, channels; the weight is [kernel, inputs, outputs]. */
void htp_lower_conv_tbc(htp_lowering *l)
{
    static const int64_t time_last[] = {1, 2, 0};
    static const int64_t reversed[] = {2, 1, 0};
    static const int64_t time_first[] = {2, 0, 1};
    htp_dtype dtype = htp_arg_math_dtype(l, "self", HTP_MATH_KEEP_HALF);
    int64_t pad = htp_arg_int_or(l, "pad", 0);
    const int64_t pads[] = {pad, pad};
    htp_tensor_id x = htp_emit_transpose(l, htp_arg_tensor_as(l, "self", dtype), time_last, 3);
    htp_tensor_id weight =
        htp_emit_transpose(l, htp_arg_tensor_as(l, "weight", dtype), reversed, 3);
    x = htp_emit(l, "Conv", HTP_IN(x, weight, htp_arg_tensor_as(l, "bias", dtype)),
                 HTP_AT(htp_attribute_ints("pads", pads, 2)));
    htp_bind_cast(l, 0, htp_emit_transpose(l, x, time_first, 3), dtype);
}

/* ---- powers side by side, combinations ---- */

/** aten::linalg_vander, vander: the powers from 0 on, or down to 0 */
void htp_lower_vander(htp_lowering *l)
{
    bool is_number = htp_arg_rank(l, "x") == 0;
    uint32_t rank = is_number ? 1 : htp_arg_rank(l, "x");
    int64_t last = rank;
    htp_formula f = htp_formula_of_kernel(l, htp_output_dtype(l, 0));
    const htp_dim *dims = htp_output_dims(l, 0);
    if (htp_output_rank(l, 0) != rank + 1 || dims[rank].symbol || dims[rank].size < 1 ||
        dims[rank].size > MAX_COLUMNS) {
        htp_lower_fail(l, "the number of columns must be fixed, and not above %d", MAX_COLUMNS);
        return;
    }
    size_t count = (size_t)dims[rank].size;
    bool rises = htp_arg_bool_or(l, "increasing", l->row->op != NULL);
    htp_tensor_id x = htp_step_arg(&f, "x");
    x = is_number ? htp_emit_reshape(l, x, (const int64_t[]){1}, 1) : x;
    x = htp_emit_unsqueeze(l, x, &last, 1);
    htp_tensor_id *columns = HTP_NEW_ARRAY(l->arena, htp_tensor_id, count);
    htp_tensor_id shape = htp_emit_unary(l, "Shape", x);
    htp_tensor_id power = htp_typed_expand(l, f.dtype, htp_step_number(&f, 1), shape);
    for (size_t i = 0; i < count; i++) {
        columns[rises ? i : count - 1 - i] = power;
        power = i == 0 ? x : htp_step_binary(&f, "Mul", power, x);
    }
    htp_formula_bind(&f, 0, htp_emit_concat(l, (htp_emit_inputs){columns, count}, last));
}

/** Advances to the next combination of @p r of @p n indices, in lexicographic order. @return false
 * after the last */
static bool advance(int64_t *places, int64_t r, int64_t n, bool repeats)
{
    for (int64_t i = r - 1; i >= 0; i--) {
        int64_t most = repeats ? n - 1 : n - r + i;
        if (places[i] < most) {
            places[i]++;
            for (int64_t k = i + 1; k < r; k++) {
                places[k] = repeats ? places[i] : places[k - 1] + 1;
            }
            return true;
        }
    }
    return false;
}

/** Combinations of @p r of @p count indices: the ascending ones among all points of an
 * r-dimensional grid.
 */
static htp_tensor_id emit_combinations(htp_lowering *l, htp_tensor_id count, int64_t r,
                                       bool repeats)
{
    htp_tensor_id places = htp_emit_count_up(l, count);
    htp_tensor_id rises = HTP_NONE;
    htp_tensor_id before = HTP_NONE;
    for (int64_t k = 0; k < r; k++) {
        int64_t shape[HTP_MAX_RANK];
        for (int64_t i = 0; i < r; i++) {
            shape[i] = i == k ? -1 : 1;
        }
        htp_tensor_id here = htp_emit_reshape(l, places, shape, (size_t)r);
        htp_tensor_id is_next = HTP_NONE;
        if (k > 0) {
            is_next = htp_emit_binary(l, repeats ? "LessOrEqual" : "Less", before, here);
        }
        rises = k > 1 ? htp_emit_binary(l, "And", rises, is_next) : is_next;
        before = here;
    }
    htp_tensor_id columns = htp_emit_unary(l, "NonZero", rises);
    return htp_emit_transpose(l, columns, (const int64_t[]){1, 0}, 2);
}

/** Combinations of @p r indices into self, whose size is dynamic. */
static htp_tensor_id emit_dynamic_combinations(htp_lowering *l, int64_t r, bool repeats)
{
    static const int64_t column[] = {-1, 1};
    htp_tensor_id x = htp_arg_tensor(l, "self");
    if (r > HTP_MAX_RANK) {
        htp_lower_fail(l, "it combines %lld of a number of elements that is not fixed",
                       (long long)r);
        return HTP_NONE;
    }
    htp_tensor_id count = htp_emit_dim(l, x, htp_arg_dims(l, "self"), 0);
    return r == 1 ? htp_emit_reshape(l, htp_emit_count_up(l, count), column, 2)
                  : emit_combinations(l, count, r, repeats);
}

/** aten::combinations: the elements at all combinations of indices, a row each */
void htp_lower_combinations(htp_lowering *l)
{
    const htp_dim *dims = htp_output_dims(l, 0);
    uint32_t rank = htp_output_rank(l, 0);
    int64_t r = htp_arg_int(l, "r");
    bool repeats = htp_arg_bool_or(l, "with_replacement", false);
    if (r == 0 || (htp_dims_are_static(dims, rank) && dims[0].size == 0)) {
        const int64_t none[] = {0, r};
        htp_bind(l, 0, htp_emit_numbers(l, htp_output_dtype(l, 0), rank, none, NULL));
        return;
    }
    if (!htp_dims_are_static(dims, rank) || !htp_dims_are_static(htp_arg_dims(l, "self"), 1)) {
        htp_tensor_id index = emit_dynamic_combinations(l, r, repeats);
        htp_bind(l, 0, htp_emit_binary(l, "Gather", htp_arg_tensor(l, "self"), index));
        return;
    }
    if (rank != 2 || r < 1 || r > MAX_COLUMNS || dims[0].size > INT32_MAX / r) {
        htp_lower_fail(l, "it makes too many combinations");
        return;
    }
    int64_t *places = HTP_NEW_ARRAY(l->arena, int64_t, (size_t)r);
    htp_number *rows = HTP_NEW_ARRAY(l->arena, htp_number, (size_t)(dims[0].size * r));
    for (int64_t k = 0; k < r; k++) {
        places[k] = repeats ? 0 : k;
    }
    int64_t count = 0;
    do {
        for (int64_t k = 0; k < r; k++) {
            rows[count * r + k] = htp_number_int(places[k]);
        }
        count++;
    } while (count < dims[0].size && advance(places, r, htp_arg_dims(l, "self")[0].size, repeats));
    const int64_t shape[] = {count, r};
    htp_tensor_id index = htp_emit_numbers(l, HTP_DTYPE_INT64, 2, shape, rows);
    htp_bind(l, 0, htp_emit_binary(l, "Gather", htp_arg_tensor(l, "self"), index));
}
