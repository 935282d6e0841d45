/*
 * The calls of a module that runs several times.
 *
 * An exporter may say which call each node belongs to: metadata `calls` of
 * onnx/metadata/annotate.h. Where no node does, calls are told apart by what flows: nodes of one
 * call are connected, by values that they make; and calls of one module have the same operators and
 * the same weights. Where that is not so, as for calls that feed each other, they cannot be told
 * apart.
 */
#ifndef HTP_QUERY_CALLS_H
#define HTP_QUERY_CALLS_H

#include "query/select/region.h"

/** The call that a node says it belongs to: of several the first. HTP_NONE: to none, as far
 * as the file tells. */
uint32_t htp_calls_of_node(const htp_tree *tree, const htp_view *view, uint32_t node,
                           uint32_t module);

/**
 * Leaves the nodes of call @p call in a region.
 * @param module  whose calls are meant; the region is its.
 * @return HTP_CODE_USAGE where there is no such call, or calls cannot be told apart.
 */
HTP_MUST_USE htp_status htp_calls_restrict(htp_arena *arena, htp_region *region, uint32_t module,
                                           uint32_t call, const char *name);

#endif
