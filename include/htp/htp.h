/*
 * htp-trace: TorchScript models to ONNX models whose every node says which module it came from.
 *
 * The public C API. Ownership: strings that a caller passes in are read during the call only;
 * what the library returns is freed with the function named beside it. No function is called
 * back after htp_export() has returned. Separate exports may run in separate threads.
 */
#ifndef HTP_HTP_H
#define HTP_HTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define HTP_MUST_USE __attribute__((warn_unused_result))
#define HTP_API __attribute__((visibility("default")))
#else
#define HTP_MUST_USE
#define HTP_API
#endif

#define HTP_VERSION_MAJOR 0
#define HTP_VERSION_MINOR 1
#define HTP_VERSION_PATCH 0
#define HTP_VERSION "0.1.0"

/** What an operation ended with; the numbers are the program's exit codes. */
typedef enum htp_code {
    HTP_CODE_OK = 0,
    HTP_CODE_INTERNAL = 1,      /**< a defect, or out of memory */
    HTP_CODE_USAGE = 2,         /**< bad options, or inputs that do not fit the model */
    HTP_CODE_BAD_INPUT = 3,     /**< input not readable, or neither TorchScript nor ONNX */
    HTP_CODE_UNSUPPORTED = 4,   /**< the model uses an operator that cannot be exported */
    HTP_CODE_CANNOT_WRITE = 5,  /**< the output could not be written */
    HTP_CODE_FOUND = 6,         /**< of the program: it looked, and found something */
    HTP_CODE_INTERRUPTED = 130, /**< the caller asked to stop */
} htp_code;

/**
 * Result of a fallible function: NULL is success, anything else is one failure, owned by the
 * caller and freed with htp_status_free().
 */
typedef struct htp_status_detail *htp_status;

#define HTP_OK ((htp_status)0)

/** The code of a status; HTP_CODE_OK for NULL. Does not consume the status. */
HTP_API htp_code htp_status_code(htp_status status);

/**
 * One line: what went wrong, where, and what to do. "" for NULL. Valid until the status is freed.
 * An unsupported model has further lines, see htp_status_detail_line().
 */
HTP_API const char *htp_status_message(htp_status status);

/** The number of detail lines (for example one for each unsupported operator); 0 for NULL. */
HTP_API size_t htp_status_detail_count(htp_status status);

/** Detail line @p index; valid until the status is freed. NULL when out of range. */
HTP_API const char *htp_status_detail_line(htp_status status, size_t index);

/** Frees a status; NULL is accepted. */
HTP_API void htp_status_free(htp_status status);

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
    bool state_defaults; /**< state inputs have their first values as initializers of their names:
                            runtimes that know defaults need not be given them */
    /** A .npz file to which the first values of state inputs go, each under the input's name; where
     * axes are dynamic, in the sizes of the options' inputs. It is written when the model is in its
     * place. NULL: none. */
    const char *state_file;
    /** The module that is exported as a model of its own, by a dotted path of htp_inspect(); its
     * tags and the names of its weights begin as in the whole. NULL or "": the root. */
    const char *module;
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
 * very moment in which libtorch, or a pass that needs numbers, reads it, the process receives
 * SIGBUS. While weights are written such a cut is HTP_CODE_BAD_INPUT, and so is any change of the
 * file before the output is complete; a file that replaces it under its name is no change.
 * @param result  may be NULL; otherwise receives a result on success, NULL on failure.
 * @return NULL, or a status whose code tells the kind of failure.
 */
HTP_API HTP_MUST_USE htp_status htp_export(const char *model_path, const char *onnx_path,
                                           const htp_options *options, htp_result **result);

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

/** What a file is, by its contents. */
typedef enum htp_file_kind {
    HTP_FILE_TORCHSCRIPT = 0, /**< an archive, or nothing that is known */
    HTP_FILE_ONNX = 1,
} htp_file_kind;

