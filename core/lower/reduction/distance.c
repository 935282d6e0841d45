/*
 * Distances and similarities of vectors, and the norms of torch.linalg.
 */
#include "lower/compose/formula.h"
#include "lower/emit/ort_dtypes.h"
#include "lower/emit/promote.h"
#include "lower/emit/rows.h"
#include "lower/reduction/reduce.h"

#include <math.h>
#include <string.h>

/** The norm of @p x along @p axes, or along all if there are none. */
static htp_tensor_id norm_along(const htp_formula *f, htp_tensor_id x, const int64_t *axes,
                                size_t axis_count, bool keepdims, double p)
{
    htp_reduction r = {
        .x = x, .dtype = f->dtype, .axes = axes, .axis_count = axis_count, .keepdims = keepdims};
    return htp_step_round(f, htp_emit_norm(f->l, &r, p));
}

/** aten::dist: the norm of self - other as one vector */
void htp_lower_dist(htp_lowering *l)
{
    htp_formula f = htp_formula_of_steps(l, htp_output_dtype(l, 0));
    htp_tensor_id x =
        htp_step_binary(&f, "Sub", htp_step_arg(&f, "self"), htp_step_arg(&f, "other"));
    htp_formula_bind(&f, 0, norm_along(&f, x, NULL, 0, false, htp_arg_float(l, "p")));
}

/** aten::cdist: the distance of each row of x1 to each row of x2 */
void htp_lower_cdist(htp_lowering *l)
{
    htp_formula f = htp_formula_of_kernel(l, htp_output_dtype(l, 0));
    int64_t rank = htp_output_rank(l, 0);
    int64_t a_axis = (int64_t)htp_arg_rank(l, "x1") - 1;
    int64_t b_axis = (int64_t)htp_arg_rank(l, "x2") - 2;
    if (a_axis < 1 || b_axis < 0) {
        htp_lower_fail(l, "its inputs are not matrices");
        return;
    }
    htp_tensor_id a = htp_emit_unsqueeze(l, htp_step_arg(&f, "x1"), &a_axis, 1);
    htp_tensor_id b = htp_emit_unsqueeze(l, htp_step_arg(&f, "x2"), &b_axis, 1);
    htp_tensor_id x = htp_step_binary(&f, "Sub", a, b);
    htp_formula_bind(&f, 0, norm_along(&f, x, &rank, 1, false, htp_arg_float(l, "p")));
}

/** aten::pdist: the distances of all pairs of rows */
void htp_lower_pdist(htp_lowering *l)
{
    enum { MAX_ROWS = 1024 };
    const int64_t last = 1;
    htp_formula f = htp_formula_of_kernel(l, htp_output_dtype(l, 0));
    const htp_dim *dims = htp_arg_dims(l, "self");
    int64_t rows = dims[0].size;
    if (dims[0].symbol || rows > MAX_ROWS) {
        htp_lower_fail(l, "the number of its pairs is not known, or too large");
        return;
    }
    int64_t pairs = rows * (rows - 1) / 2;
    int64_t *first = HTP_NEW_ARRAY(l->arena, int64_t, (size_t)pairs + 1);
    int64_t *second = HTP_NEW_ARRAY(l->arena, int64_t, (size_t)pairs + 1);
    int64_t next = 0;
    for (int64_t i = 0; i < rows; i++) {
        for (int64_t j = i + 1; j < rows; j++, next++) {
            first[next] = i;
            second[next] = j;
        }
    }
    htp_tensor_id x = htp_step_arg(&f, "self");
    htp_tensor_id a = htp_emit_binary(l, "Gather", x, htp_emit_ints(l, first, (size_t)pairs));
    htp_tensor_id b = htp_emit_binary(l, "Gather", x, htp_emit_ints(l, second, (size_t)pairs));
    x = htp_step_binary(&f, "Sub", a, b);
    htp_formula_bind(&f, 0, norm_along(&f, x, &last, 1, false, htp_arg_float(l, "p")));
}

