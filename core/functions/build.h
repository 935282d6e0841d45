/*
 * Modules as functions: the model in which calls of modules are calls of functions.
 *
 * A frame becomes one node, and frames with equal bodies one function, whose nodes are those of the
 * first of them. Weights stay with the model and become inputs. Constants become Constant nodes of
 * the function, since a function has no initializers.
 *
 * Reference: FunctionProto of the ONNX IR specification.
 */
#ifndef HTP_FUNCTIONS_BUILD_H
#define HTP_FUNCTIONS_BUILD_H

#include "functions/sharing.h"

typedef struct htp_functions {
    htp_builder *model;           /* with functions; shares tensors' types with the flat one */
    const uint32_t *initializers; /* by initializer of the model: that of the flat model */
    const uint32_t *called;       /* by node of the model: the called frame, or HTP_NONE */
    const htp_frames *frames;
    const htp_stacks *stacks; /* of the graph */
    uint32_t calls;
} htp_functions;

/** Builds the model with functions for @p frames. Their own model stays unchanged. Linear. */
htp_functions *htp_functions_build(htp_arena *arena, const htp_frames *frames,
                                   const htp_sharing *sharing, const htp_stacks *stacks);

#endif
