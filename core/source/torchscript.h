/*
 * TorchScript files through the shim: finding and opening the shim, opening a model, tracing it.
 */
#ifndef HTP_SOURCE_TORCHSCRIPT_H
#define HTP_SOURCE_TORCHSCRIPT_H

#include "base/status.h"
#include "graph/graph.h"
#include "interpret/interpret.h"
#include "source/archive.h"
#include "source/inputs.h"
#include "source/obstacle.h"

#include <htp/shim.h>

/**
 * The shim, opened at first use (dlopen costs some 400 ms) and kept for the life of the process.
 * Looked for in $HTP_SHIM, beside the running executable, beside this library, and where it was
 * installed. Thread-safe.
 */
HTP_MUST_USE htp_status htp_torchscript_shim(const htp_shim **shim);

/** Opens a library that registers operators with libtorch; it stays open. */
HTP_MUST_USE htp_status htp_torchscript_load_library(const htp_shim *shim, const char *path);

/** Checks before libtorch is asked that @p path is a readable regular file that looks like a
 * TorchScript archive; says what it is where it is something else (a state_dict, a pickled
 * module, an exported program, a directory, an empty file). Lists the records in @p archive, which
 * must be empty; who has it closes it (htp_archive_close) where the arena's recovery point is. */
HTP_MUST_USE htp_status htp_torchscript_check(htp_arena *arena, const char *path,
                                              htp_archive *archive);

/** Opens a model that was checked. Close it with shim->close(). @p progress may be NULL; when it
 * returns false the status is HTP_CODE_INTERRUPTED. */
HTP_MUST_USE htp_status htp_torchscript_open(const htp_shim *shim, const char *path,
                                             const htp_archive *archive, htp_progress_fn progress,
                                             void *user, htp_shim_model **model);

/** What a shim call ended with as a status: the file's name in front of the shim's message. */
HTP_MUST_USE htp_status htp_torchscript_status(const char *path, htp_shim_code code,
                                               const htp_shim_error *error);

/** A shim call that is watched, and may be stopped. */
typedef struct htp_watch {
    htp_stage stage;
    const char *label;
    htp_progress_fn progress; /* NULL: nobody watches */
    void *user;
    bool is_interrupted;
} htp_watch;

/** What the shim calls as it gets on; @p user is a htp_watch. @return false to stop. */
bool htp_watch_tick(void *user, uint64_t done, uint64_t total);

/** What is traced: the method of a model that is open. */
typedef struct htp_traced {
    const char *path; /**< of the file, in messages */
    htp_interpreter *interpreter;
    htp_interpreter_runs *run; /**< htp_interpreter_run */
    const htp_instance *modules;
    uint32_t module_count;
    const htp_argument *arguments;
    uint32_t argument_count;
} htp_traced;

/**
 * Traces a method with @p inputs and builds the graph in @p arena. Where forward() refuses the
 * sizes of the other lanes others are tried (htp_inputs_choose_lanes), unless it is clear that none
 * will do; @p inputs keeps those that it took. Attributes that a call changes become the graph's
 * states, unless @p freezes_state asks for the call after the archive was read. @p obstacle (or
 * NULL) receives why there is no graph; without it, the status tells whether the axes that somebody
 * named are to blame, which takes one more trace. @p progress may be NULL; when it returns false
 * the status is HTP_CODE_INTERRUPTED.
 */
HTP_MUST_USE htp_status htp_torchscript_trace(const htp_traced *of, htp_inputs *inputs,
                                              bool freezes_state, htp_obstacle *obstacle,
                                              htp_progress_fn progress, void *user,
                                              htp_arena *arena, htp_graph **graph);

#endif
