/*
 * Suggestions for a name that does not exist.
 */
#ifndef HTP_QUERY_NEAREST_H
#define HTP_QUERY_NEAREST_H

#include "query/tree/tree.h"

/** The edit distance of two texts, at most @p most. */
size_t htp_nearest_distance(htp_slice a, htp_slice b, size_t most);

/** "; the nearest are A, B and C", from the tree's addresses of the same form: tags, paths, classes
 * (with as much of their packages as @p address has) or segments. "" if nothing is similar. */
const char *htp_nearest_text(htp_arena *arena, const htp_tree *tree, const char *address);

#endif
