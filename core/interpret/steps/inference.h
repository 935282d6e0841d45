/*
 * Inference mode of what was traced in training mode: flags that a traced function holds as
 * constants, and operators that only training runs.
 *
 * Code that somebody wrote is left as it is: there inference mode is what modules' flags say, and a
 * constant means what it says.
 */
#ifndef HTP_INTERPRET_STEPS_INFERENCE_H
#define HTP_INTERPRET_STEPS_INFERENCE_H

#include "interpret/steps/control.h"

/** Changes a step of a traced function to what it is in inference mode: flags for training among
 * its operands become false, and dropout_p 0. A norm without running statistics keeps its flag.
 * @param is_done  receives whether nothing is left to run: @p outputs has what the step gives. So
 *                 it is with the count of batches beside running statistics, and with noise of
 *                 stochastic depth, whose product is what it multiplies */
htp_outcome htp_inference_apply(htp_machine *m, htp_step *step, htp_items *outputs, bool *is_done);

#endif