htp_tensor_id htp_emit_pair_distance(const htp_formula *f, htp_tensor_id a, htp_tensor_id b,
                                     const htp_pair_distance *d)
{
    htp_tensor_id x = htp_step_binary(f, "Sub", a, b);
    x = htp_step_scalar(f, "Add", x, d->eps);
    return norm_along(f, x, &d->axis, 1, d->keepdims, d->p);
}

static uint32_t larger(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

/** aten::pairwise_distance: the norm of x1 - x2 + eps in the last dim */
void htp_lower_pairwise_distance(htp_lowering *l)
{
    htp_formula f = htp_formula_of_steps(l, htp_output_dtype(l, 0));
    uint32_t rank = larger(htp_arg_rank(l, "x1"), htp_arg_rank(l, "x2"));
    htp_pair_distance d = {.axis = (int64_t)rank - 1,
                           .p = htp_arg_float(l, "p"),
                           .eps = htp_arg_float(l, "eps"),
                           .keepdims = htp_arg_bool(l, "keepdim")};
    htp_formula_bind(
        &f, 0, htp_emit_pair_distance(&f, htp_step_arg(&f, "x1"), htp_step_arg(&f, "x2"), &d));
}

/** An argument in the shape that it has after broadcasting with another. */
static htp_tensor_id broadcast_arg(const htp_formula *f, const char *name, const char *other)
{
    htp_tensor_id y = htp_arg_tensor(f->l, other);
    htp_tensor_id shape =
        htp_emit_shape(f->l, y, htp_arg_rank(f->l, other), htp_arg_dims(f->l, other));
    return htp_typed_expand(f->l, f->dtype, htp_step_arg(f, name), shape);
}

/** The dim to reduce; a 0-d tensor has none. */
typedef struct reduced_dim {
    int64_t axis;
    size_t count;
} reduced_dim;

/** @p x divided by its norm, which is at least eps. */
static htp_tensor_id normalized(const htp_formula *f, htp_tensor_id x, const reduced_dim *dim)
{
    htp_tensor_id length = norm_along(f, x, &dim->axis, dim->count, true, 2);
    length = htp_step_scalar(f, "Max", length, htp_arg_float(f->l, "eps"));
    return htp_step_binary(f, "Div", x, length);
}

/** aten::cosine_similarity */
void htp_lower_cosine_similarity(htp_lowering *l)
{
    htp_formula f = htp_formula_of_steps(l, htp_output_dtype(l, 0));
    uint32_t rank = larger(htp_arg_rank(l, "x1"), htp_arg_rank(l, "x2"));
    reduced_dim dim = {htp_arg_dim(l, "dim", rank), rank > 0};
    htp_tensor_id a = normalized(&f, broadcast_arg(&f, "x1", "x2"), &dim);
    htp_tensor_id b = normalized(&f, broadcast_arg(&f, "x2", "x1"), &dim);
    htp_tensor_id x = htp_step_binary(&f, "Mul", a, b);
    x = dim.count ? htp_step_reduce(&f, "ReduceSum", x, &dim.axis, 1, false) : x;
    htp_formula_bind(&f, 0, x);
}

/** aten::linalg_vecdot: the sum of products along a dim */
void htp_lower_vecdot(htp_lowering *l)
{
    htp_formula f = htp_formula_of_steps(l, htp_output_dtype(l, 0));
    uint32_t rank = larger(htp_arg_rank(l, "x"), htp_arg_rank(l, "y"));
    int64_t axis = htp_arg_dim(l, "dim", rank);
    htp_tensor_id x = htp_step_binary(&f, "Mul", htp_step_arg(&f, "x"), htp_step_arg(&f, "y"));
    htp_formula_bind(&f, 0, htp_step_reduce(&f, "ReduceSum", x, &axis, 1, false));
}

/** aten::renorm: slices along a dim are scaled down if their norm is too large. */
void htp_lower_renorm(htp_lowering *l)
{
    htp_formula f = htp_formula_of_kernel(l, htp_output_dtype(l, 0));
    uint32_t rank = htp_arg_rank(l, "self");
    int64_t dim = htp_arg_dim(l, "dim", rank);
    double most = htp_arg_float(l, "maxnorm");
    int64_t axes[HTP_MAX_RANK];
    size_t count = 0;
    for (int64_t i = 0; i < rank; i++) {
        if (i != dim) {
            axes[count++] = i;
        }
    }
    htp_tensor_id x = htp_step_arg(&f, "self");
    htp_tensor_id length = norm_along(&f, x, axes, count, true, htp_arg_float(l, "p"));
    htp_tensor_id factor = htp_step_from(&f, most, "Div", htp_step_scalar(&f, "Add", length, 1e-7));
    htp_tensor_id is_large = htp_step_compare_scalar(&f, "Greater", length, most);
    factor = htp_step_where(&f, is_large, factor, htp_step_number(&f, 1));
    htp_formula_bind(&f, 0, htp_step_binary(&f, "Mul", x, factor));
}

/* ---- torch.linalg's norms ---- */

/** The norm of a matrix in two dims: the largest (for a negative order, the smallest) sum of
 * magnitudes of a column (order 1) or a row (infinite order). */
static void bind_matrix_norm(htp_lowering *l, const int64_t *axes, double order)
{
    htp_formula f = htp_formula_of_kernel(l, htp_output_dtype(l, 0));
    bool is_one = fabs(order) == 1;
    if (!is_one && !isinf(order)) {
        htp_lower_fail(l, "the matrix norm of order %g needs singular values", order);
        return;
    }
    htp_tensor_id x = htp_step_unary(&f, "Abs", htp_step_arg(&f, "self"));
    x = htp_step_reduce(&f, "ReduceSum", x, &axes[is_one ? 0 : 1], 1, true);
    x = htp_step_reduce(&f, order > 0 ? "ReduceMax" : "ReduceMin", x, &axes[is_one ? 1 : 0], 1,
                        true);
    x = htp_arg_bool(l, "keepdim") ? x : htp_emit_squeeze(l, x, axes, 2);
    htp_formula_bind(&f, 0, x);
}

/** The norm over the argument dim, its elements taken as one vector. */
static void bind_vector_norm(htp_lowering *l, double order)
{
    htp_formula f = htp_formula_of_kernel(l, htp_output_dtype(l, 0));
    htp_reduction r = htp_arg_reduction(l, "self", f.dtype);
    htp_formula_bind(&f, 0, htp_emit_norm(l, &r, order));
}

/** The two dims that the argument dim names, or those of a matrix; NULL if there are not two. */
static const int64_t *matrix_axes(htp_lowering *l)
{
    size_t count = 0;
    const int64_t *axes = htp_arg_dims_list(l, "dim", htp_arg_rank(l, "self"), true, &count);
    return count == 2 ? axes : NULL;
}

static bool is_frobenius(htp_lowering *l)
{
    const char *order = htp_arg_string(l, "ord");
    if (strcmp(order, "fro") != 0) {
        htp_lower_fail(l, "the matrix norm '%s' needs singular values", order);
        return false;
    }
    return true;
}

/** aten::linalg_matrix_norm */
void htp_lower_matrix_norm(htp_lowering *l)
{
    const int64_t *axes = matrix_axes(l);
    if (!axes) {
        htp_lower_fail(l, "its dim does not name two dims");
    } else {
        bind_matrix_norm(l, axes, htp_arg_float(l, "ord"));
    }
}

/** aten::linalg_matrix_norm.str_ord, aten::linalg_norm.ord_str */
void htp_lower_named_norm(htp_lowering *l)
{
    if (is_frobenius(l)) {
        bind_vector_norm(l, 2);
    }
}

/** aten::linalg_norm: of vectors or, with an order and two dims, of matrices */
void htp_lower_linalg_norm(htp_lowering *l)
{
    const int64_t *axes = matrix_axes(l);
    if (htp_arg_present(l, "ord") && axes) {
        bind_matrix_norm(l, axes, htp_arg_float(l, "ord"));
    } else {
        bind_vector_norm(l, htp_arg_float_or(l, "ord", 2));
    }
}
