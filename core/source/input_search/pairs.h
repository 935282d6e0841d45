/*
 * The numbers that a failed operator compared, in every lane.
 */
#ifndef HTP_SOURCE_PAIRS_H
#define HTP_SOURCE_PAIRS_H

#include "source/input_search/derive.h"

/** A condition for the operator to run. */
typedef enum htp_pair_kind {
    HTP_PAIR_OTHER, /**< unknown */
    HTP_PAIR_EQUAL, /**< both are equal, or one is 1 and broadcast */
    HTP_PAIR_LEAST, /**< the first is at least the second */
} htp_pair_kind;

typedef struct htp_pair {
    htp_pair_kind kind;
    int64_t have[HTP_MAX_LANES];
    int64_t want[HTP_MAX_LANES];
    bool is_one[HTP_MAX_LANES]; /**< broadcast */
    bool is_limit;              /**< the first may be at most the second */
} htp_pair;

/** Reads the pairs of the last node of a refused trace. @return their number; 0 if the trace is
 * NULL, has too few lanes, or its lanes disagree. */
uint32_t htp_pairs_read(const htp_trace *trace, uint32_t lane_count,
                        htp_pair pairs[HTP_PAIR_LIMIT]);

#endif
