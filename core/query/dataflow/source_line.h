/*
 * Where in a program a node was written.
 */
#ifndef HTP_QUERY_SOURCE_LINE_H
#define HTP_QUERY_SOURCE_LINE_H

#include "query/tree/tree.h"

/** The innermost line of a node's stack trace, which lies in the file; of the sidecar, where that
 * told of modules. */
htp_source_line htp_source_line_find(const htp_view *view, const htp_tree *tree, uint32_t node);

#endif
