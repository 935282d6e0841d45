/*
 * Interprets calls, blocks, branches and loops, and passes operators to their handlers.
 */
#ifndef HTP_INTERPRET_STEPS_CONTROL_H
#define HTP_INTERPRET_STEPS_CONTROL_H

#include "interpret/recording/recording.h"

/** A running function, its module call, and its own call. */
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
    htp_items inputs; /* current values; may be modified */
} htp_step;

/** Evaluates a node. @param outputs  is empty */
typedef htp_outcome htp_handler(htp_machine *m, htp_step *step, htp_items *outputs);

/** The handler of an operator that the interpreter evaluates itself, or NULL (handlers.c). */
htp_handler *htp_handler_find(const char *kind);

/** The same for operators whose first argument is a list, tuple or dict. */
htp_handler *htp_handler_find_of_containers(const char *kind);

/** The same for operators whose first argument is a device. */
htp_handler *htp_handler_find_of_devices(const char *kind);

/** The same for lists of data-dependent length. */
htp_handler *htp_handler_find_of_grown(const char *kind, const htp_items *inputs);

/** Every handler of followed.def. */
#define HTP_FOLLOWED(kind, handler) htp_handler htp_do_##handler;
#define HTP_FOLLOWED_IN_LISTS(kind, handler) htp_handler htp_do_##handler;
#define HTP_FOLLOWED_OF_DEVICES(kind, handler) htp_handler htp_do_##handler;
#define HTP_FOLLOWED_IN_STACKS(kind, handler) htp_handler htp_do_##handler;
#define HTP_FOLLOWED_IN_SEQUENCES(kind, handler) htp_handler htp_do_##handler;
#include "interpret/steps/followed.def"

/* ---- control/control.c ---- */

/** Runs a block of a frame's function. @return its outputs in @p outputs */
htp_outcome htp_control_run_block(htp_machine *m, htp_frame *frame, uint32_t block,
                                  const htp_place *place, htp_items *outputs);

/**
 * A frame for a function with @p arguments; the caller sets its scope and call.
 * @return HTP_BAD_INPUTS for a wrong number of arguments; HTP_FAILS if it has no code
 */
htp_outcome htp_control_make_frame(htp_machine *m, uint32_t function, const htp_items *arguments,
                                   htp_frame **made);

/** A copy of a frame's current state. */
htp_frame *htp_control_copy_frame(htp_machine *m, const htp_frame *frame);

/** Runs a function in a scope and a call. */
htp_outcome htp_control_call(htp_machine *m, uint32_t function, const htp_items *arguments,
                             uint32_t scope, uint32_t call, htp_items *outputs);

/** Begins a scope for a call of a module's forward(). @param site  the number of the call */
uint32_t htp_control_enter(htp_machine *m, uint32_t module, uint32_t caller, uint32_t site);

#endif
