/*
 * Tensors whose dims an operator changes in place: each is another view of its memory from then on.
 */
#ifndef HTP_INTERPRET_MEMORY_TURNS_H
#define HTP_INTERPRET_MEMORY_TURNS_H

#include "interpret/memory/memory.h"

/** An operator changes the dims of its first operand in place: that is @p view of its memory from
 * now on. */
htp_outcome htp_memory_turn(htp_machine *m, const htp_call *call, htp_item *view);

/** The tensor that a name means now, after in-place changes of dims; refuses other names of such a
 * tensor. */
htp_outcome htp_memory_turned(htp_machine *m, htp_item *item, const htp_place *place,
                              htp_item **now);

/** Whether a tensor is older than the block that is running. */
bool htp_memory_is_outside(const htp_machine *m, const htp_item *tensor);

#endif
