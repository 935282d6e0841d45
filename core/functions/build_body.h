/*
 * Bodies of functions, and of the model that calls them, node by node. Private to core/functions.
 */
#ifndef HTP_FUNCTIONS_BUILD_BODY_H
#define HTP_FUNCTIONS_BUILD_BODY_H

#include "functions/build.h"
#include "functions/naming.h"

/** A model with functions under construction. */
typedef struct htp_function_builder {
    htp_arena *arena;
    const htp_frames *frames;
    const htp_sharing *sharing;
    const htp_builder *flat;
    htp_builder *model;
    htp_functions *result;
    const htp_function_name *names;    /* by function */
    const htp_formal_input **inputs;   /* by function: its inputs, in their order */
    const uint32_t *passed;            /* see htp_naming_passed() */
    htp_tensor_id *ids;                /* by tensor of the flat model: its tensor here ... */
    uint32_t *known_in;                /* ... in the body of this frame plus two; 1: the model */
    HTP_VECTOR(uint32_t) initializers; /* of the flat model */
    HTP_VECTOR(uint32_t) called;       /* frames, or HTP_NONE: by node */
} htp_function_builder;

/** A body under construction: a function's, or the model's. */
typedef struct htp_body_builder {
    uint32_t frame;             /* the function's first frame; HTP_NONE: the model */
    uint32_t function;          /* of the builder, plus one; 0: the model */
    htp_numbers graphs;         /* around the next entry, the innermost last */
    htp_numbers ended;          /* graphs whose nodes are still to come */
    uint32_t number;            /* of the next value */
    const htp_numbers *outputs; /* numbers of the values that a function returns; or NULL */
    htp_tensor_id *given;       /* by output: its tensor */
    htp_map taken;              /* names of values */
    htp_map calls;              /* names of calls, to their counts */
} htp_body_builder;

/** Adds the nodes and calls of a frame, or of the model. Its inputs are known. */
void htp_build_body(htp_function_builder *build, htp_body_builder *body);

/** Maps the flat model's tensor @p id to @p tensor in a body. @return its id */
htp_tensor_id htp_build_know(htp_function_builder *build, const htp_body_builder *body,
                             htp_tensor_id id, htp_tensor tensor);

/** Makes an initializer of the flat model one of the model's own. */
htp_tensor_id htp_build_initializer(htp_function_builder *build, const htp_body_builder *body,
                                    htp_tensor_id id);

#endif
