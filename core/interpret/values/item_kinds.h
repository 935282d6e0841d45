/*
 * Kinds of items, the states of knowledge, and further facts of tensors: views, other layouts,
 * quantisation levels.
 */
#ifndef HTP_INTERPRET_VALUES_ITEM_KINDS_H
#define HTP_INTERPRET_VALUES_ITEM_KINDS_H

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

/** A view: the tensor is an output of an operator on its parent, and shares its memory. */
typedef struct htp_item_view {
    htp_item *parent;
    const char *name; /* of the operator */
    const char *overload;
    htp_items inputs;
    size_t depth;   /* 1 for a view of a tensor that is no view itself */
    size_t input;   /* index of the parent among the inputs */
    size_t output;  /* index of the tensor among the outputs */
    size_t element; /* index in that output, if it is a list; otherwise SIZE_MAX */
} htp_item_view;

/** The layout of a tensor in another build of libtorch, with another backend, or for another of its
 * possible values. */
typedef struct htp_elsewhere {
    const char *reason; /* the cause of the difference */
    bool is_of_several; /* it stands for several values */
    bool is_anyhow;     /* other layouts than those of the lanes are possible, too */
    htp_operand lane[HTP_MAX_LANES];
} htp_elsewhere;

/** Scale and zero point of a quantised tensor: constants, for all elements or each channel. */
typedef struct htp_levels {
    htp_item *scale;
    htp_item *zero_point;
    int32_t axis; /* of the channels; -1 */
} htp_levels;

#endif
