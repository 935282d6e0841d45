/*
 * Which axes of a model are dynamic, found by tracing it at several sizes. Private to core/api.
 */
#ifndef HTP_API_DYNAMIC_AXES_H
#define HTP_API_DYNAMIC_AXES_H

#include "api/session.h"

/**
 * Makes every axis of the session's inputs dynamic that the traced program does not fix, and traces
 * with them: all at once, without those that an operator is seen to fix; where that fails, each
 * alone, then those that did not fail together. What fixes the others is noted for --verbose.
 * @return what the trace of the sizes that were given returns, where nothing moves.
 */
HTP_MUST_USE htp_status htp_session_trace_dynamic(htp_session *session);

/** Traces with the sizes of the session's inputs fixed. */
HTP_MUST_USE htp_status htp_session_trace_static(htp_session *session);

#endif