/** Tells whether @p path is an ONNX model, by its first bytes alone; its name does not matter. A
 * file that cannot be read counts as TorchScript: who opens it says why. */
HTP_API htp_file_kind htp_file_find_kind(const char *path);

/**
 * An ONNX model that was opened, of whatever exporter. Nothing of it changes. One thread at a time
 * may use it. Freed with htp_model_free().
 */
typedef struct htp_model htp_model;

/**
 * Opens the ONNX model @p path and reads its structure: graphs, bodies of If, Loop and Scan, and
 * which modules nodes belong to. A model with functions is read as the flat one that it means: the
 * nodes of functions stand in the place of calls, unless a function imports another version of
 * operators than the model. htp_model_strip() alone keeps functions. Weights are neither read nor
 * copied, and libtorch is not needed. The file is mapped: where it is cut short while the model is
 * open, the process may receive SIGBUS.
 *
 * The module tree is that of the tags (attributes, metadata or doc strings of nodes), of the
 * metadata that PyTorch's exporters write; of the sidecar (htp_model_sidecar()) that lies beside
 * the model; or of the names of nodes. See htp_model_hierarchy().
 * @param model  receives the model, NULL on failure.
 * @return HTP_CODE_BAD_INPUT for what is no valid ONNX model, for functions that call themselves or
 *         would make more than 2 GiB of nodes, or more than 64 MiB and 128 times what the file has,
 *         for external data that are missing, short, or outside of the model's folder, and for a
 *         sidecar that is asked and is none.
 */
HTP_API HTP_MUST_USE htp_status htp_model_open(const char *path, htp_model **model);

/** Closes and frees a model; NULL is accepted. */
HTP_API void htp_model_free(htp_model *model);

/** Where the module tree comes from: "attribute __source_module of nodes"; valid as long as the
 * model. */
HTP_API const char *htp_model_hierarchy(const htp_model *model);

/** Nodes of all graphs, bodies and functions; nodes of these whose module is not known. */
HTP_API uint64_t htp_model_node_count(const htp_model *model);
HTP_API uint64_t htp_model_untagged_count(const htp_model *model);

/** What is asked of a model. Always start from htp_inspect_options_init(). */
typedef struct htp_inspect_options {
    size_t struct_size; /**< set by htp_inspect_options_init() */
    const char *module; /**< an address; NULL: the whole model */
    bool own;           /**< these modules themselves, without those below them */
    int depth;          /**< levels of the tree that are shown below the root; negative: all */
} htp_inspect_options;

/** Fills @p options with the defaults: all of the model. */
HTP_API void htp_inspect_options_init(htp_inspect_options *options);

/**
 * What there is to know of a model: its module tree with nodes, parameters and bytes; or of some
 * modules: what crosses their border, their nodes and their weights.
 *
 * An address of modules is a tag ("/BertModel/BertEncoder/BertLayer.0"), the end of a tag
 * ("BertEncoder/BertLayer.0"), an attribute path ("encoder.layer.0"), a class ("BertLayer"), also
 * behind its package or a beginning of that ("torch.nn.LayerNorm"), or a segment ("BertLayer.0");
 * "*" stands for any part of a segment, "**" for any number of segments.
 * It means these modules and all below them.
 * @param options  may be NULL.
 * @param text    receives text for people, freed with htp_string_free(); may be NULL.
 * @param json    receives the same as one JSON object; may be NULL.
 * @return HTP_CODE_USAGE for an address that names nothing, with the nearest that there are.
 */
HTP_API HTP_MUST_USE htp_status htp_model_inspect(htp_model *model,
                                                  const htp_inspect_options *options, char **text,
                                                  char **json);

/** How a selection is written. */
typedef enum htp_selection_format {
    HTP_SELECT_NAMES = 0,       /**< one name a line */
    HTP_SELECT_JSON = 1,        /**< one object: names, operators, tags, what nodes make */
    HTP_SELECT_ORT_EXCLUDE = 2, /**< a JSON list: nodes_to_exclude of onnxruntime.quantization */
    HTP_SELECT_TRTEXEC = 3,     /**< --layerPrecisions=NAME:PRECISION,... of TensorRT's trtexec */
} htp_selection_format;

