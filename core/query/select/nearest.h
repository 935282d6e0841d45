/*
 * What somebody may have meant by a name that nothing has.
 */
#ifndef HTP_QUERY_NEAREST_H
#define HTP_QUERY_NEAREST_H

#include "query/tree/tree.h"

/** The changes (a byte added, left out or replaced) that make one text the other; no more than
 * @p most, which stands for all that are larger. */
size_t htp_nearest_distance(htp_slice a, htp_slice b, size_t most);

/** "; the nearest are A, B and C", among the tree's addresses in the form of @p address: tags,
 * paths, classes (with as much of their packages as @p address has) or segments. "" where there is
 * nothing like it. */
const char *htp_nearest_text(htp_arena *arena, const htp_tree *tree, const char *address);

#endif
