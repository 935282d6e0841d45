/*
 * Follows calls, blocks, branches and loops, and hands operators to their handlers.
 */
#ifndef HTP_INTERPRET_CONTROL_H
#define HTP_INTERPRET_CONTROL_H

#include "interpret/recording.h"

/** A function that is running: in which call of a module, and in which call of its own. */
typedef struct htp_frame {
    uint32_t function;
    const htp_loaded_function *code;
    htp_item **values; /* by value; NULL: not yet */
    uint32_t scope;
    uint32_t call;
    const char *name;
} htp_frame;

/** A node that is running. */
typedef struct htp_step {
    const htp_program_node *node;
    htp_frame *frame;
    htp_place place;
    htp_items inputs; /* as they are now; to be changed */
} htp_step;

/** Evaluates a node itself. @param outputs  is empty */
typedef htp_outcome htp_handler(htp_machine *m, htp_step *step, htp_items *outputs);

/** The handler of an operator that is no node of a trace; NULL for others (handlers.c). */
htp_handler *htp_handler_find(const char *kind);

/** Of those that stand for something else when their first argument is a list, tuple or dict. */
htp_handler *htp_handler_find_of_containers(const char *kind);

/** Of lists whose length the data decides. */
htp_handler *htp_handler_find_of_grown(const char *kind, const htp_items *inputs);

/** Every handler of htp/followed.def. */
#define HTP_FOLLOWED(kind, handler) htp_handler htp_do_##handler;
#define HTP_FOLLOWED_IN_LISTS(kind, handler) htp_handler htp_do_##handler;
#include <htp/followed.def>
#undef HTP_FOLLOWED_IN_LISTS
#undef HTP_FOLLOWED

/* ---- interpret.c ---- */

/** Counts a step. HTP_BREAKS where the caller stops it; HTP_UNSUPPORTED where there were too many.
 */
htp_outcome htp_control_tick(htp_machine *m);

/** Runs a block of a frame's function. @return its outputs in @p outputs */
htp_outcome htp_control_run_block(htp_machine *m, htp_frame *frame, uint32_t block,
                                  const htp_place *place, htp_items *outputs);

/** A frame of a function that is given @p arguments. Its scope and call are to be filled.
 * @return HTP_BAD_INPUTS where it takes more or fewer of them; HTP_FAILS where it has no code */
htp_outcome htp_control_make_frame(htp_machine *m, uint32_t function, const htp_items *arguments,
                                   htp_frame **made);

/** A copy of a frame, as it is now. */
htp_frame *htp_control_copy_frame(htp_machine *m, const htp_frame *frame);

/** A function of the program; HTP_FAILS where it cannot be read. */
htp_outcome htp_control_load(htp_machine *m, uint32_t function, htp_loaded_function **code);

/** Runs a function. @param frame  scope, call: that it runs in */
htp_outcome htp_control_call(htp_machine *m, uint32_t function, const htp_items *arguments,
                             uint32_t scope, uint32_t call, htp_items *outputs);

/** A call of a module's forward(): a new scope. @param site  the number of the call that is made */
uint32_t htp_control_enter(htp_machine *m, uint32_t module, uint32_t caller, uint32_t site);

/** Where what decides is unknown, the operator is to blame that failed, not the branch. */
htp_outcome htp_control_require_known(htp_machine *m, const htp_item *item);

/** A flag or number that is known. */
htp_outcome htp_control_decide(htp_machine *m, const htp_item *condition, const htp_place *place,
                               bool *side);
htp_outcome htp_control_number(htp_machine *m, const htp_item *item, const htp_place *place,
                               int64_t *number);

/* ---- branches (branch.c) ---- */

/** Of a branch that no call ends with. */
#define HTP_ALL_LIVE SIZE_MAX

/** Branches that could not meet, one within the other: each one doubles what follows. */
enum { HTP_MOST_FORKS = 6 };

/** A branch on what is not known: both sides are run, and recorded.
 * @param first_local  the first item of a call that ends with the branch: what it made is gone then
 * @return HTP_FORKS where they cannot meet */
htp_outcome htp_branch_run(htp_machine *m, htp_item *condition, const htp_place *place,
                           htp_side side, size_t first_local, htp_items *outputs);

/** Goes on with @p next after a branch whose sides cannot meet: on each of them. @p fork may be the
 * machine's: it is copied before anything runs. */
htp_outcome htp_branch_resume(htp_machine *m, const htp_fork *fork, htp_next next,
                              size_t first_local, htp_items *outputs);

/* ---- blocks (block.c) ---- */

/** A block as it was recorded. What it changed outside of itself is taken back, and noted here. */
typedef struct htp_block {
    uint32_t id;
    htp_items outputs;
    htp_memories memories;     /* what they held at the end */
    htp_list_states lists;     /* and what older lists held */
    htp_map list_places;       /* of these, by birth */
    htp_attributes attributes; /* and the attributes of objects */
    bool has_raised;           /* the program's own exception: message */
    const char *message;
} htp_block;

/** What is run as a block. */
typedef htp_outcome htp_body_run(htp_machine *m, void *data, htp_items *outputs);

/** Runs what becomes a block of its own. Whatever it changes is as before when it ends; so it is
 * where it does not go on. */
htp_outcome htp_block_run(htp_machine *m, htp_body_run *body, void *data, htp_block *block);

/** What a value that is older than a block is when that ends. */
htp_outcome htp_block_value_after(htp_machine *m, const htp_block *block, htp_item *value,
                                  htp_item **after);

/** What a list or dict held at the end of a block. */
htp_outcome htp_block_contents_after(htp_machine *m, const htp_block *block, const htp_item *list,
                                     htp_contents *contents);

/* ---- merging (merge.c) ---- */

/** The outputs of a branch that is being put together. */
typedef struct htp_merge {
    const htp_block *then;
    const htp_block *otherwise;
    size_t first_local; /* items from here on are gone when it ends, unless they can be reached */
    htp_map reached;    /* births */
    bool has_objects;   /* among these, whose attributes may be anything */
    htp_memories memories; /* what was changed holds, merged */
    htp_ids then_ids;
    htp_ids else_ids;
    htp_items frozen; /* lists that the outputs may be: they may not change any more */
    htp_items shared; /* in turn outputs, and tensors that they may be */
    htp_items outputs;
    htp_list_states lists;
    htp_attributes attributes;
} htp_merge;

/** An item of the same type, of which nothing more is known. */
htp_outcome htp_item_like(htp_machine *m, const htp_item *model, htp_item **made);

/** Gives a dim of a tensor a size that the data decides. */
htp_outcome htp_item_resize(htp_machine *m, htp_item *item, int64_t dim, const char *name);

/** The value that is @p a after the first side and @p b after the second one. */
htp_outcome htp_merge_values(htp_machine *m, htp_merge *all, htp_item *a, htp_item *b,
                             htp_item **merged);

/** Why lists do not meet. */
#define HTP_MERGE_LENGTHS "the sides of a branch on the data give lists of different lengths"

/** Notes what can be reached when either side has ended: of a branch that a call ends with. */
htp_outcome htp_merge_reach(htp_machine *m, htp_merge *all);

/** What memory holds that either side changed. Before values are merged. */
htp_outcome htp_merge_memories(htp_machine *m, htp_merge *all);

/** Lists and attributes that either side changed. */
htp_outcome htp_merge_states(htp_machine *m, htp_merge *all);

/** Makes all that is merged current. Behind the node. */
htp_outcome htp_merge_apply(htp_machine *m, const htp_merge *all);

#endif
