/*
 * What is balanced among the parts of a split. Private to core/api.
 */
#ifndef HTP_API_SPLIT_BALANCE_H
#define HTP_API_SPLIT_BALANCE_H

#include "api/queries/timing.h"

/** The most parts of a split. */
enum { HTP_SPLIT_MOST_PARTS = 10000 };

/** Checks the members of a splitting that belong to htp_splitting.into. */
HTP_MUST_USE htp_status htp_split_balance_check(const htp_splitting *splitting);

/** By node of the query's model: what it adds to a part; NULL for HTP_SPLIT_WEIGHTS.
 * @param timing  opened, for HTP_SPLIT_TIME: is read
 * @return HTP_CODE_USAGE where costs are not known; HTP_CODE_BAD_INPUT for an invalid profile. */
HTP_MUST_USE htp_status htp_split_balance_costs(htp_query *query, const htp_splitting *splitting,
                                                htp_timing *timing, const uint64_t **costs);

#endif
