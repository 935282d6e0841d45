/*
 * A trace: the operators that a call of a method runs, as plain data.
 *
 * It is the result of abstract interpretation of forward(), or of another chosen method: every
 * operator that would run is listed, in order, once for each time it runs. Calls are inlined,
 * branches on known conditions taken, loops of known length unrolled; other branches and loops are
 * nodes with blocks. The method runs in 1 to HTP_MAX_LANES lanes at once, each with input sizes of
 * its own; dims that differ between lanes are dynamic.
 *
 * Everything in it lives as long as the interpreter that made it (interpret.h); users only read.
 */
#ifndef HTP_INTERPRET_TRACE_TRACE_H
#define HTP_INTERPRET_TRACE_TRACE_H

#include "interpret/trace/instances.h"
#include "interpret/trace/nodes.h"
#include "interpret/trace/states.h"

#include <htp/types.h>

#include <string.h>

/** The source in the program of a node or call in a trace (htp/program.h). */
typedef struct htp_trace_stand {
    uint32_t function; /**< HTP_NONE: it comes from no line of the program */
    uint32_t node;     /**< of that function */
    uint32_t call;     /**< the call that contains it, from 1; 0: the method */
} htp_trace_stand;

/** The result of a trace. */
typedef struct htp_trace {
    const htp_trace_value *values;
    uint32_t value_count;
    const htp_trace_node *nodes;
    uint32_t node_count;
    const htp_trace_block *blocks; /**< block 0 has no inputs and outputs of its own */
    uint32_t block_count;
    const htp_trace_scope *scopes;
    uint32_t scope_count;
    const htp_trace_call *calls;
    uint32_t call_count;
    const uint32_t *module_calls; /**< by module: times its forward (or another method) was called
                                   */
    const htp_weight *weights; /**< the model's, then constants of the code; a later trace appends
                                  to them, and its list is the valid one */
    uint32_t weight_count;
    const htp_trace_size *data_sizes;
    uint32_t data_size_count;
    const char *const *run_on_probes; /**< operators of loaded libraries, with overload, whose
                                         kernels ran on ones and zeros to find sizes */
    uint32_t run_on_probes_count;
    htp_trace_rounding fake_rounding;    /**< of fake_quantize_per_tensor_affine, set if the */
    htp_trace_rounding tensor_rounding;  /**< trace quantises; of quantize_per_tensor */
    htp_trace_rounding channel_rounding; /**< of quantize_per_channel */
    const uint32_t *inputs; /**< values, one per argument of the method, in the given order */
    uint32_t input_count;
    const uint32_t *outputs; /**< values: the results of forward(), with tuples and lists
                                 flattened */
    uint32_t output_count;
    const htp_trace_state *states; /**< those that were changed or carried, in the order of modules,
                                       then of attributes */
    uint32_t state_count;
    bool has_control;      /**< a branch or loop was met: other nodes may run at other sizes */
    uint32_t untold_count; /**< nodes in blocks for which the file names no modules, so that they
                              count as their caller's */
    bool moves_statistics; /**< norms in training mode update running statistics */
    bool is_inference;     /**< a program traced in training mode was interpreted in inference
                               mode */
} htp_trace;

/** Whether a node runs an operator, "aten::add", in any overload. */
static inline bool htp_trace_node_runs(const htp_trace_node *node, const char *name)
{
    size_t length = strlen(name);
    return strncmp(node->kind, name, length) == 0 &&
           (node->kind[length] == '\0' || node->kind[length] == '.');
}

#endif
