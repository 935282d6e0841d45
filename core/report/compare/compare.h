/*
 * What differs between two models, for people and for programs.
 */
#ifndef HTP_REPORT_COMPARE_H
#define HTP_REPORT_COMPARE_H

#include "query/compare/compare.h"

/** As text: one line where nothing differs; else shares, then what differs, the first of each kind.
 * Ends with a newline. */
const char *htp_report_comparison(htp_arena *arena, const htp_comparison *comparison);

/** As one JSON object: all of it. null stands for what cannot be told. */
const char *htp_report_comparison_json(htp_arena *arena, const htp_comparison *comparison);

/** The differences of a node from its counterpart, as words. @return how many */
size_t htp_report_differences(unsigned differences, const char *words[3]);

#endif
