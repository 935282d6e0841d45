/*
 * The tensors of an archive: parameters, buffers and constants, which stay in the mapped file.
 * Private to core/exported.
 */
#ifndef HTP_EXPORTED_WEIGHTS_H
#define HTP_EXPORTED_WEIGHTS_H

#include "base/map.h"
#include "base/vector.h"
#include "interpret/trace/instances.h"
#include "source/archive/archive.h"

/** An archive, mapped. */
typedef struct htp_exported_file {
    const htp_archive *archive;
    const char *bytes; /**< the whole file, read-only */
    uint64_t count;
} htp_exported_file;

/** The tensors of an archive, still without owners. */
typedef struct htp_exported_weights {
    HTP_VECTOR(htp_weight) all;
    htp_map by_name;  /**< from names of the state and of constants */
    htp_map storages; /**< from records to numbers of storages */
} htp_exported_weights;

/** The bytes of a record; NULL if it is missing or compressed. */
const char *htp_exported_file_record(const htp_exported_file *file, const char *name,
                                     size_t *bytes);

/**
 * Adds a tensor in a record.
 * @param folder  prefix of the storage's name, which tells records of several archives apart
 * @param record  name of the record
 * @param weight  everything but its storage and its bytes
 * @return the error; NULL: none
 */
const char *htp_exported_weights_add(htp_arena *arena, htp_exported_weights *weights,
                                     const htp_exported_file *file, const char *folder,
                                     const char *record, htp_weight weight);

#endif
