/*
 * Types of reductions, sums of products, and gathers along an axis.
 */
#include "onnx/shape_inference/infer_rule.h"

#include <string.h>

/* ---- reductions ---- */

/* @p x without the given axes, or with 1 in their place. */
static void set_reduced(htp_infer *infer, const htp_tensor *x, htp_dtype dtype, const bool *named,
                        bool keeps)
{
    htp_dim *dims = htp_infer_dims(infer, x->rank);
    uint32_t rank = 0;
    for (uint32_t i = 0; i < x->rank; i++) {
        if (!named[i]) {
            dims[rank++] = x->dims[i];
        } else if (keeps) {
            dims[rank++].size = 1;
        }
    }
    htp_infer_set(infer, 0, dtype, rank, dims);
}

void htp_infer_reduce(htp_infer *infer)
{
    const htp_tensor *x = htp_infer_input(infer, 0);
    bool named[HTP_MAX_RANK] = {false};
    bool any;
    if (!x || !htp_infer_axes(infer, 1, x->rank, named, &any)) {
        return;
    }
    if (!any && htp_infer_int(infer, "noop_with_empty_axes", 0) == 0) {
        memset(named, true, sizeof(named));
    }
    set_reduced(infer, x, x->dtype, named, htp_infer_int(infer, "keepdims", 1) == 1);
}

void htp_infer_arg_reduce(htp_infer *infer)
{
    const htp_tensor *x = htp_infer_input(infer, 0);
    bool named[HTP_MAX_RANK] = {false};
    uint32_t axis;
    if (!x || !htp_infer_wrap(htp_infer_int(infer, "axis", 0), x->rank, &axis)) {
        return;
    }
    named[axis] = true;
    set_reduced(infer, x, HTP_DTYPE_INT64, named, htp_infer_int(infer, "keepdims", 1) == 1);
}

/* ---- along an axis ---- */

void htp_infer_top_k(htp_infer *infer)
{
    const htp_tensor *x = htp_infer_input(infer, 0);
    uint32_t axis;
    if (!x || !htp_infer_wrap(htp_infer_int(infer, "axis", -1), x->rank, &axis)) {
        return;
    }
    htp_dim *dims = htp_infer_dims(infer, x->rank);
    memcpy(dims, x->dims, x->rank * sizeof(*dims));
    dims[axis] = htp_infer_element_dim(infer, htp_infer_element(infer, 1, 0));
    htp_infer_set(infer, 0, x->dtype, x->rank, dims);
    htp_infer_set(infer, 1, HTP_DTYPE_INT64, x->rank, dims);
}

void htp_infer_one_hot(htp_infer *infer)
{
    const htp_tensor *indices = htp_infer_input(infer, 0);
    const htp_tensor *values = htp_infer_input(infer, 2);
    uint32_t axis;
    if (!indices || !values ||
        !htp_infer_wrap(htp_infer_int(infer, "axis", -1), indices->rank + 1, &axis)) {
        return;
    }
    htp_dim *dims = htp_infer_dims(infer, indices->rank + 1);
    uint32_t next = 0;
    for (uint32_t i = 0; i <= indices->rank; i++) {
        dims[i] = i == axis ? htp_infer_element_dim(infer, htp_infer_element(infer, 1, 0))
                            : indices->dims[next++];
    }
    htp_infer_set(infer, 0, values->dtype, indices->rank + 1, dims);
}

/* ---- products of matrices ---- */

/* Axis @p axis of the @p rank batch axes of a product; an operand of lower rank has 1. */
static htp_dim batch_dim(const htp_tensor *x, uint32_t rank, uint32_t axis)
{
    uint32_t own = x->rank > 2 ? x->rank - 2 : 0;
    return axis < rank - own ? (htp_dim){.size = 1} : x->dims[axis - (rank - own)];
}

static void infer_product(htp_infer *infer, htp_dtype dtype)
{
    const htp_tensor *a = htp_infer_input(infer, 0);
    const htp_tensor *b = htp_infer_input(infer, 1);
    if (!a || !b || a->rank == 0 || b->rank == 0) {
        return;
    }
    uint32_t higher = a->rank > b->rank ? a->rank : b->rank;
    uint32_t batch = higher > 2 ? higher - 2 : 0;
    htp_dim *dims = htp_infer_dims(infer, batch + 2);
    for (uint32_t i = 0; i < batch; i++) {
        if (!htp_infer_broadcast_dim(infer, batch_dim(a, batch, i), batch_dim(b, batch, i),
                                     &dims[i])) {
            return;
        }
    }
    uint32_t rank = batch;
    if (a->rank > 1) {
        dims[rank++] = a->dims[a->rank - 2];
    }
    if (b->rank > 1) {
        dims[rank++] = b->dims[b->rank - 1];
    }
    htp_infer_set(infer, 0, dtype == HTP_DTYPE_OTHER ? a->dtype : dtype, rank, dims);
}

void htp_infer_matmul(htp_infer *infer)
{
    infer_product(infer, HTP_DTYPE_OTHER);
}

