/*
 * ONNX models: queries, and models made from them.
 */
#ifndef HTP_MODEL_H
#define HTP_MODEL_H

#include <htp/export.h>
#include <htp/status.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The kind of a file, by its contents. */
typedef enum htp_file_kind {
    HTP_FILE_TORCHSCRIPT = 0, /**< an archive of PyTorch, or an unknown file */
    HTP_FILE_ONNX = 1,
} htp_file_kind;

/** Finds out whether @p path is an ONNX model, by its first bytes; its name does not matter. An
 * unreadable file counts as HTP_FILE_TORCHSCRIPT; opening it gives the reason. */
HTP_API htp_file_kind htp_file_find_kind(const char *path);

/**
 * Sets the limits of the ONNX models that the process opens from now on, "NAME=N" each; see
 * docs/LIMITS.md. Without a call, all have their defaults. Call it before any thread opens a model.
 * @return HTP_CODE_USAGE for another text, and then nothing changes
 */
HTP_API HTP_MUST_USE htp_status htp_limit_models(const char *const *limits, size_t count);

/**
 * An open ONNX model of any exporter. It never changes: a call that failed may be made again. One
 * thread at a time may use it. Freed with htp_model_free().
 */
typedef struct htp_model htp_model;

/**
 * Opens the ONNX model @p path and reads its structure: graphs, bodies of If, Loop and Scan, and
 * the modules of nodes. Functions are inlined, unless one imports another version of operators than
 * the model. Only htp_model_strip() keeps functions. Weights are neither read nor copied, and
 * libtorch is not needed. The file is mapped: if it is truncated while the model is open, the
 * process may receive SIGBUS.
 *
 * The module tree comes from the first of these that the model has: tags (attributes, metadata or
 * doc strings of nodes); metadata of PyTorch's exporters; the sidecar (htp_model_sidecar()) beside
 * the model; names of nodes. See htp_model_hierarchy().
 * @param model  receives the model, NULL on failure.
 * @return HTP_CODE_UNSUPPORTED beyond a limit; HTP_CODE_BAD_INPUT for an invalid ONNX model; for
 * functions that call themselves, or whose inlining would make more than 2 GiB of nodes, or more
 * than 64 MiB and 128 times the nodes of the file; for external data that are missing, short, or
 * outside of the model's folder; and for a needed sidecar that is invalid.
 */
HTP_API HTP_MUST_USE htp_status htp_model_open(const char *path, htp_model **model);

/**
 * Opens the model that htp_export() would write, in memory: for queries of a PyTorch model, such as
 * its cost. Weights stay in the file; it cannot be written.
 * @param options  as for htp_export(), but tags are in all places, and there are no functions.
 * NULL: all defaults
 * @return as htp_export()
 */
HTP_API HTP_MUST_USE htp_status htp_model_open_export(const char *model_path,
                                                      const htp_options *options,
                                                      htp_model **model);

/** Closes and frees a model; NULL is accepted. */
HTP_API void htp_model_free(htp_model *model);

/** The source of the module tree: "attribute __source_module of nodes"; valid as long as the
 * model. */
HTP_API const char *htp_model_hierarchy(const htp_model *model);

/** The number of nodes of all graphs, bodies and functions, and the number of those without a known
 * module. */
HTP_API uint64_t htp_model_node_count(const htp_model *model);
HTP_API uint64_t htp_model_untagged_count(const htp_model *model);

/** Options of htp_model_inspect(). Always start from htp_inspect_options_init(). */
typedef struct htp_inspect_options {
    size_t struct_size; /**< set by htp_inspect_options_init() */
    const char *module; /**< an address; NULL: the whole model */
    bool own;           /**< these modules themselves, without those below them */
    int depth;          /**< levels of the tree that are shown below the root; negative: all */
    bool cost;          /**< what modules, operators and nodes cost instead: multiply-adds, bytes of
                             weights and activations, and the most memory that values take at once */
    const char *sizes;  /**< of the axes, for the cost: "batch=1,sequence=128"; NULL: the cost is
                             told as formulas of the axes */
    const char *node_data; /**< with the cost: a file that gets the multiply-adds of nodes as Model
                                Explorer's node data; NULL: none */
    bool borders; /**< the values that cross the border of each module instead, down to `depth` */
} htp_inspect_options;

