/*
 * Thresholds of metrics.
 */
#ifndef HTP_QUALITY_THRESHOLD_H
#define HTP_QUALITY_THRESHOLD_H

#include "base/status.h"
#include "quality/quality.h"

typedef struct htp_threshold {
    unsigned metrics; /* bit N: metric N; of several, only those with a value count */
    double value;     /* percent */
} htp_threshold;

/** Reads "METRIC=VALUE": the name of a metric, or "contamination" for all its kinds, and percent
 * from 0 to 100. @return HTP_CODE_USAGE for any other text */
HTP_MUST_USE htp_status htp_threshold_read(const char *text, htp_threshold *threshold);

/** The metrics that miss their thresholds, as text; NULL: none. A metric without a value fails. */
const char *htp_threshold_judge(htp_arena *arena, const htp_threshold *threshold,
                                const htp_quality *quality);

#endif
