/*
 * The arrays of a .npz file, with their elements: a zip archive of .npy files, as numpy.savez()
 * writes it. Headers are read when the file is opened, elements when they are wanted.
 */
#ifndef HTP_SOURCE_ARRAYS_NPZ_H
#define HTP_SOURCE_ARRAYS_NPZ_H

#include "base/arena.h"
#include "base/input_file.h"
#include "base/status.h"
#include "base/vector.h"

#include <htp/types.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/** An array in the file. Its elements are in C's order. */
typedef struct htp_npz_entry {
    const char *name; /* without ".npy" */
    htp_dtype dtype;
    uint32_t rank;
    int64_t dims[HTP_MAX_RANK];
    uint64_t offset; /* of its elements in the file */
    uint64_t bytes;  /* of these */
} htp_npz_entry;

/** An opened file; all zeroes are accepted by htp_npz_close(). */
typedef struct htp_npz_file {
    const char *path;
    FILE *file;
    htp_input_file identity;
    HTP_VECTOR(htp_npz_entry) entries;
} htp_npz_file;

/**
 * Opens a file.
 * @param opened  lives in the frame that frees the arena; closed in any case.
 * @return HTP_CODE_USAGE for a file that cannot be opened, is damaged, or has an array that is
 *         compressed, in Fortran's order, or of other elements than numbers and bools.
 */
HTP_MUST_USE htp_status htp_npz_open(htp_arena *arena, const char *path, htp_npz_file *opened);

/** Reads the elements of an array. @return false if they cannot be read */
bool htp_npz_read(const htp_npz_file *opened, size_t index, void *elements);

/** Judges what was made of the elements: if the file was changed since it was opened, that is the
 * failure, and @p status is freed. @return it otherwise, and for a file that is not open */
HTP_MUST_USE htp_status htp_npz_judge(const htp_npz_file *opened, htp_status status);

void htp_npz_close(htp_npz_file *opened);

#endif
