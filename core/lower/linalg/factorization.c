/*
 * LU factorisation with partial pivoting, and systems solved by it.
 *
 * As LAPACK's getrf: the pivot is the first remaining element of the largest absolute value; a
 * column of zeros is left unchanged.
 */
#include "lower/compose/compose.h"
#include "lower/emit/ort_dtypes.h"
#include "lower/emit/rows.h"
#include "lower/emit/sizes.h"
#include "lower/emit/steps.h"
#include "lower/linalg/matrices.h"

/** A factorisation P L U. */
typedef struct factors {
    htp_matrices m;
    htp_tensor_id count;  /* of pivots: [1] */
    htp_tensor_id x;      /* U, and below it L, whose diagonal of ones is not stored */
    htp_tensor_id pivots; /* the row exchanged with each one, from 0: int64 [..., 1, count] */
    htp_tensor_id order;  /* where each row comes from: int64 [..., rows, 1] */
    htp_tensor_id info;   /* 1-based index of the first zero pivot: int64 [..., 1, 1] */
} factors;

static htp_tensor_id zeros(const htp_matrices *m, htp_tensor_id columns)
{
    htp_tensor_id shape = htp_matrices_shape(m, htp_emit_int(m->f.l, 1), columns);
    return htp_emit_binary(m->f.l, "Expand", htp_emit_int(m->f.l, 0), shape);
}

static htp_tensor_id where(htp_lowering *l, htp_tensor_id condition, htp_tensor_id a,
                           htp_tensor_id b)
{
    return htp_emit(l, "Where", HTP_IN(condition, a, b), HTP_NO_AT);
}

/** The identity order 0, 1, ...: int64 [..., rows, 1] */
static htp_tensor_id first_order(const htp_matrices *m)
{
    htp_tensor_id shape = htp_matrices_shape(m, m->rows, htp_emit_int(m->f.l, 1));
    return htp_emit_binary(m->f.l, "Expand", m->row, shape);
}

/** The rows of @p x in the order @p rows. */
static htp_tensor_id ordered(const htp_matrices *m, htp_tensor_id x, htp_tensor_id rows)
{
    htp_lowering *l = m->f.l;
    rows = htp_emit_binary(l, "Expand", rows, htp_emit_unary(l, "Shape", x));
    return htp_emit(l, "GatherElements", HTP_IN(x, rows),
                    HTP_AT(htp_attribute_int("axis", (int64_t)m->rank - 2)));
}

/** The order that exchanges row @p k with row @p pivot ([..., 1, 1]): [..., rows, 1] */
static htp_tensor_id exchange(const htp_matrices *m, htp_tensor_id pivot, htp_tensor_id k)
{
    htp_lowering *l = m->f.l;
    htp_tensor_id rows = where(l, htp_emit_binary(l, "Equal", m->row, pivot), k, m->row);
    return where(l, htp_matrices_is_row(m, "Equal", k), pivot, rows);
}

/** The row from @p k on with the largest absolute value in column @p k: [..., 1, 1] */
static htp_tensor_id find_pivot(const htp_matrices *m, htp_tensor_id x, htp_tensor_id k)
{
    htp_tensor_id height = htp_step_unary(&m->f, "Abs", htp_matrices_column(m, x, k));
    htp_tensor_id is_left = htp_matrices_is_row(m, "GreaterOrEqual", k);
    height = htp_step_where(&m->f, is_left, height, htp_step_number(&m->f, -1));
    return htp_emit(
        m->f.l, "ArgMax", HTP_IN(height),
        HTP_AT(htp_attribute_int("axis", (int64_t)m->rank - 2), htp_attribute_int("keepdims", 1)));
}

/**
 * Computes column @p k of L, and subtracts its product with row @p k from the rest.
 * @param is_zero  receives whether the pivot is 0
 */
