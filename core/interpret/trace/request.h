/*
 * A request to trace a call, and its result.
 */
#ifndef HTP_INTERPRET_TRACE_REQUEST_H
#define HTP_INTERPRET_TRACE_REQUEST_H

#include "interpret/trace/trace.h"

/** A call of a method. */
typedef struct htp_trace_request {
    const htp_input *inputs;
    uint32_t input_count;
    uint32_t lane_count;
    const htp_trace_carried *carried; /**< states left by earlier calls; none: a first call */
    uint32_t carried_count;
    bool has_last_lanes; /**< no other lanes are left to try: a made-up size that they may find fits
                            what it meets */
    htp_tick tick;       /**< called with the number of nodes so far; false stops. NULL: none */
    void *user;          /**< passed to the tick */
} htp_trace_request;

/** The result of a request. */
typedef struct htp_trace_result {
    const htp_trace *trace; /**< NULL: none */
    bool needs_lanes;  /**< it failed because a size depends on data: one lane cannot distinguish
                          such a size from a static one, several can */
    bool has_flats;    /**< some made-up sizes may be found with other lanes */
    bool lacks_memory; /**< it failed without memory, which says nothing about the inputs */
} htp_trace_result;

#endif
