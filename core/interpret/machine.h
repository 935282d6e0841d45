/*
 * One interpretation: a method of a program is followed abstractly, in one to four lanes of input
 * sizes, and what runs is recorded. All rooms of this folder are given the machine.
 *
 * Everything lives in its arena, and goes with it. Tensors are the runner's.
 */
#ifndef HTP_INTERPRET_MACHINE_H
#define HTP_INTERPRET_MACHINE_H

#include "base/map.h"
#include "interpret/instances.h"
#include "interpret/item.h"
#include "interpret/operand_checks.h"
#include "interpret/outcome.h"
#include "interpret/places.h"
#include "interpret/trace.h"

#include <htp/facts.h>
#include <htp/program.h>

/** Where in the program execution stands. */
typedef struct htp_place {
    uint32_t scope;
    uint32_t call;     /* of the function: calls_made[call - 1]; 0: the method */
    uint32_t function; /* of the program; HTP_PROGRAM_NONE: nowhere */
    uint32_t node;     /* of that function; HTP_PROGRAM_NONE */
    const char *name;  /* of the function; NULL */
    const char *file;  /* "" where it is not known */
    uint32_t line;
} htp_place;

/** An operator that ran. */
typedef struct htp_recorded_node {
    const char *kind;
    uint32_t schema;        /* HTP_PROGRAM_NONE of control flow, and of lists */
    const uint32_t *inputs; /* items */
    const char *const *input_names;
    uint32_t input_count;
    const uint32_t *outputs;
    uint32_t output_count;
    htp_place place;
    const char *failure; /* NULL */
    uint32_t block;      /* that it stands in */
    const uint32_t *blocks;
    uint32_t block_count;
} htp_recorded_node;

/** A branch, or the body of a loop: items; HTP_SHIM_NONE for an output that nobody reads. */
typedef struct htp_recorded_block {
    htp_ids inputs;
    htp_ids outputs;
} htp_recorded_block;

/** What a list or dict holds. */
typedef struct htp_contents {
    htp_items elements;
    htp_item *stacked; /* as in an item */
} htp_contents;

/** A list, with what it holds at some time. */
typedef struct htp_list_state {
    htp_item *list;
    htp_contents contents;
} htp_list_state;

typedef HTP_VECTOR(htp_list_state) htp_list_states;

/** Lists as they were before a block changed them. */
typedef struct htp_list_journal {
    size_t first_item; /* older ones are noted */
    htp_list_states lists;
    htp_map known; /* places of these, by birth */
} htp_list_journal;

/** What some memories hold. */
typedef struct htp_memory {
    uint32_t first;
    htp_item *value;
} htp_memory;

/** In the order of their first values. */
typedef HTP_VECTOR(htp_memory) htp_memories;

/** An attribute: an object's slot. */
typedef struct htp_object_attribute {
    uint32_t object;
    uint32_t slot;
} htp_object_attribute;

/** Values of attributes, in the order in which they came. */
typedef struct htp_attribute_value {
    htp_object_attribute attribute;
    htp_item *value; /* NULL: there was none */
} htp_attribute_value;

typedef struct htp_attributes {
    HTP_VECTOR(htp_attribute_value) all;
    htp_map places; /* by attribute */
} htp_attributes;

/** Where an object of the archive is: a module, or within an attribute of one. */
typedef struct htp_holder {
    uint32_t module;
    const char *path;
} htp_holder;

struct htp_machine;

/** What unique() does where it need not sort: nobody asked yet, it does, it does not. */
typedef enum htp_unique_order {
    HTP_UNIQUE_UNASKED = 0,
    HTP_UNIQUE_SORTS,
    HTP_UNIQUE_HASHES,
} htp_unique_order;

/** Runs one side of a branch, and gives its outputs; or goes on with what a branch gave. */
typedef htp_outcome htp_side_run(struct htp_machine *m, const void *data, bool side,
                                 htp_items *outputs);
