/*
 * Quantised tensors: lanes hold their levels, plain integers, and an item says what these stand
 * for. So kernels never see a quantised tensor; operators that keep levels as they are run on the
 * integers, and all others must be told here.
 */
#ifndef HTP_INTERPRET_QUANTIZED_QUANTIZED_H
#define HTP_INTERPRET_QUANTIZED_QUANTIZED_H

#include "interpret/lanes/execute.h"

/** The outputs of an operator on quantised tensors; @p is_done is false where it runs on levels as
 * on any other integers, or has none. */
htp_outcome htp_quantized_run(htp_machine *m, htp_call *call, htp_items *outputs, bool *is_done);

/** Outputs of what keeps levels have those of the first input. */
void htp_quantized_keep(const htp_call *call, const htp_items *outputs);

/** Whether a tensor is quantised, or a list holds one. */
bool htp_quantized_is(const htp_item *item);

/** The number of a scale or zero point. */
htp_outcome htp_quantized_number(htp_machine *m, const htp_item *item, double *number);

/* ---- parts of the room ---- */

/** Finds out how this libtorch rounds to levels, by asking it (rounding.c). */
htp_outcome htp_rounding_find(htp_machine *m);

/** Whether an operator gives the levels that plain float32 arithmetic gives, for all levels of its
 * operands, at all places (level_arithmetic.c). @param of  of the operands and the output */
htp_outcome htp_levels_are_plain(htp_machine *m, const htp_call *call, int32_t type,
                                 const htp_levels *const of[3], bool *are_plain);

/** The weights that an object of libtorch's own has packed: whole numbers, what they stand for, and
 * a bias or None (packed_weights.c). */
typedef struct htp_packed_weights {
    htp_item *weight;
    htp_item *scale;
    htp_item *zero_point;
    htp_item *bias;
} htp_packed_weights;
htp_outcome htp_packed_find(htp_machine *m, const htp_item *object, const char *unpacker,
                            const htp_packed_weights **packed);

#endif
