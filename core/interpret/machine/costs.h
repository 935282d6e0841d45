/*
 * What an interpretation costs, and its limits (base/limits).
 */
#ifndef HTP_INTERPRET_MACHINE_COSTS_H
#define HTP_INTERPRET_MACHINE_COSTS_H

#include "interpret/machine/machine.h"

/** Counts a step. HTP_BREAKS if the caller stops it; HTP_UNSUPPORTED after too many. */
htp_outcome htp_machine_tick(htp_machine *m);

/** Checks how deep calls and blocks are in each other, before a further block. HTP_UNSUPPORTED
 * beyond the limit of calls, beyond 200 branches and loops more, and where the stack ends. */
htp_outcome htp_machine_check_depth(htp_machine *m);

/** Counts reading or copying @p count elements of lists as steps, so that a program that does
 * little else comes to an end. */
static inline void htp_machine_charge(htp_machine *m, size_t count)
{
    enum { HTP_ELEMENTS_OF_A_STEP = 8 };
    m->control.steps += count / HTP_ELEMENTS_OF_A_STEP;
}

/** Counts what an operator made: elements of lists as steps, and contents of tensors.
 * HTP_UNSUPPORTED after too many. */
htp_outcome htp_machine_charge_made(htp_machine *m, const char *kind, const htp_items *made,
                                    const htp_place *place);

/** HTP_UNSUPPORTED for a list, tuple or dict of too many elements. */
htp_outcome htp_machine_check_elements(htp_machine *m, const htp_item *container,
                                       const htp_place *place);

/** Refuses what exceeds a limit. @param format  what happens: "aten::split makes 1000000000 parts"
 */
htp_outcome htp_machine_exceed(htp_machine *m, htp_limit limit, const htp_place *place,
                               const char *format, ...) __attribute__((format(printf, 4, 5)));

#endif
