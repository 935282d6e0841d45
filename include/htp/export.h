/*
 * Models of PyTorch: their export, and queries before it.
 */
#ifndef HTP_EXPORT_H
#define HTP_EXPORT_H

#include <htp/status.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Where tags are written; a bit set. */
typedef enum htp_tag_place {
    HTP_TAG_ATTRIBUTE = 1 << 0,  /**< node attributes __source_module and __hierarchy_tags */
    HTP_TAG_METADATA = 1 << 1,   /**< metadata_props of nodes, initializers and the model */
    HTP_TAG_DOC_STRING = 1 << 2, /**< doc_string of nodes */
    HTP_TAG_LAYER_ANN = 1 << 3,  /**< metadata_props layer_ann of nodes, by which ONNX Runtime
                                    places layers on devices */
} htp_tag_place;

/** When weights are stored in a file beside the model. */
typedef enum htp_external_data {
    HTP_EXTERNAL_AUTO = 0, /**< when the model would be larger than 2 GiB */
    HTP_EXTERNAL_ALWAYS = 1,
    HTP_EXTERNAL_NEVER = 2,
} htp_external_data;

/** The stages of an export, in order. */
typedef enum htp_stage {
    HTP_STAGE_LOADED = 0,
    HTP_STAGE_INPUTS,
    HTP_STAGE_TRACED,
    HTP_STAGE_LOWERED,
    HTP_STAGE_TAGGED,
    HTP_STAGE_WRITTEN,
    HTP_STAGE_COUNT,
    HTP_STAGE_COMPARED = HTP_STAGE_COUNT, /**< no stage of an export: of htp_model_verify() */
} htp_stage;

/** A stage's name: "loaded". NULL when out of range. */
HTP_API const char *htp_stage_name(htp_stage stage);

/** One report of progress. */
typedef struct htp_progress {
    htp_stage stage;
    bool finished;     /**< true once for every stage, when it is complete */
    uint64_t done;     /**< units done: modules, inputs, nodes, nodes, nodes, bytes */
    uint64_t total;    /**< units in all; 0: unknown */
    double seconds;    /**< since the stage began */
    const char *label; /**< the name of the units, plural: "modules", "nodes", "bytes" */
} htp_progress;

/** Called at the end of every stage, and now and then within it. @return false to stop */
typedef bool (*htp_progress_fn)(void *user, const htp_progress *progress);

/** Called with each note for the user, one line without a newline: assumed inputs, a missing
 * hierarchy. */
typedef void (*htp_note_fn)(void *user, const char *line);

/** Options of an export. Always start from htp_options_init(). */
typedef struct htp_options {
    size_t struct_size;               /**< set by htp_options_init() */
    const char *const *inputs;        /**< "NAME:DTYPE[batch=2,8]", one per argument in order */
    size_t input_count;               /**< 0: those of the archive, or derived */
    const char *inputs_file;          /**< JSON or .npz file of inputs, or NULL */
    int opset;                        /**< 17 to 23; 0, the default: the lowest
                                           from 18 on that the model needs */
    unsigned tags;                    /**< set of htp_tag_place; default attribute and metadata */
    const char *tag_attribute_prefix; /**< default "__" */
    bool include_torch_nn;            /**< torch.nn classes get segments, too */
    htp_external_data external_data;
    htp_progress_fn progress; /**< or NULL */
    htp_note_fn note;         /**< or NULL */
    void *user;               /**< passed to both */
    bool freeze_state;  /**< exports only the first call. Otherwise attributes that a call changes
                             and the next one reads become inputs state.NAME and outputs
                             state.NAME.next */
    bool static_shapes; /**< only axes that the inputs name are dynamic */
    bool details;       /**< notes say why axes are not dynamic */
    /** For htp_dump_graph(): the last pass that runs; NULL: "trace" */
    const char *dump_after;
    /** Libraries that register operators with libtorch, opened in this order before the model, as
     * torch.ops.load_library() does. They stay open, and their operators run, to find sizes. */
    const char *const *libraries;
    size_t library_count;
    /** "NS::NAME=DOMAIN:OP" or "NS::NAME=DOMAIN@VERSION:OP": operators of the model that are
     * written as ONNX operators of other domains. The default version is 1. */
    const char *const *custom_operators;
    size_t custom_operator_count;
    const char *method; /**< the method of the root module or of @p module; NULL: forward */
    /** Path of the sidecar, which is written after the model, see htp_model_sidecar();
     * "": MODEL_hierarchy.json beside MODEL.onnx. NULL: none. */
    const char *sidecar;
    /** Modules that become ONNX functions: selectors, separated by commas. A selector is an address
     * (see htp_model_inspect()), which here means these modules without those below them, or
     * "depth=N" for modules with N tagged modules above them; %2C is a comma in a name. "": every
     * called module outside torch.nn. NULL: no functions. The root never becomes one. Modules with
     * equal bodies share a function. */
    const char *functions;
    bool functions_per_instance; /**< each module has a function of its own, with absolute tags */
    bool state_defaults; /**< initial states become default values of the state inputs: initializers
                            of the same names, so that runtimes that know defaults need no values */
    /** A .npz file for the initial states, each under the name of its input, with the example's
     * sizes for dynamic axes. It is written after the model. NULL: none. */
    const char *state_file;
    /** The module that is exported as a model of its own, by a dotted path of htp_inspect(). Its
     * tags and the names of its weights are those of the whole. NULL or "": the root. */
    const char *module;
    bool eval; /**< exports modules in inference mode, as after eval(): a model that was saved in
                    training mode has no dropout, and its norms use their running statistics */
    /** Stores a weight that is read in several layouts, such as that of an embedding and the output
     * layer, once for each, so that quantisers find it at matrix products. */
    bool untie;
    /** Keeps arithmetic on weights in the graph, and norms apart from the convolutions and linear
     * layers before them. Otherwise both are folded. */
    bool no_fold;
    /** Leaves the memory of the model to the system, which frees it faster than libtorch: for
     * processes that end soon after this call. */
    bool leaves_memory;
    int ir_version; /**< of ONNX, up to 14; 0, the default: the lowest that goes with the opset and
                         the types of the model, so that old runtimes read it. HTP_CODE_USAGE for
                         lower ones */
    /** Merges equal nodes that compute sizes, positions and masks only within one call of a module;
     * otherwise in the whole model or, with functions, in a body. */
    bool shares_within_modules;
    /** The name of the model in an archive of torch.export (.pt2) that holds several, as given to
     * torch.export.pt2_archive. NULL: the only one. */
    const char *model;
    int tree_depth; /**< htp_inspect(): levels of the module tree that are shown below the root;
                         negative, the default: all */
    /** The libtorch that reads TorchScript: the folder of a torch package of Python, of a libtorch
     * distribution, or a prefix such as /usr. A process opens one libtorch, at its first
     * TorchScript model. NULL: $HTP_LIBTORCH, else the one that is found, see docs/LIBTORCH.md. */
    const char *libtorch;
    /** "NAME=N": limits of what a model may cost, see docs/LIMITS.md. */
    const char *const *limits;
    size_t limit_count;
    /** htp_export() works in a child of this process, whose death is a status: a crash in libtorch
     * does not end a host. The child is forked, so call it before this process uses libtorch
     * itself, with threads of its own. */
    bool isolated;
    int isolated_seconds; /**< the most that the child may take; 0: no limit */
} htp_options;

