/*
 * The tables of a trace: values, nodes, blocks, calls and scopes.
 */
#ifndef HTP_INTERPRET_TRACE_NODES_H
#define HTP_INTERPRET_TRACE_NODES_H

#include "interpret/trace/inputs.h"

#include <htp/types.h>

/** A value of the trace. */
typedef struct htp_trace_value {
    htp_trace_kind kind;
    const char *name;   /**< debug name of the TorchScript value, not unique; may be "" */
    uint32_t producer;  /**< node, or HTP_NONE: input, weight, constant, or a list built
                             of its elements */
    const char *device; /**< of a tensor, or the value itself; NULL: that of inputs and weights */
    /* tensor; a complex number as a 0-d one of complex128 */
    htp_dtype dtype;
    uint32_t rank;
    const int64_t *dims[HTP_MAX_LANES]; /**< by lane; rank entries each */
    uint32_t absent;  /**< bit L: an operator raised in lane L, and the dims there are made up */
    uint64_t varying; /**< of a sequence: bit D is set where dim D differs between its tensors */
    uint32_t weight;  /**< the tensor is this weight; otherwise HTP_NONE */
    const void *data; /**< known contents, contiguous; NULL if unknown, or a weight */
    uint64_t data_bytes;
    bool is_quantized;   /**< its elements are quantised integers of dtype */
    uint32_t scale;      /**< of a quantised tensor: a constant value, or a weight */
    uint32_t zero_point; /**< numbers, or tensors of one element or one per channel */
    int32_t axis;        /**< of the channels; -1: one scale for all */
    /* scalar, string */
    bool is_constant;         /**< the value does not depend on input contents or dynamic dims */
    int64_t i[HTP_MAX_LANES]; /**< int and bool, by lane (if constant, or has_lanes) */
    double f[HTP_MAX_LANES];
    bool has_lanes; /**< i or f hold the value of each lane: it depends on dims only */
    const char *s;
    uint64_t s_bytes;
    /* list */
    const uint32_t *elements;
    uint32_t element_count;
} htp_trace_value;

/** A branch of a prim::If, or the body of a prim::Loop. Its nodes precede its owner; their values
 * are visible only in it and in blocks within it. */
typedef struct htp_trace_block {
    const uint32_t *inputs; /**< values: of a loop the iteration number, then carried values */
    uint32_t input_count;
    const uint32_t *outputs; /**< values: of a loop the condition, then carried values, then
                                 elements for stacks; HTP_NONE for a value without readers */
    uint32_t output_count;
} htp_trace_block;

/**
 * An operator that runs.
 *
 * Control flow that depends on data or on dynamic axes is prim::If (condition) with two blocks and
 * an output for each of theirs; or prim::Loop (limit or None; initial condition; initial carried
 * values) with one block. Outputs of a loop are the carried values, then the elements of all
 * iterations, stacked along a new first dim.
 */
typedef struct htp_trace_node {
    const char *kind;               /**< with overload: "aten::add.Tensor" */
    const uint32_t *inputs;         /**< values */
    const char *const *input_names; /**< schema argument names, one per input */
    const char *const *input_types; /**< schema types of the inputs of an operator of a loaded
                                         library: "Tensor?", "int[]"; otherwise NULL */
    uint32_t input_count;
    const uint32_t *outputs; /**< values */
    uint32_t output_count;
    uint32_t block; /**< its block; 0 for forward() itself */
    const uint32_t *blocks;
    uint32_t block_count;
    uint32_t scope;
    const char *source_file; /**< "" if unknown */
    uint32_t source_line;    /**< 0 if unknown */
    const char *source_text; /**< a space and the line; for traced code the Python stack, a line
                                 "FILE(LINE): FUNCTION" each, innermost first; NULL or "" if
                                 unknown */
    const char *function;    /**< the function with the node: "forward"; NULL if unknown */
    uint32_t call;       /**< of that function: calls[call - 1] of the trace; 0 for the method */
    const char *failure; /**< NULL, or why its outputs' types could not be found; they are
                              HTP_TRACE_UNKNOWN, and the model cannot be lowered */
} htp_trace_node;

/** A call of a method or function, and its place in the source; fields as in a node. */
typedef struct htp_trace_call {
    uint32_t scope; /**< of the caller */
    const char *source_file;
    uint32_t source_line;
    const char *source_text;
    const char *function; /**< that contains the call */
    uint32_t call;        /**< of that function; a smaller number than its own, or 0 */
} htp_trace_call;

#endif
