/*
 * How good the tags of models are, for people and for programs.
 */
#ifndef HTP_REPORT_QUALITY_H
#define HTP_REPORT_QUALITY_H

#include "base/json/json.h"
#include "base/stream.h"
#include "quality/quality.h"

/** A model that was measured. */
typedef struct htp_quality_entry {
    const htp_quality *quality;
    bool is_against; /* by the truth of the first */
} htp_quality_entry;

typedef struct htp_quality_report {
    const htp_quality_entry *entries;
    size_t count;
    bool lists_all; /* nodes with problems: all of them, not the worst alone */
} htp_quality_report;

/** As text of HTP_REPORT_COLUMNS columns. */
const char *htp_report_quality(htp_arena *arena, const htp_quality_report *report);

/** As one JSON object; see docs/man/htp-trace-quality.1. */
void htp_report_quality_json(htp_json *json, const htp_quality_report *report);

/** The metrics that sidecars hold, one JSON object: the same members, except modules and nodes,
 * which sidecars have themselves. Modules are given by index into the sidecar's list; the
 * reference's path by its last part. */
void htp_report_quality_part(htp_json *json, const htp_quality *quality);

/** As CSV: one row for each metric of each model, depth, layer and member. */
void htp_report_quality_csv(htp_stream *stream, const htp_quality_report *report);

/** The share of a module's nodes that have no problem, in percent; negative: it has no nodes. */
double htp_report_score(const htp_quality *quality, uint32_t module);

#endif