/** Fills @p options with the defaults. */
HTP_API void htp_options_init(htp_options *options);

/** The result of an export. Freed with htp_result_free(). */
typedef struct htp_result htp_result;

/**
 * Reads the model @p model_path, a TorchScript file or a program of torch.export, and writes the
 * ONNX model @p onnx_path.
 *
 * The output appears complete or not at all; a failure leaves an existing file untouched. If the
 * process or the machine stops at any instant, the model at @p onnx_path is the whole old one or
 * the whole new one, each with its weights. External weights go to ONNX_PATH.data, or to
 * ONNX_PATH.1.data and so on if the replaced model refers to that name. If this library made the
 * old data file, it is removed once the new model is in place.
 *
 * Signal handling of the process does not change: exceeding a disk quota or a file size limit is
 * reported as a status. But weights are read from a mapping of @p model_path: if the file is
 * truncated while libtorch or a pass reads weights, the process receives SIGBUS. If it is truncated
 * while weights are written, or changed before the output is complete, the status is
 * HTP_CODE_BAD_INPUT. Replacing it by renaming another file has no effect.
 * @param result  may be NULL; otherwise receives a result on success, NULL on failure.
 * @return NULL, or a status whose code is the kind of failure.
 */
HTP_API HTP_MUST_USE htp_status htp_export(const char *model_path, const char *onnx_path,
                                           const htp_options *options, htp_result **result);

/** Machine-readable summary (one JSON object); valid until the result is freed. */
HTP_API const char *htp_result_json(const htp_result *result);

/** The module tree with node counts, as indented text; valid until the result is freed. */
HTP_API const char *htp_result_tree(const htp_result *result);

/** The path of the file with the weights, which must stay beside the model; NULL if weights are in
 * the model. Valid until the result is freed. */
HTP_API const char *htp_result_external_path(const htp_result *result);

/** The number of ONNX nodes written. */
HTP_API uint64_t htp_result_node_count(const htp_result *result);

/** Frees a result; NULL is accepted. */
HTP_API void htp_result_free(htp_result *result);

/**
 * The aten-level graph with types, scopes and source lines, as text, one node a line, after the
 * pass that options->dump_after names: "trace", "aliases", "constants" or "dead-code".
 * @param text  receives a string freed with htp_string_free().
 */
HTP_API HTP_MUST_USE htp_status htp_dump_graph(const char *model_path, const htp_options *options,
                                               char **text);

/**
 * Describes a model before its export: the method's signature, inputs as an export would choose
 * them, the module tree, the operators in the code, and which of them cannot be exported. Nothing
 * is traced, and weights are not read.
 * @param text  receives text for people, freed with htp_string_free(); may be NULL.
 * @param json  receives the same as one JSON object; may be NULL.
 */
HTP_API HTP_MUST_USE htp_status htp_inspect(const char *model_path, const htp_options *options,
                                            char **text, char **json);

#ifdef __cplusplus
}
#endif

#endif
