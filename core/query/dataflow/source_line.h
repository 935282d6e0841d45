/*
 * Where in a program a node was written.
 */
#ifndef HTP_QUERY_SOURCE_LINE_H
#define HTP_QUERY_SOURCE_LINE_H

#include "query/tree/tree.h"

/** The innermost line of a node's stack trace, from the model's metadata, or from the sidecar if
 * the modules come from there. */
htp_source_line htp_source_line_find(const htp_view *view, const htp_tree *tree, uint32_t node);

#endif
