/*
 * Checks of paths before the work begins. Private to core/api.
 */
#ifndef HTP_API_PATHS_H
#define HTP_API_PATHS_H

#include "base/arena.h"
#include "base/status.h"

/** Refuses a model without a path (HTP_CODE_USAGE). */
HTP_MUST_USE htp_status htp_paths_check_model(const char *model_path);

/**
 * Refuses an output that is an input file, under any name (HTP_CODE_USAGE); with @p has_external,
 * also if its data file would be one, or would belong to the model that is replaced. Refuses a
 * folder that is missing or not writable (HTP_CODE_CANNOT_WRITE). Writing may still fail.
 */
HTP_MUST_USE htp_status htp_paths_check(htp_arena *arena, const char *const *inputs,
                                        size_t input_count, const char *onnx_path,
                                        bool has_external);

#endif
