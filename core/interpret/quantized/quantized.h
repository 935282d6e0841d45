/*
 * Quantised tensors: lanes have their levels as plain integers, the item has scale and zero point.
 * So kernels never see a quantised tensor. Operators that keep levels run on the integers; all
 * others are implemented here.
 */
#ifndef HTP_INTERPRET_QUANTIZED_QUANTIZED_H
#define HTP_INTERPRET_QUANTIZED_QUANTIZED_H

#include "interpret/lanes/execute.h"

/** The outputs of an operator on quantised tensors; @p is_done is false if it can run on levels
 * like on other integers, or has no quantised operand. */
htp_outcome htp_quantized_run(htp_machine *m, htp_call *call, htp_items *outputs, bool *is_done);

/** Gives outputs of operators that keep levels the quantisation of the first input. */
void htp_quantized_keep(const htp_call *call, const htp_items *outputs);

/** Whether an item is a quantised tensor, or a list that contains one. */
bool htp_quantized_is(const htp_item *item);

/** The number of a scale or zero point. */
htp_outcome htp_quantized_number(htp_machine *m, const htp_item *item, double *number);

/* ---- private to this folder ---- */

/** Finds out how this libtorch quantises, by running it (rounding.c). */
htp_outcome htp_rounding_find(htp_machine *m);

/** Whether an operator agrees with plain float32 arithmetic for all levels of its operands, at all
 * positions (level_arithmetic.c). @param of  quantisation of both operands and the output */
htp_outcome htp_levels_are_plain(htp_machine *m, const htp_call *call, int32_t type,
                                 const htp_levels *const of[3], bool *are_plain);

/** The weights in a packed object of libtorch: levels, scales, zero points, and a bias or None
 * (packed_weights.c). */
typedef struct htp_packed_weights {
    htp_item *weight;
    htp_item *scale;
    htp_item *zero_point;
    htp_item *bias;
} htp_packed_weights;
htp_outcome htp_packed_find(htp_machine *m, const htp_item *object, const char *unpacker,
                            const htp_packed_weights **packed);

#endif
