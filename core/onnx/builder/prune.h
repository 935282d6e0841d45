/*
 * Use counts and dead code in a builder.
 */
#ifndef HTP_ONNX_PRUNE_H
#define HTP_ONNX_PRUNE_H

#include "onnx/builder/builder.h"

/**
 * Counts the readers of each tensor among live nodes, on which outputs of @p model depend.
 * @return by node, whether it is live
 */
const bool *htp_builder_count_uses(htp_builder *model);

#endif
