/*
 * State inputs and outputs: values of attributes before and after a call. Private to core/lower.
 */
#ifndef HTP_LOWER_STATE_H
#define HTP_LOWER_STATE_H

#include "lower/emit/lowering.h"

/** Declares graph input `state.NAME` for each state, after those of the method's arguments. */
void htp_state_bind_inputs(htp_lowering *l);

/** Declares graph output `state.NAME.next` for each state, after those that the method returns. */
void htp_state_bind_outputs(htp_lowering *l);

#endif
