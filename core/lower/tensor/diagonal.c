/*
 * Reads and writes diagonals, and makes matrices from them.
 *
 * The diagonal with offset k of matrices m x n starts at column k, or at row -k. In the flattened
 * matrix its elements are n + 1 apart.
 */
#include "lower/compose/compose.h"
#include "lower/emit/ort_dtypes.h"
#include "lower/emit/rows.h"
#include "lower/emit/sizes.h"

/** Matrices in the last two dims. */
typedef struct matrices {
    htp_tensor_id x;
    htp_dtype dtype;
    uint32_t rank;
    htp_dim dims[HTP_MAX_RANK];
    int64_t order[HTP_MAX_RANK]; /* dim i was dim order[i] */
    int64_t offset;
} matrices;

/** The offset of a diagonal; beyond int32_t, sums of it and of sizes could overflow. */
static int64_t arg_offset(htp_lowering *l, const char *name)
{
    int64_t offset = htp_arg_int_or(l, name, 0);
    if (offset < -INT32_MAX || offset > INT32_MAX) {
        htp_lower_fail(l, "a diagonal at %lld is not supported", (long long)offset);
        return 0;
    }
    return offset;
}

/** The tensor argument @p name with the dims of arguments dim1 and dim2 last. */
static matrices arg_matrices(htp_lowering *l, const char *name)
{
    matrices m = {.dtype = htp_arg_dtype(l, name), .rank = htp_arg_rank(l, name)};
    const htp_dim *dims = htp_arg_dims(l, name);
    bool named = htp_arg_present(l, "dim1");
    int64_t rows = named ? htp_arg_dim(l, "dim1", m.rank) : 0;
    int64_t columns = named ? htp_arg_dim(l, "dim2", m.rank) : 1;
    m.offset = arg_offset(l, htp_arg_present(l, "diagonal") ? "diagonal" : "offset");
    if (m.rank < 2 || rows == columns) {
        htp_lower_fail(l, "a tensor of rank %u has no such diagonal", m.rank);
        return m;
    }
    uint32_t next = 0;
    for (int64_t i = 0; i < m.rank; i++) {
        if (i != rows && i != columns) {
            m.order[next++] = i;
        }
    }
    m.order[next++] = rows;
    m.order[next] = columns;
    for (uint32_t i = 0; i < m.rank; i++) {
        m.dims[i] = dims[m.order[i]];
    }
    m.x = htp_emit_transpose(l, htp_arg_tensor(l, name), m.order, m.rank);
    return m;
}

/** @p x, of m's rank, with its dims in their former order. */
static htp_tensor_id restore_order(htp_lowering *l, const matrices *m, htp_tensor_id x)
{
    int64_t back[HTP_MAX_RANK] = {0};
    for (uint32_t i = 0; i < m->rank; i++) {
        back[m->order[i]] = (int64_t)i;
    }
    return htp_emit_transpose(l, x, back, m->rank);
}

/** Rows and columns, as [1]. */
static void emit_extents(htp_lowering *l, const matrices *m, htp_tensor_id *rows,
                         htp_tensor_id *columns)
{
    *rows = htp_emit_dim(l, m->x, m->dims, (int64_t)m->rank - 2);
    *columns = htp_emit_dim(l, m->x, m->dims, (int64_t)m->rank - 1);
}

/** The length of the diagonal, as [1]. */
static htp_tensor_id emit_length(htp_lowering *l, const matrices *m)
{
    const htp_dim *rows = &m->dims[m->rank - 2];
    const htp_dim *columns = &m->dims[m->rank - 1];
    int64_t below = m->offset < 0 ? -m->offset : 0;
    int64_t right = m->offset > 0 ? m->offset : 0;
    if (!rows->symbol && !columns->symbol) {
        int64_t height = rows->size - below;
        int64_t width = columns->size - right;
        int64_t length = height < width ? height : width;
        return htp_emit_int(l, length < 0 ? 0 : length);
    }
    htp_tensor_id height;
    htp_tensor_id width;
    emit_extents(l, m, &height, &width);
    height = htp_emit_binary(l, "Sub", height, htp_emit_int(l, below));
    width = htp_emit_binary(l, "Sub", width, htp_emit_int(l, right));
    return htp_emit_binary(l, "Max", htp_emit_binary(l, "Min", height, width), htp_emit_int(l, 0));
}