/** Which nodes or weights are selected. Always start from htp_selection_init(). */
typedef struct htp_selection {
    size_t struct_size;         /**< set by htp_selection_init() */
    const char *const *modules; /**< addresses, see htp_model_inspect(); one at least */
    size_t module_count;
    const char *const *except; /**< addresses of what is left out of these */
    size_t except_count;
    const char *op; /**< op types, "*" for any part; NULL: all */
    bool own;       /**< the modules themselves, without those below them */
    bool weights;   /**< the initializers that the nodes read, in place of the nodes */
    htp_selection_format format;
    const char *precision; /**< of HTP_SELECT_TRTEXEC; default "fp32" */
} htp_selection;

/** Fills @p selection with the defaults. */
HTP_API void htp_selection_init(htp_selection *selection);

/**
 * Lists the nodes, or the weights, of some modules.
 * @param text  receives the list, freed with htp_string_free().
 * @return HTP_CODE_USAGE for an address that names nothing; HTP_CODE_BAD_INPUT where names alone
 *         cannot tell what is selected: nodes without names, or a name that others have, too.
 */
HTP_API HTP_MUST_USE htp_status htp_model_select(htp_model *model, const htp_selection *selection,
                                                 char **text);

/** What is looked for. Always start from htp_validate_options_init(). */
typedef struct htp_validate_options {
    size_t struct_size;  /**< set by htp_validate_options_init() */
    const char *sidecar; /**< a sidecar that must say what the model says, see htp_model_sidecar();
                            "": MODEL_hierarchy.json beside MODEL.onnx. NULL: none */
} htp_validate_options;

/** Fills @p options with the defaults. */
HTP_API void htp_validate_options_init(htp_validate_options *options);

/**
 * Looks for what is wrong with the ONNX model @p path: names that are taken twice, values that
 * nothing makes or that are read too early, operators that are not imported, in all graphs, bodies
 * and functions; of a model with tags of ours, what does not follow the rules of tags; and where a
 * sidecar says otherwise than the model.
 * @param options  may be NULL.
 * @param text     receives the findings, one a line, and a line that counts them, freed with
 *                 htp_string_free(); may be NULL.
 * @param json     receives the same as one JSON object; may be NULL.
 * @param count    receives the number of findings; may be NULL.
 * @return NULL also where there are findings; HTP_CODE_BAD_INPUT for what cannot be read as a
 *         model, or as a sidecar.
 */
HTP_API HTP_MUST_USE htp_status htp_validate_model(const char *path,
                                                   const htp_validate_options *options, char **text,
                                                   char **json, uint64_t *count);

/**
 * Compares two models by their structure, not by names: which nodes correspond (operator,
 * attributes, constants by their contents, and where what they take comes from), which do not;
 * operators, modules, constants, inputs and outputs, what the files say of themselves, and where
 * the tags of corresponding nodes disagree. Constants are the same whether they are initializers or
 * made by nodes of type Constant. All weights are read once, none is kept.
 * @param text          receives text for people, freed with htp_string_free(); may be NULL.
 * @param json          receives the same, and all of it, as one JSON object; may be NULL.
 * @param is_different  receives whether anything differs that is told; may be NULL.
 * @return NULL also where models differ; HTP_CODE_BAD_INPUT where external data were changed.
 */
HTP_API HTP_MUST_USE htp_status htp_model_compare(htp_model *a, htp_model *b, char **text,
                                                  char **json, bool *is_different);

