/*
 * Looking at paths before the work begins. Private to core/api.
 */
#ifndef HTP_API_PATHS_H
#define HTP_API_PATHS_H

#include "base/arena.h"
#include "base/status.h"

/**
 * Refuses an output that is one of the files that are read, under whatever name (HTP_CODE_USAGE),
 * where @p has_external also an external data file that would be; and one whose folder is missing
 * or closed (HTP_CODE_CANNOT_WRITE). The write itself has the last word.
 */
HTP_MUST_USE htp_status htp_paths_check(htp_arena *arena, const char *const *inputs,
                                        size_t input_count, const char *onnx_path,
                                        bool has_external);

#endif
