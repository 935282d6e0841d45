/*
 * What a value of the program is in every lane.
 *
 * An item is of a kind, and something is known of it:
 *
 *   kind      known            fields
 *   PLAIN     CONSTANT         lane: None, a number, a text, a device; alike in all lanes, and in
 *                              every run of the model
 *             SIZED            lane: follows from the sizes of dynamic axes
 *             MADE_UP          lane: an int that only the data tells, made up as it may become a
 * size OPEN             lane[0]: only the data tells; a number of its type TENSOR    CONSTANT lane:
 * real tensors with equal contents, which `contents` holds SIZED            lane: real tensors;
 * what they hold follows from sizes MADE_UP          lane: real tensors; it follows from numbers
 * that were made up STORED           lane: without contents; `weight` is a constant of the code
 * that is too large to be looked at OPEN             lane: without contents; sizes are fixed, or
 * follow from dynamic axes OPEN_SIZES       the same; some size follows from what was made up LIST,
 * TUPLE, DICT   PARTS  elements; of a dict keys and values in turn. Of a list also `stacked`:
 * behind the elements as many more as the data decides OBJECT    PARTS            object UNKNOWN
 * PARTS            what gives it failed: its producer says why
 *
 * Marks go with kinds, too: is_unset PLAIN; is_literal, is_carried, is_stepped PLAIN, TENSOR (and
 * carried lists); is_sequence TENSOR; is_growing, is_merged, is_of_code, has_numbers LIST, DICT;
 * is_late all; is_used all.
 *
 * Items are told apart by address, as the program's values are. Lists are shared by reference.
 */
#ifndef HTP_INTERPRET_ITEM_H
#define HTP_INTERPRET_ITEM_H

#include "base/vector.h"

#include <htp/runner.h>

typedef struct htp_item htp_item;
typedef HTP_VECTOR(htp_item *) htp_items;
typedef HTP_VECTOR(uint32_t) htp_ids;

typedef enum htp_item_kind {
    HTP_ITEM_PLAIN = 0,
    HTP_ITEM_TENSOR,
    HTP_ITEM_LIST,
    HTP_ITEM_TUPLE,
    HTP_ITEM_DICT,
    HTP_ITEM_OBJECT,
    HTP_ITEM_UNKNOWN,
} htp_item_kind;

typedef enum htp_known {
    HTP_KNOWN_PARTS = 0,
    HTP_KNOWN_CONSTANT,
    HTP_KNOWN_STORED,
    HTP_KNOWN_SIZED,
    HTP_KNOWN_MADE_UP,
    HTP_KNOWN_OPEN,
    HTP_KNOWN_OPEN_SIZES,
} htp_known;

/** How a tensor looks at another one's memory: as an output of an operator on it. */
typedef struct htp_look {
    htp_item *parent;
    const char *name; /* of the operator */
    const char *overload;
    htp_items inputs;
    size_t depth;   /* 1 for a look at a tensor that is no look itself */
    size_t input;   /* which of the inputs is the parent */
    size_t output;  /* which of the outputs is the tensor */
    size_t element; /* and which element of it, where that is a list; otherwise SIZE_MAX */
} htp_look;

/** What the levels of a quantised tensor stand for: constants, of all elements or each channel. */
typedef struct htp_levels {
    htp_item *scale;
    htp_item *zero_point;
    int32_t axis; /* of the channels; -1 */
} htp_levels;

struct htp_item {
    htp_item_kind kind;
    htp_known known;
    uint32_t id;       /* in the trace: another one once a list changes that a node was given */
    uint32_t birth;    /* the id that it was made with */
    uint32_t producer; /* node; HTP_SHIM_NONE */
    uint32_t weight;   /* HTP_SHIM_NONE */
    uint32_t object;   /* of the program; HTP_SHIM_NONE */
    const char *name;