/** The diagonals, in the last dim. */
static htp_tensor_id emit_diagonal(htp_lowering *l, const matrices *m)
{
    htp_tensor_id rows;
    htp_tensor_id columns;
    emit_extents(l, m, &rows, &columns);
    htp_sizes flat = htp_sizes_begin(l);
    htp_sizes_add_dims(&flat, m->x, m->dims, 0, m->rank - 2);
    htp_sizes_add_tensor(&flat, htp_emit_dim_product(l, m->x, m->dims, m->rank - 2, m->rank));
    htp_tensor_id x = htp_emit(l, "Reshape", HTP_IN(m->x, htp_sizes_end(&flat)),
                               HTP_AT(htp_attribute_int("allowzero", 1)));
    htp_tensor_id start = m->offset >= 0
                              ? htp_emit_int(l, m->offset)
                              : htp_emit_binary(l, "Mul", columns, htp_emit_int(l, -m->offset));
    htp_tensor_id stride = htp_emit_binary(l, "Add", columns, htp_emit_int(l, 1));
    htp_tensor_id index = htp_emit_count_up(l, emit_length(l, m));
    index = htp_emit_binary(l, "Add", htp_emit_binary(l, "Mul", index, stride), start);
    return htp_emit(l, "Gather", HTP_IN(x, index),
                    HTP_AT(htp_attribute_int("axis", (int64_t)m->rank - 2)));
}

/** Whether column - row is the offset: [rows, columns] */
static htp_tensor_id emit_mask(htp_lowering *l, htp_tensor_id rows, htp_tensor_id columns,
                               int64_t offset)
{
    htp_tensor_id row = htp_emit_unsqueeze(l, htp_emit_count_up(l, rows), (const int64_t[]){1}, 1);
    row = htp_emit_binary(l, "Add", row, htp_emit_int(l, offset));
    return htp_emit_binary(l, "Equal", row, htp_emit_count_up(l, columns));
}

/** Vectors to place on diagonals of matrices. */
typedef struct placement {
    htp_tensor_id diagonal; /* [..., length] */
    htp_dtype dtype;
    uint32_t rank;
    int64_t offset;
    htp_tensor_id length; /* [1], as are the matrices' rows and columns */
    htp_tensor_id rows;
    htp_tensor_id columns;
} placement;

/** The diagonals with one element per row: zeros before they start and after they end. */
static htp_tensor_id pad_to_rows(htp_lowering *l, const placement *p)
{
    int64_t before = p->offset < 0 ? -p->offset : 0;
    htp_sizes pads = htp_sizes_begin(l);
    for (uint32_t i = 0; i + 1 < p->rank; i++) {
        htp_sizes_add_int(&pads, 0);
    }
    htp_sizes_add_int(&pads, before);
    for (uint32_t i = 0; i + 1 < p->rank; i++) {
        htp_sizes_add_int(&pads, 0);
    }
    htp_tensor_id after = htp_emit_binary(l, "Sub", p->rows, p->length);
    htp_sizes_add_tensor(&pads, htp_emit_binary(l, "Sub", after, htp_emit_int(l, before)));
    htp_dtype wide = htp_kernel_dtype(l, "Pad", p->dtype);
    htp_tensor_id x = htp_emit_cast(l, p->diagonal, p->dtype, wide);
    return htp_emit_cast(l, htp_emit_binary(l, "Pad", x, htp_sizes_end(&pads)), wide, p->dtype);
}

/** Matrices with the diagonals; other elements are those of @p otherwise. */
static htp_tensor_id put_diagonal(htp_lowering *l, const placement *p, htp_tensor_id otherwise)
{
    int64_t last = p->rank;
    htp_tensor_id column = htp_emit_unsqueeze(l, pad_to_rows(l, p), &last, 1);
    htp_tensor_id mask = emit_mask(l, p->rows, p->columns, p->offset);
    return htp_typed_where(l, p->dtype, mask, column, otherwise);
}

/** aten::diagonal, aten::linalg_diagonal: the row names the input */
void htp_lower_diagonal(htp_lowering *l)
{
    matrices m = arg_matrices(l, l->row->op);
    if (!l->failure) {
        htp_bind(l, 0, emit_diagonal(l, &m));
    }
}

