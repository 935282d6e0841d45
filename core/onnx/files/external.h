/*
 * Files with the weights of a model, beside it: their names, and which of them a model that lies on
 * the disk refers to.
 *
 * The data file of FILE is FILE.data, or FILE.1.data and so on where the model that FILE is now
 * refers to the others: it keeps its weights until it is replaced.
 */
#ifndef HTP_ONNX_EXTERNAL_H
#define HTP_ONNX_EXTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { HTP_EXTERNAL_NUMBERS = 64 };

/** What an ONNX file refers to. */
typedef struct htp_external_use {
    bool is_unknown;  /* there is a file, and it cannot be read */
    uint64_t numbers; /* bit N: it refers to its data file of number N */
    bool is_ours;     /* it is a model that this program wrote; false where there is no data file */
} htp_external_use;

/** Writes the path of data file @p number of the model at @p path, 0 to HTP_EXTERNAL_NUMBERS - 1.
 * @return whether it fits */
bool htp_external_path(const char *path, unsigned number, char *buffer, size_t size);

/** Finds which data files the model at @p path refers to; none where there is no model, or no such
 * file beside it. Reads the structure of the model alone, in time that grows with it. */
void htp_external_find_use(const char *path, htp_external_use *use);

/** Whether a name in @p folder, which ends with a slash or is "", is that of a data file that no
 * model there which it is named for refers to. False where that cannot be told. */
bool htp_external_is_unused(const char *folder, const char *name);

#endif