/** How the quality of tags is measured. Always start from htp_quality_options_init(). */
typedef struct htp_quality_options {
    size_t struct_size;         /**< set by htp_quality_options_init() */
    const char *reference;      /**< tells where the nodes of the first model ran: the TorchScript
                                     model that it was exported from, which is exported anew and
                                     followed on another path, or its sidecar, see
                                     htp_model_sidecar(); NULL: none */
    const char *const *against; /**< ONNX models that are measured by what is known of the first
                                     one, whose nodes they are matched with */
    size_t against_count;
    const char *profile;           /**< of the first model, see htp_profiling; NULL: none */
    const char *json_file;         /**< where the results go as one JSON object; NULL: nowhere */
    const char *csv_file;          /**< the same as CSV: a row for each metric of each part */
    const char *html_file;         /**< the same as a page for browsers, one file */
    const char *const *fail_under; /**< "METRIC=VALUE", percent: what must not be worse */
    size_t fail_under_count;
    bool lists_all; /**< text lists all nodes with problems, not the worst alone */
    const htp_options *export_options; /**< how a reference that is a TorchScript model is exported:
                                            its inputs, method, libraries; NULL: all defaults */
    const char *sidecar; /**< where the results of each model go as "quality" of its sidecar, see
                              htp_model_sidecar(): one that lies there keeps all else, and must say
                              what the model says; "": MODEL_hierarchy.json beside MODEL.onnx, of
                              several models always. NULL: nowhere */
} htp_quality_options;

/** Fills @p options with the defaults. */
HTP_API void htp_quality_options_init(htp_quality_options *options);

/**
 * Measures how good the tags of ONNX models are, whoever wrote them: per model, per depth of the
 * module tree, per module, and per layer. A metric that does not apply has no value and says why.
 * @param models    paths of ONNX models; one at least
 * @param options   may be NULL.
 * @param text      receives text for people, freed with htp_string_free(); may be NULL.
 * @param json      receives the same, and all of it, as one JSON object; may be NULL.
 * @param failures  receives what is worse than options->fail_under, a line each, freed with
 *                  htp_string_free(), or NULL where nothing is; may be NULL.
 * @return NULL also where something is worse. Files appear complete or not at all.
 */
HTP_API HTP_MUST_USE htp_status htp_measure_quality(const char *const *models, size_t count,
                                                    const htp_quality_options *options, char **text,
                                                    char **json, char **failures);

/** Takes the next @p count bytes of a text. @return false to stop */
typedef bool (*htp_write_fn)(void *user, const void *bytes, size_t count);

/** How a picture of a model is written. */
typedef enum htp_drawing_format {
    HTP_DRAW_DOT = 0, /**< for graphviz */
    HTP_DRAW_GRAPHML = 1,
    HTP_DRAW_SVG = 2, /**< drawn by graphviz: its program dot is run, which must be on PATH */
} htp_drawing_format;

/** What is drawn, and how. Always start from htp_drawing_init(). */
typedef struct htp_drawing {
    size_t struct_size; /**< set by htp_drawing_init() */
    htp_drawing_format format;
    const char *module; /**< an address, see htp_model_inspect(); NULL: the whole model */
    bool own;           /**< these modules themselves, without those below them */
    int depth;          /**< levels of modules below the root, or below these modules, that are
                             open; negative: all, and every node is drawn */
    htp_write_fn write; /**< where the picture goes that has no path */
    htp_progress_fn progress; /**< or NULL; called with HTP_STAGE_WRITTEN */
    void *user;               /**< passed to both */
} htp_drawing;

/** Fills @p drawing with the defaults: all of the model, for graphviz. */
HTP_API void htp_drawing_init(htp_drawing *drawing);

/**
 * Draws a model: modules as nested clusters, its nodes in them as boxes, what flows between them as
 * arrows with dtype and dims. At a depth, a module so many levels down is one box, and so is one
 * that holds no others. Bodies and functions lie in the cluster of their node; weights are not
 * drawn.
 * @param path  where the picture appears, complete or not at all; NULL: it goes to drawing->write.
 * @return HTP_CODE_USAGE for an address that names nothing; HTP_CODE_INTERNAL where graphviz is
 *         missing, or cannot draw it.
 */
