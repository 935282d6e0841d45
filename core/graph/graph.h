/*
 * The aten-level graph: what ran, in order, with types, scopes and source lines.
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

/** Indices into the graph's arrays; HTP_NONE where there is none. */
typedef uint32_t htp_value_id;
typedef uint32_t htp_node_id;

/** A dim: a number, or a symbol with the size that it had in the first lane. */
typedef struct htp_dim {
    int64_t size;
    const char *symbol; /* NULL for a number; "" where tensors of a sequence differ */
} htp_dim;

/** A value. `traced` says all but the dims. */
typedef struct htp_value {
    const htp_trace_value *traced;
    const htp_dim *dims; /* rank entries, for a tensor */
} htp_value;

/** A module instance with what a trace adds. */
typedef struct htp_module {
    const htp_instance *instance;
    uint32_t first_child; /* HTP_NONE: none */
    uint32_t next_sibling;
} htp_module;

/** What a state is before the first call. */
typedef struct htp_first {
    bool is_uniform; /* all its elements are one number; otherwise a value tells */
    double number;
    const htp_trace_value *value; /* a constant or weight; or what has the sizes, NULL: the input */
} htp_first;

/** A tensor or number that each call is given, and gives back for the next one: an attribute of a
 * module, or a part of one. */
typedef struct htp_graph_state {
    const char *name; /* the attribute's path, behind it ".INDEX" for parts of lists */
    uint32_t module;  /* that has the attribute */
    htp_value_id before;
    htp_value_id after;
    htp_first first;
} htp_graph_state;

typedef struct htp_graph {
    htp_arena *arena;
    struct htp_symbols *symbols; /* that dims have */
    const htp_trace *trace;      /* scopes, weights and ends are read there */
    htp_trace_node *nodes;       /* in order of execution */
    bool *is_live;               /* by node: no pass has taken it out */
    uint32_t node_count;
    htp_value *values;
    uint32_t value_count;
    htp_module *modules;
    uint32_t module_count;
    const htp_argument *arguments;
    uint32_t argument_count; /* forward()'s; trace->inputs are their values */
    const htp_graph_state *states;
    uint32_t state_count;
    bool is_unsettled; /* something failed that state depends on: trace->states tell which */
} htp_graph;

/** What the trace says of a value. */
static inline const htp_trace_value *htp_graph_value(const htp_graph *graph, htp_value_id id)
{
    return graph->values[id].traced;
}

/** How often a module was called, as the trace tells; 0 without one. */
static inline uint32_t htp_graph_module_calls(const htp_graph *graph, uint32_t module)
{
    const htp_trace *trace = graph->trace;
    return trace && trace->module_calls ? trace->module_calls[module] : 0;
}

/** A property of values that are no lists. */
typedef bool (*htp_value_test)(const htp_trace_value *value);

/** Whether one of the values has a property; of a list, whether an element has it. HTP_NONE has
 * none. */
bool htp_graph_any(const htp_graph *graph, const htp_value_id *ids, uint32_t count,
                   htp_value_test test);

/** Whether a value that the node takes or gives has a property. */
bool htp_graph_node_any(const htp_graph *graph, const htp_trace_node *node, htp_value_test test);

/** Whether an ONNX graph computes the value, or an element of it: it is neither constant nor known.
 */
bool htp_graph_is_computed(const htp_graph *graph, htp_value_id id);

/** The node @p id. */
static inline const htp_trace_node *htp_graph_node(const htp_graph *graph, htp_node_id id)
{
    return &graph->nodes[id];
}

/** The attribute path of the module that scope @p scope runs; "" for the root. */
const char *htp_graph_scope_path(const htp_graph *graph, uint32_t scope);

/** The place where scope @p scope is called; NULL for the method itself. */
const htp_trace_call *htp_graph_scope_site(const htp_graph *graph, uint32_t scope);

/** An input axis that has a name, whose sizes are 1 and more. */
typedef struct htp_axis {
    const char *symbol; /**< that of a formula is its text */
    int64_t sizes[HTP_MAX_LANES];
    const htp_size_formula *formula; /**< of axes that have none; NULL: its sizes are its own */
} htp_axis;

/**
 * Builds the graph of a trace. Dims that differ between lanes become symbols: the axis whose
 * sizes they equal, a product, quotient, sum or multiple of axes ("batch*2", "past + sequence"),
 * or a name of their own. What the names tell grows as operators are looked at: htp_symbols.
 * @param lane_count  lanes of the trace.
 */
htp_graph *htp_graph_build(htp_arena *arena, const htp_trace *trace, uint32_t lane_count,
                           const htp_instance *modules, uint32_t module_count,
                           const htp_argument *arguments, uint32_t argument_count,
                           const htp_axis *axes, uint32_t axis_count);

/** Writes the graph as text, one live node a line, in order of execution:
 * `%12 : float32[batch, 8] = aten::linear(%5, %3, %4)  # scope: a.b  call: 0  source: f.py:12`.
 * The root's scope is `.`; constants and weights are written in place of their ids. Lines before
 * and after, which begin with `#`, tell the inputs, the running calls with where they are made and
 * what they are given, whoever makes and reads it, and the outputs:
 * `# scope 3: a.b  call: 0  caller: 1  source: f.py:20  passed: hidden_states = %5`. Names that
 * hold white space or the dump's own signs are written as JSON strings. A node that failed says so
 * at the end of its line, `failure: "why"`. */
void htp_graph_dump(const htp_graph *graph, htp_text *text);

#endif
