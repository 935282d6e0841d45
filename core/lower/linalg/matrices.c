#include "lower/linalg/matrices.h"

#include "lower/emit/ort_dtypes.h"
#include "lower/emit/sizes.h"
#include "lower/emit/steps.h"

#include <string.h>

htp_tensor_id htp_emit_line(htp_lowering *l, htp_tensor_id count)
{
    const int64_t first = 0;
    return htp_emit_unsqueeze(l, htp_emit_count_up(l, count), &first, 1);
}

htp_matrices htp_matrices_of(htp_lowering *l, htp_tensor_id x, uint32_t rank, const htp_dim *dims)
{
    const int64_t last = 1;
    htp_matrices m = {
        .f = {l, HTP_DTYPE_FLOAT64, HTP_DTYPE_FLOAT64}, .x = x, .rank = rank, .dims = dims};
    m.rows = htp_emit_dim(l, x, dims, (int64_t)rank - 2);
    m.columns = htp_emit_dim(l, x, dims, (int64_t)rank - 1);
    m.row = htp_emit_unsqueeze(l, htp_emit_count_up(l, m.rows), &last, 1);
    m.column = htp_emit_line(l, m.columns);
    return m;
}

htp_matrices htp_arg_matrices(htp_lowering *l, const char *name)
{
    uint32_t rank = htp_arg_rank(l, name);
    if (rank < 2) {
        htp_lower_fail(l, "argument '%s' is not a matrix", name);
        return (htp_matrices){.f = {l, HTP_DTYPE_FLOAT64, HTP_DTYPE_FLOAT64}, .rank = 2};
    }
    htp_tensor_id x = htp_arg_tensor_as(l, name, HTP_DTYPE_FLOAT64);
    return htp_matrices_of(l, x, rank, htp_arg_dims(l, name));
}

htp_tensor_id htp_emit_transpose_last(htp_lowering *l, htp_tensor_id x, uint32_t rank)
{
    int64_t order[HTP_MAX_RANK];
    for (uint32_t i = 0; i < rank; i++) {
        order[i] = i;
    }
    order[rank - 2] = (int64_t)rank - 1;
    order[rank - 1] = (int64_t)rank - 2;
    return htp_emit_transpose(l, x, order, rank);
}

void htp_matrices_transpose(htp_matrices *m)
{
    htp_lowering *l = m->f.l;
    htp_tensor_id rows = m->rows;
    htp_tensor_id row = m->row;
    m->x = htp_emit_transpose_last(l, m->x, m->rank);
    m->rows = m->columns;
    m->columns = rows;
    m->row = htp_emit_transpose_last(l, m->column, 2);
    m->column = htp_emit_transpose_last(l, row, 2);
}

/** Whether two dims are known to be equal. */
static bool is_same_dim(const htp_dim *a, const htp_dim *b)
{
    return a->symbol && b->symbol ? strcmp(a->symbol, b->symbol) == 0
                                  : !a->symbol && !b->symbol && a->size == b->size;
}

/** Whether both are known to have the same batch. */
static bool is_same_batch(const htp_matrices *a, const htp_matrices *b)
{
    bool same = a->rank == b->rank;
    for (uint32_t i = 0; same && i + 2 < a->rank; i++) {
        same = is_same_dim(&a->dims[i], &b->dims[i]);
    }
    return same;
}

void htp_matrices_join(htp_matrices *a, htp_matrices *b)
{
    if (is_same_batch(a, b)) {
        return;
    }
    htp_lowering *l = a->f.l;
    uint32_t rank = a->rank > b->rank ? a->rank : b->rank;
    htp_tensor_id one = htp_emit_int(l, 1);
    htp_tensor_id a_shape = htp_matrices_shape(a, one, one);
    htp_tensor_id b_shape = htp_matrices_shape(b, one, one);
    a->x = htp_typed_expand(l, a->f.dtype, a->x, b_shape);
    b->x = htp_typed_expand(l, b->f.dtype, b->x, a_shape);
    htp_dim *dims = HTP_NEW_ARRAY(l->arena, htp_dim, rank);
    for (uint32_t i = 0; i < rank; i++) {
        dims[i] = (htp_dim){1, "size"};
    }
    a->rank = b->rank = rank;
    a->dims = b->dims = dims;
}

htp_tensor_id htp_matrices_shape(const htp_matrices *m, htp_tensor_id rows, htp_tensor_id columns)
{
    htp_sizes shape = htp_sizes_begin(m->f.l);
    htp_sizes_add_dims(&shape, m->x, m->dims, 0, m->rank - 2);
    htp_sizes_add_tensor(&shape, rows);
    htp_sizes_add_tensor(&shape, columns);
    return htp_sizes_end(&shape);
}

