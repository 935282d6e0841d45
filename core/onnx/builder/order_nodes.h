/*
 * The order of nodes. Private to core/onnx.
 */
#ifndef HTP_ONNX_ORDER_NODES_H
#define HTP_ONNX_ORDER_NODES_H

#include "onnx/builder/builder.h"

/**
 * Makes the nodes of each module call consecutive, in every graph, recursively: a helper that was
 * emitted late for an earlier operation moves to it. Otherwise nodes keep their order, and the
 * order stays topological. Calls that need each other's results cannot be made consecutive, and
 * stay as they are. Linear in the nodes and the depth of calls, up to a logarithm.
 */
void htp_builder_gather_calls(htp_builder *model);

#endif
