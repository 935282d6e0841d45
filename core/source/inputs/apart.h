/*
 * Axes that lanes tell apart: a set that answers in constant time whether one more axis moves
 * differently. Private to core/source/inputs.
 */
#ifndef HTP_SOURCE_APART_H
#define HTP_SOURCE_APART_H

#include "base/map.h"
#include "source/inputs/inputs.h"

/** Begins empty: all zeroes but the arena. */
typedef struct htp_apart {
    htp_arena *arena;
    htp_map sizes;  /* in lane 1 */
    htp_map ratios; /* of the moves in lanes 1 and 2 */
    bool has_still; /* an axis that moves in neither */
} htp_apart;

/** Adds an axis. @param number  what htp_apart_has_size() finds for its size in lane 1 */
void htp_apart_add(htp_apart *apart, const htp_axis *axis, uint32_t number);

/** Whether an axis of the set has this size in lane 1. @param number  receives that of the last one
 * that has; may be NULL */
bool htp_apart_has_size(const htp_apart *apart, int64_t size, uint32_t *number);

/** Whether lanes 1 and 2 tell an axis apart from each of the set: neither is the other times or
 * plus a constant, nor do they have one size in lane 1 (in other lanes, one of them may be
 * broadcast). */
bool htp_apart_tells(const htp_apart *apart, const htp_axis *axis);

#endif
