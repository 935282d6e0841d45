/*
 * Notes on what is exported. Private to core/api.
 */
#ifndef HTP_API_NOTES_H
#define HTP_API_NOTES_H

#include "api/export/result.h"
#include "lower/driver/lower.h"
#include "lower/passes/weights.h"

/** Notes what the inputs and outputs of a lowered model stand for: complex numbers, state. */
void htp_note_model(htp_session *session, const htp_builder *model);

/** Notes which large products of matrices quantisers pass over, and what helps. */
void htp_note_tied(htp_session *session, const htp_tied_weights *tied);

/** Notes what is computed of weights alone whenever the model runs, and why. */
void htp_note_kept(htp_session *session, const htp_kept_arithmetic *kept);

/** Notes where tags are written, and where the root's is on most nodes. */
void htp_note_tags(htp_session *session, const htp_finished *finished);

#endif
