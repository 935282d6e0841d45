/*
 * Why an axis cannot be dynamic, read from a trace in several lanes that forward() refused.
 */
#ifndef HTP_SOURCE_SHAPE_CONFLICT_H
#define HTP_SOURCE_SHAPE_CONFLICT_H

#include "base/arena.h"
#include "source/input_search/equation.h"

/** The condition on axes that two compared numbers of an operator imply. */
typedef struct htp_condition {
    htp_equation equation; /**< of one axis: it is fixed */
    const char *message;   /**< the operator, its module and line, what libtorch said, and where the
                                size was fixed, as far as that is known */
} htp_condition;

enum { HTP_MAX_CONDITIONS = 16 };

/** Why other sizes than those that were given are refused. */
typedef struct htp_shape_conflict {
    bool tries_one;      /**< set by who asks: no second choice of sizes is tried, and the first one
                              whatever bounds are known, as it may tell more */
    bool one_order;      /**< set by who asks: of two axes that are alike in the example, the later
                              one is the larger one wherever both grow */
    const char *message; /**< as of the first condition; where there is none, what libtorch said */
    bool is_fixed;       /**< a number does not move: no other size is worth a trial */
    bool is_export;      /**< the program runs, and cannot be exported with axes that move */
    htp_condition conditions[HTP_MAX_CONDITIONS]; /**< that no choice of sizes gets around */
    uint32_t condition_count;
} htp_shape_conflict;

/** Reads a refusal: @p trace (or NULL) is what ran in all lanes before it, @p message why. */
htp_shape_conflict htp_shape_conflict_read(htp_arena *arena, const htp_trace *trace,
                                           const char *message, const htp_inputs *inputs,
                                           const htp_instance *modules);

/** Adds a condition for each axis that cannot move, whatever the others do, as its bounds leave no
 * size that would be tried: it is fixed. */
void htp_shape_conflict_bound(htp_shape_conflict *conflict, const htp_inputs *inputs);

#endif
