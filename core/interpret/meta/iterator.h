/*
 * libtorch's TensorIterator, for a loop over elements: the shape that operands broadcast to, and
 * how its output lies in memory.
 */
#ifndef HTP_INTERPRET_META_ITERATOR_H
#define HTP_INTERPRET_META_ITERATOR_H

#include "interpret/meta/outputs.h"
#include "interpret/meta/types.h"

enum { HTP_ITERATION_MAX_OPERANDS = 4 };

/** A loop. Zeroes at first, but for `types`. */
typedef struct htp_iteration {
    htp_runner_tensor tensors[HTP_ITERATION_MAX_OPERANDS];
    int64_t strides[HTP_ITERATION_MAX_OPERANDS][HTP_MAX_RANK]; /**< of converted ones */
    uint32_t count;
    htp_meta_sizes shape;
    bool has_shape;
    bool has_one_shape; /**< nothing is broadcast */
    htp_type_state types;
} htp_iteration;

htp_iteration htp_iteration_begin(void);

/** Adds an operand: a tensor, or a number as a 0-d tensor. Refuses sizes that do not broadcast. */
bool htp_iteration_add(htp_meta_call *call, htp_iteration *iteration, const htp_operand *operand);

/** Converts operands to a type where theirs is another one: copies that are dense. */
void htp_iteration_convert(htp_iteration *iteration, int32_t type);

/** Where elements of the output lie: as many strides as the shape has dims. */
void htp_iteration_lay_out(const htp_iteration *iteration, int64_t *strides);

/** Gives the output of a loop. */
bool htp_iteration_give(htp_meta_call *call, const htp_iteration *iteration, int32_t type);

#endif
