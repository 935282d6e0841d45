/*
 * Modules whose operation is part of another module's node: a norm that is folded into a
 * convolution, a mask that several layers share.
 */
#ifndef HTP_QUERY_FOLDED_H
#define HTP_QUERY_FOLDED_H

#include "query/select/region.h"

/** The first node with a tag, and a module of the region among its further ones; or HTP_NONE. */
uint32_t htp_folded_node(htp_arena *arena, const htp_region *region);

/** The full tag of a node, or its tag if the file has no full tags. */
htp_slice htp_folded_tag(const htp_region *region, uint32_t node);

#endif
