/*
 * A pass over a lowered model: a size, a position or a mask that several modules compute from the
 * same values is computed once.
 */
#ifndef HTP_LOWER_SHARED_SIZES_H
#define HTP_LOWER_SHARED_SIZES_H

#include "onnx/builder/builder.h"

/**
 * Call it when all nodes exist, and again when values have become equal. Among equal nodes
 * (operator, attributes, operands) that onnx/reader/shared.h allows to be shared, the first stays
 * in place, with the tag of its module, and serves the scopes of the others. A body only reads
 * outer values made before its node. Linear in the nodes.
 *
 * @param groups  by scope: those with one number share; NULL: all do
 */
void htp_lower_share_sizes(htp_builder *model, const uint32_t *groups);

#endif
