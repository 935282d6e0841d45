/*
 * Which modules were running where the nodes of a trace stand, as the program alone has it.
 *
 * This is an oracle for the scopes that the interpreter notes: it follows the program on a path of
 * its own, on which nothing is run, and the objects that calls are made on are found by what the
 * code says of them. The two have in common only the numbers of functions and nodes.
 */
#ifndef HTP_SOURCE_CALL_ORACLE_H
#define HTP_SOURCE_CALL_ORACLE_H

#include "base/arena.h"
#include "base/status.h"
#include "interpret/trace/trace.h"

#include <htp/program.h>

/** A running forward(). */
typedef struct htp_static_running {
    uint32_t object; /* the module, of the program */
    uint32_t caller; /* the running forward() around it, of a smaller number; HTP_NONE: this is
                        the method */
} htp_static_running;

/** What was running, by node of a trace. */
typedef struct htp_static_calls {
    const htp_static_running *running;
    uint32_t running_count;
    const uint32_t *nodes; /* the innermost running forward(); HTP_NONE where that is not
                              known, as where the program decides which object is called */
    uint32_t node_count;
} htp_static_calls;

/** What calls and nodes of a trace stand for, as htp_interpreter_stands() tells. */
typedef struct htp_static_stands {
    const htp_trace_stand *calls; /* callers come first */
    uint32_t call_count;
    const htp_trace_stand *nodes;
    uint32_t node_count;
} htp_static_stands;

/** Whom a long search tells how it gets on. */
typedef struct htp_static_watch {
    htp_tick tick; /* called with the operations that were looked at; NULL. False stops with
                           HTP_CODE_INTERRUPTED */
    void *user;
} htp_static_watch;

/**
 * Finds which modules were running where calls and nodes of a trace stand. Linear in the program,
 * and in the calls of the trace with the code that they run.
 * @param found  receives it, in @p arena
 * @return HTP_CODE_UNSUPPORTED for a program that is too large or too deep with all calls inlined,
 *         or whose functions call themselves
 */
HTP_MUST_USE htp_status htp_static_calls_find(htp_arena *arena, const htp_program *program,
                                              const htp_static_stands *stands,
                                              const htp_static_watch *watch,
                                              htp_static_calls *found);

#endif
