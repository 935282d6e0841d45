/*
 * An export in a child process. Private to core/api.
 */
#ifndef HTP_API_ISOLATED_H
#define HTP_API_ISOLATED_H

#include "base/status.h"

/** An export from file to file: htp_export(). */
typedef htp_status (*htp_export_fn)(const char *model_path, const char *onnx_path,
                                    const htp_options *options, htp_result **result);

/**
 * Runs an export in a child of this process, and passes on its progress, notes, status and result.
 * What the child sends is not trusted.
 * @param options  complete ones, as of htp_options_copy()
 * @return  beside those of the export: HTP_CODE_INTERNAL if the child died, HTP_CODE_UNSUPPORTED if
 * it took too long
 */
HTP_MUST_USE htp_status htp_export_isolated(const char *model_path, const char *onnx_path,
                                            const htp_options *options, htp_result **result,
                                            htp_export_fn run);

#endif
