/*
 * A trace: what a call of a method runs, as plain data.
 *
 * It is an abstract execution of forward(), or of the method that was chosen: every operator that
 * would run is listed, in order, once for each time it runs (calls are flattened, branches on known
 * conditions taken, loops of known length unrolled; other branches and loops are nodes with
 * blocks). It runs in 1 to HTP_SHIM_MAX_LANES lanes at once, each with input sizes of its own; dims
 * that differ between lanes are dynamic.
 *
 * Everything in it lives as long as the interpreter that made it (interpret.h); others only read.
 */
#ifndef HTP_INTERPRET_TRACE_H
#define HTP_INTERPRET_TRACE_H

#include <htp/shim.h>

/** A value of the trace. */
typedef struct htp_trace_value {
    htp_shim_kind kind;
    const char *name;  /**< debug name of the TorchScript value, not unique; may be "" */
    uint32_t producer; /**< node, or HTP_SHIM_NONE: input, weight, constant, or a list built
                            of its elements */
    /* tensor */
    htp_dtype dtype;
    uint32_t rank;
    const int64_t *dims[HTP_SHIM_MAX_LANES]; /**< by lane; rank entries each */
    uint64_t varying; /**< of a sequence: bit D is set where dim D differs between its tensors */
    uint32_t weight;  /**< the tensor is this weight; otherwise HTP_SHIM_NONE */
    const void *data; /**< known contents, contiguous; NULL when not known, or a weight */
    uint64_t data_bytes;
    bool is_quantized;   /**< its elements are levels: dtype is the levels' */
    uint32_t scale;      /**< of a quantised tensor: values that are constant, or weights */
    uint32_t zero_point; /**< numbers, tensors of one element, or one for each channel */
    int32_t axis;        /**< of the channels; -1 where all elements have one scale */
    /* scalar, string */
    bool is_constant; /**< the value does not depend on input contents or dynamic dims */
    int64_t i[HTP_SHIM_MAX_LANES]; /**< int and bool, by lane (also when not constant, if
                                        has_lanes) */
    double f[HTP_SHIM_MAX_LANES];
    bool has_lanes; /**< i or f hold what each lane saw: the value depends on dims only */
    const char *s;
    uint64_t s_bytes;
    /* list */
    const uint32_t *elements;
    uint32_t element_count;
} htp_trace_value;

/** A branch of a prim::If, or the body of a prim::Loop. Its nodes stand before the node that it
 * belongs to; what they make is read in it, and in blocks within it, alone. */
typedef struct htp_trace_block {
    const uint32_t *inputs; /**< values: of a loop the iteration's number, then what is carried */
    uint32_t input_count;
    const uint32_t *outputs; /**< values: of a loop whether to go on, then what is carried, then
                                  what each iteration adds to stacks; HTP_SHIM_NONE in place of a
                                  value that nobody reads */
    uint32_t output_count;
} htp_trace_block;

/**
 * An operator that runs.
 *
 * Where the data, or the size of a dynamic axis, decides what runs, it is prim::If (condition) with
 * two blocks and an output for each of theirs; or prim::Loop (the most iterations, or None; whether
 * to begin; what is carried) with one block, whose outputs are what was carried, and what each
 * iteration added, stacked in a first dim.
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
    uint32_t block; /**< that it stands in; 0 for forward() itself */
    const uint32_t *blocks;
    uint32_t block_count;
    uint32_t scope;
    const char *source_file; /**< "" when not known */
    uint32_t source_line;    /**< 0 when not known */
    const char *source_text; /**< a space and the line; of what was traced the Python stack,
                                  "FILE(LINE): FUNCTION" a line, the innermost first; NULL or ""
                                  when not known */
    const char *function;    /**< that the node stands in: "forward"; NULL when not known */
    uint32_t call;       /**< of that function: calls[call - 1] of the trace; 0 for the method */
    const char *failure; /**< NULL, or why its outputs' types could not be found; they are
                              HTP_SHIM_UNKNOWN, and the model cannot be lowered */
} htp_trace_node;

/** A call of a method or function, and where it stands; as of a node. */
typedef struct htp_trace_call {
    uint32_t scope; /**< of the caller */
    const char *source_file;
    uint32_t source_line;
    const char *source_text;
    const char *function; /**< that the call stands in */
    uint32_t call;        /**< of that function; a smaller number than its own, or 0 */
} htp_trace_call;

/** What a node or call of a trace stands for in the program (htp/program.h). */
typedef struct htp_trace_stand {
    uint32_t function; /**< HTP_SHIM_NONE: no line of the program stands for it */
    uint32_t node;     /**< of that function */
    uint32_t call;     /**< that it stands in: of the calls, from 1 on; 0: the method */
} htp_trace_stand;

