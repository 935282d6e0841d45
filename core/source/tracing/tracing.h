/*
 * From inputs to a graph: traces a source in several lanes, call after call, until its state
 * settles.
 */
#ifndef HTP_SOURCE_TRACING_H
#define HTP_SOURCE_TRACING_H

#include "graph/graph.h"
#include "source/inputs/inputs.h"
#include "source/reader.h"
#include "source/tracing/shape_conflict.h"

/**
 * Traces the method with @p inputs, and builds the graph in @p arena. If the method refuses the
 * sizes of other lanes, others are tried (htp_inputs_choose_lanes), unless none can work.
 * Attributes that a call changes become states of the graph.
 * @param inputs         keeps the accepted lanes
 * @param freezes_state  trace the first call after loading; there are no states
 * @param conflict       receives the reason why there is no graph; if NULL, one more trace finds
 * out whether the named axes are to blame
 * @param progress       may be NULL; if it returns false, the status is HTP_CODE_INTERRUPTED
 */
HTP_MUST_USE htp_status htp_graph_trace(htp_source *source, htp_inputs *inputs, bool freezes_state,
                                        htp_shape_conflict *conflict, htp_progress_fn progress,
                                        void *user, htp_arena *arena, htp_graph **graph);

#endif
