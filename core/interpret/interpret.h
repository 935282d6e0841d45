/*
 * Interprets a model's method, and returns traces.
 */
#ifndef HTP_INTERPRET_INTERPRET_H
#define HTP_INTERPRET_INTERPRET_H

#include "base/arena.h"
#include "base/limits/limits.h"
#include "base/status.h"
#include "interpret/machine/devices.h"
#include "interpret/machine/instances.h"
#include "interpret/machine/places.h"
#include "interpret/trace/request.h"

#include <htp/runner.h>

/** Interprets one model repeatedly, and keeps the state that earlier calls left. */
typedef struct htp_interpreter htp_interpreter;

/** The program to interpret; everything in it must outlive the interpreter. */
typedef struct htp_interpreted {
    const struct htp_program *program;
    const struct htp_runner *runner;
    const htp_place_finder *places;
    const htp_instances *instances; /* of the program */
    const char *method;             /* the chosen method */
    htp_devices devices;
    const htp_limits *limits; /* NULL: all defaults */
    bool is_inference;        /* programs traced in training mode run in inference mode */
} htp_interpreted;

/** @return NULL without memory */
htp_interpreter *htp_interpreter_open(const htp_interpreted *of);

/** Frees it with everything that it returned, except what the runner owns; NULL is accepted. */
void htp_interpreter_close(htp_interpreter *interpreter);

/**
 * Interprets a call of the method. Without carried states it is the first call after loading.
 * Otherwise it is a later one, in as many lanes as the last: carried states have the given values,
 * all others are as loaded. A trace is freed by the next one; that of a first call stays until the
 * next first call.
 *
 * @return HTP_CODE_USAGE if the method refuses the inputs: then @p result has what ran before; if a
 * node raised, it is the last one, with its failure. Other failures have no trace:
 * HTP_CODE_UNSUPPORTED for what cannot be followed; HTP_CODE_INTERNAL if more lanes are needed,
 * memory runs out, or the tick stopped it
 */
HTP_MUST_USE htp_status htp_interpreter_run(htp_interpreter *interpreter,
                                            const htp_trace_request *request,
                                            htp_trace_result *result);

/** The first of the inputs that torch.utils.bundled_inputs attached to the method, in @p arena;
 * none if there are none. */
HTP_MUST_USE htp_status htp_interpreter_bundled_inputs(htp_interpreter *interpreter,
                                                       htp_arena *arena, const htp_input **inputs,
                                                       uint32_t *count);

/** A number as an input; None if it is no number, or not exact as a double. */
htp_input htp_input_of_operand(const htp_operand *value);

/** The functions and nodes of the program from which calls and nodes of the last trace come. */
void htp_interpreter_stands(const htp_interpreter *interpreter, const htp_trace_stand **calls,
                            uint32_t *call_count, const htp_trace_stand **nodes,
                            uint32_t *node_count);

#endif
