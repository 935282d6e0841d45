/*
 * What evaluates nodes of the program that are no operators of a trace.
 */
#ifndef HTP_INTERPRET_STEPS_HANDLERS_H
#define HTP_INTERPRET_STEPS_HANDLERS_H

#include "interpret/steps/control.h"

/* ---- what handlers share (handlers.c) ---- */

typedef struct htp_handler_row {
    const char *kind;
    htp_handler *handler;
} htp_handler_row;

/** The handler of a kind in a short table; NULL. */
htp_handler *htp_handler_find_in(const htp_handler_row *rows, size_t count, const char *kind);

/** HTP_FAILS where a node has fewer operands, or an item is no tensor. */
htp_outcome htp_handler_require(htp_machine *m, const htp_step *step, size_t count);
htp_outcome htp_handler_require_tensor(htp_machine *m, const htp_item *item);

/** Gives a handler's only output. */
htp_outcome htp_handler_give(htp_machine *m, htp_items *outputs, htp_item *item);

/** htp_execute() on HTP_ITEMS(). */
htp_outcome htp_handler_run(htp_machine *m, const char *name, const char *overload,
                            htp_items inputs, const htp_place *place, htp_item **output);

/* ---- handlers of grown lists that those of sequences share ---- */

htp_handler htp_do_grown_item, htp_do_grown_append, htp_do_grown_extend, htp_do_grown_add,
    htp_do_grown_copy, htp_do_grown_clear;
htp_handler htp_do_sequence_set_item, htp_do_sequence_insert, htp_do_sequence_pop;

/** The handler of a kind among those of stacks (lists/grown_lists.c), and of sequences
 * (lists/sequences.c); NULL. */
htp_handler *htp_grown_handler(const char *kind);
htp_handler *htp_sequence_handler(const char *kind);

#endif
