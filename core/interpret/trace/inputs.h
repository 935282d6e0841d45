/*
 * The arguments of a model's method, and their values for a trace.
 */
#ifndef HTP_INTERPRET_TRACE_INPUTS_H
#define HTP_INTERPRET_TRACE_INPUTS_H

#include <htp/types.h>

/** Kinds of values. */
typedef enum htp_trace_kind {
    HTP_TRACE_NOTHING = 0, /**< None */
    HTP_TRACE_TENSOR,
    HTP_TRACE_INT,
    HTP_TRACE_FLOAT,
    HTP_TRACE_BOOL,
    HTP_TRACE_STRING,
    HTP_TRACE_LIST,     /**< also tuples: elements */
    HTP_TRACE_SEQUENCE, /**< a data-dependent number of tensors: dtype, rank and dims are those of
                           each */
    HTP_TRACE_COMPLEX,  /**< a complex number */
    HTP_TRACE_OPAQUE,   /**< device, generator, ...: no operator's result depends on it */
    HTP_TRACE_UNKNOWN,  /**< an output of a failed node, or derived from one */
} htp_trace_kind;

/** An argument of the method, except self; or a part of one. */
typedef struct htp_argument {
    const char *name;    /**< of a part: "0" or "key" in a tuple, "" in a list or dict */
    htp_trace_kind kind; /**< by the schema: TENSOR, INT, FLOAT, BOOL, STRING, LIST (a tuple, list
                            or dict), or OPAQUE */
    const char *type;    /**< as TorchScript writes it: "Tensor", "Optional[Tensor]" */
    bool is_optional;    /**< has a default or accepts None */
    bool has_default;
    const char *default_value;        /**< as Python writes it; NULL without a default */
    const struct htp_argument *items; /**< of a LIST: a tuple's parts; or one entry for all elements
                                         of a list, or values of a dict */
    uint32_t item_count;
    bool is_open; /**< a list or dict: it may have any number of elements */
    bool is_dict; /**< elements go by keys rather than by numbers */
} htp_argument;

/** An input for a trace: a tensor, a number (rank 0 with is_scalar), None, or a tuple, list or dict
 * of inputs. */
typedef struct htp_input {
    bool is_none;
    bool is_scalar; /**< an int, float or bool argument rather than a tensor */
    bool is_open;   /**< of a number: it becomes an input of the exported model; dtype is int64,
                       float64 or bool */
    double scalar;
    htp_dtype dtype;
    uint32_t rank;
    int64_t dims[HTP_MAX_LANES][HTP_MAX_RANK];
    bool is_nested; /**< a tuple, list or dict: items, in any order but for a dict */
    const struct htp_input *items;
    uint32_t count;
    const char *name; /**< its name in its container: "0" in a tuple or list, a NamedTuple's field,
                         or the key; NULL for an argument */
} htp_input;

#endif
