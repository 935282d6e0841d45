/*
 * What modules cost, as text and JSON.
 */
#ifndef HTP_REPORT_COST_H
#define HTP_REPORT_COST_H

#include "query/cost/cost.h"
#include "query/select/region.h"

/** What is reported. */
typedef struct htp_cost_query {
    const htp_costs *costs;
    const htp_region *region; /* whose nodes are listed, NULL: the tree */
    const char *address;      /* of the region */
    int depth;                /* of the tree; negative: all */
} htp_cost_query;

/** As text: numbers in tables where the sizes are known, else formulas, one per line. */
const char *htp_report_cost(htp_arena *arena, const htp_cost_query *query);

/** As one JSON object on one line, without a newline. An amount is an object: "formula", null where
 * it is too long, and "number", null where sizes are missing. */
const char *htp_report_cost_json(htp_arena *arena, const htp_cost_query *query);

#endif