HTP_API HTP_MUST_USE htp_status htp_model_draw(htp_model *model, const htp_drawing *drawing,
                                               const char *path);

/** A profile, and what is told of it. Always start from htp_profiling_init(). */
typedef struct htp_profiling {
    size_t struct_size;    /**< set by htp_profiling_init() */
    const char *profile;   /**< the JSON file that ONNX Runtime writes where
                                SessionOptions.enable_profiling is set */
    const char *optimized; /**< what it made of the model, SessionOptions.optimized_model_filepath;
                                NULL: not known */
    const char *module; /**< an address, see htp_model_inspect(): the kernels of these modules are
                             listed; NULL: the module tree is */
    bool own;           /**< of these modules themselves, without those below them */
    int depth;          /**< levels of the tree below the root; negative: all */
} htp_profiling;

/** Fills @p profiling with the defaults. */
HTP_API void htp_profiling_init(htp_profiling *profiling);

/**
 * Tells how long the modules of a model ran in ONNX Runtime. A kernel that it calls otherwise than
 * the model's nodes is looked up in the optimised model, which has their tags and tensors, or by
 * the names of nodes in its name; those that are not found are listed. A kernel's time is without
 * that of kernels in its bodies: all times add up to the time in kernels.
 * @param text  receives text for people, freed with htp_string_free(); may be NULL.
 * @param json  receives the same as one JSON object; may be NULL.
 * @return HTP_CODE_BAD_INPUT for a profile that is none, or is cut short.
 */
HTP_API HTP_MUST_USE htp_status htp_model_profile(htp_model *model, const htp_profiling *profiling,
                                                  char **text, char **json);

/** How a changed model is written. Always start from htp_write_options_init(). */
typedef struct htp_write_options {
    size_t struct_size;       /**< set by htp_write_options_init() */
    htp_progress_fn progress; /**< or NULL; called with HTP_STAGE_WRITTEN */
    void *user;
} htp_write_options;

/** Fills @p options with the defaults. */
HTP_API void htp_write_options_init(htp_write_options *options);

/**
 * Writes a model without its tags to @p onnx_path: without the attributes, metadata and doc strings
 * that tell of modules. All else keeps its bytes: of a model that this library exported, the result
 * is byte for byte what an export without tags writes. The files appear as those of htp_export().
 * @param options  may be NULL.
 */
HTP_API HTP_MUST_USE htp_status htp_model_strip(htp_model *model, const char *onnx_path,
                                                const htp_write_options *options);

/**
 * Writes the sidecar of a model to @p path: what there is to know of its modules, operations and
 * tensors, and the graph of each module, as one JSON document (docs/hierarchy.schema.json). The
 * file appears as those of htp_export().
 *
 * An export can write it together with the model (htp_options.sidecar). That one tells of the run,
 * too: "libtorch" and "seconds" of "export", on a line of their own. All else is the same byte for
 * byte.
 * @param path     NULL: MODEL_hierarchy.json for MODEL.onnx; see htp_sidecar_path()
 * @param options  may be NULL.
 */
HTP_API HTP_MUST_USE htp_status htp_model_sidecar(htp_model *model, const char *path,
                                                  const htp_write_options *options);

/** Where the sidecar of a model is, unless another place is given: MODEL_hierarchy.json beside
 * MODEL.onnx. @return a string freed with htp_string_free(); NULL without memory. */
HTP_API char *htp_sidecar_path(const char *onnx_path);

/** Which part of a model is cut out. Always start from htp_extraction_init(). */
typedef struct htp_extraction {
    size_t struct_size;         /**< set by htp_extraction_init() */
    const char *const *modules; /**< addresses, see htp_model_inspect(); one at least */
    size_t module_count;
    const char *const *except; /**< addresses of what is left out of these */
    size_t except_count;
    bool own;     /**< the modules themselves, without those below them */
    int64_t call; /**< of one module that runs several times, from 0 on; -1: all */
    htp_external_data external_data; /**< the weights of the part, as htp_options has them */
    htp_progress_fn progress;        /**< or NULL; called with HTP_STAGE_WRITTEN */
    void *user;
} htp_extraction;

