/*
 * ONNX models: queries, and models that are made from them.
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

/** What a file is, by its contents. */
typedef enum htp_file_kind {
    HTP_FILE_TORCHSCRIPT = 0, /**< an archive, or nothing that is known */
    HTP_FILE_ONNX = 1,
} htp_file_kind;

/** Tells whether @p path is an ONNX model, by its first bytes alone; its name does not matter. An
 * unreadable file counts as TorchScript; opening it gives the reason. */
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
 * copied, and libtorch is not needed. The file is mapped: if it is truncated while the model is
 * open, the process may receive SIGBUS.
 *
 * The module tree is that of the tags (attributes, metadata or doc strings of nodes), of the
 * metadata that PyTorch's exporters write; of the sidecar (htp_model_sidecar()) that lies beside
 * the model; or of the names of nodes. See htp_model_hierarchy().
 * @param model  receives the model, NULL on failure.
 * @return HTP_CODE_BAD_INPUT for an invalid ONNX model; for functions that call themselves, or
 *         whose inlining would make more than 2 GiB of nodes, or more than 64 MiB and 128 times the
 *         nodes of the file; for external data that are missing, short, or outside of the model's
 *         folder; and for a needed sidecar that is invalid.
 */
HTP_API HTP_MUST_USE htp_status htp_model_open(const char *path, htp_model **model);

/** Closes and frees a model; NULL is accepted. */
HTP_API void htp_model_free(htp_model *model);

/** Where the module tree comes from: "attribute __source_module of nodes"; valid as long as the
 * model. */
HTP_API const char *htp_model_hierarchy(const htp_model *model);

/** The number of nodes of all graphs, bodies and functions; the number of those without a known
 * module. */
HTP_API uint64_t htp_model_node_count(const htp_model *model);
HTP_API uint64_t htp_model_untagged_count(const htp_model *model);

/** What to inspect. Always start from htp_inspect_options_init(). */
typedef struct htp_inspect_options {
    size_t struct_size; /**< set by htp_inspect_options_init() */
    const char *module; /**< an address; NULL: the whole model */
    bool own;           /**< these modules themselves, without those below them */
    int depth;          /**< levels of the tree that are shown below the root; negative: all */
} htp_inspect_options;

/** Fills @p options with the defaults: all of the model. */
HTP_API void htp_inspect_options_init(htp_inspect_options *options);

/**
 * Describes a model: its module tree with nodes, parameters and bytes. Or some modules: the values
 * that cross their border, their nodes and their weights.
 *
 * An address of modules is a tag ("/BertModel/BertEncoder/BertLayer.0"), the end of a tag
 * ("BertEncoder/BertLayer.0"), an attribute path ("encoder.layer.0"), a class ("BertLayer"), also
 * behind its package or a beginning of that ("torch.nn.LayerNorm"), or a segment ("BertLayer.0");
 * "*" stands for any part of a segment, "**" for any number of segments.
 * It means these modules and all below them.
 * @param options  may be NULL.
 * @param text    receives text for people, freed with htp_string_free(); may be NULL.
 * @param json    receives the same as one JSON object; may be NULL.
 * @return HTP_CODE_USAGE for an address that names nothing; the message has the nearest ones.
 */
HTP_API HTP_MUST_USE htp_status htp_model_inspect(htp_model *model,
                                                  const htp_inspect_options *options, char **text,
                                                  char **json);

