/*
 * Stacks: the rows of one tensor as the elements of a list.
 */
#ifndef HTP_INTERPRET_LISTS_STACKS_H
#define HTP_INTERPRET_LISTS_STACKS_H

#include "interpret/steps/control.h"

/** The type of a stack of a list's elements, without rows; NULL if they cannot be stacked. */
htp_outcome htp_stack_rows_of(htp_machine *m, const htp_contents *list, htp_item **rows);

/** The same for a list of one element. */
htp_outcome htp_stack_rows_of_element(htp_machine *m, htp_item *element, htp_item **rows);

/** An element as a row of a stack, with a first dim of 1. */
htp_outcome htp_stack_row(htp_machine *m, htp_item *element, const htp_place *place,
                          htp_item **row);

/** A stack of a list's contents before a loop; @p rows is the type of an empty one, and becomes a
 * sequence if the list must be one. @param known  items of known sizes */
htp_outcome htp_stack_begin(htp_machine *m, htp_item *list, htp_item **rows, const htp_items *known,
                            const htp_place *place, htp_item **stack);

/** zeros() of the given sizes, with the dtype and device of @p model. */
htp_outcome htp_stack_zeros(htp_machine *m, const htp_items *sizes, const htp_item *model,
                            const htp_place *place, htp_item **zeros);

/** Whether all tensors of some lists have the same sizes, as far as known. */
htp_outcome htp_stack_is_alike(htp_machine *m, const htp_items *lists, bool *is_alike);

/** Whether an element has the sizes of all elements of a list, as far as known. */
htp_outcome htp_stack_takes(htp_machine *m, htp_item *list, htp_item *element, bool *takes);

/** Concatenates stacks. */
htp_outcome htp_stack_join(htp_machine *m, const htp_items *stacks, const htp_place *place,
                           htp_item **joined);

/** All elements of a list as the rows of one tensor, or as a sequence if their sizes differ. */
htp_outcome htp_stack_up(htp_machine *m, htp_item *list, const htp_place *place, htp_item **stack);

/** All elements of a list as rows, if their types are equal; the second function fails
 * otherwise. */
htp_outcome htp_stack_rows_in(htp_machine *m, htp_item *list, const htp_place *place,
                              htp_item **stack);
htp_outcome htp_stack_require_rows(htp_machine *m, htp_item *list, const htp_place *place,
                                   htp_item **stack);

/** Whether an index or key is known only at run time. */
bool htp_stack_is_looked_up(const htp_item *container, const htp_item *index);

/** The element of a list at such an index. */
htp_outcome htp_stack_look_up(htp_machine *m, htp_item *list, htp_item *index,
                              const htp_place *place, htp_item **element);

/** The element at an index of @p list, given as a stack or sequence. */
htp_outcome htp_stack_element(htp_machine *m, const htp_item *list, htp_item *stack,
                              htp_item *index, const htp_place *place, htp_item **element);

/** A new list of the rows of @p stack, or of a sequence; or an existing list filled with these. */
htp_item *htp_list_grown(htp_machine *m, htp_item *stack, bool has_numbers);
htp_outcome htp_list_fill_grown(htp_machine *m, htp_item *list, htp_item *stack);

/** The rows of a list followed by those of another one. */
htp_outcome htp_stack_add_rows(htp_machine *m, htp_item *list, htp_item *more,
                               const htp_place *place, htp_item **rows);
htp_outcome htp_stack_slice(htp_machine *m, htp_item *stack, htp_item *begin, htp_item *end,
                            htp_item *step, const htp_place *place, htp_item **rows);

/** The dim that cat() or stack() joins. */
htp_outcome htp_list_dim_to_join(htp_machine *m, const htp_item *dim, int64_t rank,
                                 const htp_place *place, int64_t *at);

#endif
