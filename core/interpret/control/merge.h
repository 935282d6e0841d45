/*
 * Merges the states that the sides of a branch leave.
 */
#ifndef HTP_INTERPRET_CONTROL_MERGE_H
#define HTP_INTERPRET_CONTROL_MERGE_H

#include "interpret/control/blocks.h"

/** The outputs of a branch under construction. */
typedef struct htp_merge {
    const htp_block *then;
    const htp_block *otherwise;
    size_t first_local;    /* items from here on are dead when it ends, unless they are reachable */
    htp_map reached;       /* creation ids of reachable items */
    bool has_objects;      /* among these, whose attributes may be anything */
    htp_memories memories; /* merged contents of changed memories */
    htp_ids then_ids;
    htp_ids else_ids;
    htp_items frozen; /* lists that the outputs may be: they must not change any more */
    htp_items shared; /* alternately outputs, and tensors that they may be */
    htp_items outputs;
    htp_list_states lists;
    htp_attributes attributes;
} htp_merge;

/** The value that is @p a after the first side and @p b after the second one. */
htp_outcome htp_merge_values(htp_machine *m, htp_merge *all, htp_item *a, htp_item *b,
                             htp_item **merged);

/** Why lists cannot be merged. */
#define HTP_MERGE_LENGTHS "the sides of a branch on the data give lists of different lengths"

/** Marks everything reachable at the end of both sides, for a branch that ends a call. */
htp_outcome htp_merge_reach(htp_machine *m, htp_merge *all);

/** Merges the contents of memories that a side changed. Call it before values are merged. */
htp_outcome htp_merge_memories(htp_machine *m, htp_merge *all);

/** Merges lists and attributes that either side changed. */
htp_outcome htp_merge_states(htp_machine *m, htp_merge *all);

/** Makes the merged state current. Call it after the node is recorded. */
htp_outcome htp_merge_apply(htp_machine *m, const htp_merge *all);

#endif
