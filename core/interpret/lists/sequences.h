/*
 * Sequences: a data-dependent number of tensors of different sizes.
 */
#ifndef HTP_INTERPRET_LISTS_SEQUENCES_H
#define HTP_INTERPRET_LISTS_SEQUENCES_H

#include "interpret/steps/control.h"

/** A sequence of tensors like @p tensor, or like a row of it if @p is_stack. */
htp_outcome htp_sequence_like(htp_machine *m, const htp_item *tensor, bool is_stack,
                              htp_item **made);

/** The type of a tensor of a sequence. */
htp_outcome htp_sequence_element(htp_machine *m, const htp_item *sequence, htp_item **element);

/** A sequence with an element replaced or inserted. */
htp_outcome htp_sequence_put(htp_machine *m, const char *kind, htp_item *sequence, htp_item *index,
                             htp_item *element, const htp_place *place, htp_item **changed);

/** Widens the type of a sequence's tensors to include another tensor. */
htp_outcome htp_sequence_widen(htp_machine *m, htp_item *sequence, const htp_item *element,
                               const htp_place *place);

/** Records a list's operator. @param parts  values that @p made may share instead of copying */
void htp_sequence_record(htp_machine *m, const char *kind, const htp_items *inputs,
                         const char *const *names, htp_item *made, const htp_items *parts,
                         const htp_place *place);

/** All elements of a list as a sequence; @p like (or NULL) is an element for an empty one. */
htp_outcome htp_sequence_of(htp_machine *m, htp_item *list, const htp_place *place, htp_item *like,
                            htp_item **sequence);

/** A sequence with the elements of @p more appended. */
htp_outcome htp_sequence_extend(htp_machine *m, htp_item *sequence, htp_item *more,
                                const htp_place *place, htp_item **extended);

/** The tensor at an index. */
htp_outcome htp_sequence_item(htp_machine *m, htp_item *sequence, htp_item *index,
                              const htp_place *place, htp_item **element);

/** The method's result, with each list of data-dependent length as one value: tensors as a
 * sequence, numbers as a tensor. @p is_side if the other side of the branch may return another
 * length. */
htp_outcome htp_sequence_as_output(htp_machine *m, htp_item *value, const htp_place *place,
                                   bool is_side, htp_item **output);

#endif
