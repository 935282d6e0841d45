/*
 * Where in the program an operation was called: the lines of all running forward()s, in the form of
 * PyTorch's exporter. Source of the form: proxy.py of torch.fx (it keeps the frames of forward()
 * alone) and Python's traceback.format_list(), stripped.
 */
#ifndef HTP_ONNX_STACK_TRACE_H
#define HTP_ONNX_STACK_TRACE_H

#include "base/map.h"
#include "base/vector.h"
#include "graph/graph.h"

/** Source places of frames, the innermost first. */
typedef HTP_VECTOR(const htp_trace_call *) htp_stack_places;

/** A cache of stacks by their places, which layers of a model share. An empty memo is all
 * zeroes. */
typedef struct htp_stack_memo {
    htp_map known; /* key -> index in texts */
    HTP_VECTOR(const char *) texts;
    HTP_VECTOR(const void *) key; /* the latest key */
    htp_stack_places places;      /* of the latest node */
} htp_stack_memo;

/**
 * The known part of the stack, the innermost frame last:
 *
 *     File "net.py", line 20, in forward
 *         return self.tiny(x) * 2
 *       File "net.py", line 12, in forward
 *         y = self.helper(x)
 *
 * Functions that a forward() calls are omitted, unless the file lacks the line in forward(). A
 * traced file has stacks, but no text of lines. Only the innermost 256 frames are kept. Time is
 * linear in the depth of calls.
 * @param memo  of this arena and this trace
 * @return NULL if nothing is known
 */
const char *htp_stack_trace_make(htp_arena *arena, htp_stack_memo *memo, const htp_trace *trace,
                                 const htp_trace_node *node);

/**
 * The stacks of a graph's live nodes, and of the places where its scopes were called, so that a
 * stack can be written in parts. For every scope S, and every live node N that runs in it:
 *
 *     htp_stack_trace_make(N) = of_call(S) "\n  " within(N, S)
 *     of_call(S) = of_call(T) "\n  " of_call(S, within T), for a scope T around S
 *
 * A NULL part is left out with its separator. If make() returns a text, so does within().
 *
 * The stack of a call is that of its callers' forward()s, as far as the stacks of all its nodes
 * begin with it: a traced file has no places of calls, and its nodes may have moved. It is shorter
 * if a node's stack lacks frames, and always less than 256 frames.
 */
typedef struct htp_stacks htp_stacks;

/** Time is linear in the nodes times the depth of calls. */
const htp_stacks *htp_stacks_find(htp_arena *arena, const htp_graph *graph);

/** The frames from scope @p within (0: all) down to the place where @p scope was called; NULL if
 * there are none. */
const char *htp_stack_trace_of_call(htp_arena *arena, const htp_stacks *stacks, uint32_t scope,
                                    uint32_t within);

/** The frames of a live node from @p scope's forward() inward. NULL if nothing is known, or if it
 * does not run in @p scope. */
const char *htp_stack_trace_within(htp_arena *arena, const htp_stacks *stacks, htp_node_id node,
                                   uint32_t scope);

#endif
