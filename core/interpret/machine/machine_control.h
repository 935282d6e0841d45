/*
 * The parts of the machine that belong to the running program and its objects.
 */
#ifndef HTP_INTERPRET_MACHINE_MACHINE_CONTROL_H
#define HTP_INTERPRET_MACHINE_MACHINE_CONTROL_H

#include "interpret/machine/objects.h"
#include "interpret/machine/path_splits.h"
#include "interpret/trace/trace.h"

#include <htp/program.h>

typedef struct htp_loaded_function {
    htp_program_function function;
    bool *is_unpacked;    /* by value: a prim::ListUnpack reads it */
    uint32_t *file_lines; /* by node: 1 + its place among the machine's sources; 0: nobody asked */
    htp_item **constants; /* by node: the item of a prim::Constant; NULL: not made yet */
} htp_loaded_function;

typedef struct htp_source_line {
    const char *file;
    uint32_t line;
} htp_source_line;

/** Functions, and how far they have run (steps/control.h). */
typedef struct htp_control {
    HTP_VECTOR(htp_loaded_function *) functions; /* by number; NULL: not loaded */
    HTP_VECTOR(htp_source_line) sources;
    size_t depth;             /* of calls */
    size_t block_depth;       /* of blocks, those of calls, too */
    size_t peels;             /* first iterations around that are apart from their loops */
    size_t path_splits;       /* branches around that could not meet where they end */
    uint64_t steps;           /* steps so far; slow ones count several times */
    uint64_t last_tick;       /* by these */
    htp_items arguments;      /* of the method, and their contents */
    HTP_VECTOR(size_t) loops; /* that are being recorded: the first item of their bodies */
} htp_control;

/** Attributes of objects, and state that outlives a call (objects/attributes.h). */
typedef struct htp_object_state {
    htp_attributes attributes;
    HTP_VECTOR(htp_attributes *) journals; /* as they were before the blocks around */
    htp_attributes before;                 /* those of the archive, as the call found them */
    HTP_VECTOR(htp_object_attribute) late; /* that were first read within a branch or loop */
    htp_map open_sizes; /* of carried states, by their number: place in data_sizes */
    htp_map holders;    /* by object: 1 + the place in holder_list */
    HTP_VECTOR(htp_holder) holder_list;
    htp_map made;     /* objects that the call made */
    htp_map storages; /* of the archive: 1 + the place in storage_names */
    HTP_VECTOR(struct htp_storage_names *) storage_names; /* attributes that have it */
    htp_map class_names; /* "CLASS.NAME": an attribute's slot; "CLASS(NAME": a method's place */
} htp_object_state;

#endif
