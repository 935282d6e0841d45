/*
 * Dead code in a builder.
 */
#ifndef HTP_ONNX_PRUNE_H
#define HTP_ONNX_PRUNE_H

#include "onnx/builder/builder.h"

/**
 * Counts the readers of each tensor among live nodes: those that inputs and outputs of @p model
 * need.
 * @return by node, whether it is live
 */
const bool *htp_builder_count_uses(htp_builder *model);

#endif
