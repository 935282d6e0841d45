/*
 * Householder reflections: QR factorization, and products with the orthogonal matrix.
 *
 * As LAPACK's geqr2: reflection k maps column k, from row k on, to a multiple of its first unit
 * vector, with the opposite sign. A column that is already zero below needs none.
 */
#include "lower/emit/constant.h"
#include "lower/emit/rows.h"
#include "lower/emit/steps.h"
#include "lower/linalg/matrices.h"

#include <string.h>

/** Reflections 1 - tau v vᵀ: v in the columns of a matrix, below its diagonal of ones. */
typedef struct reflections {
    htp_matrices m;      /* v in its columns */
    htp_tensor_id tau;   /* [..., 1, count] */
    htp_tensor_id count; /* [1] */
    bool is_nothing;     /* there are no reflections */
} reflections;

/** Column @p v below row @p k, 1 in it, and zeros above. */
static htp_tensor_id complete_vector(const htp_matrices *m, htp_tensor_id v, htp_tensor_id k)
{
    htp_tensor_id is_below = htp_matrices_is_row(m, "Greater", k);
    v = htp_step_where(&m->f, is_below, v, htp_step_number(&m->f, 0));
    return htp_step_where_number(&m->f, htp_matrices_is_row(m, "Equal", k), 1, v);
}

/** (1 - tau v vᵀ) x */
static htp_tensor_id reflect(const htp_matrices *m, htp_tensor_id x, htp_tensor_id v,
                             htp_tensor_id tau)
{
    htp_lowering *l = m->f.l;
    htp_tensor_id line = htp_emit_transpose_last(l, v, m->rank);
    htp_tensor_id product = htp_emit_binary(l, "MatMul", line, x);
    v = htp_step_binary(&m->f, "Mul", tau, v);
    return htp_step_binary(&m->f, "Sub", x, htp_step_binary(&m->f, "Mul", v, product));
}

/** Q X or Qᵀ X, where Q is the product of the reflections. */
static htp_tensor_id reflect_all(const reflections *q, htp_tensor_id x, bool is_transposed)
{
    const int64_t first = 0;
    const htp_matrices *m = &q->m;
    htp_lowering *l = m->f.l;
    if (q->is_nothing) {
        return x;
    }
    htp_tensor_id last = htp_emit_binary(l, "Sub", q->count, htp_emit_int(l, 1));
    htp_steps steps = {.l = l, .count = 1, .state = {{x, m->f.dtype, m->rank}}};
    htp_steps_begin(&steps);
    htp_tensor_id k = htp_emit_unsqueeze(l, steps.number, &first, 1);
    k = is_transposed ? k : htp_emit_binary(l, "Sub", last, k);
    htp_tensor_id v = complete_vector(m, htp_matrices_column(m, m->x, k), k);
    x = reflect(m, steps.state[0].tensor, v, htp_matrices_column(m, q->tau, k));
    htp_steps_end(&steps, q->count, &x);
    return steps.state[0].tensor;
}

/** The reflection of a column. */
typedef struct reflection {
    htp_tensor_id v;     /* its elements below the row */
    htp_tensor_id tau;   /* [..., 1, 1] */
    htp_tensor_id pivot; /* the diagonal element after the reflection */
} reflection;

/** The norm of a column whose largest absolute value is @p size: scaled by it, squares cannot
 * overflow. */
static htp_tensor_id length_of(const htp_matrices *m, htp_tensor_id column, htp_tensor_id size)
{
    const int64_t row_axis = (int64_t)m->rank - 2;
    const htp_formula *f = &m->f;
    htp_tensor_id is_zero = htp_step_compare_scalar(f, "Equal", size, 0);
    size = htp_step_where_number(f, is_zero, 1, size);
    htp_tensor_id x = htp_step_binary(f, "Div", column, size);
    x = htp_step_reduce(f, "ReduceSum", htp_step_binary(f, "Mul", x, x), &row_axis, 1, true);
    return htp_step_binary(f, "Mul", htp_step_unary(f, "Sqrt", x), size);
}

