/*
 * Systems of linear equations of a fixed size: aten::linalg_solve, inverses, determinants.
 *
 * Gauss-Jordan elimination with partial pivoting, a few nodes for each column. It is computed in
 * float64, where libtorch rounds to the operands' own dtype.
 */
#include "lower/compose.h"
#include "lower/formula.h"
#include "lower/kernels.h"
#include "lower/sizes.h"
#include "lower/table.h"

#include <math.h>
#include <string.h>

enum { MOST_ROWS = 32 };

/** Matrices that are being eliminated: [..., rows, columns] with columns >= rows. */
typedef struct elimination {
    htp_formula f;
    htp_tensor_id x;
    uint32_t rank;
    int64_t rows;
    htp_tensor_id numbers; /* of the rows: int64 [rows, 1] */
    htp_tensor_id sign;    /* of the rows' exchanges so far: [..., 1, 1] */
} elimination;

/** The matrices of argument @p name in float64; fails unless they are square and of a fixed size.
 */
static elimination arg_matrices(htp_lowering *l, const char *name)
{
    elimination e = {.f = {l, HTP_DTYPE_FLOAT64, HTP_DTYPE_FLOAT64},
                     .rank = htp_arg_rank(l, name),
                     .numbers = HTP_TENSOR_NONE,
                     .sign = HTP_TENSOR_NONE};
    const htp_dim *dims = htp_arg_dims(l, name);
    if (e.rank < 2 || !htp_dims_are_static(dims + e.rank - 2, 2) ||
        dims[e.rank - 1].size != dims[e.rank - 2].size || dims[e.rank - 1].size < 1 ||
        dims[e.rank - 1].size > MOST_ROWS) {
        htp_lower_fail(l, "its matrices must be square, with up to %d rows", MOST_ROWS);
        return e;
    }
    e.rows = dims[e.rank - 1].size;
    e.x = htp_step_arg(&e.f, name);
    int64_t numbers[MOST_ROWS];
    for (int64_t i = 0; i < e.rows; i++) {
        numbers[i] = i;
    }
    const int64_t column = 1;
    e.numbers = htp_emit_unsqueeze(l, htp_emit_ints(l, numbers, (size_t)e.rows), &column, 1);
    e.sign = htp_step_number(&e.f, 1);
    return e;
}

/** Row, or column, @p k of @p x; the dim stays. */
static htp_tensor_id row_of(const elimination *e, htp_tensor_id x, int64_t k)
{
    return htp_emit_slice(e->f.l, x, (int64_t)e->rank - 2, k, k + 1);
}

static htp_tensor_id column_of(const elimination *e, htp_tensor_id x, int64_t k)
{
    return htp_emit_slice(e->f.l, x, (int64_t)e->rank - 1, k, k + 1);
}

/** Whether a row is number @p k: bool [rows, 1] */
static htp_tensor_id is_row(const elimination *e, int64_t k)
{
    htp_lowering *l = e->f.l;
    return htp_emit_binary(l, "Equal", e->numbers, htp_emit_scalar_int(l, HTP_DTYPE_INT64, k));
}

/** Exchanges row @p k and the one below it with the largest element in column @p k. */
static void exchange(elimination *e, int64_t k)
{
    htp_lowering *l = e->f.l;
    int64_t axis = (int64_t)e->rank - 2;
    htp_tensor_id below = htp_emit_slice(l, column_of(e, e->x, k), axis, k, e->rows);
    htp_tensor_id place =
        htp_emit(l, "ArgMax", HTP_IN(htp_step_unary(&e->f, "Abs", below)),
                 HTP_AT(htp_attribute_int("axis", axis), htp_attribute_int("keepdims", 1)));
    htp_tensor_id this = htp_emit_scalar_int(l, HTP_DTYPE_INT64, k);
    place = htp_emit_binary(l, "Add", place, this);
    htp_tensor_id is_place = htp_emit_binary(l, "Equal", e->numbers, place);
    htp_tensor_id order = htp_emit(l, "Where", HTP_IN(is_place, this, e->numbers), HTP_NO_AT);
    order = htp_emit(l, "Where", HTP_IN(is_row(e, k), place, order), HTP_NO_AT);
    order = htp_emit_binary(l, "Expand", order, htp_emit_unary(l, "Shape", e->x));
    htp_tensor_id stays = htp_emit_binary(l, "Equal", place, this);
    htp_tensor_id turned = htp_step_unary(&e->f, "Neg", e->sign);
    e->sign = htp_step_where(&e->f, stays, e->sign, turned);
    e->x =
        htp_emit(l, "GatherElements", HTP_IN(e->x, order), HTP_AT(htp_attribute_int("axis", axis)));
}

