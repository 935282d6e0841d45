/*
 * Graphviz's program dot, run in a process of its own, without a shell. So the library does not
 * depend on graphviz. Private to core/api.
 */
#ifndef HTP_API_GRAPHVIZ_H
#define HTP_API_GRAPHVIZ_H

#include "base/status.h"

/**
 * Draws a graph in the language DOT, from the beginning of @p input, as SVG into @p output. Both
 * are open files.
 * @param progress  is asked now and then whether to go on; or NULL.
 * @return HTP_CODE_INTERNAL if dot is not on PATH, or fails; HTP_CODE_INTERRUPTED.
 */
HTP_MUST_USE htp_status htp_graphviz_draw(int input, int output, htp_progress_fn progress,
                                          void *user);

#endif
