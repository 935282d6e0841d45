/*
 * From a model's file to the graph that is exported. Private to core/api.
 */
#ifndef HTP_API_TRACE_H
#define HTP_API_TRACE_H

#include "api/session/session.h"

/** Runs the pipeline up to the graph: opens the model, chooses inputs, traces. */
HTP_MUST_USE htp_status htp_session_trace(htp_session *session);

#endif
