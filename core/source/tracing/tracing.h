/*
 * Inputs to graphs: a source is traced in lanes of other sizes until its state settles.
 */
#ifndef HTP_SOURCE_TRACING_H
#define HTP_SOURCE_TRACING_H

#include "graph/graph.h"
#include "source/inputs/inputs.h"
#include "source/reader.h"
#include "source/tracing/shape_conflict.h"

/**
 * Traces the method with @p inputs and builds the graph in @p arena. If it refuses the sizes of
 * other lanes, others are tried (htp_inputs_choose_lanes), unless none can work; @p inputs keeps
 * the accepted ones. Attributes that a call changes become the graph's states; with @p
 * freezes_state, the first call after loading is traced. @p conflict (or NULL) receives why there
 * is no graph; without it, one more trace finds out whether the named axes are to blame. @p
 * progress may be NULL; if it returns false the status is HTP_CODE_INTERRUPTED.
 */
HTP_MUST_USE htp_status htp_graph_trace(htp_source *source, htp_inputs *inputs, bool freezes_state,
                                        htp_shape_conflict *conflict, htp_progress_fn progress,
                                        void *user, htp_arena *arena, htp_graph **graph);

#endif
