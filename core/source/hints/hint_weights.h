/*
 * Hints by the other operands of a node: the sizes of weights, or numbers of the program that stand
 * for them.
 */
#ifndef HTP_SOURCE_HINT_WEIGHTS_H
#define HTP_SOURCE_HINT_WEIGHTS_H

#include "source/hints/hints.h"
#include "source/program/operands.h"

/** The first two weights among the operands of a node, elements of lists included: NULL where there
 * are none. */
typedef struct htp_hint_weights {
    const htp_tensor_view *first;
    const htp_tensor_view *second;
} htp_hint_weights;

/** Notes whether what a recurrent layer goes over has the steps first. The hint has its weight. */
void htp_hint_note_order(const htp_operands *o, htp_hint *hint);

/** Fills the weight of a hint that speaks of operand number @p at; without one its rank is 0. */
void htp_hint_find_weight(const htp_operands *o, const htp_hint_weights *weights, uint32_t at,
                          htp_hint *hint);

/** Along which dim the node joins its operands is as a rule that of features: the second or last.
 */
bool htp_hint_joins_features(const htp_operands *o);

/** How many dims more than its first operand the result of a node has that only changes its shape,
 * unsqueeze() for one; 0 where that is not known. */
int htp_hint_rank_change(const htp_operands *o);

#endif