    bool is_unset : 1;    /* a value that the program never reads */
    bool is_literal : 1;  /* a constant that the code holds, rather than an attribute */
    bool is_carried : 1;  /* an earlier call left it, or its size: this one has the same sizes */
    bool is_stepped : 1;  /* a number that may stay the same where sizes differ */
    bool is_sequence : 1; /* stands for any number of tensors, whose sizes it has */
    bool has_numbers : 1; /* the stacked elements are numbers, no tensors */
    bool is_growing : 1;  /* a recorded loop appends to it: nothing else may touch it */
    bool is_merged : 1;   /* it stands for several: changes of it would be lost on these */
    bool is_of_code : 1;  /* a list or dict of the code: the next call reads it, too */
    bool is_late : 1;     /* held by an attribute that was first read in a branch or loop */
    bool is_used : 1;     /* an input of a recorded node, which keeps the list as it is now, or
                             what one of its blocks gives */
    bool is_failed_view : 1;

    htp_operand lane[HTP_SHIM_MAX_LANES];

    /* tensors */
    const char *contents; /* of a constant */
    size_t content_bytes;
    uint64_t varying;         /* of a sequence: bit D: dim D differs between its tensors */
    const htp_levels *levels; /* of one of levels: its elements are whole numbers */
    uint64_t epoch;           /* changes of memory that had happened when it was made */
    const htp_look *look;     /* NULL: the tensor is all of its memory */
    htp_item *origin;         /* the first value of that memory; NULL for itself */
    /* of the first value of a memory (memory.h) */
    bool may_repeat;  /* rows of it are elements of a list, of which several may be one tensor */
    htp_item *latest; /* what the memory holds; NULL: it was not changed */
    uint64_t changed; /* when */
    htp_item *seen;   /* of a look: as it was last read anew */
    htp_ids sharers;  /* memories that may be this one, by their first values */
    uint64_t grouped; /* the last grouping of memories that met it (memory.c) */
    uint32_t group;   /* of that one */

    htp_items elements;
    htp_item *stacked; /* rows of a tensor, or a sequence; NULL */
};

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

/** Its lanes hold what was made up for what the data decides. */
static inline bool htp_is_data(const htp_item *item)
{
    return item->known == HTP_KNOWN_MADE_UP || item->known == HTP_KNOWN_OPEN_SIZES;
}

/** Of a plain item: its lanes hold its value, if only one that was made up. True of others. */
static inline bool htp_has_lanes(const htp_item *item)
{
    return item->kind != HTP_ITEM_PLAIN || item->known != HTP_KNOWN_OPEN;
}

/** A tensor whose lanes hold contents. */
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

/** The data does not decide a plain value, and no axis does: the program is known to go on so. */
static inline bool htp_is_decided(const htp_item *item)
{
    return item->kind == HTP_ITEM_PLAIN && item->known == HTP_KNOWN_CONSTANT;
}

/** Nothing of it depends on the data: constants, and tensors without elements. */
static inline bool htp_is_settled(const htp_item *item)
{
    return htp_is_constant(item) || (htp_is_real(item) && htp_tensor_in(item, 0)->elements == 0);
}

/** A property of items that are no lists and tuples. */
typedef bool (*htp_item_test)(const htp_item *item);

/** Whether an item has a property; of a list or tuple, whether all elements have it. */
bool htp_item_all(const htp_item *item, htp_item_test test);

/** Whether all of some have it. */
bool htp_items_all(const htp_items *items, htp_item_test test);

/** Whether an item is a tensor, or holds one. */
bool htp_item_has_tensors(const htp_item *item);

/** Whether one of them, or an element of it, depends on what the data decides. */
bool htp_items_have_data(const htp_items *items);

/** Whether two plain values are one in a lane: of the same kind, and equal. Floats as in C: NaN is
 * equal to nothing. */
bool htp_operand_is_equal(const htp_runner *runner, const htp_operand *a, const htp_operand *b);

/** Whether @p item is one of @p items. */
bool htp_items_have(const htp_items *items, const htp_item *item);

/** Whether they are the same items. */
bool htp_items_are_equal(const htp_items *a, const htp_items *b);

#endif
