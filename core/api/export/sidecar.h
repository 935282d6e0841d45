/*
 * Writing sidecars. Private to core/api.
 */
#ifndef HTP_API_SIDECAR_H
#define HTP_API_SIDECAR_H

#include "api/model.h"
#include "report/sidecar/sidecar.h"

/** The default path of a model's sidecar. */
const char *htp_sidecar_default_path(htp_arena *arena, const char *onnx_path);

/** The sidecar's path of an export: @p given, or the default where that is "". Refuses the path of
 * an input or of the model (HTP_CODE_USAGE), and one that cannot be written. */
HTP_MUST_USE htp_status htp_sidecar_find_path(htp_arena *arena, const char *given,
                                              const char *const *inputs, size_t input_count,
                                              const char *onnx_path, const char **path);

/** Writes the sidecar of the model that lies at @p onnx_path to @p path. @param run  or NULL */
HTP_MUST_USE htp_status htp_sidecar_write_file(const char *onnx_path, const char *path,
                                               const htp_sidecar_run *run,
                                               const htp_write_options *options);

/** Writes the sidecar of a model with metrics, given as JSON. */
HTP_MUST_USE htp_status htp_sidecar_write_measured(htp_model *model, const char *path,
                                                   const char *quality);

#endif
