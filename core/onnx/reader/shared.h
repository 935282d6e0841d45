/*
 * Operators of which one node may serve several modules: those of sizes, positions and masks.
 *
 * Shape and Size always may. The others may if all operands are constants, non-floating inputs of
 * the model, or results of such operators.
 *
 * Reference: https://onnx.ai/onnx/operators/
 */
#ifndef HTP_ONNX_SHARED_H
#define HTP_ONNX_SHARED_H

#include <stdbool.h>

/** The condition for sharing an operator. */
typedef enum htp_shareable {
    HTP_SHAREABLE_NEVER,
    HTP_SHAREABLE_ALWAYS,        /* with any operand: Shape, Size */
    HTP_SHAREABLE_WITH_OPERANDS, /* if its operands may be shared */
} htp_shareable;

/** The rule of an operator of ONNX's own domain. */
htp_shareable htp_shareable_rule(const char *op_type);

#endif