typedef htp_outcome htp_next_run(struct htp_machine *m, const void *data, const htp_items *given,
                                 htp_items *outputs);

typedef struct htp_side {
    htp_side_run *run;
    const void *data;
} htp_side;

typedef struct htp_next {
    htp_next_run *run;
    const void *data;
} htp_next;

/** A point at which the program goes on twice: the sides of a branch give what no output of a node
 * can be, so that what follows belongs to both, as far as it takes them to meet. */
typedef struct htp_fork {
    htp_item *condition;
    htp_place place;
    htp_side side;      /* gives the outputs of what ended with the fork */
    const char *reason; /* why they cannot meet */
} htp_fork;

/** A list of outside whose length a loop's body changes. */
typedef struct htp_growth {
    htp_item *list;
    htp_item *rows; /* a stack of what it holds, where that is known; NULL */
} htp_growth;

/** What there was at some time. */
typedef struct htp_mark {
    size_t items;
    size_t nodes;
    size_t scopes;
    size_t blocks;
    size_t calls;
    size_t passed;
    size_t looks;
} htp_mark;

/** What changes of memory a block notes (memory.c). */
typedef struct htp_memory_journal htp_memory_journal;

typedef struct htp_loaded_function {
    htp_program_function function;
    bool *is_unpacked;    /* by value: a prim::ListUnpack reads it */
    uint32_t *file_lines; /* by node: 1 + its place among the machine's sources; 0: nobody asked */
    htp_item **constants; /* by node: what a prim::Constant gives; NULL: nobody asked */
} htp_loaded_function;

typedef struct htp_source_line {
    const char *file;
    uint32_t line;
} htp_source_line;

