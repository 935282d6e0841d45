/*
 * State: attributes of modules that a call of the method changes. Calls are traced one after
 * another, each with the state that the previous one left, until the state reaches a fixed point.
 * That call is exported, and data-dependent parts of its initial state become state inputs.
 */
#ifndef HTP_SOURCE_STATES_H
#define HTP_SOURCE_STATES_H

#include "base/status.h"
#include "base/vector.h"
#include "graph/graph.h"
#include "source/reader.h"

/** A part of a state: a tensor or number that each call takes, and returns. */
typedef struct htp_state_part {
    const char *name; /**< the attribute's path; for a part of a list, with ".INDEX" */
    uint32_t module;  /**< owner of the attribute */
    uint32_t before;  /**< value of the settled trace */
    uint32_t after;
    uint32_t loaded;           /**< in the archive; HTP_NONE if its parts are different there */
    const uint32_t *open_dims; /**< as in a htp_trace_carry */
} htp_state_part;

typedef HTP_VECTOR(htp_state_part) htp_state_parts;

/** Parameters of traces. */
typedef struct htp_tracer {
    htp_arena *arena;
    htp_source *source;
    const htp_input *inputs;
    uint32_t input_count;
    htp_tick tick;
    void *user;
    bool has_last_lanes;   /**< as in a htp_trace_request */
    bool flags_are_inputs; /**< numbers that end up constant are inputs, too */
    bool calls_once;       /**< changes that only the first call makes do not matter */
} htp_tracer;

/** The result of consecutive calls. */
typedef struct htp_states {
    const htp_trace *first;   /**< the call after the archive was read */
    const htp_trace *settled; /**< the exported call; the first one if there is no state */
    htp_state_parts parts;    /**< inputs of the settled call that are read; for a method without
                                  results, all that it leaves */
    bool is_unknown;          /**< the last state is unknown, since an operator failed */
    bool has_known;           /**< it reads numbers or None that are constant, not inputs */
} htp_states;

/** Whether two values of traces are on the same device. */
bool htp_states_are_together(const htp_trace_value *a, const htp_trace_value *b);

/**
 * Traces calls until one leaves the state as it found it.
 * @param last  receives the result of the last call
 * @return the status of the first failed trace; HTP_CODE_UNSUPPORTED if calls do not settle
 */
HTP_MUST_USE htp_status htp_states_settle(const htp_tracer *tracer, uint32_t lane_count,
                                          htp_states *states, htp_trace_result *last);

#endif