/** Turns the first columns into the identity; the others become the solution. */
static htp_tensor_id solve(elimination *e)
{
    for (int64_t k = 0; k < e->rows; k++) {
        if (k + 1 < e->rows) {
            exchange(e, k);
        }
        htp_tensor_id row = row_of(e, e->x, k);
        row = htp_step_binary(&e->f, "Div", row, column_of(e, row, k));
        htp_tensor_id product = htp_step_binary(&e->f, "Mul", column_of(e, e->x, k), row);
        htp_tensor_id others = htp_step_binary(&e->f, "Sub", e->x, product);
        e->x = htp_step_where(&e->f, is_row(e, k), row, others);
    }
    return htp_emit_slice(e->f.l, e->x, (int64_t)e->rank - 1, e->rows, INT64_MAX);
}

/** Identity matrices beside the matrices. */
static void append_identity(elimination *e)
{
    htp_lowering *l = e->f.l;
    htp_tensor_id line = htp_emit_reshape(l, e->numbers, (const int64_t[]){-1}, 1);
    htp_tensor_id identity =
        htp_emit_cast(l, htp_emit_binary(l, "Equal", e->numbers, line), HTP_DTYPE_BOOL, e->f.dtype);
    identity = htp_emit_binary(l, "Expand", identity, htp_emit_unary(l, "Shape", e->x));
    e->x = htp_emit_concat(l, HTP_IN(e->x, identity), (int64_t)e->rank - 1);
}

/** aten::linalg_inv, inverse: the row's parameter is the argument's name. */
void htp_lower_inverse(htp_lowering *l)
{
    elimination e = arg_matrices(l, l->row->op);
    if (!l->failure) {
        append_identity(&e);
        htp_formula_bind(&e.f, 0, solve(&e));
    }
}

/* ---- equations ---- */

/** @p x with its last two dims exchanged. */
static htp_tensor_id transpose_last(htp_lowering *l, htp_tensor_id x, uint32_t rank)
{
    int64_t perm[HTP_SHIM_MAX_RANK];
    for (uint32_t i = 0; i < rank; i++) {
        perm[i] = i;
    }
    perm[rank - 2] = rank - 1;
    perm[rank - 1] = rank - 2;
    return htp_emit_transpose(l, x, perm, rank);
}

/** Whether argument B holds vectors: one, or as many as there are matrices. */
static bool is_vector(htp_lowering *l)
{
    uint32_t rank = htp_arg_rank(l, "B");
    const htp_dim *a = htp_arg_dims(l, "A");
    const htp_dim *b = htp_arg_dims(l, "B");
    bool same = rank + 1 == htp_arg_rank(l, "A");
    for (uint32_t i = 0; i < rank && same; i++) {
        bool is_symbol = a[i].symbol && b[i].symbol;
        same = is_symbol ? strcmp(a[i].symbol, b[i].symbol) == 0
                         : !a[i].symbol && !b[i].symbol && a[i].size == b[i].size;
    }
    return rank == 1 || same;
}

/** Puts @p b beside the matrices, both broadcast to the other's batch. */
static void append(elimination *e, htp_tensor_id b, uint32_t b_rank)
{
    htp_lowering *l = e->f.l;
    uint32_t rank = e->rank > b_rank ? e->rank : b_rank;
    if (rank > 2) {
        /* A sum of the first columns has the common batch. */
        htp_tensor_id batch = htp_step_binary(&e->f, "Add", column_of(e, e->x, 0),
                                              htp_emit_slice(l, b, (int64_t)b_rank - 1, 0, 1));
        htp_tensor_id shape = htp_emit_unary(l, "Shape", batch);
        e->x = htp_emit_binary(l, "Expand", e->x, shape);
        b = htp_emit_binary(l, "Expand", b, shape);
    }
    e->rank = rank;
    e->x = htp_emit_concat(l, HTP_IN(e->x, b), (int64_t)rank - 1);
}

