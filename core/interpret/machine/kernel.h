/*
 * Runs single operators without recording them.
 */
#ifndef HTP_INTERPRET_MACHINE_KERNEL_H
#define HTP_INTERPRET_MACHINE_KERNEL_H

#include "interpret/machine/machine.h"

/** Finds the schema of an operator by name. HTP_UNSUPPORTED if this libtorch has none. */
htp_outcome htp_schema_find(htp_machine *m, const char *name, const char *overload,
                            uint32_t *schema);

/** Whether an operator may run on these operands; otherwise @p reason receives a line. */
bool htp_schema_may_run(htp_machine *m, uint32_t schema, htp_run_mode mode,
                        const htp_operand *inputs, size_t count, htp_error *reason);

/** Runs an operator on operands. HTP_FAILS if it raises, or may not run on these operands. @param
 * outputs  receives a modifiable copy */
htp_outcome htp_schema_run(htp_machine *m, uint32_t schema, htp_run_mode mode,
                           const htp_operand *inputs, size_t count, htp_operand **outputs,
                           size_t *output_count);

/** The same, by name. */
htp_outcome htp_kernel_run(htp_machine *m, const char *name, const char *overload,
                           htp_run_mode mode, const htp_operand *inputs, size_t count,
                           const htp_operand **outputs, uint32_t *output_count);

/** A modifiable copy of operands. Pointers are shared. */
htp_operand *htp_operands_copy(htp_machine *m, const htp_operand *operands, size_t count);

/** The outcome for a runner's result code; @p error has the message. */
htp_outcome htp_outcome_of_run(htp_machine *m, htp_run_code code, htp_error *error);

#endif