/** The reflection of column @p k of @p x. */
static reflection find_reflection(const htp_matrices *m, htp_tensor_id x, htp_tensor_id k)
{
    const int64_t row_axis = (int64_t)m->rank - 2;
    const htp_formula *f = &m->f;
    htp_tensor_id zero = htp_step_number(f, 0);
    htp_tensor_id column = htp_matrices_column(m, x, k);
    htp_tensor_id first = htp_matrices_row(m, column, k);
    htp_tensor_id rest = htp_step_where(f, htp_matrices_is_row(m, "Less", k), zero, column);
    htp_tensor_id below = htp_step_where(f, htp_matrices_is_row(m, "Greater", k), column, zero);
    htp_tensor_id size =
        htp_step_reduce(f, "ReduceMax", htp_step_unary(f, "Abs", below), &row_axis, 1, true);
    htp_tensor_id has_none = htp_step_compare_scalar(f, "Equal", size, 0);
    size = htp_step_reduce(f, "ReduceMax", htp_step_unary(f, "Abs", rest), &row_axis, 1, true);
    htp_tensor_id length = length_of(m, rest, size);
    htp_tensor_id is_negative = htp_step_compare_scalar(f, "Less", first, 0);
    htp_tensor_id pivot = htp_step_where(f, is_negative, length, htp_step_unary(f, "Neg", length));
    pivot = htp_step_where(f, has_none, first, pivot);
    htp_tensor_id difference = htp_step_binary(f, "Sub", first, pivot);
    htp_tensor_id divisor = htp_step_where_number(f, has_none, 1, difference);
    reflection found = {.v = htp_step_binary(f, "Div", below, divisor), .pivot = pivot};
    divisor = htp_step_where_number(f, has_none, 1, pivot);
    found.tau = htp_step_binary(f, "Div", htp_step_unary(f, "Neg", difference), divisor);
    return found;
}

/** Turns @p x into R, with reflection @p k below its diagonal. */
static htp_tensor_id reduce_column(const htp_matrices *m, htp_tensor_id x, htp_tensor_id k,
                                   htp_tensor_id *tau)
{
    const htp_formula *f = &m->f;
    reflection found = find_reflection(m, x, k);
    *tau = found.tau;
    htp_tensor_id v = complete_vector(m, found.v, k);
    htp_tensor_id next = reflect(m, x, v, found.tau);
    next = htp_step_where(f, htp_matrices_is_column(m, "Greater", k), next, x);
    htp_tensor_id column = htp_matrices_column(m, x, k);
    column = htp_step_where(f, htp_matrices_is_row(m, "Greater", k), found.v, column);
    column = htp_step_where(f, htp_matrices_is_row(m, "Equal", k), found.pivot, column);
    return htp_step_where(f, htp_matrices_is_column(m, "Equal", k), column, next);
}

static reflections factorize(const htp_matrices *m)
{
    const int64_t first = 0;
    htp_lowering *l = m->f.l;
    reflections q = {.m = *m, .count = htp_matrices_smaller(m)};
    htp_tensor_id line = htp_emit_line(l, q.count);
    htp_tensor_id shape = htp_matrices_shape(m, htp_emit_int(l, 1), q.count);
    htp_tensor_id zeros = htp_emit_binary(l, "Expand", htp_step_number(&m->f, 0), shape);
    htp_steps steps = {
        .l = l, .count = 2, .state = {{m->x, m->f.dtype, m->rank}, {zeros, m->f.dtype, m->rank}}};
    htp_steps_begin(&steps);
    htp_tensor_id k = htp_emit_unsqueeze(l, steps.number, &first, 1);
    htp_tensor_id tau = HTP_NONE;
    htp_tensor_id x = reduce_column(m, steps.state[0].tensor, k, &tau);
    htp_tensor_id is_here = htp_emit_binary(l, "Equal", line, k);
    const htp_tensor_id next[] = {x, htp_step_where(&m->f, is_here, tau, steps.state[1].tensor)};
    htp_steps_end(&steps, q.count, next);
    q.m.x = steps.state[0].tensor;
    q.tau = steps.state[1].tensor;
    return q;
}

/** aten::geqrf: R and the reflections, packed; tau */
void htp_lower_reflections(htp_lowering *l)
{
    htp_matrices m = htp_arg_matrices(l, "self");
    if (l->failure) {
        return;
    }
    const int64_t row_axis = (int64_t)m.rank - 2;
    reflections q = factorize(&m);
    htp_formula_bind(&m.f, 0, q.m.x);
    htp_formula_bind(&m.f, 1, htp_emit_squeeze(l, q.tau, &row_axis, 1));
}

