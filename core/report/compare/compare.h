/*
 * Differences of two models, as text and JSON.
 */
#ifndef HTP_REPORT_COMPARE_H
#define HTP_REPORT_COMPARE_H

#include "query/compare/compare.h"

/** As text: one line if nothing differs; else shares, then the first differences of each kind. Ends
 * with a newline. */
const char *htp_report_comparison(htp_arena *arena, const htp_comparison *comparison);

/** As one JSON object, complete. null stands for unknown. */
const char *htp_report_comparison_json(htp_arena *arena, const htp_comparison *comparison);

/** The differences of a node from its counterpart, as words. @return how many */
size_t htp_report_differences(unsigned differences, const char *words[3]);

#endif
