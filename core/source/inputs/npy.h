/*
 * The dtype and shape of NumPy's array files. Private to core/source.
 *
 * Reference: numpy/lib/format.py, versions 1.0 to 3.0.
 */
#ifndef HTP_SOURCE_NPY_H
#define HTP_SOURCE_NPY_H

#include "base/input_file.h"
#include "base/status.h"

#include <htp/types.h>
#include <stdbool.h>
#include <stdio.h>

/** The most bytes that are read of a header. Usual ones have a few hundred. */
#define HTP_NPY_HEADER_LIMIT ((size_t)16 * 1024)

/** An array that lies in a file. */
typedef struct htp_npy {
    htp_dtype dtype;
    uint32_t rank;
    int64_t dims[HTP_MAX_RANK];
    bool is_fortran; /* elements are in the order of the first dim first */
} htp_npy;

/**
 * Parses the beginning of an array file.
 * @param bytes  the first bytes: the whole file, or HTP_NPY_HEADER_LIMIT of it.
 * @param total  bytes of the whole file, which must be just the header and the elements.
 * @return NULL, or the error: a clause such as "no NumPy array".
 */
const char *htp_npy_parse(const void *bytes, size_t count, uint64_t total, htp_npy *array);

/** Reads the header of the .npy file @p path. */
HTP_MUST_USE htp_status htp_npy_read(const char *path, htp_npy *array);

/** Opens a regular file for reading; fails with HTP_CODE_USAGE. Close it with fclose().
 * @param identity  receives its size and more: htp_input_file_judge() */
HTP_MUST_USE htp_status htp_npy_open(const char *path, FILE **file, htp_input_file *identity);

#endif
