/*
 * Memory of lists of data-dependent length.
 */
#ifndef HTP_INTERPRET_LISTS_LIST_MEMORY_H
#define HTP_INTERPRET_LISTS_LIST_MEMORY_H

#include "interpret/steps/control.h"

/** Why a list with unknown contents cannot be read. */
#define HTP_LIST_CHANGED                                                                           \
    "a tensor is changed in place that a list holds whose length depends on the data"

/** Records that a list contains the tensors themselves, not copies: an in-place change of one
 * changes the other. */
void htp_list_share_memory(htp_machine *m, htp_item *stack, const htp_items *parts);

/** Whether a tensor is certainly the row of a stack at an index. */
bool htp_list_is_row(const htp_machine *m, const htp_item *element, const htp_item *stack,
                     const htp_item *index);

/** Records that several rows of @p stack may be one tensor: which rows an in-place change of it
 * changes is then unknown. */
void htp_list_note_repeats(htp_machine *m, const htp_item *stack);

/** Whether that was recorded for its memory. */
bool htp_list_may_repeat(const htp_machine *m, const htp_item *stack);

/** Gives a tensor joined from a list dense memory of its own: it is a copy, although it was
 * recorded as a view. */
htp_outcome htp_list_separate(htp_machine *m, htp_item *copy);

/** Refuses a list of unknown length unless its elements are known, as a stack or as one element. */
htp_outcome htp_list_require_told(htp_machine *m, const htp_item *held, const htp_place *place);

/** HTP_GROWS for a list to which an outer loop appends: it has more elements than the known ones,
 * and must become a stack. */
htp_outcome htp_list_require_whole(htp_machine *m, htp_item *value);

/** Refuses a list whose tensors may have changed in place, since it is unknown which did. */
htp_outcome htp_list_require_unchanged(htp_machine *m, const htp_item *list,
                                       const htp_place *place);

#endif
