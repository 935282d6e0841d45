/*
 * Lists whose length the data decides: as the rows of one tensor (a stack), or as a sequence where
 * tensors have different sizes. An item of a list has the known elements, and behind them
 * `stacked`.
 */
#ifndef HTP_INTERPRET_LISTS_H
#define HTP_INTERPRET_LISTS_H

#include "interpret/control.h"

/* ---- what handlers share (handlers.c) ---- */

typedef struct htp_handler_row {
    const char *kind;
    htp_handler *handler;
} htp_handler_row;

/** The handler of a kind in a short table; NULL. */
htp_handler *htp_handler_find_in(const htp_handler_row *rows, size_t count, const char *kind);

/** HTP_FAILS where a node has fewer operands, or an item is no tensor. */
htp_outcome htp_handler_require(htp_machine *m, const htp_step *step, size_t count);
htp_outcome htp_handler_require_tensor(htp_machine *m, const htp_item *item);

/** Gives a handler's only output. */
htp_outcome htp_handler_give(htp_machine *m, htp_items *outputs, htp_item *item);

/** htp_execute() on HTP_ITEMS(). */
htp_outcome htp_handler_run(htp_machine *m, const char *name, const char *overload,
                            htp_items inputs, const htp_place *place, htp_item **output);

/* ---- elements that are known (known_lists.c) ---- */

/** The elements of a list; HTP_UNSUPPORTED where @p list is none. */
htp_outcome htp_list_known(htp_machine *m, const htp_item *list, const htp_items **elements);

/** An index of a list, from the end where it is negative. */
htp_outcome htp_list_position(htp_machine *m, const htp_item *list, const htp_item *index,
                              const htp_place *place, size_t *position);

/* ---- dicts (dicts.c) ---- */

/** The place of a key's value; the number of elements when there is no such key. */
htp_outcome htp_dict_find(htp_machine *m, const htp_item *dict, const htp_item *key, size_t *at);

/** What is found for a key, which only a run may know. */
htp_outcome htp_dict_value(htp_machine *m, htp_item *dict, htp_item *key, const htp_place *place,
                           htp_item **value);
htp_outcome htp_dict_set(htp_machine *m, htp_item *dict, htp_item *key, htp_item *value);

/* ---- stacks (stacks.c) ---- */

/** What a stack of a list's elements looks like, without rows; NULL where there is none. */
htp_outcome htp_stack_rows_of(htp_machine *m, const htp_contents *list, htp_item **rows);

/** The same of a list of one element. */
htp_outcome htp_stack_rows_of_element(htp_machine *m, htp_item *element, htp_item **rows);

/** An element as a row of a stack: with a first dim of one. */
htp_outcome htp_stack_row(htp_machine *m, htp_item *element, const htp_place *place,
                          htp_item **row);

/** A stack of what a list holds before a loop; @p rows tells what an empty one would hold, and
 * becomes a sequence where the list can only be one. @param known  items whose sizes are known */
htp_outcome htp_stack_begin(htp_machine *m, htp_item *list, htp_item **rows, const htp_items *known,
                            const htp_place *place, htp_item **stack);

/** zeros() of the given sizes, which are items. */
htp_outcome htp_stack_zeros(htp_machine *m, const htp_items *sizes, int32_t type,
                            const htp_place *place, htp_item **zeros);

/** Whether all tensors of some lists have the same sizes, as far as is known. */
htp_outcome htp_stack_is_alike(htp_machine *m, const htp_items *lists, bool *is_alike);

/** Whether an element is like all of a list, as far as is known. */
htp_outcome htp_stack_takes(htp_machine *m, htp_item *list, htp_item *element, bool *takes);

/** Stacks one behind the other. */
htp_outcome htp_stack_join(htp_machine *m, const htp_items *stacks, const htp_place *place,
                           htp_item **joined);

/** All elements of a list as the rows of one tensor, or as a sequence where their sizes differ. */
htp_outcome htp_stack_up(htp_machine *m, htp_item *list, const htp_place *place, htp_item **stack);

/** All elements of a list, which are alike, as rows; the same where nothing else will do. */
htp_outcome htp_stack_rows_in(htp_machine *m, htp_item *list, const htp_place *place,
                              htp_item **stack);