/** aten::trace: the sum of the diagonal */
void htp_lower_trace(htp_lowering *l)
{
    matrices m = arg_matrices(l, "self");
    if (!l->failure) {
        const int64_t axis = 0;
        htp_dtype dtype = htp_output_dtype(l, 0);
        htp_dtype wide = htp_composite_dtype(dtype);
        htp_tensor_id diagonal = htp_emit_cast(l, emit_diagonal(l, &m), m.dtype, wide);
        htp_bind_cast(l, 0, htp_typed_reduce(l, "ReduceSum", wide, diagonal, &axis, 1, false),
                      wide);
    }
}

/** aten::diagonal_scatter: self with src on a diagonal */
void htp_lower_diagonal_scatter(htp_lowering *l)
{
    matrices m = arg_matrices(l, "self");
    if (l->failure) {
        return;
    }
    placement p = {.diagonal = htp_arg_tensor_as(l, "src", m.dtype),
                   .dtype = m.dtype,
                   .rank = m.rank - 1,
                   .offset = m.offset,
                   .length = emit_length(l, &m)};
    emit_extents(l, &m, &p.rows, &p.columns);
    htp_bind(l, 0, restore_order(l, &m, put_diagonal(l, &p, m.x)));
}

/** A square matrix for each vector in the last dim of @p x, of self's dtype: zero but for a
 * diagonal. */
static htp_tensor_id embed(htp_lowering *l, htp_tensor_id x, uint32_t rank, const htp_dim *dims,
                           int64_t offset)
{
    placement p = {.diagonal = x,
                   .dtype = htp_arg_dtype(l, "self"),
                   .rank = rank,
                   .offset = offset,
                   .length = htp_emit_dim(l, x, dims, (int64_t)rank - 1)};
    htp_tensor_id more = htp_emit_int(l, offset < 0 ? -offset : offset);
    p.rows = htp_emit_binary(l, "Add", p.length, more);
    p.columns = p.rows;
    return put_diagonal(l, &p, htp_emit_scalar_int(l, p.dtype, 0));
}

/** aten::diag_embed: the matrices are in dims dim1 and dim2. */
void htp_lower_diag_embed(htp_lowering *l)
{
    uint32_t rank = htp_arg_rank(l, "self") + 1;
    int64_t rows = htp_arg_dim(l, "dim1", rank);
    int64_t columns = htp_arg_dim(l, "dim2", rank);
    int64_t offset = arg_offset(l, "offset");
    if (rank < 2 || rank > HTP_MAX_RANK || rows == columns) {
        htp_lower_fail(l, "a result of rank %u has no such diagonal", rank);
        return;
    }
    htp_tensor_id x =
        embed(l, htp_arg_tensor(l, "self"), rank - 1, htp_arg_dims(l, "self"), offset);
    int64_t perm[HTP_MAX_RANK];
    int64_t next = 0;
    for (int64_t i = 0; i < rank; i++) {
        perm[i] = i == rows ? (int64_t)rank - 2 : i == columns ? (int64_t)rank - 1 : next++;
    }
    htp_bind(l, 0, htp_emit_transpose(l, x, perm, rank));
}

/** aten::diagflat: a matrix with all elements on a diagonal */
void htp_lower_diagflat(htp_lowering *l)
{
    const htp_dim line = {.size = 0, .symbol = ""};
    htp_tensor_id x = htp_emit_reshape(l, htp_arg_tensor(l, "self"), (const int64_t[]){-1}, 1);
    int64_t offset = arg_offset(l, "offset");
    htp_bind(l, 0, embed(l, x, 1, &line, offset));
}

/** aten::diag: makes a matrix of a vector, and takes the diagonal of a matrix. */
void htp_lower_diag(htp_lowering *l)
{
    if (htp_arg_rank(l, "self") == 1) {
        htp_bind(l, 0,
                 embed(l, htp_arg_tensor(l, "self"), 1, htp_arg_dims(l, "self"),
                       htp_arg_int_or(l, "diagonal", 0)));
        return;
    }
    matrices m = arg_matrices(l, "self");
    if (!l->failure) {
        htp_bind(l, 0, emit_diagonal(l, &m));
    }
}
