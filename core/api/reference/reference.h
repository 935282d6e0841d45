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

/** Choices of sizes: the program's own; smaller ones; those of the other lanes of its trace, which
 * it is known to take. */
enum {
    HTP_PROGRAM_SMALLER = 2,
    HTP_PROGRAM_CANDIDATES = HTP_MAX_LANES + HTP_PROGRAM_SMALLER,
    HTP_PROGRAM_CALLS = HTP_VERIFY_RUNS, /* of a program with state: all at its own sizes */
};

/** A program that runs. All zeroes: nothing is open. Lives in a frame that no jump skips. */
typedef struct htp_verify_program {
    htp_fresh_export fresh;
    htp_verify_reference reference;
    htp_arena *arena;
    const htp_shim *shim;      /* that opened `operators` */
    htp_shim_model *operators; /* for a file that libtorch does not read; or NULL */
    htp_replay_means means;
    htp_replay *replay;
    htp_spill spills[HTP_PROGRAM_CANDIDATES]; /* tensors of each choice of sizes */
    htp_npz_file given;                       /* inputs of the user */
    const htp_array *const *last; /* by value of the view: the last call, which hands on states */
    uint32_t *values;             /* by value of the graph: of the view; HTP_NONE */
    bool *is_wanted;              /* by value of the graph */
    bool *is_result;              /* by value of the view: one that is wanted */
    double *tolerances;           /* by value of the view */
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

/** Lists the tensors of which the export has none: reference.absent. Linear in the graph. */
void htp_verify_program_find_absent(htp_verify_program *program);

/** Releases everything. */
void htp_verify_program_close(htp_verify_program *program);

#endif
