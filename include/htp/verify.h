/*
 * Two models side by side.
 */
#ifndef HTP_VERIFY_MODELS_H
#define HTP_VERIFY_MODELS_H

#include <htp/export.h>
#include <htp/model.h>
#include <htp/status.h>
#include <htp/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Options of htp_model_verify(). Always start from htp_verify_options_init(). */
typedef struct htp_verify_options {
    size_t struct_size;      /**< set by htp_verify_options_init() */
    const char *onnxruntime; /**< the library, libonnxruntime.so; NULL: that of the Python package
                                  onnxruntime, of $VIRTUAL_ENV or of the python3 on PATH, which is
                                  not run; else where the system's linker looks */
    double tolerance; /**< of differences, relative to the largest element of a tensor of the first
                           model. Negative, the default: 1e-4 for two ONNX models; for a PyTorch
                           model eight times libtorch's own error against double precision, and at
                           least 1e-5 */
    int memory;       /**< MiB of tensors that are kept at a time; default 1024 */
    int depth;        /**< levels of the tree that text shows below the root; negative: all */
    const char *node_data; /**< a file that gets what nodes of the first model add to the
                                difference, as Model Explorer's node data; NULL: none */
    const char *html_file; /**< a page for browsers; NULL: none */
    int level; /**< of ONNX Runtime's optimisation of the second model, 0, the default, to 3. From 1
                    on, what modules with a tag return is compared alone */
    const char
        *save; /**< a new folder that gets what modules return: an .npz for each; NULL: none */
    const char *values; /**< an .npz of tensors of the first model, by name, that another runtime
                             computed, with its inputs: in place of a second model. NULL: none */
    const char *sizes;  /**< of the axes of the first model, see htp_inspect_options: the models
                             run at these alone, up to three choices between semicolons; NULL: at
                             up to three that are found */
    const char *inputs; /**< an .npz of the inputs of the first model, an ONNX model: by name, or by
                             position as arr_0, arr_1 and so on. NULL: those of `values`, else made
                             up. Those of a PyTorch model are its export's options */
    htp_progress_fn progress; /**< or NULL; called with HTP_STAGE_COMPARED, now and then: runs,
                                   then tensors, then modules */
    void *user;               /**< passed to it */
} htp_verify_options;

/** Fills @p options with the defaults. */
HTP_API void htp_verify_options_init(htp_verify_options *options);

/**
 * Finds where two models part: the first, @p a, is the reference. Both run in ONNX Runtime on the
 * same inputs, which are made up, at up to three choices of sizes. Tensors that both have are
 * compared. For each module of @p a: the difference that is carried, with what came in, and its
 * own, of the module alone, fed with what the first model computes. Tensors have a counterpart by
 * structure (htp_model_compare()) or by name. The code of ONNX Runtime runs.
 * @param b          NULL with options->values, and only then.
 * @param options    may be NULL.
 * @param text       receives text for people, freed with htp_string_free(); may be NULL.
 * @param json       receives the same, and all of it, as one JSON object; may be NULL.
 * @param is_beyond  receives whether something is beyond the tolerance, or not known to be within:
 *                   no output is compared, or one that libtorch does not compute; may be NULL.
 * @return NULL also where something is; HTP_CODE_INTERNAL where ONNX Runtime is missing;
 *         HTP_CODE_INTERRUPTED where options->progress() stops it;
 *         HTP_CODE_USAGE where no inputs can be made up; HTP_CODE_BAD_INPUT where ONNX Runtime
 *         refuses a model.
 */
HTP_API HTP_MUST_USE htp_status htp_model_verify(htp_model *a, htp_model *b,
                                                 const htp_verify_options *options, char **text,
                                                 char **json, bool *is_beyond);

/**
 * As htp_model_verify(), with a PyTorch model as the reference: a TorchScript file, or a program of
 * torch.export. Its operators run one by one in libtorch, on the sizes of its export: its own, and
 * up to two others of each dynamic axis. They run once more in double precision, which gives the
 * tolerance of each tensor. Modules are those of the PyTorch model. The code of the file runs as
 * far as its operators only compute their outputs.
 * @param export_options  inputs, method, libtorch and so on, as for htp_export(). May be NULL.
 * @return also as htp_export(); HTP_CODE_INTERNAL where libtorch is missing; HTP_CODE_CANNOT_WRITE
 *         where there is no room for tensors in the folder of temporary files.
 */
HTP_API HTP_MUST_USE htp_status htp_program_verify(const char *model_path, htp_model *b,
                                                   const htp_options *export_options,
                                                   const htp_verify_options *options, char **text,
                                                   char **json, bool *is_beyond);

#ifdef __cplusplus
}
#endif

#endif
