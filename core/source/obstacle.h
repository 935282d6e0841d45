/*
 * What keeps an axis from moving, read from a trace in several lanes that forward() refused.
 */
#ifndef HTP_SOURCE_OBSTACLE_H
#define HTP_SOURCE_OBSTACLE_H

#include "base/arena.h"
#include "source/inputs.h"

/** Why other sizes than those that were given are refused. */
typedef struct htp_obstacle {
    bool tries_one;      /**< set by who asks: no second choice of sizes is tried */
    const char *message; /**< the operator, its module and line, what libtorch said, and where the
                              size was fixed, as far as that is known */
    bool is_fixed;       /**< an operator needs the given size: no other one is worth a trial */
    uint32_t axis;       /**< of the inputs: the one that is fixed; HTP_NONE when not known */
} htp_obstacle;

/** Reads a refusal: @p trace (or NULL) is what ran in all lanes before it, @p message why. */
htp_obstacle htp_obstacle_read(htp_arena *arena, const htp_trace *trace, const char *message,
                               const htp_inputs *inputs, const htp_instance *modules);

#endif
