/*
 * Names in a model with functions. Private to core/functions.
 */
#ifndef HTP_FUNCTIONS_NAMING_H
#define HTP_FUNCTIONS_NAMING_H

#include "functions/sharing.h"

/** The name of a function. */
typedef struct htp_function_name {
    const char *domain; /* the package of the class */
    const char *name;   /* the class, or class_2 and so on */
} htp_function_name;

/** Names the functions, in their order. No operator of the model has one of these names. */
const htp_function_name *htp_naming_functions(htp_arena *arena, const htp_frames *frames,
                                              const htp_sharing *sharing);

/** A name inside the function of @p frame: without the frame's prefix; in the main graph
 * (HTP_NONE), unchanged. */
const char *htp_naming_local(const htp_frames *frames, uint32_t frame, const char *name);

/**
 * Names the nodes of a function like those of a model: numbers are consecutive in the order of the
 * file. Values without a name are named by their node. Constants and calls keep theirs.
 * @param called      by node of @p model: the frame that it calls, or HTP_NONE
 * @param first_node  the function's first node; all after it are its own, as are graphs from
 *                    @p graph on
 * @param values      names of values in use
 */
void htp_naming_nodes(const htp_frames *frames, htp_builder *model, const uint32_t *called,
                      uint32_t frame, size_t first_node, uint32_t graph, htp_map *values);

/** An input of a frame's function. */
typedef struct htp_formal_input {
    const char *name; /* unique among the inputs */
    uint32_t index;   /* among the body's inputs */
} htp_formal_input;

/**
 * Names the inputs of a function by its first frame: arguments of forward(), in order and by
 * parameter; other values from outside; weights, by their names below the module.
 * @param passed  as of htp_naming_passed()
 * @param taken   receives the names
 * @return one per input of the body
 */
const htp_formal_input *htp_naming_inputs(htp_arena *arena, const htp_frames *frames,
                                          const htp_sharing *sharing, uint32_t frame,
                                          const uint32_t *passed, htp_map *taken);

/** By scope, and one more: the first index of model->passed that is of this scope or a later one.
 */
const uint32_t *htp_naming_passed(htp_arena *arena, const htp_builder *model);

#endif
