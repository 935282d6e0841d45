/*
 * The tensors of an archive: parameters, buffers and constants, which lie in it as they are.
 * Private to core/exported.
 */
#ifndef HTP_EXPORTED_PAYLOADS_H
#define HTP_EXPORTED_PAYLOADS_H

#include "base/map.h"
#include "base/status.h"
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
 * Reads a table of tensors, HTP_EXPORTED_WEIGHTS or HTP_EXPORTED_CONSTANTS below the model's name,
 * and finds their records.
 * @param folder   of the records: "data/weights/"
 * @param config   the record of the table; a missing one is an empty table
 * @param scratch  its recovery point is set
 * @return HTP_CODE_BAD_INPUT for tensors beyond their records
 */
HTP_MUST_USE htp_status htp_exported_weights_read(htp_arena *arena, htp_arena *scratch,
                                                  const htp_exported_file *file, const char *folder,
                                                  const char *config,
                                                  htp_exported_weights *weights);

#endif
