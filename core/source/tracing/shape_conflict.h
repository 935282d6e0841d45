/*
 * Why an axis cannot be dynamic, by a trace in several lanes that forward() refused.
 */
#ifndef HTP_SOURCE_SHAPE_CONFLICT_H
#define HTP_SOURCE_SHAPE_CONFLICT_H

#include "base/arena.h"
#include "source/input_search/equation.h"

/** A condition on axes: two numbers of an operator must agree. */
typedef struct htp_condition {
    htp_equation equation; /**< with a single axis: that is fixed */
    const char *message;   /**< the operator, its module and line, libtorch's message, and the
                               origin of a fixed size, as far as known */
} htp_condition;

enum { HTP_MAX_CONDITIONS = 16 };

/** Why sizes other than the given ones are refused. */
typedef struct htp_shape_conflict {
    bool tries_one;      /**< set by the caller: try only the first choice of sizes, ignoring known
                             bounds, since it may explain more */
    bool one_order;      /**< set by the caller: of two axes of equal size in the example, the
                             later one is larger wherever both grow */
    const char *message; /**< of the first condition; if there is none, libtorch's message */
    bool is_fixed;       /**< a number does not move, so no other size is worth a trial */
    bool is_export;      /**< the program runs, but cannot be exported with dynamic axes */
    htp_condition conditions[HTP_MAX_CONDITIONS]; /**< that no choice of sizes avoids */
    uint32_t condition_count;
} htp_shape_conflict;

/** Interprets a refusal: @p trace (or NULL) holds the operators before it in all lanes, @p message
 * the reason. */
htp_shape_conflict htp_shape_conflict_read(htp_arena *arena, const htp_trace *trace,
                                           const char *message, const htp_inputs *inputs,
                                           const htp_instance *modules);

/** Adds a condition that fixes the axis, for each axis whose bounds leave no other size to try. */
void htp_shape_conflict_bound(htp_arena *arena, htp_shape_conflict *conflict,
                              const htp_inputs *inputs);

#endif
