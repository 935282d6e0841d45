/*
 * Queries about one item.
 */
#ifndef HTP_INTERPRET_VALUES_ITEM_TESTS_H
#define HTP_INTERPRET_VALUES_ITEM_TESTS_H

#include "interpret/values/item.h"

static inline bool htp_is_tensor(const htp_item *item)
{
    return item->kind == HTP_ITEM_TENSOR;
}

static inline bool htp_is_container(const htp_item *item)
{
    return item->kind == HTP_ITEM_LIST || item->kind == HTP_ITEM_TUPLE ||
           item->kind == HTP_ITEM_DICT;
}

/** Follows from constants and fixed dims alone. */
static inline bool htp_is_constant(const htp_item *item)
{
    return item->known == HTP_KNOWN_CONSTANT || item->known == HTP_KNOWN_STORED;
}

/** Its lanes have made-up values of something data-dependent. */
static inline bool htp_is_data(const htp_item *item)
{
    return item->known == HTP_KNOWN_MADE_UP || item->known == HTP_KNOWN_OPEN_SIZES;
}

/** A plain item's lanes have its value, perhaps a made-up one. True for other items. */
static inline bool htp_has_lanes(const htp_item *item)
{
    return item->kind != HTP_ITEM_PLAIN || item->known != HTP_KNOWN_OPEN;
}

/** A tensor whose lanes have contents. */
static inline bool htp_is_real(const htp_item *item)
{
    return htp_is_tensor(item) &&
           (item->known == HTP_KNOWN_CONSTANT || item->known == HTP_KNOWN_SIZED ||
            item->known == HTP_KNOWN_MADE_UP);
}

static inline const htp_runner_tensor *htp_tensor_in(const htp_item *item, size_t lane)
{
    return item->lane[lane].as.tensor;
}

static inline bool htp_is_none(const htp_item *item)
{
    return item->kind == HTP_ITEM_PLAIN && item->lane[0].kind == HTP_OPERAND_NONE;
}

static inline bool htp_is_int(const htp_item *item)
{
    return item->kind == HTP_ITEM_PLAIN && item->lane[0].kind == HTP_OPERAND_INT;
}

static inline bool htp_is_bool(const htp_item *item)
{
    return item->kind == HTP_ITEM_PLAIN && item->lane[0].kind == HTP_OPERAND_BOOL;
}

static inline bool htp_is_float(const htp_item *item)
{
    return item->kind == HTP_ITEM_PLAIN && item->lane[0].kind == HTP_OPERAND_FLOAT;
}

static inline bool htp_is_number(const htp_item *item)
{
    return htp_is_int(item) || htp_is_bool(item) || htp_is_float(item);
}

/** A plain value that depends neither on data nor on axes: the program's path is known. */
static inline bool htp_is_decided(const htp_item *item)
{
    return item->kind == HTP_ITEM_PLAIN && item->known == HTP_KNOWN_CONSTANT;
}

/** Nothing in it depends on data: constants, and tensors without elements. */
static inline bool htp_is_settled(const htp_item *item)
{
    return htp_is_constant(item) || (htp_is_real(item) && htp_tensor_in(item, 0)->elements == 0);
}

#endif
