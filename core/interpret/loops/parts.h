/*
 * The parts of a loop that is being recorded.
 */
#ifndef HTP_INTERPRET_LOOPS_PARTS_H
#define HTP_INTERPRET_LOOPS_PARTS_H

#include "interpret/control/blocks.h"
#include "interpret/memory/losses.h"
#include "interpret/objects/attributes.h"

/** Something from outside that the body changes, and that is therefore carried. */
typedef enum htp_held_kind { HTP_HELD_ELEMENTS, HTP_HELD_STACK, HTP_HELD_ATTRIBUTE } htp_held_kind;

typedef struct htp_held {
    htp_held_kind kind;
    htp_item *list;                 /* or dict; NULL of an attribute */
    htp_item *rows;                 /* of a list that becomes a stack: the type of a row */
    htp_object_attribute attribute; /* of an object */
    htp_item *initial;
} htp_held;

/** A leaf is a tensor or number within the carried values. Slots are the leaves, followed by values
 * that earlier iterations appended to lists. */
#define HTP_ADDITIONS (UINT32_MAX / 2)

/** The state of a slot. */
typedef struct htp_slot {
    uint64_t moving;      /* of a leaf: bit D: the size of dim D changes */
    bool is_apart;        /* of a leaf: it is on another device in each iteration */
    const htp_item *lies; /* of a leaf: a value with another layout than the initial one that it
                             becomes; NULL */
    bool lies_anyhow;     /* of a leaf: it has more layouts than these */
    htp_item *unset;      /* of a leaf without an initial value: the value that it becomes; NULL */
    htp_ids aliases;      /* memories of outside that it may be, ascending */
    htp_ids twins;        /* slots that may be one memory with it, ascending */
    bool repeats;         /* of a leaf: an iteration may make one tensor several rows of it */
    htp_item *begun;      /* its placeholder in an iteration; or NULL */
    htp_item *ended;      /* and when the loop has ended; NULL */
} htp_slot;

typedef HTP_VECTOR(htp_slot) htp_slots;

/** A value that the program carries. */
typedef struct htp_carried {
    htp_item *initial;
    bool is_moved;           /* a list or dict that is replaced */
    bool is_replaced;        /* a tensor that is another one, then */
    bool is_same;            /* one that is changed in place only */
    htp_item *grown;         /* rows of a list that becomes a stack; NULL */
    htp_item *grown_initial; /* and its initial value; or NULL */
} htp_carried;

/** A size by lane; 0 in lanes that there are not. */
typedef struct htp_lane_sizes {
    int64_t in[HTP_MAX_LANES];
} htp_lane_sizes;

/** One run of the body. */
typedef struct htp_loop_run {
    bool is_stable;
    htp_items leaves;
    htp_items inputs;  /* placeholders of leaves */
    htp_items results; /* leaves at the end of the body */
    htp_items carried;
    htp_items held;
    htp_items held_results;
    htp_items memory_inputs;
    htp_items memory_results;
    htp_items additions; /* by list; NULL: nothing was appended */
    htp_item *iteration;
    htp_item *go_on;
    uint32_t block;
} htp_loop_run;

typedef struct htp_loop {
    const htp_step *step; /* of the node */
    htp_program_block body;
    htp_place place;
    int64_t done;      /* iterations that were unrolled */
    size_t first_size; /* sizes that the data decides before the loop */
    size_t first_item; /* values before it */
    HTP_VECTOR(htp_carried) carried;
    HTP_VECTOR(htp_held) held;
    htp_slots leaf_slots;
    htp_slots addition_slots;
    htp_ids memories; /* that the body changes, by first value */
    htp_losses lost;  /* and those of unknown contents */
    htp_items lists;  /* that it appends to */
    htp_items rows;   /* and the type of a stack of it */
    htp_map sizes;    /* of tensors of outside, once has_sizes */
    HTP_VECTOR(const htp_lane_sizes *) size_list;
    bool has_sizes;
    htp_items stale;  /* lists that the last run has found to be */
    htp_loop_run run; /* the last one */
} htp_loop;

#endif
