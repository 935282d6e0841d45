/*
 * The running modules at the nodes of a trace, by static analysis of the program.
 *
 * This is an oracle for the scopes of the interpreter: it walks the program without running it, and
 * finds the objects of calls by the code. The two share only the numbers of functions and nodes.
 */
#ifndef HTP_SOURCE_CALL_ORACLE_H
#define HTP_SOURCE_CALL_ORACLE_H

#include "base/arena.h"
#include "base/limits/limits.h"
#include "base/status.h"
#include "interpret/trace/trace.h"

#include <htp/program.h>

/** A running forward(). */
typedef struct htp_static_running {
    uint32_t object; /* the module, of the program */
    uint32_t caller; /* the running forward() around it, of a smaller number; HTP_NONE: this is
                        the method */
} htp_static_running;

/** Running modules, by node of a trace. */
typedef struct htp_static_calls {
    const htp_static_running *running;
    uint32_t running_count;
    const uint32_t *nodes; /* by node: the innermost running forward(); HTP_NONE: unknown, for
                              example if data selects the called object */
    uint32_t node_count;
} htp_static_calls;

/** Places in the program of a trace's calls and nodes, from htp_interpreter_stands(). */
typedef struct htp_static_stands {
    const htp_trace_stand *calls; /* callers come first */
    uint32_t call_count;
    const htp_trace_stand *nodes;
    uint32_t node_count;
} htp_static_stands;

/** The progress of a long search, and its limits. */
typedef struct htp_static_watch {
    htp_tick tick; /* called with the number of visited operations; false ends the search with
                           HTP_CODE_INTERRUPTED. NULL: no reports */
    void *user;
    const htp_limits *limits; /* of nested calls; NULL: all defaults */
} htp_static_watch;

/**
 * Finds the running modules at the places of calls and nodes of a trace. Linear in the program, and
 * in the code run by the trace's calls.
 * @param found  the result, in @p arena
 * @return HTP_CODE_UNSUPPORTED for a program that is too large or too deep after inlining, or
 *         recursive
 */
HTP_MUST_USE htp_status htp_static_calls_find(htp_arena *arena, const htp_program *program,
                                              const htp_static_stands *stands,
                                              const htp_static_watch *watch,
                                              htp_static_calls *found);

#endif
