/*
 * Branches, and the blocks as which they and loops are recorded.
 */
#ifndef HTP_INTERPRET_CONTROL_BLOCKS_H
#define HTP_INTERPRET_CONTROL_BLOCKS_H

#include "interpret/steps/control.h"

/* ---- branches (branch.c) ---- */

/** For a branch that is not the end of a call. */
#define HTP_ALL_LIVE SIZE_MAX

/** The most nested branches that could not be merged: each one doubles the rest. */
enum { HTP_MAX_PATH_SPLITS = 6 };

/** A branch on an unknown condition: both sides are run and recorded.
 * @param first_local  the first item of a call that ends with the branch, after which its items
 *                     are gone
 * @return HTP_PATH_SPLITS if they cannot be merged */
htp_outcome htp_branch_run(htp_machine *m, htp_item *condition, const htp_place *place,
                           htp_side side, size_t first_local, htp_items *outputs);

/** Whether a condition is @p side in a lane. */
static inline bool htp_branch_is_side(const htp_item *condition, size_t lane, bool side)
{
    const htp_operand *flag = &condition->lane[lane];
    return flag->kind == HTP_OPERAND_BOOL && flag->as.b == side;
}

/** Continues with @p next on each side of a branch that cannot be merged. @p split may be the
 * machine's: it is copied before anything runs. */
htp_outcome htp_branch_resume(htp_machine *m, const htp_path_split *split, htp_next next,
                              size_t first_local, htp_items *outputs);

/* ---- blocks (block.c) ---- */

/** A recorded block. Its side effects are undone, and kept here. */
typedef struct htp_block {
    uint32_t id;
    htp_items outputs;
    htp_memories memories;     /* contents at the end */
    htp_list_states lists;     /* contents of older lists */
    htp_map list_places;       /* creation id -> index in lists */
    htp_attributes attributes; /* changed attributes of objects */
    htp_items stale; /* lists that were read after their tensors had changed before the block */
    bool has_raised; /* the program's own exception: message */
    const char *message;
} htp_block;

/** The body of a block. */
typedef htp_outcome htp_body_run(htp_machine *m, void *data, htp_items *outputs);

/** Runs a block. Its side effects are undone when it ends, also on failure. */
htp_outcome htp_block_run(htp_machine *m, htp_body_run *body, void *data, htp_block *block);

/** Updates the stale lists of a block to the current tensors, before it is run again. Enclosing
 * blocks record it, too. */
htp_outcome htp_block_renew(htp_machine *m, const htp_items *stale, const htp_place *place);

/** The value, at the end of a block, of an item from before the block. */
htp_outcome htp_block_value_after(htp_machine *m, const htp_block *block, htp_item *value,
                                  htp_item **after);

/** The contents of a list or dict at the end of a block. */
htp_outcome htp_block_contents_after(htp_machine *m, const htp_block *block, const htp_item *list,
                                     htp_contents *contents);

#endif
