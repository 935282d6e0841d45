/*
 * Modules without nodes whose operation another module's node computes: a norm that is folded into
 * a convolution.
 */
#ifndef HTP_QUERY_FOLDED_H
#define HTP_QUERY_FOLDED_H

#include "query/select/region.h"

/** The full tag of a node that names a module of the region among the further ones that it serves
 * (the metadata full_tags); without a place (`at`) where there is none. */
htp_slice htp_folded_into(htp_arena *arena, const htp_region *region);

#endif