/** Fills @p options with the defaults: all of the model. */
HTP_API void htp_inspect_options_init(htp_inspect_options *options);

/**
 * Describes a model: its module tree with nodes, parameters and bytes. Or some modules: the values
 * that cross their border, their nodes and their weights.
 *
 * An address of modules is a tag ("/BertModel/BertEncoder/BertLayer.0"), the end of a tag
 * ("BertEncoder/BertLayer.0"), an attribute path ("encoder.layer.0"), a class ("BertLayer"), also
 * after its package or the first names of that ("torch.nn.LayerNorm"), or a segment
 * ("BertLayer.0"); "*" matches any part of a segment, "**" any number of segments. It means these
 * modules and all below them.
 * @param options  may be NULL.
 * @param text    receives text for people, freed with htp_string_free(); may be NULL.
 * @param json    receives the same as one JSON object; may be NULL.
 * @return HTP_CODE_USAGE for an address that names nothing; the message has the nearest ones. For
 *         sizes of axes that the model does not have, or for an input's axis without a size.
 *         HTP_CODE_BAD_INPUT for the cost of a model whose opset is not known.
 */
HTP_API HTP_MUST_USE htp_status htp_model_inspect(htp_model *model,
                                                  const htp_inspect_options *options, char **text,
                                                  char **json);

/** Formats of a selection. */
typedef enum htp_selection_format {
    HTP_SELECT_NAMES = 0,       /**< one name a line */
    HTP_SELECT_JSON = 1,        /**< one object: names, operators, tags, outputs of nodes */
    HTP_SELECT_ORT_EXCLUDE = 2, /**< a JSON list: nodes_to_exclude of onnxruntime.quantization */
    HTP_SELECT_TRTEXEC = 3,     /**< --layerPrecisions=NAME:PRECISION,... of TensorRT's trtexec */
} htp_selection_format;

/** Options of htp_model_select(). Always start from htp_selection_init(). */
typedef struct htp_selection {
    size_t struct_size;         /**< set by htp_selection_init() */
    const char *const *modules; /**< addresses, see htp_model_inspect(); at least one, or @p verify
                                 */
    size_t module_count;
    const char *const *except; /**< addresses of what is left out of these */
    size_t except_count;
    const char *op; /**< op types, "*" matches any part; NULL: all */
    bool own;       /**< the modules themselves, without those below them */
    bool weights;   /**< the initializers that the nodes read, instead of the nodes */
    htp_selection_format format;
    const char *precision; /**< for HTP_SELECT_TRTEXEC; default "fp32" */
    const char *verify;    /**< the JSON of htp_model_verify() in a file: adds the innermost modules
                                whose own error is larger than: */
    double worse_than;     /**< relative; negative, the default: the tolerance of the report */
    int worst;             /**< of these modules so many, those with the largest; 0: all */
} htp_selection;

/** Fills @p selection with the defaults. */
HTP_API void htp_selection_init(htp_selection *selection);

/**
 * Lists the nodes, or the weights, of some modules.
 * @param text  receives the list, freed with htp_string_free().
 * @return HTP_CODE_USAGE for an address that names nothing; HTP_CODE_BAD_INPUT if names are
 *         ambiguous: nodes without names, or several with the same name.
 */
HTP_API HTP_MUST_USE htp_status htp_model_select(htp_model *model, const htp_selection *selection,
                                                 char **text);

/** Options of htp_validate_model(). Always start from htp_validate_options_init(). */
typedef struct htp_validate_options {
    size_t struct_size;  /**< set by htp_validate_options_init() */
    const char *sidecar; /**< a sidecar that must agree with the model, see htp_model_sidecar(); "":
                            MODEL_hierarchy.json beside MODEL.onnx. NULL: none */
} htp_validate_options;

/** Fills @p options with the defaults. */
HTP_API void htp_validate_options_init(htp_validate_options *options);

/**
 * Checks the ONNX model @p path. In all graphs, bodies and functions: duplicate names, values
 * without a producer or read before it, domains that are not imported. For ONNX's own operators:
 * operators, operands and attributes that the imported opset lacks, types and dims that do not
 * match. For models with our tags: violations of the rules of tags. With a sidecar: its differences
 * from the model.
 * @param options  may be NULL.
 * @param text     receives the findings, one a line, and a line that counts them, freed with
 *                 htp_string_free(); may be NULL.
 * @param json     receives the same as one JSON object; may be NULL.
 * @param count    receives the number of findings; may be NULL.
 * @return NULL also if there are findings; HTP_CODE_BAD_INPUT for a file that is not a model, or
 * not a sidecar.
 */
