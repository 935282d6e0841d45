/*
 * Recorded loops: the body runs until the types of carried values reach a fixed point.
 */
#ifndef HTP_INTERPRET_LOOPS_LOOPS_H
#define HTP_INTERPRET_LOOPS_LOOPS_H

#include "interpret/lists/lists.h"
#include "interpret/loops/parts.h"
#include "interpret/memory/memory.h"
#include "interpret/objects/attributes.h"

/* ---- one run of the body (body.c) ---- */

/** A loop before its first run. @param state  its condition, and its carried values */
htp_loop *htp_loop_make(htp_machine *m, const htp_step *step, const htp_items *state, int64_t done);

/** Runs the body on values of which only the types are known, and examines the results. */
htp_outcome htp_loop_run_body(htp_machine *m, htp_loop *loop);

/** Sets a carried value to the contents of its list, dict or attribute. */
htp_outcome htp_loop_put(htp_machine *m, const htp_held *held, htp_item *value);

/** Gives the placeholder of a leaf sizes and a device that differ between iterations. */
htp_outcome htp_loop_resize(htp_machine *m, htp_loop *loop, uint32_t leaf, htp_item *item);

/* ---- its results and side effects (compare.c, changes.c) ---- */

/** Whether results of the body can be carried; records necessary changes. HTP_COMES_APART if they
 * never can. */
htp_outcome htp_loop_compare(htp_machine *m, htp_loop *loop, const htp_block *block);

/** Finds outer memory, lists and attributes that the body changes. */
htp_outcome htp_loop_find_changes(htp_machine *m, htp_loop *loop, const htp_block *block);

/** Carries an outer list whose length or rows the body changes as a stack. HTP_GROWS if an outer
 * loop appends to it; HTP_UNSUPPORTED if that is impossible. */
htp_outcome htp_loop_note_growth(htp_machine *m, htp_loop *loop, const htp_growth *growth);

/** Call it after adding a carried value: discards facts about leaves. */
void htp_loop_restart(htp_loop *loop);

/* ---- once it is stable (finish.c) ---- */

/** Records the loop. @param outputs  carried values after it */
htp_outcome htp_loop_finish(htp_machine *m, htp_loop *loop, htp_item *limit, htp_item *condition,
                            htp_items *outputs);

/* ---- slots, and shared memory (sharing.c) ---- */

/** The state of a slot. Later look-ups may move it. */
htp_slot *htp_loop_slot(htp_machine *m, htp_loop *loop, uint32_t slot);

/** Inserts a number into an ascending list. @return whether it is new */
bool htp_ids_insert(htp_machine *m, htp_ids *ids, uint32_t id);

/** Whether an ascending list contains a number. */
bool htp_ids_have(const htp_ids *ids, uint32_t id);

/** Records a possible value of a slot; @p is_end: after the loop. */
void htp_loop_note_sharers(htp_machine *m, htp_loop *loop, uint32_t slot, htp_item *made,
                           bool is_end);

/** Finds, at the end of an iteration, slots that may share memory, be outer memory, or have one
 * tensor as several rows. */
void htp_loop_find_sharers(htp_machine *m, htp_loop *loop);

/** Refuses changes of elements that earlier iterations appended. */
htp_outcome htp_loop_check_earlier(htp_machine *m, htp_loop *loop);

#endif
