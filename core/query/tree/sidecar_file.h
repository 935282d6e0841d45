/*
 * Reads sidecars that report/sidecar/sidecar.h wrote, as a source of the hierarchy, or to compare
 * them with the model. The file is mapped, and scanned record by record.
 */
#ifndef HTP_QUERY_SIDECAR_FILE_H
#define HTP_QUERY_SIDECAR_FILE_H

#include "base/arena.h"
#include "base/input_file.h"
#include "base/json/json_scan.h"

struct cJSON;

/** The parts of the document. */
typedef enum htp_sidecar_part {
    HTP_SIDECAR_EXPORT,
    HTP_SIDECAR_MODULES,
    HTP_SIDECAR_OPERATIONS,
    HTP_SIDECAR_TENSORS,
    HTP_SIDECAR_DAG,
    HTP_SIDECAR_PARTS,
} htp_sidecar_part;

typedef struct htp_sidecar_file {
    htp_arena *arena;
    const char *path;
    htp_input_file file;
    htp_json_part text; /* mapped */
    htp_json_part parts[HTP_SIDECAR_PARTS];
    htp_json_part quality; /* the metrics, an object; {NULL}: none */
    size_t end;            /* of the last member */
    struct cJSON *held[2]; /* parsed values, freed at the latest when the file is closed */
} htp_sidecar_file;

/** The length of the common beginning of the paths of a model and its sidecar: MODEL of
 * MODEL.onnx. */
size_t htp_sidecar_file_stem(const char *onnx_path);

/** The rest of a sidecar's path. */
#define HTP_SIDECAR_ENDING "_hierarchy.json"

/** The member of the metrics, which is optional. */
#define HTP_SIDECAR_QUALITY "quality"

/** The name of a part in the document. */
const char *htp_sidecar_part_name(htp_sidecar_part part);

/**
 * Opens a sidecar. Checks that all of it is JSON and has the parts.
 * @param file  to be closed in any case, also after the arena ran out of memory.
 * @return HTP_CODE_BAD_INPUT for a file that is unreadable, not JSON, too deep, of a later version,
 *         or that has a part twice or not at all.
 */
HTP_MUST_USE htp_status htp_sidecar_file_open(htp_sidecar_file *file, htp_arena *arena,
                                              const char *path);

/** Makes the failure that something is wrong with the file: HTP_CODE_BAD_INPUT. */
HTP_MUST_USE htp_status htp_sidecar_file_wrong(const htp_sidecar_file *file, const char *format,
                                               ...) __attribute__((format(printf, 2, 3)));

/** Parses a value that was scanned. The file owns it in slot @p hold until the next one in this
 * slot. The text of a string is its valuestring. */
HTP_MUST_USE htp_status htp_sidecar_file_parse(htp_sidecar_file *file, int hold,
                                               htp_json_part value, const struct cJSON **parsed);

/** @return HTP_CODE_BAD_INPUT if the file was changed since it was opened. HTP_OK if it is not open
 */
HTP_MUST_USE htp_status htp_sidecar_file_check(const htp_sidecar_file *file);

/** Unmaps and closes the file; all zeroes are accepted. */
void htp_sidecar_file_close(htp_sidecar_file *file);

#endif
