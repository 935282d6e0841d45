/*
 * Interprets the __setstate__ methods of an archive: untrusted code that runs when the file is
 * opened.
 *
 * Operators run for real, but only allowed ones (htp_operator_may_run), on a budget of steps and
 * elements; random ones are refused. Numbers and texts are plain operands; everything else is a
 * handle to the runner's value (HTP_RUN_WHOLE), so that sharing is kept.
 */
#ifndef HTP_INTERPRET_RESTORE_RESTORE_H
#define HTP_INTERPRET_RESTORE_RESTORE_H

#include "base/map.h"
#include "base/status.h"
#include "base/vector.h"
#include "interpret/machine/devices.h"
#include "interpret/machine/outcome.h"

#include <htp/program.h>
#include <htp/runner.h>

/** The objects to restore, and the runner for them. */
typedef struct htp_restoring {
    const htp_program *program;
    const htp_runner *runner;
    uint32_t object;          /**< of the program: its __setstate__ gives it its attributes */
    const htp_operand *state; /**< that it is given */
    htp_devices devices;
    htp_tick tick; /**< asked now and then, with the steps so far; false stops. NULL */
    void *user;
} htp_restoring;

/** Restores an object. @return HTP_CODE_UNSUPPORTED for unsupported code, HTP_CODE_BAD_INPUT if the
 * method raises, HTP_CODE_INTERNAL without memory, or if it was stopped */
HTP_MUST_USE htp_status htp_restore(const htp_restoring *of);

/* ---- for the rooms that the follower is made of ---- */

/** A running function. */
typedef struct htp_restore_frame {
    uint32_t number;
    htp_program_function code;
    htp_operand *values;            /* by number, as far as they were computed */
    struct htp_restore_frame *next; /* of those that may be used again */
} htp_restore_frame;

typedef struct htp_follower {
    htp_restoring of;
    htp_arena arena;
    htp_error *error;
    const char *class_name; /* of the object, in messages */
    size_t depth;           /* of calls */
    size_t block_depth;     /* of blocks, those of calls, too */
    uint64_t steps;
    double made;    /* elements that operators made */
    bool is_apart;  /* tensors may be elsewhere than at home */
    bool is_unsure; /* a copy may have to be the tensor itself, which was there already */
    uint32_t zero;  /* the schema of aten::zero_; HTP_NONE: unasked */
    HTP_VECTOR(htp_map) methods;            /* by class: functions by their names */
    HTP_VECTOR(htp_operand) operands;       /* of the nodes around, a stack */
    HTP_VECTOR(htp_restore_frame *) unused; /* by function: a list of frames */
} htp_follower;

/** A node that is followed. */
typedef struct htp_restore_step {
    htp_restore_frame *frame;
    uint32_t number; /* of the node */
    const htp_program_node *node;
    const htp_operand *inputs; /* until something else is followed */
    uint32_t input_count;
    htp_operand only;           /* room for one output */
    const htp_operand *outputs; /* at least those of the node */
    uint32_t output_count;
} htp_restore_step;

/** Ends the restoration: with a message; because @p what is required but does not run. */
htp_outcome htp_restore_fail(htp_follower *f, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
htp_outcome htp_restore_refuse(htp_follower *f, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/** Calls a function. @p inputs may move meanwhile. */
htp_outcome htp_restore_call(htp_follower *f, uint32_t function, const htp_operand *inputs,
                             uint32_t count, htp_operand *output);

/** The method of an object that has this name. */
htp_outcome htp_restore_find_method(htp_follower *f, const htp_operand *object, const char *name,
                                    uint32_t *method);

/** Runs an operator, or a method in machine code, whatever it is. */
htp_outcome htp_restore_run(htp_follower *f, uint32_t schema, const htp_operand *inputs,
                            uint32_t count, const htp_operand **outputs, uint32_t *output_count);

/** Follows a node without blocks (restore_nodes.c). */
htp_outcome htp_restore_node(htp_follower *f, htp_restore_step *step);

#endif
