/*
 * Graphviz's program dot, run in a process of its own, without a shell. So the library does not
 * depend on graphviz. Private to core/api.
 */
#ifndef HTP_API_GRAPHVIZ_H
#define HTP_API_GRAPHVIZ_H

#include "base/status.h"

/** Starts dot for the next htp_graphviz_draw(), for a process that will not be able to. It waits
 * for the graph, and ends with this process. A failure is that of the drawing. */
void htp_graphviz_start(void);

/**
 * Draws a graph in the language DOT as SVG.
 * @param graph  a file in memory
 * @param svg    receives one with the picture, which the caller closes; -1: none
 * @param progress  is asked now and then whether to go on; or NULL.
 * @return HTP_CODE_INTERNAL if dot is not on PATH, or fails; HTP_CODE_INTERRUPTED.
 */
HTP_MUST_USE htp_status htp_graphviz_draw(int graph, int *svg, htp_progress_fn progress,
                                          void *user);

#endif
