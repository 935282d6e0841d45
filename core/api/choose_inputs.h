/*
 * Where a run takes its inputs from. Private to core/api.
 */
#ifndef HTP_API_CHOOSE_INPUTS_H
#define HTP_API_CHOOSE_INPUTS_H

#include "api/session.h"

/** The archive's extra file that holds inputs, in the format of htp_inputs_parse_json(). */
#define HTP_INPUTS_EXTRA_FILE "htp_inputs.json"

/**
 * Sets the session's inputs: those of the options; otherwise those of the archive (its extra file
 * HTP_INPUTS_EXTRA_FILE, bundled inputs, or those it was traced with); otherwise the first
 * candidate derived from the graph.
 * @param more  receives whether there are further candidates.
 */
HTP_MUST_USE htp_status htp_inputs_choose(htp_session *session, bool *more);

/** Sets the session's inputs to candidate @p candidate of those derived from the graph. */
HTP_MUST_USE htp_status htp_inputs_choose_derived(htp_session *session, uint32_t candidate,
                                                  bool *more);

#endif