/** Fills @p extraction with the defaults. */
HTP_API void htp_extraction_init(htp_extraction *extraction);

/**
 * Writes some modules as a model of their own to @p onnx_path: their nodes; what crosses their
 * border as inputs and outputs, under the names, types and in the order of the whole; and the
 * weights, constants and functions that they use. All else of the model stays: opset imports,
 * metadata, tags, which are still those of the whole. A node that serves several modules belongs to
 * the first. Of a module in the body of an If or a Loop the body's nodes alone are written.
 * Types that the file does not declare are those that follow from operators. Fed with what flows
 * through the whole at that border, the part gives the same numbers. The files appear as those of
 * htp_export().
 * @param text  receives what was written, for people, freed with htp_string_free(); may be NULL.
 * @param json  receives the same as one JSON object; may be NULL.
 * @return HTP_CODE_USAGE for an address that names nothing, and for modules that cannot be cut out
 *         alone: a path leaves them and comes back, or they lie in several bodies; the smallest
 *         module around them that can be is named. HTP_CODE_BAD_INPUT where the file does not say
 *         the type of what crosses the border, and it does not follow.
 */
HTP_API HTP_MUST_USE htp_status htp_model_extract(htp_model *model,
                                                  const htp_extraction *extraction,
                                                  const char *onnx_path, char **text, char **json);

/** Where a model is split. Always start from htp_splitting_init(). */
typedef struct htp_splitting {
    size_t struct_size;    /**< set by htp_splitting_init() */
    const char *const *at; /**< addresses of modules that become parts, see htp_model_inspect() */
    size_t at_count;
    int depth;          /**< the modules of this level of the tree instead; -1: those of @p at */
    bool share_weights; /**< large weights go to one file, weights.data, that all parts refer to */
    htp_external_data external_data; /**< the weights of each part, where they are not shared */
    htp_progress_fn progress;        /**< or NULL; called with HTP_STAGE_WRITTEN */
    void *user;
} htp_splitting;

/** Fills @p splitting with the defaults. */
HTP_API void htp_splitting_init(htp_splitting *splitting);

/**
 * Writes a model as parts that follow each other to the new folder @p folder, with index.json,
 * which lists them: file, module, inputs and outputs. Each module that is named is a part, each of
 * its calls where it runs several times, and so are the nodes between them; every node is in one
 * part, but for Constants, which all have that read them. Run in their order, each with
 * what the inputs of the model and the parts before it have given, parts give what the whole gives.
 * The folder appears complete or not at all.
 * @param folder  nothing, or an empty folder.
 * @param text, json  as for htp_model_extract(); @p json is what index.json holds.
 * @return HTP_CODE_USAGE as htp_model_extract(), and for modules that lie in each other or need
 * each other; HTP_CODE_CANNOT_WRITE where the folder is not empty.
 */
HTP_API HTP_MUST_USE htp_status htp_model_split(htp_model *model, const htp_splitting *splitting,
                                                const char *folder, char **text, char **json);

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

/** Frees a string that the library returned; NULL is accepted. */
HTP_API void htp_string_free(char *string);

/** The number of supported operators. */
HTP_API size_t htp_operator_count(void);

/** Operator @p index with overload, sorted by name: "aten::add.Tensor". NULL when out of range. */
HTP_API const char *htp_operator_name(size_t index);

/** The library's version, "MAJOR.MINOR.PATCH". */
HTP_API const char *htp_version(void);

/**
 * The version of the libtorch behind the shim. Opens the shim.
 * @param version  receives a string with static lifetime.
 */
HTP_API HTP_MUST_USE htp_status htp_libtorch_version(const char **version);

#ifdef __cplusplus
}
#endif

#endif
