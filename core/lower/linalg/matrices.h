/*
 * Matrices in the last two dims of a tensor, and steps of algorithms over their rows and columns.
 * Private to core/lower.
 *
 * They compute in float64, libtorch in the operands' own dtype.
 */
#ifndef HTP_LOWER_MATRICES_H
#define HTP_LOWER_MATRICES_H

#include "lower/compose/formula.h"

/** Matrices [..., rows, columns]; all sizes may be dynamic. */
typedef struct htp_matrices {
    htp_formula f;
    htp_tensor_id x;
    uint32_t rank;
    const htp_dim *dims;   /* of x, before it was broadcast */
    htp_tensor_id rows;    /* how many: [1] int64 */
    htp_tensor_id columns; /* how many: [1] int64 */
    htp_tensor_id row;     /* their numbers: [rows, 1] int64 */
    htp_tensor_id column;  /* their numbers: [1, columns] int64 */
} htp_matrices;

/** The matrices of argument @p name; fails for a rank below 2. */
htp_matrices htp_arg_matrices(htp_lowering *l, const char *name);

/** The matrices of a float64 tensor. */
htp_matrices htp_matrices_of(htp_lowering *l, htp_tensor_id x, uint32_t rank, const htp_dim *dims);

/** Exchanges rows and columns. */
void htp_matrices_transpose(htp_matrices *m);

/** Broadcasts both to a common batch. */
void htp_matrices_join(htp_matrices *a, htp_matrices *b);

/** @p x of @p rank with its last two dims exchanged. */
htp_tensor_id htp_emit_transpose_last(htp_lowering *l, htp_tensor_id x, uint32_t rank);

/** The batch's shape of @p m, followed by two dims ([1] each). */
htp_tensor_id htp_matrices_shape(const htp_matrices *m, htp_tensor_id rows, htp_tensor_id columns);

/** Identity matrices with the batch and rows of @p m, and @p columns ([1]). */
htp_tensor_id htp_matrices_identity(const htp_matrices *m, htp_tensor_id columns);

/** The smaller number of rows or columns: [1]. */
htp_tensor_id htp_matrices_smaller(const htp_matrices *m);

/** 0, 1, ... as [1, count]. */
htp_tensor_id htp_emit_line(htp_lowering *l, htp_tensor_id count);

/* ---- a step over number k, which is a tensor of [1] ---- */

/** The row or column @p k of @p x, whose rank is that of @p m; its dim stays. */
htp_tensor_id htp_matrices_row(const htp_matrices *m, htp_tensor_id x, htp_tensor_id k);
htp_tensor_id htp_matrices_column(const htp_matrices *m, htp_tensor_id x, htp_tensor_id k);

/** Whether a row's number compares to @p k: bool [rows, 1]; a column's: [1, columns]. */
htp_tensor_id htp_matrices_is_row(const htp_matrices *m, const char *comparison, htp_tensor_id k);
htp_tensor_id htp_matrices_is_column(const htp_matrices *m, const char *comparison,
                                     htp_tensor_id k);

/** @p x where a row's number compares to its column's; otherwise @p otherwise. */
htp_tensor_id htp_matrices_triangle(const htp_matrices *m, const char *comparison, htp_tensor_id x,
                                    double otherwise);

/** The first @p count ([1]) elements of @p x along @p axis. */
htp_tensor_id htp_emit_first(htp_lowering *l, htp_tensor_id x, int64_t axis, htp_tensor_id count);

/* ---- what several factorizations end with ---- */

/** X of T X = B, by substitution; T and B share their batch (see htp_matrices_join()). The other
 * triangle is not read, nor is the diagonal if @p has_ones. */
htp_tensor_id htp_emit_substitution(const htp_matrices *t, htp_tensor_id b, bool is_upper,
                                    bool has_ones);

/** Inverses of square matrices, by LU factorization. */
htp_tensor_id htp_emit_inverse(const htp_matrices *m);

/** The result of solving. */
typedef struct htp_solution {
    htp_tensor_id x;
    htp_tensor_id info; /* 1-based index of the first zero pivot: [..., 1, 1] int64 */
} htp_solution;

/** X of A X = B, or of X A = B, by LU factorization. Both are broadcast to a common batch. */
htp_solution htp_emit_solution(htp_matrices *a, htp_matrices *b, bool is_left);

/** Whether argument B holds vectors, one per matrix of argument A. */
bool htp_solves_vectors(htp_lowering *l);

#endif
