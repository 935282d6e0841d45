/*
 * libtorch's TensorIterator for a loop over elements: the shape to which operands broadcast, and
 * the layout of its output.
 */
#ifndef HTP_INTERPRET_META_ITERATOR_H
#define HTP_INTERPRET_META_ITERATOR_H

#include "interpret/meta/outputs.h"
#include "interpret/meta/types.h"

enum { HTP_ITERATION_MAX_OPERANDS = 4 };

/** A loop. Initially all zeros, except `types`. */
typedef struct htp_iteration {
    htp_runner_tensor tensors[HTP_ITERATION_MAX_OPERANDS];
    int64_t strides[HTP_ITERATION_MAX_OPERANDS][HTP_MAX_RANK]; /**< strides of converted operands */
    uint32_t count;
    htp_meta_sizes shape;
    bool has_shape;
    bool has_one_shape; /**< nothing is broadcast */
    htp_type_state types;
} htp_iteration;

htp_iteration htp_iteration_begin(void);

/** Adds an operand: a tensor, or a number as a 0-d tensor. Refuses sizes that do not broadcast. */
bool htp_iteration_add(htp_meta_call *call, htp_iteration *iteration, const htp_operand *operand);

/** Converts operands of other types to @p type: they become dense copies. */
void htp_iteration_convert(htp_iteration *iteration, int32_t type);

/** The strides of the output, one per dim of the shape. */
void htp_iteration_lay_out(const htp_iteration *iteration, int64_t *strides);

/** Adds the output of a loop. */
bool htp_iteration_give(htp_meta_call *call, const htp_iteration *iteration, int32_t type);

#endif
