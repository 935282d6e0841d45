/*
 * Systems of linear equations: aten::linalg_solve, inverses, determinants.
 *
 * Gauss-Jordan elimination with partial pivoting: a few nodes per column, or a loop over the
 * columns if there are many or their number is unknown. It computes in float64, libtorch in the
 * operands' own dtype.
 */
#include "lower/compose/formula.h"
#include "lower/emit/ort_dtypes.h"
#include "lower/emit/rows.h"
#include "lower/emit/sizes.h"
#include "lower/emit/steps.h"
#include "lower/linalg/matrices.h"

#include <math.h>

enum { MAX_ROWS = 32 };

/** Matrices that are being eliminated: [..., rows, columns] with columns >= rows. */
typedef struct elimination {
    htp_formula f;
    htp_tensor_id x;
    uint32_t rank;
    int64_t rows;          /* 0 if a Loop iterates over them */
    htp_tensor_id size;    /* their number, for the loop: [1] */
    htp_tensor_id numbers; /* of the rows: int64 [rows, 1] */
    htp_tensor_id sign;    /* of the rows' exchanges so far: [..., 1, 1] */
} elimination;

/** A row and column: a constant number, or that of a Loop's step. */
typedef struct place {
    int64_t number;
    htp_tensor_id step; /* or HTP_NONE */
} place;

static place place_of(int64_t number)
{
    return (place){number, HTP_NONE};
}

/** Whether the last two of @p dims may be equal, and are not 0. */
static bool are_square(const htp_dim *dims)
{
    bool is_open = dims[0].symbol || dims[1].symbol;
    return is_open || (dims[0].size == dims[1].size && dims[0].size >= 1);
}

/** The matrices of argument @p name in float64; fails unless they are square. */
static elimination arg_matrices(htp_lowering *l, const char *name)
{
    elimination e = {.f = {l, HTP_DTYPE_FLOAT64, HTP_DTYPE_FLOAT64},
                     .rank = htp_arg_rank(l, name),
                     .numbers = HTP_NONE,
                     .sign = HTP_NONE};
    const htp_dim *dims = htp_arg_dims(l, name);
    if (e.rank < 2 || !are_square(dims + e.rank - 2)) {
        htp_lower_fail(l, "its matrices must be square, with one row at least");
        return e;
    }
    e.x = htp_step_arg(&e.f, name);
    e.sign = htp_step_number(&e.f, 1);
    const int64_t column = 1;
    dims += e.rank - 2;
    if (dims[0].symbol || dims[1].symbol || dims[0].size > MAX_ROWS) {
        e.size = htp_emit_dim(l, e.x, htp_arg_dims(l, name), (int64_t)e.rank - 1);
        e.numbers = htp_emit_unsqueeze(l, htp_emit_count_up(l, e.size), &column, 1);
        return e;
    }
    e.rows = dims[0].size;
    int64_t numbers[MAX_ROWS];
    for (int64_t i = 0; i < e.rows; i++) {
        numbers[i] = i;
    }
    e.numbers = htp_emit_unsqueeze(l, htp_emit_ints(l, numbers, (size_t)e.rows), &column, 1);
    return e;
}

/** Row or column @p k of @p x along @p axis; the dim stays. */
static htp_tensor_id part_of(const elimination *e, htp_tensor_id x, int64_t axis, place k)
{
    const int64_t first = 0;
    if (k.step == HTP_NONE) {
        return htp_emit_slice(e->f.l, x, axis, k.number, k.number + 1);
    }
    return htp_emit(e->f.l, "Gather", HTP_IN(x, htp_emit_unsqueeze(e->f.l, k.step, &first, 1)),
                    HTP_AT(htp_attribute_int("axis", axis)));
}

static htp_tensor_id row_of(const elimination *e, htp_tensor_id x, place k)
{
    return part_of(e, x, (int64_t)e->rank - 2, k);
}

static htp_tensor_id column_of(const elimination *e, htp_tensor_id x, place k)
{
    return part_of(e, x, (int64_t)e->rank - 1, k);
}

/** The number of a row and column: 0-d int64 */
static htp_tensor_id number_of(const elimination *e, place k)
{
    return k.step == HTP_NONE ? htp_emit_scalar_int(e->f.l, HTP_DTYPE_INT64, k.number) : k.step;
}

/** Compares each row's number with @p k: bool [rows, 1] */
static htp_tensor_id is_row(const elimination *e, const char *comparison, place k)
{
    return htp_emit_binary(e->f.l, comparison, e->numbers, number_of(e, k));
}

