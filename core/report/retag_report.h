/*
 * Results of retagging, as text and JSON.
 */
#ifndef HTP_REPORT_RETAG_REPORT_H
#define HTP_REPORT_RETAG_REPORT_H

#include "query/retag/retag.h"

/** How many nodes each rule placed. @param path  of the written file */
const char *htp_report_retagging(htp_arena *arena, const htp_retagging *retagging,
                                 const char *path);

/** How many nodes each rule placed, and the nodes that had lost their tags, as one JSON object. */
const char *htp_report_retagging_json(htp_arena *arena, const htp_retagging *retagging,
                                      const char *path);

#endif
