/*
 * htp-trace: exports PyTorch models to ONNX models in which every node names the module that it ran
 * in.
 *
 * The public C API. Ownership: strings that a caller passes in are read only during the call; what
 * the library returns is freed with the function named beside it. Callbacks are called only during
 * the call that they are passed to. Separate exports may run in separate threads.
 */
#ifndef HTP_HTP_H
#define HTP_HTP_H

#include <htp/export.h>
#include <htp/memory.h>
#include <htp/model.h>
#include <htp/replace.h>
#include <htp/sandbox.h>
#include <htp/status.h>
#include <htp/verify.h>

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The only place of the version: the build, files and manuals take it from here. */
#define HTP_VERSION_MAJOR 0
#define HTP_VERSION_MINOR 2
#define HTP_VERSION_PATCH 0

#define HTP_VERSION_TEXT_OF(major, minor, patch) #major "." #minor "." #patch
#define HTP_VERSION_TEXT(major, minor, patch) HTP_VERSION_TEXT_OF(major, minor, patch)
/** "MAJOR.MINOR.PATCH" */
#define HTP_VERSION HTP_VERSION_TEXT(HTP_VERSION_MAJOR, HTP_VERSION_MINOR, HTP_VERSION_PATCH)

/** The number of supported operators. */
HTP_API size_t htp_operator_count(void);

/** Operator @p index with overload, sorted by name: "aten::add.Tensor". NULL when out of range. */
HTP_API const char *htp_operator_name(size_t index);

/** The library's version, "MAJOR.MINOR.PATCH". */
HTP_API const char *htp_version(void);

/**
 * Sets how many columns a table in a text for people may take, for this thread. Longer names are
 * cut in the middle, unless they would read like another one. @param columns  0, the default:
 * names are whole
 */
HTP_API void htp_text_set_columns(size_t columns);

/**
 * The version of the libtorch that the shim uses. Opens the shim.
 * @param version  receives a string with static lifetime.
 */
HTP_API HTP_MUST_USE htp_status htp_libtorch_version(const char **version);

#ifdef __cplusplus
}
#endif

#endif