/** How a selection is written. */
typedef enum htp_selection_format {
    HTP_SELECT_NAMES = 0,       /**< one name a line */
    HTP_SELECT_JSON = 1,        /**< one object: names, operators, tags, outputs of nodes */
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
 * @return HTP_CODE_USAGE for an address that names nothing; HTP_CODE_BAD_INPUT if names are
 *         ambiguous: nodes without names, or several with the same name.
 */
HTP_API HTP_MUST_USE htp_status htp_model_select(htp_model *model, const htp_selection *selection,
                                                 char **text);

/** What to validate. Always start from htp_validate_options_init(). */
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
 * match. For models with our tags: violations of the rules of tags. And differences between sidecar
 * and model.
 * @param options  may be NULL.
 * @param text     receives the findings, one a line, and a line that counts them, freed with
 *                 htp_string_free(); may be NULL.
 * @param json     receives the same as one JSON object; may be NULL.
 * @param count    receives the number of findings; may be NULL.
 * @return NULL also where there are findings; HTP_CODE_BAD_INPUT for a file that is no model, or no
 *         sidecar.
 */
HTP_API HTP_MUST_USE htp_status htp_validate_model(const char *path,
                                                   const htp_validate_options *options, char **text,
                                                   char **json, uint64_t *count);

/**
 * Compares two models by their structure, not by names: which nodes correspond (operator,
 * attributes, contents of constants, sources of operands) and which do not; differences of
 * operators, modules, constants, inputs, outputs and metadata; and corresponding nodes whose tags
 * disagree. Constants are the same whether they are initializers or made by nodes of type Constant.
 * All weights are read once, none is kept.
 * @param text          receives text for people, freed with htp_string_free(); may be NULL.
 * @param json          receives the same, and all of it, as one JSON object; may be NULL.
 * @param is_different  receives whether any difference is reported; may be NULL.
 * @return NULL also where models differ; HTP_CODE_BAD_INPUT where external data were changed.
 */
HTP_API HTP_MUST_USE htp_status htp_model_compare(htp_model *a, htp_model *b, char **text,
                                                  char **json, bool *is_different);

/** How the quality of tags is measured. Always start from htp_quality_options_init(). */
typedef struct htp_quality_options {
    size_t struct_size;         /**< set by htp_quality_options_init() */
    const char *reference;      /**< says where the nodes of the first model ran: its TorchScript
                                     model, which is exported again and whose calls are followed
                                     independently, or its sidecar, see htp_model_sidecar(); NULL:
                                     none */
    const char *const *against; /**< ONNX models that are judged by the first one; nodes are matched
                                     by structure */
    size_t against_count;
    const char *profile;           /**< of the first model, see htp_profiling; NULL: none */
    const char *json_file;         /**< where the results go as one JSON object; NULL: nowhere */
    const char *csv_file;          /**< the same as CSV: a row for each metric of each part */
    const char *html_file;         /**< the same as a page for browsers, one file */
    const char *const *fail_under; /**< "METRIC=VALUE", percent: the worst value that is accepted */
    size_t fail_under_count;
    bool lists_all; /**< text lists all nodes with problems, not only the worst */
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
 * @param failures  receives the metrics that are worse than options->fail_under, a line each, freed
 *                  with htp_string_free(), or NULL if there are none; may be NULL.
 * @return NULL also if a metric is worse. Files appear complete or not at all.
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
    HTP_DRAW_SVG = 2,     /**< drawn by graphviz: its program dot is run, which must be on PATH */
    HTP_DRAW_MERMAID = 3, /**< a flowchart, which Markdown viewers draw */
} htp_drawing_format;

/** What to draw, and how. Always start from htp_drawing_init(). */
typedef struct htp_drawing {
    size_t struct_size; /**< set by htp_drawing_init() */
    htp_drawing_format format;
    const char *module; /**< an address, see htp_model_inspect(); NULL: the whole model */
    bool own;           /**< these modules themselves, without those below them */
    int depth;          /**< levels of modules below the root, or below these modules, that are
                             open; negative: all, and every node is drawn */
    htp_write_fn write; /**< receives a picture without a path */
    htp_progress_fn progress; /**< or NULL; called with HTP_STAGE_WRITTEN */
    void *user;               /**< passed to both */
} htp_drawing;

/** Fills @p drawing with the defaults: all of the model, for graphviz. */
HTP_API void htp_drawing_init(htp_drawing *drawing);

/**
 * Draws a model: modules as nested clusters, nodes as boxes, values as arrows with dtype and dims.
 * With a depth, a module at that level is one box, and so is a module above without modules below.
 * Bodies and functions lie in the cluster of their node; weights are not drawn.
 * @param path  where the picture appears, complete or not at all; NULL: it goes to drawing->write.
 * @return HTP_CODE_USAGE for an address that names nothing; HTP_CODE_INTERNAL if graphviz is
 *         missing or fails.
 */
HTP_API HTP_MUST_USE htp_status htp_model_draw(htp_model *model, const htp_drawing *drawing,
                                               const char *path);

/** A profile, and what to print of it. Always start from htp_profiling_init(). */
typedef struct htp_profiling {
    size_t struct_size;    /**< set by htp_profiling_init() */
    const char *profile;   /**< the JSON file that ONNX Runtime writes where
                                SessionOptions.enable_profiling is set */
    const char *optimized; /**< the optimised model, SessionOptions.optimized_model_filepath; NULL:
                                unknown */
    const char *module; /**< an address, see htp_model_inspect(): the kernels of these modules are
                             listed; NULL: the module tree is */
    bool own;           /**< of these modules themselves, without those below them */
    int depth;          /**< levels of the tree below the root; negative: all */
} htp_profiling;

/** Fills @p profiling with the defaults. */
HTP_API void htp_profiling_init(htp_profiling *profiling);

/**
 * Adds up the time of the modules of a model in ONNX Runtime. A kernel whose name no node has is
 * looked up in the optimised model, by tags and tensors, or by the names of nodes in its name.
 * Kernels that are not found are listed. A kernel's time excludes the kernels in its bodies, so all
 * times add up to the time in kernels.
 * @param text  receives text for people, freed with htp_string_free(); may be NULL.
 * @param json  receives the same as one JSON object; may be NULL.
 * @return HTP_CODE_BAD_INPUT for an invalid or truncated profile.
 */
HTP_API HTP_MUST_USE htp_status htp_model_profile(htp_model *model, const htp_profiling *profiling,
                                                  char **text, char **json);

/** How a changed model is written. Always start from htp_write_options_init(). */
typedef struct htp_write_options {
    size_t struct_size;       /**< set by htp_write_options_init() */
    htp_progress_fn progress; /**< or NULL; called with HTP_STAGE_WRITTEN */
    void *user;
    unsigned keep_tags; /**< of htp_model_strip(): HTP_TAG_..., places whose tags stay. With
                             HTP_TAG_METADATA alone, tags of attributes move there, for tools that
                             reject unknown attributes. 0: none */
} htp_write_options;

/** Fills @p options with the defaults. */
HTP_API void htp_write_options_init(htp_write_options *options);

/**
 * Writes a model without its tags to @p onnx_path: without the attributes, metadata and doc strings
 * that describe modules. All else keeps its bytes: for a model that this library exported, the
 * result is byte for byte the export without tags. The files appear as those of htp_export().
 * @param options  may be NULL.
 */
HTP_API HTP_MUST_USE htp_status htp_model_strip(htp_model *model, const char *onnx_path,
                                                const htp_write_options *options);

/**
 * Restores the tags of a model that another tool (an optimiser, a quantiser, a converter) changed.
 * Each node of @p changed gets the module of its counterpart in @p like: by its tag, its name, its
 * output tensors, or structure; else that of its neighbours. If its tag was lost, its metadata
 * htp.retagged says how the module was found. All else keeps its bytes; nodes out of order are
 * sorted.
 * @param changed    the path of a model without functions, see htp_model_inline().
 * @param like       the model that it was made from, with tags.
 * @param onnx_path  where the model goes; the files appear as those of htp_export().
 * @param options    may be NULL.
 * @param text       receives how many nodes were found in which way, for people, freed with
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
 * Writes a model with functions as a flat one, for runtimes and tools without functions. Nodes take
 * the place of calls, with the names and tags of the instance. For a model that this library
 * exported with functions, the result is byte for byte the export without. A model without
 * functions is copied.
 * @param options  may be NULL.
 * @return HTP_CODE_BAD_INPUT for a function that imports another version of operators than the
 *         model: it cannot be written in place of its calls.
 */
HTP_API HTP_MUST_USE htp_status htp_model_inline(htp_model *model, const char *onnx_path,
                                                 const htp_write_options *options);

/**
 * Writes the sidecar of a model to @p path: its modules, operations and tensors, and the graph of
 * each module, as one JSON document (docs/hierarchy.schema.json). The file appears as those of
 * htp_export().
 *
 * An export can write it together with the model (htp_options.sidecar). That one also describes the
 * run: "libtorch" and "seconds" of "export", on a line of their own. All else is the same, byte for
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
 * Writes some modules as a model of their own to @p onnx_path: their nodes; the values that cross
 * their border as inputs and outputs, with the names, types and order of the whole; and the
 * weights, constants and functions that they use. Opset imports, metadata and tags stay those of
 * the whole. A node that serves several modules belongs to the first. For a module in the body of
 * an If or a Loop, only the body's nodes are written. Undeclared types are inferred from operators.
 * Fed with the values of the whole at that border, the part returns the same numbers. The files
 * appear as those of htp_export().
 * @param text  receives what was written, for people, freed with htp_string_free(); may be NULL.
 * @param json  receives the same as one JSON object; may be NULL.
 * @return HTP_CODE_USAGE for an address that names nothing, and for modules that cannot be cut out
 *         alone: a path leaves them and comes back, or they lie in several bodies; the smallest
 *         module around them that can be is named. HTP_CODE_BAD_INPUT if the type of a value at the
 *         border is neither declared nor inferred.
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
 * its calls where it runs several times, and so are the nodes between them. Every node is in one
 * part; Constants are in every part that reads them. Run in order, each on the inputs of the model
 * and the outputs of earlier parts, the parts return what the whole returns. The folder appears
 * complete or not at all.
 * @param folder  nothing, or an empty folder.
 * @param text, json as for htp_model_extract(); @p json is the object of index.json.
 * @return HTP_CODE_USAGE as htp_model_extract(), and for modules that lie in each other or need
 * each other; HTP_CODE_CANNOT_WRITE where the folder is not empty.
 */
HTP_API HTP_MUST_USE htp_status htp_model_split(htp_model *model, const htp_splitting *splitting,
                                                const char *folder, char **text, char **json);

#ifdef __cplusplus
}
#endif

#endif