/** The reflections of arguments @p name and @p tau. */
static reflections arg_reflections(htp_lowering *l, const char *name, const char *tau)
{
    reflections q = {.m = htp_arg_matrices(l, name)};
    if (l->failure || htp_arg_rank(l, tau) + 1 != q.m.rank) {
        htp_lower_fail(l, "there are not as many lists of factors as matrices");
        return q;
    }
    const int64_t row_axis = (int64_t)q.m.rank - 2;
    htp_tensor_id list = htp_arg_tensor_as(l, tau, q.m.f.dtype);
    const htp_dim *dims = htp_arg_dims(l, tau);
    q.count = htp_emit_dim(l, list, dims, row_axis);
    q.is_nothing = !dims[row_axis].symbol && dims[row_axis].size == 0;
    q.tau = htp_emit_unsqueeze(l, list, &row_axis, 1);
    return q;
}

/** aten::linalg_householder_product, orgqr: the first columns of Q. The row's parameter is the
 * argument's name. */
void htp_lower_reflection_product(htp_lowering *l)
{
    const char *tau = strcmp(l->row->op, "self") == 0 ? "input2" : "tau";
    reflections q = arg_reflections(l, l->row->op, tau);
    if (!l->failure) {
        htp_tensor_id x = htp_matrices_identity(&q.m, q.m.columns);
        htp_formula_bind(&q.m.f, 0, reflect_all(&q, x, false));
    }
}

/** aten::ormqr: Q X, Qᵀ X or, not left, X Q, X Qᵀ */
void htp_lower_reflect(htp_lowering *l)
{
    reflections q = arg_reflections(l, "self", "input2");
    if (l->failure || htp_arg_rank(l, "input3") != q.m.rank) {
        htp_lower_fail(l, "matrices of different ranks are not supported");
        return;
    }
    bool is_left = htp_arg_bool_or(l, "left", true);
    bool is_transposed = htp_arg_bool_or(l, "transpose", false);
    htp_tensor_id x = htp_arg_tensor_as(l, "input3", q.m.f.dtype);
    x = is_left ? x : htp_emit_transpose_last(l, x, q.m.rank);
    x = reflect_all(&q, x, is_transposed == is_left);
    x = is_left ? x : htp_emit_transpose_last(l, x, q.m.rank);
    htp_formula_bind(&q.m.f, 0, x);
}

/* ---- Q and R ---- */

/** Binds the outputs to Q, of @p columns ([1]; HTP_NONE for an empty tensor), and to R of
 * as many rows. */
static void bind_factors(const reflections *q, htp_tensor_id columns)
{
    htp_lowering *l = q->m.f.l;
    if (columns == HTP_NONE) {
        htp_formula_bind(&q->m.f, 0, htp_emit_fill(l, q->m.f.dtype, 0, 0));
        columns = q->count;
    } else {
        htp_tensor_id x = htp_matrices_identity(&q->m, columns);
        htp_formula_bind(&q->m.f, 0, reflect_all(q, x, false));
    }
    htp_tensor_id r = htp_matrices_triangle(&q->m, "LessOrEqual", q->m.x, 0);
    htp_formula_bind(&q->m.f, 1, htp_emit_first(l, r, (int64_t)q->m.rank - 2, columns));
}

/** aten::linalg_qr */
void htp_lower_qr_mode(htp_lowering *l)
{
    htp_matrices m = htp_arg_matrices(l, "A");
    const char *mode = htp_arg_string(l, "mode");
    if (l->failure) {
        return;
    }
    reflections q = factorize(&m);
    if (strcmp(mode, "r") == 0) {
        bind_factors(&q, HTP_NONE);
    } else {
        bind_factors(&q, strcmp(mode, "complete") == 0 ? m.rows : q.count);
    }
}

/** aten::qr */
void htp_lower_qr(htp_lowering *l)
{
    htp_matrices m = htp_arg_matrices(l, "self");
    bool is_reduced = htp_arg_bool_or(l, "some", true);
    if (!l->failure) {
        reflections q = factorize(&m);
        bind_factors(&q, is_reduced ? q.count : m.rows);
    }
}

