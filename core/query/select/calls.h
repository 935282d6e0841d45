/*
 * The calls of a module that runs several times.
 *
 * Nodes may carry their call: metadata `calls` of onnx/metadata/annotate.h. If none does, calls are
 * separated by data flow: nodes of one call are connected, and all calls of a module have the same
 * operators and weights. If that does not hold, as for calls that feed each other, they cannot be
 * separated.
 */
#ifndef HTP_QUERY_CALLS_H
#define HTP_QUERY_CALLS_H

#include "query/select/region.h"

/** The call of a module that a node belongs to by its metadata; the first of several. HTP_NONE: the
 * file names none. */
uint32_t htp_calls_of_node(const htp_tree *tree, const htp_view *view, uint32_t node,
                           uint32_t module);

/** Refuses a call of what names several modules. */
HTP_MUST_USE htp_status htp_calls_check_module(const char *path, const char *name,
                                               size_t module_count);

/**
 * Restricts a region to the nodes of one call.
 * @param module  the module of the region.
 * @param call    counted from 0.
 * @param name    the region's name in messages.
 * @return HTP_CODE_USAGE if there is no such call, or if calls cannot be separated.
 */
HTP_MUST_USE htp_status htp_calls_restrict(htp_arena *arena, htp_region *region, uint32_t module,
                                           uint32_t call, const char *name);

#endif
