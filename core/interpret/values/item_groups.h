/*
 * Queries about items with their elements, and about several items.
 */
#ifndef HTP_INTERPRET_VALUES_ITEM_GROUPS_H
#define HTP_INTERPRET_VALUES_ITEM_GROUPS_H

#include "interpret/values/item.h"

/** A property of items other than lists and tuples. */
typedef bool (*htp_item_test)(const htp_item *item);

/** Whether an item has a property; of a list or tuple, whether all elements have it. */
bool htp_item_all(const htp_item *item, htp_item_test test);

/** Whether all of several items have a property. */
bool htp_items_all(const htp_items *items, htp_item_test test);

/** Whether an item is a tensor, or contains one. */
bool htp_item_has_tensors(const htp_item *item);

/** Whether one of them, or an element of it, depends on data. */
bool htp_items_have_data(const htp_items *items);

/** Whether two plain values are of the same kind and equal in a lane. Floats compare as in C: NaN
 * equals nothing. */
bool htp_operand_is_equal(const htp_runner *runner, const htp_operand *a, const htp_operand *b);

/** Whether @p item is one of @p items. */
bool htp_items_have(const htp_items *items, const htp_item *item);

/** Whether they are the same items. */
bool htp_items_are_equal(const htp_items *a, const htp_items *b);

#endif
