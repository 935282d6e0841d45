/*
 * Axes that a model cannot be exported with, found by exporting it without them. Private to
 * core/api.
 */
#ifndef HTP_API_LOWERED_AXES_H
#define HTP_API_LOWERED_AXES_H

#include "api/session/session.h"
#include "onnx/builder/builder.h"

/** Lowers the session's graph. @p model receives the model, also if it is refused. */
typedef struct htp_lowerer {
    htp_status (*lower)(htp_session *session, const void *user, htp_builder **model);
    const void *user;
} htp_lowerer;

/**
 * After a refused lowering: drops as few dynamic axes as possible. Axes that reach the refused
 * operators are dropped first: features before height and width, the batch last.
 *
 * Axes that the user named stay, and so does the refusal; a detail line lists the names to leave
 * out.
 * @param refusal  is returned, or freed
 * @param model    of the refused lowering; receives that of the last one
 */
HTP_MUST_USE htp_status htp_lowered_axes_drop(htp_session *session, const htp_lowerer *lowerer,
                                              htp_status refusal, htp_builder **model);

#endif
