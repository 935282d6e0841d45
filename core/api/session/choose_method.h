/*
 * The choice of module and method to export.
 */
#ifndef HTP_API_CHOOSE_METHOD_H
#define HTP_API_CHOOSE_METHOD_H

#include "api/session/session.h"

/**
 * Chooses the method and module that the options name. The model is open and its modules are known.
 * @return HTP_CODE_USAGE if there is no such module (the message has the nearest ones), or no such
 *         method
 */
htp_status htp_method_choose(htp_session *session);

#endif