typedef struct htp_machine {
    htp_arena *arena;
    const htp_program *program;
    const htp_runner *runner;
    const htp_place_finder *places;
    const htp_instances *instances;
    const htp_shim_module *modules; /* of the instances */
    uint32_t module_count;
    htp_weight_list *weight_list; /* that constants are added to */
    const char *method;           /* that was chosen */
    uint32_t function;            /* that is followed: the method, or what tells of it */
    uint32_t lane_count;
    htp_shim_tick tick; /* NULL */
    void *user;
    int64_t longest_unrolled; /* iterations beyond which a loop stays one where it can */

    /* How the last step ended. */
    const char *message;
    htp_fork fork;
    htp_growth growth;

    /* The recording (recording.h). */
    HTP_VECTOR(htp_item *) items; /* by id */
    HTP_VECTOR(htp_recorded_node) nodes;
    HTP_VECTOR(htp_recorded_block) blocks;   /* block 0 is the method itself */
    uint32_t block;                          /* that is recorded now */
    HTP_VECTOR(htp_list_journal *) journals; /* of the blocks around, the innermost last */
    HTP_VECTOR(htp_trace_scope) scopes;
    HTP_VECTOR(htp_trace_passed) passed; /* to the scopes, one after the other */
    HTP_VECTOR(htp_place) calls_made;    /* where they stand, in order */
    uint32_t *calls;                     /* by module */
    HTP_VECTOR(htp_trace_size) data_sizes;
    htp_trace_rounding fake_rounding, tensor_rounding, channel_rounding;
    uint64_t epoch;     /* changes of memory so far */
    int64_t last_prime; /* that made-up sizes have */
    size_t looks;       /* at arguments, beyond those that any call may have */
    htp_map names;      /* of arguments: their places in name_list */
    HTP_VECTOR(const char *) name_list;
    htp_map weights; /* items, by weight */
    htp_map bases;   /* by storage of weights: 1 + the place in base_tensors */
    HTP_VECTOR(const htp_runner_tensor *) base_tensors;
    htp_map kept_storages; /* of the lanes: what a call changes there, the next one reads */

    /* Memory (memory.h). */
    HTP_VECTOR(htp_memory_journal *) memory_journals;
    size_t change_count; /* memories that were ever changed */
    uint64_t groupings;  /* of memories, so far */
    bool has_nested;     /* some list, tuple or dict may hold another one */

    /* Before operators run (operand_checks.h). */
    HTP_VECTOR(htp_guard *) guards; /* by schema; NULL: nobody asked */
    double text_work;               /* of all operators on texts so far */

    /* Sizes (sizes.h). */
    htp_map sizes; /* by what they are: 1 + the place in known_sizes */
    HTP_VECTOR(htp_trace_size) known_sizes;
    bool has_flats; /* some sizes are made up that other lanes may tell */
    htp_unique_order unique_order;

    /* Quantised values (quantized.h). */
    htp_map packed; /* by object: 1 + the place in packed_weights */
    HTP_VECTOR(const struct htp_packed_weights *) packed_weights;
    bool knows_rounding;

    /* Control (control.h). */
    HTP_VECTOR(htp_loaded_function *) functions; /* by number; NULL: not loaded */
    HTP_VECTOR(htp_source_line) sources;
    size_t depth;             /* of calls */
    size_t block_depth;       /* of blocks, those of calls, too */
    size_t peels;             /* first iterations around that are apart from their loops */
    size_t forks;             /* branches around that could not meet where they end */
    uint64_t steps;           /* so far; what takes long counts as many */
    uint64_t last_tick;       /* by these */
    htp_items arguments;      /* of the method, and what they hold */
    HTP_VECTOR(size_t) loops; /* that are being recorded: the first item of their bodies */

    /* State (attributes.h). */
    htp_attributes attributes;
    HTP_VECTOR(htp_attributes *) attribute_journals; /* as they were before the blocks around */
    htp_attributes before;                 /* those of the archive, as the call found them */
    HTP_VECTOR(htp_object_attribute) late; /* that were first read within a branch or loop */
    htp_map open_sizes; /* of carried states, by their number: place in data_sizes */
    htp_map holders;    /* by object: 1 + the place in holder_list */
    HTP_VECTOR(htp_holder) holder_list;
    htp_map made;     /* objects that the call made */
    htp_map storages; /* of the archive: 1 + the place in storage_names */
    HTP_VECTOR(struct htp_storage_names *) storage_names; /* attributes that have it */
    htp_map class_slots; /* "CLASS NAME": a slot; "CLASS()NAME": a method's function */
} htp_machine;

/** Sets the message; with ", " and a place behind it. */
void htp_machine_say(htp_machine *m, const char *format, ...) __attribute__((format(printf, 2, 3)));
void htp_machine_say_where(htp_machine *m, const htp_place *place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/** Ends a step with a message: an outcome. Macros, so that compilers see which one it is. */
#define htp_machine_stop(m, outcome, ...) (htp_machine_say((m), __VA_ARGS__), (outcome))

/** The same of HTP_UNSUPPORTED, with the place. */
#define htp_machine_refuse(m, place, ...)                                                          \
    (htp_machine_say_where((m), (place), __VA_ARGS__), HTP_UNSUPPORTED)

/** Some items as a list: HTP_ITEMS(m, a, b, c). */
#define HTP_ITEMS(m, ...)                                                                          \
    htp_items_of((m), (htp_item *const[]){__VA_ARGS__},                                            \
                 sizeof((htp_item *const[]){__VA_ARGS__}) / sizeof(htp_item *))

htp_items htp_items_of(htp_machine *m, htp_item *const *items, size_t count);

/** A copy, to be changed. */
htp_items htp_items_copy(htp_machine *m, const htp_items *items);

void htp_items_push(htp_machine *m, htp_items *items, htp_item *item);

/** The same with all of @p more. */
void htp_items_add(htp_machine *m, htp_items *items, const htp_items *more);

/** Tests a fact of an operator, by its name without overload (facts.c). */
bool htp_has_fact(const char *name, unsigned facts);

#endif