/** A tensor or number that a call was given: an argument, or a part of one. */
typedef struct htp_trace_passed {
    const char *name; /**< the schema's: "hidden_states"; of parts "past_0_key", as those of the
                           method's inputs are named. Not unique; any bytes, as dicts' keys are */
    uint32_t value;   /**< as it was when the call began; a weight or a constant, too */
} htp_trace_passed;

/** One running call of a module; scope 0 is the root's. */
typedef struct htp_trace_scope {
    uint32_t parent; /**< the caller's scope; HTP_SHIM_NONE for scope 0 */
    uint32_t module;
    uint32_t call; /**< 0 for the first call of this module, and so on */
    uint32_t site; /**< where the caller makes it: calls[site - 1] of the trace; 0 for scope 0 */
    const htp_trace_passed *passed; /**< arguments in their order, self left out. None, strings and
                                        objects are left out, and so are parts beyond the first ones
                                        of very many. Perhaps nothing reads or makes the values */
    uint32_t passed_count;
} htp_trace_scope;

/** A size that the data decides, such as the number of elements that a mask selects, and what it
 * was taken for in each lane. */
typedef struct htp_trace_size {
    const char *name; /**< of the operator that gives it: "nonzero"; not unique */
    int64_t sizes[HTP_SHIM_MAX_LANES];
} htp_trace_size;

/**
 * An attribute of a module that a call of the method changes, so that the next call reads what this
 * one left; or a tensor that such an attribute holds and a call changes in place.
 *
 * Lists, tuples and dicts are values of HTP_SHIM_LIST; their parts are counted depth first.
 */
typedef struct htp_trace_state {
    const char *name; /**< dotted path: "encoder.rnn.hidden" */
    uint32_t module;  /**< that holds it */
    uint32_t loaded;  /**< value: what the archive has */
    uint32_t before;  /**< value: what this call found */
    uint32_t after;   /**< value: what it left; the same as before where it only read it */
} htp_trace_state;

/** What a part of a state is when a call begins. */
typedef struct htp_trace_carry {
    bool is_input; /**< a tensor or number that is given to each call; otherwise what the last
                        call left, which is known but for the sizes that it follows */
    uint32_t
        open_dims[HTP_SHIM_MAX_RANK]; /**< of a tensor, by dim: 0 where it has the size that the
                                           last call left; otherwise it may have any, and dims
                                           with one number, of whatever state, have one size */
} htp_trace_carry;

/** A state that a call does not find as it was loaded: it has the shape that the last trace left.
 */
typedef struct htp_trace_carried {
    const char *name;
    const htp_trace_carry *parts;
    uint32_t part_count;
} htp_trace_carried;

/** How libtorch makes levels of numbers x · (1 / scale). */
typedef enum htp_rounding_way {
    HTP_ROUNDING_UNKNOWN = 0,
    HTP_ROUNDING_ZERO_BEHIND, /**< rounds them, and adds the zero point */
    HTP_ROUNDING_ZERO_BEFORE, /**< adds the zero point, and rounds */
    HTP_ROUNDING_ZERO_IN_ONE, /**< the same, with multiplication and addition rounded as one */
} htp_rounding_way;

/** How this libtorch rounds to levels, found by asking it. */
typedef struct htp_trace_rounding {
    htp_rounding_way way;
    bool infinity_is_lowest; /**< infinity, and what no int64 holds; otherwise it is clipped */
    bool nan_is_highest;     /**< otherwise the lowest level */
} htp_trace_rounding;

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
    const uint32_t *module_calls;   /**< by module: times its forward (or another method) was called
                                     */
    const htp_shim_weight *weights; /**< those of the model, then constants of the code; a later
                                         trace appends to them, and its list is the valid one */
    uint32_t weight_count;
    const htp_trace_size *data_sizes;
    uint32_t data_size_count;
    htp_trace_rounding fake_rounding;    /**< of fake_quantize_per_tensor_affine, told where the */
    htp_trace_rounding tensor_rounding;  /**< trace rounds to levels; of quantize_per_tensor */
    htp_trace_rounding channel_rounding; /**< of quantize_per_channel */
    const uint32_t *inputs; /**< values, one per argument of the method, as they were given */
    uint32_t input_count;
    const uint32_t *outputs; /**< values: what forward() returned; tuples and lists are
                                  flattened */
    uint32_t output_count;
    const htp_trace_state *states; /**< those that were changed or carried, in the order of modules,
                                       then of attributes */
    uint32_t state_count;
} htp_trace;

#endif