HTP_API HTP_MUST_USE htp_status htp_validate_model(const char *path,
                                                   const htp_validate_options *options, char **text,
                                                   char **json, uint64_t *count);

/**
 * Compares two models by structure, not by names: which nodes correspond (operator, attributes,
 * contents of constants, sources of operands) and which do not; differences of operators, modules,
 * constants, inputs, outputs and metadata; and corresponding nodes whose tags disagree.
 * Initializers and Constant nodes with equal contents are the same. All weights are read once, none
 * is kept.
 * @param text          receives text for people, freed with htp_string_free(); may be NULL.
 * @param json          receives the same, and all of it, as one JSON object; may be NULL.
 * @param is_different  receives whether any difference is reported; may be NULL.
 * @return NULL also if the models differ; HTP_CODE_BAD_INPUT if external data were changed.
 */
HTP_API HTP_MUST_USE htp_status htp_model_compare(htp_model *a, htp_model *b, char **text,
                                                  char **json, bool *is_different);

/** Options of htp_measure_quality(). Always start from htp_quality_options_init(). */
typedef struct htp_quality_options {
    size_t struct_size;         /**< set by htp_quality_options_init() */
    const char *reference;      /**< path of what knows where the nodes of the first model ran: the
                                     PyTorch model, which is exported again and whose calls are
                                     followed independently, or the sidecar of an export, see
                                     htp_model_sidecar(); NULL: none */
    const char *const *against; /**< further ONNX models, judged by the first one; nodes are matched
                                     by structure */
    size_t against_count;
    const char *profile;           /**< of the first model, see htp_profiling; NULL: none */
    const char *json_file;         /**< file for the results as one JSON object; NULL: none */
    const char *csv_file;          /**< likewise as CSV: a row for each metric of each part */
    const char *html_file;         /**< likewise as a page for browsers */
    const char *const *fail_under; /**< "METRIC=VALUE", percent: the worst accepted value */
    size_t fail_under_count;
    bool lists_all; /**< the text lists all nodes with problems, not only the worst */
    const htp_options *export_options; /**< for the export of a reference that is a PyTorch model:
                                            inputs, method, libraries; NULL: all defaults */
    const char *sidecar; /**< sidecar (see htp_model_sidecar()) that gets the results as "quality".
                              An existing one keeps everything else, and must agree with the model.
                              "": MODEL_hierarchy.json beside MODEL.onnx, required for several
                              models. NULL: none */
    const char *node_data; /**< file for Model Explorer's node data: by node of the first model, how
                                many metrics found a problem; NULL: none */
} htp_quality_options;

/** Fills @p options with the defaults. */
HTP_API void htp_quality_options_init(htp_quality_options *options);

/**
 * Measures the tags of ONNX models of any exporter: per model, per depth of the module tree, per
 * module, and per layer. A metric that does not apply has a reason instead of a value.
 * @param models    paths of ONNX models; at least one
 * @param options   may be NULL.
 * @param text      receives text for people, freed with htp_string_free(); may be NULL.
 * @param json      receives the same, and all of it, as one JSON object; may be NULL.
 * @param failures  receives the metrics that are worse than options->fail_under allows, a line
 * each, freed with htp_string_free(), or NULL if there are none; may be NULL.
 * @return NULL also if a metric is worse. Files appear complete or not at all.
 */
HTP_API HTP_MUST_USE htp_status htp_measure_quality(const char *const *models, size_t count,
                                                    const htp_quality_options *options, char **text,
                                                    char **json, char **failures);

/** Receives the next @p count bytes of a text. @return false to stop */
typedef bool (*htp_write_fn)(void *user, const void *bytes, size_t count);

/** Formats of a drawing. */
typedef enum htp_drawing_format {
    HTP_DRAW_DOT = 0, /**< for graphviz */
    HTP_DRAW_GRAPHML = 1,
    HTP_DRAW_SVG = 2,     /**< drawn by graphviz, whose program dot must be on PATH */
    HTP_DRAW_MERMAID = 3, /**< a flowchart, which Markdown viewers draw */
} htp_drawing_format;

