/*
 * Looking at paths before the work begins. Private to core/api.
 */
#ifndef HTP_API_PATHS_H
#define HTP_API_PATHS_H

#include "base/arena.h"
#include "base/status.h"

/** Refuses a model without a path (HTP_CODE_USAGE). */
HTP_MUST_USE htp_status htp_paths_check_model(const char *model_path);

/** Whether two paths are those of one file, which need not be there: one name in one folder. */
bool htp_paths_are_one(const char *a, const char *b);

/**
 * Refuses an output that is one of the files that are read, under whatever name (HTP_CODE_USAGE),
 * also where an external data file would be, which there may be if @p has_external, or one that
 * goes together with the model that it replaces; and one whose folder is missing or closed
 * (HTP_CODE_CANNOT_WRITE). The write itself has the last word.
 */
HTP_MUST_USE htp_status htp_paths_check(htp_arena *arena, const char *const *inputs,
                                        size_t input_count, const char *onnx_path,
                                        bool has_external);

#endif
