/*
 * The initial states of a model.
 */
#ifndef HTP_LOWER_INITIAL_STATE_H
#define HTP_LOWER_INITIAL_STATE_H

#include "base/status.h"
#include "onnx/builder/builder.h"

/**
 * Fills model->states: the inputs and outputs of the graph's states, and their initial values. Call
 * it once, after htp_builder_remove_unused(). With dynamic axes, initial states have the sizes of
 * the trace.
 * @return HTP_CODE_BAD_INPUT if the archive is damaged
 */
HTP_MUST_USE htp_status htp_initial_state_find(htp_builder *model);

/** Makes initial states initializers of the state inputs, which runtimes use as defaults. */
void htp_initial_state_embed(htp_builder *model);

#endif
