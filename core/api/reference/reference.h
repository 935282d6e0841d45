/*
 * What a PyTorch model computes, as the reference of a verification. Private to core/api.
 *
 * The model is exported in memory. Its recorded operators run again on real tensors, in libtorch.
 * Each of their results has its tensor in the export, which is where the other model's counterparts
 * are found.
 */
#ifndef HTP_API_REFERENCE_H
#define HTP_API_REFERENCE_H

#include "api/export/fresh_export.h"
#include "base/files/spill.h"
#include "replay/replay.h"
#include "source/inputs/arrays_npz.h"
#include "verify/verify.h"

#include <htp/shim.h>

/** Choices of sizes: the program's own; guesses; those of the other lanes of its trace, which it is
 * known to take. */
enum {
    HTP_PROGRAM_GUESSES = 3,
    HTP_PROGRAM_CANDIDATES = HTP_MAX_LANES + HTP_PROGRAM_GUESSES,
};

/** One of them. */
typedef struct htp_program_candidate {
    const int64_t *sizes; /* by axis of the program */
    uint32_t lane;        /* of the trace, which has these sizes; HTP_NONE: none has */
} htp_program_candidate;

/** A program that runs. All zeroes: nothing is open. Lives in a frame that no jump skips. */
typedef struct htp_verify_program {
    htp_fresh_export fresh;
    htp_verify_reference reference;
    htp_arena *arena;
    const htp_shim *shim;      /* that opened `operators` */
    htp_shim_model *operators; /* for a file that libtorch does not read; or NULL */
    htp_replay_means means;
    htp_replay *replay;
    htp_program_candidate candidates[HTP_PROGRAM_CANDIDATES];
    htp_spill spills[HTP_PROGRAM_CANDIDATES]; /* tensors of each choice of sizes */
    htp_npz_file given;                       /* inputs of the user */
    const htp_array *const *last; /* by value of the view: the last call, which hands on states */
    uint32_t *values;             /* by value of the graph: of the view; HTP_NONE */
    bool *is_wanted;              /* by value of the graph */
    bool *is_result;              /* by value of the view: one that is wanted */
    bool *is_returned;            /* likewise: the model returns it */
    double *tolerances;           /* likewise */
    bool *differs;                /* likewise: the run in double precision gave other numbers */
    htp_replay_gap gap;           /* of the first run */
} htp_verify_program;

/**
 * Exports a model, and prepares its runs.
 * @param arena    of the reference; its recovery point is set
 * @param options  as for htp_export(); NULL: all defaults
 * @param program  all zeroes; closed in any case
 */
HTP_MUST_USE htp_status htp_verify_program_open(htp_verify_program *program, htp_arena *arena,
                                                const char *model_path, const htp_options *options);

/** Chooses sizes: candidates, and how many there are. */
void htp_verify_program_choose_sizes(htp_verify_program *program);

/** As htp_verify_reference.size() */
int64_t htp_verify_program_size(void *user, uint32_t candidate, const char *axis);

/** Changes inputs that were made up to what the operators that read them require: sorted
 * boundaries, ascending offsets. Linear in the graph. @param lane  as that of a candidate
 * @param arrays  by value of the view */
void htp_verify_program_fit_inputs(const htp_verify_program *program, uint32_t lane,
                                   const htp_array **arrays);

/** Finds the inputs and outputs that are states: reference.states. @param by_name  by name of the
 * view: its value of graph 0 plus one; 0: none */
void htp_verify_program_find_states(htp_verify_program *program, const uint32_t *by_name);

/** Sets the states that a call begins with: those of the file, later those that the last call left.
 * Where they do not fit, what was made up stays. @param arrays  by value of the view */
void htp_verify_program_hand_on(htp_verify_program *program, const htp_array **arrays);

/** Whether all states have the sizes that they had in the trace. */
bool htp_verify_program_has_own_sizes(const htp_verify_program *program,
                                      const htp_array *const *arrays);

/** Lists the tensors of which the export has none: reference.absent. Linear in the graph. */
void htp_verify_program_find_absent(htp_verify_program *program);

/** Releases everything. */
void htp_verify_program_close(htp_verify_program *program);

#endif
