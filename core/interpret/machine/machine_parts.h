/*
 * The parts of the machine that belong to the recording: items and nodes, memory, sizes, levels.
 */
#ifndef HTP_INTERPRET_MACHINE_MACHINE_PARTS_H
#define HTP_INTERPRET_MACHINE_MACHINE_PARTS_H

#include "interpret/machine/recorded.h"
#include "interpret/trace/trace.h"

/** Whether unique() sorts in spite of sorted=False: unknown, yes, no. */
typedef enum htp_unique_order {
    HTP_UNIQUE_UNASKED = 0,
    HTP_UNIQUE_SORTS,
    HTP_UNIQUE_HASHES,
} htp_unique_order;

/** Which changes of memory a block notes (memory/memory.c). */
typedef struct htp_memory_journal htp_memory_journal;

/** The recording so far (recording/recording.h). */
typedef struct htp_recording {
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
    HTP_VECTOR(const char *) run_on_probes; /* kinds of operators of loaded libraries */
    htp_trace_rounding fake_rounding, tensor_rounding, channel_rounding;
    bool has_control;      /* some branch or loop was met */
    bool moves_statistics; /* some norm is in training mode, and moves running statistics */
    uint64_t epoch;        /* changes of memory so far */
    int64_t last_prime;    /* that made-up sizes have */
    size_t looks;          /* at arguments, beyond those that any call may have */
    htp_map names;         /* of arguments: their places in name_list */
    HTP_VECTOR(const char *) name_list;
    htp_map weights; /* items, by weight */
    htp_map bases;   /* by storage of weights: 1 + the place in base_tensors */
    HTP_VECTOR(const htp_runner_tensor *) base_tensors;
    htp_map kept_storages; /* of the lanes: changed by a call, read by the next */
} htp_recording;

/** Notes on memory (memory/memory.h). */
typedef struct htp_memory_notes {
    HTP_VECTOR(htp_memory_journal *) journals;
    size_t change_count; /* memories that were ever changed */
    size_t turn_count;   /* tensors whose dims were changed in place (memory/turns.c) */
    uint64_t groupings;  /* of memories, so far */
    bool has_elsewhere;  /* how some tensor lies hangs on how libtorch was built */
    bool has_nested;     /* some list, tuple or dict may hold another one */
} htp_memory_notes;

/** Sizes that the data decides (sizes/sizes.h). */
typedef struct htp_known_sizes {
    htp_map places; /* by identity: 1 + the index in known_sizes */
    HTP_VECTOR(htp_trace_size) known;
    bool has_flats; /* some sizes are made up that other lanes may tell */
    htp_unique_order unique_order;
} htp_known_sizes;

/** Quantised values (quantized/quantized.h). */
typedef struct htp_known_levels {
    htp_map packed; /* by object: 1 + the place in packed_weights */
    HTP_VECTOR(const struct htp_packed_weights *) packed_list;
    bool knows_rounding;
} htp_known_levels;

#endif
