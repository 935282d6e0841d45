/*
 * The first call of a model with state: what its state inputs must be for the settled call to
 * compute what the call after the archive was read computes.
 */
#ifndef HTP_SOURCE_FIRST_CALL_H
#define HTP_SOURCE_FIRST_CALL_H

#include "source/tracing/states.h"

/**
 * Finds the initial state of all parts of @p states.
 *
 * Where the archive has the parts as they are given, these are its own. Otherwise the first call is
 * followed along the settled one, operator by operator: both must be the same program but for what
 * they read of the state, and what the first call has in its place must be a constant.
 * @param first  receives one for each part
 * @return NULL, or the name of a state that has no such value
 */
const char *htp_first_call_find(htp_arena *arena, const htp_states *states, uint32_t lane_count,
                                htp_first *first);

#endif
