/*
 * TorchScript files: exports, and what is asked of them before.
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
    HTP_TAG_LAYER_ANN = 1 << 3,  /**< the tag as metadata_props layer_ann of nodes, by which ONNX
                                    Runtime places layers on devices */
} htp_tag_place;

/** When weights go to a file beside the model. */
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
} htp_stage;

/** A stage's name: "loaded". NULL when out of range. */
HTP_API const char *htp_stage_name(htp_stage stage);

/** One report of progress. */
typedef struct htp_progress {
    htp_stage stage;
    bool finished;     /**< true once for every stage, when it is complete */
    uint64_t done;     /**< units done: modules, inputs, nodes, nodes, nodes, bytes */
    uint64_t total;    /**< units in all; 0 when not known beforehand */
    double seconds;    /**< since the stage began */
    const char *label; /**< what the units are, plural: "modules", "nodes", "bytes" */
} htp_progress;

/** Called at the end of every stage and now and then within it; false asks to stop. */
typedef bool (*htp_progress_fn)(void *user, const htp_progress *progress);

/** Called with one line (no newline) for notes that the user should see: assumed inputs, a
 * hierarchy that is gone. */
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
    bool freeze_state;  /**< one call is exported, that of the model as it was saved. Otherwise
                             attributes that a call changes and the next one reads are inputs
                             state.NAME and outputs state.NAME.next of the model */
    bool static_shapes; /**< no axis is dynamic but those that the inputs name */
    bool details;       /**< notes tell what fixes the axes that are not dynamic */
    /** htp_dump_graph(): the last pass that runs; NULL: as it was traced */
    const char *dump_after;
    /** Libraries that register operators with libtorch, opened in this order before the model: as
     * torch.ops.load_library(). They stay open, and their operators are run to find sizes. */
    const char *const *libraries;
    size_t library_count;
    /** "NS::NAME=DOMAIN:OP" or "NS::NAME=DOMAIN@VERSION:OP": operators of the model that are
     * written as ONNX operators of other domains. The version is 1 unless it is given. */
    const char *const *custom_operators;
    size_t custom_operator_count;
    const char *method; /**< of the root module or of @p module, that is exported; NULL: forward */
    /** A file to which the sidecar goes when the model is in its place, see htp_model_sidecar();
     * "": MODEL_hierarchy.json beside MODEL.onnx. NULL: none. */
    const char *sidecar;
    /** Modules whose calls are written as calls of ONNX functions, which keep what runs in them:
     * selectors with commas between them. One is an address of modules, see htp_model_inspect(),
     * that means these modules without those below them, or "depth=N" for those that have N modules
     * with tags above them; %2C is a comma in a name. "": every module that is called and whose
     * class is not torch.nn's. The root is never one of them. NULL: no functions. Modules with
     * equal bodies share one function. */
    const char *functions;
    bool functions_per_instance; /**< each module has a function of its own, with absolute tags */
    bool state_defaults; /**< state inputs have their initial states as initializers of their names:
                            runtimes that know defaults need not be given them */
    /** A .npz file to which the initial states go, each under the input's name;
     * where axes are dynamic, in the sizes of the options' inputs. It is written when the model is
     * in its place. NULL: none. */
    const char *state_file;
    /** The module that is exported as a model of its own, by a dotted path of htp_inspect(); its
     * tags and the names of its weights begin as in the whole. NULL or "": the root. */
    const char *module;
    bool eval; /**< modules are exported in inference mode, as after eval(): a model that was saved
                    in training mode drops nothing, and its norms use their running statistics */
    /** A weight that is read in several layouts, as one that an embedding and the output layer
     * share, is written in each of them: quantisers find it in front of products of matrices. */
    bool untie;
    /** What is computed of weights alone stays in the graph, and so do norms behind convolutions
     * and linear layers, which else become a part of these. */
    bool no_fold;
    /** The process ends soon after this call: what the model took is not freed, which the system
     * does at once where libtorch takes a while. */
    bool leaves_memory;
    int ir_version; /**< of ONNX, up to 14; 0, the default: the lowest that goes with the opset and
                         the types of the model, so that old runtimes read it. A lower one than
                         that is HTP_CODE_USAGE */
    /** Sizes, positions and masks that several modules compute of the same values are computed once
     * within a module alone. Otherwise they are in the whole model; with functions, in a body. */
    bool shares_within_modules;
    /** The model of an archive of torch.export (.pt2) that holds several, as
     * torch.export.pt2_archive was given it. NULL: the only one. */
    const char *model;
} htp_options;

/** Fills @p options with the defaults. */
HTP_API void htp_options_init(htp_options *options);

/** What an export produced. Freed with htp_result_free(). */
typedef struct htp_result htp_result;

/**
 * Reads the TorchScript file @p model_path and writes the ONNX model @p onnx_path.
 *
 * The output appears complete or not at all; a failure leaves an existing file untouched. Whatever
 * ends the process or the machine, the model at @p onnx_path is the whole old one or the whole new
 * one, each with its weights. Weights in a file of their own are in ONNX_PATH.data, or in
 * ONNX_PATH.1.data and so on where the model that is replaced refers to that name; that model's
 * data file is removed when the new model is in its place, if this library made it.
 *
 * The process's handling of signals is left alone: a disk quota or a limit of file sizes is a
 * status. But weights are read from a mapping of @p model_path: where that file is cut short in the
 * very moment in which libtorch, a pass that needs numbers, or one that lays a weight out anew
 * reads it, the process receives SIGBUS. While weights are written such a cut is
 * HTP_CODE_BAD_INPUT, and so is any change of the file before the output is complete; a file that
 * replaces it under its name is no change.
 * @param result  may be NULL; otherwise receives a result on success, NULL on failure.
 * @return NULL, or a status whose code tells the kind of failure.
 */
HTP_API HTP_MUST_USE htp_status htp_export(const char *model_path, const char *onnx_path,
                                           const htp_options *options, htp_result **result);

/** Machine-readable summary (one JSON object); valid until the result is freed. */
HTP_API const char *htp_result_json(const htp_result *result);

/** The module tree with node counts, as indented text; valid until the result is freed. */
HTP_API const char *htp_result_tree(const htp_result *result);

/** The file beside the model that its weights are in, which goes where the model goes; NULL where
 * they are in the model. Valid until the result is freed. */
HTP_API const char *htp_result_external_path(const htp_result *result);

/** ONNX nodes written. */
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
 * What there is to know of a model before it is exported: the method's signature, inputs as an
 * export would choose them, the module tree, the operators that the code names, and which of them
 * no export supports. Nothing is traced, weights are not read.
 * @param text  receives text for people, freed with htp_string_free(); may be NULL.
 * @param json  receives the same as one JSON object; may be NULL.
 */
HTP_API HTP_MUST_USE htp_status htp_inspect(const char *model_path, const htp_options *options,
                                            char **text, char **json);

#ifdef __cplusplus
}
#endif

#endif
