/*
 * A sidecar against the model that it lies beside.
 */
#ifndef HTP_REPORT_SIDECAR_CHECK_H
#define HTP_REPORT_SIDECAR_CHECK_H

#include "query/validate/validate.h"
#include "report/sidecar/sidecar.h"

/**
 * Adds a finding for whatever the sidecar says otherwise than the model, leaves out, or says of
 * what the model has not. Where the model does not tell, the sidecar may say anything; so it may in
 * members that are not known here.
 * @return HTP_CODE_BAD_INPUT where a record is no JSON that cJSON reads, or a name stands twice.
 */
HTP_MUST_USE htp_status htp_sidecar_check(htp_arena *arena, const htp_view *view,
                                          const htp_tree *tree, htp_sidecar_file *file,
                                          htp_findings *findings);

/** Adds a finding for each number that cannot be what was measured of the model: of what a sidecar
 * has under "quality", if it has. @return HTP_CODE_BAD_INPUT where that is no JSON */
HTP_MUST_USE htp_status htp_sidecar_check_quality(const htp_view *view, const htp_tree *tree,
                                                  htp_sidecar_file *file, htp_findings *findings);

#endif
