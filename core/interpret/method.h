/*
 * Makes items from arguments, and a trace from a machine. Private to this folder.
 */
#ifndef HTP_INTERPRET_METHOD_H
#define HTP_INTERPRET_METHOD_H

#include "interpret/interpret.h"
#include "interpret/objects/states.h"

/** A machine for the method. The caller sets its tick. */
htp_machine *htp_machine_make(htp_arena *arena, htp_interpreter *interpreter, uint32_t lane_count);

/** The outcome of a run as a status. */
HTP_MUST_USE htp_status htp_machine_end(const htp_machine *m, htp_outcome outcome);

/** The program for which an interpreter was opened. */
const htp_interpreted *htp_interpreter_of(const htp_interpreter *interpreter);

/** The method's arguments as items (arguments.c). */
htp_outcome htp_arguments_make(htp_machine *m, const htp_input *inputs, uint32_t count,
                               htp_items *arguments);

/** Runs the method (run.c). @param arguments  without self */
htp_outcome htp_method_run(htp_machine *m, const htp_items *arguments,
                           const htp_carried_state *carried, size_t carried_count,
                           htp_items *outputs);

/** The trace as plain data in @p arena; it depends on the runner and the places, but not on the
 * machine (finish_trace.c). HTP_UNSUPPORTED */
htp_outcome htp_trace_make(htp_machine *m, htp_arena *arena, const htp_items *given,
                           const htp_items *outputs, const htp_recorded_states *states,
                           htp_trace *trace);

#endif
