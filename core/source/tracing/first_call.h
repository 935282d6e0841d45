/*
 * The first call of a model with state: initial values for which the settled call computes the same
 * as the first call after loading.
 */
#ifndef HTP_SOURCE_FIRST_CALL_H
#define HTP_SOURCE_FIRST_CALL_H

#include "source/tracing/states.h"

/**
 * Finds the initial state of all parts of @p states.
 *
 * If the archive holds a part in its settled form, that is the initial value. Otherwise the first
 * call is compared with the settled one, operator by operator: both must be the same program except
 * for reads of the state, and the first call must have a constant there.
 * @param first  receives one per part
 * @return NULL, or the name of a state without such a value
 */
const char *htp_first_call_find(htp_arena *arena, const htp_states *states, uint32_t lane_count,
                                htp_first *first);

#endif