/** The row from @p k on with the largest absolute value in column @p k: [..., 1, 1] */
static htp_tensor_id find_pivot(const elimination *e, place k)
{
    htp_lowering *l = e->f.l;
    int64_t axis = (int64_t)e->rank - 2;
    htp_tensor_id column = column_of(e, e->x, k);
    htp_attribute attributes[] = {htp_attribute_int("axis", axis),
                                  htp_attribute_int("keepdims", 1)};
    htp_emit_attributes along = {attributes, 2};
    if (k.step == HTP_NONE) {
        htp_tensor_id below = htp_emit_slice(l, column, axis, k.number, e->rows);
        htp_tensor_id found =
            htp_emit(l, "ArgMax", HTP_IN(htp_step_unary(&e->f, "Abs", below)), along);
        return htp_emit_binary(l, "Add", found, number_of(e, k));
    }
    htp_tensor_id height = htp_step_unary(&e->f, "Abs", column);
    htp_tensor_id is_below = is_row(e, "GreaterOrEqual", k);
    height = htp_step_where(&e->f, is_below, height, htp_step_number(&e->f, -1));
    return htp_emit(l, "ArgMax", HTP_IN(height), along);
}

/** Exchanges row @p k with the pivot row of column @p k. */
static void exchange(elimination *e, place k)
{
    htp_lowering *l = e->f.l;
    int64_t axis = (int64_t)e->rank - 2;
    htp_tensor_id pivot = find_pivot(e, k);
    htp_tensor_id this = number_of(e, k);
    htp_tensor_id is_pivot = htp_emit_binary(l, "Equal", e->numbers, pivot);
    htp_tensor_id order = htp_emit(l, "Where", HTP_IN(is_pivot, this, e->numbers), HTP_NO_AT);
    order = htp_emit(l, "Where", HTP_IN(is_row(e, "Equal", k), pivot, order), HTP_NO_AT);
    order = htp_emit_binary(l, "Expand", order, htp_emit_unary(l, "Shape", e->x));
    htp_tensor_id stays = htp_emit_binary(l, "Equal", pivot, this);
    htp_tensor_id turned = htp_step_unary(&e->f, "Neg", e->sign);
    e->sign = htp_step_where(&e->f, stays, e->sign, turned);
    e->x =
        htp_emit(l, "GatherElements", HTP_IN(e->x, order), HTP_AT(htp_attribute_int("axis", axis)));
}

/** Turns column @p k into that of the identity. */
static void clear_column(elimination *e, place k)
{
    if (k.step != HTP_NONE || k.number + 1 < e->rows) {
        exchange(e, k);
    }
    htp_tensor_id row = row_of(e, e->x, k);
    row = htp_step_binary(&e->f, "Div", row, column_of(e, row, k));
    htp_tensor_id product = htp_step_binary(&e->f, "Mul", column_of(e, e->x, k), row);
    htp_tensor_id others = htp_step_binary(&e->f, "Sub", e->x, product);
    e->x = htp_step_where(&e->f, is_row(e, "Equal", k), row, others);
}

/** Turns the first columns into the identity; the others become the solution. */
static htp_tensor_id solve(elimination *e)
{
    htp_lowering *l = e->f.l;
    int64_t axis = (int64_t)e->rank - 1;
    if (e->rows > 0) {
        for (int64_t k = 0; k < e->rows; k++) {
            clear_column(e, place_of(k));
        }
        return htp_emit_slice(l, e->x, axis, e->rows, INT64_MAX);
    }
    htp_steps steps = {.l = l, .count = 1, .state = {{e->x, e->f.dtype, e->rank}}};
    htp_steps_begin(&steps);
    e->x = steps.state[0].tensor;
    clear_column(e, (place){0, steps.number});
    htp_steps_end(&steps, e->size, &e->x);
    htp_tensor_id end = htp_emit_int(l, INT64_MAX);
    return htp_emit(l, "Slice", HTP_IN(steps.state[0].tensor, e->size, end, htp_emit_int(l, axis)),
                    HTP_NO_AT);
}

/** Appends identity matrices as further columns. */
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

