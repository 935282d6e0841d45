/*
 * Checks that a graph is well formed.
 */
#ifndef HTP_GRAPH_VERIFY_H
#define HTP_GRAPH_VERIFY_H

#include "base/status.h"
#include "graph/graph.h"

/**
 * Checks every live node: its scope exists, its arguments have names and exist, what it reads was
 * made before by a live node (or is an input, a weight or known), its outputs name it as their
 * producer, and dims are no less than 0. Linear in nodes and values.
 * @param pass  the pass that ran last, for the message.
 * @return HTP_CODE_INTERNAL with what is wrong and where.
 */
HTP_MUST_USE htp_status htp_graph_verify(const htp_graph *graph, const char *pass);

#endif
