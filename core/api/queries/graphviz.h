/*
 * Graphviz, as the program that it comes with: it is run without a shell, in a process of its own,
 * so that nobody who draws nothing loads it. Private to core/api.
 */
#ifndef HTP_API_GRAPHVIZ_H
#define HTP_API_GRAPHVIZ_H

#include "base/status.h"

/**
 * Draws what @p input holds from its beginning, a graph in the language dot, as SVG into @p output:
 * files, both open in this process.
 * @param progress  is asked now and then whether to go on; or NULL.
 * @return HTP_CODE_INTERNAL where there is no program dot on PATH, or where it fails;
 *         HTP_CODE_INTERRUPTED.
 */
HTP_MUST_USE htp_status htp_graphviz_draw(int input, int output, htp_progress_fn progress,
                                          void *user);

#endif
