/*
 * Interpretations of a model's method, and the traces that they leave.
 */
#ifndef HTP_INTERPRET_INTERPRET_H
#define HTP_INTERPRET_INTERPRET_H

#include "base/arena.h"
#include "base/status.h"
#include "interpret/machine/devices.h"
#include "interpret/machine/instances.h"
#include "interpret/machine/places.h"
#include "interpret/trace/request.h"

#include <htp/runner.h>

/** A model that is interpreted repeatedly: the state left by earlier calls is kept. */
typedef struct htp_interpreter htp_interpreter;

/** The program to interpret; all of it outlives the interpreter. */
typedef struct htp_interpreted {
    const struct htp_program *program;
    const struct htp_runner *runner;
    const htp_place_finder *places;
    const htp_instances *instances; /* of the program */
    const char *method;             /* that the program has chosen */
    htp_devices devices;
    bool is_inference; /* programs traced in training mode run in inference mode */
} htp_interpreted;

/** @return NULL without memory */
htp_interpreter *htp_interpreter_open(const htp_interpreted *of);

/** Frees it with everything that it handed out, but for the runner's; NULL is accepted. */
void htp_interpreter_close(htp_interpreter *interpreter);

/**
 * Follows the method. Without carried states it is the first call after the archive was read,
 * otherwise a later one, in as many lanes as the last: carried states have the given values, all
 * others are as loaded. A trace is freed by the next one; that of a first call stays until the next
 * first call.
 *
 * @return HTP_CODE_USAGE where the method refuses the inputs: @p result then has what ran before;
 *         the last node is the one that raised, if one did, with its failure. Otherwise there is no
 *         trace on failure. HTP_CODE_UNSUPPORTED for what cannot be followed; HTP_CODE_INTERNAL
 *         where more lanes are needed, without memory, or when the tick stopped it
 */
HTP_MUST_USE htp_status htp_interpreter_run(htp_interpreter *interpreter,
                                            const htp_trace_request *request,
                                            htp_trace_result *result);

/** The first of the inputs that torch.utils.bundled_inputs attaches to the method, in @p arena;
 * none where it attaches none. */
HTP_MUST_USE htp_status htp_interpreter_bundled_inputs(htp_interpreter *interpreter,
                                                       htp_arena *arena, const htp_input **inputs,
                                                       uint32_t *count);

/** A number as an input; left out if it is none, or not exact as a double. */
htp_input htp_input_of_operand(const htp_operand *value);

/** Which functions and nodes of the program the calls and nodes of the last trace stand for. */
void htp_interpreter_stands(const htp_interpreter *interpreter, const htp_trace_stand **calls,
                            uint32_t *call_count, const htp_trace_stand **nodes,
                            uint32_t *node_count);

#endif
