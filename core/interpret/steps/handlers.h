/*
 * Handlers of nodes that do not become operators of the trace.
 */
#ifndef HTP_INTERPRET_STEPS_HANDLERS_H
#define HTP_INTERPRET_STEPS_HANDLERS_H

#include "interpret/steps/control.h"

/* ---- what handlers share (handlers.c) ---- */

/** HTP_FAILS if a node has fewer operands, or an item is no tensor. */
htp_outcome htp_handler_require(htp_machine *m, const htp_step *step, size_t count);
htp_outcome htp_handler_require_tensor(htp_machine *m, const htp_item *item);

/** Sets a handler's only output. */
htp_outcome htp_handler_give(htp_machine *m, htp_items *outputs, htp_item *item);

/** htp_execute() on HTP_ITEMS(). */
htp_outcome htp_handler_run(htp_machine *m, const char *name, const char *overload,
                            htp_items inputs, const htp_place *place, htp_item **output);

#endif
