/*
 * Whose memory lists hold, and what must be known of it.
 */
#ifndef HTP_INTERPRET_LISTS_LIST_MEMORY_H
#define HTP_INTERPRET_LISTS_LIST_MEMORY_H

#include "interpret/steps/control.h"

/** Why a list with unknown contents cannot be read. */
#define HTP_LIST_CHANGED                                                                           \
    "a tensor is changed in place that a list holds whose length depends on the data"

/** A list holds tensors, not copies of them: what changes the one in place changes the other. */
void htp_list_share_memory(htp_machine *m, htp_item *stack, const htp_items *parts);

/** Whether a tensor is for sure the row of a stack that has a number. */
bool htp_list_is_row(const htp_machine *m, const htp_item *element, const htp_item *stack,
                     const htp_item *index);

/** Several elements of a list that @p stack has as its rows may be one tensor: when that is changed
 * in place, nobody knows which rows are. */
void htp_list_note_repeats(htp_machine *m, const htp_item *stack);

/** Whether that was noted of its memory. */
bool htp_list_may_repeat(const htp_machine *m, const htp_item *stack);

/** What is joined or made of a list is a copy of what it holds, although it was recorded as a view:
 * a new output of a node gets a memory of its own, in which it lies densely. */
htp_outcome htp_list_separate(htp_machine *m, htp_item *copy);

/** What a list of unknown length holds must be known, as a stack or as one element. */
htp_outcome htp_list_require_told(htp_machine *m, const htp_item *held, const htp_place *place);

/** What is, or holds, a list that a loop around appends to has more elements than are known: that
 * list becomes a stack. @return HTP_GROWS then */
htp_outcome htp_list_require_whole(htp_machine *m, htp_item *value);

/** A list whose tensors may have been changed in place, nobody knows which, cannot be read. */
htp_outcome htp_list_require_unchanged(htp_machine *m, const htp_item *list,
                                       const htp_place *place);

#endif
