/*
 * From the graph of a trace to a tagged model; shared by all exports. Private to core/api.
 */
#ifndef HTP_API_PIPELINE_H
#define HTP_API_PIPELINE_H

#include "api/export/result.h"
#include "lower/custom/custom.h"

/** Lowers the session's graph. Some operators can be exported for fixed sizes alone: unless the
 * user asked for dynamic axes, those that reach such operators become fixed, with a note. */
HTP_MUST_USE htp_status htp_pipeline_lower(htp_session *session,
                                           const htp_custom_operators *customs,
                                           htp_builder **model);

/** Tags finished->model: sets its hierarchy and annotations. */
HTP_MUST_USE htp_status htp_pipeline_tag(htp_session *session, htp_finished *finished);

#endif
