/*
 * Operators that may serve several modules as one node: those of sizes, positions and masks.
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
    HTP_SHAREABLE_ALWAYS,        /* whatever it reads: Shape, Size */
    HTP_SHAREABLE_WITH_OPERANDS, /* where its operands may be shared */
} htp_shareable;

/** The rule of an operator of ONNX's own domain. */
htp_shareable htp_shareable_rule(const char *op_type);

#endif
