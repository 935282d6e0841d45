/*
 * Which method of which module is exported.
 */
#ifndef HTP_API_CHOOSE_METHOD_H
#define HTP_API_CHOOSE_METHOD_H

#include "api/session/session.h"

/** Chooses the method that the options name, of the module that they name, in the opened model
 * whose modules are known.
 * @return HTP_CODE_USAGE where there is no such module, with the nearest that there are, or no such
 * method */
htp_status htp_method_choose(htp_session *session);

#endif
