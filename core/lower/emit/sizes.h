/*
 * Builds 1-d tensors, such as shape operands, of constants and of parts that depend on the input.
 * Private to core/lower.
 */
#ifndef HTP_LOWER_SIZES_H
#define HTP_LOWER_SIZES_H

#include "lower/emit/constant.h"

/** A 1-d tensor under construction. Neighbouring constants become one initializer. */
typedef struct htp_sizes {
    htp_lowering *l;
    htp_dtype dtype;
    HTP_VECTOR(htp_tensor_id) parts;
    HTP_VECTOR(htp_number) run; /* constants at the end */
} htp_sizes;

/** An empty int64 vector: a shape. */
htp_sizes htp_sizes_begin(htp_lowering *l);

/** Appends a constant. */
void htp_sizes_add_number(htp_sizes *sizes, htp_number number);
void htp_sizes_add_int(htp_sizes *sizes, int64_t value);

/** Appends a 1-d tensor, which has the vector's dtype. */
void htp_sizes_add_tensor(htp_sizes *sizes, htp_tensor_id vector);

/** Appends a number of the graph. */
void htp_sizes_add_value(htp_sizes *sizes, htp_value_id id);

/** Appends dims @p begin up to @p end of @p x. */
void htp_sizes_add_dims(htp_sizes *sizes, htp_tensor_id x, const htp_dim *dims, uint32_t begin,
                        uint32_t end);

/** The tensor; an empty one of [0] when nothing was added. */
htp_tensor_id htp_sizes_end(htp_sizes *sizes);

/** 0, 1, ... up to @p count ([1]), as int64. */
htp_tensor_id htp_emit_count_up(htp_lowering *l, htp_tensor_id count);

/** The product of dims @p begin up to @p end of @p x, as [1]; 1 if there are none. */
htp_tensor_id htp_emit_dim_product(htp_lowering *l, htp_tensor_id x, const htp_dim *dims,
                                   uint32_t begin, uint32_t end);

#endif
