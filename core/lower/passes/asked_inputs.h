/*
 * A pass over a model whose types are known: sizes that an input of the model has, too, are read
 * from the input.
 */
#ifndef HTP_LOWER_ASKED_INPUTS_H
#define HTP_LOWER_ASKED_INPUTS_H

#include "onnx/builder/builder.h"

/**
 * Call it once, after htp_builder_infer_types(). Where a Shape in the root reads consecutive sizes
 * of a computed tensor that some input of the model also has by its type, it reads the input
 * instead. The tensor then has one reader less, which would prevent fusions.
 *
 * Shapes that belong to other modules, or serve them, stay: a module that is extracted, or becomes
 * a function, computes sizes from its own inputs.
 */
void htp_lower_ask_inputs(htp_builder *model);

#endif
