/*
 * Types of the tensors between nodes.
 */
#ifndef HTP_ONNX_INFER_H
#define HTP_ONNX_INFER_H

#include "onnx/builder/builder.h"

/**
 * Gives dtype and dims to the outputs of nodes that have none, from the types of the nodes' inputs:
 * one walk over the nodes in their order, by the rules of infer_rules.def. Types that are there
 * stay, but their symbols become formulas of the axes, "(height + 1)//2", where the operators tell
 * so, and the sizes of all lanes agree. A dim that cannot be told has the symbol "". Outputs of an
 * operator without a rule, and those whose rank cannot be told, stay without a type.
 * Linear in nodes and dims.
 *
 * Reference: https://onnx.ai/onnx/operators/
 */
void htp_builder_infer_types(htp_builder *model);

#endif
