/*
 * Makes items, and reads their tensors.
 */
#ifndef HTP_INTERPRET_RECORDING_ITEMS_H
#define HTP_INTERPRET_RECORDING_ITEMS_H

#include "interpret/machine/machine.h"

/** Tensors of up to this many elements that depend on sizes and constants alone are computed for
 * real; larger ones have unknown contents. */
#define HTP_REAL_ELEMENTS ((int64_t)64 * 1024)

/* ---- items (items.c) ---- */

/** A new item: PLAIN is SIZED, TENSOR is OPEN, others are PARTS. The caller fills its lanes. */
htp_item *htp_item_make(htp_machine *m, htp_item_kind kind);

/** A plain item that is constant and equal in all lanes; callers set HTP_KNOWN_OPEN, _SIZED
 * themselves. */
htp_item *htp_item_plain(htp_machine *m, htp_operand value);
htp_item *htp_item_none(htp_machine *m);
htp_item *htp_item_int(htp_machine *m, int64_t number);
htp_item *htp_item_float(htp_machine *m, double number);
htp_item *htp_item_bool(htp_machine *m, bool flag);
/** @param text  is copied */
htp_item *htp_item_text(htp_machine *m, const char *text, size_t bytes);

/** A list, tuple or dict of a copy of @p elements. */
htp_item *htp_item_hold(htp_machine *m, htp_item_kind kind, const htp_items *elements);

/** A snapshot of an item: mutable containers are copied with their contents. */
htp_item *htp_item_as_given(htp_machine *m, htp_item *item);

/** A tensor of the given sizes in a lane, dense and without contents. */
htp_outcome htp_tensor_empty(htp_machine *m, int32_t type, const int64_t *dims, size_t rank,
                             const htp_runner_tensor **tensor);

/** A tensor by htp_runner.make. @return HTP_FAILS with the runner's message, HTP_BREAKS */
htp_outcome htp_tensor_make(htp_machine *m, const htp_making *making,
                            const htp_runner_tensor **tensor);

/** Makes an item without elements in all lanes real, since it has no unknown contents. */
htp_outcome htp_item_settle_empty(htp_machine *m, htp_item *item);

/** Stores the contents of a real tensor that is equal in all lanes, which makes it CONSTANT; others
 * become SIZED. */
htp_outcome htp_item_note_contents(htp_machine *m, htp_item *item);

/** The number in a real 1-element tensor, as at::Tensor::item(). @return false for complex and
 * unreadable ones */
bool htp_tensor_number(htp_machine *m, const htp_runner_tensor *tensor, htp_operand *number);

/** The number of nonzero elements, and the sum of all, for integers and bool. @return false for
 * other tensors */
bool htp_tensor_count(htp_machine *m, const htp_runner_tensor *tensor, int64_t *count);
bool htp_tensor_total(htp_machine *m, const htp_runner_tensor *tensor, int64_t *total);

/** Whether an item is a tensor in every lane. Results of failed operators are not. */
bool htp_item_is_made(const htp_machine *m, const htp_item *item);

/** Whether a dim of a tensor has one size in every lane. */
bool htp_item_is_fixed(const htp_machine *m, const htp_item *tensor, int64_t dim);

/** Whether two tensors have the same sizes. */
bool htp_tensor_has_same_dims(const htp_runner_tensor *a, const htp_runner_tensor *b);

/** Whether they also have one type, and equal layouts from the first element on. */
bool htp_tensor_has_same_layout(const htp_runner_tensor *a, const htp_runner_tensor *b);

/** Whether dims of two tensors have one size in each lane. Lanes in which one of them is made up
 * count only if the size is the same in those that always run. */
bool htp_item_has_same_size(const htp_machine *m, const htp_item *a, int64_t dim_a,
                            const htp_item *b, int64_t dim_b);

/** A dim that may be negative; -1 if it is out of range. */
int64_t htp_dim_wrap(int64_t dim, int64_t rank);

#endif