/** By what the boxes of a drawing are coloured. */
typedef enum htp_drawing_color {
    HTP_COLOR_BY_KIND = 0,
    HTP_COLOR_BY_COST = 1, /**< multiply-adds, see htp_inspect_options.cost */
    HTP_COLOR_BY_TIME = 2, /**< time in ONNX Runtime, see htp_model_profile() */
    HTP_COLOR_BY_QUALITY =
        3, /**< how many metrics find problems of nodes, see htp_measure_quality() */
    HTP_COLOR_BY_ERROR = 4, /**< what nodes add to the difference, see htp_model_verify() */
} htp_drawing_color;

/** Options of htp_model_draw(). Always start from htp_drawing_init(). */
typedef struct htp_drawing {
    size_t struct_size; /**< set by htp_drawing_init() */
    htp_drawing_format format;
    const char *module; /**< an address, see htp_model_inspect(); NULL: the whole model */
    bool own;           /**< these modules themselves, without those below them */
    int depth;          /**< levels of modules below the root, or below these modules, whose nodes
                             are drawn; negative: all */
    htp_write_fn write; /**< receives the drawing if it has no path */
    htp_progress_fn progress;   /**< or NULL; called with HTP_STAGE_WRITTEN */
    void *user;                 /**< passed to both */
    htp_drawing_color color_by; /**< the deeper, the more; labels have the share of the whole */
    const char *sizes;          /**< of the axes, for HTP_COLOR_BY_COST; or NULL */
    const char *profile;        /**< for HTP_COLOR_BY_TIME, see htp_profiling; or NULL */
    const char *optimized;      /**< likewise */
    const char *verify; /**< for HTP_COLOR_BY_ERROR: the JSON of htp_model_verify() in a file; or
                             NULL */
} htp_drawing;

/** Fills @p drawing with the defaults: all of the model, for graphviz. */
HTP_API void htp_drawing_init(htp_drawing *drawing);

/**
 * Draws a model: modules as nested clusters, nodes as boxes, values as arrows with dtype and dims.
 * With a depth, a module at that level is one box, as is a leaf module above that level. Bodies and
 * functions lie in the cluster of their node; weights are not drawn.
 * @param path  of the drawing, which appears complete or not at all; NULL: drawing->write gets it.
 * @return HTP_CODE_USAGE for an address that names nothing; HTP_CODE_INTERNAL if graphviz is
 *         missing or fails.
 */
HTP_API HTP_MUST_USE htp_status htp_model_draw(htp_model *model, const htp_drawing *drawing,
                                               const char *path);

/** Options of htp_model_profile(). Always start from htp_profiling_init(). */
typedef struct htp_profiling {
    size_t struct_size;    /**< set by htp_profiling_init() */
    const char *profile;   /**< the JSON file that ONNX Runtime writes if
                                SessionOptions.enable_profiling is set */
    const char *optimized; /**< the optimised model, SessionOptions.optimized_model_filepath; NULL:
                                unknown */
    const char *module; /**< an address, see htp_model_inspect(): lists the kernels of these modules
                             instead of the module tree; NULL: the tree */
    bool own;           /**< these modules themselves, without those below them */
    int depth;          /**< levels of the tree below the root; negative: all */
    const char *sizes;  /**< of the axes, in all runs: adds the multiply-adds of modules and the
                             operations by second, see htp_inspect_options; NULL: without, unless
                             the model has no dynamic axes */
    const char *node_data; /**< a file that gets the microseconds of nodes as Model Explorer's node
                                data; NULL: none */
} htp_profiling;

/** Fills @p profiling with the defaults. */
HTP_API void htp_profiling_init(htp_profiling *profiling);

/**
 * Attributes the time of kernels in ONNX Runtime to the modules of a model. A kernel without a node
 * of its name is looked up in the optimised model, by tags and tensors, or by the names of nodes in
 * its name. Kernels that are not found are listed. The time of a kernel excludes kernels in its
 * bodies, so all times add up to the time in kernels.
 * @param text  receives text for people, freed with htp_string_free(); may be NULL.
 * @param json  receives the same as one JSON object; may be NULL.
 * @return HTP_CODE_BAD_INPUT for an invalid or truncated profile.
 */
