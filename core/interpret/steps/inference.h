/*
 * Inference mode for programs traced in training mode: flags that traced functions hold as
 * constants, and operators that only run in training.
 *
 * Written code is not changed: there the modules' flags decide, and constants are intended.
 */
#ifndef HTP_INTERPRET_STEPS_INFERENCE_H
#define HTP_INTERPRET_STEPS_INFERENCE_H

#include "interpret/steps/control.h"

/**
 * Changes a step of a traced function to inference mode: training flags among its operands become
 * false, and dropout_p 0. A norm without running statistics keeps its flag.
 * @param is_done  whether nothing is left to run, and @p outputs has the results: for the batch
 *                 counter beside running statistics, and for the noise of stochastic depth, whose
 *                 product becomes the other factor
 */
htp_outcome htp_inference_apply(htp_machine *m, htp_step *step, htp_items *outputs, bool *is_done);

#endif
