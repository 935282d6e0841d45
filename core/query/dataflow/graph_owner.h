/*
 * The host of each graph: the node of a body, or the only caller of a function.
 */
#ifndef HTP_QUERY_GRAPH_OWNER_H
#define HTP_QUERY_GRAPH_OWNER_H

#include "onnx/reader/view.h"

#include <stdbool.h>

/** Hosts by graph. HTP_NONE for the main graph, for functions with several callers or none, and for
 * one function of each cycle of calls. @p is_host  by node: set for hosts. */
uint32_t *htp_graph_owner_find(htp_arena *arena, const htp_view *view, bool *is_host);

/** All graphs, each behind the one that its host lies in. */
uint32_t *htp_graph_owner_order(htp_arena *arena, const htp_view *view, const uint32_t *hosts);

#endif
