/*
 * A program of torch.export as plain data: the JSON of a .pt2 file, parsed and bounded, not yet
 * interpreted. It lies in the arena of the source, or in the mapped file.
 *
 * Reference: the dataclasses of torch._export.serde.schema in PyTorch.
 */
#ifndef HTP_EXPORTED_PROGRAM_H
#define HTP_EXPORTED_PROGRAM_H

#include "base/arena.h"
#include "base/vector.h"
#include "interpret/trace/nodes.h"

/** A formula of sizes, once per text in a program. */
typedef struct htp_exported_expression {
    const char *text; /**< of sympy's srepr(): "Mul(Integer(2), Symbol('s77', ...))" */
    bool has_hint;    /**< the value at the time of torch.export is known */
    double hint;
} htp_exported_expression;

/** A size, or another number computed from sizes: known, or a formula. */
typedef struct htp_exported_size {
    uint32_t expression; /**< index of the formula; HTP_NONE: it is `number` */
    int64_t number;
    double real; /**< the number, if it is a float */
} htp_exported_size;

/** A value of a graph, identified by its name there. */
typedef struct htp_exported_value {
    const char *name;
    htp_trace_kind kind; /**< TENSOR, INT, FLOAT, BOOL; OPAQUE: an object; UNKNOWN: not described
                              in the file */
    htp_dtype dtype;     /**< of a tensor, like the fields up to is_dense */
    uint32_t rank;
    const htp_exported_size *sizes;
    const htp_exported_size *strides; /**< as many; NULL: not in the file */
    const char *device;               /**< only its type: "cuda"; NULL: the CPU */
    bool is_dense;                    /**< its layout is strided */
    htp_exported_size number;         /**< of a number */
    bool is_made;                     /**< by a node, or an input of its graph; else it is named by
                                           its readers alone */
} htp_exported_value;

/** Kinds of arguments of operators. */
typedef enum htp_exported_kind {
    HTP_EXPORTED_NONE = 0,
    HTP_EXPORTED_VALUE, /**< a tensor, or a computed number: `value` */
    HTP_EXPORTED_INT, /**< `i`; also scalar types, layouts and memory formats, as libtorch counts */
    HTP_EXPORTED_FLOAT,   /**< `f` */
    HTP_EXPORTED_BOOL,    /**< `i` */
    HTP_EXPORTED_STRING,  /**< `s` */
    HTP_EXPORTED_DEVICE,  /**< `s`: only its type */
    HTP_EXPORTED_COMPLEX, /**< `f` and `imaginary` */
    HTP_EXPORTED_LIST,    /**< `items` */
    HTP_EXPORTED_GRAPH,   /**< `graph` of the program, `s` is its name */
    HTP_EXPORTED_OTHER,   /**< ignored: `s` is the file's name of its kind */
} htp_exported_kind;

/** An argument or result of an operator. */
typedef struct htp_exported_argument {
    htp_exported_kind kind;
    const char *name; /**< of an operator's argument, by its schema; else "" */
    uint32_t value;   /**< index of a value of the program */
    uint32_t graph;
    uint32_t count; /**< of items */
    int64_t i;
    double f, imaginary;
    const char *s;
    const struct htp_exported_argument *items;
} htp_exported_argument;

/** An operator that runs. */
typedef struct htp_exported_node {
    const char *target; /**< "torch.ops.aten.linear.default", "_operator.mul" */
    const htp_exported_argument *inputs;
    uint32_t input_count;
    const htp_exported_argument *outputs;
    uint32_t output_count;
    const char *stack;  /**< running modules: "key,path,class;..."; NULL: not in the file */
    const char *places; /**< Python's stack, the outermost call first; or NULL */
} htp_exported_node;

/** A graph: 0 is the program itself, the others are arguments of operators. */
typedef struct htp_exported_graph {
    const htp_exported_argument *inputs;
    uint32_t input_count;
    const htp_exported_argument *outputs;
    uint32_t output_count;
    const htp_exported_node *nodes;
    uint32_t node_count;
} htp_exported_graph;

/** The kind of an input of graph 0. */
typedef enum htp_exported_input_kind {
    HTP_EXPORTED_USER_INPUT = 0,
    HTP_EXPORTED_PARAMETER,
    HTP_EXPORTED_BUFFER,
    HTP_EXPORTED_CONSTANT,       /**< a tensor */
    HTP_EXPORTED_CONSTANT_INPUT, /**< a number, a text or None of the user, which is fixed */
    HTP_EXPORTED_OBJECT,
    HTP_EXPORTED_TOKEN,
} htp_exported_input_kind;

/** An input of graph 0. */
typedef struct htp_exported_input {
    htp_exported_input_kind kind;
    const char *target;             /**< dotted path of a weight; or NULL */
    htp_exported_argument argument; /**< the value or constant */
} htp_exported_input;

/** The kind of an output of graph 0. */
typedef enum htp_exported_output_kind {
    HTP_EXPORTED_USER_OUTPUT = 0,
    HTP_EXPORTED_BUFFER_CHANGE, /**< new value of a buffer or parameter */
    HTP_EXPORTED_INPUT_CHANGE,  /**< new value of a user input */
    HTP_EXPORTED_OUTPUT_TOKEN,
    HTP_EXPORTED_OTHER_OUTPUT, /**< of training: a loss, a gradient */
} htp_exported_output_kind;

/** An output of graph 0. */
typedef struct htp_exported_output {
    htp_exported_output_kind kind;
    const char *target; /**< what it changes: a dotted path, or an input's name; or NULL */
    htp_exported_argument argument;
} htp_exported_output;

/** The range of a symbol. */
typedef struct htp_exported_range {
    const char *symbol; /**< "s77"; "u0" for a data-dependent size */
    bool has_least, has_most;
    int64_t least, most;
} htp_exported_range;

/** The fields of a NamedTuple. */
typedef struct htp_exported_fields {
    const char *type; /**< its name in pytrees */
    const char *const *names;
    uint32_t count;
} htp_exported_fields;

/** A program. */
typedef struct htp_exported_program {
    int64_t major, minor;      /**< of the file's schema */
    const char *torch_version; /**< that wrote it */
    HTP_VECTOR(htp_exported_expression) expressions;
    HTP_VECTOR(htp_exported_value) values; /**< of all graphs */
    HTP_VECTOR(htp_exported_graph) graphs;
    const htp_exported_input *inputs;
    uint32_t input_count;
    const htp_exported_output *outputs;
    uint32_t output_count;
    const htp_exported_range *ranges;
    uint32_t range_count;
    const char *const *guards; /**< conditions in Python: "Eq(s77, 2*s27)" */
    uint32_t guard_count;
    const char *in_spec; /**< pytrees of arguments and, next, of results, as JSON; or NULL */
    const char *out_spec;
    const htp_exported_fields *fields;
    uint32_t fields_count;
    const char *const *argument_names; /**< of forward(), as the user called it; NULL: unknown */
    uint32_t argument_name_count;
    const char *const *modules; /**< dotted paths of all modules, the root's first */
    uint32_t module_count;
} htp_exported_program;

#endif
