/*
 * An item: the abstract value of a value in the program, with a state in every lane.
 *
 * Its kind and the state of knowledge decide which fields are valid.
 */
/* clang-format off */
/*
 *   kind        known       fields
 *   PLAIN       CONSTANT    lane: None, a number, a text, a device; equal in all lanes, and in every run
 *               SIZED       lane: follows from the sizes of dynamic axes
 *               MADE_UP     lane: a data-dependent int, made up because it may become a size
 *               OPEN        lane[0]: data-dependent; a number of its type
 *   TENSOR      CONSTANT    lane: real tensors with equal contents, which are in `contents`
 *               SIZED       lane: real tensors; their contents follow from sizes
 *               MADE_UP     lane: real tensors; their contents follow from made-up numbers
 *               STORED      lane: without contents; `weight` is a constant of the code that is too large to
 *                           read
 *               OPEN        lane: without contents; sizes are fixed, or follow from dynamic axes
 *               OPEN_SIZES  the same; some size follows from made-up numbers
 *   LIST,       PARTS       elements; keys and values of a dict alternate. A list may also have `stacked`: a
 *   TUPLE,                  data-dependent number of elements after these
 *   DICT
 *   OBJECT      PARTS       object
 *   UNKNOWN     PARTS       its producer failed, and has the reason
 */
/* clang-format on */
/*
 * Marks go with kinds, too: is_unset PLAIN; is_literal, is_carried, is_stepped PLAIN, TENSOR (and
 * carried lists); is_sequence TENSOR; is_growing, is_merged, is_of_code, has_numbers LIST, DICT;
 * is_late, is_used all.
 *
 * Items are identified by address, like the program's values. Lists are shared by reference.
 */
#ifndef HTP_INTERPRET_VALUES_ITEM_H
#define HTP_INTERPRET_VALUES_ITEM_H

#include "interpret/values/item_kinds.h"

struct htp_item {
    htp_item_kind kind;
    htp_known known;
    uint32_t id; /* in the trace; a list that a node has read gets a new one when it changes */
    uint32_t creation_id; /* its first id */
    uint32_t producer;    /* node; HTP_NONE */
    uint32_t weight;      /* HTP_NONE */
    uint32_t object;      /* of the program; HTP_NONE */
    const char *name;

    bool is_unset : 1;    /* a value that the program never reads */
    bool is_literal : 1;  /* a constant of the code rather than an attribute */
    bool is_carried : 1;  /* it, or its size, comes from an earlier call of the same sizes */
    bool is_stepped : 1;  /* a number that may be equal for different sizes */
    bool is_sequence : 1; /* stands for any number of tensors of its sizes */
    bool has_numbers : 1; /* the stacked elements are numbers, not tensors */
    bool is_growing : 1;  /* a recorded loop appends to it; nothing else may change it */
    bool is_merged : 1;   /* it stands for several values, which a change of it would not reach */
    bool is_of_code : 1;  /* a list or dict of the code: the next call reads it, too */
    bool is_late : 1;     /* value of an attribute that was first read in a branch or loop */
    bool is_used : 1; /* an input of a recorded node, or an output of its blocks: the node refers to
                         the list in its current state */
    bool is_failed_view : 1;

    htp_operand lane[HTP_MAX_LANES];
    uint32_t absent;         /* bit L: an operator raised in lane L, where its value is made up */
    const htp_item *follows; /* of an is_stepped number: it is a multiple of this one plus a
                                constant; NULL: unknown */

    /* tensors */
    const char *contents; /* of a constant */
    size_t content_bytes;
    uint64_t varying;               /* of a sequence: bit D: dim D differs between its tensors */
    const htp_levels *levels;       /* of a quantised tensor: its elements are integers */
    const char *device;             /* NULL: that of inputs and weights */
    uint64_t epoch;                 /* number of changes of memory when it was made */
    const htp_item_view *view;      /* NULL: the tensor is all of its memory */
    const htp_elsewhere *elsewhere; /* NULL: one layout everywhere */
    htp_item *origin;               /* the first value of that memory; NULL for itself */
    htp_item *turns_into; /* the view that it has become by a change of its dims in place; NULL */
    /* of the first value of a memory (memory/memory.h) */
    bool may_repeat;  /* rows of it are elements of a list, several of which may be one tensor */
    htp_item *latest; /* contents of the memory; NULL: unchanged */
    uint64_t changed; /* epoch of that change */
    htp_item *seen;   /* of a view: its last re-read value */
    htp_ids sharers;  /* memories that may be this one, by their first values */
    htp_items turned; /* tensors of it whose dims were changed in place */
    uint64_t grouped; /* the last grouping of memories that visited it (memory/memory.c) */
    uint32_t group;   /* its group there */

    htp_items elements;
    htp_item *stacked; /* rows of a tensor, or a sequence; NULL */
};

#endif
