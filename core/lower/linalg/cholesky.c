/*
 * Cholesky factorisation, and systems solved by it.
 *
 * As LAPACK's potrf: each column subtracts its products with earlier ones. Where the remaining
 * diagonal element is not positive, the factorisation stops and leaves the rest unchanged.
 */
#include "lower/compose/compose.h"
#include "lower/emit/rows.h"
#include "lower/emit/steps.h"
#include "lower/linalg/matrices.h"

/** Lower triangles L with L Lᵀ = A. */
typedef struct triangles {
    htp_tensor_id x;
    htp_tensor_id
        info; /* order of the first leading minor that is not positive: int64 [..., 1, 1] */
} triangles;

/** Column @p k after subtracting its products with earlier ones. */
static htp_tensor_id reduce_column(const htp_matrices *m, htp_tensor_id x, htp_tensor_id k)
{
    htp_tensor_id is_known = htp_matrices_is_column(m, "Less", k);
    htp_tensor_id known = htp_step_where(&m->f, is_known, x, htp_step_number(&m->f, 0));
    htp_tensor_id row = htp_emit_transpose_last(m->f.l, htp_matrices_row(m, known, k), m->rank);
    return htp_step_binary(&m->f, "Sub", htp_matrices_column(m, x, k),
                           htp_emit_binary(m->f.l, "MatMul", known, row));
}

/** The step over column @p k.
 * @param goes_on  in: whether all pivots so far were positive; out: the same with this one */
static htp_tensor_id make_column(const htp_matrices *m, htp_tensor_id x, htp_tensor_id k,
                                 htp_tensor_id *goes_on)
{
    htp_lowering *l = m->f.l;
    htp_tensor_id was_well = *goes_on;
    htp_tensor_id column = reduce_column(m, x, k);
    htp_tensor_id diagonal = htp_matrices_row(m, column, k);
    *goes_on = htp_step_compare_scalar(&m->f, "Greater", diagonal, 0);
    htp_tensor_id divisor = htp_step_where(&m->f, *goes_on, diagonal, htp_step_number(&m->f, 1));
    divisor = htp_step_unary(&m->f, "Sqrt", divisor);
    htp_tensor_id is_below = htp_matrices_is_row(m, "Greater", k);
    is_below = htp_emit_binary(l, "And", is_below, *goes_on);
    column = htp_step_where(&m->f, is_below, htp_step_binary(&m->f, "Div", column, divisor),
                            htp_matrices_column(m, x, k));
    diagonal = htp_step_where(&m->f, *goes_on, divisor, diagonal);
    column = htp_step_where(&m->f, htp_matrices_is_row(m, "Equal", k), diagonal, column);
    htp_tensor_id is_here = htp_matrices_is_column(m, "Equal", k);
    return htp_step_where(&m->f, htp_emit_binary(l, "And", is_here, was_well), column, x);
}

static triangles factorize(const htp_matrices *m)
{
    const int64_t first = 0;
    htp_lowering *l = m->f.l;
    htp_tensor_id one = htp_emit_int(l, 1);
    htp_tensor_id none = htp_emit_int(l, 0);
    htp_tensor_id zeros = htp_emit_binary(l, "Expand", none, htp_matrices_shape(m, one, one));
    htp_steps steps = {.l = l,
                       .count = 2,
                       .state = {{m->x, m->f.dtype, m->rank}, {zeros, HTP_DTYPE_INT64, m->rank}}};
    htp_steps_begin(&steps);
    htp_tensor_id k = htp_emit_unsqueeze(l, steps.number, &first, 1);
    htp_tensor_id info = steps.state[1].tensor;
    htp_tensor_id was_well = htp_emit_binary(l, "Equal", info, none);
    htp_tensor_id goes_on = was_well;
    htp_tensor_id x = make_column(m, steps.state[0].tensor, k, &goes_on);
    htp_tensor_id ends = htp_emit_binary(l, "And", was_well, htp_emit_unary(l, "Not", goes_on));
    info = htp_emit(l, "Where", HTP_IN(ends, htp_emit_binary(l, "Add", k, one), info), HTP_NO_AT);
    const htp_tensor_id next[] = {x, info};
    htp_steps_end(&steps, m->rows, next);
    x = htp_matrices_triangle(m, "GreaterOrEqual", steps.state[0].tensor, 0);
    return (triangles){x, steps.state[1].tensor};
}

/** aten::linalg_cholesky, linalg_cholesky_ex, cholesky: one triangle of the matrix is read. A
 * second output is info. */
void htp_lower_cholesky(htp_lowering *l)
{
    htp_matrices m = htp_arg_matrices(l, "self");
    bool is_upper = htp_arg_bool_or(l, "upper", false);
    if (l->failure) {
        return;
    }
    if (is_upper) {
        htp_matrices_transpose(&m);
    }
    triangles t = factorize(&m);
    t.x = is_upper ? htp_emit_transpose_last(l, t.x, m.rank) : t.x;
    htp_formula_bind(&m.f, 0, t.x);
    if (l->node->output_count > 1) {
        const int64_t last[] = {(int64_t)m.rank - 2, (int64_t)m.rank - 1};
        htp_bind_cast(l, 1, htp_emit_squeeze(l, t.info, last, 2), HTP_DTYPE_INT64);
    }
}

/** X of L Lᵀ X = B, both in a common batch. */
static htp_tensor_id solve(htp_matrices *t, htp_tensor_id b, bool is_upper)
{
    if (is_upper) {
        htp_matrices_transpose(t);
    }
    htp_tensor_id x = htp_emit_substitution(t, b, false, false);
    htp_matrices_transpose(t);
    return htp_emit_substitution(t, x, true, false);
}

/** aten::cholesky_solve */
void htp_lower_cholesky_solve(htp_lowering *l)
{
    htp_matrices t = htp_arg_matrices(l, "input2");
    htp_matrices b = htp_arg_matrices(l, "self");
    if (!l->failure) {
        htp_matrices_join(&t, &b);
        htp_formula_bind(&b.f, 0, solve(&t, b.x, htp_arg_bool_or(l, "upper", false)));
    }
}

/** aten::cholesky_inverse */
void htp_lower_cholesky_inverse(htp_lowering *l)
{
    htp_matrices t = htp_arg_matrices(l, "self");
    if (!l->failure) {
        htp_tensor_id b = htp_matrices_identity(&t, t.rows);
        htp_formula_bind(&t.f, 0, solve(&t, b, htp_arg_bool_or(l, "upper", false)));
    }
}
