/*
 * A call of a program as a trace. Private to core/exported.
 */
#ifndef HTP_EXPORTED_CALL_H
#define HTP_EXPORTED_CALL_H

#include "exported/call/tape.h"
#include "exported/document/document.h"
#include "interpret/trace/request.h"

/** The program to call. */
typedef struct htp_exported_callee {
    const htp_exported_program *program;
    htp_exported_symbols *symbols; /**< receive the inputs' contents */
    const htp_exported_modules *modules;
    const htp_exported_weights *weights;
    const htp_exported_signature *signature;
    const htp_limits *limits; /**< NULL: all defaults */
} htp_exported_callee;

/** The operator of a node by its name in traces. @param has_tensors  receives whether it takes or
 * returns tensors other than weights */
const char *htp_exported_node_kind(htp_arena *arena, const htp_exported_program *program,
                                   const htp_exported_node *node, bool *has_tensors);

/**
 * Traces a call.
 * @param before  the last trace, with carried states; NULL: a first call
 * @param arena   for the trace; its recovery point is set
 * @param stacks  by node of the trace, the running modules in the program's form; NULL if unknown
 * @return HTP_CODE_USAGE if the program does not accept the inputs
 */
HTP_MUST_USE htp_status htp_exported_call(htp_arena *arena, const htp_exported_callee *callee,
                                          const htp_trace_request *request, const htp_trace *before,
                                          const htp_trace **trace, const char *const **stacks);

#endif
