/*
 * Replacing modules of an ONNX model.
 */
#ifndef HTP_REPLACE_H
#define HTP_REPLACE_H

#include <htp/model.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Options of htp_model_replace(). Always start from htp_replacing_init(). */
typedef struct htp_replacing {
    size_t struct_size;         /**< set by htp_replacing_init() */
    const char *const *modules; /**< addresses, see htp_model_inspect(); at least one */
    size_t module_count;
    const char *op; /**< the custom operator, "my.domain:Name" or "my.domain:Name@2"; or NULL */
    const char *by; /**< the path of a model whose nodes take the place of each module; or NULL */
    htp_progress_fn progress; /**< or NULL; called with HTP_STAGE_WRITTEN */
    void *user;
    int64_t call; /**< one call of a module that runs several times, counted from 0; -1: each */
} htp_replacing;

/** Fills @p replacing with the defaults. */
HTP_API void htp_replacing_init(htp_replacing *replacing);

/**
 * Writes a model to @p onnx_path in which a node of a custom operator stands for each of some
 * modules, or for each call of one that runs several times. Its inputs are the values that cross
 * the border of the module, as htp_model_extract() has them, and then the weights that it reads, in
 * the order of their first use; its outputs are those that cross the border. Integers and bools of
 * at most one axis and 128 elements, and single floats, that are no parameters become attributes:
 * Reshape_1_input_1 is input 1 of the module's second Reshape. The node has the tag of the module.
 * Everything else keeps its bytes, external data included; nodes are moved only where one needs the
 * new node, or the new node needs it. Functions stay, but for calls of them that a module lies in:
 * these are inlined. Files are published as by htp_export().
 *
 * With replacing->by, copies of that model's nodes take the place of each module. Its inputs and
 * outputs must be those of the module, by name or else in order; what htp_model_extract() writes
 * has them. Dtypes and dims must fit: a dim that is dynamic must be so in both, and a name stands
 * for one size. Names are made unique. A node whose tag is that of the module, or below it, keeps
 * it; the tags of other nodes are put below the module. All copies share the weights, which stay
 * where they were: in the model, or beside it.
 * @param text  receives what was replaced, for people, freed with htp_string_free(); may be NULL.
 * @param json  receives the same as one JSON object; may be NULL.
 * @return HTP_CODE_USAGE for an address that names nothing; for the root, modules in each other,
 * and modules or calls that htp_model_extract() refuses; for names that are no identifiers; for
 *         another version of the domain than the model imports; and for a model that does not fit,
 *         or needs another version of an operator.
 */
HTP_API HTP_MUST_USE htp_status htp_model_replace(htp_model *model, const htp_replacing *replacing,
                                                  const char *onnx_path, char **text, char **json);

#ifdef __cplusplus
}
#endif

#endif
