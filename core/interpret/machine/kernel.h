/*
 * Single kernels: an operator runs without being recorded.
 */
#ifndef HTP_INTERPRET_MACHINE_KERNEL_H
#define HTP_INTERPRET_MACHINE_KERNEL_H

#include "interpret/machine/machine.h"

/** An operator by its name, as the number of its schema. HTP_UNSUPPORTED where this libtorch has
 * none. */
htp_outcome htp_schema_find(htp_machine *m, const char *name, const char *overload,
                            uint32_t *schema);

/** Whether an operator may be run on these operands: @p reason receives a line where not. */
bool htp_schema_may_run(htp_machine *m, uint32_t schema, htp_run_mode mode,
                        const htp_operand *inputs, size_t count, htp_error *reason);

/** Runs an operator on operands. HTP_FAILS where it raises, and where its operands are such that it
 * may not run. @param outputs  a copy, to be changed */
htp_outcome htp_schema_run(htp_machine *m, uint32_t schema, htp_run_mode mode,
                           const htp_operand *inputs, size_t count, htp_operand **outputs,
                           size_t *output_count);

/** The same by its name. */
htp_outcome htp_kernel_run(htp_machine *m, const char *name, const char *overload,
                           htp_run_mode mode, const htp_operand *inputs, size_t count,
                           const htp_operand **outputs, uint32_t *output_count);

/** A copy of operands that may be changed. Pointers are shared. */
htp_operand *htp_operands_copy(htp_machine *m, const htp_operand *operands, size_t count);

/** How a run or making ended, as an outcome; @p error has the message. */
htp_outcome htp_outcome_of_run(htp_machine *m, htp_run_code code, htp_error *error);

#endif
