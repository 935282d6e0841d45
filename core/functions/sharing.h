/*
 * Finds frames with equal bodies, which can share a function.
 *
 * Bodies are equal if they run forward() of one class, have the same operators in the same order,
 * with equal attributes, constants, edges, dtypes, ranks and dynamic dims, and have the same
 * annotations relative to the call. Values from outside, above all weights, are inputs and may
 * differ.
 *
 * Values made in a body and its callees are numbered alike in equal bodies.
 */
#ifndef HTP_FUNCTIONS_SHARING_H
#define HTP_FUNCTIONS_SHARING_H

#include "base/numbers.h"
#include "functions/frames.h"
#include "hierarchy/hierarchy.h"
#include "onnx/metadata/stack_trace.h"

typedef struct htp_made {
    uint32_t number;
    htp_tensor_id tensor;
} htp_made;

/** Inputs and outputs of a frame. */
typedef struct htp_body {
    HTP_VECTOR(htp_tensor_id) inputs; /* made outside and not constant, in the order of reading */
    HTP_VECTOR(htp_made) outputs;     /* read outside; by number */
    HTP_VECTOR(htp_made) values;      /* known here: made, or returned by a callee; by number */
    uint32_t value_count;             /* including callees */
    uint32_t function;
} htp_body;

typedef struct htp_function {
    htp_numbers frames;  /* in their order */
    bool is_shared;      /* its frames run several modules */
    bool has_chains;     /* its frames differ in callers or call sites */
    htp_numbers outputs; /* numbers of values that are read outside of at least one frame */
} htp_function;

typedef struct htp_sharing {
    htp_body *bodies;                   /* by frame */
    HTP_VECTOR(htp_function) functions; /* in the order of their first calls */
    const uint32_t *order;              /* of functions: callees precede callers */
} htp_sharing;

/** Finds the bodies of frames, and the functions that they share. Linear.
 * @param is_each_its_own  only calls of one module share a function */
htp_sharing *htp_sharing_find(htp_arena *arena, const htp_frames *frames,
                              const htp_hierarchy *hierarchy, const uint32_t *scope_modules,
                              const htp_stacks *stacks, bool is_each_its_own);

#endif
