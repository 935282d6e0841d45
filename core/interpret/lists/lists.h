/*
 * Lists of data-dependent length: the rows of one tensor (a stack), or a sequence if sizes of
 * tensors differ. The item of a list has the known elements, followed by `stacked`.
 */
#ifndef HTP_INTERPRET_LISTS_LISTS_H
#define HTP_INTERPRET_LISTS_LISTS_H

#include "interpret/lists/list_memory.h"
#include "interpret/lists/sequences.h"
#include "interpret/lists/stacks.h"
#include "interpret/steps/control.h"
#include "interpret/steps/handlers.h"

/* ---- elements that are known (known_lists.c) ---- */

/** The elements of a list; HTP_UNSUPPORTED if its length depends on data. */
htp_outcome htp_list_known(htp_machine *m, const htp_item *list, const htp_items **elements);

/** An index of a list, counted from the end if negative. */
htp_outcome htp_list_position(htp_machine *m, const htp_item *list, const htp_item *index,
                              const htp_place *place, size_t *position);

/* ---- lists of numbers (numbers.c) ---- */

/** aten::__contains__ of a list. */
htp_handler htp_list_contains;

/* ---- dicts (dict_keys.c) ---- */

/** A new list of the keys or values of a dict. */
enum { HTP_DICT_KEYS = 0, HTP_DICT_VALUES = 1 };
htp_item *htp_dict_list(htp_machine *m, const htp_item *dict, size_t which);

/** For a dict with numbers as keys: which of them equals @p key, as a tensor of bools. */
htp_outcome htp_dict_match(htp_machine *m, const htp_item *dict, htp_item *key,
                           const htp_place *place, htp_item **is_found);

/** The index of a key's value; the number of elements if there is no such key. */
htp_outcome htp_dict_find(htp_machine *m, const htp_item *dict, const htp_item *key, size_t *at);

/** The value of a key, which may be data-dependent. */
htp_outcome htp_dict_value(htp_machine *m, htp_item *dict, htp_item *key, const htp_place *place,
                           htp_item **value);
htp_outcome htp_dict_set(htp_machine *m, htp_item *dict, htp_item *key, htp_item *value);

/* ---- operators of grown lists (grown_lists.c) ---- */

/** Whether an operand is a list of data-dependent length. HTP_GROWS for one to which a recorded
 * loop appends: nothing else may touch it. */
htp_outcome htp_list_check(htp_machine *m, const char *kind, const htp_items *inputs,
                           const htp_place *place, bool *is_grown);

#endif
