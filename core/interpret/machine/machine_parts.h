/*
 * The machine's state of the recording: items and nodes, memory, sizes, quantised values.
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

/** The changes of memory that a block records (memory/memory.c). */
typedef struct htp_memory_journal htp_memory_journal;

/** The recording so far (recording/recording.h). */
typedef struct htp_recording {
    HTP_VECTOR(htp_item *) items; /* by id */
    HTP_VECTOR(htp_recorded_node) nodes;
    HTP_VECTOR(htp_recorded_block) blocks;   /* block 0 is the method itself */
    uint32_t block;                          /* the block being recorded */
    HTP_VECTOR(htp_list_journal *) journals; /* of the enclosing blocks, innermost last */
    HTP_VECTOR(htp_trace_scope) scopes;
    HTP_VECTOR(htp_trace_passed) passed; /* to scopes, scope by scope */
    HTP_VECTOR(htp_place) calls_made;    /* the places of calls, in order */
    uint32_t *calls;                     /* by module */
    HTP_VECTOR(htp_trace_size) data_sizes;
    HTP_VECTOR(const char *) run_on_probes; /* kinds of operators of loaded libraries */
    htp_trace_rounding fake_rounding, tensor_rounding, channel_rounding;
    uint64_t known_bytes;  /* of contents that operators made */
    bool has_control;      /* a branch or loop was met */
    bool moves_statistics; /* a norm in training mode updates running statistics */
    uint64_t epoch;        /* changes of memory so far */
    int64_t last_prime;    /* the last prime factor used for made-up sizes */
    size_t visits;         /* visited parts of arguments, beyond a call's free allowance */
    htp_map names;         /* names of arguments -> index in name_list */
    HTP_VECTOR(const char *) name_list;
    htp_map weights; /* weight -> its item */
    htp_map bases;   /* storage of weights -> 1 + index in base_tensors */
    HTP_VECTOR(const htp_runner_tensor *) base_tensors;
    htp_map kept_storages; /* of the lanes' memories that a call changes and the next reads */
} htp_recording;

/** State of memories (memory/memory.h). */
typedef struct htp_memory_notes {
    HTP_VECTOR(htp_memory_journal *) journals;
    size_t change_count; /* number of memories that were ever changed */
    size_t turn_count;   /* number of tensors whose dims were changed in place (memory/turns.c) */
    uint64_t groupings;  /* number of groupings of memories so far */
    bool has_elsewhere;  /* some tensor's layout depends on the build of libtorch */
    bool has_nested;     /* some list, tuple or dict may contain another one */
} htp_memory_notes;

/** Data-dependent sizes (sizes/sizes.h). */
typedef struct htp_known_sizes {
    htp_map places; /* identity -> 1 + index in known */
    HTP_VECTOR(htp_trace_size) known;
    bool has_flats;      /* some made-up sizes may be found with other lanes */
    bool has_last_lanes; /* but no others are left to try */
    htp_unique_order unique_order;
} htp_known_sizes;

/** Quantised values (quantized/quantized.h). */
typedef struct htp_known_levels {
    htp_map packed; /* object -> 1 + index in packed_list */
    HTP_VECTOR(const struct htp_packed_weights *) packed_list;
    bool knows_rounding;
} htp_known_levels;

#endif
