/*
 * What the first call of a model with state is given.
 */
#ifndef HTP_LOWER_INITIAL_STATE_H
#define HTP_LOWER_INITIAL_STATE_H

#include "base/status.h"
#include "onnx/builder/builder.h"

/**
 * Fills model->states: the inputs and outputs that hold the state of the graph, and what they hold
 * before the first call. To be called once, behind htp_builder_remove_unused(). Where axes are
 * dynamic, initial states have the sizes that the trace was given.
 * @return HTP_CODE_BAD_INPUT where the archive is damaged
 */
HTP_MUST_USE htp_status htp_initial_state_find(htp_builder *model);

/** Makes initial states initializers of the state inputs: defaults, where a runtime has such. */
void htp_initial_state_embed(htp_builder *model);

#endif