static htp_tensor_id eliminate(const htp_matrices *m, htp_tensor_id x, htp_tensor_id k,
                               htp_tensor_id *is_zero)
{
    const htp_formula *f = &m->f;
    htp_tensor_id row = htp_matrices_row(m, x, k);
    htp_tensor_id pivot = htp_matrices_column(m, row, k);
    *is_zero = htp_step_compare_scalar(f, "Equal", pivot, 0);
    htp_tensor_id divisor = htp_step_where_number(f, *is_zero, 1, pivot);
    htp_tensor_id factor = htp_step_binary(f, "Div", htp_matrices_column(m, x, k), divisor);
    htp_tensor_id rest = htp_step_binary(f, "Sub", x, htp_step_binary(f, "Mul", factor, row));
    rest = htp_step_where(f, htp_matrices_is_column(m, "Greater", k), rest, x);
    rest = htp_step_where(f, htp_matrices_is_column(m, "Equal", k), factor, rest);
    return htp_step_where(f, htp_matrices_is_row(m, "Greater", k), rest, x);
}

static factors factorize(const htp_matrices *m)
{
    const int64_t first = 0;
    htp_lowering *l = m->f.l;
    factors a = {.m = *m, .count = htp_matrices_smaller(m)};
    htp_tensor_id line = htp_emit_line(l, a.count);
    htp_tensor_id one = htp_emit_int(l, 1);
    htp_steps steps = {.l = l,
                       .count = 4,
                       .state = {{m->x, m->f.dtype, m->rank},
                                 {zeros(m, a.count), HTP_DTYPE_INT64, m->rank},
                                 {first_order(m), HTP_DTYPE_INT64, m->rank},
                                 {zeros(m, one), HTP_DTYPE_INT64, m->rank}}};
    htp_steps_begin(&steps);
    htp_tensor_id k = htp_emit_unsqueeze(l, steps.number, &first, 1);
    htp_tensor_id x = steps.state[0].tensor;
    htp_tensor_id info = steps.state[3].tensor;
    htp_tensor_id pivot = find_pivot(m, x, k);
    htp_tensor_id rows = exchange(m, pivot, k);
    htp_tensor_id is_zero = HTP_NONE;
    x = eliminate(m, ordered(m, x, rows), k, &is_zero);
    htp_tensor_id is_first = htp_emit_binary(l, "Equal", info, htp_emit_int(l, 0));
    is_first = htp_emit_binary(l, "And", is_first, is_zero);
    htp_tensor_id place = htp_emit_binary(l, "Equal", line, k);
    const htp_tensor_id next[] = {x, where(l, place, pivot, steps.state[1].tensor),
                                  ordered(m, steps.state[2].tensor, rows),
                                  where(l, is_first, htp_emit_binary(l, "Add", k, one), info)};
    htp_steps_end(&steps, a.count, next);
    a.x = steps.state[0].tensor;
    a.pivots = steps.state[1].tensor;
    a.order = steps.state[2].tensor;
    a.info = steps.state[3].tensor;
    return a;
}

/** The order of rows after a list of exchanges: @p pivots are int64 [..., 1, count]. */
static htp_tensor_id order_of(const htp_matrices *m, htp_tensor_id pivots, htp_tensor_id count)
{
    const int64_t first = 0;
    htp_lowering *l = m->f.l;
    htp_steps steps = {.l = l, .count = 1, .state = {{first_order(m), HTP_DTYPE_INT64, m->rank}}};
    htp_steps_begin(&steps);
    htp_tensor_id k = htp_emit_unsqueeze(l, steps.number, &first, 1);
    htp_tensor_id rows = exchange(m, htp_matrices_column(m, pivots, k), k);
    htp_tensor_id next = ordered(m, steps.state[0].tensor, rows);
    htp_steps_end(&steps, count, &next);
    return steps.state[0].tensor;
}

/** The factorisation in arguments @p name and @p pivots. */
static factors arg_factors(htp_lowering *l, const char *name, const char *pivots)
{
    factors a = {.m = htp_arg_matrices(l, name)};
    if (l->failure || htp_arg_rank(l, pivots) + 1 != a.m.rank) {
        htp_lower_fail(l, "there are not as many lists of pivots as matrices");
        return a;
    }
    const int64_t row_axis = (int64_t)a.m.rank - 2;
    a.x = a.m.x;
    htp_tensor_id list = htp_arg_tensor_as(l, pivots, HTP_DTYPE_INT64);
    list = htp_emit_binary(l, "Sub", list, htp_emit_int(l, 1));
    a.pivots = htp_emit_unsqueeze(l, list, &row_axis, 1);
    a.count = htp_emit_dim(l, list, htp_arg_dims(l, pivots), row_axis);
    return a;
}

