/*
 * A loop that is being recorded: its body is run until what it carries keeps its type.
 */
#ifndef HTP_INTERPRET_LOOPS_LOOPS_H
#define HTP_INTERPRET_LOOPS_LOOPS_H

#include "interpret/lists/lists.h"
#include "interpret/loops/parts.h"
#include "interpret/memory/memory.h"
#include "interpret/objects/attributes.h"

/* ---- one run of the body (body.c) ---- */

/** A loop that was not run yet. @param state  whether it goes on, and what it carries */
htp_loop *htp_loop_make(htp_machine *m, const htp_step *step, const htp_items *state, int64_t done);

/** Runs the body on values of which only the types are known, and looks at what came out. */
htp_outcome htp_loop_run_body(htp_machine *m, htp_loop *loop);

/** Makes a value that is carried what the list, dict or attribute holds. */
htp_outcome htp_loop_put(htp_machine *m, const htp_held *held, htp_item *value);

/** Gives what stands for a leaf sizes, and a device, that differ between iterations. */
htp_outcome htp_loop_resize(htp_machine *m, htp_loop *loop, uint32_t leaf, htp_item *item);

/* ---- what comes out of it (compare.c, changes.c) ---- */

/** Whether what the body gives can be carried; notes what must change before it can.
 * HTP_COMES_APART where it never can. */
htp_outcome htp_loop_compare(htp_machine *m, htp_loop *loop, const htp_block *block);

/** Memory, lists and attributes of outside that the body changes. */
htp_outcome htp_loop_find_changes(htp_machine *m, htp_loop *loop, const htp_block *block);

/** A list of outside whose length the body changes, or whose rows it changes in place, is carried
 * as a stack. HTP_GROWS for one that a loop around appends to; HTP_UNSUPPORTED where it cannot be.
 */
htp_outcome htp_loop_note_growth(htp_machine *m, htp_loop *loop, const htp_growth *growth);

/** Something else is carried from now on: what was found out by leaf counts no more. */
void htp_loop_restart(htp_loop *loop);

/* ---- once it is stable (finish.c) ---- */

/** Records the loop. @param outputs  what it carries when it has ended */
htp_outcome htp_loop_finish(htp_machine *m, htp_loop *loop, htp_item *limit, htp_item *condition,
                            htp_items *outputs);

/* ---- slots, and who shares memory (sharing.c) ---- */

/** What a slot is known to be. It moves when others are asked for. */
htp_slot *htp_loop_slot(htp_machine *m, htp_loop *loop, uint32_t slot);

/** Adds a number to ascending ones. @return whether it is new */
bool htp_ids_insert(htp_machine *m, htp_ids *ids, uint32_t id);

/** Whether it is one of ascending ones. */
bool htp_ids_have(const htp_ids *ids, uint32_t id);

/** What a slot may be; @p is_end when the loop has ended. */
void htp_loop_note_sharers(htp_machine *m, htp_loop *loop, uint32_t slot, htp_item *made,
                           bool is_end);

/** Notes which slots may be one memory, or memory of outside, or have one tensor as several rows,
 * when an iteration ends. */
void htp_loop_find_sharers(htp_machine *m, htp_loop *loop);

/** What earlier iterations appended to lists must be as it was when they ended. */
htp_outcome htp_loop_check_earlier(htp_machine *m, htp_loop *loop);

#endif
