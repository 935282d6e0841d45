/*
 * The tensors of an archive: parameters, buffers and constants, which lie in the mapped file as
 * they are. Private to core/exported.
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

/** Its tensors; none has an owner as yet. */
typedef struct htp_exported_weights {
    HTP_VECTOR(htp_weight) all;
    htp_map by_name;  /**< those of the state, and constants */
    htp_map storages; /**< numbers of records */
} htp_exported_weights;

/** The bytes of a record; NULL if it is missing or compressed. */
const char *htp_exported_file_record(const htp_exported_file *file, const char *name,
                                     size_t *bytes);

/**
 * Adds a tensor that lies in a record.
 * @param record   its name; that of the storage begins with @p folder, so that records of several
 *                 archives are told apart
 * @param weight   all of it but for its storage and its bytes
 * @return what is wrong with it; NULL: nothing
 */
const char *htp_exported_weights_add(htp_arena *arena, htp_exported_weights *weights,
                                     const htp_exported_file *file, const char *folder,
                                     const char *record, htp_weight weight);

#endif
