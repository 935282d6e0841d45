/*
 * The order of nodes. Private to core/onnx.
 */
#ifndef HTP_ONNX_GATHER_H
#define HTP_ONNX_GATHER_H

#include "onnx/builder/builder.h"

/**
 * Puts the nodes that ran in one call of a module next to each other, in every graph, and those of
 * the calls within it again: a helper that was made late, in the name of an operation that ran long
 * before, moves to where that ran. Otherwise nodes keep their order, and each stays behind those
 * that it reads of. Calls that need each other's results, so that one of them cannot run as a
 * whole, stay as they are. Linear in the nodes and the depth of calls, but for a logarithm.
 */
void htp_builder_gather_calls(htp_builder *model);

#endif
