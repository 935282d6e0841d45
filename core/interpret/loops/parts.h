/*
 * The state of a loop that is being recorded.
 */
#ifndef HTP_INTERPRET_LOOPS_PARTS_H
#define HTP_INTERPRET_LOOPS_PARTS_H

#include "interpret/control/blocks.h"
#include "interpret/memory/losses.h"
#include "interpret/objects/attributes.h"

/** Outer state that the body changes, and that is therefore carried. */
typedef enum htp_held_kind { HTP_HELD_ELEMENTS, HTP_HELD_STACK, HTP_HELD_ATTRIBUTE } htp_held_kind;

typedef struct htp_held {
    htp_held_kind kind;
    htp_item *list;                 /* or dict; NULL for an attribute */
    htp_item *rows;                 /* of a list that becomes a stack: the type of a row */
    htp_object_attribute attribute; /* of an object */
    htp_item *initial;
} htp_held;

/** A leaf is a tensor or number within the carried values. Slots are the leaves, followed by values
 * that earlier iterations appended to lists. */
#define HTP_ADDITIONS (UINT32_MAX / 2)

/** The state of a slot. */
typedef struct htp_slot {
    uint64_t moving; /* of a leaf: bit D: the size of dim D differs between iterations */
    bool is_apart;   /* of a leaf: its device differs between iterations */
    const htp_item
        *lies; /* of a leaf: a later value whose layout differs from the initial one's; NULL */
    bool lies_anyhow; /* of a leaf: further layouts are possible */
    htp_item *unset;  /* of a leaf without an initial value: its later value; NULL */
    htp_ids aliases;  /* outer memories that it may be, ascending */
    htp_ids twins;    /* slots that may share its memory, ascending */
    bool repeats;     /* of a leaf: an iteration may make one tensor several rows of it */
    htp_item *begun;  /* its placeholder in an iteration; or NULL */
    htp_item *ended;  /* its value after the loop; NULL */
} htp_slot;

typedef HTP_VECTOR(htp_slot) htp_slots;

/** A value that the program carries. */
typedef struct htp_carried {
    htp_item *initial;
    bool is_moved;           /* a list or dict that is replaced */
    bool is_replaced;        /* a tensor that another one replaces */
    bool is_same;            /* a tensor that is only changed in place */
    htp_item *grown;         /* rows of a list that becomes a stack; NULL */
    htp_item *grown_initial; /* the initial value of `grown`; or NULL */
} htp_carried;

/** A size by lane; 0 in unused lanes. */
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
    const htp_step *step; /* the loop's node */
    htp_program_block body;
    htp_place place;
    int64_t done;      /* unrolled iterations */
    size_t first_size; /* data-dependent sizes before the loop */
    size_t first_item; /* values before it */
    HTP_VECTOR(htp_carried) carried;
    HTP_VECTOR(htp_held) held;
    htp_slots leaf_slots;
    htp_slots addition_slots;
    htp_ids memories; /* memories that the body changes, by first value */
    htp_losses lost;  /* memories with unknown contents */
    htp_items lists;  /* lists to which it appends */
    htp_items rows;   /* types of the lists' stacks */
    htp_map sizes;    /* sizes of outer tensors, if has_sizes */
    HTP_VECTOR(const htp_lane_sizes *) size_list;
    bool has_sizes;
    htp_items stale;  /* lists that the last run found stale */
    htp_loop_run run; /* the last one */
} htp_loop;

#endif
