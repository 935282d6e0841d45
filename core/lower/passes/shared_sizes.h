/*
 * A pass over a lowered model: a size, a position or a mask that several modules compute of the
 * same values is computed once. Private to core/lower.
 */
#ifndef HTP_LOWER_SHARED_SIZES_H
#define HTP_LOWER_SHARED_SIZES_H

#include "lower/emit/lowering.h"

/**
 * Called once, when all nodes are there. Of equal nodes (operator, attributes, operands) that
 * onnx/reader/shared.h lets be shared the first one stays, in its place, under the tag of the
 * module that ran it, and serves the scopes of the others. A body reads what is made before the
 * node that has it, and nothing else outside. Linear in the nodes.
 */
void htp_lower_share_sizes(htp_lowering *l);

#endif
