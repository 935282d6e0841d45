/*
 * Sizes of axes in lanes. Private to core/source/inputs.
 */
#ifndef HTP_SOURCE_LANES_H
#define HTP_SOURCE_LANES_H

#include "source/inputs/inputs.h"

/** The bounds of an axis. */
const htp_bound *htp_lanes_bound(const htp_inputs *inputs, uint32_t index);

/** Whether a size is within bounds: it is not known to be refused. */
bool htp_lanes_bound_has(const htp_bound *bound, int64_t size);

/** Whether a number is a prime. */
bool htp_lanes_is_prime(int64_t number);

/** Sets the dims of inputs to the sizes of their axes. @return whether no input is too large, and
 * no formula below 1 */
bool htp_lanes_set_dims(htp_inputs *inputs);

/** Whether the file accepts the combination of sizes in a lane. */
bool htp_lanes_are_taken(const htp_inputs *inputs, uint32_t lane);

/**
 * Moves one axis after the other away from the example, to sizes that the file accepts together
 * with those of the others. For files that accept few sizes, or have conditions on several.
 * @return whether all axes move, and can be told apart
 */
bool htp_lanes_walk(htp_arena *arena, htp_inputs *inputs);

#endif
