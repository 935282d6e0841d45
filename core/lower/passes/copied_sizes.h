/*
 * A pass over a lowered model: sizes that a Reshape copies by itself. Private to core/lower.
 */
#ifndef HTP_LOWER_COPIED_SIZES_H
#define HTP_LOWER_COPIED_SIZES_H

#include "lower/emit/lowering.h"

/**
 * Called once, when all nodes are there. Where a Reshape is told by constants and by sizes of
 * tensors what it makes, and each of these is the size that the reshaped tensor has in the same
 * place, as the operators between the two prove, it is told a constant: 0 there, which copies it.
 * What asked for the sizes stays in the builder without a reader.
 */
void htp_lower_copy_sizes(htp_lowering *l);

#endif
