/*
 * Systems of equations with a triangular matrix: aten::linalg_solve_triangular, triangular_solve.
 *
 * Substitution, as LAPACK's trsm does it: each row of the solution takes one product with the rows
 * found before. The other triangle is not read, nor is a unit diagonal.
 */
#include "lower/compose/compose.h"
#include "lower/emit/rows.h"
#include "lower/linalg/matrices.h"

enum { MAX_ROWS = 128 };

/** A x = b, with matrices in the last two dims. */
typedef struct triangular_system {
    htp_dtype dtype;
    uint32_t rank;
    size_t count; /* of rows */
    htp_tensor_id a;
    htp_tensor_id b;
    bool is_upper;
    bool has_ones; /* on the diagonal */
} triangular_system;

/** Whether two dims are known to be equal. */
static bool is_same_dim(const htp_dim *a, const htp_dim *b)
{
    return a->symbol == b->symbol && a->size == b->size;
}

/** Whether there are few rows and no broadcast batch, so that the steps can be unrolled. */
static bool has_few_steps(htp_lowering *l)
{
    const htp_dim *a = htp_arg_dims(l, "self");
    const htp_dim *b = htp_arg_dims(l, "B");
    uint32_t rank = htp_arg_rank(l, "self");
    bool same = rank >= 2 && htp_arg_rank(l, "B") == rank;
    for (uint32_t i = 0; same && i + 2 < rank; i++) {
        same = is_same_dim(&a[i], &b[i]);
    }
    const htp_dim *rows = &a[rank - 1];
    return same && !rows->symbol && rows->size >= 1 && rows->size <= MAX_ROWS;
}

static triangular_system read_system(htp_lowering *l)
{
    triangular_system s = {.dtype = htp_arg_math_dtype(l, "self", HTP_MATH_ALLOW_DOUBLE)};
    s.rank = htp_arg_rank(l, "self");
    bool is_left = htp_arg_bool_or(l, "left", true);
    s.is_upper = htp_arg_bool(l, "upper") == is_left;
    s.has_ones = htp_arg_bool_or(l, "unitriangular", false);
    s.count = (size_t)htp_arg_dims(l, "self")[s.rank - 1].size;
    s.a = htp_arg_tensor_as(l, "self", s.dtype);
    s.b = htp_arg_tensor_as(l, "B", s.dtype);
    if (!is_left) { /* x A = b is Aᵀ xᵀ = bᵀ */
        s.a = htp_emit_transpose_last(l, s.a, s.rank);
        s.b = htp_emit_transpose_last(l, s.b, s.rank);
    }
    return s;
}

/** @p x with row @p next above or below it. */
static htp_tensor_id joined(htp_lowering *l, const triangular_system *s, htp_tensor_id x,
                            htp_tensor_id next)
{
    htp_emit_inputs parts = s->is_upper ? HTP_IN(next, x) : HTP_IN(x, next);
    return htp_emit_concat(l, parts, (int64_t)s->rank - 2);
}

static htp_tensor_id solve(htp_lowering *l, const triangular_system *s)
{
    const int64_t row_axis = (int64_t)s->rank - 2;
    const int64_t column_axis = row_axis + 1;
    htp_tensor_id *a = HTP_NEW_ARRAY(l->arena, htp_tensor_id, s->count);
    htp_tensor_id *b = HTP_NEW_ARRAY(l->arena, htp_tensor_id, s->count);
    a[0] = s->a;
    b[0] = s->b;
    if (s->count > 1) {
        htp_emit_split(l, s->a, row_axis, a, s->count);
        htp_emit_split(l, s->b, row_axis, b, s->count);
    }
    htp_tensor_id known = HTP_NONE;
    for (size_t i = 0; i < s->count && !l->failure; i++) {
        size_t at = s->is_upper ? s->count - 1 - i : i;
        int64_t row = (int64_t)at;
        htp_tensor_id x = b[at];
        if (i > 0) {
            int64_t first = s->is_upper ? row + 1 : 0;
            htp_tensor_id factors =
                htp_emit_slice(l, a[at], column_axis, first, first + (int64_t)i);
            x = htp_emit_binary(l, "Sub", x, htp_emit_binary(l, "MatMul", factors, known));
        }
        if (!s->has_ones) {
            htp_tensor_id pivot = htp_emit_slice(l, a[at], column_axis, row, row + 1);
            x = htp_emit_binary(l, "Div", x, pivot);
        }
        known = i > 0 ? joined(l, s, known, x) : x;
    }
    return known;
}

/** Solves by a Loop over any number of rows. */
static void solve_in_loop(htp_lowering *l)
{
    htp_matrices a = htp_arg_matrices(l, "self");
    htp_matrices b = htp_arg_matrices(l, "B");
    bool is_left = htp_arg_bool_or(l, "left", true);
    if (l->failure) {
        return;
    }
    if (!is_left) {
        htp_matrices_transpose(&a);
        htp_matrices_transpose(&b);
    }
    htp_matrices_join(&a, &b);
    bool is_upper = htp_arg_bool(l, "upper") == is_left;
    bool has_ones = htp_arg_bool_or(l, "unitriangular", false);
    htp_tensor_id x = htp_emit_substitution(&a, b.x, is_upper, has_ones);
    htp_formula_bind(&a.f, 0, is_left ? x : htp_emit_transpose_last(l, x, a.rank));
}

/** aten::linalg_solve_triangular */
void htp_lower_solve_triangular(htp_lowering *l)
{
    if (!has_few_steps(l)) {
        solve_in_loop(l);
        return;
    }
    triangular_system s = read_system(l);
    if (l->failure) {
        return;
    }
    htp_tensor_id x = solve(l, &s);
    x = htp_arg_bool_or(l, "left", true) ? x : htp_emit_transpose_last(l, x, s.rank);
    htp_bind_cast(l, 0, x, s.dtype);
}

/** aten::triangular_solve: the solution, and the matrices */
void htp_lower_triangular_system(htp_lowering *l)
{
    htp_matrices a = htp_arg_matrices(l, "A");
    htp_matrices b = htp_arg_matrices(l, "self");
    bool is_transposed = htp_arg_bool_or(l, "transpose", false);
    bool is_upper = htp_arg_bool_or(l, "upper", true) != is_transposed;
    if (l->failure) {
        return;
    }
    htp_matrices_join(&a, &b);
    htp_formula_bind(&a.f, 1, a.x);
    if (is_transposed) {
        htp_matrices_transpose(&a);
    }
    bool has_ones = htp_arg_bool_or(l, "unitriangular", false);
    htp_formula_bind(&a.f, 0, htp_emit_substitution(&a, b.x, is_upper, has_ones));
}
