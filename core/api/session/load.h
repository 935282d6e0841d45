/*
 * Opening a model: its file, its modules, and the method that is exported. Private to core/api.
 */
#ifndef HTP_API_LOAD_H
#define HTP_API_LOAD_H

#include "api/session/session.h"

/** Opens the session's model, and chooses the method that the options name. */
HTP_MUST_USE htp_status htp_session_load(htp_session *session);

#endif
