/*
 * Times of modules, by a profile, as text and JSON.
 */
#ifndef HTP_REPORT_PROFILE_REPORT_H
#define HTP_REPORT_PROFILE_REPORT_H

#include "query/cost/cost.h"
#include "query/profile/profile.h"
#include "query/select/region.h"

/** What is reported. */
typedef struct htp_profile_query {
    const htp_profile *profile; /* placed */
    htp_profile_model model;
    const char *optimized;    /* path of the optimised model; NULL: none */
    const htp_region *region; /* kernels of these modules are listed; NULL: the tree */
    const char *address;      /* of the region */
    int depth;                /* of the tree; negative: all */
    const htp_cost *cost;     /* of one run, as numbers: for operations by second; NULL: unknown */
} htp_profile_query;

/** A profile as text: the module tree, or the kernels of the region, the longest first; then
 * kernels whose module was not found. */
const char *htp_report_profile(htp_arena *arena, const htp_profile_query *query);

/** A profile as one JSON object on one line, without a newline. Times are in microseconds. */
const char *htp_report_profile_json(htp_arena *arena, const htp_profile_query *query);

#endif