htp_tensor_id htp_matrices_identity(const htp_matrices *m, htp_tensor_id columns)
{
    htp_lowering *l = m->f.l;
    htp_tensor_id is_same = htp_emit_binary(l, "Equal", m->row, htp_emit_line(l, columns));
    htp_tensor_id ones = htp_emit_cast(l, is_same, HTP_DTYPE_BOOL, m->f.dtype);
    return htp_typed_expand(l, m->f.dtype, ones, htp_matrices_shape(m, m->rows, columns));
}

htp_tensor_id htp_matrices_smaller(const htp_matrices *m)
{
    return htp_typed_extreme(m->f.l, "Min", HTP_DTYPE_INT64, m->rows, m->columns);
}

/* ---- steps ---- */

static htp_tensor_id gathered(htp_lowering *l, htp_tensor_id x, int64_t axis, htp_tensor_id k)
{
    return htp_emit(l, "Gather", HTP_IN(x, k), HTP_AT(htp_attribute_int("axis", axis)));
}

htp_tensor_id htp_matrices_row(const htp_matrices *m, htp_tensor_id x, htp_tensor_id k)
{
    return gathered(m->f.l, x, (int64_t)m->rank - 2, k);
}

htp_tensor_id htp_matrices_column(const htp_matrices *m, htp_tensor_id x, htp_tensor_id k)
{
    return gathered(m->f.l, x, (int64_t)m->rank - 1, k);
}

htp_tensor_id htp_matrices_is_row(const htp_matrices *m, const char *comparison, htp_tensor_id k)
{
    return htp_emit_binary(m->f.l, comparison, m->row, k);
}

htp_tensor_id htp_matrices_is_column(const htp_matrices *m, const char *comparison, htp_tensor_id k)
{
    return htp_emit_binary(m->f.l, comparison, m->column, k);
}

htp_tensor_id htp_matrices_triangle(const htp_matrices *m, const char *comparison, htp_tensor_id x,
                                    double otherwise)
{
    htp_tensor_id is_inside = htp_emit_binary(m->f.l, comparison, m->row, m->column);
    return htp_step_where(&m->f, is_inside, x, htp_step_number(&m->f, otherwise));
}

htp_tensor_id htp_emit_first(htp_lowering *l, htp_tensor_id x, int64_t axis, htp_tensor_id count)
{
    return htp_emit(l, "Slice", HTP_IN(x, htp_emit_int(l, 0), count, htp_emit_int(l, axis)),
                    HTP_NO_AT);
}

htp_tensor_id htp_emit_substitution(const htp_matrices *t, htp_tensor_id b, bool is_upper,
                                    bool has_ones)
{
    const int64_t first = 0;
    htp_lowering *l = t->f.l;
    htp_tensor_id last = htp_emit_binary(l, "Sub", t->rows, htp_emit_int(l, 1));
    htp_steps steps = {.l = l, .count = 1, .state = {{b, t->f.dtype, t->rank}}};
    htp_steps_begin(&steps);
    htp_tensor_id x = steps.state[0].tensor;
    htp_tensor_id k = htp_emit_unsqueeze(l, steps.number, &first, 1);
    k = is_upper ? htp_emit_binary(l, "Sub", last, k) : k;
    htp_tensor_id column = htp_matrices_column(t, t->x, k);
    htp_tensor_id found = htp_matrices_row(t, x, k);
    if (!has_ones) {
        found = htp_step_binary(&t->f, "Div", found, htp_matrices_row(t, column, k));
    }
    htp_tensor_id is_open = htp_matrices_is_row(t, is_upper ? "Less" : "Greater", k);
    htp_tensor_id rest =
        htp_step_binary(&t->f, "Sub", x, htp_step_binary(&t->f, "Mul", column, found));
    x = htp_step_where(&t->f, is_open, rest, x);
    x = htp_step_where(&t->f, htp_matrices_is_row(t, "Equal", k), found, x);
    htp_steps_end(&steps, t->rows, &x);
    return steps.state[0].tensor;
}

bool htp_solves_vectors(htp_lowering *l)
{
    uint32_t rank = htp_arg_rank(l, "B");
    const htp_dim *a = htp_arg_dims(l, "A");
    const htp_dim *b = htp_arg_dims(l, "B");
    bool same = rank + 1 == htp_arg_rank(l, "A");
    for (uint32_t i = 0; i < rank && same; i++) {
        same = is_same_dim(&a[i], &b[i]);
    }
    return rank == 1 || same;
}
