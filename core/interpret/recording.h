/*
 * What an interpretation has recorded so far: items, nodes, blocks, scopes.
 */
#ifndef HTP_INTERPRET_RECORDING_H
#define HTP_INTERPRET_RECORDING_H

#include "interpret/machine.h"

/** Tensors of up to this many elements that follow from sizes and constants alone are computed for
 * real; larger ones have no known contents. */
#define HTP_REAL_ELEMENTS ((int64_t)64 * 1024)

/* ---- items (items.c) ---- */

/** A new item; of PLAIN, TENSOR known SIZED and OPEN, of others PARTS. Its lanes are to be filled.
 */
htp_item *htp_item_make(htp_machine *m, htp_item_kind kind);

/** A plain item that is the same in all lanes, and constant; HTP_KNOWN_OPEN, _SIZED are to be set
 * by who wants these. */
htp_item *htp_item_plain(htp_machine *m, htp_operand value);
htp_item *htp_item_none(htp_machine *m);
htp_item *htp_item_int(htp_machine *m, int64_t number);
htp_item *htp_item_float(htp_machine *m, double number);
htp_item *htp_item_bool(htp_machine *m, bool flag);
/** @param text  is copied */
htp_item *htp_item_text(htp_machine *m, const char *text, size_t bytes);

/** A list, tuple or dict of a copy of @p elements. */
htp_item *htp_item_hold(htp_machine *m, htp_item_kind kind, const htp_items *elements);

/** A tensor of the given sizes in a lane, dense and without contents. */
htp_outcome htp_tensor_empty(htp_machine *m, int32_t type, const int64_t *dims, size_t rank,
                             const htp_runner_tensor **tensor);

/** A tensor by htp_runner.make. @return HTP_FAILS with the runner's message, HTP_BREAKS */
htp_outcome htp_tensor_make(htp_machine *m, const htp_making *making,
                            const htp_runner_tensor **tensor);

/** How a run or making ended, as an outcome; @p error has the message. */
htp_outcome htp_outcome_of_run(htp_machine *m, htp_run_code code, htp_shim_error *error);

/** Makes an item that has no elements in any lane real: there is nothing in it to be unknown. */
htp_outcome htp_item_settle_empty(htp_machine *m, htp_item *item);

/** Takes down the contents of a real tensor that is equal in all lanes, which makes it CONSTANT;
 * otherwise it is SIZED. */
htp_outcome htp_item_note_contents(htp_machine *m, htp_item *item);

/** The one number of a real tensor of one element, as at::Tensor::item(). @return false of complex
 * ones, and those that cannot be read */
bool htp_tensor_number(htp_machine *m, const htp_runner_tensor *tensor, htp_operand *number);

/** Elements that are not 0, and what all add up to (of whole numbers and bool). */
bool htp_tensor_count(htp_machine *m, const htp_runner_tensor *tensor, int64_t *count);
bool htp_tensor_total(htp_machine *m, const htp_runner_tensor *tensor, int64_t *total);

/** Whether an item is a tensor in every lane: one whose making failed is none. */
bool htp_item_is_made(const htp_machine *m, const htp_item *item);

/** Whether a dim of a tensor has one size in every lane. */
bool htp_item_is_fixed(const htp_machine *m, const htp_item *tensor, int64_t dim);

/** Whether two tensors have the same sizes. */
bool htp_tensor_has_same_dims(const htp_runner_tensor *a, const htp_runner_tensor *b);

/** Whether dims of two tensors have one size in each lane. */
bool htp_item_has_same_size(const htp_machine *m, const htp_item *a, int64_t dim_a,
                            const htp_item *b, int64_t dim_b);

/** A dim that may count from the end; -1 where there is none such. */
int64_t htp_dim_wrap(int64_t dim, int64_t rank);

/* ---- constants (constants.c) ---- */

/** An item for data of the program: lists, tuples and dicts become items of items, tensors
 * constants. */
htp_outcome htp_constant_of(htp_machine *m, uint32_t number, htp_item **item);

/** An item for a tensor that is the same in all lanes, with contents. */
htp_outcome htp_constant_tensor(htp_machine *m, const htp_runner_tensor *tensor, bool is_readable,
                                htp_item **item);

/** The same of numbers: a list of ints. */
htp_item *htp_constant_ints(htp_machine *m, const int64_t *numbers, size_t count);

/** A weight, without contents (or real where it is a buffer of one element). */
htp_outcome htp_constant_weight(htp_machine *m, uint32_t number, htp_item **item);

/** Whether memory is a constant's of the code, or held by more than an attribute: what a call
 * changes there, the next call reads. */
bool htp_storage_is_kept(const htp_machine *m, uint64_t storage);

/** Notes that a tensor's memory is such a one, or that an attribute alone holds a value. */
void htp_storage_keep(htp_machine *m, const htp_item *item);
void htp_storage_let_change(htp_machine *m, htp_item *item);

/* ---- the recording (recording.c) ---- */

/** A size that the data decides, made up in every lane. @return HTP_NEEDS_LANES in a single one */
htp_outcome htp_recording_new_size(htp_machine *m, const char *name, htp_trace_size *size);

/** Makes a plain item an int that only the data can tell, as it may become a size. */
htp_outcome htp_item_make_up(htp_machine *m, htp_item *item, const char *name);
void htp_item_take_size(htp_machine *m, htp_item *item, const htp_trace_size *size);

/** Called before a list changes: nodes that were given it keep what it held. */
htp_outcome htp_list_begin_change(htp_machine *m, htp_item *list);

/** Gives a list back what it held, without another word. */
void htp_list_restore(htp_machine *m, htp_item *list, const htp_contents *contents);

/** Gives a list other contents: a copy of these. */
htp_outcome htp_list_fill(htp_machine *m, htp_item *list, const htp_contents *contents);

/** What a list holds now: a copy. */
htp_contents htp_contents_of(htp_machine *m, const htp_item *list);

/** Records a node, whose inputs are used from now on and whose outputs it gives. Place, block and
 * blocks are set by the caller; arrays are copied, an empty failure is none. @return its number */
uint32_t htp_recording_add(htp_machine *m, const htp_recorded_node *node);

/** Records a node of control flow, or of a list: in the present block. */
uint32_t htp_recording_add_control(htp_machine *m, const char *kind, const htp_items *inputs,
                                   const char *const *names, const htp_items *outputs,
                                   const uint32_t *blocks, uint32_t block_count,
                                   const htp_place *place);

/** Forgets what was recorded since. */
htp_mark htp_recording_mark(const htp_machine *m);
void htp_recording_discard(htp_machine *m, const htp_mark *mark);

/** "in encoder.layer.0 (model.py:12)". */
const char *htp_place_describe(htp_machine *m, const htp_place *place);

/** Notes what the latest scope was given (passed.c). @param arguments  with self */
void htp_passed_note(htp_machine *m, uint32_t schema, const htp_items *arguments);

/** What is unknown in an item: itself, or the first such element; NULL (causes.c). */
const htp_item *htp_item_find_unknown(const htp_item *item);

/** The node that failed first on the way to an unknown item; NULL without one. */
const htp_recorded_node *htp_recording_find_cause(const htp_machine *m, const htp_item *unknown);

#endif
