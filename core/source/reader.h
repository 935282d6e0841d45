/*
 * The interface of model formats: everything that the core needs of a model file. A format is a
 * htp_reader, a row of functions (core/api/readers.c is the table). An open file is a htp_source,
 * used through the functions below.
 *
 * A source describes its modules, the arguments of a method and the operators in its code, and
 * turns inputs into traces: operators with their types, weights, modules and source lines.
 * TorchScript is interpreted for that; a file with all types needs no interpreter.
 */
#ifndef HTP_SOURCE_READER_H
#define HTP_SOURCE_READER_H

#include "base/arena.h"
#include "base/input_file.h"
#include "base/limits/limits.h"
#include "base/status.h"
#include "base/watch.h"
#include "interpret/trace/request.h"
#include "source/archive/archive.h"
#include "source/hints/hints.h"
#include "source/input_search/axes.h"
#include "source/program/operators.h"

/** Options for opening a file. */
typedef struct htp_source_options {
    const char *const *libraries; /**< that register operators with libtorch */
    size_t library_count;
    const char *libtorch; /**< the folder of the libtorch that reads TorchScript; NULL: found */
    const char *model;    /**< name of the model in a file that holds several; NULL: the only one */
    const htp_limits *limits; /**< of what a run of the program may cost; they outlive the source */
    bool is_inference;        /**< a model saved in training mode is read in inference mode */
    htp_progress_fn progress; /**< NULL: no reports */
    void *user;
} htp_source_options;

/**
 * An open file; all zeroes: none. It lives in a frame that no jump skips. Its results live in its
 * arena, or are the reader's until it is closed.
 */
typedef struct htp_source {
    htp_arena *arena;
    const char *path;
    const struct htp_reader *reader; /**< NULL: not open */
    void *self;                      /**< the reader's own; NULL */
    htp_archive archive;
    htp_input_file file; /**< open, since weights are read from it later */

    /* Of the file. */
    const htp_instance *modules;
    uint32_t module_count;
    const htp_weight *weights; /**< of the modules */
    uint32_t weight_count;
    const char *libtorch_version; /**< of the libtorch that reads it; NULL: none is needed */

    /* Of the method, once one is chosen. */
    const char *method;
    uint32_t module; /**< that has the method */
    const htp_argument *arguments;
    uint32_t argument_count;
    const char *returns; /**< its type, as the file writes it */

    /* For arithmetic on weights at export, set by the first trace; NULL: there is no runner. */
    const struct htp_program *program;
    const struct htp_runner *runner;
} htp_source;

/** A module that runs. */
typedef struct htp_source_running {
    uint32_t module; /**< HTP_NONE: an object that is not a module of the model */
    uint32_t caller; /**< the caller, of a smaller number; HTP_NONE: this is the method */
} htp_source_running;

/** The running modules, by node of the last trace. */
typedef struct htp_source_calls {
    const htp_source_running *running;
    uint32_t running_count;
    const uint32_t *nodes; /**< by node: the innermost one; HTP_NONE: unknown */
    uint32_t node_count;
} htp_source_calls;

/** A format of files. Messages do not begin with the path, except those of open(): callers add it.
 */
