/*
 * Memory of lists, and facts about it.
 */
#ifndef HTP_INTERPRET_LISTS_LIST_MEMORY_H
#define HTP_INTERPRET_LISTS_LIST_MEMORY_H

#include "interpret/steps/control.h"

/** Why a list with unknown contents cannot be read. */
#define HTP_LIST_CHANGED                                                                           \
    "a tensor is changed in place that a list holds whose length depends on the data"

/** A list holds its tensors, not copies: an in-place change of one is a change of the other. */
void htp_list_share_memory(htp_machine *m, htp_item *stack, const htp_items *parts);

/** Whether a tensor is for sure the row of a stack that has a number. */
bool htp_list_is_row(const htp_machine *m, const htp_item *element, const htp_item *stack,
                     const htp_item *index);

/** Several rows of @p stack may be one tensor: after an in-place change of it, the changed rows are
 * unknown. */
void htp_list_note_repeats(htp_machine *m, const htp_item *stack);

/** Whether that was noted of its memory. */
bool htp_list_may_repeat(const htp_machine *m, const htp_item *stack);

/** A tensor joined from a list is a copy, although it was recorded as a view: a new output of a
 * node gets its own dense memory. */
htp_outcome htp_list_separate(htp_machine *m, htp_item *copy);

/** The elements of a list of unknown length must be known, as a stack or as one element. */
htp_outcome htp_list_require_told(htp_machine *m, const htp_item *held, const htp_place *place);

/** A list to which an outer loop appends has more elements than those known: it becomes a stack.
 * @return HTP_GROWS then */
htp_outcome htp_list_require_whole(htp_machine *m, htp_item *value);

/** A list whose tensors may have changed in place cannot be read, since it is unknown which did. */
htp_outcome htp_list_require_unchanged(htp_machine *m, const htp_item *list,
                                       const htp_place *place);

#endif
