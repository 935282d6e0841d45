/*
 * Axes that a model cannot be exported with, found by exporting it without them. Private to
 * core/api.
 */
#ifndef HTP_API_LOWERED_AXES_H
#define HTP_API_LOWERED_AXES_H

#include "api/session/session.h"
#include "onnx/builder/builder.h"

/** What lowers the session's graph. @p model receives what came of it, refused or not. */
typedef struct htp_lowerer {
    htp_status (*lower)(htp_session *session, const void *user, htp_builder **model);
    const void *user;
} htp_lowerer;

/**
 * A lowering was refused, with axes that move: leaves out as few of them as it takes. First tried
 * are those that reach the refused operators, features before height and width, the batch last.
 *
 * Where somebody named the axes, the refusal stays, and gets a detail line with those that are not
 * to be named.
 * @param refusal  is returned, or freed
 * @param model    of the refused lowering; receives that of the last one
 */
HTP_MUST_USE htp_status htp_lowered_axes_drop(htp_session *session, const htp_lowerer *lowerer,
                                              htp_status refusal, htp_builder **model);

#endif
