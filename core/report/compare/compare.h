/*
 * Differences of two models, as text and JSON.
 */
#ifndef HTP_REPORT_COMPARE_H
#define HTP_REPORT_COMPARE_H

#include "query/compare/compare.h"

/** A comparison as text: one line if nothing differs; else shares, then the first differences of
 * each kind. Ends with a newline. */
const char *htp_report_comparison(htp_arena *arena, const htp_comparison *comparison);

/** A comparison as one JSON object, with all differences; null: unknown. */
const char *htp_report_comparison_json(htp_arena *arena, const htp_comparison *comparison);

/** The words for a set of htp_difference. @return how many there are */
size_t htp_report_differences(unsigned differences, const char *words[3]);

#endif
