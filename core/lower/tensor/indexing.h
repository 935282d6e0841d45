/*
 * Indexing by tensors, as x[:, i, j] does: shared parts of reading and writing. Private to
 * core/lower.
 */
#ifndef HTP_LOWER_INDEXING_H
#define HTP_LOWER_INDEXING_H

#include "lower/emit/lowering.h"

/** Some axes of a tensor, each with a tensor of indices. The index tensors are broadcast to one
 * shape, of @p rank dims, which takes the place of the axes. */
typedef struct htp_indexing {
    htp_tensor_id x;
    htp_dtype dtype;
    uint32_t x_rank;
    const htp_dim *x_dims;
    uint32_t count; /* number of axes, which ascend */
    int64_t axes[HTP_MAX_RANK];
    htp_tensor_id indices[HTP_MAX_RANK]; /* int64, of one shape unless open */
    uint32_t ranks[HTP_MAX_RANK];        /* if open */
    bool are_open;                       /* the index tensors are not broadcast yet */
    uint32_t rank;
    const htp_dim *dims; /* of the broadcast indices; NULL if only the run knows them */
} htp_indexing;

/** Whether an index is a mask: a tensor of bools, or of bytes, which PyTorch treats as bools. */
bool htp_index_is_mask(const htp_trace_value *index);

/** The argument self indexed by the list argument indices; a list of only None gives no indices. A
 * mask becomes the indices of its true elements, one index tensor per dim.
 */
htp_indexing htp_arg_indexing(htp_lowering *l);

/** The argument self indexed along one axis by one vector. */
htp_indexing htp_indexing_along(htp_lowering *l, int64_t axis, htp_tensor_id vector);

/** The indices of a mask's true elements, as a vector for each of its @p rank dims. */
void htp_emit_place_columns(htp_lowering *l, htp_tensor_id mask, uint32_t rank,
                            htp_tensor_id *columns);

/** x[...] */
htp_tensor_id htp_emit_indexed(htp_lowering *l, const htp_indexing *n);

/**
 * x with x[...] = values. Closes indices that are open.
 * @param values      of x's dtype, broadcast to the shape of x[...]
 * @param accumulate  add to the old elements
 */
htp_tensor_id htp_emit_index_put(htp_lowering *l, htp_indexing *n, htp_tensor_id values,
                                 bool accumulate);

#endif
