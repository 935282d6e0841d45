/*
 * Tensors whose dims an operator changes in place: from then on each is another view of its memory.
 */
#ifndef HTP_INTERPRET_MEMORY_TURNS_H
#define HTP_INTERPRET_MEMORY_TURNS_H

#include "interpret/memory/memory.h"

/** Records that an operator changed the dims of its first operand in place: from now on that is @p
 * view. */
htp_outcome htp_memory_turn(htp_machine *m, const htp_call *call, htp_item *view);

/** The tensor to which an item refers after in-place changes of dims; refuses other names of such a
 * tensor. */
htp_outcome htp_memory_turned(htp_machine *m, htp_item *item, const htp_place *place,
                              htp_item **now);

/** Whether a tensor is older than the running block. */
bool htp_memory_is_outside(const htp_machine *m, const htp_item *tensor);

#endif