htp_outcome htp_stack_require_rows(htp_machine *m, htp_item *list, const htp_place *place,
                                   htp_item **stack);

/** Whether a number that only a run knows, an index or a key, tells an element. */
bool htp_stack_is_looked_up(const htp_item *container, const htp_item *index);

/** The element of a list at such an index. */
htp_outcome htp_stack_look_up(htp_machine *m, htp_item *list, htp_item *index,
                              const htp_place *place, htp_item **element);

/** The element of a stack or sequence @p stack that @p list is. */
htp_outcome htp_stack_element(htp_machine *m, const htp_item *list, htp_item *stack,
                              htp_item *index, const htp_place *place, htp_item **element);

/** A new list of the rows of @p stack, or of a sequence; a list that holds these from now on. */
htp_item *htp_list_grown(htp_machine *m, htp_item *stack, bool has_numbers);
htp_outcome htp_list_fill_grown(htp_machine *m, htp_item *list, htp_item *stack);

/** The rows of a list and those of another one behind them. */
htp_outcome htp_stack_add_rows(htp_machine *m, htp_item *list, htp_item *more,
                               const htp_place *place, htp_item **rows);
htp_outcome htp_stack_slice(htp_machine *m, htp_item *stack, htp_item *begin, htp_item *end,
                            htp_item *step, const htp_place *place, htp_item **rows);

/* ---- whose memory lists hold (list_memory.c) ---- */

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

/* ---- operators of grown lists (grown_lists.c) ---- */

/** Whether an operator is given a list whose length the data decides. HTP_GROWS for one that a
 * recorded loop appends to: nothing else may touch it. */
htp_outcome htp_list_check(htp_machine *m, const char *kind, const htp_items *inputs,
                           const htp_place *place, bool *is_grown);

/** The dim that cat() or stack() joins. */
htp_outcome htp_list_dim_to_join(htp_machine *m, const htp_item *dim, int64_t rank,
                                 const htp_place *place, int64_t *at);

/* ---- sequences (sequences.c) ---- */

/** A sequence of tensors like @p tensor: like a row of it where @p is_stack. */
htp_outcome htp_sequence_like(htp_machine *m, const htp_item *tensor, bool is_stack,
                              htp_item **made);

/** Makes the tensors of a sequence what they are with another one among them. */
htp_outcome htp_sequence_widen(htp_machine *m, htp_item *sequence, const htp_item *element,
                               const htp_place *place);

/** Records a list's operator. @param parts  what may be in @p made in place of a copy */
void htp_sequence_record(htp_machine *m, const char *kind, const htp_items *inputs,
                         const char *const *names, htp_item *made, const htp_items *parts,
                         const htp_place *place);

/** All elements of a list as a sequence; @p like (or NULL) tells what one without any would hold.
 */
htp_outcome htp_sequence_of(htp_machine *m, htp_item *list, const htp_place *place, htp_item *like,
                            htp_item **sequence);

/** A sequence with the elements of @p more behind its own. */
htp_outcome htp_sequence_extend(htp_machine *m, htp_item *sequence, htp_item *more,
                                const htp_place *place, htp_item **extended);

/** The tensor at an index. */
htp_outcome htp_sequence_item(htp_machine *m, htp_item *sequence, htp_item *index,
                              const htp_place *place, htp_item **element);

/** What the method returns, with lists whose length the data decides as one value each: tensors as
 * a sequence, numbers as a tensor. @p is_side where the branch's other side may give another
 * length. */
htp_outcome htp_sequence_as_output(htp_machine *m, htp_item *value, const htp_place *place,
                                   bool is_side, htp_item **output);

/* ---- handlers of grown lists that those of sequences share ---- */

htp_handler htp_do_grown_item, htp_do_grown_append, htp_do_grown_extend, htp_do_grown_add,
    htp_do_grown_copy, htp_do_grown_clear;
htp_handler htp_do_sequence_set_item, htp_do_sequence_insert, htp_do_sequence_pop;

/** The handler of a kind among those of stacks (grown_lists.c), and of sequences (sequences.c);
 * NULL. */
htp_handler *htp_grown_handler(const char *kind);
htp_handler *htp_sequence_handler(const char *kind);

#endif
