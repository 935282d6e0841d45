/*
 * Tags on a model with functions: the annotations of nodes in functions, and of calls.
 *
 * In a function shared by several modules, texts are relative to the call. In a function of a
 * single module, they are those of the flat model, except that the chain is relative if the module
 * has several callers. A call has the annotation of a node that ran in the callee.
 *
 * `calls` lists modules that run several times in the same function or model, and counts within it.
 * `first_calls` of a call continues the count: JSON, {"path below the module": N}, for each module
 * in the callee that runs several times around the call, the number of its first call there.
 */
#ifndef HTP_FUNCTIONS_ANNOTATE_H
#define HTP_FUNCTIONS_ANNOTATE_H

#include "functions/build.h"
#include "onnx/metadata/annotate.h"

/**
 * Annotates the nodes of @p functions.
 * @param flat  annotations of the flat model: those of weights, modules and the model are used as
 *              they are, those of nodes are not
 */
htp_annotations *htp_functions_annotate(htp_arena *arena, const htp_functions *functions,
                                        const htp_annotations *flat, const htp_hierarchy *hierarchy,
                                        const uint32_t *scope_modules,
                                        const htp_annotate_options *options);

#endif
