/*
 * Which axes of a model are dynamic, found by tracing it at several sizes. Private to core/api.
 */
#ifndef HTP_API_DYNAMIC_AXES_H
#define HTP_API_DYNAMIC_AXES_H

#include "api/session/session.h"

/**
 * Makes every input axis dynamic unless the program fixes it, and traces with them. All dims begin
 * as axes of their own, with distinct sizes. Axes that an operator compares are joined, or become a
 * sum of others; axes that it fixes are dropped. If refusals give no hint, each axis is tried
 * alone, then all that were accepted. The reasons of fixed axes are noted for --verbose.
 * @return the result of tracing at the given sizes, if no axis is dynamic.
 */
HTP_MUST_USE htp_status htp_session_trace_dynamic(htp_session *session);

#endif
