/*
 * What each graph lies beside: a body beside its node, a function beside the node that alone calls
 * it. Such a node is the graph's host.
 */
#ifndef HTP_QUERY_GRAPH_OWNER_H
#define HTP_QUERY_GRAPH_OWNER_H

#include "onnx/reader/view.h"

#include <stdbool.h>

/** The hosts by graph; HTP_NONE for the model's own graph, for functions that several nodes or
 * none call, and for one of those that call each other in a circle. @p is_host  by node: is set
 * where it is one. */
uint32_t *htp_graph_owner_find(htp_arena *arena, const htp_view *view, bool *is_host);

/** All graphs, each behind the one that its host lies in. */
uint32_t *htp_graph_owner_order(htp_arena *arena, const htp_view *view, const uint32_t *hosts);

#endif