typedef struct htp_reader {
    const char *name; /**< "TorchScript" */
    const char *key;  /**< name in JSON: "torchscript" */

    bool declares_sizes; /**< of all values: it may contradict their operators */
    const char *advice;  /**< added to the refusal of a missing method; NULL: nothing */

    /** Whether an archive is of this format. */
    bool (*detect)(const htp_archive *archive);

    /** Opens a source whose archive is open, and describes its modules and weights. Closes the
     * archive once it is checked. In any case close() is called later. */
    htp_status (*open)(htp_source *source, const htp_source_options *options);

    /** Lists the methods of a module. */
    void (*list_methods)(const htp_source *source, uint32_t module, const char *const **names,
                         uint32_t *count);

    /** Describes a method, one of those listed. */
    htp_status (*choose_method)(htp_source *source, uint32_t module, const char *method);

    /** Lists the operators in the method's code, sorted by kind. */
    htp_status (*find_operators)(const htp_source *source, const htp_named_operator **operators,
                                 uint32_t *count);

    /** Finds hints about the method's arguments; NULL: none. */
    htp_status (*find_hints)(const htp_source *source, const htp_hint **hints, uint32_t *count);

    /** Finds inputs that the file has for the method, if any. */
    htp_status (*find_inputs)(htp_source *source, const htp_input **inputs, uint32_t *count);

    /** Joins, ties and fixes dims of the method's inputs as the file declares; NULL: files of this
     * format declare nothing, and trials must show it. */
    void (*find_axes)(const htp_source *source, htp_axes *axes);

    /** Narrows the bounds of input axes by the sizes that the file declares, and sets
     * htp_inputs.takes and .asked; NULL: it allows all. @return whether it restricts any */
    bool (*find_bounds)(const htp_source *source, htp_inputs *inputs);

    /** Traces a call of the method; see htp_interpreter_run() for results and failures. */
    htp_status (*trace)(htp_source *source, const htp_trace_request *request,
                        htp_trace_result *result);

    /** Finds the running modules in the last trace independently of its scopes, as an oracle for
     * them; NULL: impossible. */
    htp_status (*find_calls)(const htp_source *source, htp_arena *arena, htp_watch *watch,
                             htp_source_calls *calls);

    /** Frees the reader's own state, also after a failed open(). */
    void (*close)(htp_source *source);
} htp_reader;

/** Opens a file as an archive, and finds its reader. @return HTP_CODE_BAD_INPUT if there is none,
 * with its kind and path. The caller closes the archive. */
HTP_MUST_USE htp_status htp_reader_find(const htp_reader *const *readers, const char *path,
                                        htp_archive *archive, const htp_reader **reader);

/**
 * Opens a file.
 * @param readers  a list that ends with NULL
 * @param source   all zeroes; to be closed in any case
 */
HTP_MUST_USE htp_status htp_source_open(htp_source *source, htp_arena *arena, const char *path,
                                        const htp_reader *const *readers,
                                        const htp_source_options *options);

/** Closes a source, if it is open. @param leaves_memory  close only files, since the process is
 * about to end */
void htp_source_close(htp_source *source, bool leaves_memory);

/** A record of the file, followed by a NUL; NULL if it is missing or unreadable. @p bytes may be
 * NULL. */
const char *htp_source_read(htp_source *source, const char *name, size_t *bytes);

/** The functions of the reader, with the path at the beginning of messages. */
void htp_source_list_methods(const htp_source *source, uint32_t module, const char *const **names,
                             uint32_t *count);
HTP_MUST_USE htp_status htp_source_choose_method(htp_source *source, uint32_t module,
                                                 const char *method);
HTP_MUST_USE htp_status htp_source_find_operators(const htp_source *source,
                                                  const htp_named_operator **operators,
                                                  uint32_t *count);
HTP_MUST_USE htp_status htp_source_find_hints(const htp_source *source, const htp_hint **hints,
                                              uint32_t *count);
HTP_MUST_USE htp_status htp_source_find_inputs(htp_source *source, const htp_input **inputs,
                                               uint32_t *count);

/** Likewise; without effect if the file declares nothing. */
void htp_source_find_axes(const htp_source *source, htp_axes *axes);
bool htp_source_find_bounds(const htp_source *source, htp_inputs *inputs);

/** Likewise; HTP_CODE_UNSUPPORTED if the format has no oracle. */
HTP_MUST_USE htp_status htp_source_find_calls(const htp_source *source, htp_arena *arena,
                                              htp_watch *watch, htp_source_calls *calls);

/** Traces a call. Messages stay without a path, since the search for inputs parses them. */
HTP_MUST_USE htp_status htp_source_trace(htp_source *source, const htp_trace_request *request,
                                         htp_trace_result *result);

#endif