/* ---- solving ---- */

/** Broadcasts the factors and @p b to a common batch. */
static void join(factors *a, htp_matrices *b)
{
    uint32_t rank = a->m.rank;
    htp_matrices order = a->m;
    order.x = a->order;
    htp_matrices of_b = *b;
    a->m.x = a->x;
    htp_matrices_join(&a->m, b);
    if (a->m.rank != rank || a->m.x != a->x) {
        htp_tensor_id one = htp_emit_int(b->f.l, 1);
        a->order = htp_emit_binary(b->f.l, "Expand", order.x, htp_matrices_shape(&of_b, one, one));
    }
    a->x = a->m.x;
}

/** X of P L U X = B, or of its transpose; B has the factors' batch. */
static htp_tensor_id solve(const factors *a, htp_tensor_id b, bool is_transposed)
{
    htp_matrices t = a->m;
    t.x = a->x;
    if (!is_transposed) {
        htp_tensor_id x = htp_emit_substitution(&t, ordered(&t, b, a->order), false, true);
        return htp_emit_substitution(&t, x, true, false);
    }
    htp_matrices_transpose(&t);
    htp_tensor_id x = htp_emit_substitution(&t, b, false, false);
    x = htp_emit_substitution(&t, x, true, true);
    htp_lowering *l = t.f.l;
    htp_tensor_id rows = htp_emit_binary(l, "Expand", a->order, htp_emit_unary(l, "Shape", x));
    return htp_emit(l, "ScatterElements", HTP_IN(x, rows, x),
                    HTP_AT(htp_attribute_int("axis", (int64_t)t.rank - 2)));
}

htp_solution htp_emit_solution(htp_matrices *a, htp_matrices *b, bool is_left)
{
    if (!is_left) { /* X A = B is the transpose of Aᵀ Xᵀ = Bᵀ */
        htp_matrices_transpose(b);
    }
    factors f = factorize(a);
    htp_solution solution = {.info = f.info};
    join(&f, b);
    a->rank = f.m.rank;
    solution.x = solve(&f, b->x, !is_left);
    if (!is_left) {
        solution.x = htp_emit_transpose_last(a->f.l, solution.x, a->rank);
    }
    return solution;
}

htp_tensor_id htp_emit_inverse(const htp_matrices *m)
{
    factors f = factorize(m);
    return solve(&f, htp_matrices_identity(m, m->rows), false);
}

static void lower_factors_solve(htp_lowering *l, factors a, bool left, bool adjoint)
{
    htp_matrices b = htp_arg_matrices(l, l->row->op);
    if (l->failure) {
        return;
    }
    a.order = order_of(&a.m, a.pivots, a.count);
    if (!left) { /* X A = B is the transpose of Aᵀ Xᵀ = Bᵀ */
        htp_matrices_transpose(&b);
    }
    join(&a, &b);
    htp_tensor_id x = solve(&a, b.x, adjoint == left);
    x = left ? x : htp_emit_transpose_last(l, x, a.m.rank);
    htp_formula_bind(&a.m.f, 0, x);
}

/** aten::linalg_lu_solve; the row's parameter is the name of B. */
void htp_lower_factors_solve(htp_lowering *l)
{
    lower_factors_solve(l, arg_factors(l, "LU", "pivots"), htp_arg_bool(l, "left"),
                        htp_arg_bool(l, "adjoint"));
}

/** aten::lu_solve */
void htp_lower_data_solve(htp_lowering *l)
{
    lower_factors_solve(l, arg_factors(l, "LU_data", "LU_pivots"), true, false);
}

/* ---- factors ---- */

