/*
 * The machine's state of the running program and its objects.
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
    uint32_t *file_lines; /* by node: 1 + its index among the machine's sources; 0: not looked up */
    htp_item **constants; /* by node: the item of a prim::Constant; NULL: not yet made */
} htp_loaded_function;

typedef struct htp_source_line {
    const char *file;
    uint32_t line;
} htp_source_line;

/** Functions, and how far they have run (steps/control.h). */
typedef struct htp_control {
    HTP_VECTOR(htp_loaded_function *) functions; /* by number; NULL: not loaded */
    HTP_VECTOR(htp_source_line) sources;
    size_t depth;        /* of calls */
    size_t block_depth;  /* of blocks, including those of calls */
    size_t peels;        /* enclosing first iterations that are recorded apart from their loops */
    size_t path_splits;  /* enclosing branches whose sides could not be merged at their end */
    uint64_t steps;      /* steps so far; slow ones count several times */
    uint64_t last_tick;  /* `steps` at the last tick */
    htp_items arguments; /* of the method, and their contents */
    HTP_VECTOR(size_t) loops; /* loops being recorded: the first item of their bodies */
} htp_control;

/** Attributes of objects, and state that outlives a call (objects/attributes.h). */
typedef struct htp_object_state {
    htp_attributes attributes;
    HTP_VECTOR(htp_attributes *) journals; /* their values before the enclosing blocks */
    htp_attributes before;                 /* the archive's attributes when the call began */
    HTP_VECTOR(htp_object_attribute) late; /* attributes first read within a branch or loop */
    htp_map open_sizes; /* number of a carried state's open size -> index in data_sizes */
    htp_map holders;    /* object -> 1 + index in holder_list */
    HTP_VECTOR(htp_holder) holder_list;
    htp_map made;     /* objects that the call made */
    htp_map storages; /* storage in the archive -> 1 + index in storage_names */
    HTP_VECTOR(struct htp_storage_names *) storage_names; /* attributes that share it */
    htp_map class_names; /* "CLASS.NAME" -> an attribute's slot; "CLASS(NAME" -> a method's index */
} htp_object_state;

#endif
