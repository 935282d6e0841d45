/*
 * Runs the recorded operators of a graph again, on real tensors, following the data: in libtorch,
 * one by one, in the order in which they ran.
 *
 * Branches and loops run as their conditions say. A value is kept until its last reader has run. An
 * operator that cannot run leaves its results unknown, and those of its readers.
 */
#ifndef HTP_REPLAY_H
#define HTP_REPLAY_H

#include "base/status.h"
#include "graph/graph.h"
#include "replay/operators.h"

/** A tensor, a number as one of rank 0, or a list of tensors. */
typedef struct htp_replay_array {
    htp_dtype dtype;
    uint32_t rank;
    const int64_t *dims;
    const void *bytes;                      /* contiguous; NULL: none */
    size_t count;                           /* of bytes; of a list: its length */
    const struct htp_replay_array *tensors; /* of a list; NULL: it is none */
} htp_replay_array;

/** Receives a value when it is made. Its bytes are valid until it returns. */
typedef htp_status (*htp_replay_take)(void *user, htp_value_id value,
                                      const htp_replay_array *array);

/** One run. */
typedef struct htp_replay_request {
    uint32_t lane;  /* of the trace, which has the sizes of the inputs; HTP_NONE: none
                       has, and numbers that are only told by lane are unknown */
    bool is_double; /* numbers with a floating point are of float64 */
    const htp_replay_array *given; /* by value: inputs and states */
    const bool *is_wanted;         /* by value: take() is called */
    htp_replay_take take;
    void *user;
} htp_replay_request;

/** An operator that did not run. */
typedef struct htp_replay_gap {
    htp_node_id node;   /* the first one; HTP_NONE: all ran */
    const char *reason; /* in the arena */
    uint32_t count;     /* with those that read its results */
} htp_replay_gap;

/** What is known of a graph for all its runs. */
typedef struct htp_replay htp_replay;

/** Prepares runs. @param means  outlives it; its model is that of the graph */
htp_replay *htp_replay_new(htp_replay_means *means, const htp_graph *graph);

/**
 * Runs the graph. Linear in its operators, and in the trips of its loops.
 * @param gap  receives what did not run
 * @return the failure of take()
 */
HTP_MUST_USE htp_status htp_replay_run(htp_replay *replay, const htp_replay_request *request,
                                       htp_replay_gap *gap);

#endif
