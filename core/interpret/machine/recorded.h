/*
 * Recorded nodes and blocks, and the contents of lists and memories.
 */
#ifndef HTP_INTERPRET_MACHINE_RECORDED_H
#define HTP_INTERPRET_MACHINE_RECORDED_H

#include "base/map.h"
#include "interpret/values/item.h"

/** A point in the program during execution. */
typedef struct htp_place {
    uint32_t scope;
    uint32_t call;     /* of the function: calls_made[call - 1]; 0: the method */
    uint32_t function; /* of the program; HTP_NONE: none */
    uint32_t node;     /* of that function; HTP_NONE */
    const char *name;  /* of the function; NULL */
    const char *file;  /* "" if unknown */
    uint32_t line;
} htp_place;

/** An operator that ran. */
typedef struct htp_recorded_node {
    const char *kind;
    uint32_t schema;        /* HTP_NONE for control flow and lists */
    const uint32_t *inputs; /* items */
    const char *const *input_names;
    uint32_t input_count;
    const uint32_t *outputs;
    uint32_t output_count;
    htp_place place;
    const char *failure; /* NULL */
    uint32_t block;      /* the block that contains it */
    const uint32_t *blocks;
    uint32_t block_count;
} htp_recorded_node;

/** A branch, or the body of a loop: items; HTP_NONE for an unused output. */
typedef struct htp_recorded_block {
    htp_ids inputs;
    htp_ids outputs;
} htp_recorded_block;

/** The contents of a list or dict. */
typedef struct htp_contents {
    htp_items elements;
    htp_item *stacked; /* as in an item */
} htp_contents;

/** A list with its contents at some point. */
typedef struct htp_list_state {
    htp_item *list;
    htp_contents contents;
} htp_list_state;

typedef HTP_VECTOR(htp_list_state) htp_list_states;

/** Lists before a block changed them, and lists that the block only read again after earlier
 * changes. */
typedef struct htp_list_journal {
    size_t first_item; /* lists before this item are recorded */
    uint64_t epoch;    /* when the block began */
    htp_list_states lists;
    htp_map known; /* creation id -> index */
    htp_list_states read;
    htp_map known_read;
} htp_list_journal;

/** The contents of some memories. */
typedef struct htp_memory {
    uint32_t first;
    htp_item *value;
} htp_memory;

/** Sorted by first values. */
typedef HTP_VECTOR(htp_memory) htp_memories;

/** The size of the recording at some point. */
typedef struct htp_mark {
    size_t items;
    size_t nodes;
    size_t scopes;
    size_t blocks;
    size_t calls;
    size_t passed;
    size_t visits;
} htp_mark;

#endif
