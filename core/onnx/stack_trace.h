/*
 * Where in the program an operation was called: the lines of all forward()s that were running, as
 * PyTorch's exporter writes them. Source of the form: torch/fx/proxy.py (it keeps the frames of
 * forward() alone) and Python's traceback.format_list(), stripped.
 */
#ifndef HTP_ONNX_STACK_TRACE_H
#define HTP_ONNX_STACK_TRACE_H

#include "base/arena.h"

#include <htp/shim.h>

/**
 * As much of the stack as the file holds, the innermost last:
 *
 *     File "net.py", line 20, in forward
 *         return self.tiny(x) * 2
 *       File "net.py", line 12, in forward
 *         y = self.helper(x)
 *
 * Of the functions that a forward() calls none is named, unless the file says nothing of the line
 * in forward(). A traced file holds stacks, but no text of lines. Of a longer stack the innermost
 * 256 frames stay. Time is linear in the depth of calls.
 * @return NULL where nothing is known
 */
const char *htp_stack_trace_make(htp_arena *arena, const htp_shim_trace *trace,
                                 const htp_shim_node *node);

#endif
