/*
 * Which axes of a model are dynamic, found by tracing it at several sizes. Private to core/api.
 */
#ifndef HTP_API_DYNAMIC_AXES_H
#define HTP_API_DYNAMIC_AXES_H

#include "api/session/session.h"

/**
 * Makes every axis of the session's inputs dynamic that the traced program does not fix, and traces
 * with them. All dims begin as axes of their own, with sizes that tell them apart. Axes that an
 * operator compares become one, or a sum of others; those that it fixes are left out. Where
 * refusals tell nothing, each axis is tried alone, then those that were not refused together. What
 * fixes the others is noted for --verbose.
 * @return what the trace of the sizes that were given returns, where nothing moves.
 */
HTP_MUST_USE htp_status htp_session_trace_dynamic(htp_session *session);

#endif
