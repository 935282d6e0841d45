/*
 * Makes items of values known before anything runs: constants of the code, attributes, weights.
 */
#ifndef HTP_INTERPRET_RECORDING_CONSTANTS_H
#define HTP_INTERPRET_RECORDING_CONSTANTS_H

#include "interpret/machine/machine.h"

/** An item for data of the program: lists, tuples and dicts become items of items, tensors
 * constants. */
htp_outcome htp_constant_of(htp_machine *m, uint32_t number, htp_item **item);

/** An item for a tensor that is the same in all lanes, with contents. */
htp_outcome htp_constant_tensor(htp_machine *m, const htp_runner_tensor *tensor, bool is_readable,
                                htp_item **item);

/** A constant list of ints. */
htp_item *htp_constant_ints(htp_machine *m, const int64_t *numbers, size_t count);

/** An item for a weight, without contents (real for a buffer of one element). */
htp_outcome htp_constant_weight(htp_machine *m, uint32_t number, htp_item **item);

/** Whether memory belongs to a constant of the code, or to several attributes: the next call would
 * see changes. */
bool htp_storage_is_kept(const htp_machine *m, uint64_t storage);

/** Marks a tensor's memory as such; or a value as belonging to one attribute only. */
void htp_storage_keep(htp_machine *m, const htp_item *item);
void htp_storage_let_change(htp_machine *m, htp_item *item);

#endif
