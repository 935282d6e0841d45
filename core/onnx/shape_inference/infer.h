/*
 * Types of the tensors between nodes.
 */
#ifndef HTP_ONNX_INFER_H
#define HTP_ONNX_INFER_H

#include "onnx/builder/builder.h"

/**
 * Infers dtype and dims of node outputs from the types of inputs, in order, by the rules of
 * infer_rules.def. Existing types stay, but their symbols become formulas of the axes, "(height +
 * 1)//2", if operators prove them and all lanes agree. An unknown dim has the symbol "". Outputs of
 * an operator without a rule, and those of unknown rank, stay untyped. Linear in nodes and dims.
 *
 * Reference: https://onnx.ai/onnx/operators/
 *
 * @return the first tensor of the main graph, read by a node or returned, whose existing rank or
 * size its operator contradicts; HTP_NONE
 */
htp_tensor_id htp_builder_infer_types(htp_builder *model);

#endif
