/*
 * Modules as functions: the model in which calls of modules are calls of functions.
 *
 * A frame becomes one node, and frames with equal bodies one function, whose nodes are those of the
 * first of them. Weights stay with the model and are inputs; constants are in the function, as
 * Constant nodes, for a function has no initializers.
 *
 * Reference: FunctionProto of the ONNX IR specification.
 */
#ifndef HTP_FUNCTIONS_BUILD_H
#define HTP_FUNCTIONS_BUILD_H

#include "functions/sharing.h"

typedef struct htp_functions {
    htp_builder *model;           /* with functions; shares tensors' types with the flat one */
    const uint32_t *initializers; /* by its initializers: that of the flat model */
    const uint32_t *called;       /* by its nodes: the frame that is called, or HTP_NONE */
    const htp_frames *frames;
    const htp_stacks *stacks; /* of the graph */
    uint32_t calls;
} htp_functions;

/** Builds the model with functions for @p frames, whose model stays as it is. Linear. */
htp_functions *htp_functions_build(htp_arena *arena, const htp_frames *frames,
                                   const htp_sharing *sharing, const htp_stacks *stacks);

#endif
