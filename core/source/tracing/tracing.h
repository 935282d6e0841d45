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
 * Traces the method with @p inputs and builds the graph in @p arena. Where it refuses the sizes of
 * the other lanes others are tried (htp_inputs_choose_lanes), unless it is clear that none will do;
 * @p inputs keeps those that it took. Attributes that a call changes become the graph's states,
 * unless @p freezes_state asks for the call after the file was read. @p conflict (or NULL) receives
 * why there is no graph; without it, the status tells whether the axes that somebody named are to
 * blame, which takes one more trace. @p progress may be NULL; when it returns false the status is
 * HTP_CODE_INTERRUPTED.
 */
HTP_MUST_USE htp_status htp_graph_trace(htp_source *source, htp_inputs *inputs, bool freezes_state,
                                        htp_shape_conflict *conflict, htp_progress_fn progress,
                                        void *user, htp_arena *arena, htp_graph **graph);

#endif
