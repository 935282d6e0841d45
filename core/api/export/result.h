/*
 * The result of an export, as text and JSON. Private to core/api.
 */
#ifndef HTP_API_RESULT_H
#define HTP_API_RESULT_H

#include "api/session/session.h"
#include "functions/build.h"
#include "onnx/builder/builder.h"
#include "onnx/metadata/annotate.h"
#include "onnx/serialize/writer.h"

/** A finished export. */
typedef struct htp_finished {
    const char *onnx_path;
    const char *sidecar_path;       /* NULL: none */
    const htp_builder *model;       /* flat */
    const htp_builder *written;     /* the same, or with functions */
    const htp_functions *functions; /* NULL: it has none */
    const htp_hierarchy *hierarchy;
    const htp_annotations *annotations; /* of the written model */
    htp_writer_result sizes;
} htp_finished;

/** Makes the result that htp_export() returns. */
HTP_MUST_USE htp_status htp_result_make(htp_session *session, const htp_finished *finished,
                                        htp_result **result);

/** Makes a result of its parts, which it takes over, also if it fails. @param external_path  or
 * NULL */
HTP_MUST_USE htp_status htp_result_assemble(char *json, char *tree, char *external_path,
                                            uint64_t node_count, htp_result **result);

#endif
