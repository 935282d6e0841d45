/*
 * Private to core/source/inputs: sizes of axes in lanes.
 */
#ifndef HTP_SOURCE_LANES_H
#define HTP_SOURCE_LANES_H

#include "source/inputs/inputs.h"

/** What is known of the sizes of an axis. */
const htp_bound *htp_lanes_bound(const htp_inputs *inputs, uint32_t index);

/** Whether a size is none that is known to be refused. */
bool htp_lanes_bound_has(const htp_bound *bound, int64_t size);

/** Whether a number is a prime. */
bool htp_lanes_is_prime(int64_t number);

/** Whether one axis is the other one times or plus a constant, as far as the lanes show, or has its
 * size in lane 1: in the others, one of them may be broadcast. */
bool htp_lanes_move_alike(const htp_axis *a, const htp_axis *b);

/** Gives the dims of inputs the sizes of their axes. @return whether no input is too large, and no
 * formula below 1 */
bool htp_lanes_set_dims(htp_inputs *inputs);

/** Whether the file takes the sizes of a lane together. */
bool htp_lanes_are_taken(const htp_inputs *inputs, uint32_t lane);

/**
 * Moves one axis after the other away from the example, which the file takes, to sizes that it
 * takes beside those of the others: for files that take few sizes, or ask something of several.
 * @return whether all axes move, and are told apart
 */
bool htp_lanes_walk(htp_inputs *inputs);

#endif
