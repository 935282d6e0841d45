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
    const char *message;   /** < the operator, its module and line, libtorch's message, and the
                               origin of a fixed size, as far as known */
} htp_condition;

enum { HTP_MAX_CONDITIONS = 16 };

/** Why other sizes than those that were given are refused. */
typedef struct htp_shape_conflict {
    bool tries_one;      /** < set by the caller: only the first choice of sizes is tried, without
                             known bounds, as it may explain more */
    bool one_order;      /** < set by the caller: of two axes of equal size in the example, the
                             later one is larger wherever both grow */
    const char *message; /** < of the first condition; if there is none, libtorch's message */
    bool is_fixed;       /**< a number does not move: no other size is worth a trial */
    bool is_export;      /**< the program runs, and cannot be exported with axes that move */
    htp_condition conditions[HTP_MAX_CONDITIONS]; /**< that no choice of sizes gets around */
    uint32_t condition_count;
} htp_shape_conflict;

/** Interprets a refusal: @p trace (or NULL) holds the operators before it in all lanes, @p message
 * the reason. */
htp_shape_conflict htp_shape_conflict_read(htp_arena *arena, const htp_trace *trace,
                                           const char *message, const htp_inputs *inputs,
                                           const htp_instance *modules);

/** Adds a condition for each axis that cannot be dynamic, since its bounds leave no other size to
 * try: it is fixed. */
void htp_shape_conflict_bound(htp_shape_conflict *conflict, const htp_inputs *inputs);

#endif
