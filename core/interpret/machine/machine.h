/*
 * One interpretation: the abstract interpreter runs a method in one to four lanes of input sizes,
 * and records its operators. All folders of core/interpret work on it.
 *
 * Everything lives in its arena. Tensors belong to the runner.
 */
#ifndef HTP_INTERPRET_MACHINE_MACHINE_H
#define HTP_INTERPRET_MACHINE_MACHINE_H

#include "base/limits/limits.h"
#include "interpret/machine/devices.h"
#include "interpret/machine/instances.h"
#include "interpret/machine/machine_control.h"
#include "interpret/machine/machine_parts.h"
#include "interpret/machine/places.h"
#include "interpret/operators/facts.h"
#include "interpret/operators/operand_checks.h"
#include "interpret/values/item_groups.h"
#include "interpret/values/item_tests.h"

#include <htp/program.h>

typedef struct htp_machine {
    htp_arena *arena;
    const htp_program *program;
    const htp_runner *runner;
    const htp_place_finder *places;
    const htp_instances *instances;
    const htp_instance *modules; /* of the instances */
    uint32_t module_count;
    htp_weight_list *weight_list; /* receives constants */
    const char *method;           /* the chosen method */
    const htp_devices *devices;
    const htp_limits *limits; /* NULL: all defaults */
    bool is_inference;        /* also for programs traced in training mode (steps/inference.h) */
    uint32_t function;        /* being interpreted: the method, or one that provides its inputs */
    uint32_t lane_count;
    htp_tick tick; /* NULL */
    void *user;
    int64_t longest_unrolled; /* a loop with more iterations is recorded as one, if possible */

    /* How the last step ended. */
    const char *message;
    htp_error unread; /* why a function could not be read */
    htp_path_split split;
    htp_growth growth;

    htp_recording recording;
    htp_memory_notes memory;

    /* Before operators run (operators/operand_checks.h). */
    HTP_VECTOR(htp_guard *) guards; /* by schema; NULL: not yet needed */
    htp_operand_budget budget;

    htp_known_sizes sizes;
    htp_known_levels levels;
    htp_control control;
    htp_object_state state;
} htp_machine;

/** Sets the message; the latter appends a place. */
void htp_machine_say(htp_machine *m, const char *format, ...) __attribute__((format(printf, 2, 3)));
void htp_machine_say_where(htp_machine *m, const htp_place *place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/** "in encoder.layer.0 (model.py:12)". */
const char *htp_place_describe(htp_machine *m, const htp_place *place);

/** Ends a step with a message and an outcome. A macro, so that compilers see the outcome. */
#define htp_machine_stop(m, outcome, ...) (htp_machine_say((m), __VA_ARGS__), (outcome))

/** The same for HTP_UNSUPPORTED, with the place. */
#define htp_machine_refuse(m, place, ...)                                                          \
    (htp_machine_say_where((m), (place), __VA_ARGS__), HTP_UNSUPPORTED)

/** Some items as a list: HTP_ITEMS(m, a, b, c). */
#define HTP_ITEMS(m, ...)                                                                          \
    htp_items_of((m), (htp_item *const[]){__VA_ARGS__},                                            \
                 sizeof((htp_item *const[]){__VA_ARGS__}) / sizeof(htp_item *))

htp_items htp_items_of(htp_machine *m, htp_item *const *items, size_t count);

/** A modifiable copy. */
htp_items htp_items_copy(htp_machine *m, const htp_items *items);

void htp_items_push(htp_machine *m, htp_items *items, htp_item *item);

/** Appends all of @p more. */
void htp_items_add(htp_machine *m, htp_items *items, const htp_items *more);

/** A function of the program; HTP_FAILS if it cannot be read. */
htp_outcome htp_machine_load(htp_machine *m, uint32_t function, htp_loaded_function **code);

#endif
