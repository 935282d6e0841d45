/*
 * Checks that a graph is well formed.
 */
#ifndef HTP_GRAPH_VERIFY_H
#define HTP_GRAPH_VERIFY_H

#include "base/status.h"
#include "graph/graph.h"

/**
 * Checks every live node: its scope exists, its arguments have names and exist, its operands were
 * produced earlier by live nodes (or are inputs, weights or known), its outputs name it as their
 * producer, and dims are not negative. Linear in nodes and values.
 * @param pass  the pass that ran last, for the message.
 * @return HTP_CODE_INTERNAL with the error and its place.
 */
HTP_MUST_USE htp_status htp_graph_verify(const htp_graph *graph, const char *pass);

#endif
