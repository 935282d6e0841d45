/*
 * A pass over a lowered model: sizes that a Reshape can copy become 0 in its shape. Private to
 * core/lower.
 */
#ifndef HTP_LOWER_COPIED_SIZES_H
#define HTP_LOWER_COPIED_SIZES_H

#include "lower/emit/lowering.h"

/**
 * Call it once, when all nodes exist. If the shape of a Reshape consists of constants and tensor
 * sizes, and each size provably equals that of the reshaped tensor at the same position, the shape
 * becomes a constant: 0 there, which copies the size. Nodes that computed sizes stay in the builder
 * without readers.
 */
void htp_lower_copy_sizes(htp_lowering *l);

#endif
