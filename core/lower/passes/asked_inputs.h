/*
 * A pass over a model whose types are known: sizes that an input of the model has, too.
 */
#ifndef HTP_LOWER_ASKED_INPUTS_H
#define HTP_LOWER_ASKED_INPUTS_H

#include "onnx/builder/builder.h"

/**
 * Called once, behind htp_builder_infer_types(). Where the root asks a computed tensor for sizes
 * that an input of the model has by its type, one behind the other, it asks the input: the tensor
 * has a reader less, which keeps fusions from it. Equal questions of the root become one.
 *
 * Sizes that other modules ask for, or are served with, stay: a module that is cut out, or is a
 * function, computes them of what it is given.
 */
void htp_lower_ask_inputs(htp_builder *model);

#endif
