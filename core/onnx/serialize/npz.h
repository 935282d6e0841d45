/*
 * NumPy's archives of arrays: a zip file with one .npy file per array, as numpy.savez() writes it.
 *
 * Reference: numpy/lib/format.py, version 1.0; PKWARE APPNOTE.TXT, 4.3.7, 4.3.12 and 4.3.16.
 */
#ifndef HTP_ONNX_NPZ_H
#define HTP_ONNX_NPZ_H

#include "base/arena.h"
#include "base/input_file.h"
#include "base/status.h"
#include "onnx/builder/builder.h"

/** An array of an archive. */
typedef struct htp_npz_array {
    const char *name;  /* without ".npy" */
    int32_t data_type; /* TensorProto.DataType; see htp_npz_has() */
    size_t rank;
    const int64_t *dims;
} htp_npz_array;

/** What is written, and where its elements come from. */
typedef struct htp_npz {
    const htp_npz_array *arrays;
    size_t count;
    void *user;
    void (*begin)(void *user, size_t index); /* the elements of an array */
    /* The next ones, 0 at the end. They are read twice. */
    uint64_t (*next)(void *user, const unsigned char **bytes);
    htp_status (*check_sources)(void *user); /* HTP_CODE_BAD_INPUT if the sources changed */
} htp_npz;

/** Whether NumPy has a type, or one of that size, for these elements. */
bool htp_npz_has(int32_t data_type);

/**
 * Writes an archive, which appears complete or not at all.
 * @return HTP_CODE_CANNOT_WRITE also for more than 4 GiB of arrays
 */
HTP_MUST_USE htp_status htp_npz_write(htp_arena *arena, const htp_npz *npz, const char *path);

/**
 * Writes the initial values of a model's states, each under its input's name.
 * @param source  the model's source: a change during writing is a failure
 * @return as htp_npz_write()
 */
HTP_MUST_USE htp_status htp_npz_write_states(const htp_builder *model, const htp_input_file *source,
                                             const char *path);

#endif
