/*
 * Notes about an export. Private to core/api.
 */
#ifndef HTP_API_NOTES_H
#define HTP_API_NOTES_H

#include "api/export/result.h"
#include "lower/driver/lower.h"
#include "lower/passes/weights.h"

/** Notes the meaning of inputs and outputs of a lowered model: complex numbers, state. */
void htp_note_model(htp_session *session, const htp_builder *model);

/** Notes large matrix products that quantisers skip, and the remedy. */
void htp_note_tied(htp_session *session, const htp_tied_weights *tied);

/** Notes constants that the model computes from weights in every run, and why. */
void htp_note_kept(htp_session *session, const htp_kept_arithmetic *kept);

/** Notes the first aten::squeeze that keeps a dynamic dim, which libtorch removes where its size is
 * 1; not after a note that the model is for sizes from 2 on, or if the file says so. */
void htp_note_squeezed(htp_session *session);

/** Notes where tags are written, and where the root's is on most nodes. */
void htp_note_tags(htp_session *session, const htp_finished *finished);

#endif
