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
#include "interpret/operators/operand_checks.h"

#include <htp/program.h>

/** The objects to restore, and the runner for them. */
typedef struct htp_restoring {
    const htp_program *program;
    const htp_runner *runner;
    uint32_t object;          /**< of the program: its __setstate__ sets its attributes */
    const htp_operand *state; /**< the argument of __setstate__ */
    htp_devices devices;
    const htp_limits *limits; /**< NULL: all defaults */
    htp_tick tick;            /**< called now and then with the steps so far; false stops. NULL */
    void *user;
} htp_restoring;

/** Restores an object. @return HTP_CODE_UNSUPPORTED for unsupported code, HTP_CODE_BAD_INPUT if the
 * method raises, HTP_CODE_INTERNAL without memory, or if it was stopped */
HTP_MUST_USE htp_status htp_restore(const htp_restoring *of);

/* ---- private to this folder ---- */

/** A running function. */
typedef struct htp_restore_frame {
    uint32_t number;
    htp_program_function code;
    htp_operand *values;            /* by number, as far as computed */
    struct htp_restore_frame *next; /* in the list of unused frames */
} htp_restore_frame;

typedef struct htp_follower {
    htp_restoring of;
    htp_arena arena;
    htp_error *error;
    const char *class_name; /* of the object, in messages */
    size_t depth;           /* of calls */
    size_t block_depth;     /* of blocks, including those of calls */
    uint64_t steps;
    double made; /* elements made by operators so far */
    htp_operand_budget budget;
    bool is_apart;                    /* tensors may be on other devices than home */
    bool is_unsure;                   /* a move may be a copy or the tensor itself */
    uint32_t zero;                    /* the schema of aten::zero_; HTP_NONE: not yet looked up */
    HTP_VECTOR(htp_map) methods;      /* by class: name -> function */
    HTP_VECTOR(htp_operand) operands; /* operand stack of the enclosing nodes */
    HTP_VECTOR(htp_restore_frame *) unused; /* by function: a list of frames */
} htp_follower;

/** A node that is being interpreted. */
typedef struct htp_restore_step {
    htp_restore_frame *frame;
    uint32_t number; /* of the node */
    const htp_program_node *node;
    const htp_operand *inputs; /* valid until another node is interpreted */
    uint32_t input_count;
    htp_operand only;           /* storage for one output */
    const htp_operand *outputs; /* at least those of the node */
    uint32_t output_count;
} htp_restore_step;

/** Ends the restoration with a message; the second, because it needs something that is not run; the
 * third, at a limit. */
htp_outcome htp_restore_fail(htp_follower *f, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
htp_outcome htp_restore_refuse(htp_follower *f, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
htp_outcome htp_restore_exceed(htp_follower *f, htp_limit limit);

/** Calls a function. @p inputs may move meanwhile. */
htp_outcome htp_restore_call(htp_follower *f, uint32_t function, const htp_operand *inputs,
                             uint32_t count, htp_operand *output);

/** The method of an object that has this name. */
htp_outcome htp_restore_find_method(htp_follower *f, const htp_operand *object, const char *name,
                                    uint32_t *method);

/** Runs an operator or a native method. */
htp_outcome htp_restore_run(htp_follower *f, uint32_t schema, const htp_operand *inputs,
                            uint32_t count, const htp_operand **outputs, uint32_t *output_count);

/** Interprets a node without blocks (restore_nodes.c). */
htp_outcome htp_restore_node(htp_follower *f, htp_restore_step *step);

#endif