HTP_API HTP_MUST_USE htp_status htp_model_profile(htp_model *model, const htp_profiling *profiling,
                                                  char **text, char **json);

/** Options for writing a model. Always start from htp_write_options_init(). */
typedef struct htp_write_options {
    size_t struct_size;       /**< set by htp_write_options_init() */
    htp_progress_fn progress; /**< or NULL; called with HTP_STAGE_WRITTEN */
    void *user;
    unsigned keep_tags; /**< for htp_model_strip(): set of htp_tag_place whose tags stay. With
                             HTP_TAG_METADATA alone, tags of attributes move there, for tools that
                             reject unknown attributes. 0: none */
} htp_write_options;

/** Fills @p options with the defaults. */
HTP_API void htp_write_options_init(htp_write_options *options);

/**
 * Writes a model to @p onnx_path without its tags: without the attributes, metadata and doc strings
 * that describe modules. Everything else keeps its bytes: for a model that this library exported,
 * the result is byte for byte the export without tags. Files are published as by htp_export().
 * @param options  may be NULL.
 */
HTP_API HTP_MUST_USE htp_status htp_model_strip(htp_model *model, const char *onnx_path,
                                                const htp_write_options *options);

/**
 * Restores the tags of a model that another tool (an optimiser, a quantiser, a converter) changed.
 * Each node of @p changed gets the module of its counterpart in @p like: by its tag, its name, its
 * output tensors, or structure; else that of its neighbours. If its tag was lost, its metadata
 * htp.retagged says how the module was found. Everything else keeps its bytes; nodes out of order
 * are sorted.
 * @param changed    the path of a model without functions, see htp_model_inline().
 * @param like       the model that it was made from, with tags.
 * @param onnx_path  path of the result; files are published as by htp_export().
 * @param options    may be NULL.
 * @param text       receives how many nodes each rule found, for people, freed with
 *                   htp_string_free(); may be NULL.
 * @param json       receives the same as one JSON object, with the nodes whose tag was lost; may be
 *                   NULL.
 * @return HTP_CODE_BAD_INPUT if @p like has no tags, or nothing in common with @p changed.
 */
HTP_API HTP_MUST_USE htp_status htp_retag_model(const char *changed, htp_model *like,
                                                const char *onnx_path,
                                                const htp_write_options *options, char **text,
                                                char **json);

/**
 * Inlines the functions of a model, for runtimes and tools without functions. Nodes take the place
 * of calls, with the names and tags of the instance. For a model that this library exported with
 * functions, the result is byte for byte the export with htp_options.shares_within_modules. A model
 * without functions is copied.
 * @param options  may be NULL.
 * @return HTP_CODE_BAD_INPUT for a function that imports another version of operators than the
 *         model, which cannot be inlined.
 */
HTP_API HTP_MUST_USE htp_status htp_model_inline(htp_model *model, const char *onnx_path,
                                                 const htp_write_options *options);

/**
 * Writes the sidecar of a model to @p path: its modules, operations and tensors, and the graph of
 * each module, as one JSON document (docs/hierarchy.schema.json). The file is published as by
 * htp_export().
 *
 * An export can write the sidecar together with the model (htp_options.sidecar). That one also
 * describes the run: "libtorch" and "seconds" of "export", on a line of their own. The rest is
 * equal byte for byte.
 * @param path     NULL: MODEL_hierarchy.json for MODEL.onnx; see htp_sidecar_path()
 * @param options  may be NULL.
 */
HTP_API HTP_MUST_USE htp_status htp_model_sidecar(htp_model *model, const char *path,
                                                  const htp_write_options *options);

/** The default path of a model's sidecar: MODEL_hierarchy.json beside MODEL.onnx. @return a string
 * freed with htp_string_free(); NULL without memory */
HTP_API char *htp_sidecar_path(const char *onnx_path);

/** Options of htp_model_extract(). Always start from htp_extraction_init(). */
typedef struct htp_extraction {
    size_t struct_size;         /**< set by htp_extraction_init() */
    const char *const *modules; /**< addresses, see htp_model_inspect(); at least one */
    size_t module_count;
    const char *const *except; /**< addresses of what is left out of these */
    size_t except_count;
    bool own;     /**< the modules themselves, without those below them */
    int64_t call; /**< one call of a module that runs several times, counted from 0; -1: all */
    htp_external_data external_data; /**< for the weights of the part, as in htp_options */
    htp_progress_fn progress;        /**< or NULL; called with HTP_STAGE_WRITTEN */
    void *user;
} htp_extraction;

