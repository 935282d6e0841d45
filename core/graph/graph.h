/*
 * The aten graph: operators in execution order, with types, scopes and source lines.
 *
 * A graph lives in one arena. Strings, weights and known contents are borrowed from the trace and
 * its source, which must outlive it. A dim is a number or a named symbol, never -1.
 */
#ifndef HTP_GRAPH_GRAPH_H
#define HTP_GRAPH_GRAPH_H

#include "base/arena.h"
#include "base/map.h"
#include "base/text.h"
#include "graph/size_formula.h"
#include "interpret/trace/trace.h"

/** Indices into the graph's arrays; HTP_NONE: none. */
typedef uint32_t htp_value_id;
typedef uint32_t htp_node_id;

/** A dim: a number, or a symbol with the size that it had in the first lane. */
typedef struct htp_dim {
    int64_t size;
    const char *symbol; /* NULL for a number; "" where tensors of a sequence differ */
} htp_dim;

/** A value: dims with symbols, and the rest as traced. */
typedef struct htp_value {
    const htp_trace_value *traced;
    const htp_dim *dims; /* rank entries, for a tensor */
} htp_value;

/** A module instance with facts from the trace. */
typedef struct htp_module {
    const htp_instance *instance;
    uint32_t first_child; /* HTP_NONE: none */
    uint32_t next_sibling;
} htp_module;

/** The initial value of a state. */
typedef struct htp_first {
    bool is_uniform; /* all elements equal `number`; otherwise `value` holds them */
    double number;
    const htp_trace_value *value; /* a constant or weight; if uniform, the value whose sizes it has,
                                     NULL: the state's input */
} htp_first;

/** A state: a tensor or number that each call takes, and returns for the next one. It is an
 * attribute of a module, or a part of one. */
typedef struct htp_graph_state {
    const char *name; /* the attribute's path; for a part of a list, with ".INDEX" */
    uint32_t module;  /* owner of the attribute */
    htp_value_id before;
    htp_value_id after;
    htp_first first;
} htp_graph_state;

typedef struct htp_graph {
    htp_arena *arena;
    struct htp_symbols *symbols; /* of dims */
    const htp_trace *trace;      /* holds scopes, weights, inputs and outputs */
    htp_trace_node *nodes;       /* in order of execution */
    bool *is_live;               /* by node: no pass has removed it */
    uint32_t node_count;
    htp_value *values;
    uint32_t value_count;
    htp_module *modules;
    uint32_t module_count;
    const htp_argument *arguments;
    uint32_t argument_count; /* forward()'s; trace->inputs are their values */
    const htp_graph_state *states;
    uint32_t state_count;
    bool is_unsettled; /* a state depends on a failed node: see trace->states */
} htp_graph;

/** A value's facts from the trace. */
static inline const htp_trace_value *htp_graph_value(const htp_graph *graph, htp_value_id id)
{
    return graph->values[id].traced;
}

/** How often the trace calls a module; 0 without a trace. */
static inline uint32_t htp_graph_module_calls(const htp_graph *graph, uint32_t module)
{
    const htp_trace *trace = graph->trace;
    return trace && trace->module_calls ? trace->module_calls[module] : 0;
}

/** A property of values other than lists. */
typedef bool (*htp_value_test)(const htp_trace_value *value);

/** Whether one of the values, or an element of a list among them, has a property. HTP_NONE never
 * has. */
bool htp_graph_any(const htp_graph *graph, const htp_value_id *ids, uint32_t count,
                   htp_value_test test);

/** Whether an operand or a result of a node has a property. */
bool htp_graph_node_any(const htp_graph *graph, const htp_trace_node *node, htp_value_test test);

/** Whether the ONNX graph computes a value, or an element of a list: it is neither constant nor
 * known. */
bool htp_graph_is_computed(const htp_graph *graph, htp_value_id id);

/** The node @p id. */
static inline const htp_trace_node *htp_graph_node(const htp_graph *graph, htp_node_id id)
{
    return &graph->nodes[id];
}

/** The attribute path of the module that runs in a scope; "" for the root. */
const char *htp_graph_scope_path(const htp_graph *graph, uint32_t scope);

/** The call site of a scope; NULL for the method itself. */
const htp_trace_call *htp_graph_scope_site(const htp_graph *graph, uint32_t scope);

/** A named input axis, of size 1 or more. */
typedef struct htp_axis {
    const char *symbol; /**< name; of a formula, its text */
    int64_t sizes[HTP_MAX_LANES];
    const htp_size_formula *formula; /**< over axes without formulas; NULL: its sizes are its own */
} htp_axis;

/**
 * Builds the graph of a trace. Dims that differ between lanes become symbols: the axis whose sizes
 * they equal, a product, quotient, sum or multiple of axes ("batch*2", "past + sequence"), or a
 * name of their own. Symbols learn more from operators later: htp_symbols.
 * @param lane_count  lanes of the trace.
 */
htp_graph *htp_graph_build(htp_arena *arena, const htp_trace *trace, uint32_t lane_count,
                           const htp_instance *modules, uint32_t module_count,
                           const htp_argument *arguments, uint32_t argument_count,
                           const htp_axis *axes, uint32_t axis_count);

/**
 * Writes the graph as text, one live node a line, in order of execution:
 *
 *     %12 : float32[batch, 8] = aten::linear(%5, %3, %4)  # scope: a.b  call: 0  source: f.py:12
 *
 * The root's scope is `.`; constants and weights appear instead of their ids. Lines that begin with
 * `#` list the inputs, the scopes with their callers and arguments (which need no node), and the
 * outputs:
 *
 *     # scope 3: a.b  call: 0  caller: 1  source: f.py:20  passed: hidden_states = %5
 *
 * Names with white space or the dump's own signs are JSON strings. The line of a failed node ends
 * with `failure: "why"`.
 */
void htp_graph_dump(const htp_graph *graph, htp_text *text);

#endif
