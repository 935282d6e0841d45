/*
 * A Loop inside a lowering that ends on a condition. Loops of a given trip count are in
 * lower/emit/steps.h. Private to core/lower.
 */
#ifndef HTP_LOWER_EMIT_LOOP_H
#define HTP_LOWER_EMIT_LOOP_H

#include "lower/compose/formula.h"

enum { HTP_EMIT_LOOP_MAX = 4 };

/** A loop whose body is being emitted: each carried value has the formula's dtype and the shape of
 * the node's first output. */
typedef struct htp_emitted_loop {
    const htp_formula *f;
    size_t count;                             /* carried values */
    htp_tensor_id first[HTP_EMIT_LOOP_MAX];   /* their initial values */
    htp_tensor_id starts;                     /* whether there is a first iteration: bool, 0-d */
    htp_tensor_id number;                     /* of the iteration, from 0: int64, 0-d */
    htp_tensor_id carried[HTP_EMIT_LOOP_MAX]; /* their values at the start of an iteration */
    uint32_t body;
    uint32_t around;
} htp_emitted_loop;

/** Begins a loop that carries @p count tensors: from here on, nodes are emitted into its body. */
htp_emitted_loop htp_emit_loop_begin(const htp_formula *f, htp_tensor_id starts,
                                     const htp_tensor_id *first, size_t count);

/**
 * Ends the body.
 * @param last  receives the final values
 */
void htp_emit_loop_end(const htp_emitted_loop *t, htp_tensor_id goes_on, const htp_tensor_id *next,
                       htp_tensor_id *last);

/** Whether a condition holds for any element: bool, 0-d. */
htp_tensor_id htp_emit_any(htp_lowering *l, htp_tensor_id condition);

#endif
