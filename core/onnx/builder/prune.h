/*
 * What the outputs of a builder depend on.
 */
#ifndef HTP_ONNX_PRUNE_H
#define HTP_ONNX_PRUNE_H

#include "onnx/builder/builder.h"

/** Counts the readers of each tensor among the nodes that the inputs and outputs of @p model need.
 * @return by node, whether it is one of these */
const bool *htp_builder_count_uses(htp_builder *model);

#endif
