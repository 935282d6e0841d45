/*
 * Follows calls, blocks, branches and loops, and hands operators to their handlers.
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
    htp_items inputs; /* as they are now; to be changed */
} htp_step;

/** Evaluates a node itself. @param outputs  is empty */
typedef htp_outcome htp_handler(htp_machine *m, htp_step *step, htp_items *outputs);

/** The handler of an operator that is no node of a trace; NULL for others (handlers.c). */
htp_handler *htp_handler_find(const char *kind);

/** Of those that stand for something else when their first argument is a list, tuple or dict. */
htp_handler *htp_handler_find_of_containers(const char *kind);

/** Of those that are about a device, as their first argument is one. */
htp_handler *htp_handler_find_of_devices(const char *kind);

/** Of lists whose length the data decides. */
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

/** A copy of a frame, as it is now. */
htp_frame *htp_control_copy_frame(htp_machine *m, const htp_frame *frame);

/** Runs a function. @param frame  scope, call: that it runs in */
htp_outcome htp_control_call(htp_machine *m, uint32_t function, const htp_items *arguments,
                             uint32_t scope, uint32_t call, htp_items *outputs);

/** A call of a module's forward(): a new scope. @param site  the number of the call that is made */
uint32_t htp_control_enter(htp_machine *m, uint32_t module, uint32_t caller, uint32_t site);

#endif
