/*
 * Data files of models: their names, and which of them a model on disk refers to.
 *
 * The data file of FILE is FILE.data; if the existing model FILE refers to that, FILE.1.data and so
 * on. The existing model keeps its weights until it is replaced.
 */
#ifndef HTP_ONNX_EXTERNAL_H
#define HTP_ONNX_EXTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { HTP_EXTERNAL_NUMBERS = 64 };

/** The data files that an ONNX file refers to. */
typedef struct htp_external_use {
    bool is_unknown;  /* the file exists but cannot be read */
    uint64_t numbers; /* bit N: it refers to its data file of number N */
    bool is_ours;     /* this program wrote it; false if it has no data file */
} htp_external_use;

/** Writes the path of data file @p number of the model at @p path, 0 to HTP_EXTERNAL_NUMBERS - 1.
 * @return whether it fits */
bool htp_external_path(const char *path, unsigned number, char *buffer, size_t size);

/** Finds the data files that the model at @p path refers to; none if there is no model, or no such
 * file beside it. Reads only the model's structure, in linear time. */
void htp_external_find_use(const char *path, htp_external_use *use);

/** Whether a name in @p folder (ending with a slash, or "") is a data file of models that exist
 * there and do not refer to it. False if unknown. */
bool htp_external_is_unused(const char *folder, const char *name);

#endif
