/*
 * Runs the kernel of an operator, or a substitute if it cannot run.
 */
#ifndef HTP_INTERPRET_LANES_LANES_H
#define HTP_INTERPRET_LANES_LANES_H

#include "interpret/lanes/call.h"
#include "interpret/machine/kernel.h"

/** Runs the kernel in all lanes. */
htp_outcome htp_call_run_lanes(htp_machine *m, htp_call *call, htp_mode mode, htp_lanes *results);

/** @p text with "?" for sizes that differ between lanes (wording.c). */
const char *htp_message_worded(htp_machine *m, const htp_items *inputs, size_t lane,
                               const char *text);

/** Raises if positions that follow from sizes are outside of a tensor (positions.c). */
htp_outcome htp_call_check_positions(htp_machine *m, const htp_call *call, size_t lane);

/** Whether an operator returns its first operand unchanged, in the same memory (whole.c). The
 * runner's tensors are never changed, so one may serve as both. @param given  all operands of the
 * call in a lane */
bool htp_call_gives_operand(const htp_call *call, const htp_operand *given);

/** The device of tensors without contents, as an operand (operands.c). */
htp_operand htp_operand_no_contents(void);

/** Room for @p count outputs in each lane. */
htp_lanes htp_lanes_make(htp_machine *m, size_t count);

/** Runs the real kernel on probes, for operators without a meta kernel. */
htp_outcome htp_call_probe(htp_machine *m, const htp_call *call, size_t lane, htp_operand **outputs,
                           size_t *count);

/** Dims by descending stride. */
void htp_tensor_order(const htp_runner_tensor *tensor, uint32_t *order);

/** A tensor without contents, with @p tensor's sizes and type and this order of dims in memory. */
htp_outcome htp_tensor_ordered(htp_machine *m, const htp_runner_tensor *tensor,
                               const uint32_t *order, const htp_runner_tensor **made);

/** @p tensor with another size of one dim, on the same memory: views stay views. */
htp_outcome htp_tensor_resized(htp_machine *m, const htp_runner_tensor *tensor, int64_t dim,
                               int64_t size, const htp_runner_tensor **made);

/** @p tensor, which is contiguous, with other sizes, on the same memory. */
htp_outcome htp_tensor_reshaped(htp_machine *m, const htp_runner_tensor *tensor,
                                const int64_t *dims, size_t rank, const htp_runner_tensor **made);

/** Runs the kernel in all lanes, in a mode that depends on the knowledge about its operands. */
htp_outcome htp_call_run_in_mode(htp_machine *m, htp_call *call, htp_mode *mode,
                                 htp_lanes *results);

#endif
