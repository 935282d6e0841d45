/*
 * Checks a sidecar against the model beside it.
 */
#ifndef HTP_REPORT_SIDECAR_CHECK_H
#define HTP_REPORT_SIDECAR_CHECK_H

#include "query/validate/validate.h"
#include "report/sidecar/sidecar.h"

/**
 * Adds a finding for each difference from the model, each missing entry, and each entry without a
 * counterpart in the model. Facts that the model does not have, and unknown members, are not
 * checked.
 * @return HTP_CODE_BAD_INPUT if cJSON cannot parse a record, or if a name occurs twice.
 */
HTP_MUST_USE htp_status htp_sidecar_check(htp_arena *arena, const htp_view *view,
                                          const htp_tree *tree, htp_sidecar_file *file,
                                          htp_findings *findings);

/** Adds a finding for each number under "quality" that cannot be a metric of this model.
 * @return HTP_CODE_BAD_INPUT if "quality" is not JSON */
HTP_MUST_USE htp_status htp_sidecar_check_quality(const htp_view *view, const htp_tree *tree,
                                                  htp_sidecar_file *file, htp_findings *findings);

#endif