/** aten::linalg_solve: A X = B, or X A = B where the argument left is false */
void htp_lower_solve(htp_lowering *l)
{
    elimination e = arg_matrices(l, "A");
    if (l->failure) {
        return;
    }
    bool vector = is_vector(l);
    bool left = htp_arg_bool_or(l, "left", true);
    uint32_t b_rank = htp_arg_rank(l, "B");
    int64_t last = b_rank;
    htp_tensor_id b = htp_step_arg(&e.f, "B");
    if (vector) {
        b = htp_emit_unsqueeze(l, b, &last, 1);
        b_rank++;
    }
    if (!left) {
        e.x = transpose_last(l, e.x, e.rank);
        b = vector ? b : transpose_last(l, b, b_rank);
    }
    append(&e, b, b_rank);
    htp_tensor_id x = solve(&e);
    last = (int64_t)e.rank - 1;
    if (vector) {
        x = htp_emit_squeeze(l, x, &last, 1);
    } else if (!left) {
        x = transpose_last(l, x, e.rank);
    }
    htp_formula_bind(&e.f, 0, x);
}

/* ---- determinants ---- */

/** The pivots, with zeroes below them made; a column without any gives a pivot of zero. */
static void eliminate(elimination *e, htp_tensor_id *pivots)
{
    htp_lowering *l = e->f.l;
    for (int64_t k = 0; k < e->rows; k++) {
        if (k + 1 < e->rows) {
            exchange(e, k);
        }
        htp_tensor_id row = row_of(e, e->x, k);
        pivots[k] = column_of(e, row, k);
        if (k + 1 == e->rows) {
            break;
        }
        htp_tensor_id is_zero = htp_step_compare_scalar(&e->f, "Equal", pivots[k], 0);
        htp_tensor_id divisor = htp_step_where_number(&e->f, is_zero, 1, pivots[k]);
        htp_tensor_id factor = htp_step_binary(&e->f, "Div", column_of(e, e->x, k), divisor);
        htp_tensor_id is_below =
            htp_emit_binary(l, "Greater", e->numbers, htp_emit_scalar_int(l, HTP_DTYPE_INT64, k));
        factor = htp_step_where(&e->f, is_below, factor, htp_step_number(&e->f, 0));
        e->x = htp_step_binary(&e->f, "Sub", e->x, htp_step_binary(&e->f, "Mul", factor, row));
    }
}

/** aten::linalg_det, linalg_slogdet, and so on. The row's parameter is the argument's name. */
static void lower_determinant(htp_lowering *l, bool of_logarithm, bool has_sign)
{
    elimination e = arg_matrices(l, l->row->op);
    if (l->failure) {
        return;
    }
    htp_tensor_id pivots[MOST_ROWS];
    eliminate(&e, pivots);
    htp_tensor_id sign = e.sign;
    htp_tensor_id size = HTP_TENSOR_NONE;
    for (int64_t k = 0; k < e.rows; k++) {
        htp_tensor_id factor = pivots[k];
        if (of_logarithm) {
            sign = htp_step_binary(&e.f, "Mul", sign, htp_step_unary(&e.f, "Sign", factor));
            factor = htp_step_unary(&e.f, "Log", htp_step_unary(&e.f, "Abs", factor));
        }
        size = k == 0 ? factor : htp_step_binary(&e.f, of_logarithm ? "Add" : "Mul", size, factor);
    }
    if (!of_logarithm) {
        size = htp_step_binary(&e.f, "Mul", size, sign);
    } else if (!has_sign) {
        htp_tensor_id is_negative = htp_step_compare_scalar(&e.f, "Less", sign, 0);
        size = htp_step_where_number(&e.f, is_negative, NAN, size);
    }
    const int64_t last[] = {(int64_t)e.rank - 2, (int64_t)e.rank - 1};
    if (has_sign) {
        htp_formula_bind(&e.f, 0, htp_emit_squeeze(l, sign, last, 2));
    }
    htp_formula_bind(&e.f, has_sign ? 1 : 0, htp_emit_squeeze(l, size, last, 2));
}

/** aten::linalg_det, det */
void htp_lower_determinant(htp_lowering *l)
{
    lower_determinant(l, false, false);
}

/** aten::logdet: NaN of a negative determinant */
void htp_lower_log_determinant(htp_lowering *l)
{
    lower_determinant(l, true, false);
}

/** aten::linalg_slogdet, slogdet: sign and logarithm of the size */
void htp_lower_sign_log_determinant(htp_lowering *l)
{
    lower_determinant(l, true, true);
}
