/*
 * Systems solved by LU factorisation: torch.linalg's functions that return info, and those on
 * tensors.
 */
#include "lower/compose/compose.h"
#include "lower/emit/rows.h"
#include "lower/emit/sizes.h"
#include "lower/linalg/matrices.h"

/** Binds output 1 to the index of a zero pivot. */
static void bind_info(htp_lowering *l, htp_tensor_id info, uint32_t rank)
{
    const int64_t last[] = {(int64_t)rank - 2, (int64_t)rank - 1};
    htp_bind_cast(l, 1, htp_emit_squeeze(l, info, last, 2), HTP_DTYPE_INT64);
}

/** aten::linalg_solve_ex: X, info */
void htp_lower_checked_solve(htp_lowering *l)
{
    htp_matrices a = htp_arg_matrices(l, "A");
    uint32_t rank = htp_arg_rank(l, "B");
    if (l->failure) {
        return;
    }
    htp_matrices b;
    bool vector = htp_solves_vectors(l);
    if (vector) {
        const int64_t last = rank;
        htp_dim *dims = HTP_NEW_ARRAY(l->arena, htp_dim, rank + 1);
        for (uint32_t i = 0; i < rank; i++) {
            dims[i] = htp_arg_dims(l, "B")[i];
        }
        dims[rank] = (htp_dim){1, NULL};
        htp_tensor_id x = htp_arg_tensor_as(l, "B", a.f.dtype);
        b = htp_matrices_of(l, htp_emit_unsqueeze(l, x, &last, 1), rank + 1, dims);
    } else {
        b = htp_arg_matrices(l, "B");
    }
    uint32_t a_rank = a.rank;
    bool left = htp_arg_bool_or(l, "left", true);
    if (vector && !left) {
        htp_lower_fail(l, "vectors on the left of a matrix are not supported");
        return;
    }
    htp_solution solution = htp_emit_solution(&a, &b, left);
    const int64_t last = (int64_t)a.rank - 1;
    htp_tensor_id x = vector ? htp_emit_squeeze(l, solution.x, &last, 1) : solution.x;
    htp_formula_bind(&a.f, 0, x);
    bind_info(l, solution.info, a_rank);
}

/** aten::linalg_inv_ex: inverse, info */
void htp_lower_checked_inverse(htp_lowering *l)
{
    htp_matrices a = htp_arg_matrices(l, "A");
    if (l->failure) {
        return;
    }
    htp_matrices b = a;
    b.x = htp_matrices_identity(&a, a.rows);
    htp_solution solution = htp_emit_solution(&a, &b, true);
    htp_formula_bind(&a.f, 0, solution.x);
    bind_info(l, solution.info, a.rank);
}

/* ---- tensors ---- */

/** @p x reshaped; unlike in htp_emit_reshape(), a dim of 0 means 0. */
static htp_tensor_id reshaped(htp_lowering *l, htp_tensor_id x, htp_tensor_id shape)
{
    return htp_emit(l, "Reshape", HTP_IN(x, shape), HTP_AT(htp_attribute_int("allowzero", 1)));
}

/** @p x as a square matrix of @p size ([1]) rows. */
static htp_matrices squared(htp_lowering *l, htp_tensor_id x, htp_tensor_id size)
{
    static const htp_dim dims[] = {{1, "size"}, {1, "size"}};
    x = reshaped(l, x, htp_emit_concat(l, HTP_IN(size, size), 0));
    return htp_matrices_of(l, x, 2, dims);
}

/** Moves the dims that argument 'dims' lists to the end.
 * @param dims  of the result */
static htp_tensor_id move_dims(htp_lowering *l, htp_tensor_id x, uint32_t rank, htp_dim *dims)
{
    int64_t order[HTP_MAX_RANK];
    bool moves[HTP_MAX_RANK] = {false};
    size_t count = 0;
    const int64_t *moved = htp_arg_dims_list(l, "dims", rank, false, &count);
    for (size_t i = 0; i < count; i++) {
        moves[moved[i]] = true;
        order[rank - count + i] = moved[i];
    }
    size_t place = 0;
    for (uint32_t i = 0; i < rank; i++) {
        if (!moves[i] && place < rank - count) {
            order[place++] = i;
        }
    }
    if (place + count != rank) {
        htp_lower_fail(l, "a dim is moved twice");
        return x;
    }
    for (uint32_t i = 0; i < rank; i++) {
        dims[i] = htp_arg_dims(l, "self")[order[i]];
    }
    return htp_emit_transpose(l, x, order, rank);
}

/** aten::linalg_tensorsolve: the first dims of self are the equations, the others the unknowns */
void htp_lower_tensor_solve(htp_lowering *l)
{
    uint32_t rank = htp_arg_rank(l, "self");
    uint32_t known = htp_arg_rank(l, "other");
    if (known > rank) {
        htp_lower_fail(l, "it has fewer dims than the right-hand side");
        return;
    }
    htp_dim dims[HTP_MAX_RANK] = {{0, NULL}};
    htp_tensor_id x = htp_arg_tensor_as(l, "self", HTP_DTYPE_FLOAT64);
    htp_tensor_id other = htp_arg_tensor_as(l, "other", HTP_DTYPE_FLOAT64);
    x = move_dims(l, x, rank, dims);
    if (l->failure) {
        return;
    }
    htp_sizes shape = htp_sizes_begin(l);
    htp_sizes_add_dims(&shape, x, dims, known, rank);
    htp_tensor_id size = htp_emit_dim_product(l, x, dims, known, rank);
    htp_matrices a = squared(l, x, size);
    htp_matrices b = a;
    b.x = reshaped(l, other, htp_emit_concat(l, HTP_IN(size, htp_emit_int(l, 1)), 0));
    htp_solution solution = htp_emit_solution(&a, &b, true);
    htp_formula_bind(&a.f, 0, reshaped(l, solution.x, htp_sizes_end(&shape)));
}

/** aten::linalg_tensorinv: the first dims of self are the rows of a matrix */
void htp_lower_tensor_inverse(htp_lowering *l)
{
    uint32_t rank = htp_arg_rank(l, "self");
    int64_t first = htp_arg_int_or(l, "ind", 2);
    if (l->failure || first < 0 || first > rank) {
        htp_lower_fail(l, "'ind' is out of range");
        return;
    }
    const htp_dim *dims = htp_arg_dims(l, "self");
    htp_tensor_id x = htp_arg_tensor_as(l, "self", HTP_DTYPE_FLOAT64);
    htp_sizes shape = htp_sizes_begin(l);
    htp_sizes_add_dims(&shape, x, dims, (uint32_t)first, rank);
    htp_sizes_add_dims(&shape, x, dims, 0, (uint32_t)first);
    htp_matrices a = squared(l, x, htp_emit_dim_product(l, x, dims, 0, (uint32_t)first));
    htp_formula_bind(&a.f, 0, reshaped(l, htp_emit_inverse(&a), htp_sizes_end(&shape)));
}