/** Appends @p b as further columns; both are broadcast to a common batch. */
static void append(elimination *e, htp_tensor_id b, uint32_t b_rank)
{
    htp_lowering *l = e->f.l;
    uint32_t rank = e->rank > b_rank ? e->rank : b_rank;
    if (rank > 2) {
        /* A sum of the first columns has the common batch. */
        htp_tensor_id batch = htp_step_binary(&e->f, "Add", column_of(e, e->x, place_of(0)),
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
    bool vector = htp_solves_vectors(l);
    bool left = htp_arg_bool_or(l, "left", true);
    uint32_t b_rank = htp_arg_rank(l, "B");
    int64_t last = b_rank;
    htp_tensor_id b = htp_step_arg(&e.f, "B");
    if (vector) {
        b = htp_emit_unsqueeze(l, b, &last, 1);
        b_rank++;
    }
    if (!left) {
        e.x = htp_emit_transpose_last(l, e.x, e.rank);
        b = vector ? b : htp_emit_transpose_last(l, b, b_rank);
    }
    append(&e, b, b_rank);
    htp_tensor_id x = solve(&e);
    last = (int64_t)e.rank - 1;
    if (vector) {
        x = htp_emit_squeeze(l, x, &last, 1);
    } else if (!left) {
        x = htp_emit_transpose_last(l, x, e.rank);
    }
    htp_formula_bind(&e.f, 0, x);
}

/* ---- determinants ---- */

/** Eliminates below the pivot of column @p k. @return the pivot; 0 if the column has none */
static htp_tensor_id eliminate(elimination *e, place k)
{
    bool is_step = k.step != HTP_NONE;
    bool is_last = !is_step && k.number + 1 == e->rows;
    if (!is_last) {
        exchange(e, k);
    }
    htp_tensor_id row = row_of(e, e->x, k);
    htp_tensor_id pivot = column_of(e, row, k);
    if (is_last) {
        return pivot;
    }
    htp_tensor_id is_zero = htp_step_compare_scalar(&e->f, "Equal", pivot, 0);
    htp_tensor_id divisor = htp_step_where_number(&e->f, is_zero, 1, pivot);
    htp_tensor_id factor = htp_step_binary(&e->f, "Div", column_of(e, e->x, k), divisor);
    factor = htp_step_where(&e->f, is_row(e, "Greater", k), factor, htp_step_number(&e->f, 0));
    e->x = htp_step_binary(&e->f, "Sub", e->x, htp_step_binary(&e->f, "Mul", factor, row));
    return pivot;
}

/** A determinant under construction: a product of pivots, or a sign and a sum of logarithms. */
typedef struct determinant {
    bool of_logarithm;
    htp_tensor_id size; /* HTP_NONE before the first pivot */
    htp_tensor_id sign; /* of the pivots so far, for a logarithm */
} determinant;

static void multiply(const elimination *e, determinant *d, htp_tensor_id pivot)
{
    if (d->of_logarithm) {
        htp_tensor_id sign = htp_step_unary(&e->f, "Sign", pivot);
        d->sign = d->size == HTP_NONE ? sign : htp_step_binary(&e->f, "Mul", d->sign, sign);
        pivot = htp_step_unary(&e->f, "Log", htp_step_unary(&e->f, "Abs", pivot));
    }
    d->size = d->size == HTP_NONE
                  ? pivot
                  : htp_step_binary(&e->f, d->of_logarithm ? "Add" : "Mul", d->size, pivot);
}

/** Computes the determinant by a Loop over the columns. */
static void multiply_all(elimination *e, determinant *d)
{
    const int64_t last[] = {(int64_t)e->rank - 2, (int64_t)e->rank - 1};
    htp_lowering *l = e->f.l;
    /* A sum over no elements has the batch's shape, whatever the matrices hold (NaN, infinity). */
    htp_tensor_id none = htp_emit_slice(l, htp_emit_slice(l, e->x, last[0], 0, 0), last[1], 0, 0);
    htp_tensor_id zero = htp_emit_reduce(l, "ReduceSum", none, last, 2, true);
    htp_tensor_id one = htp_step_scalar(&e->f, "Add", zero, 1);
    htp_dtype dtype = e->f.dtype;
    htp_steps steps = {.l = l,
                       .count = 4,
                       .state = {{e->x, dtype, e->rank},
                                 {one, dtype, e->rank},
                                 {d->of_logarithm ? zero : one, dtype, e->rank},
                                 {one, dtype, e->rank}}};
    htp_steps_begin(&steps);
    e->x = steps.state[0].tensor;
    e->sign = steps.state[1].tensor;
    d->size = steps.state[2].tensor;
    d->sign = steps.state[3].tensor;
    multiply(e, d, eliminate(e, (place){0, steps.number}));
    const htp_tensor_id next[] = {e->x, e->sign, d->size, d->sign};
    htp_steps_end(&steps, e->size, next);
    e->sign = steps.state[1].tensor;
    d->size = steps.state[2].tensor;
    d->sign = steps.state[3].tensor;
}

/** aten::linalg_det, linalg_slogdet, and so on. The row's parameter is the argument's name. */
static void lower_determinant(htp_lowering *l, bool of_logarithm, bool has_sign)
{
    elimination e = arg_matrices(l, l->row->op);
    if (l->failure) {
        return;
    }
    determinant d = {of_logarithm, HTP_NONE, HTP_NONE};
    for (int64_t k = 0; k < e.rows; k++) {
        multiply(&e, &d, eliminate(&e, place_of(k)));
    }
    if (e.rows == 0) {
        multiply_all(&e, &d);
    }
    htp_tensor_id sign = of_logarithm ? htp_step_binary(&e.f, "Mul", e.sign, d.sign) : e.sign;
    htp_tensor_id size = d.size;
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