/** Binds outputs @p index and @p index + 1 to L and U. */
static void bind_triangles(const factors *a, size_t index)
{
    htp_lowering *l = a->m.f.l;
    htp_tensor_id lower = htp_matrices_triangle(&a->m, "Greater", a->x, 0);
    htp_tensor_id is_diagonal = htp_emit_binary(l, "Equal", a->m.row, a->m.column);
    lower = htp_step_where_number(&a->m.f, is_diagonal, 1, lower);
    lower = htp_emit_first(l, lower, (int64_t)a->m.rank - 1, htp_matrices_smaller(&a->m));
    htp_formula_bind(&a->m.f, index, lower);
    htp_tensor_id upper = htp_matrices_triangle(&a->m, "LessOrEqual", a->x, 0);
    upper = htp_emit_first(l, upper, (int64_t)a->m.rank - 2, htp_matrices_smaller(&a->m));
    htp_formula_bind(&a->m.f, index + 1, upper);
}

/** Binds output 0 to the matrices P. */
static void bind_permutation(const factors *a)
{
    htp_lowering *l = a->m.f.l;
    htp_tensor_id order = htp_emit_transpose_last(l, a->order, a->m.rank);
    htp_tensor_id p = htp_emit_binary(l, "Equal", a->m.row, order);
    htp_bind_cast(l, 0, p, HTP_DTYPE_BOOL);
}

/** Binds output @p index to an empty tensor: [0]. */
static void bind_nothing(const htp_matrices *m, size_t index)
{
    htp_formula_bind(&m->f, index, htp_emit_fill(m->f.l, m->f.dtype, 0, 0));
}

/** aten::lu_unpack: P, L, U */
void htp_lower_unpack_factors(htp_lowering *l)
{
    bool has_data = htp_arg_bool_or(l, "unpack_data", true);
    bool has_pivots = htp_arg_bool_or(l, "unpack_pivots", true);
    factors a = arg_factors(l, "LU_data", "LU_pivots");
    if (l->failure) {
        return;
    }
    if (has_pivots) {
        a.order = order_of(&a.m, a.pivots, a.count);
        bind_permutation(&a);
    } else {
        bind_nothing(&a.m, 0);
    }
    if (has_data) {
        bind_triangles(&a, 1);
    } else {
        bind_nothing(&a.m, 1);
        bind_nothing(&a.m, 2);
    }
}

/** The factors of the argument that the row's parameter names. */
static factors arg_factorized(htp_lowering *l)
{
    htp_matrices m = htp_arg_matrices(l, l->row->op);
    if (!htp_arg_bool_or(l, "pivot", true)) {
        htp_lower_fail(l, "without pivoting it is not supported");
    }
    return l->failure ? (factors){.m = m} : factorize(&m);
}

/** aten::linalg_lu: P, L, U */
void htp_lower_factorize(htp_lowering *l)
{
    factors a = arg_factorized(l);
    if (!l->failure) {
        bind_permutation(&a);
        bind_triangles(&a, 1);
    }
}

/** Binds output @p index to [..., 1, 1] without its last two dims. */
static void bind_info(htp_lowering *l, size_t index, htp_tensor_id info, uint32_t rank)
{
    const int64_t last[] = {(int64_t)rank - 2, (int64_t)rank - 1};
    htp_bind_cast(l, index, htp_emit_squeeze(l, info, last, 2), HTP_DTYPE_INT64);
}

/** Binds outputs @p index and @p index + 1 to the packed factors and the pivots. */
static void bind_packed(const factors *a, size_t index)
{
    htp_lowering *l = a->m.f.l;
    const int64_t row_axis = (int64_t)a->m.rank - 2;
    htp_formula_bind(&a->m.f, index, a->x);
    htp_tensor_id pivots = htp_emit_binary(l, "Add", a->pivots, htp_emit_int(l, 1));
    htp_bind_cast(l, index + 1, htp_emit_squeeze(l, pivots, &row_axis, 1), HTP_DTYPE_INT64);
}

/** aten::linalg_lu_factor: packed L and U, pivots */
void htp_lower_pack_factors(htp_lowering *l)
{
    factors a = arg_factorized(l);
    if (!l->failure) {
        bind_packed(&a, 0);
    }
}

/** aten::linalg_lu_factor_ex, _lu_with_info: the same, and info */
void htp_lower_check_factors(htp_lowering *l)
{
    factors a = arg_factorized(l);
    if (!l->failure) {
        bind_packed(&a, 0);
        bind_info(l, 2, a.info, a.m.rank);
    }
}
