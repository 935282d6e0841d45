/*
 * A pass over a lowered model: neighbouring sizes of one tensor are asked for at once. Private to
 * core/lower.
 */
#ifndef HTP_LOWER_JOINED_SIZES_H
#define HTP_LOWER_JOINED_SIZES_H

#include "lower/emit/lowering.h"

/**
 * Called once, when all nodes are there. Where a Concat puts neighbouring sizes of a tensor behind
 * one another that nothing else reads, and all of them belong to one call of a module, one Shape
 * gives them; in the place of the Concat where that is all there is in it.
 */
void htp_lower_join_sizes(htp_lowering *l);

#endif