/* ---- least squares ---- */

/** The square top of R, with as many rows as it has columns. */
static htp_matrices top_square(const reflections *q)
{
    htp_lowering *l = q->m.f.l;
    uint32_t rank = q->m.rank;
    htp_dim *dims = HTP_NEW_ARRAY(l->arena, htp_dim, rank);
    for (uint32_t i = 0; i < rank; i++) {
        dims[i] = q->m.dims[i];
    }
    dims[rank - 2] = dims[rank - 1] = (htp_dim){1, "size"};
    htp_tensor_id x = htp_emit_first(l, q->m.x, (int64_t)rank - 2, q->count);
    return htp_matrices_of(l, x, rank, dims);
}

/**
 * Binds the outputs for matrices with at least as many rows as columns.
 * @param has_rest  whether there are more rows; then the residuals' sums of squares are an output
 */
static void bind_nearest(const reflections *q, htp_tensor_id b, bool has_rest)
{
    htp_lowering *l = q->m.f.l;
    const htp_formula *f = &q->m.f;
    const int64_t row_axis = (int64_t)q->m.rank - 2;
    htp_matrices r = top_square(q);
    b = reflect_all(q, b, true);
    htp_tensor_id top = htp_emit_first(l, b, row_axis, q->count);
    htp_formula_bind(f, 0, htp_emit_substitution(&r, top, true, false));
    htp_tensor_id rest = htp_emit_fill(l, f->dtype, 0, 0);
    if (has_rest) {
        rest = htp_emit(l, "Slice",
                        HTP_IN(b, q->count, htp_emit_int(l, INT64_MAX), htp_emit_int(l, row_axis)),
                        HTP_NO_AT);
        rest = htp_step_binary(f, "Mul", rest, rest);
        rest = htp_step_reduce(f, "ReduceSum", rest, &row_axis, 1, false);
    }
    htp_formula_bind(f, 1, rest);
}

/** Binds output 0 to the solution of least norm; @p q factorises the transpose. */
static void bind_shortest(const reflections *q, htp_tensor_id b)
{
    htp_matrices r = top_square(q);
    htp_matrices_transpose(&r);
    htp_tensor_id x = htp_emit_substitution(&r, b, false, false);
    htp_tensor_id base = reflect_all(q, htp_matrices_identity(&q->m, q->count), false);
    htp_formula_bind(&q->m.f, 0, htp_emit_binary(q->m.f.l, "MatMul", base, x));
}

/** aten::linalg_lstsq with the driver "gels", which assumes full rank. The other drivers return
 * ranks or singular values. */
void htp_lower_least_squares(htp_lowering *l)
{
    bool is_gels = htp_arg_present(l, "driver") && strcmp(htp_arg_string(l, "driver"), "gels") == 0;
    uint32_t rank = htp_arg_rank(l, "self");
    const htp_dim *last = htp_arg_dims(l, "self") + (rank >= 2 ? rank - 2 : 0);
    if (!is_gels) {
        htp_lower_fail(l, "only with driver='gels' the rank of matrices does not matter");
    } else if (rank < 2 || htp_arg_rank(l, "b") != rank) {
        htp_lower_fail(l, "matrices of different ranks are not supported");
    } else if (last[0].symbol || last[1].symbol) {
        htp_lower_fail(l, "the numbers of rows and columns are not known");
    }
    if (l->failure) {
        return;
    }
    htp_matrices a = htp_arg_matrices(l, "self");
    htp_matrices b = htp_arg_matrices(l, "b");
    htp_matrices_join(&a, &b);
    bool is_wide = last[0].size < last[1].size;
    if (is_wide) {
        htp_matrices_transpose(&a);
    }
    reflections q = factorize(&a);
    htp_tensor_id nothing = htp_emit_fill(l, a.f.dtype, 0, 0);
    if (is_wide) {
        bind_shortest(&q, b.x);
        htp_formula_bind(&a.f, 1, nothing);
    } else {
        bind_nearest(&q, b.x, last[0].size > last[1].size);
    }
    htp_bind(l, 2, htp_emit_fill(l, HTP_DTYPE_INT64, 0, 0));
    htp_formula_bind(&a.f, 3, nothing);
}
