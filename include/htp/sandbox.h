/*
 * A sandbox for processes that read files of strangers.
 */
#ifndef HTP_SANDBOX_H
#define HTP_SANDBOX_H

#include <htp/status.h>

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What a process still needs in its sandbox. Always start from htp_sandbox_options_init(). */
typedef struct htp_sandbox_options {
    size_t struct_size; /**< set by htp_sandbox_options_init() */
    /** Models that will be read, of PyTorch or ONNX. What they need is opened before: libtorch for
     * TorchScript. Of an ONNX model all files in its folder may be read, since its external data is
     * there. */
    const char *const *models;
    size_t model_count;
    const char *const *inputs; /**< other files that will be read */
    size_t input_count;
    /** Files and folders that will be written. Those in a folder of an output may be read, replaced
     * and removed. */
    const char *const *outputs;
    size_t output_count;
    const char *libtorch;         /**< as in htp_options */
    const char *const *libraries; /**< as in htp_options; opened before, with TorchScript alone */
    size_t library_count;
    bool verifies;           /**< htp_model_verify() will be called: opens ONNX Runtime before */
    const char *onnxruntime; /**< as in htp_verify_options */
    bool draws_svg;          /**< htp_model_draw() will draw one SVG: starts graphviz before */
} htp_sandbox_options;

/** Fills @p options with the defaults: nothing is needed. */
HTP_API void htp_sandbox_options_init(htp_sandbox_options *options);

/** The walls that stand. */
typedef struct htp_walls {
    bool writing; /**< Landlock: no other files are written */
    bool reading; /**< Landlock: no other files are read. Not if a library could not be opened: the
                       call that needs it fails, and says why */
    bool calls;   /**< seccomp: no programs are started, no sockets opened, no other processes
                       touched */
} htp_walls;

/**
 * Opens what @p options name, and gives up everything else, for good. The library never does so by
 * itself.
 *
 * Files are given up by this thread, and by threads and processes that it starts afterwards; system
 * calls by the whole process. What is open stays open. So a host calls this early, in a process
 * that does nothing else, such as a child. Kernels and containers without Landlock or seccomp are
 * no failure: @p walls tells.
 * @param walls  or NULL
 * @return HTP_CODE_USAGE for options that were not made by htp_sandbox_options_init(),
 *         HTP_CODE_INTERNAL without memory to allow a path: nothing is given up then
 */
HTP_API HTP_MUST_USE htp_status htp_sandbox_enter(const htp_sandbox_options *options,
                                                  htp_walls *walls);

#ifdef __cplusplus
}
#endif

#endif
