/*
 * Tags on a model with functions: what nodes of functions, and calls, say of the hierarchy.
 *
 * In a function that several modules share all is relative to the call; in one of a single module
 * it is told as in the flat model, but for the chain of what was running where the calls of that
 * module came from several places: it is relative, too. A call speaks as a node
 * would that runs in what it calls. `calls` are told of modules that run several times in what the
 * node stands in, and count from there: the function, or the model. So a call has an entry
 * `first_calls` in its metadata, JSON: {"path below the module": N}: of each module within that
 * runs several times in what the call stands in, the number of its first call within.
 */
#ifndef HTP_FUNCTIONS_ANNOTATE_H
#define HTP_FUNCTIONS_ANNOTATE_H

#include "functions/build.h"
#include "onnx/metadata/annotate.h"

/**
 * Annotates the nodes of @p functions.
 * @param flat  of the flat model, without its nodes: what it says of weights, modules and the model
 *              holds here, too
 */
htp_annotations *htp_functions_annotate(htp_arena *arena, const htp_functions *functions,
                                        const htp_annotations *flat, const htp_hierarchy *hierarchy,
                                        const uint32_t *scope_modules,
                                        const htp_annotate_options *options);

#endif
