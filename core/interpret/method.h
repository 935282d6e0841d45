/*
 * From a machine to a trace, and from arguments to items. Private to this folder.
 */
#ifndef HTP_INTERPRET_METHOD_H
#define HTP_INTERPRET_METHOD_H

#include "interpret/interpret.h"
#include "interpret/objects/states.h"

/** A machine that is to follow the method. Its ticks are the caller's to set. */
htp_machine *htp_machine_make(htp_arena *arena, htp_interpreter *interpreter, uint32_t lane_count);

/** The outcome of a run as a status. */
HTP_MUST_USE htp_status htp_machine_end(const htp_machine *m, htp_outcome outcome);

/** The request that an interpreter was opened for. */
const htp_interpreted *htp_interpreter_of(const htp_interpreter *interpreter);

/** The method's arguments as items (arguments.c). */
htp_outcome htp_arguments_make(htp_machine *m, const htp_input *inputs, uint32_t count,
                               htp_items *arguments);

/** Follows the method (run.c). @param arguments  without self */
htp_outcome htp_method_run(htp_machine *m, const htp_items *arguments,
                           const htp_carried_state *carried, size_t carried_count,
                           htp_items *outputs);

/** The trace as plain data in @p arena, which needs the runner and the places, and nothing of the
 * machine (finishing.c). HTP_UNSUPPORTED */
htp_outcome htp_trace_make(htp_machine *m, htp_arena *arena, const htp_items *given,
                           const htp_items *outputs, const htp_recorded_states *states,
                           htp_trace *trace);

#endif
