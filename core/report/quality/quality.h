/*
 * Metrics of tags as text, JSON and CSV.
 */
#ifndef HTP_REPORT_QUALITY_H
#define HTP_REPORT_QUALITY_H

#include "base/json/json.h"
#include "base/stream.h"
#include "quality/quality.h"

/** A model that was measured. */
typedef struct htp_quality_entry {
    const htp_quality *quality;
    bool is_against; /* judged by the reference of the first */
} htp_quality_entry;

typedef struct htp_quality_report {
    const htp_quality_entry *entries;
    size_t count;
    bool lists_all; /* all nodes with problems, not only the worst */
} htp_quality_report;

/** A report as text. */
const char *htp_report_quality(htp_arena *arena, const htp_quality_report *report);

/** A report as one JSON object; see docs/man/htp-trace-quality.1. */
void htp_report_quality_json(htp_json *json, const htp_quality_report *report);

/** The metrics for a sidecar, one JSON object: the same members, except modules and nodes, which
 * the sidecar has itself. Modules are indices into the sidecar's list, and the path of the
 * reference is reduced to its file name. */
void htp_report_quality_part(htp_json *json, const htp_quality *quality);

/** A report as CSV: one row for each metric of each model, depth, layer and member. */
void htp_report_quality_csv(htp_stream *stream, const htp_quality_report *report);

/** The share of a module's nodes without a problem, in percent; negative: it has no nodes. */
double htp_report_score(const htp_quality *quality, uint32_t module);

#endif
