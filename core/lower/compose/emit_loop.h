/*
 * Loops that a lowering makes of its own, rather than of the program's. Private to core/lower.
 */
#ifndef HTP_LOWER_EMIT_LOOP_H
#define HTP_LOWER_EMIT_LOOP_H

#include "lower/compose/formula.h"

enum { HTP_EMIT_LOOP_MAX = 4 };

/** A loop whose body is being emitted: its carried value has the dtype of a formula and the shape
 * of the node's first output. */
typedef struct htp_emitted_loop {
    const htp_formula *f;
    size_t count;                             /* the carried value */
    htp_tensor_id first[HTP_EMIT_LOOP_MAX];   /* as the first turn finds it */
    htp_tensor_id starts;                     /* whether there is a first turn: bool, no dims */
    htp_tensor_id number;                     /* of the turn, from 0 on: int64, no dims */
    htp_tensor_id carried[HTP_EMIT_LOOP_MAX]; /* as each turn finds it */
    uint32_t body;
    uint32_t around;
} htp_emitted_loop;

/** Begins a loop that carries @p count tensors: nodes are emitted into its body from here on. */
htp_emitted_loop htp_emit_loop_begin(const htp_formula *f, htp_tensor_id starts,
                                     const htp_tensor_id *first, size_t count);

/**
 * Ends the body with the next iteration's value and condition.
 * @param last  receives the value of the last iteration
 */
void htp_emit_loop_end(const htp_emitted_loop *t, htp_tensor_id goes_on, const htp_tensor_id *next,
                       htp_tensor_id *last);

/** Whether a condition holds of some element: bool, no dims. */
htp_tensor_id htp_emit_any(htp_lowering *l, htp_tensor_id condition);

#endif
