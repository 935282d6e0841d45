/*
 * A Loop inside a lowering, with a given trip count: for algorithms with a step per element of a
 * dim. Loops that end on a condition are in lower/compose/emit_loop.h. Private to core/lower.
 *
 *     htp_steps steps = {.l = l, .count = 1, .state = {{x, HTP_DTYPE_FLOAT64, 2}}};
 *     htp_steps_begin(&steps);
 *     ... nodes that make next[0] of steps.state[0].tensor and steps.number ...
 *     htp_steps_end(&steps, size, next);    steps.state[0].tensor is the result
 */
#ifndef HTP_LOWER_STEPS_H
#define HTP_LOWER_STEPS_H

#include "lower/emit/lowering.h"

enum { HTP_STEPS_MAX = 4 };

/** A value carried from step to step, of constant shape. */
typedef struct htp_steps_state {
    htp_tensor_id tensor; /* initial value; in the body, the current one; at last the result */
    htp_dtype dtype;
    uint32_t rank;
} htp_steps_state;

typedef struct htp_steps {
    htp_lowering *l;
    size_t count; /* carried values */
    /* The values after those are yielded by each step; the result stacks them along a new axis 0.
     */
    size_t stacked;
    htp_steps_state state[HTP_STEPS_MAX];
    htp_tensor_id number; /* the step's number from 0: 0-d int64 */
    /* private */
    htp_tensor_id first[HTP_STEPS_MAX];
    htp_tensor_id condition;
    uint32_t graph;
    uint32_t around;
    htp_dim dims[HTP_MAX_RANK];
} htp_steps;

/** Begins the body: nodes emitted from here on belong to it. */
void htp_steps_begin(htp_steps *steps);

/**
 * Ends the step.
 * @param trips  the trip count: a number of int64, 0-d or [1]
 * @param next  carried values, then stacked ones
 */
void htp_steps_end(htp_steps *steps, htp_tensor_id trips, const htp_tensor_id *next);

#endif
