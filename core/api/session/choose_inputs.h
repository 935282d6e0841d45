/*
 * Where a run takes its inputs from. Private to core/api.
 */
#ifndef HTP_API_CHOOSE_INPUTS_H
#define HTP_API_CHOOSE_INPUTS_H

#include "api/session/session.h"

/** The archive's extra file that holds inputs, in the format of htp_inputs_parse_json(). */
#define HTP_INPUTS_EXTRA_FILE "htp_inputs.json"

/**
 * Sets the session's inputs: those of the options; otherwise those of the archive (for forward()
 * its extra file HTP_INPUTS_EXTRA_FILE, bundled inputs, or those it was traced with); otherwise
 * those derived from the graph. Derived ones were traced successfully, unless the method refused
 * all that were tried (session->derivation), or session->is_untraced asks for the first guess.
 */
HTP_MUST_USE htp_status htp_inputs_choose(htp_session *session);

#endif
