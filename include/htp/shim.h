/*
 * The C ABI between the core and the libtorch shim.
 *
 * The shim is a shared object opened with dlopen(), which exports only htp_shim_open(). No libtorch
 * type and no C++ exception crosses it. Everything that it returns is plain data owned by the
 * htp_shim_model, valid until its close(); the core only reads it. The core decides what runs: it
 * interprets the program (htp/program.h), and lets the runner run its operators (htp/runner.h).
 */
#ifndef HTP_SHIM_H
#define HTP_SHIM_H

#include <htp/types.h>

#ifdef __cplusplus
extern "C" {
#endif

#define HTP_SHIM_ABI 21u

/** Failure classes; the core maps them to exit codes. */
typedef enum htp_shim_code {
    HTP_SHIM_OK = 0,
    HTP_SHIM_INTERNAL,    /**< out of memory, or a defect */
    HTP_SHIM_NOT_MODEL,   /**< not readable, or not TorchScript */
    HTP_SHIM_BAD_INPUTS,  /**< a file to open is missing, or does not fit */
    HTP_SHIM_UNSUPPORTED, /**< a construct that cannot be followed */
} htp_shim_code;

/** A record of the archive: a file in its folder. Names are unique, and bytes lie within the file.
 */
typedef struct htp_archive_record {
    const char *name; /**< below the archive's own folder: "data/0" */
    uint64_t offset;  /**< of its first byte in the file */
    uint64_t bytes;   /**< uncompressed */
    bool is_stored;   /**< uncompressed; otherwise deflated */
} htp_archive_record;

/** The kinds of htp_archive_made. */
typedef enum htp_archive_made_kind {
    HTP_ARCHIVE_MADE_OF_INT,
    HTP_ARCHIVE_MADE_OF_FLOAT,
    HTP_ARCHIVE_MADE_OF_TEXT,
    HTP_ARCHIVE_MADE_OF_OTHER,
} htp_archive_made_kind;

/** A call of a class of the program in a pickle, and its argument: it makes an object, or the
 * member of an enum with this value. libtorch's reader leaves a gap for a value that no member has.
 */
typedef struct htp_archive_made {
    const char *pickle;          /**< its record: "data.pkl" */
    const char *qualified_class; /**< as the pickle has it: "__torch__.model.Color" */
    htp_archive_made_kind kind;  /**< of the argument */
    int64_t number;              /**< an int */
    double real;                 /**< a float */
    const char *text;            /**< a text, which may hold any bytes */
    size_t text_bytes;
} htp_archive_made;

/** A record whose bytes libtorch gets from here instead of from the file: code, which was read for
 * the checks, and pickles with other names of devices. */
typedef struct htp_archive_given {
    const char *name; /**< "data.pkl", "code/__torch__/model.py" */
    const void *bytes;
    size_t count;
} htp_archive_given;

/** The contents of an archive, as the core found them. */
typedef struct htp_shim_contents {
    const htp_archive_record *records;
    uint32_t record_count;
    const htp_archive_made *made; /**< calls in pickles, without duplicates */
    uint32_t made_count;
    const htp_archive_given *given; /**< each record once; includes all code */
    uint32_t given_count;
} htp_shim_contents;

typedef struct htp_shim_model htp_shim_model;
struct htp_program;      /* htp/program.h */
struct htp_operand;      /* htp/runner.h */
struct htp_runner;       /* htp/runner.h */
struct htp_meta_kernels; /* htp/meta.h */

/** An operator on constants that libtorch is about to run by itself. */
typedef struct htp_constant_operation {
    const char *name;   /**< without overload: "aten::find" */
    const char *schema; /**< "aten::find(str self, str substr, int start=0, int end=-1) -> int" */
    const struct htp_operand *operands;
    uint32_t operand_count;
} htp_constant_operation;

/** Callbacks of the core while an archive is read. Lives until open() returns. */
typedef struct htp_shim_host {
    void *user; /**< first argument of each function */

    /** Called with the number of records read so far, and of all. False stops with
     * HTP_SHIM_INTERNAL. */
    htp_tick tick;

    /** Whether may_run() must be called before an operator runs. @param schema  as for that */
    bool (*is_checked)(const char *name, const char *schema);

    /** Whether an operator may run; if not, @p reason receives a line. */
    bool (*may_run)(void *user, const htp_constant_operation *operation, htp_error *reason);

    /** Called with each object whose class has a __getstate__, inner ones first: sets its
     * attributes by its __setstate__(state), before anything else reads them. Program and runner
     * are valid during this call. Its failure becomes that of open(). */
    htp_shim_code (*restore)(void *user, const struct htp_program *program,
                             const struct htp_runner *runner, uint32_t object,
                             const struct htp_operand *state, htp_error *error);
} htp_shim_host;

/** The functions of a shim. All are safe to call from one thread at a time. */
typedef struct htp_shim {
    uint32_t abi;                 /**< HTP_SHIM_ABI */
    const char *libtorch_version; /**< "1.13.1" */

    /** Opens an archive. Weights are not read. @p contents were found by the core; their records
     * must stay until the model is closed. @return a code; @p model is NULL on failure */
    htp_shim_code (*open)(const char *path, const htp_shim_contents *contents,
                          const htp_shim_host *host, htp_shim_model **model, htp_error *error);

    /** Opens a model without modules or code, whose runner runs libtorch's own operators, for
     * programs that libtorch does not read. @return a code; @p model is NULL on failure */
    htp_shim_code (*open_empty)(htp_shim_model **model, htp_error *error);

    /** Puts every module in inference mode, as eval() does. Must precede program(). */
    htp_shim_code (*evaluate)(htp_shim_model *model, htp_error *error);

    /** Frees the model and everything that it returned; NULL is accepted. */
    void (*close)(htp_shim_model *model);

    /** Whether this libtorch registers the operator @p kind. */
    bool (*has_operator)(const char *kind);

    /** Opens a library that registers operators, before the models that need them; it stays open.
     * @return HTP_SHIM_OK, or HTP_SHIM_BAD_INPUTS */
    htp_shim_code (*load_library)(const char *path, htp_error *error);

    /** The program: plain data, valid until close(). The caller sets its method. */
    struct htp_program *(*program)(htp_shim_model *model);

    /** The runner of the program's operators; valid until close(). */
    htp_shim_code (*runner)(htp_shim_model *model, const struct htp_runner **runner,
                            htp_error *error);

    /** Registers meta kernels of the core with libtorch, for currently known operators that need
     * them. May be called again after a library was opened. */
    htp_shim_code (*add_meta_kernels)(const struct htp_meta_kernels *kernels, htp_error *error);
} htp_shim;

/** The only exported symbol. @return NULL if the shim has another ABI */
const htp_shim *htp_shim_open(uint32_t abi);

#ifdef __cplusplus
}
#endif

#endif
