/*
 * The recording so far: items, nodes, blocks, scopes.
 */
#ifndef HTP_INTERPRET_RECORDING_RECORDING_H
#define HTP_INTERPRET_RECORDING_RECORDING_H

#include "interpret/machine/machine.h"
#include "interpret/recording/constants.h"
#include "interpret/recording/items.h"

/** A data-dependent size, made up in every lane. @return HTP_NEEDS_LANES with a single lane */
htp_outcome htp_recording_new_size(htp_machine *m, const char *name, htp_trace_size *size);

/** Makes a plain item a data-dependent int with made-up values, since it may become a size. */
htp_outcome htp_item_make_up(htp_machine *m, htp_item *item, const char *name);
void htp_item_take_size(htp_machine *m, htp_item *item, const htp_trace_size *size);

/** Call it before a list changes: nodes that read it keep its contents. */
htp_outcome htp_list_begin_change(htp_machine *m, htp_item *list);

/** Call it before a list gets the current value of a tensor from before the innermost block, which
 * is no change by the block. */
htp_outcome htp_list_begin_reading(htp_machine *m, htp_item *list);

/** Restores the contents of a list. */
void htp_list_restore(htp_machine *m, htp_item *list, const htp_contents *contents);

/** Replaces a list's contents by a copy of @p contents. */
htp_outcome htp_list_fill(htp_machine *m, htp_item *list, const htp_contents *contents);

/** A copy of the contents of a list. */
htp_contents htp_contents_of(htp_machine *m, const htp_item *list);

/** Records a node with its inputs and outputs. The caller sets place, block and blocks; arrays are
 * copied, an empty failure means none. @return its number */
uint32_t htp_recording_add(htp_machine *m, const htp_recorded_node *node);

/** Records a node of control flow or of a list in the current block. */
uint32_t htp_recording_add_control(htp_machine *m, const char *kind, const htp_items *inputs,
                                   const char *const *names, const htp_items *outputs,
                                   const uint32_t *blocks, uint32_t block_count,
                                   const htp_place *place);

/** Marks a point in the recording; discards everything recorded since. */
htp_mark htp_recording_mark(const htp_machine *m);
void htp_recording_discard(htp_machine *m, const htp_mark *mark);

/** Records the arguments of the latest scope (passed.c). @param arguments  with self */
void htp_passed_note(htp_machine *m, uint32_t schema, const htp_items *arguments);

/** The unknown part of an item: itself, or the first such element; NULL (causes.c). */
const htp_item *htp_item_find_unknown(const htp_item *item);

/** The node that failed first on the way to an unknown item; NULL without one. */
const htp_recorded_node *htp_recording_find_cause(const htp_machine *m, const htp_item *unknown);

/** Whether one of these, or an element of a list, is a tensor of ints that may have been floats
 * before the program was saved. */
bool htp_recording_has_lost_float(const htp_machine *m, const htp_items *items);

/** Refuses an unknown item, blaming the failed operator rather than its reader (decisions.c). */
htp_outcome htp_item_require_known(htp_machine *m, const htp_item *item);

/** A bool or int that must be known. */
htp_outcome htp_item_require_flag(htp_machine *m, const htp_item *condition, const htp_place *place,
                                  bool *side);
htp_outcome htp_item_require_number(htp_machine *m, const htp_item *item, const htp_place *place,
                                    int64_t *number);

#endif