/* ONNX MatMulInteger: of 8-bit integers. */
void htp_infer_matmul_integer(htp_infer *infer)
{
    infer_product(infer, HTP_DTYPE_INT32);
}

/* ONNX Attention with four dims: the query's, with the head size of V. */
void htp_infer_attention(htp_infer *infer)
{
    const htp_tensor *query = htp_infer_input(infer, 0);
    const htp_tensor *value = htp_infer_input(infer, 2);
    if (!query || !value || query->rank != 4 || value->rank != 4) {
        return;
    }
    htp_dim *dims = htp_infer_dims(infer, 4);
    memcpy(dims, query->dims, 3 * sizeof(*dims));
    dims[3] = value->dims[3];
    htp_infer_set(infer, 0, query->dtype, 4, dims);
}

void htp_infer_gemm(htp_infer *infer)
{
    const htp_tensor *a = htp_infer_input(infer, 0);
    const htp_tensor *b = htp_infer_input(infer, 1);
    if (!a || !b || a->rank != 2 || b->rank != 2) {
        return;
    }
    htp_dim *dims = htp_infer_dims(infer, 2);
    dims[0] = a->dims[htp_infer_int(infer, "transA", 0) ? 1 : 0];
    dims[1] = b->dims[htp_infer_int(infer, "transB", 0) ? 0 : 1];
    htp_infer_set(infer, 0, a->dtype, 2, dims);
}

/* ---- Einsum ---- */

/* The dim of a letter in an equation, once read. */
typedef struct named_dim {
    bool is_known;
    htp_dim dim;
} named_dim;

/* The dims of an equation's letters, by character; and those of its ellipsis, last axis first. */
typedef struct equation {
    named_dim letters[UINT8_MAX + 1];
    named_dim ellipsis[HTP_MAX_RANK];
} equation;

static bool is_letter(char byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z');
}

static bool is_ellipsis(const char *at)
{
    return strncmp(at, "...", 3) == 0;
}

static bool add_dim(htp_infer *infer, named_dim *named, htp_dim dim)
{
    bool fits = !named->is_known || htp_infer_broadcast_dim(infer, named->dim, dim, &dim);
    *named = (named_dim){.is_known = true, .dim = dim};
    return fits;
}

/* Reads the term of one operand. @return its end; NULL if the rank does not fit */
static const char *read_term(htp_infer *infer, equation *e, const char *at, const htp_tensor *x)
{
    uint32_t covered = x->rank; /* under the ellipsis */
    for (const char *letter = at; is_letter(*letter) || *letter == '.'; letter++) {
        covered -= is_letter(*letter) && covered > 0;
    }
    uint32_t axis = 0;
    while (is_letter(*at) || is_ellipsis(at)) {
        bool fits = is_ellipsis(at) || axis < x->rank;
        if (is_letter(*at)) {
            fits = fits && add_dim(infer, &e->letters[(unsigned char)*at++], x->dims[axis++]);
        } else {
            for (; fits && covered > 0; covered--) {
                fits = axis < x->rank && add_dim(infer, &e->ellipsis[covered - 1], x->dims[axis++]);
            }
            at += 3;
        }
        if (!fits) {
            return NULL;
        }
    }
    return axis == x->rank ? at : NULL;
}

/* Writes the dims of the output term. @return their number; UINT32_MAX if the equation is malformed
 */
static uint32_t write_term(const equation *e, const char *at, htp_dim *dims)
{
    uint32_t rank = 0;
    while (*at) {
        if (is_ellipsis(at)) {
            for (uint32_t i = HTP_MAX_RANK; i-- > 0 && rank < HTP_MAX_RANK;) {
                if (e->ellipsis[i].is_known) {
                    dims[rank++] = e->ellipsis[i].dim;
                }
            }
            at += 3;
            continue;
        }
        const named_dim *named = &e->letters[(unsigned char)*at++];
        if (!named->is_known || rank == HTP_MAX_RANK) {
            return UINT32_MAX;
        }
        dims[rank++] = named->dim;
    }
    return rank;
}

/* ONNX Einsum: only explicit equations without spaces, as exports have them. */
void htp_infer_einsum(htp_infer *infer)
{
    const htp_attribute *attribute = htp_infer_attribute(infer, "equation");
    const htp_tensor *first = htp_infer_input(infer, 0);
    const char *at = attribute ? attribute->s : NULL;
    equation *e = HTP_NEW(infer->arena, equation);
    for (uint32_t i = 0; at && i < infer->node->input_count; i++) {
        const htp_tensor *x = htp_infer_input(infer, i);
        at = i > 0 ? (*at == ',' ? at + 1 : NULL) : at;
        at = at && x ? read_term(infer, e, at, x) : NULL;
    }
    if (at && first && strncmp(at, "->", 2) == 0) {
        htp_dim *dims = htp_infer_dims(infer, HTP_MAX_RANK);
        htp_infer_set(infer, 0, first->dtype, write_term(e, at + 2, dims), dims);
    }
}
