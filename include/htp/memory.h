/*
 * Models in memory, for the functions that take a path.
 */
#ifndef HTP_MEMORY_H
#define HTP_MEMORY_H

#include <htp/status.h>

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A file without a name, in memory. */
typedef struct htp_memory_file htp_memory_file;

/**
 * Makes a file of bytes: an ONNX model, a TorchScript archive or a program of torch.export. The
 * bytes are copied. Every function that reads a file takes its path. Nothing is beside it: an ONNX
 * model must hold its weights itself.
 * @param file  receives the file, NULL on failure. It must outlive the models that are opened from
 *              it; freed with htp_memory_file_free().
 * @return HTP_CODE_USAGE for bytes that are NULL, HTP_CODE_INTERNAL if there is no room.
 */
HTP_API HTP_MUST_USE htp_status htp_memory_file_make(const void *bytes, size_t count,
                                                     htp_memory_file **file);

/** Its path in this process, valid as long as the file. */
HTP_API const char *htp_memory_file_path(const htp_memory_file *file);

/** Frees a file; NULL is accepted. */
HTP_API void htp_memory_file_free(htp_memory_file *file);

#ifdef __cplusplus
}
#endif

#endif