/** Fills @p extraction with the defaults. */
HTP_API void htp_extraction_init(htp_extraction *extraction);

/**
 * Writes some modules as a model of their own to @p onnx_path: their nodes; the values that cross
 * their border as inputs and outputs, with the names, types and order of the whole; and the
 * weights, constants and functions that they use. Opset imports, metadata and tags stay those of
 * the whole. A node that serves several modules belongs to the first. For a module in the body of
 * an If or a Loop, only nodes of the body are written. Undeclared types are inferred. Fed with the
 * values of the whole at the border, the part returns the same numbers. Files are published as by
 * htp_export().
 * @param text  receives what was written, for people, freed with htp_string_free(); may be NULL.
 * @param json  receives the same as one JSON object; may be NULL.
 * @return HTP_CODE_USAGE for an address that names nothing, and for modules that cannot be cut out:
 *         a path leaves them and returns, or they lie in several bodies. The message names the
 *         smallest module around them that can be. HTP_CODE_BAD_INPUT if the type of a value at the
 *         border is neither declared nor inferred.
 */
HTP_API HTP_MUST_USE htp_status htp_model_extract(htp_model *model,
                                                  const htp_extraction *extraction,
                                                  const char *onnx_path, char **text, char **json);

/** What is as small as possible in the largest part. */
typedef enum htp_split_measure {
    HTP_SPLIT_COST = 0,    /**< multiply-adds, see htp_inspect_options.cost */
    HTP_SPLIT_WEIGHTS = 1, /**< bytes of the weights that a part reads */
    HTP_SPLIT_TIME = 2,    /**< time in ONNX Runtime, see htp_model_profile() */
} htp_split_measure;

/** Options of htp_model_split(). Always start from htp_splitting_init(). */
typedef struct htp_splitting {
    size_t struct_size;    /**< set by htp_splitting_init() */
    const char *const *at; /**< addresses of modules that become parts, see htp_model_inspect() */
    size_t at_count;
    int depth; /**< makes the modules of this level of the tree parts; -1: those of @p at */
    bool share_weights; /**< stores large weights in one file, weights.data, for all parts */
    htp_external_data external_data; /**< for weights of a part that are not shared */
    htp_progress_fn progress;        /**< or NULL; called with HTP_STAGE_WRITTEN */
    void *user;
    int into; /**< this many parts, of which the largest is as small as possible. Cuts lie where
                   modules begin or end: those of @p at, those down to @p depth, or any. 0: the
                   modules of @p at or @p depth become parts */
    htp_split_measure by;  /**< of @p into */
    const char *sizes;     /**< of the axes, for HTP_SPLIT_COST, see htp_inspect_options; or NULL */
    const char *profile;   /**< for HTP_SPLIT_TIME, see htp_profiling; or NULL */
    const char *optimized; /**< likewise */
} htp_splitting;

/** Fills @p splitting with the defaults. */
HTP_API void htp_splitting_init(htp_splitting *splitting);

/**
 * Writes a model as consecutive parts to the new folder @p folder, with index.json, which lists
 * their files, modules, inputs and outputs. Each named module is a part, or each of its calls if it
 * runs several times, and so are the nodes between them. Every node is in one part; Constants are
 * in every part that reads them. Run in order, each on the inputs of the model and the outputs of
 * earlier parts, the parts return what the whole returns. The folder appears complete or not at
 * all.
 * @param folder  must not exist, or be empty.
 * @param text, json as for htp_model_extract(); @p json is the object of index.json.
 * @return HTP_CODE_USAGE as htp_model_extract(); for modules that lie in each other or depend on
 * each other; for more parts than pieces between borders of modules, or costs that are not known.
 * HTP_CODE_BAD_INPUT for an invalid profile; HTP_CODE_CANNOT_WRITE if the folder is not empty.
 */
HTP_API HTP_MUST_USE htp_status htp_model_split(htp_model *model, const htp_splitting *splitting,
                                                const char *folder, char **text, char **json);

#ifdef __cplusplus
}
#endif

#endif
