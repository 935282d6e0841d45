/*
 * Hints by the other operands of a node: the sizes of weights, or numbers of the program in their
 * place.
 */
#ifndef HTP_SOURCE_HINT_WEIGHTS_H
#define HTP_SOURCE_HINT_WEIGHTS_H

#include "source/hints/hints.h"
#include "source/program/operands.h"

/** The first two weights among a node's operands, including elements of lists; NULL if missing. */
typedef struct htp_hint_weights {
    const htp_tensor_view *first;
    const htp_tensor_view *second;
} htp_hint_weights;

/** Notes whether the input of a recurrent layer is sequence-first. The hint has the layer's
 * weight. */
void htp_hint_note_order(const htp_operands *o, htp_hint *hint);

/** Sets the weight of a hint about operand number @p at; without a weight its rank is 0. */
void htp_hint_find_weight(const htp_operands *o, const htp_hint_weights *weights, uint32_t at,
                          htp_hint *hint);

/** Whether the node joins its operands along what is usually the feature dim: the second or
 * last. */
bool htp_hint_joins_features(const htp_operands *o);

/** How many dims a shape operator such as unsqueeze() adds to its first operand; 0 if unknown. */
int htp_hint_rank_change(const htp_operands *o);

#endif
